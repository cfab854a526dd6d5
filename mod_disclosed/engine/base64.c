#include "engine/base64.h"

#include <apr_encode.h>
#include <openssl/crypto.h>
#include <string.h>

/* APR reads either alphabet, padded or not, and passes over bits that are in no byte: encoding
 * again shows whether the text is the one of its bytes. */
unsigned char *dsc_base64_decode(apr_pool_t *pool, const char *text, int flags, apr_size_t *length)
{
    unsigned char *bytes = (unsigned char *)apr_pdecode_base64_binary(pool, text, APR_ENCODE_STRING,
                                                                      APR_ENCODE_NONE, length);
    char *again;
    int same;

    if (bytes == NULL || *length == 0) {
        return NULL;
    }
    again = (char *)apr_pencode_base64_binary(pool, bytes, (apr_ssize_t)*length, flags, NULL);
    same = again != NULL && strcmp(again, text) == 0;
    if (again != NULL) {
        OPENSSL_cleanse(again, strlen(again));
    }
    return same ? bytes : NULL;
}
