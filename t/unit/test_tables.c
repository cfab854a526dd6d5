/* The tables of endpoints and datasets do not contradict themselves, and the check would notice. */
#include "access/plan.h"
#include "engine/constructors.h"
#include "engine/operation.h"
#include "engine/relations.h"
#include "engine/writer.h"
#include "registry.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <stdio.h>
#include <string.h>

static void test_real_tables(void)
{
    int checked, i;
    apr_array_header_t *errors = dsc_tables_check(dsc_pool, dsc_endpoints, &checked);
    for (i = 0; i < errors->nelts; i++) {
        fprintf(stderr, "%s\n", APR_ARRAY_IDX(errors, i, const char *));
    }
    CU_ASSERT_EQUAL(errors->nelts, 0);
    CU_ASSERT(checked > 500);
}

/* A sound table: lists of filings. What is broken below differs from it in one thing. */
static const dsc_shape_t of_itself;
static const dsc_shape_t of_itself =
    SHAPE("Thing", "A thing.", OBJECT("inner", of_itself, "The same again."));
static const dsc_shape_t shape = SHAPE("Thing", "A thing.", INTEGER("id", "t.id", "Number."),
                                       VALUE("size", "t.size_bytes", "bytes", "Size."),
                                       PROVENANCE("filing", "Where it comes from."));
static const dsc_shape_t without_sql = SHAPE("Thing", "A thing.", MEMBER(INTEGER, "id", "Number."));
static const dsc_shape_t with_sql_as_unit =
    SHAPE("Thing", "A thing.", VALUE("size", "t.size", "t.currency", "Size."));
static const dsc_shape_t without_period =
    SHAPE("Thing", "A thing.",
          TEXT("calendar", "t.form", "Its calendar period.", .flags = DSC_CALENDAR),
          TEXT("fiscal", "t.form", "Its fiscal period."),
          DATE("end_date", "t.filed_on", "Its end."));
static void write_nothing(dsc_buffer_t *body, const dsc_result_t *result, int column)
{
    (void)body;
    (void)result;
    (void)column;
}
static const dsc_writer_t of_no_types = {.types = DSC_WIRE_BIT(DSC_WIRE_UUIDS),
                                         .columns = {{"t.rule", 0}},
                                         .write = write_nothing};
static const dsc_shape_t of_untyped_columns =
    SHAPE("Thing", "A thing.",
          JSON("inputs", "t.inputs", "Their src_ids.", .flags = DSC_ARRAY, .writer = &of_no_types));
static const dsc_shape_t with_unit_as_sql =
    SHAPE("Thing", "A thing.", VALUE_BY("size", "t.size", "USD", "Size."));
static const dsc_shape_t of_another =
    SHAPE("Thing", "A thing.", PROVENANCE("exhibit", "Where it comes from."));
static const dsc_shape_t of_nothing =
    SHAPE("Thing", "A thing.", PROVENANCE("nothing", "Where it comes from."));
static const dsc_shape_t of_several_without_filer =
    SHAPE("Thing", "A thing.",
          PROVENANCE_BY("provenance", "t", "'filing'", "Where it comes from."));
static const dsc_shape_t of_several_and_one =
    SHAPE("Thing", "A thing.",
          PROVENANCE_BY("provenance", "t", "'filing'", "Where it comes from.", .filer = "1",
                        .dataset = "filing"));

static const dsc_source_t source = ROWS("filing t", "t.filed_on", "date");
static const dsc_source_t without_order = ROW("filing t");
static const dsc_source_t by_nothing = ROWS("filing t, f({value:nothing})", "t.filed_on", "date");
static const dsc_source_t given_nothing =
    ROWS("filing t, f({given:nothing:1})", "t.filed_on", "date");
static const dsc_source_t without_nothing =
    ROWS("filing t, f({absent:nothing:1})", "t.filed_on", "date");
static const dsc_source_t of_keys = ROWS("filing t, api_key k", "t.filed_on", "date");
static const dsc_source_t of_no_table = ROWS("filings t", "t.filed_on", "date");
static const dsc_source_t of_longer_words =
    ROWS("old_filing t, filing t_2, filing2 t", "t.filed_on", "date");
static const dsc_source_t in_orders =
    ROWS("filing t", "t.filed_on", "date",
         .orders = ORDERS({"day", "t.filed_on", "date"}, {"size", "t.size_bytes", "bigint"}));

#define PAGING                                                                                     \
    DSC_PARAMETER_CURSOR, DSC_PARAMETER_LIMIT("50", 500), DSC_PARAMETER_DIRECTION("filed_on"),     \
        DSC_PARAMETER_AS_OF
static const dsc_parameter_t paging[] = {PAGING};
static const dsc_parameter_t idle_predicate[] = {PAGING, QUERY(STRING, "q", "Query.",
                                                               .predicate = "t.name = 'x'")};
static const dsc_parameter_t predicate_as_default[] = {PAGING, QUERY(STRING, "q", "Query.",
                                                                     .default_text = "t.name = ?")};
static const dsc_parameter_t each_without_column[] = {PAGING,
                                                      QUERY(STRING, "names", "Names.",
                                                            .flags = DSC_REPEATABLE | DSC_EACH,
                                                            .predicate = "t.name = ANY (?)")};
static const dsc_parameter_t past_without_column[] = {PAGING, QUERY(STRING, "name", "Name.",
                                                                    .flags = DSC_EACH_PAST,
                                                                    .predicate = "t.name = ?")};
static const dsc_parameter_t column_of_one[] = {PAGING,
                                                QUERY(STRING, "name", "Name.", .predicate = "?",
                                                      .column = "t.name")};
static const dsc_parameter_t bad_default[] = {DSC_PARAMETER_CURSOR, DSC_PARAMETER_LIMIT("900", 500),
                                              DSC_PARAMETER_DIRECTION("day"), DSC_PARAMETER_AS_OF};
CHOICES(one_choice, "day");
static const dsc_parameter_t one_order[] = {PAGING,
                                            QUERY(LITERAL, "sort", "Order.", .choices = one_choice,
                                                  .default_text = "day")};
static const dsc_parameter_t of_nobody[] = {PAGING,
                                            QUERY(STRING, "name", "Name.",
                                                  .predicate = "t.issuer_id = {company} AND "
                                                               "t.name = ?")};
static const dsc_parameter_t number_in_body[] = {PAGING, BODY(NUMBER, "size", "Size.")};

static const dsc_source_t unkept =
    ROW("api_key t", .order = "t.id", .tie = "t.id", .where = "{past:false}", .unkept = 1);
static const dsc_source_t unkept_then =
    ROW("api_key t", .order = "t.id", .tie = "t.id", .where = "true", .unkept = 1);

static const dsc_parent_t parent_of_nothing = {.parameter = "nothing",
                                               .from = "issuer i, (SELECT ?) x"};
static const dsc_parent_t parent_without_value = {.parameter = "limit", .from = "issuer i"};

#define THINGS(path, parameters_, source, shape, ...)                                              \
    {                                                                                              \
        GET("list_things", path), ABOUT("Things", "Things."), LIST(source, shape),                 \
            .parameters = (parameters_), .parameter_count = DSC_COUNT(parameters_), __VA_ARGS__    \
    }
#define OF(parameters, source, shape) THINGS("/v1/things", parameters, source, shape, .flags = 0)
#define WITH(...)                     THINGS("/v1/things", paging, source, shape, __VA_ARGS__)

static void do_nothing(struct dsc_call_t *call)
{
    (void)call;
}

/* Each breaks one rule; `error` is part of the sentence that must come. */
static const struct {
    dsc_endpoint_t endpoint;
    const char *error;
} broken[] = {
    {THINGS("/v1/things/", paging, source, shape, .flags = 0), "the path is /v1/things/"},
    {THINGS("/v1/{id}/things", paging, source, shape, .flags = 0), "{id} of the path"},
    {OF(paging, without_order, shape), "an order column"},
    {OF(paging, by_nothing, shape), "{value:nothing}"},
    {OF(paging, given_nothing, shape), "{given:nothing:"},
    {OF(paging, without_nothing, shape), "{absent:nothing:"},
    {OF(paging, of_keys, shape), "it reads api_key, which no dataset keeps"},
    {OF(paging, of_no_table, shape), "it reads no dataset"},
    {OF(paging, source, without_sql), "has no SQL"},
    {OF(paging, source, with_sql_as_unit), "the unit of size of Thing is t.currency"},
    {OF(paging, source, with_unit_as_sql), "USD is a unit, no SQL for one"},
    {OF(paging, source, without_period), "no period stands behind calendar"},
    {OF(paging, source, of_untyped_columns),
     "what inputs of Thing is written from has a column without types"},
    {OF(paging, source, of_another), "is of exhibit, but the rows behind t are not"},
    {{GET("thing", "/v1/thing"), ABOUT("Thing", "Thing."), HANDLER(do_nothing, of_itself)},
     "shape Thing contains itself"},
    {OF(paging, of_longer_words, shape), "is of filing, but the rows behind t are not"},
    {OF(paging, source, of_nothing), "names no dataset"},
    {OF(paging, source, of_several_without_filer), "names one, or no filer"},
    {OF(paging, source, of_several_and_one), "names one, or no filer"},
    {OF(idle_predicate, source, shape), "does not use its value"},
    {OF(predicate_as_default, source, shape), "its default is a predicate"},
    {OF(each_without_column, source, shape), "read value by value"},
    {OF(past_without_column, source, shape), "read value by value"},
    {OF(of_nobody, source, shape), "{company}, but no parameter is resolved"},
    {OF(column_of_one, source, shape), "belongs to repeatable ones"},
    {OF(bad_default, source, shape), "its default is refused"},
    {OF(paging, in_orders, shape), "no parameter sort"},
    {OF(one_order, in_orders, shape), "not the orders"},
    {OF(number_in_body, source, shape), "no values of its type"},
    {OF(number_in_body, source, shape), "a GET has no body"},
    {WITH(.not_found = "No %d."), "not_found takes one %s and nothing else: No %d."},
    {WITH(.not_found = "No thing."), "not_found takes one %s"},
    {WITH(.not_found = "No %s of %s."), "not_found takes one %s"},
    {WITH(.not_found = "No %s.", .parent = &parent_of_nothing),
     "the parent's nothing is no parameter"},
    {WITH(.not_found = "No %s.", .parent = &parent_without_value), "does not use its value"},
    {WITH(.children = CHILDREN({"parts", &source, &shape, "Parts."})), "children belong to items"},
    {{GET("get_thing", "/v1/thing"), ABOUT("Things", "A thing."), ITEM(source, shape),
      .flags = DSC_ALPHA},
     "an item says that it is experimental by a field"},
    {WITH(.rows = "parts"), "a list has rows of its own, not parts"},
    {{GET("get_thing", "/v1/thing"), ABOUT("Things", "A thing."), ITEM(source, shape),
      .children = CHILDREN({"others", &source, &shape, "Parts."}), .rows = "parts"},
     "its rows, parts, are no array of a shape"},
    {WITH(.children = CHILDREN({"parts", &unkept, &shape, "Parts."})),
     "would leave tags as they are"},
    {WITH(.children = CHILDREN({"parts", &unkept_then, &shape, "Parts."}), .flags = DSC_BY_CLOCK),
     "would leave tags as they are"},
    {WITH(.children = CHILDREN({"parts", &source, &shape, "Parts."})),
     "has no order or no condition"},
};

static int is_told(const apr_array_header_t *errors, const char *part)
{
    int i;
    for (i = 0; i < errors->nelts; i++) {
        if (strstr(APR_ARRAY_IDX(errors, i, const char *), part)) {
            return 1;
        }
    }
    return 0;
}

static void test_broken_tables(void)
{
    static const dsc_endpoint_t good = OF(paging, source, shape);
    const dsc_endpoint_t *const right[] = {&good, NULL};
    const dsc_endpoint_t *const twice[] = {&good, &good, NULL};
    int i, checked;

    CU_ASSERT_EQUAL(dsc_tables_check(dsc_pool, right, &checked)->nelts, 0);
    CU_ASSERT(is_told(dsc_tables_check(dsc_pool, twice, &checked), "the path stands twice"));
    for (i = 0; i < DSC_COUNT(broken); i++) {
        const dsc_endpoint_t *const one[] = {&broken[i].endpoint, NULL};
        const apr_array_header_t *errors = dsc_tables_check(dsc_pool, one, &checked);
        if (!is_told(errors, broken[i].error)) {
            fprintf(stderr, "not seen: %s\n", broken[i].error);
        }
        CU_ASSERT(is_told(errors, broken[i].error));
    }
}

/* A dataset among the real ones, so that what follows others finds them. */
static void expect_dataset_error(const dsc_dataset_t *broken_one, const char *error)
{
    const dsc_dataset_t *datasets[80] = {NULL};
    dsc_tables_t tables = dsc_tables;
    int checked, i;

    for (i = 0; dsc_tables.datasets[i]; i++) {
        datasets[i] = dsc_tables.datasets[i];
    }
    datasets[0] = broken_one;
    tables.datasets = datasets;
    dsc_tables_use(&tables);
    CU_ASSERT(is_told(dsc_tables_check(dsc_pool, dsc_endpoints, &checked), error));
    dsc_tables_use(&dsc_tables);
}

static void expect_columns_error(const dsc_column_t *columns, int count, const char *error)
{
    dsc_dataset_t broken_one = **dsc_tables.datasets;

    broken_one.columns = columns;
    broken_one.column_count = count;
    expect_dataset_error(&broken_one, error);
}

static void test_broken_datasets(void)
{
    static const dsc_column_t twice[] = {COLUMN(TEXT, "a", "One."), COLUMN(TEXT, "a", "Another.")};
    static const dsc_column_t silent[] = {COLUMN(TEXT, "a", "")};
    static const dsc_column_t staged[] = {COLUMN(TEXT, "issuer_name", "Whose it is.")};
    static const dsc_column_t counted[] = {COLUMN(INTEGER, "n", "How many.")};
    dsc_dataset_t half = **dsc_tables.datasets, noting = half;

    expect_columns_error(twice, 2, "column a stands twice");
    expect_columns_error(silent, 1, "column a lacks a description");
    expect_columns_error(staged, 1,
                         "column issuer_name has the name of a column that the loader stages");
    half.listed = "true";
    half.unlisted = NULL;
    expect_dataset_error(&half, "one of listed and unlisted is missing");
    noting.noted = "nothing";
    expect_dataset_error(&noting, "nothing, which loads note, is no column of text");
    noting.noted = "n";
    noting.columns = counted;
    noting.column_count = 1;
    expect_dataset_error(&noting, "n, which loads note, is no column of text");
}

/* What SQL reads is told through functions, and not by literals and columns. */
static void test_reads(void)
{
    apr_array_header_t *unknown = apr_array_make(dsc_pool, 2, sizeof(const char *));
    uint64_t filing = UINT64_C(1) << dsc_dataset_index("filing");
    uint64_t listing = UINT64_C(1) << dsc_dataset_index("listing");
    uint64_t security = UINT64_C(1) << dsc_dataset_index("security");

    CU_ASSERT_EQUAL(dsc_datasets_read(dsc_pool, "SELECT * FROM filing t", unknown), filing);
    CU_ASSERT_EQUAL(dsc_datasets_read(dsc_pool, "(SELECT 'filing', t.filing FROM listing t)", NULL),
                    listing);
    CU_ASSERT_EQUAL(dsc_datasets_read(dsc_pool, "listing_of_symbol(?)", NULL), listing);
    CU_ASSERT_EQUAL(dsc_datasets_read(dsc_pool, "security", NULL),
                    security); /* not those that keep security_link */
    CU_ASSERT_EQUAL(dsc_datasets_read(dsc_pool, "filings", NULL), 0);
    CU_ASSERT_EQUAL(dsc_datasets_read(dsc_pool, "", NULL), 0);
    CU_ASSERT_EQUAL(dsc_datasets_read(dsc_pool, "it's", NULL), 0);
    CU_ASSERT_EQUAL(
        dsc_datasets_read(dsc_pool,
                          "(SELECT 1 FROM dataset_stat s WHERE s.dataset = 'filing/listed')", NULL),
        filing);
    CU_ASSERT_EQUAL(dsc_datasets_read(dsc_pool, "dataset_stat", NULL), ~UINT64_C(0));
    CU_ASSERT_EQUAL(unknown->nelts, 0);
    CU_ASSERT_EQUAL(dsc_datasets_read(dsc_pool, "api_key", unknown), 0);
    CU_ASSERT_EQUAL(unknown->nelts, 1);
}

static int is_among(const apr_array_header_t *words, const char *word)
{
    int i, found = 0;

    for (i = 0; i < words->nelts; i++) {
        found += strcmp(APR_ARRAY_IDX(words, i, const char *), word) == 0;
    }
    return found;
}

/* What is spread over shards follows from the datasets, and what is copied to each node from what
 * their lists join. */
static void test_distributed(void)
{
    const apr_array_header_t *tables = dsc_tables_of_datasets(dsc_pool);
    const apr_array_header_t *joined = dsc_relations_joined(dsc_pool);
    const apr_array_header_t *columns = dsc_columns_of_companies(dsc_pool);
    int i;

    for (i = 0; dsc_datasets[i]; i++) {
        CU_ASSERT_EQUAL(is_among(tables, dsc_datasets[i]->table), 1);
    }
    CU_ASSERT_EQUAL(is_among(tables, "issuer"), 1); /* kept by two datasets */
    CU_ASSERT_EQUAL(is_among(tables, "source"), 1);
    CU_ASSERT_EQUAL(is_among(tables, "dataset_stat"), 0);
    CU_ASSERT_EQUAL(is_among(tables, "api_key"), 0);
    CU_ASSERT_EQUAL(is_among(joined, "filing.issuer_at"), 1);
    CU_ASSERT_EQUAL(is_among(joined, "fund_exposure.fund_named"), 1);
    CU_ASSERT_EQUAL(is_among(joined, "congress_trade.politician"), 1);
    CU_ASSERT_EQUAL(is_among(joined, "congress_trade.LATERAL"), 0);
    CU_ASSERT_EQUAL(is_among(joined, "institution_holder.institution_report"), 1); /* of a field */
    CU_ASSERT_EQUAL(is_among(joined, "congress_trade.congress_listing"), 1);
    CU_ASSERT_EQUAL(is_among(columns, "filing.issuer_id"), 1);
    CU_ASSERT_EQUAL(is_among(columns, "institution_flow.issuer_id"), 1); /* with {company} */
    CU_ASSERT_EQUAL(is_among(columns, "institution_flow.symbol"), 0);    /* a listing's */
    CU_ASSERT_EQUAL(is_among(columns, "institution_holder.company_id"), 1);
    CU_ASSERT_EQUAL(is_among(columns, "institution_holder.issuer_id"), 0);
    CU_ASSERT_EQUAL(is_among(columns, "congress_trade.company_or_politician_id"), 1);
    for (i = 0; i < joined->nelts; i++) { /* of a list of functions' rows */
        CU_ASSERT_PTR_NULL(strstr(APR_ARRAY_IDX(joined, i, const char *), "text_record"));
        CU_ASSERT_PTR_NULL(strstr(APR_ARRAY_IDX(joined, i, const char *), "json_agg"));
    }
}

/* A feature that no plan can have would close its endpoints to all. */
static void test_features(void)
{
    apr_array_header_t *plans = dsc_plans_create(dsc_pool);
    int i, seen = 0;

    for (i = 0; dsc_endpoints[i]; i++) {
        if (dsc_endpoints[i]->feature) {
            seen++;
            CU_ASSERT_PTR_NOT_NULL(dsc_plan_least(plans, dsc_endpoints[i]->feature));
        }
    }
    CU_ASSERT(seen > 0);
    CU_ASSERT_PTR_NULL(dsc_plan_least(plans, "webhook"));
    CU_ASSERT_PTR_NULL(dsc_plan_set(dsc_pool, plans, "first", "rank=1 webhooks=on"));
    CU_ASSERT_PTR_NULL(dsc_plan_set(dsc_pool, plans, "second", "rank=1 webhooks=on"));
    CU_ASSERT_STRING_EQUAL(dsc_plan_least(plans, "webhooks")->name, "first");
    CU_ASSERT(dsc_plan_has(dsc_plan_find(plans, DSC_PLAN_FREE), NULL));
    CU_ASSERT_FALSE(dsc_plan_has(dsc_plan_find(plans, DSC_PLAN_FREE), "webhooks"));
}

void dsc_suite_tables(void)
{
    CU_pSuite suite = CU_add_suite("tables", dsc_open_pool, dsc_close_pool);
    CU_add_test(suite, "the real tables are sound", test_real_tables);
    CU_add_test(suite, "broken tables are refused", test_broken_tables);
    CU_add_test(suite, "broken datasets are refused", test_broken_datasets);
    CU_add_test(suite, "what SQL reads", test_reads);
    CU_add_test(suite, "what is distributed", test_distributed);
    CU_add_test(suite, "features of endpoints", test_features);
}
