/* disclosedctl migrate: applies sql/NNNN_name.sql in order, each in a transaction of its own with
 * its row in disclosed_migration, but for those that a later one mends: nobody sees them without
 * it. */
#include "ctl/distribute.h"

#include "engine/digest.h"
#include "engine/interrupt.h"
#include "engine/json_writer.h"

#include <apr_escape.h>
#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_STATUS = 1,
    OPTION_DRY_RUN,
    OPTION_SQL_DIR
};

static const apr_getopt_option_t own_options[] = {
    {"status", OPTION_STATUS, 0, "list the migrations and whether each is applied"},
    {"dry-run", OPTION_DRY_RUN, 0, "say what would be applied, and apply nothing"},
    {"sql-dir", OPTION_SQL_DIR, 1, "where the migrations are [$DISCLOSED_SQL_DIR or as installed]"},
    DSC_OPTION_ROW_END,
};

static const dsc_usage_t usage = {
    "migrate [--status | --dry-run] [--sql-dir DIR]",
    "Applies the migrations that the database does not have yet. Run it as the database's owner. The\n"
    "roles disclosed_owner, disclosed_api and disclosed_loader must exist: roles.sql creates them.\n"
    "You may run it twice, also at the same time. It refuses a database that is newer than the files\n"
    "or was made by other migrations, and files that have changed since they were applied.\n",
    own_options};

typedef struct {
    int version;
    const char *name, *path, *text, *sha256;
    const char *applied_at; /* NULL: pending */
    int changed;            /* the file is not the one that was applied */
    int since; /* the first version of those in whose transaction it is: its own, or as it says */
} dsc_migration_t;

static const char table_sql[] = "CREATE TABLE IF NOT EXISTS public.disclosed_migration ("
                                " version integer PRIMARY KEY, name text NOT NULL,"
                                " sha256 text NOT NULL,"
                                " applied_at timestamptz NOT NULL DEFAULT now())";
static const char lock_sql[] = "SELECT pg_advisory_lock(hashtextextended('disclosed migrate', 0))";
/* Citus would copy to the workers what is made here; `distribute` copies what they need. Without
 * Citus nothing is set. */
static const char here_sql[] = "SELECT set_config('citus.enable_ddl_propagation', 'off', false)"
                               " FROM pg_extension WHERE extname = 'citus'";
/* A database in which nothing was applied yet, and whether migrations can be. */
static const char empty_sql[] =
    "SELECT d.datname, pg_encoding_to_char(d.encoding), pg_get_userbyid(d.datdba), r.rolname, r.rolsuper,"
    " has_database_privilege(d.oid, 'CREATE') AND has_schema_privilege('public', 'CREATE')"
    " FROM pg_database d, pg_roles r WHERE d.datname = current_database() AND r.rolname = current_user"
    " AND to_regclass('public.disclosed_migration') IS NULL";
static const char applied_sql[] = "SELECT version, name, sha256, applied_at"
                                  " FROM public.disclosed_migration ORDER BY version";

/* --------------------------------------------------------------------------- files */

/* Whether it is NNNN_name.sql. */
static int is_migration(const char *name)
{
    size_t length = strlen(name);

    return length > 9 && strspn(name, "0123456789") == 4 && name[4] == '_' &&
           strcmp(name + length - 4, ".sql") == 0;
}

static const char *file_digest(apr_pool_t *pool, const char *text, size_t length)
{
    unsigned char digest[DSC_SHA256_SIZE];

    dsc_sha256(text, length, digest);
    return apr_pescape_hex(pool, digest, DSC_SHA256_SIZE, 0);
}

/* "-- In one transaction with NNNN": the version; else the migration's own. */
static int first_of_transaction(const char *text, int version)
{
    static const char mark[] = "\n-- In one transaction with ";
    const char *line = strstr(text, mark);

    return line == NULL ? version : atoi(line + sizeof(mark) - 1);
}

static apr_status_t read_text(apr_pool_t *pool, const char *path, char **text, size_t *length)
{
    apr_finfo_t info;
    apr_file_t *file;
    apr_status_t rv = apr_file_open(&file, path, APR_READ | APR_BINARY, APR_OS_DEFAULT, pool);

    if (rv != APR_SUCCESS || (rv = apr_file_info_get(&info, APR_FINFO_SIZE, file)) != APR_SUCCESS) {
        return rv;
    }
    *text = apr_pcalloc(pool, (size_t)info.size + 1);
    rv = info.size == 0 ? APR_SUCCESS : apr_file_read_full(file, *text, (size_t)info.size, length);
    apr_file_close(file);
    return rv;
}

static apr_status_t read_migration(apr_pool_t *pool, const char *folder, const char *name,
                                   dsc_migration_t *migration)
{
    size_t length = 0;
    char *text;
    apr_status_t rv;

    memset(migration, 0, sizeof(*migration));
    migration->version = atoi(name);
    migration->name = apr_pstrmemdup(pool, name + 5, strlen(name) - 9);
    migration->path = apr_pstrcat(pool, folder, "/", name, NULL);
    if ((rv = read_text(pool, migration->path, &text, &length)) == APR_SUCCESS) {
        migration->text = text;
        migration->since = first_of_transaction(text, migration->version);
        migration->sha256 = file_digest(pool, text, length);
    }
    return rv;
}

static int compare_versions(const void *left, const void *right)
{
    return ((const dsc_migration_t *)left)->version - ((const dsc_migration_t *)right)->version;
}

/* Reads all migrations of the folder, in order; NULL after telling what is wrong. */
static apr_array_header_t *read_folder(const dsc_context_t *context, const char *folder)
{
    apr_pool_t *pool = context->pool;
    apr_array_header_t *migrations = apr_array_make(pool, 8, sizeof(dsc_migration_t));
    apr_finfo_t info;
    apr_dir_t *open;
    char text[256];
    apr_status_t rv = apr_dir_open(&open, folder, pool);
    int i;

    while (rv == APR_SUCCESS && apr_dir_read(&info, APR_FINFO_NAME, open) == APR_SUCCESS) {
        if (is_migration(info.name)) {
            rv = read_migration(pool, folder, info.name,
                                &APR_ARRAY_PUSH(migrations, dsc_migration_t));
        }
    }
    if (rv != APR_SUCCESS || migrations->nelts == 0) {
        dsc_print_error(context, "%s: %s", folder,
                        rv == APR_SUCCESS ? "holds no migrations"
                                          : apr_strerror(rv, text, sizeof(text)));
        return NULL;
    }
    qsort(migrations->elts, (size_t)migrations->nelts, sizeof(dsc_migration_t), compare_versions);
    for (i = 1; i < migrations->nelts; i++) {
        if (APR_ARRAY_IDX(migrations, i, dsc_migration_t).version ==
            APR_ARRAY_IDX(migrations, i - 1, dsc_migration_t).version) {
            dsc_print_error(context, "%s: has the number of another migration",
                            APR_ARRAY_IDX(migrations, i, dsc_migration_t).path);
            return NULL;
        }
    }
    return migrations;
}

/* ----------------------------------------------------------- what the database has */

static dsc_migration_t *find_version(apr_array_header_t *migrations, int version)
{
    int i;

    for (i = 0; i < migrations->nelts; i++) {
        dsc_migration_t *migration = &APR_ARRAY_IDX(migrations, i, dsc_migration_t);
        if (migration->version == version) {
            return migration;
        }
    }
    return NULL;
}

/* Prints that a migration has its number, but is another: the later ones do not know what it
 * made. */
static void print_foreign(const dsc_context_t *context, const dsc_migration_t *migration,
                          const char *applied)
{
    dsc_print_error(
        context,
        "the database was made by other migrations than this program's: it has %04d_%s where"
        " these are %04d_%s; nothing is changed in it. Make an empty database, migrate it and"
        " load the sources anew",
        migration->version, applied, migration->version, migration->name);
}

/* Compares what is applied with the files; 0 after telling that the database is not theirs. */
static int compare_applied(const dsc_context_t *context, apr_array_header_t *migrations,
                           PGresult *applied)
{
    int row;

    for (row = 0; row < PQntuples(applied); row++) {
        int version = atoi(PQgetvalue(applied, row, 0));
        dsc_migration_t *migration = find_version(migrations, version);

        if (migration == NULL) {
            dsc_print_error(
                context,
                "the database is newer than this program: it has migration %04d_%s, of which"
                " there is no file; use the newer program",
                version, PQgetvalue(applied, row, 1));
            return 0;
        }
        if (strcmp(migration->name, PQgetvalue(applied, row, 1)) != 0) {
            print_foreign(context, migration, PQgetvalue(applied, row, 1));
            return 0;
        }
        migration->applied_at = apr_pstrdup(context->pool, PQgetvalue(applied, row, 3));
        migration->changed = strcmp(migration->sha256, PQgetvalue(applied, row, 2)) != 0;
    }
    return 1;
}

/* Reads what is applied; without the table nothing is. */
static int read_applied(const dsc_context_t *context, dsc_connection_t *connection,
                        apr_array_header_t *migrations)
{
    PGresult *result;
    int exists, good;

    result = dsc_query(context, connection,
                       "SELECT to_regclass('public.disclosed_migration') IS NOT NULL", 0, NULL);
    if (result == NULL) {
        return 0;
    }
    exists = *PQgetvalue(result, 0, 0) == 't';
    PQclear(result);
    if (!exists) {
        return 1;
    }
    result = dsc_query(context, connection, applied_sql, 0, NULL);
    good = result != NULL && compare_applied(context, migrations, result);
    PQclear(result);
    return good;
}

/* What an empty database and the role lack for migrations; NULL: nothing. */
static const char *why_not_migrated(apr_pool_t *pool, const PGresult *row)
{
    static const char make[] =
        "make it by createdb --owner=" DSC_OWNER " --template=template0 --encoding=UTF8";
    const char *encoding = PQgetvalue(row, 0, 1), *role = PQgetvalue(row, 0, 3);

    if (strcmp(encoding, "UTF8") != 0) {
        return apr_psprintf(pool, "is encoded in %s; %s", encoding, make);
    }
    if (*PQgetvalue(row, 0, 4) == 't') {
        return apr_psprintf(pool,
                            "is migrated by " DSC_OWNER
                            ": \"%s\" is a superuser, and would own what is made",
                            role);
    }
    return *PQgetvalue(row, 0, 5) == 't'
               ? NULL
               : apr_psprintf(pool,
                              "belongs to %s, and \"%s\" may make nothing in it; connect as its "
                              "owner, or %s",
                              PQgetvalue(row, 0, 2), role, make);
}

/* Whether migrations can begin, or go on; 0 after telling why not. */
static int may_begin(const dsc_context_t *context, dsc_connection_t *connection)
{
    PGresult *empty = dsc_query(context, connection, empty_sql, 0, NULL);
    const char *reason;

    if (empty == NULL) {
        return 0;
    }
    reason = PQntuples(empty) > 0 ? why_not_migrated(context->pool, empty) : NULL;
    if (reason != NULL) {
        dsc_print_error(context, "the database \"%s\" %s", PQgetvalue(empty, 0, 0), reason);
    }
    PQclear(empty);
    return reason == NULL;
}

/* Refuses changed files, and files whose number comes before one that is applied. */
static int may_apply(const dsc_context_t *context, apr_array_header_t *migrations)
{
    const dsc_migration_t *pending = NULL;
    int i;

    for (i = 0; i < migrations->nelts; i++) {
        const dsc_migration_t *migration = &APR_ARRAY_IDX(migrations, i, dsc_migration_t);
        if (migration->changed) {
            dsc_print_error(context, "%s: has changed since it was applied at %s; restore the file",
                            migration->path, migration->applied_at);
            return 0;
        }
        if (migration->applied_at == NULL) {
            pending = pending == NULL ? migration : pending;
        } else if (pending != NULL) {
            dsc_print_error(context, "%s: is not applied although a later one is", pending->path);
            return 0;
        }
    }
    return 1;
}

/* ------------------------------------------------------------------------ applying */

/* ": line N", if the database says at which character the error is. */
static const char *line_text(apr_pool_t *pool, const char *text, const char *position)
{
    int line = 1;
    long left;

    if (position == NULL) {
        return "";
    }
    for (left = atol(position); left > 1 && *text != '\0'; left--, text++) {
        line += *text == '\n';
    }
    return apr_psprintf(pool, ": line %d", line);
}

static void print_failure(const dsc_context_t *context, const dsc_migration_t *migration,
                          const dsc_failure_t *failure)
{
    const PGresult *result = failure->result;
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *position = PQresultErrorField(result, PG_DIAG_STATEMENT_POSITION);

    dsc_print_error(context, "%s%s: %s", migration->path,
                    line_text(context->pool, migration->text, position),
                    primary == NULL ? failure->message : primary);
    if (state != NULL && strcmp(state, "42704") == 0) {
        dsc_print_error(
            context,
            "do the roles exist? roles.sql, in the folder of the migrations, creates them");
    }
}

/* Runs several statements at once; 0 after telling what failed. */
static int run_file(const dsc_context_t *context, dsc_connection_t *connection,
                    const dsc_migration_t *migration)
{
    int good = dsc_run_command(connection, migration->text);

    if (!good) {
        print_failure(context, migration, dsc_connection_failure(connection));
    } else if (!dsc_connection_in_transaction(connection)) {
        dsc_print_error(context, "%s: ends its transaction, which no migration may",
                        migration->path);
        good = 0;
    }
    return good;
}

static int run_plain(const dsc_context_t *context, dsc_connection_t *connection, const char *sql)
{
    PGresult *result = dsc_query(context, connection, sql, 0, NULL);
    int good = result != NULL;

    PQclear(result);
    return good;
}

static int note_applied(const dsc_context_t *context, dsc_connection_t *connection,
                        const dsc_migration_t *migration)
{
    const char *parameters[] = {apr_itoa(context->pool, migration->version), migration->name,
                                migration->sha256};
    PGresult *result = dsc_query(context, connection,
                                 "INSERT INTO public.disclosed_migration (version, name, sha256)"
                                 " VALUES ($1, $2, $3)",
                                 3, parameters);
    int good = result != NULL;

    PQclear(result);
    return good;
}

/* Has pg_trgm loaded, if it is installed: before that PostgreSQL lets superusers alone name its
 * parameters in a function. */
static const char load_sql[] =
    "DO $$ BEGIN IF to_regproc('public.show_limit') IS NOT NULL THEN PERFORM public.show_limit();"
    " END IF; END $$";

static int apply_one(const dsc_context_t *context, dsc_connection_t *connection,
                     const dsc_migration_t *migration)
{
    return run_plain(context, connection, "SET LOCAL search_path = disclosed, public") &&
           run_plain(context, connection, load_sql) && run_file(context, connection, migration) &&
           note_applied(context, connection, migration);
}

/* Applies all from the first to the last one, or none. */
static int apply(const dsc_context_t *context, dsc_connection_t *connection,
                 apr_array_header_t *migrations, int first, int last)
{
    int good = run_plain(context, connection, "BEGIN");
    int i;

    for (i = first; good && i <= last; i++) {
        good = apply_one(context, connection, &APR_ARRAY_IDX(migrations, i, dsc_migration_t));
    }
    if (good && dsc_distribute_changed_forms(context, connection)) {
        return run_plain(context, connection, "COMMIT");
    }
    if (dsc_connection_is_open(connection)) { /* a lost connection has rolled back by itself */
        dsc_interrupt_hold();
        (void)run_plain(context, connection, "ROLLBACK");
        dsc_interrupt_release();
    }
    return 0;
}

/* The last migration of the transaction that begins with this one. */
static int last_of_transaction(apr_array_header_t *migrations, int first)
{
    int version = APR_ARRAY_IDX(migrations, first, dsc_migration_t).version;
    int i = migrations->nelts - 1;

    while (i > first && APR_ARRAY_IDX(migrations, i, dsc_migration_t).since > version) {
        i--;
    }
    return i;
}

/* Applies what is pending, or only says so; returns how many, or -1. */
static int apply_pending(dsc_context_t *context, dsc_connection_t *connection,
                         apr_array_header_t *migrations, int dry_run)
{
    int first = 0, count = 0;

    while (first < migrations->nelts) {
        int last = last_of_transaction(migrations, first);

        if (APR_ARRAY_IDX(migrations, first, dsc_migration_t).applied_at != NULL) {
            first++;
            continue;
        }
        if (!dry_run &&
            (dsc_interrupted() || !apply(context, connection, migrations, first, last))) {
            return -1;
        }
        for (; first <= last; first++, count++) {
            const dsc_migration_t *migration = &APR_ARRAY_IDX(migrations, first, dsc_migration_t);
            if (!context->json) {
                printf("%s %04d_%s\n", dry_run ? "would apply" : "applied", migration->version,
                       migration->name);
            }
        }
    }
    return count;
}

/* -------------------------------------------------------------------------- output */

static const char *state_of(const dsc_migration_t *migration)
{
    return migration->applied_at == NULL ? "pending" : migration->changed ? "changed" : "applied";
}

static void print_status(const dsc_context_t *context, apr_array_header_t *migrations)
{
    dsc_buffer_t *json = dsc_buffer_create(context->pool, 1024);
    int i;

    for (i = 0; i < migrations->nelts; i++) {
        const dsc_migration_t *migration = &APR_ARRAY_IDX(migrations, i, dsc_migration_t);
        if (!context->json) {
            printf("%04d_%-24s %-8s %.19s\n", migration->version, migration->name,
                   state_of(migration), migration->applied_at == NULL ? "" : migration->applied_at);
            continue;
        }
        dsc_buffer_printf(json, "%s{\"version\":%d,\"name\":", i > 0 ? "," : "",
                          migration->version);
        dsc_json_text(json, migration->name);
        dsc_buffer_printf(json, ",\"state\":\"%s\",\"applied_at\":", state_of(migration));
        dsc_json_datetime(json, migration->applied_at);
        dsc_buffer_append_char(json, '}');
    }
    if (context->json) {
        printf("[%s]\n", dsc_buffer_text(json));
    }
}

static int migrate(dsc_context_t *context, dsc_connection_t *connection,
                   apr_array_header_t *migrations, int dry_run)
{
    int count;

    if (!may_begin(context, connection)) {
        return DSC_EXIT_FAILED;
    }
    /* The lock is the session's: it ends with the connection. */
    if (!dry_run &&
        (!run_plain(context, connection, here_sql) || !run_plain(context, connection, lock_sql) ||
         !run_plain(context, connection, table_sql))) {
        return DSC_EXIT_FAILED;
    }
    if (!read_applied(context, connection, migrations) || !may_apply(context, migrations)) {
        return DSC_EXIT_FAILED;
    }
    dsc_interrupt_last_words(": of the migrations those told as applied stay, the others are not");
    count = apply_pending(context, connection, migrations, dry_run);
    if (dsc_interrupted()) {
        dsc_print_error(context,
                        "%s: of the migrations those told as applied stay, the others are not",
                        dsc_interrupt_text());
    }
    if (count < 0 || (count > 0 && !dry_run && !dsc_distribute_again(context, connection))) {
        return DSC_EXIT_FAILED;
    }
    if (context->json) {
        printf("{\"%s\":%d}\n", dry_run ? "pending" : "applied", count);
    } else if (count == 0) {
        puts("the database is up to date");
    }
    return DSC_EXIT_OK;
}

static const char *default_folder(void)
{
    const char *folder = getenv("DISCLOSED_SQL_DIR");

    return folder != NULL && *folder != '\0' ? folder : DISCLOSED_SQL_DIR;
}

int dsc_command_migrate(dsc_context_t *context, int argc, const char *const *argv)
{
    const char *value, *folder = default_folder(), *const * arguments;
    int option, mode = 0, exit_code;
    apr_array_header_t *migrations;
    dsc_options_t options;
    dsc_connection_t *connection;

    dsc_options_begin(&options, context, &usage, argc, argv);
    while ((option = dsc_options_next(&options, &value)) > 0) {
        if (option == OPTION_SQL_DIR) {
            folder = value;
        } else {
            mode = option;
        }
    }
    if (option == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    if (dsc_options_rest(&options, &arguments) > 0) {
        return dsc_usage_error(context, &usage, "no argument %s is expected", arguments[0]);
    }
    if ((migrations = read_folder(context, folder)) == NULL) {
        return DSC_EXIT_FAILED;
    }
    context->makes_tables = 1;
    if ((exit_code = dsc_connect(context, context->pool, &connection)) != DSC_EXIT_OK) {
        return exit_code;
    }
    if (mode != OPTION_STATUS) {
        return migrate(context, connection, migrations, mode == OPTION_DRY_RUN);
    }
    if (!read_applied(context, connection, migrations)) {
        return DSC_EXIT_FAILED;
    }
    print_status(context, migrations);
    return DSC_EXIT_OK;
}
