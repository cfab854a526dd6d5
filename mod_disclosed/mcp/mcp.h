/* The Model Context Protocol, revisions 2025-03-26 to 2026-07-28, without sessions: one HTTP
 * request has one JSON-RPC message (the oldest revision allows several), and its response has the
 * result. */
#ifndef DSC_MCP_H
#define DSC_MCP_H

#include "engine/call.h"

/* A request of the API that a tool or a resource makes. */
typedef struct {
    const char *method;
    const char *target; /* path and query, encoded */
    const char *body;   /* JSON; NULL: none */
} dsc_mcp_request_t;

typedef struct dsc_mcp_t {
    apr_pool_t *pool;
    const dsc_service_t *service;
    const char *server_version;
    /* Headers of the request; NULL: not sent. */
    const char *protocol_version; /* MCP-Protocol-Version */
    const char *method;           /* Mcp-Method */
    const char *name;             /* Mcp-Name */
    dsc_slice_t body;
    /* Makes a request of the API for the caller, under the caller's limits, scope and plan. */
    dsc_call_t *(*perform)(void *baton, const dsc_mcp_request_t *request);
    /* Whether the caller may use the operation at all. */
    int (*may_use)(void *baton, const dsc_operation_t *operation);
    void *baton;

    int status;             /* HTTP's */
    dsc_buffer_t *response; /* JSON; NULL: no body */
} dsc_mcp_t;

/* Responds to the body: sets status and response. */
void dsc_mcp_respond(dsc_mcp_t *mcp);

#endif
