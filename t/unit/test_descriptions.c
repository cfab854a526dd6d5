/* Descriptions: made once for each endpoint and each set of operations that is enabled, by whatever
 * number of threads; no more kept than a few. */
#include "describe/descriptions.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum {
    OPERATIONS = 8,
    THREADS = 8,
    ROUNDS = 50
};

static atomic_int made;
static dsc_operation_t operations[OPERATIONS];
static const dsc_registry_t registry = {operations, OPERATIONS};
static const dsc_endpoint_t endpoints[2];

/* The bits of a number say which operations are enabled. */
static int is_enabled(const dsc_operation_t *operation, void *baton)
{
    return *(const int *)baton >> operation->index & 1;
}

static void write_bits(dsc_buffer_t *out, const dsc_service_t *service,
                       const dsc_surface_t *surface)
{
    (void)surface;
    atomic_fetch_add(&made, 1);
    dsc_buffer_printf(out, "enabled: %d",
                      service->enabled ? *(const int *)service->enabled_baton : 255);
}

static dsc_service_t service_with(dsc_descriptions_t *descriptions, int *bits)
{
    dsc_service_t service = {.registry = &registry, .descriptions = descriptions};
    if (bits) {
        service.enabled = is_enabled;
        service.enabled_baton = bits;
    }
    return service;
}

/* What a call responds with; *kept is where it is kept, or NULL. */
static const char *respond(apr_pool_t *pool, const dsc_service_t *service, int endpoint,
                           const dsc_kept_body_t **kept)
{
    dsc_call_t call = {.pool = pool, .service = service, .endpoint = &endpoints[endpoint]};
    call.route.operation = &operations[0];
    call.body = dsc_buffer_create(pool, 64);
    dsc_descriptions_respond(&call, write_bits);
    *kept = call.kept;
    return call.kept ? apr_pstrmemdup(pool, call.kept->body.data, call.kept->body.length)
                     : apr_pstrdup(pool, dsc_buffer_text(call.body));
}

static dsc_descriptions_t *begin(void)
{
    for (int i = 0; i < OPERATIONS; i++) {
        operations[i].index = i;
    }
    atomic_store(&made, 0);
    return dsc_descriptions_create(dsc_pool);
}

static void test_once(void)
{
    int bits = 255, fewer = 7;
    const dsc_kept_body_t *first, *kept;
    dsc_descriptions_t *descriptions = begin();
    dsc_service_t all = service_with(descriptions, NULL), same = service_with(descriptions, &bits),
                  less = service_with(descriptions, &fewer);
    CU_ASSERT_STRING_EQUAL(respond(dsc_pool, &all, 0, &first), "enabled: 255");
    CU_ASSERT_PTR_NOT_NULL_FATAL(first);
    CU_ASSERT_EQUAL(strncmp(first->etag, "W/\"", 3), 0);
    CU_ASSERT_STRING_EQUAL(respond(dsc_pool, &all, 0, &kept), "enabled: 255");
    CU_ASSERT_PTR_EQUAL(kept, first);
    respond(dsc_pool, &same, 0, &kept);
    CU_ASSERT_PTR_EQUAL(kept, first); /* all are enabled, whoever says so */
    CU_ASSERT_EQUAL(made, 1);
    CU_ASSERT_STRING_EQUAL(respond(dsc_pool, &less, 0, &kept), "enabled: 7");
    CU_ASSERT_STRING_NOT_EQUAL(kept->etag, first->etag);
    respond(dsc_pool, &all, 1, &kept);
    CU_ASSERT_PTR_NOT_EQUAL(kept, first); /* another endpoint's */
    CU_ASSERT_EQUAL(made, 3);
}

/* However many sets there are, each says what is enabled, and few are kept. */
static void test_bound(void)
{
    dsc_descriptions_t *descriptions = begin();
    int count = 0;
    for (int bits = 0; bits < 200; bits++) {
        dsc_service_t service = service_with(descriptions, &bits);
        const dsc_kept_body_t *kept;
        CU_ASSERT_STRING_EQUAL(respond(dsc_pool, &service, 0, &kept),
                               apr_psprintf(dsc_pool, "enabled: %d", bits));
        count += kept != NULL;
    }
    CU_ASSERT_EQUAL(count, 32);
    CU_ASSERT_EQUAL(made, 200);
}

static void test_without(void)
{
    dsc_service_t service = service_with(NULL, NULL);
    const dsc_kept_body_t *kept;
    begin();
    CU_ASSERT_STRING_EQUAL(respond(dsc_pool, &service, 0, &kept), "enabled: 255");
    CU_ASSERT_PTR_NULL(kept);
}

static void *ask(void *data)
{
    dsc_descriptions_t *descriptions = data;
    apr_pool_t *pool;
    int i, right = 0;
    apr_pool_create(&pool, NULL);
    for (i = 0; i < ROUNDS; i++) {
        int bits = i % 5;
        dsc_service_t service = service_with(descriptions, &bits);
        const dsc_kept_body_t *kept;
        right += strcmp(respond(pool, &service, 0, &kept),
                        apr_psprintf(pool, "enabled: %d", bits)) == 0 &&
                 kept;
    }
    apr_pool_destroy(pool);
    return right == ROUNDS ? data : NULL;
}

static void test_threads(void)
{
    dsc_descriptions_t *descriptions = begin();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        CU_ASSERT_EQUAL(pthread_create(&threads[i], NULL, ask, descriptions), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *right;
        pthread_join(threads[i], &right);
        CU_ASSERT_PTR_NOT_NULL(right);
    }
    CU_ASSERT_EQUAL(made, 5);
}

void dsc_suite_descriptions(void)
{
    CU_pSuite suite = CU_add_suite("descriptions", dsc_open_pool, dsc_close_pool);
    CU_add_test(suite, "once", test_once);
    CU_add_test(suite, "bound", test_bound);
    CU_add_test(suite, "without", test_without);
    CU_add_test(suite, "threads", test_threads);
}
