/* Events of an import on their way from one process to another. */
#ifndef DSC_IMPORT_PIPE_H
#define DSC_IMPORT_PIPE_H

#include "sources/import_run.h"

/* Writes the event to the pipe; ends this process if the pipe has no reader any more. */
void dsc_import_send(int pipe, const dsc_import_event_t *event);

/* Reads one event, its texts into the pool; 0 at the end. */
int dsc_import_receive(apr_pool_t *pool, int pipe, dsc_import_event_t *event);

#endif
