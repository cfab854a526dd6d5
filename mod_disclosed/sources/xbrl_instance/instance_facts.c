#include "sources/xbrl_instance/instance_facts.h"

#include "engine/buffer.h"
#include "engine/shape.h"
#include "sources/shared/ownership_xml.h"
#include "sources/xbrl_instance/instance_number.h"
#include "sources/xbrl_instance/qualified_name.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_SAMPLE = 200,
    MOST_DECIMALS = 3 /* digits */
};

/* Namespaces of inline XBRL 1.0 and 1.1. */
static const char *const inline_uris[] = {"http://www.xbrl.org/2013/inlineXBRL",
                                          "http://www.xbrl.org/2008/inlineXBRL"};

static int is_inline_element(const xmlNode *element, const char *name)
{
    for (int i = 0; i < DSC_COUNT(inline_uris); i++) {
        if (dsc_is_element(element, inline_uris[i], name)) {
            return 1;
        }
    }
    return 0;
}

int dsc_is_inline(const xmlNode *root)
{
    return strcmp((const char *)root->name, "html") == 0;
}

/* Where a fact is: "line 12", with its id if it has one. */
static const char *where(apr_pool_t *pool, xmlNode *element)
{
    const char *id = dsc_attribute(pool, element, "id", NULL);

    return apr_psprintf(pool, "line %ld%s%.80s", xmlGetLineNo(element), id ? ", id " : "",
                        id ? id : "");
}

static void reject(dsc_instance_t *instance, xmlNode *element, const char *error,
                   const char *sample)
{
    dsc_instance_reject_t *rejected = apr_array_push(instance->rejects);

    rejected->where = where(instance->pool, element);
    rejected->error = error;
    rejected->sample = sample ? apr_pstrndup(instance->pool, sample, LONGEST_SAMPLE) : NULL;
}

/* ------------------------------------------------------------------- what is said of it */

/* Keeps what the filing says of itself: of several such facts the first. */
static void take_text(dsc_instance_t *instance, const char *concept, const char *text)
{
    const struct {
        const char *concept, **place;
    } own[] = {{"dei:EntityRegistrantName", &instance->name},
               {"dei:DocumentType", &instance->form},
               {"dei:DocumentFiscalYearFocus", &instance->fiscal_year},
               {"dei:DocumentFiscalPeriodFocus", &instance->fiscal_period}};

    for (int i = 0; i < DSC_COUNT(own); i++) {
        if (strcmp(concept, own[i].concept) == 0 && !*own[i].place && *text) {
            *own[i].place = text;
        }
    }
}

/* ---------------------------------------------------------------------------- a fact */

/* The context's part of the fact; returns what is wrong with it, or NULL. */
static const char *take_context(dsc_instance_t *instance, xmlNode *element, dsc_xbrl_fact_t *fact)
{
    const char *id = dsc_attribute(instance->pool, element, "contextRef", NULL);
    const dsc_instance_context_t *context =
        id ? apr_hash_get(instance->ids.contexts, id, APR_HASH_KEY_STRING) : NULL;

    if (!context) {
        return apr_psprintf(instance->pool, "contextRef: there is no context %.80s", id ? id : "");
    }
    if (context->error) {
        return apr_psprintf(instance->pool, "contextRef: context %.80s: %s", id, context->error);
    }
    if (strcmp(context->cik, instance->cik) != 0) {
        return apr_psprintf(instance->pool, "contextRef: context %.80s is of another CIK, %s", id,
                            context->cik);
    }
    fact->start_date = context->start_date;
    fact->end_date = context->end_date;
    fact->dimensions = context->dimensions;
    return NULL;
}

static const char *take_unit(dsc_instance_t *instance, xmlNode *element, dsc_xbrl_fact_t *fact)
{
    const char *id = dsc_attribute(instance->pool, element, "unitRef", NULL);

    fact->unit = id ? apr_hash_get(instance->ids.units, id, APR_HASH_KEY_STRING) : NULL;
    return fact->unit && *fact->unit
               ? NULL
               : apr_psprintf(
                     instance->pool,
                     "unitRef: there is no unit %.80s, there are two of it, or it has no measure of up to 256 characters",
                     id ? id : "");
}

/* How exact the number is. An element that states its significant figures instead does not state
 * that here. */
static const char *take_decimals(dsc_instance_t *instance, xmlNode *element, dsc_xbrl_fact_t *fact)
{
    const char *decimals = dsc_attribute(instance->pool, element, "decimals", NULL);
    const char *precision = dsc_attribute(instance->pool, element, "precision", NULL);
    const char *figures = decimals ? decimals + (*decimals == '-') : "";

    if (!decimals) {
        fact->decimals = precision && strcmp(precision, "INF") == 0 ? "INF" : NULL;
        return NULL;
    }
    fact->decimals = decimals;
    return strcmp(decimals, "INF") == 0 || (*figures && strlen(figures) <= MOST_DECIMALS &&
                                            strspn(figures, "0123456789") == strlen(figures))
               ? NULL
               : "decimals: not INF or an integer of up to three digits";
}

/* Adds the number; `amount` is NULL if `error` says why it is none. */
static void add_number(dsc_instance_t *instance, xmlNode *element, const char *concept,
                       const char *amount, const char *error, const char *sample)
{
    const char *colon = strchr(concept, ':');
    dsc_xbrl_fact_t fact = {.concept = concept, .amount = amount, .place = -1};

    if (!error) {
        error =
            dsc_xbrl_name_error(apr_pstrmemdup(instance->pool, concept, (size_t)(colon - concept)),
                                colon + 1);
    }
    error = error ? error : dsc_xbrl_amount_error(amount);
    error = error ? error : take_context(instance, element, &fact);
    error = error ? error : take_unit(instance, element, &fact);
    error = error ? error : take_decimals(instance, element, &fact);
    if (error) {
        reject(instance, element, apr_pstrcat(instance->pool, concept, ": ", error, NULL), sample);
        return;
    }
    fact.where = where(instance->pool, element);
    APR_ARRAY_PUSH(instance->facts, dsc_xbrl_fact_t) = fact;
}

static int is_nil(apr_pool_t *pool, xmlNode *element)
{
    const char *nil = dsc_attribute(pool, element, "nil", DSC_URI_NIL);

    return nil && (strcmp(nil, "true") == 0 || strcmp(nil, "1") == 0);
}

/* ------------------------------------------------------------------ a plain instance */

static void read_element(dsc_instance_t *instance, xmlNode *element)
{
    const char *concept = dsc_element_name(instance->pool, element), *text, *amount;

    if (!dsc_attribute(instance->pool, element, "unitRef", NULL)) {
        instance->texts++;
        if (strncmp(concept, "dei:", strlen("dei:")) == 0) {
            take_text(instance, concept, dsc_element_text(instance->pool, element));
        }
        return;
    }
    if (is_nil(instance->pool, element)) {
        instance->nil++;
        return;
    }
    text = dsc_element_text(instance->pool, element);
    amount = dsc_instance_plain(instance->pool, text);
    add_number(instance, element, concept, amount, amount ? NULL : "not a number", text);
}

static void read_plain(dsc_instance_t *instance, xmlNode *root)
{
    xmlNode *element = root;

    while ((element = dsc_next_element(root, element,
                                       element != root &&
                                           xmlHasProp(element, (const xmlChar *)"contextRef"))) !=
           NULL) {
        if (xmlHasProp(element, (const xmlChar *)"contextRef")) {
            read_element(instance, element);
        }
    }
}

/* ---------------------------------------------------------------------- inline XBRL */

/* The element's text without what ix:exclude takes out of it. */
static const char *inline_text(apr_pool_t *pool, xmlNode *top)
{
    dsc_buffer_t *text = dsc_buffer_create(pool, 64);

    for (xmlNode *node = top->children; node;) {
        xmlNode *next = NULL;

        if (node->type == XML_TEXT_NODE && node->content) {
            dsc_buffer_append_text(text, (const char *)node->content);
        } else if (node->type == XML_ELEMENT_NODE && !is_inline_element(node, "exclude")) {
            next = node->children;
        }
        while (!next && node != top) {
            next = node->next;
            node = next ? node : node->parent;
        }
        node = node == top ? NULL : next;
    }
    return dsc_owned_squeeze(apr_pstrdup(pool, dsc_buffer_text(text)));
}

/* A scale, of at most DSC_MOST_WORK_SLOTS; 0 if it is none. */
static int read_scale(const char *scale, int *places)
{
    char *end;
    long read = strtol(scale, &end, 10);

    *places = (int)read;
    return *scale && !*end && read <= DSC_MOST_WORK_SLOTS && read >= -DSC_MOST_WORK_SLOTS;
}

/* The number as it is meant: by its format, scale and sign. NULL and *error if it is none. */
static const char *inline_amount(apr_pool_t *pool, xmlNode *element, const char *text,
                                 const char **error)
{
    const char *format = dsc_attribute(pool, element, "format", NULL);
    const char *scale = dsc_attribute(pool, element, "scale", NULL);
    const char *sign = dsc_attribute(pool, element, "sign", NULL);
    const char *colon = format ? strrchr(format, ':') : NULL;
    const char *amount = dsc_instance_transformed(pool, colon ? colon + 1 : format, text, error);
    int places = 0;

    if (!amount) {
        return NULL;
    }
    if (scale && !read_scale(scale, &places)) {
        *error = "scale: not an integer from -400 to 400";
        return NULL;
    }
    amount = places != 0 ? dsc_instance_moved(pool, amount, places) : amount;
    if (sign && strcmp(sign, "-") != 0) {
        *error = "sign: can only be -";
        return NULL;
    }
    return !sign ? amount : *amount == '-' ? amount + 1 : apr_pstrcat(pool, "-", amount, NULL);
}

static void read_inline_number(dsc_instance_t *instance, xmlNode *element, const char *concept)
{
    const char *text, *amount, *error = NULL;

    if (is_nil(instance->pool, element)) {
        instance->nil++;
        return;
    }
    text = inline_text(instance->pool, element);
    amount = inline_amount(instance->pool, element, text, &error);
    add_number(instance, element, concept, amount, error, text);
}

static void read_inline(dsc_instance_t *instance, xmlNode *root)
{
    xmlNode *element = root;

    while ((element = dsc_next_element(root, element, 0)) != NULL) {
        int is_number = is_inline_element(element, "nonFraction");
        const char *name;

        if (!is_number && !is_inline_element(element, "nonNumeric") &&
            !is_inline_element(element, "fraction")) {
            continue;
        }
        name = dsc_attribute(instance->pool, element, "name", NULL);
        name = name ? dsc_qualified_name(instance->pool, element, name) : NULL;
        if (!name) {
            reject(instance, element, "name: missing, or of no namespace", NULL);
        } else if (is_number) {
            read_inline_number(instance, element, name);
        } else if (is_inline_element(element, "fraction")) {
            reject(instance, element,
                   apr_pstrcat(instance->pool, name, ": a fraction, which is not read", NULL),
                   NULL);
        } else {
            instance->texts++;
            if (strncmp(name, "dei:", strlen("dei:")) == 0) {
                take_text(instance, name, inline_text(instance->pool, element));
            }
        }
    }
}

/* ------------------------------------------------------------------------ the whole */

/* The filer is that of most contexts: the entity of all of them (EDGAR Filer Manual 6.5.3). */
static const char *filer_of(apr_pool_t *pool, apr_hash_t *contexts)
{
    const char *filer = NULL;
    apr_hash_t *counts = apr_hash_make(pool);
    apr_uintptr_t most = 0;

    for (apr_hash_index_t *at = apr_hash_first(pool, contexts); at; at = apr_hash_next(at)) {
        const dsc_instance_context_t *context = apr_hash_this_val(at);
        apr_uintptr_t count;

        if (!context->cik) {
            continue;
        }
        count = 1 + (apr_uintptr_t)apr_hash_get(counts, context->cik, APR_HASH_KEY_STRING);
        apr_hash_set(counts, context->cik, APR_HASH_KEY_STRING, (const void *)count);
        if (count > most || (filer && count == most && strcmp(context->cik, filer) < 0)) {
            most = count;
            filer = context->cik;
        }
    }
    return filer;
}

dsc_instance_t *dsc_instance_read(apr_pool_t *pool, xmlNode *root)
{
    dsc_instance_t *instance = apr_pcalloc(pool, sizeof(*instance));

    instance->pool = pool;
    instance->facts = apr_array_make(pool, 256, sizeof(dsc_xbrl_fact_t));
    instance->rejects = apr_array_make(pool, 4, sizeof(dsc_instance_reject_t));
    dsc_instance_ids(pool, root, &instance->ids);
    instance->cik = filer_of(pool, instance->ids.contexts);
    if (!instance->cik) {
        return instance;
    }
    if (dsc_is_inline(root)) {
        read_inline(instance, root);
    } else {
        read_plain(instance, root);
    }
    return instance;
}
