/* disclosedctl credits: ask credits of accounts. */
#include "ctl/command.h"

#include <string.h>

enum {
    OPTION_NOTE = 1
};

static const apr_getopt_option_t own_options[] = {
    {"note", OPTION_NOTE, 1, "top-up: the reason, for the record"},
    DSC_OPTION_ROW_END,
};

static const dsc_usage_t usage = {
    "credits show [OWNER] | credits top-up OWNER NUMBER [--note TEXT]",
    "show     lists the used part of the month's allowance (UTC), and the top-ups, of accounts\n"
    "top-up   adds credits; they are used after the month's allowance, and do not expire\n",
    own_options};

static const char show_sql[] =
    "SELECT a.owner, a.account_id,"
    " coalesce(CASE WHEN b.month = disclosed.this_month() THEN b.month_used END, 0) AS month_used,"
    " coalesce(b.topped_up, 0) AS topped_up,"
    " (SELECT count(*) FROM disclosed.credit_entry e WHERE e.account_id = a.account_id"
    "  AND e.kind = 'reservation' AND e.closed_at IS NULL) AS open_reservations"
    " FROM disclosed.account a LEFT JOIN disclosed.credit_balance b USING (account_id)"
    " WHERE $1::text IS NULL OR a.owner = $1 ORDER BY a.owner";

static const char top_up_sql[] =
    "SELECT a.owner, a.account_id, NULL::bigint AS month_used,"
    " disclosed.top_up_credits(a.account_id, $2::bigint, $3) AS topped_up,"
    " NULL::bigint AS open_reservations FROM disclosed.account a WHERE a.owner = $1";

static void print(PGresult *result, int row)
{
    dsc_print_value(result, row, 0);
    printf(": %s credits topped up", PQgetvalue(result, row, 3));
    if (!PQgetisnull(result, row, 2)) {
        printf(", %s used of this month's allowance, %s reservations open",
               PQgetvalue(result, row, 2), PQgetvalue(result, row, 4));
    }
    putchar('\n');
}

static int top_up(dsc_context_t *context, const char *owner, const char *number, const char *note)
{
    const char *parameters[] = {owner, number, note};
    long long credits;

    if (!dsc_number_argument(number, 1, 1000000000LL, &credits)) {
        return dsc_usage_error(context, &usage, "not a number of credits: %s", number);
    }
    return dsc_show(context, top_up_sql, 3, parameters, print, "no account has that name");
}

int dsc_command_credits(dsc_context_t *context, int argc, const char *const *argv)
{
    const char *value, *note = NULL, *const * arguments;
    dsc_options_t options;
    int option, count;

    dsc_options_begin(&options, context, &usage, argc, argv);
    while ((option = dsc_options_next(&options, &value)) > 0) {
        note = value;
    }
    if (option == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    count = dsc_options_rest(&options, &arguments);
    if (count >= 1 && count <= 2 && strcmp(arguments[0], "show") == 0) {
        if (note != NULL) {
            return dsc_usage_error(context, &usage, "credits show takes no --note");
        }
        const char *parameters[] = {count == 2 ? arguments[1] : NULL};
        return dsc_show(context, show_sql, 1, parameters, print,
                        count == 2 ? "no account has that name" : NULL);
    }
    if (count == 3 && strcmp(arguments[0], "top-up") == 0) {
        return top_up(context, arguments[1], arguments[2], note);
    }
    return dsc_words_error(context, &usage, count, arguments,
                           "what is to be done with whose credits?");
}
