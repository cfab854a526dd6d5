/* Transcripts of the calls about results: prepared remarks, then questions of analysts. */
#include "ctl/demo.h"
#include "datasets/datasets.h"
#include "engine/json_writer.h"

#include <apr_strings.h>
#include <string.h>

enum {
    WORD_MS = 400, /* a word takes so long to say */
    PAUSE_MS = 1500,
    OPERATOR = 0,
    HOST = 1,
    CHIEF = 2,
    FINANCE = 3,
    FIRST_ANALYST = 4
};

/* A call as it goes on. */
typedef struct {
    const dsc_demo_company_t *company;
    const dsc_demo_filing_t *filing;
    dsc_buffer_t *speakers, *chapters, *segments;
    const char *section;
    int64_t now; /* milliseconds from its start */
} talk_t;

/* Releases of the morning are spoken of the same morning, those of the evening an hour later. */
const char *dsc_demo_call_time(const dsc_demo_company_t *company, const dsc_demo_filing_t *filing)
{
    int second = filing->second < 12 * HOUR ? 10 * HOUR : 17 * HOUR;
    return dsc_demo_time(company->pool, filing->day, second);
}

/* --------------------------------------------------------------------- the talk */

static void add_speaker(talk_t *talk, int number, const char *name, const char *role,
                        const char *firm)
{
    dsc_buffer_printf(talk->speakers,
                      "%s{\"speaker_id\":\"%d\",\"name\":", talk->speakers->length == 0 ? "[" : ",",
                      number);
    dsc_json_text(talk->speakers, name);
    dsc_buffer_append_text(talk->speakers, ",\"role\":");
    dsc_json_text(talk->speakers, role);
    dsc_buffer_append_text(talk->speakers, ",\"affiliation\":");
    dsc_json_text(talk->speakers, firm);
    dsc_buffer_append_char(talk->speakers, '}');
}

static void begin_chapter(talk_t *talk, const char *section)
{
    talk->section = section;
    dsc_buffer_printf(talk->chapters,
                      "%s{\"kind\":\"%s\",\"start_ms\":", talk->chapters->length == 0 ? "[" : ",",
                      section);
    dsc_json_integer(talk->chapters, talk->now);
    dsc_buffer_append_char(talk->chapters, '}');
}

static void say(talk_t *talk, int speaker, const char *text)
{
    int64_t words = 1;
    for (const char *at = text; *at != '\0'; at++) {
        words += *at == ' ';
    }
    dsc_buffer_printf(talk->segments,
                      "%s{\"speaker\":%d,\"text\":", talk->segments->length == 0 ? "[" : ",",
                      speaker);
    dsc_json_text(talk->segments, text);
    dsc_buffer_append_text(talk->segments, ",\"offset_ms\":");
    dsc_json_integer(talk->segments, talk->now);
    dsc_buffer_append_text(talk->segments, ",\"duration_ms\":");
    dsc_json_integer(talk->segments, words * WORD_MS);
    dsc_buffer_printf(talk->segments, ",\"section\":\"%s\"}", talk->section);
    talk->now += words * WORD_MS + PAUSE_MS;
}

#define SAY(talk, speaker, ...)                                                                    \
    say((talk), (speaker), apr_psprintf((talk)->company->pool, __VA_ARGS__))

/* Who holds a role on a day; NULL: nobody is known. */
static const dsc_demo_person_t *holder(const dsc_demo_company_t *company, int rank, int day)
{
    const dsc_demo_person_t *const *people = (const void *)company->people->elts;
    for (int i = 0; i < company->people->nelts; i++) {
        if (people[i]->role->rank == rank && people[i]->join_day <= day &&
            (people[i]->leave_day == 0 || people[i]->leave_day > day)) {
            return people[i];
        }
    }
    return NULL;
}

static const char *name_of(const dsc_demo_person_t *person)
{
    return person != NULL ? person->name : "a colleague";
}

static void write_remarks(talk_t *talk, const char *host, const char *chief, const char *finance)
{
    const dsc_demo_quarter_t *quarter = &talk->company->quarters[talk->filing->quarter];
    begin_chapter(talk, "prepared");
    SAY(talk, OPERATOR, "Good day, and welcome to the %s fiscal %d call of %s. I hand over to %s.",
        dsc_demo_quarter_name(quarter), quarter->fiscal_year, talk->company->name, host);
    SAY(talk, HOST,
        "Thank you. With me are %s and %s. Nothing that we say is real, and none of it is a "
        "forecast.",
        chief, finance);
    SAY(talk, CHIEF, "Good day. We are a company that %s, and we have kept to our plans.",
        talk->company->industry->trade);
    say(talk, FINANCE, dsc_demo_performance(talk->company, talk->filing->quarter));
}

/* Analysts take turns over the quarters; the second of them stops asking halfway. */
static int asks(const talk_t *talk, int analyst)
{
    int quarter = talk->filing->quarter;
    if (analyst == 2 && quarter > talk->company->quarter_count / 2) {
        return 0;
    }
    return analyst == 1 || (quarter + analyst) % 2 == 0;
}

static void write_questions(talk_t *talk, const apr_array_header_t *contacts)
{
    static const char *const questions[] = {
        "What do you see in demand as the new quarter begins?",
        "How did cost develop against your plan?",
        "Where will you put the cash that you earn?",
        "Is the competition getting harder?",
    };
    begin_chapter(talk, "qa");
    for (int i = 1; i < contacts->nelts; i++) {
        const dsc_demo_contact_t *analyst = &((const dsc_demo_contact_t *)contacts->elts)[i];
        if (!asks(talk, i)) {
            continue;
        }
        SAY(talk, OPERATOR, "The next question is from %s of %s.", analyst->name, analyst->firm);
        say(talk, FIRST_ANALYST + i - 1,
            questions[(talk->filing->quarter + i) % DSC_COUNT(questions)]);
        say(talk, i % 2 == 0 ? CHIEF : FINANCE,
            "Thank you for the question. It is as we said: all of it is made up.");
    }
    say(talk, OPERATOR, "This ends the call.");
}

static talk_t hold_call(const dsc_demo_company_t *company, const dsc_demo_filing_t *filing)
{
    apr_pool_t *pool = company->pool;
    const apr_array_header_t *contacts = dsc_demo_contacts(company);
    const dsc_demo_contact_t *contact = (const dsc_demo_contact_t *)contacts->elts;
    const char *chief = name_of(holder(company, 1, filing->day));
    const char *finance = name_of(holder(company, 2, filing->day));
    talk_t talk = {company,
                   filing,
                   dsc_buffer_create(pool, 512),
                   dsc_buffer_create(pool, 128),
                   dsc_buffer_create(pool, 4096),
                   NULL,
                   0};
    add_speaker(&talk, OPERATOR, "Operator", "Operator", NULL);
    add_speaker(&talk, HOST, contact[0].name, "Investor Relations", company->name);
    add_speaker(&talk, CHIEF, chief, "Chief Executive Officer", company->name);
    add_speaker(&talk, FINANCE, finance, "Chief Financial Officer", company->name);
    for (int i = 1; i < contacts->nelts; i++) {
        if (asks(&talk, i)) {
            add_speaker(&talk, FIRST_ANALYST + i - 1, contact[i].name, "Analyst", contact[i].firm);
        }
    }
    write_remarks(&talk, contact[0].name, chief, finance);
    write_questions(&talk, contacts);
    dsc_buffer_append_char(talk.speakers, ']');
    dsc_buffer_append_char(talk.chapters, ']');
    dsc_buffer_append_char(talk.segments, ']');
    return talk;
}

/* ------------------------------------------------------------------ records */

static void write_transcript(dsc_demo_writer_t *writer, const talk_t *talk, const char *key,
                             const char *supersedes, const char *known_at)
{
    const dsc_demo_company_t *company = talk->company;
    const dsc_demo_quarter_t *quarter = &company->quarters[talk->filing->quarter];
    dsc_demo_begin(writer, &dsc_dataset_transcript, company, key);
    dsc_demo_publish(writer, company, known_at, apr_pstrcat(company->pool, "calls/", key, NULL));
    dsc_demo_set(writer, "event_type", "earnings");
    dsc_demo_set(writer, "period_label",
                 apr_psprintf(company->pool, "Q%d FY%d", quarter->number, quarter->fiscal_year));
    dsc_demo_set_day(writer, "period_end_date", quarter->end_day);
    dsc_demo_set(writer, "call_date", dsc_demo_call_time(company, talk->filing));
    dsc_demo_set_integer(writer, "duration_ms", talk->now);
    dsc_demo_set_flag(writer, "has_slides", company->index % 2 == 0);
    dsc_demo_set(writer, "supersedes", supersedes);
    dsc_demo_set(writer, "speakers", apr_pstrdup(company->pool, dsc_buffer_text(talk->speakers)));
    dsc_demo_set(writer, "chapters", apr_pstrdup(company->pool, dsc_buffer_text(talk->chapters)));
    dsc_demo_set(writer, "segments", apr_pstrdup(company->pool, dsc_buffer_text(talk->segments)));
    dsc_demo_end(writer);
}

/* Every fifth company has a first transcript of the same evening, which a checked one replaces. */
void dsc_demo_write_transcripts(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    const dsc_demo_filing_t *const *filings = (const void *)company->filings->elts;
    for (int i = 0; dsc_demo_has_transcripts(company) && i < company->filings->nelts; i++) {
        const dsc_demo_filing_t *filing = filings[i];
        const char *key, *first = NULL;
        talk_t talk;
        if (!(filing->flags & DSC_DEMO_HAS_RELEASE) || filing->day + 7 > company->last_day) {
            continue;
        }
        talk = hold_call(company, filing);
        key =
            apr_psprintf(company->pool, "call-q%d-fy%d", company->quarters[filing->quarter].number,
                         company->quarters[filing->quarter].fiscal_year);
        if (company->index % 5 == 0) {
            first = apr_pstrcat(company->pool, key, "-first", NULL);
            write_transcript(writer, &talk, first, NULL,
                             dsc_demo_time(company->pool, filing->day, 20 * HOUR));
        }
        write_transcript(writer, &talk, key, first,
                         dsc_demo_time(company->pool, dsc_add_business_days(filing->day, 1),
                                       11 * HOUR));
    }
}
