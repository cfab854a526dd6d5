/* Filings, their earnings-release exhibits, and the text and sections of their main documents. */
#include "datasets/datasets.h"

/* ---------------------------------------------------------------------- served */

/* Characters of text in one response, whatever is asked for: what bounds its memory. */
#define MOST_TEXT "1000000"

#define TEXT_PARAMETERS                                                                                               \
    QUERY(INTEGER, "text_start",                                                                                      \
          "Offset in characters, from 0, at which each returned text begins: text_next of the response before, to continue a text.", \
          BETWEEN(0, 1000000000), .default_text = "0"),                                                               \
    QUERY(INTEGER, "text_length",                                                                                     \
          "Most characters of text to return, over all texts of the response.", BETWEEN(1, 1000000),                  \
          .default_text = MOST_TEXT)

#define FILING_FIELDS                                                                                                 \
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),                                      \
    TEXT("ticker", "i.ticker", "Ticker of the filer's primary listing; null if it has none.", NULLABLE),              \
    TEXT("form", "t.form", "Form type, as filed."),                                                                   \
    TEXT("accession", "t.accession", "EDGAR accession number."),                                                      \
    DATE("filed_on", "t.filed_on", "Filing date."),                                                                   \
    DATETIME("filed_at", "t.accepted_at",                                                                             \
             "Time of filing, UTC, which is its acceptance time; null if no source states a time.", NULLABLE),        \
    DATETIME("accepted_at", "t.accepted_at", "Acceptance time at EDGAR, UTC; null if no source states a time.", NULLABLE), \
    DATE("period_of_report", "t.period_of_report", "Conformed period of report; null if the filing has none.", NULLABLE), \
    TEXT("title", "t.title", "Description of the primary document, as filed; null if there is none.", NULLABLE),      \
    JSON("items", "t.items",                                                                          \
         "Items as EDGAR lists them: item numbers for Form 8-K, and for other forms the text in their place; null if there are none.", \
         .flags = DSC_NULLABLE | DSC_ARRAY),                                                                          \
    TEXT("source_url", DSC_FILING_URL("t.primary_document"), "URL of the primary document at the source; null if unknown.", NULLABLE), \
    INTEGER("event_id", DSC_EVENT_ID, "ID of the corporate event that it belongs to; null if there is none.", NULLABLE), \
    TEXT("doc_group", "'filing'", "Always filing."),                                                                  \
    PROVENANCE("filing", "Source of the record.", .filer = "i.cik")

const dsc_shape_t dsc_shape_filing = SHAPE("Filing", "A filing with the SEC.",
    FILING_FIELDS);

static const dsc_shape_t section_shape = SHAPE("FilingSection", "A section of the filing's main document.",
    MEMBER(TEXT, "key", "Key of the section, e.g. item_1a, part2_item_1."),
    MEMBER(TEXT, "title", "Heading of the section, as filed."),
    MEMBER(INTEGER, "char_start", "Offset of the section's first character in the text of the main document, from 0."),
    MEMBER(INTEGER, "char_end", "Offset just after the section's last character."),
    MEMBER(TEXT, "text", "Text of the section from text_start on; only if section_text names the section.",
           .flags = DSC_OPTIONAL),
    MEMBER(INTEGER, "text_start", "Offset in the section at which text begins, in characters from 0; only with text.",
           .flags = DSC_OPTIONAL),
    MEMBER(INTEGER, "text_next", "text_start for the next part; null at the end of the section; only with text.",
           .flags = DSC_OPTIONAL | DSC_NULLABLE));

static const dsc_shape_t detail_shape = SHAPE("FilingDetail", "A filing with its sections.",
    FILING_FIELDS,
    JSON("sections", "coalesce(x.sections, '[]')", "Sections of the main document; empty if its text is not stored.",
         .flags = DSC_ARRAY, .shape = &section_shape),
    BOOLEAN("sections_available", "x.sections IS NOT NULL", "Whether the text of the main document is stored."));

const dsc_source_t dsc_source_filing = ROWS("filing t JOIN " DSC_ISSUER, "t.filed_on", "date");

const dsc_dataset_t dsc_dataset_filing = {
    DATASET("filing", "filing", "Filings with the SEC"),
    .keeps = "named_document header_date",
    COLUMNS(
        REQUIRED(TEXT, "form", "form type as filed, e.g. 10-K/A"),
        REQUIRED(DATE, "filed_on", "filing date"),
        FORWARD_FILLED(DATETIME, "accepted_at", "acceptance time at EDGAR, UTC"),
        FORWARD_FILLED(DATE, "period_of_report", "conformed period of report"),
        FORWARD_FILLED(TEXT, "title", "description of the primary document, as filed"),
        FORWARD_FILLED(TEXTS, "items", "item numbers of Form 8-K, e.g. 2.02"),
        FORWARD_FILLED(TEXT, "primary_document", "file name of the primary document"),
        FORWARD_FILLED(TEXT, "file_number", "SEC file number"),
        COLUMN(INTEGER, "size_bytes", "size of the submission in bytes; the largest one, if files state different sizes",
               .flags = DSC_COLUMN_FORWARD_FILLED | DSC_COLUMN_NOT_COMPARED | DSC_COLUMN_LARGEST)),
    .key_form = "{accession}",
    .flags = DSC_KEY_FIXED | DSC_OF_FILINGS | DSC_LAST_COUNTS | DSC_WRITTEN_BY_DAY,
    .document = "primary_document",
    .date_column = "filed_on",
    .reconcile = "reconcile_filings",
    .announce = "announce_filings(ARRAY(SELECT DISTINCT accession FROM disclosed.filing"
                " WHERE recorded_at = now() AND superseded_at IS NULL))",
    .listed = "t.is_primary",
    .unlisted = "t.is_shared AND NOT t.is_primary",
    .noted = "form",
    .follows = FOLLOWS({"listing", "follow_listings_filings"}),
    SHOWN(dsc_source_filing, dsc_shape_filing),
};

static const dsc_shape_t delivered_shape = SHAPE("DeliveredFiling", "A filing, as webhooks deliver it.",
    FILING_FIELDS,
    DSC_DELIVERED_FIELDS("/v1/filings/", "t.accession"));

static const dsc_shape_t delivery_shape = SHAPE("FilingDelivery", "Body of a filing.created delivery.",
    DSC_DELIVERY_FIELDS(delivered_shape));

const dsc_topic_t dsc_topic_filing = {
    DSC_TOPIC_FILING, "A new filing was indexed for a covered issuer.", &delivery_shape,
    DSC_DELIVERY_FROM ", filing t JOIN " DSC_ISSUER "{source:t}" DSC_DELIVERY_WHERE
    "t.accession = v.subject AND t.is_primary"};

/* Whose row is shown of a filing. */
#define PRIMARY_THEN  "t.issuer_id = primary_filer(t.accession, {value:as_of})"
#define PRIMARY_FILER "{present:t.is_primary}{past:" PRIMARY_THEN "}"

const dsc_endpoint_t dsc_endpoint_filings = {
    GET("list_filings", "/v1/filings"),
    ABOUT("Filings", "Filings of all companies."),
    LIST(dsc_source_filing, dsc_shape_filing),
    PARAMETERS(
        DSC_PARAMETER_SYMBOLS_OR("filers", "{present:t.is_primary}{past:(t.is_primary OR t.is_shared)" " AND (NOT t.is_shared OR " PRIMARY_THEN ")}"),
        QUERY(STRING, "forms", "Only these form types, exactly as filed: 10-K does not match 10-K/A.",
              .flags = DSC_REPEATABLE | DSC_EACH, .predicate = "?", .column = "t.form"),
        QUERY(DATE, "start_date", "Earliest filing date, inclusive.", .predicate = "t.filed_on >= ?"),
        QUERY(DATE, "end_date", "Latest filing date, inclusive.", .predicate = "t.filed_on <= ?"),
        QUERY(DATETIME, "updated_after",
              "Only filings that this service has received after this time. What is compared is the start of the load, not a time stated by EDGAR. "
              "A filing can be read when its load has ended, so a client that polls must go back by more than the longest load takes, or read "
              "/v1/changes instead.",
              .flags = DSC_PLAN_EACH_TIME, .predicate = "t.recorded_at > ?"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("filed_on"),
        DSC_PARAMETER_AS_OF_BY("t.filed_on")),
};

static const dsc_source_t filing_detail_source =
    ROW("filing t JOIN " DSC_ISSUER " LEFT JOIN LATERAL (SELECT sections_with_text(f.sections, f.text,"
        " {value:section_text}, {value:text_start}, {value:text_length}) AS sections FROM filing_text f WHERE f.accession = t.accession"
        " AND {now:f} ORDER BY f.issuer_id = t.issuer_id DESC LIMIT 1) x ON true", .where = PRIMARY_FILER);

const dsc_endpoint_t dsc_endpoint_filing = {
    GET("get_filing", "/v1/filings/{accession}"),
    ABOUT("Filings", "One filing with its sections."),
    ITEM(filing_detail_source, detail_shape),
    PARAMETERS(
        DSC_PARAMETER_ACCESSION,
        QUERY(STRING, "section_text", "Keys of the sections whose text is returned as well.", .flags = DSC_REPEATABLE),
        TEXT_PARAMETERS,
        DSC_PARAMETER_AS_OF),
    .not_found = "There is no filing with the accession number \"%s\".",
};

/* -------------------------------------------------------------------- exhibits */
static const dsc_shape_t exhibit_shape = SHAPE("Exhibit", "An exhibit of an earnings release.",
    TEXT("accession", "t.accession", "Accession number of the filing."),
    TEXT("ticker", "i.ticker", "Ticker of the filer's primary listing; null if it has none.", NULLABLE),
    TEXT("exhibit_type", "t.exhibit_type", "Type of the exhibit, as filed, e.g. EX-99.1."),
    DATETIME("published_at", "t.published_at",
             "Acceptance time of the filing at EDGAR, UTC; null if no source states a time.", NULLABLE),
    TEXT("source_url", DSC_FILING_URL("t.file_name"), "URL of the exhibit at the source; null if unknown.", NULLABLE),
    INTEGER("sequence", "t.sequence", "Sequence number in the submission."),
    TEXT("text", "substr(t.text, (w.first + 1)::integer, w.most::integer)",
         "The exhibit as plain text, from text_start on."),
    INTEGER("text_start", "w.first", "Offset in the exhibit at which text begins, in characters from 0."),
    INTEGER("text_next", "CASE WHEN w.first + w.most < t.text_chars THEN w.first + w.most END",
            "text_start for the next part; null at the end of the text.", NULLABLE),
    INTEGER("text_chars", "t.text_chars", "Length of the whole text in characters."),
    PROVENANCE("exhibit", "Source of the record.", .filer = "i.cik"));

static const dsc_source_t exhibit_source =
    ROWS("filing_exhibit t JOIN " DSC_ISSUER " CROSS JOIN (VALUES (0::bigint, " MOST_TEXT
         "::bigint)) AS w(first, most)", "t.known_at", "timestamptz");

/* Texts without a stated time count by the day in New York on which they were public. */
#define PUBLIC_DAY "(t.known_at AT TIME ZONE 'America/New_York')::date"

const dsc_dataset_t dsc_dataset_exhibit = {
    DATASET("exhibit", "filing_exhibit", "Exhibits 99.1 and 99.2 of earnings releases, as text"),
    COLUMNS(
        REQUIRED(TEXT, "exhibit_type", "EX-99.1 or EX-99.2"),
        KEY(INTEGER, "sequence", "sequence number in the submission"),
        COLUMN(TEXT, "file_name", "name of the file in the submission"),
        COLUMN(TEXT, "title", "description, as filed"),
        COLUMN(DATETIME, "published_at", "acceptance time, UTC"),
        REQUIRED(TEXT, "text", "the exhibit as plain text")),
    .key_form = "{accession}/{sequence}",
    .flags = DSC_KEY_FIXED | DSC_OF_FILINGS | DSC_LAST_COUNTS,
    .of_filing = DSC_BY_ACCESSION,
    .document = "file_name",
    .date_column = "published_at",
    .day = PUBLIC_DAY,
    .keeps = DSC_CHUNKS,
    .reconcile = "cut_exhibits",
    .follows = FOLLOWS({"filing", "cut_exhibits_of_filings"}),
    SHOWN(exhibit_source, exhibit_shape),
};

static const dsc_shape_t text_shape = SHAPE("FilingText", "The text of a filing's main document.",
    TEXT("accession", "t.accession", "Accession number of the filing."),
    TEXT("form", "t.form", "Form type, as filed."),
    DATETIME("published_at", "t.published_at",
             "Acceptance time of the filing at EDGAR, UTC; null if no source states a time.", NULLABLE),
    PROVENANCE("filing_text", "Source of the record."));

static const dsc_source_t text_source = ROWS("filing_text t", "t.known_at", "timestamptz");

const dsc_dataset_t dsc_dataset_filing_text = {
    DATASET("filing_text", "filing_text", "Main documents of 10-K, 10-Q and 8-K filings as text"),
    COLUMNS(
        REQUIRED(TEXT, "form", "form type, as filed"),
        COLUMN(DATETIME, "published_at", "acceptance time, UTC"),
        REQUIRED(TEXT, "text", "the main document as plain text"),
        REQUIRED(JSON, "sections", "array of {key, title, char_start, char_end}: offsets in characters, end exclusive")),
    .key_form = "{accession}",
    .flags = DSC_KEY_FIXED | DSC_OF_FILINGS | DSC_LAST_COUNTS,
    .of_filing = DSC_BY_ACCESSION,
    .date_column = "published_at",
    .day = PUBLIC_DAY,
    .keeps = DSC_CHUNKS,
    .reconcile = "cut_filing_texts",
    .follows = FOLLOWS({"filing", "date_filing_texts"}),
    SHOWN(text_source, text_shape),
};

static const dsc_shape_t exhibits_shape = SHAPE("Exhibits", "Exhibits of a filing.",
    TEXT("accession", "t.accession", "Accession number of the filing."),
    TEXT("ticker", "i.ticker", "Ticker of the filer's primary listing; null if it has none.", NULLABLE),
    TEXT("exhibits_note", "'Only exhibits of earnings releases (EX-99.1 and EX-99.2) are served.'",
         "Which exhibits are served."));

static const dsc_source_t exhibits_source = ROW("filing t JOIN " DSC_ISSUER, .where = PRIMARY_FILER);

/* Exhibits before one take of what a response may hold first. */
static const dsc_source_t filing_exhibits_source =
    ROWS("filing_exhibit t JOIN " DSC_ISSUER
         " CROSS JOIN LATERAL (SELECT {value:text_start} AS first, greatest(0, {value:text_length} - ("
         "SELECT coalesce(sum(greatest(0, b.text_chars - {value:text_start})), 0) FROM filing_exhibit b"
         " WHERE b.accession = t.accession AND b.sequence < t.sequence"
         " AND {value:sequence} IS NULL AND {now:b})) AS most) w", "t.sequence", "bigint",
         .where = "t.accession = {value:accession}"
         " AND ({value:sequence} IS NULL OR t.sequence = {value:sequence})");

const dsc_endpoint_t dsc_endpoint_exhibits = {
    GET("list_exhibits", "/v1/filings/{accession}/exhibits"),
    ABOUT("Filings", "Earnings-release exhibits of a filing."),
    ITEM(exhibits_source, exhibits_shape),
    PARAMETERS(
        DSC_PARAMETER_ACCESSION,
        QUERY(INTEGER, "sequence", "Only the exhibit with this sequence number."),
        TEXT_PARAMETERS,
        DSC_PARAMETER_AS_OF),
    .children = CHILDREN({"exhibits", &filing_exhibits_source, &exhibit_shape,
                         "The exhibits, in the order of the submission."}),
    .rows = "exhibits",
    .not_found = "There is no filing with the accession number \"%s\".",
};
