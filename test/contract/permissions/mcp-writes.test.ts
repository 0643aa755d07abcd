import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { randomRuns } from '../../helpers/random-runs.ts';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { changeOf, outcomeOfChange, type ShopChange } from './changes.ts';
import { toolOfChange, toolOfWrite } from './mcp-change.ts';
import type { AskedTool } from './mcp-request.ts';
import { generousRightsArbitrary, type Rights, rightsArbitrary } from './rights.ts';
import { serveShop } from './shop-agent.ts';
import { shop } from './shop-data.ts';
import { outcomeOf, type Refusal, type Rows, visible } from './write-oracle.ts';
import { importFields, writeArbitrary } from './writes.ts';

const engines: readonly (readonly [string, OpenTables, number])[] = [
  ['memory', openMemory, randomRuns(400)],
  ['SQLite', openSqliteTables, randomRuns(40)],
];

const statuses: Readonly<Record<Refusal, readonly number[]>> = {
  forbidden: [403],
  'not found': [404],
  'out of scope': [403],
  'nothing to change': [404],
  impossible: [400, 409, 422],
};

type ShopAgent = Awaited<ReturnType<typeof serveShop>>;

/** Make a call; where it has to be confirmed, look at what is shown and make it again. */
async function confirmed(agent: ShopAgent, { name, args }: AskedTool) {
  const first = await agent.askTool({ name, args });
  const { status, confirmationToken, sample = [] } = JSON.parse(first.body);
  if (status !== 'confirmation_required') return { ...first, sample };
  expect(await agent.everything()).toEqual(shop);
  return { ...(await agent.askTool({ name, args: { ...args, confirmationToken } })), sample };
}

/** How often each outcome was seen, on all engines. */
const seen: Record<string, number> = {};

describe.each(engines)('the tools that write, on %s', (_engine, open, numRuns) => {
  it('stay within the rights and scopes of the caller, and change nothing where a part would not', async () => {
    const property = fc.asyncProperty(rightsArbitrary, writeArbitrary, async (rights, write) => {
      const call = toolOfWrite(write);
      if (!call) return;
      const agent = await serveShop(open, shop, rights, importFields);
      try {
        const expected = outcomeOf(rights, shop, write);
        const isRefused = typeof expected === 'string';
        const dry = await agent.askTool({ ...call, args: { ...call.args, dryRun: true } });
        expect(await agent.everything()).toEqual(shop);
        // A dry run knows neither scopes nor the database, and it never passes where a right is missing.
        expect([call, dry.status === 403]).toEqual([call, expected === 'forbidden']);
        // It shows values that are there to whoever may read them.
        const isShown = dry.body.includes('"from":');
        expect([call, isShown && !rights.of[write.root].read]).toEqual([call, false]);
        if (isShown) seen['shown'] = (seen['shown'] ?? 0) + 1;
        const { status, body } = await agent.askTool(call);
        const isAnswered = (isRefused ? statuses[expected] : [200]).includes(status);
        expect([call, expected, status, body, isAnswered]).toEqual([call, expected, status, body, true]);
        expect(await agent.everything()).toEqual(isRefused ? shop : expected);
        const kind = isRefused ? expected : 'written';
        seen[kind] = (seen[kind] ?? 0) + 1;
      } finally {
        await agent.close();
      }
    });
    await fc.assert(property, { numRuns });
  });

  it.each<ShopChange['kind']>(['link', 'unlink', 'delete selection'])(
    'do what the rights and scopes allow, and no more: %s',
    async (kind) => {
      let changed = 0;
      const property = fc.asyncProperty(generousRightsArbitrary, changeOf(kind), async (rights, change) => {
        const call = toolOfChange(change);
        if (!call) return;
        const agent = await serveShop(open, shop, rights);
        try {
          const outcome = outcomeOfChange(rights, shop, change);
          // Linking a record that is not there is refused: an assistant would take silence for success.
          const isTargetThere = kind !== 'link' || visible(rights, shop as unknown as Rows, change.root, change.ids[0]);
          const expected = typeof outcome === 'number' || isTargetThere ? outcome : 404;
          const { status, body, sample } = await confirmed(agent, call);
          const isRefused = typeof expected === 'number';
          expect([call, body, status]).toEqual([call, body, isRefused ? expected : 200]);
          expect([call, await agent.everything()]).toEqual([call, isRefused ? shop : expected]);
          const hasLabels = sample.some(({ label }: { label?: string }) => label !== undefined);
          expect([call, hasLabels && !rights.of[change.root].browse]).toEqual([call, false]);
          if (!isRefused && JSON.stringify(expected) !== JSON.stringify(shop)) changed++;
        } finally {
          await agent.close();
        }
      });
      await fc.assert(property, { numRuns: Math.ceil(numRuns / 3) });
      expect(changed).toBeGreaterThan(0);
    },
  );
});

describe('tools that are confirmed', () => {
  const all = { browse: true, read: true, export: true, add: true };
  const nothing = { ...all, edit: false, delete: false };
  const rights: Rights = {
    of: { customers: { ...all, edit: true, delete: true }, orders: nothing, lines: nothing },
    scopes: { customers: null, orders: null, lines: null },
  };
  const relation = { collectionName: 'customers', parentRecordId: 1, relationName: 'orders' };

  it.each<AskedTool>([
    { name: 'delete', args: { collectionName: 'orders', recordIds: [2] } },
    { name: 'dissociate', args: { ...relation, targetRecordIds: [1] } },
    { name: 'associate', args: { ...relation, targetRecordId: 3 } },
  ])('show nothing to whoever lacks the right, and tell nothing in a dry run: $name', async ({ name, args }) => {
    const agent = await serveShop(openMemory, shop, rights);
    onTestFinished(() => agent.close());
    for (const dryRun of [false, true]) {
      expect(await agent.askTool({ name, args: { ...args, dryRun } })).toMatchObject({ status: 403 });
    }
  });
});

it('writes of every outcome were asked for', () => {
  // A property that is never put to the test holds as well.
  expect(Object.keys(seen).sort()).toEqual([
    'forbidden',
    'impossible',
    'not found',
    'nothing to change',
    'out of scope',
    'shown',
    'written',
  ]);
});
