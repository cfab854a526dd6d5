#include "unit/wire_proof.h"

#include "engine/json_writer.h"
#include "engine/wire.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

enum {
    VALUE,
    TEXT,
    JSON,
    START, /* of the period that ends on the value: its calendar period is written */
    MOST_PRINTED = 10
};

static dsc_slice_t slice_of(const PGresult *row, int column)
{
    dsc_slice_t slice = {PQgetvalue(row, 0, column), (size_t)PQgetlength(row, 0, column)};

    return slice;
}

/* What rows of responses have: as the older functions write it of the text. */
static void write_expected(dsc_buffer_t *buffer, dsc_wire_t type, const PGresult *row)
{
    const char *text = PQgetvalue(row, 0, TEXT);

    if (!PQgetisnull(row, 0, JSON)) {
        dsc_json_compact(buffer, PQgetvalue(row, 0, JSON));
    } else if (type == DSC_WIRE_INTEGER || type == DSC_WIRE_NUMERIC) {
        dsc_json_decimal(buffer, text);
    } else if (type == DSC_WIRE_DATE || type == DSC_WIRE_TIMESTAMP ||
               type == DSC_WIRE_TIMESTAMPTZ) {
        dsc_json_datetime(buffer, text);
    }
    dsc_buffer_append_char(buffer, ' ');
    dsc_buffer_append(buffer, text, type == DSC_WIRE_TEXTS ? 0 : strlen(text));
}

static void write_found(dsc_buffer_t *buffer, dsc_wire_t type, const PGresult *row)
{
    dsc_slice_t value = slice_of(row, VALUE);

    if (PQnfields(row) > START) {
        dsc_slice_t start = slice_of(row, START);

        start.data = PQgetisnull(row, 0, START) ? NULL : start.data;
        dsc_wire_json_calendar(buffer, start, value);
    } else if (type == DSC_WIRE_TEXTS) {
        dsc_wire_json_texts(buffer, value);
    } else if (type == DSC_WIRE_INTEGER || type == DSC_WIRE_NUMERIC) {
        dsc_wire_json_number(buffer, type, value);
    } else if (type == DSC_WIRE_DATE || type == DSC_WIRE_TIMESTAMP ||
               type == DSC_WIRE_TIMESTAMPTZ) {
        dsc_wire_json_datetime(buffer, type, value);
    }
    dsc_buffer_append_char(buffer, ' ');
    dsc_wire_text(buffer, type, value);
}

/* Whether the row's value is written alike. */
static int compare(apr_pool_t *pool, const PGresult *row)
{
    dsc_wire_t type = dsc_wire_type(PQftype(row, VALUE));
    dsc_buffer_t *expected = dsc_buffer_create(pool, 64), *found = dsc_buffer_create(pool, 0);
    static int printed;

    write_expected(expected, type, row);
    write_found(found, type, row);
    if (type != DSC_WIRE_OTHER && strcmp(dsc_buffer_text(expected), dsc_buffer_text(found)) == 0) {
        return 1;
    }
    if (printed++ < MOST_PRINTED) {
        printf("%.300s\nis written as\n%.300s\n", dsc_buffer_text(expected),
               dsc_buffer_text(found));
    }
    return 0;
}

static int compare_rows(PGconn *link)
{
    unsigned long compared = 0, alike = 0;
    int good = 1;
    apr_pool_t *pool;
    PGresult *row;

    apr_pool_create(&pool, NULL);
    while ((row = PQgetResult(link)) != NULL) {
        if (PQresultStatus(row) == PGRES_SINGLE_TUPLE) {
            compared++;
            alike += (unsigned long)compare(pool, row);
            apr_pool_clear(pool);
        } else if (PQresultStatus(row) != PGRES_TUPLES_OK) {
            good = 0;
        }
        PQclear(row);
    }
    apr_pool_destroy(pool);
    printf("%s%lu compared, %lu differ\n", good ? "" : PQerrorMessage(link), compared,
           compared - alike);
    return good && compared == alike;
}

int dsc_wire_proof(const char *conninfo, const char *query)
{
    PGconn *link = PQconnectdb(conninfo);
    PGresult *set =
        PQexec(link, "SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SELECT setseed(0.5)");
    int good = PQresultStatus(set) == PGRES_TUPLES_OK &&
               PQsendQueryParams(link, query, 0, NULL, NULL, NULL, NULL, 1) &&
               PQsetSingleRowMode(link) && compare_rows(link);

    PQclear(set);
    PQfinish(link);
    return good;
}
