-- How the elements of a filing add up, as its own linkbases say, and whether its numbers do.

SET LOCAL search_path = disclosed, public;

-- What is wrong with a linkbase, by name and place; NULL: nothing.
CREATE FUNCTION linkbase_fault(roles text[], parents text[], children text[], weights text[], statement_roles text[], statement_names text[],
    concepts text[], labels text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    element CONSTANT text := '^[^:\s]+:[^:\s]+$';
    arcs CONSTANT integer := cardinality(roles);
BEGIN
    IF (cardinality(parents), cardinality(children), cardinality(weights)) IS DISTINCT FROM (arcs, arcs, arcs) THEN
        RETURN 'roles, parents, children and weights are not of one length';
    ELSIF cardinality(statement_roles) IS DISTINCT FROM cardinality(statement_names) THEN
        RETURN 'statement_roles and statement_names are not of one length';
    ELSIF cardinality(concepts) IS DISTINCT FROM cardinality(labels) THEN
        RETURN 'concepts and labels are not of one length';
    END IF;
    RETURN (
        SELECT f.fault FROM (
            SELECT place, CASE
                WHEN coalesce(parent, '') !~ element THEN 'parents[' || place - 1 || ']: not taxonomy:Name'
                WHEN coalesce(child, '') !~ element THEN 'children[' || place - 1 || ']: not taxonomy:Name'
                WHEN coalesce(weight, '') !~ '^-?[0-9]{1,9}([.][0-9]{1,9})?$' THEN 'weights[' || place - 1 || ']: not a decimal'
                END AS fault
            FROM unnest(parents, children, weights) WITH ORDINALITY AS e(parent, child, weight, place)) f
        WHERE f.fault IS NOT NULL ORDER BY f.place LIMIT 1);
END $$;

CREATE TABLE xbrl_linkbase (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    form        text NOT NULL,
    filed_on    date NOT NULL,
    roles       text[] NOT NULL,
    parents     text[] NOT NULL,
    children    text[] NOT NULL,
    weights     text[] NOT NULL,
    statement_roles text[],
    statement_names text[],
    concepts    text[],
    labels      text[],
    CONSTRAINT xbrl_linkbase_fault CHECK (
        linkbase_fault(roles, parents, children, weights, statement_roles, statement_names, concepts, labels) IS NULL)
);
ALTER TABLE xbrl_linkbase ALTER COLUMN accession SET NOT NULL;
CALL finish_dataset_table('xbrl_linkbase');
COMMENT ON TABLE xbrl_linkbase IS 'calculations and labels of a filing: the nth of roles, parents, children and weights is one arc';
COMMENT ON COLUMN xbrl_linkbase.roles IS 'URIs of the statements that the arcs are in';
COMMENT ON COLUMN xbrl_linkbase.statement_names IS 'what the filing calls the statement of that place in statement_roles';
COMMENT ON COLUMN xbrl_linkbase.labels IS 'standard label of the element of that place in concepts';
-- list_filing_calculations, get_calculation
CREATE INDEX xbrl_linkbase_accession ON xbrl_linkbase USING hash (accession);

-- Linkbases are public when their filings are, as those that are loaded say. Returns the issuers of those that have moved.
CREATE FUNCTION date_xbrl_linkbases(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH public AS (
        SELECT r.issuer_id, r.row_id, min(f.known_at) AS known_at
        FROM disclosed.xbrl_linkbase r
        JOIN disclosed.filing f ON f.accession = r.accession AND f.superseded_at IS NULL
        WHERE r.issuer_id = ANY (issuers)
        GROUP BY r.issuer_id, r.row_id),
    moved AS (
        UPDATE disclosed.xbrl_linkbase r
        SET known_at = p.known_at,
            superseded_at = CASE WHEN r.superseded_at = r.known_at THEN p.known_at
                                 WHEN r.superseded_at IS NOT NULL THEN greatest(r.superseded_at, p.known_at) END
        FROM public p
        WHERE r.issuer_id = p.issuer_id AND r.row_id = p.row_id AND r.known_at <> p.known_at
        RETURNING r.issuer_id)
    SELECT DISTINCT issuer_id FROM moved
$$;

-- --------------------------------------------------------------------- sums

-- The sums of a filing: each parent of a statement that is reported for a unit and period of the whole company, with those of its
-- children that are reported for the same (XBRL 2.1, 5.2.5.2). They agree where the ranges that the numbers are rounded from overlap
-- (Calculations 1.1, 2.3): half a unit of each one's last exact digit.
CREATE FUNCTION linkbase_sums(l xbrl_linkbase, r xbrl_report)
RETURNS TABLE (role text, parent text, unit text, start_date date, end_date date, value numeric, sum numeric, tolerance numeric, children json)
LANGUAGE sql STABLE AS $$
    WITH fact AS MATERIALIZED (
        SELECT DISTINCT ON (e.concept, e.unit, e.starts, e.ends)
               e.concept, e.unit, e.starts, e.ends, e.amount::numeric AS value,
               CASE WHEN e.rounding ~ '^-?[0-9]+$' THEN 0.5 * (10::numeric ^ (- e.rounding::integer)) ELSE 0 END AS margin
        FROM unnest(r.concepts, r.units, r.start_dates, r.end_dates, r.amounts, r.dimensions, r.decimals)
             AS e(concept, unit, starts, ends, amount, dimension, rounding)
        WHERE coalesce(e.dimension, '') = ''
        ORDER BY e.concept, e.unit, e.starts, e.ends,
                 CASE WHEN e.rounding = 'INF' THEN 1000 WHEN e.rounding <> '' THEN e.rounding::integer ELSE -1000 END DESC, e.amount::numeric),
    arc AS (
        SELECT a.role, a.parent, a.child, trim_scale(a.weight::numeric) AS weight, a.place
        FROM unnest(l.roles, l.parents, l.children, l.weights) WITH ORDINALITY AS a(role, parent, child, weight, place))
    SELECT a.role, a.parent, p.unit, nullif(p.starts, '')::date, p.ends::date, p.value,
           sum(a.weight * c.value), trim_scale(p.margin + sum(abs(a.weight) * c.margin)),
           json_agg(json_build_object('concept', a.child, 'weight', a.weight, 'value', c.value) ORDER BY a.place)
    FROM arc a
    JOIN fact p ON p.concept = a.parent
    JOIN fact c ON c.concept = a.child AND (c.unit, c.starts, c.ends) = (p.unit, p.starts, p.ends)
    GROUP BY a.role, a.parent, p.unit, p.starts, p.ends, p.value, p.margin
$$;

-- What the filing calls a statement: "0000003 - Statement - BALANCE SHEETS" without what stands before it; else the end of its URI.
CREATE FUNCTION statement_name(role text, statement_roles text[], statement_names text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(regexp_replace(statement_names[array_position(statement_roles, role)], '^[0-9]+ - [A-Za-z]+ - ', ''),
                    regexp_replace(role, '^.*/', ''))
$$;

-- The statements of a filing with their sums, as they are served.
CREATE FUNCTION linkbase_statements(l xbrl_linkbase, r xbrl_report) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(json_build_object(
               'role', s.role, 'name', disclosed.statement_name(s.role, l.statement_roles, l.statement_names),
               'sum_count', s.count, 'agreeing', s.agreeing, 'sums', s.sums) ORDER BY array_position(l.roles, s.role)), '[]'::json)
    FROM (SELECT t.role, count(*) AS count, count(*) FILTER (WHERE abs(t.value - t.sum) <= t.tolerance) AS agreeing,
                 json_agg(json_build_object(
                     'concept', t.parent, 'label', l.labels[array_position(l.concepts, t.parent)], 'unit', t.unit, 'start_date', t.start_date,
                     'end_date', t.end_date, 'value', t.value, 'sum', t.sum, 'difference', t.value - t.sum, 'tolerance', t.tolerance,
                     'agrees', abs(t.value - t.sum) <= t.tolerance, 'children', t.children)
                     ORDER BY t.parent COLLATE "C", t.unit COLLATE "C", t.end_date, t.start_date NULLS FIRST) AS sums
          FROM disclosed.linkbase_sums(l, r) t GROUP BY t.role) s
$$;

-- How many of a filing's statements and sums agree.
CREATE TABLE calculation_check (
    issuer_id   bigint NOT NULL REFERENCES issuer,
    accession   text NOT NULL,
    known_at    timestamptz NOT NULL,
    statements  integer NOT NULL,
    statements_agreeing integer NOT NULL,
    sums        integer NOT NULL,
    sums_agreeing integer NOT NULL,
    PRIMARY KEY (issuer_id, accession)
);
COMMENT ON TABLE calculation_check IS 'whether the statements of a filing add up by its own linkbase';
GRANT SELECT ON calculation_check TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON calculation_check TO disclosed_loader;

-- Adds up the statements of these companies' filings anew. Returns those of which something has changed.
CREATE FUNCTION check_calculations(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH checked AS MATERIALIZED (
        SELECT l.issuer_id, l.accession, greatest(l.known_at, r.known_at) AS known_at, count(DISTINCT t.role)::integer AS statements,
               (count(DISTINCT t.role) - count(DISTINCT t.role) FILTER (WHERE abs(t.value - t.sum) > t.tolerance))::integer AS statements_agreeing,
               count(t.role)::integer AS sums, count(t.role) FILTER (WHERE abs(t.value - t.sum) <= t.tolerance)::integer AS sums_agreeing
        FROM disclosed.xbrl_linkbase l
        JOIN disclosed.xbrl_report r ON r.accession = l.accession AND r.issuer_id = l.issuer_id AND r.superseded_at IS NULL
             AND NOT EXISTS (SELECT 1 FROM disclosed.xbrl_report b
                             WHERE b.accession = r.accession AND b.issuer_id = r.issuer_id AND b.superseded_at IS NULL
                               AND disclosed.report_rank(b.told_by) < disclosed.report_rank(r.told_by))
        LEFT JOIN LATERAL disclosed.linkbase_sums(l, r) t ON true
        WHERE l.issuer_id = ANY (issuers) AND l.superseded_at IS NULL
        GROUP BY l.issuer_id, l.accession, l.known_at, r.known_at),
    gone AS (
        DELETE FROM disclosed.calculation_check t
        WHERE t.issuer_id = ANY (issuers)
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

CREATE FUNCTION settle_linkbases(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    SELECT * FROM disclosed.date_xbrl_linkbases(issuers) UNION SELECT * FROM disclosed.check_calculations(issuers)
$$;
