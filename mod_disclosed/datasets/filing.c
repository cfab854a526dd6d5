/* Filings, their earnings-release exhibits, and the text and sections of their main documents. */
#include "datasets/datasets.h"

static const dsc_column_t filing_columns[] = {
    {"form", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "form type as filed, e.g. 10-K/A"},
    {"filed_on", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED, NULL, "filing date"},
    {"accepted_at", DSC_COLUMN_DATETIME, DSC_COLUMN_CARRIED, NULL, "when EDGAR accepted it, UTC"},
    {"period_of_report", DSC_COLUMN_DATE, DSC_COLUMN_CARRIED, NULL, "conformed period of report"},
    {"title", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL,
     "description of the primary document, as filed"},
    {"items", DSC_COLUMN_TEXTS, DSC_COLUMN_CARRIED, NULL, "item numbers of a Form 8-K, e.g. 2.02"},
    {"primary_document", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL,
     "file name of the primary document"},
    {"file_number", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "SEC file number"},
    {"size_bytes", DSC_COLUMN_INTEGER, DSC_COLUMN_CARRIED | DSC_COLUMN_NOT_COMPARED, NULL,
     "size of the submission"},
};

static const dsc_column_t exhibit_columns[] = {
    {"exhibit_type", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "EX-99.1 or EX-99.2"},
    {"sequence", DSC_COLUMN_INTEGER, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, NULL,
     "place in the submission"},
    {"file_name", DSC_COLUMN_TEXT, 0, NULL, "name of the file in the submission"},
    {"title", DSC_COLUMN_TEXT, 0, NULL, "description, as filed"},
    {"published_at", DSC_COLUMN_DATETIME, 0, NULL, "acceptance time, UTC"},
    {"text", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "the exhibit as plain text"},
};

static const dsc_column_t text_columns[] = {
    {"form", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "form type as filed"},
    {"published_at", DSC_COLUMN_DATETIME, 0, NULL, "acceptance time, UTC"},
    {"text", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "the main document as plain text"},
    {"sections", DSC_COLUMN_JSON, DSC_COLUMN_REQUIRED, NULL,
     "array of {key, title, char_start, char_end}: offsets in characters, end exclusive"},
};

/* ---------------------------------------------------------------------- served */

/* Characters of text in one answer, whatever is asked for: what bounds its memory. */
#define MOST_TEXT "1000000"

#define TEXT_PARAMETERS                                                                           \
    {"text_start", DSC_IN_QUERY, DSC_INTEGER, 0, NULL, {1, 1, 0, 1000000000}, "0", NULL, NULL,    \
     "First character of each text that is wanted, counted from 0: where text_next says that it " \
     "goes on."},                                                                                 \
    {"text_length", DSC_IN_QUERY, DSC_INTEGER, 0, NULL, {1, 1, 1, 1000000}, MOST_TEXT, NULL, NULL, \
     "Characters of text that are wanted at most, of all texts of the answer together."}

#define FILING_FIELDS                                                                             \
    {"id", DSC_FIELD_INTEGER, 0, "t.id", NULL, NULL, NULL, NULL, "Number of the record."},        \
    {"ticker", DSC_FIELD_TEXT, DSC_NULLABLE, "i.ticker", NULL, NULL, NULL, NULL,                  \
     "Ticker of the filer's primary listing; null when it has none."},                            \
    {"form", DSC_FIELD_TEXT, 0, "t.form", NULL, NULL, NULL, NULL, "Form type as filed."},         \
    {"accession", DSC_FIELD_TEXT, 0, "t.accession", NULL, NULL, NULL, NULL,                       \
     "EDGAR accession number."},                                                                  \
    {"filed_on", DSC_FIELD_DATE, 0, "t.filed_on", NULL, NULL, NULL, NULL, "Filing date."},       \
    {"filed_at", DSC_FIELD_DATETIME, DSC_NULLABLE, "t.accepted_at", NULL, NULL, NULL, NULL,       \
     "When it was filed, UTC: its time of acceptance; null where no source states a time."},      \
    {"accepted_at", DSC_FIELD_DATETIME, DSC_NULLABLE, "t.accepted_at", NULL, NULL, NULL, NULL,    \
     "When EDGAR accepted it, UTC."},                                                             \
    {"period_of_report", DSC_FIELD_DATE, DSC_NULLABLE, "t.period_of_report", NULL, NULL, NULL,    \
     NULL, "Conformed period of report."},                                                        \
    {"title", DSC_FIELD_TEXT, DSC_NULLABLE, "t.title", NULL, NULL, NULL, NULL,                    \
     "Description of the primary document, as filed."},                                           \
    {"items", DSC_FIELD_JSON, DSC_NULLABLE | DSC_ARRAY, DSC_JSON_ARRAY("t.items"), NULL, NULL,    \
     NULL, NULL, "Items as EDGAR lists them: numbers of a Form 8-K; of other forms the text that "    \
     "stands there."},                                                  \
    {"source_url", DSC_FIELD_TEXT, DSC_NULLABLE, "t.source_url", NULL, NULL, NULL, NULL,          \
     "The primary document at its source."},                                                      \
    {"event_id", DSC_FIELD_INTEGER, DSC_NULLABLE, DSC_EVENT_ID, NULL, NULL, NULL, NULL,           \
     "Corporate event that it belongs to."},                                                      \
    {"doc_group", DSC_FIELD_TEXT, 0, "'filing'", NULL, NULL, NULL, NULL, "Always filing."},       \
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "filing", NULL,                      \
     "Where it comes from."}

static const dsc_field_t filing_fields[] = {FILING_FIELDS};

const dsc_shape_t dsc_shape_filing = {"Filing", "A filing with the SEC.", filing_fields,
                                         DSC_COUNT(filing_fields)};

static const dsc_field_t section_fields[] = {
    {"key", DSC_FIELD_TEXT, 0, NULL, NULL, NULL, NULL, NULL, "e.g. item_1a, part2_item_1."},
    {"title", DSC_FIELD_TEXT, 0, NULL, NULL, NULL, NULL, NULL, "Heading, as filed."},
    {"char_start", DSC_FIELD_INTEGER, 0, NULL, NULL, NULL, NULL, NULL,
     "First character in the text of the filing."},
    {"char_end", DSC_FIELD_INTEGER, 0, NULL, NULL, NULL, NULL, NULL, "Behind the last character."},
    {"text", DSC_FIELD_TEXT, DSC_OPTIONAL, NULL, NULL, NULL, NULL, NULL,
     "The section's text, where section_text asks for it, from text_start on."},
    {"text_start", DSC_FIELD_INTEGER, DSC_OPTIONAL, NULL, NULL, NULL, NULL, NULL,
     "First character of text, counted from 0 in the section; with text."},
    {"text_next", DSC_FIELD_INTEGER, DSC_OPTIONAL | DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL,
     "The text_start of what follows; null where the section ends. With text."},
};

static const dsc_shape_t section_shape = {"FilingSection", "A section of a filing's main document.",
                                          section_fields, DSC_COUNT(section_fields)};

static const dsc_field_t detail_fields[] = {
    FILING_FIELDS,
    {"sections", DSC_FIELD_JSON, DSC_ARRAY, "coalesce(x.sections, '[]')::text", NULL, NULL, NULL,
     &section_shape, "Sections of the main document, where its text is stored."},
    {"sections_available", DSC_FIELD_BOOLEAN, 0, "x.sections IS NOT NULL", NULL, NULL, NULL, NULL,
     "Whether the text of the main document is stored."},
};

static const dsc_shape_t detail_shape = {"FilingDetail", "A filing with its sections.",
                                         detail_fields, DSC_COUNT(detail_fields)};

static const dsc_source_t filing_source = {
    "filing t JOIN " DSC_ISSUER, NULL, "t.filed_on", "date", "t.id", 0};

/* Whose row stands for a filing of several filers hangs on who of them is listed. */
static const dsc_follow_t filing_follows[] = {{"listing", "follow_listings_filings"}, {NULL, NULL}};

const dsc_dataset_t dsc_dataset_filing = {
    "filing", "filing", "Filings with the SEC", filing_columns, DSC_COUNT(filing_columns),
    "filed_on", "settle_filings", &filing_source, &dsc_shape_filing, "{accession}", DSC_KEY_FIXED,
    filing_follows};

static const dsc_field_t delivered_fields[] = {
    FILING_FIELDS, DSC_DELIVERED_FIELDS("/v1/filings/", "t.accession")};

static const dsc_shape_t delivered_shape = {"DeliveredFiling", "A filing, as webhooks tell of it.",
                                            delivered_fields, DSC_COUNT(delivered_fields)};

static const dsc_field_t delivery_fields[] = {DSC_DELIVERY_FIELDS(&delivered_shape)};

static const dsc_shape_t delivery_shape = {"FilingDelivery", "Body of a filing.created delivery.",
                                           delivery_fields, DSC_COUNT(delivery_fields)};

const dsc_topic_t dsc_topic_filing = {
    DSC_TOPIC_FILING, "A new filing was indexed for a covered issuer.", &delivery_shape,
    DSC_DELIVERY_FROM ", filing t JOIN " DSC_ISSUER DSC_DELIVERY_WHERE
    "t.accession = v.subject AND t.is_primary"};

/* Whose row is shown of a filing. */
#define PRIMARY_THEN  "t.issuer_id = primary_filer(t.accession, {value:as_of})"
#define PRIMARY_FILER "{present:t.is_primary}{past:" PRIMARY_THEN "}"

static const dsc_parameter_t filings_parameters[] = {
    DSC_PARAMETER_SYMBOLS("{present:t.is_primary}{past:(t.is_primary OR t.is_shared)"
                          " AND (NOT t.is_shared OR " PRIMARY_THEN ")}",
                          "filers"),
    {"forms", DSC_IN_QUERY, DSC_STRING, DSC_REPEATABLE | DSC_EACH, NULL, {0, 0, 0, 0}, NULL, "?",
     NULL, "Form types exactly as filed: 10-K does not match 10-K/A.", "t.form"},
    {"start_date", DSC_IN_QUERY, DSC_DATE, 0, NULL, {0, 0, 0, 0}, NULL, "t.filed_on >= ?", NULL,
     "First filing date."},
    {"end_date", DSC_IN_QUERY, DSC_DATE, 0, NULL, {0, 0, 0, 0}, NULL, "t.filed_on <= ?", NULL,
     "Last filing date."},
    {"updated_after", DSC_IN_QUERY, DSC_DATETIME, DSC_PLAN_EACH_TIME, NULL, {0, 0, 0, 0}, NULL,
     "t.recorded_at > ?", NULL,
     "Only filings that this service has got since then: its time of access, not a time of EDGAR."},
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("filed_on"),
    DSC_PARAMETER_AS_OF_BY("t.filed_on"),
};

static const char *const filing_reads[] = {"filing", "event", "company", "listing", NULL};

const dsc_endpoint_t dsc_endpoint_filings = {
    "list_filings", "GET", "/v1/filings", "Filings", "Filings of all companies.", DSC_ANSWER_LIST,
    0, filings_parameters, DSC_COUNT(filings_parameters), &filing_source, &dsc_shape_filing,
    filing_reads, NULL, NULL, NULL};

#define ACCESSION_PARAMETER                                                                       \
    {"accession", DSC_IN_PATH, DSC_ACCESSION, DSC_REQUIRED, NULL, {0, 0, 0, 0}, NULL,             \
     "t.accession = ?", NULL, "Accession number, with or without dashes."}

static const dsc_parameter_t filing_parameters[] = {
    ACCESSION_PARAMETER,
    {"section_text", DSC_IN_QUERY, DSC_STRING, DSC_REPEATABLE, NULL, {0, 0, 0, 0}, NULL, NULL, NULL,
     "Keys of sections whose text is wanted as well."},
    TEXT_PARAMETERS,
    DSC_PARAMETER_AS_OF,
};

static const dsc_source_t filing_detail_source = {
    "filing t JOIN " DSC_ISSUER
    " LEFT JOIN LATERAL (SELECT sections_with_text(f.sections, f.text,"
    " {value:section_text}, {value:text_start}, {value:text_length}) AS sections FROM filing_text f WHERE f.accession = t.accession"
    " AND {now:f} ORDER BY f.issuer_id = t.issuer_id DESC LIMIT 1) x ON true",
    PRIMARY_FILER, NULL, NULL, NULL, 0};

static const char *const detail_reads[] = {"filing", "filing_text", "event", "company", "listing", NULL};

const dsc_endpoint_t dsc_endpoint_filing = {
    "get_filing", "GET", "/v1/filings/{accession}", "Filings", "One filing with its sections.",
    DSC_ANSWER_ITEM, 0, filing_parameters, DSC_COUNT(filing_parameters), &filing_detail_source,
    &detail_shape, detail_reads, NULL, "There is no filing with the accession number \"%s\".",
    NULL};

/* -------------------------------------------------------------------- exhibits */

static const dsc_field_t exhibit_fields[] = {
    {"accession", DSC_FIELD_TEXT, 0, "t.accession", NULL, NULL, NULL, NULL,
     "Accession number of the filing."},
    {"ticker", DSC_FIELD_TEXT, DSC_NULLABLE, "i.ticker", NULL, NULL, NULL, NULL,
     "Ticker of the filer's primary listing."},
    {"exhibit_type", DSC_FIELD_TEXT, 0, "t.exhibit_type", NULL, NULL, NULL, NULL,
     "Type as filed, e.g. EX-99.1."},
    {"published_at", DSC_FIELD_DATETIME, DSC_NULLABLE, "t.published_at", NULL, NULL, NULL, NULL,
     "When EDGAR accepted the filing, UTC; null where no source states a time."},
    {"source_url", DSC_FIELD_TEXT, DSC_NULLABLE, "t.source_url", NULL, NULL, NULL, NULL,
     "The exhibit at its source."},
    {"sequence", DSC_FIELD_INTEGER, 0, "t.sequence", NULL, NULL, NULL, NULL,
     "Place in the submission."},
    {"text", DSC_FIELD_TEXT, 0, "substr(t.text, (w.first + 1)::integer, w.most::integer)", NULL,
     NULL, NULL, NULL, "The exhibit as plain text, from text_start on."},
    {"text_start", DSC_FIELD_INTEGER, 0, "w.first", NULL, NULL, NULL, NULL,
     "First character of text, counted from 0."},
    {"text_next", DSC_FIELD_INTEGER, DSC_NULLABLE,
     "CASE WHEN w.first + w.most < t.text_chars THEN w.first + w.most END", NULL, NULL, NULL, NULL,
     "The text_start of what follows; null where the text ends."},
    {"text_chars", DSC_FIELD_INTEGER, 0, "t.text_chars", NULL, NULL, NULL, NULL,
     "Characters of the whole text."},
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "exhibit", NULL,
     "Where it comes from."},
};

static const dsc_shape_t exhibit_shape = {"Exhibit", "An exhibit of an earnings release.",
                                          exhibit_fields, DSC_COUNT(exhibit_fields)};

static const dsc_source_t exhibit_source = {
    "filing_exhibit t JOIN " DSC_ISSUER
    " CROSS JOIN (VALUES (0::bigint, " MOST_TEXT "::bigint)) AS w(first, most)",
    NULL, "t.known_at",
    "timestamptz", "t.id", 0};

/* Texts without a stated time count by the day in New York on which they were public. */
#define PUBLIC_DAY "(t.known_at AT TIME ZONE 'America/New_York')::date"

const dsc_dataset_t dsc_dataset_exhibit = {
    "exhibit", "filing_exhibit", "Exhibits 99.1 and 99.2 of earnings releases, as text",
    exhibit_columns, DSC_COUNT(exhibit_columns), "published_at", NULL, &exhibit_source,
    &exhibit_shape, "{accession}/{sequence}", DSC_KEY_FIXED, .day = PUBLIC_DAY};

static const dsc_field_t text_fields[] = {
    {"accession", DSC_FIELD_TEXT, 0, "t.accession", NULL, NULL, NULL, NULL,
     "Accession number of the filing."},
    {"form", DSC_FIELD_TEXT, 0, "t.form", NULL, NULL, NULL, NULL, "Form type as filed."},
    {"published_at", DSC_FIELD_DATETIME, DSC_NULLABLE, "t.published_at", NULL, NULL, NULL, NULL,
     "When EDGAR accepted the filing, UTC; null where no source states a time."},
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "filing_text", NULL,
     "Where it comes from."},
};

static const dsc_shape_t text_shape = {"FilingText", "The text of a filing's main document.",
                                       text_fields, DSC_COUNT(text_fields)};

static const dsc_source_t text_source = {"filing_text t", NULL, "t.known_at", "timestamptz",
                                         "t.id", 0};

const dsc_dataset_t dsc_dataset_filing_text = {
    "filing_text", "filing_text", "Main documents of 10-K, 10-Q and 8-K filings as text",
    text_columns, DSC_COUNT(text_columns), "published_at", NULL, &text_source, &text_shape,
    "{accession}", DSC_KEY_FIXED, .day = PUBLIC_DAY};

static const dsc_field_t exhibits_fields[] = {
    {"accession", DSC_FIELD_TEXT, 0, "t.accession", NULL, NULL, NULL, NULL,
     "Accession number of the filing."},
    {"ticker", DSC_FIELD_TEXT, DSC_NULLABLE, "i.ticker", NULL, NULL, NULL, NULL,
     "Ticker of the filer's primary listing."},
    {"exhibits_note", DSC_FIELD_TEXT, 0,
     "'Only exhibits of earnings releases (EX-99.1 and EX-99.2) are served.'", NULL, NULL, NULL,
     NULL, "What is covered."},
};

static const dsc_shape_t exhibits_shape = {"Exhibits", "Exhibits of a filing.", exhibits_fields,
                                           DSC_COUNT(exhibits_fields)};

static const dsc_source_t exhibits_source = {
    "filing t JOIN " DSC_ISSUER, PRIMARY_FILER, NULL, NULL, NULL, 0};

/* Exhibits before one take of what an answer may hold first. */
static const dsc_source_t filing_exhibits_source = {
    "filing_exhibit t JOIN " DSC_ISSUER
    " CROSS JOIN LATERAL (SELECT {value:text_start} AS first, greatest(0, {value:text_length} - ("
    "SELECT coalesce(sum(greatest(0, b.text_chars - {value:text_start})), 0) FROM filing_exhibit b"
    " WHERE b.accession = t.accession AND b.sequence < t.sequence"
    " AND {value:sequence} IS NULL AND {now:b})) AS most) w",
    "t.accession = {value:accession}"
    " AND ({value:sequence} IS NULL OR t.sequence = {value:sequence})",
    "t.sequence", "bigint", "t.id", 0};

static const dsc_child_t exhibits_children[] = {
    {"exhibits", &filing_exhibits_source, &exhibit_shape,
     "The exhibits, in the order of the submission."},
    {NULL},
};

static const dsc_parameter_t exhibits_parameters[] = {
    ACCESSION_PARAMETER,
    {"sequence", DSC_IN_QUERY, DSC_INTEGER, 0, NULL, {0, 0, 0, 0}, NULL, NULL, NULL,
     "Only the exhibit of this place in the submission."},
    TEXT_PARAMETERS,
    DSC_PARAMETER_AS_OF,
};

static const char *const exhibit_reads[] = {"filing", "exhibit", "company", "listing", NULL};

const dsc_endpoint_t dsc_endpoint_exhibits = {
    "list_exhibits", "GET", "/v1/filings/{accession}/exhibits", "Filings",
    "Earnings-release exhibits of a filing.", DSC_ANSWER_ITEM, 0, exhibits_parameters,
    DSC_COUNT(exhibits_parameters), &exhibits_source, &exhibits_shape, exhibit_reads, NULL,
    "There is no filing with the accession number \"%s\".", NULL, NULL, exhibits_children};
