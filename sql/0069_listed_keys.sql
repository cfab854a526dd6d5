-- Keys are numbered as they are made, so that httpd knows which there are: an invented one is told from one that is asked for the first
-- time. Leases of one's own can be let go of that the worker does not know of, and a result is noted once.

SET LOCAL search_path = disclosed, public;

-- ---------------------------------------------------------------------- keys

ALTER TABLE key_generation ADD made bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN key_generation.made IS 'number of the key that was made last';

ALTER TABLE api_key ADD number bigint UNIQUE;
COMMENT ON COLUMN api_key.number IS 'in the order of their commits: who has read up to one has missed none';
UPDATE api_key k SET number = n.number
FROM (SELECT key_id, row_number() OVER (ORDER BY created_at, key_id) AS number FROM api_key) n WHERE n.key_id = k.key_id;
UPDATE key_generation SET made = (SELECT count(*) FROM api_key);
ALTER TABLE api_key ALTER number SET NOT NULL;

-- The row of key_generation is held until the commit, so that no later number is seen before.
CREATE FUNCTION give_key_number() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
BEGIN
    UPDATE key_generation SET made = made + 1 RETURNING made INTO NEW.number;
    PERFORM pg_notify('disclosed', 'keys');
    RETURN NEW;
END $$;
CREATE TRIGGER api_key_numbered BEFORE INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION give_key_number();

-- ------------------------------------------------------------------ webhooks

-- Lets go of what a worker has claimed, but for the deliveries that it holds: what it does not know of, as the connection was lost
-- that it claimed them by.
CREATE FUNCTION release_lost_webhooks(worker text, held bigint[]) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    WITH released AS (
        UPDATE webhook_delivery SET claimed_until = NULL, claimed_by = NULL
        WHERE claimed_until IS NOT NULL AND claimed_by = worker AND delivery_id <> ALL (held)
        RETURNING 1)
    SELECT count(*) FROM released
$$;

-- Notes how attempts of a worker went, as note_webhooks() does: of those that it still holds, so that what is noted a second time, as the
-- connection was lost at its commit, counts once.
CREATE FUNCTION note_own_webhooks(worker text, deliveries bigint[], verdicts text[], statuses integer[], problems text[],
                                  took_ms integer[], nexts timestamptz[], patience interval)
RETURNS TABLE (endpoint_id bigint, reason text)
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    WITH own AS MATERIALIZED (
        SELECT array_agg(r.delivery_id) AS deliveries, array_agg(r.verdict) AS verdicts, array_agg(r.status) AS statuses,
               array_agg(r.problem) AS problems, array_agg(r.took) AS took_ms, array_agg(r.next) AS nexts
        FROM unnest(deliveries, verdicts, statuses, problems, took_ms, nexts) AS r(delivery_id, verdict, status, problem, took, next)
        JOIN webhook_delivery d USING (delivery_id)
        WHERE d.claimed_by = worker)
    SELECT n.endpoint_id, n.reason
    FROM own o CROSS JOIN LATERAL note_webhooks(o.deliveries, o.verdicts, o.statuses, o.problems, o.took_ms, o.nexts, patience) n
    WHERE o.deliveries IS NOT NULL
$$;

REVOKE EXECUTE ON FUNCTION release_lost_webhooks, note_own_webhooks FROM PUBLIC;
GRANT EXECUTE ON FUNCTION release_lost_webhooks, note_own_webhooks TO disclosed_api;
