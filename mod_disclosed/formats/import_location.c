/* Locations of a run's files, and opening them: in a folder, or in an archive. */
#include "formats/import_location.h"

#include "formats/gzip_stream.h"

#include <apr_file_info.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------- names */

const char *dsc_import_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* The path of the archive that the file is a member of; NULL: it is none. */
static const char *archive_of(const dsc_import_file_t *file, apr_pool_t *pool)
{
    size_t name = strlen(file->name), inside = strlen(file->inside);

    return name > inside && file->name[name - inside - 1] == ':'
               ? apr_pstrmemdup(pool, file->name, name - inside - 1)
               : NULL;
}

const char *dsc_import_find_in_names(const dsc_import_file_t *file, apr_pool_t *pool,
                                     const char *(*find)(apr_pool_t *pool, const char *name))
{
    const char *found = find(pool, dsc_import_base_name(file->inside));
    const char *archive = found == NULL ? archive_of(file, pool) : NULL;

    return archive == NULL ? found : find(pool, dsc_import_base_name(archive));
}

size_t dsc_import_compression(const char *name)
{
    static const char *const suffixes[] = {".gz", ".xz", ".bz2", ".zst", NULL};
    size_t length = strlen(name);
    int i;

    for (i = 0; suffixes[i] != NULL; i++) {
        size_t suffix = strlen(suffixes[i]);

        if (length > suffix && strcasecmp(name + length - suffix, suffixes[i]) == 0) {
            return suffix;
        }
    }
    return 0;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void sort_names(apr_array_header_t *names)
{
    qsort(names->elts, (size_t)names->nelts, sizeof(const char *), compare_names);
}

apr_array_header_t *dsc_import_folder_names(apr_pool_t *pool, const char *path, apr_status_t *rv)
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
    sort_names(names);
    return names;
}

/* ------------------------------------------------------------------------- streams */

struct archive *dsc_import_open_stream(const char *path, const char **reason, apr_pool_t *pool)
{
    struct archive *stream = archive_read_new();

    archive_read_support_filter_xz(stream);
    archive_read_support_filter_lzma(stream);
    archive_read_support_filter_bzip2(stream);
    archive_read_support_filter_zstd(stream);
    archive_read_support_format_zip(stream);
    archive_read_support_format_tar(stream);
    archive_read_support_format_raw(stream);
    archive_read_support_format_empty(stream);
    if (dsc_gzip_stream_open(stream, path) == APR_SUCCESS) {
        return stream;
    }
    *reason = apr_pstrdup(pool, dsc_stream_error(stream));
    archive_read_free(stream);
    return NULL;
}

apr_int64_t dsc_import_entry_size(struct archive_entry *entry)
{
    return archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1;
}

const char *dsc_import_member_name(struct archive_entry *entry, apr_pool_t *pool, int number)
{
    const char *name = archive_entry_pathname_utf8(entry);

    name = name == NULL ? archive_entry_pathname(entry) : name;
    return name == NULL ? apr_psprintf(pool, "member %d", number) : name;
}

/* -------------------------------------------------------------------- companion files */

/* Goes to the next member of an archive, or to the one that a plain file is. */
static int next_member(struct archive *stream, struct archive_entry **entry)
{
    int status = archive_read_next_header(stream, entry);

    return status == ARCHIVE_OK || status == ARCHIVE_WARN;
}

/* All members of an archive; NULL and *reason if it cannot be read again. */
static apr_array_header_t *member_names(dsc_import_location_t *location, const char **reason)
{
    apr_array_header_t *names = apr_array_make(location->pool, 16, sizeof(const char *));
    struct archive *stream = dsc_import_open_stream(location->path, reason, location->pool);
    struct archive_entry *entry;
    int number = 0;

    if (stream == NULL) {
        return NULL;
    }
    while (next_member(stream, &entry)) {
        number++;
        if (archive_entry_filetype(entry) == AE_IFREG) {
            APR_ARRAY_PUSH(names, const char *) =
                apr_pstrdup(location->pool, dsc_import_member_name(entry, location->pool, number));
        }
    }
    archive_read_free(stream);
    sort_names(names);
    return names;
}

static int read_names(dsc_import_location_t *location, const char **reason)
{
    apr_status_t rv = APR_SUCCESS;
    char text[256];

    if (location->names == NULL && location->is_archive) {
        location->names = member_names(location, reason);
    } else if (location->names == NULL) {
        location->names = dsc_import_folder_names(location->pool, location->path, &rv);
        *reason = rv == APR_SUCCESS
                      ? NULL
                      : apr_pstrdup(location->pool, apr_strerror(rv, text, sizeof(text)));
    }
    return location->names != NULL;
}

/* The files of one folder. */
typedef struct {
    apr_array_header_t *names; /* const char * */
    apr_hash_t *by_key;        /* key => apr_array_header_t * of them; NULL so far */
} companions_t;

/* The first of the sorted names that is not less than these characters. */
static int first_from(const apr_array_header_t *names, const char *from, size_t length)
{
    int low = 0, high = names->nelts;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (strncmp(APR_ARRAY_IDX(names, middle, const char *), from, length) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static companions_t *list_companions(const dsc_import_location_t *location, const char *folder)
{
    companions_t *companions = apr_pcalloc(location->pool, sizeof(*companions));
    size_t length = strlen(folder);
    int i;

    companions->names = apr_array_make(location->pool, 16, sizeof(const char *));
    for (i = first_from(location->names, folder, length); i < location->names->nelts; i++) {
        const char *name = APR_ARRAY_IDX(location->names, i, const char *);

        if (strncmp(name, folder, length) != 0) {
            break;
        }
        if (strchr(name + length, '/') == NULL) {
            APR_ARRAY_PUSH(companions->names, const char *) = name + length;
        }
    }
    return companions;
}

/* Lists each folder once, because each of its files may ask for it. */
static companions_t *find_companions(const dsc_import_file_t *file, const char **reason)
{
    dsc_import_location_t *location = file->location;
    size_t length = (size_t)(dsc_import_base_name(file->inside) - file->inside);
    companions_t *companions;

    if (location == NULL) {
        *reason = "standard input has no companion files: name the folder or archive";
        return NULL;
    }
    if (!read_names(location, reason)) {
        return NULL;
    }
    if (location->companions == NULL) {
        location->companions = apr_hash_make(location->pool);
    }
    companions = apr_hash_get(location->companions, file->inside, (apr_ssize_t)length);
    if (companions == NULL) {
        const char *folder = apr_pstrmemdup(location->pool, file->inside, length);

        companions = list_companions(location, folder);
        apr_hash_set(location->companions, folder, (apr_ssize_t)length, companions);
    }
    return companions;
}

const apr_array_header_t *dsc_import_companions(const dsc_import_file_t *file, const char **reason)
{
    const companions_t *companions = find_companions(file, reason);

    return companions != NULL ? companions->names : NULL;
}

static const char *key_of_name(dsc_import_key_t *key_of, apr_pool_t *pool, const char *name)
{
    const char *key = key_of(pool, name);

    return key != NULL ? key : "";
}

static apr_hash_t *sort_by_key(apr_pool_t *pool, const apr_array_header_t *names,
                               dsc_import_key_t *key_of)
{
    apr_hash_t *by_key = apr_hash_make(pool);
    int i;

    for (i = 0; i < names->nelts; i++) {
        const char *name = APR_ARRAY_IDX(names, i, const char *);
        const char *key = key_of_name(key_of, pool, name);
        apr_array_header_t *alike = apr_hash_get(by_key, key, APR_HASH_KEY_STRING);

        if (alike == NULL) {
            alike = apr_array_make(pool, 2, sizeof(const char *));
            apr_hash_set(by_key, key, APR_HASH_KEY_STRING, alike);
        }
        APR_ARRAY_PUSH(alike, const char *) = name;
    }
    return by_key;
}

const apr_array_header_t *dsc_import_companions_alike(const dsc_import_file_t *file,
                                                      apr_pool_t *pool, dsc_import_key_t *key_of,
                                                      const char **reason)
{
    companions_t *companions = find_companions(file, reason);
    const apr_array_header_t *alike;

    if (companions == NULL) {
        return NULL;
    }
    if (companions->by_key == NULL) {
        companions->by_key = sort_by_key(file->location->pool, companions->names, key_of);
    }
    alike = apr_hash_get(companions->by_key,
                         key_of_name(key_of, pool, dsc_import_base_name(file->inside)),
                         APR_HASH_KEY_STRING);
    return alike != NULL ? alike : apr_array_make(pool, 1, sizeof(const char *));
}

static apr_status_t close_file(void *opened)
{
    dsc_import_file_t *file = opened;

    archive_read_free(file->stream);
    dsc_import_file_end(file);
    return APR_SUCCESS;
}

/* Opens a file of a folder or a member of an archive by its name there. */
static struct archive *open_named(const dsc_import_location_t *location, apr_pool_t *pool,
                                  const char *name, dsc_import_file_t *file, const char **reason)
{
    const char *path =
        location->is_archive ? location->path : apr_pstrcat(pool, location->path, "/", name, NULL);
    struct archive *stream = dsc_import_open_stream(path, reason, pool);
    struct archive_entry *entry;
    int number = 0;

    while (stream != NULL && next_member(stream, &entry)) {
        number++;
        if (!location->is_archive ||
            strcmp(dsc_import_member_name(entry, pool, number), name) == 0) {
            file->size = dsc_import_entry_size(entry);
            return stream;
        }
    }
    if (stream != NULL && number == 0 && !location->is_archive && archive_errno(stream) == 0) {
        file->is_empty = 1; /* it has no entry */
        return stream;
    }
    if (stream != NULL) {
        *reason = "cannot be read";
        archive_read_free(stream);
    }
    return NULL;
}

dsc_import_file_t *dsc_import_open_companion(const dsc_import_file_t *file, apr_pool_t *pool,
                                             const char *name, const char **reason)
{
    dsc_import_file_t *opened = apr_pcalloc(pool, sizeof(*opened));
    size_t folder = (size_t)(dsc_import_base_name(file->inside) - file->inside);

    opened->location = file->location;
    opened->inside = apr_pstrcat(pool, apr_pstrmemdup(pool, file->inside, folder), name, NULL);
    opened->name = apr_pstrcat(pool, file->location->path, file->location->is_archive ? ":" : "/",
                               opened->inside, NULL);
    opened->stream = open_named(file->location, pool, opened->inside, opened, reason);
    if (opened->stream == NULL) {
        *reason = apr_pstrcat(pool, name, ": ", *reason, NULL);
        return NULL;
    }
    apr_pool_cleanup_register(pool, opened, close_file, apr_pool_cleanup_null);
    return opened;
}
