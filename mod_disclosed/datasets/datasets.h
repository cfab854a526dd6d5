/* The tables of all datasets and endpoints; one file of tables for each dataset. */
#ifndef DSC_DATASETS_H
#define DSC_DATASETS_H

#include "engine/call.h"
#include "engine/dataset.h"
#include "engine/endpoint.h"

/* Form 4 transaction codes; ended by a row of NULLs. */
typedef struct {
    const char *code;
    const char *type;
} dsc_transaction_code_t;
extern const dsc_transaction_code_t dsc_transaction_codes[];

extern const dsc_dataset_t dsc_dataset_company; /* facts about an issuer */
extern const dsc_dataset_t dsc_dataset_listing;
extern const dsc_dataset_t dsc_dataset_executive;
extern const dsc_dataset_t dsc_dataset_filing;
extern const dsc_dataset_t dsc_dataset_exhibit;
extern const dsc_dataset_t dsc_dataset_filing_text;
extern const dsc_dataset_t dsc_dataset_insider;
extern const dsc_dataset_t dsc_dataset_insider_holding;
extern const dsc_dataset_t dsc_dataset_security;
extern const dsc_dataset_t dsc_dataset_institution_report;
extern const dsc_dataset_t dsc_dataset_institution_position;
extern const dsc_dataset_t dsc_dataset_institution_holder;
extern const dsc_dataset_t dsc_dataset_institution_flow;
extern const dsc_dataset_t dsc_dataset_short_interest;
extern const dsc_dataset_t dsc_dataset_corporate_action;
extern const dsc_dataset_t dsc_dataset_congress_trade;
extern const dsc_dataset_t dsc_dataset_congress_report;
extern const dsc_dataset_t dsc_dataset_politician;

extern const dsc_dataset_t dsc_dataset_document;
extern const dsc_dataset_t dsc_dataset_transcript;
extern const dsc_dataset_t dsc_dataset_event_notice; /* what sources say of an event's date */
extern const dsc_dataset_t dsc_dataset_event;
extern const dsc_dataset_t dsc_dataset_fund; /* a report of a fund */
extern const dsc_dataset_t dsc_dataset_fund_holding;
extern const dsc_dataset_t dsc_dataset_fund_class;
extern const dsc_dataset_t dsc_dataset_fund_exposure;

extern const dsc_endpoint_t dsc_endpoint_companies;
extern const dsc_endpoint_t dsc_endpoint_company;
extern const dsc_endpoint_t dsc_endpoint_executives;
extern const dsc_endpoint_t dsc_endpoint_filings;
extern const dsc_endpoint_t dsc_endpoint_filing;
extern const dsc_endpoint_t dsc_endpoint_exhibits;
extern const dsc_endpoint_t dsc_endpoint_insider;
extern const dsc_endpoint_t dsc_endpoint_company_insider;
extern const dsc_endpoint_t dsc_endpoint_institution_holders;
extern const dsc_endpoint_t dsc_endpoint_institution_flow;
extern const dsc_endpoint_t dsc_endpoint_institution_positions;
extern const dsc_endpoint_t dsc_endpoint_documents;
extern const dsc_endpoint_t dsc_endpoint_document;
extern const dsc_endpoint_t dsc_endpoint_document_pages;
extern const dsc_endpoint_t dsc_endpoint_transcripts;
extern const dsc_endpoint_t dsc_endpoint_transcript;
extern const dsc_endpoint_t dsc_endpoint_events;
extern const dsc_endpoint_t dsc_endpoint_calendar;
extern const dsc_endpoint_t dsc_endpoint_event;
extern const dsc_endpoint_t dsc_endpoint_short_interest;
extern const dsc_endpoint_t dsc_endpoint_corporate_actions;
extern const dsc_endpoint_t dsc_endpoint_fund_exposure;
extern const dsc_endpoint_t dsc_endpoint_congress;
extern const dsc_endpoint_t dsc_endpoint_politician;
extern const dsc_endpoint_t dsc_endpoint_company_congress;
extern const dsc_endpoint_t dsc_endpoint_coverage;
extern const dsc_endpoint_t dsc_endpoint_company_coverage;
extern const dsc_endpoint_t dsc_endpoint_source;
extern const dsc_endpoint_t dsc_endpoint_openapi;
extern const dsc_endpoint_t dsc_endpoint_webhooks; /* webhook/endpoints.c */
extern const dsc_endpoint_t dsc_endpoint_create_webhook;
extern const dsc_endpoint_t dsc_endpoint_delete_webhook;
extern const dsc_endpoint_t dsc_endpoint_test_webhook;
extern const dsc_endpoint_t dsc_endpoint_webhook_topics;

/* The company reference, shared by answers that name a company. */
extern const dsc_shape_t dsc_shape_company;

/* Items of lists, which events show as well; a period, as JSON: {calendar, fiscal, end_date, kind}. */
extern const dsc_shape_t dsc_shape_filing;
extern const dsc_shape_t dsc_shape_document;
extern const dsc_shape_t dsc_shape_period;

/* dsc_service_t.find_company: the listing behind a symbol, now or at as_of; a bare ticker means its
 * primary (active first) listing. */
int dsc_find_company(dsc_call_t *call, const char *symbol);

/* What rows of an issuer are joined with: its number, cik and party_key, its name, and the ticker, market
 * and symbol of its primary listing. These are as they were then where something is asked as of an
 * instant: null where nothing was known. */
#define DSC_ISSUER DSC_ISSUER_OF("t.issuer_id")
#define DSC_ISSUER_OF(id)                                                                         \
    "{present:issuer i ON i.issuer_id = " id "}{past:issuer_at(" id ", {value:as_of}) i ON true}"

/* The symbol of a path, for rows of a company and for the listing itself. */
#define DSC_PARAMETER_COMPANY DSC_SYMBOL_IN_PATH(DSC_RESOLVED, "t.issuer_id = ?")
#define DSC_PARAMETER_LISTING DSC_SYMBOL_IN_PATH(0, "t.record_key = " DSC_SYMBOL_LISTING)
#define DSC_SYMBOL_LISTING    "listing_of_symbol(?{past:, {value:as_of}})"
#define DSC_SYMBOL_IN_PATH(flags, predicate)                                                      \
    {"symbol", DSC_IN_PATH, DSC_SYMBOL, DSC_REQUIRED | (flags), NULL, {0, 0, 0, 0}, NULL,         \
     predicate, NULL, "TICKER:MARKET, or a bare ticker: its primary listing."}

/* A list's filter by symbols: rows of the issuers behind them. `absent` is its absent_predicate. */
#define DSC_PARAMETER_SYMBOLS(absent, whose)                                                      \
    {"symbols", DSC_IN_QUERY, DSC_SYMBOL, DSC_REPEATABLE | DSC_EACH, NULL, {0, 0, 0, 0}, NULL,      \
     "ARRAY(SELECT named.issuer_id FROM listing named WHERE {now:named}"                          \
     " AND (named.ticker = ANY (?) OR named.record_key = ANY (?)))", absent,                      \
     "Symbols or bare tickers of " whose "; repeat the parameter for several.", "t.issuer_id"}

/* The event that a row belongs to; as of an instant that to which it did, where it was known by then. */
#define DSC_EVENT_ID                                                                              \
    "{present:t.event_id}{past:(SELECT e.id FROM event e WHERE e.id = coalesce((SELECT"           \
    " coalesce(was.event_id, 0) FROM former_event was WHERE was.record_id = t.id AND {now:was}),"  \
    " t.event_id) AND {now:e} LIMIT 1)}"

/* Rows of a table that belong to the event with the id `event`, or did at the instant. */
#define DSC_EVENT_ROWS(table, alias, event)                                                       \
    "(SELECT o.* FROM " table " o WHERE o.event_id = " event                                      \
    "{past: AND NOT EXISTS (SELECT 1 FROM former_event was WHERE was.record_id = o.id AND {now:was})" \
    " UNION ALL SELECT o.* FROM former_event was JOIN " table " o ON o.issuer_id = was.issuer_id" \
    " AND o.id = was.record_id WHERE was.event_id = " event " AND {now:was}}) " alias

/* What webhooks tell of. The rows of `from`, of which one is the delivery with the id "?", make the
 * body of `shape`. */
typedef struct {
    const char *name;
    const char *description;
    const dsc_shape_t *shape;
    const char *from;
} dsc_topic_t;

/* Their names; sql/0014_webhooks.sql queues by them. */
#define DSC_TOPIC_FILING     "filing.created"
#define DSC_TOPIC_TRANSCRIPT "transcript.published"

extern const dsc_topic_t dsc_topic_filing;
extern const dsc_topic_t dsc_topic_transcript;

/* All topics, NULL-terminated. */
extern const dsc_topic_t *const dsc_topics[];

/* The FROM text before the item's own: what is delivered (v) and to whom (e). Then follow ", ", the
 * item and DSC_DELIVERY_WHERE. */
#define DSC_DELIVERY_FROM                                                                         \
    "webhook_delivery d JOIN webhook_event v ON v.event_id = d.event_id"                          \
    " JOIN webhook_endpoint e ON e.endpoint_id = d.endpoint_id"
#define DSC_DELIVERY_WHERE " WHERE d.delivery_id = ? AND {now:t} AND "

/* Fields of a delivery's body, and those behind the item's own in `data`. */
#define DSC_DELIVERY_FIELDS(item_shape)                                                           \
    {"type", DSC_FIELD_TEXT, 0, "v.topic", NULL, NULL, NULL, NULL, "The topic."},                 \
    {"timestamp", DSC_FIELD_DATETIME, 0, "v.occurred_at", NULL, NULL, NULL, NULL,                 \
     "When it was indexed, UTC."},                                                                \
    {"data", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, item_shape, "What is new."}
#define DSC_DELIVERED_FIELDS(path, key)                                                           \
    {"symbol", DSC_FIELD_TEXT, DSC_NULLABLE, "i.symbol", NULL, NULL, NULL, NULL,                  \
     "TICKER:MARKET of the company's primary listing; null when it has none."},                   \
    {"url", DSC_FIELD_TEXT, 0, "e.base_url || '" path "' || " key, NULL, NULL, NULL, NULL,        \
     "Address of the whole of it in this API."}

/* A text[] as a JSON array, null when absent. */
#define DSC_JSON_ARRAY(column) "to_json(" column ")::text"

#endif
