/* Reports that come as documents and in data sets: the document takes precedence, whichever came
 * first. named_document has the accession numbers that have a document; only documents are noted
 * there. */
#ifndef DSC_NPORT_PRECEDENCE_H
#define DSC_NPORT_PRECEDENCE_H

#include "sources/sec_nport/nport_record.h"

/* What data sets and documents of these reports are kept apart by, see dsc_data_set_lock(). */
#define DSC_NPORT_LOCK "disclosed fund data set"

/* Finds out what is stored of a document's report. The filing date of a data set is used if the
 * document has none. */
apr_status_t dsc_nport_find_stored(dsc_nport_load_t *load);

/* Before a document is merged: what a data set said of the report gives way to it. */
apr_status_t dsc_nport_replace_set(const dsc_nport_load_t *load);

/* Reports of which a file has been read, and of which rows are stored or of whose file rows were
 * rejected. */
typedef struct {
    apr_array_header_t *ciks, *keys, *stored, *staged, *wholes, *rejected; /* of const char * */
} dsc_nport_wholes_t;

void dsc_nport_wholes_init(dsc_nport_wholes_t *wholes, apr_pool_t *pool);

/* Takes a report that has been added; `staged`: whether a holding of it was, `rejected`: how many
 * rows of it were, which may be those that are missing then. */
void dsc_nport_wholes_add(dsc_nport_wholes_t *wholes, const dsc_nport_load_t *load, int staged,
                          long long rejected);

/* Has stored holdings end, at the merge, that a whole report does not have, and hold again what an
 * earlier one lacked; and keeps how many rows of each report were rejected, which decides between
 * reports of the same claim. */
apr_status_t dsc_nport_end_left_out(dsc_loader_t *loader, const dsc_nport_wholes_t *wholes);

#endif
