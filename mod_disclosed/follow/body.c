/* A publisher that is in trouble, or takes us for too many, sends pages with status 200; a
 * connection that breaks may leave a body that nothing says is not whole. Each kind is known by its
 * beginning and its end. */
#include "follow/body.h"

#include "engine/json_syntax.h"
#include "engine/utf8.h"
#include "formats/zip_directory.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEAD = 65536, /* of a body: an accession number is in the first kilobyte, a refusal in the first
                     few */
    TAIL = 1024
};

/* The beginning and the end of a body, NUL-terminated, without white space around them. */
typedef struct {
    const char *path;
    char head[HEAD], tail[TAIL];
} body_t;

/* What a page says that stands for "too much". */
static const char *const refusals[] = {"Request Rate Threshold Exceeded",
                                       "Undeclared Automated Tool",
                                       "Your Request Originates from an Undeclared",
                                       "Access Denied",
                                       "Too Many Requests",
                                       "unusual traffic"};

static const char refusal_text[] = "a page that refuses further requests, in place of the file";

/* ------------------------------------------------------------------------- reading */

static const char *skip_blank(const char *text)
{
    text += dsc_utf8_mark(text, strlen(text));
    while (apr_isspace(*text)) {
        text++;
    }
    return text;
}

static int read_ends(body_t *body)
{
    FILE *file = fopen(body->path, "r");
    size_t length = 0;
    long size;

    if (file == NULL) {
        return 0;
    }
    body->head[fread(body->head, 1, HEAD - 1, file)] = '\0';
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, size > TAIL - 1 ? size - (TAIL - 1) : 0, SEEK_SET) == 0) {
        length = fread(body->tail, 1, TAIL - 1, file);
    }
    while (length > 0 && apr_isspace(body->tail[length - 1])) {
        length--;
    }
    body->tail[length] = '\0';
    return fclose(file) == 0;
}

static int begins(const body_t *body, const char *text)
{
    return strncasecmp(skip_blank(body->head), text, strlen(text)) == 0;
}

static int ends(const body_t *body, const char *text)
{
    size_t length = strlen(body->tail), of_end = strlen(text);

    return length >= of_end && strcasecmp(body->tail + length - of_end, text) == 0;
}

/* ---------------------------------------------------------------------- the kinds */

static int is_page(const body_t *body)
{
    return begins(body, "<!doctype html") || begins(body, "<html") || begins(body, "<head") ||
           (begins(body, "<?xml") && strstr(body->head, "<!DOCTYPE html") != NULL);
}

typedef const char *(*check_t)(apr_pool_t *pool, const body_t *body, const char *identity);

/* A wrong one under its name would be stored as another filing: the header says which it is. */
static const char *submission_error(apr_pool_t *pool, const body_t *body, const char *identity)
{
    static const char *const wrappings[][2] = {
        {"<SEC-DOCUMENT>", "</SEC-DOCUMENT>"},
        {"<SEC-DOCUMENT>", "</IMS-DOCUMENT>"},
        {"<IMS-DOCUMENT>", "</IMS-DOCUMENT>"},
        {"-----BEGIN PRIVACY-ENHANCED MESSAGE-----", "-----END PRIVACY-ENHANCED MESSAGE-----"},
        {"<SUBMISSION>", "</SUBMISSION>"},
    };
    size_t i;
    int begun = 0;

    for (i = 0; i < sizeof(wrappings) / sizeof(wrappings[0]); i++) {
        if (begins(body, wrappings[i][0])) {
            begun = 1;
            if (ends(body, wrappings[i][1])) {
                return identity == NULL || strstr(body->head, identity) != NULL
                           ? NULL
                           : apr_pstrcat(pool, "it is not the submission ", identity, NULL);
            }
        }
    }
    return begun ? "the submission breaks off" : "no submission";
}

static const char *atom_error(apr_pool_t *pool, const body_t *body, const char *identity)
{
    (void)pool, (void)identity;
    if (!begins(body, "<?xml") && !begins(body, "<feed")) {
        return "no Atom feed";
    }
    return ends(body, "</feed>") ? NULL : "the feed breaks off";
}

/* Its last line has a name of a file. */
static const char *index_error(apr_pool_t *pool, const body_t *body, const char *identity)
{
    (void)pool, (void)identity;
    if (strstr(body->head, "CIK|Company Name|Form Type|Date Filed|File") == NULL) {
        return "no index of filings: a line of column names is missing";
    }
    return ends(body, ".txt") || ends(body, "-----") ? NULL : "the index breaks off within a line";
}

/* The first place that is none of UTF-8 or of JSON; NULL: there is none. */
static const char *json_syntax_error(apr_pool_t *pool, const char *bytes, size_t length)
{
    dsc_json_error_t error;
    size_t at = 0, step;
    int good = 1;

    while (at < length) {
        step = dsc_utf8_step((const unsigned char *)bytes + at, length - at, &good);
        if (!good) {
            return apr_psprintf(pool, "the JSON is damaged: byte %" APR_SIZE_T_FMT ": no UTF-8",
                                at);
        }
        at += step;
    }
    error = dsc_json_syntax((dsc_slice_t){bytes, length});
    return error.message == NULL
               ? NULL
               : apr_psprintf(pool, "the JSON is damaged: character %" APR_SIZE_T_FMT ": %s",
                              error.position, error.message);
}

/* In place: a document of values that are next to nothing would be many times as large in
 * memory. */
static const char *json_error(apr_pool_t *pool, const body_t *body, const char *identity)
{
    const char *error = "it cannot be read";
    void *bytes = MAP_FAILED;
    struct stat info;
    int fd;

    (void)identity;
    if (!begins(body, "{") && !begins(body, "[")) {
        return "no JSON";
    }
    fd = open(body->path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &info) == 0) {
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (fd >= 0) {
        close(fd);
    }
    if (bytes != MAP_FAILED) {
        error = json_syntax_error(pool, bytes, (size_t)info.st_size);
        munmap(bytes, (size_t)info.st_size);
    }
    return error;
}

/* FINRA's files end with a line feed; the first line names the columns. */
static const char *delimited_error(apr_pool_t *pool, const body_t *body, const char *identity)
{
    (void)pool, (void)identity;
    if (begins(body, "<")) {
        return "no table: it begins with a tag";
    }
    return strpbrk(body->head, "|,\t") != NULL ? NULL : "no table: it has no columns";
}

static const char *zip_error(apr_pool_t *pool, const body_t *body, const char *identity)
{
    (void)identity;
    return dsc_zip_error(pool, body->path);
}

static const char *pdf_error(apr_pool_t *pool, const body_t *body, const char *identity)
{
    (void)pool, (void)identity;
    if (!begins(body, "%PDF-")) {
        return "no PDF";
    }
    return strstr(body->tail, "%%EOF") != NULL ? NULL : "the PDF breaks off";
}

/* What comes behind its end is the business of those who count readers. */
static const char *page_error(apr_pool_t *pool, const body_t *body, const char *identity)
{
    (void)pool, (void)identity;
    if (!is_page(body)) {
        return "no HTML";
    }
    return strstr(body->tail, "</html>") != NULL || strstr(body->tail, "</HTML>") != NULL
               ? NULL
               : "the page breaks off";
}

static const check_t checks[] = {
    [DSC_BODY_SUBMISSION] = submission_error,
    [DSC_BODY_ATOM] = atom_error,
    [DSC_BODY_MASTER_INDEX] = index_error,
    [DSC_BODY_JSON] = json_error,
    [DSC_BODY_DELIMITED] = delimited_error,
    [DSC_BODY_ZIP] = zip_error,
    [DSC_BODY_PDF] = pdf_error,
    [DSC_BODY_PAGE] = page_error,
};

/* ------------------------------------------------------------------------ the check */

static const char *page_reason(const body_t *body)
{
    size_t i;

    for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        if (strstr(body->head, refusals[i]) != NULL) {
            return refusal_text;
        }
    }
    return "a page, in place of the file";
}

int dsc_body_is_refusal(dsc_fetch_error_t error, const char *reason)
{
    return error == DSC_ERROR_BLOCKED && strcmp(reason, refusal_text) == 0;
}

dsc_fetch_error_t dsc_body_error(apr_pool_t *pool, const char *path, dsc_follow_body_t kind,
                                 const char *identity, const char **reason)
{
    body_t *body = apr_pcalloc(pool, sizeof(*body));

    body->path = path;
    if (!read_ends(body)) {
        *reason = apr_pstrcat(pool, path, " cannot be read", NULL);
        return DSC_ERROR_DISK;
    }
    if (body->head[0] == '\0') {
        *reason = "the body is empty";
        return DSC_ERROR_TRUNCATED;
    }
    if (is_page(body)) {
        *reason = page_reason(body);
        if (kind != DSC_BODY_PAGE || dsc_body_is_refusal(DSC_ERROR_BLOCKED, *reason)) {
            return DSC_ERROR_BLOCKED;
        }
    }
    *reason = checks[kind](pool, body, identity);
    return *reason == NULL                         ? DSC_ERROR_NONE
           : strstr(*reason, "it is not") != NULL  ? DSC_ERROR_OTHER
           : strstr(*reason, "breaks off") != NULL ? DSC_ERROR_TRUNCATED
                                                   : DSC_ERROR_DAMAGED;
}
