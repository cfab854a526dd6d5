-- Words that the answer would not use are refused, where they are among those that most questions have without a meaning of their own: only, both,
-- number of, who, where. So is what stands between two companies, of which the answer would tell apart. And a refusal says why, and names words as they are written.

SET LOCAL search_path = disclosed, public;

-- The first of the words that is one of these.
CREATE FUNCTION ask_first_of(words text[], these text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT w.word FROM unnest(words) WITH ORDINALITY AS w(word, place) WHERE w.word = ANY (these) ORDER BY w.place LIMIT 1
$$;

-- Each record is told by itself: no count, no sum, and nothing about those that are not told.
CREATE FUNCTION ask_overlooked_of_records(r ask_reading, body text, told text, latest text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    words CONSTANT text[] := string_to_array(body, ' ');
    named CONSTANT integer := coalesce(cardinality(r.companies), 0);
    of_one CONSTANT boolean := r.person IS NOT NULL OR r.insider_name IS NOT NULL;
    of_several CONSTANT boolean := r.form IN ('insider', 'congress', 'holder', 'fund', 'owner') OR r.form = 'position' AND named = 0 OR r.form = 'change' AND NOT of_one;
    is_event CONSTANT boolean := r.form IN ('dividend', 'split', 'spinoff', 'm_and_a', 'event');
BEGIN
    IF latest = 'past' OR latest = 'today' AND (is_event OR r.form IN ('insider', 'congress')) THEN
        RETURN latest;
    ELSIF NOT words && '{only,just,both,also,all,throughout,end,number,numbers,amount,amounted,value,totaled,totalled,percent,percentage,shares,co,who,whom,what,where,from,to,results,statement,annual,yearly,mutual,dividend,dividends,
                         report,reported,disclose,disclosed,publish,published,announce,announced}' THEN
        RETURN NULL;
    END IF;
    RETURN coalesce(
        CASE WHEN words && '{only}' AND body !~ '^only\M|^(what|which|who) are the only\M|\m(show|list|give|tell|me|name|want|need) only\M' THEN 'only' END,
        CASE WHEN words && '{just}' AND r.form IN ('holder', 'fund', 'position', 'owner') AND body !~ '^just\M|\m(show|list|give|tell|me|name|want|need) just\M' THEN 'just' END,
        CASE WHEN words && '{both,also}' AND named > 1 AND NOT of_one AND of_several THEN disclosed.ask_first_of(words, '{both,also}') END,
        CASE WHEN words && '{throughout}' AND r.form IN ('holder', 'fund', 'position', 'owner') THEN 'throughout' END,
        CASE WHEN words && '{all}' AND body ~ '\mall (of )?(its|his|her|their)\M|^(did|do|have|has) all\M|\m(own|owns|owned|hold|holds|held|sell|sells|sold|buy|buys|bought) all (of|shares)\M|\mall of @' THEN 'all' END,
        CASE WHEN words && '{end}' AND (is_event OR r.form IN ('insider', 'congress')) AND body ~ '\mend (of )?(the )?(year )?@' THEN 'end' END,
        -- The largest of what has no price, and changes, are so by their number of shares, and so are those who hold one company.
        CASE WHEN words && '{number,numbers}' AND (of_several OR is_event) AND NOT (coalesce(r.by_size, false) AND r.role IN ('grant', 'gift', 'option_exercise'))
                  AND NOT (r.form IN ('holder', 'fund', 'change') AND body ~ '\m(largest|biggest|greatest|by|by the) number of shares\M') THEN disclosed.ask_first_of(words, '{number,numbers}') END,
        CASE WHEN of_several AND strpos(body, 'by value') = 0 THEN disclosed.ask_first_of(words, '{amount,amounted,value}') WHEN r.form = 'short_interest' THEN disclosed.ask_first_of(words, '{value}') END,
        disclosed.ask_first_of(words, '{totaled,totalled}'),
        CASE WHEN words && '{where}' AND NOT is_event AND NOT words && '{find,get,look}' THEN 'where' END,
        -- Whom somebody traded with: a name stood behind it.
        CASE WHEN (of_one OR r.form = 'insider') AND r.role IN ('sale', 'purchase') AND words && '{from,to}' THEN (regexp_match(r.rest, '\m(from|to)(?: in)?(?: @)?$'))[1] END,
        CASE r.form
            WHEN 'executive' THEN CASE WHEN words && '{co}' AND told ~* '\mco-' THEN 'co' END
            WHEN 'short_interest' THEN disclosed.ask_first_of(words, '{who,whom}')
            WHEN 'insider' THEN CASE WHEN r.by_size AND r.role IN ('sale', 'purchase') AND words && '{shares}' AND body ~ '\m(in|by) shares\M' THEN 'shares' END
            WHEN 'change' THEN CASE WHEN NOT of_one AND words && '{most,largest,biggest,greatest,top}' THEN disclosed.ask_first_of(words, '{percent,percentage}') END
            WHEN 'fund' THEN CASE WHEN words && '{mutual}' THEN 'mutual' END
            WHEN 'dividend' THEN CASE WHEN words && '{stock,share}' AND body ~ '\m(a|an|any|no|pay|pays|paid|declare|declared|as|in) (stock|share) dividends?\M' THEN disclosed.ask_first_of(words, '{stock,share}') END
            WHEN 'event' THEN disclosed.ask_overlooked_at_event(r, body)
        END,
        -- The days of trades are those on which they were made.
        CASE WHEN r.form IN ('insider', 'congress', 'short_interest') AND words && '{report,reported,disclose,disclosed,publish,published,announce,announced}'
                  AND body ~ '\m(report|reported|disclose|disclosed|publish|published|announce|announced) (in|on|during) (@|month[0-9]+|day[0-9]+)'
             THEN disclosed.ask_first_of(words, '{report,reported,disclose,disclosed,publish,published,announce,announced}') END);
END $$;

-- Of an event the day is told: not what happened, or who was there.
CREATE FUNCTION ask_overlooked_at_event(r ask_reading, body text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    words CONSTANT text[] := string_to_array(body, ' ');
BEGIN
    IF r.role = 'earnings' AND words && '{annual,yearly}' THEN -- those of a quarter are told
        RETURN disclosed.ask_first_of(words, '{annual,yearly}');
    ELSIF words && '{when,date,time}' OR words && '{day}' AND body ~ '\m(what|which) day\M' THEN
        RETURN NULL;
    ELSIF r.role <> 'earnings' AND words && '{results,statement}' THEN
        RETURN disclosed.ask_first_of(words, '{results,statement}');
    ELSIF words && '{what,who,whom}' AND body ~ '\m(what|who|whom)( \w+)? (did|does|do|has|have|had|can|come|came)\M' THEN
        RETURN coalesce(disclosed.ask_first_of(words, '{announce,announced,say,said,present,presented,show,showed,tell,publish,published,disclose,disclosed,report,reported,state,come,came}'), disclosed.ask_first_of(words, '{what,who,whom}'));
    END IF;
    RETURN NULL;
END $$;

-- A number is told: not how it came about, who made it, or where it stands.
CREATE FUNCTION ask_overlooked_of_numbers(r ask_reading, body text, metric_names text[], marked text, latest text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    words CONSTANT text[] := string_to_array(body, ' ');
BEGIN
    RETURN coalesce(
        CASE WHEN words && '{only}' AND body ~ '\mthe only\M|\m(did|does|do|has|have|had) only\M' THEN 'only' END,
        CASE WHEN latest = 'today' AND words && '{do,does,did}' AND words && '{report,announce,publish,disclose}' THEN 'today' END,
        CASE WHEN words && '{last}' AND (r.quarter IS NOT NULL OR r.is_quarterly) AND r.year IS NULL AND body ~ '\mlast (fiscal |calendar )?year\M'
                  AND NOT (r.form = 'growth' AND body ~ '\m(to|over|than|from|with|versus|vs|against|since) (the )?last (fiscal |calendar )?year\M') THEN 'last year' END,
        -- How growth itself has changed.
        CASE WHEN r.form = 'growth' AND words && '{growth}' AND words && '{change,changed,decline,declined,fall,fell,fallen,rise,rose,risen,increase,increased,decrease,decreased,drop,dropped,gain,gained,shrink,shrank,slow}'
                  AND NOT words && '{or,and}' THEN 'growth' END,
        CASE WHEN 'sell' = ANY (metric_names) AND NOT words && '{much}' THEN 'sell' END,
        CASE WHEN words && '{where}' AND words && '{from,make,makes,made,generate,generated,get,gets,report,reported,publish,published,disclose,disclosed}' THEN 'where' END,
        CASE WHEN words && '{how}' AND words && '{recognize,recognized,generate,generated,achieve,achieved,account,make,made,produce,produced,get,book,booked,realize,realized}'
                  AND body ~ '\mhow (does|do|did|is|are|was|were|can)\M' THEN 'how' END,
        CASE WHEN words && '{who}' AND r.form = 'value' AND cardinality(r.companies) = 1 THEN 'who' END,
        CASE WHEN words && '{filing,statement}' AND body ~ '\m(which|what) (filing|statement)\M' THEN disclosed.ask_first_of(words, '{filing,statement}') END,
        CASE WHEN words && '{with}' AND body ~ '\mdo with\M' THEN 'with' END,
        CASE WHEN words && '{which,what}' AND words && '{year,quarter,period,month}' AND r.form = 'value' AND r.year IS NULL THEN (regexp_match(body, '\m(?:in|during) ((?:which|what) (?:fiscal |calendar )?(?:year|quarter|period|month))\M'))[1] END,
        CASE WHEN words && '{financial}' AND marked ~ '\mfinancial #' THEN 'financial' END);
END $$;

-- Companies are told of apart, each as the one that the question is about. `places` are theirs in the plain words.
CREATE FUNCTION ask_overlooked_companies(r ask_reading, plain text, told text, body text, places integer[], metric_names text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    at CONSTANT integer[] := ARRAY(SELECT p FROM unnest(places) p WHERE p > 0 ORDER BY p);
    is_topic CONSTANT boolean := r.metrics IS NULL;
    of_one CONSTANT boolean := r.person IS NOT NULL OR r.insider_name IS NOT NULL;
    before text[]; -- the words before the first
    between text[]; -- those between two
    names text[];
    of_metrics integer[]; -- their places
BEGIN
    IF cardinality(at) = 0 OR r.form IS NULL OR r.form = 'refused' THEN
        RETURN NULL;
    END IF;
    -- What the company itself holds or trades is another question.
    IF is_topic AND NOT of_one AND r.form IN ('fund', 'holder', 'owner', 'm_and_a', 'short_interest', 'insider') THEN
        before := string_to_array(btrim(left(plain, at[1] - 1)), ' ');
        IF before[cardinality(before)] = 'by' AND r.form <> 'insider' THEN
            RETURN array_to_string(before[cardinality(before) - 1:], ' ');
        ELSIF before[cardinality(before)] = ANY ('{does,did,do,has,have}') AND r.form IN ('fund', 'holder', 'owner', 'insider') THEN
            between := regexp_match(body, CASE r.form WHEN 'insider' THEN '\m(?:does|did|do|has|have) (sell|sold|buy|bought|purchase|purchased)\M' ELSE '\m(?:does|did|do|has|have) (?:beneficially |also |still )?(own|owned|hold|held|invest|invested)\M' END);
            IF between IS NOT NULL THEN
                RETURN between[1];
            END IF;
        END IF;
    END IF;
    IF cardinality(at) < 2 OR is_topic AND of_one OR r.form = 'list' AND is_topic THEN
        RETURN NULL;
    END IF;
    -- Each number is that of each company.
    IF cardinality(metric_names) = 2 AND cardinality(at) = 2 THEN
        of_metrics := ARRAY(SELECT position(' ' || n || ' ' IN ' ' || plain || ' ') FROM unnest(metric_names) n ORDER BY 1);
        IF of_metrics[1] > 0 AND (at[1] < of_metrics[1] AND of_metrics[1] < at[2] AND at[2] < of_metrics[2] OR of_metrics[1] < at[1] AND at[1] < of_metrics[2] AND of_metrics[2] < at[2]) THEN
            RETURN (SELECT n FROM unnest(metric_names) n ORDER BY position(' ' || n || ' ' IN ' ' || plain || ' ') DESC LIMIT 1);
        END IF;
    END IF;
    IF told ~ '[,;&/+]' OR disclosed.ask_says(plain, '{compare,compared,compares,comparison}') THEN
        RETURN NULL;
    END IF;
    names := ARRAY(SELECT w FROM disclosed.issuer i CROSS JOIN string_to_table(disclosed.plain_words(i.name), ' ') w WHERE i.issuer_id = ANY (r.companies))
             || ARRAY(SELECT lower(i.ticker) FROM disclosed.issuer i WHERE i.issuer_id = ANY (r.companies));
    FOR n IN 1 .. cardinality(at) - 1 LOOP
        between := ARRAY(SELECT w.word FROM string_to_table(btrim(substr(plain, at[n], at[n + 1] - at[n])), ' ') WITH ORDINALITY AS w(word, place) WHERE w.word <> ALL (names) AND w.place > 1 ORDER BY w.place);
        CONTINUE WHEN cardinality(between) = 0 OR between && '{and,or,versus,vs,against,than,as,plus,slash}';
        IF is_topic THEN
            RETURN array_to_string(between[1:4], ' ');
        ELSIF between && '{from,to,with,on,at,by,sell,sells,sold,buy,bought,report,disclose,publish,pay,paid,own,owns}' THEN
            RETURN disclosed.ask_first_of(between, '{from,to,with,on,at,by,sell,sells,sold,buy,bought,report,disclose,publish,pay,paid,own,owns}');
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

-- "Announced" is the day of the declaration, and exchange traded funds are those alone.
CREATE OR REPLACE FUNCTION ask_read_topic(INOUT r ask_reading, plain text, of_names text[], given bigint[], OUT unused text, OUT is_topic boolean) LANGUAGE plpgsql STABLE AS $$
DECLARE
    sold CONSTANT text := '\m(sold|sell|selling|sales?|sells|disposed)\M';
    bought CONSTANT text := '\m(bought|buys?|buying|purchased?|purchases|acquired)\M';
    roles CONSTANT text[] := '{ceo|chief executive,cfo|chief financial,coo|chief operating,chairman|chair,president,general counsel}';
    role_names CONSTANT text[] := '{chief executive,chief financial,chief operating,chair,president,general counsel}';
    kept CONSTANT disclosed.ask_reading := r;
    asked disclosed.ask_reading; -- if it is about who trades or holds
    one record;
    topic text;
BEGIN
    asked := disclosed.ask_read_person(r, plain, given);
    IF asked.form = 'refused' THEN -- several people have that name
        r := asked;
        is_topic := true;
        RETURN;
    END IF;
    topic := disclosed.ask_topic_of(asked, of_names, given);
    is_topic := topic IS NOT NULL;
    IF NOT is_topic THEN
        RETURN;
    END IF;
    IF topic IN ('congress', 'position', 'change') OR topic = 'insider' AND asked.insider_name IS NOT NULL THEN
        r := asked;
    END IF;
    r.form := topic;
    r.of_all := topic = 'congress' AND r.person IS NULL AND coalesce(r.companies, given) IS NULL
                AND plain ~ '\m(members|senators|representatives|lawmakers|politicians|congress|congressional|congressmen|congresswomen)\M'
                AND plain !~ '\m(it|its|they|their|them|this|that|these|those|company|companies|firms?|business|businesses|corp|corporation|issuers?)\M';
    r.role := CASE
        WHEN topic = 'executive' THEN (SELECT n FROM unnest(roles, role_names) AS x(pattern, n) WHERE r.rest ~ ('\m(' || x.pattern || ')\M') LIMIT 1)
        WHEN topic IN ('insider', 'congress') AND r.rest ~ sold THEN 'sale'
        WHEN topic IN ('insider', 'congress') AND r.rest ~ bought THEN 'purchase'
        WHEN topic = 'congress' AND r.rest ~ '\mexchange[ds]?\M' THEN 'exchange'
        WHEN topic = 'insider' THEN CASE WHEN r.rest ~ '\m(grants?|granted|awards?|awarded)\M' THEN 'grant' WHEN r.rest ~ '\m(gifts?|gifted)\M' THEN 'gift' WHEN r.rest ~ '\mexercise[ds]?\M' THEN 'option_exercise' END
        WHEN topic = 'change' THEN CASE WHEN r.rest ~ ('\m(' || disclosed.ask_rise() || ')\M') THEN 'increase' WHEN r.rest ~ ('\m(' || disclosed.ask_fall() || ')\M') THEN 'decrease' END
        WHEN topic = 'dividend' THEN CASE WHEN r.rest ~ '\m(pay|paid|payments?)\M' THEN 'payment' WHEN r.rest ~ '\m(declare|declared|announce|announced)\M' THEN 'declaration' END -- of the day
        WHEN topic = 'owner' AND r.rest ~ '\m(more than|over|above|at least) 5(?: percent)?(?: (?:of|in|at)\M|$)' THEN 'over five'
        WHEN topic = 'event' THEN CASE WHEN r.rest ~ '\m(agm|annual meeting)\M' THEN 'agm' WHEN r.rest ~ '\minvestor day\M' THEN 'investor_day' ELSE 'earnings' END END;
    r.capacity := CASE
        WHEN topic = 'insider' AND r.rest !~ '\mdirectors and officers\M' THEN CASE WHEN r.rest ~ '\mdirectors?\M' THEN 'director' WHEN r.rest ~ '\m(officers?|executives)\M' THEN 'officer' END
        WHEN topic = 'congress' THEN CASE WHEN r.rest ~ '\m(senators?|senate)\M' THEN 'senate' WHEN r.rest ~ '\m(representatives?|house|congress(man|men|woman|women))\M' THEN 'house' END
        WHEN topic = 'fund' AND r.rest ~ '\metfs?\M|\mexchange traded funds?\M' AND r.rest !~ '(?<!exchange traded )\mfunds?\M' THEN 'etf'
        WHEN topic = 'owner' THEN upper(replace((regexp_match(r.rest, '\m(13 ?[dg])\M'))[1], ' ', '')) END;
    unused := coalesce(
        -- A member who is not known, or may be one of several.
        CASE WHEN topic = 'congress' AND r.person IS NULL THEN (SELECT p[1] FROM regexp_matches(plain, '\m(?:senator|representative|congressman|congresswoman|rep|sen) (\w+)') p
                                                               WHERE p[1] <> ALL (disclosed.ask_fillers() || disclosed.ask_qualifiers() || disclosed.ask_topic_words(topic)) LIMIT 1) END,
        CASE WHEN topic = 'congress' AND r.person IS NULL THEN (regexp_match(plain, '\m(congress(?:man|men|woman|women))\M'))[1] END, -- which of them
        CASE WHEN topic = 'congress' THEN (regexp_match(plain, '\m(?:senators?|representatives?|lawmakers?|politicians?|members?) ((?:from|of|for) (?!(?:the )?(?:us |u s )?(?:congress|house|senate)\M)\w+)'))[1] END,
        CASE WHEN r.year IS NOT NULL AND (topic <> 'event' OR r.quarter IS NULL) AND plain ~ '\m(fiscal|fy ?[0-9]+)\M' THEN 'fiscal' END, -- records have days
        CASE WHEN topic = 'change' THEN CASE WHEN r.role = 'increase' THEN (regexp_match(r.rest, '\m(' || disclosed.ask_fall() || ')\M'))[1]
                                             WHEN r.role IS NULL AND r.person IS NULL THEN (regexp_match(r.rest, '\m(change[ds]?)\M'))[1] END END,
        CASE WHEN topic = 'event' AND r.rest ~ '\m(next|upcoming|will)\M' THEN (regexp_match(r.rest, '\m(last|previous)\M'))[1] END,
        CASE WHEN topic IN ('insider', 'congress') AND r.rest ~ sold THEN (regexp_match(r.rest, bought))[1] END,
        CASE WHEN topic IN ('insider', 'congress') AND r.role IN ('sale', 'purchase')
             THEN (regexp_match(r.rest, '\m(grants?|granted|awards?|awarded|gifts?|gifted|exercise[ds]?|exchange[ds]?)\M'))[1] END,
        CASE r.capacity WHEN 'senate' THEN (regexp_match(r.rest, '\m(representatives?|house)\M'))[1]
                        WHEN 'director' THEN (regexp_match(r.rest, '\m(officers?|executives)\M'))[1]
                        WHEN '13D' THEN (regexp_match(r.rest, '\m(13 ?g)\M'))[1] WHEN '13G' THEN (regexp_match(r.rest, '\m(13 ?d)\M'))[1] END,
        CASE WHEN topic = 'executive' THEN (SELECT (regexp_match(r.rest, '\m(' || x.pattern || ')\M'))[1] FROM unnest(roles, role_names) AS x(pattern, n)
                                            WHERE x.n <> r.role AND r.rest ~ ('\m(' || x.pattern || ')\M') LIMIT 1) END,
        -- What a company trades with insiders is another question, and so are options.
        CASE WHEN topic = 'insider' THEN (regexp_match(r.rest, '\m(from|to) (?:(?:its|the|their|other|any|all) )*(?:insiders?|directors?|officers?|executives)\M'))[1] END,
        CASE WHEN topic = 'insider' AND r.role IS DISTINCT FROM 'grant' THEN (regexp_match(r.rest, '\m(receive[ds]?)\M'))[1] END,
        CASE WHEN topic = 'insider' AND r.role IS DISTINCT FROM 'option_exercise' THEN (regexp_match(r.rest, '\m(options?)\M'))[1] END);
    r.note := CASE WHEN topic = 'insider' AND r.insider_name IS NULL AND plain !~ '\m(insiders?|form 4|directors?|officers?|executives)\M' THEN 'Named are insiders; holders and members of Congress are other questions.' END;
    r.is_previous := r.rest ~ '\m(last|previous|was|were|did|happened)\M' AND r.rest !~ '\m(next|will|upcoming)\M';
    IF topic = 'change' THEN
        r := disclosed.ask_read_quarter(r, plain);
    END IF;
    IF topic NOT IN ('executive', 'fund') THEN
        SELECT s.r, s.unused INTO one FROM disclosed.ask_read_span(r, plain) s;
        r := one.r;
        unused := coalesce(unused, one.unused);
    END IF;
    IF topic IN ('insider', 'congress', 'holder', 'fund', 'position', 'owner', 'change') THEN
        SELECT s.r, s.unused INTO one FROM disclosed.ask_read_most(r, plain) s;
        r := one.r;
        unused := coalesce(unused, one.unused);
    END IF;
    r.rest := regexp_replace(r.rest, '\mform 4\M' || CASE topic WHEN 'owner' THEN '|\m13 ?[dg]\M|\m(?:more than|over|above|at least) 5(?: percent)?(?= (?:of|in|at)\M|$)' ELSE '' END, ' ', 'g');
    r.rest := array_to_string(ARRAY(SELECT w FROM string_to_table(r.rest, ' ') w WHERE w <> ALL (disclosed.ask_topic_words(topic))), ' ');
    -- A listed company's "cash position" is a number of its own.
    IF topic = 'position' AND EXISTS (SELECT 1 FROM disclosed.issuer i WHERE i.issuer_id = r.person AND i.ticker IS NOT NULL)
       AND EXISTS (SELECT 1 FROM string_to_table(r.rest, ' ') w WHERE w NOT IN ('', '@') AND w <> ALL (disclosed.ask_fillers() || disclosed.ask_qualifiers() || disclosed.ask_form_words())) THEN
        r := kept;
        is_topic := false;
        unused := NULL;
    END IF;
END $$;

-- What others buy or invest in is no opinion. What is overlooked is looked for when all else is read.
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
    wanted text; -- all but names of companies and periods
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
                                      THEN (regexp_match(plain, '\m((?:' || array_to_string(names, '|') || ') (?:financial|one|state|first))\M(?! (?:results?|statements?|filings?|reports?|revenue|assets|liabilities|income|debt|instruments|year|years|quarter|of)\M)'))[1] END);
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
    IF disclosed.ask_says(r.rest, '{would,think}') THEN
        r.rest := btrim(regexp_replace(r.rest, '\m(?:i|we) would like(?: to (?:know|see|have|learn))?\M|\mwould you(?: please| kindly| be so kind as to)?\M(?= (?:give|tell|show|list|name|find)\M)|^i think\M', ' ', 'g'));
    END IF;
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
    IF disclosed.ask_says(r.rest, '{should,recommend,predict,prediction,forecast,will,would,expect,expected,outlook,opinion,think,target,investment,undervalued,overvalued,worth,tomorrow}')
       AND r.rest ~ '\m(should|recommend|predict|prediction|forecast|will|would|expect|expected|outlook|opinion|think|price target|good investment|undervalued|overvalued|worth buying|tomorrow)\M'
       AND r.rest !~ '\m(will (the )?next|next)\M'
       -- What others do is no opinion.
       OR disclosed.ask_says(r.rest, '{buy,invest}') AND r.rest ~ '\m(buy or|invest in)\M' AND (disclosed.ask_says(plain, '{i,we,me,you}') OR NOT disclosed.ask_says(plain, '{did,does,do,has,have,who,which,what,how}')) THEN
        r.form := 'refused'; r.note := 'It asks for an opinion or the future, and the data say what was disclosed.';
        RETURN r;
    ELSIF disclosed.ask_says(r.rest, '{price}') AND r.rest ~ '\m(stock|share) price\M' AND NOT disclosed.ask_says(plain, '{insider,insiders,sell,sold,buy,bought}') THEN
        r.form := 'refused'; r.note := 'Prices of shares on a market are not stored.';
        RETURN r;
    END IF;
    wanted := r.rest;
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
    unused := coalesce(unused, CASE WHEN r.metrics IS NOT NULL THEN disclosed.ask_overlooked_of_numbers(r, wanted, metric_names, marked, latest)
                                    WHEN r.form IS NOT NULL AND r.form <> 'list' THEN disclosed.ask_overlooked_of_records(r, wanted, told, latest) END,
                       disclosed.ask_overlooked_companies(r, plain, told, wanted, places, metric_names));
    r.is_latest := r.is_latest OR r.form = 'short_interest' AND disclosed.ask_says(wanted, '{end}'); -- of a year it is the last
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
    ELSIF r.form <> 'text' AND 'cfo' = ANY (metric_names) AND strpos(wanted, 'much cfo') = 0
          AND (disclosed.ask_says(wanted, '{a,an,any,its,their,there,new,earn,earned,make,made,get,got,announce,announced}')
               OR disclosed.ask_says(wanted, '{change,changed}') AND NOT disclosed.ask_says(wanted, '{much,percent,percentage}') AND strpos(wanted, 'change in cfo') = 0) THEN
        r.form := 'refused'; r.note := '"CFO" may be the chief financial officer or the operating cash flow.';
    ELSIF r.form <> 'text' AND unused IS NOT NULL THEN
        IF strpos(unused, ' ') = 0 AND NOT disclosed.ask_says(plain, ARRAY[unused]) THEN -- as it is written
            unused := coalesce((SELECT w.word FROM string_to_table(plain, ' ') WITH ORDINALITY AS w(word, place)
                                WHERE length(w.word) >= 5 AND left(w.word, 1) = left(unused, 1) AND disclosed.ask_spelled(w.word, of_metrics) = unused ORDER BY w.place LIMIT 1), unused);
        END IF;
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

-- Of whom nothing is stored is both: the one who holds, and the company.
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
        about := coalesce(r.insider_name || coalesce(' and ' || disclosed.ask_company(subject), ''), disclosed.ask_company(r.person) || coalesce(' and ' || disclosed.ask_company(subject), ''), disclosed.ask_company(subject), 'members of Congress');
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
            WHEN r.form = 'short_interest' AND r.year IS NOT NULL AND NOT r.is_latest
                 AND EXISTS (SELECT 1 FROM disclosed.short_interest t WHERE t.issuer_id = subject AND t.settlement_date >= first_day AND t.settlement_date < day_told AND t.known_at <= coalesce(instant, now()))
                THEN 'More of ' || about || ' are stored; named is the latest.'
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
