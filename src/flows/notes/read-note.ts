import type { NoteState } from '#platform-client/note-client';
import type { FlowContext } from '../flow-context.ts';
import { connectToNotes, type NotesTarget } from './connect-to-notes.ts';

/** One note, with all its messages. */
export async function readNote(
  context: FlowContext,
  { id, ...target }: NotesTarget & { readonly id: number },
): Promise<NoteState> {
  const { client, address } = await connectToNotes(context, target);
  return client.find(address, id);
}
