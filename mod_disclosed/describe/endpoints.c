/* The endpoints that describe the API to machines, read without a key. */
#include "datasets/datasets.h"
#include "describe/descriptions.h"
#include "describe/llms.h"
#include "describe/openapi.h"
#include "describe/typescript.h"

static void respond_openapi(dsc_call_t *call)
{
    dsc_descriptions_respond(call, dsc_openapi_write);
}

static void respond_typescript(dsc_call_t *call)
{
    dsc_descriptions_respond(call, dsc_typescript_write);
}

static void respond_llms(dsc_call_t *call)
{
    dsc_descriptions_respond(call, dsc_llms_write);
}

#define DESCRIPTION(summary_, handler_)                                                            \
    ABOUT("Description", summary_), .response = DSC_RESPONSE_HANDLER, .handler = (handler_),       \
                                    .flags = DSC_KEYLESS | DSC_BY_CLOCK

const dsc_endpoint_t dsc_endpoint_openapi = {
    GET("get_openapi", DSC_PUBLIC "/openapi.json"),
    DESCRIPTION("This description, OpenAPI 3.1.", respond_openapi),
};

const dsc_endpoint_t dsc_endpoint_typescript = {
    GET("get_typescript", DSC_PUBLIC "/disclosed.d.ts"),
    DESCRIPTION("TypeScript definitions of this API.", respond_typescript),
    .media_type = "application/typescript; charset=utf-8",
};

const dsc_endpoint_t dsc_endpoint_llms = {
    GET("get_llms", DSC_PUBLIC "/llms.txt"),
    DESCRIPTION("Description of this API for language models.", respond_llms),
    .media_type = "text/plain; charset=utf-8",
};

const dsc_endpoint_t dsc_endpoint_earlier_openapi = {
    GET("earlier_get_openapi", DSC_EARLIER "/openapi.json"),
    DESCRIPTION("This description, OpenAPI 3.1.", respond_openapi),
};
