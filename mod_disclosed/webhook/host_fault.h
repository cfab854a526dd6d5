/* Faults of this host that keep it from calling receivers. They are no attempts: another host may do better. */
#ifndef DSC_WEBHOOK_HOST_FAULT_H
#define DSC_WEBHOOK_HOST_FAULT_H

#include <apr_pools.h>
#include <apr_time.h>

typedef enum {
    DSC_FAULT_NONE,
    DSC_FAULT_NAMES,       /* no name server responds */
    DSC_FAULT_NETWORK,     /* no way out of the host */
    DSC_FAULT_RESOURCES,   /* out of descriptors, memory or ports */
    DSC_FAULT_PROXY,       /* ours cannot be reached */
    DSC_FAULT_AUTHORITIES, /* our list of certificate authorities cannot be read */
    DSC_FAULT_PORT,        /* not among those that this host calls: of an endpoint */
    DSC_FAULT_SECRET,      /* sealed under another server secret: of an endpoint */
    DSC_COUNT_OF_FAULTS
} dsc_host_fault_t;

/* Whether it concerns one endpoint only, and not all. */
static inline int dsc_fault_is_of_endpoint(dsc_host_fault_t fault)
{
    return fault == DSC_FAULT_PORT || fault == DSC_FAULT_SECRET;
}

/* In words, for the administrator. */
const char *dsc_fault_text(dsc_host_fault_t fault);

/* What an error of the system says of this host when no connection could be made. */
dsc_host_fault_t dsc_fault_of_errno(int error);

/* What was found when the host was last looked at; zeroed before its first use. */
typedef struct {
    apr_time_t names_at, network_at;
    int no_names, no_network;
} dsc_host_look_t;

/* Whether a suspicion holds. That of name servers and of the network is looked into, at most once in ten seconds: a
 * name that is not resolved, and an address without a route, may as well be the receiver's. May take seconds
 * while no name server responds. `name` is one that was not resolved. */
int dsc_fault_is_confirmed(dsc_host_look_t *look, dsc_host_fault_t fault, const char *name);

#endif
