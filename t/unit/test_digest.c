#include "engine/digest.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_escape.h>
#include <string.h>

static void check(const unsigned char *digest, const char *expected)
{
    char hex[2 * DSC_SHA256_SIZE + 1];
    apr_escape_hex(hex, digest, DSC_SHA256_SIZE, 0, NULL);
    CU_ASSERT_STRING_EQUAL(hex, expected);
}

/* FIPS 180-4: the digests of nothing and of "abc". */
static void test_sha256(void)
{
    unsigned char digest[DSC_SHA256_SIZE];
    dsc_sha256("", 0, digest);
    check(digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    dsc_sha256("abc", 3, digest);
    check(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/* RFC 4231, test cases 1 and 2. */
static void test_hmac(void)
{
    unsigned char key[20], digest[DSC_SHA256_SIZE];
    int round;
    memset(key, 0x0b, sizeof(key));
    for (round = 0; round < 2; round++) {
        dsc_hmac_sha256(key, sizeof(key), "Hi There", 8, digest);
        check(digest, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
        dsc_hmac_sha256((const unsigned char *)"Jefe", 4, "what do ya want for nothing?", 28,
                        digest);
        check(digest, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
}

void dsc_suite_digest(void)
{
    CU_pSuite suite = CU_add_suite("digest", NULL, NULL);
    CU_add_test(suite, "SHA-256", test_sha256);
    CU_add_test(suite, "HMAC-SHA-256", test_hmac);
}
