-- Questions: periods by their last day, parts of companies, and companies by initials, short and former names.

SET LOCAL search_path = disclosed, public;

ALTER TYPE ask_reading ADD ATTRIBUTE start_date date, ADD ATTRIBUTE end_date date, -- days that name the period
    ADD ATTRIBUTE earlier integer,    -- so many days before the last one it may end: of a month all of its days
    ADD ATTRIBUTE other_end date,     -- of the period that it is compared with
    ADD ATTRIBUTE length text,        -- its kind: quarter, half, ytd, annual; ttm: any twelve months
    ADD ATTRIBUTE parts text[],       -- of the company, by ask_part_key()
    ADD ATTRIBUTE part text,          -- the one of them that numbers are looked for
    ADD ATTRIBUTE dimension text;     -- all parts: segment, product, region

-- ------------------------------------------------------------------- days

-- The question with a word for each day (day20240629) and each month of a year (month202406). A day that there is not, and one that may be two
-- days (3/4/2024), stays as it is.
CREATE FUNCTION ask_days(question text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    months CONSTANT text := 'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
    told text := regexp_replace(question, '\m(day|month)(?=[0-9]{6})', '\1 ', 'gi'); -- such words are ours alone
    one record;
BEGIN
    FOR one IN
        SELECT f.words, f.year::integer AS year, f.day::integer AS day,
               CASE WHEN f.month ~ '^[0-9]' THEN f.month::integer ELSE (strpos('janfebmaraprmayjunjulaugsepoctnovdec', lower(left(f.month, 3))) + 2) / 3 END AS month
        FROM (SELECT p[1] AS words, p[2] AS year, p[3] AS month, p[4] AS day FROM regexp_matches(question, '(?<![[:alnum:]-])(((?:19|20)[0-9]{2})-([0-9]{1,2})-([0-9]{1,2}))(?![[:alnum:]-])', 'g') p
              UNION ALL
              SELECT p[1], p[4], CASE WHEN p[2]::integer > 12 THEN p[3] ELSE p[2] END, CASE WHEN p[2]::integer > 12 THEN p[2] ELSE p[3] END
              FROM regexp_matches(question, '(?<![[:alnum:]/])(([0-9]{1,2})/([0-9]{1,2})/((?:19|20)[0-9]{2}))(?![[:alnum:]/])', 'g') p
              WHERE p[2]::integer > 12 OR p[3]::integer > 12 OR p[2]::integer = p[3]::integer
              UNION ALL
              SELECT p[1], p[5], p[3], coalesce(p[2], p[4])
              FROM regexp_matches(question, '(?<![[:alnum:]])((?:([0-9]{1,2})(?:st|nd|rd|th)?[[:space:].-]+(?:of[[:space:]]+)?)?(' || months || ')\M(?:[[:space:].-]+([0-9]{1,2})(?:st|nd|rd|th)?\M)?[[:space:],.-]+(?:of[[:space:]]+)?((?:19|20)[0-9]{2}))\M', 'gi') p
              WHERE p[2] IS NULL OR p[4] IS NULL) f
        LIMIT 16
    LOOP
        CONTINUE WHEN one.month NOT BETWEEN 1 AND 12
                      OR one.day NOT BETWEEN 1 AND extract(day FROM make_date(one.year, one.month, 1) + interval '1 month - 1 day');
        told := replace(told, one.words, CASE WHEN one.day IS NULL THEN ' month' ELSE ' day' END || one.year * 100 + one.month || coalesce(lpad(one.day::text, 2, '0'), '') || ' ');
    END LOOP;
    RETURN told;
END $$;

-- The day of such a word; of a month the last one.
CREATE FUNCTION ask_day_of(word text) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN word LIKE 'day%' THEN to_date(substr(word, 4), 'YYYYMMDD') ELSE (to_date(substr(word, 6), 'YYYYMM') + interval '1 month - 1 day')::date END
$$;

-- The kind of a period from words for its length.
CREATE FUNCTION ask_length(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN words ~ ' weeks?$' THEN
               CASE WHEN words ~ '^(1[2-7]|twelve|thirteen|fourteen|sixteen|seventeen)' THEN 'quarter' WHEN words ~ '^(2[4-8]|twenty (four|five|six|seven|eight))' THEN 'half'
                    WHEN words ~ '^(3[6-9]|40|thirty (six|seven|eight|nine)|forty)' THEN 'ytd' WHEN words ~ '^(5[23]|fifty (two|three))' THEN 'ttm' ELSE 'other' END
           WHEN words ~ '^(quarter|three|3)' THEN 'quarter' WHEN words ~ '^(half|six|6)' THEN 'half' WHEN words ~ '^(nine|9)' THEN 'ytd' WHEN words ~ '^year' THEN 'annual' ELSE 'ttm' END
$$;

-- The reading and what is left of the question's words, with "@" for a period that is named by its last day.
CREATE FUNCTION ask_read_end(INOUT r ask_reading, OUT unused text) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    of_day CONSTANT text := '((?:day[0-9]{8}|month[0-9]{6}))';
    length CONSTANT text := '((?:three|six|nine|twelve|3|6|9|12) months?|(?:twelve|thirteen|fourteen|sixteen|seventeen|(?:twenty|thirty|fifty) (?:two|three|four|five|six|seven|eight|nine)|forty|[1235][0-9]|40) weeks?|'
        || 'quarter|quarterly|half|year)';
    spans CONSTANT text[] := ARRAY['\m(?:(?:quarter|half|year|period) )?(?:between|from) ' || of_day || ' (?:and|to|through|until) ' || of_day || '\M',
        '\m(?:(first|second|third|fourth|final|1st|2nd|3rd|4th|q[1-4]) )?(?:fiscal |calendar )?' || length || '(?: period| year)?(?: (?:that|which))? (?:ended|ending|ends|end|to) (?:on |in )?' || of_day || '\M',
        '\m(month[0-9]{6}) quarter\M',
        '\m(?:(?:that |which )?(?:ended|ending|ends)(?: on| in)?|as (?:of|at)(?: the end of)?|(?:at )?(?:the )?end of|at|on|dated) ' || of_day || '\M',
        '\m(day[0-9]{8})\M'];
    part text[];
    beside CONSTANT text := '@ (?:(?:compared|relative) (?:to|with)|versus|vs|against|over|than|to|with|and) (?:(?:the|that|those|in|for|of) )*';
    place integer := (SELECT min(n) FROM generate_series(1, 5) n WHERE r.rest ~ spans[n]);
BEGIN
    IF place IS NULL THEN
        RETURN;
    END IF;
    part := regexp_match(r.rest, spans[place]);
    r.rest := btrim(regexp_replace(regexp_replace(r.rest, spans[place], ' @ '), ' +', ' ', 'g'));
    r.end_date := disclosed.ask_day_of(part[CASE place WHEN 1 THEN 2 WHEN 2 THEN 3 ELSE 1 END]);
    r.earlier := CASE WHEN part[CASE place WHEN 1 THEN 2 WHEN 2 THEN 3 ELSE 1 END] LIKE 'month%' THEN extract(day FROM r.end_date) - 1 ELSE 7 END;
    r.length := CASE place WHEN 2 THEN disclosed.ask_length(part[2]) WHEN 3 THEN 'quarter' END;
    IF place = 1 THEN
        r.start_date := disclosed.ask_day_of(part[1]);
        r.length := replace(disclosed.period_kind(r.start_date, r.end_date), 'annual', 'ttm');
        unused := CASE WHEN part[1] LIKE 'month%' OR r.length NOT IN ('quarter', 'half', 'ytd', 'ttm') THEN disclosed.ask_day(r.start_date) END;
    ELSIF r.length = 'other' THEN
        unused := part[2];
    ELSIF place = 2 AND part[2] ~ '^quarter' AND part[1] IS NOT NULL THEN
        r.quarter := coalesce(disclosed.ask_ordinal(part[1]), right(part[1], 1)::integer);
    ELSIF place = 2 AND part[1] <> 'first' OR place = 2 AND part[1] = 'first' AND r.length IN ('annual', 'ttm') THEN
        unused := part[1];
    END IF;
    -- Another such period beside it, of the same length.
    IF place IN (2, 4) THEN
        place := (SELECT min(n) FROM unnest('{2,4,5}'::integer[]) n WHERE r.rest ~ (beside || spans[n]));
        part := regexp_match(r.rest, beside || spans[place]);
        IF part IS NOT NULL THEN
            r.other_end := disclosed.ask_day_of(part[CASE place WHEN 2 THEN 3 ELSE 1 END]);
            unused := coalesce(unused, CASE WHEN place = 2 AND (part[1] IS NOT NULL OR disclosed.ask_length(part[2]) IS DISTINCT FROM r.length) THEN disclosed.ask_day(r.other_end) END);
            r.rest := btrim(regexp_replace(regexp_replace(regexp_replace(r.rest, beside || spans[place], '@ @ '), '\m(?:from|between) (?:the )?@', '@'), ' +', ' ', 'g'));
            IF r.other_end > r.end_date THEN
                SELECT r.end_date, r.other_end INTO r.other_end, r.end_date;
            END IF;
        END IF;
    END IF;
END $$;

-- ------------------------------------------------------------------ metrics

-- Names of metrics as people write them, in plain words.
CREATE OR REPLACE VIEW metric_name AS
    SELECT m.metric_key, disclosed.plain_words(n.name) AS name
    FROM canonical_metric m
    CROSS JOIN LATERAL (SELECT unnest(m.aliases || ARRAY[m.display, replace(m.metric_key, '_', ' '), replace(m.display, ',', '')]
                                      || CASE WHEN m.unit = 'ratio' AND m.display !~ 'ratio' THEN ARRAY[m.display || ' ratio'] ELSE '{}' END) AS name) n
    UNION SELECT k.key, disclosed.plain_words(unnest(string_to_array(k.names, ', '))) FROM (VALUES
        ('eps_basic', 'earnings per share, earn per share, earned per share, make per share, made per share, profit per share, net income per share, '
            || 'loss per share, net loss per share, lose per share, lost per share'),
        ('eps_diluted', 'diluted earnings, diluted loss per share'),
        ('weighted_average_shares_diluted', 'diluted share count, diluted shares, weighted average diluted shares, diluted weighted average shares'),
        ('weighted_average_shares_basic', 'basic share count, basic shares, weighted average basic shares, basic weighted average shares'),
        ('share_based_compensation', 'stock compensation, stock comp, stock based comp'),
        ('interest_paid', 'pay in interest, paid in interest'),
        ('assets', 'assets'), ('liabilities', 'liabilities'), ('stockholders_equity', 'book value, shareholder equity, stockholder equity'),
        ('cash_and_cash_equivalents', 'cash balance'),
        ('operating_cash_flow', 'operating cashflow, operating cash flows, cash flow from operations, cash flows from operations, cash generated from operations, '
            || 'cash generated by operations, cash provided by operations'),
        ('investing_cash_flow', 'investing cash flows, cash flow from investing, cash flows from investing'),
        ('financing_cash_flow', 'financing cash flows, cash flow from financing, cash flows from financing'),
        ('capital_expenditure', 'capital spending'),
        ('research_and_development', 'r and d, rd, r&d spending, r&d expense, r&d expenses, r&d costs, research spending, research and development spending'),
        ('debt_to_equity', 'd e ratio, ratio of debt to equity'),
        ('share_repurchases', 'buy back, bought back, buyback, share buyback, share buybacks, stock buyback, stock buybacks'),
        ('dividends_paid', 'pay in dividends, paid in dividends, pay out in dividends, paid out in dividends, spend on dividends, spent on dividends'),
        ('income_taxes_paid', 'tax paid, pay in tax, paid in tax, pay in taxes, paid in taxes, pay in income tax, paid in income tax, pay in income taxes, '
            || 'paid in income taxes'),
        ('operating_income', 'operating loss, operating losses, loss from operations'),
        ('revenue', 'sell'), ('net_income', 'net profits, profits, net loss, net losses, loss, losses')) AS k(key, names);

-- The period of a number in words, with its last day.
CREATE OR REPLACE FUNCTION ask_period(kind text, fiscal text, start_date date, end_date date) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN kind = 'instant' THEN 'at ' || disclosed.ask_day(end_date)
        WHEN kind IN ('half', 'ytd', 'ttm') THEN 'in the ' || CASE kind WHEN 'half' THEN 'six' WHEN 'ytd' THEN 'nine' ELSE 'twelve' END || ' months ended ' || disclosed.ask_day(end_date)
        WHEN fiscal ~ '^FY' THEN 'in fiscal ' || substr(fiscal, 3) || ', ended ' || disclosed.ask_day(end_date)
        WHEN fiscal ~ '^Q' THEN 'in the ' || (ARRAY['first', 'second', 'third', 'fourth'])[substr(fiscal, 2, 1)::integer] || ' quarter of fiscal '
             || right(fiscal, 4) || ', ended ' || disclosed.ask_day(end_date)
        ELSE 'in the period from ' || disclosed.ask_day(start_date) || ' to ' || disclosed.ask_day(end_date) END
$$;

-- --------------------------------------------------------------- numbers

-- The same as before; and the part of the company.
CREATE OR REPLACE VIEW metric_number AS
    SELECT 'fundamental'::text AS dataset, f.issuer_id, m.metric_key, m.display, f.src_digest, f.source_id, accession_name(f.accession_number) AS accession,
           f.known_at, f.superseded_at, f.start_date, f.end_date, kind_name(f.kind) AS period_kind,
           f.fiscal, f.value,
           CASE WHEN m.unit = 'ratio' THEN 'pure' ELSE replace(f.unit, '/shares', '_per_share') END AS unit,
           m.unit = 'ratio' AND m.metric_key ~ '(margin|rate|ratio_pct|payout)' AS is_percent,
           m.basis, f.is_suspect, f.rule IS NOT NULL AS is_derived, NULL::text AS member
    FROM metric_value f JOIN canonical_metric m USING (metric_id)
    UNION ALL
    SELECT 'kpi_observation', o.issuer_id, o.metric_key, coalesce(o.display, o.issuer_label), o.src_digest, o.source_id, o.accession, o.known_at, o.superseded_at,
           o.start_date, o.end_date, o.period_kind, o.fiscal, o.value, o.unit, o.unit = 'percent' AND false, o.basis, false, false, NULL
    FROM kpi_observation o WHERE o.dimension IS NULL;

-- Numbers of six or nine months, which are no metrics: as filed, of filings from half a year before that day to two years later.
CREATE FUNCTION ask_long_numbers(of_issuer bigint, of_metric text, near date, instant timestamptz) RETURNS SETOF metric_number LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT DISTINCT ON (d.start_date, d.end_date, e.unit) 'xbrl_report'::text, r.issuer_id, m.metric_key, m.display, r.src_digest, r.source_id, r.accession, r.known_at, r.superseded_at,
           d.start_date, d.end_date, disclosed.period_kind(d.start_date, d.end_date), NULL::text, c.sign * e.amount::numeric, replace(e.unit, '/shares', '_per_share'), false, m.basis,
           false, false, NULL::text
    FROM disclosed.xbrl_report r
    LEFT JOIN disclosed.issuer_template t ON t.issuer_id = r.issuer_id
    CROSS JOIN LATERAL unnest(r.concepts, r.units, r.start_dates, r.end_dates, r.amounts, r.dimensions) AS e(concept, unit, starts, ends, amount, dimension)
    JOIN disclosed.canonical_concept c ON c.concept = e.concept AND c.metric_key = of_metric AND (t.template_slug IS NULL OR t.template_slug <> ALL (c.not_for))
    JOIN disclosed.canonical_metric m ON m.metric_key = c.metric_key AND m.basis = 'duration'
    CROSS JOIN LATERAL (SELECT nullif(e.starts, '')::date AS start_date, e.ends::date AS end_date) d
    WHERE r.issuer_id = of_issuer AND r.filed_on BETWEEN near - 200 AND near + 800 AND r.form !~ '^(DEF|PRE).*14' AND coalesce(e.dimension, '') = ''
      AND disclosed.period_kind(d.start_date, d.end_date) IN ('half', 'ytd')
      AND CASE WHEN instant IS NULL THEN r.superseded_at IS NULL ELSE r.known_at <= instant AND (r.superseded_at IS NULL OR r.superseded_at > instant) END
      AND NOT EXISTS (SELECT 1 FROM disclosed.xbrl_report b
                      WHERE b.issuer_id = of_issuer AND b.accession = r.accession AND disclosed.report_rank(b.told_by) < disclosed.report_rank(r.told_by)
                        AND CASE WHEN instant IS NULL THEN b.superseded_at IS NULL ELSE b.known_at <= instant AND (b.superseded_at IS NULL OR b.superseded_at > instant) END)
    ORDER BY d.start_date, d.end_date, e.unit, c.rank, r.known_at DESC;
END $$;

-- The numbers among which a reading's is: of the company as a whole, or of its part.
CREATE FUNCTION ask_stored(r ask_reading, of_issuer bigint, of_metric text, instant timestamptz) RETURNS SETOF metric_number LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF r.part IS NOT NULL THEN
        RETURN QUERY SELECT * FROM disclosed.ask_part_numbers(of_issuer, r.part, r.dimension, of_metric, instant);
        RETURN;
    END IF;
    RETURN QUERY SELECT n.* FROM disclosed.metric_number n
        WHERE n.issuer_id = of_issuer AND n.metric_key = of_metric AND n.period_kind IN ('instant', 'quarter', 'annual', 'ttm')
          AND CASE WHEN instant IS NULL THEN n.superseded_at IS NULL ELSE n.known_at <= instant AND (n.superseded_at IS NULL OR n.superseded_at > instant) END;
    IF r.length IN ('half', 'ytd') THEN
        RETURN QUERY SELECT * FROM disclosed.ask_long_numbers(of_issuer, of_metric, r.end_date, instant);
    END IF;
END $$;

-- The kind of period that a question asks for by its last day: of an amount over a period by its length, or by the quarter or year that it names.
CREATE FUNCTION ask_kind(r ask_reading, basis text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN basis = 'instant' THEN 'instant' ELSE coalesce(r.length, CASE WHEN r.quarter IS NOT NULL THEN 'quarter' WHEN r.is_ttm THEN 'ttm' WHEN r.year IS NOT NULL THEN 'annual' END) END
$$;

-- ------------------------------------------------------------------ parts

-- What tells parts of a company from each other in their names: without plurals, and without "segment".
CREATE FUNCTION ask_part_key(member text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(nullif(regexp_replace(p.words, '( (segment|member|division))+$|^the ', '', 'g'), ''), p.words)
    FROM (SELECT regexp_replace(disclosed.plain_words(member), '(?<=[[:alnum:]]{3})s\M', '', 'g') AS words) p
$$;

-- A pattern of such a key in a question's words: with plurals, and letters that stand alone together.
CREATE FUNCTION ask_part_pattern(key text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT '\m' || regexp_replace(regexp_replace(key, '(?<=[[:alnum:]]{3})(?![[:alnum:]])', 's?', 'g'), '\m([[:alnum:]]) (?=[[:alnum:]]\M)', '\1 ?', 'g') || '\M' $$;

-- The parts of a company, each by its name and key.
CREATE FUNCTION ask_members(of_issuer bigint) RETURNS TABLE (member text, key text) LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY SELECT m.member, disclosed.ask_part_key(m.member)
                 FROM (SELECT DISTINCT o.member FROM disclosed.kpi_observation o WHERE o.issuer_id = of_issuer AND o.dimension IS NOT NULL AND o.member IS NOT NULL) m;
END $$;

-- The name of a part as the company's newest number has it.
CREATE FUNCTION ask_part_name(of_issuer bigint, part text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT o.member FROM disclosed.kpi_observation o
    WHERE o.issuer_id = of_issuer AND o.dimension IS NOT NULL AND o.member = ANY (ARRAY(SELECT m.member FROM disclosed.ask_members(of_issuer) m WHERE m.key = part))
    ORDER BY o.end_date DESC, array_position('{segment,product,region}', o.dimension), o.member LIMIT 1
$$;

-- Whether a name stands in the name of a part of one of these companies, which a question has: "part" in a longer one or all of it, "either" if it
-- is all of it and something is compared.
CREATE FUNCTION ask_of_part(name text, companies bigint[], body text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    own CONSTANT text := disclosed.ask_part_key(name);
BEGIN
    RETURN (SELECT max(CASE WHEN m.part = own AND body ~ '\m(and|or|versus|vs|against|compared?|comparison|than|with)\M' THEN 'either' ELSE 'part' END)
            FROM (SELECT DISTINCT p.key AS part FROM unnest(companies) c CROSS JOIN disclosed.ask_members(c) p) m
            WHERE strpos(' ' || m.part || ' ', ' ' || own || ' ') > 0 AND body ~ disclosed.ask_part_pattern(m.part));
END $$;

-- Takes the parts of a company out of a question's words, "*" for each: those whose names it has, the longest first, and those whose names begin so,
-- or have these initials. `several`: names that begin alike.
CREATE FUNCTION ask_read_parts(of_issuer bigint, INOUT body text, of_names text[], idle text[], OUT parts text[], OUT several text) LANGUAGE plpgsql STABLE AS $$
DECLARE
    company CONSTANT text := disclosed.ask_part_key(disclosed.name_core(disclosed.ask_company(of_issuer)));
    of_metrics CONSTANT text[] := ARRAY(SELECT DISTINCT w FROM unnest(of_names) n CROSS JOIN string_to_table(n, ' ') w);
    understood CONSTANT text[] := idle || ARRAY(SELECT n FROM unnest(of_names) n WHERE n !~ ' ');
    keys text[];
    asked CONSTANT text := body;
    places integer[]; -- of parts in the question
    masked text := body; -- without names of metrics, in whose words no part is looked for
    name text;
    one record;
    word text;
    found text[];
BEGIN
    IF NOT EXISTS (SELECT 1 FROM string_to_table(body, ' ') w WHERE w <> ALL (understood)) THEN
        RETURN;
    END IF;
    keys := ARRAY(SELECT DISTINCT m.key FROM disclosed.ask_members(of_issuer) m);
    FOREACH name IN ARRAY of_names LOOP
        masked := CASE WHEN name ~ ' ' THEN replace(' ' || masked || ' ', ' ' || name || ' ', ' # ') ELSE masked END;
    END LOOP;
    -- A name that begins with the company's stands without it, too.
    FOR one IN SELECT k AS key, disclosed.ask_part_pattern(n.name) AS pattern, w.words[cardinality(w.words)] AS last_word
               FROM unnest(keys) k CROSS JOIN LATERAL (SELECT k AS name UNION SELECT substr(k, length(company) + 2) WHERE starts_with(k, company || ' ')) n
               CROSS JOIN LATERAL (SELECT string_to_array(n.name, ' ') AS words) w
               WHERE n.name ~ '[a-z].' AND n.name <> ALL (of_names) AND NOT w.words <@ understood AND strpos(masked, left(w.words[1], 40)) > 0
               ORDER BY cardinality(w.words) DESC, length(n.name) DESC, n.name, k LOOP
        IF masked ~ one.pattern THEN
            found := found || one.key;
            places := places || strpos(asked, (regexp_match(masked, one.pattern))[1]);
            parts := parts || one.key;
            masked := regexp_replace(masked, one.pattern, ' * ', 'g');
            -- "Automotive revenues": the metric is in the name.
            name := CASE WHEN masked !~ '#' AND NOT string_to_array(masked, ' ') && of_names THEN (SELECT n FROM unnest(of_names) n WHERE n IN (one.last_word, one.last_word || 's') LIMIT 1) END;
            body := regexp_replace(body, one.pattern, ' * ' || coalesce(name || ' ', ''), 'g');
            IF name IS NOT NULL AND left(one.key, - length(one.last_word) - 1) = ANY (keys) THEN -- or it stands behind the name
                several := disclosed.ask_part_name(of_issuer, one.key) || ', ' || disclosed.ask_part_name(of_issuer, left(one.key, - length(one.last_word) - 1));
            END IF;
        END IF;
    END LOOP;
    FOREACH word IN ARRAY string_to_array(btrim(regexp_replace(masked, ' +', ' ', 'g')), ' ') LOOP
        CONTINUE WHEN word = ANY (understood) OR word = ANY (of_metrics) OR word IN ('*', '#', '') OR length(word) < 3 OR word ~ '[0-9]';
        found := ARRAY(SELECT k FROM unnest(keys) k
                       WHERE k LIKE disclosed.ask_part_key(word) || ' %' AND k NOT LIKE disclosed.ask_part_key(word) || ' of %' AND length(word) > 3 OR cardinality(string_to_array(k, ' ')) > 2 AND regexp_replace(k, '\m([[:alnum:]])[[:alnum:]]* ?', '\1', 'g') = word ORDER BY k);
        IF cardinality(found) = 1 THEN
            places := places || strpos(asked, word);
            parts := parts || found[1];
            body := regexp_replace(body, '\m' || word || '\M', ' * ', 'g');
        ELSIF cardinality(found) > 1 THEN
            several := coalesce(several, (SELECT string_agg(disclosed.ask_part_name(of_issuer, f), ', ' ORDER BY f) FROM unnest(found[1:8]) f));
        END IF;
    END LOOP;
    body := btrim(regexp_replace(body, ' +', ' ', 'g'));
    parts := (SELECT array_agg(p.part ORDER BY p.place) FROM (SELECT u.part, min(u.place) AS place FROM unnest(parts, places) AS u(part, place) GROUP BY u.part) p);
END $$;

-- Numbers of a part, in one dimension or all, the best source of each. A fiscal period that no source states is that of the company's numbers with the same end.
CREATE FUNCTION ask_part_numbers(of_issuer bigint, part text, of_dimension text, of_metric text, instant timestamptz) RETURNS SETOF metric_number LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT DISTINCT ON (array_position('{segment,product,region}', o.dimension), o.member, o.metric_key, o.start_date, o.end_date, o.unit)
           'kpi_observation'::text, o.issuer_id, o.metric_key, coalesce((SELECT m.display FROM disclosed.canonical_metric m WHERE m.metric_key = of_metric), o.display, o.issuer_label),
           o.src_digest, o.source_id, o.accession, o.known_at, o.superseded_at, o.start_date, o.end_date, o.period_kind,
           coalesce(o.fiscal, CASE WHEN o.period_kind IN ('quarter', 'annual', 'instant') THEN
               (SELECT CASE WHEN o.period_kind = 'annual' THEN max(y.fiscal) FILTER (WHERE y.kind = 5)
                            ELSE coalesce(max(y.fiscal) FILTER (WHERE y.kind <> 5), 'Q4 ' || max(y.fiscal) FILTER (WHERE y.kind = 5)) END
                FROM disclosed.metric_value y
                WHERE y.issuer_id = of_issuer AND y.end_date = o.end_date
                  AND CASE WHEN instant IS NULL THEN y.superseded_at IS NULL ELSE y.known_at <= instant AND (y.superseded_at IS NULL OR y.superseded_at > instant) END) END),
           o.value, o.unit, false, o.basis, o.tier IS NOT DISTINCT FROM 'extracted_low_confidence', o.tier IS NOT DISTINCT FROM 'derived', o.member
    FROM disclosed.kpi_observation o
    WHERE o.issuer_id = of_issuer AND o.dimension IS NOT NULL AND (of_dimension IS NULL OR o.dimension = of_dimension) AND of_metric IN (o.metric_key, o.canonical_key)
      AND o.member = ANY (ARRAY(SELECT m.member FROM disclosed.ask_members(of_issuer) m WHERE m.key = part))
      AND CASE WHEN instant IS NULL THEN o.superseded_at IS NULL ELSE o.known_at <= instant AND (o.superseded_at IS NULL OR o.superseded_at > instant) END
    ORDER BY array_position('{segment,product,region}', o.dimension), o.member, o.metric_key, o.start_date, o.end_date, o.unit,
             disclosed.tier_rank(disclosed.kpi_tier(o.tier, o.dimension)), o.known_at DESC, o.source_type;
END $$;

-- What there is of a part for the period of its number, if that is several numbers.
CREATE FUNCTION ask_part_doubts(n metric_number, part text, of_dimension text, of_metric text, instant timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN count(DISTINCT x.value) > 1 THEN disclosed.ask_company(n.issuer_id) || ' has several numbers of that name for the period: '
               || string_agg(DISTINCT x.member || ' (' || o.dimension || '): ' || disclosed.ask_said(x), '; ') || '.' END
    FROM disclosed.ask_part_numbers(n.issuer_id, part, of_dimension, of_metric, instant) x
    JOIN disclosed.kpi_observation o ON o.issuer_id = x.issuer_id AND o.src_digest = x.src_digest AND o.known_at = x.known_at
    WHERE x.end_date = n.end_date AND x.period_kind = n.period_kind AND x.unit = n.unit
$$;

-- Whose number it is: the company's, or its part's.
CREATE FUNCTION ask_subject(n metric_number) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT coalesce(n.member, disclosed.ask_company(n.issuer_id)) $$;

-- How a sentence about a number begins.
CREATE FUNCTION ask_begin(n metric_number) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT disclosed.ask_company(n.issuer_id) || coalesce(', ' || n.member || ': ', ' had ') || lower(n.display) || ' of ' $$;

-- Numbers of all parts of a kind for the latest period that a question means: the largest first, or of a ranking those that it asks for.
CREATE FUNCTION ask_breakdown_lines(r ask_reading, metric text, instant timestamptz, since date, until date) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE AS $$
DECLARE
    company CONSTANT bigint := r.companies[1];
    numbers disclosed.metric_number[];
    n disclosed.metric_number;
    doubts text;
    place integer := 0;
BEGIN
    FOR r.part IN SELECT DISTINCT m.key FROM disclosed.ask_members(company) m ORDER BY 1 LOOP
        SELECT x.* INTO n FROM disclosed.ask_numbers(r, company, metric, 0, instant, since, until, 1) x;
        doubts := CASE WHEN FOUND THEN disclosed.ask_part_doubts(n, r.part, r.dimension, metric, instant) END;
        IF doubts IS NOT NULL THEN
            RETURN NEXT ROW(NULL, doubts, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        ELSIF n.value IS NOT NULL THEN
            numbers := numbers || n;
        END IF;
    END LOOP;
    FOR n IN SELECT x.* FROM unnest(numbers) x
             WHERE x.unit = (SELECT u.unit FROM unnest(numbers) u GROUP BY u.unit ORDER BY count(*) DESC, u.unit LIMIT 1)
               AND (x.end_date, x.period_kind) = (SELECT l.end_date, l.period_kind FROM unnest(numbers) l ORDER BY l.period_kind <> 'annual', l.end_date DESC LIMIT 1)
             ORDER BY CASE WHEN coalesce(r.is_least, false) THEN 1 ELSE -1 END * x.value, x.member LIMIT CASE WHEN r.form = 'ranking' THEN r.count ELSE 40 END LOOP
        place := place + 1;
        RETURN NEXT disclosed.ask_point(n, place, disclosed.ask_begin(n) || disclosed.ask_said(n) || ' ' || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || ' [1].', '{}');
    END LOOP;
    IF place = 0 THEN
        RETURN NEXT ROW(NULL, disclosed.ask_company(company) || ' has no ' || replace(metric, '_', ' ') || ' by ' || r.dimension || ' for that period among the stored numbers.',
                        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
    END IF;
END $$;

-- The numbers of a metric that a question asks for, the latest first; of a period in several currencies that of which the metric has most. A
-- period that is named by its days is the nearest that ends within a week of its last one.
CREATE OR REPLACE FUNCTION ask_numbers(r ask_reading, of_issuer bigint, of_metric text, years_back integer, instant timestamptz, since date, until date, most integer)
RETURNS SETOF metric_number LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    WITH number AS MATERIALIZED (
        SELECT n.* FROM disclosed.ask_stored(r, of_issuer, of_metric, instant) n
        WHERE (since IS NULL OR n.end_date >= since) AND (until IS NULL OR n.end_date <= until)),
    wanted AS (
        SELECT n.*, CASE WHEN r.end_date IS NOT NULL THEN disclosed.ask_kind(r, n.basis) WHEN n.basis = 'instant' THEN 'instant' WHEN r.is_ttm THEN 'ttm'
                         WHEN r.quarter IS NOT NULL OR r.is_quarterly THEN 'quarter'
                         WHEN r.year IS NULL AND r.form <> 'list' AND NOT EXISTS (SELECT 1 FROM number a WHERE a.period_kind = 'annual') THEN 'quarter'
                         ELSE 'annual' END AS kind,
               CASE WHEN r.is_calendar OR n.fiscal IS NULL THEN disclosed.calendar_period(n.start_date, n.end_date) END AS calendar,
               count(*) OVER (PARTITION BY n.unit) AS of_unit
        FROM number n),
    fitting AS (
        SELECT DISTINCT ON (w.end_date, w.period_kind) w.*
        FROM wanted w
        WHERE (w.period_kind = w.kind OR r.end_date IS NOT NULL AND w.kind = 'ttm' AND w.period_kind = 'annual')
          AND CASE
              WHEN r.end_date IS NOT NULL THEN w.end_date BETWEEN r.end_date - r.earlier AND r.end_date + 7 AND coalesce(abs(w.start_date - r.start_date) <= 7, true)
                   AND (r.year IS NULL OR disclosed.ask_year_of(r, w.fiscal, w.calendar) = r.year) AND (r.quarter IS NULL OR left(w.fiscal, 2) = 'Q' || r.quarter)
              WHEN r.last_year IS NOT NULL OR r.years IS NOT NULL THEN
                   (w.kind <> 'instant' OR coalesce(CASE WHEN NOT r.is_calendar THEN w.fiscal ~ '^(Q4|FY)' END, w.calendar ~ 'Q4'))
                   AND CASE WHEN r.years IS NULL THEN disclosed.ask_year_of(r, w.fiscal, w.calendar) BETWEEN r.year AND r.last_year
                            ELSE disclosed.ask_year_of(r, w.fiscal, w.calendar) = ANY (r.years) END
              WHEN r.year IS NULL AND r.quarter IS NULL THEN w.kind <> 'instant' OR r.form <> 'list' OR r.is_quarterly OR w.fiscal ~ '^(Q4|FY)'
              WHEN r.year IS NULL THEN left(w.fiscal, 2) = 'Q' || r.quarter
              WHEN r.is_calendar OR w.fiscal IS NULL THEN
                   w.calendar = (r.year - years_back) || CASE WHEN r.quarter IS NOT NULL THEN 'Q' || r.quarter WHEN w.kind = 'instant' THEN 'Q4' ELSE '' END
              WHEN r.quarter IS NOT NULL THEN w.fiscal = 'Q' || r.quarter || ' FY' || r.year - years_back
              WHEN w.kind = 'ttm' THEN false
              ELSE w.fiscal IN ('FY' || r.year - years_back, CASE WHEN w.kind = 'instant' THEN 'Q4 FY' || r.year - years_back
                                                                  WHEN w.kind = 'quarter' THEN right('FY' || r.year - years_back, 6) END)
                   OR w.kind = 'quarter' AND r.is_quarterly AND right(w.fiscal, 4) = (r.year - years_back)::text END
        ORDER BY w.end_date, w.period_kind, w.dataset, w.of_unit DESC, w.known_at DESC, w.unit, w.member)
    SELECT f.dataset, f.issuer_id, f.metric_key, f.display, f.src_digest, f.source_id, f.accession, f.known_at, f.superseded_at, f.start_date, f.end_date,
           f.period_kind, f.fiscal, f.value, f.unit, f.is_percent, f.basis, f.is_suspect, f.is_derived, f.member
    FROM fitting f ORDER BY abs(f.end_date - r.end_date), CASE WHEN r.end_date IS NOT NULL THEN f.period_kind END, CASE WHEN r.year IS NOT NULL AND r.last_year IS NULL THEN f.fiscal IS NULL END, f.end_date DESC LIMIT most;
END $$;

-- A number as a data point: its words, and what may be said of it.
CREATE OR REPLACE FUNCTION ask_point(n metric_number, sentence integer, body text, more text[]) RETURNS ask_line LANGUAGE sql STABLE AS $$
    SELECT ROW(sentence, body, n.dataset, disclosed.ask_src_id(n.dataset, n.src_digest), (SELECT i.symbol FROM disclosed.issuer i WHERE i.issuer_id = n.issuer_id),
               n.metric_key,
               json_build_object('calendar', CASE WHEN n.period_kind <> 'ttm' THEN disclosed.calendar_period(n.start_date, n.end_date) END, 'fiscal', n.fiscal,
                                 'start_date', n.start_date, 'end_date', n.end_date, 'kind', n.period_kind),
               n.value, n.unit, disclosed.ask_source_url(n.source_id, n.accession, n.issuer_id),
               more || ARRAY[disclosed.ask_number(n.value, n.unit, n.is_percent), disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date),
                             disclosed.ask_company(n.issuer_id), n.display, n.member],
               CASE WHEN n.is_suspect THEN 'low' WHEN n.is_derived THEN 'medium' ELSE 'high' END)::disclosed.ask_line
$$;

-- Where there is nothing for the period: what there is.
CREATE FUNCTION ask_missing(r ask_reading, of_issuer bigint, of_metric text, instant timestamptz) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    numbers CONSTANT disclosed.metric_number[] := ARRAY(SELECT n FROM disclosed.ask_stored(r, of_issuer, of_metric, instant) n);
    kind CONSTANT text := disclosed.ask_kind(r, (SELECT n.basis FROM unnest(numbers) n LIMIT 1));
    said CONSTANT text := disclosed.ask_company(of_issuer) || ' has no ' || lower(coalesce((SELECT m.display FROM disclosed.canonical_metric m WHERE m.metric_key = of_metric), replace(of_metric, '_', ' ')))
        || coalesce(' of ' || disclosed.ask_part_name(of_issuer, r.part), '');
    near text;
BEGIN
    IF cardinality(numbers) = 0 THEN
        RETURN said || ' among the stored numbers.';
    ELSIF r.end_date IS NULL THEN
        RETURN (SELECT said || ' for that period; numbers are stored of ' || min(n.end_date) || ' to ' || max(n.end_date) || '.' FROM unnest(numbers) n);
    ELSIF kind IS NULL THEN
        RETURN 'An amount over a period is asked for without its length: for how long until ' || disclosed.ask_day(r.end_date) || '?';
    END IF;
    -- It ended then, but is of another year or quarter.
    SELECT 'The period of ' || disclosed.ask_company(of_issuer) || ' that ended on ' || disclosed.ask_day(n.end_date) || ' is ' || n.fiscal || '.' INTO near
    FROM unnest(numbers) n WHERE n.period_kind = kind AND n.end_date BETWEEN r.end_date - r.earlier AND r.end_date + 7 AND n.fiscal IS NOT NULL
      AND (right(n.fiscal, 4) <> r.year::text OR left(n.fiscal, 2) <> 'Q' || r.quarter) LIMIT 1;
    IF FOUND THEN
        RETURN near;
    END IF;
    SELECT string_agg(disclosed.ask_day(d.day), ' and ' ORDER BY d.day) INTO near
    FROM (SELECT max(n.end_date) AS day FROM unnest(numbers) n WHERE n.period_kind = kind AND n.end_date <= r.end_date
          UNION SELECT min(n.end_date) FROM unnest(numbers) n WHERE n.period_kind = kind AND n.end_date > r.end_date) d;
    RETURN said || CASE kind WHEN 'instant' THEN ' of a day' WHEN 'quarter' THEN ' of a quarter that ended' WHEN 'annual' THEN ' of a year that ended' WHEN 'ttm' THEN ' of twelve months that ended' WHEN 'half' THEN ' of six months that ended'
                             ELSE ' of nine months that ended' END
        || ' within a week of ' || disclosed.ask_day(r.end_date) || coalesce('; the nearest ' || CASE kind WHEN 'instant' THEN 'is of ' ELSE 'ended on ' END || near, '') || '.';
END $$;
DROP FUNCTION ask_missing(bigint, text, timestamptz); -- asked for by ask_metric_lines() alone

-- ------------------------------------------------------------------ names

-- What a company is called for short by its name with "&", "and" or "of" in it: P&G, BofA. NULL: by none.
CREATE FUNCTION name_initials(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    words CONSTANT text := disclosed.name_core(regexp_replace(name, '\s&\s|\mand\M', ' et ', 'gi'));
BEGIN
    RETURN CASE WHEN words ~ '[[:alnum:]] (et|of) [[:alnum:]]' AND words !~ ' (et|of)$'
                THEN replace(regexp_replace(regexp_replace(words, '\m(?!(?:et|of)\M)([[:alnum:]])[[:alnum:]]*', '\1', 'g'), ' ', '', 'g'), 'et', '&') END;
END $$;

-- Two companies, one of which has this ticker of two letters, and one of which is called so. NULL: there are no such two.
CREATE FUNCTION ask_two_companies(word text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF length(word) <> 2 THEN
        RETURN NULL;
    END IF;
    RETURN (SELECT min(o.name) || ' or ' || min(i.name) FROM disclosed.issuer o, disclosed.listing l JOIN disclosed.issuer i USING (issuer_id)
            WHERE disclosed.name_core(o.name) = lower(word) AND o.ticker IS NOT NULL AND l.ticker = word AND l.superseded_at IS NULL AND l.issuer_id <> o.issuer_id);
END $$;
CREATE INDEX issuer_initials ON issuer (name_initials(name)) WHERE name ~* '\m(and|of)\M|\s&\s';

-- Companies by name or ticker. `rank` is the less, the surer it is. One that is called by the first word of its name, with a capital letter, is
-- meant if that word is its ticker, too: Meta. Two letters that are one company's ticker and another's name mean neither, nor do initials of several.
CREATE OR REPLACE FUNCTION ask_companies(body text, of_metrics text[]) RETURNS TABLE (issuer_id bigint, name text, rank integer) LANGUAGE plpgsql STABLE AS $$
DECLARE
    understood CONSTANT text[] := disclosed.ask_fillers() || disclosed.ask_form_words() || of_metrics;
    words CONSTANT text[] := (string_to_array(btrim(regexp_replace(body, '[^[:alnum:]$]+', ' ', 'g')), ' '))[:100];
BEGIN
    RETURN QUERY
    SELECT l.issuer_id, lower(ltrim(w.word, '$')), 2
    FROM unnest(words) AS w(word)
    JOIN disclosed.listing l ON l.ticker = upper(ltrim(w.word, '$')) AND l.superseded_at IS NULL
    WHERE w.word ~ '^[$][A-Za-z]'
       OR (w.word ~ '^[A-Z]{2,6}$' OR length(w.word) >= 5 AND lower(w.word) <> ALL (understood)) AND disclosed.ask_two_companies(w.word) IS NULL
    UNION
    SELECT i.issuer_id, n.name, 6 - n.words
    FROM disclosed.name_candidates(body) n
    JOIN disclosed.issuer i ON disclosed.name_core(i.name) = n.name OR disclosed.plain_words(i.name) = n.name
    WHERE (length(n.name) > 2 OR n.name ~ '^(?!fy|[qh][1-4]|[1-4][qh])([a-z][a-z0-9]|[0-9][a-z])$' AND body ~ ('\m' || upper(n.name) || '\M')) AND i.ticker IS NOT NULL
      AND (length(n.name) > 2 OR disclosed.ask_two_companies(upper(n.name)) IS NULL)
    UNION
    SELECT i.issuer_id, lower(w.word), 5
    FROM unnest(words) AS w(word)
    JOIN disclosed.listing l ON l.ticker = upper(w.word) AND l.superseded_at IS NULL
    JOIN disclosed.issuer i ON i.issuer_id = l.issuer_id AND i.ticker = l.ticker
    WHERE w.word ~ '^[A-Z][a-z]{2,5}$' AND split_part(disclosed.name_core(i.name), ' ', 1) = lower(w.word)
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer o WHERE disclosed.name_core(o.name) = lower(w.word) AND o.ticker IS NOT NULL)
    UNION
    SELECT i.issuer_id, n.name, 6 - n.words -- "&" in words
    FROM disclosed.name_candidates(body) n
    JOIN disclosed.issuer i ON disclosed.name_core(i.name) = replace(n.name, ' and ', ' ')
    WHERE n.name LIKE '_% and %_' AND i.name LIKE '%&%' AND i.ticker IS NOT NULL
    UNION
    SELECT min(i.issuer_id), s.name, 3 -- P&G, BofA
    FROM (SELECT DISTINCT disclosed.plain_words(p[1]) AS name, lower(regexp_replace(p[1], '\s', '', 'g')) AS initials
          FROM regexp_matches(body, '(?<![[:alnum:]&])([[:alpha:]]{1,3}(?:\s?&\s?[[:alpha:]]{1,3}){1,2}|[A-Z]of[A-Z])(?![[:alnum:]&])', 'g') p LIMIT 8) s
    JOIN disclosed.issuer i ON disclosed.name_initials(i.name) = s.initials AND i.name ~* '\m(and|of)\M|\s&\s' AND i.ticker IS NOT NULL
    WHERE NOT EXISTS (SELECT 1 FROM disclosed.issuer o WHERE disclosed.name_core(o.name) = s.name AND o.ticker IS NOT NULL)
    GROUP BY s.name HAVING count(DISTINCT i.issuer_id) = 1
    UNION
    SELECT min(i.issuer_id), s.name, 3 -- H-P
    FROM (SELECT DISTINCT disclosed.plain_words(p[1]) AS name, lower(replace(p[1], '-', '')) AS letters
          FROM regexp_matches(body, '(?<![[:alnum:]-])([A-Z](?:-[A-Z]){1,2})(?![[:alnum:]-])', 'g') p LIMIT 8) s
    JOIN disclosed.issuer i ON disclosed.name_core(i.name) = s.letters AND i.ticker IS NOT NULL
    GROUP BY s.name HAVING count(DISTINCT i.issuer_id) = 1
    UNION
    SELECT min(f.issuer_id), n.name, 6 - n.words -- by a name of before, which no company has now
    FROM disclosed.name_candidates(body) n
    JOIN disclosed.issuer_name f ON f.words = upper(n.name)
    JOIN disclosed.issuer i ON i.issuer_id = f.issuer_id AND i.ticker IS NOT NULL
    WHERE n.words < 4 AND length(n.name) > 3
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer o WHERE disclosed.name_core(o.name) = n.name AND o.ticker IS NOT NULL)
    GROUP BY n.name, n.words HAVING count(DISTINCT f.issuer_id) = 1;
END $$;

-- Whether parts of a company are of one kind: the same dimension has all of them.
CREATE FUNCTION ask_parts_are_alike(of_issuer bigint, parts text[]) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM disclosed.ask_members(of_issuer) m JOIN disclosed.kpi_observation o ON o.issuer_id = of_issuer AND o.member = m.member AND o.dimension IS NOT NULL
                   WHERE m.key = ANY (parts) GROUP BY o.dimension HAVING count(DISTINCT m.key) = cardinality(parts))
$$;

-- The same as before; and periods by their last day, and parts of a company.
CREATE OR REPLACE FUNCTION ask_read(question text, given bigint[]) RETURNS ask_reading LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off SET pg_trgm.word_similarity_threshold = 0.4 AS $$
DECLARE
    r disclosed.ask_reading;
    -- 2021-2023 is from one to the other; 2023/2024 may be one year or two.
    told CONSTANT text := regexp_replace(disclosed.ask_days(question), '\mdebt ?/ ?equity\M', 'debt to equity', 'gi');
    plain text := disclosed.plain_words(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(lower(told), '(?<=[a-z0-9]):[a-z]{2}\M', '', 'g'),
        '\m([12][0-9]{3}) ?[-–—] ?((?:fy ?)?[12][0-9]{3})\M', '\1 to \2', 'g'), '\m([12][0-9]{3})/(?=[0-9])', '\1 slash ', 'g'), '[''’]s\M', '', 'g'), '[''’]', '', 'g'));
    -- Of more words than these no question is read: the others are not understood, and it is looked for in texts.
    asked text[] := (string_to_array(plain, ' '))[1:65];
    is_long boolean := cardinality(asked) > 64;
    wording CONSTANT text[] := (string_to_array(disclosed.plain_words(regexp_replace(regexp_replace(lower(question), '[''’]s\M', '', 'g'), '[''’]', '', 'g')), ' '))[1:64]; -- days as they are written
    of_names text[] := ARRAY(SELECT n.name FROM disclosed.metric_name n);
    of_metrics text[] := ARRAY(SELECT DISTINCT w FROM unnest(of_names) n CROSS JOIN string_to_table(n, ' ') w);
    tried text[] := '{}'; -- words that were held against all names
    part text[];
    one record;
    word text;
    of_year CONSTANT text := '(?:the )?(?:fiscal |fy ?|calendar |year )*([12][0-9]{3})';
    of_growth CONSTANT text := '\m(grow|grew|grown|growth|increase|increased|decrease|decreased|decline|declined|change|changed|fall|fell|fallen|rise|rose|risen|drop|dropped|yoy|gain|gained|shrink|shrank|expand|expanded|growing|rising|falling|year on year|year over year)\M';
    idle CONSTANT text[] := disclosed.ask_fillers() || disclosed.ask_qualifiers() || disclosed.ask_form_words();
    of_parts CONSTANT text := '\m(?:by|per|each(?: of)?|across|for all|of all)(?: (?:of|the|its|their|all|business|operating|reportable|reporting|geographic|geographical|major))* (segments?|products?|product lines?|regions?|geograph(?:y|ies)|countr(?:y|ies)|divisions?|business units?)\M';
    found_years integer[];
    last_name text;
    places integer[]; -- of companies in the question
    names text[];
    unclear text;
    unnamed text; -- what names no company
    subject text; -- what something is said about
    about integer; -- where that begins
    marked text; -- with "#" for metrics
    metric_names text[];
    latest text;
    unused text; -- what the answer would not use
    whole bigint; -- the company whose parts are looked for
    several text; -- parts
BEGIN
    plain := array_to_string(asked[1:64], ' ');
    r.rest := plain;
    unnamed := plain;
    part := regexp_match(plain, '\m(?:(?:say|says|said|saying|wrote|write|writes|written|talk|talks|talked|report|reports|reported) (?:about|regarding|concerning)|mention|mentions|mentioned|discuss|discusses|discussed|describe|describes|described) (.+)$');
    subject := part[1];
    about := length(plain) - length(subject);
    -- Companies, those of the longest names first: a word that stands in one's name, or a metric's, names no other.
    FOR one IN SELECT c.issuer_id, c.name, c.rank, c.others
               FROM (SELECT x.*, min(x.rank) OVER (PARTITION BY x.name) AS surest, array_remove(array_agg(x.issuer_id) OVER (), x.issuer_id) AS others
                     FROM (SELECT * FROM disclosed.ask_companies(regexp_replace(told, '[''’]s\M', '', 'g'), of_metrics) UNION SELECT * FROM disclosed.ask_longer_names(plain, of_metrics)
                           UNION SELECT NULL, n.name, 1 FROM disclosed.name_candidates(plain) n WHERE n.name = ANY (of_names)) x) c
               WHERE c.rank = c.surest
               ORDER BY cardinality(string_to_array(c.name, ' ')) DESC, length(c.name) DESC, c.name, c.issuer_id LOOP
        -- One word of questions is no name, but for a ticker as it is written.
        CONTINUE WHEN one.rank BETWEEN 3 AND 5 AND (one.name = ANY (of_metrics) OR one.name = ANY (idle) OR one.name IN ('paid', 'pay', 'split', 'insider', 'holder', 'owner', 'dividend', 'share', 'stock'));
        CONTINUE WHEN one.name IS DISTINCT FROM last_name AND position(' ' || one.name || ' ' IN ' ' || unnamed || ' ') = 0;
        -- Nor is a part of a company that is named, too: Rest of Asia Pacific.
        IF one.issuer_id IS NOT NULL THEN
            word := disclosed.ask_of_part(one.name, array_remove(one.others, NULL), plain);
            CONTINUE WHEN word = 'part';
            several := coalesce(several, CASE WHEN word = 'either' THEN one.name END);
        END IF;
        IF one.name IS DISTINCT FROM last_name THEN -- of one name there may be several companies
            unnamed := btrim(replace(' ' || replace(unnamed, ' ', '  ') || ' ', ' ' || replace(one.name, ' ', '  ') || ' ', ' | '));
            unnamed := regexp_replace(unnamed, ' +', ' ', 'g');
            r.rest := CASE WHEN one.issuer_id IS NULL THEN r.rest ELSE disclosed.ask_without(r.rest, one.name) END; -- a metric's is read later
        END IF;
        last_name := one.name;
        IF one.issuer_id IS NOT NULL AND one.issuer_id <> ALL (coalesce(r.companies, '{}')) THEN
            r.companies := array_append(r.companies, one.issuer_id);
            places := array_append(places, position(' ' || one.name || ' ' IN ' ' || plain || ' '));
            names := array_append(names, one.name);
        END IF;
    END LOOP;
    -- In the order of the question. What something is said about names no company beside the one that says it.
    SELECT array_agg(c.issuer_id ORDER BY c.place), array_agg(c.place ORDER BY c.place) INTO r.companies, places FROM unnest(r.companies, places) AS c(issuer_id, place)
    WHERE subject IS NULL OR c.place < about OR about < ALL (places);
    -- Two names with nothing between them may be one, of a company that is not known.
    unclear := (regexp_match(lower(told), '\m((?:' || replace(array_to_string(names, '|'), ' ', '[^[:alnum:]]+') || ')(?:\s+(?:' || replace(array_to_string(names, '|'), ' ', '[^[:alnum:]]+') || '))+)\M'))[1];
    unclear := coalesce(CASE WHEN cardinality(r.companies) > 1 THEN unclear END,
                        (regexp_match(plain, '\m((?:' || array_to_string(names, '|') || ') (?:financial|one|state|first))\M(?! (?:results?|statements?|filings?|reports?|year|years|quarter|of)\M)'))[1]);
    IF several IS NOT NULL THEN
        r.form := 'refused'; r.note := '"' || several || '" may be a company or a part of one.';
        RETURN r;
    ELSIF unclear IS NOT NULL THEN
        r.form := 'refused'; r.note := 'No company that is known here is called "' || unclear || '".';
        RETURN r;
    END IF;
    FOR one IN SELECT disclosed.plain_words(i.name) AS name FROM disclosed.issuer i WHERE i.issuer_id = ANY (r.companies || given) LOOP
        FOREACH word IN ARRAY string_to_array(one.name, ' ') LOOP -- the rest of their names
            r.rest := CASE WHEN word = ANY (idle) OR word = ANY (of_metrics) AND word NOT IN ('group', 'holding', 'holdings', 'trust', 'limited') THEN r.rest ELSE disclosed.ask_without(r.rest, word) END;
        END LOOP;
    END LOOP;

    -- Parts of the company, before their names are taken for misspelled words.
    whole := CASE cardinality(coalesce(r.companies, given)) WHEN 1 THEN (coalesce(r.companies, given))[1] END;
    IF r.companies IS NULL AND given IS NULL THEN
        SELECT c.company INTO whole FROM (SELECT disclosed.ask_company_like(w.word, false) AS company, w.place FROM string_to_table(r.rest, ' ') WITH ORDINALITY AS w(word, place)
                                          WHERE length(w.word) >= 4 AND w.word !~ '[0-9]' AND w.word <> ALL (idle || of_metrics)) c
        WHERE EXISTS (SELECT 1 FROM disclosed.kpi_observation o WHERE o.issuer_id = c.company AND o.dimension IS NOT NULL) ORDER BY c.place LIMIT 1;
    END IF;
    IF whole IS NOT NULL AND subject IS NULL THEN
        part := regexp_match(r.rest, of_parts);
        IF part IS NOT NULL THEN
            r.dimension := CASE WHEN part[1] LIKE 'prod%' THEN 'product' WHEN part[1] ~ '^(region|geo|countr)' THEN 'region' ELSE 'segment' END;
            r.rest := regexp_replace(r.rest, of_parts, ' ');
        END IF;
        SELECT p.body, p.parts, p.several INTO r.rest, r.parts, several
        FROM disclosed.ask_read_parts(whole, r.rest, of_names, idle) p;
        r.rest := regexp_replace(regexp_replace(r.rest, '\* (?:segments?|divisions?|business(?:es)?|units?|regions?|products?)\M', '*', 'g'), '\m(?:segments?|divisions?|products?|regions?) \*', '*', 'g');
        IF r.parts IS NULL AND r.dimension IS NULL AND r.rest ~ '\msegments?\M' THEN
            r.dimension := 'segment';
            r.rest := regexp_replace(r.rest, '\m(?:(?:business|operating|reportable|reporting) )?segments?\M', ' ', 'g');
        END IF;
        r.rest := btrim(regexp_replace(r.rest, ' +', ' ', 'g'));
    END IF;

    r.rest := disclosed.ask_spelled(r.rest, of_metrics);

    -- Phrases whose words would say more apart.
    r.rest := regexp_replace(r.rest, '\m(?:could|can|may|might) (?:you|i|we)\M|\m(?<=tell |give |show |let )us\M|\m(?<=how )(?:large|big|high|low|small)\M|\m10 k\M|\m(?<=look )like\M', ' ', 'g');
    -- What is spent on something is that. How much tax somebody paid is the tax paid, how much stock was bought back what was spent on it.
    r.rest := regexp_replace(r.rest, '\m(?:spend|spends|spent|spending)\M(?= +on\M(?! +dividends\M))', ' ', 'g');
    r.rest := regexp_replace(r.rest, '\m(?:income )?tax(?:es)? ((?:did|does|has|have)\M.*?)\m(?:pay|paid)\M', 'taxes paid \1');
    r.rest := regexp_replace(r.rest, '\minterest ((?:did|does|has|have)\M.*?)\m(?:pay|paid)\M', 'interest paid \1');
    r.rest := regexp_replace(r.rest, '\m(?:on|in) (?:the |its |their )?balance sheets?\M', ' ');
    IF r.rest ~ '\m(?:buy|buys|bought) back\M|\mbuybacks?\M' AND r.rest !~ '\mhow many\M' THEN
        r.rest := regexp_replace(r.rest, '\m(?:of )?(?:its |their |the )?(?:own )?(?:common )?(?:stock|shares?)\M', ' ', 'g');
    END IF;
    IF r.rest ~ '\mdid\M.*\mrecord\M' THEN -- the verb: a record stands before what is one
        r.rest := regexp_replace(r.rest, '\mrecord\M(?= +(?:in|for|during|at)\M| *$)', ' ');
    END IF;
    r.rest := btrim(regexp_replace(r.rest, ' +', ' ', 'g'));

    -- Periods. Each leaves "@", so that it is seen what stands beside it.
    SELECT e.r, e.unused INTO one FROM disclosed.ask_read_end(r) e;
    r := one.r;
    unused := one.unused;
    r.is_calendar := r.rest ~ '\mcalendar\M';
    FOREACH word IN ARRAY ARRAY['\m(?:between|from) ' || of_year || ' (?:and|to|until|till|through) ' || of_year || '\M', '\m' || of_year || ' (?:to|until|till|through) ' || of_year || '\M',
                                CASE WHEN r.rest ~ of_growth THEN '\m' || of_year || ' (?:over|versus|vs|against|compared (?:to|with)) ' || of_year || '\M' END] LOOP
        part := regexp_match(r.rest, word);
        IF part IS NOT NULL THEN
            r.year := CASE WHEN word ~ 'versus' THEN least(part[1]::integer, part[2]::integer) ELSE part[1]::integer END;
            r.last_year := CASE WHEN word ~ 'versus' THEN greatest(part[1]::integer, part[2]::integer) ELSE part[2]::integer END;
            r.rest := regexp_replace(r.rest, word, ' @ ');
            EXIT;
        END IF;
    END LOOP;
    part := regexp_match(r.rest, '\m(fiscal (?:year )?|fy ?)?([12][0-9]{3}) ?q([1-4])\M');
    IF part IS NOT NULL THEN
        found_years := ARRAY[part[2]::integer]; r.quarter := part[3];
        r.rest := regexp_replace(r.rest, '\m(?:fiscal (?:year )?|fy ?)?[12][0-9]{3} ?q[1-4]\M', ' @ ');
    ELSE
        part := regexp_match(r.rest, '\mq ?([1-4])(?: of)?(?: the)?(?: fiscal| calendar)?(?: year)? ?(?:fy)? ?([12][0-9]{3}|[0-9]{2})?\M');
        IF part IS NULL THEN
            part := regexp_match(r.rest, '\m(first|second|third|fourth|final|1st|2nd|3rd|4th) (?:fiscal |calendar )?quarter(?: of)?(?: the)?(?: fiscal| calendar)?(?: year)? ?(?:fy)? ?([12][0-9]{3}|[0-9]{2})?\M');
        END IF;
        IF part IS NOT NULL THEN
            unused := CASE WHEN r.quarter <> disclosed.ask_ordinal(part[1]) THEN 'Q' || r.quarter ELSE unused END;
            r.quarter := disclosed.ask_ordinal(part[1]);
            found_years := ARRAY[CASE WHEN length(part[2]) = 2 THEN 2000 ELSE 0 END + part[2]::integer];
            r.rest := regexp_replace(r.rest, '\m(?:q ?[1-4]|(?:first|second|third|fourth|final|1st|2nd|3rd|4th) (?:fiscal |calendar )?quarter)(?: of)?(?: the)?(?: fiscal| calendar)?(?: year)? ?(?:fy)? ?(?:[12][0-9]{3}|[0-9]{2})?\M', ' @ ');
        END IF;
    END IF;
    FOR part IN SELECT regexp_matches(r.rest, '\m(?:(?:fy|fiscal(?: year)?) ?([12][0-9]{3}|[0-9]{2})|((?:19|20)[0-9]{2}))\M', 'g') LOOP
        found_years := found_years || (CASE WHEN length(part[1]) = 2 THEN 2000 ELSE 0 END + coalesce(part[1], part[2])::integer);
    END LOOP;
    r.rest := btrim(regexp_replace(regexp_replace(r.rest, '\m(?:fy|fiscal(?: year)?) ?(?:[12][0-9]{3}|[0-9]{2})\M|\m(?:19|20)[0-9]{2}\M', ' @ ', 'g'), ' +', ' ', 'g'));
    found_years := ARRAY(SELECT DISTINCT y FROM unnest(found_years) y WHERE y IS NOT NULL ORDER BY y);
    r.years := CASE WHEN cardinality(found_years) > 1 OR cardinality(found_years) > 0 AND r.last_year IS NOT NULL THEN found_years END;
    r.year := coalesce(r.year, found_years[1]);
    IF r.last_year IS NOT NULL AND r.years IS NOT NULL THEN
        unused := coalesce(unused, r.years[1]::text);
    END IF;
    unused := coalesce(unused, (regexp_match(r.rest, '\m(past) @'))[1], (regexp_match(r.rest, '\m(this (?:fiscal |calendar )?(?:year|quarter|month|week))\M'))[1]);
    part := regexp_match(r.rest, '\m(ttm|ltm|trailing (?:12|twelve) months?|trailing (?:four|4) quarters|(?:last|past|previous) (?:12|twelve) months?|(?:last|past) (?:four|4) quarters combined|trailing)\M');
    r.is_ttm := part IS NOT NULL;
    r.rest := CASE WHEN r.is_ttm THEN disclosed.ask_without(r.rest, part[1]) ELSE r.rest END;
    part := regexp_match(r.rest, '\m(?:last|past|previous|latest|recent) ([0-9]{1,2}|two|three|four|five|six|seven|eight|nine|ten) (?:fiscal |reported )?(quarter|year)s\M');
    IF part IS NOT NULL AND NOT r.is_ttm THEN
        r.count := disclosed.ask_count(part[1]); r.is_quarterly := part[2] = 'quarter'; r.form := 'list';
        unused := CASE WHEN NOT r.is_quarterly THEN coalesce(unused, (regexp_match(r.rest, '\m(quarterly|by quarter|each quarter|every quarter|per quarter)\M'))[1]) ELSE unused END;
        r.rest := regexp_replace(r.rest, '\m(?:last|past|previous|latest|recent) (?:[0-9]{1,2}|two|three|four|five|six|seven|eight|nine|ten) (?:fiscal |reported )?(?:quarter|year)s\M', ' ');
    END IF;
    latest := (regexp_match(r.rest, '\m(latest|most recent|recent|last|newest|now|today|past)\M'))[1];
    r.is_quarterly := coalesce(r.is_quarterly, r.rest ~ '\m(quarter|quarterly|quarters)\M' AND r.quarter IS NULL AND r.rest !~ '\m(quarter on quarter|previous quarter|prior quarter)\M');
    r.rest := regexp_replace(r.rest, '\m(latest|most recent|recent|recently|newest|now|today|past)\M', ' ', 'g');
    r.rest := btrim(regexp_replace(r.rest, ' +', ' ', 'g'));

    -- What is asked for: a topic, else metrics.
    IF r.rest ~ '\m(should|buy or|recommend|predict|prediction|forecast|will|would|expect|expected|outlook|opinion|think|price target|good investment|invest in|stock price|share price|undervalued|overvalued|worth buying|tomorrow)\M'
       AND r.rest !~ '\m(will (the )?next|next)\M' THEN
        r.form := 'refused'; r.note := 'It asks for an opinion or the future, and the data say what was disclosed.';
        RETURN r;
    END IF;
    part := CASE
        WHEN r.rest ~ '\m(ceo|chief executive|cfo|chief financial|coo|chief operating|chairman|chair|president|general counsel)\M'
             AND r.rest ~ '\m(who|name|whos)\M|^(the )?(ceo|cfo|coo|chief \w+ officer|chairman|president)( of)?$' THEN ARRAY['executive']
        WHEN r.rest ~ '\mshort (interest|position|sold)|\mshorted\M|days to cover|shares? (sold )?short\M' THEN ARRAY['short_interest']
        WHEN r.rest ~ '\m(insiders?|form 4|directors and officers)\M' THEN ARRAY['insider']
        WHEN r.rest ~ '\m(holders?|institutions?|institutional|13f|shareholders?|owners?|owns?)\M' AND r.rest !~ 'equity|letter' THEN ARRAY['holder']
        WHEN r.rest ~ '\m(stock split|split|splits)\M' THEN ARRAY['split']
        WHEN r.rest ~ '\mdividends?\M' AND r.rest !~ 'dividends? paid'
             AND NOT EXISTS (SELECT 1 FROM unnest(of_names) n WHERE n ~ '\mdividends?\M' AND position(' ' || n || ' ' IN ' ' || r.rest || ' ') > 0) THEN ARRAY['dividend']
        WHEN r.rest ~ '\m(when|next|date|day|upcoming)\M' AND r.rest ~ '\m(earnings|results|report|call|annual meeting|agm|investor day|event)\M' THEN ARRAY['event'] END;
    IF part IS NOT NULL THEN
        r.form := part[1];
        r.role := CASE r.form
            WHEN 'executive' THEN (SELECT x.role FROM (VALUES ('ceo|chief executive', 'chief executive'), ('cfo|chief financial', 'chief financial'),
                ('coo|chief operating', 'chief operating'), ('chairman|chair', 'chair'), ('president', 'president'), ('general counsel', 'general counsel')) x(pattern, role)
                WHERE r.rest ~ ('\m(' || x.pattern || ')\M') LIMIT 1)
            WHEN 'insider' THEN CASE WHEN r.rest ~ '\m(sold|sell|selling|sales?|sells|disposed)\M' THEN 'sale' WHEN r.rest ~ '\m(bought|buy|buying|purchased?|purchases|acquired)\M' THEN 'purchase' END
            WHEN 'dividend' THEN CASE WHEN r.rest ~ '\m(pay|paid|payments?)\M' THEN 'payment' WHEN r.rest ~ '\m(declare|declared)\M' THEN 'declaration' END -- of the day
            WHEN 'event' THEN CASE WHEN r.rest ~ '\m(agm|annual meeting)\M' THEN 'agm' WHEN r.rest ~ '\minvestor day\M' THEN 'investor_day' ELSE 'earnings' END END;
        unused := CASE
            WHEN r.year IS NOT NULL AND (r.form <> 'event' OR r.quarter IS NULL) AND plain ~ '\m(fiscal|fy ?[0-9]+)\M' THEN 'fiscal' -- records have days
            WHEN r.form = 'event' AND r.rest ~ '\m(next|upcoming|will)\M' THEN (regexp_match(r.rest, '\m(last|previous)\M'))[1]
            WHEN r.form = 'insider' AND r.rest ~ '\m(sold|sell|selling|sales?|sells|disposed)\M' THEN (regexp_match(r.rest, '\m(bought|buy|buying|purchased?|purchases|acquired)\M'))[1]
            WHEN r.form = 'executive' THEN (SELECT (regexp_match(r.rest, '\m(' || x.pattern || ')\M'))[1] FROM (VALUES ('ceo|chief executive', 'chief executive'),
                ('cfo|chief financial', 'chief financial'), ('coo|chief operating', 'chief operating'), ('chairman|chair', 'chair'), ('president', 'president'), ('general counsel', 'general counsel')) x(pattern, role)
                WHERE x.role <> r.role AND r.rest ~ ('\m(' || x.pattern || ')\M') LIMIT 1) ELSE unused END;
        r.is_previous := r.rest ~ '\m(last|previous|was|were|did|happened)\M' AND r.rest !~ '\m(next|will|upcoming)\M';
        r.rest := array_to_string(ARRAY(SELECT w FROM string_to_table(regexp_replace(r.rest, '\mform 4\M', ' '), ' ') w WHERE w <> ALL (disclosed.ask_topic_words(r.form))), ' ');
    ELSE
        FOR one IN
            SELECT c.name, c.words, m.metric_key
            FROM disclosed.name_candidates(r.rest) c
            JOIN (SELECT n.name, min(n.metric_key) AS metric_key FROM disclosed.metric_name n GROUP BY n.name
                  UNION ALL SELECT DISTINCT disclosed.plain_words(k.display), k.metric_key FROM disclosed.kpi_metric k
                  WHERE NOT k.is_canonical AND k.superseded_at IS NULL AND k.issuer_id = ANY (r.companies || given)
                  UNION ALL SELECT DISTINCT disclosed.plain_words(replace(k.metric_key, '_', ' ')), k.metric_key FROM disclosed.kpi_metric k
                  WHERE NOT k.is_canonical AND k.superseded_at IS NULL AND k.issuer_id = ANY (r.companies || given)) m ON m.name = c.name
            ORDER BY c.words DESC, length(c.name) DESC, c.name
        LOOP
            CONTINUE WHEN position(' ' || one.name || ' ' IN ' ' || r.rest || ' ') = 0 OR one.metric_key = ANY (coalesce(r.metrics, '{}')) OR one.name IN ('total', 'sell') AND r.metrics IS NOT NULL;
            r.metrics := array_append(r.metrics, one.metric_key);
            metric_names := array_append(metric_names, one.name);
            IF one.name ~ '^(?:(?:net |operating |diluted )?loss(?:es)?(?: per share| from operations)?|net loss per share|(?:lose|lost) per share)$' THEN
                r.role := 'loss';
            END IF;
            marked := regexp_replace(coalesce(marked, r.rest), '\m' || one.name || '\M', '#', 'g');
            r.rest := disclosed.ask_without(r.rest, one.name);
        END LOOP;
        IF r.metrics IS NOT NULL THEN -- has it
            r.rest := regexp_replace(r.rest, '\m(did|does|do)\M(.*)\m(?:hold|pay)\M', '\1\2');
        END IF;
        -- What a company earns, makes or loses, if it is not said of what.
        IF r.metrics IS NULL AND r.rest ~ '\mhow much\M.*\m(?:earn|earned|lose|lost)\M|\mmoney\M.*\m(?:make|made|earn|earned|lose|lost)\M|\m(?:make|made|making|earn|earned|lose|lost|losing) money\M' THEN
            r.metrics := '{net_income}';
            r.role := CASE WHEN r.rest ~ '\m(?:lose|lost|losing)\M' THEN 'loss' END;
            r.rest := btrim(regexp_replace(regexp_replace(r.rest, '\m(?:earn|earned|make|made|making|lose|lost|losing|money)\M', ' ', 'g'), ' +', ' ', 'g'));
        END IF;
        -- Two of them that are no list make a third: inventory turnover, debt to equity. Of several periods each has its own.
        IF marked ~ '# (?:(?:of|to|per|by|over|in|on|for|from|as|into) )?(?:(?:the|a|an|total|its|their) )*#' AND plain !~ '\m(compared?|comparison)\M'
           AND regexp_replace(lower(told), '[''’]', '', 'g') !~ ('\m(' || array_to_string(metric_names, '|') || ')\s*[,;&/+]\s*(and |the |total |its )*(' || array_to_string(metric_names, '|') || ')\M') THEN
            unused := coalesce(unused, metric_names[cardinality(metric_names)]);
        ELSIF r.years IS NOT NULL AND marked ~ '#[^#@]*@[^#]*#[^#@]*@|@[^#@]*#[^@]*@[^#@]*#' THEN
            unused := coalesce(unused, r.years[2]::text);
        END IF;
    END IF;

    latest := coalesce(latest, (regexp_match(r.rest, '\m(current|currently)\M(?! (?:assets|liabilities))'))[1]);
    r.is_latest := latest IS NOT NULL;
    r.rest := btrim(regexp_replace(regexp_replace(r.rest, '\m(current|currently)\M', ' ', 'g'), ' +', ' ', 'g'));

    -- Companies by one word of their names, in the order of the question.
    FOREACH word IN ARRAY string_to_array(r.rest, ' ') LOOP
        CONTINUE WHEN cardinality(r.companies) >= 4 OR r.form IS NOT NULL AND r.companies IS NOT NULL;
        CONTINUE WHEN length(word) < 4 OR word ~ '[0-9]' OR word = ANY (idle) OR word = ANY (of_metrics);
        -- Beside a name with nothing between them it is part of a longer one, which is not known.
        CONTINUE WHEN lower(told) ~ ('\m(' || replace(array_to_string(names, '|'), ' ', '[^[:alnum:]]+') || ')\s+' || word || '\M|\m' || word || '\s+(' || replace(array_to_string(names, '|'), ' ', '[^[:alnum:]]+') || ')\M');
        CONTINUE WHEN subject IS NOT NULL AND r.companies IS NOT NULL AND word = ANY (string_to_array(subject, ' '));
        -- Beside a company another one is named with a word between them. Other words are not taken for companies that begin like them.
        CONTINUE WHEN r.metrics IS NOT NULL AND (r.companies IS NOT NULL OR given IS NOT NULL) AND plain !~ '\m(and|or|versus|vs|against|compared?|comparison|than|with)\M';
        one := NULL;
        CONTINUE WHEN word = ANY (tried);
        SELECT disclosed.ask_company_like(word, cardinality(tried) < 8 AND length(word) <= 40) AS issuer_id INTO one;
        tried := tried || word;
        CONTINUE WHEN one.issuer_id IS NULL;
        IF one.issuer_id IS NOT NULL AND one.issuer_id <> ALL (coalesce(r.companies, '{}')) THEN
            r.companies := array_append(r.companies, one.issuer_id);
            places := array_append(places, coalesce(nullif(position(' ' || word || ' ' IN ' ' || plain || ' '), 0), length(plain)));
        END IF;
        r.rest := disclosed.ask_without(r.rest, word);
        SELECT array_to_string(ARRAY(SELECT w FROM string_to_table(r.rest, ' ') w WHERE w = ANY (idle) OR w <> ALL (string_to_array(disclosed.plain_words(i.name), ' '))), ' ')
        INTO r.rest FROM disclosed.issuer i WHERE i.issuer_id = one.issuer_id;
    END LOOP;

    -- Typing errors: what is left may be a metric, where it is no more than the words of one, each of which is like its own.
    asked := ARRAY(SELECT w FROM string_to_table(r.rest, ' ') w WHERE w NOT IN ('', '@', '*') AND w <> ALL (idle));
    IF cardinality(asked) BETWEEN 1 AND 8 AND r.metrics IS NULL AND r.form IS NULL THEN
        SELECT n.metric_key, c.name INTO one
        FROM disclosed.name_candidates(array_to_string(asked, ' ')) c CROSS JOIN disclosed.metric_name n
        WHERE c.words <= 4 AND length(c.name) >= 5 AND length(n.name) BETWEEN length(c.name) - 3 AND length(c.name) + 3
          AND public.similarity(c.name, n.name) >= 0.42
          AND (c.words = 1 OR NOT EXISTS (SELECT 1 FROM unnest(string_to_array(c.name, ' '), string_to_array(n.name, ' ')) AS p(given, known)
                                          WHERE p.given IS NULL OR p.known IS NULL OR public.similarity(p.given, p.known) < 0.25
                                            AND ARRAY(SELECT x FROM string_to_table(p.given, NULL) x ORDER BY x) <> ARRAY(SELECT x FROM string_to_table(p.known, NULL) x ORDER BY x)))
        ORDER BY public.similarity(c.name, n.name) DESC, c.words DESC, n.name LIMIT 1;
        IF FOUND THEN
            r.metrics := ARRAY[one.metric_key];
            FOREACH word IN ARRAY string_to_array(one.name, ' ') LOOP
                r.rest := disclosed.ask_without(r.rest, word);
            END LOOP;
        END IF;
    END IF;

    -- How it is asked.
    IF r.metrics IS NOT NULL OR r.form = 'list' THEN
        IF r.other_end IS NOT NULL AND r.form IS NULL AND (plain ~ of_growth OR plain ~ '\m(compared?|comparison|versus|vs|against)\M') THEN
            r.form := 'growth';
        ELSIF r.dimension IS NOT NULL THEN
            r.is_least := r.rest ~ '\m(lowest|smallest|least|worst)\M';
            r.form := CASE WHEN r.is_least OR r.dimension = 'segment' AND r.rest ~ '\m(highest|largest|biggest|most|greatest|top|best)\M' THEN 'ranking' ELSE 'value' END;
            r.count := 1;
            unused := coalesce(unused, CASE WHEN cardinality(r.metrics) > 1 OR r.years IS NOT NULL OR r.last_year IS NOT NULL OR r.is_least AND r.dimension <> 'segment' OR r.parts IS NOT NULL
                                            THEN 'by ' || r.dimension END);
        ELSIF r.form IS NULL AND cardinality(r.parts) > 1 AND r.last_year IS NULL AND r.rest ~ '\m(compared?|comparison|versus|vs|against|more|less|higher|lower|greater|smaller|bigger|larger)\M' AND r.rest !~ of_growth THEN
            r.form := 'comparison';
            r.is_least := r.rest ~ '\m(less|lower|smaller|lowest|smallest|least|worst)\M' AND r.rest !~ '\m(more|higher|greater|bigger|better|larger|highest|largest|biggest|most|greatest|best)\M';
        ELSIF r.form IS NULL AND r.rest ~ '\m(highest|largest|biggest|most|greatest|top|best|lowest|smallest|least|worst|rank|ranking)\M' AND coalesce(cardinality(r.companies), 0) = 0 AND given IS NULL THEN
            r.form := 'ranking';
            r.is_least := r.rest ~ '\m(lowest|smallest|least|worst)\M';
            part := regexp_match(r.rest, '\mtop ([0-9]{1,2}|two|three|four|five|six|seven|eight|nine|ten)\M|\m(?:the )?([0-9]{1,2}|two|three|four|five|six|seven|eight|nine|ten) (?:companies|largest|biggest|highest|lowest|smallest)\M');
            r.count := coalesce(disclosed.ask_count(coalesce(part[1], part[2])), 1);
            r.rest := CASE WHEN part IS NULL THEN r.rest ELSE regexp_replace(r.rest, '\m' || coalesce(part[1], part[2]) || '\M', ' ') END;
        ELSIF r.rest ~ of_growth AND r.form IS DISTINCT FROM 'list' THEN
            r.form := 'growth';
            r.is_previous := r.rest ~ '\m(quarter over quarter|quarter on quarter|qoq|previous quarter|prior quarter|preceding quarter|quarter before|quarter earlier|sequentially|sequential)\M';
            r.is_quarterly := r.is_quarterly OR r.is_previous AND r.quarter IS NULL AND r.year IS NULL;
            r.rest := regexp_replace(r.rest, '\m(?<=year |quarter |period )(before|earlier)\M(?! @)|\m(previous|prior|preceding)\M(?= (fiscal )?(year|quarter|period)\M)', ' ', 'g');
        ELSIF coalesce(cardinality(r.companies), 0) > 1 AND r.form IS NULL AND r.last_year IS NULL
              OR cardinality(given) > 1 AND r.rest ~ '\m(compare|versus|vs|more|higher)\M' THEN
            r.form := 'comparison';
            r.is_least := r.rest ~ '\m(less|lower|smaller|lowest|smallest|least|worst)\M' AND r.rest !~ '\m(more|higher|greater|bigger|better|larger|highest|largest|biggest|most|greatest|best)\M';
        ELSIF r.last_year IS NOT NULL OR r.years IS NOT NULL OR r.form = 'list' OR r.rest ~ '\m(history|trend|each|every|per quarter|per year|series|by year|by quarter|over time|years|quarters)\M'
              OR r.rest ~ '\mlist\M' AND r.year IS NULL OR r.rest ~ '\mquarterly\M' AND r.is_quarterly AND NOT r.is_latest THEN
            r.form := 'list';
            r.count := coalesce(r.count, CASE WHEN r.year IS NULL THEN 8 ELSE 40 END);
            r.is_quarterly := r.is_quarterly OR r.rest ~ '\m(by quarter|each quarter|every quarter|per quarter)\M';
            r.rest := regexp_replace(r.rest, '\mper (?=year|quarter)', ' ');
        ELSE
            r.form := 'value';
        END IF;
    END IF;
    r.companies := coalesce((SELECT array_agg(c.issuer_id ORDER BY c.place) FROM unnest(r.companies, places) AS c(issuer_id, place)), given);
    r.rest := btrim(regexp_replace(r.rest, ' +', ' ', 'g'));
    unused := coalesce(unused, CASE WHEN r.form IS NOT NULL THEN disclosed.ask_unused(r, r.rest) END);
    unused := CASE unused WHEN 'latest' THEN latest ELSE unused END;
    -- Days are of one period, that of a number.
    IF r.end_date IS NOT NULL AND (r.metrics IS NULL OR r.form = 'list' OR r.years IS NOT NULL OR r.last_year IS NOT NULL OR r.is_latest OR r.is_quarterly
                                   OR r.other_end IS NOT NULL AND (r.form <> 'growth' OR r.dimension IS NOT NULL) OR r.start_date IS NOT NULL AND (r.form = 'growth' OR EXISTS (SELECT 1 FROM disclosed.canonical_metric m WHERE m.metric_key = ANY (r.metrics) AND m.basis = 'instant'))) THEN
        unused := coalesce(unused, disclosed.ask_day(r.end_date));
    END IF;
    -- Parts are of one company, and of one kind: what is of two kinds is one number of both. One beside the other needs a word between them.
    IF r.parts IS NOT NULL OR r.dimension IS NOT NULL THEN
        unused := coalesce(unused, CASE
            WHEN r.metrics IS NULL OR r.companies IS DISTINCT FROM ARRAY[whole] AND given IS DISTINCT FROM ARRAY[whole] THEN coalesce(disclosed.ask_part_name(whole, r.parts[1]), r.dimension)
            WHEN cardinality(r.parts) > 1 AND (plain ~ '\mtotal\M' OR NOT disclosed.ask_parts_are_alike(whole, r.parts)
                                               OR r.rest ~ '\* (?!(?:and|or|versus|vs|against|compared|with|than|to)\M)(?:[^* ]+ )*\*' AND position(',' IN told) = 0)
                 THEN disclosed.ask_part_name(whole, r.parts[cardinality(r.parts)])
            -- One metric more often than parts: once of the whole company.
            WHEN length(marked) - length(replace(marked, '#', '')) > greatest(length(marked) - length(replace(marked, '*', '')), cardinality(r.metrics)) THEN metric_names[1]
            WHEN cardinality(r.parts) > 6 THEN disclosed.ask_part_name(whole, r.parts[7]) END);
    END IF;
    IF r.role = 'loss' AND r.metrics IS NOT NULL AND r.form <> 'value' THEN -- of several, some may be none
        unused := coalesce(unused, (regexp_match(plain, '\m(loss|losses|lose|lost|losing)\M'))[1]);
    END IF;
    IF r.form IN ('split', 'dividend') THEN -- how many are told of
        r.count := CASE WHEN r.year IS NOT NULL THEN 60 WHEN plain ~ '\m(splits|dividends)\M' AND NOT r.is_latest THEN 20 ELSE 1 END;
    END IF;
    r.rest := array_to_string(ARRAY(SELECT w FROM string_to_table(r.rest, ' ') w WHERE w NOT IN ('', '@', '*') AND w <> ALL (idle)), ' ');
    r.form := CASE WHEN r.rest <> '' OR is_long OR subject IS NOT NULL AND r.companies IS NOT NULL THEN 'text' ELSE coalesce(r.form, 'text') END;
    SELECT p[1] AS word, disclosed.ask_two_companies(p[1]) AS companies INTO one FROM regexp_matches(told, '(?<![[:alnum:]$])([A-Z][A-Z0-9]|[0-9][A-Z])(?![[:alnum:]])', 'g') p
    WHERE r.companies IS NULL AND r.metrics IS NOT NULL AND disclosed.ask_two_companies(p[1]) IS NOT NULL LIMIT 1;
    IF FOUND THEN
        r.form := 'refused'; r.note := one.word || ' may be ' || rtrim(one.companies, '.') || '.';
    ELSIF several IS NOT NULL AND r.metrics IS NOT NULL THEN
        r.form := 'refused'; r.note := disclosed.ask_company(whole) || ' has several parts of that name: ' || several || '.';
    ELSIF r.form <> 'text' AND unused IS NOT NULL THEN
        r.form := 'refused'; r.note := 'An answer from numbers and records would leave out "' || unused || '" of the question.';
    ELSIF r.form = 'text' THEN -- what is looked for in texts: all that is no name and says something
        r.rest := array_to_string(ARRAY(
            SELECT w FROM unnest(wording) w
            WHERE w <> '' AND w <> ALL (disclosed.ask_fillers() || disclosed.ask_qualifiers() || string_to_array('mention mentions mentioned wrote write writes written talk talks talked discuss discussed discusses describe described saying text texts passage', ' '))
              AND w <> ALL (ARRAY(SELECT string_to_table(disclosed.plain_words(i.name), ' ') FROM disclosed.issuer i WHERE i.issuer_id = ANY (r.companies)))
              AND w <> ALL (ARRAY(SELECT lower(i.ticker) FROM disclosed.issuer i WHERE i.issuer_id = ANY (r.companies)))), ' ');
    END IF;
    RETURN r;
END $$;

-- The same as before; and of parts of a company.
CREATE OR REPLACE FUNCTION ask_metric_lines(r ask_reading, instant timestamptz, since date, until date) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE AS $$
DECLARE
    company bigint;
    metric text;
    now_adjusted numeric; -- values as adjusted for the splits since
    then_adjusted numeric;
    behind integer;
    n disclosed.metric_number;
    before disclosed.metric_number;
    best disclosed.metric_number;
    all_of disclosed.metric_number[];
    one_year disclosed.ask_reading := r; -- growth over several years: of the last
    year_before disclosed.ask_reading;
    lacking text;
    place integer := 0;
    said text;
    change numeric;
    one record;
BEGIN
    IF r.form = 'growth' AND r.last_year IS NOT NULL THEN
        one_year.year := r.last_year; one_year.last_year := NULL;
    END IF;
    IF r.dimension IS NOT NULL THEN
        RETURN QUERY SELECT * FROM disclosed.ask_breakdown_lines(r, r.metrics[1], instant, since, until);
        RETURN;
    END IF;
    IF r.form = 'ranking' THEN
        FOR one IN
            SELECT DISTINCT ON (f.issuer_id) f.issuer_id, f.value, f.unit
            FROM disclosed.metric_issuer k
            CROSS JOIN LATERAL disclosed.ask_numbers(r, k.issuer_id, r.metrics[1], 0, instant, since, until, 1) f
            WHERE k.metric_key = r.metrics[1]
        LOOP
            SELECT x.* INTO n FROM disclosed.ask_numbers(r, one.issuer_id, r.metrics[1], 0, instant, since, until, 1) x;
            all_of := all_of || n;
        END LOOP;
        -- Of one currency: the one that most have.
        FOR n IN SELECT x.* FROM unnest(all_of) x
                 WHERE x.unit = (SELECT u.unit FROM unnest(all_of) u GROUP BY u.unit ORDER BY count(*) DESC, u.unit LIMIT 1) AND NOT x.is_suspect
                 ORDER BY CASE WHEN coalesce(r.is_least, false) THEN 1 ELSE -1 END * disclosed.ask_adjusted(x, instant), x.issuer_id LIMIT r.count LOOP
            place := place + 1;
            RETURN NEXT disclosed.ask_point(n, place, CASE WHEN r.count > 1 THEN place || '. ' ELSE '' END || disclosed.ask_company(n.issuer_id)
                || CASE WHEN r.count = 1 THEN ' had the ' || CASE WHEN r.is_least THEN 'lowest ' ELSE 'highest ' END || lower(n.display) || ': ' ELSE ': ' END
                || disclosed.ask_told(n, instant, 2) || ' ' || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || ' [1]'
                || CASE WHEN r.count = 1 THEN ', of ' || cardinality(all_of) || ' companies with the number' ELSE '' END
                || CASE WHEN EXISTS (SELECT 1 FROM unnest(all_of) x WHERE x.value <> disclosed.ask_adjusted(x, instant)) THEN ', adjusted for splits.' ELSE '.' END,
                ARRAY[place || '.', cardinality(all_of) || ' companies']);
            RETURN QUERY SELECT * FROM disclosed.ask_split_points(n, instant, place);
        END LOOP;
        IF place = 0 THEN
            RETURN NEXT ROW(NULL, 'No company has that number for the period.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        END IF;
        RETURN;
    END IF;
    IF coalesce(cardinality(r.companies), 0) = 0 THEN
        RETURN NEXT ROW(NULL, 'The question names no company that is known here.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        RETURN;
    END IF;
    FOREACH metric IN ARRAY r.metrics[1:3] LOOP
        all_of := '{}';
        FOR company, r.part IN SELECT c.company, p.part FROM unnest(r.companies[1:6]) WITH ORDINALITY AS c(company, place)
                               CROSS JOIN unnest(coalesce(r.parts, ARRAY[NULL]::text[])) WITH ORDINALITY AS p(part, place) ORDER BY c.place, p.place LOOP
            one_year.part := r.part;
            IF r.form = 'list' THEN
                SELECT array_agg(x ORDER BY x.end_date) INTO all_of
                FROM disclosed.ask_numbers(r, company, metric, 0, instant, since, until, least(coalesce(r.count, 8), 40)) x;
                IF all_of IS NULL THEN
                    RETURN NEXT ROW(NULL, disclosed.ask_missing(r, company, metric, instant), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                    CONTINUE;
                END IF;
                FOREACH n IN ARRAY all_of LOOP
                    said := CASE WHEN r.part IS NOT NULL THEN disclosed.ask_part_doubts(n, r.part, NULL, metric, instant) END;
                    IF said IS NOT NULL THEN
                        RETURN NEXT ROW(NULL, said, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                        CONTINUE;
                    END IF;
                    place := place + 1;
                    RETURN NEXT disclosed.ask_point(n, place, CASE WHEN r.part IS NOT NULL THEN disclosed.ask_begin(n) || disclosed.ask_told(n, instant, 2) || ' ' || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date)
                        ELSE disclosed.ask_company(company) || ', ' || lower(n.display) || ' ' || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || ': '
                             || disclosed.ask_told(n, instant, 2) END || ' [1].', '{}');
                    RETURN QUERY SELECT * FROM disclosed.ask_split_points(n, instant, place);
                END LOOP;
                SELECT string_agg(y::text, ', ' ORDER BY y) INTO lacking
                FROM unnest(coalesce(r.years, CASE WHEN r.last_year < r.year + 40 THEN ARRAY(SELECT generate_series(r.year, r.last_year)) END)) y
                WHERE y <> ALL (ARRAY(SELECT disclosed.ask_year_of(r, x.fiscal, disclosed.calendar_period(x.start_date, x.end_date)) FROM unnest(all_of) x));
                IF lacking IS NOT NULL THEN
                    RETURN NEXT ROW(NULL, 'Of ' || lacking || ': ' || disclosed.ask_missing(r, company, metric, instant), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                END IF;
                CONTINUE;
            END IF;
            SELECT x.* INTO n FROM disclosed.ask_numbers(one_year, company, metric, 0, instant, since, until, 1) x;
            IF n.value IS NULL THEN
                RETURN NEXT ROW(NULL, disclosed.ask_missing(r, company, metric, instant), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                CONTINUE;
            END IF;
            said := CASE WHEN r.part IS NOT NULL THEN disclosed.ask_part_doubts(n, r.part, NULL, metric, instant) END;
            IF said IS NOT NULL THEN
                RETURN NEXT ROW(NULL, said, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                CONTINUE;
            END IF;
            IF r.role = 'loss' AND n.value >= 0 THEN
                RETURN NEXT ROW(NULL, disclosed.ask_company(company) || ' had no loss ' || coalesce('of ' || n.member || ' ', '') || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || '.',
                                NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                CONTINUE;
            END IF;
            place := place + 1;
            behind := CASE WHEN r.form = 'growth' THEN 3 ELSE 2 END;
            said := disclosed.ask_begin(n) || disclosed.ask_told(n, instant, behind) || ' '
                 || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || ' [1]';
            IF r.form = 'growth' THEN
                year_before := NULL;
                IF r.last_year IS NULL AND (r.part IS NOT NULL OR r.end_date IS NOT NULL) THEN
                    year_before := one_year;
                    year_before.year := NULL; year_before.quarter := NULL; year_before.start_date := NULL;
                    year_before.end_date := coalesce(r.other_end, n.end_date - CASE WHEN r.is_previous AND n.period_kind IN ('quarter', 'instant') THEN 91 ELSE 365 END);
                    year_before.length := n.period_kind; year_before.earlier := greatest(r.earlier, 7);
                END IF;
                IF r.last_year IS NOT NULL THEN
                    one_year.year := r.year;
                    SELECT x.* INTO before FROM disclosed.ask_numbers(one_year, company, metric, 0, instant, since, until, 1) x
                    WHERE x.unit = n.unit AND x.period_kind = n.period_kind;
                    one_year.year := r.last_year;
                ELSIF year_before.end_date IS NOT NULL THEN
                    SELECT x.* INTO before FROM disclosed.ask_numbers(year_before, company, metric, 0, instant, since, until, 1) x WHERE x.unit = n.unit AND x.period_kind = n.period_kind;
                ELSE
                    SELECT b.* INTO before FROM disclosed.metric_number b
                    WHERE b.issuer_id = company AND b.metric_key = metric AND b.period_kind = n.period_kind AND b.unit = n.unit AND b.dataset = n.dataset
                      AND CASE WHEN instant IS NULL THEN b.superseded_at IS NULL ELSE b.known_at <= instant AND (b.superseded_at IS NULL OR b.superseded_at > instant) END
                      AND b.end_date BETWEEN n.end_date - CASE WHEN r.is_previous AND n.period_kind IN ('quarter', 'instant') THEN 100 ELSE 380 END
                                         AND n.end_date - CASE WHEN r.is_previous AND n.period_kind IN ('quarter', 'instant') THEN 80 ELSE 350 END
                    ORDER BY b.known_at DESC LIMIT 1;
                END IF;
                IF r.part IS NOT NULL AND disclosed.ask_part_doubts(before, r.part, NULL, metric, instant) IS NOT NULL THEN
                    RETURN NEXT ROW(NULL, disclosed.ask_part_doubts(before, r.part, NULL, metric, instant), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                    place := place - 1;
                    CONTINUE;
                END IF;
                IF before.value IS NULL THEN
                    RETURN NEXT ROW(NULL, 'There is no number of the period before to compare with: ' || disclosed.ask_missing(CASE WHEN year_before.end_date IS NULL THEN r ELSE year_before END, company, metric, instant),
                                    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                    CONTINUE;
                END IF;
                now_adjusted := disclosed.ask_adjusted(n, instant);
                then_adjusted := disclosed.ask_adjusted(before, instant);
                behind := behind + (SELECT count(*) FROM disclosed.ask_splits(n, instant))::integer;
                change := CASE WHEN before.value > 0 THEN round((now_adjusted - then_adjusted) / then_adjusted * 100, 1) END;
                RETURN NEXT disclosed.ask_point(n, place, said || ', ' || CASE WHEN now_adjusted = then_adjusted THEN 'as much as '
                        WHEN change IS NOT NULL AND abs(change) >= 0.05 THEN CASE WHEN change > 0 THEN 'up ' ELSE 'down ' END || trim_scale(abs(change)) || '% from '
                        WHEN now_adjusted > then_adjusted THEN 'up from ' ELSE 'down from ' END
                    || disclosed.ask_told(before, instant, behind) || ' ' || disclosed.ask_period(before.period_kind, before.fiscal, before.start_date, before.end_date) || ' [2].',
                    ARRAY[trim_scale(abs(change)) || '%']);
                RETURN NEXT disclosed.ask_point(before, place, NULL, '{}');
                RETURN QUERY SELECT * FROM disclosed.ask_split_points(n, instant, place);
                RETURN QUERY SELECT * FROM disclosed.ask_split_points(before, instant, place);
                CONTINUE;
            END IF;
            RETURN NEXT disclosed.ask_point(n, place, said || '.', '{}');
            RETURN QUERY SELECT * FROM disclosed.ask_split_points(n, instant, place);
            all_of := all_of || n;
        END LOOP;
        IF r.form = 'comparison' AND cardinality(all_of) > 1 THEN
            IF (SELECT count(DISTINCT x.unit) FROM unnest(all_of) x) > 1 THEN
                CONTINUE; -- currencies are not converted
            END IF;
            SELECT x.* INTO best FROM unnest(all_of) x ORDER BY CASE WHEN r.is_least THEN -1 ELSE 1 END * disclosed.ask_adjusted(x, instant) DESC LIMIT 1;
            SELECT x.* INTO before FROM unnest(all_of) x ORDER BY CASE WHEN r.is_least THEN -1 ELSE 1 END * disclosed.ask_adjusted(x, instant) LIMIT 1;
            now_adjusted := disclosed.ask_adjusted(best, instant);
            then_adjusted := disclosed.ask_adjusted(before, instant);
            said := disclosed.ask_number(abs(now_adjusted - then_adjusted), best.unit, best.is_percent)
                 || CASE WHEN now_adjusted <> best.value OR then_adjusted <> before.value THEN ', adjusted for splits,' ELSE '' END;
            place := place + 1;
            RETURN NEXT disclosed.ask_point(best, place, CASE WHEN now_adjusted = then_adjusted THEN 'They are the same [1][2].'
                ELSE CASE WHEN r.is_least THEN 'The lower' ELSE 'The higher' END || ' is that of ' || disclosed.ask_subject(best) || ' [1], by ' || said
                     || CASE WHEN r.is_least THEN ' below that of ' ELSE ' over that of ' END || disclosed.ask_subject(before) || ' [2].' END, ARRAY[said]);
            RETURN NEXT disclosed.ask_point(before, place, NULL, '{}');
        END IF;
    END LOOP;
END $$;
