-- Institutional holdings: Form 13F of institutional investment managers (Section 13(f) of the
-- Exchange Act, Rule 13f-1), and which CUSIP is which listing.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------- what is loaded

-- A CUSIP and the security that it named in a range of days, as a source states it. The issuer is
-- the security's, not the source's.
CREATE TABLE security (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    cusip       text NOT NULL CHECK (cusip ~ '^[0-9A-Z*@#]{9}$'),
    valid_from  date NOT NULL,
    valid_to    date,
    ticker      text CHECK (ticker = upper(ticker) AND ticker <> ''),
    market      text CHECK (market = upper(market) AND market <> ''),
    class_title text,
    isin        text,
    figi        text,
    CHECK (valid_to >= valid_from)
);
CALL finish_dataset_table('security');
COMMENT ON COLUMN security.valid_to IS 'last day; NULL: still';
CREATE INDEX security_cusip ON security (cusip) WHERE superseded_at IS NULL;

-- One row for each Form 13F filing: its cover and summary page. The issuer is the manager.
CREATE TABLE institution_report (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    form        text NOT NULL,
    report_type text NOT NULL CHECK (report_type IN ('holdings', 'combination', 'notice')),
    period_of_report date NOT NULL,
    filing_date date NOT NULL,
    amendment_type text CHECK (amendment_type IN ('restatement', 'new_holdings')),
    amendment_number bigint,
    manager_name text NOT NULL,
    file_number text,
    confidential_omitted boolean,
    other_managers jsonb,
    table_entry_total bigint,
    table_value_total numeric,
    value_factor numeric NOT NULL DEFAULT 1 CHECK (value_factor > 0),
    value_scale text NOT NULL DEFAULT 'dollars as filed',
    value_scale_reason text,
    entries_stored bigint NOT NULL DEFAULT 0,
    value_stored numeric NOT NULL DEFAULT 0,
    value_difference numeric GENERATED ALWAYS AS (value_stored - table_value_total * value_factor) STORED,
    unmapped_entries bigint NOT NULL DEFAULT 0
);
CALL finish_dataset_table('institution_report');
ALTER TABLE institution_report ALTER COLUMN accession SET NOT NULL,
    ADD CHECK (filing_date <= (known_at AT TIME ZONE 'UTC')::date + 14);
COMMENT ON COLUMN institution_report.entries_stored IS 'rows of its information table here; kept by settle_institutions(), as value_stored (USD) and unmapped_entries are';
CREATE INDEX institution_report_accession ON institution_report (accession);
CREATE INDEX institution_report_period ON institution_report (issuer_id, period_of_report);

-- One row for each row of an information table, as filed. The issuer is the manager.
CREATE TABLE institution_position (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    period_of_report date NOT NULL,
    filing_date date NOT NULL,
    row_number  bigint NOT NULL,
    issuer_title text NOT NULL,
    class_title text,
    cusip       text,
    figi        text,
    value       numeric NOT NULL,
    value_as_filed numeric NOT NULL,
    value_scale text,
    shares_type text NOT NULL CHECK (shares_type IN ('SH', 'PRN')),
    shares      numeric,
    principal_amount numeric,
    put_call    text CHECK (put_call IN ('Put', 'Call')),
    investment_discretion text,
    other_managers text[],
    voting_sole numeric,
    voting_shared numeric,
    voting_none numeric,
    CHECK (CASE shares_type WHEN 'SH' THEN principal_amount IS NULL ELSE shares IS NULL END)
);
CALL finish_dataset_table('institution_position');
ALTER TABLE institution_position ALTER COLUMN accession SET NOT NULL,
    ADD CHECK (filing_date <= (known_at AT TIME ZONE 'UTC')::date + 14),
    ADD CHECK (period_of_report <= (known_at AT TIME ZONE 'UTC')::date + 14);
CREATE INDEX institution_position_period ON institution_position (issuer_id, period_of_report, id);
-- By CUSIP: what other managers' values and shares of the same period say about a report's scale.
CREATE INDEX institution_position_cusip ON institution_position (cusip, period_of_report);

-- ------------------------------------------------------------------ rights

GRANT SELECT ON security, institution_report, institution_position
    TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON security, institution_report, institution_position
    TO disclosed_loader;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA disclosed TO disclosed_loader;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA disclosed TO disclosed_api, disclosed_loader;
