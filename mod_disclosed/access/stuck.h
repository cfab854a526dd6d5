/* Slots of shared memory that a thread was writing when it was killed: they stay so. One that is seen being written in two looks
 * running, seconds apart, is such, as writing takes nanoseconds. */
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
