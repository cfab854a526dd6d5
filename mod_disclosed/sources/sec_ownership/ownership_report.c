/* The records of one Form 3, 4 or 5, whichever kind of file it comes from. */
#include "sources/sec_ownership/ownership_report.h"

#include "datasets/datasets.h"
#include "engine/calendar.h"
#include "engine/decimal_multiply.h"
#include "loader/loader_value.h"
#include "sources/sec_ownership/ownership_people.h"
#include "sources/shared/filing_record.h"

#include <apr_strings.h>
#include <string.h>

enum {
    DAYS_AHEAD = 366 /* as of the date of event in a Schedule 13D or 13G */
};

static void fill_record(const dsc_ownership_report_t *report, dsc_load_record_t *record,
                        const char *location, const char *content_hash)
{
    const dsc_ownership_document_t *document = report->document;

    memset(record, 0, sizeof *record);
    record->location = location;
    record->cik = document->issuer_cik;
    record->issuer_name = document->issuer_name;
    record->known_at = report->known_at;
    record->provenance.provider = "sec";
    record->provenance.accession = report->accession;
    record->provenance.content_hash = content_hash;
    if (report->accession) {
        record->provenance.url =
            dsc_filing_url(report->pool, document->issuer_cik, report->accession, NULL);
    }
}

static const char *type_of_code(const char *code)
{
    for (const dsc_transaction_code_t *known = dsc_transaction_codes; known->code; known++) {
        if (strcmp(known->code, code) == 0) {
            return known->type;
        }
    }
    return NULL;
}

static const char *ownership_text(const char *code)
{
    if (!code) {
        return NULL;
    }
    return strcmp(code, "D") == 0 ? "direct" : strcmp(code, "I") == 0 ? "indirect" : NULL;
}

/* What the checks of single values cannot see; NULL when all is well. */
static const char *row_error(apr_pool_t *pool, const dsc_ownership_row_t *row)
{
    if (row->error) {
        return row->error;
    }
    if (row->transaction_code && !type_of_code(row->transaction_code)) {
        return apr_psprintf(pool, "transactionCode \"%.80s\" is not a transaction code",
                            row->transaction_code);
    }
    if (row->ownership && !ownership_text(row->ownership)) {
        return apr_psprintf(pool, "directOrIndirectOwnership \"%.80s\" is neither D nor I",
                            row->ownership);
    }
    if (row->transaction_date &&
        !dsc_date_is_between(row->transaction_date, dsc_ownership_first_day, DAYS_AHEAD)) {
        return apr_psprintf(pool, "transactionDate \"%.10s\" cannot be", row->transaction_date);
    }
    return NULL;
}

const char *dsc_ownership_row_key(const dsc_ownership_report_t *report, const char *name,
                                  const dsc_ownership_row_t *row)
{
    return apr_psprintf(report->pool, "%s/%s%s/%d", name, row->is_derivative ? "D" : "N",
                        row->is_holding ? "H" : "", row->number);
}

/* The names of all owners but the first, as an array; NULL when there is one alone. */
static const char *joint_owners(const dsc_ownership_report_t *report)
{
    const apr_array_header_t *owners = report->document->owners;
    apr_array_header_t *names = apr_array_make(report->pool, owners->nelts, sizeof(const char *));

    for (int i = 1; i < owners->nelts; i++) {
        const char *name = APR_ARRAY_IDX(owners, i, dsc_reporting_owner_t).name;

        if (name) {
            APR_ARRAY_PUSH(names, const char *) = name;
        }
    }
    return names->nelts > 0
               ? dsc_texts_literal(report->pool, names->nelts, (const char *const *)names->elts)
               : NULL;
}

typedef struct {
    const char *column, *text;
} value_t;

static void set_values(const dsc_dataset_t *dataset, const char **values, const value_t *list,
                       int count)
{
    for (int i = 0; i < count; i++) {
        dsc_load_set(dataset, values, list[i].column, list[i].text);
    }
}

/* The columns that transactions and holdings share. */
static void set_common(const dsc_ownership_report_t *report, const dsc_ownership_row_t *row,
                       const dsc_dataset_t *dataset, const char **values)
{
    const dsc_ownership_document_t *document = report->document;
    const dsc_reporting_owner_t *owner = &APR_ARRAY_IDX(document->owners, 0, dsc_reporting_owner_t);
    const value_t list[] = {
        {"form", document->form},
        {"period_of_report", document->period_of_report},
        {"original_filing_date", document->original_filing_date},
        {"owner_cik", owner->cik},
        {"insider_name", owner->name},
        {"relationship", dsc_relationship_text(report->pool, owner)},
        {"joint_owners", joint_owners(report)},
        {"is_derivative", row->is_derivative ? "t" : "f"},
        {"security_title", row->security_title},
        {"ownership", ownership_text(row->ownership)},
        {"ownership_nature", row->ownership_nature},
        {"conversion_price", row->conversion_price},
        {"exercise_date", row->exercise_date},
        {"expiration_date", row->expiration_date},
        {"underlying_title", row->underlying_title},
        {"underlying_shares", row->underlying_shares},
        {"footnotes", row->footnotes},
        {"remarks", report->document->remarks},
        {"filing_date", report->filing_date},
    };

    set_values(dataset, values, list, DSC_COUNT(list));
}

/* A form may state the total value of a transaction in place of a number of shares. */
static void set_transaction(const dsc_ownership_report_t *report, const dsc_ownership_row_t *row,
                            const dsc_dataset_t *dataset, const char **values)
{
    const value_t list[] = {
        {"transaction_code", row->transaction_code},
        {"transaction_type",
         row->transaction_code ? type_of_code(row->transaction_code) : "unknown"},
        {"acquired_disposed", row->acquired_disposed},
        {"shares", row->shares},
        {"price", row->price},
        {"value", row->total_value ? row->total_value
                                   : dsc_decimal_multiply(report->pool, row->shares, row->price)},
        {"shares_owned_after", row->shares_owned},
        {"value_owned_after", row->value_owned},
        {"equity_swap", row->equity_swap},
        {"rule_10b5_1", report->document->rule_10b5_1},
        {"timeliness", row->timeliness},
        {"transaction_date", row->transaction_date},
    };

    set_values(dataset, values, list, DSC_COUNT(list));
}

/* Why no row of an amendment is stored; NULL: they may be. Its rejected row may be what replaces
 * one that it amends. */
static const char *amendment_error(const dsc_ownership_report_t *report)
{
    const apr_array_header_t *rows = report->document->rows;

    for (int i = 0; i < rows->nelts && strchr(report->document->form, '/'); i++) {
        if (row_error(report->pool, &APR_ARRAY_IDX(rows, i, dsc_ownership_row_t))) {
            return "another row of this amendment is rejected: what it amends stays in force";
        }
    }
    return NULL;
}

static apr_status_t add_row(const dsc_ownership_report_t *report, const dsc_ownership_row_t *row,
                            const char *report_error)
{
    const dsc_dataset_t *dataset =
        row->is_holding ? &dsc_dataset_insider_holding : &dsc_dataset_insider;
    const char **values = dsc_load_values(report->pool, dataset);
    const char *error = row_error(report->pool, row);
    dsc_load_record_t record;

    if (error || report_error) {
        return dsc_loader_reject(report->loader, row->location, error ? error : report_error,
                                 error ? row->sample : NULL);
    }
    fill_record(report, &record, row->location, row->content_hash);
    record.record_key =
        dsc_ownership_row_key(report, report->accession ? report->accession : report->digest_name,
                              row);
    record.provenance.quote = row->quote;
    set_common(report, row, dataset, values);
    if (row->is_holding) {
        dsc_load_set(dataset, values, "shares_owned", row->shares_owned);
        dsc_load_set(dataset, values, "value_owned", row->value_owned);
    } else {
        set_transaction(report, row, dataset, values);
    }
    record.values = values;
    return dsc_loader_add(report->loader, dataset, &record);
}

static const char *person_key(apr_pool_t *pool, const dsc_reporting_owner_t *owner)
{
    return apr_pstrcat(pool, "executives/", owner->cik, NULL);
}

const char *dsc_ownership_person_keys(const dsc_ownership_report_t *report)
{
    const apr_array_header_t *owners = report->document->owners;
    apr_array_header_t *keys = apr_array_make(report->pool, owners->nelts, sizeof(const char *));

    for (int i = 0; i < owners->nelts; i++) {
        APR_ARRAY_PUSH(keys, const char *) =
            person_key(report->pool, &APR_ARRAY_IDX(owners, i, dsc_reporting_owner_t));
    }
    return dsc_text_array(report->pool, keys);
}

/* The owner with the title that the remarks state in place of the form's own field. */
static dsc_reporting_owner_t with_title(const dsc_ownership_report_t *report,
                                        const dsc_reporting_owner_t *owner)
{
    const char *remarks = report->document->owners->nelts == 1 ? report->document->remarks : NULL;
    dsc_reporting_owner_t titled = *owner;

    titled.officer_title = dsc_officer_title(report->pool, owner->officer_title, remarks);
    return titled;
}

/* Every owner is staged: one who is neither officer nor director may have been before, and a form
 * that says so may arrive later. Who never was is taken out of sight by
 * find_wanted_executives(). */
static apr_status_t add_person(const dsc_ownership_report_t *report,
                               const dsc_reporting_owner_t *owner)
{
    const dsc_dataset_t *dataset = &dsc_dataset_executive;
    const char **values = dsc_load_values(report->pool, dataset);
    const dsc_reporting_owner_t titled = with_title(report, owner);
    int is_current =
        (owner->is_officer || owner->is_director) && !report->document->no_longer_subject;
    const value_t list[] = {
        {"person_cik", owner->cik},
        {"name", owner->name},
        {"role", dsc_owner_role(report->pool, &titled)},
        {"category", "executives"},
        {"person_rank", apr_itoa(report->pool, dsc_owner_rank(&titled))},
        {"is_current", is_current ? "t" : "f"},
        {"reported_on", report->filing_date},
    };
    dsc_load_record_t record;

    if (owner->error) {
        return dsc_loader_reject(report->loader, owner->location, owner->error, owner->name);
    }
    fill_record(report, &record, owner->location, owner->content_hash);
    record.record_key = person_key(report->pool, owner);
    set_values(dataset, values, list, DSC_COUNT(list));
    record.values = values;
    return dsc_loader_add(report->loader, dataset, &record);
}

apr_status_t dsc_ownership_add(const dsc_ownership_report_t *report)
{
    const dsc_ownership_document_t *document = report->document;
    const char *error = amendment_error(report);
    apr_status_t status = APR_SUCCESS;

    for (int i = 0; i < document->rows->nelts && status == APR_SUCCESS; i++) {
        status = add_row(report, &APR_ARRAY_IDX(document->rows, i, dsc_ownership_row_t), error);
    }
    for (int i = 0; i < document->owners->nelts && status == APR_SUCCESS; i++) {
        status = add_person(report, &APR_ARRAY_IDX(document->owners, i, dsc_reporting_owner_t));
    }
    return status;
}
