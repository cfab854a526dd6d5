-- Records are found by the hash of their digest in a B-tree, which takes three quarters of the space of a hash index, whose pages are filled unevenly.

SET LOCAL search_path = disclosed, public;

-- Statements name the hash besides the digest: uuid_hash(src_digest) = uuid_hash(...) AND src_digest = ...
CREATE PROCEDURE index_digests(name text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE INDEX %2$I ON disclosed.%1$I (uuid_hash(src_digest)) WHERE superseded_at IS NULL', name, name || '_src');
END $$;

CREATE OR REPLACE PROCEDURE finish_dataset_table(name text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %1$I ADD PRIMARY KEY (issuer_id, row_id)', name);
    EXECUTE format('CREATE UNIQUE INDEX %2$I ON %1$I (issuer_id, key_hash(record_key))'
                   ' WHERE superseded_at IS NULL', name, name || '_current');
    EXECUTE format('CREATE INDEX %2$I ON %1$I (issuer_id, key_hash(record_key))'
                   ' WHERE superseded_at IS NOT NULL', name, name || '_past');
    CALL index_digests(name);
    EXECUTE format('GRANT SELECT ON %I TO disclosed_api, disclosed_loader', name);
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %I TO disclosed_loader', name);
    CALL make_sourced_view(name);
END $$;

DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT x.indexrelid::regclass AS index, c.relname
               FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam
               WHERE c.relnamespace = 'disclosed'::regnamespace AND m.amname = 'hash' AND i.relname = c.relname || '_src' ORDER BY c.relname
    LOOP
        EXECUTE format('DROP INDEX %s', one.index);
        CALL index_digests(one.relname);
    END LOOP;
END $$;
