/* Special values; t/wire.t compares with PostgreSQL. */
#include "engine/wire.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/Basic.h>
#include <stdio.h>

#define BYTES(text) text, sizeof(text) - 1

typedef struct {
    dsc_wire_t type;
    const char *bytes;
    size_t length;
    const char *expected;
} row_t;

static void check_written(const dsc_buffer_t *buffer, const char *expected)
{
    CU_ASSERT_EQUAL(buffer->length, strlen(expected));
    CU_ASSERT_NSTRING_EQUAL(buffer->data, expected, buffer->length);
}

static void test_texts(void)
{
    static const row_t rows[] = {
        {DSC_WIRE_INTEGER, BYTES("\xff\xfe"), "-2"},
        {DSC_WIRE_INTEGER, BYTES("\x7f\xff\xff\xff"), "2147483647"},
        {DSC_WIRE_INTEGER, BYTES("\x80\0\0\0\0\0\0\0"), "-9223372036854775808"},
        {DSC_WIRE_NUMERIC, BYTES("\0\0\0\0\0\0\0\2"), "0.00"},
        {DSC_WIRE_NUMERIC, BYTES("\0\2\0\0\x40\0\0\2\0\x0c\x13\x88"), "-12.50"},
        {DSC_WIRE_NUMERIC, BYTES("\0\1\0\1\0\0\0\0\0\1"), "10000"},
        {DSC_WIRE_NUMERIC, BYTES("\0\1\xff\xfe\0\0\0\6\0\x64"), "0.000001"},
        {DSC_WIRE_NUMERIC, BYTES("\0\0\0\0\xc0\0\0\0"), "NaN"},
        {DSC_WIRE_NUMERIC, BYTES("\0\0\0\0\xd0\0\0\x20"), "Infinity"},
        {DSC_WIRE_NUMERIC, BYTES("\0\0\0\0\xf0\0\0\x20"), "-Infinity"},
        {DSC_WIRE_BOOLEAN, BYTES("\1"), "t"},
        {DSC_WIRE_DATE, BYTES("\0\0\0\0"), "2000-01-01"},
        {DSC_WIRE_DATE, BYTES("\xff\xff\xff\xff"), "1999-12-31"},
        {DSC_WIRE_DATE, BYTES("\x7f\xff\xff\xff"), "infinity"},
        {DSC_WIRE_DATE, BYTES("\x80\0\0\0"), "-infinity"},
        {DSC_WIRE_TIMESTAMPTZ, BYTES("\xff\xff\xff\xff\xff\xff\xff\xff"),
         "1999-12-31 23:59:59.999999+00"},
        {DSC_WIRE_TIMESTAMPTZ, BYTES("\0\0\0\0\0\x0f\x42\x40"), "2000-01-01 00:00:01+00"},
        {DSC_WIRE_UUID, BYTES("\1\x23\x45\x67\x89\xab\xcd\xef\1\x23\x45\x67\x89\xab\xcd\xef"),
         "01234567-89ab-cdef-0123-456789abcdef"},
        {DSC_WIRE_JSONB, BYTES("\1[]"), "[]"},
        {DSC_WIRE_TEXT, BYTES("a"), "a"},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        dsc_buffer_t *buffer = dsc_buffer_create(dsc_pool, 0);

        dsc_wire_text(buffer, rows[i].type, (dsc_slice_t){rows[i].bytes, rows[i].length});
        check_written(buffer, rows[i].expected);
    }
}

static void test_json(void)
{
    dsc_buffer_t *buffer = dsc_buffer_create(dsc_pool, 0);

    dsc_wire_json_number(buffer, DSC_WIRE_NUMERIC,
                         (dsc_slice_t){BYTES("\0\2\0\0\x40\0\0\2\0\x0c\x13\x88")});
    dsc_wire_json_number(buffer, DSC_WIRE_NUMERIC, (dsc_slice_t){BYTES("\0\0\0\0\xc0\0\0\0")});
    dsc_wire_json_datetime(buffer, DSC_WIRE_TIMESTAMPTZ,
                           (dsc_slice_t){BYTES("\0\0\0\0\0\x07\xa1\x20")});
    dsc_wire_json_texts(buffer, (dsc_slice_t){BYTES("\0\0\0\0\0\0\0\0\0\0\0\x19")});
    dsc_wire_json_texts(buffer, (dsc_slice_t){BYTES("\0\0\0\1\0\0\0\1\0\0\0\x19\0\0\0\2\0\0\0\1"
                                                    "\0\0\0\1\"\xff\xff\xff\xff")});
    check_written(buffer, "-12.5null\"2000-01-01T00:00:00.5Z\"[][\"\\\"\",null]");
}

static void test_array(void)
{
    dsc_wire_array_t rest = dsc_wire_array(
        (dsc_slice_t){BYTES("\0\0\0\1\0\0\0\1\0\0\0\x19\0\0\0\3\0\0\0\1\0\0\0\2ab\xff\xff\xff\xff"
                            "\0\0\0\0")});
    dsc_slice_t element;

    CU_ASSERT_EQUAL(dsc_wire_next(&rest, &element), 1);
    CU_ASSERT_EQUAL(element.length, 2);
    CU_ASSERT_NSTRING_EQUAL(element.data, "ab", 2);
    CU_ASSERT_EQUAL(dsc_wire_next(&rest, &element), 1);
    CU_ASSERT_PTR_NULL(element.data);
    CU_ASSERT_EQUAL(dsc_wire_next(&rest, &element), 1);
    CU_ASSERT_PTR_NOT_NULL(element.data);
    CU_ASSERT_EQUAL(element.length, 0);
    CU_ASSERT_EQUAL(dsc_wire_next(&rest, &element), 0);
    rest = dsc_wire_array((dsc_slice_t){NULL, 0});
    CU_ASSERT_EQUAL(dsc_wire_next(&rest, &element), 0);
}

static void test_calendar(void)
{
    static const dsc_slice_t none = {NULL, 0}, never = {BYTES("\x7f\xff\xff\xff")},
                             january = {BYTES("\0\0\0\0")}, march = {BYTES("\0\0\0\x5a")},
                             december = {BYTES("\0\0\1\x6d")}, early = {BYTES("\xff\xf4\xdc\x25")};
    dsc_buffer_t *buffer = dsc_buffer_create(dsc_pool, 0);

    dsc_wire_json_calendar(buffer, january, march);
    dsc_wire_json_calendar(buffer, january, december);
    dsc_wire_json_calendar(buffer, none, january);
    dsc_wire_json_calendar(buffer, march, march);
    dsc_wire_json_calendar(buffer, none, early);
    dsc_wire_json_calendar(buffer, january, never);
    dsc_wire_json_calendar(buffer, none, none);
    check_written(buffer, "\"2000Q1\"\"2000\"\"1999Q4\"nullnullnullnull");
}

static void test_accession(void)
{
    char text[DSC_ACCESSION_LENGTH];

    dsc_wire_accession(text, (dsc_slice_t){BYTES("\0\0\x74\x74\xda\x17\x7a\x7b")});
    CU_ASSERT_NSTRING_EQUAL(text, "0001280452-24-000123", sizeof(text));
}

/* What is cut short is read within its bounds. */
static void test_cut(void)
{
    static const char bytes[] = "\0\x09\0\0\0\0\0\2\0\x0c";
    size_t length;
    int type;

    for (type = DSC_WIRE_OTHER; type <= DSC_WIRE_UUIDS; type++) {
        for (length = 0; length < sizeof(bytes); length++) {
            dsc_buffer_t *buffer = dsc_buffer_create(dsc_pool, 0);

            dsc_wire_text(buffer, (dsc_wire_t)type, (dsc_slice_t){bytes, length});
            dsc_wire_json_texts(buffer, (dsc_slice_t){bytes, length});
            CU_ASSERT(buffer->length < 64);
        }
    }
}

static void test_types(void)
{
    CU_ASSERT_EQUAL(dsc_wire_type(25), DSC_WIRE_TEXT);
    CU_ASSERT_EQUAL(dsc_wire_type(1700), DSC_WIRE_NUMERIC);
    CU_ASSERT_EQUAL(dsc_wire_type(701), DSC_WIRE_OTHER); /* double precision */
}

void dsc_suite_wire(void)
{
    CU_pSuite suite =
        CU_add_suite("values in PostgreSQL's binary format", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "text", test_texts);
    CU_add_test(suite, "JSON", test_json);
    CU_add_test(suite, "elements of arrays", test_array);
    CU_add_test(suite, "calendar periods", test_calendar);
    CU_add_test(suite, "accession numbers", test_accession);
    CU_add_test(suite, "values cut short", test_cut);
    CU_add_test(suite, "types", test_types);
}
