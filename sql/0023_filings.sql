-- Filings: how many the list has, and times that no source states.

SET LOCAL search_path = disclosed, public;

-- The list has a filing of several filers once, under the filer whose row is primary. That count is
-- kept by whatever changes rows, a load or settle_filings().
INSERT INTO dataset_stat (dataset, record_count, version)
SELECT 'filing/listed', count(*), 1 FROM filing WHERE is_primary AND superseded_at IS NULL;

CREATE FUNCTION count_listed_filings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change bigint := 0;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        SELECT count(*) INTO change FROM added WHERE is_primary AND superseded_at IS NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        SELECT change - count(*) INTO change FROM removed WHERE is_primary AND superseded_at IS NULL;
    END IF;
    IF change <> 0 THEN
        UPDATE disclosed.dataset_stat
        SET record_count = record_count + change, version = version + 1, changed_at = now()
        WHERE dataset = 'filing/listed';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER filing_listed_insert AFTER INSERT ON filing
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_listed_filings();
CREATE TRIGGER filing_listed_update AFTER UPDATE ON filing
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_listed_filings();
CREATE TRIGGER filing_listed_delete AFTER DELETE ON filing
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_listed_filings();

-- A text of a filing without a time of acceptance was known from the end of the filing date: that is
-- no time at which it was published.
ALTER TABLE filing_exhibit ALTER COLUMN published_at DROP NOT NULL;
ALTER TABLE filing_text ALTER COLUMN published_at DROP NOT NULL;
UPDATE filing_exhibit SET published_at = NULL
WHERE (published_at AT TIME ZONE 'America/New_York')::time = '23:59:59.999999';
UPDATE filing_text SET published_at = NULL
WHERE (published_at AT TIME ZONE 'America/New_York')::time = '23:59:59.999999';

-- The day of the latest one is the day in New York on which it was public.
UPDATE dataset_issuer_stat s SET latest = t.latest
FROM (SELECT issuer_id, max((known_at AT TIME ZONE 'America/New_York')::date) AS latest
      FROM filing_exhibit WHERE superseded_at IS NULL GROUP BY issuer_id) t
WHERE s.dataset = 'exhibit' AND s.issuer_id = t.issuer_id AND s.latest IS DISTINCT FROM t.latest;
UPDATE dataset_issuer_stat s SET latest = t.latest
FROM (SELECT issuer_id, max((known_at AT TIME ZONE 'America/New_York')::date) AS latest
      FROM filing_text WHERE superseded_at IS NULL GROUP BY issuer_id) t
WHERE s.dataset = 'filing_text' AND s.issuer_id = t.issuer_id AND s.latest IS DISTINCT FROM t.latest;
UPDATE dataset_stat d
SET latest = (SELECT max(s.latest) FROM dataset_issuer_stat s WHERE s.dataset = d.dataset)
WHERE d.dataset IN ('exhibit', 'filing_text');

-- What is served of all of them has changed.
UPDATE dataset_stat SET version = version + 1, changed_at = now()
WHERE dataset IN ('filing', 'exhibit', 'filing_text', 'event');
