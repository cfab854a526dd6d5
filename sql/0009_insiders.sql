-- Forms 3, 4 and 5 (Section 16(a) of the Exchange Act): what insiders trade and hold.

SET LOCAL search_path = disclosed, public;

-- What is wrong with a row's footnotes. STRICT: nothing is asked of the many rows that have none. The
-- paths find that all is well in a hundredth of the time that it takes to name a fault.
CREATE FUNCTION footnotes_fault(footnotes jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
    IF jsonb_typeof(footnotes) = 'array'
       AND NOT jsonb_path_exists(footnotes, 'strict $[*] ? (@.type() <> "object")')
       AND NOT jsonb_path_exists(footnotes, 'strict $[*].keyvalue() ? (
               @.key <> "id" && @.key <> "field" && @.key <> "text"
               || @.value.type() <> "null" && (@.value.type() <> "string" || @.value == ""))')
    THEN
        RETURN NULL;
    END IF;
    RETURN disclosed.elements_fault('footnotes', footnotes,
                                    '{"id": "string?", "field": "string?", "text": "string?"}');
END $$;

-- Footnotes stand with the rows on whose values they are; remarks, below the footnotes, are about the form as a whole.
CREATE TABLE insider_transaction (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    form        text NOT NULL,
    period_of_report date,
    original_filing_date date,
    owner_cik   bigint,
    insider_name text NOT NULL,
    relationship text NOT NULL,
    joint_owners text[],
    is_derivative boolean NOT NULL,
    security_title text,
    transaction_code text,
    transaction_type text NOT NULL,
    acquired_disposed text CHECK (acquired_disposed IN ('A', 'D')),
    shares      numeric,
    price       numeric,
    value       numeric,
    shares_owned_after numeric,
    value_owned_after numeric,
    ownership   text CHECK (ownership IN ('direct', 'indirect')),
    ownership_nature text,
    conversion_price numeric,
    exercise_date date,
    expiration_date date,
    underlying_title text,
    underlying_shares numeric,
    equity_swap boolean,
    rule_10b5_1 boolean,
    timeliness  text,
    transaction_date date,
    filing_date date NOT NULL,
    footnotes   jsonb CONSTRAINT insider_transaction_footnotes CHECK (footnotes_fault(footnotes) IS NULL),
    remarks     text,
    CHECK (filing_date <= (known_at AT TIME ZONE 'UTC')::date + 14)
);
CALL finish_dataset_table('insider_transaction');
COMMENT ON COLUMN insider_transaction.footnotes IS 'in the order of the form: [{"id", "field", "text"}]; NULL: none';
COMMENT ON COLUMN insider_transaction.remarks IS 'of the form; NULL: none';
CREATE INDEX insider_issuer_date ON insider_transaction (issuer_id, filing_date, id);
CREATE INDEX insider_date ON insider_transaction (filing_date, id);
CREATE INDEX insider_code_date ON insider_transaction (transaction_code, filing_date, id);
CREATE INDEX insider_value ON insider_transaction (value);
CREATE INDEX insider_amendment ON insider_transaction (issuer_id) WHERE form LIKE '%/A';
CREATE INDEX insider_accession ON insider_transaction (accession);

-- Holdings of Forms 3, 4 and 5 that no transaction changed.
CREATE TABLE insider_holding (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    form        text NOT NULL,
    period_of_report date,
    original_filing_date date,
    owner_cik   bigint,
    insider_name text NOT NULL,
    relationship text NOT NULL,
    joint_owners text[],
    is_derivative boolean NOT NULL,
    security_title text,
    shares_owned numeric,
    value_owned numeric,
    ownership   text CHECK (ownership IN ('direct', 'indirect')),
    ownership_nature text,
    conversion_price numeric,
    exercise_date date,
    expiration_date date,
    underlying_title text,
    underlying_shares numeric,
    filing_date date NOT NULL,
    footnotes   jsonb CONSTRAINT insider_holding_footnotes CHECK (footnotes_fault(footnotes) IS NULL),
    remarks     text
);
CALL finish_dataset_table('insider_holding');
COMMENT ON COLUMN insider_holding.footnotes IS 'as of insider_transaction';
COMMENT ON COLUMN insider_holding.remarks IS 'as of insider_transaction';
CREATE INDEX insider_holding_issuer_date ON insider_holding (issuer_id, filing_date);
CREATE INDEX insider_holding_amendment ON insider_holding (issuer_id) WHERE form LIKE '%/A';
CREATE INDEX insider_holding_accession ON insider_holding (accession);

-- ------------------------------------------------ when reports were public

-- The accession number under which a report of the same content is known.
CREATE FUNCTION accession_of_report(issuer_cik bigint, hash text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT min(d.accession) FROM disclosed.named_document d WHERE d.document = left(hash, 39)
$$;

-- When a Form 3, 4 or 5 was public and filed: as its filing says, else its submission's header,
-- else what was loaded of it before, else the day on which it was signed. A form without transactions and
-- holdings is known by what it says of its owners alone.
CREATE FUNCTION dates_of_report(report_accession text, header_accepted timestamptz, header_filed date,
                                signed date, OUT known_at timestamptz, OUT filing_date date)
LANGUAGE sql STABLE AS $$
    SELECT coalesce(filed.known_at, header_accepted,
                    CASE WHEN header_filed IS NULL OR loaded.filing_date = header_filed
                         THEN loaded.known_at END,
                    disclosed.end_of_day(coalesce(header_filed, signed))),
           coalesce(filed.filing_date, header_filed, loaded.filing_date, signed)
    FROM (SELECT min(f.known_at) AS known_at, min(f.filed_on) AS filing_date
          FROM disclosed.filing f
          WHERE f.accession = report_accession AND f.superseded_at IS NULL) filed,
         (SELECT min(t.known_at) AS known_at, min(t.filing_date) AS filing_date
          FROM (SELECT r.known_at, r.filing_date FROM disclosed.insider_transaction r
                WHERE r.accession = report_accession
                UNION ALL
                SELECT r.known_at, r.filing_date FROM disclosed.insider_holding r
                WHERE r.accession = report_accession
                UNION ALL
                SELECT s.known_at, s.reported_on FROM disclosed.executive_stated s
                WHERE s.origin = report_accession) t) loaded
$$;

-- Corrects when reports were public and filed, in all that was loaded of them. A row holds until the next of its record;
-- settle_insiders() finds anew which amendments end it, as they name the day of filing.
CREATE FUNCTION date_reports(accessions text[], public_at timestamptz[], filed_on date[])
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    target record;
    changed bigint[];
    keys text[];
BEGIN
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

-- Counts the reports of issuers anew, for a load of something else that has changed them.
CREATE FUNCTION recount_reports(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    counted record;
BEGIN
    FOR counted IN SELECT * FROM (VALUES ('executive', 'executive', 'reported_on'),
        ('insider', 'insider_transaction', 'filing_date'),
        ('insider_holding', 'insider_holding', 'filing_date')) AS c(dataset, dataset_table, day)
    LOOP
        EXECUTE format($sql$
            WITH fresh AS (
                SELECT o.issuer_id, o.record_count AS old_count, c.record_count, c.latest
                FROM disclosed.dataset_issuer_stat o
                CROSS JOIN LATERAL (
                    SELECT count(*) AS record_count, max(t.%2$I) AS latest FROM disclosed.%1$I t
                    WHERE t.issuer_id = o.issuer_id AND t.superseded_at IS NULL) c
                WHERE o.dataset = %3$L AND o.issuer_id = ANY($1)),
            kept AS (
                UPDATE disclosed.dataset_issuer_stat o
                SET record_count = f.record_count, latest = f.latest
                FROM fresh f WHERE o.dataset = %3$L AND o.issuer_id = f.issuer_id)
            UPDATE disclosed.dataset_stat d
            SET record_count = d.record_count + (SELECT sum(record_count - old_count) FROM fresh),
                latest = greatest((SELECT max(latest) FROM fresh),
                                  (SELECT max(o.latest) FROM disclosed.dataset_issuer_stat o
                                   WHERE o.dataset = %3$L AND o.issuer_id <> ALL($1))),
                version = d.version + 1, changed_at = now()
            WHERE d.dataset = %3$L AND EXISTS (SELECT 1 FROM fresh)
        $sql$, counted.dataset_table, counted.day, counted.dataset) USING issuers;
    END LOOP;
END $$;

-- ------------------------------------------------ what follows from a load

-- An amendment (Form 3/A, 4/A, 5/A) replaces what its owner reported for that issuer and period in
-- the form that it amends, from the moment the amendment was public (Rule 16a-3; the form's own
-- "date of original submission" names the filing). Versions that ended as they began are none.
CREATE FUNCTION settle_insiders(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    dataset_table text;
BEGIN
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

-- Filings have come: the reports among them take their dates.
CREATE FUNCTION date_reports_of(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    SELECT array_agg(DISTINCT d.changed_issuer) INTO changed
    FROM (SELECT array_agg(f.accession) AS accessions, array_agg(f.known_at) AS known,
                 array_agg(f.filed_on) AS filed
          FROM (SELECT accession, min(known_at) AS known_at, min(filed_on) AS filed_on
                FROM disclosed.filing
                WHERE accession IN (SELECT accession FROM disclosed.filing
                                    WHERE issuer_id = ANY(issuers)
                                      AND form IN ('3', '3/A', '4', '4/A', '5', '5/A'))
                  AND superseded_at IS NULL
                GROUP BY accession) f) reports
    CROSS JOIN LATERAL disclosed.date_reports(reports.accessions, reports.known, reports.filed) d;
    IF changed IS NOT NULL THEN
        PERFORM disclosed.settle_insiders(changed);
        PERFORM disclosed.recount_reports(changed);
    END IF;
END $$;

-- Which filer's row stands for each filing, and the dates of the reports among them.
CREATE FUNCTION settle_filings(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    SELECT count(*) FROM disclosed.rank_filers(ARRAY(
        SELECT DISTINCT accession FROM disclosed.filing WHERE issuer_id = ANY(issuers)));
    SELECT disclosed.date_reports_of(issuers);
$$;

-- What follows from loading one Form 3, 4 or 5: rows loaded of it before take its dates, and rows
-- of the same document under its digest (`unfiled_keys`) close where it has an accession number; what the
-- document said of its owners without one is said by the report. An issuer that nothing else names has the
-- name of its latest report.
CREATE FUNCTION settle_report(issuer_cik bigint, report_accession text, report_known timestamptz,
                              report_filed date, hash text, unfiled_keys text[],
                              issuer_name text)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    issuers bigint[];
    keys text[];
BEGIN
    -- The filing may be loading at the same moment: who comes second sees the first.
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    UPDATE disclosed.issuer i SET name = issuer_name, named_at = report_known
    WHERE i.cik = issuer_cik AND (i.named_at IS NULL OR i.named_at < report_known)
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer_profile p WHERE p.issuer_id = i.issuer_id)
      AND NOT EXISTS (SELECT 1 FROM disclosed.listing l WHERE l.issuer_id = i.issuer_id);
    IF report_accession IS NOT NULL THEN
        RETURN QUERY
            SELECT d.dataset, d.changed_issuer
            FROM (SELECT coalesce(min(f.known_at), report_known) AS known,
                         coalesce(min(f.filed_on), report_filed) AS filed
                  FROM disclosed.filing f
                  WHERE f.accession = report_accession AND f.superseded_at IS NULL) best
            CROSS JOIN LATERAL disclosed.date_reports(ARRAY[report_accession], ARRAY[best.known],
                                                      ARRAY[best.filed]) d;
    END IF;
    IF disclosed.accession_of_report(issuer_cik, hash) IS NULL THEN
        RETURN;
    END IF;
    WITH named AS (
        DELETE FROM disclosed.executive_stated s USING disclosed.issuer i
        WHERE i.cik = issuer_cik AND s.issuer_id = i.issuer_id AND s.origin = left(hash, 39)
        RETURNING s.issuer_id, s.record_key)
    SELECT array_agg(named.issuer_id), array_agg(named.record_key) INTO issuers, keys FROM named;
    RETURN QUERY SELECT DISTINCT 'executive', d FROM disclosed.derive_executives(issuers, keys) AS d;
    RETURN QUERY
        UPDATE disclosed.insider_transaction t SET superseded_at = t.known_at
        FROM disclosed.issuer i
        WHERE i.cik = issuer_cik AND t.issuer_id = i.issuer_id AND t.record_key = ANY(unfiled_keys)
          AND t.superseded_at IS DISTINCT FROM t.known_at
        RETURNING 'insider', t.issuer_id;
    RETURN QUERY
        UPDATE disclosed.insider_holding t SET superseded_at = t.known_at
        FROM disclosed.issuer i
        WHERE i.cik = issuer_cik AND t.issuer_id = i.issuer_id AND t.record_key = ANY(unfiled_keys)
          AND t.superseded_at IS DISTINCT FROM t.known_at
        RETURNING 'insider_holding', t.issuer_id;
END $$;
