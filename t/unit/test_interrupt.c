/* Processes that work along: what is told of their ends, and that a signal reaches those that live
 * and no others. */
#include "engine/interrupt.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MORE_THAN_ARE_KEPT = 200, /* as many processes as are noted at a time, some times over */
    PATIENCE = 20             /* seconds */
};

static pid_t ending_with(int code)
{
    pid_t child = dsc_interrupt_fork();

    if (child == 0) {
        _exit(code);
    }
    return child;
}

static pid_t waiting_for_signals(void)
{
    pid_t child = dsc_interrupt_fork();

    if (child == 0) {
        alarm(PATIENCE);
        while (!dsc_interrupted()) {
            usleep(1000);
        }
        _exit(0);
    }
    return child;
}

/* In a process of its own, as signals are dealt with from here on: 0, or the number of what is
 * wrong. */
static int reaping(void)
{
    pid_t child;
    int i;

    dsc_interrupt_watch();
    if (!dsc_interrupt_reap(ending_with(0))) {
        return 1;
    }
    if (dsc_interrupt_reap(ending_with(3))) {
        return 2;
    }
    child = waiting_for_signals();
    (void)kill(child, SIGKILL);
    if (dsc_interrupt_reap(child)) {
        return 3;
    }
    if (dsc_interrupt_reap(child)) { /* it is nobody's any more */
        return 4;
    }
    for (i = 0; i < MORE_THAN_ARE_KEPT; i++) {
        if (!dsc_interrupt_reap(ending_with(0))) {
            return 5;
        }
    }
    child = waiting_for_signals();
    (void)kill(getpid(), SIGTERM);
    dsc_interrupt_pass_on();
    return dsc_interrupt_reap(child) ? 0 : 6;
}

static void test_reap(void)
{
    pid_t child = fork();
    int status = -1;

    if (child == 0) {
        alarm(2 * PATIENCE);
        _exit(reaping());
    }
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    CU_ASSERT_TRUE(WIFEXITED(status));
    CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
}

/* Signals that come while one is waited for do not cut the waiting short. */
static int reaping_among_signals(void)
{
    pid_t beside, child;
    int good;

    dsc_interrupt_watch();
    child = dsc_interrupt_fork();
    if (child == 0) {
        usleep(300000);
        _exit(0);
    }
    beside = fork();
    if (beside == 0) {
        usleep(50000);
        (void)kill(getppid(), SIGTERM);
        _exit(0);
    }
    good = dsc_interrupt_reap(child) && dsc_interrupted() == SIGTERM;
    (void)waitpid(beside, NULL, 0);
    return good ? 0 : 1;
}

static void test_signals(void)
{
    pid_t child = fork();
    int status = -1;

    if (child == 0) {
        alarm(PATIENCE);
        _exit(reaping_among_signals());
    }
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    CU_ASSERT_TRUE(WIFEXITED(status));
    CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
}

void dsc_suite_interrupt(void)
{
    CU_pSuite suite = CU_add_suite("processes that work along", NULL, NULL);

    CU_add_test(suite, "their ends", test_reap);
    CU_add_test(suite, "signals meanwhile", test_signals);
}
