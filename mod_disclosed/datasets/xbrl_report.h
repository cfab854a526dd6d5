/* Which of the reports of a filing is taken. */
#ifndef DSC_XBRL_REPORT_H
#define DSC_XBRL_REPORT_H

#include "datasets/datasets.h"

/* SQL condition: no better source has the facts of this report's filing. */
#define DSC_REPORT_IS_TAKEN(name)                                                                                     \
    "NOT EXISTS (SELECT 1 FROM xbrl_report better WHERE better.accession = " name ".accession"                        \
    " AND better.issuer_id = " name ".issuer_id AND report_rank(better.told_by) < report_rank(" name ".told_by) AND {now:better})"

#endif
