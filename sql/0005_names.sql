-- Names of companies: when two are the same company's.

SET LOCAL search_path = disclosed, public;

-- ---------------------------------------------------------- words of names

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

-- ----------------------------------------------------- whether names agree

-- The words that a name is known by: no legal forms, no words that every other company has.
CREATE FUNCTION name_words(name text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(word ORDER BY place), '{}')
    FROM regexp_split_to_table(regexp_replace(lower(name), '[''.]|/[a-z ]*/? *$', '', 'g'), '[^a-z0-9]+')
         WITH ORDINALITY AS w(word, place)
    WHERE word <> '' AND word <> ALL (ARRAY['inc', 'incorporated', 'corp', 'corporation', 'co', 'company',
        'ltd', 'limited', 'plc', 'llc', 'lp', 'group', 'holding', 'holdings', 'the', 'of', 'and', 'nyse',
        'nasdaq', 'class', 'common', 'stock', 'new'])
$$;

-- Whether two names can be one company's: they begin alike, or share a word that is not everybody's.
CREATE FUNCTION names_agree(one text, other text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (n.length > 1 AND left(n.one_text, n.length) = left(n.other_text, n.length))
           OR EXISTS (SELECT 1 FROM unnest(disclosed.name_words(one)) AS word
                      WHERE length(word) > 2 AND word = ANY (disclosed.name_words(other))
                        AND word <> ALL (ARRAY['american', 'national', 'general', 'first', 'united',
                            'international', 'global', 'bank', 'financial', 'energy', 'health', 'resources',
                            'technologies', 'technology', 'capital', 'trust', 'fund', 'partners', 'shares',
                            'industries', 'systems', 'services', 'pharmaceuticals', 'insurance', 'realty',
                            'communications', 'entertainment', 'media', 'medical', 'brands', 'units']))
    FROM (SELECT a AS one_text, b AS other_text, least(12, length(a), length(b)) AS length
          FROM array_to_string(disclosed.name_words(one), '') AS a,
               array_to_string(disclosed.name_words(other), '') AS b) n
$$;

-- What tells the companies of one sponsor apart: Acquisition Corp II. Cut names may have lost it.
CREATE FUNCTION name_numeral(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT lower(coalesce(substring(name FROM '(?i)\m(ii|iii|iv|vi|vii|viii|ix|xi|xii|xiii)\M'),
                          substring(name FROM '(?i)\m(?:corp|corporation|acquisition|capital)\.?,? (v|x|[2-9])\M'), ''))
$$;

-- Whether one word is the other, cut or abbreviated: what it begins with, then consonants in their order (mgmt,
-- intl, hldgs, labs), so that a sea is no spectra.
CREATE FUNCTION words_agree(one text, other text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT one = other
        OR (left(one, 1) = left(other, 1) AND least(length(one), length(other)) > 1
            AND (SELECT substr(w.short, c.same + 1) ~ '^[^aeiou]*$'
                        AND substr(w.long, c.same + 1) ~ regexp_replace(substr(w.short, c.same + 1), '(.)', '.*\1', 'g')
                 FROM (SELECT CASE WHEN length(one) < length(other) THEN one ELSE other END AS short,
                              CASE WHEN length(one) < length(other) THEN other ELSE one END AS long) w
                 CROSS JOIN LATERAL (SELECT max(n) AS same FROM generate_series(1, length(w.short)) AS n
                                     WHERE left(w.short, n) = left(w.long, n)) c))
$$;

-- The words that tell a company: without single letters and forms of shares.
CREATE FUNCTION company_words(name text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce((SELECT array_agg(w.word ORDER BY w.place)
                     FROM unnest(n.words) WITH ORDINALITY AS w(word, place)
                     WHERE length(w.word) > 1 AND w.word <> ALL (ARRAY['sa', 'nv', 'ag', 'se', 'spa', 'ab', 'asa',
                         'adr', 'ads', 'cl', 'com', 'shs', 'ord', 'pfd', 'depositary', 'ordinary'])), n.words)
    FROM (SELECT disclosed.name_words(regexp_replace(name, '\m([A-Za-z])\.(?=[A-Za-z]\.)', '\1 ', 'g')) AS words) n
$$;

-- Whether the name that a market's file gives a security can be that company's: it may be cut after 30
-- characters, abbreviated, or followed by the class of the share. One shared word is too little: there are an Aris
-- Water and an Aris Mining; all words of the shorter name must be in the other, or two that are not everybody's.
CREATE FUNCTION share_names_agree(stated text, company text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (length(stated) >= 30
            OR disclosed.name_numeral(stated) = disclosed.name_numeral(company))
       AND CASE
           WHEN p.length >= 6 AND left(p.one, p.length) = left(p.other, p.length) THEN true
           ELSE (
               SELECT (w.length > 1 AND left(w.one_text, w.length) = left(w.other_text, w.length))
                   OR (cardinality(w.fewer) > 0 AND NOT EXISTS (
                           SELECT 1 FROM unnest(w.fewer) AS a
                           WHERE NOT EXISTS (SELECT 1 FROM unnest(w.more) AS b
                                             WHERE disclosed.words_agree(a, b))))
                   OR 2 <= (SELECT count(DISTINCT a) FROM unnest(w.fewer) AS a
                            JOIN unnest(w.more) AS b ON disclosed.words_agree(a, b)
                            WHERE length(a) > 2 AND length(b) > 2 AND a <> ALL (ARRAY['american', 'national',
                                'general', 'first', 'united', 'international', 'global', 'bank', 'financial',
                                'energy', 'health', 'resources', 'technologies', 'technology', 'capital', 'trust',
                                'fund', 'partners', 'shares', 'industries', 'systems', 'services', 'acquisition',
                                'pharmaceuticals', 'insurance', 'realty', 'properties', 'communications',
                                'entertainment', 'media', 'medical', 'brands', 'units', 'bancorp', 'therapeutics',
                                'solutions', 'mining', 'gold', 'income', 'real', 'estate', 'american', 'depositary',
                                'ordinary', 'adr', 'ads', 'etf', 'index', 'series', 'preferred', 'unit']))
               FROM (SELECT array_to_string(a, '') AS one_text, array_to_string(b, '') AS other_text,
                            least(12, length(array_to_string(a, '')), length(array_to_string(b, ''))) AS length,
                            CASE WHEN cardinality(a) <= cardinality(b) THEN a ELSE b END AS fewer,
                            CASE WHEN cardinality(a) <= cardinality(b) THEN b ELSE a END AS more
                     FROM disclosed.company_words(stated) AS a, disclosed.company_words(company) AS b) w)
           END
    FROM (SELECT one, other, least(12, length(one), length(other)) AS length
          FROM regexp_replace(lower(stated), '[^a-z0-9]+', '', 'g') AS one,
               regexp_replace(lower(company), '[^a-z0-9]+', '', 'g') AS other) p
$$;

-- What share_names_agree() says of names that begin alike, as most do that agree; NULL: they do not. Planned into its
-- callers, where each call of the other costs much.
CREATE FUNCTION names_begin_alike(stated text, company text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN length(regexp_replace(lower(stated), '[^a-z0-9]+', '', 'g')) >= 6
                 AND length(regexp_replace(lower(company), '[^a-z0-9]+', '', 'g')) >= 6
                 AND (starts_with(left(regexp_replace(lower(stated), '[^a-z0-9]+', '', 'g'), 12),
                                  left(regexp_replace(lower(company), '[^a-z0-9]+', '', 'g'), 12))
                      OR starts_with(left(regexp_replace(lower(company), '[^a-z0-9]+', '', 'g'), 12),
                                     left(regexp_replace(lower(stated), '[^a-z0-9]+', '', 'g'), 12)))
           THEN length(stated) >= 30 OR disclosed.name_numeral(stated) = disclosed.name_numeral(company) END
$$;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON name_word, issuer_name TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON name_word, issuer_name TO disclosed_loader;
