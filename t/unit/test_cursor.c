#include "engine/cursor.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <string.h>

static const unsigned char key[DSC_CURSOR_KEY_SIZE] = "0123456789abcdef0123456789abcdef";
static const unsigned char other_key[DSC_CURSOR_KEY_SIZE] = "fedcba9876543210fedcba9876543210";
static unsigned char binding[DSC_CURSOR_BINDING_SIZE];
static unsigned char other_binding[DSC_CURSOR_BINDING_SIZE];

static int start(void)
{
    dsc_cursor_binding("list?a=1:x", 10, binding);
    dsc_cursor_binding("list?a=1:y", 10, other_binding);
    return dsc_open_pool();
}

static const char *encode(const char *order, const char *tie, int descending)
{
    const dsc_cursor_t cursor = {descending, order, tie};
    return dsc_cursor_encode(dsc_pool, key, binding, &cursor);
}

static int decodes(const char *text)
{
    dsc_cursor_t cursor;
    return dsc_cursor_decode(dsc_pool, key, NULL, binding, text, &cursor);
}

static void test_round_trip(void)
{
    static const struct {
        const char *order, *tie;
        int descending;
    } rows[] = {
        {"2024-05-02", "123", 1},
        {"2024-05-02 20:30:39.123456+00", "9223372036854775807", 0},
        {"", "0", 1},
        {"-12.5", "1", 0},
    };
    size_t i;
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        dsc_cursor_t cursor = {-1, NULL, NULL};
        const char *text = encode(rows[i].order, rows[i].tie, rows[i].descending);
        CU_ASSERT_FATAL(dsc_cursor_decode(dsc_pool, key, NULL, binding, text, &cursor));
        CU_ASSERT_STRING_EQUAL(cursor.order, rows[i].order);
        CU_ASSERT_STRING_EQUAL(cursor.tie, rows[i].tie);
        CU_ASSERT_EQUAL(cursor.descending, rows[i].descending);
        CU_ASSERT(strlen(text) <= 200);
    }
}

/* Of how far a server was that it was read from; one that has none is as short as before there were
 * any. */
static void test_position(void)
{
    static const unsigned long long positions[] = {0, 1, 0x0102030405060708ULL, ~0ULL};
    size_t i, plain = strlen(encode("2024-05-02", "123", 1));
    for (i = 0; i < sizeof(positions) / sizeof(positions[0]); i++) {
        const dsc_cursor_t cursor = {1, "2024-05-02", "123", positions[i]};
        const char *text = dsc_cursor_encode(dsc_pool, key, binding, &cursor);
        dsc_cursor_t decoded = {0, NULL, NULL, 7};
        CU_ASSERT_FATAL(dsc_cursor_decode(dsc_pool, key, NULL, binding, text, &decoded));
        CU_ASSERT(decoded.position == positions[i]);
        CU_ASSERT_STRING_EQUAL(decoded.order, "2024-05-02");
        CU_ASSERT_STRING_EQUAL(decoded.tie, "123");
        CU_ASSERT(positions[i] == 0 ? strlen(text) == plain : strlen(text) > plain);
    }
}

static void test_refusals(void)
{
    static const char *const malformed[] = {
        "", "x", "AQ", "%%%%", "AQEy MDE1", "....", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"};
    const char *text = encode("2024-05-02", "123", 1);
    size_t length = strlen(text);
    char *changed = apr_pstrdup(dsc_pool, text);
    size_t i;
    for (i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
        CU_ASSERT_FALSE(decodes(malformed[i]));
    }
    for (i = 0; i < length; i++) {
        changed[i] = text[i] == 'A' ? 'B' : 'A';
        CU_ASSERT_FALSE(decodes(changed));
        changed[i] = text[i];
    }
    CU_ASSERT_FALSE(decodes(apr_pstrmemdup(dsc_pool, text, length - 1)));
    CU_ASSERT_FALSE(decodes(apr_pstrcat(dsc_pool, text, "=", NULL)));
    CU_ASSERT_FALSE(decodes(apr_pstrcat(dsc_pool, text, text, text, text, text, text, NULL)));
    CU_ASSERT(decodes(text));
}

/* Base64 leaves bits of the last character unused: a cursor has one spelling all the same. */
static void test_one_spelling(void)
{
    static const char *const ties[] = {"1", "12", "123"};
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t i;
    int places[4] = {0, 0, 0, 0};
    for (i = 0; i < sizeof(ties) / sizeof(ties[0]); i++) {
        const char *text = encode("2024-05-02", ties[i], 1), *c;
        char *other = apr_pstrdup(dsc_pool, text);
        char *last = other + strlen(other) - 1;
        int spellings = 0;
        for (c = alphabet; *c; c++) {
            *last = *c;
            spellings += decodes(other);
        }
        places[strlen(text) % 4]++;
        CU_ASSERT_EQUAL(spellings, 1);
    }
    CU_ASSERT(places[0] == 1 && places[2] == 1 && places[3] == 1);
}

/* Nor is a cursor taken in the alphabet of plain base64, or with padding. */
static void test_one_alphabet(void)
{
    int i, changed = 0;
    for (i = 0; i < 100; i++) {
        const char *text = encode("2024-05-02", apr_itoa(dsc_pool, i), 1);
        char *plain = apr_pstrdup(dsc_pool, text), *c;
        for (c = plain; *c; c++) {
            *c = *c == '-' ? '+' : *c == '_' ? '/' : *c;
        }
        if (strcmp(plain, text) != 0) {
            changed++;
            CU_ASSERT_FALSE(decodes(plain));
        }
        CU_ASSERT_FALSE(decodes(apr_pstrcat(dsc_pool, text, "=", NULL)));
        CU_ASSERT_FALSE(decodes(apr_pstrcat(dsc_pool, text, "==", NULL)));
    }
    CU_ASSERT(changed > 20);
}

static void test_binding_and_keys(void)
{
    const char *text = encode("2024-05-02", "123", 1);
    dsc_cursor_t cursor;
    CU_ASSERT_FALSE(dsc_cursor_decode(dsc_pool, key, NULL, other_binding, text, &cursor));
    CU_ASSERT_FALSE(dsc_cursor_decode(dsc_pool, other_key, NULL, binding, text, &cursor));
    CU_ASSERT(dsc_cursor_decode(dsc_pool, other_key, key, binding, text, &cursor));
}

void dsc_suite_cursor(void)
{
    CU_pSuite suite = CU_add_suite("cursor", start, dsc_close_pool);
    CU_add_test(suite, "positions come back", test_round_trip);
    CU_add_test(suite, "how far a server was comes back", test_position);
    CU_add_test(suite, "anything else is refused", test_refusals);
    CU_add_test(suite, "one spelling", test_one_spelling);
    CU_add_test(suite, "one alphabet", test_one_alphabet);
    CU_add_test(suite, "bound to the query and the secret", test_binding_and_keys);
}
