/* Events of an import on their way from one process to another. */
#include "sources/import_pipe.h"

#include "formats/spool.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* An event on its way through a pipe; the texts follow, without a NUL. */
typedef struct {
    dsc_import_kind_t kind;
    dsc_load_count_t count;
    long long waiting, number;
    int is_damaged;
    uint32_t name, location, reason; /* lengths and one, 0 for NULL */
} dsc_wire_t;

static int read_all(int pipe, void *bytes, size_t size)
{
    char *at = bytes;

    while (size > 0) {
        ssize_t got = read(pipe, at, size);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return 0;
        }
        if (got > 0) {
            at += got;
            size -= (size_t)got;
        }
    }
    return 1;
}

static uint32_t wire_length(const char *text)
{
    return text == NULL ? 0 : (uint32_t)strlen(text) + 1;
}

void dsc_import_send(int pipe, const dsc_import_event_t *event)
{
    const char *const texts[] = {event->name, event->location, event->reason};
    dsc_wire_t wire;
    int i;

    memset(&wire, 0, sizeof(wire));
    wire.kind = event->kind;
    wire.count = event->count;
    wire.waiting = event->waiting;
    wire.number = event->number;
    wire.is_damaged = event->is_damaged;
    wire.name = wire_length(event->name);
    wire.location = wire_length(event->location);
    wire.reason = wire_length(event->reason);
    if (!dsc_write_all(pipe, &wire, sizeof(wire))) {
        _exit(1); /* the first process is gone */
    }
    for (i = 0; i < 3; i++) {
        if (texts[i] != NULL && !dsc_write_all(pipe, texts[i], strlen(texts[i]))) {
            _exit(1);
        }
    }
}

static const char *receive_text(apr_pool_t *pool, int pipe, uint32_t length)
{
    char *text;

    if (length == 0) {
        return NULL;
    }
    text = apr_pcalloc(pool, length);
    return read_all(pipe, text, length - 1) ? text : "";
}

int dsc_import_receive(apr_pool_t *pool, int pipe, dsc_import_event_t *event)
{
    dsc_wire_t wire;

    if (!read_all(pipe, &wire, sizeof(wire))) {
        return 0;
    }
    event->kind = wire.kind;
    event->count = wire.count;
    event->waiting = wire.waiting;
    event->number = wire.number;
    event->is_damaged = wire.is_damaged;
    event->name = receive_text(pool, pipe, wire.name);
    event->location = receive_text(pool, pipe, wire.location);
    event->reason = receive_text(pool, pipe, wire.reason);
    return 1;
}
