-- A load of a few rows costs what it brings: what has nothing to do returns before it makes tables or plans, and working tables are emptied and
-- analyzed only where that changes anything.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------------ working tables

-- Temporary tables have no pages at the beginning of a transaction. Each statement on one has to be planned, in a session that has loaded
-- nothing before, and one that deletes nothing as well.

-- Empties those of the tables that have been written.
CREATE FUNCTION empty_working(VARIADIC tables text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    working text;
    size bigint;
BEGIN
    FOREACH working IN ARRAY tables LOOP
        size := pg_relation_size(('pg_temp.' || working)::regclass);
        IF size > 1048576 THEN
            EXECUTE 'TRUNCATE pg_temp.' || working;
        ELSIF size > 0 THEN -- TRUNCATE makes new files, and lets all statements on the table be planned anew
            EXECUTE 'DELETE FROM pg_temp.' || working;
        END IF;
    END LOOP;
END $$;

-- Statistics of what a table has been given, and indexes where it has many rows. Both let all statements on it be planned anew, an index at each
-- commit that empties it; where the plans are for few rows, and there are few again, they do.
CREATE FUNCTION analyze_working(working text, VARIADIC keys text[] DEFAULT '{}') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    made oid := ('pg_temp.' || working)::regclass;
    many boolean := pg_relation_size(made) > 32768;
    known record;
    key text;
BEGIN
    SELECT c.reltuples BETWEEN 0 AND 400 AS for_few, c.relhasindex AS has_indexes INTO known FROM pg_class c WHERE c.oid = made;
    IF many AND NOT known.has_indexes THEN
        FOREACH key IN ARRAY keys LOOP
            EXECUTE format('CREATE INDEX ON pg_temp.%I (%s)', working, key);
        END LOOP;
    END IF;
    IF many OR NOT known.for_few THEN
        EXECUTE 'ANALYZE pg_temp.' || working;
    END IF;
END $$;

-- ------------------------------------------------------------------------------ events

-- Whether a Form 8-K is evidence of an event, as gather_event_evidence() takes it, or has been.
CREATE FUNCTION tells_event(f filing) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN f.event_id IS NOT NULL OR coalesce(f.items && ARRAY['2.02', '12'], false)
        OR EXISTS (SELECT 1 FROM disclosed.former_event w WHERE w.record_id = f.id)
        OR (EXISTS (SELECT 1 FROM disclosed.filing_exhibit x WHERE x.accession = f.accession AND x.superseded_at IS NULL)
            AND (SELECT p.period_end FROM disclosed.stated_period(f.accession,
                     CASE WHEN f.period_of_report BETWEEN f.filed_on - 10 AND f.filed_on THEN f.period_of_report
                          ELSE coalesce((f.accepted_at AT TIME ZONE 'America/New_York')::date, f.filed_on) END) p) IS NOT NULL);
END $$;

-- reconcile_events() for those of the issuers of which something was written that says when an event is, or of what period, or is of one. A notice may have
-- been another issuer's before, which shows in no row: then all are reconciled.
CREATE OR REPLACE FUNCTION follow_events(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    affected bigint[] := issuers;
    many boolean := cardinality(issuers) > 16; -- then hardly all are without
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.event_notice n WHERE n.issuer_id = ANY (issuers) AND disclosed.is_written(n.xmin)) THEN
        affected := ARRAY(
            SELECT f.issuer_id FROM disclosed.filing f
            WHERE f.issuer_id = ANY (issuers) AND disclosed.is_written(f.xmin)
              AND f.form IN ('8-K', '8-K/A', '10-Q', '10-Q/A', '10-QT', '10-K', '10-K/A', '10-KT', '20-F', '20-F/A', '40-F', '40-F/A')
              AND (f.form NOT IN ('8-K', '8-K/A') OR f.items && ARRAY['2.02', '12'] OR f.event_id IS NOT NULL
                   OR (many AND (EXISTS (SELECT 1 FROM disclosed.filing_exhibit x WHERE x.accession = f.accession)
                                 OR EXISTS (SELECT 1 FROM disclosed.filing_text x WHERE x.accession = f.accession)))
                   OR (NOT many AND disclosed.tells_event(f)))
            UNION
            SELECT f.issuer_id FROM disclosed.filing_exhibit x JOIN disclosed.filing f ON f.accession = x.accession
            WHERE x.issuer_id = ANY (issuers) AND disclosed.is_written(x.xmin) AND f.form IN ('8-K', '8-K/A')
              AND (many OR disclosed.tells_event(f))
            UNION
            SELECT f.issuer_id FROM disclosed.filing_text x JOIN disclosed.filing f ON f.accession = x.accession
            WHERE x.issuer_id = ANY (issuers) AND disclosed.is_written(x.xmin) AND f.form IN ('8-K', '8-K/A')
              AND (many OR disclosed.tells_event(f))
            UNION
            SELECT t.issuer_id FROM disclosed.transcript t
            WHERE t.issuer_id = ANY (issuers) AND disclosed.is_written(t.xmin) AND (t.event_type <> 'other' OR t.event_id IS NOT NULL)
            UNION
            SELECT d.issuer_id FROM disclosed.document d
            WHERE d.issuer_id = ANY (issuers) AND disclosed.is_written(d.xmin)
              AND (d.event_id IS NOT NULL OR d.period_end_date IS NOT NULL
                   OR d.doc_type IN ('slide_deck', 'press_release', 'shareholder_letter', 'quarterly_report')
                   OR EXISTS (SELECT 1 FROM disclosed.former_event w WHERE w.record_id = d.id))
            UNION
            SELECT p.issuer_id FROM disclosed.issuer_profile p WHERE p.issuer_id = ANY (issuers) AND disclosed.is_written(p.xmin));
    END IF;
    IF affected <> '{}' THEN
        RETURN QUERY SELECT * FROM disclosed.reconcile_events(affected);
    END IF;
END $$;

-- Earnings events follow from results filings, transcripts and notices of issuers; other events from
-- transcripts and notices. Filings, transcripts, notices and documents learn which event they belong to.
-- Returns the issuers of whom anything has changed.
CREATE OR REPLACE FUNCTION reconcile_events(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql SET default_statistics_target = 10 AS $$
DECLARE
    target record;
BEGIN
    issuers := disclosed.holders_of_notices(issuers);
    -- Most issuers report no results and hold no calls.
    IF NOT EXISTS (SELECT 1 FROM disclosed.event WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.event_notice WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.transcript WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.former_event WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.filing f
                       WHERE f.issuer_id = ANY (issuers) AND f.form IN ('8-K', '8-K/A') AND disclosed.tells_event(f)) THEN
        RETURN;
    END IF;
    PERFORM disclosed.open_event_tables();
    PERFORM disclosed.gather_event_evidence(issuers);
    PERFORM disclosed.analyze_working('event_evidence', 'number');
    PERFORM disclosed.find_fiscal_years();
    PERFORM disclosed.complete_event_periods();
    PERFORM disclosed.cluster_event_evidence(issuers);
    PERFORM disclosed.analyze_working('event_cluster', 'cluster');
    PERFORM disclosed.number_event_clusters();
    PERFORM disclosed.write_event_versions();
    PERFORM disclosed.analyze_working('event_version');
    RETURN QUERY SELECT DISTINCT s FROM disclosed.store_event_versions(issuers) AS s;
    PERFORM disclosed.find_event_members(issuers);
    PERFORM disclosed.analyze_working('event_member');
    RETURN QUERY SELECT disclosed.store_former_events(issuers);
    FOR target IN SELECT * FROM (VALUES
            ('filing', 'filing', true),
            ('transcript', 'transcript', EXISTS (SELECT 1 FROM disclosed.transcript WHERE issuer_id = ANY (issuers))),
            ('notice', 'event_notice', EXISTS (SELECT 1 FROM disclosed.event_notice WHERE issuer_id = ANY (issuers))),
            ('document', 'document', EXISTS (SELECT 1 FROM disclosed.document WHERE issuer_id = ANY (issuers))))
        AS t(kind, member_table, is_there) WHERE is_there
    LOOP
        RETURN QUERY EXECUTE format($sql$
            UPDATE disclosed.%1$I t SET event_id = w.event_id
            FROM (SELECT t.issuer_id, t.row_id, m.event_id
                  FROM disclosed.%1$I t LEFT JOIN pg_temp.event_member m
                    ON m.kind = %2$L AND m.issuer_id = t.issuer_id AND m.record_id = t.id AND m.until = 'infinity'
                  WHERE t.issuer_id = ANY ($1) AND (t.event_id IS NOT NULL OR m.event_id IS NOT NULL)) w
            WHERE t.issuer_id = w.issuer_id AND t.row_id = w.row_id
              AND t.event_id IS DISTINCT FROM w.event_id
            RETURNING t.issuer_id
        $sql$, target.member_table, target.kind) USING issuers;
    END LOOP;
END $$;

-- What reconcile_events() works on, made once for each connection.
CREATE OR REPLACE FUNCTION open_event_tables() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.event_evidence') IS NULL THEN
        -- issuer_id: that in the row which the evidence is; holder_id: whose it was at the time. stated_at: when the
        -- row became known, which evidence may be cut into pieces of. period_known_at: when the period was, where that
        -- was later than the evidence. demoted_at: since when a periodic report shows that it came too late to be the
        -- results. source_key: accession number or record key, which decides between evidence of one instant whatever
        -- was loaded first. cluster: the event, by the number of the record that was known first of it.
        CREATE TEMP TABLE event_evidence (
            number bigint GENERATED ALWAYS AS IDENTITY, issuer_id bigint, holder_id bigint, kind text,
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
            component bigint, issuer_id bigint, has_period boolean, first_on date, last_on date,
            cluster bigint, states bigint, since timestamptz, until timestamptz, is_plain boolean)
            ON COMMIT DELETE ROWS;
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
            cluster bigint, event_id bigint, created_at timestamptz) ON COMMIT DELETE ROWS;
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
    PERFORM disclosed.empty_working('event_evidence', 'event_state', 'event_component', 'event_report', 'event_slice', 'event_membership',
        'event_cluster', 'event_version', 'event_member');
END $$;

-- The source id of an event is made of that of the record of it which was known first, so that it does not hang on the order of
-- loading as the event's number does.
CREATE OR REPLACE FUNCTION find_event_origins() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.event_origin') IS NULL THEN
        CREATE TEMP TABLE event_origin (cluster bigint, type text, src_digest uuid)
            ON COMMIT DELETE ROWS;
    END IF;
    PERFORM disclosed.empty_working('event_origin');
    INSERT INTO pg_temp.event_origin
    WITH home AS MATERIALIZED (SELECT DISTINCT kind, home_id AS issuer_id FROM pg_temp.event_state)
    SELECT v.cluster, v.type,
           encode(substr(sha256(convert_to(concat_ws(E'\n', 'event', v.type, r.src_digest), 'UTF8')), 1, 16), 'hex')::uuid
    FROM (SELECT DISTINCT cluster, type FROM pg_temp.event_version) v
    JOIN (SELECT DISTINCT ON (record_id) record_id, src_digest
          FROM (SELECT f.id AS record_id, f.row_id, f.src_digest FROM home h JOIN disclosed.filing f ON f.issuer_id = h.issuer_id
                WHERE h.kind = 'filing' AND f.form IN ('8-K', '8-K/A')
                UNION ALL
                SELECT t.id, t.row_id, t.src_digest FROM home h JOIN disclosed.transcript t ON t.issuer_id = h.issuer_id
                WHERE h.kind = 'transcript'
                UNION ALL
                SELECT n.id, n.row_id, n.src_digest FROM home h JOIN disclosed.event_notice n ON n.issuer_id = h.issuer_id
                WHERE h.kind = 'notice') one
          ORDER BY record_id, row_id) r ON r.record_id = v.cluster;
    PERFORM disclosed.analyze_working('event_origin', 'cluster, type');
END $$;

-- The same as before. Reports that are not superseded only ever add to what is known, so that a running maximum tells the last period.
CREATE OR REPLACE FUNCTION find_fiscal_years() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.fiscal_year') IS NULL THEN
        CREATE TEMP TABLE fiscal_year (
            issuer_id bigint, since timestamptz, until timestamptz, year_end text) ON COMMIT DELETE ROWS;
        -- When an end was told, whatever was known before.
        CREATE TEMP TABLE fiscal_year_told (issuer_id bigint, told_at timestamptz) ON COMMIT DELETE ROWS;
    END IF;
    PERFORM disclosed.empty_working('fiscal_year', 'fiscal_year_told');
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
    PERFORM disclosed.analyze_working('fiscal_year', 'issuer_id, since');
    PERFORM disclosed.analyze_working('fiscal_year_told', 'issuer_id, told_at');
END $$;

-- Which of the versions are not stored, or come from another source by now: from where the best evidence of each does, whoever had said it
-- before. A source that is stored is taken; the others are made, all at once.
CREATE OR REPLACE FUNCTION find_event_changes() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.event_change') IS NULL THEN
        -- row_id: of the stored version; NULL: it is new.
        CREATE TEMP TABLE event_change (
            event_id bigint, issuer_id bigint, known_at timestamptz, row_id bigint, accession text, provider text, url text,
            content_hash bytea, extracted_at timestamptz, import_run_id bigint, source_key bigint, source_id integer) ON COMMIT DELETE ROWS;
    END IF;
    PERFORM disclosed.empty_working('event_change');
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
             OR (o.source_provider, o.source_url, o.accession, o.content_hash)
                IS DISTINCT FROM (r.source_provider, r.source_url, r.accession, r.content_hash)) c;
    PERFORM disclosed.analyze_working('event_change');
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

-- Where each record stands at which times: results by the end of their period, once that is known, else by their
-- day. It stays where it stood last. States that follow each other within 25 days (quarters of 52-week years end off
-- the month, and calendars round to it), or within 10 days where there are no periods, make a component.
CREATE OR REPLACE FUNCTION place_event_evidence() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
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
    PERFORM disclosed.analyze_working('event_state');
    INSERT INTO pg_temp.event_component
    SELECT component, min(issuer_id), bool_and(has_period), min(place), max(place),
           (array_agg(record_id ORDER BY first_at, kind, source_key, record_id))[1], count(*),
           CASE WHEN count(*) > 1 OR min(since) = min(first_at) THEN '-infinity' ELSE min(since) END,
           CASE WHEN count(*) > 1 THEN 'infinity' ELSE min(until) END,
           bool_and(is_only) AND max(place) - min(place) <= CASE WHEN bool_and(has_period) THEN 25 ELSE 10 END
    FROM pg_temp.event_state GROUP BY component;
    PERFORM disclosed.analyze_working('event_component', 'component', 'issuer_id');
    -- A record that stands alone wherever it stands is of its own event all the time.
    UPDATE pg_temp.event_component c SET is_plain = true
    FROM pg_temp.event_state s
    JOIN (SELECT o.record_id FROM pg_temp.event_state o JOIN pg_temp.event_component d USING (component)
          WHERE NOT o.is_only GROUP BY o.record_id HAVING max(d.states) = 1) alone USING (record_id)
    WHERE c.component = s.component;
END $$;

-- Periodic reports join the results of their period. A component is not plain where one is near to a part of it only.
CREATE OR REPLACE FUNCTION place_event_reports(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
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
    PERFORM disclosed.analyze_working('event_report');
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

-- Evidence of one event stands together, at each time that of which it was known then that it does.
CREATE OR REPLACE FUNCTION cluster_event_evidence(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
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
        PERFORM disclosed.analyze_working('event_slice');
        PERFORM disclosed.slice_event_reports();
        PERFORM disclosed.analyze_working('event_membership');
        PERFORM disclosed.cut_event_evidence();
    END IF;
    INSERT INTO pg_temp.event_cluster (cluster) SELECT DISTINCT cluster FROM pg_temp.event_slice;

    PERFORM disclosed.analyze_working('event_evidence');

    -- Results are told before or with the periodic report; what follows later is not the event.
    UPDATE pg_temp.event_evidence e SET demoted_at = r.known_at
    FROM (SELECT l.number, min(p.known_at) AS known_at
          FROM pg_temp.event_evidence p
          JOIN pg_temp.event_evidence l ON l.cluster = p.cluster AND l.date_rank = 2 AND l.event_on > p.event_on + 5
          WHERE p.kind = 'report' GROUP BY l.number) r
    WHERE e.number = r.number;
END $$;

-- ------------------------------------------------------------------------------ filings

-- Filings that full submissions and EDGAR's submissions files have stored are public since these instants, whichever filer's they are. Rows of filers that
-- are staged keep what else they said, for the staged ones to take their place; a filing date that no version may have ends at the last one it may. Returns whose
-- filings have moved.
CREATE OR REPLACE FUNCTION date_stored_filings() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    moved bigint[];
    accessions text[];
    opening boolean;
BEGIN
    IF pg_relation_size('pg_temp.stage_filing') <= 32768 AND NOT EXISTS (
        SELECT 1 FROM pg_temp.stage_filing s JOIN disclosed.filing x ON x.accession = s.accession)
    THEN
        RETURN; -- of a few rows most are new
    END IF;
    WITH said AS MATERIALIZED (
        SELECT DISTINCT ON (s.accession COLLATE "C") s.accession, s.known_at, s.filed_on, s.accepted_at
        FROM pg_temp.stage_filing s
        WHERE s.filed_on <= (s.known_at AT TIME ZONE 'UTC')::date + 14 -- others are rejected
        ORDER BY s.accession COLLATE "C", s.row_order DESC),
    apart AS MATERIALIZED (
        SELECT t.issuer_id, t.row_id, i.cik, g.accession, g.known_at, g.filed_on, g.accepted_at
        FROM said g CROSS JOIN LATERAL (
            SELECT x.issuer_id, x.row_id, x.source_id FROM disclosed.filing x
            WHERE x.accession = g.accession AND (x.known_at, x.filed_on, x.accepted_at) IS DISTINCT FROM (g.known_at, g.filed_on, g.accepted_at)
            OFFSET 0) t
        JOIN disclosed.issuer i ON i.issuer_id = t.issuer_id
        JOIN disclosed.source o ON o.source_id = t.source_id JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id
        WHERE r.source IN ('sec-filing', 'sec-submissions')),
    written AS (
        UPDATE disclosed.filing t
        SET known_at = a.known_at,
            filed_on = CASE WHEN s.cik IS NULL THEN a.filed_on ELSE least(t.filed_on, (a.known_at AT TIME ZONE 'UTC')::date + 14) END,
            accepted_at = CASE WHEN s.cik IS NULL THEN a.accepted_at ELSE t.accepted_at END
        FROM apart a LEFT JOIN (SELECT DISTINCT x.cik, x.accession FROM pg_temp.stage_filing x) s ON s.cik = a.cik AND s.accession = a.accession
        WHERE t.issuer_id = a.issuer_id AND t.row_id = a.row_id AND (t.known_at <> a.known_at OR s.cik IS NULL)
        RETURNING t.issuer_id, t.accession)
    SELECT array_agg(w.issuer_id), array_agg(w.accession) INTO moved, accessions FROM (SELECT DISTINCT * FROM written) w;
    IF moved IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT DISTINCT unnest(moved);
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP -- of a record one version is current at any time
        WITH lasting AS (
            SELECT t.issuer_id, t.row_id, lead(t.known_at) OVER (PARTITION BY t.issuer_id, t.accession COLLATE "C" ORDER BY t.known_at, t.row_id) AS ends_at
            FROM unnest(moved, accessions) AS m(issuer_id, accession) JOIN disclosed.filing t ON t.issuer_id = m.issuer_id AND t.accession = m.accession)
        UPDATE disclosed.filing t SET superseded_at = l.ends_at
        FROM lasting l
        WHERE t.issuer_id = l.issuer_id AND t.row_id = l.row_id AND t.superseded_at IS DISTINCT FROM l.ends_at AND (l.ends_at IS NULL) = opening;
    END LOOP;
END $$;

-- Before filings of full submissions (`are_headers`) or of submissions files are merged, with their texts. A header without a time of acceptance knows less
-- than what is stored with one; of staged filers of one filing the last has the dates of all.
CREATE OR REPLACE FUNCTION date_staged_filings(are_headers boolean) RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    kind record;
    said record;
BEGIN
    IF to_regclass('pg_temp.stage_filing') IS NULL THEN
        RETURN; -- each was rejected
    END IF;
    PERFORM disclosed.follow_headers(are_headers);
    IF EXISTS (SELECT 1 FROM pg_temp.stage_filing s WHERE s.accepted_at IS NULL) THEN
        UPDATE pg_temp.stage_filing s SET known_at = b.known_at, filed_on = b.filed_on, accepted_at = b.accepted_at
        FROM (SELECT DISTINCT x.accession FROM pg_temp.stage_filing x WHERE x.accepted_at IS NULL) d
        CROSS JOIN LATERAL (
            SELECT f.known_at, f.filed_on, f.accepted_at FROM disclosed.filing f
            JOIN disclosed.source o ON o.source_id = f.source_id JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id
            WHERE f.accession = d.accession AND f.accepted_at IS NOT NULL AND f.superseded_at IS NULL AND r.source IN ('sec-filing', 'sec-submissions')
            ORDER BY f.known_at LIMIT 1) b
        WHERE s.accession = d.accession AND s.accepted_at IS NULL;
    END IF;
    IF (SELECT count(*) FROM pg_temp.stage_filing) > 1 THEN
        UPDATE pg_temp.stage_filing s SET known_at = g.known_at, filed_on = g.filed_on, accepted_at = g.accepted_at
        FROM (SELECT DISTINCT ON (x.accession) x.accession, x.known_at, x.filed_on, x.accepted_at
              FROM pg_temp.stage_filing x
              WHERE x.filed_on <= (x.known_at AT TIME ZONE 'UTC')::date + 14
                AND x.accession IN (SELECT y.accession FROM pg_temp.stage_filing y GROUP BY y.accession
                                    HAVING count(*) > 1 AND (min(y.known_at), min(y.filed_on)) <> (max(y.known_at), max(y.filed_on))
                                        OR min(y.accepted_at) <> max(y.accepted_at))
              ORDER BY x.accession, x.accepted_at IS NULL, x.row_order DESC) g
        WHERE s.accession = g.accession AND s.filed_on <= (s.known_at AT TIME ZONE 'UTC')::date + 14
          AND (s.known_at, s.filed_on, s.accepted_at) IS DISTINCT FROM (g.known_at, g.filed_on, g.accepted_at);
    END IF;
    RETURN QUERY SELECT 'filing', d FROM disclosed.date_stored_filings() AS d;
    FOR kind IN SELECT * FROM (VALUES ('filing_text', 'filing_text'), ('exhibit', 'filing_exhibit')) AS k(dataset, dataset_table)
                WHERE to_regclass('pg_temp.stage_' || k.dataset) IS NOT NULL
    LOOP
        EXECUTE format($q$
            UPDATE pg_temp.stage_%I x SET known_at = s.known_at, published_at = s.accepted_at
            FROM pg_temp.stage_filing s
            WHERE s.accession = x.accession AND (x.known_at, x.published_at) IS DISTINCT FROM (s.known_at, s.accepted_at)$q$, kind.dataset);
        EXECUTE format($q$
            SELECT array_agg(d.accession) AS accessions, array_agg(d.known_at) AS known, array_agg(d.published_at) AS published
            FROM (SELECT DISTINCT x.accession, x.known_at, x.published_at FROM pg_temp.stage_%I x) d$q$, kind.dataset) INTO said;
        RETURN QUERY SELECT kind.dataset, d FROM disclosed.date_texts(kind.dataset_table, said.accessions, said.known, said.published) AS d;
    END LOOP;
END $$;

-- Texts that full submissions have stored are public since their filings are. Returns whose have moved.
CREATE OR REPLACE FUNCTION date_texts(dataset_table text, accessions text[], public_at timestamptz[], accepted timestamptz[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    companies bigint[];
    numbers bigint[];
    is_out boolean[];
    has_stored boolean := true;
BEGIN
    IF cardinality(accessions) < 100 THEN -- of a few texts most are new
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM disclosed.%I WHERE accession = ANY ($1))', dataset_table) INTO has_stored USING accessions;
    END IF;
    IF NOT has_stored THEN
        RETURN;
    END IF;
    EXECUTE format($q$
        WITH moved AS (
            UPDATE disclosed.%I t SET known_at = m.known_at, published_at = m.accepted_at
            FROM (SELECT x.issuer_id, x.row_id, f.known_at, f.accepted_at
                  FROM unnest($1, $2, $3) AS f(accession, known_at, accepted_at)
                  CROSS JOIN LATERAL (
                      SELECT y.issuer_id, y.row_id, y.source_id FROM disclosed.%1$I y
                      WHERE y.accession = f.accession AND (y.known_at, y.published_at) IS DISTINCT FROM (f.known_at, f.accepted_at)
                      OFFSET 0) x
                  JOIN disclosed.source o ON o.source_id = x.source_id JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id
                  WHERE r.source = 'sec-filing') m
            WHERE t.issuer_id = m.issuer_id AND t.row_id = m.row_id
            RETURNING t.issuer_id, t.row_id, t.left_out IS TRUE AS is_out)
        SELECT array_agg(m.issuer_id), array_agg(m.row_id), array_agg(m.is_out) FROM moved m $q$, dataset_table)
    INTO companies, numbers, is_out USING accessions, public_at, accepted;
    IF companies IS NOT NULL THEN
        PERFORM disclosed.leave_out(dataset_table, numbers, companies, numbers, is_out); -- the versions before end with these
        RETURN QUERY SELECT DISTINCT unnest(companies);
    END IF;
END $$;

-- Filings have come: the forms among them take their dates. Few reports are loaded whose filings are: of the others there are no dates to be corrected.
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
                    WHERE r.issuer_id = ANY (issuers) AND disclosed.is_written(r.xmin)
                      AND r.form IN ('3', '3/A', '4', '4/A', '5', '5/A')
                      AND (EXISTS (SELECT 1 FROM disclosed.insider_transaction t WHERE t.accession = r.accession)
                           OR EXISTS (SELECT 1 FROM disclosed.insider_holding h WHERE h.accession = r.accession)
                           OR EXISTS (SELECT 1 FROM disclosed.executive_stated s WHERE s.origin = r.accession)))
                  AND superseded_at IS NULL
                GROUP BY accession) f HAVING count(*) > 0) reports
    CROSS JOIN LATERAL disclosed.date_reports(reports.accessions, reports.known, reports.filed) d;
    IF changed IS NOT NULL THEN
        PERFORM disclosed.reconcile_insiders(changed);
        PERFORM disclosed.recount_reports(changed);
    END IF;
END $$;

-- Filings have come: the schedules among them take their dates.
CREATE OR REPLACE FUNCTION redate_schedules(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[] := ARRAY(
        SELECT DISTINCT d
        FROM (SELECT array_agg(f.accession) AS accessions, array_agg(f.known_at) AS known, array_agg(f.filed_on) AS filed
              FROM (SELECT accession, min(known_at) AS known_at, min(filed_on) AS filed_on FROM disclosed.filing
                    WHERE accession IN (SELECT accession FROM disclosed.filing
                                        WHERE issuer_id = ANY(issuers) AND form LIKE 'SCHEDULE 13_%' AND disclosed.is_written(xmin))
                      AND superseded_at IS NULL
                    GROUP BY accession) f HAVING count(*) > 0) filings
        CROSS JOIN LATERAL disclosed.date_schedules(filings.accessions, filings.known, filings.filed) AS d);
BEGIN
    IF changed <> '{}' THEN
        PERFORM disclosed.reconcile_beneficial_owners(changed);
        RETURN QUERY SELECT unnest(changed);
    END IF;
END $$;

-- Filings of managers have come: reports that were known by less are known from when the filing was, with
-- their rows. Returns the managers whose reports have changed.
CREATE OR REPLACE FUNCTION date_institution_reports(filers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    SELECT disclosed.redate_institution_reports(array_agg(f.accession), array_agg(f.known_at),
                                                array_agg(f.filed_on), array_agg('filing'::text))
    INTO changed
    FROM (SELECT DISTINCT ON (x.accession) x.accession, x.known_at, x.filed_on
          FROM disclosed.institution_report r
          JOIN disclosed.filing x
            ON x.accession = r.accession AND x.issuer_id = r.issuer_id AND x.superseded_at IS NULL
          WHERE r.issuer_id = ANY (filers) AND r.superseded_at IS NULL AND disclosed.is_written(x.xmin)
          ORDER BY x.accession, x.known_at) f
    HAVING count(*) > 0;
    IF changed IS NOT NULL THEN
        RETURN QUERY SELECT * FROM disclosed.reconcile_institutions(changed);
        RETURN QUERY SELECT unnest(changed);
    END IF;
END $$;

-- Key figures of instances are public when their filings are, as those that are loaded say: at first the day of filing has to do. Returns the
-- issuers of those that have moved.
CREATE OR REPLACE FUNCTION date_kpi_observations(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    companies bigint[];
    numbers bigint[];
    is_out boolean[];
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.kpi_observation WHERE issuer_id = ANY (issuers)) THEN
        RETURN;
    END IF;
    WITH public AS MATERIALIZED (
        SELECT accession, min(known_at) AS known_at FROM disclosed.filing
        WHERE accession IN (SELECT x.accession FROM disclosed.filing x WHERE x.issuer_id = ANY (issuers) AND disclosed.is_written(x.xmin))
          AND superseded_at IS NULL
        GROUP BY accession),
    moved AS (
        UPDATE disclosed.kpi_observation t
        SET known_at = p.known_at,
            superseded_at = CASE WHEN t.superseded_at = t.known_at THEN p.known_at
                                 WHEN t.superseded_at IS NOT NULL THEN greatest(t.superseded_at, p.known_at) END
        FROM public p, disclosed.source o, disclosed.import_run r
        WHERE t.issuer_id = ANY (issuers) AND t.accession = p.accession AND t.known_at <> p.known_at
          AND o.source_id = t.source_id AND r.import_run_id = o.import_run_id AND r.source = 'xbrl-instance'
        RETURNING t.issuer_id, t.row_id, t.left_out IS TRUE AS is_out)
    SELECT array_agg(m.issuer_id), array_agg(m.row_id), array_agg(m.is_out) INTO companies, numbers, is_out FROM moved m;
    IF companies IS NOT NULL THEN
        PERFORM disclosed.leave_out('kpi_observation', numbers, companies, numbers, is_out); -- the versions before end with these
        RETURN QUERY SELECT DISTINCT unnest(companies);
    END IF;
END $$;

-- Reports are public when their filings are, as those that are loaded say: at first the day of filing has to do, and for an instance that
-- came before its filing the day that the command line said. Returns the issuers of reports that have moved.
CREATE OR REPLACE FUNCTION date_xbrl_reports(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.xbrl_report WHERE issuer_id = ANY (issuers)) THEN
        RETURN;
    END IF;
    RETURN QUERY
        WITH public AS (
            SELECT r.issuer_id, r.row_id, min(f.known_at) AS known_at,
                   CASE r.told_by WHEN 'instance' THEN (array_agg(f.filed_on ORDER BY f.issuer_id <> r.issuer_id, f.known_at))[1] ELSE r.filed_on END AS filed_on
            FROM disclosed.xbrl_report r
            JOIN disclosed.filing f ON f.accession = r.accession AND f.superseded_at IS NULL
            WHERE r.issuer_id = ANY (issuers)
            GROUP BY r.issuer_id, r.row_id),
        moved AS (
            UPDATE disclosed.xbrl_report r
            SET known_at = p.known_at, filed_on = p.filed_on,
                superseded_at = CASE WHEN r.superseded_at = r.known_at THEN p.known_at
                                     WHEN r.superseded_at IS NOT NULL THEN greatest(r.superseded_at, p.known_at) END
            FROM public p
            WHERE r.issuer_id = p.issuer_id AND r.row_id = p.row_id AND (r.known_at, r.filed_on) <> (p.known_at, p.filed_on)
            RETURNING r.issuer_id)
        SELECT DISTINCT issuer_id FROM moved;
END $$;

-- Linkbases are public when their filings are, and filed with them, as those that are loaded say. Returns the issuers of those that have moved.
CREATE OR REPLACE FUNCTION date_xbrl_linkbases(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.xbrl_linkbase WHERE issuer_id = ANY (issuers)) THEN
        RETURN;
    END IF;
    RETURN QUERY
        WITH public AS (
            SELECT r.issuer_id, r.row_id, min(f.known_at) AS known_at,
                   (array_agg(f.filed_on ORDER BY f.issuer_id <> r.issuer_id, f.known_at))[1] AS filed_on
            FROM disclosed.xbrl_linkbase r
            JOIN disclosed.filing f ON f.accession = r.accession AND f.superseded_at IS NULL
            WHERE r.issuer_id = ANY (issuers)
            GROUP BY r.issuer_id, r.row_id),
        moved AS (
            UPDATE disclosed.xbrl_linkbase r
            SET known_at = p.known_at, filed_on = p.filed_on,
                superseded_at = CASE WHEN r.superseded_at = r.known_at THEN p.known_at
                                     WHEN r.superseded_at IS NOT NULL THEN greatest(r.superseded_at, p.known_at) END
            FROM public p
            WHERE r.issuer_id = p.issuer_id AND r.row_id = p.row_id AND (r.known_at, r.filed_on) <> (p.known_at, p.filed_on)
            RETURNING r.issuer_id)
        SELECT DISTINCT issuer_id FROM moved;
END $$;

-- Filings without calculations are none that are checked.
CREATE OR REPLACE FUNCTION check_calculations(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.xbrl_linkbase l WHERE l.issuer_id = ANY (issuers) AND disclosed.is_written(l.xmin))
       AND NOT EXISTS (SELECT 1 FROM disclosed.xbrl_report r WHERE r.issuer_id = ANY (issuers) AND disclosed.is_written(r.xmin)) THEN
        RETURN;
    END IF;
    RETURN QUERY
        WITH written AS MATERIALIZED (
            SELECT l.issuer_id, l.accession FROM disclosed.xbrl_linkbase l WHERE l.issuer_id = ANY (issuers) AND disclosed.is_written(l.xmin)
            UNION
            SELECT r.issuer_id, r.accession FROM disclosed.xbrl_report r WHERE r.issuer_id = ANY (issuers) AND disclosed.is_written(r.xmin)),
        checked AS MATERIALIZED (
            SELECT l.issuer_id, l.accession, greatest(l.known_at, r.known_at) AS known_at, count(DISTINCT t.role)::integer AS statements,
                   (count(DISTINCT t.role) - count(DISTINCT t.role) FILTER (WHERE abs(t.value - t.sum) > t.tolerance))::integer AS statements_agreeing,
                   count(t.role)::integer AS sums, count(t.role) FILTER (WHERE abs(t.value - t.sum) <= t.tolerance)::integer AS sums_agreeing
            FROM written w JOIN disclosed.xbrl_linkbase l USING (issuer_id, accession)
            JOIN disclosed.xbrl_report r ON r.accession = l.accession AND r.issuer_id = l.issuer_id AND r.superseded_at IS NULL
                 AND NOT EXISTS (SELECT 1 FROM disclosed.xbrl_report b
                                 WHERE b.accession = r.accession AND b.issuer_id = r.issuer_id AND b.superseded_at IS NULL
                                   AND disclosed.report_rank(b.told_by) < disclosed.report_rank(r.told_by))
            LEFT JOIN LATERAL disclosed.linkbase_sums(l, r) t ON true
            WHERE l.superseded_at IS NULL AND l.roles <> '{}'
            GROUP BY l.issuer_id, l.accession, l.known_at, r.known_at),
        gone AS (
            DELETE FROM disclosed.calculation_check t USING written w
            WHERE (t.issuer_id, t.accession) = (w.issuer_id, w.accession)
              AND NOT EXISTS (SELECT 1 FROM checked c WHERE (c.issuer_id, c.accession) = (t.issuer_id, t.accession))
            RETURNING t.issuer_id),
        made AS (
            INSERT INTO disclosed.calculation_check SELECT * FROM checked
            ON CONFLICT (issuer_id, accession) DO UPDATE
            SET (known_at, statements, statements_agreeing, sums, sums_agreeing)
              = (excluded.known_at, excluded.statements, excluded.statements_agreeing, excluded.sums, excluded.sums_agreeing)
            WHERE (calculation_check.known_at, calculation_check.statements, calculation_check.statements_agreeing, calculation_check.sums,
                   calculation_check.sums_agreeing)
                  IS DISTINCT FROM (excluded.known_at, excluded.statements, excluded.statements_agreeing, excluded.sums, excluded.sums_agreeing)
            RETURNING issuer_id)
        SELECT issuer_id FROM gone UNION SELECT issuer_id FROM made;
END $$;

-- ------------------------------------------------------------------------------ forms of insiders

-- Which of several reports reconcile_report() would change something for: rows of theirs with other dates, what was said under their digest,
-- or rows under keys that they no longer have.
CREATE OR REPLACE FUNCTION unreconciled_reports(ciks bigint[], accessions text[], reports_known timestamptz[], reports_filed date[], hashes text[],
                                  unfiled_keys text[])
RETURNS SETOF bigint LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN QUERY
        SELECT r.place
        FROM unnest(ciks, accessions, reports_known, reports_filed, hashes, unfiled_keys) WITH ORDINALITY
             AS r(cik, accession, known_at, filed_on, hash, keys, place)
        CROSS JOIN LATERAL (SELECT coalesce(min(f.known_at), r.known_at) AS known_at, coalesce(min(f.filed_on), r.filed_on) AS filed_on
                            FROM disclosed.filing f WHERE f.accession = r.accession AND f.superseded_at IS NULL) best
        LEFT JOIN disclosed.issuer i ON i.cik = r.cik
        WHERE EXISTS (SELECT 1 FROM disclosed.insider_transaction t
                      WHERE t.accession = r.accession AND (t.known_at, t.filing_date) <> (best.known_at, best.filed_on))
           OR EXISTS (SELECT 1 FROM disclosed.insider_holding h
                      WHERE h.accession = r.accession AND (h.known_at, h.filing_date) <> (best.known_at, best.filed_on))
           OR EXISTS (SELECT 1 FROM disclosed.executive_stated s
                      WHERE s.origin = r.accession AND (s.known_at, s.reported_on) <> (best.known_at, best.filed_on))
           OR EXISTS (SELECT 1 FROM disclosed.executive_stated s WHERE s.origin = left(r.hash, 39) AND s.issuer_id = i.issuer_id)
           OR EXISTS (SELECT 1 FROM disclosed.insider_transaction t
                      WHERE t.issuer_id = i.issuer_id
                        AND disclosed.key_hash(t.record_key) = ANY (ARRAY(SELECT disclosed.key_hash(k) FROM unnest(r.keys::text[]) k))
                        AND t.record_key = ANY (r.keys::text[]) AND (t.superseded_at IS NULL OR t.superseded_at IS NOT NULL)
                        AND t.superseded_at IS DISTINCT FROM t.known_at)
           OR EXISTS (SELECT 1 FROM disclosed.insider_holding t
                      WHERE t.issuer_id = i.issuer_id
                        AND disclosed.key_hash(t.record_key) = ANY (ARRAY(SELECT disclosed.key_hash(k) FROM unnest(r.keys::text[]) k))
                        AND t.record_key = ANY (r.keys::text[]) AND (t.superseded_at IS NULL OR t.superseded_at IS NOT NULL)
                        AND t.superseded_at IS DISTINCT FROM t.known_at);
END $$;

-- What the staged rows state of people, which have been merged, is kept as they state it; the versions follow from it. Returns
-- what changed. Places are those in the copy of a source that was loaded last; another copy may have had the row further down.
CREATE OR REPLACE FUNCTION state_executives(run bigint, hash_of_file text) RETURNS TABLE (dataset text, changed_issuer bigint)
LANGUAGE plpgsql AS $$
DECLARE
    is_form boolean := (SELECT source FROM disclosed.import_run WHERE import_run_id = run) = 'sec-ownership';
    issuers bigint[];
    keys text[];
BEGIN
    -- Filings that date the reports of these people may be loading at the same moment: who comes second sees the first.
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    WITH staged AS MATERIALIZED (
        SELECT coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AS issuer_id, s.record_key,
               CASE WHEN is_form THEN coalesce(s.accession, nullif(current_setting('disclosed.document', true), ''))
                    ELSE '@' || extract(epoch FROM s.known_at) END AS origin,
               disclosed.executive_said(s.person_cik, s.name, s.role, s.category, s.affiliation, s.person_rank, s.is_current)
                   AS said,
               s.known_at, s.row_order & ((1::bigint << 40) - 1) AS place, s.src_digest, o.provider AS source_provider, o.import_run_id,
               CASE WHEN o.by_filing THEN disclosed.filing_address(o.url, s.cik, s.accession, NULL) ELSE o.url END AS source_url,
               s.accession, s.quote, disclosed.content_hash_text(o.content_hash) AS content_hash, o.extracted_at, s.person_cik, s.name, s.role, s.category, s.affiliation,
               s.person_rank, s.is_current,
               coalesce(s.reported_on, (s.known_at AT TIME ZONE 'America/New_York')::date) AS reported_on
        FROM pg_temp.stage_executive s
        -- Each by itself: the rows that a plan expects of a table without statistics would have it read all sources.
        CROSS JOIN LATERAL (SELECT x.* FROM disclosed.source x WHERE x.source_id = s.source_id OFFSET 0) o
        LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party),
    once AS (
        SELECT DISTINCT ON (issuer_id, record_key, origin, said) *,
               max(place) OVER (PARTITION BY issuer_id, record_key, origin, said) AS last_place
        FROM staged
        ORDER BY issuer_id, record_key, origin, said, source_provider COLLATE "C", coalesce(accession, '~') COLLATE "C",
                 coalesce(source_url, '~') COLLATE "C", coalesce(content_hash, '~') COLLATE "C", reported_on,
                 coalesce(quote, '~') COLLATE "C", place),
    stored AS (
        INSERT INTO disclosed.executive_stated AS t
        SELECT issuer_id, record_key, origin, said, known_at, last_place, import_run_id, src_digest, source_provider, source_url, accession,
               quote, content_hash, extracted_at, person_cik, name, role, category, affiliation, person_rank, is_current,
               reported_on
        FROM once
        ON CONFLICT (issuer_id, record_key, origin, said) DO UPDATE
        SET (place, stated_in, executive_digest, source_provider, source_url, accession, quote, content_hash, extracted_at,
             reported_on)
          = (SELECT CASE WHEN excluded.source_provider = t.source_provider AND excluded.source_url IS NOT DISTINCT FROM t.source_url
                         THEN excluded.place ELSE greatest(t.place, excluded.place) END, o.stated_in, o.executive_digest, o.source_provider, o.source_url,
                    o.accession, o.quote, o.content_hash, o.extracted_at, o.reported_on
             FROM (SELECT excluded.* UNION ALL SELECT t.*) o
             ORDER BY o.source_provider COLLATE "C", coalesce(o.accession, '~') COLLATE "C",
                      coalesce(o.source_url, '~') COLLATE "C", coalesce(o.content_hash, '~') COLLATE "C",
                      o.reported_on, coalesce(o.quote, '~') COLLATE "C" LIMIT 1)
        WHERE excluded.place > t.place
           OR (excluded.place < t.place AND excluded.source_provider = t.source_provider
               AND excluded.source_url IS NOT DISTINCT FROM t.source_url)
           OR (excluded.source_provider COLLATE "C", coalesce(excluded.accession, '~') COLLATE "C",
               coalesce(excluded.source_url, '~') COLLATE "C", coalesce(excluded.content_hash, '~') COLLATE "C",
               excluded.reported_on, coalesce(excluded.quote, '~') COLLATE "C")
            < (t.source_provider, coalesce(t.accession, '~'), coalesce(t.source_url, '~'), coalesce(t.content_hash, '~'),
               t.reported_on, coalesce(t.quote, '~'))
        RETURNING t.issuer_id, t.record_key),
    -- What another copy of the source said of them: the one that was loaded last counts. Forms without an accession number that speak of one
    -- instant are copies of each other, as nothing tells them apart.
    replaced AS (
        DELETE FROM disclosed.executive_stated t
        USING (SELECT o.issuer_id, o.record_key, o.origin, o.said
               FROM (SELECT DISTINCT issuer_id, record_key, origin, source_provider, source_url, known_at FROM staged) g
               JOIN disclosed.executive_stated o USING (issuer_id, record_key, source_provider)
               WHERE o.source_url IS NOT DISTINCT FROM g.source_url
                 AND (o.origin = g.origin
                      OR (o.origin LIKE 'sha256:%' AND g.origin LIKE 'sha256:%' AND o.known_at = g.known_at
                          AND NOT EXISTS (SELECT 1 FROM staged s
                                          WHERE (s.issuer_id, s.record_key, s.said) = (o.issuer_id, o.record_key, o.said))))
               EXCEPT SELECT issuer_id, record_key, origin, said FROM staged) gone
        WHERE (t.issuer_id, t.record_key, t.origin, t.said) = (gone.issuer_id, gone.record_key, gone.origin, gone.said)
        RETURNING t.issuer_id, t.record_key)
    SELECT array_agg(u.issuer_id), array_agg(u.record_key) INTO issuers, keys
    FROM (SELECT stored.issuer_id, stored.record_key FROM stored
          UNION
          SELECT replaced.issuer_id, replaced.record_key FROM replaced
          UNION
          SELECT s.issuer_id, s.record_key FROM staged s WHERE s.issuer_id IN (SELECT t.issuer_id FROM pg_temp.touched t)) u;
    IF issuers IS NULL THEN
        RETURN;
    END IF;
    IF cardinality(issuers) >= 2000 THEN
        PERFORM disclosed.analyze_grown(ARRAY['disclosed.executive', 'disclosed.executive_stated']::regclass[]);
    END IF;
    RETURN QUERY SELECT DISTINCT 'executive', d FROM disclosed.derive_executives(issuers, keys) AS d;
END $$;

-- ------------------------------------------------------------------------------ listings and what follows them

-- The companies whose securities this transaction has linked otherwise.
CREATE OR REPLACE FUNCTION changed_securities() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.security_change') IS NULL AND to_regclass('pg_temp.followed_link') IS NULL THEN
        RETURN;
    END IF;
    PERFORM disclosed.begin_security_changes();
    RETURN QUERY
        SELECT r.company_id FROM pg_temp.replaced_link r
        UNION
        SELECT f.company_id FROM pg_temp.followed_link f
        UNION
        SELECT l.company_id FROM disclosed.security_link l JOIN pg_temp.security_change c USING (cusip);
END $$;

-- CUSIPs have been linked otherwise.
CREATE OR REPLACE FUNCTION follow_securities(companies bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    IF NOT EXISTS (SELECT 1 FROM pg_temp.security_change WHERE NOT applied) THEN
        RETURN QUERY SELECT * FROM disclosed.changed_securities();
        RETURN;
    END IF;
    PERFORM disclosed.begin_holdings_work();
    TRUNCATE pg_temp.work_touched;
    PERFORM disclosed.apply_security_changes();
    RETURN QUERY SELECT issuer_id FROM pg_temp.work_touched
                 UNION SELECT * FROM disclosed.changed_securities();
END $$;

-- Maps the holdings in pg_temp.fund_row anew, and brings exposures and the names of these funds up to
-- date. Returns the issuers whose rows have changed.
CREATE OR REPLACE FUNCTION remap_funds(registrants bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    reports bigint[] := '{}';
BEGIN
    IF EXISTS (SELECT 1 FROM pg_temp.fund_row) THEN
        reports := ARRAY(SELECT * FROM disclosed.map_fund_rows());
    END IF;
    IF EXISTS (SELECT 1 FROM disclosed.fund f WHERE f.issuer_id = ANY (registrants)) THEN
        reports := ARRAY(SELECT unnest(reports) UNION SELECT * FROM disclosed.name_funds(registrants));
    END IF;
    IF reports <> '{}' THEN
        RETURN QUERY SELECT DISTINCT d FROM disclosed.derive_fund_exposures(reports) AS d;
        RETURN QUERY SELECT DISTINCT f.issuer_id FROM disclosed.fund f WHERE f.id = ANY(reports);
    END IF;
END $$;
