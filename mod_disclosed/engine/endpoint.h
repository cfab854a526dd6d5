/* An endpoint is declared here and answered by one engine: from the tables come routing,
 * validation, SQL, JSON, cursors and the OpenAPI document. */
#ifndef DSC_ENDPOINT_H
#define DSC_ENDPOINT_H

#include "engine/dataset.h"
#include "engine/parameter.h"
#include "engine/shape.h"
#include "engine/tables.h"

struct dsc_call_t;

/* What the engine does with the rows of the source. */
typedef enum {
    DSC_RESPONSE_LIST,   /* {"data": [...], "pagination": {...}} */
    DSC_RESPONSE_ALL,    /* {"data": [...]}: not paged, cut at `limit` */
    DSC_RESPONSE_ARRAY,  /* [...], the latest first: `limit` rows behind the first `offset` */
    DSC_RESPONSE_ITEM,   /* one object, or 404 */
    DSC_RESPONSE_HANDLER /* a function writes the body */
} dsc_response_kind_t;

enum {
    DSC_WITH_COMPANY = 1, /* the envelope, or the item, names the company of the path */
    DSC_ALPHA = 2,        /* the response is marked as experimental: "alpha": true */
    DSC_BY_CLOCK = 4,     /* without as_of the response depends on the time: tagged by its text */
    DSC_FROM_PRIMARY = 8, /* read from the primary, where clients see what they have written */
    DSC_READS_ALL = 16,   /* a handler that reads any dataset */
    DSC_KEYLESS = 32,     /* read without a key as well */
    DSC_IDEMPOTENT = 64,  /* takes an Idempotency-Key: what is sent twice is done once */
    DSC_SEARCHES = 128    /* keeps a processor of PostgreSQL busy: see dsc_database_config_t */
};

/* The parent of an endpoint's rows: without it the response is 404. */
typedef struct dsc_parent_t {
    const char *parameter;    /* whose value is "?" in `from` */
    const char *from;         /* text behind FROM that yields one row or none */
    const dsc_shape_t *shape; /* fields that are in the envelope; NULL: none */
} dsc_parent_t;

/* An array of rows within an item. `source` chooses them by "{value:parameter}"; if the item's
 * source finds that its case is plain, `plain_source` yields the same rows for less. */
typedef struct dsc_child_t {
    const char *name; /* NULL ends the table */
    const dsc_source_t *source;
    const dsc_shape_t *shape;
    const char *description;
    const dsc_source_t *plain_source;
} dsc_child_t;

/* One endpoint of the API. */
typedef struct dsc_endpoint_t {
    const char *name; /* operation id, and what DisclosedEndpoint switches */
    const char *method;
    const char *path; /* template: "/v1/companies/{symbol}/insider"; its prefix says the surface */
    const char *tag;  /* groups operations in OpenAPI */
    const char *summary;
    dsc_response_kind_t response;
    unsigned flags;
    const char *feature; /* what a plan must have for it, "webhooks"; NULL: every plan may */
    const dsc_parameter_t *parameters;
    int parameter_count;
    const dsc_source_t *source;
    const dsc_shape_t *shape; /* of the item; of the whole body for a handler */
    const char *const *gaps;  /* NULL, or the envelope's _gaps, NULL-terminated */
    const char *not_found;    /* items, parents: detail of the 404, "%s" being the path's value */
    /* Writes the body into the call, which is a 200 unless this sets another status or a
     * problem. */
    void (*handler)(struct dsc_call_t *call);
    const dsc_parent_t *parent;  /* NULL, or looked up before the rows */
    const dsc_child_t *children; /* items: NULL, or arrays behind the item's own fields */
    int credit_cost;             /* in ask credits, if the configuration sets nothing else */
    const int *statuses;         /* NULL, or further statuses that a handler gives; ended by 0 */
    const char *media_type;      /* of a handler's body; NULL: JSON */
    /* Items and handlers: name of the array in the response that it is about, which is served in
     * lines as the rows of lists are; NULL: none. */
    const char *rows;
} dsc_endpoint_t;

extern const char *const dsc_direction_choices[];

/* Whether the response is a list: each of its rows is an item of the endpoint's shape. */
static inline int dsc_is_list(const dsc_endpoint_t *endpoint)
{
    return endpoint->response == DSC_RESPONSE_LIST || endpoint->response == DSC_RESPONSE_ALL ||
           endpoint->response == DSC_RESPONSE_ARRAY;
}

/* The shape of the rows that the response is about, which are served in all formats; NULL: there
 * are none. */
const dsc_shape_t *dsc_rows_shape(const dsc_endpoint_t *endpoint);

#endif
