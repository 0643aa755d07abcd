import type { Note } from '#contracts/public-api/notes';
import { erasedUser } from '../audit/shown-row.ts';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import type { MessageRecord, NoteRecord } from './note-repository.ts';

/** @param isKnown whether the environment has a collection of that name. */
export function noteOf(
  record: NoteRecord,
  environment: Pick<EnvironmentRecord, 'name'>,
  isKnown: (collection: string) => boolean,
): Note {
  const { id, title, recordId, collection, team, archivedAt } = record;
  return {
    object: 'note',
    id,
    title,
    recordId,
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
    ...(archivedAt === null ? {} : { archivedAt: isoTime(archivedAt) }),
    messages: record.messages.map(messageOf),
    user: userOf(record),
    environment: { object: 'environment', name: environment.name },
    team: { object: 'team', name: team },
    ...(isKnown(collection) ? { collection: { object: 'collection', name: collection } } : {}),
  };
}

export function messageOf(record: Pick<MessageRecord, 'content' | 'createdAt'> & Writer): Note['messages'][number] {
  const { content, createdAt } = record;
  return { object: 'note-message', content, createdAt: isoTime(createdAt), user: userOf(record) };
}

type Writer = Pick<MessageRecord, 'userId' | 'userEmail' | 'userName'>;

/** Whoever wrote it, under the name of that time. */
function userOf({ userId, userEmail, userName }: Writer): Note['user'] {
  if (userId === null) return erasedUser;
  return { object: 'user', id: userId, email: userEmail, username: userName };
}

/** Strong: a note has one representation. */
export function etagOf({ revision }: Pick<NoteRecord, 'revision'>): string {
  return `"${revision}"`;
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
