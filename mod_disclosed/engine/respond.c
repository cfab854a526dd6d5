#include "engine/call.h"
#include "engine/cursor.h"
#include "engine/digest.h"
#include "engine/json_writer.h"
#include "engine/problem.h"
#include "engine/query.h"
#include "engine/shape_walk.h"

#include <apr_escape.h>
#include <apr_strings.h>

const char *const dsc_direction_choices[] = {"asc", "desc", NULL};

/* ------------------------------------------------------------------ parameters */

void dsc_call_validation_errors(dsc_call_t *call, const apr_array_header_t *errors)
{
    call->status = 422;
    call->content_type = "application/json";
    call->body = dsc_buffer_create(call->pool, 1024);
    dsc_validation_errors_write(call->body, errors);
}

/* The body, parsed; 0 with the response set where it cannot be. */
static int parse_body(dsc_call_t *call, json_t **json, apr_array_header_t *errors)
{
    switch (dsc_body_parse(call->pool, &call->request_body, json, errors)) {
    case DSC_BODY_INVALID:
        dsc_call_validation_errors(call, errors);
        return 0;
    case DSC_BODY_UNREADABLE:
        dsc_call_problem(call, 400,
                         "The body cannot be read: it is not UTF-8, nests too deeply, or has a "
                         "number or character that is out of range.");
        return 0;
    default:
        return 1;
    }
}

/* Values of the path, the query and the body. */
static int read_values(dsc_call_t *call, apr_array_header_t *errors)
{
    const dsc_endpoint_t *endpoint = call->endpoint;
    int takes_body = call->route.operation->takes_body;
    json_t *json = NULL;
    int good;

    if (takes_body && !parse_body(call, &json, errors)) {
        return 0;
    }
    good = dsc_parameters_read(call->pool, endpoint->parameters, endpoint->parameter_count,
                               call->route.path_values, dsc_query_parse(call->pool, call->query),
                               call->values, errors);
    if (takes_body) {
        good &= dsc_body_read(call->pool, endpoint->parameters, endpoint->parameter_count, json,
                              call->values, errors);
    }
    if (!good) {
        dsc_call_validation_errors(call, errors);
    }
    return good;
}

static int read_parameters(dsc_call_t *call, apr_array_header_t *errors)
{
    const dsc_operation_t *operation = call->route.operation;
    const dsc_endpoint_t *endpoint = call->endpoint;
    size_t size = (size_t)(endpoint->parameter_count + 1) * sizeof(dsc_value_t);

    call->values = apr_pcalloc(call->pool, size);
    if (!read_values(call, errors)) {
        return 0;
    }
    if (operation->as_of >= 0 && call->values[operation->as_of].present) {
        call->as_of = call->values[operation->as_of].text;
    }
    if (operation->unit >= 0) {
        call->scale = dsc_scale_find(call->values[operation->unit].text);
    }
    return 1;
}

/* Whether the caller's plan allows what the call asks for; 0 with the response set where it does not. */
static int may_read(dsc_call_t *call)
{
    const char *lacking = call->caller->lacking_facts;
    int i;
    for (i = 0; lacking && i < call->endpoint->parameter_count; i++) {
        const dsc_parameter_t *parameter = &call->endpoint->parameters[i];
        if (parameter->all_facts && call->values[i].present &&
            strcmp(call->values[i].text, parameter->all_facts) == 0) {
            dsc_call_problem_of(call, "tier-required",
                                apr_psprintf(call->pool, "%s=%s needs the plan %s or a higher one.",
                                             parameter->name, parameter->all_facts, lacking),
                                lacking);
            return 0;
        }
    }
    return 1;
}

static const char *path_text(const dsc_call_t *call)
{
    const apr_array_header_t *values = call->route.path_values;
    return values->nelts ? APR_ARRAY_IDX(values, values->nelts - 1, dsc_slice_t).data : call->path;
}

/* Holds the credits that the call costs; 0 with the response set where there are too few. */
static int reserve(dsc_call_t *call)
{
    return call->caller->credit_cost == 0 || call->service->reserve(call);
}

/* What a request is charged for begins: holds its credits, and resolves the path's symbol where the
 * endpoint's rows are a company's. 0 with the response set where that fails. */
static int begin_reading(dsc_call_t *call)
{
    int place = call->route.operation->symbol;
    if (!reserve(call)) {
        return 0;
    }
    return place < 0 || call->service->find_company(call, call->values[place].text);
}

/* ------------------------------------------------------------------------ ETag */

/* W/"<32 hex>" of the text's digest. */
static const char *etag_of(const dsc_buffer_t *text)
{
    unsigned char digest[DSC_SHA256_SIZE];
    dsc_sha256(text->data, text->length, digest);
    return apr_pstrcat(text->pool, "W/\"", apr_pescape_hex(text->pool, digest, 16, 0), "\"", NULL);
}

/* Whether the response changes with the time of asking, while the data stay. */
static int is_by_clock(const dsc_call_t *call)
{
    return (call->endpoint->flags & DSC_BY_CLOCK) && !call->as_of;
}

/* The tag by the versions of what the response is read from and the canonical request; NULL while a
 * version is not known, or where they do not tell. */
static const char *make_etag(dsc_call_t *call)
{
    const dsc_service_t *service = call->service;
    uint64_t mask = call->route.operation->dataset_mask;
    dsc_buffer_t *text = dsc_buffer_create(call->pool, 512);
    int i;

    if (!mask || is_by_clock(call)) {
        return NULL;
    }
    for (i = 0; i < 64; i++) {
        unsigned long long version;
        if (!(mask >> i & 1)) {
            continue;
        }
        version = service->version(i, service->version_baton);
        if (version == 0) {
            return NULL;
        }
        dsc_buffer_printf(text, "%" APR_UINT64_T_FMT ",", (apr_uint64_t)version);
    }
    dsc_query_canonical(call, text, 1);
    return etag_of(text);
}

/* Weak comparison of If-None-Match with our tag (RFC 9110, section 13.1.2). */
static int matches(const char *if_none_match, const char *etag)
{
    const char *opaque = etag + 2;
    size_t length = strlen(opaque);
    const char *p = if_none_match;
    while (*p) {
        p += strspn(p, ", \t");
        if (strncmp(p, "W/", 2) == 0) {
            p += 2;
        }
        if (strncmp(p, opaque, length) == 0 && strchr(", \t", p[length])) {
            return 1;
        }
        p += strcspn(p, ",");
    }
    return 0;
}

static int respond_not_modified(dsc_call_t *call)
{
    call->status = 304;
    call->body = NULL;
    call->content_type = NULL;
    return 1;
}

/* ----------------------------------------------------------------------- lists */

/* Opens the envelope: its parent's fields, the company, marks and gaps. */
static void open_envelope(dsc_call_t *call, dsc_result_t *parent)
{
    const char *const *gap;
    if (parent && call->endpoint->parent->shape) {
        int column = 0;
        dsc_row_write(call->body, dsc_layout_create(call->pool, call->endpoint->parent->shape),
                      parent, &column, call->scale);
        call->body->data[call->body->length - 1] = ','; /* the object goes on */
    } else {
        dsc_buffer_append_char(call->body, '{');
    }
    if (call->endpoint->flags & DSC_ALPHA) {
        dsc_buffer_append_text(call->body, "\"alpha\":true,");
    }
    if (call->endpoint->flags & DSC_WITH_COMPANY) {
        dsc_buffer_append_text(call->body, "\"company\":");
        dsc_company_write(call->body, &call->company);
        dsc_buffer_append_char(call->body, ',');
    }
    if (call->endpoint->gaps) {
        dsc_buffer_append_text(call->body, "\"_gaps\":[");
        for (gap = call->endpoint->gaps; *gap; gap++) {
            dsc_buffer_append_text(call->body, gap == call->endpoint->gaps ? "" : ",");
            dsc_json_text(call->body, *gap);
        }
        dsc_buffer_append_text(call->body, "],");
    }
}

/* Whether "name=value" or "name" of a query is the parameter of that name. */
static int is_pair_of(const char *pair, const char *name)
{
    size_t length = strlen(name);
    return strncmp(pair, name, length) == 0 && (pair[length] == '=' || pair[length] == '\0');
}

/* The absolute address of the next page, all other parameters kept. */
static const char *next_link(dsc_call_t *call, const char *position)
{
    const char *name = call->route.operation->offset < 0 ? "cursor" : "offset";
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
                       apr_pescape_path(call->pool, call->path, 0), "?",
                       apr_array_pstrcat(call->pool, parts, '&'), ">; rel=\"next\"", NULL);
}

static void write_pagination(dsc_call_t *call, const char *cursor)
{
    dsc_buffer_append_text(call->body, ",\"pagination\":{\"next_cursor\":");
    dsc_json_text(call->body, cursor);
    dsc_buffer_append_text(call->body, cursor ? ",\"has_more\":true}" : ",\"has_more\":false}");
    call->next_cursor = cursor;
}

/* Rows of a page: the limit asked for, under the plan's cap; where none can be asked for, all. */
static int page_size(const dsc_call_t *call)
{
    int place = call->route.operation->limit;
    int limit = place < 0 ? 500 : (int)call->values[place].integer;
    int cap = call->caller->page_cap;
    return place >= 0 && cap > 0 && cap < limit ? cap : limit;
}

typedef struct {
    int descending;
    int size;
    const dsc_cursor_t *after;
    unsigned char binding[DSC_CURSOR_BINDING_SIZE];
} page_t;

static void bind_cursor(dsc_call_t *call, page_t *page)
{
    dsc_buffer_t *canonical = dsc_buffer_create(call->pool, 512);
    dsc_query_canonical(call, canonical, 0);
    dsc_cursor_binding(canonical->data, canonical->length, page->binding);
}

/* Direction and position of the page. A cursor knows its direction; a `direction` that says
 * otherwise makes it a cursor of another query. */
static int read_page(dsc_call_t *call, apr_array_header_t *errors, page_t *page)
{
    const dsc_operation_t *operation = call->route.operation;
    const dsc_value_t *value = &call->values[operation->cursor];
    const dsc_value_t *direction = &call->values[operation->direction];
    dsc_cursor_t *cursor = apr_pcalloc(call->pool, sizeof(*cursor));
    dsc_slice_t input;

    page->size = page_size(call);
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
        page->after = cursor;
        return 1;
    }
    input.data = value->text;
    input.length = strlen(value->text);
    dsc_validation_error_add(errors, "query", "cursor", "invalid cursor", input);
    dsc_call_validation_errors(call, errors);
    return 0;
}

/* Looks up what the rows hang on; 0 with the response set where there is none. */
static int find_parent(dsc_call_t *call, dsc_result_t **parent)
{
    *parent = NULL;
    if (!call->endpoint->parent) {
        return 1;
    }
    if (!dsc_call_select_parent(call, parent)) {
        return 0;
    }
    if (!dsc_result_next(*parent)) {
        dsc_call_problem(call, 404,
                         apr_psprintf(call->pool, call->endpoint->not_found, path_text(call)));
        return 0;
    }
    return 1;
}

/* Runs the operation's own query. */
static dsc_result_t *run(dsc_call_t *call, int descending, const dsc_cursor_t *after, int fetch)
{
    dsc_query_t query;
    dsc_result_t *result = NULL;
    dsc_query_build(call, &query, descending, after, fetch);
    return dsc_query_select(call, &query, call->route.operation->columns, &result) ? result : NULL;
}

/* Writes up to `size` rows as an array. */
static void write_array(dsc_call_t *call, const struct dsc_layout_t *layout, dsc_result_t *result,
                        int size)
{
    int row;
    dsc_buffer_append_char(call->body, '[');
    for (row = 0; row < size && dsc_result_next(result); row++) {
        int column = 0;
        if (row) {
            dsc_buffer_append_char(call->body, ',');
        }
        dsc_row_write(call->body, layout, result, &column, call->scale);
    }
    dsc_buffer_append_char(call->body, ']');
}

static void write_data(dsc_call_t *call, dsc_result_t *result, int size)
{
    dsc_buffer_append_text(call->body, "\"data\":");
    write_array(call, call->route.operation->layout, result, size);
}

/* The cursor behind the row that was written last. */
static const char *cursor_behind(dsc_call_t *call, const dsc_result_t *result, const page_t *page)
{
    const dsc_operation_t *operation = call->route.operation;
    dsc_cursor_t last = {page->descending,
                         dsc_result_printed(call->pool, result, operation->order_column),
                         dsc_result_printed(call->pool, result, operation->tie_column)};
    return dsc_cursor_encode(call->pool, call->service->cursor_key, page->binding, &last);
}

static void start_body(dsc_call_t *call, size_t expected)
{
    call->status = 200;
    call->content_type = DSC_JSON;
    call->body = dsc_buffer_create(call->pool, expected);
}

static void respond_list(dsc_call_t *call, apr_array_header_t *errors)
{
    page_t page;
    dsc_result_t *result, *parent;
    const char *cursor = NULL;

    if (!read_page(call, errors, &page) || !begin_reading(call) || !find_parent(call, &parent)) {
        return;
    }
    result = run(call, page.descending, page.after, page.size + 1);
    if (!result) {
        return;
    }
    dsc_call_release(call);
    start_body(call, 1024 + (size_t)dsc_result_rows(result) * 1024);
    open_envelope(call, parent);
    write_data(call, result, page.size);
    if (dsc_result_rows(result) > page.size) {
        cursor = cursor_behind(call, result, &page);
    }
    write_pagination(call, cursor);
    dsc_buffer_append_char(call->body, '}');
}

static void respond_all(dsc_call_t *call)
{
    dsc_result_t *result, *parent;
    int size = page_size(call);
    if (!begin_reading(call) || !find_parent(call, &parent) ||
        !(result = run(call, 0, NULL, size))) {
        return;
    }
    dsc_call_release(call);
    start_body(call, 1024 + (size_t)dsc_result_rows(result) * 512);
    open_envelope(call, parent);
    write_data(call, result, size);
    dsc_buffer_append_char(call->body, '}');
}

/* A bare array cannot say that there is more: where it can be asked for, the Link header does. */
static void note_next_offset(dsc_call_t *call, int size)
{
    int place = call->route.operation->offset;
    if (place >= 0) {
        call->next_cursor = apr_psprintf(call->pool, "%" APR_INT64_T_FMT,
                                         (apr_int64_t)call->values[place].integer + size);
    }
}

static void respond_array(dsc_call_t *call)
{
    int size = page_size(call);
    dsc_result_t *result;
    if (!begin_reading(call) || !(result = run(call, 1, NULL, size + 1))) {
        return;
    }
    dsc_call_release(call);
    start_body(call, 1024 + (size_t)dsc_result_rows(result) * 1024);
    write_array(call, call->route.operation->layout, result, size);
    if (dsc_result_rows(result) > size) {
        note_next_offset(call, size);
    }
}

static void write_child(dsc_call_t *call, const dsc_child_t *child, dsc_result_t *rows)
{
    call->body->data[call->body->length - 1] = ','; /* the item goes on */
    dsc_json_name(call->body, child->name);
    write_array(call, dsc_layout_create(call->pool, child->shape), rows, dsc_result_rows(rows));
    dsc_buffer_append_char(call->body, '}');
}

/* Writes the item's children; where the database fails, that is the response. */
static void write_children(dsc_call_t *call)
{
    const dsc_child_t *child;
    for (child = call->endpoint->children; child && child->name; child++) {
        dsc_result_t *rows;
        if (!dsc_call_select_child(call, child, &rows)) {
            return;
        }
        write_child(call, child, rows);
    }
}

/* Writes the item, behind the company where the endpoint names it. */
static void write_item(dsc_call_t *call, dsc_result_t *result)
{
    int column = 0;
    size_t start;
    if (call->endpoint->flags & DSC_WITH_COMPANY) {
        dsc_buffer_append_text(call->body, "{\"company\":");
        dsc_company_write(call->body, &call->company);
    }
    start = call->body->length;
    dsc_row_write(call->body, call->route.operation->layout, result, &column, call->scale);
    if (start > 0) {
        call->body->data[start] = ','; /* the object goes on */
    }
    write_children(call);
}

static void respond_item(dsc_call_t *call)
{
    dsc_result_t *result;
    if (!begin_reading(call) || !(result = run(call, 0, NULL, 1))) {
        return;
    }
    if (!dsc_result_next(result)) {
        dsc_call_problem(call, 404,
                         apr_psprintf(call->pool, call->endpoint->not_found, path_text(call)));
        return;
    }
    start_body(call, 4096);
    write_item(call, result);
}

/* ------------------------------------------------------------------------ call */

static void respond_by_kind(dsc_call_t *call, apr_array_header_t *errors)
{
    switch (call->endpoint->response) {
    case DSC_RESPONSE_LIST:
        respond_list(call, errors);
        break;
    case DSC_RESPONSE_ALL:
        respond_all(call);
        break;
    case DSC_RESPONSE_ARRAY:
        respond_array(call);
        break;
    case DSC_RESPONSE_ITEM:
        respond_item(call);
        break;
    case DSC_RESPONSE_HANDLER:
        start_body(call, 4096);
        if (begin_reading(call)) {
            call->endpoint->handler(call);
        }
        break;
    }
    dsc_call_release(call);
}

/* Reads the response from the database and has it kept, unless its headers say more than those that are made for each. */
static void respond_anew(dsc_call_t *call, apr_array_header_t *errors, const char *etag)
{
    int headers = apr_table_elts(call->headers)->nelts;
    respond_by_kind(call, errors);
    if (etag && call->service->keep && call->status == 200 &&
        apr_table_elts(call->headers)->nelts == headers) {
        call->service->keep(call);
    }
}

/* From what is kept, or anew. A kept response is charged for as any. */
static void respond_or_recall(dsc_call_t *call, apr_array_header_t *errors, const char *etag)
{
    if (!etag || !call->service->recall || !call->service->recall(call, etag)) {
        respond_anew(call, errors, etag);
    } else {
        (void)reserve(call);
    }
    if (call->reservation) {
        call->service->settle(call);
    }
}

/* The headers of a 200, which may turn out to be a 304. */
static void finish(dsc_call_t *call, const char *etag)
{
    if (call->next_cursor) {
        apr_table_addn(call->headers, "Link", next_link(call, call->next_cursor));
    }
    if (!etag) {
        return;
    }
    apr_table_setn(call->headers, "ETag", etag);
    if (call->if_none_match &&
        (strcmp(call->if_none_match, "*") == 0 || matches(call->if_none_match, etag))) {
        respond_not_modified(call);
    }
}

void dsc_call_respond(dsc_call_t *call)
{
    apr_array_header_t *errors = apr_array_make(call->pool, 2, sizeof(dsc_validation_error_t));
    const char *etag;

    call->endpoint = call->route.operation->endpoint;
    if (!read_parameters(call, errors) || !may_read(call)) {
        return;
    }
    etag = make_etag(call);
    if (etag && call->if_none_match && matches(call->if_none_match, etag)) {
        apr_table_setn(call->headers, "ETag", etag);
        respond_not_modified(call);
        return;
    }
    respond_or_recall(call, errors, etag);
    if (call->status == 200) {
        finish(call, is_by_clock(call) ? etag_of(call->body) : etag);
    }
}
