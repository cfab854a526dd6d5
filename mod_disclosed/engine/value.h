/* Inside the value layer: one reader for each parameter type, from decoded text to canonical
 * value or to the reason why not. */
#ifndef DSC_VALUE_H
#define DSC_VALUE_H

#include "engine/parameter.h"

/* Why a value is refused, in Pydantic's words. */
typedef struct {
    const char *type, *message;
    const char *context; /* JSON object; NULL: none */
} dsc_refusal_t;

/* One good value: a scalar parameter's, or an element of a repeatable one. */
typedef struct {
    const char *text;
    int64_t integer;
    int out_of_range;
} dsc_scalar_t;

/* Fills the refusal and returns 0, what a reader returns for a bad value. */
int dsc_refuse(dsc_refusal_t *refusal, const char *type, const char *message, const char *context);

/* The readers. `input` is clean UTF-8; they return 1 and fill `scalar`, or return 0 and fill
 * `refusal`. */
typedef int dsc_value_reader_t(apr_pool_t *pool, const dsc_parameter_t *parameter,
                               dsc_slice_t input, dsc_scalar_t *scalar, dsc_refusal_t *refusal);

dsc_value_reader_t dsc_read_integer, dsc_read_number, dsc_read_boolean; /* value_number.c */
dsc_value_reader_t dsc_read_date, dsc_read_datetime;                    /* value_date.c */
dsc_value_reader_t dsc_read_string, dsc_read_literal, dsc_read_symbol;  /* value_text.c */
dsc_value_reader_t dsc_read_cik, dsc_read_accession;
dsc_value_reader_t dsc_read_url; /* value_url.c */

/* Whether the text is as long as the bounds allow, in code points. */
int dsc_check_length(apr_pool_t *pool, const dsc_bounds_t *bounds, dsc_slice_t input,
                     dsc_refusal_t *refusal); /* value_text.c */

/* Reads by the reader of the parameter's type. */
dsc_value_reader_t dsc_value_read; /* parameter.c */

/* Whether the slice is this text, byte for byte. */
static inline int dsc_slice_is(dsc_slice_t slice, const char *text)
{
    return slice.length == strlen(text) && memcmp(slice.data, text, slice.length) == 0;
}

#endif
