/* Finds the items of a 10-K, 10-Q or 8-K in its text. */
#include "sources/sec_filing/filing_sections.h"

#include "sources/sec_filing/filing_heading.h"
#include "sources/sec_filing/filing_line.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    WIDEST_LINE = 180,     /* of a typewritten page, tables too */
    LONGEST_HEADING = 400, /* bytes of a line: a longer one is a paragraph */
    MOST_MARKS = 2000,     /* a text with more is no report */
    CONTENTS_LINES = 40,   /* between two entries of a table of contents, at most, */
    CONTENTS_BYTES = 4000,
    CONTENTS_LABELS = 15, /* so many of them without a page number */
    NUMBERED_ENTRIES = 3, /* so many entries are one, half of them with page numbers, */
    CONTENTS_ENTRIES = 4, /* so many without, where the items come again */
    HEAVY = 100000        /* bytes from which on a longer section is no better */
};

/* A heading, or what looks like one. */
typedef struct {
    dsc_heading_t heading;
    const char *key; /* of an item */
    size_t start;
    size_t end;  /* of the heading's lines */
    size_t span; /* to the next one */
    int is_item; /* else a part begins here, or the signatures */
    int linked;  /* nothing but page numbers and labels up to the next item */
    int pages;   /* that have been seen on the way there */
    int chosen;
    /* the best rising sequence that ends here */
    long long weight;
    int from;
} mark_t;

typedef struct {
    dsc_report_text_t of;
    const char *text;
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

static mark_t *mark_at(const search_t *search, int i)
{
    return &APR_ARRAY_IDX(search->marks, i, mark_t);
}

/* ---------------------------------------------------------------- marks */

static void add_mark(search_t *search, const char *line, const dsc_heading_t *heading)
{
    mark_t *mark = apr_array_push(search->marks);

    memset(mark, 0, sizeof(*mark));
    mark->heading = *heading;
    mark->start = (size_t)(line - search->text);
    mark->end = (size_t)(heading->end - search->text);
    mark->is_item = heading->item != NULL;
}

/* The end of a line without the white space there. */
static const char *trimmed_end(const char *line, const char *end)
{
    while (end > line && apr_isspace(end[-1])) {
        end--;
    }
    return end;
}

/* Whether the lines are as wide as a page: a paragraph of a page of HTML is one line. */
static int is_typewritten(const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");

        if (length > WIDEST_LINE) {
            return 0;
        }
        text += length + (text[length] == '\n');
    }
    return 1;
}

static void find_marks(search_t *search)
{
    const char *line = search->text;
    const char *before = line;
    size_t before_length = 0;

    while (*line && search->marks->nelts <= MOST_MARKS) {
        const char *end = line + strcspn(line, "\n");
        const char *trimmed = trimmed_end(line, end);
        const char *word = line + strspn(line, " \t");
        size_t length = (size_t)(trimmed - line);
        dsc_heading_t heading;

        if ((length <= LONGEST_HEADING || !strncasecmp(word, "item", 4)) &&
            dsc_read_heading(&search->of, line, trimmed, before, before_length, &heading)) {
            add_mark(search, line, &heading);
        }
        before = line;
        before_length = length;
        line = *end ? end + 1 : end;
    }
    if (search->marks->nelts > MOST_MARKS) {
        apr_array_clear(search->marks);
    }
}

/* A Form 8-K has items either as 2.02 or, before August 2004, as 12: those of the other kind are
 * in what is quoted of another report. */
static void drop_other_numbering(search_t *search)
{
    int decimals = 0, kept = 0, i;

    for (i = 0; i < search->marks->nelts; i++) {
        decimals |= mark_at(search, i)->is_item && strchr(mark_at(search, i)->heading.item, '.');
    }
    for (i = 0; i < search->marks->nelts; i++) {
        const mark_t *mark = mark_at(search, i);

        if (!decimals || !mark->is_item || strchr(mark->heading.item, '.')) {
            *mark_at(search, kept++) = *mark;
        }
    }
    search->marks->nelts = kept;
}

/* ------------------------------------------------------ tables of contents */

/* Whether the next line that is not blank is a page number alone. */
static int page_follows(const char *from, const char *end)
{
    const char *at = dsc_skip_space(from, end);
    const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;

    stop = dsc_trim_end(at, stop ? stop : end, "");
    return at < stop && dsc_page_number(at, stop, 0) == at;
}

/* Whether the lines in between are those of a table of contents. Counts its page numbers. */
static int is_empty_between(const char *from, const char *end, int *pages)
{
    int lines = 0, labels = 0;

    while (from < end && lines <= CONTENTS_LINES && labels <= CONTENTS_LABELS) {
        const char *stop = memchr(from, '\n', (size_t)(end - from));
        dsc_line_t kind;

        stop = stop ? stop : end;
        kind = dsc_kind_of_line(from, stop);
        if (kind == DSC_LINE_BODY || (kind == DSC_LINE_LONG && !page_follows(stop, end))) {
            return 0;
        }
        *pages += kind == DSC_LINE_PAGE;
        labels += kind == DSC_LINE_LABEL || kind == DSC_LINE_LONG;
        lines += kind != DSC_LINE_BLANK;
        from = stop + 1;
    }
    return lines <= CONTENTS_LINES && labels <= CONTENTS_LABELS;
}

/* The next item after the mark; -1 if there is none. */
static int next_item(const search_t *search, int i)
{
    for (i++; i < search->marks->nelts; i++) {
        if (mark_at(search, i)->is_item) {
            return i;
        }
    }
    return -1;
}

/* Finds out of each item whether its text is nothing but what is in a table of contents. */
static void link_items(search_t *search)
{
    int i, next, at, pages;

    for (i = 0; i < search->marks->nelts; i++) {
        mark_t *mark = mark_at(search, i);

        next = mark->is_item ? next_item(search, i) : -1;
        mark->pages = mark->heading.numbered;
        if (next < 0 || mark->heading.answered ||
            mark_at(search, next)->start > mark->end + CONTENTS_BYTES) {
            continue;
        }
        mark->linked = 1;
        pages = mark->pages;
        for (at = i; at < next && mark->linked; at++) {
            mark->linked = is_empty_between(search->text + mark_at(search, at)->end,
                                            search->text + mark_at(search, at + 1)->start, &pages);
        }
        mark->pages = mark->linked ? pages > 0 : mark->pages;
    }
}

/* Whether the item begins something new after the one before it: in the forms it comes before
 * it. */
static int begins_anew(const search_t *search, int before, int candidate)
{
    int part = 0, i;

    for (i = before; i >= 0 && part == 0; i--) {
        part = mark_at(search, i)->heading.part;
    }
    for (i = before + 1; i <= candidate && part > 0; i++) {
        int next = mark_at(search, i)->heading.part;

        if (next > 0 && next != part) {
            return next < part;
        }
    }
    return dsc_item_order(mark_at(search, candidate)->heading.item) <=
           dsc_item_order(mark_at(search, before)->heading.item);
}

/* How many of the items come once more after the run. */
static int count_repeated(const search_t *search, int first, int last)
{
    int repeated = 0, i, j;

    for (i = first; i <= last; i++) {
        for (j = last + 1; mark_at(search, i)->is_item && j < search->marks->nelts; j++) {
            if (mark_at(search, j)->is_item &&
                !strcmp(mark_at(search, j)->heading.item, mark_at(search, i)->heading.item)) {
                repeated++;
                break;
            }
        }
    }
    return repeated;
}

/* The last mark of the run of items that begins at `first`; an item that comes again begins the
 * report itself. */
static int end_of_run(const search_t *search, int first, int *entries, int *pages)
{
    int last = first;

    *entries = 1;
    *pages = mark_at(search, first)->pages;
    while (mark_at(search, last)->linked) {
        int next = next_item(search, last);

        if (begins_anew(search, last, next)) {
            break;
        }
        last = next;
        *entries += 1;
        *pages += mark_at(search, last)->pages;
    }
    return last;
}

static int is_contents(const search_t *search, int first, int last, int entries, int pages)
{
    if (entries >= NUMBERED_ENTRIES && pages * 2 >= entries) {
        return 1;
    }
    return entries >= CONTENTS_ENTRIES && count_repeated(search, first, last) * 2 >= entries;
}

/* Leaves of the marks from `first` to `last` one that ends the section before them. Headings of
 * parts before the first item belong to it. Returns how many marks are kept. */
static int keep_end(search_t *search, int kept, int first)
{
    size_t start = mark_at(search, first)->start;
    mark_t *mark;

    while (kept > 0 && !mark_at(search, kept - 1)->is_item &&
           !mark_at(search, kept - 1)->heading.ends_report) {
        start = mark_at(search, --kept)->start;
    }
    mark = mark_at(search, kept);
    memset(mark, 0, sizeof(*mark));
    mark->heading.ends_report = 1;
    mark->start = start;
    return kept + 1;
}

/* Takes out the tables of contents: runs of items, and what they say of parts. */
static void drop_contents(search_t *search)
{
    int kept = 0, i = 0, entries = 0, pages = 0;

    link_items(search);
    while (i < search->marks->nelts) {
        int first = i, last = i;

        if (mark_at(search, i)->is_item) {
            last = end_of_run(search, i, &entries, &pages);
        }
        if (mark_at(search, i)->is_item && is_contents(search, i, last, entries, pages)) {
            kept = keep_end(search, kept, first);
            i = last + 1;
        }
        for (; i >= first && i <= last; i++) {
            *mark_at(search, kept++) = *mark_at(search, i);
        }
    }
    search->marks->nelts = kept;
}

/* Takes out headings of parts without an item, as in a table of contents that does not say
 * "Item". */
static void drop_empty_parts(search_t *search)
{
    int kept = 0, i;

    for (i = 0; i < search->marks->nelts; i++) {
        const mark_t *next = i + 1 < search->marks->nelts ? mark_at(search, i + 1) : NULL;

        if (!mark_at(search, i)->is_item && mark_at(search, i)->heading.part > 0 && next &&
            !next->is_item && next->heading.part > 0) {
            continue;
        }
        *mark_at(search, kept++) = *mark_at(search, i);
    }
    search->marks->nelts = kept;
}

/* ----------------------------------------------------------- parts and keys */

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

/* item_9a_t of 9A(T), item_2_02 of 2.02. */
static const char *make_key(const search_t *search, const mark_t *mark, int part)
{
    char *number = apr_palloc(search->of.pool, strlen(mark->heading.item) + 1);
    const char *from;
    char *to = number;

    for (from = mark->heading.item; *from; from++) {
        if (*from != ')') {
            *to++ = (char)(*from == '.' || *from == '(' ? '_' : apr_tolower(*from));
        }
    }
    *to = '\0';
    if (search->of.report != DSC_REPORT_10Q) {
        return apr_pstrcat(search->of.pool, "item_", number, NULL);
    }
    part = part == 1 || part == 2 ? part : part_of_title(mark->heading.title);
    return apr_psprintf(search->of.pool, "part%d_item_%s", part, number);
}

/* Whether a report on Form 10-Q that does not head its second part begins it with this item. */
static int begins_second_part(const search_t *search, const mark_t *before, const mark_t *mark,
                              int part)
{
    return search->of.report == DSC_REPORT_10Q && part == 1 && before && mark->is_item &&
           mark->heading.part == 0 && *mark->heading.title &&
           part_of_title(mark->heading.title) == 2 &&
           dsc_item_order(mark->heading.item) < dsc_item_order(before->heading.item);
}

/* Says of each item in which part it stands. Takes out headings that say again what the ones
 * before have said, as pages do at their top, and measures how far each mark reaches. */
static void assign_parts(search_t *search)
{
    const mark_t *item = NULL;
    size_t end = strlen(search->text);
    int part = 0, kept = 0, i;

    for (i = 0; i < search->marks->nelts; i++) {
        mark_t *mark = mark_at(search, i);

        if (mark->heading.part > part) {
            part = mark->heading.part;
        } else if (begins_second_part(search, item, mark, part)) {
            part = 2;
        } else if (!mark->is_item && !mark->heading.ends_report) {
            continue;
        }
        if (mark->is_item) {
            mark->heading.part = part;
            mark->key = make_key(search, mark, part);
            if (item && !strcmp(item->key, mark->key)) {
                continue;
            }
        }
        *mark_at(search, kept) = *mark;
        item = mark->is_item ? mark_at(search, kept) : item;
        kept++;
    }
    search->marks->nelts = kept;
    for (i = kept - 1; i >= 0; i--) {
        mark_at(search, i)->span = end - mark_at(search, i)->start;
        end = mark_at(search, i)->start;
    }
}

/* ------------------------------------------------------------- choosing */

static int order_of(const search_t *search, const mark_t *mark)
{
    int part = search->of.report == DSC_REPORT_10Q ? mark->key[4] - '0' : 0;

    return part * 10000 + dsc_item_order(mark->heading.item);
}

/* Whether a place for the item has been chosen. */
static mark_t *chosen_place(const search_t *search, const char *key)
{
    int i;

    for (i = 0; i < search->marks->nelts; i++) {
        mark_t *mark = mark_at(search, i);

        if (mark->chosen && !strcmp(mark->key, key)) {
            return mark;
        }
    }
    return NULL;
}

/* Chooses the places of the items that are in their order: as many as can be, and of those the
 * ones with the most text. */
static void choose_in_order(search_t *search)
{
    const mark_t *last = NULL;
    int i, j;

    for (i = 0; i < search->marks->nelts; i++) {
        mark_t *mark = mark_at(search, i);

        if (!mark->is_item) {
            continue;
        }
        mark->from = -1;
        for (j = 0; j < i; j++) {
            const mark_t *before = mark_at(search, j);

            if (before->is_item && order_of(search, before) < order_of(search, mark) &&
                before->weight > mark->weight) {
                mark->weight = before->weight;
                mark->from = j;
            }
        }
        mark->weight +=
            10LL * HEAVY * MOST_MARKS + (long long)(mark->span < HEAVY ? mark->span : HEAVY);
        last = !last || mark->weight >= last->weight ? mark : last;
    }
    for (i = last ? (int)(last - mark_at(search, 0)) : -1; i >= 0; i = mark_at(search, i)->from) {
        mark_at(search, i)->chosen = 1;
    }
}

/* Items that stand nowhere in their order are taken if they have the most text. */
static void choose_others(search_t *search)
{
    int i;

    for (i = 0; i < search->marks->nelts; i++) {
        mark_t *mark = mark_at(search, i);
        mark_t *place = mark->is_item && !mark->chosen ? chosen_place(search, mark->key) : mark;

        if (!place) {
            mark->chosen = 1;
            mark->from = -2; /* out of order */
        } else if (place != mark && place->from == -2 && mark->span > place->span) {
            place->chosen = 0;
            mark->chosen = 1;
            mark->from = -2;
        }
    }
}

/* A section ends where the next one begins, or a part, or the signatures; mentions that were not
 * chosen lie within it. */
static size_t end_of(const search_t *search, int chosen)
{
    size_t end;
    int i;

    for (i = chosen + 1; i < search->marks->nelts; i++) {
        const mark_t *mark = mark_at(search, i);

        if (mark->chosen || !mark->is_item) {
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
    search.of.pool = pool;
    search.text = text;
    search.of.report = report;
    search.of.typewritten = is_typewritten(text);
    search.marks = apr_array_make(pool, 64, sizeof(mark_t));
    find_marks(&search);
    drop_other_numbering(&search);
    drop_contents(&search);
    drop_empty_parts(&search);
    assign_parts(&search);
    choose_in_order(&search);
    choose_others(&search);
    for (i = 0; i < search.marks->nelts; i++) {
        const mark_t *mark = mark_at(&search, i);

        if (mark->chosen) {
            dsc_section_t *section = apr_array_push(sections);

            section->key = mark->key;
            section->item = mark->heading.item;
            section->others = mark->heading.others;
            section->title = mark->heading.title;
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
