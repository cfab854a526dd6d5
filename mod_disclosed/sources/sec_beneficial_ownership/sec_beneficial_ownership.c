/* Importer of Schedules 13D and 13G and their amendments. A row is identified by the accession
 * number and the reporting person's name, which appears once in a filing. A document without an
 * accession number is identified by the digest of its content. If the same content has an
 * accession number too, now or later, the record with that number stands, and the other is closed
 * as of its beginning (sql: reconcile_schedule). */
#include "sources/importers.h"
#include "sources/sec_beneficial_ownership/beneficial_document.h"
#include "sources/shared/ownership_submission.h"
#include "sources/shared/xml_submission.h"

#include "datasets/datasets.h"
#include "loader/loader_value.h"
#include "loader/named_document.h"
#include "sources/shared/filing_record.h"

#include <apr_strings.h>
#include <string.h>

static const apr_uint64_t largest_file = (apr_uint64_t)1 << 30;

enum {
    LARGEST_SCHEDULE =
        8 << 20, /* bytes of XML: 100 persons with a comment of 20,000 characters are a quarter */
    DIGEST_DIGITS = 32 /* of the content hash, in record keys */
};

/* What is the same for all records of a filing. */
typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const dsc_beneficial_document_t *document;
    const dsc_xml_submission_t *submission;
    const char *accession;   /* NULL: none known */
    const char *digest_name; /* "sha256:<32 hex>", in place of an accession number */
    const char *known_at, *filing_date;
    int by_signature; /* nothing better says when it was filed */
} filing_t;

int dsc_accept_sec_beneficial_ownership(const char *name)
{
    return dsc_is_xml_submission_name(name);
}

/* ------------------------------------------------------------------- reading */

/* All bytes of a piece; NULL and *reason. */
static const char *bytes_of(apr_pool_t *pool, const dsc_piece_t *piece, const char **reason)
{
    char *bytes;

    if (piece->length > LARGEST_SCHEDULE) {
        *reason = "the schedule is larger than 8 MB, which none is";
        return NULL;
    }
    bytes = apr_palloc(pool, (apr_size_t)piece->length + 1);
    if (dsc_piece_read(piece, 0, bytes, (size_t)piece->length) != (long)piece->length) {
        *reason = "the temporary file cannot be read";
        return NULL;
    }
    return bytes;
}

/* What is wrong with the document beside its submission, if it came in one: its subject company is
 * the issuer of the document. NULL: nothing. */
static const char *document_error(apr_pool_t *pool, const dsc_beneficial_document_t *document,
                                  const dsc_xml_submission_t *submission)
{
    const apr_array_header_t *subjects;

    if (submission->form && strcmp(submission->form, document->form) != 0) {
        return apr_psprintf(pool, "the header says %.40s, the document %.40s", submission->form,
                            document->form);
    }
    subjects = submission->header ? dsc_header_subjects(pool, submission->header) : NULL;
    for (int i = 0; subjects && i < subjects->nelts; i++) {
        const char *cik = APR_ARRAY_IDX(subjects, i, const char *);

        if (strcmp(cik, document->issuer_cik) != 0) {
            return apr_psprintf(pool, "the header names subject company %.10s, the document %.10s",
                                cik, document->issuer_cik);
        }
    }
    if (dsc_dates_error(submission->accepted_at, submission->filed_on)) {
        return dsc_dates_error(submission->accepted_at, submission->filed_on);
    }
    return document->signed_on || submission->filed_on
               ? NULL
               : "neither a filing date nor a date of signing is given: when it was public is not "
                 "known";
}

/* Older schedules are text, and have other names. */
static const char *form_error(apr_pool_t *pool, const char *form)
{
    static const char schedules[] = "SCHEDULE 13";

    return form && strncmp(form, schedules, strlen(schedules)) != 0
               ? apr_psprintf(pool,
                              "the submission is a %.40s, no SCHEDULE 13D or 13G, as they are "
                              "called since they are XML",
                              form)
               : NULL;
}

/* The document of the file; NULL and *reason. */
static const dsc_beneficial_document_t *read_document(apr_pool_t *pool, dsc_import_file_t *file,
                                                      dsc_xml_submission_t *submission,
                                                      const char **reason)
{
    const dsc_spool_t *spool = dsc_spool_file(pool, file, largest_file, reason);
    const dsc_beneficial_document_t *document;
    const char *xml;
    dsc_piece_t whole;

    if (!spool) {
        return NULL;
    }
    whole = dsc_spool_piece(spool);
    if (!dsc_xml_submission_find(pool, &whole, submission, reason)) {
        return NULL;
    }
    *reason = form_error(pool, submission->form);
    xml = *reason ? NULL : bytes_of(pool, &submission->xml, reason);
    document = xml ? dsc_beneficial_parse(pool, xml, (size_t)submission->xml.length,
                                          submission->first_line, reason)
                   : NULL;
    if (document) {
        *reason = document_error(pool, document, submission);
    }
    return *reason ? NULL : document;
}

/* ------------------------------------------------------- accession and dates */

/* One row of texts, copied; NULL if the database says NULL. */
static apr_status_t ask(const filing_t *filing, const char *sql, int count,
                        const char *const *parameters, int columns, const char **values)
{
    PGresult *result;
    apr_status_t status = dsc_loader_repeat(filing->loader, sql, count, parameters, &result);

    if (status == APR_SUCCESS) {
        for (int i = 0; i < columns; i++) {
            values[i] = PQgetisnull(result, 0, i)
                            ? NULL
                            : apr_pstrdup(filing->pool, PQgetvalue(result, 0, i));
        }
        PQclear(result);
    }
    return status;
}

/* The accession number, by the file or by what is known of the same document, and when it was
 * public and filed: best known by its filing, then by the submission's header, by what was loaded
 * of it before, and last by its signatures. Taking what is known already keeps a second import from
 * changing anything. */
static apr_status_t identify(filing_t *filing, const char *file_name)
{
    const dsc_xml_submission_t *submission = filing->submission;
    const char *named[] = {filing->document->issuer_cik, submission->digest};
    const char *dated[] = {NULL, submission->accepted_at, submission->filed_on,
                           filing->document->signed_on};
    const char *dates[3] = {NULL, NULL, NULL};
    apr_status_t status = dsc_loader_meets(filing->loader, submission->digest);

    filing->digest_name =
        apr_pstrmemdup(filing->pool, submission->digest, strlen("sha256:") + DIGEST_DIGITS);
    filing->accession = submission->accession ? submission->accession
                                              : dsc_accession_of_name(filing->pool, file_name);
    if (status == APR_SUCCESS && filing->accession) {
        status = dsc_loader_meets(filing->loader, filing->accession);
    }
    if (status == APR_SUCCESS &&
        !filing->accession) { /* copies are looked for among its company's */
        status = dsc_loader_meets(filing->loader, apr_pstrcat(filing->pool, "schedules of ",
                                                              filing->document->issuer_cik, NULL));
    }
    if (status == APR_SUCCESS && !filing->accession) {
        status = ask(filing, "SELECT disclosed.accession_of_report($1, $2)", 2, named, 1,
                     &filing->accession);
    }
    dated[0] = filing->accession;
    if (status == APR_SUCCESS) {
        status =
            ask(filing,
                "SELECT to_char(known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'),"
                " filing_date, by_signature FROM disclosed.dates_of_schedule($1, $2, $3, $4)",
                DSC_COUNT(dated), dated, DSC_COUNT(dates), dates);
    }
    filing->known_at = dates[0];
    filing->filing_date = dates[1];
    filing->by_signature = dates[2] && *dates[2] == 't';
    return status;
}

/* ------------------------------------------------------------------- records */

static const char *record_key(const filing_t *filing, const char *name,
                              const dsc_beneficial_person_t *person)
{
    return apr_pstrcat(filing->pool, name, "/", person->name, NULL);
}

static void set_values(const filing_t *filing, const dsc_beneficial_person_t *person,
                       const char **values)
{
    const dsc_beneficial_document_t *document = filing->document;
    apr_pool_t *pool = filing->pool;
    const struct {
        const char *column, *text;
    } list[] = {
        {"form", document->form},
        {"amendment_number", document->amendment_number},
        {"previous_accession", document->previous_accession},
        {"event_date", document->event_date},
        {"filing_date", filing->filing_date},
        {"issuer_title", document->issuer_name},
        {"security_title", document->security_title},
        {"cusips", dsc_text_array(pool, document->cusips)},
        {"owner_cik", person->cik},
        {"owner_name", person->name},
        {"owner_types", dsc_text_array(pool, person->types)},
        {"citizenship", person->citizenship},
        {"group_membership", person->group},
        {"sole_voting_power", person->sole_voting},
        {"shared_voting_power", person->shared_voting},
        {"sole_dispositive_power", person->sole_dispositive},
        {"shared_dispositive_power", person->shared_dispositive},
        {"aggregate_amount", person->aggregate},
        {"excludes_shares", person->excludes_shares},
        {"percent_of_class", person->percent},
        {"rules", dsc_text_array(pool, document->rules)},
        {"fund_sources", dsc_text_array(pool, person->fund_sources)},
        {"fund_description", document->fund_description},
        {"purpose", document->purpose},
        {"comment", person->comment},
    };

    for (int i = 0; i < DSC_COUNT(list); i++) {
        dsc_load_set(&dsc_dataset_beneficial_owner, values, list[i].column, list[i].text);
    }
}

static apr_status_t add_person(const filing_t *filing, const dsc_beneficial_person_t *person)
{
    const dsc_dataset_t *dataset = &dsc_dataset_beneficial_owner;
    const char **values = dsc_load_values(filing->pool, dataset);
    dsc_load_record_t record;

    if (person->error) {
        return dsc_loader_reject(filing->loader, person->location, person->error, person->sample);
    }
    memset(&record, 0, sizeof record);
    record.location = person->location;
    record.cik = filing->document->issuer_cik;
    record.issuer_name = filing->document->issuer_name;
    record.record_key =
        record_key(filing, filing->accession ? filing->accession : filing->digest_name, person);
    record.known_at = filing->known_at;
    record.provenance.provider = "sec";
    record.provenance.accession = filing->accession;
    if (filing->accession) {
        record.provenance.url = dsc_filing_url(filing->pool, record.cik, filing->accession, NULL);
    }
    set_values(filing, person, values);
    record.values = values;
    return dsc_loader_add(filing->loader, dataset, &record);
}

/* After the merge: dates of what was loaded of this filing before, and a second identity closed. */
static apr_status_t reconcile(const filing_t *filing)
{
    static const char sql[] =
        "SELECT dataset, changed_issuer FROM disclosed.reconcile_schedule($1, $2,"
        " $3, $4, $5, $6, $7)";
    const apr_array_header_t *persons = filing->document->persons;
    apr_array_header_t *keys = apr_array_make(filing->pool, persons->nelts, sizeof(const char *));
    const char *parameters[] = {
        filing->document->issuer_cik, filing->accession,          filing->known_at,
        filing->filing_date,          filing->submission->digest, NULL,
        filing->document->issuer_name};
    apr_status_t status;

    for (int i = 0; i < persons->nelts; i++) {
        const dsc_beneficial_person_t *person = &APR_ARRAY_IDX(persons, i, dsc_beneficial_person_t);

        if (person->name) {
            APR_ARRAY_PUSH(keys, const char *) = record_key(filing, filing->digest_name, person);
        }
    }
    parameters[5] = dsc_texts_literal(filing->pool, keys->nelts, (const char *const *)keys->elts);
    status = dsc_name_document(filing->loader, filing->submission->digest, filing->accession,
                               filing->by_signature);
    return status == APR_SUCCESS
               ? dsc_loader_after_merge(filing->loader, sql, DSC_COUNT(parameters), parameters)
               : status;
}

apr_status_t dsc_load_sec_beneficial_ownership(dsc_loader_t *loader, dsc_import_file_t *file,
                                               const char **reason)
{
    static const char dates_sql[] =
        "SELECT dataset, changed_issuer FROM disclosed.date_staged_schedules()";
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    dsc_xml_submission_t submission;
    filing_t filing = {.loader = loader, .pool = pool, .submission = &submission};
    apr_status_t status;

    filing.document = read_document(pool, file, &submission, reason);
    if (!filing.document) {
        return APR_EGENERAL;
    }
    if (filing.document->remark) {
        dsc_loader_note(loader, filing.document->remark);
    }
    status = identify(&filing, file->name);
    if (status == APR_SUCCESS && filing.accession) {
        status = dsc_loader_before_merge_once(loader, dates_sql);
    }
    for (int i = 0; i < filing.document->persons->nelts && status == APR_SUCCESS; i++) {
        status = add_person(&filing,
                            &APR_ARRAY_IDX(filing.document->persons, i, dsc_beneficial_person_t));
    }
    if (status == APR_SUCCESS) {
        status = dsc_loader_whole(loader, &dsc_dataset_beneficial_owner,
                                  filing.document->issuer_cik, filing.accession);
    }
    if (status == APR_SUCCESS) {
        status = dsc_yield_damaged_copies(loader, filing.document->issuer_cik,
                                          filing.submission->digest, filing.accession);
    }
    return status == APR_SUCCESS ? reconcile(&filing) : status;
}
