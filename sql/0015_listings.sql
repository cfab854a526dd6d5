-- A listing is known from when a source first said so, never earlier.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------- what is stored already

-- Versions that were put back to when their issuer became public are known from when they were observed.
UPDATE listing SET known_at = observed_at WHERE observed_at > known_at;
ALTER TABLE listing DROP COLUMN observed_at;
UPDATE dataset_stat SET version = version + 1, changed_at = now() WHERE dataset = 'listing';

DROP FUNCTION date_issuers(bigint[]);
DROP FUNCTION listing_timeline(text[]);
ALTER TABLE issuer DROP COLUMN first_public_at;

-- A file of which rows were rejected does not say that what it lacks has gone.
ALTER TABLE listing_snapshot ADD COLUMN is_whole boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN listing_snapshot.is_whole IS 'no row of it was rejected: what it does not name was not listed';

-- The place among an issuer's listings is part of what a version says, as of an instant as well.
ALTER TABLE listing_seen DROP COLUMN listing_rank;

-- ---------------------------------------------------------- what follows from a load

-- Brings the versions of listings into order: each holds from when a source first said so until the next of
-- its key, be it another issuer's (a ticker goes from one to another). One row of a key is current, so those
-- that end are closed before one is opened. Returns the issuers.
CREATE OR REPLACE FUNCTION order_listings(keys text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.listing l SET superseded_at = t.next_known_at
            FROM (SELECT issuer_id, row_id, superseded_at, lead(known_at) OVER (
                             PARTITION BY record_key ORDER BY known_at, row_id) AS next_known_at
                  FROM disclosed.listing
                  WHERE record_key IN (SELECT unnest(keys))) t
            WHERE l.issuer_id = t.issuer_id AND l.row_id = t.row_id
              AND (t.next_known_at IS NULL) = opening
              AND t.superseded_at IS DISTINCT FROM t.next_known_at
            RETURNING l.issuer_id;
    END LOOP;
END $$;
SELECT count(*) FROM order_listings(ARRAY(SELECT DISTINCT record_key FROM listing));
-- What follows from a whole-market file is worked out on sets of ten thousand listings: tables that are
-- looked into by key, with statistics of what has just been put there. Searched as arrays, or joined by plans
-- made for a handful of rows, they would take minutes.
CREATE FUNCTION open_snapshot_tables() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.snapshot_listing') IS NULL THEN
        CREATE TEMP TABLE snapshot_listing (issuer_id bigint, record_key text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE dropped_listing (issuer_id bigint, record_key text, dropped_at timestamptz) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.snapshot_listing;
    DELETE FROM pg_temp.dropped_listing;
END $$;

-- What follows from a whole-market file beyond its rows, which have been merged: where it stands among the
-- others, and listings that have gone. Returns what changed.
DROP FUNCTION settle_snapshot(text, timestamptz, bigint[], text[], bigint[], text);
CREATE FUNCTION settle_snapshot(snapshot_kind text, snapshot_at timestamptz, ciks bigint[],
                                keys text[], snapshot_hash text, rejected bigint)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    -- As settling does: who gathers statistics of issuer holds this lock.
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    PERFORM disclosed.open_snapshot_tables();
    PERFORM disclosed.analyze_grown(ARRAY['disclosed.issuer', 'disclosed.listing']::regclass[]);
    INSERT INTO pg_temp.snapshot_listing
    SELECT DISTINCT i.issuer_id, named.record_key
    FROM unnest(ciks, keys) AS named(cik, record_key)
    JOIN disclosed.issuer i ON i.cik = named.cik
    WHERE EXISTS (SELECT 1 FROM disclosed.listing l
                  WHERE l.issuer_id = i.issuer_id AND l.record_key = named.record_key);
    ANALYZE pg_temp.snapshot_listing;
    -- A row may have been refused at the merge as well: then its listing is not there.
    INSERT INTO disclosed.listing_snapshot AS known
    VALUES (snapshot_kind, snapshot_at, snapshot_hash, rejected = 0
            AND (SELECT count(*) FROM pg_temp.snapshot_listing)
                = (SELECT count(*) FROM (SELECT DISTINCT cik, key FROM unnest(ciks, keys) AS named(cik, key)) AS d))
    ON CONFLICT (kind, taken_at) DO UPDATE SET is_whole = true WHERE excluded.is_whole AND NOT known.is_whole;
    INSERT INTO disclosed.listing_seen AS seen
    SELECT snapshot_kind, named.issuer_id, named.record_key, snapshot_at, snapshot_at
    FROM pg_temp.snapshot_listing named
    ON CONFLICT (issuer_id, record_key, kind) DO UPDATE
    SET first_seen = least(seen.first_seen, excluded.first_seen),
        last_seen = greatest(seen.last_seen, excluded.last_seen)
    WHERE seen.first_seen > excluded.first_seen OR seen.last_seen < excluded.last_seen;
    PERFORM disclosed.analyze_grown(ARRAY['disclosed.listing_seen']::regclass[]);

    RETURN QUERY SELECT 'listing', i FROM disclosed.refine_listings(snapshot_at) AS i;
    RETURN QUERY SELECT 'listing', i FROM disclosed.retire_listings() AS i;
END $$;

-- The timelines of a snapshot's listings once more. Versions after it that do not know the exchange learn it;
-- the next, when it says the same otherwise, is the same version known earlier, and the row just added for
-- this snapshot goes again. Days of first listing follow.
DROP FUNCTION refine_listings(timestamptz, bigint[], text[]);
CREATE FUNCTION refine_listings(snapshot_at timestamptz) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
        UPDATE disclosed.listing later SET listing_exchange = added.listing_exchange
        FROM pg_temp.snapshot_listing named
        JOIN disclosed.listing added USING (issuer_id, record_key)
        WHERE added.recorded_at = now() AND added.known_at = snapshot_at
          AND added.listing_exchange IS NOT NULL
          AND later.issuer_id = added.issuer_id AND later.record_key = added.record_key
          AND later.listing_exchange IS NULL AND later.known_at > snapshot_at
        RETURNING later.issuer_id;
    WITH again AS (
        SELECT added.issuer_id, added.row_id, next.row_id AS next_row
        FROM pg_temp.snapshot_listing named
        JOIN disclosed.listing added USING (issuer_id, record_key)
        CROSS JOIN LATERAL (
            SELECT n.* FROM disclosed.listing n
            WHERE n.issuer_id = added.issuer_id AND n.record_key = added.record_key
              AND n.known_at > snapshot_at
            ORDER BY n.known_at, n.row_id LIMIT 1) next
        WHERE added.recorded_at = now() AND added.known_at = snapshot_at
          AND (next.name, next.listing_exchange, next.isin, next.figi, next.is_etf, next.is_fund,
               next.is_adr, next.status, next.listing_rank)
              IS NOT DISTINCT FROM (added.name, added.listing_exchange, added.isin, added.figi,
               added.is_etf, added.is_fund, added.is_adr, added.status, added.listing_rank)),
    gone AS (
        DELETE FROM disclosed.listing l USING again
        WHERE l.issuer_id = again.issuer_id AND l.row_id = again.row_id
        RETURNING l.*, again.next_row)
    UPDATE disclosed.listing l
    SET known_at = snapshot_at, src_digest = gone.src_digest,
        source_provider = gone.source_provider, source_url = gone.source_url,
        content_hash = gone.content_hash, extracted_at = gone.extracted_at
    FROM gone WHERE l.issuer_id = gone.issuer_id AND l.row_id = gone.next_row;
    RETURN QUERY SELECT * FROM disclosed.order_listings(ARRAY(SELECT record_key FROM pg_temp.snapshot_listing));
    RETURN QUERY
        UPDATE disclosed.listing l SET listed_on = first.day
        FROM (SELECT s.issuer_id, s.record_key,
                     (min(s.first_seen) AT TIME ZONE 'America/New_York')::date AS day
              FROM pg_temp.snapshot_listing named
              JOIN disclosed.listing_seen s USING (issuer_id, record_key)
              GROUP BY 1, 2) first
        WHERE l.issuer_id = first.issuer_id AND l.record_key = first.record_key
          AND l.listed_on > first.day
        RETURNING l.issuer_id;
END $$;

-- Listings that every kind of whole-market file which named them has dropped are inactive, from
-- the first file on that no longer named them. Of files with rejected rows nobody knows what they dropped.
CREATE OR REPLACE FUNCTION retire_listings() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.dropped_listing
    WITH ended AS MATERIALIZED (
        SELECT last.kind, last.last_seen,
               (SELECT min(f.taken_at) FROM disclosed.listing_snapshot f
                WHERE f.kind = last.kind AND f.is_whole AND f.taken_at > last.last_seen) AS dropped_at
        FROM (SELECT DISTINCT kind, last_seen FROM disclosed.listing_seen) last)
    SELECT s.issuer_id, s.record_key, max(e.dropped_at)
    FROM disclosed.listing_seen s JOIN ended e USING (kind, last_seen)
    GROUP BY s.issuer_id, s.record_key
    HAVING bool_and(e.dropped_at IS NOT NULL);
    ANALYZE pg_temp.dropped_listing;
    RETURN QUERY
        WITH closed AS (
            UPDATE disclosed.listing l SET superseded_at = gone.dropped_at
            FROM pg_temp.dropped_listing gone
            WHERE l.issuer_id = gone.issuer_id AND l.record_key = gone.record_key
              AND l.superseded_at IS NULL AND l.status = 'active' AND l.source_provider = 'sec'
              AND l.known_at < gone.dropped_at
            RETURNING l.*)
        INSERT INTO disclosed.listing AS added (id, issuer_id, record_key, known_at, src_digest,
            source_provider, source_url, content_hash, extracted_at, ticker, market, name,
            listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank, listed_on)
        SELECT id, issuer_id, record_key, superseded_at, src_digest,
            source_provider, source_url, content_hash, now(), ticker, market, name,
            listing_exchange, isin, figi, is_etf, is_fund, is_adr, 'inactive', listing_rank, listed_on
        FROM closed
        RETURNING added.issuer_id;
END $$;

-- The primary listing of each issuer, and the name that its lists show.
CREATE OR REPLACE FUNCTION settle_companies(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    SELECT count(*) FROM disclosed.order_listings(ARRAY(
        SELECT DISTINCT record_key FROM disclosed.listing WHERE issuer_id = ANY(issuers)));
    UPDATE disclosed.issuer i
    SET name = coalesce(p.name, l.name, i.name), ticker = l.ticker, market = l.market
    FROM unnest(issuers) AS touched(issuer_id)
    LEFT JOIN disclosed.issuer_profile p
           ON p.issuer_id = touched.issuer_id AND p.superseded_at IS NULL
    LEFT JOIN LATERAL (
        SELECT ticker, market, name FROM disclosed.listing current
        WHERE issuer_id = touched.issuer_id AND superseded_at IS NULL
        ORDER BY status <> 'active', listing_rank,
                 (SELECT max(last_seen) FROM disclosed.listing_seen seen
                  WHERE seen.issuer_id = current.issuer_id
                    AND seen.record_key = current.record_key) DESC NULLS LAST,
                 record_key LIMIT 1) l ON true
    WHERE i.issuer_id = touched.issuer_id
      AND (i.name, i.ticker, i.market)
          IS DISTINCT FROM (coalesce(p.name, l.name, i.name), l.ticker, l.market);
    INSERT INTO disclosed.dataset_stat AS stat (dataset, record_count, version)
    SELECT 'issuer', count(*), 1 FROM disclosed.issuer WHERE ticker IS NOT NULL
    ON CONFLICT (dataset) DO UPDATE
    SET record_count = excluded.record_count, version = stat.version + 1, changed_at = now()
    WHERE stat.record_count <> excluded.record_count;
$$;

-- Which filer's row stands for the filing: one with a symbol before one without, then the lowest CIK.
CREATE OR REPLACE FUNCTION settle_filings(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    WITH touched AS (
        SELECT DISTINCT accession FROM disclosed.filing
        WHERE issuer_id = ANY(issuers)),
    ranked AS (
        SELECT f.issuer_id, f.row_id, f.is_primary,
               first_value(f.issuer_id) OVER (PARTITION BY f.accession
                   ORDER BY i.ticker IS NULL, i.cik, f.issuer_id) = f.issuer_id AS should_be
        FROM touched JOIN disclosed.filing f USING (accession)
        JOIN disclosed.issuer i ON i.issuer_id = f.issuer_id)
    UPDATE disclosed.filing f SET is_primary = r.should_be
    FROM ranked r
    WHERE f.issuer_id = r.issuer_id AND f.row_id = r.row_id AND r.is_primary <> r.should_be;

    SELECT disclosed.date_reports_of(issuers);
$$;

-- ------------------------------------------------- rows of parties that are listed later

-- What waits in a list beside the index is read from end to end by each look-up, and a load looks up ten
-- thousand symbols right after it has added as many parties.
ALTER INDEX issuer_spellings SET (fastupdate = off);
SELECT gin_clean_pending_list('issuer_spellings');

-- Rows kept under the symbols of securities that no listing named move to the company that a listing
-- of `issuers` now names with that symbol: the first spelling that is listed counts. Rows that the
-- company has already, or that an older party brings, stay where they are. Returns those whose rows have changed.
CREATE OR REPLACE FUNCTION adopt_rows(dataset_table text, issuers bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.adoption') IS NULL THEN
        CREATE TEMP TABLE adoption (party_id bigint, company_id bigint) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE adopted_row (party_id bigint, company_id bigint, row_id bigint, record_key text)
            ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.adoption;
    DELETE FROM pg_temp.adopted_row;
    INSERT INTO pg_temp.adoption
    SELECT DISTINCT ON (p.issuer_id) p.issuer_id, l.issuer_id
    FROM (SELECT DISTINCT unnest(issuers) AS issuer_id) named
    JOIN disclosed.listing l USING (issuer_id)
    JOIN disclosed.issuer p
      ON p.party_key LIKE 'symbol/%'
     AND string_to_array(substr(p.party_key, 8), ' ') && ARRAY[l.ticker, l.symbol]
    WHERE l.superseded_at IS NULL AND l.issuer_id <> p.issuer_id
    ORDER BY p.issuer_id,
             least(array_position(string_to_array(substr(p.party_key, 8), ' '), l.ticker),
                   array_position(string_to_array(substr(p.party_key, 8), ' '), l.symbol)),
             l.status <> 'active', l.listing_rank, l.id;
    IF NOT EXISTS (SELECT 1 FROM pg_temp.adoption) THEN
        RETURN;
    END IF;
    ANALYZE pg_temp.adoption;
    EXECUTE format($sql$
        INSERT INTO pg_temp.adopted_row
        SELECT n.party_id, n.company_id, t.row_id, t.record_key
        FROM pg_temp.adoption n JOIN disclosed.%1$I t ON t.issuer_id = n.party_id
    $sql$, dataset_table);
    ANALYZE pg_temp.adopted_row;
    RETURN QUERY EXECUTE format($sql$
        WITH moving AS (
            SELECT a.*, min(a.party_id) OVER (PARTITION BY a.company_id, a.record_key) AS oldest
            FROM pg_temp.adopted_row a),
        moved AS (
            UPDATE disclosed.%1$I t SET issuer_id = m.company_id
            FROM moving m
            WHERE t.issuer_id = m.party_id AND t.row_id = m.row_id AND m.party_id = m.oldest
              AND NOT EXISTS (SELECT 1 FROM disclosed.%1$I x
                              WHERE x.issuer_id = m.company_id AND x.record_key = m.record_key)
            RETURNING m.party_id, m.company_id)
        SELECT party_id FROM moved UNION SELECT company_id FROM moved
    $sql$, dataset_table);
END $$;
