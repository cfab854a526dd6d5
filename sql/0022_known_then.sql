-- Periods of events are told by what was known then: a fiscal year's end that a later file states says nothing
-- about what was known of an event before. And what a ticker meant stays so when another takes it.

SET LOCAL search_path = disclosed, public;

-- The end of an issuer's fiscal year, MMDD, as it was known at an instant: as its profile says, else that of the
-- latest annual report.
CREATE FUNCTION fiscal_year_end_at(of_issuer bigint, instant timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(
        (SELECT p.fiscal_year_end FROM disclosed.issuer_profile p
         WHERE p.issuer_id = of_issuer AND p.known_at <= instant
           AND (p.superseded_at IS NULL OR p.superseded_at > instant)
           AND disclosed.fiscal_month(p.fiscal_year_end) IS NOT NULL
         ORDER BY p.known_at DESC LIMIT 1),
        (SELECT to_char(f.period_of_report, 'MMDD') FROM disclosed.filing f
         WHERE f.issuer_id = of_issuer AND f.form IN ('10-K', '20-F', '40-F') AND f.known_at <= instant
           AND (f.superseded_at IS NULL OR f.superseded_at > instant) AND f.period_of_report IS NOT NULL
         ORDER BY f.period_of_report DESC, f.known_at LIMIT 1))
$$;

-- When it was first known after an instant.
CREATE FUNCTION fiscal_year_end_after(of_issuer bigint, instant timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT least(
        (SELECT min(p.known_at) FROM disclosed.issuer_profile p
         WHERE p.issuer_id = of_issuer AND p.known_at > instant AND p.superseded_at IS DISTINCT FROM p.known_at
           AND disclosed.fiscal_month(p.fiscal_year_end) IS NOT NULL),
        (SELECT min(f.known_at) FROM disclosed.filing f
         WHERE f.issuer_id = of_issuer AND f.form IN ('10-K', '20-F', '40-F') AND f.known_at > instant
           AND f.superseded_at IS DISTINCT FROM f.known_at AND f.period_of_report IS NOT NULL))
$$;

-- What settle_events() works on, made once for each connection.
CREATE OR REPLACE FUNCTION open_event_tables() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.event_evidence') IS NULL THEN
        -- period_known_at: when the period was, where that was later than the evidence. source_key: accession
        -- number or record key, which decides between evidence of one instant whatever was loaded first.
        CREATE TEMP TABLE event_evidence (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, issuer_id bigint, kind text,
            record_id bigint, row_id bigint, type text, known_at timestamptz, superseded_at timestamptz,
            date_rank integer, event_on date, event_at timestamptz, has_time boolean, date_status text,
            period_end_date date, period_rank integer, period_kind text, fiscal_period text, title text,
            event_url text, webcast_status text, date_basis text, period_basis text, event_id bigint,
            cluster bigint, period_known_at timestamptz, source_key text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE event_cluster (
            cluster bigint PRIMARY KEY, issuer_id bigint, type text, has_period boolean, first_on date,
            last_on date, event_on date, event_id bigint, created_at timestamptz) ON COMMIT DELETE ROWS;
        -- Reports and documents are placed one by one among the clusters of their issuer.
        CREATE INDEX event_cluster_issuer ON event_cluster (issuer_id);
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
CREATE OR REPLACE FUNCTION gather_event_evidence(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.event_evidence (issuer_id, kind, record_id, row_id, type, known_at, superseded_at,
        date_rank, event_on, event_at, has_time, date_status, period_end_date, period_rank, period_kind,
        date_basis, period_basis, event_id, source_key)
    SELECT f.issuer_id, 'filing', f.id, f.row_id, 'earnings', f.known_at, f.superseded_at,
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

    INSERT INTO pg_temp.event_evidence (issuer_id, kind, record_id, row_id, type, known_at, superseded_at,
        date_rank, event_on, event_at, has_time, date_status, period_end_date, period_rank, period_kind,
        fiscal_period, date_basis, period_basis, event_id, source_key)
    SELECT t.issuer_id, 'transcript', t.id, t.row_id, t.event_type, t.known_at, t.superseded_at,
           1, (t.call_date AT TIME ZONE 'America/New_York')::date, t.call_date, true, 'confirmed',
           t.period_end_date, CASE WHEN t.period_end_date IS NOT NULL THEN 2 END, 'quarter',
           CASE WHEN t.period_label ~ '^(Q[1-4] FY\d{4}|FY\d{4}-Q[1-4])$' THEN t.period_label END,
           'the call''s transcript', 'as the transcript says', t.event_id, t.record_key
    FROM disclosed.transcript t
    WHERE t.issuer_id = ANY (issuers) AND t.event_type <> 'other'
      AND t.superseded_at IS DISTINCT FROM t.known_at;

    INSERT INTO pg_temp.event_evidence (issuer_id, kind, record_id, row_id, type, known_at, superseded_at,
        date_rank, event_on, event_at, has_time, date_status, period_end_date, period_rank, period_kind,
        fiscal_period, title, event_url, webcast_status, date_basis, period_basis, event_id, source_key)
    SELECT n.issuer_id, 'notice', n.id, n.row_id, n.type, n.known_at, n.superseded_at,
           CASE n.date_status WHEN 'confirmed' THEN 3 ELSE 5 END, n.event_on,
           coalesce(n.event_at, n.event_on::timestamp AT TIME ZONE 'UTC'), n.event_at IS NOT NULL,
           n.date_status, n.period_end_date, CASE WHEN n.period_end_date IS NOT NULL THEN 4 END,
           coalesce(n.period_kind, 'quarter'), n.fiscal_period, n.title, n.event_url, n.webcast_status,
           format('%s by %s', CASE n.date_status WHEN 'confirmed' THEN 'announced' ELSE 'estimated' END,
                  n.source_provider),
           'as ' || n.source_provider || ' says', n.event_id, n.record_key
    FROM disclosed.event_notice n
    WHERE n.issuer_id = ANY (issuers) AND n.superseded_at IS DISTINCT FROM n.known_at;
END $$;

-- What does not state its period has that of other evidence of the same days, that of the periodic report which
-- follows it, or the last fiscal quarter that had ended, whichever was known first.
CREATE OR REPLACE FUNCTION complete_event_periods() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH lacking AS MATERIALIZED (
        SELECT number, issuer_id, event_on, known_at FROM pg_temp.event_evidence
        WHERE type = 'earnings' AND period_rank IS NULL),
    told AS (
        SELECT l.number, greatest(l.known_at, s.known_at) AS known_at, 6 AS rank, s.period_rank AS surer,
               abs(s.event_on - l.event_on) AS away, s.source_key, s.period_end_date, s.period_kind,
               'as of the same days: ' || s.period_basis AS basis
        FROM lacking l JOIN pg_temp.event_evidence s
          ON s.issuer_id = l.issuer_id AND s.event_on BETWEEN l.event_on - 5 AND l.event_on + 5
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

-- Evidence of one event stands together: results of one quarter, by the end of the period, within 25 days
-- (quarters of 52-week years end off the month, and calendars round to it); other events by their days. A
-- record is placed by its latest version. Periodic reports join the results of their period.
CREATE OR REPLACE FUNCTION cluster_event_evidence(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
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
        event_on, period_end_date, period_rank, period_kind, period_basis, event_id, cluster, source_key)
    SELECT f.issuer_id, 'report', f.id, f.row_id, 'earnings', f.known_at, f.superseded_at, f.filed_on,
           f.period_of_report, 1, 'quarter', format('the period of Form %s %s', f.form, f.accession),
           f.event_id, near.cluster, f.accession
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

-- The versions of events: at each instant at which evidence or its period comes or goes, what the best of it
-- says. That the same is known from better evidence makes no version.
CREATE OR REPLACE FUNCTION write_event_versions() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH instant AS (
        SELECT cluster, known_at AS at FROM pg_temp.event_evidence
        UNION
        SELECT cluster, superseded_at FROM pg_temp.event_evidence WHERE superseded_at IS NOT NULL
        UNION
        SELECT cluster, period_known_at FROM pg_temp.event_evidence WHERE period_known_at IS NOT NULL
        UNION
        SELECT f.cluster, disclosed.fiscal_year_end_after(f.issuer_id, f.first_at)
        FROM (SELECT cluster, issuer_id, min(known_at) AS first_at FROM pg_temp.event_evidence
              WHERE type = 'earnings' GROUP BY 1, 2) f
        WHERE disclosed.fiscal_year_end_at(f.issuer_id, f.first_at) IS NULL),
    best AS (
        SELECT i.cluster, i.at,
               (array_agg(e.number ORDER BY e.date_rank, e.known_at DESC, e.source_key DESC, e.row_id DESC)
                   FILTER (WHERE e.date_rank IS NOT NULL))[1] AS date_number,
               (array_agg(e.number ORDER BY e.period_rank, e.known_at DESC, e.source_key DESC, e.row_id DESC)
                   FILTER (WHERE e.period_rank IS NOT NULL
                             AND coalesce(e.period_known_at, e.known_at) <= i.at))[1] AS period_number,
               (array_agg(e.fiscal_period ORDER BY e.date_rank, e.known_at DESC, e.source_key DESC)
                   FILTER (WHERE e.fiscal_period IS NOT NULL))[1] AS fiscal_period,
               (array_agg(e.title ORDER BY e.date_rank, e.known_at DESC, e.source_key DESC)
                   FILTER (WHERE e.title IS NOT NULL))[1] AS title,
               (array_agg(e.event_url ORDER BY e.date_rank, e.known_at DESC, e.source_key DESC)
                   FILTER (WHERE e.event_url IS NOT NULL))[1] AS event_url,
               (array_agg(e.webcast_status ORDER BY e.known_at DESC, e.source_key DESC)
                   FILTER (WHERE e.webcast_status IS NOT NULL))[1] AS webcast_status
        FROM instant i LEFT JOIN pg_temp.event_evidence e
          ON e.cluster = i.cluster AND e.known_at <= i.at
         AND (e.superseded_at IS NULL OR e.superseded_at > i.at)
        WHERE i.at IS NOT NULL
        GROUP BY i.cluster, i.at),
    state AS MATERIALIZED (
        SELECT b.cluster, b.at, b.date_number, d.event_at, d.has_time, d.date_status, p.period_end_date,
               CASE WHEN p.period_end_date IS NOT NULL THEN p.period_kind END AS period_kind,
               coalesce(b.fiscal_period, CASE WHEN p.period_kind = 'quarter' AND d.type = 'earnings'
                   THEN disclosed.fiscal_quarter(p.period_end_date,
                                                 disclosed.fiscal_year_end_at(c.issuer_id, b.at)) END) AS fiscal_period,
               b.title, b.event_url, b.webcast_status,
               concat_ws('; ', 'date: ' || d.date_basis, 'period: ' || p.period_basis) AS source
        FROM best b
        JOIN pg_temp.event_cluster c ON c.cluster = b.cluster
        LEFT JOIN pg_temp.event_evidence d ON d.number = b.date_number
        LEFT JOIN pg_temp.event_evidence p ON p.number = b.period_number),
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

-- Which documents belong to an event: those of its period; where they do not say theirs, decks,
-- releases, letters and quarterly reports that were published in its days.
CREATE OR REPLACE FUNCTION find_event_members(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
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
                          ELSE (d.published_at AT TIME ZONE 'UTC')::date - c.event_on END), c.first_on,
                 c.event_on, c.event_id
        LIMIT 1) near;
END $$;

-- ---------------------------------------------------- tickers that have passed on

-- The listing that a company's security with a ticker has now: the active one of that ticker; else the only
-- active one that the company has, as it has taken another symbol; else one of that ticker that is not active.
CREATE FUNCTION listing_since(company bigint, wanted text, on_market text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(
        (array_agg(l.symbol ORDER BY l.market <> 'US', l.listing_rank, l.id) FILTER (
             WHERE l.is_wanted AND l.status = 'active'))[1],
        CASE WHEN wanted IS NOT NULL AND count(*) FILTER (WHERE l.status = 'active') = 1
             THEN min(l.symbol) FILTER (WHERE l.status = 'active') END,
        (array_agg(l.symbol ORDER BY l.market <> 'US', l.listing_rank, l.id) FILTER (WHERE l.is_wanted))[1])
    FROM (SELECT *, ticker = wanted AND (on_market IS NULL OR market = on_market) AS is_wanted
          FROM disclosed.listing WHERE issuer_id = company AND superseded_at IS NULL) l
$$;

-- Brings the links of CUSIPs up to date; notes in pg_temp.security_change those that have changed.
CREATE OR REPLACE FUNCTION link_cusips(cusips text[]) RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    PERFORM disclosed.resolve_titles(cusips);
    TRUNCATE pg_temp.fresh_link;
    INSERT INTO pg_temp.fresh_link
    SELECT DISTINCT ON (s.cusip, s.valid_from)
           s.cusip, 'stated', 1, s.valid_from, coalesce(s.valid_to, 'infinity'), s.issuer_id,
           disclosed.listing_since(s.issuer_id, s.ticker, s.market)
    FROM disclosed.security s
    WHERE s.cusip = ANY (cusips) AND s.superseded_at IS NULL
    ORDER BY s.cusip, s.valid_from, s.known_at DESC, s.row_id DESC;
    INSERT INTO pg_temp.fresh_link
    SELECT disclosed.cusip_of_isin(l.isin) AS cusip, 'isin', 2, '-infinity', 'infinity', min(l.issuer_id),
           (array_agg(l.symbol ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.id))[1]
    FROM disclosed.listing l
    WHERE disclosed.cusip_of_isin(l.isin) = ANY (cusips) AND l.superseded_at IS NULL
      AND l.isin IS NOT NULL
    GROUP BY disclosed.cusip_of_isin(l.isin) HAVING count(DISTINCT l.issuer_id) = 1;
    INSERT INTO pg_temp.fresh_link
    SELECT n.cusip, 'name', 3, '-infinity', 'infinity', n.company_id, n.symbol
    FROM disclosed.links_by_name(cusips) n;
    ANALYZE pg_temp.fresh_link;
    INSERT INTO pg_temp.security_change AS c (cusip)
    SELECT DISTINCT cusip
    FROM ((TABLE pg_temp.fresh_link
           EXCEPT SELECT * FROM disclosed.security_link WHERE cusip = ANY (cusips))
          UNION ALL
          (SELECT * FROM disclosed.security_link WHERE cusip = ANY (cusips)
           EXCEPT TABLE pg_temp.fresh_link)) different
    ON CONFLICT (cusip) DO UPDATE SET applied = false;
    INSERT INTO pg_temp.replaced_link
    SELECT l.* FROM disclosed.security_link l JOIN pg_temp.security_change c USING (cusip)
    WHERE l.cusip = ANY (cusips)
      AND NOT EXISTS (SELECT 1 FROM pg_temp.replaced_link r WHERE r.cusip = l.cusip);
    DELETE FROM disclosed.security_link l USING pg_temp.security_change c
    WHERE l.cusip = c.cusip AND l.cusip = ANY (cusips);
    INSERT INTO disclosed.security_link
    SELECT f.* FROM pg_temp.fresh_link f JOIN pg_temp.security_change c USING (cusip);
END $$;

-- The listing behind such a code, where it is known for sure: what its CUSIP or ISIN is known to be
-- (0003_institutions.sql); else its ticker is a listing's in the US, or was (where BRK-B may be spelled BRK.B
-- or BRK/B), whose name begins with the same word as the holding's. An array of issuer and symbol.
CREATE OR REPLACE FUNCTION listing_of_code(code text[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_array(found.company_id, found.symbol)
    FROM ((SELECT 1 AS place, s.company_id, s.symbol
           FROM disclosed.security_of(code[1], code[2], NULL, coalesce(code[6]::date, current_date)) s)
          UNION ALL
          (SELECT 2, l.issuer_id,
                  CASE WHEN l.superseded_at IS NULL AND l.status = 'active' THEN l.symbol
                       ELSE disclosed.listing_since(l.issuer_id, l.ticker, l.market) END
           FROM disclosed.listing l
           WHERE l.ticker IN (code[3], translate(code[3], './ ', '---'))
             AND l.market = 'US'
             AND disclosed.first_word_of_name(l.name) IN (code[4], code[5])
           ORDER BY l.superseded_at IS NOT NULL, l.status <> 'active', l.listing_rank, l.known_at DESC, l.id LIMIT 1)) found
    ORDER BY found.place LIMIT 1
$$;

-- ------------------------------------------------------- filings of several filers

-- Whose row stands for a filing depends on who is listed, now or then: those of several filers are marked, so that lists
-- as of an instant look at all their rows and at no others.
ALTER TABLE filing ADD COLUMN is_shared boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN filing.is_shared IS 'the filing has rows of other filers; kept by settle_filings(), as is_primary is';
UPDATE filing SET is_shared = true
WHERE accession IN (SELECT accession FROM filing GROUP BY accession HAVING min(issuer_id) <> max(issuer_id));
DROP INDEX filing_date;
DROP INDEX filing_form_date;
CREATE INDEX filing_date ON filing (filed_on, id) WHERE is_primary OR is_shared;
CREATE INDEX filing_form_date ON filing (form, filed_on, id) WHERE is_primary OR is_shared;
CREATE INDEX filing_shared ON filing (issuer_id) WHERE is_shared;

-- Which filer's row stands for each of these filings: one with a symbol before one without, then the lowest CIK.
CREATE FUNCTION rank_filers(accessions text[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH touched AS MATERIALIZED (SELECT DISTINCT unnest(accessions) AS accession),
    ranked AS (
        SELECT f.issuer_id, f.row_id, f.is_primary, f.is_shared,
               first_value(f.issuer_id) OVER (PARTITION BY f.accession
                   ORDER BY i.ticker IS NULL, i.cik, f.issuer_id) = f.issuer_id AS should_be,
               min(f.issuer_id) OVER (PARTITION BY f.accession)
                   <> max(f.issuer_id) OVER (PARTITION BY f.accession) AS has_others
        FROM touched JOIN disclosed.filing f USING (accession)
        JOIN disclosed.issuer i ON i.issuer_id = f.issuer_id)
    UPDATE disclosed.filing f SET is_primary = r.should_be, is_shared = r.has_others
    FROM ranked r
    WHERE f.issuer_id = r.issuer_id AND f.row_id = r.row_id
      AND (r.is_primary, r.is_shared) <> (r.should_be, r.has_others)
    RETURNING f.issuer_id
$$;

CREATE OR REPLACE FUNCTION settle_filings(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    SELECT count(*) FROM disclosed.rank_filers(ARRAY(
        SELECT DISTINCT accession FROM disclosed.filing WHERE issuer_id = ANY(issuers)));
    SELECT disclosed.date_reports_of(issuers);
$$;

-- Filers have been listed, or are no longer.
CREATE FUNCTION follow_listings_filings(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    SELECT disclosed.rank_filers(ARRAY(
        SELECT DISTINCT accession FROM disclosed.filing WHERE is_shared AND issuer_id = ANY(issuers)))
$$;

GRANT EXECUTE ON FUNCTION fiscal_year_end_at, fiscal_year_end_after, listing_since, rank_filers,
    follow_listings_filings TO disclosed_api, disclosed_loader;

-- ------------------------------------------------------- what is stored already

SELECT count(*) FROM settle_events(ARRAY(SELECT DISTINCT issuer_id FROM event));
UPDATE dataset_issuer_stat s SET record_count = c.record_count, latest = c.latest
FROM (SELECT o.issuer_id, count(e.*) AS record_count, max(e.event_at)::date AS latest
      FROM dataset_issuer_stat o
      LEFT JOIN event e ON e.issuer_id = o.issuer_id AND e.superseded_at IS NULL
      WHERE o.dataset = 'event' GROUP BY 1) c
WHERE s.dataset = 'event' AND s.issuer_id = c.issuer_id
  AND (s.record_count, s.latest) IS DISTINCT FROM (c.record_count, c.latest);
UPDATE dataset_stat SET record_count = (SELECT count(*) FROM event WHERE superseded_at IS NULL),
    version = version + 1, changed_at = now()
WHERE dataset = 'event';

SELECT count(*) FROM settle_securities(ARRAY(SELECT DISTINCT issuer_id FROM security));
SELECT count(*) FROM follow_securities(ARRAY(SELECT DISTINCT issuer_id FROM security));
SELECT count(*) FROM follow_listings_filings(ARRAY(SELECT DISTINCT issuer_id FROM filing WHERE is_shared));
