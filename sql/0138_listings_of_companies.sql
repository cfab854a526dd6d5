-- Lists about a listing ask for its company too, which shows a distributed PostgreSQL the one shard to ask. A symbol is of one company: the condition leaves
-- no row out, and PostgreSQL must not expect so few rows that it sorts all of them for a page.

SET LOCAL search_path = disclosed, public;

CREATE STATISTICS short_interest_listing (dependencies) ON issuer_id, symbol FROM short_interest;
CREATE STATISTICS institution_flow_listing (dependencies) ON issuer_id, symbol FROM institution_flow;
ANALYZE short_interest (issuer_id, symbol), institution_flow (issuer_id, symbol);
