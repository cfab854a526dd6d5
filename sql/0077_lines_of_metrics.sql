-- What pages show of a metric stands with it: a page of numbers asks for its elements and for the terms of its formula in every row.

SET LOCAL search_path = disclosed, public;

ALTER TABLE canonical_metric ADD COLUMN concepts text[], ADD COLUMN terms smallint[];
COMMENT ON COLUMN canonical_metric.concepts IS 'concepts of canonical_concept by rank; NULL: none. By note_lines()';
COMMENT ON COLUMN canonical_metric.terms IS 'metric_id of the terms of canonical_formula by place; NULL: no formula. By note_lines()';

-- For migrations that change canonical_concept or canonical_formula.
CREATE PROCEDURE note_lines() LANGUAGE sql AS $$
    UPDATE disclosed.canonical_metric m SET concepts = n.concepts, terms = n.terms
    FROM (SELECT a.metric_key,
                 (SELECT array_agg(c.concept ORDER BY c.rank) FROM disclosed.canonical_concept c WHERE c.metric_key = a.metric_key) AS concepts,
                 (SELECT array_agg(t.metric_id ORDER BY f.place) FROM disclosed.canonical_formula f JOIN disclosed.canonical_metric t ON t.metric_key = f.term
                  WHERE f.metric_key = a.metric_key) AS terms
          FROM disclosed.canonical_metric a) n
    WHERE n.metric_key = m.metric_key AND (m.concepts, m.terms) IS DISTINCT FROM (n.concepts, n.terms)
$$;
CALL note_lines();
