-- A trade of Congress is known by what it says: report, owner, asset, type, date and amount, and a counter for
-- those that say the same. Its place in the report, by which it was known before, is another one in each dump that leaves
-- rows out. All that makes two spellings one trade stands here, so that stored rows and new ones are read alike.

SET LOCAL search_path = disclosed, public;

ALTER TABLE congress_trade ADD COLUMN read_from text CHECK (read_from IN ('report', 'part_of_report', 'copy'));
ALTER TABLE congress_trade ADD COLUMN filer_unsure boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN congress_trade.read_from IS
    'the report itself, read to its end or in part; or a copy of its rows, as public JSON files have them';
COMMENT ON COLUMN congress_trade.filer_unsure IS
    'stored when suffixes of names were taken for names: who filed the report is told by the next import of it';

-- ------------------------------------------------------------------ what a row says

-- Kinds of assets: the Clerk's codes and their names (https://fd.house.gov/reference/asset-type-codes.aspx) in
-- the words that the Senate's reports have; what is not listed stays as filed.
CREATE FUNCTION congress_asset_type(filed text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce((SELECT term FROM (VALUES
        ('4k', '401(k) and other non-federal retirement accounts', 'Retirement Account'),
        ('5c', '529 college savings plan', '529 College Savings Plan'),
        ('5f', '529 portfolio', '529 Portfolio'),
        ('5p', '529 prepaid tuition plan', '529 Prepaid Tuition Plan'),
        ('ab', 'asset-backed securities', 'Asset-Backed Security'),
        ('ba', 'bank accounts, money market accounts and cds', 'Bank Account'),
        ('bk', 'brokerage accounts', 'Brokerage Account'),
        ('co', 'collectibles', 'Collectible'),
        ('cs', 'corporate securities (bonds and notes)', 'Corporate Bond'),
        ('ct', 'cryptocurrency', 'Cryptocurrency'),
        ('db', 'defined benefit pension', 'Pension'),
        ('do', 'debts owed to the filer', 'Debt Owed to the Filer'),
        ('ds', 'delaware statutory trust', 'Delaware Statutory Trust'),
        ('ef', 'exchange traded funds (etf)', 'Exchange-Traded Fund'),
        ('eq', 'excepted/qualified blind trust', 'Blind Trust'),
        ('et', 'exchange traded notes', 'Exchange-Traded Note'),
        ('fa', 'farms', 'Farm'),
        ('fe', 'foreign exchange position (currency)', 'Foreign Currency'),
        ('fn', 'fixed annuity', 'Fixed Annuity'),
        ('fu', 'futures', 'Futures Contract'),
        ('gs', 'government securities and agency debt', 'Government Security'),
        ('he', 'hedge funds & private equity funds (eif)', 'Hedge Fund or Private Equity Fund'),
        ('hn', 'hedge funds & private equity funds (non-eif)', 'Hedge Fund or Private Equity Fund'),
        ('ic', 'investment club', 'Investment Club'),
        ('ih', 'ira (held in cash)', 'Retirement Account'),
        ('ip', 'intellectual property & royalties', 'Intellectual Property'),
        ('ir', 'ira', 'Retirement Account'),
        ('ma', 'managed accounts (e.g., sma and uma)', 'Managed Account'),
        ('mf', 'mutual funds', 'Mutual Fund'),
        ('mo', 'mineral/oil/solar energy rights', 'Mineral, Oil or Solar Energy Rights'),
        ('oi', 'ownership interest (holding investments)', 'Ownership Interest'),
        ('ol', 'ownership interest (engaged in a trade or business)', 'Ownership Interest'),
        ('op', 'options', 'Stock Option'),
        ('ot', 'other', 'Other Securities'),
        ('pe', 'pensions', 'Pension'),
        ('pm', 'precious metals', 'Precious Metal'),
        ('ps', 'stock (not publicly traded)', 'Non-Public Stock'),
        ('re', 'real estate invest. trust (reit)', 'Real Estate Investment Trust'),
        ('rn', 'non-public real estate investment trust', 'Real Estate Investment Trust'),
        ('rp', 'real property', 'Real Property'),
        ('rs', 'restricted stock units (rsus)', 'Restricted Stock Unit'),
        ('sa', 'stock appreciation right', 'Stock Appreciation Right'),
        ('st', 'stocks (including adrs)', 'Stock'),
        ('stocks', 'stock', 'Stock'),
        ('option', 'stock options', 'Stock Option'),
        ('stock option', 'stock option', 'Stock Option'),
        ('tr', 'trust', 'Trust'),
        ('va', 'variable annuity', 'Variable Annuity'),
        ('vi', 'variable insurance', 'Variable Insurance'),
        ('wu', 'whole/universal insurance', 'Whole or Universal Insurance')) AS t(code, name, term)
        WHERE lower(filed) IN (code, name)), filed)
$$;

-- The letters and digits of a text, in lower case: what spellings of one thing have in common.
CREATE FUNCTION congress_letters(text text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT regexp_replace(lower(text COLLATE "C"), '[^a-z0-9]+', '', 'g') $$;

-- A range of amounts by its lower end, since the upper one is cut off in some dumps ("$1,001 -"). "Over" begins
-- one dollar above.
CREATE FUNCTION congress_amount(amount text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(trim_scale(a.number + CASE WHEN amount ~* '\mover\M' THEN 1 ELSE 0 END)::text,
                    disclosed.congress_letters(amount))
    FROM (SELECT replace((regexp_match(amount, '\d[\d,]{0,24}(?:\.\d{1,9})?'))[1], ',', '')::numeric AS number) a
$$;

-- What a copy of a House report's row says. Some take lines above and below an asset for a part of it: the end of
-- the headings ("$200?"), an ID, labelled lines ("F S: New", "S O: ...") with, behind them, the owner. The ticker and
-- the code of the asset's type stand at its end, "(AAPL) [ST]", or in members of their own.
CREATE FUNCTION congress_reading(INOUT owner text, INOUT ticker text, INOUT asset text, INOUT asset_type text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    found text[];
    code constant text := '^(.*\S)\s*\[([A-Za-z0-9]{2})\]$';
    symbol constant text := '^(.*\S)\s*\(([A-Za-z0-9./-]{1,8})\)$';
BEGIN
    asset := btrim(regexp_replace(asset, '\sF(iling)?\s+S(tatus)?\s*:\s.*$', '', 'i'));
    IF asset ~ '^(\$200\?|F S: New|\d{10}|[SDCL]( O)?:)\s' THEN
        found := regexp_match(asset, '^.*\s(SP|JT|DC)\s+(\S.*)$');
        IF found IS NOT NULL AND coalesce(owner, 'self') IN
           ('self', CASE found[1] WHEN 'SP' THEN 'spouse' WHEN 'JT' THEN 'joint' ELSE 'child' END) THEN
            owner := CASE found[1] WHEN 'SP' THEN 'spouse' WHEN 'JT' THEN 'joint' ELSE 'child' END;
            asset := found[2];
        ELSE
            asset := regexp_replace(asset, '^((\$200\?|F S: New|\d{10})\s+)+(?=\S)', '');
        END IF;
    END IF;
    found := regexp_match(asset, code);
    IF found IS NOT NULL THEN
        asset := found[1];
        asset_type := coalesce(asset_type, upper(found[2]));
        IF ticker IS NULL AND (regexp_match(asset, symbol))[2] ~ '^[A-Z]{1,5}([./-][A-Z]{1,2})?$'
           AND (regexp_match(asset, symbol))[2] <> ALL (ARRAY['ADR', 'ETF', 'REIT', 'IRA', 'LLC', 'LP', 'INC', 'LTD', 'PLC']) THEN
            ticker := disclosed.plain_ticker((regexp_match(asset, symbol))[2]);
        END IF;
    END IF;
    found := regexp_match(asset, symbol);
    IF disclosed.congress_letters(found[2]) = disclosed.congress_letters(ticker) THEN
        asset := found[1];
    END IF;
    asset := nullif(asset, '');
    owner := coalesce(owner, 'self');
END $$;

-- What a trade is known by, without its counter. An asset is known by its ticker, where it has one: names are spelled,
-- and cut, in other ways in each dump.
CREATE FUNCTION congress_trade_base(chamber text, report_id text, type text, day date, owner text, ticker text,
                                    asset text, amount text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT concat_ws('/', chamber, report_id, coalesce(to_char(day, 'YYYY-MM-DD'), '-'), type,
        coalesce(disclosed.congress_letters(owner), CASE chamber WHEN 'house' THEN 'self' ELSE '-' END),
        coalesce(nullif(upper(disclosed.congress_letters(ticker)), ''),
                 CASE WHEN length(a.letters) > 80 THEN left(a.letters, 60) || '-' || md5(a.letters)
                      WHEN a.letters <> '' THEN a.letters
                      WHEN asset <> '' THEN md5(asset) ELSE '-' END),
        coalesce(disclosed.congress_amount(amount), '-'))
    FROM (SELECT disclosed.congress_letters(asset) AS letters) a
$$;

-- Whether a key is of that kind: rows of NDJSON have "<chamber>/<report>/<number>".
CREATE FUNCTION is_congress_base_key(record_key text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT record_key LIKE '%/%/%/%/%/%/%/%' $$;

-- What tells trades apart that have all of that in common.
CREATE FUNCTION congress_words(asset_type text, asset text, comment text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT coalesce(disclosed.congress_letters(concat_ws(' ', asset_type, asset, comment)), '') $$;

-- Whether both may be said of one trade: one says nothing, or the beginning of what the other says.
CREATE FUNCTION congress_can_be_one(one text, other text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(starts_with(a, b) OR starts_with(b, a), true)
    FROM (SELECT disclosed.congress_letters(one) AS a, disclosed.congress_letters(other) AS b) l
$$;

CREATE FUNCTION congress_src_digest(provider text, party text, record_key text) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT encode(substr(sha256(convert_to(concat_ws(E'\n', 'congress_trade', provider, party, record_key), 'UTF8')), 1, 16),
                  'hex')::uuid
$$;

-- ------------------------------------------------------------------ what an import asks

-- Reads the rows of a file, an array of objects with a number `n` each: what they say, and the record that each of them
-- is. Of trades with all in common a row is the stored one that has its words, else one that can be it; others get numbers
-- of their own.
-- `known_at` is when a stored version said the same; `party` is who filed the report, by the best of what is known.
CREATE FUNCTION identify_congress_trades(in_chamber text, given_rows jsonb)
RETURNS TABLE (n integer, party text, owner text, ticker text, asset_name text, asset_type text, record_key text,
               known_at timestamptz)
LANGUAGE sql STABLE SET enable_nestloop = off AS $$
    WITH given AS MATERIALIZED (
        SELECT r.n, r.report_id, r.party, r.read_from, r.transaction_type, r.transaction_date, r.amount_range, r.comment,
               r.first_name, r.last_name, r.political_party, r.state_district,
               CASE WHEN c.is_read THEN c.owner ELSE r.owner END AS owner,
               CASE WHEN c.is_read THEN c.ticker ELSE r.ticker END AS ticker,
               CASE WHEN c.is_read THEN c.asset ELSE r.asset_name END AS asset_name,
               disclosed.congress_asset_type(CASE WHEN c.is_read THEN c.asset_type ELSE r.asset_type END) AS asset_type
        FROM jsonb_to_recordset(given_rows) AS r(n integer, report_id text, party text, read_from text, transaction_type text,
             transaction_date date, owner text, ticker text, asset_name text, asset_type text, amount_range text, comment text,
             first_name text, last_name text, political_party text, state_district text)
        LEFT JOIN LATERAL (SELECT true AS is_read, d.* FROM disclosed.congress_reading(r.owner, r.ticker, r.asset_name,
                                                                                     r.asset_type) d) c
               ON in_chamber = 'house' AND r.read_from = 'copy' AND r.asset_name IS NOT NULL),
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
        FROM (SELECT s.n, s.base, s.words, row_number() OVER (PARTITION BY s.base, s.words ORDER BY s.n) AS place FROM said s) f
        JOIN (SELECT s.base, s.number, s.words, row_number() OVER (PARTITION BY s.base, s.words ORDER BY s.number) AS place
              FROM standing s) h USING (base, words, place)),
    rest AS (
        SELECT s.n, s.base, s.comment, s.asset_type, s.asset_name,
               row_number() OVER (PARTITION BY s.base ORDER BY s.asset_type IS DISTINCT FROM 'Stock', s.n) AS place
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
              UNION ALL SELECT s.report_id, i.party_key, s.read_from FROM stored s JOIN disclosed.issuer i USING (issuer_id)
              WHERE NOT s.filer_unsure) f
        ORDER BY f.report_id, f.read_from = 'copy', f.party LIKE '%-house', f.party COLLATE "C")
    SELECT s.n, f.party, s.owner, s.ticker, s.asset_name, s.asset_type, k.record_key, a.known_at
    FROM said s JOIN numbered k USING (n) JOIN filer f USING (report_id) LEFT JOIN again a USING (n) ORDER BY s.n
$$;

-- ------------------------------------------------------------------ what follows from a load

-- A report has one filer. Where its rows came to several politicians (a source that knows no district, or another
-- spelling of the name), they are of the one that the best of them names. Returns the politicians.
CREATE FUNCTION unite_congress_filers(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH version AS (
        SELECT t.issuer_id, t.row_id, t.id, t.record_key, t.filer_unsure, min(t.id) OVER (PARTITION BY t.record_key) AS known_id,
               first_value(t.issuer_id) OVER best AS filer_id, first_value(t.filer_unsure) OVER best AS is_unsure,
               first_value(i.party_key) OVER best AS party_key
        FROM (SELECT DISTINCT r.chamber, r.report_id FROM disclosed.congress_trade r
              WHERE r.issuer_id = ANY(issuers) AND disclosed.is_congress_base_key(r.record_key)) r
        JOIN disclosed.congress_trade t USING (chamber, report_id) JOIN disclosed.issuer i USING (issuer_id)
        WHERE disclosed.is_congress_base_key(t.record_key)
        WINDOW best AS (PARTITION BY t.chamber, t.report_id
                        ORDER BY t.filer_unsure, t.read_from = 'copy', i.party_key LIKE '%-house', i.party_key COLLATE "C")),
    moved AS (
        UPDATE disclosed.congress_trade t
        SET issuer_id = v.filer_id, id = v.known_id, filer_unsure = v.is_unsure,
            src_digest = disclosed.congress_src_digest(t.source_provider, v.party_key, t.record_key)
        FROM version v
        WHERE t.issuer_id = v.issuer_id AND t.row_id = v.row_id
          AND (v.issuer_id <> v.filer_id OR v.filer_unsure <> v.is_unsure OR v.id <> v.known_id)
        RETURNING v.issuer_id AS old_id, v.filer_id)
    SELECT old_id FROM moved UNION SELECT filer_id FROM moved
$$;

-- When each version of the importers' records ends, where that is not what is stored. A report that was read to its
-- end is the whole of it: copies of its rows were in force at no time. Of one that was read in part the rows that were
-- read stand before their copies. Of copies the one that says most stands from when it is known, whatever was loaded
-- before or after; an amendment ends them all.
CREATE FUNCTION congress_version_ends(issuers bigint[], OUT issuer_id bigint, OUT row_id bigint, OUT ends_at timestamptz)
RETURNS SETOF record LANGUAGE sql STABLE AS $$
    WITH version AS (
        SELECT t.issuer_id, t.row_id, t.record_key, t.known_at, t.superseded_at, t.read_from, a.amended_at, w.filled, w.words,
               bool_or(t.read_from = 'report') OVER (PARTITION BY t.chamber, t.report_id) AS is_read,
               bool_or(t.read_from LIKE '%report') OVER (PARTITION BY t.record_key) AS is_read_itself
        FROM (SELECT DISTINCT r.chamber, r.report_id FROM disclosed.congress_trade r
              WHERE r.issuer_id = ANY(issuers) AND disclosed.is_congress_base_key(r.record_key)) r
        JOIN disclosed.congress_trade t USING (chamber, report_id)
        CROSS JOIN LATERAL (
            SELECT num_nonnulls(t.ticker, t.asset_name, t.asset_type, t.amount_range, t.owner, t.comment, t.first_name,
                                t.political_party, t.state_district) AS filled,
                   concat_ws('|', t.ticker, t.asset_name, t.asset_type, t.amount_range, t.owner, t.comment, t.first_name,
                             t.last_name, t.political_party, t.state_district) AS words) w
        CROSS JOIN LATERAL (
            SELECT min(a.known_at) AS amended_at FROM disclosed.congress_trade a
            WHERE a.issuer_id = t.issuer_id AND a.amends = t.report_id AND a.chamber = t.chamber AND a.report_id <> t.report_id
              AND a.superseded_at IS DISTINCT FROM a.known_at) a
        WHERE disclosed.is_congress_base_key(t.record_key)),
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
        FROM better b)
    SELECT e.issuer_id, e.row_id, l.ends_at
    FROM ending e
    CROSS JOIN LATERAL (SELECT CASE WHEN e.ended_at < e.known_at THEN e.known_at ELSE e.ended_at END AS ends_at) l
    WHERE e.superseded_at IS DISTINCT FROM l.ends_at
$$;

-- Those that end first, so that no two are in force on the way. Returns the politicians.
CREATE FUNCTION order_congress_versions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    open boolean;
BEGIN
    FOREACH open IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY UPDATE disclosed.congress_trade t SET superseded_at = e.ends_at
        FROM disclosed.congress_version_ends(issuers) e
        WHERE t.issuer_id = e.issuer_id AND t.row_id = e.row_id AND (e.ends_at IS NULL) <= open
        RETURNING t.issuer_id;
    END LOOP;
END $$;

-- The counters of trades that are known by the same follow their words, so that they do not tell which of them was loaded
-- first. Those that stand come before those that do not.
CREATE FUNCTION congress_counters(issuers bigint[], OUT issuer_id bigint, OUT row_id bigint, OUT new_key text)
RETURNS SETOF record LANGUAGE sql STABLE AS $$
    WITH version AS (
        SELECT t.issuer_id, t.row_id, t.record_key, regexp_replace(t.record_key, '/\d+$', '') AS base,
               first_value(t.superseded_at IS NOT DISTINCT FROM t.known_at) OVER best AS is_aside,
               first_value(t.asset_type IS DISTINCT FROM 'Stock') OVER best AS is_other,
               first_value(disclosed.congress_words(t.asset_type, t.asset_name, t.comment) COLLATE "C") OVER best AS words
        FROM (SELECT DISTINCT r.chamber, r.report_id FROM disclosed.congress_trade r
              WHERE r.issuer_id = ANY(issuers) AND disclosed.is_congress_base_key(r.record_key)) r
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

-- By way of keys that are none, since no two records may have one key on the way. Returns the politicians.
CREATE FUNCTION count_congress_repeats(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    moved bigint[];
BEGIN
    WITH changed AS (
        UPDATE disclosed.congress_trade t SET record_key = c.new_key || '~' FROM disclosed.congress_counters(issuers) c
        WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id RETURNING t.issuer_id)
    SELECT array_agg(DISTINCT c.issuer_id) INTO moved FROM changed c;
    UPDATE disclosed.congress_trade t
    SET record_key = rtrim(t.record_key, '~'),
        src_digest = disclosed.congress_src_digest(t.source_provider, i.party_key, rtrim(t.record_key, '~'))
    FROM disclosed.issuer i
    WHERE t.issuer_id = ANY(moved) AND t.record_key LIKE '%~' AND i.issuer_id = t.issuer_id;
    RETURN QUERY SELECT unnest(moved);
END $$;

CREATE OR REPLACE FUNCTION settle_congress(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[] := ARRAY(SELECT DISTINCT d FROM disclosed.date_congress_reports(issuers) AS d);
    touched bigint[];
BEGIN
    changed := changed || ARRAY(SELECT DISTINCT u FROM disclosed.unite_congress_filers(issuers || changed) AS u);
    changed := changed || ARRAY(SELECT DISTINCT o FROM disclosed.order_congress_versions(issuers || changed) AS o);
    changed := changed || ARRAY(SELECT DISTINCT c FROM disclosed.count_congress_repeats(issuers || changed) AS c);
    touched := ARRAY(SELECT DISTINCT unnest(issuers || changed));
    PERFORM disclosed.close_amended_trades(touched);
    PERFORM disclosed.map_congress_tickers(NULL, touched);
    PERFORM disclosed.count_congress_companies(ARRAY(
        SELECT DISTINCT company_id FROM disclosed.congress_trade WHERE issuer_id = ANY(touched)));
    RETURN QUERY SELECT DISTINCT unnest(changed);
END $$;

-- ------------------------------------------------------------------ what is stored already

-- Rows of the importers are read anew and get their keys, each version by what it says: so trades that a second dump
-- put out of force, since they stood in its place, stand again. Counters are those within a file. Trades of NDJSON keep
-- their keys.
CREATE TEMP TABLE read_anew ON COMMIT DROP AS
SELECT t.issuer_id, t.row_id, t.id, t.import_run_id, t.row_number, t.asset_name AS old_name, t.asset_type AS old_type,
       s.read_from, c.owner, c.ticker, c.asset AS asset_name, congress_asset_type(c.asset_type) AS asset_type,
       congress_trade_base(t.chamber, t.report_id, t.transaction_type, t.transaction_date, c.owner, c.ticker, c.asset,
                           t.amount_range) AS base
FROM congress_trade t
JOIN import_run r ON r.import_run_id = t.import_run_id AND r.source IN ('senate-ptr', 'house-ptr')
CROSS JOIN LATERAL (SELECT CASE WHEN t.chamber = 'senate' OR t.content_hash IS NULL THEN 'copy'
                                WHEN r.rejected > 0 THEN 'part_of_report' ELSE 'report' END AS read_from) s
CROSS JOIN LATERAL (
    SELECT d.* FROM congress_reading(t.owner, t.ticker, t.asset_name, t.asset_type) d
    WHERE t.chamber = 'house' AND s.read_from = 'copy' AND t.asset_name IS NOT NULL
    UNION ALL SELECT t.owner, t.ticker, t.asset_name, t.asset_type
    WHERE NOT (t.chamber = 'house' AND s.read_from = 'copy' AND t.asset_name IS NOT NULL)) c;
ALTER TABLE read_anew ADD record_key text, ADD new_id bigint, ADD PRIMARY KEY (issuer_id, row_id);
ANALYZE read_anew;
UPDATE read_anew a SET record_key = n.record_key
FROM (SELECT issuer_id, row_id, base || '/' || row_number() OVER (
                 PARTITION BY base, import_run_id ORDER BY asset_type IS DISTINCT FROM 'Stock', row_number, row_id) AS record_key
      FROM read_anew) n
WHERE n.issuer_id = a.issuer_id AND n.row_id = a.row_id;
ANALYZE read_anew;
-- A number stays with one of the records that versions of a record have become.
UPDATE read_anew a SET new_id = n.id
FROM (SELECT record_key, CASE WHEN row_number() OVER (PARTITION BY id ORDER BY record_key) = 1 THEN id
                              ELSE nextval('record_id') END AS id
      FROM (SELECT record_key, min(id) AS id FROM read_anew GROUP BY record_key) k) n
WHERE n.record_key = a.record_key;

UPDATE congress_trade t SET superseded_at = t.known_at
FROM read_anew a WHERE a.issuer_id = t.issuer_id AND a.row_id = t.row_id;
UPDATE congress_trade t
SET id = a.new_id, record_key = a.record_key, read_from = a.read_from, filer_unsure = true,
    src_digest = congress_src_digest(t.source_provider, i.party_key, a.record_key),
    owner = a.owner, ticker = a.ticker, asset_name = a.asset_name, asset_type = a.asset_type,
    quote = nullif(concat_ws('; ', CASE WHEN a.old_type <> a.asset_type AND a.read_from <> 'copy' THEN '[' || a.old_type || ']' END,
                             t.quote,
                             CASE WHEN a.old_name <> a.asset_name THEN 'asset_description: ' || a.old_name END,
                             CASE WHEN a.old_type <> a.asset_type AND a.read_from = 'copy' THEN 'asset_type: ' || a.old_type END), '')
FROM read_anew a JOIN issuer i USING (issuer_id)
WHERE a.issuer_id = t.issuer_id AND a.row_id = t.row_id;

GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA disclosed TO disclosed_api, disclosed_loader;

DO $$
DECLARE
    politicians bigint[] := ARRAY(SELECT DISTINCT issuer_id FROM disclosed.congress_trade);
BEGIN
    IF politicians = '{}' THEN
        RETURN;
    END IF;
    PERFORM disclosed.settle_congress(politicians);
    INSERT INTO disclosed.dataset_issuer_stat AS stat (issuer_id, dataset, record_count, latest)
    SELECT issuer_id, 'congress_trade', count(*) FILTER (WHERE superseded_at IS NULL),
           max(filing_date) FILTER (WHERE superseded_at IS NULL)
    FROM disclosed.congress_trade GROUP BY issuer_id
    ON CONFLICT (issuer_id, dataset) DO UPDATE SET record_count = excluded.record_count, latest = excluded.latest;
    UPDATE disclosed.dataset_stat d
    SET record_count = s.record_count, latest = s.latest, version = d.version + 1, changed_at = now()
    FROM (SELECT sum(record_count) AS record_count, max(latest) AS latest FROM disclosed.dataset_issuer_stat
          WHERE dataset = 'congress_trade') s
    WHERE d.dataset = 'congress_trade';
END $$;
