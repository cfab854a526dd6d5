-- The three roles of mod_disclosed. Run it once for each PostgreSQL cluster as a superuser,
-- before the first `disclosedctl migrate`; a second run changes nothing:
--
--     psql -d postgres -f roles.sql
--     createdb --owner=disclosed_owner --template=template0 --encoding=UTF8 disclosed
--
-- The roles can log in but have no password, so nobody gets in until pg_hba.conf says how:
--   * peer (unix socket): map users of the system to the roles in pg_ident.conf, and name the three
--     roles in pg_hba.conf, "local disclosed disclosed_owner,disclosed_loader,disclosed_api peer
--     map=disclosed": a line for all users would keep postgres out of its own dump. docs/admin.md
--     has both files' lines;
--   * scram-sha-256 (network): \password disclosed_api in psql, and the password in the
--     passfile or the service file, which the user that httpd's children run as can read;
--   * cert: a client certificate with the role's name, "hostssl disclosed all all cert".
--
-- disclosed_owner   owns the database; disclosedctl migrates and issues keys as this role
-- disclosed_api     the module in httpd: reads the datasets
-- disclosed_loader  imports: adds and closes rows of the datasets, no access to keys
-- The rights of the last two are granted by the migrations, table by table.

DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['disclosed_owner', 'disclosed_api', 'disclosed_loader'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', wanted);
        END IF;
    END LOOP;
END
$$;
