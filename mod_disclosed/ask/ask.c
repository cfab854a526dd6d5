/* Questions in natural language, answered from stored data: from structured records first, then
 * from texts. */
#include "ask/ask_check.h"
#include "ask/ask_model.h"
#include "ask/ask_passage.h"
#include "datasets/datasets.h"
#include "engine/json_writer.h"
#include "engine/problem.h"

#include <apr_strings.h>
#include <jansson.h>
#include <stdlib.h>

enum {
    MOST_QUOTES = 3
};

static const char model_version[] = "built-in-1";
static const double least_covered = 0.7; /* of a question's words that a quote must have */

/* ---------------------------------------------------------------------- shapes */

static const dsc_shape_t citation_shape = SHAPE(
    "AskCitation", "The source of a statement in the answer.",
    MEMBER(INTEGER, "n", "Number of the marker in the answer."),
    MEMBER(TEXT, "src_id", "src_id of the record or text."),
    MEMBER(TEXT, "dataset", "Dataset of the record or text."),
    MEMBER(TEXT, "symbol", "Symbol (TICKER:MARKET) of the company; null if it has none.", NULLABLE),
    MEMBER(JSON, "period", "Period that the statement covers; null if there is none.", NULLABLE),
    MEMBER(TEXT, "quote",
           "Text of the source, verbatim except for white space; null if the source is a record.",
           NULLABLE),
    MEMBER(TEXT, "source_url", "URL of the source; null if there is none.", NULLABLE));

static const dsc_shape_t point_shape =
    SHAPE("AskDataPoint", "A value of the answer.",
          MEMBER(TEXT, "metric_key", "Key of the metric; null if it is no metric's value.",
                 NULLABLE),
          MEMBER(JSON, "period", "Period of the value."),
          MEMBER(JSON, "value", "The value, in the same form as in fundamentals."),
          MEMBER(TEXT, "src_id", "src_id of the record that has the value."),
          MEMBER(TEXT, "symbol", "Symbol (TICKER:MARKET) of the company; null if it has none.",
                 NULLABLE));

static const dsc_shape_t credits_shape =
    SHAPE("AskCredits", "Cost of the answer in ask credits.",
          MEMBER(INTEGER, "used", "Number of credits that the answer costs."),
          MEMBER(INTEGER, "remaining", "Number of credits that remain."));

static const dsc_shape_t answer_shape =
    SHAPE("AskAnswer", "An answer with its citations.",
          MEMBER(TEXT, "answer_md",
                 "The answer as Markdown, with markers such as [1] for citations; empty if nothing "
                 "is found."),
          MEMBER(JSON, "citations", "The citations that the markers refer to.", .flags = DSC_ARRAY,
                 .shape = &citation_shape),
          MEMBER(JSON, "data_points", "The values in the answer.", .flags = DSC_ARRAY,
                 .shape = &point_shape),
          MEMBER(TEXT, "confidence",
                 "high: the answer rests on records as reported; medium: on a derived value, or on "
                 "quotes of texts; low: on a doubtful value; none: there is no answer."),
          MEMBER(TEXT, "not_found", "What could not be answered, and why; null if everything was.",
                 NULLABLE),
          MEMBER(OBJECT, "credits", "Cost of the answer.", .shape = &credits_shape),
          MEMBER(TEXT, "model_version", "Version of the model that made the answer."),
          MEMBER(TEXT, "request_id", "ID of the request, as in X-Request-Id."),
          MEMBER(BOOLEAN, "alpha", "Always true: the endpoint is experimental."));

/* A line of ask(), see sql/0054_ask.sql. */
static const dsc_shape_t line_shape =
    SHAPE("AskLine", "", TEXT("sentence", "l.sentence::text", "", NULLABLE),
          TEXT("body", "l.body", "", NULLABLE), TEXT("dataset", "l.dataset", "", NULLABLE),
          TEXT("src_id", "l.src_id", "", NULLABLE), TEXT("symbol", "l.symbol", "", NULLABLE),
          TEXT("metric_key", "l.metric_key", "", NULLABLE),
          TEXT("period", "l.period::text", "", NULLABLE),
          TEXT("value", "trim_scale(l.value)::text", "", NULLABLE),
          TEXT("unit", "l.unit", "", NULLABLE), TEXT("source_url", "l.source_url", "", NULLABLE),
          TEXT("printed", "array_to_string(l.printed, E'\\n')", "", NULLABLE),
          TEXT("confidence", "l.confidence", "", NULLABLE));

/* Where a quoted text comes from. */
static const dsc_shape_t origin_shape =
    SHAPE("AskOrigin", "", TEXT("src_id", "ask_src_id(d.dataset, d.src_digest)", ""),
          TEXT("dataset", "d.dataset", ""), TEXT("symbol", "i.symbol", "", NULLABLE),
          TEXT("source_url",
               "CASE WHEN s.by_filing THEN filing_address(s.url, i.cik, d.accession, d.document)"
               " ELSE s.url END",
               "", NULLABLE));

#define GIVEN                                                                                                  \
    "CASE WHEN cardinality({value:symbols}) > 0 THEN ARRAY(SELECT DISTINCT named.issuer_id FROM listing named" \
    " WHERE {now:named} AND (named.ticker = ANY ({value:symbols}) OR named.record_key = ANY ({value:symbols}))) END"
#define LINES                                                                                      \
    "ask(?, " GIVEN                                                                                \
    ", {value:start_date}, {value:end_date}, {value:as_of}) WITH ORDINALITY AS l ORDER BY ordinality"
/* "?" is the query with the companies that the question names. */
#define CANDIDATES                                                                                                     \
    "search_candidates(?, (SELECT array_agg(c::bigint) FROM jsonb_array_elements_text(? -> 'issuers') c), NULL, NULL," \
    " {value:start_date}::timestamp AT TIME ZONE 'UTC', ({value:end_date} + 1)::timestamp AT TIME ZONE 'UTC', NULL,"   \
    " {value:as_of}) s"
#define ORIGIN                                                                                     \
    "jsonb_to_record(?) AS r(row tid, chunk_id bigint)"                                            \
    " JOIN document_chunk t ON t.ctid = r.row AND t.chunk_id = r.chunk_id"                         \
    " JOIN issuer i ON i.issuer_id = t.issuer_id"                                                  \
    " CROSS JOIN LATERAL text_record(t.source_kind, t.issuer_id, t.row_id, {value:as_of}) d"       \
    " JOIN source s ON s.source_id = d.source_id"

/* ------------------------------------------------------------------------ answer */

typedef struct {
    const char *src_id, *dataset, *symbol, *source_url;
    const char *metric_key, *period, *value, *unit; /* NULL: it is no value */
    const char *quote;
    const char *told; /* what may be said of it: its sentence, or the whole passage of a quote */
} point_t;

typedef struct {
    dsc_call_t *call;
    dsc_buffer_t *text;         /* the answer */
    apr_array_header_t *points; /* of point_t: the nth is citation n */
    const char *not_found;
    const char *worded_by; /* the model; NULL: nobody */
    int confidence;        /* place in `confidences` of the least sure statement */
} answer_t;

static const char *const confidences[] = {"high", "medium", "low", NULL};

static void lower_confidence(answer_t *answer, const char *confidence)
{
    int i;
    for (i = 0; confidences[i]; i++) {
        if (confidence && strcmp(confidences[i], confidence) == 0 && i > answer->confidence) {
            answer->confidence = i;
        }
    }
}

static void note_missing(answer_t *answer, const char *text)
{
    answer->not_found = answer->not_found
                            ? apr_pstrcat(answer->call->pool, answer->not_found, " ", text, NULL)
                            : text;
}

/* A sentence with its data points, until it is checked. */
typedef struct {
    const char *body;
    apr_array_header_t *points;  /* of point_t */
    apr_array_header_t *sources; /* of const char *: what it may say */
    const char *confidence;
    int is_quote; /* of the one point: the marker stands behind it */
} sentence_t;

/* Whether the byte means something in Markdown, or begins what becomes a link by itself. */
static int is_active(const char *at)
{
    return strchr("\\`*_[]<>#|!~", *at) != NULL || strncmp(at, "://", 3) == 0 || *at == '@' ||
           (*at == '.' && strncmp(at + 1 - 4, "www.", 4) == 0);
}

/* The sentence with its own markers, [1] for its first point, as those of the answer. All else is
 * text, whatever is in it. */
static const char *with_markers(const answer_t *answer, const sentence_t *sentence)
{
    dsc_buffer_t *text = dsc_buffer_create(answer->call->pool, strlen(sentence->body) + 64);
    const char *at = apr_pstrcat(answer->call->pool, "    ", sentence->body, NULL) +
                     4; /* is_active() looks back */
    if (sentence->is_quote) {
        dsc_buffer_append_text(text, "> ");
    }
    while (*at) {
        char *end = NULL;
        long number = *at == '[' ? strtol(at + 1, &end, 10) : 0;
        if (number > 0 && *end == ']' && number <= sentence->points->nelts && !sentence->is_quote) {
            dsc_buffer_printf(text, "[%ld]", number + answer->points->nelts);
            at = end + 1;
            continue;
        }
        if (is_active(at)) {
            dsc_buffer_append_char(text, '\\');
        }
        dsc_buffer_append_char(text, *at++);
    }
    if (sentence->is_quote) {
        dsc_buffer_printf(text, " [%d]", answer->points->nelts + 1);
    }
    return dsc_buffer_text(text);
}

/* Takes a sentence into the answer, if nothing in it is more than its sources say. */
static void add_sentence(answer_t *answer, const sentence_t *sentence)
{
    int i;
    if (!sentence->body) {
        return;
    }
    if (!dsc_ask_numbers_are_sourced(answer->call->pool, sentence->body, sentence->sources)) {
        note_missing(answer,
                     "A statement was left out, since its sources do not have its numbers.");
        return;
    }
    if (answer->text->length) {
        dsc_buffer_append_text(answer->text, "\n\n");
    }
    dsc_buffer_append_text(answer->text, with_markers(answer, sentence));
    for (i = 0; i < sentence->points->nelts; i++) {
        point_t *point = &APR_ARRAY_IDX(sentence->points, i, point_t);
        if (!point->told) {
            point->told = sentence->body;
        }
        APR_ARRAY_PUSH(answer->points, point_t) = *point;
    }
    lower_confidence(answer, sentence->confidence);
}

static void begin_sentence(answer_t *answer, sentence_t *sentence, const char *body)
{
    sentence->body = body;
    sentence->points = apr_array_make(answer->call->pool, 2, sizeof(point_t));
    sentence->sources = apr_array_make(answer->call->pool, 4, sizeof(const char *));
    sentence->confidence = "high";
    sentence->is_quote = 0;
}

/* ----------------------------------------------------------------------- records */

static point_t read_point(const dsc_result_t *line)
{
    return (point_t){.dataset = dsc_result_text(line, 2),
                     .src_id = dsc_result_text(line, 3),
                     .symbol = dsc_result_text(line, 4),
                     .metric_key = dsc_result_text(line, 5),
                     .period = dsc_result_text(line, 6),
                     .value = dsc_result_text(line, 7),
                     .unit = dsc_result_text(line, 8),
                     .source_url = dsc_result_text(line, 9)};
}

static json_t *read_reading(const dsc_result_t *line)
{
    return json_loads(dsc_result_text(line, 1), 0, NULL);
}

/* Makes sentences of the lines. */
static void take_lines(answer_t *answer, dsc_result_t *lines)
{
    sentence_t sentence;
    begin_sentence(answer, &sentence, NULL);
    while (dsc_result_next(lines)) {
        const char *body = dsc_result_text(lines, 1);
        if (!dsc_result_text(lines, 0)) {
            note_missing(answer, body);
            continue;
        }
        if (body) {
            add_sentence(answer, &sentence);
            begin_sentence(answer, &sentence, body);
        }
        APR_ARRAY_PUSH(sentence.points, point_t) = read_point(lines);
        APR_ARRAY_PUSH(sentence.sources, const char *) = dsc_result_text(lines, 10);
        if (dsc_result_text(lines, 11) && strcmp(dsc_result_text(lines, 11), "high") != 0) {
            sentence.confidence = dsc_result_text(lines, 11);
        }
    }
    add_sentence(answer, &sentence);
}

/* ------------------------------------------------------------------------- texts */

/* The passage as a quote; 0 with the response set if the database fails. */
static int add_quote(answer_t *answer, const dsc_ask_passage_t *passage)
{
    dsc_call_t *call = answer->call;
    const char *place =
        apr_psprintf(call->pool, "{\"row\":\"%s\",\"chunk_id\":%" APR_INT64_T_FMT "}",
                     passage->hit->row, (apr_int64_t)passage->hit->chunk_id);
    dsc_result_t *origin;
    sentence_t sentence;
    point_t point = {.quote = passage->quote, .told = passage->hit->text};
    if (!dsc_call_select_shape(call, &origin_shape, ORIGIN, "jsonb", place, &origin)) {
        return 0;
    }
    if (!dsc_result_next(origin) ||
        !dsc_ask_quote_is_verbatim(call->pool, passage->quote, passage->hit->text)) {
        return 1;
    }
    point.src_id = dsc_result_text(origin, 0);
    point.dataset = dsc_result_text(origin, 1);
    point.symbol = dsc_result_text(origin, 2);
    point.source_url = dsc_result_text(origin, 3);
    begin_sentence(answer, &sentence, passage->quote);
    sentence.is_quote = 1;
    APR_ARRAY_PUSH(sentence.points, point_t) = point;
    APR_ARRAY_PUSH(sentence.sources, const char *) = passage->quote;
    sentence.confidence = "medium";
    add_sentence(answer, &sentence);
    return 1;
}

/* From texts of the companies that are named, else of all. 0 with the response set if the database
 * fails. */
static int answer_from_texts(answer_t *answer, const json_t *reading)
{
    dsc_call_t *call = answer->call;
    dsc_search_found_t found;
    apr_array_header_t *passages;
    int i;
    const json_t *companies = json_object_get(reading, "companies");
    const char *query = json_string_value(json_object_get(reading, "rest"));
    if (!dsc_search_find(call, query ? query : "", json_is_array(companies) ? companies : NULL,
                         CANDIDATES, &found)) {
        return 0;
    }
    passages = dsc_ask_passages(call->pool, found.hits, found.terms, found.named, least_covered,
                                json_is_array(companies) ? 1 : 2, MOST_QUOTES);
    for (i = 0; i < passages->nelts; i++) {
        if (!add_quote(answer, &APR_ARRAY_IDX(passages, i, dsc_ask_passage_t))) {
            return 0;
        }
    }
    if (!passages->nelts) {
        note_missing(answer, "No stored number or text answers the question.");
    }
    return 1;
}

/* ------------------------------------------------------------------------- model */

/* Whether all that is in quotation marks is in one of the sources. */
static int quotes_are_verbatim(apr_pool_t *pool, const char *text,
                               const apr_array_header_t *sources)
{
    const char *from, *to;
    for (from = strchr(text, '"'); from && (to = strchr(from + 1, '"'));
         from = strchr(to + 1, '"')) {
        const char *quote = apr_pstrmemdup(pool, from + 1, (apr_size_t)(to - from - 1));
        int i, found = 0;
        for (i = 0; i < sources->nelts && !found; i++) {
            found = dsc_ask_quote_is_verbatim(pool, quote, APR_ARRAY_IDX(sources, i, const char *));
        }
        if (!found) {
            return 0;
        }
    }
    return 1;
}

/* Takes a sentence of the model's, if its sources are ours and have all that it says. 1 when it is
 * taken. */
static int take_worded(answer_t *answer, const dsc_ask_worded_t *worded, dsc_buffer_t *text)
{
    apr_pool_t *pool = answer->call->pool;
    apr_array_header_t *sources = apr_array_make(pool, 2, sizeof(const char *));
    const sentence_t plain = {.body = worded->text,
                              .points = apr_array_make(pool, 1, sizeof(point_t))};
    int i;
    for (i = 0; i < worded->sources->nelts; i++) {
        int number = APR_ARRAY_IDX(worded->sources, i, int);
        if (number < 1 || number > answer->points->nelts) {
            return 0;
        }
        APR_ARRAY_PUSH(sources, const char *) =
            APR_ARRAY_IDX(answer->points, number - 1, point_t).told;
    }
    if (!sources->nelts || !dsc_ask_numbers_are_sourced(pool, worded->text, sources) ||
        !quotes_are_verbatim(pool, worded->text, sources)) {
        return 0;
    }
    dsc_buffer_append_text(text, text->length ? " " : "");
    dsc_buffer_append_text(text, with_markers(answer, &plain));
    for (i = 0; i < worded->sources->nelts; i++) {
        dsc_buffer_printf(text, i ? "[%d]" : " [%d]", APR_ARRAY_IDX(worded->sources, i, int));
    }
    return 1;
}

/* Has the model word what was found. If it fails, or says more than that, the answer stays as it
 * is. */
static void word_answer(answer_t *answer, const char *question)
{
    dsc_call_t *call = answer->call;
    const dsc_ask_model_t *model = call->service->ask_model;
    apr_array_header_t *sources =
                           apr_array_make(call->pool, answer->points->nelts, sizeof(const char *)),
                       *worded;
    dsc_buffer_t *text = dsc_buffer_create(call->pool, 1024);
    const char *error = NULL;
    int i, taken = 0;
    for (i = 0; i < answer->points->nelts; i++) {
        APR_ARRAY_PUSH(sources, const char *) = APR_ARRAY_IDX(answer->points, i, point_t).told;
    }
    worded = dsc_ask_model_word(call->pool, model, dsc_call_process_account(call), question,
                                sources, &error);
    if (!worded) {
        if (error) {
            call->service->ask_model_failed(call, error);
        }
        return;
    }
    for (i = 0; i < worded->nelts; i++) {
        taken += take_worded(answer, &APR_ARRAY_IDX(worded, i, dsc_ask_worded_t), text);
    }
    if (taken) {
        answer->text = text;
        answer->worded_by = model->name ? model->name : "model";
    }
}

/* ----------------------------------------------------------------------- writing */

static void write_member(dsc_buffer_t *body, const char *name, const char *text)
{
    dsc_json_name(body, name);
    dsc_json_text(body, text);
    dsc_buffer_append_char(body, ',');
}

static void write_period(dsc_buffer_t *body, const char *period)
{
    dsc_json_name(body, "period");
    if (period) {
        dsc_json_compact(body, period);
    } else {
        dsc_buffer_append_text(body, "null");
    }
    dsc_buffer_append_char(body, ',');
}

static void write_citation(dsc_buffer_t *body, const point_t *point, int number)
{
    dsc_buffer_printf(body, "{\"n\":%d,", number);
    write_member(body, "src_id", point->src_id);
    write_member(body, "dataset", point->dataset);
    write_member(body, "symbol", point->symbol);
    write_period(body, point->period);
    write_member(body, "quote", point->quote);
    dsc_json_name(body, "source_url");
    dsc_json_text(body, point->source_url);
    dsc_buffer_append_char(body, '}');
}

static void write_value(dsc_buffer_t *body, const point_t *point)
{
    dsc_buffer_append_text(body, "\"value\":{\"raw\":");
    dsc_json_decimal(body, point->value);
    dsc_buffer_append_text(body, ",\"normalized\":");
    dsc_json_decimal(body, point->value);
    dsc_buffer_append_text(body, ",\"unit\":");
    dsc_json_text(body, point->unit);
    dsc_buffer_append_text(body, ",\"original_unit\":");
    dsc_json_text(body, point->unit);
    dsc_buffer_append_text(body, ",\"conversion_factor\":1},");
}

static void write_point(dsc_buffer_t *body, const point_t *point)
{
    dsc_buffer_append_char(body, '{');
    write_member(body, "metric_key", point->metric_key);
    write_period(body, point->period);
    write_value(body, point);
    write_member(body, "src_id", point->src_id);
    dsc_json_name(body, "symbol");
    dsc_json_text(body, point->symbol);
    dsc_buffer_append_char(body, '}');
}

static void write_points(dsc_buffer_t *body, const apr_array_header_t *points)
{
    int i, written = 0;
    dsc_buffer_append_text(body, "\"citations\":[");
    for (i = 0; i < points->nelts; i++) {
        dsc_buffer_append_text(body, i ? "," : "");
        write_citation(body, &APR_ARRAY_IDX(points, i, point_t), i + 1);
    }
    dsc_buffer_append_text(body, "],\"data_points\":[");
    for (i = 0; i < points->nelts; i++) {
        if (APR_ARRAY_IDX(points, i, point_t).value) {
            dsc_buffer_append_text(body, written++ ? "," : "");
            write_point(body, &APR_ARRAY_IDX(points, i, point_t));
        }
    }
    dsc_buffer_append_text(body, "],");
}

static void write_answer(const answer_t *answer)
{
    dsc_call_t *call = answer->call;
    dsc_buffer_t *body = call->body;
    int is_empty = answer->text->length == 0;
    dsc_buffer_append_char(body, '{');
    write_member(body, "answer_md", dsc_buffer_text(answer->text));
    write_points(body, answer->points);
    write_member(body, "confidence", is_empty ? "none" : confidences[answer->confidence]);
    write_member(body, "not_found", answer->not_found);
    dsc_buffer_printf(body, "\"credits\":{\"used\":%d,\"remaining\":", call->caller->credit_cost);
    dsc_json_integer(body, call->credits_remaining);
    dsc_buffer_append_text(body, "},");
    write_member(body, "model_version", answer->worded_by ? answer->worded_by : model_version);
    dsc_json_name(body, "request_id");
    dsc_json_text(body, call->request_id);
    dsc_buffer_append_text(body, ",\"alpha\":true}");
}

/* The cost is held by now: what remains is more by that. */
static int may_cost(dsc_call_t *call)
{
    const dsc_value_t *most = dsc_call_value(call, "max_credits");
    if (!most->present || most->out_of_range || call->caller->credit_cost <= most->integer) {
        return 1;
    }
    dsc_call_problem(
        call, 402,
        apr_psprintf(call->pool,
                     "Credits requested: %d; remaining: %" APR_INT64_T_FMT "; max_credits: %s.",
                     call->caller->credit_cost,
                     (apr_int64_t)(call->credits_remaining + call->caller->credit_cost),
                     most->text));
    return 0;
}

/* Whether the companies that the question is about are known; 0 with the response set if one is
 * not. */
static int knows_companies(dsc_call_t *call)
{
    const apr_array_header_t *symbols = dsc_call_value(call, "symbols")->list;
    const char *issuers, *unknown = NULL;
    if (!symbols || !symbols->nelts) {
        return 1;
    }
    if (!dsc_find_issuers(call, symbols, &issuers, &unknown)) {
        return 0;
    }
    if (unknown) {
        dsc_refuse_company(call, unknown);
    }
    return !unknown;
}

static void respond_ask(dsc_call_t *call)
{
    const char *question = dsc_call_value(call, "question")->text, *form;
    answer_t answer = {.call = call,
                       .text = dsc_buffer_create(call->pool, 512),
                       .points = apr_array_make(call->pool, 8, sizeof(point_t))};
    dsc_result_t *lines;
    json_t *reading;
    int good = 1;

    if (!may_cost(call) || !knows_companies(call) ||
        !dsc_call_select_shape(call, &line_shape, LINES, "text", question, &lines) ||
        !dsc_result_next(lines)) {
        return;
    }
    reading = read_reading(lines);
    form = json_string_value(json_object_get(reading, "form"));
    if (form && strcmp(form, "text") == 0) {
        good = answer_from_texts(&answer, reading);
    } else if (form && strcmp(form, "refused") == 0) {
        note_missing(&answer,
                     apr_pstrdup(call->pool, json_string_value(json_object_get(reading, "note"))));
    } else {
        take_lines(&answer, lines);
    }
    json_decref(reading);
    if (good) {
        dsc_call_release(call); /* nothing of the database is held while a model thinks */
        if (call->service->ask_model && answer.points->nelts) {
            word_answer(&answer, question);
        }
        write_answer(&answer);
    }
}

const dsc_endpoint_t dsc_endpoint_ask = {
    POST("ask", "/v1/ask"),
    ABOUT("Ask", "Answers a question from stored records and texts, with citations. It spends "
                 "ask credits."),
    HANDLER(respond_ask, answer_shape),
    .credit_cost = 1,
    PARAMETERS(
        BODY(STRING, "question", "The question, in English.", BETWEEN(1, 2000),
             .flags = DSC_REQUIRED),
        BODY(SYMBOL, "symbols",
             "Companies that the question is about, if it does not name them; the response is "
             "404 if one is unknown.",
             .flags = DSC_REPEATABLE | DSC_OR_NULL),
        BODY(DATE, "start_date",
             "Earliest day of the periods or texts that may be used, inclusive.",
             .flags = DSC_OR_NULL),
        BODY(DATE, "end_date", "Latest day of the periods or texts that may be used, inclusive.",
             .flags = DSC_OR_NULL),
        BODY(INTEGER, "max_credits",
             "Maximum number of credits that the answer may cost; the "
             "response is 402 if it costs more.",
             AT_LEAST(0), .flags = DSC_OR_NULL),
        BODY(DATETIME, "as_of", DSC_AS_OF_DESCRIPTION, .flags = DSC_OR_NULL)),
    STATUSES(404),
};
