/* mod_disclosed: serves a PostgreSQL database of company disclosures as an HTTP/JSON API.
 *
 * Start-up, in the order in which it happens:
 * 1. check_config (also for `apachectl configtest`): what a server with the engine on must have.
 * 2. post_config, real pass: shared memory, services, the background process (watcher.c).
 * 3. child_init, in each httpd process: connection pools.
 * A request is claimed in translate_name and answered by the handler (lifecycle.c). */
#include "ask/ask_model.h"
#include "access/credits.h"
#include "datasets/datasets.h"
#include "describe/descriptions.h"
#include "engine/outage.h"
#include "mod_disclosed.h"
#include "module/config.h"
#include "module/config_webhook.h"
#include "module/handler.h"
#include "module/lifecycle.h"
#include "module/log.h"
#include "module/mcp_handler.h"
#include "module/observe.h"
#include "module/read_servers.h"
#include "module/report.h"
#include "module/response_cache.h"
#include "module/sections.h"
#include "module/wake.h"
#include "module/watched.h"
#include "module/watcher.h"
#include "registry.h"

#include <unistd.h>
#include <ap_listen.h>
#include <ap_mpm.h>
#include <apr_hash.h>
#include <apr_shm.h>
#include <apr_strings.h>
#include <apr_uri.h>
#include <http_core.h>
#include <http_protocol.h>
#include <http_request.h>
#include <mpm_common.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define RETAINED_KEY "mod_disclosed"

/* What outlives restarts: plain data only, because the module itself is unloaded in between. */
typedef struct {
    apr_shm_t *memory;
} retained_t;

static dsc_shared_state_t *shared;
static dsc_registry_t *registry;
static apr_array_header_t *caches; /* of dsc_socache_t *, of this configuration */

/* --------------------------------------------------------------- configuration */

static int is_on(const dsc_server_config_t *config)
{
    return DSC_SETTING(config, engine);
}

/* What a server with the engine on lacks; NULL when it is complete. */
static const char *lacks(apr_pool_t *pool, dsc_server_config_t *config)
{
    const char *error, *key;
    if (!config->database) {
        return "DisclosedEngine is On, but DisclosedDatabase is not set";
    }
    if (!config->secret_file) {
        return "DisclosedEngine is On, but DisclosedSecretFile is not set";
    }
    error = dsc_access_check(pool, &config->access_lines);
    error = error ? error : dsc_config_read_ask_key(pool, config, &key);
    return error ? error : dsc_config_read_secrets(pool, config);
}

static int pre_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp)
{
    (void)plog;
    (void)ptemp;
    dsc_observe_register_log(pconf);
    dsc_report_register_status(pconf);
    return dsc_socache_register(pconf) == APR_SUCCESS ? OK : HTTP_INTERNAL_SERVER_ERROR;
}

/* Whether shared memory has slots for all databases and replicas: logged before httpd would end
 * because it lacks them. */
static int has_places(apr_pool_t *pool, server_rec *main_server)
{
    apr_hash_t *databases = apr_hash_make(pool), *replicas = apr_hash_make(pool);
    server_rec *server;
    for (server = main_server; server; server = server->next) {
        const dsc_server_config_t *config = dsc_server_config(server);
        if (is_on(config)) {
            apr_hash_set(databases, config->database, APR_HASH_KEY_STRING, "");
            dsc_read_servers_name(replicas, config);
        }
    }
    if (apr_hash_count(databases) > DSC_DATABASES) {
        ap_log_error(DSC_MESSAGE(MANY_DATABASES, 0, main_server), DSC_DATABASES);
        return 0;
    }
    if (apr_hash_count(replicas) > DSC_REPLICAS) {
        ap_log_error(DSC_MESSAGE(MANY_REPLICAS, 0, main_server), DSC_REPLICAS);
        return 0;
    }
    return 1;
}

static int check_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp,
                        server_rec *main_server)
{
    server_rec *server;
    (void)plog;
    for (server = main_server; server; server = server->next) {
        dsc_server_config_t *config = dsc_server_config(server);
        const char *error = is_on(config) ? lacks(pconf, config) : NULL;
        if (error) {
            ap_log_error(DSC_MESSAGE(INCOMPLETE, 0, server), error,
                         server->server_hostname ? server->server_hostname : "main");
            return HTTP_INTERNAL_SERVER_ERROR;
        }
    }
    return has_places(ptemp, main_server) ? OK : HTTP_INTERNAL_SERVER_ERROR;
}

/* -------------------------------------------------------------- shared memory */

/* The segment of the generations before, or a new one. */
static apr_status_t attach_shared(server_rec *server)
{
    apr_pool_t *process_pool = server->process->pool;
    retained_t *retained = ap_retained_data_get(RETAINED_KEY);
    apr_status_t rv;
    if (!retained) {
        retained = ap_retained_data_create(RETAINED_KEY, sizeof(*retained));
    }
    if (retained->memory) {
        shared = apr_shm_baseaddr_get(retained->memory);
        if (dsc_shared_state_fits(shared, apr_shm_size_get(retained->memory))) {
            return APR_SUCCESS;
        }
        /* It stays mapped in this process: the leaving children of that build have slots in it. */
        ap_log_error(DSC_MESSAGE(OTHER_BUILD, 0, server));
    }
    rv = apr_shm_create(&retained->memory, sizeof(dsc_shared_state_t), NULL, process_pool);
    if (rv != APR_SUCCESS) {
        retained->memory = NULL;
        ap_log_error(DSC_MESSAGE(NO_SHARED_MEMORY, rv, server), sizeof(dsc_shared_state_t));
        return rv;
    }
    shared =
        apr_shm_baseaddr_get(retained->memory); /* all zeros, and no memory if it is not used */
    if (!dsc_shared_state_init(shared)) {
        ap_log_error(DSC_MESSAGE(NO_SHARED_MEMORY, APR_EGENERAL, server), sizeof(*shared));
        return APR_EGENERAL;
    }
    return APR_SUCCESS;
}

/* -------------------------------------------------------------------- services */

/* The version of a dataset; 0 while nobody watches. */
static unsigned long long dataset_version(int dataset, void *baton)
{
    const dsc_server_config_t *config = baton;
    dsc_database_slot_t *slot = &shared->database_slots[config->database_slot];
    return dsc_database_was_seen(slot, (uint64_t)dsc_monotonic_now(), apr_time_from_sec(2))
               ? atomic_load(&slot->versions[dataset])
               : 0;
}

static const dsc_webhook_service_t *make_webhooks(apr_pool_t *pconf,
                                                  const dsc_server_config_t *config,
                                                  const char *docs_url)
{
    dsc_webhook_service_t *webhooks = apr_pcalloc(pconf, sizeof(*webhooks));
    memcpy(webhooks->keys, config->webhook_keys, sizeof(webhooks->keys));
    webhooks->key_count = config->secret_count;
    webhooks->sends = DSC_SETTING(config, webhooks);
    dsc_webhook_http(pconf, config, docs_url, &webhooks->http);
    return webhooks;
}

/* What words ask answers; NULL: rules alone. */
static const dsc_ask_model_t *make_ask_model(apr_pool_t *pconf, const dsc_server_config_t *config)
{
    dsc_ask_model_t *model = apr_pcalloc(pconf, sizeof(*model));
    if (!config->ask_model) {
        return NULL;
    }
    model->state = apr_pcalloc(pconf, sizeof(*model->state));
    model->url = config->ask_model;
    model->name = config->ask_model_name;
    (void)dsc_config_read_ask_key(pconf, config, &model->key);
    model->timeout = apr_time_from_sec(DSC_SETTING(config, ask_model_timeout));
    model->most_tokens = DSC_SETTING(config, ask_model_tokens);
    return model;
}

static void log_ask_model(dsc_call_t *call, const char *error)
{
    ap_log_perror(DSC_MESSAGE(ASK_MODEL_FAILED, 0, call->pool), call->request_id, error);
}

/* The port that clients ask the server at: as ServerName, the virtual host or Listen says. */
static apr_port_t port_of(const server_rec *server)
{
    const ap_listen_rec *listener;
    if (server->port || server->server_scheme) { /* a name with a scheme has the scheme's port */
        return server->port ? server->port : apr_uri_port_of_scheme(server->server_scheme);
    }
    if (server->addrs && server->addrs->host_port) {
        return server->addrs->host_port;
    }
    for (listener = ap_listeners; listener; listener = listener->next) {
        if (listener->bind_addr->port == DEFAULT_HTTP_PORT) {
            return DEFAULT_HTTP_PORT;
        }
    }
    return ap_listeners ? ap_listeners->bind_addr->port : DEFAULT_HTTP_PORT;
}

/* The server's URL if DisclosedBaseURL does not say it, without a port that its scheme has
 * anyway. */
static const char *make_base_url(apr_pool_t *pconf, const server_rec *server)
{
    apr_port_t port = port_of(server);
    const char *scheme = server->server_scheme        ? server->server_scheme
                         : port == DEFAULT_HTTPS_PORT ? "https"
                                                      : "http";
    const char *name = server->server_hostname;
    name = strchr(name, ':') ? apr_psprintf(pconf, "[%s]", name) : name;
    return port == apr_uri_port_of_scheme(scheme)
               ? apr_pstrcat(pconf, scheme, "://", name, NULL)
               : apr_psprintf(pconf, "%s://%s:%u", scheme, name, (unsigned)port);
}

static void make_service(apr_pool_t *pconf, server_rec *server, dsc_server_config_t *config)
{
    dsc_service_t *service = apr_pcalloc(pconf, sizeof(*service));
    service->registry = registry;
    service->cursor_key = config->secrets[0];
    service->previous_cursor_key = config->secret_count > 1 ? config->secrets[1] : NULL;
    service->base_url = config->base_url ? config->base_url : make_base_url(pconf, server);
    service->docs_url =
        config->docs_url ? config->docs_url : apr_pstrcat(pconf, service->base_url, "/docs", NULL);
    service->portal_url = config->portal_url;
    service->handlers = make_webhooks(pconf, config, service->docs_url);
    service->ask_model = make_ask_model(pconf, config);
    service->ask_model_failed = log_ask_model;
    service->reserve = dsc_credits_reserve;
    service->settle = dsc_credits_settle;
    service->version = dataset_version;
    service->watch_baton = config;
    service->find_company = dsc_find_company;
    config->service = service;
    config->access = dsc_access_make(pconf, &config->access_lines, registry);
    service->costs = config->access->costs;
    service->deprecations = config->access->deprecations;
    config->sections = dsc_sections_make(pconf, server);
}

/* The watched database of that slot, which is added if it is new. NULL, and a message in the log:
 * the system lacks descriptors. */
static dsc_watched_t *watched_of(apr_array_header_t *watched, const server_rec *server,
                                 const dsc_server_config_t *config)
{
    dsc_watched_t *added;
    apr_status_t rv;
    int i;
    for (i = 0; i < watched->nelts; i++) {
        if (APR_ARRAY_IDX(watched, i, dsc_watched_t).database_slot == config->database_slot) {
            return &APR_ARRAY_IDX(watched, i, dsc_watched_t);
        }
    }
    rv = dsc_wake_create(watched->pool, config->database_slot);
    if (rv != APR_SUCCESS) {
        ap_log_error(DSC_MESSAGE(NO_WATCHER, rv, server));
        return NULL;
    }
    added = apr_array_push(watched);
    memset(added, 0, sizeof(*added));
    added->conninfo = config->database;
    added->database_slot = config->database_slot;
    added->pool_size = DSC_SETTING(config, pool_size);
    added->plans = apr_array_make(watched->pool, 4, sizeof(const char *));
    added->replicas = apr_array_make(watched->pool, 2, sizeof(dsc_watched_replica_t));
    return added;
}

/* What a server adds to the webhooks of its database: the first one that sends them does so for
 * all. */
static void add_webhooks(dsc_watched_t *watched, const dsc_server_config_t *config)
{
    const apr_array_header_t *plans = config->access->plans;
    int i;
    if (!watched->service || !dsc_webhooks_of(watched->service)->sends) {
        watched->service = config->service;
    }
    for (i = 0; i < plans->nelts; i++) {
        const dsc_plan_t *plan = &APR_ARRAY_IDX(plans, i, dsc_plan_t);
        if (plan->webhooks) {
            APR_ARRAY_PUSH(watched->plans, const char *) = plan->name;
        }
    }
}

/* Gives the server's database its slot; several servers may share one. */
static int add_watched(apr_array_header_t *watched, server_rec *server, dsc_server_config_t *config)
{
    dsc_watched_t *one;
    config->database_slot = dsc_database_slot(shared, dsc_config_identity(config->database),
                                              (uint64_t)dsc_monotonic_now());
    if (config->database_slot < 0) {
        ap_log_error(DSC_MESSAGE(MANY_DATABASES, 0, server), DSC_DATABASE_SLOTS);
        return 0;
    }
    if (!dsc_read_servers_find(watched->pool, shared, config)) {
        ap_log_error(DSC_MESSAGE(MANY_REPLICAS, 0, server), DSC_REPLICA_SLOTS);
        return 0;
    }
    one = watched_of(watched, server, config);
    if (!one) {
        return 0;
    }
    add_webhooks(one, config);
    dsc_read_servers_watch(one, config);
    return 1;
}

/* Has all databases keep the slots that they had, before others get those that were left. */
static void keep_slots(server_rec *main_server)
{
    server_rec *server;
    for (server = main_server; server; server = server->next) {
        const dsc_server_config_t *config = dsc_server_config(server);
        if (is_on(config)) {
            dsc_database_keep(shared, dsc_config_identity(config->database),
                              (uint64_t)dsc_monotonic_now());
        }
    }
}

static apr_status_t open_shared(server_rec *main_server)
{
    apr_status_t rv = attach_shared(main_server);
    if (rv == APR_SUCCESS) {
        keep_slots(main_server);
    }
    return rv;
}

/* Whether httpd serves already: then nothing that it can do without may end it. */
static int is_restart(void)
{
    int generation = 0;
    return ap_mpm_query(AP_MPMQ_GENERATION, &generation) == APR_SUCCESS && generation > 0;
}

/* Gives the server the cache of its directives. A cache that no directive names may be missing:
 * this is logged once. */
static int open_cache(server_rec *server, dsc_server_config_t *config, int *told)
{
    const char *name = server->server_hostname ? server->server_hostname : "main";
    int refused;
    const char *reason = dsc_response_cache_open(caches, server, config, &refused);
    if (refused && !is_restart()) {
        ap_log_error(DSC_MESSAGE(CACHE_REFUSED, 0, server), config->cache, reason, name);
        return 0;
    }
    if (refused) {
        ap_log_error(DSC_MESSAGE(CACHE_LOST, 0, server), config->cache, reason, name);
    } else if (reason && !*told) {
        ap_log_error(DSC_MESSAGE(NO_CACHE, 0, server), reason, name);
        *told = 1;
    }
    if (config->socache) {
        config->service->recall = dsc_response_recall;
        config->service->keep = dsc_response_keep;
    }
    return 1;
}

/* Logs the virtual hosts whose /v1 the API serves because the main server has it on: those without
 * the directive. */
static void log_sites(apr_pool_t *pool, server_rec *main_server)
{
    const dsc_server_config_t *main_config = dsc_server_config(main_server), *config;
    const char *names = NULL;
    server_rec *server;
    for (server = main_server->next; server; server = server->next) {
        config = dsc_server_config(server);
        if (is_on(main_config) && is_on(config) && config->base_url == main_config->base_url) {
            names =
                apr_pstrcat(pool, names ? names : "", names ? ", " : "",
                            server->server_hostname ? server->server_hostname : "a virtual host",
                            NULL);
        }
    }
    if (names) {
        ap_log_error(DSC_MESSAGE(SEVERAL_SITES, 0, main_server), names);
    }
}

/* httpd gives a virtual host without a directive of ours the main server's configuration itself,
 * not one of its own. */
static void separate(apr_pool_t *pconf, server_rec *main_server)
{
    dsc_server_config_t *main_config = dsc_server_config(main_server);
    server_rec *server;
    for (server = main_server->next; server; server = server->next) {
        if (dsc_server_config(server) == main_config) {
            ap_set_module_config(server->module_config, &disclosed_module,
                                 apr_pmemdup(pconf, main_config, sizeof(*main_config)));
        }
    }
}

static int post_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp,
                       server_rec *main_server)
{
    apr_array_header_t *watched = apr_array_make(pconf, 2, sizeof(dsc_watched_t));
    server_rec *server;
    int told = 0;
    (void)plog;

    if (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG) {
        return OK;
    }
    separate(pconf, main_server);
    log_sites(ptemp, main_server);
    registry = dsc_registry_create(pconf, dsc_endpoints);
    caches = apr_array_make(pconf, 1, sizeof(dsc_socache_t *));
    for (server = main_server; server; server = server->next) {
        dsc_server_config_t *config = dsc_server_config(server);
        if (!is_on(config)) {
            continue;
        }
        make_service(pconf, server, config);
        if ((!shared && open_shared(main_server) != APR_SUCCESS) ||
            !add_watched(watched, server, config) || !open_cache(server, config, &told)) {
            return HTTP_INTERNAL_SERVER_ERROR;
        }
    }
    dsc_watched_use(watched);
    if (watched->nelts && dsc_watcher_start(pconf, main_server, shared, watched) != APR_SUCCESS) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return OK;
}

/* ----------------------------------------------------------------- httpd child */

static int is_silent(void *replica)
{
    return dsc_replica_is_silent(replica, (uint64_t)dsc_monotonic_now());
}

/* Searches of a process that are in PostgreSQL at the same time. By default it is taken to have as
 * many processors as this host: all processes together have two for each, because not all of them
 * are asked at any time. */
static int searches_of(const dsc_server_config_t *config)
{
    int searches = DSC_SETTING(config, searches), processes = 1;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (searches > 0) {
        return searches;
    }
    ap_mpm_query(AP_MPMQ_MAX_DAEMONS, &processes);
    searches = (int)(2 * processors / (processes > 0 ? processes : 1));
    return searches > 1 ? searches : 1;
}

static dsc_database_t *open_database(apr_pool_t *pool, server_rec *server,
                                     const dsc_server_config_t *config, const char *conninfo,
                                     dsc_replica_slot_t *replica)
{
    dsc_database_config_t settings = {0};
    dsc_database_t *database = NULL;
    int threads = 1;
    ap_mpm_query(AP_MPMQ_MAX_THREADS, &threads);
    settings.most_waiting = threads / 2;
    settings.most_waiting_of_account = threads < 4 ? 1 : threads / 4;
    settings.conninfo = conninfo;
    settings.maximum = DSC_SETTING(config, pool_size);
    settings.searches = searches_of(config);
    settings.acquire_timeout = apr_time_from_sec(DSC_SETTING(config, acquire_timeout));
    settings.statement_timeout = apr_time_from_sec(DSC_SETTING(config, statement_timeout));
    settings.application_name = "mod_disclosed";
    settings.log = dsc_log;
    settings.log_baton = server;
    settings.is_silent = replica ? is_silent : NULL;
    settings.silence_baton = replica;
    if (dsc_database_create(pool, &settings, &database) != APR_SUCCESS) {
        ap_log_error(DSC_MESSAGE(NO_POOL, 0, server));
    }
    return database;
}

/* The pool of a server before this one with the same database and sizes; NULL when there is
 * none. */
static const dsc_server_config_t *find_same(const server_rec *first, const server_rec *last,
                                            const dsc_server_config_t *config)
{
    const server_rec *server;
    for (server = first; server != last; server = server->next) {
        const dsc_server_config_t *other = dsc_server_config(server);
        if (other->service && other->key_database &&
            strcmp(other->database, config->database) == 0 &&
            strcmp(other->read_database ? other->read_database : "",
                   config->read_database ? config->read_database : "") == 0 &&
            other->pool_size == config->pool_size && other->searches == config->searches &&
            other->acquire_timeout == config->acquire_timeout &&
            other->statement_timeout == config->statement_timeout) {
            return other;
        }
    }
    return NULL;
}

static void open_databases(apr_pool_t *pool, server_rec *main_server, server_rec *server,
                           dsc_server_config_t *config)
{
    const dsc_server_config_t *same = find_same(main_server, server, config);
    if (same) {
        config->key_database = same->key_database;
        config->service->database = same->service->database;
        config->service->replicas = same->service->replicas;
        config->service->replica_is_fit = same->service->replica_is_fit;
        config->service->replica_was_silent = same->service->replica_was_silent;
        return;
    }
    config->key_database = open_database(pool, server, config, config->database, NULL);
    config->service->database = config->key_database;
    if (!config->key_database ||
        !dsc_read_servers_open(pool, server, config, shared, open_database)) {
        config->service = NULL;
    }
}

/* Blocks from this size on go back to the system when they are freed. By itself glibc raises it to
 * the size of the largest that was, and what one long response took stays with the process. */
static void bound_heap(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
#endif
}

static void child_init(apr_pool_t *pchild, server_rec *main_server)
{
    server_rec *server;
    bound_heap();
    dsc_handler_init(shared);
    dsc_observe_init(shared, main_server);
    dsc_report_init(shared, registry, caches);
    dsc_response_cache_init(shared, caches, pchild);
    for (server = main_server; server; server = server->next) {
        dsc_server_config_t *config = dsc_server_config(server);
        if (config->service) {
            config->service->descriptions = dsc_descriptions_create(pchild);
            open_databases(pchild, main_server, server, config);
        }
    }
}

/* -------------------------------------------------------------------- requests */

static int is_ours(const request_rec *r)
{
    return dsc_server_config(r->server)->service && dsc_owns_path(r->uri);
}

static int claim(request_rec *r)
{
    if (!is_ours(r)) {
        return DECLINED;
    }
    r->handler = DSC_HANDLER_NAME;
    r->filename = apr_pstrcat(r->pool, "disclosed:", r->uri, NULL);
    return OK;
}

/* There is no file behind the name: httpd need not look for one. */
static int skip_files(request_rec *r)
{
    return r->handler && strcmp(r->handler, DSC_HANDLER_NAME) == 0 ? OK : DECLINED;
}

/* Directories come between the server and the locations, which httpd adds behind this hook. */
static int skip_storage(request_rec *r)
{
    int status = skip_files(r);
    const apr_array_header_t *sections = dsc_server_config(r->server)->sections;
    if (status == OK && sections) {
        dsc_sections_apply(r, sections);
    }
    return status;
}

/* What an admin rewrites or forbids comes first, whatever the order of LoadModule; what this server
 * serves itself is not passed to others by a ProxyPass of all paths. */
static const char *const before_claim[] = {"mod_rewrite.c", NULL};
static const char *const after_claim[] = {"mod_proxy.c", "mod_alias.c", NULL};

static void register_hooks(apr_pool_t *pool)
{
    (void)pool;
    dsc_tables_use(&dsc_tables);
    dsc_error_filter_register();
    dsc_response_cache_register();
    APR_REGISTER_OPTIONAL_FN(disclosed_request_id);
    ap_hook_pre_config(pre_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_log_transaction(dsc_observe, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_check_config(check_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_post_config(post_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_child_init(child_init, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_monitor(dsc_watcher_monitor, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_translate_name(claim, before_claim, after_claim, APR_HOOK_FIRST);
    ap_hook_map_to_storage(skip_storage, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_type_checker(skip_files, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_handler(dsc_handle, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_handler(dsc_mcp_handle, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_handler(dsc_report_handle, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_insert_error_filter(dsc_error_filter_insert, NULL, NULL, APR_HOOK_LAST);
}

AP_DECLARE_MODULE(disclosed) = {
    STANDARD20_MODULE_STUFF,
    dsc_directory_config_create,
    dsc_directory_config_merge,
    dsc_config_create,
    dsc_config_merge,
    dsc_directives,
    register_hooks,
    AP_MODULE_FLAG_NONE,
};
