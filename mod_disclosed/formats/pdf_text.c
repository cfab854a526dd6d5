/* The text of PDF files, by the program pdftotext (poppler): a process of its own, without a
 * shell. */
#include "formats/pdf_text.h"

#include "engine/buffer.h"
#include "engine/outage.h"
#include "formats/spool.h"

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_portable.h>
#include <apr_strings.h>
#include <apr_thread_proc.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    BLOCK_SIZE = 65536
};

/* Where the program is, by PATH; APR would only say that some exec failed. */
static const char *find_program(apr_pool_t *pool)
{
    const char *path = getenv("PATH"), *folder;
    char *rest = apr_pstrdup(pool, path == NULL ? "" : path), *state;

    for (folder = apr_strtok(rest, ":", &state); folder != NULL;
         folder = apr_strtok(NULL, ":", &state)) {
        const char *program = apr_pstrcat(pool, folder, "/pdftotext", NULL);
        apr_finfo_t info;
        if (apr_stat(&info, program, APR_FINFO_TYPE, pool) == APR_SUCCESS &&
            info.filetype == APR_REG && access(program, X_OK) == 0) {
            return program;
        }
    }
    return NULL;
}

static const char *error_of(apr_pool_t *pool, const char *what, apr_status_t rv)
{
    char text[256];

    return apr_pstrcat(pool, what, ": ", apr_strerror(rv, text, sizeof(text)), NULL);
}

static apr_status_t close_file(void *file)
{
    return apr_file_close(file);
}

/* Writes the bytes to a temporary file, which is at its beginning then. */
static apr_file_t *write_file(apr_pool_t *pool, const char *pdf, size_t length, const char **reason)
{
    apr_file_t *file = NULL;
    const char *folder;
    int fd = dsc_temporary_file(pool, &folder);
    apr_status_t rv = fd < 0 ? APR_FROM_OS_ERROR(errno) : APR_SUCCESS;

    if (rv == APR_SUCCESS) {
        rv = apr_os_file_put(&file, &fd, APR_FOPEN_READ | APR_FOPEN_WRITE, pool);
    }
    if (rv == APR_SUCCESS) {
        apr_pool_cleanup_register(pool, file, close_file, apr_pool_cleanup_null);
        if (!dsc_write_all(fd, pdf, length) || lseek(fd, 0, SEEK_SET) != 0) {
            rv = APR_FROM_OS_ERROR(errno);
        }
    }
    if (rv != APR_SUCCESS) {
        *reason = error_of(pool, "no temporary file for pdftotext", rv);
        return NULL;
    }
    return file;
}

static apr_status_t start(apr_proc_t *process, apr_pool_t *pool, const char *program,
                          apr_file_t *file)
{
    const char *arguments[] = {program, "-layout", "-enc", "UTF-8", "-q", "-", "-", NULL};
    apr_procattr_t *attributes;
    apr_status_t rv = apr_procattr_create(&attributes, pool);

    if (rv == APR_SUCCESS) {
        rv = apr_procattr_io_set(attributes, APR_NO_PIPE, APR_CHILD_BLOCK, APR_NO_PIPE);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_procattr_child_in_set(attributes, file, NULL);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_procattr_cmdtype_set(attributes, APR_PROGRAM_ENV);
    }
    return rv == APR_SUCCESS ? apr_proc_create(process, program, arguments, NULL, attributes, pool)
                             : rv;
}

/* Reads all that it writes; NULL, or why that cannot be. */
static const char *read_text(const apr_proc_t *process, dsc_buffer_t *text,
                             const dsc_pdf_limit_t *limit, apr_time_t end)
{
    apr_status_t rv = APR_SUCCESS;

    while (rv == APR_SUCCESS) {
        apr_size_t size = BLOCK_SIZE;
        apr_interval_time_t left = end - dsc_monotonic_now();
        if (left <= 0) {
            rv = APR_TIMEUP;
            break;
        }
        dsc_buffer_grow(text, size);
        (void)apr_file_pipe_timeout_set(process->out, left);
        rv = apr_file_read(process->out, text->data + text->length, &size);
        text->length += rv == APR_SUCCESS ? size : 0;
        if (text->length > limit->bytes) {
            return "pdftotext makes more text of it than such a file can have";
        }
    }
    if (APR_STATUS_IS_TIMEUP(rv)) {
        return "pdftotext takes too long for it";
    }
    return APR_STATUS_IS_EOF(rv) ? NULL : error_of(text->pool, "pdftotext cannot be read", rv);
}

/* Waits until it has ended, and kills it at the end of its time. */
static const char *end_process(apr_pool_t *pool, apr_proc_t *process, apr_time_t end)
{
    apr_exit_why_e why = APR_PROC_EXIT;
    int code = 0, killed = 0;
    apr_status_t rv;

    while ((rv = apr_proc_wait(process, &code, &why, APR_NOWAIT)) == APR_CHILD_NOTDONE) {
        if (!killed && dsc_monotonic_now() >= end) {
            (void)apr_proc_kill(process, SIGKILL);
            killed = 1;
        }
        apr_sleep(apr_time_from_msec(2));
    }
    if (!APR_STATUS_IS_CHILD_DONE(rv)) {
        return error_of(pool, "pdftotext is lost", rv);
    }
    if (killed) {
        return "pdftotext takes too long for it";
    }
    if (why != APR_PROC_EXIT) {
        return apr_psprintf(pool, "pdftotext ended by signal %d", code);
    }
    if (code == 1) {
        return "pdftotext cannot open it: it is damaged, or no PDF";
    }
    return code == 0   ? NULL
           : code == 3 ? "its owner does not permit to take its text (pdftotext: exit status 3)"
                       : apr_psprintf(pool, "pdftotext failed: exit status %d", code);
}

static char *text_of(apr_pool_t *pool, apr_pool_t *own, apr_file_t *file,
                     const dsc_pdf_limit_t *limit, size_t *length, const char **reason)
{
    const char *program = find_program(own);
    apr_time_t end = dsc_monotonic_now() + limit->time;
    dsc_buffer_t *text = dsc_buffer_create(pool, BLOCK_SIZE);
    apr_proc_t process;
    const char *error;
    apr_status_t rv;

    if (program == NULL) {
        *reason = "pdftotext is missing (Debian package: poppler-utils)";
        return NULL;
    }
    rv = start(&process, own, program, file);
    if (rv != APR_SUCCESS) {
        *reason = error_of(pool, "pdftotext cannot be started", rv);
        return NULL;
    }
    error = read_text(&process, text, limit, end);
    *reason = end_process(pool, &process, error == NULL ? end : 0);
    *reason = error != NULL ? error : *reason;
    *length = text->length;
    return *reason == NULL ? (char *)dsc_buffer_text(text) : NULL;
}

char *dsc_pdf_text(apr_pool_t *pool, const char *pdf, size_t length, const dsc_pdf_limit_t *limit,
                   size_t *text_length, const char **reason)
{
    apr_pool_t *own;
    apr_file_t *file;
    char *text = NULL;

    apr_pool_create(&own, pool);
    file = write_file(own, pdf, length, reason);
    if (file != NULL) {
        text = text_of(pool, own, file, limit, text_length, reason);
    } else {
        *reason = apr_pstrdup(pool, *reason);
    }
    apr_pool_destroy(own);
    return text;
}
