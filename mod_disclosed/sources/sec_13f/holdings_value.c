/* Single values of Form 13F as filers write them, converted to the form that is stored. */
#include "sources/sec_13f/holdings_value.h"

#include "engine/decimal.h"
#include "engine/identifier.h"
#include "engine/shape.h"
#include "loader/loader_value.h"
#include "sources/shared/thousands.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBER_LENGTH = 100,
    CUSIP_LENGTH = 9,
    SUM_DIGITS = 17, /* of a number that is added up: eleven of them stay within 64 bits */
    FRACTION_DIGITS = 9
};

#define BILLION 1000000000LL

/* ------------------------------------------------------------------------- numbers */

/* The digits of "$1,234.50", "(17)" and the like, also within quotes; NULL if a comma stands where
 * it cannot. */
static const char *strip_number(apr_pool_t *pool, const char *text)
{
    size_t length = strlen(text);
    int quoted = length > 1 && *text == '"' && text[length - 1] == '"';
    const char *at = text + quoted, *end = text + length - quoted, *digits;
    int negative = end - at > 1 && *at == '(' && end[-1] == ')', sign;

    at += negative;
    end -= negative;
    at += *at == '$';
    sign = at < end && (*at == '-' || *at == '+');
    digits =
        dsc_without_thousands(pool, apr_pstrmemdup(pool, at + sign, (apr_size_t)(end - at - sign)));
    return digits == NULL ? NULL
                          : apr_psprintf(pool, "%s%.*s%s", negative ? "-" : "", sign, at, digits);
}

const char *dsc_holdings_number(apr_pool_t *pool, const char *text)
{
    const char *plain = strlen(text) > NUMBER_LENGTH ? NULL : strip_number(pool, text);
    dsc_decimal_t number;
    dsc_buffer_t *digits;

    if (plain == NULL || !dsc_decimal_parse(plain, strlen(plain), &number) ||
        labs(number.exponent) > NUMBER_LENGTH) {
        return NULL;
    }
    digits = dsc_buffer_create(pool, 32);
    dsc_decimal_write(digits, &number, 0);
    return apr_pstrdup(pool, dsc_buffer_text(digits));
}

void dsc_holdings_add(dsc_holdings_sum_t *sum, const char *number)
{
    int negative = *number == '-';
    const char *whole = number + negative;
    size_t length = strspn(whole, "0123456789");
    const char *fraction = whole[length] == '.' ? whole + length + 1 : "";
    long long part = 0;
    int i;

    if (length > SUM_DIGITS || sum->overflows) {
        sum->overflows = 1;
        return;
    }
    for (i = 0; i < FRACTION_DIGITS; i++) {
        part = part * 10 + (*fraction != '\0' ? *fraction++ - '0' : 0);
    }
    sum->whole += (negative ? -1 : 1) * strtoll(whole, NULL, 10);
    sum->billionths += negative ? -part : part;
    sum->whole += sum->billionths / BILLION;
    sum->billionths %= BILLION;
    sum->overflows = *fraction != '\0' || llabs(sum->whole) > LLONG_MAX / 2;
}

const char *dsc_holdings_sum_text(apr_pool_t *pool, const dsc_holdings_sum_t *sum)
{
    long long whole = sum->whole, part = sum->billionths;
    int negative;

    if (sum->overflows) {
        return NULL;
    }
    if (whole > 0 && part < 0) {
        whole--;
        part += BILLION;
    } else if (whole < 0 && part > 0) {
        whole++;
        part -= BILLION;
    }
    negative = whole < 0 || part < 0;
    return dsc_holdings_number(pool,
                               apr_psprintf(pool, "%s%" APR_INT64_T_FMT ".%09" APR_INT64_T_FMT,
                                            negative ? "-" : "", (apr_int64_t)llabs(whole),
                                            (apr_int64_t)llabs(part)));
}

const char *dsc_holdings_cik(const char *text)
{
    const char *digits = text + strspn(text, "0");
    size_t length = strlen(digits);

    return length > 0 && length <= 10 && strspn(digits, "0123456789") == length ? digits : NULL;
}

/* --------------------------------------------------------------------------- dates */

/* The number of the month that three letters abbreviate, or 0. */
static int month_of_name(const char *name)
{
    static const char names[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
    int month;

    for (month = 1; month <= 12; month++) {
        if (strncasecmp(names + 3 * (month - 1), name, 3) == 0) {
            return month;
        }
    }
    return 0;
}

/* Whether the text is of a form: "0" stands for a digit, "A" for a letter, others for
 * themselves. */
static int has_form(const char *text, const char *form)
{
    for (; *form != '\0' && *text != '\0'; form++, text++) {
        if (*form == '0'   ? !apr_isdigit(*text)
            : *form == 'A' ? !apr_isalpha(*text)
                           : *text != *form) {
            return 0;
        }
    }
    return *form == *text;
}

const char *dsc_holdings_date(apr_pool_t *pool, const char *text)
{
    const char *day = NULL;

    if (has_form(text, "0000-00-00")) {
        day = apr_pstrdup(pool, text);
    } else if (has_form(text, "00-00-0000") || has_form(text, "00/00/0000")) {
        day = apr_psprintf(pool, "%.4s-%.2s-%.2s", text + 6, text, text + 3);
    } else if (has_form(text, "00-AAA-0000")) {
        day = apr_psprintf(pool, "%.4s-%02d-%.2s", text + 7, month_of_name(text + 3), text);
    } else if (has_form(text, "00000000")) {
        day = apr_psprintf(pool, "%.4s-%.2s-%.2s", text, text + 4, text + 6);
    }
    return day != NULL && dsc_value_error(DSC_COLUMN_DATE, day) == NULL ? day : NULL;
}

/* ----------------------------------------------------------------- codes and lists */

const char *dsc_holdings_cusip(apr_pool_t *pool, const char *text)
{
    char *cusip = apr_palloc(pool, strlen(text) + 1), *to = cusip;
    const char *padded;
    size_t length;

    for (; *text != '\0'; text++) {
        if (*text != ' ' && *text != '-') {
            *to++ = (char)apr_toupper(*text);
        }
    }
    *to = '\0';
    length = (size_t)(to - cusip);
    if (length == 0 || length >= CUSIP_LENGTH) {
        return length == 0 ? NULL : cusip;
    }
    padded = apr_psprintf(pool, "%.*s%s", (int)(CUSIP_LENGTH - length), "000000000", cusip);
    return dsc_cusip_valid(padded) ? padded : cusip;
}

const char *dsc_holdings_choice(const char *const *choices, const char *text)
{
    for (; *choices != NULL; choices++) {
        if (strcasecmp(*choices, text) == 0 || (apr_isalpha(text[0]) && text[1] == '\0' &&
                                                apr_toupper(**choices) == apr_toupper(*text))) {
            return *choices;
        }
    }
    return NULL;
}

/* Whether the text says that there is none: "0", "NONE", "N/A". */
static int says_none(const char *text)
{
    static const char *const words[] = {"none", "n/a", "na", "n.a.", "nil",
                                        "null", "no",  "-",  "--"};

    for (int i = 0; i < DSC_COUNT(words); i++) {
        if (strcasecmp(text, words[i]) == 0) {
            return 1;
        }
    }
    return text[strspn(text, "0")] == '\0';
}

const char *dsc_holdings_managers(apr_pool_t *pool, const char *text)
{
    static const char separators[] = " ,;/&", digits_and_separators[] = "0123456789 ,;/&";
    apr_array_header_t *numbers = apr_array_make(pool, 4, sizeof(const char *));
    char *copy = apr_pstrdup(pool, text), *last, *number;

    apr_collapse_spaces(copy, text);
    if (says_none(copy)) {
        return NULL;
    }
    if (text[strspn(text, digits_and_separators)] != '\0') {
        return dsc_texts_literal(pool, 1, &text);
    }
    for (number = apr_strtok(apr_pstrdup(pool, text), separators, &last); number != NULL;
         number = apr_strtok(NULL, separators, &last)) {
        number += strspn(number, "0");
        if (*number) {
            APR_ARRAY_PUSH(numbers, const char *) = number;
        }
    }
    return numbers->nelts == 0
               ? NULL
               : dsc_texts_literal(pool, numbers->nelts, (const char *const *)numbers->elts);
}
