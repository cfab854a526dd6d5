#include "webhook/address.h"

#include <netinet/in.h>
#include <string.h>

typedef struct {
    unsigned char prefix[16];
    unsigned bits;
} block_t;

static const block_t special_ipv4[] = {
    {{0}, 8},                   /* this network */
    {{10}, 8},                  /* private */
    {{100, 64}, 10},            /* shared by carriers' NAT */
    {{127}, 8},                 /* loopback */
    {{169, 254}, 16},           /* link-local */
    {{172, 16}, 12},            /* private */
    {{192, 0, 0}, 24},          /* protocol assignments */
    {{192, 0, 2}, 24},          /* documentation */
    {{192, 168}, 16},           /* private */
    {{198, 18}, 15},            /* benchmarks */
    {{198, 51, 100}, 24},       /* documentation */
    {{203, 0, 113}, 24},        /* documentation */
    {{224}, 4},                 /* multicast */
    {{240}, 4},                 /* reserved */
    {{255, 255, 255, 255}, 32}, /* broadcast */
};

/* All that is given out for the Internet (IANA, IPv6 Global Unicast Address Assignments). What is
 * outside may lead anywhere: loopback, NAT64, unique and link-local addresses, segment identifiers,
 * what is reserved. */
static const block_t unicast_ipv6 = {{0x20}, 3};

static const block_t special_ipv6[] = {
    {{0x20, 0x01, 0x00, 0x00}, 23}, /* protocol assignments, Teredo */
    {{0x20, 0x01, 0x0d, 0xb8}, 32}, /* documentation */
    {{0x20, 0x02}, 16},             /* 6to4 */
    {{0x3f, 0xff, 0x00}, 20},       /* documentation */
};

static int is_within(const unsigned char *address, const block_t *block)
{
    unsigned whole = block->bits / 8, rest = block->bits % 8;
    unsigned mask = 0xFF00U >> rest & 0xFF;

    return memcmp(address, block->prefix, whole) == 0 &&
           (rest == 0 || ((address[whole] ^ block->prefix[whole]) & mask) == 0);
}

static int is_within_any(const unsigned char *address, const block_t *blocks, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (is_within(address, &blocks[i])) {
            return 1;
        }
    }
    return 0;
}

static int ipv4_is_global(const unsigned char *address)
{
    return !is_within_any(address, special_ipv4, sizeof(special_ipv4) / sizeof(special_ipv4[0]));
}

static int ipv6_is_global(const struct in6_addr *address)
{
    if (IN6_IS_ADDR_V4MAPPED(address)) {
        return ipv4_is_global(address->s6_addr + 12);
    }
    return is_within(address->s6_addr, &unicast_ipv6) &&
           !is_within_any(address->s6_addr, special_ipv6,
                          sizeof(special_ipv6) / sizeof(special_ipv6[0]));
}

/* As APR's functions for networks take it; 0 for other families. */
static int convert(const struct sockaddr *address, apr_sockaddr_t *converted)
{
    memset(converted, 0, sizeof(*converted));
    converted->family = address->sa_family;
    if (address->sa_family == AF_INET) {
        memcpy(&converted->sa.sin, address, sizeof(converted->sa.sin));
        converted->ipaddr_ptr = &converted->sa.sin.sin_addr;
    } else if (address->sa_family == AF_INET6) {
        memcpy(&converted->sa.sin6, address, sizeof(converted->sa.sin6));
        converted->ipaddr_ptr = &converted->sa.sin6.sin6_addr;
    }
    return converted->ipaddr_ptr != NULL;
}

int dsc_address_is_global(const struct sockaddr *address)
{
    apr_sockaddr_t converted;

    if (!convert(address, &converted)) {
        return 0;
    }
    return converted.family == AF_INET
               ? ipv4_is_global((const unsigned char *)&converted.sa.sin.sin_addr)
               : ipv6_is_global(&converted.sa.sin6.sin6_addr);
}

int dsc_address_may_be_called(const struct sockaddr *address, const apr_array_header_t *allowed)
{
    apr_sockaddr_t converted;
    int i;

    if (dsc_address_is_global(address)) {
        return 1;
    }
    if (allowed == NULL || !convert(address, &converted)) {
        return 0;
    }
    for (i = 0; i < allowed->nelts; i++) {
        if (apr_ipsubnet_test(APR_ARRAY_IDX(allowed, i, apr_ipsubnet_t *), &converted)) {
            return 1;
        }
    }
    return 0;
}
