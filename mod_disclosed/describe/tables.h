/* Exports the tables of endpoints and datasets as data, for programs outside. */
#ifndef DSC_DESCRIBE_TABLES_H
#define DSC_DESCRIBE_TABLES_H

#include <jansson.h>

/* {"datasets": [...], "endpoints": [...], "shapes": {...}}: each row of a table as an object whose
 * members are named as those of its struct; what a row leaves out is left out. A shape is named by
 * its schema name, followed by "#2", "#3" ... if several have the same. */
json_t *dsc_tables_json(void);

#endif
