-- Names, tickers and listings as they were at an instant.

SET LOCAL search_path = disclosed, public;

-- Symbols are looked up among the versions of listings as well.
CREATE INDEX listing_ticker ON listing (ticker, known_at);

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

-- The record key of the listing behind a symbol, now or at an instant: TICKER:MARKET names it, a bare
-- ticker means its primary listing, active ones first.
DROP FUNCTION listing_of_symbol(text);
CREATE FUNCTION listing_of_symbol(wanted text, instant timestamptz DEFAULT NULL) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF position(':' IN wanted) > 0 THEN
        RETURN wanted;
    END IF;
    IF instant IS NULL THEN
        RETURN (SELECT l.record_key FROM disclosed.listing l
                WHERE l.ticker = wanted AND l.superseded_at IS NULL
                ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.id LIMIT 1);
    END IF;
    RETURN (SELECT l.record_key FROM disclosed.listing l
            WHERE l.ticker = wanted AND l.known_at <= instant
              AND (l.superseded_at IS NULL OR l.superseded_at > instant)
            ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.id LIMIT 1);
END $$;

GRANT EXECUTE ON FUNCTION primary_listing, issuer_at, listing_of_symbol TO disclosed_api, disclosed_loader;
