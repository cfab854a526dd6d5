/* Where the items of a 10-K, 10-Q or 8-K stand in its text. */
#include "import/filing_sections.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    LONGEST_HEADING = 400, /* bytes of a line: a longer one is a paragraph */
    LONGEST_TITLE = 200,
    CLOSE_BY = 220,      /* bytes between entries of a table of contents */
    CONTENTS_ENTRIES = 4 /* as many in a row are one */
};

/* A line that may be the heading of an item, or that says which part begins, or that ends the
 * report's items. */
typedef struct {
    const char *item; /* NULL: a part or the end */
    const char *key;
    const char *title;
    size_t start;
    size_t span; /* to the next line of this kind */
    int part;    /* 1 or 2; 0 unknown */
    int in_contents;
    int chosen;
} mark_t;

typedef struct {
    apr_pool_t *pool;
    const char *text;
    dsc_report_t report;
    int part;                /* that the lines before have begun */
    const char *line_before; /* NULL: blank, or the beginning */
    size_t length_before;
    apr_array_header_t *marks;
} search_t;

static const struct {
    const char *form;
    dsc_report_t report;
} reports[] = {{"10-K", DSC_REPORT_10K}, {"10-Q", DSC_REPORT_10Q}, {"8-K", DSC_REPORT_8K}};

dsc_report_t dsc_report_of(const char *form)
{
    size_t i;

    for (i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
        if (!strncasecmp(form, reports[i].form, strlen(reports[i].form))) {
            return reports[i].report;
        }
    }
    return DSC_REPORT_NONE;
}

/* --------------------------------------------------------- reading a line */

/* Steps over white space, and punctuation where wanted (dashes of all widths count). */
static const char *skip(const char *at, const char *end, int punctuation)
{
    while (at < end) {
        if (apr_isspace(*at) || (punctuation && strchr(".:-,)*", *at))) {
            at++;
        } else if (punctuation && end - at >= 3 && !memcmp(at, "\xE2\x80", 2) &&
                   ((unsigned char)at[2] >= 0x90 && (unsigned char)at[2] <= 0x95)) {
            at += 3;
        } else {
            break;
        }
    }
    return at;
}

static int begins_with_word(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);

    return (size_t)(end - at) >= length && !strncasecmp(at, word, length) &&
           (at + length == end || !apr_isalpha(at[length]));
}

/* "PART I", "Part 2": the part's number and what follows it; 0 where the line begins no part. */
static int read_part(const char **at, const char *end)
{
    static const struct {
        const char *name;
        int part;
    } names[] = {{"III", 3}, {"II", 2}, {"IV", 4}, {"I", 1}, {"1", 1}, {"2", 2}};
    const char *from = *at;
    size_t i;

    if (!begins_with_word(from, end, "part")) {
        return 0;
    }
    from = skip(from + 4, end, 0);
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t length = strlen(names[i].name);

        if ((size_t)(end - from) >= length && !strncasecmp(from, names[i].name, length) &&
            (from + length == end || !apr_isalnum(from[length]))) {
            *at = skip(from + length, end, 1);
            return names[i].part;
        }
    }
    return 0;
}

/* "1A", "2.02", "12" in capitals; NULL where no item's number stands here. */
static const char *read_number(apr_pool_t *pool, const char **at, const char *end,
                               dsc_report_t report)
{
    const char *from = *at;
    const char *to = from;
    char *number, *letter;

    while (to < end && to - from < 2 && apr_isdigit(*to)) {
        to++;
    }
    if (to == from) {
        return NULL;
    }
    if (report == DSC_REPORT_8K && end - to >= 3 && *to == '.' && apr_isdigit(to[1]) &&
        apr_isdigit(to[2])) {
        to += 3;
    } else if (to < end && strchr("AaBbCcTt", *to)) {
        to++;
    }
    if (to < end && (apr_isalnum(*to) || *to == '(')) {
        return NULL;
    }
    *at = to;
    number = apr_pstrmemdup(pool, from, (apr_size_t)(to - from));
    for (letter = number; *letter; letter++) {
        *letter = (char)apr_toupper(*letter);
    }
    return number;
}

/* Whether what follows the number is a heading's: nothing, or a title in capitals. "Item 7 of this
 * report" is a sentence. */
static int is_title(const char *at, const char *end)
{
    if (at == end) {
        return 1;
    }
    return !apr_islower(*at) && *at != ';' && !begins_with_word(at, end, "of");
}

/* Whether the line before is not finished: typewritten sentences break lines, and "as described in
 * Item 7" may break before the item. */
static int continues_sentence(const search_t *search)
{
    static const char *const unfinished[] = {"in",  "of",   "under", "and",  "or",   "to",
                                             "by",  "see",  "the",   "with", "from", "at",
                                             "for", "this", "per",   "our",  NULL};
    const char *end = search->line_before + search->length_before;
    const char *word = end;
    int i;

    if (search->length_before == 0) {
        return 0;
    }
    while (word > search->line_before && apr_isalpha(word[-1])) {
        word--;
    }
    if (word == end) {
        return strchr(",;(\"&", end[-1]) != NULL;
    }
    for (i = 0; unfinished[i]; i++) {
        if (begins_with_word(word, end, unfinished[i])) {
            return 1;
        }
    }
    return 0;
}

/* A title without the page number that a table of contents puts after it. *numbered says whether
 * there was one. */
static const char *clean_title(apr_pool_t *pool, const char *from, const char *end, int *numbered)
{
    const char *to = end;
    const char *stop;

    while (to > from && apr_isdigit(to[-1])) {
        to--;
    }
    *numbered = to > from && to < end && end - to <= 3 &&
                (to[-1] == '\t' || to[-1] == ' ' || to[-1] == '.');
    to = *numbered ? to : end;
    while (to > from && (apr_isspace(to[-1]) || to[-1] == '.')) {
        to--;
    }
    /* text that goes on after the heading on the same line begins after its full stop */
    for (stop = from; stop + 2 < to; stop++) {
        if (stop[0] == '.' && apr_isspace(stop[1]) && stop - from > 3) {
            to = stop;
            break;
        }
    }
    if (to - from > LONGEST_TITLE) {
        to = from + LONGEST_TITLE;
        while (to > from && ((unsigned char)*to & 0xC0) == 0x80) {
            to--;
        }
    }
    return apr_pstrmemdup(pool, from, (apr_size_t)(to - from));
}

/* ---------------------------------------------------------------- marks */

static mark_t *add_mark(search_t *search, size_t start)
{
    mark_t *mark = apr_array_push(search->marks);

    memset(mark, 0, sizeof(*mark));
    mark->start = start;
    mark->part = search->part;
    return mark;
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

/* A heading in capitals may go on over the next lines, in capitals too. */
static const char *end_of_heading(const char *from, const char *end)
{
    int lines;

    for (lines = 0; lines < 2 && *end == '\n' && is_in_capitals(from, end); lines++) {
        const char *next = end + 1 + strcspn(end + 1, "\n");

        if (!is_in_capitals(end + 1, next)) {
            break;
        }
        from = end + 1;
        end = next;
    }
    return end;
}

/* The words with single spaces between. */
static const char *join_lines(apr_pool_t *pool, const char *text)
{
    char *joined = apr_pstrdup(pool, text);
    char *to = joined;

    for (; *text; text++) {
        if (!apr_isspace(*text)) {
            *to++ = *text;
        } else if (to > joined && to[-1] != ' ') {
            *to++ = ' ';
        }
    }
    *to = '\0';
    return joined;
}

/* The title on the line after, for headings that put the number on a line of its own. */
static const char *title_below(const search_t *search, const char *end)
{
    const char *from = skip(end, search->text + strlen(search->text), 0);
    size_t length = strcspn(from, "\n");
    int numbered;

    if (length > LONGEST_TITLE || begins_with_word(from, from + length, "item") ||
        begins_with_word(from, from + length, "part")) {
        return "";
    }
    return clean_title(search->pool, from, from + length, &numbered);
}

/* The part of Form 10-Q in which the item stands, for reports that do not head their parts. */
static int part_of_title(const char *title)
{
    static const char *const first[] = {"financial statements",
                                        "condensed consolidated",
                                        "management",
                                        "quantitative",
                                        "controls",
                                        NULL};
    int i;

    for (i = 0; first[i]; i++) {
        if (strcasestr(title, first[i])) {
            return 1;
        }
    }
    return 2;
}

static const char *make_key(const search_t *search, const mark_t *mark)
{
    char *number = apr_pstrdup(search->pool, mark->item);
    char *at;
    int part;

    for (at = number; *at; at++) {
        *at = (char)(*at == '.' ? '_' : apr_tolower(*at));
    }
    if (search->report != DSC_REPORT_10Q) {
        return apr_pstrcat(search->pool, "item_", number, NULL);
    }
    part = mark->part == 1 || mark->part == 2 ? mark->part : part_of_title(mark->title);
    return apr_psprintf(search->pool, "part%d_item_%s", part, number);
}

/* "Items 1 and 2. Business and Properties" is filed under the first. */
static const char *skip_second_number(const char *at, const char *end)
{
    const char *from = skip(at, end, 0);

    if (begins_with_word(from, end, "and") || (from < end && *from == '&')) {
        from = skip(from + (*from == '&' ? 1 : 3), end, 0);
        if (from < end && apr_isdigit(*from)) {
            while (from < end && apr_isalnum(*from)) {
                from++;
            }
            return from;
        }
    }
    return at;
}

static void take_item(search_t *search, const char *line, const char *at, const char *end)
{
    const char *number, *after;
    mark_t *mark;
    int numbered = 0;

    at += strncasecmp(at, "items", 5) ? 4 : 5;
    at = skip(at, end, 0);
    number = read_number(search->pool, &at, end, search->report);
    if (!number) {
        return;
    }
    at = skip_second_number(at, end);
    after = skip(at, end, 1);
    if (!is_title(after, end) || continues_sentence(search)) {
        return;
    }
    mark = add_mark(search, (size_t)(line - search->text));
    mark->item = number;
    mark->title = after < end
                      ? join_lines(search->pool, clean_title(search->pool, after,
                                                             end_of_heading(after, end), &numbered))
                      : title_below(search, end);
    mark->in_contents = numbered;
    mark->key = make_key(search, mark);
}

static int is_end(const char *at, const char *end)
{
    return (begins_with_word(at, end, "signature") || begins_with_word(at, end, "signatures")) &&
           skip(at + strcspn(at, " \t\n:(."), end, 1) >= end;
}

static void take_line(search_t *search, const char *line, const char *end)
{
    const char *at = skip(line, end, 0);
    int part;

    if (is_end(at, end)) {
        (void)add_mark(search, (size_t)(line - search->text));
        return;
    }
    part = read_part(&at, end);
    if (part > 0 && part != search->part && !continues_sentence(search) && is_title(at, end)) {
        search->part = part; /* one that says the same again is the head of a page */
        (void)add_mark(search, (size_t)(line - search->text));
    }
    if (begins_with_word(at, end, "item") || begins_with_word(at, end, "items")) {
        take_item(search, line, at, end);
    }
}

/* The end of a line without the white space there. */
static const char *trimmed_end(const char *line, const char *end)
{
    while (end > line && apr_isspace(end[-1])) {
        end--;
    }
    return end;
}

static void find_marks(search_t *search)
{
    const char *line = search->text;

    while (*line) {
        const char *end = line + strcspn(line, "\n");
        const char *trimmed = trimmed_end(line, end);
        size_t length = (size_t)(trimmed - line);

        if (length <= LONGEST_HEADING ||
            begins_with_word(skip(line, trimmed, 0), trimmed, "item")) {
            take_line(search, line, trimmed);
        }
        search->line_before = line;
        search->length_before = length;
        line = *end ? end + 1 : end;
    }
}

/* ------------------------------------------------------------- choosing */

static mark_t *mark_at(const search_t *search, int i)
{
    return &APR_ARRAY_IDX(search->marks, i, mark_t);
}

/* Item headings in close succession are a table of contents, the last of them too, however far the
 * text after it is. */
static void recognise_contents(search_t *search)
{
    int first = -1, last = -1, entries = 0, i, j;

    for (i = 0; i < search->marks->nelts; i++) {
        if (!mark_at(search, i)->item) {
            continue;
        }
        if (last < 0 || mark_at(search, i)->start - mark_at(search, last)->start > CLOSE_BY) {
            first = i;
            entries = 0;
        }
        entries++;
        last = i;
        for (j = first; entries >= CONTENTS_ENTRIES && j <= i; j++) {
            mark_at(search, j)->in_contents = 1;
        }
    }
}

/* Takes out headings that repeat the one before, as pages do at their top, and part headings that
 * stand between such. Then measures how far each mark reaches. */
static void drop_repeats(search_t *search)
{
    const mark_t *item = NULL;
    size_t end = strlen(search->text);
    int kept = 0, i;

    for (i = 0; i < search->marks->nelts; i++) {
        mark_t *mark = mark_at(search, i);

        if (mark->item && item && !strcmp(item->key, mark->key) &&
            item->in_contents == mark->in_contents) {
            continue;
        }
        *mark_at(search, kept) = *mark;
        item = mark->item ? mark_at(search, kept) : item;
        kept++;
    }
    search->marks->nelts = kept;
    for (i = kept - 1; i >= 0; i--) {
        mark_at(search, i)->span = end - mark_at(search, i)->start;
        end = mark_at(search, i)->start;
    }
}

/* Whether `candidate` is the better place for the item than `best`: a heading rather than an entry
 * of the contents, then the one with more text, then the later one. */
static int is_better(const mark_t *candidate, const mark_t *best)
{
    if (candidate->in_contents != best->in_contents) {
        return !candidate->in_contents;
    }
    return candidate->in_contents || candidate->span >= best->span;
}

static void choose(search_t *search)
{
    int i, j;

    for (i = 0; i < search->marks->nelts; i++) {
        mark_t *best = mark_at(search, i);
        int is_first = best->item != NULL;

        for (j = 0; is_first && j < i; j++) {
            is_first = !mark_at(search, j)->item || strcmp(mark_at(search, j)->key, best->key) != 0;
        }
        for (j = i + 1; is_first && j < search->marks->nelts; j++) {
            if (mark_at(search, j)->item && !strcmp(mark_at(search, j)->key, best->key) &&
                is_better(mark_at(search, j), best)) {
                best = mark_at(search, j);
            }
        }
        best->chosen |= is_first;
    }
}

/* A section ends where the next one begins, or a part, or the signatures; entries of the contents
 * and mentions that were not chosen lie within it. */
static size_t end_of(const search_t *search, int chosen)
{
    size_t end;
    int i;

    for (i = chosen + 1; i < search->marks->nelts; i++) {
        const mark_t *mark = mark_at(search, i);

        if (mark->chosen || !mark->item) {
            break;
        }
    }
    end = i < search->marks->nelts ? mark_at(search, i)->start : strlen(search->text);
    while (end > mark_at(search, chosen)->start && apr_isspace(search->text[end - 1])) {
        end--;
    }
    return end;
}

apr_array_header_t *dsc_find_sections(apr_pool_t *pool, const char *text, dsc_report_t report)
{
    apr_array_header_t *sections = apr_array_make(pool, 16, sizeof(dsc_section_t));
    search_t search;
    int i;

    memset(&search, 0, sizeof(search));
    search.pool = pool;
    search.text = text;
    search.report = report;
    search.marks = apr_array_make(pool, 64, sizeof(mark_t));
    find_marks(&search);
    recognise_contents(&search);
    drop_repeats(&search);
    choose(&search);
    for (i = 0; i < search.marks->nelts; i++) {
        const mark_t *mark = mark_at(&search, i);

        if (mark->chosen) {
            dsc_section_t *section = apr_array_push(sections);

            section->key = mark->key;
            section->item = mark->item;
            section->title = mark->title;
            section->start = mark->start;
            section->end = end_of(&search, i);
        }
    }
    return sections;
}

/* The number of code points in text[from, to). */
static json_int_t count_characters(const char *text, size_t from, size_t to)
{
    json_int_t count = 0;

    for (; from < to; from++) {
        count += ((unsigned char)text[from] & 0xC0) != 0x80;
    }
    return count;
}

const char *dsc_sections_json(apr_pool_t *pool, const char *text,
                              const apr_array_header_t *sections)
{
    json_t *array = json_array();
    json_int_t characters = 0;
    size_t at = 0;
    char *dumped;
    const char *result;
    int i;

    for (i = 0; i < sections->nelts; i++) {
        const dsc_section_t *section = &APR_ARRAY_IDX(sections, i, dsc_section_t);

        characters += count_characters(text, at, section->start);
        at = section->start;
        (void)json_array_append_new(array,
                                    json_pack("{s:s, s:s, s:I, s:I}", "key", section->key, "title",
                                              section->title, "char_start", characters, "char_end",
                                              characters + count_characters(text, section->start,
                                                                            section->end)));
    }
    dumped = json_dumps(array, JSON_COMPACT);
    result = dumped ? apr_pstrdup(pool, dumped) : NULL;
    free(dumped);
    json_decref(array);
    return result;
}
