import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ActivityEntry } from '#contracts/audit/rows';
import { systemRandom } from '#node/system/system-random';
import { findChain } from '#platform/audit/audit-chains';
import { openChain } from '#platform/audit/chain-writer';
import type { LogFilter } from '#platform/audit/log-filter';
import { type LogPage, readLog } from '#platform/audit/read-log';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { activityEntry, auditedEnvironment } from './audited-environment.ts';

const users = [1, 2, 3].map((id) => ({
  object: 'user' as const,
  id,
  email: `User${id}@Example.Test`,
  username: `User ${id}`,
}));
const collections = ['orders', 'Orders', 'customers'];
const recordIds = ['7', '7|8', 'ä/%', '🚀'];
const actions = { read: ['index', 'read'], write: ['update', 'delete'] } as const;
/** Each client is called as another one, or as itself. */
const clients = [
  ['nightly', 'nightly'],
  ['7', 'Claude'],
  ['8', 'Claude'],
  ['9', '7'],
].map(([id = '', name = '']) => ({ object: 'client' as const, id, name }));
const start = Date.parse('2026-01-31T23:59:58.000Z');

const entry: fc.Arbitrary<Partial<ActivityEntry>> = fc
  .record({
    user: fc.constantFrom(...users),
    collection: fc.constantFrom(...collections).map((name) => ({ object: 'collection' as const, name })),
    recordIds: fc.uniqueArray(fc.constantFrom(...recordIds), { maxLength: 2 }),
    type: fc.constantFrom('read' as const, 'write' as const),
    team: fc.constantFrom('Operations', 'Support').map((name) => ({ object: 'team' as const, name })),
    status: fc.constantFrom('pending' as const, 'completed' as const, 'failed' as const),
    correlationId: fc.constantFrom('c1', 'c2'),
    client: fc.constantFrom(undefined, ...clients),
    tool: fc.constantFrom(undefined, 'list', 'update'),
    at: fc.nat(1),
  })
  .map(({ at, ...drawn }) => ({ ...drawn, action: actions[drawn.type][at] ?? ('read' as const) }));

const time = fc.option(fc.integer({ min: start - 5, max: start + 60 }), { nil: undefined });
const maybe = <Value>(...values: Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
const filter: fc.Arbitrary<LogFilter> = fc.record({
  userId: maybe(1, 2, 9),
  userEmail: maybe('User1@EXAMPLE.test', 'user1@example.test'),
  team: maybe('Support'),
  collection: maybe(...collections),
  recordId: maybe(...recordIds),
  type: maybe('read' as const, 'write' as const),
  action: maybe('update', 'index'),
  status: maybe('pending' as const, 'completed' as const, 'failed' as const),
  correlationId: maybe('c1'),
  client: maybe('nightly', 'Claude', '7', '8', 'gone'),
  tool: maybe('list'),
  createdAt: fc.option(fc.record({ gte: time, gt: time, lte: time, lt: time, eq: fc.constant(undefined) }), {
    nil: undefined,
  }),
});

describe.each(useStoreEngines())('the log of an environment on $engine', ({ newPlace }) => {
  it('gives exactly the rows that fulfil a filter, page by page in both directions', async () => {
    const { store, environmentId } = await auditedEnvironment(await openTestStore(await newPlace()));
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { minLength: 1, maxLength: 30 }),
        fc.array(filter, { minLength: 8, maxLength: 8 }),
        fc.integer({ min: 1, max: 7 }),
        async (entries, filters, limit) => {
          await environmentId.next();
          const owner = { kind: 'activity', environmentId: environmentId.current } as const;
          const clock = { now: () => start, monotonicMs: () => 0 };
          await store.transaction(async (transaction) => {
            const writer = await openChain(transaction, owner, { clock, random: systemRandom });
            for (const each of entries) writer.add(activityEntry(each));
            await writer.write();
          });
          const chain = await findChain(store.db, owner);
          if (!chain) throw new Error('There is no chain.');
          const everything = await readLog(store.db, chain, {}, { limit: 100, order: 'asc' });
          expect(everything.rows.map(({ entry: { sequence } }) => sequence)).toEqual(
            entries.map((_, index) => index + 1),
          );
          for (const wanted of filters) {
            const expected = everything.rows.filter((row) =>
              fulfils(row.entry as ActivityEntry & { createdAt: string }, wanted),
            );
            for (const order of ['asc', 'desc'] as const) {
              const read: number[] = [];
              let page: LogPage = { limit, order };
              for (;;) {
                const { rows, hasMore, last } = await readLog(store.db, chain, wanted, page);
                read.push(...rows.map((row) => row.entry.sequence));
                if (!hasMore) break;
                expect(rows).toHaveLength(limit);
                page = { limit, order, after: last };
              }
              const sequences = expected.map((row) => row.entry.sequence);
              expect(read, JSON.stringify(wanted)).toEqual(order === 'asc' ? sequences : sequences.toReversed());
            }
          }
        },
      ),
      { numRuns: 15 },
    );
  });
});

function fulfils(row: ActivityEntry & { readonly createdAt: string }, wanted: LogFilter): boolean {
  const at = Date.parse(row.createdAt);
  const { gte = at, gt = at - 1, lte = at, lt = at + 1 } = wanted.createdAt ?? {};
  const is = <Value>(asked: Value | undefined, found: Value) => asked === undefined || asked === found;
  const email = (text: string) => text.replace(/@.*/, (domain) => domain.toLowerCase());
  return (
    is(wanted.userId, row.user.id) &&
    is(wanted.userEmail && email(wanted.userEmail), email(row.user.email)) &&
    is(wanted.team, row.team.name) &&
    is(wanted.collection, row.collection?.name) &&
    (wanted.recordId === undefined || row.recordIds.includes(wanted.recordId)) &&
    is(wanted.type, row.type) &&
    is(wanted.action, row.action) &&
    is(wanted.status, row.status) &&
    is(wanted.correlationId, row.correlationId) &&
    (wanted.client === undefined || [row.client?.id, row.client?.name].includes(wanted.client)) &&
    is(wanted.tool, row.tool) &&
    at >= gte &&
    at > gt &&
    at <= lte &&
    at < lt
  );
}
