/* Statements as a filing presents them (XBRL 2.1, 5.2.4; Dimensions 1.0, 2.7): their lines in
 * order, with the preferred labels. */
#ifndef DSC_PRESENTATION_H
#define DSC_PRESENTATION_H

#include "sources/xbrl_instance/linkbase.h"

/* A line of a statement. */
typedef struct {
    int statement; /* from 1 */
    int depth;     /* 0: the statement's heading */
    const char *concept;
    const char *label;      /* ""; the filing has none */
    const char *label_role; /* totalLabel, periodStartLabel, negatedLabel; "": the standard one */
    const char *axis;       /* the axis that it is, or is a member of; "": neither */
} dsc_presented_line_t;

typedef struct {
    apr_array_header_t *roles; /* const char *: URIs of the statements, in the filing's order */
    apr_array_header_t *lines; /* dsc_presented_line_t, by statement, each below its parent */
} dsc_presentation_t;

/* Takes the arcs of a presentationLink. NULL, or what is wrong with it. */
const char *dsc_presentation_take(dsc_linkbase_t *linkbase, xmlNode *link);

/* Takes the axes of a definitionLink, and the members that they have if a fact names none. */
void dsc_presentation_take_axes(dsc_linkbase_t *linkbase, xmlNode *link);

/* The statements of all linkbases of a filing. NULL and *error: elements are below themselves, or
 * there are more lines than any filing has. */
const dsc_presentation_t *dsc_presentation_of(apr_pool_t *pool, const dsc_linkbase_t *linkbase,
                                              const char **error);

#endif
