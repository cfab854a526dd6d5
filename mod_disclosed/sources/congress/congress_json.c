/* JSON of periodic transaction reports, as the files of both chambers have it. */
#include "sources/congress/congress_report.h"

#include <apr_strings.h>
#include <string.h>

static apr_status_t release(void *root)
{
    json_decref(root);
    return APR_SUCCESS;
}

json_t *dsc_congress_parse(apr_pool_t *pool, const char *text, size_t length, const char **reason)
{
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);

    if (root == NULL) {
        *reason = apr_psprintf(pool, "not JSON: line %d, column %d: %s", error.line, error.column,
                               error.text);
        return NULL;
    }
    apr_pool_cleanup_register(pool, root, release, apr_pool_cleanup_null);
    return root;
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

const char *dsc_congress_member(apr_pool_t *pool, const json_t *object, const char *const *names,
                                const char **member)
{
    for (; *names != NULL; names++) {
        const json_t *value = json_object_get(object, *names);
        if (member != NULL && (json_is_string(value) || json_is_integer(value))) {
            *member = *names;
        }
        if (json_is_string(value)) {
            return text_of(pool, value);
        }
        if (json_is_integer(value)) {
            return apr_psprintf(pool, "%" APR_INT64_T_FMT, (apr_int64_t)json_integer_value(value));
        }
    }
    return NULL;
}

void dsc_congress_fill(apr_pool_t *pool, const json_t *object, dsc_congress_row_t *row)
{
    static const char *const address[] = {"ptr_link", "source_url", "pdf_url", "link", NULL};
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
        }
    }
}
