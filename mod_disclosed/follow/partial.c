#include "follow/partial.h"

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    LONGEST_LINE = 4096,
    LINES = 4 /* address, ETag, Last-Modified, total */
};

static const char *beside(apr_pool_t *pool, const char *path)
{
    return apr_pstrcat(pool, path, ".of", NULL);
}

void dsc_partial_forget(apr_pool_t *pool, const char *path)
{
    (void)apr_file_remove(beside(pool, path), pool);
    (void)apr_file_remove(path, pool);
}

/* An empty line stands for nothing. */
static const char *read_line(apr_pool_t *pool, FILE *file)
{
    char line[LONGEST_LINE];

    if (fgets(line, sizeof(line), file) == NULL || strchr(line, '\n') == NULL) {
        return NULL;
    }
    line[strcspn(line, "\n")] = '\0';
    return line[0] == '\0' ? NULL : apr_pstrdup(pool, line);
}

static apr_int64_t size_of(apr_pool_t *pool, const char *path)
{
    apr_finfo_t info;

    return apr_stat(&info, path, APR_FINFO_SIZE, pool) == APR_SUCCESS ? info.size : 0;
}

void dsc_partial_read(apr_pool_t *pool, const char *path, const char *url, dsc_partial_t *partial)
{
    FILE *file = fopen(beside(pool, path), "r");
    const char *lines[LINES] = {NULL};
    int i;

    for (i = 0; file != NULL && i < LINES; i++) {
        lines[i] = read_line(pool, file);
    }
    if (file != NULL) {
        fclose(file);
    }
    memset(partial, 0, sizeof(*partial));
    partial->path = path;
    partial->url = url;
    partial->etag = lines[1];
    partial->last_modified = lines[2];
    partial->total = lines[3] != NULL ? apr_atoi64(lines[3]) : -1;
    partial->size = size_of(pool, path);
    if (lines[0] == NULL || strcmp(lines[0], url) != 0 ||
        (dsc_partial_validator(partial) == NULL && !dsc_partial_is_whole(partial)) ||
        (partial->total >= 0 && partial->size > partial->total)) {
        dsc_partial_forget(pool, path);
        partial->etag = partial->last_modified = NULL;
        partial->size = 0;
        partial->total = -1;
    }
}

static const char *or_empty(const char *text)
{
    return text != NULL && strpbrk(text, "\r\n") == NULL && strlen(text) < LONGEST_LINE - 2 ? text
                                                                                            : "";
}

/* Under another name first: killed in between, there is nothing that the bytes are of. */
int dsc_partial_begin(apr_pool_t *pool, const dsc_partial_t *partial)
{
    const char *path = beside(pool, partial->path);
    const char *made = apr_pstrcat(pool, path, ".new", NULL);
    FILE *file = fopen(made, "w");
    int good;

    if (file == NULL) {
        return 0;
    }
    good = fprintf(file, "%s\n%s\n%s\n", partial->url, or_empty(partial->etag),
                   or_empty(partial->last_modified)) > 0 &&
           (partial->total < 0 || fprintf(file, "%" APR_INT64_T_FMT, partial->total) > 0) &&
           fputc('\n', file) != EOF;
    good = fclose(file) == 0 && good;
    return good && rename(made, path) == 0;
}

int dsc_partial_is_whole(const dsc_partial_t *partial)
{
    return partial->size > 0 && partial->size == partial->total;
}

const char *dsc_partial_validator(const dsc_partial_t *partial)
{
    if (partial->etag != NULL && strncmp(partial->etag, "W/", 2) != 0) {
        return partial->etag;
    }
    return partial->last_modified;
}

/* A number and what ends it; NULL: none is there. */
static const char *read_number(const char *text, apr_int64_t *number)
{
    size_t digits = strspn(text, "0123456789");

    *number = apr_atoi64(text);
    return digits > 0 && digits < 19 ? text + digits : NULL;
}

int dsc_content_range(const char *text, apr_int64_t *first, apr_int64_t *last, apr_int64_t *total)
{
    if (text == NULL || strncasecmp(text, "bytes ", 6) != 0 ||
        (text = read_number(text + 6, first)) == NULL || *text++ != '-' ||
        (text = read_number(text, last)) == NULL || *text++ != '/') {
        return 0;
    }
    *total = -1;
    if (strcmp(text, "*") != 0 && ((text = read_number(text, total)) == NULL || *text != '\0')) {
        return 0;
    }
    return *first <= *last && (*total < 0 || *last < *total);
}
