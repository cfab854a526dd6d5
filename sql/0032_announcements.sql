-- What is new is announced, and what is listed is counted, by the loader. Triggers of dataset tables did both before: these
-- cost each statement that changes rows, and tables that have them cannot be distributed over several servers.

SET LOCAL search_path = disclosed, public;

DROP TRIGGER filing_announced ON filing;
DROP TRIGGER transcript_announced ON transcript;
DROP FUNCTION announce_filings();
DROP FUNCTION announce_transcripts();
DROP TRIGGER filing_listed_insert ON filing;
DROP TRIGGER filing_listed_update ON filing;
DROP TRIGGER filing_listed_delete ON filing;
DROP FUNCTION count_listed_filings();

-- Announces those of these filings that are new: no row has named their accession number before this transaction, whoever
-- filed them.
CREATE FUNCTION announce_filings(accessions text[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
BEGIN
    IF webhooks_are_wanted('filing.created') THEN
        PERFORM queue_webhooks('filing.created', ARRAY(
            SELECT f.accession FROM filing f WHERE f.accession = ANY (accessions)
            GROUP BY f.accession
            HAVING bool_and(f.recorded_at = now()) AND bool_or(f.superseded_at IS NULL)));
    END IF;
END $$;

-- The same of the transcripts of these issuers.
CREATE FUNCTION announce_transcripts(issuers bigint[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
BEGIN
    IF webhooks_are_wanted('transcript.published') THEN
        PERFORM queue_webhooks('transcript.published', ARRAY(
            SELECT t.id::text FROM transcript t WHERE t.issuer_id = ANY (issuers)
            GROUP BY t.id
            HAVING bool_and(t.recorded_at = now()) AND bool_or(t.superseded_at IS NULL)));
    END IF;
END $$;

REVOKE EXECUTE ON FUNCTION announce_filings, announce_transcripts FROM PUBLIC;
GRANT EXECUTE ON FUNCTION announce_filings, announce_transcripts TO disclosed_loader;

-- Returns the filers whose rows stand for a filing now, or no longer do.
DROP FUNCTION settle_filings(bigint[]);
CREATE FUNCTION settle_filings(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT disclosed.rank_filers(ARRAY(
        SELECT DISTINCT accession FROM disclosed.filing WHERE issuer_id = ANY (issuers)));
    PERFORM disclosed.date_reports_of(issuers);
END $$;

-- The list has a filing of several filers once, under the filer whose row is primary: the loader counts those rows by
-- issuer, as it counts datasets.
INSERT INTO dataset_issuer_stat (issuer_id, dataset, record_count, latest)
SELECT issuer_id, 'filing/listed', count(*), max(filed_on) FROM filing
WHERE is_primary AND superseded_at IS NULL GROUP BY issuer_id;
UPDATE dataset_stat SET latest = (SELECT max(latest) FROM dataset_issuer_stat WHERE dataset = 'filing/listed')
WHERE dataset = 'filing/listed';
