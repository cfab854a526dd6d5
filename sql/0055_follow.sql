-- Following public sources: what has been seen, fetched and stored of each, who is at it, and how often may be asked.
-- `disclosedctl follow` reads and writes these tables as disclosed_loader; all times are this server's clock, so that hosts
-- whose clocks differ agree.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------ manners

-- How often a publisher may be asked, over all processes and hosts: a request takes the next time that is free.
CREATE TABLE followed_limit (
    name         text PRIMARY KEY,
    next_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    paused_until timestamptz NOT NULL DEFAULT '-infinity',
    pauses       integer NOT NULL DEFAULT 0,
    reason       text
);
COMMENT ON COLUMN followed_limit.pauses IS 'how many pauses have followed each other; the next is longer';

-- Milliseconds until the request may be sent, and whether that is the end of a pause, for which nothing is taken.
CREATE FUNCTION take_followed_slot(limit_name text, spacing integer, OUT wait integer, OUT paused boolean) LANGUAGE plpgsql
SET search_path = disclosed, public AS $$
DECLARE
    l followed_limit;
BEGIN
    INSERT INTO followed_limit (name) VALUES (limit_name) ON CONFLICT DO NOTHING;
    SELECT * INTO l FROM followed_limit WHERE name = limit_name FOR UPDATE;
    paused := l.paused_until > clock_timestamp();
    IF paused THEN
        wait := ceil(extract(epoch FROM l.paused_until - clock_timestamp()) * 1000);
    ELSE
        l.next_at := greatest(l.next_at, clock_timestamp());
        wait := ceil(extract(epoch FROM l.next_at - clock_timestamp()) * 1000);
        UPDATE followed_limit SET next_at = l.next_at + spacing * interval '1 millisecond' WHERE name = limit_name;
    END IF;
END $$;

-- The publisher has refused. Requests that were under way together make one pause: of what it says, else twice as long each time.
CREATE FUNCTION pause_followed(limit_name text, told_seconds integer, why text) RETURNS integer LANGUAGE sql
SET search_path = disclosed, public AS $$
    UPDATE followed_limit
    SET paused_until = clock_timestamp() + make_interval(secs => coalesce(told_seconds, least(3600, 10 * 2 ^ least(pauses, 12)))),
        pauses = pauses + 1, reason = why
    WHERE name = limit_name AND paused_until <= clock_timestamp()
    RETURNING ceil(extract(epoch FROM paused_until - clock_timestamp()))::integer
$$;

-- It has answered as it should, for a while after the last pause.
CREATE FUNCTION resume_followed(limit_name text) RETURNS void LANGUAGE sql SET search_path = disclosed, public AS $$
    UPDATE followed_limit SET pauses = 0, reason = NULL WHERE name = limit_name AND pauses > 0 AND paused_until <= clock_timestamp() - interval '1 minute'
$$;

-- ------------------------------------------------------------------ sources

CREATE TABLE followed_source (
    source       text PRIMARY KEY,
    holder       text,
    lease_until  timestamptz,
    since        date,
    told_at      timestamptz,
    told_seen    timestamptz,
    checked_at   timestamptz,
    failed_at    timestamptz,
    failure_kind text,
    failure      text
);
COMMENT ON COLUMN followed_source.holder IS 'the process that follows it until lease_until';
COMMENT ON COLUMN followed_source.since IS 'the first day of which every document is wanted';
COMMENT ON COLUMN followed_source.told_at IS 'the time by the source''s own clock at told_seen';
COMMENT ON COLUMN followed_source.checked_at IS 'when all its listings were read last';

CREATE TABLE followed_failure (
    source text NOT NULL,
    kind   text NOT NULL,
    count  bigint NOT NULL DEFAULT 1,
    last   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (source, kind)
);

-- A listing as a whole, or its part of a day, quarter or year.
CREATE TABLE followed_listing (
    source        text NOT NULL,
    listing       text NOT NULL,
    part          date NOT NULL,
    next_at       timestamptz DEFAULT clock_timestamp(),
    checked_at    timestamptz,
    completed     boolean NOT NULL DEFAULT false,
    seen          text[] NOT NULL DEFAULT '{}',
    listed        integer,
    etag          text,
    last_modified text,
    attempts      integer NOT NULL DEFAULT 0,
    failure_kind  text,
    failure       text,
    PRIMARY KEY (source, listing, part)
);
COMMENT ON COLUMN followed_listing.part IS 'the first day of it; -infinity: the whole';
COMMENT ON COLUMN followed_listing.seen IS 'what stood at its top when it was read last';
COMMENT ON COLUMN followed_listing.listed IS 'how many documents of ours it has';

-- ---------------------------------------------------------------- documents

CREATE TABLE followed_document (
    document_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source        text NOT NULL,
    identity      text NOT NULL,
    kind          text NOT NULL,
    url           text NOT NULL,
    cik           bigint,
    published_at  timestamptz,
    seen_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_in       text NOT NULL,
    priority      smallint NOT NULL DEFAULT 0,
    state         text NOT NULL DEFAULT 'wanted' CHECK (state IN ('wanted', 'stored', 'absent')),
    next_at       timestamptz DEFAULT clock_timestamp(),
    attempts      integer NOT NULL DEFAULT 0,
    failure_kind  text,
    failure       text,
    parts         text[] NOT NULL DEFAULT '{}',
    done          text[] NOT NULL DEFAULT '{}',
    content_hash  text,
    size_bytes    bigint,
    etag          text,
    last_modified text,
    fetched_at    timestamptz,
    checked_at    timestamptz,
    stored_at     timestamptz,
    import_run_id bigint,
    UNIQUE (source, identity)
);
COMMENT ON COLUMN followed_document.parts IS 'what has to be imported of the fetched content: importers, with a file''s name where there are several';
COMMENT ON COLUMN followed_document.done IS 'the parts whose import is committed, noted in its transaction';
COMMENT ON COLUMN followed_document.next_at IS 'when it is asked for next; null: it is stored for good';
CREATE INDEX followed_document_due ON followed_document (source, priority, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX followed_document_wanted ON followed_document (source, seen_at) WHERE state <> 'stored';
CREATE INDEX followed_document_stored ON followed_document (source, stored_at);

-- In the transaction of an import: a part of the document is stored. Where another process has stored it meanwhile, this
-- transaction must not. What it yields are issuers whose rows it changed: none.
CREATE FUNCTION note_followed(document bigint, part text, hash text, run bigint, again integer) RETURNS TABLE (dataset text, issuer_id bigint)
LANGUAGE plpgsql SET search_path = disclosed, public AS $$
BEGIN
    UPDATE followed_document d
    SET done = d.done || part, import_run_id = run,
        (state, stored_at, attempts, failure_kind, failure, next_at) = (SELECT c.*
            FROM (SELECT 'stored', clock_timestamp(), 0, NULL, NULL, clock_timestamp() + make_interval(secs => again)) c
            WHERE d.done || part @> d.parts
            UNION ALL SELECT d.state, d.stored_at, d.attempts, d.failure_kind, d.failure, d.next_at WHERE NOT d.done || part @> d.parts)
    WHERE d.document_id = document AND d.content_hash = hash AND part <> ALL (d.done);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'document % has been stored by another process', document;
    END IF;
END $$;

-- When what has failed so often is tried again: soon at first, and for ever.
CREATE FUNCTION followed_pause(attempts integer) RETURNS interval LANGUAGE sql IMMUTABLE AS $$
    SELECT (ARRAY['5 s', '15 s', '1 min', '5 min', '30 min', '2 h', '12 h', '1 d', '7 d'])[least(greatest(attempts, 1), 9)]::interval
$$;

GRANT SELECT, INSERT, UPDATE, DELETE ON followed_limit, followed_source, followed_failure, followed_listing, followed_document TO disclosed_loader;
GRANT SELECT ON followed_source, followed_failure, followed_listing, followed_document, followed_limit TO disclosed_api;
GRANT USAGE ON SEQUENCE followed_document_document_id_seq TO disclosed_loader;
