#include "sources/shared/ownership_xml.h"

#include "engine/calendar.h"
#include "engine/decimal.h"
#include "formats/market_date.h"
#include "sources/shared/thousands.h"

#include <apr_strings.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The name without its prefix: libxml2 leaves a prefix on that the document does not declare. */
const char *dsc_owned_local_name(const xmlNode *node)
{
    const char *colon = strrchr((const char *)node->name, ':');

    return colon ? colon + 1 : (const char *)node->name;
}

xmlNode *dsc_owned_next(xmlNode *parent, xmlNode *previous, const char *name)
{
    xmlNode *node = previous ? previous->next : parent ? parent->children : NULL;

    while (node && (node->type != XML_ELEMENT_NODE ||
                    (name && strcmp(dsc_owned_local_name(node), name) != 0))) {
        node = node->next;
    }
    return node;
}

/* Follows a path; *twin is the first element on it that has a sibling of its name. */
static xmlNode *follow(xmlNode *element, const char *path, xmlNode **twin)
{
    char name[64];

    *twin = NULL;
    while (element && *path) {
        size_t length = strcspn(path, "/");
        xmlNode *parent = element;

        if (length >= sizeof name) {
            return NULL;
        }
        memcpy(name, path, length);
        name[length] = '\0';
        element = dsc_owned_next(parent, NULL, name);
        if (element && !*twin && dsc_owned_next(parent, element, name)) {
            *twin = element;
        }
        path += length + (path[length] == '/');
    }
    return element;
}

xmlNode *dsc_owned_find(xmlNode *element, const char *path)
{
    xmlNode *twin;

    return follow(element, path, &twin);
}

const char *dsc_owned_twice(apr_pool_t *pool, const char *name)
{
    return apr_psprintf(pool, "%.80s stands more than once", name);
}

const char *dsc_owned_twin_error(apr_pool_t *pool, xmlNode *element, const char *path)
{
    xmlNode *twin, *found = follow(element, path, &twin);

    if (!twin && found && dsc_owned_find(found, "value")) {
        (void)follow(found, "value", &twin);
    }
    return twin ? dsc_owned_twice(pool, dsc_owned_local_name(twin)) : NULL;
}

const char *dsc_owned_twins_error(apr_pool_t *pool, xmlNode *element, const char *const *paths,
                                  int count)
{
    const char *error = NULL;

    for (int i = 0; i < count && !error; i++) {
        error = dsc_owned_twin_error(pool, element, paths[i]);
    }
    return error;
}

char *dsc_owned_squeeze(char *text)
{
    char *out = text;

    for (const char *in = text; *in; in++) {
        if (!isspace((unsigned char)*in)) {
            *out++ = *in;
        } else if (out > text && out[-1] != ' ') {
            *out++ = ' ';
        }
    }
    if (out > text && out[-1] == ' ') {
        out--;
    }
    *out = '\0';
    return text;
}

int dsc_owned_has_text(const xmlNode *element)
{
    for (const xmlNode *node = element->children; node; node = node->next) {
        if ((node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE) &&
            !xmlIsBlankNode(node)) {
            return 1;
        }
    }
    return 0;
}

/* The text directly in an element, that of its children left out. */
static char *own_text(apr_pool_t *pool, const xmlNode *element)
{
    size_t length = 0;
    char *text = NULL;

    for (int pass = 0; pass < 2; pass++) {
        for (const xmlNode *node = element->children; node; node = node->next) {
            if ((node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE) &&
                node->content) {
                size_t more = strlen((const char *)node->content);

                if (text) {
                    memcpy(text + length, node->content, more);
                }
                length += more;
            }
        }
        if (!text) {
            text = apr_palloc(pool, length + 1);
            text[length] = '\0';
            length = 0;
        }
    }
    return text;
}

const char *dsc_owned_text(apr_pool_t *pool, xmlNode *element)
{
    xmlNode *value;
    char *text;

    if (!element) {
        return NULL;
    }
    value = dsc_owned_next(element, NULL, "value");
    text = dsc_owned_squeeze(own_text(pool, value ? value : element));
    return *text ? text : NULL;
}

/* -------------------------------------------------------------------- types */

static const char *read_text(apr_pool_t *pool, const char *text)
{
    (void)pool;
    return text;
}

/* xs:decimal, though exponents are taken as well; far more digits than any amount has are none. */
static const char *read_number(apr_pool_t *pool, const char *text)
{
    dsc_decimal_t number;

    (void)pool;
    return strlen(text) <= 100 && dsc_decimal_parse(text, strlen(text), &number) &&
                   labs(number.exponent) <= 100
               ? text
               : NULL;
}

/* xs:date has an optional zone: Z, +05:00 or -05:00. */
static int is_zone(const char *text)
{
    if (*text == '\0' || strcmp(text, "Z") == 0) {
        return 1;
    }
    return strlen(text) == 6 && (*text == '+' || *text == '-') && isdigit((unsigned char)text[1]) &&
           isdigit((unsigned char)text[2]) && text[3] == ':' && isdigit((unsigned char)text[4]) &&
           isdigit((unsigned char)text[5]);
}

static const char *read_date(apr_pool_t *pool, const char *text)
{
    int year, month, day;

    if (strlen(text) < 10 || strspn(text, "0123456789") != 4 || text[4] != '-' ||
        strspn(text + 5, "0123456789") != 2 || text[7] != '-' ||
        strspn(text + 8, "0123456789") != 2 || !is_zone(text + 10)) {
        return NULL;
    }
    year = atoi(text);
    month = atoi(text + 5);
    day = atoi(text + 8);
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > dsc_month_length(year, month)) {
        return NULL;
    }
    return apr_pstrmemdup(pool, text, 10);
}

static const char *read_boolean(apr_pool_t *pool, const char *text)
{
    static const struct {
        const char *spelling, *value;
    } booleans[] = {{"0", "f"}, {"1", "t"}, {"false", "f"}, {"true", "t"}};

    (void)pool;
    for (size_t i = 0; i < sizeof booleans / sizeof booleans[0]; i++) {
        if (strcasecmp(text, booleans[i].spelling) == 0) {
            return booleans[i].value;
        }
    }
    return NULL;
}

static const char *read_cik(apr_pool_t *pool, const char *text)
{
    const char *digits = text + strspn(text, "0");
    size_t length = strlen(digits);

    (void)pool;
    return length > 0 && length <= 10 && strspn(digits, "0123456789") == length ? digits : NULL;
}

static const char *read_amount(apr_pool_t *pool, const char *text)
{
    size_t length = strlen(text);

    if (length > 1 && text[length - 1] == '%') {
        length -= text[length - 2] == ' ' ? 2 : 1;
        text = apr_pstrmemdup(pool, text, length);
    }
    text = *text == '-' ? NULL : dsc_without_thousands(pool, text);
    return text ? read_number(pool, text) : NULL;
}

static const char *read_us_date(apr_pool_t *pool, const char *text)
{
    char *slashes = apr_pstrdup(pool, text);

    if (strlen(text) != 10) {
        return read_date(pool, text);
    }
    if (text[2] == '-' && text[5] == '-') {
        slashes[2] = slashes[5] = '/';
    }
    return slashes[2] == '/' ? dsc_plain_date(pool, slashes) : read_date(pool, text);
}

static const char *read_yes_no(apr_pool_t *pool, const char *text)
{
    return strcasecmp(text, "Y") == 0   ? "t"
           : strcasecmp(text, "N") == 0 ? "f"
                                        : read_boolean(pool, text);
}

static const struct {
    const char *(*read)(apr_pool_t *pool, const char *text);
    const char *what;
} owned_types[] = {
    [DSC_OWNED_TEXT] = {read_text, "a text"},
    [DSC_OWNED_NUMBER] = {read_number, "a number"},
    [DSC_OWNED_DATE] = {read_date, "a date"},
    [DSC_OWNED_BOOLEAN] = {read_boolean, "true, false, 1 or 0"},
    [DSC_OWNED_CIK] = {read_cik, "a CIK"},
    [DSC_OWNED_AMOUNT] = {read_amount, "a number of zero or more"},
    [DSC_OWNED_US_DATE] = {read_us_date, "a date"},
    [DSC_OWNED_YES_NO] = {read_yes_no, "Y, N, true, false, 1 or 0"},
};

const char *dsc_owned_value(apr_pool_t *pool, const char *element, const char *text,
                            dsc_owned_type_t type, const char **error)
{
    const char *value = owned_types[type].read(pool, text);

    if (!value) {
        *error =
            apr_psprintf(pool, "%s \"%.80s\" is not %s", element, text, owned_types[type].what);
    }
    return value;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

void dsc_owned_read(apr_pool_t *pool, xmlNode *element, const dsc_owned_field_t *fields, int count,
                    void *into, const char **error, const char **sample)
{
    for (int i = 0; i < count; i++) {
        const char **slot = (const char **)(void *)((char *)into + fields[i].offset);
        const char *text = dsc_owned_text(pool, dsc_owned_find(element, fields[i].path));
        const char *reason = dsc_owned_twin_error(pool, element, fields[i].path);

        if (text && !reason) {
            *slot = dsc_owned_value(pool, last_name(fields[i].path), text, fields[i].type, &reason);
        }
        if (reason && !*error) {
            *error = reason;
            if (sample) {
                *sample = text;
            }
        }
    }
}
