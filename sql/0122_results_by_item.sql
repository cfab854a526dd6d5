-- Of several Forms 8-K with a release of the same results those count that furnish them: others tell of them again, as they are restated or recast.

SET LOCAL search_path = disclosed, public;

-- Whether a Form 8-K says by its items that it furnishes results, or does not tell: before August 2004 results came under other items, too.
CREATE FUNCTION furnishes_results(items text[], filed_on date) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT items IS NULL OR items && ARRAY['2.02', '12'] OR filed_on < '2004-08-23' $$;

-- Every version of a results filing, a transcript or a notice of issuers says when an event takes
-- place, and of what period. date_rank and period_rank: the lower, the surer. A results filing is a
-- Form 8-K with item 2.02 (12 before August 2004), or one with a stored earnings release, which ranks behind it. Most have no text here, and no period in it.
CREATE OR REPLACE FUNCTION gather_event_evidence(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.event_evidence (holder_id, issuer_id, kind, record_id, row_id, type, known_at, superseded_at, stated_at,
        date_rank, event_on, event_at, has_time, date_status, period_end_date, period_rank, period_kind,
        date_basis, period_basis, event_id, source_key)
    SELECT f.issuer_id, f.issuer_id, 'filing', f.id, f.row_id, 'earnings', f.known_at, f.superseded_at, f.known_at,
           CASE WHEN f.form = '8-K' AND disclosed.furnishes_results(f.items, f.filed_on) THEN 2 ELSE 4 END, d.event_on,
           CASE WHEN d.has_time THEN f.accepted_at ELSE d.event_on::timestamp AT TIME ZONE 'UTC' END,
           d.has_time, 'confirmed', s.period_end, CASE WHEN s.period_end IS NOT NULL THEN 3 END, 'quarter',
           format('results in Form %s %s', f.form, f.accession), 'as ' || s.place || ' states', f.event_id, f.accession
    FROM disclosed.filing f
    CROSS JOIN LATERAL (
        SELECT CASE WHEN f.period_of_report BETWEEN f.filed_on - 10 AND f.filed_on AND disclosed.is_day_of_results(f.items) THEN f.period_of_report
                    ELSE coalesce((f.accepted_at AT TIME ZONE 'America/New_York')::date, f.filed_on) END
               AS event_on) o
    CROSS JOIN LATERAL (
        SELECT o.event_on, coalesce(o.event_on = (f.accepted_at AT TIME ZONE 'America/New_York')::date,
                                    false) AS has_time) d
    LEFT JOIN LATERAL (
        SELECT p.period_end, p.place FROM disclosed.stated_period(f.accession, d.event_on) p
        WHERE EXISTS (SELECT 1 FROM disclosed.filing_exhibit x WHERE x.accession = f.accession)
           OR EXISTS (SELECT 1 FROM disclosed.filing_text x WHERE x.accession = f.accession) OFFSET 0) s ON true
    WHERE f.issuer_id = ANY (issuers) AND f.form IN ('8-K', '8-K/A')
      AND (f.items && ARRAY['2.02', '12']
           OR (s.period_end IS NOT NULL
               AND EXISTS (SELECT 1 FROM disclosed.filing_exhibit x
                           WHERE x.accession = f.accession AND x.superseded_at IS NULL)))
      AND f.superseded_at IS DISTINCT FROM f.known_at;

    INSERT INTO pg_temp.event_evidence (holder_id, issuer_id, kind, record_id, row_id, type, known_at, superseded_at, stated_at,
        date_rank, event_on, event_at, has_time, date_status, period_end_date, period_rank, period_kind,
        fiscal_period, date_basis, period_basis, event_id, source_key)
    SELECT t.issuer_id, t.issuer_id, 'transcript', t.id, t.row_id, t.event_type, t.known_at, t.superseded_at, t.known_at,
           1, (t.call_date AT TIME ZONE 'America/New_York')::date, t.call_date, true, 'confirmed',
           t.period_end_date, CASE WHEN t.period_end_date IS NOT NULL THEN 2 END, 'quarter',
           CASE WHEN t.period_label ~ '^(Q[1-4] FY\d{4}|FY\d{4}-Q[1-4])$' THEN t.period_label END,
           'the call''s transcript', 'as the transcript says', t.event_id, t.record_key
    FROM disclosed.transcript t
    WHERE t.issuer_id = ANY (issuers) AND t.event_type <> 'other'
      AND t.superseded_at IS DISTINCT FROM t.known_at;

    INSERT INTO pg_temp.event_evidence (holder_id, issuer_id, kind, record_id, row_id, type, known_at, superseded_at, stated_at,
        date_rank, event_on, event_at, has_time, date_status, period_end_date, period_rank, period_kind,
        fiscal_period, title, event_url, webcast_status, date_basis, period_basis, event_id, source_key)
    SELECT h.issuer_id, n.issuer_id, 'notice', n.id, n.row_id, n.type, h.since, h.until, n.known_at,
           CASE n.date_status WHEN 'confirmed' THEN 3 ELSE 5 END, n.event_on,
           coalesce(n.event_at, n.event_on::timestamp AT TIME ZONE 'UTC'), n.event_at IS NOT NULL,
           n.date_status, n.period_end_date, CASE WHEN n.period_end_date IS NOT NULL THEN 4 END,
           coalesce(n.period_kind, 'quarter'), n.fiscal_period, n.title, n.event_url, n.webcast_status,
           format('%s by %s', CASE n.date_status WHEN 'confirmed' THEN 'announced' ELSE 'estimated' END,
                  o.provider),
           'as ' || o.provider || ' says', n.event_id, n.record_key
    FROM disclosed.event_notice n JOIN disclosed.source o USING (source_id)
    CROSS JOIN LATERAL (
        SELECT n.issuer_id, greatest(n.known_at, n.held_until) AS since, n.superseded_at AS until
        UNION ALL
        SELECT n.held_by, n.known_at, least(n.superseded_at, n.held_until) WHERE n.held_by IS NOT NULL) h
    WHERE (h.until IS NULL OR h.since < h.until) AND n.issuer_id = ANY (issuers) AND n.superseded_at IS DISTINCT FROM n.known_at;
END $$;

-- Events that are stored, and what is counted of them. No load runs beside it (loader/loader_lock.c).
DO $$
DECLARE
    companies bigint[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    FOR companies IN
        SELECT array_agg(issuer_id)
        FROM (SELECT issuer_id, (row_number() OVER (ORDER BY issuer_id) - 1) / 100 AS batch
              FROM (SELECT DISTINCT f.issuer_id FROM filing f
                    WHERE f.form = '8-K' AND f.event_id IS NOT NULL AND NOT furnishes_results(f.items, f.filed_on)) d) b
        GROUP BY batch
    LOOP
        companies := companies || ARRAY(SELECT reconcile_events(companies));
        UPDATE dataset_issuer_stat o
        SET record_count = c.record_count, latest = c.latest
        FROM (SELECT t.issuer_id, count(*) AS record_count, (max(t.event_at) AT TIME ZONE 'UTC')::date AS latest FROM event t
              WHERE t.issuer_id = ANY (companies) AND t.superseded_at IS NULL GROUP BY t.issuer_id) c
        WHERE o.dataset = 'event' AND o.issuer_id = c.issuer_id;
    END LOOP;
    IF FOUND THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
        UPDATE dataset_stat d
        SET record_count = c.record_count, latest = c.latest, version = d.version + 1, changed_at = now()
        FROM (SELECT sum(record_count) AS record_count, max(latest) AS latest FROM dataset_issuer_stat WHERE dataset = 'event') c
        WHERE d.dataset = 'event';
        -- What belongs to an event says so.
        UPDATE dataset_stat SET version = version + 1, changed_at = now() WHERE dataset IN ('filing', 'transcript', 'document');
    END IF;
END $$;
