-- What follows from rows takes their sources along: functions of the migrations before, anew.

SET LOCAL search_path = disclosed, public;

-- ---------------------------------------------------------------------------------- listings

-- Brings the versions of listings into order: each holds from when a source first said so until the next of
-- its key, be it another issuer's (a ticker goes from one to another). Of companies that sources name for one instant
-- the one with the highest CIK has it from then on, whichever was loaded last, and whole-market files, which say
-- themselves in what order their rows stand, come after other sources. One row of a key is current, so
-- those that end are closed before one is opened. Returns the issuers.
CREATE OR REPLACE FUNCTION order_listings(keys text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.listing l SET superseded_at = t.next_known_at
            FROM (SELECT s.issuer_id, s.row_id, s.superseded_at, lead(s.known_at) OVER (
                             PARTITION BY s.record_key
                             ORDER BY s.known_at, s.of_snapshot, s.holder COLLATE "C" NULLS FIRST, s.row_id) AS next_known_at
                  FROM (SELECT o.*, f.of_snapshot,
                               CASE WHEN NOT f.of_snapshot THEN disclosed.issuer_order(o.issuer_id) END AS holder
                        FROM disclosed.listing_sourced o
                        CROSS JOIN LATERAL (SELECT disclosed.is_of_snapshot(o.source_provider, o.source_url) AS of_snapshot) f
                        WHERE o.record_key IN (SELECT unnest(keys))) s) t
            WHERE l.issuer_id = t.issuer_id AND l.row_id = t.row_id
              AND (t.next_known_at IS NULL) = opening
              AND t.superseded_at IS DISTINCT FROM t.next_known_at
            RETURNING l.issuer_id;
    END LOOP;
END $$;

-- -------------------------------------------------------------------------- listing versions

-- Makes the versions of the listings those that are wanted. Rows of one instant are in the order of their
-- numbers, so what follows one that goes is written anew. Returns the issuers.
CREATE OR REPLACE FUNCTION write_wanted() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.listing_pair
    SELECT l.issuer_id, l.row_id, l.record_key, l.known_at,
           row_number() OVER (PARTITION BY l.record_key, l.known_at ORDER BY l.row_id)
    FROM pg_temp.snapshot_key k JOIN disclosed.listing l USING (record_key);
    ANALYZE pg_temp.listing_pair;
    UPDATE pg_temp.wanted_listing w SET row_id = kept.row_id
    FROM (SELECT p.row_id, p.record_key, p.at, p.pos,
                 bool_and(w.issuer_id IS NOT NULL AND
                     (l.issuer_id, l.name, l.listing_exchange, l.isin, l.figi, l.is_etf, l.is_fund, l.is_adr, l.status,
                      l.listing_rank) IS NOT DISTINCT FROM (w.issuer_id, w.name, w.listing_exchange, w.isin, w.figi,
                      w.is_etf, w.is_fund, w.is_adr, w.status, w.listing_rank))
                 OVER (PARTITION BY p.record_key, p.at ORDER BY p.pos) AS is_kept
          FROM pg_temp.listing_pair p
          JOIN disclosed.listing l ON l.issuer_id = p.issuer_id AND l.row_id = p.row_id
          LEFT JOIN pg_temp.wanted_listing w
                 ON w.record_key = p.record_key AND w.at = p.at AND w.pos = p.pos) kept
    WHERE kept.is_kept AND w.record_key = kept.record_key AND w.at = kept.at AND w.pos = kept.pos;
    ANALYZE pg_temp.wanted_listing;
    RETURN QUERY
        WITH fresh AS MATERIALIZED (
            SELECT w.*, t.id
            FROM pg_temp.wanted_listing w
            LEFT JOIN (SELECT l.issuer_id, l.record_key, min(l.id) AS id
                       FROM pg_temp.snapshot_key k JOIN disclosed.listing l USING (record_key)
                       GROUP BY 1, 2) t ON t.issuer_id = w.issuer_id AND t.record_key = w.record_key
            WHERE w.row_id IS NULL),
        added AS (
            INSERT INTO disclosed.listing AS l (id, issuer_id, record_key, known_at, superseded_at, src_digest, source_id,
                accession, quote, ticker, market, name, listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank, listed_on)
            SELECT coalesce(id, nextval('disclosed.record_id')), issuer_id, record_key, at, at, src_digest,
                   disclosed.source_of(source_provider, source_url, content_hash, coalesce(extracted_at, now()), import_run_id),
                   accession, quote,
                   regexp_replace(record_key, ':[^:]*$', ''), regexp_replace(record_key, '^.*:', ''), name,
                   listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank, listed_on
            FROM fresh ORDER BY record_key, at, pos
            RETURNING l.issuer_id),
        gone AS (
            DELETE FROM disclosed.listing l USING pg_temp.listing_pair p
            WHERE l.issuer_id = p.issuer_id AND l.row_id = p.row_id
              AND NOT EXISTS (SELECT 1 FROM pg_temp.wanted_listing w WHERE w.row_id = p.row_id)
            RETURNING l.issuer_id)
        SELECT issuer_id FROM added UNION SELECT issuer_id FROM gone;
    RETURN QUERY
        UPDATE disclosed.listing l
        SET src_digest = w.src_digest, accession = w.accession, quote = w.quote, listed_on = w.listed_on,
            source_id = disclosed.source_of(w.source_provider, w.source_url, w.content_hash, coalesce(w.extracted_at, o.extracted_at),
                                            coalesce(w.import_run_id, o.import_run_id))
        FROM pg_temp.wanted_listing w
        JOIN disclosed.listing_sourced o ON o.issuer_id = w.issuer_id AND o.row_id = w.row_id
        WHERE l.issuer_id = w.issuer_id AND l.row_id = w.row_id
          AND (o.src_digest, o.source_provider, o.source_url, o.accession, o.quote, o.content_hash, o.listed_on,
               o.extracted_at) IS DISTINCT FROM
              (w.src_digest, w.source_provider, w.source_url, w.accession, w.quote, w.content_hash, w.listed_on,
               coalesce(w.extracted_at, o.extracted_at))
        RETURNING l.issuer_id;
    RETURN QUERY SELECT * FROM disclosed.order_listings(ARRAY(SELECT record_key FROM pg_temp.snapshot_key));
END $$;

-- What follows from the staged rows of another source than a whole-market file, which have been merged: they are kept as
-- they were stated. Of files that say the same at one instant the statement comes from the one that is least by
-- provider, accession number, address and content hash. Returns what changed.
CREATE OR REPLACE FUNCTION settle_listings(run bigint, hash_of_file text) RETURNS TABLE (dataset text, changed_issuer bigint)
LANGUAGE plpgsql AS $$
DECLARE
    statements bigint;
BEGIN
    IF (SELECT source FROM disclosed.import_run WHERE import_run_id = run) = 'sec-company-tickers' THEN
        RETURN;
    END IF;
    PERFORM disclosed.open_snapshot_tables();
    WITH staged AS MATERIALIZED (
        SELECT coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AS issuer_id, s.record_key, s.known_at,
               disclosed.listing_said(s.name, s.listing_exchange, s.isin, s.figi, s.is_etf, s.is_fund, s.is_adr, s.status,
                                      s.listing_rank) AS said,
               s.row_order AS place, s.src_digest, o.provider AS source_provider, o.url AS source_url, s.accession,
               s.quote, disclosed.content_hash_text(o.content_hash) AS content_hash, o.extracted_at, s.name, s.listing_exchange, s.isin, s.figi, s.is_etf,
               s.is_fund, s.is_adr, s.status, s.listing_rank, s.listed_on,
               disclosed.is_day_seen(o.provider, s.listed_on, s.known_at) AS is_seen
        FROM pg_temp.stage_listing s JOIN disclosed.source o USING (source_id)
        LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party),
    once AS (
        SELECT DISTINCT ON (record_key, known_at, issuer_id, said) *,
               max(place) OVER (PARTITION BY record_key, known_at, issuer_id, said) AS last_place
        FROM staged
        ORDER BY record_key, known_at, issuer_id, said, source_provider COLLATE "C", coalesce(accession, '~') COLLATE "C",
                 coalesce(source_url, '~') COLLATE "C", coalesce(content_hash, '~') COLLATE "C", place),
    stored AS (
        INSERT INTO disclosed.listing_stated AS t
        SELECT issuer_id, record_key, known_at, said, last_place, run, src_digest, source_provider, source_url, accession, quote,
               content_hash, extracted_at, name, listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank,
               CASE WHEN NOT is_seen THEN listed_on END,
               CASE WHEN is_seen THEN coalesce(listed_on, (known_at AT TIME ZONE 'America/New_York')::date) END
        FROM once
        ON CONFLICT (record_key, known_at, issuer_id, said) DO UPDATE
        SET (place, stated_in, listing_digest, source_provider, source_url, accession, quote, content_hash, extracted_at,
             listed_on, seen_on)
          = (SELECT greatest(t.place, excluded.place), o.stated_in, o.listing_digest, o.source_provider, o.source_url,
                    o.accession, o.quote, o.content_hash, o.extracted_at, o.listed_on, o.seen_on
             FROM (SELECT excluded.* UNION ALL SELECT t.*) o
             ORDER BY o.source_provider COLLATE "C", coalesce(o.accession, '~') COLLATE "C",
                      coalesce(o.source_url, '~') COLLATE "C", coalesce(o.content_hash, '~') COLLATE "C",
                      coalesce(o.listed_on, o.seen_on), coalesce(o.quote, '~') COLLATE "C" LIMIT 1)
        WHERE excluded.place > t.place
           OR (excluded.source_provider COLLATE "C", coalesce(excluded.accession, '~') COLLATE "C",
               coalesce(excluded.source_url, '~') COLLATE "C", coalesce(excluded.content_hash, '~') COLLATE "C",
               coalesce(excluded.listed_on, excluded.seen_on), coalesce(excluded.quote, '~') COLLATE "C")
            < (t.source_provider, coalesce(t.accession, '~'), coalesce(t.source_url, '~'), coalesce(t.content_hash, '~'),
               coalesce(t.listed_on, t.seen_on), coalesce(t.quote, '~'))
        RETURNING t.record_key)
    INSERT INTO pg_temp.snapshot_key
    SELECT record_key FROM stored
    UNION
    SELECT s.record_key FROM staged s JOIN pg_temp.touched USING (issuer_id);
    GET DIAGNOSTICS statements = ROW_COUNT;
    IF statements = 0 THEN
        RETURN;
    END IF;
    IF statements >= 2000 THEN
        -- As settling does: who gathers statistics of issuer holds this lock.
        PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
        PERFORM disclosed.analyze_grown(ARRAY['disclosed.issuer', 'disclosed.listing', 'disclosed.listing_stated']::regclass[]);
    END IF;
    RETURN QUERY SELECT 'listing', i FROM disclosed.derive_listings() AS i;
END $$;

-- ---------------------------------------------------------------------------- rows by ticker

-- Rows that an importer loaded by ticker go to the company whose listing they mean, with its symbol, or to the
-- party of their spellings where none is meant: whatever was loaded first. So do rows of other sources as long as they
-- are a party's. Looks at rows of `issuers`, parties among
-- them, and of all that have or had a listing of the same ticker; of those loaded just now alone where `fresh`. Rows
-- that the company has already stay where they are. Returns the issuers of rows that have changed.
CREATE OR REPLACE FUNCTION place_rows(dataset_table text, source text, name_column text, day_column text, has_symbol boolean,
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
        JOIN disclosed.source o USING (source_id) JOIN disclosed.import_run r USING (import_run_id)
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

-- -------------------------------------------------------------------------------- executives

-- Makes the versions of these records those that follow from what was stated. Rows of one instant are in the order of their
-- numbers, so what follows one that goes is written anew. One row of a record is current, so rows are closed before one is
-- opened. Returns the issuers whose people have changed.
CREATE OR REPLACE FUNCTION derive_executives(issuers bigint[], keys text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    IF coalesce(cardinality(issuers), 0) = 0 THEN
        RETURN;
    END IF;
    PERFORM disclosed.find_wanted_executives(issuers, keys);
    UPDATE pg_temp.wanted_executive w SET row_id = kept.row_id
    FROM (SELECT e.issuer_id, e.record_key, e.known_at, e.pos, e.row_id,
                 bool_and(w.said IS NOT DISTINCT FROM e.said)
                 OVER (PARTITION BY e.issuer_id, e.record_key, e.known_at ORDER BY e.pos) AS is_kept
          FROM (SELECT e.issuer_id, e.record_key, e.known_at, e.row_id,
                       disclosed.executive_said(e.person_cik, e.name, e.role, e.category, e.affiliation, e.person_rank,
                                                e.is_current) AS said,
                       row_number() OVER (PARTITION BY e.issuer_id, e.record_key, e.known_at ORDER BY e.row_id) AS pos
                FROM (SELECT DISTINCT * FROM unnest(issuers, keys) AS k(issuer_id, record_key)) k
                JOIN disclosed.executive e USING (issuer_id, record_key)) e
          LEFT JOIN pg_temp.wanted_executive w USING (issuer_id, record_key, known_at, pos)) kept
    WHERE kept.is_kept AND w.issuer_id = kept.issuer_id AND w.record_key = kept.record_key
      AND w.known_at = kept.known_at AND w.pos = kept.pos;
    RETURN QUERY
        DELETE FROM disclosed.executive e
        USING (SELECT DISTINCT * FROM unnest(issuers, keys) AS k(issuer_id, record_key)) k
        WHERE e.issuer_id = k.issuer_id AND e.record_key = k.record_key
          AND NOT EXISTS (SELECT 1 FROM pg_temp.wanted_executive w WHERE w.issuer_id = e.issuer_id AND w.row_id = e.row_id)
        RETURNING e.issuer_id;
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.executive e
            SET superseded_at = w.superseded_at, src_digest = w.executive_digest, accession = w.accession, quote = w.quote,
                source_id = disclosed.source_of(w.source_provider, w.source_url, w.content_hash, w.extracted_at, w.stated_in),
                reported_on = w.reported_on
            FROM pg_temp.wanted_executive w
            JOIN disclosed.executive_sourced o ON o.issuer_id = w.issuer_id AND o.row_id = w.row_id
            WHERE e.issuer_id = w.issuer_id AND e.row_id = w.row_id AND (w.superseded_at IS NULL) = opening
              AND (o.superseded_at, o.import_run_id, o.src_digest, o.source_provider, o.source_url, o.accession, o.quote,
                   o.content_hash, o.extracted_at, o.reported_on) IS DISTINCT FROM
                  (w.superseded_at, w.stated_in, w.executive_digest, w.source_provider, w.source_url, w.accession, w.quote,
                   w.content_hash, w.extracted_at, w.reported_on)
            RETURNING e.issuer_id;
        RETURN QUERY
            INSERT INTO disclosed.executive AS e (id, issuer_id, record_key, known_at, superseded_at, src_digest,
                source_id, accession, quote, person_cik, name, role, category, affiliation, person_rank, is_current, reported_on)
            SELECT id, issuer_id, record_key, known_at, superseded_at, executive_digest,
                   disclosed.source_of(source_provider, source_url, content_hash, extracted_at, stated_in), accession, quote, person_cik, name, role, category, affiliation, person_rank,
                   is_current, reported_on
            FROM pg_temp.wanted_executive
            WHERE row_id IS NULL AND (superseded_at IS NULL) = opening
            ORDER BY issuer_id, record_key, known_at, pos
            RETURNING e.issuer_id;
    END LOOP;
END $$;

-- What follows from staged people, who have been merged: they are kept as they were stated. Of files that say the same for one
-- origin the statement comes from the one that is least by provider, accession number, address and content hash. Returns
-- what changed.
CREATE OR REPLACE FUNCTION state_executives(run bigint, hash_of_file text) RETURNS TABLE (dataset text, changed_issuer bigint)
LANGUAGE plpgsql AS $$
DECLARE
    is_form boolean := (SELECT source FROM disclosed.import_run WHERE import_run_id = run) = 'sec-ownership';
    issuers bigint[];
    keys text[];
BEGIN
    -- Filings that date the reports of these people may be loading at the same moment: who comes second sees the first.
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    WITH staged AS MATERIALIZED (
        SELECT coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AS issuer_id, s.record_key,
               CASE WHEN is_form THEN coalesce(s.accession, nullif(current_setting('disclosed.document', true), ''))
                    ELSE '@' || extract(epoch FROM s.known_at) END AS origin,
               disclosed.executive_said(s.person_cik, s.name, s.role, s.category, s.affiliation, s.person_rank, s.is_current)
                   AS said,
               s.known_at, s.row_order AS place, s.src_digest, o.provider AS source_provider,
               CASE WHEN o.by_filing THEN disclosed.filing_address(o.url, s.cik, s.accession, NULL) ELSE o.url END AS source_url,
               s.accession, s.quote, disclosed.content_hash_text(o.content_hash) AS content_hash, o.extracted_at, s.person_cik, s.name, s.role, s.category, s.affiliation,
               s.person_rank, s.is_current,
               coalesce(s.reported_on, (s.known_at AT TIME ZONE 'America/New_York')::date) AS reported_on
        FROM pg_temp.stage_executive s JOIN disclosed.source o USING (source_id)
        LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party),
    once AS (
        SELECT DISTINCT ON (issuer_id, record_key, origin, said) *,
               max(place) OVER (PARTITION BY issuer_id, record_key, origin, said) AS last_place
        FROM staged
        ORDER BY issuer_id, record_key, origin, said, source_provider COLLATE "C", coalesce(accession, '~') COLLATE "C",
                 coalesce(source_url, '~') COLLATE "C", coalesce(content_hash, '~') COLLATE "C", reported_on,
                 coalesce(quote, '~') COLLATE "C", place),
    stored AS (
        INSERT INTO disclosed.executive_stated AS t
        SELECT issuer_id, record_key, origin, said, known_at, last_place, run, src_digest, source_provider, source_url, accession,
               quote, content_hash, extracted_at, person_cik, name, role, category, affiliation, person_rank, is_current,
               reported_on
        FROM once
        ON CONFLICT (issuer_id, record_key, origin, said) DO UPDATE
        SET (place, stated_in, executive_digest, source_provider, source_url, accession, quote, content_hash, extracted_at,
             reported_on)
          = (SELECT greatest(t.place, excluded.place), o.stated_in, o.executive_digest, o.source_provider, o.source_url,
                    o.accession, o.quote, o.content_hash, o.extracted_at, o.reported_on
             FROM (SELECT excluded.* UNION ALL SELECT t.*) o
             ORDER BY o.source_provider COLLATE "C", coalesce(o.accession, '~') COLLATE "C",
                      coalesce(o.source_url, '~') COLLATE "C", coalesce(o.content_hash, '~') COLLATE "C",
                      o.reported_on, coalesce(o.quote, '~') COLLATE "C" LIMIT 1)
        WHERE excluded.place > t.place
           OR (excluded.source_provider COLLATE "C", coalesce(excluded.accession, '~') COLLATE "C",
               coalesce(excluded.source_url, '~') COLLATE "C", coalesce(excluded.content_hash, '~') COLLATE "C",
               excluded.reported_on, coalesce(excluded.quote, '~') COLLATE "C")
            < (t.source_provider, coalesce(t.accession, '~'), coalesce(t.source_url, '~'), coalesce(t.content_hash, '~'),
               t.reported_on, coalesce(t.quote, '~'))
        RETURNING t.issuer_id, t.record_key)
    SELECT array_agg(u.issuer_id), array_agg(u.record_key) INTO issuers, keys
    FROM (SELECT stored.issuer_id, stored.record_key FROM stored
          UNION
          SELECT s.issuer_id, s.record_key FROM staged s JOIN pg_temp.touched USING (issuer_id)) u;
    IF issuers IS NULL THEN
        RETURN;
    END IF;
    IF cardinality(issuers) >= 2000 THEN
        PERFORM disclosed.analyze_grown(ARRAY['disclosed.executive', 'disclosed.executive_stated']::regclass[]);
    END IF;
    RETURN QUERY SELECT DISTINCT 'executive', d FROM disclosed.derive_executives(issuers, keys) AS d;
END $$;

-- ------------------------------------------------------------------------------- transcripts

-- Brings the analysts among the people of issuers in line with their calls. Somebody whom another source
-- names as analyst of the issuer is left to it. Returns the issuers whose people have changed.
CREATE OR REPLACE FUNCTION settle_analysts(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
    numbers jsonb := (
        SELECT coalesce(jsonb_object_agg(e.issuer_id || '/' || e.record_key, e.id), '{}')
        FROM disclosed.executive e
        WHERE e.issuer_id = ANY (issuers) AND e.record_key LIKE 'analysts/call/%');
BEGIN
    IF numbers = '{}' AND NOT EXISTS (SELECT 1 FROM disclosed.transcript t
                                      WHERE t.issuer_id = ANY (issuers)) THEN
        RETURN;
    END IF;
    RETURN QUERY
        DELETE FROM disclosed.executive e
        WHERE e.issuer_id = ANY (issuers) AND e.record_key LIKE 'analysts/call/%'
          AND NOT EXISTS (
              SELECT 1 FROM disclosed.analysts_of_calls(issuers) a
              WHERE a.issuer_id = e.issuer_id AND a.record_key = e.record_key
                AND (a.known_at, a.role, a.affiliation, a.is_current, a.reported_on)
                    IS NOT DISTINCT FROM (e.known_at, e.role, e.affiliation, e.is_current, e.reported_on))
        RETURNING e.issuer_id;
    -- One row of a record is current, so rows are closed before one is opened.
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.executive e SET superseded_at = a.superseded_at
            FROM disclosed.analysts_of_calls(issuers) a
            WHERE e.issuer_id = a.issuer_id AND e.record_key = a.record_key AND e.known_at = a.known_at
              AND (a.superseded_at IS NULL) = opening
              AND e.superseded_at IS DISTINCT FROM a.superseded_at
            RETURNING e.issuer_id;
    END LOOP;
    RETURN QUERY
        WITH lacking AS (
            SELECT a.* FROM disclosed.analysts_of_calls(issuers) a
            WHERE NOT EXISTS (SELECT 1 FROM disclosed.executive e
                              WHERE e.issuer_id = a.issuer_id AND e.record_key = a.record_key
                                AND e.known_at = a.known_at)),
        number AS (
            SELECT k.issuer_id, k.record_key,
                   coalesce((numbers ->> (k.issuer_id || '/' || k.record_key))::bigint,
                            nextval('disclosed.record_id')) AS id
            FROM (SELECT DISTINCT l.issuer_id, l.record_key FROM lacking l) k)
        INSERT INTO disclosed.executive AS stored (id, issuer_id, record_key, known_at, superseded_at,
            src_digest, source_id, name, role, category,
            affiliation, person_rank, is_current, reported_on)
        SELECT n.id, l.issuer_id, l.record_key, l.known_at, l.superseded_at,
               disclosed.record_source_digest('executive', o.provider, l.issuer_id, l.record_key),
               t.source_id, l.name, l.role,
               'analysts', l.affiliation, 5, l.is_current, l.reported_on
        FROM lacking l JOIN number n USING (issuer_id, record_key)
        JOIN disclosed.transcript t ON t.issuer_id = l.issuer_id AND t.row_id = l.transcript_row
        JOIN disclosed.source o USING (source_id)
        RETURNING stored.issuer_id;
END $$;

-- ----------------------------------------------------------------------------------- holders

-- Working tables of one transaction: the quarters that it has changed, and what follows from them.
CREATE OR REPLACE FUNCTION begin_holdings_work() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.work_portfolio') IS NULL THEN
        CREATE TEMP TABLE work_quarter (issuer_id bigint, period_of_report date) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_portfolio (issuer_id bigint, period_of_report date, contested boolean)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_report (issuer_id bigint, accession text, ended_at timestamptz)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_ending (issuer_id bigint, row_id bigint, ends_at timestamptz)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_symbol (symbol text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_cusip (cusip text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_security (cusip text, period_of_report date, company_id bigint,
            symbol text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_lot (issuer_id bigint, period_of_report date, company_id bigint,
            symbol text, known_at timestamptz, superseded_at timestamptz, rows bigint, value numeric,
            shares numeric, source_provider text, source_url text, accession text, content_hash text,
            extracted_at timestamptz) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE fresh_holder (issuer_id bigint, company_id bigint, symbol text,
            period_of_report date, record_key text, known_at timestamptz, superseded_at timestamptz,
            value numeric, shares numeric, source_provider text, source_url text, accession text,
            content_hash text, extracted_at timestamptz) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE old_holder (LIKE disclosed.institution_holder_sourced) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_day (LIKE disclosed.institution_flow_day) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_flow (symbol text, company_id bigint, period_of_report date,
            from_day date)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE fresh_flow (issuer_id bigint, symbol text, period_of_report date,
            record_key text, known_at timestamptz, superseded_at timestamptz, holders bigint,
            holders_change bigint, value numeric, shares numeric, source_provider text)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE old_flow (LIKE disclosed.institution_flow_sourced) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_touched (issuer_id bigint) ON COMMIT DELETE ROWS;
    END IF;
    TRUNCATE pg_temp.work_security, pg_temp.work_lot, pg_temp.fresh_holder, pg_temp.old_holder, pg_temp.work_day,
        pg_temp.work_flow, pg_temp.fresh_flow, pg_temp.old_flow;
END $$;

-- The versions of those rows' holders: at each instant at which a row came or went, the sum of the
-- rows in force. A version comes from the report that came at that instant, or last before it.
CREATE OR REPLACE FUNCTION sum_holders(by_security boolean) RETURNS void LANGUAGE plpgsql SET work_mem = '128MB' AS $$
BEGIN
    EXECUTE format($q$
        INSERT INTO pg_temp.work_lot
        SELECT t.issuer_id, t.period_of_report, s.company_id, s.symbol, t.known_at, t.superseded_at,
               count(*), sum(t.value), sum(t.shares), min(t.source_provider), min(t.source_url),
               min(t.accession), min(t.content_hash), min(t.extracted_at)
        FROM disclosed.institution_position_sourced t %s
        JOIN pg_temp.work_security s USING (cusip, period_of_report)
        WHERE t.shares_type = 'SH' AND t.put_call IS NULL AND s.symbol IS NOT NULL
          AND t.superseded_at IS DISTINCT FROM t.known_at %s
        GROUP BY 1, 2, 3, 4, 5, 6
    $q$, disclosed.holdings_scope(by_security),
         CASE WHEN by_security THEN 'AND s.symbol IN (SELECT symbol FROM pg_temp.work_symbol)' ELSE '' END);
    INSERT INTO pg_temp.fresh_holder
    WITH change AS (
        SELECT issuer_id, period_of_report, company_id, symbol, known_at AS at, rows, value, shares,
               source_provider, source_url, accession, content_hash, extracted_at
        FROM pg_temp.work_lot
        UNION ALL
        SELECT issuer_id, period_of_report, company_id, symbol, superseded_at, -rows, -value,
               -shares, NULL, NULL, NULL, NULL, NULL
        FROM pg_temp.work_lot WHERE superseded_at IS NOT NULL),
    instant AS (
        SELECT issuer_id, period_of_report, company_id, symbol, at, sum(rows) AS rows,
               sum(value) AS value, sum(shares) AS shares, min(source_provider) AS source_provider,
               min(source_url) AS source_url, min(accession) AS accession,
               min(content_hash) AS content_hash, min(extracted_at) AS extracted_at
        FROM change GROUP BY 1, 2, 3, 4, 5),
    state AS (
        SELECT i.*, lead(at) OVER timeline AS next_at, sum(rows) OVER timeline AS rows_held,
               sum(value) OVER timeline AS value_held, sum(shares) OVER timeline AS shares_held,
               count(source_provider) OVER timeline AS reports
        FROM instant i
        WINDOW timeline AS (PARTITION BY issuer_id, period_of_report, symbol, company_id ORDER BY at)),
    sourced AS (
        SELECT s.issuer_id, company_id, symbol, period_of_report, at, next_at, rows_held, value_held,
               shares_held, first_value(source_provider) OVER report AS source_provider,
               first_value(source_url) OVER report AS source_url,
               first_value(accession) OVER report AS accession,
               first_value(content_hash) OVER report AS content_hash,
               first_value(extracted_at) OVER report AS extracted_at
        FROM state s
        WINDOW report AS (PARTITION BY issuer_id, period_of_report, symbol, company_id, reports ORDER BY at))
    SELECT issuer_id, company_id, symbol, period_of_report, period_of_report || '/' || symbol, at,
           next_at, value_held, shares_held, source_provider, source_url, accession, content_hash,
           extracted_at
    FROM sourced WHERE rows_held > 0;
    EXECUTE format('INSERT INTO pg_temp.old_holder SELECT t.* FROM disclosed.institution_holder_sourced t %s',
                   CASE WHEN by_security THEN 'JOIN pg_temp.work_symbol w USING (symbol)'
                        ELSE 'JOIN pg_temp.work_portfolio w USING (issuer_id, period_of_report)' END);
    ANALYZE pg_temp.fresh_holder;
    ANALYZE pg_temp.old_holder;
END $$;

-- Puts the fresh versions in the place of the old ones; what is the same stays as it is.
CREATE OR REPLACE FUNCTION replace_holders() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        WITH gone AS (
            DELETE FROM disclosed.institution_holder t USING pg_temp.old_holder o
            WHERE t.issuer_id = o.issuer_id AND t.row_id = o.row_id
              AND NOT EXISTS (SELECT 1 FROM pg_temp.fresh_holder f
                              WHERE f.issuer_id = o.issuer_id AND f.record_key = o.record_key
                                AND f.known_at = o.known_at AND f.company_id = o.company_id)
            RETURNING t.issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM gone $q$;
    EXECUTE $q$
        WITH changed AS (
            UPDATE disclosed.institution_holder t
            SET superseded_at = f.superseded_at, value = f.value, shares = f.shares, accession = f.accession,
                source_id = disclosed.source_of(o.source_provider, f.source_url, f.content_hash, o.extracted_at, NULL)
            FROM pg_temp.fresh_holder f JOIN pg_temp.old_holder o USING (issuer_id, record_key, known_at)
            WHERE t.issuer_id = o.issuer_id AND t.row_id = o.row_id AND f.company_id = o.company_id
              AND (o.superseded_at, o.value, o.shares, o.source_url, o.accession, o.content_hash)
                  IS DISTINCT FROM (f.superseded_at, f.value, f.shares, f.source_url, f.accession,
                                    f.content_hash)
            RETURNING t.issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM changed $q$;
    EXECUTE $q$
        WITH told AS MATERIALIZED (
            SELECT d.*, disclosed.source_of(source_provider, source_url, content_hash, extracted_at, NULL) AS source_id
            FROM (SELECT DISTINCT source_provider, source_url, content_hash, extracted_at FROM pg_temp.fresh_holder) d),
        record AS (
            SELECT k.issuer_id, k.record_key, coalesce(o.id, nextval('disclosed.record_id')) AS id
            FROM (SELECT DISTINCT issuer_id, record_key FROM pg_temp.fresh_holder) k
            LEFT JOIN (SELECT issuer_id, record_key, min(id) AS id FROM pg_temp.old_holder
                       GROUP BY issuer_id, record_key) o USING (issuer_id, record_key)),
        added AS (
            INSERT INTO disclosed.institution_holder (id, issuer_id, record_key, known_at,
                superseded_at, src_digest, source_id, accession, company_id, symbol, period_of_report, value, shares)
            SELECT r.id, f.issuer_id, f.record_key, f.known_at, f.superseded_at,
                   disclosed.source_digest('institution_holder', f.source_provider,
                                           coalesce(i.cik, i.issuer_id), f.record_key),
                   d.source_id, f.accession, f.company_id, f.symbol, f.period_of_report, f.value, f.shares
            FROM pg_temp.fresh_holder f
            JOIN told d ON (d.source_provider, coalesce(d.source_url, ''), coalesce(d.content_hash, ''), d.extracted_at)
                         = (f.source_provider, coalesce(f.source_url, ''), coalesce(f.content_hash, ''), f.extracted_at)
            JOIN record r USING (issuer_id, record_key)
            JOIN disclosed.issuer i USING (issuer_id)
            WHERE NOT EXISTS (SELECT 1 FROM pg_temp.old_holder o
                              WHERE o.issuer_id = f.issuer_id AND o.record_key = f.record_key
                                AND o.known_at = f.known_at AND o.company_id = f.company_id)
            RETURNING issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM added $q$;
END $$;

CREATE OR REPLACE FUNCTION replace_flows() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        WITH gone AS (
            DELETE FROM disclosed.institution_flow t USING pg_temp.old_flow o
            WHERE t.issuer_id = o.issuer_id AND t.row_id = o.row_id
              AND NOT EXISTS (SELECT 1 FROM pg_temp.fresh_flow f
                              WHERE f.issuer_id = o.issuer_id AND f.record_key = o.record_key
                                AND f.known_at = o.known_at)
            RETURNING t.issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM gone $q$;
    EXECUTE $q$
        WITH changed AS (
            UPDATE disclosed.institution_flow t
            SET superseded_at = f.superseded_at, holders = f.holders, value = f.value,
                holders_change = f.holders_change, shares = f.shares
            FROM pg_temp.fresh_flow f JOIN pg_temp.old_flow o USING (issuer_id, record_key, known_at)
            WHERE t.issuer_id = o.issuer_id AND t.row_id = o.row_id
              AND (o.superseded_at, o.holders, o.holders_change, o.value, o.shares)
                  IS DISTINCT FROM (f.superseded_at, f.holders, f.holders_change, f.value, f.shares)
            RETURNING t.issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM changed $q$;
    EXECUTE $q$
        WITH record AS (
            SELECT k.issuer_id, k.record_key, coalesce(t.id, o.id, nextval('disclosed.record_id')) AS id
            FROM (SELECT DISTINCT issuer_id, record_key FROM pg_temp.fresh_flow) k
            LEFT JOIN (SELECT issuer_id, record_key, min(id) AS id FROM pg_temp.old_flow
                       GROUP BY issuer_id, record_key) o USING (issuer_id, record_key)
            LEFT JOIN LATERAL (SELECT min(t.id) AS id FROM disclosed.institution_flow t
                               WHERE t.issuer_id = k.issuer_id AND t.record_key = k.record_key) t ON true),
        added AS (
            INSERT INTO disclosed.institution_flow (id, issuer_id, record_key, known_at,
                superseded_at, src_digest, source_id, symbol, period_of_report,
                holders, holders_change, value, shares)
            SELECT r.id, f.issuer_id, f.record_key, f.known_at, f.superseded_at,
                   disclosed.source_digest('institution_flow', f.source_provider,
                                           coalesce(i.cik, i.issuer_id), f.record_key),
                   disclosed.source_of(f.source_provider, NULL, NULL, NULL, NULL), f.symbol, f.period_of_report, f.holders,
                   f.holders_change, f.value, f.shares
            FROM pg_temp.fresh_flow f
            JOIN record r USING (issuer_id, record_key)
            JOIN disclosed.issuer i USING (issuer_id)
            WHERE NOT EXISTS (SELECT 1 FROM pg_temp.old_flow o
                              WHERE o.issuer_id = f.issuer_id AND o.record_key = f.record_key
                                AND o.known_at = f.known_at)
            RETURNING issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM added $q$;
END $$;

-- ------------------------------------------------------------------------- congress identity

-- A report has one filer. Where its rows came to several politicians (a source that knows no district, or another
-- spelling of the name), they are of the one that the best of them names. Returns the politicians.
CREATE OR REPLACE FUNCTION unite_congress_filers(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH version AS (
        SELECT t.issuer_id, t.row_id, t.id, t.record_key, min(t.id) OVER (PARTITION BY t.record_key) AS known_id,
               first_value(t.issuer_id) OVER best AS filer_id, first_value(i.party_key) OVER best AS party_key
        FROM (SELECT DISTINCT r.chamber, r.report_id FROM disclosed.congress_trade r
              WHERE r.issuer_id = ANY(issuers) AND disclosed.is_congress_base_key(r.record_key)) r
        JOIN disclosed.congress_trade t USING (chamber, report_id) JOIN disclosed.issuer i USING (issuer_id)
        WHERE disclosed.is_congress_base_key(t.record_key)
        WINDOW best AS (PARTITION BY t.chamber, t.report_id
                        ORDER BY t.read_from = 'copy', i.party_key LIKE '%-house', i.party_key COLLATE "C")),
    moved AS (
        UPDATE disclosed.congress_trade t
        SET issuer_id = v.filer_id, id = v.known_id,
            src_digest = disclosed.congress_src_digest(o.provider, v.party_key, t.record_key)
        FROM version v, disclosed.source o
        WHERE o.source_id = t.source_id AND t.issuer_id = v.issuer_id AND t.row_id = v.row_id
          AND (v.issuer_id <> v.filer_id OR v.id <> v.known_id)
        RETURNING v.issuer_id AS old_id, v.filer_id)
    SELECT old_id FROM moved UNION SELECT filer_id FROM moved
$$;

-- Gives them their keys. By way of keys that are none, since no two records may have one key on the way. Returns the politicians.
CREATE OR REPLACE FUNCTION count_congress_repeats(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    moved bigint[];
BEGIN
    WITH changed AS (
        UPDATE disclosed.congress_trade t SET record_key = c.new_key || '~' FROM disclosed.congress_counters(issuers) c
        WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id RETURNING t.issuer_id)
    SELECT array_agg(DISTINCT c.issuer_id) INTO moved FROM changed c;
    UPDATE disclosed.congress_trade t
    SET record_key = rtrim(t.record_key, '~'),
        src_digest = disclosed.congress_src_digest(o.provider, i.party_key, rtrim(t.record_key, '~'))
    FROM disclosed.issuer i, disclosed.source o
    WHERE o.source_id = t.source_id AND t.issuer_id = ANY(moved) AND t.record_key LIKE '%~' AND i.issuer_id = t.issuer_id;
    RETURN QUERY SELECT unnest(moved);
END $$;

-- ---------------------------------------------------------------------------- congress dates

-- Makes the stored versions those. Versions that end go first, so that no two are in force on the way. Returns the politicians.
CREATE OR REPLACE FUNCTION order_congress_versions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    open boolean;
BEGIN
    CREATE TEMP TABLE congress_slice ON COMMIT DROP AS SELECT * FROM disclosed.congress_version_slices(issuers);
    RETURN QUERY DELETE FROM disclosed.congress_trade t
        WHERE t.redated_from IS NOT NULL
          AND (t.chamber, t.report_id) IN (
              SELECT r.chamber, r.report_id FROM disclosed.congress_trade r WHERE r.issuer_id = ANY(issuers))
          AND NOT EXISTS (SELECT 1 FROM pg_temp.congress_slice s
                          WHERE NOT s.is_said AND s.issuer_id = t.issuer_id AND s.row_id = t.redated_from AND s.from_at = t.known_at
                            AND s.filing_date = t.filing_date AND s.basis = t.filing_date_basis)
        RETURNING t.issuer_id;
    FOREACH open IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY UPDATE disclosed.congress_trade t SET superseded_at = s.ends_at FROM pg_temp.congress_slice s
            WHERE t.issuer_id = s.issuer_id AND coalesce(t.redated_from, t.row_id) = s.row_id
              AND (t.redated_from IS NULL) = s.is_said AND t.known_at = s.from_at
              AND t.superseded_at IS DISTINCT FROM s.ends_at AND (s.ends_at IS NULL) <= open
            RETURNING t.issuer_id;
        CONTINUE WHEN open;
        RETURN QUERY INSERT INTO disclosed.congress_trade (
                id, issuer_id, record_key, known_at, superseded_at, src_digest, source_id, accession, quote, chamber, report_id, row_number, amends, first_name, last_name, political_party,
                state_district, ticker, asset_name, asset_type, transaction_type, amount_range, owner, comment, transaction_date,
                filing_date, filing_date_basis, company_id, symbol, read_from, seen_at, redated_from)
            SELECT t.id, t.issuer_id, t.record_key, s.from_at, s.ends_at, t.src_digest, t.source_id,
                t.accession, t.quote, t.chamber, t.report_id, t.row_number, t.amends,
                t.first_name, t.last_name, t.political_party, t.state_district, t.ticker, t.asset_name, t.asset_type,
                t.transaction_type, t.amount_range, t.owner, t.comment, t.transaction_date, s.filing_date, s.basis, t.company_id,
                t.symbol, t.read_from, t.seen_at, t.row_id
            FROM pg_temp.congress_slice s JOIN disclosed.congress_trade t USING (issuer_id, row_id)
            WHERE NOT s.is_said
              AND NOT EXISTS (SELECT 1 FROM disclosed.congress_trade d
                              WHERE d.issuer_id = s.issuer_id AND d.redated_from = s.row_id AND d.known_at = s.from_at)
            ORDER BY t.row_id, s.from_at
            RETURNING congress_trade.issuer_id;
    END LOOP;
    DROP TABLE pg_temp.congress_slice;
END $$;

-- -------------------------------------------------------------------------- congress sources

-- The source that stands, of versions that files said and of those that have a better date later on. Returns the politicians.
CREATE OR REPLACE FUNCTION place_congress_sources(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH standing AS MATERIALIZED (
        SELECT v.issuer_id, v.row_id, disclosed.congress_source_of(v.sources, v.known_at) AS source
        FROM disclosed.congress_trade v WHERE v.issuer_id = ANY(issuers) AND v.sources IS NOT NULL)
    UPDATE disclosed.congress_trade t
    SET quote = s.source ->> 'quote',
        source_id = disclosed.source_of(o.source_provider, s.source ->> 'source_url', s.source ->> 'content_hash', o.extracted_at,
                                        o.import_run_id)
    FROM standing s, disclosed.congress_trade_sourced o
    WHERE o.issuer_id = t.issuer_id AND o.row_id = t.row_id AND t.issuer_id = s.issuer_id AND t.issuer_id = ANY(issuers) AND coalesce(t.redated_from, t.row_id) = s.row_id
      AND (o.source_url, o.quote, o.content_hash)
          IS DISTINCT FROM (s.source ->> 'source_url', s.source ->> 'quote', s.source ->> 'content_hash')
    RETURNING t.issuer_id
$$;

-- ---------------------------------------------------------------------------- short interest

-- Which of the rows that are to be loaded say something else than FINRA published at that time, so
-- that they correct it; numbered from 1.
CREATE OR REPLACE FUNCTION short_interest_corrections(keys text[], times timestamptz[], positions numeric[],
    previous_positions numeric[], volumes numeric[]) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT w.place
    FROM unnest(keys, times, positions, previous_positions, volumes) WITH ORDINALITY
         AS w(record_key, known_at, current_position, previous_position, volume, place)
    CROSS JOIN LATERAL (
        SELECT bool_or((t.current_short_position, t.previous_short_position, t.avg_daily_share_volume)
                       IS NOT DISTINCT FROM (w.current_position, w.previous_position, w.volume)) AS same
        FROM disclosed.short_interest t JOIN disclosed.source o USING (source_id)
        WHERE t.record_key = w.record_key AND t.known_at = w.known_at
          AND o.provider = 'finra') first
    WHERE NOT first.same
$$;

-- A row that says that the position of the cycle before was revised makes a version of that
-- cycle's row, public at the same time. Days to cover of the revised position are not stated.
CREATE OR REPLACE FUNCTION revise_short_interest(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    WITH revised AS (
        SELECT DISTINCT ON (before.issuer_id, before.record_key)
               before.issuer_id, before.row_id, before.superseded_at, later.known_at,
               later.previous_short_position AS position, later.source_id
        FROM disclosed.short_interest later
        JOIN disclosed.short_interest before
          ON before.issuer_id = later.issuer_id AND before.symbol_code = later.symbol_code
         AND before.settlement_date <@ disclosed.cycle_before(later.settlement_date)
         AND before.known_at <= later.known_at
         AND (before.superseded_at IS NULL OR before.superseded_at > later.known_at)
        WHERE later.issuer_id = ANY (issuers) AND later.previous_revised AND NOT later.stock_split
          AND later.superseded_at IS DISTINCT FROM later.known_at
          AND later.previous_short_position <> before.current_short_position
        ORDER BY before.issuer_id, before.record_key, later.known_at, later.row_id),
    closed AS (
        UPDATE disclosed.short_interest t SET superseded_at = r.known_at
        FROM revised r WHERE t.issuer_id = r.issuer_id AND t.row_id = r.row_id
        RETURNING t.*)
    INSERT INTO disclosed.short_interest (id, issuer_id, record_key, known_at, superseded_at,
        src_digest, source_id,
        symbol_code, spellings, settlement_date, issue_name, market_class, current_short_position,
        previous_short_position, avg_daily_share_volume, stock_split, previous_revised, symbol)
    SELECT c.id, c.issuer_id, c.record_key, r.known_at, r.superseded_at, c.src_digest, r.source_id,
        c.symbol_code, c.spellings, c.settlement_date, c.issue_name, c.market_class, r.position,
        c.previous_short_position, c.avg_daily_share_volume, c.stock_split, c.previous_revised,
        c.symbol
    FROM closed c JOIN revised r USING (issuer_id, row_id)
$$;

-- Rows of other sources than FINRA's files, which say themselves whose they are, take the symbols of their listings.
CREATE OR REPLACE FUNCTION name_other_short_interest(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH named AS MATERIALIZED ( -- looked up once for each code, not for each row
        SELECT s.issuer_id, s.symbol_code, s.spellings, s.source_id,
               disclosed.listing_of_spellings(s.issuer_id, s.spellings, s.symbol_code) AS symbol
        FROM (SELECT DISTINCT issuer_id, symbol_code, spellings, source_id FROM disclosed.short_interest
              WHERE issuer_id = ANY (issuers)) s
        JOIN disclosed.source o USING (source_id) JOIN disclosed.import_run r USING (import_run_id)
        WHERE r.source <> 'finra-short-interest' OR s.spellings IS NULL)
    UPDATE disclosed.short_interest t SET symbol = n.symbol
    FROM named n
    WHERE t.issuer_id = ANY (issuers) AND t.source_id = n.source_id
      AND t.issuer_id = n.issuer_id AND t.symbol_code = n.symbol_code
      AND t.spellings IS NOT DISTINCT FROM n.spellings AND t.symbol IS DISTINCT FROM n.symbol
    RETURNING t.issuer_id
$$;

-- ------------------------------------------------------------------------- corporate actions

-- Stored dividends take the keys that they have got. What they are in force at is worked out when they are settled.
-- A number stays with one of the records that a record has become. Returns the issuers.
CREATE OR REPLACE FUNCTION rename_stored_dividends() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
    WITH renamed AS (
        SELECT d.issuer_id, d.row_id, d.new_key, k.id
        FROM pg_temp.day_dividend d
        JOIN (SELECT issuer_id, new_key,
                     CASE WHEN row_number() OVER (PARTITION BY id ORDER BY is_kept DESC, new_key) = 1 THEN id
                          ELSE nextval('disclosed.record_id') END AS id
              FROM (SELECT issuer_id, new_key, coalesce(min(id) FILTER (WHERE old_key = new_key), min(id)) AS id,
                           bool_or(old_key = new_key) AS is_kept
                    FROM pg_temp.day_dividend WHERE row_id IS NOT NULL GROUP BY 1, 2) r) k USING (issuer_id, new_key)
        WHERE d.row_id IS NOT NULL AND (d.old_key <> d.new_key OR d.id <> k.id))
    UPDATE disclosed.corporate_action t
    SET record_key = r.new_key, id = r.id, superseded_at = t.known_at,
        src_digest = coalesce(disclosed.symbol_digest('corporate_action', o.provider, t.spellings, r.new_key),
                              t.src_digest)
    FROM renamed r, disclosed.source o WHERE o.source_id = t.source_id AND t.issuer_id = r.issuer_id AND t.row_id = r.row_id
    RETURNING t.issuer_id;
END $$;

-- Several dividends of a day, in the file that is staged or stored: all of that day are known by what is said of
-- them. Returns the issuers of stored rows that have changed.
CREATE OR REPLACE FUNCTION key_staged_dividends() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.open_day_dividends();
    INSERT INTO pg_temp.day_dividend (staged, issuer_id, who, day_key, old_key, amount, currency, declared, held, paid, repeat)
    SELECT s.row_order, w.issuer_id, coalesce(w.issuer_id::text, s.cik::text, s.party), k.day_key, s.record_key, s.amount,
           s.currency, s.declaration_date, s.record_date, s.payment_date,
           coalesce(substring(s.record_key FROM '/~(\d+)$')::integer, 1)
    FROM pg_temp.stage_corporate_action s
    LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party
    CROSS JOIN LATERAL (SELECT coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AS issuer_id) w
    CROSS JOIN LATERAL (SELECT disclosed.action_day_key(s.symbol_code, s.kind, s.action_date) AS day_key) k
    WHERE s.kind = 'dividend' AND s.amount > 0;
    ANALYZE pg_temp.day_dividend;
    UPDATE pg_temp.stage_corporate_action s SET of_several = true
    FROM pg_temp.day_dividend d
    JOIN (SELECT DISTINCT o.who, o.day_key
          FROM pg_temp.day_dividend o JOIN pg_temp.day_dividend p USING (who, day_key)
          WHERE o.amount <> p.amount OR o.repeat > 1 OR o.currency <> p.currency OR o.declared <> p.declared
             OR o.held <> p.held OR o.paid <> p.paid) g USING (who, day_key)
    WHERE s.row_order = d.staged;
    DELETE FROM pg_temp.day_dividend d
    WHERE NOT EXISTS (SELECT 1 FROM pg_temp.day_dividend o JOIN pg_temp.stage_corporate_action s ON s.row_order = o.staged
                      WHERE o.who = d.who AND o.day_key = d.day_key AND s.of_several)
      AND NOT EXISTS (SELECT 1 FROM disclosed.corporate_action t
                      WHERE t.issuer_id = d.issuer_id AND t.of_several AND t.action_date = right(d.day_key, 10)::date
                        AND t.record_key LIKE d.day_key || '/%');
    INSERT INTO pg_temp.day_dividend (issuer_id, row_id, id, who, day_key, old_key, amount, currency, declared, held, paid, repeat)
    SELECT t.issuer_id, t.row_id, t.id, g.who, g.day_key, t.record_key, t.amount, t.currency, t.declaration_date,
           t.record_date, t.payment_date, coalesce(substring(t.record_key FROM '/~(\d+)$')::integer, 1)
    FROM (SELECT DISTINCT who, day_key, issuer_id FROM pg_temp.day_dividend) g
    JOIN disclosed.corporate_action t ON t.issuer_id = g.issuer_id AND t.action_date = right(g.day_key, 10)::date
     AND t.kind = 'dividend' AND t.taken_at IS NOT NULL
     AND (t.record_key = g.day_key OR t.record_key LIKE g.day_key || '/%');
    PERFORM disclosed.key_day_dividends();
    UPDATE pg_temp.stage_corporate_action s
    SET record_key = d.new_key, key_digest = md5(d.who || E'\n' || d.new_key)::uuid,
        src_digest = coalesce(disclosed.symbol_digest('corporate_action', o.provider, s.spellings, d.new_key), s.src_digest)
    FROM pg_temp.day_dividend d, disclosed.source o
    WHERE o.source_id = s.source_id AND s.row_order = d.staged AND s.record_key <> d.new_key;
    RETURN QUERY SELECT DISTINCT r FROM disclosed.rename_stored_dividends() AS r;
END $$;

-- Before the rows of a file are merged. What has been said before is the statement that is stored: since the earliest of
-- the files that say it, from the provider whose name comes first, and one of several if any file says so.
CREATE OR REPLACE FUNCTION meet_corporate_actions() RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT 'corporate_action', r FROM disclosed.key_staged_dividends() AS r;
    RETURN QUERY
    WITH met AS MATERIALIZED (
        SELECT s.*, o.provider, o.url, t.issuer_id AS holder_id, t.row_id, t.known_at AS stored_at
        FROM pg_temp.stage_corporate_action s JOIN disclosed.source o USING (source_id)
        LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party
        CROSS JOIN LATERAL (
            SELECT t.issuer_id, t.row_id, t.known_at FROM disclosed.corporate_action t
            WHERE t.issuer_id = coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AND t.record_key = s.record_key
              AND t.taken_at IS NOT NULL
              AND (t.kind, t.action_date, t.symbol_code, t.ex_dividend_date, t.record_date, t.payment_date, t.declaration_date,
                   t.amount, t.amount_basis, t.annualized_amount, t.payments_a_year, t.currency, t.split_to, t.split_from)
                  IS NOT DISTINCT FROM (s.kind, s.action_date, s.symbol_code, s.ex_dividend_date, s.record_date,
                   s.payment_date, s.declaration_date, s.amount, s.amount_basis, s.annualized_amount, s.payments_a_year,
                   s.currency, s.split_to, s.split_from)
            ORDER BY t.known_at, t.row_id LIMIT 1) t),
    known AS (
        UPDATE pg_temp.stage_corporate_action s SET known_at = m.stored_at FROM met m WHERE s.row_order = m.row_order),
    said AS (
        SELECT holder_id, row_id, min(taken_at) AS taken_at, min(adjusted_on) AS adjusted_on,
               bool_or(coalesce(of_several, false)) AS of_several, min(stated_name) AS stated_name,
               min(stated_ratio) AS stated_ratio, min(provider) AS provider,
               (array_agg(url ORDER BY provider, url))[1] AS url
        FROM met GROUP BY 1, 2)
    UPDATE disclosed.corporate_action t
    SET taken_at = least(t.taken_at, m.taken_at), adjusted_on = least(t.adjusted_on, m.adjusted_on),
        of_several = t.of_several OR m.of_several, stated_name = least(t.stated_name, m.stated_name),
        stated_ratio = least(t.stated_ratio, m.stated_ratio),
        source_id = CASE WHEN m.provider < o.provider
                         THEN disclosed.source_of(m.provider, m.url, NULL, o.extracted_at, o.import_run_id) ELSE t.source_id END,
        src_digest = CASE WHEN m.provider < o.provider
                          THEN coalesce(disclosed.symbol_digest('corporate_action', m.provider, t.spellings, t.record_key),
                                        t.src_digest) ELSE t.src_digest END
    FROM said m, disclosed.source o
    WHERE o.source_id = t.source_id AND t.issuer_id = m.holder_id AND t.row_id = m.row_id
      AND (m.taken_at < t.taken_at OR m.adjusted_on < t.adjusted_on OR m.of_several > t.of_several
           OR least(t.stated_name, m.stated_name) IS DISTINCT FROM t.stated_name
           OR least(t.stated_ratio, m.stated_ratio) IS DISTINCT FROM t.stated_ratio OR m.provider < o.provider)
    RETURNING 'corporate_action', t.issuer_id;
END $$;

-- Rows of other sources than calendars, which say themselves whose they are, take the symbols of their listings.
CREATE OR REPLACE FUNCTION name_other_actions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH named AS MATERIALIZED (
        SELECT s.issuer_id, s.symbol_code, s.spellings, s.source_id,
               disclosed.listing_of_spellings(s.issuer_id, s.spellings, s.symbol_code) AS symbol
        FROM (SELECT DISTINCT issuer_id, symbol_code, spellings, source_id FROM disclosed.corporate_action
              WHERE issuer_id = ANY (issuers)) s
        JOIN disclosed.source o USING (source_id) JOIN disclosed.import_run r USING (import_run_id)
        WHERE r.source <> 'corporate-actions' OR s.spellings IS NULL)
    UPDATE disclosed.corporate_action t SET symbol = n.symbol
    FROM named n
    WHERE t.issuer_id = n.issuer_id AND t.symbol_code = n.symbol_code AND t.source_id = n.source_id
      AND t.spellings IS NOT DISTINCT FROM n.spellings AND t.symbol IS DISTINCT FROM n.symbol
    RETURNING t.issuer_id
$$;

-- ---------------------------------------------------------------------------- fund exposures

-- Brings the exposures of reports up to date, and how many each company has. Returns the companies
-- whose exposures have changed.
CREATE OR REPLACE FUNCTION derive_fund_exposures(reports bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
    wanted bigint;
BEGIN
    IF to_regclass('pg_temp.fund_exposure_wanted') IS NULL THEN
        CREATE TEMP TABLE fund_exposure_wanted (
            company_id bigint, registrant_id bigint, fund_row bigint, report_id bigint,
            record_key text, fund_name text, fund_ticker text, report_date date,
            known_at timestamptz, superseded_at timestamptz, shares numeric, value numeric,
            weight_pct numeric, payoff_profile text, is_etf boolean, id bigint) ON COMMIT DELETE ROWS;
        CREATE INDEX ON pg_temp.fund_exposure_wanted (company_id, record_key, known_at);
    END IF;
    DELETE FROM pg_temp.fund_exposure_wanted;
    INSERT INTO pg_temp.fund_exposure_wanted
    SELECT x.*, first_value(coalesce(kept.id, nextval('disclosed.record_id')))
                OVER (PARTITION BY x.company_id, x.record_key)
    FROM disclosed.fund_exposures_of(reports) x
    LEFT JOIN LATERAL (
        SELECT e.id FROM disclosed.fund_exposure e
        WHERE e.issuer_id = x.company_id AND e.record_key = x.record_key LIMIT 1) kept ON true;
    GET DIAGNOSTICS wanted = ROW_COUNT;
    IF wanted > 1000 THEN
        ANALYZE pg_temp.fund_exposure_wanted;
    END IF;

    PERFORM disclosed.count_fund_exposures(reports);
    RETURN QUERY
        DELETE FROM disclosed.fund_exposure e
        WHERE e.report_id = ANY(reports)
          AND NOT EXISTS (SELECT 1 FROM pg_temp.fund_exposure_wanted w
                          WHERE w.company_id = e.issuer_id AND w.record_key = e.record_key
                            AND w.known_at = e.known_at AND w.report_id = e.report_id)
        RETURNING e.issuer_id;
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.fund_exposure e
            SET superseded_at = w.superseded_at, fund_row = w.fund_row, fund_name = w.fund_name,
                fund_ticker = w.fund_ticker, report_date = w.report_date, shares = w.shares, value = w.value, weight_pct = w.weight_pct,
                payoff_profile = w.payoff_profile, is_etf = w.is_etf
            FROM pg_temp.fund_exposure_wanted w
            WHERE e.issuer_id = w.company_id AND e.record_key = w.record_key
              AND e.known_at = w.known_at AND e.report_id = w.report_id
              AND (w.superseded_at IS NULL) = opening
              AND (e.superseded_at, e.fund_row, e.fund_name, e.fund_ticker, e.report_date, e.shares,
                   e.value, e.weight_pct, e.payoff_profile, e.is_etf)
                  IS DISTINCT FROM (w.superseded_at, w.fund_row, w.fund_name, w.fund_ticker,
                   w.report_date, w.shares, w.value, w.weight_pct, w.payoff_profile, w.is_etf)
            RETURNING e.issuer_id;
    END LOOP;
    RETURN QUERY
        INSERT INTO disclosed.fund_exposure (id, issuer_id, record_key, known_at, superseded_at,
            src_digest, source_id, accession, registrant_id, fund_row, report_id, fund_name, fund_ticker, report_date,
            shares, value, weight_pct, payoff_profile, is_etf)
        SELECT w.id, w.company_id, w.record_key, w.known_at, w.superseded_at,
               disclosed.source_digest('fund_exposure', f.source_provider,
                                       coalesce(c.cik, c.issuer_id), w.record_key),
               f.told_id, f.accession, w.registrant_id, w.fund_row, w.report_id, w.fund_name, w.fund_ticker, w.report_date,
               w.shares, w.value, w.weight_pct, w.payoff_profile, w.is_etf
        FROM pg_temp.fund_exposure_wanted w
        JOIN (SELECT r.*, disclosed.source_of(r.source_provider, r.source_url, r.content_hash, r.extracted_at,
                                              r.import_run_id) AS told_id
              FROM disclosed.fund_sourced r
              WHERE (r.issuer_id, r.row_id) IN (SELECT registrant_id, fund_row FROM pg_temp.fund_exposure_wanted) OFFSET 0) f
          ON f.issuer_id = w.registrant_id AND f.row_id = w.fund_row
        JOIN disclosed.issuer c ON c.issuer_id = w.company_id
        WHERE NOT EXISTS (SELECT 1 FROM disclosed.fund_exposure e
                          WHERE e.issuer_id = w.company_id AND e.record_key = w.record_key
                            AND e.known_at = w.known_at AND e.report_id = w.report_id)
        ORDER BY w.company_id, w.id, w.known_at
        RETURNING issuer_id;
END $$;

-- ---------------------------------------------------------------------------- event evidence

-- Every version of a results filing, a transcript or a notice of issuers says when an event takes
-- place, and of what period. date_rank and period_rank: the lower, the surer. A results filing is a
-- Form 8-K with item 2.02 (12 before August 2004), or one with a stored earnings release.
CREATE OR REPLACE FUNCTION gather_event_evidence(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.event_evidence (holder_id, issuer_id, kind, record_id, row_id, type, known_at, superseded_at, stated_at,
        date_rank, event_on, event_at, has_time, date_status, period_end_date, period_rank, period_kind,
        date_basis, period_basis, event_id, source_key)
    SELECT f.issuer_id, f.issuer_id, 'filing', f.id, f.row_id, 'earnings', f.known_at, f.superseded_at, f.known_at,
           CASE f.form WHEN '8-K' THEN 2 ELSE 4 END, d.event_on,
           CASE WHEN d.has_time THEN f.accepted_at ELSE d.event_on::timestamp AT TIME ZONE 'UTC' END,
           d.has_time, 'confirmed', s.period_end, CASE WHEN s.period_end IS NOT NULL THEN 3 END, 'quarter',
           format('results in Form %s %s', f.form, f.accession), 'as ' || s.place || ' states', f.event_id, f.accession
    FROM disclosed.filing f
    CROSS JOIN LATERAL (
        SELECT CASE WHEN f.period_of_report BETWEEN f.filed_on - 10 AND f.filed_on THEN f.period_of_report
                    ELSE coalesce((f.accepted_at AT TIME ZONE 'America/New_York')::date, f.filed_on) END
               AS event_on) o
    CROSS JOIN LATERAL (
        SELECT o.event_on, coalesce(o.event_on = (f.accepted_at AT TIME ZONE 'America/New_York')::date,
                                    false) AS has_time) d
    CROSS JOIN LATERAL disclosed.stated_period(f.accession, d.event_on) s
    WHERE f.issuer_id = ANY (issuers) AND f.form IN ('8-K', '8-K/A')
      AND (f.items && ARRAY['2.02', '12']
           OR (s.period_end IS NOT NULL
               AND EXISTS (SELECT 1 FROM disclosed.filing_exhibit x
                           WHERE x.accession = f.accession AND x.superseded_at IS NULL)))
      AND f.superseded_at IS DISTINCT FROM f.known_at;

    INSERT INTO pg_temp.event_evidence (holder_id, issuer_id, kind, record_id, row_id, type, known_at, superseded_at, stated_at,
        date_rank, event_on, event_at, has_time, date_status, period_end_date, period_rank, period_kind,
        fiscal_period, date_basis, period_basis, event_id, source_key)
    SELECT t.issuer_id, t.issuer_id, 'transcript', t.id, t.row_id, t.event_type, t.known_at, t.superseded_at, t.known_at,
           1, (t.call_date AT TIME ZONE 'America/New_York')::date, t.call_date, true, 'confirmed',
           t.period_end_date, CASE WHEN t.period_end_date IS NOT NULL THEN 2 END, 'quarter',
           CASE WHEN t.period_label ~ '^(Q[1-4] FY\d{4}|FY\d{4}-Q[1-4])$' THEN t.period_label END,
           'the call''s transcript', 'as the transcript says', t.event_id, t.record_key
    FROM disclosed.transcript t
    WHERE t.issuer_id = ANY (issuers) AND t.event_type <> 'other'
      AND t.superseded_at IS DISTINCT FROM t.known_at;

    INSERT INTO pg_temp.event_evidence (holder_id, issuer_id, kind, record_id, row_id, type, known_at, superseded_at, stated_at,
        date_rank, event_on, event_at, has_time, date_status, period_end_date, period_rank, period_kind,
        fiscal_period, title, event_url, webcast_status, date_basis, period_basis, event_id, source_key)
    SELECT h.issuer_id, n.issuer_id, 'notice', n.id, n.row_id, n.type, h.since, h.until, n.known_at,
           CASE n.date_status WHEN 'confirmed' THEN 3 ELSE 5 END, n.event_on,
           coalesce(n.event_at, n.event_on::timestamp AT TIME ZONE 'UTC'), n.event_at IS NOT NULL,
           n.date_status, n.period_end_date, CASE WHEN n.period_end_date IS NOT NULL THEN 4 END,
           coalesce(n.period_kind, 'quarter'), n.fiscal_period, n.title, n.event_url, n.webcast_status,
           format('%s by %s', CASE n.date_status WHEN 'confirmed' THEN 'announced' ELSE 'estimated' END,
                  o.provider),
           'as ' || o.provider || ' says', n.event_id, n.record_key
    FROM disclosed.event_notice n JOIN disclosed.source o USING (source_id)
    CROSS JOIN LATERAL (
        SELECT n.issuer_id, greatest(n.known_at, n.held_until) AS since, n.superseded_at AS until
        UNION ALL
        SELECT n.held_by, n.known_at, least(n.superseded_at, n.held_until) WHERE n.held_by IS NOT NULL) h
    WHERE (h.until IS NULL OR h.since < h.until) AND n.issuer_id = ANY (issuers) AND n.superseded_at IS DISTINCT FROM n.known_at;
END $$;

-- ------------------------------------------------------------------------------------ events

-- Makes the stored versions of events those that were worked out; writes only what differs. Returns the issuers whose have changed.
CREATE OR REPLACE FUNCTION store_event_rows(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    RETURN QUERY
        DELETE FROM disclosed.event e
        WHERE (e.issuer_id = ANY (issuers) OR e.id IN (SELECT event_id FROM pg_temp.event_cluster))
          AND NOT EXISTS (
              SELECT 1 FROM pg_temp.event_version v
              WHERE v.event_id = e.id AND (v.issuer_id, v.known_at, v.type, v.event_at, v.has_time,
                    v.date_status, v.period_end_date, v.period_kind, v.fiscal_period, v.title, v.event_url,
                    v.webcast_status, v.source)
                IS NOT DISTINCT FROM (e.issuer_id, e.known_at, e.type, e.event_at, e.has_time, e.date_status,
                    e.period_end_date, e.period_kind, e.fiscal_period, e.title, e.event_url,
                    e.webcast_status, e.source))
        RETURNING e.issuer_id;
    -- One row of a record is current, so rows are closed before one is opened.
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.event e SET superseded_at = v.superseded_at
            FROM pg_temp.event_version v
            WHERE e.issuer_id = v.issuer_id AND e.id = v.event_id AND e.known_at = v.known_at
              AND (v.superseded_at IS NULL) = opening
              AND e.superseded_at IS DISTINCT FROM v.superseded_at
            RETURNING e.issuer_id;
    END LOOP;
    PERFORM disclosed.find_event_origins();
    RETURN QUERY
        UPDATE disclosed.event e SET src_digest = o.src_digest
        FROM pg_temp.event_version v JOIN pg_temp.event_origin o ON o.cluster = v.cluster AND o.type = v.type
        WHERE e.issuer_id = v.issuer_id AND e.id = v.event_id AND e.known_at = v.known_at AND e.src_digest <> o.src_digest
        RETURNING e.issuer_id;
    RETURN QUERY
        INSERT INTO disclosed.event AS stored (id, issuer_id, record_key, known_at, superseded_at, src_digest,
            source_id, accession, type, event_at, has_time,
            date_status, period_end_date, period_kind, fiscal_period, title, event_url, webcast_status,
            source, created_at)
        SELECT v.event_id, v.issuer_id, v.type || '/' || v.event_id, v.known_at, v.superseded_at,
               o.src_digest,
               disclosed.source_of(r.source_provider, r.source_url, r.content_hash, r.extracted_at, r.import_run_id), r.accession, v.type,
               v.event_at, v.has_time, v.date_status, v.period_end_date, v.period_kind, v.fiscal_period,
               v.title, v.event_url, v.webcast_status, v.source, v.created_at
        FROM pg_temp.event_version v
        JOIN pg_temp.event_evidence e ON e.number = v.evidence
        LEFT JOIN pg_temp.event_origin o ON o.cluster = v.cluster AND o.type = v.type
        CROSS JOIN LATERAL (
            SELECT source_provider, source_url, accession, content_hash, extracted_at, import_run_id
            FROM disclosed.filing_sourced WHERE e.kind = 'filing' AND issuer_id = e.issuer_id AND row_id = e.row_id
            UNION ALL
            SELECT source_provider, source_url, accession, content_hash, extracted_at, import_run_id
            FROM disclosed.transcript_sourced
            WHERE e.kind = 'transcript' AND issuer_id = e.issuer_id AND row_id = e.row_id
            UNION ALL
            SELECT source_provider, source_url, accession, content_hash, extracted_at, import_run_id
            FROM disclosed.event_notice_sourced
            WHERE e.kind = 'notice' AND issuer_id = e.issuer_id AND row_id = e.row_id) r
        WHERE NOT EXISTS (SELECT 1 FROM disclosed.event x
                          WHERE x.issuer_id = v.issuer_id AND x.id = v.event_id AND x.known_at = v.known_at)
        RETURNING stored.issuer_id;
END $$;

-- The same, with sources: where an event comes from is where the best evidence of each of its versions does, also when that is
-- known from another file by now.
CREATE OR REPLACE FUNCTION store_event_versions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT * FROM disclosed.store_event_rows(issuers);
    RETURN QUERY
        UPDATE disclosed.event e
        SET accession = r.accession,
            source_id = disclosed.source_of(r.source_provider, r.source_url, r.content_hash, r.extracted_at, r.import_run_id)
        FROM pg_temp.event_version v
        JOIN pg_temp.event_evidence x ON x.number = v.evidence
        CROSS JOIN LATERAL (
            SELECT source_provider, source_url, accession, content_hash, extracted_at, import_run_id
            FROM disclosed.filing_sourced WHERE x.kind = 'filing' AND issuer_id = x.issuer_id AND row_id = x.row_id
            UNION ALL
            SELECT source_provider, source_url, accession, content_hash, extracted_at, import_run_id
            FROM disclosed.transcript_sourced WHERE x.kind = 'transcript' AND issuer_id = x.issuer_id AND row_id = x.row_id
            UNION ALL
            SELECT source_provider, source_url, accession, content_hash, extracted_at, import_run_id
            FROM disclosed.event_notice_sourced WHERE x.kind = 'notice' AND issuer_id = x.issuer_id AND row_id = x.row_id) r
        JOIN disclosed.event_sourced o ON o.issuer_id = v.issuer_id AND o.id = v.event_id AND o.known_at = v.known_at
        WHERE e.row_id = o.row_id AND e.issuer_id = v.issuer_id AND e.id = v.event_id AND e.known_at = v.known_at
          AND o.source_provider = r.source_provider
          AND (o.source_url, o.accession, o.content_hash) IS DISTINCT FROM (r.source_url, r.accession, r.content_hash)
        RETURNING e.issuer_id;
END $$;
