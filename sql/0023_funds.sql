-- Funds and what they hold: Form N-PORT of registered investment companies (Rule 30b1-9 under the
-- Investment Company Act of 1940).

SET LOCAL search_path = disclosed, public;

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

-- ------------------------------------------------ when reports were public

-- When a report was public: as its filing says, else its submission's header (acceptance, day of
-- filing), else what was loaded of it before, else the latest day on which it should have been: a
-- report is due 60 days after the quarter's end (Rule 30b1-9), and never public before it was signed.
-- `hash` is its document's digest.
CREATE FUNCTION date_of_fund_report(registrant_cik bigint, report_accession text, hash text,
                                               header_accepted timestamptz, header_filed date,
                                               as_of_day date, signed date,
                                               OUT accession text, OUT known_at timestamptz)
LANGUAGE sql STABLE AS $$
    WITH same AS (
        SELECT f.accession, f.known_at
        FROM disclosed.fund f JOIN disclosed.issuer i USING (issuer_id)
        WHERE i.cik = registrant_cik
          AND CASE WHEN report_accession IS NOT NULL THEN f.accession = report_accession
                   ELSE f.record_key = left(hash, 39)
                     OR f.accession IN (SELECT d.accession FROM disclosed.named_document d
                                        WHERE d.document = left(hash, 39)) END
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

-- A submission's header tells when a report of a fund was public that is stored without: it is known from
-- then, before the rows of the submission meet those that are stored. Returns whose reports have changed.
CREATE FUNCTION tell_fund_report_dates(told_accession text, filed date, accepted timestamptz)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    WITH told AS (
        UPDATE disclosed.fund f
        SET filed_on = coalesce(f.filed_on, filed), accepted_at = coalesce(f.accepted_at, accepted)
        WHERE f.accession = told_accession
          AND ((f.filed_on IS NULL AND filed IS NOT NULL)
               OR (f.accepted_at IS NULL AND accepted IS NOT NULL))
        RETURNING f.issuer_id)
    SELECT array_agg(DISTINCT issuer_id) INTO changed FROM told;
    IF changed IS NOT NULL THEN
        PERFORM disclosed.date_fund_reports(changed);
        RETURN QUERY SELECT 'fund', unnest(changed);
    END IF;
END $$;

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
                     SELECT 1 FROM disclosed.named_document d
                     JOIN disclosed.fund named ON named.accession = d.accession
                     WHERE d.document = f.record_key AND named.issuer_id = f.issuer_id) AS is_copy
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

-- ------------------------------------------------------------------- names

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

-- The ticker of a fund's report and whether it is exchange-traded, at an instant (name_funds).
CREATE FUNCTION fund_named(registrant bigint, report_row bigint, instant timestamptz)
RETURNS TABLE (ticker text, is_etf boolean) LANGUAGE sql STABLE ROWS 1 AS $$
    SELECT named.ticker,
           coalesce(f.is_etf, disclosed.says_etf(f.name) OR coalesce(class.has_etf, false)
                    OR EXISTS (SELECT 1 FROM disclosed.listing l
                               WHERE l.ticker = named.ticker AND l.market = 'US' AND l.is_etf
                                 AND l.known_at <= instant
                                 AND (l.superseded_at IS NULL OR l.superseded_at > instant)))
    FROM disclosed.fund f
    LEFT JOIN LATERAL (
        SELECT (array_agg(c.ticker ORDER BY disclosed.says_etf(c.name) IS NOT TRUE, c.class_id)
                FILTER (WHERE c.ticker IS NOT NULL))[1] AS ticker,
               bool_or(disclosed.says_etf(c.name)) AS has_etf
        FROM disclosed.fund_class c
        WHERE c.issuer_id = f.issuer_id AND c.series_id = f.series_id AND c.known_at <= instant
          AND (c.superseded_at IS NULL OR c.superseded_at > instant)) class ON true
    LEFT JOIN LATERAL disclosed.primary_listing(f.issuer_id, instant) p ON true
    CROSS JOIN LATERAL (
        SELECT coalesce(f.ticker, class.ticker, CASE WHEN f.series_id IS NULL THEN p.ticker END) AS ticker) named
    WHERE f.issuer_id = registrant AND f.row_id = report_row
$$;

-- ------------------------------------------- which listing a holding is of

-- The first word of a company's name as it is compared: capitals and digits, without an article.
CREATE FUNCTION first_word_of_name(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT substring(regexp_replace(regexp_replace(upper(name), '[''.]', '', 'g'), '^\s*THE\M', '')
                     FROM '[A-Z0-9]+')
$$;

-- How equity holdings that were recorded from an instant on title their CUSIPs: the name of issuer, and
-- what the title of the issue says beyond that name. Only of what is traded in USD, as what is
-- listed here is: abroad there are others of the same names. Where CUSIP and ISIN, or name and title
-- ("INTELSAT SA", "SES S A COMMON STOCK"), contradict each other, the row says nothing.
CREATE FUNCTION titles_of_holdings(since timestamptz)
RETURNS TABLE (cusip text, issuer_title text, class_title text, rows_seen bigint)
LANGUAGE sql STABLE AS $$
    SELECT h.cusip, h.name, h.class_title, count(*)
    FROM (SELECT coalesce(x.cusip, disclosed.cusip_of_isin(x.isin)) AS cusip, x.name, x.title,
                 CASE WHEN starts_with(upper(x.title), upper(x.name))
                      THEN trim(substr(x.title, length(x.name) + 1), ' ,-') ELSE coalesce(x.title, '') END
                     AS class_title
          FROM disclosed.fund_holding x
          WHERE x.recorded_at >= since AND x.asset_category IN ('EC', 'EP') AND x.currency = 'USD'
            AND x.name IS NOT NULL AND (x.cusip = disclosed.cusip_of_isin(x.isin)) IS NOT FALSE) h
    WHERE disclosed.cusip_is_valid(h.cusip)
      AND (h.class_title = '' OR disclosed.first_word_of_name(h.title) = disclosed.first_word_of_name(h.name)
           OR (disclosed.class_of_title(h.class_title)).kind IS NOT NULL)
    GROUP BY h.cusip, h.name, h.class_title
$$;

-- Keeps those titles beside those of information tables, and links their CUSIPs. A name that either has
-- in full is not cut.
CREATE FUNCTION link_new_holdings(since timestamptz) RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    cusips text[];
BEGIN
    WITH seen AS MATERIALIZED (
        SELECT * FROM disclosed.titles_of_holdings(since)),
    kept AS (
        INSERT INTO disclosed.security_title AS s
            (cusip, issuer_title, class_title, rows_seen, cut, words, sorted, forms, kind, letter)
        SELECT seen.*, false, k.words, k.sorted, coalesce(k.forms, '{}'), c.kind, c.letter
        FROM seen
        LEFT JOIN disclosed.name_keys(ARRAY(SELECT DISTINCT issuer_title FROM seen), false) k
          ON k.name = seen.issuer_title
        LEFT JOIN (SELECT class_title, (disclosed.class_of_title(class_title)).*
                   FROM (SELECT DISTINCT class_title FROM seen) distinct_title) c USING (class_title)
        ORDER BY seen.cusip, seen.issuer_title, seen.class_title
        ON CONFLICT (cusip, issuer_title, class_title) DO UPDATE
        SET rows_seen = s.rows_seen + excluded.rows_seen, cut = false, words = excluded.words,
            sorted = excluded.sorted, forms = excluded.forms, resolved = s.resolved AND NOT s.cut
        RETURNING s.cusip)
    SELECT array_agg(DISTINCT kept.cusip) INTO cusips FROM kept;
    IF cusips IS NOT NULL THEN
        PERFORM disclosed.link_cusips(cusips);
    END IF;
END $$;

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
-- (security_of()); else its ticker is a listing's in the US, or was (where BRK-B may be spelled BRK.B
-- or BRK/B), whose name begins with the same word as the holding's. An array of issuer and symbol.
CREATE FUNCTION listing_of_code(code text[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
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
           ORDER BY l.superseded_at IS NOT NULL, l.status <> 'active', l.listing_rank, l.known_at DESC, disclosed.issuer_order(l.issuer_id), l.symbol COLLATE "C" LIMIT 1)) found
    ORDER BY found.place LIMIT 1
$$;

-- The table of holdings that map_fund_rows() looks at, empty.
CREATE FUNCTION begin_fund_rows() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.fund_row') IS NULL THEN
        CREATE TEMP TABLE fund_row (issuer_id bigint, row_id bigint, report_id bigint,
            report_date date) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.fund_row;
END $$;

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

-- How many equity holdings of a report belong to no company that is listed here, and the largest of
-- them; NULL: none.
CREATE FUNCTION unlisted_holdings(registrant_cik bigint, key text) RETURNS text LANGUAGE sql STABLE AS $$
    WITH held AS (
        SELECT DISTINCT ON (h.record_key) h.*
        FROM disclosed.issuer i JOIN disclosed.fund_holding h USING (issuer_id)
        WHERE i.cik = registrant_cik AND h.report_key = key AND h.asset_category IN ('EC', 'EP')
        ORDER BY h.record_key, h.known_at DESC, h.row_id DESC)
    SELECT format('%s of %s equity holdings found no listing, for example %s%s', count(*),
                  (SELECT count(*) FROM held), (array_agg(coalesce(name, title, 'row ' || row_number) ORDER BY place))[1],
                  (array_agg(coalesce(' (' || nullif(concat_ws(', ', 'CUSIP ' || cusip, 'ISIN ' || isin,
                                                               'ticker ' || ticker), '') || ')', '')
                             ORDER BY place))[1])
    FROM (SELECT held.*, row_number() OVER (ORDER BY value DESC NULLS LAST, row_number) AS place
          FROM held WHERE company_id IS NULL) unlisted
    HAVING count(*) > 0
$$;

-- ------------------------------------------------------------------ totals

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
