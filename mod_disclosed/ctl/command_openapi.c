/* disclosedctl openapi: the OpenAPI document of a surface, without a server. */
#include "ctl/command.h"

#include "describe/openapi.h"

enum {
    OPTION_BASE_URL = 300,
    OPTION_SURFACE
};

static const apr_getopt_option_t own_options[] = {
    {"base-url", OPTION_BASE_URL, 1,
     "URL: the URL before its paths (default http://127.0.0.1:8080)"},
    {"surface", OPTION_SURFACE, 1, "NAME: public (default), or earlier: /api/disclosed/v1"},
    DSC_OPTION_ROW_END,
};

static const dsc_usage_t usage = {
    "openapi [--base-url URL] [--surface NAME]",
    "Prints the OpenAPI 3.1 document of a surface with all its endpoints. A server on which no\n"
    "endpoint is off serves the same at /v1/openapi.json or /api/disclosed/v1/openapi.json.\n",
    own_options};

int dsc_command_openapi(dsc_context_t *context, int argc, const char *const *argv)
{
    dsc_buffer_t *document = dsc_buffer_create(context->pool, 65536);
    const dsc_surface_t *surface = &dsc_surfaces[DSC_SURFACE_PUBLIC];
    dsc_service_t service = {0};
    const char *const *arguments;
    const char *value;
    dsc_options_t options;
    int option;

    service.base_url = "http://127.0.0.1:8080";
    dsc_options_begin(&options, context, &usage, argc, argv);
    while ((option = dsc_options_next(&options, &value)) != DSC_OPTIONS_END) {
        if (option == DSC_OPTIONS_STOP) {
            return options.exit_code;
        }
        if (option == OPTION_BASE_URL) {
            service.base_url = value;
        } else if (!(surface = dsc_surface_find(value))) {
            return dsc_usage_error(context, &usage, "--surface is public or earlier");
        }
    }
    if (dsc_options_rest(&options, &arguments) > 0) {
        return dsc_usage_error(context, &usage, "openapi takes no arguments");
    }
    service.registry = dsc_registry_create(context->pool, dsc_endpoints);
    dsc_openapi_write(document, &service, surface);
    puts(dsc_buffer_text(document));
    return DSC_EXIT_OK;
}
