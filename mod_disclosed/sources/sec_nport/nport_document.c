#include "sources/sec_nport/nport_document.h"
#include "sources/sec_nport/nport_holding.h"

#include "engine/shape.h"
#include "sources/shared/xml_guard.h"

#include <apr_strings.h>
#include <libxml/xmlreader.h>
#include <stddef.h>
#include <string.h>

static const char root_name[] = "edgarSubmission";
static const char *const forms[] = {"NPORT-P", "NPORT-P/A"};

/* What is read before the registrant is decided. */
typedef struct {
    dsc_nport_report_t report;
    const char *filer_cik;
    int has_series_name; /* the element is there, if only to say N/A */
    int header_names_series;
} facts_t;

#define FACT(path, type, member)                                                                   \
    {                                                                                              \
        path, type, offsetof(facts_t, member)                                                      \
    }

static const dsc_owned_field_t header_facts[] = {
    FACT("submissionType", DSC_OWNED_TEXT, report.form),
    FACT("filerInfo/filer/issuerCredentials/cik", DSC_OWNED_CIK, filer_cik),
};
static const dsc_owned_field_t general_facts[] = {
    FACT("regName", DSC_OWNED_TEXT, report.registrant_name),
    FACT("regFileNumber", DSC_OWNED_TEXT, report.file_number),
    FACT("regCik", DSC_OWNED_CIK, report.cik),
    FACT("regLei", DSC_OWNED_TEXT, report.registrant_lei),
    FACT("seriesName", DSC_OWNED_TEXT, report.series_name),
    FACT("seriesId", DSC_OWNED_TEXT, report.series_id),
    FACT("seriesLei", DSC_OWNED_TEXT, report.series_lei),
    FACT("repPdEnd", DSC_OWNED_DATE, report.fiscal_year_end),
    FACT("repPdDate", DSC_OWNED_DATE, report.report_date),
    FACT("isFinalFiling", DSC_OWNED_BOOLEAN, report.is_final),
};
static const dsc_owned_field_t fund_facts[] = {
    FACT("totAssets", DSC_OWNED_NUMBER, report.total_assets),
    FACT("totLiabs", DSC_OWNED_NUMBER, report.total_liabilities),
    FACT("netAssets", DSC_OWNED_NUMBER, report.net_assets),
};
static const dsc_owned_field_t signature_facts[] = {
    FACT("dateSigned", DSC_OWNED_DATE, report.signed_on),
};

/* What else appears once in the header. */
static const char series_once[] = "filerInfo/seriesClassInfo/seriesId";

/* The parts of the document, which appear once, by the depth of their elements, and the facts that
 * they state: of a part without facts the elements are stepped through. */
static const struct {
    const char *name;
    int depth;
    const dsc_owned_field_t *facts;
    int count;
} parts[] = {
    {"headerData", 1, header_facts, DSC_COUNT(header_facts)},
    {"genInfo", 2, general_facts, DSC_COUNT(general_facts)},
    {"fundInfo", 2, fund_facts, DSC_COUNT(fund_facts)},
    {"signature", 2, signature_facts, DSC_COUNT(signature_facts)},
    {"formData", 1, NULL, 0},
    {"invstOrSecs", 2, NULL, 0},
    {"explntrNotes", 2, NULL, 0},
};

/* ------------------------------------------------------------------- reading */

typedef struct {
    apr_pool_t *pool;
    xmlTextReader *reader;
    dsc_xml_input_t input;
    long first_line;
    const char *reason; /* what libxml2 says first is wrong; the rest mostly follows from it */
} walk_t;

static long line_of(const walk_t *walk, long line)
{
    return (line > 0 ? line : 1) + walk->first_line - 1;
}

#if LIBXML_VERSION >= 21200
typedef const xmlError *syntax_message_t;
#else
typedef xmlErrorPtr syntax_message_t;
#endif

/* Messages end with a line end of their own. A document that is cut off has, for the reader,
 * something it did not expect at its end. */
static void keep_first_error(void *data, syntax_message_t error)
{
    walk_t *walk = data;
    const char *message = error->code == XML_ERR_DOCUMENT_END
                              ? "the document is cut off, or goes on behind its end"
                              : error->message;

    if (!walk->reason && message) {
        walk->reason = apr_psprintf(walk->pool, "line %ld: %.*s", line_of(walk, error->line),
                                    (int)strcspn(message, "\r\n"), message);
    }
}

static apr_status_t free_reader(void *reader)
{
    xmlFreeTextReader(reader);
    return APR_SUCCESS;
}

/* No network, no external files, no substitution of entities, libxml2's own size limits. */
static int open_walk(walk_t *walk, apr_pool_t *pool, const dsc_piece_t *xml, long first_line)
{
    const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                        XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES;

    memset(walk, 0, sizeof *walk);
    walk->pool = pool;
    walk->first_line = first_line;
    walk->input.reader.piece = *xml;
    walk->reader = xmlReaderForIO(dsc_xml_input_read, NULL, &walk->input, NULL, NULL, options);
    if (!walk->reader) {
        walk->reason = "out of memory";
        return 0;
    }
    apr_pool_cleanup_register(pool, walk->reader, free_reader, apr_pool_cleanup_null);
    xmlTextReaderSetStructuredErrorHandler(walk->reader, (xmlStructuredErrorFunc)keep_first_error,
                                           walk);
    return 1;
}

static int error(walk_t *walk, const char *what)
{
    xmlNode *node = xmlTextReaderCurrentNode(walk->reader);

    if (walk->input.guard.error) { /* libxml2 says only that it cannot continue */
        walk->reason = dsc_xml_guard_error(walk->pool, &walk->input.guard, walk->first_line);
    } else if (!walk->reason) {
        walk->reason = apr_psprintf(walk->pool, "line %ld: %s",
                                    line_of(walk, node ? xmlGetLineNo(node) : 0), what);
    }
    return -1;
}

/* Steps to the next element; with `over` past the subtree of the present one. 1, 0 at the end, -1
 * at an error. */
static int next_element(walk_t *walk, int over)
{
    int moved = over ? xmlTextReaderNext(walk->reader) : xmlTextReaderRead(walk->reader);

    while (moved == 1 && xmlTextReaderNodeType(walk->reader) != XML_READER_TYPE_ELEMENT) {
        moved = xmlTextReaderRead(walk->reader);
    }
    return moved == -1 || walk->input.guard.error ? error(walk, "not well-formed") : moved;
}

static int is_named(const walk_t *walk, const char *name, int depth)
{
    const xmlChar *local = xmlTextReaderConstLocalName(walk->reader);

    return xmlTextReaderDepth(walk->reader) == depth && local &&
           strcmp((const char *)local, name) == 0;
}

static int is_holding(const walk_t *walk)
{
    return is_named(walk, "invstOrSec", 3);
}

/* -------------------------------------------------------------------- facts */

/* All classes of the series that the submission's header names. */
static void read_classes(apr_pool_t *pool, xmlNode *header, apr_array_header_t *class_ids)
{
    xmlNode *series = dsc_owned_find(header, "filerInfo/seriesClassInfo"), *one = NULL;

    while (series && (one = dsc_owned_next(series, one, "classId")) != NULL) {
        const char *id = dsc_owned_text(pool, one);

        if (id) {
            APR_ARRAY_PUSH(class_ids, const char *) = id;
        }
    }
}

/* Reads the part that the element is, if it is one; -1 at an error. */
static int read_part(walk_t *walk, facts_t *facts, int *seen)
{
    const char *what = NULL, *sample = NULL;
    xmlNode *element;

    for (int i = 0; i < DSC_COUNT(parts); i++) {
        if (!is_named(walk, parts[i].name, parts[i].depth)) {
            continue;
        }
        if (seen[i]++) {
            return error(walk, dsc_owned_twice(walk->pool, parts[i].name));
        }
        if (!parts[i].facts) {
            return 1;
        }
        element = xmlTextReaderExpand(walk->reader);
        if (!element) {
            return error(walk, "not well-formed");
        }
        dsc_nport_read(walk->pool, element, parts[i].facts, parts[i].count, facts, &what, &sample);
        if (i == 0) {
            what = what ? what : dsc_owned_twin_error(walk->pool, element, series_once);
            read_classes(walk->pool, element, facts->report.class_ids);
        }
        facts->header_names_series |=
            i == 0 && dsc_owned_find(element, "filerInfo/seriesClassInfo") != NULL;
        facts->has_series_name |= dsc_owned_find(element, "seriesName") != NULL;
    }
    return what ? error(walk, what) : 1;
}

int dsc_nport_is_form(const char *form)
{
    for (int i = 0; i < DSC_COUNT(forms); i++) {
        if (form && strcmp(form, forms[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* What a report must say to be one; NULL when it does. A report that lost its series would pass for
 * one of the registrant itself. */
static const char *report_error(apr_pool_t *pool, const facts_t *facts)
{
    const dsc_nport_report_t *report = &facts->report;

    if (!report->form) {
        return "there is no submissionType";
    }
    if (!dsc_nport_is_form(report->form)) {
        return apr_psprintf(pool, "submissionType %.40s: NPORT-P and NPORT-P/A alone are public",
                            report->form);
    }
    return !report->cik           ? "there is no regCik"
           : !report->report_date ? "there is no repPdDate"
           : !report->series_name && !report->registrant_name
               ? "there is neither a seriesName nor a regName"
           : !facts->has_series_name ? "there is no seriesName"
           : facts->header_names_series && !report->series_id
               ? "the header names a series, and genInfo has no seriesId"
               : NULL;
}

/* Walks the whole document, so that one that is cut off is refused before anything is added. */
static int read_facts(walk_t *walk, facts_t *facts)
{
    int moved = next_element(walk, 0), over, seen[DSC_COUNT(parts)] = {0};

    if (moved == 1 && !is_named(walk, root_name, 0)) {
        return error(walk, apr_psprintf(walk->pool, "the root element is %.80s, not %s",
                                        xmlTextReaderConstLocalName(walk->reader), root_name));
    }
    while (moved == 1) {
        over = is_holding(walk);
        facts->report.holding_count += over;
        moved = over ? 1 : read_part(walk, facts, seen);
        if (moved == 1) {
            moved = next_element(walk, over || xmlTextReaderDepth(walk->reader) > 2);
        }
    }
    return moved;
}

dsc_nport_report_t *dsc_nport_parse(apr_pool_t *pool, const dsc_piece_t *xml, long first_line,
                                    const char **reason)
{
    facts_t *facts = apr_pcalloc(pool, sizeof *facts);
    walk_t walk;

    facts->report.class_ids = apr_array_make(pool, 8, sizeof(const char *));
    if (!open_walk(&walk, pool, xml, first_line) || read_facts(&walk, facts) < 0) {
        *reason = walk.reason;
        return NULL;
    }
    if (!facts->report.cik) {
        facts->report.cik = facts->filer_cik;
    }
    *reason = report_error(pool, facts);
    return *reason ? NULL : &facts->report;
}

/* ----------------------------------------------------------------- holdings */

static apr_status_t take_one(walk_t *walk, apr_pool_t *pool, long number, dsc_nport_take_t take,
                             void *baton)
{
    dsc_nport_holding_t holding;
    xmlNode *element = xmlTextReaderExpand(walk->reader);

    if (!element) {
        error(walk, "not well-formed");
        return APR_EGENERAL;
    }
    memset(&holding, 0, sizeof holding);
    holding.number = number;
    holding.location = apr_psprintf(pool, "line %ld: invstOrSec %ld",
                                    line_of(walk, xmlGetLineNo(element)), number);
    dsc_nport_read_holding(pool, element, &holding);
    return take(baton, pool, &holding);
}

apr_status_t dsc_nport_walk(apr_pool_t *pool, const dsc_piece_t *xml, long first_line,
                            dsc_nport_take_t take, void *baton, const char **reason)
{
    apr_status_t status = APR_SUCCESS;
    apr_pool_t *one_pool;
    long number = 0;
    walk_t walk;
    int moved = open_walk(&walk, pool, xml, first_line) ? next_element(&walk, 0) : -1;

    apr_pool_create(&one_pool, pool);
    while (moved == 1 && status == APR_SUCCESS) {
        int over = is_holding(&walk);

        if (over) {
            status = take_one(&walk, one_pool, ++number, take, baton);
            apr_pool_clear(one_pool);
        }
        moved = next_element(&walk, over || xmlTextReaderDepth(walk.reader) > 2);
    }
    apr_pool_destroy(one_pool);
    if (moved < 0 && status == APR_SUCCESS) {
        status = APR_EGENERAL;
    }
    *reason = walk.reason;
    return status;
}
