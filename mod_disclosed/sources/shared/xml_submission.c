#include "sources/shared/xml_submission.h"

#include "engine/digest.h"
#include "formats/submission_spool.h"

#include <apr_strings.h>
#include <openssl/evp.h>
#include <string.h>
#include <strings.h>

int dsc_is_xml_submission_name(const char *name)
{
    static const char *const endings[] = {".xml", ".txt", ".nc"};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t ending = strlen(endings[i]);

        if (length > ending && strcasecmp(name + length - ending, endings[i]) == 0) {
            return 1;
        }
    }
    return 0;
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

/* Whether another document is of the form as well. */
static int has_second(const dsc_sgml_submission_t *submission, const dsc_sgml_document_t *primary)
{
    int i, count = 0;

    for (i = 0; i < submission->documents->nelts; i++) {
        const char *type = APR_ARRAY_IDX(submission->documents, i, dsc_sgml_document_t).type;

        count += strcasecmp(type, primary->type) == 0;
    }
    return count > 1;
}

static int read_submission(apr_pool_t *pool, const dsc_piece_t *file, dsc_xml_submission_t *found,
                           const char **reason)
{
    const dsc_sgml_submission_t *submission =
        dsc_submission_read(pool, file, &found->header, reason);
    const dsc_sgml_document_t *primary = submission ? dsc_sgml_primary(submission) : NULL;
    const char *no_time;

    if (!submission) {
        return 0;
    }
    if (!primary || !dsc_piece_is_there(&primary->body)) {
        *reason = "the submission has no document";
        return 0;
    }
    if (has_second(submission, primary)) {
        *reason = apr_psprintf(
            pool,
            "the submission has a second document of type %.40s: which of them counts is not known",
            primary->type);
        return 0;
    }
    found->xml = dsc_submission_unwrap(primary);
    found->form = submission->form;
    found->accession = submission->accession;
    found->filed_on = submission->filed_on;
    /* one that is no time says nothing: the day of filing counts */
    (void)dsc_submission_accepted_at(pool, submission, &found->accepted_at, &no_time);
    return 1;
}

int dsc_xml_submission_find(apr_pool_t *pool, const dsc_piece_t *file,
                            dsc_xml_submission_t *submission, const char **reason)
{
    memset(submission, 0, sizeof *submission);
    submission->xml = dsc_piece_skip_blank(file);
    if (dsc_is_submission(&submission->xml) && !read_submission(pool, file, submission, reason)) {
        return 0;
    }
    if (submission->xml.length == 0) {
        *reason = "the file is empty";
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
