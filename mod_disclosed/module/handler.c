#include "module/handler.h"

#include "engine/hash.h"
#include "engine/random.h"
#include "engine/surface.h"
#include "mod_disclosed.h"
#include "module/config.h"
#include "module/client.h"

#include <apr_escape.h>
#include <http_protocol.h>
#include <stdatomic.h>

static uint64_t id_seed;
static _Atomic uint64_t id_counter;

void dsc_handler_init(dsc_shared_state_t *state)
{
    dsc_client_init(state);
    if (!dsc_random_bytes(&id_seed, sizeof(id_seed))) {
        /* ids need to be distinct, not secret */
        id_seed = (uint64_t)apr_time_now() ^ (uint64_t)getpid() << 32;
    }
}

int dsc_owns_path(const char *path)
{
    return dsc_surface_of(path) != NULL;
}

/* SplitMix64: spreads a counter over 64 bits; ids need to be distinct, not secret. */
static uint64_t spread(uint64_t x)
{
    return dsc_mix(x + UINT64_C(0x9e3779b97f4a7c15));
}

const char *dsc_request_id(request_rec *r)
{
    const char *id = apr_table_get(r->notes, MOD_DISCLOSED_NOTE_REQUEST_ID);
    char *made;
    uint64_t count;
    struct {
        uint64_t spread;
        uint32_t low;
    } bits;
    if (id) {
        return id;
    }
    count = atomic_fetch_add(&id_counter, 1);
    bits.spread = spread(id_seed + count);
    bits.low = (uint32_t)(id_seed ^ count);
    made = apr_palloc(r->pool, 4 + 24 + 1);
    memcpy(made, "req_", 4);
    apr_escape_hex(made + 4, &bits, 12, 0, NULL);
    apr_table_setn(r->notes, MOD_DISCLOSED_NOTE_REQUEST_ID, made);
    return made;
}

const char *disclosed_request_id(request_rec *r)
{
    int is_ours = dsc_server_config(r->server)->service && r->uri && dsc_owns_path(r->uri);
    return is_ours ? dsc_request_id(r) : NULL;
}

void dsc_set_common_headers(request_rec *r, apr_table_t *headers)
{
    apr_table_setn(headers, "X-Request-Id", dsc_request_id(r));
    apr_table_setn(headers, "Cache-Control", "private, no-cache");
    apr_table_mergen(headers, "Vary", "Authorization, Accept, Accept-Encoding");
}
