-- What is derived holds to the rules of what it is derived from: passages of documents end with their pages, days to cover that are worked out have
-- FINRA's bounds, and a revision outlasts a copy that says once more what was revised.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------------ passages

-- Lines of a text as chunks of some 1,000 characters and no more than 1,600, white space not counted: a chunk ends with a
-- paragraph, where one has become large enough, before each of `cuts`, which may stand within a line, and within a longer line behind a
-- sentence, else a word.
CREATE OR REPLACE FUNCTION cut_text(body text, cuts integer[]) RETURNS TABLE (char_start integer, char_end integer, text text)
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    enough CONSTANT integer := 500;
    target CONSTANT integer := 1000;
    most   CONSTANT integer := 1600;
    whole_line text;
    line text;                -- or the part of it before the next cut
    folded text;
    at integer := 0;          -- where that begins
    line_at integer;          -- and the whole line
    line_length integer;
    first integer;            -- where the chunk begins; null: there is none
    behind integer;           -- behind its last character that is no space
    gathered text := '';
    cut integer := 1;
    whole integer;
    is_part boolean;
BEGIN
    FOR whole_line IN SELECT l FROM string_to_table(body, E'\n') l LOOP
        line_at := at;
        line_length := length(whole_line);
        LOOP
            WHILE cut <= cardinality(cuts) AND cuts[cut] <= at LOOP
                IF first IS NOT NULL AND cuts[cut] > first THEN
                    char_start := first; char_end := behind; text := gathered; RETURN NEXT;
                    first := NULL; gathered := '';
                END IF;
                cut := cut + 1;
            END LOOP;
            is_part := cut <= cardinality(cuts) AND cuts[cut] < line_at + line_length;
            whole := CASE WHEN is_part THEN cuts[cut] ELSE line_at + line_length END - at;
            line := substr(whole_line, at - line_at + 1, whole);
            folded := btrim(regexp_replace(line, '\s+', ' ', 'g'));
            IF folded = '' THEN
                IF length(gathered) >= enough THEN
                    char_start := first; char_end := behind; text := gathered; RETURN NEXT;
                    first := NULL; gathered := '';
                END IF;
            ELSE
                IF first IS NOT NULL AND length(gathered) + 1 + length(folded) > most
                   OR length(gathered) >= target THEN
                    char_start := first; char_end := behind; text := gathered; RETURN NEXT;
                    first := NULL; gathered := '';
                END IF;
                IF length(folded) > most THEN
                    RETURN QUERY SELECT at + s.char_start, at + s.char_end, s.text FROM disclosed.cut_line(line, target) s;
                ELSE
                    IF first IS NULL THEN
                        first := at + whole - length(ltrim(line, E' \t\r\f\v\u00a0'));
                        gathered := folded;
                    ELSE
                        gathered := gathered || ' ' || folded;
                    END IF;
                    behind := at + length(rtrim(line, E' \t\r\f\v\u00a0'));
                END IF;
            END IF;
            at := at + whole;
            EXIT WHEN NOT is_part;
        END LOOP;
        at := at + 1;
    END LOOP;
    IF first IS NOT NULL THEN
        char_start := first; char_end := behind; text := gathered; RETURN NEXT;
    END IF;
END $$;

-- Pages, and what pictures show: a caption has the range of its page. Pages stand in the order of their characters (document_pages_fault()), so
-- that of a chunk is found without a look at all. No chunk crosses the ends of a page, whatever stands between pages.
CREATE OR REPLACE FUNCTION chunks_of_document(of_issuer bigint, of_row bigint)
RETURNS TABLE (char_start integer, char_end integer, section_id text, heading text, text text) LANGUAGE sql STABLE AS $$
    SELECT c.char_start, c.char_end, CASE WHEN c.char_start < p.ends[w.place] THEN p.numbers[w.place]::text END, t.title, c.text
    FROM disclosed.document t
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(r.char_start ORDER BY r.char_start, r.char_end), '{}') AS starts,
               array_agg(r.char_end ORDER BY r.char_start, r.char_end) AS ends,
               array_agg(r.page_index ORDER BY r.char_start, r.char_end) AS numbers,
               ARRAY(SELECT DISTINCT b FROM jsonb_to_recordset(t.pages) AS x(char_start integer, char_end integer),
                            unnest(ARRAY[x.char_start, x.char_end]) b WHERE x.char_start IS NOT NULL AND b IS NOT NULL ORDER BY b) AS cuts
        FROM jsonb_to_recordset(t.pages) AS r(page_index integer, char_start integer, char_end integer) WHERE r.char_start IS NOT NULL) p
    CROSS JOIN LATERAL disclosed.cut_text(t.text, p.cuts) c
    CROSS JOIN LATERAL (SELECT width_bucket(c.char_start, p.starts) AS place) w
    WHERE t.issuer_id = of_issuer AND t.row_id = of_row AND t.text IS NOT NULL
    UNION ALL
    SELECT coalesce(r.char_start, 0), coalesce(r.char_end, 0), r.page_index::text, t.title, btrim(regexp_replace(r.vision_caption, '\s+', ' ', 'g'))
    FROM disclosed.document t
    CROSS JOIN LATERAL jsonb_to_recordset(t.pages) AS r(page_index integer, char_start integer, char_end integer, vision_caption text)
    WHERE t.issuer_id = of_issuer AND t.row_id = of_row AND btrim(r.vision_caption) <> ''
$$;

-- What is stored, cut again where a chunk crosses the bounds of a page or section.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        WITH bounds AS MATERIALIZED (
            SELECT 'document' AS source_kind, t.issuer_id, t.row_id,
                   ARRAY(SELECT DISTINCT b FROM jsonb_to_recordset(t.pages) AS r(char_start integer, char_end integer),
                                unnest(ARRAY[r.char_start, r.char_end]) b WHERE b IS NOT NULL ORDER BY b) AS cuts
            FROM document t WHERE t.text IS NOT NULL
            UNION ALL
            SELECT 'filing', t.issuer_id, t.row_id,
                   ARRAY(SELECT DISTINCT b FROM jsonb_to_recordset(t.sections) AS r(char_start integer, char_end integer),
                                unnest(ARRAY[r.char_start, r.char_end]) b ORDER BY b)
            FROM filing_text t),
        wrong AS (
            SELECT DISTINCT c.source_kind, c.row_id
            FROM bounds b JOIN document_chunk c USING (source_kind, issuer_id, row_id)
            WHERE width_bucket(c.char_start, b.cuts) < width_bucket(c.char_end - 1, b.cuts)
              -- a caption has the range of its page
              AND c.char_start < c.char_end)
        SELECT g.source_kind, array_agg(g.row_id ORDER BY g.row_id) AS versions
        FROM (SELECT w.source_kind, w.row_id, (row_number() OVER (PARTITION BY w.source_kind ORDER BY w.row_id) - 1) / 500 AS portion FROM wrong w) g
        GROUP BY g.source_kind, g.portion
    LOOP
        PERFORM drop_chunks(one.versions);
        PERFORM cut_versions(one.source_kind, one.versions);
    END LOOP;
END $$;

-- ------------------------------------------------------------------------------ short interest

-- FINRA clips days to cover to 1.00 and 999.99, which means "not meaningful"; so are those that are worked out.
DROP VIEW short_interest_sourced; -- asked for by name: it is there again below
ALTER TABLE short_interest DROP COLUMN days_to_cover, -- asked for by name: it is there again with the next words
    ADD COLUMN days_to_cover numeric GENERATED ALWAYS AS (
        CASE WHEN stated_days_to_cover >= 999.99 THEN NULL
             WHEN stated_days_to_cover > 0 OR stated_days_to_cover = 0 AND current_short_position = 0 THEN stated_days_to_cover
             WHEN round(current_short_position / nullif(avg_daily_share_volume, 0), 2) < 999.99
             THEN greatest(round(current_short_position / nullif(avg_daily_share_volume, 0), 2), 1.00) END) STORED;
CALL make_sourced_view('short_interest');

-- From when to when each version of these issuers' rows holds of which the load has changed something: those that files said and, behind each, what the
-- rows of the next cycle say of it (not `is_said`). It has changed nothing of settlement dates before `since`. While a row of the next cycle that was
-- public at the same time or later says that it was revised, the position is that (`revising`: which row says it); before and afterwards it is what was
-- said. What had been said before that row is no news when it is said again, so the revision holds for it as well.
CREATE OR REPLACE FUNCTION short_interest_slices(issuers bigint[], since date)
RETURNS TABLE (issuer_id bigint, row_id bigint, is_said boolean, from_at timestamptz, ends_at timestamptz, revising bigint, revised_position numeric)
LANGUAGE sql STABLE AS $$
    WITH revising AS MATERIALIZED ( -- nothing follows from rows of others
        SELECT DISTINCT r.issuer_id FROM disclosed.short_interest r
        WHERE (r.previous_revised OR r.revised_from IS NOT NULL) AND r.settlement_date >= since - 21),
    written AS MATERIALIZED (
        SELECT DISTINCT t.issuer_id, t.symbol_code, t.settlement_date FROM revising r JOIN disclosed.short_interest t USING (issuer_id)
        WHERE t.issuer_id = ANY (issuers) AND t.settlement_date >= since AND disclosed.is_written(t.xmin)),
    touched AS MATERIALIZED (
        SELECT DISTINCT t.issuer_id, t.symbol_code, t.settlement_date, t.record_key, t.revised_from
        FROM written w CROSS JOIN LATERAL ( -- by its days, so that older ones are not read
            SELECT x.* FROM disclosed.short_interest x
            WHERE x.issuer_id = w.issuer_id AND x.settlement_date BETWEEN w.settlement_date - 21 AND w.settlement_date OFFSET 0) t
        WHERE t.symbol_code = w.symbol_code
          AND (t.settlement_date = w.settlement_date OR t.settlement_date <@ disclosed.cycle_before(w.settlement_date))),
    target AS MATERIALIZED ( -- mostly none
        SELECT DISTINCT c.issuer_id, c.symbol_code, c.settlement_date, c.record_key FROM touched c
        WHERE c.revised_from IS NOT NULL
           OR EXISTS (SELECT 1 FROM disclosed.short_interest l
                      WHERE l.issuer_id = c.issuer_id AND l.symbol_code = c.symbol_code AND l.previous_revised
                        AND l.settlement_date BETWEEN c.settlement_date AND c.settlement_date + 21
                        AND c.settlement_date <@ disclosed.cycle_before(l.settlement_date))),
    said AS MATERIALIZED (
        SELECT t.issuer_id, t.row_id, t.symbol_code, t.settlement_date, t.known_at, t.current_short_position,
               lead(t.known_at) OVER (PARTITION BY t.issuer_id, t.record_key ORDER BY t.known_at, t.row_id) AS next_at,
               min(t.known_at) OVER (PARTITION BY t.issuer_id, t.record_key, t.current_short_position) AS first_at -- of the position
        FROM target c JOIN disclosed.short_interest t USING (issuer_id, symbol_code, settlement_date, record_key)
        WHERE t.revised_from IS NULL),
    later AS MATERIALIZED (
        SELECT c.issuer_id, c.symbol_code, c.settlement_date, l.row_id, l.known_at,
               CASE WHEN l.previous_revised AND NOT l.stock_split THEN l.previous_short_position END AS revised,
               lead(l.known_at) OVER (PARTITION BY c.issuer_id, c.symbol_code, c.settlement_date ORDER BY l.known_at, l.row_id) AS next_at
        FROM (SELECT DISTINCT issuer_id, symbol_code, settlement_date FROM target) c
        JOIN disclosed.short_interest l
          ON l.issuer_id = c.issuer_id AND l.symbol_code = c.symbol_code AND l.revised_from IS NULL
         AND l.settlement_date BETWEEN c.settlement_date AND c.settlement_date + 21
         AND c.settlement_date <@ disclosed.cycle_before(l.settlement_date)),
    holding AS ( -- which rows of the next cycle count while a version holds, and from when
        SELECT s.issuer_id, s.row_id, greatest(l.known_at, s.known_at) AS from_at, l.row_id AS revising, l.revised
        FROM said s JOIN later l USING (issuer_id, symbol_code, settlement_date)
        WHERE l.next_at IS DISTINCT FROM l.known_at AND (l.next_at IS NULL OR l.next_at > s.known_at) AND (s.next_at IS NULL OR l.known_at < s.next_at)
          AND l.known_at >= s.first_at),
    moment AS (
        SELECT s.issuer_id, s.row_id, s.known_at AS from_at, s.known_at, s.next_at, NULL::bigint AS revising, NULL::numeric AS revised_position
        FROM said s
        WHERE s.next_at IS DISTINCT FROM s.known_at
          AND NOT EXISTS (SELECT 1 FROM holding h WHERE h.issuer_id = s.issuer_id AND h.row_id = s.row_id AND h.from_at = s.known_at)
        UNION ALL
        SELECT s.issuer_id, s.row_id, h.from_at, s.known_at, s.next_at, h.revising, nullif(h.revised, s.current_short_position)
        FROM said s JOIN holding h USING (issuer_id, row_id)
        WHERE s.next_at IS DISTINCT FROM s.known_at),
    changing AS (
        SELECT m.*, lag(m.from_at) OVER state IS NULL
                    OR lag(m.revised_position) OVER state IS DISTINCT FROM m.revised_position AS is_change
        FROM moment m WINDOW state AS (PARTITION BY m.issuer_id, m.row_id ORDER BY m.from_at)),
    slice AS (
        SELECT c.issuer_id, c.row_id, c.from_at = c.known_at AND c.revised_position IS NULL AS is_said, c.from_at,
               coalesce(lead(c.from_at) OVER (PARTITION BY c.issuer_id, c.row_id ORDER BY c.from_at), c.next_at) AS ends_at,
               CASE WHEN c.revised_position IS NOT NULL THEN c.revising END AS revising, c.revised_position
        FROM changing c WHERE c.is_change)
    SELECT * FROM slice
    UNION ALL
    SELECT s.issuer_id, s.row_id, true, s.known_at, s.known_at, NULL, NULL FROM said s -- in force at no time
    WHERE NOT EXISTS (SELECT 1 FROM slice x WHERE x.issuer_id = s.issuer_id AND x.row_id = s.row_id AND x.is_said)
$$;

-- What is stored, where a copy has undone a revision. The new column has written all rows anew, so all are looked at.
DO $$
BEGIN
    PERFORM revise_short_interest(ARRAY(SELECT DISTINCT issuer_id FROM short_interest WHERE revised_from IS NOT NULL));
END $$;
