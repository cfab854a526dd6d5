#include "engine/utf8.h"

static size_t count_errors(dsc_slice_t text)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    size_t at = 0, errors = 0;
    int good;

    while (at < text.length) {
        at += dsc_utf8_step(bytes + at, text.length - at, &good);
        errors += !good;
    }
    return errors;
}

dsc_slice_t dsc_utf8_clean(apr_pool_t *pool, dsc_slice_t text)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    size_t errors = count_errors(text), at = 0, step, length;
    dsc_slice_t clean = {NULL, 0};
    char *out;
    int good;

    if (errors == 0) {
        return text;
    }
    out = apr_palloc(pool, text.length + 2 * errors);
    clean.data = out;
    while (at < text.length) {
        step = dsc_utf8_step(bytes + at, text.length - at, &good);
        length = good ? step : 3;
        memcpy(out, good ? text.data + at : DSC_UTF8_REPLACEMENT, length);
        out += length;
        at += step;
    }
    clean.length = (size_t)(out - clean.data);
    return clean;
}

size_t dsc_utf8_count(dsc_slice_t text)
{
    size_t i, count = 0;

    for (i = 0; i < text.length; i++) {
        count += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    }
    return count;
}

/* Every white space character of Unicode 15 (PropList.txt, White_Space). */
static const char *const white_space[] = {"\t",           "\n",
                                          "\v",           "\f",
                                          "\r",           " ",
                                          "\xC2\x85",     "\xC2\xA0",
                                          "\xE1\x9A\x80", "\xE2\x80\x80",
                                          "\xE2\x80\x81", "\xE2\x80\x82",
                                          "\xE2\x80\x83", "\xE2\x80\x84",
                                          "\xE2\x80\x85", "\xE2\x80\x86",
                                          "\xE2\x80\x87", "\xE2\x80\x88",
                                          "\xE2\x80\x89", "\xE2\x80\x8A",
                                          "\xE2\x80\xA8", "\xE2\x80\xA9",
                                          "\xE2\x80\xAF", "\xE2\x81\x9F",
                                          "\xE3\x80\x80", NULL};

/* The length of the white space character at the beginning or the end of the text, else 0. */
static size_t space_at(dsc_slice_t text, int at_end)
{
    const char *const *space;

    for (space = white_space; *space; space++) {
        size_t length = strlen(*space);

        if (length <= text.length &&
            memcmp(at_end ? text.data + text.length - length : text.data, *space, length) == 0) {
            return length;
        }
    }
    return 0;
}

dsc_slice_t dsc_utf8_trim(dsc_slice_t text)
{
    size_t length;

    while ((length = space_at(text, 0)) > 0) {
        text.data += length;
        text.length -= length;
    }
    while ((length = space_at(text, 1)) > 0) {
        text.length -= length;
    }
    return text;
}
