/* Which of the reports of a filing is taken. */
#ifndef DSC_XBRL_REPORT_H
#define DSC_XBRL_REPORT_H

#include "datasets/datasets.h"

/* SQL condition: no better source has the facts of this report's filing. */
#define DSC_REPORT_IS_TAKEN(name)                                                                                     \
    "NOT EXISTS (SELECT 1 FROM xbrl_report better WHERE better.accession = " name ".accession"                        \
    " AND better.issuer_id = " name ".issuer_id AND report_rank(better.told_by) < report_rank(" name ".told_by) AND {now:better})"

/* An axis, and the member on it. */
extern const dsc_shape_t dsc_shape_xbrl_dimension;

/* Whether the statements of a company's filings add up; of row c, by DSC_CALCULATION_CHECKS. */
extern const dsc_shape_t dsc_shape_calculation_checks;

#define DSC_CALCULATION_CHECKS(issuer_id_)                                                                            \
    "(SELECT count(*) AS filings, coalesce(sum(x.statements), 0)::bigint AS statements,"                              \
    " coalesce(sum(x.statements_agreeing), 0)::bigint AS statements_agreeing, coalesce(sum(x.sums), 0)::bigint AS sums,"  \
    " coalesce(sum(x.sums_agreeing), 0)::bigint AS sums_agreeing FROM calculation_check x WHERE x.issuer_id = " issuer_id_  \
    "{past: AND x.known_at <= {value:as_of}})"

#endif
