-- Takes the demo data out again: the issuers that `disclosedctl demo` made, with all that hangs on them.

SET LOCAL search_path = disclosed, public;

-- Tables of versions. Each has the source of its rows.
CREATE FUNCTION version_tables() RETURNS SETOF name LANGUAGE sql STABLE AS $$
    SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'src_digest'
    WHERE c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r' AND c.relname <> 'dataset_record' ORDER BY 1
$$;

-- Issuers of whom the provider of the demo data says something: 'fictional' is that of nothing else.
CREATE FUNCTION demo_issuers() RETURNS bigint[] LANGUAGE plpgsql STABLE SET search_path = disclosed, pg_temp AS $$
DECLARE
    one name;
    found bigint[];
    issuers bigint[] := '{}';
BEGIN
    FOR one IN SELECT * FROM version_tables() LOOP
        EXECUTE format('SELECT array_agg(DISTINCT t.issuer_id) FROM %I t JOIN source s USING (source_id)'
                       ' WHERE s.provider = ''fictional'' AND t.issuer_id <> ALL ($1)', one) INTO found USING issuers;
        issuers := issuers || coalesce(found, '{}');
    END LOOP;
    RETURN issuers;
END $$;

-- Records of other providers that would be lost, or would lose the company that they are of: with none, the issuers may go.
CREATE FUNCTION demo_shared(issuers bigint[]) RETURNS TABLE (dataset_table name, provider text, issuer text, records bigint)
LANGUAGE plpgsql STABLE SET search_path = disclosed, pg_temp AS $$
DECLARE
    one name;
    other name;
BEGIN
    FOR one IN SELECT * FROM version_tables() LOOP
        SELECT min(a.attname) INTO other FROM pg_attribute a
        WHERE a.attrelid = one::text::regclass AND a.attname IN ('company_id', 'registrant_id') AND NOT a.attisdropped;
        RETURN QUERY EXECUTE format(
            'SELECT %L::name, s.provider, coalesce(min(i.symbol), min(i.name), min(i.party_key)), count(*)'
            ' FROM %I t JOIN source s USING (source_id) JOIN issuer i ON i.issuer_id IN (t.issuer_id, %s)'
            ' WHERE s.provider <> ''fictional'' AND i.issuer_id = ANY ($1) GROUP BY s.provider, i.issuer_id',
            one, one, coalesce('t.' || quote_ident(other), 't.issuer_id')) USING issuers;
    END LOOP;
END $$;

-- Counts and latest days without these issuers, and new versions of all datasets, so that no ETag stays.
CREATE FUNCTION uncount_issuers(issuers bigint[]) RETURNS void LANGUAGE sql SET search_path = disclosed, pg_temp AS $$
    SELECT count_kpi_issuers(-count(DISTINCT issuer_id)) FROM kpi_metric
    WHERE issuer_id = ANY (issuers) AND superseded_at IS NULL;
    SELECT count_unmapped(-coalesce(sum(entries), 0)) FROM institution_unmapped WHERE issuer_id = ANY (issuers);
    WITH gone AS (SELECT o.dataset, sum(o.record_count) AS records FROM dataset_issuer_stat o
                  WHERE o.issuer_id = ANY (issuers) GROUP BY 1),
    stays AS (SELECT o.dataset, max(o.latest) AS latest FROM dataset_issuer_stat o
              WHERE o.issuer_id <> ALL (issuers) AND o.record_count > 0 GROUP BY 1)
    UPDATE dataset_stat d SET record_count = d.record_count - coalesce(g.records, 0), version = d.version + 1, changed_at = now(),
           latest = CASE WHEN g.dataset IS NULL THEN d.latest ELSE s.latest END
    FROM dataset_stat other LEFT JOIN gone g USING (dataset) LEFT JOIN stays s USING (dataset)
    WHERE d.dataset = other.dataset;
$$;

-- Takes out the demo data, unless `shared` records of others stand in the way. Loads that write at the same time are waited for, and
-- wait, by the lock that all of them take.
CREATE FUNCTION remove_demo(OUT issuers bigint, OUT records bigint, OUT shared bigint)
LANGUAGE plpgsql SET search_path = disclosed, pg_catalog, pg_temp AS $$
DECLARE
    demo bigint[];
    traded bigint[];
    cusips text[];
    one name;
    gone bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    demo := demo_issuers();
    SELECT coalesce(sum(s.records), 0) INTO shared FROM demo_shared(demo) s;
    issuers := 0;
    records := 0;
    IF shared > 0 THEN
        RETURN;
    END IF;
    traded := ARRAY(SELECT DISTINCT t.company_id FROM congress_trade t WHERE t.issuer_id = ANY (demo) AND t.company_id <> ALL (demo));
    cusips := ARRAY(SELECT p.cusip FROM institution_position p WHERE p.issuer_id = ANY (demo)
                    UNION SELECT h.cusip FROM fund_holding h WHERE h.issuer_id = ANY (demo));
    DELETE FROM webhook_event e WHERE e.issuers && demo OR e.subject IN (SELECT f.accession FROM filing f WHERE f.issuer_id = ANY (demo) AND f.accession IS NOT NULL
                                                    UNION SELECT t.id::text FROM transcript t WHERE t.issuer_id = ANY (demo));
    DELETE FROM document_chunk c WHERE c.issuer_id = ANY (demo);
    DELETE FROM chunk_week WHERE chunks = 0;
    PERFORM uncount_issuers(demo);
    FOR one IN SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'issuer_id'
               WHERE c.relnamespace = 'disclosed'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('issuer', 'dataset_record')
    LOOP
        EXECUTE format('DELETE FROM %I WHERE issuer_id = ANY ($1)', one) USING demo;
        GET DIAGNOSTICS gone = ROW_COUNT;
        records := records + CASE WHEN one IN (SELECT * FROM version_tables()) THEN gone ELSE 0 END;
    END LOOP;
    DELETE FROM institution_flow_day WHERE company_id = ANY (demo);
    DELETE FROM security_link WHERE company_id = ANY (demo);
    DELETE FROM security_title t WHERE t.cusip = ANY (cusips)
        AND NOT EXISTS (SELECT FROM institution_position p WHERE p.cusip = t.cusip)
        AND NOT EXISTS (SELECT FROM fund_holding h WHERE h.cusip = t.cusip);
    DELETE FROM restated USING source s WHERE s.source_id = restated.source_id AND s.provider = 'fictional';
    DELETE FROM issuer WHERE issuer_id = ANY (demo);
    GET DIAGNOSTICS issuers = ROW_COUNT;
    DELETE FROM source WHERE provider = 'fictional';
    DELETE FROM import_run WHERE source = 'demo';
    PERFORM count_congress_companies(traded);
    UPDATE dataset_stat SET record_count = (SELECT count(*) FROM issuer WHERE ticker IS NOT NULL) WHERE dataset = 'issuer';
    DELETE FROM chunk_word;
    IF EXISTS (SELECT FROM document_chunk) THEN
        PERFORM count_chunk_words();
    END IF;
END $$;
REVOKE EXECUTE ON FUNCTION remove_demo FROM PUBLIC;
