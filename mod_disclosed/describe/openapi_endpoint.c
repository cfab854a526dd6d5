/* The endpoint that serves the OpenAPI document. */
#include "datasets/datasets.h"
#include "describe/openapi.h"

static int answer_openapi(dsc_call_t *call)
{
    dsc_openapi_write(call->body, call->service);
    return call->status;
}

const dsc_endpoint_t dsc_endpoint_openapi = {"get_openapi",
                                             "GET",
                                             "/v1/openapi.json",
                                             "Description",
                                             "This description, OpenAPI 3.1.",
                                             DSC_ANSWER_HANDLER,
                                             0,
                                             NULL,
                                             0,
                                             NULL,
                                             NULL,
                                             NULL,
                                             NULL,
                                             NULL,
                                             answer_openapi};
