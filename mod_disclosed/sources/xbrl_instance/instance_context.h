/* Contexts and units of an XBRL instance (XBRL 2.1, 4.7 and 4.8; Dimensions 1.0). */
#ifndef DSC_INSTANCE_CONTEXT_H
#define DSC_INSTANCE_CONTEXT_H

#include <apr_hash.h>
#include <apr_pools.h>
#include <libxml/tree.h>

/* Who, when, and what part of the company a fact is about. */
typedef struct {
    const char *cik;        /* without leading zeros; NULL: the entity is named by another scheme */
    const char *start_date; /* "": an instant */
    const char *end_date;
    const char *dimensions; /* as in dsc_xbrl_fact_t; NULL: none */
    const char *error;      /* what is wrong with it; NULL: nothing */
} dsc_instance_context_t;

typedef struct {
    apr_hash_t *contexts; /* id -> dsc_instance_context_t */
    apr_hash_t *units;    /* id -> "USD/shares" */
} dsc_instance_ids_t;

/* Takes all contexts and units below the element. One whose id is there already is another's: both
 * are of no use then. */
void dsc_instance_ids(apr_pool_t *pool, xmlNode *root, dsc_instance_ids_t *ids);

/* The next element in the order of the document, below `top`; `skip`: what is in this one is passed
 * over. NULL: the end. */
xmlNode *dsc_next_element(const xmlNode *top, xmlNode *element, int skip);

/* An attribute of no namespace, or of the one named; NULL: it is not there. */
const char *dsc_attribute(apr_pool_t *pool, xmlNode *element, const char *name, const char *uri);

/* The element's text, without white space around it and with single spaces in it. */
const char *dsc_element_text(apr_pool_t *pool, xmlNode *element);

/* Whether the element has that name in that namespace. */
int dsc_is_element(const xmlNode *element, const char *uri, const char *name);

#define DSC_URI_INSTANCE   "http://www.xbrl.org/2003/instance"
#define DSC_URI_DIMENSIONS "http://xbrl.org/2006/xbrldi"
#define DSC_URI_NIL        "http://www.w3.org/2001/XMLSchema-instance"

#endif
