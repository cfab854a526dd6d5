-- Webhooks: who is told of new filings and transcripts, what is still to be told, and how it went.

SET LOCAL search_path = disclosed, public;

-- Where an account wants to be told. Signing secrets are sealed (AES-256-GCM) under the server secret. One that
-- is deleted stays, without its secrets, until its deliveries are pruned: loads that have just queued for it hold
-- on to its row, and its owner shall not wait for their end.
CREATE TABLE webhook_endpoint (
    endpoint_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id  bigint NOT NULL REFERENCES account,
    url         text NOT NULL CHECK (url LIKE 'https://%' AND length(url) <= 2083),
    topics      text[] NOT NULL CHECK (cardinality(topics) > 0),
    base_url    text NOT NULL,
    sealed_secret text NOT NULL,
    secret_hint text NOT NULL CHECK (length(secret_hint) = 12),
    previous_sealed_secret text,
    previous_until timestamptz,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by  text NOT NULL REFERENCES api_key,
    concurrency integer NOT NULL DEFAULT 4 CHECK (concurrency BETWEEN 1 AND 4),
    failing_since timestamptz,
    disabled_at timestamptz,
    disabled_reason text CHECK (disabled_reason IN ('unwanted', 'failing', 'administrator', 'deleted')),
    CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
    CHECK ((previous_sealed_secret IS NULL) = (previous_until IS NULL))
);
COMMENT ON COLUMN webhook_endpoint.base_url IS 'in front of the paths in deliveries: of the server that it was made on';
COMMENT ON COLUMN webhook_endpoint.previous_sealed_secret IS 'signs beside the present one until previous_until';
COMMENT ON COLUMN webhook_endpoint.concurrency IS 'deliveries at a time; fewer while the receiver is overloaded';
COMMENT ON COLUMN webhook_endpoint.failing_since IS 'first failure after the last success';
CREATE INDEX webhook_endpoint_account ON webhook_endpoint (account_id, endpoint_id);
CREATE VIEW live_webhook_endpoint AS
    SELECT * FROM webhook_endpoint WHERE disabled_reason IS DISTINCT FROM 'deleted';

CREATE TABLE webhook_event (
    event_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic       text NOT NULL,
    subject     text NOT NULL,
    occurred_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (topic, subject)
);
COMMENT ON COLUMN webhook_event.subject IS 'what the item is found by: the accession number, the id';
CREATE INDEX webhook_event_occurred ON webhook_event (occurred_at);

-- One event to one endpoint. It waits while next_attempt_at is set.
CREATE TABLE webhook_delivery (
    delivery_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id    bigint NOT NULL REFERENCES webhook_event ON DELETE CASCADE,
    endpoint_id bigint NOT NULL REFERENCES webhook_endpoint ON DELETE CASCADE,
    message_id  text NOT NULL UNIQUE DEFAULT 'msg_' || replace(gen_random_uuid()::text, '-', ''),
    body        text,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    attempts    integer NOT NULL DEFAULT 0,
    replayed_after integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz DEFAULT clock_timestamp(),
    claimed_until timestamptz,
    outcome     text CHECK (outcome IN ('delivered', 'failed', 'aborted', 'unwanted', 'dropped')),
    ended_at    timestamptz,
    UNIQUE (event_id, endpoint_id),
    CHECK ((next_attempt_at IS NULL) = (outcome IS NOT NULL)),
    CHECK ((ended_at IS NULL) = (outcome IS NULL)),
    CHECK (replayed_after BETWEEN 0 AND attempts)
);
COMMENT ON COLUMN webhook_delivery.body IS 'the bytes that every attempt sends; NULL until it was first due';
COMMENT ON COLUMN webhook_delivery.replayed_after IS 'attempts before it was sent again: its schedule begins behind them';
COMMENT ON COLUMN webhook_delivery.claimed_until IS 'somebody is sending it; after that, somebody else may';
CREATE INDEX webhook_delivery_due ON webhook_delivery (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_delivery_endpoint_due ON webhook_delivery (endpoint_id, next_attempt_at)
    WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_delivery_claimed ON webhook_delivery (endpoint_id, claimed_until)
    WHERE claimed_until IS NOT NULL;
CREATE INDEX webhook_delivery_endpoint ON webhook_delivery (endpoint_id, delivery_id);
CREATE INDEX webhook_delivery_ended ON webhook_delivery (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE webhook_attempt (
    delivery_id bigint NOT NULL REFERENCES webhook_delivery ON DELETE CASCADE,
    attempt     integer NOT NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    status      integer,
    error       text,
    duration_ms integer NOT NULL,
    PRIMARY KEY (delivery_id, attempt)
);
COMMENT ON COLUMN webhook_attempt.status IS 'HTTP status of the receiver; NULL: no answer';

-- ---------------------------------------------------------------- queueing

-- Whether a topic is to be announced: somebody wants it, and this session's loads are not kept quiet
-- (disclosedctl import --no-webhooks).
CREATE FUNCTION webhooks_are_wanted(of_topic text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT coalesce(current_setting('disclosed.webhooks', true), '') <> 'off'
       AND EXISTS (SELECT 1 FROM webhook_endpoint
                   WHERE topics @> ARRAY[of_topic] AND disabled_at IS NULL)
$$;

-- Queues an event for each subject that is not known yet, to every endpoint that wants the topic.
CREATE FUNCTION queue_webhooks(of_topic text, subjects text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    WITH event AS (
        INSERT INTO webhook_event (topic, subject) SELECT of_topic, unnest(subjects)
        ON CONFLICT (topic, subject) DO NOTHING
        RETURNING event_id)
    INSERT INTO webhook_delivery (event_id, endpoint_id)
    SELECT v.event_id, e.endpoint_id FROM event v, webhook_endpoint e
    WHERE e.topics @> ARRAY[of_topic] AND e.disabled_at IS NULL
$$;

-- A filing is new when no row has named its accession number before, whoever filed it: what was added is
-- all that there is of it.
CREATE FUNCTION announce_filings() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
BEGIN
    IF webhooks_are_wanted('filing.created') THEN
        PERFORM queue_webhooks('filing.created', ARRAY(
            SELECT a.accession FROM added a GROUP BY a.accession
            HAVING bool_or(a.superseded_at IS NULL)
               AND count(*) = (SELECT count(*) FROM filing f WHERE f.accession = a.accession)));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER filing_announced AFTER INSERT ON filing REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION announce_filings();

CREATE FUNCTION announce_transcripts() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
BEGIN
    IF webhooks_are_wanted('transcript.published') THEN
        PERFORM queue_webhooks('transcript.published', ARRAY(
            SELECT a.id::text FROM added a GROUP BY a.id
            HAVING bool_or(a.superseded_at IS NULL)
               AND count(*) = (SELECT count(*) FROM transcript t WHERE t.id = a.id)));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER transcript_announced AFTER INSERT ON transcript REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION announce_transcripts();

-- ----------------------------------------------------------------- sending

-- Whether an account has a key of a plan that may have webhooks.
CREATE FUNCTION has_webhooks(of_account bigint, plans text[]) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT EXISTS (SELECT 1 FROM api_key k
                   WHERE k.account_id = of_account AND k.kind = 'live' AND k.revoked_at IS NULL
                     AND (k.expires_at IS NULL OR k.expires_at > now()) AND k.plan = ANY(plans))
$$;

-- Takes up to `most` deliveries that are due, for `lease`: of each endpoint no more than it bears at a
-- time, and a first one of each before a second one of any, however long the queues are. `plans` are those
-- that may have webhooks. `attempts` are those that the schedule counts.
CREATE FUNCTION claim_webhooks(most integer, lease interval, plans text[])
RETURNS TABLE (delivery_id bigint, topic text, message_id text, body text, attempts integer,
               endpoint_id bigint, account_id bigint, url text, sealed_secret text,
               previous_sealed_secret text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF NOT EXISTS (SELECT 1 FROM webhook_delivery WHERE next_attempt_at <= clock_timestamp()) THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH candidate AS MATERIALIZED (
        SELECT d.delivery_id, d.next_attempt_at,
               busy.number + row_number() OVER (PARTITION BY e.endpoint_id
                                                ORDER BY d.next_attempt_at) AS place
        FROM webhook_endpoint e
        CROSS JOIN LATERAL (
            SELECT count(*)::integer AS number FROM webhook_delivery b
            WHERE b.endpoint_id = e.endpoint_id AND b.claimed_until > clock_timestamp()) busy
        CROSS JOIN LATERAL (
            SELECT w.delivery_id, w.next_attempt_at FROM webhook_delivery w
            WHERE w.endpoint_id = e.endpoint_id AND w.next_attempt_at <= clock_timestamp()
            ORDER BY w.next_attempt_at LIMIT greatest(e.concurrency - busy.number, 0)
            FOR UPDATE SKIP LOCKED) d
        WHERE e.disabled_at IS NULL AND has_webhooks(e.account_id, plans)),
    due AS MATERIALIZED (
        SELECT delivery_id FROM candidate ORDER BY place, next_attempt_at LIMIT most)
    UPDATE webhook_delivery c
    SET claimed_until = clock_timestamp() + lease, next_attempt_at = clock_timestamp() + lease
    FROM due, webhook_endpoint e, webhook_event v
    WHERE c.delivery_id = due.delivery_id AND e.endpoint_id = c.endpoint_id
      AND v.event_id = c.event_id
    RETURNING c.delivery_id, v.topic, c.message_id, c.body, c.attempts - c.replayed_after, e.endpoint_id,
              e.account_id, e.url, e.sealed_secret,
              CASE WHEN e.previous_until > now() THEN e.previous_sealed_secret END;
END $$;

-- Drops what waits for an account without a key of a plan that may have webhooks, and what was queued while
-- its endpoint was being disabled.
CREATE FUNCTION drop_unwanted_webhooks(plans text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    WITH closed AS MATERIALIZED (
        SELECT endpoint_id FROM webhook_endpoint e
        WHERE e.disabled_at IS NOT NULL OR NOT has_webhooks(e.account_id, plans))
    UPDATE webhook_delivery d
    SET next_attempt_at = NULL, claimed_until = NULL, outcome = 'dropped', ended_at = clock_timestamp()
    FROM closed
    WHERE d.endpoint_id = closed.endpoint_id AND d.next_attempt_at IS NOT NULL
$$;

-- Stores the bytes that all attempts send; returns those that count, should another host have been
-- faster.
CREATE FUNCTION set_webhook_body(delivery bigint, bytes text) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    UPDATE webhook_delivery SET body = coalesce(body, bytes) WHERE delivery_id = delivery RETURNING body
$$;

-- Ends a delivery that has nothing left to say: its item is gone.
CREATE FUNCTION drop_webhook(delivery bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    UPDATE webhook_delivery
    SET next_attempt_at = NULL, claimed_until = NULL, outcome = 'dropped', ended_at = clock_timestamp()
    WHERE delivery_id = delivery AND next_attempt_at IS NOT NULL
$$;

-- Ends what waits for an endpoint, and it. What changes an endpoint and its deliveries locks the
-- endpoint first: so nothing is replayed meanwhile, and hosts never wait in a circle.
CREATE FUNCTION disable_webhook(endpoint bigint, reason text) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT true FROM webhook_endpoint WHERE endpoint_id = endpoint FOR NO KEY UPDATE;
    UPDATE webhook_delivery
    SET next_attempt_at = NULL, claimed_until = NULL, ended_at = clock_timestamp(),
        outcome = CASE reason WHEN 'unwanted' THEN 'unwanted' ELSE 'dropped' END
    WHERE endpoint_id = endpoint AND next_attempt_at IS NOT NULL;
    UPDATE webhook_endpoint SET disabled_at = clock_timestamp(), disabled_reason = reason
    WHERE endpoint_id = endpoint AND disabled_at IS NULL
    RETURNING true
$$;

-- Deletes an endpoint of an account, and drops what waits for it. Returns whether there was one.
CREATE FUNCTION delete_webhook(endpoint bigint, owner_account bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
BEGIN
    PERFORM 1 FROM live_webhook_endpoint
    WHERE endpoint_id = endpoint AND account_id = owner_account FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM disable_webhook(endpoint, 'deleted');
    UPDATE webhook_endpoint
    SET disabled_reason = 'deleted', sealed_secret = '', previous_sealed_secret = NULL, previous_until = NULL
    WHERE endpoint_id = endpoint;
    RETURN true;
END $$;

-- Notes how an attempt went. `verdict` is 'delivered', 'retry', 'overloaded', 'unwanted' or 'aborted';
-- `next` is when to try again, NULL: never. Returns why the endpoint was disabled by it, or NULL. An
-- endpoint is disabled when its receiver says that it is gone (410), and when nothing has reached it
-- for `patience`.
CREATE FUNCTION note_webhook(delivery bigint, verdict text, http_status integer, problem text,
                             took_ms integer, next timestamptz, patience interval) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    noted webhook_delivery;
    is_success boolean := verdict = 'delivered';
    reason text;
BEGIN
    PERFORM 1 FROM webhook_endpoint e JOIN webhook_delivery d USING (endpoint_id)
    WHERE d.delivery_id = delivery FOR NO KEY UPDATE OF e;
    UPDATE webhook_delivery d
    SET attempts = d.attempts + 1, claimed_until = NULL,
        next_attempt_at = CASE WHEN verdict IN ('retry', 'overloaded') THEN next END,
        outcome = CASE WHEN verdict NOT IN ('retry', 'overloaded') THEN verdict
                       WHEN next IS NULL THEN 'failed' END,
        ended_at = CASE WHEN verdict NOT IN ('retry', 'overloaded') OR next IS NULL
                        THEN clock_timestamp() END
    WHERE d.delivery_id = delivery AND d.next_attempt_at IS NOT NULL
    RETURNING * INTO noted;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    INSERT INTO webhook_attempt (delivery_id, attempt, status, error, duration_ms)
    VALUES (delivery, noted.attempts, http_status, problem, took_ms);
    UPDATE webhook_endpoint e
    SET failing_since = CASE WHEN NOT is_success THEN coalesce(e.failing_since, clock_timestamp()) END,
        concurrency = CASE WHEN is_success THEN least(e.concurrency + 1, 4)
                           WHEN verdict = 'overloaded' THEN greatest(e.concurrency / 2, 1)
                           ELSE e.concurrency END
    WHERE e.endpoint_id = noted.endpoint_id
      AND (e.failing_since IS NOT NULL OR NOT is_success OR e.concurrency < 4);
    SELECT CASE WHEN verdict = 'unwanted' THEN 'unwanted'
                WHEN e.failing_since < clock_timestamp() - patience THEN 'failing' END INTO reason
    FROM webhook_endpoint e WHERE e.endpoint_id = noted.endpoint_id;
    IF reason IS NULL OR NOT coalesce(disable_webhook(noted.endpoint_id, reason), false) THEN
        RETURN NULL;
    END IF;
    RETURN reason;
END $$;

-- What waits, and since when what is due has been due.
CREATE FUNCTION webhook_queue(OUT waiting bigint, OUT due_since timestamptz, OUT queued_since timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT count(*), min(next_attempt_at) FILTER (WHERE next_attempt_at <= clock_timestamp()),
           min(created_at)
    FROM webhook_delivery WHERE next_attempt_at IS NOT NULL
$$;

-- Forgets up to `most` deliveries that ended longer ago than that, then events and deleted endpoints that
-- no delivery is left of. Returns how many deliveries and events.
CREATE FUNCTION prune_webhooks(older_than interval, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    deliveries bigint;
    events bigint;
BEGIN
    DELETE FROM webhook_delivery WHERE delivery_id IN (
        SELECT delivery_id FROM webhook_delivery WHERE ended_at < now() - older_than
        ORDER BY ended_at LIMIT most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS deliveries = ROW_COUNT;
    DELETE FROM webhook_event WHERE event_id IN (
        SELECT v.event_id FROM webhook_event v
        WHERE v.occurred_at < now() - older_than
          AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.event_id = v.event_id)
        ORDER BY v.occurred_at LIMIT most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS events = ROW_COUNT;
    DELETE FROM webhook_endpoint e
    WHERE e.disabled_reason = 'deleted' AND e.disabled_at < now() - older_than
      AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = e.endpoint_id);
    RETURN deliveries + events;
END $$;

-- Puts a signing secret that was sealed anew in the place of what it was.
CREATE FUNCTION reseal_webhook(endpoint bigint, was text, becomes text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    UPDATE webhook_endpoint
    SET sealed_secret = CASE sealed_secret WHEN was THEN becomes ELSE sealed_secret END,
        previous_sealed_secret = CASE previous_sealed_secret WHEN was THEN becomes
                                 ELSE previous_sealed_secret END
    WHERE endpoint_id = endpoint AND was IN (sealed_secret, previous_sealed_secret)
$$;

-- ------------------------------------------------------------------- audit

CREATE TRIGGER webhook_endpoint_audited AFTER INSERT OR DELETE ON webhook_endpoint
    FOR EACH ROW EXECUTE FUNCTION audit_access();
CREATE TRIGGER webhook_endpoint_changed AFTER UPDATE ON webhook_endpoint
    FOR EACH ROW WHEN ((OLD.url, OLD.topics, OLD.secret_hint, OLD.disabled_reason)
                       IS DISTINCT FROM (NEW.url, NEW.topics, NEW.secret_hint, NEW.disabled_reason))
    EXECUTE FUNCTION audit_access();

-- ------------------------------------------------------------------ rights

REVOKE EXECUTE ON FUNCTION webhooks_are_wanted, queue_webhooks, announce_filings, announce_transcripts,
    has_webhooks, claim_webhooks, drop_unwanted_webhooks, set_webhook_body, drop_webhook, disable_webhook,
    delete_webhook, note_webhook, webhook_queue, prune_webhooks, reseal_webhook FROM PUBLIC;
GRANT SELECT ON webhook_endpoint, live_webhook_endpoint, webhook_event, webhook_delivery TO disclosed_api;
GRANT INSERT ON webhook_endpoint TO disclosed_api;
GRANT EXECUTE ON FUNCTION claim_webhooks, drop_unwanted_webhooks, set_webhook_body, drop_webhook,
    delete_webhook, note_webhook, webhook_queue, prune_webhooks, reseal_webhook TO disclosed_api;
