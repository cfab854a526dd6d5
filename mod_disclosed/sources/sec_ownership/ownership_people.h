/* The relationship of a reporting owner to the issuer, in words and as a rank. */
#ifndef DSC_OWNERSHIP_PEOPLE_H
#define DSC_OWNERSHIP_PEOPLE_H

#include "sources/sec_ownership/ownership_document.h"

/* Order of showing persons; values of executive.person_rank. */
enum {
    DSC_RANK_CHIEF_EXECUTIVE = 1,
    DSC_RANK_CHIEF_FINANCIAL = 2,
    DSC_RANK_OFFICER = 3,
    DSC_RANK_DIRECTOR = 4,
    DSC_RANK_OTHER = 5
};

/* The boxes ticked, in the order of the form: "Director, Officer: Chief Financial Officer, 10%
 * Owner, Other: <text>"; "Not stated" when none is. */
const char *dsc_relationship_text(apr_pool_t *pool, const dsc_reporting_owner_t *owner);

/* The officer's title, "Officer" without one, "Director", or what else the boxes say. */
const char *dsc_owner_role(apr_pool_t *pool, const dsc_reporting_owner_t *owner);

/* The officer's title; where it is "See Remarks", the one that the remarks of a form with that one
 * owner state as "Title: ...". `remarks` may be NULL. */
const char *dsc_officer_title(apr_pool_t *pool, const char *title, const char *remarks);

/* By box and title. */
int dsc_owner_rank(const dsc_reporting_owner_t *owner);

#endif
