import type { ExpressionBuilder } from 'kysely';
import { mentionsIn } from '#contracts/notes';
import { fullNameOf } from '#kernel/text/full-name';
import { comparableEmail } from '../audit/chain-row.ts';
import type { TimeRange } from '../audit/log-filter.ts';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

export type MessageRecord = Omit<Tables['noteMessages'], 'noteId'>;

export interface NoteHead extends Omit<Tables['notes'], 'id' | 'environmentId'> {
  readonly id: number;
}

export interface NoteRecord extends NoteHead {
  /** In the order in which they were written. */
  readonly messages: readonly MessageRecord[];
}

/** Which notes are asked for; all conditions hold together. */
export interface NoteFilter {
  readonly userId?: number | undefined;
  readonly userEmail?: string | undefined;
  readonly team?: string | undefined;
  readonly collection?: string | undefined;
  readonly recordId?: string | undefined;
  readonly createdAt?: TimeRange | undefined;
  readonly updatedAt?: TimeRange | undefined;
  readonly archivedAt?: TimeRange | undefined;
}

export interface NotePlace {
  readonly limit: number;
  readonly direction: 'asc' | 'desc';
  /** Go on behind the note of this id. */
  readonly after: number | undefined;
}

/** A page ends where its messages have more bytes than this, but never before its first note. */
const maxPageBytes = 8 * 1024 * 1024;

type Db = Store['db'];

/** A note without its messages. */
export function findNoteHead(db: Db, environmentId: number, id: number): Promise<NoteHead | undefined> {
  return notes(db, environmentId).where('id', '=', id).executeTakeFirst();
}

export async function findNote(db: Db, environmentId: number, id: number): Promise<NoteRecord | undefined> {
  const row = await findNoteHead(db, environmentId, id);
  const [note] = row ? await withMessages(db, [row]) : [];
  return note;
}

/** Notes of an environment by their ids. */
export async function listNotes(
  db: Db,
  environmentId: number,
  filter: NoteFilter,
  { limit, direction, after }: NotePlace,
) {
  let found = notes(db, environmentId)
    .where((the) => conditionsOf(the, filter))
    .orderBy('id', direction)
    .limit(limit + 1);
  if (after !== undefined) found = found.where('id', direction === 'asc' ? '>' : '<', after);
  const all = await found.execute();
  const page = fitting(all.slice(0, limit));
  return { rows: await withMessages(db, page), hasMore: all.length > page.length, last: page.at(-1)?.id };
}

function notes(db: Db, environmentId: number) {
  return db.selectFrom('notes').selectAll().where('environmentId', '=', environmentId);
}

const timeColumns = ['createdAt', 'updatedAt', 'archivedAt'] as const;
const operators = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

function conditionsOf(the: ExpressionBuilder<Tables, 'notes'>, filter: NoteFilter) {
  const { userId, userEmail, team, collection, recordId } = filter;
  const email = userEmail === undefined ? undefined : comparableEmail(userEmail);
  const equal = Object.entries({ userId, team, collection, recordId }).filter(([, value]) => value !== undefined);
  return the.and([
    the.and(Object.fromEntries(equal)),
    ...(email === undefined ? [] : [the('comparableEmail', '=', email)]),
    ...timeColumns.flatMap((column) =>
      Object.entries(filter[column] ?? {}).map(([bound, time]) =>
        the(column, operators[bound as keyof TimeRange], time),
      ),
    ),
  ]);
}

function fitting<Note extends { readonly sizeBytes: number }>(all: readonly Note[]): readonly Note[] {
  let bytes = 0;
  const end = all.findIndex(({ sizeBytes }, place) => {
    bytes += sizeBytes;
    return place > 0 && bytes > maxPageBytes;
  });
  return end === -1 ? all : all.slice(0, end);
}

async function withMessages<Note extends { readonly id: number }>(db: Db, all: readonly Note[]) {
  if (all.length === 0) return [];
  const rows = await db
    .selectFrom('noteMessages')
    .selectAll()
    .where(
      'noteId',
      'in',
      all.map(({ id }) => id),
    )
    .orderBy('noteId')
    .orderBy('number')
    .execute();
  const messages = Map.groupBy(await withNames(db, rows), ({ noteId }) => noteId);
  return all.map((note) => ({ ...note, messages: messages.get(note.id) ?? [] }));
}

/** Messages whose mentions have the names that the people have now. */
async function withNames<Message extends { readonly content: string }>(
  db: Db,
  messages: readonly Message[],
): Promise<readonly Message[]> {
  const ids = [...new Set(messages.flatMap(({ content }) => mentionsIn(content)))];
  if (ids.length === 0) return messages;
  const people = await db.selectFrom('users').select(['id', 'firstName', 'lastName']).where('id', 'in', ids).execute();
  const names = new Map(people.map((person) => [person.id, fullNameOf(person)]));
  return messages.map((message) => ({
    ...message,
    content: message.content.replaceAll(
      /(<mention user="(\d+)">)<\/mention>/g,
      (_mention, begin: string, id: string) => `${begin}@${escaped(names.get(Number(id)) ?? '')}</mention>`,
    ),
  }));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
