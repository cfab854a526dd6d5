'use strict';
/* What the two endpoints take and answer; Fastify compiles validators and serialisers from it. */

const text = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const boolean = { type: 'boolean' };
const nullable = (schema) => ({ ...schema, nullable: true });
const object = (properties) => ({ type: 'object', properties });

const value = nullable(object({
  raw: number, normalized: number, unit: text, original_unit: text, conversion_factor: number,
}));

const provenance = nullable(object({
  src_id: text,
  source_provider: text,
  source_url: nullable(text),
  accession: nullable(text),
  quote: nullable(text),
  content_hash: nullable(text),
  extracted_at: nullable(text),
}));

const footnote = object({ id: nullable(text), field: nullable(text), text: nullable(text) });

const insiderItem = object({
  id: integer,
  symbol: nullable(text),
  ticker: nullable(text),
  company_cik: nullable(text),
  insider: object({
    name: text,
    relationship: text,
    joint_owners: nullable({ type: 'array', items: text }),
  }),
  transaction_type: text,
  transaction_code: nullable(text),
  shares: nullable(number),
  price: value,
  value,
  shares_owned_after: nullable(number),
  transaction_date: nullable(text),
  filing_date: text,
  form: text,
  is_derivative: boolean,
  security_title: nullable(text),
  acquired_disposed: nullable(text),
  ownership: nullable(text),
  footnotes: nullable({ type: 'array', items: footnote }),
  remarks: nullable(text),
  provenance,
});

const insider = {
  querystring: object({
    transaction_types: { type: 'array', items: { enum: [...'PSVADFIMCEHOXGLWZJKU'] } },
    min_value: number,
    start_date: { type: 'string', format: 'date' },
    end_date: { type: 'string', format: 'date' },
    cursor: text,
    limit: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
    direction: { enum: ['asc', 'desc'], default: 'desc' },
  }),
  response: {
    200: object({
      data: { type: 'array', items: insiderItem },
      pagination: object({ next_cursor: nullable(text), has_more: boolean }),
    }),
  },
};

const company = {
  params: object({
    symbol: { type: 'string', pattern: '^[A-Za-z0-9.\\-]{1,32}(:[A-Za-z]{1,16})?$' },
  }),
  response: {
    200: object({
      symbol: text,
      ticker: text,
      market: text,
      name: text,
      cik: nullable(text),
      isin: nullable(text),
      figi: nullable(text),
      issuer_id: integer,
      website: nullable(text),
      country: nullable(text),
      listing_exchange: nullable(text),
      is_etf: boolean,
      is_fund: boolean,
      is_adr: boolean,
      status: text,
      sector: nullable(text),
      industry: nullable(text),
      employee_count: nullable(integer),
      description: nullable(text),
      description_provenance: provenance,
      _gaps: { type: 'array', items: text },
    }),
  },
};

module.exports = { company, insider };
