import { maxInboxNotes } from '#contracts/notes';
import type { Store, StoreTransaction } from '../store/store.ts';

/** A message that was written in a note. */
interface WrittenMessage {
  readonly noteId: number;
  readonly number: number;
  readonly writerId: number;
  /** Ids of people. */
  readonly mentioned: readonly number[];
}

type Db = Store['db'];

/** Take down the people that a new message concerns, as a part of the transaction that writes it. What somebody writes they have read. */
export async function tellReaders(
  { db }: StoreTransaction,
  { noteId, number, writerId, mentioned }: WrittenMessage,
): Promise<void> {
  const before = number - 1;
  await db
    .insertInto('noteReaders')
    .values({ noteId, userId: writerId, readTo: number, mentionedIn: null })
    // Whoever answers has read what they answer to.
    .onConflict((same) => same.columns(['noteId', 'userId']).doUpdateSet({ readTo: number }))
    .execute();
  const others = mentioned.filter((userId) => userId !== writerId);
  if (others.length === 0) return;
  await db
    .insertInto('noteReaders')
    .values(others.map((userId) => ({ noteId, userId, readTo: before, mentionedIn: number })))
    .onConflict((same) => same.columns(['noteId', 'userId']).doUpdateSet({ mentionedIn: number }))
    .execute();
}

/** Somebody has read a note up to a message. Nothing happens where the note does not concern them, or they have read more. */
export async function markRead(
  { db }: StoreTransaction,
  { id: noteId, number, userId }: { readonly id: number; readonly number: number; readonly userId: number },
): Promise<void> {
  const { newest } = await db
    .selectFrom('noteMessages')
    .select(({ fn }) => fn.max('number').as('newest'))
    .where('noteId', '=', noteId)
    .executeTakeFirstOrThrow();
  const readTo = Math.min(number, newest ?? 0);
  await db
    .updateTable('noteReaders')
    .set({ readTo })
    .where((the) => the.and({ noteId, userId }))
    .where('readTo', '<', readTo)
    .execute();
}

/** How far somebody has read each of some notes; those that do not concern them are left out. */
export async function readPositions(
  db: Db,
  userId: number,
  noteIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (noteIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('noteReaders')
    .select(['noteId', 'readTo'])
    .where('userId', '=', userId)
    .where('noteId', 'in', noteIds)
    .execute();
  return new Map(rows.map(({ noteId, readTo }) => [noteId, readTo]));
}

/** The notes of an environment that concern somebody and are not archived: those with news first, then the newest. */
export async function listConcerning(db: Db, environmentId: number, userId: number) {
  const rows = await concerning(db, environmentId, userId)
    .select(['notes.id', 'notes.title', 'notes.collection', 'notes.recordId', 'notes.updatedAt'])
    .select(['newest.number as last', 'newest.userId', 'newest.userName', 'readTo', 'mentionedIn'])
    .orderBy((the) => the.case().whenRef('newest.number', '>', 'readTo').then(0).else(1).end())
    .orderBy('notes.updatedAt', 'desc')
    .orderBy('notes.id', 'desc')
    .limit(maxInboxNotes)
    .execute();
  return rows;
}

/** The notes on one record that are not archived: how many, and how many of them hold news for somebody. */
export async function countOnRecord(
  db: Db,
  environmentId: number,
  userId: number,
  { collection, recordId }: { readonly collection: string; readonly recordId: string },
): Promise<{ readonly open: number; readonly unread: number }> {
  const { open } = await db
    .selectFrom('notes')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where((the) => the.and({ environmentId, collection, recordId, archivedAt: null }))
    .executeTakeFirstOrThrow();
  const { unread } = await concerning(db, environmentId, userId)
    .select(({ fn }) => fn.countAll<number>().as('unread'))
    .where((the) => the.and({ collection, recordId }))
    .whereRef('newest.number', '>', 'readTo')
    .executeTakeFirstOrThrow();
  return { open, unread };
}

/** Notes that are not archived, with their newest message and the place of a reader. */
function concerning(db: Db, environmentId: number, userId: number) {
  return db
    .selectFrom('noteReaders')
    .innerJoin('notes', 'notes.id', 'noteReaders.noteId')
    .innerJoin('noteMessages as newest', (join) =>
      join.onRef('newest.noteId', '=', 'notes.id').on('newest.number', '=', (the) =>
        the
          .selectFrom('noteMessages as each')
          .select(({ fn }) => fn.max('each.number').as('number'))
          .whereRef('each.noteId', '=', 'notes.id'),
      ),
    )
    .where('noteReaders.userId', '=', userId)
    .where('notes.environmentId', '=', environmentId)
    .where('notes.archivedAt', 'is', null);
}
