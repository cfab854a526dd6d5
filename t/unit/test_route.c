#include "engine/operation.h"
#include "engine/query.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <string.h>

static dsc_registry_t *registry;

static int start(void)
{
    int status = dsc_open_pool();
    registry = dsc_registry_create(dsc_pool, dsc_endpoints);
    return status;
}

static const struct {
    const char *method, *path;
    dsc_route_result_t result;
    const char *name;  /* of the operation found */
    const char *value; /* of the first path parameter */
} rows[] = {
    {"GET", "/v1/companies", DSC_ROUTE_FOUND, "list_companies", NULL},
    {"HEAD", "/v1/companies", DSC_ROUTE_FOUND, "list_companies", NULL},
    {"GET", "/v1/companies/FCT:US", DSC_ROUTE_FOUND, "get_company", "FCT:US"},
    {"GET", "/v1/companies/FCT:US/insider", DSC_ROUTE_FOUND, "list_company_insider", "FCT:US"},
    {"GET", "/v1/openapi.json", DSC_ROUTE_FOUND, "get_openapi", NULL},
    {"POST", "/v1/companies", DSC_ROUTE_METHOD, "list_companies", NULL},
    {"BREW", "/v1/companies", DSC_ROUTE_METHOD, "list_companies", NULL},
    {"GET", "/v1/companies/", DSC_ROUTE_TRAILING_SLASH, NULL, NULL},
    {"POST", "/v1/companies/", DSC_ROUTE_TRAILING_SLASH, NULL, NULL},
    {"GET", "/v1/companies//insider", DSC_ROUTE_UNKNOWN, NULL, NULL},
    {"GET", "/v1/nothing", DSC_ROUTE_UNKNOWN, NULL, NULL},
    {"GET", "/v1/nothing/", DSC_ROUTE_UNKNOWN, NULL, NULL},
    {"GET", "/v1", DSC_ROUTE_UNKNOWN, NULL, NULL},
    {"GET", "/v1/", DSC_ROUTE_UNKNOWN, NULL, NULL},
    {"GET", "", DSC_ROUTE_UNKNOWN, NULL, NULL},
    {"GET", "/V1/companies", DSC_ROUTE_UNKNOWN, NULL, NULL},
    {"GET", "/v1/companies/a/b/c/d/e/f/g/h/i/j", DSC_ROUTE_UNKNOWN, NULL, NULL},
};

static void test_rows(void)
{
    size_t i;
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        dsc_route_t route;
        CU_ASSERT_EQUAL_FATAL(dsc_route(dsc_pool, registry, rows[i].method, rows[i].path, NULL,
                                        NULL, &route),
                              rows[i].result);
        if (rows[i].name) {
            CU_ASSERT_STRING_EQUAL(route.operation->endpoint->name, rows[i].name);
        }
        if (rows[i].value) {
            CU_ASSERT_STRING_EQUAL(APR_ARRAY_IDX(route.path_values, 0, dsc_slice_t).data,
                                   rows[i].value);
        }
    }
}

static void test_allow(void)
{
    dsc_route_t route;
    dsc_route(dsc_pool, registry, "POST", "/v1/insider", NULL, NULL, &route);
    CU_ASSERT_STRING_EQUAL(route.allow, "GET, HEAD, OPTIONS");
}

static int all_but_insider(const dsc_operation_t *operation, void *baton)
{
    (void)baton;
    return strcmp(operation->endpoint->name, "list_insider") != 0;
}

static void test_switched_off(void)
{
    dsc_route_t route;
    CU_ASSERT_EQUAL(dsc_route(dsc_pool, registry, "GET", "/v1/insider", all_but_insider, NULL,
                              &route),
                    DSC_ROUTE_UNKNOWN);
    CU_ASSERT_EQUAL(dsc_route(dsc_pool, registry, "POST", "/v1/insider", all_but_insider, NULL,
                              &route),
                    DSC_ROUTE_UNKNOWN);
    CU_ASSERT_EQUAL(dsc_route(dsc_pool, registry, "GET", "/v1/companies", all_but_insider, NULL,
                              &route),
                    DSC_ROUTE_FOUND);
}

static int all_but_create(const dsc_operation_t *operation, void *baton)
{
    (void)baton;
    return strcmp(operation->endpoint->name, "create_webhook_endpoint") != 0;
}

/* Allow names the methods of operations that are on, and no others. */
static void test_allow_of_what_is_on(void)
{
    dsc_route_t route;
    CU_ASSERT_EQUAL(dsc_route(dsc_pool, registry, "PUT", "/v1/webhook-endpoints", NULL, NULL,
                              &route),
                    DSC_ROUTE_METHOD);
    CU_ASSERT_STRING_EQUAL(route.allow, "GET, HEAD, POST, OPTIONS");
    CU_ASSERT_EQUAL(dsc_route(dsc_pool, registry, "POST", "/v1/webhook-endpoints", all_but_create,
                              NULL, &route),
                    DSC_ROUTE_METHOD);
    CU_ASSERT_STRING_EQUAL(route.allow, "GET, HEAD, OPTIONS");
}

static const dsc_operation_t *operation_of(const char *name)
{
    int i;
    for (i = 0; strcmp(registry->operations[i].endpoint->name, name) != 0; i++) {
    }
    return &registry->operations[i];
}

/* The canonical query of companies by q and sector, each of them NULL or a text, and by markets,
 * `count` of them. */
static const char *canonical_of(const char *q, const char *sector, int count,
                                const char *const *markets)
{
    dsc_call_t call = {.pool = dsc_pool};
    dsc_buffer_t *text = dsc_buffer_create(dsc_pool, 128);
    apr_array_header_t *list = apr_array_make(dsc_pool, 2, sizeof(const char *));
    int i;
    for (i = 0; i < count; i++) {
        APR_ARRAY_PUSH(list, const char *) = markets[i];
    }
    call.route.operation = operation_of("list_companies");
    call.endpoint = call.route.operation->endpoint;
    call.values =
        apr_pcalloc(dsc_pool, (size_t)call.endpoint->parameter_count * sizeof(dsc_value_t));
    for (i = 0; i < call.endpoint->parameter_count; i++) {
        const char *name = call.endpoint->parameters[i].name;
        const char *value = strcmp(name, "q") == 0        ? q
                            : strcmp(name, "sector") == 0 ? sector
                                                          : NULL;
        call.values[i].present = value || (strcmp(name, "markets") == 0 && count > 0);
        call.values[i].text = value;
        call.values[i].list = list;
    }
    dsc_query_canonical(&call, text, 0);
    return dsc_buffer_text(text);
}

static const char *canonical(const char *q, const char *sector)
{
    return canonical_of(q, sector, 0, NULL);
}

/* Two requests have one canonical form only where they ask the same: a value cannot pose as another
 * parameter. */
static void test_canonical(void)
{
    CU_ASSERT_STRING_EQUAL(canonical("a", "b"), "list_companies?q=1:asector=1:b");
    CU_ASSERT_STRING_NOT_EQUAL(canonical("a", "b"), canonical("asector=1:b", NULL));
    CU_ASSERT_STRING_NOT_EQUAL(canonical("asector=", NULL), canonical("a", ""));
    CU_ASSERT_STRING_NOT_EQUAL(canonical("", NULL), canonical(NULL, NULL));
    CU_ASSERT_STRING_EQUAL(canonical_of(NULL, NULL, 2, (const char *const[]){"US", "DE"}),
                           "list_companies?markets=2:USmarkets=2:DE");
    CU_ASSERT_STRING_NOT_EQUAL(canonical_of(NULL, NULL, 2, (const char *const[]){"US", "DE"}),
                               canonical_of(NULL, NULL, 1,
                                            (const char *const[]){"USmarkets=2:DE"}));
}

void dsc_suite_route(void)
{
    CU_pSuite suite = CU_add_suite("route", start, dsc_close_pool);
    CU_add_test(suite, "methods and paths", test_rows);
    CU_add_test(suite, "allowed methods", test_allow);
    CU_add_test(suite, "allowed methods of what is on", test_allow_of_what_is_on);
    CU_add_test(suite, "the canonical query", test_canonical);
    CU_add_test(suite, "operations that are off do not exist", test_switched_off);
}
