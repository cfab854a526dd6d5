#include "sources/xbrl_instance/presentation.h"

#include "sources/xbrl_instance/extended_link.h"
#include "sources/xbrl_instance/instance_context.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LINES = 20000, /* filings have some thousand */
    MOST_DEPTH = 64
};

#define ARCROLE_HYPERCUBE_DIMENSION "http://xbrl.org/int/dim/arcrole/hypercube-dimension"
#define ARCROLE_DIMENSION_DEFAULT   "http://xbrl.org/int/dim/arcrole/dimension-default"

/* An arc of a statement. */
typedef struct {
    const char *parent, *child;
    const char *label_role; /* URI; "": the standard label */
    double order;
    int place; /* in the file, among those of one order */
    dsc_arc_use_t use;
} line_arc_t;

/* What is presented under one role. */
typedef struct {
    const char *role;
    int place;                /* in the file */
    apr_hash_t *known;        /* what an arc says -> line_arc_t */
    apr_array_header_t *arcs; /* line_arc_t *, in the order of the file */
} statement_t;

/* ------------------------------------------------------------------------------- arcs */

static statement_t *statement_of(dsc_linkbase_t *linkbase, const char *role)
{
    statement_t *statement = apr_hash_get(linkbase->presented, role, APR_HASH_KEY_STRING);

    if (!statement) {
        statement = apr_palloc(linkbase->pool, sizeof(*statement));
        statement->role = role;
        statement->place = (int)apr_hash_count(linkbase->presented);
        statement->known = apr_hash_make(linkbase->pool);
        statement->arcs = apr_array_make(linkbase->pool, 64, sizeof(line_arc_t *));
        apr_hash_set(linkbase->presented, role, APR_HASH_KEY_STRING, statement);
    }
    return statement;
}

/* Reads the arc; NULL, or what is wrong with it. An order that is not given is 1
 * (XBRL 2.1, 3.5.3.9.5). */
static const char *read_arc(apr_pool_t *pool, xmlNode *element, apr_hash_t *locators,
                            line_arc_t *arc)
{
    const char *order = dsc_attribute(pool, element, "order", NULL);
    const char *label_role = dsc_attribute(pool, element, "preferredLabel", NULL);
    char *end = NULL;

    arc->parent = apr_hash_get(locators, dsc_xlink(pool, element, "from"), APR_HASH_KEY_STRING);
    arc->child = apr_hash_get(locators, dsc_xlink(pool, element, "to"), APR_HASH_KEY_STRING);
    arc->label_role = label_role ? label_role : "";
    arc->order = order ? strtod(order, &end) : 1;
    arc->use = dsc_arc_use(pool, element);
    return !arc->parent || !arc->child
               ? apr_psprintf(pool, "line %ld: presentationArc: from or to names no element",
                              xmlGetLineNo(element))
           : order && (end == order || *end != '\0' || !isfinite(arc->order))
               ? apr_psprintf(pool, "line %ld: presentationArc: order is no number",
                              xmlGetLineNo(element))
           : strlen(arc->label_role) > DSC_LONGEST_LINK_NAME
               ? apr_psprintf(
                     pool,
                     "line %ld: presentationArc: preferredLabel is longer than 512 characters",
                     xmlGetLineNo(element))
               : NULL;
}

/* Adds the arc, or has it in the place of one that says the same. */
static void add_arc(apr_pool_t *pool, statement_t *statement, line_arc_t *arc)
{
    const char *key =
        apr_psprintf(pool, "%s %s %.9g %s", arc->parent, arc->child, arc->order, arc->label_role);
    line_arc_t *known = apr_hash_get(statement->known, key, APR_HASH_KEY_STRING);

    arc->place = known ? known->place : statement->arcs->nelts;
    if (!known) {
        apr_hash_set(statement->known, key, APR_HASH_KEY_STRING, arc);
        APR_ARRAY_PUSH(statement->arcs, line_arc_t *) = arc;
    } else if (dsc_arc_stands_before(&arc->use, &known->use)) {
        *known = *arc;
    }
}

const char *dsc_presentation_take(dsc_linkbase_t *linkbase, xmlNode *link)
{
    apr_hash_t *locators = dsc_link_locators(linkbase->pool, link);
    const char *role = dsc_xlink(linkbase->pool, link, "role"), *error = NULL;
    statement_t *statement;

    if (!*role || strlen(role) > DSC_LONGEST_LINK_NAME) {
        return apr_psprintf(linkbase->pool,
                            "line %ld: presentationLink: role is empty or longer than 512 "
                            "characters",
                            xmlGetLineNo(link));
    }
    statement = statement_of(linkbase, role);
    for (xmlNode *child = link->children; child && !error; child = child->next) {
        if (child->type == XML_ELEMENT_NODE &&
            dsc_is_element(child, DSC_URI_LINK, "presentationArc")) {
            line_arc_t *arc = apr_palloc(linkbase->pool, sizeof(*arc));

            error = read_arc(linkbase->pool, child, locators, arc);
            if (!error) {
                add_arc(linkbase->pool, statement, arc);
            }
        }
    }
    return error;
}

void dsc_presentation_take_axes(dsc_linkbase_t *linkbase, xmlNode *link)
{
    apr_hash_t *locators = dsc_link_locators(linkbase->pool, link);

    for (xmlNode *child = link->children; child; child = child->next) {
        const char *arcrole, *from, *to;

        if (child->type != XML_ELEMENT_NODE ||
            !dsc_is_element(child, DSC_URI_LINK, "definitionArc") ||
            dsc_arc_use(linkbase->pool, child).is_prohibited) {
            continue;
        }
        arcrole = dsc_xlink(linkbase->pool, child, "arcrole");
        from =
            apr_hash_get(locators, dsc_xlink(linkbase->pool, child, "from"), APR_HASH_KEY_STRING);
        to = apr_hash_get(locators, dsc_xlink(linkbase->pool, child, "to"), APR_HASH_KEY_STRING);
        if (!from || !to) {
            continue;
        }
        if (strcmp(arcrole, ARCROLE_DIMENSION_DEFAULT) == 0) {
            apr_hash_set(linkbase->axes, from, APR_HASH_KEY_STRING, to);
        } else if (strcmp(arcrole, ARCROLE_HYPERCUBE_DIMENSION) == 0 &&
                   !apr_hash_get(linkbase->axes, to, APR_HASH_KEY_STRING)) {
            apr_hash_set(linkbase->axes, to, APR_HASH_KEY_STRING, "");
        }
    }
}

/* ------------------------------------------------------------------------------ lines */

/* Writes the lines of one statement down. */
typedef struct {
    apr_pool_t *pool;
    const dsc_linkbase_t *linkbase;
    apr_hash_t *children; /* element -> its arcs, line_arc_t *, by order */
    apr_hash_t *written;  /* those of them whose arcs have been gone along */
    dsc_presentation_t *presentation;
    const char *role;
    const char *error;
} walk_t;

static int compare_arcs(const void *left, const void *right)
{
    const line_arc_t *one = *(const line_arc_t *const *)left;
    const line_arc_t *other = *(const line_arc_t *const *)right;

    return one->order < other->order   ? -1
           : one->order > other->order ? 1
                                       : one->place - other->place;
}

/* Whether it is an axis: its linkbase of definitions says so, or its name, as the SEC asks of all
 * axes (EDGAR Filer Manual II, 6.8). */
static int is_axis(const dsc_linkbase_t *linkbase, const char *concept)
{
    static const char end[] = "Axis";
    size_t length = strlen(concept);

    return apr_hash_get(linkbase->axes, concept, APR_HASH_KEY_STRING) != NULL ||
           (length >= sizeof(end) && strcmp(concept + length - sizeof(end) + 1, end) == 0);
}

static const char *label_of(const walk_t *walk, const char *concept, const char *label_role)
{
    const char *key = apr_pstrcat(walk->pool, concept, " ", label_role, NULL);
    const char *label = apr_hash_get(walk->linkbase->role_labels, key, APR_HASH_KEY_STRING);

    label = label ? label : apr_hash_get(walk->linkbase->labels, concept, APR_HASH_KEY_STRING);
    return label ? label : "";
}

static void refuse_circle(walk_t *walk)
{
    walk->error =
        apr_psprintf(walk->pool, "%s presents elements below themselves, or more than 64 deep",
                     walk->role);
}

static void write_line(walk_t *walk, const char *concept, const char *label_role, int depth,
                       const char *axis)
{
    const char *kind = dsc_uri_end(label_role);
    dsc_presented_line_t *line;
    apr_array_header_t *arcs;

    if (depth > MOST_DEPTH) {
        refuse_circle(walk);
        return;
    }
    if (walk->presentation->lines->nelts >= MOST_LINES) {
        walk->error =
            apr_psprintf(walk->pool, "%s: the filing presents more than 20000 lines", walk->role);
        return;
    }
    line = apr_array_push(walk->presentation->lines);
    line->statement = walk->presentation->roles->nelts;
    line->depth = depth;
    line->concept = concept;
    line->label = label_of(walk, concept, label_role);
    line->label_role = strcmp(kind, "label") == 0 ? "" : kind;
    line->axis = is_axis(walk->linkbase, concept) ? concept : axis;
    arcs = apr_hash_get(walk->children, concept, APR_HASH_KEY_STRING);
    axis = line->axis;
    apr_hash_set(walk->written, concept, APR_HASH_KEY_STRING, arcs);
    for (int i = 0; arcs && i < arcs->nelts && !walk->error; i++) {
        const line_arc_t *arc = APR_ARRAY_IDX(arcs, i, const line_arc_t *);

        write_line(walk, arc->child, arc->label_role, depth + 1, axis);
    }
}

/* The elements of a statement that have none above them, in the order of the file; and the children
 * of each. */
static apr_array_header_t *roots_of(walk_t *walk, const statement_t *statement)
{
    apr_array_header_t *parents = apr_array_make(walk->pool, 8, sizeof(const char *));
    apr_array_header_t *roots = apr_array_make(walk->pool, 2, sizeof(const char *));
    apr_hash_t *is_child = apr_hash_make(walk->pool);

    walk->children = apr_hash_make(walk->pool);
    for (int i = 0; i < statement->arcs->nelts; i++) {
        line_arc_t *arc = APR_ARRAY_IDX(statement->arcs, i, line_arc_t *);
        apr_array_header_t *arcs = apr_hash_get(walk->children, arc->parent, APR_HASH_KEY_STRING);

        if (arc->use.is_prohibited) {
            continue;
        }
        if (!arcs) {
            arcs = apr_array_make(walk->pool, 8, sizeof(line_arc_t *));
            apr_hash_set(walk->children, arc->parent, APR_HASH_KEY_STRING, arcs);
            APR_ARRAY_PUSH(parents, const char *) = arc->parent;
        }
        APR_ARRAY_PUSH(arcs, line_arc_t *) = arc;
        apr_hash_set(is_child, arc->child, APR_HASH_KEY_STRING, arc);
    }
    for (int i = 0; i < parents->nelts; i++) {
        const char *parent = APR_ARRAY_IDX(parents, i, const char *);
        apr_array_header_t *arcs = apr_hash_get(walk->children, parent, APR_HASH_KEY_STRING);

        qsort(arcs->elts, (size_t)arcs->nelts, sizeof(line_arc_t *), compare_arcs);
        if (!apr_hash_get(is_child, parent, APR_HASH_KEY_STRING)) {
            APR_ARRAY_PUSH(roots, const char *) = parent;
        }
    }
    return roots;
}

static void write_statement(walk_t *walk, const statement_t *statement)
{
    apr_array_header_t *roots = roots_of(walk, statement);

    walk->role = statement->role;
    walk->written = apr_hash_make(walk->pool);
    if (apr_hash_count(walk->children) == 0) {
        return; /* all of its arcs are prohibited */
    }
    APR_ARRAY_PUSH(walk->presentation->roles, const char *) = statement->role;
    for (int i = 0; i < roots->nelts && !walk->error; i++) {
        write_line(walk, APR_ARRAY_IDX(roots, i, const char *), "", 0, "");
    }
    /* No root leads to elements of a circle. */
    if (!walk->error && apr_hash_count(walk->written) < apr_hash_count(walk->children)) {
        refuse_circle(walk);
    }
}

/* ------------------------------------------------------------------------- statements */

/* A statement's place, and what it is sorted by: "0000002 - Statement - BALANCE SHEETS" (EDGAR
 * Filer Manual II, 6.7.12). */
typedef struct {
    const statement_t *statement;
    const char *definition; /* "": it has none that begins with a number */
} sorted_t;

static int compare_statements(const void *left, const void *right)
{
    const sorted_t *one = left, *other = right;
    int difference = *one->definition == '\0' || *other->definition == '\0'
                         ? (*one->definition == '\0') - (*other->definition == '\0')
                         : strcmp(one->definition, other->definition);

    return difference ? difference : one->statement->place - other->statement->place;
}

const dsc_presentation_t *dsc_presentation_of(apr_pool_t *pool, const dsc_linkbase_t *linkbase,
                                              const char **error)
{
    dsc_presentation_t *presentation = apr_palloc(pool, sizeof(*presentation));
    apr_array_header_t *order = apr_array_make(pool, 64, sizeof(sorted_t));
    walk_t walk = {.pool = pool, .linkbase = linkbase, .presentation = presentation};

    presentation->roles = apr_array_make(pool, 64, sizeof(const char *));
    presentation->lines = apr_array_make(pool, 256, sizeof(dsc_presented_line_t));
    for (apr_hash_index_t *at = apr_hash_first(pool, linkbase->presented); at;
         at = apr_hash_next(at)) {
        const statement_t *statement = apr_hash_this_val(at);
        const char *definition =
            apr_hash_get(linkbase->statements, statement->role, APR_HASH_KEY_STRING);
        sorted_t *sorted = apr_array_push(order);

        sorted->statement = statement;
        sorted->definition = definition && apr_isdigit(*definition) ? definition : "";
    }
    if (order->nelts > 1) {
        qsort(order->elts, (size_t)order->nelts, sizeof(sorted_t), compare_statements);
    }
    for (int i = 0; i < order->nelts && !walk.error; i++) {
        write_statement(&walk, APR_ARRAY_IDX(order, i, sorted_t).statement);
    }
    *error = walk.error;
    return walk.error ? NULL : presentation;
}
