/* A set of names, each as a hash of eight bytes: an archive may have a million of them. */
#ifndef DSC_NAME_SET_H
#define DSC_NAME_SET_H

#include <apr_pools.h>

typedef struct dsc_name_set_t dsc_name_set_t;

dsc_name_set_t *dsc_name_set_create(apr_pool_t *pool);

/* Adds a name; 0: it was there, or one of the same hash. Ends the program if there is no memory. */
int dsc_name_set_add(dsc_name_set_t *set, const char *name);

/* Whether the name, or one of the same hash, has been added. */
int dsc_name_set_has(const dsc_name_set_t *set, const char *name);

/* How many names have been added. */
size_t dsc_name_set_count(const dsc_name_set_t *set);

#endif
