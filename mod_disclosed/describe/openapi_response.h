/* Responses of an operation in OpenAPI: the statuses that it can give, their headers and bodies. */
#ifndef DSC_OPENAPI_RESPONSE_H
#define DSC_OPENAPI_RESPONSE_H

#include "describe/openapi_document.h"

/* The `responses` of an operation. What they refer to is added to the document's. */
json_t *dsc_openapi_responses(const dsc_document_t *document, const dsc_operation_t *operation);

#endif
