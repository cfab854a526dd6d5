-- An amendment of a Form 3, 4 or 5 replaces the tables that it has, and no others; and the form that it amends is known by its day if the
-- amendment corrects the period.

SET LOCAL search_path = disclosed, public;

-- What these issuers' amendments say that they amend, table by table: lines that are not amended are not repeated (General Instruction 9 of Form 4), so
-- a table that an amendment lacks stays as it was. `amended_period` is that of the form that is amended: the amendment's own, unless no form of
-- that day and these owners has it and there is one form alone: then the period is what was corrected.
DROP FUNCTION insider_amendments(bigint[]); -- asked for by reconcile_insiders() alone
CREATE FUNCTION insider_amendments(issuers bigint[])
RETURNS TABLE (issuer_id bigint, owner_cik bigint, owners text[], amended_form text, is_derivative boolean, period_of_report date,
               original_filing_date date, amending text, known_at timestamptz, amended_period date)
LANGUAGE sql STABLE AS $$
    WITH claim AS MATERIALIZED (
        SELECT row_number() OVER () AS number, c.*
        FROM (SELECT a.issuer_id, a.owner_cik, a.owners, replace(a.form, '/A', '') AS amended_form, a.is_derivative, a.period_of_report,
                     a.original_filing_date, disclosed.form_of_row(a.accession, a.record_key) AS amending, min(a.known_at) AS known_at
              FROM (SELECT 'insider_transaction' AS of_table, issuer_id, row_id, record_key, known_at, superseded_at, left_out, accession, owner_cik,
                           insider_name || joint_owners AS owners, form, is_derivative, period_of_report, original_filing_date
                    FROM disclosed.insider_transaction WHERE issuer_id = ANY (issuers) AND form LIKE '%/A'
                    UNION ALL
                    SELECT 'insider_holding', issuer_id, row_id, record_key, known_at, superseded_at, left_out, accession, owner_cik,
                           insider_name || joint_owners, form, is_derivative, period_of_report, original_filing_date
                    FROM disclosed.insider_holding WHERE issuer_id = ANY (issuers) AND form LIKE '%/A') a
              WHERE a.original_filing_date IS NOT NULL
                AND (a.superseded_at IS DISTINCT FROM a.known_at
                     OR NOT disclosed.form_row_is_void(a.of_table, a.issuer_id, a.row_id, a.record_key, a.known_at, a.left_out))
              GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) c),
    -- Rows that were in force at no time, for another reason than an amendment, are of no form.
    original AS (
        SELECT c.number, c.period_of_report AS said_period, o.period_of_report, o.form_name
        FROM claim c CROSS JOIN LATERAL (
            SELECT t.period_of_report, disclosed.form_of_row(t.accession, t.record_key) AS form_name FROM disclosed.insider_transaction t
            WHERE t.issuer_id = c.issuer_id AND t.filing_date = c.original_filing_date AND t.form = c.amended_form
              AND disclosed.are_same_owners(t.owner_cik, t.insider_name || t.joint_owners, c.owner_cik, c.owners)
              AND (t.superseded_at IS DISTINCT FROM t.known_at
                   OR NOT disclosed.form_row_is_void('insider_transaction', t.issuer_id, t.row_id, t.record_key, t.known_at, t.left_out)) OFFSET 0) o
        UNION ALL
        SELECT c.number, c.period_of_report, o.period_of_report, o.form_name
        FROM claim c CROSS JOIN LATERAL (
            SELECT t.period_of_report, disclosed.form_of_row(t.accession, t.record_key) AS form_name FROM disclosed.insider_holding t
            WHERE t.issuer_id = c.issuer_id AND t.filing_date = c.original_filing_date AND t.form = c.amended_form
              AND disclosed.are_same_owners(t.owner_cik, t.insider_name || t.joint_owners, c.owner_cik, c.owners)
              AND (t.superseded_at IS DISTINCT FROM t.known_at
                   OR NOT disclosed.form_row_is_void('insider_holding', t.issuer_id, t.row_id, t.record_key, t.known_at, t.left_out)) OFFSET 0) o),
    alone AS (
        SELECT number, min(period_of_report) AS period_of_report FROM original
        GROUP BY number
        HAVING count(DISTINCT form_name) = 1 AND NOT bool_or(period_of_report IS NOT DISTINCT FROM said_period))
    SELECT c.issuer_id, c.owner_cik, c.owners, c.amended_form, c.is_derivative, c.period_of_report, c.original_filing_date, c.amending, c.known_at,
           CASE WHEN a.number IS NULL THEN c.period_of_report ELSE a.period_of_report END
    FROM claim c LEFT JOIN alone a USING (number)
$$;

-- The same as before, but table by table and for corrected periods. Amendments are of one form if they state the same period, or if those that
-- they amend have the same.
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
            -- The periods that an amendment may be known by, '-infinity' for none.
            by_period AS MATERIALIZED (
                SELECT a.*, coalesce(a.period_of_report, '-infinity') AS period FROM amendment a
                UNION
                SELECT a.*, coalesce(a.amended_period, '-infinity') FROM amendment a),
            amending_row AS MATERIALIZED (
                SELECT o.issuer_id, o.row_id, o.owner_cik, o.insider_name || o.joint_owners AS owners, o.is_derivative,
                       coalesce(o.period_of_report, '-infinity') AS period, o.form, o.original_filing_date, o.filing_date, o.known_at,
                       disclosed.form_of_row(o.accession, o.record_key) AS amending
                FROM disclosed.%1$I o WHERE o.issuer_id = ANY ($1) AND o.form LIKE '%%/A'),
            row_by_period AS MATERIALIZED (
                SELECT r.* FROM amending_row r
                UNION
                SELECT r.issuer_id, r.row_id, r.owner_cik, r.owners, r.is_derivative, coalesce(a.amended_period, '-infinity'), r.form,
                       r.original_filing_date, r.filing_date, r.known_at, r.amending
                FROM amending_row r JOIN amendment a
                  ON a.issuer_id = r.issuer_id AND a.amending = r.amending AND a.original_filing_date = r.original_filing_date
                 AND coalesce(a.period_of_report, '-infinity') = r.period),
            -- Rows of the original by the day of its filing, and those of earlier amendments among the amendments: never all of the company's.
            amended AS MATERIALIZED (
                SELECT issuer_id, row_id, min(amended_at) AS amended_at
                FROM (SELECT a.issuer_id, t.row_id, a.known_at AS amended_at
                      FROM amendment a CROSS JOIN LATERAL (
                          SELECT o.row_id FROM disclosed.%1$I o
                          WHERE o.issuer_id = a.issuer_id AND o.filing_date = a.original_filing_date
                            AND o.period_of_report IS NOT DISTINCT FROM a.amended_period AND o.form = a.amended_form AND o.is_derivative = a.is_derivative
                            AND disclosed.are_same_owners(o.owner_cik, o.insider_name || o.joint_owners, a.owner_cik, a.owners) OFFSET 0) t
                      UNION ALL
                      SELECT a.issuer_id, t.row_id, a.known_at
                      FROM by_period a JOIN row_by_period t
                        ON t.issuer_id = a.issuer_id AND t.form = a.amended_form || '/A' AND t.is_derivative = a.is_derivative AND t.period = a.period
                       AND a.original_filing_date IN (t.original_filing_date, t.filing_date) AND (t.known_at, t.amending) < (a.known_at, a.amending)
                       AND disclosed.are_same_owners(t.owner_cik, t.owners, a.owner_cik, a.owners)) x
                GROUP BY 1, 2),
            owner AS MATERIALIZED ( -- whose amendments may have said otherwise before
                SELECT issuer_id, owner_cik, insider_name || joint_owners AS owners FROM disclosed.insider_transaction
                WHERE issuer_id = ANY ($1) AND form LIKE '%%/A'
                UNION
                SELECT issuer_id, owner_cik, insider_name || joint_owners FROM disclosed.insider_holding
                WHERE issuer_id = ANY ($1) AND form LIKE '%%/A'),
            ending AS (
                SELECT t.issuer_id, t.row_id, least(c.amended_at, n.next_at) AS ends_at
                FROM (SELECT issuer_id, row_id, min(amended_at) AS amended_at
                      FROM (SELECT issuer_id, row_id, amended_at FROM amended
                            UNION ALL
                            SELECT t.issuer_id, t.row_id, NULL FROM disclosed.%1$I t
                            WHERE t.issuer_id = ANY ($1) AND t.superseded_at IS NOT NULL
                              AND EXISTS (SELECT 1 FROM owner o WHERE o.issuer_id = t.issuer_id
                                          AND disclosed.are_same_owners(t.owner_cik, t.insider_name || t.joint_owners, o.owner_cik, o.owners))) x
                      GROUP BY 1, 2) c
                JOIN disclosed.%1$I t USING (issuer_id, row_id)
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

-- ------------------------------------------------------------------------ what is stored

DO $$
DECLARE
    issuers bigint[] := ARRAY(SELECT issuer_id FROM insider_transaction WHERE form LIKE '%/A'
                              UNION SELECT issuer_id FROM insider_holding WHERE form LIKE '%/A');
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    PERFORM reconcile_insiders(issuers);
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
    PERFORM recount_reports(issuers);
END $$;
