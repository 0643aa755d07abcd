import path from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PublicOperation } from '#contracts/public-api/operation';
import { publicOperations } from '#contracts/public-api/operations';
import type { StoreAddress } from '#platform/store/open-store';
import { activity, startAuditApi } from '../helpers/audit-api.ts';
import { damaged, fittingValue } from '../helpers/fitting-value.ts';
import { usePostgresServer } from '../helpers/postgres-server.ts';
import { type Answered, type ApiOperation, readPublicApiDocument } from '../helpers/public-api-document.ts';
import { postgresPlace } from '../helpers/store-engines.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const requestsEach = Number(process.env['FUZZ_RUNS'] ?? 2);
const server = usePostgresServer();
/** Server time on an idle machine that no request should need. */
const budgetMs = 50;

const engines = [
  {
    engine: 'SQLite',
    share: 1,
    place: async (): Promise<StoreAddress> => `sqlite:${path.join(await temporaryFolder(), 'store.sqlite')}`,
  },
  { engine: 'PostgreSQL', share: 1 / 4, place: async () => postgresPlace(server, await server.createDatabase()) },
];

interface Input {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A platform with a few logs, and a note whose id is 1. */
async function start(store: StoreAddress) {
  const api = await startAuditApi({ store });
  await api.report(Array.from({ length: 20 }, (_, index) => activity({ label: `row ${index}` })));
  const note = await fetch(`${api.sandbox.url}/v1/project/shop/environment/development/notes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ collectionName: 'orders', recordId: '7', title: 'Call back', content: 'On Monday' }),
  });
  expect(note.status).toBe(201);
  const { document, operationOf, check } = await readPublicApiDocument(api.sandbox.url);
  const slow: string[] = [];
  const ask = async ({ method, path: pattern, id }: PublicOperation, input: Input): Promise<Answered> => {
    const place = pattern.replaceAll(/\{(\w+)\}/g, (_text, name: string) => encodeURIComponent(input.path[name] ?? ''));
    const query = new URLSearchParams(
      Object.entries(input.query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const begun = performance.now();
    const answer = await fetch(`${api.sandbox.url}${place}${query.size > 0 ? `?${query}` : ''}`, {
      method: method.toUpperCase(),
      headers: {
        authorization: `Bearer ${api.token}`,
        ...input.headers,
        ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    });
    const text = await answer.text();
    const ms = performance.now() - begun;
    if (ms > budgetMs) slow.push(`${id} ${Math.round(ms)} ms`);
    return { status: answer.status, type: answer.headers.get('content-type') ?? '', text };
  };
  return { ...api, document, operationOf, check, ask, slow };
}

/** What is there, by the names of parameters. */
interface KnownPlaces {
  readonly id: string;
  readonly chain: string;
  readonly month: string;
}

/** Requests as the document describes them, about things that are there and things that are not. */
function inputsOf({ parameters = [], requestBody }: ApiOperation, known: KnownPlaces): fc.Arbitrary<Input> {
  const { id, chain, month } = known;
  const mostly = (value: string) => fc.oneof({ weight: 9, arbitrary: fc.constant(value) }, fc.string({ minLength: 1 }));
  const places: Record<string, fc.Arbitrary<string>> = {
    projectName: mostly('shop'),
    environmentName: mostly('development'),
    id: fc.oneof(
      { weight: 2, arbitrary: fc.constant(id) },
      fc.constantFrom('1', '0', '-1', 'exports'),
      fc.string({ minLength: 1, unit: 'binary' }),
    ),
    chain: mostly(chain),
    month: fc.oneof({ weight: 2, arbitrary: mostly(month) }, fc.constantFrom('2020-01', '2026-13')),
  };
  const own = parameters.filter((each) => each.in === 'query');
  const values = Object.fromEntries(
    // What a wait would cost says nothing about the answer.
    own.map(({ name, schema }) => [name, name === 'follow' ? fc.constant(0) : fittingValue(schema)]),
  );
  const requiredKeys = own.filter(({ required }) => required).map(({ name }) => name);
  const headers = parameters.filter((each) => each.in === 'header');
  const body = requestBody?.content['application/json']?.schema;
  return fc.record({
    path: fc.record(
      Object.fromEntries(
        parameters.filter((each) => each.in === 'path').map(({ name }) => [name, places[name] ?? fc.string()]),
      ),
      { noNullPrototype: true },
    ),
    // One or two parameters at a time: together, most requests find nothing.
    query: fc
      .record<Record<string, unknown>>(values, { noNullPrototype: true, requiredKeys })
      .chain((all) =>
        fc.subarray(Object.entries(all), { maxLength: Math.min(2, Object.keys(all).length) }).map(Object.fromEntries),
      ),
    headers: fc.record(
      Object.fromEntries(headers.map(({ name }) => [name, fc.stringMatching(/^[\x21-\x7e]{1,40}$/)])),
      { noNullPrototype: true },
    ),
    body: body ? fittingValue(body) : fc.constant(undefined),
  }) as fc.Arbitrary<Input>;
}

describe('the document of the public API', () => {
  it('is valid OpenAPI 3.1, needs no token, and names every operation once', async () => {
    const { document } = await start(await (engines[0] as (typeof engines)[0]).place());
    const validator = new Validator();
    expect(await validator.validate({ ...document })).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    const ids = publicOperations.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe.each(engines)('the public API on $engine', ({ place, share }) => {
  it.each(publicOperations.map((each) => [each.id, each] as const))(
    'answers whatever %s is asked as its document says',
    async (_id, operation) => {
      const { operationOf, ask, check, json, slow } = await start(await place());
      const list = operation.path.includes('admin-logs') ? '/admin-logs' : '/environment/development/activity-logs';
      const [first] = (await json(list)).body['data'] as readonly { readonly id: string }[];
      const id = operation.path.includes('/notes') ? '1' : (first?.id ?? '');
      const { chains } = (await json('/integrity')).body as { readonly chains: readonly { readonly chain: string }[] };
      const known = { id, chain: chains[0]?.chain ?? '', month: new Date().toISOString().slice(0, 7) };
      const inputs = inputsOf(operationOf(operation), known);
      const plain = { path: { projectName: 'shop', environmentName: 'development', ...known }, query: {}, headers: {} };
      let successes = 0;
      await fc.assert(
        fc.asyncProperty(inputs, async (input) => {
          const answer = await ask(operation, input);
          if (answer.status < 300) successes++;
          check(operation, answer);
        }),
        {
          numRuns: Math.ceil(requestsEach * share),
          examples: operation.method === 'get' ? [[{ ...plain, body: undefined }]] : [],
        },
      );
      const changed = inputs.chain(({ body, ...input }) =>
        fc.oneof(
          ...(body === undefined ? [] : [damaged(body).map((odd) => ({ ...input, body: odd }))]),
          fc.constant({ ...input, body, query: { ...input.query, unknown: '1' } }),
          fc
            .constantFrom('limit', 'cursor', 'createdAt.lt', 'userId', 'expand', 'max', 'format', 'include')
            .chain((name) =>
              fc
                .string({ unit: 'binary' })
                .map((value) => ({ ...input, body, query: { ...input.query, [name]: value } })),
            ),
        ),
      ) as fc.Arbitrary<Input>;
      await fc.assert(
        fc.asyncProperty(changed, async (input) => {
          const answer = await ask(operation, input);
          check(operation, answer);
          if (!('unknown' in input.query) || answer.status >= 400) return;
          expect.fail(`${operation.id} takes an unknown parameter`);
        }),
        { numRuns: Math.ceil(requestsEach * share) },
      );
      if (slow.length > 0) console.log(`more than ${budgetMs} ms: ${slow.join(', ')}`);
      if (operation.method === 'get') expect(successes).toBeGreaterThan(0);
    },
  );
});
