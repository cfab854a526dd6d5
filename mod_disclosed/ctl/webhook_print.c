/* Webhook endpoints as lines of text. */
#include "ctl/webhook_request.h"

#include <string.h>

const char *dsc_text_of(PGresult *result, int row, const char *column)
{
    return PQgetvalue(result, row, PQfnumber(result, column));
}

void dsc_print_some(PGresult *result, int row, const char *label, const char *column)
{
    const char *text = dsc_text_of(result, row, column);

    if (*text != '\0') {
        fputs(label, stdout);
        dsc_print_shown(stdout, text, strlen(text));
    }
}

void dsc_print_time(PGresult *result, int row, const char *label, const char *column)
{
    const char *text = dsc_text_of(result, row, column);

    if (*text != '\0') {
        printf("%s%.19s", label, text);
    }
}

/* A JSON array of plain words: without its punctuation. */
static void print_words(const char *json)
{
    for (; *json != '\0'; json++) {
        if (strchr("[]\"", *json) == NULL) {
            putchar(*json);
        }
    }
}

void dsc_webhook_print(PGresult *result, int row)
{
    printf("%6s", dsc_text_of(result, row, "endpoint_id"));
    dsc_print_some(result, row, "  ", "owner");
    dsc_print_some(result, row, "  ", "url");
    fputs("\n        ", stdout);
    print_words(dsc_text_of(result, row, "topics"));
    printf("  secret %s...  %s", dsc_text_of(result, row, "secret_hint"),
           dsc_text_of(result, row, "state"));
    dsc_print_some(result, row, ": ", "disabled_reason");
    dsc_print_time(result, row, " since ", "disabled_at");
    dsc_print_time(result, row, ", failing since ", "failing_since");
    dsc_print_time(result, row, ", old secret signs until ", "previous_until");
    printf(", %s waiting, created %.19s\n", dsc_text_of(result, row, "waiting"),
           dsc_text_of(result, row, "created_at"));
}
