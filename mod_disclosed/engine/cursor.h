/* Keyset cursors: opaque, versioned, authenticated, and bound to the query that made them. */
#ifndef DSC_CURSOR_H
#define DSC_CURSOR_H

#include <apr_pools.h>
#include <stddef.h>

enum {
    DSC_CURSOR_KEY_SIZE = 32,
    DSC_CURSOR_BINDING_SIZE = 16
};

/* Where a page ended. */
typedef struct {
    int descending;
    const char *order;           /* text of the order column */
    const char *tie;             /* decimal digits of the tie-breaker */
    unsigned long long position; /* of what was read, see engine/replicas.h; 0: not stated */
} dsc_cursor_t;

/* What a cursor belongs to: endpoint, filters and as_of, as one digest. `canonical` is text that is
 * the same exactly when those are. */
void dsc_cursor_binding(const char *canonical, size_t length,
                        unsigned char binding[DSC_CURSOR_BINDING_SIZE]);

/* base64url text of a cursor. */
const char *dsc_cursor_encode(apr_pool_t *pool, const unsigned char *key,
                              const unsigned char *binding, const dsc_cursor_t *cursor);

/* Reads it back; 0 when it is malformed, forged, or of another query. `previous_key` may be
 * NULL. */
int dsc_cursor_decode(apr_pool_t *pool, const unsigned char *key, const unsigned char *previous_key,
                      const unsigned char *binding, const char *text, dsc_cursor_t *cursor);

#endif
