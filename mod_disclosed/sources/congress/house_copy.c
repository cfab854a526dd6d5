#include "sources/congress/house_copy.h"

#include "sources/congress/congress_date.h"

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>
#include <strings.h>

enum {
    SEEN_OFTEN =
        2 /* so many rows with a line before an asset that is known show where the line ends */
};

/* What the rows of a file say. */
typedef struct {
    apr_pool_t *pool;
    apr_hash_t
        *names; /* "V/visainc": what a ticker's asset is called, in rows without such a line */
    apr_hash_t *lines; /* "S O: An account" -> int *: in how many rows it stands before an asset */
} rows_t;

typedef void (*visit_t)(rows_t *rows, dsc_congress_trade_t *trade);

/* ------------------------------------------------------------------------- a text */

/* Behind "S O: ", if the text begins so; NULL: it does not. */
static const char *behind_label(const char *text)
{
    static const char *const labels[] = {"S O: ",          "D: ", "C: ", "L: ", "SUBHOLDING OF: ",
                                         "SUBHOLDING OR: "}; /* as a PDF's text is misread */
    size_t i;

    for (i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        if (strncasecmp(text, labels[i], strlen(labels[i])) == 0) {
            return text + strlen(labels[i]);
        }
    }
    return NULL;
}

static const char *next_word(const char *text)
{
    const char *blank = strchr(text, ' ');

    return blank == NULL ? NULL : blank + 1;
}

/* The last "SP", "JT" or "DC" that something follows: an owner, behind whom the asset begins; NULL:
 * there is none. */
static const char *owner_in(const char *text)
{
    const char *owner = NULL;

    for (; text != NULL; text = next_word(text)) {
        if (strncmp(text, "SP ", 3) == 0 || strncmp(text, "JT ", 3) == 0 ||
            strncmp(text, "DC ", 3) == 0) {
            owner = text;
        }
    }
    return owner;
}

/* Behind what dumps take of the headings and of a transaction's ID: "$200? ", "F S: New ",
 * "2000166537 ". */
static const char *behind_headings(const char *text)
{
    const char *rest = text;

    if (strncmp(text, "$200? ", 6) == 0) {
        rest = text + 6;
    } else if (strncmp(text, "F S: New ", 9) == 0) {
        rest = text + 9;
    } else if (strspn(text, "0123456789") == 10 && text[10] == ' ') {
        rest = text + 11;
    }
    return rest == text ? text : behind_headings(rest);
}

/* The asset, if it is known where it begins; otherwise NULL. */
static const char *asset_in(const char *text)
{
    const char *behind = behind_label(text);
    const char *rest = behind == NULL ? behind_headings(text) : behind;
    const char *owner = rest == text ? NULL : owner_in(rest);

    return owner != NULL ? owner + 3 : behind == NULL ? rest : NULL;
}

/* How long a name is without "(AAPL)", or "[ST]" and what is before it, at its end. */
static size_t plain_length(const char *name, size_t length)
{
    char close = length == 0 ? '\0' : name[length - 1];
    char open = close == ')' ? '(' : '[';
    size_t at = length;

    if (close != ')' && close != ']') {
        return length;
    }
    while (at > 0 && name[at - 1] != open) {
        at--;
    }
    if (at < 2 || name[at - 2] != ' ') {
        return length;
    }
    return close == ']' ? plain_length(name, at - 2) : at - 2;
}

/* The ticker's asset of that name, whatever its punctuation. */
static const char *key_of(apr_pool_t *pool, const char *ticker, const char *name)
{
    size_t length = plain_length(name, strlen(name)), i;
    char *letters = apr_palloc(pool, length + 1), *to = letters;

    for (i = 0; i < length; i++) {
        if (apr_isalnum(name[i])) {
            *to++ = (char)apr_tolower(name[i]);
        }
    }
    *to = '\0';
    return apr_pstrcat(pool, ticker, "/", letters, NULL);
}

/* --------------------------------------------------------------------- of all rows */

static void count_line(rows_t *rows, const char *text, const char *end, int times)
{
    const char *line = apr_pstrmemdup(rows->pool, text, (size_t)(end - text));
    int *count = apr_hash_get(rows->lines, line, APR_HASH_KEY_STRING);

    if (count == NULL) {
        count = apr_pcalloc(rows->pool, sizeof(*count));
        apr_hash_set(rows->lines, line, APR_HASH_KEY_STRING, count);
    }
    *count += times;
}

/* What a ticker's asset is called, and lines that an owner ends. */
static void learn(rows_t *rows, dsc_congress_trade_t *trade)
{
    const char *behind = behind_label(trade->asset_name);
    const char *owner = behind == NULL ? NULL : owner_in(behind);
    const char *asset = asset_in(trade->asset_name);

    if (asset != NULL && trade->ticker != NULL) {
        apr_hash_set(rows->names, key_of(rows->pool, trade->ticker, asset), APR_HASH_KEY_STRING,
                     "");
    }
    if (owner != NULL && owner > behind) {
        count_line(rows, trade->asset_name, owner - 1, SEEN_OFTEN);
    }
}

/* A row with a line that nothing ends. Without a ticker the name is what the trade is known by: it
 * stays. */
static int is_open(const dsc_congress_trade_t *trade)
{
    const char *behind = behind_label(trade->asset_name);

    return behind != NULL && trade->ticker != NULL && owner_in(behind) == NULL;
}

static void cut(dsc_congress_trade_t *trade, const char *asset)
{
    trade->asset_as_filed = trade->asset_name;
    trade->asset_name = asset;
}

/* The asset is named as in another row: the longest name counts. */
static void cut_by_name(rows_t *rows, dsc_congress_trade_t *trade)
{
    const char *asset;

    if (!is_open(trade)) {
        return;
    }
    for (asset = next_word(behind_label(trade->asset_name)); asset != NULL;
         asset = next_word(asset)) {
        if (apr_hash_get(rows->names, key_of(rows->pool, trade->ticker, asset),
                         APR_HASH_KEY_STRING) != NULL) {
            count_line(rows, trade->asset_name, asset - 1, 1);
            cut(trade, asset);
            return;
        }
    }
}

/* The line is that of other rows: the longest counts. */
static void cut_by_line(rows_t *rows, dsc_congress_trade_t *trade)
{
    const char *asset, *found = NULL;

    if (!is_open(trade)) {
        return;
    }
    for (asset = next_word(behind_label(trade->asset_name)); asset != NULL;
         asset = next_word(asset)) {
        const int *count =
            apr_hash_get(rows->lines, trade->asset_name, asset - 1 - trade->asset_name);

        found = count != NULL && *count >= SEEN_OFTEN ? asset : found;
    }
    if (found != NULL) {
        cut(trade, found);
    }
}

static void each_trade(rows_t *rows, const apr_array_header_t *reports, visit_t visit)
{
    int i, row;

    for (i = 0; i < reports->nelts; i++) {
        const dsc_congress_report_t *report =
            APR_ARRAY_IDX(reports, i, const dsc_congress_report_t *);

        for (row = 0; row < report->trades->nelts; row++) {
            dsc_congress_trade_t *trade =
                APR_ARRAY_IDX(report->trades, row, dsc_congress_trade_t *);

            if (trade->asset_name != NULL) {
                visit(rows, trade);
            }
        }
    }
}

void dsc_house_copy_cut(apr_pool_t *pool, const apr_array_header_t *reports)
{
    static const visit_t visits[] = {learn, cut_by_name, cut_by_line};
    rows_t rows;
    size_t i;

    apr_pool_create(&rows.pool, pool);
    rows.names = apr_hash_make(rows.pool);
    rows.lines = apr_hash_make(rows.pool);
    for (i = 0; i < sizeof(visits) / sizeof(visits[0]); i++) {
        each_trade(&rows, reports, visits[i]);
    }
    apr_pool_destroy(rows.pool);
}
