/* The program's tables. Which there are is known to mod_disclosed/registry.c alone, at the top;
 * whatever has a main() or is loaded by httpd names them here before it does anything else. */
#ifndef DSC_TABLES_H
#define DSC_TABLES_H

struct dsc_dataset_t;
struct dsc_endpoint_t;
struct dsc_topic_t;

/* Lists of pointers, each ended by NULL. */
typedef struct {
    const struct dsc_dataset_t *const
        *datasets; /* a dataset's index is its place in shared memory */
    const struct dsc_endpoint_t *const *endpoints; /* in the order of the OpenAPI document */
    const struct dsc_topic_t *const *topics;       /* of webhooks */
} dsc_tables_t;

/* Makes these the program's tables; they stay in use. */
void dsc_tables_use(const dsc_tables_t *tables);

/* The lists that are in use; before dsc_tables_use() they are empty. */
extern const struct dsc_dataset_t *const *dsc_datasets;
extern const struct dsc_endpoint_t *const *dsc_endpoints;
extern const struct dsc_topic_t *const *dsc_topics;

/* The dataset of that name, or NULL. */
const struct dsc_dataset_t *dsc_dataset_find(const char *name);

/* Its place in dsc_datasets, or -1. */
int dsc_dataset_index(const char *name);

/* Whether a pattern, as keys and directives have them (list_*), fits the name of an endpoint. */
int dsc_endpoint_fits(const char *pattern);

#endif
