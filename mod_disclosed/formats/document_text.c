/* The text of a document of a submission, whatever it was written in. */
#include "formats/document_text.h"

#include "engine/buffer.h"
#include "engine/utf8.h"
#include "formats/html_text.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>
#include <strings.h>

enum {
    LOOK_FOR_HTML = 4096, /* bytes at the beginning, in which a page has shown a tag */
    LONGEST_TAG = 24,
    LONGEST_CHARACTER = 4, /* in UTF-8 */
    CHUNK = 16384
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

/* A document as it is read piece by piece, made UTF-8 without NULs on the way: EDGAR says neither
 * what a document's encoding is nor does the document, reliably; what is not UTF-8 is
 * Windows-1252. */
typedef struct {
    dsc_piece_reader_t raw;
    int is_utf8;
    dsc_buffer_t *ready; /* converted, of which `given` bytes have been taken */
    size_t given;
} source_t;

/* Whether all of it is UTF-8. A character may lie across two chunks. */
static int is_utf8(const dsc_piece_t *body)
{
    char chunk[DSC_SPOOL_CHUNK];
    apr_uint64_t at = 0;
    int good = 1;

    while (at < body->length && good) {
        long got = dsc_piece_read(body, at, chunk, sizeof(chunk));
        size_t length = got > 0 ? (size_t)got : 0, i = 0;
        int is_last = at + length == body->length;

        while (i < length && good && (is_last || length - i >= LONGEST_CHARACTER)) {
            i += dsc_utf8_step((const unsigned char *)chunk + i, length - i, &good);
        }
        at += i;
        good = good && length > 0;
    }
    return good;
}

static void append_utf8(source_t *source, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (source->is_utf8 || !((unsigned char)bytes[i] & 0x80)) {
            if (bytes[i] != '\0') {
                dsc_buffer_append_char(source->ready, bytes[i]);
            }
        } else {
            dsc_append_windows_1252(source->ready, (unsigned char)bytes[i]);
        }
    }
}

/* The next bytes as UTF-8, for libxml2 too; 0 at the end, -1 at an error. */
static int read_source(void *baton, char *bytes, int size)
{
    source_t *source = baton;
    char chunk[CHUNK];
    int got = 1;

    while (source->given == source->ready->length && got > 0) {
        source->ready->length = source->given = 0;
        got = dsc_piece_reader_read(&source->raw, chunk, (int)sizeof(chunk));
        append_utf8(source, chunk, got > 0 ? (size_t)got : 0);
    }
    if (got <= 0) {
        return got;
    }
    got = (int)(source->ready->length - source->given);
    got = got < size ? got : size;
    memcpy(bytes, source->ready->data + source->given, (size_t)got);
    source->given += (size_t)got;
    return got;
}

/* The length of a tag such as <PAGE>, <S> or </TABLE> that begins here; 0 if none does. */
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

/* The length of an entity that begins here, and its character; 0 if none does. */
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

/* Typewritten text under way. */
typedef struct {
    dsc_buffer_t *out;
    dsc_buffer_t *line; /* what has been read of the present one */
    int dash_escaped;
    int blank; /* lines before this one */
} typewritten_t;

/* Several blank lines become one. */
static void end_line(typewritten_t *text)
{
    const char *at = text->line->data, *end = at + text->line->length;
    size_t before = text->out->length;

    /* RFC 1421, section 4.4: a line that begins with a dash has "- " before it */
    at += text->dash_escaped && end - at >= 2 && at[0] == '-' && at[1] == ' ' ? 2 : 0;
    append_line(text->out, at, end);
    text->blank = text->out->length == before ? text->blank + 1 : 0;
    if (text->blank < 2 && text->out->length > 0) {
        dsc_buffer_append_char(text->out, '\n');
    }
    text->line->length = 0;
}

/* Reads it line by line; as dsc_html_read_text(). */
static int read_typewritten(dsc_buffer_t *out, source_t *source, int dash_escaped)
{
    typewritten_t text = {out, dsc_buffer_create(out->pool, CHUNK), dash_escaped, 0};
    char chunk[CHUNK];
    int got;

    while ((got = read_source(source, chunk, (int)sizeof(chunk))) > 0) {
        const char *at = chunk, *end = chunk + got;

        while (at < end) {
            const char *stop = memchr(at, '\n', (size_t)(end - at));

            dsc_buffer_append(text.line, at, (size_t)((stop ? stop : end) - at));
            at = stop ? stop + 1 : end;
            if (stop) {
                end_line(&text);
            }
        }
        if (out->length + text.line->length > DSC_LARGEST_TEXT) {
            return -1;
        }
    }
    if (text.line->length > 0) {
        end_line(&text);
    }
    return got == 0;
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

/* What it holds that is no text; NULL if it may be text. *html: whether that is HTML. */
static const char *look_at(const dsc_piece_t *body, int *html)
{
    char head[DSC_SPOOL_CHUNK];
    long got = dsc_piece_read(body, 0, head, sizeof(head));
    const char *end = head + (got > 0 ? got : 0);
    const char *start = skip_space(head, end);

    *html = is_html(head, (size_t)(end - head));
    return name_of_binary(start, (size_t)(end - start));
}

static const char *without_space_behind(dsc_buffer_t *out)
{
    while (out->length > 0 && apr_isspace(out->data[out->length - 1])) {
        out->length--;
    }
    return out->length > 0 ? dsc_buffer_text(out) : NULL;
}

const char *dsc_document_text(apr_pool_t *pool, const dsc_sgml_document_t *document,
                              int dash_escaped, const char **reason)
{
    const dsc_piece_t *body = &document->body;
    int html = 0, read;
    const char *binary = look_at(body, &html);
    source_t source = {{*body, 0}, 0, NULL, 0};
    dsc_buffer_t *out;

    *reason = binary ? apr_pstrcat(pool, DSC_NO_TEXT ": it is ", binary, NULL) : DSC_NO_TEXT;
    if (binary || body->length == 0) {
        return NULL;
    }
    out = dsc_buffer_create(pool, CHUNK);
    source.ready = dsc_buffer_create(pool, CHUNK);
    source.is_utf8 = is_utf8(body);
    read = html ? dsc_html_read_text(out, read_source, &source, DSC_LARGEST_TEXT)
                : read_typewritten(out, &source, dash_escaped);
    if (read < 1) {
        *reason = read < 0 ? "its text is longer than 8 MB, the most that is stored"
                           : "it cannot be read";
        return NULL;
    }
    return without_space_behind(out);
}
