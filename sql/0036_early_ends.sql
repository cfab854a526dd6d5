-- Most files change nothing of what was derived before: steps look first whether there is anything to do, and those that
-- are called for each file keep their plans.

SET LOCAL search_path = disclosed, public;

-- Arrays of whatever length: a plan for them serves all.
ALTER FUNCTION find_wanted_executives(bigint[], text[]) SET plan_cache_mode = force_generic_plan;

-- When a Form 3, 4 or 5 was public and filed: as its filing says, else its submission's header,
-- else what was loaded of it before, else the day on which it was signed. A form without transactions and
-- holdings is known by what it says of its owners alone.
CREATE OR REPLACE FUNCTION dates_of_report(report_accession text, header_accepted timestamptz, header_filed date,
                                           signed date, OUT known_at timestamptz, OUT filing_date date)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    public_at timestamptz;
    filed date;
    loaded_at timestamptz;
    loaded_as date;
BEGIN
    SELECT min(f.known_at), min(f.filed_on) INTO public_at, filed
    FROM disclosed.filing f WHERE f.accession = report_accession AND f.superseded_at IS NULL;
    SELECT min(r.known_at), min(r.day) INTO loaded_at, loaded_as
    FROM (SELECT t.known_at, t.filing_date AS day FROM disclosed.insider_transaction t WHERE t.accession = report_accession
          UNION ALL
          SELECT h.known_at, h.filing_date FROM disclosed.insider_holding h WHERE h.accession = report_accession
          UNION ALL
          SELECT s.known_at, s.reported_on FROM disclosed.executive_stated s WHERE s.origin = report_accession) r;
    known_at := coalesce(public_at, header_accepted,
                         CASE WHEN header_filed IS NULL OR loaded_as = header_filed THEN loaded_at END,
                         disclosed.end_of_day(coalesce(header_filed, signed)));
    filing_date := coalesce(filed, header_filed, loaded_as, signed);
END $$;

-- Corrects when reports were public and filed, in all that was loaded of them. A row holds until the next of its record;
-- settle_insiders() finds anew which amendments end it, as they name the day of filing.
CREATE OR REPLACE FUNCTION date_reports(accessions text[], public_at timestamptz[], filed_on date[])
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    target record;
    changed bigint[];
    keys text[];
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM unnest(accessions, public_at, filed_on) AS r(accession, known_at, day)
        JOIN disclosed.insider_transaction t ON t.accession = r.accession AND (t.known_at, t.filing_date) <> (r.known_at, r.day)
        UNION ALL
        SELECT 1 FROM unnest(accessions, public_at, filed_on) AS r(accession, known_at, day)
        JOIN disclosed.insider_holding h ON h.accession = r.accession AND (h.known_at, h.filing_date) <> (r.known_at, r.day)
        UNION ALL
        SELECT 1 FROM unnest(accessions, public_at, filed_on) AS r(accession, known_at, day)
        JOIN disclosed.executive_stated s ON s.origin = r.accession AND (s.known_at, s.reported_on) <> (r.known_at, r.day))
    THEN
        RETURN;
    END IF;
    FOR target IN SELECT * FROM (VALUES ('insider', 'insider_transaction'), ('insider_holding', 'insider_holding'))
        AS c(name, dataset_table)
    LOOP
        EXECUTE format($sql$
            WITH moved AS (
                UPDATE disclosed.%1$I t
                SET known_at = r.known_at, filing_date = r.day,
                    superseded_at = CASE WHEN t.superseded_at = t.known_at THEN r.known_at ELSE (
                        SELECT greatest(r.known_at, CASE WHEN n.accession = r.accession THEN r.known_at ELSE n.known_at END)
                        FROM disclosed.%1$I n
                        WHERE n.issuer_id = t.issuer_id AND n.record_key = t.record_key
                          AND (n.known_at, n.row_id) > (t.known_at, t.row_id)
                          AND n.superseded_at IS DISTINCT FROM n.known_at
                        ORDER BY n.known_at, n.row_id LIMIT 1) END
                FROM unnest($1, $2, $3) AS r(accession, known_at, day)
                WHERE t.accession = r.accession AND (t.known_at, t.filing_date) <> (r.known_at, r.day)
                RETURNING t.issuer_id)
            SELECT array_agg(DISTINCT issuer_id) FROM moved
        $sql$, target.dataset_table)
        INTO changed USING accessions, public_at, filed_on;
        RETURN QUERY SELECT target.name, unnest(changed);
    END LOOP;
    WITH moved AS (
        UPDATE disclosed.executive_stated s SET known_at = r.known_at, reported_on = r.day
        FROM unnest(accessions, public_at, filed_on) AS r(accession, known_at, day)
        WHERE s.origin = r.accession AND (s.known_at, s.reported_on) <> (r.known_at, r.day)
        RETURNING s.issuer_id, s.record_key)
    SELECT array_agg(moved.issuer_id), array_agg(moved.record_key) INTO changed, keys FROM moved;
    RETURN QUERY SELECT DISTINCT 'executive', d FROM disclosed.derive_executives(changed, keys) AS d;
END $$;

-- An amendment (Form 3/A, 4/A, 5/A) replaces what its owner reported for that issuer and period in
-- the form that it amends, from the moment the amendment was public (Rule 16a-3; the form's own
-- "date of original submission" names the filing). Versions that ended as they began are none.
CREATE OR REPLACE FUNCTION settle_insiders(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
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
            WITH amendment AS (
                SELECT issuer_id, owner_cik, replace(form, '/A', '') AS amended_form,
                       period_of_report, original_filing_date, min(known_at) AS known_at
                FROM (SELECT issuer_id, owner_cik, form, period_of_report, original_filing_date, known_at
                      FROM disclosed.insider_transaction
                      WHERE issuer_id = ANY($1) AND form LIKE '%%/A'
                        AND superseded_at IS DISTINCT FROM known_at
                      UNION ALL
                      SELECT issuer_id, owner_cik, form, period_of_report, original_filing_date, known_at
                      FROM disclosed.insider_holding
                      WHERE issuer_id = ANY($1) AND form LIKE '%%/A'
                        AND superseded_at IS DISTINCT FROM known_at
                     ) amended
                WHERE original_filing_date IS NOT NULL
                GROUP BY 1, 2, 3, 4, 5),
            closing AS (
                SELECT t.issuer_id, t.row_id,
                       greatest(t.known_at, least(a.known_at, (
                           SELECT min(n.known_at) FROM disclosed.%1$I n
                           WHERE n.issuer_id = t.issuer_id AND n.record_key = t.record_key
                             AND n.known_at >= t.known_at AND n.row_id <> t.row_id
                             AND (n.known_at, n.row_id) > (t.known_at, t.row_id)))) AS superseded_at
                FROM amendment a JOIN disclosed.%1$I t
                  ON t.issuer_id = a.issuer_id AND t.filing_date = a.original_filing_date
                 AND t.owner_cik = a.owner_cik AND t.form = a.amended_form
                 AND t.period_of_report IS NOT DISTINCT FROM a.period_of_report
                WHERE t.superseded_at IS DISTINCT FROM t.known_at)
            UPDATE disclosed.%1$I t SET superseded_at = c.superseded_at
            FROM closing c
            WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id
              AND t.superseded_at IS DISTINCT FROM c.superseded_at
        $sql$, dataset_table) USING issuers;
    END LOOP;
END $$;
