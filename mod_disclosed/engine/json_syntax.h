/* Finds the error in JSON text, in the words of Python's json module, which FastAPI's clients
 * know. It runs only if the parser has refused a text. */
#ifndef DSC_JSON_SYNTAX_H
#define DSC_JSON_SYNTAX_H

#include "engine/buffer.h"

typedef struct {
    const char *message; /* NULL: the text is JSON; DSC_JSON_TOO_DEEP: it was not read to its end */
    size_t position;     /* in code points */
} dsc_json_error_t;

extern const char DSC_JSON_TOO_DEEP[];

/* Looks for the first error in clean UTF-8 text. NaN and the infinities, which Python takes, are
 * errors. */
dsc_json_error_t dsc_json_syntax(dsc_slice_t text);

#endif
