/* mod_disclosed: what other modules may use.
 *
 * Notes on a request (apr_table_get(r->notes, ...), "%{...}n" in a LogFormat), each absent until it
 * is known:
 *   disclosed-request-id  the id in X-Request-Id and in problem documents
 *   disclosed-endpoint    operation name of the endpoint, e.g. "list_insider"
 *   disclosed-key         public id of the caller's key, never the secret */
#ifndef MOD_DISCLOSED_H
#define MOD_DISCLOSED_H

#include <apr_optional.h>
#include <httpd.h>

#define MOD_DISCLOSED_VERSION_MAJOR 0
#define MOD_DISCLOSED_VERSION_MINOR 1
#define MOD_DISCLOSED_VERSION_PATCH 0
#define MOD_DISCLOSED_VERSION       "0.1.0"

#define MOD_DISCLOSED_NOTE_REQUEST_ID "disclosed-request-id"
#define MOD_DISCLOSED_NOTE_ENDPOINT   "disclosed-endpoint"
#define MOD_DISCLOSED_NOTE_KEY        "disclosed-key"

/* The id of a request that the module answers, made when it is first asked for; NULL for other
 * requests. It lives as long as the request. Get the function in post_config or later:
 *
 *     APR_OPTIONAL_FN_TYPE(disclosed_request_id) *request_id =
 *         APR_RETRIEVE_OPTIONAL_FN(disclosed_request_id);   (NULL without the module) */
APR_DECLARE_OPTIONAL_FN(const char *, disclosed_request_id, (request_rec * r));

#endif
