#include "engine/relations.h"

#include "engine/dataset.h"
#include "engine/endpoint.h"
#include "engine/shape_walk.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;   /* of a table, view or function */
    const char *tables; /* that it reads, with spaces between them */
} relation_t;

/* Sorted by name. */
static const relation_t relations[] = {
#include "sql_relations.inc"
};

/* Tables that loads of every dataset change; of the first two a text may say whose rows it
 * reads. */
static const char counts[] = "dataset_stat dataset_issuer_stat";
static const char shared[] = "dataset_record source_provider";
/* Rows that are there are never changed: what is served of them follows the rows that point to
 * them. */
static const char constant[] = "source";

static int has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    const char *at = words;
    while (at && (at = strstr(at, word))) {
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) {
            return 1;
        }
        at += length;
    }
    return 0;
}

/* The datasets whose counts a text reads: those of its conditions "dataset = 'filing/listed'", all
 * if it has none. */
static uint64_t counted_datasets(apr_pool_t *pool, const char *sql)
{
    static const char condition[] = "dataset = '";
    uint64_t mask = 0;
    const char *at = sql;
    while ((at = strstr(at, condition))) {
        int place;
        at += sizeof(condition) - 1;
        place = dsc_dataset_index(apr_pstrmemdup(pool, at, strcspn(at, "'/")));
        mask |= place < 0 ? ~UINT64_C(0) : UINT64_C(1) << place;
    }
    return mask ? mask : ~UINT64_C(0);
}

/* Datasets whose loads change a table. */
static uint64_t datasets_of(apr_pool_t *pool, const char *sql, const char *table)
{
    int all = has_word(shared, table), i;
    uint64_t mask = has_word(counts, table) ? counted_datasets(pool, sql) : 0;
    for (i = 0; dsc_datasets[i]; i++) {
        if (all || strcmp(dsc_datasets[i]->table, table) == 0 ||
            has_word(dsc_datasets[i]->keeps, table)) {
            mask |= UINT64_C(1) << i;
        }
    }
    return mask;
}

static int compare(const void *name, const void *relation)
{
    return strcmp(name, ((const relation_t *)relation)->name);
}

static uint64_t datasets_of_word(apr_pool_t *pool, const char *sql, const char *word,
                                 apr_array_header_t *unknown)
{
    const relation_t *relation = bsearch(word, relations, sizeof(relations) / sizeof(relations[0]),
                                         sizeof(relations[0]), compare);
    uint64_t mask = 0, of_table;
    const char *table;
    char *rest, *tables;
    if (!relation) {
        return 0;
    }
    tables = apr_pstrdup(pool, relation->tables);
    for (table = apr_strtok(tables, " ", &rest); table; table = apr_strtok(NULL, " ", &rest)) {
        of_table = datasets_of(pool, sql, table);
        if (!of_table && unknown && !has_word(constant, table)) {
            APR_ARRAY_PUSH(unknown, const char *) = table;
        }
        mask |= of_table;
    }
    return mask;
}

static int is_of_name(char c)
{
    return apr_isalnum(c) || c == '_';
}

uint64_t dsc_datasets_read(apr_pool_t *pool, const char *sql, apr_array_header_t *unknown)
{
    const char *start, *whole = sql;
    uint64_t mask = 0;
    char before = ' ';
    while (sql && *sql) {
        if (*sql == '\'') { /* a literal */
            sql += 1 + strcspn(sql + 1, "'");
            before = *sql;
            sql += *sql != '\0';
        } else if (!is_of_name(*sql)) {
            before = *sql++;
        } else {
            for (start = sql; is_of_name(*sql); sql++) {
            }
            if (before != '.') { /* else a column of what is before it */
                mask |= datasets_of_word(pool, whole,
                                         apr_pstrmemdup(pool, start, (apr_size_t)(sql - start)),
                                         unknown);
            }
            before = sql[-1];
        }
    }
    return mask;
}

static void add_word(apr_array_header_t *words, const char *word)
{
    int i;
    for (i = 0; i < words->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(words, i, const char *), word) == 0) {
            return;
        }
    }
    APR_ARRAY_PUSH(words, const char *) = word;
}

static void add_words(apr_pool_t *pool, apr_array_header_t *tables, const char *words)
{
    char *rest, *word;
    for (word = words ? apr_strtok(apr_pstrdup(pool, words), " ", &rest) : NULL; word;
         word = apr_strtok(NULL, " ", &rest)) {
        add_word(tables, word);
    }
}

apr_array_header_t *dsc_tables_of_datasets(apr_pool_t *pool)
{
    apr_array_header_t *tables = apr_array_make(pool, 64, sizeof(const char *));
    int i;
    for (i = 0; dsc_datasets[i]; i++) {
        add_words(pool, tables, dsc_datasets[i]->table);
        add_words(pool, tables, dsc_datasets[i]->keeps);
    }
    add_words(pool, tables, shared);
    add_words(pool, tables, constant);
    return tables;
}

static size_t word_length(const char *text)
{
    const char *end = text;
    while (is_of_name(*end)) {
        end++;
    }
    return (size_t)(end - text);
}

static int is_table(const char *word, size_t length)
{
    int i;
    for (i = 0; dsc_datasets[i]; i++) {
        if (strlen(dsc_datasets[i]->table) == length &&
            strncmp(dsc_datasets[i]->table, word, length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The dataset's table with which an endpoint's FROM begins; NULL if it is no list of a table's
 * rows. */
static const char *table_of(apr_pool_t *pool, const dsc_endpoint_t *endpoint)
{
    const char *from = endpoint->source ? endpoint->source->from : NULL;
    size_t length = from ? word_length(from) : 0;
    return length > 0 && is_table(from, length) ? apr_pstrmemdup(pool, from, length) : NULL;
}

static void add_pair(apr_pool_t *pool, apr_array_header_t *pairs, const char *table,
                     const char *name, size_t length)
{
    add_word(pairs, apr_psprintf(pool, "%s.%.*s", table, (int)length, name));
}

/* Those of "JOIN function(" and "LATERAL function(", and of what is joined as of an instant. */
static void add_functions(apr_pool_t *pool, apr_array_header_t *pairs, const char *table,
                          const char *from)
{
    static const char *const before[] = {"JOIN ", "LATERAL ", "{past:"};
    const char *at;
    size_t length, i;
    for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
        for (at = from; (at = strstr(at, before[i])) != NULL;) {
            at += strlen(before[i]);
            length = word_length(at);
            if (length > 0 && at[length] == '(') {
                add_pair(pool, pairs, table, at, length);
            }
        }
    }
}

/* Tables of datasets that are joined, or looked up by a subquery. */
static void add_tables(apr_pool_t *pool, apr_array_header_t *pairs, const char *table,
                       const char *sql)
{
    static const char *const before[] = {"JOIN ", "FROM "};
    const char *at;
    size_t length, i;
    for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
        for (at = sql; (at = strstr(at, before[i])) != NULL;) {
            at += strlen(before[i]);
            length = word_length(at);
            if (is_table(at, length)) {
                add_pair(pool, pairs, table, at, length);
            }
        }
    }
}

apr_array_header_t *dsc_relations_joined(apr_pool_t *pool)
{
    apr_array_header_t *pairs = apr_array_make(pool, 64, sizeof(const char *));
    const dsc_endpoint_t *endpoint;
    const char *table;
    int i, columns;
    for (i = 0; (endpoint = dsc_endpoints[i]) != NULL; i++) {
        if ((table = table_of(pool, endpoint)) != NULL) {
            add_functions(pool, pairs, table, endpoint->source->from);
            add_tables(pool, pairs, table, endpoint->source->from);
            add_tables(pool, pairs, table, dsc_shape_select(pool, endpoint->shape, &columns));
        }
    }
    return pairs;
}

/* The columns of "t.column = value". */
static void add_compared(apr_pool_t *pool, apr_array_header_t *pairs, const char *table,
                         const char *sql, const char *value)
{
    const char *at = sql, *start;
    while (at && (at = strstr(at, value)) != NULL) {
        for (start = at; start > sql && is_of_name(start[-1]); start--) {
        }
        if (start - sql >= 2 && strncmp(start - 2, "t.", 2) == 0 &&
            (start - sql == 2 || (!is_of_name(start[-3]) && start[-3] != '.'))) {
            add_pair(pool, pairs, table, start, (size_t)(at - start));
        }
        at += strlen(value);
    }
}

apr_array_header_t *dsc_columns_of_companies(apr_pool_t *pool)
{
    static const char company[] = " = {company}";
    apr_array_header_t *pairs = apr_array_make(pool, 64, sizeof(const char *));
    const dsc_endpoint_t *endpoint;
    const char *table;
    int i, k;
    for (i = 0; (endpoint = dsc_endpoints[i]) != NULL; i++) {
        table = table_of(pool, endpoint);
        for (k = 0; table && k < endpoint->parameter_count; k++) {
            const dsc_parameter_t *parameter = &endpoint->parameters[k];
            add_compared(pool, pairs, table, parameter->column, company);
            add_compared(pool, pairs, table, parameter->predicate, company);
            if ((parameter->flags & DSC_RESOLVED) && !(parameter->flags & DSC_LISTING)) {
                add_compared(pool, pairs, table, parameter->predicate, " = ?");
            }
        }
        if (table) {
            add_compared(pool, pairs, table, endpoint->source->where, company);
        }
    }
    return pairs;
}
