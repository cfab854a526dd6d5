-- What follows from a load costs what it brings: no statement looks at each row for each other.

SET LOCAL search_path = disclosed, public;

-- ---------------------------------------------------------- beneficial owners

-- From when on a later statement tells what a person owns. A person is known by CIK, and by name where either statement
-- has no CIK; a class by the schedule that is amended, by a CUSIP, and by title where either statement has no CUSIP. The
-- later statement is the one about the later event (an event is not after its filing, whatever the form says),
-- be it an amendment (Rules 13d-2(a) and (b)) or the first one on the other schedule (Rule 13d-1(e) to (h)).
CREATE OR REPLACE FUNCTION settle_beneficial_owners(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    WITH stated AS MATERIALIZED (
        SELECT t.*, disclosed.folded_name(t.owner_name) AS owner, least(t.event_date, t.filing_date) AS as_of_day
        FROM disclosed.beneficial_owner t
        WHERE t.issuer_id = ANY(issuers) AND t.superseded_at IS DISTINCT FROM t.known_at),
    same_person AS (
        SELECT earlier.row_id AS earlier_row, later.row_id AS later_row
        FROM stated earlier JOIN stated later USING (issuer_id, owner_cik)
        UNION ALL
        SELECT earlier.row_id, later.row_id
        FROM stated earlier JOIN stated later USING (issuer_id, owner)
        WHERE earlier.owner_cik IS NULL OR later.owner_cik IS NULL),
    restated AS (
        SELECT earlier.issuer_id, earlier.row_id, min(later.known_at) AS restated_at
        FROM same_person p JOIN stated earlier ON earlier.row_id = p.earlier_row JOIN stated later ON later.row_id = p.later_row
        WHERE later.record_key <> earlier.record_key
          AND (later.as_of_day, later.known_at, later.record_key) > (earlier.as_of_day, earlier.known_at, earlier.record_key)
          AND (later.cusips && earlier.cusips
               OR later.previous_accession IN (earlier.accession, earlier.previous_accession)
               OR later.accession = earlier.previous_accession
               OR ((later.cusips IS NULL OR earlier.cusips IS NULL)
                   AND disclosed.folded_name(later.security_title) = disclosed.folded_name(earlier.security_title)))
        GROUP BY earlier.issuer_id, earlier.row_id),
    -- Not a left join: of how many rows there are the planner has no idea, and would look at each for each.
    wanted AS (
        SELECT issuer_id, row_id, min(restated_at) AS restated_at
        FROM (SELECT issuer_id, row_id, NULL::timestamptz AS restated_at FROM stated
              UNION ALL SELECT issuer_id, row_id, restated_at FROM restated) one
        GROUP BY 1, 2)
    UPDATE disclosed.beneficial_owner t SET restated_at = w.restated_at
    FROM wanted w
    WHERE t.issuer_id = w.issuer_id AND t.row_id = w.row_id AND t.restated_at IS DISTINCT FROM w.restated_at
$$;

-- ------------------------------------------------------------------ executives

-- Makes the versions of these records those that follow from what was stated. Rows of one instant are in the order of their
-- numbers, so what follows one that goes is written anew. One row of a record is current, so rows are closed before one is
-- opened. Returns the issuers whose people have changed.
CREATE OR REPLACE FUNCTION derive_executives(issuers bigint[], keys text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    IF coalesce(cardinality(issuers), 0) = 0 THEN
        RETURN;
    END IF;
    PERFORM disclosed.find_wanted_executives(issuers, keys);
    UPDATE pg_temp.wanted_executive w SET row_id = kept.row_id
    FROM (SELECT e.issuer_id, e.record_key, e.known_at, e.pos, e.row_id,
                 bool_and(w.said IS NOT DISTINCT FROM e.said)
                 OVER (PARTITION BY e.issuer_id, e.record_key, e.known_at ORDER BY e.pos) AS is_kept
          FROM (SELECT e.issuer_id, e.record_key, e.known_at, e.row_id,
                       disclosed.executive_said(e.person_cik, e.name, e.role, e.category, e.affiliation, e.person_rank,
                                                e.is_current) AS said,
                       row_number() OVER (PARTITION BY e.issuer_id, e.record_key, e.known_at ORDER BY e.row_id) AS pos
                FROM (SELECT DISTINCT * FROM unnest(issuers, keys) AS k(issuer_id, record_key)) k
                JOIN disclosed.executive e USING (issuer_id, record_key)) e
          LEFT JOIN pg_temp.wanted_executive w USING (issuer_id, record_key, known_at, pos)) kept
    WHERE kept.is_kept AND w.issuer_id = kept.issuer_id AND w.record_key = kept.record_key
      AND w.known_at = kept.known_at AND w.pos = kept.pos;
    RETURN QUERY
        DELETE FROM disclosed.executive e
        USING (SELECT x.issuer_id, x.row_id
               FROM (SELECT DISTINCT * FROM unnest(issuers, keys) AS k(issuer_id, record_key)) k
               JOIN disclosed.executive x USING (issuer_id, record_key)
               EXCEPT SELECT w.issuer_id, w.row_id FROM pg_temp.wanted_executive w) gone
        WHERE e.issuer_id = gone.issuer_id AND e.row_id = gone.row_id
        RETURNING e.issuer_id;
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.executive e
            SET superseded_at = w.superseded_at, src_digest = w.executive_digest, accession = w.accession, quote = w.quote,
                source_id = disclosed.source_of(w.source_provider, w.source_url, w.content_hash, w.extracted_at, w.stated_in),
                reported_on = w.reported_on
            FROM pg_temp.wanted_executive w
            JOIN disclosed.executive_sourced o ON o.issuer_id = w.issuer_id AND o.row_id = w.row_id
            WHERE e.issuer_id = w.issuer_id AND e.row_id = w.row_id AND (w.superseded_at IS NULL) = opening
              AND (o.superseded_at, o.import_run_id, o.src_digest, o.source_provider, o.source_url, o.accession, o.quote,
                   o.content_hash, o.extracted_at, o.reported_on) IS DISTINCT FROM
                  (w.superseded_at, w.stated_in, w.executive_digest, w.source_provider, w.source_url, w.accession, w.quote,
                   w.content_hash, w.extracted_at, w.reported_on)
            RETURNING e.issuer_id;
        RETURN QUERY
            INSERT INTO disclosed.executive AS e (id, issuer_id, record_key, known_at, superseded_at, src_digest,
                source_id, accession, quote, person_cik, name, role, category, affiliation, person_rank, is_current, reported_on)
            SELECT id, issuer_id, record_key, known_at, superseded_at, executive_digest,
                   disclosed.source_of(source_provider, source_url, content_hash, extracted_at, stated_in), accession, quote, person_cik, name, role, category, affiliation, person_rank,
                   is_current, reported_on
            FROM pg_temp.wanted_executive
            WHERE row_id IS NULL AND (superseded_at IS NULL) = opening
            ORDER BY issuer_id, record_key, known_at, pos
            RETURNING e.issuer_id;
    END LOOP;
END $$;

-- ---------------------------------------------------------------------- events

-- When what is known of the ends of fiscal years changes, of the issuers in pg_temp.event_evidence with results, and what it is from
-- then on: fiscal_year_end_at() and fiscal_year_end_after(), asked once for each such instant and not for each event.
CREATE FUNCTION find_fiscal_years() RETURNS void LANGUAGE plpgsql AS $$
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
    INSERT INTO pg_temp.fiscal_year
    WITH holder AS MATERIALIZED (SELECT DISTINCT holder_id AS issuer_id FROM pg_temp.event_evidence WHERE type = 'earnings'),
    instant AS (
        SELECT issuer_id, '-infinity'::timestamptz AS at FROM holder
        UNION
        SELECT h.issuer_id, i.at FROM holder h JOIN disclosed.issuer_profile p USING (issuer_id)
        CROSS JOIN LATERAL (VALUES (p.known_at), (p.superseded_at)) AS i(at) WHERE i.at IS NOT NULL
        UNION
        SELECT h.issuer_id, i.at FROM holder h JOIN disclosed.filing f USING (issuer_id)
        CROSS JOIN LATERAL (VALUES (f.known_at), (f.superseded_at)) AS i(at)
        WHERE f.form IN ('10-K', '20-F', '40-F') AND i.at IS NOT NULL)
    SELECT issuer_id, at, coalesce(lead(at) OVER (PARTITION BY issuer_id ORDER BY at), 'infinity'),
           disclosed.fiscal_year_end_at(issuer_id, at)
    FROM instant;
    INSERT INTO pg_temp.fiscal_year_told
    SELECT issuer_id, since
    FROM (SELECT issuer_id, since, disclosed.fiscal_year_end_after(issuer_id, lag(since) OVER (PARTITION BY issuer_id ORDER BY since)) AS told_at
          FROM pg_temp.fiscal_year) one
    WHERE told_at = since;
    ANALYZE pg_temp.fiscal_year;
    ANALYZE pg_temp.fiscal_year_told;
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
        SELECT l.number, y.known_at, 7, 0, 0, '', disclosed.quarter_end_before(l.event_on, n.year_end),
               NULL, 'the last fiscal quarter that had ended'
        FROM lacking l
        LEFT JOIN pg_temp.fiscal_year k ON k.issuer_id = l.issuer_id AND k.since <= l.known_at AND k.until > l.known_at
        CROSS JOIN LATERAL (
            SELECT CASE WHEN k.year_end IS NOT NULL THEN l.known_at
                        ELSE (SELECT min(t.told_at) FROM pg_temp.fiscal_year_told t
                              WHERE t.issuer_id = l.issuer_id AND t.told_at > l.known_at) END AS known_at) y
        LEFT JOIN pg_temp.fiscal_year n ON n.issuer_id = l.issuer_id AND n.since <= y.known_at AND n.until > y.known_at
        WHERE y.known_at IS NOT NULL)
    UPDATE pg_temp.event_evidence e
    SET period_end_date = first.period_end_date, period_rank = first.rank, period_basis = first.basis,
        period_kind = coalesce(first.period_kind, e.period_kind), period_known_at = first.known_at
    FROM (SELECT DISTINCT ON (number) * FROM told WHERE period_end_date IS NOT NULL
          ORDER BY number, known_at, rank, surer, away, source_key) first
    WHERE e.number = first.number;
END $$;

-- The versions of events: at each instant at which evidence or its period comes or goes, what the best of it
-- says. That the same is known from better evidence makes no version.
CREATE OR REPLACE FUNCTION write_event_versions() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    WITH instant AS (
        SELECT cluster, known_at AS at FROM pg_temp.event_evidence
        UNION
        SELECT cluster, superseded_at FROM pg_temp.event_evidence WHERE superseded_at IS NOT NULL
        UNION
        SELECT cluster, period_known_at FROM pg_temp.event_evidence
        WHERE period_known_at >= known_at AND (superseded_at IS NULL OR period_known_at < superseded_at)
        UNION
        SELECT cluster, demoted_at FROM pg_temp.event_evidence WHERE demoted_at > known_at
        UNION
        SELECT f.cluster, (SELECT min(t.told_at) FROM pg_temp.fiscal_year_told t
                           WHERE t.issuer_id = f.issuer_id AND t.told_at > f.first_at)
        FROM (SELECT cluster, holder_id AS issuer_id, min(known_at) AS first_at FROM pg_temp.event_evidence
              WHERE type = 'earnings' GROUP BY 1, 2) f
        JOIN pg_temp.fiscal_year y ON y.issuer_id = f.issuer_id AND y.since <= f.first_at AND y.until > f.first_at
        WHERE y.year_end IS NULL),
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
                   THEN disclosed.fiscal_quarter(p.period_end_date, y.year_end) END) AS fiscal_period,
               b.title, b.event_url, b.webcast_status,
               concat_ws('; ', 'date: ' || d.date_basis, 'period: ' || p.period_basis) AS source
        FROM best b
        LEFT JOIN pg_temp.event_evidence d ON d.number = b.date_number
        LEFT JOIN pg_temp.event_evidence p ON p.number = b.period_number
        LEFT JOIN pg_temp.fiscal_year y ON y.issuer_id = d.holder_id AND y.since <= b.at AND y.until > b.at),
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

-- The source id of an event is made of that of the record of it which was known first, so that it does not hang on the order of
-- loading as the event's number does.
CREATE OR REPLACE FUNCTION find_event_origins() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.event_origin') IS NULL THEN
        CREATE TEMP TABLE event_origin (cluster bigint, type text, src_digest uuid, PRIMARY KEY (cluster, type))
            ON COMMIT DELETE ROWS;
    END IF;
    TRUNCATE pg_temp.event_origin;
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
    ANALYZE pg_temp.event_origin;
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
    PERFORM disclosed.find_fiscal_years();
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

-- -------------------------------------------------------------- fiscal periods

-- The same as before, without a query for each call.
CREATE OR REPLACE FUNCTION quarter_end_before(day date, fiscal_year_end text) RETURNS date
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    month integer := disclosed.fiscal_month(fiscal_year_end);
    ended date := date_trunc('month', day::timestamp)::date - 1;
BEGIN
    IF month IS NULL THEN
        RETURN NULL;
    END IF;
    WHILE (extract(month FROM ended)::integer - month) % 3 <> 0 LOOP
        ended := date_trunc('month', ended::timestamp)::date - 1;
    END LOOP;
    RETURN ended;
END $$;

CREATE OR REPLACE FUNCTION fiscal_quarter(period_end date, fiscal_year_end text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    month_end date := disclosed.nearest_month_end(period_end);
    ahead integer := (disclosed.fiscal_month(fiscal_year_end) + 12 - extract(month FROM month_end)::integer) % 12;
BEGIN
    RETURN CASE WHEN ahead % 3 = 0
                THEN 'Q' || 4 - ahead / 3 || ' FY' || extract(year FROM month_end + ahead * interval '1 month') END;
END $$;

-- ----------------------------------------------------------------------- symbols

-- Rows of other sources than FINRA's files, which say themselves whose they are, take the symbols of their listings: looked up once
-- for each code.
CREATE OR REPLACE FUNCTION name_other_short_interest(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH named AS MATERIALIZED (
        SELECT d.*, disclosed.listing_of_spellings(d.issuer_id, d.spellings, d.symbol_code) AS symbol
        FROM (SELECT DISTINCT issuer_id, symbol_code, spellings FROM disclosed.short_interest WHERE issuer_id = ANY (issuers)) d)
    UPDATE disclosed.short_interest t SET symbol = n.symbol
    FROM named n, disclosed.source o JOIN disclosed.import_run r USING (import_run_id)
    WHERE t.issuer_id = ANY (issuers) AND t.issuer_id = n.issuer_id AND t.symbol_code = n.symbol_code
      AND coalesce(t.spellings, '') = coalesce(n.spellings, '') AND t.symbol IS DISTINCT FROM n.symbol
      AND o.source_id = t.source_id AND (r.source <> 'finra-short-interest' OR t.spellings IS NULL)
    RETURNING t.issuer_id
$$;

-- Rows of other sources than calendars, likewise.
CREATE OR REPLACE FUNCTION name_other_actions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH named AS MATERIALIZED (
        SELECT d.*, disclosed.listing_of_spellings(d.issuer_id, d.spellings, d.symbol_code) AS symbol
        FROM (SELECT DISTINCT issuer_id, symbol_code, spellings FROM disclosed.corporate_action WHERE issuer_id = ANY (issuers)) d)
    UPDATE disclosed.corporate_action t SET symbol = n.symbol
    FROM named n, disclosed.source o JOIN disclosed.import_run r USING (import_run_id)
    WHERE t.issuer_id = ANY (issuers) AND t.issuer_id = n.issuer_id AND t.symbol_code = n.symbol_code
      AND coalesce(t.spellings, '') = coalesce(n.spellings, '') AND t.symbol IS DISTINCT FROM n.symbol
      AND o.source_id = t.source_id AND (r.source <> 'corporate-actions' OR t.spellings IS NULL)
    RETURNING t.issuer_id
$$;

-- ---------------------------------------------------------------------- holdings

-- How equity holdings that were recorded from an instant on title their CUSIPs: the name of issuer, and
-- what the title of the issue says beyond that name. Only of what is traded in USD, as what is
-- listed here is: abroad there are others of the same names. Where CUSIP and ISIN, or name and title
-- ("INTELSAT SA", "SES S A COMMON STOCK"), contradict each other, the row says nothing.
CREATE OR REPLACE FUNCTION titles_of_holdings(since timestamptz)
RETURNS TABLE (cusip text, issuer_title text, class_title text, rows_seen bigint)
LANGUAGE sql STABLE AS $$
    WITH held AS MATERIALIZED ( -- each title once, however many rows have it
        SELECT h.cusip, h.name, h.title, count(*) AS rows_seen,
               CASE WHEN starts_with(upper(h.title), upper(h.name))
                    THEN trim(substr(h.title, length(h.name) + 1), ' ,-') ELSE coalesce(h.title, '') END AS class_title
        FROM (SELECT coalesce(x.cusip, disclosed.cusip_of_isin(x.isin)) AS cusip, x.name, x.title
              FROM disclosed.fund_holding x
              WHERE x.recorded_at >= since AND x.asset_category IN ('EC', 'EP') AND x.currency = 'USD'
                AND x.name IS NOT NULL AND (x.cusip = disclosed.cusip_of_isin(x.isin)) IS NOT FALSE) h
        GROUP BY 1, 2, 3)
    SELECT h.cusip, h.name, h.class_title, sum(h.rows_seen)::bigint
    FROM held h
    WHERE disclosed.cusip_is_valid(h.cusip)
      AND (h.class_title = '' OR disclosed.first_word_of_name(h.title) = disclosed.first_word_of_name(h.name)
           OR (disclosed.class_of_title(h.class_title)).kind IS NOT NULL)
    GROUP BY h.cusip, h.name, h.class_title
$$;

-- -------------------------------------------------------------- fund exposures

-- Brings the exposures of reports up to date, and how many each company has. Returns the companies
-- whose exposures have changed.
CREATE OR REPLACE FUNCTION derive_fund_exposures(reports bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
    wanted bigint;
BEGIN
    IF to_regclass('pg_temp.fund_exposure_wanted') IS NULL THEN
        CREATE TEMP TABLE fund_exposure_wanted (
            company_id bigint, registrant_id bigint, fund_row bigint, report_id bigint,
            record_key text, fund_name text, fund_ticker text, report_date date,
            known_at timestamptz, superseded_at timestamptz, shares numeric, value numeric,
            weight_pct numeric, payoff_profile text, is_etf boolean, id bigint) ON COMMIT DELETE ROWS;
        CREATE INDEX ON pg_temp.fund_exposure_wanted (company_id, record_key, known_at);
    END IF;
    DELETE FROM pg_temp.fund_exposure_wanted;
    INSERT INTO pg_temp.fund_exposure_wanted
    WITH exposure AS MATERIALIZED (SELECT * FROM disclosed.fund_exposures_of(reports)),
    record AS MATERIALIZED ( -- a number for each record: nextval() in a window function would be another for each row
        SELECT k.company_id, k.record_key,
               coalesce((SELECT min(e.id) FROM disclosed.fund_exposure e
                         WHERE e.issuer_id = k.company_id AND e.record_key = k.record_key), nextval('disclosed.record_id')) AS id
        FROM (SELECT DISTINCT company_id, record_key FROM exposure) k)
    SELECT x.*, r.id FROM exposure x JOIN record r USING (company_id, record_key);
    GET DIAGNOSTICS wanted = ROW_COUNT;
    IF wanted > 1000 THEN
        ANALYZE pg_temp.fund_exposure_wanted;
    END IF;

    PERFORM disclosed.count_fund_exposures(reports);
    RETURN QUERY
        DELETE FROM disclosed.fund_exposure e
        WHERE e.report_id = ANY(reports)
          AND NOT EXISTS (SELECT 1 FROM pg_temp.fund_exposure_wanted w
                          WHERE w.company_id = e.issuer_id AND w.record_key = e.record_key
                            AND w.known_at = e.known_at AND w.report_id = e.report_id)
        RETURNING e.issuer_id;
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.fund_exposure e
            SET superseded_at = w.superseded_at, fund_row = w.fund_row, fund_name = w.fund_name,
                fund_ticker = w.fund_ticker, report_date = w.report_date, shares = w.shares, value = w.value, weight_pct = w.weight_pct,
                payoff_profile = w.payoff_profile, is_etf = w.is_etf
            FROM pg_temp.fund_exposure_wanted w
            WHERE e.issuer_id = w.company_id AND e.record_key = w.record_key
              AND e.known_at = w.known_at AND e.report_id = w.report_id
              AND (w.superseded_at IS NULL) = opening
              AND (e.superseded_at, e.fund_row, e.fund_name, e.fund_ticker, e.report_date, e.shares,
                   e.value, e.weight_pct, e.payoff_profile, e.is_etf)
                  IS DISTINCT FROM (w.superseded_at, w.fund_row, w.fund_name, w.fund_ticker,
                   w.report_date, w.shares, w.value, w.weight_pct, w.payoff_profile, w.is_etf)
            RETURNING e.issuer_id;
    END LOOP;
    RETURN QUERY
        INSERT INTO disclosed.fund_exposure (id, issuer_id, record_key, known_at, superseded_at,
            src_digest, source_id, accession, registrant_id, fund_row, report_id, fund_name, fund_ticker, report_date,
            shares, value, weight_pct, payoff_profile, is_etf)
        SELECT w.id, w.company_id, w.record_key, w.known_at, w.superseded_at,
               disclosed.source_digest('fund_exposure', f.source_provider,
                                       coalesce(c.cik, c.issuer_id), w.record_key),
               f.told_id, f.accession, w.registrant_id, w.fund_row, w.report_id, w.fund_name, w.fund_ticker, w.report_date,
               w.shares, w.value, w.weight_pct, w.payoff_profile, w.is_etf
        FROM pg_temp.fund_exposure_wanted w
        JOIN (SELECT r.*, disclosed.source_of(r.source_provider, r.source_url, r.content_hash, r.extracted_at,
                                              r.import_run_id) AS told_id
              FROM disclosed.fund_sourced r
              WHERE (r.issuer_id, r.row_id) IN (SELECT registrant_id, fund_row FROM pg_temp.fund_exposure_wanted) OFFSET 0) f
          ON f.issuer_id = w.registrant_id AND f.row_id = w.fund_row
        JOIN disclosed.issuer c ON c.issuer_id = w.company_id
        WHERE NOT EXISTS (SELECT 1 FROM disclosed.fund_exposure e
                          WHERE e.issuer_id = w.company_id AND e.record_key = w.record_key
                            AND e.known_at = w.known_at AND e.report_id = w.report_id)
        ORDER BY w.company_id, w.id, w.known_at
        RETURNING issuer_id;
END $$;

-- What a fund holds of a company is one record, whatever number its versions have been given.
UPDATE fund_exposure e SET id = k.id
FROM (SELECT issuer_id, record_key, min(id) AS id FROM fund_exposure GROUP BY 1, 2 HAVING min(id) <> max(id)) k
WHERE e.issuer_id = k.issuer_id AND e.record_key = k.record_key AND e.id <> k.id;
