-- Bootstrap and follow: clocks that are put back, and metrics of data sets of many companies.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------ clocks

-- The server's clock may be put back while sources are followed, or be right again after it was ahead: what was noted by the clock as it was then
-- lies further ahead than it may by its own rule. It is brought near, so that nothing waits for a day that has been.

ALTER TABLE followed_limit ADD COLUMN paused_at timestamptz;
COMMENT ON COLUMN followed_limit.paused_at IS 'when the pause began, by the same clock as paused_until';

-- As in 0055; a pause is as long as it was, from now on. Free times lie some seconds ahead at most.
CREATE OR REPLACE FUNCTION take_followed_slot(limit_name text, spacing integer, OUT wait integer, OUT paused boolean) LANGUAGE plpgsql
SET search_path = disclosed, public AS $$
DECLARE
    l followed_limit;
BEGIN
    INSERT INTO followed_limit (name) VALUES (limit_name) ON CONFLICT DO NOTHING;
    SELECT * INTO l FROM followed_limit WHERE name = limit_name FOR UPDATE;
    IF l.paused_at > clock_timestamp() THEN
        l.paused_until := l.paused_until - l.paused_at + clock_timestamp();
        UPDATE followed_limit SET paused_until = l.paused_until, paused_at = clock_timestamp() WHERE name = limit_name;
    END IF;
    paused := l.paused_until > clock_timestamp();
    IF paused THEN
        wait := ceil(extract(epoch FROM l.paused_until - clock_timestamp()) * 1000);
    ELSE
        IF l.next_at < clock_timestamp() OR l.next_at > clock_timestamp() + interval '1 minute' THEN
            l.next_at := clock_timestamp();
        END IF;
        wait := greatest(0, ceil(extract(epoch FROM l.next_at - clock_timestamp()) * 1000));
        UPDATE followed_limit SET next_at = l.next_at + spacing * interval '1 millisecond' WHERE name = limit_name;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION pause_followed(limit_name text, told_seconds integer, why text) RETURNS integer LANGUAGE sql
SET search_path = disclosed, public AS $$
    UPDATE followed_limit
    SET paused_until = clock_timestamp() + make_interval(secs => coalesce(told_seconds, least(3600, 10 * 2 ^ least(pauses, 12)))),
        paused_at = clock_timestamp(), pauses = pauses + 1, reason = why
    WHERE name = limit_name AND (paused_until <= clock_timestamp() OR paused_at > clock_timestamp())
    RETURNING ceil(extract(epoch FROM paused_until - clock_timestamp()))::integer
$$;

-- Called when a process begins, and when it has seen the clock go back. Who has a lease renews it within its minute.
CREATE FUNCTION bring_followed_near() RETURNS void LANGUAGE plpgsql SET search_path = disclosed, public AS $$
DECLARE
    at timestamptz := clock_timestamp();
    soon timestamptz := at + interval '1 second';
BEGIN
    UPDATE followed_source SET lease_until = at + interval '1 minute' WHERE lease_until > at + interval '2 minutes';
    UPDATE followed_source SET checked_at = at WHERE checked_at > soon;
    UPDATE followed_listing SET checked_at = least(checked_at, at),
        next_at = least(next_at, at + CASE WHEN attempts > 0 THEN followed_pause(attempts + 1) ELSE interval '0' END)
    WHERE checked_at > soon OR next_at > at + followed_pause(attempts + 1) AND (attempts > 0 OR checked_at IS NULL);
    UPDATE followed_document SET seen_at = least(seen_at, at), checked_at = least(checked_at, at), fetched_at = least(fetched_at, at), stored_at = least(stored_at, at),
        next_at = least(next_at, at + CASE WHEN attempts > 0 THEN followed_pause(attempts + 1) ELSE interval '0' END)
    WHERE greatest(seen_at, checked_at, fetched_at, stored_at) > soon
       OR next_at > at + followed_pause(attempts + 1) AND (attempts > 0 OR failure_kind IS NOT NULL);
    UPDATE followed_freshness SET refreshed_at = least(refreshed_at, at), stored_at = least(stored_at, at), missing_since = least(missing_since, at)
    WHERE greatest(refreshed_at, stored_at, missing_since) > soon;
END $$;

GRANT EXECUTE ON FUNCTION bring_followed_near() TO disclosed_loader;

-- ----------------------------------------------------------------- metrics

-- As in 0085, but that no part of it is joined to itself: without statistics, as in a first load, that was done row by row, and took time by
-- the square of how many metrics all companies of a file have.
CREATE OR REPLACE FUNCTION kpi_metric_versions(issuers bigint[]) RETURNS SETOF kpi_metric LANGUAGE sql STABLE AS $$
    WITH canonical AS MATERIALIZED (
        SELECT f.issuer_id, m.metric_key, f.known_at, f.source_id, disclosed.accession_name(f.accession_number) AS accession
        FROM (SELECT DISTINCT ON (v.issuer_id, v.metric_id) v.issuer_id, v.metric_id, v.known_at, v.source_id, v.accession_number
              FROM disclosed.metric_value v
              WHERE v.issuer_id = ANY (issuers) AND v.kind <> 6 AND v.superseded_at IS DISTINCT FROM v.known_at
              ORDER BY v.issuer_id, v.metric_id, v.known_at, v.end_date, disclosed.kind_name(v.kind), v.unit) f
        JOIN disclosed.canonical_metric m USING (metric_id)),
    -- `place`: among all of the metric, the later the better it describes it.
    said AS MATERIALIZED (
        SELECT o.issuer_id, o.metric_key, o.row_id, o.known_at, o.superseded_at, o.dimension, o.end_date, o.record_key,
               row_number() OVER (PARTITION BY o.issuer_id, o.metric_key
                                  ORDER BY o.dimension IS NULL, o.end_date, o.known_at, o.record_key DESC) AS place
        FROM disclosed.kpi_observation o
        WHERE o.issuer_id = ANY (issuers) AND o.superseded_at IS DISTINCT FROM o.known_at),
    -- What ends makes way for what is said of the same record from then on, which describes the metric better for being later: so the best of
    -- all that has been said is in force. Of metrics of which something ends otherwise, each instant looks for the best that is.
    ending AS MATERIALIZED (
        SELECT DISTINCT s.issuer_id, s.metric_key FROM said s
        WHERE s.superseded_at IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM said n WHERE (n.issuer_id, n.metric_key, n.record_key, n.known_at, n.end_date)
                                                   = (s.issuer_id, s.metric_key, s.record_key, s.superseded_at, s.end_date)
                                                 AND n.dimension IS NOT DISTINCT FROM s.dimension)),
    begun AS MATERIALIZED (
        SELECT s.issuer_id, s.metric_key, s.dimension, min(s.known_at) AS since FROM said s WHERE s.dimension IS NOT NULL GROUP BY 1, 2, 3),
    -- With what has been told last by then: the row of the best observation, and where the first number of a canonical metric is from.
    instant AS MATERIALIZED (
        SELECT a.issuer_id, a.metric_key, a.known_at, a.best[2] AS row_id, a.source_id, a.accession, a.is_canonical, e.issuer_id IS NOT NULL AS is_ending
        FROM (SELECT u.issuer_id, u.metric_key, u.known_at, max(max(u.best)) OVER so_far AS best, max(max(u.source_id)) OVER so_far AS source_id,
                     max(max(u.accession)) OVER so_far AS accession, bool_or(bool_or(u.is_canonical)) OVER so_far AS is_canonical
              FROM (SELECT c.issuer_id, c.metric_key, c.known_at, NULL::bigint[] AS best, c.source_id, c.accession, true AS is_canonical FROM canonical c
                    UNION ALL SELECT s.issuer_id, s.metric_key, s.known_at, ARRAY[s.place, s.row_id], NULL, NULL, false FROM said s) u
              GROUP BY 1, 2, 3
              WINDOW so_far AS (PARTITION BY u.issuer_id, u.metric_key ORDER BY u.known_at)) a
        LEFT JOIN ending e USING (issuer_id, metric_key)),
    chosen AS (
        SELECT i.issuer_id, i.metric_key, i.known_at, i.source_id, i.accession, i.is_canonical, i.row_id, a.dimension_axis
        FROM instant i
        LEFT JOIN LATERAL (
            SELECT string_agg(b.dimension, ', ' ORDER BY b.dimension) AS dimension_axis FROM begun b
            WHERE (b.issuer_id, b.metric_key) = (i.issuer_id, i.metric_key) AND b.since <= i.known_at) a ON true
        WHERE NOT i.is_ending
        UNION ALL
        SELECT i.issuer_id, i.metric_key, i.known_at, i.source_id, i.accession, i.is_canonical, o.row_id, a.dimension_axis
        FROM instant i
        LEFT JOIN LATERAL (
            SELECT n.row_id FROM said n
            WHERE (n.issuer_id, n.metric_key) = (i.issuer_id, i.metric_key)
              AND n.known_at <= i.known_at AND (n.superseded_at IS NULL OR n.superseded_at > i.known_at)
            ORDER BY n.place DESC LIMIT 1) o ON true
        LEFT JOIN LATERAL (
            SELECT string_agg(DISTINCT n.dimension, ', ') AS dimension_axis FROM said n
            WHERE (n.issuer_id, n.metric_key) = (i.issuer_id, i.metric_key)
              AND n.known_at <= i.known_at AND (n.superseded_at IS NULL OR n.superseded_at > i.known_at)) a ON true
        WHERE i.is_ending),
    told AS (
        SELECT i.issuer_id, i.metric_key, i.known_at, coalesce(o.source_id, i.source_id) AS source_id,
               CASE WHEN o.source_id IS NULL THEN i.accession ELSE o.accession END AS accession, i.is_canonical,
               coalesce(o.split_adjusted, false) AS split_adjusted, coalesce(o.display, o.issuer_label) AS display,
               coalesce(o.definition, o.as_described) AS definition, o.unit, o.category, o.importance, o.basis, i.dimension_axis,
               o.canonical_key
        FROM chosen i
        LEFT JOIN disclosed.kpi_observation o ON (o.issuer_id, o.row_id) = (i.issuer_id, i.row_id)),
    described AS (
        SELECT t.*, ROW(t.is_canonical, t.split_adjusted, t.display, t.definition, t.unit, t.category, t.importance, t.basis,
                        t.dimension_axis, t.canonical_key)::text AS words
        FROM told t),
    version AS (
        SELECT d.*, lag(d.words) OVER (PARTITION BY d.issuer_id, d.metric_key ORDER BY d.known_at) IS DISTINCT FROM d.words AS is_new
        FROM described d)
    SELECT NULL::bigint, NULL::bigint, v.issuer_id, v.metric_key, v.known_at,
           lead(v.known_at) OVER (PARTITION BY v.issuer_id, v.metric_key ORDER BY v.known_at), now(),
           disclosed.source_digest('kpi_metric', 'issuer_page', coalesce(i.cik, i.issuer_id), v.metric_key), v.accession, NULL::text, v.source_id,
           v.is_canonical, v.split_adjusted, v.metric_key, v.display, v.definition, v.unit, v.category, v.importance, v.basis,
           v.dimension_axis, v.canonical_key
    FROM version v JOIN disclosed.issuer i USING (issuer_id)
    WHERE v.is_new
$$;
