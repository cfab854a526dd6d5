/* Streams of libarchive over files that may be gzip, whose checksums are verified. */
#ifndef DSC_GZIP_STREAM_H
#define DSC_GZIP_STREAM_H

#include <apr_errno.h>
#include <archive.h>

/* Opens a file, or standard input if `path` is NULL, for the stream; not APR_SUCCESS if that
 * fails, and the stream has the reason. libarchive's own filter of gzip must not be there: it takes
 * damaged data for good, because it looks at neither the checksum nor the length behind them. */
apr_status_t dsc_gzip_stream_open(struct archive *stream, const char *path);

/* Whether libarchive reads the file itself: one of the file system's, that is not gzip. */
int dsc_is_plain_file(const char *path);

/* What is wrong with the stream, if its file is damaged. */
const char *dsc_stream_error(struct archive *stream);

#endif
