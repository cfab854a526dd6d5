/* disclosedctl audit: who changed keys, accounts, credits and webhook endpoints. */
#include "ctl/command.h"

enum {
    OPTION_KEY = 1
};

static const apr_getopt_option_t own_options[] = {
    {"key", OPTION_KEY, 1, "only changes of that key, and of webhook endpoints made with it"},
    DSC_OPTION_ROW_LIMIT("50"),
    DSC_OPTION_ROW_END,
};

static const dsc_usage_t usage = {
    "audit [--key KEY_ID] [--limit N]",
    "Lists changes of accounts, keys, topped-up credits and webhook endpoints, newest first: the time,\n"
    "the role of the database and the user of this machine, the change, and the value before it.\n",
    own_options};

static const char audit_sql[] =
    "SELECT at AS changed_at, actor, action, account_id, key_id, before::json AS before,"
    " after::json AS after FROM disclosed.access_audit"
    " WHERE $2::text IS NULL OR key_id = $2 ORDER BY audit_id DESC LIMIT $1";

static void print_state(const char *label, PGresult *result, int row, int column)
{
    if (!PQgetisnull(result, row, column)) {
        fputs(label, stdout);
        dsc_print_value(result, row, column);
        fputc('\n', stdout);
    }
}

static void print(PGresult *result, int row)
{
    printf("%.19s  %-20s %-16s account %s%s%s\n", PQgetvalue(result, row, 0),
           PQgetvalue(result, row, 1), PQgetvalue(result, row, 2), PQgetvalue(result, row, 3),
           PQgetisnull(result, row, 4) ? "" : ", key ", PQgetvalue(result, row, 4));
    print_state("        before ", result, row, 5);
    print_state("        after  ", result, row, 6);
}

int dsc_command_audit(dsc_context_t *context, int argc, const char *const *argv)
{
    const char *error, *value, *const *arguments, *parameters[2] = {"50", NULL};
    dsc_named_t named = {"SELECT FROM (SELECT key_id FROM disclosed.api_key"
                         " UNION SELECT key_id FROM disclosed.access_audit) k WHERE key_id = $1",
                         "key has the id", NULL};
    dsc_options_t options;
    long long number;
    int option;

    dsc_options_begin(&options, context, &usage, argc, argv);
    while ((option = dsc_options_next(&options, &value)) > 0) {
        if (option == DSC_OPTION_LIMIT && !dsc_number_argument(value, 1, 1000000000LL, &number)) {
            return dsc_usage_error(context, &usage, "--limit takes a number from 1 on: %s", value);
        }
        parameters[option == OPTION_KEY] = value;
    }
    if (option == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    if (dsc_options_rest(&options, &arguments) > 0) {
        return dsc_usage_error(context, &usage, "no argument %s is expected", arguments[0]);
    }
    named.name = parameters[OPTION_KEY];
    error = named.name == NULL ? NULL : dsc_key_id_error(context->pool, named.name);
    if (error != NULL) {
        return dsc_usage_error(context, &usage, "%s", error);
    }
    return dsc_show_named(context, &named, audit_sql, 2, parameters, print);
}
