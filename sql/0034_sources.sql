-- Where rows come from. What is the same for all rows of a file or filing stands once, in a table of sources that rows point to.

SET LOCAL search_path = disclosed, public;

CREATE SEQUENCE source_id AS integer;

CREATE TABLE source (
    import_run_id bigint,
    extracted_at timestamptz,
    source_key  bigint NOT NULL,
    source_id   integer PRIMARY KEY DEFAULT nextval('disclosed.source_id'),
    by_filing   boolean NOT NULL DEFAULT false,
    provider    text NOT NULL REFERENCES source_provider,
    url         text,
    content_hash bytea CHECK (length(content_hash) = 32),
    CHECK (NOT by_filing OR url IS NOT NULL)
);
COMMENT ON TABLE source IS 'what rows of a file or filing have in common: dataset tables point to it';
COMMENT ON COLUMN source.by_filing IS 'url is where the addresses of its filings begin: filing_address() has the rest';
COMMENT ON COLUMN source.content_hash IS 'SHA-256 of the file';
COMMENT ON COLUMN source.source_key IS 'digest of all that it says: source_of() finds it by that';
-- source_of()
CREATE INDEX source_by_key ON source (source_key);

-- Importers of calendars ask whether a file has been loaded before.
CREATE INDEX source_by_hash ON source USING hash (content_hash) WHERE NOT by_filing;

-- A document of a filing, or the filing's index: where EDGAR has it, and whoever keeps its folders.
CREATE FUNCTION filing_address(head text, cik bigint, accession text, document text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT head || cik || '/' || replace(accession, '-', '') || '/' || coalesce(document, accession || '-index.htm') $$;

-- A content hash as it is served: "sha256:" and 64 digits.
CREATE FUNCTION content_hash_text(hash bytea) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT 'sha256:' || encode(hash, 'hex') $$;

CREATE FUNCTION source_key(provider text, by_filing boolean, url text, content_hash bytea, extracted_at timestamptz,
                           import_run_id bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT hashtextextended(ROW(provider, by_filing, url, content_hash, extract(epoch FROM extracted_at), import_run_id)::text, 0)
$$;

-- The source that says this, made where there is none. Two loads at once may make one each: that does no harm.
CREATE FUNCTION source_of(of_provider text, of_url text, of_hash text, extracted timestamptz, run bigint) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    hash bytea := decode(substr(of_hash, 8), 'hex');
    key bigint := disclosed.source_key(of_provider, false, of_url, hash, extracted, run);
    found integer := (
        SELECT s.source_id FROM disclosed.source s
        WHERE s.source_key = key AND (s.provider, s.by_filing, s.url, s.content_hash, s.extracted_at, s.import_run_id)
              IS NOT DISTINCT FROM (of_provider, false, of_url, hash, extracted, run) LIMIT 1);
BEGIN
    IF found IS NULL THEN
        INSERT INTO disclosed.source (source_key, provider, url, content_hash, extracted_at, import_run_id)
        VALUES (key, of_provider, of_url, hash, extracted, run) RETURNING source_id INTO found;
    END IF;
    RETURN found;
END $$;

-- A dataset's table with the columns of its sources: name_sourced, to be made anew when the table has another column. `document`
-- is the column with the name of the row's document in its filing; NULL: there is none.
CREATE PROCEDURE make_sourced_view(name text, document text DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('disclosed.' || quote_ident(name || '_sourced')) IS NOT NULL THEN
        EXECUTE format('DROP VIEW %I', name || '_sourced');
    END IF;
    EXECUTE format('CREATE VIEW %I AS SELECT t.*, s.provider AS source_provider,'
                   ' CASE WHEN s.by_filing THEN filing_address(s.url, i.cik, t.accession, %s) ELSE s.url END AS source_url,'
                   ' content_hash_text(s.content_hash) AS content_hash, s.extracted_at, s.import_run_id'
                   ' FROM %I t LEFT JOIN source s ON s.source_id = t.source_id'
                   ' LEFT JOIN issuer i ON i.issuer_id = t.issuer_id',
                   name || '_sourced', coalesce('t.' || quote_ident(document), 'NULL'), name);
    EXECUTE format('GRANT SELECT ON %I TO disclosed_api, disclosed_loader', name || '_sourced');
END $$;

CREATE OR REPLACE PROCEDURE finish_dataset_table(name text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %1$I ADD PRIMARY KEY (issuer_id, row_id),'
                   ' ADD FOREIGN KEY (issuer_id) REFERENCES issuer', name);
    EXECUTE format('CREATE INDEX %2$I ON %1$I (issuer_id, record_key, known_at)',
                   name, name || '_record');
    EXECUTE format('CREATE UNIQUE INDEX %2$I ON %1$I (issuer_id, record_key)'
                   ' WHERE superseded_at IS NULL', name, name || '_current');
    EXECUTE format('CREATE INDEX %2$I ON %1$I (src_digest) WHERE superseded_at IS NULL',
                   name, name || '_src');
    EXECUTE format('GRANT SELECT ON %I TO disclosed_api, disclosed_loader', name);
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %I TO disclosed_loader', name);
    CALL make_sourced_view(name);
END $$;

-- --------------------------------------------------------- what is stored

-- Rows that are stored take their sources. An address stands in full: files that are loaded from now on know which begin alike.
DO $$
DECLARE
    one name;
BEGIN
    FOR one IN SELECT c.relname FROM pg_class c
               JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'src_digest'
               JOIN pg_attribute p ON p.attrelid = c.oid AND p.attname = 'source_provider'
               WHERE c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r' AND c.relname <> 'dataset_record'
               ORDER BY c.relname
    LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN source_id integer', one);
        EXECUTE format(
            'WITH told AS ('
            ' SELECT row_id, issuer_id, source_provider, source_url, content_hash, extracted_at, import_run_id,'
            '        source_key(source_provider, false, source_url, decode(substr(content_hash, 8), ''hex''), extracted_at,'
            '                   import_run_id) AS source_key FROM %1$I),'
            ' made AS MATERIALIZED ('
            ' SELECT d.*, source_of(source_provider, source_url, content_hash, extracted_at, import_run_id) AS source_id'
            ' FROM (SELECT DISTINCT source_key, source_provider, source_url, content_hash, extracted_at, import_run_id FROM told) d)'
            ' UPDATE %1$I t SET source_id = made.source_id FROM told JOIN made ON made.source_key = told.source_key'
            '  AND (told.source_provider, told.source_url, told.content_hash, told.extracted_at, told.import_run_id)'
            '      IS NOT DISTINCT FROM (made.source_provider, made.source_url, made.content_hash, made.extracted_at, made.import_run_id)'
            ' WHERE t.issuer_id = told.issuer_id AND t.row_id = told.row_id',
            one);
        EXECUTE format('ALTER TABLE %I ALTER source_id SET NOT NULL, DROP source_provider, DROP source_url, DROP content_hash,'
                       ' DROP extracted_at, DROP import_run_id', one);
        CALL make_sourced_view(one, CASE one WHEN 'filing' THEN 'primary_document' WHEN 'filing_exhibit' THEN 'file_name' END);
    END LOOP;
END $$;

CREATE INDEX event_notice_source ON event_notice (source_id);

ALTER TABLE dataset_record ADD COLUMN source_id integer NOT NULL, DROP source_provider, DROP source_url, DROP content_hash,
    DROP extracted_at, DROP import_run_id;
COMMENT ON COLUMN dataset_record.source_id IS 'where it was read: table source';

ALTER TABLE restated ADD COLUMN source_id integer;
UPDATE restated SET source_id = source_of(source_provider, source_url, content_hash, extracted_at, import_run_id);
ALTER TABLE restated ALTER source_id SET NOT NULL, DROP source_provider, DROP source_url, DROP content_hash, DROP extracted_at,
    DROP import_run_id;

GRANT SELECT ON source TO disclosed_api, disclosed_loader;
GRANT INSERT, DELETE ON source TO disclosed_loader;
GRANT USAGE ON SEQUENCE source_id TO disclosed_loader;
