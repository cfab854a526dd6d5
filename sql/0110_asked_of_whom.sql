-- Questions: names of companies that contain others', numbers of before a split, words that make another number of a metric.

SET LOCAL search_path = disclosed, public;

-- A number as an answer has it: USD 320.51 million, 12.3%, 1,234 shares.
CREATE OR REPLACE FUNCTION ask_number(value numeric, unit text, is_percent boolean) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN is_percent THEN trim_scale(round(value * 100, 1)) || '%'
        WHEN unit = 'pure' THEN trim_scale(round(value, 2))::text
        WHEN unit ~ '_per_share$' THEN replace(unit, '_per_share', '') || ' ' || trim_scale(round(value, 4)) || ' per share'
        WHEN unit ~ '^[A-Z]{3}$' THEN unit || ' ' || CASE
            WHEN abs(value) >= 1e9 THEN trim_scale(round(value / 1e9, 2)) || ' billion'
            WHEN abs(value) >= 1e6 THEN trim_scale(round(value / 1e6, 2)) || ' million'
            ELSE rtrim(to_char(trim_scale(round(value, 2)), 'FM999,999,999,990.99'), '.') END
        ELSE CASE WHEN abs(value) >= 1e9 THEN trim_scale(round(value / 1e9, 3)) || ' billion'
                  WHEN abs(value) >= 1e6 THEN trim_scale(round(value / 1e6, 3)) || ' million'
                  ELSE rtrim(to_char(value, 'FM999,999,999,990.99'), '.') END
             || CASE WHEN unit IS NULL OR unit IN ('count', 'percent') THEN CASE unit WHEN 'percent' THEN '%' ELSE '' END ELSE ' ' || replace(unit, '_', ' ') END END
$$;

-- Words of a topic, which its answer uses.
CREATE OR REPLACE FUNCTION ask_topic_words(topic text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_to_array(CASE topic
        WHEN 'executive' THEN 'ceo cfo coo chief executive financial operating officer chairman chair president general counsel whos run runs running head serving serves role position current'
        WHEN 'short_interest' THEN 'short interest position sold shorted days cover shares share stock current day'
        WHEN 'insider' THEN 'insiders insider directors officers shares share stock sold sell selling sale sales sells bought buy buying purchase purchased purchases acquired disposed '
            || 'transaction transactions trade trades traded trading recent'
        WHEN 'holder' THEN 'holder holders institution institutions institutional 13f shareholder shareholders owner owners own owns shares share stock biggest largest top major main held hold holds position current'
        WHEN 'split' THEN 'stock split splits share shares when date happen happened'
        WHEN 'dividend' THEN 'dividend dividends ex pay paid payment payments declare declared stock share shares when date day'
        WHEN 'event' THEN 'earnings reports reporting call annual meeting agm investor day event next previous upcoming when date scheduled release releases happen happens happened held hold will quarterly'
        END, ' ')
$$;

-- The first word of a question that its answer would not use, with what is left of it behind companies, metrics and periods ("@").
CREATE OR REPLACE FUNCTION ask_unused(r ask_reading, body text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    is_topic boolean := r.metrics IS NULL AND r.form <> 'list';
    named integer := coalesce(cardinality(r.companies), 0);
    is_compared boolean := named > 1 OR cardinality(r.metrics) > 1 OR r.years IS NOT NULL;
    used text[] := '{@}';
    unused text;
    part text[];
BEGIN
    -- A bound beside a period. "Growth over 2023" is not that of 2023.
    part := regexp_match(body, '\m((?:prior |up |earlier |later |more |less |higher |lower |greater )?(?:from|to|through|thru|by|around|about|past|than' || CASE r.form WHEN 'growth' THEN '|over|on|with' ELSE '' END
                               || ')) (?:the |fiscal |calendar |year |fy |q[1-4] )*(?:@|end of @|start of @)|@ (?:and )?(to|through|thru|until|till|on)(?= |$)(?! (?:a|the|which|what) )');
    IF part IS NOT NULL AND NOT (part[1] = 'by' AND body ~ '\mby (the )?(year )?end of @' AND NOT is_topic) THEN
        RETURN coalesce(part[1], part[2]);
    END IF;
    IF is_topic THEN
        used := used || CASE WHEN r.form = 'event' THEN '{quarter,fiscal}'::text[] ELSE '{}' END;
        part := regexp_match(body, CASE r.form WHEN 'executive' THEN '\m(was|were|did|had|last|years?|until)\M' WHEN 'insider' THEN '\m(many|much|total|largest|biggest)\M|\mlast (year|quarter)\M'
                                               WHEN 'holder' THEN '\m(many|much)\M' WHEN 'dividend' THEN '\m(many|total)\M' WHEN 'split' THEN '\m(many)\M' ELSE '\m(total)\M' END);
        IF part IS NOT NULL THEN
            RETURN coalesce(part[1], 'last');
        ELSIF r.years IS NOT NULL OR r.last_year IS NOT NULL OR r.year IS NOT NULL AND r.form = 'executive' THEN
            RETURN coalesce(r.years[2], r.last_year, r.year)::text;
        ELSIF r.quarter IS NOT NULL AND (r.form <> 'event' OR r.year IS NULL OR r.is_calendar) THEN
            RETURN 'Q' || r.quarter;
        ELSIF r.is_ttm OR r.is_calendar OR r.count IS NOT NULL THEN
            RETURN CASE WHEN r.is_ttm THEN 'trailing' WHEN r.is_calendar THEN 'calendar' ELSE r.count::text END;
        END IF;
        RETURN (SELECT w.word FROM string_to_table(body, ' ') WITH ORDINALITY AS w(word, place)
                WHERE w.word <> ALL (used) AND (w.word = ANY (disclosed.ask_qualifiers() || disclosed.ask_form_words())
                                                OR w.word IN ('year', 'quarter', 'period', 'fiscal', 'annual', 'annually', 'yearly', 'quarterly'))
                ORDER BY w.place LIMIT 1);
    END IF;
    -- Numbers of what is measured in money, and money of what is counted.
    part := regexp_match(body, '\m(?:how (many)|(numbers?|counts?) of|(values?|worth))\M');
    IF part IS NOT NULL THEN
        IF EXISTS (SELECT 1 FROM disclosed.canonical_metric m WHERE m.metric_key = ANY (r.metrics) AND (m.unit IN ('shares', 'count')) = (part[3] IS NOT NULL)) THEN
            RETURN coalesce(part[1], part[2], part[3]);
        END IF;
    END IF;
    used := used || CASE r.form
        WHEN 'growth' THEN string_to_array('grow grew grown grows growth increase increased decrease decreased decline declined change changed fall fell rise rose drop dropped yoy qoq gain gained '
            || 'shrink shrank expand expanded risen fallen rising falling growing shrinking declining increasing decreasing quick quickly slow slowly strongly pace '
            || 'sequentially sequential percent percentage rate fast faster over up compared compare comparison versus vs against than same more less higher lower', ' ')
        WHEN 'ranking' THEN string_to_array('rank ranking ranked ' || CASE WHEN r.is_least THEN 'lowest smallest least worst' ELSE 'highest largest biggest most greatest top best' END, ' ')
        WHEN 'list' THEN string_to_array('history trend series time each every over years quarters change changed develop developed development evolve evolved moved went perform performed performance '
            || CASE WHEN is_compared THEN 'compared compare comparison versus vs against' ELSE '' END, ' ')
            || ARRAY(SELECT w FROM string_to_table('two three four five six seven eight nine ten', ' ') w WHERE disclosed.ask_count(w) = r.count)
        WHEN 'comparison' THEN string_to_array('compared compare comparison versus vs against more less higher lower greater smaller bigger better larger than '
            || CASE WHEN r.year IS NOT NULL OR r.is_ttm THEN 'highest largest biggest most greatest best lowest smallest least worst' ELSE '' END, ' ')
        ELSE CASE WHEN is_compared THEN string_to_array('compared compare comparison versus vs against', ' ') ELSE '{}' END
             || CASE WHEN r.is_ttm THEN '{over}'::text[] ELSE '{}' END
             || CASE WHEN EXISTS (SELECT 1 FROM disclosed.canonical_metric m WHERE m.metric_key = ANY (r.metrics) AND m.unit = 'ratio') THEN '{percent,percentage,rate}'::text[] ELSE '{}' END
        END;
    unused := (SELECT w.word FROM string_to_table(body, ' ') WITH ORDINALITY AS w(word, place)
               WHERE w.word <> ALL (used) AND w.word = ANY (disclosed.ask_qualifiers() || disclosed.ask_form_words())
               ORDER BY w.place LIMIT 1);
    IF unused IS NOT NULL THEN
        RETURN unused;
    END IF;
    -- "Reported in 2023 for 2022" is one year's value, as another year had it.
    IF r.years IS NOT NULL AND body ~ '\m(reported|announced|published|disclosed|posted) in @' THEN
        RETURN (regexp_match(body, '\m(reported|announced|published|disclosed|posted) in @'))[1];
    ELSIF r.years IS NOT NULL AND (r.form <> 'list' OR named > 1 OR r.quarter IS NOT NULL OR r.last_year IS NOT NULL) THEN
        RETURN r.years[2];
    ELSIF r.last_year IS NOT NULL AND (r.quarter IS NOT NULL OR r.form NOT IN ('list', 'growth') OR r.form = 'growth' AND (r.is_quarterly OR r.is_previous OR r.last_year <= r.year)) THEN
        RETURN r.last_year;
    ELSIF r.is_ttm AND (r.year IS NOT NULL OR r.quarter IS NOT NULL OR r.is_quarterly OR r.form = 'list'
                        OR EXISTS (SELECT 1 FROM disclosed.canonical_metric m WHERE m.metric_key = ANY (r.metrics) AND m.basis = 'instant')) THEN
        RETURN 'trailing';
    ELSIF r.is_calendar AND r.year IS NULL THEN
        RETURN 'calendar';
    ELSIF cardinality(r.metrics) > (CASE r.form WHEN 'ranking' THEN 1 ELSE 3 END) THEN
        RETURN replace(r.metrics[cardinality(r.metrics)], '_', ' ');
    ELSIF named > 6 THEN
        RETURN disclosed.ask_company(r.companies[7]);
    ELSIF r.quarter IS NOT NULL OR r.is_quarterly OR r.is_ttm THEN
        part := regexp_match(body, '\m(annual|annually|yearly)\M');
        IF part IS NOT NULL THEN
            RETURN part[1];
        END IF;
    END IF;
    -- Several quarters may be meant, and one would be taken.
    IF r.is_quarterly AND r.form <> 'list' AND (r.year IS NOT NULL OR r.form = 'ranking') AND NOT r.is_latest OR r.is_previous AND r.year IS NOT NULL AND r.quarter IS NULL THEN
        RETURN coalesce((regexp_match(body, '\m(quarter\w*)\M'))[1], 'quarter');
    END IF;
    IF r.form = 'list' AND r.year IS NOT NULL AND r.last_year IS NULL AND r.years IS NULL AND NOT r.is_quarterly THEN -- of one year there is one
        RETURN coalesce((regexp_match(body, '\m(history|trend|each|every|series|years|quarters|time)\M'))[1], r.count::text || ' periods', r.year::text);
    ELSIF r.count IS NOT NULL AND r.form = 'list' AND (r.quarter IS NOT NULL AND r.is_quarterly OR r.year IS NOT NULL AND r.last_year IS NULL AND r.years IS NULL AND NOT r.is_quarterly) THEN
        RETURN r.count::text || ' periods';
    ELSIF r.form IN ('list', 'comparison') AND body ~ '\mtotal\M' THEN
        RETURN 'total';
    ELSIF r.year IS NOT NULL AND r.is_latest AND NOT r.is_quarterly AND r.form <> 'list' THEN
        RETURN 'latest';
    END IF;
    RETURN NULL;
END $$;

-- The company that a word stands for: the first word of its name, or, where `is_like`, nearly so, if of no other is it as near. What several names
-- begin with is no typing error.
CREATE OR REPLACE FUNCTION ask_company_like(word text, is_like boolean) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    found bigint;
    nearest numeric[];
BEGIN
    SELECT CASE WHEN count(*) = 1 THEN min(i.issuer_id) END INTO found FROM disclosed.issuer i
    WHERE split_part(disclosed.name_core(i.name), ' ', 1) = word AND i.ticker IS NOT NULL;
    IF found IS NULL AND is_like AND length(word) >= 5 AND NOT EXISTS (SELECT 1 FROM disclosed.chunk_word k WHERE k.word = ANY (tsvector_to_array(disclosed.search_words(ask_company_like.word)))) THEN
        SELECT (array_agg(n.issuer_id ORDER BY n.near DESC, n.ticker))[1], array_agg(n.near ORDER BY n.near DESC) INTO found, nearest
        FROM (SELECT DISTINCT ON (split_part(disclosed.name_core(i.name), ' ', 1)) i.issuer_id, i.ticker, public.similarity(word, split_part(disclosed.name_core(i.name), ' ', 1)) AS near
              FROM disclosed.issuer i WHERE i.ticker IS NOT NULL AND word OPERATOR(public.<%) disclosed.name_core(i.name)
              ORDER BY split_part(disclosed.name_core(i.name), ' ', 1), i.ticker) n
        WHERE n.near >= 0.45;
        IF nearest[1] - nearest[2] < 0.1
           OR (SELECT count(DISTINCT split_part(disclosed.name_core(i.name), ' ', 1)) FROM disclosed.issuer i
               WHERE disclosed.name_core(i.name) LIKE word || '%' AND i.ticker IS NOT NULL) > 1 THEN
            found := NULL;
        END IF;
    END IF;
    RETURN found;
END $$;

-- Companies whose names begin with words of the question, two at least, where one company's do and none has that name: Apple Hospitality. The last of them says nothing else.
CREATE FUNCTION ask_longer_names(body text, of_metrics text[]) RETURNS TABLE (issuer_id bigint, name text, rank integer) LANGUAGE plpgsql STABLE AS $$
DECLARE
    understood CONSTANT text[] := disclosed.ask_fillers() || disclosed.ask_qualifiers() || disclosed.ask_form_words() || of_metrics;
BEGIN
    RETURN QUERY
    SELECT min(i.issuer_id), n.name, 6 - n.words
    FROM disclosed.name_candidates(body) n
    JOIN disclosed.issuer i ON split_part(disclosed.name_core(i.name), ' ', 1) = split_part(n.name, ' ', 1)
    WHERE n.words > 1 AND split_part(n.name, ' ', -1) <> ALL (understood) AND n.name !~ '[0-9]$'
      AND starts_with(disclosed.name_core(i.name), n.name || ' ') AND i.ticker IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer whole WHERE disclosed.name_core(whole.name) = n.name AND whole.ticker IS NOT NULL)
    GROUP BY n.name, n.words HAVING count(*) = 1;
END $$;

-- Reads a question. `given` are companies that the request names beside it.
CREATE OR REPLACE FUNCTION ask_read(question text, given bigint[]) RETURNS ask_reading LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off SET pg_trgm.word_similarity_threshold = 0.4 AS $$
DECLARE
    r disclosed.ask_reading;
    -- 2021-2023 is from one to the other; 2023/2024 may be one year or two.
    plain text := disclosed.plain_words(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(lower(question), '(?<=[a-z0-9]):[a-z]{2}\M', '', 'g'),
        '\m([12][0-9]{3}) ?[-–—] ?((?:fy ?)?[12][0-9]{3})\M', '\1 to \2', 'g'), '\m([12][0-9]{3})/(?=[0-9])', '\1 slash ', 'g'), '[''’]s\M', '', 'g'), '[''’]', '', 'g'));
    -- Of more words than these no question is read: the others are not understood, and it is looked for in texts.
    asked text[] := (string_to_array(plain, ' '))[1:65];
    is_long boolean := cardinality(asked) > 64;
    of_names text[] := ARRAY(SELECT n.name FROM disclosed.metric_name n);
    of_metrics text[] := ARRAY(SELECT DISTINCT w FROM unnest(of_names) n CROSS JOIN string_to_table(n, ' ') w);
    unlike integer := 0; -- words that were held against all names
    part text[];
    one record;
    word text;
    of_year CONSTANT text := '(?:the )?(?:fiscal |fy ?|calendar |year )*([12][0-9]{3})';
    of_growth CONSTANT text := '\m(grow|grew|grown|growth|increase|increased|decrease|decreased|decline|declined|change|changed|fall|fell|fallen|rise|rose|risen|drop|dropped|yoy|gain|gained|shrink|shrank|expand|expanded|growing|rising|falling|year on year|year over year)\M';
    idle CONSTANT text[] := disclosed.ask_fillers() || disclosed.ask_qualifiers() || disclosed.ask_form_words();
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
BEGIN
    plain := array_to_string(asked[1:64], ' ');
    r.rest := plain;
    unnamed := plain;
    part := regexp_match(plain, '\m(?:(?:say|says|said|saying|wrote|write|writes|written|talk|talks|talked|report|reports|reported) (?:about|regarding|concerning)|mention|mentions|mentioned|discuss|discusses|discussed|describe|describes|described) (.+)$');
    subject := part[1];
    about := length(plain) - length(subject);
    -- Companies, those of the longest names first: a word that stands in one's name, or a metric's, names no other.
    FOR one IN SELECT c.issuer_id, c.name, c.rank
               FROM (SELECT x.*, min(x.rank) OVER (PARTITION BY x.name) AS surest
                     FROM (SELECT * FROM disclosed.ask_companies(regexp_replace(question, '[''’]s\M', '', 'g'), of_metrics) UNION SELECT * FROM disclosed.ask_longer_names(plain, of_metrics)
                           UNION SELECT NULL, n.name, 1 FROM disclosed.name_candidates(plain) n WHERE n.name = ANY (of_names)) x) c
               WHERE c.rank = c.surest
               ORDER BY cardinality(string_to_array(c.name, ' ')) DESC, length(c.name) DESC, c.name, c.issuer_id LOOP
        -- One word of questions is no name, but for a ticker as it is written.
        CONTINUE WHEN one.rank BETWEEN 3 AND 5 AND (one.name = ANY (of_metrics) OR one.name = ANY (idle) OR one.name IN ('paid', 'pay', 'split', 'insider', 'holder', 'owner', 'dividend', 'share', 'stock'));
        CONTINUE WHEN one.name IS DISTINCT FROM last_name AND position(' ' || one.name || ' ' IN ' ' || unnamed || ' ') = 0;
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
    unclear := (regexp_match(lower(question), '\m((?:' || replace(array_to_string(names, '|'), ' ', '[^[:alnum:]]+') || ')(?:\s+(?:' || replace(array_to_string(names, '|'), ' ', '[^[:alnum:]]+') || '))+)\M'))[1];
    unclear := coalesce(CASE WHEN cardinality(r.companies) > 1 THEN unclear END,
                        (regexp_match(plain, '\m((?:' || array_to_string(names, '|') || ') (?:financial|one|state|first))\M(?! (?:results?|statements?|filings?|reports?|year|years|quarter|of)\M)'))[1]);
    IF unclear IS NOT NULL THEN
        r.form := 'refused'; r.note := 'No company that is known here is called "' || unclear || '".';
        RETURN r;
    END IF;
    FOR one IN SELECT disclosed.plain_words(i.name) AS name FROM disclosed.issuer i WHERE i.issuer_id = ANY (r.companies || given) LOOP
        FOREACH word IN ARRAY string_to_array(one.name, ' ') LOOP -- the rest of their names
            r.rest := CASE WHEN word = ANY (idle) OR word = ANY (of_metrics) AND word NOT IN ('group', 'holding', 'holdings', 'trust', 'limited') THEN r.rest ELSE disclosed.ask_without(r.rest, word) END;
        END LOOP;
    END LOOP;

    r.rest := disclosed.ask_spelled(r.rest, of_metrics);

    -- Phrases whose words would say more apart.
    r.rest := regexp_replace(r.rest, '\m(?:could|can|may|might) (?:you|i|we)\M|\m(?<=tell |give |show |let )us\M|\m(?<=how )(?:large|big|high|low|small)\M|\m10 k\M|\m(?<=look )like\M', ' ', 'g');
    IF r.rest ~ '\mdid\M.*\mrecord\M' THEN -- the verb: a record stands before what is one
        r.rest := regexp_replace(r.rest, '\mrecord\M(?= +(?:in|for|during|at)\M| *$)', ' ');
    END IF;
    r.rest := btrim(regexp_replace(r.rest, ' +', ' ', 'g'));

    -- Periods. Each leaves "@", so that it is seen what stands beside it.
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
        unused := r.years[1];
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
            marked := regexp_replace(coalesce(marked, r.rest), '\m' || one.name || '\M', '#', 'g');
            r.rest := disclosed.ask_without(r.rest, one.name);
        END LOOP;
        -- Two of them that are no list make a third: inventory turnover, debt to equity. Of several periods each has its own.
        IF marked ~ '# (?:(?:of|to|per|by|over|in|on|for|from|as|into) )?(?:(?:the|a|an|total|its|their) )*#' AND plain !~ '\m(compared?|comparison)\M'
           AND regexp_replace(lower(question), '[''’]', '', 'g') !~ ('\m(' || array_to_string(metric_names, '|') || ')\s*[,;&/+]\s*(and |the |total |its )*(' || array_to_string(metric_names, '|') || ')\M') THEN
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
        CONTINUE WHEN lower(question) ~ ('\m(' || replace(array_to_string(names, '|'), ' ', '[^[:alnum:]]+') || ')\s+' || word || '\M|\m' || word || '\s+(' || replace(array_to_string(names, '|'), ' ', '[^[:alnum:]]+') || ')\M');
        CONTINUE WHEN subject IS NOT NULL AND r.companies IS NOT NULL AND word = ANY (string_to_array(subject, ' '));
        -- Beside a company another one is named with a word between them. Other words are not taken for companies that begin like them.
        CONTINUE WHEN r.metrics IS NOT NULL AND (r.companies IS NOT NULL OR given IS NOT NULL) AND plain !~ '\m(and|or|versus|vs|against|compared?|comparison|than|with)\M';
        one := NULL;
        SELECT disclosed.ask_company_like(word, unlike < 16) AS issuer_id INTO one;
        unlike := unlike + 1;
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
    asked := ARRAY(SELECT w FROM string_to_table(r.rest, ' ') w WHERE w NOT IN ('', '@') AND w <> ALL (idle));
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
        IF r.form IS NULL AND r.rest ~ '\m(highest|largest|biggest|most|greatest|top|best|lowest|smallest|least|worst|rank|ranking)\M' AND coalesce(cardinality(r.companies), 0) = 0 AND given IS NULL THEN
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
    IF r.form IN ('split', 'dividend') THEN -- how many are told of
        r.count := CASE WHEN r.year IS NOT NULL THEN 60 WHEN plain ~ '\m(splits|dividends)\M' AND NOT r.is_latest THEN 20 ELSE 1 END;
    END IF;
    r.rest := array_to_string(ARRAY(SELECT w FROM string_to_table(r.rest, ' ') w WHERE w NOT IN ('', '@') AND w <> ALL (idle)), ' ');
    r.form := CASE WHEN r.rest <> '' OR is_long OR subject IS NOT NULL AND r.companies IS NOT NULL THEN 'text' ELSE coalesce(r.form, 'text') END;
    IF r.form <> 'text' AND unused IS NOT NULL THEN
        r.form := 'refused'; r.note := 'An answer from numbers and records would leave out "' || unused || '" of the question.';
    ELSIF r.form = 'text' THEN -- what is looked for in texts: all that is no name and says something
        r.rest := array_to_string(ARRAY(
            SELECT w FROM string_to_table(plain, ' ') w
            WHERE w <> '' AND w <> ALL (disclosed.ask_fillers() || disclosed.ask_qualifiers() || string_to_array('mention mentions mentioned wrote write writes written talk talks talked discuss discussed discusses describe described saying text texts passage', ' '))
              AND w <> ALL (ARRAY(SELECT string_to_table(disclosed.plain_words(i.name), ' ') FROM disclosed.issuer i WHERE i.issuer_id = ANY (r.companies)))
              AND w <> ALL (ARRAY(SELECT lower(i.ticker) FROM disclosed.issuer i WHERE i.issuer_id = ANY (r.companies)))), ' ');
    END IF;
    RETURN r;
END $$;

-- -------------------------------------------------------------- splits

-- Splits after the filing of a count of shares or an amount per share, which it is not adjusted for: those of `splits_since`.
CREATE FUNCTION ask_splits(n metric_number, instant timestamptz) RETURNS SETOF corporate_action LANGUAGE plpgsql STABLE AS $$
DECLARE
    told date; -- when it was known as its filing says it
BEGIN
    IF n.unit <> 'shares' AND n.unit !~ '_per_share$'
       OR NOT EXISTS (SELECT 1 FROM disclosed.corporate_action s WHERE s.issuer_id = n.issuer_id AND s.kind = 'split') THEN
        RETURN;
    END IF;
    told := (coalesce(CASE WHEN n.dataset = 'fundamental' THEN (
                 SELECT min(v.known_at) FROM disclosed.metric_value v JOIN disclosed.canonical_metric m USING (metric_id)
                 WHERE v.issuer_id = n.issuer_id AND m.metric_key = n.metric_key AND v.end_date = n.end_date AND disclosed.kind_name(v.kind) = n.period_kind
                   AND replace(v.unit, '/shares', '_per_share') = n.unit AND disclosed.accession_name(v.accession_number) = n.accession) END,
             n.known_at) AT TIME ZONE 'America/New_York')::date;
    RETURN QUERY
    SELECT s.* FROM disclosed.corporate_action s JOIN disclosed.issuer i USING (issuer_id)
    WHERE s.issuer_id = n.issuer_id AND s.kind = 'split' AND s.action_date > told
      AND CASE WHEN instant IS NULL THEN s.superseded_at IS NULL ELSE s.known_at <= instant AND (s.superseded_at IS NULL OR s.superseded_at > instant) END
      AND coalesce(CASE WHEN instant IS NULL THEN s.symbol ELSE disclosed.listing_of_spellings(s.issuer_id, s.spellings, s.symbol_code, instant) END
                   <> ALL (disclosed.listings_beside(i.symbol, instant)), true)
    ORDER BY s.action_date, s.id;
END $$;

-- The value as it compares with numbers of today: a count times the ratios, an amount divided by them.
CREATE FUNCTION ask_adjusted(n metric_number, instant timestamptz) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
DECLARE
    adjusted numeric := n.value;
    split record;
BEGIN
    FOR split IN SELECT s.split_to, s.split_from FROM disclosed.ask_splits(n, instant) s LOOP
        adjusted := CASE WHEN n.unit = 'shares' THEN adjusted * split.split_to / split.split_from ELSE adjusted * split.split_from / split.split_to END;
    END LOOP;
    RETURN adjusted;
END $$;

-- A number in words, as filed and, after splits, as adjusted; `marker` is that of the first of these.
CREATE FUNCTION ask_told(n metric_number, instant timestamptz, marker integer) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT disclosed.ask_said(n) || coalesce(
        (SELECT ' as filed, ' || disclosed.ask_number(disclosed.ask_adjusted(n, instant), n.unit, false) || ' adjusted for '
                || string_agg('the split of ' || s.split_to || ' for ' || s.split_from || ' on ' || disclosed.ask_day(s.action_date) || ' [' || marker + s.ordinality - 1 || ']',
                              ' and ' ORDER BY s.ordinality)
         FROM disclosed.ask_splits(n, instant) WITH ORDINALITY s HAVING count(*) > 0), '')
$$;

-- The splits of such a sentence.
CREATE FUNCTION ask_split_points(n metric_number, instant timestamptz, sentence integer) RETURNS SETOF ask_line LANGUAGE sql STABLE AS $$
    SELECT ROW(sentence, NULL, 'corporate_action', disclosed.ask_src_id('corporate_action', s.src_digest), (SELECT i.symbol FROM disclosed.issuer i WHERE i.issuer_id = n.issuer_id),
               'split', json_build_object('calendar', NULL, 'fiscal', NULL, 'start_date', NULL, 'end_date', s.action_date, 'kind', 'instant'), NULL::numeric, NULL,
               disclosed.ask_source_url(s.source_id, s.accession, n.issuer_id),
               ARRAY[s.split_to || ' for ' || s.split_from, disclosed.ask_day(s.action_date), disclosed.ask_number(disclosed.ask_adjusted(n, instant), n.unit, false)],
               'medium')::disclosed.ask_line
    FROM disclosed.ask_splits(n, instant) s
$$;

-- What the stored numbers say. A row without a sentence says in `body` what is not found.
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
    lacking text;
    place integer := 0;
    said text;
    change numeric;
    one record;
BEGIN
    IF r.form = 'growth' AND r.last_year IS NOT NULL THEN
        one_year.year := r.last_year; one_year.last_year := NULL;
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
                        || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || ': ' || disclosed.ask_told(n, instant, 2) || ' [1].', '{}');
                    RETURN QUERY SELECT * FROM disclosed.ask_split_points(n, instant, place);
                END LOOP;
                SELECT string_agg(y::text, ', ' ORDER BY y) INTO lacking
                FROM unnest(coalesce(r.years, CASE WHEN r.last_year < r.year + 40 THEN ARRAY(SELECT generate_series(r.year, r.last_year)) END)) y
                WHERE y <> ALL (ARRAY(SELECT disclosed.ask_year_of(r, x.fiscal, disclosed.calendar_period(x.start_date, x.end_date)) FROM unnest(all_of) x));
                IF lacking IS NOT NULL THEN
                    RETURN NEXT ROW(NULL, 'Of ' || lacking || ': ' || disclosed.ask_missing(company, metric, instant), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                END IF;
                CONTINUE;
            END IF;
            SELECT x.* INTO n FROM disclosed.ask_numbers(one_year, company, metric, 0, instant, since, until, 1) x;
            IF n.value IS NULL THEN
                RETURN NEXT ROW(NULL, disclosed.ask_missing(company, metric, instant), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                CONTINUE;
            END IF;
            place := place + 1;
            behind := CASE WHEN r.form = 'growth' THEN 3 ELSE 2 END;
            said := disclosed.ask_company(company) || ' had ' || lower(n.display) || ' of ' || disclosed.ask_told(n, instant, behind) || ' '
                 || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || ' [1]';
            IF r.form = 'growth' THEN
                IF r.last_year IS NOT NULL THEN
                    one_year.year := r.year;
                    SELECT x.* INTO before FROM disclosed.ask_numbers(one_year, company, metric, 0, instant, since, until, 1) x
                    WHERE x.unit = n.unit AND x.period_kind = n.period_kind;
                    one_year.year := r.last_year;
                ELSE
                    SELECT b.* INTO before FROM disclosed.metric_number b
                    WHERE b.issuer_id = company AND b.metric_key = metric AND b.period_kind = n.period_kind AND b.unit = n.unit AND b.dataset = n.dataset
                      AND CASE WHEN instant IS NULL THEN b.superseded_at IS NULL ELSE b.known_at <= instant AND (b.superseded_at IS NULL OR b.superseded_at > instant) END
                      AND b.end_date BETWEEN n.end_date - CASE WHEN r.is_previous AND n.period_kind IN ('quarter', 'instant') THEN 100 ELSE 380 END
                                         AND n.end_date - CASE WHEN r.is_previous AND n.period_kind IN ('quarter', 'instant') THEN 80 ELSE 350 END
                    ORDER BY b.known_at DESC LIMIT 1;
                END IF;
                IF before.value IS NULL THEN
                    RETURN NEXT ROW(NULL, 'There is no number of the period before to compare with: ' || disclosed.ask_missing(company, metric, instant),
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
                ELSE CASE WHEN r.is_least THEN 'The lower' ELSE 'The higher' END || ' is that of ' || disclosed.ask_company(best.issuer_id) || ' [1], by ' || said
                     || CASE WHEN r.is_least THEN ' below that of ' ELSE ' over that of ' END || disclosed.ask_company(before.issuer_id) || ' [2].' END, ARRAY[said]);
            RETURN NEXT disclosed.ask_point(before, place, NULL, '{}');
        END IF;
    END LOOP;
END $$;

-- What the stored records say about a topic of companies.
CREATE OR REPLACE FUNCTION ask_topic_lines(r ask_reading, instant timestamptz) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE AS $$
DECLARE
    company bigint;
    place integer := 0;
    found integer;
    has_more boolean; -- than are told of
    at_instant timestamptz := coalesce(instant, now());
    l record;
BEGIN
    IF coalesce(cardinality(r.companies), 0) = 0 THEN
        RETURN NEXT ROW(NULL, 'The question names no company that is known here.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        RETURN;
    END IF;
    FOREACH company IN ARRAY r.companies[1:4] LOOP
        found := place;
        has_more := false;
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
                  AND (r.year IS NULL OR extract(year FROM t.settlement_date) = r.year)
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
                  AND (r.year IS NULL OR extract(year FROM t.period_of_report) = r.year)
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                UNION ALL
                SELECT 'corporate_action', t.src_digest, t.source_id, t.accession, t.action_date, t.amount, c.currency || '_per_share', t.kind,
                       CASE t.kind WHEN 'split' THEN disclosed.ask_company(company) || ' had a stock split of ' || t.split_to || ' for ' || t.split_from || ' on ' || disclosed.ask_day(t.action_date)
                            ELSE disclosed.ask_company(company) || ' had a dividend' || coalesce(' of ' || c.currency || ' ' || trim_scale(t.amount) || ' per share' || coalesce(nullif(disclosed.amount_reservation(disclosed.amount_basis_of(t.amount_basis, t.split_after)), '') || ',', ''), '') || ' with the ex-dividend date '
                                 || disclosed.ask_day(coalesce(t.ex_dividend_date, t.action_date)) || coalesce(', paid on ' || disclosed.ask_day(t.payment_date), '') END,
                       ARRAY[t.split_to || ' for ' || t.split_from, disclosed.ask_day(t.action_date), c.currency || ' ' || trim_scale(t.amount),
                             disclosed.ask_day(t.ex_dividend_date), disclosed.ask_day(t.payment_date)],
                       row_number() OVER (ORDER BY t.action_date DESC, t.id), r.count + 1
                FROM disclosed.corporate_action t CROSS JOIN LATERAL (SELECT coalesce(t.currency, disclosed.currency_of_market(t.symbol)) AS currency) c
                WHERE r.form IN ('split', 'dividend') AND t.kind = r.form AND t.issuer_id = company AND (t.kind <> 'split' OR t.split_from > 0)
                  AND (r.year IS NULL OR extract(year FROM CASE r.role WHEN 'payment' THEN coalesce(t.payment_date, t.action_date) WHEN 'declaration' THEN coalesce(t.declaration_date, t.action_date)
                                                           ELSE t.action_date END) = r.year)
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
            IF place - found >= r.count THEN
                has_more := true;
                CONTINUE;
            END IF;
            place := place + 1;
            RETURN NEXT ROW(place, l.said || ' [1].', l.dataset, disclosed.ask_src_id(l.dataset, l.src_digest),
                            (SELECT i.symbol FROM disclosed.issuer i WHERE i.issuer_id = company), l.metric_key,
                            json_build_object('calendar', NULL, 'fiscal', NULL, 'start_date', NULL, 'end_date', l.day, 'kind', 'instant'), l.value,
                            CASE WHEN l.value IS NOT NULL THEN l.unit END, disclosed.ask_source_url(l.source_id, l.accession, company),
                            array_remove(l.printed || disclosed.ask_company(company), NULL), 'high')::disclosed.ask_line;
        END LOOP;
        IF has_more AND NOT r.is_latest THEN
            RETURN NEXT ROW(NULL, 'More of ' || disclosed.ask_company(company) || ' are stored; named are the latest.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        END IF;
        IF place = found THEN
            RETURN NEXT ROW(NULL, 'Nothing of that kind is stored about ' || disclosed.ask_company(company) || coalesce(' of ' || r.year, '') || '.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        END IF;
    END LOOP;
END $$;

