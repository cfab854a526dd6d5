#include "loader/named_document.h"

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
