-- What files say of one thing counts by a rule, not by which of them was loaded first.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------------ reports that amend each other

-- What reports of these politicians say that they amend, and from when on. A claim is circular, and does not count, where the two amend each
-- other, by way of others or not, as no filer writes it, and the amended one was filed first of its circle: on one day the first by number. A
-- report that is in force at no time, as it was amended when it became known, has amended others all the same.
CREATE FUNCTION congress_amendments(politicians bigint[])
RETURNS TABLE (issuer_id bigint, chamber text, amending text, amended text, known_at timestamptz, is_circular boolean)
LANGUAGE sql STABLE AS $$
    WITH RECURSIVE claim AS MATERIALIZED (
        SELECT t.issuer_id, t.chamber, t.report_id AS amending, t.amends AS amended, min(t.known_at) AS known_at,
               min(t.known_at) FILTER (WHERE t.superseded_at IS DISTINCT FROM t.known_at) AS in_force_at
        FROM disclosed.congress_trade t
        WHERE t.issuer_id = ANY (politicians) AND t.amends IS NOT NULL AND t.amends <> t.report_id
        GROUP BY 1, 2, 3, 4),
    counted AS MATERIALIZED (
        SELECT c.issuer_id, c.chamber, c.amending, c.amended, coalesce(c.in_force_at, c.known_at) AS known_at FROM claim c
        WHERE c.in_force_at IS NOT NULL
           OR EXISTS (SELECT 1 FROM claim d WHERE d.issuer_id = c.issuer_id AND d.chamber = c.chamber AND d.amended = c.amending)),
    reached AS (
        SELECT k.issuer_id, k.chamber, k.amending, k.amended FROM counted k
        UNION
        SELECT r.issuer_id, r.chamber, r.amending, k.amended
        FROM reached r JOIN counted k ON k.issuer_id = r.issuer_id AND k.chamber = r.chamber AND k.amending = r.amended),
    circled AS MATERIALIZED ( -- each with each other of its circle
        SELECT r.issuer_id, r.chamber, r.amending AS report_id, r.amended AS other
        FROM reached r
        WHERE EXISTS (SELECT 1 FROM reached b WHERE b.issuer_id = r.issuer_id AND b.chamber = r.chamber
                                                AND b.amending = r.amended AND b.amended = r.amending)),
    filed AS MATERIALIZED (
        SELECT t.issuer_id, t.chamber, t.report_id, min(t.filing_date) AS filing_date
        FROM disclosed.congress_trade t
        WHERE t.issuer_id = ANY (politicians)
          AND (t.issuer_id, t.chamber, t.report_id) IN (SELECT c.issuer_id, c.chamber, c.report_id FROM circled c)
        GROUP BY 1, 2, 3),
    first AS (
        SELECT DISTINCT ON (c.issuer_id, c.chamber, c.report_id) c.issuer_id, c.chamber, c.report_id, c.other
        FROM circled c JOIN filed f ON f.issuer_id = c.issuer_id AND f.chamber = c.chamber AND f.report_id = c.other
        ORDER BY c.issuer_id, c.chamber, c.report_id, f.filing_date, c.other COLLATE "C")
    SELECT k.issuer_id, k.chamber, k.amending, k.amended, k.known_at,
           EXISTS (SELECT 1 FROM first f WHERE f.issuer_id = k.issuer_id AND f.chamber = k.chamber AND f.report_id = k.amending
                                           AND f.other = k.amended)
    FROM counted k
$$;

-- A report that amends another of the same politician replaces its rows from the moment it was
-- public. Versions that ended as they began are none. A circle may be known only when its last report has come: what its first had lost until
-- then, it gets back (rows of lines of the Clerk's and the Senate's pages: by order_report_versions()).
CREATE OR REPLACE FUNCTION close_amended_trades(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    WITH amended AS MATERIALIZED (
        SELECT a.issuer_id, a.chamber, a.amended AS report_id, min(a.known_at) FILTER (WHERE NOT a.is_circular) AS amended_at,
               array_agg(a.known_at) FILTER (WHERE a.is_circular) AS not_amended_at
        FROM disclosed.congress_amendments(issuers) a GROUP BY 1, 2, 3),
    ending AS (
        SELECT t.issuer_id, t.row_id, t.known_at, least(a.amended_at, (
                   SELECT min(n.known_at) FROM disclosed.congress_trade n
                   WHERE n.record_key = t.record_key AND (n.issuer_id = t.issuer_id OR a.not_amended_at IS NOT NULL)
                     AND (n.known_at, n.row_id) > (t.known_at, t.row_id))) AS ends_at
        FROM amended a JOIN disclosed.congress_trade t USING (issuer_id, chamber, report_id)
        WHERE (a.amended_at IS NOT NULL AND t.superseded_at IS DISTINCT FROM t.known_at)
           OR (a.not_amended_at IS NOT NULL AND NOT disclosed.is_congress_base_key(t.record_key)
               AND t.superseded_at IN (SELECT greatest(t.known_at, n) FROM unnest(a.not_amended_at) AS n)))
    UPDATE disclosed.congress_trade t SET superseded_at = CASE WHEN e.ends_at < e.known_at THEN e.known_at ELSE e.ends_at END
    FROM ending e
    WHERE t.issuer_id = e.issuer_id AND t.row_id = e.row_id
      AND t.superseded_at IS DISTINCT FROM CASE WHEN e.ends_at < e.known_at THEN e.known_at ELSE e.ends_at END
$$;

-- From when to when each version holds: those that files said and, behind each that stands, what is known better of its date
-- later on (not `is_said`). A report that was read to its end is the whole of it: copies of its rows were in force at no time.
-- Of one that was read in part the rows that were read stand before their copies. Of copies the one that says most stands from
-- when it is known, whatever was loaded before or after; an amendment ends them all. A name with a line in it that does not belong
-- to it says less than the same name without: another version, that quotes it whole, has cut the line off (house_copy.c).
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
               a.amended_at, w.filled, w.words,
               bool_or(t.read_from = 'report') OVER (PARTITION BY t.report_id) AS is_read,
               bool_or(t.read_from LIKE '%report') OVER (PARTITION BY t.record_key) AS is_read_itself
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
        FROM said s JOIN disclosed.congress_report_lines(in_chamber, reports) l USING (issuer_id, row_id)
        WHERE NOT l.is_public AND l.from_at > s.known_at AND (s.ends_at IS NULL OR l.from_at < s.ends_at))
    SELECT s.issuer_id, s.row_id, s.is_said, s.from_at,
           coalesce(lead(s.from_at) OVER (PARTITION BY s.issuer_id, s.row_id ORDER BY s.from_at), s.ends_at), s.filing_date, s.basis
    FROM slice s
$$;

-- Those that are stored. No load runs beside it (loader/loader_lock.c).
DO $$
DECLARE
    circle record;
    politicians bigint[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    FOR circle IN
        SELECT a.chamber, array_agg(DISTINCT a.amended) AS reports, array_agg(DISTINCT a.issuer_id) AS politicians
        FROM congress_amendments(ARRAY(SELECT DISTINCT t.issuer_id FROM congress_trade t WHERE t.amends IS NOT NULL)) a
        WHERE a.is_circular GROUP BY a.chamber
    LOOP
        PERFORM order_report_versions(circle.chamber, circle.reports);
        politicians := politicians || circle.politicians;
    END LOOP;
    IF politicians IS NOT NULL THEN
        PERFORM close_amended_trades(politicians);
        PERFORM map_congress_tickers(NULL, politicians);
        PERFORM count_congress_companies(ARRAY(SELECT DISTINCT company_id FROM congress_trade WHERE issuer_id = ANY (politicians)));
        PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
        INSERT INTO dataset_issuer_stat AS o (issuer_id, dataset, record_count, latest)
            SELECT t.issuer_id, 'congress_trade', count(*), max(t.filing_date) FROM congress_trade t
            WHERE t.issuer_id = ANY (politicians) AND t.superseded_at IS NULL GROUP BY t.issuer_id
            ON CONFLICT (issuer_id, dataset) DO UPDATE SET record_count = excluded.record_count, latest = excluded.latest;
        UPDATE dataset_stat d
        SET record_count = c.record_count, latest = c.latest, version = version + 1, changed_at = now()
        FROM (SELECT sum(record_count) AS record_count, max(latest) AS latest FROM dataset_issuer_stat WHERE dataset = 'congress_trade') c
        WHERE d.dataset = 'congress_trade';
    END IF;
END $$;

-- ------------------------------------------------------------------------------ sizes of filings

-- The largest that any file had, at all versions of a filing (DSC_COLUMN_LARGEST): of files that are loaded already, of which versions kept any.
UPDATE filing t SET size_bytes = s.size_bytes
FROM (SELECT issuer_id, record_key, max(size_bytes) AS size_bytes FROM filing GROUP BY 1, 2
      HAVING min(size_bytes) <> max(size_bytes) OR count(size_bytes) BETWEEN 1 AND count(*) - 1) s
WHERE t.issuer_id = s.issuer_id AND t.record_key = s.record_key AND t.size_bytes IS DISTINCT FROM s.size_bytes;

-- ------------------------------------------------------------------------------ instances of filings

-- Which of a filing's instances the numbers are of: another one that comes later may stand before it, or be left out.
ALTER TABLE xbrl_report ADD COLUMN document text;
COMMENT ON COLUMN xbrl_report.document IS 'instances: file name of the document; NULL: not told, or of an instance that was loaded before this column was there';
CALL make_sourced_view('xbrl_report');
