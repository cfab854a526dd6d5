/* Failures of this host: how they are told from the receiver's, and that deliveries do not wait
 * meanwhile. */
#include "unit/fixture.h"
#include "unit/suites.h"

#include "webhook/delivery_notes.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <arpa/nameser.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <resolv.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A name server that is asked in place of the system's, and is silent until it is told to end, or
 * somebody has waited for long. */
static struct {
    atomic_int is_there, asked, is_over;
} silent;

typedef int query_t(res_state, const char *, int, int, unsigned char *, int);

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int res_nquery(res_state state, const char *name, int class, int type, unsigned char *response,
               int size)
{
    union {
        void *object;
        query_t *function;
    } system = {dlsym(RTLD_NEXT, "res_nquery")};
    int tries;

    if (!atomic_load(&silent.is_there)) {
        return system.function(state, name, class, type, response, size);
    }
    atomic_fetch_add(&silent.asked, 1);
    for (tries = 0; !atomic_load(&silent.is_over) && tries < 1000; tries++) {
        apr_sleep(apr_time_from_msec(10));
    }
    state->res_h_errno = TRY_AGAIN;
    return -1;
}

/* In a minute at most, or it stays undecided. */
static dsc_host_verdict_t judge_at_last(dsc_host_look_t *look, dsc_host_failure_t failure,
                                        const char *name)
{
    dsc_host_verdict_t verdict = dsc_host_failure_judge(look, failure, name);
    int tries;

    for (tries = 0; verdict == DSC_HOST_UNDECIDED && tries < 6000; tries++) {
        apr_sleep(apr_time_from_msec(10));
        verdict = dsc_host_failure_judge(look, failure, name);
    }
    return verdict;
}

/* In a network of its own, without a way out, a child sees both failures: exit codes 0, or what it
 * did not see. */
static int see_without_network(void)
{
    dsc_host_look_t look = {0};
    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
        return 77;
    }
    return (judge_at_last(&look, DSC_HOST_NETWORK, "") == DSC_HOST_CONFIRMED ? 0 : 1) +
           (judge_at_last(&look, DSC_HOST_NAMES, "receiver.example") == DSC_HOST_CONFIRMED ? 0 : 2);
}

static void test_host_failures(void)
{
    dsc_host_look_t look = {0};
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        _exit(see_without_network());
    }
    CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
    CU_ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        fprintf(stderr, "not tried: a network of one's own takes root or user namespaces\n");
    } else {
        CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
    }
    CU_ASSERT_EQUAL(dsc_host_failure_judge(&look, DSC_HOST_NONE, ""), DSC_HOST_REFUTED);
    CU_ASSERT_EQUAL(dsc_host_failure_judge(&look, DSC_HOST_PORT, ""), DSC_HOST_CONFIRMED);
    CU_ASSERT_EQUAL(dsc_host_failure_of_errno(EMFILE), DSC_HOST_RESOURCES);
    CU_ASSERT_EQUAL(dsc_host_failure_of_errno(ENETUNREACH), DSC_HOST_NETWORK);
    CU_ASSERT_EQUAL(dsc_host_failure_of_errno(ECONNREFUSED), DSC_HOST_NONE);
    CU_ASSERT_EQUAL(dsc_host_failure_of_errno(ETIMEDOUT), DSC_HOST_NONE);
    CU_ASSERT_STRING_EQUAL(dsc_http_host(dsc_pool, "https://a.example:8443/x"), "a.example");
    CU_ASSERT_STRING_EQUAL(dsc_http_host(dsc_pool, "nothing"), "");
}

static void begin_silence(void)
{
    atomic_store(&silent.asked, 0);
    atomic_store(&silent.is_over, 0);
    atomic_store(&silent.is_there, 1);
}

/* Nobody waits for a name server; it is asked once, and the verdict counts for a while. */
static void test_silent_name_server(void)
{
    dsc_host_look_t look = {0}, other = {0};

    begin_silence();
    CU_ASSERT_EQUAL(dsc_host_failure_judge(&look, DSC_HOST_NAMES, "a.test"), DSC_HOST_UNDECIDED);
    CU_ASSERT_EQUAL(dsc_host_failure_judge(&look, DSC_HOST_NAMES, "b.test"), DSC_HOST_UNDECIDED);
    CU_ASSERT_EQUAL(dsc_host_failure_judge(&other, DSC_HOST_NAMES, "c.test"), DSC_HOST_UNDECIDED);
    dsc_host_look_end(&other); /* its thread has it still */
    atomic_store(&silent.is_over, 1);
    CU_ASSERT_EQUAL(judge_at_last(&look, DSC_HOST_NAMES, "a.test"), DSC_HOST_CONFIRMED);
    CU_ASSERT_EQUAL(dsc_host_failure_judge(&look, DSC_HOST_NAMES, "b.test"), DSC_HOST_CONFIRMED);
    CU_ASSERT_TRUE(atomic_load(&silent.asked) <= 4); /* the root and the name, by each */
    atomic_store(&silent.is_there, 0);
}

static void ignore(void *baton, int number, const char *text)
{
    (void)baton;
    (void)number;
    (void)text;
}

static dsc_delivery_job_t *begin_job(dsc_delivery_notes_t *notes, const char *delivery)
{
    apr_pool_t *pool;
    dsc_delivery_job_t *job;

    apr_pool_create(&pool, dsc_pool);
    job = apr_pcalloc(pool, sizeof(*job));
    job->pool = pool;
    job->delivery = delivery;
    job->endpoint = "7";
    job->url = "https://receiver.test/";
    dsc_delivery_notes_begin(notes, job);
    return job;
}

/* What has ended in a way that is still being looked into waits; what was responded to does not. */
static void test_undecided(void)
{
    dsc_http_response_t unresolved = {.error = "the host name cannot be resolved",
                                      .suspected = DSC_HOST_NAMES};
    dsc_http_response_t good = {.status = 200};
    dsc_delivery_notes_t *notes = dsc_delivery_notes_create(dsc_pool, NULL, "w", ignore, NULL);
    dsc_delivery_counts_t counts;
    int tries;

    begin_silence();
    dsc_delivery_notes_add(notes, begin_job(notes, "1"), &unresolved);
    dsc_delivery_notes_add(notes, begin_job(notes, "2"), &good);
    begin_job(notes, "3");
    dsc_delivery_notes_decide(notes);
    CU_ASSERT_EQUAL(dsc_delivery_notes_undecided(notes), 1);
    CU_ASSERT_EQUAL(dsc_delivery_notes_pending(notes), 1);
    atomic_store(&silent.is_over, 1);
    for (tries = 0; dsc_delivery_notes_undecided(notes) > 0 && tries < 6000; tries++) {
        apr_sleep(apr_time_from_msec(10));
        dsc_delivery_notes_decide(notes);
    }
    dsc_delivery_notes_counts(notes, &counts);
    CU_ASSERT_EQUAL(dsc_delivery_notes_pending(notes), 2);
    CU_ASSERT_EQUAL(counts.delivered, 1);
    CU_ASSERT_EQUAL(counts.put_back, 1);
    CU_ASSERT_EQUAL(counts.failed, 0);
    atomic_store(&silent.is_there, 0);
}

void dsc_suite_host_failure(void)
{
    CU_pSuite suite = CU_add_suite("failures of the host", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "no network, no name server", test_host_failures);
    CU_add_test(suite, "a silent name server", test_silent_name_server);
    CU_add_test(suite, "deliveries meanwhile", test_undecided);
}
