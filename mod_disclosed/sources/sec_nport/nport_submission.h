/* Finds the N-PORT document in a filed document or submission, and reads the submission's header.

 */
#ifndef DSC_NPORT_SUBMISSION_H
#define DSC_NPORT_SUBMISSION_H

#include "sources/shared/xml_submission.h"

#include <apr_pools.h>
#include <apr_tables.h>

/* A class of shares that the header names (<CLASS-CONTRACT>); all but the id may be NULL. */
typedef struct {
    const char *class_id, *series_id, *name, *ticker;
} dsc_nport_class_t;

typedef struct {
    dsc_xml_submission_t filed;
    apr_array_header_t *classes; /* of dsc_nport_class_t */
} dsc_nport_submission_t;

/* Finds the document in a file, as dsc_xml_submission_find(), and the classes of its header. */
int dsc_nport_find(apr_pool_t *pool, const dsc_piece_t *file, dsc_nport_submission_t *submission,
                   const char **reason);

#endif
