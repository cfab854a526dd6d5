#include "sources/shared/thousands.h"

#include <apr_strings.h>
#include <string.h>

const char *dsc_plain_thousands(const char *text, char *space, size_t size)
{
    size_t length = strlen(text), first = strcspn(text, ","), group;
    char *out = space;

    if (length >= size) {
        return NULL;
    }
    if (!text[first]) {
        return memcpy(space, text, length + 1);
    }
    if (first < 1 || first > 3 || *text == '0' || strspn(text, "0123456789") != first) {
        return NULL;
    }
    out = apr_cpystrn(out, text, first + 1);
    for (text += first; *text == ','; text += group) {
        text++;
        group = strspn(text, "0123456789");
        if (group != 3) {
            return NULL;
        }
        out = apr_cpystrn(out, text, group + 1);
    }
    if (*text && *text != '.') {
        return NULL;
    }
    memcpy(out, text, strlen(text) + 1);
    return space;
}

const char *dsc_without_thousands(apr_pool_t *pool, const char *text)
{
    size_t size = strlen(text) + 1;

    return dsc_plain_thousands(text, apr_palloc(pool, size), size);
}
