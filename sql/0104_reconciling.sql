-- What brings derived rows, and rows of several sources, in line with each other after a load is said to reconcile them. Credits that are
-- reserved are settled (settle_credits()), as payments are; a settlement date is one of FINRA's.

SET LOCAL search_path = disclosed, public;

ALTER FUNCTION settle_analysts(bigint[]) RENAME TO reconcile_analysts; -- asked for by loads alone
ALTER FUNCTION settle_beneficial_owners(bigint[]) RENAME TO reconcile_beneficial_owners; -- asked for by loads alone
ALTER FUNCTION settle_companies(bigint[]) RENAME TO reconcile_companies; -- asked for by loads alone
ALTER FUNCTION settle_congress(bigint[]) RENAME TO reconcile_congress; -- asked for by loads alone
ALTER FUNCTION settle_corporate_actions(bigint[]) RENAME TO reconcile_corporate_actions; -- asked for by loads alone
ALTER FUNCTION settle_event_notices(bigint[]) RENAME TO reconcile_event_notices; -- asked for by loads alone
ALTER FUNCTION settle_events(bigint[]) RENAME TO reconcile_events; -- asked for by loads alone
ALTER FUNCTION settle_filings(bigint[]) RENAME TO reconcile_filings; -- asked for by loads alone
ALTER FUNCTION settle_fund_reports(bigint[], bigint[]) RENAME TO reconcile_fund_reports; -- asked for by loads alone
ALTER FUNCTION settle_funds(bigint[]) RENAME TO reconcile_funds; -- asked for by loads alone
ALTER FUNCTION settle_insiders(bigint[]) RENAME TO reconcile_insiders; -- asked for by loads alone
ALTER FUNCTION settle_institutions(bigint[]) RENAME TO reconcile_institutions; -- asked for by loads alone
ALTER FUNCTION settle_linkbases(bigint[]) RENAME TO reconcile_linkbases; -- asked for by loads alone
ALTER FUNCTION settle_listings(bigint, text) RENAME TO reconcile_listings; -- asked for by loads alone
ALTER FUNCTION settle_report(bigint, text, timestamptz, date, text, text[]) RENAME TO reconcile_report; -- asked for by loads alone
ALTER FUNCTION settle_schedule(bigint, text, timestamptz, date, text, text[], text) RENAME TO reconcile_schedule; -- asked for by loads alone
ALTER FUNCTION settle_securities(bigint[]) RENAME TO reconcile_securities; -- asked for by loads alone
ALTER FUNCTION settle_short_interest(bigint[]) RENAME TO reconcile_short_interest; -- asked for by loads alone
ALTER FUNCTION settle_snapshot(text, timestamptz, bigint[], text[], text, bigint) RENAME TO reconcile_snapshot; -- asked for by loads alone
ALTER FUNCTION settle_reports(bigint[], text[], timestamptz[], date[], text[], text[], text[], text[], boolean[]) RENAME TO reconcile_reports; -- asked for by loads alone
DROP FUNCTION settle_reports(bigint[], text[], timestamptz[], date[], text[], text[], text[]); -- asked for by nothing since 0101_other_companies
ALTER FUNCTION unsettled_fund_reports(bigint[]) RENAME TO unreconciled_fund_reports; -- asked for by loads alone
ALTER FUNCTION unsettled_reports(bigint[], text[], timestamptz[], date[], text[], text[]) RENAME TO unreconciled_reports; -- asked for by loads alone

-- Filings have come: the schedules among them take their dates.
CREATE OR REPLACE FUNCTION redate_schedules(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[] := ARRAY(
        SELECT DISTINCT d
        FROM (SELECT array_agg(f.accession) AS accessions, array_agg(f.known_at) AS known, array_agg(f.filed_on) AS filed
              FROM (SELECT accession, min(known_at) AS known_at, min(filed_on) AS filed_on FROM disclosed.filing
                    WHERE accession IN (SELECT accession FROM disclosed.filing
                                        WHERE issuer_id = ANY(issuers) AND form LIKE 'SCHEDULE 13_%' AND disclosed.is_written(xmin))
                      AND superseded_at IS NULL
                    GROUP BY accession) f) filings
        CROSS JOIN LATERAL disclosed.date_schedules(filings.accessions, filings.known, filings.filed) AS d);
BEGIN
    IF changed <> '{}' THEN
        PERFORM disclosed.reconcile_beneficial_owners(changed);
        RETURN QUERY SELECT unnest(changed);
    END IF;
END $$;

-- Filings have come: the reports among them take their dates.
CREATE OR REPLACE FUNCTION redate_funds(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    registrants bigint[] := ARRAY(SELECT DISTINCT f.issuer_id FROM disclosed.fund f
                                  JOIN disclosed.filing x ON x.accession = f.accession AND disclosed.is_written(x.xmin)
                                  WHERE f.issuer_id = ANY(issuers));
    reports bigint[];
BEGIN
    IF registrants <> '{}' THEN
        reports := ARRAY(SELECT DISTINCT u FROM disclosed.unreconciled_fund_reports(registrants) AS u);
        PERFORM disclosed.reconcile_fund_reports(reports, '{}');
        RETURN QUERY SELECT DISTINCT f.issuer_id FROM disclosed.fund f WHERE f.id = ANY(reports);
    END IF;
END $$;

-- reconcile_events() for those of the issuers of which something was written that says when an event is, or of what period. A notice may have
-- been another issuer's before, which shows in no row: then all are reconciled.
CREATE OR REPLACE FUNCTION follow_events(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    affected bigint[] := issuers;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.event_notice n WHERE n.issuer_id = ANY (issuers) AND disclosed.is_written(n.xmin)) THEN
        affected := ARRAY(
            SELECT f.issuer_id FROM disclosed.filing f
            WHERE f.issuer_id = ANY (issuers) AND disclosed.is_written(f.xmin)
              AND f.form IN ('8-K', '8-K/A', '10-Q', '10-Q/A', '10-QT', '10-K', '10-K/A', '10-KT', '20-F', '20-F/A', '40-F', '40-F/A')
              AND (f.form NOT IN ('8-K', '8-K/A') OR f.items && ARRAY['2.02', '12'] OR f.event_id IS NOT NULL
                   OR EXISTS (SELECT 1 FROM disclosed.filing_exhibit x WHERE x.accession = f.accession)
                   OR EXISTS (SELECT 1 FROM disclosed.filing_text x WHERE x.accession = f.accession))
            UNION
            SELECT f.issuer_id FROM disclosed.filing_exhibit x JOIN disclosed.filing f ON f.accession = x.accession
            WHERE x.issuer_id = ANY (issuers) AND disclosed.is_written(x.xmin) AND f.form IN ('8-K', '8-K/A')
            UNION
            SELECT f.issuer_id FROM disclosed.filing_text x JOIN disclosed.filing f ON f.accession = x.accession
            WHERE x.issuer_id = ANY (issuers) AND disclosed.is_written(x.xmin) AND f.form IN ('8-K', '8-K/A')
            UNION
            SELECT t.issuer_id FROM disclosed.transcript t
            WHERE t.issuer_id = ANY (issuers) AND disclosed.is_written(t.xmin) AND (t.event_type <> 'other' OR t.event_id IS NOT NULL)
            UNION
            SELECT d.issuer_id FROM disclosed.document d WHERE d.issuer_id = ANY (issuers) AND disclosed.is_written(d.xmin)
            UNION
            SELECT p.issuer_id FROM disclosed.issuer_profile p WHERE p.issuer_id = ANY (issuers) AND disclosed.is_written(p.xmin));
    END IF;
    IF affected <> '{}' THEN
        RETURN QUERY SELECT * FROM disclosed.reconcile_events(affected);
    END IF;
END $$;

-- Filings have come: the forms among them take their dates. Few reports are loaded whose filings are: of the others there are no dates to be corrected.
CREATE OR REPLACE FUNCTION date_reports_of(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    SELECT array_agg(DISTINCT d.changed_issuer) INTO changed
    FROM (SELECT array_agg(f.accession) AS accessions, array_agg(f.known_at) AS known,
                 array_agg(f.filed_on) AS filed
          FROM (SELECT accession, min(known_at) AS known_at, min(filed_on) AS filed_on
                FROM disclosed.filing
                WHERE accession IN (
                    SELECT r.accession FROM disclosed.filing r
                    WHERE r.issuer_id = ANY (issuers) AND disclosed.is_written(r.xmin)
                      AND r.form IN ('3', '3/A', '4', '4/A', '5', '5/A')
                      AND (EXISTS (SELECT 1 FROM disclosed.insider_transaction t WHERE t.accession = r.accession)
                           OR EXISTS (SELECT 1 FROM disclosed.insider_holding h WHERE h.accession = r.accession)
                           OR EXISTS (SELECT 1 FROM disclosed.executive_stated s WHERE s.origin = r.accession)))
                  AND superseded_at IS NULL
                GROUP BY accession) f) reports
    CROSS JOIN LATERAL disclosed.date_reports(reports.accessions, reports.known, reports.filed) d;
    IF changed IS NOT NULL THEN
        PERFORM disclosed.reconcile_insiders(changed);
        PERFORM disclosed.recount_reports(changed);
    END IF;
END $$;

-- Filings of managers have come: reports that were known by less are known from when the filing was, with
-- their rows. Returns the managers whose reports have changed.
CREATE OR REPLACE FUNCTION date_institution_reports(filers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    SELECT disclosed.redate_institution_reports(array_agg(f.accession), array_agg(f.known_at),
                                                array_agg(f.filed_on), array_agg('filing'::text))
    INTO changed
    FROM (SELECT DISTINCT ON (x.accession) x.accession, x.known_at, x.filed_on
          FROM disclosed.institution_report r
          JOIN disclosed.filing x
            ON x.accession = r.accession AND x.issuer_id = r.issuer_id AND x.superseded_at IS NULL
          WHERE r.issuer_id = ANY (filers) AND r.superseded_at IS NULL AND disclosed.is_written(x.xmin)
          ORDER BY x.accession, x.known_at) f;
    IF changed IS NOT NULL THEN
        RETURN QUERY SELECT * FROM disclosed.reconcile_institutions(changed);
        RETURN QUERY SELECT unnest(changed);
    END IF;
END $$;

-- Forms have been merged: their issuers are named, what another copy of a form that is whole said of persons ends, and forms that stood without an
-- accession number meet those that have one.
CREATE OR REPLACE FUNCTION reconcile_reports(ciks bigint[], accessions text[], reports_known timestamptz[], reports_filed date[], hashes text[],
                               unfiled_keys text[], names text[], person_keys text[], wholes boolean[])
RETURNS TABLE (dataset text, changed_issuer bigint, place bigint) LANGUAGE plpgsql AS $$
DECLARE
    report record;
BEGIN
    INSERT INTO disclosed.named_document (document, accession)
    SELECT left(d.hash, 39), d.accession FROM unnest(hashes, accessions) AS d(hash, accession)
    WHERE d.hash IS NOT NULL AND d.accession IS NOT NULL
    ON CONFLICT DO NOTHING;
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

-- Funds, classes or holdings have come: CUSIPs that the holdings title are linked, and reports whose
-- time, name or holdings are others than when they were reconciled are reconciled. Exposures are counted as
-- they change, so that no company is counted anew.
CREATE OR REPLACE FUNCTION reconcile_funds(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    reports bigint[] := ARRAY(SELECT * FROM disclosed.unreconciled_fund_reports(issuers));
    fresh bigint[] := ARRAY(
        SELECT f.id FROM disclosed.fund f WHERE f.id = ANY(reports) AND f.settled_from IS NULL
        UNION
        SELECT f.id
        FROM (SELECT DISTINCT h.issuer_id, h.report_key FROM disclosed.fund_holding h
              WHERE h.recorded_at = now() AND h.issuer_id = ANY(issuers)) h
        JOIN disclosed.fund f ON f.issuer_id = h.issuer_id AND f.record_key = h.report_key);
BEGIN
    PERFORM disclosed.link_new_holdings(now());
    PERFORM disclosed.reconcile_fund_reports(ARRAY(SELECT unnest(reports) UNION SELECT unnest(fresh)), fresh);
END $$;
