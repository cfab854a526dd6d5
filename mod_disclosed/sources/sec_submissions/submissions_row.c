#include "sources/sec_submissions/submissions_row.h"

#include "loader/loader_value.h"
#include "sources/shared/filing_record.h"

#include <apr_strings.h>
#include <apr_time.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_REPORT = 1900, /* years in which dates can lie */
    FIRST_FILING = 1980,
    DAYS_AHEAD = 7, /* filings get the date of the next business day, and clocks differ */
    MEETING_AHEAD = 366
};

typedef const char *(*check_t)(apr_pool_t *pool, const char *text);

/* Why the text is no date between the year and so many days from now; NULL if it is one. */
static const char *date_error(apr_pool_t *pool, const char *text, int first_year, int days_ahead)
{
    char day[sizeof("YYYY-MM-DD")];
    apr_time_exp_t last;

    apr_cpystrn(day, text, sizeof(day));
    if (dsc_value_error(DSC_COLUMN_DATE, day)) {
        return "is not a date (YYYY-MM-DD)";
    }
    if (atoi(day) < first_year) {
        return apr_psprintf(pool, "lies before %d", first_year);
    }
    apr_time_exp_gmt(&last, apr_time_now() + apr_time_from_sec(days_ahead * 86400));
    return strcmp(day, apr_psprintf(pool, "%04d-%02d-%02d", last.tm_year + 1900, last.tm_mon + 1,
                                    last.tm_mday)) > 0
               ? "lies in the future"
               : NULL;
}

static const char *check_accession(apr_pool_t *pool, const char *text)
{
    (void)pool;
    return dsc_is_accession(text) ? NULL : "is not of the form 0000000000-00-000000";
}

static const char *check_filing_date(apr_pool_t *pool, const char *text)
{
    return strlen(text) == 10 ? date_error(pool, text, FIRST_FILING, DAYS_AHEAD)
                              : "is not a date (YYYY-MM-DD)";
}

/* A report's period may end after its filing: a proxy statement is for a meeting to come. */
static const char *check_report_date(apr_pool_t *pool, const char *text)
{
    return strlen(text) == 10 ? date_error(pool, text, FIRST_REPORT, MEETING_AHEAD)
                              : "is not a date (YYYY-MM-DD)";
}

static const char *check_acceptance(apr_pool_t *pool, const char *text)
{
    if (dsc_value_error(DSC_COLUMN_DATETIME, text) || text[strlen(text) - 1] != 'Z') {
        return "is not a date and time (YYYY-MM-DDTHH:MM:SS.000Z)";
    }
    return date_error(pool, text, FIRST_FILING, DAYS_AHEAD);
}

/* EDGAR adds arrays now and then (isXBRLNumeric in 2026): those that are not named are left. */
static const struct {
    const char *name;
    json_type type;
    int required; /* not empty */
    check_t check;
} cells[DSC_CELL_COUNT] = {
    [DSC_CELL_ACCESSION] = {"accessionNumber", JSON_STRING, 1, check_accession},
    [DSC_CELL_FILED_ON] = {"filingDate", JSON_STRING, 1, check_filing_date},
    [DSC_CELL_REPORT_DATE] = {"reportDate", JSON_STRING, 0, check_report_date},
    [DSC_CELL_ACCEPTED_AT] = {"acceptanceDateTime", JSON_STRING, 1, check_acceptance},
    [DSC_CELL_FORM] = {"form", JSON_STRING, 1, NULL},
    [DSC_CELL_FILE_NUMBER] = {"fileNumber", JSON_STRING, 0, NULL},
    [DSC_CELL_ITEMS] = {"items", JSON_STRING, 0, NULL},
    [DSC_CELL_SIZE] = {"size", JSON_INTEGER, 1, NULL},
    [DSC_CELL_DOCUMENT] = {"primaryDocument", JSON_STRING, 0, NULL},
    [DSC_CELL_DESCRIPTION] = {"primaryDocDescription", JSON_STRING, 0, NULL},
};

static const json_t *array_of(const json_t *filings, int cell)
{
    return json_object_get(filings, cells[cell].name);
}

size_t dsc_submissions_row_count(const json_t *filings)
{
    return json_array_size(array_of(filings, DSC_CELL_ACCESSION));
}

int dsc_submissions_arrays(apr_pool_t *pool, const json_t *filings, dsc_submissions_error_t *error)
{
    size_t count = dsc_submissions_row_count(filings);
    const json_t *array;
    int i;

    memset(error, 0, sizeof(*error));
    for (i = 0; i < DSC_CELL_COUNT; i++) {
        error->location = cells[i].name;
        if (!json_is_array(array_of(filings, i))) {
            error->reason = "there is no such array";
            return 0;
        }
    }
    json_object_foreach((json_t *)filings, error->location, array)
    {
        if (json_is_array(array) && json_array_size(array) != count) {
            error->reason =
                apr_psprintf(pool, "has %lu entries where accessionNumber has %lu",
                             (unsigned long)json_array_size(array), (unsigned long)count);
            return 0;
        }
    }
    return 1;
}

/* The cell as JSON, for those who look for the error. */
static const char *sample_of(apr_pool_t *pool, const json_t *value)
{
    char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *sample = dumped ? apr_pstrdup(pool, dumped) : NULL;

    free(dumped);
    return sample;
}

/* Takes the cell's text, NULL for an empty one; the reason if it is not what it should be. */
static const char *read_cell(apr_pool_t *pool, const json_t *value, int cell, const char **text)
{
    *text = NULL;
    if (!value || json_typeof(value) != cells[cell].type) {
        return cells[cell].type == JSON_STRING ? "is not a text" : "is not a whole number";
    }
    if (json_is_integer(value)) {
        *text = apr_psprintf(pool, "%" APR_INT64_T_FMT, (apr_int64_t)json_integer_value(value));
        return json_integer_value(value) < 0 ? "is negative" : NULL;
    }
    if (json_string_length(value) == 0) {
        return cells[cell].required ? "is empty" : NULL;
    }
    *text = json_string_value(value);
    return cells[cell].check ? cells[cell].check(pool, *text) : NULL;
}

int dsc_submissions_row(apr_pool_t *pool, const json_t *filings, size_t number,
                        dsc_submissions_row_t *row, dsc_submissions_error_t *error)
{
    int i;

    memset(error, 0, sizeof(*error));
    for (i = 0; i < DSC_CELL_COUNT; i++) {
        const json_t *value = json_array_get(array_of(filings, i), number);

        error->reason = read_cell(pool, value, i, &row->text[i]);
        if (error->reason) {
            error->location = apr_psprintf(pool, "%s[%lu]", cells[i].name, (unsigned long)number);
            error->sample = sample_of(pool, value);
            return 0;
        }
    }
    return 1;
}

int dsc_submissions_rows_agree(const json_t *filings, size_t left, size_t right)
{
    int i;

    for (i = 0; i < DSC_CELL_COUNT; i++) {
        if (!json_equal(json_array_get(array_of(filings, i), left),
                        json_array_get(array_of(filings, i), right))) {
            return 0;
        }
    }
    return 1;
}

const char *dsc_submissions_text(apr_pool_t *pool, const json_t *value)
{
    if (json_is_string(value)) {
        return json_string_length(value) > 0 ? json_string_value(value) : NULL;
    }
    if (json_is_integer(value)) {
        return apr_psprintf(pool, "%" APR_INT64_T_FMT, (apr_int64_t)json_integer_value(value));
    }
    return NULL;
}
