/* Which records correct what their source said before. */
#include "loader/correction.h"

#include "engine/buffer.h"
#include "formats/eastern_time.h"
#include "loader/loader_value.h"

#include <apr_strings.h>
#include <apr_time.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_COLUMNS = 10
};

static const char *now_text(apr_pool_t *pool)
{
    apr_time_exp_t now;

    apr_time_exp_gmt(&now, apr_time_now());
    return apr_psprintf(pool, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", now.tm_year + 1900,
                        now.tm_mon + 1, now.tm_mday, now.tm_hour, now.tm_min, now.tm_sec,
                        now.tm_usec);
}

/* What was said before is asked while the file is read: until this one is stored, no other file of
 * the dataset may be read so, or each would count as the first. Nobody waits for this lock who
 * holds one of those that loads take at their end. */
static int lock(dsc_loader_t *loader, const dsc_dataset_t *dataset)
{
    const char *name =
        apr_pstrcat(dsc_loader_file_pool(loader), "disclosed corrections ", dataset->name, NULL);

    return dsc_loader_query(loader, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", 1,
                            &name, NULL) == APR_SUCCESS;
}

int dsc_corrections_open(dsc_corrections_t *corrections, dsc_loader_t *loader,
                         const dsc_dataset_t *dataset, const char *sql, const char *const *columns,
                         const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    const char *given = dsc_loader_options(loader)->known_at;

    if (!lock(loader, dataset)) {
        *reason = dsc_loader_error(loader);
        return 0;
    }
    corrections->loader = loader;
    corrections->dataset = dataset;
    corrections->sql = sql;
    corrections->columns = columns;
    corrections->count = 0;
    corrections->taken_at = given == NULL         ? now_text(pool)
                            : strlen(given) == 10 ? dsc_end_of_day(pool, given)
                                                  : given;
    if (corrections->taken_at == NULL ||
        dsc_value_error(DSC_COLUMN_DATETIME, corrections->taken_at) != NULL) {
        *reason = "--known-at is neither a date nor a time";
        return 0;
    }
    return apr_pool_create(&corrections->pool, pool) == APR_SUCCESS;
}

static void append_element(dsc_buffer_t *array, const char *text)
{
    if (text == NULL) {
        dsc_buffer_append_text(array, "NULL");
        return;
    }
    dsc_buffer_append_char(array, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            dsc_buffer_append_char(array, '\\');
        }
        dsc_buffer_append_char(array, *text);
    }
    dsc_buffer_append_char(array, '"');
}

/* What is in the column, if the loader will take it. */
static const char *sound_value(const dsc_corrections_t *corrections, const char *name,
                               const dsc_load_record_t *record)
{
    const dsc_dataset_t *dataset = corrections->dataset;
    int i = 0;

    while (strcmp(dataset->columns[i].name, name) != 0) {
        i++;
    }
    return dsc_column_error(corrections->pool, &dataset->columns[i], record->values[i]) == NULL
               ? record->values[i]
               : NULL;
}

static const char *time_of(const dsc_corrections_t *corrections, const dsc_load_record_t *record)
{
    return record->known_at != NULL ? record->known_at
                                    : dsc_end_of_day(corrections->pool, record->known_on);
}

/* An array literal: of the keys (column NULL and `times` 0), the times, or a column. */
static const char *array_of(const dsc_corrections_t *corrections, const char *column, int times)
{
    dsc_buffer_t *array = dsc_buffer_create(corrections->pool, 32 * DSC_CORRECTION_BATCH);

    for (int i = 0; i < corrections->count; i++) {
        const dsc_load_record_t *record = &corrections->records[i];

        dsc_buffer_append_char(array, i > 0 ? ',' : '{');
        append_element(array, column != NULL ? sound_value(corrections, column, record)
                              : times        ? time_of(corrections, record)
                                             : record->record_key);
    }
    dsc_buffer_append_char(array, '}');
    return dsc_buffer_text(array);
}

/* Corrections are public from when they were taken, but never before what they correct. */
static apr_status_t mark(dsc_corrections_t *corrections)
{
    const char *parameters[MOST_COLUMNS + 2];
    PGresult *result;
    apr_status_t rv;
    int count = 2;

    parameters[0] = array_of(corrections, NULL, 0);
    parameters[1] = array_of(corrections, NULL, 1);
    for (int i = 0; i < MOST_COLUMNS && corrections->columns[i] != NULL; i++) {
        parameters[count++] = array_of(corrections, corrections->columns[i], 0);
    }
    rv = dsc_loader_query(corrections->loader, corrections->sql, count, parameters, &result);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (int row = 0; row < PQntuples(result); row++) {
        dsc_load_record_t *record = &corrections->records[atoi(PQgetvalue(result, row, 0)) - 1];
        const char *before = time_of(corrections, record);

        record->known_at =
            strcmp(corrections->taken_at, before) > 0 ? corrections->taken_at : before;
        record->known_on = NULL;
    }
    PQclear(result);
    return APR_SUCCESS;
}

apr_status_t dsc_corrections_flush(dsc_corrections_t *corrections)
{
    apr_status_t rv =
        corrections->count > 0 && corrections->sql != NULL ? mark(corrections) : APR_SUCCESS;

    if (rv == APR_SUCCESS) {
        rv = dsc_loader_find_symbols(corrections->loader, corrections->pool, corrections->count,
                                     corrections->records);
    }

    for (int i = 0; rv == APR_SUCCESS && i < corrections->count; i++) {
        rv = dsc_loader_add(corrections->loader, corrections->dataset, &corrections->records[i]);
    }
    corrections->count = 0;
    apr_pool_clear(corrections->pool);
    return rv;
}

apr_status_t dsc_corrections_ready(dsc_corrections_t *corrections)
{
    return corrections->count + 2 > DSC_CORRECTION_BATCH ? dsc_corrections_flush(corrections)
                                                         : APR_SUCCESS;
}

void dsc_corrections_add(dsc_corrections_t *corrections, const dsc_load_record_t *record)
{
    corrections->records[corrections->count++] = *record;
}
