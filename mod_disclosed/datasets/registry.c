#include "datasets/datasets.h"

#include <string.h>

#define ADDRESS_OF_DATASET(name)  &dsc_dataset_##name,
#define ADDRESS_OF_ENDPOINT(name) &dsc_endpoint_##name,

const dsc_dataset_t *const dsc_datasets[] = {DSC_TABLES(ADDRESS_OF_DATASET, DSC_NO_TABLE, DSC_NO_TABLE) NULL};

const dsc_endpoint_t *const dsc_endpoints[] = {DSC_TABLES(DSC_NO_TABLE, ADDRESS_OF_ENDPOINT, DSC_NO_TABLE) NULL};

const dsc_topic_t *const dsc_topics[] = {&dsc_topic_filing, &dsc_topic_transcript, NULL};

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
