/* The two tables of Forms 3, 4 and 5: non-derivative and derivative securities. */
#include "sources/sec_ownership/ownership_document.h"
#include "sources/sec_ownership/ownership_footnote.h"
#include "sources/shared/ownership_xml.h"

#include "engine/buffer.h"
#include "engine/shape.h"

#include <apr_strings.h>
#include <stddef.h>
#include <string.h>

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

/* What else appears once in a row. */
static const char *const row_once[] = {
    "deemedExecutionDate",
    "transactionCoding/transactionFormType",
    "underlyingSecurity/underlyingSecurityValue",
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

/* The kinds of rows, as bits: 1 << index in row_kinds. */
enum {
    OF_N = 1,
    OF_NH = 2,
    OF_D = 4,
    OF_DH = 8,
    OF_TRANSACTIONS = OF_N | OF_D,
    OF_DERIVATIVES = OF_D | OF_DH,
    OF_ALL = OF_TRANSACTIONS | OF_NH | OF_DH
};

typedef enum {
    NEEDS_ELEMENT,
    NEEDS_VALUE,
    NEEDS_VALUE_OR_NOTE
} need_t;

/* What the SEC's schema asks of a row (ownershipDocumentCommon.xsd), and every form does that EDGAR
 * has taken. The first schemas asked for less, see dsc_ownership_is_early(). What is owned
 * afterwards, and how many shares a derivative transaction moves, EDGAR has taken without
 * numbers. */
static const struct {
    const char *path;
    int kinds, early_kinds;
    need_t need;
} required[] = {
    {"securityTitle", OF_ALL, OF_ALL, NEEDS_VALUE},
    {"conversionOrExercisePrice", OF_DERIVATIVES, 0, NEEDS_VALUE_OR_NOTE},
    {"transactionDate", OF_TRANSACTIONS, OF_TRANSACTIONS, NEEDS_VALUE},
    {"transactionCoding/transactionCode", OF_TRANSACTIONS, OF_TRANSACTIONS, NEEDS_VALUE},
    {"transactionAmounts", OF_TRANSACTIONS, OF_TRANSACTIONS, NEEDS_ELEMENT},
    {"transactionAmounts/transactionPricePerShare", OF_TRANSACTIONS, 0, NEEDS_VALUE_OR_NOTE},
    {"transactionAmounts/transactionAcquiredDisposedCode", OF_TRANSACTIONS, 0, NEEDS_VALUE},
    {"exerciseDate", OF_DERIVATIVES, 0, NEEDS_VALUE_OR_NOTE},
    {"expirationDate", OF_DERIVATIVES, 0, NEEDS_VALUE_OR_NOTE},
    {"underlyingSecurity/underlyingSecurityTitle", OF_DERIVATIVES, 0, NEEDS_VALUE},
    {"postTransactionAmounts", OF_N | OF_NH | OF_D, 0, NEEDS_ELEMENT},
    {"ownershipNature/directOrIndirectOwnership", OF_ALL, 0, NEEDS_VALUE},
};

/* What a transaction's amount may be stated as; the last two of derivatives alone. */
static const char *const amounts[] = {"transactionAmounts/transactionShares",
                                      "transactionAmounts/transactionTotalValue",
                                      "underlyingSecurity/underlyingSecurityShares",
                                      "underlyingSecurity/underlyingSecurityValue"};

int dsc_ownership_is_early(apr_pool_t *pool, xmlNode *root)
{
    const char *version = dsc_owned_text(pool, dsc_owned_find(root, "schemaVersion"));

    return version && strlen(version) == 5 && strncmp(version, "X0", 2) == 0 &&
           strcmp(version, "X0203") < 0;
}

/* What an element lacks of what is needed, or NULL. */
static const char *lack(apr_pool_t *pool, xmlNode *element, need_t need)
{
    if (!element) {
        return "is missing";
    }
    if (need == NEEDS_ELEMENT || dsc_owned_text(pool, element)) {
        return NULL;
    }
    if (need == NEEDS_VALUE) {
        return "has no value";
    }
    return dsc_owned_next(element, NULL, "footnoteId") ? NULL
                                                       : "has neither a value nor a footnote";
}

static const char *amount_error(apr_pool_t *pool, xmlNode *row, int kind, int early)
{
    int count = (1 << kind) & OF_D ? DSC_COUNT(amounts) : 2;

    for (int i = 0; i < count; i++) {
        if (!lack(pool, dsc_owned_find(row, amounts[i]), early ? NEEDS_ELEMENT : NEEDS_VALUE)) {
            return NULL;
        }
    }
    return apr_pstrcat(pool, amounts[0], " ",
                       lack(pool, dsc_owned_find(row, amounts[0]), NEEDS_VALUE), NULL);
}

/* What the schema asks of a row and the row lacks; NULL: nothing. */
static const char *schema_error(apr_pool_t *pool, xmlNode *row, int kind, int early)
{
    for (int i = 0; i < DSC_COUNT(required); i++) {
        int kinds = early ? required[i].early_kinds : required[i].kinds;
        const char *error = ((1 << kind) & kinds)
                                ? lack(pool, dsc_owned_find(row, required[i].path),
                                       early ? NEEDS_ELEMENT : required[i].need)
                                : NULL;

        if (error) {
            return apr_pstrcat(pool, required[i].path, " ", error, NULL);
        }
    }
    return (1 << kind) & OF_TRANSACTIONS ? amount_error(pool, row, kind, early) : NULL;
}

/* ------------------------------------------------------- what no row has */

/* Whether a path is an element of a row, or leads to one. */
static int is_known(const char *path)
{
    size_t length = strlen(path);

    for (int i = 0; i < DSC_COUNT(row_fields) + DSC_COUNT(row_once); i++) {
        const char *known =
            i < DSC_COUNT(row_fields) ? row_fields[i].path : row_once[i - DSC_COUNT(row_fields)];

        if (strncmp(known, path, length) == 0 && (known[length] == '\0' || known[length] == '/')) {
            return 1;
        }
    }
    return 0;
}

/* What is wrong with what stands in an element of a row (`path` below the row, which is ""), or
 * NULL. The schema is closed and has no text beside elements: what is unknown is a damaged name,
 * and what it says would be lost. */
static const char *stray_error(apr_pool_t *pool, xmlNode *element, const char *path)
{
    const char *error = NULL;
    int holds_text = strcmp(dsc_owned_local_name(element), "footnoteId") != 0;

    for (xmlNode *child = dsc_owned_next(element, NULL, NULL); child && !error;
         child = dsc_owned_next(element, child, NULL)) {
        const char *name = dsc_owned_local_name(child);
        const char *below = apr_pstrcat(pool, path, *path ? "/" : "", name, NULL);
        int is_note = strcmp(name, "footnoteId") == 0;

        holds_text &= is_note;
        error = is_note || is_known(strcmp(name, "value") == 0 ? path : below)
                    ? stray_error(pool, child, below)
                    : apr_psprintf(pool, "%.160s is no element of a row", below);
    }
    return !error && !holds_text && dsc_owned_has_text(element)
               ? apr_psprintf(pool, "%.160s has text beside its elements",
                              *path ? path : dsc_owned_local_name(element))
               : error;
}

static int is_named(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp(dsc_owned_local_name(node), name) == 0;
}

/* Whether an element is a row of one of the document's tables. */
static int is_row(const xmlNode *table, const xmlNode *element)
{
    for (int kind = 0; kind < DSC_COUNT(row_kinds); kind++) {
        if (is_named(element, row_kinds[kind].element) && is_named(table, row_kinds[kind].table)) {
            return table->parent == xmlDocGetRootElement(table->doc);
        }
    }
    return 0;
}

/* The footnotes that replace numbers and dates. */
static const char *stand_in_footnotes(apr_pool_t *pool, dsc_footnotes_t *notes, xmlNode *element)
{
    dsc_buffer_t *quote = dsc_buffer_create(pool, 256);

    for (int i = 0; i < DSC_COUNT(row_fields); i++) {
        xmlNode *value = dsc_owned_find(element, row_fields[i].path);

        if ((row_fields[i].type == DSC_OWNED_NUMBER || row_fields[i].type == DSC_OWNED_DATE) &&
            value && !dsc_owned_text(pool, value)) {
            dsc_footnotes_quote(notes, value, quote);
        }
    }
    return quote->length > 0 ? apr_pstrdup(pool, dsc_buffer_text(quote)) : NULL;
}

static void read_row(apr_pool_t *pool, dsc_footnotes_t *notes, xmlNode *element, int kind,
                     int number, int early, apr_array_header_t *rows)
{
    dsc_ownership_row_t *row = apr_array_push(rows);

    row->is_derivative = row_kinds[kind].is_derivative;
    row->is_holding = row_kinds[kind].is_holding;
    row->number = number;
    row->location =
        apr_psprintf(pool, "%s/%s[%d]", row_kinds[kind].table, row_kinds[kind].element, number);
    dsc_owned_read(pool, element, row_fields, DSC_COUNT(row_fields), row, &row->error,
                   &row->sample);
    if (!row->error) {
        row->error = dsc_owned_twins_error(pool, element, row_once, DSC_COUNT(row_once));
    }
    if (!row->error) {
        row->error = schema_error(pool, element, kind, early);
    }
    if (!row->error) {
        row->error = stray_error(pool, element, "");
    }
    row->quote = stand_in_footnotes(pool, notes, element);
    row->footnotes = dsc_footnotes_of_row(notes, element, row->is_holding);
}

static void read_rows_of_kind(apr_pool_t *pool, xmlNode *root, dsc_footnotes_t *notes, int kind,
                              apr_array_header_t *rows)
{
    int number = 0, early = dsc_ownership_is_early(pool, root);
    xmlNode *table = dsc_owned_find(root, row_kinds[kind].table), *row = NULL;

    while (table && (row = dsc_owned_next(table, row, row_kinds[kind].element)) != NULL) {
        read_row(pool, notes, row, kind, ++number, early, rows);
    }
}

apr_array_header_t *dsc_ownership_rows(apr_pool_t *pool, xmlNode *root, const char **remark,
                                       const char **reason)
{
    apr_array_header_t *rows = apr_array_make(pool, 8, sizeof(dsc_ownership_row_t));
    dsc_footnotes_t *notes = dsc_footnotes_read(pool, root, is_row);
    const char *error;

    for (int kind = 0; kind < DSC_COUNT(row_kinds); kind++) {
        read_rows_of_kind(pool, root, notes, kind, rows);
    }
    error = dsc_footnotes_error(notes);
    if (error) {
        *reason = error;
        return NULL;
    }
    *remark = dsc_footnotes_remark(notes);
    return rows;
}
