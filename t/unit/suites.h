/* The suites of the unit test program: each function registers one with CUnit. A new suite is
 * declared here and named in main.c. */
#ifndef DSC_UNIT_SUITES_H
#define DSC_UNIT_SUITES_H

void dsc_suite_buffer(void);
void dsc_suite_json_writer(void);
void dsc_suite_parameter(void);
void dsc_suite_value_date(void);

#endif
