-- Questions about records: the top few and the largest, insiders by their names, how positions of managers change from quarter to quarter, and trades of
-- all members of Congress.

SET LOCAL search_path = disclosed, public;

ALTER TYPE ask_reading ADD ATTRIBUTE most integer, -- how many records are asked for: the top five
    ADD ATTRIBUTE by_size boolean, -- the largest first, of what is otherwise told by its day
    ADD ATTRIBUTE insider_name text, -- whose transactions are asked for, as the forms write it
    ADD ATTRIBUTE insider_cik bigint, -- of the same; NULL: the forms do not say
    ADD ATTRIBUTE of_all boolean; -- trades of all members of Congress, in whatever

-- The days that a question and a request allow.
CREATE FUNCTION ask_bounds(r ask_reading, since date, until date, OUT first_day date, OUT last_day date) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT greatest(since, r.start_date, CASE WHEN x.year IS NULL THEN '-infinity'::date WHEN x.year BETWEEN 1 AND 9999 THEN make_date(x.year, 1, 1) ELSE 'infinity' END),
           least(until, r.end_date, CASE WHEN x.year IS NULL THEN 'infinity'::date WHEN x.year BETWEEN 1 AND 9999 THEN make_date(x.year, 12, 31) ELSE '-infinity' END)
    FROM (SELECT CASE WHEN r.form <> 'event' OR r.quarter IS NULL THEN r.year END AS year) x -- of a fiscal quarter the year is no days
$$;

-- ---------------------------------------------------------------- how many

-- How many are asked for, and whether the largest: top five, the three largest, the largest sale, the last ten. A number that is too large is not used.
CREATE FUNCTION ask_read_most(INOUT r ask_reading, plain text, OUT unused text) LANGUAGE plpgsql STABLE AS $$
DECLARE
    large CONSTANT text := '(?:largest|biggest|greatest|top)';
    number CONSTANT text := '([0-9]{1,4}|two|three|four|five|six|seven|eight|nine|ten)';
    latest CONSTANT text := '(?:latest|last|most recent|recent|newest)';
    nouns CONSTANT text := '(holders?|institutions?|shareholders?|owners?|managers?|(?:funds?|etfs?)(?! (?:holders?|owners?))|positions?|holdings?|sales?|purchases?|trades?|transactions?|gifts?|grants?|exercises?|exchanges?)';
    is_ordered CONSTANT boolean := r.rest ~ ('\m' || large || '\M');
    noun CONSTANT text := (regexp_match(r.rest, '\m' || large || '(?: ' || number || ')?(?: \w+){0,3}? ' || nouns || '\M'))[2];
    part text[] := regexp_match(r.rest, '\m(?:' || large || ' ' || number || '|' || number || ' ' || large || ')\M');
BEGIN
    IF part IS NULL AND NOT is_ordered AND r.form IN ('insider', 'congress') THEN
        part := regexp_match(plain, '\m(?:' || latest || ' ' || number || '|' || number || ' ' || latest || ')(?: \w+){0,3}? (?:sales|purchases|trades|transactions|gifts|grants|exercises|exchanges)\M');
    END IF;
    IF part IS NOT NULL THEN
        part[1] := coalesce(part[1], part[2]);
        r.most := disclosed.ask_count(part[1]);
        unused := CASE WHEN r.most BETWEEN 1 AND 50 THEN NULL ELSE part[1] END;
        r.rest := regexp_replace(r.rest, '\m' || part[1] || '\M', ' ');
    ELSIF is_ordered AND noun !~ 's$' THEN
        r.most := 1;
    ELSIF r.form IN ('holder', 'fund') AND r.rest ~ '\m(?:hold|holds|held|own|owns|owned) (?:the )?most\M' THEN
        r.most := CASE WHEN r.rest !~ '\m(?:funds|etfs|institutions|managers|holders|shareholders|owners)\M' THEN 1 END;
        r.rest := regexp_replace(r.rest, '\mmost\M', ' ');
    END IF;
    IF is_ordered AND r.form IN ('insider', 'congress') THEN
        r.by_size := true;
        -- The largest insiders are not the largest sales; and of all trades of Congress none is looked for by its amount.
        unused := coalesce(unused, CASE WHEN noun IS NULL OR r.of_all THEN (regexp_match(r.rest, '\m(' || large || ')\M'))[1] END);
    END IF;
    r.rest := regexp_replace(r.rest, '\m' || large || '\M', ' ', 'g');
END $$;

-- ---------------------------------------------------------------- insiders by their names

-- A name of a form as it is compared: LAST FIRST MIDDLE.
CREATE FUNCTION insider_words(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN left(disclosed.plain_words(translate(name, '''’', '')), 60);
END $$;
CREATE INDEX insider_by_name ON insider_transaction ((insider_words(insider_name) COLLATE "C"), (coalesce(owner_cik, 0))) WHERE NOT is_derivative;
CREATE INDEX insider_by_owner ON insider_transaction (owner_cik) WHERE NOT is_derivative;
COMMENT ON INDEX insider_by_name IS 'ask_insiders(): who is named in a question';

-- A first name, and those that it is short for, or that are short for it.
CREATE FUNCTION given_names(name text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT array_agg(DISTINCT n) FROM (
        SELECT name AS n
        UNION SELECT CASE name WHEN split_part(p, ' ', 1) THEN split_part(p, ' ', 2) ELSE split_part(p, ' ', 1) END
        FROM string_to_table('abby abigail,al albert,al alan,al alfred,alex alexander,alex alexandra,andy andrew,art arthur,barb barbara,ben benjamin,bernie bernard,beth elizabeth,bill william,bob robert,brad bradley,'
            || 'cathy catherine,charlie charles,chris christopher,chris christine,chris christian,chuck charles,cindy cynthia,dan daniel,dave david,deb deborah,debbie deborah,dick richard,don donald,doug douglas,'
            || 'ed edward,ed edwin,eddie edward,fred frederick,gene eugene,geoff geoffrey,greg gregory,hank henry,jack john,jake jacob,jeff jeffrey,jen jennifer,jenny jennifer,jerry gerald,jerry jerome,jim james,'
            || 'jimmy james,joe joseph,jon jonathan,josh joshua,kate katherine,kathy katherine,kathy kathleen,ken kenneth,kim kimberly,larry lawrence,liz elizabeth,marty martin,matt matthew,meg margaret,mike michael,'
            || 'mitch mitchell,nate nathaniel,nate nathan,nick nicholas,pam pamela,pat patrick,pat patricia,patty patricia,peggy margaret,pete peter,phil philip,phil phillip,ray raymond,rich richard,rick richard,'
            || 'rob robert,ron ronald,russ russell,sam samuel,sam samantha,sandy sandra,steve steven,steve stephen,sue susan,tim timothy,ted edward,ted theodore,terry terrence,tom thomas,tony anthony,vicky victoria,'
            || 'vince vincent,walt walter,zach zachary', ',') p
        WHERE name IN (split_part(p, ' ', 1), split_part(p, ' ', 2))) x
$$;

-- Whether it may be asked what an insider did: "sales" alone are a company's.
CREATE FUNCTION ask_asks_insider(plain text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT plain ~ '\m(sell|sold|sells|selling|buy|buys|bought|buying|purchase[ds]?|acquired|trade[ds]?|trading|transactions?|gifts?|gifted|grants?|granted|awards?|awarded|exercise[ds]?|insiders?|form 4)\M'
           OR plain ~ '\msales?\M' AND plain ~ '\m(sales? by|shares?|stock)\M'
$$;

-- Those whose names on forms begin with the words, behind which the middle name stands if there is one; of the companies, if some are given. Each is found by
-- one look into the index; of more than a hundred it is not known who is meant, as of two.
CREATE FUNCTION ask_insiders(begins text, middle text, of_issuers bigint[]) RETURNS TABLE (name text, cik bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE
    last_words text := begins;
    last_cik bigint := -1;
    third text;
BEGIN
    FOR looks IN 1 .. 100 LOOP
        SELECT t.insider_name, coalesce(t.owner_cik, 0), disclosed.insider_words(t.insider_name) INTO name, last_cik, last_words
        FROM disclosed.insider_transaction t
        WHERE NOT t.is_derivative AND (disclosed.insider_words(t.insider_name) COLLATE "C", coalesce(t.owner_cik, 0)) > (last_words COLLATE "C", last_cik)
          AND disclosed.insider_words(t.insider_name) COLLATE "C" < begins || '!' -- behind a space
        ORDER BY disclosed.insider_words(t.insider_name) COLLATE "C", coalesce(t.owner_cik, 0) LIMIT 1;
        EXIT WHEN NOT FOUND;
        cik := nullif(last_cik, 0);
        third := split_part(substr(last_words, length(begins) + 2), ' ', 1);
        CONTINUE WHEN middle IS NOT NULL AND (left(third, 1) <> left(middle, 1) OR third <> middle AND length(third) > 1 AND length(middle) > 1);
        CONTINUE WHEN of_issuers IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM disclosed.insider_transaction t
            WHERE t.issuer_id = ANY (of_issuers) AND NOT t.is_derivative AND CASE WHEN ask_insiders.cik IS NULL THEN disclosed.insider_words(t.insider_name) = last_words ELSE t.owner_cik = ask_insiders.cik END);
        RETURN NEXT;
    END LOOP;
END $$;

-- How forms may begin the name that words of a question are: FIRST [MIDDLE] LAST, where the last name has up to three words; or as it is written, if no word of
-- it is of a company's name.
CREATE FUNCTION ask_insider_forms(named text[], as_written boolean) RETURNS TABLE (begins text, middle text) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_to_string(named, ' '), NULL WHERE as_written
    UNION ALL SELECT array_to_string(named[s:], ' ') || ' ' || g, CASE WHEN s = 3 THEN named[2] END
    FROM unnest(disclosed.given_names(named[1])) g CROSS JOIN generate_series(2, 3) s WHERE s <= cardinality(named)
$$;

-- The insiders whom words of the question name, the longest name first: those of the companies, else of any. One person may have several spellings.
CREATE FUNCTION ask_insider(plain text, rest text, of_issuers bigint[], OUT said text, OUT names text[], OUT ciks bigint[]) LANGUAGE plpgsql STABLE AS $$
DECLARE
    words CONSTANT text[] := string_to_array(plain, ' ');
    left_words CONSTANT text[] := string_to_array(rest, ' ');
    idle CONSTANT text[] := disclosed.ask_fillers() || disclosed.ask_qualifiers() || disclosed.ask_form_words() || disclosed.ask_topic_words('insider') || '{latest,newest,recently,today,now,past,jr,sr,ii,iii,iv}'::text[];
    named text[];
    companies bigint[] := of_issuers;
BEGIN
    LOOP
        FOR size IN REVERSE 4 .. 2 LOOP
            FOR place IN 1 .. cardinality(words) - size + 1 LOOP
                named := words[place:place + size - 1];
                CONTINUE WHEN NOT named && left_words -- a company's name
                    OR EXISTS (SELECT 1 FROM unnest(named) WITH ORDINALITY AS n(word, place)
                               WHERE n.word ~ '[0-9]' OR CASE WHEN n.place = 2 AND size > 2 AND length(n.word) = 1 THEN false ELSE n.word = ANY (idle) OR n.place = size AND length(n.word) < 2 END);
                SELECT array_agg(p.name ORDER BY p.name, p.cik), array_agg(p.cik ORDER BY p.name, p.cik) INTO names, ciks
                FROM (SELECT DISTINCT ON (coalesce(i.cik::text, disclosed.insider_words(i.name))) i.*
                      FROM disclosed.ask_insider_forms(named, named <@ left_words) f CROSS JOIN LATERAL disclosed.ask_insiders(f.begins, f.middle, companies) i
                      ORDER BY coalesce(i.cik::text, disclosed.insider_words(i.name)), i.name) p;
                IF names IS NOT NULL THEN
                    said := array_to_string(named, ' ');
                    RETURN;
                END IF;
            END LOOP;
        END LOOP;
        EXIT WHEN companies IS NULL;
        companies := NULL;
    END LOOP;
END $$;

-- The companies of a question without those whose names are in that of the person alone.
CREATE FUNCTION ask_beside_person(companies bigint[], named text, plain text) RETURNS bigint[] LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT array_agg(c.company ORDER BY c.place) FROM unnest(companies) WITH ORDINALITY AS c(company, place) JOIN disclosed.issuer i ON i.issuer_id = c.company
            WHERE NOT (split_part(disclosed.name_core(i.name), ' ', 1) = ANY (string_to_array(named, ' '))
                       AND cardinality(array_positions(string_to_array(plain, ' '), split_part(disclosed.name_core(i.name), ' ', 1))) < 2));
END $$;

-- The reading with the insider whom the words name, or refused if they name several, or a member of Congress as well.
CREATE FUNCTION ask_with_insider(r ask_reading, plain text, said text, names text[], ciks bigint[]) RETURNS ask_reading LANGUAGE plpgsql STABLE AS $$
DECLARE
    people CONSTANT text[] := ARRAY(SELECT n.name || coalesce(' (CIK ' || n.cik || ')', '') FROM unnest(names, ciks) AS n(name, cik))
                              || CASE WHEN r.person IS NULL THEN NULL ELSE disclosed.ask_company(r.person) || ', a member of Congress' END;
BEGIN
    IF cardinality(array_remove(people, NULL)) > 1 THEN
        r.form := 'refused';
        r.note := disclosed.ask_ended('"' || said || '" may be ' || array_to_string(people[1:3], ' or ') || CASE WHEN cardinality(array_remove(people, NULL)) > 3 THEN ', or others' ELSE '' END);
        r.rest := '';
        RETURN r;
    END IF;
    r.insider_name := names[1];
    r.insider_cik := ciks[1];
    r.rest := array_to_string(ARRAY(SELECT w FROM string_to_table(r.rest, ' ') w WHERE w <> ALL (string_to_array(said || ' jr sr ii iii iv', ' '))), ' ');
    r.companies := disclosed.ask_beside_person(r.companies, said, plain);
    RETURN r;
END $$;

-- ---------------------------------------------------------------- changes of positions

CREATE FUNCTION ask_rise() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 'adds?|added|adding|increase[ds]?|increasing|raise[ds]?|boost|boosted' $$;
CREATE FUNCTION ask_fall() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 'reduce[ds]?|reducing|decrease[ds]?|cuts?|trims?|trimmed|lower|lowers|lowered' $$;

-- Whether it is asked how a manager's position changed, or whose did.
CREATE FUNCTION ask_asks_change(r ask_reading, of_company boolean) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN r.person IS NOT NULL THEN r.companies IS NOT NULL AND r.rest ~ ('\m(' || disclosed.ask_rise() || '|' || disclosed.ask_fall() || '|change[ds]?)\M') AND r.rest ~ '\m(stakes?|positions?|holdings?|shares|stock|added)\M'
                ELSE of_company AND (r.rest ~ '\mwho (?:has |have )?(?:added|trimmed)\M'
                                     OR r.rest ~ ('\m(who|which (?:institution|manager|holder|shareholder)|institutions|managers|holders|shareholders)\M.*\m(' || disclosed.ask_rise() || '|' || disclosed.ask_fall() || '|change[ds]?)\M.*\m(stakes?|positions?|holdings?|shares|stock)\M')) END
$$;

-- A quarter of reports is one of the calendar; it becomes days.
CREATE FUNCTION ask_read_quarter(INOUT r ask_reading, plain text) LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF r.quarter IS NOT NULL AND r.year BETWEEN 1 AND 9999 AND plain !~ '\m(day[0-9]{8}|month[0-9]{6})\M' THEN
        r.start_date := make_date(r.year, 3 * r.quarter - 2, 1);
        r.end_date := (r.start_date + interval '3 months')::date - 1;
        SELECT NULL, NULL, false INTO r.year, r.quarter, r.is_calendar;
        r.rest := regexp_replace(r.rest, '\mcalendar\M', ' ', 'g');
    END IF;
    r.rest := regexp_replace(r.rest, '\m(?:(?:in|during|over|for|of) )?(?:the )?(?:last |most recent |latest )?quarter\M', ' ', 'g');
END $$;

-- The same as before, but the change of a position may be that of a quarter, too.
CREATE OR REPLACE FUNCTION ask_read_span(INOUT r ask_reading, body text, OUT unused text) LANGUAGE plpgsql IMMUTABLE AS $$
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
       OR cardinality(days) = 1 AND r.length IS NOT NULL AND (r.length <> 'quarter' OR r.form NOT IN ('holder', 'position', 'change')) THEN
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
        WHEN 'change' THEN 'add adds added adding increase increases increased increasing raise raises raised boost boosted reduce reduces reduced reducing decrease decreases decreased cut cuts trim trims trimmed lower lowers lowered '
            || 'change changed changes percent percentage stake stakes position positions holding holdings hold holds held shares share stock 13f institution institutions institutional manager managers holder holders shareholder shareholders most'
        WHEN 'owner' THEN 'beneficial beneficially owner owners ownership own owns owned holder holders hold holds held shareholder shareholders schedule schedules stake stakes class shares share stock large'
        WHEN 'spinoff' THEN 'spinoff spinoffs spin off offs spun shares share stock when date happen happened corporate action actions'
        WHEN 'm_and_a' THEN 'merger mergers takeover takeovers acquired acquisition bought taken over when date happen happened corporate action actions'
        WHEN 'split' THEN 'stock split splits share shares when date happen happened'
        WHEN 'dividend' THEN 'dividend dividends ex pay paid payment payments declare declared stock share shares when date day'
        WHEN 'event' THEN 'earnings reports reporting call annual meeting agm investor day event next previous upcoming when date scheduled release releases happen happens happened held hold will quarterly'
        END, ' ')
$$;

CREATE OR REPLACE FUNCTION ask_topics() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{executive,short_interest,insider,congress,holder,fund,position,change,owner,split,dividend,spinoff,m_and_a,event}'::text[]
$$;

CREATE OR REPLACE FUNCTION ask_topic_of(r ask_reading, of_names text[], given bigint[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    of_company CONSTANT boolean := coalesce(r.companies, given) IS NOT NULL;
    traded CONSTANT text := '\m(?:sold|sell|selling|sells|sales?|bought|buy|buys|buying|purchased?|purchases|acquired|trades?|traded|trading)\M';
BEGIN
    RETURN CASE
        WHEN r.rest ~ '\m(ceo|chief executive|cfo|chief financial|coo|chief operating|chairman|chair|president|general counsel)\M'
             AND r.rest ~ '\m(who|name|whos)\M|^(the )?(ceo|cfo|coo|chief \w+ officer|chairman|president)( of)?$' THEN 'executive'
        WHEN r.rest ~ '\mshort (interest|position|sold)|\mshorted\M|days to cover|shares? (sold )?short\M' THEN 'short_interest'
        WHEN r.rest ~ '\m(congress\w*|senators?|representatives?|lawmakers?|politicians?|house members?|members of the (house|senate))\M' AND r.rest ~ traded THEN 'congress'
        WHEN r.insider_name IS NOT NULL THEN 'insider'
        WHEN r.person IS NULL AND disclosed.ask_asks_change(r, of_company) THEN 'change'
        WHEN r.person IS NOT NULL THEN CASE WHEN EXISTS (SELECT 1 FROM disclosed.issuer i WHERE i.issuer_id = r.person AND i.party_key LIKE 'politician/%') THEN 'congress' WHEN disclosed.ask_asks_change(r, of_company) THEN 'change' ELSE 'position' END
        WHEN r.rest ~ '\m(insiders?|form 4|directors and officers)\M' OR r.rest ~ '\m(directors?|officers?|executives)\M' AND r.rest ~ traded
             OR of_company AND r.rest ~ ('\mwho (?:has |have |had |else )*' || traded) AND r.rest ~ '\m(shares?|stock)\M' THEN 'insider'
        WHEN r.rest ~ '\m(beneficial(ly)?|13 ?[dg]|schedules? 13 ?[dg])\M' OR r.rest ~ '\m(own|owns|owned|owners?|hold|holds|holders?|shareholders?|stakes?)\M.*\m(more than|over|above|at least) 5(?: percent)?(?: (?:of|in|at)\M|$)' THEN 'owner'
        WHEN r.rest ~ '\m(funds?|etfs?)\M' AND r.rest ~ '\m(which|what|who|list|how many|top|largest|biggest)\M' AND r.rest ~ '\m(hold|holds|held|own|owns|owned|invest|invests|invested|exposure)\M' THEN 'fund'
        WHEN (r.rest ~ '\m(holders?|institutions?|institutional|13f|shareholders?|owners?)\M' OR r.rest ~ '\mowns?\M' AND r.rest !~ '\m(does|do|did|has|have)\M') AND r.rest !~ 'equity|letter' -- what it owns is another question
             OR of_company AND r.rest ~ '\mwho\M.*\m(hold|holds|held)\M' THEN 'holder'
        WHEN r.rest ~ '\m(stock split|split|splits)\M' THEN 'split'
        WHEN r.rest ~ '\m(spin ?offs?|spun off)\M' THEN 'spinoff'
        WHEN of_company AND r.rest ~ '\m(mergers?|takeovers?)\M|\mwho (has |have )?(acquired|bought)\M|\m(is|was|were|been|being) (acquired|taken over)\M|\macquired by\M' THEN 'm_and_a'
        WHEN r.rest ~ '\mdividends?\M' AND (r.rest ~ '\m(day[0-9]{8}|month[0-9]{6})\M' OR r.earlier IS NOT NULL AND r.length IS NULL OR r.rest !~ 'dividends? paid'
             AND NOT EXISTS (SELECT 1 FROM unnest(of_names) n WHERE n ~ '\mdividends?\M' AND position(' ' || n || ' ' IN ' ' || r.rest || ' ') > 0)) THEN 'dividend'
        WHEN r.rest ~ '\m(when|next|date|day|upcoming)\M' AND r.rest ~ '\m(earnings|results|report|call|annual meeting|agm|investor day|event)\M' THEN 'event' END;
END $$;

-- Who trades or holds, if the question names a member of Congress, an insider, a manager or a fund for it.
CREATE OR REPLACE FUNCTION ask_read_person(INOUT r ask_reading, plain text, given bigint[]) LANGUAGE plpgsql STABLE AS $$
DECLARE
    holds CONSTANT text := '\m(hold|holds|held|own|owns|owned|holdings?|positions?|portfolio|invest|invests|invested)\M';
    asks_of_holders CONSTANT text := '\m(who|whom|institutions?|institutional|holders?|shareholders?|owners?|managers|funds|etfs|insiders?|short|beneficial(ly)?)\M';
    has_title CONSTANT boolean := plain ~ '\m(congress\w*|senators?|representatives?|rep|sen|lawmakers?|politicians?)\M';
    names_position CONSTANT boolean := plain ~ holds OR plain ~ '\m(stakes?|shares?|added)\M' AND plain ~ ('\m(' || disclosed.ask_rise() || '|' || disclosed.ask_fall() || '|change[ds]?)\M');
    insider record;
    named text;
BEGIN
    IF has_title OR plain ~ '\m(sell|sold|sells|selling|buy|buys|bought|buying|purchase[ds]?|trades?|traded|trading|transactions?)\M' THEN
        r.person := disclosed.ask_member(r.rest, has_title);
    END IF;
    IF NOT has_title AND cardinality(string_to_array(plain, ' ')) <= 24 AND disclosed.ask_asks_insider(plain) THEN -- a longer question may name too many
        SELECT * INTO insider FROM disclosed.ask_insider(plain, r.rest, coalesce(r.companies, given));
        IF insider.said IS NOT NULL THEN
            r := disclosed.ask_with_insider(r, plain, insider.said, insider.names, insider.ciks);
            RETURN;
        END IF;
    END IF;
    IF r.person IS NULL AND names_position AND cardinality(string_to_array(plain, ' ')) <= 24 THEN
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
    r.companies := disclosed.ask_beside_person(array_remove(r.companies, r.person), named, plain);
END $$;

-- The topic of a question, if it has one, with what is asked about it, and with a word that the answer would not use.
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

-- How many records are told of.
CREATE OR REPLACE FUNCTION ask_topic_count(r ask_reading, plain text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(r.most, CASE
        WHEN r.form IN ('spinoff', 'm_and_a') THEN 20
        WHEN r.form IN ('split', 'dividend') THEN CASE WHEN r.is_latest THEN 1 WHEN r.year IS NOT NULL OR r.start_date IS NOT NULL THEN 60 WHEN plain ~ '\m(splits|dividends)\M' THEN 20 ELSE 1 END
        WHEN r.form = 'short_interest' THEN 26
        WHEN r.form = 'event' THEN CASE WHEN (r.start_date IS NOT NULL OR r.year IS NOT NULL AND r.quarter IS NULL) AND NOT r.is_latest AND plain !~ '\m(next|upcoming|previous)\M' THEN 12 ELSE 1 END
        WHEN r.form IN ('insider', 'congress') THEN CASE WHEN r.year IS NOT NULL OR r.start_date IS NOT NULL THEN 20 ELSE 5 END
        WHEN r.form IN ('holder', 'fund', 'position', 'owner', 'change') THEN 5
        WHEN r.form = 'executive' THEN 2 END)
$$;

-- The last day of a quarter that is not after the day.
CREATE FUNCTION ask_quarter_end(day date) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT CASE WHEN isfinite(day) THEN date_trunc('quarter', (day + 1)::timestamp)::date - 1 ELSE day END
$$;

-- The last quarter of those days of which somebody reports the company.
CREATE FUNCTION ask_last_held(symbols text[], of_issuer bigint, first_day date, last_day date, instant timestamptz) RETURNS date LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT max(h.period_of_report)
            FROM unnest(symbols) AS s(symbol) CROSS JOIN LATERAL (
                SELECT t.period_of_report FROM disclosed.institution_holder t
                WHERE t.symbol = s.symbol AND t.company_id = of_issuer AND t.shares > 0 AND t.period_of_report BETWEEN first_day AND last_day
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                ORDER BY t.period_of_report DESC, t.id DESC LIMIT 1) h);
END $$;

-- What a manager reports of a quarter, if all of it is stored: rows that are not there say that it held nothing of that kind. A notice says that others report it.
CREATE FUNCTION ask_report_of(manager bigint, period date, instant timestamptz) RETURNS institution_report LANGUAGE plpgsql STABLE AS $$
DECLARE
    report disclosed.institution_report;
BEGIN
    SELECT t.* INTO report FROM disclosed.institution_report t
    WHERE t.issuer_id = manager AND t.period_of_report = period AND t.report_type IN ('holdings', 'combination') AND t.amendment_type IS DISTINCT FROM 'new_holdings'
      AND (t.table_entry_total IS NULL OR t.entries_stored >= t.table_entry_total)
      AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
    ORDER BY t.filing_date DESC, t.id DESC LIMIT 1;
    RETURN report;
END $$;

-- ---------------------------------------------------------------- records

-- Transactions of insiders in a company, or of the one whom the question names, in whatever.
CREATE FUNCTION ask_insider_transactions(r ask_reading, of_issuer bigint, first_day date, last_day date, instant timestamptz) RETURNS SETOF insider_transaction LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT t.*
    FROM (SELECT x.* FROM disclosed.insider_transaction x
          WHERE x.issuer_id = of_issuer AND NOT x.is_derivative
            AND (r.insider_name IS NULL OR CASE WHEN r.insider_cik IS NULL THEN disclosed.insider_words(x.insider_name) = disclosed.insider_words(r.insider_name) ELSE x.owner_cik = r.insider_cik END)
          UNION ALL SELECT x.* FROM disclosed.insider_transaction x WHERE of_issuer IS NULL AND x.owner_cik = r.insider_cik AND NOT x.is_derivative
          UNION ALL SELECT x.* FROM disclosed.insider_transaction x
          WHERE of_issuer IS NULL AND r.insider_cik IS NULL AND disclosed.insider_words(x.insider_name) COLLATE "C" = disclosed.insider_words(r.insider_name) AND NOT x.is_derivative) t
    WHERE t.shares IS NOT NULL AND (r.role IS NULL OR t.transaction_type = r.role)
      AND (r.capacity IS NULL OR t.relationship ~ CASE r.capacity WHEN 'director' THEN '^Director\M' ELSE '(^|, )Officer\M' END)
      AND t.transaction_date BETWEEN first_day AND last_day
      AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END;
END $$;

-- By what transactions are the largest: by what was paid; by shares, if that is nothing.
CREATE FUNCTION ask_size(t insider_transaction, role text) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN role IN ('gift', 'grant', 'option_exercise') THEN t.shares ELSE t.value END
$$;

CREATE OR REPLACE FUNCTION ask_insider_records(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT 'insider', t.src_digest, t.source_id, t.accession, t.issuer_id, t.issuer_id, NULL::text, t.transaction_date, t.value, 'USD', 'insider_' || t.transaction_type,
           t.insider_name || ' (' || coalesce(t.relationship, 'insider') || ') reported ' || disclosed.ask_a(replace(t.transaction_type, '_', ' ')) || ' of '
           || disclosed.ask_shares(t.shares) || ' shares of ' || disclosed.ask_company(t.issuer_id) || ' on ' || disclosed.ask_day(t.transaction_date)
           || coalesce(' at USD ' || trim_scale(round(t.price, 4)), '') || CASE WHEN r.by_size AND t.value > 0 THEN ', worth ' || disclosed.ask_number(t.value, 'USD', false) ELSE '' END,
           ARRAY[t.insider_name, t.relationship, disclosed.ask_shares(t.shares), disclosed.ask_day(t.transaction_date), 'USD ' || trim_scale(round(t.price, 4)), disclosed.ask_number(t.value, 'USD', false)]
    FROM (SELECT x.* FROM disclosed.ask_insider_transactions(r, of_issuer, first_day, last_day, instant) x
          WHERE NOT coalesce(r.by_size, false) OR disclosed.ask_size(x, r.role) IS NOT NULL
          ORDER BY CASE WHEN r.by_size THEN disclosed.ask_size(x, r.role) END DESC, x.transaction_date DESC, x.id DESC LIMIT most + 1) t;
END $$;

-- The least and the most of a range: $1,001 - $15,000; Over $50,000,000.
CREATE FUNCTION range_bounds(amount text, OUT from_amount numeric, OUT to_amount numeric) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT n.bounds[1], coalesce(n.bounds[2], n.bounds[1])
    FROM (SELECT array_agg(replace(p.found[1], ',', '')::numeric ORDER BY p.place) AS bounds
          FROM regexp_matches(amount, '\d[\d,]{0,24}(?:\.\d{1,9})?', 'g') WITH ORDINALITY AS p(found, place)) n
$$;

-- Trades are found by what they are and by their day, in this order; a day after that of filing is mistaken.
CREATE INDEX congress_trade_by_day ON congress_trade (transaction_type, (least(transaction_date, filing_date)), id);
COMMENT ON INDEX congress_trade_by_day IS 'ask_congress_trades(): the latest of all members';

-- Trades of members of Congress in a company, of one member, or of one in a company; of all members in whatever no more than the latest of each kind.
CREATE FUNCTION ask_congress_trades(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF congress_trade LANGUAGE plpgsql STABLE AS $$
DECLARE
    kind text;
    has_days CONSTANT boolean := first_day > '-infinity' OR last_day < 'infinity';
BEGIN
    IF of_issuer IS NOT NULL OR r.person IS NOT NULL THEN
        RETURN QUERY
        SELECT t.*
        FROM (SELECT c.* FROM disclosed.congress_trade c WHERE c.company_id = of_issuer AND (r.person IS NULL OR c.issuer_id = r.person)
              UNION ALL SELECT c.* FROM disclosed.congress_trade c WHERE of_issuer IS NULL AND c.issuer_id = r.person) t
        WHERE (r.role IS NULL OR t.transaction_type = r.role OR r.role = 'sale' AND t.transaction_type = 'sale_partial') AND (r.capacity IS NULL OR t.chamber = r.capacity)
          AND (NOT has_days OR t.transaction_date BETWEEN first_day AND last_day)
          AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END;
        RETURN;
    END IF;
    FOREACH kind IN ARRAY CASE WHEN r.role = 'sale' THEN '{sale,sale_partial}'::text[] WHEN r.role IS NOT NULL THEN ARRAY[r.role] ELSE '{purchase,sale,sale_partial,exchange,unknown}' END LOOP
        RETURN QUERY
        SELECT t.* FROM disclosed.congress_trade t
        WHERE t.transaction_type = kind AND least(t.transaction_date, t.filing_date) BETWEEN first_day AND last_day AND (r.capacity IS NULL OR t.chamber = r.capacity)
          AND (NOT has_days OR t.transaction_date IS NOT NULL)
          AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
        ORDER BY least(t.transaction_date, t.filing_date) DESC, t.id DESC LIMIT most + 1;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION ask_congress_records(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT 'congress_trade', t.src_digest, t.source_id, t.accession, t.issuer_id, t.company_id, t.symbol, coalesce(t.transaction_date, t.filing_date), NULL::numeric, NULL::text, NULL::text,
           disclosed.ask_company(t.issuer_id) || ' (' || initcap(t.chamber) || ') reported ' || disclosed.ask_a(CASE t.transaction_type WHEN 'sale_partial' THEN 'partial sale' WHEN 'unknown' THEN 'trade of an unknown kind' ELSE t.transaction_type END)
           || ' of ' || coalesce(t.asset_name, t.ticker, 'an asset that is not named') || coalesce(' (' || t.asset_type || ')', '') || coalesce(' on ' || disclosed.ask_day(t.transaction_date), '')
           || coalesce(' of ' || t.amount_range, '') || coalesce(', owner: ' || t.owner, ''),
           ARRAY[t.asset_name, t.ticker, t.asset_type, disclosed.ask_day(t.transaction_date), t.amount_range, disclosed.ask_company(t.issuer_id)]
    FROM (SELECT c.*
          FROM disclosed.ask_congress_trades(r, of_issuer, first_day, last_day, most, instant) c CROSS JOIN LATERAL disclosed.range_bounds(CASE WHEN r.by_size THEN c.amount_range END) b
          WHERE NOT coalesce(r.by_size, false) OR b.from_amount IS NOT NULL
          ORDER BY b.from_amount DESC, b.to_amount DESC, CASE WHEN r.of_all THEN least(c.transaction_date, c.filing_date) ELSE coalesce(c.transaction_date, c.filing_date) END DESC, c.id DESC LIMIT most + 1) t;
END $$;

-- Managers that hold the company, each by its latest report of the latest quarter and the one before, the largest first. One that has reported since without
-- the company holds it no longer.
CREATE OR REPLACE FUNCTION ask_holder_records(r ask_reading, of_issuer bigint, first_day date, last_day date, most integer, instant timestamptz) RETURNS SETOF ask_record LANGUAGE plpgsql STABLE AS $$
DECLARE
    symbols CONSTANT text[] := ARRAY(SELECT DISTINCT s.record_key FROM disclosed.listing s WHERE s.issuer_id = of_issuer); -- by these its holders are found
    last_period CONSTANT date := disclosed.ask_last_held(symbols, of_issuer, first_day, last_day, instant);
    t record;
    found integer := 0;
BEGIN
    FOR t IN
        SELECT x.*, min(x.symbol) OVER () = max(x.symbol) OVER () AS is_one
        FROM (SELECT DISTINCT ON (h.issuer_id, h.symbol) h.*
              FROM disclosed.institution_holder h
              WHERE h.symbol = ANY (symbols) AND h.company_id = of_issuer AND h.shares > 0 AND h.period_of_report BETWEEN greatest(first_day, disclosed.ask_quarter_end(last_period - 1)) AND last_period
                AND CASE WHEN instant IS NULL THEN h.superseded_at IS NULL ELSE h.known_at <= instant AND (h.superseded_at IS NULL OR h.superseded_at > instant) END
              ORDER BY h.issuer_id, h.symbol, h.period_of_report DESC, h.id) x
        ORDER BY x.value DESC, x.id
    LOOP
        CONTINUE WHEN t.period_of_report < last_period AND (disclosed.ask_report_of(t.issuer_id, last_period, instant)).issuer_id IS NOT NULL;
        RETURN NEXT ROW('institution_holder', t.src_digest, t.source_id, t.accession, t.issuer_id, t.company_id, t.symbol, t.period_of_report, t.shares, 'shares', 'institution_shares',
            disclosed.ask_company(t.issuer_id) || ' held ' || disclosed.ask_shares(t.shares) || ' shares of ' || disclosed.ask_company(of_issuer) || CASE WHEN t.is_one THEN '' ELSE ' (' || t.symbol || ')' END || ' on '
            || disclosed.ask_day(t.period_of_report) || ', worth ' || disclosed.ask_number(t.value, 'USD', false),
            ARRAY[t.symbol, disclosed.ask_shares(t.shares), disclosed.ask_day(t.period_of_report), disclosed.ask_number(t.value, 'USD', false), disclosed.ask_company(t.issuer_id)])::disclosed.ask_record;
        found := found + 1;
        EXIT WHEN found > most;
    END LOOP;
END $$;

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

-- ---------------------------------------------------------------- how positions change

-- What a manager reports of a listing for a quarter.
CREATE FUNCTION ask_position_of(manager bigint, of_symbol text, of_issuer bigint, period date, instant timestamptz) RETURNS institution_holder LANGUAGE plpgsql STABLE AS $$
DECLARE
    position disclosed.institution_holder;
BEGIN
    SELECT t.* INTO position FROM disclosed.institution_holder t
    WHERE t.issuer_id = manager AND t.period_of_report = period AND t.symbol = of_symbol AND t.company_id = of_issuer AND t.shares > 0
      AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
    ORDER BY t.id LIMIT 1;
    RETURN position;
END $$;

-- Splits of a listing between the ends of two quarters.
CREATE FUNCTION ask_splits_between(of_issuer bigint, of_symbol text, before date, after date, instant timestamptz) RETURNS SETOF corporate_action LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT s.* FROM disclosed.corporate_action s
    WHERE s.issuer_id = of_issuer AND s.kind = 'split' AND s.split_from > 0 AND s.action_date > before AND s.action_date <= after AND coalesce(s.symbol, of_symbol) = of_symbol
      AND CASE WHEN instant IS NULL THEN s.superseded_at IS NULL ELSE s.known_at <= instant AND (s.superseded_at IS NULL OR s.superseded_at > instant) END
    ORDER BY s.action_date, s.id;
END $$;

-- By what shares of the earlier quarter are multiplied to compare with those of the later one.
CREATE FUNCTION ask_split_factor(of_issuer bigint, of_symbol text, before date, after date, instant timestamptz) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
DECLARE
    factor numeric := 1;
    split record;
BEGIN
    FOR split IN SELECT s.split_to, s.split_from FROM disclosed.ask_splits_between(of_issuer, of_symbol, before, after, instant) s LOOP
        factor := factor * split.split_to / split.split_from;
    END LOOP;
    RETURN factor;
END $$;

CREATE FUNCTION ask_source_line(sentence integer, body text, dataset text, digest uuid, symbol text, metric text, day date, value numeric, source_id integer, accession text, filer bigint, printed text[]) RETURNS ask_line
LANGUAGE sql STABLE AS $$
    SELECT ROW(sentence, body, dataset, disclosed.ask_src_id(dataset, digest), symbol, metric, json_build_object('calendar', NULL, 'fiscal', NULL, 'start_date', NULL, 'end_date', day, 'kind', 'instant'),
               value, CASE WHEN value IS NOT NULL THEN 'shares' END, disclosed.ask_source_url(source_id, accession, filer), array_remove(printed, NULL), 'medium')::disclosed.ask_line
$$;

-- How a manager's position in a listing changed between two quarters, with what each number rests on; else a note of why that is not known. Where it held none,
-- its report says so.
CREATE FUNCTION ask_change(manager bigint, of_issuer bigint, of_symbol text, before date, after date, instant timestamptz, sentence integer) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE AS $$
DECLARE
    now_held disclosed.institution_holder := disclosed.ask_position_of(manager, of_symbol, of_issuer, after, instant);
    then_held disclosed.institution_holder := disclosed.ask_position_of(manager, of_symbol, of_issuer, before, instant);
    now_report disclosed.institution_report := disclosed.ask_report_of(manager, after, instant);
    then_report disclosed.institution_report := disclosed.ask_report_of(manager, before, instant);
    who CONSTANT text := disclosed.ask_company(manager);
    what CONSTANT text := disclosed.ask_company(of_issuer) || ' (' || of_symbol || ')';
    factor CONSTANT numeric := disclosed.ask_split_factor(of_issuer, of_symbol, before, after, instant);
    then_adjusted CONSTANT numeric := then_held.shares * factor;
    difference CONSTANT numeric := now_held.shares - then_adjusted;
    note disclosed.ask_line;
    split record;
    said text;
    splits text := '';
    names CONSTANT text[] := ARRAY[who, what, disclosed.ask_shares(abs(difference)), trim_scale(round(abs(difference) / then_adjusted * 100, 1)) || '%', disclosed.ask_shares(then_adjusted)];
BEGIN
    IF now_held.issuer_id IS NULL AND now_report.issuer_id IS NULL OR then_held.issuer_id IS NULL AND then_report.issuer_id IS NULL THEN
        note.body := 'No whole report of ' || who || ' for the quarter that ended on ' || disclosed.ask_day(CASE WHEN now_held.issuer_id IS NULL AND now_report.issuer_id IS NULL THEN after ELSE before END)
                     || ' is stored: how its position in ' || what || ' changed by ' || disclosed.ask_day(after) || ' is not known.';
        RETURN NEXT note;
        RETURN;
    ELSIF now_held.issuer_id IS NULL AND then_held.issuer_id IS NULL THEN
        RETURN;
    END IF;
    IF now_held.issuer_id IS NOT NULL AND then_held.issuer_id IS NOT NULL AND factor <> 1 THEN
        SELECT ', ' || disclosed.ask_shares(then_adjusted) || ' adjusted for ' || string_agg('the split of ' || s.split_to || ' for ' || s.split_from || ' on ' || disclosed.ask_day(s.action_date) || ' [' || 2 + s.ordinality || ']', ' and ' ORDER BY s.ordinality) || ','
        INTO splits FROM disclosed.ask_splits_between(of_issuer, of_symbol, before, after, instant) WITH ORDINALITY s;
    END IF;
    said := CASE
        WHEN then_held.issuer_id IS NULL THEN who || ' held ' || disclosed.ask_shares(now_held.shares) || ' shares of ' || what || ' on ' || disclosed.ask_day(after) || ' [1], and none on ' || disclosed.ask_day(before) || ' by its report [2].'
        WHEN now_held.issuer_id IS NULL THEN who || ' held no shares of ' || what || ' on ' || disclosed.ask_day(after) || ' by its report [1], and ' || disclosed.ask_shares(then_held.shares) || ' on ' || disclosed.ask_day(before) || ' [2].'
        WHEN difference = 0 THEN who || ' did not change its position in ' || what || ': it held ' || disclosed.ask_shares(now_held.shares) || ' shares on ' || disclosed.ask_day(after) || ' [1], and '
            || disclosed.ask_shares(then_held.shares) || ' on ' || disclosed.ask_day(before) || ' [2]' || rtrim(splits, ',') || '.'
        ELSE who || CASE WHEN difference > 0 THEN ' increased' ELSE ' reduced' END || ' its position in ' || what || ' by ' || disclosed.ask_shares(abs(difference)) || ' shares, '
            || trim_scale(round(abs(difference) / then_adjusted * 100, 1)) || '%: it held ' || disclosed.ask_shares(now_held.shares) || ' on ' || disclosed.ask_day(after) || ' [1], and '
            || disclosed.ask_shares(then_held.shares) || ' on ' || disclosed.ask_day(before) || ' [2]' || rtrim(splits, ',') || '.' END;
    IF now_held.issuer_id IS NULL THEN
        RETURN NEXT disclosed.ask_source_line(sentence, said, 'institution_report', now_report.src_digest, of_symbol, NULL, after, NULL, now_report.source_id, now_report.accession, manager, names || disclosed.ask_day(after));
    ELSE
        RETURN NEXT disclosed.ask_source_line(sentence, said, 'institution_holder', now_held.src_digest, of_symbol, 'institution_shares', after, now_held.shares, now_held.source_id, now_held.accession, manager,
                                              names || disclosed.ask_shares(now_held.shares) || disclosed.ask_day(after));
    END IF;
    IF then_held.issuer_id IS NULL THEN
        RETURN NEXT disclosed.ask_source_line(sentence, NULL, 'institution_report', then_report.src_digest, of_symbol, NULL, before, NULL, then_report.source_id, then_report.accession, manager, names || disclosed.ask_day(before));
    ELSE
        RETURN NEXT disclosed.ask_source_line(sentence, NULL, 'institution_holder', then_held.src_digest, of_symbol, 'institution_shares', before, then_held.shares, then_held.source_id, then_held.accession, manager,
                                              names || disclosed.ask_shares(then_held.shares) || disclosed.ask_day(before));
    END IF;
    IF splits <> '' THEN
        FOR split IN SELECT * FROM disclosed.ask_splits_between(of_issuer, of_symbol, before, after, instant) LOOP
            RETURN NEXT disclosed.ask_source_line(sentence, NULL, 'corporate_action', split.src_digest, of_symbol, 'split', split.action_date, NULL, split.source_id, split.accession, of_issuer,
                                                  ARRAY[split.split_to || ' for ' || split.split_from, disclosed.ask_day(split.action_date)]);
        END LOOP;
    END IF;
END $$;

-- The managers and listings whose positions changed as it is asked, the largest change first. A listing that a manager reports of one of the quarters alone, beside
-- another one of the company of which the same is true in reverse, may have another symbol now.
CREATE FUNCTION ask_changed(r ask_reading, of_issuer bigint, symbols text[], before date, after date, instant timestamptz) RETURNS TABLE (manager bigint, symbol text, is_renamed boolean) LANGUAGE plpgsql STABLE AS $$
DECLARE
    factors CONSTANT numeric[] := ARRAY(SELECT disclosed.ask_split_factor(of_issuer, s.symbol, before, after, instant) FROM unnest(symbols) WITH ORDINALITY AS s(symbol, place) ORDER BY s.place);
BEGIN
    RETURN QUERY
    SELECT c.issuer_id, c.of_symbol, c.is_renamed
    FROM (SELECT x.*, bool_or(x.now_shares IS NULL) OVER m AND bool_or(x.then_shares IS NULL) OVER m AS is_renamed
          FROM (SELECT h.issuer_id, h.symbol AS of_symbol, max(h.shares) FILTER (WHERE h.period_of_report = after) AS now_shares,
                       max(h.shares) FILTER (WHERE h.period_of_report = before) * factors[array_position(symbols, h.symbol)] AS then_shares
                FROM disclosed.institution_holder h
                WHERE h.symbol = ANY (symbols) AND h.company_id = of_issuer AND h.shares > 0 AND h.period_of_report IN (before, after) AND (r.person IS NULL OR h.issuer_id = r.person)
                  AND CASE WHEN instant IS NULL THEN h.superseded_at IS NULL ELSE h.known_at <= instant AND (h.superseded_at IS NULL OR h.superseded_at > instant) END
                GROUP BY h.issuer_id, h.symbol) x
          WINDOW m AS (PARTITION BY x.issuer_id)) c
    WHERE CASE WHEN r.person IS NOT NULL THEN true WHEN c.is_renamed THEN false WHEN r.role = 'increase' THEN coalesce(c.now_shares, 0) > coalesce(c.then_shares, 0) ELSE coalesce(c.now_shares, 0) < coalesce(c.then_shares, 0) END
    ORDER BY abs(coalesce(c.now_shares, 0) - coalesce(c.then_shares, 0)) DESC, c.issuer_id, c.of_symbol;
END $$;

-- The ends of the quarters between which a change is asked for: of the days of the question; else of the latest quarter that is reported, and of the one before it.
CREATE FUNCTION ask_quarters_of(r ask_reading, of_issuer bigint, symbols text[], since date, until date, instant timestamptz, OUT before date, OUT after date) LANGUAGE plpgsql STABLE AS $$
DECLARE
    bounds CONSTANT record := disclosed.ask_bounds(r, NULL, NULL);
BEGIN
    IF isfinite(bounds.last_day) THEN
        after := disclosed.ask_quarter_end(bounds.last_day);
        before := CASE WHEN bounds.first_day < bounds.last_day AND disclosed.ask_quarter_end(bounds.first_day) = bounds.first_day THEN bounds.first_day ELSE disclosed.ask_quarter_end(bounds.first_day - 1) END;
        after := CASE WHEN after > before THEN after END;
    ELSIF r.person IS NULL THEN
        after := disclosed.ask_last_held(symbols, of_issuer, coalesce(since, '-infinity'), coalesce(until, 'infinity'), instant);
        before := disclosed.ask_quarter_end(after - 1);
    ELSE
        after := (SELECT max(t.period_of_report) FROM disclosed.institution_report t
                  WHERE t.issuer_id = r.person AND t.report_type IN ('holdings', 'combination') AND t.period_of_report BETWEEN coalesce(since, '-infinity') AND coalesce(until, 'infinity')
                    AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END);
        before := disclosed.ask_quarter_end(after - 1);
    END IF;
    IF before < since OR after > until OR before IS NULL THEN
        after := NULL;
    END IF;
END $$;

CREATE FUNCTION ask_change_lines(r ask_reading, instant timestamptz, since date, until date) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE AS $$
DECLARE
    note disclosed.ask_line;
    line disclosed.ask_line;
    company bigint;
    symbols text[];
    quarters record;
    one record;
    place integer := 0;
    found integer;
BEGIN
    FOREACH company IN ARRAY r.companies[1:4] LOOP
        symbols := ARRAY(SELECT DISTINCT s.record_key FROM disclosed.listing s WHERE s.issuer_id = company);
        quarters := disclosed.ask_quarters_of(r, company, symbols, since, until, instant);
        found := place;
        note.body := NULL;
        IF quarters.after IS NOT NULL THEN
            FOR one IN SELECT * FROM disclosed.ask_changed(r, company, symbols, quarters.before, quarters.after, instant) LOOP
                IF one.is_renamed THEN
                    note.body := disclosed.ask_company(one.manager) || ' reports ' || disclosed.ask_company(company) || ' by another symbol in each of the quarters that ended on ' || disclosed.ask_day(quarters.before) || ' and '
                                 || disclosed.ask_day(quarters.after) || ': how its position changed is not known.';
                    CONTINUE;
                END IF;
                FOR line IN SELECT * FROM disclosed.ask_change(one.manager, company, one.symbol, quarters.before, quarters.after, instant, place + 1) LOOP
                    IF line.sentence IS NULL THEN -- of many managers the others are told of
                        note := CASE WHEN r.person IS NULL THEN note ELSE line END;
                    ELSE
                        place := place + CASE WHEN line.body IS NULL THEN 0 ELSE 1 END;
                        RETURN NEXT line;
                    END IF;
                END LOOP;
                EXIT WHEN place - found >= r.count;
            END LOOP;
            IF place = found AND r.person IS NOT NULL AND note.body IS NULL THEN -- it holds none, or that is not known
                note.body := (SELECT c.body FROM disclosed.ask_change(r.person, company, symbols[1], quarters.before, quarters.after, instant, 1) c WHERE c.sentence IS NULL);
            END IF;
        END IF;
        note.body := coalesce(note.body, CASE
            WHEN place = found THEN disclosed.ask_ended('Nothing of that kind is stored about ' || coalesce(disclosed.ask_company(r.person) || ' and ', '') || disclosed.ask_company(company)
                                                        || coalesce(' between ' || disclosed.ask_day(quarters.before) || ' and ' || disclosed.ask_day(quarters.after), ''))
            WHEN r.person IS NULL THEN 'Compared are managers with reports for both quarters that are stored, those with the largest changes first.' END);
        IF note.body IS NOT NULL THEN
            RETURN NEXT ROW(NULL, note.body, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        END IF;
    END LOOP;
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
    ELSIF r.form = 'change' THEN
        RETURN QUERY SELECT * FROM disclosed.ask_change_lines(r, instant, since, until);
    ELSE
        RETURN QUERY SELECT * FROM disclosed.ask_topic_lines(r, instant, since, until);
    END IF;
END $$;
