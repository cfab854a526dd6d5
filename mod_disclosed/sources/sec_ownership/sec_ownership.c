/* Importer of Forms 3, 4 and 5 and their amendments. A row is identified by its accession number,
 * table and position, so an edited copy of a report makes new versions of the same records. A
 * document without an accession number is identified by the digest of its content. If the same
 * content has an accession number too, now or later, the record with that number stands, and the
 * other is closed as of its beginning (sql: reconcile_reports). */
#include "sources/importers.h"
#include "sources/sec_ownership/ownership_document.h"
#include "sources/sec_ownership/ownership_precedence.h"
#include "sources/sec_ownership/ownership_report.h"
#include "sources/sec_ownership/ownership_set.h"
#include "sources/shared/filing_record.h"
#include "sources/shared/ownership_submission.h"

#include "formats/import_location.h"
#include "datasets/datasets.h"
#include "loader/loader_value.h"
#include "loader/named_document.h"
#include "sources/shared/report_tables.h"
#include "sources/shared/xml_submission.h"

#include <apr_strings.h>
#include <string.h>

enum {
    LARGEST_FORM = 4 << 20, /* bytes of XML: its tree takes nine times as many */
    DIGEST_DIGITS = 32      /* of the content hash, in record keys */
};

int dsc_accept_sec_ownership(const char *name)
{
    return dsc_is_xml_submission_name(name) || dsc_ownership_set_has(name);
}

/* ------------------------------------------------------- accession and dates */

/* The accession number of a document that came without one, if its content is known by one. */
static apr_status_t find_accession(dsc_ownership_report_t *report)
{
    static const char sql[] = "SELECT disclosed.accession_of_report($1, $2)";
    const char *parameters[] = {report->document->issuer_cik, report->document->digest};
    PGresult *result;
    apr_status_t status = dsc_loader_repeat(report->loader, sql, 2, parameters, &result);

    if (status == APR_SUCCESS) {
        if (!PQgetisnull(result, 0, 0)) {
            report->accession = apr_pstrdup(report->pool, PQgetvalue(result, 0, 0));
        }
        PQclear(result);
    }
    return status;
}

/* When the report was filed and public: best known by its filing, then by the submission's header,
 * by what was loaded of it before, and last by its signatures, never by its period, which is over
 * before it is public. Taking what is known already keeps a second import from changing anything.
 * And whether a data set has said what is stored. */
static apr_status_t find_stored(dsc_ownership_report_t *report,
                                const dsc_ownership_submission_t *submission)
{
    static const char sql[] =
        "SELECT to_char(known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'),"
        " filing_date, is_of_set, by_signature FROM disclosed.stored_report($1, $2, $3, $4)";
    const dsc_ownership_document_t *document = report->document;
    const char *parameters[] = {report->accession, submission->accepted_at, submission->filed_on,
                                document->signature_date};
    PGresult *result;
    apr_status_t status = dsc_loader_repeat(report->loader, sql, 4, parameters, &result);

    if (status == APR_SUCCESS && PQntuples(result) == 1) {
        if (!PQgetisnull(result, 0, 0) && !PQgetisnull(result, 0, 1)) {
            report->known_at = apr_pstrdup(report->pool, PQgetvalue(result, 0, 0));
            report->filing_date = apr_pstrdup(report->pool, PQgetvalue(result, 0, 1));
        }
        report->is_of_set = *PQgetvalue(result, 0, 2) == 't';
        report->by_signature = *PQgetvalue(result, 0, 3) == 't';
    }
    if (status == APR_SUCCESS) {
        PQclear(result);
    }
    return status;
}

/* The first reporting owner that the submission's header names and the form does not; NULL: none.
 * The first one of the form is the insider of its rows, so that an owner who is lost would make
 * another one of them. */
static const char *lost_owner(const dsc_ownership_document_t *document,
                              const apr_array_header_t *named)
{
    for (int i = 0; named && i < named->nelts; i++) {
        const char *cik = APR_ARRAY_IDX(named, i, const char *);
        int k = 0;

        while (k < document->owners->nelts) {
            const char *owner = APR_ARRAY_IDX(document->owners, k, dsc_reporting_owner_t).cik;

            if (owner && strcmp(owner, cik) == 0) {
                break;
            }
            k++;
        }
        if (k == document->owners->nelts) {
            return cik;
        }
    }
    return NULL;
}

/* What the submission's header says otherwise than the form, which EDGAR has made it of; NULL:
 * nothing. */
static const char *header_error(apr_pool_t *pool, const dsc_ownership_document_t *document,
                                const dsc_ownership_submission_t *submission)
{
    const char *lost = lost_owner(document, submission->owners);

    if (submission->form && strcmp(submission->form, document->form) != 0) {
        return apr_psprintf(pool, "the header says %.40s, the document %.40s", submission->form,
                            document->form);
    }
    for (int i = 0; submission->issuers && i < submission->issuers->nelts; i++) {
        const char *cik = APR_ARRAY_IDX(submission->issuers, i, const char *);

        if (strcmp(cik, document->issuer_cik) != 0) {
            return apr_psprintf(pool, "the header names issuer %.10s, the form %.10s", cik,
                                document->issuer_cik);
        }
    }
    if (submission->period && document->period_of_report &&
        strcmp(submission->period, document->period_of_report) != 0) {
        return apr_psprintf(pool, "the header says period of report %.10s, the form %.10s",
                            submission->period, document->period_of_report);
    }
    return lost ? apr_psprintf(pool, "the header names reporting owner %.10s, the form does not",
                               lost)
                : NULL;
}

/* What other files state of the same report. What a document without an accession number states of
 * its owners is stored for everything that is merged with it. */
static apr_status_t meet(const dsc_ownership_report_t *report)
{
    apr_status_t status = dsc_loader_meets(report->loader, report->document->digest);

    if (status == APR_SUCCESS) {
        status = report->accession ? dsc_loader_meets(report->loader, report->accession)
                                   : dsc_loader_alone(report->loader);
    }
    return status;
}

static apr_status_t identify(dsc_ownership_report_t *report,
                             const dsc_ownership_submission_t *submission, const char *file_name,
                             const char **reason)
{
    int is_dated = report->document->signature_date || submission->filed_on;
    apr_status_t status = APR_SUCCESS;

    *reason = header_error(report->pool, report->document, submission);
    if (*reason) {
        return APR_EGENERAL;
    }
    if (!is_dated) {
        *reason =
            "neither a filing date nor a signature date is given: when it was public is not known";
        return APR_EGENERAL;
    }
    *reason = dsc_dates_error(submission->accepted_at, submission->filed_on);
    if (*reason) {
        return APR_EGENERAL;
    }
    report->accession = submission->accession ? submission->accession
                                              : dsc_accession_of_name(report->pool, file_name);
    report->digest_name =
        apr_pstrmemdup(report->pool, report->document->digest, strlen("sha256:") + DIGEST_DIGITS);
    status = dsc_data_set_lock(report->loader, DSC_OWNERSHIP_LOCK, 0);
    if (status == APR_SUCCESS) {
        status = meet(report);
    }
    if (status == APR_SUCCESS && !report->accession) {
        status = find_accession(report);
    }
    if (status == APR_SUCCESS) {
        status = find_stored(report, submission);
    }
    return status;
}

/* After the merge: dates of what was loaded of this report before, and a second identity closed. */
static apr_status_t reconcile(const dsc_ownership_report_t *report)
{
    static const char sql[] =
        "SELECT dataset, changed_issuer, place FROM disclosed.reconcile_reports($1::bigint[], $2,"
        " $3::timestamptz[], $4::date[], $5, $6, $7, $8, $9::boolean[], $10::boolean[])";
    const apr_array_header_t *rows = report->document->rows;
    apr_array_header_t *keys = apr_array_make(report->pool, rows->nelts, sizeof(const char *));
    const char *parameters[] = {report->document->issuer_cik,
                                report->accession,
                                report->known_at,
                                report->filing_date,
                                report->document->digest,
                                NULL,
                                report->document->issuer_name,
                                dsc_ownership_person_keys(report),
                                dsc_loader_rejected(report->loader) == 0 ? dsc_loader_all_merged
                                                                         : "f",
                                report->by_signature ? "t" : "f"};

    for (int i = 0; i < rows->nelts; i++) {
        const dsc_ownership_row_t *row = &APR_ARRAY_IDX(rows, i, dsc_ownership_row_t);

        APR_ARRAY_PUSH(keys, const char *) =
            dsc_ownership_row_key(report, report->digest_name, row);
    }
    parameters[5] = dsc_texts_literal(report->pool, keys->nelts, (const char *const *)keys->elts);
    return dsc_loader_after_together(report->loader, sql, DSC_COUNT(parameters), parameters);
}

/* What other copies have said is public since this one says, before it is merged. */
static apr_status_t date_stored(const dsc_ownership_report_t *report)
{
    static const char sql[] = "SELECT dataset, changed_issuer FROM disclosed.date_staged_forms()";

    return report->accession ? dsc_loader_before_merge_once(report->loader, sql) : APR_SUCCESS;
}

/* What a document without an accession number says of its owners is known by the document. */
static apr_status_t store_document(const dsc_ownership_report_t *report)
{
    static const char sql[] = "SELECT dataset, changed_issuer FROM disclosed.tell_document($1)";

    return report->accession
               ? APR_SUCCESS
               : dsc_loader_before_merge(report->loader, sql, 1, &report->document->digest);
}

static apr_status_t add_report(const dsc_ownership_report_t *report)
{
    apr_status_t status = store_document(report);

    if (status == APR_SUCCESS) {
        status = dsc_ownership_replace_set(report);
    }
    if (status == APR_SUCCESS) {
        status = date_stored(report);
    }
    if (status == APR_SUCCESS) {
        status = dsc_ownership_add(report);
    }
    if (status == APR_SUCCESS) {
        status = dsc_loader_whole(report->loader, &dsc_dataset_insider,
                                  report->document->issuer_cik, report->accession);
    }
    if (status == APR_SUCCESS) {
        status = dsc_loader_whole(report->loader, &dsc_dataset_insider_holding,
                                  report->document->issuer_cik, report->accession);
    }
    if (status == APR_SUCCESS) {
        status = dsc_yield_damaged_copies(report->loader, report->document->issuer_cik,
                                          report->document->digest, report->accession);
    }
    return status == APR_SUCCESS ? reconcile(report) : status;
}

static apr_status_t load_document(dsc_loader_t *loader, dsc_import_file_t *file,
                                  const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    dsc_ownership_report_t report = {.loader = loader, .pool = pool};
    dsc_ownership_submission_t submission;
    size_t length;
    const char *bytes = dsc_import_read_all(file, pool, DSC_LARGEST_WHOLE, &length, reason);
    apr_status_t status;

    if (!bytes || !dsc_ownership_find(pool, bytes, length, &submission, reason)) {
        return APR_EGENERAL;
    }
    if (submission.length > LARGEST_FORM) {
        *reason = "the form is larger than 4 MB, which none is";
        return APR_EGENERAL;
    }
    report.document =
        dsc_ownership_parse(pool, submission.xml, submission.length, submission.first_line, reason);
    if (!report.document) {
        return APR_EGENERAL;
    }
    if (report.document->remark) {
        dsc_loader_note(loader, report.document->remark);
    }
    status = identify(&report, &submission, file->name, reason);
    return status == APR_SUCCESS ? add_report(&report) : status;
}

apr_status_t dsc_load_sec_ownership(dsc_loader_t *loader, dsc_import_file_t *file,
                                    const char **reason)
{
    const char *name = dsc_import_base_name(file->inside);

    return dsc_ownership_set_leads(name) ? dsc_load_ownership_set(loader, file, reason)
           : dsc_ownership_set_has(name)
               ? dsc_load_with_table(loader, file, dsc_ownership_tables[0].name, reason)
               : load_document(loader, file, reason);
}
