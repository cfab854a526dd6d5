-- A distributed PostgreSQL (Citus): shards beside the tables.
--
-- The tables of this schema stay what they are, ordinary tables of the coordinator: loads, settle functions and all that writes work in
-- them. Schema disclosed_shards has, under the same names, what clients read, spread over the workers by issuer_id or copied to each of
-- them. Connections that serve have it first in their search_path. What a transaction changes here is written there before it
-- commits, all of it or nothing: triggers note the keys of changed rows, and one that is deferred to the commit sends them.
--
-- Nothing of this does anything before `disclosedctl distribute --apply`; no extension is needed until then.

SET LOCAL search_path = disclosed, public;

CREATE TABLE distributed_table (
    name        text PRIMARY KEY,
    kind        text NOT NULL CHECK (kind IN ('distributed', 'reference')),
    distributed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE distributed_table IS 'which tables have shards: spread by issuer_id, or copied to each node';
GRANT SELECT ON distributed_table TO disclosed_api, disclosed_loader;

-- A row for each table that the open transaction has changed: what is deferred to the commit needs one to hang on.
CREATE TABLE unsent_change (
    name        text NOT NULL
);

-- ------------------------------------------------------------------------ the plan

-- The columns of a table's primary key, quoted, in its order; NULL: it has none.
CREATE FUNCTION key_columns(of_table regclass) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT array_agg(quote_ident(a.attname) ORDER BY k.place)
    FROM pg_index x
    CROSS JOIN LATERAL unnest(x.indkey::int2[]) WITH ORDINALITY AS k(number, place)
    JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.number
    WHERE x.indrelid = of_table AND x.indisprimary
$$;

-- The name of a unique index without issuer_id; NULL: each has it. Shards can't see to what holds over all of them.
CREATE FUNCTION unique_over_issuers(of_table regclass) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT min(x.indexrelid::regclass::text COLLATE "C") FROM pg_index x
    WHERE x.indrelid = of_table AND x.indisunique
      AND NOT EXISTS (SELECT 1 FROM pg_attribute a
                      WHERE a.attrelid = x.indrelid AND a.attname = 'issuer_id' AND a.attnum = ANY (x.indkey::int2[]))
$$;

-- What a table's columns and indexes are: its shards are made anew when that has changed.
CREATE FUNCTION form_of_table(of_table regclass) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT (SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attname COLLATE "C")
            FROM pg_attribute a WHERE a.attrelid = of_table AND a.attnum > 0 AND NOT a.attisdropped)
        || E'\n' || coalesce((SELECT string_agg(i.definition, E'\n' ORDER BY i.definition COLLATE "C")
            FROM pg_index x
            CROSS JOIN LATERAL (SELECT replace(replace(CASE WHEN x.indisprimary THEN pg_get_indexdef(x.indexrelid)
                                    ELSE replace(pg_get_indexdef(x.indexrelid), 'CREATE UNIQUE INDEX', 'CREATE INDEX') END,
                                    ' ON disclosed.', ' ON '), ' ON disclosed_shards.', ' ON ') AS definition) i
            WHERE x.indrelid = of_table), '')
$$;

-- The tables that these functions read, and those that they call.
CREATE FUNCTION tables_of_functions(names text[]) RETURNS TABLE (name text, function text) LANGUAGE sql STABLE AS $$
    WITH RECURSIVE called AS (
        SELECT p.oid, p.prosrc, p.proname::text AS root FROM pg_proc p
        WHERE p.pronamespace = 'disclosed'::regnamespace AND p.proname = ANY (names)
        UNION
        SELECT p.oid, p.prosrc, c.root FROM called c
        JOIN pg_proc p ON p.pronamespace = 'disclosed'::regnamespace AND c.prosrc ~ ('\m' || p.proname || '\(')
    )
    SELECT t.relname::text, min(c.root COLLATE "C") FROM called c
    JOIN pg_class t ON t.relnamespace = 'disclosed'::regnamespace AND t.relkind = 'r'
     AND c.prosrc ~* ('\m(from|join)\s+(disclosed\.)?' || t.relname || '\M')
    GROUP BY 1
$$;

-- What becomes of each of the tables that clients read. `joined` are the functions that lists join to each row: workers run them, and
-- have the whole of what they read. `state`: none, missing, changed (made anew), done.
CREATE FUNCTION distribution_plan(names text[], joined text[])
RETURNS TABLE (name text, kind text, reason text, state text) LANGUAGE sql STABLE AS $$
    WITH looked_at AS (
        SELECT DISTINCT n.name, c.oid::regclass AS here, to_regclass(format('disclosed_shards.%I', n.name)) AS there
        FROM unnest(names) AS n(name)
        JOIN pg_class c ON c.relname = n.name AND c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r'
    ), kinds AS (
        SELECT l.name, l.here, l.there, k.kind, k.reason
        FROM looked_at l
        CROSS JOIN LATERAL (SELECT disclosed.unique_over_issuers(l.here) AS over_issuers,
            EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = l.here AND a.attname = 'issuer_id') AS of_issuers,
            (SELECT min(c.conrelid::regclass::text COLLATE "C") FROM pg_constraint c
             WHERE c.contype = 'f' AND c.confrelid = l.here) AS pointed_at_by,
            (SELECT r.function FROM disclosed.tables_of_functions(joined) r WHERE r.name = l.name) AS joined_by) f
        CROSS JOIN LATERAL (SELECT CASE
                WHEN disclosed.key_columns(l.here) IS NULL THEN 'local'
                WHEN f.of_issuers AND f.over_issuers IS NULL AND f.pointed_at_by IS NULL AND f.joined_by IS NULL
                THEN 'distributed'
                ELSE 'reference' END AS kind,
            CASE
                WHEN disclosed.key_columns(l.here) IS NULL THEN 'it has no primary key, by which changes could be sent'
                WHEN NOT f.of_issuers THEN 'it has no issuer_id'
                WHEN f.pointed_at_by IS NOT NULL THEN format('rows of others point to it (%s)', f.pointed_at_by)
                WHEN f.joined_by IS NOT NULL THEN format('lists join %s(), which reads it', f.joined_by)
                WHEN f.over_issuers IS NOT NULL THEN format('unique over all issuers (%s)', f.over_issuers)
                ELSE 'by issuer_id' END AS reason) k
    )
    SELECT k.name, k.kind, k.reason,
           CASE WHEN k.kind = 'local' THEN 'none'
                WHEN t.name IS NULL OR k.there IS NULL THEN 'missing'
                WHEN t.kind <> k.kind OR disclosed.form_of_table(k.here) <> disclosed.form_of_table(k.there) THEN 'changed'
                ELSE 'done' END
    FROM kinds k LEFT JOIN disclosed.distributed_table t ON t.name = k.name
    ORDER BY array_position(ARRAY['distributed', 'reference', 'local'], k.kind), k.name
$$;

-- ------------------------------------------------------- changes follow to the shards

-- Notes the keys of the rows that a statement has added, changed or removed; `TG_ARGV[0]` lists the key's columns.
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    noted text := format('pg_temp.%I', 'unsent_' || TG_TABLE_NAME);
    any_noted boolean;
BEGIN
    IF to_regclass(noted) IS NULL THEN
        EXECUTE format('CREATE TEMP TABLE %I ON COMMIT DELETE ROWS AS SELECT %s FROM disclosed.%I LIMIT 0',
                       'unsent_' || TG_TABLE_NAME, TG_ARGV[0], TG_TABLE_NAME);
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s)', noted) INTO any_noted;
    IF TG_OP <> 'INSERT' THEN
        EXECUTE format('INSERT INTO %s SELECT %s FROM old_rows', noted, TG_ARGV[0]);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        EXECUTE format('INSERT INTO %s SELECT %s FROM new_rows', noted, TG_ARGV[0]);
    END IF;
    IF NOT any_noted THEN
        EXECUTE format('INSERT INTO disclosed.unsent_change SELECT %L WHERE EXISTS (SELECT 1 FROM %s)', TG_TABLE_NAME, noted);
    END IF;
    RETURN NULL;
END $$;

-- A table that is emptied as a whole.
CREATE FUNCTION empty_shards() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF to_regclass(format('disclosed_shards.%I', TG_TABLE_NAME)) IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('disclosed send', 0));
        EXECUTE format('DELETE FROM disclosed_shards.%I', TG_TABLE_NAME);
    END IF;
    RETURN NULL;
END $$;

-- Writes to the shards of one table what is noted of it. One transaction at a time does, and it is the last that it waits for.
CREATE FUNCTION send_changes(of_table text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    noted   text := format('pg_temp.%I', 'unsent_' || of_table);
    key     text[] := disclosed.key_columns(format('disclosed.%I', of_table)::regclass);
    keys    text := array_to_string(key, ', ');
    -- What is noted and is there no longer.
    lost    text := format('SELECT %s FROM %s n WHERE NOT EXISTS (SELECT 1 FROM disclosed.%I t WHERE (%s) = (%s))', keys, noted, of_table,
                           (SELECT string_agg('t.' || k, ', ') FROM unnest(key) k), (SELECT string_agg('n.' || k, ', ') FROM unnest(key) k));
    columns text;
    changes text;
    gone    boolean;
BEGIN
    -- Without shards, as in a copy that was restored elsewhere, everybody reads the tables.
    IF to_regclass(noted) IS NULL OR to_regclass(format('disclosed_shards.%I', of_table)) IS NULL THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed send', 0));
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum),
           string_agg(format('%1$I = excluded.%1$I', a.attname), ', ' ORDER BY a.attnum) FILTER (WHERE quote_ident(a.attname) <> ALL (key))
    INTO columns, changes
    FROM pg_attribute a
    WHERE a.attrelid = format('disclosed.%I', of_table)::regclass AND a.attnum > 0 AND NOT a.attisdropped;
    EXECUTE format('SELECT EXISTS (%s)', lost) INTO gone;
    IF gone THEN
        EXECUTE format('DELETE FROM disclosed_shards.%I WHERE (%s) IN (%s)', of_table, keys, lost);
    END IF;
    EXECUTE format('INSERT INTO disclosed_shards.%I (%s) SELECT %s FROM disclosed.%I t'
                   ' WHERE (%s) IN (SELECT %s FROM %s) ON CONFLICT (%s) %s',
                   of_table, columns, columns, of_table, keys, keys, noted, keys,
                   CASE WHEN changes IS NULL THEN 'DO NOTHING' ELSE 'DO UPDATE SET ' || changes END);
    EXECUTE format('DELETE FROM %s', noted);
END $$;
REVOKE EXECUTE ON FUNCTION send_changes FROM PUBLIC;

CREATE FUNCTION send_at_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM disclosed.send_changes(NEW.name);
    DELETE FROM disclosed.unsent_change c WHERE c.ctid = NEW.ctid;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER sent_at_commit AFTER INSERT ON unsent_change
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION send_at_commit();

-- A commit reaches the coordinator's tables a moment before the workers. The lock of sending is held until it is there too, so
-- that whoever takes it shared, after looking, has seen nothing that the shards lack. No event is published before.
CREATE FUNCTION await_sent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('disclosed send', 0));
    RETURN NULL;
END $$;

-- ------------------------------------------------------------------------- applying it

-- Makes the shards of a table, fills them, and has changes follow. Nobody writes to the table meanwhile. Of its unique
-- indexes the shards have the primary key's alone: what holds is seen to here, and rows are sent in no order.
CREATE PROCEDURE distribute_table(of_table text, as_kind text) LANGUAGE plpgsql AS $$
DECLARE
    key  text[] := disclosed.key_columns(format('disclosed.%I', of_table)::regclass);
    keys text := array_to_string(key, ', ');
    one  text;
BEGIN
    EXECUTE format('LOCK TABLE disclosed.%I IN SHARE ROW EXCLUSIVE MODE', of_table);
    CALL disclosed.drop_shards(of_table);
    EXECUTE format('CREATE TABLE disclosed_shards.%1$I (LIKE disclosed.%1$I INCLUDING STORAGE INCLUDING COMPRESSION)', of_table);
    EXECUTE format('ALTER TABLE disclosed_shards.%I ADD CONSTRAINT %I PRIMARY KEY (%s)', of_table,
        (SELECT c.relname FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
         WHERE x.indrelid = format('disclosed.%I', of_table)::regclass AND x.indisprimary), keys);
    FOR one IN SELECT replace(replace(pg_get_indexdef(x.indexrelid), ' ON disclosed.', ' ON disclosed_shards.'),
                              'CREATE UNIQUE INDEX', 'CREATE INDEX')
               FROM pg_index x WHERE x.indrelid = format('disclosed.%I', of_table)::regclass AND NOT x.indisprimary
    LOOP
        EXECUTE one;
    END LOOP;
    EXECUTE format('GRANT SELECT ON disclosed_shards.%I TO disclosed_api, disclosed_loader', of_table);
    IF as_kind = 'reference' THEN
        EXECUTE format('SELECT create_reference_table(%L)', format('disclosed_shards.%I', of_table));
    ELSE
        EXECUTE format('SELECT create_distributed_table(%L, %L, colocate_with => %L)', format('disclosed_shards.%I', of_table), 'issuer_id',
            coalesce((SELECT format('disclosed_shards.%I', t.name) FROM disclosed.distributed_table t
                      WHERE t.kind = 'distributed' AND to_regclass(format('disclosed_shards.%I', t.name)) IS NOT NULL ORDER BY t.distributed_at, t.name LIMIT 1), 'default'));
    END IF;
    EXECUTE format('INSERT INTO disclosed_shards.%1$I SELECT * FROM disclosed.%1$I', of_table);
    EXECUTE format('CREATE TRIGGER shards_added AFTER INSERT ON disclosed.%I REFERENCING NEW TABLE AS new_rows'
                   ' FOR EACH STATEMENT EXECUTE FUNCTION disclosed.note_change(%L)', of_table, keys);
    EXECUTE format('CREATE TRIGGER shards_changed AFTER UPDATE ON disclosed.%I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows'
                   ' FOR EACH STATEMENT EXECUTE FUNCTION disclosed.note_change(%L)', of_table, keys);
    EXECUTE format('CREATE TRIGGER shards_removed AFTER DELETE ON disclosed.%I REFERENCING OLD TABLE AS old_rows'
                   ' FOR EACH STATEMENT EXECUTE FUNCTION disclosed.note_change(%L)', of_table, keys);
    EXECUTE format('CREATE TRIGGER shards_emptied AFTER TRUNCATE ON disclosed.%I'
                   ' FOR EACH STATEMENT EXECUTE FUNCTION disclosed.empty_shards()', of_table);
    INSERT INTO disclosed.distributed_table (name, kind) VALUES (of_table, as_kind);
END $$;

CREATE PROCEDURE drop_shards(of_table text) LANGUAGE plpgsql AS $$
DECLARE
    one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['shards_added', 'shards_changed', 'shards_removed', 'shards_emptied'] LOOP
        EXECUTE format('DROP TRIGGER IF EXISTS %I ON disclosed.%I', one, of_table);
    END LOOP;
    PERFORM set_config('citus.enable_ddl_propagation', 'on', true); -- or the workers would keep theirs
    EXECUTE format('DROP TABLE IF EXISTS disclosed_shards.%I', of_table);
    PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
    DELETE FROM disclosed.distributed_table t WHERE t.name = of_table;
END $$;

-- What a worker needs beside the shards, as one command to be run there: the functions, which indexes and statements call, and the
-- reference tables under the names by which functions read them. A function that needs what no worker has is left out; statements
-- that call it are not for workers.
CREATE FUNCTION worker_command() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN format('DO %L', format($form$
DECLARE
    one text;
BEGIN
    SET LOCAL citus.enable_ddl_propagation = off;
    SET LOCAL check_function_bodies = off;
    SET LOCAL client_min_messages = error;
    CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
    PERFORM public.similarity('a', 'a'); -- functions have settings of it
    CREATE SCHEMA IF NOT EXISTS disclosed;
    GRANT USAGE ON SCHEMA disclosed TO disclosed_api, disclosed_loader;
    SET LOCAL search_path = disclosed, public;
    FOREACH one IN ARRAY %L::text[] LOOP
        BEGIN
            EXECUTE 'CREATE OR REPLACE VIEW disclosed.' || one;
        EXCEPTION WHEN invalid_table_definition THEN
            EXECUTE 'DROP VIEW disclosed.' || split_part(one, ' ', 1) || ' CASCADE';
            EXECUTE 'CREATE VIEW disclosed.' || one;
        END;
        EXECUTE 'GRANT SELECT ON disclosed.' || split_part(one, ' ', 1) || ' TO disclosed_api, disclosed_loader';
    END LOOP;
    FOREACH one IN ARRAY %L::text[] LOOP
        BEGIN
            EXECUTE one;
        EXCEPTION WHEN undefined_table OR undefined_object OR undefined_function THEN NULL;
        END;
    END LOOP;
END $form$,
        ARRAY(SELECT format('%I AS SELECT * FROM disclosed_shards.%I', t.name, t.name || '_' || s.shardid)
              FROM disclosed.distributed_table t JOIN pg_dist_shard s ON s.logicalrelid = to_regclass(format('disclosed_shards.%I', t.name))
              WHERE t.kind = 'reference' ORDER BY t.name),
        ARRAY(SELECT pg_get_functiondef(p.oid) FROM pg_proc p
              WHERE p.pronamespace = 'disclosed'::regnamespace AND p.prokind = 'f' AND NOT p.prosecdef
                AND p.prorettype <> 'trigger'::regtype ORDER BY p.oid)));
END $$;
