-- Requests to the earlier surface have a count of the day of their own.

SET LOCAL search_path = disclosed, public;

ALTER TABLE account_day DROP CONSTRAINT account_day_kind_check,
    ADD CONSTRAINT account_day_kind_check CHECK (kind IN ('live', 'test', 'live_earlier', 'test_earlier'));
COMMENT ON COLUMN account_day.kind IS 'whose requests: of live or of test keys; to all paths, or to the earlier surface alone';
