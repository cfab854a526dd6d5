-- What is said again after something else was said counts again: the copy of a source that was loaded last.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------- snapshots

-- When a file that does not state its time was taken: when its content was loaded before, if what it said is still in force. NULL: now,
-- as another file has said something else since, or none of this content was loaded.
CREATE FUNCTION content_seen_at(dataset_table text, content_hash text) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
    seen timestamptz;
BEGIN
    EXECUTE format($sql$
        WITH said AS MATERIALIZED (
            SELECT t.issuer_id, t.record_key, t.known_at, t.superseded_at
            FROM disclosed.source o JOIN disclosed.%I t USING (source_id)
            WHERE NOT o.by_filing AND o.content_hash = decode(substr($1, 8), 'hex'))
        SELECT max(known_at) FROM said
        WHERE NOT EXISTS (SELECT 1 FROM said GROUP BY issuer_id, record_key HAVING bool_and(superseded_at IS NOT NULL))
    $sql$, dataset_table) INTO seen USING content_hash;
    RETURN seen;
END $$;

-- The same of a file of a kind that lists the whole market.
CREATE FUNCTION snapshot_seen_at(snapshot_kind text, snapshot_hash text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN content_hash = snapshot_hash THEN taken_at END
    FROM disclosed.listing_snapshot
    WHERE kind = snapshot_kind AND taken_at <= clock_timestamp()
    ORDER BY taken_at DESC LIMIT 1
$$;

-- -------------------------------------------------------------------- short interest

-- Before the rows of FINRA's files are merged: a row that says what FINRA said at first, after a file has said something else, is
-- public from when it was taken. A position that the next cycle's row has revised is not what a file said of its own date.
CREATE FUNCTION restate_short_interest(taken_at timestamptz) RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    WITH said AS (
        SELECT DISTINCT ON (record_key) * FROM pg_temp.stage_short_interest ORDER BY record_key, row_order DESC)
    UPDATE pg_temp.stage_short_interest s SET known_at = greatest(s.known_at, restate_short_interest.taken_at)
    FROM said CROSS JOIN LATERAL (
        SELECT t.current_short_position, t.previous_short_position, t.avg_daily_share_volume, t.known_at, o.content_hash
        FROM disclosed.short_interest t JOIN disclosed.source o USING (source_id)
        WHERE t.record_key = said.record_key AND o.provider = 'finra'
          AND (t.stated_days_to_cover IS NOT NULL OR NOT EXISTS (
              SELECT 1 FROM disclosed.short_interest later
              WHERE later.issuer_id = t.issuer_id AND later.symbol_code = t.symbol_code AND later.source_id = t.source_id
                AND later.known_at = t.known_at AND later.previous_revised
                AND t.settlement_date <@ disclosed.cycle_before(later.settlement_date)))
        ORDER BY t.known_at DESC, t.row_id DESC LIMIT 1) t
    WHERE s.row_order = said.row_order AND t.known_at <= greatest(s.known_at, restate_short_interest.taken_at)
      AND t.content_hash IS DISTINCT FROM (SELECT k.content_hash FROM disclosed.source k WHERE k.source_id = s.source_id)
      AND (t.current_short_position, t.previous_short_position, t.avg_daily_share_volume)
          IS DISTINCT FROM (s.current_short_position, s.previous_short_position, s.avg_daily_share_volume);
END $$;

-- ----------------------------------------------------------------- corporate actions

-- Before the rows of a file are merged. What has been said before is the statement that is stored: since the earliest of
-- the files that say it, from the provider whose name comes first, and one of several if any file says so. Where a file of the same
-- name that was taken between the two says something else, it is a statement of its own, which is stored where it meets none that says the
-- same: files of other names, as of two vendors, contradict each other however often they are loaded.
CREATE OR REPLACE FUNCTION meet_corporate_actions() RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT 'corporate_action', r FROM disclosed.key_staged_dividends() AS r;
    RETURN QUERY
    WITH met AS MATERIALIZED (
        SELECT s.*, o.provider, o.url, t.issuer_id AS holder_id, t.row_id, t.known_at AS stored_at, t.is_again,
               (SELECT min(n.known_at) - interval '1 microsecond' FROM disclosed.corporate_action n
                WHERE t.is_again AND n.issuer_id = t.issuer_id AND n.record_key = s.record_key AND n.standing = t.standing
                  AND n.taken_at > s.taken_at) AS before_next
        FROM pg_temp.stage_corporate_action s JOIN disclosed.source o USING (source_id)
        LEFT JOIN disclosed.import_run f ON f.import_run_id = o.import_run_id
        LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party
        CROSS JOIN LATERAL (
            SELECT t.issuer_id, t.row_id, t.known_at, t.standing, EXISTS (
                SELECT 1 FROM disclosed.corporate_action n JOIN disclosed.source b USING (source_id)
                JOIN disclosed.import_run r ON r.import_run_id = b.import_run_id
                WHERE n.issuer_id = t.issuer_id AND n.record_key = t.record_key AND n.standing = t.standing
                  AND regexp_replace(r.file, '^.*[/:]', '') = regexp_replace(f.file, '^.*[/:]', '')
                  AND (n.taken_at > least(s.taken_at, t.taken_at) OR (n.taken_at = t.taken_at AND n.superseded_at IS NULL))
                  AND n.taken_at < greatest(s.taken_at, t.taken_at)
                  AND (n.kind, n.action_date, n.symbol_code, n.ex_dividend_date, n.record_date, n.payment_date, n.declaration_date,
                       n.amount, n.amount_basis, n.annualized_amount, n.payments_a_year, n.currency, n.split_to, n.split_from)
                      IS DISTINCT FROM
                      (s.kind, s.action_date, s.symbol_code, s.ex_dividend_date, s.record_date, s.payment_date, s.declaration_date,
                       s.amount, s.amount_basis, s.annualized_amount, s.payments_a_year, s.currency, s.split_to, s.split_from)) AS is_again
            FROM disclosed.corporate_action t
            WHERE t.issuer_id = coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AND t.record_key = s.record_key
              AND t.taken_at IS NOT NULL
              AND (t.kind, t.action_date, t.symbol_code, t.ex_dividend_date, t.record_date, t.payment_date, t.declaration_date,
                   t.amount, t.amount_basis, t.annualized_amount, t.payments_a_year, t.currency, t.split_to, t.split_from)
                  IS NOT DISTINCT FROM
                  (s.kind, s.action_date, s.symbol_code, s.ex_dividend_date, s.record_date, s.payment_date, s.declaration_date,
                   s.amount, s.amount_basis, s.annualized_amount, s.payments_a_year, s.currency, s.split_to, s.split_from)
            ORDER BY is_again, t.known_at, t.row_id LIMIT 1) t),
    known AS (
        UPDATE pg_temp.stage_corporate_action s
        SET known_at = CASE WHEN m.is_again THEN coalesce(m.before_next, m.taken_at) ELSE m.stored_at END
        FROM met m WHERE s.row_order = m.row_order),
    said AS (
        SELECT holder_id, row_id, min(taken_at) AS taken_at, min(adjusted_on) AS adjusted_on,
               bool_or(coalesce(of_several, false)) AS of_several, min(stated_name) AS stated_name,
               min(stated_ratio) AS stated_ratio, min(provider) AS provider,
               (array_agg(url ORDER BY provider, url))[1] AS url
        FROM met WHERE NOT is_again GROUP BY 1, 2)
    UPDATE disclosed.corporate_action t
    SET taken_at = least(t.taken_at, m.taken_at), adjusted_on = least(t.adjusted_on, m.adjusted_on),
        of_several = t.of_several OR m.of_several, stated_name = least(t.stated_name, m.stated_name),
        stated_ratio = least(t.stated_ratio, m.stated_ratio),
        source_id = CASE WHEN m.provider < o.provider
                         THEN disclosed.source_of(m.provider, m.url, NULL, o.extracted_at, o.import_run_id) ELSE t.source_id END,
        src_digest = CASE WHEN m.provider < o.provider
                          THEN coalesce(disclosed.symbol_digest('corporate_action', m.provider, t.spellings, t.record_key),
                                        t.src_digest) ELSE t.src_digest END
    FROM said m, disclosed.source o
    WHERE o.source_id = t.source_id AND t.issuer_id = m.holder_id AND t.row_id = m.row_id
      AND (m.taken_at < t.taken_at OR m.adjusted_on < t.adjusted_on OR m.of_several > t.of_several
           OR least(t.stated_name, m.stated_name) IS DISTINCT FROM t.stated_name
           OR least(t.stated_ratio, m.stated_ratio) IS DISTINCT FROM t.stated_ratio OR m.provider < o.provider)
    RETURNING 'corporate_action', t.issuer_id;
END $$;

-- When each statement begins and ends, from all that are stored of its dividend. Of one standing the file that was taken
-- first says what was public at the time of the action; what others say otherwise corrects it, from when they were taken;
-- of files taken at one time the one that says most stands, then the larger amount, as adjusting makes amounts
-- smaller. What says less than an earlier statement is in force at no time, nor is a dividend of a day whose
-- several are told by a better source. An amount that may be
-- adjusted says less than one that cannot be, and nobody knew it before the last split that it may be adjusted for. What
-- is said again after something else was said is in force again.
CREATE OR REPLACE FUNCTION action_timeline(issuers bigint[], OUT issuer_id bigint, OUT row_id bigint, OUT begins_at timestamptz,
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
    -- What was said before, until something else was said: which files say it in turn.
    turned AS (
        SELECT c.*, count(*) FILTER (WHERE c.words IS DISTINCT FROM c.words_before) OVER (
                   PARTITION BY c.issuer_id, c.cluster, c.standing, c.taken_at IS NULL
                   ORDER BY c.taken_at, c.filled DESC, c.amount DESC, c.words COLLATE "C", c.row_id) AS turn
        FROM (SELECT c.*, lag(c.words) OVER (
                         PARTITION BY c.issuer_id, c.cluster, c.standing, c.taken_at IS NULL
                         ORDER BY c.taken_at, c.filled DESC, c.amount DESC, c.words COLLATE "C", c.row_id) AS words_before
              FROM clustered c) c),
    -- The same said again in one standing and turn: once, and since the first.
    copied AS (
        SELECT c.*, min(c.taken_at) OVER w AS first_taken, min(c.public_at) OVER w AS first_public,
               c.taken_at IS NOT NULL AND row_number() OVER (
                   PARTITION BY c.issuer_id, c.cluster, c.standing, c.words, c.turn, c.taken_at IS NULL
                   ORDER BY c.public_at, c.taken_at, c.record_key COLLATE "C", c.row_id) > 1 AS is_copy
        FROM turned c
        WINDOW w AS (PARTITION BY c.issuer_id, c.cluster, c.standing, c.words, c.turn, c.taken_at IS NULL)),
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

-- -------------------------------------------------------------------------- congress

-- Before the rows of an index of the Clerk are merged: what it says of a report holds in place of what another copy said, also if that
-- had a later date.
CREATE FUNCTION redate_congress_reports() RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    WITH said AS (
        SELECT DISTINCT ON (record_key) * FROM pg_temp.stage_congress_report ORDER BY record_key, row_order DESC)
    UPDATE pg_temp.stage_congress_report s SET known_at = t.known_at
    FROM said JOIN disclosed.source k USING (source_id)
    JOIN disclosed.issuer i ON i.party_key = said.party
    JOIN disclosed.congress_report t
      ON t.issuer_id = coalesce(said.issuer_id, i.issuer_id) AND t.record_key = said.record_key AND t.superseded_at IS NULL
    JOIN disclosed.source o ON o.source_id = t.source_id
    WHERE s.row_order = said.row_order AND t.known_at > s.known_at
      AND o.provider = k.provider AND o.content_hash IS DISTINCT FROM k.content_hash
      AND (t.filing_type, t.filing_year, t.filing_date, t.first_name, t.last_name, t.name_suffix, t.state_district)
          IS DISTINCT FROM (s.filing_type, s.filing_year, s.filing_date, s.first_name, s.last_name, s.name_suffix,
                            s.state_district);
END $$;

-- ------------------------------------------------------------------------ executives

-- What the staged rows state of people, which have been merged, is kept as they state it; the versions follow from it. Returns
-- what changed.
CREATE OR REPLACE FUNCTION state_executives(run bigint, hash_of_file text) RETURNS TABLE (dataset text, changed_issuer bigint)
LANGUAGE plpgsql AS $$
DECLARE
    is_form boolean := (SELECT source FROM disclosed.import_run WHERE import_run_id = run) = 'sec-ownership';
    issuers bigint[];
    keys text[];
BEGIN
    -- Filings that date the reports of these people may be loading at the same moment: who comes second sees the first.
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    WITH staged AS MATERIALIZED (
        SELECT coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AS issuer_id, s.record_key,
               CASE WHEN is_form THEN coalesce(s.accession, nullif(current_setting('disclosed.document', true), ''))
                    ELSE '@' || extract(epoch FROM s.known_at) END AS origin,
               disclosed.executive_said(s.person_cik, s.name, s.role, s.category, s.affiliation, s.person_rank, s.is_current)
                   AS said,
               s.known_at, s.row_order & ((1::bigint << 40) - 1) AS place, s.src_digest, o.provider AS source_provider, o.import_run_id,
               CASE WHEN o.by_filing THEN disclosed.filing_address(o.url, s.cik, s.accession, NULL) ELSE o.url END AS source_url,
               s.accession, s.quote, disclosed.content_hash_text(o.content_hash) AS content_hash, o.extracted_at, s.person_cik, s.name, s.role, s.category, s.affiliation,
               s.person_rank, s.is_current,
               coalesce(s.reported_on, (s.known_at AT TIME ZONE 'America/New_York')::date) AS reported_on
        FROM pg_temp.stage_executive s JOIN disclosed.source o USING (source_id)
        LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party),
    once AS (
        SELECT DISTINCT ON (issuer_id, record_key, origin, said) *,
               max(place) OVER (PARTITION BY issuer_id, record_key, origin, said) AS last_place
        FROM staged
        ORDER BY issuer_id, record_key, origin, said, source_provider COLLATE "C", coalesce(accession, '~') COLLATE "C",
                 coalesce(source_url, '~') COLLATE "C", coalesce(content_hash, '~') COLLATE "C", reported_on,
                 coalesce(quote, '~') COLLATE "C", place),
    stored AS (
        INSERT INTO disclosed.executive_stated AS t
        SELECT issuer_id, record_key, origin, said, known_at, last_place, import_run_id, src_digest, source_provider, source_url, accession,
               quote, content_hash, extracted_at, person_cik, name, role, category, affiliation, person_rank, is_current,
               reported_on
        FROM once
        ON CONFLICT (issuer_id, record_key, origin, said) DO UPDATE
        SET (place, stated_in, executive_digest, source_provider, source_url, accession, quote, content_hash, extracted_at,
             reported_on)
          = (SELECT greatest(t.place, excluded.place), o.stated_in, o.executive_digest, o.source_provider, o.source_url,
                    o.accession, o.quote, o.content_hash, o.extracted_at, o.reported_on
             FROM (SELECT excluded.* UNION ALL SELECT t.*) o
             ORDER BY o.source_provider COLLATE "C", coalesce(o.accession, '~') COLLATE "C",
                      coalesce(o.source_url, '~') COLLATE "C", coalesce(o.content_hash, '~') COLLATE "C",
                      o.reported_on, coalesce(o.quote, '~') COLLATE "C" LIMIT 1)
        WHERE excluded.place > t.place
           OR (excluded.source_provider COLLATE "C", coalesce(excluded.accession, '~') COLLATE "C",
               coalesce(excluded.source_url, '~') COLLATE "C", coalesce(excluded.content_hash, '~') COLLATE "C",
               excluded.reported_on, coalesce(excluded.quote, '~') COLLATE "C")
            < (t.source_provider, coalesce(t.accession, '~'), coalesce(t.source_url, '~'), coalesce(t.content_hash, '~'),
               t.reported_on, coalesce(t.quote, '~'))
        RETURNING t.issuer_id, t.record_key),
    -- What another copy of the source said of them: the one that was loaded last counts.
    replaced AS (
        DELETE FROM disclosed.executive_stated t
        USING (SELECT DISTINCT issuer_id, record_key, origin, source_provider, source_url FROM staged) g
        WHERE t.issuer_id = g.issuer_id AND t.record_key = g.record_key AND t.origin = g.origin
          AND t.source_provider = g.source_provider AND t.source_url IS NOT DISTINCT FROM g.source_url
          AND NOT EXISTS (SELECT 1 FROM staged s WHERE s.issuer_id = t.issuer_id AND s.record_key = t.record_key
                          AND s.origin = t.origin AND s.said = t.said)
        RETURNING t.issuer_id, t.record_key)
    SELECT array_agg(u.issuer_id), array_agg(u.record_key) INTO issuers, keys
    FROM (SELECT stored.issuer_id, stored.record_key FROM stored
          UNION
          SELECT replaced.issuer_id, replaced.record_key FROM replaced
          UNION
          SELECT s.issuer_id, s.record_key FROM staged s WHERE s.issuer_id IN (SELECT t.issuer_id FROM pg_temp.touched t)) u;
    IF issuers IS NULL THEN
        RETURN;
    END IF;
    IF cardinality(issuers) >= 2000 THEN
        PERFORM disclosed.analyze_grown(ARRAY['disclosed.executive', 'disclosed.executive_stated']::regclass[]);
    END IF;
    RETURN QUERY SELECT DISTINCT 'executive', d FROM disclosed.derive_executives(issuers, keys) AS d;
END $$;

-- ---------------------------------------------------------------------- fundamentals

-- Four quarters that follow each other, where no fiscal year ends with them: joins the one before to what has been put together so
-- far, for the time that both are in force. `place` is the number of quarters, and ten more where they are restated. A fiscal year
-- that an annual report has told has no such sum, whatever it has of the metric.
CREATE OR REPLACE FUNCTION add_number_years() RETURNS void LANGUAGE plpgsql
SET enable_nestloop = off SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
BEGIN
    TRUNCATE pg_temp.number_sum;
    INSERT INTO pg_temp.number_sum
    SELECT disclosed.other_period(v.period, 6::smallint, disclosed.period_end(v.period)), v.known_at, v.superseded_at, v.known_at, v.accession, v.source_id,
           v.start_date, CASE WHEN v.is_restated THEN 11 ELSE 1 END, v.is_suspect, v.value, ARRAY[disclosed.period_end(v.period)]
    FROM pg_temp.number_version v JOIN disclosed.canonical_metric c ON c.metric_id = disclosed.period_metric(v.period) AND c.additive
    WHERE disclosed.period_kind(v.period) = 2
      AND NOT EXISTS (SELECT 1 FROM pg_temp.number_version y
                      WHERE y.period = disclosed.other_period(v.period, 5::smallint, disclosed.period_end(v.period)));
    FOR before IN 1..3 LOOP
        ANALYZE pg_temp.number_sum (period, place);
        INSERT INTO pg_temp.number_sum
        SELECT s.period, l.known_at, l.until, greatest(s.latest, v.known_at), CASE WHEN v.known_at > s.latest THEN v.accession ELSE s.accession END,
               CASE WHEN v.known_at > s.latest THEN v.source_id ELSE s.source_id END, v.start_date, s.place + 1, s.is_suspect OR v.is_suspect,
               s.value + v.value, s.ends || disclosed.period_end(v.period)
        FROM pg_temp.number_sum s
        JOIN pg_temp.number_version v
          ON v.period = disclosed.other_period(s.period, 2::smallint, s.start_date - 1) AND v.is_restated = (s.place > 10)
        CROSS JOIN LATERAL (SELECT greatest(s.known_at, v.known_at) AS known_at, least(s.superseded_at, v.superseded_at) AS until) l
        WHERE s.place % 10 = before AND (l.until IS NULL OR l.known_at < l.until);
    END LOOP;
    INSERT INTO pg_temp.number_candidate (period, known_at, superseded_at, accession, source_id, start_date, precedence, rule, stage, is_suspect, value, ends)
    SELECT s.period, s.known_at, least(s.superseded_at, y.told_at), s.accession, s.source_id, s.start_date, 1001, 2, 2, s.is_suspect, s.value, s.ends
    FROM pg_temp.number_sum s
    LEFT JOIN (SELECT o.owner, y.year_end, min(y.known_at) AS told_at
               FROM pg_temp.number_owner o JOIN pg_temp.number_year y USING (issuer_id) GROUP BY 1, 2) y
           ON y.owner = disclosed.period_owner(s.period) AND y.year_end = disclosed.period_end(s.period)
    WHERE s.place % 10 = 4 AND disclosed.kind_code(s.start_date, disclosed.period_end(s.period)) = 5
      AND (y.told_at IS NULL OR s.known_at < y.told_at);
END $$;

-- Sums of years that are stored. No load runs beside it (loader/loader_lock.c).
DO $$
DECLARE
    companies bigint[];
    changed bigint[] := '{}';
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    FOR companies IN
        SELECT array_agg(issuer_id)
        FROM (SELECT issuer_id, (row_number() OVER (ORDER BY issuer_id) - 1) / 100 AS batch
              FROM (SELECT DISTINCT t.issuer_id FROM metric_value t JOIN metric_value y USING (issuer_id, end_date)
                    WHERE t.kind = 6 AND y.kind = 5) d) b
        GROUP BY batch
    LOOP
        companies := ARRAY(SELECT derive_fundamentals(companies));
        UPDATE dataset_issuer_stat o
        SET record_count = c.record_count, latest = c.latest
        FROM (SELECT t.issuer_id, count(*) AS record_count, max(t.end_date) AS latest FROM metric_value t
              WHERE t.issuer_id = ANY (companies) AND t.superseded_at IS NULL GROUP BY t.issuer_id) c
        WHERE o.dataset = 'fundamental' AND o.issuer_id = c.issuer_id;
        changed := changed || companies;
    END LOOP;
    IF changed <> '{}' THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
        UPDATE dataset_stat d
        SET record_count = c.record_count, latest = c.latest, version = version + 1, changed_at = now()
        FROM (SELECT sum(record_count) AS record_count, max(latest) AS latest FROM dataset_issuer_stat WHERE dataset = 'fundamental') c
        WHERE d.dataset = 'fundamental';
    END IF;
END $$;

-- ------------------------------------------------------------------------ dates of filings

-- Key figures of instances are public when their filings are, as those that are loaded say: at first the day of filing has to do. Returns the
-- issuers of those that have moved.
CREATE FUNCTION date_kpi_observations(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    companies bigint[];
    numbers bigint[];
    is_out boolean[];
BEGIN
    WITH public AS MATERIALIZED (
        SELECT accession, min(known_at) AS known_at FROM disclosed.filing
        WHERE accession IN (SELECT x.accession FROM disclosed.filing x WHERE x.issuer_id = ANY (issuers) AND disclosed.is_written(x.xmin))
          AND superseded_at IS NULL
        GROUP BY accession),
    moved AS (
        UPDATE disclosed.kpi_observation t
        SET known_at = p.known_at,
            superseded_at = CASE WHEN t.superseded_at = t.known_at THEN p.known_at
                                 WHEN t.superseded_at IS NOT NULL THEN greatest(t.superseded_at, p.known_at) END
        FROM public p, disclosed.source o, disclosed.import_run r
        WHERE t.issuer_id = ANY (issuers) AND t.accession = p.accession AND t.known_at <> p.known_at
          AND o.source_id = t.source_id AND r.import_run_id = o.import_run_id AND r.source = 'xbrl-instance'
        RETURNING t.issuer_id, t.row_id, t.left_out IS TRUE AS is_out)
    SELECT array_agg(m.issuer_id), array_agg(m.row_id), array_agg(m.is_out) INTO companies, numbers, is_out FROM moved m;
    IF companies IS NOT NULL THEN
        PERFORM disclosed.leave_out('kpi_observation', numbers, companies, numbers, is_out); -- the versions before end with these
        RETURN QUERY SELECT DISTINCT unnest(companies);
    END IF;
END $$;

-- Before the rows of a data set are merged: its times of acceptance are cut to the minute, those of filings that are loaded are not.
CREATE FUNCTION date_staged_reports() RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    UPDATE pg_temp.stage_xbrl_report s SET known_at = f.known_at
    FROM (SELECT t.accession, min(t.known_at) AS known_at FROM disclosed.filing t
          WHERE t.accession IN (SELECT x.accession FROM pg_temp.stage_xbrl_report x) AND t.superseded_at IS NULL
          GROUP BY t.accession) f
    WHERE f.accession = s.accession AND f.known_at <> s.known_at;
END $$;
