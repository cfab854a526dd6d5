-- Webhooks at speed, and fair: events are numbered and become deliveries once their load has committed; slots are shared
-- by accounts, then by endpoints; leases end with their process; claims and results come in batches.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------ tables

-- An endpoint may be told of some companies and forms only.
ALTER TABLE webhook_endpoint
    ADD symbols text[] CHECK (cardinality(symbols) BETWEEN 1 AND 100),
    ADD issuers bigint[],
    ADD forms text[] CHECK (cardinality(forms) BETWEEN 1 AND 50),
    ADD CHECK ((symbols IS NULL) = (issuers IS NULL)),
    DROP CONSTRAINT webhook_endpoint_concurrency_check,
    ADD CONSTRAINT webhook_endpoint_concurrency_check CHECK (concurrency BETWEEN 1 AND 64);
COMMENT ON COLUMN webhook_endpoint.symbols IS 'companies that it is told of, as its owner names them; NULL: all';
COMMENT ON COLUMN webhook_endpoint.issuers IS 'what these symbols meant when they were set';
COMMENT ON COLUMN webhook_endpoint.forms IS 'forms of the filings that it is told of; NULL: all';
CREATE OR REPLACE VIEW live_webhook_endpoint AS
    SELECT * FROM webhook_endpoint WHERE disabled_reason IS DISTINCT FROM 'deleted';

-- An event has one message id for all who get it. Its position says in which order events can be seen: it is given after
-- the load has committed, so no event comes later with a lower one.
ALTER TABLE webhook_event
    ADD message_id text NOT NULL DEFAULT 'msg_' || replace(gen_random_uuid()::text, '-', ''),
    ADD issuers bigint[] NOT NULL DEFAULT '{}',
    ADD form text,
    ADD position bigint UNIQUE;
COMMENT ON COLUMN webhook_event.issuers IS 'companies that it is about';
COMMENT ON COLUMN webhook_event.position IS 'in the log; NULL: not numbered yet, and no delivery is made of it';
CREATE SEQUENCE webhook_position;
UPDATE webhook_event v SET position = n.position
FROM (SELECT event_id, nextval('webhook_position') AS position
      FROM (SELECT event_id FROM webhook_event ORDER BY event_id) o) n
WHERE v.event_id = n.event_id;
CREATE INDEX webhook_event_new ON webhook_event (event_id) WHERE position IS NULL;

-- The bytes that all deliveries of an event send, for each server that endpoints were made on.
CREATE TABLE webhook_body (
    event_id bigint NOT NULL REFERENCES webhook_event ON DELETE CASCADE,
    base_url text NOT NULL,
    body     text NOT NULL,
    PRIMARY KEY (event_id, base_url)
);
COMMENT ON COLUMN webhook_delivery.body IS 'the bytes that every attempt sends, of deliveries that had them before webhook_body did';

-- Each index costs a claim and a result of every delivery: two that nothing needs go.
ALTER TABLE webhook_delivery
    ADD claimed_by text,
    DROP CONSTRAINT webhook_delivery_message_id_key,
    ALTER message_id DROP DEFAULT;
COMMENT ON COLUMN webhook_delivery.claimed_by IS 'the process that sends it: host/process';
DROP INDEX webhook_delivery_due;
ALTER TABLE webhook_delivery SET (autovacuum_vacuum_scale_factor = 0.02);

-- --------------------------------------------------------------- announcing

DROP FUNCTION queue_webhooks(text, text[]);

-- The day before which what is loaded is history, as the session names it (disclosed.webhooks_since): nobody is told of that. NULL:
-- all is news.
CREATE FUNCTION webhooks_since() RETURNS date LANGUAGE sql STABLE
RETURN nullif(current_setting('disclosed.webhooks_since', true), '')::date;

-- The same for records of which is known when they became public.
CREATE FUNCTION is_webhook_news(known_at timestamptz) RETURNS boolean LANGUAGE sql STABLE
RETURN coalesce(known_at >= disclosed.webhooks_since()::timestamp AT TIME ZONE 'America/New_York', true);

CREATE OR REPLACE FUNCTION announce_filings(accessions text[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
BEGIN
    IF webhooks_are_wanted('filing.created') THEN
        INSERT INTO webhook_event (topic, subject, issuers, form)
        SELECT 'filing.created', f.accession, array_agg(DISTINCT f.issuer_id), min(f.form)
        FROM filing f WHERE f.accession = ANY (accessions)
        GROUP BY f.accession
        HAVING bool_and(f.recorded_at = now()) AND bool_or(f.superseded_at IS NULL)
           AND (webhooks_since() IS NULL OR max(f.filed_on) >= webhooks_since())
        ON CONFLICT (topic, subject) DO NOTHING;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION announce_transcripts(issuers bigint[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
BEGIN
    IF webhooks_are_wanted('transcript.published') THEN
        INSERT INTO webhook_event (topic, subject, issuers)
        SELECT 'transcript.published', t.id::text, array_agg(DISTINCT t.issuer_id)
        FROM transcript t WHERE t.issuer_id = ANY (announce_transcripts.issuers)
        GROUP BY t.id
        HAVING bool_and(t.recorded_at = now()) AND bool_or(t.superseded_at IS NULL) AND is_webhook_news(min(t.known_at))
        ON CONFLICT (topic, subject) DO NOTHING;
    END IF;
END $$;

-- Numbers events whose loads have committed, in one order for all who read, and makes deliveries of them; about `most` of
-- these at a time. Returns how many events it has numbered.
CREATE FUNCTION publish_webhooks(most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    published integer;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM webhook_event WHERE position IS NULL) THEN
        RETURN 0;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed publish webhooks', 0));
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

-- ----------------------------------------------------------------- sending

-- Endpoints that something waits for: one step of an index for each, however much waits.
CREATE FUNCTION waited_for() RETURNS SETOF bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    WITH RECURSIVE waiting AS (
        (SELECT d.endpoint_id FROM webhook_delivery d WHERE d.next_attempt_at IS NOT NULL
         ORDER BY d.endpoint_id LIMIT 1)
        UNION ALL
        SELECT (SELECT d.endpoint_id FROM webhook_delivery d
                WHERE d.next_attempt_at IS NOT NULL AND d.endpoint_id > w.endpoint_id
                ORDER BY d.endpoint_id LIMIT 1)
        FROM waiting w WHERE w.endpoint_id IS NOT NULL)
    SELECT endpoint_id FROM waiting WHERE endpoint_id IS NOT NULL
$$;

DROP FUNCTION claim_webhooks(integer, interval, text[]);

-- Takes deliveries that are due, for `lease`, into the `room` that `worker` has left. An account takes no more of it than it
-- leaves free for others, counting what the worker sends for it already; so whoever comes next is served at once. Accounts
-- take turns, and so do the endpoints of each, of which no more is under way over all hosts than it bears (`concurrency`).
-- `plans` are those that may have webhooks; `excepted` are endpoints that this worker cannot send to. `attempts` are those
-- that the schedule counts. One claims at a time, so that counts are exact.
CREATE FUNCTION claim_webhooks(room integer, lease interval, plans text[], worker text, excepted bigint[])
RETURNS TABLE (delivery_id bigint, event_id bigint, topic text, message_id text, body text, attempts integer,
               endpoint_id bigint, account_id bigint, url text, base_url text, sealed_secret text,
               previous_sealed_secret text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
#variable_conflict use_column
DECLARE
    started timestamptz;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed claim webhooks', 0));
    started := clock_timestamp();
    RETURN QUERY
    WITH busy AS MATERIALIZED (
        SELECT b.endpoint_id, count(*)::integer AS number,
               (count(*) FILTER (WHERE b.claimed_by = worker))::integer AS own
        FROM webhook_delivery b WHERE b.claimed_until > started GROUP BY b.endpoint_id),
    account_busy AS MATERIALIZED (
        SELECT e.account_id, sum(b.own) AS own FROM busy b JOIN webhook_endpoint e USING (endpoint_id)
        GROUP BY e.account_id),
    endpoint AS MATERIALIZED (
        SELECT e.endpoint_id, e.account_id, coalesce(b.number, 0) AS busy,
               least(e.concurrency - coalesce(b.number, 0), room) AS free
        FROM waited_for() w(endpoint_id) JOIN webhook_endpoint e USING (endpoint_id)
        LEFT JOIN busy b USING (endpoint_id)
        WHERE e.disabled_at IS NULL AND e.endpoint_id <> ALL (excepted)
          AND e.concurrency > coalesce(b.number, 0)),
    entitled AS MATERIALIZED (
        SELECT a.account_id FROM (SELECT DISTINCT account_id FROM endpoint) a
        WHERE has_webhooks(a.account_id, plans)),
    candidate AS MATERIALIZED (
        SELECT d.delivery_id, d.next_attempt_at, e.account_id,
               e.busy + row_number() OVER (PARTITION BY e.endpoint_id ORDER BY d.next_attempt_at) AS place
        FROM endpoint e JOIN entitled USING (account_id)
        CROSS JOIN LATERAL (
            SELECT w.delivery_id, w.next_attempt_at FROM webhook_delivery w
            WHERE w.endpoint_id = e.endpoint_id AND w.next_attempt_at <= started
              AND (w.claimed_until IS NULL OR w.claimed_until <= started)
            ORDER BY w.next_attempt_at LIMIT e.free) d),
    ranked AS (
        SELECT c.delivery_id, c.next_attempt_at,
               coalesce(a.own, 0)
               + row_number() OVER (PARTITION BY c.account_id ORDER BY c.place, c.next_attempt_at) AS share
        FROM candidate c LEFT JOIN account_busy a USING (account_id)),
    chosen AS (
        SELECT r.delivery_id, r.share, row_number() OVER (ORDER BY r.share, r.next_attempt_at) AS number
        FROM ranked r),
    due AS MATERIALIZED (
        SELECT d.delivery_id FROM webhook_delivery d
        WHERE d.delivery_id = ANY (ARRAY(SELECT c.delivery_id FROM chosen c WHERE c.share <= room + 1 - c.number))
          AND d.next_attempt_at <= started AND (d.claimed_until IS NULL OR d.claimed_until <= started)
        FOR UPDATE SKIP LOCKED),
    claimed AS (
        UPDATE webhook_delivery c SET claimed_until = started + lease, claimed_by = worker
        FROM due WHERE c.delivery_id = due.delivery_id
        RETURNING c.*)
    SELECT c.delivery_id, c.event_id, v.topic, c.message_id, coalesce(c.body, b.body),
           c.attempts - c.replayed_after, e.endpoint_id, e.account_id, e.url, e.base_url, e.sealed_secret,
           CASE WHEN e.previous_until > now() THEN e.previous_sealed_secret END
    FROM claimed c JOIN webhook_endpoint e USING (endpoint_id) JOIN webhook_event v USING (event_id)
    LEFT JOIN webhook_body b ON b.event_id = c.event_id AND b.base_url = e.base_url
    ORDER BY e.endpoint_id, c.delivery_id;
END $$;

-- Lets go of what a worker has claimed: of these deliveries, or of all (NULL). They are due as they were.
CREATE FUNCTION release_webhooks(worker text, deliveries bigint[]) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    WITH released AS (
        UPDATE webhook_delivery SET claimed_until = NULL, claimed_by = NULL
        WHERE claimed_until IS NOT NULL AND claimed_by = worker
          AND (deliveries IS NULL OR delivery_id = ANY (deliveries))
        RETURNING 1)
    SELECT count(*) FROM released
$$;

-- The workers of a host that hold leases.
CREATE FUNCTION webhook_workers(host text) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT DISTINCT claimed_by FROM webhook_delivery
    WHERE claimed_until > clock_timestamp() AND split_part(claimed_by, '/', 1) = host
$$;

-- Stores the bytes that all attempts send; returns those that count, should another host have been faster.
DROP FUNCTION set_webhook_body(bigint, text);
CREATE FUNCTION store_webhook_bodies(events bigint[], base_urls text[], bodies text[])
RETURNS TABLE (event_id bigint, base_url text, body text)
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    INSERT INTO webhook_body AS b (event_id, base_url, body)
    SELECT * FROM unnest(events, base_urls, bodies)
    ON CONFLICT (event_id, base_url) DO UPDATE SET body = b.body
    RETURNING b.event_id, b.base_url, b.body
$$;

-- Ends deliveries that have nothing left to say: their items are gone.
DROP FUNCTION drop_webhook(bigint);
CREATE FUNCTION drop_webhooks(deliveries bigint[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    UPDATE webhook_delivery
    SET next_attempt_at = NULL, claimed_until = NULL, claimed_by = NULL, outcome = 'dropped', ended_at = clock_timestamp()
    WHERE delivery_id = ANY (deliveries) AND next_attempt_at IS NOT NULL
$$;

CREATE OR REPLACE FUNCTION drop_unwanted_webhooks(plans text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    WITH waiting AS MATERIALIZED (
        SELECT e.endpoint_id, e.account_id, e.disabled_at
        FROM waited_for() w(endpoint_id) JOIN webhook_endpoint e USING (endpoint_id)),
    entitled AS MATERIALIZED (
        SELECT a.account_id FROM (SELECT DISTINCT account_id FROM waiting) a WHERE has_webhooks(a.account_id, plans)),
    closed AS MATERIALIZED (
        SELECT endpoint_id FROM waiting
        WHERE disabled_at IS NOT NULL OR account_id NOT IN (SELECT account_id FROM entitled))
    UPDATE webhook_delivery d
    SET next_attempt_at = NULL, claimed_until = NULL, claimed_by = NULL, outcome = 'dropped', ended_at = clock_timestamp()
    FROM closed
    WHERE d.endpoint_id = closed.endpoint_id AND d.next_attempt_at IS NOT NULL
$$;

CREATE OR REPLACE FUNCTION disable_webhook(endpoint bigint, reason text) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT true FROM webhook_endpoint WHERE endpoint_id = endpoint FOR NO KEY UPDATE;
    UPDATE webhook_delivery
    SET next_attempt_at = NULL, claimed_until = NULL, claimed_by = NULL, ended_at = clock_timestamp(),
        outcome = CASE reason WHEN 'unwanted' THEN 'unwanted' ELSE 'dropped' END
    WHERE endpoint_id = endpoint AND next_attempt_at IS NOT NULL;
    UPDATE webhook_endpoint SET disabled_at = clock_timestamp(), disabled_reason = reason
    WHERE endpoint_id = endpoint AND disabled_at IS NULL
    RETURNING true
$$;

DROP FUNCTION note_webhook(bigint, text, integer, text, integer, timestamptz, interval);

-- Notes how attempts went, one element of each array for each. A verdict is 'delivered', 'retry', 'overloaded', 'unwanted'
-- or 'aborted'; `nexts` say when to try again, NULL: never. Returns the endpoints that were disabled by it, and why:
-- their receivers say that they are gone (410), or nothing has reached them for `patience`. An endpoint bears more at a
-- time as responses come within a second, up to 64, and half where it is overloaded.
CREATE FUNCTION note_webhooks(deliveries bigint[], verdicts text[], statuses integer[], problems text[],
                              took_ms integer[], nexts timestamptz[], patience interval)
RETURNS TABLE (endpoint_id bigint, reason text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
#variable_conflict use_column
DECLARE
    one record;
BEGIN
    PERFORM 1 FROM webhook_endpoint e
    WHERE e.endpoint_id IN (SELECT d.endpoint_id FROM webhook_delivery d WHERE d.delivery_id = ANY (deliveries))
    ORDER BY e.endpoint_id FOR NO KEY UPDATE;
    FOR one IN
        WITH result AS MATERIALIZED (
            SELECT r.*, r.verdict NOT IN ('retry', 'overloaded') OR r.next IS NULL AS is_last
            FROM unnest(deliveries, verdicts, statuses, problems, took_ms, nexts)
                 AS r(delivery_id, verdict, status, problem, took, next)),
        noted AS (
            UPDATE webhook_delivery d
            SET attempts = d.attempts + 1, claimed_until = NULL, claimed_by = NULL,
                next_attempt_at = CASE WHEN NOT r.is_last THEN r.next END,
                outcome = CASE WHEN r.verdict NOT IN ('retry', 'overloaded') THEN r.verdict
                               WHEN r.is_last THEN 'failed' END,
                ended_at = CASE WHEN r.is_last THEN clock_timestamp() END
            FROM result r WHERE d.delivery_id = r.delivery_id AND d.next_attempt_at IS NOT NULL
            RETURNING d.endpoint_id, d.attempts, r.*),
        attempt AS (
            INSERT INTO webhook_attempt (delivery_id, attempt, status, error, duration_ms)
            SELECT delivery_id, attempts, status, problem, took FROM noted),
        summary AS MATERIALIZED (
            SELECT endpoint_id, bool_or(verdict = 'delivered') AS reached, bool_or(verdict = 'unwanted') AS unwanted,
                   bool_or(verdict = 'overloaded') AS overloaded,
                   (count(*) FILTER (WHERE verdict = 'delivered' AND took <= 1000))::integer AS quick
            FROM noted GROUP BY endpoint_id),
        changed AS (
            UPDATE webhook_endpoint e
            SET failing_since = CASE WHEN NOT s.reached THEN coalesce(e.failing_since, clock_timestamp()) END,
                concurrency = CASE WHEN s.overloaded THEN greatest(e.concurrency / 2, 1)
                                   ELSE least(e.concurrency + s.quick, 64) END
            FROM summary s
            WHERE e.endpoint_id = s.endpoint_id
              AND (e.failing_since IS NOT NULL OR NOT s.reached OR s.overloaded
                   OR (e.concurrency < 64 AND s.quick > 0)))
        SELECT e.endpoint_id, CASE WHEN s.unwanted THEN 'unwanted' ELSE 'failing' END AS reason
        FROM summary s JOIN webhook_endpoint e USING (endpoint_id)
        WHERE s.unwanted OR (NOT s.reached AND e.failing_since < clock_timestamp() - patience)
        ORDER BY e.endpoint_id
    LOOP
        IF disable_webhook(one.endpoint_id, one.reason) THEN
            RETURN QUERY SELECT one.endpoint_id, one.reason;
        END IF;
    END LOOP;
END $$;

-- What waits, and since when what is due, and sent by nobody, has been due.
CREATE OR REPLACE FUNCTION webhook_queue(OUT waiting bigint, OUT due_since timestamptz, OUT queued_since timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT count(*), min(next_attempt_at) FILTER (WHERE next_attempt_at <= clock_timestamp()
                                                    AND (claimed_until IS NULL OR claimed_until <= clock_timestamp())),
           min(created_at)
    FROM webhook_delivery WHERE next_attempt_at IS NOT NULL
$$;

-- Forgets up to `most` deliveries that ended longer ago than that, then events and deleted endpoints that
-- no delivery is left of. Gives up deliveries of that age that nobody could send, due for a day. Returns how many
-- deliveries and events are gone.
CREATE OR REPLACE FUNCTION prune_webhooks(older_than interval, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    deliveries bigint;
    events bigint;
BEGIN
    UPDATE webhook_delivery d
    SET next_attempt_at = NULL, claimed_until = NULL, claimed_by = NULL, outcome = 'dropped', ended_at = clock_timestamp()
    WHERE d.delivery_id IN (
        SELECT w.delivery_id FROM webhook_delivery w
        WHERE w.next_attempt_at < now() - interval '1 day' AND w.created_at < now() - older_than
        LIMIT most FOR UPDATE SKIP LOCKED);
    DELETE FROM webhook_delivery WHERE delivery_id IN (
        SELECT delivery_id FROM webhook_delivery WHERE ended_at < now() - older_than
        ORDER BY ended_at LIMIT most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS deliveries = ROW_COUNT;
    DELETE FROM webhook_event WHERE event_id IN (
        SELECT v.event_id FROM webhook_event v
        WHERE v.occurred_at < now() - older_than AND v.position IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.event_id = v.event_id)
        ORDER BY v.occurred_at LIMIT most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS events = ROW_COUNT;
    DELETE FROM webhook_endpoint e
    WHERE e.disabled_reason = 'deleted' AND e.disabled_at < now() - older_than
      AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = e.endpoint_id);
    RETURN deliveries + events;
END $$;

-- ------------------------------------------------------------- registering

-- Makes an endpoint, unless the account has `most` already. Creates of an account wait for each other, so the count is
-- exact.
CREATE FUNCTION create_webhook(owner_account bigint, to_url text, of_topics text[], base text, sealed text, hint text,
                               by_key text, most integer)
RETURNS SETOF webhook_endpoint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
BEGIN
    PERFORM 1 FROM account a WHERE a.account_id = owner_account FOR NO KEY UPDATE;
    RETURN QUERY
    INSERT INTO webhook_endpoint (account_id, url, topics, base_url, sealed_secret, secret_hint, created_by)
    SELECT owner_account, to_url, of_topics, base, sealed, hint, by_key
    WHERE (SELECT count(*) FROM live_webhook_endpoint o WHERE o.account_id = owner_account) < most
    RETURNING *;
END $$;

-- ------------------------------------------------------------------ rights

REVOKE EXECUTE ON FUNCTION publish_webhooks, waited_for, claim_webhooks, release_webhooks, webhook_workers,
    store_webhook_bodies, drop_webhooks, note_webhooks, create_webhook FROM PUBLIC;
REVOKE INSERT ON webhook_endpoint FROM disclosed_api;
GRANT EXECUTE ON FUNCTION publish_webhooks, claim_webhooks, release_webhooks, webhook_workers,
    store_webhook_bodies, drop_webhooks, note_webhooks, create_webhook TO disclosed_api;
