/* Finds the client of an Authorization header. */
#ifndef DSC_VERIFY_H
#define DSC_VERIFY_H

#include "access/shared_state.h"
#include "engine/database.h"

#include <apr_network_io.h>

typedef enum {
    DSC_VERIFY_GOOD,
    DSC_VERIFY_BAD,         /* missing, malformed, unknown, expired or revoked: 401 */
    DSC_VERIFY_UNAVAILABLE, /* the database that would know cannot be asked: 503 */
    DSC_VERIFY_UNCERTAIN,   /* nor can it, and a replica does not know the key as good: 503 */
    DSC_VERIFY_FAILED,      /* it was asked, and the statement failed: 500 */
    DSC_VERIFY_UNKNOWN      /* of dsc_verify_cached(): the database has to be asked */
} dsc_verify_t;

/* What speaks for a key that has to be looked up. */
typedef enum {
    DSC_STANDING_NONE, /* nothing: no key of that id is listed, or one of which it is known that it
                          is another */
    DSC_STANDING_LISTED, /* a key of that id was made */
    DSC_STANDING_PROVEN  /* the key has been good before */
} dsc_standing_t;

/* What shared memory tells of "Bearer <key>" (RFC 6750, section 2.1; the scheme in any case): good
 * or bad by what the database had of the key of that id in the last minute, as long as the watcher
 * has looked at the database within the last second and a half; bad also what is no key, or of an
 * id that was unknown to the database a moment ago. */
dsc_verify_t dsc_verify_cached(dsc_shared_state_t *state, uint32_t database_slot,
                               const char *authorization, dsc_verified_key_t *key,
                               dsc_standing_t *standing);

/* Looks up a key that is not in shared memory in the database, until the deadline, and caches the
 * result. */
dsc_verify_t dsc_verify_ask(apr_pool_t *pool, dsc_database_t *database, dsc_shared_state_t *state,
                            uint32_t database_slot, const char *authorization, apr_time_t deadline,
                            dsc_verified_key_t *key);

/* Asks a replica while the primary cannot be asked: good, uncertain, because it may not have heard
 * of a key yet, or unavailable. Nothing is kept of it, so that what a replica missed ends with the
 * outage; nor is it asked when the primary was last seen a minute ago, the time for which a key is
 * trusted. */
dsc_verify_t dsc_verify_ask_replica(apr_pool_t *pool, dsc_database_t *replica,
                                    dsc_shared_state_t *state, uint32_t database_slot,
                                    const char *authorization, apr_time_t deadline,
                                    dsc_verified_key_t *key);

/* Whether the key may be used from that address. */
int dsc_key_allows_address(apr_pool_t *pool, const dsc_verified_key_t *key,
                           apr_sockaddr_t *address);

/* Whether the key may ask that endpoint. */
int dsc_key_allows_endpoint(apr_pool_t *pool, const dsc_verified_key_t *key, const char *endpoint);

#endif
