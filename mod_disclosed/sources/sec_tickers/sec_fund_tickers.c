/* Importer of the SEC's company_tickers_mf.json: classes of funds, their series and their tickers.
 * The file is a snapshot; a class that it no longer names stays unchanged. */
#include "sources/importers.h"

#include "datasets/datasets.h"
#include "formats/json_document.h"
#include "formats/json_row.h"
#include "loader/snapshot_time.h"

#include <apr_strings.h>
#include <string.h>

/* Of a row. */
enum {
    CIK,
    SERIES,
    CLASS,
    SYMBOL,
    FIELD_COUNT
};
static const char *const field_names[] = {"cik", "seriesId", "classId", "symbol"};

static const char file_url[] = "https://www.sec.gov/files/company_tickers_mf.json";

typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const char *taken_at, *content_hash;
    size_t places[FIELD_COUNT];
} snapshot_t;

int dsc_accept_sec_fund_tickers(const char *name)
{
    static const char start[] = "company_tickers_mf";
    const char *base = name + strlen(name);

    while (base > name && base[-1] != '/' && base[-1] != ':') {
        base--;
    }
    return strncmp(base, start, sizeof start - 1) == 0 && strlen(base) > 5 &&
           strcasecmp(base + strlen(base) - 5, ".json") == 0;
}

static apr_status_t add_row(const snapshot_t *snapshot, const char *location, const json_t *row)
{
    const dsc_dataset_t *dataset = &dsc_dataset_fund_class;
    const char **values = dsc_load_values(snapshot->pool, dataset);
    const char *class_id =
        dsc_json_text_of(snapshot->pool, json_array_get(row, snapshot->places[CLASS]));
    dsc_load_record_t record;

    memset(&record, 0, sizeof record);
    record.cik = dsc_json_cik_of(snapshot->pool, json_array_get(row, snapshot->places[CIK]));
    if (!record.cik || !class_id) {
        return dsc_loader_reject(snapshot->loader, location,
                                 record.cik ? "the classId is missing"
                                            : "the CIK is missing or is none",
                                 dsc_json_sample_of(snapshot->pool, row));
    }
    dsc_load_set(dataset, values, "class_id", class_id);
    dsc_load_set(dataset, values, "series_id",
                 dsc_json_text_of(snapshot->pool, json_array_get(row, snapshot->places[SERIES])));
    dsc_load_set(dataset, values, "ticker",
                 dsc_json_ticker_of(snapshot->pool, json_array_get(row, snapshot->places[SYMBOL])));
    record.location = location;
    record.record_key = class_id;
    record.known_at = snapshot->taken_at;
    record.provenance.provider = "sec";
    record.provenance.url = file_url;
    record.values = values;
    return dsc_loader_add(snapshot->loader, dataset, &record);
}

static apr_status_t add_rows(snapshot_t *snapshot, const json_t *root,
                             const dsc_import_file_t *file, const char **reason)
{
    const json_t *data = json_object_get(root, "data"), *fields = json_object_get(root, "fields");
    apr_status_t status = APR_SUCCESS;

    if (!json_is_array(data)) {
        *reason = "data: there is no such array";
        return APR_EGENERAL;
    }
    if (!dsc_json_find_fields(snapshot->pool, fields, field_names, FIELD_COUNT, snapshot->places,
                              reason)) {
        return APR_EGENERAL;
    }
    snapshot->taken_at = dsc_snapshot_time(snapshot->loader, file,
                                           "SELECT disclosed.content_seen_at('fund_class', $1)",
                                           snapshot->content_hash, reason);
    if (!snapshot->taken_at) {
        return APR_EGENERAL;
    }
    for (size_t i = 0; i < json_array_size(data) && status == APR_SUCCESS; i++) {
        const char *location = apr_psprintf(snapshot->pool, "data[%lu]", (unsigned long)i);
        const json_t *row = json_array_get(data, i);

        status = dsc_json_row_fits(fields, row)
                     ? add_row(snapshot, location, row)
                     : dsc_loader_reject(snapshot->loader, location,
                                         "it has not as many values as fields",
                                         dsc_json_sample_of(snapshot->pool, row));
    }
    return status;
}

apr_status_t dsc_load_sec_fund_tickers(dsc_loader_t *loader, dsc_import_file_t *file,
                                       const char **reason)
{
    snapshot_t snapshot = {loader, dsc_loader_file_pool(loader), NULL, NULL, {0, 0, 0, 0}};
    const json_t *root = dsc_json_read(file, snapshot.pool, reason);

    if (!root) {
        return APR_EGENERAL;
    }
    snapshot.content_hash = dsc_import_content_hash(file, reason);
    return add_rows(&snapshot, root, file, reason);
}
