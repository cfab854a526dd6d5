-- Transcripts of calls, and the analysts who spoke in them.

SET LOCAL search_path = disclosed, public;

-- What is wrong with the parts of a transcript: speakers are told apart, chapters and segments come in
-- the order of time, and each segment is somebody's.
CREATE FUNCTION transcript_fault(speakers jsonb, chapters jsonb, segments jsonb) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(
        disclosed.elements_fault('speakers', speakers, '{"speaker_id": "string", "name": "string?",
                                               "role": "string?", "affiliation": "string?"}'),
        disclosed.elements_fault('chapters', chapters, '{"kind": "prepared|qa", "start_ms": "integer?"}'),
        disclosed.elements_fault('segments', segments, '{"speaker": "integer", "text": "string",
            "offset_ms": "integer?", "duration_ms": "integer?", "section": "prepared|qa?"}'),
        (SELECT format('speakers[%s].speaker_id: stands twice', s.place - 1)
         FROM (SELECT e.place, row_number() OVER (PARTITION BY e.value ->> 'speaker_id'
                                                  ORDER BY e.place) AS time
               FROM jsonb_array_elements(speakers) WITH ORDINALITY AS e(value, place)) s
         WHERE s.time > 1 ORDER BY s.place LIMIT 1),
        (SELECT format('chapters[%s].start_ms: before the chapter before', c.place - 1)
         FROM (SELECT e.place, (e.value ->> 'start_ms')::bigint AS start_ms,
                      max((e.value ->> 'start_ms')::bigint) OVER (
                          ORDER BY e.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
               FROM jsonb_array_elements(chapters) WITH ORDINALITY AS e(value, place)) c
         WHERE c.start_ms < c.before ORDER BY c.place LIMIT 1),
        (SELECT format('segments[%s].%s', s.place - 1,
                       CASE WHEN s.offset_ms < s.before THEN 'offset_ms: before the segment before'
                            ELSE format('speaker: no speaker %s', s.speaker) END)
         FROM (SELECT e.place, e.value ->> 'speaker' AS speaker,
                      (e.value ->> 'offset_ms')::bigint AS offset_ms,
                      max((e.value ->> 'offset_ms')::bigint) OVER (
                          ORDER BY e.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
               FROM jsonb_array_elements(segments) WITH ORDINALITY AS e(value, place)) s
         WHERE s.offset_ms < s.before
            OR NOT speakers @> jsonb_build_array(jsonb_build_object('speaker_id', s.speaker))
         ORDER BY s.place LIMIT 1))
$$;

CREATE TABLE transcript (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    exchange    text,
    event_type  text NOT NULL DEFAULT 'earnings'
        CHECK (event_type IN ('earnings', 'investor_day', 'agm', 'ma_announcement', 'other')),
    period_label text,
    period_end_date date,
    call_date   timestamptz NOT NULL,
    duration_ms bigint CHECK (duration_ms >= 0),
    has_slides  boolean,
    supersedes  text CHECK (supersedes <> ''),
    speakers    jsonb NOT NULL DEFAULT '[]',
    chapters    jsonb NOT NULL DEFAULT '[]',
    segments    jsonb NOT NULL DEFAULT '[]',
    event_id    bigint,
    CHECK (disclosed.transcript_fault(speakers, chapters, segments) IS NULL),
    CONSTRAINT transcript_supersedes_another CHECK (supersedes <> record_key),
    -- Lists by date as of an instant rely on it.
    CHECK (call_date <= known_at + interval '13 days')
);
CALL finish_dataset_table('transcript');
COMMENT ON COLUMN transcript.supersedes IS 'record key of the issuer''s transcript that this one replaces';
COMMENT ON COLUMN transcript.event_id IS 'kept by settle_events()';
CREATE INDEX transcript_id ON transcript (id);
CREATE INDEX transcript_date ON transcript (call_date, id);
CREATE INDEX transcript_issuer_date ON transcript (issuer_id, call_date, id);
CREATE INDEX transcript_supersedes ON transcript (issuer_id, supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX transcript_event ON transcript (event_id) WHERE event_id IS NOT NULL;

-- ----------------------------------------------------------- what is asked

-- The chapters of a section ('full': all), in the order of the call.
CREATE FUNCTION chapters_of_section(chapters jsonb, section text) RETURNS json
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(json_agg(json_build_object('kind', c.kind, 'start_ms', c.start_ms) ORDER BY e.place),
                    '[]')
    FROM jsonb_array_elements(chapters) WITH ORDINALITY AS e(value, place)
    CROSS JOIN LATERAL jsonb_to_record(e.value) AS c(kind text, start_ms bigint)
    WHERE section = 'full' OR c.kind = section
$$;

-- The segments of a section ('full': all), in the order of the call.
CREATE FUNCTION segments_of_section(segments jsonb, wanted text) RETURNS json
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(json_agg(json_build_object('speaker', s.speaker, 'text', s.text,
                                 'offset_ms', s.offset_ms, 'duration_ms', s.duration_ms,
                                 'section', s.section) ORDER BY e.place), '[]')
    FROM jsonb_array_elements(segments) WITH ORDINALITY AS e(value, place)
    CROSS JOIN LATERAL jsonb_to_record(e.value)
        AS s(speaker bigint, text text, offset_ms bigint, duration_ms bigint, section text)
    WHERE wanted = 'full' OR s.section = wanted
$$;

-- The speakers with their members in order.
CREATE FUNCTION speakers_in_order(speakers jsonb) RETURNS json
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(json_agg(json_build_object('speaker_id', s.speaker_id, 'name', s.name,
                                 'role', s.role, 'affiliation', s.affiliation) ORDER BY e.place), '[]')
    FROM jsonb_array_elements(speakers) WITH ORDINALITY AS e(value, place)
    CROSS JOIN LATERAL jsonb_to_record(e.value)
        AS s(speaker_id text, name text, role text, affiliation text)
$$;

-- ---------------------------------------------------------------- analysts

-- The analysts in the calls of issuers. One is current from the first call he speaks in, and as long as
-- he has spoken in one of the last four, a year as a rule. Each version comes from the transcript that
-- made it so: of the call he spoke in, of the fourth without him, or the one that corrected his name away.
CREATE FUNCTION analysts_of_calls(issuers bigint[])
RETURNS TABLE (issuer_id bigint, record_key text, known_at timestamptz, superseded_at timestamptz,
               name text, role text, affiliation text, is_current boolean, reported_on date,
               transcript_row bigint) LANGUAGE sql STABLE AS $$
    WITH spoken AS (
        SELECT t.issuer_id, t.row_id, t.known_at, (t.call_date AT TIME ZONE 'UTC')::date AS day,
               t.speakers,
               t.superseded_at IS NULL AND NOT EXISTS (
                   SELECT 1 FROM disclosed.transcript n
                   WHERE n.issuer_id = t.issuer_id AND n.supersedes = t.record_key
                     AND n.superseded_at IS NULL) AS holds,
               dense_rank() OVER (PARTITION BY t.issuer_id
                                  ORDER BY (t.call_date AT TIME ZONE 'UTC')::date) AS number
        FROM disclosed.transcript t
        WHERE t.issuer_id = ANY (issuers) AND t.superseded_at IS DISTINCT FROM t.known_at),
    present AS (
        SELECT s.issuer_id, s.row_id, s.known_at, s.day, s.number, s.holds, p.name, p.role, p.affiliation
        FROM spoken s CROSS JOIN LATERAL jsonb_to_recordset(s.speakers)
            AS p(name text, role text, affiliation text)
        WHERE p.name IS NOT NULL AND p.role ~* '\manalyst\M' AND p.role !~* '\mrelations\M'),
    attended AS (
        SELECT DISTINCT ON (p.issuer_id, p.number, p.name) p.*,
               bool_or(p.holds) OVER (PARTITION BY p.issuer_id, p.number, p.name) AS did
        FROM present p ORDER BY p.issuer_id, p.number, p.name, p.known_at DESC, p.row_id DESC),
    call AS (
        SELECT DISTINCT ON (s.issuer_id, s.number) s.* FROM spoken s
        ORDER BY s.issuer_id, s.number, s.known_at, s.row_id),
    missed AS (
        SELECT c.issuer_id, c.row_id, greatest(c.known_at, p.known_at) AS known_at, c.day, c.number,
               p.name, p.role, p.affiliation
        FROM (SELECT a.*, lead(a.number) OVER (PARTITION BY a.issuer_id, a.name ORDER BY a.number) AS again
              FROM attended a WHERE a.did) p
        JOIN call c ON c.issuer_id = p.issuer_id AND c.number = p.number + 4
        WHERE p.again IS NULL OR p.again > p.number + 4),
    corrected AS (
        SELECT DISTINCT ON (s.issuer_id, s.number, a.name) s.issuer_id, s.row_id, s.known_at, s.day,
               s.number, a.name, a.role, a.affiliation
        FROM attended a JOIN spoken s ON s.issuer_id = a.issuer_id AND s.number = a.number
        WHERE NOT a.did AND NOT EXISTS (
            SELECT 1 FROM attended b WHERE b.issuer_id = a.issuer_id AND b.name = a.name AND b.did
               AND b.number BETWEEN a.number - 4 AND a.number - 1)
        ORDER BY s.issuer_id, s.number, a.name, s.known_at DESC, s.row_id DESC),
    said AS (
        SELECT p.issuer_id, p.row_id, p.known_at, p.day, p.number, p.name, p.role, p.affiliation,
               true AS is_current
        FROM present p
        UNION ALL SELECT m.*, false FROM missed m UNION ALL SELECT c.*, false FROM corrected c),
    final AS (
        SELECT DISTINCT ON (s.issuer_id, s.name, s.known_at) s.* FROM said s
        WHERE NOT EXISTS (SELECT 1 FROM disclosed.executive e
                          WHERE e.issuer_id = s.issuer_id AND e.record_key = 'analysts/' || s.name)
        ORDER BY s.issuer_id, s.name, s.known_at, s.number DESC, s.row_id DESC, s.is_current),
    changed AS (
        SELECT f.*, (f.role, f.affiliation, f.is_current) IS NOT DISTINCT FROM
                    (lag(f.role) OVER timeline, lag(f.affiliation) OVER timeline,
                     lag(f.is_current) OVER timeline) AS is_same
        FROM final f WINDOW timeline AS (PARTITION BY f.issuer_id, f.name ORDER BY f.known_at))
    SELECT c.issuer_id, 'analysts/call/' || c.name, c.known_at,
           lead(c.known_at) OVER (PARTITION BY c.issuer_id, c.name ORDER BY c.known_at),
           c.name, c.role, c.affiliation, c.is_current, c.day, c.row_id
    FROM changed c WHERE NOT c.is_same
$$;

-- Brings the analysts among the people of issuers in line with their calls. Somebody whom another source
-- names as analyst of the issuer is left to it. Returns the issuers whose people have changed.
CREATE FUNCTION settle_analysts(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
    numbers jsonb := (
        SELECT coalesce(jsonb_object_agg(e.issuer_id || '/' || e.record_key, e.id), '{}')
        FROM disclosed.executive e
        WHERE e.issuer_id = ANY (issuers) AND e.record_key LIKE 'analysts/call/%');
BEGIN
    IF numbers = '{}' AND NOT EXISTS (SELECT 1 FROM disclosed.transcript t
                                      WHERE t.issuer_id = ANY (issuers)) THEN
        RETURN;
    END IF;
    RETURN QUERY
        DELETE FROM disclosed.executive e
        WHERE e.issuer_id = ANY (issuers) AND e.record_key LIKE 'analysts/call/%'
          AND NOT EXISTS (
              SELECT 1 FROM disclosed.analysts_of_calls(issuers) a
              WHERE a.issuer_id = e.issuer_id AND a.record_key = e.record_key
                AND (a.known_at, a.role, a.affiliation, a.is_current, a.reported_on)
                    IS NOT DISTINCT FROM (e.known_at, e.role, e.affiliation, e.is_current, e.reported_on))
        RETURNING e.issuer_id;
    -- One row of a record is current, so rows are closed before one is opened.
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.executive e SET superseded_at = a.superseded_at
            FROM disclosed.analysts_of_calls(issuers) a
            WHERE e.issuer_id = a.issuer_id AND e.record_key = a.record_key AND e.known_at = a.known_at
              AND (a.superseded_at IS NULL) = opening
              AND e.superseded_at IS DISTINCT FROM a.superseded_at
            RETURNING e.issuer_id;
    END LOOP;
    RETURN QUERY
        WITH lacking AS (
            SELECT a.* FROM disclosed.analysts_of_calls(issuers) a
            WHERE NOT EXISTS (SELECT 1 FROM disclosed.executive e
                              WHERE e.issuer_id = a.issuer_id AND e.record_key = a.record_key
                                AND e.known_at = a.known_at)),
        number AS (
            SELECT k.issuer_id, k.record_key,
                   coalesce((numbers ->> (k.issuer_id || '/' || k.record_key))::bigint,
                            nextval('disclosed.record_id')) AS id
            FROM (SELECT DISTINCT l.issuer_id, l.record_key FROM lacking l) k)
        INSERT INTO disclosed.executive AS stored (id, issuer_id, record_key, known_at, superseded_at,
            src_digest, source_provider, source_url, content_hash, extracted_at, name, role, category,
            affiliation, person_rank, is_current, reported_on)
        SELECT n.id, l.issuer_id, l.record_key, l.known_at, l.superseded_at,
               disclosed.record_source_digest('executive', t.source_provider, l.issuer_id, l.record_key),
               t.source_provider, t.source_url, t.content_hash, t.extracted_at, l.name, l.role,
               'analysts', l.affiliation, 5, l.is_current, l.reported_on
        FROM lacking l JOIN number n USING (issuer_id, record_key)
        JOIN disclosed.transcript t ON t.issuer_id = l.issuer_id AND t.row_id = l.transcript_row
        RETURNING stored.issuer_id;
END $$;
