/* disclosedctl distribute: spreads what clients read over the nodes of a distributed PostgreSQL
 * (Citus). How, says sql/0068_distributed.sql. */
#include "ctl/distribute.h"

#include "engine/interrupt.h"
#include "engine/json_writer.h"
#include "engine/relations.h"

#include <apr_strings.h>
#include <string.h>

enum {
    OPTION_PLAN = 1,
    OPTION_APPLY,
    OPTION_STATUS
};

static const apr_getopt_option_t own_options[] = {
    {"plan", OPTION_PLAN, 0, "say where each table would be, and why; change nothing"},
    {"apply", OPTION_APPLY, 0, "carry out the plan"},
    {"status", OPTION_STATUS, 0, "list the nodes, and the tables with their shards"},
    DSC_OPTION_ROW_END,
};

static const dsc_usage_t usage = {
    "distribute --plan | --apply | --status",
    "Spreads the tables that clients read over the workers of Citus. Run it as the database's owner. A\n"
    "table is spread if every unique index has issuer_id: by the column in which lists about a company\n"
    "look for it, which is issuer_id for most. Otherwise each node gets a copy. Tables without a primary\n"
    "key, and tables without rows of datasets, stay on the coordinator.\n"
    "You may run it twice: it creates only what is missing or has changed. During this time loads\n"
    "continue, except loads of the table that is being spread. It needs the extension citus and a\n"
    "worker that takes shards.\n",
    own_options};

/* $1 is the tables' names, $2 what lists join to a table's rows, $3 the columns in which they look
 * for a company. */
#define PLAN "disclosed.distribution_plan($1::text[], $2::text[], $3::text[])"
static const char plan_sql[] = "SELECT name, kind, state, reason, by_column FROM " PLAN;

/* Tables that have shards and should have none. */
static const char surplus_sql[] =
    "SELECT t.name FROM disclosed.distributed_table t WHERE t.name NOT IN"
    " (SELECT p.name FROM " PLAN " p WHERE p.kind <> 'local')"
    " ORDER BY t.name";

static const char nodes_sql[] =
    "SELECT nodename AS host, nodeport AS port,"
    " CASE WHEN groupid = 0 THEN 'coordinator' ELSE 'worker' END AS role, isactive AS active,"
    " shouldhaveshards AS takes_shards,"
    " (SELECT count(*) FROM pg_dist_placement p WHERE p.groupid = n.groupid"
    "  AND p.shardid IN (SELECT s.shardid FROM pg_dist_shard s JOIN pg_class c ON c.oid = s.logicalrelid"
    "   WHERE c.relnamespace = to_regnamespace('disclosed_shards'))) AS shards"
    " FROM pg_dist_node n WHERE noderole = 'primary' ORDER BY groupid";

static const char tables_sql[] =
    "SELECT t.name, t.kind, (SELECT count(*) FROM pg_dist_shard s"
    "  WHERE s.logicalrelid = to_regclass(format('disclosed_shards.%I', t.name))) AS shards,"
    " t.distributed_at FROM disclosed.distributed_table t ORDER BY t.kind, t.name";

static const char lock_sql[] =
    "SELECT pg_advisory_lock(hashtextextended('disclosed distribute', 0))";

/* What is in the way, in the order in which it is to be put right; no row: nothing. */
static const char *const obstacles_sql =
    "SELECT 'the extension citus is not there; as a superuser, in this database and in that of each"
    " worker: CREATE EXTENSION citus' WHERE NOT EXISTS"
    " (SELECT FROM pg_extension WHERE extname = 'citus')";
/* Rows of replicas would be older than the versions that the coordinator has. */
static const char *const secondary_obstacles_sql =
    "SELECT 'citus.use_secondary_nodes is ' || current_setting('citus.use_secondary_nodes') ||"
    " ': workers'' replicas may be behind what the coordinator says, and loads can not write to them;"
    " reset it' WHERE current_setting('citus.use_secondary_nodes', true) <> 'never'";
static const char *const worker_obstacles_sql =
    "SELECT 'this is a worker: ask the coordinator' WHERE (SELECT groupid FROM pg_dist_local_group) <> 0"
    " UNION ALL SELECT 'there is no worker that takes shards; as a superuser: SELECT"
    " citus_add_node(HOST, PORT)' WHERE NOT EXISTS (SELECT FROM pg_dist_node WHERE isactive AND"
    " shouldhaveshards AND noderole = 'primary')"
    " UNION ALL SELECT 'the coordinator is no node yet, so that nothing can be copied to it; as a"
    " superuser: SELECT citus_set_coordinator_host(HOST, PORT)' WHERE NOT EXISTS (SELECT FROM"
    " pg_dist_node WHERE groupid = 0)"
    /* functions and views are made of them */
    " UNION ALL (SELECT 'the worker ' || n.nodename || ':' || n.nodeport || ' is new, and has none of the"
    " reference tables yet; as a superuser: SELECT replicate_reference_tables(''block_writes'')'"
    " FROM pg_dist_node n WHERE n.isactive AND n.noderole = 'primary' AND EXISTS"
    " (SELECT FROM pg_dist_partition t JOIN pg_dist_shard s USING (logicalrelid)"
    "  WHERE t.repmodel = 't' AND NOT EXISTS (SELECT FROM pg_dist_placement p"
    "   WHERE p.shardid = s.shardid AND p.groupid = n.groupid)) ORDER BY n.nodeid LIMIT 1)"
    " UNION ALL SELECT 'another than the owner of the database asks'"
    " WHERE NOT pg_has_role((SELECT datdba FROM pg_database WHERE datname = current_database()),"
    " 'USAGE')";

static const char prepare_sql[] = "SET citus.enable_ddl_propagation = off;"
                                  "SET client_min_messages = warning;"
                                  "CREATE SCHEMA IF NOT EXISTS disclosed_shards;"
                                  "GRANT USAGE ON SCHEMA disclosed_shards TO disclosed_api, "
                                  "disclosed_loader;"
                                  "CREATE OR REPLACE TRIGGER sent_before_published"
                                  " AFTER UPDATE OF position ON disclosed.webhook_event"
                                  " FOR EACH STATEMENT EXECUTE FUNCTION disclosed.await_sent()";

static const char workers_sql[] =
    "SELECT nodename || ':' || nodeport, success, result"
    " FROM run_command_on_workers(disclosed.worker_command()) WHERE NOT success";

/* ----------------------------------------------------------------------- questions */

static const char *literal(apr_pool_t *pool, const apr_array_header_t *names)
{
    dsc_buffer_t *text = dsc_buffer_create(pool, 512);
    int i;

    dsc_buffer_append_char(text, '{');
    for (i = 0; i < names->nelts; i++) {
        dsc_buffer_append_text(text, i == 0 ? "" : ",");
        dsc_buffer_append_text(text, APR_ARRAY_IDX(names, i, const char *));
    }
    dsc_buffer_append_char(text, '}');
    return dsc_buffer_text(text);
}

/* Asks what the plan is made of: what clients read. */
static PGresult *ask(const dsc_context_t *context, dsc_connection_t *connection, const char *sql)
{
    const char *parameters[] = {
        literal(context->pool, dsc_tables_of_datasets(context->pool)),
        literal(context->pool, dsc_relations_joined(context->pool)),
        literal(context->pool, dsc_columns_of_companies(context->pool)),
    };

    return dsc_query(context, connection, sql, 3, parameters);
}

/* Prints the first obstacle; 0 if there is one, or the query fails. */
static int is_free(const dsc_context_t *context, dsc_connection_t *connection, const char *sql)
{
    PGresult *result = dsc_query(context, connection, sql, 0, NULL);
    int free = result != NULL && PQntuples(result) == 0;

    if (result != NULL && !free) {
        dsc_print_error(context, "%s", PQgetvalue(result, 0, 0));
    }
    PQclear(result);
    return free;
}

static void print_plan(PGresult *result, int row)
{
    printf("%-24s %-12s %-8s %s\n", PQgetvalue(result, row, 0), PQgetvalue(result, row, 1),
           PQgetvalue(result, row, 2), PQgetvalue(result, row, 3));
}

static void print_node(PGresult *result, int row)
{
    printf("%s:%s %s%s%s, %s shards\n", PQgetvalue(result, row, 0), PQgetvalue(result, row, 1),
           PQgetvalue(result, row, 2), *PQgetvalue(result, row, 3) == 't' ? "" : ", not active",
           *PQgetvalue(result, row, 4) == 't' ? "" : ", takes none", PQgetvalue(result, row, 5));
}

static void print_table(PGresult *result, int row)
{
    printf("%-24s %-12s %s shards\n", PQgetvalue(result, row, 0), PQgetvalue(result, row, 1),
           PQgetvalue(result, row, 2));
}

/* ------------------------------------------------------------------------ applying */

/* Functions and views on the workers. */
static int prepare_workers(const dsc_context_t *context, dsc_connection_t *connection)
{
    PGresult *result = dsc_query(context, connection, workers_sql, 0, NULL);
    int good = result != NULL && PQntuples(result) == 0;

    if (result != NULL && !good) {
        dsc_print_error(context, "%s: %s", PQgetvalue(result, 0, 0), PQgetvalue(result, 0, 2));
    }
    PQclear(result);
    return good;
}

static void print_done(const dsc_context_t *context, const char *what, const char *name)
{
    if (!context->json) {
        printf("%s %s\n", what, name);
        (void)fflush(stdout);
    }
}

/* Makes the shards of a table, in a transaction of their own. */
static int distribute_one(const dsc_context_t *context, dsc_connection_t *connection,
                          const PGresult *plan, int row)
{
    const char *name = PQgetvalue(plan, row, 0);
    const char *parameters[] = {name, PQgetisnull(plan, row, 4) ? NULL : PQgetvalue(plan, row, 4)};
    PGresult *result =
        dsc_query(context, connection, "CALL disclosed.distribute_table($1, $2)", 2, parameters);
    int good = result != NULL;

    PQclear(result);
    if (good) {
        print_done(context, PQgetvalue(plan, row, 1), name);
    }
    return good;
}

static int drop_surplus(const dsc_context_t *context, dsc_connection_t *connection)
{
    PGresult *surplus = ask(context, connection, surplus_sql);
    int row, good = surplus != NULL;

    for (row = 0; good && row < PQntuples(surplus); row++) {
        const char *name = PQgetvalue(surplus, row, 0);
        PGresult *result =
            dsc_query(context, connection, "CALL disclosed.drop_shards($1)", 1, &name);

        good = result != NULL;
        PQclear(result);
        if (good) {
            print_done(context, "local", name);
        }
    }
    PQclear(surplus);
    return good;
}

/* What is missing or has changed; returns how many, or -1. */
static int distribute_all(const dsc_context_t *context, dsc_connection_t *connection)
{
    PGresult *plan = ask(context, connection, plan_sql);
    int row, count = plan == NULL ? -1 : 0;

    for (row = 0; count >= 0 && row < PQntuples(plan); row++) {
        const char *state = PQgetvalue(plan, row, 2);

        if (strcmp(state, "missing") == 0 || strcmp(state, "changed") == 0) {
            count = !dsc_interrupted() && distribute_one(context, connection, plan, row) ? count + 1
                                                                                         : -1;
        }
    }
    PQclear(plan);
    return count;
}

int dsc_distribute(const dsc_context_t *context, dsc_connection_t *connection)
{
    PGresult *locked = dsc_query(context, connection, lock_sql, 0, NULL);
    int is_locked = locked != NULL, count = -1;

    PQclear(locked);
    if (is_locked && !dsc_run_command(connection, prepare_sql)) {
        dsc_print_error(context, "%s", dsc_connection_failure(connection)->message);
    } else if (is_locked && prepare_workers(context, connection) &&
               drop_surplus(context, connection)) {
        count = distribute_all(context, connection);
    }
    /* Functions that read a reference table are made if that is. */
    return count > 0 && !prepare_workers(context, connection) ? -1 : count;
}

int dsc_distribute_changed_forms(const dsc_context_t *context, dsc_connection_t *connection)
{
    static const char sql[] =
        "DO $$ DECLARE one text; BEGIN"
        " IF to_regnamespace('disclosed_shards') IS NULL THEN RETURN; END IF;"
        " FOR one IN SELECT t.name FROM disclosed.distributed_table t"
        "  WHERE to_regclass(format('pg_temp.%I', 'unsent_' || t.name)) IS NOT NULL"
        "  AND disclosed.form_of_table(to_regclass(format('disclosed_shards.%I', t.name)))"
        "   IS DISTINCT FROM"
        "   disclosed.form_of_table(to_regclass(format('disclosed.%I', t.name)))"
        " LOOP EXECUTE format('DROP TABLE pg_temp.%I', 'unsent_' || one); END LOOP; END $$";
    PGresult *result = dsc_query(context, connection, sql, 0, NULL);
    int good = result != NULL;

    PQclear(result);
    return good;
}

int dsc_distribute_again(const dsc_context_t *context, dsc_connection_t *connection)
{
    PGresult *result = dsc_query(context, connection,
                                 "SELECT to_regnamespace('disclosed_shards') IS NOT NULL", 0, NULL);
    int is_distributed = result != NULL && *PQgetvalue(result, 0, 0) == 't';
    int good = result != NULL;

    PQclear(result);
    return is_distributed ? dsc_distribute(context, connection) >= 0 : good;
}

static int apply(const dsc_context_t *context, dsc_connection_t *connection)
{
    int count;

    if (!is_free(context, connection, obstacles_sql) ||
        !is_free(context, connection, secondary_obstacles_sql) ||
        !is_free(context, connection, worker_obstacles_sql)) {
        return DSC_EXIT_FAILED;
    }
    dsc_interrupt_last_words(": the tables that were told are distributed, the others are not");
    count = dsc_distribute(context, connection);
    if (dsc_interrupted()) {
        dsc_print_error(context,
                        "%s: the tables that were told are distributed, the others are not",
                        dsc_interrupt_text());
    }
    if (count < 0) {
        return DSC_EXIT_FAILED;
    }
    if (context->json) {
        printf("{\"distributed\":%d}\n", count);
    } else if (count == 0) {
        puts("all is distributed as it should be");
    }
    return DSC_EXIT_OK;
}

/* -------------------------------------------------------------------------- asking */

static int plan(const dsc_context_t *context, dsc_connection_t *connection)
{
    PGresult *result = is_free(context, connection, secondary_obstacles_sql)
                           ? ask(context, connection, plan_sql)
                           : NULL;
    int row;

    if (result == NULL) {
        return DSC_EXIT_FAILED;
    }
    if (context->json) {
        dsc_print_rows(context, result);
    } else {
        for (row = 0; row < PQntuples(result); row++) {
            print_plan(result, row);
        }
    }
    PQclear(result);
    return DSC_EXIT_OK;
}

static int status(const dsc_context_t *context, dsc_connection_t *connection)
{
    PGresult *nodes, *tables;
    int row, good;

    if (!is_free(context, connection, obstacles_sql)) {
        return DSC_EXIT_FAILED;
    }
    nodes = dsc_query(context, connection, nodes_sql, 0, NULL);
    tables = nodes == NULL ? NULL : dsc_query(context, connection, tables_sql, 0, NULL);
    good = tables != NULL;
    if (good && context->json) {
        fputs("{\"nodes\":", stdout);
        dsc_print_rows(context, nodes);
        fputs(",\"tables\":", stdout);
        dsc_print_rows(context, tables);
        puts("}");
    } else if (good) {
        for (row = 0; row < PQntuples(nodes); row++) {
            print_node(nodes, row);
        }
        for (row = 0; row < PQntuples(tables); row++) {
            print_table(tables, row);
        }
        if (PQntuples(tables) == 0) {
            puts("nothing is distributed");
        }
    }
    PQclear(nodes);
    PQclear(tables);
    return good ? DSC_EXIT_OK : DSC_EXIT_FAILED;
}

int dsc_command_distribute(dsc_context_t *context, int argc, const char *const *argv)
{
    const char *value, *const *arguments;
    int option, mode = 0, exit_code;
    dsc_options_t options;
    dsc_connection_t *connection;

    dsc_options_begin(&options, context, &usage, argc, argv);
    while ((option = dsc_options_next(&options, &value)) > 0) {
        if (mode != 0 && mode != option) {
            return dsc_usage_error(context, &usage, "one of --plan, --apply and --status is meant");
        }
        mode = option;
    }
    if (option == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    if (dsc_options_rest(&options, &arguments) > 0) {
        return dsc_usage_error(context, &usage, "no argument %s is expected", arguments[0]);
    }
    if (mode == 0) {
        return dsc_usage_error(context, &usage, "--plan, --apply or --status?");
    }
    if ((exit_code = dsc_connect(context, context->pool, &connection)) != DSC_EXIT_OK) {
        return exit_code;
    }
    return mode == OPTION_PLAN    ? plan(context, connection)
           : mode == OPTION_APPLY ? apply(context, connection)
                                  : status(context, connection);
}
