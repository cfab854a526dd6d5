-- Rows of files that name securities by their tickers (short interest, corporate actions, calendars of earnings)
-- belong to the listing of their day, and where the file names the company, only to one that bears that name: tickers go
-- from one company to another.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------ columns

ALTER TABLE corporate_action ADD COLUMN stated_name text;
COMMENT ON COLUMN corporate_action.stated_name IS 'the company, as the source names it; NULL: it does not';
ALTER TABLE event_notice ADD COLUMN spellings text;
ALTER TABLE event_notice ADD COLUMN stated_name text;
COMMENT ON COLUMN event_notice.spellings IS
    'of a notice by ticker: listings that it may mean, the likeliest first, with a space between them';
COMMENT ON COLUMN event_notice.stated_name IS 'the company, as the source names it; NULL: it does not';

-- ------------------------------------------------------- whether names agree

-- What tells the companies of one sponsor apart: Acquisition Corp II. Cut names may have lost it.
CREATE FUNCTION name_numeral(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT lower(coalesce(substring(name FROM '(?i)\m(ii|iii|iv|vi|vii|viii|ix|xi|xii|xiii)\M'),
                          substring(name FROM '(?i)\m(?:corp|corporation|acquisition|capital)\.?,? (v|x|[2-9])\M'), ''))
$$;

-- Whether one word is the other, cut or abbreviated: what it begins with, then consonants in their order (mgmt,
-- intl, hldgs, labs), so that a sea is no spectra.
CREATE FUNCTION words_agree(one text, other text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT one = other
        OR (left(one, 1) = left(other, 1) AND least(length(one), length(other)) > 1
            AND (SELECT substr(w.short, c.same + 1) ~ '^[^aeiou]*$'
                        AND substr(w.long, c.same + 1) ~ regexp_replace(substr(w.short, c.same + 1), '(.)', '.*\1', 'g')
                 FROM (SELECT CASE WHEN length(one) < length(other) THEN one ELSE other END AS short,
                              CASE WHEN length(one) < length(other) THEN other ELSE one END AS long) w
                 CROSS JOIN LATERAL (SELECT max(n) AS same FROM generate_series(1, length(w.short)) AS n
                                     WHERE left(w.short, n) = left(w.long, n)) c))
$$;

-- The words that tell a company: without single letters and forms of shares.
CREATE FUNCTION company_words(name text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce((SELECT array_agg(w.word ORDER BY w.place)
                     FROM unnest(n.words) WITH ORDINALITY AS w(word, place)
                     WHERE length(w.word) > 1 AND w.word <> ALL (ARRAY['sa', 'nv', 'ag', 'se', 'spa', 'ab', 'asa',
                         'adr', 'ads', 'cl', 'com', 'shs', 'ord', 'pfd', 'depositary', 'ordinary'])), n.words)
    FROM (SELECT disclosed.name_words(regexp_replace(name, '\m([A-Za-z])\.(?=[A-Za-z]\.)', '\1 ', 'g')) AS words) n
$$;

-- Whether the name that a market's file gives a security can be that company's: it may be cut after 30
-- characters, abbreviated, or followed by the class of the share. One shared word is too little: there are an Aris
-- Water and an Aris Mining; all words of the shorter name must be in the other, or two that are not everybody's.
CREATE FUNCTION share_names_agree(stated text, company text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (length(stated) >= 30
            OR disclosed.name_numeral(stated) = disclosed.name_numeral(company))
       AND CASE
           WHEN p.length >= 6 AND left(p.one, p.length) = left(p.other, p.length) THEN true
           ELSE (
               SELECT (w.length > 1 AND left(w.one_text, w.length) = left(w.other_text, w.length))
                   OR (cardinality(w.fewer) > 0 AND NOT EXISTS (
                           SELECT 1 FROM unnest(w.fewer) AS a
                           WHERE NOT EXISTS (SELECT 1 FROM unnest(w.more) AS b
                                             WHERE disclosed.words_agree(a, b))))
                   OR 2 <= (SELECT count(DISTINCT a) FROM unnest(w.fewer) AS a
                            JOIN unnest(w.more) AS b ON disclosed.words_agree(a, b)
                            WHERE length(a) > 2 AND length(b) > 2 AND a <> ALL (ARRAY['american', 'national',
                                'general', 'first', 'united', 'international', 'global', 'bank', 'financial',
                                'energy', 'health', 'resources', 'technologies', 'technology', 'capital', 'trust',
                                'fund', 'partners', 'shares', 'industries', 'systems', 'services', 'acquisition',
                                'pharmaceuticals', 'insurance', 'realty', 'properties', 'communications',
                                'entertainment', 'media', 'medical', 'brands', 'units', 'bancorp', 'therapeutics',
                                'solutions', 'mining', 'gold', 'income', 'real', 'estate', 'american', 'depositary',
                                'ordinary', 'adr', 'ads', 'etf', 'index', 'series', 'preferred', 'unit']))
               FROM (SELECT array_to_string(a, '') AS one_text, array_to_string(b, '') AS other_text,
                            least(12, length(array_to_string(a, '')), length(array_to_string(b, ''))) AS length,
                            CASE WHEN cardinality(a) <= cardinality(b) THEN a ELSE b END AS fewer,
                            CASE WHEN cardinality(a) <= cardinality(b) THEN b ELSE a END AS more
                     FROM disclosed.company_words(stated) AS a, disclosed.company_words(company) AS b) w)
           END
    FROM (SELECT one, other, least(12, length(one), length(other)) AS length
          FROM regexp_replace(lower(stated), '[^a-z0-9]+', '', 'g') AS one,
               regexp_replace(lower(company), '[^a-z0-9]+', '', 'g') AS other) p
$$;

-- What share_names_agree() says of names that begin alike, as most do that agree; NULL: they do not. Planned into its
-- callers, where each call of the other costs much.
CREATE FUNCTION names_begin_alike(stated text, company text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN length(regexp_replace(lower(stated), '[^a-z0-9]+', '', 'g')) >= 6
                 AND length(regexp_replace(lower(company), '[^a-z0-9]+', '', 'g')) >= 6
                 AND (starts_with(left(regexp_replace(lower(stated), '[^a-z0-9]+', '', 'g'), 12),
                                  left(regexp_replace(lower(company), '[^a-z0-9]+', '', 'g'), 12))
                      OR starts_with(left(regexp_replace(lower(company), '[^a-z0-9]+', '', 'g'), 12),
                                     left(regexp_replace(lower(stated), '[^a-z0-9]+', '', 'g'), 12)))
           THEN length(stated) >= 30 OR disclosed.name_numeral(stated) = disclosed.name_numeral(company) END
$$;

-- Whether it names the listing's company: as the listing is called or was, or as the company is or was.
CREATE FUNCTION is_named(stated text, of_issuer bigint, listing_key text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT EXISTS (SELECT 1 FROM disclosed.listing l
                   WHERE l.issuer_id = of_issuer AND l.record_key = listing_key
                     AND coalesce(disclosed.names_begin_alike(stated, l.name),
                                  disclosed.share_names_agree(stated, l.name)))
        OR EXISTS (SELECT 1 FROM disclosed.issuer_profile p
                   WHERE p.issuer_id = of_issuer
                     AND coalesce(disclosed.names_begin_alike(stated, p.name),
                                  disclosed.share_names_agree(stated, p.name)))
$$;

-- What a file says in the place of a name where it knows none: the ticker.
CREATE FUNCTION name_or_none(stated text, spellings text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN regexp_replace(upper(stated), '[^0-9A-Z]', '', 'g')
                     <> regexp_replace(split_part(upper(spellings), ':', 1), '[^0-9A-Z]', '', 'g')
                THEN nullif(btrim(stated), '') END
$$;

-- ------------------------------------------------- which listing a row means

-- The listings that a row may mean: of the first of its spellings that is listed, now or once, by a company that
-- bears the stated name, all that are. `days` is how far each is from being in force on the day (NULL: on no
-- day of all that count).
CREATE FUNCTION listings_meant(spellings text, stated text, day date)
RETURNS TABLE (issuer_id bigint, symbol text, days integer) LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT m.issuer_id, m.record_key, m.days
    FROM (SELECT c.*, dense_rank() OVER (ORDER BY c.place) AS turn
          FROM (SELECT l.issuer_id, l.record_key, min(w.place) AS place,
                       min(CASE WHEN l.known_at > i.instant THEN l.known_at::date - day
                                WHEN l.superseded_at <= i.instant THEN day - l.superseded_at::date
                                ELSE 0 END) AS days
                FROM unnest(string_to_array(upper(spellings), ' ')) WITH ORDINALITY AS w(spelling, place)
                JOIN disclosed.listing l ON l.ticker = split_part(w.spelling, ':', 1)
                 AND (position(':' IN w.spelling) = 0 OR l.market = split_part(w.spelling, ':', 2))
                CROSS JOIN (SELECT disclosed.end_of_day(day) AS instant) i
                WHERE l.superseded_at IS DISTINCT FROM l.known_at
                GROUP BY l.issuer_id, l.record_key) c
          WHERE disclosed.name_or_none(stated, spellings) IS NULL
             OR disclosed.is_named(disclosed.name_or_none(stated, spellings), c.issuer_id, c.record_key)) m
    WHERE m.turn = 1
$$;

-- The one that was in force on the day, or is nearest to it.
CREATE FUNCTION listing_on(spellings text, stated text, day date, OUT issuer_id bigint, OUT symbol text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT m.issuer_id, m.symbol FROM disclosed.listings_meant(spellings, stated, day) m
    ORDER BY m.days, m.issuer_id, m.symbol LIMIT 1
$$;

-- ------------------------------------------------- rows go where they belong

-- Rows that an importer loaded by ticker go to the company whose listing they mean, with its symbol, or to the
-- party of their spellings where none is meant: whatever was loaded first. So do rows of other sources as long as they
-- are a party's. Looks at rows of `issuers`, parties among
-- them, and of all that have or had a listing of the same ticker; of those loaded just now alone where `fresh`. Rows
-- that the company has already stay where they are. Returns the issuers of rows that have changed.
CREATE FUNCTION place_rows(dataset_table text, source text, name_column text, day_column text, has_symbol boolean,
                           issuers bigint[], fresh boolean) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    many boolean := cardinality(issuers) > 100; -- then all parties are read once, not each looked up for each listing
BEGIN
    IF to_regclass('pg_temp.place_holder') IS NULL THEN
        CREATE TEMP TABLE place_holder (issuer_id bigint, party_spellings text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE place_row (issuer_id bigint, row_id bigint, record_key text, spellings text, stated text,
                                     day date, symbol text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE place_meant (spellings text, stated text, meant bigint, company_id bigint, symbol text)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE place_target (issuer_id bigint, row_id bigint, record_key text, target_id bigint,
                                        symbol text) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.place_holder;
    DELETE FROM pg_temp.place_row;
    DELETE FROM pg_temp.place_meant;
    DELETE FROM pg_temp.place_target;

    INSERT INTO pg_temp.place_holder
    SELECT h.issuer_id, CASE WHEN i.party_key LIKE 'symbol/%' THEN substr(i.party_key, 8) END
    FROM (SELECT DISTINCT unnest(issuers) AS issuer_id
          UNION
          SELECT o.issuer_id FROM (SELECT DISTINCT l.symbol
                                   FROM (SELECT DISTINCT unnest(issuers) AS issuer_id) n
                                   JOIN disclosed.listing l USING (issuer_id)) s
          JOIN disclosed.listing o ON o.record_key = s.symbol
          UNION
          SELECT p.issuer_id FROM (SELECT DISTINCT l.ticker, l.symbol
                                   FROM (SELECT DISTINCT unnest(issuers) AS issuer_id) n
                                   JOIN disclosed.listing l USING (issuer_id)) s
          JOIN disclosed.issuer p ON NOT many AND p.party_key LIKE 'symbol/%'
           AND string_to_array(substr(p.party_key, 8), ' ') && ARRAY[s.ticker, s.symbol]
          UNION
          SELECT p.issuer_id FROM (SELECT DISTINCT unnest(ARRAY[l.ticker, l.symbol]) AS spelling
                                   FROM (SELECT DISTINCT unnest(issuers) AS issuer_id) n
                                   JOIN disclosed.listing l USING (issuer_id)
                                   WHERE many) s
          JOIN (SELECT i.issuer_id, unnest(string_to_array(substr(i.party_key, 8), ' ')) AS spelling
                FROM disclosed.issuer i WHERE many AND i.party_key LIKE 'symbol/%') p USING (spelling)) h
    JOIN disclosed.issuer i USING (issuer_id);
    ANALYZE pg_temp.place_holder;
    EXECUTE format($sql$
        INSERT INTO pg_temp.place_row
        SELECT t.issuer_id, t.row_id, t.record_key, w.spellings, t.%2$I, t.%3$I, %4$s
        FROM pg_temp.place_holder h JOIN disclosed.%1$I t USING (issuer_id)
        JOIN disclosed.import_run r USING (import_run_id)
        CROSS JOIN LATERAL (SELECT CASE WHEN r.source = $1 AND t.spellings IS NOT NULL THEN t.spellings
                                        ELSE h.party_spellings END AS spellings) w
        WHERE w.spellings IS NOT NULL AND (NOT $2 OR t.recorded_at = now())
    $sql$, dataset_table, name_column, day_column, CASE WHEN has_symbol THEN 't.symbol' ELSE 'NULL' END)
    USING source, fresh;
    IF NOT EXISTS (SELECT 1 FROM pg_temp.place_row) THEN
        RETURN;
    END IF;
    ANALYZE pg_temp.place_row;

    -- Mostly all rows of a name mean one listing, whatever their days.
    INSERT INTO pg_temp.place_meant
    SELECT g.spellings, g.stated, m.meant, m.issuer_id, m.symbol
    FROM (SELECT spellings, stated, min(day) AS day FROM pg_temp.place_row GROUP BY 1, 2) g
    CROSS JOIN LATERAL (
        SELECT count(*) AS meant, min(l.issuer_id) AS issuer_id, min(l.symbol) AS symbol
        FROM disclosed.listings_meant(g.spellings, g.stated, g.day) l) m;
    ANALYZE pg_temp.place_meant;
    INSERT INTO disclosed.issuer (party_key, name)
    SELECT 'symbol/' || m.spellings, min(m.stated) FROM pg_temp.place_meant m
    WHERE m.meant = 0
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer p WHERE p.party_key = 'symbol/' || m.spellings)
    GROUP BY m.spellings;
    INSERT INTO pg_temp.place_target
    SELECT d.issuer_id, d.row_id, d.record_key, d.target_id, d.symbol
    FROM (SELECT r.issuer_id, r.row_id, r.record_key, r.symbol AS old_symbol,
                 CASE WHEN m.meant > 1 THEN o.issuer_id WHEN m.meant = 1 THEN m.company_id
                      ELSE p.issuer_id END AS target_id,
                 CASE WHEN m.meant > 1 THEN o.symbol ELSE m.symbol END AS symbol
          FROM pg_temp.place_row r
          JOIN pg_temp.place_meant m ON m.spellings = r.spellings AND m.stated IS NOT DISTINCT FROM r.stated
          -- Not ON m.meant > 1: a function is called before a join's condition is looked at.
          LEFT JOIN LATERAL (SELECT on_day.* FROM disclosed.listing_on(r.spellings, r.stated, r.day) on_day
                             WHERE m.meant > 1 OFFSET 0) o ON true
          LEFT JOIN disclosed.issuer p ON m.meant = 0 AND p.party_key = 'symbol/' || m.spellings) d
    WHERE d.target_id <> d.issuer_id OR (has_symbol AND d.symbol IS DISTINCT FROM d.old_symbol);
    IF NOT EXISTS (SELECT 1 FROM pg_temp.place_target) THEN
        RETURN;
    END IF;
    ANALYZE pg_temp.place_target;
    RETURN QUERY EXECUTE format($sql$
        WITH target AS (
            SELECT g.*, min(g.issuer_id) OVER (PARTITION BY g.target_id, g.record_key) AS first_id
            FROM pg_temp.place_target g),
        moved AS (
            UPDATE disclosed.%1$I t SET issuer_id = g.target_id %2$s
            FROM target g
            WHERE t.issuer_id = g.issuer_id AND t.row_id = g.row_id
              AND (g.target_id = g.issuer_id
                   OR (g.first_id = g.issuer_id
                       AND NOT EXISTS (SELECT 1 FROM disclosed.%1$I x
                                       WHERE x.issuer_id = g.target_id AND x.record_key = g.record_key)))
            RETURNING g.issuer_id AS old_id, g.target_id)
        SELECT old_id FROM moved UNION SELECT target_id FROM moved
    $sql$, dataset_table, CASE WHEN has_symbol THEN ', symbol = g.symbol' ELSE '' END);
END $$;

DROP FUNCTION adopt_rows(text, bigint[]);

-- Rows of a file that names companies, loaded when that was not kept yet, give way to the same rows with the name where
-- these belong elsewhere: they were in force at no time. Returns the issuers.
CREATE FUNCTION replace_unnamed_rows(dataset_table text, issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        UPDATE disclosed.%1$I old SET superseded_at = old.known_at
        FROM disclosed.%1$I t
        WHERE t.issuer_id = ANY ($1) AND t.recorded_at = now() AND t.stated_name IS NOT NULL
          AND old.record_key = t.record_key AND old.spellings = t.spellings AND old.issuer_id <> t.issuer_id
          AND old.stated_name IS NULL AND old.superseded_at IS DISTINCT FROM old.known_at
        RETURNING old.issuer_id
    $sql$, dataset_table) USING issuers;
END $$;

-- ------------------------------------------------------------------ short interest

-- Rows take the places and symbols of their listings; returns the issuers of those that have changed.
CREATE OR REPLACE FUNCTION name_short_interest(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT disclosed.place_rows('short_interest', 'finra-short-interest', 'issue_name',
                                             'settlement_date', true, issuers, false);
    RETURN QUERY SELECT disclosed.name_other_short_interest(issuers);
END $$;

-- Those of other sources, which say themselves whose they are.
CREATE FUNCTION name_other_short_interest(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH named AS MATERIALIZED ( -- looked up once for each code, not for each row
        SELECT s.issuer_id, s.symbol_code, s.spellings, s.import_run_id,
               disclosed.listing_of_spellings(s.issuer_id, s.spellings, s.symbol_code) AS symbol
        FROM (SELECT DISTINCT issuer_id, symbol_code, spellings, import_run_id FROM disclosed.short_interest
              WHERE issuer_id = ANY (issuers)) s
        JOIN disclosed.import_run r USING (import_run_id)
        WHERE r.source <> 'finra-short-interest' OR s.spellings IS NULL)
    UPDATE disclosed.short_interest t SET symbol = n.symbol
    FROM named n
    WHERE t.issuer_id = ANY (issuers) AND t.import_run_id = n.import_run_id
      AND t.issuer_id = n.issuer_id AND t.symbol_code = n.symbol_code
      AND t.spellings IS NOT DISTINCT FROM n.spellings AND t.symbol IS DISTINCT FROM n.symbol
    RETURNING t.issuer_id
$$;

DROP FUNCTION settle_short_interest(bigint[]);
CREATE FUNCTION settle_short_interest(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.revise_short_interest(issuers);
    RETURN QUERY SELECT disclosed.place_rows('short_interest', 'finra-short-interest', 'issue_name',
                                             'settlement_date', true, issuers, true);
    RETURN QUERY SELECT disclosed.name_other_short_interest(issuers);
END $$;

-- ------------------------------------------------------------------ corporate actions

CREATE OR REPLACE FUNCTION name_corporate_actions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT disclosed.place_rows('corporate_action', 'corporate-actions', 'stated_name',
                                             'action_date', true, issuers, false);
    RETURN QUERY SELECT disclosed.name_other_actions(issuers);
END $$;

CREATE FUNCTION name_other_actions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH named AS MATERIALIZED (
        SELECT s.issuer_id, s.symbol_code, s.spellings, s.import_run_id,
               disclosed.listing_of_spellings(s.issuer_id, s.spellings, s.symbol_code) AS symbol
        FROM (SELECT DISTINCT issuer_id, symbol_code, spellings, import_run_id FROM disclosed.corporate_action
              WHERE issuer_id = ANY (issuers)) s
        JOIN disclosed.import_run r USING (import_run_id)
        WHERE r.source <> 'corporate-actions' OR s.spellings IS NULL)
    UPDATE disclosed.corporate_action t SET symbol = n.symbol
    FROM named n
    WHERE t.issuer_id = n.issuer_id AND t.symbol_code = n.symbol_code AND t.import_run_id = n.import_run_id
      AND t.spellings IS NOT DISTINCT FROM n.spellings AND t.symbol IS DISTINCT FROM n.symbol
    RETURNING t.issuer_id
$$;

DROP FUNCTION settle_corporate_actions(bigint[]);
CREATE FUNCTION settle_corporate_actions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    placed bigint[];
BEGIN
    placed := ARRAY(SELECT disclosed.place_rows('corporate_action', 'corporate-actions', 'stated_name',
                                                'action_date', true, issuers, true)
                    UNION SELECT disclosed.replace_unnamed_rows('corporate_action', issuers));
    PERFORM disclosed.order_corporate_actions(issuers || placed);
    RETURN QUERY SELECT unnest(placed);
    RETURN QUERY SELECT disclosed.name_other_actions(issuers);
END $$;

-- The listings whose actions are not those of the one asked for: of its company all others, but for the primary one
-- those that are no longer in force, so that what was paid under a former ticker stands with one listing.
CREATE FUNCTION listings_beside(asked text, instant timestamptz DEFAULT NULL) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH at AS (SELECT coalesce(instant, 'infinity') AS instant),
    company AS (
        SELECT l.issuer_id, (SELECT p.symbol FROM disclosed.primary_listing(l.issuer_id, at.instant) p) AS primary_symbol
        FROM at, disclosed.listing l
        WHERE l.record_key = asked AND l.known_at <= at.instant
          AND (l.superseded_at IS NULL OR l.superseded_at > at.instant))
    SELECT coalesce(array_agg(DISTINCT o.record_key), '{}')
    FROM at, company c JOIN disclosed.listing o USING (issuer_id)
    WHERE o.record_key <> asked
      AND (asked <> c.primary_symbol
           OR (o.status = 'active' AND o.known_at <= at.instant
               AND (o.superseded_at IS NULL OR o.superseded_at > at.instant)))
$$;

-- ------------------------------------------------------------------ earnings calendars

CREATE FUNCTION name_event_notices(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    SELECT disclosed.place_rows('event_notice', 'earnings-calendar', 'stated_name', 'event_on', false,
                                issuers, false)
$$;

CREATE FUNCTION settle_event_notices(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT disclosed.place_rows('event_notice', 'earnings-calendar', 'stated_name', 'event_on', false,
                                             issuers, true);
    RETURN QUERY SELECT disclosed.replace_unnamed_rows('event_notice', issuers);
END $$;

-- ------------------------------------------------------- what is stored already

-- What a row's party tells of how its file named it.
UPDATE corporate_action t SET stated_name = i.name
FROM issuer i, import_run r
WHERE i.issuer_id = t.issuer_id AND i.party_key LIKE 'symbol/%' AND r.import_run_id = t.import_run_id
  AND r.source = 'corporate-actions';
UPDATE event_notice t
SET spellings = substr(i.party_key, 8), stated_name = i.name
FROM issuer i, import_run r
WHERE i.issuer_id = t.issuer_id AND i.party_key LIKE 'symbol/%' AND r.import_run_id = t.import_run_id
  AND r.source = 'earnings-calendar';
UPDATE event_notice t
SET spellings = coalesce((SELECT string_agg(DISTINCT l.symbol, ' ') FROM listing l
                          WHERE l.issuer_id = t.issuer_id AND regexp_replace(l.ticker, '[^0-9A-Z]', '', 'g')
                                = split_part(t.record_key, '/', 2)),
                         split_part(t.record_key, '/', 2) || ':US')
FROM import_run r
WHERE t.spellings IS NULL AND r.import_run_id = t.import_run_id AND r.source = 'earnings-calendar';

-- A row's src_id does not depend on whether its listing was loaded before it.
CREATE FUNCTION symbol_digest(dataset text, provider text, spellings text, record_key text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT left(encode(sha256(convert_to(concat_ws(E'\n', dataset, provider,
               'symbol/' || regexp_replace(split_part(w.first, ':', 1), '[^0-9A-Z]', '', 'g')
               || ':' || split_part(w.first, ':', 2), record_key), 'UTF8')), 'hex'), 32)::uuid
    FROM (SELECT split_part(upper(spellings), ' ', 1) AS first) w
$$;
CREATE FUNCTION recount_dataset(counted text, day text, issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($sql$
        WITH fresh AS (
            SELECT u.issuer_id, c.record_count, c.latest FROM unnest($1) AS u(issuer_id)
            CROSS JOIN LATERAL (SELECT count(*) AS record_count, max(t.%2$I)::date AS latest
                                FROM disclosed.%1$I t
                                WHERE t.issuer_id = u.issuer_id AND t.superseded_at IS NULL) c)
        INSERT INTO disclosed.dataset_issuer_stat (issuer_id, dataset, record_count, latest)
        SELECT issuer_id, %1$L, record_count, latest FROM fresh
        ON CONFLICT (issuer_id, dataset)
        DO UPDATE SET record_count = excluded.record_count, latest = excluded.latest
    $sql$, counted, day) USING issuers;
    UPDATE disclosed.dataset_stat SET version = version + 1, changed_at = now() WHERE dataset = counted;
END $$;
DO $$
DECLARE
    one record;
    changed bigint[];
BEGIN
    FOR one IN SELECT * FROM (VALUES ('short_interest', 'finra-short-interest', 'name_short_interest'),
        ('corporate_action', 'corporate-actions', 'name_corporate_actions'),
        ('event_notice', 'earnings-calendar', 'name_event_notices')) AS c(dataset, source, follower)
    LOOP
        EXECUTE format($sql$
            UPDATE disclosed.%1$I t
            SET src_digest = disclosed.symbol_digest(%1$L, t.source_provider, t.spellings, t.record_key)
            FROM disclosed.import_run r
            WHERE r.import_run_id = t.import_run_id AND r.source = %2$L AND t.spellings IS NOT NULL
        $sql$, one.dataset, one.source);
        EXECUTE format('SELECT array_agg(DISTINCT p) FROM disclosed.%I(ARRAY(
            SELECT DISTINCT issuer_id FROM disclosed.%I)) AS p', one.follower, one.dataset) INTO changed;
        IF one.dataset = 'corporate_action' THEN
            PERFORM disclosed.order_corporate_actions(changed);
        ELSIF one.dataset = 'event_notice' AND changed IS NOT NULL THEN
            PERFORM count(*) FROM disclosed.settle_events(changed);
            PERFORM disclosed.recount_dataset('event', 'event_at', changed);
        END IF;
        PERFORM disclosed.recount_dataset(one.dataset, CASE one.dataset WHEN 'short_interest' THEN 'settlement_date'
            WHEN 'corporate_action' THEN 'action_date' ELSE 'known_at' END, changed);
    END LOOP;
END $$;
DROP FUNCTION symbol_digest;
DROP FUNCTION recount_dataset;

-- ------------------------------------------------------------------ rights

GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA disclosed TO disclosed_loader;
GRANT EXECUTE ON FUNCTION listings_beside TO disclosed_api;
