/* A field whose JSON a function writes. */
#ifndef DSC_WRITER_H
#define DSC_WRITER_H

#include "engine/database.h"

/* It is written from the field's own column, `sql`, and from those behind it. */
typedef struct dsc_writer_t {
    unsigned types; /* a set of dsc_wire_t: those that `sql` may have */
    struct {
        const char *sql;
        unsigned types;
    } columns[10]; /* sql NULL: no more */
    /* Appends the JSON of the present row; `column` is the field's own. */
    void (*write)(dsc_buffer_t *body, const dsc_result_t *result, int column);
} dsc_writer_t;

#endif
