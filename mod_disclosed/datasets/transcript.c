/* Transcripts of earnings calls and other events. */
#include "datasets/datasets.h"

CHOICES(type_choices, "earnings", "investor_day", "agm", "ma_announcement", "other");

CHOICES(section_choices, "full", "prepared", "qa");

/* ---------------------------------------------------------------------- served */

/* A later transcript of the same call, and the one that this replaces; both as of the instant asked
 * for. A distributed PostgreSQL asks the shard of a company alone only if its number is there. */
#define TRANSCRIPT_FROM TRANSCRIPT_FROM_OF("t.issuer_id")
#define TRANSCRIPT_FROM_OF(company)                                                               \
    "transcript t JOIN " DSC_ISSUER                                     \
    " LEFT JOIN LATERAL (SELECT l.listing_exchange FROM listing l"                                \
    " WHERE l.issuer_id = t.issuer_id AND l.record_key = i.symbol AND {now:l} LIMIT 1) l ON true" \
    " LEFT JOIN LATERAL (SELECT o.id FROM transcript o WHERE o.issuer_id = " company              \
    " AND o.record_key = t.supersedes AND {now:o} LIMIT 1) older ON true"                         \
    " LEFT JOIN LATERAL (SELECT n.id FROM transcript n WHERE n.issuer_id = " company              \
    " AND n.supersedes = t.record_key AND {now:n} ORDER BY n.known_at DESC, n.id DESC LIMIT 1)"   \
    " newer ON true"

#define TRANSCRIPT_FIELDS                                                                                             \
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),                                      \
    TEXT("ticker", "i.ticker", "Ticker of the issuer's primary listing; null if it has none.", NULLABLE),             \
    TEXT("exchange", "coalesce(t.exchange, l.listing_exchange)",                                                      \
         "Exchange, as the source states it, or else that of the primary listing; null if neither is known.", NULLABLE), \
    TEXT("period_label", "t.period_label", "Fiscal period, as the source writes it; null if not stated.", NULLABLE),  \
    DATE("period_end_date", "t.period_end_date", "Last day of the period that the call covers; null if not stated.", NULLABLE), \
    DATETIME("call_date", "t.call_date", "Start of the call, UTC."),                                                  \
    TEXT("event_type", "t.event_type", "Type of event: earnings, investor_day, agm, ma_announcement or other."),      \
    INTEGER("event_id", DSC_EVENT_ID, "ID of the corporate event that it belongs to; null if there is none.", NULLABLE), \
    BOOLEAN("is_current", "newer.id IS NULL", "Whether this is the current transcript, which no other has replaced."), \
    INTEGER("supersedes_id", "older.id", "ID of the transcript that this one replaces; null if it replaces none.", NULLABLE), \
    INTEGER("superseded_by_id", "newer.id", "ID of the transcript that has replaced this one; null if none has.", NULLABLE), \
    INTEGER("duration_ms", "t.duration_ms", "Length of the call in milliseconds; null if unknown.", NULLABLE),        \
    BOOLEAN("has_slides", "t.has_slides", "Whether slides were shown; null if the source does not state it.",         \
            NULLABLE),                                                                                                \
    PROVENANCE("transcript", "Source of the record.")

const dsc_shape_t dsc_shape_transcript = SHAPE("Transcript", "A transcript of a call.",
    TRANSCRIPT_FIELDS);

static const dsc_shape_t speaker_shape = SHAPE("TranscriptSpeaker", "A speaker in a call.",
    MEMBER(TEXT, "speaker_id", "ID of the speaker, as text; segments refer to it."),
    MEMBER(TEXT, "name", "Name of the speaker; null if unknown.", NULLABLE),
    MEMBER(TEXT, "role", "Role of the speaker, e.g. Analyst; null if not stated.", NULLABLE),
    MEMBER(TEXT, "affiliation", "Firm that the person represents; null if not stated.", NULLABLE));

static const dsc_shape_t chapter_shape = SHAPE("TranscriptChapter", "A part of a call.",
    MEMBER(TEXT, "kind", "Kind of part: prepared (prepared remarks) or qa (questions and answers)."),
    MEMBER(INTEGER, "start_ms", "Start, in milliseconds from the start of the call; null if the transcript has no times.", NULLABLE));

static const dsc_shape_t segment_shape = SHAPE("TranscriptSegment", "A passage of one speaker.",
    MEMBER(INTEGER, "speaker", "speaker_id of the speaker, as a number."),
    MEMBER(TEXT, "text", "Text of the passage."),
    MEMBER(INTEGER, "offset_ms", "Start, in milliseconds from the start of the call; null if the transcript has no times.", NULLABLE),
    MEMBER(INTEGER, "duration_ms", "Duration in milliseconds; null if the transcript has no times.", NULLABLE),
    MEMBER(TEXT, "section", "Section: prepared or qa; null if the source does not distinguish them.", NULLABLE));

static const dsc_shape_t detail_shape = SHAPE("TranscriptDetail", "A transcript with its text.",
    TRANSCRIPT_FIELDS,
    TEXT("section", "{value:section}", "The requested section."),
    JSON("speakers", "speakers_in_order(t.speakers)", "All speakers in the call.", .flags = DSC_ARRAY,
         .shape = &speaker_shape),
    JSON("chapters", "chapters_of_section(t.chapters, {value:section})",
         "Parts of the call in the requested section.", .flags = DSC_ARRAY, .shape = &chapter_shape),
    JSON("segments", "segments_of_section(t.segments, {value:section})",
         "Text of the requested section, passage by passage.", .flags = DSC_ARRAY, .shape = &segment_shape));

const dsc_source_t dsc_source_transcript = ROWS(TRANSCRIPT_FROM, "t.call_date", "timestamptz");
const dsc_source_t dsc_source_company_transcript = ROWS(TRANSCRIPT_FROM_OF("{company}"), "t.call_date", "timestamptz");

const dsc_dataset_t dsc_dataset_transcript = {
    DATASET("transcript", "transcript", "Transcripts of calls"),
    .keeps = DSC_CHUNKS,
    .reconcile = "cut_transcripts",
    .announce = "announce_transcripts(ARRAY(SELECT DISTINCT issuer_id FROM pg_temp.touched))",
    COLUMNS(
        COLUMN(TEXT, "exchange", "exchange of the issuer's shares, as the source states it"),
        COLUMN(TEXT, "event_type", "type of event; earnings if left out", .choices = type_choices),
        COLUMN(TEXT, "period_label", "fiscal period, e.g. Q3 FY2020"),
        COLUMN(DATE, "period_end_date", "last day of the period that it covers"),
        REQUIRED(DATETIME, "call_date", "start of the call, UTC"),
        COLUMN(INTEGER, "duration_ms", "length of the call in milliseconds"),
        COLUMN(BOOLEAN, "has_slides", "whether slides were shown"),
        COLUMN(TEXT, "supersedes", "record key of the issuer's transcript that this one replaces"),
        COLUMN(JSON, "speakers",
               "array of {speaker_id, name, role, affiliation}; speaker_id is a text of digits. A speaker with the role Analyst is added to the "
               "company's contacts"),
        COLUMN(JSON, "chapters", "array of {kind: prepared or qa, start_ms}, in the order of the call"),
        COLUMN(JSON, "segments",
               "array of {speaker, text, offset_ms, duration_ms, section: prepared or qa}, in the order of "
               "the call; speaker is the number of a speaker_id")),
    .flags = DSC_LAST_COUNTS,
    .date_column = "call_date",
    SHOWN(dsc_source_transcript, dsc_shape_transcript),
};

static const dsc_shape_t delivered_shape = SHAPE("DeliveredTranscript", "A transcript, as webhooks deliver it.",
    TRANSCRIPT_FIELDS,
    DSC_DELIVERED_FIELDS("/v1/transcripts/", "t.id"));

static const dsc_shape_t delivery_shape = SHAPE("TranscriptDelivery", "Body of a transcript.published delivery.",
    DSC_DELIVERY_FIELDS(delivered_shape));

const dsc_topic_t dsc_topic_transcript = {
    DSC_TOPIC_TRANSCRIPT, "A first-party transcript of an earnings call can be read.",
    &delivery_shape,
    DSC_DELIVERY_FROM ", " TRANSCRIPT_FROM "{source:t}" DSC_DELIVERY_WHERE
    DSC_DELIVERED_ID(DSC_TOPIC_TRANSCRIPT)};

const dsc_endpoint_t dsc_endpoint_transcripts = {
    GET("list_transcripts", "/v1/transcripts"),
    ABOUT("Transcripts", "Transcripts of all companies, current and superseded."),
    LIST(dsc_source_transcript, dsc_shape_transcript),
    PARAMETERS(
        DSC_PARAMETER_SYMBOLS("issuers"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("call_date"),
        DSC_PARAMETER_AS_OF_BY("t.call_date")),
};

const dsc_endpoint_t dsc_endpoint_transcript = {
    GET("get_transcript", "/v1/transcripts/{transcript_id}"),
    ABOUT("Transcripts", "One transcript with its text."),
    ITEM(dsc_source_transcript, detail_shape),
    PARAMETERS(
        PATH(INTEGER, "transcript_id", "Transcript ID.", .predicate = "t.id = ?"),
        QUERY(LITERAL, "section", "Only the chapters and segments of this section.", .choices = section_choices,
              .default_text = "full"),
        DSC_PARAMETER_AS_OF),
    .not_found = "There is no transcript with the id \"%s\".",
};
