/* An XML document of a few megabytes as a tree. */
#ifndef DSC_XML_DOCUMENT_H
#define DSC_XML_DOCUMENT_H

#include <apr_pools.h>
#include <libxml/tree.h>

/* Parses a document, from its declaration or root element on, of which `first_line` is the number
 * of the first line in its file; the tree lives as long as the pool. Returns its root element,
 * which has the name `root`, in any namespace. NULL, and *reason with the line, when it is not
 * well-formed, has another root, or is what xml_guard.h refuses. No network, no external files,
 * libxml2's own size limits. */
xmlNode *dsc_xml_root(apr_pool_t *pool, const char *xml, size_t length, long first_line,
                      const char *root, const char **reason);

#endif
