#include "follow/keep.h"

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <stdlib.h>
#include <string.h>

enum {
    HASH_PREFIX = 7, /* "sha256:" */
    HASH_DIGITS = 62 /* of a file's name: its folder has the first two */
};

typedef struct {
    const char *path;
    apr_off_t size;
    apr_time_t at;
} kept_t;

const char *dsc_keep_path(apr_pool_t *pool, const char *folder, const char *content_hash)
{
    const char *digits = content_hash + HASH_PREFIX;

    return apr_psprintf(pool, "%s/%.2s/%s", folder, digits, digits + 2);
}

static const char *why(apr_pool_t *pool, const char *path, apr_status_t rv)
{
    char text[120];

    return apr_pstrcat(pool, path, ": ", apr_strerror(rv, text, sizeof(text)), NULL);
}

/* Under another name first, so that what has a content's name is whole,
 * whenever the process is killed. */
const char *dsc_keep_file(apr_pool_t *pool, const char *folder, const char *content_hash,
                          const char *path)
{
    const char *kept = dsc_keep_path(pool, folder, content_hash);
    const char *inside = apr_pstrmemdup(pool, kept, strlen(folder) + 3);
    const char *partial = apr_pstrcat(pool, kept, ".part", NULL);
    apr_finfo_t info;
    apr_status_t rv;

    if (apr_stat(&info, kept, APR_FINFO_TYPE, pool) == APR_SUCCESS) {
        return NULL;
    }
    if ((rv = apr_dir_make_recursive(inside, APR_FPROT_OS_DEFAULT, pool)) != APR_SUCCESS ||
        (rv = apr_file_copy(path, partial, APR_FPROT_OS_DEFAULT, pool)) != APR_SUCCESS ||
        (rv = apr_file_rename(partial, kept, pool)) != APR_SUCCESS) {
        (void)apr_file_remove(partial, pool);
        return why(pool, kept, rv);
    }
    return NULL;
}

/* Whether a file is one of ours: named by the digits of a hash. */
static int is_kept(const apr_finfo_t *info)
{
    size_t digits = strspn(info->name, "0123456789abcdef");

    return info->filetype == APR_REG && digits == HASH_DIGITS &&
           (info->name[digits] == '\0' || strcmp(info->name + digits, ".part") == 0);
}

static void list_folder(apr_pool_t *pool, const char *folder, apr_array_header_t *files)
{
    apr_dir_t *dir;
    apr_finfo_t info;

    if (apr_dir_open(&dir, folder, pool) != APR_SUCCESS) {
        return;
    }
    while (apr_dir_read(&info, APR_FINFO_NAME | APR_FINFO_TYPE | APR_FINFO_SIZE | APR_FINFO_MTIME,
                        dir) == APR_SUCCESS) {
        if (is_kept(&info)) {
            const kept_t kept = {apr_pstrcat(pool, folder, "/", info.name, NULL), info.size,
                                 info.mtime};

            APR_ARRAY_PUSH(files, kept_t) = kept;
        }
    }
    apr_dir_close(dir);
}

static int by_time(const void *one, const void *other)
{
    const kept_t *a = one, *b = other;

    return a->at < b->at ? -1 : a->at > b->at;
}

/* Only files that hashes name, in their folders: whatever else is there is
 * somebody's. */
void dsc_keep_within(apr_pool_t *pool, const char *folder, apr_int64_t budget)
{
    apr_array_header_t *files = apr_array_make(pool, 256, sizeof(kept_t));
    apr_int64_t total = 0;
    int i;

    for (i = 0; budget > 0 && i < 256; i++) {
        list_folder(pool, apr_psprintf(pool, "%s/%02x", folder, i), files);
    }
    for (i = 0; i < files->nelts; i++) {
        total += APR_ARRAY_IDX(files, i, kept_t).size;
    }
    qsort(files->elts, (size_t)files->nelts, sizeof(kept_t), by_time);
    for (i = 0; i < files->nelts && total > budget; i++) {
        const kept_t *kept = &APR_ARRAY_IDX(files, i, kept_t);

        if (apr_file_remove(kept->path, pool) == APR_SUCCESS) {
            total -= kept->size;
        }
    }
}
