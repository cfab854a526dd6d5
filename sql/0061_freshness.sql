-- How fresh what is followed is: kept by those who follow, read by /v1/coverage.

SET LOCAL search_path = disclosed, public;

CREATE TABLE followed_freshness (
    source        text NOT NULL,
    document      text NOT NULL,
    newest_at     timestamptz,
    stored_at     timestamptz,
    missing       bigint NOT NULL,
    missing_since timestamptz,
    refreshed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (source, document)
);
COMMENT ON COLUMN followed_freshness.document IS 'the kind of documents: a form, or the name of a file';
COMMENT ON COLUMN followed_freshness.newest_at IS 'when the newest of those that are stored was published';
COMMENT ON COLUMN followed_freshness.missing IS 'how many are known and not stored yet';
COMMENT ON COLUMN followed_freshness.missing_since IS 'when the first of these was seen';

-- What was stored is looked at from an hour before the last time, since imports commit later than they note their documents.
CREATE FUNCTION refresh_followed(followed text) RETURNS void LANGUAGE sql SET search_path = disclosed, public AS $$
    INSERT INTO followed_freshness AS f (source, document, newest_at, stored_at, missing, missing_since)
    SELECT followed, n.document, max(n.newest_at), max(n.stored_at), sum(n.missing), min(n.missing_since)
    FROM (SELECT d.kind AS document, max(d.published_at) AS newest_at, max(d.stored_at) AS stored_at, 0 AS missing, NULL::timestamptz AS missing_since
          FROM followed_document d
          WHERE d.source = followed AND d.stored_at > (SELECT coalesce(max(o.refreshed_at) - interval '1 hour', '-infinity')
                                                       FROM followed_freshness o WHERE o.source = followed)
          GROUP BY 1
          UNION ALL
          SELECT d.kind, NULL, NULL, count(*), min(d.seen_at) FROM followed_document d
          WHERE d.source = followed AND d.state = 'wanted' GROUP BY 1
          UNION ALL
          SELECT o.document, NULL, NULL, 0, NULL FROM followed_freshness o WHERE o.source = followed) n
    GROUP BY n.document
    ON CONFLICT (source, document) DO UPDATE
    SET newest_at = greatest(f.newest_at, excluded.newest_at), stored_at = greatest(f.stored_at, excluded.stored_at),
        missing = excluded.missing, missing_since = excluded.missing_since, refreshed_at = excluded.refreshed_at
$$;

-- Each source with each kind of its documents; `unread` listings could not be read the last time, so what they have is not known.
CREATE VIEW followed_state AS
    SELECT f.source, f.document, f.newest_at, f.stored_at, f.missing, f.missing_since, f.refreshed_at, s.checked_at,
           (SELECT count(*) FROM followed_listing l WHERE l.source = f.source AND l.failure IS NOT NULL AND NOT l.completed) AS unread_listings
    FROM followed_freshness f JOIN followed_source s USING (source);

GRANT SELECT, INSERT, UPDATE, DELETE ON followed_freshness TO disclosed_loader;
GRANT SELECT ON followed_freshness, followed_state TO disclosed_api;
GRANT SELECT ON followed_state TO disclosed_loader;
