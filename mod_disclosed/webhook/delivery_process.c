#include "webhook/delivery_process.h"

#include "engine/digest.h"

#include <apr_escape.h>
#include <apr_file_io.h>
#include <apr_network_io.h>
#include <apr_strings.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The beginning of a small file; "" if it cannot be read. */
static const char *beginning(apr_pool_t *pool, const char *path)
{
    apr_file_t *file;
    char *text = apr_pcalloc(pool, 1024);
    apr_size_t length = 0;
    if (apr_file_open(&file, path, APR_FOPEN_READ, 0, pool) == APR_SUCCESS) {
        (void)apr_file_read_full(file, text, 1023, &length);
        apr_file_close(file);
    }
    text[length] = '\0';
    return text;
}

/* The number that Linux gives a namespace of process IDs; "" on other systems. */
static const char *namespace_of(apr_pool_t *pool)
{
    char text[128];
    ssize_t length = readlink("/proc/self/ns/pid", text, sizeof(text));
    return length > 0 ? apr_pstrmemdup(pool, text, (apr_size_t)length) : "";
}

const char *dsc_process_host(apr_pool_t *pool)
{
    char name[APRMAXHOSTLEN + 1] = "";
    unsigned char digest[DSC_SHA256_SIZE];
    const char *all;
    apr_gethostname(name, APRMAXHOSTLEN, pool);
    all = apr_pstrcat(pool, name, "\n", beginning(pool, "/proc/sys/kernel/random/boot_id"), "\n",
                      namespace_of(pool), NULL);
    dsc_sha256(all, strlen(all), digest);
    return apr_pescape_hex(pool, digest, 8, 0);
}

/* When a process began, in ticks since the boot: field 22 of Linux, the 20th behind the name. "0":
 * not known. */
static const char *start_of(apr_pool_t *pool, long number)
{
    const char *line = beginning(pool, apr_psprintf(pool, "/proc/%ld/stat", number));
    const char *field = strrchr(line, ')');
    int i;
    for (i = 0; field && i < 20; i++) {
        field = strchr(field + 1, ' ');
    }
    return field ? apr_psprintf(pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)strtoull(field, NULL, 10))
                 : "0";
}

const char *dsc_process_name(apr_pool_t *pool)
{
    static _Atomic int instances;
    return apr_psprintf(pool, "%s/%ld.%s.%d", dsc_process_host(pool), (long)getpid(),
                        start_of(pool, (long)getpid()), atomic_fetch_add(&instances, 1));
}

int dsc_process_is_gone(apr_pool_t *pool, const char *name)
{
    const char *host = dsc_process_host(pool);
    size_t length = strlen(host);
    const char *start, *present;
    char *end;
    long number;
    if (strncmp(name, host, length) != 0 || name[length] != '/') {
        return 0;
    }
    number = strtol(name + length + 1, &end, 10);
    if (number <= 0 || *end != '.') {
        return 0;
    }
    if (kill((pid_t)number, 0) != 0 && errno == ESRCH) {
        return 1;
    }
    start = end + 1;
    present = start_of(pool, number);
    length = strlen(present);
    return strcmp(present, "0") != 0 && start[0] != '0' &&
           (strncmp(start, present, length) != 0 || start[length] != '.');
}
