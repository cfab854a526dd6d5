/* Importer xbrl-instance: the XBRL of a filing itself, as a plain instance or as an inline
 * document, or as documents of its full submission. The document alone does not state which filing
 * it belongs to, nor when that was filed; a submission's header does. */
#include "sources/importers.h"
#include "sources/xbrl_instance/instance_facts.h"
#include "sources/xbrl_instance/instance_files.h"
#include "sources/xbrl_instance/instance_observations.h"
#include "sources/xbrl_instance/instance_package.h"
#include "sources/xbrl_instance/linkbase_record.h"

#include "datasets/datasets.h"
#include "formats/import_location.h"
#include "formats/submission_spool.h"
#include "loader/loader_value.h"
#include "sources/shared/filing_record.h"
#include "sources/shared/ownership_submission.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const dsc_instance_package_t *package;
    const dsc_instance_t *instance;
    const dsc_linkbase_t *linkbase;
    int lacks_linkbase;   /* one cannot be read */
    const char *name;     /* of the instance, */
    const char *document; /* and without the suffix of compression */
    dsc_xbrl_report_t report;
} load_t;

int dsc_accept_xbrl_instance(const char *name)
{
    const char *base = dsc_import_base_name(name);

    return dsc_is_instance_name(base) || dsc_is_linkbase_name(base) || dsc_is_submission_name(base);
}

/* ------------------------------------------------------------------------ the filing */

/* What is stored of the filing: the filing itself, else another source's report of its facts. It
 * may be stored of another filer alone, and *reason says so. */
static apr_status_t find_filing(load_t *load, int *is_found, const char **reason)
{
    static const char sql[] =
        "SELECT form, to_char(filed_on, 'YYYY-MM-DD'),"
        " to_char(known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), is_own"
        " FROM (SELECT f.form, f.filed_on, f.known_at, 0 AS place, i.cik = $2::bigint AS is_own"
        "  FROM disclosed.filing f JOIN disclosed.issuer i USING (issuer_id)"
        "  WHERE f.accession = $1 AND f.superseded_at IS NULL"
        "  UNION ALL SELECT r.form, r.filed_on, r.known_at, disclosed.report_rank(r.told_by), i.cik = $2::bigint"
        "  FROM disclosed.xbrl_report r JOIN disclosed.issuer i USING (issuer_id)"
        "  WHERE r.accession = $1 AND r.superseded_at IS NULL AND r.told_by <> 'instance') f"
        " ORDER BY is_own IS NOT TRUE, place, known_at LIMIT 1";
    const char *parameters[] = {load->report.accession, load->instance->cik};
    PGresult *result;
    int is_own;
    apr_status_t status =
        dsc_loader_query(load->loader, sql, DSC_COUNT(parameters), parameters, &result);

    if (status != APR_SUCCESS) {
        return status;
    }
    *is_found = PQntuples(result) == 1;
    is_own = *is_found && *PQgetvalue(result, 0, 3) == 't';
    if (is_own) {
        load->report.form = apr_pstrdup(load->pool, PQgetvalue(result, 0, 0));
        load->report.filed_on = apr_pstrdup(load->pool, PQgetvalue(result, 0, 1));
        load->report.known_at = apr_pstrdup(load->pool, PQgetvalue(result, 0, 2));
    } else if (*is_found) {
        *reason = apr_psprintf(load->pool, "filing %s is not one of CIK %s, whose document this is",
                               load->report.accession, load->instance->cik);
    }
    PQclear(result);
    return *is_found && !is_own ? APR_EGENERAL : APR_SUCCESS;
}

static int is_of_filing(const load_t *load)
{
    const apr_array_header_t *entities = load->package->submission->entities;

    for (int i = 0; i < entities->nelts; i++) {
        const char *cik = APR_ARRAY_IDX(entities, i, dsc_sgml_entity_t).cik;

        if (strcmp(cik + strspn(cik, "0"), load->instance->cik) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Which filing it is: by the header of its submission, by the command line, or by the names of the
 * file, its folder or its archive. */
static int name_filing(load_t *load, const char **reason)
{
    const dsc_sgml_submission_t *submission = load->package->submission;
    const char *wanted = dsc_loader_options(load->loader)->accession;

    load->report.accession = submission ? submission->accession
                             : wanted
                                 ? wanted
                                 : dsc_accession_of_name(load->pool, load->package->file->name);
    if (!load->report.accession) {
        *reason =
            "nothing says of which filing it is: name its folder or archive by the accession number, or say --accession";
    } else if (submission && wanted && strcmp(wanted, submission->accession) != 0) {
        *reason = apr_psprintf(load->pool, "header: it is filing %s, and --accession says %s",
                               submission->accession, wanted);
    } else if (submission && !is_of_filing(load)) {
        *reason = apr_psprintf(load->pool, "header: CIK %s, whose document %s is, does not file it",
                               load->instance->cik, load->name);
    } else {
        return 1;
    }
    return 0;
}

/* What nothing stored says of the filing: its header says, else the document and the command
 * line. */
static int describe_filing(load_t *load, const char **reason)
{
    const dsc_sgml_submission_t *submission = load->package->submission;

    if (submission) {
        load->report.form = submission->form;
        load->report.filed_on = submission->filed_on;
        load->report.known_at = load->package->accepted_at;
        return 1;
    }
    load->report.form = load->instance->form;
    load->report.filed_on = dsc_loader_options(load->loader)->known_at;
    if (!load->report.form) {
        *reason = apr_psprintf(load->pool,
                               "filing %s is not loaded, and the document has no dei:DocumentType",
                               load->report.accession);
    } else if (!load->report.filed_on) {
        *reason =
            apr_psprintf(load->pool,
                         "nothing says when filing %s was filed: load it first, or say --known-at",
                         load->report.accession);
    }
    return load->report.form && load->report.filed_on;
}

static apr_status_t identify(load_t *load, const char **reason)
{
    apr_status_t status;
    int is_found;

    if (!name_filing(load, reason)) {
        return APR_EGENERAL;
    }
    status = find_filing(load, &is_found, reason);
    if (status != APR_SUCCESS || is_found) {
        return status;
    }
    return describe_filing(load, reason) ? APR_SUCCESS : APR_EGENERAL;
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

/* A year as the table takes it; others are not stated. */
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
    load->report.document = load->document;
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

/* ----------------------------------------------------------------------- linkbases */

/* Takes what a companion of the instance states. Errors in it are reported, and are no reason to
 * refuse the instance. */
static apr_status_t read_companion(load_t *load, dsc_linkbase_t *linkbase, const char *name)
{
    const char *reason = NULL;
    xmlNode *root = dsc_instance_package_root(load->package, name, &reason);

    if (root) {
        reason = dsc_linkbase_read(linkbase, root);
    }
    load->lacks_linkbase |= reason != NULL;
    return reason ? dsc_loader_reject(load->loader, name, reason, NULL) : APR_SUCCESS;
}

/* Whether one of them cannot be read, and what the filing's linkbases say is stored of the company:
 * a damaged copy takes nothing of it away. */
static int keeps_linkbases(const load_t *load, apr_status_t *status)
{
    static const char sql[] = "SELECT 1 FROM disclosed.xbrl_linkbase l"
                              " JOIN disclosed.issuer i USING (issuer_id)"
                              " WHERE l.accession = $1 AND l.superseded_at IS NULL"
                              " AND i.cik = $2::bigint LIMIT 1";
    const char *parameters[] = {load->report.accession, load->report.cik};
    int stored = 0;
    PGresult *result;

    if (!load->lacks_linkbase) {
        return 0;
    }
    *status = dsc_loader_repeat(load->loader, sql, DSC_COUNT(parameters), parameters, &result);
    if (*status == APR_SUCCESS) {
        stored = PQntuples(result) > 0;
        PQclear(result);
    }
    return stored || *status != APR_SUCCESS;
}

/* Reads the linkbases and the schema that are companions of the instance. */
static apr_status_t read_linkbases(load_t *load)
{
    static const char *const kinds[] = {"cal", "pre", "def", "lab", "xsd"};
    dsc_linkbase_t *linkbase = dsc_linkbase_create(load->pool);
    apr_status_t status = APR_SUCCESS;

    load->linkbase = linkbase;
    for (int i = 0; i < DSC_COUNT(kinds) && status == APR_SUCCESS; i++) {
        const char *name = dsc_linkbase_for(load->package->names, load->name, kinds[i]);

        status = name ? read_companion(load, linkbase, name) : APR_SUCCESS;
    }
    return status;
}

static apr_status_t add_observations(const load_t *load)
{
    long count;
    apr_status_t status =
        dsc_instance_observations(load->loader, load->pool, &load->report, load->linkbase, &count);

    if (status == APR_SUCCESS && count > 0) {
        dsc_loader_note(load->loader, apr_psprintf(load->pool, "%ld key figures", count));
    }
    return status;
}

/* What is beside the numbers. */
static apr_status_t add_linkbases(load_t *load)
{
    apr_status_t status = read_linkbases(load);

    if (status == APR_SUCCESS && !keeps_linkbases(load, &status)) {
        status = dsc_linkbase_add(load->loader, load->pool, &load->report, load->linkbase);
    }
    return status == APR_SUCCESS ? add_observations(load) : status;
}

/* The instance is all that the filing has of these, also if it has no numbers. */
static apr_status_t declare_whole(const load_t *load)
{
    static const dsc_dataset_t *const datasets[] = {&dsc_dataset_xbrl_report,
                                                    &dsc_dataset_xbrl_linkbase,
                                                    &dsc_dataset_kpi_observation};
    apr_status_t status = APR_SUCCESS;

    for (int i = 0; i < DSC_COUNT(datasets) && status == APR_SUCCESS; i++) {
        status = dsc_loader_whole(load->loader, datasets[i], load->instance->cik,
                                  load->report.accession);
    }
    return status;
}

/* ------------------------------------------------------------------- one of several */

/* The name of the document whose numbers are stored as the filing's. NULL: there are none, or the
 * file that they are from does not say. */
static apr_status_t find_stored(const load_t *load, const char **document)
{
    static const char sql[] =
        "SELECT coalesce(t.document, regexp_replace(r.file, '^.*/', ''))"
        " FROM disclosed.xbrl_report t JOIN disclosed.issuer i USING (issuer_id)"
        " LEFT JOIN disclosed.source o USING (source_id)"
        " LEFT JOIN disclosed.import_run r USING (import_run_id)"
        " WHERE t.accession = $1 AND t.told_by = 'instance' AND t.superseded_at IS NULL"
        " AND i.cik = $2::bigint LIMIT 1";
    const char *parameters[] = {load->report.accession, load->instance->cik};
    PGresult *result;
    apr_status_t status = dsc_loader_meets(load->loader, load->report.accession);

    if (status == APR_SUCCESS) {
        status = dsc_loader_hold(load->loader, apr_pstrcat(load->pool, "instance ",
                                                           load->report.accession, NULL));
    }
    *document = NULL;
    if (status == APR_SUCCESS) {
        status = dsc_loader_repeat(load->loader, sql, DSC_COUNT(parameters), parameters, &result);
    }
    if (status != APR_SUCCESS) {
        return status;
    }
    if (PQntuples(result) == 1 && !PQgetisnull(result, 0, 0) &&
        dsc_is_instance_name(PQgetvalue(result, 0, 0))) {
        *document = apr_pstrdup(load->pool, PQgetvalue(result, 0, 0));
    }
    PQclear(result);
    return APR_SUCCESS;
}

/* Whether another instance of the filing stands: of those with numbers, the one that precedes the
 * others, and not a copy of it that has lost them. What is left out is reported. */
static apr_status_t look_for_another(const load_t *load, int *stands)
{
    const char *stored;
    apr_status_t status = find_stored(load, &stored);
    int numbers = load->instance->facts->nelts;

    *stands = 0;
    if (status != APR_SUCCESS || !stored) {
        return status;
    }
    *stands = numbers == 0 || dsc_instance_precedes(stored, load->document);
    if (*stands) {
        dsc_loader_note(
            load->loader,
            apr_psprintf(load->pool,
                         "left out, %d numbers: %s, which is stored, stands for the filing",
                         numbers, stored));
    } else if (!dsc_is_same_instance(stored, load->document)) {
        dsc_loader_note(load->loader,
                        apr_psprintf(load->pool,
                                     "stands for the filing in place of %s, which is left out",
                                     stored));
    }
    return APR_SUCCESS;
}

/* Companions that are instances, and that no other run reports. */
static void report_others(const load_t *load)
{
    const dsc_instance_package_t *package = load->package;

    for (int i = 0; i < package->names->nelts; i++) {
        const char *name = APR_ARRAY_IDX(package->names, i, const char *);

        if (dsc_instance_is_companion(load->name, name, package->submission != NULL)) {
            dsc_loader_note(load->loader,
                            apr_psprintf(load->pool, "%s is left out: %s stands for the filing",
                                         name, load->name));
        }
    }
}

static apr_status_t load_facts(load_t *load)
{
    apr_status_t status = add_report(load);

    if (status == APR_SUCCESS && load->report.facts) {
        status = add_linkbases(load);
    }
    return status == APR_SUCCESS ? declare_whole(load) : status;
}

/* 0: it cannot be read, which *reason says. */
static int read_instance(load_t *load, const char *name, const char **reason)
{
    xmlNode *root = dsc_instance_package_root(load->package, name, reason);
    const char *base = dsc_import_base_name(name);

    if (!root) {
        return 0;
    }
    load->instance = dsc_instance_read(load->pool, root);
    if (!load->instance->cik) {
        *reason = dsc_is_inline(root) ? "not inline XBRL: it has no context whose entity is a CIK"
                                      : "it has no context whose entity is a CIK";
        return 0;
    }
    load->name = name;
    load->document = apr_pstrmemdup(load->pool, base, strlen(base) - dsc_import_compression(base));
    return 1;
}

/* The first of the instances, or, if it has no numbers, the first of those that have some and can
 * be read. */
static int read_first(load_t *load, const char **reason)
{
    const dsc_instance_package_t *package = load->package;
    const char *name = package->instance, *wrong;
    load_t first;

    if (!read_instance(load, name, reason)) {
        return 0;
    }
    first = *load;
    while (load->instance->facts->nelts == 0 &&
           (name = dsc_instance_after(package->names, name, package->submission != NULL))) {
        if (!read_instance(load, name, &wrong) ||
            strcmp(load->instance->cik, first.instance->cik) != 0) {
            *load = first;
        }
    }
    if (load->instance->facts->nelts == 0) {
        *load = first;
    }
    return 1;
}

static apr_status_t load_instance(dsc_loader_t *loader, const dsc_instance_package_t *package,
                                  const char **reason)
{
    load_t load = {.loader = loader, .pool = package->pool, .package = package};
    apr_status_t status;
    int stands = 0;

    if (!read_first(&load, reason)) {
        return APR_EGENERAL;
    }
    dsc_loader_may_be_empty(loader); /* the cover page of a Form 8-K has no numbers */
    status = identify(&load, reason);
    if (status == APR_SUCCESS) {
        report_others(&load);
        status = look_for_another(&load, &stands);
    }
    return status == APR_SUCCESS && !stands ? load_facts(&load) : status;
}

/* What becomes of a file that lies beside the instance. */
static const char *why_beside(const dsc_instance_package_t *package)
{
    const char *base = dsc_import_base_name(package->file->inside);

    if (package->is_page) {
        return apr_pstrcat(package->pool, "has no XBRL, as ", package->instance, " has", NULL);
    }
    return dsc_is_instance_name(base) && !dsc_is_same_instance(base, package->instance)
               ? apr_pstrcat(package->pool, "is left out: ", package->instance,
                             " stands for the filing", NULL)
               : apr_pstrcat(package->pool, "is read with ", package->instance, NULL);
}

apr_status_t dsc_load_xbrl_instance(dsc_loader_t *loader, dsc_import_file_t *file,
                                    const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    const dsc_instance_package_t *package = dsc_instance_package(pool, file, reason);

    if (!package) {
        return APR_EGENERAL;
    }
    if (!package->instance && package->submission) {
        dsc_loader_note(loader, "the filing has no XBRL");
        dsc_loader_may_be_empty(loader);
        return APR_SUCCESS;
    }
    if (!package->instance) {
        *reason = package->is_page ? "not inline XBRL: it names no namespace of inline XBRL"
                                   : "a linkbase or schema without its instance in the folder";
        return APR_EGENERAL;
    }
    if (!package->submission &&
        strcmp(package->instance, dsc_import_base_name(file->inside)) != 0) {
        *reason = why_beside(package);
        return DSC_IMPORT_AS_COMPANION;
    }
    return load_instance(loader, package, reason);
}
