#include "follow/scratch.h"

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

void dsc_scratch_remove(apr_pool_t *pool, const char *path)
{
    apr_dir_t *dir;
    apr_finfo_t info;

    if (apr_dir_open(&dir, path, pool) != APR_SUCCESS) {
        return;
    }
    while (apr_dir_read(&info, APR_FINFO_NAME | APR_FINFO_TYPE, dir) == APR_SUCCESS) {
        const char *inside = apr_pstrcat(pool, path, "/", info.name, NULL);

        if (info.filetype == APR_DIR && strcmp(info.name, ".") != 0 &&
            strcmp(info.name, "..") != 0) {
            dsc_scratch_remove(pool, inside);
        } else if (info.filetype != APR_DIR) {
            (void)apr_file_remove(inside, pool);
        }
    }
    apr_dir_close(dir);
    (void)apr_dir_remove(path, pool);
}

typedef struct {
    const char *path;
} scratch_t;

/* A pool of the cleanup's own: the one that goes may not be used any more. */
static apr_status_t remove_scratch(void *data)
{
    const scratch_t *scratch = data;
    apr_pool_t *pool;

    if (apr_pool_create(&pool, NULL) == APR_SUCCESS) {
        dsc_scratch_remove(pool, scratch->path);
        apr_pool_destroy(pool);
    }
    return APR_SUCCESS;
}

const char *dsc_scratch_make(apr_pool_t *pool, const char **reason)
{
    scratch_t *scratch = apr_palloc(pool, sizeof(*scratch));
    const char *parent = getenv("TMPDIR");
    char *path = apr_pstrcat(pool, parent && *parent ? parent : "/var/tmp",
                             "/disclosed-follow-XXXXXX", NULL);

    if (mkdtemp(path) == NULL) {
        *reason = apr_pstrcat(pool, "no folder for what is fetched can be made: ", path, NULL);
        return NULL;
    }
    scratch->path = path;
    apr_pool_cleanup_register(pool, scratch, remove_scratch, apr_pool_cleanup_null);
    return path;
}
