-- Investor-relations documents: slide decks, press releases, annual reports and the like.

SET LOCAL search_path = disclosed, public;

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
    CHECK (disclosed.document_pages_fault(pages, text, page_count) IS NULL),
    -- Lists by date as of an instant rely on it.
    CHECK (published_at <= known_at + interval '13 days')
);
CALL finish_dataset_table('document');
COMMENT ON COLUMN document.page_count IS 'as the source says; absent where it does not';
COMMENT ON COLUMN document.page_records IS 'how many pages are described';
COMMENT ON COLUMN document.pages IS
    '[{"page_index","char_start","char_end","vision_caption"}]: characters of `text` from 0, end exclusive';
COMMENT ON COLUMN document.event_id IS 'kept by settle_events()';
CREATE INDEX document_id ON document (id);
CREATE INDEX document_date ON document (published_at, id);
CREATE INDEX document_type_date ON document (doc_type, published_at, id);
CREATE INDEX document_issuer_date ON document (issuer_id, published_at, id);
CREATE INDEX document_event ON document (event_id) WHERE event_id IS NOT NULL;
