/* What a run tells at the terminal, or in the journal. */
#ifndef DSC_FOLLOW_TELL_H
#define DSC_FOLLOW_TELL_H

#include "follow/state.h"

/* Tells a line: a failure always, else where --verbose is given. */
void dsc_follow_tell(dsc_follower_t *follow, int is_failure, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Tells what has failed; what is only put off is told where --verbose is given. */
void dsc_follow_tell_failure(dsc_follower_t *follow, const char *source, const char *what,
                             const char *url, dsc_fetch_error_t error, const char *reason);

#endif
