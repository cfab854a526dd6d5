/* The two tables of Forms 3, 4 and 5: non-derivative and derivative securities. */
#include "import/ownership_document.h"
#include "import/ownership_xml.h"

#include "engine/buffer.h"
#include "engine/shape.h"

#include <apr_strings.h>
#include <stddef.h>

#define OWNED(path, type, member)                                                                  \
    {                                                                                              \
        path, type, offsetof(dsc_ownership_row_t, member)                                          \
    }

/* All that a row can say; holdings and non-derivative rows lack some of it. */
static const dsc_owned_field_t row_fields[] = {
    OWNED("securityTitle", DSC_OWNED_TEXT, security_title),
    OWNED("conversionOrExercisePrice", DSC_OWNED_NUMBER, conversion_price),
    OWNED("transactionDate", DSC_OWNED_DATE, transaction_date),
    OWNED("transactionCoding/transactionCode", DSC_OWNED_TEXT, transaction_code),
    OWNED("transactionCoding/equitySwapInvolved", DSC_OWNED_BOOLEAN, equity_swap),
    OWNED("transactionTimeliness", DSC_OWNED_TEXT, timeliness),
    OWNED("transactionAmounts/transactionShares", DSC_OWNED_NUMBER, shares),
    OWNED("transactionAmounts/transactionTotalValue", DSC_OWNED_NUMBER, total_value),
    OWNED("transactionAmounts/transactionPricePerShare", DSC_OWNED_NUMBER, price),
    OWNED("transactionAmounts/transactionAcquiredDisposedCode", DSC_OWNED_TEXT, acquired_disposed),
    OWNED("exerciseDate", DSC_OWNED_DATE, exercise_date),
    OWNED("expirationDate", DSC_OWNED_DATE, expiration_date),
    OWNED("underlyingSecurity/underlyingSecurityTitle", DSC_OWNED_TEXT, underlying_title),
    OWNED("underlyingSecurity/underlyingSecurityShares", DSC_OWNED_NUMBER, underlying_shares),
    OWNED("postTransactionAmounts/sharesOwnedFollowingTransaction", DSC_OWNED_NUMBER, shares_owned),
    OWNED("postTransactionAmounts/valueOwnedFollowingTransaction", DSC_OWNED_NUMBER, value_owned),
    OWNED("ownershipNature/directOrIndirectOwnership", DSC_OWNED_TEXT, ownership),
    OWNED("ownershipNature/natureOfOwnership", DSC_OWNED_TEXT, ownership_nature),
};

static const struct {
    const char *table, *element;
    int is_derivative, is_holding;
} row_kinds[] = {
    {"nonDerivativeTable", "nonDerivativeTransaction", 0, 0},
    {"nonDerivativeTable", "nonDerivativeHolding", 0, 1},
    {"derivativeTable", "derivativeTransaction", 1, 0},
    {"derivativeTable", "derivativeHolding", 1, 1},
};

/* The text of a footnote by its id, NULL when the document has none of that id. */
static const char *footnote_text(apr_pool_t *pool, xmlNode *root, const xmlChar *id)
{
    xmlNode *footnotes = dsc_owned_next(root, NULL, "footnotes");

    for (xmlNode *note = dsc_owned_next(footnotes, NULL, "footnote"); note;
         note = dsc_owned_next(footnotes, note, "footnote")) {
        xmlChar *own_id = xmlGetNoNsProp(note, (const xmlChar *)"id");
        int is_it = xmlStrcmp(own_id, id) == 0;

        xmlFree(own_id);
        if (is_it) {
            return dsc_owned_text(pool, note);
        }
    }
    return NULL;
}

/* Adds the footnotes of an element, each text once. */
static void add_footnotes(apr_pool_t *pool, xmlNode *root, xmlNode *element, dsc_buffer_t *quote)
{
    for (xmlNode *mark = dsc_owned_next(element, NULL, "footnoteId"); mark;
         mark = dsc_owned_next(element, mark, "footnoteId")) {
        xmlChar *id = xmlGetNoNsProp(mark, (const xmlChar *)"id");
        const char *text = id ? footnote_text(pool, root, id) : NULL;

        xmlFree(id);
        if (text && !strstr(dsc_buffer_text(quote), text)) {
            dsc_buffer_append_text(quote, quote->length > 0 ? "\n" : "");
            dsc_buffer_append_text(quote, text);
        }
    }
}

/* The footnotes that stand in the place of numbers and dates. */
static const char *stand_in_footnotes(apr_pool_t *pool, xmlNode *root, xmlNode *element)
{
    dsc_buffer_t *quote = dsc_buffer_create(pool, 256);

    for (int i = 0; i < DSC_COUNT(row_fields); i++) {
        xmlNode *value = dsc_owned_find(element, row_fields[i].path);

        if ((row_fields[i].type == DSC_OWNED_NUMBER || row_fields[i].type == DSC_OWNED_DATE) &&
            value && !dsc_owned_text(pool, value)) {
            add_footnotes(pool, root, value, quote);
        }
    }
    return quote->length > 0 ? apr_pstrdup(pool, dsc_buffer_text(quote)) : NULL;
}

static void read_row(apr_pool_t *pool, xmlNode *root, xmlNode *element, int kind, int number,
                     apr_array_header_t *rows)
{
    dsc_ownership_row_t *row = apr_array_push(rows);

    row->is_derivative = row_kinds[kind].is_derivative;
    row->is_holding = row_kinds[kind].is_holding;
    row->number = number;
    row->place =
        apr_psprintf(pool, "%s/%s[%d]", row_kinds[kind].table, row_kinds[kind].element, number);
    dsc_owned_read(pool, element, row_fields, DSC_COUNT(row_fields), row, &row->fault,
                   &row->sample);
    row->footnotes = stand_in_footnotes(pool, root, element);
}

/* A table may come more than once; numbers go on. */
static void read_rows_of_kind(apr_pool_t *pool, xmlNode *root, int kind, apr_array_header_t *rows)
{
    int number = 0;

    for (xmlNode *table = dsc_owned_next(root, NULL, row_kinds[kind].table); table;
         table = dsc_owned_next(root, table, row_kinds[kind].table)) {
        for (xmlNode *row = dsc_owned_next(table, NULL, row_kinds[kind].element); row;
             row = dsc_owned_next(table, row, row_kinds[kind].element)) {
            read_row(pool, root, row, kind, ++number, rows);
        }
    }
}

apr_array_header_t *dsc_ownership_rows(apr_pool_t *pool, xmlNode *root)
{
    apr_array_header_t *rows = apr_array_make(pool, 8, sizeof(dsc_ownership_row_t));

    for (int kind = 0; kind < DSC_COUNT(row_kinds); kind++) {
        read_rows_of_kind(pool, root, kind, rows);
    }
    return rows;
}
