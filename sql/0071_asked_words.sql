-- A question costs what is understood of it: its first 64 words are read, the names of metrics once, and no more than 16 words are
-- held against the names of all companies. 250 words that nobody knows took seconds before.

SET LOCAL search_path = disclosed, public;

CREATE FUNCTION ask_metric_words() RETURNS text[] LANGUAGE sql STABLE AS
$$ SELECT coalesce(array_agg(DISTINCT w), '{}') FROM disclosed.metric_name m CROSS JOIN string_to_table(m.name, ' ') w $$;

DROP FUNCTION ask_companies(text);
DROP FUNCTION ask_spelled(text);
DROP FUNCTION ask_company_like(text);

-- Companies by name or ticker. `rank` is the less, the surer it is.
CREATE FUNCTION ask_companies(body text, of_metrics text[]) RETURNS TABLE (issuer_id bigint, name text, rank integer) LANGUAGE plpgsql STABLE AS $$
DECLARE
    understood CONSTANT text[] := disclosed.ask_fillers() || disclosed.ask_form_words() || of_metrics;
BEGIN
    RETURN QUERY
    SELECT l.issuer_id, lower(ltrim(w.word, '$')), 2
    FROM string_to_table(btrim(regexp_replace(body, '[^[:alnum:]$]+', ' ', 'g')), ' ') WITH ORDINALITY AS w(word, place)
    JOIN disclosed.listing l ON l.ticker = upper(ltrim(w.word, '$')) AND l.superseded_at IS NULL
    WHERE w.place <= 100 AND (w.word ~ '^[$][A-Za-z]' OR w.word ~ '^[A-Z]{2,6}$' OR length(w.word) >= 5 AND lower(w.word) <> ALL (understood))
    UNION
    SELECT i.issuer_id, n.name, 6 - n.words
    FROM disclosed.name_candidates(body) n
    JOIN disclosed.issuer i ON disclosed.name_core(i.name) = n.name OR disclosed.plain_words(i.name) = n.name
    WHERE length(n.name) > 2 AND i.ticker IS NOT NULL;
END $$;

-- Words as they are spelled: one that is no word of questions, nor of a company, becomes the one that it has the letters of, or nearly so.
CREATE FUNCTION ask_spelled(body text, of_metrics text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    known text[] := disclosed.ask_fillers() || disclosed.ask_form_words() || string_to_array('latest recent newest current trailing insiders holders dividend split interest', ' ')
        || ARRAY(SELECT w FROM unnest(of_metrics) w WHERE length(w) >= 4);
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

-- The company that a word stands for: the first word of its name, or, where `is_like`, nearly so.
CREATE FUNCTION ask_company_like(word text, is_like boolean) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    found bigint;
BEGIN
    SELECT CASE WHEN count(*) = 1 THEN min(i.issuer_id) END INTO found FROM disclosed.issuer i
    WHERE split_part(disclosed.name_core(i.name), ' ', 1) = word AND i.ticker IS NOT NULL;
    IF found IS NULL AND is_like AND length(word) >= 5 AND NOT EXISTS (SELECT 1 FROM disclosed.chunk_word k WHERE k.word = ANY (tsvector_to_array(disclosed.search_words(ask_company_like.word)))) THEN
        SELECT i.issuer_id INTO found FROM disclosed.issuer i
        WHERE i.ticker IS NOT NULL AND word OPERATOR(public.<%) disclosed.name_core(i.name)
          AND public.similarity(word, split_part(disclosed.name_core(i.name), ' ', 1)) >= 0.45
        ORDER BY public.similarity(word, split_part(disclosed.name_core(i.name), ' ', 1)) DESC, i.ticker LIMIT 1;
    END IF;
    RETURN found;
END $$;

CREATE OR REPLACE FUNCTION ask_read(question text, given bigint[]) RETURNS ask_reading LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off SET pg_trgm.word_similarity_threshold = 0.4 AS $$
DECLARE
    r disclosed.ask_reading;
    plain text := disclosed.plain_words(regexp_replace(regexp_replace(lower(question), '[''’]s\M', '', 'g'), '[''’]', '', 'g'));
    -- Of more words than these no question is read: the others are not understood, and it is looked for in texts.
    asked text[] := (string_to_array(plain, ' '))[1:65];
    is_long boolean := cardinality(asked) > 64;
    of_metrics text[] := disclosed.ask_metric_words();
    unlike integer := 0; -- words that were held against all names
    part text[];
    one record;
    word text;
BEGIN
    plain := array_to_string(asked[1:64], ' ');
    r.rest := plain;
    -- Companies, the longest names first; of one name, one company.
    FOR one IN SELECT DISTINCT ON (c.issuer_id) c.issuer_id, c.name, c.rank, position(c.name IN plain) AS place
               FROM disclosed.ask_companies(regexp_replace(question, '[''’]s\M', '', 'g'), of_metrics) c ORDER BY c.issuer_id, c.rank LOOP
        CONTINUE WHEN one.place = 0 OR one.name IN (SELECT n.name FROM disclosed.metric_name n);
        r.companies := array_append(r.companies, one.issuer_id);
        r.rest := disclosed.ask_without(r.rest, one.name);
    END LOOP;
    FOR one IN SELECT disclosed.plain_words(i.name) AS name FROM disclosed.issuer i WHERE i.issuer_id = ANY (r.companies || given) LOOP
        FOREACH word IN ARRAY string_to_array(one.name, ' ') LOOP -- the rest of their names
            r.rest := disclosed.ask_without(r.rest, word);
        END LOOP;
    END LOOP;

    r.rest := disclosed.ask_spelled(r.rest, of_metrics);

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
        CONTINUE WHEN length(word) < 4 OR word ~ '[0-9]' OR word = ANY (disclosed.ask_fillers() || disclosed.ask_form_words()) OR word = ANY (of_metrics);
        one := NULL;
        SELECT disclosed.ask_company_like(word, unlike < 16) AS issuer_id INTO one;
        unlike := unlike + 1;
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

    -- Typing errors: what is left may be a metric, where it is no more than the words of one.
    IF r.rest <> '' AND r.metrics IS NULL AND r.form IS NULL AND cardinality(string_to_array(r.rest, ' ')) <= 8 THEN
        SELECT n.metric_key, c.name INTO one
        FROM disclosed.name_candidates(r.rest) c CROSS JOIN disclosed.metric_name n
        WHERE c.words <= 4 AND length(c.name) >= 5 AND length(n.name) BETWEEN length(c.name) - 3 AND length(c.name) + 3
          AND public.similarity(c.name, n.name) >= 0.42
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
    r.form := CASE WHEN r.rest <> '' OR is_long THEN 'text' ELSE coalesce(r.form, 'text') END;
    IF r.form = 'text' THEN -- what is looked for in texts: all that is no name and says something
        r.rest := array_to_string(ARRAY(
            SELECT w FROM string_to_table(plain, ' ') w
            WHERE w <> '' AND w <> ALL (disclosed.ask_fillers() || string_to_array('mention mentions mentioned wrote write writes written talk talks talked discuss discussed discusses describe described saying text texts passage', ' '))
              AND w <> ALL (ARRAY(SELECT string_to_table(disclosed.plain_words(i.name), ' ') FROM disclosed.issuer i WHERE i.issuer_id = ANY (r.companies)))
              AND w <> ALL (ARRAY(SELECT lower(i.ticker) FROM disclosed.issuer i WHERE i.issuer_id = ANY (r.companies)))), ' ');
    END IF;
    RETURN r;
END $$;
