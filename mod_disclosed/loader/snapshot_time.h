/* The time of a file that does not state when it was taken. */
#ifndef DSC_SNAPSHOT_TIME_H
#define DSC_SNAPSHOT_TIME_H

#include "formats/import_file.h"
#include "loader/loader.h"

/* As --known-at says, else the end of the day in the file's name ("x.2024-07-16.json"), or in that
 * of its archive, else when a file of the same content was loaded before, if that is what was said
 * last (`first_seen`: SQL that yields that time of the content hash $1, or NULL), so that loading
 * it again changes nothing, else now. ISO with a zone; NULL and *reason when the date is none or
 * the database failed. */
const char *dsc_snapshot_time(dsc_loader_t *loader, const dsc_import_file_t *file,
                              const char *first_seen, const char *content_hash,
                              const char **reason);

#endif
