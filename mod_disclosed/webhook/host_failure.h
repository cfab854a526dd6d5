/* Failures of this host that keep it from calling receivers. They are no attempts: another host may
 * do better. */
#ifndef DSC_WEBHOOK_HOST_FAILURE_H
#define DSC_WEBHOOK_HOST_FAILURE_H

#include <apr_pools.h>
#include <apr_time.h>

typedef enum {
    DSC_HOST_NONE,
    DSC_HOST_NAMES,       /* no name server responds */
    DSC_HOST_NETWORK,     /* no way out of the host */
    DSC_HOST_RESOURCES,   /* out of descriptors, memory or ports */
    DSC_HOST_PROXY,       /* ours cannot be reached */
    DSC_HOST_AUTHORITIES, /* our list of certificate authorities cannot be read */
    DSC_HOST_PORT,        /* not among those that this host calls: of an endpoint */
    DSC_HOST_SECRET,      /* sealed under another server secret: of an endpoint */
    DSC_COUNT_OF_HOST_FAILURES
} dsc_host_failure_t;

/* Whether it concerns one endpoint only, and not all. */
static inline int dsc_host_failure_is_of_endpoint(dsc_host_failure_t failure)
{
    return failure == DSC_HOST_PORT || failure == DSC_HOST_SECRET;
}

/* In words, for the administrator. */
const char *dsc_host_failure_text(dsc_host_failure_t failure);

/* What an error of the system says of this host when no connection could be made. */
dsc_host_failure_t dsc_host_failure_of_errno(int error);

/* Whether a suspicion holds. */
typedef enum {
    DSC_HOST_REFUTED,
    DSC_HOST_CONFIRMED,
    DSC_HOST_UNDECIDED /* it is still being looked into */
} dsc_host_verdict_t;

typedef struct dsc_name_look_t dsc_name_look_t;

/* What was found when the host was last looked at; zeroed before its first use. */
typedef struct {
    apr_time_t names_at, network_at;
    int no_names, no_network;
    dsc_name_look_t *under_way; /* NULL: none */
} dsc_host_look_t;

/* Whether a suspicion holds. That of name servers and of the network is looked into, at most once
 * in ten seconds: a name that is not resolved, and an address without a route, may as well be the
 * receiver's. Never waits: name servers are looked for in a thread of its own, and until that has
 * ended the verdict is DSC_HOST_UNDECIDED. `name` is one that was not resolved. */
dsc_host_verdict_t dsc_host_failure_judge(dsc_host_look_t *look, dsc_host_failure_t failure,
                                          const char *name);

/* Lets go of a look that is under way. */
void dsc_host_look_end(dsc_host_look_t *look);

#endif
