#include "fuzz/structure.h"

#include <string.h>

/* -------------------------------------------------------------------------- markup */

static int is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ':' ||
           c == '-' || c == '_' || c == '.';
}

/* The open part of that name, innermost first; -1: none. */
static int find_open(const apr_array_header_t *open, const apr_array_header_t *parts,
                     const char *name, size_t length)
{
    int i;

    for (i = open->nelts - 1; i >= 0; i--) {
        const dsc_part_t *part = &APR_ARRAY_IDX(parts, APR_ARRAY_IDX(open, i, int), dsc_part_t);
        if (part->name_length == length && memcmp(part->name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

/* Takes the tag that begins at `at` in; returns the position behind it. */
static size_t take_tag(dsc_structure_t *structure, apr_array_header_t *open, const char *data,
                       size_t size, size_t at)
{
    const char *stop = memchr(data + at, '>', size - at);
    size_t end = stop == NULL ? size : (size_t)(stop - data) + 1, name = at + 1;
    int closing = name < size && data[name] == '/', found;
    dsc_part_t part = {at, end, -1, NULL, 0};

    name += (size_t)closing;
    part.name = data + name;
    while (name < end && is_name(data[name])) {
        name++;
        part.name_length++;
    }
    if (part.name_length == 0 || stop == NULL) {
        return end;
    }
    if (closing) {
        found = find_open(open, structure->parts, part.name, part.name_length);
        if (found >= 0) {
            APR_ARRAY_IDX(structure->parts, APR_ARRAY_IDX(open, found, int), dsc_part_t).end = end;
            open->nelts = found;
        }
        return end;
    }
    part.parent = open->nelts == 0 ? -1 : APR_ARRAY_IDX(open, open->nelts - 1, int);
    if (stop[-1] != '/') {
        part.end = 0; /* open */
        APR_ARRAY_PUSH(open, int) = structure->parts->nelts;
    }
    APR_ARRAY_PUSH(structure->parts, dsc_part_t) = part;
    return end;
}

static void read_markup(dsc_structure_t *structure, apr_pool_t *pool, const char *data, size_t size)
{
    apr_array_header_t *open = apr_array_make(pool, 16, sizeof(int));
    const char *next = memchr(data, '<', size);

    while (next != NULL) {
        size_t end = take_tag(structure, open, data, size, (size_t)(next - data));
        next = end < size ? memchr(data + end, '<', size - end) : NULL;
    }
}

/* ---------------------------------------------------------------------------- JSON */

static size_t string_end(const char *data, size_t size, size_t at)
{
    for (at++; at < size && data[at] != '"'; at++) {
        at += data[at] == '\\';
    }
    return at < size ? at + 1 : size;
}

/* Each opening bracket and each comma begins a part, which the next comma or closing bracket of its
 * level ends. */
static void read_json(dsc_structure_t *structure, apr_pool_t *pool, const char *data, size_t size)
{
    apr_array_header_t *open = apr_array_make(pool, 16, sizeof(int)); /* parts that are not ended */
    dsc_part_t part = {0, 0, -1, NULL, 0};
    size_t at;

    for (at = 0; at < size; at++) {
        char c = data[at];
        if (c == '"') {
            at = string_end(data, size, at) - 1;
            continue;
        }
        if ((c == ',' || c == '}' || c == ']') && open->nelts > 0) {
            int ended = *(int *)apr_array_pop(open);
            APR_ARRAY_IDX(structure->parts, ended, dsc_part_t).end = at;
        }
        if (c == '{' || c == '[' || c == ',') {
            part.begin = at + 1;
            part.parent = open->nelts == 0 ? -1 : APR_ARRAY_IDX(open, open->nelts - 1, int);
            APR_ARRAY_PUSH(open, int) = structure->parts->nelts;
            APR_ARRAY_PUSH(structure->parts, dsc_part_t) = part;
        }
    }
}

/* --------------------------------------------------------------------------- lines */

static void read_lines(dsc_structure_t *structure, const char *data, size_t size)
{
    dsc_part_t part = {0, 0, -1, NULL, 0};

    while (part.begin < size) {
        const char *stop = memchr(data + part.begin, '\n', size - part.begin);
        part.end = stop == NULL ? size : (size_t)(stop - data) + 1;
        APR_ARRAY_PUSH(structure->parts, dsc_part_t) = part;
        part.begin = part.end;
    }
}

/* In a text a row is what stands between blank lines. */
static void join_lines(dsc_structure_t *structure, const char *data)
{
    apr_array_header_t *lines = structure->parts;
    int i, kept = -1, blank = 1;

    for (i = 0; i < lines->nelts; i++) {
        const dsc_part_t line = APR_ARRAY_IDX(lines, i, dsc_part_t);
        int is_blank = strspn(data + line.begin, " \t\r\f") + line.begin + 1 >= line.end;

        if (blank && !is_blank) {
            APR_ARRAY_IDX(lines, ++kept, dsc_part_t) = line;
        } else if (kept >= 0) {
            APR_ARRAY_IDX(lines, kept, dsc_part_t).end = line.end;
        }
        blank = is_blank;
    }
    lines->nelts = kept + 1;
}

size_t dsc_field_end(const char *data, size_t at, size_t end, char delimiter)
{
    int quoted = 0;

    for (; at < end && (quoted || (data[at] != delimiter && data[at] != '\n' && data[at] != '\r'));
         at++) {
        quoted ^= data[at] == '"' && delimiter == ',';
    }
    return at;
}

static char delimiter_of(const char *data, size_t size)
{
    static const char delimiters[] = "|\t,";
    const char *stop = memchr(data, '\n', size);
    size_t length = stop == NULL ? size : (size_t)(stop - data), i;

    for (i = 0; length < size && data[0] != ' ' && delimiters[i] != '\0'; i++) {
        if (memchr(data, delimiters[i], length) != NULL) {
            return delimiters[i];
        }
    }
    return '\0';
}

dsc_structure_t *dsc_structure(apr_pool_t *pool, const char *data, size_t size)
{
    dsc_structure_t *structure = apr_pcalloc(pool, sizeof(*structure));
    size_t at = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const char *line = size > 4 && memcmp(data, "=== ", 4) == 0 ? memchr(data, '\n', size) : NULL;

    if (line != NULL) { /* several files: by the first of them */
        at = (size_t)(line - data) + 1;
    }

    structure->parts = apr_array_make(pool, 256, sizeof(dsc_part_t));
    while (at < size && strchr(" \r\n\t", data[at]) != NULL) {
        at++;
    }
    if (at < size && (data[at] == '<' || data[at] == '-')) {
        structure->kind = DSC_LAYOUT_MARKUP;
        read_markup(structure, pool, data, size);
    } else if (at < size && (data[at] == '{' || data[at] == '[')) {
        structure->kind = DSC_LAYOUT_JSON;
        read_json(structure, pool, data, size);
        if (memmem(data, size, "}\n{", 3) != NULL) { /* a value on each line */
            read_lines(structure, data, size);
        }
    } else {
        structure->delimiter = delimiter_of(data + at, size - at);
        structure->kind = structure->delimiter != '\0' ? DSC_LAYOUT_DELIMITED : DSC_LAYOUT_TEXT;
        read_lines(structure, data, size);
        if (structure->kind == DSC_LAYOUT_TEXT) {
            join_lines(structure, data);
        }
    }
    return structure;
}
