-- For each company the funds that hold it, and what follows from funds' reports altogether.

SET LOCAL search_path = disclosed, public;

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

-- ------------------------------------------------ what follows from a load

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

-- Funds, classes or holdings have come: CUSIPs that the holdings title are linked, and reports whose
-- time, name or holdings are others than when they were settled are settled. Exposures are counted as
-- they change, so that no company is counted anew.
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
    PERFORM disclosed.link_new_holdings(now());
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
