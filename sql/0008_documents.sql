-- Investor-relations documents: slide decks, press releases, annual reports and the like.

SET LOCAL search_path = disclosed, public;

-- What is wrong with the elements of a JSON column, by name and place; NULL: nothing. `members` says
-- what an element has: string, integer (from 0 on) or the choices "a|b", with "?" behind what may be
-- absent or null.
CREATE FUNCTION elements_fault(name text, elements jsonb, members jsonb) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN jsonb_typeof(elements) <> 'array' THEN name || ': not an array' ELSE (
        WITH element AS (
            SELECT e.place - 1 AS place, e.value, jsonb_typeof(e.value) = 'object' AS is_object
            FROM jsonb_array_elements(elements) WITH ORDINALITY AS e(value, place)),
        given AS (
            SELECT e.place, m.key, rtrim(m.value, '?') AS wanted, m.value LIKE '%?' AS is_optional,
                   e.value -> m.key AS value, coalesce(jsonb_typeof(e.value -> m.key), 'null') AS type
            FROM element e CROSS JOIN jsonb_each_text(members) m WHERE e.is_object),
        fault AS (
            SELECT place, '' AS key, 'not an object' AS text FROM element WHERE NOT is_object
            UNION ALL
            SELECT e.place, '.' || o.key, 'no such member'
            FROM element e CROSS JOIN LATERAL jsonb_object_keys(e.value) AS o(key)
            WHERE e.is_object AND NOT members ? o.key
            UNION ALL
            SELECT place, '.' || key,
                   CASE WHEN type = 'null' THEN 'is required'
                        WHEN wanted = 'integer' THEN 'not a whole number from 0 on'
                        WHEN wanted = 'string' THEN 'not a text'
                        ELSE 'not one of ' || replace(wanted, '|', ', ') END
            FROM given
            WHERE CASE
                WHEN type = 'null' THEN NOT is_optional
                WHEN wanted = 'integer'
                THEN type <> 'number' OR value::text !~ '^\d{1,15}$'
                WHEN wanted = 'string' THEN type <> 'string' OR value = '""'
                ELSE type <> 'string' OR (value #>> '{}') <> ALL (string_to_array(wanted, '|')) END)
        SELECT format('%s[%s]%s: %s', name, place, key, text)
        FROM fault ORDER BY place, key LIMIT 1) END
$$;

-- What is wrong with a document's pages: their indexes count from 0, their ranges of characters
-- follow each other and lie in the text.
CREATE FUNCTION document_pages_fault(pages jsonb, body text, page_count bigint) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(
        disclosed.elements_fault('pages', pages, '{"page_index": "integer", "char_start": "integer?",
                                         "char_end": "integer?", "vision_caption": "string?"}'),
        (SELECT format('pages[%s].%s', p.place - 1, CASE
                    WHEN p.page_index <> p.place - 1
                    THEN format('page_index: is %s, not %s', p.page_index, p.place - 1)
                    WHEN (p.char_start IS NULL) <> (p.char_end IS NULL)
                    THEN 'char_start: neither without char_end nor the reverse'
                    WHEN p.char_end < p.char_start THEN 'char_end: before char_start'
                    WHEN p.char_start < p.before THEN 'char_start: in a page before'
                    ELSE format('char_end: the text ends at %s', length(body)) END)
         FROM (SELECT e.place, (e.value ->> 'page_index')::bigint AS page_index,
                      (e.value ->> 'char_start')::bigint AS char_start,
                      (e.value ->> 'char_end')::bigint AS char_end,
                      max((e.value ->> 'char_end')::bigint) OVER (
                          ORDER BY e.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
               FROM jsonb_array_elements(pages) WITH ORDINALITY AS e(value, place)) p
         WHERE p.page_index <> p.place - 1 OR (p.char_start IS NULL) <> (p.char_end IS NULL)
            OR p.char_end < p.char_start OR p.char_start < p.before OR p.char_end > length(body)
         ORDER BY p.place LIMIT 1),
        CASE WHEN page_count <> jsonb_array_length(pages) AND jsonb_array_length(pages) > 0
             THEN format('page_count: is %s, and pages has %s', page_count, jsonb_array_length(pages))
             WHEN page_count < 0 THEN 'page_count: below 0' END)
$$;

CREATE TABLE document (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    title       text NOT NULL,
    doc_type    text NOT NULL CHECK (doc_type IN ('slide_deck', 'press_release', 'annual_report',
        'quarterly_report', 'shareholder_letter', 'fact_sheet', 'prospectus',
        'sustainability_report', 'other')),
    language    text,
    published_at timestamptz NOT NULL,
    period_end_date date,
    page_count  bigint,
    text        text,
    pages       jsonb NOT NULL DEFAULT '[]',
    page_records bigint GENERATED ALWAYS AS (jsonb_array_length(pages)) STORED,
    event_id    bigint,
    CHECK (disclosed.document_pages_fault(pages, text, page_count) IS NULL)
);
CALL finish_dataset_table('document');
COMMENT ON COLUMN document.page_count IS 'as the source says; absent where it does not';
COMMENT ON COLUMN document.page_records IS 'how many pages are described';
COMMENT ON COLUMN document.pages IS
    '[{"page_index","char_start","char_end","vision_caption"}]: characters of `text` from 0, end exclusive';
COMMENT ON COLUMN document.event_id IS 'kept by settle_events()';
-- Lists by date as of an instant rely on it.
ALTER TABLE document ADD CHECK (published_at <= known_at + interval '13 days');
CREATE INDEX document_id ON document (id);
CREATE INDEX document_date ON document (published_at, id);
CREATE INDEX document_type_date ON document (doc_type, published_at, id);
CREATE INDEX document_issuer_date ON document (issuer_id, published_at, id);
CREATE INDEX document_event ON document (event_id) WHERE event_id IS NOT NULL;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON document TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON document TO disclosed_loader;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA disclosed TO disclosed_loader;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA disclosed TO disclosed_api, disclosed_loader;
