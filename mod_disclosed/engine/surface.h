/* Surfaces: the parts of the API that have a version and an OpenAPI document of their own. The path
 * of an endpoint says which it belongs to. */
#ifndef DSC_SURFACE_H
#define DSC_SURFACE_H

typedef enum {
    DSC_SURFACE_PUBLIC,
    DSC_SURFACE_EARLIER,
    DSC_SURFACES /* how many there are */
} dsc_surface_id_t;

/* Prefixes of their paths. */
#define DSC_PUBLIC  "/v1"
#define DSC_EARLIER "/api/disclosed/v1"

typedef struct {
    const char *name; /* for administrators: disclosedctl openapi --surface earlier */
    const char *prefix;
    const char *title, *version, *description; /* `info` of its OpenAPI document */
} dsc_surface_t;

/* By dsc_surface_id_t. */
extern const dsc_surface_t dsc_surfaces[DSC_SURFACES];

/* The surface that a decoded path belongs to; NULL: none, or the path is NULL. */
const dsc_surface_t *dsc_surface_of(const char *path);

/* The surface of that name, or NULL. */
const dsc_surface_t *dsc_surface_find(const char *name);

#endif
