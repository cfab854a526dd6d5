#include "sources/sec_ownership/ownership_footnote.h"
#include "sources/shared/ownership_xml.h"

#include "engine/shape.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    REMARK_IDS = 10
};

typedef struct {
    const char *id, *text;
    int is_referred_to;
    const void *quoted_in; /* the last quote that it went into */
} text_t;

struct dsc_footnotes_t {
    apr_pool_t *pool;
    apr_array_header_t *texts;          /* text_t, in the order of the document */
    apr_hash_t *by_id;                  /* text_t */
    const char *twice;                  /* an id that two texts have; NULL: none */
    const char *marked_up;              /* that of a text with elements in it; NULL: none has */
    apr_array_header_t *before, *after; /* mark_t outside of the rows */
    apr_array_header_t *unreferenced;   /* mark_t: texts */
    apr_array_header_t *textless;       /* mark_t: references */
    size_t stored;
};

/* What the API calls an element's value in a transaction and in a holding; NULL: by its own
 * name. */
static const struct {
    const char *element, *transaction, *holding;
} served[] = {
    {"securityTitle", "security_title", "security_title"},
    {"transactionDate", "transaction_date", NULL},
    {"transactionCoding", "transaction_code", NULL},
    {"transactionCode", "transaction_code", NULL},
    {"transactionShares", "shares", NULL},
    {"transactionTotalValue", "value", NULL},
    {"transactionPricePerShare", "price", NULL},
    {"transactionAcquiredDisposedCode", "acquired_disposed", NULL},
    {"sharesOwnedFollowingTransaction", "shares_owned_after", "shares_owned"},
    {"directOrIndirectOwnership", "ownership", "ownership"},
};

/* What stands for more than one value. */
static const char *const wholes[] = {"ownershipDocument", "nonDerivativeTable", "derivativeTable",
                                     "remarks", "footnotes"};

static int is_named(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp(dsc_owned_local_name(node), name) == 0;
}

static int is_whole(const xmlNode *element, const xmlNode *row)
{
    for (int i = 0; i < DSC_COUNT(wholes); i++) {
        if (is_named(element, wholes[i])) {
            return 1;
        }
    }
    return element == row;
}

const char *dsc_footnote_field(const char *element, int is_holding)
{
    for (int i = 0; i < DSC_COUNT(served); i++) {
        const char *name = is_holding ? served[i].holding : served[i].transaction;

        if (name && strcmp(element, served[i].element) == 0) {
            return name;
        }
    }
    return element;
}

/* What a reference stands on, by the API's name or its own; NULL: a row or the report as a
 * whole. */
static const char *field_of(const xmlNode *reference, const xmlNode *row, int is_holding)
{
    const xmlNode *element = reference->parent;

    if (is_named(element, "value")) {
        element = element->parent;
    }
    if (is_whole(element, row)) {
        return NULL;
    }
    return row ? dsc_footnote_field(dsc_owned_local_name(element), is_holding)
               : dsc_owned_local_name(element);
}

static const char *id_of(apr_pool_t *pool, xmlNode *element)
{
    xmlChar *id = xmlGetNoNsProp(element, (const xmlChar *)"id");
    const char *copy = apr_pstrdup(pool, (const char *)id);

    xmlFree(id);
    return copy && *copy ? copy : NULL;
}

/* The next node in the order of the document within `top`, below `node` or behind it. */
static xmlNode *next_node(const xmlNode *node, const xmlNode *top, int below)
{
    if (below && node->type == XML_ELEMENT_NODE && node->children) {
        return node->children;
    }
    while (node != top && !node->next) {
        node = node->parent;
    }
    return node == top ? NULL : node->next;
}

/* -------------------------------------------------------------------- order */

/* Footnotes of one element stand by the numbers of their ids (F2 before F10): their elements may be
 * in any order. */
typedef struct {
    const char *id;
    int position; /* in the document */
    const void *node;
} mark_t;

int dsc_footnote_compare(const char *one, const char *two)
{
    long a = one && *one == 'F' ? strtol(one + 1, NULL, 10) : 0;
    long b = two && *two == 'F' ? strtol(two + 1, NULL, 10) : 0;

    if (!one || !two) {
        return !one - !two;
    }
    if (a != b) {
        return (a > b) - (a < b);
    }
    return strcmp(one, two);
}

static int compare_marks(const void *one, const void *two)
{
    const mark_t *a = one, *b = two;
    int order = dsc_footnote_compare(a->id, b->id);

    return order ? order : (a->position > b->position) - (a->position < b->position);
}

static void sort_marks(apr_array_header_t *marks)
{
    if (marks->nelts > 1) {
        qsort(marks->elts, (size_t)marks->nelts, sizeof(mark_t), compare_marks);
    }
}

/* The references that stand on an element itself, as mark_t. */
static apr_array_header_t *marks_of(dsc_footnotes_t *notes, xmlNode *element)
{
    apr_array_header_t *marks = apr_array_make(notes->pool, 2, sizeof(mark_t));

    for (xmlNode *node = dsc_owned_next(element, NULL, "footnoteId"); node;
         node = dsc_owned_next(element, node, "footnoteId")) {
        APR_ARRAY_PUSH(marks, mark_t) = (mark_t){id_of(notes->pool, node), marks->nelts, node};
    }
    sort_marks(marks);
    return marks;
}

/* Whether an element's references are come upon for the first time. */
static int is_first(dsc_footnotes_t *notes, xmlNode *element)
{
    int first = element && element->_private != notes;

    if (first) {
        element->_private = notes;
    }
    return first;
}

/* -------------------------------------------------------------------- reading */

static void read_texts(dsc_footnotes_t *notes, xmlNode *root)
{
    for (xmlNode *list = dsc_owned_next(root, NULL, "footnotes"); list;
         list = dsc_owned_next(root, list, "footnotes")) {
        for (xmlNode *element = dsc_owned_next(list, NULL, "footnote"); element;
             element = dsc_owned_next(list, element, "footnote")) {
            text_t *text = apr_array_push(notes->texts);

            text->id = id_of(notes->pool, element);
            text->text = dsc_owned_text(notes->pool, element);
            if (dsc_owned_next(element, NULL, NULL)) {
                notes->marked_up = text->id ? text->id : "";
            }
        }
    }
    for (int i = notes->texts->nelts - 1; i >= 0; i--) {
        text_t *text = &APR_ARRAY_IDX(notes->texts, i, text_t);

        if (text->id) {
            notes->twice =
                apr_hash_get(notes->by_id, text->id, APR_HASH_KEY_STRING) ? text->id : notes->twice;
            apr_hash_set(notes->by_id, text->id, APR_HASH_KEY_STRING, text);
        }
    }
}

static void note_reference(dsc_footnotes_t *notes, xmlNode *reference)
{
    const char *id = id_of(notes->pool, reference);
    text_t *text = id ? apr_hash_get(notes->by_id, id, APR_HASH_KEY_STRING) : NULL;

    if (text) {
        text->is_referred_to = 1;
    }
    if (!text || !text->text) {
        APR_ARRAY_PUSH(notes->textless, mark_t) = (mark_t){id, notes->textless->nelts, reference};
    }
}

dsc_footnotes_t *dsc_footnotes_read(apr_pool_t *pool, xmlNode *root,
                                    int (*is_row)(const xmlNode *table, const xmlNode *element))
{
    dsc_footnotes_t *notes = apr_pcalloc(pool, sizeof *notes);
    const xmlNode *row = NULL; /* the last one begun */
    xmlNode *node = root;

    notes->pool = pool;
    notes->texts = apr_array_make(pool, 8, sizeof(text_t));
    notes->by_id = apr_hash_make(pool);
    notes->before = apr_array_make(pool, 1, sizeof(mark_t));
    notes->after = apr_array_make(pool, 1, sizeof(mark_t));
    notes->unreferenced = apr_array_make(pool, 1, sizeof(mark_t));
    notes->textless = apr_array_make(pool, 1, sizeof(mark_t));
    read_texts(notes, root);
    for (const xmlNode *end = NULL; node; node = next_node(node, root, 1)) {
        if (node == end) {
            end = NULL;
        }
        if (!end && node->parent && is_row(node->parent, node)) {
            row = node;
            end = next_node(node, root, 0);
            end = end ? end : root;
        }
        if (is_named(node, "footnoteId")) {
            note_reference(notes, node);
            if (!end && is_first(notes, node->parent)) {
                apr_array_cat(row ? notes->after : notes->before, marks_of(notes, node->parent));
            }
        }
    }
    for (int i = 0; i < notes->texts->nelts; i++) {
        const text_t *text = &APR_ARRAY_IDX(notes->texts, i, text_t);

        if (!text->is_referred_to) {
            APR_ARRAY_PUSH(notes->unreferenced, mark_t) = (mark_t){text->id, i, text};
        }
    }
    sort_marks(notes->unreferenced);
    return notes;
}

/* --------------------------------------------------------------------- a row's */

void dsc_footnote_add(size_t *stored, json_t *list, const char *id, const char *field,
                      const char *text)
{
    *stored += sizeof "{id, field, text}" + (text ? strlen(text) : 0);
    if (*stored <= DSC_FOOTNOTES_LIMIT) {
        json_array_append_new(list, json_pack("{s:s?,s:s?,s:s?}", "id", id, "field", field, "text",
                                              text));
    }
}

const char *dsc_footnote_list(apr_pool_t *pool, json_t *list)
{
    const char *copy = NULL;
    char *text;

    if (json_array_size(list) > 0 && (text = json_dumps(list, JSON_COMPACT))) {
        copy = apr_pstrdup(pool, text);
        free(text);
    }
    json_decref(list);
    return copy;
}

static void add_references(dsc_footnotes_t *notes, json_t *list, const apr_array_header_t *marks,
                           const xmlNode *row, int is_holding)
{
    for (int i = 0; i < marks->nelts; i++) {
        const mark_t *mark = &APR_ARRAY_IDX(marks, i, mark_t);
        const text_t *text =
            mark->id ? apr_hash_get(notes->by_id, mark->id, APR_HASH_KEY_STRING) : NULL;

        dsc_footnote_add(&notes->stored, list, mark->id, field_of(mark->node, row, is_holding),
                         text ? text->text : NULL);
    }
}

static void add_unreferenced(dsc_footnotes_t *notes, json_t *list)
{
    for (int i = 0; i < notes->unreferenced->nelts; i++) {
        const text_t *text = APR_ARRAY_IDX(notes->unreferenced, i, mark_t).node;

        dsc_footnote_add(&notes->stored, list, text->id, NULL, text->text);
    }
}

const char *dsc_footnotes_of_row(dsc_footnotes_t *notes, xmlNode *row, int is_holding)
{
    json_t *list = json_array();

    add_references(notes, list, notes->before, NULL, 0);
    for (xmlNode *node = row; node; node = next_node(node, row, 1)) {
        if (is_named(node, "footnoteId") && is_first(notes, node->parent)) {
            add_references(notes, list, marks_of(notes, node->parent), row, is_holding);
        }
    }
    add_references(notes, list, notes->after, NULL, 0);
    add_unreferenced(notes, list);
    return dsc_footnote_list(notes->pool, list);
}

void dsc_footnotes_quote(dsc_footnotes_t *notes, xmlNode *element, dsc_buffer_t *quote)
{
    const apr_array_header_t *marks = marks_of(notes, element);

    for (int i = 0; i < marks->nelts; i++) {
        const char *id = APR_ARRAY_IDX(marks, i, mark_t).id;
        text_t *text = id ? apr_hash_get(notes->by_id, id, APR_HASH_KEY_STRING) : NULL;

        if (text && text->text && text->quoted_in != quote) {
            text->quoted_in = quote;
            dsc_buffer_append_text(quote, quote->length > 0 ? "\n" : "");
            dsc_buffer_append_text(quote, text->text);
        }
    }
}

/* ------------------------------------------------------------------ what is odd */

static const char *name_ids(apr_pool_t *pool, const apr_array_header_t *marks)
{
    const char *list = "";

    for (int i = 0; i < marks->nelts && i < REMARK_IDS; i++) {
        const char *id = APR_ARRAY_IDX(marks, i, mark_t).id;

        list = apr_pstrcat(pool, list, i > 0 ? ", " : "", id ? id : "(no id)", NULL);
    }
    return marks->nelts > REMARK_IDS
               ? apr_psprintf(pool, "%s and %d more", list, marks->nelts - REMARK_IDS)
               : list;
}

const char *dsc_footnotes_remark(const dsc_footnotes_t *notes)
{
    const char *remark = "";

    if (notes->textless->nelts > 0) {
        remark = apr_psprintf(notes->pool, "references to footnotes without a text: %s",
                              name_ids(notes->pool, notes->textless));
    }
    if (notes->unreferenced->nelts > 0) {
        remark =
            apr_psprintf(notes->pool,
                         "%s%sfootnotes that nothing refers to, kept with each row: %s", remark,
                         *remark ? "; " : "", name_ids(notes->pool, notes->unreferenced));
    }
    return *remark ? remark : NULL;
}

const char *dsc_footnotes_error(const dsc_footnotes_t *notes)
{
    return notes->twice ? dsc_footnote_twice(notes->pool, notes->twice)
           : notes->marked_up
               ? apr_psprintf(notes->pool, "footnote %.40s has an element in it", notes->marked_up)
           : notes->stored > DSC_FOOTNOTES_LIMIT ? "the rows' footnotes come to more than 64 MB"
                                                 : NULL;
}

const char *dsc_footnote_twice(apr_pool_t *pool, const char *id)
{
    return dsc_owned_twice(pool, apr_psprintf(pool, "footnote %.40s", id));
}
