-- Corporate actions: splits, dividends, mergers and acquisitions, spin-offs. Rows are statements: dividends are known by
-- what is said of them, an adjusted amount by the split that made it.

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

-- One row for each statement of an action.
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
    stated_name text,
    taken_at    timestamptz,
    adjusted_on date,
    of_several  boolean NOT NULL DEFAULT false,
    CHECK (kind <> 'dividend' OR amount IS NOT NULL),
    CHECK (kind <> 'split' OR (split_to IS NOT NULL AND split_from IS NOT NULL)),
    CHECK (kind IN ('split', 'dividend') OR description IS NOT NULL)
);
CALL finish_dataset_table('corporate_action');
COMMENT ON COLUMN corporate_action.symbol_code IS 'symbol of the share, letters and digits alone: BRKB';
COMMENT ON COLUMN corporate_action.spellings IS 'listings that it may mean, the likeliest first, with a space between them';
COMMENT ON COLUMN corporate_action.split_to IS 'so many shares for split_from shares held before, without a common divisor';
COMMENT ON COLUMN corporate_action.stated_ratio IS 'as the source writes it';
COMMENT ON COLUMN corporate_action.symbol IS 'the listing, TICKER:MARKET; kept by place_corporate_actions()';
COMMENT ON COLUMN corporate_action.stated_name IS 'the company, as the source names it; NULL: it does not';
COMMENT ON COLUMN corporate_action.taken_at IS
    'when the first file that says so was taken; NULL: the source states itself when it was known';
COMMENT ON COLUMN corporate_action.adjusted_on IS
    'of an adjusted amount: the last split of its file that it is adjusted for; nobody knew it before';
COMMENT ON COLUMN corporate_action.of_several IS 'a file has several dividends of the share and day, and this is one of them';
CREATE INDEX corporate_action_issuer_date ON corporate_action (issuer_id, action_date, id);
CREATE INDEX corporate_action_key ON corporate_action (record_key, known_at);
CREATE INDEX corporate_action_kind_date ON corporate_action (issuer_id, kind, action_date, id);
CREATE INDEX corporate_action_several ON corporate_action (issuer_id, action_date) WHERE of_several;

-- ----------------------------------------------------------- what is asked

-- The listings whose actions are not those of the one asked for: of its company all others, but for the primary one
-- those that are no longer in force, so that what was paid under a former ticker stands with one listing.
CREATE FUNCTION listings_beside(asked text, instant timestamptz DEFAULT NULL) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH at AS (SELECT coalesce(instant, 'infinity') AS instant),
    company AS (
        SELECT l.issuer_id, (SELECT p.symbol FROM disclosed.primary_listing(l.issuer_id, at.instant) p) AS primary_symbol
        FROM at, disclosed.listing l
        WHERE l.record_key = asked AND l.known_at <= at.instant
          AND (l.superseded_at IS NULL OR l.superseded_at > at.instant))
    SELECT coalesce(array_agg(DISTINCT o.record_key), '{}')
    FROM at, company c JOIN disclosed.listing o USING (issuer_id)
    WHERE o.record_key <> asked
      AND (asked <> c.primary_symbol
           OR (o.status = 'active' AND o.known_at <= at.instant
               AND (o.superseded_at IS NULL OR o.superseded_at > at.instant)))
$$;

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

-- ---------------------------------------------------- dividends of one day

-- What a share's dividend is known by where it is the only one of its day, and where each key of several begins.
CREATE FUNCTION action_day_key(symbol_code text, kind text, action_date date) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT concat_ws('/', symbol_code, kind, to_char(action_date, 'YYYY-MM-DD')) $$;

-- The dividends of days that have several, staged and stored.
CREATE FUNCTION open_day_dividends() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.day_dividend') IS NULL THEN
        CREATE TEMP TABLE day_dividend (number bigint GENERATED ALWAYS AS IDENTITY, staged bigint, issuer_id bigint, row_id bigint,
            id bigint, who text, day_key text, old_key text, amount numeric, currency text, declared date, held date,
            paid date, repeat integer, is_detailed boolean NOT NULL DEFAULT false, new_key text) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.day_dividend;
END $$;

-- Dividends of one share and day in pg_temp.day_dividend get their keys. Amounts tell them apart; where a file has one amount
-- twice with other days or currencies, these do as well. A statement that says less than another, and nothing else, is
-- about the same one. All of this follows from the set of statements.
CREATE FUNCTION key_day_dividends() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE pg_temp.day_dividend d SET is_detailed = true
    FROM (SELECT o.who, o.day_key, o.amount FROM pg_temp.day_dividend o
          WHERE o.repeat > 1 OR o.old_key LIKE o.day_key || '/%/%'
          UNION
          SELECT o.who, o.day_key, o.amount
          FROM pg_temp.day_dividend o JOIN pg_temp.day_dividend p USING (who, day_key, amount)
          WHERE o.staged IS NOT NULL AND p.staged IS NOT NULL
            AND (o.currency <> p.currency OR o.declared <> p.declared OR o.held <> p.held OR o.paid <> p.paid)) t
    WHERE d.who = t.who AND d.day_key = t.day_key AND d.amount = t.amount;
    UPDATE pg_temp.day_dividend d
    SET new_key = concat_ws('/', d.day_key, trim_scale(d.amount), k.detail, CASE WHEN d.repeat > 1 THEN '~' || d.repeat END)
    FROM pg_temp.day_dividend o
    CROSS JOIN LATERAL (
        SELECT CASE WHEN o.is_detailed THEN concat_ws('/', coalesce(p.currency, '-'), coalesce(p.declared::text, '-'),
                                                      coalesce(p.held::text, '-'), coalesce(p.paid::text, '-')) END AS detail
        FROM pg_temp.day_dividend p
        WHERE p.who = o.who AND p.day_key = o.day_key AND p.amount = o.amount
          AND coalesce(p.currency = o.currency, o.currency IS NULL) AND coalesce(p.declared = o.declared, o.declared IS NULL)
          AND coalesce(p.held = o.held, o.held IS NULL) AND coalesce(p.paid = o.paid, o.paid IS NULL)
        ORDER BY num_nonnulls(p.currency, p.declared, p.held, p.paid) DESC, 1 LIMIT 1) k
    WHERE o.number = d.number;
END $$;

-- Stored dividends take the keys that they have got. What they are in force at is worked out when they are settled.
-- A number stays with one of the records that a record has become. Returns the issuers.
CREATE FUNCTION rename_stored_dividends() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
    WITH renamed AS (
        SELECT d.issuer_id, d.row_id, d.new_key, k.id
        FROM pg_temp.day_dividend d
        JOIN (SELECT issuer_id, new_key,
                     CASE WHEN row_number() OVER (PARTITION BY id ORDER BY is_kept DESC, new_key) = 1 THEN id
                          ELSE nextval('disclosed.record_id') END AS id
              FROM (SELECT issuer_id, new_key, coalesce(min(id) FILTER (WHERE old_key = new_key), min(id)) AS id,
                           bool_or(old_key = new_key) AS is_kept
                    FROM pg_temp.day_dividend WHERE row_id IS NOT NULL GROUP BY 1, 2) r) k USING (issuer_id, new_key)
        WHERE d.row_id IS NOT NULL AND (d.old_key <> d.new_key OR d.id <> k.id))
    UPDATE disclosed.corporate_action t
    SET record_key = r.new_key, id = r.id, superseded_at = t.known_at,
        src_digest = coalesce(disclosed.symbol_digest('corporate_action', t.source_provider, t.spellings, r.new_key),
                              t.src_digest)
    FROM renamed r WHERE t.issuer_id = r.issuer_id AND t.row_id = r.row_id
    RETURNING t.issuer_id;
END $$;

-- Several dividends of a day, in the file that is staged or stored: all of that day are known by what is said of
-- them. Returns the issuers of stored rows that have changed.
CREATE FUNCTION key_staged_dividends() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.open_day_dividends();
    INSERT INTO pg_temp.day_dividend (staged, issuer_id, who, day_key, old_key, amount, currency, declared, held, paid, repeat)
    SELECT s.row_order, w.issuer_id, coalesce(w.issuer_id::text, s.cik::text, s.party), k.day_key, s.record_key, s.amount,
           s.currency, s.declaration_date, s.record_date, s.payment_date,
           coalesce(substring(s.record_key FROM '/~(\d+)$')::integer, 1)
    FROM pg_temp.stage_corporate_action s
    LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party
    CROSS JOIN LATERAL (SELECT coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AS issuer_id) w
    CROSS JOIN LATERAL (SELECT disclosed.action_day_key(s.symbol_code, s.kind, s.action_date) AS day_key) k
    WHERE s.kind = 'dividend' AND s.amount > 0;
    ANALYZE pg_temp.day_dividend;
    UPDATE pg_temp.stage_corporate_action s SET of_several = true
    FROM pg_temp.day_dividend d
    JOIN (SELECT DISTINCT o.who, o.day_key
          FROM pg_temp.day_dividend o JOIN pg_temp.day_dividend p USING (who, day_key)
          WHERE o.amount <> p.amount OR o.repeat > 1 OR o.currency <> p.currency OR o.declared <> p.declared
             OR o.held <> p.held OR o.paid <> p.paid) g USING (who, day_key)
    WHERE s.row_order = d.staged;
    DELETE FROM pg_temp.day_dividend d
    WHERE NOT EXISTS (SELECT 1 FROM pg_temp.day_dividend o JOIN pg_temp.stage_corporate_action s ON s.row_order = o.staged
                      WHERE o.who = d.who AND o.day_key = d.day_key AND s.of_several)
      AND NOT EXISTS (SELECT 1 FROM disclosed.corporate_action t
                      WHERE t.issuer_id = d.issuer_id AND t.of_several AND t.action_date = right(d.day_key, 10)::date
                        AND t.record_key LIKE d.day_key || '/%');
    INSERT INTO pg_temp.day_dividend (issuer_id, row_id, id, who, day_key, old_key, amount, currency, declared, held, paid, repeat)
    SELECT t.issuer_id, t.row_id, t.id, g.who, g.day_key, t.record_key, t.amount, t.currency, t.declaration_date,
           t.record_date, t.payment_date, coalesce(substring(t.record_key FROM '/~(\d+)$')::integer, 1)
    FROM (SELECT DISTINCT who, day_key, issuer_id FROM pg_temp.day_dividend) g
    JOIN disclosed.corporate_action t ON t.issuer_id = g.issuer_id AND t.action_date = right(g.day_key, 10)::date
     AND t.kind = 'dividend' AND t.taken_at IS NOT NULL
     AND (t.record_key = g.day_key OR t.record_key LIKE g.day_key || '/%');
    PERFORM disclosed.key_day_dividends();
    UPDATE pg_temp.stage_corporate_action s
    SET record_key = d.new_key, key_digest = md5(d.who || E'\n' || d.new_key)::uuid,
        src_digest = coalesce(disclosed.symbol_digest('corporate_action', s.source_provider, s.spellings, d.new_key), s.src_digest)
    FROM pg_temp.day_dividend d WHERE s.row_order = d.staged AND s.record_key <> d.new_key;
    RETURN QUERY SELECT DISTINCT r FROM disclosed.rename_stored_dividends() AS r;
END $$;

-- Before the rows of a file are merged. What has been said before is the statement that is stored: since the earliest of
-- the files that say it, from the provider whose name comes first, and one of several if any file says so.
CREATE FUNCTION meet_corporate_actions() RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT 'corporate_action', r FROM disclosed.key_staged_dividends() AS r;
    RETURN QUERY
    WITH met AS MATERIALIZED (
        SELECT s.*, t.issuer_id AS holder_id, t.row_id, t.known_at AS stored_at
        FROM pg_temp.stage_corporate_action s
        LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party
        CROSS JOIN LATERAL (
            SELECT t.issuer_id, t.row_id, t.known_at FROM disclosed.corporate_action t
            WHERE t.issuer_id = coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AND t.record_key = s.record_key
              AND t.taken_at IS NOT NULL
              AND (t.kind, t.action_date, t.symbol_code, t.ex_dividend_date, t.record_date, t.payment_date, t.declaration_date,
                   t.amount, t.amount_basis, t.annualized_amount, t.payments_a_year, t.currency, t.split_to, t.split_from)
                  IS NOT DISTINCT FROM (s.kind, s.action_date, s.symbol_code, s.ex_dividend_date, s.record_date,
                   s.payment_date, s.declaration_date, s.amount, s.amount_basis, s.annualized_amount, s.payments_a_year,
                   s.currency, s.split_to, s.split_from)
            ORDER BY t.known_at, t.row_id LIMIT 1) t),
    known AS (
        UPDATE pg_temp.stage_corporate_action s SET known_at = m.stored_at FROM met m WHERE s.row_order = m.row_order),
    said AS (
        SELECT holder_id, row_id, min(taken_at) AS taken_at, min(adjusted_on) AS adjusted_on,
               bool_or(coalesce(of_several, false)) AS of_several, min(stated_name) AS stated_name,
               min(stated_ratio) AS stated_ratio, min(source_provider) AS provider,
               (array_agg(source_url ORDER BY source_provider, source_url))[1] AS source_url
        FROM met GROUP BY 1, 2)
    UPDATE disclosed.corporate_action t
    SET taken_at = least(t.taken_at, m.taken_at), adjusted_on = least(t.adjusted_on, m.adjusted_on),
        of_several = t.of_several OR m.of_several, stated_name = least(t.stated_name, m.stated_name),
        stated_ratio = least(t.stated_ratio, m.stated_ratio), source_provider = least(t.source_provider, m.provider),
        source_url = CASE WHEN m.provider < t.source_provider THEN m.source_url ELSE t.source_url END,
        content_hash = CASE WHEN m.provider < t.source_provider THEN NULL ELSE t.content_hash END,
        src_digest = CASE WHEN m.provider < t.source_provider
                          THEN coalesce(disclosed.symbol_digest('corporate_action', m.provider, t.spellings, t.record_key),
                                        t.src_digest) ELSE t.src_digest END
    FROM said m
    WHERE t.issuer_id = m.holder_id AND t.row_id = m.row_id
      AND (m.taken_at < t.taken_at OR m.adjusted_on < t.adjusted_on OR m.of_several > t.of_several
           OR least(t.stated_name, m.stated_name) IS DISTINCT FROM t.stated_name
           OR least(t.stated_ratio, m.stated_ratio) IS DISTINCT FROM t.stated_ratio OR m.provider < t.source_provider)
    RETURNING 'corporate_action', t.issuer_id;
END $$;

-- ------------------------------------------------ what follows from a load

-- When each statement begins and ends, from all that are stored of its dividend. Of one standing the file that was taken
-- first says what was public at the time of the action; what others say otherwise corrects it, from when they were taken;
-- of files taken at one time the one that says most stands, then the larger amount, as adjusting makes amounts
-- smaller. What says less than an earlier statement is in force at no time, nor is a dividend of a day whose
-- several are told by a better source.
CREATE FUNCTION action_timeline(issuers bigint[], OUT issuer_id bigint, OUT row_id bigint, OUT begins_at timestamptz,
                                OUT ends_at timestamptz) RETURNS SETOF record LANGUAGE sql STABLE AS $$
    WITH stored AS MATERIALIZED (
        SELECT a.issuer_id, a.row_id, a.record_key, a.kind, a.amount, a.standing, a.taken_at, a.known_at, a.of_several,
               disclosed.action_day_key(a.symbol_code, a.kind, a.action_date) AS day_key,
               CASE WHEN a.taken_at IS NULL THEN a.known_at
                    ELSE least(a.taken_at, disclosed.end_of_day(greatest(a.adjusted_on,
                                                                         coalesce(a.declaration_date, a.action_date)))) END AS public_at,
               num_nonnulls(a.record_date, a.payment_date, a.declaration_date, a.annualized_amount, a.payments_a_year,
                            a.currency, a.amount_basis) AS filled,
               concat_ws('|', a.amount, a.record_date, a.payment_date, a.declaration_date, a.annualized_amount,
                         a.payments_a_year, a.currency, a.amount_basis, a.split_to, a.split_from, a.description) AS words
        FROM disclosed.corporate_action a WHERE a.issuer_id = ANY (issuers)),
    several AS (
        SELECT s.issuer_id, s.day_key, max(s.standing) AS standing FROM stored s WHERE s.of_several GROUP BY 1, 2),
    -- A record of another source is about the one of several whose amount it has, or had.
    meant AS (
        SELECT s.issuer_id, s.record_key, min(k.record_key) AS cluster
        FROM several g JOIN stored s ON s.issuer_id = g.issuer_id AND s.record_key = g.day_key
        JOIN stored k ON k.issuer_id = s.issuer_id AND k.day_key = s.day_key AND k.amount = s.amount
         AND k.record_key <> s.record_key AND k.taken_at IS NOT NULL
        GROUP BY 1, 2),
    clustered AS (
        SELECT s.*, coalesce(m.cluster, s.record_key) AS cluster, g.standing AS best_of_day,
               bool_or(s.of_several) OVER c AS is_of_several, max(s.standing) OVER c AS best_of_cluster
        FROM stored s LEFT JOIN meant m USING (issuer_id, record_key)
        LEFT JOIN several g ON g.issuer_id = s.issuer_id AND g.day_key = s.day_key
        WINDOW c AS (PARTITION BY s.issuer_id, coalesce(m.cluster, s.record_key))),
    -- The same said again in one standing: once, and since the first.
    copied AS (
        SELECT c.*, min(c.taken_at) OVER w AS first_taken, min(c.public_at) OVER w AS first_public,
               c.taken_at IS NOT NULL AND row_number() OVER (
                   PARTITION BY c.issuer_id, c.cluster, c.standing, c.words, c.taken_at IS NULL
                   ORDER BY c.public_at, c.taken_at, c.record_key COLLATE "C", c.row_id) > 1 AS is_copy
        FROM clustered c
        WINDOW w AS (PARTITION BY c.issuer_id, c.cluster, c.standing, c.words, c.taken_at IS NULL)),
    ranked AS (
        SELECT c.*,
               row_number() OVER (PARTITION BY c.issuer_id, c.cluster, c.standing, c.taken_at IS NULL, c.is_copy
                                  ORDER BY c.first_taken, c.filled DESC, c.amount DESC, c.words COLLATE "C") AS place,
               row_number() OVER (PARTITION BY c.issuer_id, c.cluster, c.standing, c.is_copy, c.first_taken
                                  ORDER BY c.filled DESC, c.amount DESC, c.words COLLATE "C") AS place_then
        FROM copied c),
    dated AS (
        SELECT r.*,
               r.is_copy OR (r.taken_at IS NOT NULL AND r.place_then > 1)
               OR (NOT r.is_of_several AND r.taken_at IS NOT NULL AND r.best_of_cluster < r.best_of_day) IS TRUE AS is_aside,
               CASE WHEN r.taken_at IS NULL OR r.is_copy OR r.place_then > 1 THEN r.public_at
                    WHEN r.place = 1 THEN r.first_public
                    ELSE greatest(r.first_public, r.first_taken) END AS from_at
        FROM ranked r),
    better AS (
        SELECT d.*, d.standing < max(d.standing) OVER (
                   PARTITION BY d.issuer_id, d.cluster, d.is_aside
                   ORDER BY d.from_at, d.standing, d.taken_at IS NULL, d.row_id ROWS UNBOUNDED PRECEDING) AS is_less
        FROM dated d)
    SELECT b.issuer_id, b.row_id, b.from_at,
           CASE WHEN b.is_aside OR b.is_less THEN b.from_at
                ELSE lead(b.from_at) OVER (PARTITION BY b.issuer_id, b.cluster, b.is_aside, b.is_less
                                           ORDER BY b.from_at, b.standing, b.taken_at IS NULL, b.row_id) END
    FROM better b
$$;

-- Makes the versions those. One row of an action is current, so rows are closed before one is opened.
CREATE FUNCTION order_corporate_actions(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        UPDATE disclosed.corporate_action a SET known_at = t.begins_at, superseded_at = t.ends_at
        FROM disclosed.action_timeline(issuers) t
        WHERE a.issuer_id = t.issuer_id AND a.row_id = t.row_id AND (t.ends_at IS NULL) = opening
          AND (a.known_at, a.superseded_at) IS DISTINCT FROM (t.begins_at, t.ends_at);
    END LOOP;
END $$;

-- Rows of other sources than calendars, which say themselves whose they are, take the symbols of their listings.
CREATE FUNCTION name_other_actions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH named AS MATERIALIZED (
        SELECT s.issuer_id, s.symbol_code, s.spellings, s.import_run_id,
               disclosed.listing_of_spellings(s.issuer_id, s.spellings, s.symbol_code) AS symbol
        FROM (SELECT DISTINCT issuer_id, symbol_code, spellings, import_run_id FROM disclosed.corporate_action
              WHERE issuer_id = ANY (issuers)) s
        JOIN disclosed.import_run r USING (import_run_id)
        WHERE r.source <> 'corporate-actions' OR s.spellings IS NULL)
    UPDATE disclosed.corporate_action t SET symbol = n.symbol
    FROM named n
    WHERE t.issuer_id = n.issuer_id AND t.symbol_code = n.symbol_code AND t.import_run_id = n.import_run_id
      AND t.spellings IS NOT DISTINCT FROM n.spellings AND t.symbol IS DISTINCT FROM n.symbol
    RETURNING t.issuer_id
$$;

-- Rows take the places and symbols of their listings, those loaded just now alone where `fresh`. Returns the issuers of those that
-- have changed.
CREATE FUNCTION place_corporate_actions(issuers bigint[], fresh boolean) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT disclosed.place_rows('corporate_action', 'corporate-actions', 'stated_name',
                                             'action_date', true, issuers, fresh);
    RETURN QUERY SELECT disclosed.name_other_actions(issuers);
END $$;

-- Listings or names have changed.
CREATE FUNCTION name_corporate_actions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    SELECT disclosed.place_corporate_actions(issuers, false)
$$;

-- Rows have come.
CREATE FUNCTION settle_corporate_actions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    placed bigint[];
BEGIN
    placed := ARRAY(SELECT disclosed.place_corporate_actions(issuers, true)
                    UNION SELECT disclosed.replace_unnamed_rows('corporate_action', issuers));
    PERFORM disclosed.order_corporate_actions(issuers || placed);
    RETURN QUERY SELECT unnest(placed);
END $$;
