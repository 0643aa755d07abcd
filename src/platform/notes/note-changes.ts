import type { AuditUser } from '#contracts/audit/rows';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { comparableEmail } from '../audit/chain-row.ts';
import type { StoreTransaction } from '../store/store.ts';
import { tellReaders } from './note-readers.ts';
import type { NoteHead } from './note-repository.ts';

export interface NewNote {
  readonly environmentId: number;
  readonly title: string;
  readonly collection: string;
  readonly recordId: string;
  readonly team: string;
}

/** A message of somebody, at a time. */
export interface NewMessage {
  /** Sanitized. */
  readonly content: string;
  readonly user: AuditUser;
  readonly at: number;
  /** Ids of the people that it mentions. */
  readonly mentioned: readonly number[];
}

/** More would make pages of notes large. */
const maxNoteBytes = 4 * 1024 * 1024;

/** Add a note with its first message, as a part of a transaction. Resolves to its id. */
export async function addNote(transaction: StoreTransaction, note: NewNote, message: NewMessage): Promise<number> {
  const { user, at, content } = message;
  const { id } = await transaction.db
    .insertInto('notes')
    .values({
      ...note,
      userId: user.id,
      userEmail: user.email,
      comparableEmail: comparableEmail(user.email),
      userName: user.username,
      createdAt: at,
      updatedAt: at,
      archivedAt: null,
      revision: 1,
      sizeBytes: Buffer.byteLength(content),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertMessage(transaction, id, 1, message);
  return id;
}

/**
 * Add a message to a note that is held, as a part of a transaction. Rejects with `REQUEST_CONFLICT` for a note that is archived, or
 * has no room for it.
 */
export async function addMessage(
  transaction: StoreTransaction,
  { id, archivedAt, sizeBytes, revision }: NoteHead,
  message: NewMessage,
): Promise<void> {
  if (archivedAt !== null) throw conflict('is archived, so nobody adds to it', 'Take it out of the archive first.');
  const size = sizeBytes + Buffer.byteLength(message.content);
  if (size > maxNoteBytes) throw conflict('has no room for another message', 'Begin a new note on the record.');
  await transaction.db
    .updateTable('notes')
    .set({ updatedAt: message.at, revision: revision + 1, sizeBytes: size })
    .where('id', '=', id)
    .execute();
  const { last } = await transaction.db
    .selectFrom('noteMessages')
    .select(({ fn }) => fn.max('number').as('last'))
    .where('noteId', '=', id)
    .executeTakeFirstOrThrow();
  await insertMessage(transaction, id, (last ?? 0) + 1, message);
}

/** Change the title of a note that is held, or whether it is archived, as a part of a transaction. */
export async function changeNote(
  { db }: StoreTransaction,
  { id, revision }: NoteHead,
  change: { readonly title: string; readonly archivedAt: number | null; readonly updatedAt: number },
): Promise<void> {
  await db
    .updateTable('notes')
    .set({ ...change, revision: revision + 1 })
    .where('id', '=', id)
    .execute();
}

async function insertMessage(
  transaction: StoreTransaction,
  noteId: number,
  number: number,
  { content, user, at, mentioned }: NewMessage,
): Promise<void> {
  const { id: userId, email: userEmail, username: userName } = user;
  await transaction.db
    .insertInto('noteMessages')
    .values({ noteId, number, content, userId, userEmail, userName, createdAt: at })
    .execute();
  await tellReaders(transaction, { noteId, number, writerId: userId, mentioned });
}

function conflict(why: string, nextStep: string): CloudError {
  return cloudError('REQUEST_CONFLICT', `The note ${why}.`, nextStep);
}
