/* disclosedctl provider: from whom data may come. */
#include "ctl/command.h"

#include <string.h>

static const dsc_usage_t usage = {
    "provider list | provider add NAME DESCRIPTION | provider remove NAME",
    "list     lists the providers that records may name as their source_provider\n"
    "add      declares a provider, or changes its description; NAME: lower-case letters, digits and _\n"
    "remove   removes a provider that no record names\n",
    NULL};

static const char list_sql[] =
    "SELECT provider, description FROM disclosed.source_provider ORDER BY provider";

/* What is served of providers changes with it, and so do the versions that ETags name. */
#define TOLD                                                                                       \
    ", told AS (UPDATE disclosed.dataset_stat SET version = version + 1 WHERE EXISTS (SELECT FROM changed))"

static const char add_sql[] =
    "WITH changed AS (INSERT INTO disclosed.source_provider (provider, description)"
    " SELECT $1, $2 WHERE $1 ~ '^[a-z][a-z0-9_]{0,39}$' AND btrim($2) <> ''"
    " ON CONFLICT (provider) DO UPDATE SET description = excluded.description"
    " RETURNING provider, description)" TOLD " SELECT provider, description FROM changed";

static const char remove_sql[] =
    "WITH changed AS (DELETE FROM disclosed.source_provider WHERE provider = $1"
    " RETURNING provider, description)" TOLD " SELECT provider, description FROM changed";

static void print(PGresult *result, int row)
{
    printf("%-20s ", PQgetvalue(result, row, 0));
    dsc_print_value(result, row, 1);
    fputc('\n', stdout);
}

int dsc_command_provider(dsc_context_t *context, int argc, const char *const *argv)
{
    const char *value, *const *arguments;
    dsc_options_t options;
    int option, count;

    dsc_options_begin(&options, context, &usage, argc, argv);
    option = dsc_options_next(&options, &value);
    if (option == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    count = dsc_options_rest(&options, &arguments);
    if (count == 1 && strcmp(arguments[0], "list") == 0) {
        return dsc_show(context, list_sql, 0, NULL, print, NULL);
    }
    if (count == 3 && strcmp(arguments[0], "add") == 0) {
        return dsc_show(context, add_sql, 2, arguments + 1, print,
                        "a provider has a name of up to 40 lower-case letters, digits and _, a "
                        "letter first, and a description");
    }
    if (count == 2 && strcmp(arguments[0], "remove") == 0) {
        return dsc_show(context, remove_sql, 1, arguments + 1, print, "no provider has that name");
    }
    return dsc_words_error(context, &usage, count, arguments,
                           "what is to be done with which provider?");
}
