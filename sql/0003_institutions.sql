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
    settled_period date,
    settled_known_at timestamptz
);
CALL finish_dataset_table('institution_report');
ALTER TABLE institution_report ALTER COLUMN accession SET NOT NULL,
    ADD CHECK (filing_date <= (known_at AT TIME ZONE 'UTC')::date + 14);
COMMENT ON COLUMN institution_report.entries_stored IS 'rows of its information table here; kept by settle_institutions(), as value_stored (USD) is';
COMMENT ON COLUMN institution_report.settled_period IS 'period and known_at with which it was settled last: where they differ from the report''s, it is settled again';
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
-- What a load has added is settled at its end: rows of one transaction stand together.
CREATE INDEX institution_position_recorded ON institution_position (recorded_at);


-- ------------------------------------------------------------------- names

-- Words of issuers' names. The SEC's official list of Section 13(f) securities, which managers copy,
-- cuts names to 28 characters and shortens words; EDGAR writes them out. Both are brought to one
-- spelling. A word is left out where it is noise, or tells a legal form; a mark is left out at the end
-- ("CHEVRON CORP NEW", "US BANCORP DEL"), a place behind a legal form ("ACCENTURE PLC IRELAND").
CREATE TABLE name_word (
    word        text PRIMARY KEY,
    role        text NOT NULL CHECK (role IN ('spelling', 'noise', 'form', 'place', 'mark')),
    standard    text NOT NULL
);
COMMENT ON COLUMN name_word.standard IS 'the one spelling; of a form, the kind of company: names of different kinds do not agree';
INSERT INTO name_word
SELECT word, role, standard
FROM (VALUES
    ('form', 'CORP', 'INC INCORPORATED CORP CORPORATION CO COMPANY COS COMPANIES'),
    ('form', 'LTD', 'LTD LIMITED'),
    ('form', 'PLC', 'PLC'), ('form', 'LP', 'LP LLLP'), ('form', 'LLC', 'LLC'),
    ('form', 'AG', 'AG AKTIENGESELLSCHAFT'), ('form', 'SA', 'SA'), ('form', 'NV', 'NV'),
    ('form', 'SE', 'SE'), ('form', 'ASA', 'ASA'), ('form', 'AB', 'AB'), ('form', 'SPA', 'SPA'),
    ('noise', '', 'THE OF AND FOR'),
    ('mark', '', 'NEW N DEL DELAWARE'),
    ('place', '', 'IRELAND BERMUDA CAYMAN NETHERLANDS SWITZERLAND LUXEMBOURG'
                  ' ISRAEL CANADA JAPAN MEXICO BRAZIL CALIF CALIFORNIA MD MARYLAND MASS MINN NEV'
                  ' NEVADA NJ NY OHIO PA TEX TEXAS UTAH VA WASH WIS'),
    ('spelling', 'ACQ', 'ACQ ACQUISITION'), ('spelling', 'ADVT', 'ADVT ADVANTAGED'),
    ('spelling', 'AGRIC', 'AGRIC AGRICULTURAL'), ('spelling', 'AIRL', 'AIRL AIRLS AIRLINES'),
    ('spelling', 'AMER', 'AMER AMERICA AMERICAN AMERN AMERICAS'),
    ('spelling', 'ASSOC', 'ASSOC ASSOCS ASSOCIATES ASSOCIATED'), ('spelling', 'ASSN', 'ASSN ASSOCIATION'),
    ('spelling', 'BANCORP', 'BANCORP BANCORPORATION'),
    ('spelling', 'BANCSHARES', 'BANCSHARES BANKSHARES'), ('spelling', 'BD', 'BD BOND'),
    ('spelling', 'BK', 'BK BANK'), ('spelling', 'BEVERAGE', 'BEVERAGE BEVERAGES'),
    ('spelling', 'BIOPHARMA', 'BIOPHARMA BIOPHARMACEUTICALS'), ('spelling', 'BLDG', 'BLDG BUILDING'),
    ('spelling', 'BLDRS', 'BLDRS BUILDERS'), ('spelling', 'BRDG', 'BRDG BROADCASTING'), ('spelling', 'BROS', 'BROS BROTHERS'), ('spelling', 'CAP', 'CAP CAPITAL'), ('spelling', 'CAS', 'CAS CASUALTY'),
    ('spelling', 'CHEM', 'CHEM CHEMS CHEMICAL CHEMICALS'), ('spelling', 'CMNTY', 'CMNTY COMMUNITY'),
    ('spelling', 'COMMUNICATIONS', 'COMMUNICATIONS COMMUNICATION COMMUNICTNS'),
    ('spelling', 'COMWLTH', 'COMWLTH COMMONWEALTH'), ('spelling', 'CONS', 'CONS CONSOLIDATED CONSOL'),
    ('spelling', 'CONTL', 'CONTL CONTINENTAL'), ('spelling', 'CTLS', 'CTLS CONTROLS'),
    ('spelling', 'CTR', 'CTR CENTER CTRS CENTERS'), ('spelling', 'DEV', 'DEV DEVELOPMENT DEVEL'), ('spelling', 'DISTR', 'DISTR DISTRIBUTION'),
    ('spelling', 'DIV', 'DIV DIVIDEND'), ('spelling', 'DIVERS', 'DIVERS DIVERSIFIED'),
    ('spelling', 'EDL', 'EDL EDUCATIONAL'),  ('spelling', 'ELEC', 'ELEC ELECTRIC'),
    ('spelling', 'ELECTR', 'ELECTR ELECTRONIC ELECTRONICS'), ('spelling', 'EMPL', 'EMPL EMPLOYMENT'),
    ('spelling', 'ENGR', 'ENGR ENGINEERING'),
    ('spelling', 'ENTMT', 'ENTMT ENTERTAINMENT'),
    ('spelling', 'ENTERPRISES', 'ENTERPRISES ENTPRS'), ('spelling', 'ENVIRONMENTAL', 'ENVIRONMENTAL ENVIRONMTL'),
    ('spelling', 'EQ', 'EQ EQUITY EQTY'), ('spelling', 'EQUIP', 'EQUIP EQUIPMENT'),
    ('spelling', 'EXCH', 'EXCH EXCHANGE EXCHNG'), ('spelling', 'EXPL', 'EXPL EXPLORATION'),
    ('spelling', 'FD', 'FD FUND'), ('spelling', 'FDS', 'FDS FUNDS'), ('spelling', 'FED', 'FED FEDERAL'),
    ('spelling', 'FINL', 'FINL FINANCIAL'), ('spelling', 'FLTG', 'FLTG FLOATING'),
    ('spelling', 'GENL', 'GENL GENERAL GEN'), ('spelling', 'GRP', 'GRP GROUP GROUPE'), ('spelling', 'GWTH', 'GWTH GROWTH GRWTH GWT'),
    ('spelling', 'HLDG', 'HLDG HLDGS HOLDING HOLDINGS'), ('spelling', 'HLTH', 'HLTH HEALTH'),
    ('spelling', 'HLTHCARE', 'HLTHCARE HEALTHCARE HLTHCR'), ('spelling', 'HOSP', 'HOSP HOSPITAL'),
    ('spelling', 'IDX', 'IDX INDEX'),
    ('spelling', 'INCOME', 'INCOME INCM'), ('spelling', 'IND', 'INDS INDUSTRIES INDUSTRY IND INDL INDUSTRIAL'),
    ('spelling', 'INFO', 'INFO INFORMATION'), ('spelling', 'INS', 'INS INSURANCE'),
    ('spelling', 'INSTRS', 'INSTRS INSTRUMENTS INSTRUMENT'), ('spelling', 'INTL', 'INTL INTERNATIONAL INTERNATL'),
    ('spelling', 'INVT', 'INVT INVTS INVESTMENT INVESTMENTS'), ('spelling', 'INVS', 'INVS INVESTORS'),
    ('spelling', 'LABS', 'LABS LABORATORIES LABORATORY LAB'), ('spelling', 'LN', 'LN LOAN'),
    ('spelling', 'MACHS', 'MACHS MACHINES MACHINE'), ('spelling', 'MATLS', 'MATLS MATERIALS'),
    ('spelling', 'MED', 'MED MEDICAL'), ('spelling', 'MFG', 'MFG MANUFACTURING MFRG'),
    ('spelling', 'MGMT', 'MGMT MANAGEMENT'), ('spelling', 'MKT', 'MKT MARKET'), ('spelling', 'MKTS', 'MKTS MARKETS'),
    ('spelling', 'MLS', 'MLS MILLS'), ('spelling', 'MTG', 'MTG MORTGAGE'), ('spelling', 'MTN', 'MTN MOUNTAIN'),
    ('spelling', 'MTRS', 'MTRS MOTORS MOTOR MTR'), ('spelling', 'MUN', 'MUN MUNI MUNICIPAL MUNICP'),
    ('spelling', 'NATL', 'NATL NATIONAL'), ('spelling', 'NETWORK', 'NETWORK NETWORKS NETWK NETWKS'),
    ('spelling', 'NORTHN', 'NORTHN NORTHERN'), ('spelling', 'OPPT', 'OPPT OPPORTUNITY OPPORTUNITIES OPPTY'),
    ('spelling', 'PAC', 'PAC PACIFIC'), ('spelling', 'PARTNERS', 'PARTNERS PARTNERSHIP'),
    ('spelling', 'PETE', 'PETE PETROLEUM PETE PETROL'), ('spelling', 'PHARM', 'PHARMACEUTICALS PHARMACEUTICAL PHARMA PHARM'),
    ('spelling', 'PPTY', 'PPTY PPTYS PROPERTY PROPERTIES'), ('spelling', 'PROD', 'PROD PRODS PRODUCTS PRODUCT'),
    ('spelling', 'PUB', 'PUB PUBLISHING'), ('spelling', 'PWR', 'PWR POWER'),
    ('spelling', 'QLTY', 'QLTY QUALITY'), ('spelling', 'RLTY', 'RLTY REALTY'), ('spelling', 'RES', 'RES RESOURCES RESOURCE'),
    ('spelling', 'RESH', 'RESH RESEARCH'), ('spelling', 'RESTAURANT', 'RESTAURANT RESTAURANTS REST'),
    ('spelling', 'ROY', 'ROY ROYALTY'), ('spelling', 'RR', 'RR RAILROAD'), ('spelling', 'RY', 'RY RAILWAY RLWY'),
    ('spelling', 'SCI', 'SCI SCIENCE'),
    ('spelling', 'SEC', 'SECS SECURITIES'), ('spelling', 'SEMICONDUCTOR', 'SEMICONDUCTOR SEMICONDUCTORS SEMI'),
    ('spelling', 'SER', 'SER SERIES'), ('spelling', 'SOLTN', 'SOLTN SOLUTION SOLUTIONS SOLTNS'),
    ('spelling', 'SOUTHN', 'SOUTHN SOUTHERN'), ('spelling', 'SOUTHWST', 'SOUTHWST SOUTHWEST'), ('spelling', 'STD', 'STD STANDARD'),
    ('spelling', 'STL', 'STL STEEL'), ('spelling', 'STR', 'STR STREET'), ('spelling', 'STRATEGIC', 'STRATEGIC STRTGC'), ('spelling', 'STS', 'STS STATES'),
    ('spelling', 'SVC', 'SVC SVCS SERVICE SERVICES'), ('spelling', 'SVGS', 'SVGS SAVINGS'), ('spelling', 'SYS', 'SYS SYSTEM SYSTEMS'),
    ('spelling', 'TECH', 'TECH TECHNOLOGY TECHNOLOGIES TECHS TECHNLGY'), ('spelling', 'TEL', 'TEL TELEPHONE'), ('spelling', 'TELECOM', 'TELECOM TELECOMMUNICATIONS TELECOMM'),
    ('spelling', 'THERAPEUTICS', 'THERAPEUTICS THERAPEUTIC'), ('spelling', 'TOB', 'TOB TOBACCO'), ('spelling', 'TR', 'TR TRUST'), ('spelling', 'TRANS', 'TRANS TRANSPORTATION TRANSN TRANSPORT'),
    ('spelling', 'UTD', 'UTD UNITED'), ('spelling', 'UTIL', 'UTIL UTILS UTILITIES'), ('spelling', 'UNVL', 'UNVL UNIVERSAL'),
    ('spelling', 'VLY', 'VLY VALLEY'), ('spelling', 'WESTN', 'WESTN WESTERN'), ('spelling', 'WHSL', 'WHSL WHOLESALE'), ('spelling', 'WLDWD', 'WLDWD WORLDWIDE WRLDWD'), ('spelling', 'WTR', 'WTR WATER')
) AS spelled(role, standard, words)
CROSS JOIN LATERAL (SELECT DISTINCT regexp_split_to_table(trim(words), ' +') AS word) each_word;

-- Names as words of one spelling each: in their order, in the alphabet's ("DISNEY WALT CO" is Walt
-- Disney), and the kinds of company that their legal forms tell. Of a name of 27 characters and more
-- the last word may be the beginning of a legal form ("AUTOMATIC DATA PROCESSING IN"): with
-- `may_be_cut` it is left out where it is, and `cut` says that the name may go on.
CREATE FUNCTION name_keys(names text[], may_be_cut boolean)
RETURNS TABLE (name text, cut boolean, words text, sorted text, forms text[])
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH bare AS ( -- without "/DE/", "\NEW\" and "/NV" at the end, apostrophes, points after letters
        SELECT given.name, may_be_cut AND length(given.name) >= 27 AS cut,
               regexp_replace(translate(regexp_replace(regexp_replace(upper(given.name),
                   '\mPUBLIC (LTD|LIMITED) (CO|COMPANY)\M', 'PLC'),
                   '\s*[/\\][A-Z .]+[/\\]?\s*$', ''), '''’`', ''),
                   '\.(?![A-Z0-9]{2})', '', 'g') AS text
        FROM (SELECT DISTINCT unnest(names) AS name) given),
    spaced AS ( -- letters that stand alone are one word: "A G", "U S", "J B"
        SELECT bare.name, bare.cut,
               regexp_replace(trim(regexp_replace(text, '[^A-Z0-9]+', ' ', 'g')),
                              '\m([A-Z]) (?=[A-Z]\M)', '\1', 'g') AS text FROM bare),
    token AS (
        SELECT s.name, s.cut, t.word, t.n, coalesce(w.role, 'spelling') AS role,
               CASE WHEN w.role = 'spelling' THEN w.standard ELSE t.word END AS spelling,
               w.standard AS kind, count(*) OVER (PARTITION BY s.name) AS count
        FROM spaced s CROSS JOIN LATERAL unnest(string_to_array(s.text, ' ')) WITH ORDINALITY AS t(word, n)
        LEFT JOIN disclosed.name_word w ON w.word = t.word
        WHERE t.word <> ''),
    whole AS (
        SELECT t.*, max(n) FILTER (WHERE role = 'form' AND n > 1) OVER of_name AS last_form,
               max(n) OVER of_name AS last
        FROM token t
        WHERE NOT (cut AND n = count AND n > 1 AND length(word) <= 3 AND role = 'spelling'
                   AND EXISTS (SELECT 1 FROM disclosed.name_word f
                               WHERE f.role IN ('form', 'place', 'mark') AND starts_with(f.word, t.word)))
        WINDOW of_name AS (PARTITION BY t.name))
    SELECT w.name, w.cut, string_agg(spelling, ' ' ORDER BY n) FILTER (WHERE kept),
           string_agg(spelling, ' ' ORDER BY spelling, n) FILTER (WHERE kept),
           coalesce(array_agg(DISTINCT kind) FILTER (WHERE role = 'form' AND n > 1), '{}')
    FROM whole w
    CROSS JOIN LATERAL (
        SELECT role = 'spelling' OR (n = 1 AND role <> 'noise')
               OR (role = 'place' AND n < coalesce(last_form, n + 1)) OR (role = 'mark' AND n < last)) k(kept)
    GROUP BY w.name, w.cut
$$;

-- The names that issuers with an active listing have or had, for finding them by name.
CREATE TABLE issuer_name (
    issuer_id   bigint NOT NULL REFERENCES issuer,
    words       text COLLATE "C" NOT NULL,
    sorted      text COLLATE "C" NOT NULL,
    forms       text[] NOT NULL,
    PRIMARY KEY (words, issuer_id, forms)
);
CREATE INDEX issuer_name_sorted ON issuer_name (sorted);
CREATE INDEX issuer_name_issuer ON issuer_name (issuer_id);

-- What a title of class tells: common (COM, SHS, ORD, a fund's or partnership's units), class with its
-- letter (CL A, COM SER C), adr, other (notes, preferred, warrants, units of several securities);
-- NULL: not understood.
CREATE FUNCTION class_of_title(title text, OUT kind text, OUT letter text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN t.text ~ '\m(NOTE|NOTES|NT|DEBT|DEB|DBCV|BOND|BONDS|BD|MTNF?|SDCV|FRNT|CONV|CV|PFD|PREF|PREFERRED|PRF|DEP|WT|WTS|W|WRT|WARRANT|WARRANTS|RT|RTS|RIGHT|RIGHTS|PERP|SUB|WI)\M'
          OR t.text ~ '%|[0-9]/' THEN 'other'
        WHEN t.text ~ ('^(COM|COMMON|COMMON STOCK|STOCK|STK|CAP STK|CAPITAL STOCK|SHS|SHARES|ORD|ORDINARY|ORD SHS|ORDINARY SHARES|ORD SHARES|REG SHS|NAMEN AKT|COM SHS|COM STK)?'
                       ' ?(CL|CLASS|SER|SERIES) ?([A-Z])( (NEW|COM|COMMON|STK|STOCK|SHS|ORD|VTG|NON VTG|SUB VTG|COM NEW|COM STK|COMMON STOCK))?$') THEN 'class'
        WHEN t.text ~ '^(COM|COMMON|COMMON STOCK|STOCK|STK|CAP STK|CAPITAL STOCK|SHS|SHARES|ORD|ORDINARY|ORDINARY SHARES|ORD SHS|ORD SHARES|REG SHS|NAMEN AKT|COM SHS|COM STK|SH BEN INT|SHS BEN INT|COM SH BEN INT|SBI|UNIT LTD PARTN( INT)?|LTD PARTNERSHIP INT|COM UNITS?|COM UNITS? RE?PSTG LTD PARTN.*|TR UNIT|UNIT BEN INT|(UNIT|UT) SER [0-9]+|(GOLD |SILVER )?(SHS|TRUST)|ISHARES)( NEW)?$' THEN 'common'
        WHEN t.text ~ '^((SPON|SPONS|SPONSRD|SPONSORD|SPONSORED) )?(ADR|ADS|ADRS)( (NEW|SHS|ORD|REP ORD|REPSTG ORD))?$' THEN 'adr'
        END,
        substring(t.text FROM '(?:CL|CLASS|SER|SERIES) ?([A-Z])(?: |$)')
    FROM (SELECT trim(regexp_replace(upper(coalesce(title, '')), '[ .,]+', ' ', 'g')) AS text) t
$$;

-- The listing of an issuer that a class of its securities trades under, where that is sure: the only
-- one; the one with the class letter as suffix (BRK-B); on Nasdaq the one whose last letter it is, if
-- others begin like it (FOXA, FOX). For common shares, and a class of which no listing has the letter
-- though others have one (LEN, LEN-B): the first without a suffix, if none of those that begin like it
-- may be another class. Over-the-counter listings do not count beside those of an exchange, as
-- Section 13(f) is about exchange-traded securities.
CREATE FUNCTION listing_of_class(issuer bigint, kind text, letter text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH active AS (
        SELECT l.symbol, l.ticker, regexp_replace(l.ticker, '[-.].*$', '') AS stem,
               substring(l.ticker FROM '[-.](.*)$') AS suffix, l.listing_rank,
               l.listing_exchange ILIKE 'nasdaq%' AS on_nasdaq, l.listing_exchange NOT IN ('OTC', '') AS on_exchange,
               bool_or(l.market = 'US') OVER () AS any_in_us, l.market
        FROM disclosed.listing l
        WHERE l.issuer_id = issuer AND l.superseded_at IS NULL AND l.status = 'active'),
    traded AS (
        SELECT a.*, count(*) OVER () AS count
        FROM (SELECT *, bool_or(on_exchange) OVER () AS any_on_exchange FROM active
              WHERE market = 'US' OR NOT any_in_us) a
        WHERE a.on_exchange OR NOT coalesce(any_on_exchange, false)),
    first AS (
        SELECT * FROM traded WHERE suffix IS NULL ORDER BY listing_rank, symbol LIMIT 1),
    fitting AS (
        SELECT t.symbol, 1 AS place FROM traded t WHERE t.count = 1 OR (kind = 'class' AND t.suffix = letter)
        UNION ALL
        SELECT t.symbol, 2 FROM traded t
        WHERE kind = 'class' AND t.suffix IS NULL AND t.on_nasdaq AND right(t.ticker, 1) = letter
        UNION ALL
        SELECT f.symbol, 3 FROM first f
        WHERE CASE kind
              WHEN 'class' THEN EXISTS (SELECT 1 FROM traded o WHERE o.stem = f.ticker AND o.suffix ~ '^[A-Z]$')
              ELSE NOT EXISTS (SELECT 1 FROM traded o
                               WHERE o.suffix IS NULL AND o.ticker <> f.ticker AND left(o.ticker, 2) = left(f.ticker, 2)
                                 AND NOT (o.ticker LIKE f.ticker || '_%'
                                          AND NOT (o.on_nasdaq AND o.ticker ~ '[AKL]$')))
              END)
    SELECT min(symbol) FROM fitting
    WHERE kind IN ('common', 'class', 'adr') AND place = (SELECT min(place) FROM fitting)
    HAVING count(*) = 1
$$;

-- ------------------------------------------------------- CUSIPs and listings

-- The CUSIP within an ISIN: of the USA and Canada, and of the countries for which CUSIP Global
-- Services numbers securities, whose CUSIPs (CINS) begin with a letter.
CREATE FUNCTION cusip_of_isin(isin text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN isin ~ '^(US|CA)[0-9A-Z]{10}$' OR isin ~ '^(BM|BS|KY|MH|PA|PR|VG)[A-Z][0-9A-Z]{9}$'
                THEN substr(isin, 3, 9) END
$$;
CREATE INDEX listing_cusip ON listing (cusip_of_isin(isin))
    WHERE superseded_at IS NULL AND isin IS NOT NULL;

-- Each way in which information tables title a CUSIP, and what the titles mean.
CREATE TABLE security_title (
    cusip       text NOT NULL,
    issuer_title text NOT NULL,
    class_title text NOT NULL,
    rows_seen   bigint NOT NULL,
    first_seen  timestamptz NOT NULL DEFAULT now(),
    cut         boolean NOT NULL,
    words       text COLLATE "C",
    sorted      text COLLATE "C",
    forms       text[] NOT NULL,
    kind        text,
    letter      text,
    resolved    boolean NOT NULL DEFAULT false,
    company_id  bigint,
    symbol      text,
    PRIMARY KEY (cusip, issuer_title, class_title)
);
COMMENT ON COLUMN security_title.class_title IS 'empty where the row has none';
COMMENT ON COLUMN security_title.cut IS 'so long that the list of Section 13(f) securities may have cut it';
COMMENT ON COLUMN security_title.resolved IS 'whether company_id and symbol are what the names of issuers say now';
CREATE INDEX security_title_words ON security_title (words);
CREATE INDEX security_title_sorted ON security_title (sorted);
CREATE INDEX security_title_company ON security_title (company_id);
CREATE INDEX security_title_unresolved ON security_title (cusip) WHERE NOT resolved;

-- What each CUSIP is: as a source states it, else by the ISIN of a listing, else by name. Of several
-- that hold on a day the first counts, of two statements the one that begins later.
CREATE TABLE security_link (
    cusip       text NOT NULL,
    basis       text NOT NULL CHECK (basis IN ('stated', 'isin', 'name')),
    precedence  smallint NOT NULL,
    valid_from  date NOT NULL,
    valid_to    date NOT NULL,
    company_id  bigint NOT NULL REFERENCES issuer,
    symbol      text,
    PRIMARY KEY (cusip, precedence, valid_from)
);
CREATE INDEX security_link_company ON security_link (company_id);
CREATE INDEX security_link_symbol ON security_link (symbol);

-- The security behind what a source says of it on a day: its CUSIP, else its ISIN, else its ticker.
-- For use in a lateral join; no row where nothing is known.
CREATE FUNCTION security_of(wanted_cusip text, wanted_isin text, wanted_ticker text, on_date date)
RETURNS TABLE (company_id bigint, symbol text, basis text) LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT found.company_id, found.symbol, found.basis
    FROM (
        (SELECT l.company_id, l.symbol, l.basis, 1 AS place
         FROM disclosed.security_link l
         WHERE l.cusip = coalesce(wanted_cusip, disclosed.cusip_of_isin(wanted_isin))
           AND on_date BETWEEN l.valid_from AND l.valid_to
         ORDER BY l.precedence, l.valid_from DESC LIMIT 1)
        UNION ALL
        (SELECT min(l.issuer_id), (array_agg(l.symbol ORDER BY l.status <> 'active',
                                            l.market <> 'US', l.listing_rank, l.id))[1], 'isin', 2
         FROM disclosed.listing l
         WHERE l.isin = wanted_isin AND l.superseded_at IS NULL
         HAVING count(DISTINCT l.issuer_id) = 1)
        UNION ALL
        (SELECT l.issuer_id, l.symbol, 'ticker', 3
         FROM disclosed.listing l
         WHERE l.ticker = upper(wanted_ticker) AND l.superseded_at IS NULL
         ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.id LIMIT 1)
    ) found
    ORDER BY found.place LIMIT 1
$$;

-- CUSIPs whose links this transaction has changed, and what they were before; what follows from them
-- for holdings of 13F reports is done where `applied`.
CREATE FUNCTION begin_security_changes() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.security_change') IS NULL THEN
        CREATE TEMP TABLE security_change (cusip text PRIMARY KEY, applied boolean NOT NULL DEFAULT false)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE replaced_link (LIKE disclosed.security_link) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE fresh_link (LIKE disclosed.security_link) ON COMMIT DELETE ROWS;
    END IF;
END $$;

-- Finds the issuer and the listing of titles that are not resolved. A name must agree with exactly one
-- issuer: word for word, else with the words in another order. A name that may be cut must be the
-- beginning of exactly one.
CREATE FUNCTION resolve_titles(cusips text[]) RETURNS void LANGUAGE sql AS $$
    WITH wanted AS (
        SELECT DISTINCT words, sorted, forms, cut FROM disclosed.security_title
        WHERE cusip = ANY (cusips) AND NOT resolved AND words IS NOT NULL),
    candidate AS (
        SELECT w.words, w.forms, w.cut, 1 AS place, n.issuer_id
        FROM wanted w JOIN disclosed.issuer_name n ON n.words = w.words
        WHERE NOT w.cut AND (w.forms = '{}' OR n.forms = '{}' OR w.forms && n.forms)
        UNION ALL
        SELECT w.words, w.forms, w.cut, 2, n.issuer_id
        FROM wanted w JOIN disclosed.issuer_name n ON n.sorted = w.sorted
        WHERE NOT w.cut AND (w.forms = '{}' OR n.forms = '{}' OR w.forms && n.forms)
        UNION ALL
        SELECT w.words, w.forms, w.cut, 1, n.issuer_id
        FROM wanted w JOIN disclosed.issuer_name n
          ON n.words >= w.words AND n.words <= w.words || '~'
        WHERE w.cut AND (w.forms = '{}' OR n.forms = '{}' OR w.forms && n.forms)),
    placed AS (
        SELECT *, min(place) OVER (PARTITION BY words, forms, cut) AS first_place FROM candidate),
    named AS (
        SELECT words, forms, cut, min(issuer_id) AS issuer_id FROM placed
        WHERE place = first_place
        GROUP BY words, forms, cut HAVING min(issuer_id) = max(issuer_id)),
    titled AS MATERIALIZED (
        SELECT t.cusip, t.issuer_title, t.class_title, t.kind, t.letter, n.issuer_id
        FROM disclosed.security_title t
        LEFT JOIN named n ON n.words = t.words AND n.forms = t.forms AND n.cut = t.cut
        WHERE t.cusip = ANY (cusips) AND NOT t.resolved),
    listed AS MATERIALIZED (
        SELECT c.*, disclosed.listing_of_class(c.issuer_id, c.kind, c.letter) AS symbol
        FROM (SELECT DISTINCT issuer_id, kind, letter FROM titled WHERE issuer_id IS NOT NULL) c)
    UPDATE disclosed.security_title t
    SET resolved = true, company_id = l.issuer_id, symbol = c.symbol
    FROM titled l
    LEFT JOIN listed c ON c.issuer_id = l.issuer_id AND c.kind IS NOT DISTINCT FROM l.kind
                      AND c.letter IS NOT DISTINCT FROM l.letter
    WHERE t.cusip = l.cusip AND t.issuer_title = l.issuer_title AND t.class_title = l.class_title
$$;

-- What the titles of CUSIPs say together: one in ten rows may say something else, as some managers'
-- rows have slipped. Titles of class that are not understood do not count for the listing.
CREATE FUNCTION links_by_name(cusips text[])
RETURNS TABLE (cusip text, company_id bigint, symbol text) LANGUAGE sql STABLE AS $$
    WITH company AS (
        SELECT t.cusip, t.company_id, sum(t.rows_seen) AS votes,
               sum(sum(t.rows_seen)) OVER (PARTITION BY t.cusip) AS all_votes
        FROM disclosed.security_title t
        WHERE t.cusip = ANY (cusips) AND t.company_id IS NOT NULL
        GROUP BY t.cusip, t.company_id),
    listed AS (
        SELECT t.cusip, t.company_id, t.symbol, sum(t.rows_seen) AS votes,
               sum(sum(t.rows_seen)) OVER (PARTITION BY t.cusip) AS all_votes
        FROM company c JOIN disclosed.security_title t USING (cusip, company_id)
        WHERE c.votes >= 0.9 * c.all_votes AND t.kind IS NOT NULL
        GROUP BY t.cusip, t.company_id, t.symbol)
    SELECT c.cusip, c.company_id, l.symbol
    FROM company c
    LEFT JOIN listed l ON l.cusip = c.cusip AND l.symbol IS NOT NULL AND l.votes >= 0.9 * l.all_votes
    WHERE c.votes >= 0.9 * c.all_votes
$$;

-- Brings the links of CUSIPs up to date; notes in pg_temp.security_change those that have changed.
CREATE FUNCTION link_cusips(cusips text[]) RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    PERFORM disclosed.resolve_titles(cusips);
    TRUNCATE pg_temp.fresh_link;
    INSERT INTO pg_temp.fresh_link
    SELECT DISTINCT ON (s.cusip, s.valid_from)
           s.cusip, 'stated', 1, s.valid_from, coalesce(s.valid_to, 'infinity'), s.issuer_id,
           (SELECT l.symbol FROM disclosed.listing l
            WHERE l.issuer_id = s.issuer_id AND l.superseded_at IS NULL AND l.ticker = s.ticker
              AND (s.market IS NULL OR l.market = s.market)
            ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.id LIMIT 1)
    FROM disclosed.security s
    WHERE s.cusip = ANY (cusips) AND s.superseded_at IS NULL
    ORDER BY s.cusip, s.valid_from, s.known_at DESC, s.row_id DESC;
    INSERT INTO pg_temp.fresh_link
    SELECT disclosed.cusip_of_isin(l.isin) AS cusip, 'isin', 2, '-infinity', 'infinity', min(l.issuer_id),
           (array_agg(l.symbol ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.id))[1]
    FROM disclosed.listing l
    WHERE disclosed.cusip_of_isin(l.isin) = ANY (cusips) AND l.superseded_at IS NULL
      AND l.isin IS NOT NULL
    GROUP BY disclosed.cusip_of_isin(l.isin) HAVING count(DISTINCT l.issuer_id) = 1;
    INSERT INTO pg_temp.fresh_link
    SELECT n.cusip, 'name', 3, '-infinity', 'infinity', n.company_id, n.symbol
    FROM disclosed.links_by_name(cusips) n;
    ANALYZE pg_temp.fresh_link;
    INSERT INTO pg_temp.security_change AS c (cusip)
    SELECT DISTINCT cusip
    FROM ((TABLE pg_temp.fresh_link
           EXCEPT SELECT * FROM disclosed.security_link WHERE cusip = ANY (cusips))
          UNION ALL
          (SELECT * FROM disclosed.security_link WHERE cusip = ANY (cusips)
           EXCEPT TABLE pg_temp.fresh_link)) different
    ON CONFLICT (cusip) DO UPDATE SET applied = false;
    INSERT INTO pg_temp.replaced_link
    SELECT l.* FROM disclosed.security_link l JOIN pg_temp.security_change c USING (cusip)
    WHERE l.cusip = ANY (cusips)
      AND NOT EXISTS (SELECT 1 FROM pg_temp.replaced_link r WHERE r.cusip = l.cusip);
    DELETE FROM disclosed.security_link l USING pg_temp.security_change c
    WHERE l.cusip = c.cusip AND l.cusip = ANY (cusips);
    INSERT INTO disclosed.security_link
    SELECT f.* FROM pg_temp.fresh_link f JOIN pg_temp.security_change c USING (cusip);
END $$;

-- The companies whose securities this transaction has linked otherwise.
CREATE FUNCTION changed_securities() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    RETURN QUERY
        SELECT r.company_id FROM pg_temp.replaced_link r
        UNION
        SELECT l.company_id FROM disclosed.security_link l JOIN pg_temp.security_change c USING (cusip);
END $$;

-- The same, for a load of information tables, whose settling has linked what they title.
CREATE FUNCTION securities_after_positions(managers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS
$$ SELECT * FROM disclosed.changed_securities() $$;

CREATE FUNCTION settle_securities(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.link_cusips(ARRAY(SELECT DISTINCT cusip FROM disclosed.security
                                        WHERE issuer_id = ANY (issuers)));
    RETURN QUERY SELECT * FROM disclosed.changed_securities();
END $$;

-- The names of issuers, as rows of issuer_name.
CREATE FUNCTION names_of_issuers(issuers bigint[]) RETURNS SETOF issuer_name LANGUAGE sql STABLE AS $$
    WITH named AS (
        SELECT issuer_id, name FROM disclosed.issuer_profile WHERE issuer_id = ANY (issuers)
        UNION SELECT issuer_id, name FROM disclosed.listing WHERE issuer_id = ANY (issuers)
        UNION SELECT issuer_id, name FROM disclosed.issuer WHERE issuer_id = ANY (issuers)),
    listed AS (
        SELECT DISTINCT issuer_id FROM disclosed.listing
        WHERE issuer_id = ANY (issuers) AND superseded_at IS NULL AND status = 'active')
    SELECT DISTINCT n.issuer_id, k.words, k.sorted, k.forms
    FROM listed JOIN named n USING (issuer_id)
    JOIN disclosed.name_keys(ARRAY(SELECT name FROM named WHERE name IS NOT NULL), false) k ON k.name = n.name
    WHERE k.words IS NOT NULL
$$;

-- Listings or names of issuers have changed: CUSIPs that may be theirs are linked anew.
CREATE FUNCTION link_issuers(issuers bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    changed text[];
BEGIN
    WITH fresh AS (
        SELECT * FROM disclosed.names_of_issuers(issuers)),
    gone AS (
        DELETE FROM disclosed.issuer_name n
        WHERE n.issuer_id = ANY (issuers) AND NOT EXISTS (
            SELECT 1 FROM fresh f
            WHERE f.issuer_id = n.issuer_id AND f.words = n.words AND f.forms = n.forms)
        RETURNING n.words, n.sorted),
    added AS (
        INSERT INTO disclosed.issuer_name SELECT * FROM fresh
        ON CONFLICT DO NOTHING RETURNING words, sorted),
    name AS (
        SELECT words, sorted FROM gone UNION SELECT words, sorted FROM added),
    title AS (
        SELECT t.cusip, t.issuer_title, t.class_title FROM name n JOIN disclosed.security_title t ON t.words = n.words
        UNION
        SELECT t.cusip, t.issuer_title, t.class_title FROM name n JOIN disclosed.security_title t ON t.sorted = n.sorted
        UNION
        SELECT t.cusip, t.issuer_title, t.class_title
        FROM name n CROSS JOIN LATERAL generate_series(1, length(n.words) - 1) AS length
        JOIN disclosed.security_title t ON t.words = left(n.words, length) AND t.cut
        UNION
        SELECT t.cusip, t.issuer_title, t.class_title FROM disclosed.security_title t
        WHERE t.company_id = ANY (issuers)),
    stale AS (
        UPDATE disclosed.security_title t SET resolved = false FROM title s
        WHERE t.cusip = s.cusip AND t.issuer_title = s.issuer_title AND t.class_title = s.class_title
        RETURNING t.cusip)
    SELECT array_agg(DISTINCT cusip) INTO changed
    FROM (SELECT cusip FROM stale
          UNION SELECT cusip FROM disclosed.security WHERE issuer_id = ANY (issuers)
          UNION SELECT cusip FROM disclosed.security_link WHERE company_id = ANY (issuers)
          UNION SELECT disclosed.cusip_of_isin(isin) FROM disclosed.listing
                WHERE issuer_id = ANY (issuers) AND isin IS NOT NULL) one
    WHERE cusip IS NOT NULL;
    IF changed IS NOT NULL THEN
        PERFORM disclosed.link_cusips(changed);
    END IF;
    RETURN QUERY SELECT * FROM disclosed.changed_securities();
END $$;

-- ------------------------------------------------------------- what is derived

-- One manager's holding of one listing at the end of a quarter: the shares of all rows of its report,
-- options and principal amounts left out. The issuer is the manager.
CREATE TABLE institution_holder (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    company_id  bigint NOT NULL,
    symbol      text NOT NULL,
    period_of_report date NOT NULL,
    value       numeric NOT NULL,
    shares      numeric
);
CALL finish_dataset_table('institution_holder');
ALTER TABLE institution_holder ADD CHECK (period_of_report <= (known_at AT TIME ZONE 'UTC')::date + 14);
CREATE INDEX institution_holder_symbol ON institution_holder (symbol, period_of_report, id);
CREATE INDEX institution_holder_period ON institution_holder (issuer_id, period_of_report);

-- All managers together, by listing and quarter, with a version for each day on which that changed.
-- The issuer is the company.
CREATE TABLE institution_flow (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    symbol      text NOT NULL,
    period_of_report date NOT NULL,
    holders     bigint NOT NULL,
    holders_change bigint,
    value       numeric NOT NULL,
    shares      numeric NOT NULL
);
CALL finish_dataset_table('institution_flow');
ALTER TABLE institution_flow ADD CHECK (period_of_report <= (known_at AT TIME ZONE 'UTC')::date + 14);
CREATE INDEX institution_flow_symbol ON institution_flow (symbol, period_of_report, id);
CREATE INDEX institution_flow_now ON institution_flow (symbol, period_of_report, id)
    WHERE superseded_at IS NULL;

-- What each day changed in those sums: a load adds its own differences and reads nothing else.
CREATE TABLE institution_flow_day (
    symbol      text NOT NULL,
    company_id  bigint NOT NULL,
    period_of_report date NOT NULL,
    day         date NOT NULL,
    holders     bigint NOT NULL,
    value       numeric NOT NULL,
    shares      numeric NOT NULL,
    source_provider text NOT NULL,
    PRIMARY KEY (symbol, company_id, period_of_report, day)
);

-- Rows in force that no listing is known for, by manager and quarter.
CREATE TABLE institution_unmapped (
    issuer_id   bigint NOT NULL,
    period_of_report date NOT NULL,
    entries     bigint NOT NULL,
    PRIMARY KEY (issuer_id, period_of_report)
);

-- The end of the quarter before the one that ends on `period`.
CREATE FUNCTION quarter_before(period date) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (date_trunc('month', period::timestamp) - interval '2 months')::date - 1 $$;

CREATE FUNCTION quarter_after(period date) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT (date_trunc('month', period::timestamp) + interval '4 months')::date - 1 $$;

-- The digest of a derived record, as the loader makes those of loaded ones (dataset_record.src_digest).
CREATE FUNCTION source_digest(dataset text, provider text, identity bigint, key text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT encode(substr(sha256(convert_to(
        dataset || E'\n' || provider || E'\n' || identity::text || E'\n' || key, 'UTF8')), 1, 16), 'hex')::uuid
$$;

-- Working tables of one transaction.
CREATE FUNCTION begin_holdings_work() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.work_portfolio') IS NULL THEN
        CREATE TEMP TABLE work_quarter (issuer_id bigint, period_of_report date) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_portfolio (issuer_id bigint, period_of_report date, contested boolean)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_report (issuer_id bigint, accession text, ended_at timestamptz)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_ending (issuer_id bigint, row_id bigint, ends_at timestamptz)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_symbol (symbol text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_cusip (cusip text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_security (cusip text, period_of_report date, company_id bigint,
            symbol text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_lot (issuer_id bigint, period_of_report date, company_id bigint,
            symbol text, known_at timestamptz, superseded_at timestamptz, rows bigint, value numeric,
            shares numeric, source_provider text, source_url text, accession text, content_hash text,
            extracted_at timestamptz) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE fresh_holder (issuer_id bigint, company_id bigint, symbol text,
            period_of_report date, record_key text, known_at timestamptz, superseded_at timestamptz,
            value numeric, shares numeric, source_provider text, source_url text, accession text,
            content_hash text, extracted_at timestamptz) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE old_holder (LIKE disclosed.institution_holder) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_day (LIKE disclosed.institution_flow_day) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_flow (symbol text, company_id bigint, period_of_report date,
            from_day date)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE fresh_flow (issuer_id bigint, symbol text, period_of_report date,
            record_key text, known_at timestamptz, superseded_at timestamptz, holders bigint,
            holders_change bigint, value numeric, shares numeric, source_provider text)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE old_flow (LIKE disclosed.institution_flow) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_touched (issuer_id bigint) ON COMMIT DELETE ROWS;
    END IF;
    TRUNCATE pg_temp.work_security, pg_temp.work_lot, pg_temp.fresh_holder, pg_temp.old_holder, pg_temp.work_day,
        pg_temp.work_flow, pg_temp.fresh_flow, pg_temp.old_flow;
END $$;

-- The managers' quarters that a load has changed: those of its rows, and those of reports that were
-- settled as something else. Where neither tells, as when rows without a report have become known
-- earlier, all quarters of the manager. `contested`: several filings speak about the quarter.
CREATE FUNCTION find_changed_portfolios(managers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE pg_temp.work_quarter, pg_temp.work_portfolio, pg_temp.work_report, pg_temp.work_ending;
    INSERT INTO pg_temp.work_quarter
    SELECT DISTINCT t.issuer_id, t.period_of_report FROM disclosed.institution_position t
    WHERE t.recorded_at = now() AND t.issuer_id = ANY (managers);
    INSERT INTO pg_temp.work_quarter
    SELECT r.issuer_id, p.period
    FROM disclosed.institution_report r
    CROSS JOIN LATERAL (VALUES (r.period_of_report), (r.settled_period)) AS p(period)
    WHERE r.issuer_id = ANY (managers) AND r.superseded_at IS NULL AND p.period IS NOT NULL
      AND (r.settled_period, r.settled_known_at) IS DISTINCT FROM (r.period_of_report, r.known_at);
    INSERT INTO pg_temp.work_quarter
    SELECT DISTINCT t.issuer_id, t.period_of_report FROM disclosed.institution_position t
    WHERE t.issuer_id = ANY (managers)
      AND t.issuer_id NOT IN (SELECT issuer_id FROM pg_temp.work_quarter);
    INSERT INTO pg_temp.work_portfolio
    SELECT q.issuer_id, q.period_of_report,
           (SELECT count(*) > 1 FROM disclosed.institution_report r
            WHERE r.issuer_id = q.issuer_id AND q.period_of_report IN (r.period_of_report, r.settled_period))
    FROM (SELECT DISTINCT * FROM pg_temp.work_quarter) q;
    ANALYZE pg_temp.work_portfolio;
END $$;

-- Form 13F, special instructions: an amendment either restates the whole report or adds new holdings
-- to it. A report that does not add is the whole of its manager and quarter from when it was public;
-- what was filed before it ends there, rows added as well. Versions of a row end with the next one.
-- Reports of one instant follow each other by amendment number, then accession number. A request for
-- confidential treatment (13F-CTR) reports nothing and ends nothing.
CREATE FUNCTION close_restated_positions() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        INSERT INTO pg_temp.work_report
        SELECT r.issuer_id, r.accession, (
                   SELECT min(n.known_at) FROM disclosed.institution_report n
                   WHERE n.issuer_id = r.issuer_id AND n.period_of_report = r.period_of_report
                     AND n.superseded_at IS NULL AND n.amendment_type IS DISTINCT FROM 'new_holdings'
                     AND n.form NOT LIKE '13F-CTR%'
                     AND (n.known_at, coalesce(n.amendment_number, 0), n.accession)
                         > (r.known_at, coalesce(r.amendment_number, 0), r.accession))
        FROM pg_temp.work_portfolio w
        JOIN disclosed.institution_report r USING (issuer_id, period_of_report)
        WHERE w.contested AND r.superseded_at IS NULL $q$;
    ANALYZE pg_temp.work_report;
    EXECUTE $q$
        INSERT INTO pg_temp.work_ending
        SELECT issuer_id, row_id, ends_at
        FROM (SELECT v.*, CASE WHEN next_known_at IS NOT NULL OR ended_at IS NOT NULL
                               THEN greatest(known_at, least(next_known_at, ended_at)) END AS ends_at
              FROM (SELECT t.issuer_id, t.row_id, t.known_at, t.superseded_at, r.ended_at,
                           lead(t.known_at) OVER (PARTITION BY t.issuer_id, t.record_key
                                                  ORDER BY t.known_at, t.row_id) AS next_known_at
                    FROM pg_temp.work_portfolio w
                    JOIN disclosed.institution_position t USING (issuer_id, period_of_report)
                    LEFT JOIN pg_temp.work_report r
                      ON r.issuer_id = t.issuer_id AND r.accession = t.accession
                    WHERE w.contested) v) e
        WHERE superseded_at IS DISTINCT FROM ends_at $q$;
    ANALYZE pg_temp.work_ending;
    EXECUTE $q$
        UPDATE disclosed.institution_position t SET superseded_at = e.ends_at
        FROM pg_temp.work_ending e
        WHERE t.issuer_id = e.issuer_id AND t.row_id = e.row_id $q$;
END $$;

-- Keeps how the load's rows title each CUSIP, and links those CUSIPs.
CREATE FUNCTION link_new_positions() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    cusips text[];
BEGIN
    WITH seen AS (
        SELECT t.cusip, t.issuer_title, coalesce(t.class_title, '') AS class_title, count(*) AS rows_seen
        FROM disclosed.institution_position t
        WHERE t.recorded_at = now() AND t.cusip IS NOT NULL
        GROUP BY 1, 2, 3),
    kept AS (
        INSERT INTO disclosed.security_title AS s
            (cusip, issuer_title, class_title, rows_seen, cut, words, sorted, forms, kind, letter)
        SELECT seen.*, coalesce(k.cut, false), k.words, k.sorted, coalesce(k.forms, '{}'), c.kind, c.letter
        FROM seen
        LEFT JOIN disclosed.name_keys(ARRAY(SELECT DISTINCT issuer_title FROM seen), true) k
          ON k.name = seen.issuer_title
        LEFT JOIN (SELECT class_title, (disclosed.class_of_title(class_title)).*
                   FROM (SELECT DISTINCT class_title FROM seen) distinct_title) c USING (class_title)
        ORDER BY seen.cusip, seen.issuer_title, seen.class_title
        ON CONFLICT (cusip, issuer_title, class_title) DO UPDATE
        SET rows_seen = s.rows_seen + excluded.rows_seen
        RETURNING s.cusip)
    SELECT array_agg(DISTINCT cusip) INTO cusips FROM kept;
    IF cusips IS NOT NULL THEN
        PERFORM disclosed.link_cusips(cusips);
    END IF;
END $$;

-- The rows that are looked at: of the quarters in work_portfolio, or of the CUSIPs in work_cusip.
CREATE FUNCTION holdings_scope(by_security boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN by_security THEN 'JOIN pg_temp.work_cusip w USING (cusip)'
                ELSE 'JOIN pg_temp.work_portfolio w USING (issuer_id, period_of_report)' END
$$;

-- What the CUSIPs of those rows are, each at the end of its quarter.
CREATE FUNCTION look_up_securities(by_security boolean) RETURNS void
LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE format($q$
        INSERT INTO pg_temp.work_security
        SELECT t.cusip, t.period_of_report, l.company_id, l.symbol
        FROM (SELECT DISTINCT cusip, period_of_report FROM disclosed.institution_position t %s
              WHERE cusip IS NOT NULL) t
        CROSS JOIN LATERAL disclosed.security_of(t.cusip, NULL, NULL, t.period_of_report) l
    $q$, disclosed.holdings_scope(by_security));
    ANALYZE pg_temp.work_security;
END $$;

-- The versions of those rows' holders: at each instant at which a row came or went, the sum of the
-- rows in force. A version comes from the report that came at that instant, or last before it.
CREATE FUNCTION sum_holders(by_security boolean) RETURNS void LANGUAGE plpgsql SET work_mem = '128MB' AS $$
BEGIN
    EXECUTE format($q$
        INSERT INTO pg_temp.work_lot
        SELECT t.issuer_id, t.period_of_report, s.company_id, s.symbol, t.known_at, t.superseded_at,
               count(*), sum(t.value), sum(t.shares), min(t.source_provider), min(t.source_url),
               min(t.accession), min(t.content_hash), min(t.extracted_at)
        FROM disclosed.institution_position t %s
        JOIN pg_temp.work_security s USING (cusip, period_of_report)
        WHERE t.shares_type = 'SH' AND t.put_call IS NULL AND s.symbol IS NOT NULL
          AND t.superseded_at IS DISTINCT FROM t.known_at %s
        GROUP BY 1, 2, 3, 4, 5, 6
    $q$, disclosed.holdings_scope(by_security),
         CASE WHEN by_security THEN 'AND s.symbol IN (SELECT symbol FROM pg_temp.work_symbol)' ELSE '' END);
    INSERT INTO pg_temp.fresh_holder
    WITH change AS (
        SELECT issuer_id, period_of_report, company_id, symbol, known_at AS at, rows, value, shares,
               source_provider, source_url, accession, content_hash, extracted_at
        FROM pg_temp.work_lot
        UNION ALL
        SELECT issuer_id, period_of_report, company_id, symbol, superseded_at, -rows, -value,
               -shares, NULL, NULL, NULL, NULL, NULL
        FROM pg_temp.work_lot WHERE superseded_at IS NOT NULL),
    instant AS (
        SELECT issuer_id, period_of_report, company_id, symbol, at, sum(rows) AS rows,
               sum(value) AS value, sum(shares) AS shares, min(source_provider) AS source_provider,
               min(source_url) AS source_url, min(accession) AS accession,
               min(content_hash) AS content_hash, min(extracted_at) AS extracted_at
        FROM change GROUP BY 1, 2, 3, 4, 5),
    state AS (
        SELECT i.*, lead(at) OVER timeline AS next_at, sum(rows) OVER timeline AS rows_held,
               sum(value) OVER timeline AS value_held, sum(shares) OVER timeline AS shares_held,
               count(source_provider) OVER timeline AS reports
        FROM instant i
        WINDOW timeline AS (PARTITION BY issuer_id, period_of_report, symbol, company_id ORDER BY at)),
    sourced AS (
        SELECT s.issuer_id, company_id, symbol, period_of_report, at, next_at, rows_held, value_held,
               shares_held, first_value(source_provider) OVER report AS source_provider,
               first_value(source_url) OVER report AS source_url,
               first_value(accession) OVER report AS accession,
               first_value(content_hash) OVER report AS content_hash,
               first_value(extracted_at) OVER report AS extracted_at
        FROM state s
        WINDOW report AS (PARTITION BY issuer_id, period_of_report, symbol, company_id, reports ORDER BY at))
    SELECT issuer_id, company_id, symbol, period_of_report, period_of_report || '/' || symbol, at,
           next_at, value_held, shares_held, source_provider, source_url, accession, content_hash,
           extracted_at
    FROM sourced WHERE rows_held > 0;
    EXECUTE format('INSERT INTO pg_temp.old_holder SELECT t.* FROM disclosed.institution_holder t %s',
                   CASE WHEN by_security THEN 'JOIN pg_temp.work_symbol w USING (symbol)'
                        ELSE 'JOIN pg_temp.work_portfolio w USING (issuer_id, period_of_report)' END);
    ANALYZE pg_temp.fresh_holder;
    ANALYZE pg_temp.old_holder;
END $$;

-- Puts the fresh versions in the place of the old ones; what is the same stays as it is.
CREATE FUNCTION replace_holders() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        WITH gone AS (
            DELETE FROM disclosed.institution_holder t USING pg_temp.old_holder o
            WHERE t.issuer_id = o.issuer_id AND t.row_id = o.row_id
              AND NOT EXISTS (SELECT 1 FROM pg_temp.fresh_holder f
                              WHERE f.issuer_id = o.issuer_id AND f.record_key = o.record_key
                                AND f.known_at = o.known_at AND f.company_id = o.company_id)
            RETURNING t.issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM gone $q$;
    EXECUTE $q$
        WITH changed AS (
            UPDATE disclosed.institution_holder t
            SET superseded_at = f.superseded_at, value = f.value, shares = f.shares,
                source_url = f.source_url, accession = f.accession, content_hash = f.content_hash
            FROM pg_temp.fresh_holder f JOIN pg_temp.old_holder o USING (issuer_id, record_key, known_at)
            WHERE t.issuer_id = o.issuer_id AND t.row_id = o.row_id AND f.company_id = o.company_id
              AND (o.superseded_at, o.value, o.shares, o.source_url, o.accession, o.content_hash)
                  IS DISTINCT FROM (f.superseded_at, f.value, f.shares, f.source_url, f.accession,
                                    f.content_hash)
            RETURNING t.issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM changed $q$;
    EXECUTE $q$
        WITH record AS (
            SELECT k.issuer_id, k.record_key, coalesce(o.id, nextval('disclosed.record_id')) AS id
            FROM (SELECT DISTINCT issuer_id, record_key FROM pg_temp.fresh_holder) k
            LEFT JOIN (SELECT issuer_id, record_key, min(id) AS id FROM pg_temp.old_holder
                       GROUP BY issuer_id, record_key) o USING (issuer_id, record_key)),
        added AS (
            INSERT INTO disclosed.institution_holder (id, issuer_id, record_key, known_at,
                superseded_at, src_digest, source_provider, source_url, accession, content_hash,
                extracted_at, company_id, symbol, period_of_report, value, shares)
            SELECT r.id, f.issuer_id, f.record_key, f.known_at, f.superseded_at,
                   disclosed.source_digest('institution_holder', f.source_provider,
                                           coalesce(i.cik, i.issuer_id), f.record_key),
                   f.source_provider, f.source_url, f.accession, f.content_hash, f.extracted_at,
                   f.company_id, f.symbol, f.period_of_report, f.value, f.shares
            FROM pg_temp.fresh_holder f
            JOIN record r USING (issuer_id, record_key)
            JOIN disclosed.issuer i USING (issuer_id)
            WHERE NOT EXISTS (SELECT 1 FROM pg_temp.old_holder o
                              WHERE o.issuer_id = f.issuer_id AND o.record_key = f.record_key
                                AND o.known_at = f.known_at AND o.company_id = f.company_id)
            RETURNING issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM added $q$;
END $$;

-- What that has changed in the sums of each day. A version holds from its day on, in New York, until
-- the day on which it ends.
CREATE FUNCTION add_flow_days() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        WITH version AS (
            SELECT symbol, company_id, period_of_report, known_at, superseded_at, 1 AS holders, value,
                   coalesce(shares, 0) AS shares, source_provider FROM pg_temp.fresh_holder
            UNION ALL
            SELECT symbol, company_id, period_of_report, known_at, superseded_at, -1, -value,
                   -coalesce(shares, 0), source_provider FROM pg_temp.old_holder),
        event AS (
            SELECT symbol, company_id, period_of_report, known_at AS at, holders, value, shares,
                   source_provider FROM version
            UNION ALL
            SELECT symbol, company_id, period_of_report, superseded_at, -holders, -value, -shares,
                   source_provider FROM version WHERE superseded_at IS NOT NULL)
        INSERT INTO pg_temp.work_day
        SELECT symbol, company_id, period_of_report, (at AT TIME ZONE 'America/New_York')::date,
               sum(holders), sum(value), sum(shares), min(source_provider)
        FROM event GROUP BY 1, 2, 3, 4
        HAVING sum(holders) <> 0 OR sum(value) <> 0 OR sum(shares) <> 0 $q$;
    ANALYZE pg_temp.work_day;
    EXECUTE $q$
        INSERT INTO disclosed.institution_flow_day AS d TABLE pg_temp.work_day
        ON CONFLICT (symbol, company_id, period_of_report, day) DO UPDATE
        SET holders = d.holders + excluded.holders, value = d.value + excluded.value,
            shares = d.shares + excluded.shares,
            source_provider = least(d.source_provider, excluded.source_provider) $q$;
    EXECUTE $q$
        DELETE FROM disclosed.institution_flow_day d USING pg_temp.work_day w
        WHERE d.symbol = w.symbol AND d.company_id = w.company_id AND d.day = w.day
          AND d.period_of_report = w.period_of_report
          AND d.holders = 0 AND d.value = 0 AND d.shares = 0 $q$;
END $$;

-- The sums that those days have changed, each from the first such day on: of the quarter itself, and of
-- the next one, which tells the change in holders against it.
CREATE FUNCTION find_changed_flows() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        INSERT INTO pg_temp.work_flow
        SELECT symbol, company_id, period_of_report, min(day)
        FROM (SELECT symbol, company_id, period_of_report, day FROM pg_temp.work_day
              UNION ALL
              SELECT w.symbol, w.company_id, disclosed.quarter_after(w.period_of_report), w.day
              FROM pg_temp.work_day w
              WHERE EXISTS (SELECT 1 FROM disclosed.institution_flow_day d
                            WHERE d.symbol = w.symbol AND d.company_id = w.company_id
                              AND d.period_of_report = disclosed.quarter_after(w.period_of_report))) w
        GROUP BY 1, 2, 3 $q$;
    ANALYZE pg_temp.work_flow;
    EXECUTE $q$
        INSERT INTO pg_temp.old_flow
        SELECT t.* FROM pg_temp.work_flow w
        JOIN disclosed.institution_flow t ON t.symbol = w.symbol AND t.issuer_id = w.company_id
         AND t.period_of_report = w.period_of_report
        WHERE t.superseded_at IS NULL OR t.superseded_at >= disclosed.end_of_day(w.from_day) $q$;
    ANALYZE pg_temp.old_flow;
END $$;

-- The versions of those sums: at the end of each day on which the quarter, or the number of holders of
-- the quarter before it, became another. What held before the first of these days is one state; the
-- version that began with it stays and ends anew.
CREATE FUNCTION sum_flows() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        INSERT INTO pg_temp.fresh_flow
        WITH event AS (
            SELECT w.symbol, w.company_id, w.period_of_report, greatest(d.day, w.from_day - 1) AS day,
                   d.holders, d.value, d.shares, 0 AS holders_before, false AS tells_before,
                   d.source_provider
            FROM pg_temp.work_flow w
            JOIN disclosed.institution_flow_day d USING (symbol, company_id, period_of_report)
            UNION ALL
            SELECT w.symbol, w.company_id, w.period_of_report, greatest(d.day, w.from_day - 1), 0, 0, 0,
                   d.holders, true, NULL
            FROM pg_temp.work_flow w
            JOIN disclosed.institution_flow_day d
              ON d.symbol = w.symbol AND d.company_id = w.company_id
             AND d.period_of_report = disclosed.quarter_before(w.period_of_report)),
        day AS (
            SELECT symbol, company_id, period_of_report, day, sum(holders) AS holders,
                   sum(value) AS value, sum(shares) AS shares, sum(holders_before) AS holders_before,
                   bool_or(tells_before) AS tells_before, min(source_provider) AS source_provider
            FROM event GROUP BY 1, 2, 3, 4),
        state AS (
            SELECT symbol, company_id, period_of_report, day, sum(holders) OVER timeline AS holders,
                   sum(value) OVER timeline AS value, sum(shares) OVER timeline AS shares,
                   CASE WHEN bool_or(tells_before) OVER timeline
                        THEN sum(holders) OVER timeline - sum(holders_before) OVER timeline
                   END AS holders_change,
                   min(source_provider) OVER whole AS source_provider
            FROM day
            WINDOW timeline AS (PARTITION BY symbol, company_id, period_of_report ORDER BY day),
                   whole AS (PARTITION BY symbol, company_id, period_of_report)),
        step AS (
            SELECT * FROM (
                SELECT s.*, lag((holders, value, shares, holders_change)) OVER timeline AS before
                FROM state s
                WINDOW timeline AS (PARTITION BY symbol, company_id, period_of_report ORDER BY day)) s
            WHERE before IS DISTINCT FROM (holders, value, shares, holders_change))
        SELECT s.company_id, s.symbol, s.period_of_report, s.symbol || '/' || s.period_of_report,
               coalesce(o.known_at, disclosed.end_of_day(day)), disclosed.end_of_day(next_day), s.holders,
               s.holders_change, s.value, s.shares, s.source_provider
        FROM (SELECT s.*, lead(day) OVER (PARTITION BY symbol, company_id, period_of_report
                                          ORDER BY day) AS next_day FROM step s) s
        JOIN pg_temp.work_flow w USING (symbol, company_id, period_of_report)
        LEFT JOIN pg_temp.old_flow o
          ON s.day < w.from_day AND o.issuer_id = s.company_id AND o.symbol = s.symbol
         AND o.period_of_report = s.period_of_report
         AND o.known_at < disclosed.end_of_day(w.from_day)
        WHERE s.holders > 0 $q$;
    ANALYZE pg_temp.fresh_flow;
END $$;

CREATE FUNCTION replace_flows() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        WITH gone AS (
            DELETE FROM disclosed.institution_flow t USING pg_temp.old_flow o
            WHERE t.issuer_id = o.issuer_id AND t.row_id = o.row_id
              AND NOT EXISTS (SELECT 1 FROM pg_temp.fresh_flow f
                              WHERE f.issuer_id = o.issuer_id AND f.record_key = o.record_key
                                AND f.known_at = o.known_at)
            RETURNING t.issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM gone $q$;
    EXECUTE $q$
        WITH changed AS (
            UPDATE disclosed.institution_flow t
            SET superseded_at = f.superseded_at, holders = f.holders, value = f.value,
                holders_change = f.holders_change, shares = f.shares
            FROM pg_temp.fresh_flow f JOIN pg_temp.old_flow o USING (issuer_id, record_key, known_at)
            WHERE t.issuer_id = o.issuer_id AND t.row_id = o.row_id
              AND (o.superseded_at, o.holders, o.holders_change, o.value, o.shares)
                  IS DISTINCT FROM (f.superseded_at, f.holders, f.holders_change, f.value, f.shares)
            RETURNING t.issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM changed $q$;
    EXECUTE $q$
        WITH record AS (
            SELECT k.issuer_id, k.record_key, coalesce(t.id, o.id, nextval('disclosed.record_id')) AS id
            FROM (SELECT DISTINCT issuer_id, record_key FROM pg_temp.fresh_flow) k
            LEFT JOIN (SELECT issuer_id, record_key, min(id) AS id FROM pg_temp.old_flow
                       GROUP BY issuer_id, record_key) o USING (issuer_id, record_key)
            LEFT JOIN LATERAL (SELECT min(t.id) AS id FROM disclosed.institution_flow t
                               WHERE t.issuer_id = k.issuer_id AND t.record_key = k.record_key) t ON true),
        added AS (
            INSERT INTO disclosed.institution_flow (id, issuer_id, record_key, known_at,
                superseded_at, src_digest, source_provider, symbol, period_of_report,
                holders, holders_change, value, shares)
            SELECT r.id, f.issuer_id, f.record_key, f.known_at, f.superseded_at,
                   disclosed.source_digest('institution_flow', f.source_provider,
                                           coalesce(i.cik, i.issuer_id), f.record_key),
                   f.source_provider, f.symbol, f.period_of_report, f.holders,
                   f.holders_change, f.value, f.shares
            FROM pg_temp.fresh_flow f
            JOIN record r USING (issuer_id, record_key)
            JOIN disclosed.issuer i USING (issuer_id)
            WHERE NOT EXISTS (SELECT 1 FROM pg_temp.old_flow o
                              WHERE o.issuer_id = f.issuer_id AND o.record_key = f.record_key
                                AND o.known_at = f.known_at)
            RETURNING issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM added $q$;
END $$;

-- Nested loops are kept from being planned for a large load into tables of which nothing is known yet,
-- as before their first ANALYZE, where they are taken for small.
CREATE FUNCTION plan_for_size(large boolean) RETURNS void LANGUAGE sql AS $$
    SELECT set_config('enable_nestloop', CASE WHEN large AND c.reltuples < 100000 THEN 'off' ELSE 'on' END, true)
    FROM pg_class c WHERE c.oid = 'disclosed.institution_position'::regclass
$$;

-- Holders and flows of the quarters in work_portfolio, or of the securities in work_symbol.
CREATE FUNCTION derive_holdings(by_security boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.plan_for_size((SELECT count(*) FROM pg_temp.work_portfolio) > 200
                                    OR (SELECT count(*) FROM pg_temp.work_cusip) > 200);
    PERFORM disclosed.look_up_securities(by_security);
    PERFORM disclosed.sum_holders(by_security);
    PERFORM disclosed.replace_holders();
    PERFORM disclosed.add_flow_days();
    PERFORM disclosed.find_changed_flows();
    PERFORM disclosed.sum_flows();
    PERFORM disclosed.replace_flows();
    PERFORM disclosed.plan_for_size(false);
END $$;

-- Keeps the number of rows without a listing over all managers.
CREATE FUNCTION count_unmapped(more numeric) RETURNS void LANGUAGE sql AS $$
    INSERT INTO disclosed.dataset_stat AS stat (dataset, record_count, version)
    SELECT 'institution_position_unmapped', more, 1 WHERE more <> 0
    ON CONFLICT (dataset) DO UPDATE
    SET record_count = stat.record_count + excluded.record_count, version = stat.version + 1,
        changed_at = now();
$$;

-- Rows without a listing in the quarters of work_portfolio, counted anew.
CREATE FUNCTION count_unmapped_portfolios() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    more numeric;
BEGIN
    EXECUTE $q$
        WITH fresh AS (
            SELECT w.issuer_id, w.period_of_report, count(t.row_id) FILTER (WHERE s.symbol IS NULL) AS entries
            FROM pg_temp.work_portfolio w
            LEFT JOIN disclosed.institution_position t
              ON t.issuer_id = w.issuer_id AND t.period_of_report = w.period_of_report
             AND t.superseded_at IS NULL
            LEFT JOIN pg_temp.work_security s
              ON s.cusip = t.cusip AND s.period_of_report = t.period_of_report
            GROUP BY 1, 2),
        old AS (
            SELECT coalesce(sum(u.entries), 0) AS entries
            FROM pg_temp.work_portfolio w
            JOIN disclosed.institution_unmapped u USING (issuer_id, period_of_report)),
        kept AS (
            INSERT INTO disclosed.institution_unmapped AS u SELECT * FROM fresh
            ON CONFLICT (issuer_id, period_of_report) DO UPDATE SET entries = excluded.entries
            WHERE u.entries <> excluded.entries)
        SELECT coalesce((SELECT sum(entries) FROM fresh), 0) - (SELECT entries FROM old) $q$ INTO more;
    PERFORM disclosed.count_unmapped(more);
END $$;

-- The same, where links of CUSIPs have changed: of the rows recorded before an instant those that have
-- got or lost a listing.
CREATE FUNCTION count_unmapped_securities(recorded_before timestamptz) RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    more numeric;
BEGIN
    EXECUTE $q$
        WITH day AS (
            SELECT DISTINCT t.cusip, t.period_of_report
            FROM pg_temp.security_change c JOIN disclosed.institution_position t USING (cusip)
            WHERE NOT c.applied),
        turned AS (
            SELECT d.cusip, d.period_of_report, CASE WHEN now_is.symbol IS NULL THEN 1 ELSE -1 END AS change
            FROM day d
            LEFT JOIN LATERAL disclosed.security_of(d.cusip, NULL, NULL, d.period_of_report) now_is ON true
            LEFT JOIN LATERAL (
                SELECT r.symbol FROM pg_temp.replaced_link r
                WHERE r.cusip = d.cusip AND d.period_of_report BETWEEN r.valid_from AND r.valid_to
                ORDER BY r.precedence, r.valid_from DESC LIMIT 1) was ON true
            WHERE (now_is.symbol IS NULL) <> (was.symbol IS NULL)),
        change AS (
            SELECT t.issuer_id, t.period_of_report, sum(turned.change) AS entries
            FROM turned JOIN disclosed.institution_position t USING (cusip, period_of_report)
            WHERE t.superseded_at IS NULL AND t.recorded_at < $1
            GROUP BY 1, 2),
        kept AS (
            UPDATE disclosed.institution_unmapped u SET entries = u.entries + c.entries
            FROM change c
            WHERE u.issuer_id = c.issuer_id AND u.period_of_report = c.period_of_report)
        SELECT coalesce(sum(entries), 0) FROM change $q$ INTO more USING recorded_before;
    PERFORM disclosed.count_unmapped(more);
END $$;

-- Says in the reports of work_portfolio what is stored of them.
CREATE FUNCTION total_reports() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        WITH total AS (
            SELECT t.issuer_id, t.accession, count(*) AS entries, sum(t.value) AS value
            FROM pg_temp.work_portfolio w
            JOIN disclosed.institution_position t USING (issuer_id, period_of_report)
            WHERE t.superseded_at IS NULL OR NOT EXISTS (
                SELECT 1 FROM disclosed.institution_position n
                WHERE n.issuer_id = t.issuer_id AND n.record_key = t.record_key
                  AND (n.known_at, n.row_id) > (t.known_at, t.row_id))
            GROUP BY 1, 2)
        UPDATE disclosed.institution_report r
        SET entries_stored = coalesce(t.entries, 0), value_stored = coalesce(t.value, 0),
            settled_period = r.period_of_report, settled_known_at = r.known_at
        FROM pg_temp.work_portfolio w
        JOIN disclosed.institution_report q USING (issuer_id, period_of_report)
        LEFT JOIN total t ON t.issuer_id = q.issuer_id AND t.accession = q.accession
        WHERE r.issuer_id = q.issuer_id AND r.row_id = q.row_id AND q.superseded_at IS NULL
          AND (r.entries_stored, r.value_stored, r.settled_period, r.settled_known_at) IS DISTINCT FROM
              (coalesce(t.entries, 0), coalesce(t.value, 0), r.period_of_report, r.known_at) $q$;
END $$;

-- CUSIPs have come to mean something else: the holders and flows of the listings that they meant
-- before and mean now follow. Rows from `recorded_before` on are counted by who calls.
CREATE FUNCTION apply_security_changes(recorded_before timestamptz) RETURNS void
LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_temp.security_change WHERE NOT applied) THEN
        RETURN;
    END IF;
    PERFORM disclosed.begin_holdings_work();
    TRUNCATE pg_temp.work_symbol, pg_temp.work_cusip;
    INSERT INTO pg_temp.work_symbol
    SELECT r.symbol FROM pg_temp.replaced_link r JOIN pg_temp.security_change c USING (cusip)
    WHERE NOT c.applied AND r.symbol IS NOT NULL
    UNION
    SELECT l.symbol FROM disclosed.security_link l JOIN pg_temp.security_change c USING (cusip)
    WHERE NOT c.applied AND l.symbol IS NOT NULL;
    ANALYZE pg_temp.work_symbol;
    INSERT INTO pg_temp.work_cusip
    SELECT DISTINCT l.cusip FROM disclosed.security_link l JOIN pg_temp.work_symbol w USING (symbol);
    ANALYZE pg_temp.work_cusip;
    ANALYZE pg_temp.security_change;
    PERFORM disclosed.derive_holdings(true);
    PERFORM disclosed.count_unmapped_securities(recorded_before);
    UPDATE pg_temp.security_change SET applied = true;
END $$;

-- Reports or rows of managers have come. Returns whose holders and flows have changed.
CREATE FUNCTION settle_institutions(managers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    PERFORM disclosed.begin_holdings_work();
    TRUNCATE pg_temp.work_touched;
    PERFORM disclosed.find_changed_portfolios(managers);
    PERFORM disclosed.close_restated_positions();
    PERFORM disclosed.link_new_positions();
    -- CUSIPs that only the new rows have are settled with them.
    UPDATE pg_temp.security_change c SET applied = true
    WHERE NOT EXISTS (SELECT 1 FROM disclosed.security_title t
                      WHERE t.cusip = c.cusip AND t.first_seen < now());
    PERFORM disclosed.apply_security_changes(now());
    PERFORM disclosed.begin_holdings_work();
    PERFORM disclosed.derive_holdings(false);
    PERFORM disclosed.count_unmapped_portfolios();
    PERFORM disclosed.total_reports();
    RETURN QUERY SELECT DISTINCT issuer_id FROM pg_temp.work_touched;
END $$;

-- CUSIPs have been linked otherwise.
CREATE FUNCTION follow_securities(companies bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    PERFORM disclosed.begin_holdings_work();
    TRUNCATE pg_temp.work_touched;
    PERFORM disclosed.apply_security_changes('infinity');
    RETURN QUERY SELECT issuer_id FROM pg_temp.work_touched
                 UNION SELECT * FROM disclosed.changed_securities();
END $$;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON name_word, issuer_name, security, security_title, security_link, institution_report,
    institution_position, institution_holder, institution_flow, institution_flow_day,
    institution_unmapped TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON name_word, issuer_name, security, security_title, security_link,
    institution_report, institution_position, institution_holder, institution_flow,
    institution_flow_day, institution_unmapped TO disclosed_loader;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA disclosed TO disclosed_loader;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA disclosed TO disclosed_api, disclosed_loader;

-- ------------------------------------------------------------- value scale

-- What decides whether a report's values are dollars or thousands, beyond what its own numbers say:
-- the same securities at other managers on the same day.

ALTER TABLE institution_report ADD COLUMN total_factor numeric NOT NULL DEFAULT 1 CHECK (total_factor > 0);
ALTER TABLE institution_report ADD COLUMN unconfirmed_cusips text[];
ALTER TABLE institution_report ADD COLUMN scale_compared boolean NOT NULL DEFAULT false;
ALTER TABLE institution_report DROP COLUMN value_difference;
ALTER TABLE institution_report
    ADD COLUMN value_difference numeric
        GENERATED ALWAYS AS (value_stored - table_value_total * total_factor) STORED;
COMMENT ON COLUMN institution_report.value_factor IS 'what makes the values of its rows dollars';
COMMENT ON COLUMN institution_report.total_factor IS 'what makes the total of its summary page dollars';
COMMENT ON COLUMN institution_report.unconfirmed_cusips IS 'while its own numbers leave the scale open: securities whose price at other managers would tell';
COMMENT ON COLUMN institution_report.scale_compared IS 'other managers'' reports have decided the scale';
CREATE INDEX institution_report_unconfirmed ON institution_report (period_of_report)
    WHERE unconfirmed_cusips IS NOT NULL;

-- How the prices that unconfirmed reports imply, as filed, stand to those of other managers for the
-- same security and day: about equal (their values are dollars), or a thousandth of them.
CREATE FUNCTION value_scale_votes(periods date[], cusips text[])
RETURNS TABLE (issuer_id bigint, accession text, is_dollars bigint, is_thousands bigint, votes bigint)
LANGUAGE sql STABLE AS $$
    SELECT own.issuer_id, own.accession,
           count(*) FILTER (WHERE own.price / peer.price BETWEEN 0.5 AND 2),
           count(*) FILTER (WHERE own.price / peer.price BETWEEN 0.0005 AND 0.002), count(*)
    FROM (SELECT r.issuer_id, r.accession, r.period_of_report, p.cusip,
                 avg(p.value_as_filed / p.shares) AS price
          FROM disclosed.institution_report r
          JOIN disclosed.institution_position p
            ON p.issuer_id = r.issuer_id AND p.period_of_report = r.period_of_report
           AND p.accession = r.accession AND p.cusip = ANY(r.unconfirmed_cusips)
          WHERE r.unconfirmed_cusips IS NOT NULL AND r.superseded_at IS DISTINCT FROM r.known_at
            AND r.period_of_report = ANY(periods)
            AND (cusips IS NULL OR r.unconfirmed_cusips && cusips)
            AND p.shares > 0 AND p.value_as_filed > 0 AND p.put_call IS NULL
          GROUP BY r.issuer_id, r.accession, r.period_of_report, p.cusip) own
    CROSS JOIN LATERAL (
        SELECT p.value / p.shares AS price
        FROM disclosed.institution_position p
        JOIN disclosed.institution_report r
          ON r.accession = p.accession AND r.issuer_id = p.issuer_id AND r.unconfirmed_cusips IS NULL
        WHERE p.cusip = own.cusip AND p.period_of_report = own.period_of_report
          AND p.issuer_id <> own.issuer_id
          AND p.shares > 0 AND p.value > 0 AND p.put_call IS NULL
        LIMIT 8) peer
    GROUP BY own.issuer_id, own.accession
$$;

-- Confirms or corrects the scale of reports of these periods that is still open, where at least three
-- comparisons are there and nine tenths of them agree. `cusips`: those that a load has brought, or
-- NULL for any. Returns what has changed; reports whose rows have are to be settled again.
CREATE FUNCTION compare_value_scales(periods date[], cusips text[])
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    decided record;
    has_changed boolean;
BEGIN
    FOR decided IN
        SELECT v.issuer_id, v.accession, d.factor,
               CASE d.factor WHEN 1000 THEN 'thousands, multiplied by 1000' ELSE 'dollars as filed' END AS name,
               format('%s of %s comparisons with other managers'' values of the same securities bear it out',
                      greatest(v.is_dollars, v.is_thousands), v.votes) AS why
        FROM disclosed.value_scale_votes(periods, cusips) v
        CROSS JOIN LATERAL (SELECT CASE WHEN v.is_dollars > v.is_thousands THEN 1 ELSE 1000 END) AS d(factor)
        WHERE v.votes >= 3 AND greatest(v.is_dollars, v.is_thousands) >= 0.9 * v.votes
    LOOP
        UPDATE disclosed.institution_position p
        SET value = p.value_as_filed * decided.factor,
            value_scale = CASE decided.factor WHEN 1000 THEN decided.name END
        WHERE p.issuer_id = decided.issuer_id AND p.accession = decided.accession
          AND p.value <> p.value_as_filed * decided.factor;
        has_changed := FOUND;
        UPDATE disclosed.institution_report r
        SET value_factor = decided.factor, total_factor = decided.factor, value_scale = decided.name,
            value_scale_reason = split_part(r.value_scale_reason, '; ', 1) || '; ' || decided.why,
            unconfirmed_cusips = NULL, scale_compared = true,
            settled_known_at = CASE WHEN NOT has_changed THEN r.settled_known_at END
        WHERE r.issuer_id = decided.issuer_id AND r.accession = decided.accession;
        RETURN QUERY SELECT 'institution_report', decided.issuer_id;
        RETURN QUERY SELECT 'institution_position', decided.issuer_id WHERE has_changed;
    END LOOP;
END $$;

-- ------------------------------------------------------------------- dates

-- Filings of managers have come: reports that were known by their filing date, or less, are known from
-- when the filing was, with their rows. Returns the managers whose reports have changed.
CREATE FUNCTION date_institution_reports(filers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    WITH dated AS (
        SELECT r.issuer_id, r.period_of_report, r.accession, r.known_at AS was, f.known_at, f.filed_on
        FROM disclosed.institution_report r
        JOIN disclosed.filing f
          ON f.accession = r.accession AND f.issuer_id = r.issuer_id AND f.superseded_at IS NULL
        WHERE r.issuer_id = ANY (filers) AND r.superseded_at IS NULL
          AND (r.known_at, r.filing_date) IS DISTINCT FROM (f.known_at, f.filed_on)),
    rows AS (
        UPDATE disclosed.institution_position p
        SET known_at = d.known_at, filing_date = d.filed_on,
            superseded_at = CASE WHEN p.superseded_at = p.known_at THEN d.known_at
                                 ELSE CASE WHEN p.superseded_at IS NOT NULL THEN greatest(p.superseded_at, d.known_at) END END
        FROM dated d
        WHERE p.issuer_id = d.issuer_id AND p.period_of_report = d.period_of_report
          AND p.accession = d.accession AND p.known_at = d.was),
    reports AS (
        UPDATE disclosed.institution_report r SET known_at = d.known_at, filing_date = d.filed_on
        FROM dated d
        WHERE r.issuer_id = d.issuer_id AND r.accession = d.accession AND r.superseded_at IS NULL
        RETURNING r.issuer_id)
    SELECT array_agg(DISTINCT issuer_id) INTO changed FROM reports;
    IF changed IS NOT NULL THEN
        RETURN QUERY SELECT * FROM disclosed.settle_institutions(changed);
        RETURN QUERY SELECT unnest(changed);
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION value_scale_votes, compare_value_scales, date_institution_reports
    TO disclosed_loader;
