#include "webhook/host_failure.h"

#include "engine/attempt.h"
#include "engine/outage.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How long a verdict counts. */
#define KEPT (10 * APR_USEC_PER_SEC)

static const char *const texts[] = {
    [DSC_HOST_NONE] = "nothing",
    [DSC_HOST_NAMES] = "no name server responds",
    [DSC_HOST_NETWORK] = "the network cannot be reached",
    [DSC_HOST_RESOURCES] = "this host is out of descriptors, memory or ports",
    [DSC_HOST_PROXY] = "the proxy of DisclosedWebhookProxy cannot be reached",
    [DSC_HOST_AUTHORITIES] = "the list of certificate authorities cannot be read",
    [DSC_HOST_PORT] = "DisclosedWebhookPorts does not have its port",
    [DSC_HOST_SECRET] = "its signing secret was sealed under another server secret",
};

const char *dsc_host_failure_text(dsc_host_failure_t failure)
{
    return texts[failure];
}

static const struct {
    int error;
    dsc_host_failure_t failure;
} errors[] = {
    {EMFILE, DSC_HOST_RESOURCES},     {ENFILE, DSC_HOST_RESOURCES},
    {ENOMEM, DSC_HOST_RESOURCES},     {ENOBUFS, DSC_HOST_RESOURCES},
    {EAGAIN, DSC_HOST_RESOURCES},     {EADDRNOTAVAIL, DSC_HOST_RESOURCES},
    {ENETDOWN, DSC_HOST_NETWORK},     {ENETUNREACH, DSC_HOST_NETWORK},
    {EHOSTUNREACH, DSC_HOST_NETWORK}, {EPERM, DSC_HOST_NETWORK},
    {EACCES, DSC_HOST_NETWORK},       {EAFNOSUPPORT, DSC_HOST_NETWORK},
};

dsc_host_failure_t dsc_host_failure_of_errno(int error)
{
    size_t i;
    for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (errors[i].error == error) {
            return errors[i].failure;
        }
    }
    return DSC_HOST_NONE;
}

/* Whether there is a way to an address: connecting a datagram socket sends nothing. */
static int has_route(int family, const char *address)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = htons(53)};
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_port = htons(53)};
    const struct sockaddr *to =
        family == AF_INET ? (const struct sockaddr *)&ipv4 : (const struct sockaddr *)&ipv6;
    socklen_t length = family == AF_INET ? sizeof(ipv4) : sizeof(ipv6);
    int descriptor = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0), good;
    if (descriptor < 0) {
        return 0;
    }
    inet_pton(family, address,
              family == AF_INET ? (void *)&ipv4.sin_addr : (void *)&ipv6.sin6_addr);
    good = connect(descriptor, to, length) == 0;
    close(descriptor);
    return good;
}

/* To the root servers, which have stood there for decades; nothing is sent. */
static int has_network(void)
{
    return has_route(AF_INET, "198.41.0.4") || has_route(AF_INET6, "2001:503:ba3e::2:30");
}

/* Whether somebody responds to a question about a name, with whatever result. */
static int responds(struct __res_state *state, const char *name, int type)
{
    unsigned char response[NS_PACKETSZ * 4];
    return res_nquery(state, name, ns_c_in, type, response, sizeof(response)) >= 0 ||
           state->res_h_errno == HOST_NOT_FOUND || state->res_h_errno == NO_DATA ||
           state->res_h_errno == NO_RECOVERY;
}

/* The root is known to every resolver but for those of closed networks. */
static int has_name_server(const char *name)
{
    struct __res_state state;
    int good;
    memset(&state, 0, sizeof(state));
    if (res_ninit(&state) != 0) {
        return 0;
    }
    state.retrans = 1;
    state.retry = 1;
    good = responds(&state, ".", ns_t_ns) || responds(&state, name, ns_t_a);
    res_nclose(&state);
    return good;
}

/* A query of a name server, in a thread of its own because resolvers block. The last of the two
 * that releases it frees it. */
struct dsc_name_look_t {
    _Atomic int holders;
    _Atomic dsc_host_verdict_t verdict;
    char name[];
};

static void let_go(dsc_name_look_t *look)
{
    if (atomic_fetch_sub(&look->holders, 1) == 1) {
        free(look);
    }
}

static void run_look(void *baton)
{
    dsc_name_look_t *look = baton;
    atomic_store(&look->verdict,
                 has_name_server(look->name) ? DSC_HOST_REFUTED : DSC_HOST_CONFIRMED);
}

static void leave_look(void *baton)
{
    let_go(baton);
}

/* One for each delivery worker at a time. */
static dsc_attempts_t looks = {.run = run_look, .discard = leave_look, .most = 16};

/* NULL: this host lacks the memory, or the thread. */
static dsc_name_look_t *begin_look(const char *name)
{
    size_t size = strlen(name) + 1;
    dsc_name_look_t *look = malloc(sizeof(*look) + size);
    if (!look) {
        return NULL;
    }
    atomic_init(&look->holders, 2);
    atomic_init(&look->verdict, DSC_HOST_UNDECIDED);
    memcpy(look->name, name, size);
    switch (dsc_attempt(&looks, look, dsc_monotonic_now())) {
    case DSC_ATTEMPT_LEFT:
        break;
    case DSC_ATTEMPT_DONE:
        atomic_store(&look->holders, 1);
        break;
    case DSC_ATTEMPT_NONE:
        free(look);
        look = NULL;
        break;
    }
    return look;
}

static dsc_host_verdict_t verdict_of(int is_confirmed)
{
    return is_confirmed ? DSC_HOST_CONFIRMED : DSC_HOST_REFUTED;
}

static dsc_host_verdict_t look_for_names(dsc_host_look_t *look, const char *name, apr_time_t now)
{
    dsc_host_verdict_t verdict = DSC_HOST_CONFIRMED; /* if it cannot even be looked into */
    if (!look->under_way && look->names_at && now - look->names_at < KEPT) {
        return verdict_of(look->no_names);
    }
    look->under_way = look->under_way ? look->under_way : begin_look(name);
    if (look->under_way) {
        verdict = atomic_load(&look->under_way->verdict);
    }
    if (verdict != DSC_HOST_UNDECIDED) {
        dsc_host_look_end(look);
        look->no_names = verdict == DSC_HOST_CONFIRMED;
        look->names_at = now;
    }
    return verdict;
}

void dsc_host_look_end(dsc_host_look_t *look)
{
    if (look->under_way) {
        let_go(look->under_way);
        look->under_way = NULL;
    }
}

dsc_host_verdict_t dsc_host_failure_judge(dsc_host_look_t *look, dsc_host_failure_t failure,
                                          const char *name)
{
    apr_time_t now = dsc_monotonic_now();
    if (failure == DSC_HOST_NAMES) {
        return look_for_names(look, name, now);
    }
    if (failure == DSC_HOST_NETWORK) {
        if (now - look->network_at >= KEPT || look->network_at == 0) {
            look->no_network = !has_network();
            look->network_at = now;
        }
        return verdict_of(look->no_network);
    }
    return verdict_of(failure != DSC_HOST_NONE);
}
