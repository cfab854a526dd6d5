-- A file of which a row is rejected may lack what it should have: holdings that a fund's report has besides do not end by it.

SET LOCAL search_path = disclosed, public;

-- Files of these reports have been merged, and hold again what an earlier file lacked. `staged`: whether any holding of the file was; `wholes`:
-- whether the file is the whole of its report, none of its rows having been rejected before the merge, and `all_merged`: or by it. What such a file
-- lacks was in force at no time. Returns how many versions have got an end by it, and how many hold again.
DROP FUNCTION end_left_out_holdings(bigint[], text[], boolean[]); -- asked for by loads alone
CREATE FUNCTION end_left_out_holdings(ciks bigint[], reports text[], staged boolean[], wholes boolean[], all_merged boolean)
RETURNS TABLE (dataset text, changed_issuer bigint, ended bigint, resumed bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
        WITH stated AS MATERIALIZED (
            SELECT s AS record_key
            FROM disclosed.staged_holdings(ARRAY(SELECT r.report_key FROM unnest(reports, staged) AS r(report_key, has_rows) WHERE r.has_rows)) s),
        held AS MATERIALIZED (
            SELECT i.issuer_id, r.is_whole AND all_merged AS is_whole, h.*
            FROM unnest(ciks, reports, wholes) AS r(cik, report_key, is_whole) JOIN disclosed.issuer i USING (cik)
            CROSS JOIN LATERAL (
                SELECT x.row_id, x.report_key, x.record_key, x.left_out, x.superseded_at,
                       lead(x.row_id) OVER (PARTITION BY x.record_key COLLATE "C" ORDER BY x.known_at, x.row_id) IS NULL AS is_last
                FROM disclosed.fund_holding x
                WHERE x.issuer_id = i.issuer_id AND x.report_key = r.report_key OFFSET 0) h),
        moved AS (
            UPDATE disclosed.fund_holding x
            SET left_out = CASE WHEN m.is_out THEN true END, superseded_at = CASE WHEN m.is_out THEN x.known_at ELSE x.superseded_at END
            FROM (SELECT h.*, s.record_key IS NULL AS is_out FROM held h LEFT JOIN stated s USING (record_key)) m
            WHERE x.issuer_id = m.issuer_id AND x.row_id = m.row_id AND (m.left_out IS TRUE) <> m.is_out AND (m.is_whole OR NOT m.is_out)
            RETURNING m.*),
        unsettled AS (
            UPDATE disclosed.fund f SET settled_from = NULL
            FROM (SELECT DISTINCT m.issuer_id, m.report_key FROM moved m) m
            WHERE f.issuer_id = m.issuer_id AND f.record_key = m.report_key)
        SELECT 'fund_holding'::text, m.issuer_id, count(*) FILTER (WHERE m.is_out AND m.superseded_at IS NULL),
               count(*) FILTER (WHERE NOT m.is_out AND m.is_last)
        FROM moved m GROUP BY m.issuer_id;
END $$;
