/* Reading text files of rows under a header. */
#include "formats/delimited.h"

#include "engine/utf8.h"
#include "formats/market_date.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

enum {
    FIRST_ROOM = 1 << 16,
    ROW_LIMIT = 1 << 24, /* bytes of one row */
    MOST_FIELDS = 4096
};
#define MOST_FIELDS_TEXT "4096"

static const char delimiters[] = "|\t,;";

const char dsc_delimited_cut[] = "the file ends here without a line end: the row may be cut";

/* How lines end; a file keeps to one of them. */
static const char any_end[] = "", line_feed[] = "\n", carriage_return[] = "\r", both[] = "\r\n",
                  no_end[] = "";

/* ---------------------------------------------------------------------- the bytes */

/* Reads more; 0 at the end, -1 and *reason when the input is damaged or the row too long. */
static int fill(dsc_delimited_t *rows, const char **reason)
{
    long got;

    if (rows->begin > 0) {
        memmove(rows->bytes, rows->bytes + rows->begin, rows->end - rows->begin);
        rows->end -= rows->begin;
        rows->begin = 0;
    }
    if (rows->end + 1 >= rows->room) {
        char *grown;

        if (rows->room >= ROW_LIMIT) {
            *reason = apr_psprintf(rows->pool,
                                   "line %" APR_INT64_T_FMT ": a row of more than 16 MB: this is "
                                   "no such file",
                                   rows->next_line);
            return -1;
        }
        grown = apr_palloc(rows->pool, 2 * rows->room);
        memcpy(grown, rows->bytes, rows->end);
        rows->bytes = grown;
        rows->room *= 2;
    }
    got = rows->read(rows->baton, rows->bytes + rows->end, rows->room - rows->end - 1, reason);
    rows->ended = got == 0;
    rows->end += got > 0 ? (size_t)got : 0;
    return got < 0 ? -1 : got > 0;
}

/* The line end at a position in the bytes, of the header's kind once that is known; NULL: there is
 * none. */
static const char *line_end_at(const dsc_delimited_t *rows, const char *at)
{
    const char *end = rows->bytes + rows->end;
    const char *found = *at == '\n'                     ? line_feed
                        : *at != '\r'                   ? NULL
                        : at + 1 < end && at[1] == '\n' ? both
                                                        : carriage_return;

    return rows->line_end == any_end || found == rows->line_end ? found : NULL;
}

/* Length of the row at `begin`, and its line end; 0 if more bytes are needed. */
static int row_extent(const dsc_delimited_t *rows, size_t *length, const char **line_end)
{
    const char *from = rows->bytes + rows->begin, *at, *end = rows->bytes + rows->end;
    int is_quoted = 0, quotes = strchr(",;", rows->delimiter) != NULL;
    int is_blank = 1; /* the field as far as it goes */

    for (at = from; at < end; at++) {
        if (quotes && *at == '"' && (is_quoted || is_blank)) {
            is_quoted = !is_quoted;
            is_blank = 0;
        } else if (!is_quoted && (*at == '\n' || *at == '\r')) {
            if (*at == '\r' && at + 1 == end && !rows->ended) {
                return 0; /* its LF may follow */
            }
            *line_end = line_end_at(rows, at);
            if (*line_end != NULL) {
                *length = (size_t)(at - from);
                return 1;
            }
            is_blank = 0;
        } else if (!is_quoted && *at == rows->delimiter) {
            is_blank = 1;
        } else if (*at != ' ' && *at != '\t') {
            is_blank = 0;
        }
    }
    *length = (size_t)(end - from);
    *line_end = no_end;
    return rows->ended;
}

/* Takes the next line that holds something; the row's bytes are NUL-terminated. 0 at the end. */
static int next_row(dsc_delimited_t *rows, char **row, size_t *length, const char **reason)
{
    size_t i;

    for (;;) {
        while (!row_extent(rows, length, &rows->row_end)) {
            if (fill(rows, reason) < 0) {
                return -1;
            }
        }
        if (*length == 0 && rows->row_end == no_end) {
            return 0;
        }
        *row = rows->bytes + rows->begin;
        rows->begin += *length + strlen(rows->row_end);
        rows->line = rows->next_line;
        rows->next_line += rows->row_end != no_end;
        for (i = 0; i < *length; i++) {
            rows->next_line += (*row)[i] == '\n';
        }
        (*row)[*length] = '\0';
        if (strspn(*row, " \t") < *length) {
            return 1;
        }
    }
}

/* --------------------------------------------------------------------- the fields */

static void add_field(dsc_delimited_t *rows, char *field)
{
    if (rows->field_count == rows->field_room) {
        int room = rows->field_room > 0 ? 2 * rows->field_room : 32;
        char **grown = apr_palloc(rows->pool, sizeof(*grown) * (size_t)room);

        if (rows->field_count > 0) {
            memcpy(grown, rows->fields, sizeof(*grown) * (size_t)rows->field_count);
        }
        rows->fields = grown;
        rows->field_room = room;
    }
    rows->fields[rows->field_count++] = field;
}

static void set_error(dsc_delimited_t *rows, const char *error)
{
    rows->error = rows->error == NULL ? error : rows->error;
}

/* The field whose opening quote is before `from`, unquoted in its place; what follows the closing
 * quote is its delimiter: other text shows that a quote was lost before. *end is NULL if no quote
 * closes it. */
static char *unquote(dsc_delimited_t *rows, char *from, char **end)
{
    char *to = from, *at = from;
    int is_quoted = 1;

    for (; *at != '\0' && (is_quoted || *at != rows->delimiter); at++) {
        if (!is_quoted) {
            if (*at != ' ' && *at != '\t') {
                set_error(rows, "text follows a quoted field");
            }
        } else if (*at != '"') {
            *to++ = *at;
        } else if (at[1] == '"') {
            *to++ = *at++;
        } else {
            is_quoted = 0;
        }
    }
    *end = is_quoted ? NULL : at;
    return to;
}

/* A field without quotes: its end, where the delimiter is or nothing. */
static char *plain_end(dsc_delimited_t *rows, char *from)
{
    char *end = from + strcspn(from, (char[]){rows->delimiter, '\0'});

    if (memchr(from, '\n', (size_t)(end - from)) != NULL ||
        memchr(from, '\r', (size_t)(end - from)) != NULL) {
        set_error(rows, "the row holds a line end of another kind than the header's");
    }
    return end;
}

/* Takes the row apart; 0 if a quote is not closed. */
static int split(dsc_delimited_t *rows, char *at)
{
    int quotes = strchr(",;", rows->delimiter) != NULL;

    rows->field_count = 0;
    for (;;) {
        char *from = at + (rows->delimiter == '\t' ? 0 : strspn(at, " \t")), *end, *stop;
        int has_next;

        from += strspn(from, " ");
        rows->ends_quoted = quotes && *from == '"';
        if (rows->ends_quoted) {
            stop = unquote(rows, ++from, &end);
            if (end == NULL) {
                return 0;
            }
        } else {
            end = stop = plain_end(rows, from);
        }
        has_next = *end != '\0';
        while (stop > from && strchr(" \t\r\n", stop[-1]) != NULL) {
            stop--;
        }
        *stop = '\0';
        add_field(rows, from);
        if (has_next && rows->field_count == MOST_FIELDS) {
            set_error(rows, "the row has more than " MOST_FIELDS_TEXT " fields");
            return 1;
        }
        if (!has_next) {
            return 1;
        }
        at = end + 1;
    }
}

/* --------------------------------------------------------------------- the header */

const char *dsc_delimited_name(apr_pool_t *pool, const char *name)
{
    char *plain = apr_palloc(pool, strlen(name) + 1), *to = plain;

    for (; *name != '\0'; name++) {
        if (apr_isalnum(*name)) {
            *to++ = (char)apr_tolower(*name);
        }
    }
    *to = '\0';
    return plain;
}

/* The one that occurs most; a comma if none does: the file has one column. */
static char delimiter_of(const char *row)
{
    char best = ',';
    int most = 0;

    for (const char *candidate = delimiters; *candidate != '\0'; candidate++) {
        int count = 0;

        for (const char *at = row; *at != '\0'; at++) {
            count += *at == *candidate;
        }
        if (count > most) {
            best = *candidate;
            most = count;
        }
    }
    return best;
}

/* Passes over a byte order mark; what shows that the file is no such text, or NULL. */
static const char *begin_error(dsc_delimited_t *rows)
{
    const char *bytes = rows->bytes;
    size_t length = rows->end;

    if (length == 0) {
        return "the file is empty";
    }
    if (length >= 2 && (memcmp(bytes, "\xFF\xFE", 2) == 0 || memcmp(bytes, "\xFE\xFF", 2) == 0)) {
        return "the file is in UTF-16: UTF-8 is expected";
    }
    if (memchr(bytes, '\0', length) != NULL) {
        return "the file is binary: text is expected";
    }
    rows->begin = dsc_utf8_mark(bytes, length);
    return NULL;
}

/* Such a quote takes in all that follows: the rest of the file cannot be determined from it. */
static const char *unclosed(const dsc_delimited_t *rows)
{
    return apr_psprintf(rows->pool, "line %" APR_INT64_T_FMT ": a quoted field does not end",
                        rows->line);
}

int dsc_delimited_open(dsc_delimited_t *rows, apr_pool_t *pool, dsc_delimited_read_t *read,
                       void *baton, const char **reason)
{
    const char **columns;
    size_t length;
    char *row;
    int i;

    memset(rows, 0, sizeof(*rows));
    rows->pool = pool;
    rows->read = read;
    rows->baton = baton;
    rows->room = FIRST_ROOM;
    rows->bytes = apr_palloc(pool, rows->room);
    rows->next_line = 1;
    rows->line_end = any_end;
    rows->delimiter = '\n'; /* no quotes yet */
    if (fill(rows, reason) < 0 || (*reason = begin_error(rows)) != NULL) {
        return 0;
    }
    do {
        if ((i = next_row(rows, &row, &length, reason)) <= 0) {
            *reason = i == 0 ? "the file has no header" : *reason;
            return 0;
        }
    } while (*row == '#');
    rows->delimiter = delimiter_of(row);
    if (rows->row_end == no_end) {
        *reason = "the file ends in its header";
        return 0;
    }
    rows->line_end = rows->row_end;
    if (!split(rows, row)) {
        *reason = unclosed(rows);
        return 0;
    }
    if (rows->field_count == MOST_FIELDS && rows->error != NULL) {
        *reason = "the header has more than " MOST_FIELDS_TEXT " columns: this is no such file";
        return 0;
    }
    columns = apr_palloc(pool, sizeof(*columns) * (size_t)rows->field_count);
    for (i = 0; i < rows->field_count; i++) {
        columns[i] = dsc_delimited_name(pool, rows->fields[i]);
    }
    rows->columns = columns;
    rows->column_count = rows->field_count;
    return 1;
}

static long read_file(void *file, void *bytes, size_t size, const char **reason)
{
    return dsc_import_read(file, bytes, size, reason);
}

int dsc_delimited_open_file(dsc_delimited_t *rows, apr_pool_t *pool, dsc_import_file_t *file,
                            const char **reason)
{
    return dsc_delimited_open(rows, pool, read_file, file, reason);
}

/* Whether nothing longer begins like the row's last field: more digits might follow a number. */
static int is_whole(const dsc_delimited_t *rows)
{
    const char *last = rows->fields[rows->field_count - 1];

    return rows->last_is_ignored || rows->ends_quoted ||
           (strpbrk(last, "-/") != NULL && dsc_plain_date(rows->pool, last) != NULL);
}

/* Whether the field is the name of the column, which is lower case, letters and digits alone. */
static int is_named(const char *field, const char *name)
{
    for (; *field != '\0'; field++) {
        if (apr_isalnum(*field) && (char)apr_tolower(*field) != *name++) {
            return 0;
        }
    }
    return *name == '\0';
}

/* The column that the row's field is the name of, its own if it may be; -1: it is none. */
static int column_named(const dsc_delimited_t *rows, int field)
{
    const char *text = rows->fields[field];

    if (*text == '\0' || (field < rows->column_count && is_named(text, rows->columns[field]))) {
        return *text == '\0' ? -1 : field;
    }
    for (int i = 0; i < rows->column_count; i++) {
        if (*rows->columns[i] != '\0' && is_named(text, rows->columns[i])) {
            return i;
        }
    }
    return -1;
}

/* Files that are joined have their headers within. 1: the row names the columns again, 0: it is no
 * header, -1: it says that other columns follow. A name in one of the first fields leads there: so
 * rows are looked through fast. */
static int is_header(const dsc_delimited_t *rows)
{
    int names = 0, moved = 0, last = -1;

    if (column_named(rows, 0) < 0 && (rows->field_count < 2 || column_named(rows, 1) < 0)) {
        return 0;
    }
    for (int i = 0; i < rows->field_count; i++) {
        int column = column_named(rows, i);

        names += column >= 0 && column != last; /* two fields that say the same are no header */
        moved |= column >= 0 ? column != i : *rows->fields[i] != '\0';
        last = column >= 0 ? column : last;
    }
    return names < 2 ? 0 : moved ? -1 : 1;
}

const char *dsc_delimited_other_header(const dsc_delimited_t *rows)
{
    return apr_psprintf(rows->pool,
                        "line %" APR_INT64_T_FMT ": another header: here begins another file, "
                        "whose columns are others",
                        rows->line);
}

int dsc_delimited_next(dsc_delimited_t *rows, const char **reason)
{
    size_t length;
    char *row;
    int found, header;

    if (rows->twice != NULL) {
        *reason = apr_psprintf(rows->pool, "two columns are named %s", rows->twice);
        return -1;
    }
    found = next_row(rows, &row, &length, reason);

    rows->field_count = 0;
    if (found <= 0) {
        return found;
    }
    rows->error = strlen(row) < length ? "the row holds a NUL byte" : NULL;
    if (!split(rows, row) && rows->error == NULL) {
        *reason = unclosed(rows);
        return -1;
    }
    if ((header = is_header(rows)) < 0) {
        *reason = dsc_delimited_other_header(rows);
        return -1;
    }
    if (header > 0) {
        set_error(rows, "the header again");
    }
    if (rows->field_count != rows->column_count) {
        apr_snprintf(rows->error_text, sizeof(rows->error_text),
                     "the row has %d fields, the header %d", rows->field_count, rows->column_count);
        set_error(rows, rows->error_text);
    } else if (rows->row_end == no_end && !is_whole(rows)) {
        set_error(rows, dsc_delimited_cut);
    }
    return 1;
}

/* The first column of the name; which of two is meant nobody knows. */
static int find_column(dsc_delimited_t *rows, const char *name)
{
    int found = -1;

    for (int i = 0; i < rows->column_count; i++) {
        if (strcmp(rows->columns[i], name) == 0) {
            rows->twice = found >= 0 ? name : rows->twice;
            found = found >= 0 ? found : i;
        }
    }
    return found;
}

int dsc_delimited_column(dsc_delimited_t *rows, const char *const *names)
{
    int found = -1;

    while (found < 0 && *names != NULL) {
        found = find_column(rows, *names++);
    }
    return found;
}

const char *dsc_delimited_field(const dsc_delimited_t *rows, int column)
{
    return column < 0 || column >= rows->field_count || *rows->fields[column] == '\0'
               ? NULL
               : rows->fields[column];
}
