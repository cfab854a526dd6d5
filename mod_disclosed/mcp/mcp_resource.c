#include "mcp/mcp_resource.h"

#include "engine/json_writer.h"
#include "mcp/mcp_tool.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <string.h>

#define SCHEME "disclosed://"

/* A kind of resource: its URIs stand for paths of the API. */
typedef struct {
    const char *operation;
    const char *prefix;    /* of its URIs, behind the scheme */
    const char *parameter; /* the rest of the URI; NULL: there is none, the prefix is all */
    const char *query;     /* what the URI may ask for; NULL: nothing */
    const char *path;      /* of the API, in front of the rest */
    const char *name, *title, *description;
} kind_t;

static const kind_t kinds[] = {
    {"get_coverage", "coverage", NULL, NULL, DSC_PUBLIC "/coverage", "coverage", "Coverage",
     "The amount of data, by dataset."},
    {"get_filing", "filings/", "accession", "section_text,text_start,text_length",
     DSC_PUBLIC "/filings/", "filing", "Filing",
     "A filing by its accession number; section_text asks for the text of a section."},
    {"get_transcript", "transcripts/", "transcript_id", "section", DSC_PUBLIC "/transcripts/",
     "transcript", "Transcript", "The text of a transcript, by its ID."},
    {"get_source", "sources/", "src_id", NULL, DSC_PUBLIC "/src/", "source", "Source record",
     "The record behind a src_id, and its address at the source."},
};

enum {
    KINDS = sizeof(kinds) / sizeof(kinds[0])
};

static json_t *describe(const kind_t *kind, const char *key, const char *uri)
{
    return json_pack("{s:s,s:s,s:s,s:s,s:s}", key, uri, "name", kind->name, "title", kind->title,
                     "description", kind->description, "mimeType", "application/json");
}

static const char *template_of(apr_pool_t *pool, const kind_t *kind)
{
    return apr_pstrcat(pool, SCHEME, kind->prefix, "{", kind->parameter, "}",
                       kind->query ? "{?" : "", kind->query ? kind->query : "",
                       kind->query ? "}" : "", NULL);
}

/* The kinds that the caller may read: those with one URI, or those with templates. */
static void list(dsc_message_t *message, int templates)
{
    apr_pool_t *pool = message->mcp->pool;
    json_t *all = json_array();
    int i;
    for (i = 0; i < KINDS; i++) {
        const kind_t *kind = &kinds[i];
        if (!dsc_tool_operation(message->mcp, kind->operation) || !kind->parameter != !templates) {
            continue;
        }
        json_array_append_new(all, templates
                                       ? describe(kind, "uriTemplate", template_of(pool, kind))
                                       : describe(kind, "uri",
                                                  apr_pstrcat(pool, SCHEME, kind->prefix, NULL)));
    }
    dsc_message_begin(message);
    dsc_message_keeping(message);
    dsc_message_members(message,
                        json_pack("{s:o}", templates ? "resourceTemplates" : "resources", all));
    dsc_message_end(message);
}

void dsc_resources_list(dsc_message_t *message)
{
    list(message, 0);
}

void dsc_resource_templates_list(dsc_message_t *message)
{
    list(message, 1);
}

/* ------------------------------------------------------------------------ reading */

static const kind_t *find_kind(dsc_message_t *message, const char *uri, const char **rest)
{
    int i;
    if (!uri || strncmp(uri, SCHEME, strlen(SCHEME)) != 0) {
        return NULL;
    }
    uri += strlen(SCHEME);
    for (i = 0; i < KINDS; i++) {
        size_t length = strlen(kinds[i].prefix);
        *rest = uri + length;
        if (strncmp(uri, kinds[i].prefix, length) == 0 && !**rest == !kinds[i].parameter &&
            !dsc_tool_is_dots(*rest, strcspn(*rest, "?")) &&
            dsc_tool_operation(message->mcp, kinds[i].operation)) {
            return &kinds[i];
        }
    }
    return NULL;
}

static void refuse(dsc_message_t *message, const char *uri, const char *text)
{
    int code = message->is_modern ? DSC_RPC_PARAMS : DSC_RPC_NO_RESOURCE;
    dsc_message_error(message, message->is_modern ? 400 : 200, code, text,
                      json_pack("{s:s}", "uri", uri ? uri : ""));
}

/* What a problem says; else that the reading failed. */
static const char *detail_of(apr_pool_t *pool, const dsc_call_t *call)
{
    json_t *body = call->body ? json_loadb(call->body->data, call->body->length, 0, NULL) : NULL;
    const char *detail = json_string_value(json_object_get(body, "detail"));
    const char *text = detail ? apr_pstrdup(pool, detail) : "The resource cannot be read.";
    json_decref(body);
    return text;
}

static void write_content(dsc_message_t *message, const char *uri, dsc_call_t *call)
{
    dsc_message_begin(message);
    dsc_message_keeping(message);
    dsc_buffer_append_text(message->out, "\"contents\":[{\"uri\":");
    dsc_json_text(message->out, uri);
    dsc_buffer_append_text(message->out, ",\"mimeType\":\"application/json\",\"text\":");
    dsc_json_string(message->out, call->body->data, call->body->length);
    dsc_buffer_append_text(message->out, "}],");
    dsc_message_end(message);
}

void dsc_resources_read(dsc_message_t *message)
{
    dsc_mcp_t *mcp = message->mcp;
    const char *uri = json_string_value(json_object_get(message->parameters, "uri")), *rest = "";
    const kind_t *kind = find_kind(message, uri, &rest);
    dsc_mcp_request_t request = {.method = "GET"};
    const char *query;
    dsc_call_t *call;
    if (!kind) {
        refuse(message, uri, "There is no such resource.");
        return;
    }
    query = strchr(rest, '?');
    request.target = kind->path;
    if (kind->parameter) {
        const char *value = query ? apr_pstrmemdup(mcp->pool, rest, (size_t)(query - rest)) : rest;
        request.target =
            apr_pstrcat(mcp->pool, kind->path, apr_pescape_path_segment(mcp->pool, value),
                        query ? query : "", NULL);
    }
    call = mcp->perform(mcp->baton, &request);
    if (call->status == 200 && call->body) {
        write_content(message, uri, call);
    } else if (call->status == 404 || call->status == 422) {
        refuse(message, uri, detail_of(mcp->pool, call));
    } else {
        dsc_message_error(message, message->is_modern ? 400 : 200, DSC_RPC_INTERNAL,
                          detail_of(mcp->pool, call), NULL);
    }
}

/* ------------------------------------------------------------------------ prompts */

typedef struct {
    const char *name, *title, *description;
    const char *arguments; /* all required, with spaces between */
    const char *text;      /* "{symbol}" stands for the argument's value */
} prompt_t;

static const prompt_t prompts[] = {
    {"company_brief", "Brief on a company",
     "A company's business, its results and its recent disclosures.", "symbol",
     "Write a brief on {symbol}. Use find_company for who it is, fundamentals for revenue, net income "
     "and margins of the last eight quarters, filings and events for what is new, and insider_trades "
     "for what insiders did in the last year. Name the src_id or source_url of every number, and say "
     "what is missing."},
    {"compare_companies", "Compare companies", "One metric of several companies, over time.",
     "symbols metric",
     "Compare {metric} of {symbols} over the last five years. Find the metric's key with "
     "fundamentals (q), read it for each company, and make one table by calendar period. Name the "
     "source of every number; where a period or a unit differs, say so rather than convert."},
    {"insider_review", "Review of insider trades",
     "Transactions of a company's insiders, and their reasons.", "symbol",
     "Review the insider trades of {symbol} in the last twelve months with insider_trades: who "
     "bought or sold, how much, at what price, and what the footnotes say (plans under Rule 10b5-1, "
     "tax withholding). Tell purchases and sales on the market from grants and exercises."},
};

enum {
    PROMPTS = sizeof(prompts) / sizeof(prompts[0])
};

static json_t *arguments_of(apr_pool_t *pool, const prompt_t *prompt)
{
    json_t *all = json_array();
    char *words = apr_pstrdup(pool, prompt->arguments), *state = NULL, *name;
    for (name = apr_strtok(words, " ", &state); name; name = apr_strtok(NULL, " ", &state)) {
        json_array_append_new(all, json_pack("{s:s,s:b}", "name", name, "required", 1));
    }
    return all;
}

void dsc_prompts_list(dsc_message_t *message)
{
    json_t *all = json_array();
    int i;
    for (i = 0; i < PROMPTS; i++) {
        json_array_append_new(all, json_pack("{s:s,s:s,s:s,s:o}", "name", prompts[i].name, "title",
                                             prompts[i].title, "description",
                                             prompts[i].description, "arguments",
                                             arguments_of(message->mcp->pool, &prompts[i])));
    }
    dsc_message_begin(message);
    dsc_message_keeping(message);
    dsc_message_members(message, json_pack("{s:o}", "prompts", all));
    dsc_message_end(message);
}

/* The prompt's text with its arguments' values; NULL: one is missing, named in *missing. */
static const char *fill(dsc_message_t *message, const prompt_t *prompt, const char **missing)
{
    const json_t *values = json_object_get(message->parameters, "arguments");
    dsc_buffer_t *text = dsc_buffer_create(message->mcp->pool, 1024);
    const char *at = prompt->text, *brace;
    while ((brace = strchr(at, '{'))) {
        size_t length = strcspn(brace, "}");
        const char *name = apr_pstrmemdup(message->mcp->pool, brace + 1, length - 1);
        const char *value = json_string_value(json_object_get(values, name));
        if (!value) {
            *missing = name;
            return NULL;
        }
        dsc_buffer_append(text, at, (size_t)(brace - at));
        dsc_buffer_append_text(text, value);
        at = brace + length + 1;
    }
    dsc_buffer_append_text(text, at);
    return dsc_buffer_text(text);
}

void dsc_prompts_get(dsc_message_t *message)
{
    const char *name = json_string_value(json_object_get(message->parameters, "name"));
    const char *missing = NULL, *text = NULL, *error = "There is no such prompt.";
    int i = 0;
    while (i < PROMPTS && (!name || strcmp(prompts[i].name, name) != 0)) {
        i++;
    }
    if (i < PROMPTS && !(text = fill(message, &prompts[i], &missing))) {
        error =
            apr_psprintf(message->mcp->pool, "The prompt needs the argument %s, text.", missing);
    }
    if (!text) {
        dsc_message_error(message, message->is_modern ? 400 : 200, DSC_RPC_PARAMS, error, NULL);
        return;
    }
    dsc_message_begin(message);
    dsc_message_members(message, json_pack("{s:s,s:[{s:s,s:{s:s,s:s}}]}", "description",
                                           prompts[i].description, "messages", "role", "user",
                                           "content", "type", "text", "text", text));
    dsc_message_end(message);
}
