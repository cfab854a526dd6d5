/* The yearly index of financial disclosures of the Clerk of the House: 2023FD.xml, 2023FD.txt. */
#include "sources/congress/house_index.h"

#include "datasets/datasets.h"
#include "engine/buffer.h"
#include "formats/delimited.h"
#include "formats/html_text.h"
#include "loader/loader_value.h"
#include "sources/congress/congress_report.h"
#include "sources/congress/congress_value.h"
#include "sources/shared/xml_document.h"

#include <apr_strings.h>
#include <libxml/tree.h>
#include <string.h>

/* Members of a line: their names in the XML, and in the text's header without regard to case. */
enum {
    LAST,
    FIRST,
    SUFFIX,
    FILING_TYPE,
    DISTRICT,
    YEAR,
    FILING_DATE,
    DOCUMENT,
    MEMBER_COUNT
};
static const char *const member_names[MEMBER_COUNT] = {"Last",       "First",    "Suffix",
                                                       "FilingType", "StateDst", "Year",
                                                       "FilingDate", "DocID"};

/* Columns of the dataset that are taken unchanged. */
static const struct {
    const char *column;
    int member;
} plain_columns[] = {
    {"report_id", DOCUMENT},      {"filing_type", FILING_TYPE}, {"filing_year", YEAR},
    {"first_name", FIRST},        {"last_name", LAST},          {"name_suffix", SUFFIX},
    {"state_district", DISTRICT},
};

/* Where the report itself is; periodic transaction reports have a folder of their own. */
static const char *address_of(apr_pool_t *pool, const char *const *members)
{
    if (members[YEAR] == NULL || members[FILING_TYPE] == NULL) {
        return NULL;
    }
    return apr_pstrcat(pool, "https://disclosures-clerk.house.gov/public_disc/",
                       strcmp(members[FILING_TYPE], "P") == 0 ? "ptr-pdfs/" : "financial-pdfs/",
                       members[YEAR], "/", members[DOCUMENT], ".pdf", NULL);
}

/* Reports that candidates have asked to be spared have no filing date. */
static apr_status_t add_line(dsc_loader_t *loader, const char *location, const char *const *members)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    const dsc_dataset_t *dataset = &dsc_dataset_congress_report;
    const char **values = dsc_load_values(pool, dataset);
    dsc_load_record_t record;
    size_t i;

    if (members[DOCUMENT] == NULL) {
        return dsc_loader_reject(loader, location, "DocID: is missing", NULL);
    }
    memset(&record, 0, sizeof(record));
    record.known_on = dsc_congress_date(pool, members[FILING_DATE]);
    if (members[FILING_DATE] != NULL && record.known_on == NULL) {
        return dsc_loader_reject(loader, location, "FilingDate: not a date", members[FILING_DATE]);
    }
    for (i = 0; i < sizeof(plain_columns) / sizeof(plain_columns[0]); i++) {
        dsc_load_set(dataset, values, plain_columns[i].column, members[plain_columns[i].member]);
    }
    dsc_load_set(dataset, values, "filing_date", record.known_on);
    record.location = location;
    record.party = "office/house-clerk";
    record.issuer_name = "Clerk of the U.S. House of Representatives";
    record.record_key = members[DOCUMENT];
    record.known_at = record.known_on == NULL ? dsc_congress_snapshot_time(loader) : NULL;
    record.provenance.provider = "house_clerk";
    record.provenance.url = address_of(pool, members);
    record.values = values;
    return dsc_loader_add(loader, dataset, &record);
}

/* All lines are there. The copy of the index that is loaded last counts, also if another has a
 * later date. */
static apr_status_t finish(dsc_loader_t *loader)
{
    static const char sql[] =
        "SELECT dataset, changed_issuer FROM disclosed.redate_congress_reports()";

    return dsc_loader_staged(loader) > 0 ? dsc_loader_before_merge(loader, sql, 0, NULL)
                                         : APR_SUCCESS;
}

/* --------------------------------------------------------------------------- XML */

static const char *text_of(apr_pool_t *pool, xmlNode *node)
{
    xmlChar *content = xmlNodeGetContent(node);
    const char *text = content == NULL ? NULL : dsc_congress_line(pool, (const char *)content);

    xmlFree(content);
    return text;
}

static apr_status_t add_element(dsc_loader_t *loader, xmlNode *line)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    const char *location = apr_psprintf(pool, "line %ld", xmlGetLineNo(line));
    const char *members[MEMBER_COUNT] = {NULL}, *twice = NULL;
    int has[MEMBER_COUNT] = {0};
    xmlNode *node;
    int i;

    for (node = line->children; node != NULL; node = node->next) {
        for (i = 0; i < MEMBER_COUNT; i++) {
            if (node->type == XML_ELEMENT_NODE &&
                xmlStrcmp(node->name, (const xmlChar *)member_names[i]) == 0) {
                twice = has[i] ? member_names[i] : twice;
                has[i] = 1;
                members[i] = text_of(pool, node);
            }
        }
    }
    return twice == NULL ? add_line(loader, location, members)
                         : dsc_loader_reject(loader, location,
                                             apr_pstrcat(pool, twice, ": given twice", NULL), NULL);
}

apr_status_t dsc_house_index_xml(dsc_loader_t *loader, const char *text, size_t length,
                                 const char **reason)
{
    xmlNode *root =
        dsc_xml_root(dsc_loader_file_pool(loader), text, length, 1, "FinancialDisclosure", reason);
    apr_status_t rv = APR_SUCCESS;
    xmlNode *node;

    if (root == NULL) {
        return APR_EGENERAL;
    }
    for (node = root->children; rv == APR_SUCCESS && node != NULL; node = node->next) {
        if (node->type == XML_ELEMENT_NODE) {
            rv = add_element(loader, node);
        }
    }
    return rv == APR_SUCCESS ? finish(loader) : rv;
}

/* -------------------------------------------------------------------------- text */

typedef struct {
    const char *at;
    size_t left;
} memory_t;

static long read_memory(void *baton, void *bytes, size_t size, const char **reason)
{
    memory_t *memory = baton;
    size_t length = memory->left < size ? memory->left : size;

    (void)reason;
    memcpy(bytes, memory->at, length);
    memory->at += length;
    memory->left -= length;
    return (long)length;
}

/* The text as UTF-8: if it is none, it is Windows-1252. */
static memory_t as_utf8(apr_pool_t *pool, const char *text, size_t length)
{
    memory_t memory = {text, length};
    dsc_buffer_t *out;
    size_t i;

    if (memchr(text, '\0', length) != NULL || dsc_text_is_utf8(text)) {
        return memory;
    }
    out = dsc_buffer_create(pool, length + length / 8 + 1);
    for (i = 0; i < length; i++) {
        dsc_append_windows_1252(out, (unsigned char)text[i]);
    }
    memory.at = dsc_buffer_text(out);
    memory.left = out->length;
    return memory;
}

static int find_columns(dsc_delimited_t *rows, int *columns, const char **reason)
{
    int i;

    for (i = 0; i < MEMBER_COUNT; i++) {
        const char *names[2] = {dsc_delimited_name(rows->pool, member_names[i]), NULL};
        columns[i] = dsc_delimited_column(rows, names);
        if (columns[i] < 0 && (i == FILING_TYPE || i == FILING_DATE || i == DOCUMENT)) {
            *reason = apr_pstrcat(rows->pool, "not an index of the Clerk: there is no column ",
                                  member_names[i], NULL);
            return 0;
        }
    }
    return 1;
}

static apr_status_t add_row(dsc_loader_t *loader, const dsc_delimited_t *rows, const int *columns)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    const char *location = apr_psprintf(pool, "line %" APR_INT64_T_FMT, rows->line);
    const char *members[MEMBER_COUNT];
    int i;

    if (rows->error != NULL) {
        return dsc_loader_reject(loader, location, rows->error, NULL);
    }
    for (i = 0; i < MEMBER_COUNT; i++) {
        members[i] = dsc_congress_line(pool, dsc_delimited_field(rows, columns[i]));
    }
    return add_line(loader, location, members);
}

apr_status_t dsc_house_index_text(dsc_loader_t *loader, const char *text, size_t length,
                                  const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    memory_t memory = as_utf8(pool, text, length);
    int columns[MEMBER_COUNT], more;
    apr_status_t rv = APR_SUCCESS;
    dsc_delimited_t rows;

    if (!dsc_delimited_open(&rows, pool, read_memory, &memory, reason) ||
        !find_columns(&rows, columns, reason)) {
        return APR_EGENERAL;
    }
    while (rv == APR_SUCCESS && (more = dsc_delimited_next(&rows, reason)) != 0) {
        if (more < 0) {
            return APR_EGENERAL;
        }
        rv = add_row(loader, &rows, columns);
    }
    return rv == APR_SUCCESS ? finish(loader) : rv;
}
