#include "module/share.h"

#include "engine/problem.h"

#include <ap_mpm.h>
#include <apr_strings.h>
#include <pthread.h>

enum {
    MOST_HOLDERS = 4096,       /* clients; a process has fewer connections */
    OF_A_THREAD = 2048 * 1024, /* bytes that there may be for each thread of the process */
    SMALL = 65536,   /* what httpd takes from a thread at once; a larger one may hold it */
    REQUEST = 16384, /* what a request has besides its body */
    RETRY_AFTER = 1  /* seconds */
};

/* An account, or an address that sends no good key. */
typedef struct {
    dsc_limit_kind_t kind;
    uint32_t database_slot;
    uint64_t number;
} identity_t;

/* What it has, in all or by one response. */
typedef struct {
    identity_t identity;
    apr_int64_t bytes;
} holding_t;

static struct {
    pthread_mutex_t lock;
    apr_int64_t bytes;
    int count;
    holding_t holders[MOST_HOLDERS];
} taken = {.lock = PTHREAD_MUTEX_INITIALIZER};

static identity_t identity_of(const dsc_client_t *client)
{
    const dsc_limited_t *limited = &client->limited;
    return (identity_t){
        .kind = limited->kind,
        .database_slot = limited->database_slot,
        .number = limited->kind == DSC_LIMIT_KEY ? limited->account : limited->number,
    };
}

/* The client's place; that behind the last one if it has none. */
static int place_of(identity_t identity)
{
    int i;
    for (i = 0; i < taken.count; i++) {
        const identity_t *other = &taken.holders[i].identity;
        if (other->kind == identity.kind && other->database_slot == identity.database_slot &&
            other->number == identity.number) {
            break;
        }
    }
    return i;
}

/* Rows are in memory beside the body that was made of them, as long as the request is. A large one
 * holds a thread, but not over HTTP/2. */
static apr_int64_t weight(const request_rec *r, apr_size_t length)
{
    apr_int64_t bytes = REQUEST + 2 * (apr_int64_t)length;
    int may_hold = length > SMALL && !r->connection->master;
    return may_hold && bytes < OF_A_THREAD ? OF_A_THREAD : bytes;
}

/* No client has more than it leaves for others, so that one that has nothing always may have
 * something. */
static int is_used_up(identity_t identity)
{
    int threads = 1, place = place_of(identity);
    apr_int64_t own;
    if (place == MOST_HOLDERS) {
        return 1;
    }
    own = place < taken.count ? taken.holders[place].bytes : 0;
    ap_mpm_query(AP_MPMQ_MAX_THREADS, &threads);
    return own > 0 && own > ((apr_int64_t)threads * OF_A_THREAD - (taken.bytes - own)) / 2;
}

int dsc_share_has_room(const dsc_client_t *client)
{
    int has_room;
    pthread_mutex_lock(&taken.lock);
    has_room = !is_used_up(identity_of(client));
    pthread_mutex_unlock(&taken.lock);
    return has_room;
}

void dsc_share_refuse(dsc_call_t *call)
{
    dsc_call_problem(call, HTTP_TOO_MANY_REQUESTS,
                     "Too many requests wait for their bodies, or responses for being read; see "
                     "the Retry-After header.");
    apr_table_setn(call->headers, "Retry-After", apr_itoa(call->pool, RETRY_AFTER));
}

/* Adds to what the client has, if it may have it. */
static int take(const holding_t *more, int always)
{
    int may, place;
    pthread_mutex_lock(&taken.lock);
    place = place_of(more->identity);
    may = place < MOST_HOLDERS && (always || !is_used_up(more->identity));
    if (may) {
        if (place == taken.count) {
            taken.holders[taken.count++] = (holding_t){.identity = more->identity};
        }
        taken.holders[place].bytes += more->bytes;
        taken.bytes += more->bytes;
    }
    pthread_mutex_unlock(&taken.lock);
    return may;
}

static apr_status_t give_back(void *data)
{
    const holding_t *less = data;
    int place;
    pthread_mutex_lock(&taken.lock);
    place = place_of(less->identity);
    taken.bytes -= less->bytes;
    taken.holders[place].bytes -= less->bytes;
    if (!taken.holders[place].bytes) {
        taken.holders[place] = taken.holders[--taken.count];
    }
    pthread_mutex_unlock(&taken.lock);
    return APR_SUCCESS;
}

int dsc_share_take_response(request_rec *r, const dsc_client_t *client, apr_size_t length)
{
    holding_t *response = apr_palloc(r->pool, sizeof(*response));
    *response = (holding_t){.identity = identity_of(client), .bytes = weight(r, length)};
    if (!take(response, length <= SMALL)) {
        return length <= SMALL;
    }
    apr_pool_cleanup_register(r->pool, response, give_back, apr_pool_cleanup_null);
    return 1;
}

int dsc_share_take_thread(const dsc_client_t *client)
{
    const holding_t thread = {.identity = identity_of(client), .bytes = OF_A_THREAD};
    return take(&thread, 0);
}

void dsc_share_return_thread(const dsc_client_t *client)
{
    holding_t thread = {.identity = identity_of(client), .bytes = OF_A_THREAD};
    (void)give_back(&thread);
}
