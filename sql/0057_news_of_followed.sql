-- A load may hold news and history side by side, as a company's list of filings does: what was filed before the day that the
-- session names (disclosed.webhooks_since) is told to nobody.

SET LOCAL search_path = disclosed, public;

CREATE OR REPLACE FUNCTION announce_filings(accessions text[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    since date := nullif(current_setting('disclosed.webhooks_since', true), '');
BEGIN
    IF webhooks_are_wanted('filing.created') THEN
        PERFORM queue_webhooks('filing.created', ARRAY(
            SELECT f.accession FROM filing f WHERE f.accession = ANY (accessions)
            GROUP BY f.accession
            HAVING bool_and(f.recorded_at = now()) AND bool_or(f.superseded_at IS NULL)
               AND (since IS NULL OR max(f.filed_on) >= since)));
    END IF;
END $$;
