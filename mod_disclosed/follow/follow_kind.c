/* Looking things up in the rows of a source. */
#include "follow/follow_table.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

const dsc_follow_kind_t *dsc_follow_find_kind(const dsc_follow_source_t *source, const char *kind)
{
    const dsc_follow_kind_t *found;

    for (found = source->kinds; found->kind != NULL; found++) {
        if (strcmp(found->kind, kind) == 0) {
            return found;
        }
    }
    return NULL;
}

const dsc_follow_source_t *dsc_follow_find_source(const dsc_follow_source_t *sources,
                                                  const char *name)
{
    for (; sources->name != NULL; sources++) {
        if (strcmp(sources->name, name) == 0) {
            return sources;
        }
    }
    return NULL;
}

/* ---------------------------------------------------------------------- addresses */

/* Bytes of "https://host:port" at its beginning. */
static size_t origin_length(const char *url)
{
    const char *host = strstr(url, "://");

    return host == NULL ? 0 : (size_t)(host - url) + 3 + strcspn(host + 3, "/?#");
}

static int is_there(const char *url, const char *origin)
{
    size_t length = origin_length(origin);

    return url != NULL && length > 0 && origin_length(url) == length &&
           strncmp(url, origin, length) == 0;
}

static int asks(const dsc_follow_source_t *source, const char *origin)
{
    const dsc_follow_listing_t *listing = source->listings;
    const dsc_follow_file_t *file = source->files;
    const dsc_follow_kind_t *kind = source->kinds;
    int found = 0;

    for (; listing != NULL && listing->name != NULL; listing++) {
        found |= is_there(listing->url, origin);
    }
    for (; file != NULL && file->kind != NULL; file++) {
        found |= is_there(file->url, origin);
    }
    for (; kind->kind != NULL; kind++) {
        found |= is_there(kind->url, origin);
    }
    return found;
}

int dsc_follow_has_origin(const dsc_follow_source_t *sources, const char *url)
{
    for (; sources->name != NULL; sources++) {
        if (asks(sources, url)) {
            return 1;
        }
    }
    return 0;
}

/* What stands for a word in braces. */
static const char *value_of(apr_pool_t *pool, const char *word, const dsc_address_values_t *place)
{
    const char *part = place->part;

    if (strncmp(word, "{start}", 7) == 0) {
        return apr_itoa(pool, place->start);
    }
    if (strncmp(word, "{cik}", 5) == 0) {
        return apr_psprintf(pool, "%010" APR_INT64_T_FMT, apr_atoi64(place->cik));
    }
    if (strncmp(word, "{year}", 6) == 0) {
        return apr_pstrmemdup(pool, part, 4);
    }
    if (strncmp(word, "{quarter}", 9) == 0) {
        return apr_itoa(pool, (atoi(part + 5) + 2) / 3);
    }
    return apr_psprintf(pool, "%.4s%.2s%.2s", part, part + 5, part + 8); /* {day} */
}

const char *dsc_follow_address(apr_pool_t *pool, const char *url, const dsc_address_values_t *place)
{
    const char *address = "", *open, *close;

    while ((open = strchr(url, '{')) != NULL && (close = strchr(open, '}')) != NULL) {
        address = apr_pstrcat(pool, address, apr_pstrmemdup(pool, url, (apr_size_t)(open - url)),
                              value_of(pool, open, place), NULL);
        url = close + 1;
    }
    return apr_pstrcat(pool, address, url, NULL);
}
