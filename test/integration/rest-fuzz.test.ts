import { request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Agent, createSqlDataSource } from '#runtime/index';
import { authSecret, createShopFile, identity, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const runs = 700;

/** Texts that have broken parsers, drivers and databases. */
const nasty = fc.constantFrom(
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1e999',
    'NaN',
    'null',
    'true',
    '[]',
    '{}',
    '"',
    "'",
    "' or 1=1 --",
    '\\',
    '%',
    '%25',
    '\0',
    '\ud800',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'orders',
    'customer',
    'customer:name',
    'lines:sku',
    'a|b',
    '4|ab',
    '|',
    '4|',
    '🙂',
    'é',
  ],
  ...[
    '2024-02-30',
    '9999-12-31T23:59:59.999Z',
    '+275760-09-13T00:00:00.001Z',
    'Europe/Paris',
    '../..',
    '/',
    '?',
    '#',
    '{{x}}',
  ],
  ...[
    'data:text/plain,hello',
    'data:;base64,####',
    'data:text/plain;base64,aGk=',
    '9007199254740993',
    '9'.repeat(400),
    'x'.repeat(5_000),
  ],
);
const text = fc.oneof(nasty, fc.string({ unit: 'grapheme', maxLength: 12 }));
const scalar = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const json = fc.oneof({ weight: 3, arbitrary: scalar }, fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>);

const field = fc.oneof(
  fc.constantFrom(
    'id',
    'ref',
    'status',
    'total',
    'placed_at',
    'customer_id',
    'customer:name',
    'lines:quantity',
    'customer:orders:ref',
  ),
  text,
);
const operator = fc.oneof(
  fc.constantFrom(
    'equal',
    'not_equal',
    'in',
    'not_in',
    'present',
    'blank',
    'like',
    'i_contains',
    'longer_than',
    'match',
  ),
  fc.constantFrom(
    'less_than',
    'greater_than',
    'before',
    'after',
    'today',
    'previous_x_days',
    'after_x_hours_ago',
    'includes_all',
  ),
  text,
);
const leaf = fc.record({ field, operator, value: json }, { requiredKeys: ['field', 'operator'] });
const { tree } = fc.letrec<{ tree: unknown; branch: unknown }>((tie) => ({
  tree: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, tie('branch'), json),
  branch: fc.record({
    aggregator: fc.oneof(fc.constantFrom('and', 'or', 'And'), text),
    conditions: fc.oneof(fc.array(tie('tree'), { maxLength: 3 }), json),
  }),
}));

const parameter = fc.oneof(
  fc.tuple(
    fc.constant('filters'),
    fc.oneof(
      tree.map((value) => JSON.stringify(value) ?? ''),
      text,
    ),
  ),
  fc.tuple(
    fc.constantFrom('search', 'segment', 'sort', 'fields[orders]', 'fields[customer]', 'header', 'filename'),
    text,
  ),
  fc.tuple(
    fc.constantFrom(
      'page[size]',
      'page[number]',
      'searchExtended',
      'delete',
      'timezone',
      'segmentQuery',
      'connectionName',
    ),
    text,
  ),
  fc.tuple(text, text),
);
const query = fc
  .array(parameter, { maxLength: 4 })
  .map((pairs) => new URLSearchParams([['timezone', 'UTC'], ...pairs]).toString());

const segment = fc.oneof(fc.constantFrom('1', '4|ab', '99', 'count', 'orders'), text).map((value) => safeEncode(value));
const collection = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('orders', 'customers', 'lines', 'events') },
  segment,
);
const path = fc.oneof(
  fc.tuple(collection).map((parts) => `/${parts.join('')}`),
  fc.tuple(collection, segment).map((parts) => `/${parts.join('/')}`),
  collection.map((name) => `/${name}/count`),
  collection.map((name) => `/${name}.csv`),
  collection.map((name) => `/stats/${name}`),
  fc
    .tuple(collection, segment, fc.oneof(fc.constantFrom('lines', 'customer', 'orders'), segment))
    .map(([name, id, relation]) => `/${name}/${id}/relationships/${relation}`),
  fc.constantFrom('/_internal/native_query', '/_internal/capabilities', '/scope-cache-invalidation', '/_charts/total'),
  fc.constantFrom(
    '/_actions/orders/0/refund',
    '/_actions/orders/0/refund/hooks/load',
    '/_actions/orders/0/refund/hooks/change',
  ),
);

const attributes = fc.oneof(
  fc.dictionary(
    fc.oneof(field, fc.constantFrom('ids', 'all_records', 'all_records_ids_excluded', 'values', 'fields')),
    json,
    {
      maxKeys: 4,
    },
  ),
  fc.record({ ids: fc.array(scalar, { maxLength: 3 }), values: json, all_records_subset_query: json, fields: json }),
  json,
);
const body = fc.oneof(
  fc.record({
    data: fc.record({ attributes, relationships: json, id: scalar, type: text }, { requiredKeys: ['attributes'] }),
  }),
  fc.record({ data: fc.oneof(fc.array(fc.record({ id: scalar }), { maxLength: 2 }), json) }),
  fc.record(
    {
      type: fc.constantFrom('Value', 'Pie', 'Line', 'Leaderboard', 'x'),
      aggregator: fc.constantFrom('Count', 'Sum', 'Max'),
      filter: tree,
      aggregateFieldName: field,
      groupByFieldName: field,
      timeRange: fc.constantFrom('Day', 'Year', 'x'),
      labelFieldName: field,
      relationshipFieldName: field,
      limit: scalar,
      query: text,
      connectionName: fc.constantFrom('main', 'x'),
      contextVariables: json,
    },
    { requiredKeys: ['type', 'aggregator'] },
  ),
  json,
);
const payload = fc.oneof({ weight: 6, arbitrary: body.map((value) => JSON.stringify(value) ?? '') }, text);

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** As a client would that does not fix addresses, unlike `fetch`. */
function send(
  agent: ShopAgent,
  method: string,
  target: string,
  headers: Record<string, string>,
  content?: string,
): Promise<Answer> {
  const { hostname, port, pathname } = new URL(agent.agentUrl);
  // Node.js would send the body of a DELETE without saying how long it is.
  const length = content === undefined ? {} : { 'content-length': String(Buffer.byteLength(content)) };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { hostname, port, method, path: `${pathname}${target}`, headers: { ...headers, ...length } },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
        );
      },
    );
    sent.once('error', reject);
    sent.end(content);
  });
}

/** What an answer to nonsense must never say. */
const leaks =
  /\b(?:SQLITE_|select [\s\S]* from|insert into|update "|delete from|at \w+ \(|node_modules|\/src\/|\/tmp\/|TypeError|undefined is not)/i;

function expectNoFailure({ status, text: said }: Answer, what: string, seen: Set<number>): void {
  seen.add(status);
  expect(status, `${what}\n${said.slice(0, 500)}`).toBeLessThan(500);
  expect(status, what).toBeGreaterThanOrEqual(200);
  if (status >= 400) {
    expect(said, what).not.toMatch(leaks);
    if (said.startsWith('{"errors"')) expect(JSON.parse(said).errors[0].detail, what).not.toBe('');
  }
}

const customize = (shop: Agent) =>
  void shop
    .addChart('total', (_context, result) => result.value(1))
    .customizeCollection('orders', (orders) =>
      orders
        .addField('shout', {
          columnType: 'String',
          dependencies: ['ref'],
          getValues: (records) => records.map(({ ref }) => String(ref).toUpperCase()),
        })
        .addAction('Refund', {
          scope: 'Bulk',
          form: [
            { type: 'Number', label: 'Amount' },
            { type: 'File', label: 'Proof' },
            { type: 'Collection', label: 'Customer', collectionName: 'customers' },
            {
              type: 'Enum',
              label: 'Why',
              enumValues: ['late', 'lost'],
              if: ({ formValues }) => formValues['Amount'] !== 1,
            },
          ],
          execute: (_context, result) => result.success(),
        }),
    );

const start = async () =>
  startShopAgent(customize, {
    dataSources: { main: async () => createSqlDataSource(await createShopFile(), { liveQueryConnections: 'main' })() },
  });

describe('nonsense sent to the REST API', () => {
  it('causes no failure of the agent in addresses, and reveals nothing inside', { tags: 'long' }, async () => {
    const agent = await start();
    const seen = new Set<number>();
    const headers = { authorization: `Bearer ${agent.token}` };
    await fc.assert(
      fc.asyncProperty(path, query, async (target, search) => {
        expectNoFailure(await send(agent, 'GET', `${target}?${search}`, headers), `GET ${target}?${search}`, seen);
      }),
      { numRuns: runs },
    );
    expect(agent.log).toEqual([]);
    // Some of the nonsense makes sense, or all of it would be refused at the door.
    expect([...seen]).toEqual(expect.arrayContaining([200, 400, 404]));
  });

  it('causes no failure of the agent in bodies, and reveals nothing inside', { tags: 'long' }, async () => {
    const agent = await start();
    const seen = new Set<number>();
    const headers = { authorization: `Bearer ${agent.token}`, 'content-type': 'application/json' };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('POST', 'PUT', 'DELETE'),
        path,
        query,
        payload,
        async (method, target, search, content) => {
          const what = `${method} ${target}?${search}\n${content}`;
          expectNoFailure(await send(agent, method, `${target}?${search}`, headers, content), what, seen);
        },
      ),
      { numRuns: runs },
    );
    expect(agent.log).toEqual([]);
    // Some of the nonsense makes sense, or all of it would be refused at the door.
    expect([...seen]).toEqual(expect.arrayContaining([200, 400, 404]));
  });

  it('opens nothing when it is sent as a token', async () => {
    const agent = await start();
    const [head = '', claims = '', signature = ''] = agent.token.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const forged = fc.constantFrom(
      ...[
        `${none}.${claims}.`,
        `${none}.${claims}.${signature}`,
        `${head}.${claims}`,
        `${head}..${signature}`,
        `${head}.${claims}.x`,
      ],
    );
    const key = new TextEncoder().encode(authSecret);
    const signed = (value: object) =>
      new SignJWT({ ...value }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1h').sign(key);
    const wrong = await Promise.all([
      signed({}),
      signed({ ...identity, id: 'x' }),
      signed({ ...identity, renderingId: null }),
      signed({ ...identity, tags: 'x' }),
      signed({ ...identity, aud: 'another' }),
    ]);
    const token = fc.oneof(forged, fc.constantFrom(...wrong), nasty, fc.string({ maxLength: 40 }));
    await fc.assert(
      fc.asyncProperty(token, fc.constantFrom('Bearer ', 'bearer  ', 'Basic ', ''), async (value, scheme) => {
        const authorization = `${scheme}${value}`.replaceAll(/[^\x21-\x7e ]/g, '');
        const answer = await send(agent, 'GET', '/orders?timezone=UTC', { authorization });
        expect(answer.status, authorization).toBe(401);
        expect(answer.text).not.toMatch(leaks);
      }),
      { numRuns: 200 },
    );
  });
});

function safeEncode(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}
