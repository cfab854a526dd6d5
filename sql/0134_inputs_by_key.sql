-- What a number is derived from is told without a look at it: httpd makes the src_ids of a formula's terms from their keys.

SET LOCAL search_path = disclosed, public;

ALTER TABLE canonical_metric ADD COLUMN term_keys text[];
COMMENT ON COLUMN canonical_metric.term_keys IS 'metric_key of each of terms. By note_lines()';

-- For migrations that change canonical_concept, canonical_formula or canonical_average_ratio.
CREATE OR REPLACE PROCEDURE note_lines() LANGUAGE sql AS $$
    UPDATE disclosed.canonical_metric m
    SET concepts = n.concepts, terms = f.terms, term_keys = f.keys, term_balances = f.balances, formula = n.formula
    FROM (SELECT a.metric_key,
                 (SELECT array_agg(c.concept ORDER BY c.rank) FROM disclosed.canonical_concept c WHERE c.metric_key = a.metric_key) AS concepts,
                 disclosed.formula_text(a.metric_key) AS formula
          FROM disclosed.canonical_metric a) n
    LEFT JOIN (SELECT t.metric_key, array_agg(o.metric_id ORDER BY t.place) AS terms, array_agg(o.metric_key ORDER BY t.place) AS keys,
                      CASE WHEN count(t.balance) > 0 THEN array_agg(t.balance ORDER BY t.place) END AS balances
               FROM disclosed.canonical_term t JOIN disclosed.canonical_metric o ON o.metric_key = t.term
               WHERE t.rule = 'formula' GROUP BY t.metric_key) f USING (metric_key)
    WHERE n.metric_key = m.metric_key
      AND (m.concepts, m.terms, m.term_keys, m.term_balances, m.formula) IS DISTINCT FROM (n.concepts, f.terms, f.keys, f.balances, n.formula)
$$;
CALL note_lines();
