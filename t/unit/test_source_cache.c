#include "engine/source_cache.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <arpa/inet.h>
#include <stdlib.h>

static apr_status_t clear(void *rows)
{
    PQclear(rows);
    return APR_SUCCESS;
}

/* Rows as PostgreSQL answers dsc_source_sql: number n says "p<n>" and an address of `length`
 * bytes. */
static PGresult *rows_of(const int *numbers, int count, size_t length)
{
    static char flags[] = {0, 1};
    PGresult *rows = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    PGresAttDesc columns[6] = {{0}};
    char *url = apr_palloc(dsc_pool, length + 1);
    int i;

    apr_pool_cleanup_register(dsc_pool, rows, clear, apr_pool_cleanup_null);
    for (i = 0; i < 6; i++) {
        columns[i].name = apr_psprintf(dsc_pool, "%d", i);
        columns[i].format = 1;
    }
    memset(url, 'u', length);
    CU_ASSERT_TRUE_FATAL(PQsetResultAttrs(rows, 6, columns));
    for (i = 0; i < count; i++) {
        char *provider = apr_psprintf(dsc_pool, "p%d", numbers[i]);
        uint32_t number = htonl((uint32_t)numbers[i]);
        PQsetvalue(rows, i, 0, (char *)&number, sizeof(number));
        PQsetvalue(rows, i, 1, provider, (int)strlen(provider));
        PQsetvalue(rows, i, 2, url, (int)length);
        PQsetvalue(rows, i, 3, NULL, -1);
        PQsetvalue(rows, i, 4, NULL, -1);
        PQsetvalue(rows, i, 5, &flags[numbers[i] % 2], 1);
    }
    return rows;
}

static int says(const dsc_source_set_t *set, int number, size_t length)
{
    const dsc_stored_source_t *source = dsc_source_set_find(set, number);
    const char *provider = apr_psprintf(dsc_pool, "p%d", number);

    return source && source->number == number && source->provider.length == strlen(provider) &&
           memcmp(source->provider.data, provider, strlen(provider)) == 0 &&
           source->url.length == length && (length == 0 || source->url.data[length - 1] == 'u') &&
           !source->content_hash.data && !source->extracted_at.data &&
           source->by_filing == number % 2;
}

/* Reads the numbers as a request does; what PostgreSQL was asked for. */
static const char *read_numbers(dsc_source_cache_t *cache, const int *numbers, int count,
                                size_t length, dsc_source_set_t **set)
{
    const char *missing;
    int i;

    *set = dsc_source_set_create(dsc_pool);
    for (i = 0; i < count; i++) {
        dsc_source_set_add(*set, cache, numbers[i]);
    }
    missing = dsc_source_set_missing(*set);
    if (missing) {
        dsc_source_set_fill(*set, cache, rows_of(numbers, count, length));
    }
    return missing;
}

static void test_known_ones_are_not_read_again(void)
{
    static const int numbers[] = {7, 8, 7, 9};
    dsc_source_cache_t *cache = dsc_source_cache_create(dsc_pool);
    dsc_source_set_t *first, *second;

    CU_ASSERT_STRING_EQUAL(read_numbers(cache, numbers, 4, 30, &first), "{7,8,9}");
    CU_ASSERT_PTR_NULL(read_numbers(cache, numbers, 4, 30, &second));
    CU_ASSERT_TRUE(says(first, 7, 30) && says(first, 9, 30));
    CU_ASSERT_TRUE(says(second, 7, 30) && says(second, 8, 30) && says(second, 9, 30));
    CU_ASSERT_PTR_NULL(dsc_source_set_find(second, 10));
}

/* A set keeps what it has, whatever the connection's next request does to the cache. */
static void test_a_set_outlives_the_cache(void)
{
    static const int numbers[] = {1, 2};
    dsc_source_cache_t *cache = dsc_source_cache_create(dsc_pool);
    dsc_source_set_t *set, *other;
    int number;

    (void)read_numbers(cache, numbers, 2, 20, &set);
    (void)read_numbers(cache, numbers, 2, 20, &set);
    for (number = 3; number < 6000; number++) {
        (void)read_numbers(cache, &number, 1, 21, &other);
        CU_ASSERT_TRUE(says(other, number, 21));
    }
    CU_ASSERT_TRUE(says(set, 1, 20) && says(set, 2, 20));
    CU_ASSERT_PTR_NOT_NULL(
        read_numbers(cache, numbers, 2, 20, &other)); /* others took their place */
    CU_ASSERT_TRUE(says(other, 1, 20) && says(other, 2, 20));
}

static void test_long_ones_are_read_each_time(void)
{
    static const int number = 5;
    dsc_source_cache_t *cache = dsc_source_cache_create(dsc_pool);
    dsc_source_set_t *set;

    CU_ASSERT_PTR_NOT_NULL(read_numbers(cache, &number, 1, 5000, &set));
    CU_ASSERT_PTR_NOT_NULL(read_numbers(cache, &number, 1, 5000, &set));
    CU_ASSERT_TRUE(says(set, 5, 5000));
    CU_ASSERT_PTR_NOT_NULL(read_numbers(cache, &number, 1, 206, &set)); /* with "p5" 208 bytes */
    CU_ASSERT_PTR_NULL(read_numbers(cache, &number, 1, 206, &set));
    CU_ASSERT_TRUE(says(set, 5, 206));
}

static void test_sets_grow(void)
{
    enum {
        MANY = 1500
    };
    static int numbers[MANY];
    dsc_source_cache_t *cache = dsc_source_cache_create(dsc_pool);
    dsc_source_set_t *set;
    int i, good = 0;

    for (i = 0; i < MANY; i++) {
        numbers[i] = 2147483647 - i * 1024;
    }
    (void)read_numbers(cache, numbers, MANY, 10, &set);
    for (i = 0; i < MANY; i++) {
        good += says(set, numbers[i], 10);
    }
    CU_ASSERT_EQUAL(good, MANY);
}

/* What is named and is not there. */
static void test_absent_ones(void)
{
    dsc_source_cache_t *cache = dsc_source_cache_create(dsc_pool);
    dsc_source_set_t *set = dsc_source_set_create(dsc_pool);

    dsc_source_set_add(set, cache, 3);
    dsc_source_set_fill(set, cache, rows_of(NULL, 0, 0));
    CU_ASSERT_PTR_NULL(dsc_source_set_find(set, 3));
}

static void test_they_age(void)
{
    static const int number = 4;
    dsc_source_cache_t *cache = dsc_source_cache_create(dsc_pool);
    dsc_source_set_t *set;

    dsc_source_cache_age(cache, apr_time_from_sec(1000));
    (void)read_numbers(cache, &number, 1, 20, &set);
    dsc_source_cache_age(cache, apr_time_from_sec(1060) - 1);
    CU_ASSERT_PTR_NULL(read_numbers(cache, &number, 1, 20, &set));
    dsc_source_cache_age(cache, apr_time_from_sec(1060));
    CU_ASSERT_PTR_NOT_NULL(read_numbers(cache, &number, 1, 20, &set));
    CU_ASSERT_PTR_NULL(read_numbers(cache, &number, 1, 20, &set));
}

void dsc_suite_source_cache(void)
{
    CU_pSuite suite = CU_add_suite("source cache", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "known ones are not read again", test_known_ones_are_not_read_again);
    CU_add_test(suite, "a set outlives the cache", test_a_set_outlives_the_cache);
    CU_add_test(suite, "long ones are read each time", test_long_ones_are_read_each_time);
    CU_add_test(suite, "sets grow", test_sets_grow);
    CU_add_test(suite, "absent ones", test_absent_ones);
    CU_add_test(suite, "they age", test_they_age);
}
