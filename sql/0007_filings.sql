-- Filings with the SEC, their exhibits and texts.

SET LOCAL search_path = disclosed, public;

-- One row for each filer of a filing: a Schedule 13D stands in the lists of its subject and of its
-- filer. is_primary marks the one that lists without a company show; settle_filings() keeps it. Whose
-- row that is depends on who is listed, now or then: filings of several filers are marked, so that lists
-- as of an instant look at all their rows and at no others.
CREATE TABLE filing (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    form        text NOT NULL,
    filed_on    date NOT NULL,
    accepted_at timestamptz,
    period_of_report date,
    title       text,
    items       text[],
    primary_document text,
    file_number text,
    size_bytes  bigint,
    is_primary  boolean NOT NULL DEFAULT true,
    event_id    bigint,
    is_shared   boolean NOT NULL DEFAULT false,
    -- EDGAR dates what it accepts in the evening on the next business day (17 CFR 232.13): lists by
    -- date as of an instant rely on the filing date being no further ahead than this.
    CHECK (filed_on <= (known_at AT TIME ZONE 'UTC')::date + 14),
    CHECK (accession ~ '^\d{10}-\d{2}-\d{6}$')
);
CALL finish_dataset_table('filing');
ALTER TABLE filing ALTER COLUMN accession SET NOT NULL;
COMMENT ON COLUMN filing.is_shared IS 'the filing has rows of other filers; kept by settle_filings(), as is_primary is';
CREATE INDEX filing_accession ON filing (accession);
-- Lists by date walk an index of all versions: closed ones are few, so that one index serves now and
-- as_of alike, and a second one for the current versions would only slow down loading.
CREATE INDEX filing_issuer_date ON filing (issuer_id, filed_on, id);
CREATE INDEX filing_recorded ON filing (recorded_at) WHERE superseded_at IS NULL;
CREATE INDEX filing_event ON filing (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX filing_results ON filing (issuer_id)
    WHERE form IN ('8-K', '8-K/A', '10-Q', '10-Q/A', '10-QT', '10-K', '10-K/A', '10-KT', '20-F', '20-F/A',
                   '40-F', '40-F/A');
-- A large issuer has tens of filings of a form among tens of thousands.
CREATE INDEX filing_issuer_form_date ON filing (issuer_id, form, filed_on, id);
CREATE INDEX filing_date ON filing (filed_on, id) WHERE is_primary OR is_shared;
CREATE INDEX filing_form_date ON filing (form, filed_on, id) WHERE is_primary OR is_shared;
CREATE INDEX filing_shared ON filing (issuer_id) WHERE is_shared;

-- Texts have no published_at where the time of acceptance is not known: the end of the filing date, from which they are known
-- then, is no time at which they were published.

-- EX-99.1 and EX-99.2 of earnings releases, as text.
CREATE TABLE filing_exhibit (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    exhibit_type text NOT NULL,
    sequence    bigint NOT NULL,
    file_name   text,
    title       text,
    published_at timestamptz,
    text        text NOT NULL,
    text_chars  bigint GENERATED ALWAYS AS (char_length(text)) STORED
);
CALL finish_dataset_table('filing_exhibit');
ALTER TABLE filing_exhibit ALTER COLUMN accession SET NOT NULL;
COMMENT ON COLUMN filing_exhibit.text_chars IS 'characters of text';
CREATE INDEX filing_exhibit_accession ON filing_exhibit (accession, sequence);

-- The main document of 10-K, 10-Q and 8-K filings as text, and where its sections are:
-- [{"key","title","char_start","char_end"}], offsets in characters (code points), end exclusive.
CREATE TABLE filing_text (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    form        text NOT NULL,
    published_at timestamptz,
    text        text NOT NULL,
    sections    jsonb NOT NULL
);
CALL finish_dataset_table('filing_text');
ALTER TABLE filing_text ALTER COLUMN accession SET NOT NULL;
CREATE INDEX filing_text_accession ON filing_text (accession);

-- By what a document says it is known again through a digest of its own, which is the same in a file alone and in a
-- submission.
CREATE TABLE named_document (
    document  text COLLATE "C" NOT NULL,
    accession text NOT NULL,
    PRIMARY KEY (document, accession)
);
COMMENT ON TABLE named_document IS 'the accession numbers of documents that may also come without one';
COMMENT ON COLUMN named_document.document IS '"sha256:" and the first 32 digits of its digest, line ends as one LF: as in record keys';
CREATE INDEX named_document_accession ON named_document (accession);

-- ----------------------------------------------- filings of several filers

-- Which filer's row stands for each of these filings: one with a symbol before one without, then the lowest CIK.
CREATE FUNCTION rank_filers(accessions text[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH touched AS MATERIALIZED (SELECT DISTINCT unnest(accessions) AS accession),
    ranked AS (
        SELECT f.issuer_id, f.row_id, f.is_primary, f.is_shared,
               first_value(f.issuer_id) OVER (PARTITION BY f.accession
                   ORDER BY i.ticker IS NULL, i.cik, f.issuer_id) = f.issuer_id AS should_be,
               min(f.issuer_id) OVER (PARTITION BY f.accession)
                   <> max(f.issuer_id) OVER (PARTITION BY f.accession) AS has_others
        FROM touched JOIN disclosed.filing f USING (accession)
        JOIN disclosed.issuer i ON i.issuer_id = f.issuer_id)
    UPDATE disclosed.filing f SET is_primary = r.should_be, is_shared = r.has_others
    FROM ranked r
    WHERE f.issuer_id = r.issuer_id AND f.row_id = r.row_id
      AND (r.is_primary, r.is_shared) <> (r.should_be, r.has_others)
    RETURNING f.issuer_id
$$;

-- Filers have been listed, or are no longer.
CREATE FUNCTION follow_listings_filings(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    SELECT disclosed.rank_filers(ARRAY(
        SELECT DISTINCT accession FROM disclosed.filing WHERE is_shared AND issuer_id = ANY(issuers)))
$$;

-- Whose row stood for a filing at an instant, as settle_filings() has it now.
CREATE FUNCTION primary_filer(of_accession text, instant timestamptz) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT f.issuer_id
    FROM disclosed.filing f
    JOIN disclosed.issuer i ON i.issuer_id = f.issuer_id
    LEFT JOIN LATERAL disclosed.primary_listing(f.issuer_id, instant) l ON true
    WHERE f.accession = of_accession AND f.known_at <= instant
      AND (f.superseded_at IS NULL OR f.superseded_at > instant)
    ORDER BY l.ticker IS NULL, i.cik, f.issuer_id LIMIT 1
$$;

-- --------------------------------------------------- how many the list has

-- The list has a filing of several filers once, under the filer whose row is primary. That count is kept by whatever
-- changes rows, a load or settle_filings().
CREATE FUNCTION count_listed_filings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change bigint := 0;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        SELECT count(*) INTO change FROM added WHERE is_primary AND superseded_at IS NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        SELECT change - count(*) INTO change FROM removed WHERE is_primary AND superseded_at IS NULL;
    END IF;
    IF change <> 0 THEN
        UPDATE disclosed.dataset_stat
        SET record_count = record_count + change, version = version + 1, changed_at = now()
        WHERE dataset = 'filing/listed';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER filing_listed_insert AFTER INSERT ON filing
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_listed_filings();
CREATE TRIGGER filing_listed_update AFTER UPDATE ON filing
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_listed_filings();
CREATE TRIGGER filing_listed_delete AFTER DELETE ON filing
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_listed_filings();

INSERT INTO dataset_stat (dataset, version) VALUES ('filing/listed', 1);

-- ----------------------------------------------------------- what is asked

-- Sections in the order of the text. Those of `keys` come with their text: `most` characters from the character
-- `first` on (counted from 0), of all together; text_next says where the rest begins, null where none is left.
CREATE FUNCTION sections_with_text(sections jsonb, body text, keys text[], first bigint, most bigint)
RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    WITH section AS (
        SELECT s.*, s.key = ANY (keys) AS is_wanted,
               greatest(0, s.char_end - s.char_start - first) AS asked
        FROM jsonb_to_recordset(sections) AS s(key text, title text, char_start bigint, char_end bigint)),
    part AS (
        SELECT s.*, greatest(0, least(s.asked, most - coalesce(sum(s.asked) FILTER (WHERE s.is_wanted) OVER (
                   ORDER BY s.char_start, s.char_end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)))::bigint AS given
        FROM section s)
    SELECT CASE WHEN sections IS NULL THEN NULL ELSE coalesce((
        SELECT json_agg(CASE WHEN p.is_wanted
                   THEN json_build_object('key', p.key, 'title', p.title,
                            'char_start', p.char_start, 'char_end', p.char_end,
                            'text', substr(body, (p.char_start + first + 1)::integer, p.given::integer),
                            'text_start', first,
                            'text_next', CASE WHEN p.given < p.asked THEN first + p.given END)
                   ELSE json_build_object('key', p.key, 'title', p.title,
                            'char_start', p.char_start, 'char_end', p.char_end) END
               ORDER BY p.char_start, p.char_end)
        FROM part p), '[]') END
$$;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON named_document TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON named_document TO disclosed_loader;
