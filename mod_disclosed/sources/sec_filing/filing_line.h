/* Lines of a report's text: words, the signs between them, page numbers. */
#ifndef DSC_FILING_LINE_H
#define DSC_FILING_LINE_H

#include <stddef.h>

typedef enum {
    DSC_SIGN_NONE,
    DSC_SIGN_SPACE, /* of any width */
    DSC_SIGN_DASH,
    DSC_SIGN_BULLET
} dsc_sign_t;

/* What the UTF-8 character at `at` is, of those that set headings apart; *length is its length. */
dsc_sign_t dsc_sign_at(const char *at, const char *end, size_t *length);

const char *dsc_skip_space(const char *at, const char *end);

/* Steps over white space and the signs between a number and a title. */
const char *dsc_skip_signs(const char *at, const char *end);

/* The end without white space, underlines and leaders before it, nor any of the characters
 * `also`. */
const char *dsc_trim_end(const char *from, const char *end, const char *also);

int dsc_begins_with_word(const char *at, const char *end, const char *word);

/* Whether the text begins with one of the words (NULL-terminated). */
int dsc_is_word_of(const char *at, const char *end, const char *const *words);

/* The last word before `end`; `end` itself if another character is there. */
const char *dsc_last_word(const char *from, const char *end);

/* Where the page number begins at the line's end, "12", "F-3", "14-20, 31", set off from what is
 * before it; `end` if there is none. `loose`: a single space is enough to set it off. */
const char *dsc_page_number(const char *from, const char *end, int loose);

/* Whether it begins with what stands for an item's text: "None", "Not applicable". */
int dsc_is_answer(const char *from, const char *end);

/* What a line between two headings may be. */
typedef enum {
    DSC_LINE_BLANK,
    DSC_LINE_PAGE,  /* a page number, or an entry of a table of contents, which ends with one */
    DSC_LINE_LABEL, /* a few words without an end: part of a title, or an entry without its page */
    DSC_LINE_LONG,  /* the same, too long for a label */
    DSC_LINE_BODY
} dsc_line_t;

dsc_line_t dsc_kind_of_line(const char *line, const char *end);

#endif
