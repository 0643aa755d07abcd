import { describe, expect, it } from 'vitest';
import type { CreateNote } from '#contracts/public-api/notes';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import { createNoteService } from '#platform/notes/note-service';
import { createPersonNotes } from '#platform/notes/person-notes';
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
    const reading = createPersonNotes({ store, identity });
    /** Somebody else of the same project. */
    const join = async (firstName: string) => {
      const email = `${firstName.toLowerCase()}@example.test`;
      const person = { firstName, lastName: 'Hopper', email };
      return (await provisionIn(store, { project: 'shop', secretHash: 'a', user: person })).member.id;
    };
    return { store, notes, call, callIn, setCollections, reading, join };
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

  it('concern who has written in them or is mentioned, until they have read them', async () => {
    const { store, notes, call, callIn, reading, join } = await start();
    const [bob, cara] = [await join('Bob'), await join('Cara')];
    const { environment } = call;
    const record = { collection: 'orders', recordId: '7' };
    const ada = call.caller.user.id;
    const visit = { ...record, mentionable: [ada, bob, cara] };
    const by = (id: number) => ({ ...call, caller: { ...call.caller, user: { id } }, visit });
    const inbox = async (personId: number) =>
      (await reading.inbox({ environment, personId })).notes.map(({ title, unread, isMentioned, last }) => [
        ...[title, unread, isMentioned, last],
      ]);
    const read = (personId: number, id: number, number: number) =>
      reading.markRead({ environment, personId }, visit, id, number);
    const mention = (id: number) => `<mention user="${id}"></mention>`;
    const create = async (title: string, content: string) =>
      ((await notes.create(by(ada), { ...written, title, content }, undefined)).body as { id: number }).id;
    const first = await create('First', `${mention(bob)} and ${mention(bob)}, look: ${mention(ada)}`);
    const second = await create('Second', 'Nobody');
    expect([await inbox(ada), await inbox(bob), await inbox(cara)]).toEqual([
      [
        ['Second', 0, false, 1],
        ['First', 0, false, 1],
      ],
      [['First', 1, true, 1]],
      [],
    ]);
    await notes.reply(by(cara), first, { content: 'Me too' }, undefined);
    await notes.reply(by(cara), first, { content: `Now ${mention(bob)}` }, undefined);
    // Whoever answers has read what stands before.
    await notes.reply(by(ada), first, { content: 'Thanks' }, undefined);
    expect([await inbox(ada), await inbox(bob), await inbox(cara)]).toEqual([
      [
        ['First', 0, false, 4],
        ['Second', 0, false, 1],
      ],
      [['First', 4, true, 4]],
      [['First', 1, false, 4]],
    ]);
    await read(bob, first, 3);
    await read(bob, first, 2);
    await read(cara, first, 1_000_000);
    expect([await inbox(bob), await inbox(cara)]).toEqual([[['First', 1, false, 4]], [['First', 0, false, 4]]]);
    const page = await reading.list({ environment, personId: bob }, record, { limit: 1 });
    expect(page).toMatchObject({ open: 2, unread: 1, next: second, notes: [{ title: 'Second', readTo: null }] });
    const rest = await reading.list({ environment, personId: bob }, record, { limit: 1, before: second });
    expect(rest).toMatchObject({ next: null, notes: [{ title: 'First', readTo: 3 }] });
    // A mention has the name that the person has now.
    await store.transaction(({ db }) =>
      db.updateTable('users').set({ lastName: '<Bee>' }).where('id', '=', bob).execute(),
    );
    expect((await notes.find(call, first)).note.messages[2]?.content).toBe(
      `Now <mention user="${bob}">@Bob &lt;Bee&gt;</mention>`,
    );
    const { environment: elsewhere } = await callIn('b');
    await expect(reading.inbox({ environment: elsewhere, personId: bob })).resolves.toEqual({ notes: [] });
    await expect(
      notes.reply({ ...by(bob), environment: elsewhere }, first, { content: 'x' }, undefined),
    ).rejects.toThrow();
    for (const stranger of [{ ...by(ada), visit: { ...visit, mentionable: [] } }, by(ada)]) {
      const content = mention(stranger.visit.mentionable.length === 0 ? bob : 999);
      await expect(notes.reply(stranger, first, { content }, undefined)).rejects.toMatchObject({
        code: 'REQUEST_INVALID',
      });
    }
    await store.transaction(({ db }) =>
      db.updateTable('members').set({ deactivatedAt: 1 }).where('userId', '=', bob).execute(),
    );
    await expect(inbox(bob)).rejects.toMatchObject({ code: 'REQUEST_FORBIDDEN' });
    await expect(notes.reply(by(ada), first, { content: mention(bob) }, undefined)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
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
