-- Securities: which CUSIP is which listing.

SET LOCAL search_path = disclosed, public;

-- A CUSIP and the security that it named in a range of days, as a source states it. The issuer is
-- the security's, not the source's.
CREATE TABLE security (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    cusip       text NOT NULL CHECK (cusip ~ '^[0-9A-Z*@#]{9}$'),
    valid_from  date NOT NULL,
    valid_to    date,
    ticker      text CHECK (ticker = upper(ticker) AND ticker <> ''),
    market      text CHECK (market = upper(market) AND market <> ''),
    class_title text,
    isin        text,
    figi        text,
    CHECK (valid_to >= valid_from)
);
CALL finish_dataset_table('security');
COMMENT ON COLUMN security.valid_to IS 'last day; NULL: still';
CREATE INDEX security_cusip ON security (cusip) WHERE superseded_at IS NULL;

-- -------------------------------------------------------- codes and titles

-- What a title of class tells: common (COM, SHS, ORD, a fund's or partnership's units), class with its
-- letter (CL A, COM SER C), adr, other (notes, preferred, warrants, units of several securities);
-- NULL: not understood.
CREATE FUNCTION class_of_title(title text, OUT kind text, OUT letter text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN t.text ~ '\m(NOTE|NOTES|NT|DEBT|DEB|DBCV|BOND|BONDS|BD|MTNF?|SDCV|FRNT|CONV|CV|PFD|PREF|PREFERRED|PRF|DEP|WT|WTS|W|WRT|WARRANT|WARRANTS|RT|RTS|RIGHT|RIGHTS|PERP|SUB|WI)\M'
          OR t.text ~ '%|[0-9]/' THEN 'other'
        WHEN t.text ~ ('^(COM|COMMON|COMMON STOCK|STOCK|STK|CAP STK|CAPITAL STOCK|SHS|SHARES|ORD|ORDINARY|ORD SHS|ORDINARY SHARES|ORD SHARES|REG SHS|NAMEN AKT|COM SHS|COM STK)?'
                       ' ?(CL|CLASS|SER|SERIES) ?([A-Z])( (NEW|COM|COMMON|STK|STOCK|SHS|ORD|VTG|NON VTG|SUB VTG|COM NEW|COM STK|COMMON STOCK))?$') THEN 'class'
        WHEN t.text ~ '^(COM|COMMON|COMMON STOCK|STOCK|STK|CAP STK|CAPITAL STOCK|SHS|SHARES|ORD|ORDINARY|ORDINARY SHARES|ORD SHS|ORD SHARES|REG SHS|NAMEN AKT|COM SHS|COM STK|SH BEN INT|SHS BEN INT|COM SH BEN INT|SBI|UNIT LTD PARTN( INT)?|LTD PARTNERSHIP INT|COM UNITS?|COM UNITS? RE?PSTG LTD PARTN.*|TR UNIT|UNIT BEN INT|(UNIT|UT) SER [0-9]+|(GOLD |SILVER )?(SHS|TRUST)|ISHARES)( NEW)?$' THEN 'common'
        WHEN t.text ~ '^((SPON|SPONS|SPONSRD|SPONSORD|SPONSORED) )?(ADR|ADS|ADRS)( (NEW|SHS|ORD|REP ORD|REPSTG ORD))?$' THEN 'adr'
        END,
        substring(t.text FROM '(?:CL|CLASS|SER|SERIES) ?([A-Z])(?: |$)')
    FROM (SELECT trim(regexp_replace(upper(coalesce(title, '')), '[ .,]+', ' ', 'g')) AS text) t
$$;

-- The listing of an issuer that a class of its securities trades under, where that is sure: the only
-- one; the one with the class letter as suffix (BRK-B); on Nasdaq the one whose last letter it is, if
-- others begin like it (FOXA, FOX). For common shares, and a class of which no listing has the letter
-- though others have one (LEN, LEN-B): the first without a suffix, if none of those that begin like it
-- may be another class. Over-the-counter listings do not count beside those of an exchange, as
-- Section 13(f) is about exchange-traded securities.
CREATE FUNCTION listing_of_class(issuer bigint, kind text, letter text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH active AS (
        SELECT l.symbol, l.ticker, regexp_replace(l.ticker, '[-.].*$', '') AS stem,
               substring(l.ticker FROM '[-.](.*)$') AS suffix, l.listing_rank,
               l.listing_exchange ILIKE 'nasdaq%' AS on_nasdaq, l.listing_exchange NOT IN ('OTC', '') AS on_exchange,
               bool_or(l.market = 'US') OVER () AS any_in_us, l.market
        FROM disclosed.listing l
        WHERE l.issuer_id = issuer AND l.superseded_at IS NULL AND l.status = 'active'),
    traded AS (
        SELECT a.*, count(*) OVER () AS count
        FROM (SELECT *, bool_or(on_exchange) OVER () AS any_on_exchange FROM active
              WHERE market = 'US' OR NOT any_in_us) a
        WHERE a.on_exchange OR NOT coalesce(any_on_exchange, false)),
    first AS (
        SELECT * FROM traded WHERE suffix IS NULL ORDER BY listing_rank, symbol LIMIT 1),
    fitting AS (
        SELECT t.symbol, 1 AS place FROM traded t WHERE t.count = 1 OR (kind = 'class' AND t.suffix = letter)
        UNION ALL
        SELECT t.symbol, 2 FROM traded t
        WHERE kind = 'class' AND t.suffix IS NULL AND t.on_nasdaq AND right(t.ticker, 1) = letter
        UNION ALL
        SELECT f.symbol, 3 FROM first f
        WHERE CASE kind
              WHEN 'class' THEN EXISTS (SELECT 1 FROM traded o WHERE o.stem = f.ticker AND o.suffix ~ '^[A-Z]$')
              ELSE NOT EXISTS (SELECT 1 FROM traded o
                               WHERE o.suffix IS NULL AND o.ticker <> f.ticker AND left(o.ticker, 2) = left(f.ticker, 2)
                                 AND NOT (o.ticker LIKE f.ticker || '_%'
                                          AND NOT (o.on_nasdaq AND o.ticker ~ '[AKL]$')))
              END)
    SELECT min(symbol) FROM fitting
    WHERE kind IN ('common', 'class', 'adr') AND place = (SELECT min(place) FROM fitting)
    HAVING count(*) = 1
$$;

-- Whether the last character of a CUSIP is the check digit of the others.
CREATE FUNCTION cusip_is_valid(cusip text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT cusip ~ '^[0-9A-Z*@#]{8}[0-9]$' AND right(cusip, 1) = (
        SELECT ((10 - sum(v / 10 + v % 10) % 10) % 10)::text
        FROM (SELECT (strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#', substr(cusip, i, 1)) - 1) * (2 - i % 2) AS v
              FROM generate_series(1, 8) AS i) weighted)
$$;

-- ------------------------------------------------- what rows say of CUSIPs

-- Each way in which information tables title a CUSIP, and what the titles mean.
CREATE TABLE security_title (
    cusip       text NOT NULL,
    issuer_title text NOT NULL,
    class_title text NOT NULL,
    rows_seen   bigint NOT NULL,
    first_seen  timestamptz NOT NULL DEFAULT now(),
    cut         boolean NOT NULL,
    words       text COLLATE "C",
    sorted      text COLLATE "C",
    forms       text[] NOT NULL,
    kind        text,
    letter      text,
    resolved    boolean NOT NULL DEFAULT false,
    company_id  bigint,
    symbol      text,
    PRIMARY KEY (cusip, issuer_title, class_title)
);
COMMENT ON COLUMN security_title.class_title IS 'empty where the row has none';
COMMENT ON COLUMN security_title.cut IS 'so long that the list of Section 13(f) securities may have cut it';
COMMENT ON COLUMN security_title.resolved IS 'whether company_id and symbol are what the names of issuers say now';
CREATE INDEX security_title_words ON security_title (words);
CREATE INDEX security_title_sorted ON security_title (sorted);
CREATE INDEX security_title_company ON security_title (company_id);
CREATE INDEX security_title_unresolved ON security_title (cusip) WHERE NOT resolved;

-- What each CUSIP is: as a source states it, else by the ISIN of a listing, else by name. Of several
-- that hold on a day the first counts, of two statements the one that begins later.
CREATE TABLE security_link (
    cusip       text NOT NULL,
    basis       text NOT NULL CHECK (basis IN ('stated', 'isin', 'name')),
    precedence  smallint NOT NULL,
    valid_from  date NOT NULL,
    valid_to    date NOT NULL,
    company_id  bigint NOT NULL REFERENCES issuer,
    symbol      text,
    PRIMARY KEY (cusip, precedence, valid_from)
);
CREATE INDEX security_link_company ON security_link (company_id);
CREATE INDEX security_link_symbol ON security_link (symbol);

-- The security behind what a source says of it on a day: its CUSIP, else its ISIN, else its ticker.
-- For use in a lateral join; no row where nothing is known.
CREATE FUNCTION security_of(wanted_cusip text, wanted_isin text, wanted_ticker text, on_date date)
RETURNS TABLE (company_id bigint, symbol text, basis text) LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT found.company_id, found.symbol, found.basis
    FROM (
        (SELECT l.company_id, l.symbol, l.basis, 1 AS place
         FROM disclosed.security_link l
         WHERE l.cusip = coalesce(wanted_cusip, disclosed.cusip_of_isin(wanted_isin))
           AND on_date BETWEEN l.valid_from AND l.valid_to
         ORDER BY l.precedence, l.valid_from DESC LIMIT 1)
        UNION ALL
        (SELECT min(l.issuer_id), (array_agg(l.symbol ORDER BY l.status <> 'active',
                                            l.market <> 'US', l.listing_rank, l.symbol COLLATE "C"))[1], 'isin', 2
         FROM disclosed.listing l
         WHERE l.isin = wanted_isin AND l.superseded_at IS NULL
         HAVING count(DISTINCT l.issuer_id) = 1)
        UNION ALL
        (SELECT l.issuer_id, l.symbol, 'ticker', 3
         FROM disclosed.listing l
         WHERE l.ticker = upper(wanted_ticker) AND l.superseded_at IS NULL
         ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.symbol COLLATE "C" LIMIT 1)
    ) found
    ORDER BY found.place LIMIT 1
$$;

-- ------------------------------------------------------------------- links

-- CUSIPs whose links this transaction has changed, and what they were before; what follows from them
-- for holdings of 13F reports is done where `applied`.
CREATE FUNCTION begin_security_changes() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.security_change') IS NULL THEN
        CREATE TEMP TABLE security_change (cusip text PRIMARY KEY, applied boolean NOT NULL DEFAULT false)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE replaced_link (LIKE disclosed.security_link) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE fresh_link (LIKE disclosed.security_link) ON COMMIT DELETE ROWS;
    END IF;
END $$;

-- Finds the issuer and the listing of titles that are not resolved. A name must agree with exactly one
-- issuer: word for word, else with the words in another order. A name that may be cut must be the
-- beginning of exactly one.
CREATE FUNCTION resolve_titles(cusips text[]) RETURNS void LANGUAGE sql AS $$
    WITH wanted AS (
        SELECT DISTINCT words, sorted, forms, cut FROM disclosed.security_title
        WHERE cusip = ANY (cusips) AND NOT resolved AND words IS NOT NULL),
    candidate AS (
        SELECT w.words, w.forms, w.cut, 1 AS place, n.issuer_id
        FROM wanted w JOIN disclosed.issuer_name n ON n.words = w.words
        WHERE NOT w.cut AND (w.forms = '{}' OR n.forms = '{}' OR w.forms && n.forms)
        UNION ALL
        SELECT w.words, w.forms, w.cut, 2, n.issuer_id
        FROM wanted w JOIN disclosed.issuer_name n ON n.sorted = w.sorted
        WHERE NOT w.cut AND (w.forms = '{}' OR n.forms = '{}' OR w.forms && n.forms)
        UNION ALL
        SELECT w.words, w.forms, w.cut, 1, n.issuer_id
        FROM wanted w JOIN disclosed.issuer_name n
          ON n.words >= w.words AND n.words <= w.words || '~'
        WHERE w.cut AND (w.forms = '{}' OR n.forms = '{}' OR w.forms && n.forms)),
    placed AS (
        SELECT *, min(place) OVER (PARTITION BY words, forms, cut) AS first_place FROM candidate),
    named AS (
        SELECT words, forms, cut, min(issuer_id) AS issuer_id FROM placed
        WHERE place = first_place
        GROUP BY words, forms, cut HAVING min(issuer_id) = max(issuer_id)),
    titled AS MATERIALIZED (
        SELECT t.cusip, t.issuer_title, t.class_title, t.kind, t.letter, n.issuer_id
        FROM disclosed.security_title t
        LEFT JOIN named n ON n.words = t.words AND n.forms = t.forms AND n.cut = t.cut
        WHERE t.cusip = ANY (cusips) AND NOT t.resolved),
    listed AS MATERIALIZED (
        SELECT c.*, disclosed.listing_of_class(c.issuer_id, c.kind, c.letter) AS symbol
        FROM (SELECT DISTINCT issuer_id, kind, letter FROM titled WHERE issuer_id IS NOT NULL) c)
    UPDATE disclosed.security_title t
    SET resolved = true, company_id = l.issuer_id, symbol = c.symbol
    FROM titled l
    LEFT JOIN listed c ON c.issuer_id = l.issuer_id AND c.kind IS NOT DISTINCT FROM l.kind
                      AND c.letter IS NOT DISTINCT FROM l.letter
    WHERE t.cusip = l.cusip AND t.issuer_title = l.issuer_title AND t.class_title = l.class_title
$$;

-- What the titles of CUSIPs say together: one in ten rows may say something else, as some managers'
-- rows have slipped. Titles of class that are not understood do not count for the listing.
CREATE FUNCTION links_by_name(cusips text[])
RETURNS TABLE (cusip text, company_id bigint, symbol text) LANGUAGE sql STABLE AS $$
    WITH company AS (
        SELECT t.cusip, t.company_id, sum(t.rows_seen) AS votes,
               sum(sum(t.rows_seen)) OVER (PARTITION BY t.cusip) AS all_votes
        FROM disclosed.security_title t
        WHERE t.cusip = ANY (cusips) AND t.company_id IS NOT NULL
        GROUP BY t.cusip, t.company_id),
    listed AS (
        SELECT t.cusip, t.company_id, t.symbol, sum(t.rows_seen) AS votes,
               sum(sum(t.rows_seen)) OVER (PARTITION BY t.cusip) AS all_votes
        FROM company c JOIN disclosed.security_title t USING (cusip, company_id)
        WHERE c.votes >= 0.9 * c.all_votes AND t.kind IS NOT NULL
        GROUP BY t.cusip, t.company_id, t.symbol)
    SELECT c.cusip, c.company_id, l.symbol
    FROM company c
    LEFT JOIN listed l ON l.cusip = c.cusip AND l.symbol IS NOT NULL AND l.votes >= 0.9 * l.all_votes
    WHERE c.votes >= 0.9 * c.all_votes
$$;

-- Brings the links of CUSIPs up to date; notes in pg_temp.security_change those that have changed.
CREATE FUNCTION link_cusips(cusips text[]) RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    PERFORM disclosed.resolve_titles(cusips);
    TRUNCATE pg_temp.fresh_link;
    INSERT INTO pg_temp.fresh_link
    SELECT DISTINCT ON (s.cusip, s.valid_from)
           s.cusip, 'stated', 1, s.valid_from, coalesce(s.valid_to, 'infinity'), s.issuer_id,
           disclosed.listing_since(s.issuer_id, s.ticker, s.market)
    FROM disclosed.security s
    WHERE s.cusip = ANY (cusips) AND s.superseded_at IS NULL
    ORDER BY s.cusip, s.valid_from, s.known_at DESC, s.row_id DESC;
    INSERT INTO pg_temp.fresh_link
    SELECT disclosed.cusip_of_isin(l.isin) AS cusip, 'isin', 2, '-infinity', 'infinity', min(l.issuer_id),
           (array_agg(l.symbol ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.symbol COLLATE "C"))[1]
    FROM disclosed.listing l
    WHERE disclosed.cusip_of_isin(l.isin) = ANY (cusips) AND l.superseded_at IS NULL
      AND l.isin IS NOT NULL
    GROUP BY disclosed.cusip_of_isin(l.isin) HAVING count(DISTINCT l.issuer_id) = 1;
    INSERT INTO pg_temp.fresh_link
    SELECT n.cusip, 'name', 3, '-infinity', 'infinity', n.company_id, n.symbol
    FROM disclosed.links_by_name(cusips) n;
    ANALYZE pg_temp.fresh_link;
    INSERT INTO pg_temp.security_change AS c (cusip)
    SELECT DISTINCT cusip
    FROM ((TABLE pg_temp.fresh_link
           EXCEPT SELECT * FROM disclosed.security_link WHERE cusip = ANY (cusips))
          UNION ALL
          (SELECT * FROM disclosed.security_link WHERE cusip = ANY (cusips)
           EXCEPT TABLE pg_temp.fresh_link)) different
    ON CONFLICT (cusip) DO UPDATE SET applied = false;
    INSERT INTO pg_temp.replaced_link
    SELECT l.* FROM disclosed.security_link l JOIN pg_temp.security_change c USING (cusip)
    WHERE l.cusip = ANY (cusips)
      AND NOT EXISTS (SELECT 1 FROM pg_temp.replaced_link r WHERE r.cusip = l.cusip);
    DELETE FROM disclosed.security_link l USING pg_temp.security_change c
    WHERE l.cusip = c.cusip AND l.cusip = ANY (cusips);
    INSERT INTO disclosed.security_link
    SELECT f.* FROM pg_temp.fresh_link f JOIN pg_temp.security_change c USING (cusip);
END $$;

-- The companies whose securities this transaction has linked otherwise.
CREATE FUNCTION changed_securities() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    RETURN QUERY
        SELECT r.company_id FROM pg_temp.replaced_link r
        UNION
        SELECT l.company_id FROM disclosed.security_link l JOIN pg_temp.security_change c USING (cusip);
END $$;

-- The same, for a load of information tables, whose settling has linked what they title.
CREATE FUNCTION securities_after_positions(managers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS
$$ SELECT * FROM disclosed.changed_securities() $$;

-- For a load of holdings, whose settling has linked what they title.
CREATE FUNCTION securities_after_holdings(registrants bigint[]) RETURNS SETOF bigint LANGUAGE sql AS
$$ SELECT * FROM disclosed.changed_securities() $$;

-- ------------------------------------------------ what follows from a load

CREATE FUNCTION settle_securities(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.link_cusips(ARRAY(SELECT DISTINCT cusip FROM disclosed.security
                                        WHERE issuer_id = ANY (issuers)));
    RETURN QUERY SELECT * FROM disclosed.changed_securities();
END $$;

-- Listings or names of issuers have changed: CUSIPs that may be theirs are linked anew.
CREATE FUNCTION link_issuers(issuers bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    changed text[];
BEGIN
    WITH fresh AS (
        SELECT * FROM disclosed.names_of_issuers(issuers)),
    gone AS (
        DELETE FROM disclosed.issuer_name n
        WHERE n.issuer_id = ANY (issuers) AND NOT EXISTS (
            SELECT 1 FROM fresh f
            WHERE f.issuer_id = n.issuer_id AND f.words = n.words AND f.forms = n.forms)
        RETURNING n.words, n.sorted),
    added AS (
        INSERT INTO disclosed.issuer_name SELECT * FROM fresh
        ON CONFLICT DO NOTHING RETURNING words, sorted),
    name AS (
        SELECT words, sorted FROM gone UNION SELECT words, sorted FROM added),
    title AS (
        SELECT t.cusip, t.issuer_title, t.class_title FROM name n JOIN disclosed.security_title t ON t.words = n.words
        UNION
        SELECT t.cusip, t.issuer_title, t.class_title FROM name n JOIN disclosed.security_title t ON t.sorted = n.sorted
        UNION
        SELECT t.cusip, t.issuer_title, t.class_title
        FROM name n CROSS JOIN LATERAL generate_series(1, length(n.words) - 1) AS length
        JOIN disclosed.security_title t ON t.words = left(n.words, length) AND t.cut
        UNION
        SELECT t.cusip, t.issuer_title, t.class_title FROM disclosed.security_title t
        WHERE t.company_id = ANY (issuers)),
    stale AS (
        UPDATE disclosed.security_title t SET resolved = false FROM title s
        WHERE t.cusip = s.cusip AND t.issuer_title = s.issuer_title AND t.class_title = s.class_title
        RETURNING t.cusip)
    SELECT array_agg(DISTINCT cusip) INTO changed
    FROM (SELECT cusip FROM stale
          UNION SELECT cusip FROM disclosed.security WHERE issuer_id = ANY (issuers)
          UNION SELECT cusip FROM disclosed.security_link WHERE company_id = ANY (issuers)
          UNION SELECT disclosed.cusip_of_isin(isin) FROM disclosed.listing
                WHERE issuer_id = ANY (issuers) AND isin IS NOT NULL) one
    WHERE cusip IS NOT NULL;
    IF changed IS NOT NULL THEN
        PERFORM disclosed.link_cusips(changed);
    END IF;
    RETURN QUERY SELECT * FROM disclosed.changed_securities();
END $$;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON security_title, security_link TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON security_title, security_link TO disclosed_loader;
