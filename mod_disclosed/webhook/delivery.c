#include "webhook/delivery.h"

#include "datasets/datasets.h"
#include "engine/constructors.h"
#include "engine/json_writer.h"
#include "engine/shape_walk.h"

#include <apr_hash.h>
#include <apr_strings.h>

/* What the engine asks of a call's endpoint while it selects a shape. */
static const dsc_parameter_t parameters[] = {DSC_PARAMETER_AS_OF};
static const dsc_endpoint_t endpoint = {.name = "delivery",
                                        .flags = DSC_FROM_PRIMARY,
                                        .parameters = parameters,
                                        .parameter_count = DSC_COUNT(parameters)};

static const dsc_topic_t *find_topic(const char *name)
{
    const dsc_topic_t *const *topic;
    for (topic = dsc_topics; *topic; topic++) {
        if (strcmp((*topic)->name, name) == 0) {
            return *topic;
        }
    }
    return NULL;
}

static dsc_call_t *make_call(apr_pool_t *pool, const dsc_service_t *service,
                             dsc_database_t *database)
{
    dsc_service_t *own = apr_pmemdup(pool, service, sizeof(*own));
    dsc_call_t *call = apr_pcalloc(pool, sizeof(*call));
    own->database = database;
    own->replicas = NULL;
    call->pool = pool;
    call->service = own;
    call->endpoint = &endpoint;
    call->values = apr_pcalloc(pool, DSC_COUNT(parameters) * sizeof(*call->values));
    call->headers = apr_table_make(pool, 1);
    return call;
}

static int are_alike(const dsc_event_body_t *one, const dsc_event_body_t *other)
{
    return !other->is_asked && strcmp(one->topic, other->topic) == 0 &&
           strcmp(one->base_url, other->base_url) == 0;
}

/* {"base_url": ..., "events": [...]} of all that are alike. */
static const char *ask_for(apr_pool_t *pool, const dsc_event_body_t *one,
                           const apr_array_header_t *bodies)
{
    dsc_buffer_t *asked = dsc_buffer_create(pool, 512);
    const char *before = "";
    int i;
    dsc_buffer_append_text(asked, "{\"base_url\":");
    dsc_json_text(asked, one->base_url);
    dsc_buffer_append_text(asked, ",\"events\":[");
    for (i = 0; i < bodies->nelts; i++) {
        const dsc_event_body_t *other = APR_ARRAY_IDX(bodies, i, dsc_event_body_t *);
        if (are_alike(one, other)) {
            dsc_buffer_printf(asked, "%s%s", before, other->event);
            before = ",";
        }
    }
    dsc_buffer_append_text(asked, "]}");
    return dsc_buffer_text(asked);
}

/* The topic's shape behind the number of the event. */
static const dsc_shape_t *numbered(apr_pool_t *pool, const dsc_shape_t *shape)
{
    static const dsc_field_t number = INTEGER("event_id", "v.event_id", "");
    dsc_shape_t *longer = apr_pmemdup(pool, shape, sizeof(*shape));
    dsc_field_t *fields = apr_palloc(pool, ((size_t)shape->field_count + 1) * sizeof(*fields));
    fields[0] = number;
    memcpy(fields + 1, shape->fields, (size_t)shape->field_count * sizeof(*fields));
    longer->fields = fields;
    longer->field_count = shape->field_count + 1;
    return longer;
}

static void take_rows(apr_pool_t *pool, const dsc_topic_t *topic, dsc_result_t *rows,
                      apr_hash_t *made)
{
    const dsc_layout_t *layout = dsc_layout_create(pool, topic->shape);
    while (dsc_result_next(rows)) {
        dsc_buffer_t *body = dsc_buffer_create(pool, 2048);
        int column = 1;
        dsc_row_write(body, layout, rows, &column, 0);
        apr_hash_set(made, dsc_result_printed(pool, rows, 0), APR_HASH_KEY_STRING,
                     dsc_buffer_text(body));
    }
}

/* Makes the bodies of all that are alike. */
static int make_alike(dsc_call_t *call, const dsc_event_body_t *one,
                      const apr_array_header_t *bodies)
{
    const dsc_topic_t *topic = find_topic(one->topic);
    const char *asked = ask_for(call->pool, one, bodies);
    apr_hash_t *made = apr_hash_make(call->pool);
    dsc_event_body_t like = *one;
    dsc_result_t *rows;
    int i;
    if (topic && !dsc_call_select_shape(call, numbered(call->pool, topic->shape), topic->from,
                                        "jsonb", asked, &rows)) {
        return 0;
    }
    dsc_call_release(call);
    if (topic) {
        take_rows(call->pool, topic, rows, made);
    }
    for (i = 0; i < bodies->nelts; i++) {
        dsc_event_body_t *other = APR_ARRAY_IDX(bodies, i, dsc_event_body_t *);
        if (are_alike(&like, other)) {
            other->is_asked = 1;
            other->body = apr_hash_get(made, other->event, APR_HASH_KEY_STRING);
        }
    }
    return 1;
}

int dsc_event_bodies_make(apr_pool_t *pool, const dsc_service_t *service, dsc_database_t *database,
                          const apr_array_header_t *bodies)
{
    dsc_call_t *call = make_call(pool, service, database);
    int i;
    for (i = 0; i < bodies->nelts; i++) {
        const dsc_event_body_t *one = APR_ARRAY_IDX(bodies, i, dsc_event_body_t *);
        if (!one->is_asked && !make_alike(call, one, bodies)) {
            return 0;
        }
    }
    return 1;
}
