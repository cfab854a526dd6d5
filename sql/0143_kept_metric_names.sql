-- Names of metrics are kept: questions are held against all of them several times, and to make them of the dictionary took a third of the time of a
-- question.

SET LOCAL search_path = disclosed, public;

ALTER VIEW metric_name RENAME TO metric_name_source; -- asked for by keep_metric_names() alone
COMMENT ON VIEW metric_name_source IS 'what metric_name is filled from: names that the dictionary has, and what people say besides';

CREATE TABLE metric_name (
    metric_key  text NOT NULL,
    name        text NOT NULL,
    PRIMARY KEY (name, metric_key)
);
COMMENT ON TABLE metric_name IS 'names of metrics as people write them, in plain words';
COMMENT ON COLUMN metric_name.name IS 'as plain_words() has it';
GRANT SELECT ON metric_name TO disclosed_api, disclosed_loader;

-- The dictionary is written by migrations, and by sites that add aliases to it.
CREATE FUNCTION keep_metric_names() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM disclosed.metric_name m
    WHERE NOT EXISTS (SELECT 1 FROM disclosed.metric_name_source s WHERE s.metric_key = m.metric_key AND s.name = m.name);
    INSERT INTO disclosed.metric_name (metric_key, name)
    SELECT s.metric_key, s.name FROM disclosed.metric_name_source s WHERE s.name IS NOT NULL
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION keep_metric_names() FROM PUBLIC;
CREATE TRIGGER canonical_metric_names AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON canonical_metric FOR EACH STATEMENT EXECUTE FUNCTION keep_metric_names();

INSERT INTO metric_name (metric_key, name) SELECT s.metric_key, s.name FROM metric_name_source s WHERE s.name IS NOT NULL;
ANALYZE metric_name;

-- The reading and what is left of the question's words, with "@" for a period that is named by its last day.
CREATE OR REPLACE FUNCTION ask_read_end(INOUT r ask_reading, OUT unused text) LANGUAGE plpgsql IMMUTABLE AS $$
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
    place integer;
BEGIN
    IF r.rest !~ of_day THEN -- most questions have no day: that is seen by one expression, and not by each
        RETURN;
    END IF;
    place := (SELECT min(n) FROM generate_series(1, 5) n WHERE r.rest ~ spans[n]);
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
