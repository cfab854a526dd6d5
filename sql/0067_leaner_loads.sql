-- Loads do less for each row that they store.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------ references

-- Rows that loads store refer to issuers and providers without foreign keys: a check of each row took an eighth of a load, and its lock
-- wrote the issuer's row anew for each batch. A loader takes issuers from the table itself, under its lock; nothing deletes
-- them but remove_demo(), which takes the rows about them first and finds those of others.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT c.conrelid::regclass AS referring, c.conname FROM pg_constraint c
               WHERE c.contype = 'f' AND c.connamespace = 'disclosed'::regnamespace
                 AND (c.confrelid = 'issuer'::regclass OR c.confrelid = 'source_provider'::regclass)
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.referring, one.conname);
    END LOOP;
END $$;

CREATE OR REPLACE PROCEDURE finish_dataset_table(name text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %1$I ADD PRIMARY KEY (issuer_id, row_id)', name);
    EXECUTE format('CREATE UNIQUE INDEX %2$I ON %1$I (issuer_id, key_hash(record_key))'
                   ' WHERE superseded_at IS NULL', name, name || '_current');
    EXECUTE format('CREATE INDEX %2$I ON %1$I (issuer_id, key_hash(record_key))'
                   ' WHERE superseded_at IS NOT NULL', name, name || '_past');
    EXECUTE format('CREATE INDEX %2$I ON %1$I USING hash (src_digest) WHERE superseded_at IS NULL',
                   name, name || '_src');
    EXECUTE format('GRANT SELECT ON %I TO disclosed_api, disclosed_loader', name);
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %I TO disclosed_loader', name);
    CALL make_sourced_view(name);
END $$;

-- ------------------------------------------------------------------ statistics

-- Gathers statistics of those tables that are half as large again as when that was last done, of the columns that plans of a load go
-- by: those of indexes and their conditions. Autovacuum gathers those of all columns, whose turn this does not put off. As their
-- owner, since loaders may not.
CREATE OR REPLACE FUNCTION analyze_grown(grown regclass[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT c.oid::regclass AS grown,
                      (SELECT string_agg(DISTINCT quote_ident(a.attname), ', ') FROM pg_index x
                       JOIN pg_attribute a ON a.attrelid = x.indrelid AND NOT a.attisdropped
                        AND (a.attnum = ANY (x.indkey::int2[]) OR a.attname IN ('known_at', 'superseded_at', 'recorded_at'))
                       WHERE x.indrelid = c.oid) AS planned
               FROM pg_class c
               WHERE c.oid = ANY (grown) AND c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r'
                 AND pg_relation_size(c.oid) / current_setting('block_size')::integer > c.relpages * 1.5
               ORDER BY c.relname
    LOOP
        EXECUTE format('ANALYZE %s (%s)', one.grown, one.planned);
    END LOOP;
END $$;

-- ------------------------------------------------------------------ names

-- The same as before, which was a query of its own for each of the indexes that have it.
CREATE OR REPLACE FUNCTION name_core(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    words text := disclosed.plain_words(name);
BEGIN
    RETURN coalesce(nullif(regexp_replace(words,
        '^the |( (inc|incorporated|corp|corporation|co|company|companies|ltd|limited|plc|llc|lp|sa|nv|ag|se|asa|ab|spa|holdings?|group|grp|new|de|com|trust|bancorp|class [a-z]))+$',
        '', 'g'), ''), words);
END $$;
