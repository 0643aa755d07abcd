import type * as z from 'zod';
import type { AuditUser } from '#contracts/audit/rows';
import { mentionsIn } from '#contracts/notes';
import type { ChangeNote, CreateNote, createMessageSchema, Note } from '#contracts/public-api/notes';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { deedsOf } from '../access/authorise.ts';
import { auditUserOf } from '../audit/admin-log.ts';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import type { ApiCaller } from '../public-api/authenticate.ts';
import { changedSince, type SeenState } from '../public-api/if-match.ts';
import type { PageRows } from '../public-api/list-page.ts';
import { type KnownCollections, requireCollection } from '../schemas/known-collections.ts';
import { type GivenAnswer, runOnce } from '../server/idempotency.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { requireTeam } from '../teams/teams.ts';
import { logNote, type NoteAuthor } from './log-note.ts';
import { addMessage, addNote, changeNote } from './note-changes.ts';
import { etagOf, messageOf, noteOf } from './note-document.ts';
import {
  findNote,
  findNoteHead,
  listNotes,
  type NoteFilter,
  type NoteHead,
  type NotePlace,
  type NoteRecord,
} from './note-repository.ts';
import { sanitizeContent } from './sanitize-content.ts';

/** Who asks, and about which environment. */
export interface NoteCall {
  readonly caller: Pick<ApiCaller, 'subject' | 'tokenId'> & { readonly user: Pick<ApiCaller['user'], 'id'> };
  readonly environment: EnvironmentRecord;
  /** Where an agent asks for a person. Absent for programs and for whoever uses the public API. */
  readonly visit?: RecordVisit | undefined;
}

/** A record that the agent has shown to a person: the call is about notes on this record only. */
export interface RecordVisit {
  readonly collection: string;
  readonly recordId: string;
  /** People who may read the record, as the agent has found. Nobody else is mentioned. */
  readonly mentionable: readonly number[];
}

export interface NoteWithTag {
  readonly note: Note;
  readonly etag: string;
}

/**
 * Notes on the records of an environment. A change and its row in the log are one transaction. With a visit, a note on another record is
 * `REQUEST_NOT_FOUND`, and whoever is not an administrator changes only what they began.
 */
export interface NoteService {
  list(call: NoteCall, filter: NoteFilter, place: NotePlace): Promise<PageRows<Note>>;
  /** Rejects with `REQUEST_NOT_FOUND`. */
  find(call: NoteCall, id: number): Promise<NoteWithTag>;
  /**
   * Begin a note with its first message. Rejects with `REQUEST_TOO_LARGE`, or `REQUEST_INVALID` for a team or a collection that
   * is not there.
   *
   * @param key a repeated request with the same key gets the first answer.
   */
  create(call: NoteCall, input: CreateNote, key: string | undefined): Promise<GivenAnswer>;
  /** Add a message. Rejects with `REQUEST_NOT_FOUND`, `REQUEST_TOO_LARGE` or `REQUEST_CONFLICT`. */
  reply(call: NoteCall, id: number, input: NewReply, key: string | undefined): Promise<GivenAnswer>;
  /**
   * Change the title, archive or take out of the archive. What is so already stays as it is, whatever the caller has seen. Rejects
   * with `REQUEST_NOT_FOUND`, or `PRECONDITION_FAILED` for a note that has changed.
   */
  change(call: NoteCall, id: number, change: ChangeNote, seen: SeenState): Promise<NoteWithTag>;
}

type NewReply = z.output<typeof createMessageSchema>;

export interface NoteParts {
  readonly store: Store;
  readonly identity: Pick<IdentityRepository, 'findMember'>;
  readonly collections: KnownCollections;
  readonly clock: Clock;
  readonly random: Random;
}

export function createNoteService(parts: NoteParts): NoteService {
  const { store, identity, collections, clock } = parts;

  const render = async ({ environment }: NoteCall) => {
    const known = await collections(environment.id);
    return (record: NoteRecord) => noteOf(record, environment, (name) => known?.has(name) ?? true);
  };

  const authorOf = async ({ caller, environment, visit }: NoteCall): Promise<NoteAuthor> => {
    const member = await identity.findMember(environment.projectId, caller.user.id);
    if (!member) throw cloudError('REQUEST_FORBIDDEN', notMember, askAdministrator);
    const { team, roleName: role, permissionLevel } = member;
    const source = visit ? 'rest' : 'api';
    return { environment, user: auditUserOf(member), team, role, permissionLevel, tokenId: caller.tokenId, source };
  };

  return {
    list: async (call, filter, place) => {
      const { rows, ...page } = await listNotes(store.db, call.environment.id, filter, place);
      return { rows: rows.map(await render(call)), ...page };
    },
    find: async (call, id) => {
      const record = await findNote(store.db, call.environment.id, id);
      if (!record) throw noSuchNote(id);
      return { note: (await render(call))(record), etag: etagOf(record) };
    },
    create: async (call, { teamName, collectionName: collection, recordId, title, content }, key) => {
      const { environment } = call;
      const author = await authorOf(call);
      requireCollection(await collections(environment.id), collection);
      const read = await readContent(identity, call, content);
      const team = teamName ?? author.team;
      const path = pathOf(environment);
      const body = { teamName, collection, recordId, title, content };
      const rendered = await render(call);
      return runOnce(
        store,
        clock,
        { subject: call.caller.subject, route: `POST ${path}`, key, body },
        async (transaction) => {
          if (teamName !== undefined) await requireTeam(transaction.db, environment.projectId, teamName);
          const note = { environmentId: environment.id, title, collection, recordId, team };
          const message = { ...read, user: author.user, at: clock.now() };
          const id = await addNote(transaction, note, message);
          logNote(transaction, parts, author, note, ['createNote', 'createMessage']);
          const added = await existing(transaction, environment.id, id);
          const headers = { location: `${path}/${id}`, etag: etagOf(added) };
          return { answer: { status: 201, headers, body: rendered(added) } };
        },
      );
    },
    reply: async (call, id, { content }, key) => {
      const { environment } = call;
      const author = await authorOf(call);
      const read = await readContent(identity, call, content);
      const path = `${pathOf(environment)}/${id}`;
      const request = { subject: call.caller.subject, route: `POST ${path}/messages`, key, body: { content } };
      return runOnce(store, clock, request, async (transaction) => {
        const note = await held(transaction, call, id);
        const message = { ...read, user: author.user, at: clock.now() };
        await addMessage(transaction, note, message);
        logNote(transaction, parts, author, note, ['createMessage']);
        const body = messageOf({ ...message, ...writerOf(author.user), createdAt: message.at });
        return { answer: { status: 201, headers: { location: path }, body } };
      });
    },
    change: async (call, id, { title, archived }, seen) => {
      const author = await authorOf(call);
      const asked = { call, id, title, archived, seen };
      const changed = await store.transaction((transaction) => applyChange(transaction, parts, author, asked));
      return { note: (await render(call))(changed), etag: etagOf(changed) };
    },
  };
}

/** Sanitized content, and the people that it mentions. */
async function readContent(identity: NoteParts['identity'], { environment, visit }: NoteCall, content: string) {
  const clean = await sanitizeContent(content, { mayMention: visit !== undefined });
  const mentioned = visit ? mentionsIn(clean) : [];
  for (const id of mentioned) {
    const isReader = visit?.mentionable.includes(id) === true;
    if (!isReader || !(await identity.findMember(environment.projectId, id))) throw notMentionable(id);
  }
  return { content: clean, mentioned };
}

const notMember = 'You are not an active member of the project any more.';
const askAdministrator = 'Ask an administrator of the project.';

interface AskedChange extends ChangeNote {
  readonly call: NoteCall;
  readonly id: number;
  readonly seen: SeenState;
}

/** Resolves to the note as it is then. */
async function applyChange(
  transaction: StoreTransaction,
  parts: NoteParts,
  author: NoteAuthor,
  { call, id, title, archived, seen }: AskedChange,
): Promise<NoteRecord> {
  const environmentId = author.environment.id;
  const before = await held(transaction, call, id);
  if (call.visit && !mayChange(before, author)) throw notTheirs();
  const isArchived = before.archivedAt !== null;
  const isOtherTitle = title !== undefined && title !== before.title;
  const isMoved = archived !== undefined && archived !== isArchived;
  if (!isOtherTitle && !isMoved) return existing(transaction, environmentId, id);
  if (!seen.includes(etagOf(before))) throw changedSince('The note');
  const now = parts.clock.now();
  const archivedAt = isMoved ? (archived ? now : null) : before.archivedAt;
  await changeNote(transaction, before, { title: title ?? before.title, archivedAt, updatedAt: now });
  const after = await existing(transaction, environmentId, id);
  const fields = [...(isOtherTitle ? ['title'] : []), ...(isMoved && !archived ? ['archivedAt'] : [])];
  if (fields.length > 0) logNote(transaction, parts, author, after, ['updateNote'], fields);
  if (isMoved && archived) logNote(transaction, parts, author, after, ['deleteNote']);
  return after;
}

/** A note that nobody else changes until the transaction ends. */
export async function held(
  transaction: StoreTransaction,
  { environment, visit }: Pick<NoteCall, 'environment' | 'visit'>,
  id: number,
): Promise<NoteHead> {
  await transaction.lock(`note ${id}`);
  const found = await findNoteHead(transaction.db, environment.id, id);
  const isElsewhere = visit && (found?.collection !== visit.collection || found.recordId !== visit.recordId);
  if (found && !isElsewhere) return found;
  throw noSuchNote(id);
}

/** Whether somebody changes the title of a note, and archives it: who began it, and administrators. */
export function mayChange(
  { userId }: Pick<NoteHead, 'userId'>,
  { user, permissionLevel }: Pick<NoteAuthor, 'user' | 'permissionLevel'>,
): boolean {
  return userId === user.id || deedsOf({ permissionLevel }).includes('use the public API');
}

async function existing({ db }: StoreTransaction, environmentId: number, id: number): Promise<NoteRecord> {
  const found = await findNote(db, environmentId, id);
  if (found) return found;
  throw noSuchNote(id);
}

function writerOf({ id: userId, email: userEmail, username: userName }: AuditUser) {
  return { userId, userEmail, userName };
}

function pathOf({ projectName, name }: EnvironmentRecord): string {
  return `/v1/project/${encodeURIComponent(projectName)}/environment/${encodeURIComponent(name)}/notes`;
}

function notTheirs(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'Only who began a note, and administrators, change its title and archive it.',
    'Write a message in it instead.',
  );
}

function notMentionable(id: number): CloudError {
  return cloudError(
    'REQUEST_INVALID',
    `The agent has not found that the person ${id} may read the record.`,
    'Mention people who may read the record.',
  );
}

function noSuchNote(id: number): CloudError {
  return cloudError('REQUEST_NOT_FOUND', `The environment has no note ${id}.`, 'List the notes of the environment.');
}
