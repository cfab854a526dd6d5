#include "engine/call_values.h"

#include "engine/problem.h"
#include "engine/shape_walk.h"

#include <apr_strings.h>

/* The body, parsed; 0 with the response set if it cannot be. */
static int parse_body(dsc_call_t *call, json_t **json, apr_array_header_t *errors)
{
    switch (dsc_body_parse(call->pool, &call->request_body, json, errors)) {
    case DSC_BODY_INVALID:
        dsc_call_validation_errors(call, errors);
        return 0;
    case DSC_BODY_UNREADABLE:
        dsc_call_problem(call, 400,
                         "The body cannot be read: it is not UTF-8, nests too deeply, or has a "
                         "number or character that is out of range.");
        return 0;
    default:
        return 1;
    }
}

/* --------------------------------------------------------------- unknown names */

enum {
    MOST_NAME = 40 /* longer names are like none that we have */
};

static int least_of(int a, int b, int c)
{
    int least = a < b ? a : b;
    return least < c ? least : c;
}

/* How many letters must be put in, left out or changed to make one name of another (Levenshtein's
 * distance). */
static int distance(const char *a, size_t a_length, const char *b)
{
    int row[MOST_NAME + 1], length = (int)strlen(b), i, j;
    if (a_length > MOST_NAME || length > MOST_NAME) {
        return MOST_NAME;
    }
    for (j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (i = 1; i <= (int)a_length; i++) {
        int above = row[0];
        row[0] = i;
        for (j = 1; j <= length; j++) {
            int cost = above + (a[i - 1] != b[j - 1]);
            above = row[j];
            row[j] = least_of(cost, row[j] + 1, row[j - 1] + 1);
        }
    }
    return row[length];
}

/* The parameter that the name is likely meant for; NULL: none is like it. */
static const char *likely(const dsc_call_t *call, dsc_slice_t name, dsc_parameter_location_t in)
{
    const dsc_endpoint_t *endpoint = call->endpoint;
    int best = (int)name.length / 3 + 2, i;
    const char *found = NULL;
    for (i = 0; i < endpoint->parameter_count; i++) {
        const dsc_parameter_t *parameter = &endpoint->parameters[i];
        int far = distance(name.data, name.length, parameter->name);
        if (parameter->location == in && far < best) {
            best = far;
            found = parameter->name;
        }
    }
    return found;
}

static int is_known(const dsc_call_t *call, dsc_slice_t name, dsc_parameter_location_t in)
{
    const dsc_endpoint_t *endpoint = call->endpoint;
    int i;
    for (i = 0; i < endpoint->parameter_count; i++) {
        const dsc_parameter_t *parameter = &endpoint->parameters[i];
        if (parameter->location == in && strlen(parameter->name) == name.length &&
            memcmp(parameter->name, name.data, name.length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* A name that the endpoint does not have, as Pydantic says it if extra inputs are forbidden. */
static void refuse_name(dsc_call_t *call, dsc_slice_t name, dsc_parameter_location_t in,
                        dsc_slice_t value, const char *value_json, apr_array_header_t *errors)
{
    dsc_validation_error_t *error = apr_array_push(errors);
    const char *meant = likely(call, name, in);
    memset(error, 0, sizeof(*error));
    error->type = "extra_forbidden";
    error->location = in == DSC_IN_BODY ? "body" : "query";
    error->name = apr_pstrmemdup(call->pool, name.data, name.length);
    error->index = -1;
    error->message = "Extra inputs are not permitted";
    if (meant) {
        error->message =
            apr_pstrcat(call->pool, error->message, "; did you mean \"", meant, "\"?", NULL);
    }
    error->input = value.data;
    error->input_length = value.length;
    error->input_json = value_json;
}

/* Refuses what the endpoint does not take, for clients that ask for it; 0 if there is any. */
static int refuse_unknown(dsc_call_t *call, const apr_array_header_t *pairs, json_t *json,
                          apr_array_header_t *errors)
{
    int before = errors->nelts, i;
    const char *name;
    json_t *value;
    for (i = 0; i < pairs->nelts; i++) {
        const dsc_pair_t *pair = &APR_ARRAY_IDX(pairs, i, dsc_pair_t);
        if (!is_known(call, pair->name, DSC_IN_QUERY)) {
            refuse_name(call, pair->name, DSC_IN_QUERY, pair->value, NULL, errors);
        }
    }
    json_object_foreach(json, name, value)
    {
        dsc_slice_t member = {name, strlen(name)}, none = {NULL, 0};
        if (!is_known(call, member, DSC_IN_BODY)) {
            char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
            refuse_name(call, member, DSC_IN_BODY, none, apr_pstrdup(call->pool, text), errors);
            free(text);
        }
    }
    return errors->nelts == before;
}

/* ---------------------------------------------------------------------- fields */

/* Chooses the members that `fields` names, with commas between them or one at a time. */
static int choose_fields(dsc_call_t *call, apr_array_header_t *errors)
{
    int place = call->route.operation->fields, i, good = 1;
    const dsc_value_t *value = place < 0 ? NULL : &call->values[place];
    if (!value || !value->present) {
        return 1;
    }
    call->members = dsc_members_of(call->pool, call->endpoint->shape);
    dsc_members_clear(call->members);
    for (i = 0; i < value->list->nelts; i++) {
        const char *at = APR_ARRAY_IDX(value->list, i, const char *);
        dsc_slice_t name;
        do {
            name.data = at;
            name.length = strcspn(at, ",");
            if (!dsc_members_choose(call->members, name)) {
                dsc_validation_error_add(
                    errors, "query", "fields",
                    apr_pstrcat(call->pool, "rows have no field \"",
                                apr_pstrmemdup(call->pool, name.data, name.length), "\"", NULL),
                    name);
                good = 0;
            }
            at += name.length;
        } while (*at++);
    }
    return good;
}

/* ---------------------------------------------------------------------- values */

/* The endpoint's parameters; the limit of an export goes further than that of a page. */
static const dsc_parameter_t *parameters_of(const dsc_call_t *call)
{
    const dsc_endpoint_t *endpoint = call->endpoint;
    int place = call->route.operation->limit;
    dsc_parameter_t *changed;
    if (call->format == DSC_MEDIA_JSON || endpoint->response != DSC_RESPONSE_LIST || place < 0) {
        return endpoint->parameters;
    }
    changed = apr_pmemdup(call->pool, endpoint->parameters,
                          (size_t)endpoint->parameter_count * sizeof(*changed));
    changed[place].bounds.maximum = DSC_MOST_EXPORT;
    return changed;
}

/* Whether the caller's plan allows what the call asks for; 0 with the response set where it does
 * not. */
static int may_read(dsc_call_t *call)
{
    const char *lacking = call->caller->lacking_facts;
    int i;
    for (i = 0; lacking && i < call->endpoint->parameter_count; i++) {
        const dsc_parameter_t *parameter = &call->endpoint->parameters[i];
        if (parameter->all_facts && call->values[i].present &&
            strcmp(call->values[i].text, parameter->all_facts) == 0) {
            dsc_call_problem_of(call, "tier-required",
                                apr_psprintf(call->pool, "%s=%s needs the plan %s or a higher one.",
                                             parameter->name, parameter->all_facts, lacking),
                                lacking);
            return 0;
        }
    }
    return 1;
}

/* Values of the path, the query and the body. What the plan lacks is said before what is wrong. */
static int read_values(dsc_call_t *call, apr_array_header_t *errors)
{
    const dsc_parameter_t *parameters = parameters_of(call);
    const apr_array_header_t *pairs = dsc_query_parse(call->pool, call->query);
    int count = call->endpoint->parameter_count, takes_body = call->route.operation->takes_body;
    json_t *json = NULL;
    int good;

    if (takes_body && !parse_body(call, &json, errors)) {
        return 0;
    }
    call->request_json = json;
    good = dsc_parameters_read(call->pool, parameters, count, call->route.path_values, pairs,
                               call->values, errors);
    if (takes_body) {
        good &= dsc_body_read(call->pool, parameters, count, json, call->values, errors);
    }
    good &= choose_fields(call, errors);
    if (call->is_strict) {
        good &= refuse_unknown(call, pairs, json, errors);
    }
    if (!may_read(call)) {
        return 0;
    }
    if (!good) {
        dsc_call_validation_errors(call, errors);
    }
    return good;
}

/* Rows within an item are cut at `limit` by its SQL: the plan's page cap lowers it. */
static void cap_rows(dsc_call_t *call)
{
    int place = call->route.operation->limit, cap = call->caller->page_cap;
    if (place >= 0 && call->endpoint->response == DSC_RESPONSE_ITEM && cap > 0 &&
        cap < call->values[place].integer) {
        call->values[place].integer = cap;
        call->values[place].text = apr_itoa(call->pool, cap);
    }
}

int dsc_call_read_values(dsc_call_t *call, apr_array_header_t *errors)
{
    const dsc_operation_t *operation = call->route.operation;
    const dsc_endpoint_t *endpoint = call->endpoint;
    size_t size = (size_t)(endpoint->parameter_count + 1) * sizeof(dsc_value_t);

    call->values = apr_pcalloc(call->pool, size);
    if (!read_values(call, errors)) {
        return 0;
    }
    cap_rows(call);
    if (operation->as_of >= 0 && call->values[operation->as_of].present) {
        call->as_of = call->values[operation->as_of].text;
    }
    if (operation->unit >= 0) {
        call->scale = dsc_scale_find(call->values[operation->unit].text);
    }
    return 1;
}
