-- Remarks of Forms 3, 4 and 5, which stand below the footnotes and are about the form as a whole. Rows that are stored
-- get theirs when their files are loaded again.

SET LOCAL search_path = disclosed, public;

ALTER TABLE insider_transaction ADD COLUMN remarks text;
ALTER TABLE insider_holding ADD COLUMN remarks text;
COMMENT ON COLUMN insider_transaction.remarks IS 'of the form; NULL: none';
COMMENT ON COLUMN insider_holding.remarks IS 'as of insider_transaction';
