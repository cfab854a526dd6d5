-- Folders that are watched: files that arrive are documents of the source 'watch', and an importer loads each content once,
-- whatever the files are called that have it.

SET LOCAL search_path = disclosed, public;

CREATE TABLE watched_content (
    importer     text NOT NULL,
    content_hash text NOT NULL,
    document_id  bigint NOT NULL,
    stored_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (importer, content_hash)
);
COMMENT ON COLUMN watched_content.document_id IS 'the first file that had it';

-- A file has arrived, or has changed: its content is at hand. `mark` stands for the file as it is, so that it is not read again until it
-- changes. Whether the importer has loaded that content before.
CREATE FUNCTION watch_file(file text, importer text, address text, hash text, bytes bigint, mark text, OUT document bigint, OUT known boolean)
LANGUAGE plpgsql SET search_path = disclosed, public AS $$
BEGIN
    INSERT INTO followed_document AS d (source, identity, kind, url, seen_in, next_at, content_hash, size_bytes, etag, parts, fetched_at, checked_at)
    VALUES ('watch', file, importer, address, 'folder', NULL, hash, bytes, mark, ARRAY[importer], clock_timestamp(), clock_timestamp())
    ON CONFLICT (source, identity) DO UPDATE
    SET content_hash = hash, size_bytes = bytes, etag = mark, parts = excluded.parts, done = '{}', state = 'wanted',
        attempts = CASE WHEN d.etag = mark THEN d.attempts ELSE 0 END, failure_kind = NULL, failure = NULL,
        fetched_at = excluded.fetched_at, checked_at = excluded.checked_at
    RETURNING d.document_id INTO document;
    known := EXISTS (SELECT FROM watched_content c WHERE c.importer = watch_file.importer AND c.content_hash = hash);
END $$;

-- In the transaction of its import: the content is stored. Where another process has stored it meanwhile, under whatever name, this
-- transaction must not. What it yields are issuers whose rows it changed: none.
CREATE FUNCTION note_watched(document bigint, importer text, hash text, run bigint) RETURNS TABLE (dataset text, issuer_id bigint)
LANGUAGE plpgsql SET search_path = disclosed, public AS $$
BEGIN
    INSERT INTO watched_content AS c (importer, content_hash, document_id) VALUES (note_watched.importer, hash, document) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'content % has been stored by another process', hash;
    END IF;
    RETURN QUERY SELECT * FROM note_followed(document, note_watched.importer, hash, run, NULL);
END $$;

-- Its content is stored, from a file of another name, or by another process.
CREATE FUNCTION know_watched(document bigint, importer text, hash text) RETURNS void LANGUAGE sql SET search_path = disclosed, public AS $$
    UPDATE followed_document
    SET done = ARRAY[importer], state = 'stored', stored_at = coalesce(stored_at, clock_timestamp()), attempts = 0, failure_kind = NULL, failure = NULL
    WHERE document_id = document AND content_hash = hash AND state = 'wanted'
$$;

-- It cannot be read or loaded.
CREATE FUNCTION fail_watched(file text, importer text, address text, mark text, error text, reason text) RETURNS void
LANGUAGE sql SET search_path = disclosed, public AS $$
    INSERT INTO followed_document AS d (source, identity, kind, url, seen_in, next_at, etag, attempts, failure_kind, failure, checked_at)
    VALUES ('watch', file, importer, address, 'folder', NULL, mark, 1, error, reason, clock_timestamp())
    ON CONFLICT (source, identity) DO UPDATE
    SET state = 'wanted', etag = mark, attempts = CASE WHEN d.etag = mark THEN d.attempts + 1 ELSE 1 END, failure_kind = error, failure = reason,
        checked_at = excluded.checked_at;
    INSERT INTO followed_failure AS f (source, kind) VALUES ('watch', error)
    ON CONFLICT (source, kind) DO UPDATE SET count = f.count + 1, last = clock_timestamp()
$$;

-- All of a folder has been looked at, or why it cannot be (NULL: it could).
CREATE FUNCTION note_watched_folder(folder text, error text, reason text) RETURNS void LANGUAGE sql SET search_path = disclosed, public AS $$
    INSERT INTO followed_listing AS l (source, listing, part, next_at, checked_at, failure_kind, failure)
    VALUES ('watch', folder, '-infinity', NULL, clock_timestamp(), error, reason)
    ON CONFLICT (source, listing, part) DO UPDATE SET checked_at = excluded.checked_at, failure_kind = error, failure = reason;
    INSERT INTO followed_failure AS f (source, kind) SELECT 'watch', error WHERE error IS NOT NULL
    ON CONFLICT (source, kind) DO UPDATE SET count = f.count + 1, last = clock_timestamp()
$$;

GRANT SELECT, INSERT, UPDATE, DELETE ON watched_content TO disclosed_loader;
GRANT SELECT ON watched_content TO disclosed_api;
