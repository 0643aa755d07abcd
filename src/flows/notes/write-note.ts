import type { CreateNote, Note } from '#contracts/public-api/notes';
import type { FlowContext } from '../flow-context.ts';
import { connectToNotes, type NotesTarget } from './connect-to-notes.ts';

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
