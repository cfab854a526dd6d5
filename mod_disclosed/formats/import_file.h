/* A file that is being imported: reading it, and those that lie with it. */
#ifndef DSC_IMPORT_FILE_H
#define DSC_IMPORT_FILE_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <archive.h>
#include <openssl/evp.h>

/* A folder or an archive that files lie in. */
typedef struct dsc_import_location_t dsc_import_location_t;

/* One file of a run: a plain file, standard input or a member of an archive, decompressed. */
typedef struct {
    const char *name;       /* as shown: path, or archive:member */
    struct archive *stream; /* positioned at the entry's data */
    apr_int64_t size;       /* bytes when known, else -1 */
    apr_int64_t read;       /* of them, so far */
    int is_damaged;         /* its bytes are not those that were packed, or compressed */
    int is_empty;           /* a companion without a byte, which libarchive has no data of */
    dsc_import_location_t *location; /* NULL: standard input, or an archive that comes from there */
    const char *inside;              /* its name there: in an archive with the folders before it */
    EVP_MD_CTX *digest;              /* of what has been read; NULL: nothing yet */
    char content_hash[72]; /* "sha256:..." of all its bytes, once it has been read to its end */
} dsc_import_file_t;

/* Reads up to `size` bytes; 0 at the end, -1 on a damaged file (*reason says why). */
long dsc_import_read(dsc_import_file_t *file, void *bytes, size_t size, const char **reason);

/* The content hash of all bytes of the file, the rest of which is read and passed over; NULL and
 * *reason when it is damaged. It is what every row that is read from the file carries. */
const char *dsc_import_content_hash(dsc_import_file_t *file, const char **reason);

/* Frees what reading has made; what creates a dsc_import_file_t calls it. */
void dsc_import_file_end(dsc_import_file_t *file);

/* The most bytes of a file that has to be held whole, as a JSON document has: an import then takes
 * up to ten times as many. */
#define DSC_LARGEST_WHOLE ((size_t)32 << 20)

/* Reads the whole file, at most `limit` bytes, NUL-terminated, into a malloc(3)ed block that the
 * pool frees; NULL and *reason when it is damaged or larger. */
char *dsc_import_read_all(dsc_import_file_t *file, apr_pool_t *pool, size_t limit, size_t *length,
                          const char **reason);

/* For sources that spread over several files: the names (const char *) of the files that lie in the
 * same folder as this one, or in the same folder of the same archive, itself among them, sorted and
 * without folders. NULL and *reason if that cannot be determined. */
const apr_array_header_t *dsc_import_companions(const dsc_import_file_t *file, const char **reason);

/* What a file's name says of whose it is; NULL: nothing. */
typedef const char *dsc_import_key_t(apr_pool_t *pool, const char *name);

/* Of these the ones that have the same key as the file, itself among them. One importer has one
 * such function. */
const apr_array_header_t *dsc_import_companions_alike(const dsc_import_file_t *file,
                                                      apr_pool_t *pool, dsc_import_key_t *key_of,
                                                      const char **reason);

/* Opens one of these from its beginning, as often as is wanted; the pool closes it. NULL and
 * *reason if it cannot be read. */
dsc_import_file_t *dsc_import_open_companion(const dsc_import_file_t *file, apr_pool_t *pool,
                                             const char *name, const char **reason);

#endif
