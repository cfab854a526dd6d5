#include "module/config.h"

#include "access/server_secret.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <http_log.h>
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

void *dsc_config_create(apr_pool_t *pool, server_rec *server)
{
    dsc_server_config_t *config = apr_pcalloc(pool, sizeof(*config));
    (void)server;
    config->engine = DSC_NOT_SET;
    config->pool_size = DSC_NOT_SET;
    config->acquire_timeout = DSC_NOT_SET;
    config->statement_timeout = DSC_NOT_SET;
    config->area = -1;
    dsc_access_lines_init(pool, &config->access_lines);
    dsc_webhook_lines_init(pool, &config->webhook_lines);
    return config;
}

void *dsc_config_merge(apr_pool_t *pool, void *base_config, void *added_config)
{
    const dsc_server_config_t *base = base_config;
    const dsc_server_config_t *added = added_config;
    dsc_server_config_t *merged = dsc_config_create(pool, NULL);
#define TAKE_NUMBER(member) merged->member = dsc_config_number(added->member, base->member)
#define TAKE_TEXT(member)   merged->member = added->member ? added->member : base->member
    TAKE_NUMBER(engine);
    TAKE_NUMBER(pool_size);
    TAKE_NUMBER(acquire_timeout);
    TAKE_NUMBER(statement_timeout);
    TAKE_TEXT(database);
    TAKE_TEXT(read_database);
    TAKE_TEXT(secret_file);
    TAKE_TEXT(base_url);
    TAKE_TEXT(docs_url);
    TAKE_TEXT(portal_url);
#undef TAKE_NUMBER
#undef TAKE_TEXT
    dsc_access_lines_merge(pool, &base->access_lines, &added->access_lines, &merged->access_lines);
    dsc_webhook_lines_merge(pool, &base->webhook_lines, &added->webhook_lines,
                            &merged->webhook_lines);
    return merged;
}

/* ------------------------------------------------------------------ directives */

/* A directive that takes a number: where it goes and what is allowed. */
typedef struct {
    const char *name;
    size_t offset;
    int minimum, maximum;
    const char *unit;
} number_directive_t;

static const number_directive_t numbers[] = {
    {"DisclosedDatabasePool", APR_OFFSETOF(dsc_server_config_t, pool_size), 1, 1000, "connections"},
    {"DisclosedDatabaseTimeout", APR_OFFSETOF(dsc_server_config_t, acquire_timeout), 1, 60,
     "seconds"},
    {"DisclosedStatementTimeout", APR_OFFSETOF(dsc_server_config_t, statement_timeout), 1, 600,
     "seconds"},
};

static void *own_config(cmd_parms *cmd)
{
    return dsc_server_config(cmd->server);
}

static const char *set_number(cmd_parms *cmd, void *dummy, const char *argument)
{
    const number_directive_t *row = cmd->info;
    char *end;
    long value = strtol(argument, &end, 10);
    (void)dummy;
    if (!apr_isdigit(*argument) || *end || value < row->minimum || value > row->maximum) {
        return apr_psprintf(cmd->pool, "%s: \"%s\" is not a number of %s from %d to %d", row->name,
                            argument, row->unit, row->minimum, row->maximum);
    }
    *(int *)((char *)own_config(cmd) + row->offset) = (int)value;
    return NULL;
}

static const char *set_engine(cmd_parms *cmd, void *dummy, int on)
{
    (void)dummy;
    ((dsc_server_config_t *)own_config(cmd))->engine = on;
    return NULL;
}

static int has_password(const PQconninfoOption *option)
{
    for (; option->keyword; option++) {
        if (strcmp(option->keyword, "password") == 0 && option->val) {
            return 1;
        }
    }
    return 0;
}

/* Connection strings never carry a password: they show in `apachectl -t -D DUMP_CONFIG` and in
 * process lists. */
static const char *set_conninfo(cmd_parms *cmd, void *dummy, const char *argument)
{
    char *fault = NULL;
    PQconninfoOption *options = PQconninfoParse(argument, &fault);
    int password;
    (void)dummy;
    if (!*argument) {
        return apr_pstrcat(cmd->pool, cmd->cmd->name, ": the connection string is empty", NULL);
    }
    if (!options) {
        const char *text = apr_pstrdup(cmd->pool, fault ? fault : "out of memory");
        PQfreemem(fault);
        return apr_pstrcat(cmd->pool, cmd->cmd->name, ": not a libpq connection string: ", text,
                           NULL);
    }
    password = has_password(options);
    PQconninfoFree(options);
    if (password) {
        return apr_pstrcat(cmd->pool, cmd->cmd->name,
                           ": no password here; use libpq's passfile or a service file", NULL);
    }
    *(const char **)((char *)own_config(cmd) + (size_t)cmd->info) = argument;
    return NULL;
}

static const char *set_url(cmd_parms *cmd, void *dummy, const char *argument)
{
    size_t length = strlen(argument);
    (void)dummy;
    if (strncmp(argument, "http://", 7) != 0 && strncmp(argument, "https://", 8) != 0) {
        return apr_psprintf(cmd->pool, "%s: \"%s\" is not an absolute http:// or https:// URL",
                            cmd->cmd->name, argument);
    }
    while (length > 0 && argument[length - 1] == '/') {
        length--;
    }
    *(const char **)((char *)own_config(cmd) + (size_t)cmd->info) =
        apr_pstrmemdup(cmd->pool, argument, length);
    return NULL;
}

static const char *set_secret_file(cmd_parms *cmd, void *dummy, const char *argument)
{
    dsc_server_config_t *config = own_config(cmd);
    (void)dummy;
    config->secret_file = ap_server_root_relative(cmd->pool, argument);
    return config->secret_file
               ? NULL
               : apr_psprintf(cmd->pool, "DisclosedSecretFile: \"%s\" is not a path", argument);
}

#define AT(member) (void *)APR_OFFSETOF(dsc_server_config_t, member)

const command_rec dsc_directives[] = {
    AP_INIT_FLAG("DisclosedEngine", set_engine, NULL, RSRC_CONF, "On: this server answers /v1"),
    AP_INIT_TAKE1("DisclosedDatabase", set_conninfo, AT(database), RSRC_CONF,
                  "libpq connection string of the database, or service=NAME"),
    AP_INIT_TAKE1("DisclosedReadDatabase", set_conninfo, AT(read_database), RSRC_CONF,
                  "libpq connection string of replicas that serve the reads"),
    AP_INIT_TAKE1("DisclosedDatabasePool", set_number, (void *)&numbers[0], RSRC_CONF,
                  "most connections of one httpd process"),
    AP_INIT_TAKE1("DisclosedDatabaseTimeout", set_number, (void *)&numbers[1], RSRC_CONF,
                  "seconds that a request waits for a free connection"),
    AP_INIT_TAKE1("DisclosedStatementTimeout", set_number, (void *)&numbers[2], RSRC_CONF,
                  "seconds that one SQL statement may take"),
    AP_INIT_TAKE1("DisclosedSecretFile", set_secret_file, NULL, RSRC_CONF,
                  "file with the server secret: 64 hex digits, and those before on a second line"),
    AP_INIT_TAKE1("DisclosedBaseURL", set_url, AT(base_url), RSRC_CONF,
                  "absolute URL in front of /v1, as clients see it"),
    AP_INIT_TAKE1("DisclosedDocsURL", set_url, AT(docs_url), RSRC_CONF,
                  "absolute URL of the documentation, in front of /errors/<slug>"),
    AP_INIT_TAKE1("DisclosedPortalURL", set_url, AT(portal_url), RSRC_CONF,
                  "absolute URL of the place where clients get their keys"),
    AP_INIT_RAW_ARGS("DisclosedPlan", dsc_set_plan, NULL, RSRC_CONF,
                     "NAME setting=value ...: what the keys of a plan may do"),
    AP_INIT_TAKE2("DisclosedAddressLimit", dsc_set_address_limit, NULL, RSRC_CONF,
                  "RATE BURST: limit of each address that sends no valid key"),
    AP_INIT_TAKE2("DisclosedWeight", dsc_set_endpoint_number, NULL, RSRC_CONF,
                  "NAME|GLOB NUMBER: how many requests one of these endpoints counts as"),
    AP_INIT_TAKE2("DisclosedCredits", dsc_set_endpoint_number, NULL, RSRC_CONF,
                  "NAME|GLOB NUMBER: ask credits that an answer of one of these endpoints costs"),
    AP_INIT_TAKE2("DisclosedRequirePlan", dsc_set_gate, NULL, RSRC_CONF,
                  "NAME|GLOB PLAN: the least plan that may ask these endpoints"),
    AP_INIT_TAKE_ARGV("DisclosedDeprecation", dsc_set_deprecation, NULL, RSRC_CONF,
                      "NAME|GLOB DAY DAY [URL]: announces that endpoints will change or go"),
    AP_INIT_TAKE2("DisclosedEndpoint", dsc_set_endpoint, NULL, RSRC_CONF | ACCESS_CONF,
                  "NAME|GLOB On|Off: switches endpoints; the last line that fits decides"),
    AP_INIT_FLAG("DisclosedWebhooks", dsc_set_webhooks, NULL, RSRC_CONF,
                 "Off: this httpd sends nothing of what is queued for webhooks"),
    AP_INIT_ITERATE("DisclosedWebhookPorts", dsc_set_webhook_port, NULL, RSRC_CONF,
                    "ports that webhook URLs may name"),
    AP_INIT_ITERATE("DisclosedWebhookAllow", dsc_set_webhook_network, NULL, RSRC_CONF,
                    "networks that webhooks may call though they are not public"),
    AP_INIT_TAKE1("DisclosedWebhookCAFile", dsc_set_webhook_ca_file, NULL, RSRC_CONF,
                  "certificate authorities of receivers, PEM, in place of the system's"),
    AP_INIT_TAKE1("DisclosedWebhookProxy", dsc_set_webhook_proxy, NULL, RSRC_CONF,
                  "http:// or https:// URL of the proxy that webhooks go through"),
    {NULL},
};

/* --------------------------------------------------------------------- secrets */

const char *dsc_config_read_secrets(apr_pool_t *pool, dsc_server_config_t *config)
{
    dsc_server_secrets_t secrets;
    const char *fault = dsc_server_secrets_read(pool, config->secret_file, &secrets);
    int i;
    for (i = 0; i < secrets.count; i++) {
        dsc_server_secret_derive(secrets.secrets[i], "mod_disclosed cursor", config->secrets[i]);
        dsc_server_secret_derive(secrets.secrets[i], DSC_WEBHOOK_KEY_PURPOSE,
                                 config->webhook_keys[i]);
    }
    config->secret_count = secrets.count;
    dsc_server_secrets_forget(&secrets);
    return fault;
}

uint64_t dsc_config_identity(const char *conninfo)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *conninfo; conninfo++) {
        hash = (hash ^ (unsigned char)*conninfo) * UINT64_C(1099511628211);
    }
    return hash ? hash : 1;
}
