#include "loader/named_document.h"

apr_status_t dsc_name_document(dsc_loader_t *loader, const char *digest, const char *accession)
{
    static const char sql[] = "INSERT INTO disclosed.named_document (document, accession)"
                              " VALUES (left($1, 39), $2) ON CONFLICT DO NOTHING";
    const char *parameters[] = {digest, accession};

    return digest == NULL || accession == NULL ? APR_SUCCESS
                                               : dsc_loader_after_merge(loader, sql, 2, parameters);
}
