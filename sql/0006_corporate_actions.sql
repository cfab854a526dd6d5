-- Corporate actions: splits, dividends, mergers and acquisitions, spin-offs.

SET LOCAL search_path = disclosed, public;

-- What says more of a dividend stands before what says less: the dates of its announcement, an amount
-- that is known to be as declared, an amount, one that is known to be adjusted for later splits.
CREATE FUNCTION action_standing(kind text, amount_basis text, record_date date, payment_date date,
                                declaration_date date) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN kind <> 'dividend' THEN 0
                WHEN amount_basis = 'adjusted' THEN -1
                WHEN num_nonnulls(record_date, payment_date, declaration_date) > 0 THEN 2
                WHEN amount_basis = 'declared' THEN 1
                ELSE 0 END
$$;

CREATE TABLE corporate_action (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    symbol_code text NOT NULL CHECK (symbol_code ~ '^[0-9A-Z]+$'),
    spellings   text,
    kind        text NOT NULL CHECK (kind IN ('split', 'dividend', 'm_and_a', 'spinoff')),
    action_date date NOT NULL,
    description text,
    ex_dividend_date date,
    record_date date,
    payment_date date,
    declaration_date date,
    amount      numeric CHECK (amount > 0),
    amount_basis text CHECK (amount_basis IN ('declared', 'adjusted')),
    annualized_amount numeric CHECK (annualized_amount >= 0),
    payments_a_year bigint CHECK (payments_a_year > 0),
    currency    text CHECK (currency ~ '^[A-Z]{3}$'),
    split_to    bigint CHECK (split_to > 0),
    split_from  bigint CHECK (split_from > 0),
    stated_ratio text,
    symbol      text,
    standing    integer NOT NULL GENERATED ALWAYS AS (
        action_standing(kind, amount_basis, record_date, payment_date, declaration_date)) STORED,
    CHECK (kind <> 'dividend' OR amount IS NOT NULL),
    CHECK (kind <> 'split' OR (split_to IS NOT NULL AND split_from IS NOT NULL)),
    CHECK (kind IN ('split', 'dividend') OR description IS NOT NULL)
);
CALL finish_dataset_table('corporate_action');
COMMENT ON COLUMN corporate_action.symbol_code IS 'symbol of the share, letters and digits alone: BRKB';
COMMENT ON COLUMN corporate_action.spellings IS 'listings that it may mean, the likeliest first, with a space between them';
COMMENT ON COLUMN corporate_action.split_to IS 'so many shares for split_from shares held before, without a common divisor';
COMMENT ON COLUMN corporate_action.stated_ratio IS 'as the source writes it';
COMMENT ON COLUMN corporate_action.symbol IS 'the listing, TICKER:MARKET; kept by name_corporate_actions()';
CREATE INDEX corporate_action_issuer_date ON corporate_action (issuer_id, action_date, id);
CREATE INDEX corporate_action_key ON corporate_action (record_key, known_at);
CREATE INDEX corporate_action_kind_date ON corporate_action (issuer_id, kind, action_date, id);

-- What an action is called whose source does not describe it. A distribution of less than 25 % in
-- shares is a stock dividend (NYSE Listed Company Manual, 703.02).
CREATE FUNCTION action_description(kind text, amount numeric, amount_basis text, currency text,
                                   split_to bigint, split_from bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE kind
        WHEN 'split' THEN split_to || '-for-' || split_from
            || CASE WHEN split_to < split_from THEN ' reverse split'
                    WHEN split_to * 4 < split_from::numeric * 5 THEN ' stock dividend'
                    ELSE ' split' END
        WHEN 'dividend' THEN 'Cash dividend of ' || trim_scale(amount) || coalesce(' ' || currency, '')
            || ' a share' || CASE WHEN amount_basis = 'adjusted'
                                  THEN ', as its source has adjusted it for later splits' ELSE '' END
        END
$$;

-- The currency in which shares are quoted on a market, where sources of that market leave it out.
CREATE FUNCTION currency_of_market(symbol text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN symbol LIKE '%:US' THEN 'USD' END $$;

-- The versions of an action in order. Each holds from when it was public until the next that says
-- as much; one that says less than an earlier one (an adjusted amount after the announcement) was
-- in force at no time. One row of an action is current, so rows are closed before one is opened.
CREATE FUNCTION order_corporate_actions(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        UPDATE disclosed.corporate_action a SET superseded_at = t.superseded_at
        FROM (SELECT issuer_id, row_id,
                     CASE WHEN standing < best THEN known_at
                          ELSE lead(known_at) OVER (PARTITION BY issuer_id, record_key, standing < best
                                                    ORDER BY known_at, row_id) END AS superseded_at
              FROM (SELECT issuer_id, row_id, record_key, known_at, standing,
                           max(standing) OVER (PARTITION BY issuer_id, record_key
                                               ORDER BY known_at, row_id
                                               ROWS UNBOUNDED PRECEDING) AS best
                    FROM disclosed.corporate_action WHERE issuer_id = ANY (issuers)) ranked) t
        WHERE a.issuer_id = t.issuer_id AND a.row_id = t.row_id
          AND (t.superseded_at IS NULL) = opening
          AND a.superseded_at IS DISTINCT FROM t.superseded_at;
    END LOOP;
END $$;

-- Rows take the symbols of their listings; returns the issuers of those that have changed.
CREATE FUNCTION name_corporate_actions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH named AS (
        SELECT s.issuer_id, s.symbol_code, s.spellings,
               disclosed.listing_of_spellings(s.issuer_id, s.spellings, s.symbol_code) AS symbol
        FROM (SELECT DISTINCT issuer_id, symbol_code, spellings FROM disclosed.corporate_action
              WHERE issuer_id = ANY (issuers)) s)
    UPDATE disclosed.corporate_action t SET symbol = n.symbol
    FROM named n
    WHERE t.issuer_id = n.issuer_id AND t.symbol_code = n.symbol_code
      AND t.spellings IS NOT DISTINCT FROM n.spellings AND t.symbol IS DISTINCT FROM n.symbol
    RETURNING t.issuer_id
$$;

CREATE FUNCTION settle_corporate_actions(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    SELECT disclosed.order_corporate_actions(issuers);
    SELECT count(*) FROM disclosed.name_corporate_actions(issuers);
$$;

-- Which of the rows that are to be loaded say something else than a source of the same standing said
-- at that time, so that they correct it; numbered from 1.
CREATE FUNCTION corporate_action_corrections(keys text[], times timestamptz[], kinds text[],
    amounts numeric[], bases text[], record_dates date[], payment_dates date[],
    declaration_dates date[], split_tos bigint[], split_froms bigint[])
RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT w.place
    FROM unnest(keys, times, kinds, amounts, bases, record_dates, payment_dates, declaration_dates,
                split_tos, split_froms) WITH ORDINALITY
         AS w(record_key, known_at, kind, amount, basis, record_date, payment_date,
              declaration_date, split_to, split_from, place)
    CROSS JOIN LATERAL (
        SELECT bool_or((t.amount, t.record_date, t.payment_date, t.split_to, t.split_from)
                       IS NOT DISTINCT FROM (w.amount, w.record_date, w.payment_date, w.split_to,
                                             w.split_from)) AS same
        FROM disclosed.corporate_action t
        WHERE t.record_key = w.record_key AND t.known_at = w.known_at
          AND t.standing = disclosed.action_standing(w.kind, w.basis, w.record_date,
                                                     w.payment_date, w.declaration_date)) first
    WHERE NOT first.same
$$;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON corporate_action TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON corporate_action TO disclosed_loader;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA disclosed TO disclosed_loader;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA disclosed TO disclosed_api, disclosed_loader;
