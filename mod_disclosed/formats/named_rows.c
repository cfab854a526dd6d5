/* Rows of named values, from delimited text or JSON. */
#include "formats/named_rows.h"

#include "engine/utf8.h"
#include "formats/delimited.h"
#include "formats/json_line.h"

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

enum {
    DEEPEST_LIST = 6,
    SAMPLE_LENGTH = 200
};

typedef struct {
    dsc_import_file_t *file;
    apr_pool_t *pool, *row_pool;
    const dsc_named_value_t *wanted;
    int count;
    const int *const *required;
    dsc_take_row_t *take;
    void *baton;
    const char **reason;
    const char **values, **around; /* of the row; of the objects around it */
    unsigned char *has;
    unsigned char *own, *expected; /* JSON: members of the record, and of any of its list */
    int last;                      /* of the values the one of the last column; -1: none */
    const char *lists_lack;        /* JSON: what the first list lacks that is none of rows */
    int row_lists, empty_lists;    /* JSON: lists of rows, and those of them that have none */
    char first[4096];              /* the file's beginning, looked at before it is read */
    size_t first_length, first_taken;
} reading_t;

/* What files write if they have no value. */
static int is_absent(const dsc_named_value_t *wanted, const char *text)
{
    static const char *const absent[] = {"n/a", "na",        "null", "none", "nan",
                                         "nil", "-",         "--",   "#n/a", "0000-00-00",
                                         "nat", "undefined", NULL};

    for (int i = 0; !(wanted->flags & DSC_NAMED_VERBATIM) && absent[i] != NULL; i++) {
        if (strcasecmp(text, absent[i]) == 0) {
            return 1;
        }
    }
    return *text == '\0';
}

/* Index of the wanted value that the name stands for, and how much it is preferred (0: most). */
static int find_name(const reading_t *reading, const char *plain, int *rank)
{
    for (int i = 0; i < reading->count; i++) {
        for (*rank = 0; reading->wanted[i].names[*rank] != NULL; ++*rank) {
            if (strcmp(reading->wanted[i].names[*rank], plain) == 0) {
                return i;
            }
        }
    }
    return -1;
}

static const char *list_names(const reading_t *reading, const int *of)
{
    const char *list = "";

    for (; *of >= 0; of++) {
        list = apr_pstrcat(reading->pool, list, *list ? " or " : "", reading->wanted[*of].names[0],
                           NULL);
    }
    return list;
}

/* What the importer needs and neither the columns, or members, have nor what is around them; NULL:
 * nothing. */
static const char *required_lacking(const reading_t *reading, const unsigned char *has)
{
    for (int i = 0; reading->required[i] != NULL; i++) {
        const int *of = reading->required[i];

        while (*of >= 0 && !has[*of] && reading->around[*of] == NULL) {
            of++;
        }
        if (*of < 0) {
            return list_names(reading, reading->required[i]);
        }
    }
    return NULL;
}

/* ------------------------------------------------------------------ delimited text */

static long read_on(void *baton, void *bytes, size_t size, const char **reason)
{
    reading_t *reading = baton;
    size_t left = reading->first_length - reading->first_taken;

    if (left == 0) {
        return dsc_import_read(reading->file, bytes, size, reason);
    }
    left = left > size ? size : left;
    memcpy(bytes, reading->first + reading->first_taken, left);
    reading->first_taken += left;
    return (long)left;
}

/* The columns of the values; of several that fit the most preferred one. */
static const int *find_columns(reading_t *reading, dsc_delimited_t *rows)
{
    int *columns = apr_palloc(reading->pool, sizeof(*columns) * (size_t)reading->count);

    for (int i = 0; i < reading->count; i++) {
        columns[i] = dsc_delimited_column(rows, reading->wanted[i].names);
        reading->has[i] = columns[i] >= 0;
        reading->last = columns[i] == rows->column_count - 1 ? i : reading->last;
    }
    rows->last_is_ignored = reading->last < 0;
    return columns;
}

static const char *sample_of(apr_pool_t *pool, const dsc_delimited_t *rows)
{
    char *sample = apr_pcalloc(pool, SAMPLE_LENGTH + 1);
    size_t length = 0;

    for (int i = 0; i < rows->field_count && length < SAMPLE_LENGTH; i++) {
        length += (size_t)apr_snprintf(sample + length, SAMPLE_LENGTH + 1 - length, "%s%s",
                                       i ? "|" : "", rows->fields[i]);
    }
    return sample;
}

static apr_status_t take_text_row(reading_t *reading, const dsc_delimited_t *rows,
                                  const int *columns)
{
    dsc_named_row_t row = {.location = apr_psprintf(reading->row_pool, "line %" APR_INT64_T_FMT,
                                                    rows->line),
                           .values = reading->values,
                           .has = reading->has,
                           .expected = reading->has,
                           .error = rows->error,
                           .last = reading->last,
                           .sample = sample_of(reading->row_pool, rows)};
    apr_status_t rv;

    for (int i = 0; i < reading->count; i++) {
        const char *text = dsc_delimited_field(rows, columns[i]);

        reading->values[i] = text == NULL || is_absent(&reading->wanted[i], text) ? NULL : text;
    }
    rv = reading->take(reading->baton, reading->row_pool, &row);
    apr_pool_clear(reading->row_pool);
    return rv;
}

/* Whether the row names columns, in other words than the header has. */
static int is_other_header(const reading_t *reading, const dsc_delimited_t *rows)
{
    int rank, value, last = -1, names = 0;

    for (int i = 0; i < rows->field_count && (i < 2 || names > 0); i++) {
        value = find_name(reading, dsc_delimited_name(reading->row_pool, rows->fields[i]), &rank);
        names += value >= 0 && value != last;
        last = value >= 0 ? value : last;
    }
    return names >= 2;
}

static apr_status_t read_text(reading_t *reading)
{
    dsc_delimited_t rows;
    const int *columns;
    const char *lacking;
    apr_status_t rv = APR_SUCCESS;
    int found;

    if (!dsc_delimited_open(&rows, reading->pool, read_on, reading, reading->reason)) {
        return APR_EGENERAL;
    }
    columns = find_columns(reading, &rows);
    if ((lacking = required_lacking(reading, reading->has)) != NULL) {
        *reading->reason = apr_pstrcat(reading->pool, "it has no column ", lacking, NULL);
        return APR_EGENERAL;
    }
    while (rv == APR_SUCCESS && (found = dsc_delimited_next(&rows, reading->reason)) != 0) {
        if (found > 0 && rows.error == NULL && is_other_header(reading, &rows)) {
            *reading->reason = dsc_delimited_other_header(&rows);
            return APR_EGENERAL;
        }
        rv = found < 0 ? APR_EGENERAL : take_text_row(reading, &rows, columns);
    }
    return rv;
}

/* ----------------------------------------------------------------------------- JSON */

/* The text of a plain value, trimmed; NULL if it is absent, or no plain value. */
static const char *plain_text(apr_pool_t *pool, const dsc_named_value_t *wanted,
                              const dsc_json_value_t *value)
{
    const char *text = value->text;
    size_t length;

    if (value->kind == DSC_JSON_NULL || value->kind == DSC_JSON_OBJECT ||
        value->kind == DSC_JSON_ARRAY) {
        return NULL;
    }
    text += strspn(text, " \t\r\n");
    length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL) {
        length--;
    }
    text = apr_pstrmemdup(pool, text, length);
    return is_absent(wanted, text) ? NULL : text;
}

/* Before a row: nothing of the one before, whose texts are gone with its pool. */
static void forget_values(reading_t *reading)
{
    for (int i = 0; i < reading->count; i++) {
        reading->values[i] =
            reading->wanted[i].flags & DSC_NAMED_INHERITED ? reading->around[i] : NULL;
        reading->has[i] = reading->values[i] != NULL;
        reading->own[i] = 0;
    }
}

/* Notes which of the wanted members any record of the list has. */
static void survey_list(reading_t *reading, const char *text)
{
    dsc_json_value_t record, value;
    dsc_json_walk_t list, members;
    const char *name;
    int rank, i;

    memset(reading->expected, 0, (size_t)reading->count);
    dsc_json_walk(&list, reading->row_pool, text, strlen(text), 1);
    while (dsc_json_next(&list, NULL, &record)) {
        dsc_json_walk(&members, reading->row_pool, record.text, strlen(record.text), 0);
        while (record.kind == DSC_JSON_OBJECT && dsc_json_next(&members, &name, &value)) {
            i = find_name(reading, dsc_delimited_name(reading->row_pool, name), &rank);
            reading->expected[i < 0 ? 0 : i] |= i >= 0;
        }
        apr_pool_clear(reading->row_pool);
    }
}

/* What a record lacks that others of its list have, if none of them can be without it. */
static const char *lacking(const reading_t *reading)
{
    for (int i = 0; i < reading->count; i++) {
        if ((reading->wanted[i].flags & DSC_NAMED_UNIFORM) && reading->expected[i] &&
            !reading->own[i]) {
            return apr_pstrcat(reading->row_pool, "it has no ", reading->wanted[i].names[0],
                               ", as others of its list have", NULL);
        }
    }
    return NULL;
}

/* Takes the object's members; returns what is wrong with it, or NULL. */
static const char *take_members(reading_t *reading, const char *text)
{
    int *ranks = apr_pcalloc(reading->row_pool, sizeof(*ranks) * (size_t)reading->count);
    dsc_json_value_t value;
    dsc_json_walk_t walk;
    const char *name, *twice = NULL;

    for (int i = 0; i < reading->count; i++) {
        ranks[i] = 1000;
    }
    dsc_json_walk(&walk, reading->row_pool, text, strlen(text), 0);
    while (dsc_json_next(&walk, &name, &value)) {
        int rank, i = find_name(reading, dsc_delimited_name(reading->row_pool, name), &rank);

        if (i >= 0 && rank == ranks[i]) {
            twice = reading->wanted[i].names[rank];
        } else if (i >= 0 && rank < ranks[i]) {
            reading->values[i] = plain_text(reading->row_pool, &reading->wanted[i], &value);
            reading->has[i] = reading->own[i] = 1;
            ranks[i] = rank;
        }
    }
    return walk.error != NULL ? walk.error
           : twice != NULL    ? apr_pstrcat(reading->row_pool, "it has ", twice, " twice", NULL)
                              : lacking(reading);
}

static int is_empty(const char *array)
{
    return array[1 + strspn(array + 1, " \t\r\n")] == ']';
}

/* Whether anything around the lists states what their rows are about. */
static int is_inherited(const reading_t *reading)
{
    int i = 0;

    while (i < reading->count && reading->around[i] == NULL) {
        i++;
    }
    return i < reading->count;
}

/* Counts a list of rows: one of which a record has what the importer needs. One without a record is
 * such a list if it is all of the file, or stands beside what it is about. */
static void judge_list(reading_t *reading, const char *text, int is_root)
{
    const char *lacking = required_lacking(reading, reading->expected);

    if (is_empty(text)) {
        reading->row_lists += is_root || is_inherited(reading);
        reading->empty_lists += is_root || is_inherited(reading);
    } else if (lacking == NULL) {
        reading->row_lists++;
    } else if (reading->lists_lack == NULL) {
        reading->lists_lack = lacking;
    }
}

static apr_status_t take_list(reading_t *reading, const char *text, const char *list)
{
    apr_int64_t number = 0;
    apr_status_t rv = APR_SUCCESS;
    dsc_json_value_t value;
    dsc_json_walk_t walk;

    survey_list(reading, text);
    judge_list(reading, text, *list == '\0');
    dsc_json_walk(&walk, reading->row_pool, text, strlen(text), 1);
    while (rv == APR_SUCCESS && dsc_json_next(&walk, NULL, &value)) {
        dsc_named_row_t row = {NULL, reading->values, reading->has, reading->expected, NULL, -1,
                               NULL};

        forget_values(reading);
        row.location =
            apr_psprintf(reading->row_pool, "%s record %" APR_INT64_T_FMT, list, ++number);
        row.location += strspn(row.location, " ");
        row.sample = apr_pstrndup(reading->row_pool, value.text, SAMPLE_LENGTH);
        row.error =
            value.kind == DSC_JSON_OBJECT ? take_members(reading, value.text) : "not a JSON object";
        rv = reading->take(reading->baton, reading->row_pool, &row);
        apr_pool_clear(reading->row_pool);
    }
    if (rv == APR_SUCCESS && walk.error != NULL) {
        *reading->reason =
            apr_psprintf(reading->pool, "record %" APR_INT64_T_FMT ": %s", number + 1, walk.error);
        return APR_EGENERAL;
    }
    return rv;
}

/* Whether an element of the array is an object: a list of rows, which may also be empty.
 * take_list() reports a damaged one. */
static int is_list(apr_pool_t *pool, const char *array)
{
    dsc_json_value_t value;
    dsc_json_walk_t walk;
    apr_pool_t *each;
    int found = is_empty(array);

    apr_pool_create(&each, pool);
    dsc_json_walk(&walk, each, array, strlen(array), 1);
    while (!found && dsc_json_next(&walk, NULL, &value)) {
        found = value.kind == DSC_JSON_OBJECT;
    }
    found |= walk.error != NULL;
    apr_pool_destroy(each);
    return found;
}

static apr_status_t stands_twice(reading_t *reading, const char *name)
{
    *reading->reason = apr_pstrcat(reading->pool, "it has ", name, " twice", NULL);
    return APR_EGENERAL;
}

/* Keeps the plain members that stand around lists of rows. One that appears twice makes the file
 * invalid. */
static apr_status_t take_around(reading_t *reading, apr_pool_t *pool, const char *text)
{
    unsigned *met = apr_pcalloc(pool, sizeof(*met) * (size_t)reading->count);
    int *ranks = apr_pcalloc(pool, sizeof(*ranks) * (size_t)reading->count);
    dsc_json_value_t value;
    dsc_json_walk_t walk;
    const char *name;
    int rank, i;

    dsc_json_walk(&walk, pool, text, strlen(text), 0);
    while (dsc_json_next(&walk, &name, &value)) {
        i = find_name(reading, dsc_delimited_name(pool, name), &rank);
        if (i < 0 || !(reading->wanted[i].flags & DSC_NAMED_INHERITED)) {
            continue;
        }
        if (met[i] & (1U << rank)) {
            return stands_twice(reading, reading->wanted[i].names[rank]);
        }
        met[i] |= 1U << rank;
        if (value.kind == DSC_JSON_STRING && (ranks[i] == 0 || rank < ranks[i])) {
            reading->around[i] = plain_text(reading->pool, &reading->wanted[i], &value);
            ranks[i] = rank + 1;
        }
    }
    return APR_SUCCESS;
}

/* Looks for lists of rows in an object. What it says for its own is forgotten with it: a neighbour
 * is not around anything. */
static apr_status_t take_object(reading_t *reading, const char *text, int depth)
{
    size_t size = sizeof(*reading->around) * (size_t)reading->count;
    dsc_json_value_t value;
    dsc_json_walk_t walk;
    apr_status_t rv;
    apr_pool_t *pool;
    apr_hash_t *nested;
    const char *name;
    void *outside;

    apr_pool_create(&pool, reading->pool);
    outside = apr_pmemdup(pool, reading->around, size);
    nested = apr_hash_make(pool);
    rv = take_around(reading, pool, text);
    dsc_json_walk(&walk, pool, text, strlen(text), 0);
    while (rv == APR_SUCCESS && dsc_json_next(&walk, &name, &value)) {
        int is_object = value.kind == DSC_JSON_OBJECT && depth < DEEPEST_LIST;

        if (!is_object && (value.kind != DSC_JSON_ARRAY || !is_list(pool, value.text))) {
            continue;
        }
        if (apr_hash_get(nested, name, APR_HASH_KEY_STRING) != NULL) {
            rv = stands_twice(reading, name);
        } else {
            apr_hash_set(nested, name, APR_HASH_KEY_STRING, name);
            rv = is_object ? take_object(reading, value.text, depth + 1)
                           : take_list(reading, value.text, name);
        }
    }
    if (rv == APR_SUCCESS && walk.error != NULL) {
        *reading->reason = walk.error;
        rv = APR_EGENERAL;
    }
    memcpy(reading->around, outside, size);
    apr_pool_destroy(pool);
    return rv;
}

/* Why the file is none of rows; NULL: it is. */
static const char *lists_error(const reading_t *reading)
{
    return reading->row_lists > 0 ? NULL
           : reading->lists_lack != NULL
               ? apr_pstrcat(reading->pool, "no record of its list has ", reading->lists_lack, NULL)
               : "there is no list of records in it";
}

static apr_status_t read_json(reading_t *reading)
{
    size_t length;
    char *all = dsc_import_read_all(reading->file, reading->pool, DSC_LARGEST_WHOLE, &length,
                                    reading->reason);
    const char *text;
    apr_status_t rv;

    if (all == NULL) {
        return APR_EGENERAL;
    }
    all = apr_pstrcat(reading->pool,
                      apr_pstrmemdup(reading->pool, reading->first, reading->first_length), all,
                      NULL);
    if (strlen(all) != length + reading->first_length) {
        *reading->reason = "the file holds a NUL byte";
        return APR_EGENERAL;
    }
    text = all + strcspn(all, "[{");
    rv = *text == '[' ? take_list(reading, text, "") : take_object(reading, text, 0);
    if (rv == APR_SUCCESS && (*reading->reason = lists_error(reading)) != NULL) {
        return APR_EGENERAL;
    }
    return rv;
}

/* ------------------------------------------------------------------------------ a file */

/* Looks at the beginning; *is_json says what the file is. */
static int look(reading_t *reading, int *is_json)
{
    size_t at = 0;
    long got;

    do {
        got = dsc_import_read(reading->file, reading->first + reading->first_length,
                              sizeof(reading->first) - reading->first_length, reading->reason);
        if (got < 0) {
            return 0;
        }
        reading->first_length += (size_t)got;
        at = dsc_utf8_mark(reading->first, reading->first_length);
        while (at < reading->first_length && apr_isspace(reading->first[at])) {
            at++;
        }
    } while (got > 0 && reading->first_length < sizeof(reading->first) &&
             (at == reading->first_length || reading->first_length < 3));
    *is_json = at < reading->first_length && strchr("[{", reading->first[at]) != NULL;
    return 1;
}

apr_status_t dsc_named_rows_read(dsc_import_file_t *file, apr_pool_t *pool,
                                 const dsc_named_value_t *values, int count,
                                 const int *const *required, dsc_take_row_t *take, void *baton,
                                 int *is_empty_list, const char **reason)
{
    reading_t *reading = apr_pcalloc(pool, sizeof(*reading));
    int is_json;
    apr_status_t rv;

    reading->file = file;
    reading->pool = pool;
    reading->wanted = values;
    reading->count = count;
    reading->required = required;
    reading->take = take;
    reading->baton = baton;
    reading->reason = reason;
    reading->values = apr_pcalloc(pool, sizeof(*reading->values) * (size_t)count);
    reading->around = apr_pcalloc(pool, sizeof(*reading->around) * (size_t)count);
    reading->has = apr_pcalloc(pool, (size_t)count);
    reading->own = apr_pcalloc(pool, (size_t)count);
    reading->expected = apr_pcalloc(pool, (size_t)count);
    reading->last = -1;
    apr_pool_create(&reading->row_pool, pool);
    if (!look(reading, &is_json)) {
        return APR_EGENERAL;
    }
    rv = is_json ? read_json(reading) : read_text(reading);
    apr_pool_destroy(reading->row_pool);
    *is_empty_list = reading->empty_lists > 0;
    return rv;
}
