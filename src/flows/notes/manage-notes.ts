import type { ChangeNote, CreateNote, Note } from '#contracts/public-api/notes';
import { createAuditClient } from '#platform-client/audit-client';
import { createNoteClient, type NoteClient, type NoteState, type NotesAddress } from '#platform-client/note-client';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { environmentOfCaller, tokenForPlatform } from '../platform-access/connect-to-platform.ts';

/** Whose notes. */
export interface NotesTarget {
  readonly folder: string;
  /** Name of the environment; that of the link or of the token by default. */
  readonly environment: string | undefined;
}

export interface NotesAccess {
  readonly client: NoteClient;
  readonly address: NotesAddress;
}

/** The notes of an environment, on the platform that the commands of its project talk to. */
export async function connectToNotes(context: FlowContext, target: NotesTarget): Promise<NotesAccess> {
  const project = await openProject(context.fs, target.folder, context.variables);
  const { url: serverUrl, userToken } = await tokenForPlatform(context, project);
  const options = { serverUrl, http: context.http, credentials: { userToken } };
  const caller = await createAuditClient(options).caller();
  const environment = environmentOfCaller(caller, project, target.environment);
  return { client: createNoteClient(options), address: { project: caller.project, environment } };
}

interface ListNotesInput extends NotesTarget {
  readonly limit: number;
  /** Go on behind the page that ended with it. */
  readonly cursor: string | undefined;
  readonly collectionName: string | undefined;
  readonly recordId: string | undefined;
  readonly userEmail: string | undefined;
  readonly teamName: string | undefined;
}

export interface ListedNotes extends NotesAddress {
  readonly notes: readonly Note[];
  /** Leads to the next page; `null` on the last. */
  readonly nextCursor: string | null;
}

/** Notes of an environment, the newest first. */
export async function listNotes(context: FlowContext, input: ListNotesInput): Promise<ListedNotes> {
  const { folder, environment, ...parameters } = input;
  const { client, address } = await connectToNotes(context, { folder, environment });
  const { data, hasMore, nextCursor } = await client.list(address, parameters);
  return { ...address, notes: data, nextCursor: hasMore ? nextCursor : null };
}

/** One note, with all its messages. */
export async function readNote(
  context: FlowContext,
  { id, ...target }: NotesTarget & { readonly id: number },
): Promise<NoteState> {
  const { client, address } = await connectToNotes(context, target);
  return client.find(address, id);
}

/** Begin a note on a record. */
export async function createNote(
  context: FlowContext,
  { folder, environment, ...note }: NotesTarget & CreateNote,
): Promise<Note> {
  const { client, address } = await connectToNotes(context, { folder, environment });
  return client.create(address, note, context.random.uuid());
}

/** Add a message to a note; the note as it is then. */
export async function replyToNote(
  context: FlowContext,
  { id, content, ...target }: NotesTarget & { readonly id: number; readonly content: string },
): Promise<Note> {
  const { client, address } = await connectToNotes(context, target);
  await client.reply(address, id, content, context.random.uuid());
  return (await client.find(address, id)).note;
}

interface ChangeNoteInput extends NotesTarget {
  readonly id: number;
  readonly change: ChangeNote;
  /** The state that the change is based on; the newest by default. */
  readonly etag: string | undefined;
}

/** Rename a note, archive it or take it out of the archive. Rejects when it has changed since the state that `etag` names. */
export async function updateNote(context: FlowContext, input: ChangeNoteInput): Promise<NoteState> {
  const { id, change, etag, ...target } = input;
  const { client, address } = await connectToNotes(context, target);
  return client.change(address, id, change, etag ?? (await client.find(address, id)).etag);
}
