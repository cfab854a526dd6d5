#include "engine/call_values.h"
#include "engine/digest.h"
#include "engine/export.h"
#include "engine/json_writer.h"
#include "engine/problem.h"
#include "engine/query.h"
#include "engine/replicas.h"
#include "engine/shape_walk.h"

#include <apr_escape.h>
#include <apr_strings.h>

const char *const dsc_direction_choices[] = {"asc", "desc", NULL};

static const char *path_text(const dsc_call_t *call)
{
    const apr_array_header_t *values = call->route.path_values;
    return values->nelts ? APR_ARRAY_IDX(values, values->nelts - 1, dsc_slice_t).data : call->path;
}

/* Holds the credits that the call costs; 0 with the response set if there are too few. */
static int reserve(dsc_call_t *call)
{
    return call->caller->credit_cost == 0 || call->reservation || call->service->reserve(call);
}

/* What a request is charged for begins: holds its credits, and resolves the path's symbol if the
 * endpoint's rows are a company's. 0 with the response set if that fails. */
static int begin_reading(dsc_call_t *call)
{
    int place = call->route.operation->symbol;
    if (!reserve(call)) {
        return 0;
    }
    return place < 0 || call->service->find_company(call, call->values[place].text);
}

/* ------------------------------------------------------------------------ ETag */

const char *dsc_etag_of(const dsc_buffer_t *body)
{
    unsigned char digest[DSC_SHA256_SIZE];
    dsc_sha256(body->data, body->length, digest);
    return apr_pstrcat(body->pool, "W/\"", apr_pescape_hex(body->pool, digest, 16, 0), "\"", NULL);
}

/* Whether the response may have a tag: a 304 is of GET and HEAD alone (RFC 9110, section
 * 13.1.2). */
static int is_tagged(const dsc_call_t *call)
{
    return strcmp(call->endpoint->method, "GET") == 0;
}

/* Whether the response changes with the time of asking, while the data stay. */
static int is_by_clock(const dsc_call_t *call)
{
    return (call->endpoint->flags & DSC_BY_CLOCK) && !call->as_of;
}

/* The tag, from the versions that the response is read from and the canonical request; NULL while
 * a version is not known, or if they do not determine the response. */
static const char *make_etag(dsc_call_t *call)
{
    const dsc_service_t *service = call->service;
    uint64_t mask = call->route.operation->dataset_mask;
    dsc_buffer_t *text = dsc_buffer_create(call->pool, 512);
    int i;

    if (!mask || !is_tagged(call) || is_by_clock(call)) {
        return NULL;
    }
    for (i = 0; i < 64; i++) {
        unsigned long long version;
        if (!(mask >> i & 1)) {
            continue;
        }
        version = service->version(i, service->watch_baton);
        if (version == 0) {
            return NULL;
        }
        dsc_buffer_printf(text, "%" APR_UINT64_T_FMT ",", (apr_uint64_t)version);
    }
    dsc_query_canonical(call, text, 1);
    return dsc_etag_of(text);
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
    call->kept = NULL;
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

static void write_pagination(dsc_call_t *call)
{
    const char *cursor = call->next_cursor;
    dsc_buffer_append_text(call->body, ",\"pagination\":{\"next_cursor\":");
    dsc_json_text(call->body, cursor);
    dsc_buffer_append_text(call->body, cursor ? ",\"has_more\":true}" : ",\"has_more\":false}");
}

/* Looks up the parent of the rows; 0 with the response set if there is none. */
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
    dsc_span_t span = {.descending = descending, .after = after, .fetch = fetch};
    dsc_query_t query;
    dsc_result_t *result = NULL;
    dsc_query_build(call, &query, &span);
    return dsc_query_select(call, &query, call->route.operation->columns, &result) ? result : NULL;
}

/* Writes up to `size` rows as an array. */
static void write_array(dsc_call_t *call, const struct dsc_layout_t *layout, dsc_result_t *result,
                        int size)
{
    int row;
    dsc_buffer_append_char(call->body, '[');
    for (row = 0; row < size && dsc_result_next(result); row++) {
        if (row) {
            dsc_buffer_append_char(call->body, ',');
        }
        dsc_export_item(call, layout, result);
    }
    dsc_buffer_append_char(call->body, ']');
}

static void write_data(dsc_call_t *call, dsc_result_t *result, int size)
{
    dsc_buffer_append_text(call->body, "\"data\":");
    write_array(call, call->route.operation->layout, result, size);
}

static void start_body(dsc_call_t *call, size_t expected)
{
    call->status = 200;
    call->content_type = call->endpoint->media_type ? call->endpoint->media_type
                                                    : dsc_media[call->format].content_type;
    call->body = dsc_buffer_create(call->pool, expected);
}

/* Rows of no page: unchanged. */
static void start_rows(dsc_call_t *call, const dsc_result_t *result)
{
    dsc_call_release(call);
    start_body(call, 1024 + (size_t)dsc_result_rows(result) * 1024);
}

/* Leads to the rows behind the one that was written last, if there are any; 0 with the response set
 * if that fails. */
static int lead_on(dsc_call_t *call, const dsc_result_t *result, const dsc_page_t *page)
{
    dsc_cursor_t last;
    if (dsc_result_rows(result) <= page->size) {
        return 1;
    }
    dsc_page_position(call, result, page, &last);
    return dsc_page_goes_on(call, page, &last);
}

static void write_page(dsc_call_t *call, dsc_result_t *result, dsc_result_t *parent,
                       const dsc_page_t *page)
{
    if (call->format != DSC_MEDIA_JSON) {
        dsc_export_rows(call, result, page->size, 1);
        (void)lead_on(call, result, page);
        return;
    }
    open_envelope(call, parent);
    write_data(call, result, page->size);
    if (lead_on(call, result, page)) {
        write_pagination(call);
        dsc_buffer_append_char(call->body, '}');
    }
}

/* Whether the page is larger than what is read at once. */
static int is_long(const dsc_call_t *call, const dsc_page_t *page)
{
    int place = call->route.operation->limit;
    return place >= 0 && page->size > call->endpoint->parameters[place].bounds.maximum;
}

static void respond_list(dsc_call_t *call, apr_array_header_t *errors)
{
    dsc_page_t page;
    dsc_result_t *result, *parent;

    if (!dsc_page_read(call, errors, &page) ||
        (is_long(call, &page) && call->begin_export && !call->begin_export(call)) ||
        !begin_reading(call) || !find_parent(call, &parent)) {
        return;
    }
    if (is_long(call, &page)) {
        start_body(call, 65536);
        dsc_export_list(call, &page);
        return;
    }
    result = run(call, page.descending, page.after, page.size + 1);
    if (result) {
        if (dsc_result_rows(result) > page.size) {
            dsc_reading_mark(call);
        }
        start_rows(call, result);
        write_page(call, result, parent, &page);
    }
}

static void respond_all(dsc_call_t *call)
{
    dsc_result_t *result, *parent;
    int size = dsc_page_size(call);
    if (!begin_reading(call) || !find_parent(call, &parent) ||
        !(result = run(call, 0, NULL, size))) {
        return;
    }
    start_rows(call, result);
    if (call->format != DSC_MEDIA_JSON) {
        dsc_export_rows(call, result, size, 1);
        return;
    }
    open_envelope(call, parent);
    write_data(call, result, size);
    dsc_buffer_append_char(call->body, '}');
}

/* A bare array cannot say that there is more: if it can be asked for, the Link header does. */
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
    int size = dsc_page_size(call);
    dsc_result_t *result;
    if (!begin_reading(call) || !(result = run(call, 1, NULL, size + 1))) {
        return;
    }
    start_rows(call, result);
    if (call->format != DSC_MEDIA_JSON) {
        dsc_export_rows(call, result, size, 1);
    } else {
        write_array(call, call->route.operation->layout, result, size);
    }
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

/* Writes the item's children; if the database fails, that is the response. */
static void write_children(dsc_call_t *call, int is_plain)
{
    const dsc_child_t *child;
    for (child = call->endpoint->children; child && child->name; child++) {
        dsc_result_t *rows;
        if (!dsc_call_select_child(call, child, is_plain, &rows)) {
            return;
        }
        write_child(call, child, rows);
    }
}

/* What the item's source finds of its children, in the column behind those that are shown. */
static int is_plain(const dsc_call_t *call, const dsc_result_t *result)
{
    dsc_slice_t plain;
    if (!call->endpoint->source->plain) {
        return 0;
    }
    plain = dsc_result_value(result, call->route.operation->column_count);
    return plain.data && dsc_wire_boolean(plain);
}

/* Writes the item, behind the company if the endpoint names it. */
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
    write_children(call, is_plain(call, result));
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
    if (call->status == 200 && call->format != DSC_MEDIA_JSON && call->endpoint->rows) {
        dsc_export_body(call);
    }
}

/* Reads the response from the database and has it kept, unless its headers say more than those that
 * are made for each. What a replica that is behind does not have, the primary may: what a webhook
 * has just announced is found. */
static void respond_anew(dsc_call_t *call, apr_array_header_t *errors)
{
    int headers = apr_table_elts(call->headers)->nelts;
    respond_by_kind(call, errors);
    if (call->status == 404 && dsc_reading_on_primary(call)) {
        respond_by_kind(call, errors);
    }
    if (call->etag && call->service->keep && call->status == 200 && !call->is_started &&
        apr_table_elts(call->headers)->nelts == headers) {
        call->service->keep(call);
    }
}

/* From what is kept, or anew. A kept response is charged for as any. */
static void respond_or_recall(dsc_call_t *call, apr_array_header_t *errors)
{
    if (!call->etag || !call->service->recall || !call->service->recall(call, call->etag)) {
        respond_anew(call, errors);
    } else {
        (void)reserve(call);
    }
    if (call->status == 200 && !call->is_started && call->may_send) {
        (void)call->may_send(call);
    }
    if (call->reservation) {
        call->service->settle(call);
    }
}

void dsc_call_finish(dsc_call_t *call)
{
    if (call->next_cursor) {
        apr_table_addn(call->headers, "Link", dsc_page_link(call, call->next_cursor));
    }
    if (call->etag) {
        apr_table_setn(call->headers, "ETag", call->etag);
    }
}

/* The headers of a 200, which may turn out to be a 304. */
static void finish(dsc_call_t *call)
{
    if (is_tagged(call) && is_by_clock(call)) {
        call->etag = call->kept ? call->kept->etag : dsc_etag_of(call->body);
    }
    dsc_call_finish(call);
    if (call->etag && call->if_none_match &&
        (strcmp(call->if_none_match, "*") == 0 || matches(call->if_none_match, call->etag))) {
        respond_not_modified(call);
    }
}

/* Chooses the format; 0 with the response set to a 406 if the client accepts none. */
static int choose_format(dsc_call_t *call)
{
    int rows = dsc_rows_shape(call->endpoint) != NULL;
    if (call->endpoint->media_type) {
        return 1; /* a request for a file by its name gets it */
    }
    call->format = dsc_media_choose(call->accept, rows ? DSC_MEDIA_COUNT : 1);
    if (call->format != DSC_MEDIA_COUNT) {
        return 1;
    }
    dsc_call_problem(call, 406,
                     rows ? "Lists are served as application/json, text/csv and "
                            "application/x-ndjson; the Accept header excludes all of them."
                          : NULL);
    return 0;
}

void dsc_call_respond(dsc_call_t *call)
{
    apr_array_header_t *errors = apr_array_make(call->pool, 2, sizeof(dsc_validation_error_t));

    call->endpoint = call->route.operation->endpoint;
    if (!choose_format(call) || !dsc_call_read_values(call, errors)) {
        return;
    }
    call->etag = make_etag(call);
    if (call->etag && call->if_none_match && matches(call->if_none_match, call->etag)) {
        apr_table_setn(call->headers, "ETag", call->etag);
        respond_not_modified(call);
        return;
    }
    respond_or_recall(call, errors);
    if (call->status == 200 && !call->is_started) {
        finish(call);
    }
}
