/* The records of one Form N-PORT, whichever kind of file it comes from. */
#ifndef DSC_NPORT_RECORD_H
#define DSC_NPORT_RECORD_H

#include "engine/dataset.h"
#include "loader/loader.h"
#include "sources/sec_nport/nport_document.h"

/* What is the same for all records of a report. */
typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const dsc_nport_report_t *report;
    const char *accession; /* NULL: none known */
    const char *known_at;
    const char *record_key;
    const char *filed_on, *accepted_at; /* as a header or a data set says; NULL: not stated */
    const char *
        rows_hash; /* content hash of the table with the holdings; NULL: of the file being loaded */
    int is_rejected;          /* the report is, and with it all that belongs to it */
    int is_stored, is_of_set; /* there are rows of it; they are a data set's */
} dsc_nport_load_t;

typedef struct {
    const char *column, *text;
} dsc_nport_value_t;

/* Adds a record of the report's registrant, from a file with that content hash (NULL: the one being
 * loaded), or rejects it with the report; `pool` may be cleared afterwards. */
apr_status_t dsc_nport_add(const dsc_nport_load_t *load, apr_pool_t *pool,
                           const dsc_dataset_t *dataset, const char *location, const char *key,
                           const char *content_hash, const dsc_nport_value_t *list, int count);

/* Adds the report, or rejects it: what is added after it then is rejected as well. */
apr_status_t dsc_nport_add_report(dsc_nport_load_t *load, const char *location);

/* Adds a holding, or rejects one with an error. */
apr_status_t dsc_nport_add_holding(const dsc_nport_load_t *load, apr_pool_t *pool,
                                   const dsc_nport_holding_t *holding);

#endif
