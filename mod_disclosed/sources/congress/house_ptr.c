/* Importer house-ptr: periodic transaction reports of the House, as the Clerk publishes them (PDF,
 * or its text) and as public JSON files have them; and the Clerk's yearly index, which states when
 * each was filed. */
#include "formats/pdf_text.h"

#include "engine/utf8.h"
#include "sources/congress/congress_report.h"
#include "sources/congress/congress_value.h"
#include "sources/congress/house_index.h"
#include "sources/congress/house_report_text.h"
#include "sources/importers.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>
#include <strings.h>

static const dsc_pdf_limit_t pdf_limit = {(size_t)16 << 20, apr_time_from_sec(60)};

static const char *const person_names[] = {"representative", "name", NULL};
static const char *const district_names[] = {"district", "state_district", "state", NULL};

static int ends_with(const char *name, const char *suffix)
{
    size_t length = strlen(name), size = strlen(suffix);

    return length > size && strcasecmp(name + length - size, suffix) == 0;
}

/* 20022260.pdf, its text, 2023FD.xml, 2023FD.txt, house_transactions.json */
int dsc_accept_house_ptr(const char *name)
{
    if (ends_with(name, ".xml")) {
        return strspn(name, "0123456789") == 4 && strcasecmp(name + 4, "FD.xml") == 0;
    }
    if (ends_with(name, ".json")) {
        return strstr(name, "transaction") != NULL && strncasecmp(name, "senate", 6) != 0;
    }
    return ends_with(name, ".pdf") || ends_with(name, ".txt");
}

/* --------------------------------------------------------------------------- JSON */

static apr_status_t take_transaction(dsc_loader_t *loader, dsc_congress_file_t *file,
                                     const json_t *transaction, size_t number)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    const char *person = dsc_congress_member(pool, transaction, person_names, NULL);
    dsc_politician_name_t *name = apr_palloc(pool, sizeof(*name));
    dsc_congress_row_t row = {0};

    dsc_congress_fill(pool, transaction, &row);
    row.location = apr_psprintf(pool, "[%lu]", (unsigned long)number);
    row.name = person != NULL && dsc_politician_name(pool, person, name) ? name : NULL;
    row.state_district = dsc_congress_member(pool, transaction, district_names, NULL);
    row.is_paper = row.asset_name != NULL && strstr(row.asset_name, "scanned PDF") != NULL;
    return dsc_congress_take(file, &row);
}

static const char *root_error(apr_pool_t *pool, const json_t *root)
{
    const json_t *first = json_array_get(root, 0);

    return json_object_get(first, "senator") != NULL || json_object_get(first, "office") != NULL
               ? "it has reports of the Senate: use senate-ptr"
               : dsc_congress_list_error(pool, root);
}

static apr_status_t load_transactions(dsc_loader_t *loader, const char *text, size_t length,
                                      const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    dsc_congress_file_t *file = dsc_congress_begin(loader, 1, DSC_CONGRESS_COPY);
    json_t *root = dsc_congress_parse(pool, text, length, reason);
    apr_status_t rv = APR_SUCCESS;
    size_t i;

    if (root == NULL || (*reason = root_error(pool, root)) != NULL) {
        return APR_EGENERAL;
    }
    for (i = 0; rv == APR_SUCCESS && i < json_array_size(root); i++) {
        rv = take_transaction(loader, file, json_array_get(root, i), i);
    }
    return rv == APR_SUCCESS ? dsc_congress_finish(file) : rv;
}

/* --------------------------------------------------------- the reports themselves */

/* One report on its way to the loader. */
typedef struct {
    dsc_loader_t *loader;
    dsc_congress_file_t *file;
    const char *address;
    const dsc_politician_name_t *name;
    int year_is_reported; /* that its year has been guessed */
} report_t;

/* Where the Clerk has it: in the folder of the year of filing. A report without a date of signature
 * is taken for one of the year in which its first transaction was notified. */
static const char *address_of(report_t *report, const dsc_house_report_t *head,
                              const dsc_house_row_t *row)
{
    apr_pool_t *pool = dsc_loader_file_pool(report->loader);
    const char *day = dsc_congress_date(pool, head->filed_on);

    if (day == NULL && !report->year_is_reported) {
        report->year_is_reported = 1;
        dsc_loader_note(report->loader, "no date of signature: the year in its address is that of "
                                        "its first notification");
    }
    day = day == NULL ? dsc_congress_date(pool, row->notification_date) : day;
    return apr_psprintf(pool, "https://disclosures-clerk.house.gov/public_disc/ptr-pdfs/%s%s.pdf",
                        day == NULL ? "" : apr_psprintf(pool, "%.4s/", day), head->filing_id);
}

static void append_text(apr_pool_t *pool, const char **whole, const char *label, const char *text)
{
    if (text != NULL) {
        *whole = *whole == NULL
                     ? apr_pstrcat(pool, label, text, NULL)
                     : apr_pstrcat(pool, *whole, *label == '\0' ? " " : "; ", label, text, NULL);
    }
}

/* What the table has and a trade has no column for. */
static const char *quote_of(apr_pool_t *pool, const dsc_house_row_t *row)
{
    const char *quote = NULL;

    append_text(pool, &quote, "ID: ", row->id);
    if (row->filing_status != NULL && strcasecmp(row->filing_status, "New") != 0) {
        append_text(pool, &quote, "Filing Status: ", row->filing_status);
    }
    append_text(pool, &quote, "Subholding Of: ", row->subholding);
    append_text(pool, &quote, "Location: ", row->location);
    return quote;
}

static void judge(const dsc_house_row_t *row, dsc_congress_row_t *trade)
{
    trade->error = row->error;
    trade->sample = row->sample;
    if (row->error == NULL && row->filing_status != NULL &&
        strcasecmp(row->filing_status, "Deleted") == 0) {
        trade->error = "its filing status is Deleted: it takes a transaction back and reports none";
        trade->is_taken_back = 1;
    }
}

static apr_status_t take_row(void *baton, const dsc_house_report_t *head,
                             const dsc_house_row_t *row)
{
    report_t *report = baton;
    apr_pool_t *pool = dsc_loader_file_pool(report->loader);
    dsc_politician_name_t *name = apr_palloc(pool, sizeof(*name));
    const char *location = apr_psprintf(pool, "line %ld", row->line);
    dsc_congress_row_t trade = {.location = location,
                                .name = report->name,
                                .address = report->address};

    if (!row->is_row) {
        dsc_congress_lacks(report->file);
        return dsc_loader_reject(report->loader, location, row->error, row->sample);
    }
    if (report->address == NULL) {
        report->name = dsc_politician_name(pool, head->name, name) ? name : NULL;
        report->address = address_of(report, head, row);
        trade.name = report->name;
        trade.address = report->address;
    }
    if (head->state_district != NULL) { /* "TX 02" in some; the call returns its end */
        char *district = apr_pstrdup(pool, head->state_district);
        (void)apr_collapse_spaces(district, head->state_district);
        trade.state_district = district;
    }
    trade.filing_date = head->filed_on;
    trade.filing_date_member = "Digitally Signed";
    trade.transaction_date = row->transaction_date;
    trade.owner = row->owner == NULL ? "Self" : row->owner;
    trade.asset_name = row->asset;
    trade.ticker = row->ticker;
    trade.asset_type = row->asset_type;
    trade.type = row->type;
    trade.amount = row->amount;
    append_text(pool, &trade.comment, "", row->description);
    append_text(pool, &trade.comment, "", row->comments);
    trade.quote = quote_of(pool, row);
    judge(row, &trade);
    return dsc_congress_take(report->file, &trade);
}

static apr_status_t load_report(dsc_loader_t *loader, const char *text, size_t length,
                                const char **reason)
{
    report_t report = {.loader = loader,
                       .file = dsc_congress_begin(loader, 1, DSC_CONGRESS_REPORT)};
    apr_status_t rv;

    rv = dsc_house_report_read(dsc_loader_file_pool(loader), text, length, take_row, &report,
                               reason);
    return rv == APR_SUCCESS ? dsc_congress_finish(report.file) : rv;
}

static apr_status_t load_pdf(dsc_loader_t *loader, const char *pdf, size_t length,
                             const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    size_t size;
    char *text = dsc_pdf_text(pool, pdf, length, &pdf_limit, &size, reason);

    return text == NULL ? APR_EGENERAL : load_report(loader, text, size, reason);
}

/* ----------------------------------------------------------------------- any of them */

/* "%PDF-" may have some bytes before it; without it a file of that name is no PDF. */
static int is_pdf(const char *name, const char *text)
{
    return strncmp(text, "%PDF-", 5) == 0 || ends_with(name, ".pdf");
}

apr_status_t dsc_load_house_ptr(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    size_t length, blank;
    char *text = dsc_import_read_all(file, pool, DSC_LARGEST_WHOLE, &length, reason);

    if (text == NULL) {
        return APR_EGENERAL;
    }
    if (is_pdf(file->name, text)) {
        return load_pdf(loader, text, length, reason);
    }
    blank = dsc_utf8_mark(text, length);
    text += blank;
    length -= blank;
    switch (text[strspn(text, " \t\r\n\f")]) {
    case '[':
    case '{':
        return load_transactions(loader, text, length, reason);
    case '<':
        return dsc_house_index_xml(loader, text, length, reason);
    case '\0':
        return load_report(loader, text, length, reason);
    default:
        return dsc_house_is_report(text, length)
                   ? load_report(loader, text, length, reason)
                   : dsc_house_index_text(loader, text, length, reason);
    }
}
