/* A full submission of any size: its header is read as sgml_submission.h says; its documents stay
 * in the spool and are read piece by piece. */
#ifndef DSC_SUBMISSION_SPOOL_H
#define DSC_SUBMISSION_SPOOL_H

#include "formats/sgml_submission.h"
#include "formats/spool.h"

/* Whether a name is that of a submission: .txt, .nc, maybe compressed. */
int dsc_is_submission_name(const char *name);

/* Whether a file begins as a submission does. */
int dsc_is_submission(const dsc_piece_t *file);

/* Reads a submission without the documents' texts, which become pieces of it (`body`). *header, if
 * not NULL, is the text before the first document. NULL and *reason as dsc_sgml_parse(). */
dsc_sgml_submission_t *dsc_submission_read(apr_pool_t *pool, const dsc_piece_t *file,
                                           const char **header, const char **reason);

/* The document without the tags in which a submission wraps XML and XBRL, and without white space
 * at its beginning. */
dsc_piece_t dsc_submission_unwrap(const dsc_sgml_document_t *document);

/* The time of acceptance as UTC, NULL if the header has none: an exact midnight stands for a time
 * that was not kept. 0 and *reason if it has one that is no time. */
int dsc_submission_accepted_at(apr_pool_t *pool, const dsc_sgml_submission_t *submission,
                               const char **accepted_at, const char **reason);

#endif
