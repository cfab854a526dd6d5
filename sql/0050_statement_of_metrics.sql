-- The statement that a metric stands in, beside the metric: pages of numbers name it in each row.

SET LOCAL search_path = disclosed, public;

ALTER TABLE canonical_metric ADD COLUMN template_slug text REFERENCES statement_template;
UPDATE canonical_metric m SET template_slug = (
    SELECT l.template_slug FROM template_metric l JOIN statement_template s ON s.slug = l.template_slug
    WHERE l.metric_key = m.metric_key ORDER BY s.place LIMIT 1);
COMMENT ON COLUMN canonical_metric.template_slug IS 'the first of the statements that template_metric puts it in; NULL: none';
