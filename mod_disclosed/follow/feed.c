/* EDGAR's feed of the latest filings (action=getcurrent, output=atom): an entry for each entity of
 * a filing, newest first. */
#include "follow/follow_table.h"

#include "sources/shared/filing_record.h"
#include "sources/shared/xml_document.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string.h>

enum {
    PAGE = 100 /* entries, as the address asks for */
};

static const char identity_tag[] = "accession-number=";

static const xmlNode *child(const xmlNode *node, const char *name)
{
    for (node = node->children; node != NULL; node = node->next) {
        if (node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0) {
            return node;
        }
    }
    return NULL;
}

static const char *text_of(apr_pool_t *pool, const xmlNode *parent, const char *name)
{
    const xmlNode *node = child(parent, name);
    xmlChar *content = node ? xmlNodeGetContent(node) : NULL;
    const char *text = content ? apr_pstrdup(pool, (const char *)content) : NULL;

    xmlFree(content);
    return text;
}

static const char *attribute_of(apr_pool_t *pool, const xmlNode *parent, const char *name,
                                const char *attribute)
{
    const xmlNode *node = child(parent, name);
    xmlChar *content = node ? xmlGetProp(node, (const xmlChar *)attribute) : NULL;
    const char *text = content ? apr_pstrdup(pool, (const char *)content) : NULL;

    xmlFree(content);
    return text;
}

/* The folder that EDGAR keeps the entity's filing in is named by its CIK. */
static const char *cik_of(apr_pool_t *pool, const char *link)
{
    static const char folder[] = "/edgar/data/";
    const char *cik = link ? strstr(link, folder) : NULL;
    size_t length;

    if (cik == NULL) {
        return NULL;
    }
    cik += strlen(folder);
    length = strspn(cik, "0123456789");
    return length > 0 && length <= 10 ? apr_pstrmemdup(pool, cik, length) : NULL;
}

/* The whole submission lies in the folder of its entity. */
static const char *submission_url(apr_pool_t *pool, const dsc_follow_page_t *page, const char *cik,
                                  const char *accession)
{
    const char *url = page->source->listings->url; /* of the same origin */
    const char *path = strchr(strstr(url, "://") + 3, '/');

    return apr_psprintf(pool, "%.*s/Archives/edgar/data/%s/%s.txt", (int)(path - url), url, cik,
                        accession);
}

/* 0: an entry that is none of EDGAR's, by which the feed is damaged. */
static int read_entry(dsc_follow_page_t *page, const xmlNode *node)
{
    const char *id = text_of(page->pool, node, "id");
    const char *link = attribute_of(page->pool, node, "link", "href");
    const char *accession = id ? strstr(id, identity_tag) : NULL;
    dsc_follow_entry_t entry = {0};

    if (accession == NULL || link == NULL) {
        return 0;
    }
    entry.identity = accession + strlen(identity_tag);
    entry.kind = attribute_of(page->pool, node, "category", "term");
    entry.cik = cik_of(page->pool, link);
    entry.published_at = text_of(page->pool, node, "updated");
    if (!dsc_is_accession(entry.identity) || entry.kind == NULL || entry.cik == NULL) {
        return 0;
    }
    entry.url = submission_url(page->pool, page, entry.cik, entry.identity);
    APR_ARRAY_PUSH(page->entries, dsc_follow_entry_t) = entry;
    APR_ARRAY_PUSH(page->top, const char *) = entry.identity;
    return 1;
}

static void look_for_seen(dsc_follow_page_t *page)
{
    int i, k;

    for (i = 0; i < page->seen->nelts && !page->met; i++) {
        for (k = 0; k < page->top->nelts && !page->met; k++) {
            page->met = strcmp(APR_ARRAY_IDX(page->seen, i, const char *),
                               APR_ARRAY_IDX(page->top, k, const char *)) == 0;
        }
    }
}

static apr_status_t free_document(void *document)
{
    xmlFreeDoc(document);
    return APR_SUCCESS;
}

void dsc_follow_read_feed(dsc_follow_page_t *page)
{
    xmlDoc *document =
        xmlReadFile(page->path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    const xmlNode *root = document ? xmlDocGetRootElement(document) : NULL, *node;

    if (document != NULL) {
        apr_pool_cleanup_register(page->pool, document, free_document, apr_pool_cleanup_null);
    }
    if (root == NULL || strcmp((const char *)root->name, "feed") != 0) {
        page->error = "no Atom feed: it is not well-formed";
        return;
    }
    page->source_time = text_of(page->pool, root, "updated");
    for (node = root->children; node != NULL; node = node->next) {
        if (node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, "entry") == 0 &&
            !read_entry(page, node)) {
            page->error = "an entry of the feed has no accession number, form or address";
            return;
        }
    }
    page->met = page->top->nelts < PAGE; /* there is no other */
    look_for_seen(page);
}
