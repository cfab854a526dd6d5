/* SplitMix64's mixing step: numbers that are neighbours end up far apart. */
#ifndef DSC_MIX_H
#define DSC_MIX_H

#include <stdint.h>

static inline uint64_t dsc_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif
