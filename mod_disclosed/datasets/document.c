/* Investor-relations documents and their pages. */
#include "datasets/datasets.h"

CHOICES(type_choices, "slide_deck", "press_release", "annual_report", "quarterly_report", "shareholder_letter",
        "fact_sheet", "prospectus", "sustainability_report", "other");

/* ---------------------------------------------------------------------- served */

#define DOCUMENT_FIELDS                                                                                               \
    INTEGER("id", "t.id", "Number of the record."),                                                                   \
    TEXT("ticker", "i.ticker", "Ticker of the issuer's primary listing; null when it has none.", NULLABLE),           \
    TEXT("title", "t.title", "Title, as published."),                                                                 \
    TEXT("doc_type", "t.doc_type",                                                                                    \
         "slide_deck, press_release, annual_report, quarterly_report, shareholder_letter, "                           \
         "fact_sheet, prospectus, sustainability_report or other."),                                                  \
    TEXT("language", "t.language", "BCP 47 tag, where it is known.", NULLABLE),                                       \
    DATETIME("published_at", "t.published_at", "When it was published, UTC."),                                        \
    INTEGER("pages", "coalesce(t.page_count, nullif(t.page_records, 0))",                                             \
            "Number of pages; null when it is not known.", NULLABLE),                                                 \
    INTEGER("event_id", DSC_EVENT_ID, "Corporate event that it belongs to.", NULLABLE),                               \
    TEXT("doc_group", "t.doc_type", "The same as doc_type."),                                                         \
    PROVENANCE("document", "Where it comes from.", .flags = DSC_CITED)

const dsc_shape_t dsc_shape_document = SHAPE("Document", "An investor-relations document.",
    DOCUMENT_FIELDS);

static const dsc_shape_t detail_shape = SHAPE("DocumentDetail", "A document.",
    DOCUMENT_FIELDS,
    INTEGER("page_count", "t.page_records", "Page records that are served under /pages."));

const dsc_source_t dsc_source_document = ROWS("document t JOIN " DSC_ISSUER, "t.published_at", "timestamptz");

const dsc_dataset_t dsc_dataset_document = {
    DATASET("document", "document", "Investor-relations documents with their text and pages"),
    COLUMNS(
        REQUIRED(TEXT, "title", "title, as published"),
        REQUIRED(TEXT, "doc_type", "kind of document", .choices = type_choices),
        COLUMN(TEXT, "language", "BCP 47 tag of its language, e.g. en"),
        REQUIRED(DATETIME, "published_at", "when it was published, UTC"),
        COLUMN(DATE, "period_end_date", "last day of the period that it is about"),
        COLUMN(INTEGER, "page_count", "number of pages; may be left out where pages has them all"),
        COLUMN(TEXT, "text", "the whole document as plain text"),
        COLUMN(JSON, "pages",
               "array of {page_index, char_start, char_end, vision_caption}: page_index counts from 0, the "
               "range is of characters of text, end exclusive, vision_caption says what a picture shows")),
    .flags = DSC_LAST_COUNTS,
    .date_column = "published_at",
    .keeps = DSC_CHUNKS,
    .reconcile = "cut_documents",
    SHOWN(dsc_source_document, dsc_shape_document),
};

const dsc_endpoint_t dsc_endpoint_documents = {
    GET("list_documents", "/v1/documents"),
    ABOUT("Documents", "Investor-relations documents of all companies."),
    LIST(dsc_source_document, dsc_shape_document),
    PARAMETERS(
        DSC_PARAMETER_SYMBOLS("issuers"),
        QUERY(LITERAL, "doc_types", "Only documents of these kinds.", .flags = DSC_REPEATABLE | DSC_EACH,
              .choices = type_choices, .predicate = "?", .column = "t.doc_type"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("published_at"),
        DSC_PARAMETER_AS_OF_BY("t.published_at")),
};

/* ---------------------------------------------------------------------- one document */

static const char not_found[] = "There is no document with the id \"%s\".";

const dsc_endpoint_t dsc_endpoint_document = {
    GET("get_document", "/v1/documents/{doc_id}"),
    ABOUT("Documents", "One document."),
    ITEM(dsc_source_document, detail_shape),
    PARAMETERS(
        PATH(INTEGER, "doc_id", "The document's id.", .predicate = "t.id = ?"),
        DSC_PARAMETER_AS_OF),
    .not_found = not_found,
};

/* ----------------------------------------------------------------------------- pages */
static const dsc_shape_t page_shape = SHAPE("DocumentPage", "A page of a document.",
    INTEGER("document_id", "t.id", "The document's id."),
    INTEGER("page_index", "p.page_index", "Place in the document, from 0."),
    INTEGER("char_start", "p.char_start", "First character in the document's text; null for a page without text.",
            NULLABLE),
    INTEGER("char_end", "p.char_end", "Behind the last character.", NULLABLE),
    TEXT("vision_caption", "p.vision_caption", "What the page shows, where its pictures were described.", NULLABLE));

static const dsc_source_t page_source = {
    .from =
        "document t CROSS JOIN LATERAL jsonb_to_recordset(t.pages) AS p(page_index bigint,"
        " char_start bigint, char_end bigint, vision_caption text)",
    .order = "p.page_index",
    .order_type = "bigint",
    .tie = "p.page_index",
};

static const dsc_shape_t parent_shape = SHAPE("DocumentReference", "The document of the pages.",
    INTEGER("document_id", "d.id", "The document's id."));

static const dsc_parent_t page_parent = {
    .parameter = "doc_id",
    .from = "document d WHERE {now:d} AND d.id = ?",
    .shape = &parent_shape,
};

const dsc_endpoint_t dsc_endpoint_document_pages = {
    GET("list_document_pages", "/v1/documents/{doc_id}/pages"),
    ABOUT("Documents", "Pages of a document."),
    LIST(page_source, page_shape),
    PARAMETERS(
        PATH(INTEGER, "doc_id", "The document's id.", .predicate = "t.id = ?"),
        QUERY(INTEGER, "page", "Only the page with this index, from 0; a document without it has an empty list.",
              AT_LEAST(0), .predicate = "p.page_index = ?"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        QUERY(LITERAL, "direction", "Order of the rows, the first page first by default, by page_index.",
              .choices = dsc_direction_choices, .default_text = "asc"),
        DSC_PARAMETER_AS_OF),
    .parent = &page_parent,
    .not_found = not_found,
};
