/* Where cover and information table of a Form 13F are in a file. */
#include "import/holdings_package.h"

#include "import/eastern_time.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

static const char *find(const char *from, const char *end, const char *text)
{
    size_t length = strlen(text);

    for (; (size_t)(end - from) >= length; from++) {
        from = memchr(from, text[0], (size_t)(end - from) - length + 1);
        if (from == NULL || memcmp(from, text, length) == 0) {
            return from;
        }
    }
    return NULL;
}

/* The bytes without a byte order mark and white space before them. */
static dsc_holdings_xml_t span(const char *file, const char *from, const char *end)
{
    dsc_holdings_xml_t xml;

    if (end - from >= 3 && memcmp(from, "\xEF\xBB\xBF", 3) == 0) {
        from += 3;
    }
    while (from < end && apr_isspace(*from)) {
        from++;
    }
    xml.bytes = from;
    xml.length = (size_t)(end - from);
    for (xml.first_line = 1; file < from; file++) {
        xml.first_line += *file == '\n';
    }
    return xml;
}

/* The XML of a document of a submission, without bytes where it is no XML. */
static dsc_holdings_xml_t xml_of(const char *file, const dsc_sgml_document_t *document)
{
    const char *end = document->text == NULL ? NULL : document->text + document->length;
    const char *from = end == NULL ? NULL : find(document->text, end, "<XML>");
    const char *close = from == NULL ? NULL : find(from, end, "</XML>");
    dsc_holdings_xml_t none = {NULL, 0, 1};

    return from == NULL ? none : span(file, from + strlen("<XML>"), close == NULL ? end : close);
}

/* What the header says goes before what the cover says of itself. */
static void add_header(apr_pool_t *pool, const dsc_sgml_submission_t *submission,
                       dsc_holdings_report_t *report)
{
    report->accession = submission->accession;
    report->filed_on = submission->filed_on;
    if (submission->accepted != NULL) {
        report->accepted_at = dsc_eastern_to_utc(pool, submission->accepted);
    }
}

static int unpack_submission(apr_pool_t *pool, char *bytes, size_t length,
                             dsc_holdings_package_t *package, const char **reason)
{
    const dsc_sgml_submission_t *submission = dsc_sgml_parse(pool, bytes, length, reason);
    dsc_holdings_xml_t cover = {NULL, 0, 1}, embedded;
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

        if (strcasecmp(document->type, "INFORMATION TABLE") == 0) {
            package->table = xml_of(bytes, document);
        } else if (cover.bytes == NULL && strncasecmp(document->type, "13F-", 4) == 0) {
            cover = xml_of(bytes, document);
        }
    }
    if (cover.bytes == NULL) {
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

int dsc_holdings_unpack(apr_pool_t *pool, char *bytes, size_t length,
                        dsc_holdings_package_t *package, const char **reason)
{
    dsc_holdings_xml_t xml = span(bytes, bytes, bytes + length);
    const char *root = dsc_holdings_root(pool, xml.bytes, xml.length, reason);

    memset(package, 0, sizeof(*package));
    if (root != NULL && strcmp(root, "informationTable") == 0) {
        package->table = xml;
        return 1;
    }
    if (root != NULL && strcmp(root, "edgarSubmission") == 0) {
        package->report = dsc_holdings_cover_read(pool, &xml, &package->table, reason);
        return package->report != NULL;
    }
    if (xml.length < 2 || xml.bytes[0] != '<' || strchr("?!", xml.bytes[1]) == NULL) {
        return unpack_submission(pool, bytes, length, package, reason);
    }
    if (root != NULL) {
        *reason = apr_psprintf(pool,
                               "the root element is %.80s, neither edgarSubmission nor "
                               "informationTable",
                               root);
    }
    return 0;
}
