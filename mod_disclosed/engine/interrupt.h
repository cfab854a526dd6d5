/* Ends on SIGINT, SIGTERM or SIGHUP without leaving work in the database. The first signal makes
 * dsc_interrupted() true and cancels the statement that a connection waits for
 * (dsc_interrupt_waiting()). The worker checks it now and then, rolls back, reports what was kept,
 * and ends. A second signal, half a second later or more, or five seconds without a check, end the
 * process at once. */
#ifndef DSC_INTERRUPT_H
#define DSC_INTERRUPT_H

#include "engine/connection.h"

#include <sys/types.h>

/* From now on signals are dealt with, but for those that are ignored (nohup). */
void dsc_interrupt_watch(void);

/* The signal that has come, or 0. The caller is going to end: from then on there are ten
 * seconds. */
int dsc_interrupted(void);

/* The same, but 0 while statements are held: whether what is being done is to be given up. */
int dsc_interrupt_is_due(void);

/* "interrupted by SIGTERM" */
const char *dsc_interrupt_text(void);

/* What to say when the process ends at once, after "interrupted". */
void dsc_interrupt_last_words(const char *text);

/* Statements between the two run to their end whatever signal comes: those that roll back and
 * write down why. */
void dsc_interrupt_hold(void);
void dsc_interrupt_release(void);

/* Has a function called once a second while a statement runs; NULL: none. */
void dsc_interrupt_while_waiting(void (*function)(void *baton), void *baton);

/* fork() for a process that works along: a signal is passed on to it, it ends when this one does,
 * and signals that come again (a terminal sends to both) do not hurry it. */
pid_t dsc_interrupt_fork(void);

/* Waits for such a process to end, and passes nothing on to it any more; whether it has ended with
 * 0. */
int dsc_interrupt_reap(pid_t child);

/* Passes the signal on to the processes that were forked, once. */
void dsc_interrupt_pass_on(void);

/* Readable once a signal has come; -1: signals are not dealt with. */
int dsc_interrupt_descriptor(void);

/* For connections: a signal cancels the statement that is waited for. */
const dsc_waiting_t *dsc_interrupt_waiting(void);

#endif
