/* Documents that come without an accession number, in a file of their own, and with one, in a
 * submission: by their digest they are known to be the same. */
#ifndef DSC_NAMED_DOCUMENT_H
#define DSC_NAMED_DOCUMENT_H

#include "loader/loader.h"

/* Has it stored, after the merge, that the document of this digest ("sha256:...") has the accession
 * number. Of the digest it keeps what is in place of an accession number in record keys: the
 * algorithm and 32 digits. Without an accession number nothing is stored. `by_signature`: nothing
 * but its signatures has dated it, so that those of another copy may. */
apr_status_t dsc_name_document(dsc_loader_t *loader, const char *digest, const char *accession,
                               int by_signature);

/* Makes forms or schedules without an accession number, of which rows are rejected, yield to a
 * copy without a rejected row, whichever is loaded first: the file may be either. If the file
 * itself yields, this is reported. `accession`: NULL: it has none. */
apr_status_t dsc_yield_damaged_copies(dsc_loader_t *loader, const char *cik, const char *digest,
                                      const char *accession);

#endif
