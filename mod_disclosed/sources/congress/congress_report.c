/* Periodic transaction reports of one file on their way to the loader. */
#include "sources/congress/congress_report.h"

#include "datasets/datasets.h"
#include "loader/loader_value.h"
#include "sources/congress/congress_date.h"
#include "sources/congress/congress_identity.h"
#include "sources/congress/congress_statement.h"
#include "sources/congress/congress_value.h"
#include "sources/congress/house_copy.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>

struct dsc_congress_file_t {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    int is_house, is_part;
    int has_strays; /* rows that may be of any report */
    dsc_congress_kind_t kind;
    apr_array_header_t *reports; /* of dsc_congress_report_t *, in the file's order */
    apr_hash_t *by_id;
};

dsc_congress_file_t *dsc_congress_begin(dsc_loader_t *loader, int is_house,
                                        dsc_congress_kind_t kind)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    dsc_congress_file_t *file = apr_pcalloc(pool, sizeof(*file));

    file->loader = loader;
    file->pool = pool;
    file->is_house = is_house;
    file->kind = kind;
    file->reports = apr_array_make(pool, 256, sizeof(dsc_congress_report_t *));
    file->by_id = apr_hash_make(pool);
    return file;
}

void dsc_congress_lacks(dsc_congress_file_t *file)
{
    file->is_part = 1;
}

/* ------------------------------------------------------------------------ taking */

static dsc_congress_report_t *report_of(dsc_congress_file_t *file, const char *id, int year)
{
    dsc_congress_report_t *report = apr_hash_get(file->by_id, id, APR_HASH_KEY_STRING);

    if (report == NULL) {
        report = apr_pcalloc(file->pool, sizeof(*report));
        report->id = id;
        report->year = year;
        report->trades = apr_array_make(file->pool, 8, sizeof(dsc_congress_trade_t *));
        APR_ARRAY_PUSH(file->reports, dsc_congress_report_t *) = report;
        apr_hash_set(file->by_id, id, APR_HASH_KEY_STRING, report);
    }
    return report;
}

static void append_quote(apr_pool_t *pool, const char **quote, const char *member, const char *text)
{
    *quote = apr_pstrcat(pool, *quote == NULL ? "" : *quote, *quote == NULL ? "" : "; ", member,
                         ": ", text, NULL);
}

/* A date that lies in the years in which it can; what no calendar has is the row's error, another
 * year is quoted instead. */
static const char *date_of(const dsc_congress_file_t *file, const dsc_congress_report_t *report,
                           const char *earliest, const char *member, const char *text,
                           dsc_congress_trade_t *trade)
{
    const char *date = dsc_congress_date(file->pool, text);

    if (date != NULL && dsc_congress_can_be(report, earliest, date)) {
        return date;
    }
    text = dsc_congress_text(file->pool, text);
    if (text != NULL && date == NULL && trade->error == NULL) {
        trade->error = apr_pstrcat(file->pool, member, ": not a date", NULL);
        trade->sample = text;
    } else if (text != NULL) {
        append_quote(file->pool, &trade->quote, member, text);
    }
    return NULL;
}

static void take_dates(const dsc_congress_file_t *file, const dsc_congress_report_t *report,
                       const dsc_congress_row_t *row, dsc_congress_trade_t *trade)
{
    if (row->filing_date != NULL) {
        trade->filed_on =
            date_of(file, report, DSC_CONGRESS_FIRST_REPORTS,
                    row->filing_date_member != NULL ? row->filing_date_member : "filing_date",
                    row->filing_date, trade);
    }
    if (row->transaction_date != NULL) {
        trade->transacted_on = date_of(file, report, DSC_CONGRESS_FIRST_TRADES, "transaction_date",
                                       row->transaction_date, trade);
    }
}

static void take_values(const dsc_congress_file_t *file, const dsc_congress_row_t *row,
                        dsc_congress_trade_t *trade)
{
    apr_pool_t *pool = file->pool;

    trade->asset_name = dsc_congress_text(pool, row->asset_name);
    if (row->is_paper) { /* what it says is the words of who made the file */
        trade->type = "unknown";
        trade->quote = trade->asset_name;
        trade->asset_name = NULL;
        return;
    }
    trade->ticker = dsc_congress_ticker(pool, row->ticker);
    trade->asset_type = dsc_congress_text(pool, row->asset_type);
    trade->type = dsc_congress_type(pool, row->type);
    trade->amount = dsc_congress_text(pool, row->amount);
    trade->owner = dsc_congress_owner(pool, row->owner);
    trade->comment = dsc_congress_text(pool, row->comment);
    if (strcmp(trade->type, "unknown") == 0 && dsc_congress_text(pool, row->type) != NULL) {
        append_quote(pool, &trade->quote, "type", dsc_congress_text(pool, row->type));
    }
}

apr_status_t dsc_congress_take(dsc_congress_file_t *file, const dsc_congress_row_t *row)
{
    dsc_congress_report_t *report;
    dsc_congress_trade_t *trade;
    const char *id;
    int year;

    id = row->address == NULL ? NULL : dsc_congress_report_id(file->pool, row->address, &year);
    if (id == NULL) {
        file->has_strays = 1;
        return dsc_loader_reject(file->loader, row->location, "the address names no report",
                                 row->address);
    }
    report = report_of(file, id, year);
    trade = apr_pcalloc(file->pool, sizeof(*trade));
    APR_ARRAY_PUSH(report->trades, dsc_congress_trade_t *) = trade;
    trade->row_number = report->trades->nelts;
    trade->location = row->location;
    trade->address = row->address;
    trade->name = row->name;
    trade->state_district = dsc_congress_text(file->pool, row->state_district);
    trade->political_party = dsc_congress_text(file->pool, row->political_party);
    trade->is_paper = row->is_paper;
    trade->quote = row->quote;
    trade->error = row->error;
    trade->is_taken_back = row->is_taken_back;
    trade->sample = row->sample;
    take_values(file, row, trade);
    take_dates(file, report, row, trade);
    file->is_part |= trade->error != NULL && !trade->is_taken_back;
    return APR_SUCCESS;
}

/* ------------------------------------------------------------------------ adding */

static const char *read_from(const dsc_congress_file_t *file)
{
    return file->kind != DSC_CONGRESS_REPORT ? "copy" : file->is_part ? "part_of_report" : "report";
}

static void set_values(const dsc_congress_file_t *file, const dsc_congress_report_t *report,
                       const dsc_congress_trade_t *trade, const char **values)
{
    const dsc_dataset_t *dataset = &dsc_dataset_congress_trade;

    dsc_load_set(dataset, values, "chamber", file->is_house ? "house" : "senate");
    dsc_load_set(dataset, values, "report_id", report->id);
    dsc_load_set(dataset, values, "row_number", apr_itoa(file->pool, trade->row_number));
    dsc_load_set(dataset, values, "read_from", read_from(file));
    dsc_load_set(dataset, values, "first_name", *trade->name->first ? trade->name->first : NULL);
    dsc_load_set(dataset, values, "last_name", trade->name->last);
    dsc_load_set(dataset, values, "political_party", trade->political_party);
    dsc_load_set(dataset, values, "state_district", trade->state_district);
    dsc_load_set(dataset, values, "ticker", trade->ticker);
    dsc_load_set(dataset, values, "asset_name", trade->asset_name);
    dsc_load_set(dataset, values, "asset_type", trade->asset_type);
    dsc_load_set(dataset, values, "transaction_type", trade->type);
    dsc_load_set(dataset, values, "amount_range", trade->amount);
    dsc_load_set(dataset, values, "owner", trade->owner);
    dsc_load_set(dataset, values, "comment", trade->comment);
    dsc_load_set(dataset, values, "transaction_date", trade->transacted_on);
    dsc_load_set(dataset, values, "filing_date", trade->date.day);
    dsc_load_set(dataset, values, "filing_date_basis", trade->date.basis);
}

/* Whether nothing says of which state a representative is, of whom the name alone is several. */
static int lacks_state(const dsc_congress_file_t *file, const dsc_congress_trade_t *trade)
{
    static const char stateless[] = "-house";
    size_t length = trade->party == NULL ? 0 : strlen(trade->party);

    return file->is_house && length >= sizeof(stateless) &&
           strcmp(trade->party + length - (sizeof(stateless) - 1), stateless) == 0;
}

static apr_status_t add_trade(const dsc_congress_file_t *file, const dsc_congress_report_t *report,
                              const dsc_congress_trade_t *trade)
{
    const char **values = dsc_load_values(file->pool, &dsc_dataset_congress_trade);
    dsc_load_record_t record;

    if (trade->error != NULL) {
        return dsc_loader_reject(file->loader, trade->location, trade->error, trade->sample);
    }
    if (lacks_state(file, trade)) {
        return dsc_loader_reject(file->loader, trade->location,
                                 "it names no district, nor does the Clerk's index, if loaded",
                                 NULL);
    }
    set_values(file, report, trade, values);
    memset(&record, 0, sizeof(record));
    record.location = trade->location;
    record.party = trade->party;
    record.issuer_name = apr_pstrcat(file->pool, trade->name->first, *trade->name->first ? " " : "",
                                     trade->name->last, NULL);
    record.record_key = trade->record_key;
    record.known_at = trade->date.known_at;
    record.known_on = trade->date.known_on;
    record.provenance.provider = file->is_house ? "house_clerk" : "senate_efd";
    record.provenance.url = trade->address;
    record.provenance.quote = trade->quote;
    record.values = values;
    return dsc_loader_add(file->loader, &dsc_dataset_congress_trade, &record);
}

/* Why a row does not say who filed it, or when; NULL: it does. */
static const char *filer_error(const dsc_congress_file_t *file, const dsc_congress_trade_t *trade)
{
    if (trade->name == NULL) {
        return "it names nobody";
    }
    if (*trade->name->given == '\0') {
        return "its filer has no given name";
    }
    return file->kind == DSC_CONGRESS_REPORT && strcmp(trade->date.basis, "stated") != 0
               ? "the report has no date of signature, and the Clerk's index, which has it, is not "
                 "loaded"
               : NULL;
}

/* A report has one filer: a row that lacks the district has that of the others. */
static const char *district_of(const dsc_congress_report_t *report)
{
    const char *district = NULL;
    int i;

    for (i = 0; i < report->trades->nelts && district == NULL; i++) {
        district = APR_ARRAY_IDX(report->trades, i, const dsc_congress_trade_t *)->state_district;
    }
    return district;
}

/* The party of who filed each row, by its own words. */
static void name_parties(const dsc_congress_file_t *file, const dsc_congress_report_t *report)
{
    const char *district = file->is_house ? district_of(report) : NULL;
    int i;

    for (i = 0; i < report->trades->nelts; i++) {
        dsc_congress_trade_t *trade = APR_ARRAY_IDX(report->trades, i, dsc_congress_trade_t *);
        if (trade->error == NULL) {
            trade->error = filer_error(file, trade);
        }
        if (trade->state_district == NULL) {
            trade->state_district = district;
        }
        if (trade->name != NULL) {
            trade->named = apr_pstrcat(file->pool, "politician/",
                                       dsc_politician_slug(file->pool, trade->name, file->is_house,
                                                           trade->state_district),
                                       NULL);
            trade->party = trade->named;
        }
    }
}

/* Whether all rows of the report have been read. A copy without transactions may lack them. */
static int is_whole(const dsc_congress_file_t *file, const dsc_congress_report_t *report)
{
    int whole = file->kind == DSC_CONGRESS_REPORT ? !file->is_part : !file->has_strays;

    for (int i = 0; i < report->trades->nelts; i++) {
        const dsc_congress_trade_t *trade =
            APR_ARRAY_IDX(report->trades, i, const dsc_congress_trade_t *);

        whole &= !trade->is_paper && (trade->error == NULL || trade->is_taken_back);
    }
    return whole;
}

/* The ids of the reports that the file has whole; NULL if it may leave rows out. */
static const apr_array_header_t *whole_reports(const dsc_congress_file_t *file)
{
    apr_array_header_t *wholes = apr_array_make(file->pool, 8, sizeof(const char *));

    for (int i = 0; i < file->reports->nelts; i++) {
        const dsc_congress_report_t *report =
            APR_ARRAY_IDX(file->reports, i, const dsc_congress_report_t *);

        if (is_whole(file, report)) {
            APR_ARRAY_PUSH(wholes, const char *) = report->id;
        }
    }
    return file->kind == DSC_CONGRESS_COPY ? NULL : wholes;
}

apr_status_t dsc_congress_finish(dsc_congress_file_t *file)
{
    apr_status_t rv = dsc_congress_date_all(file->loader, file->is_house, file->reports);
    int i, row;

    if (file->is_house && file->kind == DSC_CONGRESS_COPY) {
        dsc_house_copy_cut(file->pool, file->reports);
    }
    for (i = 0; i < file->reports->nelts; i++) {
        name_parties(file, APR_ARRAY_IDX(file->reports, i, const dsc_congress_report_t *));
    }
    if (rv == APR_SUCCESS) {
        rv = dsc_congress_identify(file->loader, file->is_house, read_from(file), file->reports);
    }
    if (rv == APR_SUCCESS) {
        rv = dsc_congress_date_by_all(file->loader, file->is_house, read_from(file), file->reports,
                                      whole_reports(file));
    }
    for (i = 0; rv == APR_SUCCESS && i < file->reports->nelts; i++) {
        const dsc_congress_report_t *report =
            APR_ARRAY_IDX(file->reports, i, const dsc_congress_report_t *);
        for (row = 0; rv == APR_SUCCESS && row < report->trades->nelts; row++) {
            rv = add_trade(file, report,
                           APR_ARRAY_IDX(report->trades, row, const dsc_congress_trade_t *));
        }
    }
    return rv;
}
