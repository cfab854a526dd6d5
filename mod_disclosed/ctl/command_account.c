/* disclosedctl account: whom keys belong to. */
#include "ctl/command.h"

#include <string.h>

static const dsc_usage_t usage = {
    "account list | account rename OWNER NEW_OWNER",
    "list     lists accounts with their valid keys, today's requests and credits\n"
    "rename   gives an account another name\n",
    NULL};

static const char list_sql[] =
    "SELECT a.account_id, a.owner, a.created_at,"
    " (SELECT count(*) FROM disclosed.api_key k WHERE k.account_id = a.account_id"
    "  AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())) AS keys,"
    " coalesce((SELECT d.requests FROM disclosed.account_day d WHERE d.account_id = a.account_id"
    "  AND d.kind = 'live' AND d.day = (now() AT TIME ZONE 'UTC')::date), 0) AS requests_today,"
    " coalesce((SELECT b.topped_up FROM disclosed.credit_balance b"
    "  WHERE b.account_id = a.account_id), 0) AS topped_up_credits"
    " FROM disclosed.account a ORDER BY a.account_id";

static const char rename_sql[] =
    "UPDATE disclosed.account SET owner = $2 WHERE owner = $1"
    " RETURNING account_id, owner, created_at, NULL::bigint AS keys,"
    " NULL::bigint AS requests_today, NULL::bigint AS topped_up_credits";

static void print(PGresult *result, int row)
{
    printf("%6s  ", PQgetvalue(result, row, 0));
    dsc_print_value(result, row, 1);
    printf("  created %.19s", PQgetvalue(result, row, 2));
    if (!PQgetisnull(result, row, 3)) {
        printf("  %s keys, %s requests today, %s credits topped up", PQgetvalue(result, row, 3),
               PQgetvalue(result, row, 4), PQgetvalue(result, row, 5));
    }
    putchar('\n');
}

/* Names of accounts are theirs alone. */
static int rename_account(dsc_context_t *context, const char *const *names)
{
    static const char taken_sql[] =
        "SELECT FROM disclosed.account WHERE owner = $2 AND owner <> $1";
    dsc_connection_t *connection;
    PGresult *taken;
    int rows, exit_code = dsc_connect(context, context->pool, &connection);

    if (exit_code != DSC_EXIT_OK) {
        return exit_code;
    }
    taken = dsc_query(context, connection, taken_sql, 2, names);
    rows = taken == NULL ? -1 : PQntuples(taken);
    PQclear(taken);
    if (rows > 0) {
        dsc_print_error(context, "another account has the name %s", names[1]);
    }
    return rows == 0 ? dsc_show_on(context, connection, rename_sql, 2, names, print,
                                   "no account has that name")
                     : DSC_EXIT_FAILED;
}

int dsc_command_account(dsc_context_t *context, int argc, const char *const *argv)
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
    if (count == 3 && strcmp(arguments[0], "rename") == 0 && *arguments[2] != '\0') {
        if (!dsc_is_name(arguments[2])) {
            return dsc_usage_error(context, &usage, "NEW_OWNER " DSC_NAME_RULE);
        }
        return rename_account(context, arguments + 1);
    }
    return dsc_words_error(context, &usage, count, arguments,
                           "what is to be done with which account?");
}
