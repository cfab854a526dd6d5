#include "sources/sec_nport/nport_submission.h"

#include "engine/digest.h"
#include "engine/shape.h"
#include "formats/eastern_time.h"
#include "formats/submission_spool.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <openssl/evp.h>
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

/* The digest of the document up to the end of its last tag: the same alone and in a submission. */
static const char *digest_of(apr_pool_t *pool, const dsc_piece_t *document)
{
    apr_uint64_t length = (apr_uint64_t)(dsc_piece_find_last(document, ">") + 1), at = 0;
    dsc_piece_t whole = dsc_piece_part(document, 0, length);
    unsigned char digest[DSC_SHA256_SIZE];
    char chunk[DSC_SPOOL_CHUNK];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    long got = 1;
    int good = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL);

    while (good && (got = dsc_piece_read(&whole, at, chunk, sizeof chunk)) > 0) {
        good = EVP_DigestUpdate(context, chunk, (size_t)got);
        at += (apr_uint64_t)got;
    }
    good = good && got == 0 && EVP_DigestFinal_ex(context, digest, NULL);
    EVP_MD_CTX_free(context);
    return good ? dsc_content_hash(pool, digest) : NULL;
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

/* Between the tags that wrap an XML document in a submission. */
static dsc_piece_t unwrap(const dsc_sgml_document_t *document)
{
    dsc_piece_t text = dsc_piece_skip_blank(&document->body);
    apr_int64_t end;

    if (dsc_piece_begins_with(&text, "<XML>")) {
        text = dsc_piece_part(&text, strlen("<XML>"), text.length);
        end = dsc_piece_find_last(&text, "</XML>");
        text.length = end < 0 ? text.length : (apr_uint64_t)end;
    }
    return dsc_piece_skip_blank(&text);
}

static int read_submission(apr_pool_t *pool, const dsc_piece_t *file, dsc_nport_submission_t *found,
                           const char **reason)
{
    const char *header;
    const dsc_sgml_submission_t *submission = dsc_submission_read(pool, file, &header, reason);
    const dsc_sgml_document_t *primary = submission ? dsc_sgml_primary(submission) : NULL;

    if (!submission) {
        return 0;
    }
    if (!primary || !dsc_piece_is_there(&primary->body)) {
        *reason = "the submission has no document";
        return 0;
    }
    found->xml = unwrap(primary);
    found->accession = submission->accession;
    found->filed_on = submission->filed_on;
    /* an exact midnight stands for a time that was not kept */
    if (submission->accepted &&
        (strlen(submission->accepted) != 14 || strcmp(submission->accepted + 8, "000000") != 0)) {
        found->accepted_at = dsc_eastern_to_utc(pool, submission->accepted);
    }
    read_classes(pool, (span_t){header, header + strlen(header)}, found);
    return 1;
}

int dsc_nport_find(apr_pool_t *pool, const dsc_piece_t *file, dsc_nport_submission_t *submission,
                   const char **reason)
{
    memset(submission, 0, sizeof *submission);
    submission->classes = apr_array_make(pool, 8, sizeof(dsc_nport_class_t));
    submission->xml = dsc_piece_skip_blank(file);
    if (dsc_is_submission(&submission->xml) && !read_submission(pool, file, submission, reason)) {
        return 0;
    }
    if (submission->xml.length == 0) {
        *reason = "the file is empty";
        return 0;
    }
    if (dsc_piece_begins_with(&submission->xml, "ACCESSION_NUMBER\t")) {
        *reason = "a table of the SEC's Form N-PORT data sets: this importer reads the filings "
                  "themselves, primary_doc.xml or full submissions";
        return 0;
    }
    submission->first_line = dsc_piece_line(file, &submission->xml);
    submission->digest = digest_of(pool, &submission->xml);
    if (!submission->digest) {
        *reason = "the temporary file cannot be read";
        return 0;
    }
    return 1;
}
