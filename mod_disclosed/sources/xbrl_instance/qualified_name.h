/* Names of elements with the prefix that their taxonomy has by convention, whatever the document
 * calls it. */
#ifndef DSC_QUALIFIED_NAME_H
#define DSC_QUALIFIED_NAME_H

#include <apr_pools.h>
#include <libxml/tree.h>

/* The conventional prefix of a namespace: of those of the SEC, the FASB, XBRL US and the IFRS
 * Foundation the taxonomy's name in it
 * ("http://fasb.org/us-gaap/2024": us-gaap), else `own`; "custom" if that is NULL or empty. */
const char *dsc_taxonomy_prefix(apr_pool_t *pool, const char *uri, const char *own);

/* The element's name with its conventional prefix: "us-gaap:Assets". */
const char *dsc_element_name(apr_pool_t *pool, const xmlNode *element);

/* A name in a text, "us-gaap:Assets", by the namespaces that are declared at the element. NULL if
 * it is no name, or its prefix is not declared there. */
const char *dsc_qualified_name(apr_pool_t *pool, xmlNode *element, const char *text);

#endif
