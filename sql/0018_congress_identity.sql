-- A trade of Congress is known by what it says: report, owner, asset, type, date and amount, and a counter for
-- those that say the same. Its place in the report is another one in each dump that leaves rows out. All that makes two
-- spellings one trade stands here.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------- how rows are read

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

-- The src_digest of such a trade, as the loader makes it of its politician's key.
CREATE FUNCTION congress_src_digest(provider text, party text, record_key text) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT encode(substr(sha256(convert_to(concat_ws(E'\n', 'congress_trade', provider, party, record_key), 'UTF8')), 1, 16),
                  'hex')::uuid
$$;

-- Of what words a date is said that stands beside a row: the k-th of a report that says them has, by the order of its days, the
-- k-th day. No counter, since that depends on other rows.
CREATE FUNCTION congress_dated_as(base text, words text, place bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT concat_ws('/', base, md5(words), place) $$;

-- ------------------------------------------------ the record that a row is

-- Reads the rows of a file, an array of objects with a number `n` each: what they say, and the record that each of them
-- is. Of trades with all in common a row is the stored one that has its words, else one that can be it; others get numbers
-- of their own. `known_at` is when a stored version said the same; `party` is who filed the report, by the best of what is
-- known; `dated_as` are the words beside which its date stands.
CREATE FUNCTION identify_congress_trades(in_chamber text, given_rows jsonb)
RETURNS TABLE (n integer, party text, owner text, ticker text, asset_name text, asset_type text, record_key text,
               known_at timestamptz, dated_as text)
LANGUAGE sql STABLE SET enable_nestloop = off AS $$
    WITH given AS MATERIALIZED (
        SELECT r.n, r.report_id, r.party, r.read_from, r.transaction_type, r.transaction_date, r.amount_range, r.comment,
               r.first_name, r.last_name, r.political_party, r.state_district, r.day,
               CASE WHEN c.is_read THEN c.owner ELSE r.owner END AS owner,
               CASE WHEN c.is_read THEN c.ticker ELSE r.ticker END AS ticker,
               CASE WHEN c.is_read THEN c.asset ELSE r.asset_name END AS asset_name,
               disclosed.congress_asset_type(CASE WHEN c.is_read THEN c.asset_type ELSE r.asset_type END) AS asset_type
        FROM jsonb_to_recordset(given_rows) AS r(n integer, report_id text, party text, read_from text, transaction_type text,
             transaction_date date, owner text, ticker text, asset_name text, asset_type text, amount_range text, comment text,
             first_name text, last_name text, political_party text, state_district text, day date)
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

-- A report has one filer. Where its rows came to several politicians (a source that knows no district, or another
-- spelling of the name), they are of the one that the best of them names. Returns the politicians.
CREATE FUNCTION unite_congress_filers(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH version AS (
        SELECT t.issuer_id, t.row_id, t.id, t.record_key, min(t.id) OVER (PARTITION BY t.record_key) AS known_id,
               first_value(t.issuer_id) OVER best AS filer_id, first_value(i.party_key) OVER best AS party_key
        FROM (SELECT DISTINCT r.chamber, r.report_id FROM disclosed.congress_trade r
              WHERE r.issuer_id = ANY(issuers) AND disclosed.is_congress_base_key(r.record_key)) r
        JOIN disclosed.congress_trade t USING (chamber, report_id) JOIN disclosed.issuer i USING (issuer_id)
        WHERE disclosed.is_congress_base_key(t.record_key)
        WINDOW best AS (PARTITION BY t.chamber, t.report_id
                        ORDER BY t.read_from = 'copy', i.party_key LIKE '%-house', i.party_key COLLATE "C")),
    moved AS (
        UPDATE disclosed.congress_trade t
        SET issuer_id = v.filer_id, id = v.known_id,
            src_digest = disclosed.congress_src_digest(t.source_provider, v.party_key, t.record_key)
        FROM version v
        WHERE t.issuer_id = v.issuer_id AND t.row_id = v.row_id
          AND (v.issuer_id <> v.filer_id OR v.id <> v.known_id)
        RETURNING v.issuer_id AS old_id, v.filer_id)
    SELECT old_id FROM moved UNION SELECT filer_id FROM moved
$$;

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

-- Gives them their keys. By way of keys that are none, since no two records may have one key on the way. Returns the politicians.
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
