#include "engine/buffer.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <stdlib.h>

static void test_appending_grows(void)
{
    dsc_buffer_t *buffer = dsc_buffer_create(dsc_pool, 0);
    size_t i;

    for (i = 0; i < 1000; i++) {
        dsc_buffer_append(buffer, "abc", 3);
        dsc_buffer_append_char(buffer, 'd');
        dsc_buffer_append_text(buffer, "ef");
    }
    CU_ASSERT_EQUAL(buffer->length, 6000);
    CU_ASSERT_TRUE(buffer->capacity >= buffer->length);
    for (i = 0; i < buffer->length; i++) {
        CU_ASSERT_EQUAL(buffer->data[i], "abcdef"[i % 6]);
    }
}

static void test_empty_appends(void)
{
    dsc_buffer_t *buffer = dsc_buffer_create(dsc_pool, 0);

    dsc_buffer_append(buffer, NULL, 0);
    dsc_buffer_append_text(buffer, "");
    dsc_buffer_grow(buffer, 0);
    CU_ASSERT_EQUAL(buffer->length, 0);
    CU_ASSERT_STRING_EQUAL(dsc_buffer_text(buffer), "");
}

static void test_text_is_terminated(void)
{
    dsc_buffer_t *buffer = dsc_buffer_create(dsc_pool, 3);

    dsc_buffer_append(buffer, "abc", 3);
    CU_ASSERT_EQUAL(buffer->capacity, 3);
    CU_ASSERT_STRING_EQUAL(dsc_buffer_text(buffer), "abc");
    CU_ASSERT_EQUAL(buffer->length, 3);
}

static void test_take(void)
{
    dsc_buffer_t *buffer = dsc_buffer_create(dsc_pool, 1);
    size_t length;
    char *taken;

    dsc_buffer_append_text(buffer, "first");
    taken = dsc_buffer_take(buffer, &length);
    CU_ASSERT_EQUAL(length, 5);
    CU_ASSERT_STRING_EQUAL(taken, "first");
    free(taken);

    CU_ASSERT_EQUAL(buffer->length, 0);
    dsc_buffer_append(buffer, "", 0);
    dsc_buffer_append_text(buffer, "second");
    CU_ASSERT_STRING_EQUAL(dsc_buffer_text(buffer), "second");
    free(dsc_buffer_take(buffer, &length));
    CU_ASSERT_STRING_EQUAL(dsc_buffer_text(buffer), "");
    taken = dsc_buffer_take(buffer, &length);
    CU_ASSERT_EQUAL(length, 0);
    CU_ASSERT_STRING_EQUAL(taken, "");
    free(taken);
}

static void test_printf(void)
{
    dsc_buffer_t *buffer = dsc_buffer_create(dsc_pool, 0);
    char expected[700];
    size_t length;
    int i;

    free(dsc_buffer_take(buffer, &length)); /* it has no bytes of its own then */
    dsc_buffer_printf(buffer, "%s-%d:%05.1f", "a", -7, 2.5);
    CU_ASSERT_STRING_EQUAL(dsc_buffer_text(buffer), "a--7:002.5");
    dsc_buffer_printf(buffer, "%600s|", "x");
    memset(expected, ' ', sizeof(expected));
    memcpy(expected, "a--7:002.5", 10);
    memcpy(expected + 10 + 599, "x|", 3);
    CU_ASSERT_STRING_EQUAL(dsc_buffer_text(buffer), expected);
    for (i = 0; i < 50; i++) {
        dsc_buffer_printf(buffer, "%d", i % 10);
    }
    CU_ASSERT_EQUAL(buffer->length, 661);
    dsc_buffer_printf(buffer, "%s", "");
    CU_ASSERT_EQUAL(buffer->length, 661);
}

void dsc_suite_buffer(void)
{
    CU_pSuite suite = CU_add_suite("buffer", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "appending grows", test_appending_grows);
    CU_add_test(suite, "empty appends", test_empty_appends);
    CU_add_test(suite, "text is terminated", test_text_is_terminated);
    CU_add_test(suite, "take", test_take);
    CU_add_test(suite, "printf", test_printf);
}
