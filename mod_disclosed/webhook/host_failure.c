#include "webhook/host_failure.h"

#include "engine/outage.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

int dsc_host_failure_is_confirmed(dsc_host_look_t *look, dsc_host_failure_t failure,
                                  const char *name)
{
    static const apr_interval_time_t kept = 10 * APR_USEC_PER_SEC;
    apr_time_t now = dsc_monotonic_now();
    if (failure == DSC_HOST_NAMES) {
        if (now - look->names_at >= kept || look->names_at == 0) {
            look->no_names = !has_name_server(name);
            look->names_at = now;
        }
        return look->no_names;
    }
    if (failure == DSC_HOST_NETWORK) {
        if (now - look->network_at >= kept || look->network_at == 0) {
            look->no_network = !has_network();
            look->network_at = now;
        }
        return look->no_network;
    }
    return failure != DSC_HOST_NONE;
}
