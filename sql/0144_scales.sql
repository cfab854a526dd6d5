-- The unit of a 13F report's values: other managers' rows of a security are read once for all reports that ask for it, and no longer once for each;
-- and once for all files that are merged together.

SET LOCAL search_path = disclosed, public;

-- How the prices that unconfirmed reports imply, as filed, stand to those of other managers for the
-- same security and day: about equal (their values are dollars), or a thousandth of them. Rows that were in force at no time have no vote.
-- Eight rows of others are asked, by their accession numbers, so that it is the same eight wherever they are stored. Each report's are among
-- the first sixteen of the security, of which no manager has more than eight.
-- Reports and rows are grouped by security and not joined by it: PostgreSQL expects few of them while a load fills the tables, and would compare each with each.
CREATE OR REPLACE FUNCTION value_scale_votes(periods date[], cusips text[])
RETURNS TABLE (issuer_id bigint, accession text, is_dollars bigint, is_thousands bigint, votes bigint)
LANGUAGE sql STABLE AS $$
    WITH own AS (
        SELECT r.issuer_id, r.accession, r.period_of_report, p.cusip, avg(p.value_as_filed / p.shares) AS price
        FROM disclosed.institution_report r
        CROSS JOIN LATERAL (
            SELECT p.accession, p.cusip, p.value_as_filed, p.shares, p.put_call, p.superseded_at, p.known_at
            FROM disclosed.institution_position p
            WHERE p.issuer_id = r.issuer_id AND p.period_of_report = r.period_of_report
            OFFSET 0) p
        WHERE r.unconfirmed_cusips IS NOT NULL AND r.superseded_at IS DISTINCT FROM r.known_at
          AND r.period_of_report = ANY(periods)
          AND (cusips IS NULL OR r.unconfirmed_cusips && cusips)
          AND p.accession = r.accession AND p.cusip = ANY(r.unconfirmed_cusips)
          AND p.superseded_at IS DISTINCT FROM p.known_at AND p.shares > 0 AND p.value_as_filed > 0 AND p.put_call IS NULL
        GROUP BY r.issuer_id, r.accession, r.period_of_report, p.cusip),
    security AS (
        SELECT o.cusip, o.period_of_report, array_agg(o.issuer_id) AS issuers, array_agg(o.accession) AS accessions, array_agg(o.price) AS prices
        FROM own o GROUP BY o.cusip, o.period_of_report),
    answered AS (
        SELECT s.issuers, s.accessions, s.prices, peers.issuers AS peer_issuers, peers.prices AS peer_prices
        FROM security s
        CROSS JOIN LATERAL (
            SELECT array_agg(first.issuer_id ORDER BY first.accession COLLATE "C", first.price) AS issuers,
                   array_agg(first.price ORDER BY first.accession COLLATE "C", first.price) AS prices
            FROM (SELECT ranked.issuer_id, ranked.accession, ranked.price
                  FROM (SELECT p.issuer_id, p.accession, p.value / p.shares AS price,
                               row_number() OVER (PARTITION BY p.issuer_id ORDER BY p.accession COLLATE "C", p.value / p.shares) AS place
                        FROM disclosed.institution_position p
                        CROSS JOIN LATERAL (
                            SELECT r.issuer_id, r.unconfirmed_cusips FROM disclosed.institution_report r
                            WHERE r.accession = p.accession OFFSET 0) r
                        WHERE p.cusip = s.cusip AND p.period_of_report = s.period_of_report
                          AND r.issuer_id = p.issuer_id AND r.unconfirmed_cusips IS NULL
                          AND p.superseded_at IS DISTINCT FROM p.known_at AND p.shares > 0 AND p.value > 0 AND p.put_call IS NULL) ranked
                  WHERE ranked.place <= 8
                  ORDER BY ranked.accession COLLATE "C", ranked.price
                  LIMIT 16) first) peers)
    SELECT own.issuer_id, own.accession,
           count(*) FILTER (WHERE own.price / peer.price BETWEEN 0.5 AND 2),
           count(*) FILTER (WHERE own.price / peer.price BETWEEN 0.0005 AND 0.002), count(*)
    FROM answered a
    CROSS JOIN LATERAL unnest(a.issuers, a.accessions, a.prices) AS own(issuer_id, accession, price)
    CROSS JOIN LATERAL (
        SELECT p.price
        FROM unnest(a.peer_issuers, a.peer_prices) WITH ORDINALITY AS p(issuer_id, price, place)
        WHERE p.issuer_id <> own.issuer_id
        ORDER BY p.place
        LIMIT 8) peer
    GROUP BY own.issuer_id, own.accession
$$;

-- What votes decide: the reports whose scale at least three comparisons tell, of which nine tenths agree.
CREATE FUNCTION decided_value_scales(periods date[], cusips text[])
RETURNS TABLE (issuer_id bigint, accession text, factor integer, name text, why text)
LANGUAGE sql STABLE AS $$
    SELECT v.issuer_id, v.accession, d.factor,
           CASE d.factor WHEN 1000 THEN 'thousands, multiplied by 1000' ELSE 'dollars as filed' END,
           format('%s of %s comparisons with other managers'' values of the same securities bear it out',
                  greatest(v.is_dollars, v.is_thousands), v.votes)
    FROM disclosed.value_scale_votes(periods, cusips) v
    CROSS JOIN LATERAL (SELECT CASE WHEN v.is_dollars > v.is_thousands THEN 1 ELSE 1000 END) AS d(factor)
    WHERE v.votes >= 3 AND greatest(v.is_dollars, v.is_thousands) >= 0.9 * v.votes
$$;

-- Confirms or corrects the scale of reports of these periods that is still open. `cusips`: those that a load has brought, or
-- NULL for any. Returns what has changed; reports whose rows have are to be settled again.
CREATE OR REPLACE FUNCTION compare_value_scales(periods date[], cusips text[])
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    decided record;
    has_changed boolean;
BEGIN
    FOR decided IN SELECT * FROM disclosed.decided_value_scales(periods, cusips)
    LOOP
        UPDATE disclosed.institution_position p
        SET value = p.value_as_filed * decided.factor,
            value_scale = CASE decided.factor WHEN 1000 THEN decided.name END
        WHERE p.issuer_id = decided.issuer_id AND p.accession = decided.accession
          AND p.value <> p.value_as_filed * decided.factor;
        has_changed := FOUND;
        UPDATE disclosed.institution_report r
        SET value_factor = decided.factor, total_factor = decided.factor, value_scale = decided.name,
            value_scale_reason = split_part(r.value_scale_reason, '; ', 1) || '; ' || decided.why,
            unconfirmed_cusips = NULL, scale_compared = true,
            settled_known_at = CASE WHEN NOT has_changed THEN r.settled_known_at END
        WHERE r.issuer_id = decided.issuer_id AND r.accession = decided.accession;
        RETURN QUERY SELECT 'institution_report', decided.issuer_id;
        RETURN QUERY SELECT 'institution_position', decided.issuer_id WHERE has_changed;
    END LOOP;
END $$;

-- compare_value_scales() for one file after the other, from the first to the last of these. What one decides counts for the next. Where nothing is
-- decided for all of them together, none decides anything; otherwise each half is asked.
CREATE FUNCTION compare_value_scales_between(periods text[], cusips text[], first integer, last integer)
RETURNS TABLE (dataset text, changed_issuer bigint, place integer) LANGUAGE plpgsql AS $$
DECLARE
    middle CONSTANT integer := (first + last) / 2;
    all_periods date[];
    all_cusips text[];
BEGIN
    IF first = last THEN
        RETURN QUERY SELECT c.dataset, c.changed_issuer, first FROM disclosed.compare_value_scales(periods[first]::date[], cusips[first]::text[]) c;
        RETURN;
    END IF;
    IF array_position(cusips[first:last], NULL) IS NULL THEN
        all_cusips := ARRAY(SELECT DISTINCT c FROM unnest(cusips[first:last]) AS file(list) CROSS JOIN unnest(file.list::text[]) AS c);
    END IF;
    all_periods := ARRAY(SELECT DISTINCT p FROM unnest(periods[first:last]) AS file(list) CROSS JOIN unnest(file.list::date[]) AS p);
    IF EXISTS (SELECT 1 FROM disclosed.decided_value_scales(all_periods, all_cusips)) THEN
        RETURN QUERY SELECT * FROM disclosed.compare_value_scales_between(periods, cusips, first, middle);
        RETURN QUERY SELECT * FROM disclosed.compare_value_scales_between(periods, cusips, middle + 1, last);
    END IF;
END $$;

-- compare_value_scales() for the files that are merged together, each with an array of periods and one of CUSIPs, or NULL for any. `place`: that of the file.
CREATE FUNCTION compare_value_scales_of_files(periods text[], cusips text[])
RETURNS TABLE (dataset text, changed_issuer bigint, place integer) LANGUAGE sql AS $$
    SELECT * FROM disclosed.compare_value_scales_between(periods, cusips, 1, cardinality(periods))
$$;

-- What is stored of the reports in work_portfolio. Rows and reports are grouped and not joined, for the same reason.
CREATE OR REPLACE FUNCTION total_reports() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        WITH part AS (
            SELECT t.issuer_id, t.accession, NULL::bigint AS report, t.value
            FROM pg_temp.work_portfolio w
            CROSS JOIN LATERAL (
                SELECT p.issuer_id, p.accession, p.value, p.superseded_at, p.left_out, p.record_key, p.known_at, p.row_id
                FROM disclosed.institution_position p
                WHERE p.issuer_id = w.issuer_id AND p.period_of_report = w.period_of_report
                OFFSET 0) t
            WHERE t.superseded_at IS NULL OR t.left_out IS NULL AND NOT EXISTS (
                SELECT 1 FROM disclosed.institution_position n
                WHERE n.issuer_id = t.issuer_id AND disclosed.key_hash(n.record_key) = disclosed.key_hash(t.record_key)
                  AND n.record_key = t.record_key AND (n.superseded_at IS NULL OR n.superseded_at IS NOT NULL)
                  AND n.left_out IS NULL AND (n.known_at, n.row_id) > (t.known_at, t.row_id))
            UNION ALL
            SELECT q.issuer_id, q.accession, q.row_id, NULL
            FROM pg_temp.work_portfolio w
            JOIN disclosed.institution_report q USING (issuer_id, period_of_report)
            WHERE q.superseded_at IS NULL),
        total AS (
            SELECT p.issuer_id, p.accession, array_agg(p.report) FILTER (WHERE p.report IS NOT NULL) AS reports,
                   count(p.value) AS entries, coalesce(sum(p.value), 0) AS value
            FROM part p GROUP BY p.issuer_id, p.accession)
        UPDATE disclosed.institution_report r
        SET entries_stored = t.entries, value_stored = t.value,
            settled_period = r.period_of_report, settled_known_at = r.known_at
        FROM (SELECT total.issuer_id, report.row_id, total.entries, total.value
              FROM total CROSS JOIN unnest(total.reports) AS report(row_id)) t
        WHERE r.issuer_id = t.issuer_id AND r.row_id = t.row_id
          AND (r.entries_stored, r.value_stored, r.settled_period, r.settled_known_at) IS DISTINCT FROM
              (t.entries, t.value, r.period_of_report, r.known_at) $q$;
END $$;
