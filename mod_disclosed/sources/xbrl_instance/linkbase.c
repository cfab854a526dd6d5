#include "sources/xbrl_instance/linkbase.h"

#include "engine/shape.h"
#include "sources/shared/xbrl_report_record.h"
#include "sources/xbrl_instance/extended_link.h"
#include "sources/xbrl_instance/instance_context.h"
#include "sources/xbrl_instance/instance_number.h"
#include "sources/xbrl_instance/presentation.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DIGITS = 9 /* of a weight, before and behind its point */
};

#define URI_XML    "http://www.w3.org/XML/1998/namespace"
#define ROLE_LABEL "http://www.xbrl.org/2003/role/label"

dsc_linkbase_t *dsc_linkbase_create(apr_pool_t *pool)
{
    dsc_linkbase_t *linkbase = apr_palloc(pool, sizeof(*linkbase));

    linkbase->pool = pool;
    linkbase->calculations = apr_array_make(pool, 64, sizeof(dsc_calculation_t));
    linkbase->labels = apr_hash_make(pool);
    linkbase->role_labels = apr_hash_make(pool);
    linkbase->statements = apr_hash_make(pool);
    linkbase->presented = apr_hash_make(pool);
    linkbase->axes = apr_hash_make(pool);
    return linkbase;
}

/* -------------------------------------------------------------------- calculations */

/* An arc, and what decides between several of the same elements in a role. */
typedef struct {
    dsc_calculation_t calculation;
    dsc_arc_use_t use;
} arc_t;

/* Whether a weight is one that the table takes. */
static int is_weight(const char *weight)
{
    const char *digits = weight ? weight + (*weight == '-') : "";
    size_t whole = strspn(digits, "0123456789");
    size_t places = digits[whole] == '.' ? strspn(digits + whole + 1, "0123456789") : 0;

    return whole > 0 && whole <= MOST_DIGITS && places <= MOST_DIGITS &&
           digits[whole + (places ? places + 1 : 0)] == '\0';
}

/* Reads the arc; NULL, or what is wrong with it. */
static const char *read_arc(apr_pool_t *pool, xmlNode *element, apr_hash_t *locators,
                            const char *role, arc_t *arc)
{
    const char *from = dsc_xlink(pool, element, "from"), *to = dsc_xlink(pool, element, "to");
    const char *weight = dsc_attribute(pool, element, "weight", NULL);

    arc->calculation.role = role;
    arc->calculation.parent = apr_hash_get(locators, from, APR_HASH_KEY_STRING);
    arc->calculation.child = apr_hash_get(locators, to, APR_HASH_KEY_STRING);
    arc->calculation.weight = weight ? dsc_instance_plain(pool, weight) : NULL;
    arc->use = dsc_arc_use(pool, element);
    return !arc->calculation.parent || !arc->calculation.child
               ? apr_psprintf(pool, "line %ld: calculationArc: from or to names no element",
                              xmlGetLineNo(element))
           : !is_weight(arc->calculation.weight)
               ? apr_psprintf(pool,
                              "line %ld: calculationArc: weight is no decimal of up to nine digits "
                              "before and behind the point",
                              xmlGetLineNo(element))
               : NULL;
}

static const char *take_calculations(dsc_linkbase_t *linkbase, xmlNode *link, apr_hash_t *arcs,
                                     apr_array_header_t *order)
{
    apr_hash_t *locators = dsc_link_locators(linkbase->pool, link);
    const char *role = dsc_xlink(linkbase->pool, link, "role");

    if (strlen(role) > DSC_LONGEST_LINK_NAME) {
        return apr_psprintf(linkbase->pool,
                            "line %ld: calculationLink: role is longer than 512 characters",
                            xmlGetLineNo(link));
    }
    for (xmlNode *child = link->children; child; child = child->next) {
        const char *error, *key;
        arc_t *arc, *known;

        if (child->type != XML_ELEMENT_NODE ||
            !dsc_is_element(child, DSC_URI_LINK, "calculationArc")) {
            continue;
        }
        arc = apr_palloc(linkbase->pool, sizeof(*arc));
        error = read_arc(linkbase->pool, child, locators, role, arc);
        if (error) {
            return error;
        }
        key = apr_pstrcat(linkbase->pool, role, " ", arc->calculation.parent, " ",
                          arc->calculation.child, NULL);
        known = apr_hash_get(arcs, key, APR_HASH_KEY_STRING);
        if (!known) {
            apr_hash_set(arcs, key, APR_HASH_KEY_STRING, arc);
            APR_ARRAY_PUSH(order, arc_t *) = arc;
        } else if (dsc_arc_stands_before(&arc->use, &known->use)) {
            *known = *arc;
        }
    }
    return NULL;
}

/* -------------------------------------------------------------------------- labels */

/* A label of a label link. */
typedef struct {
    const char *role; /* URI */
    const char *text;
} label_t;

/* The label resources in English: xlink:label -> label_t *, as many as have it. */
static apr_hash_t *resources_of(apr_pool_t *pool, xmlNode *link)
{
    apr_hash_t *resources = apr_hash_make(pool);

    for (xmlNode *child = link->children; child; child = child->next) {
        const char *language, *name, *text;
        apr_array_header_t *labels;
        label_t *label;

        if (child->type != XML_ELEMENT_NODE || !dsc_is_element(child, DSC_URI_LINK, "label")) {
            continue;
        }
        language = dsc_attribute(pool, child, "lang", URI_XML);
        text = dsc_element_text(pool, child);
        if ((language && strncasecmp(language, "en", 2) != 0) || !*text ||
            strlen(text) > DSC_LONGEST_LINK_NAME) {
            continue;
        }
        name = dsc_xlink(pool, child, "label");
        labels = apr_hash_get(resources, name, APR_HASH_KEY_STRING);
        if (!labels) {
            labels = apr_array_make(pool, 2, sizeof(label_t));
            apr_hash_set(resources, name, APR_HASH_KEY_STRING, labels);
        }
        label = apr_array_push(labels);
        label->role = dsc_xlink(pool, child, "role");
        label->text = text;
    }
    return resources;
}

/* Takes an element's labels of one arc: each for its role, and the best of them for the element,
 * the standard one before others. */
static void take_labels_of(dsc_linkbase_t *linkbase, const char *element,
                           const apr_array_header_t *labels, apr_hash_t *standard)
{
    const label_t *best = &APR_ARRAY_IDX(labels, 0, label_t);

    for (int i = 0; i < labels->nelts; i++) {
        const label_t *label = &APR_ARRAY_IDX(labels, i, label_t);
        int is_standard = strcmp(label->role, ROLE_LABEL) == 0;

        apr_hash_set(linkbase->role_labels,
                     apr_pstrcat(linkbase->pool, element, " ", label->role, NULL),
                     APR_HASH_KEY_STRING, label->text);
        best = is_standard && strcmp(best->role, ROLE_LABEL) != 0 ? label : best;
    }
    if (!apr_hash_get(standard, element, APR_HASH_KEY_STRING)) {
        apr_hash_set(linkbase->labels, element, APR_HASH_KEY_STRING, best->text);
        if (strcmp(best->role, ROLE_LABEL) == 0) {
            apr_hash_set(standard, element, APR_HASH_KEY_STRING, best);
        }
    }
}

/* Labels of elements: filers may give each its own arc. */
static void take_labels(dsc_linkbase_t *linkbase, xmlNode *link, apr_hash_t *standard)
{
    apr_hash_t *locators = dsc_link_locators(linkbase->pool, link);
    apr_hash_t *resources = resources_of(linkbase->pool, link);

    for (xmlNode *child = link->children; child; child = child->next) {
        const char *element;
        const apr_array_header_t *labels;

        if (child->type != XML_ELEMENT_NODE || !dsc_is_element(child, DSC_URI_LINK, "labelArc")) {
            continue;
        }
        element =
            apr_hash_get(locators, dsc_xlink(linkbase->pool, child, "from"), APR_HASH_KEY_STRING);
        labels =
            apr_hash_get(resources, dsc_xlink(linkbase->pool, child, "to"), APR_HASH_KEY_STRING);
        if (element && labels) {
            take_labels_of(linkbase, element, labels, standard);
        }
    }
}

/* What is in brackets at the end of labels of members and axes. */
static const char *without_kind(apr_pool_t *pool, const char *label)
{
    static const char *const kinds[] = {" [Member]", " [Domain]", " [Axis]"};
    size_t length = strlen(label);

    for (int i = 0; i < DSC_COUNT(kinds); i++) {
        size_t kind = strlen(kinds[i]);

        if (length > kind && strcasecmp(label + length - kind, kinds[i]) == 0) {
            return apr_pstrmemdup(pool, label, length - kind);
        }
    }
    return label;
}

/* "NorthAmericaMember" as "North America". */
static const char *name_in_words(apr_pool_t *pool, const char *name)
{
    size_t length = strlen(name);
    char *words = apr_palloc(pool, 2 * length + 1), *end = words;

    length -= length > strlen("Member") && strcmp(name + length - strlen("Member"), "Member") == 0
                  ? strlen("Member")
                  : 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && apr_isupper(name[i]) && !apr_isupper(name[i - 1])) {
            *end++ = ' ';
        }
        *end++ = name[i];
    }
    *end = '\0';
    return words;
}

const char *dsc_linkbase_label(apr_pool_t *pool, const dsc_linkbase_t *linkbase,
                               const char *element)
{
    const char *label = apr_hash_get(linkbase->labels, element, APR_HASH_KEY_STRING);
    const char *colon = strchr(element, ':');

    return label ? without_kind(pool, label) : name_in_words(pool, colon ? colon + 1 : element);
}

/* ----------------------------------------------------------------------- statements */

static void take_statement(dsc_linkbase_t *linkbase, xmlNode *role)
{
    const char *uri = dsc_attribute(linkbase->pool, role, "roleURI", NULL);

    for (xmlNode *child = role->children; uri && child; child = child->next) {
        if (child->type == XML_ELEMENT_NODE && dsc_is_element(child, DSC_URI_LINK, "definition")) {
            apr_hash_set(linkbase->statements, uri, APR_HASH_KEY_STRING,
                         apr_pstrndup(linkbase->pool, dsc_element_text(linkbase->pool, child),
                                      DSC_LONGEST_LINK_NAME));
        }
    }
}

const char *dsc_linkbase_read(dsc_linkbase_t *linkbase, xmlNode *root)
{
    apr_array_header_t *order = apr_array_make(linkbase->pool, 64, sizeof(arc_t *));
    apr_hash_t *arcs = apr_hash_make(linkbase->pool), *standard = apr_hash_make(linkbase->pool);
    const char *error = NULL;
    xmlNode *element = root;

    while (!error && (element = dsc_next_element(root, element, 0)) != NULL) {
        if (dsc_is_element(element, DSC_URI_LINK, "calculationLink")) {
            error = take_calculations(linkbase, element, arcs, order);
        } else if (dsc_is_element(element, DSC_URI_LINK, "presentationLink")) {
            error = dsc_presentation_take(linkbase, element);
        } else if (dsc_is_element(element, DSC_URI_LINK, "definitionLink")) {
            dsc_presentation_take_axes(linkbase, element);
        } else if (dsc_is_element(element, DSC_URI_LINK, "labelLink")) {
            take_labels(linkbase, element, standard);
        } else if (dsc_is_element(element, DSC_URI_LINK, "roleType")) {
            take_statement(linkbase, element);
        }
    }
    if (error) {
        apr_hash_clear(linkbase->presented);
    }
    for (int i = 0; i < order->nelts && !error; i++) {
        const arc_t *arc = APR_ARRAY_IDX(order, i, const arc_t *);

        if (!arc->use.is_prohibited) {
            APR_ARRAY_PUSH(linkbase->calculations, dsc_calculation_t) = arc->calculation;
        }
    }
    return error;
}
