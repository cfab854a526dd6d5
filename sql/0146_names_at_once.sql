-- Names and tickers are in their indexes as soon as they are stored. In the list of what is pending, which every question and search read from end to end until
-- a vacuum, ten thousand new names cost a third of a second each time.

SET LOCAL search_path = disclosed, public;

ALTER INDEX issuer_name_similar SET (fastupdate = off);
ALTER INDEX listing_search SET (fastupdate = off);
SELECT gin_clean_pending_list('issuer_name_similar'), gin_clean_pending_list('listing_search');
