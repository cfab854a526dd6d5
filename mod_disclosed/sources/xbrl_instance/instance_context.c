#include "sources/xbrl_instance/instance_context.h"

#include "engine/calendar.h"
#include "engine/dataset.h"
#include "loader/loader_value.h"
#include "sources/shared/ownership_xml.h"
#include "sources/shared/xbrl_report_record.h"
#include "sources/xbrl_instance/qualified_name.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DATE_LENGTH = 10,
    SECONDS_OF_DAY = 86400,
    CIK_DIGITS = 10
};

xmlNode *dsc_next_element(const xmlNode *top, xmlNode *element, int skip)
{
    xmlNode *next = skip ? NULL : element->children;

    for (;;) {
        while (!next && element && element != top) {
            next = element->next;
            element = next ? element : element->parent;
        }
        if (!next || next->type == XML_ELEMENT_NODE) {
            return next;
        }
        element = next;
        next = NULL;
    }
}

const char *dsc_attribute(apr_pool_t *pool, xmlNode *element, const char *name, const char *uri)
{
    xmlChar *value = uri ? xmlGetNsProp(element, (const xmlChar *)name, (const xmlChar *)uri)
                         : xmlGetNoNsProp(element, (const xmlChar *)name);
    const char *copy = value ? apr_pstrdup(pool, (const char *)value) : NULL;

    xmlFree(value);
    return copy;
}

const char *dsc_element_text(apr_pool_t *pool, xmlNode *element)
{
    xmlChar *content = xmlNodeGetContent(element);
    char *copy = apr_pstrdup(pool, content ? (const char *)content : "");

    xmlFree(content);
    return dsc_owned_squeeze(copy);
}

int dsc_is_element(const xmlNode *element, const char *uri, const char *name)
{
    return element->ns && element->ns->href && strcmp((const char *)element->ns->href, uri) == 0 &&
           strcmp((const char *)element->name, name) == 0;
}

/* ------------------------------------------------------------------------- periods */

/* Whether the text is empty or a time zone: Z, or hours and minutes. A day is the one that is
 * written, whatever the zone. */
static int is_zone(const char *text)
{
    return !*text || strcmp(text, "Z") == 0 ||
           (strlen(text) == strlen("+00:00") && (*text == '+' || *text == '-') &&
            apr_isdigit(text[1]) && apr_isdigit(text[2]) && text[3] == ':' &&
            apr_isdigit(text[4]) && apr_isdigit(text[5]));
}

/* The time of day, "T03:30:00" or "T24:00:00.0Z", in seconds, a fraction counted as one. -1: it is
 * none. */
static int seconds_of(const char *time)
{
    int hour, minute, second, length = 0;

    if (sscanf(time, "T%2d:%2d:%2d%n", &hour, &minute, &second, &length) != 3 ||
        length != (int)strlen("T00:00:00") || !apr_isdigit(time[1]) || !apr_isdigit(time[4]) ||
        !apr_isdigit(time[7]) || hour > 24 || minute > 59 || second > 60) {
        return -1;
    }
    time += length;
    if (*time == '.') {
        size_t digits = strspn(time + 1, "0123456789");

        second += strspn(time + 1, "0") < digits;
        time += 1 + digits;
    }
    return is_zone(time) ? 3600 * hour + 60 * minute + second : -1;
}

/* A date, or that of a date with a time; of an end at midnight it is the day before, and 24:00 is
 * the beginning of the next day (XBRL 2.1, section 4.7.2). NULL if it is none. */
static const char *date_of(apr_pool_t *pool, const char *text, int is_end)
{
    const char *date = apr_pstrndup(pool, text, DATE_LENGTH), *time = text + strlen(date);
    int seconds, day;

    if (strlen(date) != DATE_LENGTH || date[4] != '-' || date[7] != '-' ||
        dsc_value_error(DSC_COLUMN_DATE, date)) {
        return NULL;
    }
    if (is_zone(time)) {
        return date;
    }
    seconds = seconds_of(time);
    if (seconds < 0 || seconds > SECONDS_OF_DAY) {
        return NULL;
    }
    day = dsc_day_of_text(date) + (seconds == SECONDS_OF_DAY) -
          (is_end && (seconds == 0 || seconds == SECONDS_OF_DAY));
    return day < dsc_day(1, 1, 1) || day > dsc_day(9999, 12, 31) ? NULL : dsc_day_text(pool, day);
}

/* Returns what is wrong with the period, or NULL. */
static const char *read_period(apr_pool_t *pool, xmlNode *period, dsc_instance_context_t *context)
{
    xmlNode *instant = dsc_owned_next(period, NULL, "instant");
    xmlNode *start = dsc_owned_next(period, NULL, "startDate");
    xmlNode *end = dsc_owned_next(period, NULL, "endDate");

    if (instant) {
        context->start_date = "";
        context->end_date = date_of(pool, dsc_element_text(pool, instant), 1);
        return context->end_date ? NULL : "its instant is not a date";
    }
    if (!start || !end) {
        return dsc_owned_next(period, NULL, "forever") ? "its period is forever"
                                                       : "its period is not told";
    }
    context->start_date = date_of(pool, dsc_element_text(pool, start), 0);
    context->end_date = date_of(pool, dsc_element_text(pool, end), 1);
    return !context->start_date || !context->end_date           ? "its period is not of two dates"
           : strcmp(context->start_date, context->end_date) > 0 ? "its period ends before it begins"
                                                                : NULL;
}

/* ---------------------------------------------------------------------- dimensions */

/* A text in which signs that have a meaning in dimensions are percent-encoded. */
static const char *encoded(apr_pool_t *pool, const char *text)
{
    char *copy = apr_palloc(pool, 3 * strlen(text) + 1), *end = copy;

    for (; *text; text++) {
        if (strchr("%;=", *text)) {
            end += apr_snprintf(end, 4, "%%%02X", (unsigned char)*text);
        } else {
            *end++ = *text;
        }
    }
    *end = '\0';
    return *copy ? copy : "nil";
}

static int is_part(const xmlNode *element)
{
    return strcmp((const char *)element->name, "segment") == 0 ||
           strcmp((const char *)element->name, "scenario") == 0;
}

/* What a child of a segment or scenario says: "axis=member". NULL if a name in it is of no
 * namespace. Before there were dimensions, segments had elements of their own. */
static const char *dimension_of(apr_pool_t *pool, xmlNode *element)
{
    const char *axis = dsc_attribute(pool, element, "dimension", NULL), *member;

    if (!axis) {
        return apr_pstrcat(pool, dsc_element_name(pool, element), "=",
                           encoded(pool, dsc_element_text(pool, element)), NULL);
    }
    axis = dsc_qualified_name(pool, element, axis);
    member = dsc_element_text(pool, element);
    member = dsc_is_element(element, DSC_URI_DIMENSIONS, "explicitMember")
                 ? dsc_qualified_name(pool, element, member)
                 : encoded(pool, member);
    return axis && member ? apr_pstrcat(pool, axis, "=", member, NULL) : NULL;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Returns what is wrong with the dimensions, or NULL. */
static const char *read_dimensions(apr_pool_t *pool, xmlNode *context_element,
                                   dsc_instance_context_t *context)
{
    apr_array_header_t *all = apr_array_make(pool, 4, sizeof(const char *));
    xmlNode *element = context_element;

    while ((element = dsc_next_element(context_element, element, 0)) != NULL) {
        const char *dimension = is_part(element->parent) ? dimension_of(pool, element) : "";

        if (!dimension) {
            return "a dimension of it has a name of no namespace";
        }
        if (*dimension) {
            APR_ARRAY_PUSH(all, const char *) = dimension;
        }
    }
    if (all->nelts > 1) {
        qsort(all->elts, (size_t)all->nelts, sizeof(const char *), compare_texts);
    }
    context->dimensions = all->nelts > 0 ? apr_array_pstrcat(pool, all, ';') : NULL;
    return context->dimensions && strlen(context->dimensions) > DSC_LONGEST_DIMENSIONS
               ? "its dimensions are longer than 4096 characters"
               : NULL;
}

/* ------------------------------------------------------------------------- contexts */

static const char *cik_of(apr_pool_t *pool, xmlNode *entity)
{
    xmlNode *identifier = entity ? dsc_owned_next(entity, NULL, "identifier") : NULL;
    const char *scheme = identifier ? dsc_attribute(pool, identifier, "scheme", NULL) : NULL;
    const char *cik = identifier ? dsc_element_text(pool, identifier) : "";
    size_t length = strlen(cik);

    if (!scheme || !strstr(scheme, "sec.gov/CIK") || length == 0 || length > CIK_DIGITS ||
        strspn(cik, "0123456789") != length || strspn(cik, "0") == length) {
        return NULL;
    }
    return cik + strspn(cik, "0");
}

static dsc_instance_context_t *read_context(apr_pool_t *pool, xmlNode *element)
{
    dsc_instance_context_t *context = apr_pcalloc(pool, sizeof(*context));
    xmlNode *period = dsc_owned_next(element, NULL, "period");

    context->cik = cik_of(pool, dsc_owned_next(element, NULL, "entity"));
    context->error = !context->cik ? "its entity is not a CIK"
                     : !period     ? "its period is not told"
                                   : read_period(pool, period, context);
    if (!context->error) {
        context->error = read_dimensions(pool, element, context);
    }
    return context;
}

/* ---------------------------------------------------------------------------- units */

/* Measures, with a star between; their names are those of companyfacts: without prefix. NULL if
 * there is none. */
static const char *measures_of(apr_pool_t *pool, xmlNode *parent)
{
    const char *all = NULL;
    xmlNode *measure = NULL;

    while ((measure = dsc_owned_next(parent, measure, "measure")) != NULL) {
        const char *name = dsc_element_text(pool, measure), *colon = strrchr(name, ':');

        name = colon ? colon + 1 : name;
        if (!*name) {
            return NULL;
        }
        all = all ? apr_pstrcat(pool, all, "*", name, NULL) : name;
    }
    return all;
}

static const char *read_unit(apr_pool_t *pool, xmlNode *element)
{
    xmlNode *divide = dsc_owned_next(element, NULL, "divide");
    xmlNode *above = divide ? dsc_owned_next(divide, NULL, "unitNumerator") : NULL;
    xmlNode *below = divide ? dsc_owned_next(divide, NULL, "unitDenominator") : NULL;
    const char *numerator, *denominator;

    if (!divide) {
        return measures_of(pool, element);
    }
    numerator = above ? measures_of(pool, above) : NULL;
    denominator = below ? measures_of(pool, below) : NULL;
    return numerator && denominator ? apr_pstrcat(pool, numerator, "/", denominator, NULL) : NULL;
}

static void take_context(apr_pool_t *pool, xmlNode *element, const char *id, apr_hash_t *contexts)
{
    dsc_instance_context_t *known = apr_hash_get(contexts, id, APR_HASH_KEY_STRING);

    if (known) {
        known->error = "there are two of its id";
    } else {
        apr_hash_set(contexts, id, APR_HASH_KEY_STRING, read_context(pool, element));
    }
}

void dsc_instance_ids(apr_pool_t *pool, xmlNode *root, dsc_instance_ids_t *ids)
{
    xmlNode *element = root;

    ids->contexts = apr_hash_make(pool);
    ids->units = apr_hash_make(pool);
    while ((element = dsc_next_element(root, element, 0)) != NULL) {
        int is_context = dsc_is_element(element, DSC_URI_INSTANCE, "context");
        const char *id = is_context || dsc_is_element(element, DSC_URI_INSTANCE, "unit")
                             ? dsc_attribute(pool, element, "id", NULL)
                             : NULL;

        if (id && is_context) {
            take_context(pool, element, id, ids->contexts);
        } else if (id) {
            const char *unit =
                apr_hash_get(ids->units, id, APR_HASH_KEY_STRING) ? NULL : read_unit(pool, element);

            unit = unit && strlen(unit) <= DSC_LONGEST_UNIT ? unit : "";
            apr_hash_set(ids->units, id, APR_HASH_KEY_STRING, unit);
        }
    }
}
