#include "datasets/datasets.h"

#include <string.h>

const dsc_dataset_t *const dsc_datasets[] = {
    &dsc_dataset_company,     &dsc_dataset_listing, &dsc_dataset_executive,
    &dsc_dataset_filing,      &dsc_dataset_exhibit, &dsc_dataset_filing_text,
    &dsc_dataset_insider,     &dsc_dataset_insider_holding,
    &dsc_dataset_security,    &dsc_dataset_institution_report,
    &dsc_dataset_institution_position, &dsc_dataset_institution_holder,
    &dsc_dataset_institution_flow,
    &dsc_dataset_document,    &dsc_dataset_transcript,
    &dsc_dataset_event_notice, &dsc_dataset_event,
    &dsc_dataset_short_interest, &dsc_dataset_corporate_action,
    &dsc_dataset_fund,        &dsc_dataset_fund_holding,
    &dsc_dataset_fund_class,  &dsc_dataset_fund_exposure,
    &dsc_dataset_congress_trade, &dsc_dataset_congress_report, &dsc_dataset_politician,
    NULL,
};

const dsc_endpoint_t *const dsc_endpoints[] = {
    &dsc_endpoint_companies, &dsc_endpoint_company,         &dsc_endpoint_executives,
    &dsc_endpoint_filings,   &dsc_endpoint_filing,          &dsc_endpoint_exhibits,
    &dsc_endpoint_insider,   &dsc_endpoint_company_insider, &dsc_endpoint_institution_holders,
    &dsc_endpoint_institution_flow, &dsc_endpoint_institution_positions,
    &dsc_endpoint_fund_exposure, &dsc_endpoint_coverage,
    &dsc_endpoint_company_coverage, &dsc_endpoint_source,   &dsc_endpoint_openapi,
    &dsc_endpoint_documents, &dsc_endpoint_document, &dsc_endpoint_document_pages,
    &dsc_endpoint_transcripts, &dsc_endpoint_transcript,
    &dsc_endpoint_events, &dsc_endpoint_calendar, &dsc_endpoint_event,
    &dsc_endpoint_short_interest, &dsc_endpoint_corporate_actions,
    &dsc_endpoint_congress,  &dsc_endpoint_politician,      &dsc_endpoint_company_congress,
    &dsc_endpoint_webhooks,  &dsc_endpoint_create_webhook,  &dsc_endpoint_delete_webhook,
    &dsc_endpoint_test_webhook, &dsc_endpoint_webhook_topics,
    NULL,
};

const dsc_topic_t *const dsc_topics[] = {&dsc_topic_filing, &dsc_topic_transcript, NULL};

int dsc_dataset_index(const char *name)
{
    int i;
    for (i = 0; dsc_datasets[i]; i++) {
        if (strcmp(dsc_datasets[i]->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

const dsc_dataset_t *dsc_dataset_find(const char *name)
{
    int index = dsc_dataset_index(name);
    return index < 0 ? NULL : dsc_datasets[index];
}
