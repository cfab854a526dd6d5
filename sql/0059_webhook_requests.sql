-- What owners of webhook endpoints do with them, the log of events, and topics for more datasets.

SET LOCAL search_path = disclosed, public;

ALTER TABLE webhook_endpoint DROP CONSTRAINT webhook_endpoint_disabled_reason_check,
    ADD CONSTRAINT webhook_endpoint_disabled_reason_check
        CHECK (disabled_reason IN ('unwanted', 'failing', 'administrator', 'owner', 'deleted'));

-- Who reads the log: what is read is announced, though no endpoint is told of it.
CREATE TABLE change_reader (
    account_id bigint NOT NULL REFERENCES account,
    topic      text NOT NULL,
    read_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (account_id, topic)
);
COMMENT ON COLUMN change_reader.read_at IS 'at most a day ago, while somebody reads';
CREATE INDEX webhook_event_topic ON webhook_event (topic, position);

-- Requests that are done once, however often they are sent (Idempotency-Key), for a day. Nothing of a response is kept: it is
-- made of what the request has done.
CREATE TABLE idempotency_key (
    account_id bigint NOT NULL REFERENCES account,
    key        text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    digest     text NOT NULL,
    result     bigint,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (account_id, key)
);
COMMENT ON COLUMN idempotency_key.digest IS 'SHA-256 of operation, path and body';
COMMENT ON COLUMN idempotency_key.result IS 'what it made or changed';
CREATE INDEX idempotency_key_created ON idempotency_key (created_at);

-- --------------------------------------------------------------- announcing

CREATE OR REPLACE FUNCTION webhooks_are_wanted(of_topic text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT coalesce(current_setting('disclosed.webhooks', true), '') <> 'off'
       AND (EXISTS (SELECT 1 FROM webhook_endpoint
                    WHERE topics @> ARRAY[of_topic] AND disabled_reason IS DISTINCT FROM 'deleted')
            OR EXISTS (SELECT 1 FROM change_reader r
                       WHERE r.topic = of_topic AND r.read_at > now() - interval '30 days'))
$$;

-- Announces those records of these issuers that are new: no row has had their id before this transaction.
CREATE FUNCTION announce_rows(of_topic text, of_issuers bigint[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    of_table text := CASE of_topic WHEN 'insider_transaction.reported' THEN 'insider_transaction'
                                   WHEN 'institution_report.filed' THEN 'institution_report'
                                   WHEN 'short_interest.published' THEN 'short_interest'
                                   WHEN 'event.created' THEN 'event'
                                   WHEN 'corporate_action.created' THEN 'corporate_action' END;
BEGIN
    IF webhooks_are_wanted(of_topic) THEN
        EXECUTE format($sql$
            INSERT INTO webhook_event (topic, subject, issuers)
            SELECT $1, t.id::text, array_agg(DISTINCT t.issuer_id) FROM %I t
            WHERE t.issuer_id = ANY ($2)
            GROUP BY t.id
            HAVING bool_and(t.recorded_at = now()) AND bool_or(t.superseded_at IS NULL) AND is_webhook_news(min(t.known_at))
            ON CONFLICT (topic, subject) DO NOTHING$sql$, of_table) USING of_topic, of_issuers;
    END IF;
END $$;

-- ------------------------------------------------------------- idempotency

-- What a request's key says: 'new', or 'again' with what the first request did, or 'conflict': another request had it.
-- Requests with the same key wait for each other.
CREATE FUNCTION take_idempotency_key(of_account bigint, of_key text, of_digest text, OUT state text, OUT earlier bigint)
LANGUAGE plpgsql AS $$
BEGIN
    state := 'new';
    IF of_key IS NULL THEN
        RETURN;
    END IF;
    INSERT INTO disclosed.idempotency_key AS k (account_id, key, digest) VALUES (of_account, of_key, of_digest)
    ON CONFLICT (account_id, key) DO UPDATE SET digest = excluded.digest, result = NULL, created_at = clock_timestamp()
    WHERE k.created_at < clock_timestamp() - interval '1 day';
    IF NOT FOUND THEN
        SELECT CASE WHEN k.digest = of_digest THEN 'again' ELSE 'conflict' END, k.result INTO state, earlier
        FROM disclosed.idempotency_key k WHERE k.account_id = of_account AND k.key = of_key;
    END IF;
END $$;

CREATE FUNCTION keep_idempotency_result(of_account bigint, of_key text, what bigint) RETURNS void
LANGUAGE sql AS $$
    UPDATE disclosed.idempotency_key SET result = what WHERE account_id = of_account AND key = of_key
$$;

-- One that did nothing has not used its key.
CREATE FUNCTION drop_idempotency_key(of_account bigint, of_key text) RETURNS void
LANGUAGE sql AS $$
    DELETE FROM disclosed.idempotency_key WHERE account_id = of_account AND key = of_key
$$;

-- ---------------------------------------------------------------- requests

-- Of each of these the outcome is 'new' (done) or 'again', or why not; `result` is what was made or changed.

-- The outcome is 'full' where the account has `most` endpoints already. Creates of an account wait for each other, so the
-- count is exact.
DROP FUNCTION create_webhook(bigint, text, text[], text, text, text, text, integer);
CREATE FUNCTION create_webhook(owner_account bigint, to_url text, of_topics text[], base text, sealed text, hint text,
                               by_key text, for_symbols text[], for_issuers bigint[], for_forms text[], most integer,
                               of_key text, of_digest text, OUT outcome text, OUT result bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
BEGIN
    PERFORM 1 FROM account a WHERE a.account_id = owner_account FOR NO KEY UPDATE;
    SELECT * INTO outcome, result FROM take_idempotency_key(owner_account, of_key, of_digest);
    IF outcome <> 'new' THEN
        RETURN;
    END IF;
    INSERT INTO webhook_endpoint (account_id, url, topics, base_url, sealed_secret, secret_hint, created_by,
                                  symbols, issuers, forms)
    SELECT owner_account, to_url, of_topics, base, sealed, hint, by_key, for_symbols, for_issuers, for_forms
    WHERE (SELECT count(*) FROM live_webhook_endpoint o WHERE o.account_id = owner_account) < most
    RETURNING endpoint_id INTO result;
    IF result IS NULL THEN
        outcome := 'full';
        PERFORM drop_idempotency_key(owner_account, of_key);
    ELSE
        PERFORM keep_idempotency_result(owner_account, of_key, result);
    END IF;
END $$;

-- NULL leaves a column as it is; an empty list of symbols or forms means all. The outcome is 'none', or 'administrator': one
-- that was disabled by the administrator is not enabled.
CREATE FUNCTION change_webhook(endpoint bigint, owner_account bigint, to_url text, of_topics text[], is_enabled boolean,
                               for_symbols text[], for_issuers bigint[], for_forms text[], OUT outcome text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    was webhook_endpoint;
BEGIN
    SELECT * INTO was FROM live_webhook_endpoint e
    WHERE e.endpoint_id = endpoint AND e.account_id = owner_account FOR NO KEY UPDATE;
    outcome := CASE WHEN was.endpoint_id IS NULL THEN 'none'
                    WHEN is_enabled AND was.disabled_reason = 'administrator' THEN 'administrator' ELSE 'new' END;
    IF outcome <> 'new' THEN
        RETURN;
    END IF;
    IF NOT is_enabled THEN
        PERFORM disable_webhook(endpoint, 'owner');
    END IF;
    UPDATE webhook_endpoint e
    SET url = coalesce(to_url, e.url), topics = coalesce(of_topics, e.topics),
        symbols = CASE WHEN for_symbols IS NULL THEN e.symbols ELSE nullif(for_symbols, '{}') END,
        issuers = CASE WHEN for_symbols IS NULL THEN e.issuers WHEN for_symbols <> '{}' THEN for_issuers END,
        forms = CASE WHEN for_forms IS NULL THEN e.forms ELSE nullif(for_forms, '{}') END,
        disabled_at = CASE WHEN is_enabled THEN NULL ELSE e.disabled_at END,
        disabled_reason = CASE WHEN is_enabled THEN NULL ELSE e.disabled_reason END,
        failing_since = CASE WHEN is_enabled AND e.disabled_at IS NOT NULL THEN NULL ELSE e.failing_since END,
        concurrency = CASE WHEN to_url <> e.url THEN 4 ELSE e.concurrency END
    WHERE e.endpoint_id = endpoint;
END $$;

-- The secret before signs beside the new one for `overlap`.
CREATE FUNCTION rotate_webhook(endpoint bigint, owner_account bigint, sealed text, hint text, overlap interval,
                               of_key text, of_digest text, OUT outcome text, OUT result bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
BEGIN
    PERFORM 1 FROM live_webhook_endpoint e
    WHERE e.endpoint_id = endpoint AND e.account_id = owner_account FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        outcome := 'none';
        RETURN;
    END IF;
    SELECT * INTO outcome, result FROM take_idempotency_key(owner_account, of_key, of_digest);
    IF outcome = 'new' THEN
        result := endpoint;
        UPDATE webhook_endpoint e
        SET previous_sealed_secret = CASE WHEN overlap > interval '0' THEN e.sealed_secret END,
            previous_until = CASE WHEN overlap > interval '0' THEN clock_timestamp() + overlap END,
            sealed_secret = sealed, secret_hint = hint
        WHERE e.endpoint_id = endpoint;
        PERFORM keep_idempotency_result(owner_account, of_key, endpoint);
    END IF;
END $$;

-- Sends a delivery that has ended again: 'none', 'waiting' (it has not ended), 'disabled' (the endpoint is), 'often' (it has
-- been attempted 100 times).
CREATE FUNCTION replay_webhook(endpoint bigint, owner_account bigint, delivery bigint, of_key text, of_digest text,
                               OUT outcome text, OUT result bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    disabled text;
    was webhook_delivery;
BEGIN
    SELECT e.disabled_reason INTO disabled FROM live_webhook_endpoint e
    WHERE e.endpoint_id = endpoint AND e.account_id = owner_account FOR NO KEY UPDATE;
    IF FOUND THEN
        SELECT * INTO was FROM webhook_delivery d WHERE d.delivery_id = delivery AND d.endpoint_id = endpoint FOR NO KEY UPDATE;
    END IF;
    IF was.delivery_id IS NULL THEN
        outcome := 'none';
        RETURN;
    END IF;
    SELECT * INTO outcome, result FROM take_idempotency_key(owner_account, of_key, of_digest);
    IF outcome <> 'new' THEN
        RETURN;
    END IF;
    outcome := CASE WHEN disabled IS NOT NULL THEN 'disabled' WHEN was.outcome IS NULL THEN 'waiting'
                    WHEN was.attempts >= 100 THEN 'often' ELSE 'new' END;
    IF outcome <> 'new' THEN
        PERFORM drop_idempotency_key(owner_account, of_key);
        RETURN;
    END IF;
    result := delivery;
    UPDATE webhook_delivery d
    SET next_attempt_at = clock_timestamp(), claimed_until = NULL, claimed_by = NULL, outcome = NULL, ended_at = NULL,
        replayed_after = d.attempts
    WHERE d.delivery_id = delivery;
    PERFORM keep_idempotency_result(owner_account, of_key, delivery);
    PERFORM pg_notify('disclosed', '');
END $$;

-- Sends again what has not arrived of the events since then that the endpoint is to be told of, the first `most`: those whose
-- deliveries have failed or were dropped, and those that it has no delivery of. `result` is how many. 'disabled' where it
-- is, 'many' where `most_waiting` wait for it already.
CREATE FUNCTION recover_webhook(endpoint bigint, owner_account bigint, since timestamptz, most integer, most_waiting integer,
                                of_key text, of_digest text, OUT outcome text, OUT result bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    e webhook_endpoint;
BEGIN
    SELECT * INTO e FROM live_webhook_endpoint l
    WHERE l.endpoint_id = endpoint AND l.account_id = owner_account FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        outcome := 'none';
        RETURN;
    END IF;
    SELECT * INTO outcome, result FROM take_idempotency_key(owner_account, of_key, of_digest);
    IF outcome <> 'new' THEN
        RETURN;
    END IF;
    outcome := CASE WHEN e.disabled_at IS NOT NULL THEN 'disabled'
                    WHEN (SELECT count(*) FROM (SELECT 1 FROM webhook_delivery d
                                                WHERE d.endpoint_id = endpoint AND d.next_attempt_at IS NOT NULL
                                                LIMIT most_waiting) w) >= most_waiting THEN 'many' ELSE 'new' END;
    IF outcome <> 'new' THEN
        PERFORM drop_idempotency_key(owner_account, of_key);
        RETURN;
    END IF;
    WITH missed AS MATERIALIZED (
        SELECT v.event_id, v.message_id, d.delivery_id
        FROM webhook_event v LEFT JOIN webhook_delivery d ON d.event_id = v.event_id AND d.endpoint_id = endpoint
        WHERE v.occurred_at >= since AND v.position IS NOT NULL AND v.topic = ANY (e.topics)
          AND (e.issuers IS NULL OR e.issuers && v.issuers)
          AND (e.forms IS NULL OR v.form IS NULL OR v.form = ANY (e.forms))
          AND (d.delivery_id IS NULL OR (d.outcome IN ('failed', 'dropped', 'unwanted') AND d.attempts < 100))
        ORDER BY v.position LIMIT most),
    again AS (
        UPDATE webhook_delivery d
        SET next_attempt_at = clock_timestamp(), claimed_until = NULL, claimed_by = NULL, outcome = NULL, ended_at = NULL,
            replayed_after = d.attempts
        FROM missed m WHERE d.delivery_id = m.delivery_id RETURNING 1),
    more AS (
        INSERT INTO webhook_delivery (event_id, endpoint_id, message_id)
        SELECT m.event_id, endpoint, m.message_id FROM missed m WHERE m.delivery_id IS NULL
        ON CONFLICT (event_id, endpoint_id) DO NOTHING RETURNING 1)
    SELECT (SELECT count(*) FROM again) + (SELECT count(*) FROM more) INTO result;
    PERFORM keep_idempotency_result(owner_account, of_key, result);
    PERFORM pg_notify('disclosed', '');
END $$;

-- The events of these topics behind a position, in their order: `most` at the most, and a last row without an event that says
-- up to where the log was read. Reading asks for the topics to be announced from now on. Events that have just been
-- committed are numbered first; what commits later gets a higher position.
CREATE FUNCTION read_changes(reader bigint, after_position bigint, of_topics text[], most integer, base text)
RETURNS TABLE (place bigint, event_id bigint, topic text, message_id text, occurred_at timestamptz, body text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO change_reader AS r (account_id, topic) SELECT reader, t FROM unnest(of_topics) t
    ON CONFLICT (account_id, topic) DO UPDATE SET read_at = clock_timestamp()
    WHERE r.read_at < clock_timestamp() - interval '1 day';
    PERFORM publish_webhooks(20000);
    RETURN QUERY
    WITH found AS MATERIALIZED (
        SELECT v.position, v.event_id, v.topic, v.message_id, v.occurred_at
        FROM unnest(of_topics) t(topic) CROSS JOIN LATERAL (
            SELECT o.* FROM webhook_event o WHERE o.topic = t.topic AND o.position > after_position
            ORDER BY o.position LIMIT most) v
        ORDER BY v.position LIMIT most)
    SELECT * FROM (
    SELECT f.position AS place, f.event_id, f.topic, f.message_id, f.occurred_at, b.body
    FROM found f LEFT JOIN webhook_body b ON b.event_id = f.event_id AND b.base_url = base
    UNION ALL
    SELECT CASE WHEN (SELECT count(*) FROM found) < most
                THEN greatest(after_position, (SELECT max(position) FROM webhook_event))
                ELSE (SELECT max(position) FROM found) END, NULL, NULL, NULL, NULL, NULL) a
    ORDER BY a.event_id IS NULL, a.place;
END $$;

-- Forgets keys of requests that are a day old, and who no longer reads the log.
CREATE FUNCTION prune_requests() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    DELETE FROM idempotency_key WHERE created_at < now() - interval '1 day';
    DELETE FROM change_reader WHERE read_at < now() - interval '30 days';
$$;

-- ------------------------------------------------------------------ rights

REVOKE EXECUTE ON FUNCTION announce_rows, take_idempotency_key, keep_idempotency_result, drop_idempotency_key, create_webhook,
    change_webhook, rotate_webhook, replay_webhook, recover_webhook, read_changes, prune_requests FROM PUBLIC;
GRANT EXECUTE ON FUNCTION announce_rows TO disclosed_loader;
GRANT EXECUTE ON FUNCTION create_webhook, change_webhook, rotate_webhook, replay_webhook, recover_webhook, read_changes,
    prune_requests TO disclosed_api;
GRANT SELECT ON webhook_attempt TO disclosed_api;
