#include "module/response_cache.h"

#include "engine/digest.h"
#include "module/compression.h"

#include <apr_strings.h>
#include <apr_thread_proc.h>
#include <http_protocol.h>
#include <stdlib.h>
#include <string.h>

enum {
    KILOBYTE = 1024
};

/* What is before a body: lengths, then the text of the next page's cursor. */
typedef struct {
    uint32_t head, cursor;
    dsc_compression_t compression;
} head_t;

/* A request whose response may come from the cache, or go to it. */
typedef struct {
    request_rec *r;
    const dsc_server_config_t *config;
    const char *etag;
    const char *variant; /* how the response will be compressed; NULL: not at all */
    unsigned char plain_key[DSC_SOCACHE_KEY_SIZE], compressed_key[DSC_SOCACHE_KEY_SIZE];
    dsc_compression_t compression; /* of a recalled body */
    dsc_slice_t
        body; /* the same, in the thread's room, where it stays until the thread's next request */
    int recalled;
    dsc_buffer_t *object; /* what is kept, while it is being made; NULL: nothing */
} caching_t;

/* A thread's own, for the largest object. */
typedef struct {
    size_t size;
    unsigned char bytes[];
} room_t;

static dsc_cache_counter_t *counter;
static apr_threadkey_t *rooms;
static ap_filter_rec_t *capture_handle;

static size_t most(const dsc_server_config_t *config)
{
    return (size_t)DSC_SETTING(config, cache_max_body) * KILOBYTE;
}

/* ----------------------------------------------------------------------- start */

const char *dsc_response_cache_open(apr_array_header_t *caches, server_rec *server,
                                    dsc_server_config_t *config, int *refused)
{
    const char *spec = config->cache ? config->cache : DSC_CACHE_DEFAULT, *error;
    *refused = 0;
    if (strcmp(spec, DSC_CACHE_OFF) == 0) {
        return NULL;
    }
    if (config->read_database) {
        return "DisclosedReadDatabase is set, and a replica may be behind the versions that ETags name";
    }
    error = dsc_socache_open(caches, server, spec, &config->socache);
    *refused = error && config->cache;
    return error;
}

/* Without counters nothing is cached. */
void dsc_response_cache_init(dsc_shared_state_t *state, const apr_array_header_t *caches,
                             apr_pool_t *pchild)
{
    apr_status_t rv = apr_threadkey_private_create(&rooms, free, pchild);
    int i;
    for (i = 0; rv == APR_SUCCESS && i < caches->nelts; i++) {
        rv = dsc_socache_child_init(APR_ARRAY_IDX(caches, i, dsc_socache_t *), pchild);
    }
    counter = state && rv == APR_SUCCESS ? &state->counters.cache : NULL;
}

void *dsc_response_cache_begin(request_rec *r, const dsc_server_config_t *config)
{
    caching_t *caching;
    if (!config->socache || !counter || r->method_number != M_GET || r->main) {
        return NULL;
    }
    caching = apr_pcalloc(r->pool, sizeof(*caching));
    caching->r = r;
    caching->config = config;
    return caching;
}

/* ------------------------------------------------------------------------ keys */

/* In the key: the server's (of the secret, because bodies hold sealed cursors, of database, version
 * and schema), the ETag (of versions, request and page cap), and how the response is compressed. */
static void make_key(const caching_t *caching, const char *variant,
                     unsigned char key[DSC_SOCACHE_KEY_SIZE])
{
    dsc_buffer_t *text = dsc_buffer_create(caching->r->pool, 512);
    dsc_buffer_append(text, (const char *)caching->config->cache_key,
                      sizeof(caching->config->cache_key));
    dsc_buffer_append_text(text, caching->etag);
    dsc_buffer_append_text(text, variant);
    dsc_sha256(text->data, text->length, key);
}

/* ---------------------------------------------------------------------- recall */

/* The thread's room; NULL if there is no memory for it. */
static room_t *room_of(size_t size)
{
    void *found = NULL;
    room_t *room;
    (void)apr_threadkey_private_get(&found, rooms);
    room = found;
    if (!room || room->size < size) {
        free(room);
        room = malloc(sizeof(*room) + size);
        if (room) {
            room->size = size;
        }
        (void)apr_threadkey_private_set(room, rooms);
    }
    return room;
}

/* Makes the object the call's response; 0 if it is not one. */
static int take(dsc_call_t *call, caching_t *caching, const unsigned char *bytes, size_t length)
{
    head_t head;
    if (length < sizeof(head)) {
        return 0;
    }
    memcpy(&head, bytes, sizeof(head));
    if (head.head != sizeof(head) || head.cursor > length - sizeof(head)) {
        return 0;
    }
    bytes += sizeof(head);
    length -= sizeof(head) + head.cursor;
    call->next_cursor =
        head.cursor ? apr_pstrmemdup(call->pool, (const char *)bytes, head.cursor) : NULL;
    caching->body.data = (const char *)bytes + head.cursor;
    caching->body.length = length;
    call->status = 200;
    call->content_type = DSC_JSON;
    caching->compression = head.compression;
    caching->recalled = 1;
    return 1;
}

static int find(dsc_call_t *call, caching_t *caching, const unsigned char key[DSC_SOCACHE_KEY_SIZE])
{
    size_t size = most(caching->config);
    room_t *room = room_of(size);
    unsigned length = (unsigned)size;
    return room &&
           dsc_socache_find(caching->config->socache, caching->r->server, key, room->bytes, &length,
                            call->pool) == APR_SUCCESS &&
           take(call, caching, room->bytes, length);
}

int dsc_response_recall(dsc_call_t *call, const char *etag)
{
    caching_t *caching = call->caching;
    if (!caching) {
        return 0;
    }
    caching->etag = etag;
    caching->variant = dsc_compression_variant(caching->r);
    if (caching->variant) {
        make_key(caching, caching->variant, caching->compressed_key);
        if (find(call, caching, caching->compressed_key)) {
            atomic_fetch_add(&counter->compressed_hits, 1);
            return 1;
        }
    }
    make_key(caching, "", caching->plain_key);
    if (find(call, caching, caching->plain_key)) {
        atomic_fetch_add(&counter->hits, 1);
        return 1;
    }
    atomic_fetch_add(&counter->misses, 1);
    return 0;
}

/* ------------------------------------------------------------------------ keep */

static void store(caching_t *caching, const unsigned char key[DSC_SOCACHE_KEY_SIZE],
                  dsc_buffer_t *object)
{
    const dsc_server_config_t *config = caching->config;
    apr_time_t expiry = apr_time_now() + apr_time_from_sec(DSC_SETTING(config, cache_time));
    apr_status_t rv = dsc_socache_store(config->socache, caching->r->server, key, expiry,
                                        (unsigned char *)object->data, (unsigned)object->length,
                                        caching->r->pool);
    atomic_fetch_add(rv == APR_SUCCESS ? &counter->stored : &counter->failed, 1);
}

/* Whether so much more makes the object larger than what is kept. */
static int is_too_large(const caching_t *caching, size_t more)
{
    if (caching->object->length + more <= most(caching->config)) {
        return 0;
    }
    atomic_fetch_add(&counter->too_large, 1);
    return 1;
}

/* An object without its body. */
static dsc_buffer_t *begin_object(const dsc_call_t *call)
{
    const char *cursor = call->next_cursor ? call->next_cursor : "";
    head_t head = {sizeof(head), (uint32_t)strlen(cursor), {0, 0}};
    dsc_buffer_t *object = dsc_buffer_create(call->pool, sizeof(head) + head.cursor +
                                                             (call->body ? call->body->length : 0));
    dsc_buffer_append(object, (const char *)&head, sizeof(head));
    dsc_buffer_append_text(object, cursor);
    return object;
}

void dsc_response_keep(dsc_call_t *call)
{
    caching_t *caching = call->caching;
    if (!caching || caching->r->header_only || strcmp(call->content_type, DSC_JSON) != 0) {
        return;
    }
    caching->object = begin_object(call);
    if (caching->variant) {
        return; /* the filter keeps it */
    }
    if (!is_too_large(caching, call->body->length)) {
        dsc_buffer_append(caching->object, call->body->data, call->body->length);
        store(caching, caching->plain_key, caching->object);
    }
    caching->object = NULL;
}

/* --------------------------------------------------------------------- filters */

size_t dsc_response_cache_length(const dsc_call_t *call)
{
    const caching_t *caching = call->caching;
    return caching && caching->recalled && call->status == 200 ? caching->body.length : 0;
}

apr_bucket *dsc_response_cache_body(const dsc_call_t *call, apr_bucket_alloc_t *allocator)
{
    const caching_t *caching = call->caching;
    return caching && caching->recalled && call->status == 200
               ? apr_bucket_transient_create(caching->body.data, caching->body.length, allocator)
               : NULL;
}

void dsc_response_cache_send(dsc_call_t *call)
{
    caching_t *caching = call->caching;
    if (!caching || call->status != 200) {
        return;
    }
    if (caching->recalled && caching->compression.coding) {
        dsc_compression_write(caching->r, caching->etag, &caching->compression);
        return;
    }
    if (caching->recalled && caching->variant && !caching->r->header_only) {
        caching->object = begin_object(call); /* what was kept before it was compressed */
    }
    if (caching->object) {
        ap_add_output_filter_handle(capture_handle, caching, caching->r, caching->r->connection);
    }
}

/* The whole body has gone by. */
static void end_object(caching_t *caching)
{
    head_t head;
    memcpy(&head, caching->object->data, sizeof(head));
    if (caching->r->status != 200 ||
        !dsc_compression_read(caching->r, caching->etag, &head.compression)) {
        return;
    }
    memcpy(caching->object->data, &head, sizeof(head));
    if (head.compression.coding) {
        store(caching, caching->compressed_key, caching->object);
    } else if (!caching->recalled) {
        store(caching, caching->plain_key, caching->object);
    }
}

/* Appends what the bucket holds; 0 if the object is not to be kept after all. */
static int append(caching_t *caching, apr_bucket *bucket)
{
    const char *bytes;
    apr_size_t length;
    if (APR_BUCKET_IS_METADATA(bucket)) {
        return !AP_BUCKET_IS_ERROR(bucket);
    }
    if (apr_bucket_read(bucket, &bytes, &length, APR_BLOCK_READ) != APR_SUCCESS ||
        is_too_large(caching, length)) {
        return 0;
    }
    dsc_buffer_append(caching->object, bytes, length);
    return 1;
}

/* Comes after the filters that compress, and copies what passes. The copy is cached before its end
 * is passed on, so that a client with a response finds it in the cache. */
static apr_status_t capture(ap_filter_t *filter, apr_bucket_brigade *brigade)
{
    caching_t *caching = filter->ctx;
    apr_bucket *bucket;
    int goes_on = 1;
    for (bucket = APR_BRIGADE_FIRST(brigade); goes_on && bucket != APR_BRIGADE_SENTINEL(brigade);
         bucket = APR_BUCKET_NEXT(bucket)) {
        goes_on = append(caching, bucket);
        if (goes_on && APR_BUCKET_IS_EOS(bucket)) {
            end_object(caching);
            goes_on = 0;
        }
    }
    if (!goes_on) {
        ap_remove_output_filter(filter);
    }
    return ap_pass_brigade(filter->next, brigade);
}

void dsc_response_cache_register(void)
{
    capture_handle = ap_register_output_filter("DISCLOSED_KEEP", capture, NULL,
                                               (ap_filter_type)(AP_FTYPE_CONTENT_SET + 1));
}
