/* The body of a delivery: what the API says of the new item, with its address. */
#ifndef DSC_WEBHOOK_DELIVERY_H
#define DSC_WEBHOOK_DELIVERY_H

#include "engine/call.h"

/* Makes the body of a delivery from the item as it is now. NULL where that fails; *is_gone tells that
 * there is no such item any more, or no such topic. */
const char *dsc_delivery_body(apr_pool_t *pool, const dsc_service_t *service,
                              dsc_database_t *database, const char *topic, const char *delivery,
                              int *is_gone);

#endif
