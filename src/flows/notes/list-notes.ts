import type { Note } from '#contracts/public-api/notes';
import type { NotesAddress } from '#platform-client/note-client';
import type { FlowContext } from '../flow-context.ts';
import { connectToNotes, type NotesTarget } from './connect-to-notes.ts';

export interface ListNotesInput extends NotesTarget {
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
