/* Times of day in New York, as in EDGAR's headers, converted to UTC. */
#ifndef DSC_EASTERN_TIME_H
#define DSC_EASTERN_TIME_H

#include <apr_pools.h>

/* No earlier time is converted: of files that are read here none is as old. */
#define DSC_EASTERN_FIRST_YEAR 1976

/* Makes New York the program's local time, by the system's time zone files; once, before anything
 * is converted and any thread is begun. NULL, or why nothing can be converted. */
const char *dsc_eastern_begin(void);

/* Converts US Eastern local time without a zone, "YYYYMMDDHHMMSS" or "YYYY-MM-DD[T ]HH:MM:SS"
 * (a fraction of a second is kept), to "YYYY-MM-DDTHH:MM:SS[.f]Z". NULL if the text is no such
 * time or before 1976. Of the hour that comes twice when daylight saving time ends the later one
 * is meant, so that nothing counts as known too early; an hour that its start leaves out is read
 * as standard time. PostgreSQL reads both the same way. */
const char *dsc_eastern_to_utc(apr_pool_t *pool, const char *local);

/* The same of the acceptance time of an EDGAR header, YYYYMMDDHHMMSS. Midnight stands for a time
 * that is not known: *utc is NULL then. 0 if the text is no time. */
int dsc_acceptance_to_utc(apr_pool_t *pool, const char *accepted, const char **utc);

/* The last instant of a day in New York, as UTC; NULL if the text is no date or before 1976. */
const char *dsc_end_of_day(apr_pool_t *pool, const char *day);

#endif
