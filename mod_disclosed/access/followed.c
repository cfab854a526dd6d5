#include "access/followed.h"

#include <string.h>

enum {
    FREE,
    BEING_NAMED,
    NAMED
};

static int is_of(const dsc_followed_row_t *row, dsc_followed_kind_t kind, const char *source,
                 const char *name)
{
    return atomic_load(&row->state) == NAMED && row->kind == (uint32_t)kind &&
           strcmp(row->source, source) == 0 && strcmp(row->name, name) == 0;
}

/* Names a free row; 0: another process has just taken it. */
static int take(dsc_followed_row_t *row, dsc_followed_kind_t kind, const char *source,
                const char *name)
{
    uint64_t expected = FREE;

    if (!atomic_compare_exchange_strong(&row->state, &expected, BEING_NAMED)) {
        return 0;
    }
    row->kind = (uint32_t)kind;
    memcpy(row->source, source, strlen(source) + 1);
    memcpy(row->name, name, strlen(name) + 1);
    atomic_store(&row->state, NAMED);
    return 1;
}

int dsc_followed_note(dsc_followed_t *followed, uint64_t now, dsc_followed_kind_t kind,
                      const char *source, const char *name,
                      const uint64_t figures[DSC_FOLLOWED_FIGURES])
{
    dsc_followed_row_t *row = followed->rows, *end = followed->rows + DSC_FOLLOWED_ROWS;
    int i;

    if (strlen(source) >= DSC_FOLLOWED_SOURCE_SIZE || strlen(name) >= DSC_FOLLOWED_NAME_SIZE) {
        return 0;
    }
    while (row < end && !is_of(row, kind, source, name) && !take(row, kind, source, name)) {
        row++;
    }
    if (row == end) {
        return 0;
    }
    for (i = 0; i < DSC_FOLLOWED_FIGURES; i++) {
        atomic_store(&row->figures[i], figures[i]);
    }
    atomic_store(&row->seen_at, now);
    return 1;
}

void dsc_followed_end(dsc_followed_t *followed, uint64_t now, uint64_t left_out)
{
    atomic_store(&followed->left_out, left_out);
    atomic_store(&followed->read_at, now);
}

int dsc_followed_is_shown(const dsc_followed_t *followed, const dsc_followed_row_t *row)
{
    uint64_t read_at = atomic_load(&followed->read_at);

    return read_at != 0 && atomic_load(&row->state) == NAMED &&
           atomic_load(&row->seen_at) >= read_at;
}
