/* All tables of the program. */
#ifndef DSC_TABLES_OF_ALL_H
#define DSC_TABLES_OF_ALL_H

#include "engine/tables.h"

/* What dsc_tables_use() is given. */
extern const dsc_tables_t dsc_tables;

#endif
