#include "sources/sec_nport/nport_precedence.h"

#include <apr_strings.h>

/* The day of filing that a data set has told of the report; *is_of_set: whether one has told of it at all. */
static apr_status_t find_set(dsc_nport_load_t *load, int *is_of_set)
{
    static const char sql[] =
        "SELECT f.filed_on FROM disclosed.fund f WHERE f.accession = $1 AND NOT EXISTS"
        " (SELECT 1 FROM disclosed.named_document n WHERE n.accession = f.accession)"
        " ORDER BY f.filed_on LIMIT 1";
    PGresult *result;
    apr_status_t status = dsc_loader_repeat(load->loader, sql, 1, &load->accession, &result);

    *is_of_set = 0;
    if (status == APR_SUCCESS) {
        *is_of_set = PQntuples(result) > 0;
        if (*is_of_set && !load->filed_on && !PQgetisnull(result, 0, 0)) {
            load->filed_on = apr_pstrdup(load->pool, PQgetvalue(result, 0, 0));
        }
        PQclear(result);
    }
    return status;
}

/* Holdings of both would stand side by side where their places differ; the report itself becomes a version of the one that
 * is stored. */
apr_status_t dsc_nport_replace_set(dsc_nport_load_t *load)
{
    static const char sql[] =
        "DELETE FROM disclosed.fund_holding h USING disclosed.issuer i"
        " WHERE i.cik = $2 AND h.issuer_id = i.issuer_id AND h.report_key = $1"
        " RETURNING 'fund_holding', h.issuer_id";
    const char *parameters[] = {load->accession, load->report->cik};
    apr_status_t status = APR_SUCCESS;
    int is_of_set = 0;

    if (load->accession) {
        status = find_set(load, &is_of_set);
    }
    return status == APR_SUCCESS && is_of_set
               ? dsc_loader_before_merge(load->loader, sql, 2, parameters)
               : status;
}
