-- Numbers that filings report in XBRL, as filed: a row for each report, which keeps all of its facts.

SET LOCAL search_path = disclosed, public;

-- ----------------------------------------------------------------- periods

-- What kind of period a fact is about: an instant where it has no start, else by its days: quarters of 12 to 16 weeks and years of 52 or
-- 53 weeks among them. The SEC's frames allow 30 days more or less than 91 and 365.
CREATE FUNCTION period_kind(start_date date, end_date date) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN start_date IS NULL THEN 'instant'
                WHEN days BETWEEN 28 AND 31 THEN 'month'
                WHEN days BETWEEN 61 AND 121 THEN 'quarter'
                WHEN days BETWEEN 152 AND 212 THEN 'half'
                WHEN days BETWEEN 244 AND 304 THEN 'ytd'
                WHEN days BETWEEN 335 AND 395 THEN 'annual'
                ELSE 'other' END
    FROM (SELECT end_date - start_date + 1 AS days) d
$$;

-- The calendar period that it is put in: of a quarter or year that of its midpoint (2024Q1, 2024), of an instant the quarter whose end is
-- nearest; others belong to none.
CREATE FUNCTION calendar_period(start_date date, end_date date) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE disclosed.period_kind(start_date, end_date)
           WHEN 'quarter' THEN to_char(start_date + (end_date - start_date) / 2, 'FMYYYY"Q"Q')
           WHEN 'annual' THEN to_char(start_date + (end_date - start_date) / 2, 'FMYYYY')
           WHEN 'instant' THEN to_char(end_date - 45, 'FMYYYY"Q"Q') END
$$;

-- ------------------------------------------------------------------- facts

-- What is wrong with the facts of a report, by name and place; NULL: nothing. Dates of the years 1 to 9999, numbers as digits.
CREATE FUNCTION xbrl_fault(concepts text[], units text[], start_dates text[], end_dates text[], amounts text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    day CONSTANT text := '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$';
BEGIN
    IF (cardinality(units), cardinality(start_dates), cardinality(end_dates), cardinality(amounts))
       IS DISTINCT FROM (cardinality(concepts), cardinality(concepts), cardinality(concepts), cardinality(concepts)) THEN
        RETURN 'concepts, units, start_dates, end_dates and amounts are not of one length';
    END IF;
    RETURN (
        SELECT f.fault FROM (
            SELECT place, CASE
                WHEN coalesce(concept, '') !~ '^[^:\s]+:[^:\s]+$' THEN 'concepts[' || place - 1 || ']: not taxonomy:Name'
                WHEN coalesce(unit, '') = '' THEN 'units[' || place - 1 || ']: is empty'
                WHEN coalesce(starts, ' ') <> '' AND coalesce(starts, '') !~ day THEN 'start_dates[' || place - 1 || ']: not a date (YYYY-MM-DD), nor empty'
                WHEN coalesce(ends, '') !~ day THEN 'end_dates[' || place - 1 || ']: not a date (YYYY-MM-DD)'
                WHEN starts > ends THEN 'start_dates[' || place - 1 || ']: after the end'
                WHEN coalesce(amount, '') !~ '^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]{1,3})?$' THEN 'amounts[' || place - 1 || ']: not a number'
                END AS fault
            FROM unnest(concepts, units, start_dates, end_dates, amounts) WITH ORDINALITY AS e(concept, unit, starts, ends, amount, place)) f
        WHERE f.fault IS NOT NULL ORDER BY f.place LIMIT 1);
END $$;

-- Facts of filings, as one source tells them. They are never changed: a filing's numbers are what was filed.
CREATE TABLE xbrl_report (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    told_by     text NOT NULL CHECK (told_by IN ('companyfacts')),
    form        text NOT NULL,
    filed_on    date NOT NULL,
    fiscal_year bigint CHECK (fiscal_year BETWEEN 1900 AND 9999),
    fiscal_period text,
    concepts    text[] NOT NULL,
    units       text[] NOT NULL,
    start_dates text[] NOT NULL,
    end_dates   text[] NOT NULL,
    amounts     text[] NOT NULL,
    CONSTRAINT xbrl_report_facts CHECK (xbrl_fault(concepts, units, start_dates, end_dates, amounts) IS NULL)
);
ALTER TABLE xbrl_report ALTER COLUMN accession SET NOT NULL;
CALL finish_dataset_table('xbrl_report');
COMMENT ON TABLE xbrl_report IS 'XBRL facts of a filing: the nth of each array is one fact';
COMMENT ON COLUMN xbrl_report.told_by IS 'which of the SEC''s files it was read from';
COMMENT ON COLUMN xbrl_report.start_dates IS 'empty: the fact is about an instant';
COMMENT ON COLUMN xbrl_report.fiscal_year IS 'what the filing says of itself: it is no property of its facts';
-- get_filing_facts
CREATE INDEX xbrl_report_accession ON xbrl_report USING hash (accession);

-- The facts as they are served, in the order of concepts, units and periods.
CREATE FUNCTION xbrl_facts(concepts text[], units text[], start_dates text[], end_dates text[], amounts text[], only_concepts text[]) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(json_agg(json_build_object(
               'concept', e.concept, 'unit', e.unit, 'start_date', d.start_date, 'end_date', d.end_date,
               'kind', disclosed.period_kind(d.start_date, d.end_date),
               'calendar', disclosed.calendar_period(d.start_date, d.end_date), 'value', e.amount::numeric)
               ORDER BY e.concept COLLATE "C", e.unit COLLATE "C", d.end_date, d.start_date NULLS FIRST, e.amount::numeric), '[]'::json)
    FROM unnest(concepts, units, start_dates, end_dates, amounts) AS e(concept, unit, starts, ends, amount)
    CROSS JOIN LATERAL (SELECT nullif(e.starts, '')::date AS start_date, e.ends::date AS end_date) d
    WHERE only_concepts IS NULL OR e.concept = ANY (only_concepts)
$$;

-- Reports are public when their filings are, as those that are loaded say: at first the day of filing has to do. Returns the
-- issuers of reports that have moved.
CREATE FUNCTION date_xbrl_reports(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH public AS (
        SELECT r.issuer_id, r.row_id, min(f.known_at) AS known_at
        FROM disclosed.xbrl_report r
        JOIN disclosed.filing f ON f.accession = r.accession AND f.superseded_at IS NULL
        WHERE r.issuer_id = ANY (issuers)
        GROUP BY r.issuer_id, r.row_id),
    moved AS (
        UPDATE disclosed.xbrl_report r
        SET known_at = p.known_at,
            superseded_at = CASE WHEN r.superseded_at = r.known_at THEN p.known_at
                                 WHEN r.superseded_at IS NOT NULL THEN greatest(r.superseded_at, p.known_at) END
        FROM public p
        WHERE r.issuer_id = p.issuer_id AND r.row_id = p.row_id AND r.known_at <> p.known_at
        RETURNING r.issuer_id)
    SELECT DISTINCT issuer_id FROM moved
$$;
