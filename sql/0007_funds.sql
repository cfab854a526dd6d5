-- Funds and what they hold: Form N-PORT of registered investment companies (Rule 30b1-9 under the
-- Investment Company Act of 1940), and from it, for each company, the funds that hold it.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------- what is loaded

-- One record for each report of a fund: a series of a registrant, or the registrant itself where it
-- has no series. The issuer is the registrant.
CREATE TABLE fund (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    fund_key    text NOT NULL CHECK (fund_key <> ''),
    name        text NOT NULL,
    registrant_name text,
    series_id   text CHECK (series_id ~ '^S\d{9}$'),
    class_ids   text[],
    file_number text,
    registrant_lei text,
    series_lei  text,
    form        text,
    fiscal_year_end date,
    report_date date NOT NULL,
    is_final    boolean,
    net_assets  numeric,
    total_assets numeric,
    total_liabilities numeric,
    filed_on    date,
    accepted_at timestamptz,
    ticker      text CHECK (ticker = upper(ticker) AND ticker <> ''),
    is_etf      boolean,
    shown_ticker text,
    counts_as_etf boolean NOT NULL DEFAULT false,
    holding_count bigint NOT NULL DEFAULT 0,
    holding_value numeric NOT NULL DEFAULT 0,
    settled_from timestamptz,
    settled_until timestamptz
);
CALL finish_dataset_table('fund');
COMMENT ON COLUMN fund.fund_key IS 'the series, or "registrant": the same in all reports of the fund';
COMMENT ON COLUMN fund.report_date IS 'day as of which the holdings are';
COMMENT ON COLUMN fund.ticker IS 'as stated with the report; shown_ticker is that, or what fund_class and listing say';
COMMENT ON COLUMN fund.counts_as_etf IS 'is_etf, or what names of the fund and its classes say; kept by settle_funds()';
COMMENT ON COLUMN fund.holding_count IS 'its holdings here; kept by settle_funds(), as holding_value (USD) is';
COMMENT ON COLUMN fund.settled_from IS 'known_at when its holdings were last settled; with superseded_at in settled_until it tells what to settle again';
CREATE INDEX fund_reports ON fund (issuer_id, fund_key, report_date);
CREATE INDEX fund_accession ON fund (accession);
CREATE INDEX fund_content ON fund (issuer_id, content_hash);
CREATE INDEX fund_number ON fund (id);

-- One record for each row of a report's schedule of investments, as filed.
CREATE TABLE fund_holding (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    report_key  text NOT NULL,
    row_number  bigint NOT NULL,
    name        text,
    title       text,
    lei         text,
    cusip       text,
    isin        text,
    ticker      text,
    other_identifiers jsonb,
    balance     numeric,
    unit        text CHECK (unit IN ('NS', 'PA', 'OU', 'NC')),
    unit_description text,
    currency    text,
    exchange_rate numeric,
    value       numeric,
    weight_pct  numeric,
    payoff_profile text CHECK (payoff_profile IN ('Long', 'Short')),
    asset_category text,
    asset_description text,
    issuer_category text,
    issuer_description text,
    country     text,
    is_restricted boolean,
    fair_value_level bigint CHECK (fair_value_level BETWEEN 1 AND 3),
    derivative_category text,
    company_id  bigint REFERENCES issuer,
    symbol      text
);
CALL finish_dataset_table('fund_holding');
COMMENT ON COLUMN fund_holding.report_key IS 'record key of the fund''s report';
COMMENT ON COLUMN fund_holding.company_id IS 'issuer of the security; NULL: not known for sure; kept by settle_funds(), as symbol is';
CREATE INDEX fund_holding_report ON fund_holding (issuer_id, report_key);
CREATE INDEX fund_holding_recorded ON fund_holding (recorded_at);
CREATE INDEX fund_holding_company ON fund_holding (company_id) WHERE company_id IS NOT NULL;
CREATE INDEX fund_holding_cusip ON fund_holding (coalesce(cusip, cusip_of_isin(isin)))
    WHERE asset_category IN ('EC', 'EP');
CREATE INDEX fund_holding_isin ON fund_holding (isin) WHERE asset_category IN ('EC', 'EP');
CREATE INDEX fund_holding_ticker ON fund_holding (ticker) WHERE asset_category IN ('EC', 'EP');

-- Classes of shares of funds and their tickers. The issuer is the registrant.
CREATE TABLE fund_class (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    class_id    text NOT NULL CHECK (class_id ~ '^C\d{9}$'),
    series_id   text CHECK (series_id ~ '^S\d{9}$'),
    name        text,
    ticker      text CHECK (ticker = upper(ticker) AND ticker <> '')
);
CALL finish_dataset_table('fund_class');
CREATE INDEX fund_class_series ON fund_class (issuer_id, series_id) WHERE superseded_at IS NULL;

-- ------------------------------------------------------------ what is derived

-- What a fund holds of a company: its equity positions in the company, summed. The issuer is the
-- company; a version for each report of the fund. Kept by settle_funds().
CREATE TABLE fund_exposure (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    registrant_id bigint NOT NULL REFERENCES issuer,
    fund_row    bigint NOT NULL,
    report_id   bigint NOT NULL,
    fund_name   text NOT NULL,
    fund_ticker text,
    report_date date NOT NULL,
    shares      numeric,
    value       numeric,
    weight_pct  numeric,
    payoff_profile text NOT NULL CHECK (payoff_profile IN ('Long', 'Short', 'Long and Short')),
    is_etf      boolean NOT NULL,
    weight_order numeric GENERATED ALWAYS AS (coalesce(weight_pct, 0)) STORED,
    value_order numeric GENERATED ALWAYS AS (coalesce(value, 0)) STORED
);
CALL finish_dataset_table('fund_exposure');
COMMENT ON COLUMN fund_exposure.fund_row IS 'row_id of the report in fund, whose issuer is registrant_id';
COMMENT ON COLUMN fund_exposure.report_id IS 'id of the report in fund';
CREATE INDEX fund_exposure_report ON fund_exposure (report_id);
CREATE INDEX fund_exposure_weight ON fund_exposure (issuer_id, weight_order, id)
    WHERE superseded_at IS NULL;
CREATE INDEX fund_exposure_value ON fund_exposure (issuer_id, value_order, id)
    WHERE superseded_at IS NULL;
-- With the times, by which the past is counted.
CREATE INDEX fund_exposure_weight_past ON fund_exposure (issuer_id, weight_order, id)
    INCLUDE (known_at, superseded_at);
CREATE INDEX fund_exposure_value_past ON fund_exposure (issuer_id, value_order, id);

-- -------------------------------------------------- what follows from a load

-- When a report was public: as its filing says, else its submission's header (acceptance, day of
-- filing), else what was loaded of it before, else the latest day on which it should have been: a
-- report is due 60 days after the quarter's end (Rule 30b1-9), and never public before it was signed.
CREATE FUNCTION date_of_fund_report(registrant_cik bigint, report_accession text, hash text,
                                    header_accepted timestamptz, header_filed date,
                                    as_of_day date, signed date,
                                    OUT accession text, OUT known_at timestamptz)
LANGUAGE sql STABLE AS $$
    WITH same AS (
        SELECT f.accession, f.known_at
        FROM disclosed.fund f JOIN disclosed.issuer i USING (issuer_id)
        WHERE i.cik = registrant_cik
          AND CASE WHEN report_accession IS NULL THEN f.content_hash = hash
                   ELSE f.accession = report_accession END
        ORDER BY f.accession IS NULL, f.accession, f.known_at LIMIT 1),
    named AS (SELECT coalesce(report_accession, (SELECT s.accession FROM same s)) AS accession)
    SELECT n.accession,
           coalesce((SELECT min(f.known_at) FROM disclosed.filing f
                     WHERE f.accession = n.accession AND f.superseded_at IS NULL),
                    header_accepted, disclosed.end_of_day(header_filed),
                    (SELECT s.known_at FROM same s),
                    disclosed.end_of_day(greatest(as_of_day + 60, signed)))
    FROM named n
$$;

-- Reports whose filing or header says another time than they were loaded with take it, with all
-- that was loaded of them.
CREATE FUNCTION date_fund_reports(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    WITH dated AS (
        SELECT f.issuer_id, f.row_id, f.record_key, f.known_at AS loaded_at,
               coalesce((SELECT min(x.known_at) FROM disclosed.filing x
                         WHERE x.accession = f.accession AND x.superseded_at IS NULL),
                        f.accepted_at, disclosed.end_of_day(f.filed_on)) AS public_at
        FROM disclosed.fund f
        WHERE f.issuer_id = ANY(issuers) AND f.accession IS NOT NULL),
    moved AS (
        UPDATE disclosed.fund f SET known_at = d.public_at
        FROM dated d
        WHERE f.issuer_id = d.issuer_id AND f.row_id = d.row_id AND d.public_at <> d.loaded_at
        RETURNING d.*)
    UPDATE disclosed.fund_holding h SET known_at = m.public_at
    FROM moved m
    WHERE h.issuer_id = m.issuer_id AND h.report_key = m.record_key AND h.known_at = m.loaded_at
$$;

-- The reports of each fund in order: the one for the latest day stands, the last one filed among
-- those for a day, each from when it was public; a late report for an earlier day never does. A
-- document that was loaded by itself gives way to the same one under its accession number.
CREATE FUNCTION fund_timeline(issuers bigint[])
RETURNS TABLE (issuer_id bigint, row_id bigint, ends_at timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT r.issuer_id, r.row_id,
           CASE WHEN r.is_copy THEN r.known_at
                WHEN min(r.known_at) OVER newer IS NULL THEN NULL
                ELSE greatest(r.known_at, min(r.known_at) OVER newer) END
    FROM (SELECT f.issuer_id, f.row_id, f.fund_key, f.report_date, f.known_at,
                 starts_with(f.record_key, 'sha256:') AND EXISTS (
                     SELECT 1 FROM disclosed.fund named
                     WHERE named.issuer_id = f.issuer_id AND named.content_hash = f.content_hash
                       AND named.accession IS NOT NULL) AS is_copy
          FROM disclosed.fund f WHERE f.issuer_id = ANY(issuers)) r
    WINDOW newer AS (PARTITION BY r.issuer_id, r.fund_key, r.is_copy
                     ORDER BY r.report_date DESC, r.known_at DESC, r.row_id DESC
                     ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
$$;

-- Brings the reports into that order. One version of a record is current, so those that end are
-- closed before one is opened.
CREATE FUNCTION order_fund_reports(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        UPDATE disclosed.fund f SET superseded_at = t.ends_at
        FROM disclosed.fund_timeline(issuers) t
        WHERE f.issuer_id = t.issuer_id AND f.row_id = t.row_id
          AND (t.ends_at IS NULL) = opening
          AND f.superseded_at IS DISTINCT FROM t.ends_at;
    END LOOP;
END $$;

-- Whether a name says that it is one of an exchange-traded fund; NULL where there is no name.
CREATE FUNCTION says_etf(name text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT name ~* '\m(ETFs?|exchange[- ]traded)\M' $$;

-- What is said of the funds beside their reports: the ticker of a class (one of an exchange-traded
-- class first, then the lowest number), or of the registrant's listing where it has no series;
-- whether it is exchange-traded, which its name, a class's name or a listing says. Returns the
-- numbers of the reports that changed.
CREATE FUNCTION name_funds(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    UPDATE disclosed.fund f SET shown_ticker = n.ticker, counts_as_etf = n.is_etf
    FROM (
        SELECT f.issuer_id, f.row_id, named.ticker,
               coalesce(f.is_etf, disclosed.says_etf(f.name)
                        OR coalesce(class.has_etf, false)
                        OR EXISTS (SELECT 1 FROM disclosed.listing l
                                   WHERE l.ticker = named.ticker AND l.market = 'US'
                                     AND l.superseded_at IS NULL AND l.is_etf)) AS is_etf
        FROM disclosed.fund f
        JOIN disclosed.issuer i ON i.issuer_id = f.issuer_id
        LEFT JOIN LATERAL (
            SELECT (array_agg(c.ticker ORDER BY disclosed.says_etf(c.name) IS NOT TRUE,
                                                c.class_id)
                    FILTER (WHERE c.ticker IS NOT NULL))[1] AS ticker,
                   bool_or(disclosed.says_etf(c.name)) AS has_etf
            FROM disclosed.fund_class c
            WHERE c.issuer_id = f.issuer_id AND c.series_id = f.series_id
              AND c.superseded_at IS NULL) class ON true
        CROSS JOIN LATERAL (
            SELECT coalesce(f.ticker, class.ticker,
                            CASE WHEN f.series_id IS NULL THEN i.ticker END) AS ticker) named
        WHERE f.issuer_id = ANY(issuers)) n
    WHERE f.issuer_id = n.issuer_id AND f.row_id = n.row_id
      AND (f.shown_ticker, f.counts_as_etf) IS DISTINCT FROM (n.ticker, n.is_etf)
    RETURNING f.id
$$;

-- Holdings of reports (by number) hold as long as their report does, or until their own next version.
CREATE FUNCTION order_fund_holdings(reports bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        UPDATE disclosed.fund_holding h SET superseded_at = t.ends_at
        FROM (
            SELECT h.issuer_id, h.row_id,
                   CASE WHEN coalesce(h.next_known_at, r.ends_at) IS NULL THEN NULL
                        ELSE greatest(h.known_at, least(h.next_known_at, r.ends_at)) END AS ends_at
            FROM (SELECT f.id, f.issuer_id, f.record_key,
                         CASE WHEN bool_and(f.superseded_at IS NOT NULL)
                              THEN max(f.superseded_at) END AS ends_at
                  FROM disclosed.fund f WHERE f.id = ANY(reports)
                  GROUP BY f.id, f.issuer_id, f.record_key) r
            CROSS JOIN LATERAL (
                SELECT x.issuer_id, x.row_id, x.known_at,
                       lead(x.known_at) OVER (PARTITION BY x.record_key
                                              ORDER BY x.known_at, x.row_id) AS next_known_at
                FROM disclosed.fund_holding x
                WHERE x.issuer_id = r.issuer_id AND x.report_key = r.record_key) h) t
        WHERE h.issuer_id = t.issuer_id AND h.row_id = t.row_id
          AND (t.ends_at IS NULL) = opening
          AND h.superseded_at IS DISTINCT FROM t.ends_at;
    END LOOP;
END $$;

-- The first word of a company's name as it is compared: capitals and digits, without an article.
CREATE FUNCTION first_word_of_name(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT substring(regexp_replace(regexp_replace(upper(name), '[''.]', '', 'g'), '^\s*THE\M', '')
                     FROM '[A-Z0-9]+')
$$;

-- What is looked at to find the listing of a holding: CUSIP, ISIN, ticker, beside a ticker the first
-- words of the names, and the day, for CUSIPs that have named something at given dates.
CREATE FUNCTION code_of_holding(held fund_holding, on_date date, dated text[]) RETURNS text[]
LANGUAGE sql STABLE AS $$
    SELECT ARRAY[held.cusip, held.isin, held.ticker,
                 CASE WHEN held.ticker IS NOT NULL THEN disclosed.first_word_of_name(held.name) END,
                 CASE WHEN held.ticker IS NOT NULL THEN disclosed.first_word_of_name(held.title) END,
                 CASE WHEN coalesce(held.cusip, disclosed.cusip_of_isin(held.isin)) = ANY (dated)
                      THEN on_date::text END]
$$;

-- The listing behind such a code, where it is known for sure: what its CUSIP or ISIN is known to be
-- (0003_institutions.sql); else its ticker is a listing's in the US (where BRK-B may be spelled BRK.B
-- or BRK/B) whose name begins with the same word as the holding's. An array of issuer and symbol.
CREATE FUNCTION listing_of_code(code text[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_array(found.company_id, found.symbol)
    FROM ((SELECT 1 AS place, s.company_id, s.symbol
           FROM disclosed.security_of(code[1], code[2], NULL, coalesce(code[6]::date, current_date)) s)
          UNION ALL
          (SELECT 2, l.issuer_id, l.symbol
           FROM disclosed.listing l
           WHERE l.ticker IN (code[3], translate(code[3], './ ', '---'))
             AND l.market = 'US' AND l.superseded_at IS NULL
             AND disclosed.first_word_of_name(l.name) IN (code[4], code[5])
           ORDER BY l.status <> 'active', l.listing_rank, l.id LIMIT 1)) found
    ORDER BY found.place LIMIT 1
$$;

-- Brings the listings of the holdings in pg_temp.fund_row up to date; returns the numbers of reports
-- whose holdings have changed. Each code is looked up once, and found again in an object: no plan can
-- join all holdings with all codes.
CREATE FUNCTION map_fund_rows() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    dated text[] := ARRAY(SELECT DISTINCT cusip FROM disclosed.security_link WHERE basis = 'stated');
    listings jsonb;
BEGIN
    SELECT coalesce(jsonb_object_agg(c.code::text, l.listing) FILTER (WHERE l.listing IS NOT NULL), '{}')
    INTO listings
    FROM (SELECT DISTINCT disclosed.code_of_holding(h, r.report_date, dated) AS code
          FROM pg_temp.fund_row r JOIN disclosed.fund_holding h USING (issuer_id, row_id)) c
    CROSS JOIN LATERAL (SELECT disclosed.listing_of_code(c.code) AS listing OFFSET 0) l;
    RETURN QUERY
        WITH moved AS (
            UPDATE disclosed.fund_holding h
            SET company_id = (m.listing ->> 0)::bigint, symbol = m.listing ->> 1
            FROM (SELECT x.issuer_id, x.row_id, r.report_id,
                         listings -> disclosed.code_of_holding(x, r.report_date, dated)::text AS listing
                  FROM pg_temp.fund_row r JOIN disclosed.fund_holding x USING (issuer_id, row_id)
                  OFFSET 0) m
            WHERE h.issuer_id = m.issuer_id AND h.row_id = m.row_id
              AND (h.company_id, h.symbol)
                  IS DISTINCT FROM ((m.listing ->> 0)::bigint, m.listing ->> 1)
            RETURNING m.report_id)
        SELECT DISTINCT report_id FROM moved;
END $$;

-- The table of holdings that map_fund_rows() looks at, empty.
CREATE FUNCTION begin_fund_rows() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.fund_row') IS NULL THEN
        CREATE TEMP TABLE fund_row (issuer_id bigint, row_id bigint, report_id bigint,
            report_date date) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.fund_row;
END $$;

CREATE FUNCTION report_of_holding(registrant bigint, report_key text)
RETURNS TABLE (id bigint, report_date date) LANGUAGE sql STABLE AS $$
    SELECT f.id, f.report_date FROM disclosed.fund f
    WHERE f.issuer_id = registrant AND f.record_key = report_key
    ORDER BY f.known_at DESC, f.row_id DESC LIMIT 1
$$;

-- Brings the listings of reports' equity holdings up to date.
CREATE FUNCTION map_fund_holdings(reports bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_fund_rows();
    INSERT INTO pg_temp.fund_row
    SELECT h.issuer_id, h.row_id, f.id, f.report_date
    FROM (SELECT DISTINCT id, issuer_id, record_key, report_date FROM disclosed.fund
          WHERE id = ANY(reports)) f
    CROSS JOIN LATERAL (
        SELECT x.issuer_id, x.row_id FROM disclosed.fund_holding x
        WHERE x.issuer_id = f.issuer_id AND x.report_key = f.record_key
          AND x.asset_category IN ('EC', 'EP') OFFSET 0) h;
    PERFORM count(*) FROM disclosed.map_fund_rows();
END $$;

-- How many holdings of reports are here, and their value.
CREATE FUNCTION total_funds(reports bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE disclosed.fund f SET holding_count = t.holding_count, holding_value = t.holding_value
    FROM (
        SELECT f.issuer_id, f.row_id, count(h.row_id) AS holding_count,
               coalesce(sum(h.value), 0) AS holding_value
        FROM disclosed.fund f
        LEFT JOIN LATERAL (
            SELECT DISTINCT ON (x.record_key) x.row_id, x.value
            FROM disclosed.fund_holding x
            WHERE x.issuer_id = f.issuer_id AND x.report_key = f.record_key
            ORDER BY x.record_key, x.known_at DESC, x.row_id DESC) h ON true
        WHERE f.id = ANY(reports)
        GROUP BY f.issuer_id, f.row_id) t
    WHERE f.issuer_id = t.issuer_id AND f.row_id = t.row_id
      AND (f.holding_count, f.holding_value) <> (t.holding_count, t.holding_value)
$$;

-- What reports hold of companies, and from when to when: equity positions in shares, long ones as
-- they are and short ones as negative numbers. A weight that a row lacks is its value over the net
-- assets. Holdings are gathered by report and company before they are summed for each instant at
-- which one of them changes, so that no plan can join all holdings with all.
CREATE FUNCTION fund_exposures_of(reports bigint[])
RETURNS TABLE (company_id bigint, registrant_id bigint, fund_row bigint, report_id bigint,
               record_key text, fund_name text, fund_ticker text, report_date date,
               known_at timestamptz, superseded_at timestamptz, shares numeric, value numeric,
               weight_pct numeric, payoff_profile text, is_etf boolean)
LANGUAGE sql STABLE AS $$
    WITH report AS MATERIALIZED (
        SELECT DISTINCT ON (f.id) f.id, f.issuer_id, f.row_id, f.record_key, f.fund_key,
               f.name, f.shown_ticker, f.report_date, f.net_assets, f.counts_as_etf,
               min(f.known_at) OVER (PARTITION BY f.id) AS starts_at
        FROM disclosed.fund f WHERE f.id = ANY(reports)
        ORDER BY f.id, f.known_at DESC, f.row_id DESC),
    held AS MATERIALIZED (
        SELECT r.id AS report_id, h.company_id,
               array_agg(greatest(h.known_at, r.starts_at)) AS known, array_agg(h.superseded_at) AS until,
               array_agg(h.payoff_profile IS NOT DISTINCT FROM 'Short') AS short,
               array_agg(h.balance) AS shares, array_agg(h.value) AS value,
               array_agg(coalesce(h.weight_pct,
                                  round(100 * h.value / nullif(r.net_assets, 0), 10))) AS weight_pct
        FROM report r
        CROSS JOIN LATERAL (
            SELECT * FROM disclosed.fund_holding x
            WHERE x.issuer_id = r.issuer_id AND x.report_key = r.record_key
              AND x.company_id IS NOT NULL AND x.asset_category IN ('EC', 'EP') AND x.unit = 'NS'
              AND x.superseded_at IS DISTINCT FROM x.known_at OFFSET 0) h
        GROUP BY r.id, h.company_id)
    SELECT g.company_id, r.issuer_id, r.row_id, r.id,
           coalesce(i.cik::text, i.party_key, i.issuer_id::text) || '/' || r.fund_key,
           r.name, r.shown_ticker, r.report_date, s.at, s.until, t.shares, t.value, t.weight_pct,
           CASE WHEN t.all_short THEN 'Short' WHEN t.any_short THEN 'Long and Short' ELSE 'Long' END,
           r.counts_as_etf
    FROM held g
    JOIN report r ON r.id = g.report_id
    JOIN disclosed.issuer i ON i.issuer_id = r.issuer_id
    CROSS JOIN LATERAL (
        SELECT e.at, lead(e.at) OVER (ORDER BY e.at) AS until
        FROM (SELECT unnest(g.known) UNION SELECT unnest(g.until)) e(at)
        WHERE e.at IS NOT NULL) s
    CROSS JOIN LATERAL (
        SELECT count(*) AS rows, bool_and(h.short) AS all_short, bool_or(h.short) AS any_short,
               sum(CASE WHEN h.short THEN -abs(h.shares) ELSE h.shares END) AS shares,
               sum(CASE WHEN h.short THEN -abs(h.value) ELSE h.value END) AS value,
               sum(CASE WHEN h.short THEN -abs(h.weight_pct) ELSE h.weight_pct END) AS weight_pct
        FROM unnest(g.known, g.until, g.short, g.shares, g.value, g.weight_pct)
             AS h(known_at, superseded_at, short, shares, value, weight_pct)
        WHERE h.known_at <= s.at AND (h.superseded_at IS NULL OR h.superseded_at > s.at)) t
    WHERE t.rows > 0
$$;

-- Brings the exposures of reports up to date, and how many each company has. Returns the companies
-- whose exposures have changed.
CREATE FUNCTION derive_fund_exposures(reports bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
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
    SELECT x.*, first_value(coalesce(kept.id, nextval('disclosed.record_id')))
                OVER (PARTITION BY x.company_id, x.record_key)
    FROM disclosed.fund_exposures_of(reports) x
    LEFT JOIN LATERAL (
        SELECT e.id FROM disclosed.fund_exposure e
        WHERE e.issuer_id = x.company_id AND e.record_key = x.record_key LIMIT 1) kept ON true;
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
            import_run_id, src_digest, source_provider, source_url, accession, content_hash,
            extracted_at, registrant_id, fund_row, report_id, fund_name, fund_ticker, report_date,
            shares, value, weight_pct, payoff_profile, is_etf)
        SELECT w.id, w.company_id, w.record_key, w.known_at, w.superseded_at, f.import_run_id,
               disclosed.source_digest('fund_exposure', f.source_provider,
                                       coalesce(c.cik, c.issuer_id), w.record_key),
               f.source_provider, f.source_url, f.accession, f.content_hash, f.extracted_at,
               w.registrant_id, w.fund_row, w.report_id, w.fund_name, w.fund_ticker, w.report_date,
               w.shares, w.value, w.weight_pct, w.payoff_profile, w.is_etf
        FROM pg_temp.fund_exposure_wanted w
        JOIN disclosed.fund f ON f.issuer_id = w.registrant_id AND f.row_id = w.fund_row
        JOIN disclosed.issuer c ON c.issuer_id = w.company_id
        WHERE NOT EXISTS (SELECT 1 FROM disclosed.fund_exposure e
                          WHERE e.issuer_id = w.company_id AND e.record_key = w.record_key
                            AND e.known_at = w.known_at AND e.report_id = w.report_id)
        ORDER BY w.company_id, w.id, w.known_at
        RETURNING issuer_id;
END $$;

-- Adds to the kept numbers of exposures what reports are about to gain or lose. A company in many
-- funds would take long to count anew for each of their reports.
CREATE FUNCTION count_fund_exposures(reports bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH change AS (
        SELECT issuer_id, sum(number) AS number, max(known_at)::date AS latest
        FROM (SELECT company_id AS issuer_id, 1 AS number, known_at
              FROM pg_temp.fund_exposure_wanted WHERE superseded_at IS NULL
              UNION ALL
              SELECT issuer_id, -1, NULL FROM disclosed.fund_exposure
              WHERE report_id = ANY(reports) AND superseded_at IS NULL) one
        GROUP BY issuer_id),
    kept AS (
        INSERT INTO disclosed.dataset_issuer_stat AS o (issuer_id, dataset, record_count, latest)
        SELECT issuer_id, 'fund_exposure', number, latest FROM change ORDER BY issuer_id
        ON CONFLICT (issuer_id, dataset) DO UPDATE
        SET record_count = o.record_count + excluded.record_count,
            latest = greatest(o.latest, excluded.latest))
    INSERT INTO disclosed.dataset_stat AS d (dataset, record_count, latest, version)
    SELECT 'fund_exposure', sum(number), max(latest), 1 FROM change HAVING count(*) > 0
    ON CONFLICT (dataset) DO UPDATE
    SET record_count = d.record_count + excluded.record_count,
        latest = greatest(d.latest, excluded.latest), version = d.version + 1, changed_at = now();
END $$;

-- Settles the holdings of reports: until when they stand; of those that have new holdings, whose
-- they are and what they come to; and what follows for companies.
CREATE FUNCTION settle_fund_reports(reports bigint[], fresh bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.order_fund_holdings(reports);
    PERFORM disclosed.map_fund_holdings(fresh);
    PERFORM disclosed.total_funds(fresh);
    PERFORM count(*) FROM disclosed.derive_fund_exposures(reports);
    UPDATE disclosed.fund SET settled_from = known_at, settled_until = superseded_at
    WHERE id = ANY(reports)
      AND (settled_from, settled_until) IS DISTINCT FROM (known_at, superseded_at);
END $$;

-- Reports of registrants whose time or name is another than when they were settled.
CREATE FUNCTION unsettled_fund_reports(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.date_fund_reports(issuers);
    PERFORM disclosed.order_fund_reports(issuers);
    RETURN QUERY SELECT * FROM disclosed.name_funds(issuers);
    RETURN QUERY
        SELECT f.id FROM disclosed.fund f
        WHERE f.issuer_id = ANY(issuers)
          AND (f.settled_from, f.settled_until) IS DISTINCT FROM (f.known_at, f.superseded_at);
END $$;

-- Funds, classes or holdings have come: reports whose time, name or holdings are others than when
-- they were settled are settled. Exposures are counted as they change, so that no company is
-- counted anew.
CREATE FUNCTION settle_funds(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    reports bigint[] := ARRAY(SELECT * FROM disclosed.unsettled_fund_reports(issuers));
    fresh bigint[] := ARRAY(
        SELECT f.id FROM disclosed.fund f WHERE f.id = ANY(reports) AND f.settled_from IS NULL
        UNION
        SELECT f.id
        FROM (SELECT DISTINCT h.issuer_id, h.report_key FROM disclosed.fund_holding h
              WHERE h.recorded_at = now() AND h.issuer_id = ANY(issuers)) h
        JOIN disclosed.fund f ON f.issuer_id = h.issuer_id AND f.record_key = h.report_key);
BEGIN
    PERFORM disclosed.settle_fund_reports(ARRAY(SELECT unnest(reports) UNION SELECT unnest(fresh)), fresh);
END $$;

-- Filings have come: the reports among them take their dates.
CREATE FUNCTION redate_funds(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    registrants bigint[] := ARRAY(SELECT DISTINCT f.issuer_id FROM disclosed.fund f
                                  WHERE f.issuer_id = ANY(issuers));
    reports bigint[];
BEGIN
    IF registrants <> '{}' THEN
        reports := ARRAY(SELECT DISTINCT u FROM disclosed.unsettled_fund_reports(registrants) AS u);
        PERFORM disclosed.settle_fund_reports(reports, '{}');
        RETURN QUERY SELECT DISTINCT f.issuer_id FROM disclosed.fund f WHERE f.id = ANY(reports);
    END IF;
END $$;

-- Maps the holdings in pg_temp.fund_row anew, and brings exposures and the names of these funds up to
-- date. Returns the issuers whose rows have changed.
CREATE FUNCTION remap_funds(registrants bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    reports bigint[] := ARRAY(SELECT * FROM disclosed.map_fund_rows());
BEGIN
    reports := ARRAY(SELECT unnest(reports) UNION SELECT * FROM disclosed.name_funds(registrants));
    IF reports <> '{}' THEN
        RETURN QUERY SELECT DISTINCT d FROM disclosed.derive_fund_exposures(reports) AS d;
        RETURN QUERY SELECT DISTINCT f.issuer_id FROM disclosed.fund f WHERE f.id = ANY(reports);
    END IF;
END $$;

-- Listings have changed: holdings that may be of these issuers are looked at again, and the tickers of
-- funds. Those that came with the listings have been settled with them.
CREATE FUNCTION remap_listed_funds(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_fund_rows();
    WITH named AS MATERIALIZED (
        SELECT DISTINCT l.ticker, l.isin FROM disclosed.listing l WHERE l.issuer_id = ANY(issuers)),
    candidate AS (
        SELECT h.issuer_id, h.row_id, h.report_key, h.recorded_at
        FROM disclosed.fund_holding h WHERE h.company_id = ANY(issuers)
        UNION
        SELECT h.issuer_id, h.row_id, h.report_key, h.recorded_at
        FROM named n JOIN disclosed.fund_holding h
          ON h.isin = n.isin AND h.asset_category IN ('EC', 'EP')
        UNION
        SELECT h.issuer_id, h.row_id, h.report_key, h.recorded_at
        FROM (SELECT translate(n.ticker, '-', between) AS ticker
              FROM named n CROSS JOIN unnest(ARRAY['-', '.', '/', ' ']) AS between) n
        JOIN disclosed.fund_holding h
          ON h.ticker = n.ticker AND h.asset_category IN ('EC', 'EP'))
    INSERT INTO pg_temp.fund_row
    SELECT c.issuer_id, c.row_id, f.id, f.report_date
    FROM candidate c CROSS JOIN LATERAL disclosed.report_of_holding(c.issuer_id, c.report_key) f
    WHERE c.recorded_at <> now();
    RETURN QUERY SELECT * FROM disclosed.remap_funds(issuers);
END $$;

-- What CUSIPs are known to be has changed: the holdings that have them are looked at again.
CREATE FUNCTION remap_linked_funds(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_fund_rows();
    WITH candidate AS (
        SELECT h.issuer_id, h.row_id, h.report_key
        FROM disclosed.fund_holding h WHERE h.company_id = ANY(issuers)
        UNION
        SELECT h.issuer_id, h.row_id, h.report_key
        FROM (SELECT DISTINCT cusip FROM disclosed.security_link WHERE company_id = ANY(issuers)) l
        JOIN disclosed.fund_holding h
          ON coalesce(h.cusip, disclosed.cusip_of_isin(h.isin)) = l.cusip
         AND h.asset_category IN ('EC', 'EP'))
    INSERT INTO pg_temp.fund_row
    SELECT c.issuer_id, c.row_id, f.id, f.report_date
    FROM candidate c CROSS JOIN LATERAL disclosed.report_of_holding(c.issuer_id, c.report_key) f;
    RETURN QUERY SELECT * FROM disclosed.remap_funds('{}');
END $$;

-- What a report's holdings come to, beside the assets that it states, and how many weights are not
-- what value and net assets make them (by more than a thousandth of a percent of net assets).
CREATE FUNCTION totals_of_fund_report(registrant_cik bigint, key text) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT format('%s holdings of %s USD in all, %s %% of net assets as filed;'
                  ' net assets %s USD, total assets %s USD; %s weights differ from value / net assets',
                  count(h.row_id), trim_scale(coalesce(sum(h.value), 0)),
                  trim_scale(coalesce(sum(h.weight_pct), 0)),
                  coalesce(trim_scale(f.net_assets)::text, 'not stated'),
                  coalesce(trim_scale(f.total_assets)::text, 'not stated'),
                  count(*) FILTER (WHERE abs(h.weight_pct - 100 * h.value / nullif(f.net_assets, 0)) > 0.001))
    FROM disclosed.issuer i
    JOIN LATERAL (SELECT * FROM disclosed.fund x
                  WHERE x.issuer_id = i.issuer_id AND x.record_key = key
                  ORDER BY x.known_at DESC, x.row_id DESC LIMIT 1) f ON true
    LEFT JOIN LATERAL (SELECT DISTINCT ON (x.record_key) x.* FROM disclosed.fund_holding x
                       WHERE x.issuer_id = i.issuer_id AND x.report_key = key
                       ORDER BY x.record_key, x.known_at DESC, x.row_id DESC) h ON true
    WHERE i.cik = registrant_cik
    GROUP BY f.net_assets, f.total_assets
$$;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON fund, fund_holding, fund_class, fund_exposure TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON fund, fund_holding, fund_class, fund_exposure TO disclosed_loader;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA disclosed TO disclosed_loader;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA disclosed TO disclosed_api, disclosed_loader;
