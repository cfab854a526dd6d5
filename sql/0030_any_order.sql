-- What is served follows from what was loaded, not from its order: dividends are known by what is said of them, an adjusted
-- amount by the split that made it, and what is stated twice for one instant stands by rules of its content.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------ dividends: columns

ALTER TABLE corporate_action ADD COLUMN taken_at timestamptz;
ALTER TABLE corporate_action ADD COLUMN adjusted_on date;
ALTER TABLE corporate_action ADD COLUMN of_several boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN corporate_action.taken_at IS
    'when the first file that says so was taken; NULL: the source states itself when it was known';
COMMENT ON COLUMN corporate_action.adjusted_on IS
    'of an adjusted amount: the last split of its file that it is adjusted for; nobody knew it before';
COMMENT ON COLUMN corporate_action.of_several IS 'a file has several dividends of the share and day, and this is one of them';
CREATE INDEX corporate_action_several ON corporate_action (issuer_id, action_date) WHERE of_several;

-- ------------------------------------------------- which dividend a statement is about

-- What a share's dividend is known by where it is the only one of its day, and where each key of several begins.
CREATE FUNCTION action_day_key(symbol_code text, kind text, action_date date) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT concat_ws('/', symbol_code, kind, to_char(action_date, 'YYYY-MM-DD')) $$;

-- The src_id of a row by ticker, whoever is listed.
CREATE FUNCTION symbol_digest(dataset text, provider text, spellings text, record_key text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT left(encode(sha256(convert_to(concat_ws(E'\n', dataset, provider,
               'symbol/' || regexp_replace(split_part(w.first, ':', 1), '[^0-9A-Z]', '', 'g')
               || ':' || split_part(w.first, ':', 2), record_key), 'UTF8')), 'hex'), 32)::uuid
    FROM (SELECT split_part(upper(spellings), ' ', 1) AS first) w
$$;

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

CREATE FUNCTION open_day_dividends() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.day_dividend') IS NULL THEN
        CREATE TEMP TABLE day_dividend (number bigint GENERATED ALWAYS AS IDENTITY, staged bigint, issuer_id bigint, row_id bigint,
            id bigint, who text, day_key text, old_key text, amount numeric, currency text, declared date, held date,
            paid date, repeat integer, is_detailed boolean NOT NULL DEFAULT false, new_key text) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.day_dividend;
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

-- ------------------------------------------------- from when to when a statement holds

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

-- One row of an action is current, so rows are closed before one is opened.
CREATE OR REPLACE FUNCTION order_corporate_actions(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
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

DROP FUNCTION corporate_action_corrections(text[], timestamptz[], text[], numeric[], text[], date[], date[], date[], bigint[],
                                           bigint[]);

-- ------------------------------------------------------------------ listings

-- Issuers in an order that has nothing to do with which was loaded first: by CIK, then parties by their keys.
CREATE FUNCTION issuer_order(of_issuer bigint) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(lpad(i.cik::text, 10, '0'), i.party_key) COLLATE "C" FROM disclosed.issuer i WHERE i.issuer_id = of_issuer
$$;

-- The listing that was in force on the day, or is nearest to it.
CREATE OR REPLACE FUNCTION listing_on(spellings text, stated text, day date, OUT issuer_id bigint, OUT symbol text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT m.issuer_id, m.symbol FROM disclosed.listings_meant(spellings, stated, day) m
    ORDER BY m.days, disclosed.issuer_order(m.issuer_id), m.symbol LIMIT 1
$$;

-- Brings the versions of listings into order: each holds from when a source first said so until the next of
-- its key, be it another issuer's (a ticker goes from one to another). Of companies that sources name for one instant
-- the one with the highest CIK has it from then on, whichever was loaded last, and whole-market files, which say
-- themselves in what order their rows stand, come after other sources. One row of a key is current, so
-- those that end are closed before one is opened. Returns the issuers.
CREATE OR REPLACE FUNCTION order_listings(keys text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
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

-- Where numbers of issuers and records, which are given in the order of coming, decided which listing is meant or
-- stands first, CIKs and symbols do.
DO $$
DECLARE
    one record;
    changed text;
BEGIN
    FOR one IN SELECT p.oid, p.proname FROM pg_proc p WHERE p.pronamespace = 'disclosed'::regnamespace AND p.prokind = 'f'
    LOOP
        changed := pg_get_functiondef(one.oid);
        changed := replace(changed, 'l.listing_rank, l.id', 'l.listing_rank, l.symbol COLLATE "C"');
        changed := replace(changed, 'l.listing_rank, l.known_at DESC, l.id',
                           'l.listing_rank, l.known_at DESC, disclosed.issuer_order(l.issuer_id), l.symbol COLLATE "C"');
        changed := replace(changed, 'ORDER BY at, stage, row_order, kind, issuer_id, name,',
                           'ORDER BY at, stage, row_order = 9223372036854775807, CASE WHEN row_order < 9223372036854775807'
                           || ' THEN disclosed.issuer_order(issuer_id) END COLLATE "C" NULLS FIRST, row_order, kind,'
                           || ' disclosed.issuer_order(issuer_id) COLLATE "C", name,');
        IF changed <> pg_get_functiondef(one.oid) THEN
            EXECUTE changed;
        END IF;
    END LOOP;
    IF EXISTS (SELECT 1 FROM pg_proc WHERE pronamespace = 'disclosed'::regnamespace
               AND prosrc ~ 'listing_rank, (l\.)?id\M|row_order, kind, issuer_id') THEN
        RAISE 'a function still orders listings by numbers of the order of loading';
    END IF;
END $$;

-- ------------------------------------------------------------------ events

-- Where an event comes from is where the best evidence of each of its versions does, also when that is known from another
-- file by now.
ALTER FUNCTION store_event_versions(bigint[]) RENAME TO store_event_rows;
CREATE FUNCTION store_event_versions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT * FROM disclosed.store_event_rows(issuers);
    RETURN QUERY
        UPDATE disclosed.event e
        SET source_url = r.source_url, accession = r.accession, content_hash = r.content_hash, extracted_at = r.extracted_at
        FROM pg_temp.event_version v
        JOIN pg_temp.event_evidence x ON x.number = v.evidence
        CROSS JOIN LATERAL (
            SELECT source_provider, source_url, accession, content_hash, extracted_at
            FROM disclosed.filing WHERE x.kind = 'filing' AND issuer_id = x.issuer_id AND row_id = x.row_id
            UNION ALL
            SELECT source_provider, source_url, accession, content_hash, extracted_at
            FROM disclosed.transcript WHERE x.kind = 'transcript' AND issuer_id = x.issuer_id AND row_id = x.row_id
            UNION ALL
            SELECT source_provider, source_url, accession, content_hash, extracted_at
            FROM disclosed.event_notice WHERE x.kind = 'notice' AND issuer_id = x.issuer_id AND row_id = x.row_id) r
        WHERE e.issuer_id = v.issuer_id AND e.id = v.event_id AND e.known_at = v.known_at
          AND e.source_provider = r.source_provider
          AND (e.source_url, e.accession, e.content_hash) IS DISTINCT FROM (r.source_url, r.accession, r.content_hash)
        RETURNING e.issuer_id;
END $$;

-- ------------------------------------------------------------------ Form 13F

-- What is known of a report beside what a source of it tells: by its filing, and by what was loaded of it. The manager's name
-- is that on its cover: the filer's is another one at another time.
CREATE OR REPLACE FUNCTION known_holdings_report(wanted text, OUT cik bigint, OUT manager_name text, OUT form text,
    OUT report_type text, OUT period date, OUT entry_total bigint, OUT value_total numeric,
    OUT known_at timestamptz, OUT filing_day date, OUT dated_by text, OUT value_factor numeric)
LANGUAGE sql STABLE AS $$
    SELECT coalesce(f.cik, r.cik), CASE WHEN r.manager_name <> 'CIK ' || r.cik THEN r.manager_name END,
           coalesce(f.form, r.form), r.report_type, coalesce(f.period_of_report, r.period_of_report),
           r.table_entry_total, r.table_value_total, coalesce(f.known_at, r.known_at),
           coalesce(f.filed_on, r.filing_date),
           CASE WHEN f.known_at IS NOT NULL THEN 'filing' ELSE r.dated_by END, r.value_factor
    FROM (SELECT 1) one
    LEFT JOIN LATERAL (
        SELECT i.cik, x.form, x.period_of_report, x.filed_on, x.known_at
        FROM disclosed.filing x JOIN disclosed.issuer i USING (issuer_id)
        WHERE x.accession = wanted AND x.form LIKE '13F-%' AND x.superseded_at IS NULL
        ORDER BY x.known_at, i.cik LIMIT 1) f ON true
    LEFT JOIN LATERAL (
        SELECT i.cik, x.* FROM disclosed.institution_report x JOIN disclosed.issuer i USING (issuer_id)
        WHERE x.accession = wanted AND x.superseded_at IS NULL
        ORDER BY x.row_id LIMIT 1) r ON true
$$;

-- Reports of tables without a cover, which have no totals, had the filer's name of the day on which they were loaded.
UPDATE institution_report r SET manager_name = 'CIK ' || i.cik
FROM issuer i, import_run n
WHERE i.issuer_id = r.issuer_id AND i.cik IS NOT NULL AND n.import_run_id = r.import_run_id AND n.source = 'sec-13f'
  AND r.form LIKE '13F-HR%' AND r.table_entry_total IS NULL AND r.table_value_total IS NULL AND r.file_number IS NULL;

-- ------------------------------------------------------- what is stored already

-- When files were taken is what their rows show: corrections were known from then; of others nothing but when they were
-- loaded is left, which is before what corrects them.
UPDATE corporate_action t SET taken_at = d.taken_at
FROM (SELECT a.issuer_id, a.row_id,
             CASE WHEN a.known_at <> a.public_at THEN a.known_at
                  ELSE greatest(a.public_at, least(a.recorded_at, min(a.known_at) FILTER (WHERE a.known_at > a.public_at)
                           OVER (PARTITION BY a.issuer_id, a.record_key, a.standing) - interval '1 microsecond')) END AS taken_at
      FROM (SELECT x.*, end_of_day(coalesce(x.declaration_date, x.action_date)) AS public_at
            FROM corporate_action x JOIN import_run r USING (import_run_id) WHERE r.source = 'corporate-actions') a) d
WHERE d.issuer_id = t.issuer_id AND d.row_id = t.row_id;

-- Adjusted amounts are known from the last split that their file had, as far as its rows tell; else of their share.
UPDATE corporate_action t
SET adjusted_on = coalesce((SELECT max(s.action_date) FROM corporate_action s
                            WHERE s.issuer_id = t.issuer_id AND s.symbol_code = t.symbol_code AND s.kind = 'split'
                              AND s.action_date > t.action_date AND s.import_run_id = t.import_run_id),
                           (SELECT max(s.action_date) FROM corporate_action s
                            WHERE s.issuer_id = t.issuer_id AND s.symbol_code = t.symbol_code AND s.kind = 'split'
                              AND s.action_date > t.action_date AND s.action_date <= t.taken_at),
                           t.taken_at::date)
WHERE t.amount_basis = 'adjusted' AND t.taken_at IS NOT NULL;

-- Several dividends of a day were numbered in the order of their file: those and the first of the same load.
UPDATE corporate_action t SET of_several = true
FROM corporate_action n
WHERE n.taken_at IS NOT NULL AND n.kind = 'dividend'
  AND n.record_key ~ ('^' || action_day_key(n.symbol_code, n.kind, n.action_date) || '/\d+$')
  AND t.issuer_id = n.issuer_id AND t.kind = 'dividend' AND t.taken_at IS NOT NULL
  AND (t.record_key = n.record_key
       OR (t.import_run_id = n.import_run_id AND t.action_date = n.action_date AND t.symbol_code = n.symbol_code));
SELECT open_day_dividends();
INSERT INTO pg_temp.day_dividend (issuer_id, row_id, id, who, day_key, old_key, amount, currency, declared, held, paid, repeat)
SELECT t.issuer_id, t.row_id, t.id, t.issuer_id::text, g.day_key, t.record_key, t.amount, t.currency, t.declaration_date,
       t.record_date, t.payment_date, 1
FROM (SELECT DISTINCT issuer_id, action_day_key(symbol_code, kind, action_date) AS day_key FROM corporate_action WHERE of_several) g
JOIN corporate_action t ON t.issuer_id = g.issuer_id AND t.kind = 'dividend' AND t.taken_at IS NOT NULL
 AND (t.record_key = g.day_key OR t.record_key LIKE g.day_key || '/%');
SELECT key_day_dividends();
SELECT count(*) FROM rename_stored_dividends();

GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA disclosed TO disclosed_loader;
GRANT EXECUTE ON FUNCTION issuer_order TO disclosed_api;

DO $$
DECLARE
    holders bigint[] := ARRAY(SELECT DISTINCT issuer_id FROM disclosed.corporate_action);
BEGIN
    PERFORM count(*) FROM disclosed.order_listings(ARRAY(SELECT DISTINCT record_key FROM disclosed.listing));
    UPDATE disclosed.dataset_stat SET version = version + 1, changed_at = now()
    WHERE dataset IN ('listing', 'institution_report');
    IF holders = '{}' THEN
        RETURN;
    END IF;
    PERFORM disclosed.order_corporate_actions(holders);
    INSERT INTO disclosed.dataset_issuer_stat AS stat (issuer_id, dataset, record_count, latest)
    SELECT issuer_id, 'corporate_action', count(*) FILTER (WHERE superseded_at IS NULL),
           max(action_date) FILTER (WHERE superseded_at IS NULL)
    FROM disclosed.corporate_action GROUP BY issuer_id
    ON CONFLICT (issuer_id, dataset) DO UPDATE SET record_count = excluded.record_count, latest = excluded.latest;
    UPDATE disclosed.dataset_stat d
    SET record_count = s.record_count, latest = s.latest, version = d.version + 1, changed_at = now()
    FROM (SELECT sum(record_count) AS record_count, max(latest) AS latest FROM disclosed.dataset_issuer_stat
          WHERE dataset = 'corporate_action') s
    WHERE d.dataset = 'corporate_action';
END $$;
