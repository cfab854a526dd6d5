/* How often a publisher is asked, by all processes and hosts of a database: sql/0055_follow.sql. */
#ifndef DSC_FOLLOW_REQUEST_LIMIT_H
#define DSC_FOLLOW_REQUEST_LIMIT_H

#include "engine/connection.h"
#include "follow/follow_table.h"

/* Takes the next time that is free: *wait milliseconds from now. 0: there is a pause that ends in
 * *wait milliseconds, or the database is lost (*wait is -1), and nothing may be asked. */
int dsc_request_limit_take(dsc_connection_t *connection, const dsc_request_limit_t *request_limit,
                           int *wait);

/* The publisher refuses: no request is sent for so many seconds; -1: longer each time. */
void dsc_request_limit_pause(dsc_connection_t *connection, const dsc_request_limit_t *request_limit,
                             long seconds, const char *reason);

/* It has answered: the next pause is short again. */
void dsc_request_limit_resume(dsc_connection_t *connection,
                              const dsc_request_limit_t *request_limit);

#endif
