/* Bodies of deliveries: new items in the API's form, with their addresses. */
#ifndef DSC_WEBHOOK_DELIVERY_H
#define DSC_WEBHOOK_DELIVERY_H

#include "engine/call.h"

/* A body to make. */
typedef struct {
    const char *event, *topic, *base_url; /* the event's id; where addresses begin */
    const char *body; /* NULL: there is no such item any more, or no such topic */
    int is_asked;     /* the database has responded */
} dsc_event_body_t;

/* Makes the bodies (of dsc_event_body_t *) of the items as they are now, with one statement for
 * each topic and base. Returns 0 if the database fails; what it has responded to until then is
 * made. */
int dsc_event_bodies_make(apr_pool_t *pool, const dsc_service_t *service, dsc_database_t *database,
                          const apr_array_header_t *bodies);

#endif
