import type { ChangeNote } from '#contracts/public-api/notes';
import type { NoteState } from '#platform-client/note-client';
import type { FlowContext } from '../flow-context.ts';
import { connectToNotes, type NotesTarget } from './connect-to-notes.ts';

export interface ChangeNoteInput extends NotesTarget {
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
