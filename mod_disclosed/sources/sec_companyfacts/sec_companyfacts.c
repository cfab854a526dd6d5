/* Importer sec-companyfacts: CIK##########.json of EDGAR's data.sec.gov/api/xbrl/companyfacts, and
 * the members of companyfacts.zip. A file has all numbers that a filer has reported, by element and
 * unit; they are put together again by the filings that report them. */
#include "sources/importers.h"

#include "datasets/datasets.h"
#include "engine/buffer.h"
#include "engine/identifier.h"
#include "engine/utf8.h"
#include "formats/json_line.h"
#include "loader/loader_value.h"
#include "sources/shared/filing_record.h"
#include "sources/shared/xbrl_report_record.h"

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

enum {
    CIK_DIGITS = 10,
    LONGEST_SAMPLE = 200
};

#define STANDS_TWICE "it stands twice, and nobody knows which counts"

/* What filings report. Texts are kept once for the file, so that those that are equal are the
 * same. */
typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    apr_pool_t *row_pool; /* cleared after each fact or report */
    const char *cik, *issuer_name;
    apr_hash_t *reports;       /* accession number -> dsc_xbrl_report_t */
    apr_hash_t *texts;         /* what many facts say, once */
    apr_array_header_t *order; /* dsc_xbrl_report_t *, as they are met */
    long long facts;
    const char *taxonomy, *name, *concept, *unit; /* where the walk is; concept is taxonomy:name */
    const char *where;                            /* the same, for rejects */
    const char *error;
} file_t;

/* The members of a fact, as text; NULL: absent, null or of another type. */
typedef struct {
    const char *accession, *start_date, *end_date, *amount, *form, *filed_on, *fiscal_year,
        *fiscal_period;
} fact_t;

int dsc_accept_sec_companyfacts(const char *name)
{
    const char *base = name + strlen(name);
    int digits = 3;

    while (base > name && base[-1] != '/' && base[-1] != ':') {
        base--;
    }
    if (strncmp(base, "CIK", 3) != 0) {
        return 0;
    }
    while (apr_isdigit(base[digits])) {
        digits++;
    }
    return digits == 13 && strcasecmp(base + digits, ".json") == 0;
}

/* --------------------------------------------------------------------------- facts */

/* The text, kept once for the file. */
static const char *kept(file_t *file, const char *text)
{
    const char *known = apr_hash_get(file->texts, text, APR_HASH_KEY_STRING);

    if (known == NULL) {
        known = apr_pstrdup(file->pool, text);
        apr_hash_set(file->texts, known, APR_HASH_KEY_STRING, known);
    }
    return known;
}

/* Reads the members of the fact that the walk is at. */
static int read_fact(apr_pool_t *pool, dsc_json_walk_t *facts, fact_t *fact, const char **reason)
{
    const struct {
        const char *name;
        dsc_json_kind_t kind;
        const char **place;
    } members[] = {
        {"accn", DSC_JSON_STRING, &fact->accession}, {"start", DSC_JSON_STRING, &fact->start_date},
        {"end", DSC_JSON_STRING, &fact->end_date},   {"val", DSC_JSON_NUMBER, &fact->amount},
        {"form", DSC_JSON_STRING, &fact->form},      {"filed", DSC_JSON_STRING, &fact->filed_on},
        {"fy", DSC_JSON_NUMBER, &fact->fiscal_year}, {"fp", DSC_JSON_STRING, &fact->fiscal_period},
    };
    dsc_json_walk_t walk;
    dsc_json_value_t value;
    const char *name;
    int i;

    memset(fact, 0, sizeof(*fact));
    *reason = NULL;
    dsc_json_enter(&walk, pool, facts);
    while (dsc_json_next(&walk, &name, &value)) {
        for (i = 0; i < DSC_COUNT(members); i++) {
            if (*name != *members[i].name || strcmp(name, members[i].name) != 0 ||
                value.kind == DSC_JSON_NULL) {
                continue;
            }
            if (value.kind != members[i].kind && *reason == NULL) {
                *reason = apr_pstrcat(pool, name,
                                      members[i].kind == DSC_JSON_NUMBER ? ": not a number"
                                                                         : ": not a text",
                                      NULL);
            }
            if (*members[i].place != NULL && *reason == NULL) {
                *reason = apr_pstrcat(pool, name, ": " STANDS_TWICE, NULL);
            }
            *members[i].place = value.text;
        }
    }
    dsc_json_leave(&walk, facts);
    return *reason == NULL && walk.error == NULL;
}

static const char *date_error(const char *name, const char *date, apr_pool_t *pool)
{
    return dsc_value_error(DSC_COLUMN_DATE, date) != NULL || strlen(date) != 10 || date[4] != '-' ||
                   date[7] != '-'
               ? apr_pstrcat(pool, name, ": not a date (YYYY-MM-DD)", NULL)
               : NULL;
}

/* What is wrong with where the walk is: the names of the element and of the unit. */
static const char *name_error(const file_t *file)
{
    const char *error = dsc_xbrl_name_error(file->taxonomy, file->name);

    return error                                   ? error
           : *file->unit == '\0'                   ? "the unit is empty"
           : strlen(file->unit) > DSC_LONGEST_UNIT ? "the unit is longer than 256 characters"
                                                   : NULL;
}

/* What is wrong with the fact; NULL: nothing. */
static const char *fact_error(apr_pool_t *pool, const fact_t *fact)
{
    const char *error = NULL;

    if (fact->accession == NULL || fact->end_date == NULL || fact->amount == NULL ||
        fact->form == NULL || fact->form[0] == '\0' || fact->filed_on == NULL) {
        return "a fact needs \"accn\", \"end\", \"val\", \"form\" and \"filed\"";
    }
    if (!dsc_is_accession(fact->accession)) {
        return "accn: not of the form 0000000000-00-000000";
    }
    if ((error = date_error("filed", fact->filed_on, pool)) == NULL &&
        (error = date_error("end", fact->end_date, pool)) == NULL && fact->start_date != NULL) {
        error = date_error("start", fact->start_date, pool);
    }
    if (error == NULL && fact->start_date != NULL && strcmp(fact->start_date, fact->end_date) > 0) {
        error = "start: after \"end\"";
    }
    if (error == NULL && (error = dsc_xbrl_amount_error(fact->amount)) != NULL) {
        error = apr_pstrcat(pool, "val: ", error, NULL);
    }
    if (error == NULL && fact->fiscal_year != NULL && !dsc_xbrl_is_year(fact->fiscal_year)) {
        error = "fy: not a year from 1900 to 9999";
    }
    return error;
}

static dsc_xbrl_report_t *report_of(file_t *file, const fact_t *fact)
{
    dsc_xbrl_report_t *report = apr_hash_get(file->reports, fact->accession, APR_HASH_KEY_STRING);

    if (report == NULL) {
        report = apr_pcalloc(file->pool, sizeof(*report));
        report->told_by = "companyfacts";
        report->accession = kept(file, fact->accession);
        report->form = kept(file, fact->form);
        report->filed_on = kept(file, fact->filed_on);
        report->facts = apr_array_make(file->pool, 4, sizeof(dsc_xbrl_fact_t));
        apr_hash_set(file->reports, report->accession, APR_HASH_KEY_STRING, report);
        APR_ARRAY_PUSH(file->order, dsc_xbrl_report_t *) = report;
    }
    return report;
}

/* Whether two can be of one filing; NULL: not stated. */
static int agree(const char *left, const char *right)
{
    return left == NULL || right == NULL || strcmp(left, right) == 0;
}

/* A filing says of itself one thing: rows that differ are no facts of it. */
static const char *report_error(const dsc_xbrl_report_t *report, const fact_t *fact)
{
    return !agree(report->form, fact->form) ? "form: another than with the filing's facts before"
           : !agree(report->filed_on, fact->filed_on)
               ? "filed: another than with the filing's facts before"
           : !agree(report->fiscal_year, fact->fiscal_year) ||
                   !agree(report->fiscal_period, fact->fiscal_period)
               ? "fy, fp: others than with the filing's facts before"
               : NULL;
}

/* Takes what earlier facts did not state about their filing. */
static void complete_report(file_t *file, dsc_xbrl_report_t *report, const fact_t *fact)
{
    if (report->fiscal_year == NULL && fact->fiscal_year != NULL) {
        report->fiscal_year = kept(file, fact->fiscal_year);
    }
    if (report->fiscal_period == NULL && fact->fiscal_period != NULL) {
        report->fiscal_period = kept(file, fact->fiscal_period);
    }
}

static apr_status_t reject_fact(file_t *file, long place, const char *error, const char *text,
                                size_t length)
{
    dsc_xbrl_fact_t fact = {.where = file->where, .place = place};

    return dsc_loader_reject(file->loader, dsc_xbrl_fact_location(file->row_pool, &fact), error,
                             apr_pstrndup(file->row_pool, text,
                                          length < LONGEST_SAMPLE ? length : LONGEST_SAMPLE));
}

static void keep_fact(file_t *file, dsc_xbrl_report_t *report, const fact_t *fact, long place)
{
    dsc_xbrl_fact_t *filed = apr_array_push(report->facts);

    memset(filed, 0, sizeof(*filed));
    filed->concept = file->concept;
    filed->unit = file->unit;
    filed->start_date = fact->start_date == NULL ? "" : kept(file, fact->start_date);
    filed->end_date = kept(file, fact->end_date);
    filed->amount = kept(file, fact->amount);
    filed->where = file->where;
    filed->place = place;
}

/* The fact that the walk is at, an object. `name_wrong`: what is wrong with the names of its
 * element and unit. */
static apr_status_t add_fact(file_t *file, dsc_json_walk_t *facts, long place,
                             const char *name_wrong)
{
    const char *text = facts->at, *error;
    dsc_xbrl_report_t *report = NULL;
    fact_t fact;

    if (read_fact(file->row_pool, facts, &fact, &error)) {
        error = fact_error(file->row_pool, &fact);
    }
    if (facts->error != NULL) {
        return APR_SUCCESS; /* the walk's */
    }
    if (name_wrong != NULL) {
        error = name_wrong;
    }
    if (error == NULL) {
        report = report_of(file, &fact);
        error = report_error(report, &fact);
    }
    if (error != NULL) {
        return reject_fact(file, place, error, text, (size_t)(facts->at - text));
    }
    complete_report(file, report, &fact);
    keep_fact(file, report, &fact, place);
    return APR_SUCCESS;
}

/* ------------------------------------------------------------------------- the walk */

/* What to do with a member's value, which the walk is at if it is nested. */
typedef apr_status_t (*visit_t)(file_t *file, const char *name, const dsc_json_value_t *value,
                                dsc_json_walk_t *walk);

static apr_status_t give_up(file_t *file, const char *where, const char *what)
{
    file->error = apr_pstrcat(file->pool, where, ": ", what, NULL);
    return APR_EGENERAL;
}

/* Visits what the walk has, an object, none of whose members appears twice. */
static apr_status_t visit_members(file_t *file, const char *where, dsc_json_walk_t *walk,
                                  visit_t visit)
{
    apr_status_t status = APR_SUCCESS;
    dsc_json_value_t value;
    const char *name;
    apr_hash_t *names;
    apr_pool_t *pool;

    apr_pool_create(&pool, file->pool);
    names = apr_hash_make(pool);
    while (status == APR_SUCCESS && dsc_json_next(walk, &name, &value)) {
        const char *known = apr_pstrdup(pool, name);

        if (apr_hash_get(names, known, APR_HASH_KEY_STRING) != NULL) {
            status = give_up(file, apr_pstrcat(file->pool, where, ".", name, NULL), STANDS_TWICE);
        } else {
            apr_hash_set(names, known, APR_HASH_KEY_STRING, "");
            status = visit(file, known, &value, walk);
        }
    }
    apr_pool_destroy(pool);
    return status == APR_SUCCESS && walk->error != NULL ? give_up(file, where, walk->error)
                                                        : status;
}

/* Walks over the members of the object that the walk is at, or a value of another kind is an error
 * that names where it is. */
static apr_status_t each_member(file_t *file, const char *where, const dsc_json_value_t *object,
                                dsc_json_walk_t *outer, visit_t visit)
{
    apr_status_t status;
    dsc_json_walk_t walk;
    apr_pool_t *pool;

    if (object->kind != DSC_JSON_OBJECT) {
        return give_up(file, where, "not an object");
    }
    apr_pool_create(&pool, file->pool);
    dsc_json_enter(&walk, pool, outer);
    status = visit_members(file, where, &walk, visit);
    dsc_json_leave(&walk, outer);
    apr_pool_destroy(pool);
    return status;
}

static apr_status_t each_fact(file_t *file, dsc_json_walk_t *walk)
{
    apr_status_t status = APR_SUCCESS;
    const char *wrong = name_error(file);
    dsc_json_value_t fact;
    long place;

    for (place = 0; status == APR_SUCCESS && dsc_json_next(walk, NULL, &fact); place++) {
        file->facts++;
        if (fact.kind == DSC_JSON_OBJECT) {
            status = add_fact(file, walk, place, wrong);
        } else {
            status = reject_fact(file, place, "not an object", fact.text, strlen(fact.text));
        }
        apr_pool_clear(file->row_pool);
    }
    return status == APR_SUCCESS && walk->error != NULL ? give_up(file, file->where, walk->error)
                                                        : status;
}

static apr_status_t visit_unit(file_t *file, const char *name, const dsc_json_value_t *value,
                               dsc_json_walk_t *outer)
{
    apr_status_t status;
    dsc_json_walk_t walk;
    apr_pool_t *pool;

    file->where =
        apr_pstrcat(file->pool, "facts.", file->taxonomy, ".", file->name, ".units.", name, NULL);
    if (value->kind != DSC_JSON_ARRAY) {
        return give_up(file, file->where, "not an array");
    }
    file->unit = kept(file, name);
    apr_pool_create(&pool, file->pool);
    dsc_json_enter(&walk, pool, outer);
    status = each_fact(file, &walk);
    dsc_json_leave(&walk, outer);
    apr_pool_destroy(pool);
    return status;
}

static apr_status_t visit_concept_member(file_t *file, const char *name,
                                         const dsc_json_value_t *value, dsc_json_walk_t *walk)
{
    return strcmp(name, "units") == 0 ? each_member(file, file->concept, value, walk, visit_unit)
                                      : APR_SUCCESS;
}

static apr_status_t visit_concept(file_t *file, const char *name, const dsc_json_value_t *value,
                                  dsc_json_walk_t *walk)
{
    file->name = kept(file, name);
    file->concept = kept(file, apr_pstrcat(file->row_pool, file->taxonomy, ":", name, NULL));
    return each_member(file, file->concept, value, walk, visit_concept_member);
}

static apr_status_t visit_taxonomy(file_t *file, const char *name, const dsc_json_value_t *value,
                                   dsc_json_walk_t *walk)
{
    file->taxonomy = kept(file, name);
    return each_member(file, apr_pstrcat(file->pool, "facts.", name, NULL), value, walk,
                       visit_concept);
}

/* All of it is JSON by now: what has been read once is read again in place. */
static apr_status_t visit_facts(file_t *file, const dsc_json_value_t *value)
{
    dsc_json_walk_t walk;

    if (value->kind != DSC_JSON_OBJECT) {
        return give_up(file, "facts", "not an object");
    }
    dsc_json_walk_in_place(&walk, file->pool, value->text, strlen(value->text));
    return visit_members(file, "facts", &walk, visit_taxonomy);
}

static apr_status_t visit_top(file_t *file, const char *name, const dsc_json_value_t *value,
                              dsc_json_walk_t *walk)
{
    (void)walk;
    if (strcmp(name, "cik") == 0 &&
        (value->kind == DSC_JSON_NUMBER || value->kind == DSC_JSON_STRING)) {
        size_t length = strlen(value->text);

        if (length > 0 && length <= CIK_DIGITS && strspn(value->text, "0123456789") == length &&
            strspn(value->text, "0") < length) {
            file->cik = apr_pstrcat(file->pool, &"0000000000"[length], value -> text, NULL);
        }
    }
    if (strcmp(name, "entityName") == 0 && value->kind == DSC_JSON_STRING &&
        value->text[0] != '\0') {
        file->issuer_name = apr_pstrdup(file->pool, value->text);
    }
    return strcmp(name, "facts") == 0 ? visit_facts(file, value) : APR_SUCCESS;
}

/* -------------------------------------------------------------------------- records */

static apr_status_t add_reports(file_t *file)
{
    static const char dates_sql[] =
        "SELECT dataset, changed_issuer FROM disclosed.date_staged_reports()";
    apr_status_t status = APR_SUCCESS;
    long long stored = 0;
    int i;

    for (i = 0; i < file->order->nelts && status == APR_SUCCESS; i++) {
        dsc_xbrl_report_t *report = APR_ARRAY_IDX(file->order, i, dsc_xbrl_report_t *);

        report->location = apr_pstrcat(file->row_pool, "accn ", report->accession, NULL);
        report->cik = file->cik;
        report->issuer_name = file->issuer_name;
        status = dsc_xbrl_report_add(file->loader, file->row_pool, report);
        stored += report->facts->nelts;
        apr_pool_clear(file->row_pool);
    }
    if (status == APR_SUCCESS && dsc_loader_staged(file->loader) > 0) {
        status = dsc_loader_before_merge_of_companies(file->loader, dates_sql);
    }
    if (status == APR_SUCCESS) {
        dsc_loader_note(file->loader,
                        apr_psprintf(file->pool, "%ld facts, of which %ld are kept in %d reports",
                                     (long)file->facts, (long)stored, file->order->nelts));
    }
    return status;
}

/* A file of another kind, or one that does not say whose facts it has. */
static const char *file_error(const file_t *file, int has_facts)
{
    return !has_facts ? "not a companyfacts file: it has no \"facts\": {\"<taxonomy>\": {...}}"
           : file->cik == NULL         ? "\"cik\" is not a number of up to ten digits"
           : file->issuer_name == NULL ? "there is no \"entityName\""
                                       : NULL;
}

apr_status_t dsc_load_sec_companyfacts(dsc_loader_t *loader, dsc_import_file_t *import_file,
                                       const char **reason)
{
    dsc_json_walk_t walk;
    const char *text;
    apr_status_t status;
    size_t length, mark;
    file_t file;

    memset(&file, 0, sizeof(file));
    file.loader = loader;
    file.pool = dsc_loader_file_pool(loader);
    file.reports = apr_hash_make(file.pool);
    file.texts = apr_hash_make(file.pool);
    file.order = apr_array_make(file.pool, 64, sizeof(dsc_xbrl_report_t *));
    apr_pool_create(&file.row_pool, file.pool);
    text = dsc_import_read_all(import_file, file.pool, DSC_LARGEST_WHOLE, &length, reason);
    if (text == NULL) {
        return APR_EGENERAL;
    }
    if (strlen(text) != length) {
        *reason = "not JSON: there is a NUL in it";
        return APR_EGENERAL;
    }
    mark = dsc_utf8_mark(text, length);
    dsc_json_walk(&walk, file.pool, text + mark, length - mark, 0);
    status = visit_members(&file, "the file", &walk, visit_top);
    if (status == APR_SUCCESS && (file.error = file_error(&file, file.taxonomy != NULL)) != NULL) {
        status = APR_EGENERAL;
    }
    if (status != APR_SUCCESS) {
        *reason = file.error;
        return status;
    }
    return add_reports(&file);
}
