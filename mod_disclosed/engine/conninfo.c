#include "engine/conninfo.h"

#include "engine/buffer.h"

#include <apr_strings.h>
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

const dsc_conninfo_default_t dsc_conninfo_server[] = {
    {"connect_timeout", "3"},  {"keepalives_idle", "10"},     {"keepalives_interval", "5"},
    {"keepalives_count", "3"}, {"tcp_user_timeout", "10000"}, {NULL, NULL},
};

const dsc_conninfo_default_t dsc_conninfo_command[] = {
    {"connect_timeout", "10"},
    {"keepalives_idle", "30"},
    {"keepalives_interval", "10"},
    {"keepalives_count", "3"},
    {"tcp_user_timeout", "60000"},
    {"client_encoding", "UTF8"},
    {"fallback_application_name", "disclosedctl"},
    {NULL, NULL},
};

static void append(dsc_buffer_t *text, const char *keyword, const char *value)
{
    dsc_buffer_printf(text, "%s%s='", text->length > 0 ? " " : "", keyword);
    for (; *value != '\0'; value++) {
        if (*value == '\'' || *value == '\\') {
            dsc_buffer_append_char(text, '\\');
        }
        dsc_buffer_append_char(text, *value);
    }
    dsc_buffer_append_char(text, '\'');
}

static int is_named(const PQconninfoOption *option)
{
    return option->val != NULL &&
           (strcmp(option->keyword, "connect_timeout") != 0 || atoi(option->val) > 0);
}

static const char *default_of(const dsc_conninfo_default_t *defaults, const char *keyword)
{
    while (defaults->keyword != NULL && strcmp(defaults->keyword, keyword) != 0) {
        defaults++;
    }
    return defaults->value;
}

const char *dsc_conninfo_complete(apr_pool_t *pool, const char *conninfo,
                                  const dsc_conninfo_default_t *defaults)
{
    char *error = NULL;
    PQconninfoOption *options = PQconninfoParse(conninfo, &error), *option;
    dsc_buffer_t *text;
    const char *completed;

    if (options == NULL) {
        PQfreemem(error);
        return conninfo;
    }
    text = dsc_buffer_create(pool, 256);
    for (option = options; option->keyword != NULL; option++) {
        const char *value = is_named(option) ? option->val : default_of(defaults, option->keyword);
        if (value != NULL) {
            append(text, option->keyword, value);
        }
    }
    completed = apr_pstrdup(pool, dsc_buffer_text(text));
    PQconninfoFree(options);
    return completed;
}
