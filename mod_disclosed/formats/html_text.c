/* HTML of filings as plain text. */
#include "formats/html_text.h"

#include <libxml/HTMLparser.h>
#include <libxml/parserInternals.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

enum {
    LONG_CELL = 160
}; /* bytes: from here on a cell holds paragraphs, not a figure or a label */

typedef enum {
    GAP_NONE,
    GAP_SPACE,
    GAP_CELL,
    GAP_LINE,
    GAP_PARAGRAPH
} gap_t;

typedef struct {
    dsc_buffer_t *out;
    size_t start;      /* of this page in out */
    gap_t gap;         /* what separates the text so far from what comes */
    int hidden;        /* depth below an element that is not displayed */
    int preformatted;  /* depth below <pre> */
    int cells;         /* depth below table cells */
    size_t cell_start; /* of the innermost cell in out */
    size_t limit;      /* of out; 0: none */
    htmlParserCtxt *parser;
} page_t;

typedef enum {
    KIND_INLINE,
    KIND_BREAK,
    KIND_BLOCK,
    KIND_PARAGRAPH,
    KIND_CELL,
    KIND_HIDDEN
} kind_t;

static const struct {
    const char *name;
    kind_t kind;
} elements[] = {
    {"script", KIND_HIDDEN},    {"style", KIND_HIDDEN},    {"title", KIND_HIDDEN},
    {"ix:header", KIND_HIDDEN}, {"noscript", KIND_HIDDEN}, {"template", KIND_HIDDEN},
    {"td", KIND_CELL},          {"th", KIND_CELL},         {"br", KIND_BREAK},
    {"p", KIND_PARAGRAPH},      {"h1", KIND_PARAGRAPH},    {"h2", KIND_PARAGRAPH},
    {"h3", KIND_PARAGRAPH},     {"h4", KIND_PARAGRAPH},    {"h5", KIND_PARAGRAPH},
    {"h6", KIND_PARAGRAPH},     {"table", KIND_PARAGRAPH}, {"ul", KIND_PARAGRAPH},
    {"ol", KIND_PARAGRAPH},     {"dl", KIND_PARAGRAPH},    {"blockquote", KIND_PARAGRAPH},
    {"pre", KIND_PARAGRAPH},    {"hr", KIND_PARAGRAPH},    {"div", KIND_BLOCK},
    {"tr", KIND_BLOCK},         {"li", KIND_BLOCK},        {"dt", KIND_BLOCK},
    {"dd", KIND_BLOCK},         {"center", KIND_BLOCK},    {"caption", KIND_BLOCK},
    {"section", KIND_BLOCK},    {"article", KIND_BLOCK},   {"header", KIND_BLOCK},
    {"footer", KIND_BLOCK},     {"address", KIND_BLOCK},   {"form", KIND_BLOCK},
    {"body", KIND_BLOCK},
};

static kind_t kind_of(const xmlChar *name)
{
    size_t i;

    for (i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
        if (!strcasecmp(elements[i].name, (const char *)name)) {
            return elements[i].kind;
        }
    }
    return KIND_INLINE;
}

static void widen(page_t *page, gap_t gap)
{
    page->gap = gap > page->gap ? gap : page->gap;
}

/* A block within a table cell must not break the row; within a page that is laid out as one great
 * table it is a block all the same. */
static void end_block(page_t *page, gap_t gap)
{
    if (page->cells > 0 && page->out->length - page->cell_start < LONG_CELL) {
        widen(page, GAP_SPACE);
    } else {
        widen(page, gap);
    }
}

static int is_display_none(const xmlChar **attributes)
{
    const char *style;

    for (; attributes && attributes[0]; attributes += 2) {
        if (strcasecmp((const char *)attributes[0], "style") != 0 || !attributes[1]) {
            continue;
        }
        style = strcasestr((const char *)attributes[1], "display");
        if (style) {
            style += strlen("display");
            style += strspn(style, " \t\n:");
            return strncasecmp(style, "none", 4) == 0;
        }
    }
    return 0;
}

static void on_start(void *data, const xmlChar *name, const xmlChar **attributes)
{
    page_t *page = data;
    kind_t kind = kind_of(name);

    if (page->hidden > 0 || kind == KIND_HIDDEN || is_display_none(attributes)) {
        page->hidden++;
        return;
    }
    if (kind == KIND_CELL) {
        widen(page, GAP_CELL);
        page->cells++;
        page->cell_start = page->out->length;
    } else if (kind == KIND_PARAGRAPH) {
        end_block(page, GAP_PARAGRAPH);
        page->preformatted += !strcasecmp((const char *)name, "pre");
    } else if (kind == KIND_BLOCK || kind == KIND_BREAK) {
        end_block(page, GAP_LINE);
    }
}

static void on_end(void *data, const xmlChar *name)
{
    page_t *page = data;
    kind_t kind = kind_of(name);

    if (page->hidden > 0) {
        page->hidden--;
        return;
    }
    if (kind == KIND_CELL) {
        page->cells -= page->cells > 0;
        widen(page, GAP_CELL);
    } else if (kind == KIND_PARAGRAPH) {
        if (!strcasecmp((const char *)name, "pre") && page->preformatted > 0) {
            page->preformatted--;
        }
        end_block(page, GAP_PARAGRAPH);
    } else if (kind == KIND_BLOCK) {
        end_block(page, GAP_LINE);
    }
}

/* A figure's sign of currency or bracket is in a cell of its own beside it. */
static int belongs_together(const page_t *page, char next)
{
    char before = page->out->data[page->out->length - 1];

    return before == '$' || before == '(' || next == ')' || next == '%';
}

static void close_gap(page_t *page, char next)
{
    static const char *const texts[] = {"", " ", "\t", "\n", "\n\n"};
    gap_t gap = page->gap;

    page->gap = GAP_NONE;
    if (page->out->length == page->start) {
        return;
    }
    if (gap == GAP_CELL && belongs_together(page, next)) {
        return;
    }
    dsc_buffer_append_text(page->out, texts[gap]);
}

/* The character that Windows calls by a number which Unicode gives to control characters: pages
 * that say &#146; for an apostrophe are many. 0: none. */
static unsigned windows_character(unsigned code)
{
    static const unsigned short map[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020,
                                           0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,
                                           0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D,
                                           0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
                                           0x0153, 0,      0x017E, 0x0178};

    return code >= 0x80 && code < 0xA0 ? map[code - 0x80] : 0;
}

void dsc_append_windows_1252(dsc_buffer_t *out, unsigned char byte)
{
    unsigned code = byte < 0x80 || byte >= 0xA0 ? byte : windows_character(byte);

    if (code >= 0x800) {
        dsc_buffer_append_char(out, (char)(0xE0 | (code >> 12)));
        dsc_buffer_append_char(out, (char)(0x80 | ((code >> 6) & 0x3F)));
        dsc_buffer_append_char(out, (char)(0x80 | (code & 0x3F)));
    } else if (code >= 0x80) {
        dsc_buffer_append_char(out, (char)(0xC0 | (code >> 6)));
        dsc_buffer_append_char(out, (char)(0x80 | (code & 0x3F)));
    } else if (code > 0) {
        dsc_buffer_append_char(out, (char)code);
    }
}

static void append_character(dsc_buffer_t *out, const char *bytes, size_t length)
{
    unsigned char second = length == 2 ? (unsigned char)bytes[1] : 0;

    if ((unsigned char)bytes[0] == 0xC2 && second >= 0x80 && second < 0xA0) {
        dsc_append_windows_1252(out, second);
    } else {
        dsc_buffer_append(out, bytes, length);
    }
}

/* Spaces of every width, as UTF-8; and characters that show nothing at all. */
static const char *const space_characters[] = {"\xC2\xA0",     "\xE2\x80\x82", "\xE2\x80\x83",
                                               "\xE2\x80\x87", "\xE2\x80\x89", "\xE2\x80\x8A",
                                               "\xE2\x80\xAF", "\xE3\x80\x80", NULL};
static const char *const blank_characters[] = {"\xC2\xAD", "\xE2\x80\x8B", "\xE2\x81\xA0",
                                               "\xEF\xBB\xBF", NULL};

static int is_one_of(const char *const *characters, const char *bytes, size_t length)
{
    for (; *characters; characters++) {
        if (strlen(*characters) == length && !memcmp(*characters, bytes, length)) {
            return 1;
        }
    }
    return 0;
}

static size_t character_length(unsigned char lead, size_t left)
{
    size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;

    return length < left ? length : left;
}

static void take_character(page_t *page, const char *bytes, size_t length)
{
    unsigned char lead = (unsigned char)bytes[0];

    if (length == 1 && lead <= ' ') {
        widen(page, page->preformatted > 0 && lead == '\n' ? GAP_LINE : GAP_SPACE);
    } else if (is_one_of(space_characters, bytes, length)) {
        widen(page, GAP_SPACE);
    } else if (!is_one_of(blank_characters, bytes, length) && lead != 0x7F) {
        close_gap(page, bytes[0]);
        append_character(page->out, bytes, length);
    }
}

/* Within <pre> spaces and line ends are the layout. */
static void take_preformatted(page_t *page, char byte)
{
    if (page->gap > GAP_NONE) {
        close_gap(page, byte);
    }
    dsc_buffer_append_char(page->out, byte);
}

static void on_characters(void *data, const xmlChar *text, int count)
{
    page_t *page = data;
    const char *bytes = (const char *)text;
    size_t left = count > 0 ? (size_t)count : 0;

    while (left > 0 && page->hidden == 0) {
        size_t length = character_length((unsigned char)*bytes, left);

        if (page->preformatted > 0 && (*bytes == ' ' || *bytes == '\n' || *bytes == '\t')) {
            take_preformatted(page, *bytes);
        } else {
            take_character(page, bytes, length);
        }
        bytes += length;
        left -= length;
    }
    if (page->limit > 0 && page->out->length > page->limit) {
        xmlStopParser(page->parser);
    }
}

static void prepare(htmlParserCtxt *parser, page_t *page, dsc_buffer_t *out)
{
    memset(page, 0, sizeof(*page));
    page->parser = parser;
    page->out = out;
    page->start = out->length;
    memset(parser->sax, 0, sizeof(*parser->sax));
    parser->sax->startElement = on_start;
    parser->sax->endElement = on_end;
    parser->sax->characters = on_characters;
    parser->sax->ignorableWhitespace = on_characters;
    parser->userData = page;
    (void)htmlCtxtUseOptions(parser, HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
                                         HTML_PARSE_IGNORE_ENC);
    (void)xmlSwitchEncoding(parser, XML_CHAR_ENCODING_UTF8);
}

int dsc_html_to_text(dsc_buffer_t *out, const char *html, size_t length)
{
    htmlParserCtxtPtr parser;
    page_t page;

    if (length == 0) {
        return 1;
    }
    parser = length <= INT_MAX ? htmlCreateMemoryParserCtxt(html, (int)length) : NULL;
    if (!parser) {
        return 0;
    }
    prepare(parser, &page, out);
    (void)htmlParseDocument(parser);
    htmlFreeParserCtxt(parser);
    return 1;
}

/* Gives the parser an input that is read as it goes. */
static int open_input(htmlParserCtxt *parser, int (*read)(void *baton, char *bytes, int size),
                      void *baton)
{
    xmlParserInputBuffer *buffer =
        xmlParserInputBufferCreateIO(read, NULL, baton, XML_CHAR_ENCODING_NONE);
    xmlParserInput *input =
        buffer ? xmlNewIOInputStream(parser, buffer, XML_CHAR_ENCODING_NONE) : NULL;

    if (!input) {
        xmlFreeParserInputBuffer(buffer);
        return 0;
    }
    return inputPush(parser, input) >= 0;
}

int dsc_html_read_text(dsc_buffer_t *out, int (*read)(void *baton, char *bytes, int size),
                       void *baton, size_t limit)
{
    htmlParserCtxt *parser = htmlNewParserCtxt();
    page_t page;

    if (!parser || !open_input(parser, read, baton)) {
        htmlFreeParserCtxt(parser);
        return 0;
    }
    prepare(parser, &page, out);
    page.limit = limit;
    (void)htmlParseDocument(parser);
    htmlFreeParserCtxt(parser);
    return out->length > limit ? -1 : 1;
}
