/* Form 8-K: its items, and which of its exhibits are earnings releases. */
#include "sources/sec_filing/current_report.h"

#include "sources/sec_filing/filing_sections.h"
#include "sources/shared/filing_record.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>
#include <strings.h>

enum {
    LONGEST_TITLE = 256,
    HEADLINE = 1500, /* bytes in which a release says what it is */
    BODY = 20000     /* bytes in which it gives its figures */
};

#define NEW_FORM "2004-08-23"

typedef struct {
    const char *number;
    const char *beginning; /* of the title, lower case, words separated by single spaces */
} item_title_t;

/* Form 8-K, General Instructions and items, in force since 23 August 2004; later additions: 5.06
 * (2005), 6.01 to 6.05 (2006), 5.07 (2010), 5.08 (2010), 1.04 (2012), 6.06 (2014), 1.05 (2023).
 * EDGAR's wording of the longer titles has changed, their beginnings have not. */
static const item_title_t titles_now[] = {
    {"1.01", "entry into a material definitive agreement"},
    {"1.02", "termination of a material definitive agreement"},
    {"1.03", "bankruptcy or receivership"},
    {"1.04", "mine safety"},
    {"1.05", "material cybersecurity incident"},
    {"2.01", "completion of acquisition or disposition"},
    {"2.02", "results of operations and financial condition"},
    {"2.03", "creation of a direct financial obligation"},
    {"2.04", "triggering events that accelerate"},
    {"2.05", "cost associated with exit"},
    {"2.05", "costs associated with exit"},
    {"2.06", "material impairment"},
    {"3.01", "notice of delisting"},
    {"3.02", "unregistered sale"},
    {"3.03", "material modification"},
    {"4.01", "changes in registrant's certifying accountant"},
    {"4.02", "non-reliance on previously issued financial statements"},
    {"5.01", "changes in control of registrant"},
    {"5.02", "departure of directors"},
    {"5.03", "amendments to articles of incorporation"},
    {"5.04", "temporary suspension of trading"},
    {"5.05", "amendments to the registrant's code of ethics"},
    {"5.06", "change in shell company status"},
    {"5.07", "submission of matters to a vote"},
    {"5.08", "shareholder director nominations"},
    {"5.08", "shareholder nominations"},
    {"6.01", "abs informational and computational material"},
    {"6.02", "change of servicer or trustee"},
    {"6.03", "change in credit enhancement"},
    {"6.04", "failure to make a required distribution"},
    {"6.05", "securities act updating disclosure"},
    {"6.06", "static pool"},
    {"7.01", "regulation fd disclosure"},
    {"8.01", "other events"},
    {"9.01", "financial statements and exhibits"},
};

static const item_title_t titles_before[] = {
    {"1", "changes in control of registrant"},
    {"2", "acquisition or disposition of assets"},
    {"3", "bankruptcy or receivership"},
    {"4", "changes in registrant's certifying accountant"},
    {"5", "other events"},
    {"6", "resignations of registrant's directors"},
    {"7", "financial statements"},
    {"8", "change in fiscal year"},
    {"9", "regulation fd disclosure"},
    {"9", "sales of equity securities"},
    {"10", "amendments to the registrant's code of ethics"},
    {"11", "temporary suspension of trading"},
    {"12", "results of operations and financial condition"},
};

/* Lower case, single spaces. */
static void normalise(char *out, size_t size, const char *title)
{
    size_t length = 0;

    for (; *title && length + 1 < size; title++) {
        if (!apr_isspace(*title)) {
            out[length++] = (char)apr_tolower(*title);
        } else if (length > 0 && out[length - 1] != ' ') {
            out[length++] = ' ';
        }
    }
    out[length] = '\0';
}

static const char *find_title(const item_title_t *titles, size_t count, const char *title)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (!strncmp(titles[i].beginning, title, strlen(titles[i].beginning))) {
            return titles[i].number;
        }
    }
    return NULL;
}

static int is_number(const char *text)
{
    return apr_isdigit(*text) && strspn(text, "0123456789.") == strlen(text);
}

const char *dsc_item_number(const char *title, const char *filed_on)
{
    char normal[LONGEST_TITLE];

    normalise(normal, sizeof(normal), title);
    if (is_number(title)) {
        return title;
    }
    if (strcmp(filed_on, NEW_FORM) < 0) {
        return find_title(titles_before, sizeof(titles_before) / sizeof(titles_before[0]), normal);
    }
    return find_title(titles_now, sizeof(titles_now) / sizeof(titles_now[0]), normal);
}

static int holds(const apr_array_header_t *items, const char *number)
{
    int i;

    for (i = 0; items && i < items->nelts; i++) {
        if (!strcmp(APR_ARRAY_IDX(items, i, const char *), number)) {
            return 1;
        }
    }
    return 0;
}

static void add_item(apr_array_header_t *items, const char *number)
{
    if (!holds(items, number)) {
        APR_ARRAY_PUSH(items, const char *) = number;
    }
}

apr_array_header_t *dsc_report_items(apr_pool_t *pool, const apr_array_header_t *titles,
                                     const apr_array_header_t *headed, const char *filed_on)
{
    apr_array_header_t *items = apr_array_make(pool, titles->nelts + 1, sizeof(const char *));
    int unknown = 0, i;

    for (i = 0; i < titles->nelts; i++) {
        const char *number = dsc_item_number(APR_ARRAY_IDX(titles, i, const char *), filed_on);

        if (!number) {
            unknown++;
        } else {
            add_item(items, number);
        }
    }
    if ((unknown > 0 || titles->nelts == 0) && (!headed || headed->nelts == 0)) {
        return NULL;
    }
    for (i = 0; (unknown > 0 || titles->nelts == 0) && i < headed->nelts; i++) {
        const dsc_section_t *section = &APR_ARRAY_IDX(headed, i, dsc_section_t);

        add_item(items, section->item);
        for (int j = 0; section->others && j < section->others->nelts; j++) {
            add_item(items, APR_ARRAY_IDX(section->others, j, const char *));
        }
    }
    dsc_sort_items(items);
    return items;
}

int dsc_items_have_results(const apr_array_header_t *items, const char *filed_on)
{
    return holds(items, strcmp(filed_on, NEW_FORM) < 0 ? "12" : "2.02");
}

int dsc_items_have_none(const apr_array_header_t *items, const char *filed_on)
{
    return items && strcmp(filed_on, NEW_FORM) >= 0 && !dsc_items_have_results(items, filed_on);
}

apr_array_header_t *dsc_other_items(apr_pool_t *pool, const apr_array_header_t *given)
{
    apr_array_header_t *items = apr_array_make(pool, given->nelts + 1, sizeof(const char *));

    for (int i = 0; i < given->nelts; i++) {
        const char *item = APR_ARRAY_IDX(given, i, const char *);

        if (!dsc_is_item(item, strlen(item))) {
            return NULL;
        }
        add_item(items, item);
    }
    dsc_sort_items(items);
    return items->nelts > 0 ? items : NULL;
}

/* Whether one of the words (NULL-terminated) is in the first `length` bytes. */
static int mentions(const char *text, size_t length, const char *const *words)
{
    const char *at;

    for (; *words; words++) {
        at = strcasestr(text, *words);
        if (at && (size_t)(at - text) < length) {
            return 1;
        }
    }
    return 0;
}

int dsc_is_results_release(const char *text)
{
    static const char *const reporting[] = {"report", "announce", "results", NULL};
    static const char *const outcome[] = {"results",    "earnings", "profit",
                                          "net income", "net loss", NULL};
    static const char *const period[] = {"quarter",    "fiscal year", "full year", "year-end",
                                         "six months", "nine months", NULL};
    static const char *const income[] = {"net income", "net loss",  "net earnings",
                                         "net profit", "per share", NULL};
    static const char *const revenue[] = {"revenue", "net sales", "sales", NULL};

    return mentions(text, HEADLINE, reporting) && mentions(text, HEADLINE, outcome) &&
           mentions(text, HEADLINE, period) && mentions(text, BODY, income) &&
           mentions(text, BODY, revenue);
}

int dsc_is_release_exhibit(const char *type)
{
    static const char *const types[] = {"EX-99.1", "EX-99.2", "EX-99", "EX-99.01", "EX-99.02"};
    size_t i;

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (!strcasecmp(types[i], type)) {
            return 1;
        }
    }
    return 0;
}
