#include "formats/json_document.h"

#include "engine/utf8.h"

#include <apr_strings.h>

static apr_status_t release(void *root)
{
    json_decref(root);
    return APR_SUCCESS;
}

json_t *dsc_json_parse(apr_pool_t *pool, const char *text, size_t length, size_t flags,
                       const char **reason)
{
    size_t mark = dsc_utf8_mark(text, length);
    json_error_t error;
    json_t *root = json_loadb(text + mark, length - mark, JSON_REJECT_DUPLICATES | flags, &error);

    if (root == NULL) {
        *reason = apr_psprintf(pool, "not JSON: line %d, column %d: %s", error.line, error.column,
                               error.text);
        return NULL;
    }
    apr_pool_cleanup_register(pool, root, release, apr_pool_cleanup_null);
    return root;
}

json_t *dsc_json_read(dsc_import_file_t *file, apr_pool_t *pool, const char **reason)
{
    size_t length;
    const char *text = dsc_import_read_all(file, pool, DSC_LARGEST_WHOLE, &length, reason);

    return text == NULL ? NULL : dsc_json_parse(pool, text, length, 0, reason);
}
