/* A growing byte buffer: response bodies, SQL text, COPY blocks. */
#ifndef DSC_BUFFER_H
#define DSC_BUFFER_H

#include <apr_pools.h>
#include <stddef.h>
#include <string.h>

/* Bytes with a length: a decoded query value may hold NUL and invalid UTF-8. */
typedef struct {
    const char *data;
    size_t length;
} dsc_slice_t;

/* The bytes live on the heap, not in the pool, so that growing gives the old
 * block back; the pool's cleanup frees them unless dsc_buffer_take() did. */
typedef struct dsc_buffer_t {
    char *data; /* always followed by one writable byte beyond length */
    size_t length;
    size_t capacity;
    apr_pool_t *pool;
} dsc_buffer_t;

/* Makes an empty buffer with room for `capacity` bytes. */
dsc_buffer_t *dsc_buffer_create(apr_pool_t *pool, size_t capacity);

/* Makes room for `more` bytes beyond the present length if there is too little. */
void dsc_buffer_enlarge(dsc_buffer_t *buffer, size_t more);

static inline void dsc_buffer_grow(dsc_buffer_t *buffer, size_t more)
{
    if (buffer->capacity - buffer->length < more) {
        dsc_buffer_enlarge(buffer, more);
    }
}

/* Hands the bytes to the caller, who frees them with free(3); the buffer is
 * empty afterwards. */
char *dsc_buffer_take(dsc_buffer_t *buffer, size_t *length);

/* The content as a NUL-terminated string, valid until the next append. */
const char *dsc_buffer_text(dsc_buffer_t *buffer);

static inline void dsc_buffer_append(dsc_buffer_t *buffer, const char *bytes, size_t length)
{
    if (length == 0) {
        return; /* memcpy(3) must not see NULL, even for no bytes */
    }
    dsc_buffer_grow(buffer, length);
    memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
}

static inline void dsc_buffer_append_char(dsc_buffer_t *buffer, char byte)
{
    dsc_buffer_grow(buffer, 1);
    buffer->data[buffer->length++] = byte;
}

static inline void dsc_buffer_append_text(dsc_buffer_t *buffer, const char *text)
{
    dsc_buffer_append(buffer, text, strlen(text));
}

/* Appends what printf(3) would print, by APR's formatter. */
void dsc_buffer_printf(dsc_buffer_t *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
