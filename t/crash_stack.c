/* Preloaded into the httpd of the suites: a process that crashes writes its stack to the error log
 * first. httpd's own handler writes none, and a core needs a machine that keeps it. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <signal.h>

#if defined(__has_include)
#if __has_include(<execinfo.h>)
#define HAS_BACKTRACE
#endif
#endif

#ifdef HAS_BACKTRACE

#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <unistd.h>

enum {
    FRAMES = 48
};

typedef int sigaction_t(int number, const struct sigaction *action, struct sigaction *before);

static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
static struct sigaction theirs[sizeof(fatal) / sizeof(fatal[0])];
static sigaction_t *real_sigaction;
static volatile sig_atomic_t has_crashed; /* from then on handlers are set as they are asked for */

static int place_of(int number)
{
    int i;

    for (i = 0; i < (int)(sizeof(fatal) / sizeof(fatal[0])); i++) {
        if (fatal[i] == number) {
            return i;
        }
    }
    return -1;
}

/* Addresses as addr2line takes them, of the file that they are in. */
static void write_frame(void *address)
{
    Dl_info info;

    if (dladdr(address, &info) != 0) {
        dprintf(STDERR_FILENO, "crash stack: %s %#lx %s\n", info.dli_fname,
                (unsigned long)((char *)address - (char *)info.dli_fbase),
                info.dli_sname != NULL ? info.dli_sname : "");
    } else {
        dprintf(STDERR_FILENO, "crash stack: %p\n", address);
    }
}

/* Afterwards the instruction is tried again, or the signal is sent again, and the handler is the
 * process's own. */
static void on_fatal(int number)
{
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES), i;

    has_crashed = 1;
    (void)real_sigaction(number, &theirs[place_of(number)], NULL);
    dprintf(STDERR_FILENO, "crash stack: process %ld, signal %d\n", (long)getpid(), number);
    for (i = 0; i < count; i++) {
        write_frame(frames[i]);
    }
    (void)raise(number);
}

/* In place of the C library's, which declares it by reserved names. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    int place = place_of(number);

    if (place < 0 || real_sigaction == NULL || has_crashed) {
        return real_sigaction != NULL ? real_sigaction(number, action, before) : -1;
    }
    if (before != NULL) {
        *before = theirs[place];
    }
    if (action != NULL) {
        theirs[place] = *action;
    }
    return 0;
}

__attribute__((constructor)) static void begin(void)
{
    struct sigaction ours = {.sa_handler = on_fatal};
    void *frame;
    int i;

    *(void **)&real_sigaction = dlsym(RTLD_NEXT, "sigaction");
    (void)backtrace(&frame, 1); /* the first call loads what it needs */
    for (i = 0; real_sigaction != NULL && i < (int)(sizeof(fatal) / sizeof(fatal[0])); i++) {
        (void)real_sigaction(fatal[i], &ours, &theirs[i]);
    }
}

#endif
