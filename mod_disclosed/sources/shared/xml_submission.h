/* Finds the XML document in a filed document or submission, and reads the submission's header. */
#ifndef DSC_XML_SUBMISSION_H
#define DSC_XML_SUBMISSION_H

#include "formats/spool.h"

#include <apr_pools.h>

/* The document's bytes, and the header's facts: NULL if the file is the document alone. */
typedef struct {
    dsc_piece_t xml;
    long first_line;         /* of the document in the file, from 1 */
    const char *digest;      /* of the document, line ends as one LF */
    const char *form;        /* of the submission */
    const char *accession;   /* with dashes */
    const char *filed_on;    /* YYYY-MM-DD */
    const char *accepted_at; /* UTC, ISO with Z */
    const char *header;      /* its text */
} dsc_xml_submission_t;

/* Whether a file is named as such documents and submissions are: .xml, .txt, .nc. */
int dsc_is_xml_submission_name(const char *name);

/* Finds the document in a file: XML as it is, or the primary document of an EDGAR submission (.txt,
 * .nc) with its header. The file's line ends are LF. 0 and *reason when there is none. */
int dsc_xml_submission_find(apr_pool_t *pool, const dsc_piece_t *file,
                            dsc_xml_submission_t *submission, const char **reason);

#endif
