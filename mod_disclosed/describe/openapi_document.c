#include "describe/openapi_document.h"

json_t *dsc_openapi_content(const char *type, json_t *schema)
{
    return json_pack("{s:{s:o}}", type, "schema", schema);
}

json_t *dsc_openapi_example(const dsc_document_t *document, const char *operation)
{
    return json_object_get(json_object_get(document->examples, operation), "body");
}

int dsc_openapi_cost(const dsc_document_t *document, const dsc_operation_t *operation)
{
    const int *costs = document->service->costs;
    return costs ? costs[operation->index] : operation->endpoint->credit_cost;
}

int dsc_openapi_is_deprecated(const dsc_service_t *service, const dsc_operation_t *operation)
{
    return service->deprecations && service->deprecations[operation->index];
}
