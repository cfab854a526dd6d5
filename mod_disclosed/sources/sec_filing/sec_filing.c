/* Importer sec-filing: full submissions (.txt, .nc): the filing of each entity that the header
 * names, the text and sections of 10-K, 10-Q and 8-K, and the earnings releases of 8-K.
 *
 * An issuer's own facts (name, industry, state) are left to sec-submissions: a header repeats them
 * as of one day, for one filing in thousands, and would only add versions that say nothing. */
#include "formats/document_text.h"
#include "formats/submission_spool.h"
#include "sources/importers.h"
#include "sources/sec_filing/current_report.h"
#include "sources/sec_filing/filing_sections.h"
#include "sources/shared/filing_record.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const apr_uint64_t largest_file = (apr_uint64_t)4 << 30;

/* One file under way. */
typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const dsc_sgml_submission_t *submission;
    const dsc_sgml_document_t *primary; /* may be NULL */
    const char *accepted_at;            /* UTC; NULL if the header has no time */
    const char *size_bytes;
    const char *text;             /* of the primary document of a report; else NULL */
    apr_array_header_t *sections; /* of text */
    apr_array_header_t *items;    /* of an 8-K; NULL: not known */
} filing_t;

int dsc_accept_sec_filing(const char *name)
{
    return dsc_is_submission_name(name);
}

static const char *location_of(const filing_t *filing, const dsc_sgml_document_t *document)
{
    return apr_psprintf(filing->pool, "line %d: document %s (%s)", document->line,
                        document->sequence ? document->sequence : "?", document->type);
}

/* The entity whose filing it is, for texts and exhibits, which are kept once. */
static const dsc_sgml_entity_t *first_filer(const filing_t *filing)
{
    static const char *const roles[] = {"FILER", "ISSUER", "SUBJECT COMPANY", "SUBJECT-COMPANY",
                                        NULL};
    const apr_array_header_t *entities = filing->submission->entities;
    int i, role;

    for (role = 0; roles[role]; role++) {
        for (i = 0; i < entities->nelts; i++) {
            const dsc_sgml_entity_t *entity = &APR_ARRAY_IDX(entities, i, dsc_sgml_entity_t);

            if (!strcmp(entity->role, roles[role])) {
                return entity;
            }
        }
    }
    return &APR_ARRAY_IDX(entities, 0, dsc_sgml_entity_t);
}

static apr_status_t add_filings(const filing_t *filing)
{
    const dsc_sgml_submission_t *submission = filing->submission;
    apr_status_t status = APR_SUCCESS;
    dsc_filing_facts_t facts;
    int i;

    memset(&facts, 0, sizeof(facts));
    facts.accession = submission->accession;
    facts.form = submission->form;
    facts.filed_on = submission->filed_on;
    facts.accepted_at = filing->accepted_at;
    facts.period_of_report = submission->period;
    facts.title = filing->primary ? filing->primary->description : NULL;
    facts.items = filing->items;
    facts.primary_document = filing->primary ? filing->primary->file_name : NULL;
    facts.size_bytes = filing->size_bytes;
    for (i = 0; i < submission->entities->nelts && status == APR_SUCCESS; i++) {
        const dsc_sgml_entity_t *entity =
            &APR_ARRAY_IDX(submission->entities, i, dsc_sgml_entity_t);

        facts.location = apr_psprintf(filing->pool, "header: %s %s", entity->role, entity->cik);
        facts.cik = entity->cik;
        facts.issuer_name = entity->name;
        facts.file_number = entity->file_number;
        status = dsc_add_filing(filing->loader, filing->pool, &facts);
    }
    return status;
}

static apr_status_t add_document(const filing_t *filing, const dsc_dataset_t *dataset,
                                 const dsc_sgml_document_t *document, const char *key,
                                 const char *const *values)
{
    const dsc_sgml_entity_t *filer = first_filer(filing);
    dsc_load_record_t record;

    memset(&record, 0, sizeof(record));
    record.location = location_of(filing, document);
    record.cik = filer->cik;
    record.issuer_name = filer->name;
    record.record_key = key;
    record.known_at =
        dsc_filing_known_at(filing->pool, filing->accepted_at, filing->submission->filed_on);
    record.provenance.provider = "sec";
    record.provenance.accession = filing->submission->accession;
    record.provenance.url = dsc_filing_url(filing->pool, filer->cik, filing->submission->accession,
                                           document->file_name);
    record.values = values;
    return dsc_loader_add(filing->loader, dataset, &record);
}

static apr_status_t add_text(const filing_t *filing)
{
    const dsc_dataset_t *dataset = dsc_dataset_find("filing_text");
    const char **values = dsc_load_values(filing->pool, dataset);

    dsc_load_set(dataset, values, "form", filing->submission->form);
    dsc_load_set(dataset, values, "published_at", filing->accepted_at);
    dsc_load_set(dataset, values, "text", filing->text);
    dsc_load_set(dataset, values, "sections",
                 dsc_sections_json(filing->pool, filing->text, filing->sections));
    return add_document(filing, dataset, filing->primary, filing->submission->accession, values);
}

static apr_status_t add_exhibit(const filing_t *filing, const dsc_sgml_document_t *document,
                                const char *text)
{
    const dsc_dataset_t *dataset = dsc_dataset_find("exhibit");
    const char **values = dsc_load_values(filing->pool, dataset);

    dsc_load_set(dataset, values, "exhibit_type", document->type);
    dsc_load_set(dataset, values, "sequence", document->sequence);
    dsc_load_set(dataset, values, "file_name", document->file_name);
    dsc_load_set(dataset, values, "title", document->description);
    dsc_load_set(dataset, values, "published_at", filing->accepted_at);
    dsc_load_set(dataset, values, "text", text);
    return add_document(filing, dataset, document,
                        apr_pstrcat(filing->pool, filing->submission->accession, "/",
                                    document->sequence ? document->sequence : "", NULL),
                        values);
}

/* Takes an exhibit, if it is an earnings release. One that holds no text, images alone for
 * instance, is out of what is served, and counted in *textless. */
static apr_status_t take_exhibit(const filing_t *filing, apr_pool_t *pool,
                                 const dsc_sgml_document_t *document, int *textless)
{
    const char *reason;
    const char *text = dsc_document_text(pool, document, filing->submission->dash_escaped, &reason);

    if (text) {
        return dsc_items_have_results(filing->items, filing->submission->filed_on) ||
                       dsc_is_results_release(text)
                   ? add_exhibit(filing, document, text)
                   : APR_SUCCESS;
    }
    if (!strncmp(reason, DSC_NO_TEXT, strlen(DSC_NO_TEXT))) {
        *textless += 1;
        return APR_SUCCESS;
    }
    return dsc_loader_reject(filing->loader, location_of(filing, document), reason, NULL);
}

/* The earnings releases: all release exhibits of a report whose items say that it furnishes
 * results, and none of one whose items say that it does not. If the items are not known, or of the
 * old form, whose Item 12 came in March 2003 only (Release 33-8176), those exhibits alone whose
 * text plainly is a release of results. */
static apr_status_t add_exhibits(const filing_t *filing)
{
    const apr_array_header_t *documents = filing->submission->documents;
    apr_status_t status = APR_SUCCESS;
    apr_pool_t *each;
    int i, textless = 0;

    if (dsc_items_have_none(filing->items, filing->submission->filed_on)) {
        return APR_SUCCESS;
    }
    apr_pool_create(&each, filing->pool);
    for (i = 0; i < documents->nelts && status == APR_SUCCESS; i++) {
        const dsc_sgml_document_t *document = &APR_ARRAY_IDX(documents, i, dsc_sgml_document_t);

        if (dsc_is_release_exhibit(document->type)) {
            apr_pool_clear(each);
            status = take_exhibit(filing, each, document, &textless);
        }
    }
    apr_pool_destroy(each);
    if (textless > 0) {
        dsc_loader_note(filing->loader,
                        apr_psprintf(filing->pool,
                                     "%d exhibit%s of type EX-99 without text (images alone, "
                                     "empty, or no text file): not stored",
                                     textless, textless == 1 ? "" : "s"));
    }
    return status;
}

/* Reads the text of the report's main document; one without text is rejected. */
static apr_status_t read_report(filing_t *filing, dsc_report_t report)
{
    const char *reason;

    filing->text =
        dsc_document_text(filing->pool, filing->primary, filing->submission->dash_escaped, &reason);
    if (!filing->text) {
        return dsc_loader_reject(filing->loader, location_of(filing, filing->primary), reason,
                                 NULL);
    }
    filing->sections = dsc_find_sections(filing->pool, filing->text, report);
    return APR_SUCCESS;
}

static apr_status_t add_records(filing_t *filing)
{
    static const char *const of_whole[] = {"filing_text", "exhibit"};
    dsc_report_t report =
        filing->primary ? dsc_report_of(filing->submission->form) : DSC_REPORT_NONE;
    apr_status_t status = APR_SUCCESS;

    if (report != DSC_REPORT_NONE) {
        status = read_report(filing, report);
    }
    if (report == DSC_REPORT_8K) {
        filing->items = dsc_report_items(filing->pool, filing->submission->items, filing->sections,
                                         filing->submission->filed_on);
    } else {
        filing->items = dsc_other_items(filing->pool, filing->submission->items);
    }
    if (status == APR_SUCCESS) {
        status = add_filings(filing);
    }
    if (status == APR_SUCCESS && filing->text) {
        status = add_text(filing);
    }
    if (status == APR_SUCCESS && report == DSC_REPORT_8K) {
        status = add_exhibits(filing);
    }
    for (int i = 0; i < DSC_COUNT(of_whole) && status == APR_SUCCESS; i++) {
        status = dsc_loader_whole(filing->loader, dsc_dataset_find(of_whole[i]),
                                  first_filer(filing)->cik, filing->submission->accession);
    }
    return status;
}

/* Whether header and documents agree on whether it is a report, and on which; 0 and *reason if not.
 * Forms of other kinds have filers with a form of their own, as a tender offer that is an amendment
 * of a Schedule 13D. */
static int agree_on_form(const filing_t *filing, const char **reason)
{
    const dsc_sgml_submission_t *submission = filing->submission;
    const char *other = submission->filers_form;

    if (other && (dsc_report_of(other) != DSC_REPORT_NONE ||
                  dsc_report_of(submission->form) != DSC_REPORT_NONE)) {
        *reason = apr_psprintf(filing->pool,
                               "header: the submission is of form %s, and the filer's form is %s: "
                               "nobody knows which",
                               submission->form, other);
        return 0;
    }
    if (filing->primary && dsc_report_of(submission->form) == DSC_REPORT_NONE &&
        dsc_report_of(filing->primary->type) != DSC_REPORT_NONE) {
        *reason = apr_psprintf(filing->pool, "%s: the submission is of form %s",
                               location_of(filing, filing->primary), submission->form);
        return 0;
    }
    return 1;
}

/* Finds the main document. 0 and *reason if it has been lost: EDGAR takes no report without a
 * document of its own type, and no exhibit may stand for it. */
static int find_primary(filing_t *filing, const char **reason)
{
    const dsc_sgml_submission_t *submission = filing->submission;

    filing->primary = dsc_sgml_primary(submission);
    if (!agree_on_form(filing, reason)) {
        return 0;
    }
    if (filing->primary && dsc_report_of(submission->form) != DSC_REPORT_NONE &&
        strcasecmp(filing->primary->type, submission->form) != 0) {
        filing->primary = NULL;
    }
    if (filing->primary ||
        (submission->documents->nelts == 0 && dsc_report_of(submission->form) == DSC_REPORT_NONE)) {
        return 1;
    }
    *reason = apr_psprintf(filing->pool, "the main document is missing: none is of type %s",
                           submission->form);
    return 0;
}

/* Whether the period ends more than a year after the filing: a proxy statement's is the day of
 * a meeting to come, within months. */
static int is_far_ahead(const char *filed_on, const char *period)
{
    return period && strlen(period) == 10 && strlen(filed_on) == 10 &&
           (atoi(period) - atoi(filed_on) > 1 ||
            (atoi(period) - atoi(filed_on) == 1 && strcmp(period + 4, filed_on + 4) > 0));
}

apr_status_t dsc_load_sec_filing(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason)
{
    filing_t filing;
    const dsc_spool_t *spool;
    const char *accepted_at;
    dsc_piece_t whole;

    memset(&filing, 0, sizeof(filing));
    filing.loader = loader;
    filing.pool = dsc_loader_file_pool(loader);
    spool = dsc_spool_file(filing.pool, file, largest_file, reason);
    if (!spool) {
        return APR_EGENERAL;
    }
    whole = dsc_spool_piece(spool);
    filing.submission = dsc_submission_read(filing.pool, &whole, NULL, reason);
    if (!filing.submission ||
        !dsc_submission_accepted_at(filing.pool, filing.submission, &accepted_at, reason)) {
        return APR_EGENERAL;
    }
    if (is_far_ahead(filing.submission->filed_on, filing.submission->period)) {
        *reason = "header: the period of report ends more than a year after the filing";
        return APR_EGENERAL;
    }
    filing.accepted_at = accepted_at;
    filing.size_bytes = apr_psprintf(filing.pool, "%" APR_UINT64_T_FMT, dsc_spool_file_size(spool));
    if (!find_primary(&filing, reason) || add_records(&filing) != APR_SUCCESS) {
        return APR_EGENERAL;
    }
    return dsc_date_filings(loader, 1);
}
