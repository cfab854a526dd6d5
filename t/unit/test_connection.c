/* The parts of the way to PostgreSQL that need no PostgreSQL: what SQLSTATEs mean, when to connect,
 * which statements stay prepared, what a connection string is completed by. */
#include "engine/attempt.h"
#include "engine/connection.h"
#include "engine/conninfo.h"
#include "engine/outage.h"
#include "engine/sqlstate.h"
#include "engine/statement_cache.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- SQLSTATEs */

static const struct {
    const char *state;
    dsc_failure_kind_t kind;
    dsc_database_status_t status;
} states[] = {
    {"26000", DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE},  /* no such prepared statement */
    {"40001", DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE},  /* conflict with recovery */
    {"57014", DSC_FAILED_STATEMENT, DSC_DATABASE_TIMEOUT},     /* statement timeout */
    {"57P01", DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE},  /* shutdown */
    {"57P03", DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE},  /* starting up */
    {"08006", DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE},  /* connection failure */
    {"53000", DSC_FAILED_STATEMENT, DSC_DATABASE_UNAVAILABLE}, /* out of anything */
    {"53100", DSC_FAILED_STATEMENT, DSC_DATABASE_UNAVAILABLE}, /* ... of disk */
    {"53200", DSC_FAILED_STATEMENT, DSC_DATABASE_UNAVAILABLE}, /* ... of memory */
    {"53300", DSC_FAILED_STATEMENT, DSC_DATABASE_UNAVAILABLE}, /* ... of connections */
    {"40P01", DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE},  /* deadlock, with recovery as well */
    {"25006", DSC_FAILED_STATEMENT, DSC_DATABASE_ERROR},       /* a write where none may be */
    {"42P01", DSC_FAILED_STATEMENT, DSC_DATABASE_ERROR},       /* no such table */
    {"26001", DSC_FAILED_STATEMENT, DSC_DATABASE_ERROR},
    {"57000", DSC_FAILED_STATEMENT, DSC_DATABASE_ERROR},
    {"52999", DSC_FAILED_STATEMENT, DSC_DATABASE_ERROR},
    {"", DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE}, /* libpq's own word */
    {NULL, DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE},
};

static void test_sqlstates(void)
{
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        const dsc_sqlstate_t *row = dsc_sqlstate_find(states[i].state);

        CU_ASSERT_EQUAL(row->kind, states[i].kind);
        CU_ASSERT_EQUAL(row->status, states[i].status);
    }
}

/* --------------------------------------------------------------------- outages */

#define AT(milliseconds) (apr_time_from_sec(1000) + apr_time_from_msec(milliseconds))

static void test_connecting_in_an_outage(void)
{
    dsc_outage_t outage = {0};

    CU_ASSERT_TRUE(dsc_outage_may_connect(&outage, AT(0)));
    CU_ASSERT_TRUE(dsc_outage_may_connect(&outage, AT(0))); /* while it is up, everybody may */

    dsc_outage_failed(&outage, AT(0), AT(0));
    CU_ASSERT_FALSE(dsc_outage_may_connect(&outage, AT(0)));
    CU_ASSERT_FALSE(dsc_outage_may_connect(&outage, AT(199)));
    CU_ASSERT_TRUE(dsc_outage_may_connect(&outage, AT(200))); /* one tries, */
    CU_ASSERT_FALSE(dsc_outage_may_connect(&outage, AT(200)));
    CU_ASSERT_FALSE(dsc_outage_may_connect(&outage, AT(699))); /* the others do not wait for it */

    dsc_outage_failed(&outage, AT(200), AT(650));
    CU_ASSERT_FALSE(dsc_outage_may_connect(&outage, AT(849)));
    CU_ASSERT_TRUE(dsc_outage_may_connect(&outage, AT(850)));

    dsc_outage_over(&outage, AT(851));
    CU_ASSERT_TRUE(dsc_outage_may_connect(&outage, AT(851)));
    CU_ASSERT_TRUE(dsc_outage_may_connect(&outage, AT(851)));
}

/* Whoever tries and does not report holds the others off for half a second; how it ends is of no
 * account where another has connected meanwhile. */
static void test_attempt_without_end(void)
{
    dsc_outage_t outage = {0};

    dsc_outage_failed(&outage, AT(0), AT(0));
    CU_ASSERT_TRUE(dsc_outage_may_connect(&outage, AT(1000)));
    CU_ASSERT_FALSE(dsc_outage_may_connect(&outage, AT(1499)));
    CU_ASSERT_TRUE(dsc_outage_may_connect(&outage, AT(1500)));
    dsc_outage_over(&outage, AT(1510));
    dsc_outage_failed(&outage, AT(1000), AT(2000));
    CU_ASSERT_TRUE(dsc_outage_may_connect(&outage, AT(2000)));
    dsc_outage_failed(&outage, AT(1510), AT(2000));
    CU_ASSERT_FALSE(dsc_outage_may_connect(&outage, AT(2000)));
}

/* -------------------------------------------------------------------- attempts */

typedef struct {
    atomic_int may_end, has_ended, discarded;
} work_t;

static void work_until_told(void *baton)
{
    work_t *work = baton;
    while (!work->may_end) {
        apr_sleep(1000);
    }
    work->has_ended = 1;
}

static void note_discarded(void *baton)
{
    work_t *work = baton;
    CU_ASSERT_TRUE(work->has_ended);
    work->discarded = 1;
}

static dsc_attempts_t attempts = {.run = work_until_told, .discard = note_discarded, .most = 1};

static void test_attempts(void)
{
    static work_t quick, long_one, third; /* threads have them */
    apr_time_t now = dsc_monotonic_now();
    int i;

    quick.may_end = 1;
    CU_ASSERT_EQUAL(dsc_attempt(&attempts, &quick, now + apr_time_from_sec(60)), DSC_ATTEMPT_DONE);
    CU_ASSERT_TRUE(quick.has_ended);
    CU_ASSERT_FALSE(quick.discarded);

    CU_ASSERT_EQUAL(dsc_attempt(&attempts, &long_one, now), DSC_ATTEMPT_LEFT);
    CU_ASSERT_EQUAL(dsc_attempt(&attempts, &third, now), DSC_ATTEMPT_NONE);
    CU_ASSERT_FALSE(third.discarded);
    long_one.may_end = 1;
    for (i = 0; i < 60000 && attempts.left > 0; i++) {
        apr_sleep(1000);
    }
    CU_ASSERT_TRUE(long_one.discarded);
    third.may_end = 1;
    CU_ASSERT_EQUAL(dsc_attempt(&attempts, &third, now + apr_time_from_sec(60)), DSC_ATTEMPT_DONE);
}

static void test_trust(void)
{
    dsc_outage_t outage = {0};

    CU_ASSERT_TRUE(dsc_outage_trusts(&outage, AT(0)));
    dsc_outage_distrust(&outage, AT(500));
    CU_ASSERT_FALSE(dsc_outage_trusts(&outage, AT(499)));
    CU_ASSERT_TRUE(dsc_outage_trusts(&outage, AT(500)));
    dsc_outage_distrust(&outage, AT(100)); /* comes late: what was known stays */
    CU_ASSERT_FALSE(dsc_outage_trusts(&outage, AT(499)));
}

static void test_log_of_an_outage(void)
{
    dsc_outage_t outage = {0};

    CU_ASSERT_TRUE(dsc_outage_may_log(&outage, AT(0)));
    CU_ASSERT_FALSE(dsc_outage_may_log(&outage, AT(0)));
    CU_ASSERT_FALSE(dsc_outage_may_log(&outage, AT(4999)));
    CU_ASSERT_TRUE(dsc_outage_may_log(&outage, AT(5000)));
}

/* A server that nobody can reach. */
static PGconn *refuse(void *baton, apr_time_t deadline, const char **reason)
{
    (void)baton;
    (void)deadline;
    *reason = "nobody listens";
    return NULL;
}

static int logged;
static void count_log(void *baton, int number, const char *text)
{
    (void)baton;
    logged++;
    CU_ASSERT_EQUAL(number, DSC_MESSAGE_OUTAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "nobody listens"));
}

static void test_unreachable_server(void)
{
    dsc_outage_t outage = {0};
    dsc_connection_config_t config = {.conninfo = "",
                                      .limit = apr_time_from_sec(1),
                                      .outage = &outage,
                                      .outage_number = DSC_MESSAGE_OUTAGE,
                                      .log = count_log,
                                      .make = refuse};
    dsc_connection_t *connection = dsc_connection_create(dsc_pool, &config);

    logged = 0;
    CU_ASSERT_FALSE(dsc_connection_ready(connection));
    CU_ASSERT_EQUAL(dsc_connection_failure(connection)->status, DSC_DATABASE_UNAVAILABLE);
    CU_ASSERT_EQUAL(logged, 1);
    CU_ASSERT_FALSE(dsc_connection_ready(connection));
    CU_ASSERT_EQUAL(logged, 1); /* just now */
    config.outage = NULL;
    connection = dsc_connection_create(dsc_pool, &config);
    CU_ASSERT_FALSE(dsc_connection_ready(connection));
    CU_ASSERT_FALSE(dsc_connection_ready(connection));
    CU_ASSERT_EQUAL(logged, 3);
    config.log = NULL;
    CU_ASSERT_FALSE(dsc_connection_ready(dsc_connection_create(dsc_pool, &config)));
    CU_ASSERT_EQUAL(logged, 3);
}

static void test_monotonic_clock(void)
{
    apr_time_t before = dsc_monotonic_now();

    CU_ASSERT_TRUE(before > 0);
    CU_ASSERT_TRUE(dsc_monotonic_now() >= before);
}

/* ------------------------------------------------------------ prepared statements */

/* Uses a statement as a connection does; its name, and in *gone the one that made room. */
static const char *use(dsc_statement_cache_t *cache, const char *sql, const char **gone)
{
    const char *name = dsc_statement_cache_find(cache, sql);

    *gone = NULL;
    if (name == NULL) {
        *gone = dsc_statement_cache_surplus(cache);
        if (*gone != NULL) {
            dsc_statement_cache_drop(cache);
        }
        name = dsc_statement_cache_name(cache);
        dsc_statement_cache_add(cache, sql);
    }
    return name;
}

static void test_least_recently_used_goes(void)
{
    dsc_statement_cache_t *cache = dsc_statement_cache_create(dsc_pool, 3);
    const char *gone, *a = use(cache, "A", &gone), *b = use(cache, "B", &gone);
    const char *c = use(cache, "C", &gone);

    CU_ASSERT_PTR_NULL(gone); /* there was room */
    CU_ASSERT_STRING_NOT_EQUAL(a, b);
    CU_ASSERT_STRING_NOT_EQUAL(b, c);
    CU_ASSERT_STRING_NOT_EQUAL(a, c);
    CU_ASSERT_STRING_EQUAL(use(cache, "A", &gone), a); /* used again: B is oldest now */
    CU_ASSERT_STRING_EQUAL(use(cache, "D", &gone), b);
    CU_ASSERT_STRING_EQUAL(gone, b);
    CU_ASSERT_PTR_NULL(dsc_statement_cache_find(cache, "B"));
    CU_ASSERT_STRING_EQUAL(dsc_statement_cache_find(cache, "C"), c);
    CU_ASSERT_STRING_EQUAL(dsc_statement_cache_find(cache, "A"), a);
    CU_ASSERT_STRING_EQUAL(dsc_statement_cache_find(cache, "D"), b);
    (void)use(cache, "E", &gone);
    CU_ASSERT_STRING_EQUAL(gone, c);
}

/* Thousands of statements go through; those in use stay, and no two share a name. */
static void test_many_statements(void)
{
    enum {
        CAPACITY = 256,
        MANY = 5000
    };
    dsc_statement_cache_t *cache = dsc_statement_cache_create(dsc_pool, CAPACITY);
    const char *gone, *kept = use(cache, "SELECT kept", &gone);
    int drops = 0;

    for (int i = 0; i < MANY; i++) {
        CU_ASSERT_STRING_NOT_EQUAL(use(cache, apr_psprintf(dsc_pool, "SELECT %d", i), &gone), kept);
        drops += gone != NULL;
        CU_ASSERT_PTR_EQUAL(use(cache, "SELECT kept", &gone), kept);
    }
    CU_ASSERT_EQUAL(drops, MANY + 1 - CAPACITY);
    CU_ASSERT_PTR_NULL(dsc_statement_cache_find(cache, "SELECT 4744"));
    CU_ASSERT_PTR_NOT_NULL(dsc_statement_cache_find(cache, "SELECT 4745"));
}

/* One that could not be prepared was not added: its name is the next one's. */
static void test_statement_not_prepared(void)
{
    dsc_statement_cache_t *cache = dsc_statement_cache_create(dsc_pool, 1);
    const char *name = dsc_statement_cache_name(cache);

    CU_ASSERT_PTR_NULL(dsc_statement_cache_find(cache, "SELECT broken"));
    CU_ASSERT_PTR_NULL(dsc_statement_cache_surplus(cache));
    CU_ASSERT_STRING_EQUAL(dsc_statement_cache_name(cache), name);
}

/* ---------------------------------------------------------- connection strings */

static const char *completed(const char *conninfo)
{
    return dsc_conninfo_complete(dsc_pool, conninfo, dsc_conninfo_server);
}

static void has(const char *conninfo, const char *part)
{
    CU_ASSERT_PTR_NOT_NULL(strstr(completed(conninfo), part));
}

static void test_conninfo_defaults(void)
{
    static const char *const forms[] = {"dbname=x", "", "postgresql://u@h:5433/x", "service=x",
                                        "postgres://h1,h2/x?target_session_attrs=read-write"};

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        has(forms[i], "connect_timeout='3'");
        has(forms[i], "keepalives_idle='10'");
        has(forms[i], "keepalives_interval='5'");
        has(forms[i], "keepalives_count='3'");
        has(forms[i], "tcp_user_timeout='10000'");
    }
    has("postgresql://u@h:5433/x", "user='u'");
    has("postgresql://u@h:5433/x", "port='5433'");
    has("postgres://h1,h2/x?target_session_attrs=read-write", "host='h1,h2'");
    has("postgres://h1,h2/x?target_session_attrs=read-write", "target_session_attrs='read-write'");
}

static void test_conninfo_keeps_what_it_names(void)
{
    const char *text =
        completed("dbname=x connect_timeout=7 tcp_user_timeout=0 keepalives_idle=99");

    CU_ASSERT_PTR_NOT_NULL(strstr(text, "connect_timeout='7'"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "tcp_user_timeout='0'"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "keepalives_idle='99'"));
    CU_ASSERT_PTR_NULL(strstr(text, "'3' connect_timeout"));
    has("postgresql:///x?connect_timeout=8", "connect_timeout='8'");
    has("dbname=x connect_timeout=0", "connect_timeout='3'"); /* nothing waits for ever */
    has("dbname=x connect_timeout=-1", "connect_timeout='3'");
    has("dbname=connect_timeout", "connect_timeout='3'"); /* a name alone is no setting */
}

static void test_conninfo_quotes(void)
{
    has("password='a b\\'c\\\\d' dbname=x", "password='a b\\'c\\\\d'");
    CU_ASSERT_STRING_EQUAL(completed("no such=thing"), "no such=thing"); /* libpq says why */
}

void dsc_suite_connection(void)
{
    CU_pSuite suite = CU_add_suite("connection", dsc_open_pool, dsc_close_pool);
    CU_add_test(suite, "what SQLSTATEs mean", test_sqlstates);
    CU_add_test(suite, "who connects in an outage", test_connecting_in_an_outage);
    CU_add_test(suite, "an attempt without an end", test_attempt_without_end);
    CU_add_test(suite, "attempts that are waited for, and left behind", test_attempts);
    CU_add_test(suite, "which connections are trusted", test_trust);
    CU_add_test(suite, "an outage is logged now and then", test_log_of_an_outage);
    CU_add_test(suite, "a server that cannot be reached", test_unreachable_server);
    CU_add_test(suite, "the clock of deadlines", test_monotonic_clock);
    CU_add_test(suite, "the statement used least recently goes", test_least_recently_used_goes);
    CU_add_test(suite, "many statements", test_many_statements);
    CU_add_test(suite, "a statement that is not prepared", test_statement_not_prepared);
    CU_add_test(suite, "connection strings are completed", test_conninfo_defaults);
    CU_add_test(suite, "what a connection string names stays", test_conninfo_keeps_what_it_names);
    CU_add_test(suite, "quotes in connection strings", test_conninfo_quotes);
}
