#include "access/server_secret.h"

#include "engine/regular_file.h"

#include <apr_encode.h>
#include <apr_lib.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

enum {
    MOST_TEXT = 512,
    MOST_TOKEN = 4000,
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

static int is_line_end(char byte)
{
    return byte == '\r' || byte == '\n';
}

/* How long the line is that begins there. */
static size_t line_length(const char *line, const char *end)
{
    const char *at = line;

    while (at < end && !is_line_end(*at)) {
        at++;
    }
    return (size_t)(at - line);
}

/* How long the line's end is that is there. */
static size_t end_length(const char *at, const char *end)
{
    return at + 1 < end && at[0] == '\r' && at[1] == '\n' ? 2 : at < end;
}

/* Why a line is no secret, without what it says. */
static const char *describe_line(apr_pool_t *pool, const char *line, size_t length)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t i = 0;

    if (length == 0) {
        return "is empty";
    }
    if (length >= strlen(mark) && memcmp(line, mark, strlen(mark)) == 0) {
        return "begins with a byte order mark";
    }
    if (length != 2 * (size_t)DSC_SERVER_SECRET_SIZE) {
        return apr_psprintf(pool, "is not 64 hex digits: it has %d characters", (int)length);
    }
    while (i < length && apr_isxdigit(line[i])) {
        i++;
    }
    return apr_psprintf(pool, "is not 64 hex digits: character %d is none", (int)i + 1);
}

/* Takes one line; NULL, or what is wrong with it. */
static const char *take_line(apr_pool_t *pool, const char *path, const char *line, size_t length,
                             dsc_server_secrets_t *secrets)
{
    int number = secrets->count + 1;

    if (number > DSC_SERVER_SECRETS) {
        return apr_psprintf(pool,
                            "%s has a line %d: it takes two secrets at most; take the oldest out",
                            path, number);
    }
    if (!read_line(line, length, secrets->secrets[secrets->count])) {
        return apr_psprintf(pool, "%s: line %d %s", path, number,
                            describe_line(pool, line, length));
    }
    if (is_guessable(secrets->secrets[secrets->count])) {
        return apr_psprintf(pool,
                            "%s: line %d is no secret, as it can be guessed; make one: "
                            "(umask 077; openssl rand -hex 32 > %s)",
                            path, number, path);
    }
    secrets->count++;
    return NULL;
}

static const char *read_lines(apr_pool_t *pool, const char *path, const char *text, size_t length,
                              dsc_server_secrets_t *secrets)
{
    const char *end = text + length, *error = NULL;

    while (end > text && is_line_end(end[-1])) {
        end--;
    }
    if (text == end) {
        return apr_psprintf(pool, "%s is empty", path);
    }
    while (error == NULL && text < end) {
        size_t taken = line_length(text, end);
        error = take_line(pool, path, text, taken, secrets);
        text += taken;
        text += end_length(text, end);
    }
    return error;
}

/* What anybody on the machine could do with the file; NULL if nothing. */
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
static const char *read_text(apr_pool_t *pool, const char *path, char *text, apr_size_t size,
                             apr_size_t *length)
{
    const char *error = dsc_regular_file_error(pool, path);
    apr_file_t *file;
    apr_status_t rv;

    if (error) {
        return error;
    }
    rv = apr_file_open(&file, path, APR_FOPEN_READ, 0, pool);
    if (rv != APR_SUCCESS) {
        return apr_psprintf(pool, "cannot open %s: %pm", path, &rv);
    }
    error = open_to_all(pool, path, file);
    if (error) {
        apr_file_close(file);
        return error;
    }
    rv = apr_file_read_full(file, text, size, length);
    apr_file_close(file);
    return rv == APR_SUCCESS || rv == APR_EOF
               ? NULL
               : apr_psprintf(pool, "cannot read %s: %pm", path, &rv);
}

const char *dsc_server_secrets_read(apr_pool_t *pool, const char *path,
                                    dsc_server_secrets_t *secrets)
{
    char text[MOST_TEXT] = "";
    apr_size_t length = 0;
    const char *error = read_text(pool, path, text, sizeof(text), &length);

    memset(secrets, 0, sizeof(*secrets));
    if (error == NULL) {
        error = read_lines(pool, path, text, length, secrets);
    }
    OPENSSL_cleanse(text, sizeof(text));
    if (error != NULL) {
        dsc_server_secrets_forget(secrets);
    }
    return error;
}

/* Whether it can be sent as a bearer token: ASCII without blanks. */
static int is_token(const char *text, size_t length)
{
    size_t i = 0;

    while (i < length && text[i] > ' ' && text[i] < 0x7F) {
        i++;
    }
    return i == length && length <= MOST_TOKEN;
}

const char *dsc_token_read(apr_pool_t *pool, const char *path, const char **token)
{
    char text[MOST_TOKEN + 1] = "";
    apr_size_t length = 0;
    const char *error = read_text(pool, path, text, sizeof(text), &length);

    length = line_length(text, text + length);
    if (error == NULL && length == 0) {
        error = apr_psprintf(pool, "%s: its first line is empty", path);
    }
    if (error == NULL && !is_token(text, length)) {
        error = apr_psprintf(pool,
                             "%s: its first line is no bearer token: a word of ASCII characters, "
                             "%d at most",
                             path, MOST_TOKEN);
    }
    *token = error == NULL ? apr_pstrmemdup(pool, text, length) : NULL;
    OPENSSL_cleanse(text, sizeof(text));
    return error;
}
