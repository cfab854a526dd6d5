#include "engine/buffer.h"

#include <apr_lib.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

static apr_status_t free_bytes(void *data)
{
    dsc_buffer_t *buffer = data;

    free(buffer->data);
    buffer->data = NULL;
    buffer->length = buffer->capacity = 0;
    return APR_SUCCESS;
}

/* Out of memory ends like a failed pool allocation: by the pool's abort function. */
static void out_of_memory(apr_pool_t *pool)
{
    apr_abortfunc_t give_up = apr_pool_abort_get(pool);

    if (give_up) {
        give_up(APR_ENOMEM);
    }
    abort();
}

static void resize(dsc_buffer_t *buffer, size_t capacity)
{
    char *data = realloc(buffer->data, capacity + 1);

    if (data == NULL) {
        out_of_memory(buffer->pool);
    }
    buffer->data = data;
    buffer->capacity = capacity;
}

dsc_buffer_t *dsc_buffer_create(apr_pool_t *pool, size_t capacity)
{
    dsc_buffer_t *buffer = apr_pcalloc(pool, sizeof(*buffer));

    buffer->pool = pool;
    apr_pool_cleanup_register(pool, buffer, free_bytes, apr_pool_cleanup_null);
    resize(buffer, capacity);
    return buffer;
}

void dsc_buffer_enlarge(dsc_buffer_t *buffer, size_t more)
{
    size_t capacity = buffer->capacity < 64 ? 64 : buffer->capacity;

    if (more > SIZE_MAX / 2 - buffer->length) {
        out_of_memory(buffer->pool);
    }
    while (capacity < buffer->length + more) {
        capacity *= 2;
    }
    resize(buffer, capacity);
}

char *dsc_buffer_take(dsc_buffer_t *buffer, size_t *length)
{
    char *data;

    dsc_buffer_text(buffer);
    data = buffer->data;
    *length = buffer->length;
    buffer->data = NULL;
    buffer->length = buffer->capacity = 0;
    return data;
}

const char *dsc_buffer_text(dsc_buffer_t *buffer)
{
    if (buffer->data == NULL) {
        resize(buffer, 0);
    }
    buffer->data[buffer->length] = '\0';
    return buffer->data;
}

/* APR's formatter writes between curpos and endpos and calls back when that is full. */
typedef struct {
    apr_vformatter_buff_t window; /* first, so that the callback can cast */
    dsc_buffer_t *buffer;
} formatter_t;

static void take_window(formatter_t *formatter)
{
    formatter->buffer->length = (size_t)(formatter->window.curpos - formatter->buffer->data);
}

static void set_window(formatter_t *formatter)
{
    formatter->window.curpos = formatter->buffer->data + formatter->buffer->length;
    formatter->window.endpos = formatter->buffer->data + formatter->buffer->capacity;
}

static int grow_window(apr_vformatter_buff_t *window)
{
    formatter_t *formatter = (formatter_t *)window;

    take_window(formatter);
    dsc_buffer_grow(formatter->buffer, formatter->buffer->capacity - formatter->buffer->length + 1);
    set_window(formatter);
    return 0;
}

void dsc_buffer_printf(dsc_buffer_t *buffer, const char *format, ...)
{
    formatter_t formatter = {.buffer = buffer};
    va_list arguments;

    dsc_buffer_grow(buffer, strlen(format) + 1);
    set_window(&formatter);
    va_start(arguments, format);
    apr_vformatter(grow_window, &formatter.window, format, arguments);
    va_end(arguments);
    take_window(&formatter);
}
