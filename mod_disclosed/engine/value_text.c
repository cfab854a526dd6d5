/* Strings, literals and the identifiers of the field. */
#include "engine/utf8.h"
#include "engine/value.h"

#include <apr_cstr.h>
#include <apr_strings.h>

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static int refuse_length(apr_pool_t *pool, const char *type, const char *words, const char *key,
                         int64_t bound, dsc_refusal_t *refusal)
{
    return dsc_refuse(refusal, type,
                      apr_psprintf(pool,
                                   "String should have at %s %" APR_INT64_T_FMT " character%s",
                                   words, bound, plural(bound)),
                      apr_psprintf(pool, "{\"%s\":%" APR_INT64_T_FMT "}", key, bound));
}

int dsc_check_length(apr_pool_t *pool, const dsc_bounds_t *bounds, dsc_slice_t input,
                     dsc_refusal_t *refusal)
{
    int64_t length = (int64_t)dsc_utf8_count(input);

    if (bounds->has_minimum && length < bounds->minimum) {
        return refuse_length(pool, "string_too_short", "least", "min_length", bounds->minimum,
                             refusal);
    }
    if (bounds->has_maximum && length > bounds->maximum) {
        return refuse_length(pool, "string_too_long", "most", "max_length", bounds->maximum,
                             refusal);
    }
    return 1;
}

/* PostgreSQL cannot hold NUL, and nothing that we store has one. */
int dsc_read_string(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                    dsc_scalar_t *scalar, dsc_refusal_t *refusal)
{
    if (!dsc_check_length(pool, &parameter->bounds, input, refusal)) {
        return 0;
    }
    if (input.length > 0 && memchr(input.data, '\0', input.length)) {
        return dsc_refuse(refusal, "value_error", "Value error, NUL characters are not allowed",
                          "{\"error\":{}}");
    }
    scalar->text = apr_pstrmemdup(pool, input.data, input.length);
    return 1;
}

/* The choices as a sentence has them: 'a', 'b' or 'c'. */
static const char *expected_choices(apr_pool_t *pool, const char *const *choices)
{
    const char *expected = apr_psprintf(pool, "'%s'", choices[0]);
    size_t i;

    for (i = 1; choices[i]; i++) {
        expected =
            apr_psprintf(pool, "%s%s'%s'", expected, choices[i + 1] ? ", " : " or ", choices[i]);
    }
    return expected;
}

int dsc_read_literal(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                     dsc_scalar_t *scalar, dsc_refusal_t *refusal)
{
    const char *const *choice, *expected;

    if (!dsc_check_length(pool, &parameter->bounds, input, refusal)) {
        return 0;
    }
    for (choice = parameter->choices; *choice; choice++) {
        if (dsc_slice_is(input, *choice)) {
            scalar->text = *choice;
            return 1;
        }
    }
    expected = expected_choices(pool, parameter->choices);
    return dsc_refuse(refusal, "literal_error",
                      apr_pstrcat(pool, "Input should be ", expected, NULL),
                      apr_pstrcat(pool, "{\"expected\":\"", expected, "\"}", NULL));
}

int dsc_read_symbol(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                    dsc_scalar_t *scalar, dsc_refusal_t *refusal)
{
    char *symbol, *at;

    if (!dsc_read_string(pool, parameter, input, scalar, refusal)) {
        return 0;
    }
    symbol = apr_pstrdup(pool, scalar->text);
    for (at = symbol; *at; at++) {
        *at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
    }
    scalar->text = symbol;
    return 1;
}

/* A Central Index Key has up to ten digits (SEC, EDGAR Filer Manual, volume I); anything else
 * stays as it is and then matches no filer. */
int dsc_read_cik(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                 dsc_scalar_t *scalar, dsc_refusal_t *refusal)
{
    const char *digits;
    size_t length;

    if (!dsc_read_string(pool, parameter, input, scalar, refusal)) {
        return 0;
    }
    digits = scalar->text + (apr_cstr_casecmpn(scalar->text, "CIK", 3) == 0 ? 3 : 0);
    length = strlen(digits);
    if (length >= 1 && length <= 10 && strspn(digits, "0123456789") == length) {
        digits += strspn(digits, "0");
        scalar->text = *digits ? digits : "0";
    }
    return 1;
}

/* An accession number is filer, year and sequence: ten, two and six digits (SEC, EDGAR,
 * "Accessing EDGAR Data"). Archive paths leave the dashes out. */
int dsc_read_accession(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                       dsc_scalar_t *scalar, dsc_refusal_t *refusal)
{
    if (!dsc_read_string(pool, parameter, input, scalar, refusal)) {
        return 0;
    }
    if (input.length == 18 && strspn(scalar->text, "0123456789") == 18) {
        scalar->text =
            apr_psprintf(pool, "%.10s-%.2s-%s", scalar->text, scalar->text + 10, scalar->text + 12);
    }
    return 1;
}
