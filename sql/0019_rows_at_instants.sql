-- What rows are linked to, as it was at an instant. The columns of the tables say what holds now; these
-- functions say the same of what was known then.

SET LOCAL search_path = disclosed, public;

-- ---------------------------------------------------------------- listings

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

-- listing_of_spellings() at an instant.
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
    ORDER BY named.place, l.status <> 'active', l.listing_rank, l.id LIMIT 1
$$;
CREATE INDEX short_interest_issuer_date ON short_interest (issuer_id, settlement_date, id);

-- ----------------------------------------------------------------- filings

-- Whose row stood for a filing at an instant, as settle_filings() has it now.
CREATE FUNCTION primary_filer(of_accession text, instant timestamptz) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT f.issuer_id
    FROM disclosed.filing f
    JOIN disclosed.issuer i ON i.issuer_id = f.issuer_id
    LEFT JOIN LATERAL disclosed.primary_listing(f.issuer_id, instant) l ON true
    WHERE f.accession = of_accession AND f.known_at <= instant
      AND (f.superseded_at IS NULL OR f.superseded_at > instant)
    ORDER BY l.ticker IS NULL, i.cik, f.issuer_id LIMIT 1
$$;

-- ----------------------------------------------------------------- Congress

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
        ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.id LIMIT 1;
        EXIT WHEN FOUND;
    END LOOP;
END $$;

-- The company and listing of a trade at an instant, where its ticker was that listing's for sure (is_ticker_of).
CREATE FUNCTION congress_listing(wanted text, filed date, asset text, instant timestamptz)
RETURNS TABLE (company_id bigint, symbol text) LANGUAGE sql STABLE ROWS 1 AS $$
    SELECT n.company_id, n.symbol
    FROM disclosed.listing_of_ticker(wanted, instant) n
    WHERE EXISTS (SELECT 1 FROM disclosed.listing l
                  WHERE l.record_key = n.symbol AND l.issuer_id = n.company_id AND l.known_at <= instant
                    AND (filed >= l.listed_on - 730 OR disclosed.names_agree(asset, l.name)))
       OR EXISTS (SELECT 1 FROM disclosed.issuer_profile p
                  WHERE p.issuer_id = n.company_id AND p.known_at <= instant
                    AND disclosed.names_agree(asset, p.name))
$$;

-- What a client's ticker was compared with at an instant (congress_ticker), and the tickers of trades that may be
-- meant by it: classes of shares are also written without a separator.
CREATE FUNCTION congress_ticker(wanted text, instant timestamptz) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(split_part((SELECT l.symbol FROM disclosed.listing_of_ticker(split_part(wanted, ':', 1), instant) l),
                               ':', 1), disclosed.plain_ticker(split_part(wanted, ':', 1)))
$$;
CREATE FUNCTION congress_spellings(tickers text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT tickers || ARRAY(SELECT replace(one, '-', '') FROM unnest(tickers) AS one WHERE one LIKE '%-%') $$;
CREATE FUNCTION congress_tickers_of(company bigint, instant timestamptz) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT disclosed.congress_spellings(array_agg(DISTINCT l.ticker)) FROM disclosed.listing l
    WHERE l.issuer_id = company AND l.known_at <= instant
      AND (l.superseded_at IS NULL OR l.superseded_at > instant)
$$;
CREATE INDEX congress_trade_filed_ticker_date ON congress_trade (ticker, filing_date, id);

-- ------------------------------------------------------------------- funds

-- The ticker of a fund's report and whether it is exchange-traded, at an instant (name_funds).
CREATE FUNCTION fund_named(registrant bigint, report_row bigint, instant timestamptz)
RETURNS TABLE (ticker text, is_etf boolean) LANGUAGE sql STABLE ROWS 1 AS $$
    SELECT named.ticker,
           coalesce(f.is_etf, disclosed.says_etf(f.name) OR coalesce(class.has_etf, false)
                    OR EXISTS (SELECT 1 FROM disclosed.listing l
                               WHERE l.ticker = named.ticker AND l.market = 'US' AND l.is_etf
                                 AND l.known_at <= instant
                                 AND (l.superseded_at IS NULL OR l.superseded_at > instant)))
    FROM disclosed.fund f
    LEFT JOIN LATERAL (
        SELECT (array_agg(c.ticker ORDER BY disclosed.says_etf(c.name) IS NOT TRUE, c.class_id)
                FILTER (WHERE c.ticker IS NOT NULL))[1] AS ticker,
               bool_or(disclosed.says_etf(c.name)) AS has_etf
        FROM disclosed.fund_class c
        WHERE c.issuer_id = f.issuer_id AND c.series_id = f.series_id AND c.known_at <= instant
          AND (c.superseded_at IS NULL OR c.superseded_at > instant)) class ON true
    LEFT JOIN LATERAL disclosed.primary_listing(f.issuer_id, instant) p ON true
    CROSS JOIN LATERAL (
        SELECT coalesce(f.ticker, class.ticker, CASE WHEN f.series_id IS NULL THEN p.ticker END) AS ticker) named
    WHERE f.issuer_id = registrant AND f.row_id = report_row
$$;

GRANT EXECUTE ON FUNCTION issuer_of_listing, symbol_then, symbols_since,
    listing_of_spellings(bigint, text, text, timestamptz), primary_filer, listing_of_ticker(text, timestamptz),
    congress_listing, congress_ticker(text, timestamptz), congress_spellings, congress_tickers_of, fund_named
    TO disclosed_api, disclosed_loader;
