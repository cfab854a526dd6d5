/* Counts each response when it has been sent, and writes the access log's JSON line. */
#ifndef DSC_OBSERVE_H
#define DSC_OBSERVE_H

#include "access/shared_state.h"

#include <httpd.h>

/* Set once in each httpd process, before requests. */
void dsc_observe_init(dsc_shared_state_t *state, server_rec *main_server);

/* Whether a process with that id runs, whichever user owns it. */
int dsc_process_is_alive(uint64_t process);

/* The log_transaction hook. */
int dsc_observe(request_rec *first);

/* Offers "%^DJ" to mod_log_config: the request as one JSON object, escaped as JSON is. */
void dsc_observe_register_log(apr_pool_t *pool);

#endif
