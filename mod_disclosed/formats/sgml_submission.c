/* A full submission as EDGAR stores it: a header and documents, in SGML of sorts. */
#include "formats/sgml_submission.h"

#include "engine/utf8.h"
#include "formats/sgml_label.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What is being read. */
typedef struct {
    apr_pool_t *pool;
    const char *start;
    const char *at; /* the next line */
    const char *end;
    dsc_sgml_submission_t *submission;
    dsc_sgml_entity_t *entity; /* whose facts the header's lines are now; NULL: the submission's */
    const char *role;          /* heading of an entity that has not shown its CIK yet */
    const char *opening;       /* the line that opens the submission */
    const char *closing;       /* the tag that closes it, */
    int envelopes;             /* so many times */
    int has_own_form;          /* one of the filers has the submission's form */
    const char *count;         /* of the documents, as the header says; NULL: it does not */
    const apr_array_header_t *gaps; /* NULL: none */
    const char *reason;
} reader_t;

/* Tags of .nc files that begin an entity; .txt files have a line of its own at the margin. */
static const char *const entity_tags[] = {"FILER",       "SUBJECT-COMPANY", "FILED-BY",
                                          "FILED-FOR",   "REPORTING-OWNER", "ISSUER",
                                          "DEPOSITOR",   "SECURITIZER",     "ISSUING-ENTITY",
                                          "UNDERWRITER", "SERIAL-COMPANY",  NULL};

/* Lines that were left out of the text before a position of it. */
static int gap_before(const reader_t *reader, size_t position)
{
    int lines = 0;

    for (int i = 0; reader->gaps && i < reader->gaps->nelts; i++) {
        const dsc_sgml_gap_t *gap = &APR_ARRAY_IDX(reader->gaps, i, dsc_sgml_gap_t);

        lines = gap->position <= position ? (int)gap->lines : lines;
    }
    return lines;
}

static int line_of(const reader_t *reader, const char *at)
{
    const char *newline = reader->start;
    int line = 1;

    while ((newline = memchr(newline, '\n', (size_t)(at - newline))) != NULL) {
        newline++;
        line++;
    }
    return line + gap_before(reader, (size_t)(at - reader->start));
}

/* The submission is no good at the position `at`, for that reason. Always 0. */
static int error(reader_t *reader, const char *at, const char *what)
{
    reader->reason = apr_psprintf(reader->pool, "line %d: %s", line_of(reader, at), what);
    return 0;
}

size_t dsc_normalise_lines(char *text, size_t length)
{
    char *to = text;
    size_t i;

    if (!memchr(text, '\r', length)) {
        return length;
    }
    for (i = 0; i < length; i++) {
        if (text[i] != '\r') {
            *to++ = text[i];
        } else if (i + 1 >= length || text[i + 1] != '\n') {
            *to++ = '\n';
        }
    }
    *to = '\0';
    return (size_t)(to - text);
}

/* The bytes without white space at either end. */
static const char *trimmed(apr_pool_t *pool, const char *from, const char *to)
{
    while (from < to && apr_isspace(*from)) {
        from++;
    }
    while (to > from && apr_isspace(to[-1])) {
        to--;
    }
    return apr_pstrmemdup(pool, from, (apr_size_t)(to - from));
}

/* The next line's bounds; 0 at the end. */
static int next_line(reader_t *reader, const char **from, const char **to)
{
    if (reader->at >= reader->end) {
        return 0;
    }
    *from = reader->at;
    *to = memchr(*from, '\n', (size_t)(reader->end - *from));
    *to = *to ? *to : reader->end;
    reader->at = *to < reader->end ? *to + 1 : reader->end;
    return 1;
}

static int starts_with(const char *from, const char *to, const char *prefix)
{
    size_t length = strlen(prefix);

    return (size_t)(to - from) >= length && !memcmp(from, prefix, length);
}

/* The first of the needle at the beginning of a line; NULL if there is none. */
static const char *find_line(const char *from, const char *end, const char *needle)
{
    size_t length = strlen(needle);
    const char *at = from;

    while (at && (size_t)(end - at) >= length) {
        if (!memcmp(at, needle, length)) {
            return at;
        }
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    return NULL;
}

/* Whether nothing but white space is there. */
static int is_blank(const char *from, const char *to)
{
    while (from < to && apr_isspace(*from)) {
        from++;
    }
    return from >= to;
}

/* Takes a value that a submission or document has once; one that appears twice and differs is an
 * error at `at`. */
static int take_once(reader_t *reader, const char *at, const char *label, const char **field,
                     const char *value)
{
    if (!value || !*value) {
        return 1;
    }
    if (*field && strcmp(*field, value) != 0) {
        return error(reader, at,
                     apr_psprintf(reader->pool, "%s is %s here and %s before: nobody knows which",
                                  label, value, *field));
    }
    *field = value;
    return 1;
}

/* --------------------------------------------------------------- header */

/* YYYYMMDD as YYYY-MM-DD; other texts as they are, for the loader to judge. */
static const char *dashed_date(apr_pool_t *pool, const char *text)
{
    if (strlen(text) != 8 || strspn(text, "0123456789") != 8) {
        return *text ? text : NULL;
    }
    return apr_psprintf(pool, "%.4s-%.2s-%.2s", text, text + 4, text + 6);
}

static dsc_sgml_entity_t *find_entity(const reader_t *reader, const char *cik)
{
    apr_array_header_t *entities = reader->submission->entities;
    int i;

    for (i = 0; i < entities->nelts; i++) {
        dsc_sgml_entity_t *entity = &APR_ARRAY_IDX(entities, i, dsc_sgml_entity_t);

        if (!strcmp(entity->cik, cik)) {
            return entity;
        }
    }
    return NULL;
}

/* An entity is known by its CIK: its heading and, as a rule, its name have come before. One that
 * comes twice, as issuer and as filer of its own schedule, is one entity. */
static void take_cik(reader_t *reader, const char *cik, const char *name)
{
    dsc_sgml_entity_t *entity = find_entity(reader, cik);

    if (!entity) {
        entity = apr_array_push(reader->submission->entities);
        memset(entity, 0, sizeof(*entity));
        entity->role = reader->role ? reader->role : "FILER";
        entity->cik = cik;
    }
    entity->name = entity->name ? entity->name : name;
    reader->entity = entity;
}

/* Whether it is a central index key. */
static int is_cik(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits >= 1 && digits <= 10 && !text[digits];
}

static int take_entity_field(reader_t *reader, const char *at, const char *label,
                             dsc_sgml_field_t field, const char *value, const char **name)
{
    if (!*value) {
        return 1;
    }
    if (field == DSC_SGML_NAME) {
        *name = value;
    } else if (field == DSC_SGML_CIK) {
        if (!is_cik(value)) {
            return error(reader, at,
                         apr_psprintf(reader->pool, "%s is not a number of up to ten digits: %s",
                                      label, value));
        }
        take_cik(reader, value, *name);
    } else if (reader->entity && !reader->entity->file_number) {
        reader->entity->file_number = value;
    }
    return 1;
}

/* The form is stated once more for each filer, after the submission's own. */
static void take_form_type(reader_t *reader, const char *value)
{
    dsc_sgml_submission_t *submission = reader->submission;

    if (submission->form && !strcmp(submission->form, value)) {
        reader->has_own_form = 1;
    } else if (*value && !submission->filers_form) {
        submission->filers_form = value;
    }
}

/* `at`: where the line of the field begins, `label` what it is called there. */
static int take_field(reader_t *reader, const char *at, const char *label, dsc_sgml_field_t field,
                      const char *value, const char **name)
{
    dsc_sgml_submission_t *submission = reader->submission;

    switch (field) {
    case DSC_SGML_ACCESSION:
        return take_once(reader, at, label, &submission->accession, value);
    case DSC_SGML_FORM:
        return take_once(reader, at, label, &submission->form, value);
    case DSC_SGML_PERIOD:
        return take_once(reader, at, label, &submission->period, dashed_date(reader->pool, value));
    case DSC_SGML_FILED_ON:
        return take_once(reader, at, label, &submission->filed_on,
                         dashed_date(reader->pool, value));
    case DSC_SGML_ACCEPTED:
        return take_once(reader, at, label, &submission->accepted, value);
    case DSC_SGML_COUNT:
        return take_once(reader, at, label, &reader->count, value);
    case DSC_SGML_ITEM:
        APR_ARRAY_PUSH(submission->items, const char *) = value;
        return 1;
    case DSC_SGML_FORM_TYPE:
        take_form_type(reader, value);
        return 1;
    default:
        return take_entity_field(reader, at, label, field, value, name);
    }
}

static int is_entity_tag(const char *label)
{
    int i;

    for (i = 0; entity_tags[i]; i++) {
        if (!strcmp(entity_tags[i], label)) {
            return 1;
        }
    }
    return 0;
}

/* One line of the header, "LABEL: value" or "<LABEL>value". */
static int take_header_line(reader_t *reader, const char *from, const char *to, const char **name)
{
    int is_tag = from < to && *from == '<';
    const char *stop = from < to ? memchr(from, is_tag ? '>' : ':', (size_t)(to - from)) : NULL;
    const char *damaged = dsc_sgml_damaged_label(from, to);
    dsc_sgml_field_t field;
    const char *label;
    const char *value;

    if (damaged) {
        return error(reader, from,
                     apr_pstrcat(reader->pool, damaged,
                                 " is damaged, or not at the beginning of its line", NULL));
    }
    if (!stop) {
        return 1;
    }
    label = trimmed(reader->pool, from + is_tag, stop);
    value = trimmed(reader->pool, stop + 1, to);
    field = dsc_sgml_field(label);
    if (field != DSC_SGML_OTHER) {
        return take_field(reader, from, label, field, value, name);
    }
    if (!*value && (is_tag ? is_entity_tag(label) : !apr_isspace(*from))) {
        reader->role = label;
        reader->entity = NULL;
        *name = NULL;
    }
    return 1;
}

/* Steps over the privacy-enhanced mail's own header to the line that opens the submission. */
static int open_submission(reader_t *reader)
{
    static const char *const openings[][2] = {{"<SEC-DOCUMENT>", "</SEC-DOCUMENT>"},
                                              {"<IMS-DOCUMENT>", "</IMS-DOCUMENT>"},
                                              {"<SUBMISSION>", "</SUBMISSION>"}};
    const char *from, *to;
    size_t line, i;

    for (line = 0; line < 40 && next_line(reader, &from, &to); line++) {
        from += line == 0 ? dsc_utf8_mark(from, (size_t)(to - from)) : 0;
        if (starts_with(from, to, "-----BEGIN PRIVACY-ENHANCED MESSAGE-----")) {
            reader->submission->dash_escaped = 1;
        }
        if (starts_with(from, to, "<SEC-HEADER>") || starts_with(from, to, "<IMS-HEADER>")) {
            return error(reader, from, "<SEC-DOCUMENT>, which opens a submission, is missing");
        }
        for (i = 0; i < sizeof(openings) / sizeof(openings[0]); i++) {
            if (starts_with(from, to, openings[i][0])) {
                reader->opening = trimmed(reader->pool, from, to);
                reader->closing = openings[i][1];
                return 1;
            }
        }
    }
    return error(reader, reader->start,
                 "not a full submission: neither <SEC-DOCUMENT> nor "
                 "<SUBMISSION> opens it");
}

/* Whether a line is of a document: a header has none such. */
static int is_of_document(const char *from, const char *to)
{
    return starts_with(from, to, "<SEQUENCE>") || starts_with(from, to, "<TEXT>") ||
           starts_with(from, to, "</DOCUMENT>");
}

/* The lines up to the header's end, which has a tag of its own but in .nc files. */
static int read_header_lines(reader_t *reader)
{
    int has_end = strcmp(reader->closing, "</SUBMISSION>") != 0;
    const char *name = NULL;
    const char *from, *to;

    while (next_line(reader, &from, &to)) {
        if (starts_with(from, to, "</SEC-HEADER>") || starts_with(from, to, "</IMS-HEADER>")) {
            return 1;
        }
        if (starts_with(from, to, "<DOCUMENT>") || starts_with(from, to, reader->closing)) {
            reader->at = from;
            return has_end ? error(reader, from, "the header ends without </SEC-HEADER>") : 1;
        }
        if (is_of_document(from, to)) {
            return error(reader, from, "a document stands in the header: <DOCUMENT> is missing");
        }
        if (!take_header_line(reader, from, to, &name)) {
            return 0;
        }
    }
    return error(reader, reader->end, "the file is cut off within its header");
}

/* Whether the line that opens the submission, "<SEC-DOCUMENT>0000320193-24-000061.txt : 20240429",
 * names that accession number, if any. */
static int names_accession(const char *opening, const char *accession)
{
    static const char digits[] = "0123456789";
    const char *at;

    for (at = opening; (at = strpbrk(at, digits)) != NULL; at += strspn(at, digits)) {
        if (strspn(at, digits) == 10 && at[10] == '-' && strspn(at + 11, digits) == 2) {
            return !strncmp(at, accession, strlen(accession));
        }
    }
    return 1;
}

static int read_one_header(reader_t *reader)
{
    const dsc_sgml_submission_t *submission = reader->submission;

    if (!read_header_lines(reader)) {
        return 0;
    }
    if (!submission->accession) {
        return error(reader, reader->at, "the header ends without an accession number");
    }
    if (!submission->form || !submission->filed_on) {
        return error(reader, reader->at,
                     submission->form ? "the header ends without a filing date"
                                      : "the header ends without a submission type");
    }
    if (submission->entities->nelts == 0) {
        return error(reader, reader->at, "the header ends without a filer's central index key");
    }
    if (reader->has_own_form) {
        reader->submission->filers_form = NULL;
    }
    if (!names_accession(reader->opening, submission->accession)) {
        return error(reader, reader->at,
                     "the accession number is not that of the submission's first line");
    }
    return 1;
}

/* Whether the submission is opened once more: some of 1995 are in an envelope that has the header,
 * too. */
static int open_again(reader_t *reader)
{
    static const char tag[] = "<SEC-DOCUMENT>";
    const char *open = find_line(reader->at, reader->end, tag), *from, *to;

    if (strcmp(reader->closing, "</SEC-DOCUMENT>") != 0 || !open || !is_blank(reader->at, open)) {
        return 0;
    }
    reader->at = open;
    if (!next_line(reader, &from, &to)) {
        return 0;
    }
    reader->opening = trimmed(reader->pool, from, to);
    return 1;
}

/* Headers of one submission say the same: its fields are taken once, and its items count once. */
static int read_header(reader_t *reader)
{
    do {
        apr_array_clear(reader->submission->items);
        reader->role = NULL;
        reader->entity = NULL;
        reader->envelopes++;
        if (!read_one_header(reader)) {
            return 0;
        }
    } while (open_again(reader));
    return 1;
}

/* ------------------------------------------------------------ documents */

/* The last "</TEXT>" before the end of the document: it may be after text on its line. */
static const char *find_text_end(const char *from, const char *end)
{
    static const char tag[] = "</TEXT>";
    const char *at;

    for (at = end - (sizeof(tag) - 1); at >= from; at--) {
        if (*at == '<' && !memcmp(at, tag, sizeof(tag) - 1)) {
            return at;
        }
    }
    return NULL;
}

static int take_document_field(reader_t *reader, dsc_sgml_document_t *document, const char *from,
                               const char *to)
{
    const struct {
        const char *tag;
        const char **value;
    } fields[] = {{"<TYPE>", &document->type},
                  {"<SEQUENCE>", &document->sequence},
                  {"<FILENAME>", &document->file_name},
                  {"<DESCRIPTION>", &document->description}};
    size_t i;

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (starts_with(from, to, fields[i].tag)) {
            return take_once(reader, from, fields[i].tag, fields[i].value,
                             trimmed(reader->pool, from + strlen(fields[i].tag), to));
        }
    }
    return 1;
}

const char *dsc_sgml_structure(const char *line, size_t length)
{
    static const char *const tags[] = {"<DOCUMENT>",     "<TYPE>",
                                       "<SEQUENCE>",     "<TEXT>",
                                       "<SEC-DOCUMENT>", "</SEC-DOCUMENT>",
                                       "<IMS-DOCUMENT>", "</IMS-DOCUMENT>",
                                       "<SUBMISSION>",   "</SUBMISSION>",
                                       "<SEC-HEADER>",   "</SEC-HEADER>",
                                       "<FILENAME>",     NULL};
    int i;

    for (i = 0; *line == '<' && tags[i]; i++) {
        if (length >= strlen(tags[i]) && !memcmp(line, tags[i], strlen(tags[i]))) {
            return tags[i];
        }
    }
    return NULL;
}

/* A tag within the text says that its end is missing, and text behind its end that something is. */
static int check_text(reader_t *reader, const char *from, const char *text_end, const char *close)
{
    const char *at;

    for (at = from; (at = memchr(at, '\n', (size_t)(text_end - at))) != NULL;) {
        const char *tag = dsc_sgml_structure(at + 1, (size_t)(text_end - at) - 1);

        at++;
        if (tag) {
            return error(reader, at,
                         apr_pstrcat(reader->pool, tag, " within the text of a document", NULL));
        }
    }
    if (find_text_end(from, text_end) || !is_blank(text_end + strlen("</TEXT>"), close)) {
        return error(reader, text_end, "a document goes on after its </TEXT>");
    }
    return 1;
}

static int read_text(reader_t *reader, dsc_sgml_document_t *document, const char *from,
                     const char *close)
{
    const char *text_end;

    document->text = from + strlen("<TEXT>");
    text_end = find_text_end(document->text, close);
    if (!text_end) {
        return error(reader, from, "<TEXT> is never closed");
    }
    document->length = (size_t)(text_end - document->text);
    document->body = dsc_piece_of(document->text, document->length);
    return check_text(reader, document->text, text_end, close);
}

/* Documents are distinguished by their numbers. */
static int check_sequence(reader_t *reader, const char *opened)
{
    const apr_array_header_t *documents = reader->submission->documents;
    const char *number =
        APR_ARRAY_IDX(documents, documents->nelts - 1, dsc_sgml_document_t).sequence;
    int i;

    for (i = 0; number && i < documents->nelts - 1; i++) {
        const char *other = APR_ARRAY_IDX(documents, i, dsc_sgml_document_t).sequence;

        if (other && !strcmp(other, number)) {
            return error(reader, opened, "a document before has the same <SEQUENCE>");
        }
    }
    return 1;
}

/* Reads a document up to its end, which `close` is. */
static int read_document(reader_t *reader, const char *close)
{
    dsc_sgml_document_t *document = apr_array_push(reader->submission->documents);
    const char *opened = reader->at;
    const char *from, *to;

    memset(document, 0, sizeof(*document));
    document->line = line_of(reader, opened);
    (void)next_line(reader, &from, &to);
    while (reader->at < close && next_line(reader, &from, &to)) {
        if (starts_with(from, to, "<DOCUMENT>")) {
            return error(reader, opened, "<DOCUMENT> is never closed");
        }
        if (starts_with(from, to, "<TEXT>")) {
            if (!read_text(reader, document, from, close)) {
                return 0;
            }
            break;
        }
        if (!take_document_field(reader, document, from, to)) {
            return 0;
        }
    }
    if (!document->type) {
        return error(reader, opened, "the document has no <TYPE>");
    }
    if (!document->text) {
        return error(reader, opened, "the document has no <TEXT>");
    }
    return check_sequence(reader, opened);
}

/* Steps over the tags that close the submission. */
static int close_submission(reader_t *reader)
{
    for (int i = 0; i < reader->envelopes; i++) {
        const char *end = find_line(reader->at, reader->end, reader->closing);

        if (!end) {
            return error(reader, reader->end,
                         apr_pstrcat(reader->pool, "the file is cut off: it ends without ",
                                     reader->closing, NULL));
        }
        if (!is_blank(reader->at, end)) {
            return error(reader, reader->at,
                         "something stands between documents: a tag is missing");
        }
        reader->at = end + strlen(reader->closing);
    }
    return 1;
}

/* The end of the submission, and of the mail around it. */
static int read_end(reader_t *reader)
{
    static const char mail_end[] = "-----END PRIVACY-ENHANCED MESSAGE-----";
    const char *end, *mail;

    if (!close_submission(reader)) {
        return 0;
    }
    end = reader->at;
    if (reader->submission->dash_escaped) {
        mail = find_line(end, reader->end, mail_end);
        if (!mail || !is_blank(end, mail)) {
            return error(reader, end, "the file is cut off: the mail around it does not end");
        }
        end = mail + strlen(mail_end);
    }
    return is_blank(end, reader->end) ? 1 : error(reader, end, "the file goes on after its end");
}

/* Whether the documents that are numbered begin with 1: else the main one is missing. */
static int has_first_document(const reader_t *reader)
{
    const apr_array_header_t *documents = reader->submission->documents;
    int numbered = 0, i;

    for (i = 0; i < documents->nelts; i++) {
        const char *number = APR_ARRAY_IDX(documents, i, dsc_sgml_document_t).sequence;

        if (number && !strcmp(number, "1")) {
            return 1;
        }
        numbered |= number != NULL;
    }
    return !numbered;
}

/* Whether documents of that type are data and pictures, whose numbers EDGAR leaves gaps between. */
static int is_data(const char *type)
{
    static const char *const types[] = {"EX-101", "GRAPHIC", "XML", "ZIP", "EXCEL", "JSON", NULL};
    int i;

    for (i = 0; types[i] && strncasecmp(type, types[i], strlen(types[i])) != 0; i++) {
    }
    return types[i] != NULL;
}

/* The number of a document that is missing between others, where the header counts more than there
 * are; 0 if none is. A gap alone shows nothing: some filers leave numbers out. */
static int lost_document(const reader_t *reader)
{
    const apr_array_header_t *documents = reader->submission->documents;
    int number = 1, i;

    if (!reader->count || atoi(reader->count) <= documents->nelts) {
        return 0;
    }
    for (i = 0; i < documents->nelts; i++, number++) {
        const dsc_sgml_document_t *document = &APR_ARRAY_IDX(documents, i, dsc_sgml_document_t);

        if (is_data(document->type) || !document->sequence) {
            return 0;
        }
        if (atoi(document->sequence) > number) {
            return number;
        }
    }
    return 0;
}

static int read_documents(reader_t *reader)
{
    static const char closing[] = "</DOCUMENT>";
    const char *open, *close;
    int lost;

    while ((open = find_line(reader->at, reader->end, "<DOCUMENT>")) != NULL) {
        close = find_line(open, reader->end, closing);
        if (!close) {
            return error(reader, open, "<DOCUMENT> is never closed: the file is cut off");
        }
        if (!is_blank(reader->at, open)) {
            return error(reader, reader->at,
                         "something stands between documents: a tag is missing");
        }
        reader->at = open;
        if (!read_document(reader, close)) {
            return 0;
        }
        reader->at = close + sizeof(closing) - 1;
    }
    if (!has_first_document(reader)) {
        return error(reader, reader->at, "the document with <SEQUENCE>1 is missing");
    }
    lost = lost_document(reader);
    if (lost > 0) {
        return error(reader, reader->at,
                     apr_psprintf(reader->pool,
                                  "the document with <SEQUENCE>%d is missing, of %s documents",
                                  lost, reader->count));
    }
    return read_end(reader);
}

dsc_sgml_submission_t *dsc_sgml_parse(apr_pool_t *pool, char *text, size_t length,
                                      const char **reason)
{
    return dsc_sgml_parse_gaps(pool, text, length, NULL, reason);
}

dsc_sgml_submission_t *dsc_sgml_parse_gaps(apr_pool_t *pool, char *text, size_t length,
                                           const apr_array_header_t *gaps, const char **reason)
{
    reader_t reader;

    memset(&reader, 0, sizeof(reader));
    reader.pool = pool;
    reader.gaps = gaps;
    reader.start = reader.at = text;
    reader.end = text + dsc_normalise_lines(text, length);
    reader.submission = apr_pcalloc(pool, sizeof(*reader.submission));
    reader.submission->items = apr_array_make(pool, 4, sizeof(const char *));
    reader.submission->entities = apr_array_make(pool, 2, sizeof(dsc_sgml_entity_t));
    reader.submission->documents = apr_array_make(pool, 8, sizeof(dsc_sgml_document_t));
    if (!open_submission(&reader) || !read_header(&reader) || !read_documents(&reader)) {
        *reason = reader.reason;
        return NULL;
    }
    return reader.submission;
}

/* Whether documents of that type come with others: exhibits, pictures, data. */
static int is_attachment(const char *type)
{
    static const char *const types[] = {"EX-",  "GRAPHIC", "XML",   "ZIP", "EXCEL",
                                        "JSON", "PDF",     "COVER", NULL};
    int i;

    for (i = 0; types[i]; i++) {
        if (!strncasecmp(type, types[i], strlen(types[i]))) {
            return 1;
        }
    }
    return 0;
}

const dsc_sgml_document_t *dsc_sgml_primary(const dsc_sgml_submission_t *submission)
{
    const apr_array_header_t *documents = submission->documents;
    const dsc_sgml_document_t *first = NULL;
    int i;

    for (i = 0; i < documents->nelts; i++) {
        const dsc_sgml_document_t *document = &APR_ARRAY_IDX(documents, i, dsc_sgml_document_t);

        if (!strcasecmp(document->type, submission->form)) {
            return document;
        }
        first = first || is_attachment(document->type) ? first : document;
    }
    return first;
}
