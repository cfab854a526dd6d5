/* Walking over what the command line names: files, standard input, folders, archives. */
#include "import/import_walk.h"

#include <apr_file_info.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

enum {
    READ_SIZE = 65536
};

/* One walk: its callbacks, and how far it is. */
typedef struct {
    const dsc_walk_t *walk;
    long long number;
    int ended;
} dsc_progress_t;

/* ------------------------------------------------------------------ names of files */

static const char *const archive_suffixes[] = {".zip",    ".tar",     ".tgz",     ".txz", ".tar.gz",
                                               ".tar.xz", ".tar.bz2", ".tar.zst", NULL};
static const char *const compressed_suffixes[] = {".gz", ".xz", ".bz2", ".zst", NULL};

static size_t suffix_length(const char *name, const char *const *suffixes)
{
    size_t length = strlen(name);

    for (; *suffixes != NULL; suffixes++) {
        size_t suffix = strlen(*suffixes);
        if (length > suffix && strcasecmp(name + length - suffix, *suffixes) == 0) {
            return suffix;
        }
    }
    return 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* Whether the importer takes a file of that name; a suffix of compression does not matter. */
static int is_accepted(const dsc_progress_t *progress, const char *path, apr_pool_t *pool)
{
    const char *name = base_name(path);
    size_t suffix = suffix_length(name, compressed_suffixes);

    return progress->walk->importer->accepts(apr_pstrmemdup(pool, name, strlen(name) - suffix));
}

/* ------------------------------------------------------------- archives and streams */

static struct archive *open_stream(const char *path, const char **reason, apr_pool_t *pool)
{
    struct archive *stream = archive_read_new();

    archive_read_support_filter_gzip(stream);
    archive_read_support_filter_xz(stream);
    archive_read_support_filter_lzma(stream);
    archive_read_support_filter_bzip2(stream);
    archive_read_support_filter_zstd(stream);
    archive_read_support_format_zip(stream);
    archive_read_support_format_tar(stream);
    archive_read_support_format_raw(stream);
    archive_read_support_format_empty(stream);
    if (archive_read_open_filename(stream, path, READ_SIZE) == ARCHIVE_OK) {
        return stream;
    }
    *reason = apr_pstrdup(pool, archive_error_string(stream));
    archive_read_free(stream);
    return NULL;
}

static apr_int64_t entry_size(struct archive_entry *entry)
{
    return archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1;
}

/* Hands one file to the caller, if it wants it. */
static void give_file(dsc_progress_t *progress, const char *name, struct archive *stream,
                      apr_int64_t size)
{
    const dsc_walk_t *walk = progress->walk;
    long long number = progress->number++;
    dsc_import_file_t file = {name, stream, size};

    if (walk->wants(walk->baton, number) && !walk->file(walk->baton, number, &file)) {
        progress->ended = 1;
    }
}

static const char *member_name(struct archive_entry *entry, apr_pool_t *pool, int number)
{
    const char *name = archive_entry_pathname_utf8(entry);

    name = name == NULL ? archive_entry_pathname(entry) : name;
    return name == NULL ? apr_psprintf(pool, "member %d", number) : name;
}

/* Reads the members of an archive, one pool for each; returns how many the importer accepts. */
static int walk_members(dsc_progress_t *progress, apr_pool_t *pool, const char *path,
                        struct archive *stream, struct archive_entry *entry)
{
    const dsc_walk_t *walk = progress->walk;
    int status = ARCHIVE_OK, accepted = 0, number = 0;
    apr_pool_t *each;

    apr_pool_create(&each, pool);
    for (; (status == ARCHIVE_OK || status == ARCHIVE_WARN) && !progress->ended;
         status = archive_read_next_header(stream, &entry)) {
        const char *name = member_name(entry, each, ++number);
        const char *shown = apr_pstrcat(each, path, ":", name, NULL);

        if (archive_entry_filetype(entry) == AE_IFREG && is_accepted(progress, name, each)) {
            accepted++;
            give_file(progress, shown, stream, entry_size(entry));
        } else if (archive_entry_filetype(entry) == AE_IFREG) {
            walk->skipped(walk->baton, shown);
        }
        apr_pool_clear(each);
    }
    if (!progress->ended && status != ARCHIVE_EOF) {
        walk->failed(walk->baton, 1, path, archive_error_string(stream));
    }
    apr_pool_destroy(each);
    return accepted;
}

static int is_plain_data(struct archive *stream)
{
    return archive_format(stream) == ARCHIVE_FORMAT_RAW;
}

/* Reads a file that may be an archive. `named`: by the user, so it must be of use. */
static void walk_stream(dsc_progress_t *progress, apr_pool_t *pool, const char *path,
                        const char *shown, int named)
{
    const dsc_walk_t *walk = progress->walk;
    const char *reason = NULL;
    struct archive_entry *entry;
    struct archive *stream = open_stream(path, &reason, pool);
    int status;

    if (stream == NULL) {
        walk->failed(walk->baton, 1, shown, reason);
        return;
    }
    status = archive_read_next_header(stream, &entry);
    if (status == ARCHIVE_EOF) {
        walk->failed(walk->baton, 1, shown, "the file is empty");
    } else if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
        walk->failed(walk->baton, 1, shown, archive_error_string(stream));
    } else if (is_plain_data(stream)) {
        give_file(progress, shown, stream, -1);
    } else if (walk_members(progress, pool, shown, stream, entry) == 0 && named &&
               !progress->ended) {
        walk->failed(walk->baton, 1, shown,
                     apr_psprintf(pool, "no member of this archive is a %s file",
                                  walk->importer->name));
    }
    archive_read_free(stream);
}

/* A file of a folder has one number, which decides whether it is opened at all. */
static void walk_plain(dsc_progress_t *progress, apr_pool_t *pool, const char *path)
{
    const dsc_walk_t *walk = progress->walk;
    long long number = progress->number;
    const char *reason = "an archive, which its name does not say";
    struct archive_entry *entry;

    if (walk->wants(walk->baton, number)) {
        struct archive *stream = open_stream(path, &reason, pool);
        int status = stream == NULL ? ARCHIVE_OK : archive_read_next_header(stream, &entry);
        if (stream != NULL && status == ARCHIVE_OK && is_plain_data(stream)) {
            give_file(progress, path, stream, -1);
        } else {
            reason = status == ARCHIVE_EOF  ? "the file is empty"
                     : status != ARCHIVE_OK ? archive_error_string(stream)
                                            : reason;
            walk->failed(walk->baton, 0, path, reason);
        }
        archive_read_free(stream);
    }
    progress->number = number + 1;
}

/* ------------------------------------------------------------------------- folders */

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The names in a folder, sorted; NULL when it cannot be read. */
static apr_array_header_t *folder_names(apr_pool_t *pool, const char *path, apr_status_t *rv)
{
    apr_array_header_t *names = apr_array_make(pool, 64, sizeof(const char *));
    apr_finfo_t info;
    apr_dir_t *folder;

    if ((*rv = apr_dir_open(&folder, path, pool)) != APR_SUCCESS) {
        return NULL;
    }
    while (apr_dir_read(&info, APR_FINFO_NAME, folder) == APR_SUCCESS) {
        if (strcmp(info.name, ".") != 0 && strcmp(info.name, "..") != 0) {
            APR_ARRAY_PUSH(names, const char *) = apr_pstrdup(pool, info.name);
        }
    }
    apr_dir_close(folder);
    qsort(names->elts, (size_t)names->nelts, sizeof(const char *), compare_names);
    return names;
}

static void walk_folder(dsc_progress_t *progress, apr_pool_t *pool, const char *path);

/* One name of a folder. Links to folders are not followed: they may lead in circles. */
static void walk_name(dsc_progress_t *progress, apr_pool_t *pool, const char *path)
{
    apr_finfo_t info;

    if (apr_stat(&info, path, APR_FINFO_TYPE | APR_FINFO_LINK, pool) == APR_SUCCESS &&
        info.filetype == APR_DIR) {
        walk_folder(progress, pool, path);
        return;
    }
    if (apr_stat(&info, path, APR_FINFO_TYPE, pool) == APR_SUCCESS && info.filetype == APR_REG) {
        if (suffix_length(path, archive_suffixes) > 0) {
            walk_stream(progress, pool, path, path, 0);
            return;
        }
        if (is_accepted(progress, path, pool)) {
            walk_plain(progress, pool, path);
            return;
        }
    }
    progress->walk->skipped(progress->walk->baton, path);
}

static void walk_folder(dsc_progress_t *progress, apr_pool_t *pool, const char *path)
{
    const dsc_walk_t *walk = progress->walk;
    apr_array_header_t *names;
    apr_pool_t *own, *each;
    apr_status_t rv;
    char text[256];
    int i;

    apr_pool_create(&own, pool);
    apr_pool_create(&each, own);
    if ((names = folder_names(own, path, &rv)) == NULL) {
        walk->failed(walk->baton, 1, path, apr_strerror(rv, text, sizeof(text)));
    }
    for (i = 0; names != NULL && i < names->nelts && !progress->ended; i++) {
        const char *name = APR_ARRAY_IDX(names, i, const char *);
        walk_name(progress, each, apr_pstrcat(each, path, "/", name, NULL));
        apr_pool_clear(each);
    }
    apr_pool_destroy(own);
}

static const char *without_slashes(apr_pool_t *pool, const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    return apr_pstrmemdup(pool, path, length);
}

void dsc_walk_paths(const dsc_walk_t *walk, apr_pool_t *pool, int count, const char *const *paths)
{
    dsc_progress_t progress = {walk, 0, 0};
    char text[256];
    int i;

    for (i = 0; i < count && !progress.ended; i++) {
        apr_finfo_t info;
        apr_status_t rv;

        if (strcmp(paths[i], "-") == 0) {
            walk_stream(&progress, pool, NULL, "standard input", 1);
        } else if ((rv = apr_stat(&info, paths[i], APR_FINFO_TYPE, pool)) != APR_SUCCESS) {
            walk->failed(walk->baton, 1, paths[i], apr_strerror(rv, text, sizeof(text)));
        } else if (info.filetype == APR_DIR) {
            walk_folder(&progress, pool, without_slashes(pool, paths[i]));
        } else {
            walk_stream(&progress, pool, paths[i], paths[i], 1);
        }
    }
}
