-- Loads are quicker: what is the same for many rows is worked out once for all of them, and what cannot change anything is not worked out.

SET LOCAL search_path = disclosed, public;

-- ---------------------------------------------------------------------------- trades of Congress

-- The same as before, in a form that becomes part of the statement that asks (concat_ws() kept them from it), or without a query for
-- each call.
CREATE OR REPLACE FUNCTION congress_words(asset_type text, asset text, comment text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT disclosed.congress_letters(coalesce(asset_type, '') || coalesce(asset, '') || coalesce(comment, ''))
$$;

CREATE OR REPLACE FUNCTION congress_dated_as(base text, words text, place bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT base || '/' || md5(words) || '/' || place::text
$$;

CREATE OR REPLACE FUNCTION congress_trade_base(chamber text, report_id text, type text, day date, owner text, ticker text, asset text,
                                               amount text)
RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    symbol text := nullif(upper(disclosed.congress_letters(ticker)), '');
    letters text;
BEGIN
    IF symbol IS NULL THEN
        letters := disclosed.congress_letters(asset);
        symbol := CASE WHEN length(letters) > 80 THEN left(letters, 60) || '-' || md5(letters)
                       WHEN letters <> '' THEN letters
                       WHEN asset <> '' THEN md5(asset) ELSE '-' END;
    END IF;
    RETURN concat_ws('/', chamber, report_id, coalesce(to_char(day, 'YYYY-MM-DD'), '-'), type,
        coalesce(disclosed.congress_letters(owner), CASE chamber WHEN 'house' THEN 'self' ELSE '-' END), symbol,
        coalesce(disclosed.congress_amount(amount), '-'));
END $$;

ALTER FUNCTION congress_source(timestamptz, text, text, text) STABLE; -- so is what it calls, which kept it from being a part of statements

CREATE OR REPLACE FUNCTION congress_sources(sources jsonb, more jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF sources IS NULL THEN
        RETURN jsonb_build_array(more);
    ELSIF sources = jsonb_build_array(more) THEN -- as stored, by the file that is loaded
        RETURN sources;
    END IF;
    RETURN (
        SELECT jsonb_agg(k.source ORDER BY k.at)
        FROM (SELECT s.source, s.at, s.rank, min(s.rank) OVER (ORDER BY s.at, s.rank ROWS BETWEEN UNBOUNDED PRECEDING
                                                               AND 1 PRECEDING) AS best_before
              FROM (SELECT e.source, (e.source ->> 'at')::numeric AS at, disclosed.congress_source_rank(e.source) COLLATE "C" AS rank
                    FROM jsonb_array_elements(sources || more) AS e(source)) s) k
        WHERE k.best_before IS NULL OR k.rank < k.best_before);
END $$;

CREATE OR REPLACE FUNCTION congress_source_of(sources jsonb, known_at timestamptz) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF jsonb_array_length(sources) = 1 THEN
        RETURN sources -> 0;
    END IF;
    RETURN (
        SELECT e.source FROM jsonb_array_elements(sources) AS e(source)
        ORDER BY e.source ->> 'content_hash' IS NULL, (e.source ->> 'at')::numeric > extract(epoch FROM known_at),
                 disclosed.congress_source_rank(e.source) COLLATE "C" LIMIT 1);
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
        LEFT JOIN LATERAL ( -- read where it is to be, and nowhere else (OFFSET 0)
            SELECT true AS is_read, d.* FROM disclosed.congress_reading(r.owner, r.ticker, r.asset_name, r.asset_type) d
            WHERE in_chamber = 'house' AND r.read_from = 'copy' AND r.asset_name IS NOT NULL OFFSET 0) c ON true),
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

-- Dates that stand beside single trades are looked for in reports that have any.
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
    own AS MATERIALIZED ( -- lines of single trades: most reports have none
        SELECT DISTINCT l.chamber, l.report_id, l.dated_as FROM line l WHERE l.dated_as <> ''),
    said AS (
        SELECT t.issuer_id, t.row_id, t.chamber, t.report_id, regexp_replace(t.record_key, '/\d+$', '') AS base,
               substring(t.record_key FROM '\d+$')::integer AS number,
               disclosed.congress_words(t.asset_type, t.asset_name, t.comment) AS words
        FROM (SELECT DISTINCT o.chamber, o.report_id FROM own o) o JOIN disclosed.congress_trade t USING (chamber, report_id)
        WHERE disclosed.is_congress_base_key(t.record_key) AND t.redated_from IS NULL),
    dated AS MATERIALIZED (
        SELECT s.issuer_id, s.row_id, o.dated_as
        FROM (SELECT w.*, disclosed.congress_dated_as(w.base, w.words, dense_rank() OVER (
                         PARTITION BY w.base COLLATE "C", w.words COLLATE "C" ORDER BY w.number)) AS dated_as FROM said w) s
        JOIN own o ON o.chamber = s.chamber AND o.report_id = s.report_id AND o.dated_as = s.dated_as),
    version AS MATERIALIZED (
        SELECT t.issuer_id, t.row_id, t.chamber, t.report_id, coalesce(d.dated_as, '') AS dated_as
        FROM report r JOIN disclosed.congress_trade t USING (chamber, report_id)
        LEFT JOIN dated d ON d.issuer_id = t.issuer_id AND d.row_id = t.row_id
        WHERE disclosed.is_congress_base_key(t.record_key) AND t.redated_from IS NULL)
    SELECT v.issuer_id, v.row_id, l.from_at, l.first_at, l.filing_date, l.basis, l.is_public
    FROM version v JOIN line l ON l.chamber = v.chamber AND l.report_id = v.report_id AND l.dated_as = v.dated_as
$$;

-- A report whose trades are all the first of their kind has none to count.
CREATE OR REPLACE FUNCTION congress_counters(issuers bigint[], OUT issuer_id bigint, OUT row_id bigint, OUT new_key text)
RETURNS SETOF record LANGUAGE sql STABLE AS $$
    WITH version AS (
        SELECT t.issuer_id, t.row_id, t.record_key, regexp_replace(t.record_key, '/\d+$', '') AS base,
               first_value(t.superseded_at IS NOT DISTINCT FROM t.known_at) OVER best AS is_aside,
               first_value(t.asset_type IS DISTINCT FROM 'Stock') OVER best AS is_other,
               first_value(disclosed.congress_words(t.asset_type, t.asset_name, t.comment) COLLATE "C") OVER best AS words
        FROM (SELECT DISTINCT r.chamber, r.report_id FROM disclosed.congress_trade r
              WHERE r.issuer_id = ANY(issuers) AND disclosed.is_congress_base_key(r.record_key)
                AND EXISTS (SELECT 1 FROM disclosed.congress_trade o
                            WHERE o.chamber = r.chamber AND o.report_id = r.report_id AND o.record_key NOT LIKE '%/1')) r
        JOIN disclosed.congress_trade t USING (chamber, report_id)
        WHERE disclosed.is_congress_base_key(t.record_key)
        WINDOW best AS (PARTITION BY t.record_key
                        ORDER BY t.superseded_at IS NOT NULL, t.superseded_at IS NOT DISTINCT FROM t.known_at, t.known_at DESC,
                                 t.row_id DESC)),
    counted AS (
        SELECT v.*, dense_rank() OVER (PARTITION BY v.base ORDER BY v.is_aside, v.is_other, v.words,
                                                                    substring(v.record_key FROM '\d+$')::integer) AS number
        FROM version v)
    SELECT c.issuer_id, c.row_id, c.base || '/' || c.number FROM counted c WHERE c.record_key <> c.base || '/' || c.number
$$;

-- Brings the companies of trades by ticker up to date: of those with these tickers, or of these politicians.
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
    sure AS MATERIALIZED ( -- each ticker of an asset and a day is looked at once
        SELECT d.ticker, d.filing_date, d.asset_name, n.company_id, n.symbol
        FROM (SELECT DISTINCT c.ticker, c.filing_date, c.asset_name FROM candidate c) d JOIN named n USING (ticker)
        WHERE n.company_id IS NOT NULL AND disclosed.is_ticker_of(n.symbol, n.company_id, d.filing_date, d.asset_name)),
    meant AS MATERIALIZED (
        SELECT c.issuer_id, c.row_id, c.old_id, s.company_id, s.symbol
        FROM candidate c LEFT JOIN sure s
          ON s.ticker = c.ticker AND s.filing_date = c.filing_date AND coalesce(s.asset_name, '') = coalesce(c.asset_name, '')
        WHERE c.ticker IS NOT NULL),
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

-- ------------------------------------------------------------------------------- funds

-- The tables of holdings that map_fund_rows() looks at and works with, empty.
CREATE OR REPLACE FUNCTION begin_fund_rows() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.fund_code') IS NULL THEN
        CREATE TEMP TABLE IF NOT EXISTS fund_row (issuer_id bigint, row_id bigint, report_id bigint,
            report_date date) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE fund_code (issuer_id bigint, row_id bigint, report_id bigint, company_id bigint, symbol text,
            code text[]) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.fund_row;
    DELETE FROM pg_temp.fund_code;
END $$;

-- Brings the listings of the holdings in pg_temp.fund_row up to date; returns the numbers of reports
-- whose holdings have changed. Each holding is read once, and each code is looked up once, and found again in an object: no plan can
-- join all holdings with all codes.
CREATE OR REPLACE FUNCTION map_fund_rows() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    dated text[] := ARRAY(SELECT DISTINCT cusip FROM disclosed.security_link WHERE basis = 'stated');
    listings jsonb;
BEGIN
    INSERT INTO pg_temp.fund_code
    SELECT h.issuer_id, h.row_id, r.report_id, h.company_id, h.symbol, disclosed.code_of_holding(h, r.report_date, dated)
    FROM pg_temp.fund_row r JOIN disclosed.fund_holding h USING (issuer_id, row_id);
    SELECT coalesce(jsonb_object_agg(c.code::text, jsonb_build_array(l.company_id, l.symbol)), '{}')
    INTO listings
    FROM (SELECT DISTINCT code FROM pg_temp.fund_code) c CROSS JOIN LATERAL disclosed.listings_of_code(c.code) l;
    RETURN QUERY
        WITH moved AS (
            UPDATE disclosed.fund_holding h
            SET company_id = (m.listing ->> 0)::bigint, symbol = m.listing ->> 1
            FROM (SELECT k.*, listings -> k.code::text AS listing FROM pg_temp.fund_code k OFFSET 0) m
            WHERE (m.company_id, m.symbol) IS DISTINCT FROM ((m.listing ->> 0)::bigint, m.listing ->> 1)
              AND h.issuer_id = m.issuer_id AND h.row_id = m.row_id
            RETURNING m.report_id)
        SELECT DISTINCT report_id FROM moved;
END $$;

-- Says of each holding of these reports until when it holds: to the next version of it, and to the end of its report. Those
-- that end give way to others before these begin.
CREATE OR REPLACE FUNCTION order_fund_holdings(reports bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
    issuers bigint[];
    numbers bigint[];
    ends timestamptz[];
BEGIN
    SELECT array_agg(t.issuer_id), array_agg(t.row_id), array_agg(t.ends_at) INTO issuers, numbers, ends
    FROM (
        SELECT h.issuer_id, h.row_id, h.superseded_at,
               CASE WHEN coalesce(h.next_known_at, r.ends_at) IS NULL THEN NULL
                    ELSE greatest(h.known_at, least(h.next_known_at, r.ends_at)) END AS ends_at
        FROM (SELECT f.id, f.issuer_id, f.record_key,
                     CASE WHEN bool_and(f.superseded_at IS NOT NULL)
                          THEN max(f.superseded_at) END AS ends_at
              FROM disclosed.fund f WHERE f.id = ANY(reports)
              GROUP BY f.id, f.issuer_id, f.record_key) r
        CROSS JOIN LATERAL (
            SELECT x.issuer_id, x.row_id, x.known_at, x.superseded_at,
                   lead(x.known_at) OVER (PARTITION BY x.record_key COLLATE "C"
                                          ORDER BY x.known_at, x.row_id) AS next_known_at
            FROM disclosed.fund_holding x
            WHERE x.issuer_id = r.issuer_id AND x.report_key = r.record_key) h) t
    WHERE t.superseded_at IS DISTINCT FROM t.ends_at;
    IF numbers IS NULL THEN
        RETURN;
    END IF;
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        UPDATE disclosed.fund_holding h SET superseded_at = t.ends_at
        FROM unnest(issuers, numbers, ends) AS t(issuer_id, row_id, ends_at)
        WHERE h.issuer_id = t.issuer_id AND h.row_id = t.row_id AND (t.ends_at IS NULL) = opening;
    END LOOP;
END $$;

-- ------------------------------------------------------------------------------ events

-- Until when the end of the fiscal year of each issuer of results was which, and when one was told. All instants of an issuer are
-- worked out at once, as fiscal_year_end_at() and fiscal_year_end_after() say them of one.
CREATE OR REPLACE FUNCTION find_fiscal_years() RETURNS void LANGUAGE plpgsql AS $$
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
    WITH holder AS MATERIALIZED (SELECT DISTINCT holder_id AS issuer_id FROM pg_temp.event_evidence WHERE type = 'earnings'),
    profile AS MATERIALIZED (
        SELECT h.issuer_id, p.known_at, p.superseded_at,
               CASE WHEN disclosed.fiscal_month(p.fiscal_year_end) IS NOT NULL THEN p.fiscal_year_end END AS year_end
        FROM holder h JOIN disclosed.issuer_profile p USING (issuer_id)),
    annual AS MATERIALIZED (
        SELECT h.issuer_id, f.known_at, f.superseded_at, f.period_of_report
        FROM holder h JOIN disclosed.filing f USING (issuer_id) WHERE f.form IN ('10-K', '20-F', '40-F')),
    told AS (
        INSERT INTO pg_temp.fiscal_year_told
        SELECT p.issuer_id, p.known_at FROM profile p WHERE p.year_end IS NOT NULL AND p.superseded_at IS DISTINCT FROM p.known_at
        UNION
        SELECT a.issuer_id, a.known_at FROM annual a
        WHERE a.period_of_report IS NOT NULL AND a.superseded_at IS DISTINCT FROM a.known_at),
    instant AS MATERIALIZED (
        SELECT issuer_id, '-infinity'::timestamptz AS at FROM holder
        UNION SELECT issuer_id, known_at FROM profile
        UNION SELECT issuer_id, superseded_at FROM profile WHERE superseded_at IS NOT NULL
        UNION SELECT issuer_id, known_at FROM annual
        UNION SELECT issuer_id, superseded_at FROM annual WHERE superseded_at IS NOT NULL),
    stated AS (
        SELECT DISTINCT ON (i.issuer_id, i.at) i.issuer_id, i.at, p.year_end
        FROM instant i JOIN profile p ON p.issuer_id = i.issuer_id AND p.known_at <= i.at
         AND (p.superseded_at IS NULL OR p.superseded_at > i.at)
        WHERE p.year_end IS NOT NULL ORDER BY i.issuer_id, i.at, p.known_at DESC),
    reported AS (
        SELECT i.issuer_id, i.at, to_char(max(a.period_of_report), 'MMDD') AS year_end
        FROM instant i JOIN annual a ON a.issuer_id = i.issuer_id AND a.known_at <= i.at
         AND (a.superseded_at IS NULL OR a.superseded_at > i.at)
        GROUP BY i.issuer_id, i.at)
    INSERT INTO pg_temp.fiscal_year
    SELECT i.issuer_id, i.at, coalesce(lead(i.at) OVER (PARTITION BY i.issuer_id ORDER BY i.at), 'infinity'),
           coalesce(s.year_end, r.year_end)
    FROM instant i LEFT JOIN stated s ON s.issuer_id = i.issuer_id AND s.at = i.at
    LEFT JOIN reported r ON r.issuer_id = i.issuer_id AND r.at = i.at;
    ANALYZE pg_temp.fiscal_year;
    ANALYZE pg_temp.fiscal_year_told;
END $$;
