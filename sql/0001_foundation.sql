-- The foundation: what was imported, how many rows there are, and what all tables of versions have in common.
--
-- Applied by `disclosedctl migrate` as the owner of the database. The roles disclosed_api (the module) and disclosed_loader
-- (imports) exist before: sql/roles.sql makes them. Both may call every function, as PostgreSQL has it, but those that a
-- migration takes from PUBLIC; so no migration grants EXECUTE on all functions of the schema.
--
-- Each settle_ function is run at the end of a load that changed its dataset, in the same transaction, with the issuers that the
-- load touched. All are idempotent and do not depend on the order in which files arrive.

CREATE SCHEMA disclosed;
SET LOCAL search_path = disclosed, public;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

GRANT USAGE ON SCHEMA disclosed TO disclosed_api, disclosed_loader;

-- Text in which LIKE finds `needle` as a substring and nothing in it is a wildcard.
CREATE FUNCTION like_pattern(needle text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT '%' || regexp_replace(needle, '([\\%_])', '\\\1', 'g') || '%' $$;

-- The instant at which a day that carries no time is over in New York, where the SEC is.
CREATE FUNCTION end_of_day(day date) RETURNS timestamptz
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
$$ SELECT (day + 1)::timestamp AT TIME ZONE 'America/New_York' - interval '1 microsecond' $$;

-- ----------------------------------------------------------------- imports

CREATE TABLE import_run (
    import_run_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source      text NOT NULL,
    file        text NOT NULL,
    started_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at timestamptz,
    status      text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done', 'failed')),
    rows_read   bigint NOT NULL DEFAULT 0,
    stored      bigint NOT NULL DEFAULT 0,
    unchanged   bigint NOT NULL DEFAULT 0,
    superseded  bigint NOT NULL DEFAULT 0,
    rejected    bigint NOT NULL DEFAULT 0,
    message     text
);
CREATE INDEX import_run_started ON import_run (started_at);

CREATE TABLE import_reject (
    import_run_id bigint NOT NULL REFERENCES import_run ON DELETE CASCADE,
    place       text NOT NULL,
    reason      text NOT NULL,
    sample      text
);
CREATE INDEX import_reject_run ON import_reject (import_run_id);

CREATE TABLE source_provider (
    provider    text PRIMARY KEY,
    description text NOT NULL
);
INSERT INTO source_provider VALUES
    ('sec', 'U.S. Securities and Exchange Commission, EDGAR'),
    ('finra', 'Financial Industry Regulatory Authority'),
    ('senate_efd', 'U.S. Senate, electronic financial disclosures'),
    ('house_clerk', 'Clerk of the U.S. House of Representatives, financial disclosures'),
    ('exchange_site', 'an exchange''s own site'),
    ('exchange_hist', 'an exchange''s historical files'),
    ('issuer_page', 'the issuer''s own pages'),
    ('vendor_feed_mini', 'a data vendor''s feed'),
    ('service_ir', 'this service: investor-relations documents'),
    ('service_transcript', 'this service: transcripts'),
    ('fictional', 'demo data about companies that do not exist');

-- -------------------------------------------------------------- statistics

-- One row a dataset, changed in the transaction that changes its rows. `version` rises with each
-- such transaction: answers are tagged with it.
CREATE TABLE dataset_stat (
    dataset     text PRIMARY KEY,
    record_count bigint NOT NULL DEFAULT 0,
    latest      date,
    version     bigint NOT NULL DEFAULT 0,
    changed_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE dataset_issuer_stat (
    issuer_id   bigint NOT NULL,
    dataset     text NOT NULL,
    record_count bigint NOT NULL DEFAULT 0,
    latest      date,
    PRIMARY KEY (issuer_id, dataset)
);

-- A version is a time as well (microseconds since 1970), so that those of a database made anew are
-- not taken for those of the one before.
CREATE FUNCTION stamp_dataset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := greatest(NEW.version, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
    RETURN NEW;
END $$;
CREATE TRIGGER dataset_stamped BEFORE INSERT OR UPDATE ON dataset_stat
    FOR EACH ROW EXECUTE FUNCTION stamp_dataset();

CREATE FUNCTION announce_dataset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('disclosed', 'dataset');
    RETURN NULL;
END $$;
CREATE TRIGGER dataset_changed AFTER INSERT OR UPDATE OR DELETE ON dataset_stat
    FOR EACH STATEMENT EXECUTE FUNCTION announce_dataset();

-- Gathers statistics of those tables that are a fifth larger than when that was last done. As their owner,
-- since loaders may not.
CREATE FUNCTION analyze_grown(grown regclass[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one regclass;
BEGIN
    FOR one IN SELECT c.oid FROM pg_class c
               WHERE c.oid = ANY (grown) AND c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r'
                 AND pg_relation_size(c.oid) / current_setting('block_size')::integer > c.relpages * 1.2
               ORDER BY c.relname
    LOOP
        EXECUTE format('ANALYZE %s', one);
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION analyze_grown FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_grown TO disclosed_loader;

-- ----------------------------------------------------------------- records

-- Numbers of records.
CREATE SEQUENCE record_id;

-- What every dataset table begins with; the tables are made LIKE it, and finish_dataset_table()
-- gives them what LIKE does not copy, and the rights that all have. content_hash is the SHA-256 of the
-- file that a row was read from.
CREATE TABLE dataset_record (
    row_id      bigint GENERATED ALWAYS AS IDENTITY,
    id          bigint NOT NULL,
    issuer_id   bigint NOT NULL,
    record_key  text NOT NULL,
    known_at    timestamptz NOT NULL,
    superseded_at timestamptz,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    import_run_id bigint,
    src_digest  uuid NOT NULL,
    source_provider text NOT NULL,
    source_url  text,
    accession   text,
    quote       text,
    content_hash text,
    extracted_at timestamptz
);
COMMENT ON COLUMN dataset_record.row_id IS 'this version of the record';
COMMENT ON COLUMN dataset_record.id IS 'the record, the same over its versions';
COMMENT ON COLUMN dataset_record.record_key IS 'what makes it the same record in its source';
COMMENT ON COLUMN dataset_record.known_at IS 'when it became public';
COMMENT ON COLUMN dataset_record.superseded_at IS 'when a later version became public';
COMMENT ON COLUMN dataset_record.recorded_at IS 'when it was loaded here';
COMMENT ON COLUMN dataset_record.src_digest
    IS 'first 128 bits of SHA-256 over dataset, provider, issuer and record_key: the src_id';

CREATE PROCEDURE finish_dataset_table(name text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %1$I ADD PRIMARY KEY (issuer_id, row_id),'
                   ' ADD FOREIGN KEY (issuer_id) REFERENCES issuer,'
                   ' ADD FOREIGN KEY (source_provider) REFERENCES source_provider', name);
    EXECUTE format('CREATE INDEX %2$I ON %1$I (issuer_id, record_key, known_at)',
                   name, name || '_record');
    EXECUTE format('CREATE UNIQUE INDEX %2$I ON %1$I (issuer_id, record_key)'
                   ' WHERE superseded_at IS NULL', name, name || '_current');
    EXECUTE format('CREATE INDEX %2$I ON %1$I (src_digest) WHERE superseded_at IS NULL',
                   name, name || '_src');
    EXECUTE format('GRANT SELECT ON %I TO disclosed_api, disclosed_loader', name);
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %I TO disclosed_loader', name);
END $$;

-- What repeated the version in force, of datasets that are stated as a whole again and again: the instant and where it was
-- stated. A version that is loaded later, but was known between the two, ends there. Rows are of records, by their id, which
-- stays when a record moves between issuers.
CREATE TABLE restated (
    record_id       bigint NOT NULL,
    known_at        timestamptz NOT NULL,
    import_run_id   bigint,
    source_provider text NOT NULL,
    source_url      text,
    accession       text,
    quote           text,
    content_hash    text,
    extracted_at    timestamptz NOT NULL,
    PRIMARY KEY (record_id, known_at)
);

-- The digest of a derived record, as the loader makes those of loaded ones (dataset_record.src_digest).
CREATE FUNCTION source_digest(dataset text, provider text, identity bigint, key text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT encode(substr(sha256(convert_to(
        dataset || E'\n' || provider || E'\n' || identity::text || E'\n' || key, 'UTF8')), 1, 16), 'hex')::uuid
$$;

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

-- ------------------------------------------------------------------ rights

GRANT SELECT ON source_provider, dataset_stat, dataset_issuer_stat, dataset_record TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON dataset_stat, dataset_issuer_stat TO disclosed_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON import_run, import_reject TO disclosed_loader;
GRANT SELECT ON restated TO disclosed_api, disclosed_loader;
GRANT INSERT, DELETE ON restated TO disclosed_loader;
GRANT USAGE ON SEQUENCE record_id, import_run_import_run_id_seq TO disclosed_loader;
