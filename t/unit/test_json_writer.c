#include "engine/json_writer.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <limits.h>
#include <stdio.h>

/* A literal with its length, so that it may hold NUL. */
#define BYTES(text) (text), sizeof(text) - 1

static dsc_buffer_t *buffer;

static int open_buffer(void)
{
    int status = dsc_open_pool();
    buffer = dsc_buffer_create(dsc_pool, 0);
    return status;
}

/* Compares what was written with what should be, and empties the buffer. */
static void check_written(const char *input, const char *expected)
{
    CU_ASSERT_STRING_EQUAL(dsc_buffer_text(buffer), expected);
    if (strcmp(dsc_buffer_text(buffer), expected) != 0) {
        fprintf(stderr, "%s\n    gives    %s\n    expected %s\n", input ? input : "NULL",
                dsc_buffer_text(buffer), expected);
    }
    buffer->length = 0;
}

static void test_strings(void)
{
    static const struct {
        const char *text;
        size_t length;
        const char *expected;
    } rows[] = {
        {BYTES(""), "\"\""},
        {BYTES("plain text"), "\"plain text\""},
        {BYTES("say \"no\""), "\"say \\\"no\\\"\""},
        {BYTES("back\\slash"), "\"back\\\\slash\""},
        {BYTES("\b\t\n\f\r"), "\"\\b\\t\\n\\f\\r\""},
        {BYTES("a\0b"), "\"a\\u0000b\""},
        {BYTES("\x01\x0B\x0E\x1F"), "\"\\u0001\\u000b\\u000e\\u001f\""},
        {BYTES("\x7F"), "\"\x7F\""},
        {BYTES("a/b"), "\"a/b\""},
        {BYTES("/"), "\"/\""},
        {BYTES("<b>"), "\"<b>\""},
        {BYTES("</script>"), "\"<\\/script>\""},
        {BYTES("<</</"), "\"<<\\/<\\/\""},
        {BYTES("caf\xC3\xA9"), "\"caf\xC3\xA9\""},
        {BYTES("\xE2\x80\xA8\xE2\x80\xA9"), "\"\xE2\x80\xA8\xE2\x80\xA9\""},
        {BYTES("\xF0\x9F\x98\x80"), "\"\xF0\x9F\x98\x80\""},
        {BYTES("\xF4\x8F\xBF\xBF"), "\"\xF4\x8F\xBF\xBF\""},
        /* each maximal faulty part is one U+FFFD */
        {BYTES("a\x80z"), "\"a\xEF\xBF\xBDz\""},
        {BYTES("\xFF\xFE"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {BYTES("\xC3"), "\"\xEF\xBF\xBD\""},
        {BYTES("\xC3\""), "\"\xEF\xBF\xBD\\\"\""},
        {BYTES("\xC3\xC3\xA9"), "\"\xEF\xBF\xBD\xC3\xA9\""},
        {BYTES("\xE2\x82"), "\"\xEF\xBF\xBD\""},
        {BYTES("\xE2\x82"
               "a"),
         "\"\xEF\xBF\xBD"
         "a\""},
        {BYTES("\xF0\x9F\x98"), "\"\xEF\xBF\xBD\""},
        {BYTES("\xC0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {BYTES("\xE0\x80\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {BYTES("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {BYTES("\xF4\x90\x80\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {BYTES("\xF5"), "\"\xEF\xBF\xBD\""},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        dsc_json_string(buffer, rows[i].text, rows[i].length);
        check_written(rows[i].text, rows[i].expected);
    }
    dsc_json_text(buffer, NULL);
    check_written("NULL", "null");
    dsc_json_text(buffer, "x");
    dsc_json_name(buffer, "filed_at");
    check_written("x", "\"x\"\"filed_at\":");
}

/* Each byte on its own is what its class says, and never breaks the string. */
static void test_every_byte(void)
{
    int byte;

    for (byte = 0; byte < 256; byte++) {
        char text = (char)byte;

        dsc_json_string(buffer, &text, 1);
        if (byte >= 0x80) {
            check_written("a lone byte above 0x7F", "\"\xEF\xBF\xBD\"");
        } else if (byte < 0x20 || byte == '"' || byte == '\\') {
            CU_ASSERT_EQUAL(buffer->data[1], '\\');
            CU_ASSERT_TRUE(buffer->length == 4 || buffer->length == 8);
        } else {
            CU_ASSERT_EQUAL(buffer->length, 3);
            CU_ASSERT_EQUAL(buffer->data[1], text);
        }
        buffer->length = 0;
    }
}

/* Strings are looked at in blocks: what a byte becomes does not depend on its place in them. */
static void test_every_place(void)
{
    int byte;
    size_t place, length;

    for (byte = 0; byte < 256; byte++) {
        char text[40], alone[8] = "", expected[64];

        memset(text, 'a', sizeof(text));
        text[0] = (char)byte;
        dsc_json_string(buffer, text, 1);
        memcpy(alone, buffer->data + 1, buffer->length - 2);
        buffer->length = 0;
        for (place = 0; place < sizeof(text); place++) {
            text[0] = 'a';
            text[place] = (char)byte;
            for (length = place + 1; length <= sizeof(text); length++) {
                snprintf(expected, sizeof(expected), "\"%.*s%s%.*s\"", (int)place,
                         place ? text : "", alone, (int)(length - place - 1), text + place + 1);
                dsc_json_string(buffer, text, length);
                check_written("a byte among others", expected);
            }
            text[place] = 'a';
        }
    }
}

static void test_decimals(void)
{
    static const struct {
        const char *decimal;
        const char *expected;
    } rows[] = {
        {NULL, "null"},
        {"NaN", "null"},
        {"Infinity", "null"},
        {"-Infinity", "null"},
        {"", "null"},
        {"-", "null"},
        {"12x", "null"},
        {"0", "0"},
        {"-0", "0"},
        {"0.0", "0"},
        {"-0.0", "0"},
        {"0.000", "0"},
        {"5", "5"},
        {"-5", "-5"},
        {"100", "100"},
        {"100.00", "100"},
        {"12.500", "12.5"},
        {"-12.500", "-12.5"},
        {"0.05", "0.05"},
        {"-0.05", "-0.05"},
        {"0.0500", "0.05"},
        {"10203.00405060", "10203.0040506"},
        {"123456789012345678901234567890.1234567890", "123456789012345678901234567890.123456789"},
        {"1e-05", "0.00001"},
        {"1.5e+20", "150000000000000000000"},
        {"-2.50e3", "-2500"},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        dsc_json_decimal(buffer, rows[i].decimal);
        check_written(rows[i].decimal, rows[i].expected);
    }
}

static void test_shifted_decimals(void)
{
    static const struct {
        const char *decimal;
        int exponent;
        const char *expected;
    } rows[] = {
        {"12345.60", -6, "0.0123456"},
        {"12345.60", -3, "12.3456"},
        {"12345.60", 0, "12345.6"},
        {"12345.60", 1, "123456"},
        {"12345.60", 6, "12345600000"},
        {"-1", -9, "-0.000000001"},
        {"1000000", -6, "1"},
        {"1500000", -6, "1.5"},
        {"0.05", 2, "5"},
        {"0.05", 1, "0.5"},
        {"0.050", 3, "50"},
        {"-0.00", -6, "0"},
        {"0", 9, "0"},
        {"0012", -1, "1.2"},
        {"NaN", -6, "null"},
        {NULL, -6, "null"},
        {"99999999999999999999.99", -9, "99999999999.99999999999"},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        dsc_json_decimal_shifted(buffer, rows[i].decimal, rows[i].exponent);
        check_written(rows[i].decimal, rows[i].expected);
    }
}

static void test_datetimes(void)
{
    static const struct {
        const char *timestamp;
        const char *expected;
    } rows[] = {
        {"2024-05-02 20:30:39.12+00", "\"2024-05-02T20:30:39.12Z\""},
        {"2024-05-02 20:30:39+00", "\"2024-05-02T20:30:39Z\""},
        {"2024-05-02", "\"2024-05-02\""},
        {NULL, "null"},
        {"", "null"},
        {"infinity", "null"},
        {"-infinity", "null"},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        dsc_json_datetime(buffer, rows[i].timestamp);
        check_written(rows[i].timestamp, rows[i].expected);
    }
}

static void test_integers_and_booleans(void)
{
    static const struct {
        long long value;
        const char *expected;
    } rows[] = {
        {0, "0"},
        {7, "7"},
        {-7, "-7"},
        {1234567890, "1234567890"},
        {LLONG_MAX, "9223372036854775807"},
        {LLONG_MIN, "-9223372036854775808"},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        dsc_json_integer(buffer, rows[i].value);
        check_written(rows[i].expected, rows[i].expected);
    }
    dsc_json_boolean(buffer, 1);
    dsc_json_boolean(buffer, 0);
    check_written("booleans", "truefalse");
}

static void test_compact(void)
{
    static const struct {
        const char *json;
        const char *expected;
    } rows[] = {
        {"{\"a\" : [1, 2], \"b\" : null}", "{\"a\":[1,2],\"b\":null}"},
        {"[\"a b\", \"c \\\" d\"]", "[\"a b\",\"c \\\" d\"]"},
        {"\"x</script>y</z\"", "\"x<\\/script>y<\\/z\""},
        {"\"ends in a backslash \\\\\" ", "\"ends in a backslash \\\\\""},
        {" [\n ] ", "[]"},
        {"", ""},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        dsc_json_compact(buffer, rows[i].json);
        check_written(rows[i].json, rows[i].expected);
    }
}

/* What could not be made is null, and not nothing. */
static void test_no_value(void)
{
    dsc_buffer_t *text = dsc_buffer_create(dsc_pool, 16);
    dsc_json_value(text, NULL);
    CU_ASSERT_STRING_EQUAL(dsc_buffer_text(text), "null");
}

void dsc_suite_json_writer(void)
{
    CU_pSuite suite = CU_add_suite("json writer", open_buffer, dsc_close_pool);

    CU_add_test(suite, "strings", test_strings);
    CU_add_test(suite, "every byte", test_every_byte);
    CU_add_test(suite, "every byte in every place", test_every_place);
    CU_add_test(suite, "decimals", test_decimals);
    CU_add_test(suite, "shifted decimals", test_shifted_decimals);
    CU_add_test(suite, "datetimes", test_datetimes);
    CU_add_test(suite, "integers and booleans", test_integers_and_booleans);
    CU_add_test(suite, "no value", test_no_value);
    CU_add_test(suite, "JSON made by PostgreSQL", test_compact);
}
