-- Holdings of institutional investment managers as they report them: Form 13F (Section 13(f) of the Exchange Act,
-- Rule 13f-1). What makes a report's values dollars is in 0016_value_scale.sql.

SET LOCAL search_path = disclosed, public;

-- One row for each Form 13F filing: its cover and summary page. The issuer is the manager.
CREATE TABLE institution_report (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    form        text NOT NULL,
    report_type text NOT NULL CHECK (report_type IN ('holdings', 'combination', 'notice')),
    period_of_report date NOT NULL,
    filing_date date NOT NULL,
    amendment_type text CHECK (amendment_type IN ('restatement', 'new_holdings')),
    amendment_number bigint,
    manager_name text NOT NULL,
    file_number text,
    confidential_omitted boolean,
    other_managers jsonb,
    table_entry_total bigint,
    table_value_total numeric,
    value_factor numeric NOT NULL DEFAULT 1 CHECK (value_factor > 0),
    value_scale text NOT NULL DEFAULT 'dollars as filed',
    value_scale_reason text,
    entries_stored bigint NOT NULL DEFAULT 0,
    value_stored numeric NOT NULL DEFAULT 0,
    settled_period date,
    settled_known_at timestamptz,
    total_factor numeric NOT NULL DEFAULT 1 CHECK (total_factor > 0),
    unconfirmed_cusips text[],
    scale_compared boolean NOT NULL DEFAULT false,
    value_difference numeric GENERATED ALWAYS AS (value_stored - table_value_total * total_factor) STORED,
    dated_by    text CHECK (dated_by IN ('filing', 'accepted', 'filed', 'stated', 'signed')),
    CHECK (filing_date <= (known_at AT TIME ZONE 'UTC')::date + 14)
);
CALL finish_dataset_table('institution_report');
ALTER TABLE institution_report ALTER COLUMN accession SET NOT NULL;
COMMENT ON COLUMN institution_report.entries_stored IS 'rows of its information table here; kept by settle_institutions(), as value_stored (USD) is';
COMMENT ON COLUMN institution_report.settled_period IS 'period and known_at with which it was settled last: where they differ from the report''s, it is settled again';
COMMENT ON COLUMN institution_report.value_factor IS 'what makes the values of its rows dollars';
COMMENT ON COLUMN institution_report.total_factor IS 'what makes the total of its summary page dollars';
COMMENT ON COLUMN institution_report.unconfirmed_cusips IS 'while its own numbers leave the scale open: securities whose price at other managers would tell';
COMMENT ON COLUMN institution_report.scale_compared IS 'other managers'' reports have decided the scale';
COMMENT ON COLUMN institution_report.dated_by IS 'what known_at rests on, the best first: the loaded filing, the acceptance time of a header, a filing date, what the importer was told, the day of the signature';
CREATE INDEX institution_report_accession ON institution_report (accession);
CREATE INDEX institution_report_period ON institution_report (issuer_id, period_of_report);
CREATE INDEX institution_report_unconfirmed ON institution_report (period_of_report)
    WHERE unconfirmed_cusips IS NOT NULL;

-- One row for each row of an information table, as filed. The issuer is the manager.
CREATE TABLE institution_position (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    period_of_report date NOT NULL,
    filing_date date NOT NULL,
    row_number  bigint NOT NULL,
    issuer_title text NOT NULL,
    class_title text,
    cusip       text,
    figi        text,
    value       numeric NOT NULL,
    value_as_filed numeric NOT NULL,
    value_scale text,
    shares_type text NOT NULL CHECK (shares_type IN ('SH', 'PRN')),
    shares      numeric,
    principal_amount numeric,
    put_call    text CHECK (put_call IN ('Put', 'Call')),
    investment_discretion text,
    other_managers text[],
    voting_sole numeric,
    voting_shared numeric,
    voting_none numeric,
    CHECK (CASE shares_type WHEN 'SH' THEN principal_amount IS NULL ELSE shares IS NULL END),
    CHECK (filing_date <= (known_at AT TIME ZONE 'UTC')::date + 14),
    CHECK (period_of_report <= (known_at AT TIME ZONE 'UTC')::date + 14)
);
CALL finish_dataset_table('institution_position');
ALTER TABLE institution_position ALTER COLUMN accession SET NOT NULL;
CREATE INDEX institution_position_period ON institution_position (issuer_id, period_of_report, id);
-- By CUSIP: what other managers' values and shares of the same period say about a report's scale.
CREATE INDEX institution_position_cusip ON institution_position (cusip, period_of_report);
-- What a load has added is settled at its end: rows of one transaction stand together.
CREATE INDEX institution_position_recorded ON institution_position (recorded_at);

-- Rows in force that no listing is known for, by manager and quarter.
CREATE TABLE institution_unmapped (
    issuer_id   bigint NOT NULL,
    period_of_report date NOT NULL,
    entries     bigint NOT NULL,
    PRIMARY KEY (issuer_id, period_of_report)
);

-- ------------------------------------------------ when reports were public

-- One report comes as a submission, as cover and table, as a table alone and in data sets, which know more
-- or less of when it was public. The best of it counts, whichever came first.

-- The rank of what a date rests on: 1 is the best.
CREATE FUNCTION rank_of_date(dated_by text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT coalesce(array_position(ARRAY['filing', 'accepted', 'filed', 'stated', 'signed'], dated_by), 6) $$;

-- What is known of a report beside what a source of it tells: by its filing, and by what was loaded of it. The manager's name
-- is that on its cover: the filer's is another one at another time.
CREATE FUNCTION known_holdings_report(wanted text, OUT cik bigint, OUT manager_name text, OUT form text,
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

-- Reports that a source dates better than they were are known from then, with their rows: all versions that
-- began together begin together. Returns the managers.
CREATE FUNCTION redate_institution_reports(accessions text[], public_at timestamptz[], filed_on date[],
                                           dated text[])
RETURNS bigint[] LANGUAGE sql AS $$
    WITH better AS MATERIALIZED (
        SELECT r.issuer_id, r.period_of_report, r.accession, r.known_at AS was,
               t.known_at, t.filed_on, t.dated_by
        FROM unnest(accessions, public_at, filed_on, dated) AS t(accession, known_at, filed_on, dated_by)
        JOIN disclosed.institution_report r ON r.accession = t.accession AND r.superseded_at IS NULL
        WHERE disclosed.rank_of_date(t.dated_by) < disclosed.rank_of_date(r.dated_by)
           OR (t.dated_by = 'filing'
               AND (r.known_at, r.filing_date) IS DISTINCT FROM (t.known_at, t.filed_on))),
    rows AS (
        UPDATE disclosed.institution_position p
        SET known_at = b.known_at, filing_date = b.filed_on,
            superseded_at = CASE WHEN p.superseded_at = p.known_at THEN b.known_at
                                 WHEN p.superseded_at IS NOT NULL THEN greatest(p.superseded_at, b.known_at) END
        FROM better b
        WHERE p.issuer_id = b.issuer_id AND p.period_of_report = b.period_of_report
          AND p.accession = b.accession AND p.known_at = b.was),
    reports AS (
        UPDATE disclosed.institution_report r
        SET known_at = b.known_at, filing_date = b.filed_on, dated_by = b.dated_by,
            superseded_at = CASE WHEN r.superseded_at = r.known_at THEN b.known_at
                                 WHEN r.superseded_at IS NOT NULL THEN greatest(r.superseded_at, b.known_at) END
        FROM better b
        WHERE r.issuer_id = b.issuer_id AND r.accession = b.accession AND r.known_at = b.was
        RETURNING r.issuer_id)
    SELECT array_agg(DISTINCT issuer_id) FROM reports
$$;

-- What a source's better date has changed.
CREATE FUNCTION redate_holdings_reports(accessions text[], public_at timestamptz[], filed_on date[],
                                        dated text[])
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE sql AS $$
    SELECT d, m
    FROM unnest(disclosed.redate_institution_reports(accessions, public_at, filed_on, dated)) AS m
    CROSS JOIN unnest(ARRAY['institution_report', 'institution_position']) AS d
$$;

-- ------------------------------------ the quarters that a load has changed

-- The end of the quarter before the one that ends on `period`.
CREATE FUNCTION quarter_before(period date) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (date_trunc('month', period::timestamp) - interval '2 months')::date - 1 $$;

-- The end of the quarter after it.
CREATE FUNCTION quarter_after(period date) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (date_trunc('month', period::timestamp) + interval '4 months')::date - 1 $$;

-- The managers' quarters that a load has changed: those of its rows, and those of reports that were
-- settled as something else. Where neither tells, as when rows without a report have become known
-- earlier, all quarters of the manager. `contested`: several filings speak about the quarter.
CREATE FUNCTION find_changed_portfolios(managers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE pg_temp.work_quarter, pg_temp.work_portfolio, pg_temp.work_report, pg_temp.work_ending;
    INSERT INTO pg_temp.work_quarter
    SELECT DISTINCT t.issuer_id, t.period_of_report FROM disclosed.institution_position t
    WHERE t.recorded_at = now() AND t.issuer_id = ANY (managers);
    INSERT INTO pg_temp.work_quarter
    SELECT r.issuer_id, p.period
    FROM disclosed.institution_report r
    CROSS JOIN LATERAL (VALUES (r.period_of_report), (r.settled_period)) AS p(period)
    WHERE r.issuer_id = ANY (managers) AND r.superseded_at IS NULL AND p.period IS NOT NULL
      AND (r.settled_period, r.settled_known_at) IS DISTINCT FROM (r.period_of_report, r.known_at);
    INSERT INTO pg_temp.work_quarter
    SELECT DISTINCT t.issuer_id, t.period_of_report FROM disclosed.institution_position t
    WHERE t.issuer_id = ANY (managers)
      AND t.issuer_id NOT IN (SELECT issuer_id FROM pg_temp.work_quarter);
    INSERT INTO pg_temp.work_portfolio
    SELECT q.issuer_id, q.period_of_report,
           (SELECT count(*) > 1 FROM disclosed.institution_report r
            WHERE r.issuer_id = q.issuer_id AND q.period_of_report IN (r.period_of_report, r.settled_period))
    FROM (SELECT DISTINCT * FROM pg_temp.work_quarter) q;
    ANALYZE pg_temp.work_portfolio;
END $$;

-- Form 13F, special instructions: an amendment either restates the whole report or adds new holdings
-- to it. A report that does not add is the whole of its manager and quarter from when it was public;
-- what was filed before it ends there, rows added as well. Versions of a row end with the next one.
-- Reports of one instant follow each other by amendment number, then accession number. A request for
-- confidential treatment (13F-CTR) reports nothing and ends nothing.
CREATE FUNCTION close_restated_positions() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        INSERT INTO pg_temp.work_report
        SELECT r.issuer_id, r.accession, (
                   SELECT min(n.known_at) FROM disclosed.institution_report n
                   WHERE n.issuer_id = r.issuer_id AND n.period_of_report = r.period_of_report
                     AND n.superseded_at IS NULL AND n.amendment_type IS DISTINCT FROM 'new_holdings'
                     AND n.form NOT LIKE '13F-CTR%'
                     AND (n.known_at, coalesce(n.amendment_number, 0), n.accession)
                         > (r.known_at, coalesce(r.amendment_number, 0), r.accession))
        FROM pg_temp.work_portfolio w
        JOIN disclosed.institution_report r USING (issuer_id, period_of_report)
        WHERE w.contested AND r.superseded_at IS NULL $q$;
    ANALYZE pg_temp.work_report;
    EXECUTE $q$
        INSERT INTO pg_temp.work_ending
        SELECT issuer_id, row_id, ends_at
        FROM (SELECT v.*, CASE WHEN next_known_at IS NOT NULL OR ended_at IS NOT NULL
                               THEN greatest(known_at, least(next_known_at, ended_at)) END AS ends_at
              FROM (SELECT t.issuer_id, t.row_id, t.known_at, t.superseded_at, r.ended_at,
                           lead(t.known_at) OVER (PARTITION BY t.issuer_id, t.record_key
                                                  ORDER BY t.known_at, t.row_id) AS next_known_at
                    FROM pg_temp.work_portfolio w
                    JOIN disclosed.institution_position t USING (issuer_id, period_of_report)
                    LEFT JOIN pg_temp.work_report r
                      ON r.issuer_id = t.issuer_id AND r.accession = t.accession
                    WHERE w.contested) v) e
        WHERE superseded_at IS DISTINCT FROM ends_at $q$;
    ANALYZE pg_temp.work_ending;
    EXECUTE $q$
        UPDATE disclosed.institution_position t SET superseded_at = e.ends_at
        FROM pg_temp.work_ending e
        WHERE t.issuer_id = e.issuer_id AND t.row_id = e.row_id $q$;
END $$;

-- Keeps how the load's rows title each CUSIP, and links those CUSIPs.
CREATE FUNCTION link_new_positions() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    cusips text[];
BEGIN
    WITH seen AS (
        SELECT t.cusip, t.issuer_title, coalesce(t.class_title, '') AS class_title, count(*) AS rows_seen
        FROM disclosed.institution_position t
        WHERE t.recorded_at = now() AND t.cusip IS NOT NULL
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
        PERFORM disclosed.link_cusips(cusips);
    END IF;
END $$;

-- Says in the reports of work_portfolio what is stored of them.
CREATE FUNCTION total_reports() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        WITH total AS (
            SELECT t.issuer_id, t.accession, count(*) AS entries, sum(t.value) AS value
            FROM pg_temp.work_portfolio w
            JOIN disclosed.institution_position t USING (issuer_id, period_of_report)
            WHERE t.superseded_at IS NULL OR NOT EXISTS (
                SELECT 1 FROM disclosed.institution_position n
                WHERE n.issuer_id = t.issuer_id AND n.record_key = t.record_key
                  AND (n.known_at, n.row_id) > (t.known_at, t.row_id))
            GROUP BY 1, 2)
        UPDATE disclosed.institution_report r
        SET entries_stored = coalesce(t.entries, 0), value_stored = coalesce(t.value, 0),
            settled_period = r.period_of_report, settled_known_at = r.known_at
        FROM pg_temp.work_portfolio w
        JOIN disclosed.institution_report q USING (issuer_id, period_of_report)
        LEFT JOIN total t ON t.issuer_id = q.issuer_id AND t.accession = q.accession
        WHERE r.issuer_id = q.issuer_id AND r.row_id = q.row_id AND q.superseded_at IS NULL
          AND (r.entries_stored, r.value_stored, r.settled_period, r.settled_known_at) IS DISTINCT FROM
              (coalesce(t.entries, 0), coalesce(t.value, 0), r.period_of_report, r.known_at) $q$;
END $$;

-- --------------------------------------------- positions without a listing

-- Keeps the number of rows without a listing over all managers.
CREATE FUNCTION count_unmapped(more numeric) RETURNS void LANGUAGE sql AS $$
    INSERT INTO disclosed.dataset_stat AS stat (dataset, record_count, version)
    SELECT 'institution_position_unmapped', more, 1 WHERE more <> 0
    ON CONFLICT (dataset) DO UPDATE
    SET record_count = stat.record_count + excluded.record_count, version = stat.version + 1,
        changed_at = now();
$$;

-- Rows without a listing in the quarters of work_portfolio, counted anew.
CREATE FUNCTION count_unmapped_portfolios() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    more numeric;
BEGIN
    EXECUTE $q$
        WITH fresh AS (
            SELECT w.issuer_id, w.period_of_report, count(t.row_id) FILTER (WHERE s.symbol IS NULL) AS entries
            FROM pg_temp.work_portfolio w
            LEFT JOIN disclosed.institution_position t
              ON t.issuer_id = w.issuer_id AND t.period_of_report = w.period_of_report
             AND t.superseded_at IS NULL
            LEFT JOIN pg_temp.work_security s
              ON s.cusip = t.cusip AND s.period_of_report = t.period_of_report
            GROUP BY 1, 2),
        old AS (
            SELECT coalesce(sum(u.entries), 0) AS entries
            FROM pg_temp.work_portfolio w
            JOIN disclosed.institution_unmapped u USING (issuer_id, period_of_report)),
        kept AS (
            INSERT INTO disclosed.institution_unmapped AS u SELECT * FROM fresh
            ON CONFLICT (issuer_id, period_of_report) DO UPDATE SET entries = excluded.entries
            WHERE u.entries <> excluded.entries)
        SELECT coalesce((SELECT sum(entries) FROM fresh), 0) - (SELECT entries FROM old) $q$ INTO more;
    PERFORM disclosed.count_unmapped(more);
END $$;

-- The same, where links of CUSIPs have changed: of the rows recorded before an instant those that have
-- got or lost a listing.
CREATE FUNCTION count_unmapped_securities(recorded_before timestamptz) RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    more numeric;
BEGIN
    EXECUTE $q$
        WITH day AS (
            SELECT DISTINCT t.cusip, t.period_of_report
            FROM pg_temp.security_change c JOIN disclosed.institution_position t USING (cusip)
            WHERE NOT c.applied),
        turned AS (
            SELECT d.cusip, d.period_of_report, CASE WHEN now_is.symbol IS NULL THEN 1 ELSE -1 END AS change
            FROM day d
            LEFT JOIN LATERAL disclosed.security_of(d.cusip, NULL, NULL, d.period_of_report) now_is ON true
            LEFT JOIN LATERAL (
                SELECT r.symbol FROM pg_temp.replaced_link r
                WHERE r.cusip = d.cusip AND d.period_of_report BETWEEN r.valid_from AND r.valid_to
                ORDER BY r.precedence, r.valid_from DESC LIMIT 1) was ON true
            WHERE (now_is.symbol IS NULL) <> (was.symbol IS NULL)),
        change AS (
            SELECT t.issuer_id, t.period_of_report, sum(turned.change) AS entries
            FROM turned JOIN disclosed.institution_position t USING (cusip, period_of_report)
            WHERE t.superseded_at IS NULL AND t.recorded_at < $1
            GROUP BY 1, 2),
        kept AS (
            UPDATE disclosed.institution_unmapped u SET entries = u.entries + c.entries
            FROM change c
            WHERE u.issuer_id = c.issuer_id AND u.period_of_report = c.period_of_report)
        SELECT coalesce(sum(entries), 0) FROM change $q$ INTO more USING recorded_before;
    PERFORM disclosed.count_unmapped(more);
END $$;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON institution_unmapped TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON institution_unmapped TO disclosed_loader;
