#include "follow/instance.h"

#include "formats/import_location.h"
#include "formats/submission_spool.h"
#include "sources/importers.h"
#include "sources/xbrl_instance/instance_files.h"

#include <apr_strings.h>
#include <stdio.h>
#include <string.h>

static const apr_uint64_t largest = (apr_uint64_t)4 << 30;

static const dsc_sgml_submission_t *read_submission(apr_pool_t *pool, const char *folder,
                                                    const char *name, const char **reason)
{
    dsc_import_location_t *location = apr_pcalloc(pool, sizeof(*location));
    dsc_import_file_t around = {.location = location, .inside = name};
    dsc_import_file_t *file;
    const dsc_spool_t *spool;
    dsc_piece_t *whole = apr_palloc(pool, sizeof(*whole));

    location->path = folder;
    location->pool = pool;
    file = dsc_import_open_companion(&around, pool, name, reason);
    spool = file ? dsc_spool_file(pool, file, largest, reason) : NULL;
    if (spool == NULL) {
        return NULL;
    }
    *whole = dsc_spool_piece(spool);
    return dsc_submission_read(pool, whole, NULL, reason);
}

/* The document between the tags by which submissions mark XBRL; 0: it is not marked so. */
static int unwrap(const dsc_sgml_document_t *document, dsc_piece_t *xbrl)
{
    static const char *const tags[][2] = {{"<XBRL>", "</XBRL>"}, {"<XML>", "</XML>"}};
    dsc_piece_t text;
    size_t i;

    if (!dsc_piece_is_there(&document->body)) {
        return 0;
    }
    text = dsc_piece_skip_blank(&document->body);
    for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        if (dsc_piece_begins_with(&text, tags[i][0])) {
            apr_int64_t end = dsc_piece_find_last(&text, tags[i][1]);

            *xbrl =
                dsc_piece_part(&text, strlen(tags[i][0]),
                               (end < 0 ? text.length : (apr_uint64_t)end) - strlen(tags[i][0]));
            *xbrl = dsc_piece_skip_blank(xbrl);
            return 1;
        }
    }
    return 0;
}

static int write_piece(const char *path, const dsc_piece_t *piece)
{
    FILE *file = fopen(path, "w");
    char chunk[DSC_SPOOL_CHUNK];
    apr_uint64_t at = 0;
    long got = 1;
    int good = file != NULL;

    while (good && (got = dsc_piece_read(piece, at, chunk, sizeof(chunk))) > 0) {
        good = fwrite(chunk, 1, (size_t)got, file) == (size_t)got;
        at += (apr_uint64_t)got;
    }
    return file != NULL && fclose(file) == 0 && good && got == 0;
}

/* A name that a filer has chosen must not lead elsewhere. */
static int is_plain_name(const char *name)
{
    return name != NULL && name[0] != '.' && strchr(name, '/') == NULL && strlen(name) < 200 &&
           dsc_accept_xbrl_instance(name);
}

int dsc_instance_extract(apr_pool_t *pool, const char *folder, const char *name, const char **path,
                         const char **reason)
{
    const dsc_sgml_submission_t *submission = read_submission(pool, folder, name, reason);
    apr_array_header_t *names = apr_array_make(pool, 8, sizeof(const char *));
    const char *instance = NULL;
    int i;

    *path = NULL;
    for (i = 0; submission != NULL && i < submission->documents->nelts; i++) {
        const dsc_sgml_document_t *document =
            &APR_ARRAY_IDX(submission->documents, i, dsc_sgml_document_t);
        dsc_piece_t xbrl;

        if (!is_plain_name(document->file_name) || !unwrap(document, &xbrl)) {
            continue;
        }
        if (!write_piece(apr_pstrcat(pool, folder, "/", document->file_name, NULL), &xbrl)) {
            *reason = "the filing's XBRL cannot be written: no room on the disk";
            return 0;
        }
        APR_ARRAY_PUSH(names, const char *) = document->file_name;
        if (instance == NULL && dsc_is_instance_name(document->file_name)) {
            instance = document->file_name;
        }
    }
    if (instance != NULL) {
        *path = apr_pstrcat(pool, folder, "/", dsc_instance_for(names, instance), NULL);
    }
    return submission != NULL;
}
