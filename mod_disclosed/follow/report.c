#include "follow/report.h"

#include <apr_strings.h>
#include <stdarg.h>
#include <stdio.h>

void dsc_follow_report(dsc_follower_t *follow, int is_failure, const char *format, ...)
{
    char line[1024];
    va_list arguments;

    if (!is_failure && !follow->options->verbose) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    follow->options->print(follow->options->print_baton, is_failure, line);
}

void dsc_follow_report_failure(dsc_follower_t *follow, const char *source, const char *what,
                               const char *url, dsc_fetch_error_t error, const char *reason)
{
    int is_put_off = error == DSC_ERROR_PAUSED || error == DSC_ERROR_INTERRUPTED;

    dsc_follow_report(follow, !is_put_off, "%s: %s: %s: %s (%s)", source, what,
                      dsc_fetch_error_name(error), reason, url);
}

const char *dsc_follow_rejected(apr_pool_t *pool, const dsc_load_count_t *count)
{
    return count->rejected > 0 && count->rejected == count->read
               ? apr_psprintf(pool,
                              "all of its rows are rejected, %" APR_INT64_T_FMT
                              ": disclosedctl runs says why",
                              (apr_int64_t)count->rejected)
               : NULL;
}
