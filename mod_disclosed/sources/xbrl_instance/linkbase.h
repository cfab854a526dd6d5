/* Linkbases of a filing (XBRL 2.1, section 5): how its elements add up, what they are called, and
 * in which order it presents them. */
#ifndef DSC_LINKBASE_H
#define DSC_LINKBASE_H

#include <apr_hash.h>
#include <apr_tables.h>
#include <libxml/tree.h>

/* A parent's child in a statement. */
typedef struct {
    const char *role;   /* URI of the statement */
    const char *parent; /* us-gaap:Assets */
    const char *child;
    const char *weight; /* as a decimal */
} dsc_calculation_t;

typedef struct {
    apr_pool_t *pool;
    apr_array_header_t *calculations; /* dsc_calculation_t, in the order of the file */
    apr_hash_t *labels;               /* element -> its standard label in English */
    apr_hash_t *role_labels;          /* element, a space, URI of a label's role -> that label */
    apr_hash_t *statements;           /* URI of a role -> its definition */
    apr_hash_t *presented; /* URI of a role -> what is presented there (presentation.c) */
    apr_hash_t *axes;      /* axis -> its default member; "": it has none */
} dsc_linkbase_t;

dsc_linkbase_t *dsc_linkbase_create(apr_pool_t *pool);

/* Takes what a linkbase, or a schema with linkbases in it, says. Arcs that are prohibited, or of
 * lower priority, are left out. NULL, or what is wrong: no arc is taken then. */
const char *dsc_linkbase_read(dsc_linkbase_t *linkbase, xmlNode *root);

/* The element's label, without what it says of its kind ("[Member]"); if it has none its name in
 * words: "own:NorthMember" is North. */
const char *dsc_linkbase_label(apr_pool_t *pool, const dsc_linkbase_t *linkbase,
                               const char *element);

#endif
