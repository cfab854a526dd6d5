-- Loads do less for each row that they store.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------ references

-- Rows that loads store refer to issuers without foreign keys: a check of each row took an eighth of a load, and its lock
-- wrote the issuer's row anew for each batch. A loader takes issuers from the table itself, under its lock; nothing deletes
-- them but remove_demo(), which takes the rows about them first and finds those of others.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT c.conrelid::regclass AS referring, c.conname FROM pg_constraint c
               WHERE c.contype = 'f' AND c.connamespace = 'disclosed'::regnamespace AND c.confrelid = 'issuer'::regclass
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.referring, one.conname);
    END LOOP;
END $$;

CREATE OR REPLACE PROCEDURE finish_dataset_table(name text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %1$I ADD PRIMARY KEY (issuer_id, row_id)', name);
    EXECUTE format('CREATE UNIQUE INDEX %2$I ON %1$I (issuer_id, key_hash(record_key))'
                   ' WHERE superseded_at IS NULL', name, name || '_current');
    EXECUTE format('CREATE INDEX %2$I ON %1$I (issuer_id, key_hash(record_key))'
                   ' WHERE superseded_at IS NOT NULL', name, name || '_past');
    EXECUTE format('CREATE INDEX %2$I ON %1$I USING hash (src_digest) WHERE superseded_at IS NULL',
                   name, name || '_src');
    EXECUTE format('GRANT SELECT ON %I TO disclosed_api, disclosed_loader', name);
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %I TO disclosed_loader', name);
    CALL make_sourced_view(name);
END $$;

-- ------------------------------------------------------------------ statistics

-- Gathers statistics of those tables that are half as large again as when that was last done, of the columns that plans of a load go
-- by: those of indexes and their conditions. Autovacuum gathers those of all columns, whose turn this does not put off. As their
-- owner, since loaders may not.
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
        EXECUTE format('ANALYZE %s (%s)', one.grown, one.planned);
    END LOOP;
END $$;

-- ------------------------------------------------------------------ names

-- The same as before, which was a query of its own for each of the indexes that have it.
CREATE OR REPLACE FUNCTION name_core(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    words text := disclosed.plain_words(name);
BEGIN
    RETURN coalesce(nullif(regexp_replace(words,
        '^the |( (inc|incorporated|corp|corporation|co|company|companies|ltd|limited|plc|llc|lp|sa|nv|ag|se|asa|ab|spa|holdings?|group|grp|new|de|com|trust|bancorp|class [a-z]))+$',
        '', 'g'), ''), words);
END $$;

-- ------------------------------------------------------------------ Forms 3, 4 and 5

-- Of each of these questions the tables have few rows, found by an index: plans made while they are small would read them whole for every
-- report that follows.
ALTER FUNCTION dates_of_report(text, timestamptz, date, date) SET enable_seqscan = off;
ALTER FUNCTION stored_report(text, timestamptz, date, date) SET enable_seqscan = off;
ALTER FUNCTION date_reports(text[], timestamptz[], date[]) SET enable_seqscan = off;
ALTER FUNCTION settle_report(bigint, text, timestamptz, date, text, text[]) SET enable_seqscan = off;

-- Which of several reports settle_report() would change something for: rows of theirs with other dates, what was said under their digest,
-- or rows under keys that they no longer have.
CREATE FUNCTION unsettled_reports(ciks bigint[], accessions text[], reports_known timestamptz[], reports_filed date[], hashes text[],
                                  unfiled_keys text[])
RETURNS SETOF bigint LANGUAGE sql STABLE SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT r.place
    FROM unnest(ciks, accessions, reports_known, reports_filed, hashes, unfiled_keys) WITH ORDINALITY
         AS r(cik, accession, known_at, filed_on, hash, keys, place)
    CROSS JOIN LATERAL (SELECT coalesce(min(f.known_at), r.known_at) AS known_at, coalesce(min(f.filed_on), r.filed_on) AS filed_on
                        FROM disclosed.filing f WHERE f.accession = r.accession AND f.superseded_at IS NULL) best
    LEFT JOIN disclosed.issuer i ON i.cik = r.cik
    WHERE EXISTS (SELECT 1 FROM disclosed.insider_transaction t
                  WHERE t.accession = r.accession AND (t.known_at, t.filing_date) <> (best.known_at, best.filed_on))
       OR EXISTS (SELECT 1 FROM disclosed.insider_holding h
                  WHERE h.accession = r.accession AND (h.known_at, h.filing_date) <> (best.known_at, best.filed_on))
       OR EXISTS (SELECT 1 FROM disclosed.executive_stated s
                  WHERE s.origin = r.accession AND (s.known_at, s.reported_on) <> (best.known_at, best.filed_on))
       OR EXISTS (SELECT 1 FROM disclosed.executive_stated s WHERE s.origin = left(r.hash, 39) AND s.issuer_id = i.issuer_id)
       OR EXISTS (SELECT 1 FROM disclosed.insider_transaction t
                  WHERE t.issuer_id = i.issuer_id
                    AND disclosed.key_hash(t.record_key) = ANY (ARRAY(SELECT disclosed.key_hash(k) FROM unnest(r.keys::text[]) k))
                    AND t.record_key = ANY (r.keys::text[]) AND (t.superseded_at IS NULL OR t.superseded_at IS NOT NULL)
                    AND t.superseded_at IS DISTINCT FROM t.known_at)
       OR EXISTS (SELECT 1 FROM disclosed.insider_holding t
                  WHERE t.issuer_id = i.issuer_id
                    AND disclosed.key_hash(t.record_key) = ANY (ARRAY(SELECT disclosed.key_hash(k) FROM unnest(r.keys::text[]) k))
                    AND t.record_key = ANY (r.keys::text[]) AND (t.superseded_at IS NULL OR t.superseded_at IS NOT NULL)
                    AND t.superseded_at IS DISTINCT FROM t.known_at)
$$;

-- The same as before, for those reports alone that something follows from.
CREATE OR REPLACE FUNCTION settle_reports(ciks bigint[], accessions text[], reports_known timestamptz[], reports_filed date[],
                                          hashes text[], unfiled_keys text[], names text[])
RETURNS TABLE (dataset text, changed_issuer bigint, place bigint) LANGUAGE plpgsql AS $$
DECLARE
    report record;
BEGIN
    INSERT INTO disclosed.named_document (document, accession)
    SELECT left(d.hash, 39), d.accession FROM unnest(hashes, accessions) AS d(hash, accession)
    WHERE d.hash IS NOT NULL AND d.accession IS NOT NULL
    ON CONFLICT DO NOTHING;
    PERFORM disclosed.name_reported_issuers(ciks, reports_known, names);
    FOR report IN
        SELECT r.* FROM unnest(ciks, accessions, reports_known, reports_filed, hashes, unfiled_keys) WITH ORDINALITY
            AS r(cik, accession, known_at, filed_on, hash, keys, place)
        JOIN disclosed.unsettled_reports(ciks, accessions, reports_known, reports_filed, hashes, unfiled_keys) AS u(place) USING (place)
        ORDER BY r.place
    LOOP
        RETURN QUERY SELECT s.dataset, s.changed_issuer, report.place
            FROM disclosed.settle_report(report.cik, report.accession, report.known_at, report.filed_on, report.hash,
                                         report.keys::text[]) s;
    END LOOP;
END $$;

-- ------------------------------------------------------------------ securities

-- The same as before, with the CUSIPs as rows: an array that a query gets as a parameter is searched from its beginning for each title.
CREATE OR REPLACE FUNCTION resolve_titles(cusips text[]) RETURNS void LANGUAGE sql AS $$
    WITH given AS MATERIALIZED (SELECT DISTINCT unnest(cusips) AS cusip),
    title AS MATERIALIZED (
        SELECT t.* FROM given JOIN disclosed.security_title t USING (cusip) WHERE NOT t.resolved),
    wanted AS (
        SELECT DISTINCT words, sorted, forms, cut FROM title WHERE words IS NOT NULL),
    candidate AS (
        SELECT w.words, w.forms, w.cut, 1 AS place, n.issuer_id
        FROM wanted w JOIN disclosed.issuer_name n ON n.words = w.words
        WHERE NOT w.cut AND (w.forms = '{}' OR n.forms = '{}' OR w.forms && n.forms)
        UNION ALL
        SELECT w.words, w.forms, w.cut, 2, n.issuer_id
        FROM wanted w JOIN disclosed.issuer_name n ON n.sorted = w.sorted
        WHERE NOT w.cut AND (w.forms = '{}' OR n.forms = '{}' OR w.forms && n.forms)
        UNION ALL
        SELECT w.words, w.forms, w.cut, 1, n.issuer_id
        FROM wanted w JOIN disclosed.issuer_name n
          ON n.words >= w.words AND n.words <= w.words || '~'
        WHERE w.cut AND (w.forms = '{}' OR n.forms = '{}' OR w.forms && n.forms)),
    placed AS (
        SELECT *, min(place) OVER (PARTITION BY words, forms, cut) AS first_place FROM candidate),
    named AS (
        SELECT words, forms, cut, min(issuer_id) AS issuer_id FROM placed
        WHERE place = first_place
        GROUP BY words, forms, cut HAVING min(issuer_id) = max(issuer_id)),
    titled AS MATERIALIZED (
        SELECT t.cusip, t.issuer_title, t.class_title, t.kind, t.letter, n.issuer_id
        FROM title t LEFT JOIN named n ON n.words = t.words AND n.forms = t.forms AND n.cut = t.cut),
    listed AS MATERIALIZED (
        SELECT c.*, disclosed.listing_of_class(c.issuer_id, c.kind, c.letter) AS symbol
        FROM (SELECT DISTINCT issuer_id, kind, letter FROM titled WHERE issuer_id IS NOT NULL) c)
    UPDATE disclosed.security_title t
    SET resolved = true, company_id = l.issuer_id, symbol = c.symbol
    FROM titled l
    LEFT JOIN listed c ON c.issuer_id = l.issuer_id AND c.kind IS NOT DISTINCT FROM l.kind
                      AND c.letter IS NOT DISTINCT FROM l.letter
    WHERE t.cusip = l.cusip AND t.issuer_title = l.issuer_title AND t.class_title = l.class_title
$$;
