#include "follow/folder.h"

#include "engine/digest.h"
#include "engine/utf8.h"
#include "formats/spool.h"

#include <apr_strings.h>
#include <apr_time.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BLOCK = 65536
};

static apr_status_t close_descriptor(void *data)
{
    close((int)(intptr_t)data);
    return APR_SUCCESS;
}

static void close_with(apr_pool_t *pool, int descriptor)
{
    apr_pool_cleanup_register(pool, (void *)(intptr_t)descriptor, close_descriptor,
                              apr_pool_cleanup_null);
}

static const char *error_text(apr_pool_t *pool, int error)
{
    char text[120];

    return apr_pstrdup(pool, apr_strerror(error, text, sizeof(text)));
}

int dsc_folder_open(apr_pool_t *pool, const char *path, const char **reason)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (folder < 0) {
        *reason = error_text(pool, errno);
        return -1;
    }
    close_with(pool, folder);
    return folder;
}

/* ------------------------------------------------------------------------------- names */

int dsc_folder_is_passed_over(const char *name)
{
    static const char *const endings[] = {".tmp", ".part", ".partial", ".filepart", "~"};
    size_t length = strlen(name), i;

    for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t ending = strlen(endings[i]);

        if (length >= ending && strcasecmp(name + length - ending, endings[i]) == 0) {
            return 1;
        }
    }
    return name[0] == '.';
}

apr_array_header_t *dsc_folder_names(apr_pool_t *pool, int folder, const char **reason)
{
    apr_array_header_t *names = apr_array_make(pool, 64, sizeof(const char *));
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again >= 0 ? fdopendir(again) : NULL;
    const struct dirent *entry;

    if (dir == NULL) {
        *reason = error_text(pool, errno);
        if (again >= 0) {
            close(again);
        }
        return NULL;
    }
    for (errno = 0; (entry = readdir(dir)) != NULL; errno = 0) {
        if (!dsc_folder_is_passed_over(entry->d_name)) {
            APR_ARRAY_PUSH(names, const char *) = apr_pstrdup(pool, entry->d_name);
        }
    }
    *reason = errno != 0 ? error_text(pool, errno) : NULL;
    closedir(dir);
    return *reason == NULL ? names : NULL;
}

/* Control characters would reach terminals. */
static const char *shown_name(apr_pool_t *pool, const char *name)
{
    dsc_slice_t text = dsc_utf8_clean(pool, (dsc_slice_t){name, strlen(name)});
    char *shown = apr_pstrmemdup(pool, text.data, text.length), *at;

    for (at = shown; *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) {
            *at = '_';
        }
    }
    return shown;
}

/* ------------------------------------------------------------------------------- files */

static apr_time_t written_at(const struct stat *info)
{
    return (apr_time_t)info->st_mtim.tv_sec * APR_USEC_PER_SEC + info->st_mtim.tv_nsec / 1000;
}

static const char *mark_of(apr_pool_t *pool, const struct stat *info)
{
    return apr_psprintf(pool,
                        "%" APR_INT64_T_FMT " %" APR_INT64_T_FMT ".%09d %" APR_INT64_T_FMT
                        ".%09d %" APR_UINT64_T_FMT,
                        (apr_int64_t)info->st_size, (apr_int64_t)info->st_mtim.tv_sec,
                        (int)info->st_mtim.tv_nsec, (apr_int64_t)info->st_ctim.tv_sec,
                        (int)info->st_ctim.tv_nsec, (apr_uint64_t)info->st_ino);
}

int dsc_folder_look(apr_pool_t *pool, int folder, const char *name, dsc_folder_file_t *file)
{
    struct stat info;
    apr_interval_time_t age;

    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) {
        return 0;
    }
    file->written_at = written_at(&info);
    age = apr_time_now() - file->written_at;
    file->name = name;
    file->shown = shown_name(pool, name);
    file->mark = mark_of(pool, &info);
    file->is_young = age >= 0 && age < apr_time_from_sec(DSC_FOLDER_YOUNG_SECONDS);
    return 1;
}

/* ------------------------------------------------------------------------------ copies */

/* Copies all bytes; the error, of reading or of writing. */
static dsc_fetch_error_t copy_bytes(apr_pool_t *pool, int from, int to, EVP_MD_CTX *digest,
                                    apr_int64_t *size, const char **reason)
{
    char *block = apr_palloc(pool, BLOCK);
    ssize_t got;

    *size = 0;
    while ((got = read(from, block, BLOCK)) != 0) {
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            *reason = apr_pstrcat(pool, "it cannot be read: ", error_text(pool, errno), NULL);
            return DSC_ERROR_DAMAGED;
        }
        if (!dsc_write_all(to, block, (size_t)got)) {
            *reason = apr_pstrcat(pool, "it cannot be copied: ", error_text(pool, errno), NULL);
            return DSC_ERROR_DISK;
        }
        EVP_DigestUpdate(digest, block, (size_t)got);
        *size += got;
    }
    return DSC_ERROR_NONE;
}

static dsc_fetch_error_t copy_hashed(apr_pool_t *pool, int from, int to, const char **content_hash,
                                     apr_int64_t *size, const char **reason)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned char digest[EVP_MAX_MD_SIZE];
    dsc_fetch_error_t error = DSC_ERROR_DISK;

    *reason = "no memory, or no SHA-256";
    if (context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1) {
        error = copy_bytes(pool, from, to, context, size, reason);
    }
    if (error == DSC_ERROR_NONE && EVP_DigestFinal_ex(context, digest, NULL) != 1) {
        error = DSC_ERROR_DISK;
    }
    EVP_MD_CTX_free(context);
    *content_hash = error == DSC_ERROR_NONE ? dsc_content_hash(pool, digest) : NULL;
    return error;
}

/* What is no file any more, or has become a link or a pipe, is not opened, or not waited for. */
dsc_fetch_error_t dsc_folder_copy(apr_pool_t *pool, int folder, const dsc_folder_file_t *file,
                                  const char *path, const char **content_hash, apr_int64_t *size,
                                  const char **reason)
{
    int from =
        openat(folder, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int from_error = errno, to;
    dsc_fetch_error_t error;
    struct stat info;

    if (from < 0) {
        *reason = apr_pstrcat(pool, "it cannot be read: ", error_text(pool, from_error), NULL);
        return from_error == ENOENT || from_error == ELOOP ? DSC_ERROR_TRUNCATED
                                                           : DSC_ERROR_DAMAGED;
    }
    close_with(pool, from);
    to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (to < 0) {
        *reason = apr_pstrcat(pool, "it cannot be copied: ", error_text(pool, errno), NULL);
        return DSC_ERROR_DISK;
    }
    close_with(pool, to);
    error = fstat(from, &info) == 0 && S_ISREG(info.st_mode)
                ? copy_hashed(pool, from, to, content_hash, size, reason)
                : DSC_ERROR_TRUNCATED;
    if (error == DSC_ERROR_NONE &&
        (fstat(from, &info) != 0 || strcmp(mark_of(pool, &info), file->mark) != 0)) {
        error = DSC_ERROR_TRUNCATED;
    }
    if (error == DSC_ERROR_TRUNCATED) {
        *reason = "it changed while it was read";
    }
    return error;
}
