/* Compares the directory of a zip archive with the archive before anything of it is read.
 * libarchive uses the directory if it can, and otherwise the headers of members, and skips what
 * the two state differently: a member that one of them hides would be left out without notice. */
#ifndef DSC_ZIP_DIRECTORY_H
#define DSC_ZIP_DIRECTORY_H

#include <apr_pools.h>

/* What is wrong with the zip archive in the file, with the place and the rule; NULL: nothing. What
 * members have in them is not looked at. "The archive breaks off" begins the text if its end is
 * missing. A file that cannot be read, and one that is no zip archive, are wrong. */
const char *dsc_zip_error(apr_pool_t *pool, const char *path);

#endif
