#include "import/nport_submission.h"

#include "engine/digest.h"
#include "engine/shape.h"
#include "import/eastern_time.h"
#include "import/sgml_submission.h"

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

/* Past a byte order mark and white space. */
static span_t skip_blank(span_t span)
{
    if (starts_with(span, "\xEF\xBB\xBF")) {
        span.start += 3;
    }
    while (span.start < span.end && apr_isspace(*span.start)) {
        span.start++;
    }
    return span;
}

static long line_of(const char *text, const char *place)
{
    long line = 1;

    for (const char *at = text; at < place; at++) {
        line += *at == '\n';
    }
    return line;
}

/* The digest of the document up to the end of its last tag: the same alone and in a submission. */
static const char *digest_of(apr_pool_t *pool, span_t document)
{
    while (document.end > document.start && document.end[-1] != '>') {
        document.end--;
    }
    return dsc_content_hash_of(pool, document.start, (size_t)(document.end - document.start));
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

/* ------------------------------------------------------------------ the file */

static int is_submission(span_t start)
{
    static const char *const openings[] = {"<SEC-DOCUMENT>", "<SEC-HEADER>", "<IMS-DOCUMENT>",
                                           "<SUBMISSION>", "-----BEGIN PRIVACY"};

    for (int i = 0; i < DSC_COUNT(openings); i++) {
        if (starts_with(start, openings[i])) {
            return 1;
        }
    }
    return 0;
}

/* Between the tags that wrap an XML document in a submission. */
static span_t unwrap(const dsc_sgml_document_t *document)
{
    span_t text = skip_blank((span_t){document->text, document->text + document->length});

    if (starts_with(text, "<XML>")) {
        text.start += strlen("<XML>");
        for (const char *at = text.end - strlen("</XML>"); at >= text.start; at--) {
            if (memcmp(at, "</XML>", strlen("</XML>")) == 0) {
                text.end = at;
                break;
            }
        }
    }
    return skip_blank(text);
}

static int read_submission(apr_pool_t *pool, char *text, size_t length, span_t *xml,
                           dsc_nport_submission_t *found, const char **reason)
{
    const dsc_sgml_submission_t *submission = dsc_sgml_parse(pool, text, length, reason);
    const dsc_sgml_document_t *primary = submission ? dsc_sgml_primary(submission) : NULL;

    if (!submission) {
        return 0;
    }
    if (!primary || !primary->text) {
        *reason = "the submission has no document";
        return 0;
    }
    *xml = unwrap(primary);
    found->accession = submission->accession;
    found->filed_on = submission->filed_on;
    /* an exact midnight stands for a time that was not kept */
    if (submission->accepted &&
        (strlen(submission->accepted) != 14 || strcmp(submission->accepted + 8, "000000") != 0)) {
        found->accepted_at = dsc_eastern_to_utc(pool, submission->accepted);
    }
    read_classes(pool, (span_t){text, primary->text}, found);
    return 1;
}

int dsc_nport_find(apr_pool_t *pool, char *text, size_t length, dsc_nport_submission_t *submission,
                   const char **reason)
{
    span_t xml;

    memset(submission, 0, sizeof *submission);
    submission->classes = apr_array_make(pool, 8, sizeof(dsc_nport_class_t));
    length = dsc_normalise_lines(text, length);
    xml = skip_blank((span_t){text, text + length});
    if (is_submission(xml) && !read_submission(pool, text, length, &xml, submission, reason)) {
        return 0;
    }
    if (xml.start == xml.end) {
        *reason = "the file is empty";
        return 0;
    }
    if (starts_with(xml, "ACCESSION_NUMBER\t")) {
        *reason = "a table of the SEC's Form N-PORT data sets: this importer reads the filings "
                  "themselves, primary_doc.xml or full submissions";
        return 0;
    }
    submission->xml = xml.start;
    submission->length = (size_t)(xml.end - xml.start);
    submission->first_line = line_of(text, xml.start);
    submission->digest = digest_of(pool, xml);
    return 1;
}
