/* An endpoint is declared here and answered by one engine: from the tables come routing,
 * validation, SQL, JSON, cursors and the OpenAPI document. */
#ifndef DSC_ENDPOINT_H
#define DSC_ENDPOINT_H

#include "engine/dataset.h"
#include "engine/parameter.h"
#include "engine/shape.h"

struct dsc_call_t;

/* What the engine does with the rows of the source. */
typedef enum {
    DSC_ANSWER_LIST,   /* {"data": [...], "pagination": {...}} */
    DSC_ANSWER_ALL,    /* {"data": [...]}: not paged, cut at `limit` */
    DSC_ANSWER_ITEM,   /* one object, or 404 */
    DSC_ANSWER_HANDLER /* a function writes the body */
} dsc_answer_t;

enum {
    DSC_WITH_COMPANY = 1, /* the envelope names the company of the path */
    DSC_ALPHA = 2,        /* the answer is marked as experimental: "alpha": true */
    DSC_BY_CLOCK = 4,     /* without as_of the answer depends on the time: tagged by its text */
    DSC_FROM_PRIMARY = 8, /* read from the primary, where clients see what they have written */
    DSC_FOR_WEBHOOKS = 16 /* only plans with webhooks may ask it */
};

/* What the rows of an endpoint hang on: without it the answer is 404. */
typedef struct dsc_parent_t {
    const char *parameter;    /* whose value is "?" in `from` */
    const char *from;         /* text behind FROM that yields one row or none */
    const dsc_shape_t *shape; /* fields that stand in the envelope; NULL: none */
} dsc_parent_t;

/* An array of rows within an item. `source` chooses them by "{value:parameter}". */
typedef struct dsc_child_t {
    const char *name; /* NULL ends the table */
    const dsc_source_t *source;
    const dsc_shape_t *shape;
    const char *description;
} dsc_child_t;

/* One endpoint of the API. */
typedef struct dsc_endpoint_t {
    const char *name; /* operation id, and what DisclosedEndpoint switches */
    const char *method;
    const char *path; /* template: "/v1/companies/{symbol}/insider" */
    const char *tag;  /* groups operations in OpenAPI */
    const char *summary;
    dsc_answer_t answer;
    unsigned flags;
    const dsc_parameter_t *parameters;
    int parameter_count;
    const dsc_source_t *source;
    const dsc_shape_t *shape;    /* of the item; of the whole body for a handler */
    const char *const *datasets; /* NULL-terminated: what the answer is read from */
    const char *const *gaps;     /* NULL, or the envelope's _gaps, NULL-terminated */
    const char *not_found; /* items, parents: detail of the 404, "%s" being the path's value */
    /* Writes the body; returns the HTTP status, 200 on success. */
    int (*handler)(struct dsc_call_t *call);
    const dsc_parent_t *parent;  /* NULL, or looked up before the rows */
    const dsc_child_t *children; /* items: NULL, or arrays behind the item's own fields */
} dsc_endpoint_t;

/* The parameters that lists share. `ordered` names the primary date field. */
#define DSC_PARAMETER_CURSOR                                                                       \
    {                                                                                              \
        "cursor", DSC_IN_QUERY, DSC_STRING, DSC_EMPTY_IS_ABSENT, NULL, {0, 0, 0, 0}, NULL, NULL,   \
            NULL, "Position to go on from: the next_cursor of the page before, verbatim."          \
    }
#define DSC_PARAMETER_LIMIT(fallback, most)                                                        \
    {                                                                                              \
        "limit", DSC_IN_QUERY, DSC_INTEGER, 0, NULL, {1, 1, 1, most}, fallback, NULL, NULL,        \
            "Rows in a page. The plan's page cap holds beside it."                                 \
    }
#define DSC_PARAMETER_DIRECTION(ordered)                                                           \
    {                                                                                              \
        "direction", DSC_IN_QUERY, DSC_LITERAL, 0, dsc_direction_choices, {0, 0, 0, 0}, "desc",    \
            NULL, NULL, "Order of the rows, by " ordered "."                                       \
    }
#define DSC_AS_OF_DESCRIPTION                                                                      \
    "Answer with what was public at this instant (ISO 8601; a date is its first instant in UTC)."
#define DSC_PARAMETER_AS_OF                                                                        \
    {                                                                                              \
        "as_of", DSC_IN_QUERY, DSC_DATETIME, 0, NULL, {0, 0, 0, 0}, NULL, NULL, NULL,              \
            DSC_AS_OF_DESCRIPTION                                                                  \
    }
/* as_of of a list whose order column is at most two weeks ahead of known_at (a CHECK of its table): the
 * walk along the index then begins there and not at the newest row. */
#define DSC_PARAMETER_AS_OF_BY(order_column)                                                       \
    {                                                                                              \
        "as_of", DSC_IN_QUERY, DSC_DATETIME, 0, NULL, {0, 0, 0, 0}, NULL,                          \
            order_column " <= (? AT TIME ZONE 'UTC')::date + 14", NULL, DSC_AS_OF_DESCRIPTION      \
    }
extern const char *const dsc_direction_choices[];

/* dsc_endpoint_t.datasets of what is read from all of them. */
extern const char *const dsc_reads_all[];

/* All endpoints, NULL-terminated. */
extern const dsc_endpoint_t *const dsc_endpoints[];

#endif
