-- Gathers statistics of those tables that are half as large again as when that was last done: a load of many parts spent a sixth of
-- its time on them when a fifth was enough. As their owner, since loaders may not.

SET LOCAL search_path = disclosed, public;

CREATE OR REPLACE FUNCTION analyze_grown(grown regclass[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one regclass;
BEGIN
    FOR one IN SELECT c.oid FROM pg_class c
               WHERE c.oid = ANY (grown) AND c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r'
                 AND pg_relation_size(c.oid) / current_setting('block_size')::integer > c.relpages * 1.5
               ORDER BY c.relname
    LOOP
        EXECUTE format('ANALYZE %s', one);
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION analyze_grown FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_grown TO disclosed_loader;
