/* The text of PDF files, by the program pdftotext (poppler). */
#ifndef DSC_PDF_TEXT_H
#define DSC_PDF_TEXT_H

#include <apr_pools.h>
#include <apr_time.h>

/* What a file may cost at most: bytes of text, and time of the program. */
typedef struct {
    size_t bytes;
    apr_interval_time_t time;
} dsc_pdf_limit_t;

/* The text of a PDF in memory, UTF-8, laid out as on its pages, NUL-terminated (it may hold NUL
 * itself); the pool frees it. NULL and *reason if there is no such program, or it fails, takes too
 * long or writes too much. The PDF goes through a temporary file: older programs need one to seek
 * in, and it is the same for members of archives and compressed files. */
char *dsc_pdf_text(apr_pool_t *pool, const char *pdf, size_t length, const dsc_pdf_limit_t *limit,
                   size_t *text_length, const char **reason);

#endif
