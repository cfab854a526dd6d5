/* Formats of rows: what Accept chooses, finding one's way in JSON of ours, members chosen, lines of
 * CSV, and the text for models. */
#include "engine/json_scan.h"
#include "engine/media.h"
#include "engine/member.h"
#include "mcp/mcp_text.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <string.h>

/* ------------------------------------------------------------------------ Accept */

static void test_accept(void)
{
    static const struct {
        const char *accept;
        int count;
        dsc_media_t chosen;
    } rows[] = {
        {NULL, DSC_MEDIA_COUNT, DSC_MEDIA_JSON},
        {"", DSC_MEDIA_COUNT, DSC_MEDIA_JSON},
        {" , ,", DSC_MEDIA_COUNT, DSC_MEDIA_JSON},
        {"*/*", DSC_MEDIA_COUNT, DSC_MEDIA_JSON},
        {"text/csv", DSC_MEDIA_COUNT, DSC_MEDIA_CSV},
        {"Text/CSV;charset=utf-8", DSC_MEDIA_COUNT, DSC_MEDIA_CSV},
        {"text/csv", 1, DSC_MEDIA_COUNT},
        {"text/*;q=0.5,application/json;q=0.4", DSC_MEDIA_COUNT, DSC_MEDIA_CSV},
        {"*/*;q=0.1, application/x-ndjson", DSC_MEDIA_COUNT, DSC_MEDIA_NDJSON},
        {"*/*, application/json;q=0", DSC_MEDIA_COUNT, DSC_MEDIA_CSV},
        {"application/json;v=1;q=0.2, text/csv; q=0.300", DSC_MEDIA_COUNT, DSC_MEDIA_CSV},
        {"application/problem+json", DSC_MEDIA_COUNT, DSC_MEDIA_JSON},
        {"text/csvx", DSC_MEDIA_COUNT, DSC_MEDIA_COUNT},
        {"text/csv;q=0", DSC_MEDIA_COUNT, DSC_MEDIA_COUNT},
        {";;;q=1,/,*", DSC_MEDIA_COUNT, DSC_MEDIA_COUNT},
    };
    size_t i;
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CU_ASSERT_EQUAL(dsc_media_choose(rows[i].accept, rows[i].count), rows[i].chosen);
    }
}

/* -------------------------------------------------------------------------- JSON */

static const char *unquoted(const char *string)
{
    dsc_buffer_t *out = dsc_buffer_create(dsc_pool, 16);
    dsc_json_unquote(out, (dsc_slice_t){string, strlen(string)});
    return dsc_buffer_text(out);
}

static void test_scan(void)
{
    static const char object[] =
        "{\"a\":{\"b\":\"}\\\"]\",\"c\":[1,{\"d\":2}]},\"e\":null,\"f\":[\"x\",\"y\"]}";
    dsc_slice_t value = dsc_json_find(object, "e"), element;
    const char *at;
    int count = 0;
    CU_ASSERT(value.length == 4 && memcmp(value.data, "null", 4) == 0);
    CU_ASSERT_PTR_NULL(dsc_json_find(object, "b").data);
    CU_ASSERT_PTR_NULL(dsc_json_find("[1]", "a").data);
    CU_ASSERT_PTR_EQUAL(dsc_json_end(object), object + strlen(object));
    for (at = dsc_json_find(object, "f").data + 1; dsc_json_element(&at, &element); count++) {
        CU_ASSERT_EQUAL(element.length, 3);
    }
    CU_ASSERT_EQUAL(count, 2);
    CU_ASSERT_STRING_EQUAL(unquoted("\"a\\n\\t\\\\\\\"\\/b\""), "a\n\t\\\"/b");
    CU_ASSERT_STRING_EQUAL(unquoted("\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\""),
                           "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    CU_ASSERT_STRING_EQUAL(unquoted("\"\\ud83dx\\ude00\""), "\xEF\xBF\xBDx\xEF\xBF\xBD");
    CU_ASSERT_STRING_EQUAL(unquoted("\"\""), "");
}

/* ----------------------------------------------------------------------- members */

static const dsc_field_t person_fields[] = {
    {.name = "name", .type = DSC_FIELD_TEXT},
    {.name = "others", .type = DSC_FIELD_JSON, .flags = DSC_ARRAY | DSC_NULLABLE},
};
static const dsc_shape_t person = {"Person", "", person_fields, 2};
static const dsc_field_t fields[] = {
    {.name = "id", .type = DSC_FIELD_INTEGER},
    {.name = "who", .type = DSC_FIELD_OBJECT, .shape = &person},
    {.name = "price", .type = DSC_FIELD_VALUE, .unit = "USD"},
    {.name = "note", .type = DSC_FIELD_TEXT, .flags = DSC_NULLABLE},
};
static const dsc_shape_t shape = {"Row", "", fields, 4};

static const char row[] =
    "{\"id\":7,\"who\":{\"name\":\"A, \\\"B\\\"\",\"others\":[\"x\",\"y\"]},"
    "\"price\":{\"raw\":1.50,\"normalized\":1.50,\"unit\":\"USD\",\"original_unit\":\"USD\","
    "\"conversion_factor\":1},\"note\":\"\"}";
static const char bare[] =
    "{\"id\":8,\"who\":{\"name\":\"C\",\"others\":null},\"price\":null,\"note\":null}";

/* `paths` with commas between them; NULL: all. */
static dsc_members_t *members_of(const char *paths)
{
    dsc_members_t *members = dsc_members_of(dsc_pool, &shape);
    if (paths) {
        dsc_members_clear(members);
    }
    while (paths && *paths) {
        size_t length = strcspn(paths, ",");
        CU_ASSERT_TRUE(dsc_members_choose(members, (dsc_slice_t){paths, length}));
        paths += length + (paths[length] == ',');
    }
    return members;
}

static void write_json(dsc_buffer_t *out, dsc_members_t *members, const char *item)
{
    dsc_members_write_json(out, members, item);
}

static const char *written(const char *paths,
                           void (*write)(dsc_buffer_t *, dsc_members_t *, const char *),
                           const char *item)
{
    dsc_buffer_t *out = dsc_buffer_create(dsc_pool, 64);
    write(out, members_of(paths), item);
    return dsc_buffer_text(out);
}

/* Rows share their room: nothing of one stays for the next, and none needs more of the pool. */
static void test_rows_in_turn(void)
{
    dsc_members_t *members = members_of("note,who.name");
    dsc_buffer_t *out = dsc_buffer_create(dsc_pool, 64);
    dsc_members_write_row(out, members, row);
    dsc_members_write_row(out, members, bare);
    CU_ASSERT_STRING_EQUAL(dsc_buffer_text(out), "\"A, \"\"B\"\"\",\"\"\r\nC,\r\n");
}

static void test_members(void)
{
    dsc_buffer_t *header = dsc_buffer_create(dsc_pool, 64);
    dsc_members_write_header(header, members_of(NULL));
    CU_ASSERT_STRING_EQUAL(dsc_buffer_text(header),
                           "id,who.name,who.others,price.raw,price.normalized,price.unit,"
                           "price.original_unit,price.conversion_factor,note\r\n");
    CU_ASSERT_STRING_EQUAL(
        written(NULL, dsc_members_write_row, row),
        "7,\"A, \"\"B\"\"\",\"[\"\"x\"\",\"\"y\"\"]\",1.50,1.50,USD,USD,1,\"\"\r\n");
    CU_ASSERT_STRING_EQUAL(written(NULL, dsc_members_write_row, bare), "8,C,,,,,,,\r\n");
    test_rows_in_turn();
    CU_ASSERT_STRING_EQUAL(written("note,id,price.raw", dsc_members_write_row, row),
                           "7,1.50,\"\"\r\n");
    CU_ASSERT_STRING_EQUAL(written(NULL, write_json, row), row);
    CU_ASSERT_STRING_EQUAL(written("who.name,note", write_json, row),
                           "{\"who\":{\"name\":\"A, \\\"B\\\"\"},\"note\":\"\"}");
    CU_ASSERT_STRING_EQUAL(written("price.raw", write_json, bare), "{\"price\":null}");
    CU_ASSERT_FALSE(dsc_members_choose(members_of(NULL), (dsc_slice_t){"who.nobody", 10}));
    CU_ASSERT_FALSE(dsc_members_choose(members_of(NULL), (dsc_slice_t){"", 0}));
}

/* -------------------------------------------------------------------------- text */

static void test_text(void)
{
    dsc_buffer_t *out = dsc_buffer_create(dsc_pool, 256);
    dsc_mcp_text(
        out,
        "{\"company\":{\"symbol\":\"A:US\",\"cik\":null},\"tags\":[\"x\",\"y\"],\"none\":[],"
        "\"data\":[{\"id\":1,\"v\":{\"raw\":2,\"normalized\":2}},{\"id\":2,\"t\":\"a,b\"}],\"ok\":true}");
    CU_ASSERT_STRING_EQUAL(dsc_buffer_text(out),
                           "company.symbol: A:US\ntags: x; y\nnone: none\ndata:\n"
                           "id,v.normalized,t\n1,2,\n2,,\"a,b\"\nok: true\n");
}

void dsc_suite_formats(void)
{
    CU_pSuite suite = CU_add_suite("formats", dsc_open_pool, dsc_close_pool);
    CU_add_test(suite, "Accept", test_accept);
    CU_add_test(suite, "scanning JSON", test_scan);
    CU_add_test(suite, "members and CSV", test_members);
    CU_add_test(suite, "text for models", test_text);
}
