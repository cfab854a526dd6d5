-- What decides whether a report's values are dollars or thousands, beyond what its own numbers say:
-- the same securities at other managers on the same day.

SET LOCAL search_path = disclosed, public;

-- How the prices that unconfirmed reports imply, as filed, stand to those of other managers for the
-- same security and day: about equal (their values are dollars), or a thousandth of them.
CREATE FUNCTION value_scale_votes(periods date[], cusips text[])
RETURNS TABLE (issuer_id bigint, accession text, is_dollars bigint, is_thousands bigint, votes bigint)
LANGUAGE sql STABLE AS $$
    SELECT own.issuer_id, own.accession,
           count(*) FILTER (WHERE own.price / peer.price BETWEEN 0.5 AND 2),
           count(*) FILTER (WHERE own.price / peer.price BETWEEN 0.0005 AND 0.002), count(*)
    FROM (SELECT r.issuer_id, r.accession, r.period_of_report, p.cusip,
                 avg(p.value_as_filed / p.shares) AS price
          FROM disclosed.institution_report r
          JOIN disclosed.institution_position p
            ON p.issuer_id = r.issuer_id AND p.period_of_report = r.period_of_report
           AND p.accession = r.accession AND p.cusip = ANY(r.unconfirmed_cusips)
          WHERE r.unconfirmed_cusips IS NOT NULL AND r.superseded_at IS DISTINCT FROM r.known_at
            AND r.period_of_report = ANY(periods)
            AND (cusips IS NULL OR r.unconfirmed_cusips && cusips)
            AND p.shares > 0 AND p.value_as_filed > 0 AND p.put_call IS NULL
          GROUP BY r.issuer_id, r.accession, r.period_of_report, p.cusip) own
    CROSS JOIN LATERAL (
        SELECT p.value / p.shares AS price
        FROM disclosed.institution_position p
        JOIN disclosed.institution_report r
          ON r.accession = p.accession AND r.issuer_id = p.issuer_id AND r.unconfirmed_cusips IS NULL
        WHERE p.cusip = own.cusip AND p.period_of_report = own.period_of_report
          AND p.issuer_id <> own.issuer_id
          AND p.shares > 0 AND p.value > 0 AND p.put_call IS NULL
        LIMIT 8) peer
    GROUP BY own.issuer_id, own.accession
$$;

-- Confirms or corrects the scale of reports of these periods that is still open, where at least three
-- comparisons are there and nine tenths of them agree. `cusips`: those that a load has brought, or
-- NULL for any. Returns what has changed; reports whose rows have are to be settled again.
CREATE FUNCTION compare_value_scales(periods date[], cusips text[])
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    decided record;
    has_changed boolean;
BEGIN
    FOR decided IN
        SELECT v.issuer_id, v.accession, d.factor,
               CASE d.factor WHEN 1000 THEN 'thousands, multiplied by 1000' ELSE 'dollars as filed' END AS name,
               format('%s of %s comparisons with other managers'' values of the same securities bear it out',
                      greatest(v.is_dollars, v.is_thousands), v.votes) AS why
        FROM disclosed.value_scale_votes(periods, cusips) v
        CROSS JOIN LATERAL (SELECT CASE WHEN v.is_dollars > v.is_thousands THEN 1 ELSE 1000 END) AS d(factor)
        WHERE v.votes >= 3 AND greatest(v.is_dollars, v.is_thousands) >= 0.9 * v.votes
    LOOP
        UPDATE disclosed.institution_position p
        SET value = p.value_as_filed * decided.factor,
            value_scale = CASE decided.factor WHEN 1000 THEN decided.name END
        WHERE p.issuer_id = decided.issuer_id AND p.accession = decided.accession
          AND p.value <> p.value_as_filed * decided.factor;
        has_changed := FOUND;
        UPDATE disclosed.institution_report r
        SET value_factor = decided.factor, total_factor = decided.factor, value_scale = decided.name,
            value_scale_reason = split_part(r.value_scale_reason, '; ', 1) || '; ' || decided.why,
            unconfirmed_cusips = NULL, scale_compared = true,
            settled_known_at = CASE WHEN NOT has_changed THEN r.settled_known_at END
        WHERE r.issuer_id = decided.issuer_id AND r.accession = decided.accession;
        RETURN QUERY SELECT 'institution_report', decided.issuer_id;
        RETURN QUERY SELECT 'institution_position', decided.issuer_id WHERE has_changed;
    END LOOP;
END $$;
