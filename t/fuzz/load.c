/* Loading bytes as the file that a target names: through its importer and the loader, into a
 * database that is not there. */
#include "fuzz/no_server.h"
#include "fuzz/target.h"

#include "sources/import_folders.h"
#include "sources/import_run.h"
#include "sources/import_walk.h"
#include "sources/importers.h"

#include <apr_file_io.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    apr_pool_t *pool;
    dsc_loader_t *loader;
    const dsc_importer_t *importer;
    dsc_fuzz_load_t load;
} dsc_loading_t;

/* ------------------------------------------------------------------------ one file */

static int load_file(void *baton, long long number, dsc_import_file_t *file)
{
    dsc_loading_t *loading = baton;
    dsc_load_count_t count = {0};
    const char *reason;
    apr_status_t rv =
        dsc_import_load(loading->loader, loading->importer, file, loading->pool, &count, &reason);

    (void)number;
    if (rv == DSC_IMPORT_AS_COMPANION) {
        return 1;
    }
    loading->load.committed += rv == APR_SUCCESS;
    loading->load.refused += rv != APR_SUCCESS;
    loading->load.reason = rv == APR_SUCCESS ? loading->load.reason : reason;
    dsc_load_count_add(&loading->load.count, &count);
    return 1;
}

static apr_status_t close_stream(void *stream)
{
    archive_read_free(stream);
    return APR_SUCCESS;
}

/* The bytes as a file of no folder, as standard input is. */
static void load_bytes(dsc_loading_t *loading, const char *name, const char *data, size_t size)
{
    dsc_import_file_t file = {.name = name, .inside = name, .size = -1};
    struct archive_entry *entry;

    file.stream = archive_read_new();
    apr_pool_cleanup_register(loading->pool, file.stream, close_stream, apr_pool_cleanup_null);
    archive_read_support_format_raw(file.stream);
    archive_read_support_format_empty(file.stream);
    if (archive_read_open_memory(file.stream, data, size) != ARCHIVE_OK) {
        abort();
    }
    if (archive_read_next_header(file.stream, &entry) == ARCHIVE_OK) { /* an empty file has none */
        load_file(loading, 0, &file);
    }
    dsc_import_file_end(&file);
}

/* ------------------------------------------------------------------------ packages */

#define FILE_MARK "=== "

static void write_file(apr_pool_t *pool, const char *path, const char *data, size_t size)
{
    apr_file_t *file;

    if (apr_file_open(&file, path, APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_TRUNCATE,
                      APR_FPROT_OS_DEFAULT, pool) == APR_SUCCESS) {
        apr_file_write_full(file, data, size, NULL);
        apr_file_close(file);
    }
}

/* A name that stays in its folder; NULL where the text is none. */
static const char *plain_name(apr_pool_t *pool, const char *text, size_t length)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    char *name = apr_pstrmemdup(pool, text, length);

    return length > 0 && length < 100 && *name != '.' && strspn(name, letters) == length ? name
                                                                                         : NULL;
}

/* The next line that begins with the mark, or the end. */
static const char *next_mark(const char *at, const char *end)
{
    for (; at < end; at++) {
        at = memmem(at, (size_t)(end - at), "\n" FILE_MARK, 1 + strlen(FILE_MARK));
        if (at == NULL) {
            return end;
        }
        return at + 1;
    }
    return end;
}

static apr_status_t remove_folder(void *baton)
{
    apr_pool_t *pool;
    const char *path = baton;
    apr_dir_t *folder;
    apr_finfo_t info;

    apr_pool_create(&pool, NULL);
    if (apr_dir_open(&folder, path, pool) == APR_SUCCESS) {
        while (apr_dir_read(&info, APR_FINFO_NAME, folder) == APR_SUCCESS) {
            (void)apr_file_remove(apr_pstrcat(pool, path, "/", info.name, NULL), pool);
        }
        apr_dir_close(folder);
    }
    (void)apr_dir_remove(path, pool);
    apr_pool_destroy(pool);
    return APR_SUCCESS;
}

static const char *unpack(apr_pool_t *pool, const char *data, size_t size)
{
    char *folder = apr_pstrdup(pool, "/tmp/disclosed-fuzz-XXXXXX");
    const char *end = data + size, *at = data, *next;

    if (mkdtemp(folder) == NULL) {
        abort();
    }
    apr_pool_cleanup_register(pool, folder, remove_folder, apr_pool_cleanup_null);
    for (; at < end; at = next) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        const char *name = NULL;
        size_t mark = strlen(FILE_MARK);

        next = next_mark(at, end);
        if (line != NULL && (size_t)(line - at) > mark && memcmp(at, FILE_MARK, mark) == 0) {
            name = plain_name(pool, at + mark, (size_t)(line - at) - mark);
        }
        if (name != NULL) {
            line++;
            write_file(pool, apr_pstrcat(pool, folder, "/", name, NULL), line,
                       next > line ? (size_t)(next - line) : 0);
        }
    }
    return folder;
}

static int take_each(void *baton, long long number)
{
    (void)baton, (void)number;
    return 1;
}

static void pass_over(void *baton, const char *name)
{
    (void)baton, (void)name;
}

static void note_failure(void *baton, int everywhere, const char *name, const char *reason)
{
    dsc_loading_t *loading = baton;

    (void)everywhere, (void)name;
    loading->load.refused++;
    loading->load.reason = apr_pstrdup(loading->pool, reason);
}

static void load_package(dsc_loading_t *loading, const char *data, size_t size)
{
    const char *folder = unpack(loading->pool, data, size);
    const dsc_walk_t walk = {.importer = loading->importer,
                             .folders = dsc_folders_list(loading->pool, 1, &folder),
                             .baton = loading,
                             .file = load_file,
                             .wants = take_each,
                             .skipped = pass_over,
                             .failed = note_failure};

    (void)dsc_walk_paths(&walk, loading->pool, 1, &folder);
}

dsc_fuzz_load_t dsc_fuzz_load(apr_pool_t *pool, const dsc_target_t *target, const char *data,
                              size_t size)
{
    dsc_loading_t loading = {.pool = pool};

    loading.importer = dsc_importer_find(target->importer);
    loading.loader = dsc_loader_create(pool, dsc_no_server(pool), &target->options);
    if (target->file == NULL) {
        load_package(&loading, data, size);
    } else {
        load_bytes(&loading, target->file, data, size);
    }
    return loading.load;
}
