/* The tables on which an endpoint's responses depend, from all SQL of its tables. */
#include "engine/operation.h"
#include "engine/relations.h"

typedef struct {
    apr_pool_t *pool;
    apr_array_header_t *unknown;
    uint64_t mask;
} reads_t;

static void add(reads_t *reads, const char *sql)
{
    reads->mask |= dsc_datasets_read(reads->pool, sql, reads->unknown);
}

static void add_source(reads_t *reads, const dsc_source_t *source)
{
    const dsc_order_t *order;
    if (!source) {
        return;
    }
    add(reads, source->from);
    add(reads, source->where);
    add(reads, source->order);
    add(reads, source->plain);
    for (order = source->orders; order && order->choice; order++) {
        add(reads, order->sql);
    }
}

static void add_shape(reads_t *reads, const dsc_shape_t *shape)
{
    int i;
    for (i = 0; shape && i < shape->field_count; i++) {
        const dsc_field_t *field = &shape->fields[i];
        add(reads, field->sql);
        add(reads, field->unit_sql);
        if (field->type == DSC_FIELD_OBJECT) {
            add_shape(reads, field->shape);
        }
    }
}

static void add_parameters(reads_t *reads, const dsc_endpoint_t *endpoint)
{
    static const char company_look_up[] = "listing issuer issuer_profile listing_of_symbol";
    int i;
    for (i = 0; i < endpoint->parameter_count; i++) {
        const dsc_parameter_t *parameter = &endpoint->parameters[i];
        add(reads, parameter->predicate);
        add(reads, parameter->absent_predicate);
        add(reads, parameter->column);
        if (parameter->flags & DSC_RESOLVED) {
            add(reads, company_look_up);
        }
    }
    if (endpoint->flags & DSC_WITH_COMPANY) {
        add(reads, company_look_up);
    }
}

uint64_t dsc_endpoint_reads(apr_pool_t *pool, const dsc_endpoint_t *endpoint,
                            apr_array_header_t *unknown)
{
    reads_t reads = {pool, unknown, 0};
    const dsc_child_t *child;
    if (endpoint->flags & DSC_READS_ALL) {
        return ~UINT64_C(0);
    }
    add_source(&reads, endpoint->source);
    if (endpoint->source) {
        add_shape(&reads, endpoint->shape);
    }
    add_parameters(&reads, endpoint);
    if (endpoint->parent) {
        add(&reads, endpoint->parent->from);
        add_shape(&reads, endpoint->parent->shape);
    }
    for (child = endpoint->children; child && child->name; child++) {
        if (!child->source->unkept) {
            add_source(&reads, child->source);
            add_source(&reads, child->plain_source);
            add_shape(&reads, child->shape);
        }
    }
    return reads.mask;
}
