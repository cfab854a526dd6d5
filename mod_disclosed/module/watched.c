#include "module/watched.h"

#include <stdlib.h>

int dsc_needed_schema(void)
{
    return atoi(DISCLOSED_LAST_MIGRATION);
}
