/* disclosedctl usage: what keys have asked. */
#include "ctl/command.h"

enum {
    OPTION_DAYS = 1
};

static const apr_getopt_option_t own_options[] = {
    {"days", OPTION_DAYS, 1, "number of UTC days, today included [30]"},
    DSC_OPTION_ROW_END,
};

static const dsc_usage_t usage = {
    "usage [KEY_ID] [--days N]",
    "Lists requests by day, key and endpoint, newest first, with the number that was over a limit and\n"
    "the time of the last one. Counts reach the database every few seconds.\n",
    own_options};

static const char usage_sql[] =
    "SELECT u.day, u.key_id, a.owner, u.endpoint, u.requests, u.refused, u.last_used_at"
    " FROM disclosed.key_usage u JOIN disclosed.api_key k USING (key_id)"
    " JOIN disclosed.account a USING (account_id)"
    " WHERE u.day > (now() AT TIME ZONE 'UTC')::date - $1::integer"
    " AND ($2::text IS NULL OR u.key_id = $2) ORDER BY u.day DESC, u.key_id, u.endpoint";

static void print(PGresult *result, int row)
{
    printf("%s  %s  %-30s %10s requests, %s refused, last %.19s  (", PQgetvalue(result, row, 0),
           PQgetvalue(result, row, 1), PQgetvalue(result, row, 3), PQgetvalue(result, row, 4),
           PQgetvalue(result, row, 5), PQgetvalue(result, row, 6));
    dsc_print_value(result, row, 2);
    puts(")");
}

int dsc_command_usage(dsc_context_t *context, int argc, const char *const *argv)
{
    const char *error, *value, *const *arguments, *parameters[2] = {"30", NULL};
    dsc_named_t named = {"SELECT FROM disclosed.api_key WHERE key_id = $1", "key has the id", NULL};
    dsc_options_t options;
    long long number;
    int option, count;

    dsc_options_begin(&options, context, &usage, argc, argv);
    while ((option = dsc_options_next(&options, &value)) > 0) {
        if (!dsc_number_argument(value, 1, 36500, &number)) {
            return dsc_usage_error(context, &usage, "--days takes a number from 1 on: %s", value);
        }
        parameters[0] = value;
    }
    if (option == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    count = dsc_options_rest(&options, &arguments);
    if (count > 1) {
        return dsc_usage_error(context, &usage, "no argument %s is expected", arguments[1]);
    }
    parameters[1] = count == 1 ? arguments[0] : NULL;
    error = count == 1 ? dsc_key_id_error(context->pool, arguments[0]) : NULL;
    if (error != NULL) {
        return dsc_usage_error(context, &usage, "%s", error);
    }
    named.name = parameters[1];
    return dsc_show_named(context, &named, usage_sql, 2, parameters, print);
}
