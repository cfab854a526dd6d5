/* All tables of the program, from the list in datasets/registry.h. */
#include "registry.h"

#include "datasets/datasets.h"

#define ADDRESS_OF_DATASET(name)  &dsc_dataset_##name,
#define ADDRESS_OF_ENDPOINT(name) &dsc_endpoint_##name,

static const dsc_dataset_t *const datasets[] = {
    DSC_TABLES(ADDRESS_OF_DATASET, DSC_NO_TABLE, DSC_NO_TABLE) NULL};

static const dsc_endpoint_t *const endpoints[] = {
    DSC_TABLES(DSC_NO_TABLE, ADDRESS_OF_ENDPOINT, DSC_NO_TABLE) NULL};

static const dsc_topic_t *const topics[] = {&dsc_topic_filing,           &dsc_topic_transcript,
                                            &dsc_topic_insider,          &dsc_topic_holdings,
                                            &dsc_topic_short_interest,   &dsc_topic_event,
                                            &dsc_topic_corporate_action, NULL};

const dsc_tables_t dsc_tables = {datasets, endpoints, topics};
