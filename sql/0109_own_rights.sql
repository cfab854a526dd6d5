-- Who may do something as the owner, and in which order what others hold is taken.

SET LOCAL search_path = disclosed, public;

-- ---------------------------------------------------------------------- rights

-- Triggers run them for anybody. Who may execute one may put it on a table of their own, with arguments of their own, and a role with a session's
-- tables did so as the owner.
REVOKE EXECUTE ON FUNCTION audit_access, empty_shards, give_key_number, note_change, send_at_commit FROM PUBLIC;

-- Whether changes of a table are noted in this session. A table, or a view, that another made where they are noted would be read, and its triggers
-- run, as the owner: it is refused.
CREATE FUNCTION is_noted(of_table text) RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made record;
BEGIN
    SELECT c.relkind, pg_get_userbyid(c.relowner) AS owner INTO made
    FROM pg_class c WHERE c.oid = to_regclass(format('pg_temp.%I', 'unsent_' || of_table));
    IF FOUND AND (made.relkind <> 'r' OR made.owner <> current_user) THEN
        RAISE EXCEPTION 'unsent_%: a table of this name is made by % where changes are noted', of_table, made.owner USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN FOUND;
END $$;

-- Notes the keys of the rows that a statement has added, changed or removed; `TG_ARGV[0]` lists the key's columns.
CREATE OR REPLACE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    noted text := format('pg_temp.%I', 'unsent_' || TG_TABLE_NAME);
    any_noted boolean;
BEGIN
    IF NOT disclosed.is_noted(TG_TABLE_NAME) THEN
        EXECUTE format('CREATE TEMP TABLE %I ON COMMIT DELETE ROWS AS SELECT %s FROM disclosed.%I LIMIT 0',
                       'unsent_' || TG_TABLE_NAME, TG_ARGV[0], TG_TABLE_NAME);
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s)', noted) INTO any_noted;
    IF TG_OP <> 'INSERT' THEN
        EXECUTE format('INSERT INTO %s SELECT %s FROM old_rows', noted, TG_ARGV[0]);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        EXECUTE format('INSERT INTO %s SELECT %s FROM new_rows', noted, TG_ARGV[0]);
    END IF;
    IF NOT any_noted THEN
        EXECUTE format('INSERT INTO disclosed.unsent_change SELECT %L WHERE EXISTS (SELECT 1 FROM %s)', TG_TABLE_NAME, noted);
    END IF;
    RETURN NULL;
END $$;

-- Writes to the shards of one table what is noted of it. One transaction at a time does, and it is the last that it waits for.
CREATE OR REPLACE FUNCTION send_changes(of_table text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    noted   text := format('pg_temp.%I', 'unsent_' || of_table);
    key     text[] := disclosed.key_columns(format('disclosed.%I', of_table)::regclass);
    keys    text := array_to_string(key, ', ');
    -- What is noted and is there no longer.
    lost    text := format('SELECT %s FROM %s n WHERE NOT EXISTS (SELECT 1 FROM disclosed.%I t WHERE (%s) = (%s))', keys, noted, of_table,
                           (SELECT string_agg('t.' || k, ', ') FROM unnest(key) k), (SELECT string_agg('n.' || k, ', ') FROM unnest(key) k));
    columns text;
    changes text;
    gone    boolean;
BEGIN
    -- Without shards, as in a copy that was restored elsewhere, everybody reads the tables.
    IF NOT disclosed.is_noted(of_table) OR to_regclass(format('disclosed_shards.%I', of_table)) IS NULL THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed send', 0));
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum),
           string_agg(format('%1$I = excluded.%1$I', a.attname), ', ' ORDER BY a.attnum) FILTER (WHERE quote_ident(a.attname) <> ALL (key))
    INTO columns, changes
    FROM pg_attribute a
    WHERE a.attrelid = format('disclosed.%I', of_table)::regclass AND a.attnum > 0 AND NOT a.attisdropped;
    EXECUTE format('SELECT EXISTS (%s)', lost) INTO gone;
    IF gone THEN
        EXECUTE format('DELETE FROM disclosed_shards.%I WHERE (%s) IN (%s)', of_table, keys, lost);
    END IF;
    EXECUTE format('INSERT INTO disclosed_shards.%I (%s) SELECT %s FROM disclosed.%I t'
                   ' WHERE (%s) IN (SELECT %s FROM %s) ON CONFLICT (%s) %s',
                   of_table, columns, columns, of_table, keys, keys, noted, keys,
                   CASE WHEN changes IS NULL THEN 'DO NOTHING' ELSE 'DO UPDATE SET ' || changes END);
    EXECUTE format('DELETE FROM %s', noted);
END $$;

-- ------------------------------------------------------------------- /v1/changes

-- The events of these topics behind a position, in their order: `most` at the most, and a last row without an event that says
-- up to where the log was read. Reading asks for the topics to be announced from now on: this is written once a day, in one order, so that
-- requests of an account do not wait for each other. Events that have just been committed are numbered first; what commits later gets a higher
-- position.
CREATE OR REPLACE FUNCTION read_changes(reader bigint, after_position bigint, of_topics text[], most integer, base text)
RETURNS TABLE (place bigint, event_id bigint, topic text, message_id text, occurred_at timestamptz, body text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
#variable_conflict use_column
BEGIN
    of_topics := ARRAY(SELECT DISTINCT t.topic FROM unnest(of_topics) t(topic) ORDER BY 1);
    IF EXISTS (SELECT 1 FROM unnest(of_topics) t(topic) WHERE NOT EXISTS (
                   SELECT 1 FROM change_reader r
                   WHERE r.account_id = reader AND r.topic = t.topic AND r.read_at >= clock_timestamp() - interval '1 day')) THEN
        INSERT INTO change_reader AS r (account_id, topic) SELECT reader, t.topic FROM unnest(of_topics) t(topic) ORDER BY t.topic
        ON CONFLICT (account_id, topic) DO UPDATE SET read_at = clock_timestamp()
        WHERE r.read_at < clock_timestamp() - interval '1 day';
    END IF;
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

-- Forgets keys of requests that are a day old, and who no longer reads the log. What a request is at waits for the next time.
CREATE OR REPLACE FUNCTION prune_requests() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    DELETE FROM idempotency_key WHERE (account_id, key) IN (
        SELECT k.account_id, k.key FROM idempotency_key k WHERE k.created_at < now() - interval '1 day' FOR UPDATE SKIP LOCKED);
    DELETE FROM change_reader WHERE (account_id, topic) IN (
        SELECT r.account_id, r.topic FROM change_reader r WHERE r.read_at < now() - interval '30 days' FOR UPDATE SKIP LOCKED);
$$;

-- -------------------------------------------------------------------- webhooks

-- Who changes deliveries without choosing among those that are free locks their endpoints first, in the order of their numbers.

-- Lets go of what a worker has claimed: of these deliveries, or of all (NULL). They are due as they were.
CREATE OR REPLACE FUNCTION release_webhooks(worker text, deliveries bigint[]) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT 1 FROM webhook_endpoint e
    WHERE e.endpoint_id IN (SELECT d.endpoint_id FROM webhook_delivery d
                            WHERE d.claimed_until IS NOT NULL AND d.claimed_by = worker
                              AND (deliveries IS NULL OR d.delivery_id = ANY (deliveries)))
    ORDER BY e.endpoint_id FOR NO KEY UPDATE;
    WITH released AS (
        UPDATE webhook_delivery SET claimed_until = NULL, claimed_by = NULL
        WHERE claimed_until IS NOT NULL AND claimed_by = worker
          AND (deliveries IS NULL OR delivery_id = ANY (deliveries))
        RETURNING 1)
    SELECT count(*) FROM released
$$;

-- Lets go of what a worker has claimed, but for the deliveries that it holds: what it does not know of, as the connection was lost
-- that it claimed them by.
CREATE OR REPLACE FUNCTION release_lost_webhooks(worker text, held bigint[]) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT 1 FROM webhook_endpoint e
    WHERE e.endpoint_id IN (SELECT d.endpoint_id FROM webhook_delivery d
                            WHERE d.claimed_until IS NOT NULL AND d.claimed_by = worker AND d.delivery_id <> ALL (held))
    ORDER BY e.endpoint_id FOR NO KEY UPDATE;
    WITH released AS (
        UPDATE webhook_delivery SET claimed_until = NULL, claimed_by = NULL
        WHERE claimed_until IS NOT NULL AND claimed_by = worker AND delivery_id <> ALL (held)
        RETURNING 1)
    SELECT count(*) FROM released
$$;

-- Ends deliveries that have nothing left to say: their items are gone.
CREATE OR REPLACE FUNCTION drop_webhooks(deliveries bigint[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT 1 FROM webhook_endpoint e
    WHERE e.endpoint_id IN (SELECT d.endpoint_id FROM webhook_delivery d WHERE d.delivery_id = ANY (deliveries))
    ORDER BY e.endpoint_id FOR NO KEY UPDATE;
    UPDATE webhook_delivery
    SET next_attempt_at = NULL, claimed_until = NULL, claimed_by = NULL, outcome = 'dropped', ended_at = clock_timestamp()
    WHERE delivery_id = ANY (deliveries) AND next_attempt_at IS NOT NULL
$$;

-- Ends what waits for endpoints that are disabled, or whose accounts have no plan with webhooks.
CREATE OR REPLACE FUNCTION drop_unwanted_webhooks(plans text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    closed bigint[];
BEGIN
    WITH waiting AS MATERIALIZED (
        SELECT e.endpoint_id, e.account_id, e.disabled_at
        FROM waited_for() w(endpoint_id) JOIN webhook_endpoint e USING (endpoint_id)),
    entitled AS MATERIALIZED (
        SELECT a.account_id FROM (SELECT DISTINCT account_id FROM waiting) a WHERE has_webhooks(a.account_id, plans))
    SELECT array_agg(endpoint_id) INTO closed FROM waiting
    WHERE disabled_at IS NOT NULL OR account_id NOT IN (SELECT account_id FROM entitled);
    IF closed IS NULL THEN
        RETURN;
    END IF;
    PERFORM 1 FROM webhook_endpoint e WHERE e.endpoint_id = ANY (closed) ORDER BY e.endpoint_id FOR NO KEY UPDATE;
    UPDATE webhook_delivery d
    SET next_attempt_at = NULL, claimed_until = NULL, claimed_by = NULL, outcome = 'dropped', ended_at = clock_timestamp()
    WHERE d.endpoint_id = ANY (closed) AND d.next_attempt_at IS NOT NULL;
END $$;

-- --------------------------------------------------------------------- credits

-- Reservations that nobody ended, as after a crash, go back: account by account, so that two who do it do not wait in a circle, and without those
-- that somebody ends just now, who holds the reservation and waits for the balance.
CREATE OR REPLACE FUNCTION release_stale_credits(older_than interval) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT count(release_credits(s.entry_id)) FROM (
        SELECT e.entry_id FROM credit_entry e
        WHERE e.kind = 'reservation' AND e.closed_at IS NULL AND e.at < now() - older_than
        ORDER BY e.account_id, e.entry_id FOR UPDATE SKIP LOCKED) s
$$;

-- --------------------------------------------------------------- scale of values

-- How the prices that unconfirmed reports imply, as filed, stand to those of other managers for the
-- same security and day: about equal (their values are dollars), or a thousandth of them. Rows that were in force at no time have no vote.
-- Eight rows of others are asked, by their accession numbers, so that it is the same eight wherever they are stored.
CREATE OR REPLACE FUNCTION value_scale_votes(periods date[], cusips text[])
RETURNS TABLE (issuer_id bigint, accession text, is_dollars bigint, is_thousands bigint, votes bigint)
LANGUAGE sql STABLE AS $$
    SELECT own.issuer_id, own.accession,
           count(*) FILTER (WHERE own.price / peer.price BETWEEN 0.5 AND 2),
           count(*) FILTER (WHERE own.price / peer.price BETWEEN 0.0005 AND 0.002), count(*)
    FROM (SELECT r.issuer_id, r.accession, r.period_of_report, p.cusip,
                 avg(p.value_as_filed / p.shares) AS price
          FROM disclosed.institution_report r
          JOIN disclosed.institution_position p
            ON p.issuer_id = r.issuer_id AND p.period_of_report = r.period_of_report
           AND p.accession = r.accession AND p.cusip = ANY(r.unconfirmed_cusips)
          WHERE r.unconfirmed_cusips IS NOT NULL AND r.superseded_at IS DISTINCT FROM r.known_at
            AND r.period_of_report = ANY(periods)
            AND (cusips IS NULL OR r.unconfirmed_cusips && cusips)
            AND p.superseded_at IS DISTINCT FROM p.known_at AND p.shares > 0 AND p.value_as_filed > 0 AND p.put_call IS NULL
          GROUP BY r.issuer_id, r.accession, r.period_of_report, p.cusip) own
    CROSS JOIN LATERAL (
        SELECT p.value / p.shares AS price
        FROM disclosed.institution_position p
        JOIN disclosed.institution_report r
          ON r.accession = p.accession AND r.issuer_id = p.issuer_id AND r.unconfirmed_cusips IS NULL
        WHERE p.cusip = own.cusip AND p.period_of_report = own.period_of_report
          AND p.issuer_id <> own.issuer_id
          AND p.superseded_at IS DISTINCT FROM p.known_at AND p.shares > 0 AND p.value > 0 AND p.put_call IS NULL
        ORDER BY p.accession COLLATE "C", p.value / p.shares
        LIMIT 8) peer
    GROUP BY own.issuer_id, own.accession
$$;
