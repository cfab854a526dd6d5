#include "sources/xbrl_instance/linkbase.h"

#include "engine/shape.h"
#include "sources/shared/xbrl_report_record.h"
#include "sources/xbrl_instance/instance_context.h"
#include "sources/xbrl_instance/instance_number.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DIGITS = 9, /* of a weight, before and behind its point */
    LONGEST_NAME =
        512 /* of a role, statement or label: they are written down with each arc and number */
};

#define URI_LINK   "http://www.xbrl.org/2003/linkbase"
#define URI_XLINK  "http://www.w3.org/1999/xlink"
#define URI_XML    "http://www.w3.org/XML/1998/namespace"
#define ROLE_LABEL "http://www.xbrl.org/2003/role/label"

dsc_linkbase_t *dsc_linkbase_create(apr_pool_t *pool)
{
    dsc_linkbase_t *linkbase = apr_palloc(pool, sizeof(*linkbase));

    linkbase->pool = pool;
    linkbase->calculations = apr_array_make(pool, 64, sizeof(dsc_calculation_t));
    linkbase->labels = apr_hash_make(pool);
    linkbase->statements = apr_hash_make(pool);
    return linkbase;
}

static const char *xlink(apr_pool_t *pool, xmlNode *element, const char *name)
{
    const char *value = dsc_attribute(pool, element, name, URI_XLINK);

    return value ? value : "";
}

/* The element that a locator points to: "us-gaap-2024.xsd#us-gaap_Assets" is us-gaap:Assets. NULL where it points to none. */
static const char *element_of(apr_pool_t *pool, xmlNode *locator)
{
    const char *mark = strchr(xlink(pool, locator, "href"), '#');
    char *name = mark ? apr_pstrdup(pool, mark + 1) : NULL;
    char *dash = name ? strchr(name, '_') : NULL;

    if (!dash || !dsc_is_xml_name(dash + 1)) {
        return NULL;
    }
    *dash = '\0';
    if (!dsc_is_xml_name(name)) {
        return NULL;
    }
    *dash = ':';
    return name;
}

/* The locators of an extended link: label -> element. */
static apr_hash_t *locators_of(apr_pool_t *pool, xmlNode *link)
{
    apr_hash_t *locators = apr_hash_make(pool);

    for (xmlNode *child = link->children; child; child = child->next) {
        if (child->type == XML_ELEMENT_NODE && dsc_is_element(child, URI_LINK, "loc")) {
            const char *element = element_of(pool, child);

            if (element) {
                apr_hash_set(locators, xlink(pool, child, "label"), APR_HASH_KEY_STRING, element);
            }
        }
    }
    return locators;
}

/* -------------------------------------------------------------------- calculations */

/* An arc, and what decides between several of the same elements in a role. */
typedef struct {
    dsc_calculation_t calculation;
    long priority;
    int is_prohibited;
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
    const char *from = xlink(pool, element, "from"), *to = xlink(pool, element, "to");
    const char *weight = dsc_attribute(pool, element, "weight", NULL);
    const char *priority = dsc_attribute(pool, element, "priority", NULL);
    const char *use = dsc_attribute(pool, element, "use", NULL);

    arc->calculation.role = role;
    arc->calculation.parent = apr_hash_get(locators, from, APR_HASH_KEY_STRING);
    arc->calculation.child = apr_hash_get(locators, to, APR_HASH_KEY_STRING);
    arc->calculation.weight = weight ? dsc_instance_plain(pool, weight) : NULL;
    arc->priority = priority ? strtol(priority, NULL, 10) : 0;
    arc->is_prohibited = use && strcmp(use, "prohibited") == 0;
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

/* Whether an arc stands before another of the same elements (XBRL 2.1, 3.5.3.9.7.5). */
static int stands_before(const arc_t *one, const arc_t *other)
{
    return one->priority > other->priority ||
           (one->priority == other->priority && one->is_prohibited);
}

static const char *take_calculations(dsc_linkbase_t *linkbase, xmlNode *link, apr_hash_t *arcs,
                                     apr_array_header_t *order)
{
    apr_hash_t *locators = locators_of(linkbase->pool, link);
    const char *role = xlink(linkbase->pool, link, "role");

    if (strlen(role) > LONGEST_NAME) {
        return apr_psprintf(linkbase->pool,
                            "line %ld: calculationLink: role is longer than 512 characters",
                            xmlGetLineNo(link));
    }
    for (xmlNode *child = link->children; child; child = child->next) {
        const char *error, *key;
        arc_t *arc, *known;

        if (child->type != XML_ELEMENT_NODE || !dsc_is_element(child, URI_LINK, "calculationArc")) {
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
        } else if (stands_before(arc, known)) {
            *known = *arc;
        }
    }
    return NULL;
}

/* -------------------------------------------------------------------------- labels */

/* A label of a label link. */
typedef struct {
    const char *text;
    int is_standard;
} label_t;

/* The label resources in English: xlink:label -> the best of them, the standard one first. */
static apr_hash_t *resources_of(apr_pool_t *pool, xmlNode *link)
{
    apr_hash_t *resources = apr_hash_make(pool);

    for (xmlNode *child = link->children; child; child = child->next) {
        const char *language, *name;
        label_t *label, *known;

        if (child->type != XML_ELEMENT_NODE || !dsc_is_element(child, URI_LINK, "label")) {
            continue;
        }
        language = dsc_attribute(pool, child, "lang", URI_XML);
        if (language && strncasecmp(language, "en", 2) != 0) {
            continue;
        }
        label = apr_palloc(pool, sizeof(*label));
        label->is_standard = strcmp(xlink(pool, child, "role"), ROLE_LABEL) == 0;
        label->text = dsc_element_text(pool, child);
        name = xlink(pool, child, "label");
        known = apr_hash_get(resources, name, APR_HASH_KEY_STRING);
        if (*label->text && strlen(label->text) <= LONGEST_NAME &&
            (!known || (label->is_standard && !known->is_standard))) {
            apr_hash_set(resources, name, APR_HASH_KEY_STRING, label);
        }
    }
    return resources;
}

/* Labels of elements, a standard one before others: filers may give each its own arc. */
static void take_labels(dsc_linkbase_t *linkbase, xmlNode *link, apr_hash_t *standard)
{
    apr_hash_t *locators = locators_of(linkbase->pool, link);
    apr_hash_t *resources = resources_of(linkbase->pool, link);

    for (xmlNode *child = link->children; child; child = child->next) {
        const char *element;
        const label_t *label;

        if (child->type != XML_ELEMENT_NODE || !dsc_is_element(child, URI_LINK, "labelArc")) {
            continue;
        }
        element = apr_hash_get(locators, xlink(linkbase->pool, child, "from"), APR_HASH_KEY_STRING);
        label = apr_hash_get(resources, xlink(linkbase->pool, child, "to"), APR_HASH_KEY_STRING);
        if (element && label && !apr_hash_get(standard, element, APR_HASH_KEY_STRING)) {
            apr_hash_set(linkbase->labels, element, APR_HASH_KEY_STRING, label->text);
            if (label->is_standard) {
                apr_hash_set(standard, element, APR_HASH_KEY_STRING, label);
            }
        }
    }
}

/* What stands in brackets at the end of labels of members and axes. */
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
        if (child->type == XML_ELEMENT_NODE && dsc_is_element(child, URI_LINK, "definition")) {
            apr_hash_set(linkbase->statements, uri, APR_HASH_KEY_STRING,
                         apr_pstrndup(linkbase->pool, dsc_element_text(linkbase->pool, child),
                                      LONGEST_NAME));
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
        if (dsc_is_element(element, URI_LINK, "calculationLink")) {
            error = take_calculations(linkbase, element, arcs, order);
        } else if (dsc_is_element(element, URI_LINK, "labelLink")) {
            take_labels(linkbase, element, standard);
        } else if (dsc_is_element(element, URI_LINK, "roleType")) {
            take_statement(linkbase, element);
        }
    }
    for (int i = 0; i < order->nelts && !error; i++) {
        const arc_t *arc = APR_ARRAY_IDX(order, i, const arc_t *);

        if (!arc->is_prohibited) {
            APR_ARRAY_PUSH(linkbase->calculations, dsc_calculation_t) = arc->calculation;
        }
    }
    return error;
}
