/* Hashes for tables in memory: quick, and no protection. */
#ifndef DSC_HASH_H
#define DSC_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* FNV-1a of 64 bits, byte by byte. */
#define DSC_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t dsc_hash_byte(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * UINT64_C(0x100000001b3);
}

static inline uint64_t dsc_hash_bytes(uint64_t hash, const char *bytes, size_t length)
{
    size_t i;

    for (i = 0; i < length; i++) {
        hash = dsc_hash_byte(hash, (unsigned char)bytes[i]);
    }
    return hash;
}

static inline uint64_t dsc_hash_text(uint64_t hash, const char *text)
{
    return dsc_hash_bytes(hash, text, strlen(text));
}

/* SplitMix64's mixing step: numbers that are neighbours end up far apart. */
static inline uint64_t dsc_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif
