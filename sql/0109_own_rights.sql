-- Who may do something as the owner, and in which order what others hold is taken.

SET LOCAL search_path = disclosed, public;

-- ---------------------------------------------------------------------- rights

-- Triggers run them for anybody. Who may execute one may put it on a table of their own, with arguments of their own, and a role with a session's
-- tables did so as the owner.
REVOKE EXECUTE ON FUNCTION audit_access, empty_shards, give_key_number, note_change, send_at_commit FROM PUBLIC;

-- Whether changes of a table are noted in this session. A table, or a view, that another made where they are noted would be read, and its triggers
-- run, as the owner: it is refused.
CREATE FUNCTION is_noted(of_table text) RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made record;
BEGIN
    SELECT c.relkind, pg_get_userbyid(c.relowner) AS owner INTO made
    FROM pg_class c WHERE c.oid = to_regclass(format('pg_temp.%I', 'unsent_' || of_table));
    IF FOUND AND (made.relkind <> 'r' OR made.owner <> current_user) THEN
        RAISE EXCEPTION 'unsent_%: a table of this name is made by % where changes are noted', of_table, made.owner USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN FOUND;
END $$;

-- Notes the keys of the rows that a statement has added, changed or removed; `TG_ARGV[0]` lists the key's columns.
CREATE OR REPLACE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    noted text := format('pg_temp.%I', 'unsent_' || TG_TABLE_NAME);
    any_noted boolean;
BEGIN
    IF NOT disclosed.is_noted(TG_TABLE_NAME) THEN
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

-- Writes to the shards of one table what is noted of it. One transaction at a time does, and it is the last that it waits for.
CREATE OR REPLACE FUNCTION send_changes(of_table text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
    IF NOT disclosed.is_noted(of_table) OR to_regclass(format('disclosed_shards.%I', of_table)) IS NULL THEN
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
