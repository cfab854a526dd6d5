/* Where a data point comes from, by its src_id. */
#include "datasets/datasets.h"
#include "engine/json_writer.h"
#include "engine/problem.h"
#include "engine/shape_walk.h"

#include <apr_strings.h>
#include <string.h>

enum { DIGEST_LENGTH = 32 };

/* An src_id taken apart: src_<dataset>_<32 hex digits>. */
typedef struct {
    const char *text, *dataset, *digest;
} source_id_t;

static int parse_source_id(apr_pool_t *pool, const char *text, source_id_t *id)
{
    size_t length = strlen(text);
    size_t digest_at = length - DIGEST_LENGTH;
    if (length < sizeof("src_x_") - 1 + DIGEST_LENGTH || strncmp(text, "src_", 4) != 0
        || text[digest_at - 1] != '_'
        || strspn(text + digest_at, "0123456789abcdef") != DIGEST_LENGTH) {
        return 0;
    }
    id->text = text;
    id->dataset = apr_pstrmemdup(pool, text + 4, digest_at - 1 - 4);
    id->digest = text + digest_at;
    return 1;
}

static void write_head(dsc_call_t *call, const source_id_t *id, const char *gap)
{
    dsc_buffer_append_text(call->body, "{\"src_id\":");
    dsc_json_text(call->body, id->text);
    dsc_buffer_append_text(call->body, ",\"dataset\":");
    dsc_json_text(call->body, id->dataset);
    dsc_buffer_append_text(call->body, ",\"digest\":");
    dsc_json_text(call->body, id->digest);
    dsc_buffer_append_text(call->body, gap ? ",\"resolvable\":false" : ",\"resolvable\":true");
    dsc_buffer_append_text(call->body, ",\"gap\":");
    dsc_json_text(call->body, gap);
}

static void respond_unresolvable(dsc_call_t *call, const source_id_t *id)
{
    write_head(call, id,
               dsc_dataset_find(id->dataset)
                   ? "No record with this digest is in the dataset at that time."
                   : "This service has no dataset of that name.");
    dsc_buffer_append_char(call->body, '}');
}

static void redirect(dsc_call_t *call, const char *url)
{
    if (!url || (strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0)) {
        dsc_call_problem(call, 404, "The record has no address at its source.");
        return;
    }
    call->status = 302;
    call->body = NULL;
    call->content_type = NULL;
    apr_table_setn(call->headers, "Location", url);
}

static void respond_record(dsc_call_t *call, const source_id_t *id, const dsc_dataset_t *dataset)
{
    const dsc_shape_t shape =
        SHAPE("", "", PROVENANCE(dataset->name, ""), OBJECT("record", *dataset->shape, ""));
    const char *tail = apr_pstrcat(call->pool, dataset->source->from, dsc_shape_sources(&shape),
                                   " WHERE {now:t} AND uuid_hash(t.src_digest) = uuid_hash(?)"
                                   " AND t.src_digest = ?", NULL);
    dsc_result_t *result;
    size_t start;
    int column = 0;

    if (!dsc_call_select_shape(call, &shape, tail, "uuid", id->digest, &result)) {
        return;
    }
    dsc_call_release(call);
    if (!dsc_result_next(result)) {
        respond_unresolvable(call, id);
        return;
    }
    if (dsc_call_value(call, "redirect")->integer) {
        redirect(call, dsc_row_url(call->pool, result, 0));
        return;
    }
    write_head(call, id, NULL);
    start = call->body->length;
    dsc_row_write(call->body, dsc_layout_create(call->pool, &shape), result, &column, 0);
    call->body->data[start] = ','; /* the row's members go on in the same object */
}

static void respond_source(dsc_call_t *call)
{
    const char *text = dsc_call_value(call, "src_id")->text;
    const dsc_dataset_t *dataset;
    source_id_t id;
    if (!parse_source_id(call->pool, text, &id)) {
        dsc_call_problem(call, 404,
                                apr_psprintf(call->pool,
                                             "\"%s\" is not a source id: src_<dataset>_<32 hex "
                                             "digits>.",
                                             text));
        return;
    }
    dataset = dsc_dataset_find(id.dataset);
    if (dataset && dataset->source) {
        respond_record(call, &id, dataset);
    } else {
        respond_unresolvable(call, &id);
    }
}

static const dsc_shape_t source_shape = SHAPE("SourceReference", "A record and its source, by src_id.",
    MEMBER(TEXT, "src_id", "The requested src_id."),
    MEMBER(TEXT, "dataset", "Dataset named in the src_id."),
    MEMBER(TEXT, "digest", "Digest in the src_id, 32 hex digits."),
    MEMBER(BOOLEAN, "resolvable", "Whether a record with this src_id exists."),
    MEMBER(TEXT, "gap", "Why the src_id does not resolve; null if it does.", NULLABLE),
    PROVENANCE("company", "Source of the record; absent if the src_id does not resolve.", .flags = DSC_OPTIONAL),
    MEMBER(JSON, "record", "The record, as in lists of its dataset; absent if the src_id does not resolve.",
           .flags = DSC_NULLABLE | DSC_OPTIONAL));

const dsc_endpoint_t dsc_endpoint_source = {
    GET("get_source", "/v1/src/{src_id}"),
    ABOUT("Provenance", "The record and the source that a src_id identifies."),
    HANDLER(respond_source, source_shape),
    PARAMETERS(
        PATH(STRING, "src_id", "src_id from a provenance object."),
        QUERY(BOOLEAN, "redirect", "Redirect to the record's source_url, with status 302.", .default_text = "false"),
        DSC_PARAMETER_AS_OF),
    .flags = DSC_READS_ALL,
    STATUSES(302),
};
