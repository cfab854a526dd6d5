#include "sources/shared/ownership_submission.h"

#include "engine/utf8.h"
#include "engine/shape.h"
#include "formats/eastern_time.h"
#include "formats/sgml_submission.h"

#include <apr_strings.h>
#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum {
    ACCESSION_DIGITS = 18
};

/* A piece of a file. */
typedef struct {
    const char *start, *end;
} span_t;

static const char *find(span_t span, const char *text)
{
    size_t length = strlen(text);

    for (const char *at = span.start; (size_t)(span.end - at) >= length; at++) {
        at = memchr(at, text[0], (size_t)(span.end - at) - length + 1);
        if (!at) {
            return NULL;
        }
        if (memcmp(at, text, length) == 0) {
            return at;
        }
    }
    return NULL;
}

/* Lines up to a position, counted from 1; CR, LF and CR LF end one. */
static long line_of(const char *bytes, const char *location)
{
    long line = 1;

    for (const char *at = bytes; at < location; at++) {
        line += *at == '\n' || (*at == '\r' && at[1] != '\n');
    }
    return line;
}

/* ------------------------------------------------------------- header values */

/* "0001209191-23-001946" of that, or of 18 digits; NULL if it is neither. */
static const char *read_accession(apr_pool_t *pool, const char *text)
{
    char digits[ACCESSION_DIGITS + 1];
    size_t length = strlen(text), count = 0;
    int has_dashes = length == ACCESSION_DIGITS + 2 && text[10] == '-' && text[13] == '-';

    if (length != ACCESSION_DIGITS && !has_dashes) {
        return NULL;
    }
    for (size_t i = 0; i < length; i++) {
        if (isdigit((unsigned char)text[i])) {
            digits[count++] = text[i];
        } else if (!has_dashes || (i != 10 && i != 13)) {
            return NULL;
        }
    }
    digits[count] = '\0';
    return apr_psprintf(pool, "%.10s-%.2s-%.6s", digits, digits + 10, digits + 12);
}

static const char *read_day(apr_pool_t *pool, const char *text)
{
    if (strlen(text) != 8 || strspn(text, "0123456789") != 8) {
        return NULL;
    }
    return apr_psprintf(pool, "%.4s-%.2s-%.2s", text, text + 4, text + 6);
}

/* "" if the header says that the time is not known. */
static const char *read_acceptance(apr_pool_t *pool, const char *text)
{
    const char *accepted_at;

    return !dsc_acceptance_to_utc(pool, text, &accepted_at) ? NULL : accepted_at ? accepted_at : "";
}

static const char *read_form(apr_pool_t *pool, const char *text)
{
    (void)pool;
    return text;
}

/* What comes after a label on its line, in either kind of header; of two labels the later counts.
 * NULL if it cannot be read, and "" if it says nothing. */
static const struct {
    const char *label;
    const char *(*read)(apr_pool_t *pool, const char *text);
    size_t offset;
} header_lines[] = {
    {"ACCESSION NUMBER:", read_accession, offsetof(dsc_ownership_submission_t, accession)},
    {"<ACCESSION-NUMBER>", read_accession, offsetof(dsc_ownership_submission_t, accession)},
    {"<TYPE>", read_form, offsetof(dsc_ownership_submission_t, form)},
    {"CONFORMED SUBMISSION TYPE:", read_form, offsetof(dsc_ownership_submission_t, form)},
    {"CONFORMED PERIOD OF REPORT:", read_day, offsetof(dsc_ownership_submission_t, period)},
    {"<PERIOD>", read_day, offsetof(dsc_ownership_submission_t, period)},
    {"FILED AS OF DATE:", read_day, offsetof(dsc_ownership_submission_t, filed_on)},
    {"<FILING-DATE>", read_day, offsetof(dsc_ownership_submission_t, filed_on)},
    {"<ACCEPTANCE-DATETIME>", read_acceptance, offsetof(dsc_ownership_submission_t, accepted_at)},
};

static const char *rest_of_line(apr_pool_t *pool, const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    for (const char *stop = at; stop <= end; stop++) {
        if (stop == end || isspace((unsigned char)*stop)) {
            return apr_pstrmemdup(pool, at, (size_t)(stop - at));
        }
    }
    return "";
}

static int read_header(apr_pool_t *pool, span_t header, dsc_ownership_submission_t *submission,
                       const char **reason)
{
    for (int i = 0; i < DSC_COUNT(header_lines); i++) {
        const char *at = find(header, header_lines[i].label);
        const char **slot = (const char **)(void *)((char *)submission + header_lines[i].offset);
        const char *text;

        if (!at) {
            continue;
        }
        text = rest_of_line(pool, at + strlen(header_lines[i].label), header.end);
        *slot = header_lines[i].read(pool, text);
        if (!*slot) {
            *reason = apr_psprintf(pool, "line %ld: %s \"%.40s\" cannot be read",
                                   line_of(header.start, at), header_lines[i].label, text);
            return 0;
        }
        *slot = **slot ? *slot : NULL;
    }
    return 1;
}

/* How either kind of header begins what it says of an entity, and its CIK within. */
typedef struct {
    const char *section, *cik;
} entity_label_t;

enum {
    HEADERS = 2 /* kinds of header */
};

static const entity_label_t owner_labels[HEADERS] = {
    {"REPORTING-OWNER:", "CENTRAL INDEX KEY:"},
    {"<REPORTING-OWNER>", "<CIK>"},
};
static const entity_label_t issuer_labels[HEADERS] = {
    {"ISSUER:", "CENTRAL INDEX KEY:"},
    {"<ISSUER>", "<CIK>"},
};
static const entity_label_t subject_labels[HEADERS] = {
    {"SUBJECT COMPANY:", "CENTRAL INDEX KEY:"},
    {"<SUBJECT-COMPANY>", "<CIK>"},
};

static apr_array_header_t *read_entities(apr_pool_t *pool, span_t header,
                                         const entity_label_t *labels)
{
    apr_array_header_t *entities = apr_array_make(pool, 2, sizeof(const char *));

    for (int i = 0; i < HEADERS; i++) {
        for (const char *at = find(header, labels[i].section); at;
             at = find((span_t){at + 1, header.end}, labels[i].section)) {
            const char *label = find((span_t){at, header.end}, labels[i].cik);
            const char *cik =
                label ? rest_of_line(pool, label + strlen(labels[i].cik), header.end) : "";

            if (*cik) {
                APR_ARRAY_PUSH(entities, const char *) = cik + strspn(cik, "0");
            }
        }
    }
    return entities;
}

apr_array_header_t *dsc_header_subjects(apr_pool_t *pool, const char *header)
{
    return read_entities(pool, (span_t){header, header + strlen(header)}, subject_labels);
}

/* ------------------------------------------------------------------ the file */

/* Past a byte order mark and white space. */
static const char *skip_blank(const char *at, const char *end)
{
    at += dsc_utf8_mark(at, (size_t)(end - at));
    while (at < end && isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

static int starts_with(const char *at, const char *end, const char *text)
{
    return (size_t)(end - at) >= strlen(text) && memcmp(at, text, strlen(text)) == 0;
}

/* The <XML> block with an ownershipDocument in it; there is one in a submission. */
static int find_block(span_t file, span_t *block)
{
    static const char open_tag[] = "<XML>";
    const char *at = file.start;

    while ((at = find((span_t){at, file.end}, open_tag)) != NULL) {
        const char *start = at + sizeof open_tag - 1;
        const char *end = find((span_t){start, file.end}, "</XML>");

        *block = (span_t){start, end ? end : file.end};
        if (find(*block, "<ownershipDocument")) {
            return 1;
        }
        at = block->end;
    }
    return 0;
}

/* Whether a submission is whole, as every other source sees it: on a copy, whose line ends are
 * changed. */
static int is_whole(apr_pool_t *pool, span_t file, const char **reason)
{
    size_t length = (size_t)(file.end - file.start);
    const char *error = NULL;
    apr_pool_t *copy_pool;
    int whole;

    apr_pool_create(&copy_pool, pool);
    whole = dsc_sgml_parse(copy_pool, apr_pstrmemdup(copy_pool, file.start, length), length,
                           &error) != NULL;
    if (!whole) {
        *reason = apr_pstrdup(pool, error);
    }
    apr_pool_destroy(copy_pool);
    return whole;
}

int dsc_ownership_find(apr_pool_t *pool, const char *bytes, size_t length,
                       dsc_ownership_submission_t *submission, const char **reason)
{
    span_t file = {bytes, bytes + length};
    span_t block = file, other;
    const char *start = skip_blank(file.start, file.end);

    memset(submission, 0, sizeof *submission);
    if (find(file, "<SEC-HEADER>") || starts_with(start, file.end, "<SUBMISSION>")) {
        if (!find_block(file, &block)) {
            *reason = "the submission has no ownershipDocument";
            return 0;
        }
        if (!read_header(pool, (span_t){file.start, block.start}, submission, reason)) {
            return 0;
        }
        submission->owners = read_entities(pool, (span_t){file.start, block.start}, owner_labels);
        submission->issuers = read_entities(pool, (span_t){file.start, block.start}, issuer_labels);
        if (!is_whole(pool, file, reason)) {
            return 0;
        }
        if (find_block((span_t){block.end, file.end}, &other)) {
            *reason =
                "the submission has a second ownershipDocument: which of them counts is not known";
            return 0;
        }
    }
    start = skip_blank(block.start, block.end);
    if (start == block.end) {
        *reason = "the file is empty";
        return 0;
    }
    submission->xml = start;
    submission->length = (size_t)(block.end - start);
    submission->first_line = line_of(bytes, start);
    return 1;
}

/* The length of what may be an accession number in a component: what is before its first dot, or
 * before what EDGAR adds to it, "0000320193-25-000057-xbrl.zip". */
static size_t stem_length(const char *component)
{
    size_t length = strcspn(component, "."), whole = ACCESSION_DIGITS + 2;

    return length > whole && component[whole] == '-' ? whole : length;
}

/* The last path component, then the ones before it. */
const char *dsc_accession_of_name(apr_pool_t *pool, const char *name)
{
    size_t end = strlen(name);

    while (end > 0) {
        size_t start = end;
        const char *component, *accession;

        while (start > 0 && name[start - 1] != '/' && name[start - 1] != ':') {
            start--;
        }
        component = apr_pstrmemdup(pool, name + start, end - start);
        accession = read_accession(pool, apr_pstrmemdup(pool, component, stem_length(component)));
        if (accession) {
            return accession;
        }
        end = start > 0 ? start - 1 : 0;
    }
    return NULL;
}
