-- Beneficial owners of more than five percent of a class: Schedules 13D and 13G (Exchange Act, Sections 13(d) and 13(g)).

SET LOCAL search_path = disclosed, public;

-- One row for each reporting person of a filing: what the person owned at the date of event. Rows of earlier filings stay.
CREATE TABLE beneficial_owner (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    form        text NOT NULL CHECK (form IN ('SCHEDULE 13D', 'SCHEDULE 13D/A', 'SCHEDULE 13G', 'SCHEDULE 13G/A')),
    amendment_number bigint,
    previous_accession text,
    event_date  date NOT NULL,
    filing_date date NOT NULL,
    issuer_title text NOT NULL,
    security_title text NOT NULL,
    cusips      text[],
    owner_cik   bigint,
    owner_name  text NOT NULL,
    owner_types text[],
    citizenship text,
    group_membership text CHECK (group_membership IN ('member', 'disclaimed')),
    sole_voting_power numeric CHECK (sole_voting_power >= 0),
    shared_voting_power numeric CHECK (shared_voting_power >= 0),
    sole_dispositive_power numeric CHECK (sole_dispositive_power >= 0),
    shared_dispositive_power numeric CHECK (shared_dispositive_power >= 0),
    aggregate_amount numeric CHECK (aggregate_amount >= 0),
    excludes_shares boolean,
    percent_of_class numeric CHECK (percent_of_class >= 0),
    rules       text[],
    fund_sources text[],
    fund_description text,
    purpose     text,
    comment     text,
    restated_at timestamptz,
    CHECK (filing_date <= (known_at AT TIME ZONE 'UTC')::date + 14)
);
CALL finish_dataset_table('beneficial_owner');
COMMENT ON COLUMN beneficial_owner.previous_accession IS 'amendments: the schedule that is amended, which may be one from before XML';
COMMENT ON COLUMN beneficial_owner.event_date IS 'date of the event that requires the filing: the amounts are of that day';
COMMENT ON COLUMN beneficial_owner.restated_at IS 'when a later statement of this person about the class was public; NULL: none is';
CREATE INDEX beneficial_owner_issuer_date ON beneficial_owner (issuer_id, filing_date, id);
CREATE INDEX beneficial_owner_accession ON beneficial_owner (accession);

-- A name without what filers write differently.
CREATE FUNCTION folded_name(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT lower(regexp_replace(name, '[[:space:][:punct:]]+', '', 'g')) $$;

-- From when on a later statement tells what a person owns. A person is known by CIK, and by name where either statement
-- has no CIK; a class by the schedule that is amended, by a CUSIP, and by title where either statement has no CUSIP. The
-- later statement is the one about the later event (an event is not after its filing, whatever the form says),
-- be it an amendment (Rules 13d-2(a) and (b)) or the first one on the other schedule (Rule 13d-1(e) to (h)).
CREATE FUNCTION settle_beneficial_owners(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    WITH stated AS MATERIALIZED (
        SELECT t.*, disclosed.folded_name(t.owner_name) AS owner, least(t.event_date, t.filing_date) AS as_of_day
        FROM disclosed.beneficial_owner t
        WHERE t.issuer_id = ANY(issuers) AND t.superseded_at IS DISTINCT FROM t.known_at),
    same_person AS (
        SELECT earlier.row_id AS earlier_row, later.row_id AS later_row
        FROM stated earlier JOIN stated later USING (issuer_id, owner_cik)
        UNION ALL
        SELECT earlier.row_id, later.row_id
        FROM stated earlier JOIN stated later USING (issuer_id, owner)
        WHERE earlier.owner_cik IS NULL OR later.owner_cik IS NULL),
    restated AS (
        SELECT earlier.row_id, min(later.known_at) AS restated_at
        FROM same_person p JOIN stated earlier ON earlier.row_id = p.earlier_row JOIN stated later ON later.row_id = p.later_row
        WHERE later.record_key <> earlier.record_key
          AND (later.as_of_day, later.known_at, later.record_key) > (earlier.as_of_day, earlier.known_at, earlier.record_key)
          AND (later.cusips && earlier.cusips
               OR later.previous_accession IN (earlier.accession, earlier.previous_accession)
               OR later.accession = earlier.previous_accession
               OR ((later.cusips IS NULL OR earlier.cusips IS NULL)
                   AND disclosed.folded_name(later.security_title) = disclosed.folded_name(earlier.security_title)))
        GROUP BY earlier.row_id)
    UPDATE disclosed.beneficial_owner t SET restated_at = r.restated_at
    FROM stated s LEFT JOIN restated r USING (row_id)
    WHERE t.issuer_id = s.issuer_id AND t.row_id = s.row_id AND t.restated_at IS DISTINCT FROM r.restated_at
$$;

-- ------------------------------------------------------------------ dates

-- When a schedule was public and filed: as its filing says, else its submission's header, else what was loaded of it
-- before, else the day on which it was signed.
CREATE FUNCTION dates_of_schedule(schedule_accession text, header_accepted timestamptz, header_filed date,
                                  signed date, OUT known_at timestamptz, OUT filing_date date)
LANGUAGE sql STABLE AS $$
    SELECT coalesce(filed.known_at, header_accepted,
                    CASE WHEN header_filed IS NULL OR loaded.filing_date = header_filed THEN loaded.known_at END,
                    disclosed.end_of_day(coalesce(header_filed, signed))),
           coalesce(filed.filing_date, header_filed, loaded.filing_date, signed)
    FROM (SELECT min(f.known_at) AS known_at, min(f.filed_on) AS filing_date
          FROM disclosed.filing f
          WHERE f.accession = schedule_accession AND f.superseded_at IS NULL) filed,
         (SELECT min(t.known_at) AS known_at, min(t.filing_date) AS filing_date
          FROM disclosed.beneficial_owner t WHERE t.accession = schedule_accession) loaded
$$;

-- Corrects when schedules were public and filed. A version holds until the next of its record, which moves with it where it is
-- of the same schedule. Returns the issuers.
CREATE FUNCTION date_schedules(accessions text[], public_at timestamptz[], filed_on date[]) RETURNS SETOF bigint
LANGUAGE sql AS $$
    WITH moved AS (
        UPDATE disclosed.beneficial_owner t
        SET known_at = r.known_at, filing_date = r.day,
            superseded_at = CASE WHEN t.superseded_at = t.known_at THEN r.known_at ELSE (
                SELECT greatest(r.known_at, CASE WHEN n.accession = r.accession THEN r.known_at ELSE n.known_at END)
                FROM disclosed.beneficial_owner n
                WHERE n.issuer_id = t.issuer_id AND n.record_key = t.record_key
                  AND (n.known_at, n.row_id) > (t.known_at, t.row_id) AND n.superseded_at IS DISTINCT FROM n.known_at
                ORDER BY n.known_at, n.row_id LIMIT 1) END
        FROM unnest(accessions, public_at, filed_on) AS r(accession, known_at, day)
        WHERE t.accession = r.accession AND (t.known_at, t.filing_date) <> (r.known_at, r.day)
        RETURNING t.issuer_id)
    SELECT DISTINCT issuer_id FROM moved
$$;

-- Filings have come: the schedules among them take their dates.
CREATE FUNCTION redate_schedules(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[] := ARRAY(
        SELECT DISTINCT d
        FROM (SELECT array_agg(f.accession) AS accessions, array_agg(f.known_at) AS known, array_agg(f.filed_on) AS filed
              FROM (SELECT accession, min(known_at) AS known_at, min(filed_on) AS filed_on FROM disclosed.filing
                    WHERE accession IN (SELECT accession FROM disclosed.filing
                                        WHERE issuer_id = ANY(issuers) AND form LIKE 'SCHEDULE 13_%')
                      AND superseded_at IS NULL
                    GROUP BY accession) f) filings
        CROSS JOIN LATERAL disclosed.date_schedules(filings.accessions, filings.known, filings.filed) AS d);
BEGIN
    IF changed <> '{}' THEN
        PERFORM disclosed.settle_beneficial_owners(changed);
        RETURN QUERY SELECT unnest(changed);
    END IF;
END $$;

-- What follows from loading one schedule: rows loaded of it before take its dates, rows of the same document under its
-- digest (`unfiled_keys`) close where it has an accession number, and an issuer that nothing else names has its name.
CREATE FUNCTION settle_schedule(issuer_cik bigint, schedule_accession text, schedule_known timestamptz,
                                schedule_filed date, hash text, unfiled_keys text[], issuer_name text)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    -- It names the issuer alike, and makes loads of its filing wait: who comes second sees the first.
    PERFORM FROM disclosed.settle_report(issuer_cik, NULL, schedule_known, schedule_filed, hash, '{}', issuer_name);
    IF schedule_accession IS NOT NULL THEN
        RETURN QUERY
            SELECT 'beneficial_owner', d
            FROM (SELECT coalesce(min(f.known_at), schedule_known) AS known,
                         coalesce(min(f.filed_on), schedule_filed) AS filed
                  FROM disclosed.filing f
                  WHERE f.accession = schedule_accession AND f.superseded_at IS NULL) best
            CROSS JOIN LATERAL disclosed.date_schedules(ARRAY[schedule_accession], ARRAY[best.known],
                                                        ARRAY[best.filed]) AS d;
    END IF;
    IF disclosed.accession_of_report(issuer_cik, hash) IS NOT NULL THEN
        RETURN QUERY
            UPDATE disclosed.beneficial_owner t SET superseded_at = t.known_at
            FROM disclosed.issuer i
            WHERE i.cik = issuer_cik AND t.issuer_id = i.issuer_id AND t.record_key = ANY(unfiled_keys)
              AND t.superseded_at IS DISTINCT FROM t.known_at
            RETURNING 'beneficial_owner', t.issuer_id;
    END IF;
END $$;
