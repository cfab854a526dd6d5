#include "unit/fixture.h"

#include "engine/buffer.h"

apr_pool_t *dsc_pool;

int dsc_open_pool(void)
{
    return apr_pool_create(&dsc_pool, NULL) == APR_SUCCESS ? 0 : 1;
}

int dsc_close_pool(void)
{
    apr_pool_destroy(dsc_pool);
    return 0;
}

const char *dsc_swollen(const char *root, int count)
{
    dsc_buffer_t *out = dsc_buffer_create(dsc_pool, 1 << 20);

    dsc_buffer_printf(out, "<%s>%*s\n<a ", root, 10000, "");
    for (int i = 0; i < count; i++) {
        dsc_buffer_printf(out, "a%d='>' ", i);
    }
    dsc_buffer_printf(out, "/></%s>", root);
    return dsc_buffer_text(out);
}
