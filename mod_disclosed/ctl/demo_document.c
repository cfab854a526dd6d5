/* Slide decks, releases and reports for investors, with their pages. */
#include "ctl/demo.h"
#include "datasets/datasets.h"
#include "engine/digest.h"
#include "engine/json_writer.h"

#include <apr_strings.h>
#include <string.h>

/* A document as it grows, page by page. Ranges count characters, not bytes. */
typedef struct {
    const dsc_demo_company_t *company;
    dsc_buffer_t *text, *pages;
    long characters;
    int count;
} book_t;

static book_t begin_book(const dsc_demo_company_t *company)
{
    book_t book = {company, dsc_buffer_create(company->pool, 2048),
                   dsc_buffer_create(company->pool, 512), 0, 0};
    return book;
}

static long count_characters(const char *text)
{
    long count = 0;
    for (; *text != '\0'; text++) {
        count += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return count;
}

/* A page with text, a described picture, or both. */
static void add_page(book_t *book, const char *text, const char *caption)
{
    dsc_buffer_printf(book->pages, "%s{\"page_index\":%d", book->count == 0 ? "[" : ",",
                      book->count);
    book->count++;
    if (text != NULL) {
        dsc_buffer_append_text(book->pages, ",\"char_start\":");
        dsc_json_integer(book->pages, book->characters);
        dsc_buffer_append_text(book->text, text);
        dsc_buffer_append_char(book->text, '\n');
        book->characters += count_characters(text) + 1;
        dsc_buffer_append_text(book->pages, ",\"char_end\":");
        dsc_json_integer(book->pages, book->characters);
    }
    if (caption != NULL) {
        dsc_buffer_append_text(book->pages, ",\"vision_caption\":");
        dsc_json_text(book->pages, caption);
    }
    dsc_buffer_append_char(book->pages, '}');
}

/* What is said of a document beside its pages. */
typedef struct {
    const char *doc_type, *title, *name; /* name: of the file, and of the record */
    const char *published_at;
    int period; /* day; 0: of no period */
} cover_t;

static void write_book(dsc_demo_writer_t *writer, book_t *book, const cover_t *cover)
{
    const dsc_demo_company_t *company = book->company;
    const char *text = apr_pstrdup(company->pool, dsc_buffer_text(book->text));
    dsc_buffer_append_char(book->pages, ']');
    dsc_demo_begin(writer, &dsc_dataset_document, company, cover->name);
    dsc_demo_publish(writer, company, cover->published_at,
                     apr_pstrcat(company->pool, cover->name, ".pdf", NULL));
    writer->record.provenance.content_hash = dsc_content_hash_of(company->pool, text, strlen(text));
    dsc_demo_set(writer, "title", cover->title);
    dsc_demo_set(writer, "doc_type", cover->doc_type);
    dsc_demo_set(writer, "language", "en");
    dsc_demo_set(writer, "published_at", cover->published_at);
    dsc_demo_set_day(writer, "period_end_date", cover->period);
    dsc_demo_set_integer(writer, "page_count", book->count);
    dsc_demo_set(writer, "text", text);
    dsc_demo_set(writer, "pages", apr_pstrdup(company->pool, dsc_buffer_text(book->pages)));
    dsc_demo_end(writer);
}

/* --------------------------------------------------------------------- results */

static const char *document_name(const dsc_demo_company_t *company,
                                 const dsc_demo_quarter_t *quarter, const char *kind)
{
    return apr_psprintf(company->pool, "%s-q%d-fy%d", kind, quarter->number, quarter->fiscal_year);
}

static void write_deck(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                       const dsc_demo_filing_t *filing)
{
    const dsc_demo_quarter_t *quarter = &company->quarters[filing->quarter];
    const char *title = apr_psprintf(company->pool, "%s Fiscal %d Results",
                                     dsc_demo_quarter_name(quarter), quarter->fiscal_year);
    cover_t cover = {"slide_deck", title, document_name(company, quarter, "deck"),
                     dsc_demo_time(company->pool, filing->day, filing->second + 20 * MINUTE),
                     company->index % 4 == 0 ? quarter->end_day : 0};
    book_t book = begin_book(company);
    add_page(&book, apr_psprintf(company->pool, "%s\n%s", company->name, title), NULL);
    add_page(&book, "Everything in this presentation is fictional.", NULL);
    add_page(&book, dsc_demo_performance(company, filing->quarter), NULL);
    add_page(&book, NULL, "A bar chart of revenue over five quarters, the last bar highlighted.");
    if (company->index % 4 == 0) {
        add_page(&book, dsc_demo_exhibit(company, filing, 2),
                 "A table of revenue, gross profit and net income over five quarters.");
    }
    add_page(&book, "Thank you. Questions are welcome.", NULL);
    write_book(writer, &book, &cover);
}

/* The release on the company's own site: its text in pages, broken at paragraphs. */
static void write_release(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                          const dsc_demo_filing_t *filing)
{
    const dsc_demo_quarter_t *quarter = &company->quarters[filing->quarter];
    cover_t cover = {"press_release",
                     apr_psprintf(company->pool, "%s Reports %s Fiscal %d Results", company->name,
                                  dsc_demo_quarter_name(quarter), quarter->fiscal_year),
                     document_name(company, quarter, "release"), filing->accepted_at, 0};
    char *text = apr_pstrdup(company->pool, dsc_demo_exhibit(company, filing, 1)), *half;
    book_t book = begin_book(company);
    half = strstr(text + strlen(text) / 2, "\n\n");
    if (half != NULL) {
        *half = '\0';
    }
    add_page(&book, text, NULL);
    if (half != NULL) {
        add_page(&book, half + 2, NULL);
    }
    write_book(writer, &book, &cover);
}

static void write_annual_report(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                                const dsc_demo_filing_t *filing)
{
    const dsc_demo_quarter_t *quarter = &company->quarters[filing->quarter];
    cover_t cover = {"annual_report",
                     apr_psprintf(company->pool, "Annual Report %d", quarter->fiscal_year),
                     apr_psprintf(company->pool, "annual-report-%d", quarter->fiscal_year),
                     dsc_demo_time(company->pool, dsc_business_day(filing->day + 6), 9 * HOUR),
                     quarter->end_day};
    book_t book = begin_book(company);
    add_page(&book, NULL, "A photograph of a harbour at dawn.");
    add_page(&book, apr_psprintf(company->pool, "%s\n%s", company->name, cover.title), NULL);
    add_page(&book, dsc_demo_description(company), NULL);
    for (int i = filing->quarter - 3; i <= filing->quarter; i++) {
        add_page(&book,
                 apr_psprintf(company->pool, "%s\n%s", dsc_demo_quarter_name(&company->quarters[i]),
                              dsc_demo_performance(company, i)),
                 NULL);
    }
    write_book(writer, &book, &cover);
}

/* ------------------------------------------------------------------ other papers */

/* One paper a year of a kind that goes by the company's number. */
static void write_paper(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                        const dsc_demo_filing_t *annual)
{
    static const struct {
        const char *doc_type, *title, *text;
    } papers[] = {
        {"shareholder_letter", "Letter to Shareholders",
         "Dear shareholders, none of this is real."},
        {"fact_sheet", "Fact Sheet", "A company in a nutshell: it does not exist."},
        {"sustainability_report", "Sustainability Report", "Fictional companies emit nothing."},
        {"prospectus", "Prospectus", "This is no offer of securities, which do not exist."},
        {"quarterly_report", "Interim Report", "An interim report without figures."},
        {"other", "Corporate Calendar", "The dates of the coming year."},
    };
    int kind = company->index % DSC_COUNT(papers);
    int day = dsc_business_day(annual->day + 30), year, month, day_of_month;
    cover_t cover = {papers[kind].doc_type, NULL, NULL,
                     dsc_demo_time(company->pool, day, 10 * HOUR), 0};
    book_t book = begin_book(company);
    dsc_day_date(day, &year, &month, &day_of_month);
    cover.title = apr_psprintf(company->pool, "%s %d", papers[kind].title, year);
    cover.name = apr_psprintf(company->pool, "%s-%d", papers[kind].doc_type, year);
    add_page(&book, apr_psprintf(company->pool, "%s\n%s", company->name, cover.title), NULL);
    add_page(&book, papers[kind].text, NULL);
    write_book(writer, &book, &cover);
}

int dsc_demo_has_documents(const dsc_demo_company_t *company)
{
    return company->kind != DSC_DEMO_FUND && company->index < company->options->texts;
}

int dsc_demo_has_transcripts(const dsc_demo_company_t *company)
{
    return dsc_demo_has_documents(company) && company->index % 4 != 3;
}

void dsc_demo_write_documents(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    const dsc_demo_filing_t *const *filings = (const void *)company->filings->elts;
    for (int i = 0; dsc_demo_has_documents(company) && i < company->filings->nelts; i++) {
        int is_annual =
            strcmp(filings[i]->form, "10-K") == 0 || strcmp(filings[i]->form, "20-F") == 0;
        if ((filings[i]->flags & DSC_DEMO_HAS_RELEASE) && company->index % 2 == 0) {
            write_deck(writer, company, filings[i]);
        }
        if ((filings[i]->flags & DSC_DEMO_HAS_RELEASE) && company->index % 3 == 0) {
            write_release(writer, company, filings[i]);
        }
        if (is_annual && filings[i]->quarter >= 4 && filings[i]->day + 45 < company->last_day) {
            write_annual_report(writer, company, filings[i]);
            write_paper(writer, company, filings[i]);
        }
    }
}
