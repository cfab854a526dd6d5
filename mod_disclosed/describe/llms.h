/* llms.txt: a description of the service for language models (llmstxt.org). */
#ifndef DSC_LLMS_H
#define DSC_LLMS_H

#include "engine/call.h"

/* Appends it, in Markdown. */
void dsc_llms_write(dsc_buffer_t *out, const dsc_service_t *service, const dsc_surface_t *surface);

#endif
