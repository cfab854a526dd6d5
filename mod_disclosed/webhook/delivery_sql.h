/* Statements of the delivery worker. */
#ifndef DSC_WEBHOOK_DELIVERY_SQL_H
#define DSC_WEBHOOK_DELIVERY_SQL_H

#include "engine/database.h"

/* Runs a statement that writes, or one without values that only reads; NULL if that fails: the
 * database has logged why. */
dsc_result_t *dsc_delivery_change(dsc_database_t *database, apr_pool_t *pool, const char *sql,
                                  int count, const char *const *values);
dsc_result_t *dsc_delivery_read(dsc_database_t *database, apr_pool_t *pool, const char *sql);

#endif
