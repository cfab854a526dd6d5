/* A full submission as EDGAR stores it: a header and documents, in SGML of sorts. */
#ifndef DSC_SGML_SUBMISSION_H
#define DSC_SGML_SUBMISSION_H

#include "formats/spool.h"

#include <apr_pools.h>
#include <apr_tables.h>

/* A company or person that the header names. All but role and cik may be NULL. */
typedef struct {
    const char *role; /* as in the header: FILER, SUBJECT COMPANY, REPORTING-OWNER, ... */
    const char *cik;  /* digits */
    const char *name;
    const char *file_number; /* the first of them */
} dsc_sgml_entity_t;

/* A document; its text points into the submission's, or is a piece of the file
 * (submission_spool.h). */
typedef struct {
    int line;                /* on which it begins */
    const char *type;        /* "8-K", "EX-99.1"; never NULL */
    const char *sequence;    /* digits; NULL when absent */
    const char *file_name;   /* NULL when absent, as before 2001 */
    const char *description; /* NULL when absent */
    const char *text;        /* between <TEXT> and </TEXT>; NULL when there is none */
    size_t length;
    dsc_piece_t body; /* the same, wherever it is; without it when text is NULL */
} dsc_sgml_document_t;

/* Where lines were left out of a text that is parsed: a position in it, and how many before it. */
typedef struct {
    size_t position;
    long lines;
} dsc_sgml_gap_t;

typedef struct {
    const char *accession;
    const char *form;
    const char *filers_form;   /* where no filer has that form, that of the first; else NULL */
    const char *filed_on;      /* YYYY-MM-DD */
    const char *period;        /* YYYY-MM-DD, or NULL */
    const char *accepted;      /* YYYYMMDDHHMMSS, US Eastern; NULL before about 2001 and in .nc */
    apr_array_header_t *items; /* const char *: titles or numbers as given, "" for a blank one */
    apr_array_header_t *entities;  /* dsc_sgml_entity_t, one for each CIK */
    apr_array_header_t *documents; /* dsc_sgml_document_t */
    int dash_escaped; /* wrapped as privacy-enhanced mail: "- " before a leading dash */
} dsc_sgml_submission_t;

/* Reads a submission (.txt with <SEC-DOCUMENT>, the same in a PEM wrapper, .nc with <SUBMISSION>).
 * Line ends in `text` (`length` bytes and a NUL) are made "\n" in place, and the result points into
 * it. NULL and *reason, which names the line, if it is no submission, or not all of it: each tag
 * that the format closes must be closed, in its place, and nothing may stand where nothing belongs.
 * So too if its header lacks accession number, form, filing date or filer. */
dsc_sgml_submission_t *dsc_sgml_parse(apr_pool_t *pool, char *text, size_t length,
                                      const char **reason);

/* The same for a text from which lines have been left out: `gaps` (dsc_sgml_gap_t, by position;
 * NULL: none) count in the lines that are reported. */
dsc_sgml_submission_t *dsc_sgml_parse_gaps(apr_pool_t *pool, char *text, size_t length,
                                           const apr_array_header_t *gaps, const char **reason);

/* The tag of a submission's structure that begins the line; NULL if none does. Within a document's
 * text such a line is a sign that an end is missing before it. */
const char *dsc_sgml_structure(const char *line, size_t length);

/* Makes CR LF and bare CR a LF, in place, and ends with a NUL if there was one; returns the new
 * length. */
size_t dsc_normalise_lines(char *text, size_t length);

/* The submission's primary document: the first one of its own form type, else the first one that is
 * neither an exhibit nor a picture or data. NULL if there is none. */
const dsc_sgml_document_t *dsc_sgml_primary(const dsc_sgml_submission_t *submission);

#endif
