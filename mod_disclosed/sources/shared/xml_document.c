#include "sources/shared/xml_document.h"

#include "sources/shared/ownership_xml.h"
#include "sources/shared/xml_guard.h"

#include <apr_strings.h>
#include <libxml/parser.h>
#include <limits.h>
#include <string.h>

static apr_status_t free_document(void *document)
{
    xmlFreeDoc(document);
    return APR_SUCCESS;
}

/* What libxml2 says first is wrong; what follows is mostly a consequence of it. */
typedef struct {
    apr_pool_t *pool;
    long first_line;
    const char *reason; /* NULL so far */
} syntax_error_t;

#if LIBXML_VERSION >= 21200
typedef const xmlError *syntax_message_t;
#else
typedef xmlErrorPtr syntax_message_t;
#endif

/* Messages end with a line end of their own. */
static void keep_first_error(void *data, syntax_message_t error)
{
    syntax_error_t *kept = ((xmlParserCtxt *)data)->_private;

    if (!kept->reason && error->message) {
        kept->reason = apr_psprintf(kept->pool, "line %ld: not well-formed: %.*s",
                                    (error->line > 0 ? error->line : 1) + kept->first_line - 1,
                                    (int)strcspn(error->message, "\r\n"), error->message);
    }
}

static xmlDoc *parse_tree(apr_pool_t *pool, const char *xml, size_t length, long first_line,
                          const char **reason)
{
    const int options =
        XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA;
    xmlParserCtxt *context = length <= INT_MAX ? xmlNewParserCtxt() : NULL;
    syntax_error_t error = {pool, first_line, NULL};
    xmlDoc *document;

    if (!context) {
        *reason = "too large or out of memory";
        return NULL;
    }
    context->_private = &error;
    context->sax->serror = keep_first_error;
    document = xmlCtxtReadMemory(context, xml, (int)length, NULL, NULL, options);
    if (document) {
        apr_pool_cleanup_register(pool, document, free_document, apr_pool_cleanup_null);
    } else {
        *reason = error.reason ? error.reason : "not well-formed";
    }
    xmlFreeParserCtxt(context);
    return document;
}

xmlNode *dsc_xml_root(apr_pool_t *pool, const char *xml, size_t length, long first_line,
                      const char *root, const char **reason)
{
    dsc_xml_guard_t guard = {0};
    xmlDoc *document = dsc_xml_guard_feed(&guard, xml, length)
                           ? parse_tree(pool, xml, length, first_line, reason)
                           : NULL;
    xmlNode *element = document ? xmlDocGetRootElement(document) : NULL;

    if (!document) {
        *reason = guard.error ? dsc_xml_guard_error(pool, &guard, first_line) : *reason;
        return NULL;
    }
    if (!element || strcmp(dsc_owned_local_name(element), root) != 0) {
        *reason = apr_psprintf(pool, "line %ld: the root element is %.80s, not %s",
                               element ? xmlGetLineNo(element) + first_line - 1 : first_line,
                               element ? (const char *)element->name : "missing", root);
        return NULL;
    }
    return element;
}
