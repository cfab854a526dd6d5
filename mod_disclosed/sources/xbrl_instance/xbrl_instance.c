/* Importer xbrl-instance: what a filing itself says in XBRL, as a plain instance or as an inline document. The document does not say
 * which filing it is of, nor when that was filed. */
#include "sources/importers.h"
#include "sources/xbrl_instance/instance_facts.h"
#include "sources/xbrl_instance/instance_files.h"

#include "formats/import_location.h"
#include "loader/loader_value.h"
#include "sources/shared/filing_record.h"
#include "sources/shared/ownership_submission.h"
#include "sources/shared/xml_document.h"

#include <apr_strings.h>
#include <string.h>

typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const dsc_instance_t *instance;
    dsc_xbrl_report_t report;
} load_t;

int dsc_accept_xbrl_instance(const char *name)
{
    const char *base = dsc_import_base_name(name);

    return dsc_is_instance_name(base) || dsc_is_linkbase_name(base);
}

/* ------------------------------------------------------------------------ the filing */

/* What is stored of the filing: the filing itself, else another source's report of its facts. */
static apr_status_t find_filing(load_t *load, int *is_found)
{
    static const char sql[] =
        "SELECT form, to_char(filed_on, 'YYYY-MM-DD'),"
        " to_char(known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
        " FROM (SELECT form, filed_on, known_at, 0 AS place FROM disclosed.filing"
        "  WHERE accession = $1 AND superseded_at IS NULL"
        "  UNION ALL SELECT form, filed_on, known_at, report_rank(told_by) FROM disclosed.xbrl_report"
        "  WHERE accession = $1 AND superseded_at IS NULL AND told_by <> 'instance') f"
        " ORDER BY place, known_at LIMIT 1";
    PGresult *result;
    apr_status_t status = dsc_loader_query(load->loader, sql, 1, &load->report.accession, &result);

    if (status != APR_SUCCESS) {
        return status;
    }
    *is_found = PQntuples(result) == 1;
    if (*is_found) {
        load->report.form = apr_pstrdup(load->pool, PQgetvalue(result, 0, 0));
        load->report.filed_on = apr_pstrdup(load->pool, PQgetvalue(result, 0, 1));
        load->report.known_at = apr_pstrdup(load->pool, PQgetvalue(result, 0, 2));
    }
    PQclear(result);
    return APR_SUCCESS;
}

/* Which filing it is: by the command line, else by the names of the file, its folder or its archive. */
static apr_status_t identify(load_t *load, const dsc_import_file_t *file, const char **reason)
{
    const dsc_load_options_t *options = dsc_loader_options(load->loader);
    apr_status_t status;
    int is_found;

    load->report.accession =
        options->accession ? options->accession : dsc_accession_of_name(load->pool, file->name);
    if (!load->report.accession) {
        *reason =
            "nothing says of which filing it is: name its folder or archive by the accession number, or say --accession";
        return APR_EGENERAL;
    }
    status = find_filing(load, &is_found);
    if (status != APR_SUCCESS || is_found) {
        return status;
    }
    load->report.form = load->instance->form;
    load->report.filed_on = options->known_at;
    if (!load->report.filed_on || !load->report.form) {
        *reason = apr_psprintf(
            load->pool,
            load->report.form
                ? "nothing says when filing %s was filed: load it first, or say --known-at"
                : "filing %s is not loaded, and the document has no dei:DocumentType",
            load->report.accession);
        return APR_EGENERAL;
    }
    return APR_SUCCESS;
}

/* ----------------------------------------------------------------------- the document */

static apr_status_t add_rejects(const load_t *load)
{
    apr_status_t status = APR_SUCCESS;

    for (int i = 0; i < load->instance->rejects->nelts && status == APR_SUCCESS; i++) {
        const dsc_instance_reject_t *reject =
            &APR_ARRAY_IDX(load->instance->rejects, i, dsc_instance_reject_t);

        status = dsc_loader_reject(load->loader, reject->where, reject->error, reject->sample);
    }
    return status;
}

/* A year as the table takes it; others are not told. */
static const char *year_of(const char *text)
{
    return text && dsc_xbrl_is_year(text) ? text : NULL;
}

static apr_status_t add_report(load_t *load)
{
    const dsc_instance_t *instance = load->instance;
    apr_status_t status = add_rejects(load);
    long read = instance->facts->nelts, repeats = 0;

    if (status != APR_SUCCESS || read == 0) {
        return status;
    }
    load->report.told_by = "instance";
    load->report.location = "the document";
    load->report.cik = instance->cik;
    load->report.issuer_name = instance->name;
    load->report.fiscal_year = year_of(instance->fiscal_year);
    load->report.fiscal_period = instance->fiscal_period;
    load->report.facts = instance->facts;
    load->report.repeats = &repeats;
    status = dsc_xbrl_report_add(load->loader, load->pool, &load->report);
    if (status == APR_SUCCESS) {
        dsc_loader_note(load->loader,
                        apr_psprintf(load->pool,
                                     "%ld numbers, of which %ld are there more than once; %ld "
                                     "facts are texts, %ld have no number (nil)",
                                     read, repeats, instance->texts, instance->nil));
    }
    return status;
}

/* The root element: of a plain instance, or of an inline document. */
static xmlNode *parse(apr_pool_t *pool, dsc_import_file_t *file, const char **reason)
{
    const char *base = dsc_import_base_name(file->inside);
    size_t length;
    const char *xml = dsc_import_read_all(file, pool, DSC_LARGEST_WHOLE, &length, reason);

    return xml ? dsc_xml_root(pool, xml, length, 1, strstr(base, ".xml") ? "xbrl" : "html", reason)
               : NULL;
}

static apr_status_t load_instance(dsc_loader_t *loader, dsc_import_file_t *file,
                                  const char **reason)
{
    load_t load = {.loader = loader, .pool = dsc_loader_file_pool(loader)};
    xmlNode *root = parse(load.pool, file, reason);
    apr_status_t status;

    if (!root) {
        return APR_EGENERAL;
    }
    load.instance = dsc_instance_read(load.pool, root);
    if (!load.instance->cik) {
        *reason = dsc_is_inline(root) ? "not inline XBRL: it has no context whose entity is a CIK"
                                      : "it has no context whose entity is a CIK";
        return APR_EGENERAL;
    }
    status = identify(&load, file, reason);
    return status == APR_SUCCESS ? add_report(&load) : status;
}

/* The instance that the file is read with, maybe itself; NULL: there is none. 0 and *reason where that cannot be told. What comes from
 * standard input lies beside nothing. */
static int find_leading(apr_pool_t *pool, const dsc_import_file_t *file, const char *base,
                        const char **leading, const char **reason)
{
    apr_array_header_t *companions =
        file->location ? dsc_import_companions(file, pool, reason) : NULL;

    *leading = companions                   ? dsc_instance_for(companions, base)
               : dsc_is_instance_name(base) ? base
                                            : NULL;
    return companions || !file->location;
}

apr_status_t dsc_load_xbrl_instance(dsc_loader_t *loader, dsc_import_file_t *file,
                                    const char **reason)
{
    const char *base = dsc_import_base_name(file->inside), *leading;
    apr_pool_t *pool = dsc_loader_file_pool(loader);

    if (!find_leading(pool, file, base, &leading, reason)) {
        return APR_EGENERAL;
    }
    if (leading && strcmp(leading, base) != 0) {
        *reason = apr_pstrcat(pool, "is read with ", leading, NULL);
        return DSC_IMPORT_AS_COMPANION;
    }
    if (!leading) {
        *reason = "a linkbase or schema without its instance in the folder";
        return APR_EGENERAL;
    }
    return load_instance(loader, file, reason);
}
