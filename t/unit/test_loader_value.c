/* Values as the loader lets them through to the database, and array literals. */
#include "unit/fixture.h"
#include "unit/suites.h"

#include "engine/dataset.h"
#include "engine/tables.h"
#include "formats/json_line.h"
#include "loader/loader_internal.h"
#include "loader/loader_value.h"

#include <CUnit/Basic.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    dsc_column_type_t type;
    const char *text;
    int good;
} dsc_case_t;

static const dsc_case_t cases[] = {
    {DSC_COLUMN_INTEGER, "0", 1},
    {DSC_COLUMN_INTEGER, "-7", 1},
    {DSC_COLUMN_INTEGER, "+7", 1},
    {DSC_COLUMN_INTEGER, "9223372036854775807", 1},
    {DSC_COLUMN_INTEGER, "9223372036854775808", 0},
    {DSC_COLUMN_INTEGER, "-9223372036854775808", 1},
    {DSC_COLUMN_INTEGER, "-9223372036854775809", 0},
    {DSC_COLUMN_INTEGER, "99999999999999999999999999", 0},
    {DSC_COLUMN_INTEGER, "", 0},
    {DSC_COLUMN_INTEGER, "-", 0},
    {DSC_COLUMN_INTEGER, "1.0", 0},
    {DSC_COLUMN_INTEGER, " 1", 0},
    {DSC_COLUMN_DECIMAL, "12345.60", 1},
    {DSC_COLUMN_DECIMAL, "-.5", 1},
    {DSC_COLUMN_DECIMAL, "1e3", 1},
    {DSC_COLUMN_DECIMAL, "123456789012345678901234567890.123456789", 1},
    {DSC_COLUMN_DECIMAL, "1e307", 1},
    {DSC_COLUMN_DECIMAL, "1e308", 0},
    {DSC_COLUMN_DECIMAL, "1e400", 0},
    {DSC_COLUMN_DECIMAL, "1e-16383", 1},
    {DSC_COLUMN_DECIMAL, "1e-16384", 0},
    {DSC_COLUMN_DECIMAL, "", 0},
    {DSC_COLUMN_DECIMAL, ".", 0},
    {DSC_COLUMN_DECIMAL, "NaN", 0},
    {DSC_COLUMN_DECIMAL, "1,000", 0},
    {DSC_COLUMN_DECIMAL, "$5", 0},
    {DSC_COLUMN_BOOLEAN, "t", 1},
    {DSC_COLUMN_BOOLEAN, "f", 1},
    {DSC_COLUMN_BOOLEAN, "true", 0},
    {DSC_COLUMN_BOOLEAN, "", 0},
    {DSC_COLUMN_DATE, "2024-02-29", 1},
    {DSC_COLUMN_DATE, "2023-02-29", 0},
    {DSC_COLUMN_DATE, "1900-02-29", 0},
    {DSC_COLUMN_DATE, "2000-02-29", 1},
    {DSC_COLUMN_DATE, "0001-01-01", 1},
    {DSC_COLUMN_DATE, "0000-01-01", 0},
    {DSC_COLUMN_DATE, "2024-13-01", 0},
    {DSC_COLUMN_DATE, "2024-00-10", 0},
    {DSC_COLUMN_DATE, "2024-04-31", 0},
    {DSC_COLUMN_DATE, "2024-4-3", 0},
    {DSC_COLUMN_DATE, "20240403", 0},
    {DSC_COLUMN_DATE, "2024-04-03 ", 0},
    {DSC_COLUMN_DATE, "infinity", 0},
    {DSC_COLUMN_DATETIME, "2024-05-02T20:30:39Z", 1},
    {DSC_COLUMN_DATETIME, "2024-05-02 20:30:39.123456-05:00", 1},
    {DSC_COLUMN_DATETIME, "2024-05-02T20:30:39+0530", 1},
    {DSC_COLUMN_DATETIME, "2024-05-02T20:30:39+05", 1},
    {DSC_COLUMN_DATETIME, "2024-05-02T20:30:39", 0},
    {DSC_COLUMN_DATETIME, "2024-05-02", 0},
    {DSC_COLUMN_DATETIME, "2024-05-02T24:00:00Z", 0},
    {DSC_COLUMN_DATETIME, "2024-05-02T23:60:00Z", 0},
    {DSC_COLUMN_DATETIME, "2024-05-02T23:59:60Z", 0},
    {DSC_COLUMN_DATETIME, "2024-05-02T23:59:59.Z", 0},
    {DSC_COLUMN_DATETIME, "2024-05-02T23:59:59-15:59", 1},
    {DSC_COLUMN_DATETIME, "2024-05-02T23:59:59+16:00", 0},
    {DSC_COLUMN_DATETIME, "2024-05-02T23:59:59+15:60", 0},
    {DSC_COLUMN_DATETIME, "2024-05-02T23:59:59Z now", 0},
    {DSC_COLUMN_TEXT, "", 1},
    {DSC_COLUMN_TEXT, "M\xC3\xBCller \xF0\x9F\x98\x80", 1},
    {DSC_COLUMN_TEXT, "bad \xC3(", 0},
    {DSC_COLUMN_TEXT, "\xED\xA0\x80", 0},
    {DSC_COLUMN_TEXT, "\xC0\xAF", 0},
    {DSC_COLUMN_TEXTS, "{}", 1},
    {DSC_COLUMN_TEXTS, "{2.02,9.01}", 1},
    {DSC_COLUMN_TEXTS, "{\"a \\\"b\\\", c\",d}", 1},
    {DSC_COLUMN_TEXTS, "{\"\"}", 1},
    {DSC_COLUMN_TEXTS, "", 0},
    {DSC_COLUMN_TEXTS, "{", 0},
    {DSC_COLUMN_TEXTS, "{a", 0},
    {DSC_COLUMN_TEXTS, "{a,}", 0},
    {DSC_COLUMN_TEXTS, "{a}b", 0},
    {DSC_COLUMN_TEXTS, "{{a}}", 0},
    {DSC_COLUMN_TEXTS, "{\"a}", 0},
    {DSC_COLUMN_TEXTS, "{\"a\\", 0},
    {DSC_COLUMN_TEXTS, "{\"\xFF\"}", 0},
    {DSC_COLUMN_JSON, "[{\"key\":\"item_1\",\"char_end\":10}]", 1},
    {DSC_COLUMN_JSON, "[]", 1},
    {DSC_COLUMN_JSON, "[", 0},
    {DSC_COLUMN_JSON, "", 0},
    {DSC_COLUMN_JSON, "{\"a\":\"\\u0000\"}", 0},
    {DSC_COLUMN_JSON, "[\"\\ud800\"]", 0},
};

static void test_values(void)
{
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *error = dsc_value_error(cases[i].type, cases[i].text);
        CU_ASSERT_EQUAL(error == NULL, cases[i].good);
        if ((error == NULL) != cases[i].good) {
            printf("\n    type %d, \"%s\": %s", cases[i].type, cases[i].text,
                   error == NULL ? "was let through" : error);
        }
    }
}

static void test_columns(void)
{
    static const char *const choices[] = {"A", "D", NULL};
    const dsc_column_t required = {"form", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, ""};
    const dsc_column_t chosen = {"side", DSC_COLUMN_TEXT, 0, choices, ""};

    CU_ASSERT_STRING_EQUAL(dsc_column_error(dsc_pool, &required, NULL), "form: is required");
    CU_ASSERT_STRING_EQUAL(dsc_column_error(dsc_pool, &required, ""), "form: is required");
    CU_ASSERT_PTR_NULL(dsc_column_error(dsc_pool, &required, "4"));
    CU_ASSERT_PTR_NULL(dsc_column_error(dsc_pool, &chosen, NULL));
    CU_ASSERT_PTR_NULL(dsc_column_error(dsc_pool, &chosen, "D"));
    CU_ASSERT_STRING_EQUAL(dsc_column_error(dsc_pool, &chosen, "d"), "side: not one of A, D");
}

static void test_texts(void)
{
    const char *const texts[] = {"plain", "a \"b\", c", "back\\slash", ""};
    const char *literal = dsc_texts_literal(dsc_pool, 4, texts);

    CU_ASSERT_STRING_EQUAL(literal, "{\"plain\",\"a \\\"b\\\", c\",\"back\\\\slash\",\"\"}");
    CU_ASSERT_PTR_NULL(dsc_value_error(DSC_COLUMN_TEXTS, literal));
    CU_ASSERT_STRING_EQUAL(dsc_texts_literal(dsc_pool, 0, NULL), "{}");
    CU_ASSERT_STRING_EQUAL(dsc_texts_literal(dsc_pool, 3,
                                             (const char *const[]){NULL, "NULL", NULL}),
                           "{NULL,\"NULL\",NULL}");
}

/* Walks over an object; returns its members as "name=kind:text;" or the error. */
static const char *walk_text(const char *text)
{
    const char *seen = "", *name;
    dsc_json_value_t value;
    dsc_json_walk_t walk;

    dsc_json_walk(&walk, dsc_pool, text, strlen(text), 0);
    while (dsc_json_next(&walk, &name, &value)) {
        seen = apr_psprintf(dsc_pool, "%s%s=%d:%s;", seen, name, value.kind, value.text);
    }
    return walk.error == NULL ? seen : walk.error;
}

static void test_line(void)
{
    static const char *const faulty[] = {
        "",
        "[]",
        "{",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":-}",
        "{\"a\":tru}",
        "{\"a\":\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\udc00\"}",
        "{\"a\":\"\\ud83dx\"}",
        "{\"a\":\"\\ud83d\\u0041\"}",
        "{\"a\":\"\\n\x1f\"}",
        "{\"a\":\"\\n\xE9\"}",
        "{\"a\":\"\\u0000\"}",
        "{\"a\":\"\t\"}",
        "{\"a\":1} x",
        "{\"a\":[1,]}",
        "{\"a\":{\"b\"}}",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
    };
    size_t i;

    CU_ASSERT_STRING_EQUAL(walk_text(" { } "), "");
    CU_ASSERT_STRING_EQUAL(walk_text("{\"n\":12345678901234567890.120,\"t\":true,\"z\":null}"),
                           "n=3:12345678901234567890.120;t=1:true;z=0:null;");
    CU_ASSERT_STRING_EQUAL(walk_text("{\"s\":\"\\u00e9\\ud83d\\ude00\\n\\/\"}"),
                           "s=4:\xC3\xA9\xF0\x9F\x98\x80\n/;");
    CU_ASSERT_STRING_EQUAL(walk_text("{\"o\":{\"a\":[1, {\"b\":\"}\"}]},\"x\":-1e+5}"),
                           "o=5:{\"a\":[1, {\"b\":\"}\"}]};x=3:-1e+5;");
    for (i = 0; i < sizeof(faulty) / sizeof(faulty[0]); i++) {
        dsc_json_walk_t walk;
        dsc_json_value_t value;
        const char *name;

        dsc_json_walk(&walk, dsc_pool, faulty[i], strlen(faulty[i]), 0);
        while (dsc_json_next(&walk, &name, &value)) {
        }
        CU_ASSERT_PTR_NOT_NULL(walk.error);
        if (walk.error == NULL) {
            printf("\n    let through: %s", faulty[i]);
        }
    }
}

/* What a walk in place sees: nested values as "name{...}", but those whose names begin with "x" are
 * not entered. */
static const char *in_place(dsc_json_walk_t *walk)
{
    const char *seen = "", *name = "";
    dsc_json_value_t value;

    while (dsc_json_next(walk, walk->close == '}' ? &name : NULL, &value)) {
        if (value.kind != DSC_JSON_OBJECT && value.kind != DSC_JSON_ARRAY) {
            seen = apr_psprintf(dsc_pool, "%s%s=%s;", seen, name, value.text);
        } else if (*name == 'x') {
            seen = apr_psprintf(dsc_pool, "%s%s;", seen, name);
        } else {
            dsc_json_walk_t inner;
            const char *within;

            dsc_json_enter(&inner, dsc_pool, walk);
            within = in_place(&inner);
            dsc_json_leave(&inner, walk);
            seen = apr_psprintf(dsc_pool, "%s%s{%s}", seen, name, within);
        }
    }
    return seen;
}

static void test_in_place(void)
{
    static const struct {
        const char *text, *seen, *error;
    } walks[] = {
        {"{\"a\":1,\"o\":{\"b\":\"\\u00e9\",\"p\":{}},\"c\":[ 2 , [ ] , \"}\"]}",
         "a=1;o{b=\xC3\xA9;p{}}c{=2;{}=};}", NULL},
        {"{\"x1\":{\"b\":[1,{\"c\":\"]\"}]},\"a\":{\"x2\":[],\"d\":3},\"x3\":{}}",
         "x1;a{x2;d=3;}x3;", NULL},
        {"{\"a\":{\"b\":1}} x", "a{b=1;}", "more text follows the JSON value"},
        {"{\"a\":{\"b\":1 \"c\":2}}", "a{b=1;}", "a comma or the end is missing"},
        {"{\"x\":{\"b\"},\"c\":2}", "x;", "a member has no name"},
        {"{\"a\":{\"b\":1", "a{b=1;}", "a comma or the end is missing"},
    };
    size_t i;

    for (i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
        dsc_json_walk_t walk;

        dsc_json_walk_in_place(&walk, dsc_pool, walks[i].text, strlen(walks[i].text));
        CU_ASSERT_STRING_EQUAL(in_place(&walk), walks[i].seen);
        CU_ASSERT_TRUE(walks[i].error == NULL
                           ? walk.error == NULL
                           : walk.error != NULL && strcmp(walk.error, walks[i].error) == 0);
    }
}

static void test_deep(void)
{
    char *text = apr_palloc(dsc_pool, 100010);

    memcpy(text, "{\"a\":", 5);
    memset(text + 5, '[', 100000);
    text[100005] = '\0';
    CU_ASSERT_STRING_EQUAL(walk_text(text), "values are nested too deeply");
}

/* Datasets that one function reconciles are locked and counted by the first of them. */
static void test_slots(void)
{
    static const char *const rows[][2] = {
        {"insider", "insider"},
        {"insider_holding", "insider"},
        {"listing", "company"},
        {"fund_exposure", "fund"},
        {"politician", "politician"},
        {"filing", "filing"},
        {"congress_report", "congress_trade"},
        {"transcript", "transcript"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CU_ASSERT_EQUAL(dsc_slot_of(dsc_dataset_find(rows[i][0])), dsc_dataset_index(rows[i][1]));
    }
}

void dsc_suite_loader_value(void)
{
    CU_pSuite suite = CU_add_suite("loader_value", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "values of each type", test_values);
    CU_add_test(suite, "columns", test_columns);
    CU_add_test(suite, "array literals", test_texts);
    CU_add_test(suite, "datasets that are reconciled together", test_slots);
    CU_add_test(suite, "lines of NDJSON", test_line);
    CU_add_test(suite, "deep nesting", test_deep);
    CU_add_test(suite, "nested JSON in place", test_in_place);
}
