-- Texts are served in parts of a bounded length: an answer holds so much of them, however long they are.

SET LOCAL search_path = disclosed, public;

ALTER TABLE filing_exhibit ADD COLUMN text_chars bigint GENERATED ALWAYS AS (char_length(text)) STORED;
COMMENT ON COLUMN filing_exhibit.text_chars IS 'characters of text';

-- Sections in the order of the text. Those of `keys` come with their text: `most` characters from the character
-- `first` on (counted from 0), of all together; text_next says where the rest begins, null where none is left.
CREATE FUNCTION sections_with_text(sections jsonb, body text, keys text[], first bigint, most bigint)
RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    WITH section AS (
        SELECT s.*, s.key = ANY (keys) AS is_wanted,
               greatest(0, s.char_end - s.char_start - first) AS asked
        FROM jsonb_to_recordset(sections) AS s(key text, title text, char_start bigint, char_end bigint)),
    part AS (
        SELECT s.*, greatest(0, least(s.asked, most - coalesce(sum(s.asked) FILTER (WHERE s.is_wanted) OVER (
                   ORDER BY s.char_start, s.char_end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)))::bigint AS given
        FROM section s)
    SELECT CASE WHEN sections IS NULL THEN NULL ELSE coalesce((
        SELECT json_agg(CASE WHEN p.is_wanted
                   THEN json_build_object('key', p.key, 'title', p.title,
                            'char_start', p.char_start, 'char_end', p.char_end,
                            'text', substr(body, (p.char_start + first + 1)::integer, p.given::integer),
                            'text_start', first,
                            'text_next', CASE WHEN p.given < p.asked THEN first + p.given END)
                   ELSE json_build_object('key', p.key, 'title', p.title,
                            'char_start', p.char_start, 'char_end', p.char_end) END
               ORDER BY p.char_start, p.char_end)
        FROM part p), '[]') END
$$;
DROP FUNCTION sections_with_text(jsonb, text, text[]);
GRANT EXECUTE ON FUNCTION sections_with_text TO disclosed_api, disclosed_loader;
