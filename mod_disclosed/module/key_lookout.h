/* Lists in shared memory which keys there are (access/key_list.h): all when the connection is new,
 * then those that are made. */
#ifndef DSC_KEY_LOOKOUT_H
#define DSC_KEY_LOOKOUT_H

#include "access/shared_state.h"
#include "engine/connection.h"

/* How far one has come; zeroed memory has not begun. */
typedef struct {
    uint64_t listed; /* keys up to that number are */
    uint32_t half;   /* of the list, which is being written */
    int is_begun, is_shown;
} dsc_key_lookout_t;

/* Lists more keys on an open connection, up to the last, `made`, or to so many that another look is
 * due before the rest. Returns 0 if they could not be read; `is_behind`: there is a rest. */
int dsc_key_lookout_read(dsc_key_lookout_t *lookout, dsc_connection_t *connection,
                         dsc_key_list_t *list, uint64_t seed, uint64_t made, int *is_behind);

#endif
