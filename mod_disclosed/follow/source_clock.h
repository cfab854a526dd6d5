/* SQL of the time by a source's clock. */
#ifndef DSC_SOURCE_CLOCK_H
#define DSC_SOURCE_CLOCK_H

/* The source's own time, of a row s of followed_source, if it is stated; otherwise the
 * database's. */
#define SOURCE_NOW "coalesce(s.told_at + (clock_timestamp() - s.told_seen), clock_timestamp())"

/* Its day in New York, where filings are accepted until ten in the evening. */
#define SOURCE_DAY "(" SOURCE_NOW " AT TIME ZONE 'America/New_York')::date"
#define COMPLETE_DAY                                                                               \
    "(" SOURCE_NOW " AT TIME ZONE 'America/New_York' - interval '22 "                              \
    "hours')::date"

#endif
