-- Questions: how one is read, and what the stored data say. Nothing is guessed: a question with words that are not understood is not
-- answered from numbers.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------ words

-- Words that say nothing by themselves in a question that is about numbers.
CREATE FUNCTION ask_fillers() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_to_array('a an and are at be been by can come came could did do does earn earned figure find for from gave generate generated get '
        || 'give had has have how i in inc is it its last made make me much of on one or out over please post posted record recorded report reported '
        || 'say said show since so stand stood tell than that the their them then there these they this those to total under up us was we were what '
        || 'when where which while who whose with within would you your amount amounted level value number company companies business firm corp s '
        || 'corporation co ltd plc according about across all any between both during each end ended ending per period was year years quarter '
        || 'quarters fiscal calendar annual annually yearly quarterly month months day date as know let look need want wanted like currently '
        || 'financial results statement filing filings 10 k q compared compare comparison versus vs against more less higher lower greater smaller '
        || 'bigger better larger than whats hows many big large high low small whole full could would should might may must shall name provide state achieve '
        || 'achieved deliver delivered produce produced book booked realize realized recognize recognized total totalled totaled account accounted disclose '
        || 'disclosed publish published announce announced print show shows showed got gets getting firms business businesses issuer issuers only just '
        || 'also then after before since until till today again into onto via per each every such same another other others some no not yes kindly thanks '
        || 'hello hi question answer exactly precisely roughly approximately around close closing beginning start throughout', ' ')
$$;

-- Words that say how something is asked for.
CREATE FUNCTION ask_form_words() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_to_array('highest largest biggest most greatest top best lowest smallest least worst rank ranking ranked grow grew grown grows growth increase '
        || 'increased decrease decreased decline declined change changed fall fell rise rose drop dropped yoy qoq gain gained shrink shrank expand '
        || 'expanded grown risen fallen rising falling growing shrinking declining increasing decreasing develop developed development evolve evolved moved went '
        || 'perform performed performance preceding earlier later quick quickly slow slowly strongly pace over on previous prior sequentially sequential percent percentage rate fast faster history trend every series time list ytd compared first '
        || 'two three four five six seven eight nine ten', ' ')
$$;

CREATE FUNCTION ask_ordinal(word text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN word IN ('first', '1st', '1') THEN 1 WHEN word IN ('second', '2nd', '2') THEN 2 WHEN word IN ('third', '3rd', '3') THEN 3
                WHEN word IN ('fourth', '4th', '4', 'final') THEN 4 END
$$;

CREATE FUNCTION ask_count(word text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN word ~ '^[0-9]{1,2}$' THEN word::integer
                ELSE array_position('{two,three,four,five,six,seven,eight,nine,ten}', word) + 1 END
$$;

-- ---------------------------------------------------------------- numbers

-- A number as an answer has it: USD 320.51 million, 12.3%, 1,234 shares.
CREATE FUNCTION ask_number(value numeric, unit text, is_percent boolean) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN is_percent THEN trim_scale(round(value * 100, 1)) || '%'
        WHEN unit = 'pure' THEN trim_scale(round(value, 2))::text
        WHEN unit ~ '_per_share$' THEN replace(unit, '_per_share', '') || ' ' || trim_scale(round(value, 4)) || ' per share'
        WHEN unit ~ '^[A-Z]{3}$' THEN unit || ' ' || CASE
            WHEN abs(value) >= 1e9 THEN trim_scale(round(value / 1e9, 2)) || ' billion'
            WHEN abs(value) >= 1e6 THEN trim_scale(round(value / 1e6, 2)) || ' million'
            ELSE to_char(trim_scale(round(value, 2)), 'FM999,999,999,990.99') END
        ELSE CASE WHEN abs(value) >= 1e9 THEN trim_scale(round(value / 1e9, 3)) || ' billion'
                  WHEN abs(value) >= 1e6 THEN trim_scale(round(value / 1e6, 3)) || ' million'
                  ELSE rtrim(to_char(value, 'FM999,999,999,990.99'), '.') END
             || CASE WHEN unit IS NULL OR unit IN ('count', 'percent') THEN CASE unit WHEN 'percent' THEN '%' ELSE '' END ELSE ' ' || replace(unit, '_', ' ') END END
$$;

CREATE FUNCTION ask_day(day date) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT to_char(day, 'FMDD FMMonth YYYY') $$;

-- The period of a number in words, with its last day.
CREATE FUNCTION ask_period(kind text, fiscal text, start_date date, end_date date) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN kind = 'instant' THEN 'at ' || disclosed.ask_day(end_date)
        WHEN kind = 'ttm' THEN 'in the twelve months ended ' || disclosed.ask_day(end_date)
        WHEN fiscal ~ '^FY' THEN 'in fiscal ' || substr(fiscal, 3) || ', ended ' || disclosed.ask_day(end_date)
        WHEN fiscal ~ '^Q' THEN 'in the ' || (ARRAY['first', 'second', 'third', 'fourth'])[substr(fiscal, 2, 1)::integer] || ' quarter of fiscal '
             || right(fiscal, 4) || ', ended ' || disclosed.ask_day(end_date)
        ELSE 'in the period from ' || disclosed.ask_day(start_date) || ' to ' || disclosed.ask_day(end_date) END
$$;

-- ---------------------------------------------------------------- reading

-- Names of metrics as people write them, in plain words.
CREATE VIEW metric_name AS
    SELECT m.metric_key, disclosed.plain_words(n.name) AS name
    FROM canonical_metric m
    CROSS JOIN LATERAL (SELECT unnest(m.aliases || ARRAY[m.display, replace(m.metric_key, '_', ' '), replace(m.display, ',', '')]) AS name) n
    UNION SELECT k.key, k.name FROM (VALUES ('eps_basic', 'earnings per share'), ('weighted_average_shares_diluted', 'diluted share count'),
        ('assets', 'assets'), ('liabilities', 'liabilities'), ('eps_diluted', 'diluted earnings'), ('cash_and_cash_equivalents', 'cash balance'),
        ('operating_cash_flow', 'operating cashflow'), ('research_and_development', 'r and d'), ('research_and_development', 'rd'),
        ('stockholders_equity', 'book value'), ('revenue', 'sell'), ('net_income', 'net profits'), ('net_income', 'profits')) AS k(key, name);
GRANT SELECT ON metric_name TO disclosed_api, disclosed_loader;

-- Numbers of metrics: canonical ones, and companies' own of the company as a whole.
CREATE VIEW metric_number AS
    SELECT 'fundamental'::text AS dataset, f.issuer_id, f.metric_key, m.display, f.src_digest, f.source_id, f.accession, f.known_at, f.superseded_at,
           f.start_date, f.end_date, f.period_kind, f.fiscal, f.value, CASE WHEN m.unit = 'ratio' THEN 'pure' ELSE replace(f.unit, '/shares', '_per_share') END AS unit,
           m.unit = 'ratio' AND m.metric_key ~ '(margin|rate|ratio_pct|payout)' AS is_percent,
           m.basis, f.is_suspect, f.rule IS NOT NULL AS is_derived
    FROM fundamental f JOIN canonical_metric m ON m.metric_key = f.metric_key
    UNION ALL
    SELECT 'kpi_observation', o.issuer_id, o.metric_key, coalesce(o.display, o.issuer_label), o.src_digest, o.source_id, o.accession, o.known_at, o.superseded_at,
           o.start_date, o.end_date, o.period_kind, o.fiscal, o.value, o.unit, o.unit = 'percent' AND false, o.basis, false, false
    FROM kpi_observation o WHERE o.dimension IS NULL;
GRANT SELECT ON metric_number TO disclosed_api, disclosed_loader;

-- The text without these plain words.
CREATE FUNCTION ask_without(body text, phrase text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT btrim(regexp_replace(replace(' ' || replace(body, ' ', '  ') || ' ', ' ' || replace(phrase, ' ', '  ') || ' ', ' '), ' +', ' ', 'g')) $$;

-- Companies by name or ticker. `rank` is the less, the surer it is.
CREATE FUNCTION ask_companies(body text) RETURNS TABLE (issuer_id bigint, name text, rank integer) LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT l.issuer_id, lower(ltrim(w.word, '$')), 2
    FROM string_to_table(btrim(regexp_replace(body, '[^[:alnum:]$]+', ' ', 'g')), ' ') WITH ORDINALITY AS w(word, place)
    JOIN disclosed.listing l ON l.ticker = upper(ltrim(w.word, '$')) AND l.superseded_at IS NULL
    WHERE w.place <= 100 AND (w.word ~ '^[$][A-Za-z]' OR w.word ~ '^[A-Z]{2,6}$' OR length(w.word) >= 5 AND lower(w.word) <> ALL (disclosed.ask_fillers() || disclosed.ask_form_words())
           AND NOT EXISTS (SELECT 1 FROM disclosed.metric_name m WHERE lower(w.word) = ANY (string_to_array(m.name, ' '))))
    UNION
    SELECT i.issuer_id, n.name, 6 - n.words
    FROM disclosed.name_candidates(body) n
    JOIN disclosed.issuer i ON disclosed.name_core(i.name) = n.name OR disclosed.plain_words(i.name) = n.name
    WHERE length(n.name) > 2 AND i.ticker IS NOT NULL;
END $$;
CREATE INDEX issuer_plain_name ON issuer (plain_words(name));

-- Words as they are spelled: one that is no word of questions, nor of a company, becomes the one that it has the letters of, or nearly so.
CREATE FUNCTION ask_spelled(body text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    known text[] := disclosed.ask_fillers() || disclosed.ask_form_words() || string_to_array('latest recent newest current trailing insiders holders dividend split interest', ' ')
        || ARRAY(SELECT DISTINCT w FROM disclosed.metric_name m CROSS JOIN string_to_table(m.name, ' ') w WHERE length(w) >= 4);
    given text;
    spelled text;
    words text[] := '{}';
BEGIN
    FOREACH given IN ARRAY string_to_array(body, ' ') LOOP
        spelled := NULL;
        IF length(given) >= 5 AND given !~ '[0-9]' AND given <> ALL (known)
           AND NOT EXISTS (SELECT 1 FROM disclosed.issuer i WHERE split_part(disclosed.name_core(i.name), ' ', 1) = given AND i.ticker IS NOT NULL) THEN
            SELECT k INTO spelled FROM unnest(known) k
            WHERE left(k, 1) = left(given, 1) AND length(k) BETWEEN length(given) - 1 AND length(given) + 1
              AND ((SELECT string_agg(c, '' ORDER BY c) FROM string_to_table(k, NULL) c) = (SELECT string_agg(c, '' ORDER BY c) FROM string_to_table(given, NULL) c)
                   OR public.similarity(k, given) >= 0.5)
            ORDER BY public.similarity(k, given) DESC, k LIMIT 1;
        END IF;
        words := words || coalesce(spelled, given);
    END LOOP;
    RETURN array_to_string(words, ' ');
END $$;

-- The company that a word stands for: the first word of its name, or nearly so.
CREATE FUNCTION ask_company_like(word text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    found bigint;
BEGIN
    IF length(word) < 4 OR word ~ '[0-9]' OR word = ANY (disclosed.ask_fillers() || disclosed.ask_form_words())
       OR EXISTS (SELECT 1 FROM disclosed.metric_name m WHERE word = ANY (string_to_array(m.name, ' '))) THEN
        RETURN NULL;
    END IF;
    SELECT CASE WHEN count(*) = 1 THEN min(i.issuer_id) END INTO found FROM disclosed.issuer i
    WHERE split_part(disclosed.name_core(i.name), ' ', 1) = word AND i.ticker IS NOT NULL;
    IF found IS NULL AND length(word) >= 5 AND NOT EXISTS (SELECT 1 FROM disclosed.chunk_word k WHERE k.word = ANY (tsvector_to_array(disclosed.search_words(ask_company_like.word)))) THEN
        SELECT i.issuer_id INTO found FROM disclosed.issuer i
        WHERE i.ticker IS NOT NULL AND word OPERATOR(public.<%) disclosed.name_core(i.name)
          AND public.similarity(word, split_part(disclosed.name_core(i.name), ' ', 1)) >= 0.45
        ORDER BY public.similarity(word, split_part(disclosed.name_core(i.name), ' ', 1)) DESC, i.ticker LIMIT 1;
    END IF;
    RETURN found;
END $$;

CREATE TYPE ask_reading AS (
    companies bigint[],     -- in the order of the question
    metrics text[],
    form text,              -- value, growth, comparison, ranking, list; a topic: executive, insider, ...; text; refused
    quarter integer, year integer, last_year integer, is_calendar boolean, is_latest boolean, is_ttm boolean, is_quarterly boolean, is_previous boolean,
    count integer,          -- of a list or ranking
    is_least boolean,
    role text,              -- of an executive; of an insider: sale or purchase
    rest text,              -- plain words that were not understood
    note text               -- why it is refused
);

-- Reads a question. `given` are companies that the request names beside it.
CREATE FUNCTION ask_read(question text, given bigint[]) RETURNS ask_reading LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off SET pg_trgm.word_similarity_threshold = 0.4 AS $$
DECLARE
    r disclosed.ask_reading;
    plain text := disclosed.plain_words(regexp_replace(regexp_replace(lower(question), '[''’]s\M', '', 'g'), '[''’]', '', 'g'));
    part text[];
    one record;
    word text;
BEGIN
    r.rest := plain;
    -- Companies, the longest names first; of one name, one company.
    FOR one IN SELECT DISTINCT ON (c.issuer_id) c.issuer_id, c.name, c.rank, position(c.name IN plain) AS place
               FROM disclosed.ask_companies(regexp_replace(question, '[''’]s\M', '', 'g')) c ORDER BY c.issuer_id, c.rank LOOP
        CONTINUE WHEN one.place = 0 OR one.name IN (SELECT n.name FROM disclosed.metric_name n);
        r.companies := array_append(r.companies, one.issuer_id);
        r.rest := disclosed.ask_without(r.rest, one.name);
    END LOOP;
    FOR one IN SELECT disclosed.plain_words(i.name) AS name FROM disclosed.issuer i WHERE i.issuer_id = ANY (r.companies || given) LOOP
        FOREACH word IN ARRAY string_to_array(one.name, ' ') LOOP -- the rest of their names
            r.rest := disclosed.ask_without(r.rest, word);
        END LOOP;
    END LOOP;

    r.rest := disclosed.ask_spelled(r.rest);

    -- Periods.
    part := regexp_match(r.rest, '\m(?:between|from) (?:fiscal |fy ?|calendar )*([12][0-9]{3}) (?:and|to|until|through) (?:fiscal |fy ?|calendar )*([12][0-9]{3})\M');
    IF part IS NOT NULL THEN
        r.year := part[1]; r.last_year := part[2]; r.count := 40;
        r.rest := regexp_replace(r.rest, '\m(?:between|from) (?:fiscal |fy ?|calendar )*[12][0-9]{3} (?:and|to|until|through) (?:fiscal |fy ?|calendar )*[12][0-9]{3}\M', ' ');
    END IF;
    r.is_calendar := r.rest ~ '\mcalendar\M';
    part := coalesce(regexp_match(r.rest, '\m([12][0-9]{3}) ?q([1-4])\M'), NULL);
    IF part IS NOT NULL THEN
        r.year := part[1]; r.quarter := part[2]; r.is_calendar := true;
        r.rest := regexp_replace(r.rest, '\m[12][0-9]{3} ?q[1-4]\M', ' ');
    END IF;
    part := regexp_match(r.rest, '\mq ?([1-4])(?: of)?(?: the)?(?: fiscal| calendar)?(?: year)? ?(?:fy)? ?([12][0-9]{3}|[0-9]{2})?\M');
    IF part IS NULL THEN
        part := regexp_match(r.rest, '\m(first|second|third|fourth|final|1st|2nd|3rd|4th) (?:fiscal |calendar )?quarter(?: of)?(?: the)?(?: fiscal| calendar)?(?: year)? ?(?:fy)? ?([12][0-9]{3}|[0-9]{2})?\M');
    END IF;
    IF part IS NOT NULL THEN
        r.quarter := disclosed.ask_ordinal(part[1]);
        r.year := coalesce(CASE WHEN length(part[2]) = 2 THEN 2000 + part[2]::integer ELSE part[2]::integer END, r.year);
        r.rest := regexp_replace(r.rest, '\m(?:q ?[1-4]|(?:first|second|third|fourth|final|1st|2nd|3rd|4th) (?:fiscal |calendar )?quarter)(?: of)?(?: the)?(?: fiscal| calendar)?(?: year)? ?(?:fy)? ?(?:[12][0-9]{3}|[0-9]{2})?\M', ' ');
    END IF;
    part := regexp_match(r.rest, '\m(?:fy|fiscal(?: year)?) ?([12][0-9]{3}|[0-9]{2})\M');
    IF part IS NULL THEN
        part := regexp_match(r.rest, '\m((?:19|20)[0-9]{2})\M');
    END IF;
    IF part IS NOT NULL THEN
        r.year := coalesce(r.year, CASE WHEN length(part[1]) = 2 THEN 2000 + part[1]::integer ELSE part[1]::integer END);
        r.rest := regexp_replace(r.rest, '\m(?:fy|fiscal(?: year)?) ?(?:[12][0-9]{3}|[0-9]{2})\M|\m(?:19|20)[0-9]{2}\M', ' ', 'g');
    END IF;
    r.is_ttm := r.rest ~ '\m(ttm|ltm|trailing|(last|past) (12|twelve|four quarters|4 quarters combined))\M';
    r.rest := regexp_replace(r.rest, '\m(ttm|ltm|trailing (12|twelve) months?|(last|past) (12|twelve) months?|trailing)\M', ' ', 'g');
    part := regexp_match(r.rest, '\m(?:last|past|previous|latest|recent) ([0-9]{1,2}|two|three|four|five|six|seven|eight|nine|ten) (?:fiscal |reported )?(quarter|year)s\M');
    IF part IS NOT NULL AND NOT r.is_ttm THEN
        r.count := disclosed.ask_count(part[1]); r.is_quarterly := part[2] = 'quarter'; r.form := 'list';
        r.rest := regexp_replace(r.rest, '\m(?:last|past|previous|latest|recent) (?:[0-9]{1,2}|two|three|four|five|six|seven|eight|nine|ten) (?:fiscal |reported )?(?:quarter|year)s\M', ' ');
    END IF;
    r.is_latest := r.rest ~ '\m(latest|most recent|recent|last|newest|current|currently|now|today|past)\M';
    r.is_quarterly := coalesce(r.is_quarterly, r.rest ~ '\m(quarter|quarterly|quarters)\M' AND r.quarter IS NULL AND r.rest !~ '\m(quarter on quarter|previous quarter|prior quarter)\M');
    r.rest := regexp_replace(r.rest, '\m(latest|most recent|recent|recently|newest|current|currently|now|today|past)\M', ' ', 'g');
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
        WHEN r.rest ~ '\mdividends?\M' AND r.rest ~ '\m(ex|pay|payment|record|declare|declared|ex dividend|next|last|when|date)\M' AND r.rest !~ 'dividends? paid' THEN ARRAY['dividend']
        WHEN r.rest ~ '\m(when|next|date|day|upcoming)\M' AND r.rest ~ '\m(earnings|results|report|call|annual meeting|agm|investor day|event)\M' THEN ARRAY['event'] END;
    IF part IS NOT NULL THEN
        r.form := part[1];
        r.role := CASE r.form
            WHEN 'executive' THEN (SELECT x.role FROM (VALUES ('ceo|chief executive', 'chief executive'), ('cfo|chief financial', 'chief financial'),
                ('coo|chief operating', 'chief operating'), ('chairman|chair', 'chair'), ('president', 'president'), ('general counsel', 'general counsel')) x(pattern, role)
                WHERE r.rest ~ ('\m(' || x.pattern || ')\M') LIMIT 1)
            WHEN 'insider' THEN CASE WHEN r.rest ~ '\m(sold|sell|selling|sales?|sells|disposed)\M' THEN 'sale' WHEN r.rest ~ '\m(bought|buy|buying|purchased?|purchases|acquired)\M' THEN 'purchase' END
            WHEN 'event' THEN CASE WHEN r.rest ~ '\m(agm|annual meeting)\M' THEN 'agm' WHEN r.rest ~ '\minvestor day\M' THEN 'investor_day' ELSE 'earnings' END END;
        r.is_previous := r.rest ~ '\m(last|previous|was|were|did|happened)\M' AND r.rest !~ '\m(next|will|upcoming)\M';
        r.rest := regexp_replace(r.rest, '\m(ceo|cfo|coo|chief|executive|financial|operating|officer|chairman|chair|president|general|counsel|name|whos|who|short|interest|position|sold|shorted|days?|cover|shares?|stock|insiders?|insider|form|4|directors?|officers?|and|holders?|institutions?|institutional|13f|shareholders?|owners?|owns?|own|biggest|largest|top|major|main|split|splits|dividends?|ex|pay|paid|payment|payments|record|declared?|next|last|previous|when|date|upcoming|earnings|results|report|reports|reporting|call|annual|meeting|agm|investor|event|sell|selling|sales?|sells|bought|buy|buying|purchased?|purchases|acquired|disposed|transactions?|trades?|traded|trading|happen|happens|happened|held|hold|scheduled|release|releases|announce|announced|run|runs|running|head|serving|serves|role|position|will|be)\M', ' ', 'g');
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
            r.rest := disclosed.ask_without(r.rest, one.name);
        END LOOP;
    END IF;

    -- Companies by one word of their names, in the order of the question.
    FOREACH word IN ARRAY string_to_array(r.rest, ' ') LOOP
        CONTINUE WHEN cardinality(r.companies) >= 4 OR r.form IS NOT NULL AND r.companies IS NOT NULL;
        one := NULL;
        SELECT disclosed.ask_company_like(word) AS issuer_id INTO one;
        CONTINUE WHEN one.issuer_id IS NULL;
        r.companies := CASE WHEN one.issuer_id = ANY (r.companies) THEN r.companies ELSE array_append(r.companies, one.issuer_id) END;
        r.rest := disclosed.ask_without(r.rest, word);
        SELECT array_to_string(ARRAY(SELECT w FROM string_to_table(r.rest, ' ') w WHERE w <> ALL (string_to_array(disclosed.plain_words(i.name), ' '))), ' ')
        INTO r.rest FROM disclosed.issuer i WHERE i.issuer_id = one.issuer_id;
    END LOOP;

    -- How it is asked.
    IF r.metrics IS NOT NULL OR r.form = 'list' THEN
        IF r.rest ~ '\m(highest|largest|biggest|most|greatest|top|best|lowest|smallest|least|worst|rank|ranking)\M' AND coalesce(cardinality(r.companies), 0) = 0 AND given IS NULL THEN
            r.form := 'ranking';
            r.is_least := r.rest ~ '\m(lowest|smallest|least|worst)\M';
            part := regexp_match(r.rest, '\mtop ([0-9]{1,2}|two|three|four|five|six|seven|eight|nine|ten)\M|\m(?:the )?([0-9]{1,2}|two|three|four|five|six|seven|eight|nine|ten) (?:companies|largest|biggest|highest|lowest|smallest)');
            r.count := coalesce(disclosed.ask_count(coalesce(part[1], part[2])), 1);
            r.rest := regexp_replace(r.rest, '\m(two|three|four|five|six|seven|eight|nine|ten|[0-9]{1,2})\M', ' ');
        ELSIF r.rest ~ '\m(grow|grew|grown|growth|increase|increased|decrease|decreased|decline|declined|change|changed|fall|fell|fallen|rise|rose|risen|drop|dropped|yoy|gain|gained|shrink|shrank|expand|expanded|grown|growing|rising|falling|year on year|year over year)\M' AND r.form IS DISTINCT FROM 'list' THEN
            r.form := 'growth';
            r.is_previous := r.rest ~ '\m(quarter over quarter|quarter on quarter|qoq|previous quarter|prior quarter|sequentially|sequential)\M';
        ELSIF coalesce(cardinality(r.companies), 0) > 1 OR cardinality(given) > 1 AND r.rest ~ '\m(compare|versus|vs|more|higher)\M' THEN
            r.form := 'comparison';
        ELSIF r.last_year IS NOT NULL OR r.form = 'list' OR r.rest ~ '\m(history|trend|each|every|series|by year|by quarter|over time|list|years|quarters)\M' THEN
            r.form := 'list';
            r.count := coalesce(r.count, 8);
            r.is_quarterly := r.is_quarterly OR r.rest ~ '\m(by quarter|each quarter|every quarter)\M';
        ELSE
            r.form := 'value';
        END IF;
    END IF;
    r.rest := array_to_string(ARRAY(SELECT w FROM string_to_table(r.rest, ' ') w
                                    WHERE w <> '' AND w <> ALL (disclosed.ask_fillers() || disclosed.ask_form_words())), ' ');

    -- Typing errors: what is left may be a company or a metric.
    IF r.rest <> '' AND r.metrics IS NULL AND r.form IS NULL THEN
        SELECT n.metric_key, c.name INTO one
        FROM disclosed.name_candidates(r.rest) c CROSS JOIN disclosed.metric_name n
        WHERE c.words <= 4 AND length(c.name) >= 5 AND public.similarity(c.name, n.name) >= 0.42
          AND length(n.name) BETWEEN length(c.name) - 3 AND length(c.name) + 3
        ORDER BY public.similarity(c.name, n.name) DESC, c.words DESC, n.name LIMIT 1;
        IF FOUND THEN
            r.metrics := ARRAY[one.metric_key]; r.form := 'value';
            r.rest := disclosed.ask_without(r.rest, one.name);
            IF plain ~ '\m(grow|grew|growth|increase|increased|change|changed|decline|declined|fall|fell|rise|rose)\M' THEN
                r.form := 'growth';
            ELSIF cardinality(r.companies) > 1 THEN
                r.form := 'comparison';
            END IF;
        END IF;
    END IF;
    r.companies := coalesce(r.companies, given);
    r.form := CASE WHEN r.rest <> '' THEN 'text' ELSE coalesce(r.form, 'text') END;
    IF r.form = 'text' THEN -- what is looked for in texts: all that is no name and says something
        r.rest := array_to_string(ARRAY(
            SELECT w FROM string_to_table(plain, ' ') w
            WHERE w <> '' AND w <> ALL (disclosed.ask_fillers() || string_to_array('mention mentions mentioned wrote write writes written talk talks talked discuss discussed discusses describe described saying text texts passage', ' '))
              AND w <> ALL (ARRAY(SELECT string_to_table(disclosed.plain_words(i.name), ' ') FROM disclosed.issuer i WHERE i.issuer_id = ANY (r.companies)))
              AND w <> ALL (ARRAY(SELECT lower(i.ticker) FROM disclosed.issuer i WHERE i.issuer_id = ANY (r.companies)))), ' ');
    END IF;
    RETURN r;
END $$;

-- ---------------------------------------------------------------- answers

-- A data point of an answer. `sentence` is the sentence's number, `body` its text on its first data point: "[1]" stands there for the
-- first of its data points. `printed` is what the sentence may say of it: each number and date as written there.
CREATE TYPE ask_line AS (sentence integer, body text, dataset text, src_id text, symbol text, metric_key text, period json, value numeric, unit text,
    source_url text, printed text[], confidence text);

CREATE FUNCTION ask_source_url(of_source integer, of_accession text, of_issuer bigint) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN s.by_filing THEN disclosed.filing_address(s.url, (SELECT i.cik FROM disclosed.issuer i WHERE i.issuer_id = of_issuer), of_accession, NULL) ELSE s.url END
    FROM disclosed.source s WHERE s.source_id = of_source
$$;

CREATE FUNCTION ask_src_id(dataset text, digest uuid) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT 'src_' || dataset || '_' || replace(digest::text, '-', '') $$;

CREATE FUNCTION ask_company(of_issuer bigint) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT i.name FROM disclosed.issuer i WHERE i.issuer_id = of_issuer $$;

-- The numbers of a metric that a reading means, the newest first. Without a period: the latest fiscal year, or quarter where
-- quarters are asked for or there are no years; of what is measured at an instant the latest one.
CREATE FUNCTION ask_numbers(r ask_reading, of_issuer bigint, of_metric text, years_back integer, instant timestamptz, since date, until date, most integer)
RETURNS SETOF metric_number LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    WITH number AS MATERIALIZED (
        SELECT n.* FROM disclosed.metric_number n
        WHERE n.issuer_id = of_issuer AND n.metric_key = of_metric AND n.period_kind IN ('instant', 'quarter', 'annual', 'ttm')
          AND CASE WHEN instant IS NULL THEN n.superseded_at IS NULL
                   ELSE n.known_at <= instant AND (n.superseded_at IS NULL OR n.superseded_at > instant) END
          AND (since IS NULL OR n.end_date >= since) AND (until IS NULL OR n.end_date <= until)),
    wanted AS (
        SELECT n.*, CASE WHEN n.basis = 'instant' THEN 'instant' WHEN r.is_ttm THEN 'ttm'
                         WHEN r.quarter IS NOT NULL OR r.is_quarterly THEN 'quarter'
                         WHEN r.year IS NULL AND r.form <> 'list' AND NOT EXISTS (SELECT 1 FROM number a WHERE a.period_kind = 'annual') THEN 'quarter'
                         ELSE 'annual' END AS kind,
               CASE WHEN r.is_calendar OR n.fiscal IS NULL THEN disclosed.calendar_period(n.start_date, n.end_date) END AS calendar
        FROM number n),
    fitting AS (
        SELECT DISTINCT ON (w.end_date, w.period_kind) w.*
        FROM wanted w
        WHERE w.period_kind = w.kind
          AND CASE
              WHEN r.last_year IS NOT NULL THEN coalesce(right(w.fiscal, 4), left(w.calendar, 4))::integer BETWEEN r.year AND r.last_year
                   AND (w.kind <> 'instant' OR coalesce(w.fiscal ~ '^(Q4|FY)', w.calendar ~ 'Q4'))
              WHEN r.year IS NULL AND r.quarter IS NULL THEN w.kind <> 'instant' OR r.form <> 'list' OR r.is_quarterly OR w.fiscal ~ '^(Q4|FY)'
              WHEN r.year IS NULL THEN left(w.fiscal, 2) = 'Q' || r.quarter
              WHEN r.is_calendar OR w.fiscal IS NULL THEN
                   w.calendar = (r.year - years_back) || CASE WHEN r.quarter IS NOT NULL THEN 'Q' || r.quarter WHEN w.kind = 'instant' THEN 'Q4' ELSE '' END
              WHEN r.quarter IS NOT NULL THEN w.fiscal = 'Q' || r.quarter || ' FY' || r.year - years_back
              WHEN w.kind = 'ttm' THEN false
              ELSE w.fiscal IN ('FY' || r.year - years_back, CASE WHEN w.kind = 'instant' THEN 'Q4 FY' || r.year - years_back
                                                                  WHEN w.kind = 'quarter' THEN right('FY' || r.year - years_back, 6) END)
                   OR w.kind = 'quarter' AND r.is_quarterly AND right(w.fiscal, 4) = (r.year - years_back)::text END
        ORDER BY w.end_date, w.period_kind, w.dataset, w.known_at DESC)
    SELECT f.dataset, f.issuer_id, f.metric_key, f.display, f.src_digest, f.source_id, f.accession, f.known_at, f.superseded_at, f.start_date, f.end_date,
           f.period_kind, f.fiscal, f.value, f.unit, f.is_percent, f.basis, f.is_suspect, f.is_derived
    FROM fitting f ORDER BY CASE WHEN r.year IS NOT NULL AND r.last_year IS NULL THEN f.fiscal IS NULL END, f.end_date DESC LIMIT most;
END $$;

-- A number as a data point: its words, and what may be said of it.
CREATE FUNCTION ask_point(n metric_number, sentence integer, body text, more text[]) RETURNS ask_line LANGUAGE sql STABLE AS $$
    SELECT ROW(sentence, body, n.dataset, disclosed.ask_src_id(n.dataset, n.src_digest), (SELECT i.symbol FROM disclosed.issuer i WHERE i.issuer_id = n.issuer_id),
               n.metric_key,
               json_build_object('calendar', CASE WHEN n.period_kind <> 'ttm' THEN disclosed.calendar_period(n.start_date, n.end_date) END, 'fiscal', n.fiscal,
                                 'start_date', n.start_date, 'end_date', n.end_date, 'kind', n.period_kind),
               n.value, n.unit, disclosed.ask_source_url(n.source_id, n.accession, n.issuer_id),
               more || ARRAY[disclosed.ask_number(n.value, n.unit, n.is_percent), disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date),
                             disclosed.ask_company(n.issuer_id), n.display],
               CASE WHEN n.is_suspect THEN 'low' WHEN n.is_derived THEN 'medium' ELSE 'high' END)::disclosed.ask_line
$$;

CREATE FUNCTION ask_said(n metric_number) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT disclosed.ask_number(n.value, n.unit, n.is_percent) $$;

-- Where there is nothing for the period: what there is.
CREATE FUNCTION ask_missing(of_issuer bigint, of_metric text, instant timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT disclosed.ask_company(of_issuer) || ' has no ' || lower(coalesce((SELECT m.display FROM disclosed.canonical_metric m WHERE m.metric_key = of_metric),
                                                                      replace(of_metric, '_', ' ')))
        || CASE WHEN count(*) = 0 THEN ' among the stored numbers.'
                ELSE ' for that period; numbers are stored of ' || min(n.end_date) || ' to ' || max(n.end_date) || '.' END
    FROM disclosed.metric_number n
    WHERE n.issuer_id = of_issuer AND n.metric_key = of_metric AND n.superseded_at IS NULL AND (instant IS NULL OR n.known_at <= instant)
$$;

-- What the stored numbers say. A row without a sentence says in `body` what is not found.
CREATE FUNCTION ask_metric_lines(r ask_reading, instant timestamptz, since date, until date) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE AS $$
DECLARE
    company bigint;
    metric text;
    n disclosed.metric_number;
    before disclosed.metric_number;
    best disclosed.metric_number;
    all_of disclosed.metric_number[];
    earlier disclosed.ask_reading;
    place integer := 0;
    said text;
    change numeric;
    one record;
BEGIN
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
                 ORDER BY CASE WHEN coalesce(r.is_least, false) THEN x.value ELSE -x.value END, x.issuer_id LIMIT r.count LOOP
            place := place + 1;
            RETURN NEXT disclosed.ask_point(n, place, CASE WHEN r.count > 1 THEN place || '. ' ELSE '' END || disclosed.ask_company(n.issuer_id)
                || CASE WHEN r.count = 1 THEN ' had the ' || CASE WHEN r.is_least THEN 'lowest ' ELSE 'highest ' END || lower(n.display) || ': ' ELSE ': ' END
                || disclosed.ask_said(n) || ' ' || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || ' [1]'
                || CASE WHEN r.count = 1 THEN ', of ' || cardinality(all_of) || ' companies with the number.' ELSE '.' END,
                ARRAY[place || '.', cardinality(all_of) || ' companies']);
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
        FOREACH company IN ARRAY r.companies[1:6] LOOP
            IF r.form = 'list' THEN
                SELECT array_agg(x ORDER BY x.end_date) INTO all_of
                FROM disclosed.ask_numbers(r, company, metric, 0, instant, since, until, least(coalesce(r.count, 8), 40)) x;
                IF all_of IS NULL THEN
                    RETURN NEXT ROW(NULL, disclosed.ask_missing(company, metric, instant), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                    CONTINUE;
                END IF;
                FOREACH n IN ARRAY all_of LOOP
                    place := place + 1;
                    RETURN NEXT disclosed.ask_point(n, place, disclosed.ask_company(company) || ', ' || lower(n.display) || ' '
                        || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || ': ' || disclosed.ask_said(n) || ' [1].', '{}');
                END LOOP;
                CONTINUE;
            END IF;
            SELECT x.* INTO n FROM disclosed.ask_numbers(r, company, metric, 0, instant, since, until, 1) x;
            IF n.value IS NULL THEN
                RETURN NEXT ROW(NULL, disclosed.ask_missing(company, metric, instant), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                CONTINUE;
            END IF;
            place := place + 1;
            said := disclosed.ask_company(company) || ' had ' || lower(n.display) || ' of ' || disclosed.ask_said(n) || ' '
                 || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || ' [1]';
            IF r.form = 'growth' THEN
                SELECT b.* INTO before FROM disclosed.metric_number b
                WHERE b.issuer_id = company AND b.metric_key = metric AND b.period_kind = n.period_kind AND b.unit = n.unit AND b.dataset = n.dataset
                  AND CASE WHEN instant IS NULL THEN b.superseded_at IS NULL ELSE b.known_at <= instant AND (b.superseded_at IS NULL OR b.superseded_at > instant) END
                  AND b.end_date BETWEEN n.end_date - CASE WHEN r.is_previous AND n.period_kind IN ('quarter', 'instant') THEN 100 ELSE 380 END
                                     AND n.end_date - CASE WHEN r.is_previous AND n.period_kind IN ('quarter', 'instant') THEN 80 ELSE 350 END
                ORDER BY b.known_at DESC LIMIT 1;
                IF before.value IS NULL THEN
                    RETURN NEXT ROW(NULL, 'There is no number of the period before to compare with: ' || disclosed.ask_missing(company, metric, instant),
                                    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                    CONTINUE;
                END IF;
                change := CASE WHEN before.value > 0 THEN round((n.value - before.value) / before.value * 100, 1) END;
                RETURN NEXT disclosed.ask_point(n, place, said || ', ' || CASE WHEN n.value = before.value THEN 'as much as '
                        WHEN change IS NOT NULL AND abs(change) >= 0.05 THEN CASE WHEN change > 0 THEN 'up ' ELSE 'down ' END || trim_scale(abs(change)) || '% from '
                        WHEN n.value > before.value THEN 'up from ' ELSE 'down from ' END
                    || disclosed.ask_said(before) || ' ' || disclosed.ask_period(before.period_kind, before.fiscal, before.start_date, before.end_date) || ' [2].',
                    ARRAY[trim_scale(abs(change)) || '%']);
                RETURN NEXT disclosed.ask_point(before, place, NULL, '{}');
                CONTINUE;
            END IF;
            RETURN NEXT disclosed.ask_point(n, place, said || '.', '{}');
            all_of := all_of || n;
        END LOOP;
        IF r.form = 'comparison' AND cardinality(all_of) > 1 THEN
            IF (SELECT count(DISTINCT x.unit) FROM unnest(all_of) x) > 1 THEN
                CONTINUE; -- currencies are not converted
            END IF;
            SELECT x.* INTO best FROM unnest(all_of) x ORDER BY x.value DESC LIMIT 1;
            SELECT x.* INTO before FROM unnest(all_of) x ORDER BY x.value LIMIT 1;
            place := place + 1;
            RETURN NEXT disclosed.ask_point(best, place, CASE WHEN best.value = before.value THEN 'They are the same [1][2].'
                ELSE 'The higher is that of ' || disclosed.ask_company(best.issuer_id) || ' [1], by ' || disclosed.ask_number(best.value - before.value, best.unit, best.is_percent)
                     || ' over that of ' || disclosed.ask_company(before.issuer_id) || ' [2].' END,
                ARRAY[disclosed.ask_number(best.value - before.value, best.unit, best.is_percent)]);
            RETURN NEXT disclosed.ask_point(before, place, NULL, '{}');
        END IF;
    END LOOP;
END $$;

-- What the stored records say about a topic of companies.
CREATE FUNCTION ask_topic_lines(r ask_reading, instant timestamptz) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE AS $$
DECLARE
    company bigint;
    place integer := 0;
    found integer;
    at_instant timestamptz := coalesce(instant, now());
    l record;
BEGIN
    IF coalesce(cardinality(r.companies), 0) = 0 THEN
        RETURN NEXT ROW(NULL, 'The question names no company that is known here.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        RETURN;
    END IF;
    FOREACH company IN ARRAY r.companies[1:4] LOOP
        found := place;
        FOR l IN
            SELECT x.* FROM (
                SELECT 'executive' AS dataset, t.src_digest, t.source_id, t.accession, t.reported_on AS day, NULL::numeric AS value, NULL::text AS unit, NULL::text AS metric_key,
                       t.name || ' is ' || t.role || ' of ' || disclosed.ask_company(company) || ', as reported on ' || disclosed.ask_day(t.reported_on) AS said,
                       ARRAY[t.name, t.role, disclosed.ask_day(t.reported_on)] AS printed, row_number() OVER (ORDER BY t.reported_on DESC, t.name) AS place, 2 AS most
                FROM disclosed.executive t
                WHERE r.form = 'executive' AND t.issuer_id = company AND t.is_current AND t.role ~* ('\m' || r.role)
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                UNION ALL
                SELECT 'short_interest', t.src_digest, t.source_id, t.accession, t.settlement_date, t.current_short_position, 'shares', 'short_interest',
                       'The short interest in ' || disclosed.ask_company(company) || ' was ' || to_char(t.current_short_position, 'FM999,999,999,990') || ' shares on '
                       || disclosed.ask_day(t.settlement_date) || coalesce(', ' || trim_scale(round(t.days_to_cover, 2)) || ' days to cover', ''),
                       ARRAY[to_char(t.current_short_position, 'FM999,999,999,990'), disclosed.ask_day(t.settlement_date), trim_scale(round(t.days_to_cover, 2)) || ' days'],
                       row_number() OVER (ORDER BY t.settlement_date DESC, t.symbol), 1
                FROM disclosed.short_interest t
                WHERE r.form = 'short_interest' AND t.issuer_id = company
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                UNION ALL
                SELECT 'insider', t.src_digest, t.source_id, t.accession, t.transaction_date, t.value, 'USD', 'insider_' || t.transaction_type,
                       t.insider_name || ' (' || coalesce(t.relationship, 'insider') || ') reported a ' || replace(t.transaction_type, '_', ' ') || ' of '
                       || rtrim(to_char(t.shares, 'FM999,999,999,990.99'), '.') || ' shares of ' || disclosed.ask_company(company) || ' on ' || disclosed.ask_day(t.transaction_date)
                       || coalesce(' at USD ' || trim_scale(round(t.price, 4)), ''),
                       ARRAY[t.insider_name, t.relationship, rtrim(to_char(t.shares, 'FM999,999,999,990.99'), '.'), disclosed.ask_day(t.transaction_date), 'USD ' || trim_scale(round(t.price, 4))],
                       row_number() OVER (ORDER BY t.transaction_date DESC, t.id DESC), 5
                FROM disclosed.insider_transaction t
                WHERE r.form = 'insider' AND t.issuer_id = company AND NOT t.is_derivative AND t.shares IS NOT NULL AND (r.role IS NULL OR t.transaction_type = r.role)
                  AND (r.year IS NULL OR extract(year FROM t.transaction_date) = r.year)
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                UNION ALL
                SELECT 'institution_holder', t.src_digest, t.source_id, t.accession, t.period_of_report, t.shares, 'shares', 'institution_shares',
                       disclosed.ask_company(t.issuer_id) || ' held ' || to_char(t.shares, 'FM999,999,999,990') || ' shares of ' || disclosed.ask_company(company) || ' on '
                       || disclosed.ask_day(t.period_of_report) || ', worth ' || disclosed.ask_number(t.value, 'USD', false),
                       ARRAY[to_char(t.shares, 'FM999,999,999,990'), disclosed.ask_day(t.period_of_report), disclosed.ask_number(t.value, 'USD', false), disclosed.ask_company(t.issuer_id)],
                       row_number() OVER (ORDER BY t.period_of_report DESC, t.value DESC, t.id), 5
                FROM disclosed.institution_holder t
                WHERE r.form = 'holder' AND t.company_id = company AND t.shares > 0
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                UNION ALL
                SELECT 'corporate_action', t.src_digest, t.source_id, t.accession, t.action_date, t.amount, t.currency || '_per_share', t.kind,
                       CASE t.kind WHEN 'split' THEN disclosed.ask_company(company) || ' had a stock split of ' || t.split_to || ' for ' || t.split_from || ' on ' || disclosed.ask_day(t.action_date)
                            ELSE disclosed.ask_company(company) || ' had a dividend' || coalesce(' of ' || t.currency || ' ' || trim_scale(t.amount) || ' per share', '') || ' with the ex-dividend date '
                                 || disclosed.ask_day(coalesce(t.ex_dividend_date, t.action_date)) || coalesce(', paid on ' || disclosed.ask_day(t.payment_date), '') END,
                       ARRAY[t.split_to || ' for ' || t.split_from, disclosed.ask_day(t.action_date), t.currency || ' ' || trim_scale(t.amount),
                             disclosed.ask_day(t.ex_dividend_date), disclosed.ask_day(t.payment_date)],
                       row_number() OVER (ORDER BY t.action_date DESC, t.id), 1
                FROM disclosed.corporate_action t
                WHERE r.form IN ('split', 'dividend') AND t.kind = r.form AND t.issuer_id = company AND (t.kind <> 'split' OR t.split_from > 0)
                  AND (r.year IS NULL OR extract(year FROM t.action_date) = r.year)
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                UNION ALL
                SELECT 'event', t.src_digest, t.source_id, t.accession, t.event_at::date, NULL, NULL, NULL,
                       CASE WHEN t.event_at > at_instant THEN 'The next ' ELSE 'The last ' END
                       || CASE t.type WHEN 'agm' THEN 'annual meeting' WHEN 'investor_day' THEN 'investor day' ELSE 'earnings date' END || ' of ' || disclosed.ask_company(company)
                       || coalesce(' (' || t.fiscal_period || ')', '') || CASE WHEN t.event_at > at_instant THEN ' is ' ELSE ' was ' END
                       || disclosed.ask_day((t.event_at AT TIME ZONE 'UTC')::date) || CASE WHEN t.date_status = 'estimated' THEN ', which is an estimate' ELSE '' END,
                       ARRAY[t.fiscal_period, disclosed.ask_day((t.event_at AT TIME ZONE 'UTC')::date)],
                       row_number() OVER (ORDER BY abs(extract(epoch FROM t.event_at - at_instant)), t.id), 1
                FROM disclosed.event t
                WHERE r.form = 'event' AND t.issuer_id = company AND t.type = r.role
                  AND (r.year IS NULL AND (t.event_at > at_instant) = NOT coalesce(r.is_previous OR r.is_latest AND false, false)
                       OR r.quarter IS NOT NULL AND t.fiscal_period = 'Q' || r.quarter || ' FY' || r.year
                       OR r.quarter IS NULL AND r.year IS NOT NULL AND extract(year FROM t.event_at) = r.year)
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END) x
            WHERE x.place <= x.most ORDER BY x.place
        LOOP
            place := place + 1;
            RETURN NEXT ROW(place, l.said || ' [1].', l.dataset, disclosed.ask_src_id(l.dataset, l.src_digest),
                            (SELECT i.symbol FROM disclosed.issuer i WHERE i.issuer_id = company), l.metric_key,
                            json_build_object('calendar', NULL, 'fiscal', NULL, 'start_date', NULL, 'end_date', l.day, 'kind', 'instant'), l.value,
                            CASE WHEN l.value IS NOT NULL THEN l.unit END, disclosed.ask_source_url(l.source_id, l.accession, company),
                            array_remove(l.printed || disclosed.ask_company(company), NULL), 'high')::disclosed.ask_line;
        END LOOP;
        IF place = found THEN
            RETURN NEXT ROW(NULL, 'Nothing of that kind is stored about ' || disclosed.ask_company(company) || '.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        END IF;
    END LOOP;
END $$;

-- The lines of an answer, behind the reading: a line whose `dataset` is "reading" and whose `body` is JSON.
CREATE FUNCTION ask(question text, given bigint[], since date, until date, instant timestamptz) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET jit = off AS $$
DECLARE
    r disclosed.ask_reading := disclosed.ask_read(question, given);
BEGIN
    RETURN NEXT ROW(NULL, to_json(r)::text, 'reading', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
    IF r.form = 'text' OR r.form = 'refused' THEN
        RETURN;
    ELSIF r.metrics IS NOT NULL THEN
        RETURN QUERY SELECT * FROM disclosed.ask_metric_lines(r, instant, since, until);
    ELSE
        RETURN QUERY SELECT * FROM disclosed.ask_topic_lines(r, instant);
    END IF;
END $$;

ANALYZE issuer;
