/* Bodies are read as FastAPI with Pydantic v2 reads them, and what is no JSON is explained in the
 * words of Python 3.14. */
#include "engine/body.h"
#include "engine/json_syntax.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <stdio.h>
#include <time.h>

/* ---------------------------------------------------------------------- syntax */

typedef struct {
    const char *text, *message; /* NULL: it is JSON */
    size_t position;
} syntax_row_t;

static const syntax_row_t syntax_rows[] = {
    {"{}", NULL, 0},
    {" [1, -0, 2.5, 1e9, 1E+2, 0.5e-3, true, false, null, \"\\u00e9\\n\\/\"] ", NULL, 0},
    {"{\"a\":{\"b\":[{}]}}", NULL, 0},
    {"\"x\"", NULL, 0},
    {"", "Expecting value", 0},
    {"  ", "Expecting value", 2},
    {"tru", "Expecting value", 0},
    {"NaN", "Expecting value", 0},
    {"-Infinity", "Expecting value", 0},
    {"-", "Expecting value", 0},
    {".5", "Expecting value", 0},
    {"{\"query\":", "Expecting value", 9},
    {"{\"query\":}", "Expecting value", 9},
    {"[", "Expecting value", 1},
    {"[1,", "Expecting value", 3},
    {"[,]", "Expecting value", 1},
    {"{", "Expecting property name enclosed in double quotes", 1},
    {"{1:2}", "Expecting property name enclosed in double quotes", 1},
    {"{'a':1}", "Expecting property name enclosed in double quotes", 1},
    {"{\"a\":1,,}", "Expecting property name enclosed in double quotes", 7},
    {"{\"a\":1,", "Expecting property name enclosed in double quotes", 7},
    {"{\"query\":\"a\",}", "Illegal trailing comma before end of object", 12},
    {"{\"query\":\"a\" , }", "Illegal trailing comma before end of object", 13},
    {"[1,]", "Illegal trailing comma before end of array", 2},
    {"{\"query\" \"a\"}", "Expecting ':' delimiter", 9},
    {"{\"a\"", "Expecting ':' delimiter", 4},
    {"{\"query\":\"a\" \"limit\":1}", "Expecting ',' delimiter", 13},
    {"{\"a\":01}", "Expecting ',' delimiter", 6},
    {"{\"a\":1.}", "Expecting ',' delimiter", 6},
    {"[1 2]", "Expecting ',' delimiter", 3},
    {"[1", "Expecting ',' delimiter", 2},
    {"{\"a\":1]", "Expecting ',' delimiter", 6},
    {"{\"query\":\"a", "Unterminated string starting at", 9},
    {"\"a\\", "Unterminated string starting at", 0},
    {"[\"a\tb\"]", "Invalid control character at", 3},
    {"\"\\x\"", "Invalid \\escape", 1},
    {"\"\\u12\"", "Invalid \\uXXXX escape", 2},
    {"\"\\u12g4\"", "Invalid \\uXXXX escape", 2},
    {"{\"query\":\"a\"} x", "Extra data", 14},
    {"01", "Extra data", 1},
    {"1.e5", "Extra data", 1},
    {"1e", "Extra data", 1},
    {"1.5e", "Extra data", 3},
    {"{\"\xC3\xA9\xF0\x9F\x98\x80\":\"\xC3\xA9\",}", "Illegal trailing comma before end of object",
     9},
};

static void test_syntax(void)
{
    size_t i;
    for (i = 0; i < sizeof(syntax_rows) / sizeof(syntax_rows[0]); i++) {
        const syntax_row_t *row = &syntax_rows[i];
        dsc_slice_t text = {row->text, strlen(row->text)};
        dsc_json_error_t error = dsc_json_syntax(text);
        int good = row->message ? error.message && strcmp(error.message, row->message) == 0 &&
                                      error.position == row->position
                                : error.message == NULL;
        CU_ASSERT(good);
        if (!good) {
            fprintf(stderr, "%s: %s at %zu\n", row->text, error.message ? error.message : "good",
                    error.position);
        }
    }
}

/* Arrays in arrays, as many as asked for. */
static dsc_slice_t nested(int depth)
{
    dsc_buffer_t *text = dsc_buffer_create(dsc_pool, 256);
    dsc_slice_t slice;
    int i;
    for (i = 0; i < depth; i++) {
        dsc_buffer_append_char(text, '[');
    }
    slice.data = dsc_buffer_text(text);
    slice.length = text->length;
    return slice;
}

static void test_depth(void)
{
    CU_ASSERT_STRING_EQUAL(dsc_json_syntax(nested(63)).message, "Expecting value");
    CU_ASSERT_PTR_EQUAL(dsc_json_syntax(nested(65)).message, DSC_JSON_TOO_DEEP);
    CU_ASSERT_PTR_EQUAL(dsc_json_syntax(nested(60000)).message, DSC_JSON_TOO_DEEP);
}

/* ---------------------------------------------------------------------- bodies */

static const char *const colours[] = {"red", "blue", NULL};

static const dsc_parameter_t parameters[] = {
    {.name = "id", .location = DSC_IN_PATH, .type = DSC_INTEGER},
    {.name = "name",
     .location = DSC_IN_BODY,
     .type = DSC_STRING,
     .flags = DSC_REQUIRED,
     .bounds = {1, 1, 2, 5}},
    {.name = "colours",
     .location = DSC_IN_BODY,
     .type = DSC_LITERAL,
     .flags = DSC_REPEATABLE | DSC_NOT_EMPTY,
     .choices = colours},
    {.name = "url", .location = DSC_IN_BODY, .type = DSC_URL},
};

enum {
    COUNT = sizeof(parameters) / sizeof(parameters[0])
};

/* The body's values, or the 422 that it gives, as text. */
static const char *read_body(const char *content_type, const char *bytes, size_t length)
{
    dsc_body_t body = {content_type, {bytes, length}};
    apr_array_header_t *errors = apr_array_make(dsc_pool, 2, sizeof(dsc_validation_error_t));
    dsc_buffer_t *text = dsc_buffer_create(dsc_pool, 256);
    dsc_value_t values[COUNT];
    json_t *json;
    dsc_body_result_t result = dsc_body_parse(dsc_pool, &body, &json, errors);
    memset(values, 0, sizeof(values));
    if (result == DSC_BODY_UNREADABLE) {
        return "unreadable";
    }
    if (result == DSC_BODY_INVALID ||
        !dsc_body_read(dsc_pool, parameters, COUNT, json, values, errors)) {
        dsc_validation_errors_write(text, errors);
        return dsc_buffer_text(text);
    }
    return apr_pstrcat(dsc_pool, values[1].text, "|",
                       values[2].present ? apr_array_pstrcat(dsc_pool, values[2].list, '+') : "-",
                       "|", values[3].present ? values[3].text : "-", NULL);
}

typedef struct {
    const char *content_type, *body, *expected;
} body_row_t;

#define JSON "application/json"
#define MISSING_BODY                                                                               \
    "{\"detail\":[{\"type\":\"missing\",\"loc\":[\"body\"],\"msg\":\"Field required\",\"input\":"  \
    "null}]}"
#define NO_OBJECT(input)                                                                             \
    "{\"detail\":[{\"type\":\"model_attributes_type\",\"loc\":[\"body\"],\"msg\":\"Input should be " \
    "a valid dictionary or object to extract fields from\",\"input\":" input "}]}"
#define FAULT(type, loc, message, input)                                                           \
    "{\"type\":\"" type "\",\"loc\":[\"body\"," loc "],\"msg\":\"" message "\",\"input\":" input

static const body_row_t body_rows[] = {
    {JSON, "{\"name\":\"ab\"}", "ab|-|-"},
    {"Application/JSON; charset=utf-8", "{\"name\":\"ab\"}", "ab|-|-"},
    {"application/merge-patch+json", "{\"name\":\"ab\"}", "ab|-|-"},
    {NULL, "{\"name\":\"ab\"}", "ab|-|-"},
    {JSON, "\xEF\xBB\xBF{\"name\":\"ab\"}", "ab|-|-"},
    {JSON, "{\"name\":\"x\",\"name\":\"abc\",\"more\":[]}", "abc|-|-"},
    {JSON,
     "{\"name\":\"ab\",\"colours\":[\"red\",\"blue\",\"red\"],\"url\":\"https://A.example#x\"}",
     "ab|red+blue|https://a.example/"},
    {JSON, "", MISSING_BODY},
    {"text/plain", "", MISSING_BODY},
    {JSON, " null ", MISSING_BODY},
    {JSON, "[1, 2]", NO_OBJECT("[1,2]")},
    {JSON, "5", NO_OBJECT("5")},
    {"text/plain", "{\"name\":\"ab\"}", NO_OBJECT("\"{\\\"name\\\":\\\"ab\\\"}\"")},
    {"application/jsonx", "{}", NO_OBJECT("\"{}\"")},
    {"application/x-www-form-urlencoded", "{}", NO_OBJECT("\"{}\"")},
    {"text/merge-patch+json", "{}", NO_OBJECT("\"{}\"")},
    {JSON, "{",
     "{\"detail\":[{\"type\":\"json_invalid\",\"loc\":[\"body\",1],\"msg\":\"JSON decode error\","
     "\"input\":{},\"ctx\":{\"error\":\"Expecting property name enclosed in double quotes\"}}]}"},
    {JSON, "\"\\x\"",
     "{\"detail\":[{\"type\":\"json_invalid\",\"loc\":[\"body\",1],\"msg\":\"JSON decode error\","
     "\"input\":{},\"ctx\":{\"error\":\"Invalid \\\\escape\"}}]}"},
    {JSON, "{\"colours\":[]}",
     "{\"detail\":[" FAULT("missing", "\"name\"", "Field required", "{\"colours\":[]}") "}," FAULT(
         "too_short", "\"colours\"", "List should have at least 1 item after validation, not 0",
         "[]") ",\"ctx\":{\"field_type\":\"List\",\"min_length\":1,\"actual_length\":0}}]}"},
    {JSON, "{\"name\":7,\"colours\":{\"a\":1},\"url\":null}",
     "{\"detail\":[" FAULT(
         "string_type", "\"name\"", "Input should be a valid string",
         "7") "}," FAULT("list_type", "\"colours\"", "Input should be a valid list",
                         "{\"a\":1}") "}," FAULT("url_type", "\"url\"",
                                                 "URL input should be a string or URL",
                                                 "null") "}]}"},
    {JSON, "{\"name\":\"abcdef\",\"colours\":[\"red\",\"</b>\",null]}",
     "{\"detail\":[" FAULT("string_too_long", "\"name\"", "String should have at most 5 characters", "\"abcdef\"") ",\"ctx\":{\"max_length\":5}}," FAULT(
         "literal_error", "\"colours\",1", "Input should be 'red' or 'blue'",
         "\"<\\/b>\"") ",\"ctx\":{\"expected\":\"'red' or 'blue'\"}}," FAULT("literal_error",
                                                                             "\"colours\",2",
                                                                             "Input should be 'red' or 'blue'",
                                                                             "null") ",\"ctx\":{\"expected\":\"'red' or 'blue'\"}}]}"},
    {JSON, "{\"name\":\"a\\u0000b\"}",
     "{\"detail\":[" FAULT("value_error", "\"name\"", "Value error, NUL characters are not allowed",
                           "\"a\\u0000b\"") ",\"ctx\":{\"error\":{}}}]}"},
    {JSON, "{\"name\":\"\\ud800\"}", "unreadable"},
    {JSON, "[99999999999999999999]", "unreadable"},
    {JSON, "\"\xff\"", "unreadable"},
    {"text/plain", "\xff", "unreadable"},
    {JSON, "\xFF\xFE{\x01", "unreadable"},
};

static void test_bodies(void)
{
    size_t i;
    for (i = 0; i < sizeof(body_rows) / sizeof(body_rows[0]); i++) {
        const body_row_t *row = &body_rows[i];
        const char *got = read_body(row->content_type, row->body, strlen(row->body));
        CU_ASSERT_STRING_EQUAL(got, row->expected);
        if (strcmp(got, row->expected) != 0) {
            fprintf(stderr, "%s\n  got      %s\n  expected %s\n", row->body, got, row->expected);
        }
    }
}

/* As many elements as a body has room for, each of them twice, take no time that anybody
 * notices. */
static void test_long_list(void)
{
    static const dsc_parameter_t symbols = {.name = "symbols",
                                            .location = DSC_IN_BODY,
                                            .type = DSC_STRING,
                                            .flags = DSC_REPEATABLE};
    enum {
        DIFFERENT = 10000
    };
    apr_array_header_t *errors = apr_array_make(dsc_pool, 2, sizeof(dsc_validation_error_t));
    json_t *list = json_array(), *json = json_object();
    dsc_value_t value = {0};
    clock_t begun;
    int i;
    for (i = 0; i < 2 * DIFFERENT; i++) {
        json_array_append_new(list, json_string(apr_itoa(dsc_pool, i % DIFFERENT)));
    }
    json_object_set_new(json, "symbols", list);
    begun = clock();
    CU_ASSERT(dsc_body_read(dsc_pool, &symbols, 1, json, &value, errors));
    CU_ASSERT(clock() - begun < CLOCKS_PER_SEC / 10);
    CU_ASSERT_EQUAL(value.list->nelts, DIFFERENT);
    CU_ASSERT_STRING_EQUAL(APR_ARRAY_IDX(value.list, DIFFERENT - 1, const char *), "9999");
    json_decref(json);
}

static void test_nul(void)
{
    static const char behind[] = "{\"name\":\"ab\"}\0{";

    CU_ASSERT_STRING_EQUAL(read_body("text/plain", "a\0b", 3), NO_OBJECT("\"a\\u0000b\""));
    CU_ASSERT_STRING_EQUAL(
        read_body(JSON, behind, sizeof(behind) - 1),
        "{\"detail\":[{\"type\":\"json_invalid\",\"loc\":[\"body\",13],\"msg\":\"JSON decode "
        "error\",\"input\":{},\"ctx\":{\"error\":\"Extra data\"}}]}");
}

static void test_taken(void)
{
    CU_ASSERT(dsc_body_is_taken(parameters, COUNT));
    CU_ASSERT(!dsc_body_is_taken(parameters, 1));
    CU_ASSERT(dsc_body_is_taken(parameters + 1, 1));
    CU_ASSERT(!dsc_body_is_taken(NULL, 0));
}

void dsc_suite_body(void)
{
    CU_pSuite suite = CU_add_suite("bodies", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "syntax", test_syntax);
    CU_add_test(suite, "depth", test_depth);
    CU_add_test(suite, "bodies", test_bodies);
    CU_add_test(suite, "a long list", test_long_list);
    CU_add_test(suite, "NUL", test_nul);
    CU_add_test(suite, "which take one", test_taken);
}
