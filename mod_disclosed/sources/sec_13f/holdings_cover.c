/* Form 13F's cover and summary page: primary_doc.xml. */
#include "sources/sec_13f/holdings_xml.h"

#include "engine/base64.h"
#include "engine/digest.h"
#include "engine/shape.h"
#include "sources/shared/ownership_xml.h"

#include <apr_encode.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <stddef.h>
#include <string.h>

#define REPORT(path, member)                                                                       \
    {                                                                                              \
        path, DSC_OWNED_TEXT, offsetof(dsc_holdings_report_t, member)                              \
    }
#define HEADER  "headerData/"
#define COVER   "formData/coverPage/"
#define SUMMARY "formData/summaryPage/"

static const dsc_owned_field_t report_fields[] = {
    REPORT("schemaVersion", schema_version),
    REPORT(HEADER "submissionType", form),
    REPORT(HEADER "filerInfo/filer/credentials/cik", cik),
    REPORT(HEADER "filerInfo/periodOfReport", period),
    REPORT(COVER "reportCalendarOrQuarter", calendar),
    REPORT(COVER "isAmendment", is_amendment),
    REPORT(COVER "amendmentNo", amendment_number),
    REPORT(COVER "amendmentInfo/amendmentType", amendment_type),
    REPORT(COVER "filingManager/name", manager_name),
    REPORT(COVER "reportType", report_type),
    REPORT(COVER "form13FFileNumber", file_number),
    REPORT(SUMMARY "tableEntryTotal", entry_total),
    REPORT(SUMMARY "tableValueTotal", value_total),
    REPORT(SUMMARY "isConfidentialOmitted", confidential_omitted),
    REPORT("formData/signatureBlock/signatureDate", signed_on),
};

static const char *text_at(apr_pool_t *pool, xmlNode *element, const char *path)
{
    return dsc_owned_text(pool, dsc_owned_find(element, path));
}

/* Managers who report for this one are on the cover page; those whom this report includes are on
 * the summary page, with the numbers that rows of the table refer to. */
static const char *read_managers(apr_pool_t *pool, xmlNode *root)
{
    xmlNode *cover = dsc_owned_find(root, COVER "otherManagersInfo");
    xmlNode *summary = dsc_owned_find(root, SUMMARY "otherManagers2Info");
    dsc_buffer_t *json = dsc_buffer_create(pool, 256);
    const char *managers = NULL;

    for (xmlNode *one = dsc_owned_next(cover, NULL, "otherManager"); one != NULL;
         one = dsc_owned_next(cover, one, "otherManager")) {
        managers = dsc_holdings_add_manager(json, NULL, text_at(pool, one, "cik"),
                                            text_at(pool, one, "form13FFileNumber"),
                                            text_at(pool, one, "name"));
    }
    for (xmlNode *one = dsc_owned_next(summary, NULL, "otherManager2"); one != NULL;
         one = dsc_owned_next(summary, one, "otherManager2")) {
        managers = dsc_holdings_add_manager(json, text_at(pool, one, "sequenceNumber"),
                                            text_at(pool, one, "otherManager/cik"),
                                            text_at(pool, one, "otherManager/form13FFileNumber"),
                                            text_at(pool, one, "otherManager/name"));
    }
    return managers;
}

/* ------------------------------------------------------------- embedded documents */

/* Bytes of base64 text, which may have white space anywhere; NULL if it is none. */
static const char *decode(apr_pool_t *pool, const char *text, size_t *length)
{
    char *packed = apr_pstrdup(pool, text);

    apr_collapse_spaces(packed, packed);
    return (const char *)dsc_base64_decode(pool, packed, APR_ENCODE_NONE, length);
}

/* The information table that is embedded in the submission as filers send it. 0 and *reason if
 * it cannot be read. */
static int read_embedded(apr_pool_t *pool, xmlNode *root, dsc_holdings_xml_t *table,
                         const char **reason)
{
    xmlNode *documents = dsc_owned_find(root, "documents");

    memset(table, 0, sizeof(*table));
    for (xmlNode *one = dsc_owned_next(documents, NULL, "document"); one != NULL;
         one = dsc_owned_next(documents, one, "document")) {
        const char *type = text_at(pool, one, "conformedDocumentType");
        const char *contents = text_at(pool, one, "contents"), *bytes;
        size_t length = 0;

        if (type == NULL || strcasecmp(type, "INFORMATION TABLE") != 0 || contents == NULL) {
            continue;
        }
        if (dsc_piece_is_there(&table->piece)) {
            *reason = "the submission has a second document of type INFORMATION TABLE: which of "
                      "them counts is not known";
            return 0;
        }
        table->first_line = 1;
        bytes = decode(pool, contents, &length);
        table->piece = dsc_piece_of(bytes, length);
        if (bytes == NULL) {
            *reason = "the contents of the information table are not base64";
            return 0;
        }
    }
    return 1;
}

/* ------------------------------------------------------------------------- reading */

/* "sha256:..." over the document with line ends as one LF and without white space at its ends: the
 * same whether it comes alone or in a submission. */
static const char *digest_of(apr_pool_t *pool, const dsc_holdings_xml_t *xml)
{
    char *plain = apr_palloc(pool, (size_t)xml->piece.length + 1);
    const char *at = plain, *end = at + xml->piece.length;
    size_t length = 0;

    if (dsc_piece_read(&xml->piece, 0, plain, (size_t)xml->piece.length) !=
        (long)xml->piece.length) {
        return NULL;
    }

    while (end > at && apr_isspace(end[-1])) {
        end--;
    }
    while (at < end && apr_isspace(*at)) {
        at++;
    }
    for (; at < end; at++) {
        if (*at != '\r') {
            plain[length++] = *at;
        } else if (at + 1 == end || at[1] != '\n') {
            plain[length++] = '\n';
        }
    }
    return dsc_content_hash_of(pool, plain, length);
}

/* The schema asks for the type of report: without it one that shares its managers with others would
 * seem to be the whole. */
static const char *cover_error(apr_pool_t *pool, xmlNode *root, const dsc_holdings_report_t *report)
{
    const char *flag = text_at(pool, root, HEADER "filerInfo/liveTestFlag");

    return flag != NULL && strcasecmp(flag, "TEST") == 0 ? "a test filing: liveTestFlag is TEST"
           : report->report_type == NULL                 ? "reportType is missing"
                                                         : NULL;
}

dsc_holdings_report_t *dsc_holdings_cover_read(apr_pool_t *pool, const dsc_holdings_xml_t *cover,
                                               dsc_holdings_xml_t *table, const char **reason)
{
    dsc_holdings_report_t *report = NULL;
    dsc_xml_stream_t stream;
    apr_pool_t *own;
    xmlNode *root = NULL;

    if (cover->piece.length > DSC_LARGEST_WHOLE) {
        *reason = "the cover is larger than 32 MB, the most that is read of one";
        return NULL;
    }
    apr_pool_create(&own, pool);
    if (dsc_xml_stream_open(&stream, own, cover, "edgarSubmission")) {
        root = dsc_xml_stream_root(&stream);
    }
    if (root == NULL) {
        *reason = apr_pstrdup(pool, stream.reason);
    } else if (read_embedded(pool, root, table, reason)) {
        report = apr_pcalloc(pool, sizeof(*report));
        report->location = "coverPage";
        report->has_cover = 1;
        dsc_owned_read(pool, root, report_fields, DSC_COUNT(report_fields), report, &report->error,
                       &report->sample);
        report->error = report->error == NULL ? cover_error(pool, root, report) : report->error;
        report->other_managers = read_managers(pool, root);
        report->digest = digest_of(pool, cover);
        if (report->period == NULL) {
            report->period = text_at(pool, root, COVER "reportCalendarOrQuarter");
        }
        dsc_holdings_report_normalise(pool, report);
    }
    apr_pool_destroy(own);
    return report;
}
