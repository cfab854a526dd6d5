/* Reading the data of one file of a run. */
#include "formats/import_file.h"

#include "engine/digest.h"
#include "engine/interrupt.h"
#include "formats/gzip_stream.h"
#include "formats/import_location.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    DRAIN_SIZE = 65536
};

/* Takes note of bytes that were read; none at the end of the file. */
static void take_digest(dsc_import_file_t *file, const void *bytes, size_t length)
{
    unsigned char digest[DSC_SHA256_SIZE];

    if (file->content_hash[0] != '\0') {
        return;
    }
    if (file->digest == NULL) {
        file->digest = EVP_MD_CTX_new();
        if (file->digest == NULL || EVP_DigestInit_ex(file->digest, EVP_sha256(), NULL) != 1) {
            abort(); /* no memory */
        }
    }
    if (length > 0 ? EVP_DigestUpdate(file->digest, bytes, length) != 1
                   : EVP_DigestFinal_ex(file->digest, digest, NULL) != 1) {
        abort();
    }
    if (length == 0) {
        memcpy(file->content_hash, "sha256:", 7);
        apr_escape_hex(file->content_hash + 7, digest, sizeof(digest), 0, NULL);
    }
}

long dsc_import_read(dsc_import_file_t *file, void *bytes, size_t size, const char **reason)
{
    la_ssize_t length;

    if (dsc_interrupt_is_due()) {
        *reason = dsc_interrupt_text();
        return -1;
    }
    length = file->is_empty ? 0 : archive_read_data(file->stream, bytes, size);
    file->read += length > 0 ? length : 0;
    if (length >= 0 && file->size >= 0 && file->read > file->size) {
        *reason = "it has more bytes than the archive says that it has";
        file->is_damaged = 1;
        return -1;
    }
    if (length >= 0) {
        if (length > 0 || size > 0) {
            take_digest(file, bytes, (size_t)length);
        }
        return (long)length;
    }
    *reason = dsc_stream_error(file->stream);
    file->is_damaged |= !dsc_interrupt_is_due();
    return -1;
}

const char *dsc_import_content_hash(dsc_import_file_t *file, const char **reason)
{
    char bytes[DRAIN_SIZE];
    long got = 1;

    while (file->content_hash[0] == '\0' && got > 0) {
        got = dsc_import_read(file, bytes, sizeof(bytes), reason);
    }
    return got < 0 ? NULL : file->content_hash;
}

void dsc_import_file_end(dsc_import_file_t *file)
{
    EVP_MD_CTX_free(file->digest);
    file->digest = NULL;
}

static apr_status_t free_block(void *block)
{
    free(block);
    return APR_SUCCESS;
}

static const char too_large[] = "too large";

/* Fills a block that doubles until the file ends; NULL and *reason when it does not end well. */
static char *read_block(dsc_import_file_t *file, size_t limit, size_t *length, const char **reason)
{
    size_t capacity = file->size > 0 && (size_t)file->size < limit ? (size_t)file->size + 1 : 65536;
    char *block = NULL, *grown;
    long got = 1;

    for (*length = 0; got > 0; *length += (size_t)got) {
        if (block == NULL || *length == capacity) {
            capacity *= block == NULL ? 1 : 2;
            grown = realloc(block, capacity + 1);
            if (grown == NULL) {
                *reason = "there is not enough memory for the file";
                break;
            }
            block = grown;
        }
        got = dsc_import_read(file, block + *length, capacity - *length, reason);
        if (got < 0 || *length + (size_t)got > limit) {
            break;
        }
    }
    if (got == 0) {
        return block;
    }
    free(block);
    if (got > 0 && *reason == NULL) {
        *reason = too_large;
    }
    return NULL;
}

char *dsc_import_read_all(dsc_import_file_t *file, apr_pool_t *pool, size_t limit, size_t *length,
                          const char **reason)
{
    char *block;

    *reason = NULL;
    block = read_block(file, limit, length, reason);
    if (block == NULL) {
        *reason = *reason == too_large ? apr_psprintf(pool,
                                                      "the file is larger than %" APR_SIZE_T_FMT
                                                      " MB, the most that is read of such a file",
                                                      limit >> 20)
                                       : apr_pstrdup(pool, *reason);
        return NULL;
    }
    block[*length] = '\0';
    apr_pool_cleanup_register(pool, block, free_block, apr_pool_cleanup_null);
    return block;
}
