/* Loading a data set of Forms 3, 4 and 5. */
#include "sources/sec_ownership/ownership_set.h"

#include "datasets/datasets.h"
#include "engine/shape.h"
#include "loader/loader_value.h"
#include "sources/sec_ownership/ownership_precedence.h"
#include "sources/sec_ownership/ownership_report.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_FORMS = 500,     /* that are dated at once */
    BATCH_BYTES = 2 << 20, /* and of their lines */
    LARGEST_FORM = 4 << 20 /* bytes of its lines */
};

/* Forms of which no line is rejected: const char *. */
typedef struct {
    apr_array_header_t *ciks, *accessions, *persons;
} whole_forms_t;

typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const dsc_report_tables_t *tables;
    const char *hashes[DSC_OWNERSHIP_TABLES];
    apr_array_header_t *accessions, *known, *filed; /* of the forms so far: const char * */
    whole_forms_t whole;
    apr_hash_t *names;            /* by CIK: named_t, of the latest form */
    long documented, passed_over; /* forms of which the document is loaded, their lines */
    long moved;                   /* those of them that the set dates otherwise */
    long textless, unreferenced;  /* forms with such footnotes */
} load_t;

/* What the latest form of an issuer calls it. */
typedef struct {
    const char *cik, *known_at, *name;
} named_t;

/* A form of the batch. */
typedef struct {
    const dsc_tables_report_t *report;
    dsc_ownership_form_t *form;
    const apr_array_header_t *lines;
    const char *known_at, *filed_on;
    int has_document;
    int is_moved;                     /* what is stored of its document has another date */
    int stored[DSC_OWNERSHIP_TABLES]; /* what is, as dsc_ownership_form_t.lines */
} dated_t;

static const char *array_of(apr_pool_t *pool, const apr_array_header_t *texts)
{
    return dsc_texts_literal(pool, texts->nelts, (const char *const *)texts->elts);
}

/* Rejects all lines of a form that is no good. */
static apr_status_t reject_form(const load_t *load, const apr_array_header_t *lines,
                                const char *accession, const char *reason)
{
    apr_status_t status = APR_SUCCESS;

    for (int i = 0; i < lines->nelts && status == APR_SUCCESS; i++) {
        status = dsc_loader_reject(load->loader, APR_ARRAY_IDX(lines, i, dsc_table_line_t).location,
                                   i == 0 ? reason : "its form is rejected", accession);
    }
    return status;
}

/* Reads a form into the batch, or rejects it. */
static apr_status_t read_form(const load_t *load, apr_pool_t *pool,
                              const dsc_tables_report_t *report, apr_array_header_t *batch,
                              const char **reason)
{
    apr_array_header_t *lines = dsc_report_tables_lines(load->tables, pool, report, reason);
    dsc_ownership_form_t *form = NULL;
    const char *error = NULL;

    if (!lines) {
        return APR_EGENERAL;
    }
    error = dsc_report_tables_damage(load->tables, pool, report, lines);
    if (!error && report->length > LARGEST_FORM) {
        error = "its lines come to more than 4 MB, which those of no form do";
    }
    if (!error) {
        form = dsc_ownership_form_read(pool, lines, load->hashes, &error);
    }
    if (!form) {
        return reject_form(load, lines, report->accession, error);
    }
    APR_ARRAY_PUSH(batch, dated_t) = (dated_t){.report = report, .form = form, .lines = lines};
    return APR_SUCCESS;
}

/* ------------------------------------------------------------------- dates */

/* What is stored of the form f: rows that a copy of it has. */
#define STORED_ROWS(table, is_holding)                                                             \
    "SELECT t.record_key, " is_holding " AS is_holding, t.is_derivative, t.footnotes,"             \
    " t.joint_owners, t.known_at, t.filing_date, t.superseded_at, t.source_id"                     \
    " FROM disclosed." table " t WHERE t.accession = f.accession AND t.left_out IS NOT TRUE"
#define STORED                                                                                     \
    "(" STORED_ROWS("insider_transaction", "false") " UNION ALL " STORED_ROWS("insider_holding",   \
                                                                              "true") ") t"

/* When the forms of the batch were public, whether their documents are loaded, and what is stored
 * of them. */
static apr_status_t date_batch(const load_t *load, apr_pool_t *pool, apr_array_header_t *batch)
{
    static const char sql[] =
        "SELECT to_char(d.known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'),"
        " d.filing_date,"
        " EXISTS (SELECT 1 FROM disclosed.named_document n WHERE n.accession = f.accession),"
        " EXISTS (SELECT 1 FROM " STORED
        " WHERE (t.known_at, t.filing_date) IS DISTINCT FROM (d.known_at, d.filing_date)), held.*"
        " FROM unnest($1::text[]) WITH ORDINALITY AS f(accession, place)"
        " JOIN disclosed.dates_of_reports($1::text[], NULL, $2::date[], NULL)"
        " WITH ORDINALITY AS d(known_at, filing_date, place) ON d.place = f.place"
        " CROSS JOIN LATERAL (SELECT"
        " coalesce(max(1 + coalesce(cardinality(t.joint_owners), 0)), 0), count(DISTINCT n.id),"
        " count(DISTINCT t.record_key) FILTER (WHERE NOT t.is_holding AND NOT t.is_derivative),"
        " count(DISTINCT t.record_key) FILTER (WHERE t.is_holding AND NOT t.is_derivative),"
        " count(DISTINCT t.record_key) FILTER (WHERE NOT t.is_holding AND t.is_derivative),"
        " count(DISTINCT t.record_key) FILTER (WHERE t.is_holding AND t.is_derivative)"
        " FROM " STORED " JOIN disclosed.source o USING (source_id)"
        " JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id"
        " AND r.source = 'sec-ownership'"
        " LEFT JOIN LATERAL (SELECT e ->> 'id' AS id FROM jsonb_array_elements(t.footnotes) e"
        " WHERE e ->> 'text' IS NOT NULL) n ON true"
        " WHERE t.superseded_at IS DISTINCT FROM t.known_at) held"
        " ORDER BY f.place";
    apr_array_header_t *accessions = apr_array_make(pool, batch->nelts, sizeof(const char *));
    apr_array_header_t *filed = apr_array_make(pool, batch->nelts, sizeof(const char *));
    const char *parameters[2];
    PGresult *result;
    apr_status_t status;

    for (int i = 0; i < batch->nelts; i++) {
        const dated_t *dated = &APR_ARRAY_IDX(batch, i, dated_t);

        APR_ARRAY_PUSH(accessions, const char *) = dated->report->accession;
        APR_ARRAY_PUSH(filed, const char *) = dated->form->filed_on;
    }
    parameters[0] = array_of(pool, accessions);
    parameters[1] = array_of(pool, filed);
    status = dsc_loader_query(load->loader, sql, DSC_COUNT(parameters), parameters, &result);
    if (status != APR_SUCCESS) {
        return status;
    }
    for (int i = 0; i < batch->nelts && i < PQntuples(result); i++) {
        dated_t *dated = &APR_ARRAY_IDX(batch, i, dated_t);

        dated->known_at = apr_pstrdup(load->pool, PQgetvalue(result, i, 0));
        dated->filed_on = apr_pstrdup(load->pool, PQgetvalue(result, i, 1));
        dated->has_document = *PQgetvalue(result, i, 2) == 't';
        dated->is_moved = *PQgetvalue(result, i, 3) == 't';
        for (int table = DSC_OWNERSHIP_TABLE_OWNERS; table < DSC_OWNERSHIP_TABLES; table++) {
            dated->stored[table] = atoi(PQgetvalue(result, i, 3 + table));
        }
    }
    PQclear(result);
    return APR_SUCCESS;
}

/* Keeps what the statements behind the merge need of a form. */
static void keep_form(load_t *load, const dated_t *dated)
{
    const dsc_ownership_document_t *document = &dated->form->document;
    named_t *named = apr_hash_get(load->names, document->issuer_cik, APR_HASH_KEY_STRING);

    APR_ARRAY_PUSH(load->accessions, const char *) = dated->report->accession;
    APR_ARRAY_PUSH(load->known, const char *) = dated->known_at;
    APR_ARRAY_PUSH(load->filed, const char *) = dated->filed_on;
    if (!named) {
        named = apr_pcalloc(load->pool, sizeof *named);
        named->cik = apr_pstrdup(load->pool, document->issuer_cik);
        apr_hash_set(load->names, named->cik, APR_HASH_KEY_STRING, named);
    }
    if (!named->known_at || strcmp(named->known_at, dated->known_at) < 0) {
        named->known_at = dated->known_at;
        named->name = apr_pstrdup(load->pool, document->issuer_name);
    }
}

/* Forms whose filing is loaded take its dates, what documents said of them as well; issuers are
 * named by the latest form. */
static apr_status_t reconcile(load_t *load)
{
    static const char dates_sql[] =
        "SELECT d.dataset, d.changed_issuer FROM (SELECT array_agg(f.accession) AS accessions,"
        " array_agg(coalesce(best.known_at, f.known_at)) AS known,"
        " array_agg(coalesce(best.filed_on, f.filed_on)) AS filed"
        " FROM unnest($1::text[], $2::timestamptz[], $3::date[]) AS f(accession, known_at, filed_on)"
        " CROSS JOIN LATERAL (SELECT min(x.known_at) AS known_at, min(x.filed_on) AS filed_on"
        " FROM disclosed.filing x WHERE x.accession = f.accession AND x.superseded_at IS NULL) best"
        ") forms CROSS JOIN LATERAL disclosed.date_reports(forms.accessions, forms.known,"
        " forms.filed) d";
    static const char noted_sql[] = "UPDATE disclosed.named_document SET by_signature = NULL"
                                    " WHERE accession = ANY ($1::text[]) AND by_signature";
    static const char names_sql[] =
        "SELECT dataset, changed_issuer"
        " FROM disclosed.name_reported_issuers($1::bigint[], $2::timestamptz[], $3)";
    const char *dates[] = {array_of(load->pool, load->accessions),
                           array_of(load->pool, load->known), array_of(load->pool, load->filed)};
    apr_array_header_t *columns[3];
    const char *names[3];
    apr_status_t status;

    for (int i = 0; i < DSC_COUNT(columns); i++) {
        columns[i] = apr_array_make(load->pool, 256, sizeof(const char *));
    }
    for (apr_hash_index_t *at = apr_hash_first(load->pool, load->names); at;
         at = apr_hash_next(at)) {
        const named_t *named = apr_hash_this_val(at);

        APR_ARRAY_PUSH(columns[0], const char *) = named->cik;
        APR_ARRAY_PUSH(columns[1], const char *) = named->known_at;
        APR_ARRAY_PUSH(columns[2], const char *) = named->name;
    }
    for (int i = 0; i < DSC_COUNT(columns); i++) {
        names[i] = array_of(load->pool, columns[i]);
    }
    status = dsc_loader_after_merge(load->loader, dates_sql, DSC_COUNT(dates), dates);
    if (status == APR_SUCCESS) {
        status = dsc_loader_after_merge(load->loader, noted_sql, 1, dates);
    }
    return status == APR_SUCCESS
               ? dsc_loader_after_merge(load->loader, names_sql, DSC_COUNT(names), names)
               : status;
}

static apr_status_t end_left_out_people(const load_t *load)
{
    static const char sql[] =
        "SELECT dataset, changed_issuer FROM disclosed.end_left_out_people($1::bigint[], $2, $3,"
        " array_fill($4::boolean, ARRAY[cardinality($2::text[])]))";
    const char *parameters[] = {array_of(load->pool, load->whole.ciks),
                                array_of(load->pool, load->whole.accessions),
                                array_of(load->pool, load->whole.persons), dsc_loader_all_merged};

    return load->whole.ciks->nelts > 0
               ? dsc_loader_after_merge(load->loader, sql, DSC_COUNT(parameters), parameters)
               : APR_SUCCESS;
}

/* ------------------------------------------------------------------- the set */

/* The form is all that its filing has of these: rows and persons that another copy of the set had
 * besides end. */
static apr_status_t declare_whole(load_t *load, const dsc_ownership_report_t *report)
{
    static const dsc_dataset_t *const datasets[] = {&dsc_dataset_insider,
                                                    &dsc_dataset_insider_holding};
    const char *cik = apr_pstrdup(load->pool, report->document->issuer_cik);
    apr_status_t status = APR_SUCCESS;

    APR_ARRAY_PUSH(load->whole.ciks, const char *) = cik;
    APR_ARRAY_PUSH(load->whole.accessions, const char *) = report->accession;
    APR_ARRAY_PUSH(load->whole.persons, const char *) =
        apr_pstrdup(load->pool, dsc_ownership_person_keys(report));
    for (int i = 0; i < DSC_COUNT(datasets) && status == APR_SUCCESS; i++) {
        status = dsc_loader_whole_of_set(load->loader, datasets[i], cik, report->accession);
    }
    return status;
}

/* Why a form that has less than is stored of it, or lacks a footnote, is no good: the table may be
 * cut there. NULL: it is. */
static const char *cut_error(const load_t *load, const dated_t *dated)
{
    const dsc_ownership_form_t *form = dated->form;

    if (form->lacking &&
        !dsc_report_tables_goes_on(load->tables, DSC_OWNERSHIP_TABLE_FOOTNOTES, dated->report)) {
        return apr_psprintf(load->pool,
                            "%s: FOOTNOTES.tsv lacks footnote %s, and is cut or ends there",
                            form->lacking_at, form->lacking);
    }
    for (int table = DSC_OWNERSHIP_TABLE_OWNERS; table < DSC_OWNERSHIP_TABLES; table++) {
        if (form->lines[table] < dated->stored[table] &&
            !dsc_report_tables_goes_on(load->tables, table, dated->report)) {
            return apr_psprintf(
                load->pool, "%s.tsv has %d lines of it, and is cut or ends there: %d are stored",
                dsc_ownership_tables[table].name, form->lines[table], dated->stored[table]);
        }
    }
    return NULL;
}

static apr_status_t add_form(load_t *load, const dated_t *dated)
{
    dsc_ownership_report_t report = {.loader = load->loader,
                                     .document = &dated->form->document,
                                     .accession = dated->report->accession,
                                     .known_at = dated->known_at,
                                     .filing_date = dated->filed_on};
    long long rejected = dsc_loader_rejected(load->loader);
    const char *error = dated->has_document ? NULL : cut_error(load, dated);
    apr_status_t status;

    if (error) {
        return reject_form(load, dated->lines, dated->report->accession, error);
    }
    keep_form(load, dated);
    if (dated->has_document) {
        load->documented++;
        load->passed_over += dated->lines->nelts;
        load->moved += dated->is_moved;
        return APR_SUCCESS;
    }
    load->textless += dated->form->textless > 0;
    load->unreferenced += dated->form->unreferenced > 0;
    apr_pool_create(&report.pool, load->pool);
    status = dsc_ownership_add(&report);
    if (status == APR_SUCCESS && dsc_loader_rejected(load->loader) == rejected &&
        dsc_report_tables_are_whole(load->tables)) {
        status = declare_whole(load, &report);
    }
    apr_pool_destroy(report.pool);
    return status;
}

/* Loads forms from the `from`th on, as many as are dated at once; *next is the one behind them. */
static apr_status_t load_batch(load_t *load, int from, int *next, const char **reason)
{
    const apr_array_header_t *reports = dsc_report_tables_list(load->tables);
    apr_status_t status = APR_SUCCESS;
    apr_array_header_t *batch;
    apr_uint64_t bytes = 0;
    apr_pool_t *pool;

    apr_pool_create(&pool, load->pool);
    batch = apr_array_make(pool, BATCH_FORMS, sizeof(dated_t));
    for (*next = from; status == APR_SUCCESS && *next < reports->nelts &&
                       *next - from < BATCH_FORMS && bytes < BATCH_BYTES;
         ++*next) {
        const dsc_tables_report_t *report = &APR_ARRAY_IDX(reports, *next, dsc_tables_report_t);

        bytes += report->length;
        status = read_form(load, pool, report, batch, reason);
    }
    if (status == APR_SUCCESS && batch->nelts > 0) {
        status = date_batch(load, pool, batch);
    }
    for (int i = 0; i < batch->nelts && status == APR_SUCCESS; i++) {
        status = add_form(load, &APR_ARRAY_IDX(batch, i, dated_t));
    }
    apr_pool_destroy(pool);
    return status;
}

static void tell(const load_t *load)
{
    if (load->documented > 0) {
        dsc_loader_may_be_empty(load->loader);
        dsc_loader_note(load->loader,
                        apr_psprintf(load->pool,
                                     "%ld forms are loaded from their documents, which tell more: "
                                     "their %ld lines are passed over",
                                     load->documented, load->passed_over));
    }
    if (load->moved > 0) {
        dsc_loader_note(load->loader,
                        apr_psprintf(load->pool,
                                     "%ld of these forms have another time or day of filing than "
                                     "was stored: their rows move to it",
                                     load->moved));
    }
    if (load->textless > 0) {
        dsc_loader_note(load->loader,
                        apr_psprintf(load->pool,
                                     "%ld forms have references to footnotes without a text",
                                     load->textless));
    }
    if (load->unreferenced > 0) {
        dsc_loader_note(load->loader,
                        apr_psprintf(load->pool,
                                     "%ld forms have footnotes that no row refers to, kept with "
                                     "each of their rows",
                                     load->unreferenced));
    }
}

apr_status_t dsc_load_ownership_set(dsc_loader_t *loader, dsc_import_file_t *file,
                                    const char **reason)
{
    load_t load = {.loader = loader, .pool = dsc_loader_file_pool(loader)};
    apr_status_t status = dsc_data_set_lock(loader, DSC_OWNERSHIP_LOCK, 1);

    if (status != APR_SUCCESS) {
        return status;
    }
    load.tables = dsc_report_tables_read(loader, file, dsc_ownership_tables, DSC_OWNERSHIP_TABLES,
                                         &status, reason);
    if (!load.tables) {
        return status;
    }
    for (int i = 0; i < DSC_OWNERSHIP_TABLES; i++) {
        load.hashes[i] = dsc_report_tables_hash(load.tables, i);
    }
    load.accessions = apr_array_make(load.pool, 1024, sizeof(const char *));
    load.known = apr_array_make(load.pool, 1024, sizeof(const char *));
    load.filed = apr_array_make(load.pool, 1024, sizeof(const char *));
    load.whole.ciks = apr_array_make(load.pool, 1024, sizeof(const char *));
    load.whole.accessions = apr_array_make(load.pool, 1024, sizeof(const char *));
    load.whole.persons = apr_array_make(load.pool, 1024, sizeof(const char *));
    load.names = apr_hash_make(load.pool);
    for (int next = 0;
         status == APR_SUCCESS && next < dsc_report_tables_list(load.tables)->nelts;) {
        status = load_batch(&load, next, &next, reason);
    }
    tell(&load);
    status = status == APR_SUCCESS ? reconcile(&load) : status;
    return status == APR_SUCCESS ? end_left_out_people(&load) : status;
}
