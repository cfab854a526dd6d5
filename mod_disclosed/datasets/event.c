/* Corporate events and the calendar. */
#include "datasets/datasets.h"

CHOICES(type_choices, "earnings", "investor_day", "agm", "ma_announcement");
CHOICES(status_choices, "estimated", "confirmed");
CHOICES(kind_choices, "quarter", "half", "annual", "ytd", "ttm", "month", "other");
CHOICES(webcast_choices, "scheduled", "live", "captured", "unavailable");

/* What the parameter `types` takes: the families of events. */
CHOICES(family_choices, "earnings_call", "investor_day", "agm", "ma_announcement");

/* --------------------------------------------------------------------- notices */

static const dsc_shape_t notice_shape = SHAPE("EventNotice", "A source's statement of an event's date.",
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),
    TEXT("type", "t.type", "Type of event."),
    DATE("event_on", "t.event_on", "Day of the event."),
    DATETIME("event_at", "t.event_at", "Time of the event, UTC; null if unknown.", NULLABLE),
    TEXT("date_status", "t.date_status", "Status of the date: estimated or confirmed."),
    INTEGER("event_id", DSC_EVENT_ID, "ID of the event that it announces; null if there is none.", NULLABLE),
    PROVENANCE("event_notice", "Source of the record."));

static const dsc_source_t notice_source = ROWS("event_notice t", "t.event_on", "date");

const dsc_dataset_t dsc_dataset_event_notice = {
    DATASET("event_notice", "event_notice", "Dates of events, as companies announce them or others estimate them"),
    .keeps = "restated",
    COLUMNS(
        REQUIRED(TEXT, "type", "kind of event", .choices = type_choices),
        REQUIRED(DATE, "event_on", "day of the event"),
        COLUMN(DATETIME, "event_at", "time of the event, UTC, if known"),
        REQUIRED(TEXT, "date_status", "status of the date: estimated, or confirmed by the company", .choices = status_choices),
        COLUMN(DATE, "period_end_date", "last day of the period that the results cover"),
        COLUMN(TEXT, "period_kind", "kind of that period; quarter if left out", .choices = kind_choices),
        COLUMN(TEXT, "fiscal_period", "fiscal name of that period, e.g. Q3 FY2026"),
        COLUMN(TEXT, "title", "the event's title, as announced"),
        COLUMN(TEXT, "event_url", "URL of the event, e.g. of its webcast"),
        COLUMN(TEXT, "webcast_status", "state of the webcast", .choices = webcast_choices),
        COLUMN(TEXT, "spellings",
               "calendars: listings that the ticker may mean, the likeliest first, separated by spaces",
               .flags = DSC_COLUMN_NOT_COMPARED),
        COLUMN(TEXT, "stated_name", "calendars: name of the company, as stated by the source", .flags = DSC_COLUMN_NOT_COMPARED)),
    .flags = DSC_SNAPSHOTS | DSC_LAST_COUNTS,
    .date_column = "known_at",
    .reconcile = "reconcile_event_notices",
    .follows = FOLLOWS({"listing", "name_event_notices"}, {"company", "name_event_notices"}),
    SHOWN(notice_source, notice_shape),
};

/* ---------------------------------------------------------------------- events */
const dsc_shape_t dsc_shape_period = SHAPE("Period", "The period that a record covers.",
    MEMBER(TEXT, "calendar",
           "Calendar quarter that contains the middle of the fiscal quarter, e.g. 2024Q1; null for other kinds of periods.", NULLABLE),
    MEMBER(TEXT, "fiscal", "Fiscal period, e.g. Q2 FY2024; null if unknown.", NULLABLE),
    MEMBER(DATE, "end_date", "Last day of the period."),
    MEMBER(TEXT, "kind", "Kind of period: quarter, half, annual, ytd, ttm, month, instant or other."));

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

#define EVENT_FIELDS                                                                                                  \
    INTEGER("event_id", "t.id", "Event ID; it stays the same when the date changes."),                                \
    TEXT("symbol", "i.symbol", "Symbol (TICKER:MARKET) of the issuer's primary listing; null if it has none.", NULLABLE), \
    TEXT("ticker",                                                                                                    \
         "coalesce(i.ticker, " OF_CALENDAR("split_part(split_part(n.spellings, ' ', 1), ':', 1)")                     \
         ", CASE WHEN i.party_key LIKE 'symbol/%%'"                                                                   \
         " THEN split_part(split_part(substr(i.party_key, 8), ' ', 1), ':', 1) END)",                                 \
         "Ticker of the issuer's primary listing, or else the ticker in the calendar; null if neither is known.", NULLABLE), \
    TEXT("type", "t.type", "Type of event: earnings, investor_day, agm or ma_announcement."),                         \
    TEXT("family", "CASE t.type WHEN 'earnings' THEN 'earnings_call' ELSE t.type END",                                \
         "Family of events, as in the parameter types: earnings_call, investor_day, agm or ma_announcement."),        \
    TEXT("label", EVENT_LABEL, "Short name, e.g. Q2 FY2024 earnings."),                                               \
    TEXT("title", "coalesce(t.title, concat_ws(' ', " EVENT_NAME ", " EVENT_LABEL "))",                               \
         "Title, as announced, or else the company's name and the label."),                                           \
    JSON("period",                                                                                                    \
         "CASE WHEN t.period_end_date IS NOT NULL THEN json_build_object("                                            \
         "'calendar', calendar_quarter(t.period_end_date, t.period_kind), 'fiscal', t.fiscal_period,"                 \
         " 'end_date', t.period_end_date, 'kind', t.period_kind)::text END",                                          \
         "Period that the results cover; null for events without results and if it is unknown.", NULLABLE,            \
         .shape = &dsc_shape_period),                                                                                 \
    DATE("event_day", "(t.event_at AT TIME ZONE 'UTC')::date",                                                        \
         "Day of the event; in UTC if the time is known."),                                                           \
    DATETIME("event_date", "CASE WHEN t.has_time THEN t.event_at END",                                                \
             "Time of the event, UTC; null if only the day is known.", NULLABLE),                                     \
    BOOLEAN("event_date_estimated", "t.date_status = 'estimated'", "Whether the date is an estimate."),               \
    TEXT("event_url", "t.event_url", "URL of the event, e.g. of its webcast; null if unknown.", NULLABLE),            \
    TEXT("source", "t.source", "Kind of source that the date and the period are derived from."),                      \
    INTEGER("filing_count", "(SELECT count(*) FROM " EVENT_FILINGS ")", "Number of filings that belong to it."),      \
    INTEGER("ir_doc_count", "(SELECT count(*) FROM " EVENT_DOCUMENTS ")",                                             \
            "Number of investor-relations documents that belong to it."),                                             \
    PROVENANCE("event", "Source of the date.")

#define EVENT_LABEL "event_label(t.type, t.fiscal_period, t.period_end_date)"

static const dsc_shape_t event_shape = SHAPE("Event", "A corporate event.",
    EVENT_FIELDS);

static const dsc_source_t event_source = ROWS("event t JOIN " DSC_ISSUER, "t.event_at", "timestamptz");

const dsc_dataset_t dsc_dataset_event = {
    DATASET("event", "event", "Corporate events, derived from notices, filings, transcripts and documents"),
    .keeps = "former_event",
    .flags = DSC_DERIVED,
    .date_column = "event_at",
    .follows = FOLLOWS({"company", "follow_events"}, {"filing", "follow_events"}, {"exhibit", "follow_events"},
                       {"filing_text", "follow_events"}, {"document", "follow_events"},
                       {"transcript", "follow_events"}, {"event_notice", "follow_events"}),
    DSC_ANNOUNCES(DSC_TOPIC_EVENT),
    SHOWN(event_source, event_shape),
};

static const dsc_shape_t delivered_shape = SHAPE("DeliveredEvent", "A corporate event, as webhooks deliver it.",
    EVENT_FIELDS,
    DSC_DELIVERED_URL("'/v1/events/' || t.id"));

static const dsc_shape_t delivery_shape = SHAPE("EventDelivery", "Body of an " DSC_TOPIC_EVENT " delivery.",
    DSC_DELIVERY_FIELDS(delivered_shape));

const dsc_topic_t dsc_topic_event = {
    DSC_TOPIC_EVENT, "A corporate event became known.", &delivery_shape,
    DSC_DELIVERY_FROM ", event t JOIN " DSC_ISSUER "{source:t}" DSC_DELIVERY_WHERE DSC_DELIVERED_ID(DSC_TOPIC_EVENT)};

/* As of an instant nothing is known that takes place more than 402 days later (a CHECK). */
#define EVENT_AS_OF                                                                                                   \
    QUERY(DATETIME, "as_of", DSC_AS_OF_DESCRIPTION, .predicate = "t.event_at <= ? + interval '402 days'")

const dsc_endpoint_t dsc_endpoint_events = {
    GET("list_events", "/v1/events"),
    ABOUT("Events", "Corporate events of all companies."),
    LIST(event_source, event_shape),
    PARAMETERS(
        DSC_PARAMETER_SYMBOLS("companies"),
        QUERY(LITERAL, "types", "Only events of these families.", .flags = DSC_REPEATABLE | DSC_EACH,
              .choices = family_choices, .predicate = "array_replace(?, 'earnings_call', 'earnings')",
              .column = "t.type"),
        QUERY(DATE, "start_date", "Earliest day of the event, UTC, inclusive.", .predicate = "t.event_at >= ?"),
        QUERY(DATE, "end_date", "Latest day of the event, UTC, inclusive.", .predicate = "t.event_at < ? + 1"),
        QUERY(DATETIME, "updated_after", "Only events that this service has learned of after this time. What is compared is the start of the load "
                                         "that created the event; the event can be read when that load has ended. See updated_after of /v1/filings.",
              .flags = DSC_PLAN_EACH_TIME, .predicate = "t.created_at > ?"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("event_day"),
        EVENT_AS_OF),
};

/* -------------------------------------------------------------------- calendar */
static const dsc_shape_t calendar_shape = SHAPE("CalendarEvent", "An upcoming event.",
    EVENT_FIELDS,
    TEXT("date_status", "t.date_status", "Status of the date: confirmed or estimated."));

/* From now on, or from as_of; a day without a time is to come until it is over in New York. */
static const dsc_source_t calendar_source =
    ROWS("event t JOIN " DSC_ISSUER, "t.event_at", "timestamptz",
         .where = "t.event_at >= coalesce({value:as_of}, now()) - interval '2 days'"
         " AND CASE WHEN t.has_time THEN t.event_at ELSE end_of_day((t.event_at AT TIME ZONE 'UTC')::date)"
         " END >= coalesce({value:as_of}, now())");

const dsc_endpoint_t dsc_endpoint_calendar = {
    GET("list_calendar", "/v1/events/calendar"),
    ABOUT("Events", "Upcoming events: from now on, or from as_of. With direction=asc, the next event comes first."),
    LIST(calendar_source, calendar_shape),
    PARAMETERS(
        DSC_PARAMETER_SYMBOLS("companies"),
        QUERY(DATE, "end_date", "Horizon: latest day of the event, UTC, inclusive.", .predicate = "t.event_at < ? + 1"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("event_day"),
        EVENT_AS_OF),
    .flags = DSC_BY_CLOCK,
};

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

static const dsc_shape_t bundle_shape = SHAPE("EventBundle", "Records that belong to an event.",
    JSON("filing_ids",
         "(SELECT coalesce(json_agg(f.id ORDER BY f.filed_on, f.id), '[]')::text FROM " EVENT_FILINGS ")",
         "IDs of its filings, ordered by filing date.", .flags = DSC_ARRAY | DSC_INTEGERS),
    INTEGER("transcript_id", EVENT_TRANSCRIPT, "ID of its current transcript; null if there is none.", NULLABLE),
    INTEGER("slide_deck_id", LATEST_DOCUMENT("slide_deck"), "ID of its latest slide deck; null if there is none.", NULLABLE),
    INTEGER("press_release_id", LATEST_DOCUMENT("press_release"), "ID of its latest press release; null if there is none.", NULLABLE),
    TEXT("webcast_status", "CASE WHEN " EVENT_TRANSCRIPT " IS NOT NULL THEN 'captured' ELSE t.webcast_status END",
         "Status of the webcast: captured if there is a transcript, otherwise as announced: scheduled, live, captured or unavailable; null if not "
         "announced.", NULLABLE));

static const dsc_shape_t detail_shape = SHAPE("EventDetail", "An event with its filings and documents.",
    EVENT_FIELDS,
    OBJECT("bundle", bundle_shape, "IDs of the records that belong to it."));

static const dsc_source_t filings_source =
    ROWS(DSC_EVENT_ROWS("filing", "t", "{value:event_id}") " JOIN " DSC_ISSUER, "t.filed_on", "date",
         .where = "true");

static const dsc_source_t documents_source =
    ROWS(DSC_EVENT_ROWS("document", "t", "{value:event_id}") " JOIN " DSC_ISSUER, "t.published_at", "timestamptz",
         .where = "true");

const dsc_endpoint_t dsc_endpoint_event = {
    GET("get_event", "/v1/events/{event_id}"),
    ABOUT("Events", "One event with its filings and documents."),
    ITEM(event_source, detail_shape),
    PARAMETERS(
        PATH(INTEGER, "event_id", "Event ID.", .predicate = "t.id = ?"),
        DSC_PARAMETER_AS_OF),
    .children = CHILDREN({"filings", &filings_source, &dsc_shape_filing, "Its filings, the oldest first."},
                         {"documents", &documents_source, &dsc_shape_document, "Its documents, the oldest first."}),
    .not_found = "There is no event with the id \"%s\".",
};
