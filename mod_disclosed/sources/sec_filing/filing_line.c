#include "sources/sec_filing/filing_line.h"

#include <apr_lib.h>
#include <string.h>
#include <strings.h>

enum {
    LONGEST_LABEL = 120,
    LONGEST_PAGE_MARK = 14 /* "F-1, 12-24" */
};

/* ------------------------------------------------------------- characters */

dsc_sign_t dsc_sign_at(const char *at, const char *end, size_t *length)
{
    static const struct {
        const char *first, *last; /* UTF-8 */
        dsc_sign_t sign;
    } signs[] = {{"\xC2\xA0", "\xC2\xA0", DSC_SIGN_SPACE},
                 {"\xC2\xB7", "\xC2\xB7", DSC_SIGN_BULLET},
                 {"\xE2\x80\x80", "\xE2\x80\x8B", DSC_SIGN_SPACE},
                 {"\xE2\x80\x90", "\xE2\x80\x95", DSC_SIGN_DASH},
                 {"\xE2\x80\xA2", "\xE2\x80\xA2", DSC_SIGN_BULLET},
                 {"\xE2\x80\xAF", "\xE2\x80\xAF", DSC_SIGN_SPACE},
                 {"\xE2\x88\x92", "\xE2\x88\x92", DSC_SIGN_DASH},
                 {"\xE3\x80\x80", "\xE3\x80\x80", DSC_SIGN_SPACE},
                 {"\xEF\xBB\xBF", "\xEF\xBB\xBF", DSC_SIGN_SPACE}};
    size_t i;

    *length = 1;
    if (apr_isspace(*at)) {
        return DSC_SIGN_SPACE;
    }
    if (*at == '-' || *at == '_' || *at == '=') {
        return DSC_SIGN_DASH;
    }
    for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        size_t size = strlen(signs[i].first);

        if ((size_t)(end - at) >= size && memcmp(at, signs[i].first, size) >= 0 &&
            memcmp(at, signs[i].last, size) <= 0) {
            *length = size;
            return signs[i].sign;
        }
    }
    return DSC_SIGN_NONE;
}

const char *dsc_skip_space(const char *at, const char *end)
{
    size_t length;

    while (at < end && dsc_sign_at(at, end, &length) == DSC_SIGN_SPACE) {
        at += length;
    }
    return at;
}

const char *dsc_skip_signs(const char *at, const char *end)
{
    size_t length;

    while (at < end && (dsc_sign_at(at, end, &length) != DSC_SIGN_NONE || strchr(".:,)*|", *at))) {
        at += length;
    }
    return at;
}

const char *dsc_trim_end(const char *from, const char *end, const char *also)
{
    size_t length = 1;

    while (end > from) {
        const char *last = end - 1;

        while (last > from && ((unsigned char)*last & 0xC0) == 0x80) {
            last--;
        }
        if (dsc_sign_at(last, end, &length) == DSC_SIGN_NONE && !strchr(also, *last)) {
            break;
        }
        end = last;
    }
    return end;
}

int dsc_begins_with_word(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);

    return (size_t)(end - at) >= length && !strncasecmp(at, word, length) &&
           (at + length == end || !apr_isalpha(at[length]));
}

int dsc_is_word_of(const char *at, const char *end, const char *const *words)
{
    for (; *words; words++) {
        if (dsc_begins_with_word(at, end, *words)) {
            return 1;
        }
    }
    return 0;
}

const char *dsc_last_word(const char *from, const char *end)
{
    const char *word = end;

    while (word > from && apr_isalpha(word[-1])) {
        word--;
    }
    return word;
}

/* ------------------------------------------------------------- page numbers */

const char *dsc_page_number(const char *from, const char *end, int loose)
{
    const char *at = end;
    int digits = 0, run = 0;

    while (at > from && (apr_isdigit(at[-1]) || (at < end && strchr("-,", at[-1])) ||
                         (at < end && at[-1] == ' ' && at - from >= 2 && at[-2] == ','))) {
        run = apr_isdigit(at[-1]) ? run + 1 : 0;
        digits += apr_isdigit(at[-1]) != 0;
        if (run > 3 || end - at > LONGEST_PAGE_MARK) {
            return end;
        }
        at--;
    }
    if (digits > 0 && *at == '-' && at > from && apr_isupper(at[-1])) {
        at--;
    }
    if (digits == 0 || at == from) {
        return digits == 0 ? end : from;
    }
    if (strchr("\t.", at[-1]) || (at[-1] == ' ' && (loose || (at - from >= 2 && at[-2] == ' ')))) {
        return at;
    }
    return end;
}

static int is_page_label(const char *from, const char *end)
{
    static const char *const labels[] = {"page",       "table of contents", "index",
                                         "signatures", "signature",         NULL};

    return end - from <= 24 && dsc_is_word_of(from, end, labels);
}

static int is_roman_page(const char *from, const char *end)
{
    return end - from <= 5 && from + strspn(from, "ivx") >= end;
}

int dsc_is_answer(const char *from, const char *end)
{
    static const char *const answers[] = {"none", "not applicable", "n/a",          "omitted",
                                          "nil",  "not required",   "inapplicable", NULL};

    return dsc_is_word_of(from, end, answers);
}

dsc_line_t dsc_kind_of_line(const char *line, const char *end)
{
    const char *from = dsc_skip_signs(line, end);

    end = dsc_trim_end(from, end, "");
    if (from >= end) {
        return DSC_LINE_BLANK;
    }
    if (dsc_page_number(from, end, 0) < end || is_roman_page(from, end) ||
        is_page_label(from, end)) {
        return DSC_LINE_PAGE;
    }
    if (strchr(".:;!?", end[-1]) || dsc_is_answer(from, end)) {
        return DSC_LINE_BODY;
    }
    return end - from > LONGEST_LABEL ? DSC_LINE_LONG : DSC_LINE_LABEL;
}
