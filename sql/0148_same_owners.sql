-- An amendment of a Form 3, 4 or 5 replaces what its owners reported also if it lists them in another order, or one more or less; and the ticker of a
-- currency is no company's: Litecoin (LTC) is not LTC Properties.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------ insiders

-- Whether two forms are of the same reporting owners: the first is the same, or of several all of one form are among those of the other. Two forms of a day
-- that have one of several owners in common are not, nor is one owner's among those of several.
CREATE FUNCTION are_same_owners(one_cik bigint, one text[], other_cik bigint, other text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(one_cik = other_cik, false) OR cardinality(one) > 1 AND cardinality(other) > 1 AND (one <@ other OR other <@ one)
$$;

DROP FUNCTION insider_amendments(bigint[]); -- asked for by reconcile_insiders() alone
CREATE FUNCTION insider_amendments(issuers bigint[])
RETURNS TABLE (issuer_id bigint, owner_cik bigint, owners text[], amended_form text, period_of_report date, original_filing_date date, amending text,
               known_at timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT a.issuer_id, a.owner_cik, a.owners, replace(a.form, '/A', ''), a.period_of_report, a.original_filing_date,
           disclosed.form_of_row(a.accession, a.record_key), min(a.known_at)
    FROM (SELECT 'insider_transaction' AS of_table, issuer_id, row_id, record_key, known_at, superseded_at, left_out, accession, owner_cik,
                 insider_name || joint_owners AS owners, form, period_of_report, original_filing_date
          FROM disclosed.insider_transaction WHERE issuer_id = ANY (issuers) AND form LIKE '%/A'
          UNION ALL
          SELECT 'insider_holding', issuer_id, row_id, record_key, known_at, superseded_at, left_out, accession, owner_cik,
                 insider_name || joint_owners, form, period_of_report, original_filing_date
          FROM disclosed.insider_holding WHERE issuer_id = ANY (issuers) AND form LIKE '%/A') a
    WHERE a.original_filing_date IS NOT NULL
      AND (a.superseded_at IS DISTINCT FROM a.known_at
           OR NOT disclosed.form_row_is_void(a.of_table, a.issuer_id, a.row_id, a.record_key, a.known_at, a.left_out))
    GROUP BY 1, 2, 3, 4, 5, 6, 7
$$;

-- The same as before, but for owners.
CREATE OR REPLACE FUNCTION reconcile_insiders(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    dataset_table text;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.insider_transaction WHERE issuer_id = ANY (issuers) AND form LIKE '%/A'
                   UNION ALL
                   SELECT 1 FROM disclosed.insider_holding WHERE issuer_id = ANY (issuers) AND form LIKE '%/A')
    THEN
        RETURN;
    END IF;
    FOREACH dataset_table IN ARRAY ARRAY['insider_transaction', 'insider_holding'] LOOP
        EXECUTE format($sql$
            WITH amendment AS MATERIALIZED (SELECT * FROM disclosed.insider_amendments($1)),
            -- Rows of the original by the day of its filing, and those of earlier amendments among the amendments: never all of the company's.
            amended AS MATERIALIZED (
                SELECT issuer_id, row_id, min(amended_at) AS amended_at
                FROM (SELECT a.issuer_id, t.row_id, a.known_at AS amended_at
                      FROM amendment a CROSS JOIN LATERAL (
                          SELECT o.row_id FROM disclosed.%1$I o
                          WHERE o.issuer_id = a.issuer_id AND o.filing_date = a.original_filing_date
                            AND o.period_of_report IS NOT DISTINCT FROM a.period_of_report AND o.form = a.amended_form
                            AND disclosed.are_same_owners(o.owner_cik, o.insider_name || o.joint_owners, a.owner_cik, a.owners) OFFSET 0) t
                      UNION ALL
                      SELECT a.issuer_id, t.row_id, a.known_at
                      FROM amendment a JOIN (SELECT o.issuer_id, o.row_id, o.owner_cik, o.insider_name || o.joint_owners AS owners, o.period_of_report, o.form, o.original_filing_date, o.filing_date, o.known_at,
                                                    disclosed.form_of_row(o.accession, o.record_key) AS amending
                                             FROM disclosed.%1$I o WHERE o.issuer_id = ANY ($1) AND o.form LIKE '%%/A' OFFSET 0) t
                        ON t.issuer_id = a.issuer_id AND t.form = a.amended_form || '/A'
                       AND coalesce(t.period_of_report, '-infinity') = coalesce(a.period_of_report, '-infinity')
                       AND a.original_filing_date IN (t.original_filing_date, t.filing_date) AND (t.known_at, t.amending) < (a.known_at, a.amending)
                       AND disclosed.are_same_owners(t.owner_cik, t.owners, a.owner_cik, a.owners)) x
                GROUP BY 1, 2),
            owner AS MATERIALIZED ( -- whose amendments may have said otherwise before
                SELECT issuer_id, owner_cik, insider_name || joint_owners AS owners FROM disclosed.insider_transaction
                WHERE issuer_id = ANY ($1) AND form LIKE '%%/A'
                UNION
                SELECT issuer_id, owner_cik, insider_name || joint_owners FROM disclosed.insider_holding
                WHERE issuer_id = ANY ($1) AND form LIKE '%%/A'),
            ending AS (
                SELECT t.issuer_id, t.row_id, least(c.amended_at, n.next_at) AS ends_at
                FROM (SELECT issuer_id, row_id, min(amended_at) AS amended_at
                      FROM (SELECT issuer_id, row_id, amended_at FROM amended
                            UNION ALL
                            SELECT t.issuer_id, t.row_id, NULL FROM disclosed.%1$I t
                            WHERE t.issuer_id = ANY ($1) AND t.superseded_at IS NOT NULL
                              AND EXISTS (SELECT 1 FROM owner o WHERE o.issuer_id = t.issuer_id
                                          AND disclosed.are_same_owners(t.owner_cik, t.insider_name || t.joint_owners, o.owner_cik, o.owners))) x
                      GROUP BY 1, 2) c
                JOIN disclosed.%1$I t USING (issuer_id, row_id)
                CROSS JOIN LATERAL (
                    SELECT min(n.known_at) AS next_at FROM disclosed.%1$I n
                    WHERE n.issuer_id = t.issuer_id AND disclosed.key_hash(n.record_key) = disclosed.key_hash(t.record_key)
                      AND n.record_key = t.record_key AND (n.superseded_at IS NULL OR n.superseded_at IS NOT NULL)
                      AND (n.known_at, n.row_id) > (t.known_at, t.row_id) AND n.left_out IS NULL) n
                WHERE t.superseded_at IS DISTINCT FROM t.known_at
                   OR NOT disclosed.form_row_is_void('%1$s', t.issuer_id, t.row_id, t.record_key, t.known_at, t.left_out))
            UPDATE disclosed.%1$I t SET superseded_at = CASE WHEN e.ends_at < t.known_at THEN t.known_at ELSE e.ends_at END
            FROM ending e
            WHERE t.issuer_id = e.issuer_id AND t.row_id = e.row_id
              AND t.superseded_at IS DISTINCT FROM CASE WHEN e.ends_at < t.known_at THEN t.known_at ELSE e.ends_at END
        $sql$, dataset_table) USING issuers;
    END LOOP;
END $$;

-- ------------------------------------------------------------------------ Congress

-- The day by which a ticker of a trade is a company's. A currency or metal has a ticker of its own, whatever company has the same one, and what stands behind a
-- bond of a state or town is none: a company may only be meant by its name, as a trust with the wrong kind of asset is. Some sources say no kind; then the name
-- tells the currencies that are traded most.
CREATE FUNCTION congress_ticker_day(filed date, asset_type text, asset_name text) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN asset_type IN ('Cryptocurrency', 'Foreign Currency', 'Precious Metal', 'Government Security', 'Municipal Security', 'Bank Account', 'Real Property')
                  OR asset_name ~* ('^(bitcoin( cash)?|ethereum( classic)?|ether|litecoin|solana|dogecoin|cardano|ripple|xrp|polkadot|avalanche|chainlink|stellar( lumens)?'
                                    '|uniswap|polygon|tron|shiba inu|algorand|cosmos|filecoin|monero|tezos|zcash|dash|usd coin|tether)'
                                    '( \([a-z]{2,6}\))?( (crypto(currency)?|coin|token))?$')
                THEN '-infinity' ELSE filed END
$$;

-- The same as before, but for currencies.
CREATE OR REPLACE FUNCTION map_congress_tickers(tickers text[], politicians bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
    companies bigint[];
BEGIN
    WITH candidate AS MATERIALIZED (
        SELECT t.issuer_id, t.row_id, t.ticker, t.company_id AS old_id, t.symbol AS old_symbol,
               disclosed.congress_ticker_day(t.filing_date, t.asset_type, t.asset_name) AS filing_date, t.asset_name
        FROM disclosed.congress_trade t WHERE t.listed_ticker = ANY (tickers)
        UNION ALL
        SELECT t.issuer_id, t.row_id, t.ticker, t.company_id, t.symbol, disclosed.congress_ticker_day(t.filing_date, t.asset_type, t.asset_name), t.asset_name
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

-- ------------------------------------------------------------------------ what is stored

DO $$
DECLARE
    issuers bigint[] := ARRAY(SELECT issuer_id FROM insider_transaction WHERE form LIKE '%/A'
                              UNION SELECT issuer_id FROM insider_holding WHERE form LIKE '%/A');
    tickers text[] := ARRAY(SELECT DISTINCT t.listed_ticker FROM congress_trade t
                            WHERE t.company_id IS NOT NULL AND congress_ticker_day(t.filing_date, t.asset_type, t.asset_name) = '-infinity');
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    PERFORM reconcile_insiders(issuers);
    PERFORM map_congress_tickers(tickers, NULL);
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
    PERFORM recount_reports(issuers);
    UPDATE dataset_stat SET version = version + 1, changed_at = now() WHERE dataset = 'congress_trade' AND tickers <> '{}';
END $$;
