-- Follow: clocks that are put back are seen by all processes at once.

SET LOCAL search_path = disclosed, public;

-- As in 0093; rows are locked in the order of their keys, so that no two processes wait for each other.
CREATE OR REPLACE FUNCTION bring_followed_near() RETURNS void LANGUAGE plpgsql SET search_path = disclosed, public AS $$
DECLARE
    at timestamptz := clock_timestamp();
    soon timestamptz := at + interval '1 second';
BEGIN
    WITH far AS MATERIALIZED (
        SELECT source FROM followed_source WHERE lease_until > at + interval '2 minutes' OR checked_at > soon ORDER BY source FOR UPDATE)
    UPDATE followed_source s SET checked_at = least(s.checked_at, at),
        lease_until = CASE WHEN s.lease_until > at + interval '2 minutes' THEN at + interval '1 minute' ELSE s.lease_until END
    FROM far WHERE s.source = far.source;
    WITH far AS MATERIALIZED (
        SELECT source, listing, part FROM followed_listing
        WHERE checked_at > soon OR next_at > at + followed_pause(attempts + 1) AND (attempts > 0 OR checked_at IS NULL)
        ORDER BY source, listing, part FOR UPDATE)
    UPDATE followed_listing l SET checked_at = least(l.checked_at, at),
        next_at = least(l.next_at, at + CASE WHEN l.attempts > 0 THEN followed_pause(l.attempts + 1) ELSE interval '0' END)
    FROM far WHERE (l.source, l.listing, l.part) = (far.source, far.listing, far.part);
    WITH far AS MATERIALIZED (
        SELECT document_id FROM followed_document
        WHERE greatest(seen_at, checked_at, fetched_at, stored_at) > soon
           OR next_at > at + followed_pause(attempts + 1) AND (attempts > 0 OR failure_kind IS NOT NULL)
        ORDER BY document_id FOR UPDATE)
    UPDATE followed_document d SET seen_at = least(d.seen_at, at), checked_at = least(d.checked_at, at), fetched_at = least(d.fetched_at, at),
        stored_at = least(d.stored_at, at),
        next_at = least(d.next_at, at + CASE WHEN d.attempts > 0 THEN followed_pause(d.attempts + 1) ELSE interval '0' END)
    FROM far WHERE d.document_id = far.document_id;
    WITH far AS MATERIALIZED (
        SELECT source, document FROM followed_freshness WHERE greatest(refreshed_at, stored_at, missing_since) > soon
        ORDER BY source, document FOR UPDATE)
    UPDATE followed_freshness f SET refreshed_at = least(f.refreshed_at, at), stored_at = least(f.stored_at, at), missing_since = least(f.missing_since, at)
    FROM far WHERE (f.source, f.document) = (far.source, far.document);
END $$;
