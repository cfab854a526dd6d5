-- Indexes for what had to read more than it gives: pages of lists, and the working tables of events.

SET LOCAL search_path = disclosed, public;

-- A large issuer has tens of filings of a form among tens of thousands.
CREATE INDEX filing_issuer_form_date ON filing (issuer_id, form, filed_on, id);
CREATE INDEX issuer_profile_sector ON issuer_profile (lower(sector));

-- What settle_events() works on, made once for each connection.
CREATE OR REPLACE FUNCTION open_event_tables() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.event_evidence') IS NULL THEN
        CREATE TEMP TABLE event_evidence (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, issuer_id bigint, kind text,
            record_id bigint, row_id bigint, type text, known_at timestamptz, superseded_at timestamptz,
            date_rank integer, event_on date, event_at timestamptz, has_time boolean, date_status text,
            period_end_date date, period_rank integer, period_kind text, fiscal_period text, title text,
            event_url text, webcast_status text, date_basis text, period_basis text, event_id bigint,
            cluster bigint) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE event_cluster (
            cluster bigint PRIMARY KEY, issuer_id bigint, type text, has_period boolean, first_on date,
            last_on date, event_on date, event_id bigint, created_at timestamptz) ON COMMIT DELETE ROWS;
        -- Reports and documents are placed one by one among the clusters of their issuer.
        CREATE INDEX event_cluster_issuer ON event_cluster (issuer_id);
        CREATE TEMP TABLE event_version (
            event_id bigint, issuer_id bigint, known_at timestamptz, superseded_at timestamptz,
            evidence bigint, type text, event_at timestamptz, has_time boolean, date_status text,
            period_end_date date, period_kind text, fiscal_period text, title text, event_url text,
            webcast_status text, source text, created_at timestamptz) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE event_member (kind text, issuer_id bigint, record_id bigint, event_id bigint)
            ON COMMIT DELETE ROWS;
    END IF;
    -- Not TRUNCATE: the tables are empty as a rule, and it would make new files of them.
    DELETE FROM pg_temp.event_evidence;
    DELETE FROM pg_temp.event_cluster;
    DELETE FROM pg_temp.event_version;
    DELETE FROM pg_temp.event_member;
END $$;

-- Gathers statistics of those tables that are a fifth larger than when that was last done. As their owner,
-- since loaders may not.
CREATE FUNCTION analyze_grown(grown regclass[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one regclass;
BEGIN
    FOR one IN SELECT c.oid FROM pg_class c
               WHERE c.oid = ANY (grown) AND c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r'
                 AND pg_relation_size(c.oid) / current_setting('block_size')::integer > c.relpages * 1.2
               ORDER BY c.relname
    LOOP
        EXECUTE format('ANALYZE %s', one);
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION analyze_grown(regclass[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_grown(regclass[]) TO disclosed_loader;
