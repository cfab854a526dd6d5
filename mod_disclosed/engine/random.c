#include "engine/random.h"

#include <limits.h>
#include <openssl/rand.h>

int dsc_random_bytes(void *bytes, size_t size)
{
    return size <= INT_MAX && RAND_priv_bytes(bytes, (int)size) == 1;
}
