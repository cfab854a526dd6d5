/* Takes deliveries that are due and begins to send them, a batch at a time. */
#ifndef DSC_WEBHOOK_DELIVERY_BATCH_H
#define DSC_WEBHOOK_DELIVERY_BATCH_H

#include "webhook/delivery_notes.h"
#include "webhook/service.h"

/* What it needs of the worker. */
typedef struct {
    apr_pool_t *pool; /* the worker's */
    const dsc_service_t *service;
    dsc_database_t *database;
    dsc_http_client_t *client;
    dsc_delivery_notes_t *notes;
    const char *plans;  /* those that may have webhooks, as an array of PostgreSQL's */
    const char *worker; /* by dsc_process_name() */
    const char *lease;  /* longer than any attempt takes, as an interval of PostgreSQL's */
} dsc_delivery_sender_t;

/* Takes up to `room` of what is due, but for endpoints `excepted`, and begins to send it. What
 * cannot be sent goes to the notes. Returns how many it has taken; -1: the database does not
 * respond. */
int dsc_delivery_take(const dsc_delivery_sender_t *sender, apr_pool_t *pool, int room,
                      const char *excepted);

#endif
