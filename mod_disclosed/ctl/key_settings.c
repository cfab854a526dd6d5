#include "ctl/key_settings.h"

#include "access/plan.h"
#include "engine/tables.h"
#include "loader/loader_value.h"

#include <apr_network_io.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

const struct dsc_key_setting_column_t dsc_key_setting_columns[DSC_KEY_SETTINGS] = {
    [DSC_KEY_RATE] = {"rate_interval", "bigint"}, [DSC_KEY_BURST] = {"burst", "bigint"},
    [DSC_KEY_DAY] = {"day_quota", "bigint"},      [DSC_KEY_CREDITS] = {"credits", "bigint"},
    [DSC_KEY_SCOPES] = {"scopes", "text[]"},      [DSC_KEY_ADDRESSES] = {"addresses", "cidr[]"},
};

/* What the table of keys takes (sql/0029_access.sql). */
static const struct {
    const char *option;
    long long least, most;
} bounds[] = {
    [DSC_KEY_BURST] = {"--burst", 1, 100000},
    [DSC_KEY_DAY] = {"--day", 0, 1000000000000LL},
    [DSC_KEY_CREDITS] = {"--credits", 0, 1000000000LL},
};

static const char *take_rate(apr_pool_t *pool, const char *text, const char **bound)
{
    uint64_t interval;

    if (!dsc_rate_read(text, &interval)) {
        return "--rate takes requests in a second, minute, hour or day, e.g. 5/s, 300/m";
    }
    *bound = apr_psprintf(pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)interval);
    return NULL;
}

static const char *take_number(apr_pool_t *pool, int setting, const char *text, const char **bound)
{
    char *end;
    long long number = strtoll(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || strlen(text) > 18 ||
        number < bounds[setting].least || number > bounds[setting].most) {
        return apr_psprintf(pool,
                            "%s takes a number from %" APR_INT64_T_FMT " to %" APR_INT64_T_FMT,
                            bounds[setting].option, (apr_int64_t)bounds[setting].least,
                            (apr_int64_t)bounds[setting].most);
    }
    *bound = text;
    return NULL;
}

static int is_network(apr_pool_t *pool, const char *text)
{
    char *address = apr_pstrdup(pool, text), *bits = strchr(address, '/');
    apr_ipsubnet_t *subnet;

    if (bits != NULL) {
        *bits++ = '\0';
    }
    return strchr(address, ':') != NULL || strspn(address, "0123456789.") == strlen(address)
               ? apr_ipsubnet_create(&subnet, address, bits, pool) == APR_SUCCESS
               : 0;
}

/* "a,b" as an array literal. */
static const char *take_list(apr_pool_t *pool, int setting, const char *text, const char **bound)
{
    apr_array_header_t *words = apr_array_make(pool, 4, sizeof(const char *));
    char *state = NULL, *word;

    for (word = apr_strtok(apr_pstrdup(pool, text), ", ", &state); word != NULL;
         word = apr_strtok(NULL, ", ", &state)) {
        if (setting == DSC_KEY_ADDRESSES && !is_network(pool, word)) {
            return apr_psprintf(pool, "--address: %s is no address or network", word);
        }
        if (setting == DSC_KEY_SCOPES && !dsc_endpoint_fits(word)) {
            return apr_psprintf(pool, "--scope: no endpoint is called \"%s\"", word);
        }
        APR_ARRAY_PUSH(words, const char *) = word;
    }
    if (words->nelts == 0 || strlen(text) > (setting == DSC_KEY_SCOPES ? 240 : 400)) {
        return setting == DSC_KEY_SCOPES ? "--scope takes patterns of endpoints, up to 240 bytes"
                                         : "--address takes networks, up to 400 bytes";
    }
    *bound = dsc_texts_literal(pool, words->nelts, (const char *const *)words->elts);
    return NULL;
}

const char *dsc_key_setting_take(apr_pool_t *pool, dsc_key_settings_t *settings, int setting,
                                 const char *text)
{
    const char **bound = &settings->texts[setting];
    int is_rule = setting == DSC_KEY_SCOPES || setting == DSC_KEY_ADDRESSES;

    if (strcmp(text, is_rule ? "any" : "plan") == 0) {
        *bound = "";
        return NULL;
    }
    if (is_rule) {
        return take_list(pool, setting, text, bound);
    }
    return setting == DSC_KEY_RATE ? take_rate(pool, text, bound)
                                   : take_number(pool, setting, text, bound);
}
