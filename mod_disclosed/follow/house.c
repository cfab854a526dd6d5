/* The House Clerk's yearly index as a listing: 2026FD.zip with 2026FD.xml, in
 * which periodic transaction reports are of type P. */
#include "follow/follow_table.h"

#include "formats/import_location.h"
#include "formats/market_date.h"
#include "sources/shared/xml_document.h"

#include <apr_strings.h>
#include <archive.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGEST = 64 << 20 /* bytes of the XML: a year has half a megabyte */
};

static const char report_url[] =
    "https://disclosures-clerk.house.gov/public_disc/ptr-pdfs/%s/%s.pdf";

/* The text of the archive's XML; NULL: it has none that can be read. */
static char *read_xml(apr_pool_t *pool, const char *path, size_t *length)
{
    const char *reason = NULL;
    struct archive *stream = dsc_import_open_stream(path, &reason, pool);
    struct archive_entry *entry;
    char *text = NULL;

    while (stream != NULL && text == NULL &&
           archive_read_next_header(stream, &entry) == ARCHIVE_OK) {
        const char *name = archive_entry_pathname(entry);
        size_t size = name ? strlen(name) : 0;

        if (size > 6 && strcmp(name + size - 6, "FD.xml") == 0) {
            dsc_import_file_t file = {.name = path, .stream = stream, .size = -1};

            text = dsc_import_read_all(&file, pool, LARGEST, length, &reason);
            dsc_import_file_end(&file);
            break;
        }
    }
    archive_read_free(stream);
    return text;
}

static const char *member(apr_pool_t *pool, const xmlNode *node, const char *name)
{
    for (node = node->children; node != NULL; node = node->next) {
        if (node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0) {
            xmlChar *content = xmlNodeGetContent(node);
            const char *text = apr_pstrdup(pool, content ? (const char *)content : "");

            xmlFree(content);
            return text;
        }
    }
    return "";
}

static int is_number(const char *text)
{
    return *text != '\0' && strspn(text, "0123456789") == strlen(text) && strlen(text) <= 12;
}

/* Those without a date, or with none that is one, are of some time: they are
 * wanted. */
static void read_report(dsc_follow_page_t *page, const xmlNode *node)
{
    const char *id = member(page->pool, node, "DocID"), *year = member(page->pool, node, "Year");
    const char *day = dsc_plain_date(page->pool, member(page->pool, node, "FilingDate"));
    dsc_follow_entry_t entry = {.identity = id, .kind = "ptr", .published_at = day};

    if (strcmp(member(page->pool, node, "FilingType"), "P") != 0 || !is_number(id) ||
        !is_number(year) || (day && page->since && strcmp(day, page->since) < 0)) {
        return;
    }
    entry.url = apr_psprintf(page->pool, report_url, year, id);
    APR_ARRAY_PUSH(page->entries, dsc_follow_entry_t) = entry;
}

void dsc_follow_read_house(dsc_follow_page_t *page)
{
    size_t length = 0;
    char *text = read_xml(page->pool, page->path, &length);
    const char *reason = "the archive has no FD.xml that can be read";
    const xmlNode *node =
        text ? dsc_xml_root(page->pool, text, length, 0, "FinancialDisclosure", &reason) : NULL;

    page->met = 1;
    if (node == NULL) {
        page->error = apr_pstrdup(page->pool, reason);
        return;
    }
    for (node = node->children; node != NULL; node = node->next) {
        if (node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, "Member") == 0) {
            read_report(page, node);
        }
    }
}
