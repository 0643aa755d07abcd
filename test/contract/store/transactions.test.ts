import { describe, expect, it } from 'vitest';
import type { Store, StoreTransaction } from '#platform/store/store';
import { eventually } from '../../helpers/eventually.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const addProject = ({ db }: StoreTransaction, name: string) =>
  db.insertInto('projects').values({ name, createdAt: 0 }).execute();

async function projectsIn(store: Store): Promise<readonly string[]> {
  const rows = await store.db.selectFrom('projects').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

describe.each(useStoreEngines())('the store on $engine', ({ newPlace }) => {
  const open = async () => openTestStore(await newPlace());

  it('keeps what a transaction did, and gives back its result', async () => {
    const store = await open();
    const result = await store.transaction(async (transaction) => {
      await addProject(transaction, 'shop');
      return 7;
    });
    expect(result).toBe(7);
    expect(await projectsIn(store)).toEqual(['shop']);
  });

  it('keeps nothing of a transaction that fails, and does not harm those beside it', async () => {
    const store = await open();
    const failing = store.transaction(async (transaction) => {
      await addProject(transaction, 'half');
      throw new Error('changed its mind');
    });
    const outcomes = await Promise.allSettled([
      store.transaction((transaction) => addProject(transaction, 'before')),
      failing,
      store.transaction((transaction) => addProject(transaction, 'behind')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(failing).rejects.toThrow('changed its mind');
    expect(await projectsIn(store)).toEqual(['before', 'behind']);
  });

  it('keeps nothing of a transaction in which a statement is refused', async () => {
    const store = await open();
    await store.transaction((transaction) => addProject(transaction, 'shop'));
    const twice = store.transaction(async (transaction) => {
      await addProject(transaction, 'other');
      await addProject(transaction, 'shop');
    });
    await expect(twice).rejects.toMatchObject({ code: 'DATABASE_CONSTRAINT_VIOLATED' });
    expect(await projectsIn(store)).toEqual(['shop']);
  });

  it('keeps nothing after a refused statement when the code goes on', async () => {
    const store = await open();
    await store.transaction((transaction) => addProject(transaction, 'shop'));
    const goingOn = store.transaction(async (transaction) => {
      await addProject(transaction, 'other');
      await expect(addProject(transaction, 'shop')).rejects.toMatchObject({ code: 'DATABASE_CONSTRAINT_VIOLATED' });
    });
    await expect(goingOn).rejects.toMatchObject({ code: expect.stringMatching(/^DATABASE_/) });
    await store.transaction((transaction) => addProject(transaction, 'later'));
    expect(await projectsIn(store)).toEqual(['later', 'shop']);
  });

  it('shows readers what is committed, and a transaction what it has written', async () => {
    const store = await open();
    await store.transaction(async (transaction) => {
      await addProject(transaction, 'shop');
      expect(await transaction.db.selectFrom('projects').select('name').execute()).toEqual([{ name: 'shop' }]);
      expect(await projectsIn(store)).toEqual([]);
    });
  });

  it('refuses references to what is not there', async () => {
    const store = await open();
    const role = { projectId: 12, name: 'Administrators' };
    const dangling = store.transaction(({ db }) => db.insertInto('roles').values(role).execute());
    await expect(dangling).rejects.toMatchObject({ code: 'DATABASE_CONSTRAINT_VIOLATED' });
  });

  it('refuses to write outside of a transaction', async () => {
    const store = await open();
    const insert = store.db.insertInto('projects').values({ name: 'shop', createdAt: 0 });
    for (const write of [insert, insert.returning('id'), store.db.deleteFrom('projects')])
      await expect(write.execute()).rejects.toMatchObject({ code: 'INTERNAL_BUG' });
    expect(await projectsIn(store)).toEqual([]);
  });

  it('refuses a transaction inside another one', async () => {
    const store = await open();
    const nested = store.transaction(() => store.transaction(async () => undefined));
    await expect(nested).rejects.toMatchObject({ code: 'INTERNAL_BUG' });
  });

  it('lets a transaction decide by what it read while it holds a lock', async () => {
    const store = await open();
    await store.transaction((transaction) => addProject(transaction, '0'));
    const countUp = () =>
      store.transaction(async ({ db, lock }) => {
        await lock('the counter');
        const { name } = await db.selectFrom('projects').select('name').executeTakeFirstOrThrow();
        await db
          .updateTable('projects')
          .set({ name: String(Number(name) + 1) })
          .execute();
      });
    await Promise.all(Array.from({ length: 20 }, countUp));
    expect(await projectsIn(store)).toEqual(['20']);
  });

  it('announces when a transaction is committed, in order, and nothing of one that fails', async () => {
    const store = await open();
    const heard: string[] = [];
    store.listen(
      'events',
      (payload) => heard.push(payload),
      () => heard.push('gap'),
    );
    const failing = store.transaction(async ({ announce }) => {
      announce('events', 'never');
      throw new Error('changed its mind');
    });
    await expect(failing).rejects.toThrow('changed its mind');
    await store.transaction(async ({ announce }) => {
      announce('events', 'first');
      announce('events', 'ümlaut "quoted"');
      await new Promise(setImmediate);
      expect(heard).toEqual([]);
    });
    await eventually(() => expect(heard).toEqual(['first', 'ümlaut "quoted"']));
  });

  it('stops telling a listener that has left', async () => {
    const store = await open();
    const heard: string[] = [];
    const leave = store.listen(
      'events',
      (payload) => heard.push(`left ${payload}`),
      () => undefined,
    );
    store.listen(
      'events',
      (payload) => heard.push(payload),
      () => undefined,
    );
    leave();
    await store.transaction(async ({ announce }) => announce('events', 'news'));
    await eventually(() => expect(heard).toEqual(['news']));
  });

  it('refuses an announcement that is too long for any engine', async () => {
    const store = await open();
    const long = store.transaction(async ({ announce }) => announce('events', 'x'.repeat(7_001)));
    await expect(long).rejects.toMatchObject({ code: 'INTERNAL_BUG' });
    await store.transaction(async ({ announce }) => announce('events', 'é"'.repeat(2_000)));
  });

  it('runs what is exclusive once at a time, other names beside it, and again after a failure', async () => {
    const store = await open();
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const first = store.exclusively('sweep', async () => {
      begun.resolve();
      await held.promise;
      throw new Error('out of luck');
    });
    await begun.promise;
    expect(await store.exclusively('sweep', async () => undefined)).toBe(false);
    expect(await store.exclusively('other', async () => undefined)).toBe(true);
    held.resolve();
    await expect(first).rejects.toThrow('out of luck');
    const again = await store.exclusively('sweep', async () => {
      await store.transaction((transaction) => addProject(transaction, 'swept'));
    });
    expect(again).toBe(true);
    expect(await projectsIn(store)).toEqual(['swept']);
  });

  it('waits for transactions under way when it closes', async () => {
    const place = await newPlace();
    const store = await openTestStore(place);
    const writing = store.transaction((transaction) => addProject(transaction, 'late'));
    await store.close();
    await writing;
    expect(await projectsIn(await openTestStore(place))).toEqual(['late']);
  });

  it('sorts text by its bytes, and gives numbers and bytes as such', async () => {
    const store = await open();
    await store.transaction(async (transaction) => {
      for (const name of ['b', 'B', 'a', 'ä', '_']) await addProject(transaction, name);
      await transaction.db
        .insertInto('bundles')
        .values({ projectId: 1, digest: 'd', sizeBytes: 2 ** 40, content: Uint8Array.of(0, 255), createdAt: 0 })
        .execute();
    });
    expect(await projectsIn(store)).toEqual(['B', '_', 'a', 'b', 'ä']);
    const bundle = await store.db.selectFrom('bundles').selectAll().executeTakeFirstOrThrow();
    expect({ ...bundle, content: [...bundle.content] }).toMatchObject({ sizeBytes: 2 ** 40, content: [0, 255] });
    const counted = await store.db
      .selectFrom('projects')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirst();
    expect(counted).toEqual({ count: 5 });
  });
});
