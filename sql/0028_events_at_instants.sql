-- Events are told by what was known at each instant: evidence that a later listing, period or date brings together
-- is of several events until then, and of one from then on, in whatever order it was loaded.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------ tables

ALTER TABLE event_notice ADD COLUMN held_by bigint;
ALTER TABLE event_notice ADD COLUMN held_until timestamptz;
COMMENT ON COLUMN event_notice.held_by IS
    'the party of its ticker, whose it was until the listing was known that it means; NULL: that was known before';
COMMENT ON COLUMN event_notice.held_until IS 'when that listing became known; kept by note_notice_holders()';
CREATE INDEX event_notice_held ON event_notice (held_by) WHERE held_by IS NOT NULL;
CREATE INDEX event_notice_was_held ON event_notice (issuer_id) WHERE held_by IS NOT NULL;

-- The column event_id of filings, transcripts, notices and documents says which event they are of now; where it was
-- another one at a time, this says which.
CREATE TABLE former_event (
    issuer_id   bigint NOT NULL REFERENCES issuer,
    record_id   bigint NOT NULL,
    known_at    timestamptz NOT NULL,
    superseded_at timestamptz NOT NULL,
    event_id    bigint,
    PRIMARY KEY (record_id, known_at),
    CHECK (known_at < superseded_at)
);
COMMENT ON TABLE former_event IS 'which event a record was of from known_at to superseded_at; kept by settle_events()';
COMMENT ON COLUMN former_event.event_id IS 'NULL: none';
CREATE INDEX former_event_event ON former_event (event_id, issuer_id, record_id);
CREATE INDEX former_event_issuer ON former_event (issuer_id);

-- ------------------------------------------------- whose a notice by ticker was

-- When a listing of the issuer became known that a row with these spellings means (0024_market.sql): with its ticker,
-- and under the name that the row states.
CREATE FUNCTION meant_since(spellings text, stated text, of_issuer bigint) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT min(CASE WHEN n.name IS NULL THEN l.known_at ELSE greatest(l.known_at, n.known_at) END)
    FROM (SELECT s.record_key, min(s.known_at) AS known_at
          FROM disclosed.listing s
          JOIN unnest(string_to_array(upper(spellings), ' ')) AS w(spelling)
            ON s.ticker = split_part(w.spelling, ':', 1)
           AND (position(':' IN w.spelling) = 0 OR s.market = split_part(w.spelling, ':', 2))
          WHERE s.issuer_id = of_issuer AND s.superseded_at IS DISTINCT FROM s.known_at
          GROUP BY s.record_key) l
    CROSS JOIN LATERAL (
        SELECT w.name, least(
                   (SELECT min(o.known_at) FROM disclosed.listing o
                    WHERE o.issuer_id = of_issuer AND o.record_key = l.record_key
                      AND coalesce(disclosed.names_begin_alike(w.name, o.name),
                                   disclosed.share_names_agree(w.name, o.name))),
                   (SELECT min(p.known_at) FROM disclosed.issuer_profile p
                    WHERE p.issuer_id = of_issuer
                      AND coalesce(disclosed.names_begin_alike(w.name, p.name),
                                   disclosed.share_names_agree(w.name, p.name)))) AS known_at
        FROM (SELECT disclosed.name_or_none(stated, spellings) AS name) w) n
    WHERE n.name IS NULL OR n.known_at IS NOT NULL
$$;

-- Notices by ticker that are with these companies learn whose they were before the listing was known that they mean.
-- Looks at those loaded just now alone where `fresh`. Returns the issuers of those that have changed, parties among them.
CREATE FUNCTION note_notice_holders(issuers bigint[], fresh boolean) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.notice_holder') IS NULL THEN
        CREATE TEMP TABLE notice_holder (issuer_id bigint, row_id bigint, spellings text, stated text, until timestamptz)
            ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.notice_holder;
    INSERT INTO pg_temp.notice_holder
    WITH looked_at AS MATERIALIZED (
        SELECT n.issuer_id, n.row_id, n.spellings, n.stated_name, n.known_at, n.held_until
        FROM disclosed.event_notice n
        JOIN disclosed.issuer i USING (issuer_id)
        WHERE n.issuer_id = ANY (issuers) AND n.spellings IS NOT NULL AND (NOT fresh OR n.recorded_at = now())
          AND (i.party_key IS NULL OR n.held_by IS NOT NULL)),
    meant AS MATERIALIZED (
        SELECT g.issuer_id, g.spellings, g.stated_name,
               disclosed.meant_since(g.spellings, g.stated_name, g.issuer_id) AS since
        FROM (SELECT DISTINCT issuer_id, spellings, stated_name FROM looked_at) g)
    SELECT l.issuer_id, l.row_id, l.spellings, l.stated_name, CASE WHEN m.since > l.known_at THEN m.since END
    FROM looked_at l
    JOIN meant m ON m.issuer_id = l.issuer_id AND m.spellings = l.spellings
     AND m.stated_name IS NOT DISTINCT FROM l.stated_name
    WHERE l.held_until IS DISTINCT FROM CASE WHEN m.since > l.known_at THEN m.since END;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    INSERT INTO disclosed.issuer (party_key, name)
    SELECT 'symbol/' || h.spellings, min(h.stated) FROM pg_temp.notice_holder h
    WHERE h.until IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer p WHERE p.party_key = 'symbol/' || h.spellings)
    GROUP BY h.spellings;
    RETURN QUERY
        WITH held AS (
            UPDATE disclosed.event_notice n SET held_by = p.issuer_id, held_until = h.until
            FROM pg_temp.notice_holder h
            LEFT JOIN disclosed.issuer p ON h.until IS NOT NULL AND p.party_key = 'symbol/' || h.spellings
            WHERE n.issuer_id = h.issuer_id AND n.row_id = h.row_id
            RETURNING n.issuer_id, p.issuer_id AS party_id)
        SELECT issuer_id FROM held UNION SELECT party_id FROM held WHERE party_id IS NOT NULL;
END $$;

-- A row that has gone back to its party was always there.
CREATE FUNCTION place_event_notices(issuers bigint[], fresh boolean) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    placed bigint[];
BEGIN
    placed := ARRAY(SELECT disclosed.place_rows('event_notice', 'earnings-calendar', 'stated_name', 'event_on', false,
                                                issuers, fresh));
    RETURN QUERY SELECT unnest(placed);
    IF placed <> '{}' THEN -- those of a party that do not say so themselves
        UPDATE disclosed.event_notice n SET spellings = r.spellings
        FROM pg_temp.place_target g JOIN pg_temp.place_row r USING (issuer_id, row_id)
        WHERE n.issuer_id = g.target_id AND n.row_id = g.row_id AND n.spellings IS NULL;
    END IF;
    RETURN QUERY SELECT disclosed.note_notice_holders(issuers || placed, fresh);
    RETURN QUERY
        UPDATE disclosed.event_notice SET held_by = NULL, held_until = NULL
        WHERE issuer_id = ANY (placed) AND held_by = issuer_id
        RETURNING issuer_id;
END $$;

CREATE OR REPLACE FUNCTION name_event_notices(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    SELECT disclosed.place_event_notices(issuers, false)
$$;

CREATE OR REPLACE FUNCTION settle_event_notices(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT disclosed.place_event_notices(issuers, true);
    RETURN QUERY SELECT disclosed.replace_unnamed_rows('event_notice', issuers);
END $$;

-- Issuers with all whose notices were once with them, or theirs with others.
CREATE FUNCTION holders_of_notices(issuers bigint[]) RETURNS bigint[] LANGUAGE plpgsql STABLE AS $$
DECLARE
    found bigint[] := issuers;
    more bigint[] := issuers;
BEGIN
    LOOP
        more := ARRAY(SELECT issuer_id FROM disclosed.event_notice WHERE held_by = ANY (more)
                      UNION SELECT held_by FROM disclosed.event_notice
                      WHERE issuer_id = ANY (more) AND held_by IS NOT NULL
                      EXCEPT SELECT unnest(found));
        EXIT WHEN more = '{}';
        found := found || more;
    END LOOP;
    RETURN found;
END $$;

-- ------------------------------------------------------- events from evidence

-- What settle_events() works on, made once for each connection.
DROP TABLE IF EXISTS pg_temp.event_evidence, pg_temp.event_cluster, pg_temp.event_version, pg_temp.event_member;
CREATE OR REPLACE FUNCTION open_event_tables() RETURNS void LANGUAGE plpgsql AS $$
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

-- Every version of a results filing, a transcript or a notice of issuers says when an event takes
-- place, and of what period. date_rank and period_rank: the lower, the surer. A results filing is a
-- Form 8-K with item 2.02 (12 before August 2004), or one with a stored earnings release.
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
CREATE OR REPLACE FUNCTION complete_event_periods() RETURNS void LANGUAGE plpgsql AS $$
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

-- An event keeps the number that its records had, that which the record that was known first had before all.
CREATE OR REPLACE FUNCTION number_event_clusters() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH held AS (
        SELECT e.cluster, CASE WHEN w.record_id IS NULL THEN e.event_id ELSE w.event_id END AS event_id,
               e.record_id = e.cluster AS is_own
        FROM pg_temp.event_evidence e
        LEFT JOIN disclosed.former_event w
          ON w.record_id = e.record_id AND w.known_at <= e.known_at AND w.superseded_at > e.known_at),
    ranked AS (
        SELECT h.*, row_number() OVER (PARTITION BY event_id ORDER BY is_own DESC, held DESC, cluster) AS turn
        FROM (SELECT cluster, event_id, bool_or(is_own) AS is_own, count(*) AS held
              FROM held WHERE event_id IS NOT NULL GROUP BY 1, 2) h),
    kept AS (
        SELECT DISTINCT ON (cluster) cluster, event_id FROM ranked WHERE turn = 1
        ORDER BY cluster, is_own DESC, held DESC, event_id)
    UPDATE pg_temp.event_cluster c SET event_id = coalesce(k.event_id, nextval('disclosed.record_id'))
    FROM pg_temp.event_cluster o LEFT JOIN kept k USING (cluster)
    WHERE c.cluster = o.cluster;
    UPDATE pg_temp.event_cluster c SET created_at = e.created_at
    FROM (SELECT id, min(created_at) AS created_at FROM disclosed.event
          WHERE id IN (SELECT event_id FROM pg_temp.event_cluster) GROUP BY id) e
    WHERE e.id = c.event_id;
END $$;

-- The versions of events: at each instant at which evidence or its period comes or goes, what the best of it
-- says. That the same is known from better evidence makes no version.
CREATE OR REPLACE FUNCTION write_event_versions() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    WITH yearly AS MATERIALIZED ( -- of which the end of the fiscal year is known at some time
        SELECT o.issuer_id FROM (SELECT DISTINCT holder_id AS issuer_id FROM pg_temp.event_evidence WHERE type = 'earnings') o
        WHERE disclosed.fiscal_year_end_after(o.issuer_id, '-infinity') IS NOT NULL),
    instant AS (
        SELECT cluster, known_at AS at FROM pg_temp.event_evidence
        UNION
        SELECT cluster, superseded_at FROM pg_temp.event_evidence WHERE superseded_at IS NOT NULL
        UNION
        SELECT cluster, period_known_at FROM pg_temp.event_evidence
        WHERE period_known_at >= known_at AND (superseded_at IS NULL OR period_known_at < superseded_at)
        UNION
        SELECT cluster, demoted_at FROM pg_temp.event_evidence WHERE demoted_at > known_at
        UNION
        SELECT f.cluster, disclosed.fiscal_year_end_after(f.issuer_id, f.first_at)
        FROM (SELECT cluster, holder_id AS issuer_id, min(known_at) AS first_at FROM pg_temp.event_evidence
              WHERE type = 'earnings' AND holder_id IN (SELECT issuer_id FROM yearly) GROUP BY 1, 2) f
        WHERE disclosed.fiscal_year_end_at(f.issuer_id, f.first_at) IS NULL),
    best AS (
        SELECT i.cluster, i.at,
               (array_agg(e.number ORDER BY CASE WHEN e.demoted_at <= i.at THEN 4 ELSE e.date_rank END, e.stated_at DESC, e.source_key DESC, e.row_id DESC)
                   FILTER (WHERE e.date_rank IS NOT NULL))[1] AS date_number,
               (array_agg(e.number ORDER BY e.period_rank, e.stated_at DESC, e.source_key DESC, e.row_id DESC)
                   FILTER (WHERE e.period_rank IS NOT NULL
                             AND coalesce(e.period_known_at, e.known_at) <= i.at))[1] AS period_number,
               (array_agg(e.fiscal_period ORDER BY CASE WHEN e.demoted_at <= i.at THEN 4 ELSE e.date_rank END, e.stated_at DESC, e.source_key DESC)
                   FILTER (WHERE e.fiscal_period IS NOT NULL))[1] AS fiscal_period,
               (array_agg(e.title ORDER BY CASE WHEN e.demoted_at <= i.at THEN 4 ELSE e.date_rank END, e.stated_at DESC, e.source_key DESC)
                   FILTER (WHERE e.title IS NOT NULL))[1] AS title,
               (array_agg(e.event_url ORDER BY CASE WHEN e.demoted_at <= i.at THEN 4 ELSE e.date_rank END, e.stated_at DESC, e.source_key DESC)
                   FILTER (WHERE e.event_url IS NOT NULL))[1] AS event_url,
               (array_agg(e.webcast_status ORDER BY e.stated_at DESC, e.source_key DESC)
                   FILTER (WHERE e.webcast_status IS NOT NULL))[1] AS webcast_status
        FROM instant i LEFT JOIN pg_temp.event_evidence e
          ON e.cluster = i.cluster AND e.known_at <= i.at
         AND (e.superseded_at IS NULL OR e.superseded_at > i.at)
        WHERE i.at IS NOT NULL
        GROUP BY i.cluster, i.at),
    state AS MATERIALIZED (
        SELECT b.cluster, b.at, b.date_number, d.holder_id AS issuer_id, d.type, d.event_at, d.has_time, d.date_status, p.period_end_date,
               CASE WHEN p.period_end_date IS NOT NULL THEN p.period_kind END AS period_kind,
               coalesce(b.fiscal_period, CASE WHEN p.period_kind = 'quarter' AND d.type = 'earnings'
                                             AND d.holder_id IN (SELECT issuer_id FROM yearly)
                   THEN disclosed.fiscal_quarter(p.period_end_date,
                                                 disclosed.fiscal_year_end_at(d.holder_id, b.at)) END) AS fiscal_period,
               b.title, b.event_url, b.webcast_status,
               concat_ws('; ', 'date: ' || d.date_basis, 'period: ' || p.period_basis) AS source
        FROM best b
        LEFT JOIN pg_temp.event_evidence d ON d.number = b.date_number
        LEFT JOIN pg_temp.event_evidence p ON p.number = b.period_number),
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

-- Writes only what differs.
CREATE OR REPLACE FUNCTION store_event_versions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
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

-- Which documents belong to an event: those of its period; where they do not say theirs, decks, releases, letters
-- and quarterly reports that were published in its days, as these were known at each time.
CREATE FUNCTION find_event_documents(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.event_member
    WITH shown AS MATERIALIZED (
        SELECT DISTINCT ON (issuer_id, id) issuer_id, id, doc_type, period_end_date,
               (published_at AT TIME ZONE 'UTC')::date AS published_on,
               min(known_at) OVER (PARTITION BY issuer_id, id) AS known_at
        FROM disclosed.document
        WHERE issuer_id = ANY (issuers) AND superseded_at IS DISTINCT FROM known_at
        ORDER BY issuer_id, id, document.known_at DESC, row_id DESC),
    near AS MATERIALIZED (
        SELECT d.issuer_id, d.id, v.event_id, greatest(d.known_at, v.known_at, s.since) AS since,
               least(coalesce(v.superseded_at, 'infinity'), s.until) AS until,
               abs(d.period_end_date - s.last_on) AS away, s.first_on, v.event_at
        FROM shown d
        JOIN pg_temp.event_slice s
          ON s.issuer_id = d.issuer_id AND s.has_period
         AND d.period_end_date BETWEEN s.first_on - 25 AND s.last_on + 25
        JOIN pg_temp.event_version v ON v.cluster = s.cluster AND v.issuer_id = s.issuer_id
        UNION ALL
        SELECT d.issuer_id, d.id, v.event_id, greatest(d.known_at, v.known_at), coalesce(v.superseded_at, 'infinity'),
               abs(d.published_on - (v.event_at AT TIME ZONE 'UTC')::date), NULL, v.event_at
        FROM shown d
        JOIN pg_temp.event_version v
          ON v.issuer_id = d.issuer_id
         AND d.published_on BETWEEN (v.event_at AT TIME ZONE 'UTC')::date - 2 AND (v.event_at AT TIME ZONE 'UTC')::date + 5
        WHERE d.period_end_date IS NULL
          AND d.doc_type IN ('slide_deck', 'press_release', 'shareholder_letter', 'quarterly_report')),
    lasting AS (SELECT * FROM near WHERE since < until),
    chosen AS (
        SELECT DISTINCT ON (i.id, i.at) i.issuer_id, i.id, i.at, n.event_id
        FROM (SELECT issuer_id, id, since AS at FROM lasting
              UNION SELECT issuer_id, id, until FROM lasting WHERE until < 'infinity'
              UNION SELECT issuer_id, id, known_at FROM shown WHERE id IN (SELECT id FROM lasting)) i
        LEFT JOIN lasting n ON n.id = i.id AND n.since <= i.at AND n.until > i.at
        ORDER BY i.id, i.at, n.away, n.first_on, n.event_at, n.event_id)
    SELECT 'document', issuer_id, id, event_id, at, coalesce(lead(at) OVER (PARTITION BY id ORDER BY at), 'infinity')
    FROM (SELECT c.*, event_id IS NOT DISTINCT FROM lag(event_id) OVER w AND lag(at) OVER w IS NOT NULL AS is_same
          FROM chosen c WINDOW w AS (PARTITION BY id ORDER BY at)) t
    WHERE NOT is_same;
END $$;

CREATE OR REPLACE FUNCTION find_event_members(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.event_member
    SELECT DISTINCT CASE e.kind WHEN 'report' THEN 'filing' ELSE e.kind END, e.issuer_id, e.record_id, c.event_id,
           '-infinity'::timestamptz, 'infinity'::timestamptz
    FROM pg_temp.event_evidence e JOIN pg_temp.event_cluster c USING (cluster)
    WHERE NOT e.is_cut AND EXISTS (SELECT 1 FROM pg_temp.event_version v WHERE v.cluster = e.cluster);
    INSERT INTO pg_temp.event_member
    SELECT CASE m.kind WHEN 'report' THEN 'filing' ELSE m.kind END, m.home_id, m.record_id,
           CASE WHEN EXISTS (SELECT 1 FROM pg_temp.event_version v WHERE v.cluster = m.cluster) THEN c.event_id END,
           m.since, m.until
    FROM pg_temp.event_membership m LEFT JOIN pg_temp.event_cluster c USING (cluster);
    PERFORM disclosed.find_event_documents(issuers);
END $$;

-- Which events records were of before the present one. Returns the issuers of what has changed.
CREATE FUNCTION store_former_events(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
        WITH wanted AS MATERIALIZED (
            SELECT m.issuer_id, m.record_id, m.since, m.until, m.event_id
            FROM pg_temp.event_member m
            JOIN pg_temp.event_member l ON l.record_id = m.record_id AND l.kind = m.kind AND l.until = 'infinity'
            WHERE m.until < 'infinity' AND m.event_id IS DISTINCT FROM l.event_id),
        gone AS (
            DELETE FROM disclosed.former_event f
            WHERE (f.issuer_id = ANY (issuers) OR f.record_id IN (SELECT record_id FROM wanted))
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

-- Earnings events follow from results filings, transcripts and notices of issuers; other events from
-- transcripts and notices. Filings, transcripts, notices and documents learn which event they belong to.
-- Returns the issuers of whom anything has changed.
CREATE OR REPLACE FUNCTION settle_events(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    target record;
BEGIN
    issuers := disclosed.holders_of_notices(issuers);
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
    ANALYZE pg_temp.event_cluster;
    PERFORM disclosed.number_event_clusters();
    PERFORM disclosed.write_event_versions();
    ANALYZE pg_temp.event_version;
    RETURN QUERY SELECT DISTINCT s FROM disclosed.store_event_versions(issuers) AS s;
    PERFORM disclosed.find_event_members(issuers);
    ANALYZE pg_temp.event_member;
    RETURN QUERY SELECT disclosed.store_former_events(issuers);
    FOR target IN SELECT * FROM (VALUES ('filing', 'filing'), ('transcript', 'transcript'),
                                        ('notice', 'event_notice'), ('document', 'document'))
                  AS t(kind, member_table)
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

-- ------------------------------------------------------- what is stored already

GRANT SELECT ON former_event TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON former_event TO disclosed_loader;

SELECT count(*) FROM note_notice_holders(ARRAY(SELECT DISTINCT issuer_id FROM event_notice WHERE spellings IS NOT NULL), false);
SELECT count(*) FROM settle_events(ARRAY(SELECT issuer_id FROM event UNION SELECT issuer_id FROM event_notice));
INSERT INTO dataset_issuer_stat AS s (issuer_id, dataset, record_count, latest)
SELECT issuer_id, 'event', count(*) FILTER (WHERE superseded_at IS NULL),
       (max(event_at) FILTER (WHERE superseded_at IS NULL))::date
FROM event GROUP BY issuer_id
ON CONFLICT (issuer_id, dataset) DO UPDATE SET record_count = excluded.record_count, latest = excluded.latest
WHERE (s.record_count, s.latest) IS DISTINCT FROM (excluded.record_count, excluded.latest);
UPDATE dataset_stat SET record_count = (SELECT count(*) FROM event WHERE superseded_at IS NULL),
    version = version + 1, changed_at = now()
WHERE dataset = 'event';

GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA disclosed TO disclosed_loader;
