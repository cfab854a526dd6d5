#include "engine/parameter.h"

#include "engine/utf8.h"
#include "engine/value.h"

static const char *const location_names[] = {[DSC_IN_PATH] = "path", [DSC_IN_QUERY] = "query"};

static dsc_value_reader_t *const readers[] = {
    [DSC_INTEGER] = dsc_read_integer,   [DSC_NUMBER] = dsc_read_number,
    [DSC_BOOLEAN] = dsc_read_boolean,   [DSC_DATE] = dsc_read_date,
    [DSC_DATETIME] = dsc_read_datetime, [DSC_STRING] = dsc_read_string,
    [DSC_LITERAL] = dsc_read_literal,   [DSC_SYMBOL] = dsc_read_symbol,
    [DSC_CIK] = dsc_read_cik,           [DSC_ACCESSION] = dsc_read_accession,
    [DSC_URL] = dsc_read_url,
};

int dsc_value_read(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                   dsc_scalar_t *scalar, dsc_refusal_t *refusal)
{
    return readers[parameter->type](pool, parameter, input, scalar, refusal);
}

static dsc_validation_error_t *add_error(apr_array_header_t *errors,
                                         const dsc_parameter_t *parameter,
                                         const dsc_refusal_t *refusal)
{
    dsc_validation_error_t *error = apr_array_push(errors);

    memset(error, 0, sizeof(*error));
    error->type = refusal->type;
    error->location = location_names[parameter->location];
    error->name = parameter->name;
    error->index = -1;
    error->message = refusal->message;
    error->context = refusal->context;
    return error;
}

/* Reads one occurrence; `index` is its place in a list, or -1. */
static int read_occurrence(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                           int index, dsc_scalar_t *scalar, apr_array_header_t *errors)
{
    dsc_refusal_t refusal = {NULL, NULL, NULL};
    dsc_validation_error_t *error;

    memset(scalar, 0, sizeof(*scalar));
    if (dsc_value_read(pool, parameter, dsc_utf8_clean(pool, input), scalar, &refusal)) {
        return 1;
    }
    error = add_error(errors, parameter, &refusal);
    error->index = index;
    error->input = input.data;
    error->input_length = input.length;
    return 0;
}

static int read_scalar(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                       dsc_value_t *value, apr_array_header_t *errors)
{
    dsc_scalar_t scalar;

    if (!read_occurrence(pool, parameter, input, -1, &scalar, errors)) {
        return 0;
    }
    value->text = scalar.text;
    value->integer = scalar.integer;
    value->out_of_range = scalar.out_of_range;
    value->present = 1;
    return 1;
}

/* An integer beyond int64 is left out of the list: it equals nothing that is stored, and the
 * cast of the list to bigint[] would fail on it. */
static int read_list(apr_pool_t *pool, const dsc_parameter_t *parameter,
                     const apr_array_header_t *raw, dsc_value_t *value, apr_array_header_t *errors)
{
    dsc_scalar_t scalar;
    int i, good = 1;

    value->list = apr_array_make(pool, raw->nelts, sizeof(const char *));
    for (i = 0; i < raw->nelts; i++) {
        if (!read_occurrence(pool, parameter, APR_ARRAY_IDX(raw, i, dsc_slice_t), i, &scalar,
                             errors)) {
            good = 0;
        } else if (!scalar.out_of_range) {
            APR_ARRAY_PUSH(value->list, const char *) = scalar.text;
        }
    }
    value->present = good;
    return good;
}

/* The value of a parameter that the request does not give. */
static int read_absent(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_value_t *value,
                       apr_array_header_t *errors)
{
    static const dsc_refusal_t missing = {"missing", "Field required", NULL};
    apr_array_header_t *defaults;
    dsc_slice_t text;

    if (parameter->default_text == NULL) {
        if (parameter->flags & DSC_REQUIRED) {
            add_error(errors, parameter, &missing);
        }
        return !(parameter->flags & DSC_REQUIRED);
    }
    text.data = parameter->default_text;
    text.length = strlen(text.data);
    if (!(parameter->flags & DSC_REPEATABLE)) {
        return read_scalar(pool, parameter, text, value, errors);
    }
    defaults = apr_array_make(pool, 1, sizeof(dsc_slice_t));
    APR_ARRAY_PUSH(defaults, dsc_slice_t) = text;
    return read_list(pool, parameter, defaults, value, errors);
}

int dsc_parameter_read(apr_pool_t *pool, const dsc_parameter_t *parameter,
                       const apr_array_header_t *raw, dsc_value_t *value,
                       apr_array_header_t *errors)
{
    dsc_slice_t last;

    memset(value, 0, sizeof(*value));
    if (raw->nelts == 0) {
        return read_absent(pool, parameter, value, errors);
    }
    last = APR_ARRAY_IDX(raw, raw->nelts - 1, dsc_slice_t);
    if ((parameter->flags & DSC_EMPTY_IS_ABSENT) && last.length == 0) {
        return read_absent(pool, parameter, value, errors);
    }
    value->given = 1;
    if (parameter->flags & DSC_REPEATABLE) {
        return read_list(pool, parameter, raw, value, errors);
    }
    return read_scalar(pool, parameter, last, value, errors);
}

static int read_from_path(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                          dsc_value_t *value, apr_array_header_t *errors)
{
    apr_array_header_t *raw = apr_array_make(pool, 1, sizeof(dsc_slice_t));

    APR_ARRAY_PUSH(raw, dsc_slice_t) = input;
    return dsc_parameter_read(pool, parameter, raw, value, errors);
}

static int read_from_query(apr_pool_t *pool, const dsc_parameter_t *parameter,
                           const apr_array_header_t *pairs, dsc_value_t *value,
                           apr_array_header_t *errors)
{
    apr_array_header_t *raw = apr_array_make(pool, 1, sizeof(dsc_slice_t));
    int i;

    for (i = 0; i < pairs->nelts; i++) {
        const dsc_pair_t *pair = &APR_ARRAY_IDX(pairs, i, dsc_pair_t);

        if (dsc_slice_is(pair->name, parameter->name)) {
            APR_ARRAY_PUSH(raw, dsc_slice_t) = pair->value;
        }
    }
    return dsc_parameter_read(pool, parameter, raw, value, errors);
}

int dsc_parameters_read(apr_pool_t *pool, const dsc_parameter_t *parameters, int count,
                        const apr_array_header_t *path_values,
                        const apr_array_header_t *query_pairs, dsc_value_t *values,
                        apr_array_header_t *errors)
{
    int i, location = 0, good = 1;

    for (i = 0; i < count; i++) {
        if (parameters[i].location == DSC_IN_PATH) {
            good &= read_from_path(pool, &parameters[i],
                                   APR_ARRAY_IDX(path_values, location, dsc_slice_t), &values[i],
                                   errors);
            location++;
        }
    }
    for (i = 0; i < count; i++) {
        if (parameters[i].location == DSC_IN_QUERY) {
            good &= read_from_query(pool, &parameters[i], query_pairs, &values[i], errors);
        }
    }
    return good;
}
