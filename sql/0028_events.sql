-- Events, which follow from notices, filings, transcripts and documents. They are told by what was known at each instant:
-- evidence that a later listing, period or date brings together is of several events until then, and of one from then on, in
-- whatever order it was loaded.

SET LOCAL search_path = disclosed, public;

CREATE TABLE event (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    type        text NOT NULL CHECK (type IN ('earnings', 'investor_day', 'agm', 'ma_announcement')),
    event_at    timestamptz NOT NULL,
    has_time    boolean NOT NULL,
    date_status text NOT NULL CHECK (date_status IN ('estimated', 'confirmed')),
    period_end_date date,
    period_kind text,
    fiscal_period text,
    title       text,
    event_url   text,
    webcast_status text,
    source      text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    CHECK (event_at <= known_at + interval '402 days')
);
CALL finish_dataset_table('event');
COMMENT ON COLUMN event.event_at IS 'midnight UTC of the day where has_time is false';
COMMENT ON COLUMN event.created_at IS 'when the event was first known here, the same over its versions';
CREATE INDEX event_id ON event (id);
-- known_at: events are known long before they take place or not at all, so that a walk as of an instant
-- passes over many; it does so within the index.
CREATE INDEX event_date ON event (event_at, id, known_at);
CREATE INDEX event_type_date ON event (type, event_at, id, known_at);
CREATE INDEX event_issuer_date ON event (issuer_id, event_at, id, known_at);
CREATE INDEX event_created ON event (created_at) WHERE superseded_at IS NULL;

-- The column event_id of filings, transcripts, notices and documents says which event they are of now; where it was
-- another one at a time, this says which.
CREATE TABLE former_event (
    issuer_id   bigint NOT NULL REFERENCES issuer,
    record_id   bigint NOT NULL,
    known_at    timestamptz NOT NULL,
    superseded_at timestamptz NOT NULL,
    event_id    bigint,
    PRIMARY KEY (record_id, known_at),
    CHECK (known_at < superseded_at)
);
COMMENT ON TABLE former_event IS 'which event a record was of from known_at to superseded_at; kept by settle_events()';
COMMENT ON COLUMN former_event.event_id IS 'NULL: none';
CREATE INDEX former_event_event ON former_event (event_id, issuer_id, record_id);
CREATE INDEX former_event_issuer ON former_event (issuer_id);

-- What an event is called, without the company's name.
CREATE FUNCTION event_label(type text, fiscal_period text, period_end date) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE type
        WHEN 'earnings' THEN concat_ws(' ', coalesce(fiscal_period, 'period ended ' || period_end), 'earnings')
        WHEN 'investor_day' THEN 'investor day'
        WHEN 'agm' THEN 'annual general meeting'
        ELSE 'M&A announcement' END
$$;

-- ---------------------------------------------------------------- versions

-- An event keeps the number that its records had, that which the record that was known first had before all.
CREATE FUNCTION number_event_clusters() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH held AS (
        SELECT e.cluster, CASE WHEN w.record_id IS NULL THEN e.event_id ELSE w.event_id END AS event_id,
               e.record_id = e.cluster AS is_own
        FROM pg_temp.event_evidence e
        LEFT JOIN disclosed.former_event w
          ON w.record_id = e.record_id AND w.known_at <= e.known_at AND w.superseded_at > e.known_at),
    ranked AS (
        SELECT h.*, row_number() OVER (PARTITION BY event_id ORDER BY is_own DESC, held DESC, cluster) AS turn
        FROM (SELECT cluster, event_id, bool_or(is_own) AS is_own, count(*) AS held
              FROM held WHERE event_id IS NOT NULL GROUP BY 1, 2) h),
    kept AS (
        SELECT DISTINCT ON (cluster) cluster, event_id FROM ranked WHERE turn = 1
        ORDER BY cluster, is_own DESC, held DESC, event_id)
    UPDATE pg_temp.event_cluster c SET event_id = coalesce(k.event_id, nextval('disclosed.record_id'))
    FROM pg_temp.event_cluster o LEFT JOIN kept k USING (cluster)
    WHERE c.cluster = o.cluster;
    UPDATE pg_temp.event_cluster c SET created_at = e.created_at
    FROM (SELECT id, min(created_at) AS created_at FROM disclosed.event
          WHERE id IN (SELECT event_id FROM pg_temp.event_cluster) GROUP BY id) e
    WHERE e.id = c.event_id;
END $$;

-- The versions of events: at each instant at which evidence or its period comes or goes, what the best of it
-- says. That the same is known from better evidence makes no version.
CREATE FUNCTION write_event_versions() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    WITH yearly AS MATERIALIZED ( -- of which the end of the fiscal year is known at some time
        SELECT o.issuer_id FROM (SELECT DISTINCT holder_id AS issuer_id FROM pg_temp.event_evidence WHERE type = 'earnings') o
        WHERE disclosed.fiscal_year_end_after(o.issuer_id, '-infinity') IS NOT NULL),
    instant AS (
        SELECT cluster, known_at AS at FROM pg_temp.event_evidence
        UNION
        SELECT cluster, superseded_at FROM pg_temp.event_evidence WHERE superseded_at IS NOT NULL
        UNION
        SELECT cluster, period_known_at FROM pg_temp.event_evidence
        WHERE period_known_at >= known_at AND (superseded_at IS NULL OR period_known_at < superseded_at)
        UNION
        SELECT cluster, demoted_at FROM pg_temp.event_evidence WHERE demoted_at > known_at
        UNION
        SELECT f.cluster, disclosed.fiscal_year_end_after(f.issuer_id, f.first_at)
        FROM (SELECT cluster, holder_id AS issuer_id, min(known_at) AS first_at FROM pg_temp.event_evidence
              WHERE type = 'earnings' AND holder_id IN (SELECT issuer_id FROM yearly) GROUP BY 1, 2) f
        WHERE disclosed.fiscal_year_end_at(f.issuer_id, f.first_at) IS NULL),
    best AS (
        SELECT i.cluster, i.at,
               (array_agg(e.number ORDER BY CASE WHEN e.demoted_at <= i.at THEN 4 ELSE e.date_rank END, e.stated_at DESC, e.source_key DESC, e.row_id DESC)
                   FILTER (WHERE e.date_rank IS NOT NULL))[1] AS date_number,
               (array_agg(e.number ORDER BY e.period_rank, e.stated_at DESC, e.source_key DESC, e.row_id DESC)
                   FILTER (WHERE e.period_rank IS NOT NULL
                             AND coalesce(e.period_known_at, e.known_at) <= i.at))[1] AS period_number,
               (array_agg(e.fiscal_period ORDER BY CASE WHEN e.demoted_at <= i.at THEN 4 ELSE e.date_rank END, e.stated_at DESC, e.source_key DESC)
                   FILTER (WHERE e.fiscal_period IS NOT NULL))[1] AS fiscal_period,
               (array_agg(e.title ORDER BY CASE WHEN e.demoted_at <= i.at THEN 4 ELSE e.date_rank END, e.stated_at DESC, e.source_key DESC)
                   FILTER (WHERE e.title IS NOT NULL))[1] AS title,
               (array_agg(e.event_url ORDER BY CASE WHEN e.demoted_at <= i.at THEN 4 ELSE e.date_rank END, e.stated_at DESC, e.source_key DESC)
                   FILTER (WHERE e.event_url IS NOT NULL))[1] AS event_url,
               (array_agg(e.webcast_status ORDER BY e.stated_at DESC, e.source_key DESC)
                   FILTER (WHERE e.webcast_status IS NOT NULL))[1] AS webcast_status
        FROM instant i LEFT JOIN pg_temp.event_evidence e
          ON e.cluster = i.cluster AND e.known_at <= i.at
         AND (e.superseded_at IS NULL OR e.superseded_at > i.at)
        WHERE i.at IS NOT NULL
        GROUP BY i.cluster, i.at),
    state AS MATERIALIZED (
        SELECT b.cluster, b.at, b.date_number, d.holder_id AS issuer_id, d.type, d.event_at, d.has_time, d.date_status, p.period_end_date,
               CASE WHEN p.period_end_date IS NOT NULL THEN p.period_kind END AS period_kind,
               coalesce(b.fiscal_period, CASE WHEN p.period_kind = 'quarter' AND d.type = 'earnings'
                                             AND d.holder_id IN (SELECT issuer_id FROM yearly)
                   THEN disclosed.fiscal_quarter(p.period_end_date,
                                                 disclosed.fiscal_year_end_at(d.holder_id, b.at)) END) AS fiscal_period,
               b.title, b.event_url, b.webcast_status,
               concat_ws('; ', 'date: ' || d.date_basis, 'period: ' || p.period_basis) AS source
        FROM best b
        LEFT JOIN pg_temp.event_evidence d ON d.number = b.date_number
        LEFT JOIN pg_temp.event_evidence p ON p.number = b.period_number),
    turned AS (
        SELECT s.*, (date_number IS NULL, issuer_id, type, event_at, has_time, date_status, period_end_date, period_kind,
                     fiscal_period, title, event_url, webcast_status) IS NOT DISTINCT FROM
                    (lag(date_number) OVER w IS NULL, lag(issuer_id) OVER w, lag(type) OVER w, lag(event_at) OVER w, lag(has_time) OVER w,
                     lag(date_status) OVER w, lag(period_end_date) OVER w, lag(period_kind) OVER w,
                     lag(fiscal_period) OVER w, lag(title) OVER w, lag(event_url) OVER w,
                     lag(webcast_status) OVER w) AS is_same
        FROM state s WINDOW w AS (PARTITION BY cluster ORDER BY at)),
    ended AS (
        SELECT t.*, lead(at) OVER (PARTITION BY cluster ORDER BY at) AS until
        FROM turned t WHERE NOT is_same)
    INSERT INTO pg_temp.event_version
    SELECT c.event_id, c.cluster, e.issuer_id, e.at, e.until, e.date_number, e.type, e.event_at, e.has_time,
           e.date_status, e.period_end_date, e.period_kind, e.fiscal_period, e.title, e.event_url,
           e.webcast_status, e.source, coalesce(c.created_at, now())
    FROM ended e JOIN pg_temp.event_cluster c USING (cluster)
    WHERE e.date_number IS NOT NULL;
END $$;

-- The source id of an event is made of that of the record of it which was known first, so that it does not hang on the order of
-- loading as the event's number does.
CREATE FUNCTION find_event_origins() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.event_origin') IS NULL THEN
        CREATE TEMP TABLE event_origin (cluster bigint, type text, src_digest uuid, PRIMARY KEY (cluster, type))
            ON COMMIT DELETE ROWS;
    END IF;
    TRUNCATE pg_temp.event_origin;
    INSERT INTO pg_temp.event_origin
    SELECT v.cluster, v.type,
           encode(substr(sha256(convert_to(concat_ws(E'\n', 'event', v.type, r.src_digest), 'UTF8')), 1, 16), 'hex')::uuid
    FROM (SELECT DISTINCT cluster, type FROM pg_temp.event_version) v
    CROSS JOIN LATERAL (SELECT s.kind, s.home_id FROM pg_temp.event_state s WHERE s.record_id = v.cluster LIMIT 1) s
    CROSS JOIN LATERAL (
        SELECT src_digest FROM disclosed.filing
        WHERE s.kind = 'filing' AND issuer_id = s.home_id AND id = v.cluster
        UNION ALL
        SELECT src_digest FROM disclosed.transcript
        WHERE s.kind = 'transcript' AND issuer_id = s.home_id AND id = v.cluster
        UNION ALL
        SELECT src_digest FROM disclosed.event_notice
        WHERE s.kind = 'notice' AND issuer_id = s.home_id AND id = v.cluster
        LIMIT 1) r;
    ANALYZE pg_temp.event_origin;
END $$;

-- Makes the stored versions of events those that were worked out; writes only what differs. Returns the issuers whose have changed.
CREATE FUNCTION store_event_rows(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    RETURN QUERY
        DELETE FROM disclosed.event e
        WHERE (e.issuer_id = ANY (issuers) OR e.id IN (SELECT event_id FROM pg_temp.event_cluster))
          AND NOT EXISTS (
              SELECT 1 FROM pg_temp.event_version v
              WHERE v.event_id = e.id AND (v.issuer_id, v.known_at, v.type, v.event_at, v.has_time,
                    v.date_status, v.period_end_date, v.period_kind, v.fiscal_period, v.title, v.event_url,
                    v.webcast_status, v.source)
                IS NOT DISTINCT FROM (e.issuer_id, e.known_at, e.type, e.event_at, e.has_time, e.date_status,
                    e.period_end_date, e.period_kind, e.fiscal_period, e.title, e.event_url,
                    e.webcast_status, e.source))
        RETURNING e.issuer_id;
    -- One row of a record is current, so rows are closed before one is opened.
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.event e SET superseded_at = v.superseded_at
            FROM pg_temp.event_version v
            WHERE e.issuer_id = v.issuer_id AND e.id = v.event_id AND e.known_at = v.known_at
              AND (v.superseded_at IS NULL) = opening
              AND e.superseded_at IS DISTINCT FROM v.superseded_at
            RETURNING e.issuer_id;
    END LOOP;
    PERFORM disclosed.find_event_origins();
    RETURN QUERY
        UPDATE disclosed.event e SET src_digest = o.src_digest
        FROM pg_temp.event_version v JOIN pg_temp.event_origin o ON o.cluster = v.cluster AND o.type = v.type
        WHERE e.issuer_id = v.issuer_id AND e.id = v.event_id AND e.known_at = v.known_at AND e.src_digest <> o.src_digest
        RETURNING e.issuer_id;
    RETURN QUERY
        INSERT INTO disclosed.event AS stored (id, issuer_id, record_key, known_at, superseded_at, src_digest,
            source_provider, source_url, accession, content_hash, extracted_at, type, event_at, has_time,
            date_status, period_end_date, period_kind, fiscal_period, title, event_url, webcast_status,
            source, created_at)
        SELECT v.event_id, v.issuer_id, v.type || '/' || v.event_id, v.known_at, v.superseded_at,
               o.src_digest,
               r.source_provider, r.source_url, r.accession, r.content_hash, r.extracted_at, v.type,
               v.event_at, v.has_time, v.date_status, v.period_end_date, v.period_kind, v.fiscal_period,
               v.title, v.event_url, v.webcast_status, v.source, v.created_at
        FROM pg_temp.event_version v
        JOIN pg_temp.event_evidence e ON e.number = v.evidence
        LEFT JOIN pg_temp.event_origin o ON o.cluster = v.cluster AND o.type = v.type
        CROSS JOIN LATERAL (
            SELECT source_provider, source_url, accession, content_hash, extracted_at
            FROM disclosed.filing WHERE e.kind = 'filing' AND issuer_id = e.issuer_id AND row_id = e.row_id
            UNION ALL
            SELECT source_provider, source_url, accession, content_hash, extracted_at
            FROM disclosed.transcript
            WHERE e.kind = 'transcript' AND issuer_id = e.issuer_id AND row_id = e.row_id
            UNION ALL
            SELECT source_provider, source_url, accession, content_hash, extracted_at
            FROM disclosed.event_notice
            WHERE e.kind = 'notice' AND issuer_id = e.issuer_id AND row_id = e.row_id) r
        WHERE NOT EXISTS (SELECT 1 FROM disclosed.event x
                          WHERE x.issuer_id = v.issuer_id AND x.id = v.event_id AND x.known_at = v.known_at)
        RETURNING stored.issuer_id;
END $$;

-- The same, with sources: where an event comes from is where the best evidence of each of its versions does, also when that is
-- known from another file by now.
CREATE FUNCTION store_event_versions(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT * FROM disclosed.store_event_rows(issuers);
    RETURN QUERY
        UPDATE disclosed.event e
        SET source_url = r.source_url, accession = r.accession, content_hash = r.content_hash, extracted_at = r.extracted_at
        FROM pg_temp.event_version v
        JOIN pg_temp.event_evidence x ON x.number = v.evidence
        CROSS JOIN LATERAL (
            SELECT source_provider, source_url, accession, content_hash, extracted_at
            FROM disclosed.filing WHERE x.kind = 'filing' AND issuer_id = x.issuer_id AND row_id = x.row_id
            UNION ALL
            SELECT source_provider, source_url, accession, content_hash, extracted_at
            FROM disclosed.transcript WHERE x.kind = 'transcript' AND issuer_id = x.issuer_id AND row_id = x.row_id
            UNION ALL
            SELECT source_provider, source_url, accession, content_hash, extracted_at
            FROM disclosed.event_notice WHERE x.kind = 'notice' AND issuer_id = x.issuer_id AND row_id = x.row_id) r
        WHERE e.issuer_id = v.issuer_id AND e.id = v.event_id AND e.known_at = v.known_at
          AND e.source_provider = r.source_provider
          AND (e.source_url, e.accession, e.content_hash) IS DISTINCT FROM (r.source_url, r.accession, r.content_hash)
        RETURNING e.issuer_id;
END $$;

-- ------------------------------------------------ what belongs to an event

-- Which documents belong to an event: those of its period; where they do not say theirs, decks, releases, letters
-- and quarterly reports that were published in its days, as these were known at each time.
CREATE FUNCTION find_event_documents(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.event_member
    WITH shown AS MATERIALIZED (
        SELECT DISTINCT ON (issuer_id, id) issuer_id, id, doc_type, period_end_date,
               (published_at AT TIME ZONE 'UTC')::date AS published_on,
               min(known_at) OVER (PARTITION BY issuer_id, id) AS known_at
        FROM disclosed.document
        WHERE issuer_id = ANY (issuers) AND superseded_at IS DISTINCT FROM known_at
        ORDER BY issuer_id, id, document.known_at DESC, row_id DESC),
    near AS MATERIALIZED (
        SELECT d.issuer_id, d.id, v.event_id, greatest(d.known_at, v.known_at, s.since) AS since,
               least(coalesce(v.superseded_at, 'infinity'), s.until) AS until,
               abs(d.period_end_date - s.last_on) AS away, s.first_on, v.event_at
        FROM shown d
        JOIN pg_temp.event_slice s
          ON s.issuer_id = d.issuer_id AND s.has_period
         AND d.period_end_date BETWEEN s.first_on - 25 AND s.last_on + 25
        JOIN pg_temp.event_version v ON v.cluster = s.cluster AND v.issuer_id = s.issuer_id
        UNION ALL
        SELECT d.issuer_id, d.id, v.event_id, greatest(d.known_at, v.known_at), coalesce(v.superseded_at, 'infinity'),
               abs(d.published_on - (v.event_at AT TIME ZONE 'UTC')::date), NULL, v.event_at
        FROM shown d
        JOIN pg_temp.event_version v
          ON v.issuer_id = d.issuer_id
         AND d.published_on BETWEEN (v.event_at AT TIME ZONE 'UTC')::date - 2 AND (v.event_at AT TIME ZONE 'UTC')::date + 5
        WHERE d.period_end_date IS NULL
          AND d.doc_type IN ('slide_deck', 'press_release', 'shareholder_letter', 'quarterly_report')),
    lasting AS (SELECT * FROM near WHERE since < until),
    chosen AS (
        SELECT DISTINCT ON (i.id, i.at) i.issuer_id, i.id, i.at, n.event_id
        FROM (SELECT issuer_id, id, since AS at FROM lasting
              UNION SELECT issuer_id, id, until FROM lasting WHERE until < 'infinity'
              UNION SELECT issuer_id, id, known_at FROM shown WHERE id IN (SELECT id FROM lasting)) i
        LEFT JOIN lasting n ON n.id = i.id AND n.since <= i.at AND n.until > i.at
        ORDER BY i.id, i.at, n.away, n.first_on, n.event_at, n.event_id)
    SELECT 'document', issuer_id, id, event_id, at, coalesce(lead(at) OVER (PARTITION BY id ORDER BY at), 'infinity')
    FROM (SELECT c.*, event_id IS NOT DISTINCT FROM lag(event_id) OVER w AND lag(at) OVER w IS NOT NULL AS is_same
          FROM chosen c WINDOW w AS (PARTITION BY id ORDER BY at)) t
    WHERE NOT is_same;
END $$;

-- What belongs to the events now: what their evidence is, and documents.
CREATE FUNCTION find_event_members(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.event_member
    SELECT DISTINCT CASE e.kind WHEN 'report' THEN 'filing' ELSE e.kind END, e.issuer_id, e.record_id, c.event_id,
           '-infinity'::timestamptz, 'infinity'::timestamptz
    FROM pg_temp.event_evidence e JOIN pg_temp.event_cluster c USING (cluster)
    WHERE NOT e.is_cut AND EXISTS (SELECT 1 FROM pg_temp.event_version v WHERE v.cluster = e.cluster);
    INSERT INTO pg_temp.event_member
    SELECT CASE m.kind WHEN 'report' THEN 'filing' ELSE m.kind END, m.home_id, m.record_id,
           CASE WHEN EXISTS (SELECT 1 FROM pg_temp.event_version v WHERE v.cluster = m.cluster) THEN c.event_id END,
           m.since, m.until
    FROM pg_temp.event_membership m LEFT JOIN pg_temp.event_cluster c USING (cluster);
    PERFORM disclosed.find_event_documents(issuers);
END $$;

-- Which events records were of before the present one. Returns the issuers of what has changed.
CREATE FUNCTION store_former_events(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
        WITH wanted AS MATERIALIZED (
            SELECT m.issuer_id, m.record_id, m.since, m.until, m.event_id
            FROM pg_temp.event_member m
            JOIN pg_temp.event_member l ON l.record_id = m.record_id AND l.kind = m.kind AND l.until = 'infinity'
            WHERE m.until < 'infinity' AND m.event_id IS DISTINCT FROM l.event_id),
        gone AS (
            DELETE FROM disclosed.former_event f
            WHERE (f.issuer_id = ANY (issuers) OR f.record_id IN (SELECT record_id FROM wanted))
              AND NOT EXISTS (SELECT 1 FROM wanted w WHERE w.record_id = f.record_id AND w.since = f.known_at)
            RETURNING f.issuer_id),
        stored AS (
            INSERT INTO disclosed.former_event AS f (issuer_id, record_id, known_at, superseded_at, event_id)
            SELECT issuer_id, record_id, since, until, event_id FROM wanted
            ON CONFLICT (record_id, known_at) DO UPDATE
            SET issuer_id = excluded.issuer_id, superseded_at = excluded.superseded_at, event_id = excluded.event_id
            WHERE (f.issuer_id, f.superseded_at, f.event_id)
                  IS DISTINCT FROM (excluded.issuer_id, excluded.superseded_at, excluded.event_id)
            RETURNING f.issuer_id)
        SELECT issuer_id FROM gone UNION SELECT issuer_id FROM stored;
END $$;

-- ------------------------------------------------ what follows from a load

-- Earnings events follow from results filings, transcripts and notices of issuers; other events from
-- transcripts and notices. Filings, transcripts, notices and documents learn which event they belong to.
-- Returns the issuers of whom anything has changed.
CREATE FUNCTION settle_events(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    target record;
BEGIN
    issuers := disclosed.holders_of_notices(issuers);
    -- Most issuers report no results and hold no calls.
    IF NOT EXISTS (SELECT 1 FROM disclosed.event WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.event_notice WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.transcript WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.filing
                       WHERE issuer_id = ANY (issuers) AND form IN ('8-K', '8-K/A')) THEN
        RETURN;
    END IF;
    PERFORM disclosed.open_event_tables();
    PERFORM disclosed.gather_event_evidence(issuers);
    ANALYZE pg_temp.event_evidence;
    PERFORM disclosed.complete_event_periods();
    PERFORM disclosed.cluster_event_evidence(issuers);
    ANALYZE pg_temp.event_cluster;
    PERFORM disclosed.number_event_clusters();
    PERFORM disclosed.write_event_versions();
    ANALYZE pg_temp.event_version;
    RETURN QUERY SELECT DISTINCT s FROM disclosed.store_event_versions(issuers) AS s;
    PERFORM disclosed.find_event_members(issuers);
    ANALYZE pg_temp.event_member;
    RETURN QUERY SELECT disclosed.store_former_events(issuers);
    FOR target IN SELECT * FROM (VALUES ('filing', 'filing'), ('transcript', 'transcript'),
                                        ('notice', 'event_notice'), ('document', 'document'))
                  AS t(kind, member_table)
    LOOP
        RETURN QUERY EXECUTE format($sql$
            UPDATE disclosed.%1$I t SET event_id = w.event_id
            FROM (SELECT t.issuer_id, t.row_id, m.event_id
                  FROM disclosed.%1$I t LEFT JOIN pg_temp.event_member m
                    ON m.kind = %2$L AND m.issuer_id = t.issuer_id AND m.record_id = t.id AND m.until = 'infinity'
                  WHERE t.issuer_id = ANY ($1) AND (t.event_id IS NOT NULL OR m.event_id IS NOT NULL)) w
            WHERE t.issuer_id = w.issuer_id AND t.row_id = w.row_id
              AND t.event_id IS DISTINCT FROM w.event_id
            RETURNING t.issuer_id
        $sql$, target.member_table, target.kind) USING issuers;
    END LOOP;
END $$;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON former_event TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON former_event TO disclosed_loader;
