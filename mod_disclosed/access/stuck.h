/* Slots of shared memory that a thread was writing when it was killed: they stay locked. Writing
 * takes nanoseconds, so a slot is such a one if two checks, seconds apart, see it being written. */
#ifndef DSC_STUCK_H
#define DSC_STUCK_H

/* Whether it was being written at the last look as well; `seen` is what that look left. */
static inline int dsc_is_stuck(unsigned char *seen, int is_written)
{
    int is_stuck = is_written && *seen;
    *seen = is_written && !is_stuck;
    return is_stuck;
}

#endif
