#include "sources/sec_nport/nport_submission.h"

#include "engine/shape.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stddef.h>
#include <string.h>

/* A piece of the file. */
typedef struct {
    const char *start, *end;
} span_t;

static int starts_with(span_t span, const char *text)
{
    size_t length = strlen(text);

    return (size_t)(span.end - span.start) >= length && memcmp(span.start, text, length) == 0;
}

/* ------------------------------------------------------------- the header's classes */

static const struct {
    const char *tag;
    size_t offset;
} class_tags[] = {
    {"<SERIES-ID>", offsetof(dsc_nport_class_t, series_id)},
    {"<CLASS-CONTRACT-ID>", offsetof(dsc_nport_class_t, class_id)},
    {"<CLASS-CONTRACT-NAME>", offsetof(dsc_nport_class_t, name)},
    {"<CLASS-CONTRACT-TICKER-SYMBOL>", offsetof(dsc_nport_class_t, ticker)},
};

static const char *rest_of_line(apr_pool_t *pool, span_t line, size_t skipped)
{
    const char *start = line.start + skipped, *end = line.end;

    while (start < end && apr_isspace(*start)) {
        start++;
    }
    while (end > start && apr_isspace(end[-1])) {
        end--;
    }
    return end > start ? apr_pstrmemdup(pool, start, (apr_size_t)(end - start)) : NULL;
}

static void keep_class(dsc_nport_submission_t *submission, dsc_nport_class_t *class)
{
    if (class->class_id) {
        APR_ARRAY_PUSH(submission->classes, dsc_nport_class_t) = *class;
    }
    class->class_id = class->name = class->ticker = NULL;
}

/* Lines of tags, closed or not; a class follows the series that it belongs to. */
static void read_classes(apr_pool_t *pool, span_t header, dsc_nport_submission_t *submission)
{
    dsc_nport_class_t class = {NULL, NULL, NULL, NULL};
    span_t line = header;

    for (; line.start < header.end; line.start = line.end + 1) {
        const char *end = memchr(line.start, '\n', (size_t)(header.end - line.start));

        line.end = end ? end : header.end;
        line = (span_t){line.start + strspn(line.start, " \t"), line.end};
        for (int i = 0; i < DSC_COUNT(class_tags); i++) {
            if (!starts_with(line, class_tags[i].tag)) {
                continue;
            }
            if (i < 2) { /* a series or a class begins, so the class before is complete */
                keep_class(submission, &class);
            }
            *(const char **)(void *)((char *)&class + class_tags[i].offset) =
                rest_of_line(pool, line, strlen(class_tags[i].tag));
        }
    }
    keep_class(submission, &class);
}

int dsc_nport_find(apr_pool_t *pool, const dsc_piece_t *file, dsc_nport_submission_t *submission,
                   const char **reason)
{
    const char *form, *header;

    submission->classes = apr_array_make(pool, 8, sizeof(dsc_nport_class_t));
    if (!dsc_xml_submission_find(pool, file, &submission->filed, reason)) {
        return 0;
    }
    form = submission->filed.form;
    if (form && strncmp(form, "NPORT", strlen("NPORT")) != 0) {
        *reason = apr_psprintf(pool, "the submission is a %.40s, no Form N-PORT", form);
        return 0;
    }
    header = submission->filed.header;
    if (header) {
        read_classes(pool, (span_t){header, header + strlen(header)}, submission);
    }
    return 1;
}
