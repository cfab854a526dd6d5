/* The suites of the unit test program: each function registers one with CUnit. A new suite is
 * declared here and named in main.c. */
#ifndef DSC_UNIT_SUITES_H
#define DSC_UNIT_SUITES_H

void dsc_suite_base64(void);
void dsc_suite_buffer(void);
void dsc_suite_identifier(void);
void dsc_suite_json_writer(void);
void dsc_suite_body(void);
void dsc_suite_parameter(void);
void dsc_suite_value_date(void);
void dsc_suite_connection(void);
void dsc_suite_cursor(void);
void dsc_suite_digest(void);
void dsc_suite_interrupt(void);
void dsc_suite_counters(void);
void dsc_suite_limit(void);
void dsc_suite_route(void);
void dsc_suite_descriptions(void);
void dsc_suite_fair_share(void);
void dsc_suite_source_cache(void);
void dsc_suite_replication(void);
void dsc_suite_shared_state(void);
void dsc_suite_tables(void);
void dsc_suite_acceptance_clock(void);
void dsc_suite_decimal(void);
void dsc_suite_delimited(void);
void dsc_suite_eastern_time(void);
void dsc_suite_filing_sections(void);
void dsc_suite_html_text(void);
void dsc_suite_sgml_submission(void);
void dsc_suite_split_ratio(void);
void dsc_suite_instance_number(void);
void dsc_suite_spool(void);
void dsc_suite_key(void);
void dsc_suite_market_files(void);
void dsc_suite_loader_value(void);
void dsc_suite_ownership_document(void);
void dsc_suite_holdings_document(void);
void dsc_suite_holdings_scale(void);
void dsc_suite_holdings_value(void);
void dsc_suite_nport_document(void);
void dsc_suite_congress_value(void);
void dsc_suite_follow(void);
void dsc_suite_politician_name(void);
void dsc_suite_house_report_text(void);
void dsc_suite_pdf_text(void);
void dsc_suite_value_url(void);
void dsc_suite_webhook(void);
void dsc_suite_http_client(void);
void dsc_suite_wire(void);
void dsc_suite_xml_guard(void);
void dsc_suite_formats(void);
void dsc_suite_search(void);
void dsc_suite_ask_check(void);

#endif
