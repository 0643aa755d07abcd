import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AnswerContent, Operation } from '#contracts/api/operation';
import { operations } from '#contracts/api/operations';
import { scimErrorSchema } from '#contracts/api/scim-operations';
import { errorEnvelopeSchema } from '#contracts/error-envelope';
import type { LogLevel } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { type Sandbox, type SandboxOptions, startSandbox } from '#sandbox/index';
import { damaged, fittingValue, type JsonSchema } from '../helpers/fitting-value.ts';
import { usePostgresServer } from '../helpers/postgres-server.ts';
import { postgresPlace } from '../helpers/store-engines.ts';

type StoreAddress = SandboxOptions['store'];

const envSecret = 'e'.repeat(64);
const requestsEach = Number(process.env['FUZZ_RUNS'] ?? 2);
const logged: { readonly level: LogLevel; readonly message: string }[] = [];
const server = usePostgresServer();
let sandbox: Sandbox;
let userToken: string;
let scimToken: string;

/** The engines of the store, with the share of the requests that each is asked. */
const engines = [
  {
    engine: 'SQLite',
    share: 1,
    place: async (folder: string): Promise<StoreAddress> => `sqlite:${path.join(folder, 'platform.sqlite')}`,
  },
  { engine: 'PostgreSQL', share: 1 / 4, place: async () => postgresPlace(server, await server.createDatabase()) },
];

async function startOn(place: (folder: string) => Promise<StoreAddress>) {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-test-'));
  logged.length = 0;
  sandbox = await startSandbox({
    store: await place(folder),
    port: { port: 0, isExact: false },
    clock: systemClock,
    random: systemRandom,
    logger: { log: (level, message) => void logged.push({ level, message }) },
    platformKey: 'a'.repeat(64),
    hasSignInLinks: true,
  });
  // The secret of the environment is known from here on.
  await signIn();
  return async () => {
    await sandbox.stop();
    await rm(folder, { recursive: true });
  };
}

async function signIn(): Promise<void> {
  const user = { name: 'Ada Lovelace', email: 'ada@example.test' };
  ({ userToken } = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user }));
}

/** A token of SCIM, unless the one of before still works: a project has ten of them at most. */
async function provision(): Promise<void> {
  const known = await fetch(`${sandbox.url}/scim/v2/Schemas`, { headers: { authorization: `Bearer ${scimToken}` } });
  if (known.ok) return;
  await signIn();
  const headers = { authorization: `Bearer ${userToken}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'company', role: 'Administrators' });
  const answer = await fetch(`${sandbox.url}/api/scim-tokens`, { method: 'POST', headers, body });
  scimToken = ((await answer.json()) as { readonly token: string }).token;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

interface ApiObject {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: JsonSchema }>> };
}

async function apiDocument() {
  const answer = await fetch(`${sandbox.url}/openapi.json`);
  return (await answer.json()) as { readonly paths: Readonly<Record<string, Readonly<Record<string, ApiObject>>>> };
}

function credentialsFor({ credential }: Operation): Record<string, string> {
  if (credential === 'none') return {};
  if (credential === 'scimToken') return { authorization: `Bearer ${scimToken}` };
  return credential === 'userToken' ? { authorization: `Bearer ${userToken}` } : { 'service-secret-key': envSecret };
}

interface Input {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

async function ask({ method, path: pattern }: Operation, input: Input, headers: Record<string, string>) {
  const address = pattern.replaceAll(/\{(\w+)\}/g, (_text, name: string) =>
    encodeURIComponent(String(input.path[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query)) query.set(name, String(value));
  const hasBody = input.body !== undefined;
  const bytes = hasBody && input.body instanceof Uint8Array ? Buffer.from(input.body) : undefined;
  const answer = await fetch(`${sandbox.url}${address}${query.size > 0 ? `?${query}` : ''}`, {
    method: method.toUpperCase(),
    headers: {
      ...headers,
      ...(hasBody ? { 'content-type': bytes ? 'application/octet-stream' : 'application/json' } : {}),
    },
    ...(hasBody ? { body: bytes ?? JSON.stringify(input.body) } : {}),
  });
  return { status: answer.status, text: await answer.text() };
}

/** What asks for nothing in particular: "1" is a name, and the id of a record. */
function plainInput({ parameters = [] }: ApiObject) {
  const query = parameters.filter((each) => each.in === 'query' && each.required).map(({ name }) => [name, '1']);
  return { path: {}, query: Object.fromEntries(query), body: undefined, isDescribed: true };
}

/** Inputs as the document describes them, and such as it does not. */
function inputsOf(operation: Operation, api: ApiObject): fc.Arbitrary<Input & { readonly isDescribed: boolean }> {
  const placed = (place: string) => {
    const parameters = (api.parameters ?? []).filter((each) => each.in === place);
    const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name);
    const values = Object.fromEntries(parameters.map(({ name, schema }) => [name, fittingValue(schema)]));
    return fc.record<Record<string, unknown>>(values, { noNullPrototype: true, requiredKeys });
  };
  const { content = {} } = api.requestBody ?? {};
  const schema = (content['application/json'] ?? content['application/scim+json'])?.schema;
  const bytes = fc.uint8Array({ maxLength: 200 });
  const body = operation.body === 'bytes' ? bytes : schema ? fittingValue(schema) : fc.constant(undefined);
  // What a wait would cost says nothing about the answer.
  const query = placed('query').map((each) => ('waitMs' in each ? { ...each, waitMs: 0 } : each));
  const described = fc.record({ path: placed('path'), query, body, isDescribed: fc.constant(true) });
  const other = described.chain((input) =>
    fc.oneof(
      ...(schema ? [damaged(input.body).map((odd) => ({ ...input, body: odd, isDescribed: false }))] : []),
      fc.constant({ ...input, query: { ...input.query, unknown: '1' }, isDescribed: false }),
    ),
  );
  return fc.oneof(described, other) as fc.Arbitrary<Input & { readonly isDescribed: boolean }>;
}

function errorSchemaOf(credential: Operation['credential']) {
  return credential === 'scimToken' ? scimErrorSchema : errorEnvelopeSchema;
}

/** Monitors and clients of SCIM add parameters of their own. */
function takesAnyParameter({ id, credential }: Operation): boolean {
  return id === 'readHealth' || credential === 'scimToken';
}

function expectAnswer(
  { answers, id, credential }: Operation,
  { status, text }: { readonly status: number; readonly text: string },
) {
  const content: AnswerContent | undefined = answers[status];
  if (content === undefined) {
    expect(status, `${id} answered ${text}`).toBeGreaterThanOrEqual(400);
    expect(status, `${id} answered ${text}`).toBeLessThan(500);
    errorSchemaOf(credential).parse(JSON.parse(text));
  } else if (content === 'nothing') expect(text).toBe('');
  else if (typeof content === 'object') content.parse(JSON.parse(text));
}

describe.each(engines)('on $engine', ({ place, share }) => {
  beforeAll(() => startOn(place));

  describe('the API document', () => {
    it('is valid OpenAPI 3.1', async () => {
      const validator = new Validator();
      const result = await validator.validate({ ...(await apiDocument()) });
      expect(result).toEqual({ valid: true });
      expect(validator.version).toBe('3.1');
    });

    it('names every operation once', () => {
      const ids = operations.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    });
  });

  describe.each(
    operations
      .filter(({ answers, isOnlyOf }) => answers[200] !== 'events' && isOnlyOf !== 'a team')
      .map((each) => [each.id, each] as const),
  )('the operation %s', (_id, operation) => {
    it('answers whatever it is asked as the document says, and never with an error of its own', async () => {
      const { paths } = await apiDocument();
      const api = paths[operation.path]?.[operation.method] ?? {};
      if (operation.credential === 'scimToken') await provision();
      let successes = 0;
      const isPlain = operation.params === undefined && operation.body === undefined;
      await fc.assert(
        fc.asyncProperty(inputsOf(operation, api), async (input) => {
          // The operation before may have ended the token.
          if (operation.credential === 'userToken') await signIn();
          const answer = await ask(operation, input, credentialsFor(operation));
          if (answer.status < 300) successes++;
          expectAnswer(operation, answer);
          if ('unknown' in input.query && !takesAnyParameter(operation)) expect(answer.status).toBe(400);
        }),
        // What asks for nothing in particular is asked so once, whatever chance brings.
        { numRuns: Math.ceil(requestsEach * share), examples: isPlain ? [[plainInput(api)]] : [] },
      );
      expect(logged.filter(({ level }) => level === 'Error')).toEqual([]);
      if (isPlain) expect(successes).toBeGreaterThan(0);
    });
  });

  it.each(operations.filter(({ credential }) => credential !== 'none').map((each) => [each.id, each] as const))(
    'the operation %s answers 401 to a caller without a credential',
    async (_id, operation) => {
      const { paths } = await apiDocument();
      const api = paths[operation.path]?.[operation.method] ?? {};
      const [input] = fc.sample(inputsOf(operation, api), 1);
      if (!input) throw new Error('There is no input.');
      const answer = await ask(operation, { ...input, query: {} }, {});
      expect(answer.status).toBe(401);
      errorSchemaOf(operation.credential).parse(JSON.parse(answer.text));
    },
  );
});
