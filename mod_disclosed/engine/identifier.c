#include "engine/identifier.h"

#include <string.h>

enum {
    ISIN_BODY = 11,
    CUSIP_BODY = 8,
    SEDOL_BODY = 6,
    FIGI_BODY = 11,
    LEI_BODY = 18,
    LONGEST = 20
};

/* 0 to 9, A is 10 to Z is 35, * @ # are 36 to 38; -1 for anything else. */
static int value_of(char character)
{
    static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#";
    const char *place = character != '\0' ? strchr(alphabet, character) : NULL;
    return place != NULL ? (int)(place - alphabet) : -1;
}

/* Whether `body` is `length` characters with values up to `greatest`. */
static int is_body(const char *body, size_t length, int greatest)
{
    if (strlen(body) != length) {
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        int value = value_of(body[i]);
        if (value < 0 || value > greatest) {
            return 0;
        }
    }
    return 1;
}

static int digit_sum(int value)
{
    return value / 10 + value % 10;
}

static char complement(int sum)
{
    return (char)('0' + (10 - sum % 10) % 10);
}

/* Double-add-double over whole values, from the left, as CUSIP and FIGI have it. */
static char double_add_double(const char *body)
{
    int sum = 0;
    for (int i = 0; body[i] != '\0'; i++) {
        int value = value_of(body[i]);
        sum += digit_sum(i % 2 == 1 ? 2 * value : value);
    }
    return complement(sum);
}

char dsc_isin_check_digit(const char *body)
{
    int sum = 0, doubled = 1;
    if (!is_body(body, ISIN_BODY, 35) || value_of(body[0]) < 10 || value_of(body[1]) < 10) {
        return '\0';
    }
    for (int i = ISIN_BODY - 1; i >= 0; i--) {
        for (int rest = value_of(body[i]), first = 1; first || rest > 0; rest /= 10, first = 0) {
            sum += digit_sum(doubled ? 2 * (rest % 10) : rest % 10);
            doubled = !doubled;
        }
    }
    return complement(sum);
}

char dsc_cusip_check_digit(const char *body)
{
    return is_body(body, CUSIP_BODY, 38) ? double_add_double(body) : '\0';
}

char dsc_sedol_check_digit(const char *body)
{
    static const int weights[SEDOL_BODY] = {1, 3, 1, 7, 3, 9};
    int sum = 0;
    if (!is_body(body, SEDOL_BODY, 35)) {
        return '\0';
    }
    for (int i = 0; i < SEDOL_BODY; i++) {
        sum += weights[i] * value_of(body[i]);
    }
    return complement(sum);
}

char dsc_figi_check_digit(const char *body)
{
    if (!is_body(body, FIGI_BODY, 35) || strpbrk(body, "AEIOU") != NULL || body[2] != 'G') {
        return '\0';
    }
    return double_add_double(body);
}

static int mod97(const char *text)
{
    int rest = 0;
    for (; *text != '\0'; text++) {
        int value = value_of(*text);
        rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
    }
    return rest;
}

int dsc_lei_check_digits(const char *body, char digits[3])
{
    char padded[LEI_BODY + 3];
    int check;
    if (!is_body(body, LEI_BODY, 35)) {
        return 0;
    }
    memcpy(padded, body, LEI_BODY);
    memcpy(padded + LEI_BODY, "00", 3);
    check = 98 - mod97(padded);
    digits[0] = (char)('0' + check / 10);
    digits[1] = (char)('0' + check % 10);
    digits[2] = '\0';
    return 1;
}

static int ends_with_digit(const char *text, size_t body_length, char (*check)(const char *))
{
    char body[LONGEST];
    if (strlen(text) != body_length + 1) {
        return 0;
    }
    memcpy(body, text, body_length);
    body[body_length] = '\0';
    return text[body_length] == check(body);
}

int dsc_isin_valid(const char *isin)
{
    return ends_with_digit(isin, ISIN_BODY, dsc_isin_check_digit);
}

int dsc_cusip_valid(const char *cusip)
{
    return ends_with_digit(cusip, CUSIP_BODY, dsc_cusip_check_digit);
}

int dsc_figi_valid(const char *figi)
{
    return ends_with_digit(figi, FIGI_BODY, dsc_figi_check_digit);
}

int dsc_lei_valid(const char *lei)
{
    return is_body(lei, LEI_BODY + 2, 35) && mod97(lei) == 1;
}
