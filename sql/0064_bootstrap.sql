-- Archives of many files, which `disclosedctl bootstrap` loads: how far it has come with one, so that it goes on there.

SET LOCAL search_path = disclosed, public;

ALTER TABLE followed_document
    ADD COLUMN files_done   bigint NOT NULL DEFAULT 0,
    ADD COLUMN files_failed bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN followed_document.files_done IS 'of an archive of many files: so many from its beginning have been read; some more may have been';
COMMENT ON COLUMN followed_document.files_failed IS 'how many of these could not be loaded';
