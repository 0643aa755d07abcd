import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/customizer/agent';
import { randomRuns } from '../../helpers/random-runs.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import { type Access, type Accesses, columns, ruleOf, type Scope, unseenChanged } from './field-oracle.ts';
import { type FieldKind, type FieldRequest, fieldKinds, fieldRequest, mayAskFor } from './field-requests.ts';
import type { Rights } from './rights.ts';
import {
  personArbitrary,
  rightsOfPerson,
  scopedPersonArbitrary,
  togetherAccesses,
  unseenByPerson,
} from './several-roles.ts';
import { type Answer, type AskedRequest, serveShop } from './shop-agent.ts';
import { type Name, names, type Shop, shop } from './shop-data.ts';

const everything = { browse: true, read: true, export: true, add: true, edit: true, delete: true };

const access = fc.oneof(
  { weight: 26, arbitrary: fc.constant<Access>('open') },
  { weight: 3, arbitrary: fc.constant<Access>('hidden') },
  { weight: 3, arbitrary: fc.constantFrom<Access>('last4', 'email', 'present') },
  { weight: 2, arbitrary: fc.constantFrom<Access>('unfiltered', 'unwritten') },
);

const accessesArbitrary: fc.Arbitrary<Accesses> = fc.record(
  Object.fromEntries(
    names.map((name) => [name, fc.record(Object.fromEntries(columns[name].map((column) => [column, access])))]),
  ) as Record<Name, fc.Arbitrary<Record<string, Access>>>,
);

const scopeArbitrary: fc.Arbitrary<Scope> = fc.constantFrom<Scope>(
  null,
  null,
  { root: 'orders', column: 'status', value: 'paid' },
  { root: 'customers', column: 'city', value: 'Paris' },
);

function rightsOf(accesses: Accesses, scope: Scope): Rights {
  const of = { customers: everything, orders: everything, lines: everything };
  const scopes = { customers: null, orders: null, lines: null, ...(scope ? { [scope.root]: scope } : {}) };
  const rules = names.map((name) => [
    name,
    Object.fromEntries(Object.entries(accesses[name]).map(([column, word]) => [column, ruleOf[word]])),
  ]);
  return { of, scopes, fields: Object.fromEntries(rules) as Rights['fields'] & object };
}

function customize(agent: Agent): void {
  agent.customizeCollection('orders', (orders) =>
    orders
      .importField('customerName', { path: 'customer:name' })
      .addField('label', {
        columnType: 'String',
        dependencies: ['reference', 'status'],
        getValues: (records) => records.map(({ reference, status }) => `${reference} ${status}`),
      })
      .addField('doubled', { columnType: 'Number', expression: { add: [{ field: 'total' }, { field: 'total' }] } }),
  );
  agent.customizeCollection('lines', (lines) => lines.importField('orderTotal', { path: 'order:total' }));
}

type ServedShop = Awaited<ReturnType<typeof serveShop>>;

const ask = (agent: ServedShop, { request }: FieldRequest): Promise<Answer> =>
  'tool' in request ? agent.askTool(request.tool) : agent.ask(request);

/** How many requests of a kind were made, succeeded, and were refused. */
interface Seen {
  asked: number;
  succeeded: number;
  refused: number;
}

/** Records may be absent, or not be as the caller has seen them; both is an answer. */
const answers: ReadonlySet<number> = new Set([200, 404, 409]);
const refusals: ReadonlySet<number> = new Set([400, 404, 409, 422]);

/** Somebody's rights, what they come to for each column, and the shop with everything changed that they do not see. */
interface Compared {
  readonly rights: Rights;
  readonly accesses: Accesses;
  readonly changed: Shop;
}

async function compare(
  { rights, accesses, changed }: Compared,
  requests: readonly FieldRequest[],
  seen: Readonly<Record<FieldKind, Seen>>,
): Promise<void> {
  const agent = await serveShop(openSqliteTables, shop, rights, customize);
  const other = await serveShop(openSqliteTables, changed, rights, customize);
  try {
    for (const request of requests) {
      const answer = await ask(agent, request);
      const mayAsk = mayAskFor(accesses, request);
      expect([request, answer, (mayAsk ? answers : refusals).has(answer.status)]).toEqual([request, answer, true]);
      const counts = seen[request.kind];
      counts.asked += 1;
      if (answer.status === 200) counts.succeeded += 1;
      if (!mayAsk) counts.refused += 1;
      expect([request, await ask(other, request)]).toEqual([request, answer]);
    }
  } finally {
    await agent.close();
    await other.close();
  }
}

/** Requests of every kind, for each set of rules. */
const ofEachKind = 4;
const candidates = 3;
/** `FIELD_ORACLE_REQUESTS` says how many requests there are to be in all. */
const wanted = Number(process.env['FIELD_ORACLE_REQUESTS'] ?? 0);
const properties = 3;
const numRuns = wanted > 0 ? Math.ceil(wanted / (properties * ofEachKind * fieldKinds.length)) : randomRuns(16);
const patience = wanted > 0 ? { timeout: 0 } : {};

/** As in use, most requests succeed: the first of some that may be asked. Each second one is as it was drawn. */
function chosen(accesses: Accesses, drawn: readonly (readonly FieldRequest[])[]): readonly FieldRequest[] {
  return drawn.flatMap((requests, index) => {
    const allowed = index % 2 === 0 ? requests.find((request) => mayAskFor(accesses, request)) : undefined;
    return allowed ?? requests[0] ?? [];
  });
}

const severalOf = (kind: FieldKind) =>
  fc.array(fc.array(fieldRequest(kind), { minLength: candidates, maxLength: candidates }), {
    minLength: ofEachKind,
    maxLength: ofEachKind,
  });

const requestsArbitrary = fc.tuple(...fieldKinds.map(severalOf));

function nothingSeen(): Record<FieldKind, Seen> {
  return Object.fromEntries(fieldKinds.map((kind) => [kind, { asked: 0, succeeded: 0, refused: 0 }])) as Record<
    FieldKind,
    Seen
  >;
}

/** A property that is never put to the test holds as well. */
function expectEnough(seen: Readonly<Record<FieldKind, Seen>>): void {
  const counts = Object.entries(seen);
  expect(counts.filter(([, { asked, succeeded }]) => succeeded < asked / 3)).toEqual([]);
  expect(counts.reduce((sum, [, { refused }]) => sum + refused, 0)).toBeGreaterThan(numRuns);
}

/** Run a property over people, and count what was asked. */
async function holds(property: (seen: Record<FieldKind, Seen>) => fc.IAsyncProperty<unknown>): Promise<void> {
  const seen = nothingSeen();
  const startMs = performance.now();
  // The first examples would be the simplest people, who see nearly everything.
  await fc.assert(property(seen), { numRuns, unbiased: true });
  const asked = Object.values(seen).reduce((sum, each) => sum + each.asked, 0);
  if (wanted > 0) console.info(`${asked} requests, no leak, ${Math.round((performance.now() - startMs) / 1_000)} s`);
  expectEnough(seen);
}

/** Requests by a field, one of each way to name it. */
const namingField = (field: string): readonly AskedRequest[] => [
  { url: `/service/orders?timezone=UTC&sort=${field}` },
  { url: `/service/orders?timezone=UTC&filters=${JSON.stringify({ field, operator: 'equal', value: 10 })}` },
  { url: '/service/orders?timezone=UTC', headers: { 'service-projection': field } },
  { url: '/service/orders.csv?timezone=UTC&header=Title', headers: { 'service-projection': field } },
  { url: `/service/_internal/values/orders?timezone=UTC&field=${field}` },
  {
    method: 'PUT',
    url: '/service/orders/1?timezone=UTC',
    body: { data: { attributes: { status: 'paid' } }, meta: { ifMatch: { [field]: 10 } } },
  },
];

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

it('an agent refuses a hidden field as one that does not exist, in its words and in about its time', async () => {
  const open = Object.fromEntries(names.map((name) => [name, {}])) as Accesses;
  const agent = await serveShop(openSqliteTables, shop, rightsOf({ ...open, orders: { total: 'hidden' } }, null));
  try {
    for (const [index, hidden] of namingField('total').entries()) {
      const missing = namingField('totax')[index] ?? hidden;
      const answer = await agent.ask(hidden);
      const { status, body } = await agent.ask(missing);
      expect([answer.status, answer.body.replaceAll('total', 'totax')]).toEqual([status, body]);
      expect(status).toBe(400);
      const spent = { hidden: [] as number[], missing: [] as number[] };
      for (let round = 0; round < 20; round++) {
        for (const [kind, request] of [
          ['hidden', hidden],
          ['missing', missing],
        ] as const) {
          const before = process.cpuUsage();
          for (let times = 0; times < 5; times++) await agent.ask(request);
          const { user, system } = process.cpuUsage(before);
          spent[kind].push(user + system);
        }
      }
      // A lookup that only one of them makes would take several times as long.
      const ratio = median(spent.hidden) / median(spent.missing);
      expect([hidden.url, ratio, ratio > 0.5 && ratio < 2]).toEqual([hidden.url, ratio, true]);
    }
  } finally {
    await agent.close();
  }
});

describe('an agent whose callers are restricted on fields', patience, () => {
  it('refuses what uses a closed field, and never answers by what the caller does not see', () =>
    holds((seen) =>
      fc.asyncProperty(accessesArbitrary, scopeArbitrary, requestsArbitrary, (accesses, scope, drawn) => {
        const compared = { rights: rightsOf(accesses, scope), accesses, changed: unseenChanged(accesses, scope) };
        return compare(compared, chosen(accesses, drawn.flat()), seen);
      }),
    ));

  it.each([
    ['opens to somebody with several roles and teams what one of them opens, and no more', personArbitrary],
    ['shows by a role that has its rights on some records nothing of any other record', scopedPersonArbitrary],
  ])('%s', (_title, people) =>
    holds((seen) =>
      fc.asyncProperty(people, requestsArbitrary, (person, drawn) => {
        const accesses = togetherAccesses(person);
        const compared = { rights: rightsOfPerson(person), accesses, changed: unseenByPerson(person) };
        return compare(compared, chosen(accesses, drawn.flat()), seen);
      }),
    ),
  );
});
