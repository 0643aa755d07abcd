import { describe, expect, it } from 'vitest';
import type { CreateNote } from '#contracts/public-api/notes';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import { createNoteService } from '#platform/notes/note-service';
import { createKnownCollections } from '#platform/schemas/known-collections';
import { createSchemaRepository } from '#platform/schemas/schemas';
import { provisionIn } from '../../helpers/admin-log.ts';
import { schemaCollection, schemaDocument } from '../../helpers/schema-document.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const written: CreateNote = { collectionName: 'orders', recordId: '7', title: 'Late', content: 'Where is it?' };
const wholePage = { limit: 100, direction: 'desc', after: undefined } as const;

describe.each(useStoreEngines())('notes on $engine', ({ newPlace }) => {
  async function start() {
    const store = await openTestStore(await newPlace());
    const identity = createIdentityRepository(store);
    const user = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };
    const schemas = createSchemaRepository(store, systemClock);
    const parts = {
      store,
      identity,
      collections: createKnownCollections(schemas),
      clock: systemClock,
      random: systemRandom,
    };
    const notes = createNoteService(parts);
    const callIn = async (secretHash: string) => {
      const { environment, member } = await provisionIn(store, { project: 'shop', secretHash, user });
      const { projectId: id, projectName: name } = environment;
      const caller = { project: { id, name }, scopes: new Set<never>(), tokenId: 5, user: member, subject: 'token 5' };
      return { caller, environment };
    };
    const call = await callIn('a');
    const setCollections = (...names: string[]) => {
      const collections = names.map((name) => schemaCollection(name));
      return schemas.save(call.environment.id, names.join(), schemaDocument(collections));
    };
    return { store, notes, call, callIn, setCollections };
  }

  it('belong to their environment only', async () => {
    const { notes, call, callIn } = await start();
    const { body } = await notes.create(call, written, undefined);
    const { id } = body as { readonly id: number };
    const elsewhere = await callIn('b');
    expect((await notes.list(elsewhere, {}, wholePage)).rows).toEqual([]);
    const seen = { includes: () => true };
    for (const refused of [
      () => notes.find(elsewhere, id),
      () => notes.reply(elsewhere, id, { content: 'x' }, undefined),
      () => notes.change(elsewhere, id, { archived: true }, seen),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
    }
  });

  it('leave out a collection that the agent no longer has', async () => {
    const { notes, call, setCollections } = await start();
    await setCollections('orders', 'customers');
    const misspelt = notes.create(call, { ...written, collectionName: 'order' }, undefined);
    await expect(misspelt).rejects.toMatchObject({ message: expect.stringContaining('Did you mean "orders"') });
    await notes.create(call, written, undefined);
    expect((await notes.list(call, {}, wholePage)).rows).toMatchObject([{ collection: { name: 'orders' } }]);
    await setCollections('customers');
    const { rows } = await notes.list(call, { collection: 'orders' }, wholePage);
    expect(rows).toHaveLength(1);
    expect(rows[0]).not.toHaveProperty('collection');
  });

  it('are not made when the log cannot be written', async () => {
    const { store, notes, call } = await start();
    await notes.create(call, written, undefined);
    // The next row would get the number of a row that is there.
    await store.transaction(({ db }) => db.updateTable('auditChains').set({ headSequence: 0 }).execute());
    await expect(notes.create(call, written, undefined)).rejects.toThrow();
    expect((await notes.list(call, {}, wholePage)).rows).toHaveLength(1);
  });

  it('fill a page with this many bytes and no more, and a note so far', async () => {
    const { notes, call } = await start();
    const content = 'x'.repeat(64 * 1024);
    for (let note = 0; note < 3; note++) {
      const { body } = await notes.create(call, { ...written, content }, undefined);
      const { id } = body as { readonly id: number };
      for (let message = 0; message < 63; message++) await notes.reply(call, id, { content }, undefined);
      await expect(notes.reply(call, id, { content: 'more' }, undefined)).rejects.toMatchObject({
        code: 'REQUEST_CONFLICT',
      });
    }
    const first = await notes.list(call, {}, wholePage);
    expect([first.rows.length, first.hasMore]).toEqual([2, true]);
    const rest = await notes.list(call, {}, { ...wholePage, after: first.last });
    expect([rest.rows.length, rest.hasMore]).toEqual([1, false]);
  });
});
