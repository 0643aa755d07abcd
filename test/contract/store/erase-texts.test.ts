import { describe, expect, it } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { erasePersonFromTexts, findPersonInTexts } from '#platform/audit/erase-texts';
import { personOf } from '#platform/audit/person-to-erase';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import { createNoteService } from '#platform/notes/note-service';
import { createPersonNotes } from '#platform/notes/person-notes';
import { createKnownCollections } from '#platform/schemas/known-collections';
import { createSchemaRepository } from '#platform/schemas/schemas';
import { provisionIn } from '../../helpers/admin-log.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const record = { collection: 'orders', recordId: '7' };
const mention = (id: number) => `<mention user="${id}"></mention>`;

describe.each(useStoreEngines())('erasing a person from texts on $engine', ({ newPlace }) => {
  async function start() {
    const store = await openTestStore(await newPlace());
    const identity = createIdentityRepository(store);
    const collections = createKnownCollections(createSchemaRepository(store, systemClock));
    const notes = createNoteService({ store, identity, collections, clock: systemClock, random: systemRandom });
    const join = async (firstName: string) => {
      const email = `${firstName.toLowerCase()}@example.test`;
      const person = { firstName, lastName: 'Hopper', email };
      return provisionIn(store, { project: 'shop', secretHash: 'a', user: person });
    };
    const { environment, member: ada } = await join('Ada');
    const { member: bob } = await join('Bob');
    const visit = { ...record, mentionable: [ada.id, bob.id] };
    const callOf = ({ id }: { readonly id: number }) => ({
      ...{ environment, visit },
      caller: { user: { id }, tokenId: undefined, subject: `person ${id}` },
    });
    const begin = async (who: { readonly id: number }, title: string, content: string) => {
      const input = { collectionName: 'orders', recordId: '7', title, content };
      return ((await notes.create(callOf(who), input, undefined)).body as { readonly id: number }).id;
    };
    const reply = (who: { readonly id: number }, id: number, content: string) =>
      notes.reply(callOf(who), id, { content }, undefined);
    const reading = createPersonNotes({ store, identity });
    const read = (personId: number) => reading.list({ environment, personId }, record, { limit: 50 });
    const inbox = async (personId: number) => (await reading.inbox({ environment, personId })).notes;
    const find = async (email: string) => findPersonInTexts(store.db, await personOf(store.db, email));
    const erase = async (email: string) => erasePersonFromTexts(store, await personOf(store.db, email), systemClock);
    return { store, environment, ada, bob, notes, callOf, begin, reply, read, inbox, find, erase };
  }

  it('takes what they wrote, who wrote it and where others mention them, and leaves the rest of the notes', async () => {
    const { store, ada, bob, notes, callOf, begin, reply, read, inbox, find, erase } = await start();
    const begun = await begin(ada, 'Call Ada at home', `I am ill. ${mention(bob.id)}`);
    await reply(bob, begun, `Get well, ${mention(ada.id)} &amp; rest`);
    const other = await begin(bob, 'Late', 'Where is it?');
    await reply(ada, other, 'Here, says ada@example.test');
    await reply(bob, other, 'Thanks');
    const [before] = (await read(bob.id)).notes.filter(({ id }) => id === other);
    const named = { notes: 1, messages: 2, mentions: 1, inbox: 2, comments: 0, invitations: 0 };
    expect(await find('ada@EXAMPLE.test')).toEqual(named);
    expect(await find('nobody@example.test')).toEqual({ ...named, notes: 0, messages: 0, mentions: 0, inbox: 0 });
    expect(await erase('ada@EXAMPLE.test')).toEqual(named);

    const erased = { id: 0, name: 'Erased person' };
    const after = (await read(bob.id)).notes;
    expect(after.find(({ id }) => id === begun)).toMatchObject({
      ...{ title: 'Erased', user: erased },
      messages: [
        { number: 1, content: 'Erased', user: erased },
        { number: 2, content: 'Get well, @erased &amp; rest', user: { id: bob.id } },
      ],
    });
    expect(after.find(({ id }) => id === other)).toMatchObject({
      ...{ title: 'Late', user: { id: bob.id }, createdAt: before?.createdAt, updatedAt: before?.updatedAt },
      messages: [before?.messages[0], { number: 2, content: 'Erased', user: erased }, before?.messages[2]],
    });
    expect([(await inbox(ada.id)).length, (await inbox(bob.id)).length]).toEqual([0, 2]);
    const tables = ['notes', 'noteMessages', 'noteReaders'] as const;
    const rows = await Promise.all(tables.map((table) => store.db.selectFrom(table).selectAll().execute()));
    expect(JSON.stringify(rows)).not.toMatch(/ada/i);
    expect(rows.flat().map(({ userId }) => userId)).not.toContain(ada.id);

    const found = await notes.find(callOf(bob), begun);
    expect(found.note.user).toEqual({ object: 'user', id: 0, email: 'erased@erased.invalid', username: '' });
    // A change that is based on what was there before is refused.
    const seen = { includes: (etag: string) => etag === '"2"' };
    await expect(notes.change(callOf(bob), other, { title: 'x' }, seen)).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    await reply(bob, begun, 'Goes on');
    const sizes = await store.db.selectFrom('notes').select('sizeBytes').orderBy('id').execute();
    expect(sizes).toEqual([{ sizeBytes: 'ErasedGet well, @erased &amp; restGoes on'.length }, { sizeBytes: 24 }]);
    expect(await find('ada@example.test')).toEqual(await find('nobody@example.test'));
  });

  it('forgets the answers to requests that may come again, where they are for the person or name them', async () => {
    const { store, ada, bob, begin, notes, callOf, erase } = await start();
    const adas = await begin(ada, 'Ill', 'Not today');
    const bobs = await begin(bob, 'Late', 'Where is it?');
    await notes.reply(callOf(ada), adas, { content: 'Nor tomorrow' }, 'of ada');
    await notes.reply(callOf(bob), adas, { content: `Get well, ${mention(ada.id)}` }, 'names ada');
    await notes.create(
      callOf(bob),
      { collectionName: 'orders', recordId: '7', title: 'x', content: 'ADA@example.test' },
      'address',
    );
    await notes.reply(callOf(bob), bobs, { content: 'Here' }, 'of bob');
    const keys = async () => {
      const rows = await store.db.selectFrom('idempotencyKeys').select('idempotencyKey').execute();
      return rows.map(({ idempotencyKey }) => idempotencyKey).sort();
    };
    expect(await keys()).toEqual(['address', 'names ada', 'of ada', 'of bob']);
    await erase('ada@example.test');
    expect(await keys()).toEqual(['of bob']);
  });

  it('finds what was written under an address that another account has had', async () => {
    const { store, ada, begin, find, erase, read, bob } = await start();
    await begin(ada, 'Old', 'Text');
    await store.transaction(({ db }) =>
      db.updateTable('users').set({ email: 'new@example.test' }).where('id', '=', ada.id).execute(),
    );
    expect(await find('ada@example.test')).toMatchObject({ notes: 1, messages: 1 });
    await erase('ada@example.test');
    expect((await read(bob.id)).notes).toMatchObject([{ title: 'Erased', messages: [{ content: 'Erased' }] }]);
  });

  it('takes comments on requests, and invitations with their links', async () => {
    const { store, environment, ada, bob, find, erase } = await start();
    const { id: approvalId } = await store.transaction(({ db }) =>
      db
        .insertInto('approvals')
        .values({
          ...{ environmentId: environment.id, userId: bob.id, client: null, collection: 'orders', action: 'refund' },
          ...{ records: 1, content: null, digest: 'd', state: 'asked', askedAt: 1, decidedAt: null, decidedBy: null },
          ...{ runId: null, outcome: null },
        })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    const { id: roleId } = await store.db.selectFrom('roles').select('id').executeTakeFirstOrThrow();
    await store.transaction(async ({ db }) => {
      const comment = { approvalId, writtenAt: 1 };
      await db
        .insertInto('approvalComments')
        .values([
          { ...comment, userId: ada.id, body: 'By Ada' },
          { ...comment, userId: bob.id, body: 'By Bob' },
        ])
        .execute();
      const invitation = {
        ...({
          projectId: environment.projectId,
          permissionLevel: 'user',
          roleId,
          team: null,
          invitedBy: bob.id,
        } as const),
        ...{ createdAt: 1, expiresAt: Date.now() + 100_000, revokedAt: null },
      };
      await db
        .insertInto('invitations')
        .values([
          { ...invitation, email: ada.email, secretHash: 'a', acceptedAt: 5 },
          { ...invitation, email: ada.email, secretHash: 'b', acceptedAt: null },
          { ...invitation, email: bob.email, secretHash: 'c', acceptedAt: null },
        ])
        .execute();
    });
    expect(await find(ada.email)).toMatchObject({ comments: 1, invitations: 2 });
    await erase(ada.email);
    expect(await find(ada.email)).toMatchObject({ comments: 0, invitations: 0 });
    const comments = await store.db.selectFrom('approvalComments').select('body').orderBy('id').execute();
    expect(comments).toEqual([{ body: 'Erased' }, { body: 'By Bob' }]);
    const invitations = await store.db.selectFrom('invitations').select(['email', 'revokedAt']).orderBy('id').execute();
    expect(invitations).toEqual([
      { email: 'erased@erased.invalid', revokedAt: null },
      { email: 'erased@erased.invalid', revokedAt: expect.any(Number) },
      { email: bob.email, revokedAt: null },
    ]);
  });
});
