"""The SQL of the two answers: one statement each, prepared and cached by asyncpg by its text.

It is the module's SQL, and joins what the module keeps of sources. The inner LIMIT tells the planner
that few rows are wanted, whatever the
bound limit will be, so that a generic plan walks the index.
"""

from functools import lru_cache

MOST_ROWS = 501
COMPANY_FIELDS = (
    "symbol", "ticker", "market", "name", "cik", "isin", "figi", "issuer_id", "website",
    "country", "listing_exchange", "is_etf", "is_fund", "is_adr", "status", "sector", "industry",
    "employee_count", "description", "_gaps")

COMPANY = """
    SELECT t.symbol, t.ticker, t.market, coalesce(p.name, t.name) AS name, i.cik, t.isin, t.figi,
           t.issuer_id, p.website, p.country, t.listing_exchange, t.is_etf, t.is_fund, t.is_adr,
           t.status, p.sector, p.sic_description AS industry, p.employee_count,
           p.description, p.src_digest,
           s.provider AS source_provider,
           CASE WHEN s.by_filing THEN filing_address(s.url, i.cik, p.accession, NULL)
                ELSE s.url END AS source_url,
           p.accession, p.quote,
           content_hash_text(s.content_hash) AS content_hash,
           coalesce(s.extracted_at, p.recorded_at) AS extracted_at,
           company_gaps(p.sic, p.employee_count, p.description) AS _gaps
    FROM listing t JOIN issuer i ON i.issuer_id = t.issuer_id
    LEFT JOIN issuer_profile p ON p.issuer_id = t.issuer_id AND p.superseded_at IS NULL
    LEFT JOIN source s ON s.source_id = p.source_id
    WHERE t.superseded_at IS NULL AND t.record_key = listing_of_symbol($1)"""

INSIDER = """
    SELECT t.id, i.symbol, i.ticker, i.cik AS company_cik, t.insider_name, t.relationship,
           t.joint_owners, t.transaction_type, t.transaction_code, t.shares, t.price, t.value,
           t.shares_owned_after, t.transaction_date, t.filing_date, t.security_title,
           t.is_derivative, t.acquired_disposed, t.ownership, t.footnotes, t.remarks, t.form, t.accession, t.src_digest,
           s.provider AS source_provider,
           CASE WHEN s.by_filing THEN filing_address(s.url, i.cik, t.accession, NULL)
                ELSE s.url END AS source_url,
           t.quote, content_hash_text(s.content_hash) AS content_hash,
           coalesce(s.extracted_at, t.recorded_at) AS extracted_at
    FROM insider_transaction t JOIN issuer i ON i.issuer_id = t.issuer_id
    LEFT JOIN source s ON s.source_id = t.source_id
    WHERE t.superseded_at IS NULL"""

FILTERS = {
    "transaction_types": "t.transaction_code = ANY({}::text[])",
    "min_value": "t.value >= {}::float8::numeric",
    "start_date": "t.filing_date >= {}::date",
    "end_date": "t.filing_date <= {}::date",
}

VERSIONS = "SELECT dataset, version FROM disclosed.dataset_stat"


def company(symbol):
    """Statement and values for TICKER or TICKER:MARKET."""
    return COMPANY, symbol.upper()


@lru_cache(maxsize=None)
def insider_text(present, direction, has_after):
    """The statement for a set of filters."""
    text = f"SELECT * FROM ({INSIDER}"
    for number, name in enumerate(present, 1):
        text += " AND " + FILTERS[name].format(f"${number}")
    number = len(present) + 1
    if has_after:
        sign = "<" if direction == "desc" else ">"
        text += f" AND (t.filing_date, t.id) {sign} (${number}::date, ${number + 1}::bigint)"
        number += 2
    text += f" ORDER BY t.filing_date {direction}, t.id {direction} LIMIT {MOST_ROWS}) page"
    return text + f" LIMIT ${number}::bigint"


def insider(filters, direction, limit, after):
    """Statement and values; `after` is the place of the row before: filing date and id."""
    present = tuple(name for name, value in filters.items() if value is not None)
    values = [filters[name] for name in present]
    values.extend(after or ())
    return (insider_text(present, direction, after is not None), *values, limit + 1)
