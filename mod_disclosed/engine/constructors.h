/* Rows of tables, each by a constructor of its kind: TEXT("name", "t.name", "what it is",
 * NULLABLE). Members that a row does not name are absent. After its description a row takes
 * designated initialisers: `.choices = chambers`. */
#ifndef DSC_CONSTRUCTORS_H
#define DSC_CONSTRUCTORS_H

#include "engine/endpoint.h"

/* What is behind an equals sign here is an initialiser, never part of an expression. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */

/* --- fields of a shape: name, SQL, description ------------------------------------------------ */

#define DSC_FIELD(type_, name_, sql_, ...)                                                         \
    {                                                                                              \
        .name = name_, .type = type_, .sql = sql_, .description = __VA_ARGS__                      \
    }
#define TEXT(name_, sql_, ...)     DSC_FIELD(DSC_FIELD_TEXT, name_, sql_, __VA_ARGS__)
#define INTEGER(name_, sql_, ...)  DSC_FIELD(DSC_FIELD_INTEGER, name_, sql_, __VA_ARGS__)
#define DECIMAL(name_, sql_, ...)  DSC_FIELD(DSC_FIELD_DECIMAL, name_, sql_, __VA_ARGS__)
#define BOOLEAN(name_, sql_, ...)  DSC_FIELD(DSC_FIELD_BOOLEAN, name_, sql_, __VA_ARGS__)
#define DATE(name_, sql_, ...)     DSC_FIELD(DSC_FIELD_DATE, name_, sql_, __VA_ARGS__)
#define DATETIME(name_, sql_, ...) DSC_FIELD(DSC_FIELD_DATETIME, name_, sql_, __VA_ARGS__)
#define CIK(name_, sql_, ...)      DSC_FIELD(DSC_FIELD_CIK, name_, sql_, __VA_ARGS__)
#define JSON(name_, sql_, ...)     DSC_FIELD(DSC_FIELD_JSON, name_, sql_, __VA_ARGS__)

/* {raw, normalized, unit, ...}: the unit is the same for all rows, or what SQL yields. */
#define VALUE(name_, sql_, unit_, ...)                                                             \
    {                                                                                              \
        .name = name_, .type = DSC_FIELD_VALUE, .sql = sql_, .unit = unit_,                        \
        .description = __VA_ARGS__                                                                 \
    }
#define VALUE_BY(name_, sql_, unit_sql_, ...)                                                      \
    {                                                                                              \
        .name = name_, .type = DSC_FIELD_VALUE, .sql = sql_, .unit_sql = unit_sql_,                \
        .description = __VA_ARGS__                                                                 \
    }

/* Where the row behind alias t comes from, a record of `dataset`; or the one behind another
 * alias. */
#define PROVENANCE(dataset_, ...) PROVENANCE_OF("provenance", "t", dataset_, __VA_ARGS__)
#define PROVENANCE_OF(name_, alias_, dataset_, ...)                                                \
    {                                                                                              \
        .name = name_, .type = DSC_FIELD_PROVENANCE, .sql = alias_, .dataset = dataset_,           \
        .description = __VA_ARGS__                                                                 \
    }

/* Of rows of several datasets: `dataset_sql_` yields the name of each one's. Takes `.filer` and
 * `.document`. */
#define PROVENANCE_BY(name_, alias_, dataset_sql_, ...)                                            \
    {                                                                                              \
        .name = name_, .type = DSC_FIELD_PROVENANCE, .sql = alias_, .dataset_sql = dataset_sql_,   \
        .description = __VA_ARGS__                                                                 \
    }

/* An object of the shape's fields, from the same row. */
#define OBJECT(name_, shape_, ...)                                                                 \
    {                                                                                              \
        .name = name_, .type = DSC_FIELD_OBJECT, .shape = &(shape_), .description = __VA_ARGS__    \
    }

/* A member that a handler writes, or that stands within JSON: there is no SQL for it. */
#define MEMBER(type_, name_, ...)                                                                  \
    {                                                                                              \
        .name = name_, .type = DSC_FIELD_##type_, .description = __VA_ARGS__                       \
    }

#define NULLABLE .flags = DSC_NULLABLE

#define SHAPE(name_, description_, ...)                                                            \
    {                                                                                              \
        .name = name_, .description = description_, .fields = (const dsc_field_t[]){__VA_ARGS__},  \
        .field_count = DSC_COUNT_OF(dsc_field_t, __VA_ARGS__)                                      \
    }

/* --- columns of a dataset: type, name, description -------------------------------------------- */

#define COLUMN(type_, name_, ...)                                                                  \
    {                                                                                              \
        .name = name_, .type = DSC_COLUMN_##type_, .description = __VA_ARGS__                      \
    }
#define REQUIRED(type_, name_, ...)                                                                \
    {                                                                                              \
        .name = name_, .type = DSC_COLUMN_##type_, .flags = DSC_COLUMN_REQUIRED,                   \
        .description = __VA_ARGS__                                                                 \
    }
#define KEY(type_, name_, ...)                                                                     \
    {                                                                                              \
        .name = name_, .type = DSC_COLUMN_##type_, .flags = DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY,  \
        .description = __VA_ARGS__                                                                 \
    }
#define FORWARD_FILLED(type_, name_, ...)                                                          \
    {                                                                                              \
        .name = name_, .type = DSC_COLUMN_##type_, .flags = DSC_COLUMN_FORWARD_FILLED,             \
        .description = __VA_ARGS__                                                                 \
    }

/* --- parameters: type, name, description. Those of the path are required. --------------------- */

#define DSC_PARAMETER(location_, type_, name_, ...)                                                \
    {                                                                                              \
        .name = name_, .location = location_, .type = type_, .description = __VA_ARGS__            \
    }
#define PATH(type_, name_, ...)  DSC_PARAMETER(DSC_IN_PATH, DSC_##type_, name_, __VA_ARGS__)
#define QUERY(type_, name_, ...) DSC_PARAMETER(DSC_IN_QUERY, DSC_##type_, name_, __VA_ARGS__)
#define BODY(type_, name_, ...)  DSC_PARAMETER(DSC_IN_BODY, DSC_##type_, name_, __VA_ARGS__)

#define BETWEEN(least, most) .bounds = {1, 1, least, most}
#define AT_LEAST(least)      .bounds = {.has_minimum = 1, .minimum = least}
#define AT_MOST(most)        .bounds = {.has_maximum = 1, .maximum = most}

/* What a literal may be, by a name of its own. */
#define CHOICES(name_, ...) static const char *const name_[] = {__VA_ARGS__, NULL}

/* --- sources ---------------------------------------------------------------------------------- */

/* Rows in the order of a column: FROM text, column, its type. t.id distinguishes rows of one
 * day. */
#define ROWS(from_, order_, ...)                                                                   \
    {                                                                                              \
        .from = from_, .tie = "t.id", .order = order_, .order_type = __VA_ARGS__                   \
    }
#define ROW(...)                                                                                   \
    {                                                                                              \
        .from = __VA_ARGS__                                                                        \
    }
#define ORDERS(...)                                                                                \
    (const dsc_order_t[])                                                                          \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* --- datasets --------------------------------------------------------------------------------- */

#define DATASET(name_, table_, description_)                                                       \
    .name = name_, .table = table_, .description = description_
#define COLUMNS(...)                                                                               \
    .columns = (const dsc_column_t[]){__VA_ARGS__},                                                \
    .column_count = DSC_COUNT_OF(dsc_column_t, __VA_ARGS__)
#define SHOWN(source_, shape_) .source = &(source_), .shape = &(shape_)
#define EXPECTED(...)                                                                              \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define FOLLOWS(...)                                                                               \
    (const dsc_follow_t[])                                                                         \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* --- endpoints -------------------------------------------------------------------------------- */

#define GET(name_, path_)     .name = name_, .method = "GET", .path = path_
#define POST(name_, path_)    .name = name_, .method = "POST", .path = path_
#define PATCH(name_, path_)   .name = name_, .method = "PATCH", .path = path_
#define DELETE(name_, path_)  .name = name_, .method = "DELETE", .path = path_
#define ABOUT(tag_, summary_) .tag = tag_, .summary = summary_
#define PARAMETERS(...)                                                                            \
    .parameters = (const dsc_parameter_t[]){__VA_ARGS__},                                          \
    .parameter_count = DSC_COUNT_OF(dsc_parameter_t, __VA_ARGS__)
#define LIST(source_, shape_)  .response = DSC_RESPONSE_LIST, SHOWN(source_, shape_)
#define ALL(source_, shape_)   .response = DSC_RESPONSE_ALL, SHOWN(source_, shape_)
#define ARRAY(source_, shape_) .response = DSC_RESPONSE_ARRAY, SHOWN(source_, shape_)
#define ITEM(source_, shape_)  .response = DSC_RESPONSE_ITEM, SHOWN(source_, shape_)
#define HANDLER(function_, shape_)                                                                 \
    .response = DSC_RESPONSE_HANDLER, .handler = function_, .shape = &(shape_)
#define STATUSES(...)                                                                              \
    .statuses = (const int[])                                                                      \
    {                                                                                              \
        __VA_ARGS__, 0                                                                             \
    }
#define CHILDREN(...)                                                                              \
    (const dsc_child_t[])                                                                          \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* --- the parameters that lists share; `ordered` names the primary date field ------------------ */

#define DSC_PARAMETER_CURSOR                                                                       \
    QUERY(STRING, "cursor",                                                                        \
          "Position to continue from: the next_cursor of the previous page, verbatim.",            \
          .flags = DSC_EMPTY_IS_ABSENT)
#define DSC_PARAMETER_LIMIT(fallback, most)                                                        \
    QUERY(INTEGER, "limit",                                                                        \
          "Maximum number of rows in a page. The page cap of the plan applies as well.",           \
          BETWEEN(1, most), .default_text = fallback)
#define DSC_PARAMETER_FIELDS                                                                       \
    QUERY(STRING, "fields",                                                                        \
          "Fields to return of each row, separated by commas, e.g. id,provenance.source_url; "     \
          "absent: all.",                                                                          \
          .flags = DSC_REPEATABLE | DSC_EMPTY_IS_ABSENT)
/* Of lists whose rows are items. */
#define DSC_PARAMETERS_ROWS(fallback, most)                                                        \
    DSC_PARAMETER_LIMIT(fallback, most), DSC_PARAMETER_FIELDS
#define DSC_PARAMETER_OFFSET                                                                       \
    QUERY(INTEGER, "offset", "Number of rows to skip before the first one returned.", AT_LEAST(0), \
          .default_text = "0")
#define DSC_PARAMETER_DIRECTION(ordered)                                                           \
    QUERY(LITERAL, "direction", "Sort direction, by " ordered ".",                                 \
          .choices = dsc_direction_choices, .default_text = "desc")
#define DSC_AS_OF_DESCRIPTION                                                                      \
    "Return what was public at this instant (ISO 8601; a date means its first instant in UTC)."
#define DSC_PARAMETER_AS_OF QUERY(DATETIME, "as_of", DSC_AS_OF_DESCRIPTION)
/* as_of of a list whose order column is at most so many days ahead of known_at (a CHECK of its
 * table): the walk along the index then begins there and not at the newest row. */
#define DSC_PARAMETER_AS_OF_WITHIN(order_column, days)                                             \
    QUERY(DATETIME, "as_of", DSC_AS_OF_DESCRIPTION,                                                \
          .predicate = order_column " <= (? AT TIME ZONE 'UTC')::date + " days)
#define DSC_PARAMETER_AS_OF_BY(order_column) DSC_PARAMETER_AS_OF_WITHIN(order_column, "14")

/* NOLINTEND(bugprone-macro-parentheses) */

#endif
