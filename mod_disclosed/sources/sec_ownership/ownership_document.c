#include "sources/sec_ownership/ownership_document.h"
#include "sources/shared/ownership_xml.h"
#include "sources/shared/xml_document.h"

#include "engine/calendar.h"
#include "engine/digest.h"
#include "engine/shape.h"

#include <apr_strings.h>
#include <openssl/evp.h>
#include <stddef.h>
#include <string.h>

enum {
    REMARKS_LIMIT = 64 * 1024 * 1024 /* bytes of a document's remarks, over all rows */
};

static const char *const form_types[] = {"3", "3/A", "4", "4/A", "5", "5/A"};

/* What is read before it is checked and taken over. */
typedef struct {
    const char *form, *period_of_report, *original_filing_date;
    const char *issuer_cik, *issuer_name, *issuer_symbol;
    const char *rule_10b5_1, *no_longer_subject, *remarks;
} report_values_t;

#define REPORT(path, type, member)                                                                 \
    {                                                                                              \
        path, type, offsetof(report_values_t, member)                                              \
    }

static const dsc_owned_field_t report_fields[] = {
    REPORT("documentType", DSC_OWNED_TEXT, form),
    REPORT("periodOfReport", DSC_OWNED_DATE, period_of_report),
    REPORT("dateOfOriginalSubmission", DSC_OWNED_DATE, original_filing_date),
    REPORT("issuer/issuerCik", DSC_OWNED_CIK, issuer_cik),
    REPORT("issuer/issuerName", DSC_OWNED_TEXT, issuer_name),
    REPORT("issuer/issuerTradingSymbol", DSC_OWNED_TEXT, issuer_symbol),
    REPORT("aff10b5One", DSC_OWNED_BOOLEAN, rule_10b5_1),
    REPORT("notSubjectToSection16", DSC_OWNED_BOOLEAN, no_longer_subject),
    REPORT("remarks", DSC_OWNED_TEXT, remarks),
};

typedef struct {
    const char *cik, *name;
    const char *is_director, *is_officer, *is_ten_percent_owner, *is_other;
    const char *officer_title, *other_text;
} owner_values_t;

/* What else appears once in a form; owners and signatures repeat. */
static const char *const report_once[] = {
    "schemaVersion",
    "noSecuritiesOwned",
    "form3HoldingsReported",
    "form4TransactionsReported",
    "nonDerivativeTable",
    "derivativeTable",
    "footnotes",
};
static const char *const owner_once[] = {"reportingOwnerAddress"};
static const char *const identity_once[] = {"reportingOwnerId/rptOwnerCik",
                                            "reportingOwnerId/rptOwnerName"};
static const char *const signature_once[] = {"signatureName", "signatureDate"};

const char dsc_ownership_first_day[] = "1934-06-06";

#define OWNER(path, type, member)                                                                  \
    {                                                                                              \
        path, type, offsetof(owner_values_t, member)                                               \
    }
#define RELATION "reportingOwnerRelationship/"

static const dsc_owned_field_t owner_fields[] = {
    OWNER("reportingOwnerId/rptOwnerCik", DSC_OWNED_CIK, cik),
    OWNER("reportingOwnerId/rptOwnerName", DSC_OWNED_TEXT, name),
};

static const dsc_owned_field_t relationship_fields[] = {
    OWNER(RELATION "isDirector", DSC_OWNED_BOOLEAN, is_director),
    OWNER(RELATION "isOfficer", DSC_OWNED_BOOLEAN, is_officer),
    OWNER(RELATION "isTenPercentOwner", DSC_OWNED_BOOLEAN, is_ten_percent_owner),
    OWNER(RELATION "isOther", DSC_OWNED_BOOLEAN, is_other),
    OWNER(RELATION "officerTitle", DSC_OWNED_TEXT, officer_title),
    OWNER(RELATION "otherText", DSC_OWNED_TEXT, other_text),
};

static int is_true(const char *boolean)
{
    return boolean && *boolean == 't';
}

/* ------------------------------------------------------------------- digest */

/* The document's bytes end with the end tag of its root element. */
static size_t document_length(const char *xml, size_t length)
{
    static const char end_tag[] = "</ownershipDocument>";
    size_t tag_length = sizeof end_tag - 1;

    for (size_t end = length; end >= tag_length; end--) {
        if (memcmp(xml + end - tag_length, end_tag, tag_length) == 0) {
            return end;
        }
    }
    return length;
}

/* Feeds a digest with the bytes, each CR and CR LF as one LF. */
static int digest_lines(EVP_MD_CTX *context, const char *bytes, size_t length)
{
    size_t start = 0;
    int is_done = 1;

    for (size_t i = 0; i < length && is_done; i++) {
        if (bytes[i] == '\r') {
            is_done = EVP_DigestUpdate(context, bytes + start, i - start) &&
                      EVP_DigestUpdate(context, "\n", 1);
            i += i + 1 < length && bytes[i + 1] == '\n';
            start = i + 1;
        }
    }
    return is_done && EVP_DigestUpdate(context, bytes + start, length - start);
}

static const char *digest_of(apr_pool_t *pool, const char *xml, size_t length)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned char digest[DSC_SHA256_SIZE];
    int is_done = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) &&
                  digest_lines(context, xml, document_length(xml, length)) &&
                  EVP_DigestFinal_ex(context, digest, NULL);

    EVP_MD_CTX_free(context);
    return is_done ? dsc_content_hash(pool, digest) : NULL;
}

/* ------------------------------------------------------------------- parsing */

/* What is wrong with an owner's boxes, or NULL. One at least is ticked, which EDGAR sees to; a text
 * without its box has lost it. */
static const char *relationship_error(xmlNode *element, const owner_values_t *values, int early)
{
    if (!dsc_owned_find(element, "reportingOwnerRelationship")) {
        return "reportingOwnerRelationship is missing";
    }
    if (values->officer_title && !values->is_officer) {
        return "isOfficer is missing, though there is an officerTitle";
    }
    if (values->other_text && !values->is_other) {
        return "isOther is missing, though there is an otherText";
    }
    return early || is_true(values->is_director) || is_true(values->is_officer) ||
                   is_true(values->is_ten_percent_owner) || is_true(values->is_other)
               ? NULL
               : "none of isDirector, isOfficer, isTenPercentOwner and isOther is true";
}

static void read_owner(apr_pool_t *pool, xmlNode *element, int early, dsc_reporting_owner_t *owner)
{
    owner_values_t values;

    memset(&values, 0, sizeof values);
    dsc_owned_read(pool, element, owner_fields, DSC_COUNT(owner_fields), &values, &owner->error,
                   NULL);
    dsc_owned_read(pool, element, relationship_fields, DSC_COUNT(relationship_fields), &values,
                   &owner->relationship_error, NULL);
    if (!owner->error) {
        owner->error = dsc_owned_twins_error(pool, element, owner_once, DSC_COUNT(owner_once));
    }
    owner->cik = values.cik;
    owner->name = values.name;
    owner->is_director = is_true(values.is_director);
    owner->is_officer = is_true(values.is_officer);
    owner->is_ten_percent_owner = is_true(values.is_ten_percent_owner);
    owner->is_other = is_true(values.is_other);
    owner->officer_title = values.officer_title;
    owner->other_text = values.other_text;
    if (!owner->relationship_error) {
        owner->relationship_error =
            dsc_owned_twins_error(pool, element, identity_once, DSC_COUNT(identity_once));
    }
    if (!owner->relationship_error) {
        owner->relationship_error = relationship_error(element, &values, early);
    }
    if (!owner->error && (!owner->cik || !owner->name)) {
        owner->error = owner->cik ? "rptOwnerName is missing" : "rptOwnerCik is missing";
    }
}

static apr_array_header_t *read_owners(apr_pool_t *pool, xmlNode *root)
{
    apr_array_header_t *owners = apr_array_make(pool, 2, sizeof(dsc_reporting_owner_t));
    int early = dsc_ownership_is_early(pool, root);

    for (xmlNode *element = dsc_owned_next(root, NULL, "reportingOwner"); element;
         element = dsc_owned_next(root, element, "reportingOwner")) {
        dsc_reporting_owner_t *owner = apr_array_push(owners);

        owner->location = apr_psprintf(pool, "reportingOwner[%d]", owners->nelts);
        read_owner(pool, element, early, owner);
    }
    return owners;
}

/* The latest of the dates of signature; one that is no date, older than the law or the period, or
 * not yet come, says nothing. */
static const char *latest_signature(apr_pool_t *pool, xmlNode *root, const char *period,
                                    const char **error)
{
    const char *latest = NULL;

    for (xmlNode *element = dsc_owned_next(root, NULL, "ownerSignature"); element;
         element = dsc_owned_next(root, element, "ownerSignature")) {
        const char *no_date;
        const char *text = dsc_owned_text(pool, dsc_owned_find(element, "signatureDate"));
        const char *date =
            text ? dsc_owned_value(pool, "signatureDate", text, DSC_OWNED_DATE, &no_date) : NULL;

        if (date && dsc_date_is_between(date, dsc_ownership_first_day, 1) &&
            (!period || strcmp(date, period) >= 0) && (!latest || strcmp(date, latest) > 0)) {
            latest = date;
        }
        if (!*error) {
            *error =
                dsc_owned_twins_error(pool, element, signature_once, DSC_COUNT(signature_once));
        }
    }
    return latest;
}

int dsc_ownership_is_form(const char *form)
{
    for (int i = 0; i < DSC_COUNT(form_types); i++) {
        if (form && strcmp(form, form_types[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

int dsc_ownership_bounds(const dsc_ownership_document_t *document, const char **reason)
{
    if (document->remarks &&
        strlen(document->remarks) > REMARKS_LIMIT / (size_t)(document->rows->nelts + 1)) {
        *reason = "the rows' remarks come to more than 64 MB";
        return 0;
    }
    return 1;
}

/* What is missing for a report, or NULL. */
static const char *report_error(apr_pool_t *pool, const report_values_t *values,
                                const apr_array_header_t *owners)
{
    if (!dsc_ownership_is_form(values->form)) {
        return apr_psprintf(pool, "documentType \"%.80s\" is none of 3, 4, 5, 3/A, 4/A, 5/A",
                            values->form ? values->form : "");
    }
    if (!values->issuer_cik || !values->issuer_name) {
        return values->issuer_cik ? "issuerName is missing" : "issuerCik is missing";
    }
    for (int i = 0; i < owners->nelts; i++) {
        const dsc_reporting_owner_t *owner = &APR_ARRAY_IDX(owners, i, dsc_reporting_owner_t);

        if (owner->relationship_error) {
            return apr_pstrcat(pool, owner->location, ": ", owner->relationship_error, NULL);
        }
    }
    return owners->nelts == 0 || !APR_ARRAY_IDX(owners, 0, dsc_reporting_owner_t).name
               ? "the reportingOwner is missing"
               : NULL;
}

static dsc_ownership_document_t *read_report(apr_pool_t *pool, xmlNode *root, const char **reason)
{
    dsc_ownership_document_t *document = apr_pcalloc(pool, sizeof *document);
    report_values_t values;
    const char *error = NULL;

    memset(&values, 0, sizeof values);
    dsc_owned_read(pool, root, report_fields, DSC_COUNT(report_fields), &values, &error, NULL);
    if (!error) {
        error = dsc_owned_twins_error(pool, root, report_once, DSC_COUNT(report_once));
    }
    document->signature_date = latest_signature(pool, root, values.period_of_report, &error);
    document->owners = read_owners(pool, root);
    error = error ? error : report_error(pool, &values, document->owners);
    if (error) {
        *reason = error;
        return NULL;
    }
    document->form = values.form;
    document->period_of_report = values.period_of_report;
    document->original_filing_date = values.original_filing_date;
    document->issuer_cik = values.issuer_cik;
    document->issuer_name = values.issuer_name;
    document->issuer_symbol = values.issuer_symbol;
    document->rule_10b5_1 = values.rule_10b5_1;
    document->no_longer_subject = is_true(values.no_longer_subject);
    document->remarks = values.remarks;
    document->rows = dsc_ownership_rows(pool, root, &document->remark, reason);
    return document->rows && dsc_ownership_bounds(document, reason) ? document : NULL;
}

dsc_ownership_document_t *dsc_ownership_parse(apr_pool_t *pool, const char *xml, size_t length,
                                              long first_line, const char **reason)
{
    dsc_ownership_document_t *report = NULL;
    xmlNode *root = dsc_xml_root(pool, xml, length, first_line, "ownershipDocument", reason);

    if (root) {
        report = read_report(pool, root, reason);
    }
    if (report) {
        report->digest = digest_of(pool, xml, length);
        if (!report->digest) {
            *reason = "SHA-256 is not available";
            report = NULL;
        }
    }
    return report;
}
