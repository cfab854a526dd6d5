#include "mcp/mcp_message.h"

#include "engine/base64.h"
#include "engine/json_writer.h"

#include <apr_encode.h>
#include <apr_strings.h>
#include <string.h>

#define META "io.modelcontextprotocol/"

enum {
    KEPT_FOR = 300000 /* milliseconds that clients may keep lists */
};

const dsc_mcp_revision_t dsc_mcp_revisions[] = {
    {"2026-07-28", 1}, {"2025-11-25", 0}, {"2025-06-18", 0}, {"2025-03-26", 0}, {NULL, 0}};

const char *dsc_mcp_newest_legacy(void)
{
    const dsc_mcp_revision_t *revision = dsc_mcp_revisions;
    while (revision->is_modern) {
        revision++;
    }
    return revision->name;
}

static const dsc_mcp_revision_t *find_revision(const char *name)
{
    const dsc_mcp_revision_t *revision;
    for (revision = dsc_mcp_revisions; revision->name; revision++) {
        if (strcmp(revision->name, name) == 0) {
            return revision;
        }
    }
    return NULL;
}

/* ------------------------------------------------------------------------- writing */

/* Opens the response object: `{"jsonrpc":"2.0","id":...,`. A message whose id cannot be determined
 * has none. */
static void open_response(dsc_message_t *message)
{
    dsc_buffer_append_text(message->out, "{\"jsonrpc\":\"2.0\",");
    if (message->id) {
        dsc_buffer_append_text(message->out, "\"id\":");
        dsc_json_value(message->out, message->id);
        dsc_buffer_append_char(message->out, ',');
    }
}

void dsc_message_error(dsc_message_t *message, int status, int code, const char *text, json_t *data)
{
    open_response(message);
    dsc_buffer_append_text(message->out, "\"error\":{\"code\":");
    dsc_json_integer(message->out, code);
    dsc_buffer_append_text(message->out, ",\"message\":");
    dsc_json_text(message->out, text);
    if (data) {
        dsc_buffer_append_text(message->out, ",\"data\":");
        dsc_json_value(message->out, data);
        json_decref(data);
    }
    dsc_buffer_append_text(message->out, "}}");
    message->status = status;
}

void dsc_message_begin(dsc_message_t *message)
{
    open_response(message);
    dsc_buffer_append_text(message->out, "\"result\":{");
    if (message->is_modern) {
        json_t *info = json_pack("{s:s,s:s,s:s}", "name", "mod_disclosed", "title",
                                 "Company disclosures", "version", message->mcp->server_version);
        dsc_buffer_append_text(message->out,
                               "\"resultType\":\"complete\",\"_meta\":{\"" META "serverInfo\":");
        dsc_json_value(message->out, info);
        dsc_buffer_append_text(message->out, "},");
        json_decref(info);
    }
    message->status = 200;
}

void dsc_message_end(dsc_message_t *message)
{
    dsc_buffer_t *out = message->out;
    out->length -= out->data[out->length - 1] == ',';
    dsc_buffer_append_text(out, "}}");
}

void dsc_message_members(dsc_message_t *message, json_t *members)
{
    const char *name;
    json_t *value;
    json_object_foreach(members, name, value)
    {
        dsc_json_name(message->out, name);
        dsc_json_value(message->out, value);
        dsc_buffer_append_char(message->out, ',');
    }
    json_decref(members);
}

void dsc_message_keeping(dsc_message_t *message)
{
    if (message->is_modern) {
        dsc_message_members(message,
                            json_pack("{s:i,s:s}", "ttlMs", KEPT_FOR, "cacheScope", "private"));
    }
}

/* ------------------------------------------------------------------------- reading */

static json_t *supported(const char *requested)
{
    const dsc_mcp_revision_t *revision;
    json_t *names = json_array();
    for (revision = dsc_mcp_revisions; revision->name; revision++) {
        json_array_append_new(names, json_string(revision->name));
    }
    return json_pack("{s:o,s:s}", "supported", names, "requested", requested);
}

static int refuse(dsc_message_t *message, int status, int code, const char *text, json_t *data)
{
    dsc_message_error(message, status, code, text, data);
    return 0;
}

static const json_t *meta_of(const dsc_message_t *message, const char *name)
{
    const json_t *meta = json_object_get(message->parameters, "_meta");
    char key[80];
    apr_snprintf(key, sizeof(key), META "%s", name);
    return json_object_get(meta, key);
}

/* Whether the request is of the era without a handshake. */
static int is_modern(const dsc_message_t *message)
{
    static const char *const names[] = {"protocolVersion", "clientInfo", "clientCapabilities",
                                        "logLevel"};
    const char *version = message->mcp->protocol_version;
    size_t i;
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (meta_of(message, names[i])) {
            return 1;
        }
    }
    return version && strcmp(version, dsc_mcp_revisions[0].name) >= 0;
}

/* The value of a header; "=?base64?...?=" stands for what it encodes. */
static const char *header_value(apr_pool_t *pool, const char *header)
{
    static const char begin[] = "=?base64?", end[] = "?=";
    size_t length = strlen(header), around = sizeof(begin) - 1 + sizeof(end) - 1;
    unsigned char *bytes;
    apr_size_t decoded;
    if (length < around || strncmp(header, begin, sizeof(begin) - 1) != 0 ||
        strcmp(header + length - 2, end) != 0) {
        return header;
    }
    header = apr_pstrmemdup(pool, header + sizeof(begin) - 1, length - around);
    bytes = dsc_base64_decode(pool, header, APR_ENCODE_NONE, &decoded);
    return bytes ? apr_pstrmemdup(pool, (const char *)bytes, decoded) : header;
}

/* What a method is about, which the header Mcp-Name repeats; NULL: nothing. */
static const char *subject_of(const dsc_message_t *message)
{
    static const struct {
        const char *method, *member;
    } subjects[] = {{"tools/call", "name"}, {"prompts/get", "name"}, {"resources/read", "uri"}};
    size_t i;
    for (i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
        if (strcmp(subjects[i].method, message->method) == 0) {
            return json_string_value(json_object_get(message->parameters, subjects[i].member));
        }
    }
    return NULL;
}

static int matches(dsc_message_t *message, const char *header, const char *expected)
{
    return header && strcmp(header_value(message->mcp->pool, header), expected) == 0;
}

static int check_headers(dsc_message_t *message, const char *version)
{
    const dsc_mcp_t *mcp = message->mcp;
    const char *subject = subject_of(message);
    if (!mcp->protocol_version || strcmp(mcp->protocol_version, version) != 0) {
        return refuse(message, 400, DSC_RPC_HEADER,
                      "The header MCP-Protocol-Version is not _meta's protocolVersion.", NULL);
    }
    if (!find_revision(version) || !find_revision(version)->is_modern) {
        return refuse(message, 400, DSC_RPC_VERSION, "This protocol version is not served.",
                      supported(version));
    }
    if (!matches(message, mcp->method, message->method)) {
        return refuse(message, 400, DSC_RPC_HEADER, "The header Mcp-Method is not the method.",
                      NULL);
    }
    if (subject && !matches(message, mcp->name, subject)) {
        return refuse(message, 400, DSC_RPC_HEADER,
                      "The header Mcp-Name is not what the method is about.", NULL);
    }
    return 1;
}

static int check_modern(dsc_message_t *message)
{
    const char *version = json_string_value(meta_of(message, "protocolVersion"));
    if (!version || !json_is_object(meta_of(message, "clientCapabilities"))) {
        return refuse(message, 400, DSC_RPC_PARAMS,
                      "_meta needs " META "protocolVersion, text, and " META
                      "clientCapabilities, an object.",
                      NULL);
    }
    return check_headers(message, version);
}

static int check_legacy(dsc_message_t *message)
{
    const char *version = message->mcp->protocol_version;
    return !version || find_revision(version) ||
           refuse(message, 400, DSC_RPC_INVALID, "This MCP-Protocol-Version is not served.",
                  supported(version));
}

/* Whether the message is JSON-RPC 2.0; its error is written if it is not. */
static int check_form(dsc_message_t *message)
{
    const json_t *id = json_object_get(message->json, "id");
    const json_t *parameters = json_object_get(message->json, "params");
    const char *version = json_string_value(json_object_get(message->json, "jsonrpc"));
    if (!version || strcmp(version, "2.0") != 0) {
        return refuse(message, 400, DSC_RPC_INVALID,
                      "A message is an object with \"jsonrpc\":\"2.0\".", NULL);
    }
    if (id && !json_is_string(id) && !json_is_integer(id)) {
        return refuse(message, 400, DSC_RPC_INVALID, "An id is text or an integer.", NULL);
    }
    message->id = id;
    if (parameters && !json_is_object(parameters)) {
        return refuse(message, 400, DSC_RPC_INVALID, "params is an object.", NULL);
    }
    message->parameters = parameters;
    return 1;
}

int dsc_message_read(dsc_message_t *message, const json_t *json)
{
    int is_reply;
    message->json = json;
    if (!check_form(message)) {
        return 0;
    }
    message->method = json_string_value(json_object_get(json, "method"));
    is_reply = json_object_get(json, "result") || json_object_get(json, "error");
    if (!message->method && !is_reply) {
        return refuse(message, 400, DSC_RPC_INVALID, "A message has a method.", NULL);
    }
    if (!message->id || !message->method) {
        message->status = 202; /* notifications, and replies to what was never asked */
        return 0;
    }
    message->is_modern = is_modern(message);
    return message->is_modern ? check_modern(message) : check_legacy(message);
}
