-- A copy of the House's reports that leaves rows out does not know where an asset's name begins, and a fuller one does: what the fuller
-- one says stands, whichever is loaded last.

SET LOCAL search_path = disclosed, public;

-- From when to when each version holds: those that files said and, behind each that stands, what is known better of its date
-- later on (not `is_said`). A report that was read to its end is the whole of it: copies of its rows were in force at no time.
-- Of one that was read in part the rows that were read stand before their copies. Of copies the one that says most stands from
-- when it is known, whatever was loaded before or after; an amendment ends them all. A name with a line in it that does not belong
-- to it says less than the same name without: another version, that quotes it whole, has cut the line off (house_copy.c).
CREATE OR REPLACE FUNCTION report_version_slices(in_chamber text, reports text[])
RETURNS TABLE (issuer_id bigint, row_id bigint, is_said boolean, from_at timestamptz, ends_at timestamptz, filing_date date, basis text)
LANGUAGE sql STABLE SET enable_nestloop = off AS $$
    WITH version AS (
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
        CROSS JOIN LATERAL (
            SELECT min(a.known_at) AS amended_at FROM disclosed.congress_trade a
            WHERE a.issuer_id = t.issuer_id AND a.amends = t.report_id AND a.chamber = t.chamber AND a.report_id <> t.report_id
              AND a.superseded_at IS DISTINCT FROM a.known_at) a
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
    politicians bigint[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    politicians := ARRAY(SELECT DISTINCT o FROM order_report_versions('house', ARRAY(
        SELECT DISTINCT t.report_id FROM congress_trade t
        WHERE t.chamber = 'house' AND t.quote LIKE '%asset_description: %')) AS o);
    IF politicians <> '{}' THEN
        PERFORM map_congress_tickers(NULL, politicians);
        PERFORM count_congress_companies(ARRAY(SELECT DISTINCT company_id FROM congress_trade WHERE issuer_id = ANY (politicians)));
        PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
        UPDATE dataset_stat SET version = version + 1, changed_at = now() WHERE dataset = 'congress_trade';
    END IF;
END $$;
