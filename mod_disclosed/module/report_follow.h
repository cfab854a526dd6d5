/* Followed sources in metrics and on the status page. */
#ifndef DSC_REPORT_FOLLOW_H
#define DSC_REPORT_FOLLOW_H

#include "access/shared_state.h"

#include <httpd.h>

/* Print metrics, and lines of the status page; nothing about sources that are not followed. */
void dsc_report_follow_metrics(request_rec *r, const dsc_shared_state_t *state);
void dsc_report_follow_status(request_rec *r, const dsc_shared_state_t *state, int is_short);

/* Seconds since an instant of shared memory; 0 if there is none. */
double dsc_report_age(uint64_t at);

/* A label's value: backslashes, quotes and line feeds, which would end it, are written as "_". */
const char *dsc_report_label(request_rec *r, const char *name);

#endif
