-- Trades of Congress load several times as fast: reports that a load has not written are not settled again, those that are new as a whole have
-- nothing to settle, and what is the same for many rows is worked out once for each value.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------------ tickers

-- listing_of_ticker() of many tickers.
CREATE FUNCTION listings_of_tickers(tickers text[]) RETURNS TABLE (ticker text, company_id bigint, symbol text)
LANGUAGE sql STABLE AS $$
    SELECT DISTINCT ON (s.ticker) s.ticker, l.issuer_id, l.symbol
    FROM (SELECT t.ticker, 1 AS place, disclosed.plain_ticker(t.ticker) AS spelling FROM unnest(tickers) AS t(ticker)
          UNION ALL
          SELECT t.ticker, 2, disclosed.class_ticker(t.ticker) FROM unnest(tickers) AS t(ticker)) s
    JOIN disclosed.listing l ON l.ticker = s.spelling AND l.superseded_at IS NULL
    ORDER BY s.ticker, s.place, l.status <> 'active', l.market <> 'US', l.listing_rank, l.symbol COLLATE "C"
$$;

-- What settling will say of staged trades: the company, and when and in which file they were seen first (take_congress_dates()), so
-- that none is written again.
CREATE OR REPLACE FUNCTION expected_congress_trades()
RETURNS TABLE (row_order bigint, superseded_at timestamptz, company_id bigint, symbol text, seen_at timestamptz, sources jsonb)
LANGUAGE plpgsql AS $$
DECLARE
    origin jsonb := nullif(current_setting('disclosed.congress_file', true), '')::jsonb;
    file_at timestamptz := origin ->> 'at';
BEGIN
    RETURN QUERY
        WITH listed AS MATERIALIZED (
            SELECT l.ticker, l.company_id, l.symbol
            FROM disclosed.listings_of_tickers(ARRAY(SELECT DISTINCT s.ticker FROM pg_temp.stage_congress_trade s
                                                     WHERE s.ticker IS NOT NULL)) l),
        named AS MATERIALIZED (
            SELECT d.ticker, d.asset_name, l.company_id, l.symbol
            FROM (SELECT DISTINCT s.ticker, s.asset_name FROM pg_temp.stage_congress_trade s WHERE s.ticker IS NOT NULL) d
            JOIN listed l USING (ticker)
            WHERE disclosed.is_ticker_of(l.symbol, l.company_id, NULL, d.asset_name))
        SELECT s.row_order, NULL::timestamptz, n.company_id, n.symbol, file_at,
               CASE WHEN origin IS NOT NULL
                    THEN jsonb_build_array(disclosed.congress_source(file_at, f.url, s.quote, origin ->> 'hash')) END
        FROM pg_temp.stage_congress_trade s JOIN pg_temp.staged_source f USING (source_id)
        LEFT JOIN named n ON n.ticker = s.ticker AND n.asset_name = s.asset_name;
END $$;

-- Brings the companies of trades by ticker up to date: of those with these tickers, or of these politicians.
CREATE OR REPLACE FUNCTION map_congress_tickers(tickers text[], politicians bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
    companies bigint[];
BEGIN
    WITH candidate AS MATERIALIZED (
        SELECT t.issuer_id, t.row_id, t.ticker, t.company_id AS old_id, t.symbol AS old_symbol, t.filing_date, t.asset_name
        FROM disclosed.congress_trade t WHERE t.listed_ticker = ANY (tickers)
        UNION ALL
        SELECT t.issuer_id, t.row_id, t.ticker, t.company_id, t.symbol, t.filing_date, t.asset_name
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

-- ------------------------------------------------------------------------------ identity

-- What congress_trade_base() says of the asset.
CREATE FUNCTION congress_asset(ticker text, asset text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
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
    RETURN symbol;
END $$;

-- Reads the rows of a file, an array of objects with a number `n` each: what they say, and the record that each of them
-- is. Of trades with all in common a row is the stored one that has its words, else one that can be it; others get numbers
-- of their own. `known_at` is when a stored version said the same; `party` is who filed the report, by the best of what is
-- known; `dated_as` are the words beside which its date stands. Most rows have nothing in common with any other.
CREATE OR REPLACE FUNCTION identify_congress_trades(in_chamber text, given_rows jsonb)
RETURNS TABLE (n integer, party text, owner text, ticker text, asset_name text, asset_type text, record_key text,
               known_at timestamptz, dated_as text)
LANGUAGE sql STABLE SET enable_nestloop = off SET work_mem = '64MB' AS $$
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
    kind AS MATERIALIZED ( -- each kind of asset is looked up once, and so is each other value
        SELECT d.asset_type, disclosed.congress_asset_type(d.asset_type) AS term FROM (SELECT DISTINCT r.asset_type FROM read r) d),
    amount AS MATERIALIZED (
        SELECT d.amount_range, disclosed.congress_amount(d.amount_range) AS letters
        FROM (SELECT DISTINCT r.amount_range FROM read r WHERE r.amount_range IS NOT NULL) d),
    asset AS MATERIALIZED (
        SELECT d.ticker, d.asset_name, disclosed.congress_asset(d.ticker, d.asset_name) AS symbol
        FROM (SELECT DISTINCT coalesce(r.ticker, '') AS ticker, coalesce(r.asset_name, '') AS asset_name FROM read r) d),
    given AS MATERIALIZED (
        SELECT r.n, r.report_id, r.party, r.read_from, r.transaction_type, r.transaction_date, r.amount_range, r.comment,
               r.first_name, r.last_name, r.political_party, r.state_district, r.day, r.owner, r.ticker, r.asset_name, k.term AS asset_type,
               concat_ws('/', in_chamber, r.report_id, coalesce(to_char(r.transaction_date, 'YYYY-MM-DD'), '-'), r.transaction_type,
                         coalesce(disclosed.congress_letters(r.owner), CASE in_chamber WHEN 'house' THEN 'self' ELSE '-' END), a.symbol,
                         coalesce(m.letters, '-')) AS base
        FROM read r LEFT JOIN kind k USING (asset_type) LEFT JOIN amount m ON m.amount_range = r.amount_range
        LEFT JOIN asset a ON a.ticker = coalesce(r.ticker, '') AND a.asset_name = coalesce(r.asset_name, '')),
    word AS MATERIALIZED (
        SELECT d.asset_type, d.asset_name, d.comment, disclosed.congress_words(d.asset_type, d.asset_name, d.comment) AS words
        FROM (SELECT DISTINCT coalesce(g.asset_type, '') AS asset_type, coalesce(g.asset_name, '') AS asset_name,
                              coalesce(g.comment, '') AS comment FROM given g) d),
    said AS MATERIALIZED (
        SELECT g.*, w.words FROM given g LEFT JOIN word w
          ON w.asset_type = coalesce(g.asset_type, '') AND w.asset_name = coalesce(g.asset_name, '') AND w.comment = coalesce(g.comment, '')),
    stored AS MATERIALIZED (
        SELECT t.*, regexp_replace(t.record_key, '/\d+$', '') AS base, substring(t.record_key FROM '\d+$')::integer AS number,
               disclosed.congress_words(t.asset_type, t.asset_name, t.comment) AS words
        FROM disclosed.congress_trade t
        WHERE t.chamber = in_chamber AND t.report_id = ANY (ARRAY(SELECT DISTINCT s.report_id FROM said s))
          AND disclosed.is_congress_base_key(t.record_key)),
    shared AS MATERIALIZED ( -- what more than one row says, or a stored one
        SELECT s.base FROM said s GROUP BY s.base HAVING count(*) > 1
        UNION SELECT t.base FROM stored t),
    many AS MATERIALIZED (SELECT s.* FROM said s JOIN shared USING (base)),
    standing AS (
        SELECT DISTINCT ON (s.record_key) s.base, s.number, s.words, s.comment, s.asset_type, s.asset_name FROM stored s
        ORDER BY s.record_key, s.superseded_at IS NOT NULL, s.known_at DESC, s.row_id DESC),
    same AS MATERIALIZED (
        SELECT f.n, f.base, h.number
        FROM (SELECT s.n, s.base, s.words, row_number() OVER (PARTITION BY s.base, s.words ORDER BY s.day, s.n) AS place FROM many s) f
        JOIN (SELECT s.base, s.number, s.words, row_number() OVER (PARTITION BY s.base, s.words ORDER BY s.number) AS place
              FROM standing s) h USING (base, words, place)),
    rest AS (
        SELECT s.n, s.base, s.comment, s.asset_type, s.asset_name,
               row_number() OVER (PARTITION BY s.base ORDER BY s.asset_type IS DISTINCT FROM 'Stock', s.words, s.day, s.n) AS place
        FROM many s LEFT JOIN same m USING (n) WHERE m.n IS NULL),
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
        FROM many s JOIN numbered k USING (n) JOIN stored v ON v.record_key = k.record_key
        WHERE (v.ticker, v.asset_name, v.amount_range, v.owner, v.read_from, v.asset_type, v.comment, v.first_name, v.last_name,
               v.political_party, v.state_district)
              IS NOT DISTINCT FROM (s.ticker, s.asset_name, s.amount_range, s.owner, s.read_from, s.asset_type, s.comment,
                                    s.first_name, s.last_name, s.political_party, s.state_district)
        GROUP BY s.n),
    filer AS MATERIALIZED (
        SELECT DISTINCT ON (f.report_id) f.report_id, f.party
        FROM (SELECT s.report_id, s.party, s.read_from FROM said s GROUP BY 1, 2, 3
              UNION SELECT s.report_id, i.party_key, s.read_from FROM stored s JOIN disclosed.issuer i USING (issuer_id)) f
        ORDER BY f.report_id, f.read_from = 'copy', f.party LIKE '%-house', f.party COLLATE "C"),
    found AS (
        SELECT s.n, k.record_key, a.known_at,
               row_number() OVER (PARTITION BY s.base, s.words ORDER BY s.day, s.n) AS place
        FROM many s JOIN numbered k USING (n) LEFT JOIN again a USING (n))
    SELECT s.n, f.party, s.owner, s.ticker, s.asset_name, s.asset_type, coalesce(k.record_key, s.base || '/1'), k.known_at,
           disclosed.congress_dated_as(s.base, s.words, coalesce(k.place, 1))
    FROM said s JOIN filer f USING (report_id) LEFT JOIN found k USING (n) ORDER BY s.n
$$;

-- ------------------------------------------------------------------------------ dates

-- Keeps what a file says of dates, when its rows were first seen, and that it is a source of them. Returns what has to be
-- settled. Rows that this file has brought say so already.
CREATE OR REPLACE FUNCTION take_congress_dates(in_chamber text, file_at timestamptz, said jsonb, given_rows jsonb, file_hash text)
RETURNS TABLE (dataset text, politician bigint) LANGUAGE plpgsql SET enable_nestloop = off SET work_mem = '64MB' AS $$
DECLARE
    fresh text[];
    file_second numeric := extract(epoch FROM file_at);
BEGIN
    WITH taken AS (
        INSERT INTO disclosed.congress_date AS d (chamber, report_id, dated_as, kind, filing_date, known_at)
        SELECT DISTINCT in_chamber, s.report_id, s.dated_as, s.kind, s.filing_date, s.known_at
        FROM disclosed.congress_dates_said(said, file_at) s
        WHERE NOT EXISTS (SELECT 1 FROM disclosed.congress_date o
                          WHERE s.kind = 'seen' AND o.chamber = in_chamber AND o.report_id = s.report_id AND o.dated_as = ''
                            AND o.kind = 'seen' AND o.known_at <= file_at)
        ORDER BY 2, 3, 4, 5
        ON CONFLICT (chamber, report_id, dated_as, kind, filing_date) DO UPDATE SET known_at = excluded.known_at
        WHERE d.known_at > excluded.known_at
        RETURNING d.report_id)
    SELECT array_agg(DISTINCT t.report_id) INTO fresh FROM taken t;
    DELETE FROM disclosed.congress_date d
    WHERE d.chamber = in_chamber AND d.report_id = ANY(fresh) AND d.kind = 'seen'
      AND EXISTS (SELECT 1 FROM disclosed.congress_date o
                  WHERE o.chamber = d.chamber AND o.report_id = d.report_id AND o.dated_as = d.dated_as AND o.kind = 'seen'
                    AND (o.known_at, o.filing_date) < (d.known_at, d.filing_date));
    RETURN QUERY
    WITH given AS (
        SELECT r.* FROM jsonb_to_recordset(given_rows) AS r(
            record_key text, basis text, day date, source_url text, quote text, owner text, ticker text, asset_name text, asset_type text,
            amount_range text, comment text, first_name text, last_name text, political_party text, state_district text,
            read_from text)),
    stored AS (
        SELECT v.issuer_id, v.row_id, v.seen_at, v.redated_from, v.sources, g.source_url, g.quote
        FROM given g JOIN disclosed.congress_trade v ON v.chamber = in_chamber AND v.record_key = g.record_key
        WHERE (g.day > (file_at AT TIME ZONE 'UTC')::date + 14 AND g.basis = 'notified') IS NOT TRUE -- those have been rejected
          AND (v.ticker, v.asset_name, v.amount_range, v.owner, v.read_from, v.asset_type, v.comment, v.first_name, v.last_name,
               v.political_party, v.state_district)
              IS NOT DISTINCT FROM (g.ticker, g.asset_name, g.amount_range, g.owner, g.read_from, g.asset_type, g.comment,
                                    g.first_name, g.last_name, g.political_party, g.state_district)
          AND (v.recorded_at = now() AND v.seen_at = file_at AND v.redated_from IS NULL AND jsonb_array_length(v.sources) = 1
               AND (v.sources -> 0 ->> 'at')::numeric = file_second AND v.sources -> 0 ->> 'content_hash' IS NOT DISTINCT FROM file_hash
               AND v.sources -> 0 ->> 'source_url' IS NOT DISTINCT FROM g.source_url
               AND v.sources -> 0 ->> 'quote' IS NOT DISTINCT FROM g.quote) IS NOT TRUE),
    seen AS (
        UPDATE disclosed.congress_trade t SET seen_at = least(t.seen_at, file_at), sources = q.sources
        FROM stored v
        CROSS JOIN LATERAL (SELECT CASE WHEN v.redated_from IS NULL
            THEN disclosed.congress_sources(v.sources, disclosed.congress_source(file_at, v.source_url, v.quote, file_hash)) END
            AS sources) q
        WHERE t.issuer_id = v.issuer_id AND t.row_id = v.row_id
          AND (t.seen_at IS NULL OR t.seen_at > file_at OR t.sources IS DISTINCT FROM q.sources)
        RETURNING t.issuer_id, v.seen_at IS NOT NULL AS is_other)
    SELECT 'congress_trade', s.issuer_id FROM seen s WHERE s.is_other
    UNION
    SELECT 'congress_trade', t.issuer_id FROM disclosed.congress_trade t
    WHERE t.chamber = in_chamber AND t.report_id = ANY(fresh);
END $$;

-- ------------------------------------------------------------------------------ versions

-- The lines that each version has which a file said, of these reports: of its own words, else of its report.
CREATE FUNCTION congress_report_lines(in_chamber text, reports text[])
RETURNS TABLE (issuer_id bigint, row_id bigint, from_at timestamptz, first_at timestamptz, filing_date date, basis text,
               is_public boolean)
LANGUAGE sql STABLE SET enable_nestloop = off SET enable_mergejoin = off AS $$
    WITH line AS MATERIALIZED (
        SELECT l.*, min(l.from_at) OVER (PARTITION BY l.report_id, l.dated_as) AS first_at
        FROM disclosed.congress_date_lines(in_chamber, reports, NULL, NULL) l),
    own AS MATERIALIZED ( -- lines of single trades: most reports have none
        SELECT DISTINCT l.report_id, l.dated_as FROM line l WHERE l.dated_as <> ''),
    said AS (
        SELECT t.issuer_id, t.row_id, t.report_id, regexp_replace(t.record_key, '/\d+$', '') AS base,
               substring(t.record_key FROM '\d+$')::integer AS number,
               disclosed.congress_words(t.asset_type, t.asset_name, t.comment) AS words
        FROM disclosed.congress_trade t
        WHERE t.chamber = in_chamber AND t.report_id = ANY (ARRAY(SELECT DISTINCT o.report_id FROM own o))
          AND disclosed.is_congress_base_key(t.record_key) AND t.redated_from IS NULL),
    dated AS MATERIALIZED (
        SELECT s.issuer_id, s.row_id, o.dated_as
        FROM (SELECT w.*, disclosed.congress_dated_as(w.base, w.words, dense_rank() OVER (
                         PARTITION BY w.base COLLATE "C", w.words COLLATE "C" ORDER BY w.number)) AS dated_as FROM said w) s
        JOIN own o ON o.report_id = s.report_id AND o.dated_as = s.dated_as),
    version AS MATERIALIZED (
        SELECT t.issuer_id, t.row_id, t.report_id, coalesce(d.dated_as, '') AS dated_as
        FROM disclosed.congress_trade t LEFT JOIN dated d ON d.issuer_id = t.issuer_id AND d.row_id = t.row_id
        WHERE t.chamber = in_chamber AND t.report_id = ANY (reports)
          AND disclosed.is_congress_base_key(t.record_key) AND t.redated_from IS NULL)
    SELECT v.issuer_id, v.row_id, l.from_at, l.first_at, l.filing_date, l.basis, l.is_public
    FROM version v JOIN line l ON l.report_id = v.report_id AND l.dated_as = v.dated_as
$$;

-- Reports are dated by the best that is known of them. Returns the politicians.
CREATE FUNCTION date_report_versions(in_chamber text, reports text[]) RETURNS SETOF bigint LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
    RETURN QUERY
    WITH dated AS MATERIALIZED (
        SELECT DISTINCT ON (t.issuer_id, t.row_id) t.issuer_id, t.row_id, l.filing_date, l.basis, w.known_at
        FROM disclosed.congress_report_lines(in_chamber, reports) l JOIN disclosed.congress_trade t USING (issuer_id, row_id)
        CROSS JOIN LATERAL (SELECT CASE WHEN l.is_public THEN l.from_at
                                        ELSE greatest(coalesce(t.seen_at, t.known_at), l.first_at) END AS known_at) w
        WHERE t.chamber = in_chamber AND t.report_id = ANY (reports) AND (l.is_public OR l.from_at <= w.known_at)
        ORDER BY t.issuer_id, t.row_id, l.from_at DESC)
    UPDATE disclosed.congress_trade t
    SET filing_date = d.filing_date, filing_date_basis = d.basis, known_at = d.known_at,
        superseded_at = CASE WHEN t.superseded_at = t.known_at THEN d.known_at
                             WHEN t.superseded_at IS NOT NULL THEN greatest(t.superseded_at, d.known_at) END
    FROM dated d
    WHERE t.chamber = in_chamber AND t.report_id = ANY (reports) AND t.issuer_id = d.issuer_id AND t.row_id = d.row_id
      AND (t.filing_date, t.filing_date_basis, t.known_at) IS DISTINCT FROM (d.filing_date, d.basis, d.known_at)
    RETURNING t.issuer_id;
END $$;

-- A report has one filer. Where its rows came to several politicians (a source that knows no district, or another
-- spelling of the name), they are of the one that the best of them names. Returns the politicians.
CREATE FUNCTION unite_report_filers(in_chamber text, reports text[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH version AS (
        SELECT t.issuer_id, t.row_id, t.id, t.record_key, min(t.id) OVER (PARTITION BY t.record_key) AS known_id,
               first_value(t.issuer_id) OVER best AS filer_id, first_value(i.party_key) OVER best AS party_key
        FROM disclosed.congress_trade t JOIN disclosed.issuer i USING (issuer_id)
        WHERE t.chamber = in_chamber AND t.report_id = ANY (reports) AND disclosed.is_congress_base_key(t.record_key)
        WINDOW best AS (PARTITION BY t.report_id
                        ORDER BY t.read_from = 'copy', i.party_key LIKE '%-house', i.party_key COLLATE "C")),
    moved AS (
        UPDATE disclosed.congress_trade t
        SET issuer_id = v.filer_id, id = v.known_id,
            src_digest = disclosed.congress_src_digest(o.provider, v.party_key, t.record_key)
        FROM version v, disclosed.source o
        WHERE o.source_id = t.source_id AND t.issuer_id = v.issuer_id AND t.row_id = v.row_id
          AND (v.issuer_id <> v.filer_id OR v.id <> v.known_id)
        RETURNING v.issuer_id AS old_id, v.filer_id)
    SELECT old_id FROM moved UNION SELECT filer_id FROM moved
$$;

-- From when to when each version holds: those that files said and, behind each that stands, what is known better of its date
-- later on (not `is_said`). A report that was read to its end is the whole of it: copies of its rows were in force at no time.
-- Of one that was read in part the rows that were read stand before their copies. Of copies the one that says most stands from
-- when it is known, whatever was loaded before or after; an amendment ends them all.
CREATE FUNCTION report_version_slices(in_chamber text, reports text[])
RETURNS TABLE (issuer_id bigint, row_id bigint, is_said boolean, from_at timestamptz, ends_at timestamptz, filing_date date, basis text)
LANGUAGE sql STABLE SET enable_nestloop = off AS $$
    WITH version AS (
        SELECT t.issuer_id, t.row_id, t.record_key, t.known_at, t.superseded_at, t.read_from, a.amended_at, w.filled, w.words,
               bool_or(t.read_from = 'report') OVER (PARTITION BY t.report_id) AS is_read,
               bool_or(t.read_from LIKE '%report') OVER (PARTITION BY t.record_key) AS is_read_itself
        FROM disclosed.congress_trade t
        CROSS JOIN LATERAL (
            SELECT num_nonnulls(t.ticker, t.asset_name, t.asset_type, t.amount_range, t.owner, t.comment, t.first_name,
                                t.political_party, t.state_district) AS filled,
                   concat_ws('|', t.ticker, t.asset_name, t.asset_type, t.amount_range, t.owner, t.comment, t.first_name,
                             t.last_name, t.political_party, t.state_district) AS words) w
        CROSS JOIN LATERAL (
            SELECT min(a.known_at) AS amended_at FROM disclosed.congress_trade a
            WHERE a.issuer_id = t.issuer_id AND a.amends = t.report_id AND a.chamber = t.chamber AND a.report_id <> t.report_id
              AND a.superseded_at IS DISTINCT FROM a.known_at) a
        WHERE t.chamber = in_chamber AND t.report_id = ANY (reports)
          AND disclosed.is_congress_base_key(t.record_key) AND t.redated_from IS NULL),
    ranked AS (
        SELECT v.*, c.counts, row_number() OVER (PARTITION BY v.record_key, c.counts
                                                 ORDER BY v.filled DESC, length(v.words) DESC, v.words COLLATE "C", v.known_at,
                                                          v.row_id) AS place
        FROM version v
        CROSS JOIN LATERAL (SELECT v.read_from = 'report' OR NOT v.is_read
                                   AND (v.read_from = 'part_of_report' OR NOT v.is_read_itself) AS counts) c),
    better AS (
        SELECT r.*, r.counts AND coalesce(r.place < min(r.place) OVER (
                   PARTITION BY r.record_key, r.counts ORDER BY r.known_at, r.place
                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true) AS stands
        FROM ranked r),
    ending AS (
        SELECT b.*, CASE WHEN NOT b.stands THEN b.known_at
                         ELSE least(b.amended_at, lead(b.known_at) OVER (PARTITION BY b.record_key, b.stands ORDER BY b.known_at))
                    END AS ended_at
        FROM better b),
    said AS MATERIALIZED (
        SELECT e.issuer_id, e.row_id, e.known_at, CASE WHEN e.ended_at < e.known_at THEN e.known_at ELSE e.ended_at END AS ends_at
        FROM ending e),
    slice AS (
        SELECT s.issuer_id, s.row_id, true AS is_said, s.known_at AS from_at, s.ends_at, NULL::date AS filing_date, NULL::text AS basis
        FROM said s
        UNION ALL
        SELECT s.issuer_id, s.row_id, false, l.from_at, s.ends_at, l.filing_date, l.basis
        FROM said s JOIN disclosed.congress_report_lines(in_chamber, reports) l USING (issuer_id, row_id)
        WHERE NOT l.is_public AND l.from_at > s.known_at AND (s.ends_at IS NULL OR l.from_at < s.ends_at))
    SELECT s.issuer_id, s.row_id, s.is_said, s.from_at,
           coalesce(lead(s.from_at) OVER (PARTITION BY s.issuer_id, s.row_id ORDER BY s.from_at), s.ends_at), s.filing_date, s.basis
    FROM slice s
$$;

-- Makes the stored versions those. Versions that end go first, so that no two are in force on the way. Returns the politicians.
CREATE FUNCTION order_report_versions(in_chamber text, reports text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    open boolean;
BEGIN
    IF to_regclass('pg_temp.report_slice') IS NULL THEN
        CREATE TEMP TABLE report_slice (issuer_id bigint, row_id bigint, is_said boolean, from_at timestamptz, ends_at timestamptz,
                                        filing_date date, basis text) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.report_slice;
    INSERT INTO pg_temp.report_slice SELECT * FROM disclosed.report_version_slices(in_chamber, reports);
    RETURN QUERY DELETE FROM disclosed.congress_trade t
        WHERE t.redated_from IS NOT NULL AND t.chamber = in_chamber AND t.report_id = ANY (reports)
          AND NOT EXISTS (SELECT 1 FROM pg_temp.report_slice s
                          WHERE NOT s.is_said AND s.issuer_id = t.issuer_id AND s.row_id = t.redated_from AND s.from_at = t.known_at
                            AND s.filing_date = t.filing_date AND s.basis = t.filing_date_basis)
        RETURNING t.issuer_id;
    FOREACH open IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY UPDATE disclosed.congress_trade t SET superseded_at = s.ends_at FROM pg_temp.report_slice s
            WHERE t.chamber = in_chamber AND t.report_id = ANY (reports)
              AND t.issuer_id = s.issuer_id AND coalesce(t.redated_from, t.row_id) = s.row_id
              AND (t.redated_from IS NULL) = s.is_said AND t.known_at = s.from_at
              AND t.superseded_at IS DISTINCT FROM s.ends_at AND (s.ends_at IS NULL) <= open
            RETURNING t.issuer_id;
        CONTINUE WHEN open;
        RETURN QUERY INSERT INTO disclosed.congress_trade (
                id, issuer_id, record_key, known_at, superseded_at, src_digest, source_id, accession, quote, chamber, report_id, row_number, amends, first_name, last_name, political_party,
                state_district, ticker, asset_name, asset_type, transaction_type, amount_range, owner, comment, transaction_date,
                filing_date, filing_date_basis, company_id, symbol, read_from, seen_at, redated_from)
            SELECT t.id, t.issuer_id, t.record_key, s.from_at, s.ends_at, t.src_digest, t.source_id,
                t.accession, t.quote, t.chamber, t.report_id, t.row_number, t.amends,
                t.first_name, t.last_name, t.political_party, t.state_district, t.ticker, t.asset_name, t.asset_type,
                t.transaction_type, t.amount_range, t.owner, t.comment, t.transaction_date, s.filing_date, s.basis, t.company_id,
                t.symbol, t.read_from, t.seen_at, t.row_id
            FROM pg_temp.report_slice s JOIN disclosed.congress_trade t USING (issuer_id, row_id)
            WHERE NOT s.is_said
              AND NOT EXISTS (SELECT 1 FROM disclosed.congress_trade d
                              WHERE d.issuer_id = s.issuer_id AND d.redated_from = s.row_id AND d.known_at = s.from_at)
            ORDER BY t.row_id, s.from_at
            RETURNING congress_trade.issuer_id;
    END LOOP;
END $$;

-- The counters of trades that are known by the same follow their words, so that they do not tell which of them was loaded
-- first. Those that stand come before those that do not. A report whose trades are all the first of their kind has none to count.
CREATE FUNCTION report_counters(in_chamber text, reports text[], OUT issuer_id bigint, OUT row_id bigint, OUT new_key text)
RETURNS SETOF record LANGUAGE sql STABLE AS $$
    WITH version AS (
        SELECT t.issuer_id, t.row_id, t.record_key, regexp_replace(t.record_key, '/\d+$', '') AS base,
               first_value(t.superseded_at IS NOT DISTINCT FROM t.known_at) OVER best AS is_aside,
               first_value(t.asset_type IS DISTINCT FROM 'Stock') OVER best AS is_other,
               first_value(disclosed.congress_words(t.asset_type, t.asset_name, t.comment) COLLATE "C") OVER best AS words
        FROM disclosed.congress_trade t
        WHERE t.chamber = in_chamber
          AND t.report_id = ANY (ARRAY(SELECT DISTINCT o.report_id FROM disclosed.congress_trade o
                                       WHERE o.chamber = in_chamber AND o.report_id = ANY (reports) AND o.record_key NOT LIKE '%/1'))
          AND disclosed.is_congress_base_key(t.record_key)
        WINDOW best AS (PARTITION BY t.record_key
                        ORDER BY t.superseded_at IS NOT NULL, t.superseded_at IS NOT DISTINCT FROM t.known_at, t.known_at DESC,
                                 t.row_id DESC)),
    counted AS (
        SELECT v.*, dense_rank() OVER (PARTITION BY v.base ORDER BY v.is_aside, v.is_other, v.words,
                                                                    substring(v.record_key FROM '\d+$')::integer) AS number
        FROM version v)
    SELECT c.issuer_id, c.row_id, c.base || '/' || c.number FROM counted c WHERE c.record_key <> c.base || '/' || c.number
$$;

-- Gives them their keys. By way of keys that are none, since no two records may have one key on the way. Returns the politicians.
CREATE FUNCTION count_report_repeats(in_chamber text, reports text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    moved bigint[];
BEGIN
    WITH changed AS (
        UPDATE disclosed.congress_trade t SET record_key = c.new_key || '~' FROM disclosed.report_counters(in_chamber, reports) c
        WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id RETURNING t.issuer_id)
    SELECT array_agg(DISTINCT c.issuer_id) INTO moved FROM changed c;
    UPDATE disclosed.congress_trade t
    SET record_key = rtrim(t.record_key, '~'),
        src_digest = disclosed.congress_src_digest(o.provider, i.party_key, rtrim(t.record_key, '~'))
    FROM disclosed.issuer i, disclosed.source o
    WHERE o.source_id = t.source_id AND t.issuer_id = ANY(moved) AND t.record_key LIKE '%~' AND i.issuer_id = t.issuer_id;
    RETURN QUERY SELECT unnest(moved);
END $$;

-- The source that stands, of versions that files said and of those that have a better date later on. Each is compared with its own
-- files, or with those of the version that it dates anew. Returns the politicians.
CREATE FUNCTION place_report_sources(in_chamber text, reports text[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH said AS MATERIALIZED (
        SELECT v.issuer_id, v.row_id, disclosed.congress_source_of(v.sources, v.known_at) AS source, v.source_provider, v.source_url,
               v.quote, v.content_hash, v.extracted_at, v.import_run_id
        FROM disclosed.congress_trade_sourced v
        WHERE v.chamber = in_chamber AND v.report_id = ANY (reports) AND v.sources IS NOT NULL AND v.redated_from IS NULL),
    version AS (
        SELECT * FROM said
        UNION ALL
        SELECT d.issuer_id, d.row_id, s.source, d.source_provider, d.source_url, d.quote, d.content_hash, d.extracted_at, d.import_run_id
        FROM disclosed.congress_trade_sourced d JOIN said s ON s.issuer_id = d.issuer_id AND s.row_id = d.redated_from
        WHERE d.chamber = in_chamber AND d.report_id = ANY (reports) AND d.redated_from IS NOT NULL)
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

-- ------------------------------------------------------------------------------ what follows from a load

-- The reports of politicians, or of the Clerk's office, of which something was written: of their trades, their dates, or the index. All
-- reports of a politician who amends any, since one ends another's trades.
CREATE FUNCTION written_congress_reports(in_chamber text, issuers bigint[]) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT ARRAY(
        SELECT t.report_id FROM disclosed.congress_trade t
        WHERE t.issuer_id = ANY (issuers) AND t.chamber = in_chamber AND disclosed.is_written(t.xmin)
        UNION
        SELECT d.report_id FROM disclosed.congress_date d WHERE d.chamber = in_chamber AND disclosed.is_written(d.xmin)
        UNION
        SELECT i.report_id FROM disclosed.congress_report i
        WHERE in_chamber = 'house' AND i.issuer_id = ANY (issuers) AND disclosed.is_written(i.xmin)
        UNION
        SELECT t.report_id FROM disclosed.congress_trade t
        WHERE t.chamber = in_chamber
          AND t.issuer_id IN (SELECT a.issuer_id FROM disclosed.congress_trade a WHERE a.issuer_id = ANY (issuers) AND a.amends IS NOT NULL))
$$;

-- Those that have nothing to settle: each trade came with this load, as one version alone of one politician, dated as the report is, from the
-- source that it names.
CREATE FUNCTION plain_congress_reports(in_chamber text, reports text[]) RETURNS text[] LANGUAGE sql STABLE
SET enable_nestloop = off SET enable_mergejoin = off AS $$
    WITH line AS MATERIALIZED (
        SELECT l.report_id, min(l.from_at) AS from_at, min(l.filing_date) AS filing_date, min(l.basis) AS basis,
               bool_and(l.is_public) AS is_public
        FROM disclosed.congress_date_lines(in_chamber, reports, NULL, NULL) l
        GROUP BY l.report_id HAVING count(*) = 1 AND min(l.dated_as) = ''),
    source AS MATERIALIZED (
        SELECT s.source_id, s.url, disclosed.content_hash_text(s.content_hash) AS content_hash
        FROM disclosed.source s WHERE s.source_id IN (
            SELECT t.source_id FROM disclosed.congress_trade t WHERE t.chamber = in_chamber AND t.report_id = ANY (reports)))
    SELECT ARRAY(
        SELECT t.report_id
        FROM disclosed.congress_trade t LEFT JOIN line l USING (report_id) LEFT JOIN source s USING (source_id)
        WHERE t.chamber = in_chamber AND t.report_id = ANY (reports)
        GROUP BY t.report_id
        HAVING min(t.issuer_id) = max(t.issuer_id) AND min(t.read_from) = max(t.read_from)
           AND bool_and(coalesce(
                   t.recorded_at = now() AND t.superseded_at IS NULL AND t.redated_from IS NULL AND t.amends IS NULL
                   AND t.record_key LIKE '%/1' AND disclosed.is_congress_base_key(t.record_key)
                   AND t.filing_date = l.filing_date AND t.filing_date_basis = l.basis
                   AND t.known_at = CASE WHEN l.is_public THEN l.from_at ELSE greatest(coalesce(t.seen_at, t.known_at), l.from_at) END
                   AND jsonb_array_length(t.sources) = 1
                   AND t.quote IS NOT DISTINCT FROM t.sources -> 0 ->> 'quote'
                   AND s.url IS NOT DISTINCT FROM t.sources -> 0 ->> 'source_url'
                   AND s.content_hash IS NOT DISTINCT FROM t.sources -> 0 ->> 'content_hash', false)))
$$;

-- Reports or rows of the index have come. Returns the politicians whose trades have changed.
CREATE OR REPLACE FUNCTION settle_congress(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[] := ARRAY(SELECT DISTINCT d FROM disclosed.date_congress_reports(issuers) AS d);
    touched bigint[];
    chamber_at text;
    written text[];
    plain text[];
    reports text[];
BEGIN
    FOREACH chamber_at IN ARRAY ARRAY['senate', 'house'] LOOP
        written := disclosed.written_congress_reports(chamber_at, issuers);
        CONTINUE WHEN written = '{}';
        plain := disclosed.plain_congress_reports(chamber_at, written);
        reports := ARRAY(SELECT r FROM unnest(written) AS r EXCEPT SELECT p FROM unnest(plain) AS p);
        IF reports <> '{}' THEN
            changed := changed || ARRAY(SELECT DISTINCT v FROM disclosed.date_report_versions(chamber_at, reports) AS v);
        END IF;
        IF chamber_at = 'house' AND EXISTS (SELECT 1 FROM disclosed.congress_report) THEN
            WITH placed AS (
                UPDATE disclosed.congress_trade t SET state_district = i.state_district
                FROM disclosed.congress_report i
                WHERE t.chamber = 'house' AND t.report_id = i.report_id AND t.state_district IS NULL AND i.state_district IS NOT NULL
                  AND i.superseded_at IS NULL AND i.filing_date IS NOT NULL AND disclosed.is_congress_base_key(t.record_key)
                  AND t.report_id = ANY (written)
                RETURNING t.issuer_id)
            SELECT changed || coalesce(array_agg(DISTINCT issuer_id), '{}') INTO changed FROM placed;
        END IF;
        IF reports <> '{}' THEN
            changed := changed || ARRAY(SELECT DISTINCT u FROM disclosed.unite_report_filers(chamber_at, reports) AS u);
            changed := changed || ARRAY(SELECT DISTINCT o FROM disclosed.order_report_versions(chamber_at, reports) AS o);
            changed := changed || ARRAY(SELECT DISTINCT c FROM disclosed.count_report_repeats(chamber_at, reports) AS c);
            changed := changed || ARRAY(SELECT DISTINCT p FROM disclosed.place_report_sources(chamber_at, reports) AS p);
        END IF;
    END LOOP;
    touched := ARRAY(SELECT DISTINCT unnest(issuers || changed));
    PERFORM disclosed.close_amended_trades(touched);
    PERFORM disclosed.map_congress_tickers(NULL, touched);
    PERFORM disclosed.count_congress_companies(ARRAY(
        SELECT DISTINCT company_id FROM disclosed.congress_trade WHERE issuer_id = ANY(touched)));
    RETURN QUERY SELECT DISTINCT unnest(changed);
END $$;

-- What these did for politicians is done for reports.
DROP FUNCTION order_congress_versions(bigint[]); -- asked for by settle_congress() alone
DROP FUNCTION congress_version_slices(bigint[]); -- asked for by order_congress_versions() alone
DROP FUNCTION date_congress_versions(bigint[]); -- asked for by settle_congress() alone
DROP FUNCTION congress_version_lines(bigint[]); -- asked for by those two alone
DROP FUNCTION unite_congress_filers(bigint[]); -- asked for by settle_congress() alone
DROP FUNCTION count_congress_repeats(bigint[]); -- asked for by settle_congress() alone
DROP FUNCTION congress_counters(bigint[]); -- asked for by count_congress_repeats() alone
DROP FUNCTION place_congress_sources(bigint[]); -- asked for by settle_congress() alone
