/* tools/call: from a tool's arguments to a request of the API, and from its response to the tool's
 * result. */
#include "engine/json_scan.h"
#include "engine/json_writer.h"
#include "mcp/mcp_text.h"
#include "mcp/mcp_tool.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <string.h>

enum {
    MOST_RESULT = 262144, /* bytes of a result: more is no use to a model */
    TEXT_LENGTH = 20000   /* characters of text if nothing is said */
};

/* A call of a tool. */
typedef struct {
    dsc_message_t *message;
    apr_pool_t *pool;
    const dsc_tool_t *tool;
    const json_t *arguments;
    const dsc_tool_route_t *route;
    const dsc_operation_t *operation;
    dsc_buffer_t *path, *query;
    json_t *body;
    const char *error; /* NULL: none */
} tool_call_t;

/* ------------------------------------------------------------------------ results */

/* An error that the model can do something about: a result, not an error of the protocol. */
static void write_error(dsc_message_t *message, const char *text)
{
    dsc_message_begin(message);
    dsc_buffer_append_text(message->out, "\"content\":[{\"type\":\"text\",\"text\":");
    dsc_json_text(message->out, text);
    dsc_buffer_append_text(message->out, "}],\"isError\":true,");
    dsc_message_end(message);
}

static void write_result(dsc_message_t *message, dsc_buffer_t *body)
{
    dsc_buffer_t *text = dsc_buffer_create(message->mcp->pool, body->length);
    const char *json = dsc_buffer_text(body);
    dsc_slice_t pagination = dsc_json_find(json, "pagination"), cursor = {NULL, 0};
    dsc_mcp_text(text, json);
    if (pagination.data) {
        cursor = dsc_json_find(pagination.data, "next_cursor");
    }
    if (cursor.data && *cursor.data == '"') {
        dsc_buffer_append_text(text,
                               "There is more: call again with the same arguments and cursor=");
        dsc_json_unquote(text, cursor);
        dsc_buffer_append_char(text, '\n');
    }
    dsc_message_begin(message);
    dsc_buffer_append_text(message->out, "\"content\":[{\"type\":\"text\",\"text\":");
    dsc_json_string(message->out, text->data, text->length);
    dsc_buffer_append_text(message->out, "}],\"structuredContent\":");
    dsc_buffer_append(message->out, body->data, body->length);
    dsc_buffer_append_text(message->out, ",\"isError\":false,");
    dsc_message_end(message);
}

/* ---------------------------------------------------------------------- arguments */

static int fail(tool_call_t *call, const char *format, const char *one, const char *other)
{
    if (!call->error) {
        call->error = apr_psprintf(call->pool, format, one, other);
    }
    return 0;
}

static const json_t *argument(const tool_call_t *call, const char *name)
{
    const json_t *value = json_object_get(call->arguments, name);
    return json_is_null(value) ? NULL : value;
}

/* Whether there is a value for each parameter of the operation's path. */
static int has_path(const tool_call_t *call)
{
    const apr_array_header_t *segments = call->operation->segments;
    int i;
    for (i = 0; i < segments->nelts; i++) {
        const char *segment = APR_ARRAY_IDX(segments, i, const char *);
        if (*segment == '{' &&
            !argument(call, apr_pstrmemdup(call->pool, segment + 1, strlen(segment) - 2))) {
            return 0;
        }
    }
    return 1;
}

/* Whether all that the route needs is there: "symbol view=funds". */
static int fits(const tool_call_t *call, const dsc_tool_route_t *route)
{
    char *words = apr_pstrdup(call->pool, route->needs ? route->needs : ""), *state = NULL, *word;
    for (word = apr_strtok(words, " ", &state); word; word = apr_strtok(NULL, " ", &state)) {
        char *value = strchr(word, '=');
        const char *given;
        if (value) {
            *value++ = '\0';
        }
        given = json_string_value(argument(call, word));
        if (!argument(call, word) || (value && (!given || strcmp(given, value) != 0))) {
            return 0;
        }
    }
    return 1;
}

/* Whether the route is one of the value that `view` has. */
static int is_of_view(const tool_call_t *call, const dsc_tool_route_t *route)
{
    const char *view = json_string_value(argument(call, "view"));
    return !view ||
           (route->needs && strstr(route->needs, apr_pstrcat(call->pool, "view=", view, NULL)));
}

/* What the tool requires, for a call with too few arguments. */
static const char *wants(const tool_call_t *call)
{
    const dsc_tool_route_t *route;
    const char *text = "";
    for (route = call->tool->routes; route->operation; route++) {
        if (dsc_tool_operation(call->message->mcp, route->operation)) {
            text = apr_pstrcat(call->pool, text, *text ? "; or " : "",
                               route->needs ? route->needs : "nothing", NULL);
        }
    }
    return text;
}

/* Whether `view` is a text, if it is given and the tool has one. */
static int is_view_text(tool_call_t *call)
{
    const json_t *view = argument(call, "view");
    json_t *views, *one;
    const char *texts = "";
    size_t i;
    if (!view || json_is_string(view) || !dsc_tool_names(call->tool->arguments, "view", 4)) {
        return 1;
    }
    views = dsc_tool_views(call->message->mcp, call->tool);
    json_array_foreach(views, i, one)
    {
        texts = apr_pstrcat(call->pool, texts, i ? ", " : "", json_string_value(one), NULL);
    }
    json_decref(views);
    return fail(call, "view takes one of: %s.%s", texts, "");
}

static int choose_route(tool_call_t *call)
{
    const dsc_tool_route_t *route;
    if (!is_view_text(call)) {
        return 0;
    }
    for (route = call->tool->routes; route->operation; route++) {
        call->operation = dsc_tool_operation(call->message->mcp, route->operation);
        if (call->operation && has_path(call) && fits(call, route) && is_of_view(call, route)) {
            call->route = route;
            return 1;
        }
    }
    return fail(call, "These arguments do not go together: %s takes %s.", call->tool->name,
                wants(call));
}

static const dsc_parameter_t *parameter_of(const tool_call_t *call, const char *name)
{
    const dsc_endpoint_t *endpoint = call->operation->endpoint;
    int i;
    for (i = 0; i < endpoint->parameter_count; i++) {
        if (strcmp(endpoint->parameters[i].name, name) == 0) {
            return &endpoint->parameters[i];
        }
    }
    return NULL;
}

/* The text of a scalar; NULL: it is none. */
static const char *text_of(const tool_call_t *call, const json_t *value)
{
    char *dumped;
    const char *text;
    if (json_is_string(value)) {
        return json_string_value(value);
    }
    if (!json_is_number(value) && !json_is_boolean(value)) {
        return NULL;
    }
    dumped = json_dumps(value, JSON_ENCODE_ANY);
    text = apr_pstrdup(call->pool, dumped);
    free(dumped);
    return text;
}

static int add_pair(tool_call_t *call, const char *name, const json_t *value)
{
    const char *text = text_of(call, value);
    if (!text) {
        return fail(call, "%s takes %s.", name, "one value: text, a number or true or false");
    }
    dsc_buffer_append_char(call->query, call->query->length ? '&' : '?');
    dsc_buffer_append_text(call->query, name);
    dsc_buffer_append_char(call->query, '=');
    dsc_buffer_append_text(call->query, apr_pescape_urlencoded(call->pool, text));
    return 1;
}

/* A repeatable parameter's values, of which one may be alone. */
static int add_query(tool_call_t *call, const dsc_parameter_t *parameter, const json_t *value)
{
    size_t i;
    const json_t *element;
    if (!json_is_array(value)) {
        return add_pair(call, parameter->name, value);
    }
    if (!(parameter->flags & DSC_REPEATABLE)) {
        return fail(call, "%s takes %s.", parameter->name, "one value, not a list");
    }
    json_array_foreach(value, i, element)
    {
        if (!add_pair(call, parameter->name, element)) {
            return 0;
        }
    }
    return 1;
}

static int add_member(tool_call_t *call, const dsc_parameter_t *parameter, const json_t *value)
{
    json_t *copy = json_deep_copy(value);
    if ((parameter->flags & DSC_REPEATABLE) && !json_is_array(copy)) {
        copy = json_pack("[o]", copy);
    }
    json_object_set_new(call->body, parameter->name, copy);
    return 1;
}

/* An argument that the tool itself reads, or that may stand where it says nothing. */
static int is_of_tool(const tool_call_t *call, const char *name)
{
    return strcmp(name, "view") == 0 || strcmp(name, "limit") == 0 ||
           (strcmp(name, "offset") == 0 && call->route->lengthy);
}

/* A value that stands in the path. */
static int check_segment(tool_call_t *call, const char *name, const json_t *value)
{
    const char *text = text_of(call, value);
    if (!text || !*text) {
        return fail(call, "%s takes %s.", name, "one value that is not empty");
    }
    return !dsc_tool_is_dots(text, strlen(text)) ||
           fail(call, "There is no %s \"%s\".", name, text);
}

static int add_argument(tool_call_t *call, const char *name, const json_t *value)
{
    const dsc_parameter_t *parameter;
    if (!dsc_tool_names(call->tool->arguments, name, strlen(name))) {
        return fail(call, "%s has no argument \"%s\".", call->tool->name, name);
    }
    parameter = parameter_of(call, name);
    if (!parameter) {
        return is_of_tool(call, name) ||
               fail(call, "%s does not apply here, with %s.", name,
                    call->route->needs ? call->route->needs : "these arguments");
    }
    if (parameter->location == DSC_IN_PATH) {
        return check_segment(call, name, value);
    }
    return parameter->location == DSC_IN_BODY ? add_member(call, parameter, value)
                                              : add_query(call, parameter, value);
}

/* The rows asked for, within what a tool shows. */
static int read_rows(tool_call_t *call, int *rows)
{
    const json_t *limit = argument(call, "limit");
    *rows = DSC_TOOL_ROWS;
    if (!limit) {
        return 1;
    }
    if (!json_is_integer(limit) || json_integer_value(limit) < 1 ||
        json_integer_value(limit) > DSC_TOOL_MOST_ROWS) {
        return fail(call, "limit is a number of rows from 1 to %s.%s",
                    apr_itoa(call->pool, DSC_TOOL_MOST_ROWS), "");
    }
    *rows = (int)json_integer_value(limit);
    return 1;
}

static int add_default(tool_call_t *call, const char *name, int value)
{
    const dsc_parameter_t *parameter = parameter_of(call, name);
    json_t *number;
    if (!parameter || argument(call, name)) {
        return 1;
    }
    number = json_integer(value);
    if (parameter->location == DSC_IN_BODY) {
        add_member(call, parameter, number);
    } else {
        add_query(call, parameter, number);
    }
    json_decref(number);
    return 1;
}

/* What the route asks for besides, which is no argument of the tool. */
static void add_own(tool_call_t *call)
{
    if (call->route->query) {
        dsc_buffer_append_char(call->query, call->query->length ? '&' : '?');
        dsc_buffer_append_text(call->query, call->route->query);
    }
}

static int add_arguments(tool_call_t *call)
{
    const char *name;
    json_t *value;
    int rows;
    json_object_foreach((json_t *)call->arguments, name, value)
    {
        if (!json_is_null(value) && !add_argument(call, name, value)) {
            return 0;
        }
    }
    add_own(call);
    return read_rows(call, &rows) && add_default(call, "limit", DSC_TOOL_ROWS) &&
           add_default(call, "text_length", TEXT_LENGTH);
}

/* The path with its parameters' values in their places. */
static void write_path(tool_call_t *call)
{
    const apr_array_header_t *segments = call->operation->segments;
    int i;
    for (i = 0; i < segments->nelts; i++) {
        const char *segment = APR_ARRAY_IDX(segments, i, const char *);
        dsc_buffer_append_char(call->path, '/');
        if (*segment == '{') {
            char *name = apr_pstrmemdup(call->pool, segment + 1, strlen(segment) - 2);
            segment = apr_pescape_path_segment(call->pool, text_of(call, argument(call, name)));
        }
        dsc_buffer_append_text(call->path, segment);
    }
}

/* ----------------------------------------------------------------------- responses */

/* What to do about a status. */
static const struct {
    int status;
    const char *advice;
} advices[] = {
    {402, "search and fundamentals cost no credits."},
    {403, "Use another tool, or a key that may."},
    {404, "find_company, filings, transcripts, documents and events list what there is."},
    {422, "Correct the arguments and call again."},
    {429, "Wait as long as that, then call again."},
    {503, "Try again in a moment."},
    {504, "Ask for less: a shorter time, fewer companies, a smaller limit."},
};

static const char *advice_for(int status)
{
    size_t i;
    for (i = 0; i < sizeof(advices) / sizeof(advices[0]); i++) {
        if (advices[i].status == status) {
            return advices[i].advice;
        }
    }
    return "";
}

/* "limit: Input should be ..." for each error of a 422. */
static void append_validation(dsc_buffer_t *text, const json_t *detail)
{
    size_t i;
    json_t *one;
    json_array_foreach(detail, i, one)
    {
        const json_t *place = json_array_get(json_object_get(one, "loc"), 1);
        char *input = json_dumps(json_object_get(one, "input"), JSON_ENCODE_ANY);
        dsc_buffer_printf(text, "%s: %s (it was %s). ",
                          json_is_string(place) ? json_string_value(place) : "arguments",
                          json_string_value(json_object_get(one, "msg")), input ? input : "null");
        free(input);
    }
}

static const char *error_text(const tool_call_t *call, dsc_call_t *response)
{
    dsc_buffer_t *text = dsc_buffer_create(call->pool, 512);
    const char *retry = apr_table_get(response->headers, "Retry-After");
    json_t *body =
        response->body ? json_loadb(response->body->data, response->body->length, 0, NULL) : NULL;
    const json_t *detail = json_object_get(body, "detail");
    if (json_is_array(detail)) {
        append_validation(text, detail);
    } else {
        dsc_buffer_printf(text, "%s (status %d). ",
                          json_is_string(detail) ? json_string_value(detail)
                                                 : "The request failed.",
                          response->status);
    }
    if (retry) {
        dsc_buffer_printf(text, "Retry after %s seconds. ", retry);
    }
    dsc_buffer_append_text(text, advice_for(response->status));
    json_decref(body);
    return dsc_buffer_text(text);
}

/* Keeps the rows from `offset` on of an array of the body, and says where the next part begins. */
static int take_part(tool_call_t *call, dsc_buffer_t *body)
{
    dsc_slice_t array = dsc_json_find(dsc_buffer_text(body), call->route->lengthy), element;
    const json_t *given = argument(call, "offset");
    dsc_buffer_t *part = dsc_buffer_create(call->pool, body->length);
    long long offset = given ? json_integer_value(given) : 0, place = 0;
    int rows, kept = 0;
    const char *at;
    if (!read_rows(call, &rows) || (given && (!json_is_integer(given) || offset < 0))) {
        return fail(call, "offset is a number of rows from 0 on.%s%s", "", "");
    }
    if (!array.data) {
        return 1;
    }
    dsc_buffer_append(part, body->data, (size_t)(array.data - body->data));
    dsc_buffer_append_char(part, '[');
    for (at = array.data + 1; dsc_json_element(&at, &element); place++) {
        if (place >= offset && kept < rows) {
            dsc_buffer_append_text(part, kept++ ? "," : "");
            dsc_buffer_append(part, element.data, element.length);
        }
    }
    dsc_buffer_append_char(part, ']');
    at = array.data + array.length;
    dsc_buffer_append(part, at, body->length - (size_t)(at - body->data) - 1);
    dsc_buffer_append_text(part, ",\"next_offset\":");
    if (offset + kept < place) {
        dsc_json_integer(part, offset + kept);
    } else {
        dsc_buffer_append_text(part, "null");
    }
    dsc_buffer_append_char(part, '}');
    body->length = 0;
    dsc_buffer_append(body, part->data, part->length);
    return 1;
}

static void respond(tool_call_t *call, dsc_call_t *response)
{
    if (response->status != 200 || !response->body) {
        write_error(call->message, error_text(call, response));
        return;
    }
    if (call->route->lengthy && !take_part(call, response->body)) {
        write_error(call->message, call->error);
        return;
    }
    if (response->body->length > MOST_RESULT) {
        write_error(call->message,
                    apr_psprintf(call->pool,
                                 "The result has %" APR_SIZE_T_FMT " bytes, of which %d are passed "
                                 "on at most. Ask for less: a smaller limit or text_length, a "
                                 "shorter time, fewer concepts or sections.",
                                 response->body->length, MOST_RESULT));
        return;
    }
    write_result(call->message, response->body);
}

static void perform(tool_call_t *call)
{
    dsc_mcp_t *mcp = call->message->mcp;
    dsc_mcp_request_t request = {.method = call->operation->endpoint->method};
    char *body = NULL;
    write_path(call);
    dsc_buffer_append(call->path, call->query->data, call->query->length);
    request.target = dsc_buffer_text(call->path);
    if (call->operation->takes_body) {
        body = json_dumps(call->body, JSON_COMPACT);
        request.body = apr_pstrdup(call->pool, body);
        free(body);
    }
    respond(call, mcp->perform(mcp->baton, &request));
}

static const dsc_tool_t *find_tool(const char *name)
{
    const dsc_tool_t *tool = dsc_tools;
    while (tool->name && (!name || strcmp(tool->name, name) != 0)) {
        tool++;
    }
    return tool->name ? tool : NULL;
}

void dsc_tools_call(dsc_message_t *message)
{
    apr_pool_t *pool = message->mcp->pool;
    const json_t *arguments = json_object_get(message->parameters, "arguments");
    const char *name = json_string_value(json_object_get(message->parameters, "name"));
    tool_call_t call = {.message = message, .pool = pool, .tool = find_tool(name)};
    if (!call.tool || (arguments && !json_is_object(arguments))) {
        dsc_message_error(message, message->is_modern ? 400 : 200, DSC_RPC_PARAMS,
                          call.tool
                              ? "arguments is an object."
                              : apr_psprintf(pool, "Unknown tool: %s", name ? name : "no name"),
                          NULL);
        return;
    }
    call.arguments = arguments;
    call.path = dsc_buffer_create(pool, 256);
    call.query = dsc_buffer_create(pool, 256);
    call.body = json_object();
    if (choose_route(&call) && add_arguments(&call)) {
        perform(&call);
    } else {
        write_error(message, call.error);
    }
    json_decref(call.body);
}
