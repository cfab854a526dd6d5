/* API keys: generated ones parse, and no altered one does. Keys are made at run time: a literal
 * one would look like a leak. */
#include "unit/suites.h"

#include "access/key.h"

#include <CUnit/Basic.h>
#include <string.h>
#include <zlib.h>

/* A key of given random part, checksum computed here by another road than the code's. */
static void make_key(const char *prefix, const char *random, char *text)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    unsigned long crc = crc32(0L, (const unsigned char *)random, 30);
    unsigned long power = 62UL * 62 * 62 * 62 * 62;
    size_t at = strlen(prefix) + 30;

    memcpy(text, prefix, strlen(prefix));
    memcpy(text + strlen(prefix), random, 30);
    for (; power > 0; power /= 62) {
        text[at++] = digits[crc / power % 62];
    }
    text[at] = '\0';
}

static void test_generated(void)
{
    char text[DSC_KEY_LENGTH + 1], other[DSC_KEY_LENGTH + 1];
    dsc_key_t key;
    int i;

    for (i = 0; i < 200; i++) {
        CU_ASSERT_TRUE(dsc_key_generate(i % 2, text));
        CU_ASSERT_EQUAL(strlen(text), DSC_KEY_LENGTH);
        CU_ASSERT_TRUE(dsc_key_parse(text, DSC_KEY_LENGTH, &key));
        CU_ASSERT_EQUAL(key.live, i % 2);
        CU_ASSERT_EQUAL(strncmp(key.key_id, text + 8, 8), 0);
        CU_ASSERT_EQUAL(strlen(key.key_id), 8);
    }
    CU_ASSERT_TRUE(dsc_key_generate(1, other));
    CU_ASSERT_STRING_NOT_EQUAL(text + 8, other + 8);
}

/* No character is favoured: of 6000, each of the 62 comes about 97 times, and by less than six
 * standard deviations more or less often. */
static void test_even(void)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    char text[DSC_KEY_LENGTH + 1];
    int seen[128] = {0};
    const char *c;
    int i;

    for (i = 0; i < 200; i++) {
        CU_ASSERT_TRUE_FATAL(dsc_key_generate(1, text));
        for (c = text + 8; c < text + 38; c++) {
            seen[*c & 127]++;
        }
    }
    for (c = digits; *c; c++) {
        CU_ASSERT(seen[(int)*c] > 37 && seen[(int)*c] < 157);
    }
}

static void test_known(void)
{
    char text[64];
    dsc_key_t key;

    make_key("sk_live_", "AbCdEfGh0123456789abcdefghijkl", text);
    CU_ASSERT_TRUE(dsc_key_parse(text, strlen(text), &key));
    CU_ASSERT_STRING_EQUAL(key.key_id, "AbCdEfGh");
    CU_ASSERT_TRUE(dsc_key_parse(text, strlen(text), NULL));
    text[3] = 'L';
    CU_ASSERT_FALSE(dsc_key_parse(text, strlen(text), &key));
}

/* Each single changed character, each length but the right one. */
static void test_altered(void)
{
    char text[DSC_KEY_LENGTH + 1], longer[DSC_KEY_LENGTH + 2];
    size_t i;

    CU_ASSERT_TRUE_FATAL(dsc_key_generate(1, text));
    for (i = 0; i < DSC_KEY_LENGTH; i++) {
        char kept = text[i];
        CU_ASSERT_FALSE(dsc_key_parse(text, i, NULL));
        text[i] = kept == 'x' ? 'y' : 'x';
        CU_ASSERT_FALSE(dsc_key_parse(text, DSC_KEY_LENGTH, NULL));
        text[i] = '\0';
        CU_ASSERT_FALSE(dsc_key_parse(text, DSC_KEY_LENGTH, NULL));
        text[i] = '-';
        CU_ASSERT_FALSE(dsc_key_parse(text, DSC_KEY_LENGTH, NULL));
        text[i] = kept;
    }
    CU_ASSERT_TRUE(dsc_key_parse(text, DSC_KEY_LENGTH, NULL));
    memcpy(longer, text, DSC_KEY_LENGTH);
    memcpy(longer + DSC_KEY_LENGTH, "0", 2);
    CU_ASSERT_FALSE(dsc_key_parse(longer, DSC_KEY_LENGTH + 1, NULL));
    CU_ASSERT_FALSE(dsc_key_parse("", 0, NULL));
}

static void test_digest(void)
{
    /* SHA-256 of 16 zero bytes followed by "abc", by sha256sum(1) */
    static const unsigned char expected[DSC_KEY_DIGEST_SIZE] = {0x27, 0x7e, 0x7f, 0xf6, 0xd2, 0x32,
                                                                0xb9, 0x76, 0x3f, 0x4a, 0x66, 0xe8,
                                                                0xd0, 0x5d, 0x21, 0x0d, 0xa3, 0x2d,
                                                                0xac, 0x9c, 0x6d, 0xbc, 0xe1, 0x02,
                                                                0x6a, 0xd4, 0xcc, 0x98, 0xac, 0xb5,
                                                                0xfe, 0xfe};
    unsigned char salt[DSC_KEY_SALT_SIZE] = {0}, other[DSC_KEY_SALT_SIZE];
    unsigned char digest[DSC_KEY_DIGEST_SIZE];

    dsc_key_digest(salt, "abc", 3, digest);
    CU_ASSERT_EQUAL(memcmp(digest, expected, sizeof(expected)), 0);
    CU_ASSERT_TRUE(dsc_key_same(digest, expected));
    digest[31] ^= 1;
    CU_ASSERT_FALSE(dsc_key_same(digest, expected));
    CU_ASSERT_TRUE(dsc_key_salt(other));
    CU_ASSERT_NOT_EQUAL(memcmp(salt, other, sizeof(salt)), 0);
}

static void test_forget(void)
{
    char secret[] = "secret";
    size_t i;

    dsc_key_forget(secret, sizeof(secret));
    for (i = 0; i < sizeof(secret); i++) {
        CU_ASSERT_EQUAL(secret[i], 0);
    }
}

void dsc_suite_key(void)
{
    CU_pSuite suite = CU_add_suite("key", NULL, NULL);

    CU_add_test(suite, "generated keys parse", test_generated);
    CU_add_test(suite, "generated keys favour no character", test_even);
    CU_add_test(suite, "a known key parses", test_known);
    CU_add_test(suite, "altered keys do not", test_altered);
    CU_add_test(suite, "digests", test_digest);
    CU_add_test(suite, "secrets are overwritten", test_forget);
}
