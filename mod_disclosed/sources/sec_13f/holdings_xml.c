/* Reading Form 13F's XML element by element: an information table has tens of thousands of rows. */
#include "sources/sec_13f/holdings_xml.h"

#include "sources/shared/ownership_xml.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#if LIBXML_VERSION >= 21200
typedef const xmlError *syntax_message_t;
#else
typedef xmlErrorPtr syntax_message_t;
#endif

/* What follows the first error mostly follows from it; what is not fatal, such as a prefix that
 * nothing declares, does no harm. Messages end with a line end of their own. */
static void keep_first_error(void *data, syntax_message_t error)
{
    dsc_xml_stream_t *stream = data;

    if (stream->reason == NULL && error->level == XML_ERR_FATAL && error->message != NULL) {
        stream->reason = apr_psprintf(stream->pool, "line %ld: %.*s",
                                      (error->line > 0 ? error->line : 1) + stream->first_line - 1,
                                      (int)strcspn(error->message, "\r\n"), error->message);
    }
}

static apr_status_t free_reader(void *reader)
{
    xmlFreeTextReader(reader);
    return APR_SUCCESS;
}

static long current_line(const dsc_xml_stream_t *stream)
{
    return xmlTextReaderGetParserLineNumber(stream->reader) + stream->first_line - 1;
}

static const char *local_name(const dsc_xml_stream_t *stream)
{
    const char *name = (const char *)xmlTextReaderConstLocalName(stream->reader);
    const char *colon = name == NULL ? NULL : strrchr(name, ':');

    return colon == NULL ? name : colon + 1; /* of an undeclared prefix */
}

/* -1 and the reason: the guard's before that of libxml2, which says only that it cannot
 * continue. */
static int fail(dsc_xml_stream_t *stream)
{
    if (stream->input.guard.error) {
        stream->reason =
            dsc_xml_guard_error(stream->pool, &stream->input.guard, stream->first_line);
    } else if (stream->reason == NULL) {
        stream->reason = "not well-formed";
    }
    return -1;
}

/* Goes to the next node; 0 at the end, -1 and the reason if the document is no good. */
static int read_node(dsc_xml_stream_t *stream)
{
    int status = xmlTextReaderRead(stream->reader);

    return status < 0 || stream->input.guard.error ? fail(stream) : status;
}

/* No network, no external files, no substitution of entities, libxml2's own size limits. */
int dsc_xml_stream_open(dsc_xml_stream_t *stream, apr_pool_t *pool, const dsc_holdings_xml_t *xml,
                        const char *root)
{
    const int options =
        XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA;
    int status;

    memset(stream, 0, sizeof(*stream));
    stream->pool = pool;
    stream->first_line = xml->first_line;
    stream->input.reader.piece = xml->piece;
    stream->reader = xmlReaderForIO(dsc_xml_input_read, NULL, &stream->input, NULL, NULL, options);
    if (stream->reader == NULL) {
        stream->reason = "out of memory";
        return 0;
    }
    apr_pool_cleanup_register(pool, stream->reader, free_reader, apr_pool_cleanup_null);
    xmlTextReaderSetStructuredErrorHandler(stream->reader, keep_first_error, stream);
    do {
        status = read_node(stream);
    } while (status == 1 && xmlTextReaderNodeType(stream->reader) != XML_READER_TYPE_ELEMENT);
    if (status == 1 && root != NULL && strcmp(local_name(stream), root) != 0) {
        stream->reason = apr_psprintf(pool, "line %ld: the root element is %.80s, not %s",
                                      current_line(stream), local_name(stream), root);
        return 0;
    }
    return status == 1;
}

xmlNode *dsc_xml_stream_next(dsc_xml_stream_t *stream, const char *name)
{
    while (read_node(stream) == 1) {
        if (xmlTextReaderNodeType(stream->reader) == XML_READER_TYPE_ELEMENT &&
            strcmp(local_name(stream), name) == 0) {
            xmlNode *node = xmlTextReaderExpand(stream->reader);

            if (node == NULL) {
                fail(stream);
            }
            return node;
        }
    }
    return NULL;
}

xmlNode *dsc_xml_stream_root(dsc_xml_stream_t *stream)
{
    xmlNode *root = xmlTextReaderExpand(stream->reader);

    if (root == NULL) {
        fail(stream);
    }
    return root;
}

/* Covers of other forms have a root element of the same name, in a namespace of their own. */
static int is_other_form(const dsc_xml_stream_t *stream)
{
    const char *space = (const char *)xmlTextReaderConstNamespaceUri(stream->reader);

    return space != NULL && strcmp(local_name(stream), "edgarSubmission") == 0 &&
           strstr(space, "thirteenf") == NULL;
}

const char *dsc_holdings_root(apr_pool_t *pool, const dsc_piece_t *piece, const char **reason)
{
    dsc_holdings_xml_t xml = {*piece, 1};
    dsc_xml_stream_t stream;

    if (!dsc_xml_stream_open(&stream, pool, &xml, NULL)) {
        *reason = stream.reason != NULL ? stream.reason : "the document has no element";
        return NULL;
    }
    if (is_other_form(&stream)) {
        return apr_psprintf(pool, "%s of %.80s", local_name(&stream),
                            (const char *)xmlTextReaderConstNamespaceUri(stream.reader));
    }
    return apr_pstrdup(pool, local_name(&stream));
}
