#include "formats/spool.h"

#include "engine/utf8.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct dsc_spool_t {
    char *memory;              /* NULL once there is a file */
    int fd;                    /* -1: none */
    apr_uint64_t length, read; /* kept, and of the file */
    int ends_with_cr;          /* of what has been read so far */
};

/* ------------------------------------------------------------------------- writing */

static apr_status_t free_spool(void *data)
{
    dsc_spool_t *spool = data;

    free(spool->memory);
    if (spool->fd >= 0) {
        close(spool->fd);
    }
    return APR_SUCCESS;
}

/* Makes CR LF and bare CR a LF in place, also if a CR LF lies across two calls. */
static size_t normalise(dsc_spool_t *spool, char *bytes, size_t length)
{
    char *to = bytes;

    for (size_t i = 0; i < length; i++) {
        int follows_cr = spool->ends_with_cr;

        spool->ends_with_cr = bytes[i] == '\r';
        if (bytes[i] == '\n' && follows_cr) {
            continue; /* the CR has become one */
        }
        *to++ = bytes[i] == '\r' ? '\n' : bytes[i];
    }
    return (size_t)(to - bytes);
}

int dsc_temporary_file(apr_pool_t *pool, const char **folder)
{
    const char *named = getenv("TMPDIR");
    char *path;
    int fd;

    *folder = named != NULL && *named != '\0' ? named : "/var/tmp";
    fd = open(*folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
        path = apr_pstrcat(pool, *folder, "/disclosedctl-XXXXXX", NULL);
        fd = mkostemp(path, O_CLOEXEC);
        if (fd >= 0) {
            (void)unlink(path);
        }
    }
    return fd;
}

int dsc_write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size > 0) {
        ssize_t done = write(fd, at, size);

        if (done < 0 && errno != EINTR) {
            return 0;
        }
        if (done > 0) {
            at += done;
            size -= (size_t)done;
        }
    }
    return 1;
}

static int move_to_file(dsc_spool_t *spool, apr_pool_t *pool, const char **reason)
{
    const char *folder;

    spool->fd = dsc_temporary_file(pool, &folder);
    if (spool->fd < 0) {
        *reason =
            apr_psprintf(pool, "%s: no temporary file can be made: %s", folder, strerror(errno));
        return 0;
    }
    if (!dsc_write_all(spool->fd, spool->memory, (size_t)spool->length)) {
        *reason = apr_psprintf(pool, "%s: %s", folder, strerror(errno));
        return 0;
    }
    free(spool->memory);
    spool->memory = NULL;
    return 1;
}

int dsc_spool_add(dsc_spool_t *spool, apr_pool_t *pool, const char *bytes, size_t length,
                  const char **reason)
{
    if (spool->memory != NULL && spool->length + length > DSC_SPOOL_IN_MEMORY &&
        !move_to_file(spool, pool, reason)) {
        return 0;
    }
    if (spool->memory != NULL) {
        memcpy(spool->memory + spool->length, bytes, length);
    } else if (!dsc_write_all(spool->fd, bytes, length)) {
        *reason = apr_psprintf(pool, "the temporary file: %s", strerror(errno));
        return 0;
    }
    spool->length += length;
    return 1;
}

dsc_spool_t *dsc_spool_create(apr_pool_t *pool, const char **reason)
{
    dsc_spool_t *spool = apr_pcalloc(pool, sizeof(*spool));

    spool->fd = -1;
    spool->memory = malloc(DSC_SPOOL_IN_MEMORY);
    apr_pool_cleanup_register(pool, spool, free_spool, apr_pool_cleanup_null);
    if (spool->memory == NULL) {
        *reason = "there is not enough memory for the file";
        return NULL;
    }
    return spool;
}

const dsc_spool_t *dsc_spool_file(apr_pool_t *pool, dsc_import_file_t *file, apr_uint64_t limit,
                                  const char **reason)
{
    dsc_spool_t *spool = dsc_spool_create(pool, reason);
    char chunk[DSC_SPOOL_CHUNK];
    long got;

    if (spool == NULL) {
        return NULL;
    }
    while ((got = dsc_import_read(file, chunk, sizeof(chunk), reason)) > 0) {
        spool->read += (apr_uint64_t)got;
        if (spool->read > limit) {
            *reason = apr_psprintf(pool,
                                   "the file is larger than %" APR_UINT64_T_FMT " bytes, the "
                                   "most that is read of such a file",
                                   limit);
            return NULL;
        }
        if (!dsc_spool_add(spool, pool, chunk, normalise(spool, chunk, (size_t)got), reason)) {
            return NULL;
        }
    }
    return got == 0 ? spool : NULL;
}

/* ------------------------------------------------------------------------- reading */

apr_uint64_t dsc_spool_file_size(const dsc_spool_t *spool)
{
    return spool->read;
}

dsc_piece_t dsc_spool_piece(const dsc_spool_t *spool)
{
    dsc_piece_t piece = {spool, NULL, 0, spool->length};

    return piece;
}

dsc_piece_t dsc_piece_of(const char *bytes, size_t length)
{
    dsc_piece_t piece = {NULL, bytes, 0, length};

    return piece;
}

dsc_piece_t dsc_piece_part(const dsc_piece_t *piece, apr_uint64_t start, apr_uint64_t length)
{
    dsc_piece_t part = *piece;

    start = start < piece->length ? start : piece->length;
    part.start += start;
    part.length = length < piece->length - start ? length : piece->length - start;
    return part;
}

long dsc_piece_read(const dsc_piece_t *piece, apr_uint64_t offset, char *bytes, size_t size)
{
    size_t done = 0;

    if (offset >= piece->length) {
        return 0;
    }
    size = size < piece->length - offset ? size : (size_t)(piece->length - offset);
    offset += piece->start;
    if (piece->spool == NULL || piece->spool->memory != NULL) {
        memcpy(bytes, (piece->spool == NULL ? piece->bytes : piece->spool->memory) + offset, size);
        return (long)size;
    }
    while (done < size) {
        ssize_t got = pread(piece->spool->fd, bytes + done, size - done, (off_t)(offset + done));

        if (got == 0 || (got < 0 && errno != EINTR)) {
            return -1;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return (long)done;
}

/* The first or last position of the needle in the bytes, or NULL. */
static const char *find(const char *bytes, size_t length, const char *needle, int last)
{
    size_t size = strlen(needle);
    const char *found = NULL;

    for (const char *at = bytes; at + size <= bytes + length; at++) {
        at = memchr(at, needle[0], (size_t)(bytes + length - at) - size + 1);
        if (at == NULL) {
            break;
        }
        if (memcmp(at, needle, size) == 0) {
            found = at;
            if (!last) {
                break;
            }
        }
    }
    return found;
}

apr_int64_t dsc_piece_find(const dsc_piece_t *piece, apr_uint64_t from, const char *needle)
{
    char chunk[2 * DSC_SPOOL_CHUNK];
    const char *found;
    long got;

    for (; from < piece->length; from += DSC_SPOOL_CHUNK) {
        got = dsc_piece_read(piece, from, chunk, DSC_SPOOL_CHUNK + strlen(needle) - 1);
        found = got > 0 ? find(chunk, (size_t)got, needle, 0) : NULL;
        if (found != NULL) {
            return (apr_int64_t)(from + (apr_uint64_t)(found - chunk));
        }
    }
    return -1;
}

apr_int64_t dsc_piece_find_last(const dsc_piece_t *piece, const char *needle)
{
    char chunk[2 * DSC_SPOOL_CHUNK];
    apr_uint64_t end = piece->length;
    const char *found;
    long got;

    while (end > 0) {
        apr_uint64_t from = end > DSC_SPOOL_CHUNK ? end - DSC_SPOOL_CHUNK : 0;

        got = dsc_piece_read(piece, from, chunk, (size_t)(end - from) + strlen(needle) - 1);
        found = got > 0 ? find(chunk, (size_t)got, needle, 1) : NULL;
        if (found != NULL) {
            return (apr_int64_t)(from + (apr_uint64_t)(found - chunk));
        }
        end = from;
    }
    return -1;
}

dsc_piece_t dsc_piece_skip_blank(const dsc_piece_t *piece)
{
    char chunk[DSC_SPOOL_CHUNK];
    apr_uint64_t at = 0;
    long got, i;

    while ((got = dsc_piece_read(piece, at, chunk, sizeof(chunk))) > 0) {
        i = at == 0 ? (long)dsc_utf8_mark(chunk, (size_t)got) : 0;
        while (i < got && apr_isspace(chunk[i])) {
            i++;
        }
        at += (apr_uint64_t)i;
        if (i < got) {
            break;
        }
    }
    return dsc_piece_part(piece, at, piece->length);
}

int dsc_piece_begins_with(const dsc_piece_t *piece, const char *text)
{
    char head[64];
    size_t length = strlen(text);

    return dsc_piece_read(piece, 0, head, length) == (long)length &&
           memcmp(head, text, length) == 0;
}

long dsc_piece_line(const dsc_piece_t *file, const dsc_piece_t *piece)
{
    char chunk[DSC_SPOOL_CHUNK];
    apr_uint64_t at = 0, position = piece->start - file->start;
    long line = 1, got;

    while (at < position && (got = dsc_piece_read(file, at, chunk, sizeof(chunk))) > 0) {
        for (long i = 0; i < got && at < position; i++, at++) {
            line += chunk[i] == '\n';
        }
    }
    return line;
}

int dsc_piece_reader_read(void *data, char *bytes, int size)
{
    dsc_piece_reader_t *reader = data;
    long got = dsc_piece_read(&reader->piece, reader->at, bytes, size > 0 ? (size_t)size : 0);

    reader->at += got > 0 ? (apr_uint64_t)got : 0;
    return (int)got;
}
