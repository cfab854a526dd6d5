-- What a wrong copy said does not stay behind the good one: reports of Congress and files of whole reports, the districts of the Clerk's index, names
-- that FINRA's files state, several dividends of a day, and the basis of key figures.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------------ reports of Congress

ALTER TABLE congress_trade ADD COLUMN of_reports boolean, ADD COLUMN left_out boolean;
COMMENT ON COLUMN congress_trade.of_reports IS
    'whether no file says it but reports themselves and files that hold them whole; NULL: a file that may leave rows out does';
COMMENT ON COLUMN congress_trade.left_out IS
    'whether the copy of its report that was loaded last lacks it, and no other file says it; NULL: no. By take_congress_copies()';
CALL make_sourced_view('congress_trade');
ALTER TABLE congress_date ADD COLUMN of_reports boolean;
COMMENT ON COLUMN congress_date.of_reports IS 'the same as of trades';
UPDATE congress_trade SET of_reports = true WHERE read_from LIKE '%report';
UPDATE congress_date SET of_reports = true WHERE kind = 'report';

-- Notes of which file the rows that are merged next are, for their first source, and whether it holds reports whole: see expected_trades().
CREATE FUNCTION note_congress_copy(file_at timestamptz, file_hash text, of_reports boolean) RETURNS TABLE (dataset text, politician bigint)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('disclosed.congress_file', jsonb_build_object('at', file_at, 'hash', file_hash, 'of_reports', of_reports)::text, true);
END $$;

-- expected_congress_trades(), and what kind of file has brought the row.
CREATE FUNCTION expected_trades()
RETURNS TABLE (row_order bigint, superseded_at timestamptz, company_id bigint, symbol text, seen_at timestamptz, sources jsonb, of_reports boolean)
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT e.*, CASE WHEN nullif(current_setting('disclosed.congress_file', true), '')::jsonb -> 'of_reports' = 'true' THEN true END
                 FROM disclosed.expected_congress_trades() e;
END $$;

-- Reports are of whom the copy names that has them whole and was loaded last; where a file that may leave rows out has some of a report, only if the copy
-- is the report itself. `filers`: report => party and name. Returns the politicians.
CREATE FUNCTION name_congress_filers(in_chamber text, reports text[], filers jsonb) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.misnamed_trade') IS NULL THEN
        CREATE TEMP TABLE misnamed_trade (issuer_id bigint, row_id bigint, party_key text, name text) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.misnamed_trade;
    INSERT INTO pg_temp.misnamed_trade
    SELECT t.issuer_id, t.row_id, filers -> t.report_id ->> 'party', filers -> t.report_id ->> 'name'
    FROM disclosed.congress_trade t JOIN disclosed.issuer i USING (issuer_id)
    WHERE t.chamber = in_chamber AND t.report_id = ANY (reports) AND disclosed.is_congress_base_key(t.record_key)
      AND i.party_key <> filers -> t.report_id ->> 'party'
      AND NOT EXISTS (SELECT 1 FROM disclosed.congress_trade o
                      WHERE in_chamber = 'senate' AND o.chamber = in_chamber AND o.report_id = t.report_id AND o.of_reports IS NULL
                        AND o.redated_from IS NULL);
    IF NOT EXISTS (SELECT 1 FROM pg_temp.misnamed_trade) THEN
        RETURN;
    END IF;
    INSERT INTO disclosed.issuer (party_key, name)
    SELECT m.party_key, min(m.name COLLATE "C") FROM pg_temp.misnamed_trade m
    WHERE NOT EXISTS (SELECT 1 FROM disclosed.issuer o WHERE o.party_key = m.party_key)
    GROUP BY m.party_key;
    RETURN QUERY
    WITH moved AS (
        UPDATE disclosed.congress_trade t
        SET issuer_id = p.issuer_id, src_digest = disclosed.congress_src_digest(o.provider, m.party_key, t.record_key)
        FROM pg_temp.misnamed_trade m, disclosed.issuer p, disclosed.source o
        WHERE o.source_id = t.source_id AND t.issuer_id = m.issuer_id AND t.row_id = m.row_id AND p.party_key = m.party_key
        RETURNING m.issuer_id AS old_id, p.issuer_id)
    SELECT m.old_id FROM moved m UNION SELECT m.issuer_id FROM moved m;
END $$;

-- After a file's rows have been merged: what it says of dates and of its rows is kept. `wholes` are the reports that the file has whole: what other
-- such copies have said of them, and this one does not, holds no longer, unless a file that may leave rows out says it too. A row
-- that is not stored has been rejected, and the file has its report in part. Returns what has to be settled, with how many versions have ended by it,
-- and how many hold again.
CREATE FUNCTION take_congress_copies(in_chamber text, file_at timestamptz, said jsonb, given_rows jsonb, file_hash text, is_of_reports boolean,
                                     wholes text[])
RETURNS TABLE (dataset text, politician bigint, ended bigint, resumed bigint) LANGUAGE plpgsql
SET enable_nestloop = off SET work_mem = '64MB' AS $$
DECLARE
    issuers bigint[];
    numbers bigint[];
    places integer[];
    filers jsonb;
    whole text[];
    redated text[];
BEGIN
    WITH given AS MATERIALIZED (
        SELECT r.* FROM jsonb_to_recordset(given_rows) AS r(
            n integer, report_id text, record_key text, named text, row_number integer, owner text, ticker text, asset_name text, asset_type text, amount_range text, comment text,
            first_name text, last_name text, political_party text, state_district text, read_from text)),
    stored AS MATERIALIZED (
        SELECT g.n, v.issuer_id, v.row_id, g.row_number
        FROM given g JOIN disclosed.congress_trade v ON v.chamber = in_chamber AND v.record_key = g.record_key
        WHERE v.redated_from IS NULL
          AND (v.ticker, v.asset_name, v.amount_range, v.owner, v.read_from, v.asset_type, v.comment, v.first_name, v.last_name,
               v.political_party, v.state_district)
              IS NOT DISTINCT FROM (g.ticker, g.asset_name, g.amount_range, g.owner, g.read_from, g.asset_type, g.comment,
                                    g.first_name, g.last_name, g.political_party, g.state_district))
    SELECT (SELECT array_agg(s.issuer_id ORDER BY s.row_id, s.n) FROM stored s), (SELECT array_agg(s.row_id ORDER BY s.row_id, s.n) FROM stored s),
           (SELECT array_agg(s.row_number ORDER BY s.row_id, s.n) FROM stored s),
           (SELECT jsonb_object_agg(f.report_id, jsonb_build_object('party', f.named, 'name', f.name))
            FROM (SELECT g.report_id, min(g.named) AS named, min(concat_ws(' ', g.first_name, g.last_name) COLLATE "C") AS name
                  FROM given g GROUP BY g.report_id HAVING min(g.named) = max(g.named)) f),
           ARRAY(SELECT w FROM unnest(wholes) AS w
                 EXCEPT SELECT g.report_id FROM given g LEFT JOIN stored s USING (n) WHERE s.n IS NULL)
    INTO issuers, numbers, places, filers, whole;
    IF is_of_reports THEN
        WITH told AS MATERIALIZED (SELECT DISTINCT s.* FROM disclosed.congress_dates_said(said, file_at) s WHERE s.kind <> 'seen'),
        begun AS (
            INSERT INTO disclosed.congress_date (chamber, report_id, dated_as, kind, filing_date, known_at, of_reports)
            SELECT in_chamber, t.report_id, t.dated_as, t.kind, t.filing_date, t.known_at, true FROM told t ORDER BY 2, 3, 4, 5
            ON CONFLICT DO NOTHING
            RETURNING report_id),
        ended AS (
            DELETE FROM disclosed.congress_date d
            WHERE d.chamber = in_chamber AND d.report_id = ANY (whole) AND d.of_reports AND d.kind <> 'seen'
              AND NOT EXISTS (SELECT 1 FROM told t WHERE t.report_id = d.report_id AND t.dated_as = d.dated_as AND t.kind = d.kind
                                                     AND t.filing_date = d.filing_date)
            RETURNING d.report_id)
        SELECT array_agg(c.report_id) INTO redated FROM (SELECT report_id FROM begun UNION SELECT report_id FROM ended) c;
    ELSE
        UPDATE disclosed.congress_date d SET of_reports = NULL
        FROM disclosed.congress_dates_said(said, file_at) s
        WHERE d.chamber = in_chamber AND d.report_id = s.report_id AND d.dated_as = s.dated_as AND d.kind = s.kind
          AND d.filing_date = s.filing_date AND d.of_reports;
    END IF;
    RETURN QUERY SELECT d.dataset, d.politician, 0::bigint, 0::bigint
                 FROM disclosed.take_congress_dates(in_chamber, file_at, said, given_rows, file_hash) d;
    IF redated IS NOT NULL THEN -- what is written is settled: see written_congress_reports()
        UPDATE disclosed.congress_date d SET known_at = d.known_at WHERE d.chamber = in_chamber AND d.report_id = ANY (redated);
    END IF;
    RETURN QUERY
    WITH changed AS (
        UPDATE disclosed.congress_trade t
        SET of_reports = CASE WHEN is_of_reports THEN t.of_reports END, left_out = CASE WHEN s.row_id IS NULL THEN true END,
            row_number = coalesce(s.row_number, t.row_number)
        FROM (SELECT v.issuer_id, v.row_id AS of_row, v.left_out AND NOT disclosed.is_written(v.xmin) AS is_out, v.superseded_at IS NULL AS is_current,
                     u.row_id, CASE WHEN v.report_id = ANY (whole) THEN u.row_number END AS row_number
              FROM disclosed.congress_trade v LEFT JOIN unnest(issuers, numbers, places) AS u(issuer_id, row_id, row_number) USING (issuer_id, row_id)
              WHERE v.chamber = in_chamber AND v.of_reports AND v.redated_from IS NULL AND disclosed.is_congress_base_key(v.record_key)
                AND v.report_id = ANY (ARRAY(SELECT DISTINCT g.report_id FROM jsonb_to_recordset(given_rows) AS g(report_id text)))
                AND CASE WHEN u.row_id IS NULL THEN v.report_id = ANY (whole) AND v.left_out IS NULL
                         ELSE v.left_out OR NOT is_of_reports OR v.report_id = ANY (whole) AND v.row_number <> u.row_number END) s
        WHERE t.issuer_id = s.issuer_id AND t.row_id = s.of_row
        RETURNING t.issuer_id, (s.row_id IS NULL AND s.is_current)::integer AS ended, coalesce(s.is_out, false)::integer AS resumed)
    SELECT 'congress_trade', c.issuer_id, sum(c.ended), sum(c.resumed) FROM changed c GROUP BY c.issuer_id
    UNION ALL
    SELECT DISTINCT 'congress_trade', t.issuer_id, 0::bigint, 0::bigint FROM disclosed.congress_trade t
    WHERE t.chamber = in_chamber AND t.report_id = ANY (redated);
    IF whole <> '{}' THEN
        RETURN QUERY SELECT 'congress_trade', f, 0::bigint, 0::bigint FROM disclosed.name_congress_filers(in_chamber, whole, filers) f;
    END IF;
END $$;

-- The same as before; what is left out holds at no time, and says nothing of other versions.
CREATE OR REPLACE FUNCTION report_version_slices(in_chamber text, reports text[])
RETURNS TABLE (issuer_id bigint, row_id bigint, is_said boolean, from_at timestamptz, ends_at timestamptz, filing_date date, basis text)
LANGUAGE sql STABLE SET enable_nestloop = off AS $$
    WITH amendment AS MATERIALIZED (
        SELECT a.issuer_id, a.amended AS report_id, min(a.known_at) AS amended_at
        FROM disclosed.congress_amendments(ARRAY(SELECT DISTINCT t.issuer_id FROM disclosed.congress_trade t
                                                 WHERE t.chamber = in_chamber AND t.report_id = ANY (reports))) a
        WHERE a.chamber = in_chamber AND NOT a.is_circular GROUP BY 1, 2),
    version AS (
        SELECT t.issuer_id, t.row_id, t.record_key, t.known_at, t.superseded_at, t.read_from, t.report_id, t.asset_name, t.quote,
               t.left_out, a.amended_at, w.filled, w.words,
               bool_or(t.read_from = 'report' AND t.left_out IS NULL) OVER (PARTITION BY t.report_id) AS is_read,
               bool_or(t.read_from LIKE '%report' AND t.left_out IS NULL) OVER (PARTITION BY t.record_key) AS is_read_itself
        FROM disclosed.congress_trade t
        CROSS JOIN LATERAL (
            SELECT num_nonnulls(t.ticker, t.asset_name, t.asset_type, t.amount_range, t.owner, t.comment, t.first_name,
                                t.political_party, t.state_district) AS filled,
                   concat_ws('|', t.ticker, t.asset_name, t.asset_type, t.amount_range, t.owner, t.comment, t.first_name,
                             t.last_name, t.political_party, t.state_district) AS words) w
        LEFT JOIN amendment a ON a.issuer_id = t.issuer_id AND a.report_id = t.report_id
        WHERE t.chamber = in_chamber AND t.report_id = ANY (reports)
          AND disclosed.is_congress_base_key(t.record_key) AND t.redated_from IS NULL),
    quoted AS MATERIALIZED ( -- most reports have none
        SELECT DISTINCT v.report_id, regexp_replace(v.record_key, '/\d+$', '') AS base, v.quote || ';' AS quote
        FROM version v WHERE v.quote LIKE '%asset_description: %'),
    uncut AS MATERIALIZED (
        SELECT DISTINCT v.issuer_id, v.row_id
        FROM version v JOIN quoted q ON q.report_id = v.report_id AND q.base = regexp_replace(v.record_key, '/\d+$', '')
        WHERE (v.quote LIKE '%asset_description: %') IS NOT TRUE
          AND position('asset_description: ' || v.asset_name || ';' IN q.quote) > 0),
    ranked AS (
        SELECT v.*, c.counts, row_number() OVER (PARTITION BY v.record_key, c.counts
                                                 ORDER BY u.row_id IS NOT NULL, v.filled DESC, length(v.words) DESC,
                                                          v.words COLLATE "C", v.known_at, v.row_id) AS place
        FROM version v LEFT JOIN uncut u USING (issuer_id, row_id)
        CROSS JOIN LATERAL (SELECT v.left_out IS NULL
                                   AND (v.read_from = 'report' OR NOT v.is_read
                                        AND (v.read_from = 'part_of_report' OR NOT v.is_read_itself)) AS counts) c),
    better AS (
        SELECT r.*, r.counts AND coalesce(r.place < min(r.place) OVER (
                   PARTITION BY r.record_key, r.counts ORDER BY r.known_at, r.place
                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true) AS stands
        FROM ranked r),
    ending AS (
        SELECT b.*, CASE WHEN NOT b.stands THEN b.known_at
                         ELSE least(b.amended_at, lead(b.known_at) OVER (PARTITION BY b.record_key, b.stands ORDER BY b.known_at))
                    END AS ended_at
        FROM better b),
    said AS MATERIALIZED (
        SELECT e.issuer_id, e.row_id, e.known_at, CASE WHEN e.ended_at < e.known_at THEN e.known_at ELSE e.ended_at END AS ends_at
        FROM ending e),
    slice AS (
        SELECT s.issuer_id, s.row_id, true AS is_said, s.known_at AS from_at, s.ends_at, NULL::date AS filing_date, NULL::text AS basis
        FROM said s
        UNION ALL
        SELECT s.issuer_id, s.row_id, false, l.from_at, s.ends_at, l.filing_date, l.basis
        FROM said s JOIN disclosed.congress_report_lines(in_chamber, reports) l USING (issuer_id, row_id)
        WHERE NOT l.is_public AND l.from_at > s.known_at AND (s.ends_at IS NULL OR l.from_at < s.ends_at))
    SELECT s.issuer_id, s.row_id, s.is_said, s.from_at,
           coalesce(lead(s.from_at) OVER (PARTITION BY s.issuer_id, s.row_id ORDER BY s.from_at), s.ends_at), s.filing_date, s.basis
    FROM slice s
$$;

-- The same as before; who filed the report is told by what is not left out.
CREATE OR REPLACE FUNCTION unite_report_filers(in_chamber text, reports text[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH version AS (
        SELECT t.issuer_id, t.row_id, t.id, t.record_key, min(t.id) OVER (PARTITION BY t.record_key) AS known_id,
               first_value(t.issuer_id) OVER best AS filer_id, first_value(i.party_key) OVER best AS party_key
        FROM disclosed.congress_trade t JOIN disclosed.issuer i USING (issuer_id)
        WHERE t.chamber = in_chamber AND t.report_id = ANY (reports) AND disclosed.is_congress_base_key(t.record_key)
        WINDOW best AS (PARTITION BY t.report_id
                        ORDER BY t.left_out IS NOT NULL, t.read_from = 'copy', i.party_key LIKE '%-house', i.party_key COLLATE "C")),
    moved AS (
        UPDATE disclosed.congress_trade t
        SET issuer_id = v.filer_id, id = v.known_id,
            src_digest = disclosed.congress_src_digest(o.provider, v.party_key, t.record_key)
        FROM version v, disclosed.source o
        WHERE o.source_id = t.source_id AND t.issuer_id = v.issuer_id AND t.row_id = v.row_id
          AND (v.issuer_id <> v.filer_id OR v.id <> v.known_id)
        RETURNING v.issuer_id AS old_id, v.filer_id)
    SELECT old_id FROM moved UNION SELECT filer_id FROM moved
$$;

-- The same as before; a report of which a row is left out has something to settle.
CREATE OR REPLACE FUNCTION plain_congress_reports(in_chamber text, reports text[]) RETURNS text[] LANGUAGE sql STABLE
SET enable_nestloop = off SET enable_mergejoin = off AS $$
    WITH line AS MATERIALIZED (
        SELECT l.report_id, min(l.from_at) AS from_at, min(l.filing_date) AS filing_date, min(l.basis) AS basis,
               bool_and(l.is_public) AS is_public
        FROM disclosed.congress_date_lines(in_chamber, reports, NULL, NULL) l
        GROUP BY l.report_id HAVING count(*) = 1 AND min(l.dated_as) = ''),
    source AS MATERIALIZED (
        SELECT s.source_id, s.url, disclosed.content_hash_text(s.content_hash) AS content_hash
        FROM disclosed.source s WHERE s.source_id IN (
            SELECT t.source_id FROM disclosed.congress_trade t WHERE t.chamber = in_chamber AND t.report_id = ANY (reports)))
    SELECT ARRAY(
        SELECT t.report_id
        FROM disclosed.congress_trade t LEFT JOIN line l USING (report_id) LEFT JOIN source s USING (source_id)
        WHERE t.chamber = in_chamber AND t.report_id = ANY (reports)
        GROUP BY t.report_id
        HAVING min(t.issuer_id) = max(t.issuer_id) AND min(t.read_from) = max(t.read_from)
           AND bool_and(coalesce(
                   t.recorded_at = now() AND t.superseded_at IS NULL AND t.redated_from IS NULL AND t.amends IS NULL AND t.left_out IS NULL
                   AND t.record_key LIKE '%/1' AND disclosed.is_congress_base_key(t.record_key)
                   AND t.filing_date = l.filing_date AND t.filing_date_basis = l.basis
                   AND t.known_at = CASE WHEN l.is_public THEN l.from_at ELSE greatest(coalesce(t.seen_at, t.known_at), l.from_at) END
                   AND jsonb_array_length(t.sources) = 1
                   AND t.quote IS NOT DISTINCT FROM t.sources -> 0 ->> 'quote'
                   AND s.url IS NOT DISTINCT FROM t.sources -> 0 ->> 'source_url'
                   AND s.content_hash IS NOT DISTINCT FROM t.sources -> 0 ->> 'content_hash', false)))
$$;

-- Copies of a report's rows that name no district have the index's. Where another copy of the index had said another one, they have now what the copy says
-- that was loaded last, and are of whom it means. Returns the politicians.
CREATE FUNCTION put_districts_right(reports text[]) RETURNS SETOF bigint LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.congress_report i JOIN disclosed.congress_report f ON f.issuer_id = i.issuer_id AND f.record_key = i.record_key
                   WHERE i.report_id = ANY (reports) AND i.superseded_at IS NULL AND f.state_district <> i.state_district) THEN
        RETURN;
    END IF;
    IF to_regclass('pg_temp.wrong_district') IS NULL THEN
        CREATE TEMP TABLE wrong_district (issuer_id bigint, row_id bigint, state_district text, party_key text) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.wrong_district;
    INSERT INTO pg_temp.wrong_district
    SELECT DISTINCT t.issuer_id, t.row_id, i.state_district,
           regexp_replace(p.party_key, '-' || lower(left(f.state_district, 2)) || '$', '-' || lower(left(i.state_district, 2)))
    FROM disclosed.congress_report i
    JOIN disclosed.congress_report f ON f.issuer_id = i.issuer_id AND f.record_key = i.record_key AND f.state_district <> i.state_district
    JOIN disclosed.congress_trade t ON t.chamber = 'house' AND t.report_id = i.report_id AND t.state_district = f.state_district
    JOIN disclosed.issuer p ON p.issuer_id = t.issuer_id
    WHERE i.report_id = ANY (reports) AND i.superseded_at IS NULL AND t.read_from = 'copy' AND disclosed.is_congress_base_key(t.record_key);
    INSERT INTO disclosed.issuer (party_key, name)
    SELECT w.party_key, min(p.name COLLATE "C") FROM pg_temp.wrong_district w JOIN disclosed.issuer p USING (issuer_id)
    WHERE NOT EXISTS (SELECT 1 FROM disclosed.issuer o WHERE o.party_key = w.party_key)
    GROUP BY w.party_key;
    RETURN QUERY
    WITH moved AS (
        UPDATE disclosed.congress_trade t
        SET state_district = w.state_district, issuer_id = p.issuer_id,
            src_digest = disclosed.congress_src_digest(o.provider, w.party_key, t.record_key)
        FROM pg_temp.wrong_district w, disclosed.issuer p, disclosed.source o
        WHERE o.source_id = t.source_id AND t.issuer_id = w.issuer_id AND t.row_id = w.row_id AND p.party_key = w.party_key
        RETURNING w.issuer_id AS old_id, p.issuer_id)
    SELECT m.old_id FROM moved m UNION SELECT m.issuer_id FROM moved m;
END $$;

-- Reports or rows of the index have come. Returns the politicians whose trades have changed.
CREATE OR REPLACE FUNCTION reconcile_congress(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[] := ARRAY(SELECT DISTINCT d FROM disclosed.date_congress_reports(issuers) AS d);
    touched bigint[];
    chamber_at text;
    written text[];
    plain text[];
    reports text[];
BEGIN
    FOREACH chamber_at IN ARRAY ARRAY['senate', 'house'] LOOP
        written := disclosed.written_congress_reports(chamber_at, issuers);
        CONTINUE WHEN written = '{}';
        plain := disclosed.plain_congress_reports(chamber_at, written);
        reports := ARRAY(SELECT r FROM unnest(written) AS r EXCEPT SELECT p FROM unnest(plain) AS p);
        IF reports <> '{}' THEN
            changed := changed || ARRAY(SELECT DISTINCT v FROM disclosed.date_report_versions(chamber_at, reports) AS v);
        END IF;
        IF chamber_at = 'house' AND EXISTS (SELECT 1 FROM disclosed.congress_report) THEN
            WITH placed AS (
                UPDATE disclosed.congress_trade t SET state_district = i.state_district
                FROM disclosed.congress_report i
                WHERE t.chamber = 'house' AND t.report_id = i.report_id AND t.state_district IS NULL AND i.state_district IS NOT NULL
                  AND i.superseded_at IS NULL AND i.filing_date IS NOT NULL AND disclosed.is_congress_base_key(t.record_key)
                  AND t.report_id = ANY (written)
                RETURNING t.issuer_id)
            SELECT changed || coalesce(array_agg(DISTINCT issuer_id), '{}') INTO changed FROM placed;
            changed := changed || ARRAY(SELECT DISTINCT d FROM disclosed.put_districts_right(written) AS d);
        END IF;
        IF reports <> '{}' THEN
            changed := changed || ARRAY(SELECT DISTINCT u FROM disclosed.unite_report_filers(chamber_at, reports) AS u);
            changed := changed || ARRAY(SELECT DISTINCT o FROM disclosed.order_report_versions(chamber_at, reports) AS o);
            changed := changed || ARRAY(SELECT DISTINCT c FROM disclosed.count_report_repeats(chamber_at, reports) AS c);
            changed := changed || ARRAY(SELECT DISTINCT p FROM disclosed.place_report_sources(chamber_at, reports) AS p);
        END IF;
    END LOOP;
    touched := ARRAY(SELECT DISTINCT unnest(issuers || changed));
    PERFORM disclosed.close_amended_trades(touched);
    PERFORM disclosed.map_congress_tickers(NULL, touched);
    PERFORM disclosed.count_congress_companies(ARRAY(
        SELECT DISTINCT company_id FROM disclosed.congress_trade WHERE issuer_id = ANY(touched)));
    RETURN QUERY SELECT DISTINCT unnest(changed);
END $$;

-- ------------------------------------------------------------------------------ names in FINRA's files

-- Name, market and spellings of a security are those of the copy that was loaded last, and say whose its row is: they make no version by themselves. Before the
-- merge, so that the rows meet. Returns who had rows that have changed, and who has them now.
CREATE FUNCTION rename_short_interest() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.misnamed_short') IS NULL THEN
        CREATE TEMP TABLE misnamed_short (issuer_id bigint, row_id bigint, row_order bigint, holder_id bigint) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.misnamed_short;
    INSERT INTO pg_temp.misnamed_short
    SELECT t.issuer_id, t.row_id, s.row_order, coalesce(s.issuer_id, j.issuer_id)
    FROM (SELECT DISTINCT ON (x.record_key) x.* FROM pg_temp.stage_short_interest x ORDER BY x.record_key, x.row_order DESC) s
    LEFT JOIN disclosed.issuer j ON j.party_key = s.party
    CROSS JOIN LATERAL (
        SELECT t.issuer_id, t.row_id FROM disclosed.short_interest t JOIN disclosed.source o USING (source_id)
        WHERE t.record_key = s.record_key AND o.provider = 'finra'
          AND (t.issuer_id, t.issue_name, t.market_class, t.spellings)
              IS DISTINCT FROM (coalesce(s.issuer_id, j.issuer_id), s.issue_name, s.market_class, s.spellings) OFFSET 0) t;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    WITH made AS (
        INSERT INTO disclosed.issuer (party_key, name)
        SELECT s.party, min(s.issue_name COLLATE "C") FROM pg_temp.misnamed_short m JOIN pg_temp.stage_short_interest s USING (row_order)
        WHERE m.holder_id IS NULL AND s.party IS NOT NULL GROUP BY s.party
        RETURNING issuer_id, party_key)
    UPDATE pg_temp.misnamed_short m SET holder_id = d.issuer_id
    FROM made d JOIN pg_temp.stage_short_interest s ON s.party = d.party_key WHERE s.row_order = m.row_order;
    DELETE FROM pg_temp.misnamed_short m USING pg_temp.stage_short_interest s -- whose both have rows are two records
    WHERE s.row_order = m.row_order AND m.issuer_id <> m.holder_id
      AND EXISTS (SELECT 1 FROM disclosed.short_interest x WHERE x.issuer_id = m.holder_id AND x.record_key = s.record_key);
    RETURN QUERY
    WITH renamed AS (
        UPDATE disclosed.short_interest t
        SET issuer_id = m.holder_id, issue_name = s.issue_name, market_class = s.market_class, spellings = s.spellings, symbol = l.symbol
        FROM pg_temp.misnamed_short m JOIN pg_temp.stage_short_interest s USING (row_order)
        LEFT JOIN LATERAL disclosed.listing_on(s.spellings, s.issue_name, s.settlement_date) l ON l.issuer_id = m.holder_id
        WHERE t.issuer_id = m.issuer_id AND t.row_id = m.row_id AND m.holder_id IS NOT NULL
        RETURNING m.issuer_id AS old_id, m.holder_id)
    SELECT r.old_id FROM renamed r UNION SELECT r.holder_id FROM renamed r;
END $$;

-- Before the rows of FINRA's files are merged: a row that says what FINRA said at first, after a file has said something else, is
-- public from when it was taken. A position that the next cycle's row has revised is not what a file said of its own date.
CREATE OR REPLACE FUNCTION restate_short_interest(taken_at timestamptz) RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT 'short_interest', r FROM disclosed.rename_short_interest() AS r;
    WITH said AS (
        SELECT DISTINCT ON (record_key) * FROM pg_temp.stage_short_interest ORDER BY record_key, row_order DESC)
    UPDATE pg_temp.stage_short_interest s SET known_at = greatest(s.known_at, restate_short_interest.taken_at)
    FROM said CROSS JOIN LATERAL (
        SELECT t.current_short_position, t.previous_short_position, t.avg_daily_share_volume, t.known_at, o.content_hash
        FROM disclosed.short_interest t JOIN disclosed.source o USING (source_id)
        WHERE t.record_key = said.record_key AND o.provider = 'finra'
          AND t.revised_from IS NULL
        ORDER BY t.known_at DESC, t.row_id DESC LIMIT 1) t
    WHERE s.row_order = said.row_order AND t.known_at <= greatest(s.known_at, restate_short_interest.taken_at)
      AND t.content_hash IS DISTINCT FROM (SELECT k.content_hash FROM disclosed.source k WHERE k.source_id = s.source_id)
      AND (t.current_short_position, t.previous_short_position, t.avg_daily_share_volume)
          IS DISTINCT FROM (s.current_short_position, s.previous_short_position, s.avg_daily_share_volume);
END $$;

-- ------------------------------------------------------------------------------ the basis of key figures

-- Before lines of key figures are merged. A metric is of periods or of instants: where lines of the same source and instant had said the other of it, for the
-- same end, these hold no longer, and those that are stated again do. Returns what has to be derived, with how many versions have ended, and how many hold again.
CREATE FUNCTION settle_kpi_bases() RETURNS TABLE (dataset text, changed_issuer bigint, ended bigint, resumed bigint) LANGUAGE plpgsql AS $$
DECLARE
    issuers bigint[];
    numbers bigint[];
    is_out boolean[];
BEGIN
    WITH staged AS MATERIALIZED (
        SELECT DISTINCT ON (coalesce(s.issuer_id, c.issuer_id, p.issuer_id), s.record_key)
               coalesce(s.issuer_id, c.issuer_id, p.issuer_id) AS issuer_id, s.record_key, s.metric_key, s.dimension, s.member, s.end_date, s.source_type, s.basis,
               s.known_at, s.accession, o.provider, o.url
        FROM pg_temp.stage_kpi_observation s JOIN disclosed.source o USING (source_id)
        LEFT JOIN disclosed.issuer c ON c.cik = s.cik LEFT JOIN disclosed.issuer p ON p.party_key = s.party
        ORDER BY 1, 2, s.row_order DESC)
    SELECT array_agg(m.issuer_id ORDER BY m.row_id), array_agg(m.row_id ORDER BY m.row_id), array_agg(NOT m.is_same ORDER BY m.row_id)
    INTO issuers, numbers, is_out
    FROM (SELECT DISTINCT t.issuer_id, t.row_id, s.basis = t.basis AS is_same
          FROM staged s
          JOIN disclosed.kpi_observation t
            ON t.issuer_id = s.issuer_id AND t.metric_key = s.metric_key AND t.end_date = s.end_date AND t.source_type = s.source_type
           AND (t.dimension, t.member, t.accession) IS NOT DISTINCT FROM (s.dimension, s.member, s.accession) AND t.known_at = s.known_at
          JOIN disclosed.source o ON o.source_id = t.source_id AND o.provider = s.provider AND o.url IS NOT DISTINCT FROM s.url
          JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id AND r.source = 'ndjson'
          WHERE CASE WHEN s.basis = t.basis THEN t.left_out AND t.record_key = s.record_key
                     ELSE t.left_out IS NULL AND NOT EXISTS (SELECT 1 FROM staged n WHERE n.issuer_id = t.issuer_id AND n.record_key = t.record_key) END) m;
    IF numbers IS NOT NULL THEN
        RETURN QUERY SELECT 'kpi_observation', l.changed_issuer, l.ended, l.resumed
                     FROM disclosed.leave_out('kpi_observation', numbers, issuers, numbers, is_out) l;
    END IF;
END $$;
