/* Base64 is read strictly: one text for the same bytes, and no text for none. */
#include "engine/base64.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_encode.h>
#include <string.h>

static void test_decode(void)
{
    static const struct {
        const char *text;
        int flags;
        const char *bytes; /* NULL: refused */
    } rows[] = {
        {"Zm9v", APR_ENCODE_NONE, "foo"},
        {"Zm9vYg==", APR_ENCODE_NONE, "foob"},
        {"Zm9vYg", APR_ENCODE_BASE64URL, "foob"},
        {"Zm9vYg", APR_ENCODE_NONE, NULL},
        {"Zm9vYg==", APR_ENCODE_BASE64URL, NULL},
        {"Zm9vYh==", APR_ENCODE_NONE, NULL}, /* bits that are in no byte */
        {"Zm9v\n", APR_ENCODE_NONE, NULL},
        {"%", APR_ENCODE_NONE, NULL},
        {"", APR_ENCODE_NONE, NULL},
        {"", APR_ENCODE_BASE64URL, NULL},
    };
    size_t i;
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        apr_size_t length = 0;
        const unsigned char *bytes =
            dsc_base64_decode(dsc_pool, rows[i].text, rows[i].flags, &length);
        CU_ASSERT_EQUAL(bytes != NULL, rows[i].bytes != NULL);
        if (bytes && rows[i].bytes) {
            CU_ASSERT_EQUAL(length, strlen(rows[i].bytes));
            CU_ASSERT_EQUAL(memcmp(bytes, rows[i].bytes, length), 0);
        }
    }
}

void dsc_suite_base64(void)
{
    CU_pSuite suite = CU_add_suite("base64", dsc_open_pool, dsc_close_pool);
    CU_add_test(suite, "texts and bytes", test_decode);
}
