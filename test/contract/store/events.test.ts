import { describe, expect, it } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { createAgentRepository } from '#platform/agents/agent-repository';
import { announceEvent, keptEvents } from '#platform/events/announce-event';
import { createEventHub, createEventLog } from '#platform/events/event-hub';
import type { Store } from '#platform/store/store';
import { provisionIn } from '../../helpers/admin-log.ts';
import { eventually } from '../../helpers/eventually.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

/** An environment, in which one event has happened: the person who was added. */
async function provision(store: Store) {
  const user = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };
  const input = { project: 'shop', secretHash: 'secret', user };
  return (await provisionIn(store, input)).environment.id;
}

function announce(store: Store, environmentId: number, count = 1) {
  return store.transaction(async (transaction) => {
    for (let n = 0; n < count; n++) announceEvent(transaction, environmentId, { name: 'refresh-roles' });
  });
}

describe.each(useStoreEngines())('events on $engine', ({ newPlace }) => {
  const open = async () => openTestStore(await newPlace());

  it('have numbers without a gap, also where transactions run at once or fail', async () => {
    const store = await open();
    const environmentId = await provision(store);
    const failing = store.transaction(async (transaction) => {
      announceEvent(transaction, environmentId, { name: 'refresh-users' });
      transaction.beforeCommit(async () => {
        throw new TypeError('no');
      });
    });
    await expect(failing).rejects.toThrow();
    await Promise.all(Array.from({ length: 8 }, () => announce(store, environmentId)));
    const events = await createEventLog(store).since(environmentId, 0);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('reach each listener once and in order, from where it stopped to what happens while it reads', async () => {
    const store = await open();
    const environmentId = await provision(store);
    await announce(store, environmentId, 4);
    const hub = createEventHub(store);
    const heard: Record<string, number[]> = { early: [], late: [] };
    const listen = (name: 'early' | 'late', after: number) =>
      hub.subscribe(environmentId, after, {
        send: (_event, sequence) => heard[name]?.push(sequence),
        end: () => heard[name]?.push(-1),
      });
    listen('early', 1);
    listen('late', 3);
    await Promise.all(Array.from({ length: 5 }, () => announce(store, environmentId)));
    await eventually(() =>
      expect(heard).toEqual({ early: [2, 3, 4, 5, 6, 7, 8, 9, 10], late: [4, 5, 6, 7, 8, 9, 10] }),
    );
  });

  it('tell a listener to forget everything that is too far behind, or ahead of a store that was restored', async () => {
    const store = await open();
    const environmentId = await provision(store);
    await announce(store, environmentId, keptEvents + 1);
    const newest = keptEvents + 2;
    const log = createEventLog(store);
    const forget = [{ sequence: newest, event: { name: 'refresh-everything' } }];
    expect(await log.since(environmentId, 1)).toEqual(forget);
    expect(await log.since(environmentId, newest + 5)).toEqual(forget);
    expect(await log.since(environmentId, newest)).toEqual([]);
    expect(await log.since(environmentId, 2)).toHaveLength(keptEvents);
  });

  it('are not a gap to a listener who reads while the first one is committed', async () => {
    const store = await open();
    const environmentId = await provision(store);
    let committing: Promise<void> | undefined;
    // The answer to the first statement waits until another transaction has announced an event.
    const db = store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        committing ??= announce(store, environmentId);
        await committing;
        return result;
      },
    });
    const log = createEventLog({ db });
    expect((await log.since(environmentId, 1)).map(({ event }) => event.name)).not.toContain('refresh-everything');
    expect(await log.since(environmentId, 1)).toEqual([{ sequence: 2, event: { name: 'refresh-roles' } }]);
  });

  it('agents are listed with what they acknowledged, until their connection ends or is silent', async () => {
    const store = await open();
    const environmentId = await provision(store);
    let now = 1_000;
    const agents = createAgentRepository(store, { ...systemClock, now: () => now });
    const agent = { environmentId, id: 'a', connection: 'first', process: 'p' };
    await agents.connect(agent);
    await agents.connect({ ...agent, id: 'b' });
    await agents.acknowledge([{ environmentId, agent: 'a', id: 4 }]);
    expect(await agents.list(environmentId)).toMatchObject([
      { id: 'a', acknowledged: 4 },
      { id: 'b', acknowledged: null },
    ]);
    // A new connection has begun before the end of the old one is noticed.
    await agents.connect({ ...agent, connection: 'second' });
    await agents.disconnect(agent);
    await agents.disconnect({ ...agent, id: 'b' });
    expect(await agents.list(environmentId)).toMatchObject([{ id: 'a', acknowledged: null }]);
    now += 70_000;
    await agents.keep('p');
    now += 70_000;
    expect(await agents.list(environmentId)).toHaveLength(1);
    now += 70_000;
    expect(await agents.list(environmentId)).toEqual([]);
  });
});
