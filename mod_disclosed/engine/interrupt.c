#include "engine/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

enum {
    GRACE = 5,       /* seconds to notice a signal: a busy machine has processes wait */
    FAREWELL = 10,   /* seconds to roll back and report */
    MAX_FORKED = 64, /* as many as --jobs allows */
    SAME = 500 /* milliseconds in which a signal that comes twice is one: timeout(1) sends two */
};

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static volatile sig_atomic_t came; /* the signal */
static struct timespec came_at;
static volatile sig_atomic_t forked_count;
static pid_t forked[MAX_FORKED];
static char last_words[512] = "\n";
static int wake[2] = {-1, -1};
static int works_along; /* is a process that was forked */
static int noticed, passed_on, held;
static void (*waiting)(void *baton);
static void *waiting_baton;

/* ------------------------------------------------------------------------- signals */

/* Async-signal-safe, as all that handlers call. */
static void say(const char *text)
{
    size_t length = strlen(text);

    if (write(STDERR_FILENO, text, length) < 0) {
        return; /* nobody reads the error */
    }
}

static void end_at_once(void)
{
    for (int i = 0; i < forked_count; i++) {
        (void)kill(forked[i], SIGKILL);
    }
    if (!works_along) {
        say("\ndisclosedctl: interrupted");
        say(last_words);
    }
    _exit(128 + (int)came);
}

static int came_just_now(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - came_at.tv_sec) * 1000 + (now.tv_nsec - came_at.tv_nsec) / 1000000 < SAME;
}

static void on_signal(int number)
{
    int saved = errno;

    if (number == SIGALRM || (came != 0 && !works_along && !came_just_now())) {
        end_at_once();
    }
    if (came == 0) {
        came = number;
        (void)clock_gettime(CLOCK_MONOTONIC, &came_at);
        (void)alarm(GRACE);
        if (write(wake[1], "", 1) < 0) {
            came = number; /* the pipe is full: it wakes all the same */
        }
    }
    errno = saved;
}

static void open_pipe(void)
{
    for (int i = 0; i < 2 && wake[0] >= 0; i++) {
        close(wake[i]);
    }
    if (pipe(wake) != 0) {
        wake[0] = wake[1] = -1;
        return;
    }
    for (int i = 0; i < 2; i++) {
        (void)fcntl(wake[i], F_SETFL, O_NONBLOCK);
        (void)fcntl(wake[i], F_SETFD, FD_CLOEXEC);
    }
}

void dsc_interrupt_watch(void)
{
    struct sigaction action, before;

    open_pipe();
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        (void)sigaddset(&action.sa_mask, signals[i]);
    }
    (void)sigaction(SIGALRM, &action, NULL);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            (void)sigaction(signals[i], &action, NULL);
        }
    }
}

int dsc_interrupted(void)
{
    if (came != 0 && !noticed) {
        noticed = 1;
        (void)alarm(FAREWELL);
    }
    return (int)came;
}

int dsc_interrupt_is_due(void)
{
    return held == 0 ? dsc_interrupted() : 0;
}

const char *dsc_interrupt_text(void)
{
    return came == SIGINT    ? "interrupted by SIGINT"
           : came == SIGHUP  ? "interrupted by SIGHUP"
           : came == SIGTERM ? "interrupted by SIGTERM"
                             : "interrupted";
}

void dsc_interrupt_last_words(const char *text)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    snprintf(last_words, sizeof(last_words), "%s\n", text);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
}

void dsc_interrupt_hold(void)
{
    held++;
}

void dsc_interrupt_release(void)
{
    held--;
}

void dsc_interrupt_while_waiting(void (*function)(void *baton), void *baton)
{
    waiting = function;
    waiting_baton = baton;
}

int dsc_interrupt_descriptor(void)
{
    return wake[0];
}

/* ----------------------------------------------------------------------- processes */

/* In the new process, with signals blocked. */
static void begin_working_along(pid_t parent)
{
    works_along = 1;
    forked_count = 0;
    open_pipe();
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() != parent) { /* gone before that was asked for */
        _exit(1);
    }
    if (came != 0 && write(wake[1], "", 1) < 0) {
        _exit(1);
    }
}

pid_t dsc_interrupt_fork(void)
{
    pid_t parent = getpid(), child;
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    child = fork();
    if (child == 0) {
        begin_working_along(parent);
    } else if (child > 0 && forked_count < MAX_FORKED) {
        forked[forked_count] = child;
        forked_count++;
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return child;
}

static void forget(pid_t child)
{
    for (int i = 0; i < forked_count; i++) {
        if (forked[i] == child) {
            forked[i] = forked[forked_count - 1];
            forked_count--;
            return;
        }
    }
}

int dsc_interrupt_reap(pid_t child)
{
    siginfo_t ended;
    sigset_t all, before;
    int status = 0;
    pid_t reaped;

    while (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    (void)sigfillset(&all); /* its id may be another's from here on */
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    reaped = waitpid(child, &status, 0);
    forget(child);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return reaped == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void dsc_interrupt_pass_on(void)
{
    if (!dsc_interrupted() || passed_on) {
        return;
    }
    passed_on = 1;
    (void)alarm(FAREWELL + GRACE); /* they have as long as this process */
    for (int i = 0; i < forked_count; i++) {
        (void)kill(forked[i], SIGTERM);
    }
}

/* ---------------------------------------------------------------------- statements */

static int waits_for(void *baton)
{
    (void)baton;
    return came != 0 ? -1 : wake[0]; /* it has been heard */
}

static int is_due(void *baton)
{
    (void)baton;
    return dsc_interrupt_is_due();
}

static void tick(void *baton)
{
    (void)baton;
    if (waiting != NULL) {
        waiting(waiting_baton);
    }
}

const dsc_waiting_t *dsc_interrupt_waiting(void)
{
    static const dsc_waiting_t hooks = {waits_for, is_due, tick, NULL};

    return &hooks;
}
