-- Companies are found by what everybody calls them, and by names whose words are written as one, or apart.

SET LOCAL search_path = disclosed, public;

CREATE TABLE company_alias (
    alias       text COLLATE "C" PRIMARY KEY CHECK (alias <> '' AND alias = disclosed.plain_words(alias)),
    cik         bigint NOT NULL
);
COMMENT ON TABLE company_alias IS 'what companies are called, where no source has it as their name; a site may add its own';
COMMENT ON COLUMN company_alias.alias IS 'as plain_words() writes it: lower case, one space between words';
INSERT INTO company_alias (alias, cik) VALUES
    ('amex', 4962), ('bms', 14272), ('disney', 1744489), ('facebook', 1326801), ('goldman', 886982), ('google', 1652044), ('heinz', 1637459), ('hilton', 1585689),
    ('honeywell', 773840), ('j p morgan', 19617), ('john deere', 315189), ('jp morgan', 19617), ('lilly', 59478), ('lowe', 60667), ('lowes', 60667),
    ('marriott', 1048286), ('robinhood', 1783879), ('snapchat', 1564408), ('toyota', 1094517), ('tsmc', 1046179);
GRANT SELECT ON company_alias TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON company_alias TO disclosed_loader;

CREATE INDEX issuer_name_joined ON issuer (replace(name_core(name), ' ', ''));
COMMENT ON INDEX issuer_name_joined IS 'otherwise_named(): names of questions and searches, written as one word or as several';

-- Companies by what they are called besides, or by a name that is written with other spaces (ExxonMobil, Wal-Mart), which no listed company has as it stands.
CREATE FUNCTION otherwise_named(body text) RETURNS TABLE (issuer_id bigint, name text, rank integer) LANGUAGE plpgsql STABLE AS $$
DECLARE
    said CONSTANT text[] := disclosed.ask_fillers() || disclosed.ask_form_words();
BEGIN
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
    SELECT f.issuer_id, f.name, f.rank FROM disclosed.formerly_named(body) f
    UNION
    SELECT o.issuer_id, o.name, o.rank FROM disclosed.otherwise_named(body) o;
END $$;

-- The companies with texts that a search names: by ticker, in capitals or behind "$"; by name; by the first word of a name that no more than three of
-- them have; by a name of before, or as everybody calls it. `name` is what stands in the text, as plain words; `rank` is the less, the surer it is.
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
    RETURN QUERY SELECT o.issuer_id, o.name, o.rank FROM disclosed.otherwise_named(body) o WHERE disclosed.has_chunks(o.issuer_id);
END $$;

-- The company that a word stands for: the first word of its name, or, where `is_like`, nearly so, if of no other is it as near. What several names
-- begin with names none of them, and what begins several is no typing error; nor is another first letter: Square is not Csquare.
CREATE OR REPLACE FUNCTION ask_company_like(word text, is_like boolean) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    found bigint;
    companies bigint;
    nearest numeric[];
BEGIN
    SELECT min(i.issuer_id), count(*) INTO found, companies FROM disclosed.issuer i
    WHERE split_part(disclosed.name_core(i.name), ' ', 1) = word AND i.ticker IS NOT NULL;
    IF companies > 1 THEN
        RETURN NULL;
    END IF;
    IF found IS NULL AND is_like AND length(word) >= 5 AND NOT EXISTS (SELECT 1 FROM disclosed.chunk_word k WHERE k.word = ANY (tsvector_to_array(disclosed.search_words(ask_company_like.word)))) THEN
        SELECT (array_agg(n.issuer_id ORDER BY n.near DESC, n.first))[1], array_agg(n.near ORDER BY n.near DESC) INTO found, nearest
        FROM (SELECT split_part(disclosed.name_core(i.name), ' ', 1) AS first, CASE WHEN count(*) = 1 THEN min(i.issuer_id) END AS issuer_id,
                     public.similarity(word, split_part(disclosed.name_core(i.name), ' ', 1)) AS near
              FROM disclosed.issuer i WHERE i.ticker IS NOT NULL AND word OPERATOR(public.<%) disclosed.name_core(i.name)
              GROUP BY 1) n;
        IF nearest[1] < 0.45 OR nearest[1] - nearest[2] < 0.1
           OR NOT EXISTS (SELECT 1 FROM disclosed.issuer i WHERE i.issuer_id = found
                          AND (left(disclosed.name_core(i.name), 1) = left(word, 1) OR left(disclosed.name_core(i.name), 2) = reverse(left(word, 2))))
           OR (SELECT count(DISTINCT split_part(disclosed.name_core(i.name), ' ', 1)) FROM disclosed.issuer i
               WHERE disclosed.name_core(i.name) LIKE word || '%' AND i.ticker IS NOT NULL) > 1 THEN
            found := NULL;
        END IF;
    END IF;
    RETURN found;
END $$;
