-- Where a passage comes from: the record of its text by a query that PostgreSQL plans with the one that asks, and its provenance by the columns
-- of which httpd writes that of any row.

SET LOCAL search_path = disclosed, public;

DROP FUNCTION passage_provenance(text_origin, bigint);

-- One of the parts has the row, which the kind says. Never STRICT and no PL/pgSQL: a single query is put into the one that asks.
CREATE OR REPLACE FUNCTION text_record(kind text, of_issuer bigint, of_row bigint, instant timestamptz) RETURNS SETOF text_origin
LANGUAGE sql STABLE ROWS 1 AS $$
    SELECT 'filing_text'::text, t.id, t.src_digest, t.source_id, t.accession, t.quote, t.recorded_at, f.primary_document,
           CASE WHEN instant IS NULL THEN f.event_id ELSE disclosed.event_then(f.id, f.event_id, instant) END, t.published_at
    FROM disclosed.filing_text t
    LEFT JOIN LATERAL (SELECT o.id, o.event_id, o.primary_document FROM disclosed.filing o
                       WHERE o.accession = t.accession AND o.superseded_at IS NULL
                       ORDER BY o.issuer_id = t.issuer_id DESC LIMIT 1) f ON true
    WHERE kind = 'filing' AND t.issuer_id = of_issuer AND t.row_id = of_row
    UNION ALL
    SELECT 'exhibit', t.id, t.src_digest, t.source_id, t.accession, t.quote, t.recorded_at, t.file_name,
           CASE WHEN instant IS NULL THEN f.event_id ELSE disclosed.event_then(f.id, f.event_id, instant) END, t.published_at
    FROM disclosed.filing_exhibit t
    LEFT JOIN LATERAL (SELECT o.id, o.event_id FROM disclosed.filing o WHERE o.accession = t.accession AND o.superseded_at IS NULL
                       ORDER BY o.issuer_id = t.issuer_id DESC LIMIT 1) f ON true
    WHERE kind = 'exhibit' AND t.issuer_id = of_issuer AND t.row_id = of_row
    UNION ALL
    SELECT 'transcript', t.id, t.src_digest, t.source_id, t.accession, t.quote, t.recorded_at, NULL,
           CASE WHEN instant IS NULL THEN t.event_id ELSE disclosed.event_then(t.id, t.event_id, instant) END, t.call_date
    FROM disclosed.transcript t WHERE kind = 'transcript' AND t.issuer_id = of_issuer AND t.row_id = of_row
    UNION ALL
    SELECT 'document', t.id, t.src_digest, t.source_id, t.accession, t.quote, t.recorded_at, NULL,
           CASE WHEN instant IS NULL THEN t.event_id ELSE disclosed.event_then(t.id, t.event_id, instant) END, t.published_at
    FROM disclosed.document t WHERE kind NOT IN ('filing', 'exhibit', 'transcript') AND t.issuer_id = of_issuer AND t.row_id = of_row
$$;
