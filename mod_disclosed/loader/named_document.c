#include "loader/named_document.h"

#include "engine/shape.h"

#include <apr_strings.h>

apr_status_t dsc_name_document(dsc_loader_t *loader, const char *digest, const char *accession,
                               int by_signature)
{
    static const char sql[] =
        "SELECT dataset, changed_issuer FROM disclosed.name_documents(ARRAY[$1::text],"
        " ARRAY[$2::text], ARRAY[$3::boolean])";
    const char *parameters[] = {digest, accession, by_signature ? "t" : "f"};

    return digest == NULL || accession == NULL ? APR_SUCCESS
                                               : dsc_loader_after_merge(loader, sql, 3, parameters);
}

apr_status_t dsc_yield_damaged_copies(dsc_loader_t *loader, const char *cik, const char *digest,
                                      const char *accession)
{
    static const char named_sql[] =
        "SELECT y.dataset, y.changed_issuer, u.place"
        " FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS u(cik, accession, place)"
        " CROSS JOIN LATERAL disclosed.yield_damaged_copies(u.cik, u.accession, 0, true) y"
        " WHERE EXISTS (SELECT 1 FROM disclosed.damaged_document d WHERE d.cik = u.cik)";
    static const char sql[] = "SELECT dataset, changed_issuer, ended, 0"
                              " FROM disclosed.yield_damaged_copies($1, $2, $3, $4)";
    static const char note[] =
        "SELECT 'rows of it are rejected: a copy stands of which none is'"
        " FROM disclosed.damaged_document WHERE document = left($1, 39) AND gives_way";
    apr_int64_t rejected = dsc_loader_rejected(loader);
    const char *parameters[] = {cik, accession ? accession : digest,
                                apr_psprintf(dsc_loader_file_pool(loader), "%" APR_INT64_T_FMT,
                                             rejected),
                                dsc_loader_all_merged};
    apr_status_t status;

    if (accession != NULL) {
        return rejected > 0 ? APR_SUCCESS
                            : dsc_loader_after_together(loader, named_sql, 2, parameters);
    }
    status = dsc_loader_after_merge(loader, sql, DSC_COUNT(parameters), parameters);
    return status == APR_SUCCESS && rejected > 0 ? dsc_loader_note_after(loader, note, 1, &digest)
                                                 : status;
}
