-- Short interest: the positions that FINRA's members report twice a month (FINRA Rule 4560).

SET LOCAL search_path = disclosed, public;

-- One row for each security and settlement date. What FINRA states of days to cover and change is
-- kept as stated; the columns without "stated" are what is served.
CREATE TABLE short_interest (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    symbol_code text NOT NULL CHECK (symbol_code = upper(symbol_code) AND symbol_code <> ''),
    spellings   text,
    settlement_date date NOT NULL,
    issue_name  text,
    market_class text,
    current_short_position numeric NOT NULL CHECK (current_short_position >= 0),
    previous_short_position numeric CHECK (previous_short_position >= 0),
    avg_daily_share_volume numeric CHECK (avg_daily_share_volume >= 0),
    stated_days_to_cover numeric,
    stated_change_pct numeric,
    stock_split boolean NOT NULL DEFAULT false,
    previous_revised boolean NOT NULL DEFAULT false,
    days_to_cover numeric GENERATED ALWAYS AS (
        CASE WHEN stated_days_to_cover >= 999.99 THEN NULL
             WHEN stated_days_to_cover > 0 OR current_short_position = 0 THEN stated_days_to_cover
             ELSE round(current_short_position / nullif(avg_daily_share_volume, 0), 2) END) STORED,
    change_pct  numeric GENERATED ALWAYS AS (
        CASE WHEN previous_short_position > 0 THEN coalesce(stated_change_pct,
                 round((current_short_position - previous_short_position) * 100
                       / previous_short_position, 2)) END) STORED,
    symbol      text,
    CHECK (settlement_date <= (known_at AT TIME ZONE 'UTC')::date + 14)
);
CALL finish_dataset_table('short_interest');
COMMENT ON COLUMN short_interest.symbol_code IS 'symbol as FINRA writes it: letters and digits alone, BRKB';
COMMENT ON COLUMN short_interest.spellings IS 'listings that it may mean, the likeliest first, with a space between them: BRKB:US BRK-B:US';
COMMENT ON COLUMN short_interest.stated_days_to_cover IS '999.99 is FINRA''s "not meaningful": it clips days to cover to 1.00 and 999.99';
COMMENT ON COLUMN short_interest.stock_split IS 'a split fell into the cycle: the previous position is of other shares';
COMMENT ON COLUMN short_interest.previous_revised IS 'the position of the cycle before was revised: the previous position is the new one';
COMMENT ON COLUMN short_interest.symbol IS 'the listing, TICKER:MARKET; kept by place_short_interest()';
CREATE INDEX short_interest_symbol_date ON short_interest (symbol, settlement_date, id);
CREATE INDEX short_interest_key ON short_interest (record_key, known_at);
CREATE INDEX short_interest_issuer_date ON short_interest (issuer_id, settlement_date, id);

-- Which of the rows that are to be loaded say something else than FINRA published at that time, so
-- that they correct it; numbered from 1.
CREATE FUNCTION short_interest_corrections(keys text[], times timestamptz[], positions numeric[],
    previous_positions numeric[], volumes numeric[]) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT w.place
    FROM unnest(keys, times, positions, previous_positions, volumes) WITH ORDINALITY
         AS w(record_key, known_at, current_position, previous_position, volume, place)
    CROSS JOIN LATERAL (
        SELECT bool_or((t.current_short_position, t.previous_short_position, t.avg_daily_share_volume)
                       IS NOT DISTINCT FROM (w.current_position, w.previous_position, w.volume)) AS same
        FROM disclosed.short_interest t
        WHERE t.record_key = w.record_key AND t.known_at = w.known_at
          AND t.source_provider = 'finra') first
    WHERE NOT first.same
$$;

-- ------------------------------------------------ what follows from a load

-- Where the settlement date before is looked for: FINRA's dates are the middle and the end of a month.
CREATE FUNCTION cycle_before(settlement date) RETURNS daterange
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT daterange(settlement - 21, settlement - 8, '[)') $$;

-- A row that says that the position of the cycle before was revised makes a version of that
-- cycle's row, public at the same time. Days to cover of the revised position are not stated.
CREATE FUNCTION revise_short_interest(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    WITH revised AS (
        SELECT DISTINCT ON (before.issuer_id, before.record_key)
               before.issuer_id, before.row_id, before.superseded_at, later.known_at,
               later.previous_short_position AS position, later.source_provider, later.source_url,
               later.content_hash, later.extracted_at, later.import_run_id
        FROM disclosed.short_interest later
        JOIN disclosed.short_interest before
          ON before.issuer_id = later.issuer_id AND before.symbol_code = later.symbol_code
         AND before.settlement_date <@ disclosed.cycle_before(later.settlement_date)
         AND before.known_at <= later.known_at
         AND (before.superseded_at IS NULL OR before.superseded_at > later.known_at)
        WHERE later.issuer_id = ANY (issuers) AND later.previous_revised AND NOT later.stock_split
          AND later.superseded_at IS DISTINCT FROM later.known_at
          AND later.previous_short_position <> before.current_short_position
        ORDER BY before.issuer_id, before.record_key, later.known_at, later.row_id),
    closed AS (
        UPDATE disclosed.short_interest t SET superseded_at = r.known_at
        FROM revised r WHERE t.issuer_id = r.issuer_id AND t.row_id = r.row_id
        RETURNING t.*)
    INSERT INTO disclosed.short_interest (id, issuer_id, record_key, known_at, superseded_at,
        import_run_id, src_digest, source_provider, source_url, content_hash, extracted_at,
        symbol_code, spellings, settlement_date, issue_name, market_class, current_short_position,
        previous_short_position, avg_daily_share_volume, stock_split, previous_revised, symbol)
    SELECT c.id, c.issuer_id, c.record_key, r.known_at, r.superseded_at, r.import_run_id,
        c.src_digest, r.source_provider, r.source_url, r.content_hash, r.extracted_at,
        c.symbol_code, c.spellings, c.settlement_date, c.issue_name, c.market_class, r.position,
        c.previous_short_position, c.avg_daily_share_volume, c.stock_split, c.previous_revised,
        c.symbol
    FROM closed c JOIN revised r USING (issuer_id, row_id)
$$;

-- Rows of other sources than FINRA's files, which say themselves whose they are, take the symbols of their listings.
CREATE FUNCTION name_other_short_interest(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH named AS MATERIALIZED ( -- looked up once for each code, not for each row
        SELECT s.issuer_id, s.symbol_code, s.spellings, s.import_run_id,
               disclosed.listing_of_spellings(s.issuer_id, s.spellings, s.symbol_code) AS symbol
        FROM (SELECT DISTINCT issuer_id, symbol_code, spellings, import_run_id FROM disclosed.short_interest
              WHERE issuer_id = ANY (issuers)) s
        JOIN disclosed.import_run r USING (import_run_id)
        WHERE r.source <> 'finra-short-interest' OR s.spellings IS NULL)
    UPDATE disclosed.short_interest t SET symbol = n.symbol
    FROM named n
    WHERE t.issuer_id = ANY (issuers) AND t.import_run_id = n.import_run_id
      AND t.issuer_id = n.issuer_id AND t.symbol_code = n.symbol_code
      AND t.spellings IS NOT DISTINCT FROM n.spellings AND t.symbol IS DISTINCT FROM n.symbol
    RETURNING t.issuer_id
$$;

-- Rows take the places and symbols of their listings, those loaded just now alone where `fresh`. Returns the issuers of those that
-- have changed.
CREATE FUNCTION place_short_interest(issuers bigint[], fresh boolean) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT disclosed.place_rows('short_interest', 'finra-short-interest', 'issue_name',
                                             'settlement_date', true, issuers, fresh);
    RETURN QUERY SELECT disclosed.name_other_short_interest(issuers);
END $$;

-- Listings or names have changed.
CREATE FUNCTION name_short_interest(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    SELECT disclosed.place_short_interest(issuers, false)
$$;

-- Rows have come.
CREATE FUNCTION settle_short_interest(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.revise_short_interest(issuers);
    RETURN QUERY SELECT disclosed.place_short_interest(issuers, true);
END $$;
