/* What metrics report of followed sources (disclosedctl follow). The background process copies it
 * from the database, any process reads it. A row keeps its names, and only its figures change: all
 * by atomics. */
#ifndef DSC_FOLLOWED_H
#define DSC_FOLLOWED_H

#include <stdatomic.h>
#include <stdint.h>

enum {
    DSC_FOLLOWED_ROWS = 256,
    DSC_FOLLOWED_SOURCE_SIZE = 32,
    DSC_FOLLOWED_NAME_SIZE = 48,
    DSC_FOLLOWED_FIGURES = 4
};

/* What a row is about, and its figures. Times are microseconds since 1970; 0: never. */
typedef enum {
    DSC_FOLLOWED_SOURCE = 1, /* all of its lists were read last; how many could not be */
    DSC_FOLLOWED_DOCUMENT,   /* of a kind: the newest was published, the last was stored; wanted,
                                since */
    DSC_FOLLOWED_FAILURE     /* of a kind: how many there were */
} dsc_followed_kind_t;

typedef struct {
    _Atomic uint64_t state;   /* 0: free, 1: being named, 2: named */
    _Atomic uint64_t seen_at; /* the time of the last reading that had it */
    _Atomic uint64_t figures[DSC_FOLLOWED_FIGURES];
    uint32_t kind;
    char source[DSC_FOLLOWED_SOURCE_SIZE]; /* NUL-terminated */
    char name[DSC_FOLLOWED_NAME_SIZE];     /* likewise */
} dsc_followed_row_t;

typedef struct {
    _Atomic uint64_t read_at;  /* by dsc_monotonic_now(); 0: never */
    _Atomic uint64_t left_out; /* rows of the last reading that there is no room for */
    dsc_followed_row_t rows[DSC_FOLLOWED_ROWS];
} dsc_followed_t;

/* Notes a row that was read at `now`; 0: there is no room, or its names are too long. */
int dsc_followed_note(dsc_followed_t *followed, uint64_t now, dsc_followed_kind_t kind,
                      const char *source, const char *name,
                      const uint64_t figures[DSC_FOLLOWED_FIGURES]);

/* All rows of the reading at `now` are noted: what it did not have is no longer shown. */
void dsc_followed_end(dsc_followed_t *followed, uint64_t now, uint64_t left_out);

/* Whether the row is shown. */
int dsc_followed_is_shown(const dsc_followed_t *followed, const dsc_followed_row_t *row);

#endif
