-- When a document became public is the document's own: what its best source says, and among equal ones the one that was loaded last. Before a copy
-- is merged that says it otherwise, what is stored of the document moves to that instant, so that the copies meet.

SET LOCAL search_path = disclosed, public;

-- --------------------------------------------------------------------------- filings

-- Filings that full submissions and EDGAR's submissions files have stored are public since these instants, whichever filer's they are. Rows of filers that
-- are staged keep what else they said, for the staged ones to take their place; a filing date that no version may have ends at the last one it may. Returns whose
-- filings have moved.
CREATE FUNCTION date_stored_filings() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    moved bigint[];
    accessions text[];
    opening boolean;
BEGIN
    WITH said AS MATERIALIZED (
        SELECT DISTINCT ON (s.accession COLLATE "C") s.accession, s.known_at, s.filed_on, s.accepted_at
        FROM pg_temp.stage_filing s
        WHERE s.filed_on <= (s.known_at AT TIME ZONE 'UTC')::date + 14 -- others are rejected
        ORDER BY s.accession COLLATE "C", s.row_order DESC),
    apart AS MATERIALIZED (
        SELECT t.issuer_id, t.row_id, i.cik, g.accession, g.known_at, g.filed_on, g.accepted_at
        FROM said g CROSS JOIN LATERAL (
            SELECT x.issuer_id, x.row_id, x.source_id FROM disclosed.filing x
            WHERE x.accession = g.accession AND (x.known_at, x.filed_on, x.accepted_at) IS DISTINCT FROM (g.known_at, g.filed_on, g.accepted_at)
            OFFSET 0) t
        JOIN disclosed.issuer i ON i.issuer_id = t.issuer_id
        JOIN disclosed.source o ON o.source_id = t.source_id JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id
        WHERE r.source IN ('sec-filing', 'sec-submissions')),
    written AS (
        UPDATE disclosed.filing t
        SET known_at = a.known_at,
            filed_on = CASE WHEN s.cik IS NULL THEN a.filed_on ELSE least(t.filed_on, (a.known_at AT TIME ZONE 'UTC')::date + 14) END,
            accepted_at = CASE WHEN s.cik IS NULL THEN a.accepted_at ELSE t.accepted_at END
        FROM apart a LEFT JOIN (SELECT DISTINCT x.cik, x.accession FROM pg_temp.stage_filing x) s ON s.cik = a.cik AND s.accession = a.accession
        WHERE t.issuer_id = a.issuer_id AND t.row_id = a.row_id AND (t.known_at <> a.known_at OR s.cik IS NULL)
        RETURNING t.issuer_id, t.accession)
    SELECT array_agg(w.issuer_id), array_agg(w.accession) INTO moved, accessions FROM (SELECT DISTINCT * FROM written) w;
    IF moved IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT DISTINCT unnest(moved);
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP -- of a record one version is current at any time
        WITH lasting AS (
            SELECT t.issuer_id, t.row_id, lead(t.known_at) OVER (PARTITION BY t.issuer_id, t.accession COLLATE "C" ORDER BY t.known_at, t.row_id) AS ends_at
            FROM unnest(moved, accessions) AS m(issuer_id, accession) JOIN disclosed.filing t ON t.issuer_id = m.issuer_id AND t.accession = m.accession)
        UPDATE disclosed.filing t SET superseded_at = l.ends_at
        FROM lasting l
        WHERE t.issuer_id = l.issuer_id AND t.row_id = l.row_id AND t.superseded_at IS DISTINCT FROM l.ends_at AND (l.ends_at IS NULL) = opening;
    END LOOP;
END $$;

-- Texts that full submissions have stored are public since their filings are. Returns whose have moved.
CREATE FUNCTION date_texts(dataset_table text, accessions text[], public_at timestamptz[], accepted timestamptz[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    companies bigint[];
    numbers bigint[];
    is_out boolean[];
BEGIN
    EXECUTE format($q$
        WITH moved AS (
            UPDATE disclosed.%I t SET known_at = m.known_at, published_at = m.accepted_at
            FROM (SELECT x.issuer_id, x.row_id, f.known_at, f.accepted_at
                  FROM unnest($1, $2, $3) AS f(accession, known_at, accepted_at)
                  CROSS JOIN LATERAL (
                      SELECT y.issuer_id, y.row_id, y.source_id FROM disclosed.%1$I y
                      WHERE y.accession = f.accession AND (y.known_at, y.published_at) IS DISTINCT FROM (f.known_at, f.accepted_at)
                      OFFSET 0) x
                  JOIN disclosed.source o ON o.source_id = x.source_id JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id
                  WHERE r.source = 'sec-filing') m
            WHERE t.issuer_id = m.issuer_id AND t.row_id = m.row_id
            RETURNING t.issuer_id, t.row_id, t.left_out IS TRUE AS is_out)
        SELECT array_agg(m.issuer_id), array_agg(m.row_id), array_agg(m.is_out) FROM moved m $q$, dataset_table)
    INTO companies, numbers, is_out USING accessions, public_at, accepted;
    IF companies IS NOT NULL THEN
        PERFORM disclosed.leave_out(dataset_table, numbers, companies, numbers, is_out); -- the versions before end with these
        RETURN QUERY SELECT DISTINCT unnest(companies);
    END IF;
END $$;

-- What headers of full submissions say, which submissions files don't overrule: else the order of loading would decide between the two.
CREATE TABLE header_date (
    accession   text COLLATE "C" PRIMARY KEY,
    known_at    timestamptz NOT NULL,
    filed_on    date NOT NULL,
    accepted_at timestamptz NOT NULL
);
COMMENT ON TABLE header_date IS 'when filings were filed and accepted as the headers of their full submissions say; of several copies the one loaded last';
GRANT SELECT ON header_date TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON header_date TO disclosed_loader;

-- Keeps what the staged headers say, or has staged rows of submissions files say it.
CREATE FUNCTION follow_headers(are_headers boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF are_headers THEN
        INSERT INTO disclosed.header_date AS h (accession, known_at, filed_on, accepted_at)
        SELECT DISTINCT ON (s.accession COLLATE "C") s.accession, s.known_at, s.filed_on, s.accepted_at
        FROM pg_temp.stage_filing s
        WHERE s.accepted_at IS NOT NULL AND s.filed_on <= (s.known_at AT TIME ZONE 'UTC')::date + 14 -- others are rejected
        ORDER BY s.accession COLLATE "C", s.row_order DESC
        ON CONFLICT (accession) DO UPDATE
        SET known_at = excluded.known_at, filed_on = excluded.filed_on, accepted_at = excluded.accepted_at
        WHERE (h.known_at, h.filed_on, h.accepted_at) <> (excluded.known_at, excluded.filed_on, excluded.accepted_at);
    ELSE
        UPDATE pg_temp.stage_filing s SET known_at = h.known_at, filed_on = h.filed_on, accepted_at = h.accepted_at
        FROM disclosed.header_date h
        WHERE h.accession = s.accession AND (s.known_at, s.filed_on, s.accepted_at) IS DISTINCT FROM (h.known_at, h.filed_on, h.accepted_at);
    END IF;
END $$;

-- Before filings of full submissions (`are_headers`) or of submissions files are merged, with their texts. A header without a time of acceptance knows less
-- than what is stored with one; of staged filers of one filing the last has the dates of all.
CREATE FUNCTION date_staged_filings(are_headers boolean) RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    kind record;
    said record;
BEGIN
    IF to_regclass('pg_temp.stage_filing') IS NULL THEN
        RETURN; -- each was rejected
    END IF;
    PERFORM disclosed.follow_headers(are_headers);
    IF EXISTS (SELECT 1 FROM pg_temp.stage_filing s WHERE s.accepted_at IS NULL) THEN
        UPDATE pg_temp.stage_filing s SET known_at = b.known_at, filed_on = b.filed_on, accepted_at = b.accepted_at
        FROM (SELECT DISTINCT x.accession FROM pg_temp.stage_filing x WHERE x.accepted_at IS NULL) d
        CROSS JOIN LATERAL (
            SELECT f.known_at, f.filed_on, f.accepted_at FROM disclosed.filing f
            JOIN disclosed.source o ON o.source_id = f.source_id JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id
            WHERE f.accession = d.accession AND f.accepted_at IS NOT NULL AND f.superseded_at IS NULL AND r.source IN ('sec-filing', 'sec-submissions')
            ORDER BY f.known_at LIMIT 1) b
        WHERE s.accession = d.accession AND s.accepted_at IS NULL;
    END IF;
    UPDATE pg_temp.stage_filing s SET known_at = g.known_at, filed_on = g.filed_on, accepted_at = g.accepted_at
    FROM (SELECT DISTINCT ON (x.accession) x.accession, x.known_at, x.filed_on, x.accepted_at
          FROM pg_temp.stage_filing x
          WHERE x.filed_on <= (x.known_at AT TIME ZONE 'UTC')::date + 14
            AND x.accession IN (SELECT y.accession FROM pg_temp.stage_filing y GROUP BY y.accession
                                HAVING count(*) > 1 AND (min(y.known_at), min(y.filed_on)) <> (max(y.known_at), max(y.filed_on))
                                    OR min(y.accepted_at) <> max(y.accepted_at))
          ORDER BY x.accession, x.accepted_at IS NULL, x.row_order DESC) g
    WHERE s.accession = g.accession AND s.filed_on <= (s.known_at AT TIME ZONE 'UTC')::date + 14
      AND (s.known_at, s.filed_on, s.accepted_at) IS DISTINCT FROM (g.known_at, g.filed_on, g.accepted_at);
    RETURN QUERY SELECT 'filing', d FROM disclosed.date_stored_filings() AS d;
    FOR kind IN SELECT * FROM (VALUES ('filing_text', 'filing_text'), ('exhibit', 'filing_exhibit')) AS k(dataset, dataset_table)
                WHERE to_regclass('pg_temp.stage_' || k.dataset) IS NOT NULL
    LOOP
        EXECUTE format($q$
            UPDATE pg_temp.stage_%I x SET known_at = s.known_at, published_at = s.accepted_at
            FROM pg_temp.stage_filing s
            WHERE s.accession = x.accession AND (x.known_at, x.published_at) IS DISTINCT FROM (s.known_at, s.accepted_at)$q$, kind.dataset);
        EXECUTE format($q$
            SELECT array_agg(d.accession) AS accessions, array_agg(d.known_at) AS known, array_agg(d.published_at) AS published
            FROM (SELECT DISTINCT x.accession, x.known_at, x.published_at FROM pg_temp.stage_%I x) d$q$, kind.dataset) INTO said;
        RETURN QUERY SELECT kind.dataset, d FROM disclosed.date_texts(kind.dataset_table, said.accessions, said.known, said.published) AS d;
    END LOOP;
END $$;

-- Filings have been written: texts that are stored of them have their dates. Returns whose have moved.
CREATE FUNCTION redate_texts(dataset_table text, issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    said record;
BEGIN
    EXECUTE format($q$
        SELECT array_agg(f.accession) AS accessions, array_agg(f.known_at) AS known, array_agg(f.accepted_at) AS accepted
        FROM (SELECT o.accession, min(o.known_at) AS known_at, min(o.accepted_at) AS accepted_at
              FROM (SELECT DISTINCT x.accession FROM disclosed.%I x JOIN disclosed.filing w ON w.accession = x.accession
                    WHERE x.issuer_id = ANY ($1) AND w.issuer_id = ANY ($1) AND disclosed.is_written(w.xmin)
                      AND (x.known_at, x.published_at) IS DISTINCT FROM (w.known_at, w.accepted_at)) d
              JOIN disclosed.filing o ON o.accession = d.accession AND o.superseded_at IS NULL
              GROUP BY o.accession) f $q$, dataset_table) INTO said USING issuers;
    IF said.accessions IS NOT NULL THEN
        RETURN QUERY SELECT * FROM disclosed.date_texts(dataset_table, said.accessions, said.known, said.accepted);
    END IF;
END $$;

CREATE FUNCTION date_filing_texts(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[] := ARRAY(SELECT * FROM disclosed.redate_texts('filing_text', issuers));
BEGIN
    IF changed <> '{}' THEN
        PERFORM disclosed.cut_texts('filing', changed);
        RETURN QUERY SELECT unnest(changed);
    END IF;
END $$;

-- The form of an exhibit is that of its filing, and so are its dates.
CREATE OR REPLACE FUNCTION cut_exhibits_of_filings(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    moved bigint[] := ARRAY(SELECT * FROM disclosed.redate_texts('filing_exhibit', issuers));
    written bigint[] := ARRAY(SELECT DISTINCT x.issuer_id
                              FROM disclosed.filing f JOIN disclosed.filing_exhibit x ON x.accession = f.accession
                              WHERE f.issuer_id = ANY (issuers) AND disclosed.is_written(f.xmin) AND x.issuer_id = ANY (issuers));
BEGIN
    IF written <> '{}' AND disclosed.cut_texts('exhibit', written) > 0 THEN
        RETURN QUERY SELECT unnest(written);
    ELSIF moved <> '{}' THEN
        RETURN QUERY SELECT unnest(moved);
    END IF;
END $$;

-- ------------------------------------------------------- forms and schedules

ALTER TABLE named_document ADD COLUMN by_signature boolean;
COMMENT ON COLUMN named_document.by_signature IS 'whether its signatures alone said when it was filed; NULL: something better did';

-- Whether signatures alone have said when what is loaded of a filing was filed.
CREATE FUNCTION is_dated_by_signature(of_accession text) RETURNS boolean LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    RETURN (SELECT coalesce(bool_and(n.by_signature IS TRUE), false) FROM disclosed.named_document n WHERE n.accession = of_accession);
END $$;

-- Notes documents under their accession numbers. What one copy knows better than its signatures the others keep. Returns nothing.
CREATE FUNCTION name_documents(hashes text[], accessions text[], are_signed boolean[])
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO disclosed.named_document AS n (document, accession, by_signature)
    SELECT left(d.hash, 39), d.accession, nullif(bool_and(d.is_signed IS TRUE), false) FROM unnest(hashes, accessions, are_signed) AS d(hash, accession, is_signed)
    WHERE d.hash IS NOT NULL AND d.accession IS NOT NULL
    GROUP BY 1, 2
    ON CONFLICT (document, accession) DO UPDATE SET by_signature = NULL WHERE n.by_signature AND EXCLUDED.by_signature IS NULL;
END $$;

-- What is stored of a Form 3, 4 or 5 before it is loaded: when it was public and filed, whether a data set has said it, and whether that rests on signatures
-- alone: then those of the copy that is loaded last count.
DROP FUNCTION stored_report(text, timestamptz, date, date); -- asked for by loads alone
CREATE FUNCTION stored_report(report_accession text, header_accepted timestamptz, header_filed date, signed date,
                              OUT known_at timestamptz, OUT filing_date date, OUT is_of_set boolean, OUT by_signature boolean)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    is_loaded boolean := report_accession IS NOT NULL
        AND (EXISTS (SELECT 1 FROM disclosed.insider_transaction t WHERE t.accession = report_accession)
             OR EXISTS (SELECT 1 FROM disclosed.insider_holding t WHERE t.accession = report_accession)
             OR EXISTS (SELECT 1 FROM disclosed.executive_stated s WHERE s.origin = report_accession));
BEGIN
    is_of_set := is_loaded AND NOT EXISTS (SELECT 1 FROM disclosed.named_document n WHERE n.accession = report_accession);
    by_signature := header_accepted IS NULL AND header_filed IS NULL AND (NOT is_loaded OR disclosed.is_dated_by_signature(report_accession))
        AND NOT EXISTS (SELECT 1 FROM disclosed.filing f WHERE f.accession = report_accession AND f.superseded_at IS NULL);
    IF by_signature THEN
        filing_date := signed;
        known_at := disclosed.end_of_day(signed);
    ELSE
        SELECT d.known_at, d.filing_date INTO known_at, filing_date
        FROM disclosed.dates_of_report(report_accession, header_accepted, header_filed, signed) d;
    END IF;
END $$;

-- Before forms are merged: what was stored of them is public and filed when they are.
CREATE FUNCTION date_staged_forms() RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    stages text := (SELECT string_agg(format('SELECT accession, known_at, %I AS day FROM pg_temp.stage_%I WHERE accession IS NOT NULL', k.day, k.dataset), ' UNION ')
                    FROM (VALUES ('insider', 'filing_date'), ('insider_holding', 'filing_date'), ('executive', 'reported_on')) AS k(dataset, day)
                    WHERE to_regclass('pg_temp.stage_' || k.dataset) IS NOT NULL);
    said record;
BEGIN
    IF stages IS NULL THEN
        RETURN; -- each was rejected
    END IF;
    EXECUTE format($q$SELECT array_agg(s.accession) AS accessions, array_agg(s.known_at) AS known, array_agg(s.day) AS days FROM (%s) s
        WHERE s.day <= (s.known_at AT TIME ZONE 'UTC')::date + 14$q$, stages) INTO said; -- others are rejected
    RETURN QUERY SELECT d.dataset, d.changed_issuer FROM disclosed.date_reports(said.accessions, said.known, said.days) d;
END $$;

-- The same as before, and which of the documents their signatures alone have dated.
DROP FUNCTION reconcile_reports(bigint[], text[], timestamptz[], date[], text[], text[], text[], text[], boolean[]); -- asked for by loads alone
CREATE FUNCTION reconcile_reports(ciks bigint[], accessions text[], reports_known timestamptz[], reports_filed date[], hashes text[],
                                  unfiled_keys text[], names text[], person_keys text[], wholes boolean[], are_signed boolean[])
RETURNS TABLE (dataset text, changed_issuer bigint, place bigint) LANGUAGE plpgsql AS $$
DECLARE
    report record;
BEGIN
    PERFORM disclosed.name_documents(hashes, accessions, are_signed);
    PERFORM disclosed.name_reported_issuers(ciks, reports_known, names);
    RETURN QUERY SELECT p.dataset, p.changed_issuer, p.place FROM disclosed.end_left_out_people(ciks, accessions, person_keys, wholes) p;
    FOR report IN
        SELECT r.* FROM unnest(ciks, accessions, reports_known, reports_filed, hashes, unfiled_keys) WITH ORDINALITY
            AS r(cik, accession, known_at, filed_on, hash, keys, place)
        JOIN disclosed.unreconciled_reports(ciks, accessions, reports_known, reports_filed, hashes, unfiled_keys) AS u(place) USING (place)
        ORDER BY r.place
    LOOP
        RETURN QUERY SELECT s.dataset, s.changed_issuer, report.place
            FROM disclosed.reconcile_report(report.cik, report.accession, report.known_at, report.filed_on, report.hash,
                                         report.keys::text[]) s;
    END LOOP;
END $$;

-- When a schedule was public and filed: as its filing says, else its submission's header, else what was loaded of it before, else the day on which it was
-- signed, which is also what counts if nothing better has dated what was loaded.
DROP FUNCTION dates_of_schedule(text, timestamptz, date, date); -- asked for by loads alone
CREATE FUNCTION dates_of_schedule(schedule_accession text, header_accepted timestamptz, header_filed date,
                                  signed date, OUT known_at timestamptz, OUT filing_date date, OUT by_signature boolean)
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN b.by_signature THEN disclosed.end_of_day(signed)
                ELSE coalesce(filed.known_at, header_accepted,
                              CASE WHEN header_filed IS NULL OR loaded.filing_date = header_filed THEN loaded.known_at END,
                              disclosed.end_of_day(coalesce(header_filed, signed))) END,
           CASE WHEN b.by_signature THEN signed ELSE coalesce(filed.filing_date, header_filed, loaded.filing_date, signed) END,
           b.by_signature
    FROM (SELECT min(f.known_at) AS known_at, min(f.filed_on) AS filing_date
          FROM disclosed.filing f
          WHERE f.accession = schedule_accession AND f.superseded_at IS NULL) filed,
         (SELECT min(t.known_at) AS known_at, min(t.filing_date) AS filing_date
          FROM disclosed.beneficial_owner t WHERE t.accession = schedule_accession) loaded,
         LATERAL (SELECT filed.known_at IS NULL AND header_accepted IS NULL AND header_filed IS NULL
                         AND (loaded.known_at IS NULL OR disclosed.is_dated_by_signature(schedule_accession)) AS by_signature) b
$$;

-- Before schedules are merged: what was stored of them is public and filed when they are.
CREATE FUNCTION date_staged_schedules() RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.stage_beneficial_owner') IS NULL THEN
        RETURN; -- each was rejected
    END IF;
    RETURN QUERY
        SELECT 'beneficial_owner', d
        FROM (SELECT array_agg(s.accession) AS accessions, array_agg(s.known_at) AS known, array_agg(s.filing_date) AS days
              FROM (SELECT DISTINCT x.accession, x.known_at, x.filing_date FROM pg_temp.stage_beneficial_owner x
                    WHERE x.accession IS NOT NULL AND x.filing_date <= (x.known_at AT TIME ZONE 'UTC')::date + 14) s) said -- others are rejected
        CROSS JOIN LATERAL disclosed.date_schedules(said.accessions, said.known, said.days) AS d;
END $$;

-- ------------------------------------------------------------------------ Form 13F

-- Reports that a source dates as well as they were, or better, are known from then, with their rows: all versions that
-- began together begin together. Returns the managers.
CREATE OR REPLACE FUNCTION redate_institution_reports(accessions text[], public_at timestamptz[], filed_on date[],
                                           dated text[])
RETURNS bigint[] LANGUAGE sql AS $$
    WITH better AS MATERIALIZED (
        SELECT r.issuer_id, r.period_of_report, r.accession, r.known_at AS was,
               t.known_at, t.filed_on, t.dated_by
        FROM unnest(accessions, public_at, filed_on, dated) AS t(accession, known_at, filed_on, dated_by)
        JOIN disclosed.institution_report r ON r.accession = t.accession AND r.superseded_at IS NULL
        WHERE disclosed.rank_of_date(t.dated_by) < disclosed.rank_of_date(r.dated_by)
           OR ((t.dated_by = 'filing' OR t.dated_by = r.dated_by)
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
