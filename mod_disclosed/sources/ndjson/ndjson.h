/* NDJSON lines: what members they have beyond a dataset's columns. */
#ifndef DSC_NDJSON_H
#define DSC_NDJSON_H

#include "engine/buffer.h"
#include "engine/dataset.h"

/* The form of a dataset's record keys: "{x}" stands for column x, "{accession}" for the one of
 * the provenance. NULL if lines must give their own. `fixed`: no other key is possible. */
const char *dsc_ndjson_key_form(apr_pool_t *pool, const dsc_dataset_t *dataset, int *fixed);

/* Appends the JSON Schema (2020-12) of the dataset's lines. */
void dsc_ndjson_schema(dsc_buffer_t *json, const dsc_dataset_t *dataset);

#endif
