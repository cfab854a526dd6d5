#include "sources/importers.h"

#include <string.h>

#define DSC_IMPORTER_ROW(name_, function_, description_, rows_state_hash_, joins_, by_company_)    \
    {name_,  description_, dsc_accept_##function_, dsc_load_##function_, rows_state_hash_,         \
     joins_, by_company_},
const dsc_importer_t dsc_importers[] = {
    DSC_IMPORTERS(DSC_IMPORTER_ROW){NULL, NULL, NULL, NULL, 0, NULL, 0},
};

int dsc_joins_always(const char *name)
{
    (void)name;
    return 1;
}

int dsc_joins_never(const char *name)
{
    (void)name;
    return 0;
}

int dsc_joins_submissions(const char *name)
{
    const char *ending = strrchr(name, '.');

    return ending != NULL && (strcmp(ending, ".txt") == 0 || strcmp(ending, ".nc") == 0);
}

const dsc_importer_t *dsc_importer_find(const char *name)
{
    const dsc_importer_t *importer;

    for (importer = dsc_importers; importer->name != NULL; importer++) {
        if (strcmp(importer->name, name) == 0) {
            return importer;
        }
    }
    return NULL;
}
