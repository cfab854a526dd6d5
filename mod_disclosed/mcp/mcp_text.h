/* A response in few words, for a model to read. Objects are lines "name: value", arrays of objects
 * are tables in CSV. Nulls, and the less important parts of values and provenances, are left out;
 * the structured form has them. */
#ifndef DSC_MCP_TEXT_H
#define DSC_MCP_TEXT_H

#include "engine/buffer.h"

/* Appends the text of a JSON object that the API has written. */
void dsc_mcp_text(dsc_buffer_t *out, const char *object);

#endif
