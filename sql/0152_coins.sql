-- The name of a coin alone is no company's: Bitcoin (BTC) is not the trust that holds it, whose name has the word.

SET LOCAL search_path = disclosed, public;

-- The name by which an asset may be a company's; NULL: that of a coin alone is none's, also not of a trust that holds it.
CREATE FUNCTION congress_company_name(asset_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN asset_name !~* ('^(bitcoin( cash)?|ethereum( classic)?|ether|litecoin|solana|dogecoin|cardano|ripple|xrp|polkadot|avalanche|chainlink|stellar( lumens)?'
                                     '|uniswap|polygon|tron|shiba inu|algorand|cosmos|filecoin|monero|tezos|zcash|usd coin|tether)'
                                     '( \([a-z]{2,6}\))?( (crypto(currency)?|coin|token))?$')
                THEN asset_name END
$$;

-- The day by which a ticker of a trade is a company's. A currency or metal has a ticker of its own, whatever company has the same one, and what stands behind a
-- bond of a state or town is none: a company may only be meant by its name, as a trust with the wrong kind of asset is. Some sources say no kind; then the name
-- tells the coins that are traded most.
CREATE OR REPLACE FUNCTION congress_ticker_day(filed date, asset_type text, asset_name text) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN asset_type IN ('Cryptocurrency', 'Foreign Currency', 'Precious Metal', 'Government Security', 'Municipal Security', 'Bank Account', 'Real Property')
                  OR asset_name IS NOT NULL AND disclosed.congress_company_name(asset_name) IS NULL
                THEN '-infinity' ELSE filed END
$$;

-- The same as before, but for names of coins.
CREATE OR REPLACE FUNCTION map_congress_tickers(tickers text[], politicians bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
    companies bigint[];
BEGIN
    WITH candidate AS MATERIALIZED (
        SELECT t.issuer_id, t.row_id, t.ticker, t.company_id AS old_id, t.symbol AS old_symbol,
               disclosed.congress_ticker_day(t.filing_date, t.asset_type, t.asset_name) AS filing_date,
               disclosed.congress_company_name(t.asset_name) AS asset_name
        FROM disclosed.congress_trade t WHERE t.listed_ticker = ANY (tickers)
        UNION ALL
        SELECT t.issuer_id, t.row_id, t.ticker, t.company_id, t.symbol, disclosed.congress_ticker_day(t.filing_date, t.asset_type, t.asset_name),
               disclosed.congress_company_name(t.asset_name)
        FROM disclosed.congress_trade t
        WHERE t.issuer_id = ANY (politicians) AND t.ticker IS NOT NULL AND (t.company_id IS NULL OR t.recorded_at = now())
          AND (t.listed_ticker = ANY (tickers)) IS NOT TRUE),
    named AS MATERIALIZED (
        SELECT l.ticker, l.company_id, l.symbol FROM disclosed.listings_of_tickers(ARRAY(SELECT DISTINCT c.ticker FROM candidate c)) l),
    sure AS MATERIALIZED ( -- each ticker of an asset and a day is looked at once
        SELECT d.ticker, d.filing_date, d.asset_name, n.company_id, n.symbol
        FROM (SELECT DISTINCT c.ticker, c.filing_date, c.asset_name FROM candidate c) d JOIN named n USING (ticker)
        WHERE disclosed.is_ticker_of(n.symbol, n.company_id, d.filing_date, d.asset_name)),
    meant AS MATERIALIZED (
        SELECT c.issuer_id, c.row_id, c.old_id, s.company_id, s.symbol
        FROM candidate c LEFT JOIN sure s
          ON s.ticker = c.ticker AND s.filing_date = c.filing_date AND coalesce(s.asset_name, '') = coalesce(c.asset_name, '')
        WHERE c.ticker IS NOT NULL AND (c.old_id, c.old_symbol) IS DISTINCT FROM (s.company_id, s.symbol)),
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

DO $$
DECLARE
    tickers text[] := ARRAY(SELECT DISTINCT t.listed_ticker FROM congress_trade t
                            WHERE t.company_id IS NOT NULL AND t.asset_name IS NOT NULL AND congress_company_name(t.asset_name) IS NULL);
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    PERFORM map_congress_tickers(tickers, NULL);
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
    UPDATE dataset_stat SET version = version + 1, changed_at = now() WHERE dataset = 'congress_trade' AND tickers <> '{}';
END $$;
