#include "sources/xbrl_instance/extended_link.h"

#include "sources/shared/xbrl_report_record.h"
#include "sources/xbrl_instance/instance_context.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#define URI_XLINK "http://www.w3.org/1999/xlink"

const char *dsc_xlink(apr_pool_t *pool, xmlNode *element, const char *name)
{
    const char *value = dsc_attribute(pool, element, name, URI_XLINK);

    return value ? value : "";
}

/* The element that a locator points to: "us-gaap-2024.xsd#us-gaap_Assets" is us-gaap:Assets. NULL
 * if it points to none. */
static const char *element_of(apr_pool_t *pool, xmlNode *locator)
{
    const char *mark = strchr(dsc_xlink(pool, locator, "href"), '#');
    char *name = mark ? apr_pstrdup(pool, mark + 1) : NULL;
    char *dash = name ? strchr(name, '_') : NULL;

    if (!dash || !dsc_is_xml_name(dash + 1)) {
        return NULL;
    }
    *dash = '\0';
    if (!dsc_is_xml_name(name)) {
        return NULL;
    }
    *dash = ':';
    return name;
}

apr_hash_t *dsc_link_locators(apr_pool_t *pool, xmlNode *link)
{
    apr_hash_t *locators = apr_hash_make(pool);

    for (xmlNode *child = link->children; child; child = child->next) {
        if (child->type == XML_ELEMENT_NODE && dsc_is_element(child, DSC_URI_LINK, "loc")) {
            const char *element = element_of(pool, child);

            if (element) {
                apr_hash_set(locators, dsc_xlink(pool, child, "label"), APR_HASH_KEY_STRING,
                             element);
            }
        }
    }
    return locators;
}

const char *dsc_uri_end(const char *uri)
{
    const char *slash = strrchr(uri, '/');

    return slash ? slash + 1 : uri;
}

dsc_arc_use_t dsc_arc_use(apr_pool_t *pool, xmlNode *arc)
{
    const char *priority = dsc_attribute(pool, arc, "priority", NULL);
    const char *use = dsc_attribute(pool, arc, "use", NULL);

    return (dsc_arc_use_t){priority ? strtol(priority, NULL, 10) : 0,
                           use && strcmp(use, "prohibited") == 0};
}

int dsc_arc_stands_before(const dsc_arc_use_t *one, const dsc_arc_use_t *other)
{
    return one->priority > other->priority ||
           (one->priority == other->priority && one->is_prohibited);
}
