/* The members of an item as a tree: those that a client has chosen by `fields`, and the flat
 * columns that they make. An object of the item's own row has its members inside; an array is one
 * member. */
#ifndef DSC_MEMBER_H
#define DSC_MEMBER_H

#include "engine/buffer.h"
#include "engine/shape.h"

#include <apr_tables.h>

typedef struct dsc_member_t {
    const char *name;
    const char *path;           /* "insider.name": its name in `fields` and as a column */
    int is_chosen;              /* with all that is inside */
    int has_chosen;             /* something inside is */
    int column;                 /* its place among all columns; -1: it has members inside */
    apr_array_header_t *inside; /* of dsc_member_t; NULL: none */
} dsc_member_t;

typedef struct {
    apr_array_header_t *all; /* of dsc_member_t */
    int column_count;
    dsc_slice_t *values; /* room for those of a row, by column */
    dsc_buffer_t *text;  /* room for one of them */
} dsc_members_t;

/* The members of a shape, all chosen. */
dsc_members_t *dsc_members_of(apr_pool_t *pool, const dsc_shape_t *shape);

/* Chooses none, as a start for choosing some. */
void dsc_members_clear(dsc_members_t *members);

/* Chooses the one of that path; 0 if there is none. */
int dsc_members_choose(dsc_members_t *members, dsc_slice_t path);

/* Appends the item, JSON text of ours without blanks, with the members that are chosen. */
void dsc_members_write_json(dsc_buffer_t *out, const dsc_members_t *members, const char *item);

/* Appends the header line of CSV: the paths of the columns that are chosen. */
void dsc_members_write_header(dsc_buffer_t *out, const dsc_members_t *members);

/* Appends the item as a line of CSV (RFC 4180, CRLF at its end): null is an empty cell, empty text
 * is quoted, arrays are JSON text. */
void dsc_members_write_row(dsc_buffer_t *out, dsc_members_t *members, const char *item);

/* Appends text as a cell of CSV, quoted if it must be. */
void dsc_csv_append(dsc_buffer_t *out, const char *text, size_t length);

#endif
