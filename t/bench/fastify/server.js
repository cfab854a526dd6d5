'use strict';
/* Company detail and the list of insider transactions as a Fastify service would serve them in
 * production: named prepared statements, a pool for each process, validation and serialisation
 * compiled from schemas, keys from memory, ETags from the versions of the datasets. */

const cluster = require('node:cluster');
const { createHmac, hash, randomUUID, timingSafeEqual } = require('node:crypto');
const Fastify = require('fastify');
const pg = require('pg');
const queries = require('./queries');
const schemas = require('./schemas');

const POOL = Number(process.env.BENCH_POOL);
const PORT = Number(process.env.BENCH_PORT);
const SECRET = process.env.BENCH_SECRET;
const SESSION = '-c TimeZone=UTC -c search_path=disclosed,public'
  + ' -c plan_cache_mode=force_generic_plan';
const WORKERS = Number(process.env.BENCH_WORKERS);
const TYPE = { date: 1082, bigint: 20, numeric: 1700, timestamptz: 1184 };

pg.types.setTypeParser(TYPE.bigint, Number);
pg.types.setTypeParser(TYPE.numeric, Number);
pg.types.setTypeParser(TYPE.date, (text) => text);
pg.types.setTypeParser(TYPE.timestamptz, (text) => `${text.slice(0, 10)}T${text.slice(11, -3)}Z`);

const sha256 = (text) => hash('sha256', text, 'base64url');

/* Digest of a key -> its caller. */
const keys = new Map([[process.env.BENCH_KEY_SHA256, { plan: 'enterprise' }]]);

class Problem extends Error {
  constructor(status, slug, title, detail) {
    super(detail);
    Object.assign(this, { statusCode: status, slug, title });
  }
}

/* ---- dataset versions: read every second, so that a tag costs no query ---- */

function watchVersions(pool, versions) {
  const read = async () => {
    const { rows } = await pool.query(queries.versions);
    for (const row of rows) versions.set(row.dataset, row.version);
  };
  setInterval(() => read().catch((error) => console.error(error)), 1000).unref();
  return read();
}

function tag(versions, request) {
  const names = request.routeOptions.config.datasets;
  const seen = names.map((name) => versions.get(name) ?? 0).join('.');
  return `W/"${sha256(`${seen} ${request.url}`)}"`;
}

/* ---- cursors: place and filters, authenticated ---- */

const sign = (place, filters) =>
  createHmac('sha256', SECRET).update(`${place} ${filters}`).digest().subarray(0, 16);

function filtersOf({ cursor, limit, ...filters }) {
  return JSON.stringify(filters);
}

function writeCursor(row, filters) {
  const place = `${row.filing_date},${row.id}`;
  return Buffer.concat([sign(place, filters), Buffer.from(place)]).toString('base64url');
}

function readCursor(text, filters) {
  const bytes = Buffer.from(text, 'base64url');
  const place = bytes.subarray(16).toString();
  if (bytes.length < 17 || !timingSafeEqual(bytes.subarray(0, 16), sign(place, filters))) {
    throw new Problem(422, 'unprocessable', 'Unprocessable', 'cursor is not one of this query');
  }
  return place.split(',');
}

/* ---- rows to JSON objects ---- */

const srcId = (dataset, uuid) => `src_${dataset}_${uuid.replaceAll('-', '')}`;

function value(raw, unit) {
  if (raw === null) return null;
  return { raw, normalized: raw, unit, original_unit: unit, conversion_factor: 1 };
}

function provenance(dataset, row) {
  if (row.src_digest === null) return null;
  return {
    src_id: srcId(dataset, row.src_digest),
    source_provider: row.source_provider,
    source_url: row.source_url,
    accession: row.accession,
    quote: row.quote,
    content_hash: row.content_hash,
    extracted_at: row.extracted_at,
  };
}

const cik = (number) => (number === null ? null : String(number).padStart(10, '0'));

function insiderItem(row) {
  return {
    id: row.id,
    symbol: row.symbol,
    ticker: row.ticker,
    company_cik: cik(row.company_cik),
    insider: {
      name: row.insider_name,
      relationship: row.relationship,
      joint_owners: row.joint_owners,
    },
    transaction_type: row.transaction_type,
    transaction_code: row.transaction_code,
    shares: row.shares,
    price: value(row.price, 'USD_per_share'),
    value: value(row.value, 'USD'),
    shares_owned_after: row.shares_owned_after,
    transaction_date: row.transaction_date,
    filing_date: row.filing_date,
    form: row.form,
    is_derivative: row.is_derivative,
    security_title: row.security_title,
    acquired_disposed: row.acquired_disposed,
    ownership: row.ownership,
    footnotes: row.footnotes,
    remarks: row.remarks,
    provenance: provenance('insider', row),
  };
}

/* ---- hooks and routes ---- */

function authenticate(request, reply, done) {
  reply.headers({
    'X-Request-Id': request.id,
    'Cache-Control': 'private, no-cache',
    Vary: 'Authorization, Accept, Accept-Encoding',
    'X-RateLimit-Limit': '1000',
    'X-RateLimit-Remaining': '999',
    'X-RateLimit-Reset': '1',
  });
  const given = request.headers.authorization ?? '';
  request.caller = given.startsWith('Bearer ') ? keys.get(sha256(given.slice(7))) : undefined;
  if (request.caller) done();
  else done(new Problem(401, 'unauthorized', 'Unauthorized', 'a key is needed'));
}

function fail(error, request, reply) {
  const status = error.validation ? 422 : (error.statusCode ?? 500);
  if (status >= 500) console.error(error);
  reply.code(status).type('application/problem+json').send(JSON.stringify({
    type: `about:blank#${error.slug ?? 'error'}`,
    title: error.title ?? 'Error',
    status,
    detail: status >= 500 ? 'internal error' : error.message,
    instance: request.url,
    request_id: request.id,
  }));
}

function addRoutes(app, pool, versions) {
  const conditional = async (request, reply) => {
    const etag = tag(versions, request);
    reply.header('ETag', etag);
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  };

  app.get('/v1/companies/:symbol', {
    schema: schemas.company, preHandler: conditional,
    config: { datasets: ['company', 'listing'] },
  }, async (request) => {
    const { rows } = await pool.query(queries.company(request.params.symbol));
    if (!rows.length) throw new Problem(404, 'not-found', 'Not found', 'no such company');
    const row = rows[0];
    row.cik = cik(row.cik);
    row.description_provenance = provenance('company', row);
    return row;
  });

  app.get('/v1/insider', {
    schema: schemas.insider, preHandler: conditional,
    config: { datasets: ['insider', 'company', 'listing'] },
  }, async (request, reply) => {
    const { query } = request;
    const filters = filtersOf(query);
    const after = query.cursor ? readCursor(query.cursor, filters) : null;
    const { rows } = await pool.query(queries.insider(query, after));
    const more = rows.length > query.limit;
    if (more) rows.length = query.limit;
    const next = more ? writeCursor(rows[rows.length - 1], filters) : null;
    if (next) {
      const url = new URLSearchParams(request.raw.url.split('?')[1]);
      url.set('cursor', next);
      reply.header('Link', `<${process.env.BENCH_BASE_URL}/v1/insider?${url}>; rel="next"`);
    }
    return { data: rows.map(insiderItem), pagination: { next_cursor: next, has_more: more } };
  });
}

async function serve() {
  const pool = new pg.Pool({ max: POOL, options: SESSION });
  const versions = new Map();
  await watchVersions(pool, versions);
  const app = Fastify({
    logger: false,
    genReqId: () => `req_${randomUUID().replaceAll('-', '')}`,
    ajv: { customOptions: { coerceTypes: 'array' } },
  });
  app.decorateRequest('caller', null);
  app.addHook('onRequest', authenticate);
  app.setErrorHandler(fail);
  addRoutes(app, pool, versions);
  await app.listen({ host: '127.0.0.1', port: PORT });
}

if (cluster.isPrimary && WORKERS > 1) {
  for (let i = 0; i < WORKERS; i++) cluster.fork();
  cluster.on('exit', () => process.exit(1));
  process.on('SIGTERM', () => {
    cluster.removeAllListeners('exit');
    cluster.disconnect(() => process.exit(0));
    for (const worker of Object.values(cluster.workers)) worker.kill();
  });
} else {
  serve().catch((error) => {
    console.error(error);
    process.exit(1);
  });
}
