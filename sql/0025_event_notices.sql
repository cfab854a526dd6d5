-- What sources announce of events to come, and whose the tickers of calendars were.

SET LOCAL search_path = disclosed, public;

-- One row for each day that a source announces, of an issuer or of a ticker in a calendar.
CREATE TABLE event_notice (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    type        text NOT NULL CHECK (type IN ('earnings', 'investor_day', 'agm', 'ma_announcement')),
    event_on    date NOT NULL,
    event_at    timestamptz,
    date_status text NOT NULL CHECK (date_status IN ('estimated', 'confirmed')),
    period_end_date date,
    period_kind text CHECK (period_kind IN ('quarter', 'half', 'annual', 'ytd', 'ttm', 'month', 'other')),
    fiscal_period text,
    title       text,
    event_url   text,
    webcast_status text CHECK (webcast_status IN ('scheduled', 'live', 'captured', 'unavailable')),
    event_id    bigint,
    spellings   text,
    stated_name text,
    held_by     bigint,
    held_until  timestamptz,
    CHECK ((event_at AT TIME ZONE 'UTC')::date BETWEEN event_on - 1 AND event_on + 1),
    -- Lists of events as of an instant rely on it.
    CHECK (event_on <= (known_at AT TIME ZONE 'UTC')::date + 400)
);
CALL finish_dataset_table('event_notice');
COMMENT ON COLUMN event_notice.event_on IS 'the day, where the company is';
COMMENT ON COLUMN event_notice.event_at IS 'the time, where it is known';
COMMENT ON COLUMN event_notice.event_id IS 'kept by settle_events()';
COMMENT ON COLUMN event_notice.spellings IS
    'of a notice by ticker: listings that it may mean, the likeliest first, with a space between them';
COMMENT ON COLUMN event_notice.stated_name IS 'the company, as the source names it; NULL: it does not';
COMMENT ON COLUMN event_notice.held_by IS
    'the party of its ticker, whose it was until the listing was known that it means; NULL: that was known before';
COMMENT ON COLUMN event_notice.held_until IS 'when that listing became known; kept by note_notice_holders()';
CREATE INDEX event_notice_content ON event_notice (content_hash) WHERE content_hash IS NOT NULL;
-- As of an instant the notices of an event are looked up for the ticker and name that they give.
CREATE INDEX event_notice_event ON event_notice (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX event_notice_held ON event_notice (held_by) WHERE held_by IS NOT NULL;
CREATE INDEX event_notice_was_held ON event_notice (issuer_id) WHERE held_by IS NOT NULL;

-- ----------------------------------------------------- where notices stand

-- When a listing of the issuer became known that a row with these spellings means (listings_meant()): with its ticker,
-- and under the name that the row states.
CREATE FUNCTION meant_since(spellings text, stated text, of_issuer bigint) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT min(CASE WHEN n.name IS NULL THEN l.known_at ELSE greatest(l.known_at, n.known_at) END)
    FROM (SELECT s.record_key, min(s.known_at) AS known_at
          FROM disclosed.listing s
          JOIN unnest(string_to_array(upper(spellings), ' ')) AS w(spelling)
            ON s.ticker = split_part(w.spelling, ':', 1)
           AND (position(':' IN w.spelling) = 0 OR s.market = split_part(w.spelling, ':', 2))
          WHERE s.issuer_id = of_issuer AND s.superseded_at IS DISTINCT FROM s.known_at
          GROUP BY s.record_key) l
    CROSS JOIN LATERAL (
        SELECT w.name, least(
                   (SELECT min(o.known_at) FROM disclosed.listing o
                    WHERE o.issuer_id = of_issuer AND o.record_key = l.record_key
                      AND coalesce(disclosed.names_begin_alike(w.name, o.name),
                                   disclosed.share_names_agree(w.name, o.name))),
                   (SELECT min(p.known_at) FROM disclosed.issuer_profile p
                    WHERE p.issuer_id = of_issuer
                      AND coalesce(disclosed.names_begin_alike(w.name, p.name),
                                   disclosed.share_names_agree(w.name, p.name)))) AS known_at
        FROM (SELECT disclosed.name_or_none(stated, spellings) AS name) w) n
    WHERE n.name IS NULL OR n.known_at IS NOT NULL
$$;

-- Notices by ticker that are with these companies learn whose they were before the listing was known that they mean.
-- Looks at those loaded just now alone where `fresh`. Returns the issuers of those that have changed, parties among them.
CREATE FUNCTION note_notice_holders(issuers bigint[], fresh boolean) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.notice_holder') IS NULL THEN
        CREATE TEMP TABLE notice_holder (issuer_id bigint, row_id bigint, spellings text, stated text, until timestamptz)
            ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.notice_holder;
    INSERT INTO pg_temp.notice_holder
    WITH looked_at AS MATERIALIZED (
        SELECT n.issuer_id, n.row_id, n.spellings, n.stated_name, n.known_at, n.held_until
        FROM disclosed.event_notice n
        JOIN disclosed.issuer i USING (issuer_id)
        WHERE n.issuer_id = ANY (issuers) AND n.spellings IS NOT NULL AND (NOT fresh OR n.recorded_at = now())
          AND (i.party_key IS NULL OR n.held_by IS NOT NULL)),
    meant AS MATERIALIZED (
        SELECT g.issuer_id, g.spellings, g.stated_name,
               disclosed.meant_since(g.spellings, g.stated_name, g.issuer_id) AS since
        FROM (SELECT DISTINCT issuer_id, spellings, stated_name FROM looked_at) g)
    SELECT l.issuer_id, l.row_id, l.spellings, l.stated_name, CASE WHEN m.since > l.known_at THEN m.since END
    FROM looked_at l
    JOIN meant m ON m.issuer_id = l.issuer_id AND m.spellings = l.spellings
     AND m.stated_name IS NOT DISTINCT FROM l.stated_name
    WHERE l.held_until IS DISTINCT FROM CASE WHEN m.since > l.known_at THEN m.since END;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    INSERT INTO disclosed.issuer (party_key, name)
    SELECT 'symbol/' || h.spellings, min(h.stated) FROM pg_temp.notice_holder h
    WHERE h.until IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer p WHERE p.party_key = 'symbol/' || h.spellings)
    GROUP BY h.spellings;
    RETURN QUERY
        WITH held AS (
            UPDATE disclosed.event_notice n SET held_by = p.issuer_id, held_until = h.until
            FROM pg_temp.notice_holder h
            LEFT JOIN disclosed.issuer p ON h.until IS NOT NULL AND p.party_key = 'symbol/' || h.spellings
            WHERE n.issuer_id = h.issuer_id AND n.row_id = h.row_id
            RETURNING n.issuer_id, p.issuer_id AS party_id)
        SELECT issuer_id FROM held UNION SELECT party_id FROM held WHERE party_id IS NOT NULL;
END $$;

-- Notices by ticker go to the companies that they mean. A row that has gone back to its party was always there. Returns the
-- issuers of those that have changed.
CREATE FUNCTION place_event_notices(issuers bigint[], fresh boolean) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    placed bigint[];
BEGIN
    placed := ARRAY(SELECT disclosed.place_rows('event_notice', 'earnings-calendar', 'stated_name', 'event_on', false,
                                                issuers, fresh));
    RETURN QUERY SELECT unnest(placed);
    IF placed <> '{}' THEN -- those of a party that do not say so themselves
        UPDATE disclosed.event_notice n SET spellings = r.spellings
        FROM pg_temp.place_target g JOIN pg_temp.place_row r USING (issuer_id, row_id)
        WHERE n.issuer_id = g.target_id AND n.row_id = g.row_id AND n.spellings IS NULL;
    END IF;
    RETURN QUERY SELECT disclosed.note_notice_holders(issuers || placed, fresh);
    RETURN QUERY
        UPDATE disclosed.event_notice SET held_by = NULL, held_until = NULL
        WHERE issuer_id = ANY (placed) AND held_by = issuer_id
        RETURNING issuer_id;
END $$;

-- Listings or names have changed.
CREATE FUNCTION name_event_notices(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    SELECT disclosed.place_event_notices(issuers, false)
$$;

-- Notices have come.
CREATE FUNCTION settle_event_notices(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT disclosed.place_event_notices(issuers, true);
    RETURN QUERY SELECT disclosed.replace_unnamed_rows('event_notice', issuers);
END $$;

-- Issuers with all whose notices were once with them, or theirs with others.
CREATE FUNCTION holders_of_notices(issuers bigint[]) RETURNS bigint[] LANGUAGE plpgsql STABLE AS $$
DECLARE
    found bigint[] := issuers;
    more bigint[] := issuers;
BEGIN
    LOOP
        more := ARRAY(SELECT issuer_id FROM disclosed.event_notice WHERE held_by = ANY (more)
                      UNION SELECT held_by FROM disclosed.event_notice
                      WHERE issuer_id = ANY (more) AND held_by IS NOT NULL
                      EXCEPT SELECT unnest(found));
        EXIT WHEN more = '{}';
        found := found || more;
    END LOOP;
    RETURN found;
END $$;
