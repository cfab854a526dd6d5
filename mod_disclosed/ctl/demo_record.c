/* Records on their way to the loader. */
#include "ctl/demo.h"
#include "engine/digest.h"
#include "sources/shared/filing_record.h"

#include <apr_strings.h>
#include <string.h>

void dsc_demo_begin(dsc_demo_writer_t *writer, const dsc_dataset_t *dataset,
                    const dsc_demo_company_t *company, const char *record_key)
{
    writer->pool = company->pool;
    writer->dataset = dataset;
    writer->values = dsc_load_values(company->pool, dataset);
    memset(&writer->record, 0, sizeof(writer->record));
    writer->record.location = apr_pstrcat(company->pool, dataset->name, " ", record_key, NULL);
    writer->record.cik = company->cik;
    writer->record.issuer_name = company->name;
    writer->record.record_key = record_key;
    writer->record.provenance.provider = "fictional";
    writer->record.values = writer->values;
}

const char *dsc_demo_filing_url(const dsc_demo_company_t *company, const char *accession,
                                const char *document)
{
    return dsc_filing_address(company->pool, "https://demo.example/filings/", company->cik,
                              accession, document);
}

/* Extracted when it became public: the universe must not depend on the day it is made. */
void dsc_demo_source(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                     const dsc_demo_filing_t *filing)
{
    dsc_load_provenance_t *provenance = &writer->record.provenance;
    if (filing != NULL) {
        writer->record.known_at = filing->accepted_at;
        provenance->url = writer->dataset->document != NULL
                              ? filing->url
                              : dsc_demo_filing_url(company, filing->accession, NULL);
        provenance->accession = filing->accession;
    } else {
        writer->record.known_at =
            apr_pstrcat(company->pool, dsc_day_text(company->pool, company->first_day),
                        "T00:00:00Z", NULL);
        provenance->url =
            apr_pstrcat(company->pool, "https://demo.example/companies/", company->cik, NULL);
    }
    provenance->extracted_at = writer->record.known_at;
}

void dsc_demo_publish(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                      const char *known_at, const char *address)
{
    writer->record.known_at = known_at;
    writer->record.provenance.extracted_at = known_at;
    writer->record.provenance.url =
        apr_pstrcat(company->pool, "https://", dsc_demo_lower(company->pool, company->ticker),
                    ".example/", address, NULL);
}

void dsc_demo_set(dsc_demo_writer_t *writer, const char *column, const char *text)
{
    dsc_load_set(writer->dataset, writer->values, column, text);
}

void dsc_demo_set_integer(dsc_demo_writer_t *writer, const char *column, int64_t value)
{
    dsc_demo_set(writer, column, apr_psprintf(writer->pool, "%" APR_INT64_T_FMT, value));
}

void dsc_demo_set_flag(dsc_demo_writer_t *writer, const char *column, int value)
{
    dsc_demo_set(writer, column, value ? "t" : "f");
}

void dsc_demo_set_day(dsc_demo_writer_t *writer, const char *column, int day)
{
    if (day != 0) {
        dsc_demo_set(writer, column, dsc_day_text(writer->pool, day));
    }
}

void dsc_demo_set_money(dsc_demo_writer_t *writer, const char *column, int64_t units)
{
    int64_t fraction = units % DSC_DEMO_PRICE_SCALE;
    int digits = 4;
    if (units < 0) {
        return;
    }
    if (fraction == 0) {
        dsc_demo_set_integer(writer, column, units / DSC_DEMO_PRICE_SCALE);
        return;
    }
    for (; fraction % 10 == 0; fraction /= 10) {
        digits--;
    }
    dsc_demo_set(writer, column,
                 apr_psprintf(writer->pool, "%" APR_INT64_T_FMT ".%0*d",
                              units / DSC_DEMO_PRICE_SCALE, digits, (int)fraction));
}

/* What has no bytes of its own comes from a file of which the address alone is known. */
void dsc_demo_end(dsc_demo_writer_t *writer)
{
    dsc_load_provenance_t *from = &writer->record.provenance;
    if (from->content_hash == NULL && from->url != NULL) {
        from->content_hash = dsc_content_hash_of(writer->pool, from->url, strlen(from->url));
    }
    if (writer->status == APR_SUCCESS) {
        writer->status = dsc_loader_add(writer->loader, writer->dataset, &writer->record);
    }
}
