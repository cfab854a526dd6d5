/* Random bytes. */
#ifndef DSC_RANDOM_H
#define DSC_RANDOM_H

#include <stddef.h>

/* Fills `bytes` with unpredictable bytes, fit for keys and nonces. 0 if the system gives none: the
 * bytes are then not random, and no secret may be made of them. Thread-safe. */
int dsc_random_bytes(void *bytes, size_t size) __attribute__((warn_unused_result));

#endif
