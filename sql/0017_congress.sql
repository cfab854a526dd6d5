-- Trades of members of Congress: periodic transaction reports under the STOCK Act of 2012
-- (5 U.S.C. 13105(l)), as the Senate's electronic financial disclosures and the Clerk of the House publish
-- them.

SET LOCAL search_path = disclosed, public;

-- What the Clerk's yearly index says of a report. The issuer is the Clerk's office: most of those
-- who file are candidates, of whom nothing else is known here.
CREATE TABLE congress_report (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    report_id   text NOT NULL,
    filing_type text NOT NULL,
    filing_year bigint,
    filing_date date,
    first_name  text,
    last_name   text,
    name_suffix text,
    state_district text
);
CALL finish_dataset_table('congress_report');
COMMENT ON COLUMN congress_report.filing_type IS 'the Clerk''s letter: P is a periodic transaction report';
CREATE INDEX congress_report_number ON congress_report (report_id) WHERE superseded_at IS NULL;

-- One row for each row of a report, as filed; a report on paper, of which no row can be read, is one
-- row of type unknown. The issuer is the politician.
CREATE TABLE congress_trade (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    chamber     text NOT NULL CHECK (chamber IN ('senate', 'house')),
    report_id   text NOT NULL,
    row_number  bigint NOT NULL CHECK (row_number > 0),
    amends      text,
    first_name  text,
    last_name   text,
    political_party text,
    state_district text,
    ticker      text CHECK (ticker = upper(ticker) AND ticker <> ''),
    asset_name  text,
    asset_type  text,
    transaction_type text NOT NULL,
    amount_range text,
    owner       text CHECK (owner = lower(owner) AND owner <> ''),
    comment     text,
    transaction_date date,
    filing_date date NOT NULL,
    filing_date_basis text NOT NULL
        CHECK (filing_date_basis IN ('stated', 'notified', 'latest_possible', 'earliest_possible')),
    company_id  bigint REFERENCES issuer,
    symbol      text,
    listed_ticker text GENERATED ALWAYS AS (coalesce(split_part(symbol, ':', 1), ticker)) STORED,
    read_from   text CHECK (read_from IN ('report', 'part_of_report', 'copy')),
    seen_at     timestamptz,
    redated_from bigint,
    sources     jsonb,
    CHECK (filing_date <= (known_at AT TIME ZONE 'UTC')::date + 14)
);
CALL finish_dataset_table('congress_trade');
COMMENT ON COLUMN congress_trade.amends IS 'report_id of the report that this one replaces';
COMMENT ON COLUMN congress_trade.filing_date_basis IS 'what filing_date is where the source does not state it';
COMMENT ON COLUMN congress_trade.company_id IS 'issuer of the security; kept by map_congress_tickers(), as symbol is';
COMMENT ON COLUMN congress_trade.read_from IS
    'the report itself, read to its end or in part; or a copy of its rows, as public JSON files have them';
COMMENT ON COLUMN congress_trade.seen_at IS 'the time of the earliest file that says this, whenever the report was public';
COMMENT ON COLUMN congress_trade.redated_from IS
    'row_id of the version that says the same, but of which less was known about when it was filed';
COMMENT ON COLUMN congress_trade.sources IS
    'of the files that say this, in the order of their times (`at`, seconds since 1970): each that is a better source than all before it';
-- A row of a report is one trade, whatever spelling of its filer's name comes with it.
CREATE INDEX congress_trade_key ON congress_trade (record_key);
CREATE INDEX congress_trade_date ON congress_trade (filing_date, id);
CREATE INDEX congress_trade_politician_date ON congress_trade (issuer_id, filing_date, id);
CREATE INDEX congress_trade_company_date ON congress_trade (company_id, filing_date, id);
CREATE INDEX congress_trade_ticker_date ON congress_trade (listed_ticker, filing_date, id);
CREATE INDEX congress_trade_chamber_date ON congress_trade (chamber, filing_date, id);
CREATE INDEX congress_trade_type_date ON congress_trade (transaction_type, filing_date, id);
CREATE INDEX congress_trade_report ON congress_trade (chamber, report_id);
CREATE INDEX congress_trade_amendment ON congress_trade (issuer_id) WHERE amends IS NOT NULL;
CREATE INDEX congress_trade_filed_ticker_date ON congress_trade (ticker, filing_date, id);

-- What is known of a politician beyond the reports: data of the service's own.
CREATE TABLE politician (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    first_name  text,
    last_name   text,
    chamber     text CHECK (chamber IN ('senate', 'house')),
    political_party text,
    state_district text,
    reported_on date NOT NULL
);
CALL finish_dataset_table('politician');

-- ----------------------------------------------------------------- tickers

-- What a client's ticker is compared with: congress_trade.listed_ticker.
CREATE FUNCTION congress_ticker(wanted text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    ticker text := split_part(wanted, ':', 1);
BEGIN
    RETURN coalesce(split_part((SELECT l.symbol FROM disclosed.listing_of_ticker(ticker) l), ':', 1),
                    disclosed.plain_ticker(ticker));
END $$;

-- The same at an instant.
CREATE FUNCTION congress_ticker(wanted text, instant timestamptz) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(split_part((SELECT l.symbol FROM disclosed.listing_of_ticker(split_part(wanted, ':', 1), instant) l),
                               ':', 1), disclosed.plain_ticker(split_part(wanted, ':', 1)))
$$;

-- The ways in which tickers are written: classes of shares also without a separator.
CREATE FUNCTION congress_spellings(tickers text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT tickers || ARRAY(SELECT replace(one, '-', '') FROM unnest(tickers) AS one WHERE one LIKE '%-%') $$;

-- The tickers of trades that a company's listings may have meant at an instant.
CREATE FUNCTION congress_tickers_of(company bigint, instant timestamptz) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT disclosed.congress_spellings(array_agg(DISTINCT l.ticker)) FROM disclosed.listing l
    WHERE l.issuer_id = company AND l.known_at <= instant
      AND (l.superseded_at IS NULL OR l.superseded_at > instant)
$$;

-- The company and listing of a trade at an instant, where its ticker was that listing's for sure (is_ticker_of).
CREATE FUNCTION congress_listing(wanted text, filed date, asset text, instant timestamptz)
RETURNS TABLE (company_id bigint, symbol text) LANGUAGE sql STABLE ROWS 1 AS $$
    SELECT n.company_id, n.symbol
    FROM disclosed.listing_of_ticker(wanted, instant) n
    WHERE EXISTS (SELECT 1 FROM disclosed.listing l
                  WHERE l.record_key = n.symbol AND l.issuer_id = n.company_id AND l.known_at <= instant
                    AND (filed >= l.listed_on - 730 OR disclosed.names_agree(asset, l.name)))
       OR EXISTS (SELECT 1 FROM disclosed.issuer_profile p
                  WHERE p.issuer_id = n.company_id AND p.known_at <= instant
                    AND disclosed.names_agree(asset, p.name))
$$;

-- Whether a trade's ticker is that listing for sure. Tickers go from one company to another, mostly years
-- later: of trades more than two years before the listing is first known the asset must bear a name that
-- the listing or its issuer has, or had.
CREATE FUNCTION is_ticker_of(listing_symbol text, listing_issuer bigint, filed date, asset text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT EXISTS (SELECT 1 FROM disclosed.listing l
                   WHERE l.record_key = listing_symbol AND l.issuer_id = listing_issuer
                     AND (filed >= l.listed_on - 730 OR disclosed.names_agree(asset, l.name)))
        OR EXISTS (SELECT 1 FROM disclosed.issuer_profile p
                   WHERE p.issuer_id = listing_issuer AND disclosed.names_agree(asset, p.name))
$$;

-- Trades of companies, counted for /v1/coverage/{symbol}: as 'congress_trade/company' beside the
-- loader's own counts, which are the politicians'.
CREATE FUNCTION count_congress_companies(companies bigint[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO disclosed.dataset_issuer_stat AS stat (issuer_id, dataset, record_count, latest)
    SELECT touched.company_id, 'congress_trade/company', counted.record_count, counted.latest
    FROM (SELECT DISTINCT unnest(companies) AS company_id) touched
    CROSS JOIN LATERAL (
        SELECT count(*) AS record_count, max(t.filing_date) AS latest FROM disclosed.congress_trade t
        WHERE t.company_id = touched.company_id AND t.superseded_at IS NULL) counted
    WHERE touched.company_id IS NOT NULL
    ORDER BY touched.company_id
    ON CONFLICT (issuer_id, dataset) DO UPDATE
    SET record_count = excluded.record_count, latest = excluded.latest
    WHERE (stat.record_count, stat.latest) IS DISTINCT FROM (excluded.record_count, excluded.latest)
$$;

-- Brings the company and symbol of trades up to date: of those known by one of the tickers (listed_ticker),
-- and of the politicians' trades that have none yet. Returns the politicians.
CREATE FUNCTION map_congress_tickers(tickers text[], politicians bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
    companies bigint[];
BEGIN
    WITH candidate AS (
        SELECT t.issuer_id, t.row_id, t.ticker, t.company_id AS old_id, t.filing_date, t.asset_name
        FROM disclosed.congress_trade t WHERE t.listed_ticker = ANY(tickers)
        UNION
        SELECT t.issuer_id, t.row_id, t.ticker, t.company_id, t.filing_date, t.asset_name
        FROM disclosed.congress_trade t
        WHERE t.issuer_id = ANY(politicians) AND t.company_id IS NULL AND t.ticker IS NOT NULL),
    named AS MATERIALIZED (
        SELECT d.ticker, l.company_id, l.symbol FROM (SELECT DISTINCT ticker FROM candidate) d
        CROSS JOIN LATERAL disclosed.listing_of_ticker(d.ticker) l),
    meant AS MATERIALIZED (
        SELECT c.issuer_id, c.row_id, c.old_id, CASE WHEN s.sure THEN n.company_id END AS company_id,
               CASE WHEN s.sure THEN n.symbol END AS symbol
        FROM candidate c JOIN named n USING (ticker)
        CROSS JOIN LATERAL (SELECT disclosed.is_ticker_of(n.symbol, n.company_id, c.filing_date,
                                                          c.asset_name) AS sure) s),
    moved AS (
        UPDATE disclosed.congress_trade t SET company_id = m.company_id, symbol = m.symbol
        FROM meant m
        WHERE t.issuer_id = m.issuer_id AND t.row_id = m.row_id
          AND (t.company_id, t.symbol) IS DISTINCT FROM (m.company_id, m.symbol)
        RETURNING t.issuer_id, m.old_id, m.company_id)
    SELECT array_agg(DISTINCT m.issuer_id),
           (SELECT array_agg(DISTINCT x.id) FROM (SELECT old_id AS id FROM moved
                                                  UNION SELECT company_id FROM moved) x)
    INTO changed, companies FROM moved m;
    PERFORM disclosed.count_congress_companies(companies);
    RETURN QUERY SELECT unnest(changed);
END $$;

-- Listings or names have changed: trades known by one of their tickers, in any spelling, and those that were taken
-- for theirs, are looked at again.
CREATE FUNCTION follow_listings_congress(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    SELECT disclosed.map_congress_tickers(ARRAY(
        SELECT t.listed_ticker FROM disclosed.congress_trade t WHERE t.company_id = ANY(issuers)
        UNION
        SELECT spelling FROM disclosed.listing l
        CROSS JOIN LATERAL unnest(ARRAY[l.ticker, replace(l.ticker, '-', ''),
                                        disclosed.class_ticker(l.ticker)]) AS spelling
        WHERE l.issuer_id = ANY(issuers)), NULL)
$$;

-- -------------------------------------------------------------- amendments

-- A report that amends another of the same politician replaces its rows from the moment it was
-- public. Versions that ended as they began are none.
CREATE FUNCTION close_amended_trades(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE disclosed.congress_trade t SET superseded_at = c.superseded_at
    FROM (SELECT t.issuer_id, t.row_id,
                 greatest(t.known_at, least(a.known_at, (
                     SELECT min(n.known_at) FROM disclosed.congress_trade n
                     WHERE n.issuer_id = t.issuer_id AND n.record_key = t.record_key
                       AND (n.known_at, n.row_id) > (t.known_at, t.row_id)))) AS superseded_at
          FROM (SELECT issuer_id, chamber, amends, min(known_at) AS known_at
                FROM disclosed.congress_trade
                WHERE issuer_id = ANY(issuers) AND amends IS NOT NULL AND amends <> report_id
                  AND superseded_at IS DISTINCT FROM known_at
                GROUP BY issuer_id, chamber, amends) a
          JOIN disclosed.congress_trade t ON t.issuer_id = a.issuer_id AND t.chamber = a.chamber
                                         AND t.report_id = a.amends
          WHERE t.superseded_at IS DISTINCT FROM t.known_at) c
    WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id
      AND t.superseded_at IS DISTINCT FROM c.superseded_at
$$;
