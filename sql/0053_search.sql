-- Search: which chunks are worth ranking. All matches of a common word never are: the newest ones, and what else may be best.

SET LOCAL search_path = disclosed, public;

-- -------------------------------------------------------------- companies

-- Words of a text in small letters, one space between them.
CREATE FUNCTION plain_words(body text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT btrim(regexp_replace(lower(body), '[^[:alnum:]]+', ' ', 'g')) $$;

-- A company's name as people write it: without "the", and without what stands at the end for its legal form.
CREATE FUNCTION name_core(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(nullif(regexp_replace(disclosed.plain_words(name),
        '^the |( (inc|incorporated|corp|corporation|co|company|companies|ltd|limited|plc|llc|lp|sa|nv|ag|se|asa|ab|spa|holdings?|group|grp|new|de|com|trust|bancorp|class [a-z]))+$',
        '', 'g'), ''), disclosed.plain_words(name))
$$;
CREATE INDEX issuer_name_core ON issuer (name_core(name));
CREATE INDEX issuer_name_word ON issuer (split_part(name_core(name), ' ', 1));
CREATE INDEX issuer_name_similar ON issuer USING gin (name_core(name) public.gin_trgm_ops);

-- Whether a company has texts: others are none that a search could be about.
CREATE FUNCTION has_chunks(of_issuer bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM disclosed.dataset_issuer_stat s WHERE s.issuer_id = of_issuer AND s.dataset = 'document_chunk' AND s.record_count > 0)
$$;

-- The names of one to five words that a text may contain.
CREATE FUNCTION name_candidates(body text) RETURNS TABLE (name text, words integer) LANGUAGE sql IMMUTABLE STRICT ROWS 20 AS $$
    WITH word AS (SELECT w.word, w.place FROM string_to_table(disclosed.plain_words(body), ' ') WITH ORDINALITY AS w(word, place)
                  WHERE w.place <= 100)
    SELECT DISTINCT string_agg(w.word, ' ' ORDER BY w.place), n
    FROM word f CROSS JOIN generate_series(1, 5) n JOIN word w ON w.place BETWEEN f.place AND f.place + n - 1
    GROUP BY f.place, n HAVING count(*) = n
$$;

-- Functions of a search are in PL/pgSQL where a session keeps their plans; settings are search_candidates()'s.

-- The companies with texts that a text names: by ticker, in capitals or behind "$"; by name; or by the first word of a name that no more
-- than three of them have. `name` is what stands in the text, as plain words; `rank` is the less, the surer it is.
CREATE FUNCTION companies_named(body text) RETURNS TABLE (issuer_id bigint, name text, rank integer) LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT l.issuer_id, lower(ltrim(w.word, '$')), 2
    FROM string_to_table(btrim(regexp_replace(body, '[^[:alnum:]$]+', ' ', 'g')), ' ') WITH ORDINALITY AS w(word, place)
    JOIN disclosed.listing l ON l.ticker = ltrim(w.word, '$') AND l.superseded_at IS NULL
    WHERE w.place <= 100 AND (w.word ~ '^[$][A-Z]' OR w.word ~ '^[A-Z]{2,6}$' AND (body ~ '[a-z]' OR body !~ ' ')) AND disclosed.has_chunks(l.issuer_id)
    UNION
    SELECT i.issuer_id, n.name, 6 - n.words
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
END $$;

-- Companies whose names are like words that no chunk has: typing errors.
CREATE FUNCTION companies_alike(wrong text[]) RETURNS TABLE (issuer_id bigint, name text, rank integer) LANGUAGE plpgsql STABLE AS $$
DECLARE
    word text;
BEGIN
    FOREACH word IN ARRAY wrong LOOP
        CONTINUE WHEN length(word) NOT BETWEEN 4 AND 40 OR word ~ '[0-9 ]';
        RETURN QUERY
            SELECT i.issuer_id, word, 20
            FROM disclosed.issuer i
            WHERE word OPERATOR(public.<%) disclosed.name_core(i.name) AND disclosed.has_chunks(i.issuer_id)
            ORDER BY public.word_similarity(word, disclosed.name_core(i.name)) DESC, public.similarity(word, disclosed.name_core(i.name)) DESC,
                     i.issuer_id
            LIMIT 1;
    END LOOP;
END $$;

-- ------------------------------------------------------------- candidates

-- Both; NULL stands for what all chunks meet.
CREATE FUNCTION search_both(one tsquery, other tsquery) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT coalesce(one && other, one, other) $$;

-- All of them.
CREATE FUNCTION search_all(filters tsquery, terms tsquery[]) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    term tsquery;
BEGIN
    FOREACH term IN ARRAY terms LOOP
        filters := coalesce(filters && term, term);
    END LOOP;
    RETURN filters;
END $$;

-- An index is read as far as the rarest word's entries go, and each match is read from the table. Where both are few, all weeks are
-- looked at, and `marks` is null. Otherwise `marks` are the newest weeks from `since` to `until` that have 600 matches, but no more
-- than 15,000 chunks and no more than 30 of them; `first_week` is the first of them where there are weeks before it.
-- `chunks` is how many there are, `entries` how many have the rarest word, `matches` how many have all, about.
CREATE FUNCTION search_weeks(chunks double precision, entries double precision, matches double precision,
    since timestamptz, until timestamptz, OUT marks tsquery, OUT first_week integer)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    most CONSTANT double precision := least(15000, 600 * chunks / greatest(1, matches));
    weeks integer[];
BEGIN
    IF entries <= 15000 AND matches <= 1500 THEN
        RETURN;
    END IF;
    SELECT array_agg(w.week ORDER BY w.week DESC), CASE WHEN count(*) < max(w.all_weeks) THEN min(w.week) END INTO weeks, first_week
    FROM (SELECT k.week, sum(k.chunks) OVER newest - k.chunks AS before, row_number() OVER newest AS place, count(*) OVER () AS all_weeks
          FROM disclosed.chunk_week k
          WHERE k.chunks > 0 AND k.week BETWEEN coalesce(disclosed.search_week(since), -100000) AND coalesce(disclosed.search_week(until), 100000)
          WINDOW newest AS (ORDER BY k.week DESC)) w
    WHERE w.before < most AND w.place <= 30;
    marks := coalesce(disclosed.search_any('w', weeks::text[]), E'''\x01none''');
END $$;

-- In which part of all chunks several words are, of which each is in the part that `shares` says, the least first. Words that are said
-- together are commoner than chance would have it.
CREATE FUNCTION search_share(shares double precision[]) RETURNS double precision LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    share double precision := coalesce(shares[1], 1);
BEGIN
    FOR i IN 2 .. coalesce(cardinality(shares), 0) LOOP
        share := share * shares[i] ^ 0.75;
    END LOOP;
    RETURN share;
END $$;

CREATE TYPE search_candidate AS (kind text, chunk_id bigint, issuer_id bigint, published_at timestamptz, heading text, body text);

-- The newest chunks that match, at most `most`. `phrases` stand in the text or the heading as they are, in small letters.
CREATE FUNCTION search_newest(as_kind text, words tsquery, phrases text[], since timestamptz, until timestamptz, instant timestamptz,
    last_chunk bigint, before timestamptz, before_chunk bigint, most integer) RETURNS SETOF search_candidate
LANGUAGE plpgsql STABLE ROWS 300 AS $$
BEGIN
    RETURN QUERY
    SELECT as_kind, c.chunk_id, c.issuer_id, c.published_at, c.heading, c.text
    FROM disclosed.document_chunk c
    WHERE disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ words
      AND c.chunk_id + 0 <= last_chunk -- no other index
      AND (since IS NULL OR c.published_at >= since) AND (until IS NULL OR c.published_at < until)
      AND (before IS NULL OR (c.published_at, c.chunk_id + 0) < (before, before_chunk))
      AND CASE WHEN instant IS NULL THEN c.is_current
               ELSE EXISTS (SELECT 1 FROM disclosed.chunked_text t
                            WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id AND t.known_at <= instant
                              AND (t.superseded_at IS NULL OR t.superseded_at > instant)) END
      AND (phrases = '{}' OR NOT EXISTS (SELECT 1 FROM unnest(phrases) p
                                         WHERE strpos(lower(c.text COLLATE "C"), p) = 0 AND strpos(lower(coalesce(c.heading, '') COLLATE "C"), p) = 0))
    ORDER BY c.published_at DESC, c.chunk_id DESC
    LIMIT most;
END $$;

-- The texts of an event.
CREATE FUNCTION texts_of_event(event bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT t.row_id FROM disclosed.filing f JOIN disclosed.chunked_text t ON t.accession = f.accession WHERE f.event_id = event
    UNION SELECT row_id FROM disclosed.transcript WHERE event_id = event
    UNION SELECT row_id FROM disclosed.document WHERE event_id = event
$$;

-- What a search should rank. Members of `search`: `words` that a chunk must have, `phrases` that must stand in it as they are, `excluded`
-- what it must not have; `last_chunk` keeps out what came after the first page, absent: nothing; `before` (microseconds since 1970) and
-- `before_chunk` are where the window before ended.
--
-- One row is about the search: its body is JSON, its chunk_id what to give as `last_chunk` from now on. The others are
--   window   the newest 300 that match; where all words are common, of the newest weeks alone. published_at of the row about the search and
--            before_chunk of its JSON are where a next window begins; null: there is none
--   named    of companies that the words name         heading  with the words in the heading
--   typed    with the words as they were typed        rarest   with the rarest of the words, where few have all
CREATE FUNCTION search_candidates(search jsonb, issuers bigint[], kinds text[], forms text[], since timestamptz, until timestamptz,
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
    window_size CONSTANT integer := 300;
    enough      CONSTANT integer := 30;
    term record;
    terms tsquery[] := '{}';            -- of the words that are indexed, the rarest first
    shares double precision[] := '{}';  -- of chunks that have them
    plain text[] := '{}';
    lexemes json[] := '{}';
    unknown text[] := '{}';             -- words that are none of the common ones
    headed tsquery;                     -- all the words in the heading
    named bigint[];
    names text[];
    filters tsquery;                    -- what holds beside the words
    required tsquery;
    query tsquery;
    weeks record;
    rare double precision;
    about json;
    entries double precision;
    matches double precision;
    all_chunks double precision;        -- that there are, and of the companies that are asked for
    chunks double precision;
    found bigint;
    more bigint;
    one bigint;
    hits disclosed.search_candidate[];
    rest tsquery[];
    i integer;
BEGIN
    until := least(until, instant + interval '14 days'); -- no text is published later than that after it is known
    SELECT coalesce(min(w.share), 0.02) / 2 INTO rare FROM disclosed.chunk_word w;
    SELECT coalesce(sum(s.record_count), 0) INTO all_chunks FROM disclosed.dataset_stat s WHERE s.dataset = 'document_chunk';
    SELECT CASE WHEN issuers IS NULL THEN all_chunks ELSE coalesce(sum(s.record_count), 0) END INTO chunks FROM disclosed.dataset_issuer_stat s
    WHERE s.dataset = 'document_chunk' AND s.issuer_id = ANY (issuers);

    FOR term IN
        SELECT w.place, w.word, v.lexemes, plainto_tsquery('disclosed.disclosure', translate(w.word, '/<>@_=\:', '        ')) AS query,
               (SELECT min(coalesce(k.share, rare)) FROM unnest(v.lexemes) x LEFT JOIN disclosed.chunk_word k ON k.word = x) AS share
        FROM unnest(words) WITH ORDINALITY AS w(word, place)
        CROSS JOIN LATERAL (SELECT tsvector_to_array(disclosed.search_words(w.word)) AS lexemes) v
        WHERE cardinality(v.lexemes) > 0
        ORDER BY 5, 1
    LOOP
        lexemes := lexemes || json_build_object('place', term.place, 'lexemes', to_json(term.lexemes), 'share', term.share);
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
        headed := disclosed.search_both(headed, (SELECT string_agg(quote_literal(E'\x01h' || x), '&')::tsquery FROM unnest(term.lexemes) x));
    END LOOP;

    filters := disclosed.search_both(disclosed.search_any('i', CASE WHEN issuers = '{}' THEN '{none}' ELSE issuers::text[] END),
                                     disclosed.search_any('k', kinds));
    filters := disclosed.search_both(filters, disclosed.search_any('f', forms));
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
        required := required && !!term.query;
        filters := coalesce(filters && !!term.query, !!term.query);
        headed := headed && !!term.query;
    END LOOP;

    IF issuers IS NULL AND cardinality(words) > 0 THEN
        SELECT array_agg(DISTINCT c.issuer_id), array_agg(DISTINCT w) INTO named, names
        FROM (SELECT * FROM disclosed.companies_named(array_to_string(words, ' '))
              UNION ALL SELECT * FROM disclosed.companies_alike(unknown)
              ORDER BY rank, issuer_id LIMIT 3) c CROSS JOIN string_to_table(c.name, ' ') w;
    END IF;
    about := json_build_object('terms', to_json(lexemes), 'named', to_json(coalesce(named, '{}')), 'names', to_json(coalesce(names, '{}')));
    IF cardinality(terms) = 0 AND named IS NULL THEN
        RETURN NEXT ROW('search', last_chunk, NULL, NULL, NULL, about::text)::disclosed.search_candidate;
        RETURN;
    END IF;

    entries := least(coalesce(shares[1], 1) * all_chunks, chunks);
    matches := chunks * disclosed.search_share(shares);
    required := coalesce(required, disclosed.search_any('i', named::text[])); -- names alone
    SELECT * INTO weeks FROM disclosed.search_weeks(all_chunks, entries, matches, since, least(until, before));
    SELECT array_agg(w) INTO hits FROM disclosed.search_newest('window', disclosed.search_both(required, weeks.marks), phrases, since, until,
                                                               instant, last_chunk, before, before_chunk, window_size) w;
    found := coalesce(cardinality(hits), 0);
    RETURN QUERY SELECT * FROM unnest(hits);
    RETURN NEXT ROW('search', last_chunk, NULL, CASE WHEN found = window_size THEN (hits[found]).published_at
                                                     ELSE 'epoch'::timestamptz + weeks.first_week * interval '7 days' END,
                    NULL, (about::jsonb || jsonb_build_object('before_chunk', CASE WHEN found = window_size THEN (hits[found]).chunk_id ELSE 0 END))::text
                   )::disclosed.search_candidate;
    IF named IS NOT NULL THEN
        query := disclosed.search_both(filters, disclosed.search_any('i', named::text[]));
        more := 0;
        -- the other words, the rarest first; fewer of them until there is enough
        rest := ARRAY(SELECT t FROM unnest(terms, plain) AS x(t, p) WHERE NOT string_to_array(p, ' ') <@ names);
        FOR i IN REVERSE cardinality(rest) .. CASE WHEN cardinality(rest) = 0 THEN 0 ELSE 1 END LOOP
            RETURN QUERY SELECT * FROM disclosed.search_newest('named', disclosed.search_all(query, rest[1:i]), phrases, since, until, instant,
                                                               last_chunk, NULL, NULL, 200);
            GET DIAGNOSTICS one = ROW_COUNT;
            more := more + one;
            EXIT WHEN more >= enough;
        END LOOP;
    END IF;
    RETURN QUERY SELECT * FROM disclosed.search_newest('heading', disclosed.search_both(filters, headed), phrases, since, until, instant,
                                                       last_chunk, NULL, NULL, 200);
    IF cardinality(words) > 1 AND weeks.marks IS NULL AND (found = window_size OR before IS NOT NULL) THEN -- not too many
        RETURN QUERY SELECT * FROM disclosed.search_newest('typed', required, phrases || lower(array_to_string(words, ' ') COLLATE "C"),
                                                           since, until, instant, last_chunk, NULL, NULL, 100);
    END IF;
    IF before IS NULL AND weeks.first_week IS NULL THEN -- else there are further windows
        more := found;
        -- one word left out, then the rarest of them
        FOR i IN 1 .. CASE WHEN cardinality(terms) BETWEEN 3 AND 6 THEN cardinality(terms) ELSE 0 END LOOP
            EXIT WHEN found >= enough;
            rest := terms[:i - 1] || terms[i + 1:];
            SELECT * INTO weeks FROM disclosed.search_weeks(all_chunks, entries, chunks * disclosed.search_share(shares[:i - 1] || shares[i + 1:]),
                                                            since, until);
            RETURN QUERY SELECT * FROM disclosed.search_newest('rarest', disclosed.search_all(disclosed.search_both(filters, weeks.marks), rest),
                                                               phrases, since, until, instant, last_chunk, NULL, NULL, 100);
            GET DIAGNOSTICS one = ROW_COUNT;
            more := more + one;
        END LOOP;
        FOR i IN REVERSE cardinality(terms) - 1 .. (cardinality(terms) + 1) / 2 LOOP
            EXIT WHEN more >= enough;
            SELECT * INTO weeks FROM disclosed.search_weeks(all_chunks, entries, chunks * disclosed.search_share(shares[1:i]), since, until);
            RETURN QUERY SELECT * FROM disclosed.search_newest('rarest', disclosed.search_all(disclosed.search_both(filters, weeks.marks), terms[1:i]),
                                                               phrases, since, until, instant, last_chunk, NULL, NULL, 200);
            GET DIAGNOSTICS one = ROW_COUNT;
            more := more + one;
        END LOOP;
    END IF;
END $$;

-- ---------------------------------------------------------------- results

-- The record that a chunk is cut from, as it is now or was at the instant.
CREATE TYPE text_origin AS (dataset text, record_id bigint, src_digest uuid, source_id integer, accession text, quote text, recorded_at timestamptz,
    document text, event_id bigint, published_at timestamptz);

-- The event of a record at an instant: the one that it was of then, where it was known by then.
CREATE FUNCTION event_then(record bigint, event bigint, instant timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN instant IS NULL THEN event ELSE (
        SELECT e.id FROM disclosed.event e
        WHERE e.id = coalesce((SELECT coalesce(was.event_id, 0) FROM disclosed.former_event was
                               WHERE was.record_id = record AND was.known_at <= instant
                                 AND (was.superseded_at IS NULL OR was.superseded_at > instant)), event)
          AND e.known_at <= instant AND (e.superseded_at IS NULL OR e.superseded_at > instant)
        LIMIT 1) END
$$;

CREATE FUNCTION text_record(kind text, of_issuer bigint, of_row bigint, instant timestamptz) RETURNS SETOF text_origin
LANGUAGE plpgsql STABLE ROWS 1 AS $$
BEGIN
    CASE kind
    WHEN 'filing' THEN
        RETURN QUERY SELECT 'filing_text', t.id, t.src_digest, t.source_id, t.accession, t.quote, t.recorded_at, f.primary_document,
                            disclosed.event_then(f.id, f.event_id, instant), t.published_at
                     FROM disclosed.filing_text t
                     LEFT JOIN LATERAL (SELECT o.* FROM disclosed.filing o WHERE o.accession = t.accession AND o.superseded_at IS NULL
                                        ORDER BY o.issuer_id = t.issuer_id DESC LIMIT 1) f ON true
                     WHERE t.issuer_id = of_issuer AND t.row_id = of_row;
    WHEN 'exhibit' THEN
        RETURN QUERY SELECT 'exhibit', t.id, t.src_digest, t.source_id, t.accession, t.quote, t.recorded_at, t.file_name,
                            disclosed.event_then(f.id, f.event_id, instant), t.published_at
                     FROM disclosed.filing_exhibit t
                     LEFT JOIN LATERAL (SELECT o.* FROM disclosed.filing o WHERE o.accession = t.accession AND o.superseded_at IS NULL
                                        ORDER BY o.issuer_id = t.issuer_id DESC LIMIT 1) f ON true
                     WHERE t.issuer_id = of_issuer AND t.row_id = of_row;
    WHEN 'transcript' THEN
        RETURN QUERY SELECT 'transcript', t.id, t.src_digest, t.source_id, t.accession, t.quote, t.recorded_at, NULL,
                            disclosed.event_then(t.id, t.event_id, instant), t.call_date
                     FROM disclosed.transcript t WHERE t.issuer_id = of_issuer AND t.row_id = of_row;
    ELSE
        RETURN QUERY SELECT 'document', t.id, t.src_digest, t.source_id, t.accession, t.quote, t.recorded_at, NULL,
                            disclosed.event_then(t.id, t.event_id, instant), t.published_at
                     FROM disclosed.document t WHERE t.issuer_id = of_issuer AND t.row_id = of_row;
    END CASE;
END $$;

-- Where a passage comes from, as it is served: with the address at which it can be read.
CREATE FUNCTION passage_provenance(origin text_origin, cik bigint) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'src_id', 'src_' || origin.dataset || '_' || replace(origin.src_digest::text, '-', ''), 'source_provider', s.provider,
        'source_url', a.url, 'accession', origin.accession, 'quote', origin.quote,
        'content_hash', disclosed.content_hash_text(s.content_hash), 'citation_url', a.url,
        'extracted_at', rtrim(rtrim(to_char(coalesce(s.extracted_at, origin.recorded_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z')
    FROM disclosed.source s
    CROSS JOIN LATERAL (SELECT CASE WHEN s.by_filing THEN disclosed.filing_address(s.url, cik, origin.accession, origin.document) ELSE s.url END AS url) a
    WHERE s.source_id = origin.source_id
$$;

ANALYZE issuer;
