-- On Citus a load commits in two steps: each worker prepares, and when the coordinator has committed each is told to commit. A worker, or the
-- connection to it, that is lost in between has the load prepared alone, and shows its rows only when Citus has committed it there, a minute after
-- the worker is back (citus.recover_2pc_interval). The lock of sending is free by then. Until then no version is reported, and no event numbered.

SET LOCAL search_path = disclosed, public;

-- Whether a worker may lack rows that the coordinator has committed: it has something prepared, or does not say. For those who hold the lock of
-- sending shared, or ask again.
CREATE FUNCTION workers_are_behind() RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    behind boolean;
BEGIN
    IF to_regnamespace('disclosed_shards') IS NULL OR to_regproc('pg_catalog.run_command_on_workers') IS NULL OR pg_is_in_recovery() THEN
        RETURN false;
    END IF;
    EXECUTE $sql$
        SELECT coalesce(bool_or(NOT success OR result <> '0'), false) FROM run_command_on_workers(
            $command$ SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database() AND gid LIKE 'citus\_%' $command$)
        $sql$ INTO behind;
    RETURN behind;
END $$;
COMMENT ON FUNCTION workers_are_behind IS 'on Citus, whether a worker may lack rows that are committed';
REVOKE EXECUTE ON FUNCTION workers_are_behind FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workers_are_behind TO disclosed_api;

CREATE OR REPLACE FUNCTION await_sent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('disclosed send', 0));
    IF disclosed.workers_are_behind() THEN
        RAISE EXCEPTION 'a worker of the distributed database may lack what was loaded: events wait until it has it' USING ERRCODE = 'lock_not_available';
    END IF;
    RETURN NULL;
END $$;

-- ------------------------------------------------------------------------ what workers know

-- Those that statements call on workers.
CREATE FUNCTION functions_of_workers() RETURNS SETOF pg_proc LANGUAGE sql STABLE AS $$
    SELECT * FROM pg_proc p
    WHERE p.pronamespace = 'disclosed'::regnamespace AND p.prokind = 'f' AND NOT p.prosecdef AND p.prorettype <> 'trigger'::regtype
$$;
REVOKE EXECUTE ON FUNCTION functions_of_workers FROM PUBLIC;

-- As before, but for functions that CREATE OR REPLACE does not replace.
CREATE OR REPLACE FUNCTION worker_command() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN format('DO %L', format($form$
DECLARE
    one     text;
    names   text[] := %L;
    bodies  text[] := %L;
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
            EXECUTE 'DROP VIEW disclosed.' || split_part(one, ' ', 1) || ' CASCADE'; -- asked for by statements that wait until it is there again
            EXECUTE 'CREATE VIEW disclosed.' || one;
        END;
        EXECUTE 'GRANT SELECT ON disclosed.' || split_part(one, ' ', 1) || ' TO disclosed_api, disclosed_loader';
    END LOOP;
    FOR number IN 1 .. cardinality(bodies) LOOP
        BEGIN
            BEGIN
                EXECUTE bodies[number];
            EXCEPTION WHEN invalid_function_definition THEN -- it has other columns now, or its parameters other names
                EXECUTE 'DROP FUNCTION ' || names[number]; -- asked for by statements that wait until it is there again
                EXECUTE bodies[number];
            END;
        EXCEPTION WHEN undefined_table OR undefined_object OR undefined_function THEN NULL;
        END;
    END LOOP;
END $form$,
        (SELECT array_agg(p.oid::regprocedure::text ORDER BY p.oid) FROM disclosed.functions_of_workers() p),
        (SELECT array_agg(pg_get_functiondef(p.oid) ORDER BY p.oid) FROM disclosed.functions_of_workers() p),
        ARRAY(SELECT format('%I AS SELECT * FROM disclosed_shards.%I', t.name, t.name || '_' || s.shardid)
              FROM disclosed.distributed_table t JOIN pg_dist_shard s ON s.logicalrelid = to_regclass(format('disclosed_shards.%I', t.name))
              WHERE t.kind = 'reference' ORDER BY t.name)));
END $$;
