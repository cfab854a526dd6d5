/* Where an N-PORT document is in what was filed, and what the submission's header says. */
#ifndef DSC_NPORT_SUBMISSION_H
#define DSC_NPORT_SUBMISSION_H

#include "formats/spool.h"

#include <apr_pools.h>
#include <apr_tables.h>

/* A class of shares that the header names (<CLASS-CONTRACT>); all but the id may be NULL. */
typedef struct {
    const char *class_id, *series_id, *name, *ticker;
} dsc_nport_class_t;

/* The document's bytes, and the header's facts: NULL where the file is the document alone. */
typedef struct {
    dsc_piece_t xml;
    long first_line;             /* of the document in the file, from 1 */
    const char *digest;          /* of the document, line ends as one LF */
    const char *accession;       /* with dashes */
    const char *filed_on;        /* YYYY-MM-DD */
    const char *accepted_at;     /* UTC, ISO with Z */
    apr_array_header_t *classes; /* of dsc_nport_class_t */
} dsc_nport_submission_t;

/* Finds the document in a file: XML as it is, or an EDGAR submission (.txt, .nc) with its header. The
 * file's line ends are LF. 0 and *reason when there is none. */
int dsc_nport_find(apr_pool_t *pool, const dsc_piece_t *file, dsc_nport_submission_t *submission,
                   const char **reason);

#endif
