/* Corporate events and the calendar. */
#include "datasets/datasets.h"

static const char *const type_choices[] = {"earnings", "investor_day", "agm", "ma_announcement",
                                           NULL};
static const char *const status_choices[] = {"estimated", "confirmed", NULL};
static const char *const kind_choices[] = {"quarter", "half", "annual", "ytd",
                                           "ttm",     "month", "other", NULL};
static const char *const webcast_choices[] = {"scheduled", "live", "captured", "unavailable", NULL};

/* What the parameter `types` takes: the families of events. */
static const char *const family_choices[] = {"earnings_call", "investor_day", "agm",
                                             "ma_announcement", NULL};

/* --------------------------------------------------------------------- notices */

static const dsc_column_t notice_columns[] = {
    {"type", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, type_choices, "kind of event"},
    {"event_on", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED, NULL, "its day"},
    {"event_at", DSC_COLUMN_DATETIME, 0, NULL, "its time, where it is known"},
    {"date_status", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, status_choices,
     "estimated by somebody, or confirmed by the company"},
    {"period_end_date", DSC_COLUMN_DATE, 0, NULL, "last day of the period that results are of"},
    {"period_kind", DSC_COLUMN_TEXT, 0, kind_choices, "its kind; quarter when left out"},
    {"fiscal_period", DSC_COLUMN_TEXT, 0, NULL, "its fiscal name, e.g. Q3 FY2026"},
    {"title", DSC_COLUMN_TEXT, 0, NULL, "the event's title, as announced"},
    {"event_url", DSC_COLUMN_TEXT, 0, NULL, "address of the event, e.g. its webcast"},
    {"webcast_status", DSC_COLUMN_TEXT, 0, webcast_choices, "state of the webcast"},
    {"spellings", DSC_COLUMN_TEXT, DSC_COLUMN_NOT_COMPARED, NULL,
     "calendars: listings that the ticker may mean, the likeliest first, with a space between them"},
    {"stated_name", DSC_COLUMN_TEXT, DSC_COLUMN_NOT_COMPARED, NULL,
     "calendars: the company, as the source names it"},
};

static const dsc_field_t notice_fields[] = {
    {"id", DSC_FIELD_INTEGER, 0, "t.id", NULL, NULL, NULL, NULL, "Number of the record."},
    {"type", DSC_FIELD_TEXT, 0, "t.type", NULL, NULL, NULL, NULL, "Kind of event."},
    {"event_on", DSC_FIELD_DATE, 0, "t.event_on", NULL, NULL, NULL, NULL, "Its day."},
    {"event_at", DSC_FIELD_DATETIME, DSC_NULLABLE, "t.event_at", NULL, NULL, NULL, NULL,
     "Its time, where it is known."},
    {"date_status", DSC_FIELD_TEXT, 0, "t.date_status", NULL, NULL, NULL, NULL,
     "estimated or confirmed."},
    {"event_id", DSC_FIELD_INTEGER, DSC_NULLABLE, DSC_EVENT_ID, NULL, NULL, NULL, NULL,
     "The event that it announces."},
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "event_notice", NULL,
     "Where it comes from."},
};

static const dsc_shape_t notice_shape = {"EventNotice", "What a source says of an event's date.",
                                         notice_fields, DSC_COUNT(notice_fields)};

static const dsc_source_t notice_source = {"event_notice t", NULL, "t.event_on", "date", "t.id", 0};

static const dsc_follow_t notice_follows[] = {{"listing", "name_event_notices"},
                                              {"company", "name_event_notices"},
                                              {NULL, NULL}};

const dsc_dataset_t dsc_dataset_event_notice = {
    "event_notice", "event_notice", "Dates of events, as companies announce and others estimate them",
    notice_columns, DSC_COUNT(notice_columns), "known_at", "settle_event_notices", &notice_source,
    &notice_shape, NULL, 0, notice_follows};

/* ---------------------------------------------------------------------- events */

static const dsc_field_t period_fields[] = {
    {"calendar", DSC_FIELD_TEXT, DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL,
     "Calendar quarter, e.g. 2024Q1: that of the middle of a fiscal quarter; null for others."},
    {"fiscal", DSC_FIELD_TEXT, DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL,
     "Fiscal period, e.g. Q2 FY2024."},
    {"end_date", DSC_FIELD_DATE, 0, NULL, NULL, NULL, NULL, NULL, "Last day."},
    {"kind", DSC_FIELD_TEXT, 0, NULL, NULL, NULL, NULL, NULL,
     "quarter, half, annual, ytd, ttm, month, instant or other."},
};

const dsc_shape_t dsc_shape_period = {"Period", "The period that a record is about.",
                                      period_fields, DSC_COUNT(period_fields)};

/* An event's filings and documents, as of the instant asked for. */
#define EVENT_FILINGS                                                                             \
    DSC_EVENT_ROWS("filing", "f", "t.id") " WHERE f.issuer_id = t.issuer_id AND {now:f}"
#define EVENT_DOCUMENTS                                                                           \
    DSC_EVENT_ROWS("document", "d", "t.id") " WHERE d.issuer_id = t.issuer_id AND {now:d}"

/* The ticker of one that nothing lists is that under which a calendar knows it, with its name. */
#define OF_CALENDAR(what)                                                                         \
    "(SELECT " what " FROM " DSC_EVENT_ROWS("event_notice", "n", "t.id")                           \
    " WHERE {present:n.issuer_id = t.issuer_id AND }{now:n} AND n.spellings IS NOT NULL"                \
    " ORDER BY n.known_at, n.id LIMIT 1)"
#define EVENT_NAME                                                                                \
    "coalesce(CASE WHEN i.ticker IS NULL THEN " OF_CALENDAR("n.stated_name") " END, i.name)"

#define EVENT_FIELDS                                                                              \
    {"event_id", DSC_FIELD_INTEGER, 0, "t.id", NULL, NULL, NULL, NULL,                            \
     "Number of the event: it stays while dates change."},                                        \
    {"symbol", DSC_FIELD_TEXT, DSC_NULLABLE, "i.symbol", NULL, NULL, NULL, NULL,                  \
     "TICKER:MARKET of the issuer's primary listing; null when it has none."},                    \
    {"ticker", DSC_FIELD_TEXT, DSC_NULLABLE,                                                      \
     "coalesce(i.ticker, " OF_CALENDAR("split_part(split_part(n.spellings, ' ', 1), ':', 1)")          \
     ", CASE WHEN i.party_key LIKE 'symbol/%%'"                                                    \
     " THEN split_part(split_part(substr(i.party_key, 8), ' ', 1), ':', 1) END)",                                     \
     NULL, NULL, NULL, NULL, "Its ticker; where nothing is listed, the calendar's."},             \
    {"type", DSC_FIELD_TEXT, 0, "t.type", NULL, NULL, NULL, NULL,                                 \
     "earnings, investor_day, agm or ma_announcement."},                                          \
    {"family", DSC_FIELD_TEXT, 0,                                                                 \
     "CASE t.type WHEN 'earnings' THEN 'earnings_call' ELSE t.type END", NULL, NULL, NULL, NULL,  \
     "What the parameter types asks for: earnings_call, investor_day, agm or ma_announcement."},  \
    {"label", DSC_FIELD_TEXT, 0, EVENT_LABEL, NULL, NULL, NULL, NULL,                             \
     "Short name, e.g. Q2 FY2024 earnings."},                                                     \
    {"title", DSC_FIELD_TEXT, 0, "coalesce(t.title, concat_ws(' ', " EVENT_NAME ", " EVENT_LABEL "))", \
     NULL, NULL, NULL, NULL, "As announced, else the company's name and the label."},             \
    {"period", DSC_FIELD_JSON, DSC_NULLABLE,                                                      \
     "CASE WHEN t.period_end_date IS NOT NULL THEN json_build_object("                            \
     "'calendar', calendar_quarter(t.period_end_date, t.period_kind), 'fiscal', t.fiscal_period," \
     " 'end_date', t.period_end_date, 'kind', t.period_kind)::text END",                          \
     NULL, NULL, NULL, &dsc_shape_period, "Period that the results are of; null for other events and " \
     "where it is not known."},                                                                   \
    {"event_day", DSC_FIELD_DATE, 0, "(t.event_at AT TIME ZONE 'UTC')::date", NULL, NULL, NULL,   \
     NULL, "The day on which it takes place; where the time is known, in UTC."},                  \
    {"event_date", DSC_FIELD_DATETIME, DSC_NULLABLE, "CASE WHEN t.has_time THEN t.event_at END",  \
     NULL, NULL, NULL, NULL,                                                                      \
     "When it takes place, UTC; null where only the day is known."},                              \
    {"event_date_estimated", DSC_FIELD_BOOLEAN, 0, "t.date_status = 'estimated'", NULL, NULL,     \
     NULL, NULL, "Whether the date is somebody's estimate."},                                     \
    {"event_url", DSC_FIELD_TEXT, DSC_NULLABLE, "t.event_url", NULL, NULL, NULL, NULL,            \
     "Address of the event, e.g. its webcast."},                                                  \
    {"source", DSC_FIELD_TEXT, 0, "t.source", NULL, NULL, NULL, NULL,                             \
     "What date and period are derived from."},                                                   \
    {"filing_count", DSC_FIELD_INTEGER, 0, "(SELECT count(*) FROM " EVENT_FILINGS ")", NULL,      \
     NULL, NULL, NULL, "Filings that belong to it."},                                             \
    {"ir_doc_count", DSC_FIELD_INTEGER, 0, "(SELECT count(*) FROM " EVENT_DOCUMENTS ")", NULL,    \
     NULL, NULL, NULL, "Investor-relations documents that belong to it."},                        \
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "event", NULL,                       \
     "Where its date comes from."}

#define EVENT_LABEL "event_label(t.type, t.fiscal_period, t.period_end_date)"

static const dsc_field_t event_fields[] = {EVENT_FIELDS};

static const dsc_shape_t event_shape = {"Event", "A corporate event.", event_fields,
                                        DSC_COUNT(event_fields)};

static const dsc_source_t event_source = {"event t JOIN " DSC_ISSUER, NULL,
                                          "t.event_at", "timestamptz", "t.id", 0};

static const dsc_follow_t event_follows[] = {
    {"company", "settle_events"},     {"filing", "settle_events"},
    {"exhibit", "settle_events"},     {"filing_text", "settle_events"},
    {"document", "settle_events"},    {"transcript", "settle_events"},
    {"event_notice", "settle_events"}, {NULL, NULL},
};

const dsc_dataset_t dsc_dataset_event = {
    "event", "event", "Corporate events, derived from notices, filings, transcripts and documents",
    NULL, 0, "event_at", NULL, &event_source, &event_shape, NULL, DSC_DERIVED, event_follows};

/* As of an instant nothing is known that takes place more than 402 days later (a CHECK). */
#define EVENT_AS_OF                                                                               \
    {"as_of", DSC_IN_QUERY, DSC_DATETIME, 0, NULL, {0, 0, 0, 0}, NULL,                            \
     "t.event_at <= ? + interval '402 days'", NULL, DSC_AS_OF_DESCRIPTION}

static const dsc_parameter_t events_parameters[] = {
    DSC_PARAMETER_SYMBOLS(NULL, "companies"),
    {"types", DSC_IN_QUERY, DSC_LITERAL, DSC_REPEATABLE | DSC_EACH, family_choices, {0, 0, 0, 0},
     NULL, "array_replace(?, 'earnings_call', 'earnings')", NULL, "Only events of these families.",
     "t.type"},
    {"start_date", DSC_IN_QUERY, DSC_DATE, 0, NULL, {0, 0, 0, 0}, NULL, "t.event_at >= ?", NULL,
     "First day, UTC."},
    {"end_date", DSC_IN_QUERY, DSC_DATE, 0, NULL, {0, 0, 0, 0}, NULL, "t.event_at < ? + 1", NULL,
     "Last day, UTC."},
    {"updated_after", DSC_IN_QUERY, DSC_DATETIME, DSC_PLAN_EACH_TIME, NULL, {0, 0, 0, 0}, NULL,
     "t.created_at > ?", NULL,
     "Only events that this service first knew of since then: the time of creation."},
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("event_day"),
    EVENT_AS_OF,
};

static const char *const event_reads[] = {"event",   "document", "filing",
                                          "company", "listing",  NULL};

const dsc_endpoint_t dsc_endpoint_events = {
    "list_events", "GET", "/v1/events", "Events", "Corporate events of all companies.",
    DSC_ANSWER_LIST, 0, events_parameters, DSC_COUNT(events_parameters), &event_source,
    &event_shape, event_reads};

/* -------------------------------------------------------------------- calendar */

static const dsc_field_t calendar_fields[] = {
    EVENT_FIELDS,
    {"date_status", DSC_FIELD_TEXT, 0, "t.date_status", NULL, NULL, NULL, NULL,
     "confirmed or estimated."},
};

static const dsc_shape_t calendar_shape = {"CalendarEvent", "An event to come.", calendar_fields,
                                           DSC_COUNT(calendar_fields)};

/* From now on, or from as_of; a day without a time is to come until it is over in New York. */
static const dsc_source_t calendar_source = {
    "event t JOIN " DSC_ISSUER,
    "t.event_at >= coalesce({value:as_of}, now()) - interval '2 days'"
    " AND CASE WHEN t.has_time THEN t.event_at ELSE end_of_day((t.event_at AT TIME ZONE 'UTC')::date)"
    " END >= coalesce({value:as_of}, now())",
    "t.event_at", "timestamptz", "t.id", 0};

static const dsc_parameter_t calendar_parameters[] = {
    DSC_PARAMETER_SYMBOLS(NULL, "companies"),
    {"end_date", DSC_IN_QUERY, DSC_DATE, 0, NULL, {0, 0, 0, 0}, NULL, "t.event_at < ? + 1", NULL,
     "Horizon: last day, UTC."},
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("event_day"),
    EVENT_AS_OF,
};

const dsc_endpoint_t dsc_endpoint_calendar = {
    "list_calendar", "GET", "/v1/events/calendar", "Events",
    "Events to come: from now on, or from as_of. direction=asc has the next one first.",
    DSC_ANSWER_LIST, DSC_BY_CLOCK, calendar_parameters, DSC_COUNT(calendar_parameters),
    &calendar_source, &calendar_shape, event_reads};

/* ------------------------------------------------------------------- one event */

/* The latest document of a kind among an event's. */
#define LATEST_DOCUMENT(kind)                                                                     \
    "(SELECT d.id FROM " EVENT_DOCUMENTS " AND d.doc_type = '" kind                               \
    "' ORDER BY d.published_at DESC, d.id DESC LIMIT 1)"

/* The latest transcript of the event that no other replaces. */
#define EVENT_TRANSCRIPT                                                                          \
    "(SELECT c.id FROM " DSC_EVENT_ROWS("transcript", "c", "t.id") " WHERE c.issuer_id = t.issuer_id" \
    " AND {now:c} AND NOT EXISTS (SELECT 1 FROM transcript n WHERE n.issuer_id = c.issuer_id"     \
    " AND n.supersedes = c.record_key AND {now:n}) ORDER BY c.known_at DESC, c.id DESC LIMIT 1)"

static const dsc_field_t bundle_fields[] = {
    {"filing_ids", DSC_FIELD_JSON, DSC_ARRAY | DSC_INTEGERS,
     "(SELECT coalesce(json_agg(f.id ORDER BY f.filed_on, f.id), '[]')::text FROM " EVENT_FILINGS ")",
     NULL, NULL, NULL, NULL, "Ids of its filings, in the order of filings."},
    {"transcript_id", DSC_FIELD_INTEGER, DSC_NULLABLE, EVENT_TRANSCRIPT, NULL, NULL, NULL, NULL,
     "Its current transcript."},
    {"slide_deck_id", DSC_FIELD_INTEGER, DSC_NULLABLE, LATEST_DOCUMENT("slide_deck"), NULL, NULL,
     NULL, NULL, "Its latest slide deck."},
    {"press_release_id", DSC_FIELD_INTEGER, DSC_NULLABLE, LATEST_DOCUMENT("press_release"), NULL,
     NULL, NULL, NULL, "Its latest press release."},
    {"webcast_status", DSC_FIELD_TEXT, DSC_NULLABLE,
     "CASE WHEN " EVENT_TRANSCRIPT " IS NOT NULL THEN 'captured' ELSE t.webcast_status END", NULL,
     NULL, NULL, NULL,
     "scheduled, live, captured or unavailable: captured with a transcript, else as announced."},
};

static const dsc_shape_t bundle_shape = {"EventBundle", "What belongs to an event.", bundle_fields,
                                         DSC_COUNT(bundle_fields)};

static const dsc_field_t detail_fields[] = {
    EVENT_FIELDS,
    {"bundle", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &bundle_shape,
     "What belongs to it, by id."},
};

static const dsc_shape_t detail_shape = {"EventDetail", "An event with what belongs to it.",
                                         detail_fields, DSC_COUNT(detail_fields)};

static const dsc_parameter_t event_parameters[] = {
    {"event_id", DSC_IN_PATH, DSC_INTEGER, DSC_REQUIRED, NULL, {0, 0, 0, 0}, NULL, "t.id = ?", NULL,
     "The event's id."},
    DSC_PARAMETER_AS_OF,
};

static const dsc_source_t filings_source = {DSC_EVENT_ROWS("filing", "t", "{value:event_id}") " JOIN " DSC_ISSUER,
                                            "true", "t.filed_on", "date",
                                            "t.id", 0};

static const dsc_source_t documents_source = {
    DSC_EVENT_ROWS("document", "t", "{value:event_id}") " JOIN " DSC_ISSUER, "true",
    "t.published_at", "timestamptz", "t.id", 0};

static const dsc_child_t event_children[] = {
    {"filings", &filings_source, &dsc_shape_filing, "Its filings, the first first."},
    {"documents", &documents_source, &dsc_shape_document, "Its documents, the first first."},
    {NULL},
};

static const char *const detail_reads[] = {"event",      "document", "filing",
                                           "transcript", "company",  "listing", NULL};

const dsc_endpoint_t dsc_endpoint_event = {
    "get_event", "GET", "/v1/events/{event_id}", "Events", "One event with what belongs to it.",
    DSC_ANSWER_ITEM, 0, event_parameters, DSC_COUNT(event_parameters), &event_source, &detail_shape,
    detail_reads, NULL, "There is no event with the id \"%s\".", NULL, NULL, event_children};
