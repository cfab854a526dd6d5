-- Listings: under which tickers the securities of issuers are listed, and what a ticker meant at an instant.
--
-- The versions follow from what sources said (0004_listing_versions.sql). The columns of tables say what holds now; functions of
-- an instant say the same of what was known then. Of several listings CIKs and symbols decide which one is meant or stands
-- first, never the numbers of issuers and records, which are given in the order of loading.

SET LOCAL search_path = disclosed, public;

-- The CUSIP within an ISIN: of the USA and Canada, and of the countries for which CUSIP Global
-- Services numbers securities, whose CUSIPs (CINS) begin with a letter.
CREATE FUNCTION cusip_of_isin(isin text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN isin ~ '^(US|CA)[0-9A-Z]{10}$' OR isin ~ '^(BM|BS|KY|MH|PA|PR|VG)[A-Z][0-9A-Z]{9}$'
                THEN substr(isin, 3, 9) END
$$;

-- A version is known from when a source first said so, never earlier.
CREATE TABLE listing (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    ticker      text NOT NULL CHECK (ticker = upper(ticker) AND ticker <> ''),
    market      text NOT NULL CHECK (market = upper(market) AND market <> ''),
    symbol      text GENERATED ALWAYS AS (ticker || ':' || market) STORED,
    name        text NOT NULL,
    listing_exchange text,
    isin        text,
    figi        text,
    is_etf      boolean NOT NULL DEFAULT false,
    is_fund     boolean NOT NULL DEFAULT false,
    is_adr      boolean NOT NULL DEFAULT false,
    status      text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive', 'delisted')),
    listing_rank bigint NOT NULL DEFAULT 0,
    listed_on   date NOT NULL
);
CALL finish_dataset_table('listing');
COMMENT ON COLUMN listing.listing_rank IS 'place among the issuer''s listings; 0 is the primary one';
COMMENT ON COLUMN listing.listed_on IS 'first day on which the listing is known; orders lists of companies';
CREATE UNIQUE INDEX listing_named_once ON listing (record_key) WHERE superseded_at IS NULL;
CREATE INDEX listing_key ON listing (record_key, known_at);
CREATE INDEX listing_symbol ON listing (ticker, market) WHERE superseded_at IS NULL;
CREATE INDEX listing_issuer ON listing (issuer_id, listing_rank) WHERE superseded_at IS NULL;
CREATE INDEX listing_order ON listing (listed_on, id);
CREATE INDEX listing_isin ON listing (isin) WHERE isin IS NOT NULL;
CREATE INDEX listing_figi ON listing (figi) WHERE figi IS NOT NULL;
CREATE INDEX listing_search ON listing USING gin ((ticker || ' ' || name) gin_trgm_ops)
    WHERE superseded_at IS NULL;
CREATE INDEX listing_cusip ON listing (cusip_of_isin(isin))
    WHERE superseded_at IS NULL AND isin IS NOT NULL;
-- Symbols are looked up among the versions of listings as well.
CREATE INDEX listing_ticker ON listing (ticker, known_at);

-- ------------------------------------------------------- what sources said

-- Whether a version comes from whole-market files: it is made anew from what they say.
CREATE FUNCTION is_of_snapshot(provider text, url text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(provider = 'sec' AND url IN ('https://www.sec.gov/files/company_tickers.json',
                                        'https://www.sec.gov/files/company_tickers_exchange.json'), false)
$$;

-- The whole-market files loaded so far, by kind: a listing that every kind which named it has dropped is inactive. A file of
-- which rows were rejected does not say that what it lacks has gone.
CREATE TABLE listing_snapshot (
    kind        text NOT NULL,
    taken_at    timestamptz NOT NULL,
    content_hash text NOT NULL,
    is_whole    boolean NOT NULL DEFAULT true,
    PRIMARY KEY (kind, taken_at)
);
COMMENT ON COLUMN listing_snapshot.content_hash IS 'a file without a date keeps the time at which it was first seen';
COMMENT ON COLUMN listing_snapshot.is_whole IS 'no row of it was rejected: what it does not name was not listed';
CREATE INDEX listing_snapshot_content ON listing_snapshot (content_hash);

-- What a kind of file says of a listing, from a snapshot to another: all of that kind between them say the same. The place
-- among an issuer's listings is part of it, as it is of a version.
CREATE TABLE listing_seen (
    run_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL,
    issuer_id   bigint NOT NULL REFERENCES issuer,
    record_key  text NOT NULL,
    first_seen  timestamptz NOT NULL,
    last_seen   timestamptz NOT NULL,
    name        text NOT NULL,
    listing_exchange text,
    listing_rank bigint NOT NULL,
    listing_digest uuid NOT NULL,
    CHECK (first_seen <= last_seen)
);
COMMENT ON TABLE listing_seen IS 'what a kind of whole-market file says of a listing, in all its snapshots from first_seen to last_seen';
CREATE INDEX listing_seen_issuer ON listing_seen (issuer_id, record_key, kind);
CREATE INDEX listing_seen_key ON listing_seen (record_key);

-- A column that the source did not state is NULL: what it is then follows from what was said before.
CREATE TABLE listing_stated (
    issuer_id   bigint NOT NULL REFERENCES issuer,
    record_key  text NOT NULL,
    known_at    timestamptz NOT NULL,
    said        uuid NOT NULL,
    place       bigint NOT NULL,
    stated_in   bigint,
    listing_digest uuid NOT NULL,
    source_provider text NOT NULL REFERENCES source_provider,
    source_url  text,
    accession   text,
    quote       text,
    content_hash text,
    extracted_at timestamptz NOT NULL,
    name        text NOT NULL,
    listing_exchange text,
    isin        text,
    figi        text,
    is_etf      boolean,
    is_fund     boolean,
    is_adr      boolean,
    status      text NOT NULL,
    listing_rank bigint,
    listed_on   date,
    seen_on     date,
    PRIMARY KEY (record_key, known_at, issuer_id, said)
);
COMMENT ON TABLE listing_stated IS 'what sources other than whole-market files stated of listings; versions are derived from it';
COMMENT ON COLUMN listing_stated.said IS 'digest of what it says: two files that say the same at one instant are one statement';
COMMENT ON COLUMN listing_stated.place IS 'in its file, whose rows of one instant follow each other; the last that any file has';
COMMENT ON COLUMN listing_stated.stated_in IS 'the import_run_id';
COMMENT ON COLUMN listing_stated.listing_digest IS 'the src_digest of the version that it becomes';
COMMENT ON COLUMN listing_stated.seen_on IS 'in place of listed_on where the source states no such day: when it said so';

-- ------------------------------------------------ what follows from a load

-- Brings the versions of listings into order: each holds from when a source first said so until the next of
-- its key, be it another issuer's (a ticker goes from one to another). Of companies that sources name for one instant
-- the one with the highest CIK has it from then on, whichever was loaded last, and whole-market files, which say
-- themselves in what order their rows stand, come after other sources. One row of a key is current, so
-- those that end are closed before one is opened. Returns the issuers.
CREATE FUNCTION order_listings(keys text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.listing l SET superseded_at = t.next_known_at
            FROM (SELECT s.issuer_id, s.row_id, s.superseded_at, lead(s.known_at) OVER (
                             PARTITION BY s.record_key
                             ORDER BY s.known_at, s.of_snapshot, s.holder COLLATE "C" NULLS FIRST, s.row_id) AS next_known_at
                  FROM (SELECT o.*, f.of_snapshot,
                               CASE WHEN NOT f.of_snapshot THEN disclosed.issuer_order(o.issuer_id) END AS holder
                        FROM disclosed.listing o
                        CROSS JOIN LATERAL (SELECT disclosed.is_of_snapshot(o.source_provider, o.source_url) AS of_snapshot) f
                        WHERE o.record_key IN (SELECT unnest(keys))) s) t
            WHERE l.issuer_id = t.issuer_id AND l.row_id = t.row_id
              AND (t.next_known_at IS NULL) = opening
              AND t.superseded_at IS DISTINCT FROM t.next_known_at
            RETURNING l.issuer_id;
    END LOOP;
END $$;

-- The primary listing of each issuer, and the name that its lists show.
CREATE FUNCTION settle_companies(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    SELECT count(*) FROM disclosed.order_listings(ARRAY(
        SELECT DISTINCT record_key FROM disclosed.listing WHERE issuer_id = ANY(issuers)));
    UPDATE disclosed.issuer i
    SET name = coalesce(p.name, l.name, i.name), ticker = l.ticker, market = l.market
    FROM unnest(issuers) AS touched(issuer_id)
    LEFT JOIN disclosed.issuer_profile p
           ON p.issuer_id = touched.issuer_id AND p.superseded_at IS NULL
    LEFT JOIN LATERAL (
        SELECT ticker, market, name FROM disclosed.listing current
        WHERE issuer_id = touched.issuer_id AND superseded_at IS NULL
        ORDER BY status <> 'active', listing_rank,
                 (SELECT max(last_seen) FROM disclosed.listing_seen seen
                  WHERE seen.issuer_id = current.issuer_id
                    AND seen.record_key = current.record_key) DESC NULLS LAST,
                 record_key LIMIT 1) l ON true
    WHERE i.issuer_id = touched.issuer_id
      AND (i.name, i.ticker, i.market)
          IS DISTINCT FROM (coalesce(p.name, l.name, i.name), l.ticker, l.market);
    INSERT INTO disclosed.dataset_stat AS stat (dataset, record_count, version)
    SELECT 'issuer', count(*), 1 FROM disclosed.issuer WHERE ticker IS NOT NULL
    ON CONFLICT (dataset) DO UPDATE
    SET record_count = excluded.record_count, version = stat.version + 1, changed_at = now()
    WHERE stat.record_count <> excluded.record_count;
$$;

-- ----------------------------------------------------------- what is asked

-- The record key of the listing behind a symbol, now or at an instant: TICKER:MARKET names it, a bare ticker means its
-- primary listing, active ones first.
CREATE FUNCTION listing_of_symbol(wanted text, instant timestamptz DEFAULT NULL) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF position(':' IN wanted) > 0 THEN
        RETURN wanted;
    END IF;
    IF instant IS NULL THEN
        RETURN (SELECT l.record_key FROM disclosed.listing l
                WHERE l.ticker = wanted AND l.superseded_at IS NULL
                ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.symbol COLLATE "C" LIMIT 1);
    END IF;
    RETURN (SELECT l.record_key FROM disclosed.listing l
            WHERE l.ticker = wanted AND l.known_at <= instant
              AND (l.superseded_at IS NULL OR l.superseded_at > instant)
            ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.symbol COLLATE "C" LIMIT 1);
END $$;

-- The primary listing of an issuer at an instant: active ones first, in the order of their source.
-- What files have named since then says nothing about it.
CREATE FUNCTION primary_listing(of_issuer bigint, instant timestamptz)
RETURNS TABLE (ticker text, market text, symbol text, name text, listing_exchange text)
LANGUAGE sql STABLE ROWS 1 AS $$
    SELECT l.ticker, l.market, l.symbol, l.name, l.listing_exchange
    FROM disclosed.listing l
    WHERE l.issuer_id = of_issuer AND l.known_at <= instant
      AND (l.superseded_at IS NULL OR l.superseded_at > instant)
    ORDER BY l.status <> 'active', l.listing_rank,
             (SELECT max(least(seen.last_seen, instant)) FROM disclosed.listing_seen seen
              WHERE seen.issuer_id = l.issuer_id AND seen.record_key = l.record_key
                AND seen.first_seen <= instant) DESC NULLS LAST,
             l.record_key LIMIT 1
$$;

-- An issuer as the tables show it: `issuer`, whose names are the present ones, at an instant.
CREATE FUNCTION issuer_at(of_issuer bigint, instant timestamptz)
RETURNS TABLE (issuer_id bigint, cik bigint, party_key text, name text, ticker text, market text,
               symbol text) LANGUAGE sql STABLE ROWS 1 AS $$
    SELECT i.issuer_id, i.cik, i.party_key,
           coalesce(p.name, l.name, CASE WHEN i.named_later IS NULL THEN i.name END),
           l.ticker, l.market, l.symbol
    FROM (SELECT n.*, coalesce(
                     (SELECT f.issuer_id FROM disclosed.issuer_profile f
                      WHERE f.issuer_id = n.issuer_id LIMIT 1),
                     (SELECT f.issuer_id FROM disclosed.listing f
                      WHERE f.issuer_id = n.issuer_id LIMIT 1)) AS named_later
          FROM disclosed.issuer n WHERE n.issuer_id = of_issuer) i
    LEFT JOIN LATERAL (
        SELECT f.name FROM disclosed.issuer_profile f
        WHERE f.issuer_id = i.issuer_id AND f.known_at <= instant
          AND (f.superseded_at IS NULL OR f.superseded_at > instant)
        ORDER BY f.known_at DESC LIMIT 1) p ON true
    LEFT JOIN LATERAL disclosed.primary_listing(i.issuer_id, instant) l ON true
$$;

-- The issuer whose listing had a symbol at an instant.
CREATE FUNCTION issuer_of_listing(wanted text, instant timestamptz) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.issuer_id FROM disclosed.listing l
    WHERE l.record_key = wanted AND l.known_at <= instant
      AND (l.superseded_at IS NULL OR l.superseded_at > instant)
    ORDER BY l.known_at DESC LIMIT 1
$$;

-- What the symbol of a company's listing was at an instant: the same where it was known then; of one that came
-- later that of the only listing which the company had, whose name it took; else none.
CREATE FUNCTION symbol_then(company bigint, wanted text, instant timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN bool_or(l.record_key = wanted AND l.in_force)
                     THEN wanted
                WHEN NOT bool_or(l.record_key = wanted)
                     AND count(*) FILTER (WHERE l.in_force AND l.status = 'active') = 1
                     THEN min(l.symbol) FILTER (WHERE l.in_force AND l.status = 'active') END
    FROM (SELECT record_key, symbol, status, superseded_at IS NULL OR superseded_at > instant AS in_force
          FROM disclosed.listing WHERE issuer_id = company AND known_at <= instant) l
$$;

-- The symbols under which rows are kept now that are of a listing which had this one at an instant.
CREATE FUNCTION symbols_since(wanted text, instant timestamptz) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT array_agg(DISTINCT l.record_key)
    FROM disclosed.listing l
    WHERE l.issuer_id = disclosed.issuer_of_listing(wanted, instant)
      AND disclosed.symbol_then(l.issuer_id, l.record_key, instant) = wanted
$$;

-- The listing that a company's security with a ticker has now: the active one of that ticker; else the only
-- active one that the company has, as it has taken another symbol; else one of that ticker that is not active.
CREATE FUNCTION listing_since(company bigint, wanted text, on_market text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(
        (array_agg(l.symbol ORDER BY l.market <> 'US', l.listing_rank, l.symbol COLLATE "C") FILTER (
             WHERE l.is_wanted AND l.status = 'active'))[1],
        CASE WHEN wanted IS NOT NULL AND count(*) FILTER (WHERE l.status = 'active') = 1
             THEN min(l.symbol) FILTER (WHERE l.status = 'active') END,
        (array_agg(l.symbol ORDER BY l.market <> 'US', l.listing_rank, l.symbol COLLATE "C") FILTER (WHERE l.is_wanted))[1])
    FROM (SELECT *, ticker = wanted AND (on_market IS NULL OR market = on_market) AS is_wanted
          FROM disclosed.listing WHERE issuer_id = company AND superseded_at IS NULL) l
$$;

-- -------------------------------------------- tickers as others spell them

-- A ticker in the way in which EDGAR writes classes of shares: BRK-B for BRK.B and BRK/B.
CREATE FUNCTION plain_ticker(ticker text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT regexp_replace(upper(btrim(ticker)), '^([A-Z]+)[./ ]([A-Z])$', '\1-\2') $$;

-- A ticker whose last letter is taken for a class of shares: BRK-B for BRKB.
CREATE FUNCTION class_ticker(ticker text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT regexp_replace(upper(btrim(ticker)), '^([A-Z]{2,})([A-Z])$', '\1-\2') $$;

-- The listing that a ticker of a report means: the one of that very ticker, else the class of shares
-- whose letter is written without a separator (BRKB). NULL: nothing is listed under it.
CREATE FUNCTION listing_of_ticker(wanted text, OUT company_id bigint, OUT symbol text)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    spelling text;
BEGIN
    FOREACH spelling IN ARRAY ARRAY[disclosed.plain_ticker(wanted), disclosed.class_ticker(wanted)]
    LOOP
        SELECT l.issuer_id, l.symbol INTO company_id, symbol FROM disclosed.listing l
        WHERE l.ticker = spelling AND l.superseded_at IS NULL
        ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.symbol COLLATE "C" LIMIT 1;
        EXIT WHEN FOUND;
    END LOOP;
END $$;

-- The listing that a ticker of a report meant at an instant (listing_of_ticker), with its name.
CREATE FUNCTION listing_of_ticker(wanted text, instant timestamptz, OUT company_id bigint, OUT symbol text)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    spelling text;
BEGIN
    FOREACH spelling IN ARRAY ARRAY[disclosed.plain_ticker(wanted), disclosed.class_ticker(wanted)]
    LOOP
        SELECT l.issuer_id, l.symbol INTO company_id, symbol FROM disclosed.listing l
        WHERE l.ticker = spelling AND l.known_at <= instant
          AND (l.superseded_at IS NULL OR l.superseded_at > instant)
        ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.symbol COLLATE "C" LIMIT 1;
        EXIT WHEN FOUND;
    END LOOP;
END $$;

-- The listing of a security: of the spellings of its symbol the first that its issuer is listed
-- under; without spellings the one that has the code's letters and digits.
CREATE FUNCTION listing_of_spellings(of_issuer bigint, spellings text, symbol_code text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.symbol
    FROM disclosed.listing l
    CROSS JOIN LATERAL (
        SELECT min(w.place) AS place
        FROM unnest(string_to_array(spellings, ' ')) WITH ORDINALITY AS w(spelling, place)
        WHERE w.spelling IN (l.ticker, l.symbol)) named
    WHERE l.issuer_id = of_issuer AND l.superseded_at IS NULL
      AND (named.place IS NOT NULL
           OR (spellings IS NULL AND regexp_replace(l.ticker, '[^0-9A-Z]', '', 'g') = symbol_code))
    ORDER BY named.place, l.status <> 'active', l.listing_rank, l.symbol COLLATE "C" LIMIT 1
$$;

-- The same at an instant.
CREATE FUNCTION listing_of_spellings(of_issuer bigint, spellings text, symbol_code text, instant timestamptz)
RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.symbol
    FROM disclosed.listing l
    CROSS JOIN LATERAL (
        SELECT min(w.place) AS place
        FROM unnest(string_to_array(spellings, ' ')) WITH ORDINALITY AS w(spelling, place)
        WHERE w.spelling IN (l.ticker, l.symbol)) named
    WHERE l.issuer_id = of_issuer AND l.known_at <= instant
      AND (l.superseded_at IS NULL OR l.superseded_at > instant)
      AND (named.place IS NOT NULL
           OR (spellings IS NULL AND regexp_replace(l.ticker, '[^0-9A-Z]', '', 'g') = symbol_code))
    ORDER BY named.place, l.status <> 'active', l.listing_rank, l.symbol COLLATE "C" LIMIT 1
$$;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON listing_snapshot, listing_seen, listing_stated TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON listing_snapshot, listing_seen, listing_stated TO disclosed_loader;
