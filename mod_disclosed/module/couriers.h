/* The couriers of the managed child: a thread for each database. */
#ifndef DSC_COURIERS_H
#define DSC_COURIERS_H

#include "access/shared_state.h"
#include "module/stopping.h"

#include <apr_tables.h>

/* Starts them for all of `watched` (dsc_watched_t); what fails is logged. They work until told to stop, and
 * then for a second at the most on what is under way. */
void dsc_couriers_start(const apr_array_header_t *watched, dsc_shared_state_t *state,
                        dsc_stopping_t *stopping);

#endif
