/* The SEC's pages of data sets: HTML with a link to the zip of each period, 2024q3_form345.zip or
 * 01jun2024-31aug2024_form13f.zip; one that was published again has _0 behind that. */
#include "follow/follow_table.h"

#include "engine/calendar.h"
#include "formats/market_date.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    MOST_BYTES = 16 << 20, /* of a page: it has some hundred thousand */
    LONGEST_NAME = 200
};

/* ----------------------------------------------------------------------------- periods */

/* "2024q3": its last day, and what follows it; NULL: it is none. */
static const char *quarter_end(apr_pool_t *pool, const char *name, const char **rest)
{
    int year = atoi(name), month;

    if (strspn(name, "0123456789") != 4 || apr_tolower(name[4]) != 'q' || name[5] < '1' ||
        name[5] > '4') {
        return NULL;
    }
    month = 3 * (name[5] - '0');
    *rest = name + 6;
    return apr_psprintf(pool, "%04d-%02d-%02d", year, month, dsc_month_length(year, month));
}

/* "31aug2024" as a day of the calendar; NULL: it is none. */
static const char *plain_day(apr_pool_t *pool, const char *text)
{
    static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    int i, day = atoi(text), year;

    if (strspn(text, "0123456789") != 2 || strspn(text + 2, "abcdefghijklmnopqrstuvwxyz") != 3 ||
        strspn(text + 5, "0123456789") != 4) {
        return NULL;
    }
    year = atoi(text + 5);
    for (i = 0; i < 12; i++) {
        if (strncmp(months + (size_t)3 * (size_t)i, text + 2, 3) == 0 && day >= 1 &&
            day <= dsc_month_length(year, i + 1)) {
            return apr_psprintf(pool, "%04d-%02d-%02d", year, i + 1, day);
        }
    }
    return NULL;
}

/* "01jun2024-31aug2024" likewise. */
static const char *span_end(apr_pool_t *pool, const char *name, const char **rest)
{
    if (strlen(name) < 19 || name[9] != '-' ||
        plain_day(pool, apr_pstrmemdup(pool, name, 9)) == NULL) {
        return NULL;
    }
    *rest = name + 19;
    return plain_day(pool, apr_pstrmemdup(pool, name + 10, 9));
}

/* The last day of the period in the name of a data set; NULL: it is no such name. */
static const char *period_end(apr_pool_t *pool, const char *given, const char *words)
{
    char *name = apr_pstrdup(pool, given), *at;
    const char *rest = "", *end;

    for (at = name; *at != '\0'; at++) {
        *at = (char)apr_tolower(*at);
    }
    end = quarter_end(pool, name, &rest);
    end = end != NULL ? end : span_end(pool, name, &rest);
    if (end == NULL || strncmp(rest, words, strlen(words)) != 0) {
        return NULL;
    }
    rest += strlen(words);
    if (*rest == '_') {
        rest += 1 + strspn(rest + 1, "0123456789");
    }
    return strcmp(rest, ".zip") == 0 ? end : NULL;
}

/* ------------------------------------------------------------------------------- links */

/* "https://www.sec.gov" of the page's own address. */
static const char *origin_of(const dsc_follow_page_t *page)
{
    const char *url = page->listing->url;

    return apr_pstrmemdup(page->pool, url, (apr_size_t)(strchr(url + 8, '/') - url));
}

/* The address that a link of the page means; NULL: another site's, for which other limits would
 * apply. */
static const char *address_of(const dsc_follow_page_t *page, const char *link)
{
    const char *origin = origin_of(page);
    size_t length = strlen(origin);

    if (link[0] == '/' && link[1] != '/') {
        return apr_pstrcat(page->pool, origin, link, NULL);
    }
    return strncmp(link, origin, length) == 0 && link[length] == '/' ? link : NULL;
}

static void read_link(dsc_follow_page_t *page, const char *link)
{
    const char *url = address_of(page, link), *name = strrchr(link, '/');
    dsc_follow_entry_t entry = {.kind = page->source->kinds->kind, .url = url};

    if (url == NULL || name == NULL || strlen(++name) > LONGEST_NAME ||
        strpbrk(url, "?#&\\ ") != NULL ||
        (entry.published_at = period_end(page->pool, name, page->listing->names)) == NULL) {
        return;
    }
    entry.identity = name;
    APR_ARRAY_PUSH(page->entries, dsc_follow_entry_t) = entry;
}

static char *read_all(const dsc_follow_page_t *page)
{
    FILE *file = fopen(page->path, "r");
    char *text = file != NULL ? apr_palloc(page->pool, MOST_BYTES + 1) : NULL;
    size_t length = file != NULL ? fread(text, 1, MOST_BYTES, file) : 0;

    if (file != NULL) {
        text[length] = '\0';
        fclose(file);
    }
    return text;
}

void dsc_follow_read_data_sets(dsc_follow_page_t *page)
{
    const char *at = read_all(page);

    page->met = 1;
    while (at != NULL && (at = strcasestr(at, "href=")) != NULL) {
        const char quote = at[5];
        const char *end = quote == '"' || quote == '\'' ? strchr(at + 6, quote) : NULL;

        if (end != NULL) {
            read_link(page, apr_pstrmemdup(page->pool, at + 6, (apr_size_t)(end - at - 6)));
        }
        at += 5;
    }
    if (page->entries->nelts == 0) {
        page->error = "the page lists no data set: the publisher may have changed it";
    }
}
