#include "engine/sqlstate.h"

#include <string.h>

static const dsc_sqlstate_t sqlstates[] = {
    {"26000", DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE}, /* its prepared statements are gone */
    {"40001", DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE}, /* a replica cancelled it */
    {"40P01", DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE}, /* ... or a deadlock was broken */
    {"55P03", DSC_FAILED_STATEMENT,
     DSC_DATABASE_UNAVAILABLE}, /* another holds a lock: lock_timeout */
    {"57014", DSC_FAILED_STATEMENT, DSC_DATABASE_TIMEOUT},
    {"57P", DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE},
    {"08", DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE},
    {"53", DSC_FAILED_STATEMENT, DSC_DATABASE_UNAVAILABLE}, /* out of memory, disk, connections */
    {NULL, DSC_FAILED_STATEMENT, DSC_DATABASE_ERROR},
};

const dsc_sqlstate_t *dsc_sqlstate_find(const char *state)
{
    static const dsc_sqlstate_t broken = {"", DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE};
    const dsc_sqlstate_t *row = sqlstates;

    if (state == NULL || *state == '\0') {
        return &broken;
    }
    while (row->state != NULL && strncmp(state, row->state, strlen(row->state)) != 0) {
        row++;
    }
    return row;
}

dsc_shards_t dsc_shards_refuse(const char *state)
{
    static const char *const states[] = {"0A000", "42P01", "42883", "XX000"};
    size_t i;

    if (state == NULL || strncmp(state, "22", 2) == 0) {
        return DSC_SHARDS_OTHERS;
    }
    for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        if (strcmp(state, states[i]) == 0) {
            return DSC_SHARDS_NEVER;
        }
    }
    return DSC_SHARDS_NOW;
}
