-- On Citus, a table whose lists about a company find their rows by another column than issuer_id is spread by that column, so that one shard is asked: the
-- institutions that hold a company, and trades of its securities by members of Congress.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------- columns

-- Shards are chosen by a value that each row has.
ALTER TABLE congress_trade
    ADD COLUMN company_or_politician_id bigint NOT NULL GENERATED ALWAYS AS (coalesce(company_id, issuer_id)) STORED;
COMMENT ON COLUMN congress_trade.company_or_politician_id IS 'whom lists ask for the row: company_id, or issuer_id of a row without one';
CALL make_sourced_view('congress_trade');

-- Lists compare both columns. Neither condition leaves a row out, and PostgreSQL must not expect so few rows that it sorts all of them for a page.
CREATE STATISTICS congress_trade_company (dependencies) ON company_id, company_or_politician_id FROM congress_trade;
CREATE STATISTICS institution_holder_listing (dependencies) ON company_id, symbol FROM institution_holder;
ANALYZE congress_trade (company_id, company_or_politician_id), institution_holder (company_id, symbol);

-- Gathers statistics of those tables that are half as large again as when that was last done, of the columns that plans of a load go
-- by: those of indexes and their conditions. And of those that have statistics together, which lists go by. A load leaves out what another is at.
CREATE OR REPLACE FUNCTION analyze_grown(grown regclass[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET default_statistics_target = 30 AS $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT c.oid::regclass AS grown,
                      (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
                       WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                         AND (a.attname IN ('known_at', 'superseded_at', 'recorded_at')
                              OR EXISTS (SELECT 1 FROM pg_index x WHERE x.indrelid = c.oid AND a.attnum = ANY (x.indkey::int2[]))
                              OR EXISTS (SELECT 1 FROM pg_statistic_ext x WHERE x.stxrelid = c.oid AND a.attnum = ANY (x.stxkeys::int2[])))) AS planned
               FROM pg_class c
               WHERE c.oid = ANY (grown) AND c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r'
                 AND pg_relation_size(c.oid) / current_setting('block_size')::integer > c.relpages * 1.5
               ORDER BY c.relname
    LOOP
        BEGIN
            -- Not ANALYZE (SKIP_LOCKED), which warns.
            EXECUTE format('LOCK TABLE %s IN SHARE UPDATE EXCLUSIVE MODE NOWAIT', one.grown);
            EXECUTE format('ANALYZE %s (%s)', one.grown, one.planned);
        EXCEPTION WHEN lock_not_available THEN
            CONTINUE;
        END;
    END LOOP;
END $$;

-- ------------------------------------------------------------------------ the plan

ALTER TABLE distributed_table ADD COLUMN by_column text;
UPDATE distributed_table SET by_column = 'issuer_id' WHERE kind = 'distributed';
ALTER TABLE distributed_table ADD CHECK ((kind = 'distributed') = (by_column IS NOT NULL));
COMMENT ON TABLE distributed_table IS 'which tables have shards: spread by a column, or copied to each node';

-- The columns of the primary key that a table's shards have, quoted: Citus needs the column by which they are chosen in it. NULL: the table has no key.
CREATE FUNCTION shard_key(of_table regclass, by_column text) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT k.key || CASE WHEN quote_ident(by_column) <> ALL (k.key) THEN ARRAY[quote_ident(by_column)] ELSE '{}' END
    FROM (SELECT disclosed.key_columns(of_table) AS key) k
$$;

-- What a table's columns, indexes and statistics are, but for its primary key: its shards are made anew when that has changed.
CREATE OR REPLACE FUNCTION form_of_table(of_table regclass) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT (SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attname COLLATE "C")
            FROM pg_attribute a WHERE a.attrelid = of_table AND a.attnum > 0 AND NOT a.attisdropped)
        || E'\n' || coalesce((SELECT string_agg(i.definition, E'\n' ORDER BY i.definition COLLATE "C")
            FROM pg_index x
            CROSS JOIN LATERAL (SELECT replace(replace(replace(pg_get_indexdef(x.indexrelid), 'CREATE UNIQUE INDEX', 'CREATE INDEX'),
                                    ' ON disclosed.', ' ON '), ' ON disclosed_shards.', ' ON ') AS definition) i
            WHERE x.indrelid = of_table AND NOT x.indisprimary), '')
        || E'\n' || coalesce((SELECT string_agg(s.definition, ', ' ORDER BY s.definition COLLATE "C") FROM pg_statistic_ext x
            CROSS JOIN LATERAL (SELECT x.stxkind::text || ' ' || pg_get_statisticsobjdef_columns(x.oid) AS definition) s
            WHERE x.stxrelid = of_table), '')
$$;

-- The column by which each table is spread if it is: that by which lists about a company find its rows, and issuer_id if that is one of several, or none is
-- set in all rows. `asked_by` has these columns, as table.column.
CREATE FUNCTION distribution_columns(names text[], asked_by text[]) RETURNS TABLE (name text, by_column text) LANGUAGE sql STABLE AS $$
    SELECT n.name, CASE WHEN n.name || '.issuer_id' = ANY (asked_by) THEN 'issuer_id' ELSE coalesce(asked.by_column, 'issuer_id') END
    FROM unnest(names) AS n(name)
    CROSS JOIN LATERAL (SELECT min(a.attname::text COLLATE "C") AS by_column FROM pg_attribute a
        WHERE a.attrelid = to_regclass(format('disclosed.%I', n.name)) AND a.attnotnull AND NOT a.attisdropped
          AND n.name || '.' || a.attname = ANY (asked_by)) asked
$$;

-- What becomes of each of the tables that clients read. `joined` has what lists of a table join to each of its rows, as table.joined. Functions: workers run
-- them, and have the whole of what they read. Tables: they are where the rows are, or on each node. `asked_by` is as above. `state`: none, missing, changed
-- (made anew), done.
DROP FUNCTION distribution_plan(text[], text[]); -- asked for by disclosedctl alone
CREATE FUNCTION distribution_plan(names text[], joined text[], asked_by text[])
RETURNS TABLE (name text, kind text, by_column text, reason text, state text) LANGUAGE sql STABLE AS $$
    WITH spread AS MATERIALIZED (
        SELECT * FROM disclosed.distribution_columns(names, asked_by)
    ), joins AS MATERIALIZED (
        SELECT split_part(j.pair, '.', 1) AS name, split_part(j.pair, '.', 2) AS joined FROM unnest(joined) AS j(pair)
    ), read AS MATERIALIZED (
        SELECT * FROM disclosed.tables_of_functions(ARRAY(SELECT DISTINCT j.joined FROM joins j))
    ), looked_at AS (
        SELECT DISTINCT n.name, n.by_column, c.oid::regclass AS here, to_regclass(format('disclosed_shards.%I', n.name)) AS there
        FROM spread n
        JOIN pg_class c ON c.relname = n.name AND c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r'
    ), kinds AS (
        SELECT l.name, l.by_column, l.here, l.there, k.kind, k.reason
        FROM looked_at l
        CROSS JOIN LATERAL (SELECT disclosed.unique_over_issuers(l.here) AS over_issuers,
            EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = l.here AND a.attname = 'issuer_id') AS of_issuers,
            (SELECT min(c.conrelid::regclass::text COLLATE "C") FROM pg_constraint c
             WHERE c.contype = 'f' AND c.confrelid = l.here) AS pointed_at_by,
            (SELECT r.function FROM read r WHERE r.name = l.name) AS joined_by) f
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
                ELSE format('by %s', l.by_column) END AS reason) k
    ), elsewhere AS (
        -- Of those that could be spread, those that are joined to rows that are in other shards.
        SELECT k.name, min(o.name COLLATE "C") AS joined_to
        FROM kinds k JOIN joins j ON j.joined = k.name
        JOIN kinds o ON o.name = j.name AND o.kind = 'distributed' AND o.by_column <> k.by_column
        WHERE k.kind = 'distributed' GROUP BY k.name
    ), planned AS (
        SELECT k.name, k.here, k.there, CASE WHEN e.name IS NULL THEN k.kind ELSE 'reference' END AS kind,
               CASE WHEN e.name IS NULL AND k.kind = 'distributed' THEN k.by_column END AS by_column,
               CASE WHEN e.name IS NULL THEN k.reason ELSE format('lists join it to %s, which is spread otherwise', e.joined_to) END AS reason
        FROM kinds k LEFT JOIN elsewhere e USING (name)
    )
    SELECT p.name, p.kind, p.by_column, p.reason,
           CASE WHEN p.kind = 'local' THEN 'none'
                WHEN t.name IS NULL OR p.there IS NULL THEN 'missing'
                WHEN t.kind <> p.kind OR t.by_column IS DISTINCT FROM p.by_column
                  OR disclosed.key_columns(p.there) IS DISTINCT FROM disclosed.shard_key(p.here, p.by_column)
                  OR disclosed.form_of_table(p.here) <> disclosed.form_of_table(p.there) THEN 'changed'
                ELSE 'done' END
    FROM planned p LEFT JOIN disclosed.distributed_table t ON t.name = p.name
    ORDER BY array_position(ARRAY['distributed', 'reference', 'local'], p.kind), p.name
$$;

-- ------------------------------------------------------- changes follow to the shards

-- Writes to the shards of one table what is noted of it. One transaction at a time does, and it is the last that it waits for. The shards' key has the column by
-- which they are chosen: a row whose value has changed there is noted with the old one, too, and goes from its shard.
CREATE OR REPLACE FUNCTION send_changes(of_table text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    noted   text := format('pg_temp.%I', 'unsent_' || of_table);
    key     text[] := disclosed.key_columns(to_regclass(format('disclosed_shards.%I', of_table)));
    keys    text := array_to_string(key, ', ');
    -- What is noted and is there no longer.
    lost    text := format('SELECT %s FROM %s n WHERE NOT EXISTS (SELECT 1 FROM disclosed.%I t WHERE (%s) = (%s))', keys, noted, of_table,
                           (SELECT string_agg('t.' || k, ', ') FROM unnest(key) k), (SELECT string_agg('n.' || k, ', ') FROM unnest(key) k));
    columns text;
    changes text;
    gone    boolean;
BEGIN
    -- Without shards, as in a copy that was restored elsewhere, everybody reads the tables.
    IF NOT disclosed.is_noted(of_table) OR key IS NULL THEN
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

-- ------------------------------------------------------------------------- applying it

-- Makes the shards of a table, fills them, and has changes follow. Nobody writes to the table meanwhile. Of its unique
-- indexes the shards have the primary key's alone: what holds is seen to here, and rows are sent in no order. `by_column`: by which it is spread; NULL: it is
-- copied to each node.
DROP PROCEDURE distribute_table(text, text); -- asked for by disclosedctl alone
CREATE PROCEDURE distribute_table(of_table text, by_column text) LANGUAGE plpgsql AS $$
DECLARE
    keys text := array_to_string(disclosed.shard_key(format('disclosed.%I', of_table)::regclass, by_column), ', ');
    one  text;
BEGIN
    EXECUTE format('LOCK TABLE disclosed.%I IN SHARE ROW EXCLUSIVE MODE', of_table);
    CALL disclosed.drop_shards(of_table);
    EXECUTE format('CREATE TABLE disclosed_shards.%1$I (LIKE disclosed.%1$I INCLUDING STORAGE INCLUDING COMPRESSION INCLUDING STATISTICS)', of_table);
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
    IF by_column IS NULL THEN
        EXECUTE format('SELECT create_reference_table(%L)', format('disclosed_shards.%I', of_table));
    ELSE
        EXECUTE format('SELECT create_distributed_table(%L, %L, colocate_with => %L)', format('disclosed_shards.%I', of_table), by_column,
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
    INSERT INTO disclosed.distributed_table (name, kind, by_column)
    VALUES (of_table, CASE WHEN by_column IS NULL THEN 'reference' ELSE 'distributed' END, by_column);
END $$;
