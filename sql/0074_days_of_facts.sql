-- Facts of a day that no calendar has, as 2023-02-30, passed the check of the report and failed the load of the whole file, or responses that showed them.

SET LOCAL search_path = disclosed, public;

-- What is wrong with the facts of a report, by name and place; NULL: nothing. Dates of the years 1 to 9999, numbers as digits. All is looked at
-- together first, as nearly always nothing is wrong: what one expression says of all elements takes a fifth of the time.
CREATE OR REPLACE FUNCTION xbrl_fault(concepts text[], units text[], start_dates text[], end_dates text[], amounts text[], dimensions text[],
    decimals text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    day CONSTANT text := '^(?!0000)[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))$'
        '|^(?!0000)([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29$';
    facts CONSTANT integer := coalesce(cardinality(concepts), 0);
BEGIN
    IF (cardinality(units), cardinality(start_dates), cardinality(end_dates), cardinality(amounts), coalesce(cardinality(dimensions), facts),
        coalesce(cardinality(decimals), facts)) IS DISTINCT FROM (facts, facts, facts, facts, facts, facts) THEN
        RETURN 'concepts, units, start_dates, end_dates, amounts, and dimensions and decimals where they are told, are not of one length';
    END IF;
    IF array_position(concepts, NULL) IS NULL AND array_position(amounts, NULL) IS NULL
       AND strpos(array_to_string(concepts, ''), E'\n') = 0 AND strpos(array_to_string(amounts, ''), E'\n') = 0
       AND array_to_string(concepts, E'\n') ~ '^(?:[^:\s]+:[^:\s]+\n)*[^:\s]+:[^:\s]+$'
       AND array_to_string(amounts, E'\n')
           ~ '^(?:-?[0-9]+(?:[.][0-9]+)?(?:[eE][+-]?[0-9]{1,3})?\n)*-?[0-9]+(?:[.][0-9]+)?(?:[eE][+-]?[0-9]{1,3})?$'
       AND NOT EXISTS (
           SELECT 1 FROM (SELECT DISTINCT unnest(start_dates) AS starts, unnest(end_dates) AS ends, unnest(units) AS unit) e
           WHERE coalesce(unit, '') = '' OR coalesce(ends, '') !~ day OR (coalesce(starts, ' ') <> '' AND coalesce(starts, '') !~ day) OR starts > ends)
       AND (dimensions IS NULL AND decimals IS NULL OR NOT EXISTS (
           SELECT 1 FROM (SELECT DISTINCT unnest(dimensions) AS dimension, unnest(decimals) AS rounding) e
           WHERE (dimensions IS NOT NULL AND coalesce(dimension, ' ') !~ '^([^=;\s]+=[^=;]+(;[^=;\s]+=[^=;]+)*)?$')
              OR (decimals IS NOT NULL AND coalesce(rounding, ' ') !~ '^(INF|-?[0-9]{1,3})?$')))
    THEN
        RETURN NULL;
    END IF;
    RETURN (
        SELECT f.fault FROM (
            SELECT place, CASE
                WHEN coalesce(concept, '') !~ '^[^:\s]+:[^:\s]+$' THEN 'concepts[' || place - 1 || ']: not taxonomy:Name'
                WHEN coalesce(unit, '') = '' THEN 'units[' || place - 1 || ']: is empty'
                WHEN coalesce(starts, ' ') <> '' AND coalesce(starts, '') !~ day THEN 'start_dates[' || place - 1 || ']: not a date (YYYY-MM-DD), nor empty'
                WHEN coalesce(ends, '') !~ day THEN 'end_dates[' || place - 1 || ']: not a date (YYYY-MM-DD)'
                WHEN starts > ends THEN 'start_dates[' || place - 1 || ']: after the end'
                WHEN coalesce(amount, '') !~ '^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]{1,3})?$' THEN 'amounts[' || place - 1 || ']: not a number'
                WHEN dimensions IS NOT NULL AND coalesce(dimension, ' ') !~ '^([^=;\s]+=[^=;]+(;[^=;\s]+=[^=;]+)*)?$'
                THEN 'dimensions[' || place - 1 || ']: not axis=member, with semicolons between, nor empty'
                WHEN decimals IS NOT NULL AND coalesce(rounding, ' ') !~ '^(INF|-?[0-9]{1,3})?$'
                THEN 'decimals[' || place - 1 || ']: not INF or an integer, nor empty'
                END AS fault
            FROM unnest(concepts, units, start_dates, end_dates, amounts, dimensions, decimals) WITH ORDINALITY
                 AS e(concept, unit, starts, ends, amount, dimension, rounding, place)) f
        WHERE f.fault IS NOT NULL ORDER BY f.place LIMIT 1);
END $$;
