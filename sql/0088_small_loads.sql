-- What follows from a load is worked out for what the load has written, no longer for all that the touched companies have: most batches bring
-- nothing from which an event, an analyst, a date of a report or a checked sum follows.

SET LOCAL search_path = disclosed, public;

-- Whether a row, by its xmin, was written by this transaction: inserted, moved or ended. Also true of rows of transactions that began to write
-- later, so that nothing is missed.
CREATE FUNCTION is_written(row_xmin xid) RETURNS boolean LANGUAGE sql STABLE PARALLEL RESTRICTED AS $$ SELECT age(row_xmin) <= 0 $$;

-- ------------------------------------------------------------------------------ events

-- settle_events() for those of the issuers of which something was written that says when an event is, or of what period. A notice may have
-- been another issuer's before, which shows in no row: then all are settled.
CREATE FUNCTION follow_events(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
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
        RETURN QUERY SELECT * FROM disclosed.settle_events(affected);
    END IF;
END $$;

-- ------------------------------------------------------------------------------ filings

-- Only filings of several filers, or that were, have a rank to be found: of all others their rows say already that their filer is the first.
CREATE OR REPLACE FUNCTION settle_filings(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT disclosed.rank_filers(ARRAY(
        SELECT f.accession FROM disclosed.filing f WHERE f.issuer_id = ANY (issuers) AND disclosed.is_written(f.xmin) AND (f.is_shared OR NOT f.is_primary)
        UNION
        SELECT f.accession FROM disclosed.filing f JOIN disclosed.filing o ON o.accession = f.accession AND o.issuer_id <> f.issuer_id
        WHERE f.issuer_id = ANY (issuers) AND disclosed.is_written(f.xmin)));
    PERFORM disclosed.date_reports_of(issuers);
END $$;

-- The same as before. Few reports are loaded whose filings are: of the others there are no dates to be corrected.
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
        PERFORM disclosed.settle_insiders(changed);
        PERFORM disclosed.recount_reports(changed);
    END IF;
END $$;

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
        PERFORM disclosed.settle_beneficial_owners(changed);
        RETURN QUERY SELECT unnest(changed);
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
        RETURN QUERY SELECT * FROM disclosed.settle_institutions(changed);
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
        reports := ARRAY(SELECT DISTINCT u FROM disclosed.unsettled_fund_reports(registrants) AS u);
        PERFORM disclosed.settle_fund_reports(reports, '{}');
        RETURN QUERY SELECT DISTINCT f.issuer_id FROM disclosed.fund f WHERE f.id = ANY(reports);
    END IF;
END $$;

-- ------------------------------------------------------------------------------ sums of statements

-- Adds up the statements of these companies' filings anew. Returns those of which something has changed.
CREATE OR REPLACE FUNCTION check_calculations(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH written AS MATERIALIZED (
        SELECT l.issuer_id, l.accession FROM disclosed.xbrl_linkbase l WHERE l.issuer_id = ANY (issuers) AND disclosed.is_written(l.xmin)
        UNION
        SELECT r.issuer_id, r.accession FROM disclosed.xbrl_report r WHERE r.issuer_id = ANY (issuers) AND disclosed.is_written(r.xmin)),
    checked AS MATERIALIZED (
        SELECT l.issuer_id, l.accession, greatest(l.known_at, r.known_at) AS known_at, count(DISTINCT t.role)::integer AS statements,
               (count(DISTINCT t.role) - count(DISTINCT t.role) FILTER (WHERE abs(t.value - t.sum) > t.tolerance))::integer AS statements_agreeing,
               count(t.role)::integer AS sums, count(t.role) FILTER (WHERE abs(t.value - t.sum) <= t.tolerance)::integer AS sums_agreeing
        FROM written w JOIN disclosed.xbrl_linkbase l USING (issuer_id, accession)
        JOIN disclosed.xbrl_report r ON r.accession = l.accession AND r.issuer_id = l.issuer_id AND r.superseded_at IS NULL
             AND NOT EXISTS (SELECT 1 FROM disclosed.xbrl_report b
                             WHERE b.accession = r.accession AND b.issuer_id = r.issuer_id AND b.superseded_at IS NULL
                               AND disclosed.report_rank(b.told_by) < disclosed.report_rank(r.told_by))
        LEFT JOIN LATERAL disclosed.linkbase_sums(l, r) t ON true
        WHERE l.superseded_at IS NULL
        GROUP BY l.issuer_id, l.accession, l.known_at, r.known_at),
    gone AS (
        DELETE FROM disclosed.calculation_check t USING written w
        WHERE (t.issuer_id, t.accession) = (w.issuer_id, w.accession)
          AND NOT EXISTS (SELECT 1 FROM checked c WHERE (c.issuer_id, c.accession) = (t.issuer_id, t.accession))
        RETURNING t.issuer_id),
    made AS (
        INSERT INTO disclosed.calculation_check SELECT * FROM checked
        ON CONFLICT (issuer_id, accession) DO UPDATE
        SET (known_at, statements, statements_agreeing, sums, sums_agreeing)
          = (excluded.known_at, excluded.statements, excluded.statements_agreeing, excluded.sums, excluded.sums_agreeing)
        WHERE (calculation_check.known_at, calculation_check.statements, calculation_check.statements_agreeing, calculation_check.sums,
               calculation_check.sums_agreeing)
              IS DISTINCT FROM (excluded.known_at, excluded.statements, excluded.statements_agreeing, excluded.sums, excluded.sums_agreeing)
        RETURNING issuer_id)
    SELECT issuer_id FROM gone UNION SELECT issuer_id FROM made
$$;

-- ------------------------------------------------------------------------------ texts

CREATE OR REPLACE FUNCTION cut_filing_texts(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    written bigint[] := ARRAY(SELECT DISTINCT t.issuer_id FROM disclosed.filing_text t
                              WHERE t.issuer_id = ANY (issuers) AND disclosed.is_written(t.xmin));
BEGIN
    IF written <> '{}' THEN
        PERFORM disclosed.cut_texts('filing', written);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION cut_exhibits(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    written bigint[] := ARRAY(SELECT DISTINCT t.issuer_id FROM disclosed.filing_exhibit t
                              WHERE t.issuer_id = ANY (issuers) AND disclosed.is_written(t.xmin));
BEGIN
    IF written <> '{}' THEN
        PERFORM disclosed.cut_texts('exhibit', written);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION cut_transcripts(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    written bigint[] := ARRAY(SELECT DISTINCT t.issuer_id FROM disclosed.transcript t
                              WHERE t.issuer_id = ANY (issuers) AND disclosed.is_written(t.xmin));
BEGIN
    IF written <> '{}' THEN
        PERFORM disclosed.cut_texts('transcript', written);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION cut_documents(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    written bigint[] := ARRAY(SELECT DISTINCT t.issuer_id FROM disclosed.document t
                              WHERE t.issuer_id = ANY (issuers) AND disclosed.is_written(t.xmin));
BEGIN
    IF written <> '{}' THEN
        PERFORM disclosed.cut_texts('document', written);
    END IF;
END $$;

-- The form of an exhibit is that of its filing.
CREATE OR REPLACE FUNCTION cut_exhibits_of_filings(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    written bigint[] := ARRAY(SELECT DISTINCT x.issuer_id
                              FROM disclosed.filing f JOIN disclosed.filing_exhibit x ON x.accession = f.accession
                              WHERE f.issuer_id = ANY (issuers) AND disclosed.is_written(f.xmin) AND x.issuer_id = ANY (issuers));
BEGIN
    IF written <> '{}' AND disclosed.cut_texts('exhibit', written) > 0 THEN
        RETURN QUERY SELECT unnest(written);
    END IF;
END $$;

-- ------------------------------------------------------------------------------ people

-- Brings the analysts among the people of issuers in line with their calls. Somebody whom another source
-- names as analyst of the issuer is left to it. Returns the issuers whose people have changed.
CREATE OR REPLACE FUNCTION settle_analysts(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
    numbers jsonb;
BEGIN
    issuers := ARRAY(
        SELECT t.issuer_id FROM disclosed.transcript t WHERE t.issuer_id = ANY (issuers) AND disclosed.is_written(t.xmin)
        UNION
        SELECT e.issuer_id FROM disclosed.executive e
        WHERE e.issuer_id = ANY (issuers) AND e.record_key LIKE 'analysts/%' AND disclosed.is_written(e.xmin));
    IF issuers = '{}' THEN
        RETURN;
    END IF;
    numbers := (
        SELECT coalesce(jsonb_object_agg(e.issuer_id || '/' || e.record_key, e.id), '{}')
        FROM disclosed.executive e
        WHERE e.issuer_id = ANY (issuers) AND e.record_key LIKE 'analysts/call/%');
    IF numbers = '{}' AND NOT EXISTS (SELECT 1 FROM disclosed.transcript t
                                      WHERE t.issuer_id = ANY (issuers)) THEN
        RETURN;
    END IF;
    RETURN QUERY
        DELETE FROM disclosed.executive e
        WHERE e.issuer_id = ANY (issuers) AND e.record_key LIKE 'analysts/call/%'
          AND NOT EXISTS (
              SELECT 1 FROM disclosed.analysts_of_calls(issuers) a
              WHERE a.issuer_id = e.issuer_id AND a.record_key = e.record_key
                AND (a.known_at, a.role, a.affiliation, a.is_current, a.reported_on)
                    IS NOT DISTINCT FROM (e.known_at, e.role, e.affiliation, e.is_current, e.reported_on))
        RETURNING e.issuer_id;
    -- One row of a record is current, so rows are closed before one is opened.
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.executive e SET superseded_at = a.superseded_at
            FROM disclosed.analysts_of_calls(issuers) a
            WHERE e.issuer_id = a.issuer_id AND e.record_key = a.record_key AND e.known_at = a.known_at
              AND (a.superseded_at IS NULL) = opening
              AND e.superseded_at IS DISTINCT FROM a.superseded_at
            RETURNING e.issuer_id;
    END LOOP;
    RETURN QUERY
        WITH lacking AS (
            SELECT a.* FROM disclosed.analysts_of_calls(issuers) a
            WHERE NOT EXISTS (SELECT 1 FROM disclosed.executive e
                              WHERE e.issuer_id = a.issuer_id AND e.record_key = a.record_key
                                AND e.known_at = a.known_at)),
        number AS (
            SELECT k.issuer_id, k.record_key,
                   coalesce((numbers ->> (k.issuer_id || '/' || k.record_key))::bigint,
                            nextval('disclosed.record_id')) AS id
            FROM (SELECT DISTINCT l.issuer_id, l.record_key FROM lacking l) k)
        INSERT INTO disclosed.executive AS stored (id, issuer_id, record_key, known_at, superseded_at,
            src_digest, source_id, name, role, category,
            affiliation, person_rank, is_current, reported_on)
        SELECT n.id, l.issuer_id, l.record_key, l.known_at, l.superseded_at,
               disclosed.record_source_digest('executive', o.provider, l.issuer_id, l.record_key),
               t.source_id, l.name, l.role,
               'analysts', l.affiliation, 5, l.is_current, l.reported_on
        FROM lacking l JOIN number n USING (issuer_id, record_key)
        JOIN disclosed.transcript t ON t.issuer_id = l.issuer_id AND t.row_id = l.transcript_row
        JOIN disclosed.source o USING (source_id)
        RETURNING stored.issuer_id;
END $$;

-- What follows from staged people, who have been merged: they are kept as they were stated. Of files that say the same for one
-- origin the statement comes from the one that is least by provider, accession number, address and content hash. Returns
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
        RETURNING t.issuer_id, t.record_key)
    SELECT array_agg(u.issuer_id), array_agg(u.record_key) INTO issuers, keys
    FROM (SELECT stored.issuer_id, stored.record_key FROM stored
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

-- ------------------------------------------------------------------------------ listings

-- The primary listing of each issuer, and the name that its lists show.
CREATE OR REPLACE FUNCTION settle_companies(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count(*) FROM disclosed.order_listings(ARRAY(
        SELECT DISTINCT record_key FROM disclosed.listing WHERE issuer_id = ANY(issuers)));
    UPDATE disclosed.issuer i
    SET name = coalesce(p.name, l.name, i.name), ticker = l.ticker, market = l.market
    FROM unnest(issuers) AS touched(issuer_id)
    LEFT JOIN disclosed.issuer_profile p
           ON p.issuer_id = touched.issuer_id AND p.superseded_at IS NULL
    LEFT JOIN LATERAL (
        SELECT ticker, market, name FROM disclosed.listing current
        WHERE issuer_id = touched.issuer_id AND superseded_at IS NULL
        ORDER BY status <> 'active', listing_rank,
                 (SELECT max(last_seen) FROM disclosed.listing_seen seen
                  WHERE seen.issuer_id = current.issuer_id
                    AND seen.record_key = current.record_key) DESC NULLS LAST,
                 record_key LIMIT 1) l ON true
    WHERE i.issuer_id = touched.issuer_id
      AND (i.name, i.ticker, i.market)
          IS DISTINCT FROM (coalesce(p.name, l.name, i.name), l.ticker, l.market);
    IF NOT FOUND AND EXISTS (SELECT 1 FROM disclosed.dataset_stat WHERE dataset = 'issuer') THEN
        RETURN; -- no ticker has come or gone
    END IF;
    INSERT INTO disclosed.dataset_stat AS stat (dataset, record_count, version)
    SELECT 'issuer', count(*), 1 FROM disclosed.issuer WHERE ticker IS NOT NULL
    ON CONFLICT (dataset) DO UPDATE
    SET record_count = excluded.record_count, version = stat.version + 1, changed_at = now()
    WHERE stat.record_count <> excluded.record_count;
END $$;

-- Rows that an importer loaded by ticker go to the company whose listing they mean, with its symbol, or to the
-- party of their spellings where none is meant: whatever was loaded first. So do rows of other sources as long as they
-- are a party's. Looks at rows of `issuers`, parties among
-- them, and of all that have or had a listing of the same ticker; of those loaded just now alone where `fresh`. Rows
-- that the company has already stay where they are. Returns the issuers of rows that have changed.
CREATE OR REPLACE FUNCTION place_rows(dataset_table text, source text, name_column text, day_column text, has_symbol boolean,
                           issuers bigint[], fresh boolean) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    many boolean := cardinality(issuers) > 100; -- then all parties are read once, not each looked up for each listing
    has_rows boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM disclosed.%I)', dataset_table) INTO has_rows;
    IF NOT has_rows THEN
        RETURN;
    END IF;
    IF to_regclass('pg_temp.place_holder') IS NULL THEN
        CREATE TEMP TABLE place_holder (issuer_id bigint, party_spellings text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE place_row (issuer_id bigint, row_id bigint, record_key text, spellings text, stated text,
                                     day date, symbol text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE place_meant (spellings text, stated text, meant bigint, company_id bigint, symbol text)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE place_target (issuer_id bigint, row_id bigint, record_key text, target_id bigint,
                                        symbol text) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.place_holder;
    DELETE FROM pg_temp.place_row;
    DELETE FROM pg_temp.place_meant;
    DELETE FROM pg_temp.place_target;

    INSERT INTO pg_temp.place_holder
    SELECT h.issuer_id, CASE WHEN i.party_key LIKE 'symbol/%' THEN substr(i.party_key, 8) END
    FROM (SELECT DISTINCT unnest(issuers) AS issuer_id
          UNION
          SELECT o.issuer_id FROM (SELECT DISTINCT l.symbol
                                   FROM (SELECT DISTINCT unnest(issuers) AS issuer_id) n
                                   JOIN disclosed.listing l USING (issuer_id)) s
          JOIN disclosed.listing o ON o.record_key = s.symbol
          UNION
          SELECT p.issuer_id FROM (SELECT DISTINCT l.ticker, l.symbol
                                   FROM (SELECT DISTINCT unnest(issuers) AS issuer_id) n
                                   JOIN disclosed.listing l USING (issuer_id)) s
          JOIN disclosed.issuer p ON NOT many AND p.party_key LIKE 'symbol/%'
           AND string_to_array(substr(p.party_key, 8), ' ') && ARRAY[s.ticker, s.symbol]
          UNION
          SELECT p.issuer_id FROM (SELECT DISTINCT unnest(ARRAY[l.ticker, l.symbol]) AS spelling
                                   FROM (SELECT DISTINCT unnest(issuers) AS issuer_id) n
                                   JOIN disclosed.listing l USING (issuer_id)
                                   WHERE many) s
          JOIN (SELECT i.issuer_id, unnest(string_to_array(substr(i.party_key, 8), ' ')) AS spelling
                FROM disclosed.issuer i WHERE many AND i.party_key LIKE 'symbol/%') p USING (spelling)) h
    JOIN disclosed.issuer i USING (issuer_id);
    ANALYZE pg_temp.place_holder;
    EXECUTE format($sql$
        INSERT INTO pg_temp.place_row
        SELECT t.issuer_id, t.row_id, t.record_key, w.spellings, t.%2$I, t.%3$I, %4$s
        FROM pg_temp.place_holder h JOIN disclosed.%1$I t USING (issuer_id)
        JOIN disclosed.source o USING (source_id) JOIN disclosed.import_run r USING (import_run_id)
        CROSS JOIN LATERAL (SELECT CASE WHEN r.source = $1 AND t.spellings IS NOT NULL THEN t.spellings
                                        ELSE h.party_spellings END AS spellings) w
        WHERE w.spellings IS NOT NULL AND (NOT $2 OR t.recorded_at = now())
    $sql$, dataset_table, name_column, day_column, CASE WHEN has_symbol THEN 't.symbol' ELSE 'NULL' END)
    USING source, fresh;
    IF NOT EXISTS (SELECT 1 FROM pg_temp.place_row) THEN
        RETURN;
    END IF;
    ANALYZE pg_temp.place_row;

    -- Mostly all rows of a name mean one listing, whatever their days.
    INSERT INTO pg_temp.place_meant
    SELECT g.spellings, g.stated, m.meant, m.issuer_id, m.symbol
    FROM (SELECT spellings, stated, min(day) AS day FROM pg_temp.place_row GROUP BY 1, 2) g
    CROSS JOIN LATERAL (
        SELECT count(*) AS meant, min(l.issuer_id) AS issuer_id, min(l.symbol) AS symbol
        FROM disclosed.listings_meant(g.spellings, g.stated, g.day) l) m;
    ANALYZE pg_temp.place_meant;
    INSERT INTO disclosed.issuer (party_key, name)
    SELECT 'symbol/' || m.spellings, min(m.stated) FROM pg_temp.place_meant m
    WHERE m.meant = 0
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer p WHERE p.party_key = 'symbol/' || m.spellings)
    GROUP BY m.spellings;
    INSERT INTO pg_temp.place_target
    SELECT d.issuer_id, d.row_id, d.record_key, d.target_id, d.symbol
    FROM (SELECT r.issuer_id, r.row_id, r.record_key, r.symbol AS old_symbol,
                 CASE WHEN m.meant > 1 THEN o.issuer_id WHEN m.meant = 1 THEN m.company_id
                      ELSE p.issuer_id END AS target_id,
                 CASE WHEN m.meant > 1 THEN o.symbol ELSE m.symbol END AS symbol
          FROM pg_temp.place_row r
          JOIN pg_temp.place_meant m ON m.spellings = r.spellings AND m.stated IS NOT DISTINCT FROM r.stated
          -- Not ON m.meant > 1: a function is called before a join's condition is looked at.
          LEFT JOIN LATERAL (SELECT on_day.* FROM disclosed.listing_on(r.spellings, r.stated, r.day) on_day
                             WHERE m.meant > 1 OFFSET 0) o ON true
          LEFT JOIN disclosed.issuer p ON m.meant = 0 AND p.party_key = 'symbol/' || m.spellings) d
    WHERE d.target_id <> d.issuer_id OR (has_symbol AND d.symbol IS DISTINCT FROM d.old_symbol);
    IF NOT EXISTS (SELECT 1 FROM pg_temp.place_target) THEN
        RETURN;
    END IF;
    ANALYZE pg_temp.place_target;
    RETURN QUERY EXECUTE format($sql$
        WITH target AS (
            SELECT g.*, min(g.issuer_id) OVER (PARTITION BY g.target_id, g.record_key) AS first_id
            FROM pg_temp.place_target g),
        moved AS (
            UPDATE disclosed.%1$I t SET issuer_id = g.target_id %2$s
            FROM target g
            WHERE t.issuer_id = g.issuer_id AND t.row_id = g.row_id
              AND (g.target_id = g.issuer_id
                   OR (g.first_id = g.issuer_id
                       AND NOT EXISTS (SELECT 1 FROM disclosed.%1$I x
                                       WHERE x.issuer_id = g.target_id AND x.record_key = g.record_key)))
            RETURNING g.issuer_id AS old_id, g.target_id)
        SELECT old_id FROM moved UNION SELECT target_id FROM moved
    $sql$, dataset_table, CASE WHEN has_symbol THEN ', symbol = g.symbol' ELSE '' END);
END $$;

-- Listings have changed: holdings that may be of these issuers are looked at again, and the tickers of
-- funds. Those that came with the listings have been settled with them.
CREATE OR REPLACE FUNCTION remap_listed_funds(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.fund) AND NOT EXISTS (SELECT 1 FROM disclosed.fund_holding) THEN
        RETURN;
    END IF;
    PERFORM disclosed.begin_fund_rows();
    WITH named AS MATERIALIZED (
        SELECT DISTINCT l.ticker, l.isin FROM disclosed.listing l WHERE l.issuer_id = ANY(issuers)),
    candidate AS (
        SELECT h.issuer_id, h.row_id, h.report_key, h.recorded_at
        FROM disclosed.fund_holding h WHERE h.company_id = ANY(issuers)
        UNION
        SELECT h.issuer_id, h.row_id, h.report_key, h.recorded_at
        FROM named n JOIN disclosed.fund_holding h
          ON h.isin = n.isin AND h.asset_category IN ('EC', 'EP')
        UNION
        SELECT h.issuer_id, h.row_id, h.report_key, h.recorded_at
        FROM (SELECT translate(n.ticker, '-', between) AS ticker
              FROM named n CROSS JOIN unnest(ARRAY['-', '.', '/', ' ']) AS between) n
        JOIN disclosed.fund_holding h
          ON h.ticker = n.ticker AND h.asset_category IN ('EC', 'EP'))
    INSERT INTO pg_temp.fund_row
    SELECT c.issuer_id, c.row_id, f.id, f.report_date
    FROM candidate c CROSS JOIN LATERAL disclosed.report_of_holding(c.issuer_id, c.report_key) f
    WHERE c.recorded_at <> now();
    RETURN QUERY SELECT * FROM disclosed.remap_funds(issuers);
END $$;

-- Listings or names have changed: trades known by one of their tickers, in any spelling, and those that were taken
-- for theirs, are looked at again.
CREATE OR REPLACE FUNCTION follow_listings_congress(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.congress_trade) THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT disclosed.map_congress_tickers(ARRAY(
        SELECT t.listed_ticker FROM disclosed.congress_trade t WHERE t.company_id = ANY(issuers)
        UNION
        SELECT spelling FROM disclosed.listing l
        CROSS JOIN LATERAL unnest(ARRAY[l.ticker, replace(l.ticker, '-', ''),
                                        disclosed.class_ticker(l.ticker)]) AS spelling
        WHERE l.issuer_id = ANY(issuers)), NULL);
END $$;

-- ------------------------------------------------------------------------------ JSON columns

-- In PL/pgSQL, so that the statements are planned once for each connection, not for each row.

-- What is wrong with the elements of a JSON column, by name and place; NULL: nothing. `members` says
-- what an element has: string, integer (from 0 on) or the choices "a|b", with "?" behind what may be
-- absent or null.
CREATE OR REPLACE FUNCTION elements_fault(name text, elements jsonb, members jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE WHEN jsonb_typeof(elements) <> 'array' THEN name || ': not an array' ELSE (
        WITH element AS (
            SELECT e.place - 1 AS place, e.value, jsonb_typeof(e.value) = 'object' AS is_object
            FROM jsonb_array_elements(elements) WITH ORDINALITY AS e(value, place)),
        given AS (
            SELECT e.place, m.key, rtrim(m.value, '?') AS wanted, m.value LIKE '%?' AS is_optional,
                   e.value -> m.key AS value, coalesce(jsonb_typeof(e.value -> m.key), 'null') AS type
            FROM element e CROSS JOIN jsonb_each_text(members) m WHERE e.is_object),
        fault AS (
            SELECT place, '' AS key, 'not an object' AS text FROM element WHERE NOT is_object
            UNION ALL
            SELECT e.place, '.' || o.key, 'no such member'
            FROM element e CROSS JOIN LATERAL jsonb_object_keys(e.value) AS o(key)
            WHERE e.is_object AND NOT members ? o.key
            UNION ALL
            SELECT place, '.' || key,
                   CASE WHEN type = 'null' THEN 'is required'
                        WHEN wanted = 'integer' THEN 'not a whole number from 0 on'
                        WHEN wanted = 'string' THEN 'not a text'
                        ELSE 'not one of ' || replace(wanted, '|', ', ') END
            FROM given
            WHERE CASE
                WHEN type = 'null' THEN NOT is_optional
                WHEN wanted = 'integer'
                THEN type <> 'number' OR value::text !~ '^\d{1,15}$'
                WHEN wanted = 'string' THEN type <> 'string' OR value = '""'
                ELSE type <> 'string' OR (value #>> '{}') <> ALL (string_to_array(wanted, '|')) END)
        SELECT format('%s[%s]%s: %s', name, place, key, text)
        FROM fault ORDER BY place, key LIMIT 1) END;
END $$;

-- What is wrong with a document's pages: their indexes count from 0, their ranges of characters
-- follow each other and lie in the text.
CREATE OR REPLACE FUNCTION document_pages_fault(pages jsonb, body text, page_count bigint) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN coalesce(
        disclosed.elements_fault('pages', pages, '{"page_index": "integer", "char_start": "integer?",
                                         "char_end": "integer?", "vision_caption": "string?"}'),
        (SELECT format('pages[%s].%s', p.place - 1, CASE
                    WHEN p.page_index <> p.place - 1
                    THEN format('page_index: is %s, not %s', p.page_index, p.place - 1)
                    WHEN (p.char_start IS NULL) <> (p.char_end IS NULL)
                    THEN 'char_start: neither without char_end nor the reverse'
                    WHEN p.char_end < p.char_start THEN 'char_end: before char_start'
                    WHEN p.char_start < p.before THEN 'char_start: in a page before'
                    ELSE format('char_end: the text ends at %s', length(body)) END)
         FROM (SELECT e.place, (e.value ->> 'page_index')::bigint AS page_index,
                      (e.value ->> 'char_start')::bigint AS char_start,
                      (e.value ->> 'char_end')::bigint AS char_end,
                      max((e.value ->> 'char_end')::bigint) OVER (
                          ORDER BY e.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
               FROM jsonb_array_elements(pages) WITH ORDINALITY AS e(value, place)) p
         WHERE p.page_index <> p.place - 1 OR (p.char_start IS NULL) <> (p.char_end IS NULL)
            OR p.char_end < p.char_start OR p.char_start < p.before OR p.char_end > length(body)
         ORDER BY p.place LIMIT 1),
        CASE WHEN page_count <> jsonb_array_length(pages) AND jsonb_array_length(pages) > 0
             THEN format('page_count: is %s, and pages has %s', page_count, jsonb_array_length(pages))
             WHEN page_count < 0 THEN 'page_count: below 0' END);
END $$;

-- What is wrong with the parts of a transcript: speakers are told apart, chapters and segments come in
-- the order of time, and each segment is somebody's.
CREATE OR REPLACE FUNCTION transcript_fault(speakers jsonb, chapters jsonb, segments jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN coalesce(
        disclosed.elements_fault('speakers', speakers, '{"speaker_id": "string", "name": "string?",
                                               "role": "string?", "affiliation": "string?"}'),
        disclosed.elements_fault('chapters', chapters, '{"kind": "prepared|qa", "start_ms": "integer?"}'),
        disclosed.elements_fault('segments', segments, '{"speaker": "integer", "text": "string",
            "offset_ms": "integer?", "duration_ms": "integer?", "section": "prepared|qa?"}'),
        (SELECT format('speakers[%s].speaker_id: stands twice', s.place - 1)
         FROM (SELECT e.place, row_number() OVER (PARTITION BY e.value ->> 'speaker_id'
                                                  ORDER BY e.place) AS time
               FROM jsonb_array_elements(speakers) WITH ORDINALITY AS e(value, place)) s
         WHERE s.time > 1 ORDER BY s.place LIMIT 1),
        (SELECT format('chapters[%s].start_ms: before the chapter before', c.place - 1)
         FROM (SELECT e.place, (e.value ->> 'start_ms')::bigint AS start_ms,
                      max((e.value ->> 'start_ms')::bigint) OVER (
                          ORDER BY e.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
               FROM jsonb_array_elements(chapters) WITH ORDINALITY AS e(value, place)) c
         WHERE c.start_ms < c.before ORDER BY c.place LIMIT 1),
        (SELECT format('segments[%s].%s', s.place - 1,
                       CASE WHEN s.offset_ms < s.before THEN 'offset_ms: before the segment before'
                            ELSE format('speaker: no speaker %s', s.speaker) END)
         FROM (SELECT e.place, e.value ->> 'speaker' AS speaker,
                      (e.value ->> 'offset_ms')::bigint AS offset_ms,
                      max((e.value ->> 'offset_ms')::bigint) OVER (
                          ORDER BY e.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
               FROM jsonb_array_elements(segments) WITH ORDINALITY AS e(value, place)) s
         WHERE s.offset_ms < s.before
            OR NOT speakers @> jsonb_build_array(jsonb_build_object('speaker_id', s.speaker))
         ORDER BY s.place LIMIT 1));
END $$;
