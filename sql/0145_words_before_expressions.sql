-- Questions are read with fewer regular expressions, and with fewer queries that are planned for what they do not have. PostgreSQL keeps the 32 expressions
-- that a connection used last; a question tried more than these, which were compiled for every question again. Most are of words that few questions have.

SET LOCAL search_path = disclosed, public;

-- Whether plain words have one of these. It is taken into the expression that asks.
CREATE FUNCTION ask_says(body text, words text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT string_to_array(body, ' ') && words $$;

CREATE FUNCTION ask_says_growth(body text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_to_array(body, ' ') && '{grow,grew,grown,growth,increase,increased,decrease,decreased,decline,declined,change,changed,fall,fell,fallen,rise,rose,risen,drop,dropped,yoy,gain,gained,shrink,shrank,expand,expanded,growing,rising,falling}'
           OR ' ' || body || ' ' LIKE ANY ('{% year on year %,% year over year %}')
$$;

-- Whether it may be asked what an insider did: "sales" alone are a company's.
CREATE OR REPLACE FUNCTION ask_asks_insider(plain text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT disclosed.ask_says(plain, '{sell,sold,sells,selling,buy,buys,bought,buying,purchase,purchased,purchases,acquired,trade,traded,trades,trading,transaction,transactions,gift,gifts,gifted,grant,grants,granted,award,awards,awarded,exercise,exercised,exercises,insider,insiders}') OR ' ' || plain || ' ' LIKE '% form 4 %'
           OR disclosed.ask_says(plain, '{sale,sales}') AND (disclosed.ask_says(plain, '{share,shares,stock}') OR ' ' || plain || ' ' LIKE ANY ('{% sale by %,% sales by %}'))
$$;

-- Days are looked for only in the ways of writing them whose marks, or names of months, the question has.
CREATE OR REPLACE FUNCTION ask_days(question text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    months CONSTANT text := 'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
    told text := regexp_replace(question, '\m(day|month)(?=[0-9]{6})', '\1 ', 'gi'); -- such words are ours alone
    one record;
BEGIN
    FOR one IN
        SELECT f.words, f.year::integer AS year, f.day::integer AS day,
               CASE WHEN f.month ~ '^[0-9]' THEN f.month::integer ELSE (strpos('janfebmaraprmayjunjulaugsepoctnovdec', lower(left(f.month, 3))) + 2) / 3 END AS month
        FROM (SELECT p[1] AS words, p[2] AS year, p[3] AS month, p[4] AS day FROM regexp_matches(question, '(?<![[:alnum:]-])(((?:19|20)[0-9]{2})-([0-9]{1,2})-([0-9]{1,2}))(?![[:alnum:]-])', 'g') p
              WHERE question LIKE '%-%-%'
              UNION ALL
              SELECT p[1], p[4], CASE WHEN p[2]::integer > 12 THEN p[3] ELSE p[2] END, CASE WHEN p[2]::integer > 12 THEN p[2] ELSE p[3] END
              FROM regexp_matches(question, '(?<![[:alnum:]/])(([0-9]{1,2})/([0-9]{1,2})/((?:19|20)[0-9]{2}))(?![[:alnum:]/])', 'g') p
              WHERE question LIKE '%/%/%' AND (p[2]::integer > 12 OR p[3]::integer > 12 OR p[2]::integer = p[3]::integer)
              UNION ALL
              SELECT p[1], p[5], p[3], coalesce(p[2], p[4])
              FROM regexp_matches(question, '(?<![[:alnum:]])((?:([0-9]{1,2})(?:st|nd|rd|th)?[[:space:].-]+(?:of[[:space:]]+)?)?(' || months || ')\M(?:[[:space:].-]+([0-9]{1,2})(?:st|nd|rd|th)?\M)?[[:space:],.-]+(?:of[[:space:]]+)?((?:19|20)[0-9]{2}))\M', 'gi') p
              WHERE lower(question) LIKE ANY ('{%jan%,%feb%,%mar%,%apr%,%may%,%jun%,%jul%,%aug%,%sep%,%oct%,%nov%,%dec%}') AND (p[2] IS NULL OR p[4] IS NULL)) f
        LIMIT 16
    LOOP
        CONTINUE WHEN one.month NOT BETWEEN 1 AND 12
                      OR one.day NOT BETWEEN 1 AND extract(day FROM make_date(one.year, one.month, 1) + interval '1 month - 1 day');
        told := replace(told, one.words, CASE WHEN one.day IS NULL THEN ' month' ELSE ' day' END || one.year * 100 + one.month || coalesce(lpad(one.day::text, 2, '0'), '') || ' ');
    END LOOP;
    RETURN told;
END $$;

-- Only names of metrics that the question has are taken out, and the key of a word is made once for all parts.
CREATE OR REPLACE FUNCTION ask_read_parts(of_issuer bigint, INOUT body text, of_names text[], idle text[], OUT parts text[], OUT several text) LANGUAGE plpgsql STABLE AS $$
DECLARE
    company CONSTANT text := disclosed.ask_part_key(disclosed.name_core(disclosed.ask_company(of_issuer)));
    of_metrics CONSTANT text[] := string_to_array(array_to_string(of_names, ' '), ' ');
    understood CONSTANT text[] := idle || ARRAY(SELECT n FROM unnest(of_names) n WHERE strpos(n, ' ') = 0);
    keys text[];
    asked CONSTANT text := body;
    places integer[]; -- of parts in the question
    masked text := body; -- without names of metrics, in whose words no part is looked for
    name text;
    one record;
    word text;
    own text; -- its key
    found text[];
BEGIN
    IF NOT EXISTS (SELECT 1 FROM string_to_table(body, ' ') w WHERE w <> ALL (understood)) THEN
        RETURN;
    END IF;
    keys := ARRAY(SELECT DISTINCT m.key FROM disclosed.ask_members(of_issuer) m);
    FOR name IN SELECT n.name FROM unnest(of_names) WITH ORDINALITY AS n(name, place)
                WHERE strpos(n.name, ' ') > 0 AND strpos(' ' || asked || ' ', ' ' || n.name || ' ') > 0 ORDER BY n.place LOOP
        masked := replace(' ' || masked || ' ', ' ' || name || ' ', ' # ');
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
        own := disclosed.ask_part_key(word);
        found := ARRAY(SELECT k FROM unnest(keys) k
                       WHERE k LIKE own || ' %' AND k NOT LIKE own || ' of %' AND length(word) > 3 OR cardinality(string_to_array(k, ' ')) > 2 AND regexp_replace(k, '\m([[:alnum:]])[[:alnum:]]* ?', '\1', 'g') = word ORDER BY k);
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

-- Words are looked for by themselves, and expressions only if a word of theirs is there.
CREATE OR REPLACE FUNCTION ask_topic_of(r ask_reading, of_names text[], given bigint[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    words CONSTANT text[] := string_to_array(r.rest, ' ');
    of_company CONSTANT boolean := coalesce(r.companies, given) IS NOT NULL;
    traded CONSTANT text[] := '{sold,sell,selling,sells,sale,sales,bought,buy,buys,buying,purchase,purchased,purchases,acquired,trade,trades,traded,trading}';
BEGIN
    RETURN CASE
        WHEN words && '{ceo,chief,cfo,coo,chairman,chair,president,general}' AND r.rest ~ '\m(ceo|chief executive|cfo|chief financial|coo|chief operating|chairman|chair|president|general counsel)\M'
             AND r.rest ~ '\m(who|name|whos)\M|^(the )?(ceo|cfo|coo|chief \w+ officer|chairman|president)( of)?$' THEN 'executive'
        WHEN words && '{short,shorted,cover}' AND r.rest ~ '\mshort (interest|position|sold)|\mshorted\M|days to cover|shares? (sold )?short\M' THEN 'short_interest'
        WHEN (strpos(' ' || r.rest, ' congress') > 0 OR words && '{senator,senators,representative,representatives,lawmaker,lawmakers,politician,politicians}'
              OR ' ' || r.rest || ' ' LIKE ANY ('{% house member %,% house members %,% members of the house %,% members of the senate %}')) AND words && traded THEN 'congress'
        WHEN r.insider_name IS NOT NULL THEN 'insider'
        WHEN r.person IS NULL AND of_company AND words && '{who,which,institutions,managers,holders,shareholders}' AND disclosed.ask_asks_change(r, of_company) THEN 'change'
        WHEN r.person IS NOT NULL THEN CASE WHEN EXISTS (SELECT 1 FROM disclosed.issuer i WHERE i.issuer_id = r.person AND i.party_key LIKE 'politician/%') THEN 'congress' WHEN disclosed.ask_asks_change(r, of_company) THEN 'change' ELSE 'position' END
        WHEN words && '{insider,insiders}' OR words && '{form,directors}' AND r.rest ~ '\m(form 4|directors and officers)\M' OR words && '{director,directors,officer,officers,executives}' AND words && traded
             OR of_company AND words && '{who}' AND r.rest ~ ('\mwho (?:has |have |had |else )*' || '(?:' || array_to_string(traded, '|') || ')\M') AND words && '{share,shares,stock}' THEN 'insider'
        WHEN words && '{beneficial,beneficially}' OR strpos(r.rest, '13') > 0 AND r.rest ~ '\m13 ?[dg]\M' OR words && '{5}' AND r.rest ~ '\m(own|owns|owned|owners?|hold|holds|holders?|shareholders?|stakes?)\M.*\m(more than|over|above|at least) 5(?: percent)?(?: (?:of|in|at)\M|$)' THEN 'owner'
        WHEN words && '{fund,funds,etf,etfs}' AND (words && '{which,what,who,list,top,largest,biggest}' OR r.rest ~ '\mhow many\M') AND words && '{hold,holds,held,own,owns,owned,invest,invests,invested,exposure}' THEN 'fund'
        WHEN (words && '{holder,holders,institution,institutions,institutional,13f,shareholder,shareholders,owner,owners}' OR words && '{own,owns}' AND NOT (words && '{does,do,did,has,have}')) AND r.rest !~ 'equity|letter' -- what it owns is another question
             OR of_company AND words && '{who}' AND r.rest ~ '\mwho\M.*\m(hold|holds|held)\M' THEN 'holder'
        WHEN words && '{split,splits}' THEN 'split'
        WHEN (strpos(r.rest, 'spin') > 0 OR strpos(r.rest, 'spun') > 0) AND r.rest ~ '\m(spin ?offs?|spun off)\M' THEN 'spinoff'
        WHEN of_company AND words && '{merger,mergers,takeover,takeovers,acquired,bought,taken}' AND r.rest ~ '\m(mergers?|takeovers?)\M|\mwho (has |have )?(acquired|bought)\M|\m(is|was|were|been|being) (acquired|taken over)\M|\macquired by\M' THEN 'm_and_a'
        WHEN words && '{dividend,dividends}' AND (r.rest ~ '\m(day[0-9]{8}|month[0-9]{6})\M' OR r.earlier IS NOT NULL AND r.length IS NULL OR r.rest !~ 'dividends? paid'
             AND NOT EXISTS (SELECT 1 FROM unnest(of_names) n WHERE n ~ '\mdividends?\M' AND position(' ' || n || ' ' IN ' ' || r.rest || ' ') > 0)) THEN 'dividend'
        WHEN words && '{when,next,date,day,upcoming}' AND words && '{earnings,results,report,call,annual,agm,investor,event}' AND r.rest ~ '\m(earnings|results|report|call|annual meeting|agm|investor day|event)\M' THEN 'event' END;
END $$;

-- Words are looked for by themselves.
CREATE OR REPLACE FUNCTION ask_read_person(INOUT r ask_reading, plain text, given bigint[]) LANGUAGE plpgsql STABLE AS $$
DECLARE
    words CONSTANT text[] := string_to_array(plain, ' ');
    has_title CONSTANT boolean := strpos(' ' || plain, ' congress') > 0 OR words && '{senator,senators,representative,representatives,rep,sen,lawmaker,lawmakers,politician,politicians}';
    names_position CONSTANT boolean := words && '{hold,holds,held,own,owns,owned,holding,holdings,position,positions,portfolio,invest,invests,invested}'
        OR words && '{stake,stakes,share,shares,added}' AND plain ~ ('\m(' || disclosed.ask_rise() || '|' || disclosed.ask_fall() || '|change[ds]?)\M');
    insider record;
    named text;
BEGIN
    IF has_title OR words && '{sell,sold,sells,selling,buy,buys,bought,buying,purchase,purchased,purchases,trade,trades,traded,trading,transaction,transactions}' THEN
        r.person := disclosed.ask_member(r.rest, has_title);
    END IF;
    IF NOT has_title AND cardinality(words) <= 24 AND disclosed.ask_asks_insider(plain) THEN -- a longer question may name too many
        SELECT * INTO insider FROM disclosed.ask_insider(plain, r.rest, coalesce(r.companies, given));
        IF insider.said IS NOT NULL THEN
            r := disclosed.ask_with_insider(r, plain, insider.said, insider.names, insider.ciks);
            RETURN;
        END IF;
    END IF;
    IF r.person IS NULL AND names_position AND cardinality(words) <= 24 THEN
        r.person := disclosed.ask_manager(plain);
        IF r.person IS NULL AND NOT (words && '{who,whom,institution,institutions,institutional,holder,holders,shareholder,shareholders,owner,owners,managers,funds,etfs,insider,insiders,short,beneficial,beneficially}')
            AND (plain ~ '\m(what|which)\M.*\m(hold|holds|held|own|owns|owned)\M|\m(holdings|positions|portfolio)\M' OR cardinality(r.companies) > 1) THEN
            SELECT CASE WHEN count(*) = 1 THEN min(c) END INTO r.person
            FROM unnest(coalesce(r.companies, given)) c
            WHERE EXISTS (SELECT 1 FROM disclosed.fund f WHERE f.issuer_id = c) OR EXISTS (SELECT 1 FROM disclosed.institution_report p WHERE p.issuer_id = c);
        END IF;
    END IF;
    IF r.person IS NULL THEN
        RETURN;
    END IF;
    named := (SELECT disclosed.plain_words(i.name) FROM disclosed.issuer i WHERE i.issuer_id = r.person);
    r.rest := array_to_string(ARRAY(SELECT w FROM string_to_table(r.rest, ' ') w WHERE w <> ALL (string_to_array(named || ' jr sr rep sen', ' ')) OR w IN ('and', 'of', 'the', 'a')), ' ');
    r.companies := disclosed.ask_beside_person(array_remove(r.companies, r.person), named, plain);
END $$;

-- Bounds of periods are looked for only where there are periods, and words by themselves.
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
    part := CASE WHEN strpos(body, '@') > 0 THEN regexp_match(body, '\m((?:prior |up |earlier |later |more |less |higher |lower |greater )?(?:from|to|through|thru|by|around|about|past|than' || CASE r.form WHEN 'growth' THEN '|over|on|with' ELSE '' END
                               || ')) (?:the |fiscal |calendar |year |fy |q[1-4] )*(?:@|end of @|start of @)|@ (?:and )?(to|through|thru|until|till|on)(?= |$)(?! (?:a|the|which|what) )') END;
    IF part IS NOT NULL AND NOT (part[1] = 'by' AND body ~ '\mby (the )?(year )?end of @' AND NOT is_topic) THEN
        RETURN coalesce(part[1], part[2]);
    END IF;
    IF is_topic THEN
        used := used || CASE WHEN r.form = 'event' THEN '{quarter,fiscal}'::text[] ELSE '{}' END;
        part := regexp_match(body, CASE WHEN r.form = 'executive' THEN '\m(was|were|did|had|last|years?|until)\M'
                                        WHEN r.form IN ('insider', 'congress') THEN '\m(many|much|total|largest|biggest)\M|\mlast (year|quarter)\M'
                                        WHEN r.form = 'position' AND named > 0 THEN '\m(total)\M' WHEN r.form IN ('holder', 'fund', 'owner', 'position') THEN '\m(many|much|total)\M'
                                        WHEN r.form = 'dividend' THEN '\m(many|total)\M' WHEN r.form = 'split' THEN '\m(many)\M' ELSE '\m(total)\M' END);
        IF part IS NOT NULL THEN
            RETURN coalesce(part[1], 'last');
        ELSIF r.years IS NOT NULL OR r.last_year IS NOT NULL OR r.year IS NOT NULL AND r.form IN ('executive', 'fund') THEN
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
    part := CASE WHEN disclosed.ask_says(body, '{many,number,numbers,count,counts,value,values,worth}') THEN regexp_match(body, '\m(?:how (many)|(numbers?|counts?) of|(values?|worth))\M') END;
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
    ELSIF r.form IN ('list', 'comparison') AND disclosed.ask_says(body, '{total}') THEN
        RETURN 'total';
    ELSIF r.year IS NOT NULL AND r.is_latest AND NOT r.is_quarterly AND r.form <> 'list' THEN
        RETURN 'latest';
    END IF;
    RETURN NULL;
END $$;

-- An expression is tried only if one of its words is there, and where it is of words alone, they are looked for by themselves.
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
    of_end text; -- that, of days: a topic reads them itself
    whole bigint; -- the company whose parts are looked for
    several text; -- parts
    owners bigint[]; -- companies that are named, of whom the parts with these keys are
    keys text[];
BEGIN
    plain := array_to_string(asked[1:64], ' ');
    r.rest := plain;
    unnamed := plain;
    IF disclosed.ask_says(plain, '{about,regarding,concerning,mention,mentions,mentioned,discuss,discusses,discussed,describe,describes,described}') THEN
        part := regexp_match(plain, '\m(?:(?:say|says|said|saying|wrote|write|writes|written|talk|talks|talked|report|reports|reported) (?:about|regarding|concerning)|mention|mentions|mentioned|discuss|discusses|discussed|describe|describes|described) (.+)$');
    END IF;
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
    unclear := CASE WHEN cardinality(r.companies) > 1
                    THEN (regexp_match(lower(told), '\m((?:' || replace(array_to_string(names, '|'), ' ', '[^[:alnum:]]+') || ')(?:\s+(?:' || replace(array_to_string(names, '|'), ' ', '[^[:alnum:]]+') || '))+)\M'))[1] END;
    unclear := coalesce(unclear, CASE WHEN disclosed.ask_says(plain, '{financial,one,state,first}')
                                      THEN (regexp_match(plain, '\m((?:' || array_to_string(names, '|') || ') (?:financial|one|state|first))\M(?! (?:results?|statements?|filings?|reports?|year|years|quarter|of)\M)'))[1] END);
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
        part := CASE WHEN disclosed.ask_says(r.rest, '{segment,segments,product,products,region,regions,geography,geographies,country,countries,division,divisions,unit,units}') THEN regexp_match(r.rest, of_parts) END;
        IF part IS NOT NULL THEN
            r.dimension := CASE WHEN part[1] LIKE 'prod%' THEN 'product' WHEN part[1] ~ '^(region|geo|countr)' THEN 'region' ELSE 'segment' END;
            r.rest := regexp_replace(r.rest, of_parts, ' ');
        END IF;
        SELECT p.body, p.parts, p.several INTO r.rest, r.parts, several
        FROM disclosed.ask_read_parts(whole, r.rest, of_names, idle) p;
        IF strpos(r.rest, '*') > 0 THEN
            r.rest := regexp_replace(regexp_replace(r.rest, '\* (?:segments?|divisions?|business(?:es)?|units?|regions?|products?)\M', '*', 'g'), '\m(?:segments?|divisions?|products?|regions?) \*', '*', 'g');
        END IF;
        IF r.parts IS NULL AND r.dimension IS NULL AND disclosed.ask_says(r.rest, '{segment,segments}') THEN
            r.dimension := 'segment';
            r.rest := regexp_replace(r.rest, '\m(?:(?:business|operating|reportable|reporting) )?segments?\M', ' ', 'g');
        END IF;
        r.rest := btrim(regexp_replace(r.rest, ' +', ' ', 'g'));
    END IF;

    r.rest := disclosed.ask_spelled(r.rest, of_metrics);

    -- Phrases whose words would say more apart.
    IF disclosed.ask_says(r.rest, '{could,can,may,might,us,large,big,high,low,small,10,like}') THEN
        r.rest := regexp_replace(r.rest, '\m(?:could|can|may|might) (?:you|i|we)\M|\m(?<=tell |give |show |let )us\M|\m(?<=how )(?:large|big|high|low|small)\M|\m10 k\M|\m(?<=look )like\M', ' ', 'g');
    END IF;
    -- What is spent on something is that. How much tax somebody paid is the tax paid, how much stock was bought back what was spent on it.
    IF disclosed.ask_says(r.rest, '{spend,spends,spent,spending}') THEN
        r.rest := regexp_replace(r.rest, '\m(?:spend|spends|spent|spending)\M(?= +on\M(?! +dividends\M))', ' ', 'g');
    END IF;
    IF disclosed.ask_says(r.rest, '{pay,paid}') THEN
        r.rest := regexp_replace(r.rest, '\m(?:income )?tax(?:es)? ((?:did|does|has|have)\M.*?)\m(?:pay|paid)\M', 'taxes paid \1');
        r.rest := regexp_replace(r.rest, '\minterest ((?:did|does|has|have)\M.*?)\m(?:pay|paid)\M', 'interest paid \1');
    END IF;
    IF disclosed.ask_says(r.rest, '{balance}') THEN
        r.rest := regexp_replace(r.rest, '\m(?:on|in) (?:the |its |their )?balance sheets?\M', ' ');
    END IF;
    IF disclosed.ask_says(r.rest, '{back,buyback,buybacks}') AND r.rest ~ '\m(?:buy|buys|bought) back\M|\mbuybacks?\M' AND r.rest !~ '\mhow many\M' THEN
        r.rest := regexp_replace(r.rest, '\m(?:of )?(?:its |their |the )?(?:own )?(?:common )?(?:stock|shares?)\M', ' ', 'g');
    END IF;
    IF disclosed.ask_says(r.rest, '{record}') AND r.rest ~ '\mdid\M.*\mrecord\M' THEN -- the verb: a record stands before what is one
        r.rest := regexp_replace(r.rest, '\mrecord\M(?= +(?:in|for|during|at)\M| *$)', ' ');
    END IF;
    r.rest := btrim(regexp_replace(r.rest, ' +', ' ', 'g'));

    -- Periods. Each leaves "@", so that it is seen what stands beside it.
    SELECT e.r, e.unused INTO one FROM disclosed.ask_read_end(r) e;
    r := one.r;
    of_end := one.unused;
    r.is_calendar := disclosed.ask_says(r.rest, '{calendar}');
    -- From one to another: two years with a word between them.
    IF disclosed.ask_says(r.rest, '{and,to,until,till,through,over,versus,vs,against,with}') AND r.rest ~ '[12][0-9]{3}.*[12][0-9]{3}' THEN
        FOREACH word IN ARRAY ARRAY['\m(?:between|from) ' || of_year || ' (?:and|to|until|till|through) ' || of_year || '\M', '\m' || of_year || ' (?:to|until|till|through) ' || of_year || '\M',
                                    CASE WHEN disclosed.ask_says_growth(r.rest) THEN '\m' || of_year || ' (?:over|versus|vs|against|compared (?:to|with)) ' || of_year || '\M' END] LOOP
            part := regexp_match(r.rest, word);
            IF part IS NOT NULL THEN
                r.year := CASE WHEN word ~ 'versus' THEN least(part[1]::integer, part[2]::integer) ELSE part[1]::integer END;
                r.last_year := CASE WHEN word ~ 'versus' THEN greatest(part[1]::integer, part[2]::integer) ELSE part[2]::integer END;
                r.rest := regexp_replace(r.rest, word, ' @ ');
                EXIT;
            END IF;
        END LOOP;
    END IF;
    IF r.rest ~ 'quarter|q ?[1-4]' THEN
        part := regexp_match(r.rest, '\m(fiscal (?:year )?|fy ?)?([12][0-9]{3}) ?q([1-4])\M');
        IF part IS NOT NULL THEN
            found_years := ARRAY[part[2]::integer]; r.quarter := part[3];
            r.rest := regexp_replace(r.rest, '\m(?:fiscal (?:year )?|fy ?)?[12][0-9]{3} ?q[1-4]\M', ' @ ');
        ELSE
            part := regexp_match(r.rest, '\mq ?([1-4])(?: of)?(?: the)?(?: fiscal| calendar)?(?: year)? ?(?:fy)? ?([12][0-9]{3}|[0-9]{2})?\M');
            IF part IS NULL AND strpos(r.rest, 'quarter') > 0 THEN
                part := regexp_match(r.rest, '\m(first|second|third|fourth|final|1st|2nd|3rd|4th) (?:fiscal |calendar )?quarter(?: of)?(?: the)?(?: fiscal| calendar)?(?: year)? ?(?:fy)? ?([12][0-9]{3}|[0-9]{2})?\M');
            END IF;
            IF part IS NOT NULL THEN
                unused := CASE WHEN r.quarter <> disclosed.ask_ordinal(part[1]) THEN 'Q' || r.quarter ELSE unused END;
                r.quarter := disclosed.ask_ordinal(part[1]);
                found_years := ARRAY[CASE WHEN length(part[2]) = 2 THEN 2000 ELSE 0 END + part[2]::integer];
                r.rest := regexp_replace(r.rest, '\m(?:q ?[1-4]|(?:first|second|third|fourth|final|1st|2nd|3rd|4th) (?:fiscal |calendar )?quarter)(?: of)?(?: the)?(?: fiscal| calendar)?(?: year)? ?(?:fy)? ?(?:[12][0-9]{3}|[0-9]{2})?\M', ' @ ');
            END IF;
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
    unused := coalesce(unused, CASE WHEN disclosed.ask_says(r.rest, '{past}') THEN (regexp_match(r.rest, '\m(past) @'))[1] END,
                       CASE WHEN disclosed.ask_says(r.rest, '{this}') THEN (regexp_match(r.rest, '\m(this (?:fiscal |calendar )?(?:year|quarter|month|week))\M'))[1] END);
    part := CASE WHEN disclosed.ask_says(r.rest, '{ttm,ltm,trailing,last,past,previous}') THEN regexp_match(r.rest, '\m(ttm|ltm|trailing (?:12|twelve) months?|trailing (?:four|4) quarters|(?:last|past|previous) (?:12|twelve) months?|(?:last|past) (?:four|4) quarters combined|trailing)\M') END;
    r.is_ttm := part IS NOT NULL;
    r.rest := CASE WHEN r.is_ttm THEN disclosed.ask_without(r.rest, part[1]) ELSE r.rest END;
    part := CASE WHEN disclosed.ask_says(r.rest, '{last,past,previous,latest,recent}') THEN regexp_match(r.rest, '\m(?:last|past|previous|latest|recent) ([0-9]{1,2}|two|three|four|five|six|seven|eight|nine|ten) (?:fiscal |reported )?(quarter|year)s\M') END;
    IF part IS NOT NULL AND NOT r.is_ttm THEN
        r.count := disclosed.ask_count(part[1]); r.is_quarterly := part[2] = 'quarter'; r.form := 'list';
        unused := CASE WHEN NOT r.is_quarterly THEN coalesce(unused, (regexp_match(r.rest, '\m(quarterly|by quarter|each quarter|every quarter|per quarter)\M'))[1]) ELSE unused END;
        r.rest := regexp_replace(r.rest, '\m(?:last|past|previous|latest|recent) (?:[0-9]{1,2}|two|three|four|five|six|seven|eight|nine|ten) (?:fiscal |reported )?(?:quarter|year)s\M', ' ');
    END IF;
    latest := CASE WHEN disclosed.ask_says(r.rest, '{latest,recent,last,newest,now,today,past}') THEN (regexp_match(r.rest, '\m(latest|most recent|recent|last|newest|now|today|past)\M'))[1] END;
    r.is_quarterly := coalesce(r.is_quarterly, disclosed.ask_says(r.rest, '{quarter,quarterly,quarters}') AND r.quarter IS NULL AND r.rest !~ '\m(quarter on quarter|previous quarter|prior quarter)\M');
    IF disclosed.ask_says(r.rest, '{latest,recent,recently,newest,now,today,past}') THEN
        r.rest := regexp_replace(r.rest, '\m(latest|most recent|recent|recently|newest|now|today|past)\M', ' ', 'g');
    END IF;
    r.rest := btrim(regexp_replace(r.rest, ' +', ' ', 'g'));

    -- What is asked for: a topic, else metrics.
    IF disclosed.ask_says(r.rest, '{should,buy,recommend,predict,prediction,forecast,will,would,expect,expected,outlook,opinion,think,price,good,invest,stock,share,undervalued,overvalued,worth,tomorrow}')
       AND r.rest ~ '\m(should|buy or|recommend|predict|prediction|forecast|will|would|expect|expected|outlook|opinion|think|price target|good investment|invest in|stock price|share price|undervalued|overvalued|worth buying|tomorrow)\M'
       AND r.rest !~ '\m(will (the )?next|next)\M' THEN
        r.form := 'refused'; r.note := 'It asks for an opinion or the future, and the data say what was disclosed.';
        RETURN r;
    END IF;
    SELECT t.r, t.unused, t.is_topic INTO one FROM disclosed.ask_read_topic(r, plain, of_names, given) t;
    IF one.is_topic THEN
        r := one.r;
        unused := coalesce(unused, one.unused);
        places := places[1:cardinality(r.companies)];
    ELSE
        unused := coalesce(of_end, unused);
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
            IF one.name LIKE '%los%' AND one.name ~ '^(?:(?:net |operating |diluted )?loss(?:es)?(?: per share| from operations)?|net loss per share|(?:lose|lost) per share)$' THEN
                r.role := 'loss';
            END IF;
            marked := regexp_replace(coalesce(marked, r.rest), '\m' || one.name || '\M', '#', 'g');
            r.rest := disclosed.ask_without(r.rest, one.name);
        END LOOP;
        IF r.metrics IS NOT NULL AND disclosed.ask_says(r.rest, '{hold,pay}') THEN -- has it
            r.rest := regexp_replace(r.rest, '\m(did|does|do)\M(.*)\m(?:hold|pay)\M', '\1\2');
        END IF;
        -- What a company earns, makes or loses, if it is not said of what.
        IF r.metrics IS NULL AND disclosed.ask_says(r.rest, '{earn,earned,lose,lost,money}') AND r.rest ~ '\mhow much\M.*\m(?:earn|earned|lose|lost)\M|\mmoney\M.*\m(?:make|made|earn|earned|lose|lost)\M|\m(?:make|made|making|earn|earned|lose|lost|losing) money\M' THEN
            r.metrics := '{net_income}';
            r.role := CASE WHEN r.rest ~ '\m(?:lose|lost|losing)\M' THEN 'loss' END;
            r.rest := btrim(regexp_replace(regexp_replace(r.rest, '\m(?:earn|earned|make|made|making|lose|lost|losing|money)\M', ' ', 'g'), ' +', ' ', 'g'));
        END IF;
        -- Two of them that are no list make a third: inventory turnover, debt to equity. Of several periods each has its own.
        IF marked LIKE '%#%#%' THEN
            IF marked ~ '# (?:(?:of|to|per|by|over|in|on|for|from|as|into) )?(?:(?:the|a|an|total|its|their) )*#' AND NOT disclosed.ask_says(plain, '{compare,compared,comparison}')
               AND regexp_replace(lower(told), '[''’]', '', 'g') !~ ('\m(' || array_to_string(metric_names, '|') || ')\s*[,;&/+]\s*(and |the |total |its )*(' || array_to_string(metric_names, '|') || ')\M') THEN
                unused := coalesce(unused, metric_names[cardinality(metric_names)]);
            ELSIF r.years IS NOT NULL AND marked ~ '#[^#@]*@[^#]*#[^#@]*@|@[^#@]*#[^@]*@[^#@]*#' THEN
                unused := coalesce(unused, r.years[2]::text);
            END IF;
        END IF;
    END IF;

    latest := coalesce(latest, CASE WHEN disclosed.ask_says(r.rest, '{current,currently}') THEN (regexp_match(r.rest, '\m(current|currently)\M(?! (?:assets|liabilities))'))[1] END);
    r.is_latest := latest IS NOT NULL;
    r.rest := btrim(regexp_replace(CASE WHEN disclosed.ask_says(r.rest, '{current,currently}') THEN regexp_replace(r.rest, '\m(current|currently)\M', ' ', 'g') ELSE r.rest END, ' +', ' ', 'g'));

    -- Companies by one word of their names, in the order of the question.
    FOREACH word IN ARRAY string_to_array(r.rest, ' ') LOOP
        CONTINUE WHEN cardinality(r.companies) >= 4 OR r.form IS NOT NULL AND r.companies IS NOT NULL;
        CONTINUE WHEN length(word) < 4 OR word ~ '[0-9]' OR word = ANY (idle) OR word = ANY (of_metrics);
        CONTINUE WHEN subject IS NOT NULL AND r.companies IS NOT NULL AND word = ANY (string_to_array(subject, ' '));
        -- Beside a company another one is named with a word between them. Other words are not taken for companies that begin like them.
        CONTINUE WHEN r.metrics IS NOT NULL AND (r.companies IS NOT NULL OR given IS NOT NULL) AND NOT disclosed.ask_says(plain, '{and,or,versus,vs,against,compare,compared,comparison,than,with}');
        one := NULL;
        CONTINUE WHEN word = ANY (tried);
        -- Beside a name with nothing between them it is part of a longer one, which is not known.
        CONTINUE WHEN lower(told) ~ ('\m(' || replace(array_to_string(names, '|'), ' ', '[^[:alnum:]]+') || ')\s+' || word || '\M|\m' || word || '\s+(' || replace(array_to_string(names, '|'), ' ', '[^[:alnum:]]+') || ')\M');
        SELECT disclosed.ask_company_like(word, cardinality(tried) < 8 AND length(word) <= 40 AND coalesce(r.form, '') NOT IN ('congress', 'position')) AS issuer_id INTO one; -- there it may be a person
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
        IF r.other_end IS NOT NULL AND r.form IS NULL AND (disclosed.ask_says_growth(plain) OR disclosed.ask_says(plain, '{compare,compared,comparison,versus,vs,against}')) THEN
            r.form := 'growth';
        ELSIF r.dimension IS NOT NULL THEN
            r.is_least := disclosed.ask_says(r.rest, '{lowest,smallest,least,worst}');
            r.form := CASE WHEN r.is_least OR r.dimension = 'segment' AND disclosed.ask_says(r.rest, '{highest,largest,biggest,most,greatest,top,best}') THEN 'ranking' ELSE 'value' END;
            r.count := 1;
            unused := coalesce(unused, CASE WHEN cardinality(r.metrics) > 1 OR r.years IS NOT NULL OR r.last_year IS NOT NULL OR r.is_least AND r.dimension <> 'segment' OR r.parts IS NOT NULL
                                            THEN 'by ' || r.dimension END);
        ELSIF r.form IS NULL AND cardinality(r.parts) > 1 AND r.last_year IS NULL AND disclosed.ask_says(r.rest, '{compare,compared,comparison,versus,vs,against,more,less,higher,lower,greater,smaller,bigger,larger}') AND NOT disclosed.ask_says_growth(r.rest) THEN
            r.form := 'comparison';
            r.is_least := disclosed.ask_says(r.rest, '{less,lower,smaller,lowest,smallest,least,worst}') AND NOT disclosed.ask_says(r.rest, '{more,higher,greater,bigger,better,larger,highest,largest,biggest,most,greatest,best}');
        ELSIF r.form IS NULL AND disclosed.ask_says(r.rest, '{highest,largest,biggest,most,greatest,top,best,lowest,smallest,least,worst,rank,ranking}') AND coalesce(cardinality(r.companies), 0) = 0 AND given IS NULL THEN
            r.form := 'ranking';
            r.is_least := disclosed.ask_says(r.rest, '{lowest,smallest,least,worst}');
            part := regexp_match(r.rest, '\mtop ([0-9]{1,2}|two|three|four|five|six|seven|eight|nine|ten)\M|\m(?:the )?([0-9]{1,2}|two|three|four|five|six|seven|eight|nine|ten) (?:companies|largest|biggest|highest|lowest|smallest)\M');
            r.count := coalesce(disclosed.ask_count(coalesce(part[1], part[2])), 1);
            r.rest := CASE WHEN part IS NULL THEN r.rest ELSE regexp_replace(r.rest, '\m' || coalesce(part[1], part[2]) || '\M', ' ') END;
        ELSIF disclosed.ask_says_growth(r.rest) AND r.form IS DISTINCT FROM 'list' THEN
            r.form := 'growth';
            r.is_previous := r.rest ~ '\m(quarter over quarter|quarter on quarter|qoq|previous quarter|prior quarter|preceding quarter|quarter before|quarter earlier|sequentially|sequential)\M';
            r.is_quarterly := r.is_quarterly OR r.is_previous AND r.quarter IS NULL AND r.year IS NULL;
            r.rest := regexp_replace(r.rest, '\m(?<=year |quarter |period )(before|earlier)\M(?! @)|\m(previous|prior|preceding)\M(?= (fiscal )?(year|quarter|period)\M)', ' ', 'g');
        ELSIF coalesce(cardinality(r.companies), 0) > 1 AND r.form IS NULL AND r.last_year IS NULL
              OR cardinality(given) > 1 AND disclosed.ask_says(r.rest, '{compare,versus,vs,more,higher}') THEN
            r.form := 'comparison';
            r.is_least := disclosed.ask_says(r.rest, '{less,lower,smaller,lowest,smallest,least,worst}') AND NOT disclosed.ask_says(r.rest, '{more,higher,greater,bigger,better,larger,highest,largest,biggest,most,greatest,best}');
        ELSIF r.last_year IS NOT NULL OR r.years IS NOT NULL OR r.form = 'list' OR disclosed.ask_says(r.rest, '{history,trend,each,every,per,series,by,over,years,quarters}') AND r.rest ~ '\m(history|trend|each|every|per quarter|per year|series|by year|by quarter|over time|years|quarters)\M'
              OR disclosed.ask_says(r.rest, '{list}') AND r.year IS NULL OR disclosed.ask_says(r.rest, '{quarterly}') AND r.is_quarterly AND NOT r.is_latest THEN
            r.form := 'list';
            r.count := coalesce(r.count, CASE WHEN r.year IS NULL THEN 8 ELSE 40 END);
            r.is_quarterly := r.is_quarterly OR r.rest ~ '\m(by quarter|each quarter|every quarter|per quarter)\M';
            r.rest := regexp_replace(r.rest, '\mper (?=year|quarter)', ' ');
        ELSE
            r.form := 'value';
        END IF;
    END IF;
    r.companies := coalesce((SELECT array_agg(c.issuer_id ORDER BY c.place) FROM unnest(r.companies, places) AS c(issuer_id, place)), given);
    r.companies := CASE WHEN r.person IS NULL THEN r.companies ELSE nullif(array_remove(r.companies, r.person), '{}') END;
    r.rest := btrim(regexp_replace(r.rest, ' +', ' ', 'g'));
    unused := coalesce(unused, CASE WHEN r.form IS NOT NULL THEN disclosed.ask_unused(r, r.rest) END);
    unused := CASE unused WHEN 'latest' THEN latest ELSE unused END;
    -- Days are of one period, that of a number.
    IF r.end_date IS NOT NULL AND r.earlier IS NOT NULL AND (r.metrics IS NULL OR r.form = 'list' OR r.years IS NOT NULL OR r.last_year IS NOT NULL OR r.is_latest OR r.is_quarterly
                                   OR r.other_end IS NOT NULL AND (r.form <> 'growth' OR r.dimension IS NOT NULL) OR r.start_date IS NOT NULL AND (r.form = 'growth' OR EXISTS (SELECT 1 FROM disclosed.canonical_metric m WHERE m.metric_key = ANY (r.metrics) AND m.basis = 'instant'))) THEN
        unused := coalesce(unused, disclosed.ask_day(r.end_date));
    END IF;
    -- Parts are of one company, and of one kind: what is of two kinds is one number of both. One beside the other needs a word between them.
    IF r.parts IS NOT NULL OR r.dimension IS NOT NULL THEN
        unused := coalesce(unused, CASE
            WHEN r.metrics IS NULL OR r.companies IS DISTINCT FROM ARRAY[whole] AND given IS DISTINCT FROM ARRAY[whole] THEN coalesce(disclosed.ask_part_name(whole, r.parts[1]), r.dimension)
            WHEN cardinality(r.parts) > 1 AND (disclosed.ask_says(plain, '{total}') OR NOT disclosed.ask_parts_are_alike(whole, r.parts)
                                               OR r.rest ~ '\* (?!(?:and|or|versus|vs|against|compared|with|than|to)\M)(?:[^* ]+ )*\*' AND position(',' IN told) = 0)
                 THEN disclosed.ask_part_name(whole, r.parts[cardinality(r.parts)])
            -- One metric more often than parts: once of the whole company.
            WHEN length(marked) - length(replace(marked, '#', '')) > greatest(length(marked) - length(replace(marked, '*', '')), cardinality(r.metrics)) THEN metric_names[1]
            WHEN cardinality(r.parts) > 6 THEN disclosed.ask_part_name(whole, r.parts[7]) END);
    END IF;
    IF r.role = 'loss' AND r.metrics IS NOT NULL AND r.form <> 'value' THEN -- of several, some may be none
        unused := coalesce(unused, (regexp_match(plain, '\m(loss|losses|lose|lost|losing)\M'))[1]);
    END IF;
    r.count := coalesce(disclosed.ask_topic_count(r, plain), r.count);
    r.rest := array_to_string(ARRAY(SELECT w FROM string_to_table(r.rest, ' ') w WHERE w NOT IN ('', '@', '*') AND w <> ALL (idle)), ' ');
    r.form := CASE WHEN r.rest <> '' OR is_long OR subject IS NOT NULL AND r.companies IS NOT NULL THEN 'text' ELSE coalesce(r.form, 'text') END;
    SELECT p[1] AS word, disclosed.ask_two_companies(p[1]) AS companies INTO one FROM regexp_matches(told, '(?<![[:alnum:]$])([A-Z][A-Z0-9]|[0-9][A-Z])(?![[:alnum:]])', 'g') p
    WHERE r.companies IS NULL AND r.metrics IS NOT NULL AND disclosed.ask_two_companies(p[1]) IS NOT NULL LIMIT 1;
    IF FOUND THEN
        r.form := 'refused'; r.note := disclosed.ask_ended(one.word || ' may be ' || one.companies);
    ELSIF several IS NOT NULL AND r.metrics IS NOT NULL THEN
        r.form := 'refused'; r.note := disclosed.ask_ended(disclosed.ask_company(whole) || ' has several parts of that name: ' || several);
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

-- Most texts have no such name, which costs less to see: a connection plans the query for the first that has one.
CREATE OR REPLACE FUNCTION formerly_named(body text) RETURNS TABLE (issuer_id bigint, name text, rank integer) LANGUAGE plpgsql STABLE AS $$
DECLARE
    names CONSTANT text[] := ARRAY(SELECT n.name FROM disclosed.name_candidates(body) n WHERE n.words < 4 AND length(n.name) > 3);
BEGIN
    -- A listed company that still has the name is none.
    IF NOT EXISTS (SELECT 1 FROM unnest(names) n JOIN disclosed.issuer_name f ON f.words = upper(n) JOIN disclosed.issuer i ON i.issuer_id = f.issuer_id AND i.ticker IS NOT NULL
                   WHERE disclosed.name_core(i.name) <> n) THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT min(f.issuer_id), n.name, 6 - n.words
    FROM disclosed.name_candidates(body) n
    JOIN disclosed.issuer_name f ON f.words = upper(n.name)
    JOIN disclosed.issuer i ON i.issuer_id = f.issuer_id AND i.ticker IS NOT NULL
    WHERE n.words < 4 AND length(n.name) > 3
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer o WHERE disclosed.name_core(o.name) = n.name AND o.ticker IS NOT NULL)
    GROUP BY n.name, n.words HAVING count(DISTINCT f.issuer_id) = 1;
END $$;

-- Read only if there is such a name.
CREATE OR REPLACE FUNCTION otherwise_named(body text) RETURNS TABLE (issuer_id bigint, name text, rank integer) LANGUAGE plpgsql STABLE AS $$
DECLARE
    said CONSTANT text[] := disclosed.ask_fillers() || disclosed.ask_form_words();
    names CONSTANT text[] := ARRAY(SELECT n.name FROM disclosed.name_candidates(body) n);
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.company_alias a WHERE a.alias = ANY (names))
       AND NOT EXISTS (SELECT 1 FROM unnest(names) n JOIN disclosed.issuer i ON replace(disclosed.name_core(i.name), ' ', '') = replace(n, ' ', '')
                       WHERE length(n) > 5 AND disclosed.name_core(i.name) <> n) THEN -- as the company has it, it is found as such
        RETURN;
    END IF;
    RETURN QUERY
    WITH candidate AS MATERIALIZED (SELECT * FROM disclosed.name_candidates(body))
    SELECT min(f.issuer_id), f.name, 6 - f.words
    FROM (SELECT i.issuer_id, n.name, n.words
          FROM candidate n JOIN disclosed.company_alias a ON a.alias = n.name JOIN disclosed.issuer i ON i.cik = a.cik AND i.ticker IS NOT NULL
          UNION
          SELECT i.issuer_id, n.name, n.words
          FROM candidate n JOIN disclosed.issuer i ON replace(disclosed.name_core(i.name), ' ', '') = replace(n.name, ' ', '') AND i.ticker IS NOT NULL
          WHERE length(n.name) > 5 AND n.words < 4 AND NOT string_to_array(n.name, ' ') <@ said) f
    WHERE NOT EXISTS (SELECT 1 FROM disclosed.issuer o WHERE disclosed.name_core(o.name) = f.name AND o.ticker IS NOT NULL)
    GROUP BY f.name, f.words HAVING count(DISTINCT f.issuer_id) = 1;
END $$;

-- Names with "&" or "-" are looked for only if the question has what they are written with. One company may be returned twice.
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
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer o WHERE disclosed.name_core(o.name) = lower(w.word) AND o.ticker IS NOT NULL);
    IF strpos(lower(body), 'and') > 0 THEN
        RETURN QUERY
        SELECT i.issuer_id, n.name, 6 - n.words -- "&" in words
        FROM disclosed.name_candidates(body) n
        JOIN disclosed.issuer i ON disclosed.name_core(i.name) = replace(n.name, ' and ', ' ')
        WHERE n.name LIKE '_% and %_' AND i.name LIKE '%&%' AND i.ticker IS NOT NULL;
    END IF;
    IF strpos(body, '&') > 0 OR body ~ '[A-Z]of[A-Z]' THEN
        RETURN QUERY
        SELECT min(i.issuer_id), s.name, 3 -- P&G, BofA
        FROM (SELECT DISTINCT disclosed.plain_words(p[1]) AS name, lower(regexp_replace(p[1], '\s', '', 'g')) AS initials
              FROM regexp_matches(body, '(?<![[:alnum:]&])([[:alpha:]]{1,3}(?:\s?&\s?[[:alpha:]]{1,3}){1,2}|[A-Z]of[A-Z])(?![[:alnum:]&])', 'g') p LIMIT 8) s
        JOIN disclosed.issuer i ON disclosed.name_initials(i.name) = s.initials AND i.name ~* '\m(and|of)\M|\s&\s' AND i.ticker IS NOT NULL
        WHERE NOT EXISTS (SELECT 1 FROM disclosed.issuer o WHERE disclosed.name_core(o.name) = s.name AND o.ticker IS NOT NULL)
        GROUP BY s.name HAVING count(DISTINCT i.issuer_id) = 1;
    END IF;
    IF strpos(body, '-') > 0 THEN
        RETURN QUERY
        SELECT min(i.issuer_id), s.name, 3 -- H-P
        FROM (SELECT DISTINCT disclosed.plain_words(p[1]) AS name, lower(replace(p[1], '-', '')) AS letters
              FROM regexp_matches(body, '(?<![[:alnum:]-])([A-Z](?:-[A-Z]){1,2})(?![[:alnum:]-])', 'g') p LIMIT 8) s
        JOIN disclosed.issuer i ON disclosed.name_core(i.name) = s.letters AND i.ticker IS NOT NULL
        GROUP BY s.name HAVING count(DISTINCT i.issuer_id) = 1;
    END IF;
    RETURN QUERY SELECT f.issuer_id, f.name, f.rank FROM disclosed.formerly_named(body) f;
    RETURN QUERY SELECT o.issuer_id, o.name, o.rank FROM disclosed.otherwise_named(body) o;
END $$;

-- What is stored of a topic; the query of no other is planned.
CREATE FUNCTION ask_topic_records(r ask_reading, of_issuer bigint, first_day date, last_day date, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
BEGIN
    CASE
        WHEN r.form = 'executive' THEN RETURN QUERY SELECT * FROM disclosed.ask_executive_records(r, of_issuer, first_day, last_day, r.count, instant);
        WHEN r.form = 'short_interest' THEN RETURN QUERY SELECT * FROM disclosed.ask_short_interest_records(r, of_issuer, first_day, last_day, r.count, instant);
        WHEN r.form = 'insider' THEN RETURN QUERY SELECT * FROM disclosed.ask_insider_records(r, of_issuer, first_day, last_day, r.count, instant);
        WHEN r.form = 'congress' THEN RETURN QUERY SELECT * FROM disclosed.ask_congress_records(r, of_issuer, first_day, last_day, r.count, instant);
        WHEN r.form = 'holder' THEN RETURN QUERY SELECT * FROM disclosed.ask_holder_records(r, of_issuer, first_day, last_day, r.count, instant);
        WHEN r.form = 'position' THEN RETURN QUERY SELECT * FROM disclosed.ask_position_records(r, of_issuer, first_day, last_day, r.count, instant);
        WHEN r.form = 'fund' THEN RETURN QUERY SELECT * FROM disclosed.ask_fund_records(r, of_issuer, first_day, last_day, r.count, instant);
        WHEN r.form = 'owner' THEN RETURN QUERY SELECT * FROM disclosed.ask_owner_records(r, of_issuer, first_day, last_day, r.count, instant);
        WHEN r.form IN ('split', 'dividend', 'spinoff', 'm_and_a') THEN RETURN QUERY SELECT * FROM disclosed.ask_action_records(r, of_issuer, first_day, last_day, r.count, instant);
        WHEN r.form = 'event' THEN RETURN QUERY SELECT * FROM disclosed.ask_event_records(r, of_issuer, first_day, last_day, r.count, instant);
        ELSE NULL;
    END CASE;
END $$;

-- The records are read by ask_topic_records().
CREATE OR REPLACE FUNCTION ask_topic_lines(r ask_reading, instant timestamptz, since date, until date) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE AS $$
DECLARE
    note disclosed.ask_line; -- what is not found
    subject bigint; -- a company; NULL: all that the person trades or holds
    place integer := 0;
    found integer;
    has_more boolean; -- than are told of
    day_told date;
    of_quarter CONSTANT boolean := r.form = 'event' AND r.quarter IS NOT NULL; -- it is a fiscal one, whose year is no days
    first_day CONSTANT date := (SELECT d.first_day FROM disclosed.ask_bounds(r, since, until) d);
    last_day CONSTANT date := (SELECT d.last_day FROM disclosed.ask_bounds(r, since, until) d);
    about text; -- whom or what is not stored, or not told
    range_told text; -- the range of the amount of the trade told last
    has_same boolean; -- a trade that is not told has it, too
    l record;
    near text;
BEGIN
    IF coalesce(cardinality(r.companies), 0) = 0 AND r.person IS NULL AND r.insider_name IS NULL AND NOT coalesce(r.of_all, false) THEN
        note.body := 'The question names no company that is known here.';
        RETURN NEXT note;
        RETURN;
    END IF;
    FOREACH subject IN ARRAY coalesce(r.companies[1:4], ARRAY[NULL::bigint]) LOOP
        found := place;
        has_more := false;
        has_same := false;
        about := coalesce(r.insider_name || coalesce(' and ' || disclosed.ask_company(subject), ''), disclosed.ask_company(subject), disclosed.ask_company(r.person), 'members of Congress');
        FOR l IN SELECT * FROM disclosed.ask_topic_records(r, subject, first_day, last_day, instant) LOOP
            IF place - found >= r.count AND (r.form NOT IN ('split', 'dividend') OR l.day <> day_told) THEN
                has_same := has_same OR NOT has_more AND r.form = 'congress' AND r.by_size AND l.printed[5] = range_told;
                has_more := true;
                CONTINUE;
            END IF;
            place := place + 1;
            day_told := l.day;
            range_told := CASE r.form WHEN 'congress' THEN l.printed[5] END;
            RETURN NEXT ROW(place, l.said || ' [1].', l.dataset, disclosed.ask_src_id(l.dataset, l.src_digest),
                            coalesce(l.symbol, (SELECT i.symbol FROM disclosed.issuer i WHERE i.issuer_id = l.company)), l.metric_key,
                            json_build_object('calendar', NULL, 'fiscal', NULL, 'start_date', NULL, 'end_date', l.day, 'kind', 'instant'), l.value,
                            CASE WHEN l.value IS NOT NULL THEN l.unit END, disclosed.ask_source_url(l.source_id, l.accession, l.filer),
                            array_remove(l.printed || disclosed.ask_company(l.company), NULL), 'high')::disclosed.ask_line;
        END LOOP;
        note.body := CASE
            WHEN place = found THEN disclosed.ask_ended('Nothing of that kind is stored about ' || about
                                                        || coalesce(' ' || CASE WHEN of_quarter THEN 'of Q' || r.quarter || ' FY' || r.year ELSE disclosed.ask_span(first_day, last_day) END, ''))
            WHEN has_same THEN 'The amounts are ranges: other trades have that of the last one, too; named are the latest of them.'
            WHEN r.most IS NOT NULL THEN NULL
            WHEN has_more AND (r.form IN ('holder', 'position', 'fund', 'owner') OR r.by_size) THEN 'More of ' || about || ' are stored; named are the largest.'
            WHEN has_more AND NOT r.is_latest AND (r.form <> 'short_interest' OR r.start_date IS NOT NULL)
                THEN 'More of ' || about || ' are stored; named are the latest.' END;
        IF note.body IS NOT NULL THEN
            RETURN NEXT note;
        END IF;
        IF r.form = 'insider' AND r.by_size AND EXISTS (SELECT 1 FROM disclosed.ask_insider_transactions(r, subject, first_day, last_day, instant) t WHERE disclosed.ask_size(t, r.role) IS NULL) THEN
            note.body := 'Transactions for which the form states no price are not ranked.';
            RETURN NEXT note;
        END IF;
        IF place = found AND r.form = 'short_interest' THEN -- it is stated twice a month
            SELECT string_agg(disclosed.ask_day(d.day), ' and ' ORDER BY d.day) INTO near
            FROM (SELECT max(t.settlement_date) AS day FROM disclosed.short_interest t WHERE t.issuer_id = subject AND t.settlement_date < first_day AND t.known_at <= coalesce(instant, now())
                  UNION SELECT min(t.settlement_date) FROM disclosed.short_interest t WHERE t.issuer_id = subject AND t.settlement_date > last_day AND t.known_at <= coalesce(instant, now())) d;
            note.body := 'The nearest is of ' || near || '.';
            IF near IS NOT NULL THEN
                RETURN NEXT note;
            END IF;
        END IF;
    END LOOP;
    IF place > 0 AND r.note IS NOT NULL THEN -- which reading it is
        note.body := r.note;
        RETURN NEXT note;
    END IF;
END $$;
