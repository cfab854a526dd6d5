/* Values in PostgreSQL's binary format, and the text that PostgreSQL would send instead. */
#ifndef DSC_WIRE_H
#define DSC_WIRE_H

#include "engine/buffer.h"

/* What is read of each type. Others are refused, see dsc_columns_t in engine/database.h. */
typedef enum {
    DSC_WIRE_OTHER,
    DSC_WIRE_TEXT,        /* text, varchar, name, json, ... */
    DSC_WIRE_INTEGER,     /* of 2, 4 or 8 bytes */
    DSC_WIRE_NUMERIC,     /* digits to the base of 10,000 */
    DSC_WIRE_BOOLEAN,     /* a byte */
    DSC_WIRE_DATE,        /* days since 2000-01-01 */
    DSC_WIRE_TIMESTAMP,   /* microseconds since 2000-01-01, of no time zone */
    DSC_WIRE_TIMESTAMPTZ, /* the same in UTC */
    DSC_WIRE_UUID,        /* 16 bytes */
    DSC_WIRE_JSONB,       /* a version byte and text */
    DSC_WIRE_TEXTS,       /* text[] */
    DSC_WIRE_UUIDS,       /* uuid[] */
    DSC_WIRE_BYTES        /* bytea */
} dsc_wire_t;

/* A set of them. */
#define DSC_WIRE_BIT(type) (1U << (type))

/* By the OID of a type. */
dsc_wire_t dsc_wire_type(unsigned oid);

long long dsc_wire_integer(dsc_slice_t value);
int dsc_wire_boolean(dsc_slice_t value);

/* Appends PostgreSQL's text of the value, with TimeZone=UTC and DateStyle=ISO. Of arrays, which are
 * written as JSON alone, nothing. */
void dsc_wire_text(dsc_buffer_t *buffer, dsc_wire_t type, dsc_slice_t value);

/* Appends a number, integer or numeric, as dsc_json_decimal() does its text. */
void dsc_wire_json_number(dsc_buffer_t *buffer, dsc_wire_t type, dsc_slice_t value);

/* Appends a date or a time as dsc_json_datetime() does its text. */
void dsc_wire_json_datetime(dsc_buffer_t *buffer, dsc_wire_t type, dsc_slice_t value);

/* Appends the calendar period of the days from `start`, or of the instant if that is NULL, to `end`
 * as JSON: what calendar_period() in SQL says of them. */
void dsc_wire_json_calendar(dsc_buffer_t *buffer, dsc_slice_t start, dsc_slice_t end);

/* The digits of an accession number as they are written, 0000320193-24-000123, at `text`: LENGTH
 * bytes, and no NUL. */
enum {
    DSC_ACCESSION_LENGTH = 20
};
void dsc_wire_accession(char *text, dsc_slice_t number);

/* Appends the 32 hex digits of a uuid. */
void dsc_wire_hex(dsc_buffer_t *buffer, dsc_slice_t uuid);

/* The elements of an array of one dimension that have not been taken yet. */
typedef struct {
    const char *at, *end;
} dsc_wire_array_t;

dsc_wire_array_t dsc_wire_array(dsc_slice_t array);

/* Takes the next element, {NULL, 0} of a NULL; 0 if there is none. */
int dsc_wire_next(dsc_wire_array_t *array, dsc_slice_t *element);

/* Appends a text[] of one dimension as a JSON array, its NULLs as null. */
void dsc_wire_json_texts(dsc_buffer_t *buffer, dsc_slice_t array);

#endif
