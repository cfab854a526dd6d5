#include "module/config.h"
#include "module/config_webhook.h"
#include "module/cors.h"

#include "access/server_secret.h"
#include "engine/conninfo.h"
#include "engine/digest.h"
#include "engine/hash.h"
#include "engine/regular_file.h"
#include "last_migration.inc"
#include "webhook/service.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <http_log.h>
#include <libpq-fe.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define NOT_SET(member, ...) config->member = DSC_NOT_SET;
#define EMPTY(member, directive, read, type, ...)                                                  \
    config->member = apr_array_make(pool, 0, sizeof(type));
#define NOTHING(...)

void *dsc_config_create(apr_pool_t *pool, server_rec *server)
{
    dsc_server_config_t *config = apr_pcalloc(pool, sizeof(*config));
    (void)server;
    DSC_SETTINGS(NOT_SET, NOT_SET, NOTHING, EMPTY, NOTHING)
    config->database_slot = -1;
    dsc_access_lines_init(pool, &config->access_lines);
    return config;
}

#define TAKE_NUMBER(member, ...)                                                                   \
    merged->member = added->member == DSC_NOT_SET ? base->member : added->member;
#define TAKE_TEXT(member, ...) merged->member = added->member ? added->member : base->member;
#define TAKE_LIST(member, ...) merged->member = added->member->nelts ? added->member : base->member;

void *dsc_config_merge(apr_pool_t *pool, void *base_config, void *added_config)
{
    const dsc_server_config_t *base = base_config;
    const dsc_server_config_t *added = added_config;
    dsc_server_config_t *merged = dsc_config_create(pool, NULL);
    DSC_SETTINGS(TAKE_NUMBER, TAKE_NUMBER, TAKE_TEXT, TAKE_LIST, NOTHING)
    dsc_access_lines_merge(pool, &base->access_lines, &added->access_lines, &merged->access_lines);
    return merged;
}

/* ------------------------------------------------------------- values of directives */

/* libpq marks what is secret, by whatever keyword. */
static int has_password(const PQconninfoOption *option)
{
    for (; option->keyword; option++) {
        if (strcmp(option->dispchar, "*") == 0 && option->val) {
            return 1;
        }
    }
    return 0;
}

/* Connection strings never carry a password: they show in `apachectl -t -D DUMP_CONFIG` and in
 * process lists. */
static const char *read_conninfo(cmd_parms *cmd, const char *argument, const char **value)
{
    char *error = NULL;
    PQconninfoOption *options;
    const char *wrong;
    int password;
    if (!argument[strspn(argument, " \t")]) {
        return "the connection string is empty";
    }
    options = PQconninfoParse(argument, &error);
    if (!options) {
        const char *text =
            error ? apr_pstrmemdup(cmd->pool, error, strcspn(error, "\n")) : "out of memory";
        PQfreemem(error);
        return apr_pstrcat(cmd->pool, "not a libpq connection string: ", text, NULL);
    }
    password = has_password(options);
    PQconninfoFree(options);
    if (password) { /* which no message repeats */
        return "no password here; use libpq's passfile or a service file";
    }
    if ((wrong = dsc_conninfo_error(cmd->pool, argument)) != NULL) {
        return apr_psprintf(cmd->pool, "\"%s\" %s", argument, wrong);
    }
    *value = argument;
    return NULL;
}

/* Whether a URL names a user (RFC 3986, section 3.2.1). */
static int has_user(const char *url)
{
    const char *authority = strstr(url, "://");
    return authority && authority[3 + strcspn(authority + 3, "/?#@")] == '@';
}

/* A URL without the slashes at its end. */
static const char *read_link(cmd_parms *cmd, const char *argument, const char **value)
{
    size_t length = strlen(argument);
    const char *error = has_user(argument) ? "no user or password here; clients see this URL"
                                           : dsc_url_error(cmd->pool, argument);
    while (!error && argument[length - 1] == '/') {
        length--;
    }
    *value = apr_pstrmemdup(cmd->pool, argument, length);
    return error;
}

/* A URL that paths are put behind. */
static const char *read_url(cmd_parms *cmd, const char *argument, const char **value)
{
    if (argument[strcspn(argument, "?#")]) {
        return apr_psprintf(cmd->pool,
                            "\"%s\" has a query or a fragment, which the paths behind it would "
                            "become a part of",
                            argument);
    }
    return read_link(cmd, argument, value);
}

/* What is put behind a URL does not stand at its end as well. */
static const char *refuse_end(cmd_parms *cmd, const char *argument, const char *url,
                              const char *end)
{
    size_t length = strlen(url), most = strlen(end);
    return length >= most && strcmp(url + length - most, end) == 0
               ? apr_psprintf(cmd->pool, "\"%s\" ends with %s, which is put behind it", argument,
                              end)
               : NULL;
}

/* The URL as clients write it: without a port that its scheme has anyway. */
static const char *without_port(apr_pool_t *pool, const char *url)
{
    const char *port = strncmp(url, "https:", 6) == 0 ? ":443" : ":80";
    const char *host = strstr(url, "://") + 3, *path = host + strcspn(host, "/");
    const char *end = path - strlen(port);
    return end > host && strncmp(end, port, strlen(port)) == 0
               ? apr_pstrcat(pool, apr_pstrmemdup(pool, url, (size_t)(end - url)), path, NULL)
               : url;
}

static const char *read_base_url(cmd_parms *cmd, const char *argument, const char **value)
{
    const char *error = read_url(cmd, argument, value);
    error = error ? error : refuse_end(cmd, argument, *value, DSC_EARLIER);
    error = error ? error : refuse_end(cmd, argument, *value, DSC_PUBLIC);
    *value = error ? *value : without_port(cmd->pool, *value);
    return error;
}

static const char *read_docs_url(cmd_parms *cmd, const char *argument, const char **value)
{
    const char *error = read_url(cmd, argument, value);
    return error ? error : refuse_end(cmd, argument, *value, "/errors");
}

/* The URL as its server knows it: a query, or a slash at the end, may be part of that. */
static const char *read_model(cmd_parms *cmd, const char *argument, const char **value)
{
    *value = argument;
    if (has_user(argument)) {
        return "no user or password here; put a bearer token into the file of "
               "DisclosedAskModelKeyFile";
    }
    return strchr(argument, '#')
               ? apr_psprintf(cmd->pool, "\"%s\" has a fragment, which no server is sent", argument)
               : dsc_url_error(cmd->pool, argument);
}

static const char *read_proxy(cmd_parms *cmd, const char *argument, const char **value)
{
    return has_user(argument)
               ? "no user or password here; let the proxy know this host by its address"
               : read_url(cmd, argument, value);
}

static const char *read_path(cmd_parms *cmd, const char *argument, const char **value)
{
    *value = ap_server_root_relative(cmd->pool, argument);
    return *value ? NULL : apr_psprintf(cmd->pool, "\"%s\" is not a path", argument);
}

static const char *read_certificates(cmd_parms *cmd, const char *argument, const char **value)
{
    const char *error = read_path(cmd, argument, value);
    error = error ? error : dsc_regular_file_error(cmd->pool, *value);
    return error || dsc_is_certificates(*value)
               ? error
               : apr_psprintf(cmd->pool, "\"%s\" is not made of certificates in PEM", *value);
}

static const char *read_word(cmd_parms *cmd, const char *argument, const char **value)
{
    *value = argument;
    return *argument ? NULL : apr_pstrcat(cmd->pool, cmd->cmd->name, " is empty", NULL);
}

static const char *read_cache(cmd_parms *cmd, const char *argument, const char **value)
{
    int is_off = ap_cstr_casecmp(argument, DSC_CACHE_OFF) == 0;
    *value = is_off ? DSC_CACHE_OFF : argument;
    return is_off ? NULL : dsc_socache_check(cmd->temp_pool, argument);
}

static const char *read_port(cmd_parms *cmd, const char *argument, apr_array_header_t *ports)
{
    char *end;
    long number = strtol(argument, &end, 10);
    if (!apr_isdigit(*argument) || *end || number < 1 || number > 65535) {
        return apr_psprintf(cmd->pool, "\"%s\" is not a port from 1 to 65535", argument);
    }
    APR_ARRAY_PUSH(ports, int) = (int)number;
    return NULL;
}

static const char *read_network(cmd_parms *cmd, const char *argument, apr_array_header_t *networks)
{
    apr_ipsubnet_t **network = apr_array_push(networks);
    char *address = apr_pstrdup(cmd->pool, argument);
    char *bits = strchr(address, '/');
    if (bits) {
        *bits++ = '\0';
    }
    if (strspn(address, "0123456789abcdefABCDEF.:") != strlen(address) ||
        apr_ipsubnet_create(network, address, bits, cmd->pool) != APR_SUCCESS) {
        return apr_psprintf(cmd->pool, "\"%s\" is not a network, e.g. 10.1.0.0/16", argument);
    }
    return NULL;
}

/* ------------------------------------------------------------------ directives */

/* Where a value goes, and what is allowed: `info` of a directive. */
typedef struct {
    size_t offset; /* in dsc_server_config_t */
    int least, most;
    const char *unit;
    const char *(*read_text)(cmd_parms *cmd, const char *argument, const char **value);
    const char *(*read_element)(cmd_parms *cmd, const char *argument, apr_array_header_t *list);
} setting_t;

#define AT(member)                .offset = APR_OFFSETOF(dsc_server_config_t, member)
#define FLAG_SETTING(member, ...) static const setting_t member##_setting = {AT(member)};
#define NUMBER_SETTING(member, name, value, least_, most_, unit_, ...)                             \
    static const setting_t member##_setting = {AT(member), .least = (least_), .most = (most_),     \
                                               .unit = (unit_)};
#define TEXT_SETTING(member, name, read, ...)                                                      \
    static const setting_t member##_setting = {AT(member), .read_text = (read)};
#define LIST_SETTING(member, name, read, ...)                                                      \
    static const setting_t member##_setting = {AT(member), .read_element = (read)};
DSC_SETTINGS(FLAG_SETTING, NUMBER_SETTING, TEXT_SETTING, LIST_SETTING, NOTHING)

/* The member that the directive sets. */
static void *member_of(const cmd_parms *cmd)
{
    return (char *)dsc_server_config(cmd->server) + ((const setting_t *)cmd->info)->offset;
}

/* "DisclosedBaseURL: ...", or NULL. */
static const char *error_of(const cmd_parms *cmd, const char *error)
{
    return error ? apr_pstrcat(cmd->pool, cmd->cmd->name, ": ", error, NULL) : NULL;
}

static const char *set_flag(cmd_parms *cmd, void *directory, int on)
{
    (void)directory;
    *(int *)member_of(cmd) = on;
    return NULL;
}

static const char *set_number(cmd_parms *cmd, void *directory, const char *argument)
{
    const setting_t *setting = cmd->info;
    char *end;
    long value = strtol(argument, &end, 10);
    (void)directory;
    if (!apr_isdigit(*argument) || *end || value < setting->least || value > setting->most) {
        return apr_psprintf(cmd->pool, "%s: \"%s\" is not a number of %s from %d to %d",
                            cmd->cmd->name, argument, setting->unit, setting->least, setting->most);
    }
    *(int *)member_of(cmd) = (int)value;
    return NULL;
}

static const char *set_text(cmd_parms *cmd, void *directory, const char *argument)
{
    (void)directory;
    return error_of(cmd, ((const setting_t *)cmd->info)->read_text(cmd, argument, member_of(cmd)));
}

static const char *add_element(cmd_parms *cmd, void *directory, const char *argument)
{
    apr_array_header_t *list = *(apr_array_header_t **)member_of(cmd);
    (void)directory;
    return error_of(cmd, ((const setting_t *)cmd->info)->read_element(cmd, argument, list));
}

#define INFO(member) ((void *)&member##_setting)
#define FLAG_DIRECTIVE(member, name, value, text)                                                  \
    AP_INIT_FLAG(name, set_flag, INFO(member), RSRC_CONF, text),
#define NUMBER_DIRECTIVE(member, name, value, least, most, unit, text)                             \
    AP_INIT_TAKE1(name, set_number, INFO(member), RSRC_CONF, text),
#define TEXT_DIRECTIVE(member, name, read, text)                                                   \
    AP_INIT_TAKE1(name, set_text, INFO(member), RSRC_CONF, text),
#define LIST_DIRECTIVE(member, name, read, type, text)                                             \
    AP_INIT_ITERATE(name, add_element, INFO(member), RSRC_CONF, text),
#define LINES_DIRECTIVE(arguments, name, set, context, text)                                       \
    AP_INIT_##arguments(name, set, NULL, context, text),

const command_rec dsc_directives[] = {
    DSC_SETTINGS(FLAG_DIRECTIVE, NUMBER_DIRECTIVE, TEXT_DIRECTIVE, LIST_DIRECTIVE,
                 LINES_DIRECTIVE){NULL},
};

/* --------------------------------------------------------------------- secrets */

/* What all that a server keeps has in common. Bodies hold cursors, which are sealed with the
 * secrets. */
static void make_cache_key(apr_pool_t *pool, dsc_server_config_t *config,
                           const dsc_server_secrets_t *secrets)
{
    const char *text = apr_pstrcat(pool, DISCLOSED_VERSION " " DISCLOSED_LAST_MIGRATION " ",
                                   config->database, NULL);
    dsc_buffer_t *parts = dsc_buffer_create(pool, 512);
    unsigned char key[DSC_SERVER_SECRET_SIZE];
    int i;
    for (i = 0; i < secrets->count; i++) {
        dsc_server_secret_derive(secrets->secrets[i], "mod_disclosed responses", key);
        dsc_buffer_append(parts, (const char *)key, sizeof(key));
    }
    dsc_buffer_append_text(parts, text);
    /* Not by dsc_sha256(): what that one keeps would be lost when httpd reloads the module. */
    if (EVP_Digest(parts->data, parts->length, config->cache_key, NULL, EVP_sha256(), NULL) != 1) {
        abort();
    }
}

const char *dsc_config_read_secrets(apr_pool_t *pool, dsc_server_config_t *config)
{
    dsc_server_secrets_t secrets;
    const char *error = dsc_server_secrets_read(pool, config->secret_file, &secrets);
    int i;
    for (i = 0; i < secrets.count; i++) {
        dsc_server_secret_derive(secrets.secrets[i], "mod_disclosed cursor", config->secrets[i]);
        dsc_server_secret_derive(secrets.secrets[i], DSC_WEBHOOK_KEY_PURPOSE,
                                 config->webhook_keys[i]);
    }
    config->secret_count = secrets.count;
    make_cache_key(pool, config, &secrets);
    dsc_server_secrets_forget(&secrets);
    return error;
}

const char *dsc_config_read_ask_key(apr_pool_t *pool, const dsc_server_config_t *config,
                                    const char **key)
{
    const char *error;
    *key = NULL;
    if (!config->ask_model_key_file) {
        return NULL;
    }
    error = dsc_token_read(pool, config->ask_model_key_file, key);
    return error ? apr_pstrcat(pool, "DisclosedAskModelKeyFile: ", error, NULL) : NULL;
}

uint64_t dsc_config_identity(const char *conninfo)
{
    uint64_t hash = dsc_hash_text(DSC_HASH_START, conninfo);
    return hash ? hash : 1;
}
