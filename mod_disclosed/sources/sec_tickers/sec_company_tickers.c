/* Importer of the SEC's whole-market ticker files: company_tickers.json, an object of objects, and
 * company_tickers_exchange.json, rows under a header. Each is a snapshot of all that is listed. */
#include "sources/importers.h"

#include "datasets/datasets.h"
#include "engine/buffer.h"
#include "formats/json_document.h"
#include "formats/json_row.h"
#include "loader/snapshot_time.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

static const char market[] = "US";

typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const char *kind; /* of snapshot: the file's name without .json */
    const char *taken_at, *content_hash, *url;
    apr_hash_t *ranks;         /* CIK -> int: listings of it so far */
    dsc_buffer_t *ciks, *keys; /* of the rows added, as array literals */
} snapshot_t;

/* One row, whichever shape it has; NULL if it says nothing. */
typedef struct {
    const char *location, *cik, *ticker, *name, *exchange;
} ticker_row_t;

int dsc_accept_sec_company_tickers(const char *name)
{
    static const char start[] = "company_tickers";
    const char *base = name + strlen(name);

    while (base > name && base[-1] != '/' && base[-1] != ':') {
        base--;
    }
    return strncmp(base, start, sizeof start - 1) == 0 && !dsc_accept_sec_fund_tickers(name) &&
           strlen(base) > 5 && strcasecmp(base + strlen(base) - 5, ".json") == 0;
}

/* -------------------------------------------------------------------- the snapshot */

/* The number among the rows of the same CIK, which the SEC orders by weight. */
static int next_rank(snapshot_t *snapshot, const char *cik)
{
    int *next = apr_hash_get(snapshot->ranks, cik, APR_HASH_KEY_STRING);

    if (!next) {
        next = apr_pcalloc(snapshot->pool, sizeof *next);
        apr_hash_set(snapshot->ranks, cik, APR_HASH_KEY_STRING, next);
    }
    return (*next)++;
}

static void append_element(dsc_buffer_t *array, const char *text)
{
    dsc_buffer_append_text(array, array->length > 1 ? "," : "");
    dsc_buffer_append_char(array, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            dsc_buffer_append_char(array, '\\');
        }
        dsc_buffer_append_char(array, *text);
    }
    dsc_buffer_append_char(array, '"');
}

static const char *row_error(const ticker_row_t *row)
{
    return !row->cik      ? "the CIK is missing or is none"
           : !row->ticker ? "the ticker is missing"
           : !row->name   ? "the name is missing"
                          : NULL;
}

static void fill_values(const ticker_row_t *row, const char *rank, const char **values)
{
    const dsc_dataset_t *dataset = &dsc_dataset_listing;

    dsc_load_set(dataset, values, "ticker", row->ticker);
    dsc_load_set(dataset, values, "market", market);
    dsc_load_set(dataset, values, "name", row->name);
    dsc_load_set(dataset, values, "listing_exchange", row->exchange);
    dsc_load_set(dataset, values, "status", "active");
    dsc_load_set(dataset, values, "listing_rank", rank);
}

static apr_status_t add_row(snapshot_t *snapshot, const ticker_row_t *row, const json_t *source)
{
    const char *error = row_error(row);
    dsc_load_record_t record;
    const char **values;
    const char *rank;

    if (error) {
        return dsc_loader_reject(snapshot->loader, row->location, error,
                                 dsc_json_sample_of(snapshot->pool, source));
    }
    rank = apr_itoa(snapshot->pool, next_rank(snapshot, row->cik));
    values = dsc_load_values(snapshot->pool, &dsc_dataset_listing);
    fill_values(row, rank, values);
    memset(&record, 0, sizeof record);
    record.location = row->location;
    record.cik = row->cik;
    record.issuer_name = row->name;
    record.record_key = apr_pstrcat(snapshot->pool, row->ticker, ":", market, NULL);
    record.known_at = snapshot->taken_at;
    record.provenance.provider = "sec";
    record.provenance.url = snapshot->url;
    record.values = values;
    append_element(snapshot->ciks, row->cik);
    append_element(snapshot->keys, record.record_key);
    return dsc_loader_add(snapshot->loader, &dsc_dataset_listing, &record);
}

/* ---------------------------------------------------------------------- two shapes */

/* {"0": {"cik_str": 320193, "ticker": "AAPL", "title": "Apple Inc."}, ...} */
static apr_status_t add_objects(snapshot_t *snapshot, json_t *root)
{
    apr_status_t status = APR_SUCCESS;
    const char *key;
    json_t *value;

    json_object_foreach(root, key, value)
    {
        ticker_row_t row = {apr_psprintf(snapshot->pool, "\"%.40s\"", key),
                            dsc_json_cik_of(snapshot->pool, json_object_get(value, "cik_str")),
                            dsc_json_ticker_of(snapshot->pool, json_object_get(value, "ticker")),
                            dsc_json_text_of(snapshot->pool, json_object_get(value, "title")),
                            NULL};

        if (status == APR_SUCCESS) {
            status = add_row(snapshot, &row, value);
        }
    }
    return status;
}

/* {"fields": ["cik", "name", "ticker", "exchange"], "data": [[320193, "Apple Inc.", ...], ...]} */
static const char *const field_names[] = {"cik", "name", "ticker", "exchange"};

enum {
    CIK,
    NAME,
    TICKER,
    EXCHANGE,
    FIELD_COUNT
};

static apr_status_t add_arrays(snapshot_t *snapshot, const json_t *fields, const json_t *data,
                               const char **reason)
{
    apr_status_t status = APR_SUCCESS;
    size_t places[FIELD_COUNT];

    if (!dsc_json_find_fields(snapshot->pool, fields, field_names, FIELD_COUNT, places, reason)) {
        return APR_EGENERAL;
    }
    for (size_t i = 0; i < json_array_size(data) && status == APR_SUCCESS; i++) {
        const json_t *value = json_array_get(data, i);
        const char *location = apr_psprintf(snapshot->pool, "data[%lu]", (unsigned long)i);
        ticker_row_t row = {
            location, dsc_json_cik_of(snapshot->pool, json_array_get(value, places[CIK])),
            dsc_json_ticker_of(snapshot->pool, json_array_get(value, places[TICKER])),
            dsc_json_text_of(snapshot->pool, json_array_get(value, places[NAME])),
            dsc_json_text_of(snapshot->pool, json_array_get(value, places[EXCHANGE]))};

        status = dsc_json_row_fits(fields, value)
                     ? add_row(snapshot, &row, value)
                     : dsc_loader_reject(snapshot->loader, location,
                                         "it has not as many values as fields",
                                         dsc_json_sample_of(snapshot->pool, value));
    }
    return status;
}

/* -------------------------------------------------------------------------- a file */

static apr_status_t reconcile(snapshot_t *snapshot, const char **reason)
{
    static const char sql[] =
        "SELECT dataset, changed_issuer FROM disclosed.reconcile_snapshot($1, $2, $3, $4, $5, $6)";
    long long rejected = dsc_loader_rejected(snapshot->loader);
    const char *parameters[6] = {snapshot->kind,
                                 snapshot->taken_at,
                                 NULL,
                                 NULL,
                                 snapshot->content_hash,
                                 apr_psprintf(snapshot->pool, "%" APR_INT64_T_FMT,
                                              (apr_int64_t)rejected)};
    dsc_buffer_t *const arrays[] = {snapshot->ciks, snapshot->keys};

    if (snapshot->ciks->length == 1) {
        *reason = "it lists nothing";
        return APR_EGENERAL;
    }
    for (int i = 0; i < DSC_COUNT(arrays); i++) {
        dsc_buffer_append_char(arrays[i], '}');
        parameters[2 + i] = dsc_buffer_text(arrays[i]);
    }
    if (rejected > 0) {
        dsc_loader_note(
            snapshot->loader,
            "rows were rejected: listings that this file does not name stay as they are");
    }
    return dsc_loader_after_merge(snapshot->loader, sql, DSC_COUNT(parameters), parameters);
}

static apr_status_t add_all(snapshot_t *snapshot, json_t *root, const dsc_import_file_t *file,
                            const char **reason)
{
    json_t *fields = json_object_get(root, "fields"), *data = json_object_get(root, "data");
    apr_status_t status;

    if (!json_is_object(root)) {
        *reason = "it is not a JSON object";
        return APR_EGENERAL;
    }
    snapshot->kind = json_is_array(data) ? "company_tickers_exchange" : "company_tickers";
    snapshot->taken_at = dsc_snapshot_time(
        snapshot->loader, file,
        apr_psprintf(snapshot->pool, "SELECT disclosed.snapshot_seen_at('%s', $1)", snapshot->kind),
        snapshot->content_hash, reason);
    if (!snapshot->taken_at) {
        return APR_EGENERAL;
    }
    snapshot->url =
        apr_psprintf(snapshot->pool, "https://www.sec.gov/files/%s.json", snapshot->kind);
    status = json_is_array(data) ? add_arrays(snapshot, fields, data, reason)
                                 : add_objects(snapshot, root);
    return status == APR_SUCCESS ? reconcile(snapshot, reason) : status;
}

static dsc_buffer_t *begin_array(apr_pool_t *pool)
{
    dsc_buffer_t *array = dsc_buffer_create(pool, 64 * 1024);

    dsc_buffer_append_char(array, '{');
    return array;
}

apr_status_t dsc_load_sec_company_tickers(dsc_loader_t *loader, dsc_import_file_t *file,
                                          const char **reason)
{
    snapshot_t snapshot = {loader, dsc_loader_file_pool(loader), NULL, NULL, NULL, NULL, NULL, NULL,
                           NULL};
    json_t *root = dsc_json_read(file, snapshot.pool, reason);

    if (!root) {
        return APR_EGENERAL;
    }
    snapshot.content_hash = dsc_import_content_hash(file, reason);
    snapshot.ranks = apr_hash_make(snapshot.pool);
    snapshot.ciks = begin_array(snapshot.pool);
    snapshot.keys = begin_array(snapshot.pool);
    return add_all(&snapshot, root, file, reason);
}
