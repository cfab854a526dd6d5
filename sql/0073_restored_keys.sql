-- What httpd knows of keys is of a generation. Generations are times, as datasets' versions are: a database that is restored to an earlier
-- state comes to none that it has had.

SET LOCAL search_path = disclosed, public;

CREATE OR REPLACE FUNCTION raise_key_generation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE disclosed.key_generation SET generation = greatest(generation + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
    PERFORM pg_notify('disclosed', 'keys');
    RETURN NULL;
END $$;
