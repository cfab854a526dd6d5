-- What an amendment has ended holds again where the amendment no longer says so, or is none of those that are stored: ends are derived anew from what
-- is stored, in whatever order it came.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------------ amended Forms 3, 4 and 5

-- What tells the forms of one owner and instant apart: the accession number, else the document that the rows are of.
CREATE FUNCTION form_of_row(accession text, record_key text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(accession, split_part(record_key, '/', 1)) COLLATE "C"
$$;

-- Whether a row was in force at no time for another reason than an amendment: its file lacks it, another version is of the same instant, or its
-- document has got an accession number since.
CREATE FUNCTION form_row_is_void(dataset_table text, issuer bigint, number bigint, key text, at timestamptz, is_left_out boolean) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
    is_void boolean := is_left_out IS TRUE
        OR key LIKE 'sha256:%' AND EXISTS (SELECT 1 FROM disclosed.named_document d WHERE d.document = left(key, 39));
BEGIN
    IF NOT is_void THEN
        EXECUTE format($q$
            SELECT EXISTS (SELECT 1 FROM disclosed.%I n
                           WHERE n.issuer_id = $1 AND disclosed.key_hash(n.record_key) = disclosed.key_hash($2) AND n.record_key = $2
                             AND (n.superseded_at IS NULL OR n.superseded_at IS NOT NULL)
                             AND n.known_at = $3 AND n.row_id > $4 AND n.left_out IS NULL) $q$, dataset_table)
        INTO is_void USING issuer, key, at, number;
    END IF;
    RETURN is_void;
END $$;

-- What these issuers' amendments say that they amend. An amendment that was in force at no time, as another replaced it when it became known, has
-- amended all the same.
CREATE FUNCTION insider_amendments(issuers bigint[])
RETURNS TABLE (issuer_id bigint, owner_cik bigint, amended_form text, period_of_report date, original_filing_date date, amending text,
               known_at timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT a.issuer_id, a.owner_cik, replace(a.form, '/A', ''), a.period_of_report, a.original_filing_date,
           disclosed.form_of_row(a.accession, a.record_key), min(a.known_at)
    FROM (SELECT 'insider_transaction' AS of_table, issuer_id, row_id, record_key, known_at, superseded_at, left_out, accession, owner_cik, form,
                 period_of_report, original_filing_date
          FROM disclosed.insider_transaction WHERE issuer_id = ANY (issuers) AND form LIKE '%/A'
          UNION ALL
          SELECT 'insider_holding', issuer_id, row_id, record_key, known_at, superseded_at, left_out, accession, owner_cik, form,
                 period_of_report, original_filing_date
          FROM disclosed.insider_holding WHERE issuer_id = ANY (issuers) AND form LIKE '%/A') a
    WHERE a.original_filing_date IS NOT NULL
      AND (a.superseded_at IS DISTINCT FROM a.known_at
           OR NOT disclosed.form_row_is_void(a.of_table, a.issuer_id, a.row_id, a.record_key, a.known_at, a.left_out))
    GROUP BY 1, 2, 3, 4, 5, 6
$$;

-- An amendment (Form 3/A, 4/A, 5/A) replaces what its owner reported for that issuer and period in
-- the form that it amends, from the moment the amendment was public (Rule 16a-3; the form's own
-- "date of original submission" names the filing), and in amendments of that form that were public before it: of one instant the one with the lesser
-- accession number. Versions that ended as they began are none. Rows that have ended are looked at whether one amends them now or not.
CREATE OR REPLACE FUNCTION reconcile_insiders(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    dataset_table text;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.insider_transaction WHERE issuer_id = ANY (issuers) AND form LIKE '%/A'
                   UNION ALL
                   SELECT 1 FROM disclosed.insider_holding WHERE issuer_id = ANY (issuers) AND form LIKE '%/A')
    THEN
        RETURN;
    END IF;
    FOREACH dataset_table IN ARRAY ARRAY['insider_transaction', 'insider_holding'] LOOP
        EXECUTE format($sql$
            WITH amendment AS MATERIALIZED (SELECT * FROM disclosed.insider_amendments($1)),
            amended AS MATERIALIZED (
                SELECT t.issuer_id, t.row_id, min(a.known_at) AS amended_at
                FROM amendment a JOIN disclosed.%1$I t
                  ON t.issuer_id = a.issuer_id AND t.owner_cik = a.owner_cik
                 AND t.period_of_report IS NOT DISTINCT FROM a.period_of_report
                 AND (t.form = a.amended_form AND t.filing_date = a.original_filing_date
                      OR t.form = a.amended_form || '/A' AND a.original_filing_date IN (t.original_filing_date, t.filing_date)
                         AND (t.known_at, disclosed.form_of_row(t.accession, t.record_key)) < (a.known_at, a.amending))
                GROUP BY 1, 2),
            owner AS MATERIALIZED ( -- whose amendments may have said otherwise before
                SELECT issuer_id, owner_cik FROM disclosed.insider_transaction WHERE issuer_id = ANY ($1) AND form LIKE '%%/A'
                UNION
                SELECT issuer_id, owner_cik FROM disclosed.insider_holding WHERE issuer_id = ANY ($1) AND form LIKE '%%/A'),
            ending AS (
                SELECT t.issuer_id, t.row_id, least(a.amended_at, n.next_at) AS ends_at
                FROM (SELECT issuer_id, row_id FROM amended
                      UNION
                      SELECT t.issuer_id, t.row_id FROM disclosed.%1$I t
                      WHERE t.issuer_id = ANY ($1) AND t.superseded_at IS NOT NULL
                        AND (t.issuer_id, t.owner_cik) IN (SELECT o.issuer_id, o.owner_cik FROM owner o)) c
                JOIN disclosed.%1$I t USING (issuer_id, row_id)
                LEFT JOIN amended a USING (issuer_id, row_id)
                CROSS JOIN LATERAL (
                    SELECT min(n.known_at) AS next_at FROM disclosed.%1$I n
                    WHERE n.issuer_id = t.issuer_id AND disclosed.key_hash(n.record_key) = disclosed.key_hash(t.record_key)
                      AND n.record_key = t.record_key AND (n.superseded_at IS NULL OR n.superseded_at IS NOT NULL)
                      AND (n.known_at, n.row_id) > (t.known_at, t.row_id) AND n.left_out IS NULL) n
                WHERE t.superseded_at IS DISTINCT FROM t.known_at
                   OR NOT disclosed.form_row_is_void('%1$s', t.issuer_id, t.row_id, t.record_key, t.known_at, t.left_out))
            UPDATE disclosed.%1$I t SET superseded_at = CASE WHEN e.ends_at < t.known_at THEN t.known_at ELSE e.ends_at END
            FROM ending e
            WHERE t.issuer_id = e.issuer_id AND t.row_id = e.row_id
              AND t.superseded_at IS DISTINCT FROM CASE WHEN e.ends_at < t.known_at THEN t.known_at ELSE e.ends_at END
        $sql$, dataset_table) USING issuers;
    END LOOP;
END $$;

-- ------------------------------------------------------------------------------ amended reports of Congress

-- Whether another version of the record takes the place of this one, which ended as it began: of lines of NDJSON the last one of the instant, of
-- rows of files the one that holds then.
CREATE FUNCTION trade_is_replaced(key text, number bigint, at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT 1 FROM disclosed.congress_trade n
        WHERE n.record_key = key AND n.row_id <> number
          AND CASE WHEN disclosed.is_congress_base_key(key) THEN n.known_at <= at AND (n.superseded_at IS NULL OR n.superseded_at > at)
                   ELSE n.known_at = at AND n.row_id > number END)
$$;

-- The same as before, but what a report says no longer, as another version of the same instant has taken its place, is no claim. What lines of NDJSON say
-- otherwise is one whether they are in force at any time or not.
CREATE OR REPLACE FUNCTION congress_amendments(politicians bigint[])
RETURNS TABLE (issuer_id bigint, chamber text, amending text, amended text, known_at timestamptz, is_circular boolean)
LANGUAGE sql STABLE AS $$
    WITH RECURSIVE claim AS MATERIALIZED (
        SELECT t.issuer_id, t.chamber, t.report_id AS amending, t.amends AS amended, min(t.known_at) AS known_at,
               min(t.known_at) FILTER (WHERE t.superseded_at IS DISTINCT FROM t.known_at OR NOT disclosed.is_congress_base_key(t.record_key)) AS in_force_at
        FROM disclosed.congress_trade t
        WHERE t.issuer_id = ANY (politicians) AND t.amends IS NOT NULL AND t.amends <> t.report_id
          AND (t.superseded_at IS DISTINCT FROM t.known_at OR NOT disclosed.trade_is_replaced(t.record_key, t.row_id, t.known_at))
        GROUP BY 1, 2, 3, 4),
    counted AS MATERIALIZED (
        SELECT c.issuer_id, c.chamber, c.amending, c.amended, coalesce(c.in_force_at, c.known_at) AS known_at FROM claim c
        WHERE c.in_force_at IS NOT NULL
           OR EXISTS (SELECT 1 FROM claim d WHERE d.issuer_id = c.issuer_id AND d.chamber = c.chamber AND d.amended = c.amending)),
    reached AS (
        SELECT k.issuer_id, k.chamber, k.amending, k.amended FROM counted k
        UNION
        SELECT r.issuer_id, r.chamber, r.amending, k.amended
        FROM reached r JOIN counted k ON k.issuer_id = r.issuer_id AND k.chamber = r.chamber AND k.amending = r.amended),
    circled AS MATERIALIZED ( -- each with each other of its circle
        SELECT r.issuer_id, r.chamber, r.amending AS report_id, r.amended AS other
        FROM reached r
        WHERE EXISTS (SELECT 1 FROM reached b WHERE b.issuer_id = r.issuer_id AND b.chamber = r.chamber
                                                AND b.amending = r.amended AND b.amended = r.amending)),
    filed AS MATERIALIZED (
        SELECT t.issuer_id, t.chamber, t.report_id, min(t.filing_date) AS filing_date
        FROM disclosed.congress_trade t
        WHERE t.issuer_id = ANY (politicians)
          AND (t.issuer_id, t.chamber, t.report_id) IN (SELECT c.issuer_id, c.chamber, c.report_id FROM circled c)
        GROUP BY 1, 2, 3),
    first AS (
        SELECT DISTINCT ON (c.issuer_id, c.chamber, c.report_id) c.issuer_id, c.chamber, c.report_id, c.other
        FROM circled c JOIN filed f ON f.issuer_id = c.issuer_id AND f.chamber = c.chamber AND f.report_id = c.other
        ORDER BY c.issuer_id, c.chamber, c.report_id, f.filing_date, c.other COLLATE "C")
    SELECT k.issuer_id, k.chamber, k.amending, k.amended, k.known_at,
           EXISTS (SELECT 1 FROM first f WHERE f.issuer_id = k.issuer_id AND f.chamber = k.chamber AND f.report_id = k.amending
                                           AND f.other = k.amended)
    FROM counted k
$$;

-- A report that amends another of the same politician replaces its rows from the moment it was public. Versions that ended as they began are none.
-- Rows of politicians who amend any that have ended are looked at whether one amends them now or not, as what did may have been put right, or is
-- known to be circular (rows of lines of the Clerk's and the Senate's pages: by order_report_versions()).
CREATE OR REPLACE FUNCTION close_amended_trades(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    WITH amended AS MATERIALIZED (
        SELECT a.issuer_id, a.chamber, a.amended AS report_id, min(a.known_at) AS amended_at
        FROM disclosed.congress_amendments(issuers) a WHERE NOT a.is_circular GROUP BY 1, 2, 3),
    candidate AS (
        SELECT t.issuer_id, t.row_id FROM amended a JOIN disclosed.congress_trade t USING (issuer_id, chamber, report_id)
        WHERE t.superseded_at IS DISTINCT FROM t.known_at
        UNION
        SELECT t.issuer_id, t.row_id FROM disclosed.congress_trade t
        WHERE t.issuer_id IN (SELECT a.issuer_id FROM disclosed.congress_trade a WHERE a.issuer_id = ANY (issuers) AND a.amends IS NOT NULL)
          AND t.superseded_at IS NOT NULL AND NOT disclosed.is_congress_base_key(t.record_key)
          AND (t.superseded_at <> t.known_at OR NOT disclosed.trade_is_replaced(t.record_key, t.row_id, t.known_at))),
    ending AS (
        SELECT t.issuer_id, t.row_id, t.known_at, least(a.amended_at, (
                   SELECT min(n.known_at) FROM disclosed.congress_trade n
                   WHERE n.record_key = t.record_key AND (n.issuer_id = t.issuer_id OR NOT disclosed.is_congress_base_key(t.record_key))
                     AND (n.known_at, n.row_id) > (t.known_at, t.row_id))) AS ends_at
        FROM candidate c JOIN disclosed.congress_trade t USING (issuer_id, row_id)
        LEFT JOIN amended a USING (issuer_id, chamber, report_id))
    UPDATE disclosed.congress_trade t SET superseded_at = CASE WHEN e.ends_at < e.known_at THEN e.known_at ELSE e.ends_at END
    FROM ending e
    WHERE t.issuer_id = e.issuer_id AND t.row_id = e.row_id
      AND t.superseded_at IS DISTINCT FROM CASE WHEN e.ends_at < e.known_at THEN e.known_at ELSE e.ends_at END
$$;

-- ------------------------------------------------------------------------------ revised short interest

ALTER TABLE short_interest ADD COLUMN revised_from bigint;
COMMENT ON COLUMN short_interest.revised_from IS
    'row_id of the version that a file said, of which this is what holds later on, by what rows of the next cycle say of it';
CALL make_sourced_view('short_interest');

-- From when to when each version of these issuers' rows holds of which the load has changed something: those that files said and, behind each, what the
-- rows of the next cycle say of it (not `is_said`). While a row of the next cycle that was public at the same time or later says that it was revised,
-- the position is that (`revising`: which row says it); before and afterwards it is what was said.
CREATE FUNCTION short_interest_slices(issuers bigint[])
RETURNS TABLE (issuer_id bigint, row_id bigint, is_said boolean, from_at timestamptz, ends_at timestamptz, revising bigint, revised_position numeric)
LANGUAGE sql STABLE AS $$
    WITH written AS MATERIALIZED (
        SELECT DISTINCT t.issuer_id, t.symbol_code, t.settlement_date FROM disclosed.short_interest t
        WHERE t.issuer_id = ANY (issuers) AND disclosed.is_written(t.xmin)),
    touched AS MATERIALIZED (
        SELECT DISTINCT t.issuer_id, t.symbol_code, t.settlement_date, t.record_key, t.revised_from
        FROM written w JOIN disclosed.short_interest t
          ON t.issuer_id = w.issuer_id AND t.symbol_code = w.symbol_code AND t.settlement_date BETWEEN w.settlement_date - 21 AND w.settlement_date
         AND (t.settlement_date = w.settlement_date OR t.settlement_date <@ disclosed.cycle_before(w.settlement_date))),
    target AS MATERIALIZED ( -- mostly none
        SELECT DISTINCT c.issuer_id, c.symbol_code, c.settlement_date, c.record_key FROM touched c
        WHERE c.revised_from IS NOT NULL
           OR EXISTS (SELECT 1 FROM disclosed.short_interest l
                      WHERE l.issuer_id = c.issuer_id AND l.symbol_code = c.symbol_code AND l.previous_revised
                        AND l.settlement_date BETWEEN c.settlement_date AND c.settlement_date + 21
                        AND c.settlement_date <@ disclosed.cycle_before(l.settlement_date))),
    said AS MATERIALIZED (
        SELECT t.issuer_id, t.row_id, t.symbol_code, t.settlement_date, t.known_at, t.current_short_position,
               lead(t.known_at) OVER (PARTITION BY t.issuer_id, t.record_key ORDER BY t.known_at, t.row_id) AS next_at
        FROM target c JOIN disclosed.short_interest t USING (issuer_id, symbol_code, settlement_date, record_key)
        WHERE t.revised_from IS NULL),
    later AS MATERIALIZED (
        SELECT c.issuer_id, c.symbol_code, c.settlement_date, l.row_id, l.known_at,
               CASE WHEN l.previous_revised AND NOT l.stock_split THEN l.previous_short_position END AS revised,
               lead(l.known_at) OVER (PARTITION BY c.issuer_id, c.symbol_code, c.settlement_date ORDER BY l.known_at, l.row_id) AS next_at
        FROM (SELECT DISTINCT issuer_id, symbol_code, settlement_date FROM target) c
        JOIN disclosed.short_interest l
          ON l.issuer_id = c.issuer_id AND l.symbol_code = c.symbol_code AND l.revised_from IS NULL
         AND l.settlement_date BETWEEN c.settlement_date AND c.settlement_date + 21
         AND c.settlement_date <@ disclosed.cycle_before(l.settlement_date)),
    moment AS (
        SELECT s.issuer_id, s.row_id, s.known_at AS from_at, s.known_at, s.next_at, NULL::bigint AS revising, NULL::numeric AS revised_position
        FROM said s
        WHERE s.next_at IS DISTINCT FROM s.known_at
          AND NOT EXISTS (SELECT 1 FROM later l WHERE l.issuer_id = s.issuer_id AND l.symbol_code = s.symbol_code
                                                  AND l.settlement_date = s.settlement_date AND l.known_at = s.known_at)
        UNION ALL
        SELECT s.issuer_id, s.row_id, l.known_at, s.known_at, s.next_at, l.row_id, nullif(l.revised, s.current_short_position)
        FROM said s JOIN later l USING (issuer_id, symbol_code, settlement_date)
        WHERE l.next_at IS DISTINCT FROM l.known_at AND l.known_at >= s.known_at AND (s.next_at IS NULL OR l.known_at < s.next_at)),
    changing AS (
        SELECT m.*, lag(m.from_at) OVER state IS NULL
                    OR lag(m.revised_position) OVER state IS DISTINCT FROM m.revised_position AS is_change
        FROM moment m WINDOW state AS (PARTITION BY m.issuer_id, m.row_id ORDER BY m.from_at)),
    slice AS (
        SELECT c.issuer_id, c.row_id, c.from_at = c.known_at AND c.revised_position IS NULL AS is_said, c.from_at,
               coalesce(lead(c.from_at) OVER (PARTITION BY c.issuer_id, c.row_id ORDER BY c.from_at), c.next_at) AS ends_at,
               CASE WHEN c.revised_position IS NOT NULL THEN c.revising END AS revising, c.revised_position
        FROM changing c WHERE c.is_change)
    SELECT * FROM slice
    UNION ALL
    SELECT s.issuer_id, s.row_id, true, s.known_at, s.known_at, NULL, NULL FROM said s -- in force at no time
    WHERE NOT EXISTS (SELECT 1 FROM slice x WHERE x.issuer_id = s.issuer_id AND x.row_id = s.row_id AND x.is_said)
$$;

-- Makes the stored versions those: a row that says that the position of the cycle before was revised makes a version of that cycle's row, public at the
-- same time, as long as that is said. Days to cover of the revised position are not stated. Versions that end go first, so that no two are in force on
-- the way.
CREATE OR REPLACE FUNCTION revise_short_interest(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    open boolean;
BEGIN
    IF to_regclass('pg_temp.short_slice') IS NULL THEN
        CREATE TEMP TABLE short_slice (issuer_id bigint, row_id bigint, is_said boolean, from_at timestamptz, ends_at timestamptz,
                                       revising bigint, revised_position numeric) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.short_slice;
    INSERT INTO pg_temp.short_slice SELECT * FROM disclosed.short_interest_slices(issuers);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    DELETE FROM disclosed.short_interest t
    USING (SELECT DISTINCT issuer_id, row_id FROM pg_temp.short_slice) v
    WHERE t.issuer_id = v.issuer_id AND t.revised_from = v.row_id
      AND NOT EXISTS (SELECT 1 FROM pg_temp.short_slice s JOIN disclosed.short_interest o
                        ON o.issuer_id = s.issuer_id AND o.row_id = coalesce(s.revising, s.row_id)
                      WHERE NOT s.is_said AND s.issuer_id = t.issuer_id AND s.row_id = t.revised_from AND s.from_at = t.known_at
                        AND o.source_id = t.source_id AND coalesce(s.revised_position, o.current_short_position) = t.current_short_position
                        AND (s.revising IS NULL OR t.stated_days_to_cover IS NULL));
    FOREACH open IN ARRAY ARRAY[false, true] LOOP
        UPDATE disclosed.short_interest t SET superseded_at = s.ends_at FROM pg_temp.short_slice s
        WHERE t.issuer_id = s.issuer_id AND (s.is_said AND t.row_id = s.row_id OR NOT s.is_said AND t.revised_from = s.row_id)
          AND t.known_at = s.from_at AND t.superseded_at IS DISTINCT FROM s.ends_at AND (s.ends_at IS NULL) <= open;
        CONTINUE WHEN open;
        INSERT INTO disclosed.short_interest (id, issuer_id, record_key, known_at, superseded_at, src_digest, source_id, symbol_code, spellings,
            settlement_date, issue_name, market_class, current_short_position, previous_short_position, avg_daily_share_volume,
            stated_days_to_cover, stated_change_pct, stock_split, previous_revised, symbol, accession, quote, revised_from)
        SELECT t.id, t.issuer_id, t.record_key, s.from_at, s.ends_at, t.src_digest, coalesce(r.source_id, t.source_id), t.symbol_code, t.spellings,
            t.settlement_date, t.issue_name, t.market_class, coalesce(s.revised_position, t.current_short_position), t.previous_short_position,
            t.avg_daily_share_volume, CASE WHEN s.revising IS NULL THEN t.stated_days_to_cover END,
            CASE WHEN s.revising IS NULL THEN t.stated_change_pct END, t.stock_split, t.previous_revised, t.symbol,
            CASE WHEN s.revising IS NULL THEN t.accession END, CASE WHEN s.revising IS NULL THEN t.quote END, t.row_id
        FROM pg_temp.short_slice s JOIN disclosed.short_interest t USING (issuer_id, row_id)
        LEFT JOIN disclosed.short_interest r ON r.issuer_id = s.issuer_id AND r.row_id = s.revising
        WHERE NOT s.is_said
          AND NOT EXISTS (SELECT 1 FROM disclosed.short_interest d
                          WHERE d.issuer_id = s.issuer_id AND d.revised_from = s.row_id AND d.known_at = s.from_at)
        ORDER BY t.row_id, s.from_at;
    END LOOP;
END $$;
CREATE INDEX short_interest_revised ON short_interest (issuer_id, revised_from) WHERE revised_from IS NOT NULL;

-- Which of the rows that are to be loaded say something else than FINRA published at that time, so
-- that they correct it; numbered from 1.
CREATE OR REPLACE FUNCTION short_interest_corrections(keys text[], times timestamptz[], positions numeric[],
    previous_positions numeric[], volumes numeric[]) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT w.place
    FROM unnest(keys, times, positions, previous_positions, volumes) WITH ORDINALITY
         AS w(record_key, known_at, current_position, previous_position, volume, place)
    CROSS JOIN LATERAL (
        SELECT bool_or((t.current_short_position, t.previous_short_position, t.avg_daily_share_volume)
                       IS NOT DISTINCT FROM (w.current_position, w.previous_position, w.volume)) AS same
        FROM disclosed.short_interest t JOIN disclosed.source o USING (source_id)
        WHERE t.record_key = w.record_key AND t.known_at = w.known_at
          AND o.provider = 'finra' AND t.revised_from IS NULL) first
    WHERE NOT first.same
$$;

-- Before the rows of FINRA's files are merged: a row that says what FINRA said at first, after a file has said something else, is
-- public from when it was taken. A position that the next cycle's row has revised is not what a file said of its own date.
CREATE OR REPLACE FUNCTION restate_short_interest(taken_at timestamptz) RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    WITH said AS (
        SELECT DISTINCT ON (record_key) * FROM pg_temp.stage_short_interest ORDER BY record_key, row_order DESC)
    UPDATE pg_temp.stage_short_interest s SET known_at = greatest(s.known_at, restate_short_interest.taken_at)
    FROM said CROSS JOIN LATERAL (
        SELECT t.current_short_position, t.previous_short_position, t.avg_daily_share_volume, t.known_at, o.content_hash
        FROM disclosed.short_interest t JOIN disclosed.source o USING (source_id)
        WHERE t.record_key = said.record_key AND o.provider = 'finra'
          AND t.revised_from IS NULL
        ORDER BY t.known_at DESC, t.row_id DESC LIMIT 1) t
    WHERE s.row_order = said.row_order AND t.known_at <= greatest(s.known_at, restate_short_interest.taken_at)
      AND t.content_hash IS DISTINCT FROM (SELECT k.content_hash FROM disclosed.source k WHERE k.source_id = s.source_id)
      AND (t.current_short_position, t.previous_short_position, t.avg_daily_share_volume)
          IS DISTINCT FROM (s.current_short_position, s.previous_short_position, s.avg_daily_share_volume);
END $$;

-- ------------------------------------------------------------------------------ titles of CUSIPs

ALTER TABLE security_title ADD COLUMN rows_amended bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN security_title.rows_amended IS
    'how many of rows_seen another statement of the same manager and quarter, or fund and day, has replaced since';

-- The same as before, with the number of the row.
CREATE OR REPLACE VIEW titled_holding AS
SELECT coalesce(x.cusip, disclosed.cusip_of_isin(x.isin)) AS cusip, x.name, x.title, x.recorded_at, x.known_at, x.superseded_at, x.issuer_id,
       x.report_key, disclosed.is_written(x.xmin) AS is_written, x.row_id
FROM disclosed.fund_holding x
WHERE x.asset_category IN ('EC', 'EP') AND x.currency = 'USD' AND x.name IS NOT NULL
  AND (x.cusip = disclosed.cusip_of_isin(x.isin)) IS NOT FALSE;

-- Whether an amendment has replaced the report. The report of the next quarter does not.
CREATE FUNCTION fund_report_is_amended(issuer bigint, key text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT 1 FROM disclosed.fund f
        JOIN disclosed.fund n ON n.issuer_id = f.issuer_id AND n.fund_key = f.fund_key AND n.report_date = f.report_date
                             AND n.record_key <> f.record_key AND n.superseded_at IS DISTINCT FROM n.known_at
                             AND (n.known_at, (n.form = 'NPORT-P/A') IS TRUE) > (f.known_at, (f.form = 'NPORT-P/A') IS TRUE)
        WHERE f.issuer_id = issuer AND f.record_key = key AND f.superseded_at IS DISTINCT FROM f.known_at)
$$;

-- Keeps how the load's rows title each CUSIP, and links those CUSIPs. What it has counted in this transaction is not counted again.
CREATE OR REPLACE FUNCTION link_new_positions() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    cusips text[];
    counted bigint := coalesce(nullif(current_setting('disclosed.counted_positions', true), ''), '0')::bigint;
BEGIN
    WITH seen AS (
        SELECT t.cusip, t.issuer_title, coalesce(t.class_title, '') AS class_title, count(*) AS rows_seen
        FROM disclosed.institution_position t
        WHERE t.recorded_at = now() AND t.cusip IS NOT NULL AND t.row_id > counted
        GROUP BY 1, 2, 3),
    kept AS (
        INSERT INTO disclosed.security_title AS s
            (cusip, issuer_title, class_title, rows_seen, cut, words, sorted, forms, kind, letter)
        SELECT seen.*, coalesce(k.cut, false), k.words, k.sorted, coalesce(k.forms, '{}'), c.kind, c.letter
        FROM seen
        LEFT JOIN disclosed.name_keys(ARRAY(SELECT DISTINCT issuer_title FROM seen), true) k
          ON k.name = seen.issuer_title
        LEFT JOIN (SELECT class_title, (disclosed.class_of_title(class_title)).*
                   FROM (SELECT DISTINCT class_title FROM seen) distinct_title) c USING (class_title)
        ORDER BY seen.cusip, seen.issuer_title, seen.class_title
        ON CONFLICT (cusip, issuer_title, class_title) DO UPDATE
        SET rows_seen = s.rows_seen + excluded.rows_seen
        RETURNING s.cusip)
    SELECT array_agg(DISTINCT cusip) INTO cusips FROM kept;
    IF cusips IS NOT NULL THEN
        PERFORM set_config('disclosed.counted_positions', max(t.row_id)::text, true)
        FROM disclosed.institution_position t WHERE t.recorded_at = now() AND t.cusip IS NOT NULL;
        PERFORM disclosed.link_cusips(cusips);
    END IF;
END $$;

-- The same as before, without those that this transaction has counted.
CREATE OR REPLACE FUNCTION titles_of_holdings(since timestamptz)
RETURNS TABLE (cusip text, issuer_title text, class_title text, rows_seen bigint)
LANGUAGE sql STABLE AS $$
    WITH held AS MATERIALIZED ( -- each title once, however many rows have it
        SELECT h.cusip, h.name, disclosed.class_of_holding(h.name, h.title) AS class_title, h.rows_seen
        FROM (SELECT x.cusip, x.name, x.title, count(*) AS rows_seen FROM disclosed.titled_holding x
              WHERE x.recorded_at >= since
                AND x.row_id > coalesce(nullif(current_setting('disclosed.counted_holdings', true), ''), '0')::bigint
              GROUP BY 1, 2, 3 OFFSET 0) h)
    SELECT h.cusip, h.name, h.class_title, sum(h.rows_seen)::bigint
    FROM held h
    WHERE disclosed.cusip_is_valid(h.cusip) AND h.class_title IS NOT NULL
    GROUP BY h.cusip, h.name, h.class_title
$$;

-- Keeps those titles beside those of information tables, and links their CUSIPs. A name that either has
-- in full is not cut.
CREATE OR REPLACE FUNCTION link_new_holdings(since timestamptz) RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    cusips text[];
BEGIN
    WITH seen AS MATERIALIZED (
        SELECT * FROM disclosed.titles_of_holdings(since)),
    kept AS (
        INSERT INTO disclosed.security_title AS s
            (cusip, issuer_title, class_title, rows_seen, cut, words, sorted, forms, kind, letter)
        SELECT seen.*, false, k.words, k.sorted, coalesce(k.forms, '{}'), c.kind, c.letter
        FROM seen
        LEFT JOIN disclosed.name_keys(ARRAY(SELECT DISTINCT issuer_title FROM seen), false) k
          ON k.name = seen.issuer_title
        LEFT JOIN (SELECT class_title, (disclosed.class_of_title(class_title)).*
                   FROM (SELECT DISTINCT class_title FROM seen) distinct_title) c USING (class_title)
        ORDER BY seen.cusip, seen.issuer_title, seen.class_title
        ON CONFLICT (cusip, issuer_title, class_title) DO UPDATE
        SET rows_seen = s.rows_seen + excluded.rows_seen, cut = false, words = excluded.words,
            sorted = excluded.sorted, forms = excluded.forms, resolved = s.resolved AND NOT s.cut
        RETURNING s.cusip)
    SELECT array_agg(DISTINCT kept.cusip) INTO cusips FROM kept;
    IF cusips IS NOT NULL THEN
        PERFORM set_config('disclosed.counted_holdings', max(t.row_id)::text, true)
        FROM disclosed.fund_holding t WHERE t.recorded_at >= since;
        PERFORM disclosed.link_cusips(cusips);
    END IF;
END $$;

-- Counts the rows of these titles anew, those of information tables and of funds' holdings, and links their CUSIPs. Parallel arrays.
CREATE OR REPLACE FUNCTION recount_titles(cusips text[], issuer_titles text[], class_titles text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE disclosed.security_title s SET rows_seen = n.positions + n.holdings, rows_amended = n.restated + n.amended
    FROM (SELECT m.cusip, m.issuer_title, m.class_title, p.positions, p.restated, h.holdings, h.amended
          FROM unnest(cusips, issuer_titles, class_titles) AS m(cusip, issuer_title, class_title)
          CROSS JOIN LATERAL (
              SELECT count(*) AS positions, count(p.superseded_at) AS restated FROM disclosed.institution_position p
              WHERE p.cusip = m.cusip AND p.issuer_title = m.issuer_title AND coalesce(p.class_title, '') = m.class_title
                AND p.superseded_at IS DISTINCT FROM p.known_at) p
          CROSS JOIN LATERAL (
              SELECT coalesce(sum(r.holdings), 0) AS holdings,
                     coalesce(sum(r.holdings) FILTER (WHERE disclosed.fund_report_is_amended(r.issuer_id, r.report_key)), 0) AS amended
              FROM (SELECT h.issuer_id, h.report_key, count(*) AS holdings FROM disclosed.titled_holding h
                    WHERE h.cusip = m.cusip AND h.name = m.issuer_title AND disclosed.class_of_holding(h.name, h.title) = m.class_title
                      AND h.superseded_at IS DISTINCT FROM h.known_at
                    GROUP BY 1, 2 OFFSET 0) r) h) n
    WHERE s.cusip = n.cusip AND s.issuer_title = n.issuer_title AND s.class_title = n.class_title
      AND (s.rows_seen, s.rows_amended) <> (n.positions + n.holdings, n.restated + n.amended);
    IF FOUND THEN
        PERFORM disclosed.link_cusips(ARRAY(SELECT DISTINCT unnest(cusips)));
    END IF;
END $$;

-- Titles whose number of rows this load may have changed, of rows that were there before, were never in force, or are restated. Of a title that many
-- rows have one row more or less decides nothing: it is counted anew only where one has left it.
CREATE OR REPLACE FUNCTION recount_titles_of_positions() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    cusips text[];
    issuer_titles text[];
    class_titles text[];
BEGIN
    SELECT array_agg(m.cusip), array_agg(m.issuer_title), array_agg(m.class_title) INTO cusips, issuer_titles, class_titles
    FROM (SELECT t.cusip, t.issuer_title, coalesce(t.class_title, '') AS class_title,
                 bool_or(t.superseded_at IS NOT DISTINCT FROM t.known_at) AS is_left
          FROM pg_temp.work_portfolio w JOIN disclosed.institution_position t USING (issuer_id, period_of_report)
          WHERE t.cusip IS NOT NULL AND disclosed.is_written(t.xmin) AND (t.recorded_at < now() OR t.superseded_at IS NOT NULL)
          GROUP BY 1, 2, 3) m
    JOIN disclosed.security_title s USING (cusip, issuer_title, class_title)
    WHERE m.is_left OR s.rows_seen < 1000;
    IF cusips IS NOT NULL THEN
        PERFORM disclosed.recount_titles(cusips, issuer_titles, class_titles);
    END IF;
END $$;

-- The same of holdings of these reports, and all of a report that an amendment has replaced, or that held no longer until now.
CREATE OR REPLACE FUNCTION recount_titles_of_holdings(reports bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    cusips text[];
    issuer_titles text[];
    class_titles text[];
BEGIN
    SELECT array_agg(m.cusip), array_agg(m.name), array_agg(m.class_title) INTO cusips, issuer_titles, class_titles
    FROM (SELECT h.cusip, h.name, disclosed.class_of_holding(h.name, h.title) AS class_title,
                 bool_or(h.superseded_at IS NOT DISTINCT FROM h.known_at) AS is_left
          FROM (SELECT f.issuer_id, f.record_key,
                       disclosed.fund_report_is_amended(f.issuer_id, f.record_key)
                       OR bool_or(f.settled_until IS NOT NULL AND f.settled_until IS DISTINCT FROM f.superseded_at) AS is_amended
                FROM disclosed.fund f WHERE f.id = ANY (reports) GROUP BY f.issuer_id, f.record_key) f
          JOIN disclosed.titled_holding h ON h.issuer_id = f.issuer_id AND h.report_key = f.record_key
          WHERE h.is_written AND (h.recorded_at < now() OR h.superseded_at = h.known_at) OR f.is_amended
          GROUP BY 1, 2, 3) m
    JOIN disclosed.security_title s ON s.cusip = m.cusip AND s.issuer_title = m.name AND s.class_title = m.class_title
    WHERE m.is_left OR s.rows_seen < 1000;
    IF cusips IS NOT NULL THEN
        PERFORM disclosed.recount_titles(cusips, issuer_titles, class_titles);
    END IF;
END $$;

-- What the titles of CUSIPs say together: one in ten rows may say something else, as some managers' rows have slipped. Titles of class that are not
-- understood do not count for the listing, those that no row was in force with do not count at all, and those of rows that were restated or amended since
-- count where a CUSIP has no others.
CREATE OR REPLACE FUNCTION links_by_name(cusips text[])
RETURNS TABLE (cusip text, company_id bigint, symbol text) LANGUAGE sql STABLE AS $$
    WITH title AS MATERIALIZED (
        SELECT t.cusip, t.company_id, t.symbol, t.kind,
               CASE WHEN bool_or(t.rows_seen > t.rows_amended) OVER (PARTITION BY t.cusip) THEN t.rows_seen - t.rows_amended ELSE t.rows_seen END
               AS votes
        FROM disclosed.security_title t
        WHERE t.cusip = ANY (cusips) AND t.company_id IS NOT NULL AND t.rows_seen > 0),
    company AS (
        SELECT t.cusip, t.company_id, sum(t.votes) AS votes, sum(sum(t.votes)) OVER (PARTITION BY t.cusip) AS all_votes
        FROM title t WHERE t.votes > 0
        GROUP BY t.cusip, t.company_id),
    listed AS (
        SELECT t.cusip, t.company_id, t.symbol, sum(t.votes) AS votes,
               sum(sum(t.votes)) OVER (PARTITION BY t.cusip) AS all_votes
        FROM company c JOIN title t USING (cusip, company_id)
        WHERE c.votes >= 0.9 * c.all_votes AND t.kind IS NOT NULL AND t.votes > 0
        GROUP BY t.cusip, t.company_id, t.symbol)
    SELECT c.cusip, c.company_id, l.symbol
    FROM company c
    LEFT JOIN listed l ON l.cusip = c.cusip AND l.symbol IS NOT NULL AND l.votes >= 0.9 * l.all_votes
    WHERE c.votes >= 0.9 * c.all_votes
$$;

-- ------------------------------------------------------------------------------ what is stored

-- No load runs beside it (loader/loader_lock.c).
DO $$
DECLARE
    issuers bigint[];
    politicians bigint[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    issuers := ARRAY(SELECT issuer_id FROM insider_transaction WHERE form LIKE '%/A'
                     UNION SELECT issuer_id FROM insider_holding WHERE form LIKE '%/A');
    PERFORM reconcile_insiders(issuers);
    politicians := ARRAY(SELECT DISTINCT t.issuer_id FROM congress_trade t WHERE t.amends IS NOT NULL);
    PERFORM close_amended_trades(politicians);
    PERFORM count_congress_companies(ARRAY(SELECT DISTINCT company_id FROM congress_trade WHERE issuer_id = ANY (politicians)));
    -- Which versions of short interest were derived until now: none of a row's own files says them.
    UPDATE short_interest t SET revised_from = v.row_id
    FROM short_interest l, short_interest v
    WHERE l.issuer_id = t.issuer_id AND l.symbol_code = t.symbol_code AND l.source_id = t.source_id AND l.known_at = t.known_at
      AND l.previous_revised AND l.previous_short_position = t.current_short_position
      AND t.settlement_date <@ cycle_before(l.settlement_date) AND t.stated_days_to_cover IS NULL
      AND v.issuer_id = t.issuer_id AND v.record_key = t.record_key
      AND v.row_id = (SELECT x.row_id FROM short_interest x
                      WHERE x.issuer_id = t.issuer_id AND x.record_key = t.record_key AND x.row_id < t.row_id AND x.known_at <= t.known_at
                        AND x.superseded_at = t.known_at AND x.id = t.id
                      ORDER BY x.known_at DESC, x.row_id DESC LIMIT 1);
    LOOP -- to what a file said, by way of others that were derived
        UPDATE short_interest t SET revised_from = v.revised_from FROM short_interest v
        WHERE v.issuer_id = t.issuer_id AND v.row_id = t.revised_from AND v.revised_from IS NOT NULL;
        EXIT WHEN NOT FOUND;
    END LOOP;
    PERFORM revise_short_interest(ARRAY(SELECT DISTINCT issuer_id FROM short_interest WHERE revised_from IS NOT NULL));
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
    PERFORM recount_reports(issuers);
    INSERT INTO dataset_issuer_stat AS o (issuer_id, dataset, record_count, latest)
        SELECT t.issuer_id, 'congress_trade', count(*), max(t.filing_date) FROM congress_trade t
        WHERE t.issuer_id = ANY (politicians) AND t.superseded_at IS NULL GROUP BY t.issuer_id
        ON CONFLICT (issuer_id, dataset) DO UPDATE SET record_count = excluded.record_count, latest = excluded.latest;
    UPDATE dataset_stat d
    SET record_count = c.record_count, latest = c.latest, version = version + 1, changed_at = now()
    FROM (SELECT sum(record_count) AS record_count, max(latest) AS latest FROM dataset_issuer_stat WHERE dataset = 'congress_trade') c
    WHERE d.dataset = 'congress_trade' AND politicians <> '{}';
END $$;
