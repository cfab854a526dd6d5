#include "module/sections.h"

#include "module/config.h"

#include <apr_fnmatch.h>
#include <apr_strings.h>
#include <http_core.h>
#include <string.h>

typedef struct {
    const core_dir_config *place;
    const dsc_directory_config_t *lines;
} section_t;

apr_array_header_t *dsc_sections_make(apr_pool_t *pool, const server_rec *server)
{
    const core_server_config *core = ap_get_core_module_config(server->module_config);
    apr_array_header_t *sections = NULL;
    int i;
    for (i = 0; i < core->sec_dir->nelts; i++) {
        ap_conf_vector_t *each = APR_ARRAY_IDX(core->sec_dir, i, ap_conf_vector_t *);
        const dsc_directory_config_t *lines = ap_get_module_config(each, &disclosed_module);
        if (lines && lines->switches->nelts) {
            section_t *section;
            sections = sections ? sections : apr_array_make(pool, 2, sizeof(section_t));
            section = apr_array_push(sections);
            section->place = ap_get_core_module_config(each);
            section->lines = lines;
        }
    }
    return sections;
}

/* Where the path would lie on disk, with `end` behind it. Not by apr_filepath_merge(): a URL may be
 * longer than a path of files, and httpd has taken "." and ".." out of it. */
static char *path_of(request_rec *r, const char *end)
{
    char *path = apr_pstrcat(r->pool, ap_document_root(r), "/", r->uri, end, NULL);
    ap_no2slash(path);
    return path;
}

/* Behind the slash of that number; NULL if the path has fewer. */
static char *behind_slash(char *path, unsigned number)
{
    for (; path && number > 0; number--) {
        path = strchr(path, '/');
        path = path ? path + 1 : NULL;
    }
    return path;
}

/* Whether the folder, or one that it is in, is the section's. It is put back as it was. */
static int lies_in(char *folder, const core_dir_config *place)
{
    char *end = behind_slash(folder, place->d_components);
    int fits;
    char kept;
    if (!end || !place->d_components) {
        return end != NULL; /* "/" counts as no component and holds everything */
    }
    kept = *end;
    *end = '\0';
    fits = place->d_is_fnmatch ? apr_fnmatch(place->d, folder, APR_FNM_PATHNAME) == APR_SUCCESS
                               : strcmp(place->d, folder) == 0;
    *end = kept;
    return fits;
}

static int holds(const core_dir_config *place, const char *path, char *folder)
{
    return place->r ? ap_regexec(place->r, path, 0, NULL, 0) == 0 : lies_in(folder, place);
}

void dsc_sections_apply(request_rec *r, const apr_array_header_t *sections)
{
    dsc_directory_config_t *lines = dsc_directory_config_create(r->pool, NULL);
    const char *path = path_of(r, "");
    char *folder = path_of(r, "/");
    int i;
    for (i = 0; i < sections->nelts; i++) {
        const section_t *section = &APR_ARRAY_IDX(sections, i, section_t);
        if (holds(section->place, path, folder)) {
            apr_array_cat(lines->switches, section->lines->switches);
        }
    }
    if (lines->switches->nelts) {
        /* A vector of nothing but our lines: what else is in sections is about files. */
        ap_conf_vector_t *ours = ap_create_per_dir_config(r->pool);
        ap_set_module_config(ours, &disclosed_module, lines);
        r->per_dir_config = ap_merge_per_dir_configs(r->pool, r->per_dir_config, ours);
    }
}
