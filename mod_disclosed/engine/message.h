/* Log messages, each with its number, which is never used again, its level and its text.
 * docs/messages.md explains them. */
#ifndef DSC_MESSAGE_H
#define DSC_MESSAGE_H

#include "engine/surface.h"

#include <apr.h>

/* M(name, number, level of httpd, text: a format of APR) */
#define DSC_MESSAGES(M)                                                                            \
    M(NO_DRIVER, 0001, ERR, "apr_dbd has no driver pgsql (package libaprutil1-dbd-pgsql)")         \
    M(OUTAGE, 0002, ERR, "%s")                                                                     \
    M(REFUSED, 0003, ERR, "%s [%.200s]")                                                           \
    M(TIMED_OUT, 0004, WARNING, "%s [%.200s]")                                                     \
    M(REQUEST_FAILED, 0010, ERR, "%s responded with %d")                                           \
    M(WATCHER_OUTAGE, 0020, ERR, "the background process cannot use the database: %s")             \
    M(MANY_CONNECTIONS, 0021, NOTICE,                                                              \
      "DisclosedDatabasePool %d times %d httpd processes may take more connections than "          \
      "PostgreSQL's max_connections (%s)")                                                         \
    M(NO_WATCHER, 0022, ERR, "the background process could not be started")                        \
    M(OLD_SCHEMA, 0023, ERR,                                                                       \
      "the database is at migration %d, this module needs migration %d: "                          \
      "run disclosedctl migrate")                                                                  \
    M(COUNTS_NOT_STORED, 0024, WARNING,                                                            \
      "counts of requests could not be stored for %d seconds: %s")                                 \
    M(NOT_WATCHED, 0025, ERR, "a database is not watched: its thread could not be started")        \
    M(REPLICA_NOT_READ, 0026, WARNING, "replica %s gets no reads: %s")                             \
    M(REPLICA_READ, 0027, NOTICE, "replica %s gets reads again")                                   \
    M(MIGHTY_ROLE, 0028, WARNING,                                                                  \
      "%s names the role %s, which may change what is served: it is for disclosed_api")            \
    M(INCOMPLETE, 0030, EMERG, "%s (server %s)")                                                   \
    M(OTHER_BUILD, 0031, NOTICE, "shared memory of another build: created again")                  \
    M(NO_SHARED_MEMORY, 0032, EMERG, "cannot make %" APR_SIZE_T_FMT " bytes of shared memory")     \
    M(MANY_DATABASES, 0033, EMERG, "more than %d different databases")                             \
    M(NO_POOL, 0034, CRIT, "the connection pool could not be created")                             \
    M(NO_CACHE, 0035, NOTICE, "responses are not cached: %s (server %s)")                          \
    M(CACHE_REFUSED, 0036, EMERG, "DisclosedCache %s: %s (server %s)")                             \
    M(MANY_REPLICAS, 0037, EMERG, "more than %d different replicas")                               \
    M(CACHE_LOST, 0038, ERR, "responses are not cached: DisclosedCache %s: %s (server %s)")        \
    M(LIMITS_FULL, 0040, WARNING,                                                                  \
      "the table of rate limits is full: requests were rejected because no slot was free")         \
    M(LIMITS_EVICTED, 0041, WARNING,                                                               \
      "the table of rate limits is full: %" APR_UINT64_T_FMT                                       \
      " slots, the longest idle ones first, were given to others")                                 \
    M(NO_DELIVERY_WORKER, 0050, ERR,                                                               \
      "webhooks are not sent: a delivery worker could not be started")                             \
    M(ENDPOINT_DISABLED, 0051, WARNING, "webhook endpoint %s is disabled: %s")                     \
    M(SECRET_NOT_OPENED, 0052, WARNING,                                                            \
      "the signing secret of webhook endpoint %s cannot be opened: it was sealed under another "   \
      "server secret")                                                                             \
    M(WEBHOOKS_WAIT, 0053, WARNING, "webhooks are pending because this host cannot send them: %s") \
    M(ENDPOINT_WAITS, 0054, WARNING,                                                               \
      "deliveries to webhook endpoint %s are pending because this host cannot send them: %s")      \
    M(ASK_MODEL_FAILED, 0060, WARNING,                                                             \
      "the response to %s was made without the model of DisclosedAskModel: %s")                    \
    M(SEVERAL_SITES, 0061, WARNING,                                                                \
      "DisclosedEngine is On for the whole server, so the API also serves " DSC_PUBLIC " of %s")

/* 1##number: a number with leading zeros would be octal. */
#define DSC_MESSAGE_NUMBER(name_, number_, level_, text_) DSC_MESSAGE_##name_ = 1##number_ - 10000,
#define DSC_MESSAGE_TEXT(name_, number_, level_, text_)                                            \
    static const char dsc_text_##name_[] __attribute__((unused)) = text_;

enum {
    DSC_MESSAGES(DSC_MESSAGE_NUMBER)
};
DSC_MESSAGES(DSC_MESSAGE_TEXT)

/* Called with what an administrator should know: the number of a message, and its text with
 * values. */
typedef void (*dsc_log_t)(void *baton, int number, const char *text);

#endif
