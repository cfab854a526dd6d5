#include "sources/xbrl_instance/linkbase_record.h"

#include "datasets/datasets.h"
#include "loader/loader_value.h"
#include "sources/shared/filing_record.h"
#include "sources/xbrl_instance/presentation.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_TERMS = 200000, /* filings have thousands */
    MOST_NUMBERS = 20000 /* of a statement: filings have hundreds */
};

typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const dsc_xbrl_report_t *report;
    const dsc_linkbase_t *linkbase;
} adding_t;

/* Sets a column of texts; none if there are none. */
static void set_texts(const adding_t *adding, const char **values, const char *column,
                      const apr_array_header_t *texts)
{
    if (texts->nelts > 0) {
        dsc_load_set(&dsc_dataset_xbrl_linkbase, values, column,
                     dsc_text_array(adding->pool, texts));
    }
}

/* Sets the columns of the calculations; if there are none to no texts. */
static void set_calculations(const adding_t *adding, const char **values)
{
    static const char *const columns[] = {"roles", "parents", "children", "weights"};
    const apr_array_header_t *calculations = adding->linkbase->calculations;
    apr_array_header_t *texts[DSC_COUNT(columns)];

    for (int i = 0; i < DSC_COUNT(columns); i++) {
        texts[i] = apr_array_make(adding->pool, calculations->nelts, sizeof(const char *));
    }
    for (int i = 0; i < calculations->nelts; i++) {
        const dsc_calculation_t *one = &APR_ARRAY_IDX(calculations, i, dsc_calculation_t);

        APR_ARRAY_PUSH(texts[0], const char *) = one->role;
        APR_ARRAY_PUSH(texts[1], const char *) = one->parent;
        APR_ARRAY_PUSH(texts[2], const char *) = one->child;
        APR_ARRAY_PUSH(texts[3], const char *) = one->weight;
    }
    for (int i = 0; i < DSC_COUNT(columns); i++) {
        dsc_load_set(&dsc_dataset_xbrl_linkbase, values, columns[i],
                     calculations->nelts > 0 ? dsc_text_array(adding->pool, texts[i]) : "{}");
    }
}

/* Sets the columns of the lines of statements. */
static void set_lines(const adding_t *adding, const char **values,
                      const dsc_presentation_t *presentation)
{
    static const char *const columns[] = {"line_statements", "line_depths",      "line_concepts",
                                          "line_labels",     "line_label_roles", "line_axes"};
    apr_array_header_t *texts[DSC_COUNT(columns)];

    for (int i = 0; i < DSC_COUNT(columns); i++) {
        texts[i] = apr_array_make(adding->pool, presentation->lines->nelts, sizeof(const char *));
    }
    for (int i = 0; i < presentation->lines->nelts; i++) {
        const dsc_presented_line_t *line =
            &APR_ARRAY_IDX(presentation->lines, i, dsc_presented_line_t);

        APR_ARRAY_PUSH(texts[0], const char *) = apr_itoa(adding->pool, line->statement);
        APR_ARRAY_PUSH(texts[1], const char *) = apr_itoa(adding->pool, line->depth);
        APR_ARRAY_PUSH(texts[2], const char *) = line->concept;
        APR_ARRAY_PUSH(texts[3], const char *) = line->label;
        APR_ARRAY_PUSH(texts[4], const char *) = line->label_role;
        APR_ARRAY_PUSH(texts[5], const char *) = line->axis;
    }
    set_texts(adding, values, "presented_roles", presentation->roles);
    for (int i = 0; i < DSC_COUNT(columns); i++) {
        set_texts(adding, values, columns[i], texts[i]);
    }
}

static int compare_keys(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Sets the columns of a hash's keys and values, those of the keys that are in `wanted`; NULL: of
 * all. */
static void set_names(const adding_t *adding, const char **values, const char *keys_column,
                      const char *texts_column, apr_hash_t *names, apr_hash_t *wanted)
{
    apr_array_header_t *keys = apr_array_make(adding->pool, 64, sizeof(const char *));
    apr_array_header_t *texts = apr_array_make(adding->pool, 64, sizeof(const char *));

    for (apr_hash_index_t *at = apr_hash_first(adding->pool, names); at; at = apr_hash_next(at)) {
        const char *key = apr_hash_this_key(at);

        if (!wanted || apr_hash_get(wanted, key, APR_HASH_KEY_STRING)) {
            APR_ARRAY_PUSH(keys, const char *) = key;
        }
    }
    if (keys->nelts > 1) {
        qsort(keys->elts, (size_t)keys->nelts, sizeof(const char *), compare_keys);
    }
    for (int i = 0; i < keys->nelts; i++) {
        APR_ARRAY_PUSH(texts, const char *) =
            apr_hash_get(names, APR_ARRAY_IDX(keys, i, const char *), APR_HASH_KEY_STRING);
    }
    set_texts(adding, values, keys_column, keys);
    set_texts(adding, values, texts_column, texts);
}

/* The elements of facts and calculations: their labels are kept. */
static apr_hash_t *elements_of(const adding_t *adding)
{
    apr_hash_t *elements = apr_hash_make(adding->pool);

    for (int i = 0; i < adding->report->facts->nelts; i++) {
        apr_hash_set(elements, APR_ARRAY_IDX(adding->report->facts, i, dsc_xbrl_fact_t).concept,
                     APR_HASH_KEY_STRING, "");
    }
    for (int i = 0; i < adding->linkbase->calculations->nelts; i++) {
        const dsc_calculation_t *one =
            &APR_ARRAY_IDX(adding->linkbase->calculations, i, dsc_calculation_t);

        apr_hash_set(elements, one->parent, APR_HASH_KEY_STRING, "");
        apr_hash_set(elements, one->child, APR_HASH_KEY_STRING, "");
    }
    return elements;
}

/* How many numbers each element has: of the whole company, or of its parts as well. */
static apr_hash_t *count_numbers(const adding_t *adding, int with_parts)
{
    apr_hash_t *counts = apr_hash_make(adding->pool);

    for (int i = 0; i < adding->report->facts->nelts; i++) {
        const dsc_xbrl_fact_t *fact = &APR_ARRAY_IDX(adding->report->facts, i, dsc_xbrl_fact_t);
        apr_uintptr_t count =
            (apr_uintptr_t)apr_hash_get(counts, fact->concept, APR_HASH_KEY_STRING);

        if (with_parts || !fact->dimensions) {
            apr_hash_set(counts, fact->concept, APR_HASH_KEY_STRING, (const void *)(count + 1));
        }
    }
    return counts;
}

static long long number_count(apr_hash_t *counts, const char *concept)
{
    return (long long)(apr_uintptr_t)apr_hash_get(counts, concept, APR_HASH_KEY_STRING);
}

/* How many numbers are added up: of each arc as many as its parent has for the whole company. */
static long long terms_of(const adding_t *adding)
{
    apr_hash_t *counts = count_numbers(adding, 0);
    long long terms = 0;

    for (int i = 0; i < adding->linkbase->calculations->nelts; i++) {
        terms += number_count(
            counts, APR_ARRAY_IDX(adding->linkbase->calculations, i, dsc_calculation_t).parent);
    }
    return terms;
}

/* How many numbers may be on the lines of one statement, of that with the most. */
static long long numbers_of(const adding_t *adding, const dsc_presentation_t *presentation)
{
    apr_hash_t *counts = count_numbers(adding, 1);
    long long numbers = 0, most = 0;
    int statement = 0;

    for (int i = 0; i < presentation->lines->nelts; i++) {
        const dsc_presented_line_t *line =
            &APR_ARRAY_IDX(presentation->lines, i, dsc_presented_line_t);

        numbers =
            (line->statement == statement ? numbers : 0) + number_count(counts, line->concept);
        statement = line->statement;
        most = numbers > most ? numbers : most;
    }
    return most;
}

/* The axes of the statements' lines: their default members are kept. */
static apr_hash_t *axes_of(const adding_t *adding, const dsc_presentation_t *presentation)
{
    apr_hash_t *axes = apr_hash_make(adding->pool);

    for (int i = 0; i < presentation->lines->nelts; i++) {
        apr_hash_set(axes, APR_ARRAY_IDX(presentation->lines, i, dsc_presented_line_t).axis,
                     APR_HASH_KEY_STRING, "");
    }
    return axes;
}

/* What the filing presents. Errors in it are reported, and it then presents nothing. */
static apr_status_t presentation_of(const adding_t *adding, const dsc_presentation_t **presentation)
{
    const char *error, *none;

    *presentation = dsc_presentation_of(adding->pool, adding->linkbase, &error);
    if (*presentation && numbers_of(adding, *presentation) > MOST_NUMBERS) {
        error = "a statement has more than 20000 numbers on its lines";
    }
    if (!error) {
        return APR_SUCCESS;
    }
    *presentation = dsc_presentation_of(adding->pool, dsc_linkbase_create(adding->pool), &none);
    return dsc_loader_reject(adding->loader, "its presentation", error, NULL);
}

apr_status_t dsc_linkbase_add(dsc_loader_t *loader, apr_pool_t *pool,
                              const dsc_xbrl_report_t *report, const dsc_linkbase_t *linkbase)
{
    const adding_t adding = {loader, pool, report, linkbase};
    const dsc_presentation_t *presentation;
    const char **values = dsc_load_values(pool, &dsc_dataset_xbrl_linkbase);
    dsc_load_record_t record = {
        .location = "its linkbases",
        .cik = report->cik,
        .issuer_name = report->issuer_name,
        .record_key = apr_pstrcat(pool, report->accession, "/linkbase", NULL),
        .known_at = report->known_at,
        .known_on = report->known_at ? NULL : report->filed_on,
        .provenance = {.provider = "sec",
                       .accession = report->accession,
                       .url = dsc_filing_url(pool, report->cik, report->accession, NULL)},
        .values = values,
    };
    apr_status_t status = presentation_of(&adding, &presentation);

    if (status != APR_SUCCESS ||
        (linkbase->calculations->nelts == 0 && presentation->lines->nelts == 0)) {
        return status;
    }
    if (terms_of(&adding) > MOST_TERMS) {
        return dsc_loader_reject(loader, record.location,
                                 "its calculations add up more than 200000 numbers", NULL);
    }
    dsc_load_set(&dsc_dataset_xbrl_linkbase, values, "form", report->form);
    dsc_load_set(&dsc_dataset_xbrl_linkbase, values, "filed_on", report->filed_on);
    set_calculations(&adding, values);
    set_lines(&adding, values, presentation);
    set_names(&adding, values, "axes", "axis_defaults", linkbase->axes,
              axes_of(&adding, presentation));
    set_names(&adding, values, "statement_roles", "statement_names", linkbase->statements, NULL);
    set_names(&adding, values, "concepts", "labels", linkbase->labels, elements_of(&adding));
    return dsc_loader_add(loader, &dsc_dataset_xbrl_linkbase, &record);
}
