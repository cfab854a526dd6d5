-- Rows by ticker in small databases: names are compared for listings of the row's ticker alone. Where few were
-- listed the planner took the comparison of names, of which it knows no cost, for cheap, and made it for each listing
-- and row: a file of 80 rows took half a minute where fifty symbols are listed.

SET LOCAL search_path = disclosed, public;

-- As before (0006_rows_by_ticker.sql), but that the listings of the ticker are found first.
CREATE OR REPLACE FUNCTION listings_meant(spellings text, stated text, day date)
RETURNS TABLE (issuer_id bigint, symbol text, days integer) LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT m.issuer_id, m.record_key, m.days
    FROM (SELECT c.*, dense_rank() OVER (ORDER BY c.place) AS turn
          FROM (SELECT l.issuer_id, l.record_key, min(w.place) AS place,
                       min(CASE WHEN l.known_at > i.instant THEN l.known_at::date - day
                                WHEN l.superseded_at <= i.instant THEN day - l.superseded_at::date
                                ELSE 0 END) AS days
                FROM unnest(string_to_array(upper(spellings), ' ')) WITH ORDINALITY AS w(spelling, place)
                JOIN disclosed.listing l ON l.ticker = split_part(w.spelling, ':', 1)
                 AND (position(':' IN w.spelling) = 0 OR l.market = split_part(w.spelling, ':', 2))
                CROSS JOIN (SELECT disclosed.end_of_day(day) AS instant) i
                WHERE l.superseded_at IS DISTINCT FROM l.known_at
                GROUP BY l.issuer_id, l.record_key
                OFFSET 0) c
          WHERE disclosed.name_or_none(stated, spellings) IS NULL
             OR disclosed.is_named(disclosed.name_or_none(stated, spellings), c.issuer_id, c.record_key)) m
    WHERE m.turn = 1
$$;
