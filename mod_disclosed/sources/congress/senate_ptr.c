/* Importer senate-ptr: periodic transaction reports of the Senate as public JSON files have them.
 *
 * Two shapes: an array of transactions that each name their senator and report
 * (all_transactions.json), and an array of reports, or of senators, that hold theirs
 * (transaction_report_for_MM_DD_YYYY.json, all_daily_summaries.json,
 * all_transactions_for_senators.json). */
#include "formats/import_location.h"
#include "sources/congress/congress_report.h"
#include "sources/congress/congress_value.h"
#include "sources/importers.h"

#include <apr_strings.h>
#include <string.h>
#include <strings.h>

static const char *const address_names[] = {"ptr_link", "source_url", "link", NULL};
static const char *const person_names[] = {"senator", "name", "full_name", NULL};
static const char *const first_names[] = {"first_name", "first", NULL};
static const char *const last_names[] = {"last_name", "last", NULL};
static const char *const state_names[] = {"state", "state_district", NULL};

int dsc_accept_senate_ptr(const char *name)
{
    size_t length = strlen(name);

    return length > 5 && strcasecmp(name + length - 5, ".json") == 0 &&
           strncasecmp(name, "house", 5) != 0 &&
           (strstr(name, "transaction") != NULL || strstr(name, "summaries") != NULL);
}

/* Whether the row stands for a report on paper, which the files do not read. */
static int is_paper(const json_t *object, const dsc_congress_row_t *row)
{
    return json_is_true(json_object_get(object, "scanned_pdf")) ||
           (row->asset_type != NULL && strncasecmp(row->asset_type, "PDF ", 4) == 0) ||
           (row->asset_name != NULL && strstr(row->asset_name, "scanned PDF") != NULL);
}

static const dsc_politician_name_t *name_of(apr_pool_t *pool, const json_t *object)
{
    dsc_politician_name_t *name = apr_palloc(pool, sizeof(*name));
    const char *whole = dsc_congress_member(pool, object, person_names, NULL);
    const char *first = dsc_congress_member(pool, object, first_names, NULL);
    const char *last = dsc_congress_member(pool, object, last_names, NULL);
    int found = last != NULL ? dsc_politician_name_of(pool, first == NULL ? "" : first, last, name)
                             : whole != NULL && dsc_politician_name(pool, whole, name);

    return found ? name : NULL;
}

/* A report that holds its transactions; or a senator who holds those of all reports, each with its
 * own address, while the outer address and date are those of the latest one. */
static apr_status_t take_report(dsc_loader_t *loader, dsc_congress_file_t *file,
                                const json_t *report, size_t number)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    const json_t *transactions = json_object_get(report, "transactions");
    dsc_congress_row_t outer = {0};
    apr_status_t rv = APR_SUCCESS;
    size_t i;

    dsc_congress_fill(pool, report, &outer);
    outer.location = apr_psprintf(pool, "[%lu]", (unsigned long)number);
    outer.name = name_of(pool, report);
    outer.state_district = dsc_congress_member(pool, report, state_names, NULL);
    if (json_array_size(transactions) == 0) {
        outer.is_paper = 1;
        return dsc_congress_take(file, &outer);
    }
    for (i = 0; rv == APR_SUCCESS && i < json_array_size(transactions); i++) {
        const json_t *transaction = json_array_get(transactions, i);
        const char *own = dsc_congress_member(pool, transaction, address_names, NULL);
        dsc_congress_row_t row = outer;
        if (own != NULL && (outer.address == NULL || strcmp(own, outer.address) != 0)) {
            row.filing_date = NULL;
        }
        dsc_congress_fill(pool, transaction, &row);
        row.location =
            apr_psprintf(pool, "[%lu].transactions[%lu]", (unsigned long)number, (unsigned long)i);
        row.is_paper = is_paper(transaction, &row);
        rv = dsc_congress_take(file, &row);
    }
    return rv;
}

/* In the place of a transaction, a report on paper has the day on which it was received. */
static apr_status_t take_transaction(dsc_loader_t *loader, dsc_congress_file_t *file,
                                     const json_t *transaction, size_t number)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    dsc_congress_row_t row = {0};

    dsc_congress_fill(pool, transaction, &row);
    row.location = apr_psprintf(pool, "[%lu]", (unsigned long)number);
    row.name = name_of(pool, transaction);
    row.state_district = dsc_congress_member(pool, transaction, state_names, NULL);
    row.is_paper = is_paper(transaction, &row);
    if (row.is_paper) {
        if (row.filing_date == NULL) {
            row.filing_date = row.transaction_date;
            row.filing_date_member = "transaction_date";
        }
        row.transaction_date = NULL;
    }
    return dsc_congress_take(file, &row);
}

/* Why it cannot be such a file, as its first element shows; NULL: it can. */
static const char *root_error(apr_pool_t *pool, const json_t *root)
{
    const json_t *element = json_array_get(root, 0);
    const json_t *transactions = json_object_get(element, "transactions");

    if (json_object_get(element, "representative") != NULL) {
        return "it has reports of the House: use house-ptr";
    }
    if (json_is_array(transactions) && json_object_get(element, "ptr_link") == NULL &&
        json_object_get(element, "last_name") == NULL) {
        return "transactions are grouped by ticker, which loses the order of a report's rows: use "
               "all_transactions.json";
    }
    return dsc_congress_list_error(pool, root);
}

/* Whether it is the file of a day on which no report was received. */
static int is_day_without_reports(const dsc_import_file_t *file, const json_t *root)
{
    static const char beginning[] = "transaction_report_for_";

    return json_is_array(root) && json_array_size(root) == 0 && file->inside != NULL &&
           strncasecmp(dsc_import_base_name(file->inside), beginning, strlen(beginning)) == 0;
}

/* Whether each element is a report with its own transactions. Those of a senator are of several
 * reports. */
static int holds_reports(apr_pool_t *pool, const json_t *root)
{
    size_t i, k;

    for (i = 0; i < json_array_size(root); i++) {
        const json_t *report = json_array_get(root, i);
        const json_t *transactions = json_object_get(report, "transactions");
        const char *address = dsc_congress_member(pool, report, address_names, NULL);

        if (!json_is_array(transactions)) {
            return 0;
        }
        for (k = 0; k < json_array_size(transactions); k++) {
            const char *own =
                dsc_congress_member(pool, json_array_get(transactions, k), address_names, NULL);

            if (own != NULL && (address == NULL || strcmp(own, address) != 0)) {
                return 0;
            }
        }
    }
    return 1;
}

apr_status_t dsc_load_senate_ptr(dsc_loader_t *loader, dsc_import_file_t *import_file,
                                 const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    dsc_congress_file_t *file;
    apr_status_t rv = APR_SUCCESS;
    size_t length, i;
    char *text = dsc_import_read_all(import_file, pool, DSC_LARGEST_WHOLE, &length, reason);
    json_t *root = text == NULL ? NULL : dsc_congress_parse(pool, text, length, reason);

    if (root == NULL) {
        return APR_EGENERAL;
    }
    if (is_day_without_reports(import_file, root)) {
        dsc_loader_may_be_empty(loader);
        return APR_SUCCESS;
    }
    *reason = root_error(pool, root);
    if (*reason != NULL) {
        return APR_EGENERAL;
    }
    file = dsc_congress_begin(loader, 0,
                              holds_reports(pool, root) ? DSC_CONGRESS_COPIES : DSC_CONGRESS_COPY);
    for (i = 0; rv == APR_SUCCESS && i < json_array_size(root); i++) {
        const json_t *element = json_array_get(root, i);
        rv = json_is_array(json_object_get(element, "transactions"))
                 ? take_report(loader, file, element, i)
                 : take_transaction(loader, file, element, i);
    }
    return rv == APR_SUCCESS ? dsc_congress_finish(file) : rv;
}
