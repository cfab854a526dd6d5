/* Replicas in metrics and on the status page. */
#ifndef DSC_REPORT_REPLICAS_H
#define DSC_REPORT_REPLICAS_H

#include "access/shared_state.h"

#include <httpd.h>

/* Prints metrics, and lines of the status page; nothing if there are no replicas. */
void dsc_report_replicas_metrics(request_rec *r, const dsc_shared_state_t *state);
void dsc_report_replicas_status(request_rec *r, const dsc_shared_state_t *state, int is_short);

#endif
