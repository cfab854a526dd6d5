#include "formats/json_row.h"

#include <apr_strings.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *dsc_json_text_of(apr_pool_t *pool, const json_t *value)
{
    const char *text = json_string_value(value);
    size_t length;

    if (!text) {
        return NULL;
    }
    text += strspn(text, " \t\r\n");
    length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        length--;
    }
    return length > 0 ? apr_pstrmemdup(pool, text, length) : NULL;
}

const char *dsc_json_cik_of(apr_pool_t *pool, const json_t *value)
{
    const char *text = json_is_integer(value)
                           ? apr_off_t_toa(pool, (apr_off_t)json_integer_value(value))
                           : dsc_json_text_of(pool, value);

    if (!text || strspn(text, "0123456789") != strlen(text)) {
        return NULL;
    }
    text += strspn(text, "0");
    return *text && strlen(text) <= 10 ? text : NULL;
}

const char *dsc_json_ticker_of(apr_pool_t *pool, const json_t *value)
{
    char *ticker = apr_pstrdup(pool, dsc_json_text_of(pool, value));

    for (char *at = ticker; at && *at; at++) {
        *at = (char)toupper((unsigned char)*at);
    }
    return ticker;
}

const char *dsc_json_sample_of(apr_pool_t *pool, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    const char *sample = apr_pstrdup(pool, text ? text : "");

    free(text);
    return sample;
}

static int is_text(const json_t *value, const char *text)
{
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

int dsc_json_find_fields(apr_pool_t *pool, const json_t *fields, const char *const *names,
                         int count, size_t *places, const char **reason)
{
    for (int i = 0; i < count; i++) {
        size_t position = 0;

        while (position < json_array_size(fields) &&
               !is_text(json_array_get(fields, position), names[i])) {
            position++;
        }
        if (position == json_array_size(fields)) {
            *reason = apr_psprintf(pool, "fields: there is no \"%s\"", names[i]);
            return 0;
        }
        places[i] = position;
    }
    return 1;
}

int dsc_json_row_fits(const json_t *fields, const json_t *row)
{
    return json_is_array(row) && json_array_size(row) == json_array_size(fields);
}
