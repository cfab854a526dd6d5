-- Loads of different companies run side by side: they gather statistics of the tables that they have in common, whose lock for that
-- PostgreSQL keeps to the end of the transaction. A load leaves out what another is at.

SET LOCAL search_path = disclosed, public;

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
        BEGIN
            -- Not ANALYZE (SKIP_LOCKED), which warns.
            EXECUTE format('LOCK TABLE %s IN SHARE UPDATE EXCLUSIVE MODE NOWAIT', one.grown);
            EXECUTE format('ANALYZE %s (%s)', one.grown, one.planned);
        EXCEPTION WHEN lock_not_available THEN
            CONTINUE;
        END;
    END LOOP;
END $$;
