-- Dividends of lists that do not say what their amounts are adjusted for: many vendors divide them by the splits since. Where a split of the
-- share lies between a dividend and the day on which its list was taken, the amount may be adjusted for it.

SET LOCAL search_path = disclosed, public;

ALTER TABLE corporate_action ADD COLUMN split_after date;
COMMENT ON COLUMN corporate_action.split_after IS
    'of an amount that is adjusted, or whose source does not say: the last split that it may be adjusted for; kept by order_corporate_actions()';
CALL make_sourced_view('corporate_action');

-- ------------------------------------------------------------------ in words

-- "unsure" of an amount that may be adjusted.
CREATE FUNCTION amount_basis_of(stated text, split_after date) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT coalesce(stated, CASE WHEN split_after IS NOT NULL THEN 'unsure' END) $$;

CREATE FUNCTION amount_reservation(basis text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE basis WHEN 'adjusted' THEN ', as its source has adjusted it for later splits'
                      WHEN 'unsure' THEN ', which its source may have adjusted for later splits'
                      ELSE '' END
$$;

-- `amount_basis` as amount_basis_of() has it.
CREATE OR REPLACE FUNCTION action_description(kind text, amount numeric, amount_basis text, currency text,
                                              split_to bigint, split_from bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE kind
        WHEN 'split' THEN split_to || '-for-' || split_from
            || CASE WHEN split_to < split_from THEN ' reverse split'
                    WHEN split_to * 4 < split_from::numeric * 5 THEN ' stock dividend'
                    ELSE ' split' END
        WHEN 'dividend' THEN 'Cash dividend of ' || trim_scale(amount) || coalesce(' ' || currency, '')
            || ' a share' || disclosed.amount_reservation(amount_basis)
        END
$$;

-- What the stored records say about a topic of companies.
CREATE OR REPLACE FUNCTION ask_topic_lines(r ask_reading, instant timestamptz) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE AS $$
DECLARE
    company bigint;
    place integer := 0;
    found integer;
    at_instant timestamptz := coalesce(instant, now());
    l record;
BEGIN
    IF coalesce(cardinality(r.companies), 0) = 0 THEN
        RETURN NEXT ROW(NULL, 'The question names no company that is known here.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        RETURN;
    END IF;
    FOREACH company IN ARRAY r.companies[1:4] LOOP
        found := place;
        FOR l IN
            SELECT x.* FROM (
                SELECT 'executive' AS dataset, t.src_digest, t.source_id, t.accession, t.reported_on AS day, NULL::numeric AS value, NULL::text AS unit, NULL::text AS metric_key,
                       t.name || ' is ' || t.role || ' of ' || disclosed.ask_company(company) || ', as reported on ' || disclosed.ask_day(t.reported_on) AS said,
                       ARRAY[t.name, t.role, disclosed.ask_day(t.reported_on)] AS printed, row_number() OVER (ORDER BY t.reported_on DESC, t.name) AS place, 2 AS most
                FROM disclosed.executive t
                WHERE r.form = 'executive' AND t.issuer_id = company AND t.is_current AND t.role ~* ('\m' || r.role)
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                UNION ALL
                SELECT 'short_interest', t.src_digest, t.source_id, t.accession, t.settlement_date, t.current_short_position, 'shares', 'short_interest',
                       'The short interest in ' || disclosed.ask_company(company) || ' was ' || to_char(t.current_short_position, 'FM999,999,999,990') || ' shares on '
                       || disclosed.ask_day(t.settlement_date) || coalesce(', ' || trim_scale(round(t.days_to_cover, 2)) || ' days to cover', ''),
                       ARRAY[to_char(t.current_short_position, 'FM999,999,999,990'), disclosed.ask_day(t.settlement_date), trim_scale(round(t.days_to_cover, 2)) || ' days'],
                       row_number() OVER (ORDER BY t.settlement_date DESC, t.symbol), 1
                FROM disclosed.short_interest t
                WHERE r.form = 'short_interest' AND t.issuer_id = company
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                UNION ALL
                SELECT 'insider', t.src_digest, t.source_id, t.accession, t.transaction_date, t.value, 'USD', 'insider_' || t.transaction_type,
                       t.insider_name || ' (' || coalesce(t.relationship, 'insider') || ') reported a ' || replace(t.transaction_type, '_', ' ') || ' of '
                       || rtrim(to_char(t.shares, 'FM999,999,999,990.99'), '.') || ' shares of ' || disclosed.ask_company(company) || ' on ' || disclosed.ask_day(t.transaction_date)
                       || coalesce(' at USD ' || trim_scale(round(t.price, 4)), ''),
                       ARRAY[t.insider_name, t.relationship, rtrim(to_char(t.shares, 'FM999,999,999,990.99'), '.'), disclosed.ask_day(t.transaction_date), 'USD ' || trim_scale(round(t.price, 4))],
                       row_number() OVER (ORDER BY t.transaction_date DESC, t.id DESC), 5
                FROM disclosed.insider_transaction t
                WHERE r.form = 'insider' AND t.issuer_id = company AND NOT t.is_derivative AND t.shares IS NOT NULL AND (r.role IS NULL OR t.transaction_type = r.role)
                  AND (r.year IS NULL OR extract(year FROM t.transaction_date) = r.year)
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                UNION ALL
                SELECT 'institution_holder', t.src_digest, t.source_id, t.accession, t.period_of_report, t.shares, 'shares', 'institution_shares',
                       disclosed.ask_company(t.issuer_id) || ' held ' || to_char(t.shares, 'FM999,999,999,990') || ' shares of ' || disclosed.ask_company(company) || ' on '
                       || disclosed.ask_day(t.period_of_report) || ', worth ' || disclosed.ask_number(t.value, 'USD', false),
                       ARRAY[to_char(t.shares, 'FM999,999,999,990'), disclosed.ask_day(t.period_of_report), disclosed.ask_number(t.value, 'USD', false), disclosed.ask_company(t.issuer_id)],
                       row_number() OVER (ORDER BY t.period_of_report DESC, t.value DESC, t.id), 5
                FROM disclosed.institution_holder t
                WHERE r.form = 'holder' AND t.company_id = company AND t.shares > 0
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                UNION ALL
                SELECT 'corporate_action', t.src_digest, t.source_id, t.accession, t.action_date, t.amount, c.currency || '_per_share', t.kind,
                       CASE t.kind WHEN 'split' THEN disclosed.ask_company(company) || ' had a stock split of ' || t.split_to || ' for ' || t.split_from || ' on ' || disclosed.ask_day(t.action_date)
                            ELSE disclosed.ask_company(company) || ' had a dividend' || coalesce(' of ' || c.currency || ' ' || trim_scale(t.amount) || ' per share' || coalesce(nullif(disclosed.amount_reservation(disclosed.amount_basis_of(t.amount_basis, t.split_after)), '') || ',', ''), '') || ' with the ex-dividend date '
                                 || disclosed.ask_day(coalesce(t.ex_dividend_date, t.action_date)) || coalesce(', paid on ' || disclosed.ask_day(t.payment_date), '') END,
                       ARRAY[t.split_to || ' for ' || t.split_from, disclosed.ask_day(t.action_date), c.currency || ' ' || trim_scale(t.amount),
                             disclosed.ask_day(t.ex_dividend_date), disclosed.ask_day(t.payment_date)],
                       row_number() OVER (ORDER BY t.action_date DESC, t.id), 1
                FROM disclosed.corporate_action t CROSS JOIN LATERAL (SELECT coalesce(t.currency, disclosed.currency_of_market(t.symbol)) AS currency) c
                WHERE r.form IN ('split', 'dividend') AND t.kind = r.form AND t.issuer_id = company AND (t.kind <> 'split' OR t.split_from > 0)
                  AND (r.year IS NULL OR extract(year FROM t.action_date) = r.year)
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                UNION ALL
                SELECT 'event', t.src_digest, t.source_id, t.accession, t.event_at::date, NULL, NULL, NULL,
                       CASE WHEN t.event_at > at_instant THEN 'The next ' ELSE 'The last ' END
                       || CASE t.type WHEN 'agm' THEN 'annual meeting' WHEN 'investor_day' THEN 'investor day' ELSE 'earnings date' END || ' of ' || disclosed.ask_company(company)
                       || coalesce(' (' || t.fiscal_period || ')', '') || CASE WHEN t.event_at > at_instant THEN ' is ' ELSE ' was ' END
                       || disclosed.ask_day((t.event_at AT TIME ZONE 'UTC')::date) || CASE WHEN t.date_status = 'estimated' THEN ', which is an estimate' ELSE '' END,
                       ARRAY[t.fiscal_period, disclosed.ask_day((t.event_at AT TIME ZONE 'UTC')::date)],
                       row_number() OVER (ORDER BY abs(extract(epoch FROM t.event_at - at_instant)), t.id), 1
                FROM disclosed.event t
                WHERE r.form = 'event' AND t.issuer_id = company AND t.type = r.role
                  AND (r.year IS NULL AND (t.event_at > at_instant) = NOT coalesce(r.is_previous OR r.is_latest AND false, false)
                       OR r.quarter IS NOT NULL AND t.fiscal_period = 'Q' || r.quarter || ' FY' || r.year
                       OR r.quarter IS NULL AND r.year IS NOT NULL AND extract(year FROM t.event_at) = r.year)
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END) x
            WHERE x.place <= x.most ORDER BY x.place
        LOOP
            place := place + 1;
            RETURN NEXT ROW(place, l.said || ' [1].', l.dataset, disclosed.ask_src_id(l.dataset, l.src_digest),
                            (SELECT i.symbol FROM disclosed.issuer i WHERE i.issuer_id = company), l.metric_key,
                            json_build_object('calendar', NULL, 'fiscal', NULL, 'start_date', NULL, 'end_date', l.day, 'kind', 'instant'), l.value,
                            CASE WHEN l.value IS NOT NULL THEN l.unit END, disclosed.ask_source_url(l.source_id, l.accession, company),
                            array_remove(l.printed || disclosed.ask_company(company), NULL), 'high')::disclosed.ask_line;
        END LOOP;
        IF place = found THEN
            RETURN NEXT ROW(NULL, 'Nothing of that kind is stored about ' || disclosed.ask_company(company) || '.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        END IF;
    END LOOP;
END $$;

-- ------------------------------------------------ what follows from a load

DROP FUNCTION action_timeline(bigint[]); -- asked for by order_corporate_actions() alone

-- When each statement begins and ends, from all that are stored of its dividend. Of one standing the file that was taken
-- first says what was public at the time of the action; what others say otherwise corrects it, from when they were taken;
-- of files taken at one time the one that says most stands, then the larger amount, as adjusting makes amounts
-- smaller. What says less than an earlier statement is in force at no time, nor is a dividend of a day whose
-- several are told by a better source. An amount that may be
-- adjusted says less than one that cannot be, and nobody knew it before the last split that it may be adjusted for.
CREATE FUNCTION action_timeline(issuers bigint[], OUT issuer_id bigint, OUT row_id bigint, OUT begins_at timestamptz,
                                OUT ends_at timestamptz, OUT split_after date) RETURNS SETOF record LANGUAGE sql STABLE AS $$
    WITH split AS MATERIALIZED (
        SELECT DISTINCT a.issuer_id, a.symbol_code, a.action_date, disclosed.end_of_day(a.action_date) AS happened_at
        FROM disclosed.corporate_action a WHERE a.issuer_id = ANY (issuers) AND a.kind = 'split'),
    stored AS MATERIALIZED (
        SELECT a.issuer_id, a.row_id, a.record_key, a.kind, a.amount,
               2 * a.standing - CASE WHEN a.standing = 0 AND l.split_after IS NOT NULL THEN 1 ELSE 0 END AS standing,
               a.taken_at, a.known_at, a.of_several, l.split_after,
               disclosed.action_day_key(a.symbol_code, a.kind, a.action_date) AS day_key,
               CASE WHEN a.taken_at IS NULL THEN a.known_at
                    ELSE least(a.taken_at, disclosed.end_of_day(greatest(a.adjusted_on, l.split_after,
                                                                         coalesce(a.declaration_date, a.action_date)))) END AS public_at,
               num_nonnulls(a.record_date, a.payment_date, a.declaration_date, a.annualized_amount, a.payments_a_year,
                            a.currency, a.amount_basis) AS filled,
               concat_ws('|', a.amount, a.record_date, a.payment_date, a.declaration_date, a.annualized_amount,
                         a.payments_a_year, a.currency, a.amount_basis, a.split_to, a.split_from, a.description) AS words
        FROM disclosed.corporate_action a
        CROSS JOIN LATERAL (
            SELECT max(s.action_date) AS split_after FROM split s
            WHERE a.kind = 'dividend' AND a.standing <= 0 AND s.issuer_id = a.issuer_id AND s.symbol_code = a.symbol_code
              AND s.action_date > a.action_date AND s.happened_at <= a.taken_at) l
        WHERE a.issuer_id = ANY (issuers)),
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
                                           ORDER BY b.from_at, b.standing, b.taken_at IS NULL, b.row_id) END,
           b.split_after
    FROM better b
$$;

-- Makes the versions those. One row of an action is current, so rows are closed before one is opened.
CREATE OR REPLACE FUNCTION order_corporate_actions(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        UPDATE disclosed.corporate_action a SET known_at = t.begins_at, superseded_at = t.ends_at, split_after = t.split_after
        FROM disclosed.action_timeline(issuers) t
        WHERE a.issuer_id = t.issuer_id AND a.row_id = t.row_id AND (t.ends_at IS NULL) = opening
          AND (a.known_at, a.superseded_at, a.split_after) IS DISTINCT FROM (t.begins_at, t.ends_at, t.split_after);
    END LOOP;
END $$;

-- Dividends that are stored. No load runs beside it (loader/loader_lock.c).
DO $$
DECLARE
    companies bigint[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    FOR companies IN
        SELECT array_agg(issuer_id)
        FROM (SELECT issuer_id, (row_number() OVER (ORDER BY issuer_id) - 1) / 100 AS batch
              FROM (SELECT DISTINCT issuer_id FROM corporate_action WHERE kind = 'split' AND superseded_at IS NULL) d) b
        GROUP BY batch
    LOOP
        PERFORM order_corporate_actions(companies);
    END LOOP;
    IF FOUND THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
        UPDATE dataset_stat SET version = version + 1, changed_at = now() WHERE dataset = 'corporate_action';
    END IF;
END $$;
