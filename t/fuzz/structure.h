/* Where a file's parts begin and end, as far as damaging it needs that: elements, members, rows,
 * fields. */
#ifndef DSC_FUZZ_STRUCTURE_H
#define DSC_FUZZ_STRUCTURE_H

#include <apr_tables.h>
#include <stddef.h>

/* A part of the file: an element with its tags, a member of an object, an element of an array, a
 * line, a field of a line. */
typedef struct {
    size_t begin, end;
    int parent;       /* the index of the part around it, -1: none */
    const char *name; /* of an element, in the data; NULL elsewhere */
    size_t name_length;
} dsc_part_t;

typedef enum {
    DSC_LAYOUT_MARKUP, /* XML, SGML, HTML */
    DSC_LAYOUT_JSON,
    DSC_LAYOUT_DELIMITED,
    DSC_LAYOUT_TEXT
} dsc_layout_kind_t;

typedef struct {
    dsc_layout_kind_t kind;
    char delimiter;            /* of delimited files */
    apr_array_header_t *parts; /* of dsc_part_t; of delimited files and text: the lines */
} dsc_structure_t;

/* Reads the bytes' structure; what is not well formed has fewer parts. */
dsc_structure_t *dsc_structure(apr_pool_t *pool, const char *data, size_t size);

/* The position behind the field that begins at `at`, in a line that ends at `end`. */
size_t dsc_field_end(const char *data, size_t at, size_t end, char delimiter);

#endif
