#include "sources/xbrl_instance/instance_package.h"

#include "formats/import_location.h"
#include "formats/submission_spool.h"
#include "sources/shared/xml_document.h"
#include "sources/xbrl_instance/instance_files.h"

#include <apr_strings.h>
#include <string.h>

static const apr_uint64_t largest_submission = (apr_uint64_t)4 << 30;

/* ------------------------------------------------------------- a folder or an archive */

/* Whether HTML declares none of the namespaces of inline XBRL. */
static int has_no_xbrl(const dsc_piece_t *html)
{
    return dsc_piece_find(html, 0, "inlineXBRL") < 0;
}

/* Whether a file beside the one at hand, or this one itself, is HTML without XBRL. One that cannot
 * be read is for its own turn to tell. */
static int is_plain_page(const dsc_instance_package_t *package, const char *name)
{
    apr_pool_t *pool;
    dsc_import_file_t *file;
    const char *reason, *bytes;
    size_t length = 0;
    int is_plain = 0;

    if (!dsc_is_page_name(name)) {
        return 0;
    }
    apr_pool_create(&pool, package->pool);
    file = dsc_import_open_companion(package->file, pool, name, &reason);
    bytes = file ? dsc_import_read_all(file, pool, DSC_LARGEST_WHOLE, &length, &reason) : NULL;
    if (bytes) {
        dsc_piece_t piece = dsc_piece_of(bytes, length);

        is_plain = has_no_xbrl(&piece);
    }
    apr_pool_destroy(pool);
    return is_plain;
}

static const apr_array_header_t *without(apr_pool_t *pool, const apr_array_header_t *names,
                                         const char *left_out)
{
    apr_array_header_t *others = apr_array_make(pool, names->nelts, sizeof(const char *));

    for (int i = 0; i < names->nelts; i++) {
        const char *name = APR_ARRAY_IDX(names, i, const char *);

        if (strcmp(name, left_out) != 0) {
            APR_ARRAY_PUSH(others, const char *) = name;
        }
    }
    return others;
}

/* As dsc_instance_for(), without pages that only have a day in their names as instances have. */
static const char *instance_for(dsc_instance_package_t *package, const char *name)
{
    const char *instance;

    while ((instance = dsc_instance_for(package->names, name)) != NULL &&
           is_plain_page(package, instance)) {
        package->is_page |= strcmp(instance, name) == 0;
        package->names = without(package->pool, package->names, instance);
    }
    return instance;
}

static int look_at_companion(dsc_instance_package_t *package, const char **reason)
{
    const char *base = dsc_import_base_name(package->file->inside);

    if (!package->file->location) {
        package->instance = dsc_is_instance_name(base) ? base : NULL;
        return 1;
    }
    package->names = dsc_import_companions(package->file, reason);
    if (!package->names) {
        return 0;
    }
    /* Of XML files with other names only those come that a user has named. */
    if (dsc_may_be_instance(base) && !dsc_is_instance_name(base) && !dsc_is_page_name(base)) {
        package->instance = base;
        return 1;
    }
    package->instance = instance_for(package, base);
    if (package->is_page && !package->instance) {
        package->instance = instance_for(package, "");
    }
    /* An inline document may have a name of the user's own. */
    if (!package->instance && !package->is_page && dsc_is_page_name(base)) {
        package->is_page = is_plain_page(package, base);
        package->instance = package->is_page ? NULL : base;
    }
    return 1;
}

/* The bytes of the file itself, or of a companion. */
static const char *read_companion(const dsc_instance_package_t *package, const char *name,
                                  size_t *length, const char **reason)
{
    dsc_import_file_t *file = package->file;

    if (strcmp(name, dsc_import_base_name(file->inside)) != 0) {
        file = dsc_import_open_companion(file, package->pool, name, reason);
    }
    return file ? dsc_import_read_all(file, package->pool, DSC_LARGEST_WHOLE, length, reason)
                : NULL;
}

/* ----------------------------------------------------------------- a full submission */

static int read_submission(dsc_instance_package_t *package, const char **reason)
{
    const dsc_spool_t *spool =
        dsc_spool_file(package->pool, package->file, largest_submission, reason);
    apr_array_header_t *names = apr_array_make(package->pool, 16, sizeof(const char *));

    if (!spool) {
        return 0;
    }
    package->whole = dsc_spool_piece(spool);
    package->submission = dsc_submission_read(package->pool, &package->whole, NULL, reason);
    if (!package->submission || !dsc_submission_accepted_at(package->pool, package->submission,
                                                            &package->accepted_at, reason)) {
        return 0;
    }
    for (int i = 0; i < package->submission->documents->nelts; i++) {
        const dsc_sgml_document_t *document =
            &APR_ARRAY_IDX(package->submission->documents, i, dsc_sgml_document_t);

        if (document->file_name && dsc_piece_is_there(&document->body) &&
            !(dsc_is_page_name(document->file_name) && has_no_xbrl(&document->body))) {
            APR_ARRAY_PUSH(names, const char *) = document->file_name;
        }
    }
    package->names = names;
    package->instance = dsc_instance_for(names, "");
    return 1;
}

static const dsc_sgml_document_t *find_document(const dsc_instance_package_t *package,
                                                const char *name)
{
    const apr_array_header_t *documents = package->submission->documents;

    for (int i = 0; i < documents->nelts; i++) {
        const dsc_sgml_document_t *document = &APR_ARRAY_IDX(documents, i, dsc_sgml_document_t);

        if (document->file_name && strcmp(document->file_name, name) == 0) {
            return document;
        }
    }
    return NULL;
}

/* The bytes of a document, and the line on which it begins. */
static const char *read_document(const dsc_instance_package_t *package, const char *name,
                                 size_t *length, long *line, const char **reason)
{
    const dsc_sgml_document_t *document = find_document(package, name);
    dsc_piece_t body;
    char *bytes;

    if (!document) {
        *reason = "the submission has no such document";
        return NULL;
    }
    body = dsc_submission_unwrap(document);
    if (body.length > DSC_LARGEST_WHOLE) {
        *reason = "the document is larger than 32 MB";
        return NULL;
    }
    *line = dsc_piece_line(&package->whole, &body);
    *length = (size_t)body.length;
    bytes = apr_palloc(package->pool, *length + 1);
    bytes[*length] = '\0';
    if (dsc_piece_read(&body, 0, bytes, *length) != (long)*length) {
        *reason = "the temporary file cannot be read";
        return NULL;
    }
    return bytes;
}

/* --------------------------------------------------------------------------- either */

dsc_instance_package_t *dsc_instance_package(apr_pool_t *pool, dsc_import_file_t *file,
                                             const char **reason)
{
    dsc_instance_package_t *package = apr_pcalloc(pool, sizeof(*package));
    int is_submission = dsc_is_submission_name(file->inside);

    package->pool = pool;
    package->file = file;
    package->names = apr_array_make(pool, 1, sizeof(const char *));
    return (is_submission ? read_submission(package, reason) : look_at_companion(package, reason))
               ? package
               : NULL;
}

/* The root element that a file has by its name. */
static const char *root_of(const char *name)
{
    return strstr(name, ".xsd")           ? "schema"
           : dsc_is_linkbase_name(name)   ? "linkbase"
           : strstr(name, ".xml") != NULL ? "xbrl"
                                          : "html";
}

xmlNode *dsc_instance_package_root(const dsc_instance_package_t *package, const char *name,
                                   const char **reason)
{
    size_t length = 0;
    long line = 1;
    const char *xml = package->submission ? read_document(package, name, &length, &line, reason)
                                          : read_companion(package, name, &length, reason);

    return xml ? dsc_xml_root(package->pool, xml, length, line, root_of(name), reason) : NULL;
}
