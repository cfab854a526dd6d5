#include "sources/sec_beneficial_ownership/beneficial_document.h"
#include "sources/shared/ownership_submission.h"
#include "sources/shared/ownership_xml.h"
#include "sources/shared/xml_document.h"

#include "engine/calendar.h"
#include "engine/identifier.h"
#include "engine/shape.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stddef.h>
#include <string.h>

enum {
    MOST_PERSONS = 100, /* EDGAR takes no more */
    CUSIP_LENGTH = 9
};

static const char first_day[] = "1968-07-29"; /* of Section 13(d) */

/* Where the specification asks for an element. */
enum {
    ALWAYS = 1,
    IN_ORIGINALS = 2,
    IN_AMENDMENTS = 4
};

typedef struct {
    const char *path;
    dsc_owned_type_t type;
    size_t offset;
    unsigned needed;
} element_t;

#define COVER(path, type, member, needed)                                                          \
    {                                                                                              \
        path, type, offsetof(dsc_beneficial_document_t, member), needed                            \
    }
#define PERSON(path, type, member, needed)                                                         \
    {                                                                                              \
        path, type, offsetof(dsc_beneficial_person_t, member), needed                              \
    }
#define SHARES "reportingPersonBeneficiallyOwnedNumberOfShares/"

static const element_t header_elements[] = {
    COVER("headerData/previousAccessionNumber", DSC_OWNED_TEXT, previous_accession, IN_AMENDMENTS),
    COVER("formData/coverPageHeader/amendmentNo", DSC_OWNED_AMOUNT, amendment_number,
          IN_AMENDMENTS),
    COVER("formData/coverPageHeader/securitiesClassTitle", DSC_OWNED_TEXT, security_title, ALWAYS),
    COVER("formData/coverPageHeader/issuerInfo/issuerName", DSC_OWNED_TEXT, issuer_name, ALWAYS),
};

static const element_t cover_13d[] = {
    COVER("formData/coverPageHeader/dateOfEvent", DSC_OWNED_US_DATE, event_date, ALWAYS),
    COVER("formData/coverPageHeader/issuerInfo/issuerCIK", DSC_OWNED_CIK, issuer_cik, ALWAYS),
    COVER("formData/items1To7/item3/fundsSource", DSC_OWNED_TEXT, fund_description, IN_ORIGINALS),
    COVER("formData/items1To7/item4/transactionPurpose", DSC_OWNED_TEXT, purpose, IN_ORIGINALS),
};

static const element_t cover_13g[] = {
    COVER("formData/coverPageHeader/eventDateRequiresFilingThisStatement", DSC_OWNED_US_DATE,
          event_date, ALWAYS),
    COVER("formData/coverPageHeader/issuerInfo/issuerCik", DSC_OWNED_CIK, issuer_cik, ALWAYS),
};

static const element_t person_13d[] = {
    PERSON("reportingPersonCIK", DSC_OWNED_CIK, cik, 0),
    PERSON("reportingPersonName", DSC_OWNED_TEXT, name, ALWAYS),
    PERSON("memberOfGroup", DSC_OWNED_TEXT, group, 0),
    PERSON("citizenshipOrOrganization", DSC_OWNED_TEXT, citizenship, IN_ORIGINALS),
    PERSON("soleVotingPower", DSC_OWNED_AMOUNT, sole_voting, IN_ORIGINALS),
    PERSON("sharedVotingPower", DSC_OWNED_AMOUNT, shared_voting, IN_ORIGINALS),
    PERSON("soleDispositivePower", DSC_OWNED_AMOUNT, sole_dispositive, IN_ORIGINALS),
    PERSON("sharedDispositivePower", DSC_OWNED_AMOUNT, shared_dispositive, IN_ORIGINALS),
    PERSON("aggregateAmountOwned", DSC_OWNED_AMOUNT, aggregate, IN_ORIGINALS),
    PERSON("isAggregateExcludeShares", DSC_OWNED_YES_NO, excludes_shares, 0),
    PERSON("percentOfClass", DSC_OWNED_AMOUNT, percent, IN_ORIGINALS),
    PERSON("commentContent", DSC_OWNED_TEXT, comment, 0),
};

static const element_t person_13g[] = {
    PERSON("reportingCik", DSC_OWNED_CIK, cik, 0),
    PERSON("reportingPersonName", DSC_OWNED_TEXT, name, ALWAYS),
    PERSON("memberGroup", DSC_OWNED_TEXT, group, 0),
    PERSON("citizenshipOrOrganization", DSC_OWNED_TEXT, citizenship, IN_ORIGINALS),
    PERSON(SHARES "soleVotingPower", DSC_OWNED_AMOUNT, sole_voting, IN_ORIGINALS),
    PERSON(SHARES "sharedVotingPower", DSC_OWNED_AMOUNT, shared_voting, IN_ORIGINALS),
    PERSON(SHARES "soleDispositivePower", DSC_OWNED_AMOUNT, sole_dispositive, IN_ORIGINALS),
    PERSON(SHARES "sharedDispositivePower", DSC_OWNED_AMOUNT, shared_dispositive, IN_ORIGINALS),
    PERSON("reportingPersonBeneficiallyOwnedAggregateNumberOfShares", DSC_OWNED_AMOUNT, aggregate,
           IN_ORIGINALS),
    PERSON("aggregateAmountExcludesCertainSharesFlag", DSC_OWNED_YES_NO, excludes_shares, 0),
    PERSON("classPercent", DSC_OWNED_AMOUNT, percent, IN_ORIGINALS),
    PERSON("comments", DSC_OWNED_TEXT, comment, 0),
};

/* The two schedules name their elements differently. */
typedef struct {
    const char *form;
    const element_t *cover;
    int cover_count;
    const char *persons, *person; /* below what, and which elements, persons are */
    const element_t *person_elements;
    int person_count;
    const char *signatures, *signature, *signer;
    int states_funds;
} schedule_t;

static const schedule_t schedules[] = {
    {"SCHEDULE 13D", cover_13d, DSC_COUNT(cover_13d), "formData/reportingPersons",
     "reportingPersonInfo", person_13d, DSC_COUNT(person_13d), "formData/signatureInfo",
     "signaturePerson", "signatureReportingPerson", 1},
    {"SCHEDULE 13G", cover_13g, DSC_COUNT(cover_13g), "formData",
     "coverPageHeaderReportingPersonDetails", person_13g, DSC_COUNT(person_13g), "formData",
     "signatureInformation", "reportingPersonName", 0},
};

typedef struct {
    apr_pool_t *pool;
    long first_line;
    const schedule_t *schedule;
    int is_amendment;
    dsc_beneficial_document_t *document;
} reading_t;

static const char *at_line(const reading_t *reading, const xmlNode *element, const char *what)
{
    return apr_psprintf(reading->pool, "line %ld: %s",
                        xmlGetLineNo(element) + reading->first_line - 1, what);
}

/* ------------------------------------------------------------------ elements */

static int is_none(const char *text)
{
    static const char *const nothing[] = {"N/A", "NA", "NONE", "NOT APPLICABLE"};

    for (int i = 0; i < DSC_COUNT(nothing); i++) {
        if (strcasecmp(text, nothing[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Reads one element; what is wrong with it, or NULL. *sample is its text. An element that must be
 * there may be empty or say N/A, unless every schedule has it. */
static const char *read_element(const reading_t *reading, xmlNode *parent, const element_t *row,
                                void *into, const char **sample)
{
    const char **slot = (const char **)(void *)((char *)into + row->offset);
    xmlNode *element = dsc_owned_find(parent, row->path);
    const char *error = dsc_owned_twin_error(reading->pool, parent, row->path);
    unsigned asked = ALWAYS | (reading->is_amendment ? IN_AMENDMENTS : IN_ORIGINALS);
    const char *text = dsc_owned_text(reading->pool, element);

    *sample = text;
    if (error) {
        return error;
    }
    if (text && !(row->type != DSC_OWNED_TEXT && is_none(text))) {
        *slot = dsc_owned_value(reading->pool, last_name(row->path), text, row->type, &error);
        return error;
    }
    return (!element && (row->needed & asked)) || (row->needed & ALWAYS)
               ? apr_pstrcat(reading->pool, last_name(row->path), " is missing", NULL)
               : NULL;
}

static const char *read_elements(const reading_t *reading, xmlNode *parent, const element_t *rows,
                                 int count, void *into, const char **sample)
{
    const char *error = NULL;

    for (int i = 0; i < count && !error; i++) {
        error = read_element(reading, parent, &rows[i], into, sample);
    }
    if (!error) {
        *sample = NULL;
    }
    return error;
}

/* The texts of all children of that name. */
static apr_array_header_t *texts_of(apr_pool_t *pool, xmlNode *parent, const char *name)
{
    apr_array_header_t *texts = apr_array_make(pool, 2, sizeof(const char *));
    xmlNode *one = NULL;

    while (parent && (one = dsc_owned_next(parent, one, name)) != NULL) {
        const char *text = dsc_owned_text(pool, one);

        if (text && !is_none(text)) {
            APR_ARRAY_PUSH(texts, const char *) = text;
        }
    }
    return texts;
}

/* Codes are two letters or digits, each once. What is wrong with them, or NULL. */
static const char *codes_error(apr_pool_t *pool, const char *name, const apr_array_header_t *codes)
{
    for (int i = 0; i < codes->nelts; i++) {
        const char *code = APR_ARRAY_IDX(codes, i, const char *);

        if (strlen(code) != 2 || !apr_isupper(code[0]) || !apr_isupper(code[1])) {
            return apr_psprintf(pool, "%s \"%.80s\" is not a code of two letters", name, code);
        }
        for (int k = 0; k < i; k++) {
            if (strcmp(APR_ARRAY_IDX(codes, k, const char *), code) == 0) {
                return apr_psprintf(pool, "%s \"%.80s\" stands more than once", name, code);
            }
        }
    }
    return NULL;
}

/* ------------------------------------------------------------------- persons */

static const char *membership(const char *group)
{
    return strcmp(group, "a") == 0 ? "member" : strcmp(group, "b") == 0 ? "disclaimed" : NULL;
}

/* What the single elements do not show; NULL when all is well. */
static const char *person_error(const reading_t *reading, xmlNode *element,
                                dsc_beneficial_person_t *person)
{
    const char *error = codes_error(reading->pool, "typeOfReportingPerson", person->types);
    const char *member = person->group ? membership(person->group) : NULL;

    if (!error) {
        error = codes_error(reading->pool, "fundType", person->fund_sources);
    }
    if (!error && person->group && !member) {
        person->sample = person->group;
        error = "membership of a group is neither a nor b";
    }
    person->group = member;
    if (!error && !reading->is_amendment &&
        !dsc_owned_next(element, NULL, "typeOfReportingPerson")) {
        error = "typeOfReportingPerson is missing";
    }
    if (!error && !reading->is_amendment && reading->schedule->states_funds &&
        !dsc_owned_next(element, NULL, "fundType")) {
        error = "fundType is missing";
    }
    return error;
}

static void read_person(const reading_t *reading, xmlNode *element, int number,
                        dsc_beneficial_person_t *person)
{
    const schedule_t *schedule = reading->schedule;

    memset(person, 0, sizeof *person);
    person->location =
        at_line(reading, element, apr_psprintf(reading->pool, "%s[%d]", schedule->person, number));
    person->types = texts_of(reading->pool, element, "typeOfReportingPerson");
    person->fund_sources = texts_of(reading->pool, element, "fundType");
    person->error = read_elements(reading, element, schedule->person_elements,
                                  schedule->person_count, person, &person->sample);
    if (!person->error) {
        person->error = person_error(reading, element, person);
    }
}

static const dsc_beneficial_person_t *find_person(const reading_t *reading, const char *name)
{
    const apr_array_header_t *persons = reading->document->persons;

    for (int i = 0; i < persons->nelts; i++) {
        const dsc_beneficial_person_t *person = &APR_ARRAY_IDX(persons, i, dsc_beneficial_person_t);

        if (person->name && strcasecmp(person->name, name) == 0) {
            return person;
        }
    }
    return NULL;
}

/* Reads all persons; what is wrong with the document then, or NULL. */
static const char *read_persons(const reading_t *reading, xmlNode *root)
{
    const schedule_t *schedule = reading->schedule;
    xmlNode *parent = dsc_owned_find(root, schedule->persons), *one = NULL;
    const char *twin = dsc_owned_twin_error(reading->pool, root, schedule->persons);
    int number = 0;

    while (parent && !twin && (one = dsc_owned_next(parent, one, schedule->person)) != NULL) {
        dsc_beneficial_person_t person;

        if (++number > MOST_PERSONS) {
            return at_line(reading, one, "more than 100 reporting persons, which EDGAR takes no");
        }
        read_person(reading, one, number, &person);
        if (person.name && find_person(reading, person.name)) {
            return at_line(reading, one,
                           apr_psprintf(reading->pool,
                                        "reportingPersonName \"%.150s\" stands more "
                                        "than once",
                                        person.name));
        }
        APR_ARRAY_PUSH(reading->document->persons, dsc_beneficial_person_t) = person;
    }
    return twin         ? twin
           : number > 0 ? NULL
                        : apr_pstrcat(reading->pool, schedule->person, " is missing", NULL);
}

/* ---------------------------------------------------------------- signatures */

/* Notes the latest day of signing; one that is no day, before the event, or not yet come, says
 * nothing. */
static void read_signing(const reading_t *reading, xmlNode *signature)
{
    dsc_beneficial_document_t *document = reading->document;
    xmlNode *one = NULL;

    while ((one = dsc_owned_next(signature, one, "signatureDetails")) != NULL) {
        const char *error, *text = dsc_owned_text(reading->pool, dsc_owned_find(one, "date"));
        const char *date =
            text ? dsc_owned_value(reading->pool, "date", text, DSC_OWNED_US_DATE, &error) : NULL;

        if (date && dsc_date_is_between(date, document->event_date, 1) &&
            (!document->signed_on || strcmp(date, document->signed_on) > 0)) {
            document->signed_on = date;
        }
    }
}

/* Each person signs, and nobody else does: if one of both is not there, something is lost. */
static const char *read_signatures(const reading_t *reading, xmlNode *root)
{
    const schedule_t *schedule = reading->schedule;
    const apr_array_header_t *persons = reading->document->persons;
    xmlNode *parent = dsc_owned_find(root, schedule->signatures), *one = NULL;
    char *has_signed = apr_pcalloc(reading->pool, (apr_size_t)persons->nelts);

    while (parent && (one = dsc_owned_next(parent, one, schedule->signature)) != NULL) {
        const char *name = dsc_owned_text(reading->pool, dsc_owned_find(one, schedule->signer));
        const dsc_beneficial_person_t *person = name ? find_person(reading, name) : NULL;

        if (!person) {
            return at_line(reading, one,
                           apr_psprintf(reading->pool,
                                        "\"%.150s\" signs and is no reporting person",
                                        name ? name : ""));
        }
        has_signed[person - (const dsc_beneficial_person_t *)(void *)persons->elts] = 1;
        read_signing(reading, one);
    }
    for (int i = 0; i < persons->nelts; i++) {
        const dsc_beneficial_person_t *person = &APR_ARRAY_IDX(persons, i, dsc_beneficial_person_t);

        if (person->name && !has_signed[i]) {
            return apr_psprintf(reading->pool, "the signature of \"%.150s\" is missing",
                                person->name);
        }
    }
    return NULL;
}

/* --------------------------------------------------------------------- cover */

/* A CUSIP in upper case, without blanks and hyphens; NULL if the text is none. Zeros stand for a
 * class without. */
static const char *read_cusip(apr_pool_t *pool, const char *text)
{
    char cusip[CUSIP_LENGTH + 1];
    int length = 0;

    for (; *text; text++) {
        if (*text == ' ' || *text == '-') {
            continue;
        }
        if (length == CUSIP_LENGTH) {
            return NULL;
        }
        cusip[length++] = (char)apr_toupper(*text);
    }
    cusip[length] = '\0';
    return dsc_cusip_valid(cusip) && strspn(cusip, "0") != CUSIP_LENGTH ? apr_pstrdup(pool, cusip)
                                                                        : NULL;
}

static void keep_cusips(const reading_t *reading, const apr_array_header_t *texts)
{
    dsc_beneficial_document_t *document = reading->document;

    for (int i = 0; i < texts->nelts; i++) {
        const char *text = APR_ARRAY_IDX(texts, i, const char *);
        const char *cusip = read_cusip(reading->pool, text);

        if (cusip) {
            APR_ARRAY_PUSH(document->cusips, const char *) = cusip;
        } else if (strspn(text, "0") != strlen(text)) {
            document->remark =
                apr_psprintf(reading->pool, "\"%.40s\" is no CUSIP and left out", text);
        }
    }
}

/* One in an element of its own (X0101), or several in a list (X0202). */
static const char *read_cusips(const reading_t *reading, xmlNode *root)
{
    static const char *const names[] = {"issuerCUSIP", "issuerCusip"};
    xmlNode *issuer = dsc_owned_find(root, "formData/coverPageHeader/issuerInfo");
    xmlNode *list = dsc_owned_find(issuer, "issuerCusips");
    int is_there = dsc_owned_next(list, NULL, "issuerCusipNumber") != NULL;

    keep_cusips(reading, texts_of(reading->pool, list, "issuerCusipNumber"));
    for (int i = 0; i < DSC_COUNT(names); i++) {
        is_there |= dsc_owned_next(issuer, NULL, names[i]) != NULL;
        keep_cusips(reading, texts_of(reading->pool, issuer, names[i]));
    }
    return is_there ? NULL : "the issuer's CUSIP is missing";
}

/* Under which rules a Schedule 13G is filed: "Rule 13d-1(b)". */
static const char *read_rules(const reading_t *reading, xmlNode *root)
{
    static const char *const known[] = {"13d-1(b)", "13d-1(c)", "13d-1(d)"};
    const apr_array_header_t *texts =
        texts_of(reading->pool,
                 dsc_owned_find(root,
                                "formData/coverPageHeader/designateRulesPursuantThisScheduleFiled"),
                 "designateRulePursuantThisScheduleFiled");

    for (int i = 0; i < texts->nelts; i++) {
        const char *text = APR_ARRAY_IDX(texts, i, const char *);
        const char *rule = strncasecmp(text, "Rule ", 5) == 0 ? text + 5 : text;
        int k = 0;

        while (k < DSC_COUNT(known) && strcasecmp(rule, known[k]) != 0) {
            k++;
        }
        if (k == DSC_COUNT(known)) {
            return apr_psprintf(reading->pool,
                                "designateRulePursuantThisScheduleFiled \"%.80s\" is none of Rules "
                                "13d-1(b), (c) and (d)",
                                text);
        }
        APR_ARRAY_PUSH(reading->document->rules, const char *) = known[k];
    }
    return NULL;
}

/* The schedule that a form is of, and whether it amends one. NULL: of none. */
static const schedule_t *find_schedule(const char *form, int *is_amendment)
{
    for (int i = 0; i < DSC_COUNT(schedules); i++) {
        size_t length = strlen(schedules[i].form);

        if (strncmp(form, schedules[i].form, length) == 0 &&
            (!form[length] || strcmp(form + length, "/A") == 0)) {
            *is_amendment = form[length] != '\0';
            return &schedules[i];
        }
    }
    return NULL;
}

/* What is wrong with what the cover says, or NULL. */
static const char *cover_error(apr_pool_t *pool, dsc_beneficial_document_t *document)
{
    const char *number = document->amendment_number, *previous = document->previous_accession;

    if (previous) {
        document->previous_accession = dsc_accession_of_name(pool, previous);
        if (!document->previous_accession) {
            return apr_psprintf(pool, "previousAccessionNumber \"%.80s\" is no accession number",
                                previous);
        }
    }
    if (!dsc_date_is_between(document->event_date, first_day, 366)) {
        return apr_psprintf(pool, "the date of event, %s, cannot be", document->event_date);
    }
    return number && (strlen(number) > 3 || strspn(number, "0123456789") != strlen(number))
               ? apr_psprintf(pool, "amendmentNo \"%.80s\" is not a number of an amendment", number)
               : NULL;
}

static const char *read_document(reading_t *reading, xmlNode *root)
{
    dsc_beneficial_document_t *document = reading->document;
    const char *form =
        dsc_owned_text(reading->pool, dsc_owned_find(root, "headerData/submissionType"));
    const schedule_t *schedule = form ? find_schedule(form, &reading->is_amendment) : NULL;
    const char *error, *sample;

    if (!schedule) {
        return apr_psprintf(reading->pool,
                            "submissionType \"%.80s\" is none of SCHEDULE 13D, SCHEDULE 13D/A, "
                            "SCHEDULE 13G and SCHEDULE 13G/A",
                            form ? form : "");
    }
    reading->schedule = schedule;
    document->form = form;
    error = dsc_owned_twin_error(reading->pool, root, "headerData/submissionType");
    error = error ? error
                  : read_elements(reading, root, header_elements, DSC_COUNT(header_elements),
                                  document, &sample);
    error = error ? error
                  : read_elements(reading, root, schedule->cover, schedule->cover_count, document,
                                  &sample);
    error = error ? error : cover_error(reading->pool, document);
    error = error ? error : read_cusips(reading, root);
    error = error ? error : read_rules(reading, root);
    error = error ? error : read_persons(reading, root);
    return error ? error : read_signatures(reading, root);
}

dsc_beneficial_document_t *dsc_beneficial_parse(apr_pool_t *pool, const char *xml, size_t length,
                                                long first_line, const char **reason)
{
    dsc_beneficial_document_t *document = apr_pcalloc(pool, sizeof *document);
    reading_t reading = {pool, first_line, NULL, 0, document};
    xmlNode *root = dsc_xml_root(pool, xml, length, first_line, "edgarSubmission", reason);

    if (!root) {
        return NULL;
    }
    document->cusips = apr_array_make(pool, 2, sizeof(const char *));
    document->rules = apr_array_make(pool, 2, sizeof(const char *));
    document->persons = apr_array_make(pool, 4, sizeof(dsc_beneficial_person_t));
    *reason = read_document(&reading, root);
    return *reason ? NULL : document;
}
