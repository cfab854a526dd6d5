/* disclosedctl schema: the JSON Schema of NDJSON lines. */
#include "ctl/command.h"

#include "sources/ndjson/ndjson.h"

static const dsc_usage_t usage = {
    "schema [DATASET]",
    "Prints the JSON Schema (2020-12) of the lines that `import ndjson` takes for a dataset.\n"
    "Without a dataset it lists the datasets; with --json it prints an object of all schemas.\n",
    NULL};

static void print_all(dsc_context_t *context)
{
    dsc_buffer_t *json = dsc_buffer_create(context->pool, 16384);
    const char *separator = "{";
    int i;

    for (i = 0; dsc_datasets[i] != NULL; i++) {
        if (dsc_datasets[i]->flags & DSC_DERIVED) {
            continue;
        }
        dsc_buffer_printf(json, "%s\"%s\":", separator, dsc_datasets[i]->name);
        dsc_ndjson_schema(json, dsc_datasets[i]);
        separator = ",\n";
    }
    dsc_buffer_append_char(json, '}');
    puts(dsc_buffer_text(json));
}

static void print_names(void)
{
    int i;

    for (i = 0; dsc_datasets[i] != NULL; i++) {
        if (dsc_datasets[i]->flags & DSC_DERIVED) {
            continue;
        }
        printf("%-16s %s\n", dsc_datasets[i]->name, dsc_datasets[i]->description);
    }
}

static int print_schema(const dsc_context_t *context, const char *name)
{
    const dsc_dataset_t *dataset = dsc_dataset_find(name);
    dsc_buffer_t *json = dsc_buffer_create(context->pool, 8192);

    if (dataset == NULL || (dataset->flags & DSC_DERIVED)) {
        return dsc_usage_error(context, &usage, "no dataset %s", name);
    }
    dsc_ndjson_schema(json, dataset);
    puts(dsc_buffer_text(json));
    return DSC_EXIT_OK;
}

int dsc_command_schema(dsc_context_t *context, int argc, const char *const *argv)
{
    const char *const *arguments;
    const char *value;
    dsc_options_t options;
    int count;

    dsc_options_begin(&options, context, &usage, argc, argv);
    if (dsc_options_next(&options, &value) == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    count = dsc_options_rest(&options, &arguments);
    if (count > 1) {
        return dsc_usage_error(context, &usage, "one dataset at a time");
    }
    if (count == 1) {
        return print_schema(context, arguments[0]);
    }
    if (context->json) {
        print_all(context);
    } else {
        print_names();
    }
    return DSC_EXIT_OK;
}
