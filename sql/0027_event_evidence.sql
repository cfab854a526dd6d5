-- What says when events take place: evidence of notices, filings and transcripts, and what of it is about one event, at each
-- instant what was known then to be.

SET LOCAL search_path = disclosed, public;

-- What settle_events() works on, made once for each connection.
CREATE FUNCTION open_event_tables() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.event_evidence') IS NULL THEN
        -- issuer_id: that in the row which the evidence is; holder_id: whose it was at the time. stated_at: when the
        -- row became known, which evidence may be cut into pieces of. period_known_at: when the period was, where that
        -- was later than the evidence. demoted_at: since when a periodic report shows that it came too late to be the
        -- results. source_key: accession number or record key, which decides between evidence of one instant whatever
        -- was loaded first. cluster: the event, by the number of the record that was known first of it.
        CREATE TEMP TABLE event_evidence (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, issuer_id bigint, holder_id bigint, kind text,
            record_id bigint, row_id bigint, type text, known_at timestamptz, superseded_at timestamptz,
            stated_at timestamptz, date_rank integer, event_on date, event_at timestamptz, has_time boolean,
            date_status text, period_end_date date, period_rank integer, period_kind text, fiscal_period text,
            title text, event_url text, webcast_status text, date_basis text, period_basis text, event_id bigint,
            cluster bigint, period_known_at timestamptz, demoted_at timestamptz, source_key text,
            is_cut boolean NOT NULL DEFAULT false) ON COMMIT DELETE ROWS;
        -- Where a record stands among the evidence of its issuer, and from when to when.
        CREATE TEMP TABLE event_state (
            record_id bigint, kind text, home_id bigint, source_key text, first_at timestamptz, since timestamptz,
            until timestamptz, is_only boolean, issuer_id bigint, type text, has_period boolean, place date,
            component bigint) ON COMMIT DELETE ROWS;
        -- States that may be of one event at some time. is_plain: they are of one whenever they are known, from
        -- since to until.
        CREATE TEMP TABLE event_component (
            component bigint PRIMARY KEY, issuer_id bigint, has_period boolean, first_on date, last_on date,
            cluster bigint, states bigint, since timestamptz, until timestamptz, is_plain boolean)
            ON COMMIT DELETE ROWS;
        CREATE INDEX event_component_issuer ON event_component (issuer_id);
        CREATE TEMP TABLE event_report (
            issuer_id bigint, record_id bigint, row_id bigint, component bigint, period_of_report date,
            near bigint) ON COMMIT DELETE ROWS;
        -- What an event extends over, and from when to when.
        CREATE TEMP TABLE event_slice (
            cluster bigint, issuer_id bigint, has_period boolean, first_on date, last_on date, since timestamptz,
            until timestamptz) ON COMMIT DELETE ROWS;
        -- The event of a record that has not been of one all the time.
        CREATE TEMP TABLE event_membership (
            record_id bigint, kind text, home_id bigint, cluster bigint, since timestamptz, until timestamptz)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE event_cluster (
            cluster bigint PRIMARY KEY, event_id bigint, created_at timestamptz) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE event_version (
            event_id bigint, cluster bigint, issuer_id bigint, known_at timestamptz, superseded_at timestamptz,
            evidence bigint, type text, event_at timestamptz, has_time boolean, date_status text,
            period_end_date date, period_kind text, fiscal_period text, title text, event_url text,
            webcast_status text, source text, created_at timestamptz) ON COMMIT DELETE ROWS;
        -- Which event a record is of now, or was of before until then.
        CREATE TEMP TABLE event_member (
            kind text, issuer_id bigint, record_id bigint, event_id bigint, since timestamptz, until timestamptz)
            ON COMMIT DELETE ROWS;
    END IF;
    -- Not TRUNCATE: the tables are empty as a rule, and it would make new files of them.
    DELETE FROM pg_temp.event_evidence;
    DELETE FROM pg_temp.event_state;
    DELETE FROM pg_temp.event_component;
    DELETE FROM pg_temp.event_report;
    DELETE FROM pg_temp.event_slice;
    DELETE FROM pg_temp.event_membership;
    DELETE FROM pg_temp.event_cluster;
    DELETE FROM pg_temp.event_version;
    DELETE FROM pg_temp.event_member;
END $$;

-- ---------------------------------------------------------------- evidence

-- Every version of a results filing, a transcript or a notice of issuers says when an event takes
-- place, and of what period. date_rank and period_rank: the lower, the surer. A results filing is a
-- Form 8-K with item 2.02 (12 before August 2004), or one with a stored earnings release.
CREATE FUNCTION gather_event_evidence(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
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
    CROSS JOIN LATERAL disclosed.stated_period(f.accession, d.event_on) s
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
                  n.source_provider),
           'as ' || n.source_provider || ' says', n.event_id, n.record_key
    FROM disclosed.event_notice n
    CROSS JOIN LATERAL (
        SELECT n.issuer_id, greatest(n.known_at, n.held_until) AS since, n.superseded_at AS until
        UNION ALL
        SELECT n.held_by, n.known_at, least(n.superseded_at, n.held_until) WHERE n.held_by IS NOT NULL) h
    WHERE (h.until IS NULL OR h.since < h.until) AND n.issuer_id = ANY (issuers) AND n.superseded_at IS DISTINCT FROM n.known_at;
END $$;

-- What does not state its period has that of other evidence of the same days, that of the periodic report which
-- follows it, or the last fiscal quarter that had ended, whichever was known first.
CREATE FUNCTION complete_event_periods() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH lacking AS MATERIALIZED (
        SELECT number, holder_id AS issuer_id, event_on, known_at FROM pg_temp.event_evidence
        WHERE type = 'earnings' AND period_rank IS NULL),
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
        FROM lacking l JOIN disclosed.filing f
          ON f.issuer_id = l.issuer_id AND f.form IN ('10-Q', '10-QT', '10-K', '10-KT', '20-F', '40-F')
         AND f.filed_on BETWEEN l.event_on - 5 AND l.event_on + 60
        WHERE f.period_of_report BETWEEN l.event_on - 130 AND l.event_on - 1
          AND f.superseded_at IS DISTINCT FROM f.known_at
        UNION ALL
        SELECT l.number, y.known_at, 7, 0, 0, '',
               disclosed.quarter_end_before(l.event_on, disclosed.fiscal_year_end_at(l.issuer_id, y.known_at)),
               NULL, 'the last fiscal quarter that had ended'
        FROM lacking l
        CROSS JOIN LATERAL (
            SELECT CASE WHEN disclosed.fiscal_year_end_at(l.issuer_id, l.known_at) IS NOT NULL THEN l.known_at
                        ELSE disclosed.fiscal_year_end_after(l.issuer_id, l.known_at) END AS known_at) y
        WHERE y.known_at IS NOT NULL)
    UPDATE pg_temp.event_evidence e
    SET period_end_date = first.period_end_date, period_rank = first.rank, period_basis = first.basis,
        period_kind = coalesce(first.period_kind, e.period_kind), period_known_at = first.known_at
    FROM (SELECT DISTINCT ON (number) * FROM told WHERE period_end_date IS NOT NULL
          ORDER BY number, known_at, rank, surer, away, source_key) first
    WHERE e.number = first.number;
END $$;

-- ---------------------------------------------------- what is of one event

-- Where each record stands at which times: results by the end of their period, once that is known, else by their
-- day. It stays where it stood last. States that follow each other within 25 days (quarters of 52-week years end off
-- the month, and calendars round to it), or within 10 days where there are no periods, make a component.
CREATE FUNCTION place_event_evidence() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    INSERT INTO pg_temp.event_state
    WITH told AS (
        SELECT record_id, kind, issuer_id AS home_id, source_key, row_id, holder_id AS issuer_id, type, known_at AS since,
               type = 'earnings' AND period_end_date IS NOT NULL
                   AND coalesce(period_known_at <= known_at, true) AS has_period, period_end_date, event_on
        FROM pg_temp.event_evidence
        UNION ALL
        SELECT record_id, kind, issuer_id AS home_id, source_key, row_id, holder_id AS issuer_id, type, period_known_at, true, period_end_date,
               event_on
        FROM pg_temp.event_evidence
        WHERE type = 'earnings' AND period_end_date IS NOT NULL AND period_known_at > known_at
          AND (superseded_at IS NULL OR period_known_at < superseded_at)),
    lasting AS (
        SELECT * FROM (SELECT t.*, CASE WHEN has_period THEN period_end_date ELSE event_on END AS place,
                              lead(since) OVER w IS DISTINCT FROM since AS lasts, min(since) OVER (PARTITION BY record_id) AS first_at
                       FROM told t WINDOW w AS (PARTITION BY record_id ORDER BY since, row_id)) l
        WHERE lasts),
    turned AS (
        SELECT * FROM (SELECT l.*, (issuer_id, type, has_period, place) IS NOT DISTINCT FROM
                                   (lag(issuer_id) OVER w, lag(type) OVER w, lag(has_period) OVER w, lag(place) OVER w) AS is_same
                       FROM lasting l WINDOW w AS (PARTITION BY record_id ORDER BY since)) t
        WHERE NOT is_same),
    ended AS (
        SELECT t.*, coalesce(lead(since) OVER w, 'infinity') AS until, count(*) OVER (PARTITION BY record_id) = 1 AS is_only
        FROM turned t WINDOW w AS (PARTITION BY record_id ORDER BY since)),
    begun AS (
        SELECT e.*, coalesce(place - lag(place) OVER w > CASE WHEN has_period THEN 25 ELSE 10 END, true) AS is_first
        FROM ended e
        WINDOW w AS (PARTITION BY issuer_id, type, has_period ORDER BY place, kind, record_id, since))
    SELECT record_id, kind, home_id, source_key, first_at, since, until, is_only, issuer_id, type, has_period, place,
           count(*) FILTER (WHERE is_first) OVER (
               ORDER BY issuer_id, type, has_period, place, kind, record_id, since)
    FROM begun;
    ANALYZE pg_temp.event_state;
    INSERT INTO pg_temp.event_component
    SELECT component, min(issuer_id), bool_and(has_period), min(place), max(place),
           (array_agg(record_id ORDER BY first_at, kind, source_key, record_id))[1], count(*),
           CASE WHEN count(*) > 1 OR min(since) = min(first_at) THEN '-infinity' ELSE min(since) END,
           CASE WHEN count(*) > 1 THEN 'infinity' ELSE min(until) END,
           bool_and(is_only) AND max(place) - min(place) <= CASE WHEN bool_and(has_period) THEN 25 ELSE 10 END
    FROM pg_temp.event_state GROUP BY component;
    ANALYZE pg_temp.event_component;
    -- A record that stands alone wherever it stands is of its own event all the time.
    UPDATE pg_temp.event_component c SET is_plain = true
    FROM pg_temp.event_state s
    JOIN (SELECT o.record_id FROM pg_temp.event_state o JOIN pg_temp.event_component d USING (component)
          WHERE NOT o.is_only GROUP BY o.record_id HAVING max(d.states) = 1) alone USING (record_id)
    WHERE c.component = s.component;
END $$;

-- Periodic reports join the results of their period. A component is not plain where one is near to a part of it only.
CREATE FUNCTION place_event_reports(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.event_report
    SELECT f.issuer_id, f.id, f.row_id, c.component, f.period_of_report, count(*) OVER (PARTITION BY f.row_id)
    FROM disclosed.filing f
    JOIN pg_temp.event_component c
      ON c.issuer_id = f.issuer_id AND c.has_period
     AND f.period_of_report BETWEEN c.first_on - 25 AND c.last_on + 25
    WHERE f.issuer_id = ANY (issuers)
      AND f.form IN ('10-Q', '10-Q/A', '10-QT', '10-K', '10-K/A', '10-KT', '20-F', '20-F/A', '40-F', '40-F/A')
      AND f.superseded_at IS DISTINCT FROM f.known_at;
    ANALYZE pg_temp.event_report;
    UPDATE pg_temp.event_component c SET is_plain = false
    FROM pg_temp.event_report r
    WHERE r.component = c.component AND c.is_plain
      AND r.period_of_report NOT BETWEEN c.last_on - 25 AND c.first_on + 25;
    INSERT INTO pg_temp.event_evidence (holder_id, issuer_id, kind, record_id, row_id, type, known_at, superseded_at,
        stated_at, event_on, period_end_date, period_rank, period_kind, period_basis, event_id, cluster, source_key)
    SELECT f.issuer_id, f.issuer_id, 'report', f.id, f.row_id, 'earnings', f.known_at, f.superseded_at, f.known_at,
           f.filed_on, f.period_of_report, 1, 'quarter', format('the period of Form %s %s', f.form, f.accession),
           f.event_id, r.cluster, f.accession
    FROM (SELECT p.issuer_id, p.row_id, min(c.cluster) FILTER (
                     WHERE p.near = 1 AND c.is_plain AND c.since = '-infinity' AND c.until = 'infinity') AS cluster
          FROM pg_temp.event_report p JOIN pg_temp.event_component c USING (component) GROUP BY 1, 2) r
    JOIN disclosed.filing f ON f.issuer_id = r.issuer_id AND f.row_id = r.row_id;
END $$;

-- What is not plain, at each instant at which a state begins or ends: evidence that stands together then. The event is
-- that of the record which was known first.
CREATE FUNCTION slice_event_components() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH instant AS (
        SELECT component, at, coalesce(lead(at) OVER (PARTITION BY component ORDER BY at), 'infinity') AS until
        FROM (SELECT s.component, s.since AS at FROM pg_temp.event_state s
              JOIN pg_temp.event_component c USING (component) WHERE NOT c.is_plain
              UNION
              SELECT s.component, s.until FROM pg_temp.event_state s
              JOIN pg_temp.event_component c USING (component) WHERE NOT c.is_plain AND s.until < 'infinity') i),
    begun AS (
        SELECT s.component, i.at, i.until AS at_until, s.record_id, s.kind, s.home_id, s.source_key, s.first_at, s.issuer_id,
               s.has_period, s.place,
               coalesce(s.place - lag(s.place) OVER w > CASE WHEN s.has_period THEN 25 ELSE 10 END, true) AS is_first
        FROM instant i
        JOIN pg_temp.event_state s ON s.component = i.component AND s.since <= i.at AND s.until > i.at
        WINDOW w AS (PARTITION BY i.component, i.at ORDER BY s.place, s.kind, s.record_id)),
    parted AS (
        SELECT b.*, count(*) FILTER (WHERE is_first) OVER (
                   PARTITION BY component, at ORDER BY place, kind, record_id) AS part
        FROM begun b),
    piece AS MATERIALIZED (
        SELECT p.*, first_value(record_id) OVER (PARTITION BY component, at, part
                                                 ORDER BY first_at, kind, source_key, record_id) AS cluster
        FROM parted p),
    sliced AS (
        INSERT INTO pg_temp.event_slice
        SELECT cluster, min(issuer_id), bool_and(has_period), min(place), max(place), at, min(at_until)
        FROM piece GROUP BY component, at, part, cluster)
    INSERT INTO pg_temp.event_membership
    SELECT record_id, kind, home_id, cluster, at,
           coalesce(lead(at) OVER (PARTITION BY record_id ORDER BY at), 'infinity')
    FROM (SELECT p.*, lag(cluster) OVER (PARTITION BY record_id ORDER BY at) AS cluster_before FROM piece p) m
    WHERE cluster IS DISTINCT FROM cluster_before;
END $$;

-- Periodic reports beside such evidence: of the nearest period at each instant.
CREATE FUNCTION slice_event_reports() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.event_membership
    WITH near AS (
        SELECT DISTINCT r.record_id, r.issuer_id, s.cluster, s.since, s.until, s.first_on,
               least(abs(r.period_of_report - s.first_on), abs(r.period_of_report - s.last_on)) AS away
        FROM (SELECT DISTINCT e.record_id, e.issuer_id, e.period_end_date AS period_of_report
              FROM pg_temp.event_evidence e WHERE e.kind = 'report' AND e.cluster IS NULL) r
        JOIN pg_temp.event_slice s
          ON s.issuer_id = r.issuer_id AND s.has_period
         AND r.period_of_report BETWEEN s.first_on - 25 AND s.last_on + 25),
    chosen AS (
        SELECT DISTINCT ON (i.record_id, i.at) i.record_id, i.issuer_id, i.at, n.cluster
        FROM (SELECT record_id, issuer_id, since AS at FROM near
              UNION SELECT record_id, issuer_id, until FROM near WHERE until < 'infinity') i
        LEFT JOIN near n ON n.record_id = i.record_id AND n.since <= i.at AND n.until > i.at
        ORDER BY i.record_id, i.at, n.away, n.first_on, n.cluster)
    SELECT record_id, 'report', issuer_id, cluster, at,
           coalesce(lead(at) OVER (PARTITION BY record_id ORDER BY at), 'infinity')
    FROM (SELECT c.*, cluster IS NOT DISTINCT FROM lag(cluster) OVER w AND lag(at) OVER w IS NOT NULL AS is_same
          FROM chosen c WINDOW w AS (PARTITION BY record_id ORDER BY at)) t
    WHERE NOT is_same;
END $$;

-- Evidence is cut where it goes from one event to another.
CREATE FUNCTION cut_event_evidence() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.event_evidence (holder_id, issuer_id, kind, record_id, row_id, type, known_at, superseded_at,
        stated_at, date_rank, event_on, event_at, has_time, date_status, period_end_date, period_rank, period_kind,
        fiscal_period, title, event_url, webcast_status, date_basis, period_basis, event_id, cluster,
        period_known_at, source_key, is_cut)
    SELECT e.holder_id, e.issuer_id, e.kind, e.record_id, e.row_id, e.type, greatest(e.known_at, m.since),
           least(e.superseded_at, nullif(m.until, 'infinity')), e.stated_at, e.date_rank, e.event_on, e.event_at,
           e.has_time, e.date_status, e.period_end_date, e.period_rank, e.period_kind, e.fiscal_period, e.title,
           e.event_url, e.webcast_status, e.date_basis, e.period_basis, e.event_id, m.cluster, e.period_known_at,
           e.source_key, true
    FROM pg_temp.event_evidence e
    JOIN pg_temp.event_membership m ON m.record_id = e.record_id AND m.kind = e.kind
    WHERE e.cluster IS NULL AND m.cluster IS NOT NULL AND m.until > e.known_at
      AND (e.superseded_at IS NULL OR e.superseded_at > m.since);
    DELETE FROM pg_temp.event_evidence WHERE cluster IS NULL;
END $$;

-- Evidence of one event stands together, at each time that of which it was known then that it does.
CREATE FUNCTION cluster_event_evidence(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.place_event_evidence();
    PERFORM disclosed.place_event_reports(issuers);
    UPDATE pg_temp.event_evidence e SET cluster = c.cluster
    FROM pg_temp.event_state s JOIN pg_temp.event_component c USING (component)
    WHERE c.is_plain AND s.record_id = e.record_id AND e.kind <> 'report';
    INSERT INTO pg_temp.event_slice
    SELECT cluster, issuer_id, has_period, first_on, last_on, since, until
    FROM pg_temp.event_component WHERE is_plain;
    IF EXISTS (SELECT 1 FROM pg_temp.event_evidence WHERE cluster IS NULL) THEN
        PERFORM disclosed.slice_event_components();
        ANALYZE pg_temp.event_slice;
        PERFORM disclosed.slice_event_reports();
        ANALYZE pg_temp.event_membership;
        PERFORM disclosed.cut_event_evidence();
    END IF;
    INSERT INTO pg_temp.event_cluster (cluster) SELECT DISTINCT cluster FROM pg_temp.event_slice;

    ANALYZE pg_temp.event_evidence;

    -- Results are told before or with the periodic report; what follows later is not the event.
    UPDATE pg_temp.event_evidence e SET demoted_at = r.known_at
    FROM (SELECT l.number, min(p.known_at) AS known_at
          FROM pg_temp.event_evidence p
          JOIN pg_temp.event_evidence l ON l.cluster = p.cluster AND l.date_rank = 2 AND l.event_on > p.event_on + 5
          WHERE p.kind = 'report' GROUP BY l.number) r
    WHERE e.number = r.number;
END $$;
