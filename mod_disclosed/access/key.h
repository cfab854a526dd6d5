/* API keys: their format, their checksum, and the digest that the database stores instead of them.
 * A key is "sk_live_" or "sk_test_", 30 random base62 characters, of which the first 8 are the
 * public key id, and 6 base62 characters that are the CRC-32 of those 30: 44 characters. The
 * checksum shows a typo or a leak without a database. No function here needs one. */
#ifndef DSC_KEY_H
#define DSC_KEY_H

#include <stddef.h>

enum {
    DSC_KEY_LENGTH = 44,
    DSC_KEY_ID_LENGTH = 8,
    DSC_KEY_SALT_SIZE = 16,
    DSC_KEY_DIGEST_SIZE = 32
};

/* What a key's text shows without the database. */
typedef struct {
    int live;                           /* 1: sk_live_, 0: sk_test_ */
    char key_id[DSC_KEY_ID_LENGTH + 1]; /* public, NUL-terminated */
} dsc_key_t;

/* Reads a key: 1 when its form and checksum are right, else 0. `key` may be NULL. */
int dsc_key_parse(const char *text, size_t length, dsc_key_t *key);

/* Makes a new key from the operating system's random source. Returns 0 if that fails. */
int dsc_key_generate(int live, char text[DSC_KEY_LENGTH + 1]);

/* Fills a salt from the operating system's random source. Returns 0 if that fails. */
int dsc_key_salt(unsigned char salt[DSC_KEY_SALT_SIZE]);

/* SHA-256 over the salt followed by the whole key. All zero, which no key has, if the cryptographic
 * library fails. */
void dsc_key_digest(const unsigned char salt[DSC_KEY_SALT_SIZE], const char *text, size_t length,
                    unsigned char digest[DSC_KEY_DIGEST_SIZE]);

/* Compares two digests in a time that does not depend on where they differ: 1 when equal. */
int dsc_key_same(const unsigned char left[DSC_KEY_DIGEST_SIZE],
                 const unsigned char right[DSC_KEY_DIGEST_SIZE]);

/* Overwrites what held a secret, so that it is in no core dump. */
void dsc_key_forget(void *bytes, size_t size);

#endif
