-- Rows of files that name securities by their tickers (short interest, corporate actions, calendars of earnings)
-- belong to the listing of their day, and where the file names the company, only to one that bears that name: tickers go
-- from one company to another.

SET LOCAL search_path = disclosed, public;

-- ----------------------------------------------- which listing a row means

-- The src_id of a row by ticker, whoever is listed.
CREATE FUNCTION symbol_digest(dataset text, provider text, spellings text, record_key text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT left(encode(sha256(convert_to(concat_ws(E'\n', dataset, provider,
               'symbol/' || regexp_replace(split_part(w.first, ':', 1), '[^0-9A-Z]', '', 'g')
               || ':' || split_part(w.first, ':', 2), record_key), 'UTF8')), 'hex'), 32)::uuid
    FROM (SELECT split_part(upper(spellings), ' ', 1) AS first) w
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

-- The listing that was in force on the day, or is nearest to it.
CREATE FUNCTION listing_on(spellings text, stated text, day date, OUT issuer_id bigint, OUT symbol text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT m.issuer_id, m.symbol FROM disclosed.listings_meant(spellings, stated, day) m
    ORDER BY m.days, disclosed.issuer_order(m.issuer_id), m.symbol LIMIT 1
$$;

-- -------------------------------------------------------- where rows stand

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

-- Rows that do not name the company give way to the same rows of a file that does, where these belong elsewhere: they
-- were in force at no time. Returns the issuers.
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
