/* The values of a holding: Part C of Form N-PORT. */
#include "sources/sec_nport/nport_holding.h"

#include "engine/shape.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    CUSIP_LENGTH = 9,
    ISIN_LENGTH = 12
};

#define FIELD(path, type, member)                                                                  \
    {                                                                                              \
        path, type, offsetof(dsc_nport_holding_t, member)                                          \
    }

/* Where an item has a condition, it is in attributes of another element. */
static const dsc_owned_field_t holding_fields[] = {
    FIELD("name", DSC_OWNED_TEXT, name),
    FIELD("title", DSC_OWNED_TEXT, title),
    FIELD("lei", DSC_OWNED_TEXT, lei),
    FIELD("cusip", DSC_OWNED_TEXT, cusip),
    FIELD("balance", DSC_OWNED_NUMBER, balance),
    FIELD("units", DSC_OWNED_TEXT, unit),
    FIELD("descOthUnits", DSC_OWNED_TEXT, unit_description),
    FIELD("curCd", DSC_OWNED_TEXT, currency),
    FIELD("currencyConditional@curCd", DSC_OWNED_TEXT, currency),
    FIELD("currencyConditional@exchangeRt", DSC_OWNED_NUMBER, exchange_rate),
    FIELD("valUSD", DSC_OWNED_NUMBER, value),
    FIELD("pctVal", DSC_OWNED_NUMBER, weight_pct),
    FIELD("payoffProfile", DSC_OWNED_TEXT, payoff_profile),
    FIELD("assetCat", DSC_OWNED_TEXT, asset_category),
    FIELD("assetConditional@assetCat", DSC_OWNED_TEXT, asset_category),
    FIELD("assetConditional@desc", DSC_OWNED_TEXT, asset_description),
    FIELD("issuerCat", DSC_OWNED_TEXT, issuer_category),
    FIELD("issuerConditional@issuerCat", DSC_OWNED_TEXT, issuer_category),
    FIELD("issuerConditional@desc", DSC_OWNED_TEXT, issuer_description),
    FIELD("invCountry", DSC_OWNED_TEXT, country),
    FIELD("isRestrictedSec", DSC_OWNED_BOOLEAN, is_restricted),
    FIELD("fairValLevel", DSC_OWNED_TEXT, fair_value_level),
};

/* What else appears once in a holding; its other identifiers may be several of a kind. */
static const char *const holding_once[] = {"identifiers", "identifiers/isin", "derivativeInfo"};

/* The value of an attribute, trimmed; NULL when it is absent or empty. */
static const char *attribute_text(apr_pool_t *pool, xmlNode *element, const char *name)
{
    xmlChar *value = element ? xmlGetNoNsProp(element, (const xmlChar *)name) : NULL;
    const char *start = value ? (const char *)value : "";
    const char *end = start + strlen(start);
    const char *text;

    while (apr_isspace(*start)) {
        start++;
    }
    while (end > start && apr_isspace(end[-1])) {
        end--;
    }
    text = apr_pstrmemdup(pool, start, (apr_size_t)(end - start));
    xmlFree(value);
    return *text ? text : NULL;
}

static const char *text_at(apr_pool_t *pool, xmlNode *element, const char *path)
{
    const char *at = strchr(path, '@');

    if (!at) {
        return dsc_owned_text(pool, dsc_owned_find(element, path));
    }
    return attribute_text(
        pool, dsc_owned_find(element, apr_pstrmemdup(pool, path, (apr_size_t)(at - path))), at + 1);
}

static int is_none(const char *text)
{
    return strcasecmp(text, "N/A") == 0;
}

static const char *last_name(const char *path)
{
    const char *end = path + strlen(path);

    while (end > path && end[-1] != '/' && end[-1] != '@') {
        end--;
    }
    return end;
}

void dsc_nport_read(apr_pool_t *pool, xmlNode *element, const dsc_owned_field_t *fields, int count,
                    void *into, const char **error, const char **sample)
{
    for (int i = 0; i < count; i++) {
        const char **slot = (const char **)(void *)((char *)into + fields[i].offset);
        const char *text = text_at(pool, element, fields[i].path);
        const char *path = apr_pstrmemdup(pool, fields[i].path, strcspn(fields[i].path, "@"));
        const char *reason = *slot ? NULL : dsc_owned_twin_error(pool, element, path);

        if (reason && !*error) {
            *error = reason;
        }
        if (*slot || reason || !text || is_none(text)) {
            continue;
        }
        if (fields[i].type == DSC_OWNED_BOOLEAN && strchr("YN", *text) && !text[1]) {
            text = *text == 'Y' ? "1" : "0";
        }
        *slot = dsc_owned_value(pool, last_name(fields[i].path), text, fields[i].type, &reason);
        if (reason && !*error) {
            *error = reason;
            *sample = text;
        }
    }
}

/* -------------------------------------------------------------- identifiers */

static const char *upper(apr_pool_t *pool, const char *text)
{
    char *copy = apr_pstrdup(pool, text);

    for (char *at = copy; at && *at; at++) {
        *at = (char)apr_toupper(*at);
    }
    return copy;
}

/* Whether the text is `length` capitals, digits and characters of `others`. */
static int has_form(const char *text, size_t length, const char *others)
{
    for (size_t i = 0; i < length; i++) {
        if (!apr_isdigit(text[i]) && !apr_isupper(text[i]) &&
            (!text[i] || !strchr(others, text[i]))) {
            return 0;
        }
    }
    return text[length] == '\0';
}

static void keep_other(json_t *others, const char *type, const char *value)
{
    json_array_append_new(others, json_pack("{s:s, s:s}", "type", type, "value", value));
}

void dsc_nport_cusip(apr_pool_t *pool, dsc_nport_holding_t *holding, json_t *others)
{
    const char *cusip = upper(pool, holding->cusip);

    holding->cusip = NULL;
    if (!cusip || strspn(cusip, "0") == strlen(cusip)) {
        return;
    }
    if (has_form(cusip, CUSIP_LENGTH, "*@#")) {
        holding->cusip = cusip;
    } else {
        keep_other(others, "cusip", cusip);
    }
}

void dsc_nport_identifier(apr_pool_t *pool, const char *kind, const char *value,
                          const char *description, dsc_nport_holding_t *holding, json_t *others)
{
    if (!value || is_none(value)) {
        return;
    }
    if (strcmp(kind, "isin") == 0 && has_form(upper(pool, value), ISIN_LENGTH, "")) {
        if (holding->isin && strcasecmp(holding->isin, value) != 0 && !holding->error) {
            holding->error = "isin stands more than once";
            holding->sample = apr_pstrdup(pool, value);
        }
        holding->isin = holding->isin ? holding->isin : upper(pool, value);
    } else if (strcmp(kind, "ticker") == 0 && !holding->ticker) {
        holding->ticker = upper(pool, value);
    } else {
        keep_other(others, description ? description : kind, value);
    }
}

const char *dsc_nport_others(apr_pool_t *pool, json_t *others)
{
    const char *copy = NULL;
    char *text;

    if (json_array_size(others) > 0 && (text = json_dumps(others, JSON_COMPACT))) {
        copy = apr_pstrdup(pool, text);
        free(text);
    }
    json_decref(others);
    return copy;
}

static void read_identifiers(apr_pool_t *pool, xmlNode *element, dsc_nport_holding_t *holding)
{
    xmlNode *parent = dsc_owned_find(element, "identifiers"), *one = NULL;
    json_t *others = json_array();

    dsc_nport_cusip(pool, holding, others);
    while (parent && (one = dsc_owned_next(parent, one, NULL)) != NULL) {
        dsc_nport_identifier(pool, (const char *)one->name, attribute_text(pool, one, "value"),
                             attribute_text(pool, one, "otherDesc"), holding, others);
    }
    holding->other_identifiers = dsc_nport_others(pool, others);
}

void dsc_nport_read_holding(apr_pool_t *pool, xmlNode *element, dsc_nport_holding_t *holding)
{
    dsc_nport_read(pool, element, holding_fields, DSC_COUNT(holding_fields), holding,
                   &holding->error, &holding->sample);
    if (!holding->error) {
        holding->error =
            dsc_owned_twins_error(pool, element, holding_once, DSC_COUNT(holding_once));
    }
    read_identifiers(pool, element, holding);
    holding->derivative_category =
        attribute_text(pool, dsc_owned_next(dsc_owned_find(element, "derivativeInfo"), NULL, NULL),
                       "derivCat");
}
