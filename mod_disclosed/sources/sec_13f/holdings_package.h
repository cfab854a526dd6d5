/* Finds the cover and the information table of a Form 13F in a file. */
#ifndef DSC_HOLDINGS_PACKAGE_H
#define DSC_HOLDINGS_PACKAGE_H

#include "formats/sgml_submission.h"
#include "sources/sec_13f/holdings.h"

/* What a file holds of one report; what it does not hold is NULL. */
typedef struct {
    const dsc_sgml_submission_t *submission; /* its header, if the file is a full submission */
    dsc_holdings_report_t *report;           /* with what the header adds to the cover */
    dsc_holdings_xml_t table;
} dsc_holdings_package_t;

/* Takes a file apart: a full submission (.txt, .nc), a primary_doc.xml, an information table, a
 * submission in EDGAR's XML with the table embedded. Its line ends are LF, and the
 * result points into it. 0 and *reason if it is none of these, or
 * not well-formed, or from before 2013, when tables were plain text. */
int dsc_holdings_unpack(apr_pool_t *pool, const dsc_piece_t *file, dsc_holdings_package_t *package,
                        const char **reason);

#endif
