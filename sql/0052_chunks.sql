-- Texts cut into chunks for search: sections of filings, exhibits, what is said in calls, pages of documents.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------ words

-- Words as search knows them: English stems, without stop words; of a hyphenated word its parts, of numbers the digits.
CREATE TEXT SEARCH CONFIGURATION disclosure (COPY = pg_catalog.english);
ALTER TEXT SEARCH CONFIGURATION disclosure
    DROP MAPPING FOR hword, asciihword, numhword, url_path, url, email, sfloat;

-- What joins words that are several, so that the parser does not take them for paths, addresses or markup.
CREATE FUNCTION search_words(body text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT to_tsvector('disclosed.disclosure', translate(body, '/<>@_=\:', '        ')) $$;
COMMENT ON FUNCTION search_words IS 'indexes hold what it yields: whoever changes it makes them anew';

-- Weeks since 1970.
CREATE FUNCTION search_week(instant timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT floor(extract(epoch FROM instant) / 604800)::integer $$;

-- Any of these marks of a kind, as a query; NULL: of none.
CREATE FUNCTION search_any(kind text, marks text[]) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT string_agg('''' || E'\x01' || kind || replace(replace(m, '\', '\\'), '''', '''''') || '''', '|')::tsquery FROM unnest(marks) m
$$;

-- What the index of chunks holds: the words of text and heading, and marks, which begin with a control character as no word does:
-- words of the heading (h), issuer (i), text (t), kind (k), form (f) and week (w).
CREATE FUNCTION chunk_vector(issuer_id bigint, row_id bigint, source_kind text, form text, published_at timestamptz, heading text, body text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT disclosed.search_words(body) || coalesce(disclosed.search_words(heading), '') || array_to_tsvector(
        ARRAY[E'\x01i' || issuer_id, E'\x01t' || row_id, E'\x01k' || source_kind,
              E'\x01w' || disclosed.search_week(published_at), E'\x01f' || coalesce(form, '')]
        || coalesce((SELECT array_agg(E'\x01h' || w.lexeme) FROM unnest(disclosed.search_words(heading)) w), '{}'))
$$;

-- ----------------------------------------------------------------- tables

CREATE TABLE chunked_text (
    issuer_id   bigint NOT NULL REFERENCES issuer,
    row_id      bigint NOT NULL,
    source_kind text NOT NULL CHECK (source_kind IN ('filing', 'exhibit', 'transcript', 'document')),
    record_id   bigint NOT NULL,
    accession   text,
    known_at    timestamptz NOT NULL,
    superseded_at timestamptz,
    published_at timestamptz,
    form        text,
    heading     text,
    PRIMARY KEY (issuer_id, row_id)
);
COMMENT ON TABLE chunked_text IS 'the versions of texts that have been cut into chunks';
COMMENT ON COLUMN chunked_text.row_id IS 'the version: row_id of filing_text, filing_exhibit, transcript or document';
COMMENT ON COLUMN chunked_text.published_at IS 'null where no source states a time; chunks are ordered by known_at then';
CREATE UNIQUE INDEX chunked_text_row ON chunked_text (row_id);
CREATE INDEX chunked_text_record ON chunked_text (record_id);
CREATE INDEX chunked_text_accession ON chunked_text (accession) WHERE accession IS NOT NULL;

CREATE SEQUENCE chunk_id;
CREATE TABLE document_chunk (
    issuer_id   bigint NOT NULL,
    chunk_id    bigint NOT NULL DEFAULT nextval('disclosed.chunk_id'),
    row_id      bigint NOT NULL,
    published_at timestamptz NOT NULL,
    char_start  integer NOT NULL,
    char_end    integer NOT NULL,
    is_current  boolean NOT NULL,
    source_kind text NOT NULL,
    form        text,
    section_id  text,
    heading     text,
    text        text NOT NULL,
    CHECK (0 <= char_start AND char_start <= char_end)
);
COMMENT ON TABLE document_chunk IS 'chunks are found by their number and by the index of their words and marks; it has no other index, so that it stays small';
COMMENT ON COLUMN document_chunk.char_start IS 'in the stored text, of a transcript in its segments with a line feed between them';
COMMENT ON COLUMN document_chunk.text IS 'white space folded';
COMMENT ON COLUMN document_chunk.is_current IS 'the version of the text is in force';
CREATE INDEX document_chunk_id ON document_chunk (chunk_id);
CREATE INDEX document_chunk_words ON document_chunk
    USING gin (chunk_vector(issuer_id, row_id, source_kind, form, published_at, heading, text));
ALTER INDEX document_chunk_words ALTER COLUMN 1 SET STATISTICS 200;

CREATE TABLE chunk_week (
    week        integer PRIMARY KEY,
    chunks      bigint NOT NULL
);
COMMENT ON TABLE chunk_week IS 'how many chunks a week has: by it search knows how far back to look';

CREATE TABLE chunk_word (
    word        text COLLATE "C" PRIMARY KEY,
    share       real NOT NULL
);
COMMENT ON TABLE chunk_word IS 'the commonest words, and in which part of all chunks they are, as PostgreSQL''s statistics say';

GRANT SELECT ON chunked_text, document_chunk, chunk_week, chunk_word TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON chunked_text, document_chunk, chunk_week TO disclosed_loader;
GRANT SELECT ON SEQUENCE chunk_id TO disclosed_api, disclosed_loader;
GRANT USAGE ON SEQUENCE chunk_id TO disclosed_loader;

-- ---------------------------------------------------------------- cutting

-- Lines of a text as chunks of some 1,000 characters and no more than 1,600, white space not counted: a chunk ends with a
-- paragraph, where one has become large enough, before each of `cuts`, and within a longer line behind a sentence, else a word.
CREATE FUNCTION cut_text(body text, cuts integer[]) RETURNS TABLE (char_start integer, char_end integer, text text)
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
    FOR line IN SELECT l FROM regexp_split_to_table(body, '\n') l LOOP
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
-- either, as it comes.
CREATE FUNCTION cut_line(line text, target integer) RETURNS TABLE (char_start integer, char_end integer, text text)
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    at integer := 0;
    rest text := line;
    taken integer;
    piece text;
BEGIN
    WHILE rest <> '' LOOP
        IF length(rest) <= target * 3 / 2 THEN
            taken := length(rest);
        ELSE
            piece := left(rest, target);
            -- the last end of a sentence in the second half, else the last space
            taken := length(substring(piece FROM '^(.*[.!?]["'')]?\s)'));
            IF taken IS NULL OR taken < target / 2 THEN
                taken := coalesce(nullif(length(substring(piece FROM '^(.*\s)')), 0), target);
            END IF;
        END IF;
        piece := left(rest, taken);
        char_start := at + length(piece) - length(ltrim(piece, E' \t\r\f\v\u00a0'));
        char_end := at + length(rtrim(piece, E' \t\r\f\v\u00a0'));
        text := btrim(regexp_replace(piece, '\s+', ' ', 'g'));
        IF text <> '' THEN
            RETURN NEXT;
        END IF;
        at := at + taken;
        rest := substr(rest, taken + 1);
    END LOOP;
END $$;

-- The chunks of one version of a text.
CREATE FUNCTION chunks_of_filing(of_issuer bigint, of_row bigint)
RETURNS TABLE (char_start integer, char_end integer, section_id text, heading text, text text) LANGUAGE sql STABLE AS $$
    SELECT c.char_start, c.char_end, s.key, s.title, c.text
    FROM disclosed.filing_text t
    CROSS JOIN LATERAL (
        SELECT ARRAY(SELECT DISTINCT b FROM jsonb_to_recordset(t.sections) AS r(char_start integer, char_end integer),
                            unnest(ARRAY[r.char_start, r.char_end]) b ORDER BY b) AS at) cuts
    CROSS JOIN LATERAL disclosed.cut_text(t.text, cuts.at) c
    LEFT JOIN LATERAL (
        SELECT r.key, r.title FROM jsonb_to_recordset(t.sections) AS r(key text, title text, char_start integer, char_end integer)
        WHERE r.char_start <= c.char_start AND c.char_start < r.char_end ORDER BY r.char_start DESC, r.char_end LIMIT 1) s ON true
    WHERE t.issuer_id = of_issuer AND t.row_id = of_row
$$;

CREATE FUNCTION chunks_of_exhibit(of_issuer bigint, of_row bigint)
RETURNS TABLE (char_start integer, char_end integer, section_id text, heading text, text text) LANGUAGE sql STABLE AS $$
    SELECT c.char_start, c.char_end, t.exhibit_type, t.title, c.text
    FROM disclosed.filing_exhibit t CROSS JOIN LATERAL disclosed.cut_text(t.text, '{}') c
    WHERE t.issuer_id = of_issuer AND t.row_id = of_row
$$;

-- What one speaker says at a time, under name and role. Characters count in the segments with a line feed between them.
CREATE FUNCTION chunks_of_transcript(of_issuer bigint, of_row bigint)
RETURNS TABLE (char_start integer, char_end integer, section_id text, heading text, text text) LANGUAGE sql STABLE AS $$
    SELECT (g.at + c.char_start)::integer, (g.at + c.char_end)::integer, g.section, concat_ws(', ', p.name, p.role), c.text
    FROM disclosed.transcript t
    CROSS JOIN LATERAL (
        SELECT e.value ->> 'text' AS text, e.value ->> 'section' AS section, e.value ->> 'speaker' AS speaker,
               coalesce(sum(length(e.value ->> 'text') + 1) OVER (ORDER BY e.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS at
        FROM jsonb_array_elements(t.segments) WITH ORDINALITY AS e(value, place)) g
    CROSS JOIN LATERAL disclosed.cut_text(g.text, '{}') c
    LEFT JOIN LATERAL (SELECT s.value ->> 'name' AS name, s.value ->> 'role' AS role FROM jsonb_array_elements(t.speakers) s
                       WHERE s.value ->> 'speaker_id' = g.speaker LIMIT 1) p ON true
    WHERE t.issuer_id = of_issuer AND t.row_id = of_row
$$;

-- Pages, and what pictures show: a caption has the range of its page.
CREATE FUNCTION chunks_of_document(of_issuer bigint, of_row bigint)
RETURNS TABLE (char_start integer, char_end integer, section_id text, heading text, text text) LANGUAGE sql STABLE AS $$
    SELECT c.char_start, c.char_end, p.page_index::text, t.title, c.text
    FROM disclosed.document t
    CROSS JOIN LATERAL (SELECT ARRAY(SELECT r.char_start FROM jsonb_to_recordset(t.pages) AS r(char_start integer)
                                     WHERE r.char_start IS NOT NULL ORDER BY 1) AS at) cuts
    CROSS JOIN LATERAL disclosed.cut_text(t.text, cuts.at) c
    LEFT JOIN LATERAL (
        SELECT r.page_index FROM jsonb_to_recordset(t.pages) AS r(page_index integer, char_start integer, char_end integer)
        WHERE r.char_start <= c.char_start AND c.char_start < r.char_end LIMIT 1) p ON true
    WHERE t.issuer_id = of_issuer AND t.row_id = of_row AND t.text IS NOT NULL
    UNION ALL
    SELECT coalesce(r.char_start, 0), coalesce(r.char_end, 0), r.page_index::text, t.title, btrim(regexp_replace(r.vision_caption, '\s+', ' ', 'g'))
    FROM disclosed.document t
    CROSS JOIN LATERAL jsonb_to_recordset(t.pages) AS r(page_index integer, char_start integer, char_end integer, vision_caption text)
    WHERE t.issuer_id = of_issuer AND t.row_id = of_row AND btrim(r.vision_caption) <> ''
$$;

-- ------------------------------------------------------------ keeping up

-- Versions of texts, as they should be cut. An exhibit is of the form of its filing.
CREATE VIEW text_version AS
    SELECT 'filing'::text AS source_kind, t.issuer_id, t.row_id, t.id AS record_id, t.accession, t.known_at, t.superseded_at,
           t.published_at, t.form, NULL::text AS heading
    FROM filing_text t
    UNION ALL
    SELECT 'exhibit', t.issuer_id, t.row_id, t.id, t.accession, t.known_at, t.superseded_at, t.published_at,
           (SELECT f.form FROM filing f WHERE f.accession = t.accession ORDER BY f.superseded_at NULLS FIRST, f.row_id LIMIT 1), t.title
    FROM filing_exhibit t
    UNION ALL
    SELECT 'transcript', t.issuer_id, t.row_id, t.id, t.accession, t.known_at, t.superseded_at, t.call_date, NULL, t.period_label
    FROM transcript t
    UNION ALL
    SELECT 'document', t.issuer_id, t.row_id, t.id, t.accession, t.known_at, t.superseded_at, t.published_at, NULL, t.title
    FROM document t;
GRANT SELECT ON text_version TO disclosed_api, disclosed_loader;

-- Cuts these versions of a kind of text.
CREATE FUNCTION cut_versions(kind text, versions bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO disclosed.document_chunk'
                   ' (issuer_id, row_id, published_at, char_start, char_end, is_current, source_kind, form, section_id, heading, text)'
                   ' SELECT t.issuer_id, t.row_id, coalesce(t.published_at, t.known_at), c.char_start, c.char_end, t.superseded_at IS NULL,'
                   ' t.source_kind, t.form, c.section_id, c.heading, c.text'
                   ' FROM unnest($1) WITH ORDINALITY AS v(row_id, place)'
                   ' JOIN disclosed.chunked_text t USING (row_id)'
                   ' CROSS JOIN LATERAL disclosed.chunks_of_%s(t.issuer_id, t.row_id) c'
                   ' ORDER BY v.place, c.char_start, c.char_end', kind)
    USING versions;
END $$;

-- Counts chunks by week and issuer, as they come and go.
CREATE FUNCTION count_chunks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sign CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO disclosed.chunk_week AS w
    SELECT disclosed.search_week(published_at), sign * count(*) FROM changed GROUP BY 1 ORDER BY 1
    ON CONFLICT (week) DO UPDATE SET chunks = w.chunks + excluded.chunks;
    INSERT INTO disclosed.dataset_issuer_stat AS o (issuer_id, dataset, record_count)
    SELECT issuer_id, 'document_chunk', sign * count(*) FROM changed WHERE is_current GROUP BY 1 ORDER BY 1
    ON CONFLICT (issuer_id, dataset) DO UPDATE SET record_count = o.record_count + excluded.record_count;
    INSERT INTO disclosed.dataset_stat AS d (dataset, record_count, version)
    SELECT 'document_chunk', sign * count(*), 1 FROM changed WHERE is_current HAVING count(*) > 0
    ON CONFLICT (dataset) DO UPDATE SET record_count = d.record_count + excluded.record_count, version = d.version + 1, changed_at = now();
    RETURN NULL;
END $$;
CREATE TRIGGER document_chunk_added AFTER INSERT ON document_chunk
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_chunks();
CREATE TRIGGER document_chunk_removed AFTER DELETE ON document_chunk
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_chunks();

-- Takes out the chunks of versions.
CREATE FUNCTION drop_chunks(versions bigint[]) RETURNS void LANGUAGE sql SET enable_seqscan = off AS $$
    DELETE FROM disclosed.document_chunk c
    WHERE disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text)
          @@ disclosed.search_any('t', versions::text[])
      AND c.row_id = ANY (versions)
$$;

-- The statistics of words, anew when the chunks have grown by half since they were made.
CREATE FUNCTION count_chunk_words() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (SELECT pg_relation_size(c.oid) / current_setting('block_size')::integer <= c.relpages * 1.5
        FROM pg_class c WHERE c.oid = 'disclosed.document_chunk'::regclass)
       AND EXISTS (SELECT 1 FROM disclosed.chunk_word) THEN
        RETURN;
    END IF;
    ANALYZE disclosed.document_chunk;
    DELETE FROM disclosed.chunk_word;
    INSERT INTO disclosed.chunk_word
    SELECT w.word, max(w.share)
    FROM pg_stats s, unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) AS w(word, share)
    WHERE s.schemaname = 'disclosed' AND s.tablename = 'document_chunk_words' AND w.word !~ E'^\x01' AND w.word <> ''
    GROUP BY 1;
END $$;
REVOKE EXECUTE ON FUNCTION count_chunk_words FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_chunk_words TO disclosed_loader;

-- Cuts what is new among the texts of these issuers, takes out what is gone, and dates the rest as its texts are. A text that is
-- the same is left alone, so its chunks keep their numbers.
CREATE FUNCTION cut_texts(kind text, issuers bigint[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint := 0;
    moved bigint := 0;
    gone bigint[];
    added bigint[];
    t disclosed.chunked_text;
BEGIN
    WITH dropped AS (
        DELETE FROM disclosed.chunked_text c
        WHERE c.issuer_id = ANY (issuers) AND c.source_kind = kind
          AND NOT EXISTS (SELECT 1 FROM disclosed.text_version v
                          WHERE v.source_kind = kind AND v.issuer_id = c.issuer_id AND v.row_id = c.row_id)
        RETURNING row_id)
    SELECT array_agg(row_id) INTO gone FROM dropped;
    IF gone IS NOT NULL THEN
        PERFORM disclosed.drop_chunks(gone);
        changed := cardinality(gone);
    END IF;
    FOR t IN
        UPDATE disclosed.chunked_text c
        SET (record_id, accession, known_at, superseded_at, published_at, form, heading)
          = (v.record_id, v.accession, v.known_at, v.superseded_at, v.published_at, v.form, v.heading)
        FROM disclosed.text_version v
        WHERE v.issuer_id = c.issuer_id AND v.row_id = c.row_id AND v.source_kind = kind
          AND c.issuer_id = ANY (issuers) AND c.source_kind = kind
          AND ROW(c.record_id, c.accession, c.known_at, c.superseded_at, c.published_at, c.form, c.heading)
              IS DISTINCT FROM ROW(v.record_id, v.accession, v.known_at, v.superseded_at, v.published_at, v.form, v.heading)
        RETURNING c.*
    LOOP
        PERFORM disclosed.date_chunks(t);
        moved := moved + 1;
    END LOOP;
    WITH stored AS (
        INSERT INTO disclosed.chunked_text
        SELECT v.issuer_id, v.row_id, v.source_kind, v.record_id, v.accession, v.known_at, v.superseded_at, v.published_at, v.form, v.heading
        FROM disclosed.text_version v
        WHERE v.issuer_id = ANY (issuers) AND v.source_kind = kind
          AND NOT EXISTS (SELECT 1 FROM disclosed.chunked_text c WHERE c.issuer_id = v.issuer_id AND c.row_id = v.row_id)
        RETURNING *)
    SELECT array_agg(row_id ORDER BY known_at, disclosed.issuer_order(issuer_id), row_id) INTO added FROM stored;
    IF added IS NOT NULL THEN
        PERFORM disclosed.cut_versions(kind, added);
    END IF;
    changed := changed + moved + coalesce(cardinality(added), 0);
    IF changed > 0 THEN
        PERFORM disclosed.count_chunk_words();
    END IF;
    RETURN changed;
END $$;

-- Chunks of a version whose dates have moved: a week or a count of current ones is another, so the rows are written anew.
CREATE FUNCTION date_chunks(t chunked_text) RETURNS void LANGUAGE sql SET enable_seqscan = off AS $$
    WITH moved AS (
        DELETE FROM disclosed.document_chunk c
        WHERE disclosed.chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text)
              @@ disclosed.search_any('t', ARRAY[t.row_id::text])
          AND c.row_id = t.row_id
          AND (c.published_at, c.is_current, coalesce(c.form, ''))
              IS DISTINCT FROM (coalesce(t.published_at, t.known_at), t.superseded_at IS NULL, coalesce(t.form, ''))
        RETURNING c.*)
    INSERT INTO disclosed.document_chunk
    SELECT m.issuer_id, m.chunk_id, m.row_id, coalesce(t.published_at, t.known_at), m.char_start, m.char_end, t.superseded_at IS NULL,
           m.source_kind, t.form, m.section_id, m.heading, m.text
    FROM moved m
$$;

-- What datasets name as what follows their loads. Nothing of the datasets themselves changes.
CREATE FUNCTION cut_filing_texts(issuers bigint[]) RETURNS void LANGUAGE sql AS $$ SELECT disclosed.cut_texts('filing', issuers) $$;
CREATE FUNCTION cut_exhibits(issuers bigint[]) RETURNS void LANGUAGE sql AS $$ SELECT disclosed.cut_texts('exhibit', issuers) $$;
CREATE FUNCTION cut_transcripts(issuers bigint[]) RETURNS void LANGUAGE sql AS $$ SELECT disclosed.cut_texts('transcript', issuers) $$;
CREATE FUNCTION cut_documents(issuers bigint[]) RETURNS void LANGUAGE sql AS $$ SELECT disclosed.cut_texts('document', issuers) $$;
CREATE FUNCTION cut_exhibits_of_filings(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    IF disclosed.cut_texts('exhibit', issuers) > 0 THEN
        RETURN QUERY SELECT unnest(issuers);
    END IF;
END $$;

-- ------------------------------------------------------- what is stored

SELECT cut_texts(kind, ARRAY(SELECT issuer_id FROM issuer ORDER BY 1)) FROM unnest(ARRAY['filing', 'exhibit', 'transcript', 'document']) kind;
