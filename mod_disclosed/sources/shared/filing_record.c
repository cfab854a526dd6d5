/* One filing as a record, whichever source states it. */
#include "sources/shared/filing_record.h"

#include "engine/calendar.h"
#include "formats/eastern_time.h"
#include "loader/loader_value.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int dsc_is_accession(const char *text)
{
    static const char pattern[] = "dddddddddd-dd-dddddd";
    size_t i;

    for (i = 0; text && i < sizeof(pattern) - 1; i++) {
        if (pattern[i] == 'd' ? !apr_isdigit(text[i]) : text[i] != '-') {
            return 0;
        }
    }
    return text && text[i] == '\0';
}

const char *dsc_filing_url(apr_pool_t *pool, const char *cik, const char *accession,
                           const char *document)
{
    return dsc_filing_address(pool, "https://www.sec.gov/Archives/edgar/data/", cik, accession,
                              document);
}

const char *dsc_filing_address(apr_pool_t *pool, const char *head, const char *cik,
                               const char *accession, const char *document)
{
    char *folder = apr_pstrdup(pool, accession);
    const char *from;
    char *to = folder;

    for (from = accession; *from; from++) {
        if (*from != '-') {
            *to++ = *from;
        }
    }
    *to = '\0';
    cik += strspn(cik, "0");
    if (document && *document) {
        return apr_pstrcat(pool, head, cik, "/", folder, "/", document, NULL);
    }
    return apr_pstrcat(pool, head, cik, "/", folder, "/", accession, "-index.htm", NULL);
}

static int compare_items(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

void dsc_sort_items(apr_array_header_t *items)
{
    if (items && items->nelts > 1) {
        qsort(items->elts, (size_t)items->nelts, (size_t)items->elt_size, compare_items);
    }
}

int dsc_is_item(const char *at, size_t length)
{
    size_t digits = strspn(at, "0123456789");
    size_t rest = digits + (apr_isalpha(at[digits]) != 0);

    if (at[rest] == '.') {
        rest += 1 + strspn(at + rest + 1, "0123456789");
    }
    return digits >= 1 && digits <= 2 && rest == length && at[rest - 1] != '.';
}

/* EDGAR names the rendering of an XML document, xslF345X05/doc4.xml; the document is doc4.xml. */
static const char *document_name(const char *primary_document)
{
    const char *slash = primary_document ? strrchr(primary_document, '/') : NULL;

    return slash && !strncmp(primary_document, "xsl", 3) ? slash + 1 : primary_document;
}

static void set(const dsc_dataset_t *dataset, const char **values, const char *column,
                const char *text)
{
    dsc_load_set(dataset, values, column, text && *text ? text : NULL);
}

static const char *const *filing_values(apr_pool_t *pool, const dsc_dataset_t *dataset,
                                        const dsc_filing_facts_t *facts)
{
    const char **values = dsc_load_values(pool, dataset);

    set(dataset, values, "form", facts->form);
    set(dataset, values, "filed_on", facts->filed_on);
    set(dataset, values, "accepted_at", facts->accepted_at);
    set(dataset, values, "period_of_report", facts->period_of_report);
    set(dataset, values, "title", facts->title);
    set(dataset, values, "items", dsc_text_array(pool, facts->items));
    set(dataset, values, "primary_document", document_name(facts->primary_document));
    set(dataset, values, "file_number", facts->file_number);
    set(dataset, values, "size_bytes", facts->size_bytes);
    return values;
}

int dsc_days_between(const char *from, const char *to)
{
    const char *const texts[] = {from, to};
    int days[2];

    for (int i = 0; i < 2; i++) {
        int year, month, day;

        if (!texts[i] || sscanf(texts[i], "%4d-%2d-%2d", &year, &month, &day) != 3) {
            return 0;
        }
        days[i] = dsc_day(year, month, day);
    }
    return days[1] - days[0];
}

/* Whether acceptance made it public. EDGAR dates what it accepts in the evening on the next
 * business day, but shows it at once; the staff's letters and a registrant's answers to them
 * (UPLOAD, CORRESP, SEC STAFF LETTER) are dated on the day of their release, weeks after. */
static int public_when_accepted(const char *accepted_at, const char *filed_on)
{
    enum {
        LONGEST_WEEKEND = 5
    };
    return accepted_at && dsc_days_between(accepted_at, filed_on) <= LONGEST_WEEKEND;
}

const char *dsc_filing_known_at(apr_pool_t *pool, const char *accepted_at, const char *filed_on)
{
    return public_when_accepted(accepted_at, filed_on) ? accepted_at
                                                       : dsc_end_of_day(pool, filed_on);
}

const char *dsc_dates_error(const char *accepted_at, const char *filed_on)
{
    enum {
        MOST_DAYS = 14 /* as the tables' CHECKs have it */
    };
    return dsc_days_between(accepted_at, filed_on) > MOST_DAYS
               ? "the header's filing date is more than 14 days after its acceptance"
               : NULL;
}

apr_status_t dsc_date_filings(dsc_loader_t *loader, int are_headers)
{
    return dsc_loader_before_merge_once(
        loader, are_headers
                    ? "SELECT dataset, changed_issuer FROM disclosed.date_staged_filings(true)"
                    : "SELECT dataset, changed_issuer FROM disclosed.date_staged_filings(false)");
}

apr_status_t dsc_add_filing(dsc_loader_t *loader, apr_pool_t *pool, const dsc_filing_facts_t *facts)
{
    const dsc_dataset_t *dataset = dsc_dataset_find("filing");
    dsc_load_record_t record;

    if (!dsc_is_accession(facts->accession)) {
        return dsc_loader_reject(loader, facts->location,
                                 "accession is not of the form "
                                 "0000000000-00-000000",
                                 facts->accession);
    }
    memset(&record, 0, sizeof(record));
    record.location = facts->location;
    record.cik = facts->cik;
    record.issuer_name = facts->issuer_name;
    record.record_key = facts->accession;
    record.known_at =
        public_when_accepted(facts->accepted_at, facts->filed_on) ? facts->accepted_at : NULL;
    record.known_on = record.known_at ? NULL : facts->filed_on;
    record.provenance.provider = "sec";
    record.provenance.accession = facts->accession;
    record.provenance.url =
        dsc_filing_url(pool, facts->cik, facts->accession, document_name(facts->primary_document));
    record.values = filing_values(pool, dataset, facts);
    return dsc_loader_add(loader, dataset, &record);
}
