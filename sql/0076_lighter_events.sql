-- Events are derived in less time: each step asks of what there is once, for all evidence, and not for each row.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------ evidence

-- Every version of a results filing, a transcript or a notice of issuers says when an event takes
-- place, and of what period. date_rank and period_rank: the lower, the surer. A results filing is a
-- Form 8-K with item 2.02 (12 before August 2004), or one with a stored earnings release. Most have no text here, and no period in it.
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
    LEFT JOIN LATERAL (
        SELECT p.period_end, p.place FROM disclosed.stated_period(f.accession, d.event_on) p
        WHERE EXISTS (SELECT 1 FROM disclosed.filing_exhibit x WHERE x.accession = f.accession)
           OR EXISTS (SELECT 1 FROM disclosed.filing_text x WHERE x.accession = f.accession) OFFSET 0) s ON true
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

-- The same as before. Reports that are not superseded only ever add to what is known, so that a running maximum tells the last period.
CREATE OR REPLACE FUNCTION find_fiscal_years() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.fiscal_year') IS NULL THEN
        CREATE TEMP TABLE fiscal_year (
            issuer_id bigint, since timestamptz, until timestamptz, year_end text) ON COMMIT DELETE ROWS;
        CREATE INDEX ON pg_temp.fiscal_year (issuer_id, since);
        -- When an end was told, whatever was known before.
        CREATE TEMP TABLE fiscal_year_told (issuer_id bigint, told_at timestamptz) ON COMMIT DELETE ROWS;
        CREATE INDEX ON pg_temp.fiscal_year_told (issuer_id, told_at);
    END IF;
    DELETE FROM pg_temp.fiscal_year;
    DELETE FROM pg_temp.fiscal_year_told;
    WITH holder AS MATERIALIZED (SELECT DISTINCT holder_id AS issuer_id FROM pg_temp.event_evidence WHERE type = 'earnings'),
    profile AS MATERIALIZED (
        SELECT h.issuer_id, p.known_at, p.superseded_at,
               CASE WHEN disclosed.fiscal_month(p.fiscal_year_end) IS NOT NULL THEN p.fiscal_year_end END AS year_end
        FROM holder h JOIN disclosed.issuer_profile p USING (issuer_id)),
    annual AS MATERIALIZED (
        SELECT h.issuer_id, f.known_at, f.superseded_at, f.period_of_report
        FROM holder h JOIN disclosed.filing f USING (issuer_id) WHERE f.form IN ('10-K', '20-F', '40-F')),
    told AS (
        INSERT INTO pg_temp.fiscal_year_told
        SELECT p.issuer_id, p.known_at FROM profile p WHERE p.year_end IS NOT NULL AND p.superseded_at IS DISTINCT FROM p.known_at
        UNION
        SELECT a.issuer_id, a.known_at FROM annual a
        WHERE a.period_of_report IS NOT NULL AND a.superseded_at IS DISTINCT FROM a.known_at),
    instant AS MATERIALIZED (
        SELECT issuer_id, '-infinity'::timestamptz AS at FROM holder
        UNION SELECT issuer_id, known_at FROM profile
        UNION SELECT issuer_id, superseded_at FROM profile WHERE superseded_at IS NOT NULL
        UNION SELECT issuer_id, known_at FROM annual
        UNION SELECT issuer_id, superseded_at FROM annual WHERE superseded_at IS NOT NULL),
    stated AS (
        SELECT DISTINCT ON (i.issuer_id, i.at) i.issuer_id, i.at, p.year_end
        FROM instant i JOIN profile p ON p.issuer_id = i.issuer_id AND p.known_at <= i.at
         AND (p.superseded_at IS NULL OR p.superseded_at > i.at)
        WHERE p.year_end IS NOT NULL ORDER BY i.issuer_id, i.at, p.known_at DESC),
    lasting AS (
        SELECT issuer_id, at, max(max(period)) OVER (PARTITION BY issuer_id ORDER BY at) AS period
        FROM (SELECT issuer_id, at, NULL::date AS period FROM instant
              UNION ALL SELECT issuer_id, known_at, period_of_report FROM annual WHERE superseded_at IS NULL) l
        GROUP BY issuer_id, at),
    superseded AS (
        SELECT i.issuer_id, i.at, max(a.period_of_report) AS period
        FROM instant i JOIN annual a ON a.issuer_id = i.issuer_id AND a.known_at <= i.at AND a.superseded_at > i.at
        GROUP BY i.issuer_id, i.at)
    INSERT INTO pg_temp.fiscal_year
    SELECT i.issuer_id, i.at, coalesce(lead(i.at) OVER (PARTITION BY i.issuer_id ORDER BY i.at), 'infinity'),
           coalesce(s.year_end, to_char(greatest(i.period, r.period), 'MMDD'))
    FROM lasting i LEFT JOIN stated s ON s.issuer_id = i.issuer_id AND s.at = i.at
    LEFT JOIN superseded r ON r.issuer_id = i.issuer_id AND r.at = i.at;
    ANALYZE pg_temp.fiscal_year;
    ANALYZE pg_temp.fiscal_year_told;
END $$;

-- The same as before. Reports are looked up by the days that they may be of, and the end of the fiscal year by the instant: joins of all
-- reports of an issuer with all its results grew with the square of its age.
CREATE OR REPLACE FUNCTION complete_event_periods() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH lacking AS MATERIALIZED (
        SELECT number, holder_id AS issuer_id, event_on, known_at FROM pg_temp.event_evidence
        WHERE type = 'earnings' AND period_rank IS NULL),
    year AS (
        SELECT l.number, l.event_on, y.known_at, n.year_end
        FROM lacking l
        CROSS JOIN LATERAL (
            SELECT coalesce((SELECT l.known_at
                             FROM (SELECT k.year_end FROM pg_temp.fiscal_year k
                                   WHERE k.issuer_id = l.issuer_id AND k.since <= l.known_at ORDER BY k.since DESC LIMIT 1) k
                             WHERE k.year_end IS NOT NULL),
                            (SELECT min(t.told_at) FROM pg_temp.fiscal_year_told t
                             WHERE t.issuer_id = l.issuer_id AND t.told_at > l.known_at)) AS known_at OFFSET 0) y
        CROSS JOIN LATERAL (SELECT n.year_end FROM pg_temp.fiscal_year n
                            WHERE n.issuer_id = l.issuer_id AND n.since <= y.known_at ORDER BY n.since DESC LIMIT 1) n
        WHERE y.known_at IS NOT NULL OFFSET 0),
    told AS (
        SELECT l.number, greatest(l.known_at, s.known_at) AS known_at, 6 AS rank, s.period_rank AS surer,
               abs(s.event_on - l.event_on) AS away, s.source_key, s.period_end_date, s.period_kind,
               'as of the same days: ' || s.period_basis AS basis
        FROM lacking l JOIN pg_temp.event_evidence s
          ON s.holder_id = l.issuer_id AND s.event_on BETWEEN l.event_on - 5 AND l.event_on + 5
        WHERE s.type = 'earnings' AND s.period_rank IS NOT NULL
        UNION ALL
        SELECT l.number, greatest(l.known_at, f.known_at), 6, 9, abs(f.filed_on - l.event_on), f.accession,
               f.period_of_report, 'quarter', format('the period of Form %s %s', f.form, f.accession)
        FROM lacking l
        CROSS JOIN LATERAL (
            SELECT f.known_at, f.filed_on, f.accession, f.period_of_report, f.form FROM disclosed.filing f
            WHERE f.issuer_id = l.issuer_id AND f.form IN ('10-Q', '10-QT', '10-K', '10-KT', '20-F', '40-F')
              AND f.filed_on BETWEEN l.event_on - 5 AND l.event_on + 60
              AND f.period_of_report BETWEEN l.event_on - 130 AND l.event_on - 1
              AND f.superseded_at IS DISTINCT FROM f.known_at OFFSET 0) f
        UNION ALL
        SELECT number, known_at, 7, 0, 0, '', disclosed.quarter_end_before(event_on, year_end),
               NULL, 'the last fiscal quarter that had ended'
        FROM year)
    UPDATE pg_temp.event_evidence e
    SET period_end_date = first.period_end_date, period_rank = first.rank, period_basis = first.basis,
        period_kind = coalesce(first.period_kind, e.period_kind), period_known_at = first.known_at
    FROM (SELECT DISTINCT ON (number) * FROM told WHERE period_end_date IS NOT NULL
          ORDER BY number, known_at, rank, surer, away, source_key) first
    WHERE e.number = first.number;
END $$;

-- ------------------------------------------------------------------ versions

-- The versions of events: at each instant at which evidence or its period comes or goes, what the best of it
-- says. That the same is known from better evidence makes no version.
CREATE OR REPLACE FUNCTION write_event_versions() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    WITH instant AS MATERIALIZED (
        SELECT cluster, known_at AS at FROM pg_temp.event_evidence
        UNION
        SELECT cluster, superseded_at FROM pg_temp.event_evidence WHERE superseded_at IS NOT NULL
        UNION
        SELECT cluster, period_known_at FROM pg_temp.event_evidence
        WHERE period_known_at >= known_at AND (superseded_at IS NULL OR period_known_at < superseded_at)
        UNION
        SELECT cluster, demoted_at FROM pg_temp.event_evidence WHERE demoted_at > known_at
        UNION
        SELECT f.cluster, t.told_at
        FROM (SELECT cluster, holder_id AS issuer_id, min(known_at) AS first_at FROM pg_temp.event_evidence
              WHERE type = 'earnings' GROUP BY 1, 2) f
        CROSS JOIN LATERAL (SELECT y.year_end FROM pg_temp.fiscal_year y
                            WHERE y.issuer_id = f.issuer_id AND y.since <= f.first_at ORDER BY y.since DESC LIMIT 1) y
        CROSS JOIN LATERAL (SELECT min(t.told_at) AS told_at FROM pg_temp.fiscal_year_told t
                            WHERE y.year_end IS NULL AND t.issuer_id = f.issuer_id AND t.told_at > f.first_at) t
        WHERE t.told_at IS NOT NULL),
    -- Of evidence that is as good, what was stated last comes first, by one sort of all. A number of that and the rank in one finds the
    -- best at each instant without sorting what is known at it.
    evidence AS MATERIALIZED (
        SELECT e.*, row_number() OVER (ORDER BY cluster, stated_at DESC, source_key DESC, row_id DESC) AS turn
        FROM pg_temp.event_evidence e),
    best AS (
        SELECT i.cluster, i.at,
               min((CASE WHEN e.demoted_at <= i.at THEN 4 ELSE e.date_rank END)::bigint << 32 | e.turn)
                   FILTER (WHERE e.date_rank IS NOT NULL) & 4294967295 AS date_turn,
               min(e.period_rank::bigint << 32 | e.turn)
                   FILTER (WHERE coalesce(e.period_known_at, e.known_at) <= i.at) & 4294967295 AS period_turn
        FROM instant i JOIN evidence e
          ON e.cluster = i.cluster AND e.known_at <= i.at AND (e.superseded_at IS NULL OR e.superseded_at > i.at)
        GROUP BY i.cluster, i.at),
    -- Only notices and transcripts have these.
    words AS (
        SELECT i.cluster, i.at,
               (array_agg(e.fiscal_period ORDER BY CASE WHEN e.demoted_at <= i.at THEN 4 ELSE e.date_rank END, e.turn)
                   FILTER (WHERE e.fiscal_period IS NOT NULL))[1] AS fiscal_period,
               (array_agg(e.title ORDER BY CASE WHEN e.demoted_at <= i.at THEN 4 ELSE e.date_rank END, e.turn)
                   FILTER (WHERE e.title IS NOT NULL))[1] AS title,
               (array_agg(e.event_url ORDER BY CASE WHEN e.demoted_at <= i.at THEN 4 ELSE e.date_rank END, e.turn)
                   FILTER (WHERE e.event_url IS NOT NULL))[1] AS event_url,
               (array_agg(e.webcast_status ORDER BY e.turn) FILTER (WHERE e.webcast_status IS NOT NULL))[1] AS webcast_status
        FROM instant i JOIN evidence e
          ON e.cluster = i.cluster AND e.known_at <= i.at AND (e.superseded_at IS NULL OR e.superseded_at > i.at)
        WHERE e.kind IN ('notice', 'transcript')
        GROUP BY i.cluster, i.at),
    state AS MATERIALIZED (
        SELECT i.cluster, i.at, d.number AS date_number, d.holder_id AS issuer_id, d.type, d.event_at, d.has_time, d.date_status,
               p.period_end_date, CASE WHEN p.period_end_date IS NOT NULL THEN p.period_kind END AS period_kind,
               coalesce(w.fiscal_period, CASE WHEN p.period_kind = 'quarter' AND d.type = 'earnings'
                   THEN disclosed.fiscal_quarter(p.period_end_date, y.year_end) END) AS fiscal_period,
               w.title, w.event_url, w.webcast_status,
               concat_ws('; ', 'date: ' || d.date_basis, 'period: ' || p.period_basis) AS source
        FROM instant i
        LEFT JOIN best b ON b.cluster = i.cluster AND b.at = i.at
        LEFT JOIN words w ON w.cluster = i.cluster AND w.at = i.at
        LEFT JOIN evidence d ON d.turn = b.date_turn
        LEFT JOIN evidence p ON p.turn = b.period_turn
        LEFT JOIN LATERAL (SELECT y.year_end FROM pg_temp.fiscal_year y
                           WHERE y.issuer_id = d.holder_id AND y.since <= i.at ORDER BY y.since DESC LIMIT 1) y ON true
        WHERE i.at IS NOT NULL),
    turned AS (
        SELECT s.*, (date_number IS NULL, issuer_id, type, event_at, has_time, date_status, period_end_date, period_kind,
                     fiscal_period, title, event_url, webcast_status) IS NOT DISTINCT FROM
                    (lag(date_number) OVER w IS NULL, lag(issuer_id) OVER w, lag(type) OVER w, lag(event_at) OVER w, lag(has_time) OVER w,
                     lag(date_status) OVER w, lag(period_end_date) OVER w, lag(period_kind) OVER w,
                     lag(fiscal_period) OVER w, lag(title) OVER w, lag(event_url) OVER w,
                     lag(webcast_status) OVER w) AS is_same
        FROM state s WINDOW w AS (PARTITION BY cluster ORDER BY at)),
    ended AS (
        SELECT t.*, lead(at) OVER (PARTITION BY cluster ORDER BY at) AS until
        FROM turned t WHERE NOT is_same)
    INSERT INTO pg_temp.event_version
    SELECT c.event_id, c.cluster, e.issuer_id, e.at, e.until, e.date_number, e.type, e.event_at, e.has_time,
           e.date_status, e.period_end_date, e.period_kind, e.fiscal_period, e.title, e.event_url,
           e.webcast_status, e.source, coalesce(c.created_at, now())
    FROM ended e JOIN pg_temp.event_cluster c USING (cluster)
    WHERE e.date_number IS NOT NULL;
END $$;

-- ------------------------------------------------------------------ storing them

-- Which of the versions are not stored, or come from another source by now: from where the best evidence of each does. A source that is
-- stored is taken; the others are made, all at once.
CREATE FUNCTION find_event_changes() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.event_change') IS NULL THEN
        -- row_id: of the stored version; NULL: it is new.
        CREATE TEMP TABLE event_change (
            event_id bigint, issuer_id bigint, known_at timestamptz, row_id bigint, accession text, provider text, url text,
            content_hash bytea, extracted_at timestamptz, import_run_id bigint, source_key bigint, source_id integer) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.event_change;
    INSERT INTO pg_temp.event_change
    SELECT c.*, disclosed.source_key(c.source_provider, false, c.source_url, c.content_hash, c.extracted_at, c.import_run_id),
           NULL
    FROM (SELECT v.event_id, v.issuer_id, v.known_at, o.row_id, r.accession, r.source_provider, r.source_url,
                 decode(substr(r.content_hash, 8), 'hex') AS content_hash, r.extracted_at, r.import_run_id
          FROM pg_temp.event_version v
          JOIN (SELECT e.number, f.source_provider, f.source_url, f.accession, f.content_hash, f.extracted_at, f.import_run_id
                FROM pg_temp.event_evidence e JOIN disclosed.filing_sourced f ON f.issuer_id = e.issuer_id AND f.row_id = e.row_id
                WHERE e.kind = 'filing'
                UNION ALL
                SELECT e.number, t.source_provider, t.source_url, t.accession, t.content_hash, t.extracted_at, t.import_run_id
                FROM pg_temp.event_evidence e JOIN disclosed.transcript_sourced t ON t.issuer_id = e.issuer_id AND t.row_id = e.row_id
                WHERE e.kind = 'transcript'
                UNION ALL
                SELECT e.number, n.source_provider, n.source_url, n.accession, n.content_hash, n.extracted_at, n.import_run_id
                FROM pg_temp.event_evidence e JOIN disclosed.event_notice_sourced n ON n.issuer_id = e.issuer_id AND n.row_id = e.row_id
                WHERE e.kind = 'notice') r ON r.number = v.evidence
          LEFT JOIN disclosed.event_sourced o ON o.issuer_id = v.issuer_id AND o.id = v.event_id AND o.known_at = v.known_at
          WHERE o.row_id IS NULL
             OR (o.source_provider = r.source_provider
                 AND (o.source_url, o.accession, o.content_hash) IS DISTINCT FROM (r.source_url, r.accession, r.content_hash))) c;
    ANALYZE pg_temp.event_change;
    UPDATE pg_temp.event_change c SET source_id = (
        SELECT s.source_id FROM disclosed.source s
        WHERE s.source_key = c.source_key AND (s.provider, s.by_filing, s.url, s.content_hash, s.extracted_at, s.import_run_id)
              IS NOT DISTINCT FROM (c.provider, false, c.url, c.content_hash, c.extracted_at, c.import_run_id) LIMIT 1);
    WITH made AS (
        INSERT INTO disclosed.source (source_key, provider, url, content_hash, extracted_at, import_run_id)
        SELECT DISTINCT source_key, provider, url, content_hash, extracted_at, import_run_id
        FROM pg_temp.event_change WHERE source_id IS NULL RETURNING *)
    UPDATE pg_temp.event_change c SET source_id = m.source_id
    FROM made m
    WHERE c.source_id IS NULL AND m.source_key = c.source_key
      AND (m.provider, m.url, m.content_hash, m.extracted_at, m.import_run_id)
          IS NOT DISTINCT FROM (c.provider, c.url, c.content_hash, c.extracted_at, c.import_run_id);
END $$;

-- Makes the stored versions of events those that were worked out; writes only what differs. Returns the issuers whose have changed.
CREATE OR REPLACE FUNCTION store_event_rows(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    RETURN QUERY
        DELETE FROM disclosed.event e
        USING (SELECT o.issuer_id, o.row_id FROM disclosed.event o WHERE o.issuer_id = ANY (issuers)
               UNION
               SELECT o.issuer_id, o.row_id FROM disclosed.event o JOIN pg_temp.event_cluster c ON c.event_id = o.id) t
        WHERE e.issuer_id = t.issuer_id AND e.row_id = t.row_id
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
END $$;

-- The same, with sources: where an event comes from is where the best evidence of each of its versions does, also when that is
-- known from another file by now.
CREATE OR REPLACE FUNCTION store_event_versions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT * FROM disclosed.store_event_rows(issuers);
    PERFORM disclosed.find_event_changes();
    RETURN QUERY
        UPDATE disclosed.event e SET accession = c.accession, source_id = c.source_id
        FROM pg_temp.event_change c
        WHERE e.issuer_id = c.issuer_id AND e.row_id = c.row_id
        RETURNING e.issuer_id;
    RETURN QUERY
        INSERT INTO disclosed.event AS stored (id, issuer_id, record_key, known_at, superseded_at, src_digest,
            source_id, accession, type, event_at, has_time,
            date_status, period_end_date, period_kind, fiscal_period, title, event_url, webcast_status,
            source, created_at)
        SELECT v.event_id, v.issuer_id, v.type || '/' || v.event_id, v.known_at, v.superseded_at,
               o.src_digest, c.source_id, c.accession, v.type,
               v.event_at, v.has_time, v.date_status, v.period_end_date, v.period_kind, v.fiscal_period,
               v.title, v.event_url, v.webcast_status, v.source, v.created_at
        FROM pg_temp.event_change c
        JOIN pg_temp.event_version v ON v.event_id = c.event_id AND v.issuer_id = c.issuer_id AND v.known_at = c.known_at
        LEFT JOIN pg_temp.event_origin o ON o.cluster = v.cluster AND o.type = v.type
        WHERE c.row_id IS NULL
        RETURNING stored.issuer_id;
END $$;

-- Which events records were of before the present one. Returns the issuers of what has changed.
CREATE OR REPLACE FUNCTION store_former_events(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
        WITH wanted AS MATERIALIZED (
            SELECT m.issuer_id, m.record_id, m.since, m.until, m.event_id
            FROM pg_temp.event_member m
            JOIN pg_temp.event_member l ON l.record_id = m.record_id AND l.kind = m.kind AND l.until = 'infinity'
            WHERE m.until < 'infinity' AND m.event_id IS DISTINCT FROM l.event_id),
        touched AS MATERIALIZED (
            SELECT f.record_id, f.known_at FROM disclosed.former_event f WHERE f.issuer_id = ANY (issuers)
            UNION
            SELECT f.record_id, f.known_at FROM disclosed.former_event f
            WHERE f.record_id IN (SELECT record_id FROM wanted)),
        gone AS (
            DELETE FROM disclosed.former_event f USING touched t
            WHERE f.record_id = t.record_id AND f.known_at = t.known_at
              AND NOT EXISTS (SELECT 1 FROM wanted w WHERE w.record_id = f.record_id AND w.since = f.known_at)
            RETURNING f.issuer_id),
        stored AS (
            INSERT INTO disclosed.former_event AS f (issuer_id, record_id, known_at, superseded_at, event_id)
            SELECT issuer_id, record_id, since, until, event_id FROM wanted
            ON CONFLICT (record_id, known_at) DO UPDATE
            SET issuer_id = excluded.issuer_id, superseded_at = excluded.superseded_at, event_id = excluded.event_id
            WHERE (f.issuer_id, f.superseded_at, f.event_id)
                  IS DISTINCT FROM (excluded.issuer_id, excluded.superseded_at, excluded.event_id)
            RETURNING f.issuer_id)
        SELECT issuer_id FROM gone UNION SELECT issuer_id FROM stored;
END $$;

-- Joins of some thousand rows of evidence need no better statistics.
ALTER FUNCTION settle_events(bigint[]) SET default_statistics_target = 10;

-- ------------------------------------------------------------------ filers

-- Only filings of several filers, or that were, have a rank to be found: of all others their rows say already that their filer is the first.
CREATE OR REPLACE FUNCTION settle_filings(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT disclosed.rank_filers(ARRAY(
        SELECT f.accession FROM disclosed.filing f WHERE f.issuer_id = ANY (issuers) AND (f.is_shared OR NOT f.is_primary)
        UNION
        SELECT f.accession FROM disclosed.filing f JOIN disclosed.filing o ON o.accession = f.accession AND o.issuer_id <> f.issuer_id
        WHERE f.issuer_id = ANY (issuers)));
    PERFORM disclosed.date_reports_of(issuers);
END $$;

-- The same as before. Few reports are loaded whose filings are: of the others there are no dates to be corrected.
CREATE OR REPLACE FUNCTION date_reports_of(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    SELECT array_agg(DISTINCT d.changed_issuer) INTO changed
    FROM (SELECT array_agg(f.accession) AS accessions, array_agg(f.known_at) AS known,
                 array_agg(f.filed_on) AS filed
          FROM (SELECT accession, min(known_at) AS known_at, min(filed_on) AS filed_on
                FROM disclosed.filing
                WHERE accession IN (
                    SELECT r.accession FROM disclosed.filing r
                    WHERE r.issuer_id = ANY (issuers) AND r.form IN ('3', '3/A', '4', '4/A', '5', '5/A')
                      AND (EXISTS (SELECT 1 FROM disclosed.insider_transaction t WHERE t.accession = r.accession)
                           OR EXISTS (SELECT 1 FROM disclosed.insider_holding h WHERE h.accession = r.accession)
                           OR EXISTS (SELECT 1 FROM disclosed.executive_stated s WHERE s.origin = r.accession)))
                  AND superseded_at IS NULL
                GROUP BY accession) f) reports
    CROSS JOIN LATERAL disclosed.date_reports(reports.accessions, reports.known, reports.filed) d;
    IF changed IS NOT NULL THEN
        PERFORM disclosed.settle_insiders(changed);
        PERFORM disclosed.recount_reports(changed);
    END IF;
END $$;

-- ------------------------------------------------------------------ statistics

-- Tables that a load makes grow are looked at again and again: fewer rows tell as much of what its joins find. Autovacuum gathers the
-- statistics that stay.
ALTER FUNCTION analyze_grown(regclass[]) SET default_statistics_target = 30;
