/* Investor-relations documents and their pages. */
#include "datasets/datasets.h"

CHOICES(type_choices, "slide_deck", "press_release", "annual_report", "quarterly_report", "shareholder_letter",
        "fact_sheet", "prospectus", "sustainability_report", "other");

/* ---------------------------------------------------------------------- served */

#define DOCUMENT_FIELDS                                                                                               \
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),                                      \
    TEXT("ticker", "i.ticker", "Ticker of the issuer's primary listing; null if it has none.", NULLABLE),             \
    TEXT("title", "t.title", "Title, as published."),                                                                 \
    TEXT("doc_type", "t.doc_type",                                                                                    \
         "Kind of document: slide_deck, press_release, annual_report, quarterly_report, shareholder_letter, fact_sheet, prospectus, " \
         "sustainability_report or other."),                                                                          \
    TEXT("language", "t.language", "Language, as a BCP 47 tag; null if unknown.", NULLABLE),                          \
    DATETIME("published_at", "t.published_at", "Time of publication, UTC."),                                          \
    INTEGER("pages", "coalesce(t.page_count, nullif(t.page_records, 0))",                                             \
            "Number of pages; null if unknown.", NULLABLE),                                                           \
    INTEGER("event_id", DSC_EVENT_ID, "ID of the corporate event that it belongs to; null if there is none.", NULLABLE), \
    TEXT("doc_group", "t.doc_type", "The same as doc_type."),                                                         \
    PROVENANCE("document", "Source of the record.", .flags = DSC_CITED)

const dsc_shape_t dsc_shape_document = SHAPE("Document", "An investor-relations document.",
    DOCUMENT_FIELDS);

static const dsc_shape_t detail_shape = SHAPE("DocumentDetail", "An investor-relations document and the number of its page records.",
    DOCUMENT_FIELDS,
    INTEGER("page_count", "t.page_records", "Number of page records under /v1/documents/{doc_id}/pages."));

const dsc_source_t dsc_source_document = ROWS("document t JOIN " DSC_ISSUER, "t.published_at", "timestamptz");

const dsc_dataset_t dsc_dataset_document = {
    DATASET("document", "document", "Investor-relations documents with their text and pages"),
    COLUMNS(
        REQUIRED(TEXT, "title", "title, as published"),
        REQUIRED(TEXT, "doc_type", "kind of document", .choices = type_choices),
        COLUMN(TEXT, "language", "BCP 47 tag of its language, e.g. en"),
        REQUIRED(DATETIME, "published_at", "time of publication, UTC"),
        COLUMN(DATE, "period_end_date", "last day of the period that it covers"),
        COLUMN(INTEGER, "page_count", "number of pages; may be left out if `pages` has all of them"),
        COLUMN(TEXT, "text", "the whole document as plain text"),
        COLUMN(JSON, "pages",
               "array of {page_index, char_start, char_end, vision_caption}: page_index counts from 0; char_start and char_end are offsets in "
               "characters of text, end exclusive; vision_caption describes what a picture shows")),
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
        PATH(INTEGER, "doc_id", "Document ID.", .predicate = "t.id = ?"),
        DSC_PARAMETER_AS_OF),
    .not_found = not_found,
};

/* ----------------------------------------------------------------------------- pages */
static const dsc_shape_t page_shape = SHAPE("DocumentPage", "A page of a document.",
    INTEGER("document_id", "t.id", "Document ID."),
    INTEGER("page_index", "p.page_index", "Index of the page in the document, from 0."),
    INTEGER("char_start", "p.char_start", "Offset of the page's first character in the document's text, in characters from 0; null for a page "
                                          "without text.",
            NULLABLE),
    INTEGER("char_end", "p.char_end", "Offset just after the page's last character; null for a page without text.", NULLABLE),
    TEXT("vision_caption", "p.vision_caption", "Description of what the page shows; null if its pictures were not described.", NULLABLE));

static const dsc_source_t page_source = {
    .from =
        "document t CROSS JOIN LATERAL jsonb_to_recordset(t.pages) AS p(page_index bigint,"
        " char_start bigint, char_end bigint, vision_caption text)",
    .order = "p.page_index",
    .order_type = "bigint",
    .tie = "p.page_index",
};

static const dsc_shape_t parent_shape = SHAPE("DocumentReference", "The document that the pages belong to.",
    INTEGER("document_id", "d.id", "Document ID."));

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
        PATH(INTEGER, "doc_id", "Document ID.", .predicate = "t.id = ?"),
        QUERY(INTEGER, "page", "Only the page with this index, from 0; the list is empty if the document has no such page.",
              AT_LEAST(0), .predicate = "p.page_index = ?"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        QUERY(LITERAL, "direction", "Sort direction, the first page first by default, by page_index.",
              .choices = dsc_direction_choices, .default_text = "asc"),
        DSC_PARAMETER_AS_OF),
    .parent = &page_parent,
    .not_found = not_found,
};
