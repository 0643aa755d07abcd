import { describe, expect, it } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { createSpentApprovalRepository } from '#platform/approvals/spent-approvals';
import { createEventHub } from '#platform/events/event-hub';
import { openStore } from '#platform/store/open-store';
import type { Store } from '#platform/store/store';
import { provisionIn } from '../../helpers/admin-log.ts';
import { eventually } from '../../helpers/eventually.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { openTestStore, postgresPlace } from '../../helpers/store-engines.ts';

const server = usePostgresServer();

/** Two processes of a platform, as far as the store can tell. */
async function openTwo(): Promise<readonly [database: string, Store, Store]> {
  const database = await server.createDatabase();
  const place = postgresPlace(server, database);
  // They start together: one of them makes the tables.
  const [first, second] = await Promise.all([openTestStore(place), openTestStore(place)]);
  return [database, first, second];
}

function listen(store: Store): string[] {
  const heard: string[] = [];
  store.listen(
    'events',
    (payload) => heard.push(payload),
    () => heard.push('gap'),
  );
  return heard;
}

const announce = (store: Store, payload: string) =>
  store.transaction(async (transaction) => transaction.announce('events', payload));

/** Ends the connections that listen, as a failover does. */
const killListeners = (database: string) =>
  server.execute(
    'postgres',
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and query ilike 'listen%'`,
  );

describe('processes that share a store', () => {
  it('hear what each of them announces', async () => {
    const [, first, second] = await openTwo();
    const [firstHeard, secondHeard] = [listen(first), listen(second)];
    await announce(first, 'from the first');
    await announce(second, 'from the second');
    for (const heard of [firstHeard, secondHeard])
      await eventually(() => expect(heard).toEqual(['from the first', 'from the second']));
  });

  it('do not hear a platform in another schema of the same database', async () => {
    const database = await server.createDatabase();
    const one = await openTestStore(postgresPlace(server, database, 'one'));
    const other = await openTestStore(postgresPlace(server, database, 'other'));
    const [heard, heardElsewhere] = [listen(one), listen(other)];
    await announce(one, 'private');
    await announce(other, 'last');
    await eventually(() => expect(heardElsewhere).toEqual(['last']));
    await eventually(() => expect(heard).toEqual(['private']));
    await one.transaction(({ db }) => db.insertInto('projects').values({ name: 'shop', createdAt: 0 }).execute());
    expect(await other.db.selectFrom('projects').selectAll().execute()).toEqual([]);
  });

  it('learn about a gap when the connection that listens was lost, and hear again', async () => {
    const [database, first, second] = await openTwo();
    const heard = listen(second);
    expect(await killListeners(database)).toHaveLength(2);
    await eventually(() => expect(heard).toEqual(['gap']));
    await announce(first, 'after it');
    await eventually(() => expect(heard).toEqual(['gap', 'after it']));
  });

  it('tell their agents after a gap what was announced meanwhile', async () => {
    const [database, first] = await openTwo();
    const { environment } = await provisionIn(first, {
      project: 'shop',
      secretHash: 'secret',
      user: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' },
    });
    const heard: string[] = [];
    createEventHub(first).subscribe(environment.id, 1, {
      send: ({ name }, sequence) => heard.push(`${sequence} ${name}`),
      end: () => heard.push('end'),
    });
    // Written without an announcement, as if it had been lost.
    await first.transaction(async ({ db }) => {
      const event = JSON.stringify({ name: 'refresh-orders' });
      await db.insertInto('events').values({ environmentId: environment.id, sequence: 2, event }).execute();
      await db.updateTable('eventCounters').set({ newest: 2 }).execute();
    });
    expect(heard).toEqual([]);
    await killListeners(database);
    await eventually(() => expect(heard).toEqual(['2 refresh-orders']));
  });

  it('run what is exclusive in one of them, and a process that is gone loses its lock', async () => {
    const [database, first, second] = await openTwo();
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const running = first.exclusively('sweep', async () => {
      begun.resolve();
      await held.promise;
    });
    await begun.promise;
    const sweepElsewhere = () => second.exclusively('sweep', async () => undefined);
    expect(await sweepElsewhere()).toBe(false);
    await server.execute(
      'postgres',
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and state = 'idle in transaction'`,
    );
    await eventually(async () => expect(await sweepElsewhere()).toBe(true));
    held.resolve();
    await expect(running).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
  });

  it('spend an approval once, and make a project once', async () => {
    const [, first, second] = await openTwo();
    const provision = (store: Store) =>
      provisionIn(store, {
        project: 'shop',
        secretHash: 'secret',
        user: { firstName: 'Ada', lastName: '', email: 'ada@example.test' },
      });
    const made = await Promise.all([first, second, first, second].map(provision));
    expect(new Set(made.map((each) => JSON.stringify(each))).size).toBe(1);
    const environmentId = made[0]?.environment.id ?? 0;
    const spent = await Promise.all(
      [first, second, first, second].map((store, run) =>
        createSpentApprovalRepository(store, systemClock).spend(environmentId, {
          digest: 'd',
          runId: String(run),
          expiresAt: 4_000_000_000,
        }),
      ),
    );
    expect(spent.filter(Boolean)).toHaveLength(1);
  });

  it('try a transaction again that was in the way of another one', async () => {
    const [, first, second] = await openTwo();
    const names = ['a', 'b'];
    for (const name of names)
      await first.transaction(({ db }) => db.insertInto('projects').values({ name, createdAt: 0 }).execute());
    /** Changes both rows, in this order. */
    const change = (store: Store, order: readonly string[]) =>
      store.transaction(async ({ db }) => {
        for (const name of order) {
          await db
            .updateTable('projects')
            .set(({ eb }) => ({ createdAt: eb('createdAt', '+', 1) }))
            .where('name', '=', name)
            .execute();
        }
      });
    const changes = Array.from({ length: 4 }, (_each, index) =>
      change(index % 2 === 0 ? first : second, index % 2 === 0 ? names : names.toReversed()),
    );
    await Promise.all(changes);
    expect(await first.db.selectFrom('projects').select('createdAt').execute()).toEqual([
      { createdAt: 4 },
      { createdAt: 4 },
    ]);
  });
});

describe('a database that cannot be the store', () => {
  it('is refused when its schema belongs to something else, which stays as it was', async () => {
    const database = await server.createDatabase('create schema vendor_cloud; create table vendor_cloud.t (a text)');
    await expect(openStore(postgresPlace(server, database))).rejects.toMatchObject({
      code: 'PLATFORM_STORE_UNAVAILABLE',
      message: expect.stringMatching(/"vendor_cloud".*belongs to something else/),
      nextSteps: [expect.stringContaining('schema=')],
    });
    const tables = await server.execute(database, "select 1 from pg_tables where schemaname = 'vendor_cloud'");
    expect(tables).toHaveLength(1);
  });

  it('is refused when a newer version wrote it', async () => {
    const database = await server.createDatabase();
    await (await openStore(postgresPlace(server, database))).close();
    await server.execute(database, 'update vendor_cloud.store_version set version = 999');
    await expect(openStore(postgresPlace(server, database))).rejects.toMatchObject({
      code: 'PLATFORM_STORE_UNAVAILABLE',
      message: expect.stringContaining('newer version'),
      nextSteps: [expect.stringContaining('newest version')],
    });
  });

  it('is refused when it is not there', async () => {
    await expect(openStore(postgresPlace(server, 'nowhere'))).rejects.toMatchObject({
      code: 'PLATFORM_STORE_UNAVAILABLE',
      message: expect.stringContaining('nowhere at 127.0.0.1'),
    });
  });

  it('is refused when its user may not make the tables', async () => {
    const database = await server.createDatabase("create role guest login password 'guest'");
    const place = { ...postgresPlace(server, database), username: 'guest', password: 'guest' };
    await expect(openStore(place)).rejects.toMatchObject({
      code: 'PLATFORM_STORE_UNAVAILABLE',
      nextSteps: [expect.stringContaining('may create a schema')],
    });
  });

  it.each(['postgres://u@db/platform?schema=one,two', 'postgres://u@db/platform?schema=a"b', 'mysql://u@db/platform'])(
    'is refused by its address %s',
    async (address) => {
      await expect(openStore(address)).rejects.toMatchObject({ code: 'PLATFORM_STORE_UNAVAILABLE' });
    },
  );
});
