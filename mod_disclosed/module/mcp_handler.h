/* The handlers "disclosed-mcp" (the Model Context Protocol), "disclosed-oauth" (OAuth metadata of
 * that resource, RFC 9728) and "disclosed-llms" (llms.txt). */
#ifndef DSC_MCP_HANDLER_H
#define DSC_MCP_HANDLER_H

#include <httpd.h>

/* Whether a location's handler of that name is MCP's, or of its metadata. */
int dsc_mcp_handles(const char *handler);

/* The handler hook. */
int dsc_mcp_handle(request_rec *r);

#endif
