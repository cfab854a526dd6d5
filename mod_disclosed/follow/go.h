/* One request for a body that is fetched in several parts: requests the rest of what is on the
 * disk, and accepts nothing that does not belong to it. */
#ifndef DSC_FOLLOW_GO_H
#define DSC_FOLLOW_GO_H

#include "follow/fetch.h"
#include "follow/partial.h"

#include <curl/curl.h>
#include <openssl/evp.h>
#include <stdio.h>

typedef struct {
    dsc_partial_t partial; /* what was here when it was asked for */
    const char *page;      /* the path of what came in place of the body; NULL: nothing has */
} dsc_go_t;

/* A header of the response; NULL: it has none of that name. */
const char *dsc_go_header(apr_pool_t *pool, CURL *handle, const char *name);

/* The headers by which the rest is asked for, added to those. */
struct curl_slist *dsc_go_headers(apr_pool_t *pool, const dsc_go_t *go, struct curl_slist *headers);

/* When the first bytes of a response come: the file to which they are added; the bytes that are
 * already on the disk are digested and counted in fetch->size. NULL: they must not be used,
 * fetch->error says why. */
FILE *dsc_go_open(apr_pool_t *pool, CURL *handle, dsc_fetch_t *fetch, dsc_go_t *go,
                  EVP_MD_CTX *digest);

#endif
