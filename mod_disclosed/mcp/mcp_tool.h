/* Tools: what a model can do, by purpose. Each consists of operations of the API, whose tables
 * define what a tool takes and returns. */
#ifndef DSC_MCP_TOOL_H
#define DSC_MCP_TOOL_H

#include "mcp/mcp_message.h"

/* An operation that a tool leads to. */
typedef struct {
    const char *operation; /* NULL ends the list */
    const char *needs;   /* arguments that lead to it, "accession view=facts"; NULL: none. The first
                            that fits is taken */
    const char *lengthy; /* an array of the response that is passed on in parts; NULL: none */
    const char *query;   /* what the query has besides, "sort=match"; NULL: nothing */
} dsc_tool_route_t;

typedef struct {
    const char *name; /* NULL ends the table */
    const char *title;
    const char *description;
    const char *arguments; /* in order, with spaces between: parameters of its operations, and
                              `view`, `offset` */
    const char *required;  /* in the same form; NULL: none */
    const dsc_tool_route_t *routes;
} dsc_tool_t;

extern const dsc_tool_t dsc_tools[];

/* Rows that a tool shows if nothing is said, and at most. */
enum {
    DSC_TOOL_ROWS = 20,
    DSC_TOOL_MOST_ROWS = 100
};

/* The operation of that name; NULL: it is not among those of the service, or switched off. */
const dsc_operation_t *dsc_tool_operation(const dsc_mcp_t *mcp, const char *name);

/* The values that `view` may have for the tool, as an array of texts; NULL: it has none. */
json_t *dsc_tool_views(const dsc_mcp_t *mcp, const dsc_tool_t *tool);

/* The parameter of that name among the tool's operations; NULL: none has it. */
const dsc_parameter_t *dsc_tool_parameter(const dsc_mcp_t *mcp, const dsc_tool_t *tool,
                                          const char *name);

/* Whether a list of words has the word. */
int dsc_tool_names(const char *words, const char *word, size_t length);

/* tools/list: writes the tools that the caller may use. */
void dsc_tools_list(dsc_message_t *message);

/* tools/call. */
void dsc_tools_call(dsc_message_t *message);

/* Whether a text leads nowhere in a path: a URI has no segments of one or two dots (RFC 3986,
 * section 5.2.4). */
int dsc_tool_is_dots(const char *text, size_t length);

#endif
