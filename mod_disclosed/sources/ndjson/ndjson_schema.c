/* The JSON Schema of NDJSON lines, generated from the datasets' tables. */
#include "sources/ndjson/ndjson.h"

#include "engine/json_writer.h"

#include <apr_strings.h>
#include <string.h>

const char *dsc_ndjson_key_form(apr_pool_t *pool, const dsc_dataset_t *dataset, int *fixed)
{
    const char *form = NULL;
    int i;

    *fixed = (dataset->flags & DSC_KEY_FIXED) != 0;
    if (dataset->key_form != NULL) {
        return dataset->key_form;
    }
    for (i = 0; i < dataset->column_count; i++) {
        if (dataset->columns[i].flags & DSC_COLUMN_KEY) {
            form = apr_pstrcat(pool, form == NULL ? "" : form, form == NULL ? "{" : ":{",
                               dataset->columns[i].name, "}", NULL);
        }
    }
    return form;
}

#define DECIMAL_PATTERN "^[+-]?([0-9]+(\\\\.[0-9]*)?|\\\\.[0-9]+)([eE][+-]?[0-9]+)?$"

/* What a value of each type is in JSON, without the braces. */
static const char *const type_schemas[] = {
    [DSC_COLUMN_INTEGER] = "\"type\":[\"integer\",\"string\"],\"pattern\":\"^[+-]?[0-9]+$\"",
    [DSC_COLUMN_DECIMAL] = "\"type\":[\"number\",\"string\"],\"pattern\":\"" DECIMAL_PATTERN "\"",
    [DSC_COLUMN_TEXT] = "\"type\":\"string\"",
    [DSC_COLUMN_BOOLEAN] = "\"type\":\"boolean\"",
    [DSC_COLUMN_DATE] = "\"type\":\"string\",\"format\":\"date\"",
    [DSC_COLUMN_DATETIME] = "\"type\":\"string\",\"format\":\"date-time\"",
    [DSC_COLUMN_TEXTS] = "\"type\":\"array\",\"items\":{\"type\":\"string\"}",
    [DSC_COLUMN_JSON] = "\"type\":[\"object\",\"array\"]",
};

static void append_choices(dsc_buffer_t *json, const char *const *choices, int nullable)
{
    const char *comma = "";

    dsc_buffer_append_text(json, "\"enum\":[");
    for (; *choices != NULL; choices++) {
        dsc_buffer_append_text(json, comma);
        dsc_json_text(json, *choices);
        comma = ",";
    }
    dsc_buffer_append_text(json, nullable ? ",null]" : "]");
}

static void append_column(dsc_buffer_t *json, const dsc_column_t *column)
{
    int required = (column->flags & DSC_COLUMN_REQUIRED) != 0;

    dsc_buffer_append_char(json, ',');
    dsc_json_name(json, column->name);
    dsc_buffer_append_text(json, "{\"description\":");
    dsc_json_text(json, column->description);
    dsc_buffer_append_char(json, ',');
    if (column->choices != NULL) {
        append_choices(json, column->choices, !required);
    } else if (required) {
        dsc_buffer_append_text(json, type_schemas[column->type]);
    } else {
        dsc_buffer_printf(json, "\"anyOf\":[{%s},{\"type\":\"null\"}]", type_schemas[column->type]);
    }
    dsc_buffer_append_char(json, '}');
}

static const char provenance_schema[] =
    ",\"provenance\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"description\":\"source of the record\",\"required\":[\"source_provider\"],"
    "\"properties\":{"
    "\"source_provider\":{\"type\":\"string\",\"description\":\"one of table source_provider\"},"
    "\"source_url\":{\"type\":[\"string\",\"null\"],\"description\":\"URL at the source\"},"
    "\"accession\":{\"type\":[\"string\",\"null\"],"
    "\"pattern\":\"^[0-9]{10}-[0-9]{2}-[0-9]{6}$\",\"description\":\"EDGAR accession number\"},"
    "\"quote\":{\"type\":[\"string\",\"null\"],\"description\":\"verbatim text of the source\"},"
    "\"content_hash\":{\"type\":[\"string\",\"null\"],\"pattern\":\"^sha256:[0-9a-f]{64}$\","
    "\"description\":\"hash of the file that it was read from\"},"
    "\"extracted_at\":{\"type\":[\"string\",\"null\"],\"format\":\"date-time\","
    "\"description\":\"time at which it was read from the source\"}}}";

static void append_members(dsc_buffer_t *json, const dsc_dataset_t *dataset, const char *form)
{
    dsc_buffer_append_text(json, "\"dataset\":{\"const\":");
    dsc_json_text(json, dataset->name);
    dsc_buffer_append_text(
        json,
        "},\"cik\":{\"type\":[\"integer\",\"string\"],\"pattern\":\"^[0-9]{1,10}$\","
        "\"minimum\":1,\"maximum\":9999999999,\"description\":\"CIK of the issuer\"},"
        "\"symbol\":{\"type\":\"string\",\"description\":\"symbol of a loaded listing of the "
        "issuer, TICKER:MARKET or TICKER\"},"
        "\"party\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":1000,\"description\":\"an "
        "issuer without a CIK, e.g. politician/jane-doe\"},"
        "\"issuer_name\":{\"type\":[\"string\",\"null\"],\"description\":\"name for an issuer "
        "that has none yet\"},\"record_key\":{\"type\":\"string\",\"minLength\":1,"
        "\"maxLength\":1000,\"description\":");
    dsc_json_text(json, form == NULL ? "identifies the record in its source"
                                     : apr_pstrcat(json->pool, "may be left out: ", form, NULL));
    dsc_buffer_append_text(json, "},\"known_at\":{\"type\":\"string\",\"description\":");
    dsc_json_text(
        json, dataset->date_column == NULL || strcmp(dataset->date_column, "known_at") == 0
                  ? "time at which it became public: a date and time with a zone, or a date"
                  : apr_pstrcat(json->pool,
                                "time at which it became public: a date and time with a zone, or "
                                "a date, which means its end in New York; by default from ",
                                dataset->date_column, NULL));
    dsc_buffer_append_char(json, '}');
    dsc_buffer_append_text(json, provenance_schema);
}

static void append_required(dsc_buffer_t *json, const dsc_dataset_t *dataset, const char *form)
{
    int i;

    dsc_buffer_append_text(json, "\"required\":[\"provenance\"");
    if (form == NULL) {
        dsc_buffer_append_text(json, ",\"record_key\"");
    }
    for (i = 0; i < dataset->column_count; i++) {
        if (dataset->columns[i].flags & DSC_COLUMN_REQUIRED) {
            dsc_buffer_append_char(json, ',');
            dsc_json_text(json, dataset->columns[i].name);
        }
    }
    dsc_buffer_append_text(json, "],\"anyOf\":[{\"required\":[\"cik\"]},"
                                 "{\"required\":[\"symbol\"]},{\"required\":[\"party\"]}]");
}

void dsc_ndjson_schema(dsc_buffer_t *json, const dsc_dataset_t *dataset)
{
    int i, fixed;
    const char *form = dsc_ndjson_key_form(json->pool, dataset, &fixed);

    dsc_buffer_append_text(json, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
                                 "\"title\":");
    dsc_json_text(json, apr_pstrcat(json->pool, "A line of dataset ", dataset->name, NULL));
    dsc_buffer_append_text(json, ",\"description\":");
    dsc_json_text(json, dataset->description);
    dsc_buffer_append_text(json, ",\"type\":\"object\",\"additionalProperties\":false,");
    append_required(json, dataset, form);
    dsc_buffer_append_text(json, ",\"properties\":{");
    append_members(json, dataset, form);
    for (i = 0; i < dataset->column_count; i++) {
        append_column(json, &dataset->columns[i]);
    }
    dsc_buffer_append_text(json, "}}");
}
