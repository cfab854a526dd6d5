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

/* ----------------------------------------------------------------------- hosts */

enum {
    HOST,
    ADDRESS,
    PORT,
    LISTS
};

/* What libpq takes as lists, an element for each host. */
static const char *const lists[LISTS] = {"host", "hostaddr", "port"};

/* The place of a keyword in `lists`; LISTS: it is none. */
static int list_of(const char *keyword)
{
    int i = 0;
    while (i < LISTS && strcmp(keyword, lists[i]) != 0) {
        i++;
    }
    return i;
}

/* Elements with commas between; one that is empty counts. */
static apr_array_header_t *split(apr_pool_t *pool, const char *list)
{
    apr_array_header_t *elements = apr_array_make(pool, 2, sizeof(const char *));
    const char *end;
    for (; (end = strchr(list, ',')) != NULL; list = end + 1) {
        APR_ARRAY_PUSH(elements, const char *) =
            apr_pstrmemdup(pool, list, (apr_size_t)(end - list));
    }
    APR_ARRAY_PUSH(elements, const char *) = apr_pstrdup(pool, list);
    return elements;
}

/* The element for a host: one port is that of all. NULL: the string does not say. */
static const char *element(const apr_array_header_t *elements, int host)
{
    if (elements == NULL || (host >= elements->nelts && elements->nelts != 1)) {
        return NULL;
    }
    return APR_ARRAY_IDX(elements, elements->nelts == 1 ? 0 : host, const char *);
}

/* The string with the lists' elements of one host. */
static dsc_conninfo_host_t host_of(apr_pool_t *pool, const PQconninfoOption *options,
                                   apr_array_header_t *const *elements, int host)
{
    dsc_buffer_t *text = dsc_buffer_create(pool, 256);
    const char *name = element(elements[HOST], host), *port = element(elements[PORT], host);
    dsc_conninfo_host_t one;

    for (; options->keyword != NULL; options++) {
        int list = list_of(options->keyword);
        const char *value = list == LISTS ? options->val : element(elements[list], host);
        if (value != NULL) {
            append(text, options->keyword, value);
        }
    }
    one.conninfo = apr_pstrdup(pool, dsc_buffer_text(text));
    name = name != NULL && *name != '\0' ? name : element(elements[ADDRESS], host);
    name = name != NULL ? name : "default";
    one.name = port != NULL && *port != '\0' ? apr_pstrcat(pool, name, ":", port, NULL) : name;
    return one;
}

/* The lists' elements; NULL if the string has none. */
static void split_lists(apr_pool_t *pool, const PQconninfoOption *option,
                        apr_array_header_t **elements)
{
    for (; option != NULL && option->keyword != NULL; option++) {
        int list = list_of(option->keyword);
        if (list < LISTS && option->val != NULL) {
            elements[list] = split(pool, option->val);
        }
    }
}

apr_array_header_t *dsc_conninfo_hosts(apr_pool_t *pool, const char *conninfo)
{
    apr_array_header_t *hosts = apr_array_make(pool, 2, sizeof(dsc_conninfo_host_t));
    apr_array_header_t *elements[LISTS] = {NULL, NULL, NULL};
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    int i, count = 1;

    split_lists(pool, options, elements);
    for (i = HOST; i <= ADDRESS; i++) {
        count = elements[i] != NULL && elements[i]->nelts > count ? elements[i]->nelts : count;
    }
    for (i = 0; options != NULL && i < count; i++) {
        APR_ARRAY_PUSH(hosts, dsc_conninfo_host_t) = host_of(pool, options, elements, i);
    }
    if (options == NULL) { /* read_conninfo() takes none that libpq cannot read */
        const dsc_conninfo_host_t whole = {conninfo, "default"};
        APR_ARRAY_PUSH(hosts, dsc_conninfo_host_t) = whole;
    }
    PQconninfoFree(options);
    return hosts;
}

/* ---------------------------------------------------------------------- errors */

static const char *counted(apr_pool_t *pool, int count, const char *one, const char *several)
{
    return apr_psprintf(pool, "%d %s", count, count == 1 ? one : several);
}

/* Hosts and addresses are pairs; a port is of each, or of all. Which hosts a service file names is
 * not known here. */
static const char *why_not_matching(apr_pool_t *pool, apr_array_header_t *const *elements)
{
    const apr_array_header_t *hosts = elements[HOST], *addresses = elements[ADDRESS];
    const apr_array_header_t *ports = elements[PORT], *all = hosts != NULL ? hosts : addresses;
    const char *has = all == NULL ? "" : counted(pool, all->nelts, "host", "hosts");

    if (hosts != NULL && addresses != NULL && hosts->nelts != addresses->nelts) {
        return apr_pstrcat(pool, "has ", has, " and ",
                           counted(pool, addresses->nelts, "address", "addresses"),
                           ": each host has an address", NULL);
    }
    if (all != NULL && ports != NULL && ports->nelts != 1 && ports->nelts != all->nelts) {
        return apr_pstrcat(pool, "has ", has, " and ", counted(pool, ports->nelts, "port", "ports"),
                           ": each host has a port, or all have one", NULL);
    }
    return NULL;
}

/* One that is empty is the usual one. */
static int is_port(const char *text)
{
    char *end;
    long port = strtol(text, &end, 10);
    return *text == '\0' || (*end == '\0' && port >= 1 && port <= 65535);
}

static const char *why_no_port(apr_pool_t *pool, const apr_array_header_t *ports)
{
    int i;
    for (i = 0; ports != NULL && i < ports->nelts; i++) {
        const char *port = APR_ARRAY_IDX(ports, i, const char *);
        if (!is_port(port)) {
            return apr_pstrcat(pool, "has a port that is no number from 1 to 65535: ", port, NULL);
        }
    }
    return NULL;
}

const char *dsc_conninfo_error(apr_pool_t *pool, const char *conninfo)
{
    apr_array_header_t *elements[LISTS] = {NULL, NULL, NULL};
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    const char *error;

    split_lists(pool, options, elements);
    PQconninfoFree(options);
    error = why_not_matching(pool, elements);
    return error != NULL ? error : why_no_port(pool, elements[PORT]);
}
