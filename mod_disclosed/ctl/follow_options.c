#include "ctl/follow_options.h"

#include "ctl/command.h"
#include "follow/follow_table.h"

#include <errno.h>
#include <sys/stat.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One list of mirrors does for both commands. */
static int is_asked(const char *origin)
{
    return dsc_follow_has_origin(dsc_follow_sources, origin) ||
           dsc_follow_has_origin(dsc_bootstrap_sources, origin);
}

const char *dsc_follow_add_mirror(apr_pool_t *pool, apr_array_header_t *mirrors, const char *text)
{
    const char *url = strchr(text, '=');
    dsc_follow_mirror_t mirror;

    if (url == NULL || strncmp(text, "https://", 8) != 0 ||
        (strncmp(url + 1, "http://", 7) != 0 && strncmp(url + 1, "https://", 8) != 0)) {
        return "--mirror takes https://ORIGIN=URL";
    }
    mirror.origin = apr_pstrmemdup(pool, text, (apr_size_t)(url - text));
    mirror.url = apr_pstrdup(pool, url + 1);
    if (mirror.url[strlen(mirror.url) - 1] == '/' ||
        mirror.origin[strlen(mirror.origin) - 1] == '/') {
        return "--mirror takes origin and URL without a slash at their ends";
    }
    if (!is_asked(mirror.origin)) {
        return "--mirror: no source is at that origin";
    }
    APR_ARRAY_PUSH(mirrors, dsc_follow_mirror_t) = mirror;
    return NULL;
}

const char *dsc_follow_add_mirrors(apr_pool_t *pool, apr_array_header_t *mirrors)
{
    const char *list = getenv("DISCLOSED_MIRRORS"), *error;
    char *state, *copy = apr_pstrdup(pool, list ? list : ""), *text;

    for (text = apr_strtok(copy, ", ", &state); text != NULL;
         text = apr_strtok(NULL, ", ", &state)) {
        if ((error = dsc_follow_add_mirror(pool, mirrors, text)) != NULL) {
            return apr_pstrcat(pool, "DISCLOSED_MIRRORS: ", error, ": ", text, NULL);
        }
    }
    return NULL;
}

int dsc_is_folder_argument(const char *text)
{
    struct stat info;

    return *text != '\0' && (stat(text, &info) != 0 ? errno == ENOENT : S_ISDIR(info.st_mode));
}

apr_int64_t dsc_bytes_argument(const char *text)
{
    static const char units[] = "KMGT";
    size_t digits = strspn(text, "0123456789");
    const char *unit = text[digits] == '\0' ? NULL : strchr(units, text[digits]);
    int shift = unit == NULL ? 0 : (int)(10 * (unit - units + 1));
    apr_int64_t number;

    if (digits == 0 || digits > 9 ||
        (text[digits] != '\0' && (unit == NULL || text[digits + 1] != '\0'))) {
        return 0;
    }
    number = apr_atoi64(text);
    return number > (APR_INT64_MAX >> shift) ? 0 : number << shift;
}

dsc_connection_t *dsc_follow_connect(void *baton, apr_pool_t *pool, const char **reason)
{
    return dsc_try_connect(baton, pool, reason);
}

void dsc_follow_print(void *baton, int is_failure, const char *line)
{
    const dsc_context_t *context = baton;

    if (is_failure || context->json) {
        fprintf(stderr, "%s\n", line);
    } else {
        puts(line);
        fflush(stdout);
    }
}
