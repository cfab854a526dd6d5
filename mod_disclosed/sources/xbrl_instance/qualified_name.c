#include "sources/xbrl_instance/qualified_name.h"

#include "engine/shape.h"
#include "sources/shared/xbrl_report_record.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

/* Hosts of taxonomies that many filers use. Their URIs end with the taxonomy's name and a year, the
 * IFRS Foundation's the other way round. */
static const char *const hosts[] = {"fasb.org/", "xbrl.fasb.org/", "xbrl.sec.gov/", "xbrl.us/",
                                    "xbrl.ifrs.org/"};

/* The address without its scheme: taxonomies have had http, and those of the IFRS Foundation have
 * https since 2022. */
static const char *without_scheme(const char *uri)
{
    const char *slashes = strstr(uri, "://");

    return strncmp(uri, "http", strlen("http")) == 0 && slashes ? slashes + strlen("://") : uri;
}

const char *dsc_taxonomy_prefix(apr_pool_t *pool, const char *uri, const char *own)
{
    const char *address = without_scheme(uri);

    for (int i = 0; i < DSC_COUNT(hosts); i++) {
        size_t length = strlen(hosts[i]);

        if (strncmp(address, hosts[i], length) == 0) {
            char *rest = apr_pstrdup(pool, address + length), *part;
            const char *name = NULL;

            while ((part = apr_strtok(rest, "/", &rest)) != NULL) {
                name = apr_isdigit(*part) ? name : part;
            }
            if (name && dsc_is_xml_name(name)) {
                return name;
            }
        }
    }
    return own && *own ? own : "custom";
}

static const char *name_in(apr_pool_t *pool, const xmlNs *namespace, const char *local)
{
    return apr_pstrcat(pool,
                       dsc_taxonomy_prefix(pool, (const char *)namespace->href,
                                           (const char *)namespace->prefix),
                       ":", local, NULL);
}

const char *dsc_element_name(apr_pool_t *pool, const xmlNode *element)
{
    return element->ns && element->ns->href
               ? name_in(pool, element->ns, (const char *)element->name)
               : apr_pstrcat(pool, "custom:", (const char *)element->name, NULL);
}

const char *dsc_qualified_name(apr_pool_t *pool, xmlNode *element, const char *text)
{
    const char *colon = strchr(text, ':');
    const char *prefix = colon ? apr_pstrmemdup(pool, text, (size_t)(colon - text)) : NULL;
    const char *local = colon ? colon + 1 : text;
    xmlNs *namespace;

    if (!dsc_is_xml_name(local)) {
        return NULL;
    }
    namespace = xmlSearchNs(element->doc, element, (const xmlChar *)prefix);
    return namespace && namespace->href ? name_in(pool, namespace, local) : NULL;
}
