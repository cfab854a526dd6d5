/* The text of a periodic transaction report of the House, as pdftotext -layout makes it from the
 * Clerk's PDF. A row begins in the line with its dates. Below it, its asset and its amount
 * continue; then come labelled lines, which may continue as well. Pages end anywhere. */
#include "sources/congress/house_report_text.h"

#include "engine/buffer.h"
#include "formats/html_text.h"
#include "loader/loader_value.h"
#include "sources/congress/congress_value.h"
#include "sources/congress/house_report_line.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <string.h>

enum {
    FILING_ID_LENGTH = 8
};

/* A row while it is read. */
typedef struct {
    dsc_house_row_t row;
    apr_array_header_t
        *parts[DSC_HOUSE_PARTS]; /* of const char *: lines of each part; NULL: none */
    dsc_house_amount_t amount;
    size_t type_at;          /* where the type, and the columns behind it, stand on its page */
    const char *maybe_owner; /* a word that is an owner unless the asset begins with it */
    size_t owner_at;
} open_row_t;

typedef struct {
    apr_pool_t *pool;
    dsc_house_report_t report;
    long line;
    int in_headings, seen_headings, seen_notification, wants_signature;
    int ended;       /* what comes is not of the table */
    int is_whole;    /* the table's end has come */
    int mixed_case;  /* small capitals have become letters of either case */
    int after_blank; /* a blank line has come, and no headings before it */
    open_row_t *open;
    dsc_house_part_t part; /* that goes on */
    apr_array_header_t
        *loose; /* of const char *: lines behind a blank one, not yet a part of a row */
    long loose_line;
    apr_array_header_t *rows; /* of open_row_t * */
    const char *error;        /* of the whole text */
} reader_t;

/* --------------------------------------------------------------------------- text */

int dsc_house_is_report(const char *text, size_t length)
{
    static const char *const marks[] = {"Filing ID",
                                        "Clerk of the House",
                                        "Digitally Signed",
                                        "Periodic Transaction Report",
                                        "Financial Disclosure Report",
                                        NULL};
    size_t first = 0, i;
    int mark;

    while (first < length && text[first] != '\n') {
        first++;
    }
    if (memchr(text, '\t', first) != NULL) {
        return 0; /* columns of the Clerk's index */
    }
    for (i = 0; i < length && i < 65536; i++) {
        for (mark = 0; marks[mark] != NULL; mark++) {
            size_t size = strlen(marks[mark]);
            if (length - i >= size && strncasecmp(text + i, marks[mark], size) == 0) {
                return 1;
            }
        }
    }
    return 0;
}

/* A copy as UTF-8 (what is none is Windows-1252) in which all that is no text but ends of lines is
 * a space: letters that were lost are NUL or control characters in some texts. */
static char *clean(apr_pool_t *pool, const char *text, size_t length)
{
    char *copy = apr_pstrmemdup(pool, text, length), *at;
    dsc_buffer_t *out;

    for (at = copy; at < copy + length; at++) {
        if ((unsigned char)*at < ' ' && *at != '\n') {
            *at = ' ';
        } else if (*at == 0x7F) {
            *at = ' ';
        }
    }
    if (!dsc_text_is_utf8(copy)) {
        out = dsc_buffer_create(pool, length + length / 8 + 1);
        for (at = copy; *at != '\0'; at++) {
            dsc_append_windows_1252(out, (unsigned char)*at);
        }
        copy = apr_pstrdup(pool, dsc_buffer_text(out));
    }
    for (at = copy; (at = strstr(at, "\xC2\xA0")) != NULL;) { /* spaces that do not break */
        *at++ = ' ';
        *at++ = ' ';
    }
    return copy;
}

static size_t indent(const char *line)
{
    return strspn(line, " ");
}

static int begins(const char *line, const char *text)
{
    return strncasecmp(line + indent(line), text, strlen(text)) == 0;
}

/* ------------------------------------------------------------------- around the table */

/* "Filing ID #20022260" stands at the top of the first page, or of each. */
static int read_filing_id(reader_t *reader, const char *line)
{
    const char *at = dsc_house_find(line, "Filing ID"), *id;

    if (at == NULL || *(at = at + 9 + indent(at + 9)) != '#') {
        return 0;
    }
    at += 1 + indent(at + 1);
    id = apr_pstrmemdup(reader->pool, at, strspn(at, "0123456789"));
    if (reader->report.filing_id != NULL && strcmp(reader->report.filing_id, id) != 0) {
        reader->error = apr_psprintf(reader->pool, "line %ld: another report begins, Filing ID #%s",
                                     reader->line, id);
    }
    if (strlen(id) > FILING_ID_LENGTH) {
        reader->error = apr_psprintf(reader->pool, "line %ld: no Filing ID has so many digits: %s",
                                     reader->line, id);
    }
    reader->report.filing_id = *id == '\0' ? NULL : id;
    return 1;
}

/* "TX02", "TX 02", "TX" */
static int is_district(const char *text)
{
    const char *at = text;

    if (!apr_isalpha(at[0]) || !apr_isalpha(at[1])) {
        return 0;
    }
    at += 2 + indent(at + 2);
    return strlen(at) <= 2 && strspn(at, "0123456789") == strlen(at);
}

/* Each label has a line of its own: one that stands behind something else shows that an end of a
 * line was lost, and what is before it is no name. */
static void read_header(reader_t *reader, const char *line)
{
    const struct {
        const char *label;
        const char **into;
    } members[] = {{"Name:", &reader->report.name},
                   {"Status:", NULL},
                   {"State/District:", &reader->report.state_district}};
    size_t i;

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        const char *text = line + indent(line) + strlen(members[i].label);
        const char *found = dsc_house_find(line, members[i].label);
        if (found != NULL && found != line + indent(line)) {
            reader->error = apr_psprintf(reader->pool, "line %ld: \"%s\" stands within it",
                                         reader->line, members[i].label);
        } else if (found != NULL && members[i].into != NULL && *members[i].into == NULL) {
            *members[i].into = dsc_congress_line(reader->pool, text);
        }
    }
    if (reader->report.state_district != NULL && !is_district(reader->report.state_district)) {
        reader->error = apr_psprintf(reader->pool, "line %ld: this is no State/District: %s",
                                     reader->line, reader->report.state_district);
    }
}

/* "Digitally Signed: Hon. Nancy Pelosi , 01/12/2023", the date also in the next line. */
static int read_signature(reader_t *reader, const char *line)
{
    const char *end, *date = dsc_house_date(line, &end);

    if (!begins(line, "Digitally Signed") && !(reader->wants_signature && date != NULL)) {
        reader->wants_signature = 0;
        return 0;
    }
    reader->wants_signature = date == NULL;
    reader->ended = reader->is_whole = 1;
    if (date != NULL && reader->report.filed_on == NULL) {
        reader->report.filed_on = apr_pstrmemdup(reader->pool, date, (size_t)(end - date));
    }
    return 1;
}

/* Columns are told apart by the spaces between them: a heading directly behind that of assets,
 * whose column is wide, shows that there are none. */
static void require_columns(reader_t *reader, const char *line)
{
    const char *asset = dsc_house_find(line, "asset");

    if (asset != NULL && begins(asset + strlen("asset"), "transaction") &&
        indent(asset + strlen("asset")) == 1) {
        reader->error = apr_psprintf(reader->pool,
                                     "line %ld: its columns are lost: only a text is read that "
                                     "pdftotext -layout has made",
                                     reader->line);
    }
}

/* Whether the line belongs to the headings of the table. */
static int read_heading(reader_t *reader, const char *line)
{
    int heading = dsc_house_heading(line);

    if (!(heading & DSC_HOUSE_HEADING_FIRST) && !(heading != 0 && reader->in_headings)) {
        reader->in_headings = 0;
        return 0;
    }
    require_columns(reader, line);
    reader->seen_headings |= dsc_house_find(line, "owner") != NULL;
    reader->seen_notification |= dsc_house_find(line, "notification") != NULL;
    reader->mixed_case |= strstr(line, "owner") != NULL || strstr(line, "asset") != NULL;
    reader->in_headings = 1;
    reader->after_blank = 0;
    if (reader->open != NULL) {
        reader->open->maybe_owner = NULL; /* the next page has other columns */
    }
    reader->ended = reader->is_whole = 0;
    return 1;
}

/* ------------------------------------------------------------------------------ rows */

static void add_part(open_row_t *open, apr_pool_t *pool, dsc_house_part_t part, const char *text)
{
    if (open->parts[part] == NULL) {
        open->parts[part] = apr_array_make(pool, 2, sizeof(const char *));
    }
    if (*text != '\0') {
        APR_ARRAY_PUSH(open->parts[part], const char *) = text;
    }
}

static open_row_t *begin_row(reader_t *reader, long line)
{
    open_row_t *open = apr_pcalloc(reader->pool, sizeof(*open));

    open->row.line = line;
    open->row.is_row = 1;
    open->amount.pool = reader->pool;
    APR_ARRAY_PUSH(reader->rows, open_row_t *) = open;
    return open;
}

/* Accounts for a line that begins no row, but should; what comes below belongs to it. */
static void refuse_line(reader_t *reader, long line, int is_row, const char *error,
                        const char *text)
{
    open_row_t *open = begin_row(reader, line);

    open->row.is_row = is_row;
    open->row.error = error;
    open->row.sample = dsc_congress_line(reader->pool, text);
    reader->open = open;
    reader->part = DSC_HOUSE_ASSET;
}

/* A word with one space behind it is in the column of owners if the lines below, which are as the
 * asset is, begin to the right of it. */
static void resolve_owner(open_row_t *open, apr_pool_t *pool, const char *line)
{
    if (open->maybe_owner != NULL && indent(line) <= open->owner_at) {
        apr_array_header_t *whole = apr_array_make(pool, 4, sizeof(const char *));
        APR_ARRAY_PUSH(whole, const char *) = open->maybe_owner;
        open->parts[DSC_HOUSE_ASSET] = apr_array_append(pool, whole, open->parts[DSC_HOUSE_ASSET]);
        open->row.owner = NULL;
    }
    open->maybe_owner = NULL;
}

/* The lines below a row's first: the rest of its asset, type and amount. */
static void go_on_with_asset(const reader_t *reader, open_row_t *open, const char *line)
{
    size_t length = dsc_house_amount_end(&open->amount, line);
    char *text = apr_pstrmemdup(reader->pool, line, length);
    char *partial = (char *)dsc_house_find(text, "(partial)");

    if (partial != NULL && open->row.type != NULL && strlen(open->row.type) == 1 &&
        (partial == text + indent(text) || (partial > text + 1 && partial[-2] == ' '))) {
        open->row.type = apr_pstrcat(reader->pool, open->row.type, " (partial)", NULL);
        memset(partial, ' ', 9);
    }
    if (length > open->type_at && open->type_at > 0 && text[open->type_at - 1] == ' ' &&
        dsc_house_is_box(text + open->type_at)) {
        text[open->type_at] = '\0'; /* no asset stands that far to the right */
    }
    if (text[indent(text)] != '\0') {
        resolve_owner(open, reader->pool, text);
        add_part(open, reader->pool, DSC_HOUSE_ASSET, text);
    }
}

static void go_on(const reader_t *reader, open_row_t *open, const char *line)
{
    if (reader->part == DSC_HOUSE_ASSET) {
        go_on_with_asset(reader, open, line);
    } else {
        add_part(open, reader->pool, reader->part, line);
    }
}

/* The lines behind a blank one belong to what goes on before it. */
static void resolve_loose(reader_t *reader)
{
    int i;

    if (reader->loose->nelts == 0) {
        return;
    }
    for (i = 0; reader->open != NULL && i < reader->loose->nelts; i++) {
        go_on(reader, reader->open, APR_ARRAY_IDX(reader->loose, i, const char *));
    }
    if (reader->open == NULL) {
        refuse_line(reader, reader->loose_line, 0, "this text belongs to no transaction",
                    APR_ARRAY_IDX(reader->loose, 0, const char *));
    }
    apr_array_clear(reader->loose);
}

/* The word of an owner; the assets of some filers begin with one as well: "SP Plus Corporation". */
static size_t owner_length(const char *text)
{
    size_t length = strcspn(text, " ");

    return length == 2 && (strncasecmp(text, "SP", 2) == 0 || strncasecmp(text, "JT", 2) == 0 ||
                           strncasecmp(text, "DC", 2) == 0)
               ? 2
               : 0;
}

/* Takes the ID and the owner from what is before the type; returns the asset. */
static const char *take_owner(reader_t *reader, open_row_t *open, const char *text)
{
    const char *at = text + indent(text);
    size_t digits = strspn(at, "0123456789"), owner, gap;

    if (digits >= 8 && (at[digits] == ' ' || owner_length(at + digits) > 0)) {
        open->row.id = apr_pstrmemdup(reader->pool, at, digits);
        at += digits + indent(at + digits);
    }
    owner = owner_length(at);
    if (owner == 0) {
        return at;
    }
    gap = indent(at + owner);
    open->row.owner = apr_psprintf(reader->pool, "%c%c", apr_toupper(at[0]), apr_toupper(at[1]));
    if (gap == 1) {
        open->maybe_owner = apr_pstrmemdup(reader->pool, at, owner);
        open->owner_at = (size_t)(at - text);
    }
    return at + owner + gap;
}

/* Whether the lines behind the last blank one are the beginning of the new row's asset: it has none
 * of its own, or an owner stands before them. */
static int loose_is_asset(const reader_t *reader, const char *before)
{
    const char *first;
    size_t owner;

    if (reader->loose->nelts == 0) {
        return 0;
    }
    first = APR_ARRAY_IDX(reader->loose, 0, const char *);
    first += indent(first);
    owner = owner_length(first);
    return before[indent(before)] == '\0' || (owner > 0 && indent(first + owner) > 1);
}

static void take_asset(reader_t *reader, open_row_t *open, const char *before)
{
    int i;

    if (!loose_is_asset(reader, before)) {
        resolve_loose(reader);
    }
    for (i = 0; i < reader->loose->nelts; i++) {
        const char *text = APR_ARRAY_IDX(reader->loose, i, const char *);
        add_part(open, reader->pool, DSC_HOUSE_ASSET,
                 i == 0 ? take_owner(reader, open, text) : text);
    }
    add_part(open, reader->pool, DSC_HOUSE_ASSET,
             reader->loose->nelts > 0 ? before : take_owner(reader, open, before));
    apr_array_clear(reader->loose);
}

/* The line in which a row begins. */
static int read_transaction(reader_t *reader, const char *line)
{
    dsc_house_transaction_t found;
    open_row_t *open;
    const char *rest;

    if (!dsc_house_transaction(reader->pool, line, &found)) {
        return 0;
    }
    open = begin_row(reader, reader->line);
    open->row.sample = dsc_congress_line(reader->pool, line);
    take_asset(reader, open, apr_pstrmemdup(reader->pool, line, found.length));
    open->type_at = found.length;
    open->row.type = found.type;
    open->row.transaction_date = found.first;
    open->row.notification_date = found.second;
    rest = dsc_house_amount(&open->amount, found.after);
    if (found.type == NULL) {
        open->row.error = "no type (P, S, S (partial), E) stands before the dates";
    } else if (open->amount.state != DSC_AMOUNT_NONE && !dsc_house_is_box(rest)) {
        open->row.error = "there is text behind the amount";
    }
    reader->open = open;
    reader->part = DSC_HOUSE_ASSET;
    reader->ended = 0;
    return 1;
}

static int read_label(reader_t *reader, const char *line)
{
    dsc_house_part_t part;
    const char *value = dsc_house_label(line, &part);

    if (value == NULL) {
        return 0;
    }
    if (part == DSC_HOUSE_STATUS && reader->open != NULL &&
        reader->open->parts[DSC_HOUSE_STATUS] != NULL) {
        reader->open = NULL; /* the row before has its own */
    }
    resolve_loose(reader);
    if (reader->open == NULL) {
        refuse_line(reader, reader->line, 0, "no transaction stands before this line", line);
    }
    resolve_owner(reader->open, reader->pool, line);
    add_part(reader->open, reader->pool, part, value);
    reader->part = part;
    reader->open->row.is_row |= part == DSC_HOUSE_STATUS; /* every row has one */
    reader->mixed_case |= begins(line, "filing") &&
                          strncmp(line + indent(line), "FILING", 6) != 0 &&
                          strncmp(line + indent(line), "Filing", 6) != 0;
    return 1;
}

static void read_other(reader_t *reader, const char *line)
{
    if (dsc_house_lacks_date(reader->pool, line)) {
        resolve_loose(reader);
        refuse_line(reader, reader->line, 1, "one date stands there, not two", line);
    } else if (reader->open == NULL || reader->after_blank || reader->loose->nelts > 0) {
        reader->loose_line = reader->loose->nelts == 0 ? reader->line : reader->loose_line;
        APR_ARRAY_PUSH(reader->loose, const char *) = line;
    } else {
        go_on(reader, reader->open, line);
    }
}

/* -------------------------------------------------------------------------- reading */

static void read_line(reader_t *reader, const char *line)
{
    if (line[indent(line)] == '\0') {
        reader->after_blank = !reader->in_headings;
        return;
    }
    if (reader->error != NULL || read_filing_id(reader, line) || read_heading(reader, line) ||
        read_signature(reader, line)) {
        return;
    }
    if (!reader->seen_headings) {
        read_header(reader, line);
    } else if (dsc_house_is_end(line)) {
        resolve_loose(reader);
        reader->open = NULL;
        reader->ended = reader->is_whole = 1;
    } else if (!reader->ended && read_label(reader, line)) {
        reader->after_blank = 0;
        return;
    }
    if (!read_transaction(reader, line) && reader->seen_headings && !reader->ended) {
        read_other(reader, line);
        return; /* what is behind a blank line stays so, up to the next row or label */
    }
    reader->after_blank = 0;
}

static void read_lines(reader_t *reader, char *text)
{
    char *end;

    for (; text != NULL; text = end) {
        end = strchr(text, '\n');
        if (end != NULL) {
            *end++ = '\0';
        }
        reader->line++;
        read_line(reader, text);
    }
    if (!reader->ended) {
        resolve_loose(reader);
    }
}

/* Why it cannot be read as a whole; NULL: it can. */
static const char *text_error(const reader_t *reader, const char *text)
{
    if (reader->error != NULL) {
        return reader->error;
    }
    if (!reader->seen_headings || !reader->seen_notification) {
        return dsc_house_find(text, "Filing Type:") != NULL ||
                       dsc_house_find(text, "Financial Disclosure Report") != NULL
                   ? "it is a financial disclosure report, not a periodic transaction report"
                   : "it is no periodic transaction report: it has no table with Owner, Asset, "
                     "Transaction and Notification";
    }
    if (reader->report.filing_id == NULL || reader->report.name == NULL) {
        return reader->report.name == NULL ? "not a whole report: there is no \"Name:\""
                                           : "not a whole report: there is no \"Filing ID #\"";
    }
    if (!reader->is_whole) {
        return "not a whole report: the text ends within the table";
    }
    return reader->rows->nelts == 0 ? "there is no transaction in it" : NULL;
}

/* --------------------------------------------------------------------------- handing over */

static const char *joined(const reader_t *reader, const open_row_t *open, dsc_house_part_t part)
{
    return open->parts[part] == NULL
               ? NULL
               : dsc_congress_line(reader->pool,
                                   apr_array_pstrcat(reader->pool, open->parts[part], ' '));
}

static void finish_row(const reader_t *reader, open_row_t *open)
{
    dsc_house_row_t *row = &open->row;
    const char *asset = joined(reader, open, DSC_HOUSE_ASSET);

    row->filing_status = joined(reader, open, DSC_HOUSE_STATUS);
    row->subholding = joined(reader, open, DSC_HOUSE_SUBHOLDING);
    row->location = joined(reader, open, DSC_HOUSE_LOCATION);
    row->description = joined(reader, open, DSC_HOUSE_DESCRIPTION);
    row->comments = joined(reader, open, DSC_HOUSE_COMMENTS);
    row->amount = open->amount.text;
    if (asset != NULL) {
        row->asset = dsc_house_asset(reader->pool, asset, reader->mixed_case, &row->ticker,
                                     &row->asset_type);
    }
    if (row->is_row && row->error == NULL) {
        row->error = dsc_house_amount_error(&open->amount);
    }
    if (row->is_row && row->error == NULL && asset == NULL) {
        row->error = "no asset stands before the type";
    }
}

apr_status_t dsc_house_report_read(apr_pool_t *pool, const char *text, size_t length,
                                   dsc_house_take_t take, void *baton, const char **reason)
{
    reader_t reader = {.pool = pool};
    char *copy = clean(pool, text, length);
    apr_status_t rv = APR_SUCCESS;
    int i;

    reader.rows = apr_array_make(pool, 16, sizeof(open_row_t *));
    reader.loose = apr_array_make(pool, 8, sizeof(const char *));
    *reason = copy[strspn(copy, " \n")] == '\0'
                  ? "there is no text in it: a scanned report on paper"
                  : NULL;
    if (*reason == NULL) {
        read_lines(&reader, apr_pstrdup(pool, copy));
        *reason = text_error(&reader, copy);
    }
    if (*reason != NULL) {
        return APR_EGENERAL;
    }
    for (i = 0; rv == APR_SUCCESS && i < reader.rows->nelts; i++) {
        open_row_t *open = APR_ARRAY_IDX(reader.rows, i, open_row_t *);
        finish_row(&reader, open);
        rv = take(baton, &reader.report, &open->row);
    }
    return rv;
}
