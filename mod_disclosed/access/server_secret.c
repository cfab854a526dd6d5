#include "access/server_secret.h"

#include <apr_encode.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

enum {
    MOST_TEXT = 512
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

static const char *read_lines(apr_pool_t *pool, const char *path, const char *text,
                              dsc_server_secrets_t *secrets)
{
    while (*text && secrets->count < DSC_SERVER_SECRETS) {
        size_t length = strcspn(text, "\r\n");

        if (!read_line(text, length, secrets->secrets[secrets->count])) {
            return apr_psprintf(pool, "%s: line %d is not 64 hex digits", path, secrets->count + 1);
        }
        secrets->count++;
        text += length;
        text += strspn(text, "\r\n");
    }
    return secrets->count ? NULL : apr_psprintf(pool, "%s is empty", path);
}

/* Reads the file's beginning, which is all of it that counts; NULL, or what failed. */
static const char *read_text(apr_pool_t *pool, const char *path, char text[MOST_TEXT])
{
    apr_size_t length = MOST_TEXT - 1;
    apr_file_t *file;
    apr_status_t rv = apr_file_open(&file, path, APR_FOPEN_READ, 0, pool);

    if (rv != APR_SUCCESS) {
        return apr_psprintf(pool, "cannot open %s: %pm", path, &rv);
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
    const char *error = read_text(pool, path, text);

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
