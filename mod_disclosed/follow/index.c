/* EDGAR's indexes (master.idx): all filings of a day or a quarter, a line each:
 * CIK|name|form|date|file. */
#include "follow/follow_table.h"

#include "sources/shared/filing_record.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdio.h>
#include <string.h>

enum {
    LONGEST_LINE = 4096,
    FIELDS = 5
};

/* The accession number in "edgar/data/320193/0000320193-24-000061.txt"; NULL: there is none. */
static const char *accession_of(apr_pool_t *pool, const char *file)
{
    const char *name = strrchr(file, '/');
    size_t length = name ? strlen(++name) : 0;
    const char *accession;

    if (length != 24 || strcmp(name + 20, ".txt") != 0) {
        return NULL;
    }
    accession = apr_pstrmemdup(pool, name, 20);
    return dsc_is_accession(accession) ? accession : NULL;
}

/* "20221003" or "2022-10-03" as the latter. */
static const char *day_of(apr_pool_t *pool, const char *text)
{
    size_t digits = strspn(text, "0123456789");

    if (digits == 8 && text[8] == '\0') {
        return apr_psprintf(pool, "%.4s-%.2s-%.2s", text, text + 4, text + 6);
    }
    return digits == 4 && strlen(text) == 10 ? apr_pstrdup(pool, text) : NULL;
}

/* Splits a line; 0: it is none of the table. */
static int split(char *line, char *fields[FIELDS])
{
    int i;

    for (i = 0; i < FIELDS; i++) {
        fields[i] = line;
        line = strchr(line, '|');
        if (line == NULL) {
            return i == FIELDS - 1;
        }
        *line++ = '\0';
    }
    return 0;
}

/* 0: a line that is damaged. */
static int read_line(dsc_follow_page_t *page, char *line)
{
    const char *url = page->source->listings->url, *day;
    const char *path = strchr(strstr(url, "://") + 3, '/');
    char *fields[FIELDS];
    dsc_follow_entry_t entry = {0};

    if (!split(line, fields) || strspn(fields[0], "0123456789") != strlen(fields[0])) {
        return 0;
    }
    if (dsc_follow_find_kind(page->source, fields[2]) == NULL) {
        return 1;
    }
    entry.identity = accession_of(page->pool, fields[4]);
    day = day_of(page->pool, fields[3]);
    if (entry.identity == NULL || day == NULL) {
        return 0;
    }
    entry.kind = apr_pstrdup(page->pool, fields[2]);
    entry.cik = apr_pstrdup(page->pool, fields[0]);
    entry.published_at = day;
    entry.url = apr_psprintf(page->pool, "%.*s/Archives/%s", (int)(path - url), url, fields[4]);
    if (page->since == NULL || strcmp(day, page->since) >= 0) {
        APR_ARRAY_PUSH(page->entries, dsc_follow_entry_t) = entry;
    }
    return 1;
}

void dsc_follow_read_index(dsc_follow_page_t *page)
{
    FILE *file = fopen(page->path, "r");
    char line[LONGEST_LINE];
    long number = 0;
    int in_table = 0;

    page->met = 1;
    if (file == NULL) {
        page->error = "the index cannot be read";
        return;
    }
    while (page->error == NULL && fgets(line, sizeof(line), file) != NULL) {
        number++;
        line[strcspn(line, "\r\n")] = '\0';
        if (!in_table) {
            in_table = strncmp(line, "-----", 5) == 0;
        } else if (line[0] != '\0' && !read_line(page, line)) {
            page->error = apr_psprintf(page->pool, "line %ld of the index is damaged", number);
        }
    }
    if (page->error == NULL && !in_table) {
        page->error = "the index has no table";
    }
    fclose(file);
}
