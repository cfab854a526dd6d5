/* The endpoint that serves the OpenAPI document. */
#include "datasets/datasets.h"
#include "describe/openapi.h"

static void respond_openapi(dsc_call_t *call)
{
    dsc_openapi_write(call->body, call->service);
}

const dsc_endpoint_t dsc_endpoint_openapi = {
    GET("get_openapi", "/v1/openapi.json"),
    ABOUT("Description", "This description, OpenAPI 3.1."),
    .response = DSC_RESPONSE_HANDLER,
    .handler = respond_openapi,
};
