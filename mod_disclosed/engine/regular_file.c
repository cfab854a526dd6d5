#include "engine/regular_file.h"

#include <apr_file_info.h>
#include <apr_strings.h>

static const char *name_of(apr_filetype_e type)
{
    switch (type) {
    case APR_DIR:
        return "a directory";
    case APR_PIPE:
        return "a FIFO";
    case APR_SOCK:
        return "a socket";
    case APR_CHR:
    case APR_BLK:
        return "a device";
    default:
        return "something else";
    }
}

const char *dsc_regular_file_error(apr_pool_t *pool, const char *path)
{
    apr_finfo_t info;
    apr_status_t rv = apr_stat(&info, path, APR_FINFO_TYPE, pool);

    if (rv != APR_SUCCESS) {
        return apr_psprintf(pool, "cannot open %s: %pm", path, &rv);
    }
    return info.filetype == APR_REG
               ? NULL
               : apr_psprintf(pool, "%s is %s, not a file", path, name_of(info.filetype));
}
