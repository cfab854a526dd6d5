/* disclosedctl tables: the tables of endpoints, datasets and importers, for tools. */
#include "ctl/command.h"

#include "datasets/datasets.h"
#include "describe/tables.h"
#include "sources/importers.h"

#include <stdlib.h>

static const dsc_usage_t usage = {
    "tables",
    "Lists the endpoints and the datasets. With --json it prints everything in their tables:\n"
    "parameters, fields and their SQL, columns, sources; and the importers.\n",
    NULL};

static json_t *importers_json(void)
{
    json_t *importers = json_array();
    const dsc_importer_t *importer;

    for (importer = dsc_importers; importer->name != NULL; importer++) {
        json_array_append_new(importers, json_pack("{s:s, s:s}", "name", importer->name,
                                                   "description", importer->description));
    }
    return importers;
}

static int print_json(const dsc_context_t *context)
{
    json_t *tables = dsc_tables_json();
    char *text;

    json_object_set_new(tables, "importers", importers_json());
    text = json_dumps(tables, JSON_INDENT(1));
    json_decref(tables);
    if (text == NULL) {
        dsc_print_error(context, "the tables cannot be written as JSON");
        return DSC_EXIT_FAILED;
    }
    puts(text);
    free(text);
    return DSC_EXIT_OK;
}

static void print_names(void)
{
    int i;

    for (i = 0; dsc_endpoints[i] != NULL; i++) {
        printf("%-28s %-6s %s\n", dsc_endpoints[i]->name, dsc_endpoints[i]->method,
               dsc_endpoints[i]->path);
    }
    puts("");
    for (i = 0; dsc_datasets[i] != NULL; i++) {
        printf("%-28s %s\n", dsc_datasets[i]->name, dsc_datasets[i]->description);
    }
}

int dsc_command_tables(dsc_context_t *context, int argc, const char *const *argv)
{
    const char *const *arguments;
    const char *value;
    dsc_options_t options;

    dsc_options_begin(&options, context, &usage, argc, argv);
    if (dsc_options_next(&options, &value) == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    if (dsc_options_rest(&options, &arguments) > 0) {
        return dsc_usage_error(context, &usage, "no argument is taken");
    }
    if (context->json) {
        return print_json(context);
    }
    print_names();
    return DSC_EXIT_OK;
}
