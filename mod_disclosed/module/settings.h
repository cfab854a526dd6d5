/* The directives, each once. From this list come the members of a server's configuration, what
 * holds if nothing is set, what virtual hosts inherit, the table that httpd gets, and what
 * t/guards/directives.t holds the documentation to.
 *
 * FLAG(member, directive, default, text)                          On or Off: int
 * NUMBER(member, directive, default, least, most, unit, text)     int
 * TEXT(member, directive, read, text)                             const char *, NULL if nothing is
 * set; `read` checks it LIST(member, directive, read, type, text)                       array of
 * `type`, a word each; empty if nothing is set; `read` adds to it LINES(arguments, directive, set,
 * context, text)                 lines that add up, kept by config_access.c */
#ifndef DSC_SETTINGS_H
#define DSC_SETTINGS_H

/* clang-format off */
#define DSC_SETTINGS(FLAG, NUMBER, TEXT, LIST, LINES) \
    FLAG(engine, "DisclosedEngine", 0, "On: this server serves /v1") \
    TEXT(database, "DisclosedDatabase", read_conninfo, "libpq connection string of the database, or service=NAME") \
    TEXT(read_database, "DisclosedReadDatabase", read_conninfo, \
         "libpq connection string of replicas that serve the reads") \
    NUMBER(replica_lag, "DisclosedReplicaLag", 10, 3, 7200, "seconds", \
           "seconds that a replica may be behind and still be read from") \
    NUMBER(pool_size, "DisclosedDatabasePool", 8, 1, 1000, "connections", "most connections of one httpd process") \
    NUMBER(searches, "DisclosedSearchConcurrency", 0, 0, 1000, "searches", \
           "most searches of one httpd process that are in PostgreSQL at the same time; 0: as its processors suggest") \
    NUMBER(acquire_timeout, "DisclosedDatabaseTimeout", 2, 1, 60, "seconds", \
           "seconds that a request waits for a free connection") \
    NUMBER(statement_timeout, "DisclosedStatementTimeout", 5, 1, 600, "seconds", \
           "seconds that a request may read from PostgreSQL, all its statements together") \
    TEXT(secret_file, "DisclosedSecretFile", read_path, \
         "file with the server secret: 64 hex digits, and those before on a second line") \
    TEXT(base_url, "DisclosedBaseURL", read_base_url, "absolute URL in front of /v1, as clients see it") \
    TEXT(docs_url, "DisclosedDocsURL", read_docs_url, "absolute URL of the documentation, in front of /errors/<slug>") \
    LIST(cors, "DisclosedCORS", dsc_cors_read, const char *, \
         "origins whose pages may read responses in browsers, * for all; or off") \
    TEXT(portal_url, "DisclosedPortalURL", read_link, "absolute URL of the place where clients get their keys") \
    TEXT(cache, "DisclosedCache", read_cache, \
         "Off, or PROVIDER[:ARGUMENTS]: the shared-object cache that responses are kept in") \
    NUMBER(cache_max_body, "DisclosedCacheMaxBody", 256, 1, 65536, "kilobytes", \
           "kilobytes of the largest response that is kept") \
    NUMBER(cache_time, "DisclosedCacheTime", 3600, 1, 86400, "seconds", \
           "seconds that a response is kept at most") \
    LINES(RAW_ARGS, "DisclosedPlan", dsc_set_plan, RSRC_CONF, "NAME setting=value ...: what the keys of a plan may do") \
    LINES(TAKE2, "DisclosedAddressLimit", dsc_set_address_limit, RSRC_CONF, \
          "RATE BURST: limit of each address that sends no valid key") \
    LINES(TAKE2, "DisclosedWeight", dsc_set_endpoint_number, RSRC_CONF, \
          "NAME|GLOB NUMBER: how many requests one of these endpoints counts as") \
    LINES(TAKE2, "DisclosedCredits", dsc_set_endpoint_number, RSRC_CONF, \
          "NAME|GLOB NUMBER: ask credits that a response of one of these endpoints costs") \
    LINES(TAKE2, "DisclosedRequirePlan", dsc_set_gate, RSRC_CONF, \
          "NAME|GLOB PLAN: the least plan that may ask these endpoints") \
    LINES(TAKE_ARGV, "DisclosedDeprecation", dsc_set_deprecation, RSRC_CONF, \
          "NAME|GLOB DAY DAY [URL]: announces that endpoints will change or go") \
    LINES(TAKE2, "DisclosedEndpoint", dsc_set_endpoint, RSRC_CONF | ACCESS_CONF, \
          "NAME|GLOB On|Off: switches endpoints; the last line that fits decides") \
    TEXT(ask_model, "DisclosedAskModel", read_model, \
         "URL of a chat-completions endpoint, whose model words what /v1/ask says") \
    TEXT(ask_model_name, "DisclosedAskModelName", read_word, "name of the model, as its server knows it") \
    TEXT(ask_model_key_file, "DisclosedAskModelKeyFile", read_path, "file with the bearer token that the model's server wants") \
    NUMBER(ask_model_timeout, "DisclosedAskModelTimeout", 10, 1, 120, "seconds", "seconds that the model may take") \
    NUMBER(ask_model_tokens, "DisclosedAskModelTokens", 500, 16, 8192, "tokens", "most tokens that the model may write") \
    FLAG(webhooks, "DisclosedWebhooks", 1, "Off: this httpd sends nothing of what is queued for webhooks") \
    LIST(webhook_ports, "DisclosedWebhookPorts", read_port, int, "ports that webhook URLs may name") \
    LIST(webhook_networks, "DisclosedWebhookAllow", read_network, apr_ipsubnet_t *, \
         "networks that webhooks may call though they are not public") \
    TEXT(webhook_ca_file, "DisclosedWebhookCAFile", read_certificates, \
         "certificate authorities of receivers, PEM, in place of the system's") \
    TEXT(webhook_proxy, "DisclosedWebhookProxy", read_proxy, \
         "http:// or https:// URL of the proxy that webhooks go through")
/* clang-format on */

#endif
