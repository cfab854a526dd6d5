-- What a wrong copy said does not stay behind the good one: reports of Congress and files of whole reports, the districts of the Clerk's index, names
-- that FINRA's files state, several dividends of a day, and the basis of key figures.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------------ reports of Congress

ALTER TABLE congress_trade ADD COLUMN of_reports boolean, ADD COLUMN left_out boolean, ADD COLUMN of_index boolean;
COMMENT ON COLUMN congress_trade.of_reports IS
    'whether no file says it but reports themselves and files that hold them whole; NULL: a file that may leave rows out does';
COMMENT ON COLUMN congress_trade.left_out IS
    'whether the copy of its report that was loaded last lacks it, and no other file says it; NULL: no. By take_congress_copies()';
COMMENT ON COLUMN congress_trade.of_index IS
    'whether no file names its district, which is that of the Clerk''s index; NULL: one does, or it was loaded before this column was there';
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

-- Notes which rows of a file have their district from the Clerk's index, those that the file has brought, and which stored ones have it from the file.
CREATE FUNCTION note_districts(in_chamber text, reports text[], given_rows jsonb) RETURNS void LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
    IF in_chamber <> 'house' OR NOT (jsonb_path_exists(given_rows, '$[*] ? (@.is_of_index == true)')
                                     OR EXISTS (SELECT 1 FROM disclosed.congress_trade t
                                                WHERE t.chamber = in_chamber AND t.report_id = ANY (reports) AND t.of_index)) THEN
        RETURN;
    END IF;
    UPDATE disclosed.congress_trade t SET of_index = CASE WHEN g.is_of_index THEN true END
    FROM jsonb_to_recordset(given_rows) AS g(record_key text, is_of_index boolean, state_district text, read_from text)
    WHERE t.chamber = in_chamber AND t.record_key = g.record_key AND t.state_district = g.state_district AND t.read_from = g.read_from
      AND CASE WHEN g.is_of_index THEN t.of_index IS NULL AND t.recorded_at = now() ELSE t.of_index END;
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
    reports text[] := ARRAY(SELECT DISTINCT g.report_id FROM jsonb_to_recordset(given_rows) AS g(report_id text));
    whole text[];
    redated text[];
    former text[];
BEGIN
    PERFORM disclosed.note_districts(in_chamber, reports, given_rows);
    IF NOT is_of_reports AND NOT EXISTS (SELECT 1 FROM disclosed.congress_trade t WHERE t.chamber = in_chamber AND t.report_id = ANY (reports) AND t.of_reports)
       AND NOT EXISTS (SELECT 1 FROM disclosed.congress_date d WHERE d.chamber = in_chamber AND d.report_id = ANY (reports) AND d.of_reports) THEN
        RETURN QUERY SELECT d.dataset, d.politician, 0::bigint, 0::bigint
                     FROM disclosed.take_congress_dates(in_chamber, file_at, said, given_rows, file_hash) d;
        RETURN;
    END IF;
    WITH given AS MATERIALIZED (
        SELECT r.* FROM jsonb_to_recordset(given_rows) AS r(
            n integer, report_id text, record_key text, named text, row_number integer, owner text, ticker text, asset_name text, asset_type text,
            amount_range text, comment text, first_name text, last_name text, political_party text, state_district text, read_from text)),
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
        SELECT array_agg(DISTINCT c.report_id), array_agg(DISTINCT c.report_id) FILTER (WHERE c.is_former) INTO redated, former
        FROM (SELECT report_id, false AS is_former FROM begun UNION ALL SELECT report_id, true FROM ended) c;
    ELSE
        UPDATE disclosed.congress_date d SET of_reports = NULL
        FROM disclosed.congress_dates_said(said, file_at) s
        WHERE d.chamber = in_chamber AND d.report_id = s.report_id AND d.dated_as = s.dated_as AND d.kind = s.kind
          AND d.filing_date = s.filing_date AND d.of_reports;
    END IF;
    RETURN QUERY SELECT d.dataset, d.politician, 0::bigint, 0::bigint
                 FROM disclosed.take_congress_dates(in_chamber, file_at, said, given_rows, file_hash) d;
    IF former IS NOT NULL THEN -- what is written is settled: see written_congress_reports()
        UPDATE disclosed.congress_date d SET known_at = d.known_at WHERE d.chamber = in_chamber AND d.report_id = ANY (former);
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
                AND v.report_id = ANY (reports)
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

-- Trades whose files name no district have the index's. Where a copy of the index says another one, they have what the copy says that was loaded last,
-- and are of whom it means. Returns the politicians.
CREATE FUNCTION put_districts_right(reports text[]) RETURNS SETOF bigint LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
    IF to_regclass('pg_temp.wrong_district') IS NULL THEN
        CREATE TEMP TABLE wrong_district (issuer_id bigint, row_id bigint, state_district text, party_key text) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.wrong_district;
    INSERT INTO pg_temp.wrong_district
    SELECT t.issuer_id, t.row_id, min(i.state_district COLLATE "C"),
           min(regexp_replace(p.party_key, '-' || lower(left(t.state_district, 2)) || '$', '-' || lower(left(i.state_district, 2))) COLLATE "C")
    FROM disclosed.congress_trade t JOIN disclosed.congress_report i ON i.report_id = t.report_id AND i.superseded_at IS NULL
    JOIN disclosed.issuer p ON p.issuer_id = t.issuer_id
    WHERE t.chamber = 'house' AND t.report_id = ANY (reports) AND t.state_district <> i.state_district
      AND (t.of_index OR EXISTS (SELECT 1 FROM disclosed.congress_trade o
                                 WHERE o.issuer_id = t.issuer_id AND o.row_id = t.redated_from AND o.of_index))
    GROUP BY t.issuer_id, t.row_id;
    IF NOT FOUND THEN
        RETURN;
    END IF;
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
                UPDATE disclosed.congress_trade t SET state_district = i.state_district, of_index = true
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
CREATE FUNCTION reconcile_kpi_bases() RETURNS TABLE (dataset text, changed_issuer bigint, ended bigint, resumed bigint) LANGUAGE plpgsql AS $$
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

-- ------------------------------------------------------------------------------ several dividends of a day

CREATE TABLE dividends_told (
    spellings text NOT NULL,
    day_key   text NOT NULL,
    file_name text NOT NULL,
    taken_at  timestamptz NOT NULL,
    amounts   numeric[] NOT NULL,
    PRIMARY KEY (spellings, day_key, file_name, taken_at)
);
COMMENT ON TABLE dividends_told IS
    'of shares and days with several dividends: which amounts files of a name have, from the first that was taken with them to the first with others';
GRANT SELECT ON dividends_told TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON dividends_told TO disclosed_loader;

-- Keeps which of several dividends of a day the staged file has, whose keys they have got. Returns the issuers of whom it says something else than files of its
-- name that were taken before it.
CREATE FUNCTION keep_dividends_told() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    staged record;
    earlier disclosed.dividends_told;
    later disclosed.dividends_told;
BEGIN
    FOR staged IN
        SELECT s.spellings, disclosed.action_day_key(s.symbol_code, s.kind, s.action_date) AS day_key, regexp_replace(r.file, '^.*[/:]', '') AS file_name,
               s.taken_at, array_agg(DISTINCT trim_scale(s.amount) ORDER BY trim_scale(s.amount)) AS amounts,
               min(coalesce(s.issuer_id, i.issuer_id, j.issuer_id)) AS issuer_id
        FROM pg_temp.stage_corporate_action s JOIN disclosed.source o USING (source_id) JOIN disclosed.import_run r USING (import_run_id)
        LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party
        WHERE s.of_several AND s.kind = 'dividend' AND s.spellings IS NOT NULL AND s.taken_at IS NOT NULL AND s.amount > 0 AND r.file IS NOT NULL
        GROUP BY 1, 2, 3, 4 ORDER BY 4, 1, 2, 3
    LOOP
        SELECT * INTO earlier FROM disclosed.dividends_told d
        WHERE d.spellings = staged.spellings AND d.day_key = staged.day_key AND d.file_name = staged.file_name AND d.taken_at <= staged.taken_at
        ORDER BY d.taken_at DESC LIMIT 1;
        CONTINUE WHEN staged.amounts <@ earlier.amounts AND (earlier.amounts <@ staged.amounts OR earlier.taken_at = staged.taken_at);
        SELECT * INTO later FROM disclosed.dividends_told d
        WHERE d.spellings = staged.spellings AND d.day_key = staged.day_key AND d.file_name = staged.file_name AND d.taken_at > staged.taken_at
        ORDER BY d.taken_at LIMIT 1;
        IF later.amounts = staged.amounts AND earlier.taken_at IS DISTINCT FROM staged.taken_at THEN
            DELETE FROM disclosed.dividends_told d
            WHERE d.spellings = later.spellings AND d.day_key = later.day_key AND d.file_name = later.file_name AND d.taken_at = later.taken_at;
        END IF;
        INSERT INTO disclosed.dividends_told AS d (spellings, day_key, file_name, taken_at, amounts)
        VALUES (staged.spellings, staged.day_key, staged.file_name, staged.taken_at, staged.amounts)
        ON CONFLICT (spellings, day_key, file_name, taken_at) DO UPDATE
        SET amounts = ARRAY(SELECT unnest(d.amounts) UNION SELECT unnest(excluded.amounts) ORDER BY 1);
        IF staged.issuer_id IS NOT NULL THEN
            RETURN NEXT staged.issuer_id;
        END IF;
    END LOOP;
END $$;

-- Before the rows of a file are merged. What has been said before is the statement that is stored: since the earliest of
-- the files that say it, from the provider whose name comes first, and one of several if any file says so. Where a file of the same
-- name that was taken between the two says something else, it is a statement of its own, which is stored where it meets none that says the
-- same: files of other names, as of two vendors, contradict each other however often they are loaded.
CREATE OR REPLACE FUNCTION meet_corporate_actions() RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT 'corporate_action', r FROM disclosed.key_staged_dividends() AS r;
    RETURN QUERY SELECT 'corporate_action', r FROM disclosed.keep_dividends_told() AS r;
    RETURN QUERY
    WITH met AS MATERIALIZED (
        SELECT s.*, o.provider, o.url, t.issuer_id AS holder_id, t.row_id, t.known_at AS stored_at, t.is_again,
               (SELECT min(n.known_at) - interval '1 microsecond' FROM disclosed.corporate_action n
                WHERE t.is_again AND n.issuer_id = t.issuer_id AND n.record_key = s.record_key AND n.standing = t.standing
                  AND n.taken_at > s.taken_at) AS before_next
        FROM pg_temp.stage_corporate_action s JOIN disclosed.source o USING (source_id)
        LEFT JOIN disclosed.import_run f ON f.import_run_id = o.import_run_id
        LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party
        CROSS JOIN LATERAL (
            SELECT t.issuer_id, t.row_id, t.known_at, t.standing, EXISTS (
                SELECT 1 FROM disclosed.corporate_action n JOIN disclosed.source b USING (source_id)
                JOIN disclosed.import_run r ON r.import_run_id = b.import_run_id
                WHERE n.issuer_id = t.issuer_id AND n.record_key = t.record_key AND n.standing = t.standing
                  AND regexp_replace(r.file, '^.*[/:]', '') = regexp_replace(f.file, '^.*[/:]', '')
                  AND (n.taken_at > least(s.taken_at, t.taken_at) OR (n.taken_at = t.taken_at AND n.superseded_at IS NULL))
                  AND n.taken_at < greatest(s.taken_at, t.taken_at)
                  AND (n.kind, n.action_date, n.symbol_code, n.ex_dividend_date, n.record_date, n.payment_date, n.declaration_date,
                       n.amount, n.amount_basis, n.annualized_amount, n.payments_a_year, n.currency, n.split_to, n.split_from)
                      IS DISTINCT FROM
                      (s.kind, s.action_date, s.symbol_code, s.ex_dividend_date, s.record_date, s.payment_date, s.declaration_date,
                       s.amount, s.amount_basis, s.annualized_amount, s.payments_a_year, s.currency, s.split_to, s.split_from)) AS is_again
            FROM disclosed.corporate_action t
            WHERE t.issuer_id = coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AND t.record_key = s.record_key
              AND t.taken_at IS NOT NULL
              AND (t.kind, t.action_date, t.symbol_code, t.ex_dividend_date, t.record_date, t.payment_date, t.declaration_date,
                   t.amount, t.amount_basis, t.annualized_amount, t.payments_a_year, t.currency, t.split_to, t.split_from)
                  IS NOT DISTINCT FROM
                  (s.kind, s.action_date, s.symbol_code, s.ex_dividend_date, s.record_date, s.payment_date, s.declaration_date,
                   s.amount, s.amount_basis, s.annualized_amount, s.payments_a_year, s.currency, s.split_to, s.split_from)
            ORDER BY is_again, t.known_at, t.row_id LIMIT 1) t),
    known AS (
        UPDATE pg_temp.stage_corporate_action s
        SET known_at = CASE WHEN m.is_again THEN coalesce(m.before_next, m.taken_at) ELSE m.stored_at END
        FROM met m WHERE s.row_order = m.row_order),
    said AS (
        SELECT holder_id, row_id, min(taken_at) AS taken_at, min(adjusted_on) AS adjusted_on,
               bool_or(coalesce(of_several, false)) AS of_several, min(stated_name) AS stated_name,
               min(stated_ratio) AS stated_ratio, min(provider) AS provider,
               (array_agg(url ORDER BY provider, url))[1] AS url
        FROM met WHERE NOT is_again GROUP BY 1, 2)
    UPDATE disclosed.corporate_action t
    SET taken_at = least(t.taken_at, m.taken_at), adjusted_on = least(t.adjusted_on, m.adjusted_on),
        of_several = t.of_several OR m.of_several, stated_name = least(t.stated_name, m.stated_name),
        stated_ratio = least(t.stated_ratio, m.stated_ratio),
        source_id = CASE WHEN m.provider < o.provider
                         THEN disclosed.source_of(m.provider, m.url, NULL, o.extracted_at, o.import_run_id) ELSE t.source_id END,
        src_digest = CASE WHEN m.provider < o.provider
                          THEN coalesce(disclosed.symbol_digest('corporate_action', m.provider, t.spellings, t.record_key),
                                        t.src_digest) ELSE t.src_digest END
    FROM said m, disclosed.source o
    WHERE o.source_id = t.source_id AND t.issuer_id = m.holder_id AND t.row_id = m.row_id
      AND (m.taken_at < t.taken_at OR m.adjusted_on < t.adjusted_on OR m.of_several > t.of_several
           OR least(t.stated_name, m.stated_name) IS DISTINCT FROM t.stated_name
           OR least(t.stated_ratio, m.stated_ratio) IS DISTINCT FROM t.stated_ratio OR m.provider < o.provider)
    RETURNING 'corporate_action', t.issuer_id;
END $$;

-- When each statement begins and ends, from all that are stored of its dividend. Of one standing the file that was taken
-- first says what was public at the time of the action; what others say otherwise corrects it, from when they were taken;
-- of files taken at one time the one that says most stands, then the larger amount, as adjusting makes amounts
-- smaller. What says less than an earlier statement is in force at no time, nor is a dividend of a day whose
-- several are told by a better source, nor one of several that files of each name which had it have no longer, with no split in between, for which
-- amounts may have been adjusted. An amount that may be
-- adjusted says less than one that cannot be, and nobody knew it before the last split that it may be adjusted for. What
-- is said again after something else was said is in force again.
CREATE OR REPLACE FUNCTION action_timeline(issuers bigint[], OUT issuer_id bigint, OUT row_id bigint, OUT begins_at timestamptz,
                                OUT ends_at timestamptz, OUT split_after date) RETURNS SETOF record LANGUAGE sql STABLE AS $$
    WITH split AS MATERIALIZED (
        SELECT DISTINCT a.issuer_id, a.symbol_code, a.action_date, disclosed.end_of_day(a.action_date) AS happened_at
        FROM disclosed.corporate_action a WHERE a.issuer_id = ANY (issuers) AND a.kind = 'split'),
    stored AS MATERIALIZED (
        SELECT a.issuer_id, a.row_id, a.record_key, a.kind, a.amount,
               2 * a.standing - CASE WHEN a.standing = 0 AND l.split_after IS NOT NULL THEN 1 ELSE 0 END AS standing,
               a.taken_at, a.known_at, a.of_several, l.split_after, o.is_left_out,
               disclosed.action_day_key(a.symbol_code, a.kind, a.action_date) AS day_key,
               CASE WHEN a.taken_at IS NULL THEN a.known_at
                    ELSE least(a.taken_at, disclosed.end_of_day(greatest(a.adjusted_on, l.split_after,
                                                                         coalesce(a.declaration_date, a.action_date)))) END AS public_at,
               num_nonnulls(a.record_date, a.payment_date, a.declaration_date, a.annualized_amount, a.payments_a_year,
                            a.currency, a.amount_basis) AS filled,
               concat_ws('|', a.amount, a.record_date, a.payment_date, a.declaration_date, a.annualized_amount,
                         a.payments_a_year, a.currency, a.amount_basis, a.split_to, a.split_from, a.description) AS words
        FROM disclosed.corporate_action a
        CROSS JOIN LATERAL (
            SELECT max(s.action_date) AS split_after FROM split s
            WHERE a.kind = 'dividend' AND a.standing <= 0 AND s.issuer_id = a.issuer_id AND s.symbol_code = a.symbol_code
              AND s.action_date > a.action_date AND s.happened_at <= a.taken_at) l
        CROSS JOIN LATERAL ( -- of each name the last that had it, and the next one
            SELECT coalesce(bool_and(h.next_at IS NOT NULL AND NOT EXISTS (
                       SELECT 1 FROM split s
                       WHERE s.issuer_id = a.issuer_id AND s.symbol_code = a.symbol_code AND s.action_date > a.action_date
                         AND s.happened_at > h.taken_at AND s.happened_at <= h.next_at)), false) AS is_left_out
            FROM (SELECT DISTINCT ON (d.file_name) d.file_name, d.taken_at, d.next_at
                  FROM (SELECT t.*, lead(t.taken_at) OVER (PARTITION BY t.file_name ORDER BY t.taken_at) AS next_at
                        FROM disclosed.dividends_told t
                        WHERE a.kind = 'dividend' AND a.of_several AND a.taken_at IS NOT NULL AND t.spellings = a.spellings
                          AND t.day_key = disclosed.action_day_key(a.symbol_code, a.kind, a.action_date)) d
                  WHERE a.amount = ANY (d.amounts) ORDER BY d.file_name, d.taken_at DESC) h) o
        WHERE a.issuer_id = ANY (issuers)),
    several AS (
        SELECT s.issuer_id, s.day_key, max(s.standing) AS standing FROM stored s WHERE s.of_several GROUP BY 1, 2),
    -- A record of another source is about the one of several whose amount it has, or had.
    meant AS (
        SELECT s.issuer_id, s.record_key, min(k.record_key) AS cluster
        FROM several g JOIN stored s ON s.issuer_id = g.issuer_id AND s.record_key = g.day_key
        JOIN stored k ON k.issuer_id = s.issuer_id AND k.day_key = s.day_key AND k.amount = s.amount
         AND k.record_key <> s.record_key AND k.taken_at IS NOT NULL
        GROUP BY 1, 2),
    clustered AS (
        SELECT s.*, coalesce(m.cluster, s.record_key) AS cluster, g.standing AS best_of_day,
               bool_or(s.of_several) OVER c AS is_of_several, max(s.standing) OVER c AS best_of_cluster
        FROM stored s LEFT JOIN meant m USING (issuer_id, record_key)
        LEFT JOIN several g ON g.issuer_id = s.issuer_id AND g.day_key = s.day_key
        WINDOW c AS (PARTITION BY s.issuer_id, coalesce(m.cluster, s.record_key))),
    -- What was said before, until something else was said: which files say it in turn.
    turned AS (
        SELECT c.*, count(*) FILTER (WHERE c.words IS DISTINCT FROM c.words_before) OVER (
                   PARTITION BY c.issuer_id, c.cluster, c.standing, c.taken_at IS NULL
                   ORDER BY c.taken_at, c.filled DESC, c.amount DESC, c.words COLLATE "C", c.row_id) AS turn
        FROM (SELECT c.*, lag(c.words) OVER (
                         PARTITION BY c.issuer_id, c.cluster, c.standing, c.taken_at IS NULL
                         ORDER BY c.taken_at, c.filled DESC, c.amount DESC, c.words COLLATE "C", c.row_id) AS words_before
              FROM clustered c) c),
    -- The same said again in one standing and turn: once, and since the first.
    copied AS (
        SELECT c.*, min(c.taken_at) OVER w AS first_taken, min(c.public_at) OVER w AS first_public,
               c.taken_at IS NOT NULL AND row_number() OVER (
                   PARTITION BY c.issuer_id, c.cluster, c.standing, c.words, c.turn, c.taken_at IS NULL
                   ORDER BY c.public_at, c.taken_at, c.record_key COLLATE "C", c.row_id) > 1 AS is_copy
        FROM turned c
        WINDOW w AS (PARTITION BY c.issuer_id, c.cluster, c.standing, c.words, c.turn, c.taken_at IS NULL)),
    ranked AS (
        SELECT c.*,
               row_number() OVER (PARTITION BY c.issuer_id, c.cluster, c.standing, c.taken_at IS NULL, c.is_copy
                                  ORDER BY c.first_taken, c.filled DESC, c.amount DESC, c.words COLLATE "C") AS place,
               row_number() OVER (PARTITION BY c.issuer_id, c.cluster, c.standing, c.is_copy, c.first_taken
                                  ORDER BY c.filled DESC, c.amount DESC, c.words COLLATE "C") AS place_then
        FROM copied c),
    dated AS (
        SELECT r.*,
               r.is_copy OR r.is_left_out OR (r.taken_at IS NOT NULL AND r.place_then > 1)
               OR (NOT r.is_of_several AND r.taken_at IS NOT NULL AND r.best_of_cluster < r.best_of_day) IS TRUE AS is_aside,
               CASE WHEN r.taken_at IS NULL OR r.is_copy OR r.place_then > 1 THEN r.public_at
                    WHEN r.place = 1 THEN r.first_public
                    ELSE greatest(r.first_public, r.first_taken) END AS from_at
        FROM ranked r),
    better AS (
        SELECT d.*, d.standing < max(d.standing) OVER (
                   PARTITION BY d.issuer_id, d.cluster, d.is_aside
                   ORDER BY d.from_at, d.standing, d.taken_at IS NULL, d.row_id ROWS UNBOUNDED PRECEDING) AS is_less
        FROM dated d)
    SELECT b.issuer_id, b.row_id, b.from_at,
           CASE WHEN b.is_aside OR b.is_less THEN b.from_at
                ELSE lead(b.from_at) OVER (PARTITION BY b.issuer_id, b.cluster, b.is_aside, b.is_less
                                           ORDER BY b.from_at, b.standing, b.taken_at IS NULL, b.row_id) END,
           b.split_after
    FROM better b
$$;
