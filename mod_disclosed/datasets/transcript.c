/* Transcripts of earnings calls and other events. */
#include "datasets/datasets.h"

static const char *const type_choices[] = {"earnings",        "investor_day", "agm",
                                           "ma_announcement", "other",        NULL};

static const char *const section_choices[] = {"full", "prepared", "qa", NULL};

static const dsc_column_t transcript_columns[] = {
    {"exchange", DSC_COLUMN_TEXT, 0, NULL, "exchange of the issuer's shares, as the source says"},
    {"event_type", DSC_COLUMN_TEXT, 0, type_choices, "kind of call; earnings when left out"},
    {"period_label", DSC_COLUMN_TEXT, 0, NULL, "fiscal period, e.g. Q3 FY2020"},
    {"period_end_date", DSC_COLUMN_DATE, 0, NULL, "last day of the period that it is about"},
    {"call_date", DSC_COLUMN_DATETIME, DSC_COLUMN_REQUIRED, NULL, "when the call began, UTC"},
    {"duration_ms", DSC_COLUMN_INTEGER, 0, NULL, "length of the call in milliseconds"},
    {"has_slides", DSC_COLUMN_BOOLEAN, 0, NULL, "whether slides were shown"},
    {"supersedes", DSC_COLUMN_TEXT, 0, NULL,
     "record key of the issuer's transcript that this one replaces"},
    {"speakers", DSC_COLUMN_JSON, 0, NULL,
     "array of {speaker_id, name, role, affiliation}; speaker_id is a text of digits. An Analyst "
     "among the roles becomes one of the company's people"},
    {"chapters", DSC_COLUMN_JSON, 0, NULL,
     "array of {kind: prepared or qa, start_ms}, in the order of the call"},
    {"segments", DSC_COLUMN_JSON, 0, NULL,
     "array of {speaker, text, offset_ms, duration_ms, section: prepared or qa}, in the order of "
     "the call; speaker is the number of a speaker_id"},
};

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

#define TRANSCRIPT_FIELDS                                                                         \
    {"id", DSC_FIELD_INTEGER, 0, "t.id", NULL, NULL, NULL, NULL, "Number of the record."},        \
    {"ticker", DSC_FIELD_TEXT, DSC_NULLABLE, "i.ticker", NULL, NULL, NULL, NULL,                  \
     "Ticker of the issuer's primary listing; null when it has none."},                           \
    {"exchange", DSC_FIELD_TEXT, DSC_NULLABLE, "coalesce(t.exchange, l.listing_exchange)", NULL,  \
     NULL, NULL, NULL, "Exchange: as the source says, else of the primary listing."},             \
    {"period_label", DSC_FIELD_TEXT, DSC_NULLABLE, "t.period_label", NULL, NULL, NULL, NULL,      \
     "Fiscal period, as the source writes it."},                                                  \
    {"period_end_date", DSC_FIELD_DATE, DSC_NULLABLE, "t.period_end_date", NULL, NULL, NULL,      \
     NULL, "Last day of the period that the call was about."},                                    \
    {"call_date", DSC_FIELD_DATETIME, 0, "t.call_date", NULL, NULL, NULL, NULL,                   \
     "When the call began, UTC."},                                                                \
    {"event_type", DSC_FIELD_TEXT, 0, "t.event_type", NULL, NULL, NULL, NULL,                     \
     "earnings, investor_day, agm, ma_announcement or other."},                                   \
    {"event_id", DSC_FIELD_INTEGER, DSC_NULLABLE, DSC_EVENT_ID, NULL, NULL, NULL, NULL,           \
     "Corporate event that it belongs to."},                                                      \
    {"is_current", DSC_FIELD_BOOLEAN, 0, "newer.id IS NULL", NULL, NULL, NULL, NULL,              \
     "Whether no other transcript has replaced it."},                                             \
    {"supersedes_id", DSC_FIELD_INTEGER, DSC_NULLABLE, "older.id", NULL, NULL, NULL, NULL,        \
     "The transcript that this one replaces."},                                                   \
    {"superseded_by_id", DSC_FIELD_INTEGER, DSC_NULLABLE, "newer.id", NULL, NULL, NULL, NULL,     \
     "The transcript that has replaced this one."},                                               \
    {"duration_ms", DSC_FIELD_INTEGER, DSC_NULLABLE, "t.duration_ms", NULL, NULL, NULL, NULL,     \
     "Length of the call in milliseconds."},                                                      \
    {"has_slides", DSC_FIELD_BOOLEAN, DSC_NULLABLE, "t.has_slides", NULL, NULL, NULL, NULL,       \
     "Whether slides were shown; null when the source does not say."},                            \
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "transcript", NULL,                  \
     "Where it comes from."}

static const dsc_field_t transcript_fields[] = {TRANSCRIPT_FIELDS};

static const dsc_shape_t transcript_shape = {"Transcript", "A transcript of a call.",
                                             transcript_fields, DSC_COUNT(transcript_fields)};

static const dsc_field_t speaker_fields[] = {
    {"speaker_id", DSC_FIELD_TEXT, 0, NULL, NULL, NULL, NULL, NULL,
     "What segments name as speaker, as text."},
    {"name", DSC_FIELD_TEXT, DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL,
     "Name, as far as it is known."},
    {"role", DSC_FIELD_TEXT, DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL, "e.g. Analyst."},
    {"affiliation", DSC_FIELD_TEXT, DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL,
     "Firm that the person speaks for."},
};

static const dsc_shape_t speaker_shape = {"TranscriptSpeaker", "Somebody who speaks in a call.",
                                          speaker_fields, DSC_COUNT(speaker_fields)};

static const dsc_field_t chapter_fields[] = {
    {"kind", DSC_FIELD_TEXT, 0, NULL, NULL, NULL, NULL, NULL, "prepared or qa."},
    {"start_ms", DSC_FIELD_INTEGER, DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL,
     "Milliseconds from the start of the call; null when it has no times."},
};

static const dsc_shape_t chapter_shape = {"TranscriptChapter", "A part of a call.", chapter_fields,
                                          DSC_COUNT(chapter_fields)};

static const dsc_field_t segment_fields[] = {
    {"speaker", DSC_FIELD_INTEGER, 0, NULL, NULL, NULL, NULL, NULL,
     "Who speaks: the speaker_id as number."},
    {"text", DSC_FIELD_TEXT, 0, NULL, NULL, NULL, NULL, NULL, "What is said."},
    {"offset_ms", DSC_FIELD_INTEGER, DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL,
     "Milliseconds from the start of the call; null when it has no times."},
    {"duration_ms", DSC_FIELD_INTEGER, DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL,
     "How long it takes, in milliseconds."},
    {"section", DSC_FIELD_TEXT, DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL,
     "prepared or qa; null when the source does not tell them apart."},
};

static const dsc_shape_t segment_shape = {"TranscriptSegment", "What one speaker says at a time.",
                                          segment_fields, DSC_COUNT(segment_fields)};

static const dsc_field_t detail_fields[] = {
    TRANSCRIPT_FIELDS,
    {"section", DSC_FIELD_TEXT, 0, "{value:section}", NULL, NULL, NULL, NULL,
     "The section that was asked for."},
    {"speakers", DSC_FIELD_JSON, DSC_ARRAY, "speakers_in_order(t.speakers)::text", NULL, NULL, NULL,
     &speaker_shape, "All who speak in the call."},
    {"chapters", DSC_FIELD_JSON, DSC_ARRAY,
     "chapters_of_section(t.chapters, {value:section})::text", NULL, NULL, NULL, &chapter_shape,
     "Parts of the call, of the section asked for."},
    {"segments", DSC_FIELD_JSON, DSC_ARRAY,
     "segments_of_section(t.segments, {value:section})::text", NULL, NULL, NULL, &segment_shape,
     "What is said in the section asked for, in order."},
};

static const dsc_shape_t detail_shape = {"TranscriptDetail", "A transcript with all that is said.",
                                         detail_fields, DSC_COUNT(detail_fields)};

static const dsc_source_t transcript_source = {TRANSCRIPT_FROM, NULL, "t.call_date", "timestamptz",
                                               "t.id", 0};

const dsc_dataset_t dsc_dataset_transcript = {
    "transcript", "transcript", "Transcripts of calls", transcript_columns,
    DSC_COUNT(transcript_columns), "call_date", NULL, &transcript_source, &transcript_shape};

static const dsc_field_t delivered_fields[] = {
    TRANSCRIPT_FIELDS, DSC_DELIVERED_FIELDS("/v1/transcripts/", "t.id")};

static const dsc_shape_t delivered_shape = {"DeliveredTranscript",
                                            "A transcript, as webhooks tell of it.",
                                            delivered_fields, DSC_COUNT(delivered_fields)};

static const dsc_field_t delivery_fields[] = {DSC_DELIVERY_FIELDS(&delivered_shape)};

static const dsc_shape_t delivery_shape = {"TranscriptDelivery",
                                           "Body of a transcript.published delivery.",
                                           delivery_fields, DSC_COUNT(delivery_fields)};

const dsc_topic_t dsc_topic_transcript = {
    DSC_TOPIC_TRANSCRIPT, "A first-party transcript of an earnings call can be read.",
    &delivery_shape,
    DSC_DELIVERY_FROM ", " TRANSCRIPT_FROM DSC_DELIVERY_WHERE "t.id = v.subject::bigint"};

static const dsc_parameter_t transcripts_parameters[] = {
    DSC_PARAMETER_SYMBOLS(NULL, "issuers"),
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("call_date"),
    DSC_PARAMETER_AS_OF_BY("t.call_date"),
};

static const char *const reads[] = {"transcript", "event", "company", "listing", NULL};

const dsc_endpoint_t dsc_endpoint_transcripts = {
    "list_transcripts", "GET", "/v1/transcripts", "Transcripts",
    "Transcripts of all companies, current and superseded.", DSC_ANSWER_LIST, 0,
    transcripts_parameters, DSC_COUNT(transcripts_parameters), &transcript_source,
    &transcript_shape, reads};

static const dsc_parameter_t transcript_parameters[] = {
    {"transcript_id", DSC_IN_PATH, DSC_INTEGER, DSC_REQUIRED, NULL, {0, 0, 0, 0}, NULL, "t.id = ?",
     NULL, "The transcript's id."},
    {"section", DSC_IN_QUERY, DSC_LITERAL, 0, section_choices, {0, 0, 0, 0}, "full", NULL, NULL,
     "Only the chapters and segments of this section."},
    DSC_PARAMETER_AS_OF,
};

const dsc_endpoint_t dsc_endpoint_transcript = {
    "get_transcript", "GET", "/v1/transcripts/{transcript_id}", "Transcripts",
    "One transcript with all that is said.", DSC_ANSWER_ITEM, 0, transcript_parameters,
    DSC_COUNT(transcript_parameters), &transcript_source, &detail_shape, reads, NULL,
    "There is no transcript with the id \"%s\"."};
