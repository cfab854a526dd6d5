#include "sources/sec_financial_statements/statement_set.h"

#include "datasets/datasets.h"
#include "formats/eastern_time.h"
#include "loader/loader_value.h"
#include "sources/shared/filing_record.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#define NAMES(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

enum {
    SUB_CIK,
    SUB_NAME,
    SUB_FORM,
    SUB_FILED,
    SUB_ACCEPTED,
    SUB_YEAR,
    SUB_PERIOD,
    SUB_INSTANCE
};

enum {
    NUM_TAG,
    NUM_VERSION,
    NUM_END,
    NUM_QUARTERS,
    NUM_UNIT,
    NUM_VALUE,
    NUM_SEGMENTS,
    NUM_HASH,
    NUM_COREGISTRANT,
    NUM_DECIMALS
};

enum {
    CIK_DIGITS = 10,
    DAY_DIGITS = 8,
    CURRENCY_LETTERS = 3,
    MOST_QUARTERS = 4000 /* a thousand years */
};

static const dsc_table_column_t sub_columns[] = {
    [SUB_CIK] = {NAMES("cik"), 1},           [SUB_NAME] = {NAMES("name"), 1},
    [SUB_FORM] = {NAMES("form"), 1},         [SUB_FILED] = {NAMES("filed"), 1},
    [SUB_ACCEPTED] = {NAMES("accepted"), 0}, [SUB_YEAR] = {NAMES("fy"), 0},
    [SUB_PERIOD] = {NAMES("fp"), 0},         [SUB_INSTANCE] = {NAMES("instance"), 0},
};

static const dsc_table_column_t num_columns[] = {
    [NUM_TAG] = {NAMES("tag"), 1},
    [NUM_VERSION] = {NAMES("version"), 1},
    [NUM_END] = {NAMES("ddate"), 1},
    [NUM_QUARTERS] = {NAMES("qtrs"), 1},
    [NUM_UNIT] = {NAMES("uom"), 1},
    [NUM_VALUE] = {NAMES("value"), 1},
    [NUM_SEGMENTS] = {NAMES("segments"), 0},
    [NUM_HASH] = {NAMES("dimh"), 0},
    [NUM_COREGISTRANT] = {NAMES("coreg"), 0},
    [NUM_DECIMALS] = {NAMES("dcml"), 0},
};

const dsc_report_table_t dsc_statement_tables[DSC_STATEMENT_TABLES] = {
    {"sub", sub_columns, DSC_COUNT(sub_columns), .accession = "adsh"},
    {"num", num_columns, DSC_COUNT(num_columns), .accession = "adsh"},
};

/* Further tables of the sets. Of tag and dim it is taken what they say of num; of the others
 * nothing. */
static const char *const other_tables[] = {"tag", "pre", "dim", "txt", "ren", "cal"};

int dsc_statement_set_has(const char *name)
{
    for (int i = 0; i < DSC_STATEMENT_TABLES; i++) {
        if (dsc_is_table_file(name, dsc_statement_tables[i].name)) {
            return 1;
        }
    }
    for (int i = 0; i < DSC_COUNT(other_tables); i++) {
        if (dsc_is_table_file(name, other_tables[i])) {
            return 1;
        }
    }
    return 0;
}

/* -------------------------------------------------------------------------- values */

/* 20100331 as 2010-03-31; NULL if it is no date. */
static const char *date_of(apr_pool_t *pool, const char *text)
{
    const char *date;

    if (!text || strlen(text) != DAY_DIGITS || strspn(text, "0123456789") != DAY_DIGITS) {
        return NULL;
    }
    date = apr_psprintf(pool, "%.4s-%.2s-%.2s", text, text + 4, text + 6);
    return dsc_value_error(DSC_COLUMN_DATE, date) ? NULL : date;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29
                                                                               : days[month - 1];
}

/* The first day of a period of so many quarters that ends on the date: of months whole if it ends
 * with one. NULL if that is before the year 1. */
static const char *start_of(apr_pool_t *pool, const char *end_date, int quarters)
{
    int year = atoi(end_date), month = atoi(end_date + 5), day = atoi(end_date + 8) + 1;
    int months;

    if (day > days_in(year, month)) {
        day = 1;
        month++;
    }
    months = year * 12 + month - 1 - quarters * 3;
    year = months / 12;
    month = months % 12 + 1;
    if (months < 12) {
        return NULL;
    }
    return apr_psprintf(pool, "%04d-%02d-%02d", year, month,
                        day < days_in(year, month) ? day : days_in(year, month));
}

/* -116000000.0000 as -116000000: every number has four places there. NULL if it is no number. */
static const char *amount_of(apr_pool_t *pool, const char *text)
{
    const char *digits = text + (*text == '-'), *point = strchr(digits, '.');
    size_t whole = strspn(digits, "0123456789"), length = strlen(digits);
    size_t places = point ? strspn(point + 1, "0123456789") : 0;

    if (whole + (point ? 1 + places : 0) != length || whole + places == 0) {
        return NULL;
    }
    while (places > 0 && point[places] == '0') {
        places--;
    }
    return apr_psprintf(pool, "%s%.*s%s%.*s", *text == '-' ? "-" : "", whole ? (int)whole : 1,
                        whole ? digits : "0", places ? "." : "", (int)places,
                        places ? point + 1 : "");
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char *dsc_statement_dimensions(apr_pool_t *pool, const char *segments,
                                     const char *coregistrant)
{
    apr_array_header_t *pairs = apr_array_make(pool, 4, sizeof(const char *));
    char *rest = apr_pstrdup(pool, segments ? segments : ""), *pair;
    int has_entity = 0;

    while ((pair = apr_strtok(rest, ";", &rest)) != NULL) {
        APR_ARRAY_PUSH(pairs, const char *) = pair;
        has_entity |= strncmp(pair, "LegalEntity=", strlen("LegalEntity=")) == 0;
    }
    if (coregistrant && !has_entity) {
        APR_ARRAY_PUSH(pairs, const char *) = apr_pstrcat(pool, "LegalEntity=", coregistrant, NULL);
    }
    if (pairs->nelts > 1) {
        qsort(pairs->elts, (size_t)pairs->nelts, sizeof(const char *), compare_texts);
    }
    return pairs->nelts > 0 ? apr_array_pstrcat(pool, pairs, ';') : NULL;
}

/* Whether dimensions are as the table takes them: axis=member, with semicolons between. */
static int are_dimensions(apr_pool_t *pool, const char *text)
{
    for (;;) {
        size_t axis = strcspn(text, "=;"), member;

        if (text[axis] != '=' || !dsc_is_xml_name(apr_pstrmemdup(pool, text, axis))) {
            return 0;
        }
        text += axis + 1;
        member = strcspn(text, "=;");
        if (member == 0 || text[member] == '=') {
            return 0;
        }
        if (text[member] == '\0') {
            return 1;
        }
        text += member + 1;
    }
}

/* -------------------------------------------------------------------------- a filing */

const char *dsc_statement_prefix(apr_pool_t *pool, const dsc_table_line_t *line)
{
    const char *instance = line->fields[SUB_INSTANCE];
    size_t length = instance ? strcspn(instance, "-_.") : 0;

    return length > 0 && instance[length] == '-' && strcspn(instance, ": ") >= length
               ? apr_pstrmemdup(pool, instance, length)
               : "custom";
}

/* What is wrong with what the filing says of itself; NULL: nothing. */
static const char *report_error(const dsc_table_line_t *line, const dsc_xbrl_report_t *report)
{
    const char *cik = line->fields[SUB_CIK] ? line->fields[SUB_CIK] : "";
    size_t digits = strlen(cik);

    return digits == 0 || digits > CIK_DIGITS || strspn(cik, "0123456789") != digits ||
                   strspn(cik, "0") == digits
               ? "cik: not a number of up to ten digits"
           : !report->issuer_name ? "name is missing"
           : !report->form        ? "form is missing"
           : !report->filed_on    ? "filed: not a date (YYYYMMDD)"
           : line->fields[SUB_ACCEPTED] && !report->known_at
               ? "accepted: not a time (YYYY-MM-DD HH:MM:SS)"
           : report->fiscal_year && !dsc_xbrl_is_year(report->fiscal_year)
               ? "fy: not a year from 1900 to 9999"
               : NULL;
}

dsc_xbrl_report_t *dsc_statement_report(apr_pool_t *pool, const dsc_table_line_t *line,
                                        const char **reason)
{
    dsc_xbrl_report_t *report = apr_pcalloc(pool, sizeof(*report));
    const char *accepted = line->fields[SUB_ACCEPTED];

    report->told_by = "data_set";
    report->location = line->location;
    report->cik = line->fields[SUB_CIK];
    report->issuer_name = line->fields[SUB_NAME];
    report->form = line->fields[SUB_FORM];
    report->filed_on = date_of(pool, line->fields[SUB_FILED]);
    report->known_at = accepted ? dsc_eastern_to_utc(pool, accepted) : NULL;
    report->fiscal_year = line->fields[SUB_YEAR];
    report->fiscal_period = line->fields[SUB_PERIOD];
    *reason = report_error(line, report);
    return *reason ? NULL : report;
}

/* -------------------------------------------------------------------------- a fact */

/* The dimensions of the line. 0 if its hash means nothing. */
static int read_dimensions(apr_pool_t *pool, const dsc_table_line_t *line,
                           const dsc_statement_meaning_t *meaning, const char **read)
{
    const char *hash = line->fields[NUM_HASH], *segments = line->fields[NUM_SEGMENTS];
    int is_none = !hash || strspn(hash + (strncasecmp(hash, "0x", 2) == 0 ? 2 : 0), "0") ==
                               strlen(hash + (strncasecmp(hash, "0x", 2) == 0 ? 2 : 0));

    if (!is_none) {
        segments = apr_hash_get(meaning->dimensions, hash, APR_HASH_KEY_STRING);
    }
    *read = dsc_statement_dimensions(pool, segments, line->fields[NUM_COREGISTRANT]);
    return is_none || segments != NULL;
}

/* 32767 stands for INF in the sets with notes. */
static const char *decimals_of(const char *text)
{
    return text && strcmp(text, "32767") == 0 ? "INF" : text;
}

static int is_integer(const char *text, size_t most_digits)
{
    size_t digits = strlen(text + (*text == '-'));

    return digits > 0 && digits <= most_digits &&
           strspn(text + (*text == '-'), "0123456789") == digits;
}

/* What the line says when; returns what is wrong with it, or NULL. */
static const char *read_period(apr_pool_t *pool, const dsc_table_line_t *line,
                               dsc_statement_line_t *read)
{
    const char *quarters = line->fields[NUM_QUARTERS];

    read->sample = line->fields[NUM_END];
    read->fact.end_date = date_of(pool, line->fields[NUM_END]);
    if (!read->fact.end_date) {
        return "ddate: not a date (YYYYMMDD)";
    }
    read->sample = quarters;
    if (!quarters || !is_integer(quarters, 4) || atoi(quarters) < 0 ||
        atoi(quarters) > MOST_QUARTERS) {
        return "qtrs: not a number from 0 to 4000";
    }
    read->fact.start_date =
        atoi(quarters) == 0 ? "" : start_of(pool, read->fact.end_date, atoi(quarters));
    return read->fact.start_date ? NULL : "qtrs: the period begins before the year 1";
}

const char *dsc_statement_tag(apr_pool_t *pool, const char *tag, const char *version)
{
    return apr_pstrcat(pool, tag, "\t", version, NULL);
}

/* The unit, with "/shares" behind the currency of an amount per share; NULL: there is none. */
static const char *unit_of(apr_pool_t *pool, const dsc_table_line_t *line,
                           const dsc_statement_meaning_t *meaning)
{
    const char *unit = line->fields[NUM_UNIT];
    const char *tag = dsc_statement_tag(pool, line->fields[NUM_TAG], line->fields[NUM_VERSION]);

    return unit && strlen(unit) == CURRENCY_LETTERS &&
                   strspn(unit, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == CURRENCY_LETTERS &&
                   apr_hash_get(meaning->per_share, tag, APR_HASH_KEY_STRING)
               ? apr_pstrcat(pool, unit, "/shares", NULL)
               : unit;
}

/* The element and its unit; returns what is wrong with them, or NULL. */
static const char *read_concept(apr_pool_t *pool, const dsc_table_line_t *line, const char *prefix,
                                const dsc_statement_meaning_t *meaning, dsc_statement_line_t *read)
{
    const char *tag = line->fields[NUM_TAG], *version = line->fields[NUM_VERSION];
    const char *taxonomy, *error;

    read->sample = tag;
    if (!tag || !version) {
        return tag ? "version is missing" : "tag is missing";
    }
    taxonomy =
        dsc_is_accession(version) ? prefix : apr_pstrmemdup(pool, version, strcspn(version, "/"));
    error = dsc_xbrl_name_error(taxonomy, tag);
    if (error) {
        return apr_pstrcat(pool, "version and tag: ", error, NULL);
    }
    read->fact.concept = apr_pstrcat(pool, taxonomy, ":", tag, NULL);
    if (!dsc_name_set_has(meaning->tags, dsc_statement_tag(pool, tag, version))) {
        return "tag and version: the table tag does not have them, so that the unit is not known";
    }
    read->sample = NULL;
    read->fact.unit = unit_of(pool, line, meaning);
    return read->fact.unit ? NULL : "uom is missing";
}

/* The number; returns what is wrong with it, or NULL. */
static const char *read_amount(apr_pool_t *pool, const dsc_table_line_t *line,
                               dsc_statement_line_t *read)
{
    const char *value = line->fields[NUM_VALUE], *error;

    read->sample = value;
    if (!value) {
        read->is_nil = 1;
        return NULL;
    }
    read->fact.amount = amount_of(pool, value);
    if (!read->fact.amount) {
        return "value: not a number";
    }
    error = dsc_xbrl_amount_error(read->fact.amount);
    return error ? apr_pstrcat(pool, "value: ", error, NULL) : NULL;
}

void dsc_statement_fact(apr_pool_t *pool, const dsc_table_line_t *line, const char *prefix,
                        const dsc_statement_meaning_t *meaning, dsc_statement_line_t *read)
{
    memset(read, 0, sizeof(*read));
    read->fact.where = line->location;
    read->fact.place = -1;
    read->error = read_concept(pool, line, prefix, meaning, read);
    if (!read->error) {
        read->error = read_period(pool, line, read);
    }
    if (!read->error) {
        read->error = read_amount(pool, line, read);
    }
    if (read->error) {
        return;
    }
    read->fact.decimals = decimals_of(line->fields[NUM_DECIMALS]);
    if (read->fact.decimals && strcmp(read->fact.decimals, "INF") != 0 &&
        !is_integer(read->fact.decimals, 3)) {
        read->error = "dcml: not an integer of up to three digits";
        read->sample = read->fact.decimals;
    } else if (!read_dimensions(pool, line, meaning, &read->fact.dimensions)) {
        read->error = "dimh: dim does not have this hash";
        read->sample = line->fields[NUM_HASH];
    } else if (read->fact.dimensions && strlen(read->fact.dimensions) > DSC_LONGEST_DIMENSIONS) {
        read->error = "segments: longer than 4096 characters";
    } else if (read->fact.dimensions && !are_dimensions(pool, read->fact.dimensions)) {
        read->error = "segments: not axis=member, with semicolons between";
        read->sample = read->fact.dimensions;
    }
}
