/* Whether the role that the module reads the database with may do more than that. */
#ifndef DSC_ROLE_CHECK_H
#define DSC_ROLE_CHECK_H

#include "engine/connection.h"

/* Warns where the connection's role may change what is served; the directive has named it. */
void dsc_role_check(dsc_connection_t *connection, const char *directive);

#endif
