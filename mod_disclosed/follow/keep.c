#include "follow/keep.h"

#include "engine/outage.h"

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HASH_PREFIX = 7,  /* "sha256:" */
    HASH_DIGITS = 62, /* of a file's name: its folder has the first two */
    LOOK_SECONDS = 60,
    DAY = 86400
};

typedef struct {
    const char *path;
    apr_off_t size;
    apr_time_t at;
    int is_part;
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

/* Whether a file is one of ours: named by the digits of a hash, with ".PROCESS.part" behind them
 * while it is written. */
static int is_kept(const apr_finfo_t *info)
{
    size_t digits = strspn(info->name, "0123456789abcdef");

    return info->filetype == APR_REG && digits == HASH_DIGITS &&
           (info->name[digits] == '\0' || info->name[digits] == '.');
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
                                 info.mtime, info.name[HASH_DIGITS] != '\0'};

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

/* Only files that hashes name, in their folders: whatever else is there is somebody's. */
static apr_array_header_t *list_files(apr_pool_t *pool, dsc_keep_t *keep)
{
    apr_array_header_t *files = apr_array_make(pool, 256, sizeof(kept_t));
    int i;

    for (i = 0; i < 256; i++) {
        list_folder(pool, apr_psprintf(pool, "%s/%02x", keep->folder, i), files);
    }
    keep->bytes = 0;
    for (i = 0; i < files->nelts; i++) {
        keep->bytes += APR_ARRAY_IDX(files, i, kept_t).size;
    }
    keep->looked = dsc_monotonic_now();
    return files;
}

/* Who was killed has left it. */
static int is_left_over(const kept_t *kept)
{
    return kept->is_part && kept->at < apr_time_now() - apr_time_from_sec(DAY);
}

/* Looks at the folder, removes what is left over, and the oldest until it has `most` bytes. */
static void look(apr_pool_t *parent, dsc_keep_t *keep, apr_int64_t most)
{
    apr_array_header_t *files;
    apr_pool_t *pool;
    int i;

    apr_pool_create(&pool, parent);
    files = list_files(pool, keep);
    if (keep->bytes > most) {
        qsort(files->elts, (size_t)files->nelts, sizeof(kept_t), by_time);
    }
    for (i = 0; i < files->nelts; i++) {
        const kept_t *kept = &APR_ARRAY_IDX(files, i, kept_t);

        if ((keep->bytes > most || is_left_over(kept)) &&
            apr_file_remove(kept->path, pool) == APR_SUCCESS) {
            keep->bytes -= kept->size;
        }
    }
    apr_pool_destroy(pool);
}

/* A tenth more than is needed, because looking at a large folder takes long. */
static void make_room(apr_pool_t *pool, dsc_keep_t *keep, apr_int64_t size)
{
    apr_int64_t most = keep->budget - keep->budget / 10;

    if (keep->looked == 0 || keep->bytes + size > keep->budget) {
        look(pool, keep, most >= size ? most - size : 0);
    }
}

void dsc_keep_within(apr_pool_t *pool, dsc_keep_t *keep)
{
    if (keep->looked == 0 ||
        (keep->budget > 0 &&
         dsc_monotonic_now() > keep->looked + apr_time_from_sec(LOOK_SECONDS))) {
        look(pool, keep, keep->budget > 0 ? keep->budget : INT64_MAX);
    }
}

/* Under another name first, so that what has a content's name is whole, whenever the process is
 * killed. */
static apr_status_t copy(apr_pool_t *pool, const char *path, const char *kept)
{
    const char *folder = apr_pstrmemdup(pool, kept, (apr_size_t)(strrchr(kept, '/') - kept));
    const char *partial = apr_psprintf(pool, "%s.%ld.part", kept, (long)getpid());
    apr_status_t rv = apr_dir_make_recursive(folder, APR_FPROT_OS_DEFAULT, pool);

    if (rv == APR_SUCCESS) {
        rv = apr_file_copy(path, partial, APR_FPROT_OS_DEFAULT, pool);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_file_rename(partial, kept, pool);
    }
    if (rv != APR_SUCCESS) {
        (void)apr_file_remove(partial, pool);
    }
    return rv;
}

const char *dsc_keep_file(apr_pool_t *pool, dsc_keep_t *keep, const char *content_hash,
                          const char *path)
{
    const char *kept = dsc_keep_path(pool, keep->folder, content_hash);
    apr_finfo_t info, is;
    apr_status_t rv = apr_stat(&info, path, APR_FINFO_SIZE, pool);

    if (rv != APR_SUCCESS) {
        return why(pool, path, rv);
    }
    if (apr_stat(&is, kept, APR_FINFO_SIZE | APR_FINFO_TYPE | APR_FINFO_LINK, pool) ==
            APR_SUCCESS &&
        is.filetype == APR_REG && is.size == info.size) {
        return NULL;
    }
    if (keep->budget > 0 && info.size > keep->budget) {
        return apr_psprintf(pool,
                            "%s: it has %" APR_INT64_T_FMT " bytes, and --keep-budget allows "
                            "%" APR_INT64_T_FMT,
                            kept, (apr_int64_t)info.size, keep->budget);
    }
    if (keep->budget > 0) {
        make_room(pool, keep, info.size);
    }
    if ((rv = copy(pool, path, kept)) != APR_SUCCESS) {
        return why(pool, kept, rv);
    }
    keep->bytes += info.size;
    return NULL;
}
