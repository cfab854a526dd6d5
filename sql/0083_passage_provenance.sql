-- passage_provenance() is back as 0056 made it: hosts with the module of before 0081 ask for it in search and ask while others have the new one.
-- In one transaction with 0081, so that none of them sees it gone.

SET LOCAL search_path = disclosed, public;

CREATE OR REPLACE FUNCTION passage_provenance(origin text_origin, cik bigint) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT json_build_object(
        'src_id', 'src_' || origin.dataset || '_' || replace(origin.src_digest::text, '-', ''), 'source_provider', s.provider,
        'source_url', a.url, 'accession', origin.accession, 'quote', origin.quote,
        'content_hash', disclosed.content_hash_text(s.content_hash), 'citation_url', a.url,
        'extracted_at', rtrim(rtrim(to_char(coalesce(s.extracted_at, origin.recorded_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z')
    FROM disclosed.source s
    CROSS JOIN LATERAL (SELECT CASE WHEN s.by_filing THEN disclosed.filing_address(s.url, cik, origin.accession, origin.document) ELSE s.url END AS url) a
    WHERE s.source_id = origin.source_id);
END $$;
