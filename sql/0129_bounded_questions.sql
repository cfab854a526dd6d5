-- No question takes long, whatever its words are, and a search finds a company by a name that it had before.

SET LOCAL search_path = disclosed, public;

-- Companies by a name that they had before, which no listed company has now: one that several had names none.
CREATE FUNCTION formerly_named(body text) RETURNS TABLE (issuer_id bigint, name text, rank integer) LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT min(f.issuer_id), n.name, 6 - n.words
    FROM disclosed.name_candidates(body) n
    JOIN disclosed.issuer_name f ON f.words = upper(n.name)
    JOIN disclosed.issuer i ON i.issuer_id = f.issuer_id AND i.ticker IS NOT NULL
    WHERE n.words < 4 AND length(n.name) > 3
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer o WHERE disclosed.name_core(o.name) = n.name AND o.ticker IS NOT NULL)
    GROUP BY n.name, n.words HAVING count(DISTINCT f.issuer_id) = 1;
END $$;

-- Companies of a question, by name or ticker. `rank` is the less, the surer it is. One that is called by the first word of its name, with a capital letter, is
-- meant if that word is its ticker, too: Meta. Two letters that are one company's ticker and another's name mean neither, nor do initials of several.
CREATE OR REPLACE FUNCTION ask_companies(body text, of_metrics text[]) RETURNS TABLE (issuer_id bigint, name text, rank integer) LANGUAGE plpgsql STABLE AS $$
DECLARE
    understood CONSTANT text[] := disclosed.ask_fillers() || disclosed.ask_form_words() || of_metrics;
    words CONSTANT text[] := (string_to_array(btrim(regexp_replace(body, '[^[:alnum:]$]+', ' ', 'g')), ' '))[:100];
BEGIN
    RETURN QUERY
    WITH candidate AS MATERIALIZED (SELECT * FROM disclosed.name_candidates(body)), -- once for each
    said AS MATERIALIZED (SELECT DISTINCT w AS word FROM unnest(words) w)
    SELECT l.issuer_id, lower(ltrim(w.word, '$')), 2
    FROM said w
    JOIN disclosed.listing l ON l.ticker = upper(ltrim(w.word, '$')) AND l.superseded_at IS NULL
    WHERE w.word ~ '^[$][A-Za-z]'
       OR (w.word ~ '^[A-Z]{2,6}$' OR length(w.word) >= 5 AND lower(w.word) <> ALL (understood)) AND disclosed.ask_two_companies(w.word) IS NULL
    UNION
    SELECT i.issuer_id, n.name, 6 - n.words
    FROM candidate n
    JOIN disclosed.issuer i ON disclosed.name_core(i.name) = n.name OR disclosed.plain_words(i.name) = n.name
    WHERE (length(n.name) > 2 OR n.name ~ '^(?!fy|[qh][1-4]|[1-4][qh])([a-z][a-z0-9]|[0-9][a-z])$' AND body ~ ('\m' || upper(n.name) || '\M')) AND i.ticker IS NOT NULL
      AND (length(n.name) > 2 OR disclosed.ask_two_companies(upper(n.name)) IS NULL)
    UNION
    SELECT i.issuer_id, lower(w.word), 5
    FROM said w
    JOIN disclosed.listing l ON l.ticker = upper(w.word) AND l.superseded_at IS NULL
    JOIN disclosed.issuer i ON i.issuer_id = l.issuer_id AND i.ticker = l.ticker
    WHERE w.word ~ '^[A-Z][a-z]{2,5}$' AND split_part(disclosed.name_core(i.name), ' ', 1) = lower(w.word)
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer o WHERE disclosed.name_core(o.name) = lower(w.word) AND o.ticker IS NOT NULL)
    UNION
    SELECT i.issuer_id, n.name, 6 - n.words -- "&" in words
    FROM candidate n
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
    SELECT f.issuer_id, f.name, f.rank FROM disclosed.formerly_named(body) f;
END $$;

-- The companies with texts that a search names: by ticker, in capitals or behind "$"; by name; by the first word of a name that no more than three of
-- them have; or by a name of before. `name` is what stands in the text, as plain words; `rank` is the less, the surer it is.
CREATE OR REPLACE FUNCTION companies_named(body text) RETURNS TABLE (issuer_id bigint, name text, rank integer) LANGUAGE plpgsql STABLE AS $$
DECLARE
    word CONSTANT text[] := (string_to_array(disclosed.plain_words(body), ' '))[1:100];
    names text[] := '{}';
    i integer;
BEGIN
    IF body ~ '[$A-Z]' THEN
        RETURN QUERY
        SELECT DISTINCT l.issuer_id, lower(ltrim(w.word, '$')), 2
        FROM string_to_table(btrim(regexp_replace(body, '[^[:alnum:]$]+', ' ', 'g')), ' ') WITH ORDINALITY AS w(word, place)
        JOIN disclosed.listing l ON l.ticker = ltrim(w.word, '$') AND l.superseded_at IS NULL
        WHERE w.place <= 100 AND (w.word ~ '^[$][A-Z]' OR w.word ~ '^[A-Z]{2,6}$' AND (body ~ '[a-z]' OR body !~ ' ')) AND disclosed.has_chunks(l.issuer_id);
    END IF;
    IF cardinality(word) > 0 AND EXISTS (SELECT 1 FROM disclosed.issuer i WHERE split_part(disclosed.name_core(i.name), ' ', 1) = ANY (word)) THEN
        RETURN QUERY
        SELECT DISTINCT i.issuer_id, n.name, 6 - n.words
        FROM disclosed.name_candidates(body) n
        JOIN disclosed.issuer i ON disclosed.name_core(i.name) = n.name
        WHERE length(n.name) > 2 AND disclosed.has_chunks(i.issuer_id)
        UNION
        SELECT f.issuer_id, f.name, 10
        FROM (SELECT i.issuer_id, n.name, count(*) OVER (PARTITION BY n.name) AS companies
              FROM disclosed.name_candidates(body) n
              JOIN disclosed.issuer i ON split_part(disclosed.name_core(i.name), ' ', 1) = n.name
              WHERE n.words = 1 AND length(n.name) > 3 AND n.name !~ '^[0-9]' AND disclosed.has_chunks(i.issuer_id)) f
        WHERE f.companies <= 3;
    END IF;
    RETURN QUERY SELECT f.issuer_id, f.name, f.rank FROM disclosed.formerly_named(body) f WHERE disclosed.has_chunks(f.issuer_id);
END $$;

DROP FUNCTION ask_of_part(text, bigint[], text); -- asked for by ask_read() alone
-- Whether a company's name stands in the name of a part of another company, which a question has: "part" in a longer one or all of it, "either" if it
-- is all of it and something is compared. `keys` are those of the parts of all companies that the question names, `owners` whose they are.
CREATE FUNCTION ask_of_part(name text, of_issuer bigint, owners bigint[], keys text[], body text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    own CONSTANT text := disclosed.ask_part_key(name);
BEGIN
    RETURN (SELECT max(CASE WHEN m.part = own AND body ~ '\m(and|or|versus|vs|against|compared?|comparison|than|with)\M' THEN 'either' ELSE 'part' END)
            FROM (SELECT DISTINCT p.key AS part FROM unnest(owners, keys) AS p(owner, key) WHERE p.owner <> of_issuer AND strpos(' ' || p.key || ' ', ' ' || own || ' ') > 0) m
            WHERE body ~ disclosed.ask_part_pattern(m.part));
END $$;

-- Words as they are spelled: one that is no word of questions, nor of a company, becomes the one that it has the letters of, or nearly so;
-- nearly so is not enough for a word that says nothing, since the one given may say something. Each is looked at once.
CREATE OR REPLACE FUNCTION ask_spelled(body text, of_metrics text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    fillers CONSTANT text[] := disclosed.ask_fillers();
    known text[] := fillers || disclosed.ask_qualifiers() || disclosed.ask_form_words() || string_to_array('latest recent newest current trailing insiders holders dividend split interest', ' ')
        || ARRAY(SELECT w FROM unnest(of_metrics) w WHERE length(w) >= 4);
    given text;
    spelled text;
    letters text; -- of the word, in order
    tried text[] := '{}'; -- words, and how they are spelled
    spellings text[] := '{}';
    words text[] := '{}';
BEGIN
    FOREACH given IN ARRAY string_to_array(body, ' ') LOOP
        IF given <> ALL (tried) THEN
            spelled := NULL;
            IF length(given) >= 5 AND given !~ '[0-9]' AND given <> ALL (known)
               AND NOT EXISTS (SELECT 1 FROM disclosed.issuer i WHERE split_part(disclosed.name_core(i.name), ' ', 1) = given AND i.ticker IS NOT NULL) THEN
                letters := (SELECT string_agg(c, '' ORDER BY c) FROM string_to_table(given, NULL) c);
                SELECT k INTO spelled FROM unnest(known) k
                WHERE left(k, 1) = left(given, 1) AND length(k) BETWEEN length(given) - 1 AND length(given) + 1
                  AND ((SELECT string_agg(c, '' ORDER BY c) FROM string_to_table(k, NULL) c) = letters
                       OR (k <> ALL (fillers) OR k IN ('quarter', 'quarterly', 'calendar', 'fiscal')) AND public.similarity(k, given) >= 0.5)
                ORDER BY public.similarity(k, given) DESC, k LIMIT 1;
            END IF;
            tried := tried || given;
            spellings := spellings || coalesce(spelled, given);
        END IF;
        words := words || spellings[array_position(tried, given)];
    END LOOP;
    RETURN array_to_string(words, ' ');
END $$;

-- The reading of a question. Parts of the companies that it names are read once, and words are held against names of about their length alone: so its
-- cost grows with neither the square of the companies nor the length of a word.
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
    met text; -- the name by which a metric was found first
    latest text;
    unused text; -- what the answer would not use
    whole bigint; -- the company whose parts are looked for
    several text; -- parts
    owners bigint[]; -- companies that are named, of whom the parts with these keys are
    keys text[];
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
        IF one.issuer_id IS NOT NULL AND cardinality(array_remove(one.others, NULL)) > 0 THEN
            IF owners IS NULL THEN -- once for all of them
                SELECT coalesce(array_agg(c), '{}'), array_agg(m.key) INTO owners, keys
                FROM (SELECT DISTINCT n FROM unnest(array_remove(one.others, NULL) || one.issuer_id) n) AS d(c) CROSS JOIN disclosed.ask_members(c) m;
            END IF;
            word := disclosed.ask_of_part(one.name, one.issuer_id, owners, keys, plain);
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
            CONTINUE WHEN position(' ' || one.name || ' ' IN ' ' || r.rest || ' ') = 0 OR one.name IN ('total', 'sell') AND r.metrics IS NOT NULL;
            IF one.metric_key = ANY (coalesce(r.metrics, '{}')) THEN -- one of them in parentheses is another name of it: return on equity (ROE)
                met := replace(metric_names[array_position(r.metrics, one.metric_key)], ' ', '[^[:alnum:]]+');
                word := replace(one.name, ' ', '[^[:alnum:]]+');
                IF lower(told) ~ format('\m(%1$s\s*\(\s*%2$s|%2$s\s*\(\s*%1$s)\s*\)', met, word) THEN
                    r.rest := disclosed.ask_without(r.rest, one.name);
                END IF;
                CONTINUE;
            END IF;
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
        WHERE c.words <= 4 AND length(c.name) >= 5
          AND CASE WHEN length(n.name) BETWEEN length(c.name) - 3 AND length(c.name) + 3 THEN public.similarity(c.name, n.name) >= 0.42 END -- first the lengths
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
