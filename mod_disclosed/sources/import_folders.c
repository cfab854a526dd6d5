/* The folders of a run, as they are when it begins. */
#include "sources/import_folders.h"

#include "formats/import_location.h"

#include <apr_file_info.h>
#include <apr_strings.h>
#include <string.h>

const char *dsc_folder_path(apr_pool_t *pool, const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    return apr_pstrmemdup(pool, path, length);
}

static dsc_name_kind_t kind_of(apr_pool_t *pool, const char *path)
{
    apr_finfo_t info;

    if (apr_stat(&info, path, APR_FINFO_TYPE | APR_FINFO_LINK, pool) == APR_SUCCESS &&
        info.filetype == APR_DIR) {
        return DSC_NAME_FOLDER;
    }
    if (apr_stat(&info, path, APR_FINFO_TYPE, pool) == APR_SUCCESS && info.filetype == APR_REG) {
        return DSC_NAME_FILE;
    }
    return DSC_NAME_OTHER;
}

static void list_folder(apr_hash_t *folders, const char *path)
{
    apr_pool_t *pool = apr_hash_pool_get(folders), *each;
    dsc_folder_t *folder = apr_pcalloc(pool, sizeof(*folder));
    unsigned char *kinds;

    apr_hash_set(folders, path, APR_HASH_KEY_STRING, folder);
    folder->names = dsc_import_folder_names(pool, path, &folder->rv);
    if (folder->names == NULL) {
        return;
    }
    folder->kinds = kinds = apr_palloc(pool, (apr_size_t)folder->names->nelts + 1);
    apr_pool_create(&each, pool);
    for (int i = 0; i < folder->names->nelts; i++) {
        const char *name =
            apr_pstrcat(each, path, "/", APR_ARRAY_IDX(folder->names, i, const char *), NULL);

        kinds[i] = (unsigned char)kind_of(each, name);
        if (kinds[i] == DSC_NAME_FOLDER) {
            list_folder(folders, apr_pstrdup(pool, name));
        }
        apr_pool_clear(each);
    }
    apr_pool_destroy(each);
}

apr_hash_t *dsc_folders_list(apr_pool_t *pool, int count, const char *const *paths)
{
    apr_hash_t *folders = apr_hash_make(pool);

    for (int i = 0; i < count; i++) {
        const char *path = dsc_folder_path(pool, paths[i]);
        apr_finfo_t info;

        if (strcmp(path, "-") != 0 && apr_hash_get(folders, path, APR_HASH_KEY_STRING) == NULL &&
            apr_stat(&info, path, APR_FINFO_TYPE, pool) == APR_SUCCESS &&
            info.filetype == APR_DIR) {
            list_folder(folders, path);
        }
    }
    return folders;
}

const dsc_folder_t *dsc_folders_find(apr_hash_t *folders, apr_pool_t *pool, const char *path)
{
    return apr_hash_get(folders, dsc_folder_path(pool, path), APR_HASH_KEY_STRING);
}
