#include "sources/shared/xml_guard.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

enum {
    MOST_ATTRIBUTES = 1000,
    EBCDIC = 0x4C6FA794 /* "<?xm" in it */
};

/* Where in the document: before the root element its parts are distinguished; behind it, each "<"
 * may begin an element. */
enum {
    PROLOG,
    PROLOG_INSTRUCTION,
    PROLOG_COMMENT,
    CONTENT
};

static int ends_with(const dsc_xml_guard_t *guard, const char *text)
{
    unsigned wanted = 0, mask = 0;

    for (; *text; text++) {
        wanted = wanted << 8 | (unsigned char)*text;
        mask = mask << 8 | 0xFF;
    }
    return (guard->last & mask) == wanted;
}

/* Of these a byte below 0x80 is always the character of ASCII. */
static int is_plain_encoding(const char *name, size_t length)
{
    static const char *const names[] = {"UTF-8", "UTF8", "US-ASCII", "ASCII"};
    static const char *const families[] = {"ISO-8859-", "WINDOWS-125"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i]) == length && strncasecmp(name, names[i], length) == 0) {
            return 1;
        }
    }
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (strlen(families[i]) < length &&
            strncasecmp(name, families[i], strlen(families[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Of "<?xml version='1.0' encoding='...'?>"; other instructions may have what they like. */
static const char *declaration_error(const dsc_xml_guard_t *guard)
{
    static const char encoding[] = "encoding";
    const char *at = guard->declaration, *end;

    if (strncmp(at, "xml", 3) != 0 || !apr_isspace(at[3])) {
        return NULL;
    }
    if (guard->declaration_length == (int)sizeof guard->declaration - 1) {
        return "the XML declaration is too long";
    }
    at = strstr(at, encoding);
    if (!at) {
        return NULL;
    }
    at += strlen(encoding);
    at += strspn(at, " \t\r\n=");
    end = *at == '"' || *at == '\'' ? strchr(at + 1, *at) : NULL;
    return end && is_plain_encoding(at + 1, (size_t)(end - at - 1))
               ? NULL
               : "its encoding is not accepted";
}

static void take_prolog(dsc_xml_guard_t *guard, char byte)
{
    if (ends_with(guard, "<?")) {
        guard->zone = PROLOG_INSTRUCTION;
        guard->last = 0;
        guard->declaration_length = 0;
    } else if (ends_with(guard, "<!--")) {
        guard->zone = PROLOG_COMMENT;
        guard->last = 0;
    } else if ((guard->last >> 8 & 0xFFFF) == 0x3C21 && byte != '-') { /* "<!" before it */
        guard->error = "a document type declaration is not accepted";
    } else if ((guard->last >> 8 & 0xFF) == '<' && byte != '!') {
        guard->zone = CONTENT;
    }
}

static void take_instruction(dsc_xml_guard_t *guard, char byte)
{
    if (ends_with(guard, "?>")) {
        guard->declaration[guard->declaration_length] = '\0';
        guard->error = declaration_error(guard);
        guard->zone = PROLOG;
    } else if (guard->declaration_length < (int)sizeof guard->declaration - 1) {
        guard->declaration[guard->declaration_length++] = byte;
    }
}

/* Attributes are counted from a "<" to the next, or to the end of the tag; a ">" within a value is
 * none. What is not well-formed cannot hide them: no value has a "<". A comment or CDATA is read as
 * if it were elements: it has not so many either. */
static void take_content(dsc_xml_guard_t *guard, char byte)
{
    if (byte == '<') {
        guard->in_tag = 1;
        guard->quote = '\0';
        guard->follows_equals = guard->attributes = 0;
    } else if (!guard->in_tag) {
        return;
    } else if (guard->quote) {
        guard->quote = byte == guard->quote ? '\0' : guard->quote;
    } else if (byte == '>') {
        guard->in_tag = 0;
    } else if (byte == '"' || byte == '\'') {
        guard->quote = byte;
        guard->attributes += guard->follows_equals;
        guard->follows_equals = 0;
        if (guard->attributes > MOST_ATTRIBUTES) {
            guard->error = "an element with more than 1000 attributes";
        }
    } else if (!apr_isspace(byte)) {
        guard->follows_equals = byte == '=';
    }
}

static void take(dsc_xml_guard_t *guard, char byte)
{
    guard->last = guard->last << 8 | (unsigned char)byte;
    if (!byte || guard->last == EBCDIC) {
        guard->error = "its encoding is not accepted";
        return;
    }
    switch (guard->zone) {
    case PROLOG:
        take_prolog(guard, byte);
        if (guard->zone == CONTENT) { /* the root element has begun */
            take_content(guard, '<');
            take_content(guard, byte);
        }
        return;
    case PROLOG_INSTRUCTION:
        take_instruction(guard, byte);
        return;
    case PROLOG_COMMENT:
        guard->zone = ends_with(guard, "-->") ? PROLOG : PROLOG_COMMENT;
        return;
    default:
        take_content(guard, byte);
    }
}

int dsc_xml_guard_feed(dsc_xml_guard_t *guard, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length && !guard->error; i++) {
        /* between elements nothing matters but where the next begins */
        if (guard->zone == CONTENT && !guard->in_tag && bytes[i] != '<' && bytes[i] != '\0') {
            guard->line += bytes[i] == '\n';
            continue;
        }
        take(guard, bytes[i]);
        guard->line += bytes[i] == '\n' && !guard->error;
    }
    return !guard->error;
}

const char *dsc_xml_guard_error(apr_pool_t *pool, const dsc_xml_guard_t *guard, long first_line)
{
    return guard->error ? apr_psprintf(pool, "line %ld: %s", guard->line + first_line, guard->error)
                        : NULL;
}

int dsc_xml_input_read(void *data, char *bytes, int size)
{
    dsc_xml_input_t *input = data;
    int got = dsc_piece_reader_read(&input->reader, bytes, size);

    return got > 0 && !dsc_xml_guard_feed(&input->guard, bytes, (size_t)got) ? -1 : got;
}
