/* Officers, directors and large holders, and whom investors call; their executive records. */
#include "ctl/demo.h"
#include "datasets/datasets.h"

#include <apr_strings.h>
#include <string.h>

enum {
    CHIEF_FINANCIAL_OFFICER = 1,
    OWNER_ROLE = 6,
    DIRECTOR_ROLE = 5,
    SEATS = 10
};

static const dsc_demo_role_t roles[] = {
    {"Chief Executive Officer", "Director, Officer: Chief Executive Officer", 1, 1, 0},
    {"Chief Financial Officer", "Officer: Chief Financial Officer", 2, 1, 0},
    {"Chief Operating Officer", "Officer: Chief Operating Officer", 3, 1, 0},
    {"General Counsel and Secretary", "Officer: General Counsel and Secretary", 3, 1, 0},
    {"Chief Technology Officer", "Officer: Chief Technology Officer", 3, 1, 0},
    {"Director", "Director", 4, 0, 0},
    {"10% Owner", "10% Owner", 5, 0, 1},
};

/* Initial holdings of a person, by kind of role. */
static void give_holdings(dsc_demo_company_t *company, dsc_demo_random_t *random,
                          dsc_demo_person_t *person)
{
    int64_t price = dsc_demo_price(company, person->join_day);
    int is_newcomer = person->join_day > company->first_day;
    if (person->role->is_owner) {
        person->direct = dsc_demo_between(random, 2000, 8000) * 1000;
        person->preferred = dsc_demo_between(random, 500, 2000) * 1000;
        person->warrants = dsc_demo_between(random, 200, 900) * 1000;
        person->warrant_strike = price * 6 / 10 / 100 * 100;
        person->warrant_expiration = company->last_day + 400;
        return;
    }
    person->direct = is_newcomer                ? dsc_demo_between(random, 0, 50) * 100
                     : person->role->is_officer ? dsc_demo_between(random, 200, 4000) * 100
                                                : dsc_demo_between(random, 20, 600) * 100;
    person->trust = dsc_demo_chance(random, 30) ? dsc_demo_between(random, 10, 900) * 100 : 0;
    if (!is_newcomer && person->role->is_officer) {
        dsc_demo_option_t *option = &person->options[person->option_count++];
        option->units = dsc_demo_between(random, 50, 900) * 100;
        option->strike = price * 8 / 10 / 100 * 100;
        option->exercise_day = company->first_day - 400 + dsc_demo_number(random, 0, 300);
        option->expiration_day = option->exercise_day + 9 * 365;
    }
}

/* Persons' CIKs: a block of sixteen for each company, above the companies' own. */
static dsc_demo_person_t *add_person(dsc_demo_company_t *company, dsc_demo_random_t *random,
                                     const dsc_demo_role_t *role, int join_day)
{
    apr_pool_t *pool = company->pool;
    dsc_demo_person_t *person = apr_pcalloc(pool, sizeof(*person));
    person->cik = apr_psprintf(pool, "%" APR_INT64_T_FMT,
                               APR_INT64_C(9991000000) + company->index * APR_INT64_C(16) +
                                   company->people->nelts);
    person->role = role;
    person->join_day = person->next_free_day = join_day;
    if (role->is_owner) {
        person->name = person->as_filed = dsc_demo_firm_name(pool, random, "Partners LP");
        person->joint_owners = apr_psprintf(pool, "{\"%s\",\"%s\"}",
                                            dsc_demo_firm_name(pool, random, "Management LLC"),
                                            dsc_demo_person_name(pool, random, NULL));
    } else {
        person->name = dsc_demo_person_name(pool, random, &person->as_filed);
    }
    give_holdings(company, random, person);
    *(dsc_demo_person_t **)apr_array_push(company->people) = person;
    return person;
}

/* One goes, and the next begins on the following business day; Form 8-K reports both. */
static void succeed(dsc_demo_company_t *company, dsc_demo_random_t *random,
                    dsc_demo_person_t *person)
{
    int span = company->last_day - company->first_day;
    int day =
        dsc_business_day(company->first_day + span / 4 + dsc_demo_number(random, 0, span / 2));
    dsc_demo_filing_t *filing =
        dsc_demo_file(company, random, "8-K", dsc_add_business_days(day, 2), day);
    dsc_demo_person_t *successor;
    if (filing == NULL) {
        return;
    }
    successor = add_person(company, random, person->role, dsc_business_day(day + 1));
    filing->items = "{5.02}";
    filing->subject =
        apr_psprintf(company->pool, "announced that %s resigned as %s and that %s succeeds",
                     person->name, person->role->role, successor->name);
    person->leave_day = day;
    person->left = filing;
}

void dsc_demo_make_people(dsc_demo_company_t *company)
{
    dsc_demo_random_t random = dsc_demo_company_stream(company, DSC_DEMO_PEOPLE);
    dsc_demo_person_t **people;
    int officers = dsc_demo_number(&random, 3, 5), directors = dsc_demo_number(&random, 3, 5);
    if (company->kind == DSC_DEMO_FUND) {
        return;
    }
    for (int i = 0; i < officers + directors; i++) {
        add_person(company, &random, &roles[i < officers ? i : DIRECTOR_ROLE], company->first_day);
    }
    if (company->kind != DSC_DEMO_OPERATING) {
        return;
    }
    if (dsc_demo_chance(&random, 50)) {
        add_person(company, &random, &roles[OWNER_ROLE], company->first_day);
    }
    people = (void *)company->people->elts;
    if (dsc_demo_chance(&random, 40)) {
        succeed(company, &random, people[CHIEF_FINANCIAL_OFFICER]);
    }
    people = (void *)company->people->elts;
    if (dsc_demo_chance(&random, 40)) {
        succeed(company, &random, people[officers]);
    }
}

/* ------------------------------------------------------------------ records */

typedef struct {
    const char *key, *cik, *name, *role, *category, *affiliation;
    int rank, is_current;
} entry_t;

static void write_entry(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                        const entry_t *entry, const dsc_demo_filing_t *filing)
{
    dsc_demo_begin(writer, &dsc_dataset_executive, company,
                   apr_pstrcat(company->pool, entry->category, "/", entry->key, NULL));
    dsc_demo_source(writer, company, filing);
    dsc_demo_set(writer, "person_cik", entry->cik);
    dsc_demo_set(writer, "name", entry->name);
    dsc_demo_set(writer, "role", entry->role);
    dsc_demo_set(writer, "category", entry->category);
    dsc_demo_set(writer, "affiliation", entry->affiliation);
    dsc_demo_set_integer(writer, "person_rank", entry->rank);
    dsc_demo_set_flag(writer, "is_current", entry->is_current);
    dsc_demo_set_day(writer, "reported_on", filing != NULL ? filing->day : company->first_day);
    dsc_demo_end(writer);
}

/* The annual report after a person came, if no Form 3 reported it. */
static const dsc_demo_filing_t *first_annual_report(const dsc_demo_company_t *company, int day)
{
    const dsc_demo_filing_t *const *filings = (const void *)company->filings->elts;
    for (int i = 0; i < company->filings->nelts; i++) {
        if (filings[i]->day >= day &&
            (strcmp(filings[i]->form, "10-K") == 0 || strcmp(filings[i]->form, "20-F") == 0)) {
            return filings[i];
        }
    }
    return NULL;
}

static void write_person(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                         const dsc_demo_person_t *person)
{
    const dsc_demo_filing_t *told =
        person->joined != NULL ? person->joined : first_annual_report(company, person->join_day);
    int is_foreign = company->kind == DSC_DEMO_FOREIGN;
    entry_t entry = {is_foreign ? person->name : person->cik,
                     is_foreign ? NULL : person->cik,
                     is_foreign ? person->name : person->as_filed,
                     person->role->role,
                     "executives",
                     company->name,
                     person->role->rank,
                     1};
    if (told != NULL && (person->left == NULL || told->day < person->left->day)) {
        write_entry(writer, company, &entry, told);
    }
    if (person->left != NULL) {
        entry.is_current = 0;
        write_entry(writer, company, &entry, person->left);
    }
}

apr_array_header_t *dsc_demo_contacts(const dsc_demo_company_t *company)
{
    dsc_demo_random_t random =
        dsc_demo_stream(company->options->seed, company->index + DSC_DEMO_COMPANY_LIMIT,
                        DSC_DEMO_PEOPLE);
    int count = company->kind == DSC_DEMO_FUND ? 1 : dsc_demo_number(&random, 3, 5);
    apr_array_header_t *contacts = apr_array_make(company->pool, count, sizeof(dsc_demo_contact_t));
    for (int i = 0; i < count; i++) {
        dsc_demo_contact_t *contact = apr_array_push(contacts);
        contact->name = dsc_demo_person_name(company->pool, &random, NULL);
        contact->firm = dsc_demo_firm_name(company->pool, &random, "Research");
        if (i == 0) {
            contact->firm = company->name;
        }
    }
    return contacts;
}

/* Contacts as the first earnings release names them; one analyst drops coverage later on. If there
 * are transcripts, these name the analysts. */
static void write_contacts(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    const dsc_demo_filing_t *const *filings = (const void *)company->filings->elts;
    const dsc_demo_filing_t *first = NULL, *last = NULL;
    apr_array_header_t *contacts = dsc_demo_contacts(company);
    int count = dsc_demo_has_transcripts(company) ? 1 : contacts->nelts;
    for (int i = 0; i < company->filings->nelts; i++) {
        if (company->kind == DSC_DEMO_FUND || (filings[i]->flags & DSC_DEMO_HAS_RELEASE)) {
            first = first != NULL ? first : filings[i];
            last = filings[i];
        }
    }
    for (int i = 0; i < count && first != NULL; i++) {
        const dsc_demo_contact_t *contact = &((const dsc_demo_contact_t *)contacts->elts)[i];
        entry_t entry = {contact->name,
                         NULL,
                         contact->name,
                         i == 0 ? "Investor Relations" : "Analyst",
                         i == 0 ? "ir" : "analysts",
                         contact->firm,
                         5,
                         1};
        write_entry(writer, company, &entry, first);
        if (i == 1 && last != first) {
            entry.is_current = 0;
            write_entry(writer, company, &entry, last);
        }
    }
}

void dsc_demo_write_executives(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    const dsc_demo_person_t *const *people = (const void *)company->people->elts;
    for (int i = 0; i < company->people->nelts; i++) {
        if (!people[i]->role->is_owner) {
            write_person(writer, company, people[i]);
        }
    }
    write_contacts(writer, company);
}
