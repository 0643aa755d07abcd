import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/customizer/agent';
import { randomRuns } from '../../helpers/random-runs.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import { type Access, type Accesses, columns, ruleOf, type Scope, unseenChanged } from './field-oracle.ts';
import { type FieldKind, type FieldRequest, fieldKinds, fieldRequest, mayAskFor } from './field-requests.ts';
import type { Rights } from './rights.ts';
import { personArbitrary, rightsOfPerson, togetherAccesses, unseenByPerson } from './several-roles.ts';
import { type Answer, serveShop } from './shop-agent.ts';
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

/** How many requests of a kind were answered, and refused. */
interface Seen {
  answered: number;
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
      seen[request.kind][mayAsk ? 'answered' : 'refused'] += 1;
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
const numRuns = randomRuns(24);

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
  return Object.fromEntries(fieldKinds.map((kind) => [kind, { answered: 0, refused: 0 }])) as Record<FieldKind, Seen>;
}

/** A property that is never put to the test holds as well. */
function expectEnough(seen: Readonly<Record<FieldKind, Seen>>): void {
  const counts = Object.entries(seen);
  const rare = counts.filter(([, { answered }]) => answered <= (ofEachKind * numRuns) / 3);
  expect(rare).toEqual([]);
  expect(counts.reduce((sum, [, { refused }]) => sum + refused, 0)).toBeGreaterThan(numRuns);
}

describe('an agent whose callers are restricted on fields', () => {
  it('refuses what uses a closed field, and never answers by what the caller does not see', async () => {
    const seen = nothingSeen();
    const property = fc.asyncProperty(
      accessesArbitrary,
      scopeArbitrary,
      requestsArbitrary,
      (accesses, scope, drawn) => {
        const compared = { rights: rightsOf(accesses, scope), accesses, changed: unseenChanged(accesses, scope) };
        return compare(compared, chosen(accesses, drawn.flat()), seen);
      },
    );
    await fc.assert(property, { numRuns });
    expectEnough(seen);
  });

  it('opens to somebody with several roles and teams what one of them opens, and no more', async () => {
    const seen = nothingSeen();
    const property = fc.asyncProperty(personArbitrary, requestsArbitrary, (person, drawn) => {
      const accesses = togetherAccesses(person);
      const compared = { rights: rightsOfPerson(person), accesses, changed: unseenByPerson(person) };
      return compare(compared, chosen(accesses, drawn.flat()), seen);
    });
    await fc.assert(property, { numRuns });
    expectEnough(seen);
  });
});
