#include "sources/shared/xbrl_report_record.h"

#include "datasets/datasets.h"
#include "loader/loader_value.h"
#include "sources/shared/filing_record.h"
#include "sources/shared/xbrl_rounding.h"

#include <apr_strings.h>
#include <libxml/tree.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    YEAR_DIGITS = 4,
    EXPONENT_DIGITS = 3
};

int dsc_is_xml_name(const char *text)
{
    return xmlValidateNCName((const xmlChar *)text, 0) == 0;
}

const char *dsc_xbrl_name_error(const char *taxonomy, const char *name)
{
    return !dsc_is_xml_name(taxonomy) || !dsc_is_xml_name(name)
               ? "not of the form taxonomy:Name, both names of XML"
           : strlen(taxonomy) > DSC_LONGEST_ELEMENT || strlen(name) > DSC_LONGEST_ELEMENT
               ? "a name of more than 256 characters"
               : NULL;
}

const char *dsc_xbrl_amount_error(const char *amount)
{
    const char *exponent = strpbrk(amount, "eE");

    if (dsc_value_error(DSC_COLUMN_DECIMAL, amount)) {
        return "too large or too long";
    }
    return exponent && strspn(exponent + 1, "+-") + EXPONENT_DIGITS < strlen(exponent + 1)
               ? "an exponent of more than three digits"
               : NULL;
}

int dsc_xbrl_is_year(const char *text)
{
    return strlen(text) == YEAR_DIGITS && strspn(text, "0123456789") == YEAR_DIGITS &&
           strcmp(text, "1900") >= 0;
}

const char *dsc_xbrl_fact_location(apr_pool_t *pool, const dsc_xbrl_fact_t *fact)
{
    return fact->place < 0 ? fact->where : apr_psprintf(pool, "%s[%ld]", fact->where, fact->place);
}

/* -------------------------------------------------------------------------- order */

static int compare_texts(const char *left, const char *right)
{
    return left == right ? 0 : strcmp(left ? left : "", right ? right : "");
}

/* How exact a number is: the power of ten that it is rounded to, turned round. */
static int exactness(const char *decimals)
{
    return !decimals || !*decimals ? INT_MIN : *decimals == 'I' ? INT_MAX : atoi(decimals);
}

/* Orders facts by what they are about. */
static int compare_subjects(const dsc_xbrl_fact_t *a, const dsc_xbrl_fact_t *b)
{
    int order = compare_texts(a->concept, b->concept);

    order = order != 0 ? order : compare_texts(a->unit, b->unit);
    order = order != 0 ? order : compare_texts(a->dimensions, b->dimensions);
    order = order != 0 ? order : compare_texts(a->end_date, b->end_date);
    return order != 0 ? order : compare_texts(a->start_date, b->start_date);
}

/* The same, and by their number. */
static int compare_identities(const dsc_xbrl_fact_t *a, const dsc_xbrl_fact_t *b)
{
    int order = compare_subjects(a, b);

    return order != 0 ? order : compare_texts(a->amount, b->amount);
}

static int compare_facts(const void *left, const void *right)
{
    const dsc_xbrl_fact_t *a = left, *b = right;
    int order = compare_identities(a, b);

    if (order == 0) {
        order = (exactness(a->decimals) < exactness(b->decimals)) -
                (exactness(a->decimals) > exactness(b->decimals));
    }
    order = order != 0 ? order : compare_texts(a->where, b->where);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

/* Puts the facts in order, and leaves each once, the most exact one. */
static apr_status_t order_facts(dsc_loader_t *loader, apr_pool_t *pool,
                                const dsc_xbrl_report_t *report)
{
    apr_array_header_t *facts = report->facts;
    dsc_xbrl_fact_t *all = (dsc_xbrl_fact_t *)facts->elts;
    apr_status_t status = APR_SUCCESS;
    int kept = 0;

    if (facts->nelts > 1) {
        qsort(all, (size_t)facts->nelts, sizeof(*all), compare_facts);
    }
    for (int i = 0; i < facts->nelts && status == APR_SUCCESS; i++) {
        if (i == 0 || compare_identities(&all[kept - 1], &all[i]) != 0) {
            all[kept++] = all[i];
        } else if (report->repeats) {
            ++*report->repeats;
        } else {
            status = dsc_loader_reject(loader, dsc_xbrl_fact_location(pool, &all[i]),
                                       "the filing's same fact again", all[i].amount);
        }
    }
    facts->nelts = kept;
    return status;
}

/* The most exact of the facts about one thing. */
static const dsc_xbrl_fact_t *most_exact(const dsc_xbrl_fact_t *facts, int count)
{
    const dsc_xbrl_fact_t *best = facts;

    for (int i = 1; i < count; i++) {
        best = exactness(facts[i].decimals) > exactness(best->decimals) ? &facts[i] : best;
    }
    return best;
}

/* Whether a fact is another one, rounded. */
static int is_rounding(apr_pool_t *pool, const dsc_xbrl_fact_t *fact, const dsc_xbrl_fact_t *best)
{
    int decimals = exactness(fact->decimals);

    return decimals != INT_MIN && decimals != INT_MAX &&
           dsc_xbrl_is_rounded(pool, best->amount, fact->amount, decimals);
}

/* Of facts about one thing leaves out those that are the most exact one, rounded; they are in
 * order. */
static void merge_roundings(apr_pool_t *pool, const dsc_xbrl_report_t *report)
{
    dsc_xbrl_fact_t *all = (dsc_xbrl_fact_t *)report->facts->elts;
    int kept = 0;

    for (int i = 0, count; i < report->facts->nelts; i += count) {
        const dsc_xbrl_fact_t *best;
        dsc_xbrl_fact_t exact;
        int first = i;

        for (count = 1;
             i + count < report->facts->nelts && compare_subjects(&all[i], &all[i + count]) == 0;
             count++) {
        }
        best = most_exact(&all[first], count);
        exact = *best;
        for (int j = first; j < first + count; j++) {
            if (&all[j] != best && is_rounding(pool, &all[j], &exact)) {
                ++*report->repeats;
            } else {
                all[kept++] = all[j];
            }
        }
    }
    report->facts->nelts = kept;
}

/* ------------------------------------------------------------------------- record */

/* Sets a column to what all facts say in the member at `offset`; to nothing if none says
 * anything. */
static void set_texts(apr_pool_t *pool, const char **values, const char *column,
                      const apr_array_header_t *facts, size_t offset)
{
    apr_array_header_t *texts = apr_array_make(pool, facts->nelts, sizeof(const char *));
    int is_told = 0;

    for (int i = 0; i < facts->nelts; i++) {
        const char *fact = facts->elts + (size_t)i * sizeof(dsc_xbrl_fact_t);
        const char *text = *(const char *const *)(const void *)(fact + offset);

        is_told |= text != NULL && *text != '\0';
        APR_ARRAY_PUSH(texts, const char *) = text ? text : "";
    }
    if (is_told || offset == offsetof(dsc_xbrl_fact_t, start_date)) {
        dsc_load_set(&dsc_dataset_xbrl_report, values, column, dsc_text_array(pool, texts));
    }
}

static const char **report_values(apr_pool_t *pool, const dsc_xbrl_report_t *report)
{
    const struct {
        const char *column, *value;
    } own[] = {{"told_by", report->told_by},
               {"document", report->document},
               {"form", report->form},
               {"filed_on", report->filed_on},
               {"fiscal_year", report->fiscal_year},
               {"fiscal_period", report->fiscal_period}};
    static const struct {
        const char *column;
        size_t offset;
    } of_facts[] = {{"concepts", offsetof(dsc_xbrl_fact_t, concept)},
                    {"units", offsetof(dsc_xbrl_fact_t, unit)},
                    {"start_dates", offsetof(dsc_xbrl_fact_t, start_date)},
                    {"end_dates", offsetof(dsc_xbrl_fact_t, end_date)},
                    {"amounts", offsetof(dsc_xbrl_fact_t, amount)},
                    {"dimensions", offsetof(dsc_xbrl_fact_t, dimensions)},
                    {"decimals", offsetof(dsc_xbrl_fact_t, decimals)}};
    const char **values = dsc_load_values(pool, &dsc_dataset_xbrl_report);

    for (int i = 0; i < DSC_COUNT(own); i++) {
        dsc_load_set(&dsc_dataset_xbrl_report, values, own[i].column, own[i].value);
    }
    for (int i = 0; i < DSC_COUNT(of_facts); i++) {
        set_texts(pool, values, of_facts[i].column, report->facts, of_facts[i].offset);
    }
    return values;
}

apr_status_t dsc_xbrl_report_add(dsc_loader_t *loader, apr_pool_t *pool, dsc_xbrl_report_t *report)
{
    apr_status_t status = order_facts(loader, pool, report);
    dsc_load_record_t record = {
        .location = report->location,
        .cik = report->cik,
        .issuer_name = report->issuer_name,
        .record_key = apr_pstrcat(pool, report->accession, "/", report->told_by, NULL),
        .known_at = report->known_at,
        .known_on = report->known_at ? NULL : report->filed_on,
        .provenance = {.provider = "sec",
                       .accession = report->accession,
                       .content_hash = report->content_hash,
                       .url = dsc_filing_url(pool, report->cik, report->accession, NULL)},
    };

    if (status != APR_SUCCESS) {
        return status;
    }
    if (report->repeats) {
        merge_roundings(pool, report);
    }
    record.values = report_values(pool, report);
    return dsc_loader_add(loader, &dsc_dataset_xbrl_report, &record);
}
