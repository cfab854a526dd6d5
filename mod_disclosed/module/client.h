/* Identifies the client and its remaining limits: once for each request, whatever its outcome. */
#ifndef DSC_CLIENT_H
#define DSC_CLIENT_H

#include "access/limit.h"
#include "access/verify.h"
#include "engine/call.h"

#include <httpd.h>

typedef struct {
    apr_time_t deadline;    /* of what is read for the request; see dsc_database_deadline() */
    dsc_caller_t caller;    /* what the engine knows of it: set when the key is good, else zero */
    dsc_verify_t verdict;   /* of the key */
    dsc_verified_key_t key; /* when it is good */
    int operation;          /* what was asked, by its place in the registry; -1: nothing we have */
    const dsc_plan_t *plan; /* when the key is good; of test keys the free one */
    dsc_limited_t limited;
    dsc_limit_verdict_t limit;
} dsc_client_t;

/* Set once in each httpd process, before requests. */
void dsc_client_init(dsc_shared_state_t *state);

/* The client of the request: the key is verified and the request is counted when this is first
 * called. `operation` is NULL if the path leads to none. From then on the response's headers state
 * the limits, whichever code makes it. */
dsc_client_t *dsc_client(request_rec *r, const dsc_operation_t *operation);

/* Sets the headers that state the client's limits. */
void dsc_client_headers(request_rec *r, const dsc_client_t *client);

/* The client as one that asks for another operation in the same request: counted for it, but for
 * what is paid. */
const dsc_client_t *dsc_client_for(request_rec *r, const dsc_client_t *client,
                                   const dsc_operation_t *operation, uint64_t paid);

/* The same if it was made already; NULL if it was not. */
dsc_client_t *dsc_client_of(const request_rec *r);

#endif
