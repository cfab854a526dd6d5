#include "engine/problem.h"

#include "engine/call.h"
#include "engine/json_writer.h"

#include <apr_strings.h>
#include <string.h>

const dsc_problem_t dsc_problems[] = {
    {400, "bad-request", "Bad request", "The request could not be understood."},
    {401, "invalid-key", "Invalid API key",
     "The API key is missing or invalid. Send it as: Authorization: Bearer <API_KEY>."},
    {402, "credits-exhausted", "Credits exhausted", "Too few credits remain for this request."},
    {403, "tier-required", "Plan too low", "This endpoint needs a higher plan."},
    {403, "out-of-scope", "Out of the key's scope", "This key may not use the endpoint."},
    {403, "forbidden", "Forbidden", "The request is not allowed."},
    {404, "not-found", "Not found", "There is no such resource."},
    {405, "method-not-allowed", "Method not allowed",
     "The resource does not support this method; see the Allow header."},
    {406, "not-acceptable", "Not acceptable",
     "This resource is served as application/json only, which the Accept header excludes."},
    {408, "request-timeout", "Request timeout", "The request did not arrive in time."},
    {409, "idempotency-conflict", "Idempotency conflict",
     "The idempotency key was used for another request, or that request is still running."},
    {409, "conflict", "Conflict", "The state of the resource does not allow this request."},
    {413, "content-too-large", "Content too large", "The request body is larger than allowed."},
    {414, "uri-too-long", "URI too long", "The request line is longer than allowed."},
    {415, "unsupported-media-type", "Unsupported media type",
     "The body's Content-Type is not application/json."},
    {429, "rate-limited", "Rate limited", "Too many requests; see the Retry-After header."},
    {431, "headers-too-large", "Header fields too large",
     "A header field, or all of them together, is larger than allowed."},
    {500, "internal", "Internal error",
     "The request failed because of an error in the server; quote the request_id to report it."},
    {503, "unavailable", "Unavailable",
     "The service cannot respond now; see the Retry-After header."},
    {504, "timeout", "Timeout", "The server could not build the response in time; ask for less."},
    {0, NULL, NULL, NULL},
};

const dsc_problem_t *dsc_problem_find(int status)
{
    int fallback = status >= 400 && status < 500 ? 400 : 500;
    const dsc_problem_t *found = NULL;
    const dsc_problem_t *problem;
    for (problem = dsc_problems; problem->slug; problem++) {
        if (problem->status == status) {
            return problem;
        }
        if (problem->status == fallback) {
            found = problem;
        }
    }
    return found;
}

const dsc_problem_t *dsc_problem_named(const char *slug)
{
    const dsc_problem_t *problem = dsc_problems;
    while (strcmp(problem->slug, slug) != 0) {
        problem++;
    }
    return problem;
}

void dsc_problem_write(dsc_buffer_t *buffer, const dsc_problem_t *problem, const char *docs_url,
                       const char *detail, const char *request_id, const char *instance,
                       const char *required_tier)
{
    char *type = apr_pstrcat(buffer->pool, docs_url, "/errors/", problem->slug, NULL);
    dsc_buffer_append_text(buffer, "{\"type\":");
    dsc_json_text(buffer, type);
    dsc_buffer_append_text(buffer, ",\"title\":");
    dsc_json_text(buffer, problem->title);
    dsc_buffer_append_text(buffer, ",\"status\":");
    dsc_json_integer(buffer, problem->status);
    dsc_buffer_append_text(buffer, ",\"detail\":");
    dsc_json_text(buffer, detail ? detail : problem->detail);
    dsc_buffer_append_text(buffer, ",\"request_id\":");
    dsc_json_text(buffer, request_id);
    if (instance) {
        dsc_buffer_append_text(buffer, ",\"instance\":");
        dsc_json_text(buffer, instance);
    }
    if (required_tier) {
        dsc_buffer_append_text(buffer, ",\"required_tier\":");
        dsc_json_text(buffer, required_tier);
    }
    dsc_buffer_append_char(buffer, '}');
}

static int respond_with(dsc_call_t *call, const dsc_problem_t *problem, const char *detail,
                        const char *required_tier)
{
    call->body = dsc_buffer_create(call->pool, 512);
    call->status = problem->status;
    call->content_type = "application/problem+json";
    if (problem->status == 503) {
        apr_table_setn(call->headers, "Retry-After", "1");
    }
    dsc_problem_write(call->body, problem, call->service->docs_url, detail, call->request_id,
                      call->path, required_tier);
    return call->status;
}

int dsc_call_problem(dsc_call_t *call, int status, const char *detail)
{
    return respond_with(call, dsc_problem_find(status), detail, NULL);
}

int dsc_call_problem_of(dsc_call_t *call, const char *slug, const char *detail,
                        const char *required_tier)
{
    return respond_with(call, dsc_problem_named(slug), detail, required_tier);
}
