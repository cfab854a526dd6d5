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

-- How many companies have metrics is one row, which loads write in the order of their ends (loader/loader_lock.c).
CREATE OR REPLACE FUNCTION count_kpi_issuers(more bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF more = 0 THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
    INSERT INTO disclosed.dataset_stat AS d (dataset, record_count, version) VALUES ('kpi_issuer', more, 1)
    ON CONFLICT (dataset) DO UPDATE
    SET record_count = d.record_count + excluded.record_count, version = d.version + 1, changed_at = now();
END $$;
