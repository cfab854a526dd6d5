-- An amendment of a Form 3, 4 or 5 replaces the tables that it has, and no others; and the form that it amends is known by its day if the
-- amendment corrects the period.

SET LOCAL search_path = disclosed, public;

-- What an amendment of a form says that it amends, of one table. `amended_period` is that of the form that is amended.
CREATE TYPE form_amendment AS (number integer, issuer_id bigint, owner_cik bigint, owners text[], amended_form text, is_derivative boolean,
                                  period_of_report date, original_filing_date date, amending text, known_at timestamptz, amended_period date);
-- A row of a form of the day that an amendment names. One that was in force at no time but for an amendment is void.
CREATE TYPE amended_row AS (amendment integer, of_table text, row_id bigint, is_derivative boolean, period_of_report date, form_name text,
                                 is_void boolean);

-- These issuers' amendments, table by table: lines that are not amended are not repeated (General Instruction 9 of Form 4), so a table that an
-- amendment lacks stays as it was.
DROP FUNCTION insider_amendments(bigint[]); -- asked for by reconcile_insiders() alone
CREATE FUNCTION insider_amendments(issuers bigint[]) RETURNS SETOF form_amendment LANGUAGE sql STABLE AS $$
    SELECT (row_number() OVER ())::integer, c.*, NULL::date
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
          GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) c
$$;

-- The rows by these owners of the forms of the day that each amendment names.
CREATE FUNCTION insider_originals(amendments form_amendment[]) RETURNS SETOF amended_row LANGUAGE sql STABLE AS $$
    SELECT a.number, 'insider_transaction', o.row_id, o.is_derivative, o.period_of_report, o.form_name,
           CASE WHEN o.was_never THEN disclosed.form_row_is_void('insider_transaction', a.issuer_id, o.row_id, o.record_key, o.known_at, o.left_out) ELSE false END
    FROM unnest(amendments) a CROSS JOIN LATERAL (
        SELECT t.row_id, t.is_derivative, t.period_of_report, t.record_key, t.known_at, t.left_out,
               disclosed.form_of_row(t.accession, t.record_key) AS form_name, t.superseded_at IS NOT DISTINCT FROM t.known_at AS was_never
        FROM disclosed.insider_transaction t
        WHERE t.issuer_id = a.issuer_id AND t.filing_date = a.original_filing_date AND t.form = a.amended_form
          AND disclosed.are_same_owners(t.owner_cik, t.insider_name || t.joint_owners, a.owner_cik, a.owners) OFFSET 0) o
    UNION ALL
    SELECT a.number, 'insider_holding', o.row_id, o.is_derivative, o.period_of_report, o.form_name,
           CASE WHEN o.was_never THEN disclosed.form_row_is_void('insider_holding', a.issuer_id, o.row_id, o.record_key, o.known_at, o.left_out) ELSE false END
    FROM unnest(amendments) a CROSS JOIN LATERAL (
        SELECT t.row_id, t.is_derivative, t.period_of_report, t.record_key, t.known_at, t.left_out,
               disclosed.form_of_row(t.accession, t.record_key) AS form_name, t.superseded_at IS NOT DISTINCT FROM t.known_at AS was_never
        FROM disclosed.insider_holding t
        WHERE t.issuer_id = a.issuer_id AND t.filing_date = a.original_filing_date AND t.form = a.amended_form
          AND disclosed.are_same_owners(t.owner_cik, t.insider_name || t.joint_owners, a.owner_cik, a.owners) OFFSET 0) o
$$;

-- The amendments with the period of the form that each amends: its own, unless no form of that day and these owners has it and there is one form
-- alone. Then the period is what was corrected.
CREATE FUNCTION amended_periods(amendments form_amendment[], originals amended_row[]) RETURNS SETOF form_amendment
LANGUAGE sql IMMUTABLE AS $$
    SELECT a.number, a.issuer_id, a.owner_cik, a.owners, a.amended_form, a.is_derivative, a.period_of_report, a.original_filing_date, a.amending,
           a.known_at, CASE WHEN o.amendment IS NULL THEN a.period_of_report ELSE o.period_of_report END
    FROM unnest(amendments) a
    LEFT JOIN (SELECT o.amendment, min(o.period_of_report) AS period_of_report
               FROM unnest(originals) o JOIN unnest(amendments) a ON a.number = o.amendment
               WHERE NOT o.is_void
               GROUP BY o.amendment
               HAVING count(DISTINCT o.form_name) = 1 AND NOT bool_or(o.period_of_report IS NOT DISTINCT FROM a.period_of_report)) o
           ON o.amendment = a.number
$$;

-- The same as before, but table by table and for corrected periods. Amendments are of one form if they state the same period, or if those that
-- they amend have the same.
CREATE OR REPLACE FUNCTION reconcile_insiders(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    dataset_table text;
    amendments disclosed.form_amendment[];
    originals disclosed.amended_row[];
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.insider_transaction WHERE issuer_id = ANY (issuers) AND form LIKE '%/A'
                   UNION ALL
                   SELECT 1 FROM disclosed.insider_holding WHERE issuer_id = ANY (issuers) AND form LIKE '%/A')
    THEN
        RETURN;
    END IF;
    -- Read once for both tables.
    amendments := ARRAY(SELECT a FROM disclosed.insider_amendments(issuers) a);
    originals := ARRAY(SELECT o FROM disclosed.insider_originals(amendments) o);
    amendments := ARRAY(SELECT a FROM disclosed.amended_periods(amendments, originals) a);
    FOREACH dataset_table IN ARRAY ARRAY['insider_transaction', 'insider_holding'] LOOP
        EXECUTE format($sql$
            WITH amendment AS MATERIALIZED (SELECT * FROM unnest($2)),
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
                FROM (SELECT a.issuer_id, o.row_id, a.known_at AS amended_at
                      FROM unnest($3) o JOIN amendment a ON a.number = o.amendment
                      WHERE o.of_table = '%1$s' AND o.is_derivative = a.is_derivative AND o.period_of_report IS NOT DISTINCT FROM a.amended_period
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
        $sql$, dataset_table) USING issuers, amendments, originals;
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
