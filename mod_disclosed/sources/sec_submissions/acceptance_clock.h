/* Which clock the acceptance times of a submissions file are on. */
#ifndef DSC_ACCEPTANCE_CLOCK_H
#define DSC_ACCEPTANCE_CLOCK_H

#include <apr_pools.h>

/* EDGAR's submissions files write every acceptanceDateTime with a Z, but only some of them are in
 * UTC. In others the times are US Eastern, and the Z is false (the SGML headers of the same
 * filings show it). All times of one file have the same clock, and nothing in the file states
 * which, so it is derived from the filings. */
typedef enum {
    DSC_CLOCK_UTC,
    DSC_CLOCK_EASTERN
} dsc_clock_t;

/* What the filings of a file say; begins as all zeros. */
typedef struct {
    long utc;     /* filings that are plausible on a UTC clock alone */
    long eastern; /* filings that are plausible on an Eastern clock alone */
    long rhythm;  /* log-likelihood ratio of the hours, Eastern over UTC, in hundredths */
    long names;   /* midnights in New York among the dates of former names */
} dsc_clock_evidence_t;

/* Adds one filing: its acceptance time as written (YYYY-MM-DDTHH:MM:SS...), its filing date
 * (YYYY-MM-DD) and its form. Times that are no times are passed over. */
void dsc_clock_weigh(apr_pool_t *pool, dsc_clock_evidence_t *evidence, const char *accepted,
                     const char *filed_on, const char *form);

/* Adds the instant at which a former name began or ended, as written. */
void dsc_clock_weigh_name(dsc_clock_evidence_t *evidence, const char *instant);

/* The verdict; if nothing speaks, the clock is what the Z says. */
dsc_clock_t dsc_clock_decide(const dsc_clock_evidence_t *evidence);

const char *dsc_clock_name(dsc_clock_t clock);

/* Makes the time UTC, "YYYY-MM-DDTHH:MM:SS[.f]Z". *utc is NULL if no time of day was kept: an
 * absent text, and exact midnights (as written, or in New York), which stand for it in filings
 * before about 2002. Returns 0 if the text is no time at all. */
int dsc_clock_to_utc(apr_pool_t *pool, dsc_clock_t clock, const char *accepted, const char **utc);

#endif
