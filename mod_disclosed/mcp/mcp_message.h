/* JSON-RPC messages: the rules for requests in each generation of the protocol, and the responses.

 */
#ifndef DSC_MCP_MESSAGE_H
#define DSC_MCP_MESSAGE_H

#include "mcp/mcp.h"

#include <jansson.h>

/* Error codes: JSON-RPC 2.0, and those of MCP. */
enum {
    DSC_RPC_PARSE = -32700,
    DSC_RPC_INVALID = -32600,
    DSC_RPC_NO_METHOD = -32601,
    DSC_RPC_PARAMS = -32602,
    DSC_RPC_INTERNAL = -32603,
    DSC_RPC_FULL = -32000,        /* a batch, for its response or the time that it takes */
    DSC_RPC_NO_RESOURCE = -32002, /* up to 2025-11-25 */
    DSC_RPC_HEADER = -32020,
    DSC_RPC_VERSION = -32022
};

/* A revision of the protocol. */
typedef struct {
    const char *name;
    int is_modern; /* no handshake: each request says its version */
} dsc_mcp_revision_t;

/* Those that are served, the newest first; ended by a row without a name. */
extern const dsc_mcp_revision_t dsc_mcp_revisions[];

/* The newest with a handshake. */
const char *dsc_mcp_newest_legacy(void);

/* A message on its way. */
typedef struct {
    dsc_mcp_t *mcp;
    const json_t *json;
    const json_t *id; /* NULL: a notification */
    const char *method;
    const json_t *parameters; /* an object; NULL: none */
    int is_modern;
    dsc_buffer_t *out; /* the response object is appended */
    int status;        /* HTTP's */
} dsc_message_t;

/* Reads and checks a message: 1 if it is to be carried out; 0 if it needs no more: it is a
 * notification, or its error is written. */
int dsc_message_read(dsc_message_t *message, const json_t *json);

/* Writes an error. `data` is released; NULL: none. `status` is HTTP's for modern requests; up to
 * 2025-11-25 it is a 200 if the message itself is good. */
void dsc_message_error(dsc_message_t *message, int status, int code, const char *text,
                       json_t *data);

/* Writes the beginning of a result, its members up to a comma or none, and its end. Between them
 * stand members, each with a comma behind it. */
void dsc_message_begin(dsc_message_t *message);
void dsc_message_end(dsc_message_t *message);

/* Writes the members of an object, which is released, as those of the result. */
void dsc_message_members(dsc_message_t *message, json_t *members);

/* Writes how long a list may be kept, as modern results say; nothing else does. */
void dsc_message_keeping(dsc_message_t *message);

#endif
