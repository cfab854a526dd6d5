-- A load costs what its rows cost, however many are stored: what it writes is found by when it was written, and what is asked of each row is asked
-- once of all rows that say the same.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------------ rows by ticker

-- The rows of a load: companies have many older ones.
CREATE INDEX short_interest_recorded ON short_interest (recorded_at);
CREATE INDEX corporate_action_recorded ON corporate_action (recorded_at);
CREATE INDEX event_notice_recorded ON event_notice (recorded_at);
-- What revises positions, and what was revised: few rows.
CREATE INDEX short_interest_revising ON short_interest (settlement_date, issuer_id) WHERE previous_revised OR revised_from IS NOT NULL;

-- Gathers the rows that this transaction has written in pg_temp.place_row, with their spellings. Nothing is joined to them row by row: by the
-- statistics there are none, and a plan for none would compare each with each.
CREATE FUNCTION gather_fresh_rows(dataset_table text, source text, name_column text, day_column text, has_symbol boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    by_ticker integer[];
BEGIN
    EXECUTE format($sql$
        SELECT coalesce(array_agg(o.source_id), '{}')
        FROM (SELECT DISTINCT t.source_id FROM disclosed.%I t WHERE t.recorded_at = now() OFFSET 0) t
        JOIN disclosed.source o USING (source_id) JOIN disclosed.import_run r USING (import_run_id) WHERE r.source = $1
    $sql$, dataset_table) INTO by_ticker USING source;
    EXECUTE format($sql$
        INSERT INTO pg_temp.place_row
        SELECT * FROM (
            SELECT t.issuer_id, t.row_id, t.record_key,
                   CASE WHEN t.source_id = ANY ($1) AND t.spellings IS NOT NULL THEN t.spellings
                        ELSE (SELECT substr(i.party_key, 8) FROM disclosed.issuer i
                              WHERE i.issuer_id = t.issuer_id AND i.party_key LIKE 'symbol/%%') END AS spellings,
                   t.%2$I, t.%3$I, %4$s
            FROM disclosed.%1$I t WHERE t.recorded_at = now() OFFSET 0) t
        WHERE t.spellings IS NOT NULL
    $sql$, dataset_table, name_column, day_column, CASE WHEN has_symbol THEN 't.symbol' ELSE 'NULL' END)
    USING by_ticker;
END $$;

-- Gathers all rows of these issuers in pg_temp.place_row, and of parties and others with listings of the same tickers.
CREATE FUNCTION gather_rows_of(issuers bigint[], dataset_table text, source text, name_column text, day_column text, has_symbol boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    many boolean := cardinality(issuers) > 100; -- then all parties are read once, not each looked up for each listing
BEGIN
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
        JOIN disclosed.source o USING (source_id) JOIN disclosed.import_run r USING (import_run_id)
        CROSS JOIN LATERAL (SELECT CASE WHEN r.source = $1 AND t.spellings IS NOT NULL THEN t.spellings
                                        ELSE h.party_spellings END AS spellings) w
        WHERE w.spellings IS NOT NULL
    $sql$, dataset_table, name_column, day_column, CASE WHEN has_symbol THEN 't.symbol' ELSE 'NULL' END)
    USING source;
END $$;

-- Rows that an importer loaded by ticker go to the company whose listing they mean, with its symbol, or to the
-- party of their spellings where none is meant: whatever was loaded first. So do rows of other sources as long as they
-- are a party's. Looks at the rows that are loaded just now where `fresh`, else at those of `issuers`, parties among
-- them, and of all that have or had a listing of the same ticker. Rows that the company has already stay where they
-- are. Returns the issuers of rows that have changed.
CREATE OR REPLACE FUNCTION place_rows(dataset_table text, source text, name_column text, day_column text, has_symbol boolean,
                           issuers bigint[], fresh boolean) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    has_rows boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM disclosed.%I)', dataset_table) INTO has_rows;
    IF NOT has_rows THEN
        RETURN;
    END IF;
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

    IF fresh THEN
        PERFORM disclosed.gather_fresh_rows(dataset_table, source, name_column, day_column, has_symbol);
    ELSE
        PERFORM disclosed.gather_rows_of(issuers, dataset_table, source, name_column, day_column, has_symbol);
    END IF;
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

-- ------------------------------------------------------------------------------ short interest

-- Whether this transaction loads files of FINRA, and nothing else.
CREATE FUNCTION is_load_of_finra() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce(bool_and(r.source = 'finra-short-interest'), false) FROM disclosed.import_run r WHERE r.started_at >= now()
$$;

-- The first settlement date of which this transaction may have written rows: of the cycle before that of the first row of FINRA's files, or any.
CREATE FUNCTION short_interest_since() RETURNS date LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN disclosed.is_load_of_finra()
                THEN coalesce(nullif(current_setting('disclosed.short_interest_since', true), '')::date - 21, '-infinity')
                ELSE '-infinity' END
$$;

-- Rows take the places and symbols of their listings, those loaded just now alone where `fresh`. Returns the issuers of those that
-- have changed. FINRA's files bring no rows of other sources.
CREATE OR REPLACE FUNCTION place_short_interest(issuers bigint[], fresh boolean) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT disclosed.place_rows('short_interest', 'finra-short-interest', 'issue_name',
                                             'settlement_date', true, issuers, fresh);
    IF NOT (fresh AND disclosed.is_load_of_finra()) THEN
        RETURN QUERY SELECT disclosed.name_other_short_interest(issuers);
    END IF;
END $$;

-- Name, market and spellings of a security are those of the copy that was loaded last, and say whose its row is: they make no version by themselves. Before the
-- merge, so that the rows meet. Returns who had rows that have changed, and who has them now.
CREATE OR REPLACE FUNCTION rename_short_interest() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.misnamed_short') IS NULL THEN
        CREATE TEMP TABLE misnamed_short (issuer_id bigint, row_id bigint, row_order bigint, holder_id bigint) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.misnamed_short;
    INSERT INTO pg_temp.misnamed_short
    SELECT t.issuer_id, t.row_id, s.row_order, coalesce(s.issuer_id, j.issuer_id)
    FROM (SELECT DISTINCT ON (x.record_key COLLATE "C") x.* FROM pg_temp.stage_short_interest x
          ORDER BY x.record_key COLLATE "C", x.row_order DESC) s
    LEFT JOIN disclosed.issuer j ON j.party_key = s.party
    CROSS JOIN LATERAL (
        SELECT t.issuer_id, t.row_id FROM disclosed.short_interest t JOIN disclosed.source o USING (source_id)
        WHERE t.record_key = s.record_key AND o.provider = 'finra'
          AND (t.issuer_id, t.issue_name, t.market_class, t.spellings)
              IS DISTINCT FROM (coalesce(s.issuer_id, j.issuer_id), s.issue_name, s.market_class, s.spellings) OFFSET 0) t;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    WITH made AS (
        INSERT INTO disclosed.issuer (party_key, name)
        SELECT s.party, min(s.issue_name COLLATE "C") FROM pg_temp.misnamed_short m JOIN pg_temp.stage_short_interest s USING (row_order)
        WHERE m.holder_id IS NULL AND s.party IS NOT NULL GROUP BY s.party
        RETURNING issuer_id, party_key)
    UPDATE pg_temp.misnamed_short m SET holder_id = d.issuer_id
    FROM made d JOIN pg_temp.stage_short_interest s ON s.party = d.party_key WHERE s.row_order = m.row_order;
    DELETE FROM pg_temp.misnamed_short m USING pg_temp.stage_short_interest s -- whose both have rows are two records
    WHERE s.row_order = m.row_order AND m.issuer_id <> m.holder_id
      AND EXISTS (SELECT 1 FROM disclosed.short_interest x WHERE x.issuer_id = m.holder_id AND x.record_key = s.record_key);
    RETURN QUERY
    WITH renamed AS (
        UPDATE disclosed.short_interest t
        SET issuer_id = m.holder_id, issue_name = s.issue_name, market_class = s.market_class, spellings = s.spellings,
            symbol = CASE WHEN EXISTS (SELECT 1 FROM disclosed.source o JOIN disclosed.import_run r USING (import_run_id)
                                       WHERE o.source_id = t.source_id AND r.source <> 'finra-short-interest')
                          THEN disclosed.listing_of_spellings(m.holder_id, s.spellings, t.symbol_code) ELSE l.symbol END
        FROM pg_temp.misnamed_short m JOIN pg_temp.stage_short_interest s USING (row_order)
        LEFT JOIN LATERAL disclosed.listing_on(s.spellings, s.issue_name, s.settlement_date) l ON l.issuer_id = m.holder_id
        WHERE t.issuer_id = m.issuer_id AND t.row_id = m.row_id AND m.holder_id IS NOT NULL
        RETURNING m.issuer_id AS old_id, m.holder_id)
    SELECT r.old_id FROM renamed r UNION SELECT r.holder_id FROM renamed r;
END $$;

-- Before the rows of FINRA's files are merged: a row that says what FINRA said at first, after a file has said something else, is
-- public from when it was taken. A position that the next cycle's row has revised is not what a file said of its own date.
CREATE OR REPLACE FUNCTION restate_short_interest(taken_at timestamptz) RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('disclosed.short_interest_since', least(min(s.settlement_date),
                       nullif(current_setting('disclosed.short_interest_since', true), '')::date)::text, true)
    FROM pg_temp.stage_short_interest s;
    IF NOT EXISTS (SELECT 1 FROM pg_temp.stage_short_interest s
                   CROSS JOIN LATERAL (SELECT 1 FROM disclosed.short_interest t WHERE t.record_key = s.record_key LIMIT 1) t) THEN
        RETURN; -- no row of the file is stored
    END IF;
    RETURN QUERY SELECT 'short_interest', r FROM disclosed.rename_short_interest() AS r;
    WITH said AS (
        SELECT DISTINCT ON (record_key COLLATE "C") * FROM pg_temp.stage_short_interest ORDER BY record_key COLLATE "C", row_order DESC)
    UPDATE pg_temp.stage_short_interest s SET known_at = greatest(s.known_at, restate_short_interest.taken_at)
    FROM said CROSS JOIN LATERAL (
        SELECT t.current_short_position, t.previous_short_position, t.avg_daily_share_volume, t.known_at, o.content_hash
        FROM disclosed.short_interest t JOIN disclosed.source o USING (source_id)
        WHERE t.record_key = said.record_key AND o.provider = 'finra'
          AND t.revised_from IS NULL
        ORDER BY t.known_at DESC, t.row_id DESC LIMIT 1) t
    WHERE s.row_order = said.row_order AND t.known_at <= greatest(s.known_at, restate_short_interest.taken_at)
      AND t.content_hash IS DISTINCT FROM (SELECT k.content_hash FROM disclosed.source k WHERE k.source_id = s.source_id)
      AND (t.current_short_position, t.previous_short_position, t.avg_daily_share_volume)
          IS DISTINCT FROM (s.current_short_position, s.previous_short_position, s.avg_daily_share_volume);
END $$;

DROP FUNCTION short_interest_slices(bigint[]); -- asked for by revise_short_interest() alone

-- From when to when each version of these issuers' rows holds of which the load has changed something: those that files said and, behind each, what the
-- rows of the next cycle say of it (not `is_said`). It has changed nothing of settlement dates before `since`. While a row of the next cycle that was
-- public at the same time or later says that it was revised, the position is that (`revising`: which row says it); before and afterwards it is what was
-- said.
CREATE FUNCTION short_interest_slices(issuers bigint[], since date)
RETURNS TABLE (issuer_id bigint, row_id bigint, is_said boolean, from_at timestamptz, ends_at timestamptz, revising bigint, revised_position numeric)
LANGUAGE sql STABLE AS $$
    WITH revising AS MATERIALIZED ( -- nothing follows from rows of others
        SELECT DISTINCT r.issuer_id FROM disclosed.short_interest r
        WHERE (r.previous_revised OR r.revised_from IS NOT NULL) AND r.settlement_date >= since - 21),
    written AS MATERIALIZED (
        SELECT DISTINCT t.issuer_id, t.symbol_code, t.settlement_date FROM revising r JOIN disclosed.short_interest t USING (issuer_id)
        WHERE t.issuer_id = ANY (issuers) AND t.settlement_date >= since AND disclosed.is_written(t.xmin)),
    touched AS MATERIALIZED (
        SELECT DISTINCT t.issuer_id, t.symbol_code, t.settlement_date, t.record_key, t.revised_from
        FROM written w CROSS JOIN LATERAL ( -- by its days, so that older ones are not read
            SELECT x.* FROM disclosed.short_interest x
            WHERE x.issuer_id = w.issuer_id AND x.settlement_date BETWEEN w.settlement_date - 21 AND w.settlement_date OFFSET 0) t
        WHERE t.symbol_code = w.symbol_code
          AND (t.settlement_date = w.settlement_date OR t.settlement_date <@ disclosed.cycle_before(w.settlement_date))),
    target AS MATERIALIZED ( -- mostly none
        SELECT DISTINCT c.issuer_id, c.symbol_code, c.settlement_date, c.record_key FROM touched c
        WHERE c.revised_from IS NOT NULL
           OR EXISTS (SELECT 1 FROM disclosed.short_interest l
                      WHERE l.issuer_id = c.issuer_id AND l.symbol_code = c.symbol_code AND l.previous_revised
                        AND l.settlement_date BETWEEN c.settlement_date AND c.settlement_date + 21
                        AND c.settlement_date <@ disclosed.cycle_before(l.settlement_date))),
    said AS MATERIALIZED (
        SELECT t.issuer_id, t.row_id, t.symbol_code, t.settlement_date, t.known_at, t.current_short_position,
               lead(t.known_at) OVER (PARTITION BY t.issuer_id, t.record_key ORDER BY t.known_at, t.row_id) AS next_at
        FROM target c JOIN disclosed.short_interest t USING (issuer_id, symbol_code, settlement_date, record_key)
        WHERE t.revised_from IS NULL),
    later AS MATERIALIZED (
        SELECT c.issuer_id, c.symbol_code, c.settlement_date, l.row_id, l.known_at,
               CASE WHEN l.previous_revised AND NOT l.stock_split THEN l.previous_short_position END AS revised,
               lead(l.known_at) OVER (PARTITION BY c.issuer_id, c.symbol_code, c.settlement_date ORDER BY l.known_at, l.row_id) AS next_at
        FROM (SELECT DISTINCT issuer_id, symbol_code, settlement_date FROM target) c
        JOIN disclosed.short_interest l
          ON l.issuer_id = c.issuer_id AND l.symbol_code = c.symbol_code AND l.revised_from IS NULL
         AND l.settlement_date BETWEEN c.settlement_date AND c.settlement_date + 21
         AND c.settlement_date <@ disclosed.cycle_before(l.settlement_date)),
    moment AS (
        SELECT s.issuer_id, s.row_id, s.known_at AS from_at, s.known_at, s.next_at, NULL::bigint AS revising, NULL::numeric AS revised_position
        FROM said s
        WHERE s.next_at IS DISTINCT FROM s.known_at
          AND NOT EXISTS (SELECT 1 FROM later l WHERE l.issuer_id = s.issuer_id AND l.symbol_code = s.symbol_code
                                                  AND l.settlement_date = s.settlement_date AND l.known_at = s.known_at)
        UNION ALL
        SELECT s.issuer_id, s.row_id, l.known_at, s.known_at, s.next_at, l.row_id, nullif(l.revised, s.current_short_position)
        FROM said s JOIN later l USING (issuer_id, symbol_code, settlement_date)
        WHERE l.next_at IS DISTINCT FROM l.known_at AND l.known_at >= s.known_at AND (s.next_at IS NULL OR l.known_at < s.next_at)),
    changing AS (
        SELECT m.*, lag(m.from_at) OVER state IS NULL
                    OR lag(m.revised_position) OVER state IS DISTINCT FROM m.revised_position AS is_change
        FROM moment m WINDOW state AS (PARTITION BY m.issuer_id, m.row_id ORDER BY m.from_at)),
    slice AS (
        SELECT c.issuer_id, c.row_id, c.from_at = c.known_at AND c.revised_position IS NULL AS is_said, c.from_at,
               coalesce(lead(c.from_at) OVER (PARTITION BY c.issuer_id, c.row_id ORDER BY c.from_at), c.next_at) AS ends_at,
               CASE WHEN c.revised_position IS NOT NULL THEN c.revising END AS revising, c.revised_position
        FROM changing c WHERE c.is_change)
    SELECT * FROM slice
    UNION ALL
    SELECT s.issuer_id, s.row_id, true, s.known_at, s.known_at, NULL, NULL FROM said s -- in force at no time
    WHERE NOT EXISTS (SELECT 1 FROM slice x WHERE x.issuer_id = s.issuer_id AND x.row_id = s.row_id AND x.is_said)
$$;

-- Makes the stored versions those: a row that says that the position of the cycle before was revised makes a version of that cycle's row, public at the
-- same time, as long as that is said. Days to cover of the revised position are not stated. Versions that end go first, so that no two are in force on
-- the way.
CREATE OR REPLACE FUNCTION revise_short_interest(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    open boolean;
    since date := disclosed.short_interest_since();
BEGIN
    IF to_regclass('pg_temp.short_slice') IS NULL THEN
        CREATE TEMP TABLE short_slice (issuer_id bigint, row_id bigint, is_said boolean, from_at timestamptz, ends_at timestamptz,
                                       revising bigint, revised_position numeric) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.short_slice;
    INSERT INTO pg_temp.short_slice SELECT * FROM disclosed.short_interest_slices(issuers, since);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    DELETE FROM disclosed.short_interest t
    USING (SELECT DISTINCT issuer_id, row_id FROM pg_temp.short_slice) v
    WHERE t.issuer_id = v.issuer_id AND t.revised_from = v.row_id
      AND NOT EXISTS (SELECT 1 FROM pg_temp.short_slice s JOIN disclosed.short_interest o
                        ON o.issuer_id = s.issuer_id AND o.row_id = coalesce(s.revising, s.row_id)
                      WHERE NOT s.is_said AND s.issuer_id = t.issuer_id AND s.row_id = t.revised_from AND s.from_at = t.known_at
                        AND o.source_id = t.source_id AND coalesce(s.revised_position, o.current_short_position) = t.current_short_position
                        AND (s.revising IS NULL OR t.stated_days_to_cover IS NULL));
    FOREACH open IN ARRAY ARRAY[false, true] LOOP
        UPDATE disclosed.short_interest t SET superseded_at = s.ends_at FROM pg_temp.short_slice s
        WHERE t.issuer_id = s.issuer_id AND (s.is_said AND t.row_id = s.row_id OR NOT s.is_said AND t.revised_from = s.row_id)
          AND t.known_at = s.from_at AND t.superseded_at IS DISTINCT FROM s.ends_at AND (s.ends_at IS NULL) <= open;
        CONTINUE WHEN open;
        INSERT INTO disclosed.short_interest (id, issuer_id, record_key, known_at, superseded_at, src_digest, source_id, symbol_code, spellings,
            settlement_date, issue_name, market_class, current_short_position, previous_short_position, avg_daily_share_volume,
            stated_days_to_cover, stated_change_pct, stock_split, previous_revised, symbol, accession, quote, revised_from)
        SELECT t.id, t.issuer_id, t.record_key, s.from_at, s.ends_at, t.src_digest, coalesce(r.source_id, t.source_id), t.symbol_code, t.spellings,
            t.settlement_date, t.issue_name, t.market_class, coalesce(s.revised_position, t.current_short_position), t.previous_short_position,
            t.avg_daily_share_volume, CASE WHEN s.revising IS NULL THEN t.stated_days_to_cover END,
            CASE WHEN s.revising IS NULL THEN t.stated_change_pct END, t.stock_split, t.previous_revised, t.symbol,
            CASE WHEN s.revising IS NULL THEN t.accession END, CASE WHEN s.revising IS NULL THEN t.quote END, t.row_id
        FROM pg_temp.short_slice s JOIN disclosed.short_interest t USING (issuer_id, row_id)
        LEFT JOIN disclosed.short_interest r ON r.issuer_id = s.issuer_id AND r.row_id = s.revising
        WHERE NOT s.is_said
          AND NOT EXISTS (SELECT 1 FROM disclosed.short_interest d
                          WHERE d.issuer_id = s.issuer_id AND d.revised_from = s.row_id AND d.known_at = s.from_at)
        ORDER BY t.row_id, s.from_at;
    END LOOP;
END $$;

-- ------------------------------------------------------------------------------ holdings of funds

-- What a holding says of its security: cusip, isin, ticker, name and title where there is a ticker, and the day where it matters.
CREATE FUNCTION said_of_security(cusip text, isin text, ticker text, name text, title text, on_date date, dated text[]) RETURNS text[]
LANGUAGE sql STABLE AS $$
    SELECT ARRAY[cusip, isin, ticker, CASE WHEN ticker IS NOT NULL THEN name END, CASE WHEN ticker IS NOT NULL THEN title END,
                 CASE WHEN coalesce(cusip, disclosed.cusip_of_isin(isin)) = ANY (dated) THEN on_date::text END]
$$;

-- The code by which listings_of_code() finds it: with the first words of name and title.
CREATE FUNCTION code_of_said(said text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ARRAY[said[1], said[2], said[3], disclosed.first_word_of_name(said[4]), disclosed.first_word_of_name(said[5]), said[6]]
$$;

-- CUSIPs whose company depends on the day.
CREATE FUNCTION dated_cusips() RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT ARRAY(SELECT DISTINCT cusip FROM disclosed.security_link WHERE basis = 'stated')
$$;

-- Brings the listings of the holdings in pg_temp.fund_code up to date; returns the numbers of reports whose holdings have changed. What many holdings
-- say is made a code once, each code is looked up once, and found again in an object: no plan can join all holdings with all codes.
CREATE FUNCTION map_fund_codes() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    listings jsonb;
BEGIN
    SELECT coalesce(jsonb_object_agg(said, jsonb_build_array(l.company_id, l.symbol)), '{}')
    INTO listings
    FROM (SELECT disclosed.code_of_said(s.said) AS code, array_agg(s.said::text) AS many
          FROM (SELECT DISTINCT code AS said FROM pg_temp.fund_code) s GROUP BY 1) c
    CROSS JOIN LATERAL disclosed.listings_of_code(c.code) l CROSS JOIN LATERAL unnest(c.many) AS said;
    RETURN QUERY
        WITH moved AS (
            UPDATE disclosed.fund_holding h
            SET company_id = (m.listing ->> 0)::bigint, symbol = m.listing ->> 1
            FROM (SELECT k.*, listings -> k.code::text AS listing FROM pg_temp.fund_code k OFFSET 0) m
            WHERE (m.company_id, m.symbol) IS DISTINCT FROM ((m.listing ->> 0)::bigint, m.listing ->> 1)
              AND h.issuer_id = m.issuer_id AND h.row_id = m.row_id
            RETURNING m.report_id)
        SELECT DISTINCT report_id FROM moved;
END $$;

-- The same of the holdings in pg_temp.fund_row.
CREATE OR REPLACE FUNCTION map_fund_rows() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    dated text[] := disclosed.dated_cusips();
BEGIN
    INSERT INTO pg_temp.fund_code
    SELECT h.issuer_id, h.row_id, r.report_id, h.company_id, h.symbol,
           disclosed.said_of_security(h.cusip, h.isin, h.ticker, h.name, h.title, r.report_date, dated)
    FROM pg_temp.fund_row r JOIN disclosed.fund_holding h USING (issuer_id, row_id);
    RETURN QUERY SELECT * FROM disclosed.map_fund_codes();
END $$;
DROP FUNCTION code_of_holding(fund_holding, date, text[]); -- asked for by map_fund_rows() alone

-- The same of all holdings of these reports.
CREATE OR REPLACE FUNCTION map_fund_holdings(reports bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    dated text[] := disclosed.dated_cusips();
BEGIN
    PERFORM disclosed.begin_fund_rows();
    INSERT INTO pg_temp.fund_code
    SELECT f.issuer_id, h.row_id, f.id, h.company_id, h.symbol,
           disclosed.said_of_security(h.cusip, h.isin, h.ticker, h.name, h.title, f.report_date, dated)
    FROM (SELECT DISTINCT id, issuer_id, record_key, report_date FROM disclosed.fund
          WHERE id = ANY(reports)) f
    CROSS JOIN LATERAL (
        SELECT x.row_id, x.company_id, x.symbol, x.cusip, x.isin, x.ticker, x.name, x.title FROM disclosed.fund_holding x
        WHERE x.issuer_id = f.issuer_id AND x.report_key = f.record_key
          AND x.asset_category IN ('EC', 'EP') OFFSET 0) h;
    PERFORM count(*) FROM disclosed.map_fund_codes();
END $$;

-- Companies of funds' equity holdings (map_fund_rows()), and the ends of the reports that they are of (order_fund_holdings()).
CREATE OR REPLACE FUNCTION expected_fund_companies()
RETURNS TABLE (row_order bigint, superseded_at timestamptz, company_id bigint, symbol text) LANGUAGE plpgsql AS $$
DECLARE
    dated text[] := disclosed.dated_cusips();
BEGIN
    RETURN QUERY
        WITH held AS MATERIALIZED (
            SELECT s.row_order, coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AS issuer_id, s.report_key,
                   CASE WHEN s.asset_category IN ('EC', 'EP')
                         AND (coalesce(s.cusip, disclosed.cusip_of_isin(s.isin)) = ANY (dated)) IS NOT TRUE
                        THEN disclosed.said_of_security(s.cusip, s.isin, s.ticker, s.name, s.title, NULL, '{}') END AS said
            FROM pg_temp.stage_fund_holding s
            LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party),
        named AS MATERIALIZED (
            SELECT m.said::text[] AS said, l.company_id, l.symbol
            FROM (SELECT disclosed.code_of_said(s.said) AS code, array_agg(s.said::text) AS many
                  FROM (SELECT DISTINCT h.said FROM held h WHERE h.said IS NOT NULL) s GROUP BY 1) c
            CROSS JOIN LATERAL disclosed.listings_of_code(c.code) l CROSS JOIN LATERAL unnest(c.many) AS m(said)),
        ended AS MATERIALIZED (
            SELECT f.issuer_id, f.record_key, max(t.ends_at) AS ends_at
            FROM disclosed.fund_timeline(ARRAY(SELECT DISTINCT h.issuer_id FROM held h)) t
            JOIN disclosed.fund f USING (issuer_id, row_id)
            GROUP BY 1, 2 HAVING bool_and(t.ends_at IS NOT NULL))
        SELECT h.row_order, e.ends_at, n.company_id, n.symbol
        FROM held h LEFT JOIN named n USING (said)
        LEFT JOIN ended e ON e.issuer_id = h.issuer_id AND e.record_key = h.report_key
        WHERE n.said IS NOT NULL OR e.ends_at IS NOT NULL;
END $$;

-- How the equity holdings that this transaction has recorded, and not counted yet, title their CUSIPs.
CREATE OR REPLACE FUNCTION titles_of_new_holdings()
RETURNS TABLE (cusip text, issuer_title text, class_title text, rows_seen bigint)
LANGUAGE sql STABLE AS $$
    WITH held AS MATERIALIZED ( -- each title once, however many rows have it
        SELECT h.cusip, h.name, disclosed.class_of_holding(h.name, h.title) AS class_title, h.rows_seen
        FROM (SELECT g.cusip COLLATE "default" AS cusip, g.name COLLATE "default" AS name, g.title COLLATE "default" AS title, g.rows_seen
              FROM (SELECT x.cusip COLLATE "C" AS cusip, x.name COLLATE "C" AS name, x.title COLLATE "C" AS title, count(*) AS rows_seen
                    FROM disclosed.titled_holding x
                    WHERE x.recorded_at = now()
                      AND x.row_id > coalesce(nullif(current_setting('disclosed.counted_holdings', true), ''), '0')::bigint
                    GROUP BY 1, 2, 3 OFFSET 0) g) h)
    SELECT h.cusip, h.name, h.class_title, sum(h.rows_seen)::bigint
    FROM held h
    WHERE disclosed.cusip_is_valid(h.cusip) AND h.class_title IS NOT NULL
    GROUP BY h.cusip, h.name, h.class_title
$$;

-- How many holdings of reports are here, and their value.
CREATE OR REPLACE FUNCTION total_funds(reports bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE disclosed.fund f SET holding_count = t.holding_count, holding_value = t.holding_value
    FROM (
        SELECT f.issuer_id, f.row_id, count(h.row_id) AS holding_count,
               coalesce(sum(h.value), 0) AS holding_value
        FROM disclosed.fund f
        LEFT JOIN LATERAL (
            SELECT DISTINCT ON (x.record_key COLLATE "C") x.row_id, x.value
            FROM disclosed.fund_holding x
            WHERE x.issuer_id = f.issuer_id AND x.report_key = f.record_key AND x.left_out IS NULL
            ORDER BY x.record_key COLLATE "C", x.known_at DESC, x.row_id DESC) h ON true
        WHERE f.id = ANY(reports)
        GROUP BY f.issuer_id, f.row_id) t
    WHERE f.issuer_id = t.issuer_id AND f.row_id = t.row_id
      AND (f.holding_count, f.holding_value) <> (t.holding_count, t.holding_value)
$$;

-- The accession number of a fund's report, and from when it was public. What is stored of the report tells what a header or another source has said: a copy
-- for another day says nothing of when this one was due. A function whose plan is kept, because it is asked for each report.
CREATE OR REPLACE FUNCTION date_of_fund_report(registrant_cik bigint, report_accession text, hash text,
                                               header_accepted timestamptz, header_filed date,
                                               as_of_day date, signed date,
                                               OUT accession text, OUT known_at timestamptz)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
    WITH same AS (
        SELECT f.accession, f.known_at,
               coalesce(f.accepted_at, disclosed.end_of_day(f.filed_on), CASE WHEN r.source IS DISTINCT FROM 'sec-nport' THEN f.known_at END) AS told_at
        FROM disclosed.fund f JOIN disclosed.issuer i USING (issuer_id)
        LEFT JOIN disclosed.source o USING (source_id) LEFT JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id
        WHERE i.cik = registrant_cik
          AND CASE WHEN report_accession IS NOT NULL THEN f.accession = report_accession
                   ELSE f.record_key = left(hash, 39)
                     OR f.accession IN (SELECT d.accession FROM disclosed.named_document d
                                        WHERE d.document = left(hash, 39)) END),
    named AS (
        SELECT coalesce(report_accession,
                        (SELECT s.accession FROM same s ORDER BY s.accession IS NULL, s.accession, s.known_at LIMIT 1)) AS accession)
    SELECT n.accession,
           coalesce((SELECT min(f.known_at) FROM disclosed.filing f
                     WHERE f.accession = n.accession AND f.superseded_at IS NULL),
                    header_accepted, disclosed.end_of_day(header_filed),
                    (SELECT min(s.told_at) FROM same s),
                    disclosed.end_of_day(greatest(as_of_day + 60, signed)))
    INTO date_of_fund_report.accession, date_of_fund_report.known_at
    FROM named n;
END $$;
