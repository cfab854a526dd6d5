/* The rows are what FastAPI with Pydantic answers to the same queries, except where a comment
 * names a rule of our own. */
#include "unit/fixture.h"
#include "unit/parameter_rows.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>

#define PARAMETER(kind) .name = "v", .location = DSC_IN_QUERY, .type = (kind)

static const char *const directions[] = {"asc", "desc", NULL};
static const char *const units[] = {"as_reported", "thousand", "million", "billion", NULL};
static const char *const only_a[] = {"a", NULL};

#define NOT_INTEGER(input)                                                                         \
    FAULT("int_parsing", "Input should be a valid integer, unable to parse string as an integer",  \
          input)
#define TOO_SMALL(input, bound, context_bound)                                                     \
    FAULT_WITH("greater_than_equal", "Input should be greater than or equal to " bound, input,     \
               "{\"ge\":" context_bound "}")
#define TOO_LARGE(input, bound, context_bound)                                                     \
    FAULT_WITH("less_than_equal", "Input should be less than or equal to " bound, input,           \
               "{\"le\":" context_bound "}")

static void test_integers(void)
{
    static const dsc_parameter_t parameter = {PARAMETER(DSC_INTEGER)};
    static const dsc_row_t rows[] = {
        {"", "absent"},
        {"w=5", "absent"},
        {"v[]=5", "absent"},
        {"V=5", "absent"},
        {"v=5", "5"},
        {"v=+5", "5"},
        {"v=%2B5", "5"},
        {"v=%205%20", "5"},
        {"v=%095%0A", "5"},
        {"v=%C2%A05", "5"},
        {"v=%E3%80%805%E2%80%83", "5"},
        {"v=005", "5"},
        {"v=-0", "0"},
        {"v=-007", "-7"},
        {"v=1_0", "10"},
        {"v=1_000", "1000"},
        {"v=0_0", "0"},
        {"v=1_0.0", "10"},
        {"v=5.0", "5"},
        {"v=1.00", "1"},
        {"v=0-5", "-5"},
        {"v=9223372036854775807", "9223372036854775807"},
        {"v=-9223372036854775808", "-9223372036854775808"},
        {"v=99999999999999999999", "99999999999999999999"},
        {"v", NOT_INTEGER("")},
        {"v=", NOT_INTEGER("")},
        {"v=abc", NOT_INTEGER("abc")},
        {"v=null", NOT_INTEGER("null")},
        {"v=true", NOT_INTEGER("true")},
        {"v=5.5", NOT_INTEGER("5.5")},
        {"v=1.", NOT_INTEGER("1.")},
        {"v=.0", NOT_INTEGER(".0")},
        {"v=1e2", NOT_INTEGER("1e2")},
        {"v=0x10", NOT_INTEGER("0x10")},
        {"v=1__0", NOT_INTEGER("1__0")},
        {"v=_1", NOT_INTEGER("_1")},
        {"v=1_", NOT_INTEGER("1_")},
        {"v=-+5", NOT_INTEGER("- 5")},
        {"v=%2B-5", NOT_INTEGER("+-5")},
        {"v=--5", NOT_INTEGER("--5")},
        {"v=-%2B5", NOT_INTEGER("-+5")},
        {"v=5+5", NOT_INTEGER("5 5")},
        {"v=%D9%A3", NOT_INTEGER("\xD9\xA3")},
        {"v=%EF%BC%91", NOT_INTEGER("\xEF\xBC\x91")},
        {"v=1%00", NOT_INTEGER("1\\u0000")},
        {"v=%FF", NOT_INTEGER("\xEF\xBF\xBD")},
    };

    CHECK_ROWS(&parameter, rows);
}

static void test_bounded_integers(void)
{
    static const dsc_parameter_t limit = {PARAMETER(DSC_INTEGER), .bounds = {1, 1, 1, 500},
                                          .default_text = "50"};
    static const dsc_parameter_t offset = {PARAMETER(DSC_INTEGER), .bounds = {.has_minimum = 1},
                                           .default_text = "0"};
    static const dsc_parameter_t negative = {PARAMETER(DSC_INTEGER), .bounds = {1, 1, -5, -1}};
    static const dsc_row_t limit_rows[] = {
        {"", "50"},
        {"v=1", "1"},
        {"v=500", "500"},
        {"v=501&v=7", "7"},
        {"v=0", TOO_SMALL("0", "1", "1")},
        {"v=-5", TOO_SMALL("-5", "1", "1")},
        {"v=501", TOO_LARGE("501", "500", "500")},
        {"v=7&v=501", TOO_LARGE("501", "500", "500")},
        {"v=99999999999999999999", TOO_LARGE("99999999999999999999", "500", "500")},
        {"v=-99999999999999999999", TOO_SMALL("-99999999999999999999", "1", "1")},
        {"v=%20501", TOO_LARGE(" 501", "500", "500")},
        {"v=", NOT_INTEGER("")},
    };
    static const dsc_row_t offset_rows[] = {
        {"", "0"},
        {"v=99999999999", "99999999999"},
        {"v=-1", TOO_SMALL("-1", "0", "0")},
    };
    static const dsc_row_t negative_rows[] = {
        {"v=-5", "-5"},
        {"v=-1", "-1"},
        {"v=-6", TOO_SMALL("-6", "-5", "-5")},
        {"v=-50", TOO_SMALL("-50", "-5", "-5")},
        {"v=0", TOO_LARGE("0", "-1", "-1")},
    };

    CHECK_ROWS(&limit, limit_rows);
    CHECK_ROWS(&offset, offset_rows);
    CHECK_ROWS(&negative, negative_rows);
}

/* Python takes integers of up to 4300 characters. */
static void test_long_integers(void)
{
    static const dsc_parameter_t parameter = {PARAMETER(DSC_INTEGER)};
    static const struct {
        size_t digits;
        const char *before, *after, *type;
    } rows[] = {
        {4300, "", "", NULL},
        {4301, "", "", "int_parsing_size"},
        {4299, "-", "", NULL},
        {4300, "-", "", "int_parsing_size"},
        {4301, "", "x", "int_parsing_size"},
        {4301, "0", "", "int_parsing"},
        {4300, "00", "", NULL},
        {4301, "+", "", "int_parsing"},
        {4301, "0-", "", "int_parsing"},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *digits = apr_pcalloc(dsc_pool, rows[i].digits + 1);
        const char *result, *type;

        memset(digits, '7', rows[i].digits);
        result = dsc_row_result(&parameter, apr_pstrcat(dsc_pool, "v=", rows[i].before, digits,
                                                        rows[i].after, NULL));
        type = apr_psprintf(dsc_pool, "{\"detail\":[{\"type\":\"%s\",", rows[i].type);
        CU_ASSERT_TRUE(rows[i].type ? strncmp(result, type, strlen(type)) == 0
                                    : strstr(result, digits) != NULL && result[0] != '{');
    }
}

static void test_integer_values(void)
{
    static const dsc_parameter_t parameter = {PARAMETER(DSC_INTEGER)};
    static const struct {
        const char *text;
        int64_t integer;
        int out_of_range;
    } rows[] = {
        {"0", 0, 0},
        {"-7", -7, 0},
        {"1_000", 1000, 0},
        {"9223372036854775807", INT64_MAX, 0},
        {"-9223372036854775808", INT64_MIN, 0},
        {"9223372036854775808", INT64_MAX, 1},
        {"-9223372036854775809", INT64_MIN, 1},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        apr_array_header_t *errors = apr_array_make(dsc_pool, 1, sizeof(dsc_validation_error_t));
        apr_array_header_t *raw = apr_array_make(dsc_pool, 1, sizeof(dsc_slice_t));
        dsc_value_t value;

        APR_ARRAY_PUSH(raw, dsc_slice_t) = (dsc_slice_t){rows[i].text, strlen(rows[i].text)};
        CU_ASSERT_TRUE(dsc_parameter_read(dsc_pool, &parameter, raw, &value, errors));
        CU_ASSERT_TRUE(value.present && value.given);
        CU_ASSERT_EQUAL(value.integer, rows[i].integer);
        CU_ASSERT_EQUAL(value.out_of_range, rows[i].out_of_range);
    }
}

#define NOT_NUMBER(input)                                                                          \
    FAULT("float_parsing", "Input should be a valid number, unable to parse string as a number",   \
          input)
#define NOT_FINITE(input) FAULT("finite_number", "Input should be a finite number", input)

static void test_numbers(void)
{
    static const dsc_parameter_t parameter = {PARAMETER(DSC_NUMBER)};
    static const dsc_row_t rows[] = {
        {"", "absent"},
        {"v=1", "1"},
        {"v=1.", "1"},
        {"v=.5", "0.5"},
        {"v=-.5", "-0.5"},
        {"v=1e5", "100000"},
        {"v=1E5", "100000"},
        {"v=1.50e-2", "0.015"},
        {"v=%2B7", "7"},
        {"v=+12.5%09", "12.5"},
        {"v=%C2%A01.5", "1.5"},
        {"v=1_0", "10"},
        {"v=1_0.5_5", "10.55"},
        {"v=1e1_0", "10000000000"},
        {"v=00001.500", "1.5"},
        {"v=-0.00", "0"},
        {"v=-0", "0"},
        {"v=0e999999999999", "0"},
        {"v=1e-400", "0"},
        /* no digit is lost */
        {"v=12345678901234567890.123456789", "12345678901234567890.123456789"},
        {"v=0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"},
        {"v=", NOT_NUMBER("")},
        {"v=abc", NOT_NUMBER("abc")},
        {"v=1,5", NOT_NUMBER("1,5")},
        {"v=0x1", NOT_NUMBER("0x1")},
        {"v=1d", NOT_NUMBER("1d")},
        {"v=%2B", NOT_NUMBER("+")},
        {"v=.", NOT_NUMBER(".")},
        {"v=1e", NOT_NUMBER("1e")},
        {"v=1e%2B", NOT_NUMBER("1e+")},
        {"v=1__0.5", NOT_NUMBER("1__0.5")},
        {"v=+1_0+", NOT_NUMBER(" 1_0 ")},
        {"v=_1", NOT_NUMBER("_1")},
        {"v=1+5", NOT_NUMBER("1 5")},
        {"v=1%00", NOT_NUMBER("1\\u0000")},
        {"v=infinit", NOT_NUMBER("infinit")},
        {"v=nan", NOT_FINITE("nan")},
        {"v=NaN", NOT_FINITE("NaN")},
        {"v=inf", NOT_FINITE("inf")},
        {"v=-Infinity", NOT_FINITE("-Infinity")},
        {"v=%2Binf", NOT_FINITE("+inf")},
        {"v=1e999", NOT_FINITE("1e999")},
        {"v=-1e999", NOT_FINITE("-1e999")},
        {"v=1.7976931348623159e308", NOT_FINITE("1.7976931348623159e308")},
        {"v=1e99999999999999999999", NOT_FINITE("1e99999999999999999999")},
    };

    CHECK_ROWS(&parameter, rows);
}

static void test_bounded_numbers(void)
{
    static const dsc_parameter_t parameter = {PARAMETER(DSC_NUMBER), .bounds = {1, 1, 0, 1000}};
    static const dsc_row_t rows[] = {
        {"v=0", "0"},
        {"v=-0.0", "0"},
        {"v=1000.000", "1000"},
        {"v=1e3", "1000"},
        {"v=999.999", "999.999"},
        {"v=-0.01", TOO_SMALL("-0.01", "0", "0.0")},
        {"v=-1", TOO_SMALL("-1", "0", "0.0")},
        {"v=1000.01", TOO_LARGE("1000.01", "1000", "1000.0")},
        {"v=1.0001e3", TOO_LARGE("1.0001e3", "1000", "1000.0")},
        {"v=inf", NOT_FINITE("inf")},
    };

    CHECK_ROWS(&parameter, rows);
}

#define NOT_BOOLEAN(input)                                                                         \
    FAULT("bool_parsing", "Input should be a valid boolean, unable to interpret input", input)

static void test_booleans(void)
{
    static const dsc_parameter_t parameter = {PARAMETER(DSC_BOOLEAN), .default_text = "true"};
    static const dsc_row_t rows[] = {
        {"", "true"},
        {"v=1", "true"},
        {"v=t", "true"},
        {"v=y", "true"},
        {"v=on", "true"},
        {"v=yes", "true"},
        {"v=true", "true"},
        {"v=TRUE", "true"},
        {"v=tRuE", "true"},
        {"v=On", "true"},
        {"v=0", "false"},
        {"v=f", "false"},
        {"v=n", "false"},
        {"v=no", "false"},
        {"v=off", "false"},
        {"v=false", "false"},
        {"v=OFF", "false"},
        {"v=False", "false"},
        {"v=", NOT_BOOLEAN("")},
        {"v=2", NOT_BOOLEAN("2")},
        {"v=-1", NOT_BOOLEAN("-1")},
        {"v=01", NOT_BOOLEAN("01")},
        {"v=1.0", NOT_BOOLEAN("1.0")},
        {"v=+true", NOT_BOOLEAN(" true")},
        {"v=null", NOT_BOOLEAN("null")},
        {"v=maybe", NOT_BOOLEAN("maybe")},
        {"v=1%00", NOT_BOOLEAN("1\\u0000")},
    };

    CHECK_ROWS(&parameter, rows);
}

#define SHORTER_THAN_1                                                                             \
    FAULT_WITH("string_too_short", "String should have at least 1 character", "",                  \
               "{\"min_length\":1}")
#define LONGER_THAN_8(input)                                                                       \
    FAULT_WITH("string_too_long", "String should have at most 8 characters", input,                \
               "{\"max_length\":8}")
#define E_ACUTE     "\xC3\xA9"
#define REPLACEMENT "\xEF\xBF\xBD"
#define HOLDS_NUL(input)                                                                           \
    FAULT_WITH("value_error", "Value error, NUL characters are not allowed", input,                \
               "{\"error\":{}}")

static void test_strings(void)
{
    static const dsc_parameter_t parameter = {PARAMETER(DSC_STRING), .flags = DSC_REQUIRED,
                                              .bounds = {1, 1, 1, 8}};
    static const dsc_row_t rows[] = {
        {"", FAULT_AT("[\"query\",\"v\"]", "missing", "Field required", "null")},
        {"v=a", "a"},
        {"v=a+b", "a b"},
        {"v=%2B%26%3D%25", "+&=%"},
        {"v=null", "null"},
        {"v=%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9",
         E_ACUTE E_ACUTE E_ACUTE E_ACUTE E_ACUTE E_ACUTE E_ACUTE E_ACUTE},
        {"v=%FF", REPLACEMENT},
        {"v=a%E2%82b", "a" REPLACEMENT "b"},
        {"v", SHORTER_THAN_1},
        {"v=", SHORTER_THAN_1},
        {"v=a&v=", SHORTER_THAN_1},
        {"v=123456789", LONGER_THAN_8("123456789")},
        {"v=%FF%FF%FF%FF%FF%FF%FF%FF", REPLACEMENT REPLACEMENT REPLACEMENT REPLACEMENT REPLACEMENT
                                           REPLACEMENT REPLACEMENT REPLACEMENT},
        {"v=12345678%09%22", LONGER_THAN_8("12345678\\t\\\"")},
        {"v=a%00b", HOLDS_NUL("a\\u0000b")}, /* own rule: PostgreSQL has no NUL */
    };
    static const dsc_parameter_t single = {PARAMETER(DSC_STRING),
                                           .bounds = {.has_maximum = 1, .maximum = 1}};
    static const dsc_row_t single_rows[] = {
        {"v=", ""},
        {"v=%F0%9F%98%80", "\xF0\x9F\x98\x80"},
        {"v=ab", FAULT_WITH("string_too_long", "String should have at most 1 character", "ab",
                            "{\"max_length\":1}")},
    };
    static const dsc_parameter_t cursor = {PARAMETER(DSC_STRING), .flags = DSC_EMPTY_IS_ABSENT};
    static const dsc_row_t cursor_rows[] = {
        {"", "absent"}, {"v=", "absent"}, {"v", "absent"}, {"v=a&v=", "absent"}, {"v=&v=a", "a"},
    };

    CHECK_ROWS(&parameter, rows);
    CHECK_ROWS(&single, single_rows);
    CHECK_ROWS(&cursor, cursor_rows);
}

#define NOT_DIRECTION(input)                                                                       \
    FAULT_WITH("literal_error", "Input should be 'asc' or 'desc'", input,                          \
               "{\"expected\":\"'asc' or 'desc'\"}")

static void test_literals(void)
{
    static const dsc_parameter_t direction = {PARAMETER(DSC_LITERAL), .choices = directions,
                                              .default_text = "desc"};
    static const dsc_parameter_t unit = {PARAMETER(DSC_LITERAL), .choices = units};
    static const dsc_parameter_t single = {PARAMETER(DSC_LITERAL), .choices = only_a};
    static const dsc_parameter_t short_one = {PARAMETER(DSC_LITERAL), .choices = only_a,
                                              .bounds = {.has_maximum = 1, .maximum = 4}};
    static const dsc_row_t direction_rows[] = {
        {"", "desc"},
        {"v=asc", "asc"},
        {"v=up", NOT_DIRECTION("up")},
        {"v=", NOT_DIRECTION("")},
        {"v=ASC", NOT_DIRECTION("ASC")},
        {"v=asc+", NOT_DIRECTION("asc ")},
        {"v=asc%00", NOT_DIRECTION("asc\\u0000")},
    };
    static const dsc_row_t unit_rows[] = {
        {"v=million", "million"},
        {"v=x", FAULT_WITH("literal_error",
                           "Input should be 'as_reported', 'thousand', 'million' or 'billion'", "x",
                           "{\"expected\":\"'as_reported', 'thousand', 'million' or 'billion'\"}")},
    };
    static const dsc_row_t single_rows[] = {
        {"v=b", FAULT_WITH("literal_error", "Input should be 'a'", "b", "{\"expected\":\"'a'\"}")},
    };

    static const dsc_row_t short_rows[] = {
        {"v=a", "a"},
        {"v=bcde",
         FAULT_WITH("literal_error", "Input should be 'a'", "bcde", "{\"expected\":\"'a'\"}")},
        {"v=bcdef", FAULT_WITH("string_too_long", "String should have at most 4 characters",
                               "bcdef", "{\"max_length\":4}")},
    };

    static const dsc_parameter_t short_day = {PARAMETER(DSC_DATE),
                                              .bounds = {.has_maximum = 1, .maximum = 16}};
    static const dsc_row_t day_rows[] = {
        {"v=2024-01-31T00:00", "2024-01-31"},
        {"v=2024-01-31T00:00Z",
         FAULT_WITH("string_too_long", "String should have at most 16 characters",
                    "2024-01-31T00:00Z", "{\"max_length\":16}")},
    };

    CHECK_ROWS(&direction, direction_rows);
    CHECK_ROWS(&unit, unit_rows);
    CHECK_ROWS(&single, single_rows);
    CHECK_ROWS(&short_one, short_rows);
    CHECK_ROWS(&short_day, day_rows);
}

/* Identifiers: own rules. Any text is taken; what is none of the forms matches nothing. */
static void test_identifiers(void)
{
    static const dsc_parameter_t symbol = {PARAMETER(DSC_SYMBOL)};
    static const dsc_parameter_t cik = {PARAMETER(DSC_CIK)};
    static const dsc_parameter_t accession = {PARAMETER(DSC_ACCESSION)};
    static const dsc_row_t symbol_rows[] = {
        {"v=aapl", "AAPL"},         {"v=brk.b%3Anyse", "BRK.B:NYSE"},  {"v=", ""},
        {"v=%C3%A9a", E_ACUTE "A"}, {"v=A%00", HOLDS_NUL("A\\u0000")},
    };
    static const dsc_row_t cik_rows[] = {
        {"v=320193", "320193"},
        {"v=0000320193", "320193"},
        {"v=CIK0000320193", "320193"},
        {"v=cik320193", "320193"},
        {"v=0", "0"},
        {"v=0000000000", "0"},
        {"v=CIK0", "0"},
        {"v=9999999999", "9999999999"},
        {"v=00000320193", "00000320193"},
        {"v=CIK", "CIK"},
        {"v=", ""},
        {"v=12a", "12a"},
        {"v=1%00", HOLDS_NUL("1\\u0000")},
    };
    static const dsc_row_t accession_rows[] = {
        {"v=0000320193-24-000061", "0000320193-24-000061"},
        {"v=000032019324000061", "0000320193-24-000061"},
        {"v=00003201932400006", "00003201932400006"},
        {"v=00003201932400006x", "00003201932400006x"},
        {"v=", ""},
        {"v=0%00", HOLDS_NUL("0\\u0000")},
    };

    CHECK_ROWS(&symbol, symbol_rows);
    CHECK_ROWS(&cik, cik_rows);
    CHECK_ROWS(&accession, accession_rows);
}

#define FAULT_AT_1(type, message, input)                                                           \
    FAULT_AT("[\"query\",\"v\",1]", type, message, "\"" input "\"")

static void test_lists(void)
{
    static const dsc_parameter_t strings = {PARAMETER(DSC_STRING), .flags = DSC_REPEATABLE};
    static const dsc_parameter_t integers = {PARAMETER(DSC_INTEGER), .flags = DSC_REPEATABLE};
    static const dsc_parameter_t required = {PARAMETER(DSC_LITERAL),
                                             .flags = DSC_REPEATABLE | DSC_REQUIRED,
                                             .choices = only_a};
    static const dsc_parameter_t with_default = {PARAMETER(DSC_STRING), .flags = DSC_REPEATABLE,
                                                 .default_text = "x"};
    static const dsc_row_t string_rows[] = {
        {"", "absent"},   {"v=P&v=S", "[\"P\",\"S\"]"}, {"v=P,S", "[\"P,S\"]"},
        {"v=", "[\"\"]"}, {"v[]=P", "absent"},          {"v=b&w=c&v=a&v=b", "[\"b\",\"a\",\"b\"]"},
    };
    static const dsc_row_t integer_rows[] = {
        {"v=1&v=02", "[\"1\",\"2\"]"},
        {"v=1&v=x", FAULT_AT_1("int_parsing",
                               "Input should be a valid integer, unable to parse string as an "
                               "integer",
                               "x")},
        /* own rule: one that int64 cannot hold equals nothing */
        {"v=99999999999999999999&v=3", "[\"3\"]"},
        {"v=99999999999999999999", "[]"},
    };
    static const dsc_row_t required_rows[] = {
        {"", FAULT_AT("[\"query\",\"v\"]", "missing", "Field required", "null")},
        {"v=a&v=a", "[\"a\",\"a\"]"},
        {"v=x&v=a&v=y",
         "{\"detail\":[{\"type\":\"literal_error\",\"loc\":[\"query\",\"v\",0],"
         "\"msg\":\"Input should be 'a'\",\"input\":\"x\",\"ctx\":{\"expected\":\"'a'\"}},"
         "{\"type\":\"literal_error\",\"loc\":[\"query\",\"v\",2],"
         "\"msg\":\"Input should be 'a'\",\"input\":\"y\",\"ctx\":{\"expected\":\"'a'\"}}]}"},
    };
    static const dsc_row_t default_rows[] = {{"", "[\"x\"]"}, {"v=y", "[\"y\"]"}};

    CHECK_ROWS(&strings, string_rows);
    CHECK_ROWS(&integers, integer_rows);
    CHECK_ROWS(&required, required_rows);
    CHECK_ROWS(&with_default, default_rows);
}

static void test_query_strings(void)
{
    static const dsc_parameter_t parameter = {PARAMETER(DSC_STRING), .flags = DSC_REPEATABLE};
    static const dsc_row_t rows[] = {
        {NULL, "absent"},         {"&&v=1&&", "[\"1\"]"},
        {"v", "[\"\"]"},          {"v==", "[\"=\"]"},
        {"v=1=2", "[\"1=2\"]"},   {"=5", "absent"},
        {"%76=7", "[\"7\"]"},     {"v=%zz", "[\"%zz\"]"},
        {"v=%", "[\"%\"]"},       {"v=%4", "[\"%4\"]"},
        {"v=%4g", "[\"%4g\"]"},   {"v=%%41", "[\"%A\"]"},
        {"v=%25zz", "[\"%zz\"]"}, {"v=5;v=6", "[\"5;v=6\"]"},
        {"+v=5", "absent"},       {"v=%c3%A9", "[\"" E_ACUTE "\"]"},
        {"v=%26", "[\"&\"]"},
    };

    CHECK_ROWS(&parameter, rows);
}

/* Reads a table with the path value "x" and gives the body. */
static const char *table_body(const dsc_parameter_t *table, int count, const char *query)
{
    apr_array_header_t *errors = apr_array_make(dsc_pool, 1, sizeof(dsc_validation_error_t));
    apr_array_header_t *path_values = apr_array_make(dsc_pool, 1, sizeof(dsc_slice_t));
    dsc_value_t *values = apr_pcalloc(dsc_pool, (size_t)count * sizeof(*values));
    dsc_buffer_t *body = dsc_buffer_create(dsc_pool, 0);

    APR_ARRAY_PUSH(path_values, dsc_slice_t) = (dsc_slice_t){"x", 1};
    CU_ASSERT_FALSE(dsc_parameters_read(dsc_pool, table, count, path_values,
                                        dsc_query_parse(dsc_pool, query), values, errors));
    dsc_validation_errors_write(body, errors);
    return dsc_buffer_text(body);
}

static void test_order_of_errors(void)
{
    static const dsc_parameter_t table[] = {
        {.name = "q", .location = DSC_IN_QUERY, .type = DSC_STRING, .flags = DSC_REQUIRED},
        {.name = "limit", .location = DSC_IN_QUERY, .type = DSC_INTEGER, .bounds = {1, 1, 1, 9}},
        {.name = "id", .location = DSC_IN_PATH, .type = DSC_INTEGER, .flags = DSC_REQUIRED},
    };
    CU_ASSERT_STRING_EQUAL(
        table_body(table, 3, "limit=10"),
        "{\"detail\":[{\"type\":\"int_parsing\",\"loc\":[\"path\",\"id\"],\"msg\":\"Input should "
        "be a valid integer, unable to parse string as an integer\",\"input\":\"x\"},"
        "{\"type\":\"missing\",\"loc\":[\"query\",\"q\"],\"msg\":\"Field required\","
        "\"input\":null},"
        "{\"type\":\"less_than_equal\",\"loc\":[\"query\",\"limit\"],\"msg\":\"Input should be "
        "less than or equal to 9\",\"input\":\"10\",\"ctx\":{\"le\":9}}]}");
}

static void test_own_errors(void)
{
    apr_array_header_t *errors, *list;
    dsc_buffer_t *body;
    dsc_validation_error_t *error;

    errors = apr_array_make(dsc_pool, 1, sizeof(dsc_validation_error_t));
    list = apr_array_make(dsc_pool, 2, sizeof(dsc_slice_t));
    body = dsc_buffer_create(dsc_pool, 0);
    dsc_validation_error_add(errors, "query", "cursor", "the cursor is malformed",
                             (dsc_slice_t){"\"\xFF", 2});
    APR_ARRAY_PUSH(list, dsc_slice_t) = (dsc_slice_t){"a", 1};
    APR_ARRAY_PUSH(list, dsc_slice_t) = (dsc_slice_t){"", 0};
    error = apr_array_push(errors);
    *error = (dsc_validation_error_t){.type = "too_long",
                                      .location = "query",
                                      .name = "v",
                                      .index = -1,
                                      .message = "m",
                                      .input_list = list,
                                      .context = "{}"};
    dsc_validation_errors_write(body, errors);
    CU_ASSERT_STRING_EQUAL(
        dsc_buffer_text(body),
        "{\"detail\":[{\"type\":\"value_error\",\"loc\":[\"query\",\"cursor\"],"
        "\"msg\":\"Value error, the cursor is malformed\",\"input\":\"\\\"" REPLACEMENT
        "\",\"ctx\":{\"error\":{}}},"
        "{\"type\":\"too_long\",\"loc\":[\"query\",\"v\"],\"msg\":\"m\","
        "\"input\":[\"a\",\"\"],\"ctx\":{}}]}");
}

/* Each parameter of the path has the value of its own segment, wherever it stands in the table. */
static void test_path_values(void)
{
    static const dsc_parameter_t parameters[] = {
        {.name = "first", .location = DSC_IN_PATH, .type = DSC_STRING},
        {.name = "v", .location = DSC_IN_QUERY, .type = DSC_STRING},
        {.name = "second", .location = DSC_IN_PATH, .type = DSC_STRING},
    };
    apr_array_header_t *errors = apr_array_make(dsc_pool, 1, sizeof(dsc_validation_error_t));
    apr_array_header_t *segments = apr_array_make(dsc_pool, 2, sizeof(dsc_slice_t));
    dsc_value_t values[3];
    APR_ARRAY_PUSH(segments, dsc_slice_t) = (dsc_slice_t){"one", 3};
    APR_ARRAY_PUSH(segments, dsc_slice_t) = (dsc_slice_t){"two", 3};
    CU_ASSERT_FATAL(dsc_parameters_read(dsc_pool, parameters, 3, segments,
                                        dsc_query_parse(dsc_pool, "v=three"), values, errors));
    CU_ASSERT_STRING_EQUAL(values[0].text, "one");
    CU_ASSERT_STRING_EQUAL(values[1].text, "three");
    CU_ASSERT_STRING_EQUAL(values[2].text, "two");
}

void dsc_suite_parameter(void)
{
    CU_pSuite suite = CU_add_suite("parameters", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "integers", test_integers);
    CU_add_test(suite, "bounded integers", test_bounded_integers);
    CU_add_test(suite, "long integers", test_long_integers);
    CU_add_test(suite, "integer values", test_integer_values);
    CU_add_test(suite, "numbers", test_numbers);
    CU_add_test(suite, "bounded numbers", test_bounded_numbers);
    CU_add_test(suite, "booleans", test_booleans);
    CU_add_test(suite, "strings", test_strings);
    CU_add_test(suite, "literals", test_literals);
    CU_add_test(suite, "identifiers", test_identifiers);
    CU_add_test(suite, "lists", test_lists);
    CU_add_test(suite, "values of the path", test_path_values);
    CU_add_test(suite, "query strings", test_query_strings);
    CU_add_test(suite, "order of errors", test_order_of_errors);
    CU_add_test(suite, "own errors", test_own_errors);
}
