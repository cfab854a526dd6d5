/* The filings of a submissions file: parallel arrays, read by name. */
#include "import/filing_record.h"
#include "import/sec_submissions.h"

#include <apr_strings.h>
#include <string.h>

enum {
    ACCESSION,
    FILED_ON,
    REPORT_DATE,
    ACCEPTED_AT,
    FORM,
    FILE_NUMBER,
    ITEMS,
    SIZE,
    DOCUMENT,
    DESCRIPTION,
    COLUMN_COUNT
};

/* EDGAR adds arrays now and then (isXBRLNumeric in 2026): those that are not named are left. */
static const char *const column_names[COLUMN_COUNT] = {
    "accessionNumber", "filingDate", "reportDate", "acceptanceDateTime", "form",
    "fileNumber",      "items",      "size",       "primaryDocument",    "primaryDocDescription"};

static const int is_required[COLUMN_COUNT] = {
    [ACCESSION] = 1, [FILED_ON] = 1, [ACCEPTED_AT] = 1, [FORM] = 1};

static const json_t *cell(const dsc_submissions_t *file, int column, size_t row)
{
    return json_array_get(json_object_get(file->filings, column_names[column]), row);
}

static size_t row_count(const dsc_submissions_t *file)
{
    return json_array_size(json_object_get(file->filings, column_names[ACCESSION]));
}

/* Why the arrays do not make rows, naming the array; NULL where they do. */
static const char *misfit(const dsc_submissions_t *file, const char **place)
{
    const json_t *array;
    const char *name;
    int i;

    for (i = 0; i < COLUMN_COUNT; i++) {
        *place = apr_pstrcat(file->pool, file->place, column_names[i], NULL);
        if (is_required[i] && !json_is_array(json_object_get(file->filings, column_names[i]))) {
            return "there is no such array; no filing of this file is read";
        }
    }
    json_object_foreach((json_t *)file->filings, name, array)
    {
        if (json_is_array(array) && json_array_size(array) != row_count(file)) {
            *place = apr_pstrcat(file->pool, file->place, name, NULL);
            return apr_psprintf(file->pool,
                                "has %lu entries where accessionNumber has %lu: "
                                "no filing of this file is read",
                                (unsigned long)json_array_size(array),
                                (unsigned long)row_count(file));
        }
    }
    return NULL;
}

static void weigh_clock(dsc_submissions_t *file, apr_pool_t *scratch)
{
    const json_t *name;
    size_t row;

    for (row = 0; row < row_count(file); row++) {
        dsc_clock_weigh(scratch, &file->evidence,
                        dsc_submissions_text(scratch, cell(file, ACCEPTED_AT, row)),
                        dsc_submissions_text(scratch, cell(file, FILED_ON, row)),
                        dsc_submissions_text(scratch, cell(file, FORM, row)));
        apr_pool_clear(scratch);
    }
    json_array_foreach(json_object_get(file->issuer, "formerNames"), row, name)
    {
        dsc_clock_weigh_name(&file->evidence, json_string_value(json_object_get(name, "from")));
        dsc_clock_weigh_name(&file->evidence, json_string_value(json_object_get(name, "to")));
    }
    file->clock = dsc_clock_decide(&file->evidence);
}

static const char *earlier(const char *left, const char *right)
{
    return !left || (right && strcmp(right, left) < 0) ? right : left;
}

/* Finds the newest acceptance time and the first filing date, that of the older pages too. */
static void find_ends(dsc_submissions_t *file, apr_pool_t *scratch)
{
    const json_t *pages = json_object_get(json_object_get(file->issuer, "filings"), "files");
    const json_t *page;
    const char *utc;
    size_t row;

    for (row = 0; row < row_count(file); row++) {
        (void)dsc_clock_to_utc(scratch, file->clock,
                               dsc_submissions_text(scratch, cell(file, ACCEPTED_AT, row)), &utc);
        if (utc && (!file->snapshot || strcmp(utc, file->snapshot) > 0)) {
            file->snapshot = apr_pstrdup(file->pool, utc);
        }
        file->first_known =
            earlier(file->first_known, dsc_submissions_text(file->pool, cell(file, FILED_ON, row)));
        apr_pool_clear(scratch);
    }
    json_array_foreach(pages, row, page)
    {
        file->first_known =
            earlier(file->first_known,
                    dsc_submissions_text(file->pool, json_object_get(page, "filingFrom")));
    }
}

apr_status_t dsc_submissions_survey(dsc_submissions_t *file)
{
    const char *place;
    const char *why = misfit(file, &place);
    apr_pool_t *scratch;

    if (why) {
        file->filings = NULL;
        return dsc_loader_reject(file->loader, place, why, NULL);
    }
    apr_pool_create(&scratch, file->pool);
    weigh_clock(file, scratch);
    find_ends(file, scratch);
    apr_pool_destroy(scratch);
    return APR_SUCCESS;
}

/* "2.02,9.01" as texts. */
static apr_array_header_t *split_items(apr_pool_t *pool, const char *text)
{
    apr_array_header_t *items = apr_array_make(pool, 4, sizeof(const char *));
    char *rest = NULL;
    char *item = text ? apr_strtok(apr_pstrdup(pool, text), ", ", &rest) : NULL;

    for (; item; item = apr_strtok(NULL, ", ", &rest)) {
        APR_ARRAY_PUSH(items, const char *) = item;
    }
    dsc_sort_items(items);
    return items;
}

static apr_status_t add_filing(const dsc_submissions_t *file, apr_pool_t *scratch, size_t row)
{
    const char *text[COLUMN_COUNT];
    dsc_filing_facts_t facts;
    int i;

    for (i = 0; i < COLUMN_COUNT; i++) {
        text[i] = dsc_submissions_text(scratch, cell(file, i, row));
    }
    memset(&facts, 0, sizeof(facts));
    facts.place = apr_psprintf(scratch, "%s%s[%lu]", file->place, column_names[ACCESSION],
                               (unsigned long)row);
    facts.cik = file->cik;
    facts.issuer_name = file->name;
    facts.accession = text[ACCESSION];
    facts.form = text[FORM];
    facts.filed_on = text[FILED_ON];
    if (!dsc_clock_to_utc(scratch, file->clock, text[ACCEPTED_AT], &facts.accepted_at)) {
        facts.accepted_at = text[ACCEPTED_AT]; /* for the loader to reject */
    }
    facts.period_of_report = text[REPORT_DATE];
    facts.title = text[DESCRIPTION];
    facts.items = split_items(scratch, text[ITEMS]);
    facts.primary_document = text[DOCUMENT];
    facts.file_number = text[FILE_NUMBER];
    facts.size_bytes = text[SIZE];
    return dsc_add_filing(file->loader, scratch, &facts);
}

apr_status_t dsc_submissions_add_filings(dsc_submissions_t *file)
{
    apr_status_t status = APR_SUCCESS;
    apr_pool_t *scratch;
    size_t row;

    apr_pool_create(&scratch, file->pool);
    for (row = 0; row < row_count(file) && status == APR_SUCCESS; row++) {
        status = add_filing(file, scratch, row);
        apr_pool_clear(scratch);
    }
    apr_pool_destroy(scratch);
    return status;
}
