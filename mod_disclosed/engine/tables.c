#include "engine/tables.h"

#include "engine/dataset.h"
#include "engine/endpoint.h"

#include <apr_fnmatch.h>
#include <stddef.h>
#include <string.h>

static const dsc_dataset_t *const no_datasets[] = {NULL};
static const struct dsc_endpoint_t *const no_endpoints[] = {NULL};
static const struct dsc_topic_t *const no_topics[] = {NULL};

const dsc_dataset_t *const *dsc_datasets = no_datasets;
const struct dsc_endpoint_t *const *dsc_endpoints = no_endpoints;
const struct dsc_topic_t *const *dsc_topics = no_topics;

void dsc_tables_use(const dsc_tables_t *tables)
{
    dsc_datasets = tables->datasets;
    dsc_endpoints = tables->endpoints;
    dsc_topics = tables->topics;
}

int dsc_dataset_index(const char *name)
{
    int i;
    for (i = 0; dsc_datasets[i]; i++) {
        if (strcmp(dsc_datasets[i]->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

const dsc_dataset_t *dsc_dataset_find(const char *name)
{
    int index = dsc_dataset_index(name);
    return index < 0 ? NULL : dsc_datasets[index];
}

int dsc_endpoint_fits(const char *pattern)
{
    int i = 0;
    while (dsc_endpoints[i] && apr_fnmatch(pattern, dsc_endpoints[i]->name, 0) != APR_SUCCESS) {
        i++;
    }
    return dsc_endpoints[i] != NULL;
}
