-- Smaller indexes on record keys, and rows that are stored as they stay.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------ record keys

-- Stands for a record key in indexes, with a condition on the key itself beside it.
CREATE FUNCTION key_hash(record_key text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT hashtextextended(record_key, 0) $$;

-- A table's current versions by record, and its past ones. Who looks for both says "superseded_at IS NULL OR superseded_at
-- IS NOT NULL", which lets PostgreSQL read both.
CREATE OR REPLACE PROCEDURE finish_dataset_table(name text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %1$I ADD PRIMARY KEY (issuer_id, row_id),'
                   ' ADD FOREIGN KEY (issuer_id) REFERENCES issuer', name);
    EXECUTE format('CREATE UNIQUE INDEX %2$I ON %1$I (issuer_id, key_hash(record_key))'
                   ' WHERE superseded_at IS NULL', name, name || '_current');
    EXECUTE format('CREATE INDEX %2$I ON %1$I (issuer_id, key_hash(record_key))'
                   ' WHERE superseded_at IS NOT NULL', name, name || '_past');
    EXECUTE format('CREATE INDEX %2$I ON %1$I USING hash (src_digest) WHERE superseded_at IS NULL',
                   name, name || '_src');
    EXECUTE format('GRANT SELECT ON %I TO disclosed_api, disclosed_loader', name);
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %I TO disclosed_loader', name);
    CALL make_sourced_view(name);
END $$;

-- Tables whose records are looked up by issuer and key in SQL keep an index with the key; where there is one of keys
-- alone, that does.
DO $$
DECLARE
    one name;
    looked_up name[] := ARRAY['listing', 'issuer_profile', 'executive', 'institution_holder', 'institution_flow', 'fund', 'fund_class',
                              'fund_exposure', 'beneficial_owner', 'institution_report', 'politician', 'congress_report',
                              'transcript', 'event', 'event_notice', 'security'];
BEGIN
    FOR one IN SELECT c.relname FROM pg_class c
               JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'src_digest'
               WHERE c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r'
                 AND to_regclass('disclosed.' || quote_ident(c.relname || '_current')) IS NOT NULL
               ORDER BY c.relname
    LOOP
        EXECUTE format('DROP INDEX %I', one || '_current');
        EXECUTE format('CREATE UNIQUE INDEX %2$I ON %1$I (issuer_id, key_hash(record_key)) WHERE superseded_at IS NULL',
                       one, one || '_current');
        EXECUTE format('DROP INDEX %I', one || '_src');
        EXECUTE format('CREATE INDEX %2$I ON %1$I USING hash (src_digest) WHERE superseded_at IS NULL', one, one || '_src');
        CONTINUE WHEN one = ANY (looked_up);
        EXECUTE format('DROP INDEX %I', one || '_record');
        EXECUTE format('CREATE INDEX %2$I ON %1$I (issuer_id, key_hash(record_key)) WHERE superseded_at IS NOT NULL',
                       one, one || '_past');
    END LOOP;
END $$;

-- Where keys move between issuers they are looked up alone, and always as a whole.
DROP INDEX short_interest_key, corporate_action_key, congress_trade_key, filing_accession;
CREATE INDEX short_interest_key ON short_interest USING hash (record_key);
CREATE INDEX corporate_action_key ON corporate_action USING hash (record_key);
CREATE INDEX congress_trade_key ON congress_trade USING hash (record_key);
CREATE INDEX filing_accession ON filing USING hash (accession);

-- Half of all trades are of a chamber, and a company has few actions: lists read on in the order of days.
DROP INDEX congress_trade_chamber_date, corporate_action_kind_date;

-- Every tenth transaction is of a million or more; for less the list reads on in the order of days.
DROP INDEX insider_value;
CREATE INDEX insider_value ON insider_transaction (value) WHERE value >= 1000000;

-- --------------------------------------------- functions that look for keys

-- Corrects when reports were public and filed, in all that was loaded of them. A row holds until the next of its record;
-- settle_insiders() finds anew which amendments end it, as they name the day of filing.
CREATE OR REPLACE FUNCTION date_reports(accessions text[], public_at timestamptz[], filed_on date[])
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    target record;
    changed bigint[];
    keys text[];
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM unnest(accessions, public_at, filed_on) AS r(accession, known_at, day)
        JOIN disclosed.insider_transaction t ON t.accession = r.accession AND (t.known_at, t.filing_date) <> (r.known_at, r.day)
        UNION ALL
        SELECT 1 FROM unnest(accessions, public_at, filed_on) AS r(accession, known_at, day)
        JOIN disclosed.insider_holding h ON h.accession = r.accession AND (h.known_at, h.filing_date) <> (r.known_at, r.day)
        UNION ALL
        SELECT 1 FROM unnest(accessions, public_at, filed_on) AS r(accession, known_at, day)
        JOIN disclosed.executive_stated s ON s.origin = r.accession AND (s.known_at, s.reported_on) <> (r.known_at, r.day))
    THEN
        RETURN;
    END IF;
    FOR target IN SELECT * FROM (VALUES ('insider', 'insider_transaction'), ('insider_holding', 'insider_holding'))
        AS c(name, dataset_table)
    LOOP
        EXECUTE format($sql$
            WITH moved AS (
                UPDATE disclosed.%1$I t
                SET known_at = r.known_at, filing_date = r.day,
                    superseded_at = CASE WHEN t.superseded_at = t.known_at THEN r.known_at ELSE (
                        SELECT greatest(r.known_at, CASE WHEN n.accession = r.accession THEN r.known_at ELSE n.known_at END)
                        FROM disclosed.%1$I n
                        WHERE n.issuer_id = t.issuer_id AND disclosed.key_hash(n.record_key) = disclosed.key_hash(t.record_key)
                          AND n.record_key = t.record_key AND (n.superseded_at IS NULL OR n.superseded_at IS NOT NULL)
                          AND (n.known_at, n.row_id) > (t.known_at, t.row_id)
                          AND n.superseded_at IS DISTINCT FROM n.known_at
                        ORDER BY n.known_at, n.row_id LIMIT 1) END
                FROM unnest($1, $2, $3) AS r(accession, known_at, day)
                WHERE t.accession = r.accession AND (t.known_at, t.filing_date) <> (r.known_at, r.day)
                RETURNING t.issuer_id)
            SELECT array_agg(DISTINCT issuer_id) FROM moved
        $sql$, target.dataset_table)
        INTO changed USING accessions, public_at, filed_on;
        RETURN QUERY SELECT target.name, unnest(changed);
    END LOOP;
    WITH moved AS (
        UPDATE disclosed.executive_stated s SET known_at = r.known_at, reported_on = r.day
        FROM unnest(accessions, public_at, filed_on) AS r(accession, known_at, day)
        WHERE s.origin = r.accession AND (s.known_at, s.reported_on) <> (r.known_at, r.day)
        RETURNING s.issuer_id, s.record_key)
    SELECT array_agg(moved.issuer_id), array_agg(moved.record_key) INTO changed, keys FROM moved;
    RETURN QUERY SELECT DISTINCT 'executive', d FROM disclosed.derive_executives(changed, keys) AS d;
END $$;

-- An amendment (Form 3/A, 4/A, 5/A) replaces what its owner reported for that issuer and period in
-- the form that it amends, from the moment the amendment was public (Rule 16a-3; the form's own
-- "date of original submission" names the filing). Versions that ended as they began are none.
CREATE OR REPLACE FUNCTION settle_insiders(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
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
            WITH amendment AS (
                SELECT issuer_id, owner_cik, replace(form, '/A', '') AS amended_form,
                       period_of_report, original_filing_date, min(known_at) AS known_at
                FROM (SELECT issuer_id, owner_cik, form, period_of_report, original_filing_date, known_at
                      FROM disclosed.insider_transaction
                      WHERE issuer_id = ANY($1) AND form LIKE '%%/A'
                        AND superseded_at IS DISTINCT FROM known_at
                      UNION ALL
                      SELECT issuer_id, owner_cik, form, period_of_report, original_filing_date, known_at
                      FROM disclosed.insider_holding
                      WHERE issuer_id = ANY($1) AND form LIKE '%%/A'
                        AND superseded_at IS DISTINCT FROM known_at
                     ) amended
                WHERE original_filing_date IS NOT NULL
                GROUP BY 1, 2, 3, 4, 5),
            closing AS (
                SELECT t.issuer_id, t.row_id,
                       greatest(t.known_at, least(a.known_at, (
                           SELECT min(n.known_at) FROM disclosed.%1$I n
                           WHERE n.issuer_id = t.issuer_id AND disclosed.key_hash(n.record_key) = disclosed.key_hash(t.record_key)
                             AND n.record_key = t.record_key AND (n.superseded_at IS NULL OR n.superseded_at IS NOT NULL)
                             AND n.known_at >= t.known_at AND n.row_id <> t.row_id
                             AND (n.known_at, n.row_id) > (t.known_at, t.row_id)))) AS superseded_at
                FROM amendment a JOIN disclosed.%1$I t
                  ON t.issuer_id = a.issuer_id AND t.filing_date = a.original_filing_date
                 AND t.owner_cik = a.owner_cik AND t.form = a.amended_form
                 AND t.period_of_report IS NOT DISTINCT FROM a.period_of_report
                WHERE t.superseded_at IS DISTINCT FROM t.known_at)
            UPDATE disclosed.%1$I t SET superseded_at = c.superseded_at
            FROM closing c
            WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id
              AND t.superseded_at IS DISTINCT FROM c.superseded_at
        $sql$, dataset_table) USING issuers;
    END LOOP;
END $$;

-- Says in the reports of work_portfolio what is stored of them.
CREATE OR REPLACE FUNCTION total_reports() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        WITH total AS (
            SELECT t.issuer_id, t.accession, count(*) AS entries, sum(t.value) AS value
            FROM pg_temp.work_portfolio w
            JOIN disclosed.institution_position t USING (issuer_id, period_of_report)
            WHERE t.superseded_at IS NULL OR NOT EXISTS (
                SELECT 1 FROM disclosed.institution_position n
                WHERE n.issuer_id = t.issuer_id AND disclosed.key_hash(n.record_key) = disclosed.key_hash(t.record_key)
                  AND n.record_key = t.record_key AND (n.superseded_at IS NULL OR n.superseded_at IS NOT NULL)
                  AND (n.known_at, n.row_id) > (t.known_at, t.row_id))
            GROUP BY 1, 2)
        UPDATE disclosed.institution_report r
        SET entries_stored = coalesce(t.entries, 0), value_stored = coalesce(t.value, 0),
            settled_period = r.period_of_report, settled_known_at = r.known_at
        FROM pg_temp.work_portfolio w
        JOIN disclosed.institution_report q USING (issuer_id, period_of_report)
        LEFT JOIN total t ON t.issuer_id = q.issuer_id AND t.accession = q.accession
        WHERE r.issuer_id = q.issuer_id AND r.row_id = q.row_id AND q.superseded_at IS NULL
          AND (r.entries_stored, r.value_stored, r.settled_period, r.settled_known_at) IS DISTINCT FROM
              (coalesce(t.entries, 0), coalesce(t.value, 0), r.period_of_report, r.known_at) $q$;
END $$;

-- ------------------------------------------------------ expected values

-- What settling will most likely write into columns that are derived, and of the end of versions, of the rows that are staged: stored
-- with it they need not be written again. Settling decides.

-- Listings of rows by ticker, in a table whose rows have spellings (listing_of_spellings()). Looked up once for each code.
CREATE FUNCTION expected_symbols(dataset text) RETURNS TABLE (row_order bigint, superseded_at timestamptz, symbol text)
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        WITH staged AS MATERIALIZED (
            SELECT s.row_order, s.symbol_code, s.spellings, coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AS issuer_id
            FROM pg_temp.%1$I s LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party),
        named AS MATERIALIZED (
            SELECT d.*, disclosed.listing_of_spellings(d.issuer_id, d.spellings, d.symbol_code) AS symbol
            FROM (SELECT DISTINCT issuer_id, symbol_code, spellings FROM staged) d)
        SELECT s.row_order, NULL::timestamptz, n.symbol
        FROM staged s JOIN named n ON n.issuer_id = s.issuer_id AND n.symbol_code = s.symbol_code
         AND coalesce(n.spellings, '') = coalesce(s.spellings, '')
        WHERE n.symbol IS NOT NULL
    $sql$, 'stage_' || dataset);
END $$;

-- Companies of politicians' trades (map_congress_tickers()), where the asset bears the company's name: then the day of filing,
-- which may still change, does not matter.
CREATE FUNCTION expected_congress_companies()
RETURNS TABLE (row_order bigint, superseded_at timestamptz, company_id bigint, symbol text) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
        WITH named AS MATERIALIZED (
            SELECT d.ticker, d.asset_name, l.company_id, l.symbol
            FROM (SELECT DISTINCT s.ticker, s.asset_name FROM pg_temp.stage_congress_trade s WHERE s.ticker IS NOT NULL) d
            CROSS JOIN LATERAL disclosed.listing_of_ticker(d.ticker) l
            WHERE l.company_id IS NOT NULL AND disclosed.is_ticker_of(l.symbol, l.company_id, NULL, d.asset_name))
        SELECT s.row_order, NULL::timestamptz, n.company_id, n.symbol
        FROM pg_temp.stage_congress_trade s JOIN named n ON n.ticker = s.ticker AND n.asset_name = s.asset_name;
END $$;

-- Companies of funds' equity holdings (map_fund_rows()), and the ends of the reports that they are of (order_fund_holdings()).
CREATE FUNCTION expected_fund_companies()
RETURNS TABLE (row_order bigint, superseded_at timestamptz, company_id bigint, symbol text) LANGUAGE plpgsql AS $$
DECLARE
    dated text[] := ARRAY(SELECT DISTINCT cusip FROM disclosed.security_link WHERE basis = 'stated');
BEGIN
    RETURN QUERY
        WITH held AS MATERIALIZED (
            SELECT s.row_order, coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AS issuer_id, s.report_key,
                   CASE WHEN s.asset_category IN ('EC', 'EP')
                         AND (coalesce(s.cusip, disclosed.cusip_of_isin(s.isin)) = ANY (dated)) IS NOT TRUE
                        THEN ARRAY[s.cusip, s.isin, s.ticker,
                                   CASE WHEN s.ticker IS NOT NULL THEN disclosed.first_word_of_name(s.name) END,
                                   CASE WHEN s.ticker IS NOT NULL THEN disclosed.first_word_of_name(s.title) END, NULL] END AS code
            FROM pg_temp.stage_fund_holding s
            LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party),
        named AS MATERIALIZED (
            SELECT c.code, disclosed.listing_of_code(c.code) AS listing
            FROM (SELECT DISTINCT h.code FROM held h WHERE h.code IS NOT NULL) c),
        ended AS MATERIALIZED (
            SELECT f.issuer_id, f.record_key, max(t.ends_at) AS ends_at
            FROM disclosed.fund_timeline(ARRAY(SELECT DISTINCT h.issuer_id FROM held h)) t
            JOIN disclosed.fund f USING (issuer_id, row_id)
            GROUP BY 1, 2 HAVING bool_and(t.ends_at IS NOT NULL))
        SELECT h.row_order, e.ends_at, (n.listing ->> 0)::bigint, n.listing ->> 1
        FROM held h LEFT JOIN named n USING (code)
        LEFT JOIN ended e ON e.issuer_id = h.issuer_id AND e.record_key = h.report_key
        WHERE n.listing IS NOT NULL OR e.ends_at IS NOT NULL;
END $$;

-- Brings the company and symbol of trades up to date: of those known by one of the tickers (listed_ticker),
-- and of the politicians' trades that have none yet, or have just been stored with one. Returns the politicians.
CREATE OR REPLACE FUNCTION map_congress_tickers(tickers text[], politicians bigint[]) RETURNS SETOF bigint
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
        WHERE t.issuer_id = ANY(politicians) AND t.ticker IS NOT NULL AND (t.company_id IS NULL OR t.recorded_at = now())),
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
