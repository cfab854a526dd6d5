-- Versions of metrics take time by how many observations a metric has, no longer by their square: each instant read all of them.

SET LOCAL search_path = disclosed, public;

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
    instant AS MATERIALIZED (
        SELECT a.issuer_id, a.metric_key, a.known_at, a.best, e.issuer_id IS NOT NULL AS is_ending
        FROM (SELECT u.issuer_id, u.metric_key, u.known_at,
                     max(max(u.place)) OVER (PARTITION BY u.issuer_id, u.metric_key ORDER BY u.known_at) AS best
              FROM (SELECT issuer_id, metric_key, known_at, NULL::bigint AS place FROM canonical
                    UNION ALL SELECT s.issuer_id, s.metric_key, s.known_at, s.place FROM said s) u
              GROUP BY 1, 2, 3) a
        LEFT JOIN ending e USING (issuer_id, metric_key)),
    chosen AS (
        SELECT i.issuer_id, i.metric_key, i.known_at, s.row_id, a.dimension_axis
        FROM instant i
        LEFT JOIN said s ON (s.issuer_id, s.metric_key, s.place) = (i.issuer_id, i.metric_key, i.best)
        LEFT JOIN LATERAL (
            SELECT string_agg(b.dimension, ', ' ORDER BY b.dimension) AS dimension_axis FROM begun b
            WHERE (b.issuer_id, b.metric_key) = (i.issuer_id, i.metric_key) AND b.since <= i.known_at) a ON true
        WHERE NOT i.is_ending
        UNION ALL
        SELECT i.issuer_id, i.metric_key, i.known_at, o.row_id, a.dimension_axis
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
        SELECT i.issuer_id, i.metric_key, i.known_at, coalesce(o.source_id, c.source_id) AS source_id,
               CASE WHEN o.source_id IS NULL THEN c.accession ELSE o.accession END AS accession, c.metric_key IS NOT NULL AS is_canonical,
               coalesce(o.split_adjusted, false) AS split_adjusted, coalesce(o.display, o.issuer_label) AS display,
               coalesce(o.definition, o.as_described) AS definition, o.unit, o.category, o.importance, o.basis, i.dimension_axis,
               o.canonical_key
        FROM chosen i
        LEFT JOIN canonical c ON (c.issuer_id, c.metric_key) = (i.issuer_id, i.metric_key) AND c.known_at <= i.known_at
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
