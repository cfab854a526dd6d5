/* The tables of all datasets and endpoints; one file of tables for each dataset. */
#ifndef DSC_DATASETS_H
#define DSC_DATASETS_H

#include "datasets/registry.h"
#include "engine/call.h"
#include "engine/constructors.h"
#include "engine/dataset.h"
#include "engine/endpoint.h"

/* Form 4 transaction codes; ended by a row of NULLs. */
typedef struct {
    const char *code;
    const char *type;
} dsc_transaction_code_t;
extern const dsc_transaction_code_t dsc_transaction_codes[];

#define DECLARE_DATASET(name)  extern const dsc_dataset_t dsc_dataset_##name;
#define DECLARE_ENDPOINT(name) extern const dsc_endpoint_t dsc_endpoint_##name;
DSC_TABLES(DECLARE_DATASET, DECLARE_ENDPOINT, DSC_NO_TABLE)

/* The company reference, shared by responses that name a company. */
extern const dsc_shape_t dsc_shape_company;

/* Items of lists that others show as well; a period, as JSON: {calendar, fiscal, end_date, kind}. */
extern const dsc_shape_t dsc_shape_filing;
extern const dsc_shape_t dsc_shape_document;
extern const dsc_shape_t dsc_shape_transcript;
extern const dsc_shape_t dsc_shape_period;

/* The filing that a path names. */
#define DSC_PARAMETER_ACCESSION                                                                                       \
    PATH(ACCESSION, "accession", "Accession number, with or without dashes.", .predicate = "t.accession = ?")

/* Rows that both surfaces list. */
extern const dsc_source_t dsc_source_filing;
extern const dsc_source_t dsc_source_document;
extern const dsc_source_t dsc_source_transcript;
extern const dsc_source_t dsc_source_company_transcript; /* of the one that the request is about */
extern const dsc_source_t dsc_source_listing;

/* dsc_service_t.find_company: the listing behind a symbol, now or at as_of; a bare ticker means its
 * primary (active first) listing. */
int dsc_find_company(dsc_call_t *call, const char *symbol);

/* The issuers that symbols mean, now or at as_of, as a PostgreSQL array, and the first symbol that means none (NULL: each means one).
 * 0 with the response set if the database fails. */
int dsc_find_issuers(dsc_call_t *call, const apr_array_header_t *symbols, const char **issuers, const char **unknown);

/* Makes the response the 404 of a company that is not known. */
void dsc_refuse_company(dsc_call_t *call, const char *symbol);

/* What rows of an issuer are joined with: its number, cik and party_key, its name, and the ticker, market
 * and symbol of its primary listing. These are as they were then if something is asked as of an
 * instant: null if nothing was known. */
#define DSC_ISSUER DSC_ISSUER_OF("t.issuer_id")
#define DSC_ISSUER_OF(id)                                                                         \
    "{present:issuer i ON i.issuer_id = " id "}{past:issuer_at(" id ", {value:as_of}) i ON true}"

/* The address of row t, which is in a list with DSC_ISSUER; `document` names the column with its document. */
#define DSC_FILING_URL(document)                                                                                      \
    "CASE WHEN t_source.by_filing THEN filing_address(t_source.url, i.cik, t.accession, " document ")"                \
    " ELSE t_source.url END"

/* The symbol of a path, for rows of a company and for the listing itself. */
#define DSC_PARAMETER_COMPANY DSC_SYMBOL_IN_PATH(DSC_RESOLVED, "t.issuer_id = ?")
#define DSC_PARAMETER_LISTING DSC_SYMBOL_IN_PATH(0, "t.record_key = " DSC_SYMBOL_LISTING)
#define DSC_SYMBOL_LISTING    "(SELECT listing_of_symbol(?{past:, {value:as_of}}))" /* once, and not for each listing */
#define DSC_SYMBOL_IN_PATH(flags_, predicate_) DSC_COMPANY_IN_PATH("symbol", flags_, predicate_)
#define DSC_COMPANY_IN_PATH(name_, flags_, predicate_)                                                                \
    PATH(SYMBOL, name_, DSC_SYMBOL_IN_PATH_DESCRIPTION, .flags = (flags_), .predicate = (predicate_))
#define DSC_SYMBOL_IN_PATH_DESCRIPTION "Symbol TICKER:MARKET, or a bare ticker, which means its primary listing."

/* Filters of lists of companies. */
#define DSC_PARAMETER_NAMED                                                                                           \
    QUERY(STRING, "q", "Part of the name or of the ticker, in any case.", .flags = DSC_PLAN_EACH_TIME,                \
          .predicate = "(t.ticker || ' ' || t.name) ILIKE like_pattern(?) AND (t.ticker ILIKE like_pattern(?)"        \
                       " OR t.name ILIKE like_pattern(?))")
#define DSC_PARAMETER_MARKETS                                                                                         \
    QUERY(SYMBOL, "markets", "Only listings on these markets, e.g. US.", .flags = DSC_REPEATABLE | DSC_PLAN_EACH_TIME, \
          .predicate = "t.market = ANY (?)")
#define DSC_PARAMETER_ACTIVE_ONLY                                                                                     \
    QUERY(BOOLEAN, "active_only", "Only active listings.", .default_text = "true", .predicate = "t.status = 'active'")

/* Names of the providers that data may come from. */
#define DSC_FIELD_ALLOWLIST                                                                                           \
    JSON("allowlist", "(SELECT to_json(array_agg(provider ORDER BY provider))::text FROM source_provider)",           \
         "Names of the providers that data may come from.", .flags = DSC_ARRAY)

/* A list's filter by symbols: rows of the issuers behind them. `absent` is its absent_predicate. */
#define DSC_PARAMETER_SYMBOLS(whose) DSC_SYMBOLS(whose, .column = "t.issuer_id")
#define DSC_PARAMETER_SYMBOLS_OR(whose, absent)                                                                       \
    DSC_SYMBOLS(whose, .column = "t.issuer_id", .absent_predicate = (absent))
#define DSC_SYMBOLS(whose, ...)                                                                                       \
    QUERY(SYMBOL, "symbols", "Symbols or bare tickers of " whose "; repeat the parameter for several.",               \
          .flags = DSC_REPEATABLE | DSC_EACH,                                                                         \
          .predicate = "ARRAY(SELECT named.issuer_id FROM listing named WHERE {now:named}"                            \
                       " AND (named.ticker = ANY (?) OR named.record_key = ANY (?)))",                                \
          __VA_ARGS__)

/* The event that a row belongs to; as of an instant that to which it did, if it was known by then. */
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

/* The tables of what search reads, which loads of texts keep. */
#define DSC_CHUNKS "chunked_text document_chunk chunk_week chunk_word chunk_id"

/* What plans must have for endpoints of webhooks. */
#define DSC_FEATURE_WEBHOOKS "webhooks"

/* A topic of webhooks. The rows of `from`, one for each of the events that "?" names, make bodies
 * of `shape`. */
typedef struct dsc_topic_t {
    const char *name;
    const char *description;
    const dsc_shape_t *shape;
    const char *from;
} dsc_topic_t;

/* Their names; the announce functions of the migrations queue by them. */
#define DSC_TOPIC_FILING     "filing.created"
#define DSC_TOPIC_TRANSCRIPT "transcript.published"

#define DSC_TOPIC_INSIDER    "insider_transaction.reported"
#define DSC_TOPIC_HOLDINGS   "institution_report.filed"
#define DSC_TOPIC_SHORT      "short_interest.published"
#define DSC_TOPIC_EVENT      "event.created"
#define DSC_TOPIC_ACTION     "corporate_action.created"
#define DSC_TOPIC_NAMES                                                                           \
    DSC_TOPIC_FILING, DSC_TOPIC_TRANSCRIPT, DSC_TOPIC_INSIDER, DSC_TOPIC_HOLDINGS, DSC_TOPIC_SHORT, DSC_TOPIC_EVENT, \
        DSC_TOPIC_ACTION

extern const dsc_topic_t dsc_topic_filing;
extern const dsc_topic_t dsc_topic_transcript;
extern const dsc_topic_t dsc_topic_insider;
extern const dsc_topic_t dsc_topic_holdings;
extern const dsc_topic_t dsc_topic_short_interest;
extern const dsc_topic_t dsc_topic_event;
extern const dsc_topic_t dsc_topic_corporate_action;

/* Rows of filing w, see of_filing. */
#define DSC_BY_ACCESSION "t.accession = w.accession"

/* Call of the function that announces a dataset's new records under a topic, by their ids. */
#define DSC_ANNOUNCES(topic)                                                                      \
    .announce = "announce_rows('" topic "', ARRAY(SELECT DISTINCT issuer_id FROM pg_temp.touched))"

/* The FROM text before the item's own: events (v), and the base of addresses (e), of "?", which is JSON
 * {"base_url": ..., "events": [ids]}. Then follow ", ", the item and DSC_DELIVERY_WHERE. */
#define DSC_DELIVERY_FROM                                                                         \
    "(SELECT p.asked ->> 'base_url' AS base_url, a.id::bigint AS event_id FROM (SELECT ? AS asked) p,"  \
    " jsonb_array_elements_text(p.asked -> 'events') a(id)) e"                                    \
    " JOIN webhook_event v ON v.event_id = e.event_id"
#define DSC_DELIVERY_WHERE " WHERE {now:t} AND "

/* Fields of a delivery's body, and those behind the item's own in `data`. */
#define DSC_DELIVERY_FIELDS(item_shape)                                                                               \
    TEXT("type", "v.topic", "Topic of the event."),                                                                   \
    DATETIME("timestamp", "v.occurred_at", "Time at which it was indexed, UTC."),                                     \
    OBJECT("data", item_shape, "The new record.")
/* The record behind alias t that a topic's subject names. The planner may look at events of other topics first, whose
 * subjects are no numbers. */
#define DSC_DELIVERED_ID(topic) "t.id = CASE WHEN v.topic = '" topic "' THEN v.subject::bigint END"
/* The path at which /v1/src resolves the record behind alias t, and the field of an address. */
#define DSC_DELIVERED_SOURCE(dataset) "'/v1/src/src_" dataset "_' || replace(t.src_digest::text, '-', '')"
#define DSC_DELIVERED_URL(path_)                                                                                      \
    TEXT("url", "e.base_url || " path_, "URL of the whole record in this API.")
#define DSC_DELIVERED_FIELDS(path_, key)                                                                              \
    TEXT("symbol", "i.symbol", "Symbol (TICKER:MARKET) of the company's primary listing; null if it has none.", NULLABLE), \
    DSC_DELIVERED_URL("'" path_ "' || " key)

#endif
