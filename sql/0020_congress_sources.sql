-- From which file a trade of Congress comes follows from all files that say the same of it, in whatever order they come: each
-- version keeps those that may be it, and when dates have moved it, the one that stands is chosen anew.

SET LOCAL search_path = disclosed, public;

-- The lesser the better: a file with a digest, one that quotes what the columns cannot hold, then by what they say.
CREATE FUNCTION congress_source_rank(source jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ARRAY[CASE WHEN source ->> 'content_hash' IS NULL THEN '1' ELSE '0' END,
                 CASE WHEN source ->> 'quote' IS NULL THEN '1' ELSE '0' END, coalesce(source ->> 'content_hash', ''),
                 coalesce(source ->> 'source_url', '~'), coalesce(source ->> 'quote', '')]
$$;

-- A source, as congress_trade.sources has it.
CREATE FUNCTION congress_source(at timestamptz, source_url text, quote text, content_hash text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object('at', extract(epoch FROM at), 'source_url', source_url, 'quote', quote,
                                                'content_hash', content_hash))
$$;

-- `sources` with one more. What is later than another, and no better, is a source at no time.
CREATE FUNCTION congress_sources(sources jsonb, more jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN sources IS NULL THEN jsonb_build_array(more) ELSE (
        SELECT jsonb_agg(k.source ORDER BY k.at)
        FROM (SELECT s.source, s.at, s.rank, min(s.rank) OVER (ORDER BY s.at, s.rank ROWS BETWEEN UNBOUNDED PRECEDING
                                                               AND 1 PRECEDING) AS best_before
              FROM (SELECT e.source, (e.source ->> 'at')::numeric AS at, disclosed.congress_source_rank(e.source) COLLATE "C" AS rank
                    FROM jsonb_array_elements(sources || more) AS e(source)) s) k
        WHERE k.best_before IS NULL OR k.rank < k.best_before) END
$$;

-- The source of a version: the best of the files that said it when it became known, else of all.
CREATE FUNCTION congress_source_of(sources jsonb, known_at timestamptz) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN jsonb_array_length(sources) = 1 THEN sources -> 0 ELSE (
        SELECT e.source FROM jsonb_array_elements(sources) AS e(source)
        ORDER BY e.source ->> 'content_hash' IS NULL, (e.source ->> 'at')::numeric > extract(epoch FROM known_at),
                 disclosed.congress_source_rank(e.source) COLLATE "C" LIMIT 1) END
$$;

-- Keeps what a file says of dates, when its rows were first seen, and that it is a source of them. Returns what has to be
-- settled.
CREATE FUNCTION take_congress_dates(in_chamber text, file_at timestamptz, said jsonb, given_rows jsonb, file_hash text)
RETURNS TABLE (dataset text, politician bigint) LANGUAGE plpgsql SET enable_nestloop = off AS $$
DECLARE
    fresh text[];
BEGIN
    WITH taken AS (
        INSERT INTO disclosed.congress_date AS d (chamber, report_id, dated_as, kind, filing_date, known_at)
        SELECT DISTINCT in_chamber, s.report_id, s.dated_as, s.kind, s.filing_date, s.known_at
        FROM disclosed.congress_dates_said(said, file_at) s
        WHERE NOT EXISTS (SELECT 1 FROM disclosed.congress_date o
                          WHERE s.kind = 'seen' AND o.chamber = in_chamber AND o.report_id = s.report_id AND o.dated_as = ''
                            AND o.kind = 'seen' AND o.known_at <= file_at)
        ORDER BY 2, 3, 4, 5
        ON CONFLICT (chamber, report_id, dated_as, kind, filing_date) DO UPDATE SET known_at = excluded.known_at
        WHERE d.known_at > excluded.known_at
        RETURNING d.report_id)
    SELECT array_agg(DISTINCT t.report_id) INTO fresh FROM taken t;
    DELETE FROM disclosed.congress_date d
    WHERE d.chamber = in_chamber AND d.report_id = ANY(fresh) AND d.kind = 'seen'
      AND EXISTS (SELECT 1 FROM disclosed.congress_date o
                  WHERE o.chamber = d.chamber AND o.report_id = d.report_id AND o.dated_as = d.dated_as AND o.kind = 'seen'
                    AND (o.known_at, o.filing_date) < (d.known_at, d.filing_date));
    RETURN QUERY
    WITH given AS (
        SELECT r.* FROM jsonb_to_recordset(given_rows) AS r(
            record_key text, basis text, day date, source_url text, quote text, owner text, ticker text, asset_name text, asset_type text,
            amount_range text, comment text, first_name text, last_name text, political_party text, state_district text,
            read_from text)),
    seen AS (
        UPDATE disclosed.congress_trade t SET seen_at = least(t.seen_at, file_at), sources = q.sources
        FROM given g
        JOIN disclosed.congress_trade v ON v.chamber = in_chamber AND v.record_key = g.record_key
        CROSS JOIN LATERAL (SELECT CASE WHEN v.redated_from IS NULL
            THEN disclosed.congress_sources(v.sources, disclosed.congress_source(file_at, g.source_url, g.quote, file_hash)) END
            AS sources) q
        WHERE t.issuer_id = v.issuer_id AND t.row_id = v.row_id
          AND (g.day > (file_at AT TIME ZONE 'UTC')::date + 14 AND g.basis = 'notified') IS NOT TRUE -- those have been rejected
          AND (v.ticker, v.asset_name, v.amount_range, v.owner, v.read_from, v.asset_type, v.comment, v.first_name, v.last_name,
               v.political_party, v.state_district)
              IS NOT DISTINCT FROM (g.ticker, g.asset_name, g.amount_range, g.owner, g.read_from, g.asset_type, g.comment,
                                    g.first_name, g.last_name, g.political_party, g.state_district)
          AND (t.seen_at IS NULL OR t.seen_at > file_at OR t.sources IS DISTINCT FROM q.sources)
        RETURNING t.issuer_id, v.seen_at IS NOT NULL AS is_other)
    SELECT 'congress_trade', s.issuer_id FROM seen s WHERE s.is_other
    UNION
    SELECT 'congress_trade', t.issuer_id FROM disclosed.congress_trade t
    WHERE t.chamber = in_chamber AND t.report_id = ANY(fresh);
END $$;

-- The source that stands, of versions that files said and of those that have a better date later on. Returns the politicians.
CREATE FUNCTION place_congress_sources(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH standing AS MATERIALIZED (
        SELECT v.issuer_id, v.row_id, disclosed.congress_source_of(v.sources, v.known_at) AS source
        FROM disclosed.congress_trade v WHERE v.issuer_id = ANY(issuers) AND v.sources IS NOT NULL)
    UPDATE disclosed.congress_trade t
    SET source_url = s.source ->> 'source_url', quote = s.source ->> 'quote', content_hash = s.source ->> 'content_hash'
    FROM standing s
    WHERE t.issuer_id = s.issuer_id AND t.issuer_id = ANY(issuers) AND coalesce(t.redated_from, t.row_id) = s.row_id
      AND (t.source_url, t.quote, t.content_hash)
          IS DISTINCT FROM (s.source ->> 'source_url', s.source ->> 'quote', s.source ->> 'content_hash')
    RETURNING t.issuer_id
$$;

-- ------------------------------------------------ what follows from a load

-- Reports or rows of the index have come. Returns the politicians whose trades have changed.
CREATE FUNCTION settle_congress(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[] := ARRAY(SELECT DISTINCT d FROM disclosed.date_congress_reports(issuers) AS d
                              UNION SELECT v FROM disclosed.date_congress_versions(issuers) AS v);
    touched bigint[];
BEGIN
    changed := changed || ARRAY(SELECT DISTINCT u FROM disclosed.unite_congress_filers(issuers || changed) AS u);
    changed := changed || ARRAY(SELECT DISTINCT o FROM disclosed.order_congress_versions(issuers || changed) AS o);
    changed := changed || ARRAY(SELECT DISTINCT c FROM disclosed.count_congress_repeats(issuers || changed) AS c);
    changed := changed || ARRAY(SELECT DISTINCT p FROM disclosed.place_congress_sources(issuers || changed) AS p);
    touched := ARRAY(SELECT DISTINCT unnest(issuers || changed));
    PERFORM disclosed.close_amended_trades(touched);
    PERFORM disclosed.map_congress_tickers(NULL, touched);
    PERFORM disclosed.count_congress_companies(ARRAY(
        SELECT DISTINCT company_id FROM disclosed.congress_trade WHERE issuer_id = ANY(touched)));
    RETURN QUERY SELECT DISTINCT unnest(changed);
END $$;
