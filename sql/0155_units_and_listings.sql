-- The unit of a 13F report's values is decided again when its filing date changes; a holding abroad needs more than a ticker and a first word;
-- a sum of which a part is not stated is not stated; funds of exchange-traded funds are none.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------ Form 13F

-- What the stored rows of a report say of its unit, as holdings_scale.c weighs the rows of a file: their sum as filed, rows that imply a price and of
-- these those below 1 a share, and the first sixteen securities among them.
CREATE FUNCTION value_scale_evidence(manager bigint, period date, report text, OUT total numeric, OUT priced bigint, OUT below_one bigint,
                                     OUT cusips text[]) LANGUAGE sql STABLE AS $$
    WITH latest AS (
        SELECT DISTINCT ON (p.row_number) p.row_number, p.value_as_filed AS value, p.cusip, p.shares,
               p.shares > 0 AND p.value_as_filed > 0 AND p.put_call IS NULL AND p.cusip IS NOT NULL
               AND coalesce(p.class_title, '') !~* 'WARRANT|RIGHT| WT|W EXP|^WT' AS is_priced
        FROM disclosed.institution_position p
        WHERE p.issuer_id = manager AND p.period_of_report = period AND p.accession = report AND p.left_out IS NULL
        ORDER BY p.row_number, p.known_at DESC, p.row_id DESC)
    SELECT sum(l.value), count(*) FILTER (WHERE l.is_priced), count(*) FILTER (WHERE l.is_priced AND l.value < l.shares),
           ARRAY(SELECT c.cusip FROM latest c WHERE c.is_priced AND length(c.cusip) <= 9
                 GROUP BY c.cusip ORDER BY min(c.row_number) LIMIT 16)
    FROM latest l
$$;

-- The unit that such evidence shows, by the rules of dsc_scale_decide(). `stated`: the summary page's total; `in_thousands`: what was due.
CREATE FUNCTION decide_value_scale(total numeric, priced bigint, below_one bigint, securities integer, stated numeric, in_thousands boolean,
                                   OUT row_factor integer, OUT total_factor integer, OUT why text, OUT confirmed boolean)
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    cheap CONSTANT boolean := below_one * 2 >= priced;
    times CONSTANT numeric := CASE WHEN stated > 0 THEN total / stated END;
BEGIN
    confirmed := true;
    why := format('%s of %s rows imply less than 1 a share', below_one, priced);
    IF times > 995 AND times < 1005 AND (securities < 3 OR NOT cheap) THEN
        row_factor := 1;
        total_factor := 1000;
        why := 'the rows amount to 1000 times the summary page''s total, which is in thousands';
    ELSIF times > 0.000995 AND times < 0.001005 AND (securities < 3 OR cheap) THEN
        row_factor := 1000;
        total_factor := 1;
        why := 'the summary page''s total is 1000 times what the rows amount to, and in dollars';
    ELSIF securities >= 3 AND cheap THEN
        row_factor := 1000;
        confirmed := in_thousands OR securities >= 5 AND below_one * 10 >= priced * 9;
    ELSIF securities >= 5 AND NOT in_thousands THEN
        row_factor := 1;
    ELSE
        row_factor := CASE WHEN in_thousands THEN 1000 ELSE 1 END;
        confirmed := priced = 0 OR in_thousands AND cheap;
        why := why || CASE WHEN confirmed THEN '' ELSE ', which decides nothing' END;
    END IF;
    total_factor := coalesce(total_factor, row_factor);
END $$;

-- Decides the unit of these reports from their rows. What others' reports have shown is kept if `keeps_compared`, unless the rows bear the unit out
-- themselves. Returns the managers and quarters, and whether the values have changed.
CREATE FUNCTION decide_value_scales(accessions text[], keeps_compared boolean)
RETURNS TABLE (manager bigint, period date, report text, has_changed boolean) LANGUAGE plpgsql AS $$
DECLARE
    decided record;
BEGIN
    FOR decided IN
        SELECT r.issuer_id, r.period_of_report, r.accession, d.*, e.cusips, e.priced,
               (r.value_factor, r.total_factor) IS DISTINCT FROM (d.row_factor, d.total_factor) AS is_other
        FROM disclosed.institution_report r
        CROSS JOIN LATERAL disclosed.value_scale_evidence(r.issuer_id, r.period_of_report, r.accession) e
        CROSS JOIN LATERAL disclosed.decide_value_scale(e.total, e.priced, e.below_one, cardinality(e.cusips), r.table_value_total,
                                                        split_part(r.value_scale_reason, '; ', 1) LIKE '%when thousands were due') d
        WHERE r.accession = ANY (accessions) AND r.superseded_at IS NULL
          AND (d.confirmed OR NOT keeps_compared OR r.scale_compared IS NOT TRUE)
    LOOP
        UPDATE disclosed.institution_position p
        SET value = p.value_as_filed * decided.row_factor,
            value_scale = CASE decided.row_factor WHEN 1000 THEN 'thousands, multiplied by 1000' END
        WHERE p.issuer_id = decided.issuer_id AND p.accession = decided.accession AND p.value <> p.value_as_filed * decided.row_factor;
        UPDATE disclosed.institution_report r
        SET value_factor = decided.row_factor, total_factor = decided.total_factor,
            value_scale = CASE decided.row_factor WHEN 1000 THEN 'thousands, multiplied by 1000' ELSE 'dollars as filed' END,
            value_scale_reason = split_part(r.value_scale_reason, '; ', 1) || '; ' || decided.why,
            unconfirmed_cusips = CASE WHEN NOT decided.confirmed AND decided.cusips <> '{}' THEN decided.cusips END, scale_compared = false,
            settled_known_at = CASE WHEN NOT decided.is_other THEN r.settled_known_at END
        WHERE r.issuer_id = decided.issuer_id AND r.accession = decided.accession;
        RETURN QUERY SELECT decided.issuer_id, decided.period_of_report, decided.accession, decided.is_other;
    END LOOP;
END $$;

-- The reports whose unit was decided by comparison with rows of these, which have other values now.
CREATE FUNCTION reports_compared_with(accessions text[], periods date[]) RETURNS SETOF text LANGUAGE sql STABLE AS $$
    SELECT DISTINCT r.accession
    FROM disclosed.institution_report r
    JOIN disclosed.institution_position p ON p.issuer_id = r.issuer_id AND p.period_of_report = r.period_of_report AND p.accession = r.accession
    WHERE r.period_of_report = ANY (periods) AND r.scale_compared AND r.superseded_at IS NULL AND r.accession <> ALL (accessions)
      AND EXISTS (SELECT 1 FROM disclosed.institution_position o
                  WHERE o.cusip = p.cusip AND o.period_of_report = p.period_of_report AND o.accession = ANY (accessions))
$$;

-- Decides anew the unit of reports for which another one was due than was believed, and of those that were compared with them. Returns the managers.
CREATE FUNCTION decide_value_scales_again(accessions text[]) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    managers bigint[];
    periods date[];
    changed text[];
    asking text[];
    cusips text[];
BEGIN
    SELECT array_agg(d.manager), array_agg(DISTINCT d.period), array_agg(d.report) FILTER (WHERE d.has_changed)
    INTO managers, periods, changed FROM disclosed.decide_value_scales(accessions, true) d;
    IF managers IS NULL THEN
        RETURN '{}';
    END IF;
    asking := ARRAY(SELECT * FROM disclosed.reports_compared_with(changed, periods));
    managers := managers || ARRAY(SELECT d.manager FROM disclosed.decide_value_scales(asking, false) d);
    cusips := ARRAY(SELECT DISTINCT p.cusip FROM disclosed.institution_position p
                    WHERE p.issuer_id = ANY (managers) AND p.period_of_report = ANY (periods) AND p.accession = ANY (accessions || asking)
                      AND p.cusip IS NOT NULL);
    RETURN managers || ARRAY(SELECT c.changed_issuer FROM disclosed.compare_value_scales(periods, cusips) c);
END $$;

-- Reports that a source dates as well as they were, or better, are known from then, with their rows: all versions that
-- began together begin together. The reason of a report's unit names the date in force, and where another unit was due on it, the unit is decided
-- again. Returns the managers.
CREATE OR REPLACE FUNCTION redate_institution_reports(accessions text[], public_at timestamptz[], filed_on date[],
                                           dated text[])
RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    managers bigint[];
    redated text[];
    others text[];
BEGIN
    WITH better AS MATERIALIZED (
        SELECT r.issuer_id, r.period_of_report, r.accession, r.known_at AS was,
               t.known_at, t.filed_on, t.dated_by
        FROM unnest(accessions, public_at, filed_on, dated) AS t(accession, known_at, filed_on, dated_by)
        JOIN disclosed.institution_report r ON r.accession = t.accession AND r.superseded_at IS NULL
        WHERE (disclosed.rank_of_date(t.dated_by) < disclosed.rank_of_date(r.dated_by)
               OR ((t.dated_by = 'filing' OR t.dated_by = r.dated_by)
                   AND (r.known_at, r.filing_date) IS DISTINCT FROM (t.known_at, t.filed_on)))
          AND r.period_of_report <= (t.known_at AT TIME ZONE 'UTC')::date + 14), -- no date of a report is before its quarter's end
    rows AS (
        UPDATE disclosed.institution_position p
        SET known_at = b.known_at, filing_date = b.filed_on,
            superseded_at = CASE WHEN p.superseded_at = p.known_at THEN b.known_at
                                 WHEN p.superseded_at IS NOT NULL THEN greatest(p.superseded_at, b.known_at) END
        FROM better b
        WHERE p.issuer_id = b.issuer_id AND p.period_of_report = b.period_of_report
          AND p.accession = b.accession AND p.known_at = b.was),
    reports AS (
        UPDATE disclosed.institution_report r
        SET known_at = b.known_at, filing_date = b.filed_on, dated_by = b.dated_by,
            superseded_at = CASE WHEN r.superseded_at = r.known_at THEN b.known_at
                                 WHEN r.superseded_at IS NOT NULL THEN greatest(r.superseded_at, b.known_at) END
        FROM better b
        WHERE r.issuer_id = b.issuer_id AND r.accession = b.accession AND r.known_at = b.was
        RETURNING r.issuer_id, r.accession, r.dated_by)
    SELECT array_agg(DISTINCT issuer_id), array_agg(DISTINCT accession) FILTER (WHERE dated_by <> 'signed')
    INTO managers, redated FROM reports;
    -- the date of a signature is no filing date: what was due by it depends on the schema, which only the document tells
    WITH said AS (
        SELECT r.issuer_id, r.row_id, r.accession, split_part(r.value_scale_reason, '; ', 1) AS rule,
               CASE WHEN r.filing_date < '2023-01-03' THEN 'thousands' ELSE 'dollars' END AS due, r.filing_date
        FROM disclosed.institution_report r
        WHERE r.accession = ANY (redated) AND r.superseded_at IS NULL AND r.filing_date IS NOT NULL
          AND r.value_scale_reason ~ '^(filed|signed|of the period|schema) .*; '),
    told AS (
        UPDATE disclosed.institution_report r
        SET value_scale_reason = format('filed %s, when %s were due', s.filing_date, s.due) || substr(r.value_scale_reason, length(s.rule) + 1)
        FROM said s WHERE r.issuer_id = s.issuer_id AND r.row_id = s.row_id)
    SELECT array_agg(s.accession) INTO others FROM said s WHERE (s.rule LIKE '%thousands were due') <> (s.due = 'thousands');
    IF others IS NOT NULL THEN
        managers := ARRAY(SELECT DISTINCT unnest(managers || disclosed.decide_value_scales_again(others)));
    END IF;
    RETURN managers;
END $$;

-- ------------------------------------------------------------------------ Form N-PORT

-- What a holding says of its security: cusip, isin, ticker, name and title where there is a ticker, the day where it matters, and beside a ticker whether
-- it is traded abroad: in another currency, or under an ISIN of another country.
CREATE FUNCTION said_of_security(cusip text, isin text, ticker text, name text, title text, currency text, on_date date, dated text[]) RETURNS text[]
LANGUAGE sql STABLE AS $$
    SELECT ARRAY[cusip, isin, ticker, CASE WHEN ticker IS NOT NULL THEN name END, CASE WHEN ticker IS NOT NULL THEN title END,
                 CASE WHEN coalesce(cusip, disclosed.cusip_of_isin(isin)) = ANY (dated) THEN on_date::text END,
                 CASE WHEN ticker IS NOT NULL AND (currency <> 'USD' OR isin !~ '^US') THEN 'abroad' END]
$$;

-- The code by which listings_of_code() finds it: with the first words of name and title, and of one abroad the name in full.
CREATE OR REPLACE FUNCTION code_of_said(said text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ARRAY[said[1], said[2], said[3], disclosed.first_word_of_name(said[4]), disclosed.first_word_of_name(said[5]), said[6],
                 CASE WHEN said[7] = 'abroad' THEN coalesce(said[4], said[5], '') END]
$$;

-- Whether names are one company's, but for legal forms and spellings: Shopify Inc. and SHOPIFY INC, not American Shipping and American Superconductor.
CREATE FUNCTION are_one_name(one text, other text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM disclosed.name_keys(ARRAY[one], false) a JOIN disclosed.name_keys(ARRAY[other], false) b USING (words))
$$;

-- As before, but that a ticker abroad may be another company's here: a holding there needs the name in full.
CREATE OR REPLACE FUNCTION listings_of_code(code text[]) RETURNS TABLE (company_id bigint, symbol text) LANGUAGE sql STABLE ROWS 1 AS $$
    SELECT found.company_id, found.symbol
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
             AND (code[7] IS NULL OR disclosed.are_one_name(l.name, code[7]))
           ORDER BY l.superseded_at IS NOT NULL, l.status <> 'active', l.listing_rank, l.known_at DESC, disclosed.issuer_order(l.issuer_id), l.symbol COLLATE "C" LIMIT 1)) found
    ORDER BY found.place LIMIT 1
$$;

-- Maps the holdings in pg_temp.fund_row again; returns the reports of those that have moved. As few as these mostly are, they are looked up.
CREATE OR REPLACE FUNCTION map_fund_rows() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    dated text[] := disclosed.dated_cusips();
BEGIN
    PERFORM disclosed.analyze_working('fund_row');
    INSERT INTO pg_temp.fund_code
    SELECT h.issuer_id, h.row_id, r.report_id, h.company_id, h.symbol,
           disclosed.said_of_security(h.cusip, h.isin, h.ticker, h.name, h.title, h.currency, r.report_date, dated)
    FROM pg_temp.fund_row r JOIN disclosed.fund_holding h USING (issuer_id, row_id);
    PERFORM disclosed.analyze_working('fund_code');
    RETURN QUERY SELECT * FROM disclosed.map_fund_codes();
END $$;

-- The same of all holdings of these reports.
CREATE OR REPLACE FUNCTION map_fund_holdings(reports bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    dated text[] := disclosed.dated_cusips();
BEGIN
    PERFORM disclosed.begin_fund_rows();
    INSERT INTO pg_temp.fund_code
    SELECT f.issuer_id, h.row_id, f.id, h.company_id, h.symbol,
           disclosed.said_of_security(h.cusip, h.isin, h.ticker, h.name, h.title, h.currency, f.report_date, dated)
    FROM (SELECT DISTINCT id, issuer_id, record_key, report_date FROM disclosed.fund
          WHERE id = ANY(reports)) f
    CROSS JOIN LATERAL (
        SELECT x.row_id, x.company_id, x.symbol, x.cusip, x.isin, x.ticker, x.name, x.title, x.currency FROM disclosed.fund_holding x
        WHERE x.issuer_id = f.issuer_id AND x.report_key = f.record_key
          AND x.asset_category IN ('EC', 'EP') OFFSET 0) h;
    PERFORM count(*) FROM disclosed.map_fund_codes();
END $$;

-- Companies of funds' equity holdings (map_fund_rows()), and the ends of the reports that they are of (order_fund_holdings()).
CREATE OR REPLACE FUNCTION expected_fund_companies()
RETURNS TABLE (row_order bigint, superseded_at timestamptz, company_id bigint, symbol text) LANGUAGE plpgsql AS $$
DECLARE
    dated text[] := disclosed.dated_cusips();
BEGIN
    RETURN QUERY
        WITH held AS MATERIALIZED (
            SELECT s.row_order, coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AS issuer_id, s.report_key,
                   CASE WHEN s.asset_category IN ('EC', 'EP')
                         AND (coalesce(s.cusip, disclosed.cusip_of_isin(s.isin)) = ANY (dated)) IS NOT TRUE
                        THEN disclosed.said_of_security(s.cusip, s.isin, s.ticker, s.name, s.title, s.currency, NULL, '{}') END AS said
            FROM pg_temp.stage_fund_holding s
            LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party),
        named AS MATERIALIZED (
            SELECT m.said::text[] AS said, l.company_id, l.symbol
            FROM (SELECT disclosed.code_of_said(s.said) AS code, array_agg(s.said::text) AS many
                  FROM (SELECT DISTINCT h.said FROM held h WHERE h.said IS NOT NULL) s GROUP BY 1) c
            CROSS JOIN LATERAL disclosed.listings_of_code(c.code) l CROSS JOIN LATERAL unnest(c.many) AS m(said)),
        ended AS MATERIALIZED (
            SELECT f.issuer_id, f.record_key, max(t.ends_at) AS ends_at
            FROM disclosed.fund_timeline(ARRAY(SELECT DISTINCT h.issuer_id FROM held h)) t
            JOIN disclosed.fund f USING (issuer_id, row_id)
            GROUP BY 1, 2 HAVING bool_and(t.ends_at IS NOT NULL))
        SELECT h.row_order, e.ends_at, n.company_id, n.symbol
        FROM held h LEFT JOIN named n USING (said)
        LEFT JOIN ended e ON e.issuer_id = h.issuer_id AND e.record_key = h.report_key
        WHERE n.said IS NOT NULL OR e.ends_at IS NOT NULL;
END $$;

DROP FUNCTION said_of_security(text, text, text, text, text, date, text[]); -- asked for by map_fund_rows(), map_fund_holdings() and expected_fund_companies() alone

-- A report's holdings by the report alone: by its statistics the index of holdings of known companies is empty while a load maps the first of them,
-- and would be read whole for each report.
CREATE OR REPLACE FUNCTION fund_exposures_of(reports bigint[])
RETURNS TABLE (company_id bigint, registrant_id bigint, fund_row bigint, report_id bigint, record_key text, fund_name text, fund_ticker text,
    report_date date, known_at timestamptz, superseded_at timestamptz, shares numeric, value numeric, weight_pct numeric, payoff_profile text,
    is_etf boolean) LANGUAGE sql STABLE AS $$
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
            SELECT * FROM disclosed.fund_holding x WHERE x.issuer_id = r.issuer_id AND x.report_key = r.record_key OFFSET 0) h
        WHERE h.company_id IS NOT NULL AND h.asset_category IN ('EC', 'EP') AND h.unit = 'NS' AND h.superseded_at IS DISTINCT FROM h.known_at
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
               CASE WHEN count(h.shares) = count(*) THEN sum(CASE WHEN h.short THEN -abs(h.shares) ELSE h.shares END) END AS shares,
               CASE WHEN count(h.value) = count(*) THEN sum(CASE WHEN h.short THEN -abs(h.value) ELSE h.value END) END AS value,
               CASE WHEN count(h.weight_pct) = count(*) THEN sum(CASE WHEN h.short THEN -abs(h.weight_pct) ELSE h.weight_pct END) END AS weight_pct
        FROM unnest(g.known, g.until, g.short, g.shares, g.value, g.weight_pct)
             AS h(known_at, superseded_at, short, shares, value, weight_pct)
        WHERE h.known_at <= s.at AND (h.superseded_at IS NULL OR h.superseded_at > s.at)) t
    WHERE t.rows > 0$$;

-- Whether a name says that it is one of an exchange-traded fund, and not of a fund that holds such funds; NULL where there is no name.
CREATE OR REPLACE FUNCTION says_etf(name text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT name ~* '\m(ETFs?|exchange[- ]traded)\M'
       AND name !~* '\m(non[- ]?|of )(ETFs?|exchange[- ]traded)\M|\m(ETFs?|exchange[- ]traded funds?) (.*\m)?(allocation|portfolios?)\M'
                    '|\m(ETFs|exchange[- ]traded funds) .*\m(fund|portfolio)\M'
$$;
