-- Loads of texts take less of PostgreSQL's time: a long line by its length, no longer by the square of it; the words of a heading, the week
-- and the page of a chunk are worked out once. What follows from a text stays the same, so no index is made anew.

SET LOCAL search_path = disclosed, public;

-- Marks of time: a week (w), eight of them (m), 64 of them (y), and of a company eight (c) and 64 (j).
CREATE OR REPLACE FUNCTION chunk_vector(issuer_id bigint, row_id bigint, source_kind text, form text, published_at timestamptz, heading text,
    body text)
RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    week CONSTANT integer := floor(extract(epoch FROM published_at) / 604800); -- as search_week() has it
    headed CONSTANT tsvector := disclosed.search_words(heading);
BEGIN
    RETURN disclosed.search_words(body) || coalesce(headed, '') || array_to_tsvector(
        ARRAY[E'\x01i' || issuer_id, E'\x01t' || row_id, E'\x01k' || source_kind, E'\x01f' || coalesce(form, ''), E'\x01w' || week,
              E'\x01m' || (week >> 3), E'\x01y' || (week >> 6), E'\x01c' || issuer_id || '.' || (week >> 3), E'\x01j' || issuer_id || '.' || (week >> 6)]
        || CASE WHEN heading IS NULL OR headed = '' THEN '{}'
                ELSE string_to_array(E'\x01h' || array_to_string(tsvector_to_array(headed), E'\x02\x01h'), E'\x02') END);
END $$;

-- Lines of a text as chunks of some 1,000 characters and no more than 1,600, white space not counted: a chunk ends with a
-- paragraph, where one has become large enough, before each of `cuts`, and within a longer line behind a sentence, else a word.
CREATE OR REPLACE FUNCTION cut_text(body text, cuts integer[]) RETURNS TABLE (char_start integer, char_end integer, text text)
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    enough CONSTANT integer := 500;
    target CONSTANT integer := 1000;
    most   CONSTANT integer := 1600;
    line text;
    folded text;
    at integer := 0;          -- where the line begins
    first integer;            -- where the chunk begins; null: there is none
    behind integer;           -- behind its last character that is no space
    gathered text := '';
    cut integer := 1;
    whole integer;
BEGIN
    FOR line IN SELECT l FROM string_to_table(body, E'\n') l LOOP
        whole := length(line);
        folded := btrim(regexp_replace(line, '\s+', ' ', 'g'));
        WHILE cut <= cardinality(cuts) AND cuts[cut] <= at LOOP
            IF first IS NOT NULL AND cuts[cut] > first THEN
                char_start := first; char_end := behind; text := gathered; RETURN NEXT;
                first := NULL; gathered := '';
            END IF;
            cut := cut + 1;
        END LOOP;
        IF folded = '' THEN
            IF length(gathered) >= enough THEN
                char_start := first; char_end := behind; text := gathered; RETURN NEXT;
                first := NULL; gathered := '';
            END IF;
            at := at + whole + 1;
            CONTINUE;
        END IF;
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
        at := at + whole + 1;
    END LOOP;
    IF first IS NOT NULL THEN
        char_start := first; char_end := behind; text := gathered; RETURN NEXT;
    END IF;
END $$;

-- A long line in parts of about `target` characters: sentences together, and what has none by words; what has no spaces
-- either, as it comes. The line is read as bytes, as a place in them is found at once: characters are counted from the beginning.
CREATE OR REPLACE FUNCTION cut_line(line text, target integer) RETURNS TABLE (char_start integer, char_end integer, text text)
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    bytes CONSTANT bytea := convert_to(line, 'UTF8');
    whole CONSTANT integer := octet_length(bytes);
    short CONSTANT integer := target * 3 / 2; -- a rest that stays one part
    at integer := 0;      -- characters before the part
    byte_at integer := 0; -- and bytes
    byte_end integer;
    ahead text;           -- more than `short` characters, or all that are left
    taken integer;
    piece text;
BEGIN
    WHILE byte_at < whole LOOP
        byte_end := least(byte_at + 4 * (short + 1), whole);
        WHILE byte_end < whole AND get_byte(bytes, byte_end) & 192 = 128 LOOP -- within a character
            byte_end := byte_end + 1;
        END LOOP;
        ahead := convert_from(substr(bytes, byte_at + 1, byte_end - byte_at), 'UTF8');
        IF length(ahead) <= short THEN
            taken := length(ahead);
        ELSE
            piece := left(ahead, target);
            -- the last end of a sentence in the second half, else the last space
            taken := length(substring(piece FROM '^(.*[.!?]["'')]?\s)'));
            IF taken IS NULL OR taken < target / 2 THEN
                taken := coalesce(nullif(length(substring(piece FROM '^(.*\s)')), 0), target);
            END IF;
        END IF;
        piece := left(ahead, taken);
        char_start := at + length(piece) - length(ltrim(piece, E' \t\r\f\v\u00a0'));
        char_end := at + length(rtrim(piece, E' \t\r\f\v\u00a0'));
        text := btrim(regexp_replace(piece, '\s+', ' ', 'g'));
        IF text <> '' THEN
            RETURN NEXT;
        END IF;
        at := at + taken;
        byte_at := byte_at + octet_length(piece);
    END LOOP;
END $$;

-- Pages, and what pictures show: a caption has the range of its page. Pages stand in the order of their characters (document_pages_fault()), so
-- that of a chunk is found without a look at all.
CREATE OR REPLACE FUNCTION chunks_of_document(of_issuer bigint, of_row bigint)
RETURNS TABLE (char_start integer, char_end integer, section_id text, heading text, text text) LANGUAGE sql STABLE AS $$
    SELECT c.char_start, c.char_end, CASE WHEN c.char_start < p.ends[w.place] THEN p.numbers[w.place]::text END, t.title, c.text
    FROM disclosed.document t
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(r.char_start ORDER BY r.char_start, r.char_end), '{}') AS starts,
               array_agg(r.char_end ORDER BY r.char_start, r.char_end) AS ends,
               array_agg(r.page_index ORDER BY r.char_start, r.char_end) AS numbers
        FROM jsonb_to_recordset(t.pages) AS r(page_index integer, char_start integer, char_end integer) WHERE r.char_start IS NOT NULL) p
    CROSS JOIN LATERAL disclosed.cut_text(t.text, p.starts) c
    CROSS JOIN LATERAL (SELECT width_bucket(c.char_start, p.starts) AS place) w
    WHERE t.issuer_id = of_issuer AND t.row_id = of_row AND t.text IS NOT NULL
    UNION ALL
    SELECT coalesce(r.char_start, 0), coalesce(r.char_end, 0), r.page_index::text, t.title, btrim(regexp_replace(r.vision_caption, '\s+', ' ', 'g'))
    FROM disclosed.document t
    CROSS JOIN LATERAL jsonb_to_recordset(t.pages) AS r(page_index integer, char_start integer, char_end integer, vision_caption text)
    WHERE t.issuer_id = of_issuer AND t.row_id = of_row AND btrim(r.vision_caption) <> ''
$$;

-- The day on which the period ended that a text reports on: the latest "quarter ended June 30, 2023", "three months ended ..." or the like
-- within its first 4000 characters that lies in the 130 days before the report. What has not ended yet is said to be ending. Planned once
-- a session, not once a text.
CREATE OR REPLACE FUNCTION stated_period_end(body text, reported_on date) RETURNS date LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT max(d.day)
        FROM regexp_matches(left(body, 4000),
                 '\m(?:quarter|year|months|weeks|period)s?\M(?:\s+(?:of\s+)?(?:the\s+)?(?:fiscal\s+)?'
                 '(?:year\s+)?(?:19|20)\d\d)?,?\s+(?:which\s+|that\s+)?ended\s+(?:on\s+)?'
                 '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})\s*,?\s+(\d{4})\M',
                 'gi') AS m(parts)
        CROSS JOIN LATERAL (
            SELECT (make_date(greatest(parts[3]::integer, 1),
                              position(lower(parts[1]) IN 'janfebmaraprmayjunjulaugsepoctnovdec') / 3 + 1, 1)
                    + parts[2]::integer - 1) AS day) d
        WHERE parts[2]::integer BETWEEN 1 AND 31 AND d.day BETWEEN reported_on - 130 AND reported_on - 1);
END $$;
