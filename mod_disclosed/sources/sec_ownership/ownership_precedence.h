/* Forms that come as documents and in data sets: the document has more details and takes
 * precedence, whichever came first. named_document has the accession numbers that have a document;
 * only documents are noted there. */
#ifndef DSC_OWNERSHIP_PRECEDENCE_H
#define DSC_OWNERSHIP_PRECEDENCE_H

#include "sources/sec_ownership/ownership_report.h"

/* What data sets and documents of these forms are kept apart by, see dsc_data_set_lock(). */
#define DSC_OWNERSHIP_LOCK "disclosed ownership data set"

/* Before a document is added: what a data set said of the form gives way to it. */
apr_status_t dsc_ownership_replace_set(const dsc_ownership_report_t *report);

#endif
