import { sql } from 'kysely';
import type { Clock } from '#kernel/ports/clock';
import type { Store, StoreTransaction } from '../store/store.ts';
import { comparableEmail } from './chain-row.ts';
import type { Person } from './person-to-erase.ts';
import { erasedEmail, erasedUser } from './shown-row.ts';

type Db = Store['db'];

/** What the store has of a person beside its logs and the account. */
export interface PersonInTexts {
  /** Notes that they began. */
  readonly notes: number;
  /** Messages that they wrote in notes. */
  readonly messages: number;
  /** Messages of others that mention them. */
  readonly mentions: number;
  /** Notes whose news concern them. */
  readonly inbox: number;
  /** What they wrote about requests for approvals. */
  readonly comments: number;
  readonly invitations: number;
}

/** Replaces what a person wrote. */
const erasedText = 'Erased';
/** Replaces a mention, which others wrote. */
const erasedMention = '@erased';
const erasedAuthor = { userId: null, userEmail: erasedEmail, userName: erasedUser.username };

/** How often the texts of a store name a person. */
export async function findPersonInTexts(db: Db, person: Person): Promise<PersonInTexts> {
  const messages = await messagesAbout(db, person);
  const written = messages.filter((message) => isBy(message, person)).length;
  return {
    notes: (await notesBegunBy(db, person)).length,
    messages: written,
    mentions: messages.length - written,
    inbox: (await inboxOf(db, person)).length,
    comments: (await commentsOf(db, person)).length,
    invitations: (await invitationsOf(db, person)).length,
  };
}

/**
 * Erase a person from the texts of a store: what they wrote, who wrote it, and where others mention them. So go the answers that are kept
 * for requests which come again. Each note is one transaction, so that an erasure that was interrupted goes on when it is called again.
 * Resolves to what was found at first.
 */
export async function erasePersonFromTexts(store: Store, person: Person, clock: Clock): Promise<PersonInTexts> {
  const { db } = store;
  const found = await findPersonInTexts(db, person);
  const messages = [...(await messagesAbout(db, person)), ...(await inboxOf(db, person))];
  const noteIds = [...(await notesBegunBy(db, person)).map(({ id }) => id), ...messages.map(({ noteId }) => noteId)];
  for (const id of new Set(noteIds)) await store.transaction((transaction) => eraseFromNote(transaction, id, person));
  const comments = (await commentsOf(db, person)).map(({ id }) => id);
  const invitations = await invitationsOf(db, person);
  await store.transaction(async (transaction) => {
    await forgetAnswers(transaction, person);
    for (const id of comments) {
      await transaction.db.updateTable('approvalComments').set({ body: erasedText }).where('id', '=', id).execute();
    }
    for (const { id, acceptedAt, revokedAt } of invitations) {
      // The link of one that is open ends.
      const end = acceptedAt === null && revokedAt === null ? { revokedAt: clock.now() } : {};
      const change = { email: erasedEmail, ...end };
      await transaction.db.updateTable('invitations').set(change).where('id', '=', id).execute();
    }
  });
  return found;
}

async function eraseFromNote(transaction: StoreTransaction, noteId: number, person: Person): Promise<void> {
  await transaction.lock(`note ${noteId}`);
  const { db } = transaction;
  for (const message of await messagesAbout(db, person, noteId)) {
    const { number, content } = message;
    const change = isBy(message, person)
      ? { ...erasedAuthor, content: erasedText }
      : { content: withoutMentions(content, person) };
    await db
      .updateTable('noteMessages')
      .set(change)
      .where((the) => the.and({ noteId, number }))
      .execute();
  }
  if ((await notesBegunBy(db, person)).some(({ id }) => id === noteId)) {
    const change = { ...erasedAuthor, comparableEmail: erasedEmail, title: erasedText };
    await db.updateTable('notes').set(change).where('id', '=', noteId).execute();
  }
  await db.deleteFrom('noteReaders').where('noteId', '=', noteId).where('userId', 'in', idsOf(person)).execute();
  const contents = await db.selectFrom('noteMessages').select('content').where('noteId', '=', noteId).execute();
  const sizeBytes = contents.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  await db
    .updateTable('notes')
    .set((the) => ({ sizeBytes, revision: the('revision', '+', 1) }))
    .where('id', '=', noteId)
    .execute();
}

/** Answers hold whole notes. A request that comes again is carried out again. */
async function forgetAnswers({ db }: StoreTransaction, person: Person): Promise<void> {
  await db
    .deleteFrom('idempotencyKeys')
    .where((the) =>
      the.or([
        the(
          'subject',
          'in',
          idsOf(person).map((id) => `person ${id}`),
        ),
        the(sql`lower(${sql.ref('body')})`, 'like', `%${person.email.toLowerCase()}%`),
        // As JSON has it, with a character before each quotation mark.
        ...idsOf(person).map((id) => the('body', 'like', `%${mentionOf(id).replaceAll('"', '_"')}%`)),
      ]),
    )
    .execute();
}

function notesBegunBy(db: Db, person: Person) {
  return db
    .selectFrom('notes')
    .select('id')
    .where((the) => the.or([the('comparableEmail', '=', person.email), the('userId', 'in', idsOf(person))]))
    .execute();
}

/** Those that the person wrote, and those of others that mention them. */
async function messagesAbout(db: Db, person: Person, noteId?: number) {
  let messages = db
    .selectFrom('noteMessages')
    .select(['noteId', 'number', 'content', 'userId', 'userEmail'])
    .where((the) =>
      the.or([
        the('userId', 'in', idsOf(person)),
        the(sql`lower(${sql.ref('userEmail')})`, '=', person.email.toLowerCase()),
        ...idsOf(person).map((id) => the('content', 'like', `%${mentionOf(id)}%`)),
      ]),
    );
  if (noteId !== undefined) messages = messages.where('noteId', '=', noteId);
  const found = await messages.execute();
  return found.filter(
    (message) => isBy(message, person) || withoutMentions(message.content, person) !== message.content,
  );
}

function isBy(
  { userId, userEmail }: { readonly userId: number | null; readonly userEmail: string },
  { ids, email }: Person,
): boolean {
  return (userId !== null && ids.has(userId)) || comparableEmail(userEmail) === email;
}

function mentionOf(id: number): string {
  return `<mention user="${id}"></mention>`;
}

function withoutMentions(content: string, person: Person): string {
  return idsOf(person).reduce((text, id) => text.replaceAll(mentionOf(id), erasedMention), content);
}

function inboxOf(db: Db, person: Person) {
  return db.selectFrom('noteReaders').select('noteId').where('userId', 'in', idsOf(person)).execute();
}

function commentsOf(db: Db, person: Person) {
  return db
    .selectFrom('approvalComments')
    .select('id')
    .where('userId', 'in', idsOf(person))
    .where('body', '!=', erasedText)
    .execute();
}

function invitationsOf(db: Db, { email }: Person) {
  return db
    .selectFrom('invitations')
    .select(['id', 'acceptedAt', 'revokedAt'])
    .where('email', '=', email.toLowerCase())
    .execute();
}

/** Never empty, for conditions. No person has the id 0. */
function idsOf({ ids }: Person): readonly number[] {
  return ids.size === 0 ? [erasedUser.id] : [...ids];
}
