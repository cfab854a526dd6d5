/* The endpoints that serve the OpenAPI documents, one of each surface. */
#include "datasets/datasets.h"
#include "describe/openapi.h"

static void respond_openapi(dsc_call_t *call)
{
    dsc_openapi_write(call->body, call->service, call->route.operation->surface);
}

#define DESCRIPTION                                                                                \
    ABOUT("Description", "This description, OpenAPI 3.1."), .response = DSC_RESPONSE_HANDLER,      \
                                                            .handler = respond_openapi,            \
                                                            .flags = DSC_KEYLESS | DSC_BY_CLOCK

const dsc_endpoint_t dsc_endpoint_openapi = {
    GET("get_openapi", DSC_PUBLIC "/openapi.json"),
    DESCRIPTION,
};

const dsc_endpoint_t dsc_endpoint_earlier_openapi = {
    GET("earlier_get_openapi", DSC_EARLIER "/openapi.json"),
    DESCRIPTION,
};
