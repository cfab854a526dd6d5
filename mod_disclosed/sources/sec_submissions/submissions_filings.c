/* The filings of a submissions file: parallel arrays, read by name. */
#include "loader/loader_value.h"
#include "sources/sec_submissions/sec_submissions.h"
#include "sources/sec_submissions/submissions_row.h"
#include "sources/shared/filing_record.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>

/* In the place of a row: several say different things. */
static const size_t differing = (size_t)-1;

/* Finds the accession numbers of which two rows say different things: neither can be believed. */
static void find_repeats(dsc_submissions_t *file)
{
    const json_t *accessions = json_object_get(file->filings, "accessionNumber");
    const json_t *one;
    size_t row;

    file->rows = apr_hash_make(file->pool);
    json_array_foreach(accessions, row, one)
    {
        const char *accession = json_string_value(one);
        size_t *first = accession ? apr_hash_get(file->rows, accession, APR_HASH_KEY_STRING) : NULL;

        if (first && *first != differing &&
            !dsc_submissions_rows_agree(file->filings, *first, row)) {
            *first = differing;
        } else if (accession && !first) {
            first = apr_palloc(file->pool, sizeof(*first));
            *first = row;
            apr_hash_set(file->rows, accession, APR_HASH_KEY_STRING, first);
        }
    }
}

/* Reads a row that counts; 0 and *error if it does not. */
static int read_row(const dsc_submissions_t *file, apr_pool_t *scratch, size_t number,
                    dsc_submissions_row_t *row, dsc_submissions_error_t *error)
{
    const char *accession;
    const size_t *first;

    if (!dsc_submissions_row(scratch, file->filings, number, row, error)) {
        return 0;
    }
    accession = row->text[DSC_CELL_ACCESSION];
    first = apr_hash_get(file->rows, accession, APR_HASH_KEY_STRING);
    if (first && *first == differing) {
        error->location = apr_psprintf(scratch, "accessionNumber[%lu]", (unsigned long)number);
        error->reason = "another row of the file says something else of the same filing";
        error->sample = accession;
        return 0;
    }
    return 1;
}

static void weigh_clock(dsc_submissions_t *file, apr_pool_t *scratch)
{
    const char *given = dsc_loader_options(file->loader)->clock;
    dsc_submissions_error_t error;
    dsc_submissions_row_t filing;
    const json_t *name;
    size_t row;

    for (row = 0; row < dsc_submissions_row_count(file->filings); row++) {
        if (read_row(file, scratch, row, &filing, &error)) {
            dsc_clock_weigh(scratch, &file->evidence, filing.text[DSC_CELL_ACCEPTED_AT],
                            filing.text[DSC_CELL_FILED_ON], filing.text[DSC_CELL_FORM]);
        }
        apr_pool_clear(scratch);
    }
    json_array_foreach(json_object_get(file->issuer, "formerNames"), row, name)
    {
        dsc_clock_weigh_name(&file->evidence, json_string_value(json_object_get(name, "from")));
        dsc_clock_weigh_name(&file->evidence, json_string_value(json_object_get(name, "to")));
    }
    file->clock = !given                      ? dsc_clock_decide(&file->evidence)
                  : !strcmp(given, "eastern") ? DSC_CLOCK_EASTERN
                                              : DSC_CLOCK_UTC;
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
    dsc_submissions_error_t error;
    dsc_submissions_row_t filing;
    const char *utc, *from;
    size_t row;

    for (row = 0; row < dsc_submissions_row_count(file->filings); row++) {
        if (read_row(file, scratch, row, &filing, &error)) {
            (void)dsc_clock_to_utc(scratch, file->clock, filing.text[DSC_CELL_ACCEPTED_AT], &utc);
            if (utc && (!file->snapshot || strcmp(utc, file->snapshot) > 0)) {
                file->snapshot = apr_pstrdup(file->pool, utc);
            }
            file->first_known = earlier(file->first_known, filing.text[DSC_CELL_FILED_ON]);
        }
        apr_pool_clear(scratch);
    }
    json_array_foreach(pages, row, page)
    {
        from = dsc_submissions_text(file->pool, json_object_get(page, "filingFrom"));
        if (from && !dsc_value_error(DSC_COLUMN_DATE, from)) {
            file->first_known = earlier(file->first_known, from);
        }
    }
}

int dsc_submissions_survey(dsc_submissions_t *file, const char **reason)
{
    dsc_submissions_error_t error;
    apr_pool_t *scratch;

    if (!dsc_submissions_arrays(file->pool, file->filings, &error)) {
        *reason = apr_pstrcat(file->pool, file->location, error.location, ": ", error.reason, NULL);
        return 0;
    }
    find_repeats(file);
    apr_pool_create(&scratch, file->pool);
    weigh_clock(file, scratch);
    find_ends(file, scratch);
    apr_pool_destroy(scratch);
    return 1;
}

/* "2.02,9.01" as texts, in the file's order. Some forms put other things there, as the registration
 * and its time of effect: "S-4,,2024-11-18 16:00:00" is one text. */
static apr_array_header_t *split_items(apr_pool_t *pool, const char *text)
{
    apr_array_header_t *items = apr_array_make(pool, 4, sizeof(const char *));
    const char *at = text;

    while (at && *at) {
        size_t length = strcspn(at, ",");

        if (!dsc_is_item(at, length) || (at[length] && !at[length + 1])) {
            apr_array_clear(items);
            APR_ARRAY_PUSH(items, const char *) = text;
            return items;
        }
        APR_ARRAY_PUSH(items, const char *) = apr_pstrmemdup(pool, at, length);
        at += length + (at[length] == ',');
    }
    return items;
}

static apr_status_t add_filing(const dsc_submissions_t *file, apr_pool_t *scratch, size_t number)
{
    dsc_submissions_error_t error;
    dsc_submissions_row_t row;
    dsc_filing_facts_t facts;

    if (!read_row(file, scratch, number, &row, &error)) {
        return dsc_loader_reject(file->loader,
                                 apr_pstrcat(scratch, file->location, error.location, NULL),
                                 error.reason, error.sample);
    }
    memset(&facts, 0, sizeof(facts));
    facts.location =
        apr_psprintf(scratch, "%saccessionNumber[%lu]", file->location, (unsigned long)number);
    facts.cik = file->cik;
    facts.issuer_name = file->name;
    facts.accession = row.text[DSC_CELL_ACCESSION];
    facts.form = row.text[DSC_CELL_FORM];
    facts.filed_on = row.text[DSC_CELL_FILED_ON];
    if (!dsc_clock_to_utc(scratch, file->clock, row.text[DSC_CELL_ACCEPTED_AT],
                          &facts.accepted_at)) {
        facts.accepted_at = row.text[DSC_CELL_ACCEPTED_AT]; /* for the loader to reject */
    }
    facts.period_of_report = row.text[DSC_CELL_REPORT_DATE];
    facts.title = row.text[DSC_CELL_DESCRIPTION];
    facts.items = split_items(scratch, row.text[DSC_CELL_ITEMS]);
    facts.primary_document = row.text[DSC_CELL_DOCUMENT];
    facts.file_number = row.text[DSC_CELL_FILE_NUMBER];
    facts.size_bytes = row.text[DSC_CELL_SIZE];
    return dsc_add_filing(file->loader, scratch, &facts);
}

apr_status_t dsc_submissions_add_filings(dsc_submissions_t *file)
{
    apr_status_t status = APR_SUCCESS;
    apr_pool_t *scratch;
    size_t row;

    apr_pool_create(&scratch, file->pool);
    for (row = 0; row < dsc_submissions_row_count(file->filings) && status == APR_SUCCESS; row++) {
        status = add_filing(file, scratch, row);
        apr_pool_clear(scratch);
    }
    apr_pool_destroy(scratch);
    return status;
}
