#include "sources/sec_ownership/ownership_precedence.h"

/* The rows of both would be of one instant, and the same but for zeros behind the point: what a set
 * said goes. */
static const char rows_sql[] =
    "WITH moved AS (DELETE FROM disclosed.insider_transaction WHERE accession = $1"
    " AND record_key LIKE $1 || '/%' RETURNING issuer_id),"
    " held AS (DELETE FROM disclosed.insider_holding WHERE accession = $1"
    " AND record_key LIKE $1 || '/%' RETURNING issuer_id),"
    " stated AS (DELETE FROM disclosed.executive_stated WHERE origin = $1 RETURNING issuer_id)"
    " SELECT 'insider', issuer_id FROM moved UNION SELECT 'insider_holding', issuer_id FROM held"
    " UNION SELECT 'executive', issuer_id FROM stated";

/* Persons of whom the document says nothing. */
static const char persons_sql[] =
    "SELECT DISTINCT 'executive', d FROM (SELECT array_agg(e.issuer_id) AS issuers,"
    " array_agg(e.record_key) AS keys FROM disclosed.executive e WHERE e.accession = $1"
    " AND NOT EXISTS (SELECT 1 FROM disclosed.executive_stated s WHERE s.issuer_id = e.issuer_id"
    " AND s.record_key = e.record_key AND s.origin = $1)) gone"
    " CROSS JOIN LATERAL disclosed.derive_executives(gone.issuers, gone.keys) AS d";

apr_status_t dsc_ownership_replace_set(const dsc_ownership_report_t *report)
{
    apr_status_t status;

    if (!report->is_of_set) {
        return APR_SUCCESS;
    }
    status = dsc_loader_before_merge(report->loader, rows_sql, 1, &report->accession);
    return status == APR_SUCCESS
               ? dsc_loader_after_merge(report->loader, persons_sql, 1, &report->accession)
               : status;
}
