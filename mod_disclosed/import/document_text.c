/* The text of a document of a submission, whatever it was written in. */
#include "import/document_text.h"

#include "engine/buffer.h"
#include "engine/utf8.h"
#include "import/html_text.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>
#include <strings.h>

enum {
    LOOK_FOR_HTML = 4096, /* bytes at the beginning, in which a page has shown a tag */
    LONGEST_TAG = 24
};

/* What a document that is no text begins with, after white space, and what to call it. */
static const struct {
    const char *beginning;
    const char *name;
} not_text[] = {
    {"begin 644 ", "a uuencoded file"},
    {"begin 6", "a uuencoded file"},
    {"<PDF>", "a PDF file"},
    {"<XML>", "XML data"},
    {"<JSON>", "JSON data"},
    {"<ZIP>", "an archive"},
    {"<EXCEL>", "a spreadsheet"},
};

static int contains(const char *text, size_t length, const char *needle)
{
    size_t size = strlen(needle);
    size_t i;

    for (i = 0; i + size <= length; i++) {
        if (!strncasecmp(text + i, needle, size)) {
            return 1;
        }
    }
    return 0;
}

static int is_html(const char *text, size_t length)
{
    static const char *const signs[] = {"<html", "<body", "<!doctype html", "<div", "<font", "<p>",
                                        "<p ",   NULL};
    int i;

    length = length < LOOK_FOR_HTML ? length : LOOK_FOR_HTML;
    for (i = 0; signs[i]; i++) {
        if (contains(text, length, signs[i])) {
            return 1;
        }
    }
    return 0;
}

static int is_utf8(const char *text, size_t length)
{
    size_t i = 0;
    int good = 1;

    while (i < length && good) {
        i += dsc_utf8_step((const unsigned char *)text + i, length - i, &good);
    }
    return good;
}

/* The bytes as UTF-8 without NULs: EDGAR says neither what a document's encoding is nor does the
 * document, reliably; what is not UTF-8 is Windows-1252. */
static dsc_buffer_t *as_utf8(apr_pool_t *pool, const char *text, size_t length)
{
    dsc_buffer_t *out = dsc_buffer_create(pool, length + 1);
    int clean = is_utf8(text, length);
    size_t i;

    for (i = 0; i < length; i++) {
        if (text[i] == '\0') {
            continue;
        }
        if (clean || !((unsigned char)text[i] & 0x80)) {
            dsc_buffer_append_char(out, text[i]);
        } else {
            dsc_append_windows_1252(out, (unsigned char)text[i]);
        }
    }
    return out;
}

/* The length of a tag such as <PAGE>, <S> or </TABLE> that begins here; 0 where none does. */
static size_t tag_length(const char *at, const char *end)
{
    size_t length = 1;

    if (*at != '<') {
        return 0;
    }
    length += at + 1 < end && at[1] == '/';
    while (length < LONGEST_TAG && at + length < end &&
           (apr_isalnum(at[length]) || at[length] == '-')) {
        length++;
    }
    return length > 1 && at + length < end && at[length] == '>' && at[length - 1] != '/'
               ? length + 1
               : 0;
}

/* The length of an entity that begins here, and its character; 0 where none does. */
static size_t entity_length(const char *at, const char *end, const char **character)
{
    static const char *const entities[][2] = {{"&amp;", "&"},   {"&lt;", "<"},   {"&gt;", ">"},
                                              {"&quot;", "\""}, {"&nbsp;", " "}, {"&apos;", "'"}};
    size_t i;

    for (i = 0; *at == '&' && i < sizeof(entities) / sizeof(entities[0]); i++) {
        size_t length = strlen(entities[i][0]);

        if ((size_t)(end - at) >= length && !memcmp(at, entities[i][0], length)) {
            *character = entities[i][1];
            return length;
        }
    }
    return 0;
}

static void append_line(dsc_buffer_t *out, const char *from, const char *end)
{
    const char *character;
    size_t length;

    while (from < end) {
        if ((length = tag_length(from, end)) > 0) {
            from += length;
        } else if ((length = entity_length(from, end, &character)) > 0) {
            dsc_buffer_append_text(out, character);
            from += length;
        } else {
            if ((unsigned char)*from >= ' ' || *from == '\t') {
                dsc_buffer_append_char(out, *from);
            }
            from++;
        }
    }
    while (out->length > 0 &&
           (out->data[out->length - 1] == ' ' || out->data[out->length - 1] == '\t')) {
        out->length--;
    }
}

/* Typewritten text, line by line; several blank lines become one. */
static void append_typewritten(dsc_buffer_t *out, const char *text, size_t length, int dash_escaped)
{
    const char *end = text + length;
    const char *at = text;
    int blank = 0;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t before = out->length;

        stop = stop ? stop : end;
        /* RFC 1421, section 4.4: a line that begins with a dash has "- " before it */
        at += dash_escaped && stop - at >= 2 && at[0] == '-' && at[1] == ' ' ? 2 : 0;
        append_line(out, at, stop);
        blank = out->length == before ? blank + 1 : 0;
        if (blank < 2 && out->length > 0) {
            dsc_buffer_append_char(out, '\n');
        }
        at = stop + 1;
    }
}

static const char *skip_space(const char *text, const char *end)
{
    while (text < end && apr_isspace(*text)) {
        text++;
    }
    return text;
}

static const char *name_of_binary(const char *text, size_t length)
{
    size_t i;

    for (i = 0; i < sizeof(not_text) / sizeof(not_text[0]); i++) {
        size_t size = strlen(not_text[i].beginning);

        if (length >= size && !memcmp(text, not_text[i].beginning, size)) {
            return not_text[i].name;
        }
    }
    return NULL;
}

const char *dsc_document_text(apr_pool_t *pool, const dsc_sgml_document_t *document,
                              int dash_escaped, const char **reason)
{
    const char *end = document->text ? document->text + document->length : NULL;
    const char *start = document->text ? skip_space(document->text, end) : NULL;
    const char *binary = start ? name_of_binary(start, (size_t)(end - start)) : NULL;
    dsc_buffer_t *source, *out;

    if (!start || start == end || binary) {
        *reason = binary ? apr_pstrcat(pool, "has no text: it is ", binary, NULL) : "has no text";
        return NULL;
    }
    source = as_utf8(pool, document->text, document->length);
    out = dsc_buffer_create(pool, source->length + 1);
    if (!is_html(source->data, source->length)) {
        append_typewritten(out, source->data, source->length, dash_escaped);
    } else if (!dsc_html_to_text(out, source->data, source->length)) {
        *reason = "its HTML is too large to be parsed";
        return NULL;
    }
    while (out->length > 0 && apr_isspace(out->data[out->length - 1])) {
        out->length--;
    }
    *reason = "has no text";
    return out->length > 0 ? dsc_buffer_text(out) : NULL;
}
