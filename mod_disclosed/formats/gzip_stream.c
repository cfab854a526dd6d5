#include "formats/gzip_stream.h"

#include "engine/interrupt.h"

#include <apr_strings.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    BLOCK = 65536,
    LINE = 512,
    GZIP_ONLY = 15 + 16 /* windowBits: the largest window, and gzip's header and trailer */
};

static const unsigned char magic[] = {0x1f, 0x8b};

/* Where the reader is in gzip's data: RFC 1952 lets members follow each other. */
typedef enum {
    NOT_GZIP,
    IN_MEMBER,
    BEHIND_MEMBER
} state_t;

typedef struct {
    int fd;
    state_t state;
    z_stream inflater;
    size_t begin, end; /* of what is read and not yet used */
    unsigned char in[BLOCK], out[BLOCK];
} source_t;

/* ------------------------------------------------------------------------- reading */

static la_ssize_t fail(struct archive *stream, int number, const char *reason)
{
    archive_set_error(stream, number, "%s", reason);
    return -1;
}

/* A pipe or a terminal may have nothing to say for long: a signal ends the wait. */
static int is_interrupted_first(int fd)
{
    struct pollfd waits[] = {{fd, POLLIN, 0}, {dsc_interrupt_descriptor(), POLLIN, 0}};

    while (poll(waits, 2, -1) < 0 && errno == EINTR) {
    }
    return dsc_interrupt_is_due();
}

/* Reads more behind what is there; 0 at the end, -1 if reading fails. */
static la_ssize_t fill(source_t *source, struct archive *stream)
{
    ssize_t got;

    if (is_interrupted_first(source->fd)) {
        return fail(stream, EINTR, dsc_interrupt_text());
    }
    if (source->begin == source->end) {
        source->begin = source->end = 0;
    }
    do {
        got = read(source->fd, source->in + source->end, sizeof(source->in) - source->end);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return fail(stream, errno, strerror(errno));
    }
    source->end += (size_t)got;
    return got;
}

/* So many bytes unless the file ends before; 0 if reading fails. */
static int look_ahead(source_t *source, struct archive *stream, size_t count)
{
    la_ssize_t got = 1;

    if (source->begin > 0 && source->end - source->begin < count) {
        memmove(source->in, source->in + source->begin, source->end - source->begin);
        source->end -= source->begin;
        source->begin = 0;
    }
    while (source->end - source->begin < count && got > 0) {
        got = fill(source, stream);
    }
    return got >= 0;
}

static int is_at_magic(const source_t *source)
{
    return source->end - source->begin >= sizeof(magic) &&
           memcmp(source->in + source->begin, magic, sizeof(magic)) == 0;
}

/* ----------------------------------------------------------------------- inflating */

/* Behind a member: nothing, the zeros that fill a tape's block, or another member. 1: that, 0: the
 * end. */
static int next_member(source_t *source, struct archive *stream)
{
    if (!look_ahead(source, stream, sizeof(magic))) {
        return -1;
    }
    if (is_at_magic(source)) {
        inflateReset(&source->inflater);
        source->state = IN_MEMBER;
        return 1;
    }
    while (source->end > source->begin) {
        if (source->in[source->begin++] != 0) {
            fail(stream, EILSEQ, "other bytes follow the gzip data");
            return -1;
        }
        if (!look_ahead(source, stream, 1)) {
            return -1;
        }
    }
    return 0;
}

static const char *inflate_error(const z_stream *inflater, int status)
{
    return status == Z_MEM_ERROR ? "there is not enough memory"
           : inflater->msg       ? inflater->msg
                                 : "not such data";
}

/* Some inflated bytes; 0 if the member ends or more input is needed, -1 if it is damaged. */
static la_ssize_t inflate_some(source_t *source, struct archive *stream)
{
    z_stream *inflater = &source->inflater;
    int status;

    inflater->next_in = source->in + source->begin;
    inflater->avail_in = (uInt)(source->end - source->begin);
    inflater->next_out = source->out;
    inflater->avail_out = sizeof(source->out);
    status = inflate(inflater, Z_NO_FLUSH);
    source->begin = source->end - inflater->avail_in;
    if (status == Z_STREAM_END) {
        source->state = BEHIND_MEMBER;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
        archive_set_error(stream, EILSEQ, "the gzip data are damaged: %s",
                          inflate_error(inflater, status));
        return -1;
    }
    return (la_ssize_t)(sizeof(source->out) - inflater->avail_out);
}

static la_ssize_t read_gzip(source_t *source, struct archive *stream)
{
    la_ssize_t made = 0;

    while (made == 0) {
        int more;

        if (source->state == BEHIND_MEMBER && (more = next_member(source, stream)) <= 0) {
            return more;
        }
        if (!look_ahead(source, stream, 1)) {
            return -1;
        }
        if (source->begin == source->end) {
            return fail(stream, EILSEQ, "the gzip data are cut");
        }
        made = inflate_some(source, stream);
    }
    return made;
}

static la_ssize_t read_block(struct archive *stream, void *baton, const void **block)
{
    source_t *source = baton;

    if (source->state != NOT_GZIP) {
        *block = source->out;
        return read_gzip(source, stream);
    }
    if (source->begin == source->end && fill(source, stream) < 0) {
        return -1;
    }
    *block = source->in + source->begin;
    source->begin = source->end;
    return (la_ssize_t)(source->end - (size_t)((const unsigned char *)*block - source->in));
}

/* ------------------------------------------------------------------------- opening */

static int close_source(struct archive *stream, void *baton)
{
    source_t *source = baton;

    (void)stream;
    if (source->state != NOT_GZIP) {
        inflateEnd(&source->inflater);
    }
    if (source->fd != STDIN_FILENO) {
        close(source->fd);
    }
    free(source);
    return ARCHIVE_OK;
}

static apr_status_t open_source(struct archive *stream, source_t *source)
{
    if (is_at_magic(source)) {
        if (inflateInit2(&source->inflater, GZIP_ONLY) != Z_OK) {
            abort(); /* no memory */
        }
        source->state = IN_MEMBER;
    }
    return archive_read_open(stream, source, NULL, read_block, close_source) == ARCHIVE_OK
               ? APR_SUCCESS
               : APR_EGENERAL;
}

/* A plain file that is not gzip is libarchive's to read: it finds the members of a zip from its
 * end. */
static int is_seekable(int fd)
{
    struct stat info;

    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

int dsc_is_plain_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char begin[sizeof(magic)] = {0};
    int is_plain = fd >= 0 && is_seekable(fd) &&
                   (pread(fd, begin, sizeof(begin), 0) != (ssize_t)sizeof(begin) ||
                    memcmp(begin, magic, sizeof(magic)) != 0);

    if (fd >= 0) {
        close(fd);
    }
    return is_plain;
}

apr_status_t dsc_gzip_stream_open(struct archive *stream, const char *path)
{
    source_t *source = calloc(1, sizeof(*source));

    if (source == NULL) {
        abort(); /* no memory */
    }
    source->fd = path == NULL ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0) {
        archive_set_error(stream, errno, "%s", strerror(errno));
        free(source);
        return APR_EGENERAL;
    }
    if (!look_ahead(source, stream, sizeof(magic))) {
        close_source(stream, source);
        return APR_EGENERAL;
    }
    if (path != NULL && !is_at_magic(source) && is_seekable(source->fd)) {
        close_source(stream, source);
        return archive_read_open_filename(stream, path, BLOCK) == ARCHIVE_OK ? APR_SUCCESS
                                                                             : APR_EGENERAL;
    }
    return open_source(stream, source);
}

const char *dsc_stream_error(struct archive *stream)
{
    static char line[LINE]; /* libarchive ends some with a line feed, and a text of ours goes on */
    const char *text = archive_error_string(stream);

    if (text == NULL) {
        return "the file is damaged";
    }
    (void)apr_cpystrn(line, text, sizeof(line));
    line[strcspn(line, "\n")] = '\0';
    return line;
}
