/* Examples of requests and their responses, taken from a server with the demo data:
 * docs/examples.json. */
#ifndef DSC_EXAMPLES_H
#define DSC_EXAMPLES_H

#include <jansson.h>

/* By operation: {"target", "parameters", "request", "body"}, those that it has. The caller releases
 * it. */
json_t *dsc_examples(void);

#endif
