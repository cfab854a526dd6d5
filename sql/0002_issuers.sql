-- Issuers: everyone who files, those who report and have no CIK (members of Congress), and securities that no listing
-- names yet.

SET LOCAL search_path = disclosed, public;

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
    named_at    timestamptz,
    party_key   text UNIQUE CHECK (party_key <> '' AND length(party_key) <= 1000)
);
COMMENT ON COLUMN issuer.named_at IS 'time of the report that gave the name, where neither a profile nor a listing does';
COMMENT ON COLUMN issuer.party_key IS
    'names one without a CIK: politician/<slug>, or symbol/<spellings> of a security that no listing names yet';
-- What waits in a list beside the index is read from end to end by each look-up, and a load looks up ten
-- thousand symbols right after it has added as many parties.
CREATE INDEX issuer_spellings ON issuer USING gin (string_to_array(substr(party_key, 8), ' '))
    WITH (fastupdate = off) WHERE party_key LIKE 'symbol/%';

-- Issuers in an order that has nothing to do with which was loaded first: by CIK, then parties by their keys.
CREATE FUNCTION issuer_order(of_issuer bigint) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(lpad(i.cik::text, 10, '0'), i.party_key) COLLATE "C" FROM disclosed.issuer i WHERE i.issuer_id = of_issuer
$$;

-- The src_digest that the loader gives a record.
CREATE FUNCTION record_source_digest(dataset text, provider text, issuer bigint, key text) RETURNS uuid
LANGUAGE sql STABLE AS $$
    SELECT encode(substr(sha256(convert_to(concat_ws(E'\n', dataset, provider,
                      coalesce(i.cik::text, i.party_key, i.issuer_id::text), key), 'UTF8')), 1, 16),
                  'hex')::uuid
    FROM disclosed.issuer i WHERE i.issuer_id = issuer
$$;

-- ---------------------------------------------------------------- profiles

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
CREATE INDEX issuer_profile_sector ON issuer_profile (lower(sector));

-- ----------------------------------------------------------- what is asked

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

-- ------------------------------------------------------------------ rights

GRANT SELECT ON issuer TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON issuer TO disclosed_loader;
