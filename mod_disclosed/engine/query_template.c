#include "engine/query_template.h"

#include "engine/shape_walk.h"

#include <apr_strings.h>

void dsc_query_bind(dsc_query_t *query, const char *value)
{
    APR_ARRAY_PUSH(query->bound, const char *) = value;
}

void dsc_query_begin(const dsc_call_t *call, dsc_query_t *query)
{
    memset(query, 0, sizeof(*query));
    query->sql = dsc_buffer_create(dsc_call_query_pool(call), 4096);
    query->bound = apr_array_make(dsc_call_query_pool(call), 8, sizeof(const char *));
}

void dsc_call_in_force(const dsc_call_t *call, dsc_buffer_t *sql, apr_array_header_t *bound,
                       const char *alias)
{
    if (!call->as_of) {
        dsc_buffer_append_text(sql, alias);
        dsc_buffer_append_text(sql, ".superseded_at IS NULL");
        return;
    }
    dsc_buffer_printf(sql,
                      "(%s.known_at <= %%s::timestamptz AND (%s.superseded_at IS NULL OR "
                      "%s.superseded_at > %%s::timestamptz))",
                      alias, alias, alias);
    APR_ARRAY_PUSH(bound, const char *) = call->as_of;
    APR_ARRAY_PUSH(bound, const char *) = call->as_of;
}

/* --------------------------------------------------------------------- values */

/* SQL types that parameter types are bound as. */
static const char *const sql_types[] = {
    [DSC_INTEGER] = "bigint",
    [DSC_NUMBER] = "numeric",
    [DSC_BOOLEAN] = "boolean",
    [DSC_DATE] = "date",
    [DSC_DATETIME] = "timestamptz",
    [DSC_STRING] = "text",
    [DSC_LITERAL] = "text",
    [DSC_SYMBOL] = "text",
    [DSC_CIK] = "text",
    [DSC_ACCESSION] = "text",
    [DSC_URL] = "text",
};

const char *dsc_query_type(apr_pool_t *pool, const dsc_parameter_t *parameter)
{
    if (parameter->flags & DSC_RESOLVED) {
        return parameter->flags & DSC_LISTING ? "text" : "bigint";
    }
    if (parameter->flags & DSC_REPEATABLE) {
        return apr_pstrcat(pool, sql_types[parameter->type], "[]", NULL);
    }
    return sql_types[parameter->type];
}

const char *dsc_array_literal(apr_pool_t *pool, const apr_array_header_t *list)
{
    dsc_buffer_t *text = dsc_buffer_create(pool, 128);
    int i;
    for (i = 0; i < list->nelts; i++) {
        const char *p = APR_ARRAY_IDX(list, i, const char *);
        if (!p) {
            dsc_buffer_append_text(text, i ? ",NULL" : "{NULL");
            continue;
        }
        dsc_buffer_append_text(text, i ? ",\"" : "{\"");
        for (; *p; p++) {
            if (*p == '"' || *p == '\\') {
                dsc_buffer_append_char(text, '\\');
            }
            dsc_buffer_append_char(text, *p);
        }
        dsc_buffer_append_char(text, '"');
    }
    dsc_buffer_append_text(text, list->nelts ? "}" : "{}");
    return dsc_buffer_text(text);
}

static const char *company_number(const dsc_call_t *call)
{
    return apr_psprintf(dsc_call_query_pool(call), "%" APR_INT64_T_FMT,
                        (apr_int64_t)call->company.issuer_id);
}

const char *dsc_query_value(const dsc_call_t *call, const dsc_parameter_t *parameter,
                            const dsc_value_t *value)
{
    if (parameter->flags & DSC_LISTING) {
        return call->company.symbol;
    }
    if (parameter->flags & DSC_RESOLVED) {
        return company_number(call);
    }
    return parameter->flags & DSC_REPEATABLE
               ? dsc_array_literal(dsc_call_query_pool(call), value->list)
               : value->text;
}

void dsc_query_append_parameter(const dsc_call_t *call, dsc_query_t *query, const char *name)
{
    const dsc_value_t *value = dsc_call_value(call, name);
    const dsc_parameter_t *parameter = &call->endpoint->parameters[value - call->values];
    const char *text = NULL;
    if (value->present && value->out_of_range) {
        text = apr_psprintf(dsc_call_query_pool(call), "%" APR_INT64_T_FMT,
                            (apr_int64_t)value->integer);
    } else if (value->present) {
        text = dsc_query_value(call, parameter, value);
    }
    dsc_buffer_append_text(query->sql, "%s::");
    dsc_buffer_append_text(query->sql, dsc_query_type(dsc_call_query_pool(call), parameter));
    dsc_query_bind(query, text);
}

/* ---------------------------------------------------------------- what is in braces */

/* A text in braces; it is replaced by what its kind appends. */
typedef struct {
    const dsc_call_t *call;
    dsc_query_t *query;
    const char *inner; /* what is behind the kind */
    const char *type;  /* what each "?" in it is bound as, and to: see dsc_query_append() */
    const char *value;
} braces_t;

static void append_inner(const braces_t *braces)
{
    dsc_query_append(braces->call, braces->query, braces->inner, braces->type, braces->value);
}

static void append_now(const braces_t *braces)
{
    dsc_call_in_force(braces->call, braces->query->sql, braces->query->bound, braces->inner);
}

static void append_value_of(const braces_t *braces)
{
    dsc_query_append_parameter(braces->call, braces->query, braces->inner);
}

static void append_account(const braces_t *braces)
{
    dsc_buffer_append_text(braces->query->sql, "%s::bigint");
    dsc_query_bind(braces->query,
                   apr_psprintf(dsc_call_query_pool(braces->call), "%" APR_UINT64_T_FMT,
                                (apr_uint64_t)braces->call->caller->account));
}

static void append_company(const braces_t *braces)
{
    dsc_buffer_append_text(braces->query->sql, "%s::bigint");
    dsc_query_bind(braces->query, company_number(braces->call));
}

static void append_if_present(const braces_t *braces)
{
    if (!braces->call->as_of) {
        append_inner(braces);
    }
}

static void append_if_past(const braces_t *braces)
{
    if (braces->call->as_of) {
        append_inner(braces);
    }
}

/* Appends what is behind the name of a parameter and a colon, if that is present or, with `wanted`
 * 0, if it is absent. */
static void append_if_given(const braces_t *braces, int wanted)
{
    size_t length = strcspn(braces->inner, ":");
    const char *name = apr_pstrmemdup(dsc_call_query_pool(braces->call), braces->inner, length);
    if ((dsc_call_value(braces->call, name)->present != 0) == wanted) {
        dsc_query_append(braces->call, braces->query, braces->inner + length + 1, NULL, NULL);
    }
}

static void append_given(const braces_t *braces)
{
    append_if_given(braces, 1);
}

static void append_absent(const braces_t *braces)
{
    append_if_given(braces, 0);
}

static void append_source_join(const braces_t *braces)
{
    dsc_source_join(braces->query->sql, braces->inner);
}

static void append_shown(const braces_t *braces)
{
    if (braces->query->shown) {
        *braces->query->shown = braces->inner;
    } else {
        append_inner(braces);
    }
}

static const struct {
    const char *kind;
    void (*append)(const braces_t *braces);
} kinds[] = {
    {"now:", append_now},        {"value:", append_value_of},
    {"account", append_account}, {"present:", append_if_present},
    {"past:", append_if_past},   {"source:", append_source_join},
    {"shown:", append_shown},    {"given:", append_given},
    {"absent:", append_absent},  {"company", append_company},
};

/* How long the text in braces at `text` is, with both; braces within are balanced. */
static size_t braces_length(const char *text)
{
    size_t length;
    int depth = 0;
    for (length = 0; text[length]; length++) {
        depth += text[length] == '{';
        depth -= text[length] == '}';
        if (depth == 0) {
            return length + 1;
        }
    }
    return length;
}

/* Appends what the text in braces stands for, or the brace if it is literal. Returns what
 * is behind it. */
static const char *append_braces(const dsc_call_t *call, dsc_query_t *query, const char *text,
                                 const char *type, const char *value)
{
    int i;
    for (i = 0; i < DSC_COUNT(kinds); i++) {
        size_t kind = strlen(kinds[i].kind);
        if (strncmp(text + 1, kinds[i].kind, kind) == 0) {
            size_t length = braces_length(text);
            braces_t braces = {call, query, NULL, type, value};
            braces.inner =
                apr_pstrmemdup(dsc_call_query_pool(call), text + 1 + kind, length - kind - 2);
            kinds[i].append(&braces);
            return text + length;
        }
    }
    dsc_buffer_append_char(query->sql, '{');
    return text + 1;
}

void dsc_query_append(const dsc_call_t *call, dsc_query_t *query, const char *text,
                      const char *type, const char *value)
{
    for (;;) {
        size_t plain = strcspn(text, "?{");
        dsc_buffer_append(query->sql, text, plain);
        text += plain;
        if (*text == '\0') {
            return;
        }
        if (*text == '{') {
            text = append_braces(call, query, text, type, value);
        } else if (type) {
            dsc_buffer_append_text(query->sql, "%s::");
            dsc_buffer_append_text(query->sql, type);
            dsc_query_bind(query, value);
            text++;
        } else {
            dsc_buffer_append_char(query->sql, *text++);
        }
    }
}
