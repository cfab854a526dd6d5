/* Who asks and how much is left to them: once for each request, whatever becomes of it. */
#ifndef DSC_VISITOR_H
#define DSC_VISITOR_H

#include "access/limit.h"
#include "access/verify.h"
#include "engine/operation.h"

#include <httpd.h>

typedef struct {
    dsc_verify_t verdict;   /* of the key */
    dsc_verified_key_t key; /* when it is good */
    const char *key_id;     /* the same; NULL otherwise */
    int operation;          /* what was asked, by its place in the registry; -1: nothing we have */
    const dsc_plan_t *plan; /* the same; of test keys the free one */
    uint64_t credits;       /* the same: in a month */
    dsc_limited_t limited;
    dsc_limit_verdict_t limit;
} dsc_visitor_t;

/* Set once in each httpd process, before requests. */
void dsc_visitor_init(dsc_shared_state_t *state);

/* The visitor of the request: the key is verified and the request is counted when this is first
 * called. `operation` is NULL where the path leads to none. The answer's headers tell the limits
 * from then on, whoever gives it. */
dsc_visitor_t *dsc_visitor(request_rec *r, const dsc_operation_t *operation);

/* The same where it was made already; NULL where it was not. */
dsc_visitor_t *dsc_visitor_of(const request_rec *r);

#endif
