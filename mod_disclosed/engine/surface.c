#include "engine/surface.h"

#include <string.h>

#define TITLE "Company Disclosure Data Service"
#define ABOUT "Disclosure data about listed companies; every data point has its source."

const dsc_surface_t dsc_surfaces[DSC_SURFACES] = {
    [DSC_SURFACE_PUBLIC] = {"public", DSC_PUBLIC, TITLE, "1.0.0", ABOUT},
    [DSC_SURFACE_EARLIER] = {"earlier", DSC_EARLIER, TITLE ", earlier surface (alpha)", "0.1.0",
                             ABOUT " Alpha: names and types of fields are stable, the quality of "
                                   "what is extracted changes."},
};

const dsc_surface_t *dsc_surface_of(const char *path)
{
    int i;
    for (i = 0; path && i < DSC_SURFACES; i++) {
        size_t length = strlen(dsc_surfaces[i].prefix);
        if (strncmp(path, dsc_surfaces[i].prefix, length) == 0 &&
            (path[length] == '/' || path[length] == '\0')) {
            return &dsc_surfaces[i];
        }
    }
    return NULL;
}

const dsc_surface_t *dsc_surface_find(const char *name)
{
    int i;
    for (i = 0; i < DSC_SURFACES; i++) {
        if (strcmp(dsc_surfaces[i].name, name) == 0) {
            return &dsc_surfaces[i];
        }
    }
    return NULL;
}
