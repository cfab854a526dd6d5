-- The foundation: who may ask, what was imported, who files, and how many rows there are.
--
-- Applied by `disclosedctl migrate` as the owner of the database. The roles disclosed_api (the
-- module) and disclosed_loader (imports) exist before: sql/roles.sql makes them.

CREATE SCHEMA disclosed;
SET LOCAL search_path = disclosed, public;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

GRANT USAGE ON SCHEMA disclosed TO disclosed_api, disclosed_loader;

-- Text in which LIKE finds `needle` as a substring and nothing in it is a wildcard.
CREATE FUNCTION like_pattern(needle text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT '%' || regexp_replace(needle, '([\\%_])', '\\\1', 'g') || '%' $$;

-- The instant at which a day that carries no time is over in New York, where the SEC is.
CREATE FUNCTION end_of_day(day date) RETURNS timestamptz
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
$$ SELECT (day + 1)::timestamp AT TIME ZONE 'America/New_York' - interval '1 microsecond' $$;

-- ------------------------------------------------------------------ access

CREATE TABLE account (
    account_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner       text NOT NULL UNIQUE CHECK (owner <> ''),
    created_at  timestamptz NOT NULL DEFAULT now()
);

-- Keys are stored as salted digests alone; key_id is the public part that listings show.
CREATE TABLE api_key (
    key_id      text PRIMARY KEY CHECK (key_id ~ '^[0-9A-Za-z]{8}$'),
    account_id  bigint NOT NULL REFERENCES account,
    kind        text NOT NULL CHECK (kind IN ('live', 'test')),
    plan        text NOT NULL CHECK (plan ~ '^[a-z][a-z0-9_-]{0,31}$'),
    name        text,
    salt        bytea NOT NULL CHECK (octet_length(salt) = 16),
    digest      bytea NOT NULL CHECK (octet_length(digest) = 32),
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz,
    revoked_at  timestamptz
);
CREATE INDEX api_key_account ON api_key (account_id);

-- One row; the generation rises with every change that must reach the key caches.
CREATE TABLE key_generation (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    generation  bigint NOT NULL DEFAULT 1
);
INSERT INTO key_generation DEFAULT VALUES;

CREATE FUNCTION raise_key_generation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE disclosed.key_generation SET generation = generation + 1;
    PERFORM pg_notify('disclosed', 'keys');
    RETURN NULL;
END $$;
CREATE TRIGGER api_key_changed AFTER UPDATE OR DELETE ON api_key
    FOR EACH STATEMENT EXECUTE FUNCTION raise_key_generation();

-- ----------------------------------------------------------------- imports

CREATE TABLE import_run (
    import_run_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source      text NOT NULL,
    file        text NOT NULL,
    started_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at timestamptz,
    status      text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done', 'failed')),
    rows_read   bigint NOT NULL DEFAULT 0,
    stored      bigint NOT NULL DEFAULT 0,
    unchanged   bigint NOT NULL DEFAULT 0,
    superseded  bigint NOT NULL DEFAULT 0,
    rejected    bigint NOT NULL DEFAULT 0,
    message     text
);
CREATE INDEX import_run_started ON import_run (started_at);

CREATE TABLE import_reject (
    import_run_id bigint NOT NULL REFERENCES import_run ON DELETE CASCADE,
    place       text NOT NULL,
    reason      text NOT NULL,
    sample      text
);
CREATE INDEX import_reject_run ON import_reject (import_run_id);

CREATE TABLE source_provider (
    provider    text PRIMARY KEY,
    description text NOT NULL
);
INSERT INTO source_provider VALUES
    ('sec', 'U.S. Securities and Exchange Commission, EDGAR'),
    ('finra', 'Financial Industry Regulatory Authority'),
    ('senate_efd', 'U.S. Senate, electronic financial disclosures'),
    ('house_clerk', 'Clerk of the U.S. House of Representatives, financial disclosures'),
    ('exchange_site', 'an exchange''s own site'),
    ('exchange_hist', 'an exchange''s historical files'),
    ('issuer_page', 'the issuer''s own pages'),
    ('vendor_feed_mini', 'a data vendor''s feed'),
    ('service_ir', 'this service: investor-relations documents'),
    ('service_transcript', 'this service: transcripts'),
    ('fictional', 'demo data about companies that do not exist');

-- ---------------------------------------------------------------- versions

-- One row a dataset, changed in the transaction that changes its rows. `version` rises with each
-- such transaction: answers are tagged with it.
CREATE TABLE dataset_stat (
    dataset     text PRIMARY KEY,
    record_count bigint NOT NULL DEFAULT 0,
    latest      date,
    version     bigint NOT NULL DEFAULT 0,
    changed_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE dataset_issuer_stat (
    issuer_id   bigint NOT NULL,
    dataset     text NOT NULL,
    record_count bigint NOT NULL DEFAULT 0,
    latest      date,
    PRIMARY KEY (issuer_id, dataset)
);

-- A version is a time as well (microseconds since 1970), so that those of a database made anew are
-- not taken for those of the one before.
CREATE FUNCTION stamp_dataset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := greatest(NEW.version, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
    RETURN NEW;
END $$;
CREATE TRIGGER dataset_stamped BEFORE INSERT OR UPDATE ON dataset_stat
    FOR EACH ROW EXECUTE FUNCTION stamp_dataset();

CREATE FUNCTION announce_dataset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('disclosed', 'dataset');
    RETURN NULL;
END $$;
CREATE TRIGGER dataset_changed AFTER INSERT OR UPDATE OR DELETE ON dataset_stat
    FOR EACH STATEMENT EXECUTE FUNCTION announce_dataset();

-- ----------------------------------------------------------------- issuers

-- Everyone who files: companies, funds and persons. Identity only; facts are versions in
-- issuer_profile and listing. The symbol columns repeat the primary listing and are kept by
-- settle_companies().
CREATE TABLE issuer (
    issuer_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cik         bigint UNIQUE CHECK (cik BETWEEN 1 AND 9999999999),
    name        text,
    ticker      text,
    market      text,
    symbol      text GENERATED ALWAYS AS (ticker || ':' || market) STORED,
    first_public_at timestamptz,
    named_at    timestamptz
);
COMMENT ON COLUMN issuer.named_at IS 'time of the report that gave the name, where neither a profile nor a listing does';

-- Numbers of records.
CREATE SEQUENCE record_id;

-- What every dataset table begins with; the tables are made LIKE it, and finish_dataset_table()
-- gives them what LIKE does not copy.
CREATE TABLE dataset_record (
    row_id      bigint GENERATED ALWAYS AS IDENTITY,
    id          bigint NOT NULL,
    issuer_id   bigint NOT NULL,
    record_key  text NOT NULL,
    known_at    timestamptz NOT NULL,
    superseded_at timestamptz,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    import_run_id bigint,
    src_digest  uuid NOT NULL,
    source_provider text NOT NULL,
    source_url  text,
    accession   text,
    quote       text,
    content_hash text,
    extracted_at timestamptz
);
COMMENT ON COLUMN dataset_record.row_id IS 'this version of the record';
COMMENT ON COLUMN dataset_record.id IS 'the record, the same over its versions';
COMMENT ON COLUMN dataset_record.record_key IS 'what makes it the same record in its source';
COMMENT ON COLUMN dataset_record.known_at IS 'when it became public';
COMMENT ON COLUMN dataset_record.superseded_at IS 'when a later version became public';
COMMENT ON COLUMN dataset_record.recorded_at IS 'when it was loaded here';
COMMENT ON COLUMN dataset_record.src_digest
    IS 'first 128 bits of SHA-256 over dataset, provider, issuer and record_key: the src_id';

CREATE PROCEDURE finish_dataset_table(name text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %1$I ADD PRIMARY KEY (issuer_id, row_id),'
                   ' ADD FOREIGN KEY (issuer_id) REFERENCES issuer,'
                   ' ADD FOREIGN KEY (source_provider) REFERENCES source_provider', name);
    EXECUTE format('CREATE INDEX %2$I ON %1$I (issuer_id, record_key, known_at)',
                   name, name || '_record');
    EXECUTE format('CREATE UNIQUE INDEX %2$I ON %1$I (issuer_id, record_key)'
                   ' WHERE superseded_at IS NULL', name, name || '_current');
    EXECUTE format('CREATE INDEX %2$I ON %1$I (src_digest) WHERE superseded_at IS NULL',
                   name, name || '_src');
END $$;

-- The division of the Standard Industrial Classification that a SIC code is in, by its major group:
-- the first two of four digits (OSHA, SIC manual).
CREATE FUNCTION sic_sector(sic text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN sic !~ '^\d{3,4}$' THEN NULL ELSE (
        SELECT division FROM (VALUES
            (1, 9, 'Agriculture, Forestry, And Fishing'), (10, 14, 'Mining'),
            (15, 17, 'Construction'), (20, 39, 'Manufacturing'),
            (40, 49, 'Transportation, Communications, Electric, Gas, And Sanitary Services'),
            (50, 51, 'Wholesale Trade'), (52, 59, 'Retail Trade'),
            (60, 67, 'Finance, Insurance, And Real Estate'), (70, 89, 'Services'),
            (91, 98, 'Public Administration'), (99, 99, 'Nonclassifiable Establishments')
        ) AS divisions(first_group, last_group, division)
        WHERE lpad(sic, 4, '0')::integer / 100 BETWEEN first_group AND last_group) END
$$;

CREATE TABLE issuer_profile (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    name        text NOT NULL,
    entity_type text,
    sic         text,
    sic_description text,
    sector      text GENERATED ALWAYS AS (sic_sector(sic)) STORED,
    country     text,
    state_of_incorporation text,
    fiscal_year_end text,
    filer_category text,
    website     text,
    description text,
    employee_count bigint,
    ein         text,
    lei         text,
    phone       text
);
CALL finish_dataset_table('issuer_profile');

CREATE TABLE listing (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    ticker      text NOT NULL CHECK (ticker = upper(ticker) AND ticker <> ''),
    market      text NOT NULL CHECK (market = upper(market) AND market <> ''),
    symbol      text GENERATED ALWAYS AS (ticker || ':' || market) STORED,
    name        text NOT NULL,
    listing_exchange text,
    isin        text,
    figi        text,
    is_etf      boolean NOT NULL DEFAULT false,
    is_fund     boolean NOT NULL DEFAULT false,
    is_adr      boolean NOT NULL DEFAULT false,
    status      text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive', 'delisted')),
    listing_rank bigint NOT NULL DEFAULT 0,
    listed_on   date NOT NULL,
    observed_at timestamptz
);
CALL finish_dataset_table('listing');
COMMENT ON COLUMN listing.observed_at IS 'when a source first said so, where known_at has been put back to when the issuer became public';
COMMENT ON COLUMN listing.listing_rank IS 'place among the issuer''s listings; 0 is the primary one';
COMMENT ON COLUMN listing.listed_on IS 'first day on which the listing is known; orders lists of companies';
CREATE UNIQUE INDEX listing_named_once ON listing (record_key) WHERE superseded_at IS NULL;
CREATE INDEX listing_key ON listing (record_key, known_at);
CREATE INDEX listing_symbol ON listing (ticker, market) WHERE superseded_at IS NULL;
CREATE INDEX listing_issuer ON listing (issuer_id, listing_rank) WHERE superseded_at IS NULL;
CREATE INDEX listing_order ON listing (listed_on, id);
CREATE INDEX listing_isin ON listing (isin) WHERE isin IS NOT NULL;
CREATE INDEX listing_figi ON listing (figi) WHERE figi IS NOT NULL;
CREATE INDEX listing_search ON listing USING gin ((ticker || ' ' || name) gin_trgm_ops)
    WHERE superseded_at IS NULL;

-- The whole-market files loaded so far, by kind, and which listings each kind has named: a listing
-- that every kind has dropped is inactive.
CREATE TABLE listing_snapshot (
    kind        text NOT NULL,
    taken_at    timestamptz NOT NULL,
    content_hash text NOT NULL,
    PRIMARY KEY (kind, taken_at)
);
COMMENT ON COLUMN listing_snapshot.content_hash IS 'a file without a date keeps the time at which it was first seen';
CREATE INDEX listing_snapshot_content ON listing_snapshot (content_hash);
CREATE TABLE listing_seen (
    kind        text NOT NULL,
    issuer_id   bigint NOT NULL REFERENCES issuer,
    record_key  text NOT NULL,
    first_seen  timestamptz NOT NULL,
    last_seen   timestamptz NOT NULL,
    listing_rank bigint NOT NULL,
    PRIMARY KEY (issuer_id, record_key, kind)
);
COMMENT ON COLUMN listing_seen.listing_rank IS 'place among the issuer''s listings in the file of last_seen';

-- ----------------------------------------------------------------- filings

-- One row for each filer of a filing: a Schedule 13D stands in the lists of its subject and of its
-- filer. is_primary marks the one that lists without a company show; settle_filings() keeps it.
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
    event_id    bigint
);
CALL finish_dataset_table('filing');
-- EDGAR dates what it accepts in the evening on the next business day (17 CFR 232.13): lists by
-- date as of an instant rely on the filing date being no further ahead than this.
ALTER TABLE filing ADD CHECK (filed_on <= (known_at AT TIME ZONE 'UTC')::date + 14);
ALTER TABLE filing ALTER COLUMN accession SET NOT NULL, ADD CHECK (accession ~ '^\d{10}-\d{2}-\d{6}$');
CREATE INDEX filing_accession ON filing (accession);
-- Lists by date walk an index of all versions: closed ones are few, so that one index serves now and
-- as_of alike, and a second one for the current versions would only slow down loading.
CREATE INDEX filing_issuer_date ON filing (issuer_id, filed_on, id);
CREATE INDEX filing_date ON filing (filed_on, id) WHERE is_primary;
CREATE INDEX filing_form_date ON filing (form, filed_on, id) WHERE is_primary;
CREATE INDEX filing_recorded ON filing (recorded_at) WHERE superseded_at IS NULL;

-- EX-99.1 and EX-99.2 of earnings releases, as text.
CREATE TABLE filing_exhibit (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    exhibit_type text NOT NULL,
    sequence    bigint NOT NULL,
    file_name   text,
    title       text,
    published_at timestamptz NOT NULL,
    text        text NOT NULL
);
CALL finish_dataset_table('filing_exhibit');
ALTER TABLE filing_exhibit ALTER COLUMN accession SET NOT NULL;
CREATE INDEX filing_exhibit_accession ON filing_exhibit (accession, sequence);

-- The main document of 10-K, 10-Q and 8-K filings as text, and where its sections are:
-- [{"key","title","char_start","char_end"}], offsets in characters (code points), end exclusive.
CREATE TABLE filing_text (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    form        text NOT NULL,
    published_at timestamptz NOT NULL,
    text        text NOT NULL,
    sections    jsonb NOT NULL
);
CALL finish_dataset_table('filing_text');
ALTER TABLE filing_text ALTER COLUMN accession SET NOT NULL;
CREATE INDEX filing_text_accession ON filing_text (accession);

-- ---------------------------------------------------------------- insiders

CREATE TABLE insider_transaction (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    form        text NOT NULL,
    period_of_report date,
    original_filing_date date,
    owner_cik   bigint,
    insider_name text NOT NULL,
    relationship text NOT NULL,
    joint_owners text[],
    is_derivative boolean NOT NULL,
    security_title text,
    transaction_code text,
    transaction_type text NOT NULL,
    acquired_disposed text CHECK (acquired_disposed IN ('A', 'D')),
    shares      numeric,
    price       numeric,
    value       numeric,
    shares_owned_after numeric,
    value_owned_after numeric,
    ownership   text CHECK (ownership IN ('direct', 'indirect')),
    ownership_nature text,
    conversion_price numeric,
    exercise_date date,
    expiration_date date,
    underlying_title text,
    underlying_shares numeric,
    equity_swap boolean,
    rule_10b5_1 boolean,
    timeliness  text,
    transaction_date date,
    filing_date date NOT NULL
);
CALL finish_dataset_table('insider_transaction');
ALTER TABLE insider_transaction ADD CHECK (filing_date <= (known_at AT TIME ZONE 'UTC')::date + 14);
CREATE INDEX insider_issuer_date ON insider_transaction (issuer_id, filing_date, id);
CREATE INDEX insider_date ON insider_transaction (filing_date, id);
CREATE INDEX insider_code_date ON insider_transaction (transaction_code, filing_date, id);
CREATE INDEX insider_value ON insider_transaction (value);
CREATE INDEX insider_amendment ON insider_transaction (issuer_id) WHERE form LIKE '%/A';
CREATE INDEX insider_accession ON insider_transaction (accession);

-- Holdings of Forms 3, 4 and 5 that no transaction changed.
CREATE TABLE insider_holding (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    form        text NOT NULL,
    period_of_report date,
    original_filing_date date,
    owner_cik   bigint,
    insider_name text NOT NULL,
    relationship text NOT NULL,
    joint_owners text[],
    is_derivative boolean NOT NULL,
    security_title text,
    shares_owned numeric,
    value_owned numeric,
    ownership   text CHECK (ownership IN ('direct', 'indirect')),
    ownership_nature text,
    conversion_price numeric,
    exercise_date date,
    expiration_date date,
    underlying_title text,
    underlying_shares numeric,
    filing_date date NOT NULL
);
CALL finish_dataset_table('insider_holding');
CREATE INDEX insider_holding_issuer_date ON insider_holding (issuer_id, filing_date);
CREATE INDEX insider_holding_amendment ON insider_holding (issuer_id) WHERE form LIKE '%/A';
CREATE INDEX insider_holding_accession ON insider_holding (accession);

CREATE TABLE executive (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    person_cik  bigint,
    name        text NOT NULL,
    role        text NOT NULL,
    category    text NOT NULL CHECK (category IN ('executives', 'ir', 'analysts')),
    affiliation text,
    person_rank bigint NOT NULL,
    is_current  boolean NOT NULL,
    reported_on date NOT NULL
);
CALL finish_dataset_table('executive');
CREATE INDEX executive_order ON executive (issuer_id, person_rank, id);
CREATE INDEX executive_accession ON executive (accession);

-- ------------------------------------------------------------ what is asked

-- The record key of the listing behind a symbol: TICKER:MARKET names it, a bare ticker means its
-- primary listing, active ones first.
CREATE FUNCTION listing_of_symbol(wanted text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF position(':' IN wanted) > 0 THEN
        RETURN wanted;
    END IF;
    RETURN (SELECT l.record_key FROM disclosed.listing l
            WHERE l.ticker = wanted AND l.superseded_at IS NULL
            ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.id LIMIT 1);
END $$;

-- CIKs among texts that clients wrote; others name nobody.
CREATE FUNCTION ciks_of(texts text[]) RETURNS bigint[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT array_agg(one::bigint) FROM unnest(texts) AS one WHERE one ~ '^[0-9]{1,10}$' $$;

-- What a company's detail does not cover.
CREATE FUNCTION company_gaps(sic text, employee_count bigint, description text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_remove(ARRAY[
        CASE WHEN sic IS NULL
             THEN 'sector and industry: no SIC code is known for this issuer.'
             ELSE 'sector and industry: derived from the SIC code ' || sic
                  || ' that EDGAR gives the registrant; not a market classification.' END,
        CASE WHEN employee_count IS NULL THEN 'employee_count: not stated by any loaded source.' END,
        CASE WHEN description IS NULL THEN 'description: not stated by any loaded source.' END], NULL)
$$;

-- The sections of a filing, with the text of those that `keys` names.
CREATE FUNCTION sections_with_text(sections jsonb, body text, keys text[]) RETURNS json
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN sections IS NULL THEN NULL ELSE coalesce((
        SELECT json_agg(CASE WHEN s.key = ANY (keys)
                   THEN json_build_object('key', s.key, 'title', s.title,
                            'char_start', s.char_start, 'char_end', s.char_end,
                            'text', substr(body, s.char_start + 1, s.char_end - s.char_start))
                   ELSE json_build_object('key', s.key, 'title', s.title,
                            'char_start', s.char_start, 'char_end', s.char_end) END
               ORDER BY s.char_start, s.char_end)
        FROM jsonb_to_recordset(sections)
             AS s(key text, title text, char_start integer, char_end integer)), '[]') END
$$;

-- -------------------------------------------------- what follows from a load

-- Each settle_ function is run at the end of a load that changed its dataset, in the same
-- transaction, with the issuers that the load touched. All are idempotent and do not depend on
-- the order in which files arrive.

-- An issuer is public from its first filing, or from when a name of it was, if that is earlier.
CREATE FUNCTION date_issuers(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE disclosed.issuer i SET first_public_at = first.public_at
    FROM (SELECT touched.issuer_id,
                 least((SELECT min(f.known_at) FROM disclosed.filing f
                        WHERE f.issuer_id = touched.issuer_id),
                       (SELECT min(p.known_at) FROM disclosed.issuer_profile p
                        WHERE p.issuer_id = touched.issuer_id)) AS public_at
          FROM unnest(issuers) AS touched(issuer_id)) first
    WHERE i.issuer_id = first.issuer_id
      AND (i.first_public_at IS NULL OR i.first_public_at > first.public_at);
$$;

-- The versions of listings in order: each holds from when a source first said so until the next of
-- its key, be it another issuer's (a ticker goes from one to another). The first of all holds from
-- when its issuer became public, if that was earlier.
CREATE FUNCTION listing_timeline(keys text[])
RETURNS TABLE (issuer_id bigint, row_id bigint, known_at timestamptz, superseded_at timestamptz,
               observed_at timestamptz) LANGUAGE sql STABLE AS $$
    SELECT t.issuer_id, t.row_id, t.known_at, t.superseded_at,
           CASE WHEN t.known_at < t.observed THEN t.observed END
    FROM (SELECT l.issuer_id, l.row_id, o.observed,
                 CASE WHEN row_number() OVER timeline = 1
                      THEN least(i.first_public_at, o.observed) ELSE o.observed END AS known_at,
                 lead(o.observed) OVER timeline AS superseded_at
          FROM disclosed.listing l
          JOIN disclosed.issuer i USING (issuer_id)
          CROSS JOIN LATERAL (SELECT coalesce(l.observed_at, l.known_at) AS observed) o
          WHERE l.record_key = ANY(keys)
          WINDOW timeline AS (PARTITION BY l.record_key ORDER BY o.observed, l.row_id)) t
$$;

-- Brings the versions of listings into that order. One row of a key is current, so those that end
-- are closed before one is opened. Returns the issuers.
CREATE FUNCTION order_listings(keys text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
        UPDATE disclosed.listing l
        SET known_at = t.known_at, superseded_at = t.superseded_at, observed_at = t.observed_at
        FROM disclosed.listing_timeline(keys) t
        WHERE t.superseded_at IS NOT NULL AND l.issuer_id = t.issuer_id AND l.row_id = t.row_id
          AND (l.known_at, l.superseded_at) IS DISTINCT FROM (t.known_at, t.superseded_at)
        RETURNING l.issuer_id;
    RETURN QUERY
        UPDATE disclosed.listing l
        SET known_at = t.known_at, superseded_at = NULL, observed_at = t.observed_at
        FROM disclosed.listing_timeline(keys) t
        WHERE t.superseded_at IS NULL AND l.issuer_id = t.issuer_id AND l.row_id = t.row_id
          AND (l.known_at, l.superseded_at) IS DISTINCT FROM (t.known_at, t.superseded_at)
        RETURNING l.issuer_id;
END $$;

-- What follows from a whole-market file beyond its rows, which have been merged: where it stands
-- among the others, the places of an issuer's listings, and listings that have gone. Returns what
-- changed.
CREATE FUNCTION settle_snapshot(snapshot_kind text, snapshot_at timestamptz, ciks bigint[],
                                keys text[], ranks bigint[], snapshot_hash text)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO disclosed.listing_snapshot VALUES (snapshot_kind, snapshot_at, snapshot_hash)
    ON CONFLICT DO NOTHING;
    INSERT INTO disclosed.listing_seen AS seen
    SELECT snapshot_kind, i.issuer_id, named.record_key, snapshot_at, snapshot_at, min(named.listing_rank)
    FROM unnest(ciks, keys, ranks) AS named(cik, record_key, listing_rank)
    JOIN disclosed.issuer i ON i.cik = named.cik
    WHERE EXISTS (SELECT 1 FROM disclosed.listing l
                  WHERE l.issuer_id = i.issuer_id AND l.record_key = named.record_key)
    GROUP BY i.issuer_id, named.record_key
    ON CONFLICT (issuer_id, record_key, kind) DO UPDATE
    SET first_seen = least(seen.first_seen, excluded.first_seen),
        last_seen = greatest(seen.last_seen, excluded.last_seen),
        listing_rank = CASE WHEN excluded.last_seen >= seen.last_seen
                            THEN excluded.listing_rank ELSE seen.listing_rank END
    WHERE seen.first_seen > excluded.first_seen OR seen.last_seen < excluded.last_seen;

    RETURN QUERY SELECT 'listing', i FROM disclosed.refine_listings(snapshot_at, ciks, keys) AS i;
    RETURN QUERY SELECT 'listing', i FROM disclosed.retire_listings() AS i;
    RETURN QUERY
        UPDATE disclosed.listing l SET listing_rank = newest.listing_rank
        FROM (SELECT DISTINCT ON (s.issuer_id, s.record_key) s.issuer_id, s.record_key, s.listing_rank
              FROM unnest(ciks, keys) AS named(cik, record_key)
              JOIN disclosed.issuer i ON i.cik = named.cik
              JOIN disclosed.listing_seen s
                ON s.issuer_id = i.issuer_id AND s.record_key = named.record_key
              ORDER BY s.issuer_id, s.record_key, s.last_seen DESC, s.kind) newest
        WHERE l.issuer_id = newest.issuer_id AND l.record_key = newest.record_key
          AND l.superseded_at IS NULL AND l.source_provider = 'sec'
          AND l.listing_rank <> newest.listing_rank
        RETURNING 'listing', l.issuer_id;
END $$;

-- The timelines of a snapshot's listings once more. A version that holds at its time has been
-- observed by then. Versions after it that do not know the exchange learn it; the next, when it
-- says the same otherwise, is the same version known earlier, and the row just added for this
-- snapshot goes again. Days of first listing follow.
CREATE FUNCTION refine_listings(snapshot_at timestamptz, ciks bigint[], keys text[])
RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    UPDATE disclosed.listing l SET observed_at = snapshot_at
    FROM unnest(ciks, keys) AS named(cik, record_key) JOIN disclosed.issuer i USING (cik)
    WHERE l.issuer_id = i.issuer_id AND l.record_key = named.record_key
      AND l.known_at <= snapshot_at AND (l.superseded_at IS NULL OR l.superseded_at > snapshot_at)
      AND l.observed_at > snapshot_at;
    RETURN QUERY
        UPDATE disclosed.listing later SET listing_exchange = added.listing_exchange
        FROM disclosed.listing added
        WHERE added.recorded_at = now() AND added.known_at = snapshot_at
          AND added.record_key = ANY(keys) AND added.listing_exchange IS NOT NULL
          AND later.issuer_id = added.issuer_id AND later.record_key = added.record_key
          AND later.listing_exchange IS NULL
          AND coalesce(later.observed_at, later.known_at) > snapshot_at
        RETURNING later.issuer_id;
    WITH again AS (
        SELECT added.issuer_id, added.row_id, next.row_id AS next_row
        FROM disclosed.listing added
        CROSS JOIN LATERAL (
            SELECT n.* FROM disclosed.listing n
            WHERE n.issuer_id = added.issuer_id AND n.record_key = added.record_key
              AND coalesce(n.observed_at, n.known_at) > snapshot_at
            ORDER BY coalesce(n.observed_at, n.known_at), n.row_id LIMIT 1) next
        WHERE added.recorded_at = now() AND added.known_at = snapshot_at
          AND added.record_key = ANY(keys)
          AND (next.name, next.listing_exchange, next.isin, next.figi, next.is_etf, next.is_fund,
               next.is_adr, next.status)
              IS NOT DISTINCT FROM (added.name, added.listing_exchange, added.isin, added.figi,
               added.is_etf, added.is_fund, added.is_adr, added.status)),
    gone AS (
        DELETE FROM disclosed.listing l USING again
        WHERE l.issuer_id = again.issuer_id AND l.row_id = again.row_id
        RETURNING l.*, again.next_row)
    UPDATE disclosed.listing l
    SET known_at = snapshot_at, observed_at = NULL, src_digest = gone.src_digest,
        source_provider = gone.source_provider, source_url = gone.source_url,
        content_hash = gone.content_hash, extracted_at = gone.extracted_at
    FROM gone WHERE l.issuer_id = gone.issuer_id AND l.row_id = gone.next_row;
    RETURN QUERY SELECT * FROM disclosed.order_listings(keys);
    RETURN QUERY
        UPDATE disclosed.listing l SET listed_on = first.day
        FROM (SELECT s.issuer_id, s.record_key,
                     (min(s.first_seen) AT TIME ZONE 'America/New_York')::date AS day
              FROM unnest(ciks, keys) AS named(cik, record_key) JOIN disclosed.issuer i USING (cik)
              JOIN disclosed.listing_seen s
                ON s.issuer_id = i.issuer_id AND s.record_key = named.record_key
              GROUP BY 1, 2) first
        WHERE l.issuer_id = first.issuer_id AND l.record_key = first.record_key
          AND l.listed_on > first.day
        RETURNING l.issuer_id;
END $$;

-- Listings that every kind of whole-market file which named them has dropped are inactive, from
-- the first file on that no longer named them.
CREATE FUNCTION retire_listings() RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH gone AS (
        SELECT s.issuer_id, s.record_key, max(dropped.at) AS at
        FROM disclosed.listing_seen s
        CROSS JOIN LATERAL (SELECT min(f.taken_at) AS at FROM disclosed.listing_snapshot f
                            WHERE f.kind = s.kind AND f.taken_at > s.last_seen) dropped
        GROUP BY s.issuer_id, s.record_key
        HAVING bool_and(dropped.at IS NOT NULL)),
    closed AS (
        UPDATE disclosed.listing l SET superseded_at = gone.at
        FROM gone
        WHERE l.issuer_id = gone.issuer_id AND l.record_key = gone.record_key
          AND l.superseded_at IS NULL AND l.status = 'active' AND l.source_provider = 'sec'
          AND coalesce(l.observed_at, l.known_at) < gone.at
        RETURNING l.*)
    INSERT INTO disclosed.listing (id, issuer_id, record_key, known_at, src_digest,
        source_provider, source_url, content_hash, extracted_at, ticker, market, name,
        listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank, listed_on)
    SELECT id, issuer_id, record_key, superseded_at, src_digest,
        source_provider, source_url, content_hash, now(), ticker, market, name,
        listing_exchange, isin, figi, is_etf, is_fund, is_adr, 'inactive', listing_rank, listed_on
    FROM closed
    RETURNING issuer_id
$$;

-- The primary listing of each issuer, and the name that its lists show.
CREATE FUNCTION settle_companies(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    SELECT disclosed.date_issuers(issuers);
    SELECT count(*) FROM disclosed.order_listings(ARRAY(
        SELECT DISTINCT record_key FROM disclosed.listing WHERE issuer_id = ANY(issuers)));
    UPDATE disclosed.issuer i
    SET name = coalesce(p.name, l.name, i.name), ticker = l.ticker, market = l.market
    FROM unnest(issuers) AS touched(issuer_id)
    LEFT JOIN disclosed.issuer_profile p
           ON p.issuer_id = touched.issuer_id AND p.superseded_at IS NULL
    LEFT JOIN LATERAL (
        SELECT ticker, market, name FROM disclosed.listing current
        WHERE issuer_id = touched.issuer_id AND superseded_at IS NULL
        ORDER BY status <> 'active', listing_rank,
                 (SELECT max(last_seen) FROM disclosed.listing_seen seen
                  WHERE seen.issuer_id = current.issuer_id
                    AND seen.record_key = current.record_key) DESC NULLS LAST,
                 record_key LIMIT 1) l ON true
    WHERE i.issuer_id = touched.issuer_id
      AND (i.name, i.ticker, i.market)
          IS DISTINCT FROM (coalesce(p.name, l.name, i.name), l.ticker, l.market);
    INSERT INTO disclosed.dataset_stat AS stat (dataset, record_count, version)
    SELECT 'issuer', count(*), 1 FROM disclosed.issuer WHERE ticker IS NOT NULL
    ON CONFLICT (dataset) DO UPDATE
    SET record_count = excluded.record_count, version = stat.version + 1, changed_at = now()
    WHERE stat.record_count <> excluded.record_count;
$$;

-- The accession number under which a report of the same content is known.
CREATE FUNCTION accession_of_report(issuer_cik bigint, hash text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT min(t.accession)
    FROM disclosed.issuer i
    CROSS JOIN LATERAL (
        SELECT accession FROM disclosed.insider_transaction
        WHERE issuer_id = i.issuer_id AND content_hash = hash AND accession IS NOT NULL
        UNION ALL
        SELECT accession FROM disclosed.insider_holding
        WHERE issuer_id = i.issuer_id AND content_hash = hash AND accession IS NOT NULL) t
    WHERE i.cik = issuer_cik
$$;

-- When a Form 3, 4 or 5 was public and filed: as its filing says, else its submission's header,
-- else what was loaded of it before, else the day on which it was signed.
CREATE FUNCTION dates_of_report(report_accession text, header_accepted timestamptz, header_filed date,
                                signed date, OUT known_at timestamptz, OUT filing_date date)
LANGUAGE sql STABLE AS $$
    SELECT coalesce(filed.known_at, header_accepted,
                    CASE WHEN header_filed IS NULL OR loaded.filing_date = header_filed
                         THEN loaded.known_at END,
                    disclosed.end_of_day(coalesce(header_filed, signed))),
           coalesce(filed.filing_date, header_filed, loaded.filing_date, signed)
    FROM (SELECT min(f.known_at) AS known_at, min(f.filed_on) AS filing_date
          FROM disclosed.filing f
          WHERE f.accession = report_accession AND f.superseded_at IS NULL) filed,
         (SELECT min(t.known_at) AS known_at, min(t.filing_date) AS filing_date
          FROM (SELECT r.known_at, r.filing_date FROM disclosed.insider_transaction r
                WHERE r.accession = report_accession
                UNION ALL
                SELECT r.known_at, r.filing_date FROM disclosed.insider_holding r
                WHERE r.accession = report_accession) t) loaded
$$;

-- A person's versions after their times have changed: each holds until the next, those that ended
-- as they began aside. One row of a record is current, so rows are closed before one is opened.
CREATE FUNCTION order_executives(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        UPDATE disclosed.executive e SET superseded_at = t.next_known_at
        FROM (SELECT issuer_id, row_id, lead(known_at) OVER (
                         PARTITION BY issuer_id, record_key ORDER BY known_at, row_id) AS next_known_at
              FROM disclosed.executive WHERE issuer_id = ANY(issuers)) t
        WHERE e.issuer_id = t.issuer_id AND e.row_id = t.row_id
          AND (t.next_known_at IS NULL) = opening
          AND e.superseded_at IS DISTINCT FROM e.known_at
          AND e.superseded_at IS DISTINCT FROM t.next_known_at;
    END LOOP;
END $$;

-- Corrects when reports were public and filed, in all that was loaded of them.
CREATE FUNCTION date_reports(accessions text[], public_at timestamptz[], filed_on date[])
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    target record;
    changed bigint[];
BEGIN
    FOR target IN SELECT * FROM (VALUES ('executive', 'executive', 'reported_on'),
        ('insider', 'insider_transaction', 'filing_date'),
        ('insider_holding', 'insider_holding', 'filing_date')) AS c(name, dataset_table, day)
    LOOP
        EXECUTE format($sql$
            WITH moved AS (
                UPDATE disclosed.%1$I t
                SET known_at = r.known_at, %2$I = r.day,
                    superseded_at = CASE WHEN t.superseded_at IS NULL THEN NULL
                                         WHEN t.superseded_at = t.known_at THEN r.known_at
                                         ELSE greatest(t.superseded_at, r.known_at) END
                FROM unnest($1, $2, $3) AS r(accession, known_at, day)
                WHERE t.accession = r.accession AND (t.known_at, t.%2$I) <> (r.known_at, r.day)
                RETURNING t.issuer_id)
            SELECT array_agg(DISTINCT issuer_id) FROM moved
        $sql$, target.dataset_table, target.day)
        INTO changed USING accessions, public_at, filed_on;
        IF target.name = 'executive' AND changed IS NOT NULL THEN
            PERFORM disclosed.order_executives(changed);
        END IF;
        RETURN QUERY SELECT target.name, unnest(changed);
    END LOOP;
END $$;

-- Counts the reports of issuers anew, for a load of something else that has changed them.
CREATE FUNCTION recount_reports(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    counted record;
BEGIN
    FOR counted IN SELECT * FROM (VALUES ('executive', 'executive', 'reported_on'),
        ('insider', 'insider_transaction', 'filing_date'),
        ('insider_holding', 'insider_holding', 'filing_date')) AS c(dataset, dataset_table, day)
    LOOP
        EXECUTE format($sql$
            WITH fresh AS (
                SELECT o.issuer_id, o.record_count AS old_count, c.record_count, c.latest
                FROM disclosed.dataset_issuer_stat o
                CROSS JOIN LATERAL (
                    SELECT count(*) AS record_count, max(t.%2$I) AS latest FROM disclosed.%1$I t
                    WHERE t.issuer_id = o.issuer_id AND t.superseded_at IS NULL) c
                WHERE o.dataset = %3$L AND o.issuer_id = ANY($1)),
            kept AS (
                UPDATE disclosed.dataset_issuer_stat o
                SET record_count = f.record_count, latest = f.latest
                FROM fresh f WHERE o.dataset = %3$L AND o.issuer_id = f.issuer_id)
            UPDATE disclosed.dataset_stat d
            SET record_count = d.record_count + (SELECT sum(record_count - old_count) FROM fresh),
                latest = greatest((SELECT max(latest) FROM fresh),
                                  (SELECT max(o.latest) FROM disclosed.dataset_issuer_stat o
                                   WHERE o.dataset = %3$L AND o.issuer_id <> ALL($1))),
                version = d.version + 1, changed_at = now()
            WHERE d.dataset = %3$L AND EXISTS (SELECT 1 FROM fresh)
        $sql$, counted.dataset_table, counted.day, counted.dataset) USING issuers;
    END LOOP;
END $$;

-- Filings have come: the reports among them take their dates.
CREATE FUNCTION date_reports_of(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    SELECT array_agg(DISTINCT d.changed_issuer) INTO changed
    FROM (SELECT array_agg(f.accession) AS accessions, array_agg(f.known_at) AS known,
                 array_agg(f.filed_on) AS filed
          FROM (SELECT accession, min(known_at) AS known_at, min(filed_on) AS filed_on
                FROM disclosed.filing
                WHERE accession IN (SELECT accession FROM disclosed.filing
                                    WHERE issuer_id = ANY(issuers)
                                      AND form IN ('3', '3/A', '4', '4/A', '5', '5/A'))
                  AND superseded_at IS NULL
                GROUP BY accession) f) reports
    CROSS JOIN LATERAL disclosed.date_reports(reports.accessions, reports.known, reports.filed) d;
    IF changed IS NOT NULL THEN
        PERFORM disclosed.settle_insiders(changed);
        PERFORM disclosed.settle_executives(changed);
        PERFORM disclosed.recount_reports(changed);
    END IF;
END $$;

-- What follows from loading one Form 3, 4 or 5: rows loaded of it before take its dates, and rows
-- of the same document under its digest (`unfiled_keys`) close where it has an accession number. An
-- issuer that nothing else names has the name of its latest report.
CREATE FUNCTION settle_report(issuer_cik bigint, report_accession text, report_known timestamptz,
                              report_filed date, hash text, unfiled_keys text[],
                              issuer_name text)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    -- The filing may be loading at the same moment: who comes second sees the first.
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    UPDATE disclosed.issuer i SET name = issuer_name, named_at = report_known
    WHERE i.cik = issuer_cik AND (i.named_at IS NULL OR i.named_at < report_known)
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer_profile p WHERE p.issuer_id = i.issuer_id)
      AND NOT EXISTS (SELECT 1 FROM disclosed.listing l WHERE l.issuer_id = i.issuer_id);
    IF report_accession IS NOT NULL THEN
        RETURN QUERY
            SELECT d.dataset, d.changed_issuer
            FROM (SELECT coalesce(min(f.known_at), report_known) AS known,
                         coalesce(min(f.filed_on), report_filed) AS filed
                  FROM disclosed.filing f
                  WHERE f.accession = report_accession AND f.superseded_at IS NULL) best
            CROSS JOIN LATERAL disclosed.date_reports(ARRAY[report_accession], ARRAY[best.known],
                                                      ARRAY[best.filed]) d;
    END IF;
    IF disclosed.accession_of_report(issuer_cik, hash) IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
        UPDATE disclosed.insider_transaction t SET superseded_at = t.known_at
        FROM disclosed.issuer i
        WHERE i.cik = issuer_cik AND t.issuer_id = i.issuer_id AND t.record_key = ANY(unfiled_keys)
          AND t.superseded_at IS DISTINCT FROM t.known_at
        RETURNING 'insider', t.issuer_id;
    RETURN QUERY
        UPDATE disclosed.insider_holding t SET superseded_at = t.known_at
        FROM disclosed.issuer i
        WHERE i.cik = issuer_cik AND t.issuer_id = i.issuer_id AND t.record_key = ANY(unfiled_keys)
          AND t.superseded_at IS DISTINCT FROM t.known_at
        RETURNING 'insider_holding', t.issuer_id;
END $$;

-- An amendment (Form 3/A, 4/A, 5/A) replaces what its owner reported for that issuer and period in
-- the form that it amends, from the moment the amendment was public (Rule 16a-3; the form's own
-- "date of original submission" names the filing). Versions that ended as they began are none.
CREATE FUNCTION settle_insiders(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    dataset_table text;
BEGIN
    FOREACH dataset_table IN ARRAY ARRAY['insider_transaction', 'insider_holding'] LOOP
        EXECUTE format($sql$
            WITH amendment AS (
                SELECT issuer_id, owner_cik, replace(form, '/A', '') AS amended_form,
                       period_of_report, original_filing_date, min(known_at) AS known_at
                FROM (SELECT issuer_id, owner_cik, form, period_of_report, original_filing_date, known_at
                      FROM disclosed.insider_transaction
                      WHERE issuer_id = ANY($1) AND form LIKE '%%/A'
                        AND superseded_at IS DISTINCT FROM known_at
                      UNION ALL
                      SELECT issuer_id, owner_cik, form, period_of_report, original_filing_date, known_at
                      FROM disclosed.insider_holding
                      WHERE issuer_id = ANY($1) AND form LIKE '%%/A'
                        AND superseded_at IS DISTINCT FROM known_at
                     ) amended
                WHERE original_filing_date IS NOT NULL
                GROUP BY 1, 2, 3, 4, 5),
            closing AS (
                SELECT t.issuer_id, t.row_id,
                       greatest(t.known_at, least(a.known_at, (
                           SELECT min(n.known_at) FROM disclosed.%1$I n
                           WHERE n.issuer_id = t.issuer_id AND n.record_key = t.record_key
                             AND n.known_at >= t.known_at AND n.row_id <> t.row_id
                             AND (n.known_at, n.row_id) > (t.known_at, t.row_id)))) AS superseded_at
                FROM amendment a JOIN disclosed.%1$I t
                  ON t.issuer_id = a.issuer_id AND t.filing_date = a.original_filing_date
                 AND t.owner_cik = a.owner_cik AND t.form = a.amended_form
                 AND t.period_of_report IS NOT DISTINCT FROM a.period_of_report
                WHERE t.superseded_at IS DISTINCT FROM t.known_at)
            UPDATE disclosed.%1$I t SET superseded_at = c.superseded_at
            FROM closing c
            WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id
              AND t.superseded_at IS DISTINCT FROM c.superseded_at
        $sql$, dataset_table) USING issuers;
    END LOOP;
END $$;

-- Owners who file Forms 3, 4 and 5 without being officer or director (rank 5) are shown only as
-- people who once were: a version that says so ends as it began when none before it says more.
CREATE FUNCTION settle_executives(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE disclosed.executive e
    SET superseded_at = CASE WHEN v.was_more THEN v.next_known_at ELSE e.known_at END
    FROM (SELECT issuer_id, row_id, person_rank, source_provider,
                 bool_or(person_rank < 5) OVER (timeline ROWS UNBOUNDED PRECEDING) AS was_more,
                 lead(known_at) OVER timeline AS next_known_at
          FROM disclosed.executive
          WHERE issuer_id = ANY(issuers) AND category = 'executives'
          WINDOW timeline AS (PARTITION BY issuer_id, record_key ORDER BY known_at, row_id)) v
    WHERE v.person_rank = 5 AND v.source_provider = 'sec'
      AND e.issuer_id = v.issuer_id AND e.row_id = v.row_id
      AND e.superseded_at IS DISTINCT FROM CASE WHEN v.was_more THEN v.next_known_at ELSE e.known_at END
$$;

-- Which filer's row stands for the filing: one with a symbol before one without, then the lowest CIK.
CREATE FUNCTION settle_filings(issuers bigint[]) RETURNS void LANGUAGE sql AS $$
    WITH touched AS (
        SELECT DISTINCT accession FROM disclosed.filing
        WHERE issuer_id = ANY(issuers)),
    ranked AS (
        SELECT f.issuer_id, f.row_id, f.is_primary,
               first_value(f.issuer_id) OVER (PARTITION BY f.accession
                   ORDER BY i.ticker IS NULL, i.cik, f.issuer_id) = f.issuer_id AS should_be
        FROM touched JOIN disclosed.filing f USING (accession)
        JOIN disclosed.issuer i ON i.issuer_id = f.issuer_id)
    UPDATE disclosed.filing f SET is_primary = r.should_be
    FROM ranked r
    WHERE f.issuer_id = r.issuer_id AND f.row_id = r.row_id AND r.is_primary <> r.should_be;

    SELECT disclosed.date_issuers(issuers);

    SELECT count(*) FROM disclosed.order_listings(ARRAY(
        SELECT l.record_key FROM disclosed.listing l JOIN disclosed.issuer i USING (issuer_id)
        WHERE l.issuer_id = ANY(issuers) AND l.known_at > i.first_public_at
          AND NOT EXISTS (SELECT 1 FROM disclosed.listing earlier
                          WHERE earlier.record_key = l.record_key AND earlier.known_at < l.known_at)));
    SELECT disclosed.date_reports_of(issuers);
$$;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON ALL TABLES IN SCHEMA disclosed TO disclosed_api, disclosed_loader;
REVOKE ALL ON account, api_key FROM disclosed_loader;
REVOKE ALL ON import_run, import_reject FROM disclosed_api;
GRANT INSERT, UPDATE, DELETE ON import_run, import_reject, dataset_stat, dataset_issuer_stat, issuer,
    issuer_profile, listing, listing_snapshot, listing_seen, filing, filing_exhibit, filing_text,
    insider_transaction, insider_holding, executive TO disclosed_loader;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA disclosed TO disclosed_loader;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA disclosed TO disclosed_api, disclosed_loader;
