/* What extended links have in common (XBRL 2.1, section 3.5): locators of elements, and arcs that
 * take precedence over others. */
#ifndef DSC_EXTENDED_LINK_H
#define DSC_EXTENDED_LINK_H

#include <apr_hash.h>
#include <libxml/tree.h>

#define DSC_URI_LINK "http://www.xbrl.org/2003/linkbase"

enum {
    DSC_LONGEST_LINK_NAME =
        512 /* of a role, statement or label: they are written down with each arc and number */
};

/* What decides between several arcs that say the same. */
typedef struct {
    long priority;
    int is_prohibited;
} dsc_arc_use_t;

/* An attribute of XLink; "" if there is none. */
const char *dsc_xlink(apr_pool_t *pool, xmlNode *element, const char *name);

/* The locators of an extended link: label -> element, us-gaap:Assets. Those that point to no
 * element are left out. */
apr_hash_t *dsc_link_locators(apr_pool_t *pool, xmlNode *link);

/* The last part of a URI, behind its last slash. */
const char *dsc_uri_end(const char *uri);

dsc_arc_use_t dsc_arc_use(apr_pool_t *pool, xmlNode *arc);

/* Whether an arc stands before another that says the same (XBRL 2.1, 3.5.3.9.7.5). */
int dsc_arc_stands_before(const dsc_arc_use_t *one, const dsc_arc_use_t *other);

#endif
