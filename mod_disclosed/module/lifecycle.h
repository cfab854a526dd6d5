/* The lifecycle of a request, from httpd's handler hook to the response. */
#ifndef DSC_LIFECYCLE_H
#define DSC_LIFECYCLE_H

#include "module/client.h"
#include "module/config.h"

#include <httpd.h>

/* Name of the handler that requests in our URL space get. */
#define DSC_HANDLER_NAME "disclosed"

/* A request on its way. */
typedef struct {
    request_rec *r;
    const dsc_server_config_t *config;
    dsc_call_t *call;
    const dsc_client_t *client; /* from the step that identifies it on */
    dsc_route_result_t routed;  /* from the step that finds the operation on */
} dsc_request_t;

/* A step returns OK, and the next one follows; DONE when the call has its response; or a status
 * that httpd is left to respond with, AP_FILTER_ERROR if a filter has already sent a response. */
typedef int dsc_step_t(dsc_request_t *request);

/* The handler hook. */
int dsc_handle(request_rec *r);

/* What other handlers of requests are made of. */
void dsc_request_begin(dsc_request_t *request, request_rec *r);
dsc_step_t dsc_request_preflight, dsc_request_identify, dsc_request_check_limit,
    dsc_request_require_key, dsc_request_check_share;

/* The body is read when it is wanted, which waits for it, and left otherwise; what is wrong with it
 * becomes the response. */
int dsc_request_take_body(dsc_request_t *request, int wanted);

/* Takes the steps and sends what comes of them; returns what a handler does. */
int dsc_request_run(dsc_request_t *request, dsc_step_t *const *steps);

/* The problem of that status, or of that slug, as the response: DONE. */
int dsc_request_problem(dsc_request_t *request, int status, const char *detail);

/* Makes another request of the API for the same client, which is charged for it; of its cost so
 * many requests are paid. The configuration of its own path holds. `body` NULL: none. Returns the
 * call, with its response. */
dsc_call_t *dsc_request_perform(const dsc_request_t *request, const char *method,
                                const char *target, const char *body, uint64_t paid);

#endif
