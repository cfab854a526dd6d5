/* Parameters of an endpoint as tables, their values, and the validation errors of a request's
 * values. Validation follows FastAPI with Pydantic v2 exactly: types, messages, order and ctx. */
#ifndef DSC_PARAMETER_H
#define DSC_PARAMETER_H

#include "engine/buffer.h"

#include <apr_tables.h>
#include <stdint.h>

typedef enum {
    DSC_IN_PATH,
    DSC_IN_QUERY,
    DSC_IN_BODY /* a member of the JSON object */
} dsc_parameter_location_t;

typedef enum {
    DSC_INTEGER, /* int64 */
    DSC_NUMBER,  /* a finite decimal; kept as text so that no digit is lost */
    DSC_BOOLEAN,
    DSC_DATE,     /* YYYY-MM-DD */
    DSC_DATETIME, /* UTC, microseconds; a value without a zone is taken as UTC */
    DSC_STRING,
    DSC_LITERAL,   /* one of `choices` */
    DSC_SYMBOL,    /* TICKER or TICKER:MARKET, upper-cased */
    DSC_CIK,       /* 320193, 0000320193 or CIK0000320193; kept as digits without zeros */
    DSC_ACCESSION, /* 0000320193-24-000061 or 18 digits; kept with dashes */
    DSC_URL        /* https, without user information and fragment; as browsers write it */
} dsc_parameter_type_t;

enum {
    DSC_REQUIRED = 1,
    DSC_REPEATABLE = 2,      /* each occurrence is one element */
    DSC_EMPTY_IS_ABSENT = 4, /* `cursor=` counts as no cursor */
    DSC_PLAN_EACH_TIME =
        8, /* selectivity varies so much that the statement is planned with its values */
    DSC_RESOLVED = 16,   /* DSC_SYMBOL: becomes the company's issuer_id; unknown: 404 */
    DSC_LISTING = 32,    /* with DSC_RESOLVED: becomes the listing's TICKER:MARKET */
    DSC_EACH = 64,       /* with `column`: a page is read value by value, each in the order of an
                          index that begins with the column, and merged; else all rows of the
                          values would be sorted */
    DSC_NOT_EMPTY = 128, /* DSC_IN_BODY with DSC_REPEATABLE: at least one element */
    DSC_OR_NULL = 256,   /* DSC_IN_BODY: null counts as absent */
    DSC_PLAN_ONCE = 512, /* with DSC_EACH: one plan is good for all values */
    DSC_EACH_PAST =
        1024 /* as DSC_EACH, with as_of alone: what is one value now may have been several */
};

/* Bounds for integers and numbers, and for the length (in code points) of strings, literals and
 * dates. */
typedef struct {
    int has_minimum, has_maximum;
    int64_t minimum, maximum;
} dsc_bounds_t;

typedef struct dsc_parameter_t {
    const char *name;
    dsc_parameter_location_t location;
    dsc_parameter_type_t type;
    unsigned flags;
    const char *const *choices; /* DSC_LITERAL: NULL-terminated */
    dsc_bounds_t bounds;
    const char *default_text; /* as a client would write it; NULL: absent means absent */
    /* The SQL condition that the value adds, "?" standing for the value (for a
     * repeatable one, for a text[] of the values); NULL: the value is used otherwise. A
     * boolean's that has no "?" holds if it is true.
     * With `column`, what the column equals: of a repeatable one, and of one that is read value by
     * value, an element of this SQL array. */
    const char *predicate;
    /* The SQL condition that holds when the parameter is absent (or a boolean false); NULL:
     * none. */
    const char *absent_predicate;
    const char *description;
    const char
        *all_facts; /* NULL, or the choice that only callers may make whose plan has all facts */
    const char *column; /* NULL, or what equals `predicate`; other conditions may stand before it */
} dsc_parameter_t;

/* A value after validation, in the form in which it is bound to SQL. */
typedef struct {
    int present;      /* given by the client or by the default */
    int given;        /* given by the client */
    const char *text; /* canonical: "5", "2024-01-31", "2024-01-31T00:00:00.000000Z", "true" */
    int64_t integer;  /* DSC_INTEGER, and DSC_BOOLEAN as 0 or 1 */
    int out_of_range; /* DSC_INTEGER: a valid integer that int64 cannot hold */
    apr_array_header_t *list; /* DSC_REPEATABLE: of const char *, each canonical */
} dsc_value_t;

/* One validation error: an element of the 422 body's `detail`. */
typedef struct {
    const char *type;     /* "int_parsing", ... */
    const char *location; /* "path", "query" or "body" */
    const char *name;     /* NULL: the body as a whole */
    int index; /* of the element in a list, or the position in the body; -1 if it is neither */
    const char *message;
    const char *input; /* raw text, possibly not UTF-8; NULL is written as null */
    size_t input_length;
    const apr_array_header_t
        *input_list;        /* of dsc_slice_t: a list-level error echoes the list; else NULL */
    const char *input_json; /* of the body: what is echoed, as JSON text; else NULL */
    const char *context;    /* JSON object text, e.g. {"ge":1}; NULL: no ctx */
} dsc_validation_error_t;

/* The decoded query: pairs in the order of the request. */
typedef struct {
    dsc_slice_t name, value;
} dsc_pair_t;

/* Decodes percent sequences from `at` to `end` into `out`, which has room; a bad one stays as it
 * is, and "+" becomes `plus`. Returns where `out` ends. */
char *dsc_percent_decode(const char *at, const char *end, char plus, char *out);

/* Splits and decodes a raw query string as Starlette does: "+" is a space, a bad
 * percent sequence stays as it is, "a" without "=" has the value "". `query` may be
 * NULL. Returns an array of dsc_pair_t. */
apr_array_header_t *dsc_query_parse(apr_pool_t *pool, const char *query);

/* Validates one parameter. `raw` are its occurrences in the request (of dsc_slice_t, in
 * order; empty: absent). A scalar takes the last one. Errors are appended to `errors` (of
 * dsc_validation_error_t). Returns 1 when the value is good. */
int dsc_parameter_read(apr_pool_t *pool, const dsc_parameter_t *parameter,
                       const apr_array_header_t *raw, dsc_value_t *value,
                       apr_array_header_t *errors);

/* Validates all of a table's parameters: those in the path first, then those in the
 * query, in the order of the table. `path_values` holds one dsc_slice_t for each path
 * parameter in table order; `values` one slot for each parameter of the table. */
int dsc_parameters_read(apr_pool_t *pool, const dsc_parameter_t *parameters, int count,
                        const apr_array_header_t *path_values,
                        const apr_array_header_t *query_pairs, dsc_value_t *values,
                        apr_array_header_t *errors);

/* Adds a validation error of a rule of our own: type value_error, message "Value error, <text>",
 * ctx {"error":{}}. */
void dsc_validation_error_add(apr_array_header_t *errors, const char *location, const char *name,
                              const char *text, dsc_slice_t input);

/* Appends the whole 422 body: {"detail":[...]}. */
void dsc_validation_errors_write(dsc_buffer_t *buffer, const apr_array_header_t *errors);

#endif
