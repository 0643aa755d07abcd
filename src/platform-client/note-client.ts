import type * as z from 'zod';
import {
  type ChangeNote,
  type CreateNote,
  type createMessageSchema,
  type Note,
  type NotePage,
  noteMessageSchema,
  notePageSchema,
  noteSchema,
} from '#contracts/public-api/notes';
import { createPlatformTransport, type PlatformClientOptions } from './platform-transport.ts';

/** Where notes are. */
export interface NotesAddress {
  readonly project: string;
  readonly environment: string;
}

type NoteParameters = Readonly<Record<string, string | number | undefined>>;

/** A note, and the name of the state in which it was read. */
export interface NoteState {
  readonly note: Note;
  readonly etag: string;
}

/** Notes on records, as the public API gives them. */
export interface NoteClient {
  list(address: NotesAddress, parameters: NoteParameters): Promise<NotePage>;
  find(address: NotesAddress, id: number): Promise<NoteState>;
  /** The same idempotency key makes one note. */
  create(address: NotesAddress, input: CreateNote, idempotencyKey: string): Promise<Note>;
  reply(address: NotesAddress, id: number, content: string, idempotencyKey: string): Promise<Message>;
  /** Rejects with `REQUEST_CONFLICT` when the note is no longer in the state that `etag` names. */
  change(address: NotesAddress, id: number, change: ChangeNote, etag: string): Promise<NoteState>;
}

type Message = z.output<typeof noteMessageSchema>;

export function createNoteClient(options: PlatformClientOptions): NoteClient {
  const transport = createPlatformTransport(options);
  const asPerson = { credential: 'userToken', isRepeatable: true } as const;
  const withKey = (key: string) => ({ ...asPerson, method: 'POST', headers: { 'idempotency-key': key } }) as const;
  return {
    list: (address, parameters) =>
      transport.fetchJson({ ...asPerson, method: 'GET', path: pathOf(address) + queryOf(parameters) }, notePageSchema),
    find: async (address, id) => {
      const request = { ...asPerson, method: 'GET', path: `${pathOf(address)}/${id}` } as const;
      const { data: note, etag } = await transport.fetchTagged(request, noteSchema);
      return { note, etag };
    },
    create: (address, input, key) =>
      transport.fetchJson({ ...withKey(key), path: pathOf(address), json: input }, noteSchema),
    reply: (address, id, content, key) => {
      const json = { content } satisfies z.input<typeof createMessageSchema>;
      return transport.fetchJson(
        { ...withKey(key), path: `${pathOf(address)}/${id}/messages`, json },
        noteMessageSchema,
      );
    },
    change: async (address, id, change, seen) => {
      const headers = { 'if-match': seen };
      const request = {
        ...asPerson,
        method: 'PATCH',
        path: `${pathOf(address)}/${id}`,
        headers,
        json: change,
      } as const;
      const { data: note, etag } = await transport.fetchTagged(request, noteSchema);
      return { note, etag };
    },
  };
}

function pathOf({ project, environment }: NotesAddress): string {
  return `v1/project/${encodeURIComponent(project)}/environment/${encodeURIComponent(environment)}/notes`;
}

function queryOf(parameters: NoteParameters): string {
  const given = Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
