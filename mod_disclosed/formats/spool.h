/* Stores a file's bytes so that they can be read again from any offset: small files in memory,
 * others in a temporary file without a name. Line ends become LF: CR LF and a CR alone count as
 * one. */
#ifndef DSC_SPOOL_H
#define DSC_SPOOL_H

#include "formats/import_file.h"

enum {
    DSC_SPOOL_IN_MEMORY = 1 << 20, /* more than so many bytes go into a file */
    DSC_SPOOL_CHUNK = 65536        /* what readers of pieces read at a time */
};

typedef struct dsc_spool_t dsc_spool_t;

/* Opens a file without a name for reading and writing: it is gone when whoever has it open is, also
 * if he is killed. *folder: where it is, TMPDIR, else /var/tmp. -1 and errno if none can be
 * made. */
int dsc_temporary_file(apr_pool_t *pool, const char **folder);

/* Writes all of the bytes; 0 and errno if that fails. */
int dsc_write_all(int fd, const void *bytes, size_t size);

/* A part of a spool. The spool outlives it; without one the piece is bytes in memory. */
typedef struct {
    const dsc_spool_t *spool;
    const char *bytes;
    apr_uint64_t start, length;
} dsc_piece_t;

/* Reads the whole file, at most `limit` bytes. NULL and *reason if it is damaged, is larger, or no
 * room is left in the folder of temporary files (TMPDIR, else /var/tmp). */
const dsc_spool_t *dsc_spool_file(apr_pool_t *pool, dsc_import_file_t *file, apr_uint64_t limit,
                                  const char **reason);

/* An empty one, and more bytes at its end, as they are. NULL, or 0, and *reason if there is no
 * room. */
dsc_spool_t *dsc_spool_create(apr_pool_t *pool, const char **reason);
int dsc_spool_add(dsc_spool_t *spool, apr_pool_t *pool, const char *bytes, size_t length,
                  const char **reason);

/* How many bytes the file had, before its line ends were changed. */
apr_uint64_t dsc_spool_file_size(const dsc_spool_t *spool);

/* All of it. */
dsc_piece_t dsc_spool_piece(const dsc_spool_t *spool);

/* Whether it is anything, if only empty. */
static inline int dsc_piece_is_there(const dsc_piece_t *piece)
{
    return piece->spool != NULL || piece->bytes != NULL;
}

/* Bytes in memory as a piece. */
dsc_piece_t dsc_piece_of(const char *bytes, size_t length);

/* The part of a piece from `start` on; what is beyond its end is left out. */
dsc_piece_t dsc_piece_part(const dsc_piece_t *piece, apr_uint64_t start, apr_uint64_t length);

/* Reads up to `size` bytes from `offset` of the piece on: as many as there are. -1 if the temporary
 * file cannot be read. */
long dsc_piece_read(const dsc_piece_t *piece, apr_uint64_t offset, char *bytes, size_t size);

/* Searches for bytes, at most DSC_SPOOL_CHUNK of them, from `from` on, or backwards from the end.
 * Where they begin, or -1. */
apr_int64_t dsc_piece_find(const dsc_piece_t *piece, apr_uint64_t from, const char *needle);
apr_int64_t dsc_piece_find_last(const dsc_piece_t *piece, const char *needle);

/* The piece from what follows a byte order mark and white space on. */
dsc_piece_t dsc_piece_skip_blank(const dsc_piece_t *piece);

/* Whether it begins with a text, of at most 64 bytes. */
int dsc_piece_begins_with(const dsc_piece_t *piece, const char *text);

/* The line of the file, counted from 1, on which a piece of it begins. */
long dsc_piece_line(const dsc_piece_t *file, const dsc_piece_t *piece);

/* Reads a piece from its beginning to its end: an input of libxml2. */
typedef struct {
    dsc_piece_t piece;
    apr_uint64_t at;
} dsc_piece_reader_t;

/* Reads the next bytes (xmlInputReadCallback); 0 at the end, -1 at an error. */
int dsc_piece_reader_read(void *data, char *bytes, int size);

#endif
