/* Writing JSON text piece by piece; the caller writes structure and commas. */
#ifndef DSC_JSON_WRITER_H
#define DSC_JSON_WRITER_H

#include "engine/buffer.h"

#include <jansson.h>

/* Appends a JSON string, quotes included. Invalid UTF-8 becomes U+FFFD, each
 * maximal faulty part one; control characters below 0x20 are escaped, and "</" is
 * written "<\/" so that a body embedded in HTML cannot close a script. */
void dsc_json_string(dsc_buffer_t *buffer, const char *text, size_t length);

/* The same for a NUL-terminated string; NULL is written as null. */
void dsc_json_text(dsc_buffer_t *buffer, const char *text);

/* Appends the inside of a JSON string, or of a part of it, without the quotes. */
void dsc_json_inside(dsc_buffer_t *buffer, const char *text, size_t length);

/* Like dsc_json_string for a slice; one without data is written as null. */
void dsc_json_slice(dsc_buffer_t *buffer, dsc_slice_t text);

/* Appends `"name":`; the name is trusted (a table's field name). */
static inline void dsc_json_name(dsc_buffer_t *buffer, const char *name)
{
    dsc_buffer_append_char(buffer, '"');
    dsc_buffer_append_text(buffer, name);
    dsc_buffer_append(buffer, "\":", 2);
}

/* Appends a PostgreSQL numeric as a JSON number with trailing zeros of the
 * fraction trimmed: "12.500" is 12.5, "100.00" is 100, "-0.0" is 0. NULL, NaN and
 * the infinities are written as null. Never goes through a double. */
void dsc_json_decimal(dsc_buffer_t *buffer, const char *decimal);

/* Appends `decimal` times ten to the power `exponent`, exactly. */
void dsc_json_decimal_shifted(dsc_buffer_t *buffer, const char *decimal, int exponent);

/* Appends a PostgreSQL timestamptz printed with TimeZone=UTC and DateStyle=ISO
 * ("2024-05-02 20:30:39.12+00") as "2024-05-02T20:30:39.12Z"; a date
 * ("2024-05-02") as itself; NULL and the infinities as null. */
void dsc_json_datetime(dsc_buffer_t *buffer, const char *timestamp);

/* Appends JSON text that PostgreSQL made, without the blanks between tokens and with "</" in
 * strings escaped as dsc_json_string does. */
void dsc_json_compact(dsc_buffer_t *buffer, const char *json);

/* Appends any value of jansson's, without blanks. */
void dsc_json_value(dsc_buffer_t *buffer, const json_t *value);

/* The same, fractions with 15 digits at most: what was read from decimal text is that text again,
 * 0.08 and not 0.080000000000000002. */
void dsc_json_decimals(dsc_buffer_t *buffer, const json_t *value);

void dsc_json_integer(dsc_buffer_t *buffer, long long value);
void dsc_json_boolean(dsc_buffer_t *buffer, int value);

#endif
