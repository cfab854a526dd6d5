/* Reports that come as documents and in data sets: the document stands, whichever came first. That an accession number has
 * a document is known by named_document, where only documents are noted. */
#ifndef DSC_NPORT_PRECEDENCE_H
#define DSC_NPORT_PRECEDENCE_H

#include "sources/sec_nport/nport_record.h"

/* What data sets and documents of these reports are kept apart by, see dsc_data_set_lock(). */
#define DSC_NPORT_LOCK "disclosed fund data set"

/* Before a document is added: what a data set said of the report gives way to it, but for the day of filing, which the
 * report takes where it has none. */
apr_status_t dsc_nport_replace_set(dsc_nport_load_t *load);

#endif
