/* JSON of periodic transaction reports, as the files of both chambers have it. */
#include "sources/congress/congress_report.h"

#include "formats/json_document.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

json_t *dsc_congress_parse(apr_pool_t *pool, const char *text, size_t length, const char **reason)
{
    return dsc_json_parse(pool, text, length, JSON_ALLOW_NUL, reason);
}

/* Letters that a PDF has lost are NUL in some dumps. */
static const char *text_of(apr_pool_t *pool, const json_t *string)
{
    size_t length = json_string_length(string), i;
    char *copy;

    if (strlen(json_string_value(string)) == length) {
        return json_string_value(string);
    }
    copy = apr_pstrmemdup(pool, json_string_value(string), length);
    for (i = 0; i < length; i++) {
        copy[i] = (char)(copy[i] == '\0' ? ' ' : copy[i]);
    }
    return copy;
}

/* NULL if the value is neither text nor a number. */
static const char *plain_text(apr_pool_t *pool, const json_t *value)
{
    enum {
        PRECISION = 15 /* digits that jansson's numbers keep exactly: more than an amount has */
    };
    const char *text = NULL;
    char *number;

    if (json_is_string(value)) {
        return text_of(pool, value);
    }
    number = json_is_number(value)
                 ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(PRECISION))
                 : NULL;
    if (number != NULL) {
        text = apr_pstrdup(pool, number);
        free(number);
    }
    return text;
}

const char *dsc_congress_member(apr_pool_t *pool, const json_t *object, const char *const *names,
                                const char **member)
{
    for (; *names != NULL; names++) {
        const char *text = plain_text(pool, json_object_get(object, *names));

        if (text != NULL) {
            if (member != NULL) {
                *member = *names;
            }
            return text;
        }
    }
    return NULL;
}

/* What is wrong with the members, of which none is text; NULL: they are absent or null. */
static const char *member_error(apr_pool_t *pool, const json_t *object, const char *const *names)
{
    for (; *names != NULL; names++) {
        const json_t *value = json_object_get(object, *names);

        if (value != NULL && !json_is_null(value)) {
            return apr_pstrcat(pool, *names, ": neither a string nor a number", NULL);
        }
    }
    return NULL;
}

const char *dsc_congress_list_error(apr_pool_t *pool, const json_t *root)
{
    static const char *const address[] = {DSC_CONGRESS_ADDRESSES, NULL};
    size_t i;

    if (!json_is_array(root)) {
        return "it is no JSON array, as files of transactions or reports are";
    }
    if (json_array_size(root) == 0) {
        return "the array is empty: a file of transactions has at least one";
    }
    if (!json_is_object(json_array_get(root, 0))) {
        return "it is not an array of objects, as files of transactions or reports are";
    }
    for (i = 0; i < json_array_size(root); i++) {
        if (dsc_congress_member(pool, json_array_get(root, i), address, NULL) != NULL) {
            return NULL;
        }
    }
    return "no object of the array has the address of a report (ptr_link, source_url, pdf_url or "
           "link)";
}

void dsc_congress_fill(apr_pool_t *pool, const json_t *object, dsc_congress_row_t *row)
{
    static const char *const address[] = {DSC_CONGRESS_ADDRESSES, NULL};
    static const char *const transacted[] = {"transaction_date", NULL};
    static const char *const filed[] = {"disclosure_date", "filing_date",   "filed_date",
                                        "date_recieved",   "date_received", NULL};
    static const char *const owner[] = {"owner", NULL};
    static const char *const ticker[] = {"ticker", "symbol", NULL};
    static const char *const asset[] = {"asset_description", "asset_name", "asset", NULL};
    static const char *const asset_type[] = {"asset_type", NULL};
    static const char *const type[] = {"type", "transaction_type", NULL};
    static const char *const amount[] = {"amount", "amount_range", NULL};
    static const char *const comment[] = {"comment", NULL};
    static const char *const party[] = {"party", NULL};
    const struct {
        const char *const *names;
        const char **into, **member;
    } members[] = {
        {address, &row->address, NULL},
        {transacted, &row->transaction_date, NULL},
        {filed, &row->filing_date, &row->filing_date_member},
        {owner, &row->owner, NULL},
        {ticker, &row->ticker, NULL},
        {asset, &row->asset_name, NULL},
        {asset_type, &row->asset_type, NULL},
        {type, &row->type, NULL},
        {amount, &row->amount, NULL},
        {comment, &row->comment, NULL},
        {party, &row->political_party, NULL},
    };
    size_t i;

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        const char *text = dsc_congress_member(pool, object, members[i].names, members[i].member);
        if (text != NULL) {
            *members[i].into = text;
        } else if (row->error == NULL) {
            row->error = member_error(pool, object, members[i].names);
        }
    }
}
