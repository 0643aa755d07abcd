import type { Inbox, NoteForPerson, NotesPage, RecordNotes } from '#contracts/notes';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { auditUserOf } from '../audit/admin-log.ts';
import { erasedUser } from '../audit/shown-row.ts';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import type { Store } from '../store/store.ts';
import { countOnRecord, listConcerning, markRead, readPositions } from './note-readers.ts';
import { listNotes, type NoteHead, type NoteRecord } from './note-repository.ts';
import { held, mayChange, type RecordVisit } from './note-service.ts';

/** A person that an agent asks for. */
interface Reader {
  readonly environment: EnvironmentRecord;
  readonly personId: number;
}

/** What notes say to one person. Whether they may read the records, the agent knows. */
export interface PersonNotes {
  /** Rejects with `REQUEST_FORBIDDEN` for who is not a member. */
  list(reader: Reader, record: Omit<RecordVisit, 'mentionable'>, page: NotesPage): Promise<RecordNotes>;
  inbox(reader: Reader): Promise<Inbox>;
  /** Rejects with `REQUEST_NOT_FOUND` for a note that is not on the record. */
  markRead(reader: Reader, visit: RecordVisit, id: number, number: number): Promise<void>;
}

export interface PersonNoteParts {
  readonly store: Store;
  readonly identity: Pick<IdentityRepository, 'findMember'>;
}

export function createPersonNotes({ store, identity }: PersonNoteParts): PersonNotes {
  const memberOf = async ({ environment, personId }: Reader) => {
    const member = await identity.findMember(environment.projectId, personId);
    if (!member) throw notMember();
    return { user: auditUserOf(member), permissionLevel: member.permissionLevel };
  };
  return {
    list: async (reader, { collection, recordId }, { before, limit }) => {
      const { environment, personId } = reader;
      const member = await memberOf(reader);
      const place = { limit, direction: 'desc', after: before } as const;
      const none = { rows: [], hasMore: false, last: undefined };
      const filter = { collection, recordId };
      const [page, counts] = await Promise.all([
        limit === 0 ? none : listNotes(store.db, environment.id, filter, place),
        countOnRecord(store.db, environment.id, personId, filter),
      ]);
      const ids = page.rows.map(({ id }) => id);
      const positions = await readPositions(store.db, personId, ids);
      const notes = page.rows.map((note) =>
        noteForPerson(note, { readTo: positions.get(note.id) ?? null, mayChange: mayChange(note, member) }),
      );
      return { notes, ...counts, next: page.hasMore ? (page.last ?? null) : null };
    },
    inbox: async (reader) => {
      await memberOf(reader);
      const rows = await listConcerning(store.db, reader.environment.id, reader.personId);
      const notes = rows.map(({ updatedAt, userId, userName, readTo, mentionedIn, ...note }) => ({
        ...note,
        updatedAt: isoTime(updatedAt),
        user: nameOf({ userId, userName }),
        unread: Math.max(note.last - readTo, 0),
        isMentioned: mentionedIn !== null && mentionedIn > readTo,
      }));
      return { notes };
    },
    markRead: async (reader, visit, id, number) => {
      const { environment, personId: userId } = reader;
      await memberOf(reader);
      await store.transaction(async (transaction) => {
        await held(transaction, { environment, visit }, id);
        await markRead(transaction, { id, number, userId });
      });
    },
  };
}

function noteForPerson(
  { id, title, revision, messages, archivedAt, ...note }: NoteRecord,
  standing: Pick<NoteForPerson, 'readTo' | 'mayChange'>,
): NoteForPerson {
  return {
    ...{ id, title, revision, user: nameOf(note), ...standing },
    createdAt: isoTime(note.createdAt),
    updatedAt: isoTime(note.updatedAt),
    archivedAt: archivedAt === null ? null : isoTime(archivedAt),
    messages: messages.map(({ number, content, createdAt, ...message }) => ({
      ...{ number, content, createdAt: isoTime(createdAt), user: nameOf(message) },
    })),
  };
}

function nameOf({ userId, userName: name }: Pick<NoteHead, 'userId' | 'userName'>) {
  return userId === null ? { id: erasedUser.id, name: 'Erased person' } : { id: userId, name };
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}

function notMember(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'The person is not a member of the project.',
    'Ask an administrator of the project.',
  );
}
