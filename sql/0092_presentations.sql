-- Statements of filings as the filings present them: their lines in order, with labels, and the numbers that belong on each.

SET LOCAL search_path = disclosed, public;

-- What is wrong with the lines of statements, by name and place; NULL: nothing.
CREATE FUNCTION presentation_fault(presented_roles text[], line_statements text[], line_depths text[], line_concepts text[], line_labels text[],
    line_label_roles text[], line_axes text[], axes text[], axis_defaults text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    element CONSTANT text := '^[^:\s]+:[^:\s]+$';
    lines CONSTANT integer := cardinality(line_concepts);
BEGIN
    IF num_nulls(presented_roles, line_statements, line_depths, line_concepts, line_labels, line_label_roles, line_axes) NOT IN (0, 7) THEN
        RETURN 'of presented_roles and the columns of lines some are missing';
    ELSIF (cardinality(line_statements), cardinality(line_depths), cardinality(line_labels), cardinality(line_label_roles), cardinality(line_axes))
          IS DISTINCT FROM (lines, lines, lines, lines, lines) THEN
        RETURN 'the columns of lines are not of one length';
    ELSIF cardinality(axes) IS DISTINCT FROM cardinality(axis_defaults) THEN
        RETURN 'axes and axis_defaults are not of one length';
    END IF;
    RETURN (
        SELECT f.fault FROM (
            SELECT place, CASE
                WHEN coalesce(statement, '') !~ '^[1-9][0-9]{0,5}$' OR statement::integer > cardinality(presented_roles)
                    THEN 'line_statements[' || place - 1 || ']: not the number of a statement'
                WHEN coalesce(depth, '') !~ '^[0-9]{1,2}$' THEN 'line_depths[' || place - 1 || ']: not a depth of 0 to 99'
                WHEN coalesce(concept, '') !~ element THEN 'line_concepts[' || place - 1 || ']: not taxonomy:Name'
                WHEN axis <> '' AND axis !~ element THEN 'line_axes[' || place - 1 || ']: not taxonomy:Name'
                END AS fault
            FROM unnest(line_statements, line_depths, line_concepts, line_axes) WITH ORDINALITY AS e(statement, depth, concept, axis, place)) f
        WHERE f.fault IS NOT NULL ORDER BY f.place LIMIT 1);
END $$;

ALTER TABLE xbrl_linkbase
    ADD COLUMN presented_roles text[],
    ADD COLUMN line_statements text[],
    ADD COLUMN line_depths text[],
    ADD COLUMN line_concepts text[],
    ADD COLUMN line_labels text[],
    ADD COLUMN line_label_roles text[],
    ADD COLUMN line_axes text[],
    ADD COLUMN axes text[],
    ADD COLUMN axis_defaults text[],
    ADD CONSTRAINT xbrl_linkbase_presentation CHECK (
        presentation_fault(presented_roles, line_statements, line_depths, line_concepts, line_labels, line_label_roles, line_axes, axes,
                           axis_defaults) IS NULL);
CALL make_sourced_view('xbrl_linkbase');
COMMENT ON TABLE xbrl_linkbase IS 'calculations, statements and labels of a filing: the nth of roles, parents, children and weights is one arc, of the line_ columns one line';
COMMENT ON COLUMN xbrl_linkbase.presented_roles IS 'URIs of the statements that have lines, in the filing''s order';
COMMENT ON COLUMN xbrl_linkbase.line_statements IS 'places in presented_roles, from 1';
COMMENT ON COLUMN xbrl_linkbase.line_label_roles IS 'which label is used, totalLabel or negatedLabel; empty: the standard one';
COMMENT ON COLUMN xbrl_linkbase.line_axes IS 'the axis that the line is, or is a member of; empty: neither';
COMMENT ON COLUMN xbrl_linkbase.axis_defaults IS 'the member that a fact without the axis of that place in axes has; empty: it has none';

-- What the filing says its statement is: statement, disclosure, document; NULL: it does not say.
CREATE FUNCTION statement_kind(role text, statement_roles text[], statement_names text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT lower(substring(statement_names[array_position(statement_roles, role)] FROM '^[0-9]+ - ([A-Za-z]+) - '))
$$;

-- The statements of a filing that have lines, as they are served.
CREATE FUNCTION presented_statements(l xbrl_linkbase) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(json_build_object(
               'number', s.number, 'role', s.role, 'name', disclosed.statement_name(s.role, l.statement_roles, l.statement_names),
               'kind', disclosed.statement_kind(s.role, l.statement_roles, l.statement_names), 'line_count', coalesce(c.lines, 0))
               ORDER BY s.number), '[]'::json)
    FROM unnest(l.presented_roles) WITH ORDINALITY AS s(role, number)
    LEFT JOIN (SELECT e.statement::bigint AS number, count(*) AS lines FROM unnest(l.line_statements) AS e(statement) GROUP BY 1) c USING (number)
$$;

-- The lines of a statement with their numbers, as they are served. A number belongs on the lines of its element, where all members that it has
-- are lines of the statement (of an axis without members any is), and those that it has by default too (Dimensions 1.0, 2.7.1): what leaves an
-- axis out whose default is known and is no line, is not shown. Labels of the start and end of a period are of instants at the start and end of
-- the statement's periods. The planner knows nothing of how many there are: lines and numbers by the thousand must not be joined one by one.
CREATE FUNCTION presented_lines(l xbrl_linkbase, r xbrl_report, wanted bigint) RETURNS json LANGUAGE sql STABLE SET enable_nestloop = off AS $$
    WITH line AS MATERIALIZED (
        SELECT e.place, e.depth::integer AS depth, e.concept, nullif(e.label, '') AS label, nullif(e.label_role, '') AS label_role,
               nullif(e.axis, '') AS axis
        FROM unnest(l.line_statements, l.line_depths, l.line_concepts, l.line_labels, l.line_label_roles, l.line_axes)
             WITH ORDINALITY AS e(statement, depth, concept, label, label_role, axis, place)
        WHERE e.statement = wanted::text),
    member AS MATERIALIZED (SELECT DISTINCT axis, concept AS member FROM line WHERE axis <> concept),
    axis AS MATERIALIZED (
        SELECT a.axis, EXISTS (SELECT 1 FROM member m WHERE m.axis = a.axis) AS has_members,
               d.member <> '' AND NOT EXISTS (SELECT 1 FROM member m WHERE m.axis = a.axis AND m.member = d.member) AS is_of_parts
        FROM (SELECT DISTINCT axis FROM line WHERE axis IS NOT NULL) a
        LEFT JOIN unnest(l.axes, l.axis_defaults) AS d(axis, member) USING (axis)),
    fact AS MATERIALIZED (
        SELECT f.*, row_number() OVER () AS number
        FROM (SELECT DISTINCT ON (e.concept, e.unit, e.starts, e.ends, e.dimension)
                     e.concept, e.unit, nullif(e.starts, '')::date AS start_date, e.ends::date AS end_date, e.amount::numeric AS value,
                     string_to_array(nullif(e.dimension, ''), ';') AS dimensions
              FROM unnest(r.concepts, r.units, r.start_dates, r.end_dates, r.amounts, r.dimensions, r.decimals)
                   AS e(concept, unit, starts, ends, amount, dimension, rounding)
              WHERE e.concept IN (SELECT concept FROM line WHERE axis IS NULL)
              ORDER BY e.concept, e.unit, e.starts, e.ends, e.dimension,
                       CASE WHEN e.rounding = 'INF' THEN 1000 WHEN e.rounding <> '' THEN e.rounding::integer ELSE -1000 END DESC,
                       e.amount::numeric) f),
    part AS MATERIALIZED (
        SELECT f.number, split_part(d, '=', 1) AS axis, split_part(d, '=', 2) AS member FROM fact f CROSS JOIN unnest(f.dimensions) AS d),
    left_out AS (
        SELECT p.number FROM part p LEFT JOIN axis a USING (axis) LEFT JOIN member m USING (axis, member)
        WHERE a.axis IS NULL OR (a.has_members AND m.member IS NULL)
        UNION ALL
        SELECT f.number FROM fact f CROSS JOIN axis a LEFT JOIN part p USING (number, axis) WHERE a.is_of_parts AND p.axis IS NULL),
    shown AS MATERIALIZED (
        SELECT f.*, json_build_object(
                   'unit', f.unit, 'start_date', f.start_date, 'end_date', f.end_date,
                   'dimensions', (SELECT coalesce(json_agg(json_build_object('axis', split_part(d, '=', 1), 'member', split_part(d, '=', 2))), '[]')
                                  FROM unnest(f.dimensions) AS d),
                   'value', f.value) AS words
        FROM fact f WHERE f.number NOT IN (SELECT number FROM left_out)),
    valued AS MATERIALIZED (
        SELECT e.place, json_agg(f.words ORDER BY f.unit COLLATE "C", f.dimensions::text COLLATE "C" NULLS FIRST, f.end_date DESC,
                                 f.start_date DESC NULLS LAST) AS facts
        FROM line e
        JOIN shown f ON f.concept = e.concept
        WHERE e.axis IS NULL
          AND CASE WHEN f.start_date IS NULL AND e.label_role ILIKE '%periodStartLabel' AND EXISTS (SELECT 1 FROM shown WHERE start_date IS NOT NULL)
                   THEN f.end_date + 1 IN (SELECT start_date FROM shown WHERE start_date IS NOT NULL)
                   WHEN f.start_date IS NULL AND e.label_role ILIKE '%periodEndLabel' AND EXISTS (SELECT 1 FROM shown WHERE start_date IS NOT NULL)
                   THEN f.end_date IN (SELECT end_date FROM shown WHERE start_date IS NOT NULL)
                   ELSE true END
        GROUP BY e.place)
    SELECT coalesce(json_agg(json_build_object(
               'concept', e.concept, 'label', e.label, 'label_role', e.label_role, 'negated', coalesce(e.label_role ILIKE 'negated%', false),
               'depth', e.depth, 'axis', e.axis, 'values', coalesce(v.facts, '[]'::json)) ORDER BY e.place), '[]'::json)
    FROM line e LEFT JOIN valued v USING (place)
$$;

-- Filings without calculations are none that are checked.
CREATE OR REPLACE FUNCTION check_calculations(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH written AS MATERIALIZED (
        SELECT l.issuer_id, l.accession FROM disclosed.xbrl_linkbase l WHERE l.issuer_id = ANY (issuers) AND disclosed.is_written(l.xmin)
        UNION
        SELECT r.issuer_id, r.accession FROM disclosed.xbrl_report r WHERE r.issuer_id = ANY (issuers) AND disclosed.is_written(r.xmin)),
    checked AS MATERIALIZED (
        SELECT l.issuer_id, l.accession, greatest(l.known_at, r.known_at) AS known_at, count(DISTINCT t.role)::integer AS statements,
               (count(DISTINCT t.role) - count(DISTINCT t.role) FILTER (WHERE abs(t.value - t.sum) > t.tolerance))::integer AS statements_agreeing,
               count(t.role)::integer AS sums, count(t.role) FILTER (WHERE abs(t.value - t.sum) <= t.tolerance)::integer AS sums_agreeing
        FROM written w JOIN disclosed.xbrl_linkbase l USING (issuer_id, accession)
        JOIN disclosed.xbrl_report r ON r.accession = l.accession AND r.issuer_id = l.issuer_id AND r.superseded_at IS NULL
             AND NOT EXISTS (SELECT 1 FROM disclosed.xbrl_report b
                             WHERE b.accession = r.accession AND b.issuer_id = r.issuer_id AND b.superseded_at IS NULL
                               AND disclosed.report_rank(b.told_by) < disclosed.report_rank(r.told_by))
        LEFT JOIN LATERAL disclosed.linkbase_sums(l, r) t ON true
        WHERE l.superseded_at IS NULL AND l.roles <> '{}'
        GROUP BY l.issuer_id, l.accession, l.known_at, r.known_at),
    gone AS (
        DELETE FROM disclosed.calculation_check t USING written w
        WHERE (t.issuer_id, t.accession) = (w.issuer_id, w.accession)
          AND NOT EXISTS (SELECT 1 FROM checked c WHERE (c.issuer_id, c.accession) = (t.issuer_id, t.accession))
        RETURNING t.issuer_id),
    made AS (
        INSERT INTO disclosed.calculation_check SELECT * FROM checked
        ON CONFLICT (issuer_id, accession) DO UPDATE
        SET (known_at, statements, statements_agreeing, sums, sums_agreeing)
          = (excluded.known_at, excluded.statements, excluded.statements_agreeing, excluded.sums, excluded.sums_agreeing)
        WHERE (calculation_check.known_at, calculation_check.statements, calculation_check.statements_agreeing, calculation_check.sums,
               calculation_check.sums_agreeing)
              IS DISTINCT FROM (excluded.known_at, excluded.statements, excluded.statements_agreeing, excluded.sums, excluded.sums_agreeing)
        RETURNING issuer_id)
    SELECT issuer_id FROM gone UNION SELECT issuer_id FROM made
$$;
