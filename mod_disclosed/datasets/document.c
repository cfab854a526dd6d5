/* Investor-relations documents and their pages. */
#include "datasets/datasets.h"

static const char *const type_choices[] = {"slide_deck",      "press_release",
                                           "annual_report",   "quarterly_report",
                                           "shareholder_letter", "fact_sheet",
                                           "prospectus",      "sustainability_report",
                                           "other",           NULL};

static const dsc_column_t document_columns[] = {
    {"title", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "title, as published"},
    {"doc_type", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, type_choices, "kind of document"},
    {"language", DSC_COLUMN_TEXT, 0, NULL, "BCP 47 tag of its language, e.g. en"},
    {"published_at", DSC_COLUMN_DATETIME, DSC_COLUMN_REQUIRED, NULL, "when it was published, UTC"},
    {"period_end_date", DSC_COLUMN_DATE, 0, NULL, "last day of the period that it is about"},
    {"page_count", DSC_COLUMN_INTEGER, 0, NULL,
     "number of pages; may be left out where pages has them all"},
    {"text", DSC_COLUMN_TEXT, 0, NULL, "the whole document as plain text"},
    {"pages", DSC_COLUMN_JSON, 0, NULL,
     "array of {page_index, char_start, char_end, vision_caption}: page_index counts from 0, the "
     "range is of characters of text, end exclusive, vision_caption says what a picture shows"},
};

/* ---------------------------------------------------------------------- served */

#define DOCUMENT_FIELDS                                                                           \
    {"id", DSC_FIELD_INTEGER, 0, "t.id", NULL, NULL, NULL, NULL, "Number of the record."},        \
    {"ticker", DSC_FIELD_TEXT, DSC_NULLABLE, "i.ticker", NULL, NULL, NULL, NULL,                  \
     "Ticker of the issuer's primary listing; null when it has none."},                           \
    {"title", DSC_FIELD_TEXT, 0, "t.title", NULL, NULL, NULL, NULL, "Title, as published."},      \
    {"doc_type", DSC_FIELD_TEXT, 0, "t.doc_type", NULL, NULL, NULL, NULL,                         \
     "slide_deck, press_release, annual_report, quarterly_report, shareholder_letter, "           \
     "fact_sheet, prospectus, sustainability_report or other."},                                  \
    {"language", DSC_FIELD_TEXT, DSC_NULLABLE, "t.language", NULL, NULL, NULL, NULL,              \
     "BCP 47 tag, where it is known."},                                                           \
    {"published_at", DSC_FIELD_DATETIME, 0, "t.published_at", NULL, NULL, NULL, NULL,             \
     "When it was published, UTC."},                                                              \
    {"pages", DSC_FIELD_INTEGER, DSC_NULLABLE, "coalesce(t.page_count, nullif(t.page_records, 0))", \
     NULL, NULL, NULL, NULL, "Number of pages; null when it is not known."},                      \
    {"event_id", DSC_FIELD_INTEGER, DSC_NULLABLE, DSC_EVENT_ID, NULL, NULL, NULL, NULL,           \
     "Corporate event that it belongs to."},                                                      \
    {"doc_group", DSC_FIELD_TEXT, 0, "t.doc_type", NULL, NULL, NULL, NULL, "The same as doc_type."}, \
    {"provenance", DSC_FIELD_PROVENANCE, DSC_CITED, "t", NULL, NULL, "document", NULL,            \
     "Where it comes from."}

static const dsc_field_t document_fields[] = {DOCUMENT_FIELDS};

const dsc_shape_t dsc_shape_document = {"Document", "An investor-relations document.",
                                        document_fields, DSC_COUNT(document_fields)};

static const dsc_field_t detail_fields[] = {
    DOCUMENT_FIELDS,
    {"page_count", DSC_FIELD_INTEGER, 0, "t.page_records", NULL, NULL, NULL, NULL,
     "Page records that are served under /pages."},
};

static const dsc_shape_t detail_shape = {"DocumentDetail", "A document.", detail_fields,
                                         DSC_COUNT(detail_fields)};

static const dsc_source_t document_source = {
    "document t JOIN " DSC_ISSUER, NULL, "t.published_at", "timestamptz",
    "t.id", 0};

const dsc_dataset_t dsc_dataset_document = {
    "document", "document", "Investor-relations documents with their text and pages",
    document_columns, DSC_COUNT(document_columns), "published_at", NULL, &document_source,
    &dsc_shape_document};

static const dsc_parameter_t documents_parameters[] = {
    DSC_PARAMETER_SYMBOLS(NULL, "issuers"),
    {"doc_types", DSC_IN_QUERY, DSC_LITERAL, DSC_REPEATABLE | DSC_EACH, type_choices, {0, 0, 0, 0},
     NULL, "?", NULL, "Only documents of these kinds.", "t.doc_type"},
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("published_at"),
    DSC_PARAMETER_AS_OF_BY("t.published_at"),
};

static const char *const document_reads[] = {"document", "event", "company", "listing", NULL};

const dsc_endpoint_t dsc_endpoint_documents = {
    "list_documents", "GET", "/v1/documents", "Documents",
    "Investor-relations documents of all companies.", DSC_ANSWER_LIST, 0, documents_parameters,
    DSC_COUNT(documents_parameters), &document_source, &dsc_shape_document, document_reads};

/* ---------------------------------------------------------------------- one document */

static const char not_found[] = "There is no document with the id \"%s\".";

static const dsc_parameter_t document_parameters[] = {
    {"doc_id", DSC_IN_PATH, DSC_INTEGER, DSC_REQUIRED, NULL, {0, 0, 0, 0}, NULL, "t.id = ?", NULL,
     "The document's id."},
    DSC_PARAMETER_AS_OF,
};

const dsc_endpoint_t dsc_endpoint_document = {
    "get_document", "GET", "/v1/documents/{doc_id}", "Documents", "One document.", DSC_ANSWER_ITEM,
    0, document_parameters, DSC_COUNT(document_parameters), &document_source, &detail_shape,
    document_reads, NULL, not_found};

/* ----------------------------------------------------------------------------- pages */

static const dsc_field_t page_fields[] = {
    {"document_id", DSC_FIELD_INTEGER, 0, "t.id", NULL, NULL, NULL, NULL, "The document's id."},
    {"page_index", DSC_FIELD_INTEGER, 0, "p.page_index", NULL, NULL, NULL, NULL,
     "Place in the document, from 0."},
    {"char_start", DSC_FIELD_INTEGER, DSC_NULLABLE, "p.char_start", NULL, NULL, NULL, NULL,
     "First character in the document's text; null for a page without text."},
    {"char_end", DSC_FIELD_INTEGER, DSC_NULLABLE, "p.char_end", NULL, NULL, NULL, NULL,
     "Behind the last character."},
    {"vision_caption", DSC_FIELD_TEXT, DSC_NULLABLE, "p.vision_caption", NULL, NULL, NULL, NULL,
     "What the page shows, where its pictures were described."},
};

static const dsc_shape_t page_shape = {"DocumentPage", "A page of a document.", page_fields,
                                       DSC_COUNT(page_fields)};

static const dsc_source_t page_source = {
    "document t CROSS JOIN LATERAL jsonb_to_recordset(t.pages) AS p(page_index bigint,"
    " char_start bigint, char_end bigint, vision_caption text)",
    NULL, "p.page_index", "bigint", "p.page_index", 0};

static const dsc_parameter_t pages_parameters[] = {
    {"doc_id", DSC_IN_PATH, DSC_INTEGER, DSC_REQUIRED, NULL, {0, 0, 0, 0}, NULL, "t.id = ?", NULL,
     "The document's id."},
    {"page", DSC_IN_QUERY, DSC_INTEGER, 0, NULL, {1, 0, 0, 0}, NULL, "p.page_index = ?", NULL,
     "Only the page with this index, from 0; a document without it has an empty list."},
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    {"direction", DSC_IN_QUERY, DSC_LITERAL, 0, dsc_direction_choices, {0, 0, 0, 0}, "asc", NULL,
     NULL, "Order of the rows, the first page first by default, by page_index."},
    DSC_PARAMETER_AS_OF,
};

static const dsc_field_t parent_fields[] = {
    {"document_id", DSC_FIELD_INTEGER, 0, "d.id", NULL, NULL, NULL, NULL, "The document's id."},
};

static const dsc_shape_t parent_shape = {"DocumentReference", "The document of the pages.",
                                         parent_fields, DSC_COUNT(parent_fields)};

static const dsc_parent_t page_parent = {"doc_id", "document d WHERE {now:d} AND d.id = ?",
                                         &parent_shape};

static const char *const page_reads[] = {"document", NULL};

const dsc_endpoint_t dsc_endpoint_document_pages = {
    "list_document_pages", "GET", "/v1/documents/{doc_id}/pages", "Documents",
    "Pages of a document.", DSC_ANSWER_LIST, 0, pages_parameters, DSC_COUNT(pages_parameters),
    &page_source, &page_shape, page_reads, NULL, not_found, NULL, &page_parent};
