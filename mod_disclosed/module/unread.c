#include "module/unread.h"

#include "engine/problem.h"

#include <ap_mpm.h>
#include <apr_strings.h>
#include <pthread.h>

enum {
    MOST_HOLDERS = 1024,       /* clients that are told apart; what others have is not counted */
    OF_A_THREAD = 1024 * 1024, /* bytes that there may be for each thread of the process */
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
} unread = {.lock = PTHREAD_MUTEX_INITIALIZER};

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
    for (i = 0; i < unread.count; i++) {
        const identity_t *other = &unread.holders[i].identity;
        if (other->kind == identity.kind && other->database_slot == identity.database_slot &&
            other->number == identity.number) {
            break;
        }
    }
    return i;
}

/* Rows are in memory beside the body that was made of them, as long as the request is. */
static apr_int64_t weight(apr_size_t length)
{
    apr_int64_t bytes = REQUEST + 2 * (apr_int64_t)length;
    return length > SMALL && bytes < OF_A_THREAD ? OF_A_THREAD : bytes;
}

/* No client has more than it leaves for others, so that one that has nothing always may have a response. */
static int has_share(int place)
{
    apr_int64_t own = place < unread.count ? unread.holders[place].bytes : 0, others;
    int threads = 1;
    ap_mpm_query(AP_MPMQ_MAX_THREADS, &threads);
    others = unread.bytes - own;
    return own > 0 && own > ((apr_int64_t)threads * OF_A_THREAD - others) / 2;
}

int dsc_unread_may(const dsc_client_t *client)
{
    int may;
    pthread_mutex_lock(&unread.lock);
    may = !has_share(place_of(identity_of(client)));
    pthread_mutex_unlock(&unread.lock);
    return may;
}

void dsc_unread_refuse(dsc_call_t *call)
{
    dsc_call_problem(call, HTTP_TOO_MANY_REQUESTS,
                     "Too many responses have not been read yet; see the Retry-After header.");
    apr_table_setn(call->headers, "Retry-After", apr_itoa(call->pool, RETRY_AFTER));
}

static apr_status_t take_back(void *data)
{
    const holding_t *response = data;
    int place;
    pthread_mutex_lock(&unread.lock);
    place = place_of(response->identity);
    unread.bytes -= response->bytes;
    unread.holders[place].bytes -= response->bytes;
    if (!unread.holders[place].bytes) {
        unread.holders[place] = unread.holders[--unread.count];
    }
    pthread_mutex_unlock(&unread.lock);
    return APR_SUCCESS;
}

static void add(int place, const holding_t *response)
{
    if (place == unread.count) {
        unread.holders[unread.count++] = (holding_t){.identity = response->identity};
    }
    unread.holders[place].bytes += response->bytes;
    unread.bytes += response->bytes;
}

int dsc_unread_add(request_rec *r, const dsc_client_t *client, apr_size_t length)
{
    holding_t *response = apr_palloc(r->pool, sizeof(*response));
    int place, may;
    response->identity = identity_of(client);
    response->bytes = weight(length);
    pthread_mutex_lock(&unread.lock);
    place = place_of(response->identity);
    may = length <= SMALL || !has_share(place);
    if (may && place < MOST_HOLDERS) {
        add(place, response);
        apr_pool_cleanup_register(r->pool, response, take_back, apr_pool_cleanup_null);
    }
    pthread_mutex_unlock(&unread.lock);
    return may;
}
