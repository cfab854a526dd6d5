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
-- The timelines of a snapshot's listings once more. Versions after it that do not know the exchange learn it;
-- the next, when it says the same otherwise, is the same version known earlier, and the row just added for
-- this snapshot goes again. Days of first listing follow.
CREATE OR REPLACE FUNCTION refine_listings(snapshot_at timestamptz, ciks bigint[], keys text[])
RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
        UPDATE disclosed.listing later SET listing_exchange = added.listing_exchange
        FROM disclosed.listing added
        WHERE added.recorded_at = now() AND added.known_at = snapshot_at
          AND added.record_key = ANY(keys) AND added.listing_exchange IS NOT NULL
          AND later.issuer_id = added.issuer_id AND later.record_key = added.record_key
          AND later.listing_exchange IS NULL
          AND later.known_at > snapshot_at
        RETURNING later.issuer_id;
    WITH again AS (
        SELECT added.issuer_id, added.row_id, next.row_id AS next_row
        FROM disclosed.listing added
        CROSS JOIN LATERAL (
            SELECT n.* FROM disclosed.listing n
            WHERE n.issuer_id = added.issuer_id AND n.record_key = added.record_key
              AND n.known_at > snapshot_at
            ORDER BY n.known_at, n.row_id LIMIT 1) next
        WHERE added.recorded_at = now() AND added.known_at = snapshot_at
          AND added.record_key = ANY(keys)
          AND (next.name, next.listing_exchange, next.isin, next.figi, next.is_etf, next.is_fund,
               next.is_adr, next.status)
              IS NOT DISTINCT FROM (added.name, added.listing_exchange, added.isin, added.figi,
               added.is_etf, added.is_fund, added.is_adr, added.status)),
    gone AS (
        DELETE FROM disclosed.listing l USING again
        WHERE l.issuer_id = again.issuer_id AND l.row_id = again.row_id
        RETURNING l.*, again.next_row)
    UPDATE disclosed.listing l
    SET known_at = snapshot_at, src_digest = gone.src_digest,
        source_provider = gone.source_provider, source_url = gone.source_url,
        content_hash = gone.content_hash, extracted_at = gone.extracted_at
    FROM gone WHERE l.issuer_id = gone.issuer_id AND l.row_id = gone.next_row;
    RETURN QUERY SELECT * FROM disclosed.order_listings(keys);
    RETURN QUERY
        UPDATE disclosed.listing l SET listed_on = first.day
        FROM (SELECT s.issuer_id, s.record_key,
                     (min(s.first_seen) AT TIME ZONE 'America/New_York')::date AS day
              FROM unnest(ciks, keys) AS named(cik, record_key) JOIN disclosed.issuer i USING (cik)
              JOIN disclosed.listing_seen s
                ON s.issuer_id = i.issuer_id AND s.record_key = named.record_key
              GROUP BY 1, 2) first
        WHERE l.issuer_id = first.issuer_id AND l.record_key = first.record_key
          AND l.listed_on > first.day
        RETURNING l.issuer_id;
END $$;

-- Listings that every kind of whole-market file which named them has dropped are inactive, from
-- the first file on that no longer named them.
CREATE OR REPLACE FUNCTION retire_listings() RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH gone AS (
        SELECT s.issuer_id, s.record_key, max(dropped.at) AS at
        FROM disclosed.listing_seen s
        CROSS JOIN LATERAL (SELECT min(f.taken_at) AS at FROM disclosed.listing_snapshot f
                            WHERE f.kind = s.kind AND f.taken_at > s.last_seen) dropped
        GROUP BY s.issuer_id, s.record_key
        HAVING bool_and(dropped.at IS NOT NULL)),
    closed AS (
        UPDATE disclosed.listing l SET superseded_at = gone.at
        FROM gone
        WHERE l.issuer_id = gone.issuer_id AND l.record_key = gone.record_key
          AND l.superseded_at IS NULL AND l.status = 'active' AND l.source_provider = 'sec'
          AND l.known_at < gone.at
        RETURNING l.*)
    INSERT INTO disclosed.listing (id, issuer_id, record_key, known_at, src_digest,
        source_provider, source_url, content_hash, extracted_at, ticker, market, name,
        listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank, listed_on)
    SELECT id, issuer_id, record_key, superseded_at, src_digest,
        source_provider, source_url, content_hash, now(), ticker, market, name,
        listing_exchange, isin, figi, is_etf, is_fund, is_adr, 'inactive', listing_rank, listed_on
    FROM closed
    RETURNING issuer_id
$$;

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
