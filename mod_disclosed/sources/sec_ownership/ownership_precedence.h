/* Forms that come as documents and in data sets: the document stands, which tells more, whichever came first. That an
 * accession number has a document is known by named_document, where only documents are noted. */
#ifndef DSC_OWNERSHIP_PRECEDENCE_H
#define DSC_OWNERSHIP_PRECEDENCE_H

#include "sources/sec_ownership/ownership_report.h"

/* Keeps documents from being loaded while a data set is, and the other way round, to the end of the file: each asks
 * what is stored of the other. Nobody waits for this lock who holds one of those that loads take at their end. */
apr_status_t dsc_ownership_lock(dsc_loader_t *loader, int is_set);

/* Before a document is added: what a data set said of the form gives way to it. */
apr_status_t dsc_ownership_replace_set(const dsc_ownership_report_t *report);

#endif
