-- Search takes less of PostgreSQL's time: tables are asked only what a search needs to know, what reads candidates has fewer conditions, and marks
-- of weeks are made as one text. What it finds stays the same.

SET LOCAL search_path = disclosed, public;

-- Of which kind a candidate's text is: the rows of a page are read from the tables of its kinds alone.
ALTER TYPE search_candidate ADD ATTRIBUTE source_kind text;

-- Chunks of few companies from the first to the last week. Eight weeks of a company are far fewer entries than a week of all, or 64 weeks of
-- it; a week is asked for where not all eight are meant. `is_open`: there are none after the last week.
CREATE OR REPLACE FUNCTION search_blocks(issuers bigint[], first integer, last integer, is_open boolean) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    first_full CONSTANT integer := first + 7 >> 3;
    last_full CONSTANT integer := CASE WHEN is_open THEN last >> 3 ELSE (last + 1 >> 3) - 1 END;
    issuer bigint;
    part text;
    blocks text;
BEGIN
    FOR block IN first >> 3 .. last >> 3 LOOP
        part := NULL;
        FOREACH issuer IN ARRAY issuers LOOP
            part := concat_ws('|', part, format(E'''\x01c%s.%s''', issuer, block));
        END LOOP;
        IF block < first_full OR block > last_full THEN
            part := format('(%s)&(%s)', part, disclosed.search_marks('w', greatest(first, block << 3), least(last, (block << 3) + 7)));
        END IF;
        blocks := concat_ws('|', blocks, part);
    END LOOP;
    RETURN blocks::tsquery;
END $$;

-- The newest weeks that are worth a look. An index is read as far as the entries of its rarest word or mark go, and each match is read from the
-- table, so both are bounded: to some `target` matches, and to `cap` entries. `chunks` is how many chunks there are, `asked` how many
-- of these companies (NULL: all), `share` in which part of them all words are, and `rarest` in which the rarest of them, about.
-- Where all weeks can be looked at, `marks` are those of the companies, or none where so few chunks have the words that it is cheaper to see in
-- the rows whose they are; else those of the weeks as well, and `first_week` is the first of them where there are weeks before it; `reached`
-- is the part of all chunks that is in them. A few marks of many weeks are better than many of one; of weeks that begin or end within a
-- mark, smaller ones. Where that makes them many more than needed, `newer` are those that are probably enough, from `newer_week` on.
CREATE OR REPLACE FUNCTION search_span(issuers bigint[], chunks double precision, asked double precision, share double precision,
    rarest double precision, target double precision, cap double precision, since timestamptz, until timestamptz,
    OUT marks tsquery, OUT first_week integer, OUT reached double precision, OUT newer tsquery, OUT newer_week integer)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    most_issuers CONSTANT integer := 8;
    few CONSTANT double precision := 100; -- chunks that have all words
    few_entries CONSTANT double precision := 1000;
    entries CONSTANT double precision := least(rarest * chunks, asked);
    matches CONSTANT double precision := greatest(1, share * asked);
    since_week integer;
    until_week integer;
    needed double precision;
    one record;
    newest integer;
    last_needed integer;
    before integer; -- the week with chunks before it
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
        IF rarest = 1 OR share * chunks > few OR rarest * chunks > few_entries THEN
            marks := disclosed.search_any('i', issuers::text[]);
        END IF;
        RETURN;
    END IF;
    since_week := coalesce(disclosed.search_week(since), -1000000);
    until_week := coalesce(disclosed.search_week(until - interval '1 microsecond'), 1000000); -- nothing of `until` itself
    needed := chunks * least(target / matches, CASE WHEN entries > cap THEN cap / asked END);
    reached := 0;
    -- "+ 0": in the order of the index, of which only the newest weeks are read
    FOR one IN SELECT k.week, k.chunks FROM disclosed.chunk_week k
               WHERE k.chunks > 0 AND k.week + 0 >= since_week AND k.week + 0 <= until_week ORDER BY k.week DESC LOOP
        IF reached >= greatest(1, 0.8 * needed) THEN -- a week may have many
            before := one.week;
            EXIT;
        END IF;
        newest := coalesce(newest, one.week);
        last_needed := one.week;
        reached := reached + one.chunks;
    END LOOP;
    IF newest IS NULL THEN
        marks := E'''\x01none''';
        RETURN;
    END IF;
    reached := reached / greatest(chunks, 1);
    has_few_issuers := cardinality(issuers) BETWEEN 1 AND most_issuers;
    size := CASE WHEN newest - last_needed < 12 THEN 0 WHEN has_few_issuers THEN 6 ELSE 3 END;
    newer_week := newest - (newest - last_needed) * 3 / 2 >> 3 << 3;
    -- the nearest that has most of them
    oldest := last_needed + (1 << size) - 1 >> size << size;
    IF newest - oldest < 0.6 * (newest - last_needed) THEN
        oldest := last_needed >> size << size;
    END IF;
    IF oldest > last_needed OR before < oldest THEN
        first_week := oldest;
    ELSIF before IS NOT NULL THEN
        IF EXISTS (SELECT 1 FROM disclosed.chunk_week k WHERE k.chunks > 0 AND k.week >= since_week AND k.week < oldest) THEN
            first_week := oldest;
        END IF;
    END IF;
    IF has_few_issuers AND size = 0 THEN
        marks := disclosed.search_blocks(issuers, oldest, newest, until IS NULL);
        RETURN;
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
        IF newer_week - oldest >= 16 AND (entries <= cap OR target / matches <= cap / asked) THEN
            newer := disclosed.search_blocks(issuers, newer_week, newest, until IS NULL);
        END IF;
    ELSE
        marks := disclosed.search_both(marks, disclosed.search_any('i', issuers::text[]));
    END IF;
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
--
-- They are read in steps, each by one of two statements, which stand here and in no function of their own: rows are copied once that way.
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
        ELSIF instant IS NULL AND said = '{}' AND unwanted IS NULL THEN
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
