#include "engine/member.h"

#include "engine/json_scan.h"
#include "engine/shared_member.h"

#include <apr_strings.h>

/* ------------------------------------------------------------------------ tree */

static void add_fields(apr_pool_t *pool, dsc_members_t *members, apr_array_header_t *to,
                       const char *prefix, const dsc_shape_t *shape);

static dsc_member_t *add(dsc_members_t *members, apr_array_header_t *to, const char *prefix,
                         const char *name)
{
    dsc_member_t *member = apr_array_push(to);
    member->name = name;
    member->path = *prefix ? apr_pstrcat(to->pool, prefix, ".", name, NULL) : name;
    member->is_chosen = 1;
    member->has_chosen = 0;
    member->inside = NULL;
    member->column = members->column_count++;
    return member;
}

static apr_array_header_t *open_inside(dsc_members_t *members, dsc_member_t *member)
{
    member->column = -1;
    members->column_count--;
    member->inside = apr_array_make(members->all->pool, 8, sizeof(dsc_member_t));
    return member->inside;
}

/* Members of an object that the engine writes itself. */
static void add_shared(dsc_members_t *members, apr_array_header_t *to, const char *prefix,
                       const char *schema, int is_cited)
{
    const dsc_shared_member_t *shared;
    for (shared = dsc_shared_members; shared->schema; shared++) {
        if (strcmp(shared->schema, schema) == 0 && (shared->is_required || is_cited)) {
            add(members, to, prefix, shared->name);
        }
    }
}

/* An object of the row's own has its members inside. */
static void add_inside(apr_pool_t *pool, dsc_members_t *members, dsc_member_t *member,
                       const dsc_field_t *field)
{
    int is_json = field->type == DSC_FIELD_JSON && !(field->flags & DSC_ARRAY);
    const char *path = member->path;
    if (field->type == DSC_FIELD_VALUE) {
        add_shared(members, open_inside(members, member), path, DSC_SCHEMA_VALUE, 0);
    } else if (field->type == DSC_FIELD_PROVENANCE || (is_json && (field->flags & DSC_SOURCES))) {
        add_shared(members, open_inside(members, member), path, DSC_SCHEMA_PROVENANCE,
                   (field->flags & DSC_CITED) != 0);
    } else if (field->type == DSC_FIELD_OBJECT || (is_json && field->shape)) {
        add_fields(pool, members, open_inside(members, member), path, field->shape);
    }
}

static void add_fields(apr_pool_t *pool, dsc_members_t *members, apr_array_header_t *to,
                       const char *prefix, const dsc_shape_t *shape)
{
    int i;
    for (i = 0; i < shape->field_count; i++) {
        add_inside(pool, members, add(members, to, prefix, shape->fields[i].name),
                   &shape->fields[i]);
    }
}

dsc_members_t *dsc_members_of(apr_pool_t *pool, const dsc_shape_t *shape)
{
    dsc_members_t *members = apr_pcalloc(pool, sizeof(*members));
    members->all = apr_array_make(pool, shape->field_count, sizeof(dsc_member_t));
    add_fields(pool, members, members->all, "", shape);
    members->values = apr_palloc(pool, (size_t)members->column_count * sizeof(dsc_slice_t));
    members->text = dsc_buffer_create(pool, 256);
    return members;
}

static void mark(apr_array_header_t *list, int is_chosen)
{
    int i;
    for (i = 0; list && i < list->nelts; i++) {
        dsc_member_t *member = &APR_ARRAY_IDX(list, i, dsc_member_t);
        member->is_chosen = is_chosen;
        member->has_chosen = 0;
        mark(member->inside, is_chosen);
    }
}

void dsc_members_clear(dsc_members_t *members)
{
    mark(members->all, 0);
}

static int choose(apr_array_header_t *list, dsc_slice_t path)
{
    int i;
    for (i = 0; list && i < list->nelts; i++) {
        dsc_member_t *member = &APR_ARRAY_IDX(list, i, dsc_member_t);
        if (strlen(member->path) == path.length &&
            memcmp(member->path, path.data, path.length) == 0) {
            member->is_chosen = 1;
            mark(member->inside, 1);
            return 1;
        }
        if (choose(member->inside, path)) {
            member->has_chosen = 1;
            return 1;
        }
    }
    return 0;
}

int dsc_members_choose(dsc_members_t *members, dsc_slice_t path)
{
    return choose(members->all, path);
}

/* The member of that name; members come in the order of the shape, but for those that are left
 * out. */
static const dsc_member_t *find(const apr_array_header_t *list, dsc_slice_t name, int *next)
{
    int i, place;
    for (i = 0; i < list->nelts; i++) {
        const dsc_member_t *member;
        place = (*next + i) % list->nelts;
        member = &APR_ARRAY_IDX(list, place, dsc_member_t);
        if (strlen(member->name) == name.length &&
            memcmp(member->name, name.data, name.length) == 0) {
            *next = place + 1;
            return member;
        }
    }
    return NULL;
}

/* ------------------------------------------------------------------------ JSON */

static void write_object(dsc_buffer_t *out, const apr_array_header_t *list, const char *object)
{
    const char *at = object + 1;
    dsc_slice_t name, value;
    int next = 0, count = 0;
    dsc_buffer_append_char(out, '{');
    while (dsc_json_member(&at, &name, &value)) {
        const dsc_member_t *member = find(list, name, &next);
        if (!member || !(member->is_chosen || member->has_chosen)) {
            continue;
        }
        dsc_buffer_append_text(out, count++ ? ",\"" : "\"");
        dsc_buffer_append(out, name.data, name.length);
        dsc_buffer_append_text(out, "\":");
        if (!member->is_chosen && *value.data == '{') {
            write_object(out, member->inside, value.data);
        } else {
            dsc_buffer_append(out, value.data, value.length);
        }
    }
    dsc_buffer_append_char(out, '}');
}

void dsc_members_write_json(dsc_buffer_t *out, const dsc_members_t *members, const char *item)
{
    write_object(out, members->all, item);
}

/* ------------------------------------------------------------------------- CSV */

/* Walks the chosen columns, in order. */
static void each_column(const apr_array_header_t *list, dsc_buffer_t *out,
                        void (*put)(dsc_buffer_t *out, const dsc_member_t *member, void *baton),
                        void *baton)
{
    int i;
    for (i = 0; i < list->nelts; i++) {
        const dsc_member_t *member = &APR_ARRAY_IDX(list, i, dsc_member_t);
        if (member->inside) {
            each_column(member->inside, out, put, baton);
        } else if (member->is_chosen) {
            put(out, member, baton);
        }
    }
}

static void put_name(dsc_buffer_t *out, const dsc_member_t *member, void *baton)
{
    (void)baton;
    dsc_buffer_append_text(out, member->path);
    dsc_buffer_append_char(out, ',');
}

/* Ends a line: CRLF in place of the comma behind its last cell. */
static void end_line(dsc_buffer_t *out)
{
    out->length--;
    dsc_buffer_append(out, "\r\n", 2);
}

void dsc_members_write_header(dsc_buffer_t *out, const dsc_members_t *members)
{
    each_column(members->all, out, put_name, NULL);
    end_line(out);
}

static void put_quoted(dsc_buffer_t *out, const char *text, size_t length)
{
    size_t i;
    dsc_buffer_append_char(out, '"');
    for (i = 0; i < length; i++) {
        if (text[i] == '"') {
            dsc_buffer_append_char(out, '"');
        }
        dsc_buffer_append_char(out, text[i]);
    }
    dsc_buffer_append_char(out, '"');
}

/* Whether text can be in a cell as it is. */
static int is_plain(const char *text, size_t length)
{
    size_t i;
    for (i = 0; i < length; i++) {
        if (strchr(",\"\r\n", text[i])) { /* with NUL */
            return 0;
        }
    }
    return length > 0 && text[0] != ' ' && text[length - 1] != ' ';
}

void dsc_csv_append(dsc_buffer_t *out, const char *text, size_t length)
{
    if (is_plain(text, length)) {
        dsc_buffer_append(out, text, length);
    } else {
        put_quoted(out, text, length);
    }
}

static void put_cell(dsc_buffer_t *out, const dsc_member_t *member, void *baton)
{
    const dsc_members_t *members = baton;
    dsc_slice_t value = members->values[member->column];
    if (value.data && *value.data == '"') {
        members->text->length = 0;
        dsc_json_unquote(members->text, value);
        dsc_csv_append(out, members->text->data, members->text->length);
    } else if (value.data && strncmp(value.data, "null", 4) != 0) {
        dsc_csv_append(out, value.data, value.length);
    }
    dsc_buffer_append_char(out, ',');
}

static void read_cells(const apr_array_header_t *list, const char *object, dsc_slice_t *values)
{
    const char *at = object + 1;
    dsc_slice_t name, value;
    int next = 0;
    while (dsc_json_member(&at, &name, &value)) {
        const dsc_member_t *member = find(list, name, &next);
        if (member && !member->inside) {
            values[member->column] = value;
        } else if (member && *value.data == '{') {
            read_cells(member->inside, value.data, values);
        }
    }
}

void dsc_members_write_row(dsc_buffer_t *out, dsc_members_t *members, const char *item)
{
    memset(members->values, 0, (size_t)members->column_count * sizeof(dsc_slice_t));
    read_cells(members->all, item, members->values);
    each_column(members->all, out, put_cell, members);
    end_line(out);
}
