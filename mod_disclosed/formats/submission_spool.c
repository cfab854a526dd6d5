#include "formats/submission_spool.h"

#include "engine/utf8.h"
#include "engine/buffer.h"
#include "formats/eastern_time.h"
#include "formats/import_location.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>
#include <strings.h>

enum {
    LARGEST_HEADER = 8 << 20 /* of the submission and its documents, together */
};

typedef enum {
    PART_OUTSIDE, /* the submission's header, and between documents */
    PART_HEADER,  /* of a document */
    PART_TEXT
} part_t;

/* The file while its lines are being read. What is to be parsed goes into `outline`: all but the
 * documents' texts. */
typedef struct {
    apr_pool_t *pool;
    const dsc_piece_t *file;
    dsc_buffer_t *outline;
    apr_array_header_t *gaps;   /* dsc_sgml_gap_t */
    apr_array_header_t *bodies; /* dsc_piece_t, one for each <TEXT> */
    part_t part;
    apr_uint64_t text_start;
    long line, outline_line; /* lines begun so far, in the file and in the outline */
    const char *error;       /* the first one that the outline does not show */
} scan_t;

/* A line, or as much of a long one as a chunk holds. */
typedef struct {
    const char *bytes;
    size_t length;   /* with its LF */
    apr_uint64_t at; /* in the file */
    int begins;      /* the line begins here */
} fragment_t;

static int starts_with(const fragment_t *fragment, const char *tag)
{
    size_t length = strlen(tag);

    return fragment->begins && fragment->length >= length &&
           memcmp(fragment->bytes, tag, length) == 0;
}

static void keep(scan_t *scan, const fragment_t *fragment)
{
    dsc_buffer_append(scan->outline, fragment->bytes, fragment->length);
    scan->outline_line += fragment->begins;
}

/* The text begins behind its tag, on the same line. */
static void begin_text(scan_t *scan, const fragment_t *fragment)
{
    dsc_piece_t none = {NULL, NULL, 0, 0};

    scan->part = PART_TEXT;
    scan->text_start = fragment->at + strlen("<TEXT>");
    APR_ARRAY_PUSH(scan->bodies, dsc_piece_t) = none;
    dsc_buffer_append_text(scan->outline, "<TEXT>\n");
    scan->outline_line++;
}

static void set_error(scan_t *scan, const char *what)
{
    scan->error = scan->error != NULL ? scan->error
                                      : apr_psprintf(scan->pool, "line %ld: %s", scan->line, what);
}

/* A second </TEXT>, or something behind it: the end of a document and the beginning of the next are
 * missing. */
static void check_end(scan_t *scan, const dsc_piece_t *text, apr_uint64_t end)
{
    dsc_piece_t rest = dsc_piece_part(text, end + strlen("</TEXT>"), text->length);

    if (dsc_piece_skip_blank(&rest).length > 0 ||
        dsc_piece_find(text, 0, "</TEXT>") != (apr_int64_t)end) {
        set_error(scan, "a document goes on after its </TEXT>");
    }
}

/* The document ends here, its text at the last </TEXT>, which may be behind text on its line. */
static void end_document(scan_t *scan, const fragment_t *fragment)
{
    dsc_piece_t text =
        dsc_piece_part(scan->file, scan->text_start, fragment->at - scan->text_start);
    apr_int64_t end = scan->part == PART_TEXT ? dsc_piece_find_last(&text, "</TEXT>") : -1;
    dsc_sgml_gap_t gap;

    if (end >= 0) {
        check_end(scan, &text, (apr_uint64_t)end);
        text.length = (apr_uint64_t)end;
        APR_ARRAY_IDX(scan->bodies, scan->bodies->nelts - 1, dsc_piece_t) = text;
        dsc_buffer_append_text(scan->outline, "</TEXT>\n");
        scan->outline_line++;
    }
    gap.position = scan->outline->length;
    gap.lines = scan->line - (scan->outline_line + 1);
    APR_ARRAY_PUSH(scan->gaps, dsc_sgml_gap_t) = gap;
    keep(scan, fragment);
    scan->part = PART_OUTSIDE;
}

static void take_fragment(scan_t *scan, const fragment_t *fragment)
{
    scan->line += fragment->begins;
    if (scan->part != PART_OUTSIDE && starts_with(fragment, "</DOCUMENT>")) {
        end_document(scan, fragment);
    } else if (scan->part == PART_HEADER && starts_with(fragment, "<TEXT>")) {
        begin_text(scan, fragment);
    } else if (scan->part == PART_TEXT) {
        const char *tag =
            fragment->begins ? dsc_sgml_structure(fragment->bytes, fragment->length) : NULL;

        if (tag != NULL) {
            set_error(scan, apr_pstrcat(scan->pool, tag, " within the text of a document", NULL));
        }
    } else {
        if (scan->part == PART_OUTSIDE && starts_with(fragment, "<DOCUMENT>")) {
            scan->part = PART_HEADER;
        }
        keep(scan, fragment);
    }
}

/* Takes the lines that a chunk holds; returns how many of its bytes they are. */
static size_t take_lines(scan_t *scan, const char *chunk, size_t length, apr_uint64_t at,
                         int *begins, int is_last)
{
    size_t done = 0;

    while (done < length) {
        const char *end = memchr(chunk + done, '\n', length - done);
        fragment_t fragment = {chunk + done, 0, at + done, *begins};

        if (end == NULL && !is_last && done > 0) {
            break; /* more of the line will follow */
        }
        fragment.length = end == NULL ? length - done : (size_t)(end - fragment.bytes) + 1;
        take_fragment(scan, &fragment);
        *begins = end != NULL;
        done += fragment.length;
    }
    return done;
}

static int read_lines(scan_t *scan, const char **reason)
{
    char *chunk = apr_palloc(scan->pool, DSC_SPOOL_CHUNK);
    apr_uint64_t at = 0;
    int begins = 1;

    while (at < scan->file->length) {
        long got = dsc_piece_read(scan->file, at, chunk, DSC_SPOOL_CHUNK);

        if (got <= 0) {
            *reason = "the temporary file cannot be read";
            return 0;
        }
        at += take_lines(scan, chunk, (size_t)got, at, &begins,
                         at + (apr_uint64_t)got == scan->file->length);
        if (scan->outline->length > LARGEST_HEADER) {
            *reason = "the headers are longer than 8 MB";
            return 0;
        }
    }
    return 1;
}

/* Gives the documents that have a text theirs, in order. */
static void place_bodies(const scan_t *scan, dsc_sgml_submission_t *submission)
{
    int body = 0;

    for (int i = 0; i < submission->documents->nelts; i++) {
        dsc_sgml_document_t *document =
            &APR_ARRAY_IDX(submission->documents, i, dsc_sgml_document_t);

        if (document->text != NULL) {
            document->body = APR_ARRAY_IDX(scan->bodies, body++, dsc_piece_t);
            document->text = NULL;
            document->length = 0;
        }
    }
}

int dsc_is_submission_name(const char *name)
{
    size_t length = strlen(name) - dsc_import_compression(name);

    return (length > strlen(".txt") && strncasecmp(name + length - 4, ".txt", 4) == 0) ||
           (length > strlen(".nc") && strncasecmp(name + length - 3, ".nc", 3) == 0);
}

int dsc_is_submission(const dsc_piece_t *file)
{
    static const char *const openings[] = {"<SEC-DOCUMENT>", "<SEC-HEADER>",       "<IMS-DOCUMENT>",
                                           "<SUBMISSION>",   "-----BEGIN PRIVACY", NULL};
    char head[4096];
    long got = dsc_piece_read(file, 0, head, sizeof(head) - 1);
    const char *at = head;

    head[got > 0 ? got : 0] = '\0';
    at += dsc_utf8_mark(at, strlen(at));
    while (apr_isspace(*at)) {
        at++;
    }
    for (int i = 0; openings[i] != NULL; i++) {
        if (strncmp(at, openings[i], strlen(openings[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

dsc_sgml_submission_t *dsc_submission_read(apr_pool_t *pool, const dsc_piece_t *file,
                                           const char **header, const char **reason)
{
    scan_t scan = {.pool = pool, .file = file, .part = PART_OUTSIDE};
    dsc_sgml_submission_t *submission;
    char *text;
    size_t length;

    scan.outline = dsc_buffer_create(pool, DSC_SPOOL_CHUNK);
    scan.gaps = apr_array_make(pool, 8, sizeof(dsc_sgml_gap_t));
    scan.bodies = apr_array_make(pool, 8, sizeof(dsc_piece_t));
    if (!read_lines(&scan, reason)) {
        return NULL;
    }
    if (scan.error != NULL) {
        *reason = scan.error;
        return NULL;
    }
    (void)dsc_buffer_text(scan.outline);
    text = scan.outline->data;
    length = scan.outline->length;
    submission = dsc_sgml_parse_gaps(pool, text, length, scan.gaps, reason);
    if (submission != NULL) {
        place_bodies(&scan, submission);
    }
    if (header != NULL) {
        *header = text;
    }
    return submission;
}

dsc_piece_t dsc_submission_unwrap(const dsc_sgml_document_t *document)
{
    static const struct {
        const char *begin, *end;
    } wrappers[] = {{"<XBRL>", "</XBRL>"}, {"<XML>", "</XML>"}};
    dsc_piece_t text = dsc_piece_skip_blank(&document->body);

    for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
        if (dsc_piece_begins_with(&text, wrappers[i].begin)) {
            apr_int64_t end;

            text = dsc_piece_part(&text, strlen(wrappers[i].begin), text.length);
            end = dsc_piece_find_last(&text, wrappers[i].end);
            text.length = end < 0 ? text.length : (apr_uint64_t)end;
            break;
        }
    }
    return dsc_piece_skip_blank(&text);
}

int dsc_submission_accepted_at(apr_pool_t *pool, const dsc_sgml_submission_t *submission,
                               const char **accepted_at, const char **reason)
{
    const char *accepted = submission->accepted;

    *accepted_at = NULL;
    if (!accepted || dsc_acceptance_to_utc(pool, accepted, accepted_at)) {
        return 1;
    }
    *reason = apr_psprintf(pool, "header: acceptance time \"%s\" is not of the form YYYYMMDDHHMMSS",
                           accepted);
    return 0;
}
