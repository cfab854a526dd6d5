-- Footnotes of Forms 3, 4 and 5, with the rows on whose values they stand.

SET LOCAL search_path = disclosed, public;

-- What is wrong with a row's footnotes. STRICT: nothing is asked of the many rows that have none. The
-- paths find that all is well in a hundredth of the time that it takes to name a fault.
CREATE FUNCTION footnotes_fault(footnotes jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
    IF jsonb_typeof(footnotes) = 'array'
       AND NOT jsonb_path_exists(footnotes, 'strict $[*] ? (@.type() <> "object")')
       AND NOT jsonb_path_exists(footnotes, 'strict $[*].keyvalue() ? (
               @.key <> "id" && @.key <> "field" && @.key <> "text"
               || @.value.type() <> "null" && (@.value.type() <> "string" || @.value == ""))')
    THEN
        RETURN NULL;
    END IF;
    RETURN disclosed.elements_fault('footnotes', footnotes,
                                    '{"id": "string?", "field": "string?", "text": "string?"}');
END $$;

ALTER TABLE insider_transaction ADD COLUMN footnotes jsonb,
    ADD CONSTRAINT insider_transaction_footnotes CHECK (disclosed.footnotes_fault(footnotes) IS NULL);
ALTER TABLE insider_holding ADD COLUMN footnotes jsonb,
    ADD CONSTRAINT insider_holding_footnotes CHECK (disclosed.footnotes_fault(footnotes) IS NULL);
COMMENT ON COLUMN insider_transaction.footnotes IS 'in the order of the form: [{"id", "field", "text"}]; NULL: none';
COMMENT ON COLUMN insider_holding.footnotes IS 'as of insider_transaction';

GRANT EXECUTE ON FUNCTION footnotes_fault(jsonb) TO disclosed_api, disclosed_loader;
