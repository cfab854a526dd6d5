-- Search asks the index for no more words than it needs.

SET LOCAL search_path = disclosed, public;

-- How many of the words the index is asked for, the rarest first. `shares` are the parts of all chunks that have each, the least first;
-- `chunks` are those of the companies that are asked for. For each word as much of the index is read as there are chunks that have it, so
-- that the costly ones are asked for only until few chunks match, and common ones only where there is no other: all that match are
-- read and ranked then, and the ranking sees which of them have the other words.
CREATE FUNCTION search_asked(shares double precision[], all_chunks double precision, chunks double precision) RETURNS integer
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    costly CONSTANT double precision := 20000 / greatest(all_chunks, 1);
    common CONSTANT double precision := 0.25;
    few    CONSTANT double precision := 100;
    words  CONSTANT integer := least(coalesce(cardinality(shares), 0), 16);
BEGIN
    FOR i IN 2 .. words LOOP
        IF shares[i] > costly AND (shares[i] >= common OR disclosed.search_share(shares[:i - 1]) * chunks <= few) THEN
            RETURN i - 1;
        END IF;
    END LOOP;
    RETURN words;
END $$;


-- The newest chunks that match, at most `most`. `phrases` stand in the text or the heading as they are, in small letters; none of `unwanted` does.
DROP FUNCTION search_newest;
CREATE FUNCTION search_newest(as_kind text, words tsquery, phrases text[], unwanted tsquery, since timestamptz, until timestamptz, instant timestamptz,
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
      AND (unwanted IS NULL OR NOT disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ unwanted)
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
    most_of_phrases CONSTANT integer := 4;
    most_excluded   CONSTANT integer := 4;
    term record;
    terms tsquery[] := '{}';            -- of the words that are indexed, the rarest first
    shares double precision[] := '{}';  -- of chunks that have them
    plain text[] := '{}';
    lexemes json[] := '{}';
    unknown text[] := '{}';             -- words that are none of the common ones
    asked integer;                      -- words that the index is asked for
    tried integer;
    is_known boolean;
    headed tsquery;                     -- all the words in the heading
    heading_shares double precision[] := '{}';
    named bigint[];
    names text[];
    filters tsquery;                    -- what holds beside the words, companies and weeks
    required tsquery;
    unwanted tsquery;                   -- what else is excluded
    matches double precision;           -- chunks that have all words, about
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
        is_known := true;
        -- A word that no chunk has is left out, and may be a company's name with a typing error.
        IF term.share = rare AND NOT term.query = ANY (terms) AND cardinality(unknown) < 5 AND NOT EXISTS (
            SELECT 1 FROM disclosed.document_chunk c
            WHERE disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ term.query) THEN
            unknown := unknown || disclosed.plain_words(term.word);
            is_known := false;
        END IF;
        lexemes := lexemes || json_build_object('place', term.place, 'lexemes', to_json(term.lexemes), 'share', term.share, 'known', is_known);
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
    filters := disclosed.search_both(filters, (
        SELECT string_agg(quote_literal(p.word), '&')::tsquery
        FROM (SELECT DISTINCT x.word, coalesce(k.share, rare) AS share
              FROM unnest(phrases) f CROSS JOIN LATERAL unnest(tsvector_to_array(disclosed.search_words(f))) AS x(word)
              LEFT JOIN disclosed.chunk_word k ON k.word = x.word
              ORDER BY 2, 1 LIMIT most_of_phrases) p));
    asked := disclosed.search_asked(shares, all_chunks, chunks);
    matches := CASE WHEN asked < cardinality(terms) THEN disclosed.search_share(shares) * chunks ELSE enough END;
    required := disclosed.search_all(filters, terms[:asked]);
    -- Of what is excluded the index is asked for what most have, the rest is looked for in the texts.
    FOR term IN SELECT q.query, row_number() OVER (ORDER BY q.share DESC) AS place
                FROM (SELECT plainto_tsquery('disclosed.disclosure', translate(e, '/<>@_=\:', '        ')) AS query,
                             (SELECT min(coalesce(k.share, rare)) FROM unnest(tsvector_to_array(disclosed.search_words(e))) x
                              LEFT JOIN disclosed.chunk_word k ON k.word = x) AS share
                      FROM (SELECT DISTINCT unnest(excluded)) AS d(e) WHERE disclosed.search_words(e) <> '') q LOOP
        IF term.place > most_excluded THEN
            unwanted := coalesce(unwanted || term.query, term.query);
            CONTINUE;
        END IF;
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
                               'window_size', window_size, 'enough', enough);
    IF cardinality(terms) = 0 AND named IS NULL THEN
        RETURN NEXT ROW('search', last_chunk, NULL, NULL, NULL, about::text, NULL)::disclosed.search_candidate;
        RETURN;
    END IF;
    IF cardinality(terms) = 0 THEN -- names alone
        issuers := named;
        chunks := disclosed.chunks_of(named);
    END IF;

    SELECT * INTO span FROM disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(shares[:asked]), coalesce(shares[1], 1),
                                                  target, cap, since, least(until, before));
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
            CONTINUE WHEN disclosed.search_asked(rest_shares[:i], all_chunks, disclosed.chunks_of(named)) = tried;
            tried := disclosed.search_asked(rest_shares[:i], all_chunks, disclosed.chunks_of(named));
            RETURN QUERY SELECT w.* FROM disclosed.search_span(named, all_chunks, disclosed.chunks_of(named), disclosed.search_share(rest_shares[:tried]),
                                                               coalesce(rest_shares[1], 1), beside, cap / 4, since, until) s,
                         disclosed.search_newest('named', disclosed.search_all(disclosed.search_both(filters, s.marks), rest[:tried]), phrases, unwanted,
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
                     disclosed.search_newest('heading', disclosed.search_both(disclosed.search_both(filters, s.marks), headed), phrases, unwanted,
                                             since, until, instant, last_chunk, NULL, NULL, beside) w;
    END IF;
    IF before IS NULL AND span.first_week IS NULL THEN -- else there are further windows
        more := found;
        -- one word left out, then the rarest of them
        FOR i IN 1 .. CASE WHEN cardinality(terms) BETWEEN 3 AND 6 THEN cardinality(terms) ELSE 0 END LOOP
            EXIT WHEN found >= enough AND matches >= enough OR i > asked; -- one that the window was not asked for is left out there
            rest := terms[:i - 1] || terms[i + 1:];
            rest_shares := shares[:i - 1] || shares[i + 1:];
            rest := rest[:disclosed.search_asked(rest_shares, all_chunks, chunks)];
            rest_shares := rest_shares[:cardinality(rest)];
            RETURN QUERY SELECT w.* FROM disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(rest_shares), rest_shares[1],
                                                               100, cap / 4, since, until) s,
                         disclosed.search_newest('rarest', disclosed.search_all(disclosed.search_both(filters, s.marks), rest),
                                                 phrases, unwanted, since, until, instant, last_chunk, NULL, NULL, 100) w;
            GET DIAGNOSTICS one = ROW_COUNT;
            more := more + one;
        END LOOP;
        FOR i IN REVERSE least(asked - 1, 8) .. greatest(1, least((cardinality(terms) + 1) / 2, 4)) LOOP
            EXIT WHEN more >= enough;
            RETURN QUERY SELECT w.* FROM disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(shares[:i]), shares[1],
                                                               beside, cap / 4, since, until) s,
                         disclosed.search_newest('rarest', disclosed.search_all(disclosed.search_both(filters, s.marks), terms[:i]),
                                                 phrases, unwanted, since, until, instant, last_chunk, NULL, NULL, beside) w;
            GET DIAGNOSTICS one = ROW_COUNT;
            more := more + one;
        END LOOP;
    END IF;
END $$;
