#include "webhook/delivery.h"

#include "datasets/datasets.h"
#include "engine/shape_walk.h"

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
    own->database = own->primary = database;
    call->pool = pool;
    call->service = own;
    call->endpoint = &endpoint;
    call->values = apr_pcalloc(pool, DSC_COUNT(parameters) * sizeof(*call->values));
    call->headers = apr_table_make(pool, 1);
    call->body = dsc_buffer_create(pool, 2048);
    return call;
}

const char *dsc_delivery_body(apr_pool_t *pool, const dsc_service_t *service,
                              dsc_database_t *database, const char *topic_name,
                              const char *delivery, int *is_gone)
{
    const dsc_topic_t *topic = find_topic(topic_name);
    dsc_call_t *call = make_call(pool, service, database);
    dsc_result_t *rows;
    int column = 0;

    *is_gone = !topic;
    if (!topic ||
        !dsc_call_select_shape(call, topic->shape, topic->from, "bigint", delivery, &rows)) {
        return NULL;
    }
    dsc_call_release(call);
    *is_gone = !dsc_result_next(rows);
    if (*is_gone) {
        return NULL;
    }
    dsc_row_write(call->body, dsc_layout_create(pool, topic->shape), rows, &column, 0);
    return dsc_buffer_text(call->body);
}
