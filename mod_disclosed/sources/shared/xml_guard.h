/* What libxml2 must not be given: XML that would take it time without end. It has no limit for
 * these of its own. */
#ifndef DSC_XML_GUARD_H
#define DSC_XML_GUARD_H

#include "formats/spool.h"

#include <apr_pools.h>

/* The bytes of a document so far; zeros at its beginning. */
typedef struct {
    const char *error; /* what is wrong at `line`, or NULL */
    long line;         /* line ends so far */
    int zone;
    unsigned last; /* the last four bytes */
    char quote;    /* within an attribute's value: what ends it */
    int in_tag, follows_equals, attributes;
    char declaration[256];
    int declaration_length;
} dsc_xml_guard_t;

/* Looks at the next bytes of a document, however it is cut into pieces. 0 if it is to be refused:
 * an element with more attributes than any has, which would take libxml2 the square of their
 * number, a document type declaration, or an encoding that would hide these. */
int dsc_xml_guard_feed(dsc_xml_guard_t *guard, const char *bytes, size_t length);

/* Why it is refused, with the line in a file where the document begins on line `first_line`; NULL
 * if it is not. */
const char *dsc_xml_guard_error(apr_pool_t *pool, const dsc_xml_guard_t *guard, long first_line);

/* A piece of a file as libxml2's input. */
typedef struct {
    dsc_piece_reader_t reader;
    dsc_xml_guard_t guard;
} dsc_xml_input_t;

/* Reads the next bytes (xmlInputReadCallback); 0 at the end, -1 at an error or if the guard refuses
 * them. */
int dsc_xml_input_read(void *data, char *bytes, int size);

#endif
