#include "engine/body.h"

#include "engine/json_syntax.h"
#include "engine/utf8.h"
#include "engine/value.h"

#include <apr_cstr.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include <math.h>
#include <stdlib.h>

/* --------------------------------------------------------------------- parsing */

int dsc_body_is_taken(const dsc_parameter_t *parameters, int count)
{
    int i;
    for (i = 0; i < count; i++) {
        if (parameters[i].location == DSC_IN_BODY) {
            return 1;
        }
    }
    return 0;
}

/* application/json and application/...+json; none at all is taken as JSON too. */
static int is_json(apr_pool_t *pool, const char *content_type)
{
    const char *type;
    size_t length;
    if (!content_type) {
        return 1;
    }
    length = strcspn(content_type, "; \t");
    type = apr_pstrmemdup(pool, content_type, length);
    if (apr_cstr_casecmp(type, "application/json") == 0) {
        return 1;
    }
    return length > 17 && apr_cstr_casecmpn(type, "application/", 12) == 0 &&
           apr_cstr_casecmp(type + length - 5, "+json") == 0;
}

static apr_status_t forget(void *json)
{
    json_decref(json);
    return APR_SUCCESS;
}

static json_t *keep(apr_pool_t *pool, json_t *json)
{
    apr_pool_cleanup_register(pool, json, forget, apr_pool_cleanup_null);
    return json;
}

static int is_utf8(dsc_slice_t text)
{
    const unsigned char *at = (const unsigned char *)text.data;
    size_t left = text.length;
    int good = 1;
    while (left && good) {
        size_t step = dsc_utf8_step(at, left, &good);
        at += step;
        left -= step;
    }
    return good;
}

/* FastAPI's own error: it stands at the position in the body, and echoes nothing. */
static dsc_body_result_t explain(apr_pool_t *pool, dsc_slice_t text, apr_array_header_t *errors)
{
    dsc_json_error_t found = dsc_json_syntax(text);
    dsc_validation_error_t *error;
    json_t *context;
    char *written;
    if (!found.message || found.message == DSC_JSON_TOO_DEEP) {
        return DSC_BODY_UNREADABLE;
    }
    context = json_pack("{s:s}", "error", found.message);
    written = json_dumps(context, JSON_COMPACT);
    error = apr_array_push(errors);
    memset(error, 0, sizeof(*error));
    error->type = "json_invalid";
    error->location = "body";
    error->index = (int)found.position;
    error->message = "JSON decode error";
    error->input_json = "{}";
    error->context = apr_pstrdup(pool, written);
    free(written);
    json_decref(context);
    return DSC_BODY_INVALID;
}

dsc_body_result_t dsc_body_parse(apr_pool_t *pool, const dsc_body_t *body, json_t **json,
                                 apr_array_header_t *errors)
{
    dsc_slice_t text = body->bytes;
    size_t mark;
    *json = NULL;
    if (text.length == 0) {
        return DSC_BODY_READ;
    }
    if (!is_utf8(text)) {
        return DSC_BODY_UNREADABLE;
    }
    if (!is_json(pool, body->content_type)) {
        *json = keep(pool, json_stringn(text.data, text.length));
        return DSC_BODY_READ;
    }
    mark = dsc_utf8_mark(text.data, text.length);
    text.data += mark;
    text.length -= mark;
    /* A NUL is no JSON; jansson takes one behind the value for the end, whatever follows. */
    if (memchr(text.data, '\0', text.length) == NULL) {
        *json = json_loadb(text.data, text.length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    }
    if (!*json) {
        return explain(pool, text, errors);
    }
    keep(pool, *json);
    return DSC_BODY_READ;
}

/* --------------------------------------------------------------------- reading */

/* What is said of a value that is neither a text nor of the type that is wanted. Pydantic compares
 * literals with values of any type, so those have no row. */
static const dsc_refusal_t other_types[] = {
    [DSC_STRING] = {"string_type", "Input should be a valid string", NULL},
    [DSC_SYMBOL] = {"string_type", "Input should be a valid string", NULL},
    [DSC_URL] = {"url_type", "URL input should be a string or URL", NULL},
    [DSC_INTEGER] = {"int_type", "Input should be a valid integer", NULL},
    [DSC_BOOLEAN] = {"bool_type", "Input should be a valid boolean", NULL},
    [DSC_DATE] = {"date_type", "Input should be a valid date", NULL},
    [DSC_DATETIME] = {"datetime_type", "Input should be a valid datetime", NULL},
};

int dsc_body_takes(dsc_parameter_type_t type)
{
    return type == DSC_LITERAL ||
           ((size_t)type < sizeof(other_types) / sizeof(other_types[0]) && other_types[type].type);
}

static dsc_validation_error_t *add_error(apr_array_header_t *errors, const char *name, int index,
                                         const dsc_refusal_t *refusal, const json_t *input)
{
    dsc_validation_error_t *error = apr_array_push(errors);
    char *written = json_dumps(input, JSON_COMPACT | JSON_ENCODE_ANY);
    memset(error, 0, sizeof(*error));
    error->type = refusal->type;
    error->location = "body";
    error->name = name;
    error->index = index;
    error->message = refusal->message;
    error->context = refusal->context;
    error->input_json = written ? apr_pstrdup(errors->pool, written) : "null";
    free(written);
    return error;
}

void dsc_body_error_add(apr_array_header_t *errors, const json_t *body, const char *name, int index,
                        const char *text)
{
    const json_t *input = name ? json_object_get(body, name) : body;
    dsc_refusal_t refusal;
    dsc_refuse(&refusal, "value_error", apr_pstrcat(errors->pool, "Value error, ", text, NULL),
               "{\"error\":{}}");
    add_error(errors, name, index, &refusal,
              index < 0 ? input : json_array_get(input, (size_t)index));
}

/* Text of a JSON number, as a query would have it: 5.0 is 5. `refusal` is filled if no integer can
 * be made of it. */
static int number_text(apr_pool_t *pool, const dsc_parameter_t *parameter, const json_t *json,
                       dsc_slice_t *text, dsc_refusal_t *refusal)
{
    double real = json_number_value(json);
    if (json_is_real(json) && parameter->type == DSC_INTEGER && real != floor(real)) {
        return dsc_refuse(refusal, "int_from_float",
                          "Input should be a valid integer, got a number with a fractional part",
                          NULL);
    }
    if (json_is_real(json) && (real >= 9223372036854775808.0 || real < -9223372036854775808.0)) {
        return dsc_refuse(refusal, "int_parsing_size",
                          "Unable to parse input string as an integer, exceeded maximum size",
                          NULL);
    }
    text->data = json_is_real(json) && real != floor(real)
                     ? apr_psprintf(pool, "%.9f", real)
                     : apr_psprintf(pool, "%" APR_INT64_T_FMT,
                                    json_is_real(json) ? (apr_int64_t)real
                                                       : (apr_int64_t)json_integer_value(json));
    text->length = strlen(text->data);
    return 1;
}

/* The value as the readers take it; 0 if its type is not what is wanted. */
static int text_of(apr_pool_t *pool, const dsc_parameter_t *parameter, const json_t *json,
                   dsc_slice_t *text, dsc_refusal_t *refusal)
{
    int takes_numbers = parameter->type == DSC_INTEGER || parameter->type == DSC_DATE ||
                        parameter->type == DSC_DATETIME;
    if (json_is_string(json)) {
        text->data = json_string_value(json);
        text->length = json_string_length(json);
        return 1;
    }
    if (takes_numbers && json_is_number(json)) {
        return number_text(pool, parameter, json, text, refusal);
    }
    if (parameter->type == DSC_INTEGER && json_is_boolean(json)) { /* as Python has it */
        text->data = json_is_true(json) ? "1" : "0";
        text->length = 1;
        return 1;
    }
    if (parameter->type == DSC_BOOLEAN && json_is_boolean(json)) {
        text->data = json_is_true(json) ? "true" : "false";
        text->length = strlen(text->data);
        return 1;
    }
    if (parameter->type == DSC_LITERAL) {
        return 1;
    }
    *refusal = other_types[parameter->type];
    return 0;
}

static int read_scalar(apr_pool_t *pool, const dsc_parameter_t *parameter, const json_t *json,
                       int index, dsc_scalar_t *scalar, apr_array_header_t *errors)
{
    dsc_refusal_t refusal = {NULL, NULL, NULL};
    dsc_slice_t text = {"", 0};
    memset(scalar, 0, sizeof(*scalar));
    if (text_of(pool, parameter, json, &text, &refusal) &&
        dsc_value_read(pool, parameter, text, scalar, &refusal)) {
        return 1;
    }
    add_error(errors, parameter->name, index, &refusal, json);
    return 0;
}

/* A list is kept without repetitions; none of its parameters means anything by them. */
static int read_list(apr_pool_t *pool, const dsc_parameter_t *parameter, const json_t *json,
                     dsc_value_t *value, apr_array_header_t *errors)
{
    static const dsc_refusal_t no_list = {"list_type", "Input should be a valid list", NULL};
    static const dsc_refusal_t too_short = {
        "too_short", "List should have at least 1 item after validation, not 0",
        "{\"field_type\":\"List\",\"min_length\":1,\"actual_length\":0}"};
    apr_hash_t *met = apr_hash_make(pool);
    dsc_scalar_t scalar;
    size_t i;
    int good = 1;

    if (!json_is_array(json)) {
        add_error(errors, parameter->name, -1, &no_list, json);
        return 0;
    }
    if (json_array_size(json) == 0 && (parameter->flags & DSC_NOT_EMPTY)) {
        add_error(errors, parameter->name, -1, &too_short, json);
        return 0;
    }
    value->list = apr_array_make(pool, (int)json_array_size(json), sizeof(const char *));
    for (i = 0; i < json_array_size(json); i++) {
        if (!read_scalar(pool, parameter, json_array_get(json, i), (int)i, &scalar, errors)) {
            good = 0;
        } else if (!apr_hash_get(met, scalar.text, APR_HASH_KEY_STRING)) {
            apr_hash_set(met, scalar.text, APR_HASH_KEY_STRING, scalar.text);
            APR_ARRAY_PUSH(value->list, const char *) = scalar.text;
        }
    }
    return good;
}

/* A member that is not there, or as good as: it has its default. */
static int read_absent(apr_pool_t *pool, const dsc_parameter_t *parameter, const json_t *object,
                       dsc_value_t *value, apr_array_header_t *errors)
{
    static const dsc_refusal_t missing = {"missing", "Field required", NULL};
    const apr_array_header_t *none = apr_array_make(pool, 1, sizeof(dsc_slice_t));
    if (parameter->flags & DSC_REQUIRED) {
        add_error(errors, parameter->name, -1, &missing, object);
        return 0;
    }
    return dsc_parameter_read(pool, parameter, none, value, errors);
}

static int is_empty_text(const json_t *json)
{
    return json_is_string(json) && json_string_length(json) == 0;
}

static int read_member(apr_pool_t *pool, const dsc_parameter_t *parameter, const json_t *object,
                       dsc_value_t *value, apr_array_header_t *errors)
{
    const json_t *member = json_object_get(object, parameter->name);
    dsc_scalar_t scalar;

    if (!member || (json_is_null(member) && (parameter->flags & DSC_OR_NULL)) ||
        (is_empty_text(member) && (parameter->flags & DSC_EMPTY_IS_ABSENT))) {
        return read_absent(pool, parameter, object, value, errors);
    }
    value->given = 1;
    if (parameter->flags & DSC_REPEATABLE) {
        value->present = read_list(pool, parameter, member, value, errors);
        return value->present;
    }
    value->present = read_scalar(pool, parameter, member, -1, &scalar, errors);
    value->text = scalar.text;
    value->integer = scalar.integer;
    value->out_of_range = scalar.out_of_range;
    return value->present;
}

int dsc_body_read(apr_pool_t *pool, const dsc_parameter_t *parameters, int count,
                  const json_t *json, dsc_value_t *values, apr_array_header_t *errors)
{
    static const dsc_refusal_t missing = {"missing", "Field required", NULL};
    static const dsc_refusal_t no_object = {
        "model_attributes_type",
        "Input should be a valid dictionary or object to extract fields from", NULL};
    int i, good = 1;

    if (!json || json_is_null(json)) {
        add_error(errors, NULL, -1, &missing, json);
        return 0;
    }
    if (!json_is_object(json)) {
        add_error(errors, NULL, -1, &no_object, json);
        return 0;
    }
    for (i = 0; i < count; i++) {
        if (parameters[i].location == DSC_IN_BODY) {
            good &= read_member(pool, &parameters[i], json, &values[i], errors);
        }
    }
    return good;
}
