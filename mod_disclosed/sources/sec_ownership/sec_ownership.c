/* Importer of Forms 3, 4 and 5 and their amendments.
 *
 * Which record a row is: its accession number, table and place. An edited copy of a report thus
 * makes new versions of the same records. A document that comes without an accession number goes
 * by the digest of its content; when the same content has an accession number too, now or later,
 * that one stands and the other is closed as of its beginning (sql: settle_report). */
#include "sources/importers.h"
#include "sources/sec_ownership/ownership_document.h"
#include "sources/sec_ownership/ownership_people.h"
#include "sources/shared/ownership_submission.h"

#include "datasets/datasets.h"
#include "engine/decimal_multiply.h"
#include "loader/loader_value.h"
#include "loader/named_document.h"
#include "sources/shared/filing_record.h"
#include "sources/shared/xml_submission.h"

#include <apr_strings.h>
#include <string.h>

enum {
    LARGEST_FORM = 4 << 20, /* bytes of XML: its tree takes nine times as many */
    DIGEST_DIGITS = 32      /* of the content hash, in record keys */
};

/* What is the same for all records of a report. */
typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const dsc_ownership_document_t *document;
    const char *accession; /* NULL: none known */
    const char *known_at, *filing_date;
    const char *digest_name; /* "sha256:<32 hex>", in place of an accession number */
} report_t;

int dsc_accept_sec_ownership(const char *name)
{
    return dsc_is_xml_submission_name(name);
}

/* ------------------------------------------------------- accession and dates */

/* The accession number of a document that came without one, where its content is known by one. */
static apr_status_t find_accession(report_t *report)
{
    static const char sql[] = "SELECT disclosed.accession_of_report($1, $2)";
    const char *parameters[] = {report->document->issuer_cik, report->document->digest};
    PGresult *result;
    apr_status_t status = dsc_loader_query(report->loader, sql, 2, parameters, &result);

    if (status == APR_SUCCESS) {
        if (!PQgetisnull(result, 0, 0)) {
            report->accession = apr_pstrdup(report->pool, PQgetvalue(result, 0, 0));
        }
        PQclear(result);
    }
    return status;
}

/* When the report was filed and public: best known by its filing, then by the submission's header, by what was
 * loaded of it before, and last by its signatures, never by its period, which is over before it is public. Taking
 * what is known already keeps a second import from changing anything. */
static apr_status_t find_dates(report_t *report, const dsc_ownership_submission_t *submission)
{
    static const char sql[] =
        "SELECT to_char(known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'),"
        " filing_date"
        " FROM disclosed.dates_of_report($1, $2, $3, $4)";
    const dsc_ownership_document_t *document = report->document;
    const char *parameters[] = {report->accession, submission->accepted_at, submission->filed_on,
                                document->signature_date};
    PGresult *result;
    apr_status_t status = dsc_loader_query(report->loader, sql, 4, parameters, &result);

    if (status == APR_SUCCESS) {
        if (!PQgetisnull(result, 0, 0) && !PQgetisnull(result, 0, 1)) {
            report->known_at = apr_pstrdup(report->pool, PQgetvalue(result, 0, 0));
            report->filing_date = apr_pstrdup(report->pool, PQgetvalue(result, 0, 1));
        }
        PQclear(result);
    }
    return status;
}

/* The first reporting owner that the submission's header names and the form does not; NULL: none. The first one of
 * the form is the insider of its rows, so that an owner who is lost would make another one of them. */
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

static apr_status_t identify(report_t *report, const dsc_ownership_submission_t *submission,
                             const char *file_name, const char **reason)
{
    int is_dated = report->document->signature_date || submission->filed_on;
    const char *lost = lost_owner(report->document, submission->owners);
    apr_status_t status = APR_SUCCESS;

    if (lost) {
        *reason = apr_psprintf(report->pool,
                               "the header names reporting owner %.10s, the form does not", lost);
        return APR_EGENERAL;
    }
    if (!is_dated) {
        *reason =
            "neither a filing date nor a signature date is given: when it was public is not known";
        return APR_EGENERAL;
    }
    report->accession = submission->accession ? submission->accession
                                              : dsc_accession_of_name(report->pool, file_name);
    report->digest_name =
        apr_pstrmemdup(report->pool, report->document->digest, strlen("sha256:") + DIGEST_DIGITS);
    if (!report->accession) {
        status = find_accession(report);
    }
    if (status == APR_SUCCESS) {
        status = find_dates(report, submission);
    }
    return status;
}

/* -------------------------------------------------------------------- records */

static void fill_record(const report_t *report, dsc_load_record_t *record, const char *location)
{
    const dsc_ownership_document_t *document = report->document;

    memset(record, 0, sizeof *record);
    record->location = location;
    record->cik = document->issuer_cik;
    record->issuer_name = document->issuer_name;
    record->known_at = report->known_at;
    record->provenance.provider = "sec";
    record->provenance.accession = report->accession;
    if (report->accession) {
        record->provenance.url =
            dsc_filing_url(report->pool, document->issuer_cik, report->accession, NULL);
    }
}

static const char *type_of_code(const char *code)
{
    for (const dsc_transaction_code_t *known = dsc_transaction_codes; known->code; known++) {
        if (strcmp(known->code, code) == 0) {
            return known->type;
        }
    }
    return NULL;
}

static const char *ownership_text(const char *code)
{
    if (!code) {
        return NULL;
    }
    return strcmp(code, "D") == 0 ? "direct" : strcmp(code, "I") == 0 ? "indirect" : NULL;
}

/* What the checks of single values cannot see; NULL when all is well. */
static const char *row_error(apr_pool_t *pool, const dsc_ownership_row_t *row)
{
    if (row->error) {
        return row->error;
    }
    if (row->transaction_code && !type_of_code(row->transaction_code)) {
        return apr_psprintf(pool, "transactionCode \"%.80s\" is not a transaction code",
                            row->transaction_code);
    }
    if (row->ownership && !ownership_text(row->ownership)) {
        return apr_psprintf(pool, "directOrIndirectOwnership \"%.80s\" is neither D nor I",
                            row->ownership);
    }
    return NULL;
}

/* "N/2", "D/1" for transactions, "NH/1", "DH/3" for holdings. */
static const char *row_key(apr_pool_t *pool, const dsc_ownership_row_t *row)
{
    return apr_psprintf(pool, "%s%s/%d", row->is_derivative ? "D" : "N", row->is_holding ? "H" : "",
                        row->number);
}

/* The names of all owners but the first, as an array; NULL when there is one alone. */
static const char *joint_owners(const report_t *report)
{
    const apr_array_header_t *owners = report->document->owners;
    apr_array_header_t *names = apr_array_make(report->pool, owners->nelts, sizeof(const char *));

    for (int i = 1; i < owners->nelts; i++) {
        const char *name = APR_ARRAY_IDX(owners, i, dsc_reporting_owner_t).name;

        if (name) {
            APR_ARRAY_PUSH(names, const char *) = name;
        }
    }
    return names->nelts > 0
               ? dsc_texts_literal(report->pool, names->nelts, (const char *const *)names->elts)
               : NULL;
}

typedef struct {
    const char *column, *text;
} value_t;

static void set_values(const dsc_dataset_t *dataset, const char **values, const value_t *list,
                       int count)
{
    for (int i = 0; i < count; i++) {
        dsc_load_set(dataset, values, list[i].column, list[i].text);
    }
}

/* The columns that transactions and holdings share. */
static void set_common(const report_t *report, const dsc_ownership_row_t *row,
                       const dsc_dataset_t *dataset, const char **values)
{
    const dsc_ownership_document_t *document = report->document;
    const dsc_reporting_owner_t *owner = &APR_ARRAY_IDX(document->owners, 0, dsc_reporting_owner_t);
    const value_t list[] = {
        {"form", document->form},
        {"period_of_report", document->period_of_report},
        {"original_filing_date", document->original_filing_date},
        {"owner_cik", owner->cik},
        {"insider_name", owner->name},
        {"relationship", dsc_relationship_text(report->pool, owner)},
        {"joint_owners", joint_owners(report)},
        {"is_derivative", row->is_derivative ? "t" : "f"},
        {"security_title", row->security_title},
        {"ownership", ownership_text(row->ownership)},
        {"ownership_nature", row->ownership_nature},
        {"conversion_price", row->conversion_price},
        {"exercise_date", row->exercise_date},
        {"expiration_date", row->expiration_date},
        {"underlying_title", row->underlying_title},
        {"underlying_shares", row->underlying_shares},
        {"footnotes", row->footnotes},
        {"remarks", report->document->remarks},
        {"filing_date", report->filing_date},
    };

    set_values(dataset, values, list, DSC_COUNT(list));
}

/* A form may state the total value of a transaction in place of a number of shares. */
static void set_transaction(const report_t *report, const dsc_ownership_row_t *row,
                            const dsc_dataset_t *dataset, const char **values)
{
    const value_t list[] = {
        {"transaction_code", row->transaction_code},
        {"transaction_type",
         row->transaction_code ? type_of_code(row->transaction_code) : "unknown"},
        {"acquired_disposed", row->acquired_disposed},
        {"shares", row->shares},
        {"price", row->price},
        {"value", row->total_value ? row->total_value
                                   : dsc_decimal_multiply(report->pool, row->shares, row->price)},
        {"shares_owned_after", row->shares_owned},
        {"value_owned_after", row->value_owned},
        {"equity_swap", row->equity_swap},
        {"rule_10b5_1", report->document->rule_10b5_1},
        {"timeliness", row->timeliness},
        {"transaction_date", row->transaction_date},
    };

    set_values(dataset, values, list, DSC_COUNT(list));
}

static apr_status_t add_row(const report_t *report, const dsc_ownership_row_t *row)
{
    const dsc_dataset_t *dataset =
        row->is_holding ? &dsc_dataset_insider_holding : &dsc_dataset_insider;
    const char **values = dsc_load_values(report->pool, dataset);
    const char *error = row_error(report->pool, row);
    dsc_load_record_t record;

    if (error) {
        return dsc_loader_reject(report->loader, row->location, error, row->sample);
    }
    fill_record(report, &record, row->location);
    record.record_key =
        apr_pstrcat(report->pool, report->accession ? report->accession : report->digest_name, "/",
                    row_key(report->pool, row), NULL);
    record.provenance.quote = row->quote;
    set_common(report, row, dataset, values);
    if (row->is_holding) {
        dsc_load_set(dataset, values, "shares_owned", row->shares_owned);
        dsc_load_set(dataset, values, "value_owned", row->value_owned);
    } else {
        set_transaction(report, row, dataset, values);
    }
    record.values = values;
    return dsc_loader_add(report->loader, dataset, &record);
}

/* Every owner is staged: one who is neither officer nor director may have been before, and a form
 * that says so may arrive later. Who never was is taken out of sight by find_wanted_executives(). */
static apr_status_t add_person(const report_t *report, const dsc_reporting_owner_t *owner)
{
    const dsc_dataset_t *dataset = &dsc_dataset_executive;
    const char **values = dsc_load_values(report->pool, dataset);
    int is_current =
        (owner->is_officer || owner->is_director) && !report->document->no_longer_subject;
    const value_t list[] = {
        {"person_cik", owner->cik},
        {"name", owner->name},
        {"role", dsc_owner_role(report->pool, owner)},
        {"category", "executives"},
        {"person_rank", apr_itoa(report->pool, dsc_owner_rank(owner))},
        {"is_current", is_current ? "t" : "f"},
        {"reported_on", report->filing_date},
    };
    dsc_load_record_t record;

    if (owner->error) {
        return dsc_loader_reject(report->loader, owner->location, owner->error, owner->name);
    }
    fill_record(report, &record, owner->location);
    record.record_key = apr_pstrcat(report->pool, "executives/", owner->cik, NULL);
    set_values(dataset, values, list, DSC_COUNT(list));
    record.values = values;
    return dsc_loader_add(report->loader, dataset, &record);
}

/* After the merge: dates of what was loaded of this report before, and a second identity closed. */
static apr_status_t settle(const report_t *report)
{
    static const char sql[] = "SELECT dataset, changed_issuer FROM disclosed.settle_report($1, $2,"
                              " $3, $4, $5, $6, $7)";
    const apr_array_header_t *rows = report->document->rows;
    apr_array_header_t *keys = apr_array_make(report->pool, rows->nelts, sizeof(const char *));
    const char *parameters[] = {
        report->document->issuer_cik, report->accession,        report->known_at,
        report->filing_date,          report->document->digest, NULL,
        report->document->issuer_name};
    apr_status_t status;

    for (int i = 0; i < rows->nelts; i++) {
        const dsc_ownership_row_t *row = &APR_ARRAY_IDX(rows, i, dsc_ownership_row_t);

        APR_ARRAY_PUSH(keys, const char *) =
            apr_pstrcat(report->pool, report->digest_name, "/", row_key(report->pool, row), NULL);
    }
    parameters[5] = dsc_texts_literal(report->pool, keys->nelts, (const char *const *)keys->elts);
    status = dsc_name_document(report->loader, report->document->digest, report->accession);
    return status == APR_SUCCESS
               ? dsc_loader_after_merge(report->loader, sql, DSC_COUNT(parameters), parameters)
               : status;
}

/* What a document without an accession number says of its owners is known by the document. */
static apr_status_t tell_document(const report_t *report)
{
    static const char sql[] = "SELECT dataset, changed_issuer FROM disclosed.tell_document($1)";

    return report->accession
               ? APR_SUCCESS
               : dsc_loader_before_merge(report->loader, sql, 1, &report->document->digest);
}

static apr_status_t add_report(const report_t *report)
{
    const dsc_ownership_document_t *document = report->document;
    apr_status_t status = tell_document(report);

    for (int i = 0; i < document->rows->nelts && status == APR_SUCCESS; i++) {
        status = add_row(report, &APR_ARRAY_IDX(document->rows, i, dsc_ownership_row_t));
    }
    for (int i = 0; i < document->owners->nelts && status == APR_SUCCESS; i++) {
        status = add_person(report, &APR_ARRAY_IDX(document->owners, i, dsc_reporting_owner_t));
    }
    return status == APR_SUCCESS ? settle(report) : status;
}

apr_status_t dsc_load_sec_ownership(dsc_loader_t *loader, dsc_import_file_t *file,
                                    const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    report_t report = {loader, pool, NULL, NULL, NULL, NULL, NULL};
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
