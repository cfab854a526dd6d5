/* <Directory> sections that switch endpoints. The API has no files, so httpd's own directory walk
 * never reaches its requests: this code finds the sections that apply. */
#ifndef DSC_SECTIONS_H
#define DSC_SECTIONS_H

#include <httpd.h>

/* The server's sections with lines of ours, in the order in which they apply; NULL: there are
 * none. */
apr_array_header_t *dsc_sections_make(apr_pool_t *pool, const server_rec *server);

/* Adds the lines of the sections that the request's path lies in to those of its server. */
void dsc_sections_apply(request_rec *r, const apr_array_header_t *sections);

#endif
