/* Full-text search over chunks of documents. */
#include "datasets/datasets.h"
#include "engine/cursor.h"
#include "engine/json_writer.h"
#include "engine/page.h"
#include "engine/query.h"
#include "engine/replicas.h"
#include "engine/shape_walk.h"
#include "engine/wire.h"
#include "search/search.h"

#include <apr_cstr.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SNIPPET_SIZE = 240, /* bytes, about */
    MOST_WINDOWS = 4,   /* that a page looks at while nothing is found */
    MOST_ATTEMPTS = 2   /* to read a page while loads move its chunks */
};

CHOICES(kind_choices, "filing", "exhibit", "transcript", "document");

/* ---------------------------------------------------------------------- served */

static const dsc_shape_t reference_shape = SHAPE(
    "SearchReference", "Location of a passage.", INTEGER("chunk_id", "t.chunk_id", "Chunk ID."),
    TEXT("ticker", "i.ticker", "Ticker of the issuer's primary listing; null if it has none.",
         NULLABLE),
    TEXT("source_kind", "t.source_kind", "Kind of text: filing, exhibit, transcript or document."),
    INTEGER("source_doc_id", "coalesce(f.id, d.record_id)",
            "ID of the transcript, of the document, or of the filing, which is also used for "
            "its exhibits."),
    INTEGER("char_start", "t.char_start",
            "Offset of the first character in the text of the filing's main document, the exhibit "
            "or the document, or in the segments of the transcript, joined by line feeds."),
    INTEGER("char_end", "t.char_end", "Offset just after the last character."),
    TEXT("section_id", "t.section_id",
         "Section of the text: key of the filing's section, type of the exhibit, prepared or "
         "qa, or index of the document's page; null if there is none.",
         NULLABLE),
    INTEGER("event_id", "d.event_id",
            "ID of the corporate event that the text belongs to; null if there is none.",
            NULLABLE));

static const dsc_shape_t result_shape = SHAPE(
    "SearchResult", "A passage that matches the query.",
    OBJECT("ref", reference_shape, "Location of the passage."),
    TEXT("title", "t.heading",
         "Heading of the section, title of the document, or name of the "
         "speaker; null if there is none.",
         NULLABLE),
    TEXT("snippet", "r.snippet",
         "The passage around the matching words, as plain text; an ellipsis marks each cut."),
    DECIMAL("score", "r.score", "Relevance of the passage, comparable within one search."),
    INTEGER(
        "similar_count", "r.alike",
        "Number of older passages of the company with nearly the same text, which are left out."),
    DATETIME("published_at", "d.published_at",
             "Time of publication of the text, UTC; null if no source states a time.", NULLABLE),
    PROVENANCE_BY("provenance", "d", "d.dataset", "Source of the text.", .flags = DSC_CITED,
                  .filer = "i.cik", .document = "d.document"));

/* Rows by number, in the order of the ranking: "?" is what was chosen. */
#define CHOSEN                                                                                                                        \
    "jsonb_to_recordset(?) AS r(place bigint, row tid, issuer_id bigint, chunk_id bigint, score numeric, alike bigint, snippet text)" \
    " JOIN document_chunk t ON t.ctid = r.row AND t.chunk_id = r.chunk_id AND t.issuer_id = r.issuer_id JOIN " DSC_ISSUER
#define FILING                                                                                     \
    " LEFT JOIN LATERAL (SELECT o.id FROM filing o WHERE o.accession = d.accession AND {now:o}"    \
    " ORDER BY o.issuer_id = t.issuer_id DESC, o.issuer_id LIMIT 1) f ON t.source_kind IN ('filing', 'exhibit')"
#define RESULT_FROM                                                                                \
    CHOSEN                                                                                         \
    " CROSS JOIN LATERAL text_record(t.source_kind, t.issuer_id, t.row_id, {value:as_of}) d" FILING

/* What there is to rank. */
#define CANDIDATES                                                                                                         \
    "search_candidates(?, CASE WHEN cardinality({value:symbols}) > 0 THEN ARRAY(SELECT named.issuer_id FROM listing named" \
    " WHERE {now:named} AND (named.ticker = ANY ({value:symbols}) OR named.record_key = ANY ({value:symbols}))) END,"      \
    " nullif({value:source_kinds}, '{}'), nullif({value:forms}, '{}'), {value:start_date}::timestamp AT TIME ZONE 'UTC',"  \
    " ({value:end_date} + 1)::timestamp AT TIME ZONE 'UTC', {value:event_id}, {value:as_of})"

static const dsc_source_t result_source = {
    .from = RESULT_FROM ", " CANDIDATES " s",
    .where = "true",
    .order = "r.place",
    .order_type = "bigint",
    .tie = "r.place",
    .unversioned = 1,
};

static const dsc_shape_t page_shape =
    SHAPE("Pagination", "Cursor of the next page.",
          MEMBER(TEXT, "next_cursor", "Value of `cursor` for the next page; null on the last page.",
                 NULLABLE),
          MEMBER(BOOLEAN, "has_more", "Whether there is a next page."));

static const dsc_shape_t search_shape =
    SHAPE("SearchResults", "Results of a search.",
          MEMBER(OBJECT, "pagination", "Cursor of the next page.", .shape = &page_shape),
          MEMBER(TEXT, "query", "The query."));

/* ---------------------------------------------------------------------- candidates */

static const dsc_shape_t candidate_shape =
    SHAPE("SearchCandidate", "", TEXT("kind", "s.kind", ""),
          INTEGER("chunk_id", "s.chunk_id", "", NULLABLE),
          INTEGER("issuer_id", "s.issuer_id", "", NULLABLE),
          DATETIME("published", "s.published_at", "", NULLABLE),
          TEXT("heading", "s.heading", "", NULLABLE), TEXT("body", "s.body", ""),
          TEXT("row", "s.place::text", "", NULLABLE),
          TEXT("source_kind", "s.source_kind", "", NULLABLE));

/* Where a page ended. */
typedef struct {
    long long last_chunk;           /* what came later is left out; 0: not known yet */
    long long before, before_chunk; /* where the window begins */
    double score;                   /* of the last row that was shown */
    long long chunk;                /* 0: none of the window was */
    int is_later;                   /* the window is not the first */
} position_t;

/* A search under way. */
typedef struct {
    dsc_call_t *call;
    const char *candidates;  /* FROM text */
    const json_t *companies; /* NULL, or the numbers of those to search in */
    dsc_search_query_t query;
    position_t position;
    apr_array_header_t *terms; /* of dsc_search_term_t */
    apr_array_header_t *named; /* of int64_t */
    apr_array_header_t *hits;  /* of dsc_search_hit_t: of the window, the best first */
    int window_size;           /* hits of a window that is full */
    int enough;                /* hits with all terms: partial ones are left out then */
    int has_next_window;
    position_t next_window;
    apr_array_header_t *chosen; /* of dsc_search_hit_t: the page */
} search_t;

static void append_texts(dsc_buffer_t *json, const apr_array_header_t *list)
{
    int i;
    dsc_buffer_append_char(json, '[');
    for (i = 0; i < list->nelts; i++) {
        if (i > 0) {
            dsc_buffer_append_char(json, ',');
        }
        dsc_json_text(json, APR_ARRAY_IDX(list, i, const char *));
    }
    dsc_buffer_append_char(json, ']');
}

/* A member that is not the first. */
static void append_number(dsc_buffer_t *json, const char *name, long long number)
{
    dsc_buffer_append_char(json, ',');
    dsc_json_name(json, name);
    dsc_json_integer(json, number);
}

/* The query and the window, as search_candidates() takes them. */
static const char *request_text(const search_t *search)
{
    const position_t *at = &search->position;
    dsc_buffer_t *json = dsc_buffer_create(search->call->pool, 256);
    dsc_buffer_append_text(json, "{\"words\":");
    append_texts(json, search->query.words);
    dsc_buffer_append_text(json, ",\"phrases\":");
    append_texts(json, search->query.phrases);
    dsc_buffer_append_text(json, ",\"excluded\":");
    append_texts(json, search->query.excluded);
    if (search->companies) {
        dsc_buffer_append_text(json, ",\"issuers\":");
        dsc_json_value(json, search->companies);
    }
    if (at->last_chunk) {
        append_number(json, "last_chunk", at->last_chunk);
    }
    if (at->is_later) {
        append_number(json, "before", at->before);
        append_number(json, "before_chunk", at->before_chunk);
    }
    dsc_buffer_append_char(json, '}');
    return dsc_buffer_text(json);
}

/* Whether a company's name in the query has the word. */
static int is_of_names(const json_t *names, const char *word)
{
    const json_t *name;
    size_t i;
    json_array_foreach(names, i, name)
    {
        if (apr_cstr_casecmp(json_string_value(name), word) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The steps are coarse so that a load that changes the statistics a little leaves the order of a
 * search under way. */
static double weight_of(double share)
{
    return 0.25 * floor(4 * log1p(1 / (share > 1e-9 ? share : 1e-9)));
}

static void read_term(search_t *search, const json_t *json, const json_t *names)
{
    dsc_search_term_t *term = apr_array_push(search->terms);
    const json_t *lexeme;
    size_t i;
    term->place = (int)json_integer_value(json_object_get(json, "place"));
    term->weight = weight_of(json_number_value(json_object_get(json, "share")));
    term->is_name =
        is_of_names(names, APR_ARRAY_IDX(search->query.words, term->place - 1, const char *));
    term->is_unknown = json_is_false(json_object_get(json, "known"));
    term->lexemes = apr_array_make(search->call->pool, 1, sizeof(const char *));
    json_array_foreach(json_object_get(json, "lexemes"), i, lexeme)
    {
        APR_ARRAY_PUSH(term->lexemes, const char *) =
            apr_pstrdup(search->call->pool, json_string_value(lexeme));
    }
}

/* The value of a column of integers; 0 if it is null. */
static long long integer_of(const dsc_result_t *rows, int column)
{
    dsc_slice_t value = dsc_result_value(rows, column);
    return value.data ? dsc_wire_integer(value) : 0;
}

/* Microseconds since 1970; PostgreSQL counts from 2000. */
static long long time_of(const dsc_result_t *rows, int column)
{
    return integer_of(rows, column) + 946684800LL * 1000000;
}

/* The row about the search: what the database makes of the words, and where the weeks begin that it
 * has looked at. */
static void read_plan(search_t *search, const dsc_result_t *rows)
{
    json_t *json = json_loads(dsc_result_text(rows, 5), 0, NULL);
    const json_t *names = json_object_get(json, "names"), *one;
    size_t i;
    search->position.last_chunk = integer_of(rows, 1);
    search->window_size = (int)json_integer_value(json_object_get(json, "window_size"));
    search->enough = (int)json_integer_value(json_object_get(json, "enough"));
    search->has_next_window = dsc_result_value(rows, 3).data != NULL;
    search->next_window = (position_t){
        search->position.last_chunk, search->has_next_window ? time_of(rows, 3) : 0, 0, 0, 0, 1};
    search->terms = apr_array_make(search->call->pool, 8, sizeof(dsc_search_term_t));
    search->named = apr_array_make(search->call->pool, 4, sizeof(int64_t));
    json_array_foreach(json_object_get(json, "terms"), i, one)
    {
        read_term(search, one, names);
    }
    json_array_foreach(json_object_get(json, "named"), i, one)
    {
        APR_ARRAY_PUSH(search->named, int64_t) = json_integer_value(one);
    }
    json_decref(json);
}

/* One row as a hit. */
static void read_hit(const dsc_result_t *rows, dsc_search_hit_t *hit)
{
    memset(hit, 0, sizeof(*hit));
    hit->kind = dsc_result_text(rows, 0);
    hit->chunk_id = integer_of(rows, 1);
    hit->issuer_id = integer_of(rows, 2);
    hit->published = time_of(rows, 3);
    hit->heading = dsc_result_text(rows, 4);
    hit->text = dsc_result_text(rows, 5);
    hit->row = dsc_result_text(rows, 6);
    hit->source_kind = dsc_result_text(rows, 7);
}

/* A window that is full ends with its last hit, the next one begins there. */
static void end_window(search_t *search, const apr_array_header_t *all)
{
    const dsc_search_hit_t *last = NULL;
    int i, count = 0;
    for (i = 0; i < all->nelts; i++) {
        const dsc_search_hit_t *hit = &APR_ARRAY_IDX(all, i, dsc_search_hit_t);
        if (strcmp(hit->kind, "window") == 0) {
            last = hit;
            count++;
        }
    }
    if (last && count == search->window_size) {
        search->has_next_window = 1;
        search->next_window.before = last->published;
        search->next_window.before_chunk = last->chunk_id;
    }
}

/* Takes the rows as hits, each chunk once. What is found beside the windows is in the first of
 * them, so it is left out of the others. */
static void take_rows(search_t *search, dsc_result_t *rows)
{
    apr_array_header_t *all =
        apr_array_make(search->call->pool, dsc_result_rows(rows), sizeof(dsc_search_hit_t));
    apr_hash_t *seen = apr_hash_make(search->call->pool);
    int i, is_first = !search->position.is_later;

    search->hits =
        apr_array_make(search->call->pool, dsc_result_rows(rows), sizeof(dsc_search_hit_t));
    while (dsc_result_next(rows)) {
        if (strcmp(dsc_result_text(rows, 0), "search") == 0) {
            read_plan(search, rows);
        } else {
            read_hit(rows, apr_array_push(all));
        }
    }
    end_window(search, all);
    for (i = 0; !is_first && i < all->nelts; i++) {
        dsc_search_hit_t *hit = &APR_ARRAY_IDX(all, i, dsc_search_hit_t);
        if (strcmp(hit->kind, "window") != 0) {
            apr_hash_set(seen, &hit->chunk_id, sizeof(hit->chunk_id), hit);
        }
    }
    for (i = 0; i < all->nelts; i++) {
        dsc_search_hit_t *hit = &APR_ARRAY_IDX(all, i, dsc_search_hit_t);
        if ((is_first || strcmp(hit->kind, "window") == 0) &&
            !apr_hash_get(seen, &hit->chunk_id, sizeof(hit->chunk_id))) {
            apr_hash_set(seen, &hit->chunk_id, sizeof(hit->chunk_id), hit);
            APR_ARRAY_PUSH(search->hits, dsc_search_hit_t) = *hit;
        }
    }
}

/* The index was not asked for the commonest terms: window hits without them are left out, unless
 * there are too few others. */
static void hide_partial(search_t *search)
{
    int i, complete = 0;
    for (i = 0; i < search->hits->nelts; i++) {
        complete += !APR_ARRAY_IDX(search->hits, i, dsc_search_hit_t).is_partial;
    }
    for (i = 0; i < search->hits->nelts; i++) {
        dsc_search_hit_t *hit = &APR_ARRAY_IDX(search->hits, i, dsc_search_hit_t);
        hit->is_hidden |= hit->is_partial && strcmp(hit->kind, "window") == 0 &&
                          (search->position.is_later || complete >= search->enough);
    }
}

/* Finds and ranks the hits of the position's window; 0 with the response set if the database
 * fails. */
static int find_hits(search_t *search)
{
    dsc_result_t *rows;
    if (!dsc_call_select_shape(search->call, &candidate_shape, search->candidates, "jsonb",
                               request_text(search), &rows)) {
        return 0;
    }
    take_rows(search, rows);
    dsc_search_rank(search->call->pool, search->hits, search->terms, search->named);
    hide_partial(search);
    return 1;
}

int dsc_search_find(dsc_call_t *call, const char *query, const json_t *companies,
                    const char *candidates, dsc_search_found_t *found)
{
    search_t search = {.call = call, .candidates = candidates, .companies = companies};
    dsc_search_query_read(call->pool, query, &search.query);
    if (!find_hits(&search)) {
        return 0;
    }
    found->terms = search.terms;
    found->named = search.named;
    found->hits = search.hits;
    return 1;
}

/* ------------------------------------------------------------------------- pages */

/* The cursor's text of a position, and back. */
static const char *position_text(apr_pool_t *pool, const position_t *at)
{
    char score[64]; /* apr_psprintf() has no %a */
    snprintf(score, sizeof(score), "%a", at->score);
    return apr_psprintf(pool,
                        "%" APR_INT64_T_FMT ":%" APR_INT64_T_FMT ":%" APR_INT64_T_FMT ":%d:%s",
                        (apr_int64_t)at->last_chunk, (apr_int64_t)at->before,
                        (apr_int64_t)at->before_chunk, at->is_later, score);
}

static void read_position(const dsc_cursor_t *cursor, position_t *at)
{
    char *rest;
    at->last_chunk = strtoll(cursor->order, &rest, 10);
    at->before = strtoll(rest + 1, &rest, 10);
    at->before_chunk = strtoll(rest + 1, &rest, 10);
    at->is_later = (int)strtol(rest + 1, &rest, 10);
    at->score = strtod(rest + 1, NULL);
    at->chunk = apr_atoi64(cursor->tie);
}

static void bind_cursor(dsc_call_t *call, unsigned char *binding)
{
    dsc_buffer_t *canonical = dsc_buffer_create(call->pool, 512);
    dsc_query_canonical(call, canonical, 0);
    dsc_cursor_binding(canonical->data, canonical->length, binding);
}

/* Where the cursor says that the page before ended; 0 with the response set if it is none of this
 * search. */
static int read_cursor(search_t *search, const unsigned char *binding)
{
    dsc_call_t *call = search->call;
    const dsc_value_t *value = dsc_call_value(call, "cursor");
    apr_array_header_t *errors = apr_array_make(call->pool, 1, sizeof(dsc_validation_error_t));
    dsc_cursor_t cursor;
    if (!value->present) {
        return 1;
    }
    if (dsc_cursor_decode(call->pool, call->service->cursor_key, call->service->previous_cursor_key,
                          binding, value->text, &cursor)) {
        read_position(&cursor, &search->position);
        call->reading.position = cursor.position;
        return 1;
    }
    dsc_page_refuse_cursor(call, errors, "body", value->text);
    return 0;
}

/* Whether the hit was shown on a page before. */
static int was_shown(const position_t *at, const dsc_search_hit_t *hit)
{
    return at->chunk &&
           (hit->score > at->score || (hit->score >= at->score && hit->chunk_id >= at->chunk));
}

/* Takes hits of the window until the page has `size`; 1 when some are left for a next page. */
static int choose(search_t *search, int size)
{
    int i;
    for (i = 0; search->hits && i < search->hits->nelts; i++) {
        const dsc_search_hit_t *hit = &APR_ARRAY_IDX(search->hits, i, dsc_search_hit_t);
        if (hit->is_hidden || was_shown(&search->position, hit)) {
            continue;
        }
        if (search->chosen->nelts == size) {
            return 1;
        }
        APR_ARRAY_PUSH(search->chosen, dsc_search_hit_t) = *hit;
        search->position.score = hit->score;
        search->position.chunk = hit->chunk_id;
    }
    return 0;
}

/* Fills the page from its window, or while nothing is found there from those behind it. `has_more`
 * says whether there is a next page, at the search's position. 0 with the response set if the
 * database fails. */
static int fill_page(search_t *search, int size, int *has_more)
{
    int windows;
    for (windows = 1;; windows++) {
        if (!find_hits(search)) {
            return 0;
        }
        *has_more = choose(search, size);
        if (*has_more || !search->has_next_window) {
            return 1;
        }
        search->position = search->next_window;
        if (search->chosen->nelts || windows == MOST_WINDOWS) {
            *has_more = 1;
            return 1;
        }
    }
}

/* The page's rows by number, as JSON text for the database. */
static const char *chosen_text(const search_t *search)
{
    apr_pool_t *pool = search->call->pool;
    dsc_buffer_t *json = dsc_buffer_create(pool, 512 * (size_t)search->chosen->nelts);
    int i;
    for (i = 0; i < search->chosen->nelts; i++) {
        const dsc_search_hit_t *hit = &APR_ARRAY_IDX(search->chosen, i, dsc_search_hit_t);
        dsc_buffer_append_text(json, i > 0 ? ",{\"snippet\":" : "[{\"snippet\":");
        dsc_json_text(json, dsc_search_snippet(pool, hit->text, search->terms, SNIPPET_SIZE));
        dsc_buffer_printf(json, ",\"row\":\"%s\",\"score\":\"%.4f\"", hit->row, hit->score);
        append_number(json, "place", i);
        append_number(json, "issuer_id", hit->issuer_id);
        append_number(json, "chunk_id", hit->chunk_id);
        append_number(json, "alike", hit->similar);
        dsc_buffer_append_char(json, '}');
    }
    dsc_buffer_append_char(json, ']');
    return dsc_buffer_text(json);
}

/* Whether a passage of the page is of the kind. */
static int has_kind(const search_t *search, const char *kind)
{
    int i;
    for (i = 0; i < search->chosen->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(search->chosen, i, dsc_search_hit_t).source_kind, kind) == 0) {
            return 1;
        }
    }
    return 0;
}

/* FROM text of the page's rows, which names the tables of its kinds of texts alone: PostgreSQL
 * prepares to read what a statement names, even if no row needs it. */
static const char *page_from(const search_t *search)
{
    apr_pool_t *pool = search->call->pool;
    const char *records = "", *filing;
    int i;
    for (i = 0; kind_choices[i]; i++) {
        if (has_kind(search, kind_choices[i])) {
            records = apr_psprintf(
                pool,
                "%s%sSELECT o.* FROM text_record('%s', t.issuer_id, t.row_id, {value:as_of}) o"
                " WHERE t.source_kind = '%s'",
                records, *records ? " UNION ALL " : "", kind_choices[i], kind_choices[i]);
        }
    }
    filing = has_kind(search, "filing") || has_kind(search, "exhibit")
                 ? FILING
                 : " CROSS JOIN (SELECT NULL::bigint AS id) f";
    return apr_pstrcat(pool, CHOSEN " CROSS JOIN LATERAL (", records, ") d", filing,
                       " ORDER BY r.place", NULL);
}

/* Fills the page from the position, and reads its rows; *rows is NULL if there are none. A load may
 * have written chunks anew meanwhile, which stand elsewhere then: the page is filled once more. 0
 * with the response set if the database fails. */
static int read_page(search_t *search, int size, int *has_more, dsc_result_t **rows)
{
    const position_t start = search->position;
    int attempt;
    for (attempt = 1;; attempt++) {
        search->position = start;
        search->chosen->nelts = 0;
        *rows = NULL;
        if (!fill_page(search, size, has_more) ||
            (search->chosen->nelts &&
             !dsc_call_select_shape(search->call, &result_shape, page_from(search), "jsonb",
                                    chosen_text(search), rows))) {
            return 0;
        }
        if (*rows == NULL || dsc_result_rows(*rows) == search->chosen->nelts ||
            attempt == MOST_ATTEMPTS) {
            return 1;
        }
    }
}

static void write_results(search_t *search, dsc_result_t *rows, const char *cursor)
{
    dsc_call_t *call = search->call;
    const dsc_layout_t *layout = dsc_layout_create(call->pool, &result_shape);
    int column, first = 1;
    dsc_call_release(call);
    dsc_buffer_append_text(call->body, "{\"data\":[");
    while (rows && dsc_result_next(rows)) {
        if (!first) {
            dsc_buffer_append_char(call->body, ',');
        }
        first = column = 0;
        dsc_row_write(call->body, layout, rows, &column, 0);
    }
    dsc_buffer_append_text(call->body, "],\"pagination\":{\"next_cursor\":");
    dsc_json_text(call->body, cursor);
    dsc_buffer_append_text(call->body, cursor ? ",\"has_more\":true},\"query\":"
                                              : ",\"has_more\":false},\"query\":");
    dsc_json_text(call->body, dsc_call_value(call, "query")->text);
    dsc_buffer_append_char(call->body, '}');
    if (cursor) {
        apr_table_setn(call->headers, DSC_NEXT_CURSOR, cursor);
    }
}

/* The cursor behind the position that the page has come to. */
static const char *next_cursor(const search_t *search, const unsigned char *binding)
{
    dsc_call_t *call = search->call;
    dsc_cursor_t last = {1, position_text(call->pool, &search->position),
                         apr_psprintf(call->pool, "%" APR_INT64_T_FMT,
                                      (apr_int64_t)search->position.chunk),
                         0};
    dsc_reading_mark(call);
    last.position = call->reading.position;
    return dsc_cursor_encode(call->pool, call->service->cursor_key, binding, &last);
}

static void respond_search(dsc_call_t *call)
{
    search_t search = {.call = call,
                       .candidates = CANDIDATES " s",
                       .chosen = apr_array_make(call->pool, 50, sizeof(dsc_search_hit_t))};
    unsigned char binding[DSC_CURSOR_BINDING_SIZE];
    int size = (int)dsc_call_value(call, "limit")->integer, cap = call->caller->page_cap, has_more;
    const char *cursor;
    dsc_result_t *rows;

    bind_cursor(call, binding);
    if (!read_cursor(&search, binding)) {
        return;
    }
    dsc_search_query_read(call->pool, dsc_call_value(call, "query")->text, &search.query);
    if (!read_page(&search, cap > 0 && cap < size ? cap : size, &has_more, &rows)) {
        return;
    }
    cursor = has_more ? next_cursor(&search, binding) : NULL;
    write_results(&search, rows, cursor);
}

const dsc_endpoint_t dsc_endpoint_search = {
    POST("search", "/v1/search"),
    ABOUT("Search",
          "Searches for passages of filings, exhibits, transcripts and documents, the most "
          "relevant first."),
    HANDLER(respond_search, search_shape),
    .flags = DSC_SEARCHES,
    .rows = "data",
    PARAMETERS(
        BODY(STRING, "query",
             "Words that a passage must contain, \"phrases in quotes\", and -words that it must "
             "not contain.",
             BETWEEN(1, 1000), .flags = DSC_REQUIRED),
        BODY(SYMBOL, "symbols",
             "Only passages about the companies with these symbols or bare tickers.",
             .flags = DSC_REPEATABLE | DSC_OR_NULL),
        BODY(LITERAL, "source_kinds", "Only passages of these kinds of texts.",
             .flags = DSC_REPEATABLE | DSC_OR_NULL, .choices = kind_choices),
        BODY(
            STRING, "forms",
            "Only passages of filings, and their exhibits, with these form types, exactly as filed.",
            .flags = DSC_REPEATABLE | DSC_OR_NULL),
        BODY(DATE, "start_date", "Earliest day of publication, UTC, inclusive.",
             .flags = DSC_OR_NULL),
        BODY(DATE, "end_date", "Latest day of publication, UTC, inclusive.", .flags = DSC_OR_NULL),
        BODY(INTEGER, "event_id", "Only passages of texts that belong to this event.",
             .flags = DSC_OR_NULL),
        BODY(INTEGER, "limit",
             "Maximum number of rows in a page. The page cap of the plan applies as well.",
             BETWEEN(1, 500), .default_text = "50"),
        BODY(STRING, "cursor",
             "Position to continue from: the next_cursor of the previous page, verbatim.",
             .flags = DSC_EMPTY_IS_ABSENT | DSC_OR_NULL),
        BODY(DATETIME, "as_of", DSC_AS_OF_DESCRIPTION, .flags = DSC_OR_NULL)),
    .children = CHILDREN({"data", &result_source, &result_shape, "The passages."}),
};
