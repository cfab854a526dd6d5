#include "engine/export.h"

#include "engine/json_scan.h"
#include "engine/query.h"
#include "engine/shape_walk.h"

#include <apr_strings.h>

void dsc_export_item(dsc_call_t *call, const struct dsc_layout_t *layout, dsc_result_t *result)
{
    int column = 0;
    if (!call->members) {
        dsc_row_write(call->body, layout, result, &column, call->scale);
        return;
    }
    if (!call->item) {
        call->item = dsc_buffer_create(call->pool, 4096);
    }
    call->item->length = 0;
    dsc_row_write(call->item, layout, result, &column, call->scale);
    if (call->format == DSC_MEDIA_CSV) {
        dsc_members_write_row(call->body, call->members, dsc_buffer_text(call->item));
    } else {
        dsc_members_write_json(call->body, call->members, dsc_buffer_text(call->item));
    }
}

static void begin_csv(dsc_call_t *call, int is_first)
{
    if (!call->members) {
        call->members = dsc_members_of(call->pool, dsc_rows_shape(call->endpoint));
    }
    if (is_first) {
        dsc_members_write_header(call->body, call->members);
    }
}

void dsc_export_rows(dsc_call_t *call, dsc_result_t *result, int size, int is_first)
{
    int row;
    if (call->format == DSC_MEDIA_CSV) {
        begin_csv(call, is_first);
    }
    for (row = 0; row < size && dsc_result_next(result); row++) {
        dsc_export_item(call, call->route.operation->layout, result);
        if (call->format == DSC_MEDIA_NDJSON) {
            dsc_buffer_append_char(call->body, '\n');
        }
    }
}

void dsc_export_body(dsc_call_t *call)
{
    const char *json = dsc_buffer_text(call->body);
    const char *at = dsc_json_find(json, call->endpoint->rows).data + 1;
    dsc_slice_t item;
    call->body = dsc_buffer_create(call->pool, call->body->length);
    if (call->format == DSC_MEDIA_CSV) {
        begin_csv(call, 1);
    }
    while (dsc_json_element(&at, &item)) {
        if (call->format == DSC_MEDIA_CSV) {
            dsc_members_write_row(call->body, call->members, item.data);
        } else {
            dsc_buffer_append(call->body, item.data, item.length);
            dsc_buffer_append_char(call->body, '\n');
        }
    }
}

/* ------------------------------------------------------------------------ pages */

/* Rows that are read at once: as many as a page of JSON may have, so that the statement is the
 * same. */
static int most_at_once(const dsc_call_t *call)
{
    int place = call->route.operation->limit;
    return (int)call->endpoint->parameters[place].bounds.maximum;
}

/* The position of the last row of `size`, if there are more behind it; the header that leads to
 * them stands before the first row. 0 with the response set if the database fails; last->order
 * NULL: there are no more. */
static int find_last(dsc_call_t *call, const dsc_page_t *page, dsc_cursor_t *last)
{
    dsc_span_t span = {.descending = page->descending, .after = page->after, .fetch = 2};
    dsc_query_t query;
    dsc_result_t *result;

    last->order = NULL;
    dsc_query_build_positions(call, &query, &span, page->size - 1);
    if (!dsc_query_select(call, &query, NULL, &result)) {
        return 0;
    }
    if (dsc_result_rows(result) == span.fetch && dsc_result_next(result)) {
        last->descending = page->descending;
        last->order = apr_pstrdup(call->pool, dsc_result_text(result, 0));
        last->tie = apr_pstrdup(call->pool, dsc_result_text(result, 1));
    }
    return 1;
}

/* Reads rows behind a position, which moves on; up to `until`, if that is one. Returns how many, or
 * -1 with the response set if the database fails. */
static int write_next(dsc_call_t *call, const dsc_page_t *page, dsc_cursor_t *position,
                      const dsc_cursor_t *until, int fetch)
{
    dsc_span_t span = {.descending = page->descending,
                       .after = position->order ? position : NULL,
                       .until = until->order ? until : NULL,
                       .fetch = fetch};
    dsc_query_t query;
    dsc_result_t *result;
    int rows;

    dsc_query_build(call, &query, &span);
    if (!dsc_query_select(call, &query, call->route.operation->columns, &result)) {
        return -1;
    }
    dsc_call_release(call);
    rows = dsc_result_rows(result);
    dsc_export_rows(call, result, rows, !call->is_started);
    if (rows) {
        dsc_page_position(call, result, page, position);
    }
    return rows;
}

void dsc_export_list(dsc_call_t *call, dsc_page_t *page)
{
    dsc_cursor_t position = {0}, until = {0};
    apr_pool_t *page_pool;
    int at_once = most_at_once(call), rows;

    if (page->after) {
        position = *page->after;
    }
    if (!find_last(call, page, &until)) {
        return;
    }
    if (until.order && !dsc_page_goes_on(call, page, &until)) {
        return;
    }
    apr_pool_create(&page_pool, call->pool);
    do {
        apr_pool_clear(page_pool);
        call->page_pool = page_pool;
        rows = write_next(call, page, &position, &until, at_once);
        call->page_pool = NULL;
    } while (rows == at_once && call->flush && call->flush(call));
    apr_pool_destroy(page_pool);
}
