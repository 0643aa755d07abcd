import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Approval, ApprovalContent } from '#contracts/approvals';
import type { ShownHistory } from '#contracts/history';
import type { Inbox, Mentionable } from '#contracts/notes';
import type { VisibleCollection } from '#contracts/visible-schema';
import { randomRuns } from '../../helpers/random-runs.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import { type ConsoleCode, loadConsoleCode, type Page } from './console-code.ts';
import { mayShow, open, type Screen, type ScreenKind, screenKinds, screenOf } from './console-screens.ts';
import { type Accesses, columns } from './field-oracle.ts';
import {
  isShownTo,
  type Person,
  personArbitrary,
  rightsOfPerson,
  scopedPersonArbitrary,
  togetherAccesses,
  unseenByPerson,
} from './several-roles.ts';
import { serveShop } from './shop-agent.ts';
import { type Name, shop } from './shop-data.ts';
import { stranger } from './shop-trail.ts';

type ServedShop = Awaited<ReturnType<typeof serveShop>>;

/** `ORACLE_REQUESTS` says how many screens are opened in all. */
const wanted = Number(process.env['ORACLE_REQUESTS'] ?? 0);
const ofEachKind = 2;
const properties = 2;
const numRuns = wanted > 0 ? Math.ceil(wanted / (properties * ofEachKind * screenKinds.length)) : randomRuns(14);
/** Many people are refused more than once each. A few people may be ones who may see nearly everything. */
const leastRefused = wanted > 0 ? numRuns : 1;
const patience = wanted > 0 ? { timeout: 0 } : {};

/** What a screen has: what its request brought, or why it was refused. */
interface Seen {
  readonly asked: ReturnType<typeof mayShow>;
  readonly status: number;
  readonly what: unknown;
}

async function seeIn(code: ConsoleCode, shopAgent: ServedShop, accesses: Accesses, screen: Screen): Promise<Seen> {
  code.use(shopAgent.ask);
  const { asked, ask } = await open(code, screen);
  const mayAsk = mayShow(accesses, asked);
  try {
    return { asked: mayAsk, status: 200, what: await ask() };
  } catch (error) {
    const { status, message, code: name } = error as { status?: number; message: string; code?: string };
    if (status === undefined) throw error;
    return { asked: mayAsk, status, what: [name, message] };
  }
}

const answers: ReadonlySet<number> = new Set([200, 404]);
const refusals: ReadonlySet<number> = new Set([400, 404, 422]);

/** The records that a screen has something about, which is the same for every record. */
function recordsIn({ kind, root, id }: Screen, what: unknown): readonly (readonly [Name, string])[] {
  if (kind === 'notes' || kind === 'approval' || kind === 'people') return [[root, id]];
  if (kind === 'inbox') return (what as Inbox).notes.map(({ collection, recordId }) => [collection as Name, recordId]);
  return [];
}

function isShownRecord(person: Person, name: Name, id: string): boolean {
  const record = shop[name].find((each) => String(each['id']) === id);
  return record !== undefined && isShownTo(person, name, record);
}

/** Screens that rights beside those to collections and fields decide about. */
const refusable: ReadonlySet<ScreenKind> = new Set(['approval', 'insights']);

/** What a screen has that no right of the person opens, beside records and columns. */
function strangeIn({ kind }: Screen, person: Person, accesses: Accesses, what: unknown): readonly unknown[] {
  const mayApprove = (name: string) => person.roles[0]?.of[name as Name].edit;
  switch (kind) {
    case 'approvals': {
      const { approvals } = what as { readonly approvals: readonly Approval[] };
      return approvals.filter(({ isOwn, collection }) => !isOwn && !mayApprove(collection));
    }
    case 'approval':
      return mayApprove('orders') ? [] : ['orders'];
    case 'people':
      return (what as Mentionable).people.filter(({ id }) => id === stranger.id);
    case 'insights':
      return Object.values(accesses).flatMap((own) => Object.values(own).filter((word) => word !== 'open'));
    default:
      return [];
  }
}

/** The names of columns in what a screen has. */
function namesIn({ kind }: Screen, what: unknown): readonly string[] {
  if (kind === 'collection') return (what as VisibleCollection).fields.map(({ name }) => name);
  if (kind === 'history') {
    const { writes } = what as ShownHistory;
    return writes.flatMap(({ fields, before, after }) => [
      ...[...fields, ...Object.keys(before ?? {}), ...Object.keys(after ?? {})],
    ]);
  }
  if (kind === 'approval') {
    const { records, problem } = what as ApprovalContent;
    const told = [...(problem ?? '').matchAll(/"(\w+)"/g)].map(([, name = '']) => name);
    return [...records.flatMap(({ values }) => Object.keys(values)), ...told];
  }
  if (kind === 'list') return (what as Page).rows.flatMap(({ values }) => Object.keys(values));
  return [];
}

async function compare(
  code: ConsoleCode,
  person: Person,
  screens: readonly Screen[],
  count: (kind: ScreenKind, status: number) => void,
): Promise<void> {
  const accesses = togetherAccesses(person);
  const rights = rightsOfPerson(person);
  const agent = await serveShop(openSqliteTables, shop, rights);
  const other = await serveShop(openSqliteTables, unseenByPerson(person), rights);
  try {
    for (const screen of screens) {
      const seen = await seeIn(code, agent, accesses, screen);
      const isRefused = seen.status === 403 && refusable.has(screen.kind);
      const isExpected = isRefused || (seen.asked ? answers : refusals).has(seen.status);
      expect([screen, seen, isExpected]).toEqual([screen, seen, true]);
      count(screen.kind, seen.status);
      const hidden = columns[screen.root].filter((column) => accesses[screen.root][column] === 'hidden');
      if (seen.status === 200) {
        const shown = new Set(namesIn(screen, seen.what));
        expect([screen, hidden.filter((column) => shown.has(column))]).toEqual([screen, []]);
        const strange = recordsIn(screen, seen.what).filter(([name, id]) => !isShownRecord(person, name, id));
        expect([screen, strange]).toEqual([screen, []]);
        expect([screen, strangeIn(screen, person, accesses, seen.what)]).toEqual([screen, []]);
      }
      expect([screen, await seeIn(code, other, accesses, screen)]).toEqual([screen, seen]);
    }
  } finally {
    await agent.close();
    await other.close();
  }
}

describe('the screens of the console', patience, () => {
  let code: ConsoleCode;
  beforeAll(async () => {
    code = await loadConsoleCode((name, value) => vi.stubGlobal(name, value));
  });
  afterAll(() => vi.unstubAllGlobals());

  it.each([
    ['show, count, complete and sort by nothing that no role of their person opens', personArbitrary],
    ['show nothing of records that the scopes of their person leave out', scopedPersonArbitrary],
  ])('%s', async (_title, people) => {
    const statuses = new Map(screenKinds.map((kind) => [kind, [] as number[]]));
    const severalOf = (kind: ScreenKind) => fc.array(screenOf(kind), { minLength: ofEachKind, maxLength: ofEachKind });
    const screens = fc.tuple(...screenKinds.map(severalOf)).map((drawn) => drawn.flat());
    const startMs = performance.now();
    await fc.assert(
      fc.asyncProperty(people, screens, (person, opened) =>
        compare(code, person, opened, (kind, status) => statuses.get(kind)?.push(status)),
      ),
      // The first examples would be the simplest people, who see nearly everything.
      { numRuns, endOnFailure: true, unbiased: true },
    );
    const all = [...statuses.values()].flat();
    if (wanted > 0)
      console.info(`${all.length} screens, no leak, ${Math.round((performance.now() - startMs) / 1_000)} s`);
    // A property that is never put to the test holds as well.
    const unseen = [...statuses].filter(([, seen]) => !seen.includes(200)).map(([kind]) => kind);
    // Nearly everybody has a field that is closed, and so no insights.
    expect(unseen.filter((kind) => kind !== 'insights')).toEqual([]);
    expect(all.filter((status) => status !== 200).length).toBeGreaterThanOrEqual(leastRefused);
  });
});
