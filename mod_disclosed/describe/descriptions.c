#include "describe/descriptions.h"

#include <apr_strings.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST =
        32, /* that are kept: <If> sections can make more sets of operations than anybody reads */
    LONGEST_ETAG = 48
};

/* `operations`: a byte for each of the registry, whether it is enabled. */
typedef struct description_t {
    struct description_t *next;
    const dsc_endpoint_t *endpoint;
    dsc_kept_body_t kept;
    char etag[LONGEST_ETAG];
    char operations[];
} description_t;

struct dsc_descriptions_t {
    pthread_mutex_t lock;
    description_t *first;
    int count;
};

static apr_status_t destroy(void *data)
{
    dsc_descriptions_t *descriptions = data;
    description_t *one = descriptions->first;
    while (one) {
        description_t *next = one->next;
        free((char *)one->kept.body.data);
        free(one);
        one = next;
    }
    (void)pthread_mutex_destroy(&descriptions->lock);
    return APR_SUCCESS;
}

dsc_descriptions_t *dsc_descriptions_create(apr_pool_t *pool)
{
    dsc_descriptions_t *descriptions = apr_pcalloc(pool, sizeof(*descriptions));
    if (pthread_mutex_init(&descriptions->lock, NULL) != 0) {
        return NULL;
    }
    apr_pool_cleanup_register(pool, descriptions, destroy, apr_pool_cleanup_null);
    return descriptions;
}

/* What is enabled where the call came to. */
static char *operations_of(const dsc_call_t *call)
{
    const dsc_service_t *service = call->service;
    const dsc_registry_t *registry = service->registry;
    char *operations = apr_palloc(call->pool, (size_t)registry->count + 1);
    int i;
    for (i = 0; i < registry->count; i++) {
        operations[i] = !service->enabled ||
                        service->enabled(&registry->operations[i], service->enabled_baton) != 0;
    }
    return operations;
}

static description_t *find(const dsc_descriptions_t *descriptions, const dsc_call_t *call,
                           const char *operations)
{
    description_t *one;
    for (one = descriptions->first; one; one = one->next) {
        if (one->endpoint == call->endpoint &&
            memcmp(one->operations, operations, (size_t)call->service->registry->count) == 0) {
            return one;
        }
    }
    return NULL;
}

/* Takes the call's body over. */
static void keep(dsc_descriptions_t *descriptions, dsc_call_t *call, const char *operations)
{
    size_t count = (size_t)call->service->registry->count;
    description_t *added = malloc(sizeof(*added) + count);
    if (!added) {
        return;
    }
    added->endpoint = call->endpoint;
    memcpy(added->operations, operations, count);
    apr_cpystrn(added->etag, dsc_etag_of(call->body), sizeof(added->etag));
    added->kept.etag = added->etag;
    added->kept.body.data = dsc_buffer_take(call->body, &added->kept.body.length);
    added->next = descriptions->first;
    descriptions->first = added;
    descriptions->count++;
    call->kept = &added->kept;
}

static void write_body(dsc_call_t *call, dsc_description_writer_t *write)
{
    write(call->body, call->service, call->route.operation->surface);
}

/* A request for one that is being made waits for it. */
static void find_or_make(dsc_descriptions_t *descriptions, dsc_call_t *call,
                         dsc_description_writer_t *write)
{
    const char *operations = operations_of(call);
    const description_t *found;
    (void)pthread_mutex_lock(&descriptions->lock);
    found = find(descriptions, call, operations);
    if (found) {
        call->kept = &found->kept;
    } else if (descriptions->count < MOST) {
        write_body(call, write);
        keep(descriptions, call, operations);
    }
    (void)pthread_mutex_unlock(&descriptions->lock);
}

void dsc_descriptions_respond(dsc_call_t *call, dsc_description_writer_t *write)
{
    dsc_descriptions_t *descriptions = call->service->descriptions;
    if (descriptions) {
        find_or_make(descriptions, call, write);
    }
    if (!call->kept && !call->body->length) {
        write_body(call, write);
    }
}
