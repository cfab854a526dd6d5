/* Which addresses a URL of a customer's may lead to: not those of the networks inside. */
#ifndef DSC_WEBHOOK_ADDRESS_H
#define DSC_WEBHOOK_ADDRESS_H

#include <apr_network_io.h>
#include <apr_tables.h>
#include <sys/socket.h>

/* Whether the address is globally routable by the registries of special-purpose addresses (IANA,
 * RFC 6890). An IPv4-mapped one is as its IPv4 address is; addresses that stand for others by
 * translation (NAT64, 6to4, Teredo) are not. 0 for families other than IPv4 and IPv6. */
int dsc_address_is_global(const struct sockaddr *address);

/* Whether the address may be connected to: it is global, or one of the networks that an
 * administrator allows in spite of it (apr_ipsubnet_t *; NULL: none) holds it. */
int dsc_address_may_be_called(const struct sockaddr *address, const apr_array_header_t *allowed);

#endif
