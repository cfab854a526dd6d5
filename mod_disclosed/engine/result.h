/* What a result of dsc_select() is made of; how it is read is in engine/database.h. */
#ifndef DSC_RESULT_H
#define DSC_RESULT_H

#include "engine/database.h"
#include "engine/source_cache.h"

#include <libpq-fe.h>

struct dsc_result_t {
    PGresult *rows;
    int row, count;
    const unsigned char *types;      /* dsc_wire_t of each column; NULL: the result is text */
    const dsc_source_set_t *sources; /* NULL: its columns name none */
};

#endif
