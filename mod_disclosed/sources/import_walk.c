/* Walking over what the command line names: files, standard input, folders, archives. */
#include "sources/import_walk.h"

#include "engine/hash.h"
#include "engine/interrupt.h"
#include "formats/gzip_stream.h"
#include "formats/import_location.h"
#include "formats/name_set.h"
#include "formats/zip_directory.h"
#include "sources/import_folders.h"

#include <apr_file_info.h>
#include <apr_strings.h>
#include <string.h>

/* One walk: its callbacks, and how far it is. */
typedef struct {
    const dsc_walk_t *walk;
    long long number;
    uint64_t digest; /* of the names up to it */
    int ended;
    dsc_import_location_t *location; /* of the files at hand; NULL: standard input */
} dsc_progress_t;

/* ------------------------------------------------------------------ names of files */

static const char *const archive_suffixes[] = {".zip",    ".tar",     ".tgz",     ".txz", ".tar.gz",
                                               ".tar.xz", ".tar.bz2", ".tar.zst", NULL};

static int is_archive_name(const char *name)
{
    size_t length = strlen(name);
    int i;

    for (i = 0; archive_suffixes[i] != NULL; i++) {
        size_t suffix = strlen(archive_suffixes[i]);

        if (length > suffix && strcasecmp(name + length - suffix, archive_suffixes[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether the importer takes a file of that name; a suffix of compression does not matter. */
static int is_accepted(const dsc_importer_t *importer, const char *path, apr_pool_t *pool)
{
    const char *name = dsc_import_base_name(path);
    size_t suffix = dsc_import_compression(name);

    return importer->accepts(apr_pstrmemdup(pool, name, strlen(name) - suffix));
}

/* ------------------------------------------------------------- archives and streams */

/* The next number, which this file has. The digest is over the names, each with its NUL. */
static long long number_of(dsc_progress_t *progress, const char *name)
{
    progress->digest = dsc_hash_bytes(progress->digest, name, strlen(name) + 1);
    return progress->number++;
}

/* Hands one file to the caller, if it wants it. `inside` is its name in its folder or archive. */
static void give_file(dsc_progress_t *progress, const char *name, const char *inside,
                      struct archive *stream, apr_int64_t size)
{
    const dsc_walk_t *walk = progress->walk;
    long long number = number_of(progress, name);
    dsc_import_file_t file = {.name = name,
                              .stream = stream,
                              .size = size,
                              .location = progress->location,
                              .inside = inside};

    if (walk->wants(walk->baton, number) && !walk->file(walk->baton, number, &file)) {
        progress->ended = 1;
    }
    dsc_import_file_end(&file);
}

/* A signal ends the walk as well, also between files that nobody wants. */
static int has_ended(dsc_progress_t *progress)
{
    progress->ended |= dsc_interrupted() != 0;
    return progress->ended;
}

/* One member; whether the importer accepts its name. */
static int walk_member(dsc_progress_t *progress, apr_pool_t *pool, const char *name,
                       const char *shown, struct archive *stream, struct archive_entry *entry,
                       dsc_name_set_t *names)
{
    const dsc_walk_t *walk = progress->walk;
    int is_file = archive_entry_filetype(entry) == AE_IFREG;
    int is_ours = is_accepted(walk->importer, name, pool);

    if (is_file && names != NULL && !dsc_name_set_add(names, name)) {
        walk->failed(walk->baton, 1, shown,
                     "the archive has a member of that name before it: nobody knows which counts");
    } else if (is_file && is_ours && dsc_import_compression(name) > 0) {
        walk->failed(walk->baton, 1, shown,
                     "a compressed file in an archive is not read: unpack the archive");
    } else if (is_file && is_ours) {
        give_file(progress, shown, name, stream, dsc_import_entry_size(entry));
    } else if (is_ours) {
        walk->failed(walk->baton, 1, shown, "a link or folder of an archive, no file");
    } else if (is_file) {
        walk->skipped(walk->baton, shown);
    }
    return is_ours;
}

/* Reads the members of an archive, one pool for each; returns how many the importer accepts.
 * `names`: NULL if none can be twice. */
static int walk_members(dsc_progress_t *progress, apr_pool_t *pool, const char *path,
                        struct archive *stream, struct archive_entry *entry, dsc_name_set_t *names)
{
    const dsc_walk_t *walk = progress->walk;
    dsc_import_location_t archive = {path, 1, pool, NULL, NULL}, *around = progress->location;
    int status = ARCHIVE_OK, accepted = 0, number = 0;
    apr_pool_t *each;

    apr_pool_create(&each, pool);
    progress->location = around == NULL ? NULL : &archive;
    for (; (status == ARCHIVE_OK || status == ARCHIVE_WARN) && !has_ended(progress);
         status = archive_read_next_header(stream, &entry)) {
        const char *name = dsc_import_member_name(entry, each, ++number);
        const char *shown = apr_pstrcat(each, path, ":", name, NULL);

        accepted += walk_member(progress, each, name, shown, stream, entry, names);
        apr_pool_clear(each);
    }
    if (!progress->ended && status != ARCHIVE_EOF) {
        walk->failed(walk->baton, 1, path, dsc_stream_error(stream));
    }
    progress->location = around;
    apr_pool_destroy(each);
    return accepted;
}

/* The folder that a file on the command line lies in: that of the one before it as well, mostly, so
 * that its names are read once. */
static void go_beside(dsc_import_location_t *folder, const char *path)
{
    size_t before = (size_t)(dsc_import_base_name(path) - path), length = before ? before : 1;
    const char *found = before ? path : ".";
    apr_pool_t *pool = folder->pool;

    if (folder->path == NULL || strlen(folder->path) != length ||
        strncmp(folder->path, found, length) != 0) {
        apr_pool_clear(pool);
        memset(folder, 0, sizeof(*folder));
        folder->pool = pool;
        folder->path = apr_pstrmemdup(pool, found, length);
    }
}

static int is_plain_data(struct archive *stream)
{
    return archive_format(stream) == ARCHIVE_FORMAT_RAW;
}

/* A zip that is a file, and not packed once more: it can be held against its directory. */
static int has_directory(struct archive *stream, const char *path)
{
    return path != NULL &&
           (archive_format(stream) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP &&
           archive_filter_code(stream, 0) == ARCHIVE_FILTER_NONE && dsc_is_plain_file(path);
}

/* Reads a file that may be an archive. `named`: by the user, so it must be of use. */
static void walk_stream(dsc_progress_t *progress, apr_pool_t *pool, const char *path,
                        const char *shown, int named)
{
    const dsc_walk_t *walk = progress->walk;
    const char *reason = NULL;
    struct archive_entry *entry;
    struct archive *stream = dsc_import_open_stream(path, &reason, pool);
    int status, is_zip;

    if (stream == NULL) {
        walk->failed(walk->baton, 1, shown, reason);
        return;
    }
    status = archive_read_next_header(stream, &entry);
    is_zip = has_directory(stream, path);
    if (is_zip && !walk->is_again && (reason = dsc_zip_error(pool, path)) != NULL) {
        walk->failed(walk->baton, 1, shown, reason);
    } else if (status == ARCHIVE_EOF) {
        walk->failed(walk->baton, 1, shown, "the file is empty");
    } else if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
        walk->failed(walk->baton, 1, shown, dsc_stream_error(stream));
    } else if (is_plain_data(stream)) {
        give_file(progress, shown, dsc_import_base_name(shown), stream, -1);
    } else if (walk_members(progress, pool, shown, stream, entry,
                            is_zip ? NULL : dsc_name_set_create(pool)) == 0 &&
               named && !progress->ended) {
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
    const char *reason = "an archive, which its name does not say";
    struct archive_entry *entry;

    if (walk->wants(walk->baton, progress->number)) {
        struct archive *stream = dsc_import_open_stream(path, &reason, pool);
        int status = stream == NULL ? ARCHIVE_OK : archive_read_next_header(stream, &entry);
        if (stream != NULL && status == ARCHIVE_OK && is_plain_data(stream)) {
            give_file(progress, path, dsc_import_base_name(path), stream, -1);
        } else {
            (void)number_of(progress, path);
            reason = status == ARCHIVE_EOF  ? "the file is empty"
                     : status != ARCHIVE_OK ? dsc_stream_error(stream)
                                            : reason;
            walk->failed(walk->baton, 0, path, reason);
        }
        archive_read_free(stream);
    } else {
        (void)number_of(progress, path);
    }
}

/* ------------------------------------------------------------------------- folders */

static void walk_folder(dsc_progress_t *progress, apr_pool_t *pool, const char *path);

/* One name of a folder. */
static void walk_name(dsc_progress_t *progress, apr_pool_t *pool, const char *path,
                      dsc_name_kind_t kind)
{
    if (kind == DSC_NAME_FOLDER) {
        walk_folder(progress, pool, path);
    } else if (kind == DSC_NAME_FILE && is_archive_name(path)) {
        walk_stream(progress, pool, path, path, 0);
    } else if (kind == DSC_NAME_FILE && is_accepted(progress->walk->importer, path, pool)) {
        walk_plain(progress, pool, path);
    } else {
        progress->walk->skipped(progress->walk->baton, path);
    }
}

static void walk_folder(dsc_progress_t *progress, apr_pool_t *pool, const char *path)
{
    const dsc_walk_t *walk = progress->walk;
    const dsc_folder_t *listed = dsc_folders_find(walk->folders, pool, path);
    dsc_import_location_t folder = {path, 0, NULL, listed->names, NULL},
                          *around = progress->location;
    apr_pool_t *each;
    char text[256];
    int i;

    apr_pool_create(&folder.pool, pool);
    apr_pool_create(&each, folder.pool);
    progress->location = &folder;
    if (listed->names == NULL) {
        walk->failed(walk->baton, 1, path, apr_strerror(listed->rv, text, sizeof(text)));
    }
    for (i = 0; listed->names != NULL && i < listed->names->nelts && !has_ended(progress); i++) {
        const char *name = APR_ARRAY_IDX(listed->names, i, const char *);
        walk_name(progress, each, apr_pstrcat(each, path, "/", name, NULL), listed->kinds[i]);
        apr_pool_clear(each);
    }
    progress->location = around;
    apr_pool_destroy(folder.pool);
}

uint64_t dsc_walk_paths(const dsc_walk_t *walk, apr_pool_t *pool, int count,
                        const char *const *paths)
{
    dsc_progress_t progress = {.walk = walk, .digest = DSC_HASH_START};
    dsc_import_location_t folder = {NULL, 0, NULL, NULL, NULL};
    char text[256];
    int i;

    apr_pool_create(&folder.pool, pool);
    for (i = 0; i < count && !has_ended(&progress); i++) {
        apr_finfo_t info;
        apr_status_t rv;

        go_beside(&folder, paths[i]);
        progress.location = strcmp(paths[i], "-") == 0 ? NULL : &folder;
        if (progress.location == NULL) {
            walk_stream(&progress, pool, NULL, "standard input", 1);
        } else if (dsc_folders_find(walk->folders, pool, paths[i]) != NULL) {
            walk_folder(&progress, pool, dsc_folder_path(pool, paths[i]));
        } else if ((rv = apr_stat(&info, paths[i], APR_FINFO_TYPE, pool)) != APR_SUCCESS) {
            walk->failed(walk->baton, 1, paths[i], apr_strerror(rv, text, sizeof(text)));
        } else {
            walk_stream(&progress, pool, paths[i], paths[i], 1);
        }
    }
    apr_pool_destroy(folder.pool);
    return progress.ended ? 0 : progress.digest;
}

/* ------------------------------------------------------------------------ counting */

static long long count_folder(const dsc_importer_t *importer, apr_hash_t *folders, apr_pool_t *pool,
                              const char *path)
{
    const dsc_folder_t *folder = dsc_folders_find(folders, pool, path);
    long long sum = 0, more;
    apr_pool_t *each;

    apr_pool_create(&each, pool);
    for (int i = 0; folder->names != NULL && i < folder->names->nelts && sum >= 0; i++) {
        const char *name =
            apr_pstrcat(each, path, "/", APR_ARRAY_IDX(folder->names, i, const char *), NULL);

        more = folder->kinds[i] == DSC_NAME_FOLDER ? count_folder(importer, folders, each, name)
               : folder->kinds[i] != DSC_NAME_FILE ? 0
               : is_archive_name(name)             ? -1
                                                   : is_accepted(importer, name, each);
        sum = more < 0 ? -1 : sum + more;
        apr_pool_clear(each);
    }
    apr_pool_destroy(each);
    return sum;
}

long long dsc_walk_count(const dsc_importer_t *importer, apr_hash_t *folders, apr_pool_t *pool,
                         int count, const char *const *paths)
{
    long long sum = 0, more;

    for (int i = 0; i < count && sum >= 0; i++) {
        more = dsc_folders_find(folders, pool, paths[i]) != NULL
                   ? count_folder(importer, folders, pool, dsc_folder_path(pool, paths[i]))
               : strcmp(paths[i], "-") == 0 || is_archive_name(paths[i]) ? -1
                                                                         : 1;
        sum = more < 0 ? -1 : sum + more;
    }
    return sum;
}
