/* Lines of a periodic transaction report of the House, as pdftotext -layout prints them. */
#include "sources/congress/house_report_line.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " ");
}

const char *dsc_house_find(const char *line, const char *text)
{
    size_t length = strlen(text);

    for (; *line != '\0'; line++) {
        if (strncasecmp(line, text, length) == 0) {
            return line;
        }
    }
    return NULL;
}

/* Whether a word of the line is one of the list; `length` is the word's. */
static int is_word(const char *const *list, const char *word, size_t length)
{
    for (; *list != NULL; list++) {
        if (strlen(*list) == length && strncasecmp(*list, word, length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* ------------------------------------------------------------------------- labels */

/* The small capitals of a label are lost in most texts, and its initials stay; what is in their
 * position, if anything, is no letter. */
const char *dsc_house_label(const char *line, dsc_house_part_t *part)
{
    static const struct {
        const char *initials, *full;
        dsc_house_part_t part;
    } labels[] = {{"FS", "FilingStatus", DSC_HOUSE_STATUS},
                  {"SO", "SubholdingOf", DSC_HOUSE_SUBHOLDING},
                  {"L", "Location", DSC_HOUSE_LOCATION},
                  {"D", "Description", DSC_HOUSE_DESCRIPTION},
                  {"C", "Comments", DSC_HOUSE_COMMENTS},
                  {"C", "Comment", DSC_HOUSE_COMMENTS}};
    char letters[16];
    size_t length = 0, i;

    for (; *line != ':'; line++) {
        unsigned char byte = (unsigned char)*line;
        if (apr_isalpha(byte) && length < sizeof(letters) - 1) {
            letters[length++] = (char)byte;
        } else if (byte != ' ' && byte < 0x80) {
            return NULL; /* the end of the line as well */
        }
    }
    letters[length] = '\0';
    for (i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        if (strcmp(letters, labels[i].initials) == 0 || strcasecmp(letters, labels[i].full) == 0) {
            *part = labels[i].part;
            return skip_spaces(line + 1);
        }
    }
    return NULL;
}

/* ----------------------------------------------------------------------- headings */

int dsc_house_heading(const char *line)
{
    static const char *const main_words[] = {"owner",        "asset",  "transaction",
                                             "notification", "amount", NULL};
    static const char *const others[] = {"id",    "type", "date",   "cap.",  "cap",
                                         "gains", ">",    "gains>", "$200?", NULL};
    int words = 0, of_main = 0;

    for (line = skip_spaces(line); *line != '\0'; line = skip_spaces(line)) {
        size_t length = strcspn(line, " ");
        int is_main = is_word(main_words, line, length);
        if (!is_main && !is_word(others, line, length)) {
            return 0;
        }
        words++;
        of_main += is_main;
        line += length;
    }
    return (words > 0 ? DSC_HOUSE_HEADING : 0) | (of_main >= 2 ? DSC_HOUSE_HEADING_FIRST : 0);
}

/* Headings of the sections behind the table have lost their small capitals as well. */
int dsc_house_is_end(const char *line)
{
    static const char *const begins[] = {
        "Initial Public Offerings", "Asset Class Details", "Certification and Signature",
        "I CERTIFY that",           "Digitally Signed",    NULL};
    static const char *const initials[] = {"IPO", "ACD", NULL};
    char found[4] = "";
    size_t length = 0;
    int i;

    line = skip_spaces(line);
    if (*line == '*') {
        return dsc_house_find(line, "for the complete list") != NULL ||
               dsc_house_find(line, "asset class details") != NULL;
    }
    for (i = 0; begins[i] != NULL; i++) {
        if (strncasecmp(line, begins[i], strlen(begins[i])) == 0) {
            return 1;
        }
    }
    for (; *line != '\0' && length < 3; line = skip_spaces(line + 1)) {
        if (line[1] != ' ' && line[1] != '\0') {
            return 0;
        }
        found[length++] = *line;
    }
    return *line == '\0' && is_word(initials, found, length);
}

/* -------------------------------------------------------------------- transactions */

/* What follows a date that begins there, with a year of four or two digits; NULL: none begins. */
static const char *date_end(const char *at)
{
    size_t month = strspn(at, "0123456789"), day, year;

    if (month < 1 || month > 2 || at[month] != '/') {
        return NULL;
    }
    at += month + 1;
    day = strspn(at, "0123456789");
    if (day < 1 || day > 2 || at[day] != '/') {
        return NULL;
    }
    at += day + 1;
    year = strspn(at, "0123456789");
    return year >= 4 ? at + 4 : year == 2 ? at + 2 : NULL;
}

const char *dsc_house_date(const char *at, const char **end)
{
    int inside = 0; /* a number that has begun before */

    for (; *at != '\0'; at++) {
        if (!inside && (*end = date_end(at)) != NULL) {
            return at;
        }
        inside = apr_isdigit(*at) || *at == '/';
    }
    return NULL;
}

/* The type that ends at `end`; *length is that of what is before it. NULL: no type. */
static const char *type_before(apr_pool_t *pool, const char *line, const char *end, size_t *length)
{
    const char *qualifier = NULL;
    const char *at = end;
    char letter;

    while (at > line && at[-1] == ' ') {
        at--;
    }
    if (at > line && at[-1] == ')') {
        const char *close = at - 1;
        for (at = close; at > line && at[-1] != '(' && apr_isalpha(at[-1]); at--) {
        }
        if (at == line || at[-1] != '(' || at == close) {
            return NULL;
        }
        qualifier = apr_pstrmemdup(pool, at, (size_t)(close - at));
        for (at--; at > line && at[-1] == ' '; at--) {
        }
    }
    letter = (char)(at > line ? apr_toupper(at[-1]) : '\0');
    if ((letter != 'P' && letter != 'S' && letter != 'E') ||
        (at - 1 > line && strchr(" ])", at[-2]) == NULL)) {
        return NULL;
    }
    *length = (size_t)(at - 1 - line);
    return qualifier == NULL ? apr_psprintf(pool, "%c", letter)
                             : apr_psprintf(pool, "%c (%s)", letter, qualifier);
}

/* Assets may name dates as well: the pair behind a type counts, else the last one. */
int dsc_house_transaction(apr_pool_t *pool, const char *line, dsc_house_transaction_t *found)
{
    const char *at = line, *first_end, *second_end;
    int count = 0;

    memset(found, 0, sizeof(*found));
    while (found->type == NULL && (at = dsc_house_date(at, &first_end)) != NULL) {
        const char *second = skip_spaces(first_end);
        if ((second_end = date_end(second)) != NULL) {
            count++;
            found->type = type_before(pool, line, at, &found->length);
            found->first = apr_pstrmemdup(pool, at, (size_t)(first_end - at));
            found->second = apr_pstrmemdup(pool, second, (size_t)(second_end - second));
            found->after = second_end;
        }
        at = first_end;
    }
    return count > 0;
}

int dsc_house_lacks_date(apr_pool_t *pool, const char *line)
{
    const char *at = line, *end;
    size_t length;

    while ((at = dsc_house_date(at, &end)) != NULL) {
        dsc_house_amount_t amount = {pool, DSC_AMOUNT_NONE, NULL};
        if (type_before(pool, line, at, &length) != NULL) {
            (void)dsc_house_amount(&amount, end);
            if (amount.state != DSC_AMOUNT_NONE) {
                return 1;
            }
        }
        at = end;
    }
    return 0;
}

/* ------------------------------------------------------------------------- amounts */

static size_t money_length(const char *at)
{
    size_t digits = *at == '$' ? strspn(at + 1, "0123456789,") : 0, cents;

    if (digits == 0) {
        return 0;
    }
    cents = at[digits + 1] == '.' ? strspn(at + digits + 2, "0123456789") : 0;
    return 1 + digits + (cents > 0 ? 1 + cents : 0);
}

/* What the next word of an amount would make of it; 0: it is none. *length is the word's. */
static int next_state(int state, const char *at, size_t *length)
{
    size_t money = money_length(at);

    *length = money;
    if (money > 0) {
        return state == DSC_AMOUNT_NONE                               ? DSC_AMOUNT_ONE
               : state == DSC_AMOUNT_ONE || state == DSC_AMOUNT_WHOLE ? 0
                                                                      : DSC_AMOUNT_WHOLE;
    }
    if (state == DSC_AMOUNT_NONE && strncasecmp(at, "Spouse/DC", 9) == 0) {
        *length = 9;
        return DSC_AMOUNT_SPOUSE;
    }
    if (state <= DSC_AMOUNT_SPOUSE && strncasecmp(at, "Over", 4) == 0 && strchr(" $", at[4])) {
        *length = 4;
        return DSC_AMOUNT_OVER;
    }
    *length = 1;
    return state != DSC_AMOUNT_ONE ? 0
           : *at == '-'            ? DSC_AMOUNT_FROM
           : *at == '+'            ? DSC_AMOUNT_WHOLE
                                   : 0;
}

const char *dsc_house_amount(dsc_house_amount_t *amount, const char *at)
{
    size_t length;
    int next;

    for (at = skip_spaces(at); (next = next_state((int)amount->state, at, &length)) != 0;
         at = skip_spaces(at + length)) {
        const char *word = apr_pstrmemdup(amount->pool, at, length);
        amount->text =
            amount->text == NULL ? word : apr_pstrcat(amount->pool, amount->text, " ", word, NULL);
        amount->state = next;
    }
    return at;
}

size_t dsc_house_amount_end(dsc_house_amount_t *amount, const char *line)
{
    size_t length = strlen(line), at;

    for (at = strspn(line, " "); amount->state != DSC_AMOUNT_WHOLE && at < length;
         at += strcspn(line + at, " "), at += strspn(line + at, " ")) {
        dsc_house_amount_t more = *amount;
        const char *rest = dsc_house_amount(&more, line + at);
        int goes_on = more.state == DSC_AMOUNT_WHOLE ||
                      (amount->state == DSC_AMOUNT_SPOUSE && more.state == DSC_AMOUNT_OVER);
        if (amount->state != DSC_AMOUNT_NONE && goes_on && dsc_house_is_box(rest)) {
            *amount = more;
            return at;
        }
    }
    return length;
}

const char *dsc_house_amount_error(const dsc_house_amount_t *amount)
{
    static const char *const no_end = "$50,000,001 -"; /* of the highest range, which has none */

    if (amount->state == DSC_AMOUNT_NONE) {
        return "no amount stands behind the dates";
    }
    if (amount->state == DSC_AMOUNT_FROM && strcmp(amount->text, no_end) != 0) {
        return "the amount has no upper end";
    }
    return amount->state == DSC_AMOUNT_SPOUSE || amount->state == DSC_AMOUNT_OVER
               ? "the amount is not whole"
               : NULL;
}

int dsc_house_is_box(const char *at)
{
    static const char *const boxes[] = {"gfedc", "gfedcb", "b", "c", "Yes", "No", "x", NULL};

    for (at = skip_spaces(at); *at != '\0'; at = skip_spaces(at)) {
        size_t length = strcspn(at, " "), i;
        for (i = 0; i < length && (unsigned char)at[i] >= 0x80; i++) {
        }
        if (i < length && !is_word(boxes, at, length)) {
            return 0;
        }
        at += length;
    }
    return 1;
}

/* -------------------------------------------------------------------------- assets */

/* AAPL, BRK.B, BF-B, RDSA.AS, 0700.HK; words and abbreviations in parentheses are none. */
static int is_ticker(const char *text, size_t length, int mixed_case)
{
    static const char *const none[] = {"ADR", "ETF", "REIT", "IRA", "LLC",
                                       "LP",  "INC", "LTD",  "PLC", NULL};
    size_t stem, i;

    for (stem = 0; stem < length && strchr("./-", text[stem]) == NULL; stem++) {
        int good = apr_isupper(text[stem]) || (mixed_case && apr_isalpha(text[stem]));
        if (!good && !apr_isdigit(text[stem])) {
            return 0;
        }
    }
    for (i = stem + 1; i < length; i++) {
        if (!apr_isupper(text[i]) && !(mixed_case && apr_isalpha(text[i]))) {
            return 0;
        }
    }
    return stem >= 1 && stem <= 6 &&
           (stem == length || (length > stem + 1 && length <= stem + 4)) &&
           (stem < length || strcspn(text, "0123456789") >= length) && !is_word(none, text, length);
}

/* Cuts the last "[ST]" out; "ST", or NULL. */
static const char *cut_type(apr_pool_t *pool, char *text)
{
    char *open = text + strlen(text), *code;

    while (open > text) {
        open--;
        if (*open == '[' && apr_isalnum(open[1]) && apr_isalnum(open[2]) && open[3] == ']') {
            code = apr_psprintf(pool, "%c%c", apr_toupper(open[1]), apr_toupper(open[2]));
            memmove(open, skip_spaces(open + 4), strlen(skip_spaces(open + 4)) + 1);
            return code;
        }
    }
    return NULL;
}

static void cut_spaces(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && text[length - 1] == ' ') {
        text[--length] = '\0';
    }
}

const char *dsc_house_asset(apr_pool_t *pool, const char *text, int mixed_case, const char **ticker,
                            const char **type)
{
    char *asset = apr_pstrdup(pool, skip_spaces(text)), *open;
    size_t length;

    *ticker = NULL;
    *type = cut_type(pool, asset);
    cut_spaces(asset);
    length = strlen(asset);
    open = length > 0 && asset[length - 1] == ')' ? strrchr(asset, '(') : NULL;
    if (open != NULL && is_ticker(open + 1, strlen(open + 1) - 1, mixed_case)) {
        *ticker = apr_pstrmemdup(pool, open + 1, strlen(open + 1) - 1);
        *open = '\0';
        cut_spaces(asset);
    }
    return *asset == '\0' ? NULL : asset;
}
