-- Search reads less: time in marks of three sizes, and of a company in one; what is looked at is bounded for each kind of candidates.

SET LOCAL search_path = disclosed, public;

-- -------------------------------------------------------------- the index

-- Marks of time: a week (w), eight of them (m), 64 of them (y), and 64 of a company (j). Shifts round down, before 1970 as well.
CREATE OR REPLACE FUNCTION chunk_vector(issuer_id bigint, row_id bigint, source_kind text, form text, published_at timestamptz, heading text,
    body text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT disclosed.search_words(body) || coalesce(disclosed.search_words(heading), '') || array_to_tsvector(
        ARRAY[E'\x01i' || issuer_id, E'\x01t' || row_id, E'\x01k' || source_kind, E'\x01f' || coalesce(form, ''),
              E'\x01w' || disclosed.search_week(published_at), E'\x01m' || (disclosed.search_week(published_at) >> 3),
              E'\x01y' || (disclosed.search_week(published_at) >> 6),
              E'\x01j' || issuer_id || '.' || (disclosed.search_week(published_at) >> 6)]
        || coalesce((SELECT array_agg(E'\x01h' || w.lexeme) FROM unnest(disclosed.search_words(heading)) w), '{}'))
$$;

-- Rows are found by their place in the table, which candidates come with; an index of numbers would be larger than the marks.
DROP INDEX document_chunk_id;
DROP INDEX document_chunk_words;
CREATE INDEX document_chunk_words ON document_chunk
    USING gin (chunk_vector(issuer_id, row_id, source_kind, form, published_at, heading, text));
ALTER INDEX document_chunk_words ALTER COLUMN 1 SET STATISTICS 200;

COMMENT ON TABLE document_chunk IS 'chunks are found by the index of their words and marks; it has no other index, so that it stays small';
COMMENT ON TABLE chunk_word IS 'the commonest words and marks of headings, and in which part of all chunks they are, as PostgreSQL''s statistics say';
CREATE INDEX chunk_word_share ON chunk_word (share);

CREATE OR REPLACE FUNCTION count_chunk_words() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (SELECT pg_relation_size(c.oid) / current_setting('block_size')::integer <= c.relpages * 1.5
        FROM pg_class c WHERE c.oid = 'disclosed.document_chunk'::regclass)
       AND EXISTS (SELECT 1 FROM disclosed.chunk_word) THEN
        RETURN;
    END IF;
    ANALYZE disclosed.document_chunk;
    DELETE FROM disclosed.chunk_word;
    INSERT INTO disclosed.chunk_word
    SELECT w.word, max(w.share)
    FROM pg_stats s, unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) AS w(word, share)
    WHERE s.schemaname = 'disclosed' AND s.tablename = 'document_chunk_words' AND w.word !~ E'^\x01[^h]' AND w.word <> ''
    GROUP BY 1;
END $$;
DELETE FROM chunk_word;
SELECT count_chunk_words();

-- --------------------------------------------------- plans that are kept
-- Functions in SQL that cannot be inlined are parsed and planned anew by each statement; those in PL/pgSQL once in a session.

CREATE OR REPLACE FUNCTION search_any(kind text, marks text[]) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    mark text;
    listed text;
BEGIN
    FOREACH mark IN ARRAY marks LOOP
        listed := concat_ws('|', listed, '''' || E'\x01' || kind || replace(replace(mark, '\', '\\'), '''', '''''') || '''');
    END LOOP;
    RETURN listed::tsquery;
END $$;

CREATE OR REPLACE FUNCTION name_candidates(body text) RETURNS TABLE (name text, words integer) LANGUAGE plpgsql IMMUTABLE STRICT ROWS 20 AS $$
DECLARE
    word CONSTANT text[] := (string_to_array(disclosed.plain_words(body), ' '))[1:100];
BEGIN
    RETURN QUERY SELECT DISTINCT array_to_string(word[f:f + n - 1], ' '), n
                 FROM generate_series(1, cardinality(word)) f CROSS JOIN generate_series(1, 5) n WHERE f + n - 1 <= cardinality(word);
END $$;

CREATE OR REPLACE FUNCTION has_chunks(of_issuer bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM disclosed.dataset_issuer_stat s
                   WHERE s.issuer_id = of_issuer AND s.dataset = 'document_chunk' AND s.record_count > 0);
END $$;

CREATE OR REPLACE FUNCTION passage_provenance(origin text_origin, cik bigint) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT json_build_object(
        'src_id', 'src_' || origin.dataset || '_' || replace(origin.src_digest::text, '-', ''), 'source_provider', s.provider,
        'source_url', a.url, 'accession', origin.accession, 'quote', origin.quote,
        'content_hash', disclosed.content_hash_text(s.content_hash), 'citation_url', a.url,
        'extracted_at', rtrim(rtrim(to_char(coalesce(s.extracted_at, origin.recorded_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z')
    FROM disclosed.source s
    CROSS JOIN LATERAL (SELECT CASE WHEN s.by_filing THEN disclosed.filing_address(s.url, cik, origin.accession, origin.document) ELSE s.url END AS url) a
    WHERE s.source_id = origin.source_id);
END $$;

CREATE OR REPLACE FUNCTION event_then(record bigint, event bigint, instant timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN CASE WHEN instant IS NULL THEN event ELSE (
        SELECT e.id FROM disclosed.event e
        WHERE e.id = coalesce((SELECT coalesce(was.event_id, 0) FROM disclosed.former_event was
                               WHERE was.record_id = record AND was.known_at <= instant
                                 AND (was.superseded_at IS NULL OR was.superseded_at > instant)), event)
          AND e.known_at <= instant AND (e.superseded_at IS NULL OR e.superseded_at > instant)
        LIMIT 1) END;
END $$;

-- ------------------------------------------------------------- candidates

DROP FUNCTION search_weeks;

-- The newest weeks that are worth a look. An index is read as far as the entries of its rarest word or mark go, and each match is read from the
-- table, so both are bounded: to some `target` matches, and to `cap` entries. `chunks` is how many chunks there are, `asked` how many
-- of these companies (NULL: all), `share` in which part of them all words are, and `rarest` in which the rarest of them, about.
-- Where all weeks can be looked at, `marks` are those of the companies; else those of the weeks as well, and `first_week` is the first
-- of them where there are weeks before it. A few marks of many weeks are better than many of one.
CREATE FUNCTION search_span(issuers bigint[], chunks double precision, asked double precision, share double precision, rarest double precision,
    target double precision, cap double precision, since timestamptz, until timestamptz, OUT marks tsquery, OUT first_week integer)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    most_issuers CONSTANT integer := 8;
    entries CONSTANT double precision := least(rarest * chunks, asked);
    matches CONSTANT double precision := greatest(1, share * asked);
    since_week CONSTANT integer := coalesce(disclosed.search_week(since), -1000000);
    needed double precision;
    reached double precision := 0;
    one record;
    newest integer;
    oldest integer;
    size integer;
BEGIN
    IF entries <= cap AND matches <= 1.6 * target THEN
        marks := disclosed.search_any('i', issuers::text[]);
        RETURN;
    END IF;
    needed := chunks * least(target / matches, CASE WHEN entries > cap THEN cap / asked END);
    FOR one IN SELECT k.week, k.chunks FROM disclosed.chunk_week k
               WHERE k.chunks > 0 AND k.week BETWEEN since_week AND coalesce(disclosed.search_week(until), 1000000) ORDER BY k.week DESC LOOP
        newest := coalesce(newest, one.week);
        oldest := one.week;
        reached := reached + one.chunks;
        EXIT WHEN reached >= needed;
    END LOOP;
    IF newest IS NULL THEN
        marks := E'''\x01none''';
        RETURN;
    END IF;
    size := CASE WHEN newest - oldest < 12 THEN 0 WHEN newest - oldest < 96 THEN 3 ELSE 6 END;
    oldest := oldest >> size << size;
    IF EXISTS (SELECT 1 FROM disclosed.chunk_week k WHERE k.chunks > 0 AND k.week >= since_week AND k.week < oldest) THEN
        first_week := oldest;
    END IF;
    IF cardinality(issuers) > 0 AND cardinality(issuers) <= most_issuers THEN
        marks := disclosed.search_any('j', ARRAY(SELECT i || '.' || b FROM unnest(issuers) i, generate_series(oldest >> 6, newest >> 6) b));
    ELSE
        marks := disclosed.search_any('i', issuers::text[]);
    END IF;
    IF size < 6 OR marks IS NULL OR cardinality(issuers) > most_issuers THEN
        marks := disclosed.search_both(marks, disclosed.search_any((ARRAY['w', 'm', 'y'])[size / 3 + 1],
                                                                   ARRAY(SELECT b::text FROM generate_series(oldest >> size, newest >> size) b)));
    END IF;
END $$;

-- Chunks that companies have.
CREATE FUNCTION chunks_of(issuers bigint[]) RETURNS double precision LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT coalesce(sum(s.record_count), 0) FROM disclosed.dataset_issuer_stat s
            WHERE s.dataset = 'document_chunk' AND s.issuer_id = ANY (issuers));
END $$;

-- All these marks of a kind, as a query.
CREATE FUNCTION search_each(kind text, marks text[]) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT string_agg(quote_literal(E'\x01' || kind || x), '&') FROM unnest(marks) x)::tsquery;
END $$;

ALTER TYPE search_candidate ADD ATTRIBUTE place tid;

-- The newest chunks that match, at most `most`. `phrases` stand in the text or the heading as they are, in small letters.
CREATE OR REPLACE FUNCTION search_newest(as_kind text, words tsquery, phrases text[], since timestamptz, until timestamptz, instant timestamptz,
    last_chunk bigint, before timestamptz, before_chunk bigint, most integer) RETURNS SETOF search_candidate
LANGUAGE plpgsql STABLE ROWS 300 AS $$
BEGIN
    RETURN QUERY
    SELECT as_kind, c.chunk_id, c.issuer_id, c.published_at, c.heading, c.text, c.ctid
    FROM disclosed.document_chunk c
    WHERE disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ words
      AND c.chunk_id <= last_chunk
      AND (since IS NULL OR c.published_at >= since) AND (until IS NULL OR c.published_at < until)
      AND (before IS NULL OR (c.published_at, c.chunk_id) < (before, before_chunk))
      AND CASE WHEN instant IS NULL THEN c.is_current
               ELSE EXISTS (SELECT 1 FROM disclosed.chunked_text t
                            WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id AND t.known_at <= instant
                              AND (t.superseded_at IS NULL OR t.superseded_at > instant)) END
      AND (phrases = '{}' OR NOT EXISTS (SELECT 1 FROM unnest(phrases) p
                                         WHERE strpos(lower(c.text COLLATE "C"), p) = 0 AND strpos(lower(coalesce(c.heading, '') COLLATE "C"), p) = 0))
    ORDER BY c.published_at DESC, c.chunk_id DESC
    LIMIT most;
END $$;

-- What a search should rank. Members of `search`: `words` that a chunk must have, `phrases` that must stand in it as they are, `excluded`
-- what it must not have; `last_chunk` keeps out what came after the first page, absent: nothing; `before` (microseconds since 1970) and
-- `before_chunk` are where the window before ended.
--
-- One row is about the search: its body is JSON, its chunk_id what to give as `last_chunk` from now on, its published_at where the weeks that
-- were looked at begin; null: all were. The others are
--   window   the newest that match, `window_size` of the JSON at most, of these weeks; the last of so many is where a next window begins
--   named    of companies that the words name         heading  with the words in the heading
--   typed    with the words as they were typed        rarest   with the rarest of the words, where few have all
CREATE OR REPLACE FUNCTION search_candidates(search jsonb, issuers bigint[], kinds text[], forms text[], since timestamptz, until timestamptz,
    event bigint, instant timestamptz)
RETURNS SETOF search_candidate LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off SET work_mem = '16MB' SET pg_trgm.word_similarity_threshold = 0.45 AS $$
DECLARE
    words   CONSTANT text[] := ARRAY(SELECT jsonb_array_elements_text(search -> 'words'));
    phrases CONSTANT text[] := ARRAY(SELECT jsonb_array_elements_text(search -> 'phrases'));
    excluded CONSTANT text[] := ARRAY(SELECT jsonb_array_elements_text(search -> 'excluded'));
    before  CONSTANT timestamptz := 'epoch'::timestamptz + (search ->> 'before')::bigint * interval '1 microsecond';
    before_chunk CONSTANT bigint := search ->> 'before_chunk';
    last_chunk CONSTANT bigint := coalesce((search ->> 'last_chunk')::bigint, (SELECT s.last_value FROM disclosed.chunk_id s));
    window_size CONSTANT integer := 200;
    target      CONSTANT integer := 300;  -- matches that are read for it
    beside      CONSTANT integer := 150;  -- for each kind of the others
    cap         CONSTANT integer := 6000; -- entries of the index that are read for the window, and about half as many for all the others
    enough      CONSTANT integer := 30;
    term record;
    terms tsquery[] := '{}';            -- of the words that are indexed, the rarest first
    shares double precision[] := '{}';  -- of chunks that have them
    plain text[] := '{}';
    lexemes json[] := '{}';
    unknown text[] := '{}';             -- words that are none of the common ones
    headed tsquery;                     -- all the words in the heading
    heading_shares double precision[] := '{}';
    named bigint[];
    names text[];
    filters tsquery;                    -- what holds beside the words, companies and weeks
    required tsquery;
    span record;
    rare double precision;
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
    SELECT coalesce((SELECT w.share FROM disclosed.chunk_word w ORDER BY w.share LIMIT 1), 0.02) / 2 INTO rare;
    SELECT coalesce(sum(s.record_count), 0) INTO all_chunks FROM disclosed.dataset_stat s WHERE s.dataset = 'document_chunk';
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
        lexemes := lexemes || json_build_object('place', term.place, 'lexemes', to_json(term.lexemes), 'share', term.share);
        CONTINUE WHEN term.query = ANY (terms);
        -- A word that no chunk has is left out, and may be a company's name with a typing error.
        IF term.share = rare AND cardinality(unknown) < 5 AND NOT EXISTS (
            SELECT 1 FROM disclosed.document_chunk c
            WHERE disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ term.query) THEN
            unknown := unknown || disclosed.plain_words(term.word);
            CONTINUE;
        END IF;
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
    FOR term IN SELECT plainto_tsquery('disclosed.disclosure', translate(p, '/<>@_=\:', '        ')) AS query
                FROM unnest(phrases) p WHERE disclosed.search_words(p) <> '' LOOP
        filters := disclosed.search_both(filters, term.query);
    END LOOP;
    required := disclosed.search_all(filters, terms);
    FOR term IN SELECT plainto_tsquery('disclosed.disclosure', translate(e, '/<>@_=\:', '        ')) AS query
                FROM unnest(excluded) e WHERE disclosed.search_words(e) <> '' LOOP
        required := coalesce(required && !!term.query, !!term.query);
        filters := coalesce(filters && !!term.query, !!term.query);
        headed := headed && !!term.query;
    END LOOP;

    IF issuers IS NULL AND cardinality(words) > 0 THEN
        SELECT array_agg(DISTINCT c.issuer_id), array_agg(DISTINCT w) INTO named, names
        FROM (SELECT * FROM disclosed.companies_named(array_to_string(words, ' '))
              UNION ALL SELECT * FROM disclosed.companies_alike(unknown)
              ORDER BY rank, issuer_id LIMIT 3) c CROSS JOIN string_to_table(c.name, ' ') w;
    END IF;
    about := json_build_object('terms', to_json(lexemes), 'named', to_json(coalesce(named, '{}')), 'names', to_json(coalesce(names, '{}')),
                               'window_size', window_size);
    IF cardinality(terms) = 0 AND named IS NULL THEN
        RETURN NEXT ROW('search', last_chunk, NULL, NULL, NULL, about::text, NULL)::disclosed.search_candidate;
        RETURN;
    END IF;
    IF cardinality(terms) = 0 THEN -- names alone
        issuers := named;
        chunks := disclosed.chunks_of(named);
    END IF;

    SELECT * INTO span FROM disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(shares), coalesce(shares[1], 1),
                                                  target, cap, since, least(until, before));
    RETURN QUERY SELECT * FROM disclosed.search_newest('window', disclosed.search_both(required, span.marks), phrases, since, until,
                                                       instant, last_chunk, before, before_chunk, window_size);
    GET DIAGNOSTICS found = ROW_COUNT;
    RETURN NEXT ROW('search', last_chunk, NULL, 'epoch'::timestamptz + span.first_week * interval '7 days', NULL, about::text, NULL
                   )::disclosed.search_candidate;
    IF cardinality(words) > 1 AND span.first_week IS NULL AND (found = window_size OR before IS NOT NULL) THEN -- not too many
        RETURN QUERY SELECT * FROM disclosed.search_newest('typed', disclosed.search_both(required, disclosed.search_any('i', issuers::text[])),
                                                           phrases || lower(array_to_string(words, ' ') COLLATE "C"),
                                                           since, until, instant, last_chunk, NULL, NULL, beside);
    END IF;
    IF named IS NOT NULL AND cardinality(terms) > 0 THEN
        more := 0;
        -- the other words, the rarest first; fewer of them until there is enough
        SELECT coalesce(array_agg(t), '{}'), coalesce(array_agg(s), '{}') INTO rest, rest_shares
        FROM unnest(terms, plain, shares) AS x(t, p, s) WHERE NOT string_to_array(p, ' ') <@ names;
        FOR i IN REVERSE cardinality(rest) .. least(cardinality(rest), 1) LOOP
            CONTINUE WHEN i > 4 AND i < cardinality(rest); -- of a long query four
            RETURN QUERY SELECT w.* FROM disclosed.search_span(named, all_chunks, disclosed.chunks_of(named), disclosed.search_share(rest_shares[1:i]),
                                                               coalesce(rest_shares[1], 1), beside, cap / 4, since, until) s,
                         disclosed.search_newest('named', disclosed.search_all(disclosed.search_both(filters, s.marks), rest[1:i]), phrases,
                                                 since, until, instant, last_chunk, NULL, NULL, beside) w;
            GET DIAGNOSTICS one = ROW_COUNT;
            more := more + one;
            EXIT WHEN more >= enough;
        END LOOP;
    END IF;
    IF headed IS NOT NULL THEN
        heading_shares := ARRAY(SELECT s FROM unnest(heading_shares) s ORDER BY s);
        RETURN QUERY SELECT w.* FROM disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(heading_shares), heading_shares[1],
                                                           beside, cap / 2, since, until) s,
                     disclosed.search_newest('heading', disclosed.search_both(disclosed.search_both(filters, s.marks), headed), phrases,
                                             since, until, instant, last_chunk, NULL, NULL, beside) w;
    END IF;
    IF before IS NULL AND span.first_week IS NULL THEN -- else there are further windows
        more := found;
        -- one word left out, then the rarest of them
        FOR i IN 1 .. CASE WHEN cardinality(terms) BETWEEN 3 AND 6 THEN cardinality(terms) ELSE 0 END LOOP
            EXIT WHEN found >= enough;
            rest := terms[:i - 1] || terms[i + 1:];
            rest_shares := shares[:i - 1] || shares[i + 1:];
            RETURN QUERY SELECT w.* FROM disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(rest_shares), rest_shares[1],
                                                               100, cap / 4, since, until) s,
                         disclosed.search_newest('rarest', disclosed.search_all(disclosed.search_both(filters, s.marks), rest),
                                                 phrases, since, until, instant, last_chunk, NULL, NULL, 100) w;
            GET DIAGNOSTICS one = ROW_COUNT;
            more := more + one;
        END LOOP;
        FOR i IN REVERSE least(cardinality(terms) - 1, 8) .. greatest(1, least((cardinality(terms) + 1) / 2, 4)) LOOP
            EXIT WHEN more >= enough;
            RETURN QUERY SELECT w.* FROM disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(shares[1:i]), shares[1],
                                                               beside, cap / 4, since, until) s,
                         disclosed.search_newest('rarest', disclosed.search_all(disclosed.search_both(filters, s.marks), terms[1:i]),
                                                 phrases, since, until, instant, last_chunk, NULL, NULL, beside) w;
            GET DIAGNOSTICS one = ROW_COUNT;
            more := more + one;
        END LOOP;
    END IF;
END $$;
