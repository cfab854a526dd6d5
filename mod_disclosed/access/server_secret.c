#include "access/server_secret.h"

#include <apr_encode.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

enum {
    MOST_TEXT = 512,
    MOST_LINE = 4096,
    LEAST_BYTES = 8 /* different ones of 32: random ones have fewer once in 10^26 secrets */
};

/* Not by dsc_hmac_sha256(): what that one keeps would be lost when httpd reloads the module. */
void dsc_server_secret_derive(const unsigned char secret[DSC_SERVER_SECRET_SIZE],
                              const char *purpose, unsigned char key[DSC_SERVER_SECRET_SIZE])
{
    HMAC(EVP_sha256(), secret, DSC_SERVER_SECRET_SIZE, (const unsigned char *)purpose,
         strlen(purpose), key, NULL);
}

void dsc_server_secrets_forget(dsc_server_secrets_t *secrets)
{
    OPENSSL_cleanse(secrets, sizeof(*secrets));
}

static int read_line(const char *line, size_t length, unsigned char secret[DSC_SERVER_SECRET_SIZE])
{
    return length == 2 * (size_t)DSC_SERVER_SECRET_SIZE &&
           apr_decode_base16_binary(secret, line, (apr_ssize_t)length, APR_ENCODE_NONE, NULL) ==
               APR_SUCCESS;
}

/* Whether the secret looks like none: zeros, a pattern, a word again and again. */
static int is_guessable(const unsigned char secret[DSC_SERVER_SECRET_SIZE])
{
    unsigned char seen[256] = {0};
    int i, different = 0;

    for (i = 0; i < DSC_SERVER_SECRET_SIZE; i++) {
        different += !seen[secret[i]]++;
    }
    OPENSSL_cleanse(seen, sizeof(seen));
    return different < LEAST_BYTES;
}

static const char *read_lines(apr_pool_t *pool, const char *path, const char *text,
                              dsc_server_secrets_t *secrets)
{
    while (*text && secrets->count < DSC_SERVER_SECRETS) {
        size_t length = strcspn(text, "\r\n");

        if (!read_line(text, length, secrets->secrets[secrets->count])) {
            return apr_psprintf(pool, "%s: line %d is not 64 hex digits", path, secrets->count + 1);
        }
        if (is_guessable(secrets->secrets[secrets->count])) {
            return apr_psprintf(pool,
                                "%s: line %d is no secret, as it can be guessed; make one: "
                                "(umask 077; openssl rand -hex 32 > %s)",
                                path, secrets->count + 1, path);
        }
        secrets->count++;
        text += length;
        text += strspn(text, "\r\n");
    }
    return secrets->count ? NULL : apr_psprintf(pool, "%s is empty", path);
}

/* What anybody on the machine could do with the file; NULL where nothing. */
static const char *open_to_all(apr_pool_t *pool, const char *path, apr_file_t *file)
{
    apr_finfo_t info;

    if (apr_file_info_get(&info, APR_FINFO_PROT, file) != APR_SUCCESS ||
        !(info.protection & (APR_FPROT_WREAD | APR_FPROT_WWRITE | APR_FPROT_GWRITE))) {
        return NULL;
    }
    return apr_psprintf(pool,
                        "%s may be read or written by others than its owner: chmod 600 %s, and "
                        "replace the secret where others may have read it",
                        path, path);
}

/* Reads the file's beginning, which is all of it that counts; NULL, or what failed. */
static const char *read_text(apr_pool_t *pool, const char *path, char *text, apr_size_t size)
{
    apr_size_t length = size - 1;
    const char *error;
    apr_file_t *file;
    apr_status_t rv = apr_file_open(&file, path, APR_FOPEN_READ, 0, pool);

    if (rv != APR_SUCCESS) {
        return apr_psprintf(pool, "cannot open %s: %pm", path, &rv);
    }
    error = open_to_all(pool, path, file);
    if (error) {
        apr_file_close(file);
        return error;
    }
    rv = apr_file_read_full(file, text, length, &length);
    apr_file_close(file);
    text[length] = '\0';
    return rv == APR_SUCCESS || rv == APR_EOF
               ? NULL
               : apr_psprintf(pool, "cannot read %s: %pm", path, &rv);
}

const char *dsc_server_secrets_read(apr_pool_t *pool, const char *path,
                                    dsc_server_secrets_t *secrets)
{
    char text[MOST_TEXT] = "";
    const char *error = read_text(pool, path, text, sizeof(text));

    memset(secrets, 0, sizeof(*secrets));
    if (error == NULL) {
        error = read_lines(pool, path, text, secrets);
    }
    OPENSSL_cleanse(text, sizeof(text));
    if (error != NULL) {
        dsc_server_secrets_forget(secrets);
    }
    return error;
}

const char *dsc_secret_line_read(apr_pool_t *pool, const char *path, const char **line)
{
    char text[MOST_LINE] = "";
    const char *error = read_text(pool, path, text, sizeof(text));

    text[strcspn(text, "\r\n")] = '\0';
    if (error == NULL && *text == '\0') {
        error = apr_psprintf(pool, "%s: its first line is empty", path);
    }
    *line = error == NULL ? apr_pstrdup(pool, text) : NULL;
    OPENSSL_cleanse(text, sizeof(text));
    return error;
}
