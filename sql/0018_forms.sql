-- Footnotes of Forms 3, 4 and 5, with the rows on whose values they stand.

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

ALTER TABLE insider_transaction ADD COLUMN footnotes jsonb,
    ADD CONSTRAINT insider_transaction_footnotes CHECK (disclosed.footnotes_fault(footnotes) IS NULL);
ALTER TABLE insider_holding ADD COLUMN footnotes jsonb,
    ADD CONSTRAINT insider_holding_footnotes CHECK (disclosed.footnotes_fault(footnotes) IS NULL);
COMMENT ON COLUMN insider_transaction.footnotes IS 'in the order of the form: [{"id", "field", "text"}]; NULL: none';
COMMENT ON COLUMN insider_holding.footnotes IS 'as of insider_transaction';

GRANT EXECUTE ON FUNCTION footnotes_fault(jsonb) TO disclosed_api, disclosed_loader;

-- ------------------------------------------------- what holdings of funds say of CUSIPs

-- Whether the last character of a CUSIP is the check digit of the others.
CREATE FUNCTION cusip_is_valid(cusip text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT cusip ~ '^[0-9A-Z*@#]{8}[0-9]$' AND right(cusip, 1) = (
        SELECT ((10 - sum(v / 10 + v % 10) % 10) % 10)::text
        FROM (SELECT (strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#', substr(cusip, i, 1)) - 1) * (2 - i % 2) AS v
              FROM generate_series(1, 8) AS i) weighted)
$$;

-- How equity holdings that were recorded from an instant on title their CUSIPs: the name of issuer, and
-- what the title of the issue says beyond that name. Only of what is traded in USD, as what is
-- listed here is: abroad there are others of the same names. Where CUSIP and ISIN, or name and title
-- ("INTELSAT SA", "SES S A COMMON STOCK"), contradict each other, the row says nothing.
CREATE FUNCTION titles_of_holdings(since timestamptz)
RETURNS TABLE (cusip text, issuer_title text, class_title text, rows_seen bigint)
LANGUAGE sql STABLE AS $$
    SELECT h.cusip, h.name, h.class_title, count(*)
    FROM (SELECT coalesce(x.cusip, disclosed.cusip_of_isin(x.isin)) AS cusip, x.name, x.title,
                 CASE WHEN starts_with(upper(x.title), upper(x.name))
                      THEN trim(substr(x.title, length(x.name) + 1), ' ,-') ELSE coalesce(x.title, '') END
                     AS class_title
          FROM disclosed.fund_holding x
          WHERE x.recorded_at >= since AND x.asset_category IN ('EC', 'EP') AND x.currency = 'USD'
            AND x.name IS NOT NULL AND (x.cusip = disclosed.cusip_of_isin(x.isin)) IS NOT FALSE) h
    WHERE disclosed.cusip_is_valid(h.cusip)
      AND (h.class_title = '' OR disclosed.first_word_of_name(h.title) = disclosed.first_word_of_name(h.name)
           OR (disclosed.class_of_title(h.class_title)).kind IS NOT NULL)
    GROUP BY h.cusip, h.name, h.class_title
$$;

-- Keeps those titles beside those of information tables, and links their CUSIPs. A name that either has
-- in full is not cut.
CREATE FUNCTION link_new_holdings(since timestamptz) RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
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
        PERFORM disclosed.link_cusips(cusips);
    END IF;
END $$;

-- Funds, classes or holdings have come: CUSIPs that the holdings title are linked, and reports whose
-- time, name or holdings are others than when they were settled are settled. Exposures are counted as
-- they change, so that no company is counted anew.
CREATE OR REPLACE FUNCTION settle_funds(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    reports bigint[] := ARRAY(SELECT * FROM disclosed.unsettled_fund_reports(issuers));
    fresh bigint[] := ARRAY(
        SELECT f.id FROM disclosed.fund f WHERE f.id = ANY(reports) AND f.settled_from IS NULL
        UNION
        SELECT f.id
        FROM (SELECT DISTINCT h.issuer_id, h.report_key FROM disclosed.fund_holding h
              WHERE h.recorded_at = now() AND h.issuer_id = ANY(issuers)) h
        JOIN disclosed.fund f ON f.issuer_id = h.issuer_id AND f.record_key = h.report_key);
BEGIN
    PERFORM disclosed.link_new_holdings(now());
    PERFORM disclosed.settle_fund_reports(ARRAY(SELECT unnest(reports) UNION SELECT unnest(fresh)), fresh);
END $$;

-- For a load of holdings, whose settling has linked what they title.
CREATE FUNCTION securities_after_holdings(registrants bigint[]) RETURNS SETOF bigint LANGUAGE sql AS
$$ SELECT * FROM disclosed.changed_securities() $$;

-- How many equity holdings of a report belong to no company that is listed here, and the largest of
-- them; NULL: none.
CREATE FUNCTION unlisted_holdings(registrant_cik bigint, key text) RETURNS text LANGUAGE sql STABLE AS $$
    WITH held AS (
        SELECT DISTINCT ON (h.record_key) h.*
        FROM disclosed.issuer i JOIN disclosed.fund_holding h USING (issuer_id)
        WHERE i.cik = registrant_cik AND h.report_key = key AND h.asset_category IN ('EC', 'EP')
        ORDER BY h.record_key, h.known_at DESC, h.row_id DESC)
    SELECT format('%s of %s equity holdings found no listing, for example %s%s', count(*),
                  (SELECT count(*) FROM held), (array_agg(coalesce(name, title, 'row ' || row_number) ORDER BY place))[1],
                  (array_agg(coalesce(' (' || nullif(concat_ws(', ', 'CUSIP ' || cusip, 'ISIN ' || isin,
                                                               'ticker ' || ticker), '') || ')', '')
                             ORDER BY place))[1])
    FROM (SELECT held.*, row_number() OVER (ORDER BY value DESC NULLS LAST, row_number) AS place
          FROM held WHERE company_id IS NULL) unlisted
    HAVING count(*) > 0
$$;

-- Links what the holdings of a database title that was filled before they were asked, with all that
-- follows.
CREATE FUNCTION link_all_holdings() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    companies bigint[];
    touched bigint[];
    target record;
BEGIN
    PERFORM disclosed.link_new_holdings('-infinity');
    companies := ARRAY(SELECT DISTINCT c FROM disclosed.changed_securities() AS c);
    IF companies = '{}' THEN
        RETURN;
    END IF;
    touched := ARRAY(SELECT DISTINCT t FROM disclosed.follow_securities(companies) AS t);
    FOR target IN SELECT unnest(ARRAY['institution_holder', 'institution_flow']) AS name LOOP
        EXECUTE format($sql$
            WITH fresh AS (
                SELECT i.issuer_id, coalesce(o.record_count, 0) AS old_count, c.record_count, c.latest
                FROM unnest($1) AS i(issuer_id)
                LEFT JOIN disclosed.dataset_issuer_stat o ON o.dataset = %1$L AND o.issuer_id = i.issuer_id
                CROSS JOIN LATERAL (
                    SELECT count(*) AS record_count, max(t.period_of_report) AS latest FROM disclosed.%1$I t
                    WHERE t.issuer_id = i.issuer_id AND t.superseded_at IS NULL) c
                WHERE o.issuer_id IS NOT NULL OR c.record_count > 0),
            kept AS (
                INSERT INTO disclosed.dataset_issuer_stat AS o (issuer_id, dataset, record_count, latest)
                SELECT issuer_id, %1$L, record_count, latest FROM fresh
                ON CONFLICT (issuer_id, dataset) DO UPDATE
                SET record_count = excluded.record_count, latest = excluded.latest)
            INSERT INTO disclosed.dataset_stat AS d (dataset, record_count, latest, version)
            SELECT %1$L, sum(record_count - old_count), max(latest), 1 FROM fresh HAVING count(*) > 0
            ON CONFLICT (dataset) DO UPDATE
            SET record_count = d.record_count + excluded.record_count,
                latest = greatest(d.latest, excluded.latest), version = d.version + 1, changed_at = now()
        $sql$, target.name) USING touched;
    END LOOP;
    PERFORM count(*) FROM disclosed.remap_linked_funds(companies);
END $$;
SELECT disclosed.link_all_holdings();

GRANT EXECUTE ON FUNCTION cusip_is_valid(text), titles_of_holdings(timestamptz),
    link_new_holdings(timestamptz), securities_after_holdings(bigint[]), unlisted_holdings(bigint, text),
    link_all_holdings() TO disclosed_loader;

-- ------------------------------------------------------- Form 13F from several sources

-- One report comes as a submission, as cover and table, as a table alone and in data sets, which know more
-- or less of when it was public. The best of it counts, whichever came first.
ALTER TABLE institution_report ADD COLUMN dated_by text
    CHECK (dated_by IN ('filing', 'accepted', 'filed', 'stated', 'signed'));
COMMENT ON COLUMN institution_report.dated_by IS 'what known_at rests on, the best first: the loaded filing, the acceptance time of a header, a filing date, what the importer was told, the day of the signature';
UPDATE institution_report
SET dated_by = CASE WHEN known_at = disclosed.end_of_day(filing_date) THEN 'filed' ELSE 'accepted' END;

-- 1 is the best.
CREATE FUNCTION rank_of_date(dated_by text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT coalesce(array_position(ARRAY['filing', 'accepted', 'filed', 'stated', 'signed'], dated_by), 6) $$;

-- What is known of a report beside what a source of it tells: by its filing, and by what was loaded of it.
-- The name on its cover goes before that of the filer.
CREATE FUNCTION known_holdings_report(wanted text, OUT cik bigint, OUT manager_name text, OUT form text,
    OUT report_type text, OUT period date, OUT entry_total bigint, OUT value_total numeric,
    OUT known_at timestamptz, OUT filing_day date, OUT dated_by text, OUT value_factor numeric)
LANGUAGE sql STABLE AS $$
    SELECT coalesce(f.cik, r.cik),
           CASE WHEN r.table_entry_total IS NOT NULL OR f.name IS NULL THEN r.manager_name ELSE f.name END,
           coalesce(f.form, r.form), r.report_type, coalesce(f.period_of_report, r.period_of_report),
           r.table_entry_total, r.table_value_total, coalesce(f.known_at, r.known_at),
           coalesce(f.filed_on, r.filing_date),
           CASE WHEN f.known_at IS NOT NULL THEN 'filing' ELSE r.dated_by END, r.value_factor
    FROM (SELECT 1) one
    LEFT JOIN LATERAL (
        SELECT i.cik, i.name, x.form, x.period_of_report, x.filed_on, x.known_at
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
          WHERE r.issuer_id = ANY (filers) AND r.superseded_at IS NULL
          ORDER BY x.accession, x.known_at) f;
    IF changed IS NOT NULL THEN
        RETURN QUERY SELECT * FROM disclosed.settle_institutions(changed);
        RETURN QUERY SELECT unnest(changed);
    END IF;
END $$;

GRANT EXECUTE ON FUNCTION rank_of_date(text), known_holdings_report(text),
    redate_institution_reports(text[], timestamptz[], date[], text[]),
    redate_holdings_reports(text[], timestamptz[], date[], text[]) TO disclosed_loader;

-- A submission's header tells when a report of a fund was public that is stored without: it is known from
-- then, before the rows of the submission meet those that are stored. Returns whose reports have changed.
CREATE FUNCTION tell_fund_report_dates(told_accession text, filed date, accepted timestamptz)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    WITH told AS (
        UPDATE disclosed.fund f
        SET filed_on = coalesce(f.filed_on, filed), accepted_at = coalesce(f.accepted_at, accepted)
        WHERE f.accession = told_accession
          AND ((f.filed_on IS NULL AND filed IS NOT NULL)
               OR (f.accepted_at IS NULL AND accepted IS NOT NULL))
        RETURNING f.issuer_id)
    SELECT array_agg(DISTINCT issuer_id) INTO changed FROM told;
    IF changed IS NOT NULL THEN
        PERFORM disclosed.date_fund_reports(changed);
        RETURN QUERY SELECT 'fund', unnest(changed);
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION tell_fund_report_dates(text, date, timestamptz) TO disclosed_loader;

-- What a Form 3, 4 or 5 said of its owners while its document had no accession number counted from the day on
-- which it was signed. Now that the filing is known it counts from then.
CREATE FUNCTION redate_nameless_owners(issuer_cik bigint, owners bigint[], signed date, filing text,
                                       filing_known timestamptz, filed date, url text)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    WITH moved AS (
        UPDATE disclosed.executive e
        SET known_at = filing_known, reported_on = filed, accession = filing, source_url = url
        FROM disclosed.issuer i
        WHERE i.cik = issuer_cik AND e.issuer_id = i.issuer_id AND e.accession IS NULL
          AND e.category = 'executives' AND e.source_provider = 'sec' AND e.person_cik = ANY (owners)
          AND e.known_at = disclosed.end_of_day(signed)
        RETURNING e.issuer_id)
    SELECT array_agg(DISTINCT issuer_id) INTO changed FROM moved;
    IF changed IS NOT NULL THEN
        PERFORM disclosed.order_executives(changed);
        RETURN QUERY SELECT 'executive', unnest(changed);
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION redate_nameless_owners(bigint, bigint[], date, text, timestamptz, date, text)
    TO disclosed_loader;
