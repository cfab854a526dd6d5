/* The identity of a Form 13F: which filing it is, its manager, and when it was public. */
#include "sources/sec_13f/holdings_identity.h"

#include "loader/loader_value.h"
#include "sources/shared/filing_record.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

enum {
    ACCESSION_DIGITS = 18,
    DASHED_LENGTH = ACCESSION_DIGITS + 2,
    DAYS_BEFORE_PERIOD_ENDS = 14
};

/* -------------------------------------------------------------------- from a path */

/* Where in a component of a path an accession number begins; NULL: nowhere. */
static const char *find_accession(const char *component, size_t length, int *is_dashed)
{
    size_t i;

    for (i = 0; i + ACCESSION_DIGITS <= length; i++) {
        const char *at = component + i;
        size_t digits = strspn(at, "0123456789");

        if (i > 0 && apr_isdigit(at[-1])) {
            continue;
        }
        *is_dashed = digits == 10 && at[10] == '-' && strspn(at + 11, "0123456789") == 2 &&
                     at[13] == '-' && strspn(at + 14, "0123456789") == 6;
        if (*is_dashed ? i + DASHED_LENGTH <= length : digits == ACCESSION_DIGITS) {
            return at;
        }
    }
    return NULL;
}

/* The last component of the path that holds an accession number, and where it begins. */
static const char *accession_in(const char *path, const char **component, int *is_dashed)
{
    const char *end = path + strlen(path);

    while (end > path) {
        const char *from = end, *at;

        while (from > path && from[-1] != '/' && from[-1] != ':') {
            from--;
        }
        at = find_accession(from, (size_t)(end - from), is_dashed);
        if (at != NULL) {
            *component = from;
            return at;
        }
        end = from > path ? from - 1 : path;
    }
    return NULL;
}

const char *dsc_holdings_accession(apr_pool_t *pool, const char *path)
{
    const char *component;
    int is_dashed;
    const char *at = accession_in(path, &component, &is_dashed);

    if (at == NULL) {
        return NULL;
    }
    return is_dashed ? apr_pstrmemdup(pool, at, DASHED_LENGTH)
                     : apr_psprintf(pool, "%.10s-%.2s-%.6s", at, at + 10, at + 12);
}

const char *dsc_holdings_path_cik(apr_pool_t *pool, const char *path)
{
    const char *component, *from;
    int is_dashed;

    if (accession_in(path, &component, &is_dashed) == NULL || component <= path) {
        return NULL;
    }
    for (from = component - 1; from > path && from[-1] != '/' && from[-1] != ':'; from--) {
    }
    return dsc_holdings_cik(apr_pstrmemdup(pool, from, (apr_size_t)(component - 1 - from)));
}

/* ------------------------------------------------------------- from the database */

#define INSTANT(column)                                                                            \
    "to_char(" column " AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"

/* What is loaded of an accession number: its filing and its report. */
static const char known_report_sql[] =
    "SELECT cik, manager_name, form, report_type, period, entry_total, value_total, " INSTANT(
        "known_at") ", filing_day, dated_by, value_factor, a.amendment_type, a.amendment_number"
                    " FROM disclosed.known_holdings_report($1)"
                    " LEFT JOIN LATERAL (SELECT r.amendment_type, r.amendment_number"
                    " FROM disclosed.institution_report r WHERE r.accession = $1"
                    " AND r.superseded_at IS NULL ORDER BY r.row_id LIMIT 1) a ON true"
                    " WHERE dated_by IS NOT NULL";

/* A report with the same cover; the only filing of that form, manager and period. */
static const char by_content_sql[] =
    "SELECT DISTINCT r.accession FROM disclosed.institution_report r"
    " JOIN disclosed.issuer i USING (issuer_id)"
    " JOIN disclosed.named_document d ON d.accession = r.accession"
    " WHERE i.cik = $1 AND r.period_of_report = $2 AND d.document = left($3, 39) LIMIT 2";
static const char by_filer_sql[] =
    "SELECT DISTINCT f.accession FROM disclosed.filing f JOIN disclosed.issuer i USING (issuer_id)"
    " WHERE i.cik = $1 AND f.period_of_report = $2 AND f.form = $3 AND f.superseded_at IS NULL"
    " LIMIT 2";

/* The one accession number that a query yields; *found stays if it yields none or several. */
static apr_status_t find_one(dsc_loader_t *loader, const char *sql, const char *cik,
                             const char *period, const char *third, const char **found)
{
    const char *parameters[] = {cik, period, third};
    PGresult *result;
    apr_status_t rv;

    if (*found != NULL || cik == NULL || period == NULL || third == NULL) {
        return APR_SUCCESS;
    }
    rv = dsc_loader_repeat(loader, sql, 3, parameters, &result);
    if (rv == APR_SUCCESS) {
        if (PQntuples(result) == 1) {
            *found = apr_pstrdup(dsc_loader_file_pool(loader), PQgetvalue(result, 0, 0));
        }
        PQclear(result);
    }
    return rv;
}

static void fill(apr_pool_t *pool, const char **field, const PGresult *result, int column)
{
    if (*field == NULL && !PQgetisnull(result, 0, column)) {
        *field = apr_pstrdup(pool, PQgetvalue(result, 0, column));
    }
}

/* What is known of the report, in addition to what it states itself. */
typedef struct {
    const char *known_at, *filing_day, *dated_by; /* NULL: nothing is loaded */
} known_t;

/* Fills what the report lacks from what is loaded of it. Its totals go to a table without a cover,
 * so that it is held to them, and is taken to be in the same unit; so does what its cover said of
 * the amendment. */
static apr_status_t fill_from_known(dsc_loader_t *loader, int has_cover,
                                    dsc_holdings_report_t *report, known_t *known)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    PGresult *result;
    apr_status_t rv;

    memset(known, 0, sizeof(*known));
    if (report->accession == NULL) {
        return APR_SUCCESS;
    }
    rv = dsc_loader_repeat(loader, known_report_sql, 1, &report->accession, &result);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (PQntuples(result) > 0) {
        fill(pool, &report->cik, result, 0);
        fill(pool, &report->manager_name, result, 1);
        fill(pool, &report->form, result, 2);
        fill(pool, &report->period, result, 4);
        fill(pool, &known->known_at, result, 7);
        fill(pool, &known->filing_day, result, 8);
        fill(pool, &known->dated_by, result, 9);
        fill(pool, &report->stored_factor, result, 10);
        if (!has_cover) {
            fill(pool, &report->report_type, result, 3);
            fill(pool, &report->entry_total, result, 5);
            fill(pool, &report->value_total, result, 6);
            fill(pool, &report->amendment_type, result, 11);
            fill(pool, &report->amendment_number, result, 12);
        }
    }
    PQclear(result);
    return APR_SUCCESS;
}

/* --------------------------------------------------------------------- one report */

/* A report that an information table without a cover makes, as far as the command line states
 * it. */
static dsc_holdings_report_t *bare_report(apr_pool_t *pool, const dsc_load_options_t *options,
                                          const char *file_name)
{
    dsc_holdings_report_t *report = apr_pcalloc(pool, sizeof(*report));

    report->location = "informationTable";
    report->cik = options->cik != NULL ? options->cik : dsc_holdings_path_cik(pool, file_name);
    report->period = options->period;
    return report;
}

/* What a report without a cover still lacks. */
static const char *missing(const dsc_holdings_report_t *report)
{
    if (report->accession == NULL) {
        return "an information table without its cover: put its primary_doc.xml into its folder, or give "
               "its accession number by the file's or folder's name, or by --accession";
    }
    if (report->cik == NULL || report->period == NULL) {
        return report->cik == NULL
                   ? "an information table without its cover: whose it is can be told by --cik, by "
                     "EDGAR's folder names, or by loading the manager's filings first"
                   : "an information table without its cover: its period can be told by --period, "
                     "or by loading the manager's filings first";
    }
    return NULL;
}

/* The report's identity, if the submission's header does not state it. */
static apr_status_t find_filing(dsc_loader_t *loader, const char *file_name, int has_cover,
                                dsc_holdings_report_t *report, known_t *known)
{
    const dsc_load_options_t *options = dsc_loader_options(loader);
    apr_status_t rv = APR_SUCCESS;

    if (report->accession == NULL) {
        report->accession = options->accession != NULL
                                ? options->accession
                                : dsc_holdings_accession(dsc_loader_file_pool(loader), file_name);
        rv = find_one(loader, by_content_sql, report->cik, report->period, report->digest,
                      &report->accession);
    }
    if (rv == APR_SUCCESS) {
        rv = find_one(loader, by_filer_sql, report->cik, report->period,
                      has_cover ? report->form : "13F-HR", &report->accession);
    }
    return rv == APR_SUCCESS ? fill_from_known(loader, has_cover, report, known) : rv;
}

/* What the time at which a report was public can rest on, the best first (sql: rank_of_date). */
static const char *const date_ranks[] = {"filing", "accepted", "filed", "stated", "signed"};

static int rank_of(const char *dated_by)
{
    int rank = 0;

    while (dated_by != NULL && rank < DSC_COUNT(date_ranks) &&
           strcmp(date_ranks[rank], dated_by) != 0) {
        rank++;
    }
    return dated_by == NULL ? DSC_COUNT(date_ranks) : rank;
}

/* When it was public, and filed, from its source: the header's acceptance time, the filing date,
 * --known-at, and last the date of the signature, if that is after the period. */
static void date_by_source(const dsc_load_options_t *options, dsc_holdings_report_t *report)
{
    if (report->accepted_at != NULL) {
        report->known_at = report->accepted_at;
        report->dated_by = "accepted";
    } else if (report->filed_on != NULL) {
        report->known_on = report->filed_on;
        report->dated_by = "filed";
    } else if (options->known_at != NULL) {
        report->known_on = report->filed_on = options->known_at;
        report->dated_by = "stated";
    } else if (report->signed_on != NULL && report->period != NULL &&
               strcmp(report->signed_on, report->period) > 0) {
        report->known_on = report->signed_on;
        report->dated_by = "signed";
    }
}

/* What is known better stays, whichever source comes; else what is stored takes the source's, that
 * of the copy which is loaded last (sql: redate_holdings_reports). The filing goes before all. */
static void date_report(const dsc_load_options_t *options, const known_t *known,
                        dsc_holdings_report_t *report)
{
    date_by_source(options, report);
    if (known->dated_by == NULL || rank_of(known->dated_by) >= rank_of(report->dated_by)) {
        return;
    }
    report->dated_by = known->dated_by;
    report->known_at = known->known_at;
    report->known_on = known->filing_day;
    report->filed_on = strcmp(known->dated_by, "signed") == 0 ? NULL : known->filing_day;
}

/* A report cannot have been public before its quarter ended; the tables allow for two weeks. Its
 * rows alone would be rejected, and the manager would seem to hold nothing. */
static void check_known(apr_pool_t *pool, dsc_holdings_report_t *report)
{
    const char *day = report->known_at != NULL ? report->known_at : report->known_on;

    if (report->error == NULL && day != NULL && report->period != NULL &&
        dsc_days_between(apr_pstrmemdup(pool, day, 10), report->period) > DAYS_BEFORE_PERIOD_ENDS) {
        report->error = "it was filed before the end of its quarter";
        report->sample = apr_psprintf(pool, "%.10s, %s", day, report->period);
    }
}

static apr_status_t redate(dsc_loader_t *loader, const dsc_holdings_report_t *report)
{
    const char *parameters[] = {report->accession, report->known_at, report->known_on,
                                report->filed_on != NULL ? report->filed_on : report->known_on,
                                report->dated_by};

    return dsc_loader_before_merge(
        loader,
        "SELECT dataset, changed_issuer FROM disclosed.redate_holdings_reports(ARRAY[$1::text],"
        " ARRAY[coalesce($2::timestamptz, disclosed.end_of_day($3::date))], ARRAY[$4::date],"
        " ARRAY[$5::text])",
        DSC_COUNT(parameters), parameters);
}

/* What a table without a cover is taken for once its filing is known. */
static void complete_bare(apr_pool_t *pool, dsc_holdings_report_t *report)
{
    report->form = report->form != NULL ? report->form : "13F-HR";
    report->manager_name = report->manager_name != NULL
                               ? report->manager_name
                               : apr_pstrcat(pool, "CIK ", report->cik, NULL);
    dsc_holdings_report_normalise(pool, report);
}

/* Options that contradict the cover: which of them counts nobody knows. NULL: they agree. */
static const char *contradiction(apr_pool_t *pool, const dsc_load_options_t *options,
                                 const dsc_holdings_report_t *report)
{
    const char *cik = options->cik == NULL ? NULL : dsc_holdings_cik(options->cik);

    if (cik != NULL && report->cik != NULL && strcmp(cik, report->cik) != 0) {
        return apr_psprintf(pool, "--cik says %s, but the cover is that of %s (%s)", cik,
                            report->cik,
                            report->manager_name != NULL ? report->manager_name : "no name");
    }
    if (options->period != NULL && report->period != NULL &&
        strcmp(options->period, report->period) != 0) {
        return apr_psprintf(pool, "--period says %s, but the cover is for %s", options->period,
                            report->period);
    }
    return NULL;
}

apr_status_t dsc_holdings_identify(dsc_loader_t *loader, const char *file_name,
                                   dsc_holdings_report_t **report, const char **reason)
{
    const dsc_load_options_t *options = dsc_loader_options(loader);
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    int has_cover = *report != NULL;
    known_t known;
    apr_status_t rv;

    if (!has_cover) {
        *report = bare_report(pool, options, file_name);
    } else if ((*report)->error != NULL && (*report)->accession == NULL) {
        *reason = (*report)->error;
        return APR_EGENERAL;
    }
    *reason = has_cover ? contradiction(pool, options, *report) : NULL;
    if (*reason != NULL) {
        return APR_EGENERAL;
    }
    if ((rv = find_filing(loader, file_name, has_cover, *report, &known)) != APR_SUCCESS) {
        return rv;
    }
    *reason = has_cover ? NULL : missing(*report);
    if (*reason == NULL && (*report)->accession == NULL) {
        *reason =
            "its accession number is not told: by the file's or folder's name, by --accession, "
            "or by loading the manager's filings first";
    }
    if (*reason != NULL) {
        return APR_EGENERAL;
    }
    if (!has_cover) {
        complete_bare(pool, *report);
    }
    date_report(options, &known, *report);
    if ((*report)->known_at == NULL && (*report)->known_on == NULL) {
        *reason = "when it was filed is not told: --known-at YYYY-MM-DD, or load the manager's "
                  "filings first";
        return APR_EGENERAL;
    }
    check_known(pool, *report);
    return (*report)->error == NULL ? redate(loader, *report) : APR_SUCCESS;
}

/* ---------------------------------------------------------------------- data sets */

static const char known_dates_sql[] = "SELECT a.accession, " INSTANT(
    "k.known_at") ", k.filing_day, k.dated_by"
                  " FROM unnest($1::text[]) AS a(accession)"
                  " CROSS JOIN LATERAL disclosed.known_holdings_report(a.accession) k"
                  " WHERE disclosed.rank_of_date(k.dated_by) < disclosed.rank_of_date('filed')";
static const char redate_set_sql[] =
    "SELECT dataset, changed_issuer FROM disclosed.redate_holdings_reports($1::text[],"
    " ARRAY(SELECT disclosed.end_of_day(d) FROM unnest($2::date[]) WITH ORDINALITY AS u(d, n) ORDER BY n),"
    " $2::date[], array_fill('filed'::text, ARRAY[cardinality($1::text[])]))";

static const char known_scales_sql[] =
    "SELECT DISTINCT ON (accession) accession, value_factor, total_factor, value_scale,"
    " value_scale_reason FROM disclosed.institution_report"
    " WHERE accession = ANY($1::text[]) AND (scale_compared OR NOT $2) AND superseded_at IS NULL";

/* The unit that was due is that of this source; what reports of others have shown is kept. */
static const char *known_reason(apr_pool_t *pool, const char *own, const char *stored)
{
    const char *rule = own == NULL ? NULL : strstr(own, "; ");
    const char *seen = strstr(stored, "; ");

    return rule == NULL || seen == NULL
               ? apr_pstrdup(pool, stored)
               : apr_pstrcat(pool, apr_pstrmemdup(pool, own, (apr_size_t)(rule - own)), seen, NULL);
}

static void take_scale(apr_pool_t *pool, const PGresult *result, int row, dsc_scale_t *scale)
{
    scale->row_factor = apr_pstrdup(pool, PQgetvalue(result, row, 1));
    scale->total_factor = apr_pstrdup(pool, PQgetvalue(result, row, 2));
    scale->name = apr_pstrdup(pool, PQgetvalue(result, row, 3));
    scale->reason = known_reason(pool, scale->reason, PQgetvalue(result, row, 4));
    scale->confirmed = scale->is_compared = 1;
}

apr_status_t dsc_scale_known(dsc_loader_t *loader, const char *accession, int has_rows,
                             dsc_scale_t *scale)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    const char *parameters[] = {dsc_texts_literal(pool, 1, &accession), has_rows ? "t" : "f"};
    PGresult *result;
    apr_status_t rv;

    if (scale->confirmed && has_rows) {
        return APR_SUCCESS;
    }
    rv = dsc_loader_repeat(loader, known_scales_sql, 2, parameters, &result);
    if (rv == APR_SUCCESS) {
        if (PQntuples(result) > 0) {
            take_scale(pool, result, 0, scale);
        }
        PQclear(result);
    }
    return rv;
}

static const char *accessions_of(const dsc_data_set_t *set)
{
    const char **texts = apr_palloc(set->pool, sizeof(*texts) * ((size_t)set->reports->nelts + 1));
    int i;

    for (i = 0; i < set->reports->nelts; i++) {
        texts[i] = APR_ARRAY_IDX(set->reports, i, dsc_data_set_report_t *)->report.accession;
    }
    return dsc_texts_literal(set->pool, set->reports->nelts, texts);
}

/* The filing dates of the set's reports, those of faulty ones absent, beside their accession
 * numbers. */
static apr_status_t redate_set(const dsc_data_set_t *set)
{
    const char **accessions, **days, *parameters[2];
    int i, count = 0;

    accessions = apr_palloc(set->pool, sizeof(*accessions) * ((size_t)set->reports->nelts + 1));
    days = apr_palloc(set->pool, sizeof(*days) * ((size_t)set->reports->nelts + 1));
    for (i = 0; i < set->reports->nelts; i++) {
        const dsc_holdings_report_t *report =
            &APR_ARRAY_IDX(set->reports, i, dsc_data_set_report_t *)->report;

        if (report->error == NULL && report->filed_on != NULL && report->known_at == NULL) {
            accessions[count] = report->accession;
            days[count++] = report->filed_on;
        }
    }
    parameters[0] = dsc_texts_literal(set->pool, count, accessions);
    parameters[1] = dsc_texts_literal(set->pool, count, days);
    return dsc_loader_before_merge(set->loader, redate_set_sql, 2, parameters);
}

/* When the reports were public: what is known better goes before their filing dates. */
static apr_status_t date_set(dsc_data_set_t *set, const char *accessions)
{
    dsc_holdings_report_t *report;
    PGresult *result;
    apr_status_t rv;
    int i;

    for (i = 0; i < set->reports->nelts; i++) {
        report = &APR_ARRAY_IDX(set->reports, i, dsc_data_set_report_t *)->report;
        report->known_on = report->filed_on;
        report->dated_by = "filed";
    }
    rv = dsc_loader_query(set->loader, known_dates_sql, 1, &accessions, &result);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (i = 0; i < PQntuples(result); i++) {
        report =
            &((dsc_data_set_report_t *)apr_hash_get(set->by_accession, PQgetvalue(result, i, 0),
                                                    APR_HASH_KEY_STRING))
                 ->report;
        report->known_at = apr_pstrdup(set->pool, PQgetvalue(result, i, 1));
        report->filed_on = apr_pstrdup(set->pool, PQgetvalue(result, i, 2));
        report->dated_by = apr_pstrdup(set->pool, PQgetvalue(result, i, 3));
    }
    PQclear(result);
    for (i = 0; i < set->reports->nelts; i++) {
        check_known(set->pool, &APR_ARRAY_IDX(set->reports, i, dsc_data_set_report_t *)->report);
    }
    return redate_set(set);
}

/* The unit that was due is that of the date in force, which another source may have told. */
static void decide_scales(const dsc_data_set_t *set)
{
    for (int i = 0; i < set->reports->nelts; i++) {
        dsc_data_set_report_t *report = APR_ARRAY_IDX(set->reports, i, dsc_data_set_report_t *);

        if (report->report.error == NULL) {
            report->scale = dsc_scale_decide(set->pool, &report->evidence, &report->report);
        }
    }
}

apr_status_t dsc_data_set_identify(dsc_data_set_t *set)
{
    const char *parameters[] = {accessions_of(set), "t"};
    dsc_data_set_report_t *report;
    PGresult *result;
    apr_status_t rv;
    int i;

    rv = date_set(set, parameters[0]);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    decide_scales(set);
    rv = dsc_loader_query(set->loader, known_scales_sql, 2, parameters, &result);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (i = 0; i < PQntuples(result); i++) {
        report = apr_hash_get(set->by_accession, PQgetvalue(result, i, 0), APR_HASH_KEY_STRING);
        if (!report->scale.confirmed) {
            take_scale(set->pool, result, i, &report->scale);
        }
    }
    PQclear(result);
    return APR_SUCCESS;
}
