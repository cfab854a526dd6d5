#include "sources/xbrl_instance/instance_observations.h"

#include "datasets/datasets.h"
#include "sources/shared/filing_record.h"

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* Axes on which filers break their numbers down, of several years' taxonomies. */
static const struct {
    const char *axis, *dimension;
} axes[] = {
    {"us-gaap:StatementBusinessSegmentsAxis", "segment"},
    {"us-gaap:SegmentReportingInformationBySegmentAxis", "segment"},
    {"ifrs-full:SegmentsAxis", "segment"},
    {"srt:ProductOrServiceAxis", "product"},
    {"us-gaap:ProductsAndServicesAxis", "product"},
    {"us-gaap:ProductOrServiceAxis", "product"},
    {"ifrs-full:ProductsAndServicesAxis", "product"},
    {"srt:StatementGeographicalAxis", "region"},
    {"us-gaap:StatementGeographicalAxis", "region"},
    {"ifrs-full:GeographicalAreasAxis", "region"},
};

/* What numbers of segments have as well, if they are those of the segments and not of what is
 * between or above them. */
#define OPERATING_SEGMENTS "us-gaap:OperatingSegmentsMember"
static const char *const consolidation_axes[] = {"srt:ConsolidationItemsAxis",
                                                 "us-gaap:ConsolidationItemsAxis"};

/* Taxonomies that are nobody's own. */
static const char *const shared_taxonomies[] = {
    "us-gaap", "ifrs-full", "dei",      "srt",  "ecd",      "invest", "cyd",   "rr",  "oef",
    "ffd",     "country",   "currency", "exch", "stpr",     "sic",    "naics", "vip", "snj",
    "sro",     "spac",      "rxp",      "fee",  "us-types", "fnd",    "custom"};

/* An element of the dictionary. */
typedef struct {
    const char *metric_key;
    int rank, sign;
} canonical_t;

/* What a number is broken down by. */
typedef struct {
    const char *dimension; /* NULL: nothing that is taken */
    const char *axis, *member;
    int is_operating; /* of a segment as one of the operating segments */
} part_t;

/* A key figure that is taken. */
typedef struct {
    const dsc_xbrl_fact_t *fact;
    const canonical_t *canonical; /* NULL: the metric is the filer's own */
    part_t part;
    const char *metric_key, *member, *record_key;
} figure_t;

typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const dsc_xbrl_report_t *report;
    const dsc_linkbase_t *linkbase;
    apr_hash_t *dictionary; /* element -> canonical_t */
    apr_hash_t *metrics;    /* keys of the dictionary's metrics */
    apr_hash_t *members;    /* label -> the element of it, "" if it is that of several */
    apr_hash_t *totals;     /* metric and period -> canonical_t: the element of the whole company */
    const char *currency;   /* in which most facts are; NULL: none is in one */
    apr_hash_t *figures;    /* record key -> figure_t */
    apr_array_header_t *in_order; /* figure_t * */
} observations_t;

const char *dsc_metric_key_of(apr_pool_t *pool, const char *name)
{
    char *key = apr_palloc(pool, 2 * strlen(name) + 2), *end = key;

    if (!apr_isalpha(*name)) {
        *end++ = 'n';
    }
    for (const char *at = name; *at; at++) {
        int begins = apr_isupper(*at) && at > name &&
                     (apr_islower(at[-1]) || apr_isdigit(at[-1]) ||
                      (at > name + 1 && apr_isupper(at[-1]) && apr_islower(at[1])));

        if (begins && end[-1] != '_') {
            *end++ = '_';
        }
        *end++ = apr_isalnum(*at) ? (char)apr_tolower(*at) : '_';
    }
    *end = '\0';
    return key;
}

/* Takes the keys of the dictionary's metrics, also of those that no element supplies. */
static apr_status_t read_metrics(observations_t *all)
{
    PGresult *result;
    apr_status_t status =
        dsc_loader_query(all->loader, "SELECT metric_key FROM disclosed.canonical_metric", 0, NULL,
                         &result);

    if (status != APR_SUCCESS) {
        return status;
    }
    for (int i = 0; i < PQntuples(result); i++) {
        apr_hash_set(all->metrics, apr_pstrdup(all->pool, PQgetvalue(result, i, 0)),
                     APR_HASH_KEY_STRING, "");
    }
    PQclear(result);
    return APR_SUCCESS;
}

/* Takes the dictionary's elements. */
static apr_status_t read_dictionary(observations_t *all)
{
    static const char sql[] =
        "SELECT concept, metric_key, rank, sign FROM disclosed.canonical_concept";
    PGresult *result;
    apr_status_t status = dsc_loader_query(all->loader, sql, 0, NULL, &result);

    if (status != APR_SUCCESS) {
        return status;
    }
    for (int i = 0; i < PQntuples(result); i++) {
        canonical_t *canonical = apr_palloc(all->pool, sizeof(*canonical));

        canonical->metric_key = apr_pstrdup(all->pool, PQgetvalue(result, i, 1));
        canonical->rank = atoi(PQgetvalue(result, i, 2));
        canonical->sign = atoi(PQgetvalue(result, i, 3));
        apr_hash_set(all->dictionary, apr_pstrdup(all->pool, PQgetvalue(result, i, 0)),
                     APR_HASH_KEY_STRING, canonical);
    }
    PQclear(result);
    return APR_SUCCESS;
}

/* Whether the element is of the filer's own taxonomy. */
static int is_own(const char *concept)
{
    for (int i = 0; i < DSC_COUNT(shared_taxonomies); i++) {
        size_t length = strlen(shared_taxonomies[i]);

        if (strncmp(concept, shared_taxonomies[i], length) == 0 && concept[length] == ':') {
            return 0;
        }
    }
    return 1;
}

/* Whether the dimension, "axis=member", says that the segment is an operating one. */
static int is_of_operating_segments(const char *dimension)
{
    for (int i = 0; i < DSC_COUNT(consolidation_axes); i++) {
        size_t length = strlen(consolidation_axes[i]);

        if (strncmp(dimension, consolidation_axes[i], length) == 0 && dimension[length] == '=') {
            return strcmp(dimension + length + 1, OPERATING_SEGMENTS) == 0;
        }
    }
    return 0;
}

/* The axis and member of a dimension, if it is one of those above. */
static int read_part(const char *dimension, part_t *part)
{
    for (int i = 0; i < DSC_COUNT(axes); i++) {
        size_t length = strlen(axes[i].axis);

        if (strncmp(dimension, axes[i].axis, length) == 0 && dimension[length] == '=') {
            part->axis = axes[i].axis;
            part->dimension = axes[i].dimension;
            part->member = dimension + length + 1;
            return 1;
        }
    }
    return 0;
}

/* What the number is broken down by, if that is one axis of those above. Segments may be said to be
 * operating ones as well. */
static part_t part_of(apr_pool_t *pool, const char *dimensions)
{
    char *rest = apr_pstrdup(pool, dimensions), *dimension;
    part_t part = {0}, none = {0};
    int others = 0;

    while ((dimension = apr_strtok(rest, ";", &rest)) != NULL) {
        if (is_of_operating_segments(dimension)) {
            part.is_operating = 1;
        } else if (part.dimension || !read_part(dimension, &part)) {
            others++;
        }
    }
    return others > 0 || !part.dimension ||
                   (part.is_operating && strcmp(part.dimension, "segment") != 0)
               ? none
               : part;
}

/* Notes the label of the member, if the fact is broken down by one. */
static void note_member(observations_t *all, const dsc_xbrl_fact_t *fact)
{
    const char *label, *known;
    part_t part;

    if (!fact->dimensions) {
        return;
    }
    part = part_of(all->pool, fact->dimensions);
    if (!part.dimension) {
        return;
    }
    label = dsc_linkbase_label(all->pool, all->linkbase, part.member);
    known = apr_hash_get(all->members, label, APR_HASH_KEY_STRING);
    apr_hash_set(all->members, label, APR_HASH_KEY_STRING,
                 known && strcmp(known, part.member) != 0 ? "" : part.member);
}

/* The member's label, with its element if others have that label, too: they are no one's second
 * telling. */
static const char *member_name(const observations_t *all, const char *member)
{
    const char *label = dsc_linkbase_label(all->pool, all->linkbase, member);
    const char *known = apr_hash_get(all->members, label, APR_HASH_KEY_STRING);

    return known && *known ? label : apr_pstrcat(all->pool, label, " (", member, ")", NULL);
}

/* The currency of a unit, as "USD" or "USD/shares"; NULL: it has none. */
static const char *currency_of(apr_pool_t *pool, const char *unit)
{
    for (int i = 0; i < 3; i++) {
        if (!apr_isupper(unit[i])) {
            return NULL;
        }
    }
    return unit[3] == '\0' || unit[3] == '/' ? apr_pstrmemdup(pool, unit, 3) : NULL;
}

/* The currency in which the filer reports; the first by name of those with as many facts. */
static const char *main_currency(const observations_t *all)
{
    apr_hash_t *counts = apr_hash_make(all->pool);
    const char *main = NULL;
    long most = 0;

    for (int i = 0; i < all->report->facts->nelts; i++) {
        const dsc_xbrl_fact_t *fact = &APR_ARRAY_IDX(all->report->facts, i, dsc_xbrl_fact_t);
        const char *currency = currency_of(all->pool, fact->unit);
        long *count = currency ? apr_hash_get(counts, currency, APR_HASH_KEY_STRING) : NULL;

        if (!currency) {
            continue;
        }
        if (!count) {
            count = apr_pcalloc(all->pool, sizeof(*count));
            apr_hash_set(counts, currency, APR_HASH_KEY_STRING, count);
        }
        ++*count;
        if (*count > most || (*count == most && main && strcmp(currency, main) < 0)) {
            most = *count;
            main = currency;
        }
    }
    return main;
}

/* The metric of an element that is not in the dictionary: its name, behind its taxonomy if a metric
 * of the dictionary is called so. us-gaap:NoncurrentAssets are long-lived assets, and not all that
 * are not current. */
static const char *metric_outside(const observations_t *all, const char *concept)
{
    const char *key = dsc_metric_key_of(all->pool, strchr(concept, ':') + 1);

    return apr_hash_get(all->metrics, key, APR_HASH_KEY_STRING)
               ? dsc_metric_key_of(all->pool, concept)
               : key;
}

/* The metric of the figure: a metric has one currency, so those in another than the filer's, as
 * translations for convenience are, have it in their name. */
static const char *metric_of(const observations_t *all, const figure_t *figure)
{
    const dsc_xbrl_fact_t *fact = figure->fact;
    const char *currency = currency_of(all->pool, fact->unit);
    const char *key =
        figure->canonical ? figure->canonical->metric_key : metric_outside(all, fact->concept);

    return currency && all->currency && strcmp(currency, all->currency) != 0
               ? dsc_metric_key_of(all->pool, apr_pstrcat(all->pool, key, "_", currency, NULL))
               : key;
}

/* The key of the record, as the dataset's key_form has it. */
static const char *key_of(const observations_t *all, const figure_t *figure)
{
    apr_array_header_t *parts = apr_array_make(all->pool, 6, sizeof(const char *));
    const char *texts[] = {figure->metric_key,       figure->part.dimension, figure->member,
                           figure->fact->start_date, figure->fact->end_date, all->report->form};

    for (int i = 0; i < DSC_COUNT(texts); i++) {
        if (texts[i] && *texts[i]) {
            APR_ARRAY_PUSH(parts, const char *) = texts[i];
        }
    }
    return apr_array_pstrcat(all->pool, parts, '/');
}

/* The metric of the fact and its period, as the key of totals. */
static const char *total_key(const observations_t *all, const canonical_t *canonical,
                             const dsc_xbrl_fact_t *fact)
{
    return apr_pstrcat(all->pool, canonical->metric_key, "/", fact->start_date, "/", fact->end_date,
                       NULL);
}

/* Notes the element of a number of the whole company: of several the first of the dictionary. */
static void note_total(observations_t *all, const dsc_xbrl_fact_t *fact)
{
    const canonical_t *canonical =
        fact->dimensions ? NULL : apr_hash_get(all->dictionary, fact->concept, APR_HASH_KEY_STRING);
    const canonical_t *known;
    const char *key;

    if (!canonical) {
        return;
    }
    key = total_key(all, canonical, fact);
    known = apr_hash_get(all->totals, key, APR_HASH_KEY_STRING);
    if (!known || canonical->rank < known->rank) {
        apr_hash_set(all->totals, key, APR_HASH_KEY_STRING, canonical);
    }
}

/* Whether the figure is a part of the whole company's number: it has the same element. */
static int is_part_of_total(const observations_t *all, const figure_t *figure)
{
    return figure->canonical &&
           apr_hash_get(all->totals, total_key(all, figure->canonical, figure->fact),
                        APR_HASH_KEY_STRING) == figure->canonical;
}

/* Which of two figures of one record stands: one with the element of the whole company's number,
 * then one without a word on consolidation, then the one whose element comes first in the
 * dictionary. */
static int stands_before(const observations_t *all, const figure_t *one, const figure_t *other)
{
    int is_part = is_part_of_total(all, one);

    if (is_part != is_part_of_total(all, other)) {
        return is_part;
    }
    if (one->part.is_operating != other->part.is_operating) {
        return other->part.is_operating;
    }
    return one->canonical && other->canonical && one->canonical->rank < other->canonical->rank;
}

/* Takes the fact where it is a key figure. */
static void take_fact(observations_t *all, const dsc_xbrl_fact_t *fact)
{
    figure_t *figure = apr_pcalloc(all->pool, sizeof(*figure)), *known;

    figure->fact = fact;
    figure->canonical = apr_hash_get(all->dictionary, fact->concept, APR_HASH_KEY_STRING);
    if (fact->dimensions) {
        figure->part = part_of(all->pool, fact->dimensions);
    }
    if (fact->dimensions ? !figure->part.dimension : !is_own(fact->concept)) {
        return;
    }
    figure->member = figure->part.member ? member_name(all, figure->part.member) : NULL;
    figure->metric_key = metric_of(all, figure);
    figure->record_key = key_of(all, figure);
    known = apr_hash_get(all->figures, figure->record_key, APR_HASH_KEY_STRING);
    if (!known) {
        apr_hash_set(all->figures, figure->record_key, APR_HASH_KEY_STRING, figure);
        APR_ARRAY_PUSH(all->in_order, figure_t *) = figure;
    } else if (stands_before(all, figure, known)) {
        *known = *figure;
    }
}

/* The number in the dictionary's sense: of some elements with the other sign. */
static const char *value_of(apr_pool_t *pool, const figure_t *figure)
{
    const char *amount = figure->fact->amount;

    return !figure->canonical || figure->canonical->sign >= 0 ? amount
           : *amount == '-'                                   ? amount + 1
                            : apr_pstrcat(pool, "-", amount, NULL);
}

/* The element, and what it is broken down by. */
static const char *description_of(apr_pool_t *pool, const figure_t *figure)
{
    const part_t *part = &figure->part;

    return part->dimension
               ? apr_pstrcat(pool, figure->fact->concept, " of ", part->axis, "=", part->member,
                             part->is_operating ? " (" OPERATING_SEGMENTS ")" : "", NULL)
               : figure->fact->concept;
}

/* "USD/shares" as USD_per_share. */
static const char *unit_of(apr_pool_t *pool, const char *unit)
{
    size_t length = strlen(unit), end = strlen("/shares");

    return length > end && strcmp(unit + length - end, "/shares") == 0
               ? apr_pstrcat(pool, apr_pstrmemdup(pool, unit, length - end), "_per_share", NULL)
               : unit;
}

static apr_status_t add_figure(const observations_t *all, const figure_t *figure)
{
    const dsc_xbrl_report_t *report = all->report;
    const dsc_xbrl_fact_t *fact = figure->fact;
    const char **values = dsc_load_values(all->pool, &dsc_dataset_kpi_observation);
    const struct {
        const char *column, *value;
    } columns[] = {
        {"metric_key", figure->metric_key},
        {"issuer_label", dsc_linkbase_label(all->pool, all->linkbase, fact->concept)},
        {"as_described", description_of(all->pool, figure)},
        {"unit", unit_of(all->pool, fact->unit)},
        {"basis", *fact->start_date ? "duration" : "instant"},
        {"dimension", figure->part.dimension},
        {"member", figure->member},
        {"start_date", *fact->start_date ? fact->start_date : NULL},
        {"end_date", fact->end_date},
        {"value", value_of(all->pool, figure)},
        {"source_type", report->form},
        {"canonical_key", figure->canonical ? figure->canonical->metric_key : NULL},
    };
    dsc_load_record_t record = {
        .location = fact->where,
        .cik = report->cik,
        .issuer_name = report->issuer_name,
        .record_key = figure->record_key,
        .known_at = report->known_at,
        .known_on = report->known_at ? NULL : report->filed_on,
        .provenance = {.provider = "sec",
                       .accession = report->accession,
                       .url = dsc_filing_url(all->pool, report->cik, report->accession, NULL)},
        .values = values,
    };

    for (int i = 0; i < DSC_COUNT(columns); i++) {
        dsc_load_set(&dsc_dataset_kpi_observation, values, columns[i].column, columns[i].value);
    }
    return dsc_loader_add(all->loader, &dsc_dataset_kpi_observation, &record);
}

apr_status_t dsc_instance_observations(dsc_loader_t *loader, apr_pool_t *pool,
                                       const dsc_xbrl_report_t *report,
                                       const dsc_linkbase_t *linkbase, long *count)
{
    observations_t all = {.loader = loader,
                          .pool = pool,
                          .report = report,
                          .linkbase = linkbase,
                          .dictionary = apr_hash_make(pool),
                          .metrics = apr_hash_make(pool),
                          .members = apr_hash_make(pool),
                          .totals = apr_hash_make(pool),
                          .figures = apr_hash_make(pool),
                          .in_order = apr_array_make(pool, 64, sizeof(figure_t *))};
    apr_status_t status = read_dictionary(&all);

    if (status == APR_SUCCESS) {
        status = read_metrics(&all);
    }
    all.currency = main_currency(&all);
    for (int i = 0; i < report->facts->nelts; i++) {
        note_member(&all, &APR_ARRAY_IDX(report->facts, i, dsc_xbrl_fact_t));
        note_total(&all, &APR_ARRAY_IDX(report->facts, i, dsc_xbrl_fact_t));
    }

    for (int i = 0; i < report->facts->nelts && status == APR_SUCCESS; i++) {
        take_fact(&all, &APR_ARRAY_IDX(report->facts, i, dsc_xbrl_fact_t));
    }
    for (int i = 0; i < all.in_order->nelts && status == APR_SUCCESS; i++) {
        status = add_figure(&all, APR_ARRAY_IDX(all.in_order, i, const figure_t *));
    }
    *count = all.in_order->nelts;
    return status;
}
