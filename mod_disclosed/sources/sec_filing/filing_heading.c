#include "sources/sec_filing/filing_heading.h"

#include "sources/sec_filing/filing_line.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    LONGEST_TITLE = 200,
    MORE_LINES = 3,   /* over which a heading may go on */
    TYPEWRITTEN = 60, /* columns from which on a typewritten line may be full, */
    TYPEWRITER = 90,  /* and that no such line is wider than */
    SHORT_LINE = 10,
    NEAR = 1000 /* bytes in which a title stands below its number */
};

/* ---------------------------------------------------------------- numbers */

/* "PART I", "Part 2": the part's number and what follows it; 0 if the line begins no part. */
static int read_part(const char **at, const char *end)
{
    static const struct {
        const char *name;
        int part;
    } names[] = {{"III", 3}, {"II", 2}, {"IV", 4}, {"I", 1}, {"1", 1}, {"2", 2}};
    const char *from = *at;
    size_t i;

    if (!dsc_begins_with_word(from, end, "part")) {
        return 0;
    }
    from = dsc_skip_space(from + 4, end);
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t length = strlen(names[i].name);

        if ((size_t)(end - from) >= length && !strncasecmp(from, names[i].name, length) &&
            (from + length == end || !apr_isalnum(from[length]))) {
            *at = dsc_skip_signs(from + length, end);
            return names[i].part;
        }
    }
    return 0;
}

/* The letter of "1A", "9A (T)", "7 A.", written behind the number; returns what follows. */
static const char *read_letter(const char *at, const char *end, char *letter)
{
    const char *apart = dsc_skip_space(at, end);
    const char *next = apart + 1;
    size_t length;
    int alone;

    if (at < end && strchr("AaBbCc", *at)) {
        *letter = (char)apr_toupper(*at);
        return at + 1;
    }
    if (apart > at && apart < end && strchr("AaBbCc", *apart)) {
        alone = next < end &&
                (strchr(".:(", *next) || dsc_sign_at(next, end, &length) == DSC_SIGN_DASH);
        if (alone) {
            *letter = (char)apr_toupper(*apart);
            return next;
        }
    }
    return at;
}

/* The "(T)" of Item 9A(T), which small companies had from 2007 to 2010. */
static const char *read_temporary(const char *at, const char *end, int *temporary)
{
    const char *from = dsc_skip_space(at, end);

    *temporary = 0;
    if (end - from >= 3 && strchr("([", from[0]) && apr_toupper(from[1]) == 'T' &&
        strchr(")]", from[2])) {
        *temporary = 1;
        return from + 3;
    }
    if (at < end && apr_toupper(*at) == 'T' && (at + 1 == end || !apr_isalnum(at[1]))) {
        *temporary = 1;
        return at + 1;
    }
    return at;
}

/* Whether the form has an item of that number. */
static int is_in_form(dsc_report_t report, int number, int has_decimals)
{
    static const int last[] = {
        [DSC_REPORT_NONE] = 0, [DSC_REPORT_10K] = 16, [DSC_REPORT_10Q] = 8, [DSC_REPORT_8K] = 14};

    return number >= 1 && number <= (has_decimals ? 9 : last[report]);
}

/* "1A", "9A(T)", "2.02", "12" in capitals; NULL if no item's number is here. */
static const char *read_number(apr_pool_t *pool, const char **at, const char *end,
                               dsc_report_t report)
{
    const char *from = *at;
    const char *to = from;
    char letter[2] = "";
    int decimals, temporary = 0, number = 0;

    for (; to < end && to - from < 2 && apr_isdigit(*to); to++) {
        number = number * 10 + (*to - '0');
    }
    decimals = report == DSC_REPORT_8K && end - to >= 3 && to[0] == '.' && apr_isdigit(to[1]) &&
               apr_isdigit(to[2]);
    if (to == from || !is_in_form(report, number, decimals)) {
        return NULL;
    }
    *at = decimals ? to + 3 : read_letter(to, end, letter);
    if (*letter) {
        *at = read_temporary(*at, end, &temporary);
    }
    if (*at < end && apr_isalnum(**at)) {
        return NULL;
    }
    if (decimals) {
        return apr_psprintf(pool, "%d%.3s", number, to);
    }
    return apr_psprintf(pool, "%d%s%s", number, letter, temporary ? "(T)" : "");
}

/* "Item 9.01(d). Exhibits" is filed under the item. */
static const char *skip_paragraph(const char *at, const char *end)
{
    return end - at > 3 && at[0] == '(' && apr_islower(at[1]) && at[2] == ')' ? at + 3 : at;
}

/* Of "Items 2.02, 7.01 and 9.01" of a Form 8-K, takes the numbers behind the first. */
static const char *take_others(const dsc_report_text_t *text, const char *at, const char *end,
                               dsc_heading_t *heading)
{
    for (;;) {
        const char *from = dsc_skip_space(at, end);
        const char *number;

        if (from < end && strchr(",&", *from)) {
            from = dsc_skip_space(from + 1, end);
        }
        from += dsc_begins_with_word(from, end, "and") ? 3 : 0;
        from = dsc_skip_space(from, end);
        number = from > at ? read_number(text->pool, &from, end, text->report) : NULL;
        if (!number || !strchr(number, '.')) {
            return at;
        }
        if (!heading->others) {
            heading->others = apr_array_make(text->pool, 2, sizeof(const char *));
        }
        APR_ARRAY_PUSH(heading->others, const char *) = number;
        at = skip_paragraph(from, end);
    }
}

/* "Items 1 and 2. Business and Properties" is filed under the first. */
static const char *skip_second_number(const char *at, const char *end)
{
    const char *from = dsc_skip_space(at, end);

    if (dsc_begins_with_word(from, end, "and") || (from < end && *from == '&')) {
        from = dsc_skip_space(from + (*from == '&' ? 1 : 3), end);
        if (from < end && apr_isdigit(*from)) {
            while (from < end && (apr_isalnum(*from) || *from == '.')) {
                from++;
            }
            return skip_paragraph(from, end);
        }
    }
    return at;
}

int dsc_item_order(const char *item)
{
    const char *at = item;
    int order = 0;

    for (; apr_isdigit(*at); at++) {
        order = order * 10 + (*at - '0');
    }
    order *= 100;
    if (*at == '.') {
        return order + atoi(at + 1);
    }
    order += apr_isalpha(*at) ? (*at - 'A' + 1) * 2 : 0;
    return order + (strchr(item, '(') != NULL);
}

/* ----------------------------------------------------------------- titles */

static int is_quote(const char *at, const char *end)
{
    return at < end && (*at == '"' || (end - at >= 3 && (!memcmp(at, "\xE2\x80\x9C", 3) ||
                                                         !memcmp(at, "\xE2\x80\x9D", 3))));
}

/* Whether what follows the number, from `at`, is a heading's: nothing, or a title in capitals.
 * "Item 7 of this report" is a sentence, and so are "Item 7 and Item 8", and 'Item 7,
 * "Results"'. */
static int is_title(const char *number, const char *at, const char *end)
{
    static const char *const others[] = {"of", "item",  "items", "and",
                                         "or", "above", "below", NULL};

    if (at == end) {
        return 1;
    }
    if (apr_islower(*at) || *at == ';' || dsc_is_word_of(at, end, others)) {
        return 0;
    }
    return !is_quote(at, end) ||
           (*number != ',' && (end[-1] == '"' || (unsigned char)end[-1] == 0x9D));
}

/* Whether the words are those of a reference: "Risk Factors in this report". */
static int is_reference(const char *title)
{
    static const char *const words[] = {" of this ",
                                        " in this ",
                                        " of our annual",
                                        " of our quarterly",
                                        " of our form",
                                        " in our annual",
                                        " in our quarterly",
                                        " in our form",
                                        " of part i",
                                        " in part i",
                                        " incorporated by",
                                        " herein",
                                        NULL};
    int i;

    for (i = 0; words[i]; i++) {
        if (strcasestr(title, words[i])) {
            return 1;
        }
    }
    return 0;
}

/* Whether the line before is not finished: typewritten sentences break lines, and "as described in
 * Item 7" may break before the item. */
static int continues_sentence(const char *before, size_t length)
{
    static const char *const unfinished[] = {"in",       "of",       "under",    "and",
                                             "or",       "to",       "by",       "see",
                                             "the",      "with",     "from",     "at",
                                             "for",      "this",     "per",      "our",
                                             "also",     "caption",  "captions", "heading",
                                             "headings", "entitled", "titled",   "through",
                                             "both",     "its",      NULL};
    static const char *const items[] = {"item", "items", NULL};
    const char *end = before + length;
    const char *word;

    if (length == 0 || dsc_is_word_of(dsc_skip_space(before, end), end, items)) {
        return 0;
    }
    word = dsc_last_word(before, end);
    return word == end ? strchr(",;(\"&", end[-1]) != NULL : dsc_is_word_of(word, end, unfinished);
}

/* Whether a sentence runs through the line: the one before it is full and has no end, and the one
 * after it goes on in small letters. */
static int is_within_sentence(const char *before, size_t length, const char *end)
{
    const char *next = end + strcspn(end, "\n");

    next += *next == '\n';
    next += strspn(next, " \t");
    return length >= TYPEWRITTEN && length <= TYPEWRITER && apr_islower(before[length - 1]) &&
           apr_islower(*next) && strcspn(next, "\n") >= SHORT_LINE;
}

static int is_in_capitals(const char *at, const char *end)
{
    int letters = 0;

    for (; at < end; at++) {
        letters += apr_isupper(*at) != 0;
        if (apr_islower(*at)) {
            return 0;
        }
    }
    return letters > 3;
}

/* Whether the heading so far cannot end here. */
static int is_unfinished(const char *from, const char *end)
{
    static const char *const unfinished[] = {"and", "or",  "of",   "the",     "in",
                                             "on",  "for", "to",   "with",    "by",
                                             "at",  "its", "from", "related", NULL};
    const char *word;

    end = dsc_trim_end(from, end, "");
    if (end == from || strchr(",&/", end[-1])) {
        return end > from;
    }
    word = dsc_last_word(from, end);
    return word < end && dsc_is_word_of(word, end, unfinished);
}

/* Whether the line goes on with a heading that the lines before have begun. */
static int is_continuation(const dsc_report_text_t *text, const char *line, const char *from,
                           const char *end, const char *next, const char *next_end)
{
    static const char *const connecting[] = {"and", "or", "of",   "in", "on",
                                             "for", "to", "with", "by", NULL};
    size_t width = (size_t)(end - line);

    if (next >= next_end || next_end - next > LONGEST_TITLE || apr_isdigit(*next) || *next == '(' ||
        dsc_begins_with_word(next, next_end, "item") ||
        dsc_begins_with_word(next, next_end, "items") ||
        dsc_begins_with_word(next, next_end, "part")) {
        return 0;
    }
    if (is_unfinished(from, end)) {
        return 1;
    }
    if (end > from && strchr(".:", end[-1])) {
        return 0;
    }
    if (dsc_is_word_of(next, next_end, connecting) &&
        (apr_islower(*next) || is_in_capitals(from, end))) {
        return is_in_capitals(from, end) == is_in_capitals(next, next_end) &&
               next_end - next <= TYPEWRITER;
    }
    return text->typewritten && width >= TYPEWRITTEN && width <= TYPEWRITER &&
           is_in_capitals(from, end) && is_in_capitals(next, next_end);
}

/* The end of a heading whose title begins at `from` on the line: it may go on over the next lines,
 * a blank one between where it plainly does. */
static const char *end_of_heading(const dsc_report_text_t *text, const char *line, const char *from,
                                  const char *end)
{
    int lines;

    for (lines = 0; lines < MORE_LINES; lines++) {
        const char *begin = end + strcspn(end, "\n");
        const char *stop, *next;

        begin += *begin == '\n';
        stop = begin + strcspn(begin, "\n");
        next = dsc_skip_signs(begin, stop);
        if (next >= stop && *stop && is_unfinished(from, end) && end[-1] != ',') {
            begin = stop + 1; /* behind a blank line, or the underline of the one before */
            stop = begin + strcspn(begin, "\n");
            next = dsc_skip_signs(begin, stop);
        }
        stop = dsc_trim_end(next, stop, "");
        if (!is_continuation(text, line, from, end, next, stop)) {
            break;
        }
        line = begin;
        from = next;
        end = stop;
    }
    return end;
}

/* The length of an underline between the lines of a title; 0 if none begins here. */
static size_t underline_length(const char *from, const char *end)
{
    const char *at = from;
    size_t length;

    while (at < end && dsc_sign_at(at, end, &length) == DSC_SIGN_DASH) {
        at += length;
    }
    return at - from >= 4 ? (size_t)(at - from) : 0;
}

/* The words with single spaces between. */
static const char *join_words(apr_pool_t *pool, const char *from, const char *end)
{
    char *joined = apr_pstrmemdup(pool, from, (apr_size_t)(end - from));
    char *to = joined;
    size_t length;

    while (from < end) {
        size_t underline = underline_length(from, end);
        int is_space = underline > 0 || dsc_sign_at(from, end, &length) == DSC_SIGN_SPACE;

        length = underline > 0 ? underline : length;
        if (!is_space) {
            memmove(to, from, length);
            to += length;
        } else if (to > joined && to[-1] != ' ') {
            *to++ = ' ';
        }
        from += length;
    }
    while (to > joined && to[-1] == ' ') {
        to--;
    }
    *to = '\0';
    return joined;
}

/* A title that is too long is cut between characters. */
static const char *cut_title(const char *from, const char *end)
{
    if (end - from <= LONGEST_TITLE) {
        return end;
    }
    end = from + LONGEST_TITLE;
    while (end > from && ((unsigned char)*end & 0xC0) == 0x80) {
        end--;
    }
    return end;
}

/* The title without its page number, and without the text that goes on after its full stop. */
static void take_title(apr_pool_t *pool, const char *from, const char *end, dsc_heading_t *heading)
{
    const char *page = dsc_page_number(from, end, 1);
    const char *to = page > from ? page : end;
    const char *stop;

    heading->numbered = page > from && page < end;
    to = dsc_trim_end(from, to, ".");
    for (stop = from; stop + 2 < to; stop++) {
        if (stop[0] == '.' && apr_isspace(stop[1]) && stop - from > 3) {
            heading->answered = 1;
            to = stop;
            break;
        }
    }
    for (stop = to; stop > from && !heading->answered; stop--) {
        size_t length;

        /* "Defaults - None" */
        if (dsc_sign_at(stop, to, &length) == DSC_SIGN_DASH || *stop == ':') {
            heading->answered = dsc_is_answer(dsc_skip_signs(stop, to), to);
        }
    }
    heading->title = join_words(pool, from, dsc_trim_end(from, cut_title(from, to), "."));
}

/* The title on the line below, for headings that put the number on a line of its own. */
static void title_below(const dsc_report_text_t *text, const char *end, dsc_heading_t *heading)
{
    const char *from = dsc_skip_space(end, end + strnlen(end, NEAR));
    const char *stop = from + strcspn(from, "\n");
    const char *line = from;

    stop = dsc_trim_end(from, stop, "");
    if (stop - from > LONGEST_TITLE || dsc_begins_with_word(from, stop, "item") ||
        dsc_begins_with_word(from, stop, "part") || dsc_page_number(from, stop, 0) == from) {
        return;
    }
    heading->end = end_of_heading(text, line, from, stop);
    take_title(text->pool, from, heading->end, heading);
}

/* --------------------------------------------------------------- headings */

static int read_item(const dsc_report_text_t *text, const char *line, const char *at,
                     const char *end, dsc_heading_t *heading)
{
    const char *number, *after;

    at = dsc_skip_space(at + (strncasecmp(at, "items", 5) ? 4 : 5), end);
    if (dsc_begins_with_word(at, end, "no")) {
        at = dsc_skip_signs(at + 2, end);
    }
    number = read_number(text->pool, &at, end, text->report);
    if (!number) {
        return 0;
    }
    at = take_others(text, skip_paragraph(at, end), end, heading);
    at = skip_second_number(at, end);
    after = dsc_skip_signs(skip_paragraph(dsc_skip_signs(at, end), end), end);
    if (!is_title(at, after, end)) {
        return 0;
    }
    heading->item = number;
    heading->title = "";
    heading->end = end;
    if (after < end) {
        heading->end = end_of_heading(text, line, after, end);
        take_title(text->pool, after, heading->end, heading);
    } else {
        title_below(text, end, heading);
    }
    return !is_reference(heading->title);
}

static int ends_report(const char *at, const char *end)
{
    return (dsc_begins_with_word(at, end, "signature") ||
            dsc_begins_with_word(at, end, "signatures")) &&
           dsc_skip_signs(at + strcspn(at, " \t\n:(."), end) >= end;
}

int dsc_read_heading(const dsc_report_text_t *text, const char *line, const char *end,
                     const char *before, size_t before_length, dsc_heading_t *heading)
{
    const char *at = dsc_skip_space(line, end);
    int part, is_item;

    memset(heading, 0, sizeof(*heading));
    heading->end = end = dsc_trim_end(at, end, "");
    heading->ends_report = ends_report(at, end);
    if (heading->ends_report) {
        return 1;
    }
    part = read_part(&at, end);
    is_item = dsc_begins_with_word(at, end, "item") || dsc_begins_with_word(at, end, "items");
    if ((part == 0 && !is_item) || continues_sentence(before, before_length) ||
        is_within_sentence(before, before_length, end)) {
        return 0;
    }
    heading->part = part;
    return is_item ? read_item(text, line, at, end, heading) : is_title(at, at, end);
}
