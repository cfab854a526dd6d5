/* Single values of periodic transaction reports, brought into the form that is stored. */
#include "sources/congress/congress_value.h"

#include "engine/buffer.h"
#include "formats/html_text.h"
#include "loader/loader_value.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* What sources write if there is nothing. */
static int says_nothing(const char *text)
{
    static const char *const nothing[] = {"", "-", "--", "N/A", "None", "null", NULL};
    int i;

    for (i = 0; nothing[i] != NULL; i++) {
        if (strcasecmp(nothing[i], text) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether there is an element or an entity in it: "AT&T" and "< $1,000" are plain. */
static int is_markup(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<' && (apr_isalpha(text[1]) || text[1] == '/')) {
            return 1;
        }
        if (*text == '&' && (apr_isalpha(text[1]) || text[1] == '#') &&
            text[1 + strcspn(text + 1, "; &<")] == ';') {
            return 1;
        }
    }
    return 0;
}

const char *dsc_congress_line(apr_pool_t *pool, const char *text)
{
    char *line, *to;

    if (text == NULL) {
        return NULL;
    }
    line = to = apr_palloc(pool, strlen(text) + 1);
    for (; *text != '\0'; text++) {
        if (!apr_isspace(*text)) {
            *to++ = *text;
        } else if (to > line && to[-1] != ' ') {
            *to++ = ' ';
        }
    }
    to -= to > line && to[-1] == ' ';
    *to = '\0';
    return to == line ? NULL : line;
}

/* Some texts have been escaped twice: "McDonald&amp;apos;s". */
const char *dsc_congress_text(apr_pool_t *pool, const char *text)
{
    int times;

    for (times = 0; times < 2 && text != NULL && is_markup(text); times++) {
        dsc_buffer_t *plain = dsc_buffer_create(pool, strlen(text) + 1);
        text = dsc_html_to_text(plain, text, strlen(text)) ? dsc_buffer_text(plain) : text;
    }
    text = dsc_congress_line(pool, text);
    return text == NULL || says_nothing(text) ? NULL : text;
}

static const char *upper(apr_pool_t *pool, const char *text)
{
    char *copy = apr_pstrdup(pool, text), *at;

    for (at = copy; *at != '\0'; at++) {
        *at = (char)apr_toupper(*at);
    }
    return copy;
}

static const char *lower(apr_pool_t *pool, const char *text)
{
    char *copy = apr_pstrdup(pool, text), *at;

    for (at = copy; *at != '\0'; at++) {
        *at = (char)apr_tolower(*at);
    }
    return copy;
}

/* BRK.B and BRK/B are BRK-B; suffixes of exchanges (RDSA.AS) stay. */
static const char *plain_class(apr_pool_t *pool, const char *ticker)
{
    size_t length = strlen(ticker), i;
    char *copy = apr_pstrdup(pool, ticker);

    for (i = 0; i < length && apr_isupper(ticker[i]); i++) {
    }
    if (i > 0 && i + 2 == length && (ticker[i] == '.' || ticker[i] == '/') &&
        apr_isupper(ticker[i + 1])) {
        copy[i] = '-';
    }
    return copy;
}

const char *dsc_congress_ticker(apr_pool_t *pool, const char *text)
{
    const char *word, *line = dsc_congress_text(pool, text);
    char *rest = line == NULL ? NULL : apr_pstrdup(pool, line), *state;

    for (word = rest == NULL ? NULL : apr_strtok(rest, " ,;", &state); word != NULL;
         word = apr_strtok(NULL, " ,;", &state)) {
        if (!says_nothing(word)) {
            return plain_class(pool, upper(pool, word));
        }
    }
    return NULL;
}

const char *dsc_congress_owner(apr_pool_t *pool, const char *text)
{
    static const struct {
        const char *source, *owner;
    } owners[] = {{"sp", "spouse"},
                  {"jt", "joint"},
                  {"dc", "child"},
                  {"dependent", "child"},
                  {"dependent child", "child"}};
    const char *owner = dsc_congress_text(pool, text);
    size_t i;

    if (owner == NULL) {
        return NULL;
    }
    owner = lower(pool, owner);
    for (i = 0; i < sizeof(owners) / sizeof(owners[0]); i++) {
        if (strcmp(owners[i].source, owner) == 0) {
            return owners[i].owner;
        }
    }
    return owner;
}

/* The letters of a text in lower case: "Sale (Partial)", "sale_partial": salepartial. */
static const char *letters(apr_pool_t *pool, const char *text)
{
    char *copy = apr_palloc(pool, strlen(text) + 1), *to = copy;

    for (; *text != '\0'; text++) {
        if (apr_isalpha(*text)) {
            *to++ = (char)apr_tolower(*text);
        }
    }
    *to = '\0';
    return copy;
}

const char *dsc_congress_type(apr_pool_t *pool, const char *text)
{
    static const struct {
        const char *source, *type;
    } types[] = {{"purchase", "purchase"},
                 {"p", "purchase"},
                 {"sale", "sale"},
                 {"salefull", "sale"},
                 {"s", "sale"},
                 {"salepartial", "sale_partial"},
                 {"spartial", "sale_partial"},
                 {"exchange", "exchange"},
                 {"e", "exchange"}};
    const char *type = letters(pool, text == NULL ? "" : text);
    size_t i;

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strcmp(types[i].source, type) == 0) {
            return types[i].type;
        }
    }
    return "unknown";
}

const char *dsc_congress_date(apr_pool_t *pool, const char *text)
{
    int first, second, third, length = 0;
    const char *date;

    if (text == NULL) {
        return NULL;
    }
    text += strspn(text, " \t\r\n");
    if (sscanf(text, "%4d-%2d-%2d%n", &first, &second, &third, &length) == 3 && length == 10 &&
        !apr_isdigit(text[length])) {
        date = apr_psprintf(pool, "%04d-%02d-%02d", first, second, third);
    } else if (sscanf(text, "%2d/%2d/%4d%n", &first, &second, &third, &length) == 3 &&
               third > 999 && text[length + (int)strspn(text + length, " \t\r\n")] == '\0') {
        date = apr_psprintf(pool, "%04d-%02d-%02d", third, first, second);
    } else {
        return NULL;
    }
    return dsc_value_error(DSC_COLUMN_DATE, date) == NULL ? date : NULL;
}

const char *dsc_congress_report_id(apr_pool_t *pool, const char *address, int *year)
{
    const char *id = NULL, *part;
    char *rest = apr_pstrmemdup(pool, address, strcspn(address, "?#")), *state;
    size_t length;

    *year = 0;
    for (part = apr_strtok(rest, "/", &state); part != NULL; part = apr_strtok(NULL, "/", &state)) {
        if (id != NULL && strlen(id) == 4 && strspn(id, "0123456789") == 4) {
            *year = atoi(id);
        }
        id = part;
    }
    if (id == NULL) {
        return NULL;
    }
    id = lower(pool, id);
    length = strlen(id);
    if (length > 4 && strcmp(id + length - 4, ".pdf") == 0) {
        id = apr_pstrmemdup(pool, id, length - 4);
    }
    return strspn(id, "0123456789abcdefghijklmnopqrstuvwxyz-_") == strlen(id) &&
                   strpbrk(id, "0123456789") != NULL
               ? id
               : NULL;
}
