/* Checks that a body is the requested one, and complete, before anything is made of it. */
#ifndef DSC_FOLLOW_BODY_H
#define DSC_FOLLOW_BODY_H

#include "follow/fetch.h"
#include "follow/follow_table.h"

/* What is wrong with a body of that kind in the file, and *reason; DSC_ERROR_NONE: nothing.
 * `identity`: what a submission has to be about; NULL: anything. */
dsc_fetch_error_t dsc_body_error(apr_pool_t *pool, const char *path, dsc_follow_body_t kind,
                                 const char *identity, const char **reason);

/* Whether the error is a page by which the publisher says that too much was asked. */
int dsc_body_is_refusal(dsc_fetch_error_t error, const char *reason);

#endif
