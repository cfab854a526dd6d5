/* Resources: filings, transcripts and source records by URI; and prompts, texts to begin with. */
#ifndef DSC_MCP_RESOURCE_H
#define DSC_MCP_RESOURCE_H

#include "mcp/mcp_message.h"

void dsc_resources_list(dsc_message_t *message);
void dsc_resource_templates_list(dsc_message_t *message);
void dsc_resources_read(dsc_message_t *message);

void dsc_prompts_list(dsc_message_t *message);
void dsc_prompts_get(dsc_message_t *message);

#endif
