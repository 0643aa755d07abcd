import type * as z from 'zod';
import {
  type FiledNote,
  type FoundPeople,
  filedNoteSchema,
  type fileEditSchema,
  type fileMessageSchema,
  type fileNoteSchema,
  type fileReadingSchema,
  foundPeopleSchema,
  type Inbox,
  inboxSchema,
  type RecordNotes,
  type readRecordNotesSchema,
  recordNotesSchema,
} from '#contracts/notes';
import type { PlatformTransport } from './platform-transport.ts';

/** Notes on records, as agents work with them for people: `#contracts/notes`. What is filed with the same key is filed once. */
export interface RecordNoteClient {
  list(personId: number, query: z.output<typeof readRecordNotesSchema>): Promise<RecordNotes>;
  inbox(personId: number): Promise<Inbox>;
  begin(note: z.output<typeof fileNoteSchema>, key: string): Promise<FiledNote>;
  reply(id: number, message: z.output<typeof fileMessageSchema>, key: string): Promise<void>;
  edit(id: number, edit: z.output<typeof fileEditSchema>): Promise<void>;
  markRead(id: number, reading: z.output<typeof fileReadingSchema>): Promise<void>;
  /** Members of the project whose names fit, 20 at most. */
  findPeople(search: string): Promise<FoundPeople>;
}

export function createRecordNoteClient(transport: PlatformTransport): RecordNoteClient {
  const repeatable = { credential: 'envSecret', isRepeatable: true } as const;
  const get = { ...repeatable, method: 'GET' } as const;
  const withKey = (key: string) => ({ ...repeatable, method: 'POST', headers: { 'idempotency-key': key } }) as const;
  const path = 'agent/v1/notes';
  const people = 'agent/v1/people';
  return {
    list: (personId, query) =>
      transport.fetchJson({ ...get, path: `${people}/${personId}/notes?${parametersOf(query)}` }, recordNotesSchema),
    inbox: (personId) => transport.fetchJson({ ...get, path: `${people}/${personId}/inbox` }, inboxSchema),
    begin: (json, key) => transport.fetchJson({ ...withKey(key), path, json }, filedNoteSchema),
    reply: async (id, json, key) => {
      await transport.send({ ...withKey(key), path: `${path}/${id}/messages`, json });
    },
    // Sent again, it would be about a state that has passed.
    edit: async (id, json) => {
      await transport.send({ ...repeatable, isRepeatable: false, method: 'PATCH', path: `${path}/${id}`, json });
    },
    markRead: async (id, json) => {
      await transport.send({ ...repeatable, method: 'PUT', path: `${path}/${id}/reading`, json });
    },
    findPeople: (search) =>
      transport.fetchJson({ ...get, path: `${people}?${parametersOf({ search })}` }, foundPeopleSchema),
  };
}

function parametersOf(query: Readonly<Record<string, string | number | undefined>>): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters;
}
