-- Fiscal periods: of which quarter results are, by what was known of a fiscal year's end at the time.

SET LOCAL search_path = disclosed, public;

-- The month end next to a day: fiscal quarters of 52 or 53 weeks end some days off one.
CREATE FUNCTION nearest_month_end(day date) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (date_trunc('month', day::timestamp)
            + CASE WHEN extract(day FROM day) <= 15 THEN interval '0' ELSE interval '1 month' END)::date - 1
$$;

-- The month (1 to 12) at whose end a fiscal year ends, of MMDD; NULL for what is none.
CREATE FUNCTION fiscal_month(fiscal_year_end text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN fiscal_year_end ~ '^(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$'
                THEN (substr(fiscal_year_end, 1, 2)::integer + 10
                      + (substr(fiscal_year_end, 3, 2)::integer > 15)::integer) % 12 + 1 END
$$;

-- The last end of a fiscal quarter before a day, to the month end.
CREATE FUNCTION quarter_end_before(day date, fiscal_year_end text) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT max(m.ended)
    FROM (SELECT (date_trunc('month', day::timestamp) - back * interval '1 month')::date - 1 AS ended
          FROM generate_series(0, 2) AS back) m
    WHERE (extract(month FROM m.ended)::integer - disclosed.fiscal_month(fiscal_year_end)) % 3 = 0
$$;

-- Q<n> FY<year> of the fiscal quarter that ended on a day. A fiscal year is named by the calendar year
-- in which it ends; retailers whose years end in January count otherwise, so that a source's own label
-- goes before this one.
CREATE FUNCTION fiscal_quarter(period_end date, fiscal_year_end text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN ahead % 3 = 0 THEN
               format('Q%s FY%s', 4 - ahead / 3,
                      extract(year FROM disclosed.nearest_month_end(period_end) + ahead * interval '1 month')) END
    FROM (SELECT (disclosed.fiscal_month(fiscal_year_end) + 12
                  - extract(month FROM disclosed.nearest_month_end(period_end))::integer) % 12 AS ahead) m
$$;

-- The calendar quarter of a fiscal one: that of its midpoint. Other periods belong to none.
CREATE FUNCTION calendar_quarter(period_end date, kind text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN kind = 'quarter'
                THEN extract(year FROM period_end - 45) || 'Q' || extract(quarter FROM period_end - 45) END
$$;

-- The end of an issuer's fiscal year, MMDD, as it was known at an instant: as its profile says, else that of the
-- latest annual report.
CREATE FUNCTION fiscal_year_end_at(of_issuer bigint, instant timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(
        (SELECT p.fiscal_year_end FROM disclosed.issuer_profile p
         WHERE p.issuer_id = of_issuer AND p.known_at <= instant
           AND (p.superseded_at IS NULL OR p.superseded_at > instant)
           AND disclosed.fiscal_month(p.fiscal_year_end) IS NOT NULL
         ORDER BY p.known_at DESC LIMIT 1),
        (SELECT to_char(f.period_of_report, 'MMDD') FROM disclosed.filing f
         WHERE f.issuer_id = of_issuer AND f.form IN ('10-K', '20-F', '40-F') AND f.known_at <= instant
           AND (f.superseded_at IS NULL OR f.superseded_at > instant) AND f.period_of_report IS NOT NULL
         ORDER BY f.period_of_report DESC, f.known_at LIMIT 1))
$$;

-- When it was first known after an instant.
CREATE FUNCTION fiscal_year_end_after(of_issuer bigint, instant timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT least(
        (SELECT min(p.known_at) FROM disclosed.issuer_profile p
         WHERE p.issuer_id = of_issuer AND p.known_at > instant AND p.superseded_at IS DISTINCT FROM p.known_at
           AND disclosed.fiscal_month(p.fiscal_year_end) IS NOT NULL),
        (SELECT min(f.known_at) FROM disclosed.filing f
         WHERE f.issuer_id = of_issuer AND f.form IN ('10-K', '20-F', '40-F') AND f.known_at > instant
           AND f.superseded_at IS DISTINCT FROM f.known_at AND f.period_of_report IS NOT NULL))
$$;

-- -------------------------------------------------------- what texts state

-- The day on which the period ended that a text reports on: the latest "quarter ended June 30, 2023",
-- "three months ended ..." or the like within its first 4000 characters that lies in the 130 days before
-- the report. What has not ended yet is said to be ending.
CREATE FUNCTION stated_period_end(body text, reported_on date) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT max(d.day)
    FROM regexp_matches(left(body, 4000),
             '\m(?:quarter|year|months|weeks|period)s?\M(?:\s+(?:of\s+)?(?:the\s+)?(?:fiscal\s+)?'
             '(?:year\s+)?(?:19|20)\d\d)?,?\s+(?:which\s+|that\s+)?ended\s+(?:on\s+)?'
             '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})\s*,?\s+(\d{4})\M',
             'gi') AS m(parts)
    CROSS JOIN LATERAL (
        SELECT (make_date(greatest(parts[3]::integer, 1),
                          position(lower(parts[1]) IN 'janfebmaraprmayjunjulaugsepoctnovdec') / 3 + 1, 1)
                + parts[2]::integer - 1) AS day) d
    WHERE parts[2]::integer BETWEEN 1 AND 31 AND d.day BETWEEN reported_on - 130 AND reported_on - 1
$$;

-- The period that a results filing states, in its exhibits or else in its main document.
CREATE FUNCTION stated_period(filing_accession text, reported_on date, OUT period_end date, OUT place text)
LANGUAGE sql STABLE AS $$
    SELECT s.period_end, s.place
    FROM (SELECT 1 AS part, x.sequence, x.exhibit_type AS place,
                 disclosed.stated_period_end(x.text, reported_on) AS period_end
          FROM disclosed.filing_exhibit x
          WHERE x.accession = filing_accession AND x.superseded_at IS NULL
          UNION ALL
          SELECT 2, 0, 'its main document', disclosed.stated_period_end(x.text, reported_on)
          FROM disclosed.filing_text x
          WHERE x.accession = filing_accession AND x.superseded_at IS NULL) s
    WHERE s.period_end IS NOT NULL ORDER BY s.part, s.sequence LIMIT 1
$$;
