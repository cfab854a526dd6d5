/* Reading Form 13F's XML element by element. Internal to the files holdings_*. */
#ifndef DSC_HOLDINGS_XML_H
#define DSC_HOLDINGS_XML_H

#include "sources/sec_13f/holdings.h"
#include "sources/shared/xml_guard.h"

#include <libxml/xmlreader.h>

/* A document being read. */
typedef struct {
    apr_pool_t *pool;
    xmlTextReader *reader;
    dsc_xml_input_t input;
    long first_line;
    const char *reason; /* the first error, with its line; NULL so far */
} dsc_xml_stream_t;

/* Opens a document and goes to its root element, whose local name must be `root` (NULL: any). 0 and
 * stream->reason if it is not well-formed so far, is what xml_guard.h refuses, or is something
 * else. */
int dsc_xml_stream_open(dsc_xml_stream_t *stream, apr_pool_t *pool, const dsc_holdings_xml_t *xml,
                        const char *root);

/* The next element of that local name with all that is in it, valid until the next call; NULL at
 * the end, or with stream->reason if the document is not well-formed, or cut off. */
xmlNode *dsc_xml_stream_next(dsc_xml_stream_t *stream, const char *name);

/* The root element with all that is in it; NULL and stream->reason if it is not well-formed. */
xmlNode *dsc_xml_stream_root(dsc_xml_stream_t *stream);

#endif
