/* disclosedctl key: API keys. The database holds salted digests alone, so a secret is shown once,
 * when it is made. */
#include "ctl/command.h"

#include "access/key.h"
#include "access/plan.h"
#include "ctl/key_settings.h"
#include "engine/json_writer.h"
#include "loader/loader_value.h"

#include <apr_escape.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

enum {
    OPTION_PLAN = 1,
    OPTION_OWNER,
    OPTION_KIND,
    OPTION_NAME,
    OPTION_EXPIRES,
    OPTION_OVERLAP,
    OPTION_SETTINGS /* and those of dsc_key_setting_columns from here on */
};

static const apr_getopt_option_t own_options[] = {
    {"plan", OPTION_PLAN, 1,
     "create, set: free, starter, builder, enterprise or one of the site's"},
    {"owner", OPTION_OWNER, 1, "create: the account of the key; it is created if it is new"},
    {"kind", OPTION_KIND, 1, "create: live or test [live]"},
    {"name", OPTION_NAME, 1, "create, set: what the key is for"},
    {"expires", OPTION_EXPIRES, 1,
     "create, set: its last day (UTC), or a date and time with a zone"},
    {"rate", OPTION_SETTINGS + DSC_KEY_RATE, 1,
     "create, set: sustained rate, e.g. 5/s; plan: the plan's"},
    {"burst", OPTION_SETTINGS + DSC_KEY_BURST, 1,
     "create, set: requests at once; plan: the plan's"},
    {"day", OPTION_SETTINGS + DSC_KEY_DAY, 1,
     "create, set: requests in a UTC day; plan: the plan's"},
    {"credits", OPTION_SETTINGS + DSC_KEY_CREDITS, 1,
     "create, set: ask credits in a month; plan: the plan's"},
    {"scope", OPTION_SETTINGS + DSC_KEY_SCOPES, 1,
     "create, set: endpoints that it may use, e.g. list_*,get_company; any"},
    {"address", OPTION_SETTINGS + DSC_KEY_ADDRESSES, 1,
     "create, set: networks from which it may be used, e.g. 10.0.0.0/8; any"},
    {"overlap", OPTION_OVERLAP, 1,
     "rotate: how long the old key still works, e.g. 90m, 24h, 7d [24h]"},
    DSC_OPTION_ROW_END,
};

static const dsc_usage_t usage = {
    "key create --plan PLAN --owner NAME | list | set KEY_ID | rotate KEY_ID | revoke KEY_ID | check KEY",
    "create   creates a key and prints it, only once\n"
    "list     lists the keys, never their secrets\n"
    "set      changes a key's plan, name, expiry, limits, scopes or networks\n"
    "rotate   creates a new key like the old one; both work during the overlap (7 days at most)\n"
    "revoke   ends a key now\n"
    "check    says by the checksum, without a database, whether a text is a key; - reads it from\n"
    "         standard input, so that it is in no shell history\n",
    own_options};

/* What the options say. */
typedef struct {
    const char *plan, *owner, *kind, *name, *expires;
    const char *last_day; /* --expires as it was given, if that is a date */
    dsc_key_settings_t settings;
    long long overlap; /* seconds */
    unsigned options;  /* which are given: a bit for each */
} dsc_key_request_t;

#define KEY_COLUMNS                                                                                \
    "k.key_id, k.kind, k.plan, a.owner, k.name, k.created_at, k.expires_at, k.revoked_at,"         \
    " k.rate_interval, k.burst, k.day_quota, k.credits, to_json(k.scopes) AS scopes,"              \
    " to_json(k.addresses::text[]) AS addresses, k.replaces,"                                      \
    " (SELECT max(u.last_used_at) FROM disclosed.key_usage u WHERE u.key_id = k.key_id)"           \
    " AS last_used_at"

/* A key is made for the account of that name; $7 is when it expires. */
static const char create_sql[] =
    "WITH made AS (INSERT INTO disclosed.account (owner) VALUES ($1)"
    " ON CONFLICT (owner) DO UPDATE SET owner = excluded.owner RETURNING account_id, owner),"
    " k AS (INSERT INTO disclosed.api_key (key_id, account_id, kind, plan, name, salt, digest,"
    " expires_at) SELECT $2, account_id, $3, $4, $5, $6::bytea, $8::bytea, $7::timestamptz"
    " FROM made RETURNING *)"
    " SELECT " KEY_COLUMNS " FROM k JOIN made a USING (account_id)";

static const char list_sql[] = "SELECT " KEY_COLUMNS " FROM disclosed.api_key k"
                               " JOIN disclosed.account a USING (account_id)"
                               " ORDER BY k.created_at, k.key_id";

/* Sets what is given: each value is NULL (stays), empty (back to the plan's) or new. */
static const char set_sql[] =
    "WITH k AS (UPDATE disclosed.api_key SET plan = coalesce($2, plan), name = coalesce($3, name),"
    " expires_at = coalesce($4::timestamptz, expires_at)"
    ", rate_interval = CASE WHEN $5::text IS NULL THEN rate_interval ELSE nullif($5::text, '')::bigint END"
    ", burst = CASE WHEN $6::text IS NULL THEN burst ELSE nullif($6::text, '')::bigint END"
    ", day_quota = CASE WHEN $7::text IS NULL THEN day_quota ELSE nullif($7::text, '')::bigint END"
    ", credits = CASE WHEN $8::text IS NULL THEN credits ELSE nullif($8::text, '')::bigint END"
    ", scopes = CASE WHEN $9::text IS NULL THEN scopes ELSE nullif($9::text, '')::text[] END"
    ", addresses = CASE WHEN $10::text IS NULL THEN addresses ELSE nullif($10::text, '')::cidr[] END"
    " WHERE key_id = $1 RETURNING *)"
    " SELECT " KEY_COLUMNS " FROM k JOIN disclosed.account a USING (account_id)";

/* What a key takes over from the one that it follows. */
static const char inherit_sql[] =
    "UPDATE disclosed.api_key n SET replaces = o.key_id, rate_interval = o.rate_interval,"
    " burst = o.burst, day_quota = o.day_quota, credits = o.credits, scopes = o.scopes,"
    " addresses = o.addresses FROM disclosed.api_key o WHERE o.key_id = $1 AND n.key_id = $2";

/* The key that is to be followed by another; it must work still. */
static const char old_sql[] =
    "SELECT a.owner, k.kind, k.plan, k.name, k.expires_at FROM disclosed.api_key k"
    " JOIN disclosed.account a USING (account_id)"
    " WHERE k.key_id = $1 AND k.revoked_at IS NULL"
    " AND (k.expires_at IS NULL OR k.expires_at > now()) FOR UPDATE OF k";

static const char end_sql[] =
    "UPDATE disclosed.api_key SET expires_at = least(expires_at, now() + $2 * interval '1 second')"
    " WHERE key_id = $1";

static const char revoke_sql[] =
    "WITH k AS (UPDATE disclosed.api_key SET revoked_at = coalesce(revoked_at, now())"
    " WHERE key_id = $1 RETURNING *)"
    " SELECT " KEY_COLUMNS " FROM k JOIN disclosed.account a USING (account_id)";

/* -------------------------------------------------------------------------- output */

static void append_json(dsc_buffer_t *json, PGresult *result, int row, const char *secret)
{
    dsc_buffer_append_char(json, '{');
    if (secret != NULL) {
        dsc_buffer_append_text(json, "\"key\":");
        dsc_json_text(json, secret);
        dsc_buffer_append_char(json, ',');
    }
    dsc_append_members(json, result, row);
    dsc_buffer_append_char(json, '}');
}

static void print_line(PGresult *result, int row)
{
    printf("%s  %-4s  %-10s  ", PQgetvalue(result, row, 0), PQgetvalue(result, row, 1),
           PQgetvalue(result, row, 2));
    dsc_print_value(result, row, 3);
    fputs(PQgetisnull(result, row, 4) ? "" : ", ", stdout);
    dsc_print_value(result, row, 4);
    printf("  created %.19s", PQgetvalue(result, row, 5));
    if (!PQgetisnull(result, row, 6)) {
        printf("  expires %.19s", PQgetvalue(result, row, 6));
    }
    if (!PQgetisnull(result, row, 7)) {
        printf("  revoked %.19s", PQgetvalue(result, row, 7));
    }
    putchar('\n');
}

static void print_one(const dsc_context_t *context, PGresult *result, const char *secret)
{
    dsc_buffer_t *json = dsc_buffer_create(context->pool, 512);

    if (context->json) {
        append_json(json, result, 0, secret);
        puts(dsc_buffer_text(json));
    } else {
        print_line(result, 0);
        if (secret != NULL) {
            printf("%s\nThis is the only time that the key is shown.\n", secret);
        }
    }
    dsc_key_forget(json->data, json->length);
}

/* Shows a new key, which nobody can use otherwise. */
static int show_new(const dsc_context_t *context, PGresult *result, const char *secret)
{
    print_one(context, result, secret);
    if (fflush(stdout) != 0) {
        dsc_print_error(context, "the key %s was created, but could not be shown: revoke it",
                        PQgetvalue(result, 0, 0));
        return 0;
    }
    return 1;
}

/* -------------------------------------------------------------------------- making */

static const char *bytea_text(apr_pool_t *pool, const unsigned char *bytes, apr_size_t size)
{
    return apr_pstrcat(pool, "\\x", apr_pescape_hex(pool, bytes, size, 0), NULL);
}

/* Makes a key and stores its digest; the result is its row, NULL after telling what failed. */
static PGresult *make_key(const dsc_context_t *context, dsc_connection_t *connection,
                          const dsc_key_request_t *request, char secret[DSC_KEY_LENGTH + 1])
{
    unsigned char salt[DSC_KEY_SALT_SIZE], digest[DSC_KEY_DIGEST_SIZE];
    const char *parameters[8];
    dsc_key_t key;

    if (!dsc_key_generate(strcmp(request->kind, "live") == 0, secret) || !dsc_key_salt(salt) ||
        !dsc_key_parse(secret, DSC_KEY_LENGTH, &key)) {
        dsc_print_error(context, "the operating system gives no random bytes");
        return NULL;
    }
    dsc_key_digest(salt, secret, DSC_KEY_LENGTH, digest);
    parameters[0] = request->owner;
    parameters[1] = key.key_id;
    parameters[2] = request->kind;
    parameters[3] = request->plan;
    parameters[4] = request->name;
    parameters[5] = bytea_text(context->pool, salt, DSC_KEY_SALT_SIZE);
    parameters[6] = request->expires;
    parameters[7] = bytea_text(context->pool, digest, DSC_KEY_DIGEST_SIZE);
    return dsc_query(context, connection, create_sql, 8, parameters);
}

static int is_one_of(const char *text, const char *const *choices)
{
    for (; *choices != NULL; choices++) {
        if (text != NULL && strcmp(text, *choices) == 0) {
            return 1;
        }
    }
    return 0;
}

/* What is wrong with what create and set take, or NULL. A last day becomes the instant at which it
 * is over. */
static const char *request_error(apr_pool_t *pool, dsc_key_request_t *request)
{
    if (request->plan != NULL && !dsc_plan_is_name(request->plan)) {
        return "--plan takes the name of a plan: free, starter, builder, enterprise or one of the "
               "site's";
    }
    if (request->name != NULL && !dsc_is_name(request->name)) {
        return "--name " DSC_NAME_RULE;
    }
    if (request->owner != NULL && !dsc_is_name(request->owner)) {
        return "--owner " DSC_NAME_RULE;
    }
    if (request->expires == NULL) {
        return NULL;
    }
    if (dsc_value_error(DSC_COLUMN_DATE, request->expires) == NULL) {
        request->last_day = request->expires;
        request->expires = apr_pstrcat(pool, request->expires, " 23:59:59.999999Z", NULL);
        return NULL;
    }
    return dsc_value_error(DSC_COLUMN_DATETIME, request->expires) == NULL
               ? NULL
               : "--expires takes a date, or a date and time with a zone";
}

/* Prints a warning about an end in the past: a mistyped year would make a key that nobody can
 * use. */
static int is_over(const dsc_context_t *context, dsc_connection_t *connection,
                   const dsc_key_request_t *request)
{
    PGresult *result;
    int over;

    if (request->expires == NULL) {
        return 0;
    }
    result =
        dsc_query(context, connection, "SELECT $1::timestamptz <= now()", 1, &request->expires);
    over = result == NULL || *PQgetvalue(result, 0, 0) == 't';
    if (result != NULL && over) {
        dsc_print_error(context, "--expires lies in the past: %s (key revoke ends a key now)",
                        request->last_day != NULL ? request->last_day : request->expires);
    }
    PQclear(result);
    return over;
}

/* Prints a note about a plan that only a server's configuration can know. The key is made: the
 * plan may be configured later. */
static void print_unknown_plan(const dsc_context_t *context, dsc_connection_t *connection,
                               const dsc_key_request_t *request)
{
    PGresult *result;

    if (request->plan == NULL ||
        dsc_plan_find(dsc_plans_create(context->pool), request->plan) != NULL) {
        return;
    }
    result = dsc_query(context, connection,
                       "SELECT FROM disclosed.api_key WHERE plan = $1 HAVING count(*) > 1", 1,
                       &request->plan);
    if (result != NULL && PQntuples(result) == 0) {
        fprintf(stderr,
                "the plan %s is not built in, and no other key has it: where httpd has no"
                " DisclosedPlan %s, the key is held to free\n",
                request->plan, request->plan);
    }
    PQclear(result);
}

/* What a new key cannot do without. */
static const char *creation_error(const dsc_key_request_t *request)
{
    static const char *const kinds[] = {"live", "test", NULL};

    if (request->plan == NULL) {
        return "--plan is needed";
    }
    if (request->owner == NULL || *request->owner == '\0') {
        return "--owner is needed";
    }
    return is_one_of(request->kind, kinds) ? NULL : "--kind is live or test";
}

/* Sets what the request gives; the result is the key's row, NULL after telling what failed. */
static PGresult *change_key(const dsc_context_t *context, dsc_connection_t *connection,
                            const dsc_key_request_t *request, const char *key_id)
{
    const char *parameters[4 + DSC_KEY_SETTINGS] = {key_id, request->plan, request->name,
                                                    request->expires};

    memcpy(parameters + 4, request->settings.texts, sizeof(request->settings.texts));
    return dsc_query(context, connection, set_sql, 4 + DSC_KEY_SETTINGS, parameters);
}

static int run_plain(dsc_context_t *context, dsc_connection_t *connection, const char *sql,
                     int count, const char *const *parameters)
{
    PGresult *result = dsc_query(context, connection, sql, count, parameters);
    int good = result != NULL;

    PQclear(result);
    return good;
}

static int create_key(dsc_context_t *context, dsc_connection_t *connection,
                      dsc_key_request_t *request, const char *argument)
{
    char secret[DSC_KEY_LENGTH + 1];
    PGresult *made = NULL, *result = NULL;
    int good;

    (void)argument;
    if (is_over(context, connection, request)) {
        return DSC_EXIT_FAILED;
    }
    good = run_plain(context, connection, "BEGIN", 0, NULL) &&
           (made = make_key(context, connection, request, secret)) != NULL &&
           (result = change_key(context, connection, request, PQgetvalue(made, 0, 0))) != NULL;
    good = run_plain(context, connection, good ? "COMMIT" : "ROLLBACK", 0, NULL) && good;
    good = good && show_new(context, result, secret);
    if (good) {
        print_unknown_plan(context, connection, request);
    }
    PQclear(made);
    PQclear(result);
    dsc_key_forget(secret, sizeof(secret));
    return good ? DSC_EXIT_OK : DSC_EXIT_FAILED;
}

/* ------------------------------------------------------------------------- changing */

static int list_keys(dsc_context_t *context, dsc_connection_t *connection,
                     dsc_key_request_t *request, const char *argument)
{
    dsc_buffer_t *json = dsc_buffer_create(context->pool, 4096);
    PGresult *result = dsc_query(context, connection, list_sql, 0, NULL);
    int row;

    (void)request;
    (void)argument;
    if (result == NULL) {
        return DSC_EXIT_FAILED;
    }
    for (row = 0; row < PQntuples(result); row++) {
        if (context->json) {
            dsc_buffer_append_text(json, row > 0 ? ",\n" : "");
            append_json(json, result, row, NULL);
        } else {
            print_line(result, row);
        }
    }
    if (context->json) {
        printf("[%s]\n", dsc_buffer_text(json));
    }
    PQclear(result);
    return DSC_EXIT_OK;
}

static const char *column_text(apr_pool_t *pool, PGresult *result, int column)
{
    return PQgetisnull(result, 0, column) ? NULL : apr_pstrdup(pool, PQgetvalue(result, 0, column));
}

/* Reads what the new key takes from the old one; 0 after telling why it cannot be rotated. */
static int read_old(dsc_context_t *context, dsc_connection_t *connection,
                    dsc_key_request_t *request, const char *key_id)
{
    PGresult *result = dsc_query(context, connection, old_sql, 1, &key_id);
    int found = result != NULL && PQntuples(result) == 1;

    if (found) {
        request->owner = column_text(context->pool, result, 0);
        request->kind = column_text(context->pool, result, 1);
        request->plan = column_text(context->pool, result, 2);
        request->name = column_text(context->pool, result, 3);
        request->expires = column_text(context->pool, result, 4);
    } else if (result != NULL) {
        dsc_print_error(context, "no key in force has the id %s", key_id);
    }
    PQclear(result);
    return found;
}

/* Lets the new key take over what the old one has of its own. */
static int inherit(dsc_context_t *context, dsc_connection_t *connection, const char *key_id,
                   const PGresult *made)
{
    const char *parameters[] = {key_id, PQgetvalue(made, 0, 0)};

    return run_plain(context, connection, inherit_sql, 2, parameters);
}

static int rotate_key(dsc_context_t *context, dsc_connection_t *connection,
                      dsc_key_request_t *request, const char *key_id)
{
    const char *parameters[] = {key_id, apr_psprintf(context->pool, "%" APR_INT64_T_FMT,
                                                     (apr_int64_t)request->overlap)};
    char secret[DSC_KEY_LENGTH + 1];
    PGresult *result = NULL;
    int good;

    good = run_plain(context, connection, "BEGIN", 0, NULL) &&
           read_old(context, connection, request, key_id) &&
           (result = make_key(context, connection, request, secret)) != NULL &&
           inherit(context, connection, key_id, result) &&
           run_plain(context, connection, end_sql, 2, parameters);
    good = run_plain(context, connection, good ? "COMMIT" : "ROLLBACK", 0, NULL) && good;
    good = good && show_new(context, result, secret);
    PQclear(result);
    dsc_key_forget(secret, sizeof(secret));
    return good ? DSC_EXIT_OK : DSC_EXIT_FAILED;
}

static int set_key(dsc_context_t *context, dsc_connection_t *connection, dsc_key_request_t *request,
                   const char *key_id)
{
    PGresult *result;
    int found;

    if (is_over(context, connection, request)) {
        return DSC_EXIT_FAILED;
    }
    result = change_key(context, connection, request, key_id);
    found = result != NULL && PQntuples(result) == 1;
    if (found) {
        print_one(context, result, NULL);
        print_unknown_plan(context, connection, request);
    } else if (result != NULL) {
        dsc_print_error(context, "no key has the id %s", key_id);
    }
    PQclear(result);
    return found ? DSC_EXIT_OK : DSC_EXIT_FAILED;
}

static int revoke_key(dsc_context_t *context, dsc_connection_t *connection,
                      dsc_key_request_t *request, const char *key_id)
{
    PGresult *result = dsc_query(context, connection, revoke_sql, 1, &key_id);
    int found = result != NULL && PQntuples(result) == 1;

    (void)request;
    if (found) {
        print_one(context, result, NULL);
    } else if (result != NULL) {
        dsc_print_error(context, "no key has the id %s", key_id);
    }
    PQclear(result);
    return found ? DSC_EXIT_OK : DSC_EXIT_FAILED;
}

/* ------------------------------------------------------------------------- checking */

static int check_key(const dsc_context_t *context, const char *text)
{
    char line[256];
    dsc_key_t key;

    if (strcmp(text, "-") == 0) {
        if (fgets(line, sizeof(line), stdin) == NULL) {
            line[0] = '\0';
        }
        line[strcspn(line, "\r\n")] = '\0';
        text = line;
    }
    if (!dsc_key_parse(text, strlen(text), &key)) {
        if (context->json) {
            puts("{\"valid\":false}");
        } else {
            puts("no key: its form or its checksum is wrong");
        }
        return DSC_EXIT_FAILED;
    }
    printf(context->json
               ? "{\"valid\":true,\"key_id\":\"%s\",\"kind\":\"%s\"}\n"
               : "well-formed: key id %s, kind %s (the database knows if it is in force)\n",
           key.key_id, key.live ? "live" : "test");
    return DSC_EXIT_OK;
}

/* -------------------------------------------------------------------------- command */

#define OPTION(number) (1U << (number))
#define SETTABLE                                                                                   \
    (OPTION(OPTION_PLAN) | OPTION(OPTION_NAME) | OPTION(OPTION_EXPIRES) |                          \
     ((OPTION(DSC_KEY_SETTINGS) - 1) << OPTION_SETTINGS))

typedef struct {
    const char *name;
    unsigned options; /* that it takes */
    int arguments;    /* beyond the name */
    int (*run)(dsc_context_t *context, dsc_connection_t *connection, dsc_key_request_t *request,
               const char *argument);
} dsc_key_action_t;

static const dsc_key_action_t actions[] = {
    {"create", SETTABLE | OPTION(OPTION_OWNER) | OPTION(OPTION_KIND), 0, create_key},
    {"list", 0, 0, list_keys},
    {"set", SETTABLE, 1, set_key},
    {"rotate", OPTION(OPTION_OVERLAP), 1, rotate_key},
    {"revoke", 0, 1, revoke_key},
    {"check", 0, 1, NULL},
    {NULL, 0, 0, NULL},
};

/* What is given that the action does not take, or NULL. */
static const char *option_error(apr_pool_t *pool, const dsc_key_action_t *action, unsigned given)
{
    int option = 0;

    for (given &= ~action->options; given != 0; given >>= 1) {
        if (given & 1) {
            return apr_psprintf(pool, "key %s takes no --%s", action->name,
                                dsc_option_name(&usage, option));
        }
        option++;
    }
    return NULL;
}

/* What is wrong with the command line, or NULL. */
static const char *action_error(apr_pool_t *pool, const dsc_key_action_t *action, unsigned given,
                                const char *argument)
{
    const char *error = option_error(pool, action, given);

    if (error == NULL && action->run == set_key && given == 0) {
        error = "key set takes what is to be set, as --plan";
    }
    return error == NULL && action->run != NULL ? dsc_key_id_error(pool, argument) : error;
}

static int run_action(dsc_context_t *context, const dsc_key_action_t *action,
                      dsc_key_request_t *request, const char *argument)
{
    const char *error = action_error(context->pool, action, request->options, argument);
    dsc_connection_t *connection;
    int exit_code;

    if (error == NULL) {
        error = request_error(context->pool, request);
    }
    if (error == NULL && action->run == create_key) {
        error = creation_error(request);
    }
    if (error != NULL) {
        return dsc_usage_error(context, &usage, "%s", error);
    }
    if (action->run == NULL) {
        return check_key(context, argument);
    }
    if ((exit_code = dsc_connect(context, context->pool, &connection)) != DSC_EXIT_OK) {
        return exit_code;
    }
    return action->run(context, connection, request, argument);
}

/* Takes one option; what is wrong with its value, or NULL. */
static const char *take_option(apr_pool_t *pool, dsc_key_request_t *request, int option,
                               const char *value)
{
    const char **const places[] = {
        [OPTION_PLAN] = &request->plan,       [OPTION_OWNER] = &request->owner,
        [OPTION_KIND] = &request->kind,       [OPTION_NAME] = &request->name,
        [OPTION_EXPIRES] = &request->expires,
    };

    request->options |= OPTION(option);
    if (option >= OPTION_SETTINGS) {
        return dsc_key_setting_take(pool, &request->settings, option - OPTION_SETTINGS, value);
    }
    if (option == OPTION_OVERLAP) {
        request->overlap = dsc_duration_argument(value);
        return request->overlap >= 0
                   ? NULL
                   : apr_psprintf(pool, "--overlap takes 0 to 7d, as 24h: %s", value);
    }
    *places[option] = value;
    return NULL;
}

int dsc_command_key(dsc_context_t *context, int argc, const char *const *argv)
{
    dsc_key_request_t request = {.kind = "live", .overlap = 86400};
    const char *value, *const *arguments;
    const dsc_key_action_t *action = actions;
    dsc_options_t options;
    int option, count;

    dsc_options_begin(&options, context, &usage, argc, argv);
    while ((option = dsc_options_next(&options, &value)) > 0) {
        const char *error = take_option(context->pool, &request, option, value);
        if (error != NULL) {
            return dsc_usage_error(context, &usage, "%s", error);
        }
    }
    if (option == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    count = dsc_options_rest(&options, &arguments);
    while (count > 0 && action->name != NULL && strcmp(action->name, arguments[0]) != 0) {
        action++;
    }
    if (count == 0 || action->name == NULL || count != action->arguments + 1) {
        return dsc_words_error(context, &usage, count, arguments,
                               "what is to be done with which key?");
    }
    return run_action(context, action, &request, count > 1 ? arguments[1] : "");
}
