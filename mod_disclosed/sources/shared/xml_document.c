#include "sources/shared/xml_document.h"

#include "sources/shared/ownership_xml.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <libxml/parser.h>
#include <limits.h>
#include <string.h>

enum {
    MOST_ATTRIBUTES = 10000
};

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

/* The end of a start tag, behind its name, where the bytes end at the latest; *attributes counts the equals signs in it. */
static const char *end_of_tag(const char *at, const char *end, int *attributes)
{
    char quote = '\0';

    for (*attributes = 0; at < end && (quote || *at != '>'); at++) {
        if (quote) {
            quote = *at == quote ? '\0' : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else {
            *attributes += *at == '=';
        }
    }
    return at;
}

/* The line on which a place is, from 1. */
static long line_of(const char *xml, const char *place)
{
    long line = 1;

    for (; xml < place; xml++) {
        line += *xml == '\n';
    }
    return line;
}

/* The line of the first element with more attributes than any has, which would take libxml2 the square of their number; 0: there is
 * none. */
static long find_swollen(const char *xml, size_t length)
{
    const char *end = xml + length, *at = memchr(xml, '<', length);
    int attributes;

    while (at) {
        const char *tag = at + 1;

        at = tag;
        if (tag < end && (apr_isalpha(*tag) || *tag == '_' || (*tag & 0x80))) {
            at = end_of_tag(tag, end, &attributes);
            if (attributes > MOST_ATTRIBUTES) {
                return line_of(xml, tag);
            }
        }
        at = memchr(at, '<', (size_t)(end - at));
    }
    return 0;
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
    long swollen = find_swollen(xml, length);
    xmlDoc *document = swollen ? NULL : parse_tree(pool, xml, length, first_line, reason);
    xmlNode *element = document ? xmlDocGetRootElement(document) : NULL;

    if (swollen) {
        *reason = apr_psprintf(pool, "line %ld: an element with more than %d attributes",
                               swollen + first_line - 1, MOST_ATTRIBUTES);
    }
    if (!document) {
        return NULL;
    }
    if (document->intSubset) {
        *reason =
            apr_psprintf(pool, "line %ld: a document type declaration is not accepted", first_line);
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
