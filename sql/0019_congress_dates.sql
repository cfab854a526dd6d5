-- When a report of Congress was filed follows from all that files say of it, in whatever order they come: what each says is
-- kept, and the best of it dates the report's rows. Stated days come before bounds; of days by which it must have been
-- filed the earliest counts, of those before which it cannot have been the latest.

SET LOCAL search_path = disclosed, public;

-- Kept apart from the trades: a file may say something of rows that another one brings.
CREATE TABLE congress_date (
    chamber     text NOT NULL CHECK (chamber IN ('senate', 'house')),
    report_id   text NOT NULL,
    dated_as    text NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('report', 'copy', 'notified', 'bound', 'named', 'seen')),
    filing_date date NOT NULL,
    known_at    timestamptz NOT NULL,
    PRIMARY KEY (chamber, report_id, dated_as, kind, filing_date)
);
COMMENT ON TABLE congress_date IS 'what files say of when a report was filed, each with the first time at which one said so';
COMMENT ON COLUMN congress_date.dated_as IS 'the words beside which it stands, see congress_dated_as(); empty: it is said of the whole report';
COMMENT ON COLUMN congress_date.kind IS
    'report: its signature; copy: the date that a copy has beside the row; notified: the same, in a file whose dates are those of '
    'notification; bound: a day by which it must have been filed; named: the latest day that its rows name; seen: nothing is '
    'said, but a file of that day had it';

-- What a file of the time `file_at` says. What it has of a day that is more than two weeks later than itself stands beside rows
-- that are rejected for it (a CHECK of congress_trade); a day of filing is not known before it comes.
CREATE FUNCTION congress_dates_said(said jsonb, file_at timestamptz)
RETURNS TABLE (report_id text, dated_as text, kind text, filing_date date, known_at timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT s.report_id, coalesce(s.dated_as, ''), s.kind, s.filing_date,
           CASE s.kind WHEN 'copy' THEN greatest(file_at, s.filing_date::timestamp AT TIME ZONE 'UTC') ELSE file_at END
    FROM jsonb_to_recordset(said) AS s(report_id text, dated_as text, kind text, filing_date date)
    WHERE s.kind IN ('report', 'copy', 'bound') OR s.filing_date <= (file_at AT TIME ZONE 'UTC')::date + 14
$$;

-- The lines of a report: a day, what it is, and from when it is known. Where the day of filing is known, or one by which
-- it must have been filed, the report was public from then on and has one line. Otherwise each later line is a better one; those
-- with words are of the trades that say them. `more` is said by a file of the time `more_at`.
CREATE FUNCTION congress_date_lines(in_chamber text, reports text[], more jsonb, more_at timestamptz)
RETURNS TABLE (report_id text, dated_as text, from_at timestamptz, filing_date date, basis text, is_public boolean)
LANGUAGE sql STABLE SET enable_nestloop = off AS $$
    WITH said AS MATERIALIZED (
        SELECT d.report_id, d.dated_as, d.kind, d.filing_date, d.known_at FROM disclosed.congress_date d
        WHERE d.chamber = in_chamber AND d.report_id = ANY(reports)
        UNION
        SELECT m.report_id, m.dated_as, m.kind, m.filing_date, m.known_at FROM disclosed.congress_dates_said(more, more_at) m),
    public AS MATERIALIZED (
        SELECT DISTINCT ON (p.report_id) p.report_id, p.filing_date, p.basis, p.known_at
        FROM (SELECT i.report_id, 1 AS place, i.filing_date, 'stated' AS basis, i.known_at FROM disclosed.congress_report i
              WHERE in_chamber = 'house' AND i.report_id = ANY(reports) AND i.superseded_at IS NULL AND i.filing_date IS NOT NULL
              UNION ALL
              SELECT s.report_id, 2, max(s.filing_date), 'stated', disclosed.end_of_day(max(s.filing_date)) FROM said s
              WHERE s.kind = 'report' GROUP BY s.report_id
              UNION ALL -- a House report's copies that have several days have those of notification
              SELECT s.report_id, 3, max(s.filing_date), 'stated', disclosed.end_of_day(max(s.filing_date)) FROM said s
              WHERE s.kind IN ('copy', 'notified') GROUP BY s.report_id
              HAVING bool_and(s.kind = 'copy') AND (in_chamber = 'senate' OR min(s.filing_date) = max(s.filing_date))
              UNION ALL
              SELECT s.report_id, 4, min(s.filing_date), 'latest_possible', disclosed.end_of_day(min(s.filing_date) + 1)
              FROM said s WHERE s.kind = 'bound' GROUP BY s.report_id) p
        ORDER BY p.report_id, p.place),
    hint AS MATERIALIZED ( -- the lower the score, the better
        SELECT s.report_id, s.dated_as, s.kind, s.filing_date, s.known_at,
               CASE s.kind WHEN 'named' THEN 2000000 - (s.filing_date - date '1900-01-01')
                           WHEN 'seen' THEN 3000000 + (s.filing_date - date '1900-01-01')
                           ELSE s.filing_date - date '1900-01-01' END AS score
        FROM said s LEFT JOIN public p USING (report_id)
        WHERE p.report_id IS NULL AND s.kind IN ('copy', 'notified', 'named', 'seen')),
    candidate AS (
        SELECT k.report_id, k.dated_as, h.kind, h.filing_date, h.known_at, h.score
        FROM (SELECT DISTINCT o.report_id, o.dated_as, n.said_of FROM hint o
              CROSS JOIN LATERAL (SELECT o.dated_as UNION SELECT '') n(said_of)) k
        JOIN hint h ON h.report_id = k.report_id AND h.dated_as = k.said_of),
    ordered AS (
        SELECT c.*, min(c.score) OVER (PARTITION BY c.report_id, c.dated_as ORDER BY c.known_at, c.score
                                       ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS score_before
        FROM candidate c)
    SELECT p.report_id, '', p.known_at, p.filing_date, p.basis, true FROM public p
    UNION ALL
    SELECT o.report_id, o.dated_as, o.known_at, o.filing_date,
           CASE o.kind WHEN 'named' THEN 'earliest_possible' WHEN 'seen' THEN 'latest_possible' ELSE 'notified' END, false
    FROM ordered o WHERE o.score_before IS NULL OR o.score < o.score_before
$$;

-- The rows of a file that are dated otherwise than the file alone would have it, by all that is known.
CREATE FUNCTION date_congress_rows(in_chamber text, file_at timestamptz, said jsonb, given_rows jsonb)
RETURNS TABLE (n integer, filing_date date, basis text, known_at timestamptz)
LANGUAGE sql STABLE SET enable_nestloop = off AS $$
    WITH given AS MATERIALIZED (
        SELECT r.n, r.report_id, r.dated_as, r.filing_date, r.basis, coalesce(r.known_at, disclosed.end_of_day(r.known_on)) AS known_at,
               r.said_at, r.day > (file_at AT TIME ZONE 'UTC')::date + 14 AS is_faulty
        FROM jsonb_to_recordset(given_rows) AS r(n integer, report_id text, dated_as text, filing_date date, basis text,
                                                 known_at timestamptz, known_on date, said_at timestamptz, day date)),
    line AS MATERIALIZED (
        SELECT l.*, min(l.from_at) OVER (PARTITION BY l.report_id, l.dated_as) AS first_at
        FROM disclosed.congress_date_lines(in_chamber, ARRAY(SELECT DISTINCT g.report_id FROM given g), said, file_at) l),
    dated AS (
        SELECT DISTINCT ON (g.n) g.n, l.filing_date, l.basis, w.known_at, g.filing_date AS given_date, g.basis AS given_basis,
               g.known_at AS given_at
        FROM given g CROSS JOIN LATERAL (SELECT g.dated_as UNION SELECT '') k(said_of)
        JOIN line l ON l.report_id = g.report_id AND l.dated_as = k.said_of
        CROSS JOIN LATERAL (
            -- rows that their file dates are known from the file's own time on where that day turns out to be another
            SELECT CASE WHEN l.is_public THEN l.from_at
                        WHEN g.basis = 'stated' THEN greatest(least(file_at, g.said_at), l.first_at)
                        ELSE greatest(g.known_at, l.first_at) END AS known_at) w
        WHERE l.is_public OR l.from_at <= w.known_at AND g.is_faulty IS NOT TRUE
        ORDER BY g.n, l.dated_as = '', l.from_at DESC)
    SELECT d.n, d.filing_date, d.basis, d.known_at FROM dated d
    WHERE (d.filing_date, d.basis, d.known_at) IS DISTINCT FROM (d.given_date, d.given_basis, d.given_at)
$$;

-- Reports of which files contradict each other, or themselves: one line of text, or none.
CREATE FUNCTION congress_date_contradictions(in_chamber text, reports text[]) RETURNS text LANGUAGE sql STABLE AS $$
    WITH report AS (
        SELECT d.report_id, min(d.filing_date) FILTER (WHERE d.kind = 'bound') AS bound,
               max(d.filing_date) FILTER (WHERE d.kind = 'named') AS named,
               min(d.filing_date) FILTER (WHERE d.kind = 'copy') AS stated, max(d.filing_date) FILTER (WHERE d.kind = 'copy') AS stated_later
        FROM disclosed.congress_date d WHERE d.chamber = in_chamber AND d.report_id = ANY(reports) GROUP BY d.report_id),
    contradiction AS (
        SELECT r.report_id, CASE WHEN r.bound < r.named THEN format('filed by %s, names %s', r.bound, r.named)
                                 ELSE format('filed on %s and on %s', r.stated, r.stated_later) END AS what
        FROM report r WHERE r.bound < r.named OR r.stated < r.stated_later)
    SELECT format('dates of %s reports contradict each other: %s', count(*), string_agg(t.line, '; ' ORDER BY t.line)
                  FILTER (WHERE t.place <= 3))
           || CASE WHEN count(*) > 3 THEN '; ...' ELSE '' END
    FROM (SELECT c.report_id || ' (' || c.what || ')' AS line, row_number() OVER (ORDER BY c.report_id) AS place
          FROM contradiction c) t
    HAVING count(*) > 0
$$;

-- ---------------------------------------------------------------- versions

-- The lines that each version has which a file said: of its own words, else of its report.
CREATE FUNCTION congress_version_lines(issuers bigint[])
RETURNS TABLE (issuer_id bigint, row_id bigint, from_at timestamptz, first_at timestamptz, filing_date date, basis text,
               is_public boolean)
LANGUAGE sql STABLE SET enable_nestloop = off AS $$
    WITH report AS MATERIALIZED (
        SELECT DISTINCT r.chamber, r.report_id FROM disclosed.congress_trade r
        WHERE r.issuer_id = ANY(issuers) AND disclosed.is_congress_base_key(r.record_key)
        UNION
        SELECT r.chamber, r.report_id FROM disclosed.congress_trade r
        WHERE r.chamber = 'house' AND disclosed.is_congress_base_key(r.record_key)
          AND r.report_id IN (SELECT i.report_id FROM disclosed.congress_report i WHERE i.issuer_id = ANY(issuers))),
    line AS MATERIALIZED (
        SELECT c.chamber, l.*, min(l.from_at) OVER (PARTITION BY c.chamber, l.report_id, l.dated_as) AS first_at
        FROM (SELECT r.chamber, array_agg(r.report_id) AS reports FROM report r GROUP BY r.chamber) c
        CROSS JOIN LATERAL disclosed.congress_date_lines(c.chamber, c.reports, NULL, NULL) l),
    said AS (
        SELECT t.issuer_id, t.row_id, t.chamber, t.report_id, regexp_replace(t.record_key, '/\d+$', '') AS base,
               substring(t.record_key FROM '\d+$')::integer AS number,
               disclosed.congress_words(t.asset_type, t.asset_name, t.comment) AS words
        FROM report r JOIN disclosed.congress_trade t USING (chamber, report_id)
        WHERE disclosed.is_congress_base_key(t.record_key) AND t.redated_from IS NULL),
    version AS (
        SELECT s.issuer_id, s.row_id, s.chamber, s.report_id, coalesce(o.dated_as, '') AS dated_as
        FROM (SELECT w.*, disclosed.congress_dated_as(w.base, w.words, dense_rank() OVER (
                         PARTITION BY w.base, w.words ORDER BY w.number)) AS dated_as FROM said w) s
        LEFT JOIN (SELECT DISTINCT l.chamber, l.report_id, l.dated_as FROM line l WHERE l.dated_as <> '') o
          ON o.chamber = s.chamber AND o.report_id = s.report_id AND o.dated_as = s.dated_as)
    SELECT v.issuer_id, v.row_id, l.from_at, l.first_at, l.filing_date, l.basis, l.is_public
    FROM version v JOIN line l ON l.chamber = v.chamber AND l.report_id = v.report_id AND l.dated_as = v.dated_as
$$;

-- Reports are dated by the best that is known of them. Those of which the Clerk's index knows the day of filing have it, and
-- a district that their source lacks, from there. Looks at the reports of `issuers`, politicians or the Clerk's office. Returns the
-- politicians.
CREATE FUNCTION date_congress_versions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
    RETURN QUERY
    WITH dated AS MATERIALIZED (
        SELECT DISTINCT ON (t.issuer_id, t.row_id) t.issuer_id, t.row_id, l.filing_date, l.basis, w.known_at
        FROM disclosed.congress_version_lines(issuers) l JOIN disclosed.congress_trade t USING (issuer_id, row_id)
        CROSS JOIN LATERAL (SELECT CASE WHEN l.is_public THEN l.from_at
                                        ELSE greatest(coalesce(t.seen_at, t.known_at), l.first_at) END AS known_at) w
        WHERE l.is_public OR l.from_at <= w.known_at
        ORDER BY t.issuer_id, t.row_id, l.from_at DESC)
    UPDATE disclosed.congress_trade t
    SET filing_date = d.filing_date, filing_date_basis = d.basis, known_at = d.known_at,
        superseded_at = CASE WHEN t.superseded_at = t.known_at THEN d.known_at
                             WHEN t.superseded_at IS NOT NULL THEN greatest(t.superseded_at, d.known_at) END
    FROM dated d
    WHERE t.issuer_id = d.issuer_id AND t.row_id = d.row_id
      AND (t.filing_date, t.filing_date_basis, t.known_at) IS DISTINCT FROM (d.filing_date, d.basis, d.known_at)
    RETURNING t.issuer_id;
    RETURN QUERY
    UPDATE disclosed.congress_trade t SET state_district = i.state_district
    FROM disclosed.congress_report i
    WHERE t.chamber = 'house' AND t.report_id = i.report_id AND t.state_district IS NULL AND i.state_district IS NOT NULL
      AND i.superseded_at IS NULL AND i.filing_date IS NOT NULL AND disclosed.is_congress_base_key(t.record_key)
      AND (t.issuer_id = ANY(issuers) OR i.issuer_id = ANY(issuers))
    RETURNING t.issuer_id;
END $$;

-- House trades of NDJSON take the filing date from the Clerk's index as well, and a district that their source lacks. All versions
-- become known when the report was public: what was said of a trade before the last of them was in force at no time.
CREATE FUNCTION date_congress_reports(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    UPDATE disclosed.congress_trade t
    SET filing_date = r.filing_date, filing_date_basis = 'stated', known_at = r.known_at,
        state_district = coalesce(t.state_district, r.state_district),
        superseded_at = CASE WHEN t.superseded_at IS NULL THEN NULL
                             WHEN t.superseded_at = t.known_at OR r.is_followed THEN r.known_at
                             ELSE greatest(t.superseded_at, r.known_at) END
    FROM (SELECT d.*, EXISTS (
                     SELECT 1 FROM disclosed.congress_trade n
                     WHERE n.issuer_id = d.issuer_id AND n.record_key = d.record_key
                       AND (n.known_at, n.row_id) > (d.was_known_at, d.row_id)) AS is_followed
          FROM (SELECT c.issuer_id, c.row_id, c.record_key, c.known_at AS was_known_at,
                       i.filing_date, i.known_at, i.state_district
                FROM disclosed.congress_report i
                JOIN disclosed.congress_trade c ON c.chamber = 'house' AND c.report_id = i.report_id
                WHERE i.issuer_id = ANY(issuers) AND NOT disclosed.is_congress_base_key(c.record_key)
                  AND i.superseded_at IS NULL AND i.filing_date IS NOT NULL
                UNION
                SELECT c.issuer_id, c.row_id, c.record_key, c.known_at, i.filing_date, i.known_at, i.state_district
                FROM disclosed.congress_trade c
                JOIN disclosed.congress_report i ON i.report_id = c.report_id
                WHERE c.issuer_id = ANY(issuers) AND c.chamber = 'house' AND NOT disclosed.is_congress_base_key(c.record_key)
                  AND i.superseded_at IS NULL AND i.filing_date IS NOT NULL) d) r
    WHERE t.issuer_id = r.issuer_id AND t.row_id = r.row_id
      AND (t.filing_date, t.filing_date_basis, t.known_at, t.state_district)
          IS DISTINCT FROM (r.filing_date, 'stated', r.known_at,
                            coalesce(t.state_district, r.state_district))
    RETURNING t.issuer_id
$$;

-- From when to when each version holds: those that files said and, behind each that stands, what is known better of its date
-- later on (not `is_said`). A report that was read to its end is the whole of it: copies of its rows were in force at no time.
-- Of one that was read in part the rows that were read stand before their copies. Of copies the one that says most stands from
-- when it is known, whatever was loaded before or after; an amendment ends them all.
CREATE FUNCTION congress_version_slices(issuers bigint[])
RETURNS TABLE (issuer_id bigint, row_id bigint, is_said boolean, from_at timestamptz, ends_at timestamptz, filing_date date, basis text)
LANGUAGE sql STABLE SET enable_nestloop = off AS $$
    WITH version AS (
        SELECT t.issuer_id, t.row_id, t.record_key, t.known_at, t.superseded_at, t.read_from, a.amended_at, w.filled, w.words,
               bool_or(t.read_from = 'report') OVER (PARTITION BY t.chamber, t.report_id) AS is_read,
               bool_or(t.read_from LIKE '%report') OVER (PARTITION BY t.record_key) AS is_read_itself
        FROM (SELECT DISTINCT r.chamber, r.report_id FROM disclosed.congress_trade r
              WHERE r.issuer_id = ANY(issuers) AND disclosed.is_congress_base_key(r.record_key)) r
        JOIN disclosed.congress_trade t USING (chamber, report_id)
        CROSS JOIN LATERAL (
            SELECT num_nonnulls(t.ticker, t.asset_name, t.asset_type, t.amount_range, t.owner, t.comment, t.first_name,
                                t.political_party, t.state_district) AS filled,
                   concat_ws('|', t.ticker, t.asset_name, t.asset_type, t.amount_range, t.owner, t.comment, t.first_name,
                             t.last_name, t.political_party, t.state_district) AS words) w
        CROSS JOIN LATERAL (
            SELECT min(a.known_at) AS amended_at FROM disclosed.congress_trade a
            WHERE a.issuer_id = t.issuer_id AND a.amends = t.report_id AND a.chamber = t.chamber AND a.report_id <> t.report_id
              AND a.superseded_at IS DISTINCT FROM a.known_at) a
        WHERE disclosed.is_congress_base_key(t.record_key) AND t.redated_from IS NULL),
    ranked AS (
        SELECT v.*, c.counts, row_number() OVER (PARTITION BY v.record_key, c.counts
                                                 ORDER BY v.filled DESC, length(v.words) DESC, v.words COLLATE "C", v.known_at,
                                                          v.row_id) AS place
        FROM version v
        CROSS JOIN LATERAL (SELECT v.read_from = 'report' OR NOT v.is_read
                                   AND (v.read_from = 'part_of_report' OR NOT v.is_read_itself) AS counts) c),
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
        FROM said s JOIN disclosed.congress_version_lines(issuers) l USING (issuer_id, row_id)
        WHERE NOT l.is_public AND l.from_at > s.known_at AND (s.ends_at IS NULL OR l.from_at < s.ends_at))
    SELECT s.issuer_id, s.row_id, s.is_said, s.from_at,
           coalesce(lead(s.from_at) OVER (PARTITION BY s.issuer_id, s.row_id ORDER BY s.from_at), s.ends_at), s.filing_date, s.basis
    FROM slice s
$$;

-- Makes the stored versions those. Versions that end go first, so that no two are in force on the way. Returns the politicians.
CREATE FUNCTION order_congress_versions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    open boolean;
BEGIN
    CREATE TEMP TABLE congress_slice ON COMMIT DROP AS SELECT * FROM disclosed.congress_version_slices(issuers);
    RETURN QUERY DELETE FROM disclosed.congress_trade t
        WHERE t.redated_from IS NOT NULL
          AND (t.chamber, t.report_id) IN (
              SELECT r.chamber, r.report_id FROM disclosed.congress_trade r WHERE r.issuer_id = ANY(issuers))
          AND NOT EXISTS (SELECT 1 FROM pg_temp.congress_slice s
                          WHERE NOT s.is_said AND s.issuer_id = t.issuer_id AND s.row_id = t.redated_from AND s.from_at = t.known_at
                            AND s.filing_date = t.filing_date AND s.basis = t.filing_date_basis)
        RETURNING t.issuer_id;
    FOREACH open IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY UPDATE disclosed.congress_trade t SET superseded_at = s.ends_at FROM pg_temp.congress_slice s
            WHERE t.issuer_id = s.issuer_id AND coalesce(t.redated_from, t.row_id) = s.row_id
              AND (t.redated_from IS NULL) = s.is_said AND t.known_at = s.from_at
              AND t.superseded_at IS DISTINCT FROM s.ends_at AND (s.ends_at IS NULL) <= open
            RETURNING t.issuer_id;
        CONTINUE WHEN open;
        RETURN QUERY INSERT INTO disclosed.congress_trade (
                id, issuer_id, record_key, known_at, superseded_at, import_run_id, src_digest, source_provider, source_url, accession,
                quote, content_hash, extracted_at, chamber, report_id, row_number, amends, first_name, last_name, political_party,
                state_district, ticker, asset_name, asset_type, transaction_type, amount_range, owner, comment, transaction_date,
                filing_date, filing_date_basis, company_id, symbol, read_from, seen_at, redated_from)
            SELECT t.id, t.issuer_id, t.record_key, s.from_at, s.ends_at, t.import_run_id, t.src_digest, t.source_provider,
                t.source_url, t.accession, t.quote, t.content_hash, t.extracted_at, t.chamber, t.report_id, t.row_number, t.amends,
                t.first_name, t.last_name, t.political_party, t.state_district, t.ticker, t.asset_name, t.asset_type,
                t.transaction_type, t.amount_range, t.owner, t.comment, t.transaction_date, s.filing_date, s.basis, t.company_id,
                t.symbol, t.read_from, t.seen_at, t.row_id
            FROM pg_temp.congress_slice s JOIN disclosed.congress_trade t USING (issuer_id, row_id)
            WHERE NOT s.is_said
              AND NOT EXISTS (SELECT 1 FROM disclosed.congress_trade d
                              WHERE d.issuer_id = s.issuer_id AND d.redated_from = s.row_id AND d.known_at = s.from_at)
            ORDER BY t.row_id, s.from_at
            RETURNING congress_trade.issuer_id;
    END LOOP;
    DROP TABLE pg_temp.congress_slice;
END $$;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON congress_date TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON congress_date TO disclosed_loader;
