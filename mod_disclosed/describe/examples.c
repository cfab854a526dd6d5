#include "describe/examples.h"

static const char text[] =
#include "examples.inc"
    ;

json_t *dsc_examples(void)
{
    return json_loads(text, 0, NULL);
}
