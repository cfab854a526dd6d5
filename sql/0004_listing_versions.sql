-- The versions of listings, worked out from all that whole-market files and other sources said of them, whatever the order
-- in which they came.

SET LOCAL search_path = disclosed, public;

-- The digest of what a statement says: listing_stated.said.
CREATE FUNCTION listing_said(name text, listing_exchange text, isin text, figi text, is_etf boolean, is_fund boolean,
                             is_adr boolean, status text, listing_rank bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT md5(ROW(name, listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank)::text)::uuid
$$;

-- Whether a source states no day of listing. Importers of the SEC's files, which have none, give the day on which they say so.
CREATE FUNCTION is_day_seen(provider text, day date, known_at timestamptz) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT day IS NULL OR provider = 'sec' AND day IN ((known_at AT TIME ZONE 'UTC')::date, (known_at AT TIME ZONE 'America/New_York')::date)
$$;

-- What follows from a whole-market file is worked out on sets of ten thousand listings: tables that are
-- looked into by key, with statistics of what has just been put there. Searched as arrays, or joined by plans
-- made for a handful of rows, they would take minutes.
CREATE FUNCTION open_snapshot_tables() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.snapshot_listing') IS NULL THEN
        CREATE TEMP TABLE snapshot_listing (issuer_id bigint, record_key text, name text, listing_exchange text,
            listing_rank bigint, src_digest uuid) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE snapshot_key (record_key text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE snapshot_run (LIKE disclosed.listing_seen) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE snapshot_drop (issuer_id bigint, record_key text, at timestamptz, kind text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE snapshot_said (record_key text, at timestamptz, issuer_id bigint, kind text, name text,
            listing_exchange text, listing_rank bigint, src_digest uuid, contested boolean) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE wanted_listing (record_key text, at timestamptz, pos bigint, issuer_id bigint, import_run_id bigint,
            src_digest uuid, source_provider text, source_url text, accession text, quote text, content_hash text,
            extracted_at timestamptz, name text, listing_exchange text, isin text, figi text, is_etf boolean,
            is_fund boolean, is_adr boolean, status text, listing_rank bigint, listed_on date, row_id bigint)
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

-- ------------------------------------------------------ whole-market files

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

-- ---------------------------------------------------------------- versions

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
                          WHERE f.kind = r.kind AND f.taken_at >= t.known_at)
        FROM pg_temp.snapshot_run r
        JOIN disclosed.listing_stated t ON t.record_key = r.record_key
         AND t.known_at > r.first_seen AND t.known_at <= r.last_seen),
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
-- from when files dropped the listing that had the symbol. At one instant whole-market files come after other sources,
-- and of those the companies in the order of their CIKs. What is stated once holds until it is stated anew. The day of
-- listing is the one that was stated last, unless a source named the listing before it.
CREATE FUNCTION find_wanted() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.wanted_listing
    WITH event AS (
        SELECT record_key, at, 0 AS stage, true AS of_snapshot, issuer_id, kind, contested, 0::bigint AS place,
               NULL::uuid AS said, NULL::bigint AS import_run_id, src_digest, 'sec' AS source_provider,
               NULL::text AS source_url, NULL::text AS accession, NULL::text AS quote, NULL::text AS content_hash,
               NULL::timestamptz AS extracted_at, name, listing_exchange, NULL::text AS isin, NULL::text AS figi,
               NULL::boolean AS is_etf, NULL::boolean AS is_fund, NULL::boolean AS is_adr, 'active' AS status,
               listing_rank, NULL::date AS listed_on
        FROM pg_temp.snapshot_said
        UNION ALL
        SELECT t.record_key, t.known_at, 0, disclosed.is_of_snapshot(t.source_provider, t.source_url), t.issuer_id, NULL,
               count(*) OVER (PARTITION BY t.record_key, t.known_at) > 1, t.place, t.said,
               t.stated_in, t.listing_digest, t.source_provider, t.source_url, t.accession, t.quote, t.content_hash,
               t.extracted_at, t.name, t.listing_exchange, t.isin, t.figi, t.is_etf, t.is_fund, t.is_adr, t.status,
               t.listing_rank, t.listed_on
        FROM pg_temp.snapshot_key k JOIN disclosed.listing_stated t USING (record_key)
        UNION ALL
        SELECT record_key, at, 1, true, issuer_id, kind, false, 0, NULL, NULL, NULL, 'sec', NULL, NULL, NULL, NULL, NULL,
               NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'inactive', NULL, NULL
        FROM pg_temp.snapshot_drop),
    numbered AS (
        SELECT e.*, row_number() OVER w AS seq, count(*) FILTER (WHERE e.stage = 0) OVER w AS said_so_far
        FROM (SELECT e.*, coalesce(lpad(i.cik::text, 10, '0'), i.party_key) COLLATE "C" AS holder_key
              FROM event e JOIN disclosed.issuer i USING (issuer_id)) e
        WINDOW w AS (PARTITION BY e.record_key ORDER BY e.at, e.stage, e.of_snapshot,
                     CASE WHEN NOT e.of_snapshot THEN e.holder_key END NULLS FIRST, e.place,
                     e.said, e.kind, e.holder_key, e.name COLLATE "C", e.listing_rank, e.listing_exchange COLLATE "C"
                     ROWS UNBOUNDED PRECEDING)),
    held AS (
        SELECT *, first_value(issuer_id) OVER w AS holder, first_value(at) OVER w AS held_at,
               first_value(status) OVER w AS held_status, first_value(source_provider) OVER w AS held_provider
        FROM numbered WINDOW w AS (PARTITION BY record_key, said_so_far ORDER BY seq)),
    valid AS (
        SELECT *, count(name) OVER w AS names, count(listing_exchange) OVER w AS exchanges, count(isin) OVER w AS isins,
               count(figi) OVER w AS figis, count(is_etf) OVER w AS etfs, count(is_fund) OVER w AS funds,
               count(is_adr) OVER w AS adrs, count(listing_rank) OVER w AS ranks, count(listed_on) OVER w AS days
        FROM held
        WHERE stage = 0 OR (said_so_far > 0 AND holder = issuer_id AND held_at < at AND held_status = 'active'
                            AND held_provider = 'sec')
        WINDOW w AS (PARTITION BY record_key, issuer_id ORDER BY seq ROWS UNBOUNDED PRECEDING)),
    carried AS (
        SELECT record_key, at, seq, of_snapshot, issuer_id, kind, contested, status, import_run_id, source_provider, source_url,
               accession, quote, content_hash, extracted_at,
               first_value(src_digest) OVER (PARTITION BY record_key, issuer_id, names ORDER BY seq) AS src_digest,
               max(name) OVER (PARTITION BY record_key, issuer_id, names) AS name,
               max(listing_exchange) OVER (PARTITION BY record_key, issuer_id, exchanges) AS listing_exchange,
               max(isin) OVER (PARTITION BY record_key, issuer_id, isins) AS isin,
               max(figi) OVER (PARTITION BY record_key, issuer_id, figis) AS figi,
               coalesce(bool_or(is_etf) OVER (PARTITION BY record_key, issuer_id, etfs), false) AS is_etf,
               coalesce(bool_or(is_fund) OVER (PARTITION BY record_key, issuer_id, funds), false) AS is_fund,
               coalesce(bool_or(is_adr) OVER (PARTITION BY record_key, issuer_id, adrs), false) AS is_adr,
               coalesce(max(listing_rank) OVER (PARTITION BY record_key, issuer_id, ranks), 0) AS listing_rank,
               max(listed_on) OVER (PARTITION BY record_key, issuer_id, days) AS listed_on
        FROM valid),
    news AS (
        SELECT *, (contested AND (of_snapshot OR lag(at) OVER w IS DISTINCT FROM at))
                  OR (issuer_id, name, listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank)
                     IS DISTINCT FROM (lag(issuer_id) OVER w, lag(name) OVER w, lag(listing_exchange) OVER w,
                     lag(isin) OVER w, lag(figi) OVER w, lag(is_etf) OVER w, lag(is_fund) OVER w, lag(is_adr) OVER w,
                     lag(status) OVER w, lag(listing_rank) OVER w) AS is_news
        FROM carried WINDOW w AS (PARTITION BY record_key ORDER BY seq)),
    seen AS (
        SELECT issuer_id, record_key, min(day) AS day
        FROM (SELECT issuer_id, record_key, (first_seen AT TIME ZONE 'America/New_York')::date AS day FROM pg_temp.snapshot_run
              UNION ALL
              SELECT t.issuer_id, t.record_key, t.seen_on
              FROM pg_temp.snapshot_key k JOIN disclosed.listing_stated t USING (record_key)) s
        GROUP BY 1, 2)
    SELECT e.record_key, e.at, row_number() OVER (PARTITION BY e.record_key, e.at ORDER BY e.seq), e.issuer_id,
           e.import_run_id, e.src_digest, e.source_provider,
           CASE WHEN e.kind IS NULL THEN e.source_url ELSE 'https://www.sec.gov/files/' || e.kind || '.json' END,
           e.accession, e.quote, CASE WHEN e.kind IS NULL THEN e.content_hash ELSE f.content_hash END, e.extracted_at,
           e.name, e.listing_exchange, e.isin, e.figi, e.is_etf, e.is_fund, e.is_adr, e.status, e.listing_rank,
           least(e.listed_on, s.day), NULL
    FROM news e
    LEFT JOIN seen s ON s.issuer_id = e.issuer_id AND s.record_key = e.record_key
    LEFT JOIN disclosed.listing_snapshot f ON f.kind = e.kind AND f.taken_at = e.at
    WHERE e.is_news;
END $$;

-- Makes the versions of the listings those that are wanted. Rows of one instant are in the order of their
-- numbers, so what follows one that goes is written anew. Returns the issuers.
CREATE FUNCTION write_wanted() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
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
            INSERT INTO disclosed.listing AS l (id, issuer_id, record_key, known_at, superseded_at, import_run_id, src_digest,
                source_provider, source_url, accession, quote, content_hash, extracted_at, ticker, market, name,
                listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank, listed_on)
            SELECT coalesce(id, nextval('disclosed.record_id')), issuer_id, record_key, at, at, import_run_id, src_digest,
                   source_provider, source_url, accession, quote, content_hash, coalesce(extracted_at, now()),
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
        SET src_digest = w.src_digest, source_provider = w.source_provider, source_url = w.source_url, accession = w.accession,
            quote = w.quote, content_hash = w.content_hash, extracted_at = coalesce(w.extracted_at, l.extracted_at),
            import_run_id = coalesce(w.import_run_id, l.import_run_id), listed_on = w.listed_on
        FROM pg_temp.wanted_listing w
        WHERE l.issuer_id = w.issuer_id AND l.row_id = w.row_id
          AND (l.src_digest, l.source_provider, l.source_url, l.accession, l.quote, l.content_hash, l.listed_on,
               l.extracted_at) IS DISTINCT FROM
              (w.src_digest, w.source_provider, w.source_url, w.accession, w.quote, w.content_hash, w.listed_on,
               coalesce(w.extracted_at, l.extracted_at))
        RETURNING l.issuer_id;
    RETURN QUERY SELECT * FROM disclosed.order_listings(ARRAY(SELECT record_key FROM pg_temp.snapshot_key));
END $$;

-- The versions of the listings in pg_temp.snapshot_key, from all that was said of them. Returns the issuers.
CREATE FUNCTION derive_listings() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    ANALYZE pg_temp.snapshot_key;
    INSERT INTO pg_temp.snapshot_run SELECT s.* FROM disclosed.listing_seen s JOIN pg_temp.snapshot_key USING (record_key);
    IF FOUND THEN
        ANALYZE pg_temp.snapshot_run;
        PERFORM disclosed.find_drops();
        ANALYZE pg_temp.snapshot_drop;
        PERFORM disclosed.find_statements();
        ANALYZE pg_temp.snapshot_said;
    END IF;
    PERFORM disclosed.find_wanted();
    ANALYZE pg_temp.wanted_listing;
    RETURN QUERY SELECT * FROM disclosed.write_wanted();
END $$;

-- ------------------------------------------------ what follows from a load

-- What follows from the staged rows of another source than a whole-market file, which have been merged: they are kept as
-- they were stated. Of files that say the same at one instant the statement comes from the one that is least by
-- provider, accession number, address and content hash. Returns what changed.
CREATE FUNCTION settle_listings(run bigint, hash_of_file text) RETURNS TABLE (dataset text, changed_issuer bigint)
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
               s.row_order AS place, s.src_digest, s.source_provider, s.source_url, s.accession,
               s.quote, CASE s.content_hash WHEN '=' THEN hash_of_file ELSE s.content_hash END AS content_hash,
               coalesce(s.extracted_at, now()) AS extracted_at, s.name, s.listing_exchange, s.isin, s.figi, s.is_etf,
               s.is_fund, s.is_adr, s.status, s.listing_rank, s.listed_on,
               disclosed.is_day_seen(s.source_provider, s.listed_on, s.known_at) AS is_seen
        FROM pg_temp.stage_listing s
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

-- What follows from a whole-market file, whose rows have been merged: where it stands among the others, and the
-- versions of all that it names or has dropped. Returns what changed.
CREATE FUNCTION settle_snapshot(snapshot_kind text, snapshot_at timestamptz, ciks bigint[],
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
    RETURN QUERY SELECT 'listing', i FROM disclosed.derive_listings() AS i;
END $$;
