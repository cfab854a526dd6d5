/* The tables of endpoints and datasets do not contradict themselves, and the check would notice. */
#include "engine/operation.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <stdio.h>
#include <string.h>

static void test_real_tables(void)
{
    int checked, i;
    apr_array_header_t *faults = dsc_tables_check(dsc_pool, dsc_endpoints, &checked);
    for (i = 0; i < faults->nelts; i++) {
        fprintf(stderr, "%s\n", APR_ARRAY_IDX(faults, i, const char *));
    }
    CU_ASSERT_EQUAL(faults->nelts, 0);
    CU_ASSERT(checked > 500);
}

static const dsc_field_t fields[] = {
    {"id", DSC_FIELD_INTEGER, 0, "t.id", NULL, NULL, NULL, NULL, "Number."},
};
static const dsc_field_t no_sql[] = {
    {"id", DSC_FIELD_INTEGER, 0, NULL, NULL, NULL, NULL, NULL, "Number."},
};
static const dsc_shape_t shape = {"Thing", "A thing.", fields, 1};
static const dsc_shape_t shape_without_sql = {"Thing", "A thing.", no_sql, 1};
static const dsc_source_t source = {"thing t", NULL, "t.day", "date", "t.id", 0};
static const dsc_source_t source_without_order = {"thing t", NULL, NULL, NULL, NULL, 0};
static const dsc_source_t source_of_nothing = {
    "f({value:nothing}) t", NULL, "t.day", "date", "t.id", 0};
static const dsc_parameter_t paging[] = {DSC_PARAMETER_CURSOR, DSC_PARAMETER_LIMIT("50", 500),
                                         DSC_PARAMETER_DIRECTION("day"), DSC_PARAMETER_AS_OF};
static const dsc_parameter_t idle_predicate[] = {
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("day"),
    DSC_PARAMETER_AS_OF,
    {"q", DSC_IN_QUERY, DSC_STRING, 0, NULL, {0, 0, 0, 0}, NULL, "t.name = 'x'", NULL, "Query."},
};
static const dsc_parameter_t each_without_column[] = {
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("day"),
    DSC_PARAMETER_AS_OF,
    {"names",
     DSC_IN_QUERY,
     DSC_STRING,
     DSC_REPEATABLE | DSC_EACH,
     NULL,
     {0, 0, 0, 0},
     NULL,
     "t.name = ANY (?)",
     NULL,
     "Names."},
};
static const dsc_parameter_t column_of_one[] = {
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("day"),
    DSC_PARAMETER_AS_OF,
    {"name", DSC_IN_QUERY, DSC_STRING, 0, NULL, {0, 0, 0, 0}, NULL, "?", NULL, "Name.", "t.name"},
};
static const dsc_parameter_t bad_default[] = {DSC_PARAMETER_CURSOR, DSC_PARAMETER_LIMIT("900", 500),
                                              DSC_PARAMETER_DIRECTION("day"), DSC_PARAMETER_AS_OF};
static const char *const unknown_dataset[] = {"nothing", NULL};

static const dsc_order_t orders[] = {{"day", "t.day", "date"},
                                     {"size", "t.size", "bigint"},
                                     {NULL}};
static const dsc_source_t source_of_orders = {"thing t", NULL, "t.day", "date", "t.id", 0, orders};
static const char *const sort_choices[] = {"day", NULL};
static const dsc_parameter_t one_order[] = {
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("day"),
    DSC_PARAMETER_AS_OF,
    {"sort", DSC_IN_QUERY, DSC_LITERAL, 0, sort_choices, {0, 0, 0, 0}, "day", NULL, NULL, "Order."},
};
static const dsc_parameter_t number_in_body[] = {
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("day"),
    DSC_PARAMETER_AS_OF,
    {"size", DSC_IN_BODY, DSC_INTEGER, 0, NULL, {0, 0, 0, 0}, NULL, NULL, NULL, "Size."},
};
static const dsc_parent_t parent_of_nothing = {"nothing", "thing t WHERE t.id = ?", NULL};
static const dsc_parent_t parent_without_value = {"limit", "thing t", NULL};
static const dsc_child_t children[] = {{"parts", &source, &shape, "Parts."}, {NULL}};

#define ENDPOINT(path, parameters, source, shape, datasets)                                        \
    {                                                                                              \
        "list_things", "GET", path, "Things", "Things.", DSC_ANSWER_LIST, 0, parameters,           \
            DSC_COUNT(parameters), source, shape, datasets, NULL, NULL, NULL                       \
    }
#define WITH_PARENT(parent, children)                                                              \
    {                                                                                              \
        "list_things", "GET", "/v1/things", "Things", "Things.", DSC_ANSWER_LIST, 0, paging,       \
            DSC_COUNT(paging), &source, &shape, NULL, NULL, "No %s.", NULL, parent, children       \
    }

/* Each breaks one rule; `fault` is part of the sentence that must come. */
static const struct {
    dsc_endpoint_t endpoint;
    const char *fault;
} broken[] = {
    {ENDPOINT("/v1/things/", paging, &source, &shape, NULL), "the path is /v1/things/"},
    {ENDPOINT("/v1/{id}/things", paging, &source, &shape, NULL), "{id} of the path"},
    {ENDPOINT("/v1/things", paging, &source_without_order, &shape, NULL), "an order column"},
    {ENDPOINT("/v1/things", paging, &source_of_nothing, &shape, NULL), "{value:nothing}"},
    {ENDPOINT("/v1/things", paging, &source, &shape_without_sql, NULL), "has no SQL"},
    {ENDPOINT("/v1/things", paging, &source, &shape, unknown_dataset), "no dataset nothing"},
    {ENDPOINT("/v1/things", idle_predicate, &source, &shape, NULL), "does not use its value"},
    {ENDPOINT("/v1/things", each_without_column, &source, &shape, NULL), "read value by value"},
    {ENDPOINT("/v1/things", column_of_one, &source, &shape, NULL), "belongs to repeatable ones"},
    {ENDPOINT("/v1/things", bad_default, &source, &shape, NULL), "its default is refused"},
    {ENDPOINT("/v1/things", paging, &source_of_orders, &shape, NULL), "no parameter sort"},
    {ENDPOINT("/v1/things", one_order, &source_of_orders, &shape, NULL), "not the orders"},
    {ENDPOINT("/v1/things", number_in_body, &source, &shape, NULL), "texts, literals and URLs"},
    {ENDPOINT("/v1/things", number_in_body, &source, &shape, NULL), "a GET has no body"},
    {WITH_PARENT(&parent_of_nothing, NULL), "the parent's nothing is no parameter"},
    {WITH_PARENT(&parent_without_value, NULL), "does not use its value"},
    {WITH_PARENT(NULL, children), "children belong to items"},
    {WITH_PARENT(NULL, children), "has no order or no condition"},
};

static int is_told(const apr_array_header_t *faults, const char *part)
{
    int i;
    for (i = 0; i < faults->nelts; i++) {
        if (strstr(APR_ARRAY_IDX(faults, i, const char *), part)) {
            return 1;
        }
    }
    return 0;
}

static void test_broken_tables(void)
{
    static const dsc_endpoint_t good = ENDPOINT("/v1/things", paging, &source, &shape, NULL);
    const dsc_endpoint_t *const right[] = {&good, NULL};
    const dsc_endpoint_t *const twice[] = {&good, &good, NULL};
    int i, checked;

    CU_ASSERT_EQUAL(dsc_tables_check(dsc_pool, right, &checked)->nelts, 0);
    CU_ASSERT(is_told(dsc_tables_check(dsc_pool, twice, &checked), "the path stands twice"));
    for (i = 0; i < DSC_COUNT(broken); i++) {
        const dsc_endpoint_t *const one[] = {&broken[i].endpoint, NULL};
        CU_ASSERT(is_told(dsc_tables_check(dsc_pool, one, &checked), broken[i].fault));
    }
}

void dsc_suite_tables(void)
{
    CU_pSuite suite = CU_add_suite("tables", dsc_open_pool, dsc_close_pool);
    CU_add_test(suite, "the real tables are sound", test_real_tables);
    CU_add_test(suite, "broken tables are refused", test_broken_tables);
}
