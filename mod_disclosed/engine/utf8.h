/* UTF-8 as RFC 3629 defines it: no surrogates, no overlong forms, nothing above U+10FFFF. */
#ifndef DSC_UTF8_H
#define DSC_UTF8_H

#include "engine/parameter.h"

#include <string.h>

#define DSC_UTF8_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* How many bytes the byte order mark at the beginning of a text takes; 0: there is none. */
static inline size_t dsc_utf8_mark(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* Looks at the character that begins at `at`, of which `left` (at least 1) bytes are there.
 * Returns the number of bytes to step over: those of the character (*good is 1), or those of
 * the longest part that could have begun one (*good is 0), which counts as one U+FFFD
 * (Unicode 15, section 3.9, "maximal subpart"). */
static inline size_t dsc_utf8_step(const unsigned char *at, size_t left, int *good)
{
    unsigned char lead = at[0];
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    size_t have;

    *good = lead < 0x80 || (lead >= 0xC2 && lead <= 0xF4);
    for (have = 1; *good && have < length; have++) {
        if (have >= left || at[have] < low || at[have] > high) {
            *good = 0;
            return have;
        }
        low = 0x80;
        high = 0xBF;
    }
    return *good ? length : 1;
}

/* The text with each faulty part replaced by U+FFFD; the same bytes if all is well. */
dsc_slice_t dsc_utf8_clean(apr_pool_t *pool, dsc_slice_t text);

/* The number of code points; the text must be clean. */
size_t dsc_utf8_count(dsc_slice_t text);

/* The text without the white space (Unicode property White_Space) at its ends; the text must
 * be clean. */
dsc_slice_t dsc_utf8_trim(dsc_slice_t text);

#endif
