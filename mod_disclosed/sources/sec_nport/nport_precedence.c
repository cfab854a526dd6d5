#include "sources/sec_nport/nport_precedence.h"

#include "engine/shape.h"
#include "loader/loader_value.h"

#include <apr_strings.h>

apr_status_t dsc_nport_find_stored(dsc_nport_load_t *load)
{
    static const char sql[] =
        "SELECT r.filed_on, r.is_of_set FROM (SELECT f.filed_on, NOT EXISTS (SELECT 1"
        " FROM disclosed.named_document n WHERE n.accession = f.accession) AS is_of_set"
        " FROM disclosed.fund f WHERE f.accession = $1"
        " UNION ALL (SELECT NULL, false FROM disclosed.issuer i"
        " JOIN disclosed.fund_holding h USING (issuer_id)"
        " WHERE i.cik = $2 AND h.report_key = $1 LIMIT 1)) r"
        " ORDER BY r.is_of_set DESC, r.filed_on LIMIT 1";
    const char *parameters[] = {load->record_key, load->report->cik};
    PGresult *result;
    apr_status_t status =
        dsc_loader_repeat(load->loader, sql, DSC_COUNT(parameters), parameters, &result);
    if (status == APR_SUCCESS) {
        load->is_stored = PQntuples(result) > 0;
        load->is_of_set = load->is_stored && *PQgetvalue(result, 0, 1) == 't';
        if (load->is_of_set && !load->filed_on && !PQgetisnull(result, 0, 0)) {
            load->filed_on = apr_pstrdup(load->pool, PQgetvalue(result, 0, 0));
        }
        PQclear(result);
    }
    return status;
}

/* Holdings of both would be separate rows if their places differ; the report itself becomes a
 * version of the one that is stored. */
apr_status_t dsc_nport_replace_set(const dsc_nport_load_t *load)
{
    static const char sql[] =
        "DELETE FROM disclosed.fund_holding h USING disclosed.issuer i"
        " WHERE i.cik = $2 AND h.issuer_id = i.issuer_id AND h.report_key = $1"
        " RETURNING 'fund_holding', h.issuer_id";
    const char *parameters[] = {load->accession, load->report->cik};

    return load->is_of_set ? dsc_loader_before_merge(load->loader, sql, 2, parameters)
                           : APR_SUCCESS;
}

void dsc_nport_wholes_init(dsc_nport_wholes_t *wholes, apr_pool_t *pool)
{
    wholes->ciks = apr_array_make(pool, 16, sizeof(const char *));
    wholes->keys = apr_array_make(pool, 16, sizeof(const char *));
    wholes->stored = apr_array_make(pool, 16, sizeof(const char *));
    wholes->staged = apr_array_make(pool, 16, sizeof(const char *));
    wholes->wholes = apr_array_make(pool, 16, sizeof(const char *));
    wholes->rejected = apr_array_make(pool, 16, sizeof(const char *));
}

void dsc_nport_wholes_add(dsc_nport_wholes_t *wholes, const dsc_nport_load_t *load, int staged,
                          long long rejected)
{
    apr_pool_t *pool = wholes->keys->pool;

    if (!load->is_stored && rejected == 0) {
        return;
    }
    APR_ARRAY_PUSH(wholes->ciks, const char *) = apr_pstrdup(pool, load->report->cik);
    APR_ARRAY_PUSH(wholes->keys, const char *) = apr_pstrdup(pool, load->record_key);
    APR_ARRAY_PUSH(wholes->stored, const char *) = load->is_stored ? "t" : "f";
    APR_ARRAY_PUSH(wholes->staged, const char *) = staged ? "t" : "f";
    APR_ARRAY_PUSH(wholes->wholes, const char *) = rejected == 0 ? "t" : "f";
    APR_ARRAY_PUSH(wholes->rejected, const char *) =
        apr_psprintf(pool, "%" APR_INT64_T_FMT, (apr_int64_t)rejected);
}

apr_status_t dsc_nport_end_left_out(dsc_loader_t *loader, const dsc_nport_wholes_t *wholes)
{
    static const char end_sql[] = "SELECT dataset, changed_issuer, ended, resumed"
                                  " FROM disclosed.end_left_out_holdings($1, $2, $3, $4, $5)";
    static const char note_sql[] = "SELECT dataset, changed_issuer"
                                   " FROM disclosed.note_rejected_holdings($1, $2, $3, $4, $5)";
    apr_pool_t *pool = wholes->keys->pool;
    const char *ciks = dsc_text_array(pool, wholes->ciks);
    const char *keys = dsc_text_array(pool, wholes->keys);
    const char *ended[] = {ciks, keys, dsc_text_array(pool, wholes->staged),
                           dsc_text_array(pool, wholes->wholes), dsc_loader_all_merged};
    const char *noted[] = {ciks, keys, dsc_text_array(pool, wholes->stored),
                           dsc_text_array(pool, wholes->rejected), dsc_loader_all_merged};
    apr_status_t status = APR_SUCCESS;

    if (wholes->keys->nelts > 0) {
        status = dsc_loader_after_merge(loader, end_sql, DSC_COUNT(ended), ended);
    }
    return wholes->keys->nelts > 0 && status == APR_SUCCESS
               ? dsc_loader_after_merge(loader, note_sql, DSC_COUNT(noted), noted)
               : status;
}
