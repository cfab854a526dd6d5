/* Random bytes. */
#ifndef DSC_RANDOM_H
#define DSC_RANDOM_H

#include <stddef.h>

/* Fills `bytes` with bytes that nobody can guess, fit for keys and nonces; 0 if the system gives
 * none: what is there then is not random, and no secret may be made of it. Thread-safe. */
int dsc_random_bytes(void *bytes, size_t size) __attribute__((warn_unused_result));

#endif
