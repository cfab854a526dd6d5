#include "sources/sec_13f/holdings_stored.h"

#include "engine/shape.h"

#include <apr_strings.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Of each row the latest version. */
static const char rows_sql[] =
    "SELECT DISTINCT ON (p.row_number) p.row_number, p.issuer_title, p.class_title, p.cusip, p.figi,"
    " p.value_as_filed, coalesce(p.shares, p.principal_amount), p.shares_type, p.put_call,"
    " p.investment_discretion, p.other_managers, p.voting_sole, p.voting_shared, p.voting_none,"
    " p.content_hash"
    " FROM disclosed.institution_position_sourced p JOIN disclosed.issuer i USING (issuer_id)"
    " WHERE i.cik = $1 AND p.period_of_report = $2 AND p.accession = $3"
    " ORDER BY p.row_number, p.known_at DESC, p.row_id DESC";

#define HOLDING(member) offsetof(dsc_holding_t, member)

/* Members of a row by the columns behind its number. */
static const size_t members[] = {
    HOLDING(issuer_title), HOLDING(class_title),    HOLDING(cusip),       HOLDING(figi),
    HOLDING(value),        HOLDING(amount),         HOLDING(amount_type), HOLDING(put_call),
    HOLDING(discretion),   HOLDING(other_managers), HOLDING(voting_sole), HOLDING(voting_shared),
    HOLDING(voting_none),
};

static void read_row(apr_pool_t *each, const PGresult *result, int line, dsc_holding_t *row)
{
    memset(row, 0, sizeof(*row));
    row->number = atol(PQgetvalue(result, line, 0));
    row->location = apr_psprintf(each, "row %ld", row->number);
    for (int i = 0; i < DSC_COUNT(members); i++) {
        if (!PQgetisnull(result, line, i + 1)) {
            *(const char **)(void *)((char *)row + members[i]) = PQgetvalue(result, line, i + 1);
        }
    }
}

apr_status_t dsc_holdings_stored_rows(dsc_loader_t *loader, const dsc_holdings_report_t *report,
                                      dsc_holding_visit_t *visit, void *baton, const char **hash)
{
    const char *parameters[] = {report->cik, report->period, report->accession};
    int hash_column = DSC_COUNT(members) + 1;
    apr_pool_t *each;
    PGresult *result;
    apr_status_t rv = dsc_loader_query(loader, rows_sql, 3, parameters, &result);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    *hash = PQntuples(result) == 0 || PQgetisnull(result, 0, hash_column)
                ? NULL
                : apr_pstrdup(dsc_loader_file_pool(loader), PQgetvalue(result, 0, hash_column));
    apr_pool_create(&each, dsc_loader_file_pool(loader));
    for (int line = 0; line < PQntuples(result) && rv == APR_SUCCESS; line++) {
        dsc_holding_t row;

        read_row(each, result, line, &row);
        rv = visit(baton, &row);
        apr_pool_clear(each);
    }
    apr_pool_destroy(each);
    PQclear(result);
    return rv;
}
