-- Corporate events: what sources announce (event_notice), and the events that follow from notices,
-- filings, transcripts and documents (event).

SET LOCAL search_path = disclosed, public;

-- ----------------------------------------------------------------- periods

-- The month end next to a day: fiscal quarters of 52 or 53 weeks end some days off one.
CREATE FUNCTION nearest_month_end(day date) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (date_trunc('month', day::timestamp)
            + CASE WHEN extract(day FROM day) <= 15 THEN interval '0' ELSE interval '1 month' END)::date - 1
$$;

-- The month (1 to 12) at whose end a fiscal year ends, of MMDD; NULL for what is none.
CREATE FUNCTION fiscal_month(fiscal_year_end text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN fiscal_year_end ~ '^(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$'
                THEN (substr(fiscal_year_end, 1, 2)::integer + 10
                      + (substr(fiscal_year_end, 3, 2)::integer > 15)::integer) % 12 + 1 END
$$;

-- The last end of a fiscal quarter before a day, to the month end.
CREATE FUNCTION quarter_end_before(day date, fiscal_year_end text) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT max(m.ended)
    FROM (SELECT (date_trunc('month', day::timestamp) - back * interval '1 month')::date - 1 AS ended
          FROM generate_series(0, 2) AS back) m
    WHERE (extract(month FROM m.ended)::integer - disclosed.fiscal_month(fiscal_year_end)) % 3 = 0
$$;

-- Q<n> FY<year> of the fiscal quarter that ended on a day. A fiscal year is named by the calendar year
-- in which it ends; retailers whose years end in January count otherwise, so that a source's own label
-- goes before this one.
CREATE FUNCTION fiscal_quarter(period_end date, fiscal_year_end text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN ahead % 3 = 0 THEN
               format('Q%s FY%s', 4 - ahead / 3,
                      extract(year FROM disclosed.nearest_month_end(period_end) + ahead * interval '1 month')) END
    FROM (SELECT (disclosed.fiscal_month(fiscal_year_end) + 12
                  - extract(month FROM disclosed.nearest_month_end(period_end))::integer) % 12 AS ahead) m
$$;

-- The calendar quarter of a fiscal one: that of its midpoint. Other periods belong to none.
CREATE FUNCTION calendar_quarter(period_end date, kind text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN kind = 'quarter'
                THEN extract(year FROM period_end - 45) || 'Q' || extract(quarter FROM period_end - 45) END
$$;

-- The day on which the period ended that a text reports on: the latest "quarter ended June 30, 2023",
-- "three months ended ..." or the like within its first 4000 characters that lies in the 130 days before
-- the report. What has not ended yet is said to be ending.
CREATE FUNCTION stated_period_end(body text, reported_on date) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT max(d.day)
    FROM regexp_matches(left(body, 4000),
             '\m(?:quarter|year|months|weeks|period)s?\M(?:\s+(?:of\s+)?(?:the\s+)?(?:fiscal\s+)?'
             '(?:year\s+)?(?:19|20)\d\d)?,?\s+(?:which\s+|that\s+)?ended\s+(?:on\s+)?'
             '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})\s*,?\s+(\d{4})\M',
             'gi') AS m(parts)
    CROSS JOIN LATERAL (
        SELECT (make_date(greatest(parts[3]::integer, 1),
                          position(lower(parts[1]) IN 'janfebmaraprmayjunjulaugsepoctnovdec') / 3 + 1, 1)
                + parts[2]::integer - 1) AS day) d
    WHERE parts[2]::integer BETWEEN 1 AND 31 AND d.day BETWEEN reported_on - 130 AND reported_on - 1
$$;

-- The period that a results filing states, in its exhibits or else in its main document.
CREATE FUNCTION stated_period(filing_accession text, reported_on date, OUT period_end date, OUT place text)
LANGUAGE sql STABLE AS $$
    SELECT s.period_end, s.place
    FROM (SELECT 1 AS part, x.sequence, x.exhibit_type AS place,
                 disclosed.stated_period_end(x.text, reported_on) AS period_end
          FROM disclosed.filing_exhibit x
          WHERE x.accession = filing_accession AND x.superseded_at IS NULL
          UNION ALL
          SELECT 2, 0, 'its main document', disclosed.stated_period_end(x.text, reported_on)
          FROM disclosed.filing_text x
          WHERE x.accession = filing_accession AND x.superseded_at IS NULL) s
    WHERE s.period_end IS NOT NULL ORDER BY s.part, s.sequence LIMIT 1
$$;

-- ------------------------------------------------------------------ tables

CREATE TABLE event_notice (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    type        text NOT NULL CHECK (type IN ('earnings', 'investor_day', 'agm', 'ma_announcement')),
    event_on    date NOT NULL,
    event_at    timestamptz,
    date_status text NOT NULL CHECK (date_status IN ('estimated', 'confirmed')),
    period_end_date date,
    period_kind text CHECK (period_kind IN ('quarter', 'half', 'annual', 'ytd', 'ttm', 'month', 'other')),
    fiscal_period text,
    title       text,
    event_url   text,
    webcast_status text CHECK (webcast_status IN ('scheduled', 'live', 'captured', 'unavailable')),
    event_id    bigint,
    CHECK ((event_at AT TIME ZONE 'UTC')::date BETWEEN event_on - 1 AND event_on + 1)
);
CALL finish_dataset_table('event_notice');
COMMENT ON COLUMN event_notice.event_on IS 'the day, where the company is';
COMMENT ON COLUMN event_notice.event_at IS 'the time, where it is known';
COMMENT ON COLUMN event_notice.event_id IS 'kept by settle_events()';
-- Lists of events as of an instant rely on it.
ALTER TABLE event_notice ADD CHECK (event_on <= (known_at AT TIME ZONE 'UTC')::date + 400);

CREATE INDEX event_notice_content ON event_notice (content_hash) WHERE content_hash IS NOT NULL;

CREATE TABLE event (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    type        text NOT NULL CHECK (type IN ('earnings', 'investor_day', 'agm', 'ma_announcement')),
    event_at    timestamptz NOT NULL,
    has_time    boolean NOT NULL,
    date_status text NOT NULL CHECK (date_status IN ('estimated', 'confirmed')),
    period_end_date date,
    period_kind text,
    fiscal_period text,
    title       text,
    event_url   text,
    webcast_status text,
    source      text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);
CALL finish_dataset_table('event');
COMMENT ON COLUMN event.event_at IS 'midnight UTC of the day where has_time is false';
COMMENT ON COLUMN event.created_at IS 'when the event was first known here, the same over its versions';
ALTER TABLE event ADD CHECK (event_at <= known_at + interval '402 days');
CREATE INDEX event_id ON event (id);
-- known_at: events are known long before they take place or not at all, so that a walk as of an instant
-- passes over many; it does so within the index.
CREATE INDEX event_date ON event (event_at, id, known_at);
CREATE INDEX event_type_date ON event (type, event_at, id, known_at);
CREATE INDEX event_issuer_date ON event (issuer_id, event_at, id, known_at);
CREATE INDEX event_created ON event (created_at) WHERE superseded_at IS NULL;

CREATE INDEX filing_event ON filing (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX filing_results ON filing (issuer_id)
    WHERE form IN ('8-K', '8-K/A', '10-Q', '10-Q/A', '10-QT', '10-K', '10-K/A', '10-KT', '20-F', '20-F/A',
                   '40-F', '40-F/A');

-- What an event is called, without the company's name.
CREATE FUNCTION event_label(type text, fiscal_period text, period_end date) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE type
        WHEN 'earnings' THEN concat_ws(' ', coalesce(fiscal_period, 'period ended ' || period_end), 'earnings')
        WHEN 'investor_day' THEN 'investor day'
        WHEN 'agm' THEN 'annual general meeting'
        ELSE 'M&A announcement' END
$$;

-- ------------------------------------------------------- events from evidence

-- What settle_events() works on, made once for each connection.
CREATE FUNCTION open_event_tables() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.event_evidence') IS NULL THEN
        CREATE TEMP TABLE event_evidence (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, issuer_id bigint, kind text,
            record_id bigint, row_id bigint, type text, known_at timestamptz, superseded_at timestamptz,
            date_rank integer, event_on date, event_at timestamptz, has_time boolean, date_status text,
            period_end_date date, period_rank integer, period_kind text, fiscal_period text, title text,
            event_url text, webcast_status text, date_basis text, period_basis text, event_id bigint,
            cluster bigint) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE event_cluster (
            cluster bigint PRIMARY KEY, issuer_id bigint, type text, has_period boolean, first_on date,
            last_on date, event_on date, event_id bigint, created_at timestamptz) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE event_version (
            event_id bigint, issuer_id bigint, known_at timestamptz, superseded_at timestamptz,
            evidence bigint, type text, event_at timestamptz, has_time boolean, date_status text,
            period_end_date date, period_kind text, fiscal_period text, title text, event_url text,
            webcast_status text, source text, created_at timestamptz) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE event_member (kind text, issuer_id bigint, record_id bigint, event_id bigint)
            ON COMMIT DELETE ROWS;
    END IF;
    -- Not TRUNCATE: the tables are empty as a rule, and it would make new files of them.
    DELETE FROM pg_temp.event_evidence;
    DELETE FROM pg_temp.event_cluster;
    DELETE FROM pg_temp.event_version;
    DELETE FROM pg_temp.event_member;
END $$;

-- Every version of a results filing, a transcript or a notice of issuers says when an event takes
-- place, and of what period. date_rank and period_rank: the lower, the surer. A results filing is a
-- Form 8-K with item 2.02 (12 before August 2004), or one with a stored earnings release.
CREATE FUNCTION gather_event_evidence(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.event_evidence (issuer_id, kind, record_id, row_id, type, known_at, superseded_at,
        date_rank, event_on, event_at, has_time, date_status, period_end_date, period_rank, period_kind,
        date_basis, period_basis, event_id)
    SELECT f.issuer_id, 'filing', f.id, f.row_id, 'earnings', f.known_at, f.superseded_at,
           CASE f.form WHEN '8-K' THEN 2 ELSE 4 END, d.event_on,
           CASE WHEN d.has_time THEN f.accepted_at ELSE d.event_on::timestamp AT TIME ZONE 'UTC' END,
           d.has_time, 'confirmed', s.period_end, CASE WHEN s.period_end IS NOT NULL THEN 3 END, 'quarter',
           format('results in Form %s %s', f.form, f.accession), 'as ' || s.place || ' states', f.event_id
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

    INSERT INTO pg_temp.event_evidence (issuer_id, kind, record_id, row_id, type, known_at, superseded_at,
        date_rank, event_on, event_at, has_time, date_status, period_end_date, period_rank, period_kind,
        fiscal_period, date_basis, period_basis, event_id)
    SELECT t.issuer_id, 'transcript', t.id, t.row_id, t.event_type, t.known_at, t.superseded_at,
           1, (t.call_date AT TIME ZONE 'America/New_York')::date, t.call_date, true, 'confirmed',
           t.period_end_date, CASE WHEN t.period_end_date IS NOT NULL THEN 2 END, 'quarter',
           CASE WHEN t.period_label ~ '^(Q[1-4] FY\d{4}|FY\d{4}-Q[1-4])$' THEN t.period_label END,
           'the call''s transcript', 'as the transcript says', t.event_id
    FROM disclosed.transcript t
    WHERE t.issuer_id = ANY (issuers) AND t.event_type <> 'other'
      AND t.superseded_at IS DISTINCT FROM t.known_at;

    INSERT INTO pg_temp.event_evidence (issuer_id, kind, record_id, row_id, type, known_at, superseded_at,
        date_rank, event_on, event_at, has_time, date_status, period_end_date, period_rank, period_kind,
        fiscal_period, title, event_url, webcast_status, date_basis, period_basis, event_id)
    SELECT n.issuer_id, 'notice', n.id, n.row_id, n.type, n.known_at, n.superseded_at,
           CASE n.date_status WHEN 'confirmed' THEN 3 ELSE 5 END, n.event_on,
           coalesce(n.event_at, n.event_on::timestamp AT TIME ZONE 'UTC'), n.event_at IS NOT NULL,
           n.date_status, n.period_end_date, CASE WHEN n.period_end_date IS NOT NULL THEN 4 END,
           coalesce(n.period_kind, 'quarter'), n.fiscal_period, n.title, n.event_url, n.webcast_status,
           format('%s by %s', CASE n.date_status WHEN 'confirmed' THEN 'announced' ELSE 'estimated' END,
                  n.source_provider),
           'as ' || n.source_provider || ' says', n.event_id
    FROM disclosed.event_notice n
    WHERE n.issuer_id = ANY (issuers) AND n.superseded_at IS DISTINCT FROM n.known_at;
END $$;

-- What does not state its period has that of other evidence of the same days, else the last fiscal
-- quarter that had ended.
CREATE FUNCTION complete_event_periods() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE pg_temp.event_evidence e
    SET period_end_date = near.period_end_date, period_rank = 6, period_basis = 'as of the same days: '
        || near.period_basis, period_kind = near.period_kind
    FROM (SELECT DISTINCT ON (l.number) l.number, s.period_end_date, s.period_basis, s.period_kind
          FROM pg_temp.event_evidence l JOIN pg_temp.event_evidence s
            ON s.issuer_id = l.issuer_id AND s.event_on BETWEEN l.event_on - 5 AND l.event_on + 5
          WHERE l.type = 'earnings' AND s.type = 'earnings' AND l.period_rank IS NULL
            AND s.period_rank IS NOT NULL
          ORDER BY l.number, s.period_rank, abs(s.event_on - l.event_on), s.known_at, s.row_id) near
    WHERE e.number = near.number;

    UPDATE pg_temp.event_evidence e
    SET period_end_date = disclosed.quarter_end_before(e.event_on, p.fiscal_year_end), period_rank = 7,
        period_basis = 'the last fiscal quarter that had ended'
    FROM disclosed.issuer_profile p
    WHERE p.issuer_id = e.issuer_id AND p.superseded_at IS NULL AND e.type = 'earnings'
      AND e.period_rank IS NULL
      AND disclosed.quarter_end_before(e.event_on, p.fiscal_year_end) IS NOT NULL;
END $$;

-- Evidence of one event stands together: results of one quarter, by the end of the period, within 25 days
-- (quarters of 52-week years end off the month, and calendars round to it); other events by their days. A
-- record is placed by its latest version. Periodic reports join the results of their period.
CREATE FUNCTION cluster_event_evidence(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH placed AS (
        SELECT DISTINCT ON (issuer_id, kind, record_id) issuer_id, kind, record_id, type,
               type = 'earnings' AND period_end_date IS NOT NULL AS has_period,
               CASE WHEN type = 'earnings' THEN coalesce(period_end_date, event_on) ELSE event_on END AS place
        FROM pg_temp.event_evidence
        ORDER BY issuer_id, kind, record_id, known_at DESC, row_id DESC),
    begun AS (
        SELECT p.*, coalesce(place - lag(place) OVER w > CASE WHEN has_period THEN 25 ELSE 10 END, true)
               AS is_first
        FROM placed p
        WINDOW w AS (PARTITION BY issuer_id, type, has_period ORDER BY place, kind, record_id)),
    numbered AS (
        SELECT b.*, count(*) FILTER (WHERE is_first) OVER (
                   ORDER BY issuer_id, type, has_period, place, kind, record_id) AS cluster
        FROM begun b),
    stated AS (
        UPDATE pg_temp.event_evidence e SET cluster = n.cluster
        FROM numbered n
        WHERE n.issuer_id = e.issuer_id AND n.kind = e.kind AND n.record_id = e.record_id)
    INSERT INTO pg_temp.event_cluster (cluster, issuer_id, type, has_period, first_on, last_on)
    SELECT cluster, min(issuer_id), min(type), bool_and(has_period), min(place), max(place)
    FROM numbered GROUP BY cluster;

    INSERT INTO pg_temp.event_evidence (issuer_id, kind, record_id, row_id, type, known_at, superseded_at,
        event_on, period_end_date, period_rank, period_kind, period_basis, event_id, cluster)
    SELECT f.issuer_id, 'report', f.id, f.row_id, 'earnings', f.known_at, f.superseded_at, f.filed_on,
           f.period_of_report, 1, 'quarter', format('the period of Form %s %s', f.form, f.accession),
           f.event_id, near.cluster
    FROM disclosed.filing f
    CROSS JOIN LATERAL (
        SELECT c.cluster FROM pg_temp.event_cluster c
        WHERE c.issuer_id = f.issuer_id AND c.has_period
          AND f.period_of_report BETWEEN c.first_on - 25 AND c.last_on + 25
        ORDER BY least(abs(f.period_of_report - c.first_on), abs(f.period_of_report - c.last_on)), c.cluster
        LIMIT 1) near
    WHERE f.issuer_id = ANY (issuers)
      AND f.form IN ('10-Q', '10-Q/A', '10-QT', '10-K', '10-K/A', '10-KT', '20-F', '20-F/A', '40-F', '40-F/A')
      AND f.superseded_at IS DISTINCT FROM f.known_at;

    -- Results are told before or with the periodic report; what follows later is not the event.
    UPDATE pg_temp.event_evidence e SET date_rank = 4
    FROM (SELECT cluster, min(event_on) AS reported_on FROM pg_temp.event_evidence
          WHERE kind = 'report' GROUP BY cluster) r
    WHERE e.cluster = r.cluster AND e.date_rank = 2 AND e.event_on > r.reported_on + 5;
END $$;

-- An event keeps its number: the lowest that its records have had before, of whatever issuer.
CREATE FUNCTION number_event_clusters() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE pg_temp.event_cluster c SET event_id = coalesce(k.event_id, nextval('disclosed.record_id'))
    FROM (SELECT cluster, CASE WHEN time = 1 THEN event_id END AS event_id
          FROM (SELECT h.cluster, h.event_id,
                       row_number() OVER (PARTITION BY h.event_id ORDER BY h.held DESC, h.cluster) AS time
                FROM (SELECT c.cluster, min(e.event_id) AS event_id, count(e.event_id) AS held
                      FROM pg_temp.event_cluster c JOIN pg_temp.event_evidence e USING (cluster)
                      GROUP BY c.cluster) h) r) k
    WHERE c.cluster = k.cluster;
    UPDATE pg_temp.event_cluster c SET created_at = e.created_at
    FROM (SELECT id, min(created_at) AS created_at FROM disclosed.event
          WHERE id IN (SELECT event_id FROM pg_temp.event_cluster) GROUP BY id) e
    WHERE e.id = c.event_id;
END $$;

-- The versions of events: at each instant at which evidence comes or goes, what the best of it says. That
-- the same is known from better evidence makes no version.
CREATE FUNCTION write_event_versions() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH instant AS (
        SELECT cluster, known_at AS at FROM pg_temp.event_evidence
        UNION
        SELECT cluster, superseded_at FROM pg_temp.event_evidence WHERE superseded_at IS NOT NULL),
    best AS (
        SELECT i.cluster, i.at,
               (array_agg(e.number ORDER BY e.date_rank, e.known_at DESC, e.row_id DESC)
                   FILTER (WHERE e.date_rank IS NOT NULL))[1] AS date_number,
               (array_agg(e.number ORDER BY e.period_rank, e.known_at DESC, e.row_id DESC)
                   FILTER (WHERE e.period_rank IS NOT NULL))[1] AS period_number,
               (array_agg(e.fiscal_period ORDER BY e.date_rank, e.known_at DESC)
                   FILTER (WHERE e.fiscal_period IS NOT NULL))[1] AS fiscal_period,
               (array_agg(e.title ORDER BY e.date_rank, e.known_at DESC)
                   FILTER (WHERE e.title IS NOT NULL))[1] AS title,
               (array_agg(e.event_url ORDER BY e.date_rank, e.known_at DESC)
                   FILTER (WHERE e.event_url IS NOT NULL))[1] AS event_url,
               (array_agg(e.webcast_status ORDER BY e.known_at DESC)
                   FILTER (WHERE e.webcast_status IS NOT NULL))[1] AS webcast_status
        FROM instant i LEFT JOIN pg_temp.event_evidence e
          ON e.cluster = i.cluster AND e.known_at <= i.at
         AND (e.superseded_at IS NULL OR e.superseded_at > i.at)
        GROUP BY i.cluster, i.at),
    state AS MATERIALIZED (
        SELECT b.cluster, b.at, b.date_number, d.event_at, d.has_time, d.date_status, p.period_end_date,
               CASE WHEN p.period_end_date IS NOT NULL THEN p.period_kind END AS period_kind,
               coalesce(b.fiscal_period, CASE WHEN p.period_kind = 'quarter' AND d.type = 'earnings'
                   THEN disclosed.fiscal_quarter(p.period_end_date, f.fiscal_year_end) END) AS fiscal_period,
               b.title, b.event_url, b.webcast_status,
               concat_ws('; ', 'date: ' || d.date_basis, 'period: ' || p.period_basis) AS source
        FROM best b
        JOIN pg_temp.event_cluster c ON c.cluster = b.cluster
        LEFT JOIN pg_temp.event_evidence d ON d.number = b.date_number
        LEFT JOIN pg_temp.event_evidence p ON p.number = b.period_number
        LEFT JOIN disclosed.issuer_profile f ON f.issuer_id = c.issuer_id AND f.superseded_at IS NULL),
    turned AS (
        SELECT s.*, (date_number IS NULL, event_at, has_time, date_status, period_end_date, period_kind,
                     fiscal_period, title, event_url, webcast_status) IS NOT DISTINCT FROM
                    (lag(date_number) OVER w IS NULL, lag(event_at) OVER w, lag(has_time) OVER w,
                     lag(date_status) OVER w, lag(period_end_date) OVER w, lag(period_kind) OVER w,
                     lag(fiscal_period) OVER w, lag(title) OVER w, lag(event_url) OVER w,
                     lag(webcast_status) OVER w) AS is_same
        FROM state s WINDOW w AS (PARTITION BY cluster ORDER BY at)),
    ended AS (
        SELECT t.*, lead(at) OVER (PARTITION BY cluster ORDER BY at) AS until
        FROM turned t WHERE NOT is_same)
    INSERT INTO pg_temp.event_version
    SELECT c.event_id, c.issuer_id, e.at, e.until, e.date_number, c.type, e.event_at, e.has_time,
           e.date_status, e.period_end_date, e.period_kind, e.fiscal_period, e.title, e.event_url,
           e.webcast_status, e.source, coalesce(c.created_at, now())
    FROM ended e JOIN pg_temp.event_cluster c USING (cluster)
    WHERE e.date_number IS NOT NULL;
    UPDATE pg_temp.event_cluster c SET event_on = (v.event_at AT TIME ZONE 'UTC')::date
    FROM (SELECT DISTINCT ON (event_id) event_id, event_at FROM pg_temp.event_version
          ORDER BY event_id, known_at DESC) v
    WHERE v.event_id = c.event_id;
END $$;

-- Makes the stored versions of events those that were worked out. Returns the issuers whose have changed.
CREATE FUNCTION store_event_versions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
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
    RETURN QUERY
        INSERT INTO disclosed.event AS stored (id, issuer_id, record_key, known_at, superseded_at, src_digest,
            source_provider, source_url, accession, content_hash, extracted_at, type, event_at, has_time,
            date_status, period_end_date, period_kind, fiscal_period, title, event_url, webcast_status,
            source, created_at)
        SELECT v.event_id, v.issuer_id, v.type || '/' || v.event_id, v.known_at, v.superseded_at,
               disclosed.record_source_digest('event', r.source_provider, v.issuer_id, v.type || '/' || v.event_id),
               r.source_provider, r.source_url, r.accession, r.content_hash, r.extracted_at, v.type,
               v.event_at, v.has_time, v.date_status, v.period_end_date, v.period_kind, v.fiscal_period,
               v.title, v.event_url, v.webcast_status, v.source, v.created_at
        FROM pg_temp.event_version v
        JOIN pg_temp.event_evidence e ON e.number = v.evidence
        CROSS JOIN LATERAL (
            SELECT source_provider, source_url, accession, content_hash, extracted_at
            FROM disclosed.filing WHERE e.kind = 'filing' AND issuer_id = e.issuer_id AND row_id = e.row_id
            UNION ALL
            SELECT source_provider, source_url, accession, content_hash, extracted_at
            FROM disclosed.transcript
            WHERE e.kind = 'transcript' AND issuer_id = e.issuer_id AND row_id = e.row_id
            UNION ALL
            SELECT source_provider, source_url, accession, content_hash, extracted_at
            FROM disclosed.event_notice
            WHERE e.kind = 'notice' AND issuer_id = e.issuer_id AND row_id = e.row_id) r
        WHERE NOT EXISTS (SELECT 1 FROM disclosed.event x
                          WHERE x.issuer_id = v.issuer_id AND x.id = v.event_id AND x.known_at = v.known_at)
        RETURNING stored.issuer_id;
END $$;

-- Which documents belong to an event: those of its period; where they do not say theirs, decks,
-- releases, letters and quarterly reports that were published in its days.
CREATE FUNCTION find_event_members(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.event_member
    SELECT DISTINCT CASE e.kind WHEN 'report' THEN 'filing' ELSE e.kind END, e.issuer_id, e.record_id, c.event_id
    FROM pg_temp.event_evidence e JOIN pg_temp.event_cluster c USING (cluster)
    WHERE EXISTS (SELECT 1 FROM pg_temp.event_version v WHERE v.event_id = c.event_id);

    INSERT INTO pg_temp.event_member
    SELECT 'document', d.issuer_id, d.id, near.event_id
    FROM (SELECT DISTINCT ON (issuer_id, id) issuer_id, id, doc_type, period_end_date, published_at
          FROM disclosed.document
          WHERE issuer_id = ANY (issuers) AND superseded_at IS DISTINCT FROM known_at
          ORDER BY issuer_id, id, known_at DESC, row_id DESC) d
    CROSS JOIN LATERAL (
        SELECT c.event_id FROM pg_temp.event_cluster c
        WHERE c.issuer_id = d.issuer_id AND c.event_on IS NOT NULL
          AND CASE WHEN d.period_end_date IS NOT NULL
                   THEN c.has_period AND d.period_end_date BETWEEN c.first_on - 25 AND c.last_on + 25
                   ELSE d.doc_type IN ('slide_deck', 'press_release', 'shareholder_letter',
                                       'quarterly_report')
                        AND (d.published_at AT TIME ZONE 'UTC')::date
                            BETWEEN c.event_on - 2 AND c.event_on + 5 END
        ORDER BY abs(CASE WHEN d.period_end_date IS NOT NULL THEN d.period_end_date - c.last_on
                          ELSE (d.published_at AT TIME ZONE 'UTC')::date - c.event_on END), c.event_id
        LIMIT 1) near;
END $$;

-- Earnings events follow from results filings, transcripts and notices of issuers; other events from
-- transcripts and notices. Filings, transcripts, notices and documents learn which event they belong to.
-- Returns the issuers of whom anything has changed.
CREATE FUNCTION settle_events(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    target record;
BEGIN
    -- Most issuers report no results and hold no calls.
    IF NOT EXISTS (SELECT 1 FROM disclosed.event WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.event_notice WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.transcript WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.filing
                       WHERE issuer_id = ANY (issuers) AND form IN ('8-K', '8-K/A')) THEN
        RETURN;
    END IF;
    PERFORM disclosed.open_event_tables();
    PERFORM disclosed.gather_event_evidence(issuers);
    ANALYZE pg_temp.event_evidence;
    PERFORM disclosed.complete_event_periods();
    PERFORM disclosed.cluster_event_evidence(issuers);
    PERFORM disclosed.number_event_clusters();
    ANALYZE pg_temp.event_evidence;
    ANALYZE pg_temp.event_cluster;
    PERFORM disclosed.write_event_versions();
    ANALYZE pg_temp.event_version;
    RETURN QUERY SELECT DISTINCT s FROM disclosed.store_event_versions(issuers) AS s;
    PERFORM disclosed.find_event_members(issuers);
    ANALYZE pg_temp.event_member;
    FOR target IN SELECT * FROM (VALUES ('filing', 'filing'), ('transcript', 'transcript'),
                                        ('notice', 'event_notice'), ('document', 'document'))
                  AS t(kind, member_table)
    LOOP
        RETURN QUERY EXECUTE format($sql$
            UPDATE disclosed.%1$I t SET event_id = w.event_id
            FROM (SELECT t.issuer_id, t.row_id, m.event_id
                  FROM disclosed.%1$I t LEFT JOIN pg_temp.event_member m
                    ON m.kind = %2$L AND m.issuer_id = t.issuer_id AND m.record_id = t.id
                  WHERE t.issuer_id = ANY ($1) AND (t.event_id IS NOT NULL OR m.event_id IS NOT NULL)) w
            WHERE t.issuer_id = w.issuer_id AND t.row_id = w.row_id
              AND t.event_id IS DISTINCT FROM w.event_id
            RETURNING t.issuer_id
        $sql$, target.member_table, target.kind) USING issuers;
    END LOOP;
END $$;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON event, event_notice TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON event, event_notice TO disclosed_loader;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA disclosed TO disclosed_loader;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA disclosed TO disclosed_api, disclosed_loader;
