/* The facts of an XBRL instance, or of an inline XBRL document. */
#ifndef DSC_INSTANCE_FACTS_H
#define DSC_INSTANCE_FACTS_H

#include "sources/shared/xbrl_report_record.h"
#include "sources/xbrl_instance/instance_context.h"

/* A fact that is no good. */
typedef struct {
    const char *where, *error, *sample;
} dsc_instance_reject_t;

/* What a document says; texts live as long as the pool. */
typedef struct {
    apr_pool_t *pool;
    dsc_instance_ids_t ids;
    apr_array_header_t *facts;   /* dsc_xbrl_fact_t */
    apr_array_header_t *rejects; /* dsc_instance_reject_t */
    long texts, nil;             /* facts that are no numbers, and those without one */
    /* Of the filing itself (elements of dei); NULL: not stated. */
    const char *cik, *name, *form, *fiscal_year, *fiscal_period;
} dsc_instance_t;

/* Whether the root element is that of an inline document. */
int dsc_is_inline(const xmlNode *root);

/* Reads the document, by its root element. `first_line` as in dsc_xml_root(). */
dsc_instance_t *dsc_instance_read(apr_pool_t *pool, xmlNode *root);

#endif
