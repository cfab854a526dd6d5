/* Runs every suite and prints CUnit's closing summary; exits 0 only when all passed. With the
 * arguments "wire CONNINFO QUERY" it compares values instead, see wire_proof.h. */
#include "formats/eastern_time.h"
#include "registry.h"
#include "unit/suites.h"
#include "unit/wire_proof.h"

#include <CUnit/Basic.h>
#include <apr_general.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One on each line. */
/* clang-format off */
static void (*const suites[])(void) = {
    dsc_suite_base64,
    dsc_suite_buffer,
    dsc_suite_identifier,
    dsc_suite_json_writer,
    dsc_suite_parameter,
    dsc_suite_body,
    dsc_suite_value_date,
    dsc_suite_connection,
    dsc_suite_cursor,
    dsc_suite_formats,
    dsc_suite_search,
    dsc_suite_ask_check,
    dsc_suite_digest,
    dsc_suite_interrupt,
    dsc_suite_counters,
    dsc_suite_limit,
    dsc_suite_route,
    dsc_suite_descriptions,
    dsc_suite_fair_share,
    dsc_suite_source_cache,
    dsc_suite_replication,
    dsc_suite_shared_state,
    dsc_suite_tables,
    dsc_suite_acceptance_clock,
    dsc_suite_decimal,
    dsc_suite_delimited,
    dsc_suite_eastern_time,
    dsc_suite_filing_sections,
    dsc_suite_html_text,
    dsc_suite_sgml_submission,
    dsc_suite_split_ratio,
    dsc_suite_instance_number,
    dsc_suite_spool,
    dsc_suite_key,
    dsc_suite_market_files,
    dsc_suite_loader_value,
    dsc_suite_ownership_document,
    dsc_suite_holdings_document,
    dsc_suite_holdings_scale,
    dsc_suite_holdings_value,
    dsc_suite_nport_document,
    dsc_suite_congress_value,
    dsc_suite_follow,
    dsc_suite_politician_name,
    dsc_suite_house_report_text,
    dsc_suite_pdf_text,
    dsc_suite_value_url,
    dsc_suite_webhook,
    dsc_suite_host_failure,
    dsc_suite_http_client,
    dsc_suite_wire,
    dsc_suite_xml_guard,
};
/* clang-format on */

static int run(void)
{
    size_t i;

    for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
        suites[i]();
        if (CU_get_error() != CUE_SUCCESS) {
            fprintf(stderr, "suite %zu: %s\n", i, CU_get_error_msg());
            return 0;
        }
    }
    CU_basic_set_mode(CU_BRM_NORMAL);
    return CU_basic_run_tests() == CUE_SUCCESS && CU_get_number_of_tests_run() > 0 &&
           CU_get_number_of_failure_records() == 0;
}

int main(int count, char **arguments)
{
    const char *error;
    int good;

    apr_initialize();
    atexit(apr_terminate);
    if (count == 4 && strcmp(arguments[1], "wire") == 0) {
        return dsc_wire_proof(arguments[2], arguments[3]) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    dsc_tables_use(&dsc_tables);
    if ((error = dsc_eastern_begin()) != NULL) {
        fprintf(stderr, "%s\n", error);
        return EXIT_FAILURE;
    }
    if (CU_initialize_registry() != CUE_SUCCESS) {
        fprintf(stderr, "CUnit: %s\n", CU_get_error_msg());
        return EXIT_FAILURE;
    }
    good = run();
    CU_cleanup_registry();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
