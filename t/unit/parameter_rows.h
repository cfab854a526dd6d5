/* Rows that read one parameter from a query string, shared by the suites of the value layer. */
#ifndef DSC_UNIT_PARAMETER_ROWS_H
#define DSC_UNIT_PARAMETER_ROWS_H

#include "engine/parameter.h"

/* The 422 body for a parameter named "v". */
#define FAULT_AT(location, type, message, input)                                                   \
    "{\"detail\":[{\"type\":\"" type "\",\"loc\":" location ",\"msg\":\"" message                  \
    "\",\"input\":" input "}]}"
#define FAULT(type, message, input) FAULT_AT("[\"query\",\"v\"]", type, message, "\"" input "\"")
#define FAULT_WITH(type, message, input, context)                                                  \
    "{\"detail\":[{\"type\":\"" type "\",\"loc\":[\"query\",\"v\"],\"msg\":\"" message             \
    "\",\"input\":\"" input "\",\"ctx\":" context "}]}"

typedef struct {
    const char *query;
    const char *expected; /* the canonical value, a list as ["a","b"], "absent", or the body */
} dsc_row_t;

/* What reading the parameter from the query gives, in the form of `expected`. */
const char *dsc_row_result(const dsc_parameter_t *parameter, const char *query);

/* Reads the parameter from each row's query and fails the test where the result differs. */
void dsc_rows_check(const dsc_parameter_t *parameter, const dsc_row_t *rows, size_t count);

#define CHECK_ROWS(parameter, rows)                                                                \
    dsc_rows_check(parameter, rows, sizeof(rows) / sizeof((rows)[0]))

#endif
