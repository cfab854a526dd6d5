-- Which whole-market file said what of a listing, as runs: versions of listings follow from the set of files,
-- whatever the order in which they came.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------- what is stored already

ALTER TABLE listing_seen RENAME TO listing_seen_once;
ALTER TABLE listing_seen_once DROP CONSTRAINT listing_seen_pkey;

-- What a kind of file says of a listing, from a snapshot to another: all of that kind between them say the same.
CREATE TABLE listing_seen (
    run_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL,
    issuer_id   bigint NOT NULL REFERENCES issuer,
    record_key  text NOT NULL,
    first_seen  timestamptz NOT NULL,
    last_seen   timestamptz NOT NULL,
    name        text NOT NULL,
    listing_exchange text,
    listing_rank bigint NOT NULL,
    listing_digest uuid NOT NULL,
    CHECK (first_seen <= last_seen)
);
CREATE INDEX listing_seen_issuer ON listing_seen (issuer_id, record_key, kind);
CREATE INDEX listing_seen_key ON listing_seen (record_key);
COMMENT ON TABLE listing_seen IS 'what a kind of whole-market file says of a listing, in all its snapshots from first_seen to last_seen';

-- What they said is what the versions of that time say; where no file's is left, what any says.
INSERT INTO listing_seen (kind, issuer_id, record_key, first_seen, last_seen, name, listing_exchange, listing_rank, listing_digest)
SELECT o.kind, o.issuer_id, o.record_key, min(f.taken_at), max(f.taken_at), l.name,
       CASE WHEN o.kind <> 'company_tickers' THEN l.listing_exchange END, l.listing_rank, l.src_digest
FROM listing_seen_once o
JOIN listing l USING (issuer_id, record_key)
JOIN listing_snapshot f ON f.kind = o.kind AND f.taken_at BETWEEN o.first_seen AND o.last_seen
 AND f.taken_at >= l.known_at AND (l.superseded_at IS NULL OR f.taken_at < l.superseded_at)
WHERE l.status = 'active'
GROUP BY o.kind, o.issuer_id, o.record_key, l.row_id, l.name, l.listing_exchange, l.listing_rank, l.src_digest;
INSERT INTO listing_seen (kind, issuer_id, record_key, first_seen, last_seen, name, listing_exchange, listing_rank, listing_digest)
SELECT DISTINCT ON (o.kind, o.issuer_id, o.record_key) o.kind, o.issuer_id, o.record_key, o.first_seen, o.last_seen,
       l.name, CASE WHEN o.kind <> 'company_tickers' THEN l.listing_exchange END, l.listing_rank, l.src_digest
FROM listing_seen_once o JOIN listing l USING (issuer_id, record_key)
WHERE NOT EXISTS (SELECT 1 FROM listing_seen s WHERE s.kind = o.kind AND s.issuer_id = o.issuer_id
                  AND s.record_key = o.record_key)
ORDER BY o.kind, o.issuer_id, o.record_key, l.known_at;
DROP TABLE listing_seen_once;
GRANT SELECT ON listing_seen TO disclosed_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON listing_seen TO disclosed_loader;

-- Versions that say that files have dropped a listing come from the file that did.
UPDATE listing l SET source_url = 'https://www.sec.gov/files/' || f.kind || '.json', content_hash = f.content_hash
FROM (SELECT DISTINCT ON (taken_at) * FROM listing_snapshot ORDER BY taken_at, kind) f
WHERE l.status = 'inactive' AND l.source_provider = 'sec' AND l.import_run_id IS NULL AND f.taken_at = l.known_at;

-- ---------------------------------------------------------- what follows from a load

DROP FUNCTION retire_listings();
DROP FUNCTION refine_listings(timestamptz);

-- Whether a version comes from whole-market files: it is made anew from what they say.
CREATE FUNCTION is_of_snapshot(provider text, url text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(provider = 'sec' AND url IN ('https://www.sec.gov/files/company_tickers.json',
                                        'https://www.sec.gov/files/company_tickers_exchange.json'), false)
$$;

-- What follows from a whole-market file is worked out on sets of ten thousand listings: tables that are
-- looked into by key, with statistics of what has just been put there. Searched as arrays, or joined by plans
-- made for a handful of rows, they would take minutes.
CREATE OR REPLACE FUNCTION open_snapshot_tables() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.snapshot_listing') IS NULL THEN
        CREATE TEMP TABLE snapshot_listing (issuer_id bigint, record_key text, name text, listing_exchange text,
            listing_rank bigint, src_digest uuid) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE snapshot_key (record_key text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE snapshot_run (LIKE disclosed.listing_seen) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE snapshot_drop (issuer_id bigint, record_key text, at timestamptz, kind text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE snapshot_said (record_key text, at timestamptz, issuer_id bigint, kind text, name text,
            listing_exchange text, listing_rank bigint, src_digest uuid, contested boolean) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE wanted_listing (record_key text, at timestamptz, pos bigint, issuer_id bigint, kind text,
            content_hash text, src_digest uuid, name text, listing_exchange text, isin text, figi text,
            is_etf boolean, is_fund boolean, is_adr boolean, status text, listing_rank bigint, row_id bigint)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE listing_pair (issuer_id bigint, row_id bigint, record_key text, at timestamptz, pos bigint)
            ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.snapshot_listing;
    DELETE FROM pg_temp.snapshot_key;
    DELETE FROM pg_temp.snapshot_run;
    DELETE FROM pg_temp.snapshot_drop;
    DELETE FROM pg_temp.snapshot_said;
    DELETE FROM pg_temp.wanted_listing;
    DELETE FROM pg_temp.listing_pair;
END $$;

-- Puts a snapshot among the runs of its kind: those that say what it says reach to it, and become one where it
-- was missing between them; those that span it and are not in it are two.
CREATE FUNCTION run_snapshot(snapshot_kind text, snapshot_at timestamptz, is_new boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    before timestamptz := (SELECT max(taken_at) FROM disclosed.listing_snapshot
                           WHERE kind = snapshot_kind AND taken_at < snapshot_at);
    after timestamptz := (SELECT min(taken_at) FROM disclosed.listing_snapshot
                          WHERE kind = snapshot_kind AND taken_at > snapshot_at);
BEGIN
    IF is_new THEN
        WITH split AS (
            UPDATE disclosed.listing_seen s SET last_seen = before
            FROM disclosed.listing_seen was
            LEFT JOIN pg_temp.snapshot_listing n
                   ON n.issuer_id = was.issuer_id AND n.record_key = was.record_key AND n.name = was.name
                  AND coalesce(n.listing_exchange, '') = coalesce(was.listing_exchange, '')
                  AND n.listing_rank = was.listing_rank
            WHERE was.kind = snapshot_kind AND was.first_seen < snapshot_at AND was.last_seen > snapshot_at
              AND n.issuer_id IS NULL AND s.run_id = was.run_id
            RETURNING s.*, was.last_seen AS until)
        INSERT INTO disclosed.listing_seen (kind, issuer_id, record_key, first_seen, last_seen, name,
            listing_exchange, listing_rank, listing_digest)
        SELECT kind, issuer_id, record_key, after, until, name, listing_exchange, listing_rank, listing_digest
        FROM split;
    END IF;
    WITH near AS MATERIALIZED (
        SELECT n.*, here.run_id AS here_run, lower.run_id AS lower_run, upper.run_id AS upper_run,
               upper.last_seen AS upper_last
        FROM pg_temp.snapshot_listing n
        LEFT JOIN disclosed.listing_seen here
               ON here.issuer_id = n.issuer_id AND here.record_key = n.record_key AND here.kind = snapshot_kind
              AND here.name = n.name AND coalesce(here.listing_exchange, '') = coalesce(n.listing_exchange, '')
              AND here.listing_rank = n.listing_rank
              AND here.first_seen <= snapshot_at AND here.last_seen >= snapshot_at
        LEFT JOIN disclosed.listing_seen lower
               ON lower.issuer_id = n.issuer_id AND lower.record_key = n.record_key AND lower.kind = snapshot_kind
              AND lower.name = n.name AND coalesce(lower.listing_exchange, '') = coalesce(n.listing_exchange, '')
              AND lower.listing_rank = n.listing_rank AND lower.last_seen = before
        LEFT JOIN disclosed.listing_seen upper
               ON upper.issuer_id = n.issuer_id AND upper.record_key = n.record_key AND upper.kind = snapshot_kind
              AND upper.name = n.name AND coalesce(upper.listing_exchange, '') = coalesce(n.listing_exchange, '')
              AND upper.listing_rank = n.listing_rank AND upper.first_seen = after),
    joined AS (
        UPDATE disclosed.listing_seen s SET last_seen = coalesce(near.upper_last, snapshot_at)
        FROM near WHERE near.here_run IS NULL AND s.run_id = near.lower_run),
    gone AS (
        DELETE FROM disclosed.listing_seen s USING near
        WHERE near.here_run IS NULL AND near.lower_run IS NOT NULL AND s.run_id = near.upper_run),
    earlier AS (
        UPDATE disclosed.listing_seen s SET first_seen = snapshot_at
        FROM near WHERE near.here_run IS NULL AND near.lower_run IS NULL AND s.run_id = near.upper_run)
    INSERT INTO disclosed.listing_seen (kind, issuer_id, record_key, first_seen, last_seen, name,
        listing_exchange, listing_rank, listing_digest)
    SELECT snapshot_kind, issuer_id, record_key, snapshot_at, snapshot_at, name, listing_exchange, listing_rank,
           src_digest
    FROM near WHERE here_run IS NULL AND lower_run IS NULL AND upper_run IS NULL;
END $$;

-- When listings became inactive: with the first file from which on every kind of file that had named one by then
-- had dropped it. Of files with rejected rows nobody knows what they dropped.
CREATE FUNCTION find_drops() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.snapshot_drop
    WITH span AS (
        SELECT kind, issuer_id, record_key,
               max(last_seen) OVER (PARTITION BY kind, issuer_id, record_key ORDER BY first_seen, run_id) AS until,
               lead(first_seen) OVER (PARTITION BY kind, issuer_id, record_key ORDER BY first_seen, run_id) AS back
        FROM pg_temp.snapshot_run),
    ended AS MATERIALIZED (
        SELECT e.kind, e.until, (SELECT min(f.taken_at) FROM disclosed.listing_snapshot f
                                 WHERE f.kind = e.kind AND f.is_whole AND f.taken_at > e.until) AS at
        FROM (SELECT DISTINCT kind, until FROM span) e),
    absence AS MATERIALIZED (
        SELECT s.kind, s.issuer_id, s.record_key, e.at, coalesce(s.back, 'infinity') AS back
        FROM span s JOIN ended e USING (kind, until)
        WHERE e.at < coalesce(s.back, 'infinity')),
    named AS MATERIALIZED (
        SELECT kind, issuer_id, record_key, min(first_seen) AS since
        FROM pg_temp.snapshot_run GROUP BY 1, 2, 3)
    SELECT a.issuer_id, a.record_key, a.at, min(a.kind)
    FROM absence a
    JOIN named k USING (issuer_id, record_key)
    LEFT JOIN absence b ON b.issuer_id = a.issuer_id AND b.record_key = a.record_key AND b.kind = k.kind
                       AND b.at <= a.at AND b.back > a.at
    WHERE k.since <= a.at
    GROUP BY a.issuer_id, a.record_key, a.at
    HAVING bool_and(b.kind IS NOT NULL);
END $$;

-- What files say of listings, where it may be news: in the first snapshot of a run, in all while another run says
-- something else of the same symbol, and in the next after another source has. In one instant a file without
-- exchanges agrees with the one that has them.
CREATE FUNCTION find_statements() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.snapshot_said
    WITH point AS (
        SELECT run_id, first_seen AS at FROM pg_temp.snapshot_run
        UNION
        SELECT r.run_id, f.taken_at
        FROM pg_temp.snapshot_run r
        JOIN pg_temp.snapshot_run o
          ON o.record_key = r.record_key AND o.first_seen <= r.last_seen AND r.first_seen <= o.last_seen
         AND (o.issuer_id <> r.issuer_id OR o.name <> r.name OR o.listing_rank <> r.listing_rank
              OR o.listing_exchange <> r.listing_exchange)
        JOIN disclosed.listing_snapshot f
          ON f.kind = r.kind AND f.taken_at BETWEEN r.first_seen AND r.last_seen AND f.taken_at >= o.first_seen
        UNION
        SELECT r.run_id, (SELECT min(f.taken_at) FROM disclosed.listing_snapshot f
                          WHERE f.kind = r.kind AND f.taken_at >= l.known_at)
        FROM pg_temp.snapshot_run r
        JOIN disclosed.listing l ON l.record_key = r.record_key
         AND l.known_at > r.first_seen AND l.known_at <= r.last_seen
        WHERE NOT disclosed.is_of_snapshot(l.source_provider, l.source_url)),
    filled AS (
        SELECT r.record_key, p.at, r.issuer_id, r.kind, r.name, r.listing_rank, r.listing_digest AS src_digest,
               coalesce(r.listing_exchange, max(r.listing_exchange)
                   OVER (PARTITION BY r.record_key, p.at, r.issuer_id)) AS listing_exchange
        FROM point p JOIN pg_temp.snapshot_run r USING (run_id)),
    said AS (
        SELECT DISTINCT ON (record_key, at, issuer_id, name, listing_exchange, listing_rank) *
        FROM filled ORDER BY record_key, at, issuer_id, name, listing_exchange, listing_rank, kind)
    SELECT record_key, at, issuer_id, kind, name, listing_exchange, listing_rank, src_digest,
           count(*) OVER (PARTITION BY record_key, at) > 1
    FROM said;
END $$;

-- The versions that follow: one from each statement that says something else than what was known, and one
-- from when files dropped the listing that had the symbol.
CREATE FUNCTION find_wanted() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.wanted_listing
    WITH event AS (
        SELECT record_key, at, 0 AS stage, issuer_id, kind, src_digest, name, listing_exchange, NULL::text AS isin,
               NULL::text AS figi, NULL::boolean AS is_etf, NULL::boolean AS is_fund, NULL::boolean AS is_adr,
               'active' AS status, listing_rank, contested, 'sec' AS provider, 9223372036854775807 AS row_order
        FROM pg_temp.snapshot_said
        UNION ALL
        SELECT l.record_key, l.known_at, 0, l.issuer_id, NULL, l.src_digest, l.name, l.listing_exchange, l.isin, l.figi,
               l.is_etf, l.is_fund, l.is_adr, l.status, l.listing_rank, false, l.source_provider, l.row_id
        FROM pg_temp.snapshot_key k JOIN disclosed.listing l USING (record_key)
        WHERE NOT disclosed.is_of_snapshot(l.source_provider, l.source_url)
        UNION ALL
        SELECT record_key, at, 1, issuer_id, kind, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'inactive',
               NULL, false, 'sec', 0
        FROM pg_temp.snapshot_drop),
    numbered AS (
        SELECT *, row_number() OVER w AS seq,
               count(*) FILTER (WHERE stage = 0) OVER w AS said
        FROM event
        WINDOW w AS (PARTITION BY record_key ORDER BY at, stage, row_order, kind, issuer_id, name, listing_rank,
                     listing_exchange ROWS UNBOUNDED PRECEDING)),
    held AS (
        SELECT *, first_value(issuer_id) OVER w AS holder, first_value(at) OVER w AS held_at,
               first_value(status) OVER w AS held_status, first_value(provider) OVER w AS held_provider
        FROM numbered WINDOW w AS (PARTITION BY record_key, said ORDER BY seq)),
    valid AS (
        SELECT *, count(name) OVER w AS names, count(listing_exchange) OVER w AS exchanges, count(isin) OVER w AS isins,
               count(figi) OVER w AS figis, count(is_etf) OVER w AS flags
        FROM held
        WHERE stage = 0 OR (said > 0 AND holder = issuer_id AND held_at < at AND held_status = 'active'
                            AND held_provider = 'sec')
        WINDOW w AS (PARTITION BY record_key, issuer_id ORDER BY seq ROWS UNBOUNDED PRECEDING)),
    carried AS (
        SELECT record_key, at, seq, issuer_id, kind, status, contested,
               first_value(src_digest) OVER n AS src_digest, first_value(name) OVER n AS name,
               first_value(listing_rank) OVER n AS listing_rank,
               CASE WHEN exchanges > 0 THEN max(listing_exchange) OVER (PARTITION BY record_key, issuer_id, exchanges) END
                   AS listing_exchange,
               CASE WHEN isins > 0 THEN max(isin) OVER (PARTITION BY record_key, issuer_id, isins) END AS isin,
               CASE WHEN figis > 0 THEN max(figi) OVER (PARTITION BY record_key, issuer_id, figis) END AS figi,
               coalesce(CASE WHEN flags > 0 THEN first_value(is_etf) OVER f END, false) AS is_etf,
               coalesce(CASE WHEN flags > 0 THEN first_value(is_fund) OVER f END, false) AS is_fund,
               coalesce(CASE WHEN flags > 0 THEN first_value(is_adr) OVER f END, false) AS is_adr
        FROM valid
        WINDOW n AS (PARTITION BY record_key, issuer_id, names ORDER BY seq),
               f AS (PARTITION BY record_key, issuer_id, flags ORDER BY seq)),
    news AS (
        SELECT *, contested OR (issuer_id, name, listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank)
                   IS DISTINCT FROM (lag(issuer_id) OVER w, lag(name) OVER w, lag(listing_exchange) OVER w,
                   lag(isin) OVER w, lag(figi) OVER w, lag(is_etf) OVER w, lag(is_fund) OVER w, lag(is_adr) OVER w,
                   lag(status) OVER w, lag(listing_rank) OVER w) AS is_news
        FROM carried WINDOW w AS (PARTITION BY record_key ORDER BY seq))
    SELECT e.record_key, e.at, row_number() OVER (PARTITION BY e.record_key, e.at ORDER BY e.seq), e.issuer_id, e.kind,
           f.content_hash, e.src_digest, e.name, e.listing_exchange, e.isin, e.figi, e.is_etf, e.is_fund, e.is_adr,
           e.status, e.listing_rank, NULL
    FROM news e JOIN disclosed.listing_snapshot f ON f.kind = e.kind AND f.taken_at = e.at
    WHERE e.is_news;
END $$;

-- Makes the versions that come from whole-market files those that are wanted. Rows of one instant are in the
-- order of their numbers, so what follows one that goes is written anew. Returns the issuers.
CREATE FUNCTION write_wanted() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.listing_pair
    SELECT issuer_id, row_id, record_key, known_at, pos
    FROM (SELECT l.*, row_number() OVER (PARTITION BY l.record_key, l.known_at ORDER BY l.row_id) AS pos
          FROM pg_temp.snapshot_key k JOIN disclosed.listing l USING (record_key)
          WHERE disclosed.is_of_snapshot(l.source_provider, l.source_url)) l;
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
            SELECT w.*, t.id, t.listed_on
            FROM pg_temp.wanted_listing w
            LEFT JOIN (SELECT l.issuer_id, l.record_key, min(l.id) AS id, min(l.listed_on) AS listed_on
                       FROM pg_temp.snapshot_key k JOIN disclosed.listing l USING (record_key)
                       GROUP BY 1, 2) t ON t.issuer_id = w.issuer_id AND t.record_key = w.record_key
            WHERE w.row_id IS NULL),
        added AS (
            INSERT INTO disclosed.listing AS l (id, issuer_id, record_key, known_at, superseded_at, src_digest,
                source_provider, source_url, content_hash, extracted_at, ticker, market, name,
                listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank, listed_on)
            SELECT coalesce(id, nextval('disclosed.record_id')), issuer_id, record_key, at, at, src_digest, 'sec',
                   'https://www.sec.gov/files/' || kind || '.json', content_hash, now(),
                   regexp_replace(record_key, ':[^:]*$', ''), regexp_replace(record_key, '^.*:', ''), name,
                   listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank,
                   least(listed_on, (at AT TIME ZONE 'America/New_York')::date)
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
        SET source_url = 'https://www.sec.gov/files/' || w.kind || '.json', content_hash = w.content_hash
        FROM pg_temp.wanted_listing w
        WHERE l.issuer_id = w.issuer_id AND l.row_id = w.row_id
          AND (l.source_url, l.content_hash) IS DISTINCT FROM
              ('https://www.sec.gov/files/' || w.kind || '.json', w.content_hash)
        RETURNING l.issuer_id;
    RETURN QUERY SELECT * FROM disclosed.order_listings(ARRAY(SELECT record_key FROM pg_temp.snapshot_key));
    RETURN QUERY
        UPDATE disclosed.listing l SET listed_on = first.day
        FROM (SELECT issuer_id, record_key, (min(first_seen) AT TIME ZONE 'America/New_York')::date AS day
              FROM pg_temp.snapshot_run GROUP BY 1, 2) first
        WHERE l.issuer_id = first.issuer_id AND l.record_key = first.record_key AND l.listed_on > first.day
        RETURNING l.issuer_id;
END $$;

-- What follows from a whole-market file, whose rows have been merged: where it stands among the others, and the
-- versions of all that it names or has dropped. Returns what changed.
CREATE OR REPLACE FUNCTION settle_snapshot(snapshot_kind text, snapshot_at timestamptz, ciks bigint[],
                                           keys text[], snapshot_hash text, rejected bigint)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    is_new boolean := NOT EXISTS (SELECT 1 FROM disclosed.listing_snapshot
                                  WHERE kind = snapshot_kind AND taken_at = snapshot_at);
    whole_before timestamptz;
BEGIN
    -- As settling does: who gathers statistics of issuer holds this lock.
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    PERFORM disclosed.open_snapshot_tables();
    PERFORM disclosed.analyze_grown(ARRAY['disclosed.issuer', 'disclosed.listing']::regclass[]);
    INSERT INTO pg_temp.snapshot_listing
    SELECT DISTINCT i.issuer_id, s.record_key, s.name, s.listing_exchange, s.listing_rank, s.src_digest
    FROM pg_temp.stage_listing s JOIN disclosed.issuer i ON i.cik = s.cik;
    ANALYZE pg_temp.snapshot_listing;
    -- A row may have been refused at the merge as well: then its listing is not there.
    INSERT INTO disclosed.listing_snapshot AS known
    VALUES (snapshot_kind, snapshot_at, snapshot_hash, rejected = 0
            AND (SELECT count(*) FROM (SELECT DISTINCT issuer_id, record_key FROM pg_temp.snapshot_listing) AS n)
                = (SELECT count(*) FROM (SELECT DISTINCT cik, key FROM unnest(ciks, keys) AS named(cik, key)) AS d))
    ON CONFLICT (kind, taken_at) DO UPDATE SET is_whole = known.is_whole OR excluded.is_whole,
        content_hash = least(known.content_hash, excluded.content_hash)
    WHERE (excluded.is_whole AND NOT known.is_whole) OR excluded.content_hash < known.content_hash;
    PERFORM disclosed.analyze_grown(ARRAY['disclosed.listing_seen']::regclass[]);
    whole_before := coalesce((SELECT max(taken_at) FROM disclosed.listing_snapshot
                              WHERE kind = snapshot_kind AND is_whole AND taken_at < snapshot_at), '-infinity');
    -- Those that it names, and those that it may be the first to lack.
    INSERT INTO pg_temp.snapshot_key
    SELECT record_key FROM pg_temp.snapshot_listing
    UNION
    SELECT record_key FROM disclosed.listing_seen
    WHERE kind = snapshot_kind AND first_seen < snapshot_at AND last_seen >= whole_before;
    ANALYZE pg_temp.snapshot_key;
    PERFORM disclosed.run_snapshot(snapshot_kind, snapshot_at, is_new);
    PERFORM disclosed.analyze_grown(ARRAY['disclosed.listing_seen']::regclass[]);
    INSERT INTO pg_temp.snapshot_run SELECT s.* FROM disclosed.listing_seen s JOIN pg_temp.snapshot_key USING (record_key);
    ANALYZE pg_temp.snapshot_run;
    PERFORM disclosed.find_drops();
    ANALYZE pg_temp.snapshot_drop;
    PERFORM disclosed.find_statements();
    ANALYZE pg_temp.snapshot_said;
    PERFORM disclosed.find_wanted();
    ANALYZE pg_temp.wanted_listing;
    RETURN QUERY SELECT 'listing', i FROM disclosed.write_wanted() AS i;
END $$;
