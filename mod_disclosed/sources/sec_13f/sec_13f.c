/* Importer of Form 13F: quarterly holdings of institutional investment managers.
 *
 * Three kinds of source give the same records: a full submission; a cover (primary_doc.xml) and its
 * information table as files of one folder; and the SEC's data sets. */
#include "sources/importers.h"

#include "engine/shape.h"
#include "formats/import_location.h"
#include "sources/sec_13f/holdings_data_set.h"
#include "sources/sec_13f/holdings_identity.h"
#include "sources/sec_13f/holdings_load.h"
#include "sources/shared/report_tables.h"
#include "sources/shared/xml_submission.h"

#include <apr_strings.h>
#include <string.h>

enum {
    HEAD_SIZE = 16384 /* of a file: enough to recognize its root element */
};

static const apr_uint64_t largest_file = (apr_uint64_t)4 << 30;

int dsc_accept_sec_13f(const char *name)
{
    return dsc_is_xml_submission_name(name) || dsc_data_set_has(name);
}

/* --------------------------------------------------------------- files of a folder */

/* The companion documents of a file, itself not counted, that may be of the same report. */
typedef struct {
    int covers, tables; /* two stand for more */
    const char *name;   /* of the one that was found last */
} pair_t;

static int is_xml(const char *name)
{
    size_t length = strlen(name) - dsc_import_compression(name);

    return length > 4 && strncasecmp(name + length - 4, ".xml", 4) == 0;
}

/* Takes note of what another file is, by its root element; 0 and *reason if it cannot be read. */
static int look_at(dsc_loader_t *loader, const dsc_import_file_t *file, const char *name,
                   pair_t *pair, const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader), *own;
    char head[HEAD_SIZE];
    dsc_import_file_t *opened;
    const char *root = NULL, *no_xml;
    long got = 0;

    apr_pool_create(&own, pool);
    opened = dsc_import_open_companion(file, own, name, reason);
    if (opened != NULL) {
        got = dsc_import_read(opened, head, sizeof(head), reason);
    }
    if (got > 0) {
        const dsc_piece_t whole = dsc_piece_of(head, (size_t)got);
        const dsc_piece_t piece = dsc_piece_skip_blank(&whole);

        root = dsc_holdings_root(own, &piece, &no_xml);
    }
    if (root != NULL && strcmp(root, "edgarSubmission") == 0) {
        pair->covers++;
        pair->name = name;
    } else if (root != NULL && strcmp(root, "informationTable") == 0) {
        pair->tables++;
        pair->name = name;
    }
    apr_pool_destroy(own);
    return opened != NULL && got >= 0;
}

/* Counts the companion documents of a file, until it is plain that they are of several reports:
 * names that carry the accession numbers of two do not belong to one. */
static apr_status_t look_around(dsc_loader_t *loader, const dsc_import_file_t *file, pair_t *pair,
                                const char **reason)
{
    const char *own;
    const apr_array_header_t *companions;
    int i;

    memset(pair, 0, sizeof(*pair));
    if (file->location == NULL) {
        return APR_SUCCESS;
    }
    companions = dsc_import_companions_alike(file, dsc_loader_file_pool(loader),
                                             dsc_holdings_accession, reason);
    if (companions == NULL) {
        return APR_EGENERAL;
    }
    own = dsc_import_base_name(file->inside);
    for (i = 0; i < companions->nelts && pair->covers < 2 && pair->tables < 2; i++) {
        const char *name = APR_ARRAY_IDX(companions, i, const char *);

        if (is_xml(name) && strcmp(name, own) != 0 && !look_at(loader, file, name, pair, reason)) {
            return APR_EGENERAL;
        }
    }
    return APR_SUCCESS;
}

/* Reads a file that may hold a cover, a table or both. */
static int unpack(apr_pool_t *pool, dsc_import_file_t *file, dsc_holdings_package_t *package,
                  const char **reason)
{
    const dsc_spool_t *spool = dsc_spool_file(pool, file, largest_file, reason);
    dsc_piece_t whole;

    if (spool == NULL) {
        return 0;
    }
    whole = dsc_spool_piece(spool);
    return dsc_holdings_unpack(pool, &whole, package, reason);
}

/* Reads the cover in the folder of an information table into the package. */
static int add_cover(dsc_loader_t *loader, const dsc_import_file_t *file, const char *name,
                     dsc_holdings_package_t *package, const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    dsc_import_file_t *opened = dsc_import_open_companion(file, pool, name, reason);
    dsc_holdings_package_t cover;

    if (opened == NULL || !unpack(pool, opened, &cover, reason)) {
        *reason = apr_pstrcat(pool, name, ": ", *reason, NULL);
        return 0;
    }
    package->report = cover.report;
    package->report->content_hash = opened->content_hash;
    return 1;
}

/* A document that comes alone is looked for its other half: a table takes its cover in, and the
 * cover is read with its table. */
static apr_status_t load_document(dsc_loader_t *loader, const dsc_import_file_t *file,
                                  dsc_holdings_package_t *package, const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    int is_table = dsc_piece_is_there(&package->table.piece);
    apr_status_t rv;
    pair_t pair;

    if ((rv = look_around(loader, file, &pair, reason)) != APR_SUCCESS) {
        return rv;
    }
    if (!is_table && pair.covers == 0 && pair.tables == 1) {
        *reason = apr_psprintf(pool, "is read with its information table, %s", pair.name);
        return DSC_IMPORT_AS_COMPANION;
    }
    if (is_table && pair.covers == 1 && pair.tables == 0 &&
        !add_cover(loader, file, pair.name, package, reason)) {
        return APR_EGENERAL;
    }
    return dsc_load_holdings_report(loader, file, package, reason);
}

static apr_status_t load_file(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    dsc_holdings_package_t package;

    if (!unpack(pool, file, &package, reason)) {
        return APR_EGENERAL;
    }
    return (package.report != NULL) == dsc_piece_is_there(&package.table.piece) ||
                   package.submission != NULL
               ? dsc_load_holdings_report(loader, file, &package, reason)
               : load_document(loader, file, &package, reason);
}

apr_status_t dsc_load_sec_13f(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason)
{
    const char *name = dsc_import_base_name(file->inside);

    if (dsc_data_set_leads(name)) {
        return dsc_load_holdings_data_set(loader, file, reason);
    }
    return dsc_data_set_has(name) ? dsc_load_with_table(loader, file, "SUBMISSION", reason)
                                  : load_file(loader, file, reason);
}
