-- On Citus a load commits in two steps: each worker prepares, and when the coordinator has committed each is told to commit. A worker, or the
-- connection to it, that is lost in between has the load prepared alone, and shows its rows only when Citus has committed it there, a minute after
-- the worker is back (citus.recover_2pc_interval). The lock of sending is free by then. Until then no version is reported, and no event numbered.

SET LOCAL search_path = disclosed, public;

-- Whether a worker may lack rows that the coordinator has committed: it has something prepared, or does not say. For those who hold the lock of
-- sending shared, or ask again.
CREATE FUNCTION workers_are_behind() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
