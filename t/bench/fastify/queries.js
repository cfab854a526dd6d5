'use strict';
/* The SQL of the two answers: one statement each, prepared under a name for each set of filters.
 * It is the module's SQL, and joins what the module keeps of sources. The inner LIMIT tells the planner that few rows are wanted, whatever
 * the bound limit will be, so that a generic plan walks the index. */

const MOST_ROWS = 501;

const COMPANY = `
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
  WHERE t.superseded_at IS NULL AND t.record_key = listing_of_symbol($1)`;

const INSIDER = `
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
  WHERE t.superseded_at IS NULL`;

const FILTERS = {
  transaction_types: 't.transaction_code = ANY(?::text[])',
  min_value: 't.value >= ?::numeric',
  start_date: 't.filing_date >= ?::date',
  end_date: 't.filing_date <= ?::date',
};

const versions = 'SELECT dataset, version FROM dataset_stat';

function company(symbol) {
  return { name: 'company', text: COMPANY, values: [symbol.toUpperCase()] };
}

/* `after` is the place of the row before: [filing date, id]. */
function insider(query, after) {
  const values = [];
  const bind = (value) => `$${values.push(value)}`;
  const descending = query.direction === 'desc';
  let text = `SELECT * FROM (${INSIDER}`;
  let name = `insider_${query.direction}`;
  for (const [filter, condition] of Object.entries(FILTERS)) {
    if (query[filter] === undefined) continue;
    text += ` AND ${condition.replace('?', bind(query[filter]))}`;
    name += `_${filter}`;
  }
  if (after) {
    text += ` AND (t.filing_date, t.id) ${descending ? '<' : '>'}`
      + ` (${bind(after[0])}::date, ${bind(after[1])}::bigint)`;
    name += '_after';
  }
  const order = descending ? 'DESC' : 'ASC';
  text += ` ORDER BY t.filing_date ${order}, t.id ${order} LIMIT ${MOST_ROWS}) page`
    + ` LIMIT ${bind(query.limit + 1)}::bigint`;
  return { name, text, values };
}

module.exports = { company, insider, versions };
