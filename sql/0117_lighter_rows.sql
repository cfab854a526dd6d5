-- What each row of a load costs: its provider is looked up once a statement, the check digit of a CUSIP by arithmetic, and when reports were public
-- for all of a batch at once.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------------ providers

-- A foreign key looks its row up, and locks it, for each row that refers to it: all rows of a load refer to one or two providers. The rule is the same:
-- what a row names is there, and stays, for as long as the row does.
CREATE FUNCTION refuse_unknown_providers() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    named text[];
    unknown text;
BEGIN
    IF TG_TABLE_NAME = 'source' THEN
        named := ARRAY(SELECT DISTINCT w.provider FROM written w);
    ELSE
        named := ARRAY(SELECT DISTINCT w.source_provider FROM written w);
    END IF;
    SELECT n INTO unknown FROM unnest(named) AS n
    WHERE NOT EXISTS (SELECT FROM source_provider p WHERE p.provider = n FOR KEY SHARE) LIMIT 1;
    IF FOUND THEN
        RAISE foreign_key_violation USING
            MESSAGE = format('table "%s" has a row whose provider "%s" is not in table "source_provider"', TG_TABLE_NAME, unknown);
    END IF;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION refuse_unknown_providers() FROM PUBLIC;

-- Whoever has begun to refer to the row holds a lock on it, for which its removal has waited.
CREATE FUNCTION keep_named_provider() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM source s WHERE s.provider = OLD.provider)
       OR EXISTS (SELECT FROM executive_stated s WHERE s.source_provider = OLD.provider) THEN
        RAISE foreign_key_violation USING MESSAGE = format('provider "%s" is named by records', OLD.provider);
    END IF;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION keep_named_provider() FROM PUBLIC;

ALTER TABLE source DROP CONSTRAINT source_provider_fkey;
ALTER TABLE executive_stated DROP CONSTRAINT executive_stated_source_provider_fkey;
CREATE TRIGGER provider_is_known AFTER INSERT ON source REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_unknown_providers();
CREATE TRIGGER provider_stays_known AFTER UPDATE ON source REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_unknown_providers();
CREATE TRIGGER provider_is_known AFTER INSERT ON executive_stated REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_unknown_providers();
CREATE TRIGGER provider_stays_known AFTER UPDATE ON executive_stated REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_unknown_providers();
CREATE TRIGGER provider_is_kept AFTER DELETE ON source_provider FOR EACH ROW EXECUTE FUNCTION keep_named_provider();
CREATE TRIGGER provider_keeps_its_name AFTER UPDATE OF provider ON source_provider
    FOR EACH ROW WHEN (OLD.provider <> NEW.provider) EXECUTE FUNCTION keep_named_provider();

-- ------------------------------------------------------------------------------ CUSIPs

-- The check digit of a CUSIP: the values of its digits, letters (A is 10), *, @ and # (36 to 38), each second one doubled, have their digits added up
-- (ANSI X9.6). Each character stands for the last digit of what it adds. Without a subquery, and not STRICT, so that it becomes part of the statement.
CREATE OR REPLACE FUNCTION cusip_is_valid(cusip text) RETURNS boolean LANGUAGE sql IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE AS $$
    SELECT cusip ~ '^[0-9A-Z*@#]{8}[0-9]$' AND ascii(right(cusip, 1)) - ascii('0') = (1000 + 8 * ascii('0')
        - ascii(substr('012345678912345678902345678901345678901', strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#', substr(cusip, 1, 1)), 1))
        - ascii(substr('024681357924680357914680257913680247913', strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#', substr(cusip, 2, 1)), 1))
        - ascii(substr('012345678912345678902345678901345678901', strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#', substr(cusip, 3, 1)), 1))
        - ascii(substr('024681357924680357914680257913680247913', strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#', substr(cusip, 4, 1)), 1))
        - ascii(substr('012345678912345678902345678901345678901', strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#', substr(cusip, 5, 1)), 1))
        - ascii(substr('024681357924680357914680257913680247913', strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#', substr(cusip, 6, 1)), 1))
        - ascii(substr('012345678912345678902345678901345678901', strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#', substr(cusip, 7, 1)), 1))
        - ascii(substr('024681357924680357914680257913680247913', strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#', substr(cusip, 8, 1)), 1))) % 10
$$;

-- ------------------------------------------------------------------------------ when reports were public

-- When each report was public, and its filing date, by what is stored and what its header says: its filing, else the header, else what a load said
-- before of the same day. NULL in place of an array: nothing is known of any. The order is theirs.
CREATE FUNCTION dates_of_reports(accessions text[], accepted timestamptz[], filed date[], signed date[])
RETURNS TABLE (known_at timestamptz, filing_date date) LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    RETURN QUERY
        SELECT coalesce(filing.known_at, r.accepted_at,
                        CASE WHEN r.filed_on IS NULL OR loaded.filed_on = r.filed_on THEN loaded.known_at END,
                        disclosed.end_of_day(coalesce(r.filed_on, r.signed_on))),
               coalesce(filing.filed_on, r.filed_on, loaded.filed_on, r.signed_on)
        FROM unnest(accessions, accepted, filed, signed) WITH ORDINALITY AS r(accession, accepted_at, filed_on, signed_on, place)
        CROSS JOIN LATERAL (
            SELECT min(f.known_at) AS known_at, min(f.filed_on) AS filed_on
            FROM disclosed.filing f WHERE f.accession = r.accession AND f.superseded_at IS NULL) filing
        CROSS JOIN LATERAL (
            SELECT min(l.known_at) AS known_at, min(l.filed_on) AS filed_on
            FROM (SELECT t.known_at, t.filing_date AS filed_on FROM disclosed.insider_transaction t WHERE t.accession = r.accession
                  UNION ALL
                  SELECT h.known_at, h.filing_date FROM disclosed.insider_holding h WHERE h.accession = r.accession
                  UNION ALL
                  SELECT s.known_at, s.reported_on FROM disclosed.executive_stated s WHERE s.origin = r.accession) l) loaded
        ORDER BY r.place;
END $$;

DROP FUNCTION dates_of_report(text, timestamptz, date, date); -- asked for by loads alone

-- What is stored of a Form 3, 4 or 5 before it is loaded: when it was public and filed, whether data sets alone have said it, and whether that rests on
-- signatures alone: then those of the copy that is loaded last count.
CREATE OR REPLACE FUNCTION stored_report(report_accession text, header_accepted timestamptz, header_filed date, signed date,
                                         OUT known_at timestamptz, OUT filing_date date, OUT is_of_set boolean, OUT by_signature boolean)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    is_loaded boolean;
    is_filed boolean;
    noted boolean; -- all documents of it are dated by their signatures; NULL: there is none
BEGIN
    SELECT EXISTS (SELECT FROM disclosed.insider_transaction t WHERE t.accession = report_accession)
           OR EXISTS (SELECT FROM disclosed.insider_holding h WHERE h.accession = report_accession)
           OR EXISTS (SELECT FROM disclosed.executive_stated s WHERE s.origin = report_accession),
           EXISTS (SELECT FROM disclosed.filing f WHERE f.accession = report_accession AND f.superseded_at IS NULL),
           (SELECT bool_and(n.by_signature IS TRUE) FROM disclosed.named_document n WHERE n.accession = report_accession)
    INTO is_loaded, is_filed, noted;
    is_of_set := is_loaded AND noted IS NULL;
    by_signature := header_accepted IS NULL AND header_filed IS NULL AND NOT is_filed AND (NOT is_loaded OR coalesce(noted, false));
    IF by_signature THEN
        filing_date := signed;
        known_at := disclosed.end_of_day(signed);
    ELSE
        SELECT d.known_at, d.filing_date INTO known_at, filing_date
        FROM disclosed.dates_of_reports(ARRAY[report_accession], ARRAY[header_accepted], ARRAY[header_filed], ARRAY[signed]) d;
    END IF;
END $$;
