/* The delivery workers of the background process: a thread for each database. */
#ifndef DSC_DELIVERY_WORKERS_H
#define DSC_DELIVERY_WORKERS_H

#include "access/shared_state.h"
#include "module/stopping.h"

#include <apr_tables.h>

/* Starts them for all of `watched` (dsc_watched_t); what fails is logged. They work until told to
 * stop, and then for a second at the most on what is under way. */
void dsc_delivery_workers_start(const apr_array_header_t *watched, dsc_shared_state_t *state,
                                dsc_stopping_t *stopping);

#endif
