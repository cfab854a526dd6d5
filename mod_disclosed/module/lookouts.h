/* The threads of the background process that watch databases, one for each, so that a database
 * that does not respond delays no other. Each copies dataset versions and the generation of keys
 * from its database to shared memory, and counts from there to the database. */
#ifndef DSC_LOOKOUTS_H
#define DSC_LOOKOUTS_H

#include "access/shared_state.h"
#include "module/stopping.h"

#include <apr_tables.h>

/* Starts them for all of `watched` (dsc_watched_t); what fails is logged. They work until told to
 * stop. */
void dsc_lookouts_start(const apr_array_header_t *watched, dsc_shared_state_t *state,
                        dsc_stopping_t *stopping);

#endif
