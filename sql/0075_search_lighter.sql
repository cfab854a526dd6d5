-- Search takes less processor time: fewer statements and plans with fewer nodes, words that are asked of the index only if that leaves out more
-- than it costs, and time in marks that reach no further back than needed.

SET LOCAL search_path = disclosed, public;

-- -------------------------------------------------------------- the index

-- What it was, as a function that is not inlined: each reading of the index checks its conditions by it, at least in its plan, and one that is
-- inlined is some eighty nodes to make ready for each statement. Its result is one expression, which PL/pgSQL evaluates without a statement.
CREATE OR REPLACE FUNCTION chunk_vector(issuer_id bigint, row_id bigint, source_kind text, form text, published_at timestamptz, heading text,
    body text)
RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN disclosed.search_words(body) || coalesce(disclosed.search_words(heading), '') || array_to_tsvector(
        ARRAY[E'\x01i' || issuer_id, E'\x01t' || row_id, E'\x01k' || source_kind, E'\x01f' || coalesce(form, ''),
              E'\x01w' || disclosed.search_week(published_at), E'\x01m' || (disclosed.search_week(published_at) >> 3),
              E'\x01y' || (disclosed.search_week(published_at) >> 6),
              E'\x01j' || issuer_id || '.' || (disclosed.search_week(published_at) >> 6)]
        || CASE WHEN heading IS NULL OR disclosed.search_words(heading) = '' THEN '{}'
                ELSE string_to_array(E'\x01h' || array_to_string(tsvector_to_array(disclosed.search_words(heading)), E'\x02\x01h'), E'\x02') END);
END $$;

-- ----------------------------------------------------------------- words

-- PostgreSQL's statistics have some two thousand words, and a word that they have not may be in one chunk or in three thousand of a million.
-- They are no longer made (sessions that keep the index's expression inlined look at it anew for this, too); as many rows as they were made of
-- are counted instead.
ALTER INDEX document_chunk_words ALTER COLUMN 1 SET STATISTICS 0;
COMMENT ON TABLE chunk_word IS 'the commonest words and marks of headings, and in which part of all chunks they are, as a sample says; the empty word stands for the rarest of those that ranking tells apart';

CREATE OR REPLACE FUNCTION count_chunk_words() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    most_rows  CONSTANT real := 60000;
    most_words CONSTANT integer := 20000;
    common     CONSTANT integer := 2000; -- words that ranking tells from each other by how many chunks have them; but none
    seldom     CONSTANT real := 32000;   -- that is less than one in so many
BEGIN
    IF (SELECT pg_relation_size(c.oid) / current_setting('block_size')::integer <= c.relpages * 1.5
        FROM pg_class c WHERE c.oid = 'disclosed.document_chunk'::regclass)
       AND EXISTS (SELECT 1 FROM disclosed.chunk_word) THEN
        RETURN;
    END IF;
    ANALYZE disclosed.document_chunk;
    DELETE FROM disclosed.chunk_word;
    WITH sample AS MATERIALIZED (
        SELECT tsvector_to_array(disclosed.chunk_vector(d.issuer_id, d.row_id, d.source_kind, d.form, d.published_at, d.heading, d.text)) AS words
        FROM disclosed.document_chunk d TABLESAMPLE BERNOULLI (
            (SELECT least(100, 100 * most_rows / greatest(c.reltuples, 1)) FROM pg_class c WHERE c.oid = 'disclosed.document_chunk'::regclass))),
    counted AS (
        SELECT w.word, count(*) AS rows
        FROM sample s CROSS JOIN unnest(s.words) AS w(word)
        WHERE left(w.word, 1) <> E'\x01' OR left(w.word, 2) = E'\x01h'
        GROUP BY w.word
        ORDER BY count(*) DESC, w.word
        LIMIT most_words)
    INSERT INTO disclosed.chunk_word
    SELECT word, rows / s.all_rows::real
    FROM (SELECT word, rows FROM counted
          UNION ALL
          SELECT '', min(c.rows)
          FROM (SELECT rows FROM counted ORDER BY rows DESC LIMIT common) c
          WHERE c.rows > (SELECT sum(cardinality(words)) FROM sample) / seldom) w
    CROSS JOIN (SELECT count(*) AS all_rows FROM sample) s
    WHERE w.rows > 0;
END $$;
DELETE FROM chunk_word;
SELECT count_chunk_words();

-- ------------------------------------------------------------- companies

-- The companies with texts that a text names: by ticker, in capitals or behind "$"; by name; or by the first word of a name that no more
-- than three of them have. `name` is what stands in the text, as plain words; `rank` is the less, the surer it is. Most texts name
-- none: that is seen by one look at each index.
CREATE OR REPLACE FUNCTION companies_named(body text) RETURNS TABLE (issuer_id bigint, name text, rank integer) LANGUAGE plpgsql STABLE AS $$
DECLARE
    word CONSTANT text[] := (string_to_array(disclosed.plain_words(body), ' '))[1:100];
    names text[] := '{}';
    i integer;
BEGIN
    IF body ~ '[$A-Z]' THEN
        RETURN QUERY
        SELECT DISTINCT l.issuer_id, lower(ltrim(w.word, '$')), 2
        FROM string_to_table(btrim(regexp_replace(body, '[^[:alnum:]$]+', ' ', 'g')), ' ') WITH ORDINALITY AS w(word, place)
        JOIN disclosed.listing l ON l.ticker = ltrim(w.word, '$') AND l.superseded_at IS NULL
        WHERE w.place <= 100 AND (w.word ~ '^[$][A-Z]' OR w.word ~ '^[A-Z]{2,6}$' AND (body ~ '[a-z]' OR body !~ ' ')) AND disclosed.has_chunks(l.issuer_id);
    END IF;
    IF cardinality(word) > 0 AND EXISTS (SELECT 1 FROM disclosed.issuer i WHERE split_part(disclosed.name_core(i.name), ' ', 1) = ANY (word)) THEN
        RETURN QUERY
        SELECT DISTINCT i.issuer_id, n.name, 6 - n.words
        FROM disclosed.name_candidates(body) n
        JOIN disclosed.issuer i ON disclosed.name_core(i.name) = n.name
        WHERE length(n.name) > 2 AND disclosed.has_chunks(i.issuer_id)
        UNION
        SELECT f.issuer_id, f.name, 10
        FROM (SELECT i.issuer_id, n.name, count(*) OVER (PARTITION BY n.name) AS companies
              FROM disclosed.name_candidates(body) n
              JOIN disclosed.issuer i ON split_part(disclosed.name_core(i.name), ' ', 1) = n.name
              WHERE n.words = 1 AND length(n.name) > 3 AND n.name !~ '^[0-9]' AND disclosed.has_chunks(i.issuer_id)) f
        WHERE f.companies <= 3;
    END IF;
END $$;

-- ------------------------------------------------------------- candidates

-- Both; NULL stands for what all chunks meet.
CREATE OR REPLACE FUNCTION search_both(one tsquery, other tsquery) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce(one && other, one, other);
END $$;

-- All these marks of a kind, as a query.
CREATE OR REPLACE FUNCTION search_each(kind text, marks text[]) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    mark text;
    listed text;
BEGIN
    FOREACH mark IN ARRAY marks LOOP
        listed := concat_ws('&', listed, quote_literal(E'\x01' || kind || mark));
    END LOOP;
    RETURN listed::tsquery;
END $$;

-- Any of the marks of a kind from the first to the last.
CREATE FUNCTION search_marks(kind text, first integer, last integer) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    listed text;
BEGIN
    FOR i IN first .. last LOOP
        listed := concat_ws('|', listed, '''' || E'\x01' || kind || i || '''');
    END LOOP;
    RETURN listed;
END $$;

-- The newest weeks that are worth a look. An index is read as far as the entries of its rarest word or mark go, and each match is read from the
-- table, so both are bounded: to some `target` matches, and to `cap` entries. `chunks` is how many chunks there are, `asked` how many
-- of these companies (NULL: all), `share` in which part of them all words are, and `rarest` in which the rarest of them, about.
-- Where all weeks can be looked at, `marks` are those of the companies; else those of the weeks as well, and `first_week` is the first
-- of them where there are weeks before it; `reached` is the part of all chunks that is in them. A few marks of many weeks are better than
-- many of one; of weeks that begin within a mark, smaller ones.
DROP FUNCTION search_span;
CREATE FUNCTION search_span(issuers bigint[], chunks double precision, asked double precision, share double precision, rarest double precision,
    target double precision, cap double precision, since timestamptz, until timestamptz,
    OUT marks tsquery, OUT first_week integer, OUT reached double precision)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    most_issuers CONSTANT integer := 8;
    entries CONSTANT double precision := least(rarest * chunks, asked);
    matches CONSTANT double precision := greatest(1, share * asked);
    since_week CONSTANT integer := coalesce(disclosed.search_week(since), -1000000);
    until_week CONSTANT integer := coalesce(disclosed.search_week(until - interval '1 microsecond'), 1000000); -- nothing of `until` itself
    needed double precision;
    one record;
    newest integer;
    oldest integer;
    size integer;
    first_full integer; -- 64 weeks
    last_full integer;
    has_few_issuers boolean;
    listed text;
    issuer bigint;
BEGIN
    reached := 1;
    IF entries <= cap AND matches <= 2.5 * target THEN -- marks cost more to read than so many rows
        marks := disclosed.search_any('i', issuers::text[]);
        RETURN;
    END IF;
    needed := chunks * least(target / matches, CASE WHEN entries > cap THEN cap / asked END);
    reached := 0;
    -- "+ 0": in the order of the index, of which only the newest weeks are read
    FOR one IN SELECT k.week, k.chunks FROM disclosed.chunk_week k
               WHERE k.chunks > 0 AND k.week + 0 >= since_week AND k.week + 0 <= until_week ORDER BY k.week DESC LOOP
        newest := coalesce(newest, one.week);
        oldest := one.week;
        reached := reached + one.chunks;
        EXIT WHEN reached >= 0.8 * needed; -- a week may have many
    END LOOP;
    IF newest IS NULL THEN
        marks := E'''\x01none''';
        RETURN;
    END IF;
    reached := reached / greatest(chunks, 1);
    has_few_issuers := cardinality(issuers) BETWEEN 1 AND most_issuers;
    size := CASE WHEN newest - oldest < 12 THEN 0 WHEN has_few_issuers THEN 6 ELSE 3 END;
    -- the nearest that has most of them
    oldest := CASE WHEN newest - (oldest + (1 << size) - 1 >> size << size) >= 0.6 * (newest - oldest) THEN oldest + (1 << size) - 1 ELSE oldest END >> size << size;
    IF EXISTS (SELECT 1 FROM disclosed.chunk_week k WHERE k.chunks > 0 AND k.week >= since_week AND k.week < oldest) THEN
        first_week := oldest;
    END IF;
    IF size = 0 THEN
        listed := disclosed.search_marks('w', oldest, newest);
    ELSIF size = 3 THEN
        first_full := oldest + 63 >> 6;
        last_full := CASE WHEN until IS NULL THEN newest >> 6 ELSE (newest + 1 >> 6) - 1 END;
        listed := CASE WHEN first_full > last_full THEN disclosed.search_marks('m', oldest >> 3, newest >> 3)
                       ELSE concat_ws('|', disclosed.search_marks('m', oldest >> 3, (first_full << 3) - 1),
                                      disclosed.search_marks('y', first_full, last_full),
                                      disclosed.search_marks('m', last_full + 1 << 3, newest >> 3)) END;
    END IF;
    marks := listed::tsquery;
    IF has_few_issuers THEN
        listed := NULL;
        FOREACH issuer IN ARRAY issuers LOOP
            listed := concat_ws('|', listed, disclosed.search_marks('j' || issuer || '.', oldest >> 6, newest >> 6));
        END LOOP;
        marks := disclosed.search_both(listed::tsquery, marks);
    ELSE
        marks := disclosed.search_both(marks, disclosed.search_any('i', issuers::text[]));
    END IF;
END $$;

-- Whether all of these stand in the text or the heading, as they are; they are in small letters.
CREATE FUNCTION says_all(said text[], body text, heading text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    in_body CONSTANT text := lower(body COLLATE "C");
    one text;
BEGIN
    FOREACH one IN ARRAY said LOOP
        IF strpos(in_body, one) = 0 AND strpos(lower(coalesce(heading, '') COLLATE "C"), one) = 0 THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END $$;

-- The newest chunks that match, at most `most`. `phrases` stand in the text or the heading as they are, in small letters; none of `unwanted` does.
CREATE OR REPLACE FUNCTION search_newest(as_kind text, words tsquery, phrases text[], unwanted tsquery, since timestamptz, until timestamptz,
    instant timestamptz, last_chunk bigint, before timestamptz, before_chunk bigint, most integer) RETURNS SETOF search_candidate
LANGUAGE plpgsql STABLE ROWS 300 AS $$
BEGIN
    IF instant IS NULL THEN
        RETURN QUERY
        SELECT as_kind, c.chunk_id, c.issuer_id, c.published_at, c.heading, c.text, c.ctid
        FROM disclosed.document_chunk c
        WHERE disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ words
          AND c.chunk_id <= last_chunk AND c.is_current
          AND (since IS NULL OR c.published_at >= since) AND (until IS NULL OR c.published_at < until)
          AND (before IS NULL OR (c.published_at, c.chunk_id) < (before, before_chunk))
          AND (phrases = '{}' OR disclosed.says_all(phrases, c.text, c.heading))
          AND (unwanted IS NULL OR NOT disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ unwanted)
        ORDER BY c.published_at DESC, c.chunk_id DESC
        LIMIT most;
        RETURN;
    END IF;
    RETURN QUERY
    SELECT as_kind, c.chunk_id, c.issuer_id, c.published_at, c.heading, c.text, c.ctid
    FROM disclosed.document_chunk c
    WHERE disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ words
      AND c.chunk_id <= last_chunk
      AND (since IS NULL OR c.published_at >= since) AND (until IS NULL OR c.published_at < until)
      AND (before IS NULL OR (c.published_at, c.chunk_id) < (before, before_chunk))
      AND CASE WHEN instant IS NOT NULL -- no join: few are looked up
               THEN EXISTS (SELECT 1 FROM disclosed.chunked_text t
                            WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id AND t.known_at <= instant
                              AND (t.superseded_at IS NULL OR t.superseded_at > instant)) END
      AND (phrases = '{}' OR disclosed.says_all(phrases, c.text, c.heading))
      AND (unwanted IS NULL OR NOT disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ unwanted)
    ORDER BY c.published_at DESC, c.chunk_id DESC
    LIMIT most;
END $$;

-- How many of the words the index is asked for, the rarest first. `shares` are the parts of all chunks that have each, the least first;
-- `chunks` are those of the companies that are asked for. For each word as much of the index is read as there are chunks that have it, so
-- that the costly ones are asked for only until few chunks match, the more the costlier, and common ones only where there is no other: all
-- that match are read and ranked then, and the ranking sees which of them have the other words. Where many of all chunks have all words, none is
-- asked for.
CREATE OR REPLACE FUNCTION search_asked(shares double precision[], all_chunks double precision, chunks double precision) RETURNS integer
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    costly CONSTANT double precision := 20000 / greatest(all_chunks, 1);
    common CONSTANT double precision := 0.25;
    said_by_most CONSTANT double precision := 0.4;
    few    CONSTANT double precision := 100;
    entries_of_row CONSTANT double precision := 1000; -- that are read while one row is read and ranked
    words  CONSTANT integer := least(coalesce(cardinality(shares), 0), 16);
BEGIN
    IF shares[1] > costly AND disclosed.search_share(shares) >= said_by_most THEN
        RETURN 0;
    END IF;
    FOR i IN 2 .. words LOOP
        IF shares[i] > costly AND (shares[i] >= common
           OR disclosed.search_share(shares[:i - 1]) * chunks <= greatest(few, shares[i] * all_chunks / entries_of_row)) THEN
            RETURN i - 1;
        END IF;
    END LOOP;
    RETURN words;
END $$;

-- What a search should rank. Members of `search`: `words` that a chunk must have, `phrases` that must stand in it as they are, `excluded`
-- what it must not have; `last_chunk` keeps out what came after the first page, absent: nothing; `before` (microseconds since 1970) and
-- `before_chunk` are where the window before ended.
--
-- One row is about the search: its body is JSON, its chunk_id what to give as `last_chunk` from now on, its published_at where the weeks that
-- were looked at begin; null: all were. The others are
--   window   the newest that match, `window_size` of the JSON at most, of these weeks; the last of so many is where a next window begins
--   named    of companies that the words name         heading  with the words in the heading
--   typed    with the words as they were typed        rarest   with most of the words, or the rarest, where few have all
CREATE OR REPLACE FUNCTION search_candidates(search jsonb, issuers bigint[], kinds text[], forms text[], since timestamptz, until timestamptz,
    event bigint, instant timestamptz)
RETURNS SETOF search_candidate LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off SET max_parallel_workers_per_gather = 0 SET work_mem = '16MB' SET pg_trgm.word_similarity_threshold = 0.45 AS $$
DECLARE
    words   CONSTANT text[] := ARRAY(SELECT jsonb_array_elements_text(search -> 'words'));
    phrases CONSTANT text[] := ARRAY(SELECT jsonb_array_elements_text(search -> 'phrases'));
    excluded CONSTANT text[] := ARRAY(SELECT jsonb_array_elements_text(search -> 'excluded'));
    before  CONSTANT timestamptz := 'epoch'::timestamptz + (search ->> 'before')::bigint * interval '1 microsecond';
    before_chunk CONSTANT bigint := search ->> 'before_chunk';
    last_chunk CONSTANT bigint := coalesce((search ->> 'last_chunk')::bigint, (SELECT s.last_value FROM disclosed.chunk_id s));
    window_size CONSTANT integer := 150;
    target      CONSTANT integer := 180;  -- matches that are read for it
    beside      CONSTANT integer := 100;  -- for each kind of the others
    cap         CONSTANT integer := 4000; -- entries of the index that are read for the window, and about half as many for all the others
    costly      CONSTANT integer := 20000; -- entries of a word
    enough      CONSTANT integer := 30;
    most_of_phrases CONSTANT integer := 4;
    most_excluded   CONSTANT integer := 4;
    term record;
    terms tsquery[] := '{}';            -- of the words that are indexed, the rarest first
    shares double precision[] := '{}';  -- of chunks that have them
    plain text[] := '{}';
    lexemes json[] := '{}';
    unknown text[] := '{}';             -- words that no chunk has
    headed tsquery;                     -- all the words in the heading
    heading_shares double precision[] := '{}';
    asked integer;                      -- words that the index is asked for
    tried integer;
    is_known boolean;
    named bigint[];
    names text[];
    filters tsquery;                    -- what holds beside the words, companies and weeks
    required tsquery;
    query tsquery;
    unwanted tsquery;                   -- what else is excluded
    matches double precision;           -- chunks that have all words, about
    share double precision;
    span record;                        -- weeks of the window
    further record;                     -- of others
    rare double precision;              -- the share of a word that is not among the commonest
    least_common double precision;      -- of one that the ranking tells from the rarer ones
    about json;
    all_chunks double precision;        -- that there are, and of the companies that are asked for
    chunks double precision;
    found bigint;
    more bigint;
    one bigint;
    rest tsquery[];
    rest_shares double precision[];
    i integer;
BEGIN
    until := least(until, instant + interval '14 days'); -- no text is published later than that after it is known
    issuers := CASE WHEN issuers = '{}' THEN '{0}' ELSE issuers END;
    SELECT coalesce((SELECT w.share FROM disclosed.chunk_word w ORDER BY w.share LIMIT 1), 0.02) / 2,
           coalesce((SELECT w.share FROM disclosed.chunk_word w WHERE w.word = ''), 0.02),
           coalesce((SELECT sum(s.record_count) FROM disclosed.dataset_stat s WHERE s.dataset = 'document_chunk'), 0)
    INTO rare, least_common, all_chunks;
    chunks := CASE WHEN issuers IS NULL THEN all_chunks ELSE disclosed.chunks_of(issuers) END;

    FOR term IN
        SELECT w.place, w.word, v.lexemes, plainto_tsquery('disclosed.disclosure', translate(w.word, '/<>@_=\:', '        ')) AS query,
               (SELECT min(coalesce(k.share, rare)) FROM unnest(v.lexemes) x LEFT JOIN disclosed.chunk_word k ON k.word = x) AS share,
               (SELECT min(coalesce(k.share, rare)) FROM unnest(v.lexemes) x LEFT JOIN disclosed.chunk_word k ON k.word = E'\x01h' || x) AS heading_share
        FROM unnest(words) WITH ORDINALITY AS w(word, place)
        CROSS JOIN LATERAL (SELECT tsvector_to_array(disclosed.search_words(w.word)) AS lexemes) v
        WHERE cardinality(v.lexemes) > 0
        ORDER BY 5, 1
    LOOP
        is_known := true;
        -- A word that no chunk has is left out, and may be a company's name with a typing error.
        IF term.share = rare AND NOT term.query = ANY (terms) AND cardinality(unknown) < 5 AND NOT EXISTS (
            SELECT 1 FROM disclosed.document_chunk c
            WHERE disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ term.query) THEN
            unknown := unknown || disclosed.plain_words(term.word);
            is_known := false;
        END IF;
        lexemes := lexemes || json_build_object('place', term.place, 'lexemes', to_json(term.lexemes), 'share', CASE WHEN term.share < least_common THEN least_common / 2 ELSE term.share END, 'known', is_known);
        CONTINUE WHEN NOT is_known OR term.query = ANY (terms);
        terms := terms || term.query;
        shares := shares || term.share;
        plain := plain || disclosed.plain_words(term.word);
        headed := disclosed.search_both(headed, disclosed.search_each('h', term.lexemes));
        heading_shares := heading_shares || term.heading_share;
    END LOOP;

    filters := disclosed.search_both(disclosed.search_any('k', kinds), disclosed.search_any('f', forms));
    IF event IS NOT NULL THEN
        filters := disclosed.search_both(filters, coalesce(disclosed.search_any('t', ARRAY(SELECT disclosed.texts_of_event(event)::text)), E'''\x01none'''));
    END IF;
    -- Phrases are looked for in the texts: the index is asked for their rarest words, so that these are few.
    IF phrases <> '{}' THEN
        filters := disclosed.search_both(filters, (
            SELECT string_agg(quote_literal(p.word), '&')::tsquery
            FROM (SELECT DISTINCT x.word, coalesce(k.share, rare) AS share
                  FROM unnest(phrases) f CROSS JOIN LATERAL unnest(tsvector_to_array(disclosed.search_words(f))) AS x(word)
                  LEFT JOIN disclosed.chunk_word k ON k.word = x.word
                  ORDER BY 2, 1 LIMIT most_of_phrases) p));
    END IF;
    -- Of what is excluded the index is asked for what most have, the rest is looked for in the texts.
    IF excluded <> '{}' THEN
        FOR term IN SELECT q.query, row_number() OVER (ORDER BY q.share DESC) AS place
                    FROM (SELECT plainto_tsquery('disclosed.disclosure', translate(e, '/<>@_=\:', '        ')) AS query,
                                 (SELECT min(coalesce(k.share, rare)) FROM unnest(tsvector_to_array(disclosed.search_words(e))) x
                                  LEFT JOIN disclosed.chunk_word k ON k.word = x) AS share
                          FROM (SELECT DISTINCT unnest(excluded)) AS d(e) WHERE disclosed.search_words(e) <> '') q LOOP
            IF term.place > most_excluded THEN
                unwanted := coalesce(unwanted || term.query, term.query);
            ELSE
                filters := coalesce(filters && !!term.query, !!term.query);
            END IF;
        END LOOP;
    END IF;

    IF issuers IS NULL AND cardinality(words) > 0 THEN
        SELECT array_agg(DISTINCT c.issuer_id), array_agg(DISTINCT w) INTO named, names
        FROM (SELECT * FROM disclosed.companies_named(array_to_string(words, ' '))
              UNION ALL SELECT * FROM disclosed.companies_alike(unknown)
              ORDER BY rank, issuer_id LIMIT 3) c CROSS JOIN string_to_table(c.name, ' ') w;
    END IF;
    about := json_build_object('terms', to_json(lexemes), 'named', to_json(coalesce(named, '{}')), 'names', to_json(coalesce(names, '{}')),
                               'window_size', window_size, 'enough', enough);
    IF cardinality(terms) = 0 AND named IS NULL THEN
        RETURN NEXT ROW('search', last_chunk, NULL, NULL, NULL, about::text, NULL)::disclosed.search_candidate;
        RETURN;
    END IF;
    IF cardinality(terms) = 0 THEN -- names alone
        issuers := named;
        chunks := disclosed.chunks_of(named);
    END IF;
    asked := disclosed.search_asked(shares, all_chunks, chunks);
    matches := CASE WHEN asked < cardinality(terms) THEN disclosed.search_share(shares) * chunks ELSE enough END;
    required := disclosed.search_all(filters, terms[:asked]);

    span := disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(shares[:asked]), CASE WHEN asked = 0 THEN 1 ELSE shares[1] END, target, cap, since,
                                  least(until, before));
    RETURN QUERY SELECT * FROM disclosed.search_newest('window', disclosed.search_both(required, span.marks), phrases, unwanted, since, until,
                                                       instant, last_chunk, before, before_chunk, window_size);
    GET DIAGNOSTICS found = ROW_COUNT;
    RETURN NEXT ROW('search', last_chunk, NULL, 'epoch'::timestamptz + span.first_week * interval '7 days', NULL, about::text, NULL
                   )::disclosed.search_candidate;
    IF cardinality(words) > 1 AND span.first_week IS NULL AND (found = window_size OR before IS NOT NULL) THEN -- not too many
        RETURN QUERY SELECT * FROM disclosed.search_newest('typed', disclosed.search_both(required, disclosed.search_any('i', issuers::text[])),
                                                           phrases || lower(array_to_string(words, ' ') COLLATE "C"), unwanted,
                                                           since, until, instant, last_chunk, NULL, NULL, beside);
    END IF;
    IF named IS NOT NULL AND cardinality(terms) > 0 THEN
        more := 0;
        -- the other words, the rarest first; fewer of them until there is enough
        SELECT coalesce(array_agg(t), '{}'), coalesce(array_agg(s), '{}') INTO rest, rest_shares
        FROM unnest(terms, plain, shares) AS x(t, p, s) WHERE NOT string_to_array(p, ' ') <@ names;
        tried := NULL;
        FOR i IN REVERSE cardinality(rest) .. least(cardinality(rest), 1) LOOP
            CONTINUE WHEN i > 4 AND i < cardinality(rest); -- of a long query four
            one := greatest(least(i, 1), disclosed.search_asked(rest_shares[:i], all_chunks, disclosed.chunks_of(named)));
            CONTINUE WHEN one = tried;
            tried := one;
            further := disclosed.search_span(named, all_chunks, disclosed.chunks_of(named), disclosed.search_share(rest_shares[:tried]),
                                             coalesce(rest_shares[1], 1), beside, cap / 4, since, until);
            RETURN QUERY SELECT * FROM disclosed.search_newest('named', disclosed.search_all(disclosed.search_both(filters, further.marks), rest[:tried]),
                                                               phrases, unwanted, since, until, instant, last_chunk, NULL, NULL, beside);
            GET DIAGNOSTICS one = ROW_COUNT;
            more := more + one;
            EXIT WHEN more >= enough;
        END LOOP;
    END IF;
    IF headed IS NOT NULL THEN
        IF cardinality(heading_shares) > 1 THEN
            heading_shares := ARRAY(SELECT s FROM unnest(heading_shares) s ORDER BY s);
        END IF;
        further := disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(heading_shares), heading_shares[1], beside, cap / 2, since, until);
        RETURN QUERY SELECT * FROM disclosed.search_newest('heading', disclosed.search_both(disclosed.search_both(filters, further.marks), headed), phrases,
                                                           unwanted, since, until, instant, last_chunk, NULL, NULL, beside);
    END IF;
    IF before IS NULL AND span.first_week IS NULL THEN -- else there are further windows
        more := found;
        tried := asked;
        IF cardinality(terms) BETWEEN 3 AND 6 AND (found < enough OR matches < enough) THEN
            -- One of the words left out: of those that the window was asked for, in two readings, with the rarest and without it. Where few have
            -- the rarest, all of these are ranked; where the others are costly, they say little.
            IF asked > 1 THEN
                tried := asked - 1;
                query := NULL;
                share := 0;
                FOR i IN 2 .. asked LOOP
                    rest := terms[2:i - 1] || terms[i + 1:asked];
                    share := share + disclosed.search_share(shares[:i - 1] || shares[i + 1:asked]);
                    EXIT WHEN rest = '{}' OR shares[1] * chunks <= beside;
                    query := coalesce(query || disclosed.search_all(NULL, rest), disclosed.search_all(NULL, rest));
                END LOOP;
                further := disclosed.search_span(issuers, all_chunks, chunks, CASE WHEN query IS NULL THEN shares[1] ELSE share END, shares[1], beside, cap / 4,
                                                 since, until);
                RETURN QUERY SELECT * FROM disclosed.search_newest(
                    'rarest', disclosed.search_both(disclosed.search_both(filters, further.marks), disclosed.search_both(terms[1], query)),
                    phrases, unwanted, since, until, instant, last_chunk, NULL, NULL, beside);
                GET DIAGNOSTICS one = ROW_COUNT;
                more := more + one;
            END IF;
            IF shares[2] * all_chunks <= costly THEN
                rest := terms[2:];
                rest_shares := shares[2:];
                one := disclosed.search_asked(rest_shares, all_chunks, chunks);
                further := disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(rest_shares[:one]), rest_shares[1], 100, cap / 4, since, until);
                RETURN QUERY SELECT * FROM disclosed.search_newest('rarest', disclosed.search_all(disclosed.search_both(filters, further.marks), rest[:one]),
                                                                   phrases, unwanted, since, until, instant, last_chunk, NULL, NULL, 100);
                GET DIAGNOSTICS one = ROW_COUNT;
                more := more + one;
            END IF;
        END IF;
        -- the rarest of them
        FOR i IN REVERSE least(tried - 1, 8) .. greatest(1, least((cardinality(terms) + 1) / 2, 4)) LOOP
            EXIT WHEN more >= enough;
            further := disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(shares[:i]), shares[1], beside, cap / 4, since, until);
            RETURN QUERY SELECT * FROM disclosed.search_newest('rarest', disclosed.search_all(disclosed.search_both(filters, further.marks), terms[:i]),
                                                               phrases, unwanted, since, until, instant, last_chunk, NULL, NULL, beside);
            GET DIAGNOSTICS one = ROW_COUNT;
            more := more + one;
        END LOOP;
    END IF;
END $$;
