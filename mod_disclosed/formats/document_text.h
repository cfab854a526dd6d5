/* The text of a document of a submission, whatever it was written in. */
#ifndef DSC_DOCUMENT_TEXT_H
#define DSC_DOCUMENT_TEXT_H

#include "engine/dataset.h"
#include "formats/sgml_submission.h"

/* Of a document, in bytes: a longer one is not stored. */
#define DSC_LARGEST_TEXT DSC_LARGEST_VALUE

#define DSC_NO_TEXT "has no text" /* how a reason begins if there is no text at all */

/* The document as plain text in clean UTF-8 without control characters but tab and newline:
 * HTML as html_text.h says; typewritten text with its layout, without EDGAR's page and table tags
 * and entities. NULL and *reason if it holds no text (DSC_NO_TEXT: empty, images
 * alone, uuencoded, PDF, XML data), or more than DSC_LARGEST_TEXT. The document itself is read
 * piece by piece. */
const char *dsc_document_text(apr_pool_t *pool, const dsc_sgml_document_t *document,
                              int dash_escaped, const char **reason);

#endif
