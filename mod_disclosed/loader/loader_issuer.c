/* Issuers of staged rows: those that are new are made, and named that had no name. */
#include "loader/loader_internal.h"

#include <apr_strings.h>

/* The order in which staged rows name an issuer: the first file's latest row does. */
#define FIRST_SAID DSC_FILE_OF("s.row_order") ", s.known_at DESC, s.row_order DESC"

void dsc_issuers_prepare(apr_pool_t *pool, dsc_stage_t *stage)
{
    const char *name = stage->dataset->name;

    stage->lacks_issuer.sql =
        apr_psprintf(pool,
                     "SELECT coalesce(bool_or(" ISSUER_ID " IS NULL), false),"
                     " coalesce(bool_or(i.issuer_id IS NOT NULL OR j.issuer_id IS NOT NULL), false)"
                     " FROM pg_temp.stage_%s s" ISSUER_JOIN " WHERE s.issuer_id IS NULL"
                     " AND (coalesce(i.issuer_id, j.issuer_id) IS NULL"
                     " OR (coalesce(i.name, j.name) IS NULL AND s.issuer_name IS NOT NULL))",
                     name);
    stage->add_issuers.sql =
        apr_psprintf(pool,
                     "INSERT INTO disclosed.issuer (cik, party_key, name)"
                     " SELECT DISTINCT ON (s.cik, s.party) s.cik, s.party, s.issuer_name"
                     " FROM pg_temp.stage_%s s" ISSUER_JOIN " WHERE " ISSUER_ID " IS NULL"
                     " ORDER BY s.cik, s.party, s.issuer_name IS NULL, " FIRST_SAID
                     " ON CONFLICT DO NOTHING",
                     name);
    stage->name_issuers.sql =
        apr_psprintf(pool,
                     "UPDATE disclosed.issuer i SET name = s.issuer_name FROM ("
                     " SELECT DISTINCT ON (1) " ISSUER_ID " AS issuer_id, s.issuer_name"
                     " FROM pg_temp.stage_%s s" ISSUER_JOIN
                     " WHERE s.issuer_id IS NULL AND s.issuer_name IS NOT NULL"
                     " AND coalesce(i.name, j.name) IS NULL ORDER BY 1, " FIRST_SAID ") s"
                     " WHERE i.issuer_id = s.issuer_id AND i.name IS NULL",
                     name);
}

apr_status_t dsc_issuers_find(dsc_loader_t *loader, dsc_stage_t *stage, int large,
                              dsc_lacking_t *lacking)
{
    PGresult *result;
    apr_status_t rv = dsc_loader_run(loader, &stage->lacks_issuer, large, 0, NULL, &result);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    lacking->new = *PQgetvalue(result, 0, 0) == 't';
    lacking->nameless = lacking->new || *PQgetvalue(result, 0, 1) == 't';
    PQclear(result);
    return lacking->nameless ? dsc_lock_issuers(loader) : APR_SUCCESS;
}

apr_status_t dsc_issuers_make(dsc_loader_t *loader, dsc_stage_t *stage, int large,
                              const dsc_lacking_t *lacking)
{
    apr_status_t rv = APR_SUCCESS;
    long long rows = 0;

    if (lacking->new) {
        rv = dsc_loader_write(loader, &stage->add_issuers, large, 0, NULL, &rows);
    }
    return rv == APR_SUCCESS && lacking->nameless
               ? dsc_loader_write(loader, &stage->name_issuers, large, 0, NULL, &rows)
               : rv;
}
