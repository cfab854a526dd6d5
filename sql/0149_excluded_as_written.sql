-- What a search excludes: a phrase only where it stands as it is, as one that is asked for, and words that are not indexed as well.

SET LOCAL search_path = disclosed, public;

-- Whether what is excluded is looked for as it is written: phrases, numbers with a comma, and words that are not indexed.
CREATE FUNCTION is_written_as_is(excluded text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT excluded ~ '[ ,./&-]' OR disclosed.search_words(excluded) = ''
$$;

-- The same as before, but for what is excluded.
CREATE OR REPLACE FUNCTION search_candidates(search jsonb, issuers bigint[], kinds text[], forms text[], since timestamptz, until timestamptz,
    event bigint, instant timestamptz)
RETURNS SETOF search_candidate LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off SET max_parallel_workers_per_gather = 0 SET work_mem = '16MB' SET pg_trgm.word_similarity_threshold = 0.45 AS $$
DECLARE
    words text[];
    phrases text[];
    excluded text[];
    before  CONSTANT timestamptz := 'epoch'::timestamptz + (search ->> 'before')::bigint * interval '1 microsecond';
    before_chunk CONSTANT bigint := search ->> 'before_chunk';
    starts CONSTANT timestamptz := coalesce(since, '-infinity');
    last_chunk bigint;
    window_size CONSTANT integer := 150;
    target      CONSTANT integer := 180;  -- matches that are read for it
    beside      CONSTANT integer := 100;  -- for each kind of the others
    cap         CONSTANT integer := 4000; -- entries of the index that are read for the window, and about half as many for all the others
    costly      CONSTANT integer := 20000; -- entries of a word
    enough      CONSTANT integer := 30;
    most_of_phrases CONSTANT integer := 4;
    most_excluded   CONSTANT integer := 4;
    typed text;                         -- the words as they were typed
    has_names boolean;                  -- they may be of companies
    term record;
    terms tsquery[] := '{}';            -- of the words that are indexed, the rarest first
    shares double precision[] := '{}';  -- of chunks that have them
    plain text[] := '{}';
    lexemes json[] := '{}';
    unknown text[] := '{}';             -- words that no chunk has
    headed tsquery;                     -- all the words in the heading
    heading_shares double precision[] := '{}'; -- the least first, in their own order
    slot integer;
    asked integer;                      -- words that the index is asked for
    tried integer;
    is_known boolean;
    named bigint[];
    names text[];
    filters tsquery;                    -- what holds beside the words, companies and weeks
    required tsquery;
    unwanted tsquery;                   -- what else is excluded
    unsaid  text;                       -- and what must not stand in a text as it is, as a regular expression
    matches double precision;           -- chunks that have all words, about
    share double precision;
    span record;                        -- weeks of the window
    further record;                     -- of others
    rare double precision;              -- the share of a word that is not among the commonest
    least_common double precision;      -- of one that the ranking tells from the rarer ones
    about json;
    all_chunks double precision;        -- that there are, and of the companies that are asked for
    chunks double precision;
    found bigint;                       -- in the window
    more bigint;                        -- with what is found beside it
    one bigint;
    rest tsquery[];
    rest_shares double precision[];
    i integer;
    step text := 'window';
    -- what a step reads: `said` stands in a text or its heading; `most` is how many, 0: none
    kind text;
    query tsquery;
    of_issuers bigint[];                -- NULL: all
    ends timestamptz;                   -- before this, and this chunk of the instant
    ends_chunk bigint;
    said text[];
    most integer;
BEGIN
    until := least(until, instant + interval '14 days'); -- no text is published later than that after it is known
    issuers := CASE WHEN issuers = '{}' THEN '{0}' ELSE issuers END;
    SELECT ARRAY(SELECT jsonb_array_elements_text(search -> 'words')), ARRAY(SELECT jsonb_array_elements_text(search -> 'phrases')),
           ARRAY(SELECT jsonb_array_elements_text(search -> 'excluded')),
           coalesce((search ->> 'last_chunk')::bigint, (SELECT s.last_value FROM disclosed.chunk_id s)),
           coalesce((SELECT w.share FROM disclosed.chunk_word w ORDER BY w.share LIMIT 1), 0.02) / 2,
           coalesce((SELECT w.share FROM disclosed.chunk_word w WHERE w.word = ''), 0.02),
           coalesce((SELECT sum(s.record_count) FROM disclosed.dataset_stat s WHERE s.dataset = 'document_chunk'), 0),
           CASE WHEN issuers IS NOT NULL
                THEN coalesce((SELECT sum(s.record_count) FROM disclosed.dataset_issuer_stat s WHERE s.dataset = 'document_chunk' AND s.issuer_id = ANY (issuers)), 0) END
    INTO words, phrases, excluded, last_chunk, rare, least_common, all_chunks, chunks;
    chunks := coalesce(chunks, all_chunks);
    typed := array_to_string(words, ' ');

    FOR term IN
        SELECT w.place, w.word, v.lexemes, plainto_tsquery('disclosed.disclosure', translate(w.word, '/<>@_=\:', '        ')) AS query, s.share, s.heading_share
        FROM unnest(words) WITH ORDINALITY AS w(word, place)
        CROSS JOIN LATERAL (SELECT tsvector_to_array(disclosed.search_words(w.word)) AS lexemes OFFSET 0) v -- once for each
        CROSS JOIN LATERAL (SELECT min(coalesce(k.share, rare)) AS share, min(coalesce(h.share, rare)) AS heading_share
                            FROM unnest(v.lexemes) x
                            LEFT JOIN disclosed.chunk_word k ON k.word = x
                            LEFT JOIN disclosed.chunk_word h ON h.word = E'\x01h' || x) s
        WHERE cardinality(v.lexemes) > 0
        ORDER BY s.share, w.place
    LOOP
        is_known := true;
        -- A word that no chunk has is left out, and may be a company's name with a typing error.
        IF term.share = rare AND cardinality(unknown) < 5 AND NOT term.query = ANY (terms) THEN
            is_known := EXISTS (
                SELECT 1 FROM disclosed.document_chunk c
                WHERE disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ term.query);
            IF NOT is_known THEN
                unknown := unknown || disclosed.plain_words(term.word);
            END IF;
        END IF;
        lexemes := lexemes || json_build_object('place', term.place, 'lexemes', to_json(term.lexemes), 'share', CASE WHEN term.share < least_common THEN least_common / 2 ELSE term.share END, 'known', is_known);
        CONTINUE WHEN NOT is_known OR term.query = ANY (terms);
        terms := terms || term.query;
        shares := shares || term.share;
        plain := plain || disclosed.plain_words(term.word);
        headed := disclosed.search_both(headed, disclosed.search_each('h', term.lexemes));
        slot := cardinality(heading_shares);
        WHILE heading_shares[slot] > term.heading_share LOOP
            slot := slot - 1;
        END LOOP;
        heading_shares := heading_shares[:slot] || term.heading_share || heading_shares[slot + 1:];
    END LOOP;

    IF kinds IS NOT NULL OR forms IS NOT NULL THEN
        filters := disclosed.search_both(disclosed.search_any('k', kinds), disclosed.search_any('f', forms));
    END IF;
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
    -- Of what is excluded the index is asked for what most have, the rest is looked for in the texts: phrases, numbers with a comma, and words that are
    -- not indexed as they are written.
    IF excluded <> '{}' THEN
        SELECT '(^|[^[:alnum:]])(' || string_agg(DISTINCT replace(regexp_replace(e, '([^[:alnum:] ])', '\\\1', 'g'), ' ', '\s+'), '|') || ')($|[^[:alnum:]])'
        INTO unsaid FROM unnest(excluded) AS e WHERE disclosed.is_written_as_is(e);
        FOR term IN SELECT q.query, row_number() OVER (ORDER BY q.share DESC) AS place
                    FROM (SELECT plainto_tsquery('disclosed.disclosure', translate(e, '/<>@_=\:', '        ')) AS query,
                                 (SELECT min(coalesce(k.share, rare)) FROM unnest(tsvector_to_array(disclosed.search_words(e))) x
                                  LEFT JOIN disclosed.chunk_word k ON k.word = x) AS share
                          FROM (SELECT DISTINCT x FROM unnest(excluded) AS x WHERE NOT disclosed.is_written_as_is(x)) AS d(e)) q LOOP
            IF term.place > most_excluded THEN
                unwanted := coalesce(unwanted || term.query, term.query);
            ELSE
                filters := coalesce(filters && !!term.query, !!term.query);
            END IF;
        END LOOP;
    END IF;

    -- Most queries name none: a look at the first words of names tells.
    IF issuers IS NULL AND cardinality(words) > 0 THEN
        has_names := unknown <> '{}' OR typed ~ '[$A-Z]';
        IF NOT has_names THEN
            has_names := EXISTS (SELECT 1 FROM disclosed.issuer c
                                 WHERE split_part(disclosed.name_core(c.name), ' ', 1) = ANY (string_to_array(disclosed.plain_words(typed), ' ')));
        END IF;
        IF has_names THEN
            SELECT array_agg(DISTINCT c.issuer_id), array_agg(DISTINCT w) INTO named, names
            FROM (SELECT * FROM disclosed.companies_named(typed)
                  UNION ALL SELECT * FROM disclosed.companies_alike(unknown)
                  ORDER BY rank, issuer_id LIMIT 3) c CROSS JOIN string_to_table(c.name, ' ') w;
        END IF;
    END IF;
    about := json_build_object('terms', to_json(lexemes), 'named', to_json(coalesce(named, '{}')), 'names', to_json(coalesce(names, '{}')),
                               'window_size', window_size, 'enough', enough);
    IF cardinality(terms) = 0 AND named IS NULL THEN
        RETURN NEXT ROW('search', last_chunk, NULL, NULL, NULL, about::text, NULL, NULL)::disclosed.search_candidate;
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
    RETURN NEXT ROW('search', last_chunk, NULL, 'epoch'::timestamptz + span.first_week * interval '7 days', NULL, about::text, NULL,
                    NULL)::disclosed.search_candidate;

    WHILE step IS NOT NULL LOOP
        kind := step;
        of_issuers := issuers;
        ends := coalesce(until, 'infinity');
        ends_chunk := 0; -- there is none
        said := phrases;
        most := 0;
        CASE step
        WHEN 'window' THEN
            query := disclosed.search_both(required, coalesce(span.newer, span.marks));
            most := window_size;
        WHEN 'older' THEN -- the rest of the window, where the newer ones are not enough
            kind := 'window';
            query := disclosed.search_both(required, span.marks);
            ends := least(ends, 'epoch'::timestamptz + span.newer_week * interval '7 days');
            most := window_size - found;
        WHEN 'typed' THEN
            IF cardinality(words) > 1 AND span.first_week IS NULL AND (found = window_size OR before IS NOT NULL) THEN -- not too many
                query := disclosed.search_both(required, disclosed.search_any('i', issuers::text[]));
                said := phrases || lower(typed COLLATE "C");
                most := beside;
            END IF;
        WHEN 'named' THEN
            -- The other words, the rarest first; fewer of them until there is enough.
            IF i IS NULL THEN
                more := 0;
                tried := NULL;
                SELECT coalesce(array_agg(t), '{}'), coalesce(array_agg(s), '{}') INTO rest, rest_shares
                FROM unnest(terms, plain, shares) AS x(t, p, s) WHERE NOT string_to_array(p, ' ') <@ names;
                i := cardinality(rest);
            END IF;
            one := greatest(least(i, 1), disclosed.search_asked(rest_shares[:i], all_chunks, disclosed.chunks_of(named)));
            IF (i <= 4 OR i = cardinality(rest)) AND one IS DISTINCT FROM tried THEN -- of a long query four
                tried := one;
                further := disclosed.search_span(named, all_chunks, disclosed.chunks_of(named), disclosed.search_share(rest_shares[:tried]),
                                                 coalesce(rest_shares[1], 1), beside, cap / 4, since, until);
                query := disclosed.search_all(disclosed.search_both(filters, further.marks), rest[:tried]);
                of_issuers := named;
                most := beside;
            END IF;
        WHEN 'heading' THEN
            IF headed IS NOT NULL THEN
                further := disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(heading_shares), heading_shares[1], beside, cap / 2, since, until);
                query := disclosed.search_both(disclosed.search_both(filters, further.marks), headed);
                most := beside;
            END IF;
        WHEN 'with the rarest' THEN
            -- One of the words left out: of those that the window was asked for, in two readings, with the rarest and without it. Where few have
            -- the rarest, all of these are ranked; where the others are costly, they say little.
            kind := 'rarest';
            IF asked > 1 THEN
                tried := asked - 1;
                query := NULL;
                share := 0;
                FOR left_out IN 2 .. asked LOOP
                    rest := terms[2:left_out - 1] || terms[left_out + 1:asked];
                    share := share + disclosed.search_share(shares[:left_out - 1] || shares[left_out + 1:asked]);
                    EXIT WHEN rest = '{}' OR shares[1] * chunks <= beside;
                    query := coalesce(query || disclosed.search_all(NULL, rest), disclosed.search_all(NULL, rest));
                END LOOP;
                further := disclosed.search_span(issuers, all_chunks, chunks, CASE WHEN query IS NULL THEN shares[1] ELSE share END, shares[1], beside, cap / 4,
                                                 since, until);
                query := disclosed.search_both(disclosed.search_both(filters, further.marks), disclosed.search_both(terms[1], query));
                most := beside;
            END IF;
        WHEN 'without it' THEN
            kind := 'rarest';
            IF shares[2] * all_chunks <= costly THEN
                rest_shares := shares[2:];
                one := disclosed.search_asked(rest_shares, all_chunks, chunks);
                further := disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(rest_shares[:one]), rest_shares[1], 100, cap / 4, since, until);
                query := disclosed.search_all(disclosed.search_both(filters, further.marks), terms[2:one + 1]);
                most := beside;
            END IF;
        WHEN 'rarest' THEN
            -- The rarest of them, fewer and fewer.
            further := disclosed.search_span(issuers, all_chunks, chunks, disclosed.search_share(shares[:i]), shares[1], beside, cap / 4, since, until);
            query := disclosed.search_all(disclosed.search_both(filters, further.marks), terms[:i]);
            most := beside;
        END CASE;

        IF before < ends AND kind = 'window' THEN
            ends := before;
            ends_chunk := before_chunk;
        END IF;
        IF most = 0 THEN
            one := 0;
        ELSIF instant IS NULL AND said = '{}' AND unwanted IS NULL AND unsaid IS NULL THEN
            -- Most searches; each condition that a statement has is prepared again for each of them.
            RETURN QUERY
            SELECT kind, c.chunk_id, c.issuer_id, c.published_at, c.heading, c.text, c.ctid, c.source_kind
            FROM disclosed.document_chunk c
            WHERE disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ query
              AND c.chunk_id <= last_chunk AND c.is_current AND (of_issuers IS NULL OR c.issuer_id = ANY (of_issuers))
              AND c.published_at >= starts AND (c.published_at, c.chunk_id) < (ends, ends_chunk)
            ORDER BY c.published_at DESC, c.chunk_id DESC
            LIMIT most;
            GET DIAGNOSTICS one = ROW_COUNT;
        ELSE
            RETURN QUERY
            SELECT kind, c.chunk_id, c.issuer_id, c.published_at, c.heading, c.text, c.ctid, c.source_kind
            FROM disclosed.document_chunk c
            WHERE disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ query
              AND c.chunk_id <= last_chunk AND (of_issuers IS NULL OR c.issuer_id = ANY (of_issuers))
              AND c.published_at >= starts AND (c.published_at, c.chunk_id) < (ends, ends_chunk)
              AND CASE WHEN instant IS NULL THEN c.is_current
                       ELSE EXISTS (SELECT 1 FROM disclosed.chunked_text t
                                    WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id AND t.known_at <= instant
                                      AND (t.superseded_at IS NULL OR t.superseded_at > instant)
                                    OFFSET 0) END -- no join: few are looked up
              AND (said = '{}' OR disclosed.says_all(said, c.text, c.heading))
              AND (unsaid IS NULL OR concat_ws(' ', c.heading, c.text) !~* unsaid)
              AND (unwanted IS NULL OR NOT disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ unwanted)
            ORDER BY c.published_at DESC, c.chunk_id DESC
            LIMIT most;
            GET DIAGNOSTICS one = ROW_COUNT;
        END IF;

        more := more + one;
        CASE step
        WHEN 'window' THEN
            found := one;
            step := CASE WHEN span.newer IS NOT NULL AND found < window_size THEN 'older' ELSE 'typed' END;
        WHEN 'older' THEN
            found := found + one;
            step := 'typed';
        WHEN 'typed' THEN
            step := CASE WHEN named IS NOT NULL AND cardinality(terms) > 0 THEN 'named' ELSE 'heading' END;
        WHEN 'named' THEN
            i := i - 1;
            IF i < least(cardinality(rest), 1) OR more >= enough AND most > 0 THEN
                step := 'heading';
            END IF;
        WHEN 'heading' THEN
            more := found;
            tried := asked;
            i := least(tried - 1, 8);
            step := CASE WHEN before IS NOT NULL OR span.first_week IS NOT NULL THEN NULL -- there are further windows
                         WHEN cardinality(terms) BETWEEN 3 AND 6 AND (found < enough OR matches < enough) THEN 'with the rarest'
                         ELSE 'rarest' END;
        WHEN 'with the rarest' THEN
            step := 'without it';
        WHEN 'without it' THEN
            i := least(tried - 1, 8);
            step := 'rarest';
        WHEN 'rarest' THEN
            i := i - 1;
        END CASE;
        IF step = 'rarest' AND (more >= enough OR i < greatest(1, least((cardinality(terms) + 1) / 2, 4))) THEN
            step := NULL;
        END IF;
    END LOOP;
END $$;
