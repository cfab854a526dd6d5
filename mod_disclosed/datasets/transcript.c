/* Transcripts of earnings calls and other events. */
#include "datasets/datasets.h"

CHOICES(type_choices, "earnings", "investor_day", "agm", "ma_announcement", "other");

CHOICES(section_choices, "full", "prepared", "qa");

/* ---------------------------------------------------------------------- served */

/* A later transcript of the same call, and the one that this replaces; both as of the instant asked
 * for. */
#define TRANSCRIPT_FROM                                                                           \
    "transcript t JOIN " DSC_ISSUER                                     \
    " LEFT JOIN LATERAL (SELECT l.listing_exchange FROM listing l"                                \
    " WHERE l.issuer_id = t.issuer_id AND l.record_key = i.symbol AND {now:l} LIMIT 1) l ON true" \
    " LEFT JOIN LATERAL (SELECT o.id FROM transcript o WHERE o.issuer_id = t.issuer_id"           \
    " AND o.record_key = t.supersedes AND {now:o} LIMIT 1) older ON true"                         \
    " LEFT JOIN LATERAL (SELECT n.id FROM transcript n WHERE n.issuer_id = t.issuer_id"           \
    " AND n.supersedes = t.record_key AND {now:n} ORDER BY n.known_at DESC, n.id DESC LIMIT 1)"   \
    " newer ON true"

#define TRANSCRIPT_FIELDS                                                                                             \
    INTEGER("id", "t.id", "Number of the record."),                                                                   \
    TEXT("ticker", "i.ticker", "Ticker of the issuer's primary listing; null when it has none.", NULLABLE),           \
    TEXT("exchange", "coalesce(t.exchange, l.listing_exchange)",                                                      \
         "Exchange: as the source says, else of the primary listing.", NULLABLE),                                     \
    TEXT("period_label", "t.period_label", "Fiscal period, as the source writes it.", NULLABLE),                      \
    DATE("period_end_date", "t.period_end_date", "Last day of the period that the call was about.", NULLABLE),        \
    DATETIME("call_date", "t.call_date", "When the call began, UTC."),                                                \
    TEXT("event_type", "t.event_type", "earnings, investor_day, agm, ma_announcement or other."),                     \
    INTEGER("event_id", DSC_EVENT_ID, "Corporate event that it belongs to.", NULLABLE),                               \
    BOOLEAN("is_current", "newer.id IS NULL", "Whether no other transcript has replaced it."),                        \
    INTEGER("supersedes_id", "older.id", "The transcript that this one replaces.", NULLABLE),                         \
    INTEGER("superseded_by_id", "newer.id", "The transcript that has replaced this one.", NULLABLE),                  \
    INTEGER("duration_ms", "t.duration_ms", "Length of the call in milliseconds.", NULLABLE),                         \
    BOOLEAN("has_slides", "t.has_slides", "Whether slides were shown; null when the source does not say.",            \
            NULLABLE),                                                                                                \
    PROVENANCE("transcript", "Where it comes from.")

const dsc_shape_t dsc_shape_transcript = SHAPE("Transcript", "A transcript of a call.",
    TRANSCRIPT_FIELDS);

static const dsc_shape_t speaker_shape = SHAPE("TranscriptSpeaker", "Somebody who speaks in a call.",
    MEMBER(TEXT, "speaker_id", "What segments name as speaker, as text."),
    MEMBER(TEXT, "name", "Name, as far as it is known.", NULLABLE),
    MEMBER(TEXT, "role", "e.g. Analyst.", NULLABLE),
    MEMBER(TEXT, "affiliation", "Firm that the person speaks for.", NULLABLE));

static const dsc_shape_t chapter_shape = SHAPE("TranscriptChapter", "A part of a call.",
    MEMBER(TEXT, "kind", "prepared or qa."),
    MEMBER(INTEGER, "start_ms", "Milliseconds from the start of the call; null when it has no times.", NULLABLE));

static const dsc_shape_t segment_shape = SHAPE("TranscriptSegment", "What one speaker says at a time.",
    MEMBER(INTEGER, "speaker", "Who speaks: the speaker_id as number."),
    MEMBER(TEXT, "text", "What is said."),
    MEMBER(INTEGER, "offset_ms", "Milliseconds from the start of the call; null when it has no times.", NULLABLE),
    MEMBER(INTEGER, "duration_ms", "How long it takes, in milliseconds.", NULLABLE),
    MEMBER(TEXT, "section", "prepared or qa; null when the source does not tell them apart.", NULLABLE));

static const dsc_shape_t detail_shape = SHAPE("TranscriptDetail", "A transcript with all that is said.",
    TRANSCRIPT_FIELDS,
    TEXT("section", "{value:section}", "The section that was asked for."),
    JSON("speakers", "speakers_in_order(t.speakers)", "All who speak in the call.", .flags = DSC_ARRAY,
         .shape = &speaker_shape),
    JSON("chapters", "chapters_of_section(t.chapters, {value:section})",
         "Parts of the call, of the section asked for.", .flags = DSC_ARRAY, .shape = &chapter_shape),
    JSON("segments", "segments_of_section(t.segments, {value:section})",
         "What is said in the section asked for, in order.", .flags = DSC_ARRAY, .shape = &segment_shape));

const dsc_source_t dsc_source_transcript = ROWS(TRANSCRIPT_FROM, "t.call_date", "timestamptz");

const dsc_dataset_t dsc_dataset_transcript = {
    DATASET("transcript", "transcript", "Transcripts of calls"),
    .keeps = DSC_CHUNKS,
    .reconcile = "cut_transcripts",
    .announce = "announce_transcripts(ARRAY(SELECT DISTINCT issuer_id FROM pg_temp.touched))",
    COLUMNS(
        COLUMN(TEXT, "exchange", "exchange of the issuer's shares, as the source says"),
        COLUMN(TEXT, "event_type", "kind of call; earnings when left out", .choices = type_choices),
        COLUMN(TEXT, "period_label", "fiscal period, e.g. Q3 FY2020"),
        COLUMN(DATE, "period_end_date", "last day of the period that it is about"),
        REQUIRED(DATETIME, "call_date", "when the call began, UTC"),
        COLUMN(INTEGER, "duration_ms", "length of the call in milliseconds"),
        COLUMN(BOOLEAN, "has_slides", "whether slides were shown"),
        COLUMN(TEXT, "supersedes", "record key of the issuer's transcript that this one replaces"),
        COLUMN(JSON, "speakers",
               "array of {speaker_id, name, role, affiliation}; speaker_id is a text of digits. An Analyst "
               "among the roles becomes one of the company's people"),
        COLUMN(JSON, "chapters", "array of {kind: prepared or qa, start_ms}, in the order of the call"),
        COLUMN(JSON, "segments",
               "array of {speaker, text, offset_ms, duration_ms, section: prepared or qa}, in the order of "
               "the call; speaker is the number of a speaker_id")),
    .flags = DSC_LAST_COUNTS,
    .date_column = "call_date",
    SHOWN(dsc_source_transcript, dsc_shape_transcript),
};

static const dsc_shape_t delivered_shape = SHAPE("DeliveredTranscript", "A transcript, as webhooks tell of it.",
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
    ABOUT("Transcripts", "One transcript with all that is said."),
    ITEM(dsc_source_transcript, detail_shape),
    PARAMETERS(
        PATH(INTEGER, "transcript_id", "The transcript's id.", .predicate = "t.id = ?"),
        QUERY(LITERAL, "section", "Only the chapters and segments of this section.", .choices = section_choices,
              .default_text = "full"),
        DSC_PARAMETER_AS_OF),
    .not_found = "There is no transcript with the id \"%s\".",
};
