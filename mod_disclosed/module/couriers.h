/* The couriers of the managed child: a thread for each database. */
#ifndef DSC_COURIERS_H
#define DSC_COURIERS_H

#include "access/shared_state.h"

#include <apr_tables.h>

typedef struct dsc_couriers_t dsc_couriers_t;

/* Starts them; what fails is logged. They work until *stop is set; a byte that can be read from
 * `descriptor` wakes them for it. */
dsc_couriers_t *dsc_couriers_start(apr_pool_t *pool, const apr_array_header_t *watched,
                                   dsc_shared_state_t *state, const atomic_int *stop,
                                   int descriptor);

/* Waits for their end: a second for what is under way. */
void dsc_couriers_join(dsc_couriers_t *couriers);

#endif
