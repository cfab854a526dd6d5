/* The lifecycle of a request, from httpd's handler hook to the response. */
#ifndef DSC_LIFECYCLE_H
#define DSC_LIFECYCLE_H

#include <httpd.h>

/* Name of the handler that requests in our URL space get. */
#define DSC_HANDLER_NAME "disclosed"

/* The handler hook. */
int dsc_handle(request_rec *r);

#endif
