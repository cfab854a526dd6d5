-- Positions in the log of events are times, so that they are higher after a restore than before it.
SET LOCAL search_path = disclosed, public;

-- Numbers events whose loads have committed, in one order for all who read, and makes deliveries of them; about `most` of
-- these at a time. Returns how many events it has numbered. A position is the time in microseconds, or the next number if
-- that is not higher: a reader that has read further than a dump skips nothing after it was restored.
CREATE OR REPLACE FUNCTION publish_webhooks(most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    published integer;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM webhook_event WHERE position IS NULL) THEN
        RETURN 0;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed publish webhooks', 0));
    PERFORM setval('webhook_position', greatest(s.last_value, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint))
    FROM webhook_position s;
    WITH fresh AS MATERIALIZED (
        SELECT n.event_id, nextval('webhook_position') AS position
        FROM (SELECT event_id FROM webhook_event WHERE position IS NULL ORDER BY event_id
              LIMIT greatest(1, most / greatest(1, (SELECT count(*) FROM webhook_endpoint
                                                    WHERE disabled_at IS NULL)))) n),
    numbered AS (
        UPDATE webhook_event v SET position = n.position FROM fresh n WHERE v.event_id = n.event_id
        RETURNING v.*),
    queued AS (
        INSERT INTO webhook_delivery (event_id, endpoint_id, message_id)
        SELECT v.event_id, e.endpoint_id, v.message_id
        FROM numbered v JOIN webhook_endpoint e
          ON e.topics @> ARRAY[v.topic] AND e.disabled_at IS NULL AND e.created_at <= v.occurred_at
         AND (e.issuers IS NULL OR e.issuers && v.issuers)
         AND (e.forms IS NULL OR v.form IS NULL OR v.form = ANY (e.forms))
        ORDER BY v.position)
    SELECT count(*) INTO published FROM numbered;
    RETURN published;
END $$;
