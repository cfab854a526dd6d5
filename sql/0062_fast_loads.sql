-- Loads do less for each row: what is known once is not looked up again.

SET LOCAL search_path = disclosed, public;

-- As part of the statement that calls it: the text of a row hangs on settings, so that PostgreSQL took an immutable one as a query of
-- its own for each source.
ALTER FUNCTION source_key(text, boolean, text, bytea, timestamptz, bigint) STABLE;

-- ------------------------------------------------------------------ events

-- What does not state its period has that of other evidence of the same days, that of the periodic report which
-- follows it, or the last fiscal quarter that had ended, whichever was known first. The end of that quarter is worked out behind the
-- look-up of the fiscal year (OFFSET 0), not for each year that the issuer ever had.
CREATE OR REPLACE FUNCTION complete_event_periods() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH lacking AS MATERIALIZED (
        SELECT number, holder_id AS issuer_id, event_on, known_at FROM pg_temp.event_evidence
        WHERE type = 'earnings' AND period_rank IS NULL),
    year AS (
        SELECT l.number, l.event_on, y.known_at, n.year_end
        FROM lacking l
        LEFT JOIN pg_temp.fiscal_year k ON k.issuer_id = l.issuer_id AND k.since <= l.known_at AND k.until > l.known_at
        CROSS JOIN LATERAL (
            SELECT CASE WHEN k.year_end IS NOT NULL THEN l.known_at
                        ELSE (SELECT min(t.told_at) FROM pg_temp.fiscal_year_told t
                              WHERE t.issuer_id = l.issuer_id AND t.told_at > l.known_at) END AS known_at OFFSET 0) y
        LEFT JOIN pg_temp.fiscal_year n ON n.issuer_id = l.issuer_id AND n.since <= y.known_at AND n.until > y.known_at
        WHERE y.known_at IS NOT NULL OFFSET 0),
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
        SELECT number, known_at, 7, 0, 0, '', disclosed.quarter_end_before(event_on, year_end),
               NULL, 'the last fiscal quarter that had ended'
        FROM year)
    UPDATE pg_temp.event_evidence e
    SET period_end_date = first.period_end_date, period_rank = first.rank, period_basis = first.basis,
        period_kind = coalesce(first.period_kind, e.period_kind), period_known_at = first.known_at
    FROM (SELECT DISTINCT ON (number) * FROM told WHERE period_end_date IS NOT NULL
          ORDER BY number, known_at, rank, surer, away, source_key) first
    WHERE e.number = first.number;
END $$;

-- ---------------------------------------------------------------------------- trades of Congress

-- The same as before, without a query for each call.
CREATE OR REPLACE FUNCTION congress_amount(amount text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    number numeric := replace((regexp_match(amount, '\d[\d,]{0,24}(?:\.\d{1,9})?'))[1], ',', '')::numeric;
BEGIN
    RETURN coalesce(trim_scale(number + CASE WHEN amount ~* '\mover\M' THEN 1 ELSE 0 END)::text,
                    disclosed.congress_letters(amount));
END $$;

-- Reads the rows of a file, an array of objects with a number `n` each: what they say, and the record that each of them
-- is. Of trades with all in common a row is the stored one that has its words, else one that can be it; others get numbers
-- of their own. `known_at` is when a stored version said the same; `party` is who filed the report, by the best of what is
-- known; `dated_as` are the words beside which its date stands.
CREATE OR REPLACE FUNCTION identify_congress_trades(in_chamber text, given_rows jsonb)
RETURNS TABLE (n integer, party text, owner text, ticker text, asset_name text, asset_type text, record_key text,
               known_at timestamptz, dated_as text)
LANGUAGE sql STABLE SET enable_nestloop = off AS $$
    WITH read AS MATERIALIZED (
        SELECT r.n, r.report_id, r.party, r.read_from, r.transaction_type, r.transaction_date, r.amount_range, r.comment,
               r.first_name, r.last_name, r.political_party, r.state_district, r.day,
               CASE WHEN c.is_read THEN c.owner ELSE r.owner END AS owner,
               CASE WHEN c.is_read THEN c.ticker ELSE r.ticker END AS ticker,
               CASE WHEN c.is_read THEN c.asset ELSE r.asset_name END AS asset_name,
               CASE WHEN c.is_read THEN c.asset_type ELSE r.asset_type END AS asset_type
        FROM jsonb_to_recordset(given_rows) AS r(n integer, report_id text, party text, read_from text, transaction_type text,
             transaction_date date, owner text, ticker text, asset_name text, asset_type text, amount_range text, comment text,
             first_name text, last_name text, political_party text, state_district text, day date)
        LEFT JOIN LATERAL (SELECT true AS is_read, d.* FROM disclosed.congress_reading(r.owner, r.ticker, r.asset_name,
                                                                                     r.asset_type) d) c
               ON in_chamber = 'house' AND r.read_from = 'copy' AND r.asset_name IS NOT NULL),
    kind AS MATERIALIZED ( -- each kind of asset is looked up once
        SELECT d.asset_type, disclosed.congress_asset_type(d.asset_type) AS term FROM (SELECT DISTINCT r.asset_type FROM read r) d),
    given AS MATERIALIZED (
        SELECT r.n, r.report_id, r.party, r.read_from, r.transaction_type, r.transaction_date, r.amount_range, r.comment,
               r.first_name, r.last_name, r.political_party, r.state_district, r.day, r.owner, r.ticker, r.asset_name, k.term AS asset_type
        FROM read r LEFT JOIN kind k USING (asset_type)),
    said AS MATERIALIZED (
        SELECT g.*, disclosed.congress_trade_base(in_chamber, g.report_id, g.transaction_type, g.transaction_date, g.owner, g.ticker,
                                                  g.asset_name, g.amount_range) AS base,
               disclosed.congress_words(g.asset_type, g.asset_name, g.comment) AS words FROM given g),
    stored AS MATERIALIZED (
        SELECT t.*, regexp_replace(t.record_key, '/\d+$', '') AS base, substring(t.record_key FROM '\d+$')::integer AS number,
               disclosed.congress_words(t.asset_type, t.asset_name, t.comment) AS words
        FROM disclosed.congress_trade t
        WHERE t.chamber = in_chamber AND t.report_id = ANY (ARRAY(SELECT s.report_id FROM said s))
          AND disclosed.is_congress_base_key(t.record_key)),
    standing AS (
        SELECT DISTINCT ON (s.record_key) s.base, s.number, s.words, s.comment, s.asset_type, s.asset_name FROM stored s
        ORDER BY s.record_key, s.superseded_at IS NOT NULL, s.known_at DESC, s.row_id DESC),
    same AS MATERIALIZED (
        SELECT f.n, f.base, h.number
        FROM (SELECT s.n, s.base, s.words, row_number() OVER (PARTITION BY s.base, s.words ORDER BY s.day, s.n) AS place FROM said s) f
        JOIN (SELECT s.base, s.number, s.words, row_number() OVER (PARTITION BY s.base, s.words ORDER BY s.number) AS place
              FROM standing s) h USING (base, words, place)),
    rest AS (
        SELECT s.n, s.base, s.comment, s.asset_type, s.asset_name,
               row_number() OVER (PARTITION BY s.base ORDER BY s.asset_type IS DISTINCT FROM 'Stock', s.words, s.day, s.n) AS place
        FROM said s LEFT JOIN same m USING (n) WHERE m.n IS NULL),
    paired AS MATERIALIZED (
        SELECT r.n, r.base, r.place, h.number
        FROM rest r LEFT JOIN (
            SELECT s.*, row_number() OVER (PARTITION BY s.base ORDER BY s.number) AS place
            FROM standing s LEFT JOIN same m USING (base, number) WHERE m.n IS NULL) h
          ON h.base = r.base AND h.place = r.place
             AND disclosed.congress_can_be_one(r.comment, h.comment) AND disclosed.congress_can_be_one(r.asset_type, h.asset_type)
             AND (in_chamber = 'house' OR disclosed.congress_can_be_one(r.asset_name, h.asset_name))),
    numbered AS MATERIALIZED (
        SELECT s.n, s.base || '/' || s.number AS record_key FROM same s
        UNION ALL SELECT p.n, p.base || '/' || p.number FROM paired p WHERE p.number IS NOT NULL
        UNION ALL
        SELECT p.n, p.base || '/' || (coalesce(l.number, 0) + row_number() OVER (PARTITION BY p.base ORDER BY p.place))
        FROM paired p LEFT JOIN (SELECT s.base, max(s.number) AS number FROM standing s GROUP BY s.base) l USING (base)
        WHERE p.number IS NULL),
    again AS (
        SELECT s.n, min(v.known_at) AS known_at
        FROM said s JOIN numbered k USING (n) JOIN stored v ON v.record_key = k.record_key
        WHERE (v.ticker, v.asset_name, v.amount_range, v.owner, v.read_from, v.asset_type, v.comment, v.first_name, v.last_name,
               v.political_party, v.state_district)
              IS NOT DISTINCT FROM (s.ticker, s.asset_name, s.amount_range, s.owner, s.read_from, s.asset_type, s.comment,
                                    s.first_name, s.last_name, s.political_party, s.state_district)
        GROUP BY s.n),
    filer AS (
        SELECT DISTINCT ON (f.report_id) f.report_id, f.party
        FROM (SELECT s.report_id, s.party, s.read_from FROM said s
              UNION ALL SELECT s.report_id, i.party_key, s.read_from FROM stored s JOIN disclosed.issuer i USING (issuer_id)) f
        ORDER BY f.report_id, f.read_from = 'copy', f.party LIKE '%-house', f.party COLLATE "C")
    SELECT s.n, f.party, s.owner, s.ticker, s.asset_name, s.asset_type, k.record_key, a.known_at,
           disclosed.congress_dated_as(s.base, s.words, row_number() OVER (PARTITION BY s.base, s.words ORDER BY s.day, s.n))
    FROM said s JOIN numbered k USING (n) JOIN filer f USING (report_id) LEFT JOIN again a USING (n) ORDER BY s.n
$$;

-- A join by the report alone compares each trade of a report with each of its others: whoever joins dates with trades does so by both.
ALTER FUNCTION congress_date_lines(text, text[], jsonb, timestamptz) SET enable_mergejoin = off;

CREATE OR REPLACE FUNCTION congress_version_lines(issuers bigint[])
RETURNS TABLE (issuer_id bigint, row_id bigint, from_at timestamptz, first_at timestamptz, filing_date date, basis text,
               is_public boolean)
LANGUAGE sql STABLE SET enable_nestloop = off SET enable_mergejoin = off AS $$
    WITH report AS MATERIALIZED (
        SELECT DISTINCT r.chamber, r.report_id FROM disclosed.congress_trade r
        WHERE r.issuer_id = ANY(issuers) AND disclosed.is_congress_base_key(r.record_key)
        UNION
        SELECT r.chamber, r.report_id FROM disclosed.congress_trade r
        WHERE r.chamber = 'house' AND disclosed.is_congress_base_key(r.record_key)
          AND r.report_id IN (SELECT i.report_id FROM disclosed.congress_report i WHERE i.issuer_id = ANY(issuers))),
    line AS MATERIALIZED (
        SELECT c.chamber, l.*, min(l.from_at) OVER (PARTITION BY c.chamber, l.report_id, l.dated_as) AS first_at
        FROM (SELECT r.chamber, array_agg(r.report_id) AS reports FROM report r GROUP BY r.chamber) c
        CROSS JOIN LATERAL disclosed.congress_date_lines(c.chamber, c.reports, NULL, NULL) l),
    said AS (
        SELECT t.issuer_id, t.row_id, t.chamber, t.report_id, regexp_replace(t.record_key, '/\d+$', '') AS base,
               substring(t.record_key FROM '\d+$')::integer AS number,
               disclosed.congress_words(t.asset_type, t.asset_name, t.comment) AS words
        FROM report r JOIN disclosed.congress_trade t USING (chamber, report_id)
        WHERE disclosed.is_congress_base_key(t.record_key) AND t.redated_from IS NULL),
    version AS MATERIALIZED (
        SELECT s.issuer_id, s.row_id, s.chamber, s.report_id, coalesce(o.dated_as, '') AS dated_as
        FROM (SELECT w.*, disclosed.congress_dated_as(w.base, w.words, dense_rank() OVER (
                         PARTITION BY w.base, w.words ORDER BY w.number)) AS dated_as FROM said w) s
        LEFT JOIN (SELECT DISTINCT l.chamber, l.report_id, l.dated_as FROM line l WHERE l.dated_as <> '') o
          ON o.chamber = s.chamber AND o.report_id = s.report_id AND o.dated_as = s.dated_as)
    SELECT v.issuer_id, v.row_id, l.from_at, l.first_at, l.filing_date, l.basis, l.is_public
    FROM version v JOIN line l ON l.chamber = v.chamber AND l.report_id = v.report_id AND l.dated_as = v.dated_as
$$;

-- The source that stands, of versions that files said and of those that have a better date later on. Each is compared with its own
-- files, or with those of the version that it dates anew. Returns the politicians.
CREATE OR REPLACE FUNCTION place_congress_sources(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH said AS MATERIALIZED (
        SELECT v.issuer_id, v.row_id, disclosed.congress_source_of(v.sources, v.known_at) AS source, v.source_provider, v.source_url,
               v.quote, v.content_hash, v.extracted_at, v.import_run_id
        FROM disclosed.congress_trade_sourced v
        WHERE v.issuer_id = ANY (issuers) AND v.sources IS NOT NULL AND v.redated_from IS NULL),
    version AS (
        SELECT * FROM said
        UNION ALL
        SELECT d.issuer_id, d.row_id, s.source, d.source_provider, d.source_url, d.quote, d.content_hash, d.extracted_at, d.import_run_id
        FROM disclosed.congress_trade_sourced d JOIN said s ON s.issuer_id = d.issuer_id AND s.row_id = d.redated_from
        WHERE d.issuer_id = ANY (issuers) AND d.redated_from IS NOT NULL)
    UPDATE disclosed.congress_trade t
    SET quote = v.source ->> 'quote',
        source_id = disclosed.source_of(v.source_provider, v.source ->> 'source_url', v.source ->> 'content_hash', v.extracted_at,
                                        v.import_run_id)
    FROM version v
    WHERE t.issuer_id = v.issuer_id AND t.row_id = v.row_id
      AND (v.source_url, v.quote, v.content_hash)
          IS DISTINCT FROM (v.source ->> 'source_url', v.source ->> 'quote', v.source ->> 'content_hash')
    RETURNING t.issuer_id
$$;

-- Notes of which file the rows that are merged next are, for their first source: see expected_congress_trades().
CREATE FUNCTION note_congress_file(file_at timestamptz, file_hash text) RETURNS TABLE (dataset text, politician bigint)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('disclosed.congress_file', jsonb_build_object('at', file_at, 'hash', file_hash)::text, true);
END $$;

-- What settling will say of staged trades: the company, and when and in which file they were seen first (take_congress_dates()), so
-- that none is written again.
DROP FUNCTION expected_congress_companies();
CREATE FUNCTION expected_congress_trades()
RETURNS TABLE (row_order bigint, superseded_at timestamptz, company_id bigint, symbol text, seen_at timestamptz, sources jsonb)
LANGUAGE plpgsql AS $$
DECLARE
    origin jsonb := nullif(current_setting('disclosed.congress_file', true), '')::jsonb;
    file_at timestamptz := origin ->> 'at';
BEGIN
    RETURN QUERY
        WITH named AS MATERIALIZED (
            SELECT d.ticker, d.asset_name, l.company_id, l.symbol
            FROM (SELECT DISTINCT s.ticker, s.asset_name FROM pg_temp.stage_congress_trade s WHERE s.ticker IS NOT NULL) d
            CROSS JOIN LATERAL disclosed.listing_of_ticker(d.ticker) l
            WHERE l.company_id IS NOT NULL AND disclosed.is_ticker_of(l.symbol, l.company_id, NULL, d.asset_name))
        SELECT s.row_order, NULL::timestamptz, n.company_id, n.symbol, file_at,
               CASE WHEN origin IS NOT NULL
                    THEN jsonb_build_array(disclosed.congress_source(file_at, f.url, s.quote, origin ->> 'hash')) END
        FROM pg_temp.stage_congress_trade s JOIN pg_temp.staged_source f USING (source_id)
        LEFT JOIN named n ON n.ticker = s.ticker AND n.asset_name = s.asset_name;
END $$;

-- ----------------------------------------------------------------- Forms 3, 4 and 5

-- An issuer is written again when a report names it: where its page has room no index is.
ALTER TABLE issuer SET (fillfactor = 50);

ALTER FUNCTION date_reports(text[], timestamptz[], date[]) SET plan_cache_mode = force_generic_plan;

-- What is stored of a Form 3, 4 or 5 before it is loaded: when it was public and filed, and whether a data set has said it.
CREATE FUNCTION stored_report(report_accession text, header_accepted timestamptz, header_filed date, signed date,
                              OUT known_at timestamptz, OUT filing_date date, OUT is_of_set boolean)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    SELECT d.known_at, d.filing_date INTO known_at, filing_date
    FROM disclosed.dates_of_report(report_accession, header_accepted, header_filed, signed) d;
    is_of_set := report_accession IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM disclosed.named_document n WHERE n.accession = report_accession)
        AND (EXISTS (SELECT 1 FROM disclosed.insider_transaction t WHERE t.accession = report_accession)
             OR EXISTS (SELECT 1 FROM disclosed.insider_holding h WHERE h.accession = report_accession)
             OR EXISTS (SELECT 1 FROM disclosed.executive_stated s WHERE s.origin = report_accession));
END $$;

-- An issuer that nothing else names has the name of its latest report, of several at one time the first that was loaded.
CREATE FUNCTION name_reported_issuers(ciks bigint[], reports_known timestamptz[], names text[])
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    -- The filing may be loading at the same moment: who comes second sees the first.
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    UPDATE disclosed.issuer i SET name = n.name, named_at = n.known_at
    FROM (SELECT DISTINCT ON (r.cik) r.cik, r.known_at, r.name
          FROM unnest(ciks, reports_known, names) WITH ORDINALITY AS r(cik, known_at, name, place)
          ORDER BY r.cik, r.known_at DESC, r.place) n
    WHERE i.cik = n.cik AND (i.named_at IS NULL OR i.named_at < n.known_at)
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer_profile p WHERE p.issuer_id = i.issuer_id)
      AND NOT EXISTS (SELECT 1 FROM disclosed.listing l WHERE l.issuer_id = i.issuer_id);
END $$;

-- What follows from loading one schedule: rows loaded of it before take its dates, rows of the same document under its
-- digest (`unfiled_keys`) close where it has an accession number, and an issuer that nothing else names has its name.
CREATE OR REPLACE FUNCTION settle_schedule(issuer_cik bigint, schedule_accession text, schedule_known timestamptz,
                                           schedule_filed date, hash text, unfiled_keys text[], issuer_name text)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    -- It makes loads of its filing wait, too: who comes second sees the first.
    PERFORM disclosed.name_reported_issuers(ARRAY[issuer_cik], ARRAY[schedule_known], ARRAY[issuer_name]);
    IF schedule_accession IS NOT NULL THEN
        RETURN QUERY
            SELECT 'beneficial_owner', d
            FROM (SELECT coalesce(min(f.known_at), schedule_known) AS known,
                         coalesce(min(f.filed_on), schedule_filed) AS filed
                  FROM disclosed.filing f
                  WHERE f.accession = schedule_accession AND f.superseded_at IS NULL) best
            CROSS JOIN LATERAL disclosed.date_schedules(ARRAY[schedule_accession], ARRAY[best.known],
                                                        ARRAY[best.filed]) AS d;
    END IF;
    IF disclosed.accession_of_report(issuer_cik, hash) IS NOT NULL THEN
        RETURN QUERY
            UPDATE disclosed.beneficial_owner t SET superseded_at = t.known_at
            FROM disclosed.issuer i
            WHERE i.cik = issuer_cik AND t.issuer_id = i.issuer_id AND t.record_key = ANY(unfiled_keys)
              AND t.superseded_at IS DISTINCT FROM t.known_at
            RETURNING 'beneficial_owner', t.issuer_id;
    END IF;
END $$;

-- What follows from loading one Form 3, 4 or 5: rows loaded of it before take its dates, and rows
-- of the same document under its digest (`unfiled_keys`) close where it has an accession number; what the
-- document said of its owners without one is said by the report. Its rows are asked for without a join, whose plan, made while tables
-- are empty, would read those of the issuer for each.
DROP FUNCTION settle_report(bigint, text, timestamptz, date, text, text[], text);
CREATE FUNCTION settle_report(issuer_cik bigint, report_accession text, report_known timestamptz, report_filed date, hash text,
                              unfiled_keys text[])
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    reported bigint := (SELECT i.issuer_id FROM disclosed.issuer i WHERE i.cik = issuer_cik);
    hashes bigint[];
    issuers bigint[];
    keys text[];
BEGIN
    IF report_accession IS NOT NULL THEN
        RETURN QUERY
            SELECT d.dataset, d.changed_issuer
            FROM (SELECT coalesce(min(f.known_at), report_known) AS known,
                         coalesce(min(f.filed_on), report_filed) AS filed
                  FROM disclosed.filing f
                  WHERE f.accession = report_accession AND f.superseded_at IS NULL) best
            CROSS JOIN LATERAL disclosed.date_reports(ARRAY[report_accession], ARRAY[best.known],
                                                      ARRAY[best.filed]) d;
    END IF;
    IF disclosed.accession_of_report(issuer_cik, hash) IS NULL THEN
        RETURN;
    END IF;
    WITH named AS (
        DELETE FROM disclosed.executive_stated s USING disclosed.issuer i
        WHERE i.cik = issuer_cik AND s.issuer_id = i.issuer_id AND s.origin = left(hash, 39)
        RETURNING s.issuer_id, s.record_key)
    SELECT array_agg(named.issuer_id), array_agg(named.record_key) INTO issuers, keys FROM named;
    IF issuers IS NOT NULL THEN
        RETURN QUERY SELECT DISTINCT 'executive', d FROM disclosed.derive_executives(issuers, keys) AS d;
    END IF;
    hashes := ARRAY(SELECT disclosed.key_hash(k) FROM unnest(unfiled_keys) AS k);
    RETURN QUERY
        UPDATE disclosed.insider_transaction t SET superseded_at = t.known_at
        WHERE t.issuer_id = reported AND disclosed.key_hash(t.record_key) = ANY (hashes) AND t.record_key = ANY (unfiled_keys)
          AND (t.superseded_at IS NULL OR t.superseded_at IS NOT NULL) AND t.superseded_at IS DISTINCT FROM t.known_at
        RETURNING 'insider', t.issuer_id;
    RETURN QUERY
        UPDATE disclosed.insider_holding t SET superseded_at = t.known_at
        WHERE t.issuer_id = reported AND disclosed.key_hash(t.record_key) = ANY (hashes) AND t.record_key = ANY (unfiled_keys)
          AND (t.superseded_at IS NULL OR t.superseded_at IS NOT NULL) AND t.superseded_at IS DISTINCT FROM t.known_at
        RETURNING 'insider_holding', t.issuer_id;
END $$;

-- What follows from several, which have neither accession number nor content in common: documents are noted under their accession
-- numbers, issuers named, then each by itself. Returns what has changed and by which of them, from 1.
CREATE FUNCTION settle_reports(ciks bigint[], accessions text[], reports_known timestamptz[], reports_filed date[], hashes text[],
                               unfiled_keys text[], names text[])
RETURNS TABLE (dataset text, changed_issuer bigint, place bigint) LANGUAGE plpgsql AS $$
DECLARE
    report record;
BEGIN
    INSERT INTO disclosed.named_document (document, accession)
    SELECT left(d.hash, 39), d.accession FROM unnest(hashes, accessions) AS d(hash, accession)
    WHERE d.hash IS NOT NULL AND d.accession IS NOT NULL
    ON CONFLICT DO NOTHING;
    PERFORM disclosed.name_reported_issuers(ciks, reports_known, names);
    FOR report IN
        SELECT * FROM unnest(ciks, accessions, reports_known, reports_filed, hashes, unfiled_keys) WITH ORDINALITY
            AS r(cik, accession, known_at, filed_on, hash, keys, place)
    LOOP
        RETURN QUERY SELECT s.dataset, s.changed_issuer, report.place
            FROM disclosed.settle_report(report.cik, report.accession, report.known_at, report.filed_on, report.hash,
                                         report.keys::text[]) s;
    END LOOP;
END $$;

-- ------------------------------------------------------------------- listings

-- What listing_of_code() said, as rows: so it is a part of the statement that asks, not a query of its own for each code.
DROP FUNCTION listing_of_code(text[]);
CREATE FUNCTION listings_of_code(code text[]) RETURNS TABLE (company_id bigint, symbol text) LANGUAGE sql STABLE ROWS 1 AS $$
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
           ORDER BY l.superseded_at IS NOT NULL, l.status <> 'active', l.listing_rank, l.known_at DESC, disclosed.issuer_order(l.issuer_id), l.symbol COLLATE "C" LIMIT 1)) found
    ORDER BY found.place LIMIT 1
$$;

-- Brings the listings of the holdings in pg_temp.fund_row up to date; returns the numbers of reports
-- whose holdings have changed. Each code is looked up once, and found again in an object: no plan can
-- join all holdings with all codes.
CREATE OR REPLACE FUNCTION map_fund_rows() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    dated text[] := ARRAY(SELECT DISTINCT cusip FROM disclosed.security_link WHERE basis = 'stated');
    listings jsonb;
BEGIN
    SELECT coalesce(jsonb_object_agg(c.code::text, jsonb_build_array(l.company_id, l.symbol)), '{}')
    INTO listings
    FROM (SELECT DISTINCT disclosed.code_of_holding(h, r.report_date, dated) AS code
          FROM pg_temp.fund_row r JOIN disclosed.fund_holding h USING (issuer_id, row_id)) c
    CROSS JOIN LATERAL disclosed.listings_of_code(c.code) l;
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

-- Companies of funds' equity holdings (map_fund_rows()), and the ends of the reports that they are of (order_fund_holdings()).
CREATE OR REPLACE FUNCTION expected_fund_companies()
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
            SELECT c.code, l.company_id, l.symbol
            FROM (SELECT DISTINCT h.code FROM held h WHERE h.code IS NOT NULL) c
            CROSS JOIN LATERAL disclosed.listings_of_code(c.code) l),
        ended AS MATERIALIZED (
            SELECT f.issuer_id, f.record_key, max(t.ends_at) AS ends_at
            FROM disclosed.fund_timeline(ARRAY(SELECT DISTINCT h.issuer_id FROM held h)) t
            JOIN disclosed.fund f USING (issuer_id, row_id)
            GROUP BY 1, 2 HAVING bool_and(t.ends_at IS NOT NULL))
        SELECT h.row_order, e.ends_at, n.company_id, n.symbol
        FROM held h LEFT JOIN named n USING (code)
        LEFT JOIN ended e ON e.issuer_id = h.issuer_id AND e.record_key = h.report_key
        WHERE n.code IS NOT NULL OR e.ends_at IS NOT NULL;
END $$;

-- Listings of rows by ticker, in a table whose rows have spellings (listing_of_spellings()). Looked up once for each code, of issuers
-- that have any: parties have none.
CREATE OR REPLACE FUNCTION expected_symbols(dataset text) RETURNS TABLE (row_order bigint, superseded_at timestamptz, symbol text)
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        WITH staged AS MATERIALIZED (
            SELECT s.row_order, s.symbol_code, s.spellings, coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AS issuer_id
            FROM pg_temp.%1$I s LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party),
        named AS MATERIALIZED (
            SELECT d.*, disclosed.listing_of_spellings(d.issuer_id, d.spellings, d.symbol_code) AS symbol
            FROM (SELECT DISTINCT issuer_id, symbol_code, spellings FROM staged) d
            WHERE EXISTS (SELECT 1 FROM disclosed.listing l WHERE l.issuer_id = d.issuer_id))
        SELECT s.row_order, NULL::timestamptz, n.symbol
        FROM staged s JOIN named n ON n.issuer_id = s.issuer_id AND n.symbol_code = s.symbol_code
         AND coalesce(n.spellings, '') = coalesce(s.spellings, '')
        WHERE n.symbol IS NOT NULL
    $sql$, 'stage_' || dataset);
END $$;

-- Rows of other sources than FINRA's files, which say themselves whose they are, take the symbols of their listings: looked up once
-- for each code.
CREATE OR REPLACE FUNCTION name_other_short_interest(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH named AS MATERIALIZED (
        SELECT d.*, CASE WHEN EXISTS (SELECT 1 FROM disclosed.listing l WHERE l.issuer_id = d.issuer_id)
                         THEN disclosed.listing_of_spellings(d.issuer_id, d.spellings, d.symbol_code) END AS symbol
        FROM (SELECT DISTINCT issuer_id, symbol_code, spellings FROM disclosed.short_interest WHERE issuer_id = ANY (issuers)) d)
    UPDATE disclosed.short_interest t SET symbol = n.symbol
    FROM named n, disclosed.source o JOIN disclosed.import_run r USING (import_run_id)
    WHERE t.issuer_id = ANY (issuers) AND t.issuer_id = n.issuer_id AND t.symbol_code = n.symbol_code
      AND coalesce(t.spellings, '') = coalesce(n.spellings, '') AND t.symbol IS DISTINCT FROM n.symbol
      AND o.source_id = t.source_id AND (r.source <> 'finra-short-interest' OR t.spellings IS NULL)
    RETURNING t.issuer_id
$$;
