/* Lines that a run prints to the terminal or the journal. */
#ifndef DSC_FOLLOW_REPORT_H
#define DSC_FOLLOW_REPORT_H

#include "follow/state.h"
#include "loader/loader.h"

/* Prints a line: a failure always, other lines only with --verbose. */
void dsc_follow_report(dsc_follower_t *follow, int is_failure, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints what has failed; what is only postponed is printed only with --verbose. */
void dsc_follow_report_failure(dsc_follower_t *follow, const char *source, const char *what,
                               const char *url, dsc_fetch_error_t error, const char *reason);

/* Why rows of which none was taken are not stored; NULL: one was, or there were none. It is mostly
 * for a reason outside of the file, a provider or a company that is not here yet: its content
 * counts as not stored, and is read again. */
const char *dsc_follow_rejected(apr_pool_t *pool, const dsc_load_count_t *count);

#endif
