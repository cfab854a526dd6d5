-- Key figures that companies tell of themselves, and segments: observations, and which metrics a company has.

SET LOCAL search_path = disclosed, public;

-- What is wrong with an observation; NULL: nothing.
CREATE FUNCTION kpi_fault(metric_key text, basis text, dimension text, member text, start_date date, end_date date, fiscal text)
RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN metric_key !~ '^[a-z][a-z0-9_]*$' THEN 'metric_key: not small letters, digits and underscores'
        WHEN (dimension IS NULL) <> (member IS NULL) THEN 'dimension and member: one without the other'
        WHEN (basis = 'instant') <> (start_date IS NULL) THEN 'start_date: a duration has one, an instant has none'
        WHEN start_date > end_date THEN 'start_date: after the end'
        WHEN fiscal !~ '^(Q[1-4] )?FY[0-9]{4}$' THEN 'fiscal: not Q2 FY2024, nor FY2024' END
$$;

CREATE TABLE kpi_observation (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    start_date  date,
    end_date    date NOT NULL,
    split_adjusted boolean,
    metric_key  text NOT NULL,
    issuer_label text NOT NULL,
    as_described text NOT NULL,
    display     text,
    definition  text,
    unit        text NOT NULL,
    category    text,
    importance  text,
    basis       text NOT NULL CHECK (basis IN ('duration', 'instant')),
    dimension   text,
    member      text,
    fiscal      text,
    value       numeric NOT NULL,
    source_type text NOT NULL,
    tier        text CHECK (tier IN ('verified', 'dimensioned', 'derived', 'extracted', 'extracted_low_confidence')),
    canonical_key text,
    period_kind text NOT NULL GENERATED ALWAYS AS (period_kind(start_date, end_date)) STORED,
    CONSTRAINT kpi_observation_fault CHECK (kpi_fault(metric_key, basis, dimension, member, start_date, end_date, fiscal) IS NULL)
);
CALL finish_dataset_table('kpi_observation');
COMMENT ON TABLE kpi_observation IS 'a point of a metric of a company''s own, as one kind of source tells it';
COMMENT ON COLUMN kpi_observation.tier IS 'NULL: by kpi_tier()';
-- list_kpi_observations, get_kpi_series
CREATE INDEX kpi_observation_metric ON kpi_observation (issuer_id, metric_key, end_date, id);
CREATE INDEX fundamental_metric ON fundamental (issuer_id, metric_key, end_date, id);
-- list_segments
CREATE INDEX kpi_observation_dimension ON kpi_observation (issuer_id, end_date, id) WHERE dimension IS NOT NULL;

-- How far an observation is to be trusted where its source does not say it.
CREATE FUNCTION kpi_tier(tier text, dimension text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT coalesce(tier, CASE WHEN dimension IS NULL THEN 'extracted' ELSE 'dimensioned' END) $$;

-- Which of several sources is believed first.
CREATE FUNCTION tier_rank(tier text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT array_position(ARRAY['verified', 'dimensioned', 'extracted', 'derived', 'extracted_low_confidence'], tier) $$;

-- Whether a source told another value of the point before.
CREATE FUNCTION kpi_is_restated(issuer_id bigint, metric_key text, end_date date, id bigint, known_at timestamptz, value numeric)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT EXISTS (SELECT 1 FROM disclosed.kpi_observation b
                   WHERE b.issuer_id = kpi_is_restated.issuer_id AND b.metric_key = kpi_is_restated.metric_key
                     AND b.end_date = kpi_is_restated.end_date AND b.id = kpi_is_restated.id AND b.known_at < kpi_is_restated.known_at
                     AND b.superseded_at IS DISTINCT FROM b.known_at AND b.value <> kpi_is_restated.value)
$$;

-- A fiscal period as the quarter with which it ends: Q2 FY2024 is FY2024-Q2, FY2024 is FY2024-Q4.
CREATE FUNCTION fiscal_quarter(fiscal text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT right(fiscal, 6) || '-' || CASE WHEN fiscal LIKE 'Q%' THEN left(fiscal, 2) ELSE 'Q4' END $$;

-- Where a row comes from, as it is served. `cik` is that of the filer, for rows whose addresses are those of filings.
CREATE FUNCTION provenance_of(dataset text, digest uuid, source_id integer, accession text, quote text, recorded_at timestamptz, cik bigint)
RETURNS json LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_build_object(
        'src_id', 'src_' || dataset || '_' || replace(digest::text, '-', ''), 'source_provider', s.provider,
        'source_url', CASE WHEN s.by_filing THEN disclosed.filing_address(s.url, cik, accession, NULL) ELSE s.url END,
        'accession', accession, 'quote', quote, 'content_hash', disclosed.content_hash_text(s.content_hash),
        'extracted_at', rtrim(rtrim(to_char(coalesce(s.extracted_at, recorded_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z')
    FROM disclosed.source s WHERE s.source_id = provenance_of.source_id
$$;

-- The SHA-256 of what makes an observation the same one: its src_id.
CREATE FUNCTION observation_id(dataset text, digest uuid) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT encode(sha256(convert_to('src_' || dataset || '_' || replace(digest::text, '-', ''), 'UTF8')), 'hex') $$;

-- ---------------------------------------------------------------------- metrics

CREATE TABLE kpi_metric (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    is_canonical boolean NOT NULL,
    split_adjusted boolean NOT NULL,
    metric_key  text NOT NULL,
    display     text,
    definition  text,
    unit        text,
    category    text,
    importance  text,
    basis       text,
    dimension_axis text,
    canonical_key text
);
CALL finish_dataset_table('kpi_metric');
COMMENT ON TABLE kpi_metric IS 'which metrics a company has, and how it describes them, in versions';
COMMENT ON COLUMN kpi_metric.is_canonical IS 'table fundamental has numbers of it: the dictionary describes it';
-- list_kpis
CREATE INDEX kpi_metric_key ON kpi_metric (issuer_id, metric_key, id);

-- All that a version says, as one text.
CREATE FUNCTION kpi_metric_words(k kpi_metric) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT ROW(k.superseded_at, k.source_id, k.accession, k.is_canonical, k.split_adjusted, k.display, k.definition, k.unit, k.category,
               k.importance, k.basis, k.dimension_axis, k.canonical_key)::text
$$;

-- The versions of these companies' metrics: at each instant the latest observation of the company as a whole describes its metric,
-- else the latest of all.
CREATE FUNCTION kpi_metric_versions(issuers bigint[]) RETURNS SETOF kpi_metric LANGUAGE sql STABLE AS $$
    WITH canonical AS MATERIALIZED (
        SELECT DISTINCT ON (f.issuer_id, f.metric_key) f.issuer_id, f.metric_key, f.known_at, f.source_id, f.accession
        FROM disclosed.fundamental f
        WHERE f.issuer_id = ANY (issuers) AND f.period_kind <> 'ttm' AND f.superseded_at IS DISTINCT FROM f.known_at
        ORDER BY f.issuer_id, f.metric_key, f.known_at, f.end_date, f.record_key),
    instant AS (
        SELECT issuer_id, metric_key, known_at FROM canonical
        UNION
        SELECT o.issuer_id, o.metric_key, o.known_at FROM disclosed.kpi_observation o
        WHERE o.issuer_id = ANY (issuers) AND o.superseded_at IS DISTINCT FROM o.known_at),
    told AS (
        SELECT i.issuer_id, i.metric_key, i.known_at, coalesce(o.source_id, c.source_id) AS source_id,
               CASE WHEN o.source_id IS NULL THEN c.accession ELSE o.accession END AS accession, c.metric_key IS NOT NULL AS is_canonical,
               coalesce(o.split_adjusted, false) AS split_adjusted, coalesce(o.display, o.issuer_label) AS display,
               coalesce(o.definition, o.as_described) AS definition, o.unit, o.category, o.importance, o.basis, a.dimension_axis,
               o.canonical_key
        FROM instant i
        LEFT JOIN canonical c ON (c.issuer_id, c.metric_key) = (i.issuer_id, i.metric_key) AND c.known_at <= i.known_at
        LEFT JOIN LATERAL (
            SELECT n.* FROM disclosed.kpi_observation n
            WHERE (n.issuer_id, n.metric_key) = (i.issuer_id, i.metric_key)
              AND n.known_at <= i.known_at AND (n.superseded_at IS NULL OR n.superseded_at > i.known_at)
            ORDER BY n.dimension IS NULL DESC, n.end_date DESC, n.known_at DESC, n.record_key LIMIT 1) o ON true
        LEFT JOIN LATERAL (
            SELECT string_agg(DISTINCT n.dimension, ', ') AS dimension_axis FROM disclosed.kpi_observation n
            WHERE (n.issuer_id, n.metric_key) = (i.issuer_id, i.metric_key)
              AND n.known_at <= i.known_at AND (n.superseded_at IS NULL OR n.superseded_at > i.known_at)) a ON true),
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

-- How many companies have metrics is kept as dataset kpi_issuer.
CREATE FUNCTION count_kpi_issuers(more bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO disclosed.dataset_stat AS d (dataset, record_count, version)
    SELECT 'kpi_issuer', more, 1 WHERE more <> 0
    ON CONFLICT (dataset) DO UPDATE
    SET record_count = d.record_count + excluded.record_count, version = d.version + 1, changed_at = now()
$$;

CREATE FUNCTION kpi_issuer_count(issuers bigint[]) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT count(*) FROM (SELECT DISTINCT unnest(issuers) AS issuer_id) i
    WHERE EXISTS (SELECT 1 FROM disclosed.kpi_metric k WHERE k.issuer_id = i.issuer_id AND k.superseded_at IS NULL)
$$;

-- Makes the metrics of these companies anew from what is told of them. Returns those whose metrics have changed.
CREATE FUNCTION derive_kpi_metrics(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    had bigint := disclosed.kpi_issuer_count(issuers);
    wanted disclosed.kpi_metric[] := ARRAY(SELECT v FROM disclosed.kpi_metric_versions(issuers) v);
    changed bigint[];
    added bigint[];
BEGIN
    WITH gone AS (
        DELETE FROM disclosed.kpi_metric k
        WHERE k.issuer_id = ANY (issuers)
          AND NOT EXISTS (SELECT 1 FROM unnest(wanted) w
                          WHERE (w.issuer_id, w.metric_key, w.known_at) = (k.issuer_id, k.metric_key, k.known_at)
                            AND disclosed.kpi_metric_words(w) = disclosed.kpi_metric_words(k))
        RETURNING k.issuer_id)
    SELECT array_agg(DISTINCT issuer_id) INTO changed FROM gone;
    WITH fresh AS MATERIALIZED (
        SELECT w.* FROM unnest(wanted) w
        WHERE NOT EXISTS (SELECT 1 FROM disclosed.kpi_metric k
                          WHERE (k.issuer_id, k.metric_key, k.known_at) = (w.issuer_id, w.metric_key, w.known_at))),
    record AS MATERIALIZED (
        SELECT r.issuer_id, r.metric_key,
               coalesce((SELECT min(k.id) FROM disclosed.kpi_metric k WHERE (k.issuer_id, k.metric_key) = (r.issuer_id, r.metric_key)),
                        nextval('disclosed.record_id')) AS id
        FROM (SELECT DISTINCT issuer_id, metric_key FROM fresh ORDER BY 1, 2) r),
    stored AS (
        INSERT INTO disclosed.kpi_metric (id, issuer_id, record_key, known_at, superseded_at, src_digest, source_id, accession, is_canonical,
            split_adjusted, metric_key, display, definition, unit, category, importance, basis, dimension_axis, canonical_key)
        SELECT r.id, f.issuer_id, f.record_key, f.known_at, f.superseded_at, f.src_digest, f.source_id, f.accession, f.is_canonical,
               f.split_adjusted, f.metric_key, f.display, f.definition, f.unit, f.category, f.importance, f.basis, f.dimension_axis,
               f.canonical_key
        FROM fresh f JOIN record r USING (issuer_id, metric_key)
        ORDER BY f.issuer_id, f.metric_key, f.known_at
        RETURNING issuer_id)
    SELECT array_agg(DISTINCT issuer_id) INTO added FROM stored;
    PERFORM disclosed.count_kpi_issuers(disclosed.kpi_issuer_count(issuers) - had);
    RETURN QUERY SELECT DISTINCT unnest(changed || added);
END $$;
