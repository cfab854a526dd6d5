/* Replicas that serve reads, and which server a call reads from. A replica may not have replayed
 * what the primary has committed. The first statement of a session therefore reads the replica's
 * versions of datasets; if a response's tag names later ones, the tag is withheld. WAL has one
 * order, in which versions only grow. The sum of the versions that a call reads from is its
 * *position*, and a server with a smaller sum is behind. Cursors contain it, so that the next page
 * is not read from a server that is behind the one before. */
#ifndef DSC_REPLICAS_H
#define DSC_REPLICAS_H

#include "engine/call.h"

/* Most replicas of a service. */
#define DSC_MOST_REPLICAS 32

typedef struct {
    dsc_database_t *database;
    _Atomic uint64_t *reads; /* counts calls */
} dsc_replica_t;

typedef struct dsc_replicas_t {
    int count;
    _Atomic unsigned next; /* the replica to begin with if several are equal */
    dsc_replica_t all[DSC_MOST_REPLICAS];
} dsc_replicas_t;

/* Takes the session that the call reads on: of the fit replica with the fewest sessions in use, of
 * another if that one fails or has not come as far as the call, of the primary if none is left.
 * Returns as dsc_session_acquire(). */
dsc_database_status_t dsc_reading_begin(dsc_call_t *call);

/* Sees, while the session is held, how far the server has come by now: a cursor behind rows that
 * were read names no less. */
void dsc_reading_mark(dsc_call_t *call);

/* Releases the session of a call that has failed, and notes if a replica was silent. */
void dsc_reading_failed(dsc_call_t *call);

/* After a failure, without a session: whether there is another server to read from, and time. */
int dsc_reading_has_another(dsc_call_t *call);

/* Where what was read was behind the primary: has the call be read again, from the primary and
 * under its tag, and returns 1. */
int dsc_reading_on_primary(dsc_call_t *call);

#endif
