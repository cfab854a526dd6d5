#include "unit/fixture.h"

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
