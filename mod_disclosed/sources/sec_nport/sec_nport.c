/* Importer of Form N-PORT: a fund's report and its holdings (Rule 30b1-9 under the Investment
 * Company Act). A report is identified by its accession number, or, if it comes without one, by
 * the digest of its content. If the same content has an accession number too, now or later, the
 * report with that number stands (sql: fund_timeline). A holding is identified by its report and
 * its row number. */
#include "sources/importers.h"
#include "sources/sec_nport/nport_document.h"
#include "sources/sec_nport/nport_precedence.h"
#include "sources/sec_nport/nport_record.h"
#include "sources/sec_nport/nport_set.h"
#include "sources/sec_nport/nport_submission.h"
#include "sources/shared/ownership_submission.h"

#include "datasets/datasets.h"
#include "engine/shape.h"
#include "formats/import_location.h"
#include "loader/named_document.h"
#include "sources/shared/xml_submission.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

static const apr_uint64_t largest_file = (apr_uint64_t)4 << 30;

enum {
    DIGEST_DIGITS = 32 /* of the content hash, in record keys */
};

/* A document being loaded. */
typedef struct {
    dsc_nport_load_t records;
    const dsc_nport_submission_t *submission;
} load_t;

int dsc_accept_sec_nport(const char *name)
{
    return dsc_is_xml_submission_name(name) || dsc_nport_set_has(name);
}

/* The accession number and when the report was public, as is best known. Taking what is known
 * already keeps a second import from changing anything. */
static apr_status_t identify(load_t *one, const char *file_name)
{
    static const char sql[] =
        "SELECT accession, to_char(known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
        " FROM disclosed.date_of_fund_report($1, $2, $3, $4, $5, $6, $7)";
    const dsc_xml_submission_t *submission = &one->submission->filed;
    dsc_nport_load_t *load = &one->records;
    const char *parameters[] = {load->report->cik,
                                submission->accession
                                    ? submission->accession
                                    : dsc_accession_of_name(load->pool, file_name),
                                submission->digest,
                                submission->accepted_at,
                                submission->filed_on,
                                load->report->report_date,
                                load->report->signed_on};
    PGresult *result;
    apr_status_t status = dsc_loader_meets(load->loader, submission->digest);

    if (status == APR_SUCCESS) {
        status = dsc_loader_meets(load->loader, parameters[1]);
    }
    if (status == APR_SUCCESS) {
        status = dsc_loader_repeat(load->loader, sql, DSC_COUNT(parameters), parameters, &result);
    }
    if (status != APR_SUCCESS) {
        return status;
    }
    if (!PQgetisnull(result, 0, 0)) {
        load->accession = apr_pstrdup(load->pool, PQgetvalue(result, 0, 0));
    }
    load->known_at = apr_pstrdup(load->pool, PQgetvalue(result, 0, 1));
    PQclear(result);
    load->record_key = load->accession ? load->accession
                                       : apr_pstrmemdup(load->pool, submission->digest,
                                                        strlen("sha256:") + DIGEST_DIGITS);
    return APR_SUCCESS;
}

static const char *upper(apr_pool_t *pool, const char *text)
{
    char *copy = apr_pstrdup(pool, text);

    for (char *at = copy; at && *at; at++) {
        *at = (char)apr_toupper(*at);
    }
    return copy;
}

/* The header names classes whose series may be others', in submissions for several series. */
static apr_status_t add_classes(const load_t *one)
{
    const dsc_nport_load_t *load = &one->records;
    const apr_array_header_t *classes = one->submission->classes;
    apr_status_t status = APR_SUCCESS;

    for (int i = 0; i < classes->nelts && status == APR_SUCCESS; i++) {
        const dsc_nport_class_t *class = &APR_ARRAY_IDX(classes, i, dsc_nport_class_t);
        const dsc_nport_value_t list[] = {
            {"class_id", class->class_id},
            {"series_id", class->series_id},
            {"name", class->name},
            {"ticker", upper(load->pool, class->ticker)},
        };

        status = dsc_nport_add(load, load->pool, &dsc_dataset_fund_class,
                               apr_pstrcat(load->pool, "header: class ", class->class_id, NULL),
                               class->class_id, NULL, list, DSC_COUNT(list));
    }
    return status;
}

/* What the header tells of the time goes to what is stored of the report without; else the time
 * that the document was due, to other copies of it. */
static apr_status_t store_dates(const dsc_nport_load_t *load)
{
    const char *told[] = {load->accession, load->filed_on, load->accepted_at};
    const char *due[] = {load->accession, load->known_at};
    int is_told = load->filed_on || load->accepted_at;

    if (!load->accession || (!is_told && !load->is_stored)) {
        return APR_SUCCESS;
    }
    return dsc_loader_before_merge(
        load->loader,
        is_told ? "SELECT dataset, changed_issuer FROM disclosed.tell_fund_report_dates($1, $2, $3)"
                : "SELECT dataset, changed_issuer FROM disclosed.redate_fund_copies($1, $2)",
        is_told ? DSC_COUNT(told) : DSC_COUNT(due), is_told ? told : due);
}

/* Reports, in the run's message, the total of the holdings and the stated assets; and also at the
 * terminal, which of them have no listing. */
static apr_status_t note_totals(const dsc_nport_load_t *load)
{
    const char *parameters[] = {load->report->cik, load->record_key, dsc_loader_run_of_file};
    apr_status_t status = dsc_loader_after_merge(
        load->loader,
        "UPDATE disclosed.import_run SET message = disclosed.totals_of_fund_report($1, $2)"
        " WHERE import_run_id = $3",
        DSC_COUNT(parameters), parameters);

    if (status == APR_SUCCESS) {
        status = dsc_loader_note_after(load->loader, "SELECT disclosed.unlisted_holdings($1, $2)",
                                       2, parameters);
    }
    return status == APR_SUCCESS && dsc_loader_rejected(load->loader) > 0
               ? dsc_loader_note_after(load->loader,
                                       "SELECT disclosed.note_of_rejected_report($1, $2)", 2,
                                       parameters)
               : status;
}

static apr_status_t take_holding(void *baton, apr_pool_t *pool, const dsc_nport_holding_t *holding)
{
    return dsc_nport_add_holding(baton, pool, holding);
}

/* What is to be done with what is stored, besides; `has_holdings`: whether any of the document's
 * was staged. */
static apr_status_t replace_stored(const load_t *one, int has_holdings)
{
    const dsc_nport_load_t *load = &one->records;
    dsc_nport_wholes_t whole;
    apr_status_t status;

    dsc_nport_wholes_init(&whole, load->pool);
    dsc_nport_wholes_add(&whole, load, has_holdings, dsc_loader_rejected(load->loader));
    if ((status = dsc_loader_whole(load->loader, &dsc_dataset_fund, load->report->cik,
                                   load->accession)) != APR_SUCCESS ||
        (status = store_dates(load)) != APR_SUCCESS ||
        (status = dsc_nport_replace_set(load)) != APR_SUCCESS ||
        (status = dsc_nport_end_left_out(load->loader, &whole)) != APR_SUCCESS ||
        (status = dsc_name_document(load->loader, one->submission->filed.digest, load->accession,
                                    0)) != APR_SUCCESS) {
        return status;
    }
    return note_totals(load);
}

/* Adds what a document says that has been read to its end. */
static apr_status_t add_document(load_t *one, const char *name, const char **reason)
{
    const dsc_xml_submission_t *filed = &one->submission->filed;
    dsc_nport_load_t *load = &one->records;
    long long staged, rejected;
    apr_status_t status;

    load->filed_on = filed->filed_on;
    load->accepted_at = filed->accepted_at;
    if ((status = dsc_data_set_lock(load->loader, DSC_NPORT_LOCK, 0)) != APR_SUCCESS ||
        (status = identify(one, name)) != APR_SUCCESS ||
        (status = dsc_nport_find_stored(load)) != APR_SUCCESS ||
        (status = dsc_nport_add_report(load, "genInfo")) != APR_SUCCESS ||
        (status = add_classes(one)) != APR_SUCCESS) {
        return status;
    }
    staged = dsc_loader_staged(load->loader);
    rejected = dsc_loader_rejected(load->loader);
    status = dsc_nport_walk(load->pool, &filed->xml, filed->first_line, take_holding, load, reason);
    if (status != APR_SUCCESS || load->is_rejected) {
        return status;
    }
    if (load->is_of_set && dsc_loader_rejected(load->loader) > rejected) {
        *reason = "holdings of it are rejected: those stand that a data set has of its report";
        return APR_EGENERAL;
    }
    return replace_stored(one, dsc_loader_staged(load->loader) > staged);
}

static apr_status_t load_document(dsc_loader_t *loader, dsc_import_file_t *file,
                                  const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    dsc_nport_submission_t submission;
    load_t one = {.records = {.loader = loader, .pool = pool}, .submission = &submission};
    const dsc_spool_t *spool = dsc_spool_file(pool, file, largest_file, reason);
    dsc_piece_t whole;

    if (!spool) {
        return APR_EGENERAL;
    }
    whole = dsc_spool_piece(spool);
    if (!dsc_nport_find(pool, &whole, &submission, reason)) {
        return APR_EGENERAL;
    }
    one.records.report =
        dsc_nport_parse(pool, &submission.filed.xml, submission.filed.first_line, reason);
    return one.records.report ? add_document(&one, file->name, reason) : APR_EGENERAL;
}

apr_status_t dsc_load_sec_nport(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason)
{
    const char *name = dsc_import_base_name(file->inside);

    return dsc_is_table_file(name, dsc_nport_tables[0].name)
               ? dsc_load_nport_set(loader, file, reason)
           : dsc_nport_set_has(name)
               ? dsc_load_with_table(loader, file, dsc_nport_tables[0].name, reason)
               : load_document(loader, file, reason);
}
