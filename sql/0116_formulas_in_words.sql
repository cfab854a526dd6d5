-- The formula of a metric, in words, stands with the metric: who asks what is missing of a company asks for many.

SET LOCAL search_path = disclosed, public;

ALTER TABLE canonical_metric ADD COLUMN formula text;
COMMENT ON COLUMN canonical_metric.formula IS 'formula_text() of it; NULL: no formula. By note_lines()';

-- For migrations that change canonical_concept or canonical_formula.
CREATE OR REPLACE PROCEDURE note_lines() LANGUAGE sql AS $$
    UPDATE disclosed.canonical_metric m SET concepts = n.concepts, terms = n.terms, formula = n.formula
    FROM (SELECT a.metric_key,
                 (SELECT array_agg(c.concept ORDER BY c.rank) FROM disclosed.canonical_concept c WHERE c.metric_key = a.metric_key) AS concepts,
                 (SELECT array_agg(t.metric_id ORDER BY f.place) FROM disclosed.canonical_formula f JOIN disclosed.canonical_metric t ON t.metric_key = f.term
                  WHERE f.metric_key = a.metric_key) AS terms,
                 disclosed.formula_text(a.metric_key) AS formula
          FROM disclosed.canonical_metric a) n
    WHERE n.metric_key = m.metric_key AND (m.concepts, m.terms, m.formula) IS DISTINCT FROM (n.concepts, n.terms, n.formula)
$$;
CALL note_lines();
