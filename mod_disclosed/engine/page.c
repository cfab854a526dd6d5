#include "engine/page.h"

#include "engine/problem.h"
#include "engine/query.h"

#include <apr_escape.h>
#include <apr_lib.h>
#include <apr_strings.h>

/* Whether "name=value" or "name" of a query is the parameter of that name. */
static int is_pair_of(const char *pair, const char *name)
{
    size_t length = strlen(name);
    return strncmp(pair, name, length) == 0 && (pair[length] == '=' || pair[length] == '\0');
}

const char *dsc_link_target(apr_pool_t *pool, const char *target)
{
    static const char plain[] = "-._~%:/?@!$&'()*+;=";
    dsc_buffer_t *buffer = dsc_buffer_create(pool, 256);
    for (; *target; target++) {
        if (apr_isalnum(*target) || strchr(plain, *target)) {
            dsc_buffer_append_char(buffer, *target);
        } else {
            dsc_buffer_printf(buffer, "%%%02X", (unsigned char)*target);
        }
    }
    return dsc_buffer_text(buffer);
}

const char *dsc_page_parameter(const dsc_operation_t *operation)
{
    static const char *const names[] = {"cursor", "offset", "after"};
    const dsc_endpoint_t *endpoint = operation->endpoint;
    int i, j;
    for (i = 0; i < endpoint->parameter_count; i++) {
        for (j = 0; j < DSC_COUNT(names); j++) {
            if (endpoint->parameters[i].location == DSC_IN_QUERY &&
                strcmp(endpoint->parameters[i].name, names[j]) == 0) {
                return names[j];
            }
        }
    }
    return NULL;
}

const char *dsc_page_link(dsc_call_t *call, const char *position)
{
    const char *name = dsc_page_parameter(call->route.operation);
    apr_array_header_t *parts = apr_array_make(call->pool, 8, sizeof(const char *));
    char *rest = apr_pstrdup(call->pool, call->query ? call->query : "");
    char *state = NULL;
    char *pair;
    for (pair = apr_strtok(rest, "&", &state); pair; pair = apr_strtok(NULL, "&", &state)) {
        if (!is_pair_of(pair, name)) {
            APR_ARRAY_PUSH(parts, const char *) = pair;
        }
    }
    APR_ARRAY_PUSH(parts, const char *) = apr_pstrcat(call->pool, name, "=", position, NULL);
    return apr_pstrcat(call->pool, "<", call->service->base_url,
                       dsc_link_target(call->pool, apr_pescape_path(call->pool, call->path, 0)),
                       "?", dsc_link_target(call->pool, apr_array_pstrcat(call->pool, parts, '&')),
                       ">; rel=\"next\"", NULL);
}

int dsc_page_size(const dsc_call_t *call)
{
    int place = call->route.operation->limit;
    int limit = place < 0 ? 500 : (int)call->values[place].integer;
    int cap = call->format == DSC_MEDIA_JSON ? call->caller->page_cap : call->caller->export_cap;
    return place >= 0 && cap > 0 && cap < limit ? cap : limit;
}

static void bind_cursor(dsc_call_t *call, dsc_page_t *page)
{
    dsc_buffer_t *canonical = dsc_buffer_create(call->pool, 512);
    dsc_query_canonical(call, canonical, 0);
    dsc_cursor_binding(canonical->data, canonical->length, page->binding);
}

/* Direction and position of the page. A cursor knows its direction; a `direction` that says
 * otherwise makes it a cursor of another query. */
void dsc_page_refuse_cursor(dsc_call_t *call, apr_array_header_t *errors, const char *place,
                            const char *text)
{
    dsc_slice_t input = {text, strlen(text)};
    dsc_validation_error_add(errors, place, "cursor", "invalid cursor", input);
    dsc_call_validation_errors(call, errors);
}

int dsc_page_read(dsc_call_t *call, apr_array_header_t *errors, dsc_page_t *page)
{
    const dsc_operation_t *operation = call->route.operation;
    const dsc_value_t *value = &call->values[operation->cursor];
    const dsc_value_t *direction = &call->values[operation->direction];
    dsc_cursor_t *cursor = apr_pcalloc(call->pool, sizeof(*cursor));

    page->size = dsc_page_size(call);
    page->descending = strcmp(direction->text, "desc") == 0;
    page->after = NULL;
    bind_cursor(call, page);
    if (!value->present) {
        return 1;
    }
    if (dsc_cursor_decode(call->pool, call->service->cursor_key, call->service->previous_cursor_key,
                          page->binding, value->text, cursor) &&
        (!direction->given || cursor->descending == page->descending)) {
        page->descending = cursor->descending;
        call->reading.position = cursor->position;
        page->after = cursor;
        return 1;
    }
    dsc_page_refuse_cursor(call, errors, "query", value->text);
    return 0;
}

const char *dsc_page_cursor(dsc_call_t *call, const dsc_page_t *page, const dsc_cursor_t *last)
{
    dsc_cursor_t cursor = *last;
    cursor.position = call->reading.position;
    return dsc_cursor_encode(call->pool, call->service->cursor_key, page->binding, &cursor);
}

int dsc_page_goes_on(dsc_call_t *call, const dsc_page_t *page, const dsc_cursor_t *last)
{
    call->next_cursor = dsc_page_cursor(call, page, last);
    if (!call->next_cursor) {
        dsc_call_problem(call, 500, NULL);
    }
    return call->next_cursor != NULL;
}

void dsc_page_position(dsc_call_t *call, const dsc_result_t *result, const dsc_page_t *page,
                       dsc_cursor_t *last)
{
    const dsc_operation_t *operation = call->route.operation;
    last->descending = page->descending;
    apr_pool_t *pool = dsc_call_query_pool(call);
    last->order =
        apr_pstrdup(call->pool, dsc_result_printed(pool, result, operation->order_column));
    last->tie = apr_pstrdup(call->pool, dsc_result_printed(pool, result, operation->tie_column));
}
