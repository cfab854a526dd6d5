-- Numbers of rows, issuers and import runs come from sequences. Identity columns cannot be distributed over several servers.

SET LOCAL search_path = disclosed, public;

-- Versions of all datasets are numbered by one sequence: tables that are made LIKE dataset_record take its default.
CREATE SEQUENCE row_id;

DO $$
DECLARE
    one   record;
    last  bigint;
    most  bigint := 0;
BEGIN
    FOR one IN SELECT c.relname, a.attname
               FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
               WHERE c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r' AND a.attidentity <> ''
                 AND (a.attname = 'row_id' OR (c.relname, a.attname) IN (('issuer', 'issuer_id'), ('import_run', 'import_run_id')))
               ORDER BY c.relname
    LOOP
        EXECUTE format('SELECT coalesce(max(%I), 0) FROM %I', one.attname, one.relname) INTO last;
        EXECUTE format('ALTER TABLE %I ALTER %I DROP IDENTITY', one.relname, one.attname);
        IF one.attname = 'row_id' THEN
            most := greatest(most, last);
        ELSE
            EXECUTE format('CREATE SEQUENCE %I OWNED BY %I.%I', one.attname, one.relname, one.attname);
            PERFORM setval(one.attname::regclass, greatest(last, 1), last > 0);
        END IF;
        EXECUTE format('ALTER TABLE %1$I ALTER %2$I SET DEFAULT nextval(%3$L)',
                       one.relname, one.attname, 'disclosed.' || one.attname);
        EXECUTE format('GRANT USAGE ON SEQUENCE %I TO disclosed_loader', one.attname);
    END LOOP;
    PERFORM setval('row_id', greatest(most, 1), most > 0);
END $$;
