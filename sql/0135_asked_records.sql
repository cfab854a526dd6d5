-- Questions about records: of a day, a month or from one day to another; trades of members of Congress, funds that hold a company, what funds and managers hold,
-- and owners of more than five percent.

SET LOCAL search_path = disclosed, public;

ALTER TYPE ask_reading ADD ATTRIBUTE person bigint, -- who trades or holds, and is no company of the question: a member of Congress, a manager, a fund
    ADD ATTRIBUTE capacity text; -- of whom alone: director, officer, senate, house, etf, 13D, 13G

-- A record that a question is about, and what is said of it. `symbol` is of its shares; NULL: that of the company.
CREATE TYPE ask_record AS (dataset text, src_digest uuid, source_id integer, accession text, filer bigint, company bigint, symbol text, day date, value numeric, unit text, metric_key text, said text, printed text[]);

-- A sentence ends with one full stop, also behind "Inc.".
CREATE FUNCTION ask_ended(said text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$ SELECT rtrim(said, '.') || '.' $$;

CREATE FUNCTION ask_shares(shares numeric) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$ SELECT rtrim(to_char(shares, 'FM999,999,999,999,990.99'), '.') $$;

CREATE FUNCTION ask_a(noun text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$ SELECT CASE WHEN noun ~* '^[aeiou]' THEN 'an ' ELSE 'a ' END || noun $$;

CREATE FUNCTION ask_span(first_day date, last_day date) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN first_day = last_day THEN 'of ' || disclosed.ask_day(first_day)
                WHEN to_char(first_day, 'DDMMYYYY') || to_char(last_day, 'DDMMYYYY') = '0101' || to_char(first_day, 'YYYY') || '3112' || to_char(first_day, 'YYYY') THEN 'of ' || to_char(first_day, 'FMYYYY')
                WHEN first_day > '-infinity' AND last_day < 'infinity' THEN 'from ' || disclosed.ask_day(first_day) || ' to ' || disclosed.ask_day(last_day)
                WHEN first_day > '-infinity' THEN 'since ' || disclosed.ask_day(first_day)
                WHEN last_day < 'infinity' THEN 'until ' || disclosed.ask_day(last_day) END
$$;

-- Jr. and III are no surnames.
CREATE FUNCTION surname_of(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT (regexp_match(disclosed.plain_words(name), '(\S+)(?: (?:jr|sr|ii|iii|iv))*$'))[1]
$$;
CREATE INDEX issuer_surname ON issuer (disclosed.surname_of(name)) WHERE party_key LIKE 'politician/%';

-- The one member of Congress whom the words name: by first name and surname; by the surname alone if the words say that it is one.
CREATE FUNCTION ask_member(body text, has_title boolean) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    words CONSTANT text[] := string_to_array(body, ' ');
BEGIN
    RETURN (SELECT CASE WHEN count(*) = 1 THEN min(m.issuer_id) END
            FROM (SELECT x.*, bool_or(x.is_whole) OVER () AS any_whole
                  FROM (SELECT DISTINCT i.issuer_id, split_part(disclosed.plain_words(i.name), ' ', 1) = ANY (words) AS is_whole
                        FROM unnest(words) w JOIN disclosed.issuer i ON disclosed.surname_of(i.name) = w AND i.party_key LIKE 'politician/%') x
                  WHERE has_title OR x.is_whole) m
            WHERE m.is_whole = m.any_whole);
END $$;

-- The manager that the words name, which is no listed company: by its name, or by the words with which it alone begins.
CREATE FUNCTION ask_manager(body text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT CASE WHEN count(*) = 1 THEN min(m.issuer_id) END
            FROM (SELECT i.issuer_id, n.words + CASE WHEN c.core = n.name THEN 1 ELSE 0 END AS sureness, max(n.words + CASE WHEN c.core = n.name THEN 1 ELSE 0 END) OVER () AS surest
                  FROM (SELECT DISTINCT replace(k.name, ' and ', ' ') AS name, k.words FROM disclosed.name_candidates(body) k) n
                  JOIN disclosed.issuer i ON split_part(disclosed.name_core(i.name), ' ', 1) = split_part(n.name, ' ', 1)
                  CROSS JOIN LATERAL (SELECT disclosed.name_core(i.name) AS core) c
                  WHERE i.ticker IS NULL AND length(n.name) >= 5 AND (c.core = n.name OR starts_with(c.core, n.name || ' '))
                    AND EXISTS (SELECT 1 FROM disclosed.institution_report r WHERE r.issuer_id = i.issuer_id)) m
            WHERE m.sureness = m.surest);
END $$;

-- Days of a question about records: one, a month, or from one to another. They begin and end where the words say.
CREATE FUNCTION ask_read_span(INOUT r ask_reading, body text, OUT unused text) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    of_day CONSTANT text := '((?:day[0-9]{8}|month[0-9]{6}))';
    days CONSTANT text[] := ARRAY(SELECT p[1] FROM regexp_matches(body, '\m' || of_day || '\M', 'g') p);
    part text[];
BEGIN
    IF cardinality(days) = 0 THEN
        RETURN;
    END IF;
    part := regexp_match(body, '\m(?:between|from) ' || of_day || ' (?:and|to|through|until|till) ' || of_day || '\M|\m' || of_day || ' (?:to|through|until|till) ' || of_day || '\M');
    IF cardinality(days) = 2 AND part IS NULL OR cardinality(days) > 2 OR r.other_end IS NOT NULL
       OR cardinality(days) = 1 AND r.length IS NOT NULL AND (r.length <> 'quarter' OR r.form NOT IN ('holder', 'position')) THEN
        unused := disclosed.ask_day(disclosed.ask_day_of(days[cardinality(days)]));
    ELSIF r.year IS NOT NULL OR r.quarter IS NOT NULL THEN
        unused := coalesce('Q' || r.quarter, r.year::text);
    END IF;
    r.start_date := CASE WHEN days[1] LIKE 'month%' THEN date_trunc('month', disclosed.ask_day_of(days[1])) ELSE disclosed.ask_day_of(days[1]) END;
    r.end_date := disclosed.ask_day_of(days[cardinality(days)]);
    r.start_date := CASE WHEN body ~ '\mend of (?:day|month)[0-9]' THEN r.end_date ELSE r.start_date END;
    IF r.start_date > r.end_date THEN
        unused := coalesce(unused, disclosed.ask_day(r.end_date));
    END IF;
    SELECT NULL, NULL, NULL INTO r.earlier, r.length, r.other_end;
    r.rest := regexp_replace(r.rest, '\m(?:day[0-9]{8}|month[0-9]{6})\M', '@', 'g');
    r.rest := regexp_replace(r.rest, '\m(?:between|from) @ (?:and|to|through|until|till) @|@ (?:to|through|until|till) @', '@', 'g');
END $$;

CREATE OR REPLACE FUNCTION ask_topic_words(topic text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_to_array(CASE topic
        WHEN 'executive' THEN 'ceo cfo coo chief executive financial operating officer chairman chair president general counsel whos run runs running head serving serves role position current'
        WHEN 'short_interest' THEN 'short interest position sold shorted days cover shares share stock current day'
        WHEN 'insider' THEN 'insiders insider directors director officers officer executives shares share stock sold sell selling sale sales sells bought buy buying purchase purchased purchases acquired disposed '
            || 'transaction transactions trade trades traded trading recent grant grants granted award awards awarded receive received gift gifts gifted exercise exercised exercises option options'
        WHEN 'holder' THEN 'holder holders institution institutions institutional 13f shareholder shareholders owner owners own owns shares share stock biggest largest top major main held hold holds holdings position current managers manager'
        WHEN 'congress' THEN 'congress congressional congressman congresswoman congressmen congresswomen member members senator senators senate representative representatives house '
            || 'politician politicians lawmaker lawmakers shares share stock stocks sold sell selling sale sales sells bought buy buys buying purchase purchased purchases exchange exchanged exchanges '
            || 'transaction transactions trade trades traded trading disclosure disclosures'
        WHEN 'fund' THEN 'fund funds etf etfs mutual exchange traded holder holders hold holds held holding own owns owned invest invests invested investing exposure shares share stock position positions biggest largest top major main current'
        WHEN 'position' THEN 'stock stocks security securities hold holds held holding holdings own owns owned invest invests invested position positions portfolio 13f shares share biggest largest top major main most current'
        WHEN 'owner' THEN 'beneficial beneficially owner owners ownership own owns owned holder holders hold holds held shareholder shareholders schedule schedules stake stakes class shares share stock large'
        WHEN 'spinoff' THEN 'spinoff spinoffs spin off offs spun shares share stock when date happen happened corporate action actions'
        WHEN 'm_and_a' THEN 'merger mergers takeover takeovers acquired acquisition bought taken over when date happen happened corporate action actions'
        WHEN 'split' THEN 'stock split splits share shares when date happen happened'
        WHEN 'dividend' THEN 'dividend dividends ex pay paid payment payments declare declared stock share shares when date day'
        WHEN 'event' THEN 'earnings reports reporting call annual meeting agm investor day event next previous upcoming when date scheduled release releases happen happens happened held hold will quarterly'
        END, ' ')
$$;

CREATE FUNCTION ask_topics() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{executive,short_interest,insider,congress,holder,fund,position,owner,split,dividend,spinoff,m_and_a,event}'::text[]
$$;

-- The same as before, but words of topics are no typing errors: an investor day was one of "investing".
CREATE OR REPLACE FUNCTION ask_spelled(body text, of_metrics text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    fillers CONSTANT text[] := disclosed.ask_fillers();
    known text[] := fillers || disclosed.ask_qualifiers() || disclosed.ask_form_words() || string_to_array('latest recent newest current trailing insiders holders dividend split interest', ' ')
        || ARRAY(SELECT w FROM unnest(of_metrics) w WHERE length(w) >= 4);
    of_topics CONSTANT text[] := ARRAY(SELECT w FROM unnest(disclosed.ask_topics()) t CROSS JOIN unnest(disclosed.ask_topic_words(t)) w);
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
            IF length(given) >= 5 AND given !~ '[0-9]' AND given <> ALL (known) AND given <> ALL (of_topics)
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

-- Patterns of the words by which a topic is asked for, the first that is found.
CREATE FUNCTION ask_topic_of(r ask_reading, of_names text[], given bigint[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    of_company CONSTANT boolean := coalesce(r.companies, given) IS NOT NULL;
    traded CONSTANT text := '\m(?:sold|sell|selling|sells|sales?|bought|buy|buys|buying|purchased?|purchases|acquired|trades?|traded|trading)\M';
BEGIN
    RETURN CASE
        WHEN r.rest ~ '\m(ceo|chief executive|cfo|chief financial|coo|chief operating|chairman|chair|president|general counsel)\M'
             AND r.rest ~ '\m(who|name|whos)\M|^(the )?(ceo|cfo|coo|chief \w+ officer|chairman|president)( of)?$' THEN 'executive'
        WHEN r.rest ~ '\mshort (interest|position|sold)|\mshorted\M|days to cover|shares? (sold )?short\M' THEN 'short_interest'
        WHEN r.rest ~ '\m(congress\w*|senators?|representatives?|lawmakers?|politicians?|house members?|members of the (house|senate))\M' AND r.rest ~ traded THEN 'congress'
        WHEN r.person IS NOT NULL THEN CASE WHEN EXISTS (SELECT 1 FROM disclosed.issuer i WHERE i.issuer_id = r.person AND i.party_key LIKE 'politician/%') THEN 'congress' ELSE 'position' END
        WHEN r.rest ~ '\m(insiders?|form 4|directors and officers)\M' OR r.rest ~ '\m(directors?|officers?|executives)\M' AND r.rest ~ traded
             OR of_company AND r.rest ~ ('\mwho (?:has |have |had |else )*' || traded) AND r.rest ~ '\m(shares?|stock)\M' THEN 'insider'
        WHEN r.rest ~ '\m(beneficial(ly)?|13 ?[dg]|schedules? 13 ?[dg])\M' OR r.rest ~ '\m(own|owns|owned|owners?|hold|holds|holders?|shareholders?|stakes?)\M.*\m(more than|over|above|at least) 5(?: percent)?(?: (?:of|in|at)\M|$)' THEN 'owner'
        WHEN r.rest ~ '\m(funds?|etfs?)\M' AND r.rest ~ '\m(which|what|who|list|how many)\M' AND r.rest ~ '\m(hold|holds|held|own|owns|owned|invest|invests|invested|exposure)\M' THEN 'fund'
        WHEN (r.rest ~ '\m(holders?|institutions?|institutional|13f|shareholders?|owners?)\M' OR r.rest ~ '\mowns?\M' AND r.rest !~ '\m(does|do|did|has|have)\M') AND r.rest !~ 'equity|letter' -- what it owns is another question
             OR of_company AND r.rest ~ '\mwho\M.*\m(hold|holds|held)\M' THEN 'holder'
        WHEN r.rest ~ '\m(stock split|split|splits)\M' THEN 'split'
        WHEN r.rest ~ '\m(spin ?offs?|spun off)\M' THEN 'spinoff'
        WHEN of_company AND r.rest ~ '\m(mergers?|takeovers?)\M|\mwho (has |have )?(acquired|bought)\M|\m(is|was|were|been|being) (acquired|taken over)\M|\macquired by\M' THEN 'm_and_a'
        WHEN r.rest ~ '\mdividends?\M' AND (r.rest ~ '\m(day[0-9]{8}|month[0-9]{6})\M' OR r.earlier IS NOT NULL AND r.length IS NULL OR r.rest !~ 'dividends? paid'
             AND NOT EXISTS (SELECT 1 FROM unnest(of_names) n WHERE n ~ '\mdividends?\M' AND position(' ' || n || ' ' IN ' ' || r.rest || ' ') > 0)) THEN 'dividend'
        WHEN r.rest ~ '\m(when|next|date|day|upcoming)\M' AND r.rest ~ '\m(earnings|results|report|call|annual meeting|agm|investor day|event)\M' THEN 'event' END;
END $$;

-- Who trades or holds, if the question names a member of Congress, a manager or a fund for it.
CREATE FUNCTION ask_read_person(INOUT r ask_reading, plain text, given bigint[]) LANGUAGE plpgsql STABLE AS $$
DECLARE
    holds CONSTANT text := '\m(hold|holds|held|own|owns|owned|holdings?|positions?|portfolio|invest|invests|invested)\M';
    asks_of_holders CONSTANT text := '\m(who|whom|institutions?|institutional|holders?|shareholders?|owners?|managers|funds|etfs|insiders?|short|beneficial(ly)?)\M';
    has_title CONSTANT boolean := plain ~ '\m(congress\w*|senators?|representatives?|rep|sen|lawmakers?|politicians?)\M';
    named text;
BEGIN
    IF has_title OR plain ~ '\m(sell|sold|sells|selling|buy|buys|bought|buying|purchased?|trades?|traded|trading)\M' THEN
        r.person := disclosed.ask_member(r.rest, has_title);
    END IF;
    IF r.person IS NULL AND plain ~ holds AND cardinality(string_to_array(plain, ' ')) <= 24 THEN -- a longer question may name too many
        r.person := disclosed.ask_manager(plain);
        IF r.person IS NULL AND plain !~ asks_of_holders AND (plain ~ '\m(what|which)\M.*\m(hold|holds|held|own|owns|owned)\M|\m(holdings|positions|portfolio)\M' OR cardinality(r.companies) > 1) THEN
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
    -- A company whose name is in that of the manager alone is not asked about.
    r.companies := ARRAY(SELECT c.company FROM unnest(r.companies) WITH ORDINALITY AS c(company, place) JOIN disclosed.issuer i ON i.issuer_id = c.company
                         WHERE c.company <> r.person
                           AND NOT (split_part(disclosed.name_core(i.name), ' ', 1) = ANY (string_to_array(named, ' '))
                                    AND cardinality(array_positions(string_to_array(plain, ' '), split_part(disclosed.name_core(i.name), ' ', 1))) < 2)
                         ORDER BY c.place);
    r.companies := nullif(r.companies, '{}');
END $$;

-- The topic of a question, if it has one, with what is asked about it, and with a word that the answer would not use.
CREATE FUNCTION ask_read_topic(INOUT r ask_reading, plain text, of_names text[], given bigint[], OUT unused text, OUT is_topic boolean) LANGUAGE plpgsql STABLE AS $$
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
    topic := disclosed.ask_topic_of(asked, of_names, given);
    is_topic := topic IS NOT NULL;
    IF NOT is_topic THEN
        RETURN;
    END IF;
    IF topic IN ('congress', 'position') THEN
        r := asked;
    END IF;
    r.form := topic;
    r.role := CASE
        WHEN topic = 'executive' THEN (SELECT n FROM unnest(roles, role_names) AS x(pattern, n) WHERE r.rest ~ ('\m(' || x.pattern || ')\M') LIMIT 1)
        WHEN topic IN ('insider', 'congress') AND r.rest ~ sold THEN 'sale'
        WHEN topic IN ('insider', 'congress') AND r.rest ~ bought THEN 'purchase'
        WHEN topic = 'congress' AND r.rest ~ '\mexchange[ds]?\M' THEN 'exchange'
        WHEN topic = 'insider' THEN CASE WHEN r.rest ~ '\m(grants?|granted|awards?|awarded)\M' THEN 'grant' WHEN r.rest ~ '\m(gifts?|gifted)\M' THEN 'gift' WHEN r.rest ~ '\mexercise[ds]?\M' THEN 'option_exercise' END
        WHEN topic = 'dividend' THEN CASE WHEN r.rest ~ '\m(pay|paid|payments?)\M' THEN 'payment' WHEN r.rest ~ '\m(declare|declared)\M' THEN 'declaration' END -- of the day
        WHEN topic = 'owner' AND r.rest ~ '\m(more than|over|above|at least) 5(?: percent)?(?: (?:of|in|at)\M|$)' THEN 'over five'
        WHEN topic = 'event' THEN CASE WHEN r.rest ~ '\m(agm|annual meeting)\M' THEN 'agm' WHEN r.rest ~ '\minvestor day\M' THEN 'investor_day' ELSE 'earnings' END END;
    r.capacity := CASE
        WHEN topic = 'insider' AND r.rest !~ '\mdirectors and officers\M' THEN CASE WHEN r.rest ~ '\mdirectors?\M' THEN 'director' WHEN r.rest ~ '\m(officers?|executives)\M' THEN 'officer' END
        WHEN topic = 'congress' THEN CASE WHEN r.rest ~ '\m(senators?|senate)\M' THEN 'senate' WHEN r.rest ~ '\m(representatives?|house|congress(man|men|woman|women))\M' THEN 'house' END
        WHEN topic = 'fund' AND r.rest ~ '\metfs?\M' AND r.rest !~ '\mfunds?\M' THEN 'etf'
        WHEN topic = 'owner' THEN upper(replace((regexp_match(r.rest, '\m(13 ?[dg])\M'))[1], ' ', '')) END;
    unused := coalesce(
        -- A member who is not known, or may be one of several.
        CASE WHEN topic = 'congress' AND r.person IS NULL THEN (SELECT p[1] FROM regexp_matches(plain, '\m(?:senator|representative|congressman|congresswoman|rep|sen) (\w+)') p
                                                               WHERE p[1] <> ALL (disclosed.ask_fillers() || disclosed.ask_qualifiers() || disclosed.ask_topic_words(topic)) LIMIT 1) END,
        CASE WHEN topic = 'congress' AND r.person IS NULL THEN (regexp_match(plain, '\m(congress(?:man|men|woman|women))\M'))[1] END, -- which of them
        CASE WHEN topic = 'congress' THEN (regexp_match(plain, '\m(?:senators?|representatives?|lawmakers?|politicians?|members?) ((?:from|of|for) (?!(?:the )?(?:us |u s )?(?:congress|house|senate)\M)\w+)'))[1] END,
        CASE WHEN r.year IS NOT NULL AND (topic <> 'event' OR r.quarter IS NULL) AND plain ~ '\m(fiscal|fy ?[0-9]+)\M' THEN 'fiscal' END, -- records have days
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
    r.note := CASE WHEN topic = 'insider' AND plain !~ '\m(insiders?|form 4|directors?|officers?|executives)\M' THEN 'Named are insiders; holders and members of Congress are other questions.' END;
    r.is_previous := r.rest ~ '\m(last|previous|was|were|did|happened)\M' AND r.rest !~ '\m(next|will|upcoming)\M';
    IF topic NOT IN ('executive', 'fund') THEN
        SELECT s.r, s.unused INTO one FROM disclosed.ask_read_span(r, plain) s;
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

-- How many records are told of.
CREATE FUNCTION ask_topic_count(r ask_reading, plain text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN r.form IN ('spinoff', 'm_and_a') THEN 20
        WHEN r.form IN ('split', 'dividend') THEN CASE WHEN r.is_latest THEN 1 WHEN r.year IS NOT NULL OR r.start_date IS NOT NULL THEN 60 WHEN plain ~ '\m(splits|dividends)\M' THEN 20 ELSE 1 END
        WHEN r.form = 'short_interest' THEN 26
        WHEN r.form = 'event' THEN CASE WHEN (r.start_date IS NOT NULL OR r.year IS NOT NULL AND r.quarter IS NULL) AND NOT r.is_latest AND plain !~ '\m(next|upcoming|previous)\M' THEN 12 ELSE 1 END
        WHEN r.form IN ('insider', 'congress') THEN CASE WHEN r.year IS NOT NULL OR r.start_date IS NOT NULL THEN 20 ELSE 5 END
        WHEN r.form IN ('holder', 'fund', 'position', 'owner') THEN 5
        WHEN r.form = 'executive' THEN 2 END
$$;

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
    of_end text; -- that, of days: a topic reads them itself
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
    of_end := one.unused;
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

-- What is stored of each topic about a company from one day to another, what is told first coming first; one more than `most`.
CREATE FUNCTION ask_executive_records(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT 'executive', t.src_digest, t.source_id, t.accession, t.issuer_id, t.issuer_id, NULL::text, t.reported_on, NULL::numeric, NULL::text, NULL::text,
           t.name || ' is ' || t.role || ' of ' || disclosed.ask_company(of_issuer) || ', as reported on ' || disclosed.ask_day(t.reported_on),
           ARRAY[t.name, t.role, disclosed.ask_day(t.reported_on)]
    FROM disclosed.executive t
    WHERE t.issuer_id = of_issuer AND t.is_current AND t.role ~* ('\m' || r.role) AND t.reported_on BETWEEN first_day AND last_day
      AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
    ORDER BY t.reported_on DESC, t.name LIMIT most;
END $$;

-- Short interest of the latest day, or of all days that are asked for; of each class of shares that has it.
CREATE FUNCTION ask_short_interest_records(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT 'short_interest', t.src_digest, t.source_id, t.accession, t.issuer_id, t.issuer_id, t.symbol, t.settlement_date, t.current_short_position, 'shares', 'short_interest',
           'The short interest in ' || disclosed.ask_company(of_issuer) || CASE WHEN t.is_one THEN '' ELSE ' (' || t.symbol || ')' END || ' was ' || disclosed.ask_shares(t.current_short_position) || ' shares on '
           || disclosed.ask_day(t.settlement_date) || coalesce(', ' || trim_scale(round(t.days_to_cover, 2)) || ' days to cover', ''),
           ARRAY[t.symbol, disclosed.ask_shares(t.current_short_position), disclosed.ask_day(t.settlement_date), trim_scale(round(t.days_to_cover, 2)) || ' days']
    FROM (SELECT s.*, min(s.symbol) OVER () = max(s.symbol) OVER () AS is_one
          FROM (SELECT x.*, dense_rank() OVER (ORDER BY x.settlement_date DESC) AS place FROM disclosed.short_interest x
                WHERE x.issuer_id = of_issuer AND x.settlement_date BETWEEN first_day AND last_day
                  AND CASE WHEN instant IS NULL THEN x.superseded_at IS NULL ELSE x.known_at <= instant AND (x.superseded_at IS NULL OR x.superseded_at > instant) END) s
          WHERE s.place = 1 OR r.start_date IS NOT NULL AND NOT r.is_latest) t
    ORDER BY t.settlement_date DESC, t.symbol LIMIT most + 1;
END $$;

CREATE FUNCTION ask_insider_records(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT 'insider', t.src_digest, t.source_id, t.accession, t.issuer_id, t.issuer_id, NULL::text, t.transaction_date, t.value, 'USD', 'insider_' || t.transaction_type,
           t.insider_name || ' (' || coalesce(t.relationship, 'insider') || ') reported ' || disclosed.ask_a(replace(t.transaction_type, '_', ' ')) || ' of '
           || disclosed.ask_shares(t.shares) || ' shares of ' || disclosed.ask_company(of_issuer) || ' on ' || disclosed.ask_day(t.transaction_date)
           || coalesce(' at USD ' || trim_scale(round(t.price, 4)), ''),
           ARRAY[t.insider_name, t.relationship, disclosed.ask_shares(t.shares), disclosed.ask_day(t.transaction_date), 'USD ' || trim_scale(round(t.price, 4))]
    FROM disclosed.insider_transaction t
    WHERE t.issuer_id = of_issuer AND NOT t.is_derivative AND t.shares IS NOT NULL AND (r.role IS NULL OR t.transaction_type = r.role)
      AND (r.capacity IS NULL OR t.relationship ~ CASE r.capacity WHEN 'director' THEN '^Director\M' ELSE '(^|, )Officer\M' END)
      AND t.transaction_date BETWEEN first_day AND last_day
      AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
    ORDER BY t.transaction_date DESC, t.id DESC LIMIT most + 1;
END $$;

-- Trades of members of Congress in a company; of one member alone, if the question names one.
CREATE FUNCTION ask_congress_records(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT 'congress_trade', t.src_digest, t.source_id, t.accession, t.issuer_id, t.company_id, t.symbol, coalesce(t.transaction_date, t.filing_date), NULL::numeric, NULL::text, NULL::text,
           disclosed.ask_company(t.issuer_id) || ' (' || initcap(t.chamber) || ') reported ' || disclosed.ask_a(CASE t.transaction_type WHEN 'sale_partial' THEN 'partial sale' WHEN 'unknown' THEN 'trade of an unknown kind' ELSE t.transaction_type END)
           || ' of ' || coalesce(t.asset_name, t.ticker, 'an asset that is not named') || coalesce(' (' || t.asset_type || ')', '') || coalesce(' on ' || disclosed.ask_day(t.transaction_date), '')
           || coalesce(' of ' || t.amount_range, '') || coalesce(', owner: ' || t.owner, ''),
           ARRAY[t.asset_name, t.ticker, t.asset_type, disclosed.ask_day(t.transaction_date), t.amount_range, disclosed.ask_company(t.issuer_id)]
    FROM (SELECT c.* FROM disclosed.congress_trade c WHERE c.company_id = of_issuer AND (r.person IS NULL OR c.issuer_id = r.person)
          UNION ALL SELECT c.* FROM disclosed.congress_trade c WHERE of_issuer IS NULL AND c.issuer_id = r.person) t
    WHERE (r.role IS NULL OR t.transaction_type = r.role OR r.role = 'sale' AND t.transaction_type = 'sale_partial') AND (r.capacity IS NULL OR t.chamber = r.capacity)
      AND CASE WHEN first_day > '-infinity' OR last_day < 'infinity' THEN t.transaction_date BETWEEN first_day AND last_day ELSE true END
      AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
    ORDER BY coalesce(t.transaction_date, t.filing_date) DESC, t.id DESC LIMIT most + 1;
END $$;

-- Managers that hold the company, each by its latest report of the quarters that the latest few holdings are of, the largest first.
CREATE FUNCTION ask_holder_records(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
DECLARE
    symbols CONSTANT text[] := ARRAY(SELECT DISTINCT s.record_key FROM disclosed.listing s WHERE s.issuer_id = of_issuer); -- by these its holders are found
    first_period CONSTANT date := (
        SELECT min(p.period_of_report)
        FROM (SELECT h.period_of_report
              FROM unnest(symbols) AS s(symbol) CROSS JOIN LATERAL (
                  SELECT t.period_of_report FROM disclosed.institution_holder t
                  WHERE t.symbol = s.symbol AND t.company_id = of_issuer AND t.shares > 0 AND t.period_of_report BETWEEN first_day AND last_day
                    AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                  ORDER BY t.period_of_report DESC, t.id DESC LIMIT most) h
              ORDER BY h.period_of_report DESC LIMIT most) p);
BEGIN
    RETURN QUERY
    SELECT 'institution_holder', t.src_digest, t.source_id, t.accession, t.issuer_id, t.company_id, t.symbol, t.period_of_report, t.shares, 'shares', 'institution_shares',
           disclosed.ask_company(t.issuer_id) || ' held ' || disclosed.ask_shares(t.shares) || ' shares of ' || disclosed.ask_company(of_issuer) || CASE WHEN min(t.symbol) OVER () = max(t.symbol) OVER () THEN '' ELSE ' (' || t.symbol || ')' END || ' on '
           || disclosed.ask_day(t.period_of_report) || ', worth ' || disclosed.ask_number(t.value, 'USD', false),
           ARRAY[t.symbol, disclosed.ask_shares(t.shares), disclosed.ask_day(t.period_of_report), disclosed.ask_number(t.value, 'USD', false), disclosed.ask_company(t.issuer_id)]
    FROM (SELECT DISTINCT ON (h.issuer_id, h.symbol) h.*
          FROM disclosed.institution_holder h
          WHERE h.symbol = ANY (symbols) AND h.company_id = of_issuer AND h.shares > 0 AND h.period_of_report BETWEEN first_period AND last_day
            AND CASE WHEN instant IS NULL THEN h.superseded_at IS NULL ELSE h.known_at <= instant AND (h.superseded_at IS NULL OR h.superseded_at > instant) END
          ORDER BY h.issuer_id, h.symbol, h.period_of_report DESC, h.id) t
    ORDER BY t.value DESC, t.id LIMIT most + 1;
END $$;

-- What a manager or a fund holds by its latest report of those days, the largest first; of one company, if the question names one.
CREATE FUNCTION ask_position_records(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
DECLARE
    period CONSTANT date := (SELECT max(t.period_of_report) FROM disclosed.institution_report t
                             WHERE t.issuer_id = r.person AND t.period_of_report BETWEEN first_day AND last_day
                               AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END);
BEGIN
    RETURN QUERY
    SELECT x.*
    FROM (SELECT 'institution_holder', t.src_digest, t.source_id, t.accession, t.issuer_id, t.company_id, t.symbol, t.period_of_report, t.shares, 'shares', 'institution_shares',
                 disclosed.ask_company(r.person) || ' held ' || disclosed.ask_shares(t.shares) || ' shares of ' || disclosed.ask_company(t.company_id) || ' (' || t.symbol || ') on '
                 || disclosed.ask_day(t.period_of_report) || ', worth ' || disclosed.ask_number(t.value, 'USD', false),
                 ARRAY[disclosed.ask_shares(t.shares), disclosed.ask_day(t.period_of_report), disclosed.ask_number(t.value, 'USD', false), t.symbol, disclosed.ask_company(t.company_id), disclosed.ask_company(r.person)]
          FROM disclosed.institution_holder t
          WHERE t.issuer_id = r.person AND t.period_of_report = period AND t.shares > 0 AND (of_issuer IS NULL OR t.company_id = of_issuer)
            AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
          ORDER BY t.value DESC, t.id LIMIT most + 1) x;
    RETURN QUERY
    SELECT x.*
    FROM (SELECT 'fund_holding', t.src_digest, t.source_id, t.accession, t.issuer_id, t.company_id, t.symbol, f.report_date, CASE WHEN t.unit = 'NS' THEN t.balance ELSE t.value END, CASE WHEN t.unit = 'NS' THEN 'shares' ELSE 'USD' END,
                 'fund_holding', f.name || CASE t.payoff_profile WHEN 'Short' THEN ' was short ' ELSE ' held ' END || CASE WHEN t.unit = 'NS' THEN disclosed.ask_shares(t.balance) || ' shares of ' ELSE '' END
                 || coalesce(t.name, t.title, 'a security that is not named') || ' on ' || disclosed.ask_day(f.report_date) || coalesce(', worth ' || disclosed.ask_number(t.value, 'USD', false), '')
                 || coalesce(', ' || trim_scale(round(t.weight_pct, 2)) || '% of its net assets', ''),
                 ARRAY[f.name, disclosed.ask_shares(t.balance), t.name, t.title, disclosed.ask_day(f.report_date), disclosed.ask_number(t.value, 'USD', false), trim_scale(round(t.weight_pct, 2)) || '%']
          FROM disclosed.fund f JOIN disclosed.fund_holding t ON t.issuer_id = f.issuer_id AND t.report_key = f.record_key
          WHERE f.issuer_id = r.person AND f.report_date BETWEEN first_day AND last_day AND (of_issuer IS NULL OR t.company_id = of_issuer)
            AND CASE WHEN instant IS NULL THEN f.superseded_at IS NULL AND t.superseded_at IS NULL
                     ELSE f.known_at <= instant AND (f.superseded_at IS NULL OR f.superseded_at > instant) AND t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
          ORDER BY t.value DESC NULLS LAST, t.id LIMIT most + 1) x;
END $$;

CREATE FUNCTION ask_fund_records(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT 'fund_exposure', t.src_digest, t.source_id, t.accession, t.registrant_id, t.issuer_id, NULL::text, t.report_date, coalesce(t.shares, t.value), CASE WHEN t.shares IS NULL THEN 'USD' ELSE 'shares' END, 'fund_exposure',
           t.fund_name || CASE t.payoff_profile WHEN 'Short' THEN ' was short ' WHEN 'Long' THEN ' held ' ELSE ' held and was short, in all, ' END || coalesce(disclosed.ask_shares(t.shares) || ' shares', 'securities') || ' of '
           || disclosed.ask_company(of_issuer) || ' on ' || disclosed.ask_day(t.report_date) || coalesce(', worth ' || disclosed.ask_number(t.value, 'USD', false), '')
           || coalesce(', ' || trim_scale(round(t.weight_pct, 2)) || '% of its net assets', ''),
           ARRAY[t.fund_name, disclosed.ask_shares(t.shares), disclosed.ask_day(t.report_date), disclosed.ask_number(t.value, 'USD', false), trim_scale(round(t.weight_pct, 2)) || '%']
    FROM disclosed.fund_exposure t
    WHERE t.issuer_id = of_issuer AND (r.capacity IS NULL OR t.is_etf) AND t.report_date BETWEEN first_day AND last_day
      AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
    ORDER BY t.value_order DESC, t.id DESC LIMIT most + 1;
END $$;

-- The latest schedule of each owner.
CREATE FUNCTION ask_owner_records(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT 'beneficial_owner', t.src_digest, t.source_id, t.accession, t.issuer_id, t.issuer_id, NULL::text, t.event_date, t.aggregate_amount, 'shares', 'beneficial_ownership',
           t.owner_name || ' beneficially owned ' || disclosed.ask_shares(t.aggregate_amount) || ' shares of ' || disclosed.ask_company(of_issuer) || coalesce(', ' || trim_scale(round(t.percent_of_class, 2)) || '% of the class', '')
           || ', on ' || disclosed.ask_day(t.event_date) || ', by ' || initcap(left(t.form, 8)) || substr(t.form, 9),
           ARRAY[t.owner_name, disclosed.ask_shares(t.aggregate_amount), trim_scale(round(t.percent_of_class, 2)) || '%', disclosed.ask_day(t.event_date), t.form]
    FROM (SELECT DISTINCT ON (o.owner_name) o.* FROM disclosed.beneficial_owner o
          WHERE o.issuer_id = of_issuer AND o.event_date BETWEEN first_day AND last_day AND (r.capacity IS NULL OR o.form LIKE 'SCHEDULE ' || r.capacity || '%')
            AND CASE WHEN instant IS NULL THEN o.superseded_at IS NULL ELSE o.known_at <= instant AND (o.superseded_at IS NULL OR o.superseded_at > instant) END
          ORDER BY o.owner_name, o.event_date DESC, o.filing_date DESC, o.id DESC) t
    WHERE t.aggregate_amount > 0 AND (r.role IS NULL OR t.percent_of_class > 5)
    ORDER BY t.percent_of_class DESC NULLS LAST, t.event_date DESC, t.id LIMIT most + 1;
END $$;

-- Those of one day are told together: of each class of shares there is one.
CREATE FUNCTION ask_action_records(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT 'corporate_action', t.src_digest, t.source_id, t.accession, t.issuer_id, t.issuer_id, t.symbol, t.action_date, t.amount, c.currency || '_per_share', t.kind,
           CASE t.kind WHEN 'split' THEN w.who || ' had a stock split of ' || t.split_to || ' for ' || t.split_from || ' on ' || disclosed.ask_day(t.action_date)
                WHEN 'spinoff' THEN w.who || ' had a spin-off on ' || disclosed.ask_day(t.action_date) || coalesce(': ' || rtrim(t.description, '.'), '')
                WHEN 'm_and_a' THEN w.who || ' had a merger or takeover on ' || disclosed.ask_day(t.action_date) || coalesce(': ' || rtrim(t.description, '.'), '')
                ELSE w.who || ' had a dividend' || coalesce(' of ' || c.currency || ' ' || trim_scale(t.amount) || ' per share' || coalesce(nullif(disclosed.amount_reservation(disclosed.amount_basis_of(t.amount_basis, t.split_after)), '') || ',', ''), '') || ' with the ex-dividend date '
                     || disclosed.ask_day(coalesce(t.ex_dividend_date, t.action_date)) || CASE r.role WHEN 'declaration' THEN coalesce(', declared on ' || disclosed.ask_day(t.declaration_date), '') ELSE '' END
                     || coalesce(', paid on ' || disclosed.ask_day(t.payment_date), '') END,
           ARRAY[w.who, t.description, t.split_to || ' for ' || t.split_from, disclosed.ask_day(t.action_date), c.currency || ' ' || trim_scale(t.amount),
                 disclosed.ask_day(t.ex_dividend_date), disclosed.ask_day(t.payment_date), disclosed.ask_day(t.declaration_date)]
    FROM (SELECT a.*, min(a.symbol) OVER () = max(a.symbol) OVER () AS is_one FROM disclosed.corporate_action a
          WHERE a.kind = r.form AND a.issuer_id = of_issuer AND (a.kind <> 'split' OR a.split_from > 0)
            AND CASE WHEN a.kind = 'dividend' AND r.role = 'payment' THEN coalesce(a.payment_date, a.action_date) WHEN a.kind = 'dividend' AND r.role = 'declaration' THEN coalesce(a.declaration_date, a.action_date)
                     ELSE a.action_date END BETWEEN first_day AND last_day
            AND CASE WHEN instant IS NULL THEN a.superseded_at IS NULL ELSE a.known_at <= instant AND (a.superseded_at IS NULL OR a.superseded_at > instant) END
          ORDER BY a.action_date DESC, a.id LIMIT most + 10) t
    CROSS JOIN LATERAL (SELECT disclosed.ask_company(of_issuer) || CASE WHEN t.is_one THEN '' ELSE coalesce(' (' || t.symbol || ')', '') END AS who) w
    CROSS JOIN LATERAL (SELECT coalesce(t.currency, disclosed.currency_of_market(t.symbol)) AS currency) c
    ORDER BY t.action_date DESC, t.id;
END $$;

CREATE FUNCTION ask_event_records(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
DECLARE
    at_instant CONSTANT timestamptz := coalesce(instant, now());
    has_period CONSTANT boolean := r.year IS NOT NULL OR r.start_date IS NOT NULL;
BEGIN
    RETURN QUERY
    SELECT 'event', t.src_digest, t.source_id, t.accession, t.issuer_id, t.issuer_id, NULL::text, t.event_at::date, NULL::numeric, NULL::text, NULL::text,
           CASE WHEN r.count > 1 THEN 'An ' WHEN r.quarter IS NOT NULL THEN 'The ' WHEN t.event_at > at_instant THEN 'The next ' ELSE 'The last ' END
           || CASE t.type WHEN 'agm' THEN 'annual meeting' WHEN 'investor_day' THEN 'investor day' ELSE 'earnings date' END || ' of ' || disclosed.ask_company(of_issuer)
           || coalesce(' (' || t.fiscal_period || ')', '') || CASE WHEN t.event_at > at_instant THEN ' is ' ELSE ' was ' END
           || disclosed.ask_day((t.event_at AT TIME ZONE 'UTC')::date) || CASE WHEN t.date_status = 'estimated' THEN ', which is an estimate' ELSE '' END,
           ARRAY[t.fiscal_period, disclosed.ask_day((t.event_at AT TIME ZONE 'UTC')::date)]
    FROM disclosed.event t
    WHERE t.issuer_id = of_issuer AND t.type = r.role AND (t.event_at AT TIME ZONE 'UTC')::date BETWEEN first_day AND last_day
      AND (r.count > 1 OR r.quarter IS NOT NULL OR has_period AND r.is_latest OR (t.event_at > at_instant) = NOT coalesce(r.is_previous, false)) AND (r.quarter IS NULL OR t.fiscal_period = 'Q' || r.quarter || ' FY' || r.year)
      AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
    ORDER BY abs(extract(epoch FROM t.event_at - at_instant)), t.id LIMIT CASE WHEN most > 1 THEN most + 1 ELSE 1 END;
END $$;

DROP FUNCTION ask_topic_lines(ask_reading, timestamptz); -- asked for by ask() alone
CREATE FUNCTION ask_topic_lines(r ask_reading, instant timestamptz, since date, until date) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE AS $$
DECLARE
    note disclosed.ask_line; -- what is not found
    subject bigint; -- a company; NULL: all that the person trades or holds
    place integer := 0;
    found integer;
    has_more boolean; -- than are told of
    day_told date;
    of_quarter CONSTANT boolean := r.form = 'event' AND r.quarter IS NOT NULL; -- it is a fiscal one, whose year is no days
    first_day CONSTANT date := greatest(since, r.start_date, CASE WHEN r.year IS NULL OR of_quarter THEN '-infinity'::date WHEN r.year BETWEEN 1 AND 9999 THEN make_date(r.year, 1, 1) ELSE 'infinity' END);
    last_day CONSTANT date := least(until, r.end_date, CASE WHEN r.year IS NULL OR of_quarter THEN 'infinity'::date WHEN r.year BETWEEN 1 AND 9999 THEN make_date(r.year, 12, 31) ELSE '-infinity' END);
    l record;
    near text;
BEGIN
    IF coalesce(cardinality(r.companies), 0) = 0 AND r.person IS NULL THEN
        note.body := 'The question names no company that is known here.';
        RETURN NEXT note;
        RETURN;
    END IF;
    FOREACH subject IN ARRAY coalesce(r.companies[1:4], ARRAY[NULL::bigint]) LOOP
        found := place;
        has_more := false;
        FOR l IN
            SELECT * FROM disclosed.ask_executive_records(r, subject, first_day, last_day, r.count, instant) WHERE r.form = 'executive'
            UNION ALL SELECT * FROM disclosed.ask_short_interest_records(r, subject, first_day, last_day, r.count, instant) WHERE r.form = 'short_interest'
            UNION ALL SELECT * FROM disclosed.ask_insider_records(r, subject, first_day, last_day, r.count, instant) WHERE r.form = 'insider'
            UNION ALL SELECT * FROM disclosed.ask_congress_records(r, subject, first_day, last_day, r.count, instant) WHERE r.form = 'congress'
            UNION ALL SELECT * FROM disclosed.ask_holder_records(r, subject, first_day, last_day, r.count, instant) WHERE r.form = 'holder'
            UNION ALL SELECT * FROM disclosed.ask_position_records(r, subject, first_day, last_day, r.count, instant) WHERE r.form = 'position'
            UNION ALL SELECT * FROM disclosed.ask_fund_records(r, subject, first_day, last_day, r.count, instant) WHERE r.form = 'fund'
            UNION ALL SELECT * FROM disclosed.ask_owner_records(r, subject, first_day, last_day, r.count, instant) WHERE r.form = 'owner'
            UNION ALL SELECT * FROM disclosed.ask_action_records(r, subject, first_day, last_day, r.count, instant) WHERE r.form IN ('split', 'dividend', 'spinoff', 'm_and_a')
            UNION ALL SELECT * FROM disclosed.ask_event_records(r, subject, first_day, last_day, r.count, instant) WHERE r.form = 'event'
        LOOP
            IF place - found >= r.count AND (r.form NOT IN ('split', 'dividend') OR l.day <> day_told) THEN
                has_more := true;
                CONTINUE;
            END IF;
            place := place + 1;
            day_told := l.day;
            RETURN NEXT ROW(place, l.said || ' [1].', l.dataset, disclosed.ask_src_id(l.dataset, l.src_digest),
                            coalesce(l.symbol, (SELECT i.symbol FROM disclosed.issuer i WHERE i.issuer_id = l.company)), l.metric_key,
                            json_build_object('calendar', NULL, 'fiscal', NULL, 'start_date', NULL, 'end_date', l.day, 'kind', 'instant'), l.value,
                            CASE WHEN l.value IS NOT NULL THEN l.unit END, disclosed.ask_source_url(l.source_id, l.accession, l.filer),
                            array_remove(l.printed || disclosed.ask_company(subject), NULL), 'high')::disclosed.ask_line;
        END LOOP;
        note.body := CASE
            WHEN place = found THEN disclosed.ask_ended('Nothing of that kind is stored about ' || coalesce(disclosed.ask_company(subject), disclosed.ask_company(r.person))
                                                        || coalesce(' ' || CASE WHEN of_quarter THEN 'of Q' || r.quarter || ' FY' || r.year ELSE disclosed.ask_span(first_day, last_day) END, ''))
            WHEN has_more AND r.form IN ('holder', 'position', 'fund', 'owner') THEN 'More of ' || coalesce(disclosed.ask_company(subject), disclosed.ask_company(r.person)) || ' are stored; named are the largest.'
            WHEN has_more AND NOT r.is_latest AND (r.form <> 'short_interest' OR r.start_date IS NOT NULL)
                THEN 'More of ' || coalesce(disclosed.ask_company(subject), disclosed.ask_company(r.person)) || ' are stored; named are the latest.' END;
        IF note.body IS NOT NULL THEN
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

CREATE OR REPLACE FUNCTION ask(question text, given bigint[], since date, until date, instant timestamptz) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE
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
        RETURN QUERY SELECT * FROM disclosed.ask_topic_lines(r, instant, since, until);
    END IF;
END $$;

