/* Finds the cover and the information table of a Form 13F in a file. */
#include "sources/sec_13f/holdings_package.h"

#include "formats/submission_spool.h"
#include "sources/sec_13f/holdings_value.h"

#include <apr_strings.h>
#include <string.h>

/* A piece of a file without a byte order mark and white space before it. */
static dsc_holdings_xml_t span(const dsc_piece_t *file, const dsc_piece_t *piece)
{
    dsc_holdings_xml_t xml = {dsc_piece_skip_blank(piece), 1};

    xml.first_line = dsc_piece_line(file, &xml.piece);
    return xml;
}

/* The XML of a document of a submission; none if it is no XML. */
static dsc_holdings_xml_t xml_of(const dsc_piece_t *file, const dsc_sgml_document_t *document)
{
    apr_int64_t from = dsc_piece_find(&document->body, 0, "<XML>"), close;
    dsc_holdings_xml_t none = {{NULL, NULL, 0, 0}, 1};
    dsc_piece_t piece;

    if (from < 0) {
        return none;
    }
    piece = dsc_piece_part(&document->body, (apr_uint64_t)from + strlen("<XML>"),
                           document->body.length);
    close = dsc_piece_find(&piece, 0, "</XML>");
    piece.length = close < 0 ? piece.length : (apr_uint64_t)close;
    return span(file, &piece);
}

/* Whether the header names the cover's manager among the filers. */
static int is_filer(const dsc_sgml_submission_t *submission, const char *cik)
{
    for (int i = 0; i < submission->entities->nelts; i++) {
        const char *filer = APR_ARRAY_IDX(submission->entities, i, dsc_sgml_entity_t).cik;

        filer = filer == NULL ? NULL : dsc_holdings_cik(filer);
        if (filer != NULL && strcmp(filer, cik) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Where header and cover contradict each other nobody knows which counts. */
static void compare_header(apr_pool_t *pool, const dsc_sgml_submission_t *submission,
                           dsc_holdings_report_t *report)
{
    if (report->error != NULL) {
        return;
    }
    if (submission->period != NULL && strcmp(submission->period, report->period) != 0) {
        report->error = "the quarters of the header and of the cover differ";
        report->sample = apr_pstrcat(pool, submission->period, ", ", report->period, NULL);
    } else if (strcasecmp(submission->form, report->form) != 0) {
        report->error = "the forms of the header and of the cover differ";
        report->sample = apr_pstrcat(pool, submission->form, ", ", report->form, NULL);
    } else if (!is_filer(submission, report->cik)) {
        report->error = "the header does not name the cover's manager as filer";
        report->sample = report->cik;
    }
}

/* What the header says goes before what the cover says of itself. */
static void add_header(apr_pool_t *pool, const dsc_sgml_submission_t *submission,
                       dsc_holdings_report_t *report)
{
    const char *no_time;

    compare_header(pool, submission, report);

    report->accession = submission->accession;
    report->filed_on = submission->filed_on;
    /* one that is no time says nothing: the day of filing counts */
    (void)dsc_submission_accepted_at(pool, submission, &report->accepted_at, &no_time);
}

static int unpack_submission(apr_pool_t *pool, const dsc_piece_t *file,
                             dsc_holdings_package_t *package, const char **reason)
{
    const dsc_sgml_submission_t *submission = dsc_submission_read(pool, file, NULL, reason);
    dsc_holdings_xml_t cover = {{NULL, NULL, 0, 0}, 1}, embedded;
    const char *twice = NULL;
    int i;

    if (submission == NULL) {
        return 0;
    }
    if (strncasecmp(submission->form, "13F-", 4) != 0) {
        *reason = apr_psprintf(pool, "the submission is a %.40s, no Form 13F", submission->form);
        return 0;
    }
    for (i = 0; i < submission->documents->nelts; i++) {
        const dsc_sgml_document_t *document =
            &APR_ARRAY_IDX(submission->documents, i, dsc_sgml_document_t);

        int is_table = strcasecmp(document->type, "INFORMATION TABLE") == 0;

        if (is_table || strncasecmp(document->type, "13F-", 4) == 0) {
            dsc_holdings_xml_t *xml = is_table ? &package->table : &cover;

            twice = dsc_piece_is_there(&xml->piece) ? document->type : twice;
            *xml = xml_of(file, document);
        }
    }
    if (twice != NULL) {
        *reason = apr_psprintf(pool,
                               "the submission has a second document of type %.40s: which of them "
                               "counts is not known",
                               twice);
        return 0;
    }
    if (!dsc_piece_is_there(&cover.piece)) {
        *reason = "the submission holds no XML: Form 13F was plain text before May 2013, and such "
                  "tables are not read";
        return 0;
    }
    package->submission = submission;
    package->report = dsc_holdings_cover_read(pool, &cover, &embedded, reason);
    if (package->report == NULL) {
        return 0;
    }
    add_header(pool, submission, package->report);
    return 1;
}

int dsc_holdings_unpack(apr_pool_t *pool, const dsc_piece_t *file, dsc_holdings_package_t *package,
                        const char **reason)
{
    dsc_holdings_xml_t xml = span(file, file);
    const char *root = dsc_holdings_root(pool, &xml.piece, reason);

    memset(package, 0, sizeof(*package));
    if (root != NULL && strcmp(root, "informationTable") == 0) {
        package->table = xml;
        return 1;
    }
    if (root != NULL && strcmp(root, "edgarSubmission") == 0) {
        package->report = dsc_holdings_cover_read(pool, &xml, &package->table, reason);
        return package->report != NULL;
    }
    if (!dsc_piece_begins_with(&xml.piece, "<?") && !dsc_piece_begins_with(&xml.piece, "<!")) {
        return unpack_submission(pool, file, package, reason);
    }
    if (root != NULL) {
        *reason = apr_psprintf(pool,
                               "the root element is %.80s, neither a 13F's edgarSubmission nor "
                               "informationTable",
                               root);
    }
    return 0;
}
