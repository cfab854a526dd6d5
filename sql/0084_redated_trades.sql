-- Trades that are dated anew are found by the version that they come from: without an index each version of a politician was compared with all others.

SET LOCAL search_path = disclosed, public;

-- place_congress_sources() and order_congress_versions()
CREATE INDEX congress_trade_redated ON congress_trade (issuer_id, redated_from) WHERE redated_from IS NOT NULL;
