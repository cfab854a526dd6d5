/* Reads a line of NDJSON member by member, numbers as their own text: no digit of a decimal is
 * lost to a double. */
#ifndef DSC_JSON_LINE_H
#define DSC_JSON_LINE_H

#include <apr_pools.h>
#include <stddef.h>

typedef enum {
    DSC_JSON_NULL,
    DSC_JSON_TRUE,
    DSC_JSON_FALSE,
    DSC_JSON_NUMBER, /* text: as written */
    DSC_JSON_STRING, /* text: decoded; may not hold U+0000 */
    DSC_JSON_OBJECT, /* text: as written */
    DSC_JSON_ARRAY   /* text: as written */
} dsc_json_kind_t;

/* A value; `text` is NUL-terminated and in the pool. */
typedef struct {
    dsc_json_kind_t kind;
    const char *text;
} dsc_json_value_t;

/* A walk over an object's members or an array's elements. */
typedef struct {
    apr_pool_t *pool;
    const char *at, *end;
    char close; /* '}' or ']' */
    int begun;
    int enters;        /* nested values are left to dsc_json_enter() */
    int at_nested;     /* the walk is at a nested value, which has been reported but not read */
    int is_within;     /* of a value of another walk: text may follow */
    const char *error; /* NULL, or what is wrong with the text */
} dsc_json_walk_t;

/* Begins a walk over the object (or array) that the text holds. */
void dsc_json_walk(dsc_json_walk_t *walk, apr_pool_t *pool, const char *text, size_t length,
                   int array);

/* The next member; 0 at the end or at an error. `name` may be NULL for an array. */
int dsc_json_next(dsc_json_walk_t *walk, const char **name, dsc_json_value_t *value);

/* Of nested values the walk reports only the kind, and `text` is where it begins, without an end.
 * A caller that needs its content walks over it in place, so that each byte of large files is read
 * once. */
void dsc_json_walk_in_place(dsc_json_walk_t *walk, apr_pool_t *pool, const char *text,
                            size_t length);

/* Begins a walk over the nested value that `outer` has reported last, in the same way; its strings
 * go to `pool`. When it has reached its end, or an error, dsc_json_leave() lets the outer one
 * continue after it. */
void dsc_json_enter(dsc_json_walk_t *walk, apr_pool_t *pool, const dsc_json_walk_t *outer);
void dsc_json_leave(const dsc_json_walk_t *walk, dsc_json_walk_t *outer);

#endif
